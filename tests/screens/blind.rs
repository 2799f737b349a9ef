//! Blind review: what stands on the screen before a person has committed a verdict, and when the judge is shown.

use juror::config::ThemeName;
use juror::domain::blind::{Blind, Sight};
use juror::domain::decision::{DecisionKind, HumanVerdict, Ruling};
use juror::domain::finding::{AuditState, Outcome};
use juror::domain::ids::Annotator;
use juror::domain::queue::{ClaimDetail, QueueCounts};
use juror::domain::severity::Stakes;
use juror::domain::verdict::NoVerdict;
use juror::tui::app::{App, EmptyReason, QueueState};
use juror::tui::message::Message;
use juror::tui::strokes::{Committed, Early};

use crate::acts::then;
use crate::fixture::*;
use crate::look::*;
use crate::shape::press;

/// The review with all that a blind one leaves out left out, as the store reads it.
fn blind(theme: ThemeName, width: u16, height: u16, sight: Sight) -> App {
    let mut app = review(theme, width, height);
    app.settings.blind = Some(2);
    app.answers_waiting = 0;
    app.counts = QueueCounts { routed: 40, open: 37, audited: 9, ..QueueCounts::default() };
    for row in &mut app.queue.rows {
        row.sight = Sight::Hidden;
        row.state = AuditState::NoVerdict(NoVerdict::NotChecked);
        (row.verdict, row.severity, row.confidence, row.decided) = (None, None, None, None);
        (row.flagged, row.escalated) = (false, false);
        row.rulings.clear();
    }
    let first = &mut app.queue.rows[0];
    first.sight = sight;
    let mut detail = ClaimDetail { sight, ..detail() };
    detail.decisions.clear();
    detail.notes.clear();
    detail.earlier.clear();
    detail.flags.clear();
    for sibling in &mut detail.siblings {
        sibling.hidden = true;
        sibling.state = AuditState::NoVerdict(NoVerdict::NotChecked);
        (sibling.verdict, sibling.severity, sibling.ruled_severity) = (None, None, None);
        (sibling.routed, sibling.decided) = (true, false);
        sibling.rulings.clear();
    }
    if sight == Sight::Hidden {
        detail.outcome = Outcome::NotJudged { state: NoVerdict::NotChecked, reason: String::new() };
        detail.why.clear();
    } else {
        let ruling = Ruling::only(HumanVerdict::PartiallySupported);
        detail.standing.blind = Some(Blind { ruling, seq: 7, at: at(0), independent: true, fills: true });
        first.state = AuditState::Judged;
        first.verdict = detail.outcome.judged().map(|judged| judged.verdict);
    }
    hand(app, detail)
}

#[test]
fn nothing_of_the_judge_stands_on_the_screen_before_a_verdict_is_committed() {
    for theme in [ThemeName::Dark, ThemeName::Mono] {
        for (w, h) in [(60, 15), (80, 24), (140, 42)] {
            let app = blind(theme, w, h, Sight::Hidden);
            let buffer = if h == 15 {
                draw(&app)
            } else {
                check(&format!("blind-hidden-{}-{w}x{h}", theme.label()), &app)
            };
            assert_straight(&buffer);
            let shown = text(&buffer);
            for word in [
                "CONTRADICTED",
                "CRIT",
                "HIGH",
                "NOT CHECKED",
                "0.94",
                "evidence says",
                "▲",
                "✗",
                "confirm",
                "In hand",
            ] {
                assert!(!shown.contains(word), "{word} at {w}x{h}:\n{shown}");
            }
            assert!(shown.contains("BLIND") && shown.contains("commits your verdict"), "{shown}");
        }
    }
}

#[test]
fn the_judge_is_shown_beside_what_the_person_said() {
    for theme in [ThemeName::Dark, ThemeName::Mono] {
        for (w, h) in [(80, 24), (140, 42)] {
            let app = blind(theme, w, h, Sight::Revealed);
            let buffer = check(&format!("blind-revealed-{}-{w}x{h}", theme.label()), &app);
            assert_straight(&buffer);
            let shown = text(&buffer);
            for word in ["you said", "PARTLY", "CONTRADICTED", "keeps it", "keep?", "evidence says 4 g"] {
                assert!(shown.contains(word), "{word} at {w}x{h}:\n{shown}");
            }
        }
    }
}

#[test]
fn the_keys_of_a_blind_verdict_are_explained_where_there_is_room() {
    let shown = text(&draw(&blind(ThemeName::Dark, 120, 36, Sight::Hidden)));
    for words in ["1 fully", "2 partly", "3 unsupported", "4 contradicted", "5 cannot judge", "0 not a claim"]
    {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
}

#[test]
fn who_has_seen_the_judge_reads_that_their_verdict_is_not_independent() {
    let changed = |sight, change: fn(&mut ClaimDetail)| {
        let app = blind(ThemeName::Dark, 140, 42, sight);
        let mut detail = ClaimDetail::clone(app.detail().unwrap());
        change(&mut detail);
        text(&draw(&hand(app, detail)))
    };
    let shown = changed(Sight::Hidden, |detail| detail.standing.saw_the_judge = true);
    assert!(shown.contains("you have seen the judge: not independent, a third person is asked"), "{shown}");
    let shown = changed(Sight::Revealed, |detail| {
        detail.standing.blind.iter_mut().for_each(|blind| (blind.independent, blind.fills) = (false, false));
    });
    assert!(shown.contains("not independent: a third person is asked"), "{shown}");
}

#[test]
fn a_blind_review_that_is_done_says_what_comes_next() {
    for (w, h) in [(80, 24), (140, 42)] {
        let done = with(blind(ThemeName::Dark, w, h, Sight::Hidden), |app| {
            app.claim = None;
            app.queue.rows.clear();
            app.queue.state = QueueState::Empty(EmptyReason::AllDone { mine: 45 });
        });
        let shown = text(&draw(&done));
        for words in ["All done", "juror agreement --open", "juror review --open"] {
            assert!(shown.contains(words), "{words}:\n{shown}");
        }
    }
}

#[test]
fn people_who_disagree_are_seen_in_the_open_queue() {
    let disputed = |theme, w, h| {
        let mut app = review(theme, w, h);
        let verdicts = [HumanVerdict::Contradicted, HumanVerdict::PartiallySupported];
        (app.queue.rows[0].disputed, app.queue.rows[0].rulings) = (true, verdicts.to_vec());
        let ruled = |who, verdict| (Annotator::new(who), decided(DecisionKind::Overridden, verdict));
        let decisions = vec![ruled("ben", verdicts[0]), ruled("cleo", verdicts[1])];
        hand(app, ClaimDetail { decisions, ..detail() })
    };
    four("blind-disputed", disputed);
    let shown = text(&draw(&disputed(ThemeName::Dark, 140, 42)));
    assert!(shown.contains("people disagree: your ruling settles it") && shown.contains('≠'), "{shown}");
}

#[test]
fn a_blind_queue_with_nothing_left_says_why() {
    four("blind-judged-by-others", |theme, w, h| {
        with(blind(theme, w, h, Sight::Hidden), |app| {
            app.claim = None;
            app.queue.rows.clear();
            app.queue.state = QueueState::Empty(EmptyReason::JudgedByOthers);
        })
    });
}

#[test]
fn a_blind_screen_does_not_say_how_the_judge_was_measured() {
    let app = with(blind(ThemeName::Dark, 120, 36, Sight::Hidden), |app| {
        app.counts.calibration = Some(juror::domain::calibration::CalibrationState::Below);
    });
    let shown = text(&draw(&app));
    assert!(!shown.contains("judge BELOW"), "{shown}");
}

#[test]
fn verdicts_that_are_not_kept_are_counted_in_the_top_line() {
    for (sight, words) in [(Sight::Hidden, "2 not kept"), (Sight::Revealed, "1 not kept")] {
        let app = with(blind(ThemeName::Dark, 120, 36, sight), |app| app.counts.unkept = 2);
        let shown = text(&draw(&app));
        assert!(shown.lines().next().unwrap().contains(words), "{words}: {shown}");
    }
}

#[test]
fn a_verdict_that_is_not_kept_is_told_on_leaving_its_claim() {
    let left = |theme, w, h| {
        let app = with(blind(theme, w, h, Sight::Revealed), |app| app.counts.unkept = 1);
        press(app, "j")
    };
    four("blind-not-kept", left);
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let shown = text(&draw(&left(ThemeName::Mono, w, h)));
        let line: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains("rx-1041#1 is not kept yet: g g goes to it, v keeps it"), "{w}x{h}:\n{shown}");
    }
}

#[test]
fn what_the_judge_adds_is_told_where_the_key_that_keeps_came_before_it() {
    let early = |theme, w, h| {
        let app = with(blind(theme, w, h, Sight::Revealed), |app| {
            let mut detail = ClaimDetail::clone(app.detail().unwrap());
            detail.standing.blind.iter_mut().for_each(|blind| {
                blind.ruling = Ruling::only(HumanVerdict::Contradicted);
            });
            let (claim, at) = (detail.key, at(5));
            app.claim = Some(select(detail));
            app.strokes.early = Some(Early { claim, at });
            app.strokes.committed = Some(Committed { claim, at, stakes: Some(Stakes::default()) });
        });
        then(app, Message::Tick)
    };
    four("blind-judge-adds", early);
    for (w, h) in [(80, 24), (140, 42)] {
        let shown = text(&draw(&early(ThemeName::Mono, w, h)));
        assert!(shown.contains("press again (the judge adds CRITICAL)"), "{w}x{h}:\n{shown}");
    }
}
