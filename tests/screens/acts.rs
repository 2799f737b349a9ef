//! What is asked, typed and saved while a person acts: on an answer, on a claim, and on many claims at once.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use juror::config::ThemeName;
use juror::domain::decision::{Decided, DecisionKind, Disposition, HumanVerdict, Request, Ruling, Standing};
use juror::domain::event::{Act, Event, Seen};
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::queue::{ClaimDetail, Given};
use juror::domain::shaping::SetAside;
use juror::domain::verdict::{Score, Severity};
use juror::domain::word::{Opposed, Then};
use juror::tui::app::{App, Mode};
use juror::tui::ask::Question;
use juror::tui::effect::Effect;
use juror::tui::marks::Together;
use juror::tui::message::Message;
use juror::tui::update::update;
use serde_json::Value;

use crate::desk::{asking, many, marked, went_on};
use crate::fixture::*;
use crate::look::*;
use crate::shape::{opened, press};
use crate::states::{disposition, note_mode, refuted};

/// The state after something happened.
pub(crate) fn then(mut app: App, message: Message) -> App {
    update(&mut app, message, at(5));
    app
}

fn paste(app: App, text: &str) -> App {
    then(app, Message::Paste(text.to_owned()))
}

/// The question about the answer of `detail`, after some keys.
pub(crate) fn answering(theme: ThemeName, (w, h): (u16, u16), detail: ClaimDetail, keys: &str) -> App {
    let mut app = opened(theme, (w, h), detail.clone(), "");
    app.mode = disposition(detail, false);
    press(app, keys)
}

const WORDS: &str = "The maximum is 4 g in 24 hours, not 8 g: write the sentence anew from the monograph, and say that \
those under 50 kg need less. Leave out what it says of pregnancy, which only the leaflet bears out.";

#[test]
fn the_line_beside_a_return_and_a_block() {
    four("remark-return", |theme, w, h| paste(answering(theme, (w, h), refuted(), "t"), WORDS));
    four("remark-block", |theme, w, h| answering(theme, (w, h), refuted(), "b"));
    let given = || {
        let mut detail = refuted();
        detail.disposition = Some(Given {
            annotator: Annotator::new("ben"),
            disposition: Disposition::Release,
            at: at(4),
            note: Some("Urgent, and the pharmacist has it on paper.".to_owned()),
            reason: None,
        });
        detail
    };
    four("remark-against-given", |theme, w, h| paste(answering(theme, (w, h), given(), "t"), "Not 8 g."));
    four("remark-sent", |theme, w, h| {
        press(paste(answering(theme, (w, h), refuted(), "b"), "Not 8 g."), "\n")
    });
    four("remark-not-saved", |theme, w, h| {
        let app = press(paste(answering(theme, (w, h), refuted(), "b"), "Not 8 g."), "\n");
        let why = "ben has released the answer meanwhile: look at it again";
        let (record, audit_id) = (detail().record_key, detail().record.audit_id.clone());
        let result = Err(why.to_owned());
        then(app, Message::Disposed { record, audit_id, disposition: Disposition::Block, result })
    });
}

#[test]
fn an_answer_is_blocked_while_claims_of_it_are_open() {
    let blocking = |theme, w, h| opened(theme, (w, h), detail(), "B");
    four("remark-block-open", blocking);
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let shown = text(&draw(&blocking(ThemeName::Mono, w, h)));
        assert!(shown.contains("still open") && !shown.contains("every routed"), "{w}×{h}:\n{shown}");
    }
}

#[test]
fn what_is_being_saved_says_so() {
    four("saving", |theme, w, h| opened(theme, (w, h), detail(), "c"));
    four("saving-override", |theme, w, h| opened(theme, (w, h), detail(), "o3\n"));
    four("saving-evidence", |theme, w, h| opened(theme, (w, h), detail(), "e3\n"));
    four("saving-split", |theme, w, h| opened(theme, (w, h), detail(), "|\n"));
    four("saving-note", |theme, w, h| {
        with(review(theme, w, h), |app| {
            app.mode = note_mode("The leaflet says 4 g as well.", None);
            if let Mode::Note(editor) = &mut app.mode {
                editor.sent = Some(editor.content());
            }
        })
    });
    four("saving-escalation", |theme, w, h| {
        with(review(theme, w, h), |app| {
            asking(app, Question::Escalate { again: false }, "@dr-lee is 8 g right?", Ok("to dr-lee".into()));
            if let Mode::Ask(line) = &mut app.mode {
                line.sent = true;
            }
        })
    });
}

/// An act of an earlier session.
pub(crate) fn earlier(act: Act, new: Value) -> Event {
    Event {
        seq: 31,
        at: at(-3000),
        annotator: "ana".into(),
        os_user: "ana".into(),
        host: "desk-3".into(),
        program: "juror".into(),
        act,
        subject: "rx-0977#3".into(),
        old: Value::Null,
        new,
        reason: None,
        undoes: None,
        seen: Seen { answer_sha256: String::new(), passages_sha256: String::new(), verdict_sha256: None },
        payload_sha256: None,
        batch: None,
    }
}

fn ruling(verdict: HumanVerdict, severity: Severity) -> Ruling {
    Ruling { severity: Some(severity), ..Ruling::only(verdict) }
}

/// The claim as ben ruled on it.
fn of_ben() -> ClaimDetail {
    let mut detail = detail();
    let by_ben = Decided {
        kind: DecisionKind::Overridden,
        ruling: ruling(HumanVerdict::PartiallySupported, Severity::Medium),
        reason: None,
        seq: 7,
        at: at(2),
    };
    detail.decisions = vec![(Annotator::new("ben"), by_ben)];
    detail.counts = Some(Annotator::new("ben"));
    detail
}

fn opposed(request: Request, others: &[(&str, HumanVerdict, Severity)], then: Then) -> Message {
    let others = others.iter().map(|(who, verdict, severity)| {
        let ruling = ruling(*verdict, *severity);
        (Annotator::new(*who), Decided { ruling, ..of_ben().decisions[0].1.clone() })
    });
    let opposed = Box::new(Opposed { others: others.collect(), then });
    Message::Opposed { claim: ClaimKey(1), request, opposed }
}

#[test]
fn what_an_undo_or_a_redo_would_do_is_said_first() {
    let confirm = || {
        earlier(
            Act::Confirm,
            serde_json::to_value(ruling(HumanVerdict::Contradicted, Severity::High)).unwrap(),
        )
    };
    four("ask-undo", |theme, w, h| {
        then(opened(theme, (w, h), detail(), "u"), Message::ToUndo(Ok(Some(Box::new(confirm()))), 0))
    });
    four("ask-undo-many", |theme, w, h| {
        then(opened(theme, (w, h), detail(), "u"), Message::ToUndo(Ok(Some(Box::new(confirm()))), 211))
    });
    four("ask-redo", |theme, w, h| {
        let event = Box::new(earlier(Act::Defer, Value::Null));
        then(opened(theme, (w, h), detail(), "U"), Message::ToRedo(Ok(Some(event))))
    });
    four("ask-undo-too-fast", |theme, w, h| {
        let app = opened(theme, (w, h), detail(), "u");
        let mut app = then(app, Message::ToUndo(Ok(Some(Box::new(confirm()))), 211));
        app.settings.min_visible = Duration::from_millis(250);
        press(app, "u")
    });
}

#[test]
fn a_ruling_against_somebody_is_said_first() {
    let against = [("ben", HumanVerdict::PartiallySupported, Severity::Medium)];
    let two = [
        ("ben", HumanVerdict::PartiallySupported, Severity::Medium),
        ("dr-marie-curie-of-the-night-shift", HumanVerdict::FullySupported, Severity::Low),
    ];
    four("ask-overturn", |theme, w, h| {
        then(opened(theme, (w, h), of_ben(), "c"), opposed(Request::Confirm, &against, Then::Disputes))
    });
    four("ask-overturn-two", |theme, w, h| {
        then(opened(theme, (w, h), of_ben(), "c"), opposed(Request::Confirm, &two, Then::Settles))
    });
    four("ask-overturn-in-menu", |theme, w, h| {
        let request = Request::Override(ruling(HumanVerdict::Unsupported, Severity::High));
        then(opened(theme, (w, h), of_ben(), "o3\n"), opposed(request, &against, Then::Disputes))
    });
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let request = Request::Override(ruling(HumanVerdict::Unsupported, Severity::High));
        let app = opened(ThemeName::Mono, (w, h), of_ben(), "o3\n");
        let shown = text(&draw(&then(app, opposed(request, &against, Then::Disputes))));
        for part in ["▌3 ? UNSUPPORTED", "Enter"] {
            assert!(shown.contains(part), "what is asked about stays in view, {part} at {w}×{h}:\n{shown}");
        }
    }
    four("ask-overturn-too-fast", |theme, w, h| {
        let app = opened(theme, (w, h), of_ben(), "c");
        let mut app = then(app, opposed(Request::Confirm, &two, Then::Disputes));
        app.settings.min_visible = Duration::from_millis(250);
        press(app, "c")
    });
}

#[test]
fn a_ruling_in_place_of_ones_own_is_said_first() {
    let own = || {
        let mut detail = of_ben();
        detail.decisions[0].0 = Annotator::new("ana");
        detail.counts = Some(Annotator::new("ana"));
        let decided = Some(detail.decisions[0].1.clone());
        detail.standing = Standing { decided, ..Standing::default() };
        detail
    };
    four("ask-over-own", |theme, w, h| opened(theme, (w, h), own(), "c"));
    let elsewhere = |theme, w, h, keys: &str| {
        let mut app = opened(theme, (w, h), own(), "");
        let decided = own().standing.decided;
        if let Some(claim) = &mut app.claim {
            claim.elsewhere = decided;
        }
        press(app, keys)
    };
    four("ask-over-elsewhere", |theme, w, h| elsewhere(theme, w, h, "3"));
    four("ask-over-elsewhere-in-menu", |theme, w, h| elsewhere(theme, w, h, "o3\n"));
    four("ask-over-spans", |theme, w, h| {
        let mut detail = detail();
        outcome(&mut detail, |judged| judged.citations.truncate(1));
        opened(theme, (w, h), detail, "e1\n")
    });
}

#[test]
fn an_escalation_is_typed() {
    let typed = "@dr-lee is 8 g ever right, say under a liver unit's eyes? The leaflet and the monograph both say 4 g";
    four("escalate", |theme, w, h| opened(theme, (w, h), detail(), "E"));
    four("escalate-typed", |theme, w, h| paste(opened(theme, (w, h), detail(), "E"), typed));
    for (w, h) in [(80, 24), (140, 42)] {
        let shown = text(&draw(&paste(opened(ThemeName::Mono, (w, h), detail(), "E"), typed)));
        assert!(shown.contains("@dr-lee is 8 g ever right"), "its beginning stays in view:\n{shown}");
    }
    four("escalate-again", |theme, w, h| {
        with(review(theme, w, h), |app| {
            let reading = Ok("no longer escalated".into());
            asking(app, Question::Escalate { again: true }, "", reading);
        })
    });
    four("escalate-went-on", |theme, w, h| {
        let mut app = review(theme, w, h);
        went_on(&mut app);
        asking(&mut app, Question::Escalate { again: false }, "@lee which", Ok("to lee".into()));
        app
    });
    four("note-went-on", |theme, w, h| {
        let mut app = review(theme, w, h);
        went_on(&mut app);
        app.mode = note_mode("The max is 1200 mg", None);
        app
    });
}

/// The review with marked claims, after some keys.
fn together(theme: ThemeName, (w, h): (u16, u16), keys: &str) -> App {
    let mut app = opened(theme, (w, h), detail(), "");
    marked(&mut app);
    press(app, keys)
}

#[test]
fn many_are_deferred_or_escalated_at_once() {
    four("defer-many", |theme, w, h| paste(together(theme, (w, h), "AD"), "3h"));
    four("defer-many-asked", |theme, w, h| press(paste(together(theme, (w, h), "AD"), "3h"), "\n"));
    let words =
        "@dr-lee all of these give the dose of a child to adults: may any of them go out before Monday?";
    four("escalate-many", |theme, w, h| paste(together(theme, (w, h), "AE"), words));
    four("escalate-many-asked", |theme, w, h| press(paste(together(theme, (w, h), "AE"), words), "\n"));
}

#[test]
fn what_is_asked_of_many_and_what_is_left_out() {
    let asked = |name: &str, chosen: &Together| {
        four(name, |theme, w, h| with(review(theme, w, h), |app| many(app, Some(chosen.clone()))));
    };
    asked("many-rule", &Together::Rule(HumanVerdict::Contradicted));
    asked("many-rule-cannot-judge", &Together::Rule(HumanVerdict::CannotJudge));
    asked("many-skip", &Together::Skip);
    asked("many-flag", &Together::Flag);
    let why = Some("the dose of a child, given to adults".to_owned());
    asked("many-block", &Together::Dispose { disposition: Disposition::Block, note: why });
    four("many-sent", |theme, w, h| together(theme, (w, h), "A3\n"));
    four("many-other-key", |theme, w, h| together(theme, (w, h), "A34"));
    for (w, h) in [(80, 24), (140, 42)] {
        let shown = text(&draw(&together(ThemeName::Mono, (w, h), "A34")));
        assert!(shown.contains("! nothing was changed: Enter does it"), "{w}×{h}:\n{shown}");
    }
    four("many-of-many", |theme, w, h| {
        with(review(theme, w, h), |app| {
            many(app, Some(Together::Rule(HumanVerdict::Unsupported)));
            let one = app.queue.rows[1].clone();
            app.marks.rows.extend((0..200).map(|n| {
                let mut row =
                    row(100 + n, juror::domain::verdict::Verdict::Unsupported, None, &one.claim_text);
                row.severity = one.severity;
                row.held_by = app.queue.rows[3].held_by.clone().filter(|_| n % 20 == 0);
                row
            }));
        })
    });
}

#[test]
fn a_reason_is_given_to_several() {
    four("reason-many", |theme, w, h| {
        let mut app = opened(theme, (w, h), detail(), "");
        app.marks.ruled = vec![ClaimKey(2), ClaimKey(3), ClaimKey(4)];
        press(app, "r")
    });
}

#[test]
fn a_claim_is_made_only_after_what_would_be_lost_was_said() {
    four("shape-merge-warned", |theme, w, h| {
        let mut app = opened(theme, (w, h), detail(), "&kk_");
        let enter = Message::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
        let effects = update(&mut app, enter, at(0));
        let Some(Effect::Shape { shape, .. }) = effects.into_iter().next() else { panic!("a merge") };
        let ben = SetAside {
            claim: detail().id,
            annotator: Annotator::new("ben"),
            own: false,
            seq: 7,
            ruling: Some(Ruling::only(HumanVerdict::Unsupported)),
        };
        then(app, Message::SetAside { shape, rulings: vec![ben] })
    });
    four("shape-add-warned", |theme, w, h| {
        press(paste(opened(theme, (w, h), detail(), "+t"), "Children under 12 may take half of it."), "\n")
    });
    four("shape-not-saved", |theme, w, h| {
        let mut app = opened(theme, (w, h), detail(), "|");
        let Mode::Shape(editor) = &app.mode else { return app };
        let (shape, why) =
            (editor.shape().unwrap(), "rx-1041#1 was split by ben: decide on rx-1041#5, rx-1041#6");
        app = press(app, "\n");
        then(app, Message::Shaped { shape, result: Err(why.to_owned()) })
    });
}

#[test]
fn a_score_that_is_being_asked_about_names_scores() {
    four("ask-overturn-score", |theme, w, h| {
        let mut pair = crate::kinds::pair();
        let score = |value: u8, severity| Ruling {
            score: Score::new(value),
            ..ruling(Score::new(value).unwrap().verdict().into(), severity)
        };
        let decided = Decided { ruling: score(4, Severity::Low), ..of_ben().decisions[0].1.clone() };
        pair.decisions = vec![(Annotator::new("ben"), decided)];
        pair.counts = Some(Annotator::new("ben"));
        let opposed = Opposed { others: pair.decisions.clone(), then: Then::Disputes };
        let request = Request::Override(score(1, Severity::High));
        let message = Message::Opposed { claim: ClaimKey(1), request, opposed: Box::new(opposed) };
        then(opened(theme, (w, h), pair, "1"), message)
    });
}
