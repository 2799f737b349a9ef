//! The whole story of a record or a claim: as lines to be read from the top, and for programs.
//!
//! Lines hold texts as they are: whoever prints or draws them makes visible what is hidden in them.

use serde::Serialize;
use serde_json::{Map, Value};

use super::out::{ClaimRow, DispositionRow, EventRow};
use crate::domain::event::{Act, Event};
use crate::domain::evidence::ChosenSpan;
use crate::domain::ids::{AuditId, ClaimId};
use crate::domain::queue::Given;
use crate::domain::record::{Passage, RiskLevel};
use crate::domain::span::CharSpan;
use crate::domain::time::Timestamp;
use crate::store::{AuditStory, Chained, ClaimExport, Damaged, EvidenceExport, Story};

/// The story as lines, from what came in to what people did last.
pub fn lines(story: &Story) -> Vec<String> {
    let mut told = Told::default();
    told.record(story);
    for audit in &story.audits {
        told.audit(audit, story);
    }
    if story.audits.is_empty() {
        told.heading(match story.state.as_str() {
            "failed" => "No audit: it failed; `juror audit --again-failed` tries again",
            _ => "No audit yet: `juror audit`, or `juror`",
        });
    }
    told.events(story);
    told.heading("Seals");
    if story.broken.is_empty() {
        told.line(1, "hold: record, audits, exchanges and events are as they were written");
        told.line(1, "whether events are missing, only `juror verify` tells");
    }
    for sentence in &story.broken {
        told.line(1, &format!("BROKEN: {sentence}"));
    }
    told.lines
}

#[derive(Default)]
struct Told {
    lines: Vec<String>,
}

impl Told {
    fn heading(&mut self, text: &str) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.push(text.to_owned());
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.lines.push(format!("{}{text}", "  ".repeat(depth)));
    }

    /// A text of other people, each line after a bar, so that none looks like a line of the story.
    fn quoted(&mut self, depth: usize, text: &str) {
        for line in text.split('\n') {
            self.line(depth, &format!("| {line}"));
        }
    }

    fn record(&mut self, story: &Story) {
        let record = &story.record;
        self.heading(&match &story.claim {
            Some(claim) => format!("Claim {claim}"),
            None => format!("Record {}", record.audit_id),
        });
        self.line(1, &format!("came in {} from {}", moment(story.imported_at), story.source));
        let risk = record.risk_level.map_or("unknown, counts as MEDIUM", RiskLevel::label);
        self.line(1, &format!("risk {risk}"));
        if let Some(question) = &record.question {
            self.line(1, "question");
            self.quoted(2, question);
        }
        self.line(1, &format!("answer, SHA-256 {}", story.answer_sha256));
        self.quoted(2, &record.answer);
        if !record.metadata.is_empty() {
            self.line(1, &format!("metadata {}", compact(&record.metadata)));
        }
        for (at, passage) in record.passages.iter().enumerate() {
            let sha256 = story.passage_sha256.get(at).map_or("", String::as_str);
            let Passage { passage_id, content, metadata } = passage;
            let characters = content.chars().count();
            self.line(1, &format!("passage {passage_id}: {characters} characters, SHA-256 {sha256}"));
            if !metadata.is_empty() {
                self.line(2, &compact(metadata));
            }
        }
    }

    fn audit(&mut self, audit: &AuditStory, story: &Story) {
        let counts = if audit.is_current { "the present one" } else { "an earlier one" };
        self.heading(&format!("Audit {} ({counts}), finished {}", audit.n, moment(audit.finished_at)));
        let judge = &audit.judge;
        self.line(1, &format!("{} by {}, model {}", audit.instrument, judge.judge, judge.model));
        self.line(1, &format!("prompt {}, SHA-256 {}", judge.prompt_version, judge.prompt_sha256));
        if !judge.settings.is_null() {
            self.line(1, &format!("settings {}", judge.settings));
        }
        if audit.exchanges > 0 {
            self.line(1, &format!("rests on {} exchanges with a model: `juror exchanges`", audit.exchanges));
        }
        for claim in &audit.claims {
            match claim {
                Ok(claim) => self.claim(claim, &story.events),
                Err(damaged) => self.line(1, &damaged.to_string()),
            }
        }
        if let Some(Given { annotator, disposition, at, note, .. }) = &audit.disposition {
            self.line(1, &format!("the answer: {disposition} by {annotator}, {}", moment(*at)));
            if let Some(note) = note {
                self.quoted(2, note);
            }
        }
    }

    fn claim(&mut self, claim: &ClaimExport, events: &[Result<Chained, Damaged>]) {
        let mut verdict = claim.verdict.map_or(claim.state.label(), |verdict| verdict.label()).to_owned();
        if claim.verdict.is_some() && claim.state.label() != "JUDGED" {
            verdict = format!("{} {verdict}", claim.state.label());
        }
        let graded = [
            claim.severity.map(|severity| severity.to_string()),
            claim.hallucination_type.map(|kind| kind.to_string()),
            claim.confidence.map(|confidence| format!("confidence {:.2}", confidence.get())),
            claim.support.map(|score| format!("support {}/5", score.get())),
        ];
        for part in graded.into_iter().flatten() {
            verdict = format!("{verdict}, {part}");
        }
        self.line(1, &format!("{}: {verdict}", claim.id));
        self.quoted(2, &claim.claim_text);
        if let Some(CharSpan { start, end }) = claim.answer {
            self.line(2, &format!("in the answer at {start}–{end}"));
        }
        if !claim.rationale.is_empty() {
            self.line(2, "why");
            self.quoted(3, &claim.rationale);
        }
        for EvidenceExport { passage_id, span, quote, role, level } in &claim.evidence {
            let place = span.map_or_else(String::new, |span| format!(" at {}–{}", span.start, span.end));
            self.line(2, &format!("{role}: {passage_id}{place}, {level}"));
            self.quoted(3, quote);
        }
        if !claim.why.is_empty() {
            let why: Vec<String> = claim.why.iter().map(|why| why.sentence()).collect();
            self.line(2, &format!("asks a person: {}", why.join("; ")));
        }
        for (annotator, blind) in &claim.blind {
            let event = events.iter().flatten().find(|chained| chained.event.seq == blind.seq);
            let known = event.and_then(|chained| chained.event.known_from());
            let counts = match (blind.independent, known) {
                (true, _) => String::new(),
                (false, Some(id)) => format!("{DOES_NOT_COUNT} from {id}"),
                (false, None) => format!("{DOES_NOT_COUNT} before"),
            };
            self.line(2, &format!("blind: {} by {annotator}{counts}", blind.ruling.said()));
        }
        for (annotator, decided) in &claim.decisions {
            let ruling =
                serde_json::to_value(&decided.ruling).map(|ruling| words(&ruling)).unwrap_or_default();
            let reason = decided.reason.map_or_else(String::new, |reason| format!(", {reason}"));
            self.line(2, &format!("stands: {} by {annotator}: {ruling}{reason}", decided.kind.label()));
        }
    }

    fn events(&mut self, story: &Story) {
        if story.events.is_empty() {
            return self.heading("Nobody has done anything about it yet");
        }
        self.heading("What people did");
        for event in &story.events {
            match event {
                Ok(chained) => self.event(chained),
                Err(damaged) => self.line(1, &damaged.to_string()),
            }
        }
    }

    fn event(&mut self, Chained { event, note, .. }: &Chained) {
        let Event { seq, at, annotator, os_user, host, program, .. } = event;
        self.line(1, &format!("{seq}  {}  {annotator}: {}", moment(*at), act(event)));
        self.line(2, &format!("as {os_user} on {host}, {program}"));
        match note {
            Some(text) => self.quoted(2, text),
            None if event.payload_sha256.is_some() => self.line(2, "its text was erased"),
            None => {}
        }
    }
}

/// Before whence it was known.
const DOES_NOT_COUNT: &str = ", not independent: no figure counts it; the judge's word was known to them";

fn compact(fields: &Map<String, Value>) -> String {
    serde_json::to_string(fields).unwrap_or_default()
}

/// What was done, with what stands and stood.
fn act(event: &Event) -> String {
    let mut told = format!("{} {}", event.act, event.subject);
    if let Some(undone) = event.undoes {
        let what = if event.act == Act::Undo { "takes back" } else { "done again after" };
        told = format!("{told}, {what} event {undone}");
    }
    let (old, new) = (words(&event.old), words(&event.new));
    if !new.is_empty() {
        told = format!("{told}: {new}");
    }
    if !old.is_empty() && old != new {
        told = format!("{told} (before: {old})");
    }
    if let Some(reason) = event.reason {
        told = format!("{told}, {reason}: {}", reason.sentence());
    }
    told
}

/// A value of an event in words: its fields one after the other, labels by themselves.
fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join("; "),
        Value::Object(fields) => {
            if let Ok(ChosenSpan { passage_id, start, end, quote, role }) =
                serde_json::from_value(value.clone())
            {
                return format!("{role} {passage_id} at {start}–{end} “{quote}”");
            }
            let told = fields.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| {
                let is_label =
                    matches!(name.as_str(), "verdict" | "severity" | "hallucination_type" | "disposition");
                if is_label { words(value) } else { format!("{} {}", name.replace('_', " "), words(value)) }
            });
            told.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// To the second, in UTC.
fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(..19).map_or_else(|| text.clone(), |start| format!("{}Z", start.replace('T', " ")))
}

/// The story for programs.
#[derive(Debug, Serialize)]
pub struct StoryRow<'a> {
    record: RecordRow<'a>,
    /// The claim that was asked for.
    claim: Option<&'a ClaimId>,
    audits: Vec<AuditRow<'a>>,
    events: Vec<EventRow<'a>>,
    seals: SealsRow<'a>,
}

#[derive(Debug, Serialize)]
struct RecordRow<'a> {
    audit_id: &'a AuditId,
    source: &'a str,
    imported_at: Timestamp,
    state: &'a str,
    risk_level: Option<RiskLevel>,
    question: Option<&'a str>,
    answer: &'a str,
    answer_sha256: &'a str,
    metadata: &'a Map<String, Value>,
    passages: Vec<PassageRow<'a>>,
}

#[derive(Debug, Serialize)]
struct PassageRow<'a> {
    passage_id: &'a str,
    characters: usize,
    sha256: &'a str,
    metadata: &'a Map<String, Value>,
}

#[derive(Debug, Serialize)]
struct AuditRow<'a> {
    audit: u32,
    current: bool,
    instrument: &'a str,
    judge: &'a str,
    model: &'a str,
    prompt_version: &'a str,
    prompt_sha256: &'a str,
    settings: &'a Value,
    started_at: Timestamp,
    finished_at: Timestamp,
    exchanges: u64,
    claims: Vec<ClaimRow>,
    disposition: Option<DispositionRow>,
}

#[derive(Debug, Serialize)]
struct SealsRow<'a> {
    hold: bool,
    problems: Vec<&'a str>,
}

impl<'a> StoryRow<'a> {
    pub fn of(story: &'a Story) -> Self {
        let record = &story.record;
        let passages = record.passages.iter().zip(&story.passage_sha256);
        Self {
            record: RecordRow {
                audit_id: &record.audit_id,
                source: &story.source,
                imported_at: story.imported_at,
                state: &story.state,
                risk_level: record.risk_level,
                question: record.question.as_deref(),
                answer: &record.answer,
                answer_sha256: &story.answer_sha256,
                metadata: &record.metadata,
                passages: passages
                    .map(|(passage, sha256)| PassageRow {
                        passage_id: passage.passage_id.as_str(),
                        characters: passage.content.chars().count(),
                        sha256,
                        metadata: &passage.metadata,
                    })
                    .collect(),
            },
            claim: story.claim.as_ref(),
            audits: story.audits.iter().map(|audit| audit_row(audit, &record.audit_id)).collect(),
            events: story
                .events
                .iter()
                .flatten()
                .map(|Chained { event, prev_hash, hash, note }| EventRow {
                    event,
                    prev_hash,
                    hash,
                    note: note.as_deref(),
                })
                .collect(),
            seals: SealsRow {
                hold: story.broken.is_empty(),
                problems: story.broken.iter().map(String::as_str).collect(),
            },
        }
    }
}

fn audit_row<'a>(audit: &'a AuditStory, id: &AuditId) -> AuditRow<'a> {
    let claims = audit.claims.iter().map(|claim| match claim {
        Ok(claim) => ClaimRow::from(claim.clone()),
        Err(damaged) => {
            let claim = damaged.claim.clone().unwrap_or_else(|| ClaimId::new(id.clone(), 0));
            ClaimRow::damaged(claim, damaged.to_string())
        }
    });
    AuditRow {
        audit: audit.n,
        current: audit.is_current,
        instrument: &audit.instrument,
        judge: &audit.judge.judge,
        model: &audit.judge.model,
        prompt_version: &audit.judge.prompt_version,
        prompt_sha256: &audit.judge.prompt_sha256,
        settings: &audit.judge.settings,
        started_at: audit.started_at,
        finished_at: audit.finished_at,
        exchanges: audit.exchanges,
        claims: claims.collect(),
        disposition: audit.disposition.clone().map(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn evidence_that_a_person_chose_reads_as_words() {
        let span =
            json!({"passage_id": "p2", "start": 4, "end": 13, "quote": "4 g a day", "role": "contradicts"});
        let ruling = json!({"verdict": "CONTRADICTED", "severity": null, "evidence": [span, span]});
        let told = "contradicts p2 at 4–13 “4 g a day”";
        let words_of = words(&ruling);
        assert!(words_of.contains("CONTRADICTED"), "{words_of}");
        assert!(words_of.contains(&format!("evidence {told}; {told}")), "{words_of}");
        assert!(!words_of.contains(['{', '[']), "{words_of}");
        assert_eq!(words(&json!({"evidence": []})), "evidence none");
    }
}
