//! What the screen tells by itself: of others, of the hook, of answers that can still go out, of words that are not kept.

use juror::config::ThemeName;
use juror::domain::decision::{DecisionKind, Disposition, HumanVerdict, Ruling};
use juror::domain::event::{Act, Event};
use juror::domain::ids::{Annotator, AuditId, ClaimId};
use juror::domain::overruled::{How, Overruled};
use juror::domain::queue::{ClaimDetail, Waiting};
use juror::domain::verdict::Severity;
use juror::store::Batched;
use juror::tui::app::{App, Mode};
use juror::tui::marks::Together;
use juror::tui::message::Message;

use crate::acts::{answering, earlier, then};
use crate::desk::{many, marked};
use crate::fixture::*;
use crate::look::*;
use crate::shape::{opened, press};
use crate::states::refuted;

fn overruled(seq: i64, by: &str, subject: &str, how: How) -> Overruled {
    Overruled { seq, at: at(2), by: Annotator::new(by), subject: subject.to_owned(), how }
}

/// The words of a screen without its frames; where panes stand side by side those of the left ones, over which a box lies.
fn words(shown: &str) -> String {
    let wide = shown.lines().any(|line| line.chars().count() > 100);
    let left = |line: &str| line.chars().take(if wide { 50 } else { 100 }).collect::<String>();
    let shown = shown.lines().map(left).collect::<Vec<_>>().join("\n");
    shown.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

#[test]
fn whoever_is_overruled_reads_it_at_every_width() {
    let was = (HumanVerdict::Contradicted, Some(Severity::Critical));
    let is = (HumanVerdict::PartiallySupported, Some(Severity::Low));
    let released = How::Disposed { was: Disposition::Block, is: Disposition::Release };
    let all = [
        overruled(4, "ben", "rx-0977", released),
        overruled(5, "dr-marie-curie-of-the-night-shift", "rx-1002#3", How::Ruled { was, is, counts: false }),
        overruled(6, "cleo", "rx-1007#2", How::Replaced { was }),
        overruled(7, "ben", "rx-1009", released),
        overruled(8, "ben", "rx-1012", released),
    ];
    let told = |many: usize| {
        let some = all[..many].to_vec();
        move |theme, w, h| then(review(theme, w, h), Message::Overruled(Ok((some.clone(), 8))))
    };
    four("told-overruled", told(1));
    four("told-overruled-five", told(5));
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let shown = text(&draw(&told(1)(ThemeName::Mono, w, h)));
        let line = words(&shown);
        assert!(line.contains("ben released rx-0977, which you had blocked"), "{w}×{h}:\n{shown}");
    }
}

#[test]
fn what_waits_for_a_person_by_name_is_told_at_the_start() {
    let waits = |escalated, drafts: &[u32]| {
        let claim = |n: &u32| ClaimId::new(AuditId::new("rx-1002"), *n);
        let waiting = Waiting { drafts: drafts.iter().map(claim).collect(), escalated };
        move |theme, w, h| then(review(theme, w, h), Message::Waiting(Ok(waiting.clone())))
    };
    four("told-escalated", waits(3, &[]));
    four("told-escalated-and-drafts", waits(1, &[2, 4]));
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let shown = words(&text(&draw(&waits(1, &[2, 4])(ThemeName::Mono, w, h))));
        for part in ["1 claim was escalated to you", "2 drafts: rx-1002#2, rx-1002#4", "finds them"] {
            assert!(shown.contains(part), "{part} at {w}×{h}:\n{shown}");
        }
    }
}

#[test]
fn a_hook_that_fails_is_told_once_and_stays_in_the_top_line() {
    let why = "`/opt/pager/page-on-call --team safety` exits 127";
    let fails = |theme, w, h| then(review(theme, w, h), Message::HookFailed(why.to_owned()));
    four("hook-fails", fails);
    four("hook-fails-read", |theme, w, h| with(fails(theme, w, h), |app| app.toast = None));
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let shown = text(&draw(&with(fails(ThemeName::Mono, w, h), |app| app.toast = None)));
        assert!(shown.lines().next().is_some_and(|top| top.contains("✗ hook fails")), "{w}×{h}:\n{shown}");
    }
}

#[test]
fn how_many_claims_are_in_blocked_answers_stands_in_the_list_s_title() {
    four("list-blocked", |theme, w, h| with(review(theme, w, h), |app| app.counts.set_aside = 12));
    four("list-blocked-news", |theme, w, h| {
        with(review(theme, w, h), |app| {
            app.counts.set_aside = 1204;
            app.news.critical = 2;
        })
    });
}

/// An answer with claims, none of which anybody was asked about or looked at.
fn unlooked() -> ClaimDetail {
    let mut detail = refuted();
    for sibling in &mut detail.siblings {
        (sibling.routed, sibling.decided, sibling.ruled_severity) = (false, false, None);
        sibling.rulings.clear();
    }
    detail
}

#[test]
fn what_nobody_looked_at_is_asked_about_before_it_is_released() {
    four("disposition-unlooked", |theme, w, h| answering(theme, (w, h), unlooked(), "l"));
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let shown = text(&draw(&answering(ThemeName::Mono, (w, h), unlooked(), "l")));
        assert!(shown.contains("No person has looked"), "{w}×{h}:\n{shown}");
    }
}

/// The marked claims were ruled CONTRADICTED, two of them CRITICAL; their answers can still go out.
fn ruled_together(theme: ThemeName, w: u16, h: u16) -> App {
    let together = Together::Rule(HumanVerdict::Contradicted);
    let app = with(review(theme, w, h), |app| many(app, Some(together.clone())));
    let event = |n: usize, id: String| {
        let severity = Some(if n < 2 { Severity::Critical } else { Severity::High });
        let ruling = Ruling { severity, ..Ruling::only(HumanVerdict::Contradicted) };
        let new = serde_json::to_value(ruling).unwrap();
        Event { seq: 32 + n as i64, subject: id, ..earlier(Act::Override, new) }
    };
    let ids: Vec<String> = app.marks.rows.iter().map(|row| row.id.to_string()).collect();
    let events = ids.into_iter().enumerate().map(|(n, id)| event(n, id)).collect();
    then(app, Message::DecidedMany { together, result: Ok(Batched { events, ..Batched::default() }) })
}

#[test]
fn answers_that_can_still_go_out_are_told_with_the_keys_that_block_them() {
    four("many-ruled-against", ruled_together);
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let shown = words(&text(&draw(&ruled_together(ThemeName::Mono, w, h))));
        assert!(shown.contains("4 answers can still go out: A b blocks them"), "{w}×{h}:\n{shown}");
    }
    four("many-against-asked", |theme, w, h| {
        let mut app = ruled_together(theme, w, h);
        app.settings.min_visible = std::time::Duration::ZERO;
        press(app, "A")
    });
}

#[test]
fn many_answers_are_returned_with_one_line_for_why() {
    let note = || Some("the dose of a child, given to adults: write it anew from the monograph".to_owned());
    four("many-return-why", |theme, w, h| {
        let mut app = with(review(theme, w, h), |app| many(app, None));
        app.settings.min_visible = std::time::Duration::ZERO;
        then(press(app, "t"), Message::Paste(note().unwrap()))
    });
    let asked = |theme, w, h| {
        with(review(theme, w, h), |app| {
            marked(app);
            for row in &mut app.marks.rows[..3] {
                row.decided = Some(decided(DecisionKind::Overridden, HumanVerdict::Unsupported));
                row.rulings = vec![HumanVerdict::Unsupported];
            }
            let chosen = Together::Dispose { disposition: Disposition::Return, note: note() };
            app.mode =
                Mode::Many(juror::tui::marks::ManyDialog { chosen: Some(chosen), at: at(0), sent: false });
        })
    };
    four("many-return", asked);
    four("many-returned", |theme, w, h| {
        let together = Together::Dispose { disposition: Disposition::Return, note: note() };
        let event =
            |id: &str| Event { subject: id.to_owned(), ..earlier(Act::Dispose, serde_json::Value::Null) };
        let done =
            Batched { events: vec![event("rx-1041"), event("rx-1042")], unchanged: 1, ..Batched::default() };
        then(asked(theme, w, h), Message::DecidedMany { together, result: Ok(done) })
    });
}

/// The claim on which ana ruled CRITICAL and ben otherwise.
fn in_dispute() -> ClaimDetail {
    let mut detail = detail();
    let mut own = decided(DecisionKind::Overridden, HumanVerdict::Contradicted);
    own.ruling.severity = Some(Severity::Critical);
    let others = decided(DecisionKind::Overridden, HumanVerdict::PartiallySupported);
    detail.standing.decided = Some(own.clone());
    detail.decisions = vec![(Annotator::new("ana"), own), (Annotator::new("ben"), others)];
    detail
}

#[test]
fn giving_up_one_s_own_critical_is_asked_about_first() {
    four("ask-give-up", |theme, w, h| opened(theme, (w, h), in_dispute(), "2"));
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let shown = text(&draw(&opened(ThemeName::Mono, (w, h), in_dispute(), "2")));
        let line = words(&shown);
        assert!(line.contains("2 again gives that up"), "{w}×{h}:\n{shown}");
    }
}
