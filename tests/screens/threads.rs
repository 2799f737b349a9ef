//! The list by answers.

use juror::config::ThemeName;
use juror::domain::decision::{DecisionKind, Disposition, HumanVerdict};
use juror::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey};
use juror::domain::queue::{Given, QueueRow, Thread};
use juror::tui::app::App;

use crate::fixture::*;
use crate::look::*;

/// Of three answers: one with three claims, one of which is decided, one with two, one with one and a long name.
fn by_answers(app: App, unfolded: &[&str]) -> App {
    with(app, |app| {
        let mut rows: Vec<QueueRow> = app.queue.rows[..6].to_vec();
        let named = |row: &mut QueueRow, answer: &str, n| row.id = ClaimId::new(AuditId::new(answer), n);
        for (at, (answer, n)) in
            [("rx-1041", 1), ("rx-1041", 2), ("rx-1041", 3), ("rx-1044", 1), ("rx-1044", 2)]
                .into_iter()
                .enumerate()
        {
            named(&mut rows[at], answer, n);
        }
        named(&mut rows[5], "discharge-letter-2026-0412-回答-ward-7", 1);
        rows[2].flagged = false;
        rows[2].decided = Some(decided(DecisionKind::Confirmed, HumanVerdict::Unsupported));
        (rows[2].rulings, rows[2].ruled_severity) = (vec![HumanVerdict::Unsupported], rows[2].severity);
        for row in &mut rows[4..6] {
            row.decided = None;
            row.rulings.clear();
        }
        let thread = |rows: &[QueueRow], disposition: Option<Disposition>| Thread {
            head: rows[0].clone(),
            worst: rows.iter().filter_map(|row| row.severity).max(),
            open: rows.iter().filter(|row| row.decided.is_none()).count() as u64,
            decided: rows.iter().filter(|row| row.decided.is_some()).count() as u64,
            disposition: disposition.map(|disposition| Given {
                annotator: Annotator::new("ben"),
                disposition,
                at: at(5),
                note: None,
                reason: None,
            }),
        };
        app.threads.wanted = true;
        app.threads.answers = Some(vec![
            thread(&rows[..3], None),
            thread(&rows[3..5], Some(Disposition::Return)),
            thread(&rows[5..], None),
        ]);
        app.queue.rows = rows;
        for answer in unfolded {
            app.threads.fold(&AuditId::new(*answer), false);
        }
    })
}

#[test]
fn answers_are_rows_and_tell_what_is_open() {
    four("threads-folded", |theme, w, h| by_answers(review(theme, w, h), &[]));
}

#[test]
fn the_claims_of_an_unfolded_answer_stand_beneath_it() {
    four("threads-unfolded", |theme, w, h| {
        with(by_answers(review(theme, w, h), &["rx-1041", "rx-1044"]), |app| {
            app.marks.rows = vec![app.queue.rows[1].clone(), app.queue.rows[3].clone()];
        })
    });
}

#[test]
fn a_folded_answer_says_how_many_of_its_claims_are_marked() {
    four("threads-marked", |theme, w, h| {
        with(by_answers(review(theme, w, h), &[]), |app| {
            app.marks.rows = vec![app.queue.rows[1].clone()];
            app.queue.top = 0;
            assert_eq!(app.claim.as_ref().map(|claim| claim.key), Some(ClaimKey(1)));
        })
    });
    check("threads-60x15", &by_answers(review(ThemeName::Mono, 60, 15), &["rx-1041"]));
}
