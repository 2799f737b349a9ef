//! Every state of the screen in the usual sizes.

use std::sync::Arc;

use juror::config::ThemeName;
use juror::domain::decision::{DecisionKind, Flag, HumanVerdict, Ruling, Standing};
use juror::domain::finding::Outcome;
use juror::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey, RecordKey};
use juror::domain::queue::{ClaimDetail, EarlierDecision, Flagged, Given, Hold};
use juror::domain::routing::Why;
use juror::domain::verdict::{MatchLevel, NoVerdict, Role, Severity, Verdict};
use juror::tui::app::{
    AnswerDialog, App, Auditor, Detail, EmptyReason, LastDecision, Mode, NoteEditor, OverrideField,
    OverrideMenu, QueueState, Selected, Staying, Toast, ToastKind,
};
use ratatui::style::Color;

use crate::fixture::*;
use crate::look::*;

#[test]
fn review_in_every_size() {
    for (size, w, h) in
        [("60x15", 60, 15), ("80x24", 80, 24), ("100x30", 100, 30), ("140x42", 140, 42), ("200x50", 200, 50)]
    {
        let buffer = check(&format!("review-{size}"), &dark(w, h));
        assert_straight(&buffer);
        let light = draw(&review(ThemeName::Light, w, h));
        assert_eq!(text(&light), text(&buffer), "light and dark differ in colour only");
    }
}

#[test]
fn review_without_colour() {
    for (size, w, h) in [("60x15", 60, 15), ("80x24", 80, 24), ("140x42", 140, 42)] {
        let buffer = check(&format!("review-mono-{size}"), &review(ThemeName::Mono, w, h));
        for cell in &buffer.content {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
        }
    }
}

#[test]
fn looks_of_the_themes() {
    for theme in ThemeName::ALL {
        let name = format!("looks-{}-80x24", theme.label());
        snapshot(&name, &looks(&draw(&review(*theme, 80, 24))));
    }
}

#[test]
fn first_frame_and_loading() {
    four("first-frame", first_frame);
    four("claim-loading", |theme, w, h| {
        with(review(theme, w, h), |app| app.claim = Some(Selected::new(ClaimKey(2))))
    });
    four("claim-error", |theme, w, h| {
        with(review(theme, w, h), |app| {
            let mut selected = Selected::new(ClaimKey(2));
            selected.detail = Detail::Error("audits.db: database disk image is malformed".into());
            app.claim = Some(selected);
        })
    });
}

pub(crate) fn empty(theme: ThemeName, w: u16, h: u16, reason: EmptyReason, auditor: Auditor) -> App {
    with(first_frame(theme, w, h), |app| {
        app.queue.state = QueueState::Empty(reason);
        app.auditor = auditor;
    })
}

#[test]
fn empty_states_say_why_and_what_to_do() {
    four("empty-store", |theme, w, h| empty(theme, w, h, EmptyReason::StoreEmpty, Auditor::Running));
    four("empty-all-done", |theme, w, h| {
        with(empty(theme, w, h, EmptyReason::AllDone { mine: 12 }, Auditor::Running), |app| {
            app.counts.routed = 37;
        })
    });
    let under_way = EmptyReason::NotYetAudited { waiting: 118, auditing: 3 };
    four("empty-auditing", |theme, w, h| empty(theme, w, h, under_way, Auditor::Running));
    four("empty-paused", |theme, w, h| empty(theme, w, h, under_way, Auditor::Paused));
    four("empty-no-auditor", |theme, w, h| empty(theme, w, h, under_way, Auditor::Absent));
    four("empty-auditor-failed", |theme, w, h| {
        empty(
            theme,
            w,
            h,
            under_way,
            Auditor::Failed("the judge `local` failed: its lexicon could not be read".into()),
        )
    });
    four("empty-auditor-halted", |theme, w, h| {
        empty(
            theme,
            w,
            h,
            under_way,
            Auditor::Halted("the judge `cloud` failed: its key is refused (401)".into()),
        )
    });
    four("empty-nothing-routed", |theme, w, h| {
        empty(theme, w, h, EmptyReason::NothingRouted { audited: 52 }, Auditor::Running)
    });
    four("queue-error", |theme, w, h| {
        with(first_frame(theme, w, h), |app| {
            app.queue.state = QueueState::Error(
                "/home/ana/juror.db was written by a newer juror (schema 9, this program knows 1): update juror".into(),
            );
        })
    });
}

#[test]
fn news_pause_and_too_fast() {
    four("news", |theme, w, h| {
        with(review(theme, w, h), |app| {
            app.news.critical = 2;
            app.auditor = Auditor::Paused;
            app.toast = Some(Toast {
                text: "too fast: rx-1041#1 was not on the screen long enough, the key was dropped".into(),
                kind: ToastKind::Warning,
                until: Some(at(9)),
            });
        })
    });
    four("error-toast", |theme, w, h| {
        with(review(theme, w, h), |app| {
            app.toast = Some(Toast {
                text:
                    "rx-1041#1 was not decided: rx-1041#1 is in hand of ben until 2026-05-28T20:35:40.000Z. \
                       Nothing was written; the claim is still open and what you typed is kept."
                        .into(),
                kind: ToastKind::Error,
                until: None,
            });
        })
    });
    for (w, h) in [(80, 24), (100, 30), (140, 42)] {
        let screen = text(&draw(&with(dark(w, h), |app| (app.news.critical, app.news.high) = (2, 3))));
        assert!(screen.contains("▲ 2 new") && screen.contains("g c ─"), "{screen}");
    }
    four("demo", |theme, w, h| with(review(theme, w, h), |app| app.settings.demo = true));
    four("staying", |theme, w, h| {
        with(review(theme, w, h), |app| {
            app.staying = Some(Staying { record: RecordKey(1), back: None });
            app.last_decision = Some(last());
            app.left = Some(Arc::new(detail()));
        })
    });
    four("history", |theme, w, h| {
        with(review(theme, w, h), |app| {
            for key in [5, 6, 1, 8] {
                app.trail.left(ClaimKey(key));
            }
            app.trail.back(None);
            app.trail.back(None);
        })
    });
    four("disposition-due", |theme, w, h| {
        with(review(theme, w, h), |app| {
            app.answers_waiting = 2;
            app.last_decision = Some(last());
            app.saved = None;
        })
    });
}

fn last() -> LastDecision {
    LastDecision {
        claim: ClaimKey(7),
        id: ClaimId::new(AuditId::new("rx-1039"), 2),
        claim_text: "Children under 12 may take half of the dose for adults.".into(),
        kind: DecisionKind::Overridden,
        ruling: juror::domain::decision::Ruling::only(HumanVerdict::PartiallySupported),
        reason: None,
    }
}

fn override_menu(field: OverrideField) -> Mode {
    Mode::Override(OverrideMenu {
        claim: ClaimKey(1),
        id: ClaimId::new(AuditId::new("rx-1041"), 1),
        field,
        verdict: HumanVerdict::Unsupported,
        is_chosen: true,
        severity: Some(Severity::High),
        hallucination_type: None,
        score: None,
        evidence: None,
        proposals: HumanVerdict::ALL.iter().copied().map(Ruling::only).collect(),
    })
}

pub(crate) fn note_mode(words: &str, error: Option<&str>) -> Mode {
    let mut text = tui_textarea::TextArea::from(words.lines());
    text.move_cursor(tui_textarea::CursorMove::End);
    Mode::Note(Box::new(NoteEditor {
        claim: ClaimKey(1),
        claim_text: super::fixture::CLAIM.to_owned(),
        id: ClaimId::new(AuditId::new("rx-1041"), 1),
        text,
        stored: String::new(),
        due: None,
        sent: None,
        error: error.map(str::to_owned),
        seen: None,
    }))
}

/// One of each dialog.
pub(crate) fn modes() -> Vec<(&'static str, Mode)> {
    vec![
        ("override", override_menu(OverrideField::Severity)),
        ("note", note_mode("The leaflet says 4 g as well.\nAsk the pharmacist.", None)),
        ("reason", Mode::Reason(last())),
        ("disposition", disposition(supported(), false)),
        ("disposition-against", disposition(refuted(), false)),
        ("disposition-anyway", disposition(refuted(), true)),
        ("help", Mode::Help { top: 0 }),
    ]
}

#[test]
fn dialogs_leave_the_claim_in_view() {
    for (name, mode) in modes() {
        four(name, |theme, w, h| with(review(theme, w, h), |app| app.mode = mode.clone()));
        let buffer = check(&format!("{name}-60x15"), &with(dark(60, 15), |app| app.mode = mode.clone()));
        assert_straight(&buffer);
    }
    four("note-error", |theme, w, h| {
        with(review(theme, w, h), |app| {
            app.mode = note_mode("typed and kept", Some("not saved: the disk is full"));
        })
    });
    four("help-end", |theme, w, h| with(review(theme, w, h), |app| app.mode = Mode::Help { top: 9999 }));
    four("override-verdict", |theme, w, h| {
        with(review(theme, w, h), |app| app.mode = override_menu(OverrideField::Verdict))
    });
}

#[test]
fn claims_of_every_kind() {
    four("claim-decided", |theme, w, h| {
        let mut detail = detail();
        let mine = decided(DecisionKind::Overridden, HumanVerdict::PartiallySupported);
        detail.standing = Standing {
            decided: Some(mine.clone()),
            flag: Some(Flag { seq: 4, to: None }),
            notes: vec![3],
            ..Standing::default()
        };
        detail.flags = vec![Flagged {
            annotator: Annotator::new("ana"),
            at: at(0),
            to: None,
            escalated: false,
            note: None,
        }];
        detail.decisions = vec![
            (Annotator::new("ana"), mine),
            (Annotator::new("ben"), decided(DecisionKind::Confirmed, HumanVerdict::Contradicted)),
        ];
        (detail.counts, detail.is_settled) = (Some(Annotator::new("ana")), false);
        detail.notes =
            vec![note("ben", "Same sentence in the leaflet."), note("ana", "Checked against BNF 84.")];
        detail.earlier = vec![EarlierDecision {
            id: ClaimId::new(AuditId::new("rx-1041"), 9),
            annotator: Annotator::new("cleo"),
            decided: decided(DecisionKind::Confirmed, HumanVerdict::CannotJudge),
        }];
        detail.disposition = Some(Given {
            annotator: Annotator::new("ben"),
            disposition: juror::domain::decision::Disposition::Block,
            at: at(4),
            note: Some("Never give more than 4 g: the whole dose has to be written anew.".to_owned()),
            reason: None,
        });
        hand(review(theme, w, h), detail)
    });
    four("claim-held", |theme, w, h| {
        let mut detail = detail();
        detail.held_by = Some(Hold { holder: Annotator::new("ben"), until: at(9) });
        detail.draft = Some("half a thou".into());
        hand(review(theme, w, h), detail)
    });
    four("claim-fuzzy", |theme, w, h| {
        let mut detail = detail();
        outcome(&mut detail, |judged| {
            judged.citations[0].level = MatchLevel::Fuzzy;
            judged.citations[0].quote = "The maximum adult dose is 4 g in 24 h".into();
        });
        hand(review(theme, w, h), detail)
    });
    four("claim-quote-not-found", |theme, w, h| {
        let mut detail = detail();
        outcome(&mut detail, |judged| {
            judged.citations.truncate(1);
            judged.citations[0].level = MatchLevel::NotFound;
            judged.citations[0].span = None;
            judged.citations[0].quote = "Adults may take up to 8 g under supervision".into();
        });
        if let Outcome::Judged(judged) = detail.outcome.clone() {
            detail.outcome = Outcome::Ungrounded(judged);
        }
        detail.why = vec![Why::Ungrounded];
        hand(review(theme, w, h), detail)
    });
    four("claim-not-checked", |theme, w, h| {
        let mut detail = detail();
        detail.outcome = Outcome::NotJudged {
            state: NoVerdict::NotChecked,
            reason: "the local judge cannot segment Thai script; a person has to read it".into(),
        };
        detail.why = vec![Why::NoVerdict { state: NoVerdict::NotChecked }];
        hand(review(theme, w, h), detail)
    });
    four("claim-unsupported", |theme, w, h| {
        let mut detail = detail();
        detail.claim_text = "Paracetamol may be taken by adults up to 8 g daily.".into();
        outcome(&mut detail, |judged| {
            judged.verdict = Verdict::Unsupported;
            judged.citations.clear();
        });
        hand(review(theme, w, h), detail)
    });
    four("claim-closest", |theme, w, h| hand(review(theme, w, h), closest()));
    four("claim-without-evidence", |theme, w, h| {
        let mut detail = detail();
        let mut record = (*detail.record).clone();
        record.passages.clear();
        detail.record = Arc::new(record);
        detail.outcome = Outcome::NotJudged {
            state: NoVerdict::InsufficientEvidence,
            reason: "the record has no passage".into(),
        };
        hand(review(theme, w, h), detail)
    });
}

/// An unsupported claim with the place that comes closest, far down in its passage.
fn closest() -> ClaimDetail {
    let mut detail = detail();
    let place = "Patients in whom overdose is suspected should be transferred to hospital";
    let citation = cite(&detail.record, "p2", place, Role::Closest, MatchLevel::Exact);
    outcome(&mut detail, |judged| {
        judged.verdict = Verdict::Unsupported;
        judged.rationale = "no passage says this; what comes closest speaks of an overdose".into();
        judged.citations = vec![citation];
    });
    detail
}

#[test]
fn what_only_comes_closest_is_shown_and_never_looks_like_support() {
    for theme in ThemeName::ALL {
        for (w, h) in [(60, 15), (80, 24), (140, 42)] {
            let app = hand(review(*theme, w, h), closest());
            let buffer = draw(&app);
            let screen = text(&buffer);
            assert!(screen.contains("~ closest, not support · p2"), "{screen}");
            assert!(screen.contains("┊Patients in whom"), "in view:\n{screen}");
            assert!(!screen.contains("exact"), "{screen}");
            let style = app.settings.theme.style(juror::tui::theme::Role::CurrentClosest);
            let at = buffer.content.iter().position(|cell| cell.symbol() == "┊").unwrap();
            assert_eq!(buffer.content[at + 1].modifier, style.add_modifier, "{theme:?}");
            assert!(style.add_modifier.contains(ratatui::style::Modifier::UNDERLINED));
        }
    }
}

#[test]
fn r14_every_save_is_named_and_timed() {
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let screen = text(&draw(&dark(w, h)));
        assert!(screen.contains("✓ saved rx-1039#2 CONFIRMED UNSUPPORTED · 20:29 UTC"), "{screen}");
    }
}

#[test]
fn one_glance_shows_verdict_severity_claim_span_reason_and_next_key() {
    for theme in ThemeName::ALL {
        for (w, h) in [(60, 15), (80, 24), (100, 30), (140, 42)] {
            let app = review(*theme, w, h);
            let screen = text(&draw(&app));
            for part in
                ["✗ CONTRADICTED", "▲ CRITICAL", "0.94", "≠ contradicts", "c confirm", "o override", " ? "]
            {
                assert!(screen.contains(part), "{part} is missing at {w}×{h}:\n{screen}");
            }
            let claim = words_like(&draw(&app), &app, juror::tui::theme::Role::Claim);
            assert!(claim.contains("8 g"), "{claim}");
            let span = words_like(&draw(&app), &app, juror::tui::theme::Role::CurrentContradicts);
            assert!(span.contains("4 g in any 24"), "{span}");
        }
    }
}

#[test]
fn three_claims_and_two_passages_of_600_characters_need_no_scrolling() {
    let app = dark(140, 42);
    let screen: String = text(&draw(&app)).split_whitespace().collect();
    let Some(detail) = app.detail() else { panic!("no detail") };
    for passage in &detail.record.passages {
        assert!(passage.content.len() >= 600);
    }
    // Both ends of every text are in view, and nothing between is cut.
    for part in [
        "Paracetamolrelieves",
        "asdirected.",
        "immediately.",
        "youhaveafever.",
        "Donottakemorethan4g",
        "Paracetamolisindicated",
    ] {
        assert!(screen.contains(part), "{part}");
    }
    assert!(!screen.contains('↓'));
}

#[test]
fn too_small_a_window_says_so_down_to_one_cell() {
    snapshot("too-small-40x10", &text(&draw(&dark(40, 10))));
    for w in 1..60 {
        for h in 1..15 {
            draw(&dark(w, h));
        }
    }
    assert!(text(&draw(&dark(59, 40))).contains("60×15 needed"));
    assert!(text(&draw(&dark(200, 14))).contains("60×15 needed"));
    assert!(dark(59, 40).geometry.too_small);
}

/// The question about the answer of `detail`.
pub(crate) fn disposition(detail: juror::domain::queue::ClaimDetail, confirming: bool) -> Mode {
    Mode::Disposition(Box::new(AnswerDialog {
        detail: Arc::new(detail),
        confirming,
        unsure: false,
        remark: None,
    }))
}

#[test]
fn what_people_said_against_an_answer_is_read_to_its_end_at_every_width() {
    let mut answer = refuted();
    let [first, second, third, ..] = answer.siblings.as_mut_slice() else { panic!("three claims") };
    first.rulings = vec![HumanVerdict::Unsupported];
    second.rulings = vec![HumanVerdict::FullySupported, HumanVerdict::CannotJudge];
    third.rulings = vec![HumanVerdict::PartiallySupported];
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        for confirming in [false, true] {
            let mode = disposition(answer.clone(), confirming);
            let screen = text(&draw(&with(dark(w, h), |app| app.mode = mode.clone())));
            let asked =
                screen.lines().rev().find(|line| line.contains("partly supported")).unwrap_or_default();
            assert!(
                asked.contains("against") && asked.contains("judge") && !asked.contains("supp…"),
                "{screen}"
            );
        }
    }
}

/// An answer whose claims people found supported.
fn supported() -> juror::domain::queue::ClaimDetail {
    let mut detail = refuted();
    for sibling in detail.siblings.iter_mut().filter(|sibling| sibling.routed) {
        (sibling.rulings, sibling.ruled_severity) = (vec![HumanVerdict::FullySupported], None);
    }
    detail
}

pub(crate) fn refuted() -> juror::domain::queue::ClaimDetail {
    let mut detail = detail();
    for sibling in detail.siblings.iter_mut().filter(|sibling| sibling.routed) {
        sibling.decided = true;
        sibling.rulings = vec![sibling.verdict.unwrap().into()];
        sibling.ruled_severity = sibling.severity;
    }
    detail
}
