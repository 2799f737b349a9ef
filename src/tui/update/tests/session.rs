//! One person at the screen. Readings are answered from a list of rows; everything else that the
//! screen asks for is gathered, and the test answers it.

use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Size;
use serde_json::json;

use crate::config::ThemeName;
use crate::domain::blind::Sight;
use crate::domain::decision::{Request, Standing};
use crate::domain::event::Seen;
use crate::domain::finding::{AuditState, JudgeIdentity, Judged, Outcome};
use crate::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey, PassageId, RecordKey};
use crate::domain::queue::{ClaimDetail, Flagged, Hold, QueueCounts, QueueRow, Sibling, Thread};
use crate::domain::record::{Passage, Record};
use crate::domain::severity::Stakes;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Citation, MatchLevel, NoVerdict, Probability, Role, Severity, Verdict};
use crate::tui::app::{App, Settings};
use crate::tui::effect::Effect;
use crate::tui::keymap::Keymap;
use crate::tui::message::{Message, QueueWindow};
use crate::tui::theme::Theme;
use crate::tui::update::update;

pub(super) use super::acts::{decided, event};

pub(super) const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);
pub(super) const HOUR: Duration = Duration::from_hours(1);

pub(super) struct Session {
    pub(super) app: App,
    pub(super) now: Timestamp,
    /// What the store would say.
    pub(super) rows: Vec<QueueRow>,
    pub(super) counts: QueueCounts,
    pub(super) above: (u64, u64),
    pub(super) below: (u64, u64),
    /// Passages of every record.
    pub(super) passages: usize,
    pub(super) held_by: Option<Hold>,
    pub(super) flags: Vec<Flagged>,
    pub(super) without_verdict: bool,
    /// Whether the audit failed: there is no verdict then.
    pub(super) failed: bool,
    /// What is at stake with every claim.
    pub(super) stakes: Stakes,
    pub(super) answers_waiting: u64,
    /// Every answer has three claims, and those that are not in the queue are decided.
    pub(super) three_claims: bool,
    pub(super) draft: Option<String>,
    /// What else was begun on every claim.
    pub(super) begun: Vec<(crate::domain::draft::DraftKind, String)>,
    /// The claims that fit whatever filter is set.
    pub(super) fit: Vec<i64>,
    /// How many new claims above the cursor the filter leaves out.
    pub(super) outside: u64,
    /// How many rows on each side of the cursor a reading brings.
    pub(super) page: usize,
    /// What the screen asked for, but for readings.
    pub(super) asked: Vec<Effect>,
    /// How many readings of the queue and of details there were.
    pub(super) readings: (usize, usize),
}

impl Session {
    /// The claims `1` to `count` are in the queue, the first one is on the screen and was looked at.
    pub(super) fn with(count: i64) -> Self {
        Self::of((1..=count).map(row).collect())
    }

    pub(super) fn of(rows: Vec<QueueRow>) -> Self {
        let mut session = Self::before_start(rows);
        session.send(Message::Started { open: None });
        session.look();
        session
    }

    /// Only the first frame is drawn.
    pub(super) fn before_start(rows: Vec<QueueRow>) -> Self {
        let settings = Settings {
            zone: jiff::tz::TimeZone::UTC,
            advance: crate::config::Advance::Always,
            blind: None,
            annotator: Annotator::new("ana"),
            by_login: false,
            theme: Theme::choose(ThemeName::Mono).expect("the shipped theme is sound"),
            min_visible: Duration::from_millis(250),
            demo: false,
            bell: false,
            notify: false,
            keymap: Keymap::shipped().expect("the shipped keys are sound"),
        };
        let open = rows.len() as u64;
        Self {
            app: App::new(settings, Size::new(120, 40), START),
            now: START,
            rows,
            counts: QueueCounts { routed: open, open, audited: open, ..QueueCounts::default() },
            above: (0, 0),
            below: (0, 0),
            passages: 1,
            held_by: None,
            flags: Vec::new(),
            without_verdict: false,
            failed: false,
            answers_waiting: 0,
            three_claims: false,
            draft: None,
            begun: Vec::new(),
            fit: Vec::new(),
            outside: 0,
            page: usize::MAX,
            asked: Vec::new(),
            readings: (0, 0),
            stakes: Stakes::default(),
        }
    }

    pub(super) fn send(&mut self, message: Message) {
        let mut effects = update(&mut self.app, message, self.now);
        while !effects.is_empty() {
            let mut answers = Vec::new();
            for effect in effects.drain(..) {
                match effect {
                    Effect::LoadQueue { run, wanted } => {
                        if wanted.filter.is_some() {
                            self.asked.push(Effect::LoadQueue { run, wanted });
                            continue;
                        }
                        let (around, from_end, heard) = (wanted.around, wanted.from_end, wanted.heard);
                        self.readings.0 += 1;
                        let window =
                            if from_end { self.last_window(heard) } else { self.window(around, heard) };
                        answers.push(Message::Queue { run, result: Ok(window) });
                    }
                    Effect::LoadDetail { run, claim } => {
                        self.readings.1 += 1;
                        answers.push(Message::Detail {
                            run,
                            result: Ok((Box::new(self.detail(claim)), self.stakes)),
                        });
                    }
                    Effect::CountAnswers => {
                        answers.push(Message::AnswersWaiting(Ok(self.answers_waiting)));
                    }
                    Effect::LoadPace
                    | Effect::LoadViews
                    | Effect::LoadHints
                    | Effect::LoadWaiting
                    | Effect::LoadOverruled(_)
                    | Effect::FindSame { .. } => {}
                    other => self.asked.push(other),
                }
            }
            for answer in answers {
                effects.extend(update(&mut self.app, answer, self.now));
            }
        }
    }

    /// The last hundred rows, or twice what a page has.
    fn last_window(&self, heard: Option<ClaimKey>) -> QueueWindow {
        let from = self.rows.len().saturating_sub(self.page.saturating_mul(2).min(100));
        QueueWindow {
            before: self.rows[from..].to_vec(),
            from: Vec::new(),
            at_start: from == 0,
            ..self.window(None, heard)
        }
    }

    fn window(&self, around: Option<ClaimKey>, heard: Option<ClaimKey>) -> QueueWindow {
        let at = around.map_or(0, |key| {
            let found = self.rows.iter().position(|row| row.key == key);
            // A claim that is not open any more has its place by rank all the same.
            found.unwrap_or_else(|| self.rows.iter().filter(|row| row.key < key).count())
        });
        let start = at.saturating_sub(self.page);
        let end = at.saturating_add(self.page).min(self.rows.len());
        QueueWindow {
            before: self.rows[start..at].to_vec(),
            from: self.rows[at..end].to_vec(),
            threads: self.threads(),
            at_start: start == 0,
            at_end: end == self.rows.len(),
            counts: self.counts,
            above: self.above,
            below: self.below,
            arrived: self.arrived(heard),
            outside: 0,
            repeats: 0,
            version: 1,
        }
    }

    /// The answers of the rows, where the list is by answers.
    fn threads(&self) -> Option<Vec<Thread>> {
        let groups = self.rows.chunk_by(|one, other| one.id.audit_id() == other.id.audit_id());
        let thread = |rows: &[QueueRow]| Thread {
            head: rows[0].clone(),
            worst: rows.iter().filter_map(|row| row.severity).max(),
            open: rows.iter().filter(|row| row.decided.is_none()).count() as u64,
            decided: rows.iter().filter(|row| row.decided.is_some()).count() as u64,
            disposition: None,
        };
        self.app.threads.wanted.then(|| groups.map(thread).collect())
    }

    /// The readings under a filter that are asked for now, answered; the last of them, if any.
    pub(super) fn find(&mut self) -> Option<crate::tui::window::Wanted> {
        let mut last = None;
        loop {
            let is_reading = |effect: &Effect| matches!(effect, Effect::LoadQueue { .. });
            let Some(at) = self.asked.iter().position(is_reading) else { return last };
            let Effect::LoadQueue { run, wanted } = self.asked.remove(at) else { return last };
            let fits = |row: &&QueueRow| self.fit.contains(&row.key.0);
            let mut rows: Vec<QueueRow> = self.rows.iter().filter(fits).cloned().collect();
            let here = wanted.around.and_then(|key| rows.iter().position(|row| row.key == key));
            let from = rows.split_off(here.unwrap_or(0));
            let window = QueueWindow {
                before: rows,
                from,
                outside: self.outside,
                above: self.above,
                ..self.window(None, wanted.heard)
            };
            last = Some(wanted);
            self.send(Message::Queue { run, result: Ok(window) });
        }
    }

    pub(super) fn detail(&self, key: ClaimKey) -> ClaimDetail {
        let mut detail = detail(key.0, self.passages);
        detail.held_by = self.held_by.clone();
        detail.flags.clone_from(&self.flags);
        detail.draft = self.draft.clone();
        detail.begun.clone_from(&self.begun);
        if self.three_claims {
            let first = key.0 / 10 * 10 + 1;
            let sibling = |n| {
                let decided = !self.rows.iter().any(|row| row.key == ClaimKey(n));
                Sibling { key: ClaimKey(n), id: id(n), decided, ..detail.siblings[0].clone() }
            };
            detail.siblings = (first..first + 3).map(sibling).collect();
            return detail;
        }
        if self.failed {
            detail.outcome =
                Outcome::NotJudged { state: NoVerdict::Failed, reason: "503 Service Unavailable".to_owned() };
        }
        if self.without_verdict {
            detail.outcome =
                Outcome::NotJudged { state: NoVerdict::NotChecked, reason: "no segmenter".to_owned() };
        }
        if let Some(row) = self.rows.iter().find(|row| row.key == key) {
            detail.standing.decided = row.decided.clone();
            detail.counts = row.decided.as_ref().map(|_| self.app.settings.annotator.clone());
            detail.decisions = detail.counts.iter().cloned().zip(row.decided.clone()).collect();
            detail.arrived = row.arrived;
            for sibling in &mut detail.siblings {
                sibling.severity = row.severity.filter(|_| !self.without_verdict);
                sibling.decided = row.decided.is_some();
                sibling.rulings = row.decided.iter().map(|decided| decided.ruling.verdict).collect();
                sibling.ruled_severity = row.decided.as_ref().and_then(|decided| decided.ruling.severity);
            }
        }
        detail
    }

    /// The screen is drawn, and the person looks at it for a second.
    pub(super) fn look(&mut self) {
        self.drawn();
        self.after(1000);
    }

    pub(super) fn drawn(&mut self) {
        self.app.dirty = false;
        self.send(Message::Drawn);
    }

    pub(super) fn after(&mut self, millis: u64) {
        self.now = self.now.plus(Duration::from_millis(millis));
    }

    /// What was asked for since the last call.
    pub(super) fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.asked)
    }

    /// The requests for decisions since the last call: claim and request.
    pub(super) fn requests(&mut self) -> Vec<(i64, Request)> {
        self.take()
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Decide { claim, request, .. } => Some((claim.0, request)),
                _ => None,
            })
            .collect()
    }

    /// The store has recorded `request` for claim `key`.
    pub(super) fn store_says_yes(&mut self, key: i64, request: Request) {
        let event = event(key, &request);
        if matches!(request, Request::Confirm | Request::Override { .. }) {
            self.rows.retain(|row| row.key != ClaimKey(key));
            self.counts.open = self.counts.open.saturating_sub(1);
        }
        self.send(Message::Decided {
            claim: ClaimKey(key),
            id: id(key),
            request,
            result: Ok(Box::new(event)),
        });
    }

    pub(super) fn store_refuses(&mut self, key: i64, request: Request, why: &str) {
        self.send(Message::Decided {
            claim: ClaimKey(key),
            id: id(key),
            request,
            result: Err(why.to_owned()),
        });
    }

    /// Presses `keys`, and the store records what that asks for.
    pub(super) fn do_and_save(&mut self, keys: &str) {
        self.press(keys);
        for (key, request) in self.requests() {
            self.store_says_yes(key, request);
        }
    }

    /// The claim under the cursor.
    pub(super) fn here(&self) -> Option<i64> {
        self.app.claim.as_ref().map(|claim| claim.key.0)
    }

    /// The line of the list on which the cursor stands.
    pub(super) fn line(&self) -> Option<usize> {
        Some(self.app.selected_line()? - self.app.queue.top)
    }

    pub(super) fn toast(&self) -> &str {
        self.app.toast.as_ref().map_or("", |toast| &toast.text)
    }

    pub(super) fn saved(&self) -> String {
        self.app.saved.as_ref().map_or(String::new(), |saved| format!("{} {}", saved.subject, saved.what))
    }
}

pub(super) fn id(key: i64) -> ClaimId {
    ClaimId::new(audit_id(key), (key % 10).unsigned_abs() as u32 + 1)
}

/// Ten claims to an answer.
pub(super) fn audit_id(key: i64) -> AuditId {
    AuditId::new(format!("rx-{}", key / 10))
}

pub(super) fn row(key: i64) -> QueueRow {
    QueueRow {
        key: ClaimKey(key),
        id: id(key),
        claim_text: format!("claim {key}"),
        state: AuditState::Judged,
        verdict: Some(Verdict::Contradicted),
        severity: Some(Severity::High),
        confidence: Some(Probability::clamped(0.9)),
        arrived: START,
        skipped: false,
        flagged: false,
        escalated: false,
        deferred: None,
        decided: None,
        held_by: None,
        begun: false,
        blocked: false,
        sight: Sight::Open,
        disputed: false,
        rulings: Vec::new(),
        ruled_severity: None,
        damage: None,
    }
}

pub(super) fn detail(key: i64, passages: usize) -> ClaimDetail {
    let passages: Vec<Passage> = (1..=passages)
        .map(|n| Passage {
            passage_id: PassageId::new(format!("p{n}")),
            content: "The maximum dose for adults is 4 g.".to_owned(),
            metadata: serde_json::Map::new(),
        })
        .collect();
    let citation = passages.first().map(|passage| Citation {
        passage_id: passage.passage_id.clone(),
        span: crate::domain::span::Span::new(&passage.content, 0..11),
        quote: "The maximum".to_owned(),
        role: Role::Contradicts,
        level: MatchLevel::Exact,
    });
    ClaimDetail {
        key: ClaimKey(key),
        id: id(key),
        record_key: RecordKey(key / 10),
        record: Arc::new(Record {
            audit_id: audit_id(key),
            answer: "Adults may take 8 g.".to_owned(),
            passages,
            question: None,
            risk_level: None,
            given_claims: Vec::new(),
            metadata: serde_json::Map::new(),
        }),
        claim_text: format!("claim {key}"),
        given_id: None,
        is_pair: false,
        answer_span: None,
        inherited: None,
        outcome: Outcome::Judged(Judged {
            verdict: Verdict::Contradicted,
            confidence: Probability::clamped(0.9),
            severity: Some(Severity::High),
            hallucination_type: None,
            citations: citation.into_iter().collect(),
            rationale: "claim says 8 g, evidence says 4 g".to_owned(),
            support: None,
        }),
        sight: Sight::Open,
        why: Vec::new(),
        judge: JudgeIdentity {
            judge: "local".to_owned(),
            model: "1".to_owned(),
            prompt_version: "1".to_owned(),
            prompt_sha256: String::new(),
            settings: json!({}),
        },
        audited_at: START,
        exchanges: 0,
        arrived: START,
        siblings: vec![Sibling {
            key: ClaimKey(key),
            id: id(key),
            claim_text: format!("claim {key}"),
            answer_span: None,
            state: AuditState::Judged,
            verdict: Some(Verdict::Contradicted),
            severity: Some(Severity::High),
            hidden: false,
            routed: true,
            decided: false,
            rulings: Vec::new(),
            ruled_severity: None,
        }],
        no_claims: vec![],
        standing: Standing::default(),
        decisions: Vec::new(),
        counts: None,
        is_settled: false,
        flags: Vec::new(),
        earlier: Vec::new(),
        gone: None,
        notes: Vec::new(),
        disposition: None,
        held_by: None,
        draft: None,
        begun: Vec::new(),
        seen: Seen { answer_sha256: "a".into(), passages_sha256: "p".into(), verdict_sha256: None },
    }
}
