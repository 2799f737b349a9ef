//! Marked claims, what is done to them, deferring, escalating, and why a claim is where it is.

use juror::config::ThemeName;
use juror::domain::decision::HumanVerdict;
use juror::domain::event::Seen;
use juror::domain::finding::AuditState;
use juror::domain::ids::{AuditId, ClaimId, ClaimKey};
use juror::domain::priority::factors;
use juror::domain::queue::{Flagged, QueueCounts};
use juror::domain::verdict::NoVerdict;
use juror::tui::app::{App, Detail, EmptyReason, Mode, QueueState, Toast, ToastKind};
use juror::tui::ask::{AskLine, Question};
use juror::tui::hints::LESSONS;
use juror::tui::marks::{ManyDialog, Together};
use juror::tui::same::Same;
use juror::tui::why::WhyHere;

use crate::fixture::*;
use crate::look::*;
use crate::states::note_mode;

pub(crate) fn marked(app: &mut App) {
    app.queue.rows[1].state = AuditState::NoVerdict(NoVerdict::NotChecked);
    app.queue.rows[1].verdict = None;
    app.marks.rows = app.queue.rows[..4].to_vec();
}

pub(crate) fn many(app: &mut App, chosen: Option<Together>) {
    marked(app);
    app.mode = Mode::Many(ManyDialog { chosen, at: at(0), sent: false });
}

fn nothing_seen() -> Seen {
    Seen { answer_sha256: String::new(), passages_sha256: String::new(), verdict_sha256: None }
}

pub(crate) fn asking(app: &mut App, question: Question, text: &str, reading: Result<String, String>) {
    app.mode = Mode::Ask(Box::new(AskLine {
        question,
        claim: Some((ClaimKey(1), ClaimId::new(AuditId::new("rx-1042"), 3), nothing_seen())),
        about: "rx-1042#3".into(),
        claim_text: super::fixture::CLAIM.to_owned(),
        text: tui_textarea::TextArea::new(vec![text.to_owned()]),
        reading,
        sent: false,
        back: 0,
        typed: String::new(),
    }));
}

#[test]
fn marked_claims_and_what_is_done_to_them() {
    four("marked", |theme, w, h| {
        with(review(theme, w, h), |app| {
            marked(app);
            app.marks.range = Some(app.queue.rows[0].key);
            app.queue.rows[2].escalated = true;
            app.queue.rows[3].deferred = Some(at(90));
            app.counts.deferred = 1;
        })
    });
    four("many", |theme, w, h| with(review(theme, w, h), |app| many(app, None)));
    four("many-confirm", |theme, w, h| with(review(theme, w, h), |app| many(app, Some(Together::Confirm))));
    check(
        "many-rule-mono-60x15",
        &with(review(ThemeName::Mono, 60, 15), |app| {
            many(app, Some(Together::Rule(HumanVerdict::Contradicted)));
        }),
    );
}

#[test]
fn the_same_claim_in_many_answers_is_told_and_decided_at_once() {
    let same = |app: &mut App| {
        let rows: Vec<_> = (0..12)
            .map(|n| {
                let mut row = app.queue.rows[0].clone();
                row.key = ClaimKey(if n == 0 { 1 } else { 100 + n });
                row.id = ClaimId::new(AuditId::new(format!("rx-{}", 1041 + n)), 1);
                row
            })
            .collect();
        app.same =
            Some(Same { claim: ClaimKey(1), asked: 1, version: None, rows, wanted: false, is_marked: false });
    };
    four("same", |theme, w, h| with(review(theme, w, h), same));
    four("same-confirm", |theme, w, h| {
        with(review(theme, w, h), |app| {
            same(app);
            if let Some(same) = &mut app.same {
                same.is_marked = true;
                app.marks.rows.clone_from(&same.rows);
            }
            let chosen = Some(Together::Confirm);
            app.mode = Mode::Many(ManyDialog { chosen, at: at(0), sent: false });
        })
    });
}

#[test]
fn whoever_is_new_is_told_the_first_keys() {
    for n in 0..LESSONS.len() {
        four(&format!("hint-{}", n + 1), |theme, w, h| {
            with(review(theme, w, h), |app| app.hints.done = Some(n))
        });
    }
}

#[test]
fn lines_of_a_deferral_and_an_escalation() {
    four("defer", |theme, w, h| {
        with(review(theme, w, h), |app| {
            asking(
                app,
                Question::Defer { again: true },
                "2h",
                Ok("until 2026-05-28 22:26 UTC, in 2 h".into()),
            );
        })
    });
    four("escalate-error", |theme, w, h| {
        with(review(theme, w, h), |app| {
            asking(app, Question::Escalate { again: false }, "@dr-lee", Err("say what the matter is".into()));
        })
    });
}

#[test]
fn an_escalation_stands_beside_the_claim() {
    four("claim-escalated", |theme, w, h| {
        let mut detail = detail();
        detail.flags = vec![Flagged {
            annotator: juror::domain::ids::Annotator::new("ana"),
            at: at(0),
            to: Some("dr-lee".into()),
            escalated: true,
            note: Some("is 8 g ever right?".into()),
        }];
        detail.standing.deferred = Some(at(90));
        with(review(theme, w, h), |app| app.claim = Some(select(detail.clone())))
    });
}

#[test]
fn why_a_claim_is_where_it_is() {
    four("why-here", |theme, w, h| {
        with(review(theme, w, h), |app| {
            let Some(Detail::Ready(detail)) = app.claim.as_ref().map(|claim| claim.detail.clone()) else {
                return;
            };
            let factors = factors(&detail, at(60));
            app.mode = Mode::Why(Box::new(WhyHere { id: detail.id.to_string(), factors, before: Some(2) }));
        })
    });
}

#[test]
fn when_all_is_deferred_the_queue_says_so() {
    four("empty-deferred", |theme, w, h| {
        with(review(theme, w, h), |app| {
            app.queue.rows.clear();
            app.claim = None;
            app.counts = QueueCounts { open: 2, routed: 9, deferred: 2, ..app.counts };
            app.queue.state = QueueState::Empty(EmptyReason::Deferred { count: 2, back_at: at(90) });
        })
    });
}

#[test]
fn what_is_asked_of_many_has_the_words_of_the_claim_in_it() {
    for (width, height) in [(60, 15), (80, 24), (140, 42)] {
        let app = with(review(ThemeName::Mono, width, height), |app| {
            let words = "Give 3 g of amoxicillin for each dose.";
            let rows: Vec<_> = app.queue.rows.iter().take(3).cloned().collect();
            app.marks.rows = rows;
            for row in &mut app.marks.rows {
                row.claim_text = words.to_owned();
                (row.decided, row.held_by) = (None, None);
            }
            let key = app.marks.rows[0].key;
            let rows = app.marks.rows.clone();
            app.same =
                Some(Same { claim: key, asked: 1, version: None, rows, wanted: false, is_marked: true });
        });
        for chosen in [None, Some(Together::Rule(HumanVerdict::Unsupported))] {
            let app = with(app.clone(), |app| {
                app.mode = Mode::Many(ManyDialog { chosen, at: at(0), sent: false });
            });
            let shown = text(&draw(&app));
            assert!(shown.contains("3 g of amoxicillin"), "{width}:\n{shown}");
            // No row of the list alone above the question.
            let lines: Vec<&str> = shown.lines().collect();
            let top = lines.iter().position(|line| line.contains("The same claim in 3 answers")).unwrap();
            assert!(width > 60 || top <= 1, "{shown}");
        }
    }
}

#[test]
fn an_error_hides_no_note_that_is_being_typed() {
    for (width, height) in [(60, 15), (80, 24), (140, 42)] {
        let app = with(review(ThemeName::Mono, width, height), |app| {
            app.mode = note_mode("the pump is at 40 ml", None);
            let why = "note of rx-1042#3 not saved: the disk that holds /var/lib/juror/juror.db is full: free some space, \
                       then try again; nothing was lost";
            app.toast = Some(Toast { text: why.to_owned(), kind: ToastKind::Error, until: None });
        });
        let shown = text(&draw(&app));
        assert!(shown.contains("the pump is at 40 ml") && shown.contains("not done"), "{width}:\n{shown}");
    }
}

/// The cursor has just gone on from another claim.
pub(crate) fn went_on(app: &mut App) {
    let Some(here) = app.claim.as_ref().map(|claim| claim.key) else { return };
    let mut from = app.detail().map(|detail| (**detail).clone()).unwrap();
    (from.key, from.id) = (ClaimKey(7), ClaimId::new(AuditId::new("rx-1039"), 2));
    "Children under 12 may take half of the dose for adults.".clone_into(&mut from.claim_text);
    app.went_on = Some(juror::tui::app::WentOn { from: std::sync::Arc::new(from), to: here });
}

#[test]
fn what_is_written_right_after_a_decision_shows_both_claims() {
    for (width, height) in [(80, 24), (140, 42), (60, 15)] {
        let mut note = review(ThemeName::Mono, width, height);
        went_on(&mut note);
        note.mode = note_mode("The max is 1200 mg", None);
        let mut escalation = review(ThemeName::Mono, width, height);
        went_on(&mut escalation);
        asking(&mut escalation, Question::Escalate { again: false }, "@lee which", Ok("to lee".into()));
        for app in [&note, &escalation] {
            let screen = text(&draw(app));
            for words in
                ["not rx-1039#2 Children", "Ctrl-T goes there", "Adults may take 8 g of paracetamol per day."]
            {
                assert!(screen.contains(words), "{words} at {width}:\n{screen}");
            }
        }
    }
}
