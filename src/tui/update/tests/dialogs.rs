use super::session::{Session, row};
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::verdict::{HallucinationType, Severity};
use crate::tui::app::{Mode, OverrideField, OverrideMenu};
use crate::tui::message::Message;

fn menu(session: &Session) -> &OverrideMenu {
    match &session.app.mode {
        Mode::Override(menu) => menu,
        other => panic!("no override menu is open but {other:?}"),
    }
}

#[test]
fn the_override_menu_begins_with_what_the_judge_says() {
    let mut session = Session::with(1);
    session.press("o");
    let menu = menu(&session);
    assert_eq!((menu.verdict, menu.severity), (HumanVerdict::Contradicted, Some(Severity::High)));
    assert_eq!(menu.field, OverrideField::Verdict);
}

#[test]
fn without_a_verdict_it_begins_with_cannot_judge() {
    let mut session = Session::before_start(vec![row(1)]);
    session.without_verdict = true;
    session.send(Message::Started { open: None });
    session.look();
    session.press("o");
    assert_eq!((menu(&session).verdict, menu(&session).severity), (HumanVerdict::CannotJudge, None));
}

#[test]
fn verdict_severity_and_type_are_chosen_by_keys() {
    use HallucinationType::{Distortion, Fabrication, OmissionAsFact};
    use HumanVerdict::{CannotJudge, FullySupported, NotAClaim, PartiallySupported, Unsupported};
    use Severity::{Critical, Low, Medium};
    let cases: [(&str, HumanVerdict, Option<Severity>, Option<HallucinationType>); 12] = [
        ("3", Unsupported, Some(Medium), Some(Fabrication)),
        ("1", FullySupported, None, None),
        ("5", CannotJudge, None, None),
        ("k", Unsupported, Some(Medium), Some(Fabrication)),
        ("k k k k k", FullySupported, None, None),
        ("j", CannotJudge, None, None),
        ("0", NotAClaim, None, None),
        ("j j j", NotAClaim, None, None),
        ("2 tab k", PartiallySupported, Some(Medium), Some(Distortion)),
        ("3 tab k k", Unsupported, Some(Critical), Some(Fabrication)),
        ("3 tab j tab j", Unsupported, Some(Low), Some(Distortion)),
        ("3 backtab j j tab tab", Unsupported, Some(Medium), Some(OmissionAsFact)),
    ];
    for (keys, verdict, severity, hallucination_type) in cases {
        let mut session = Session::with(2);
        session.press("o");
        session.press(keys);
        session.press("enter");
        assert_eq!(
            session.requests(),
            [(1, Request::Override(Ruling { severity, hallucination_type, ..Ruling::only(verdict) }))],
            "{keys}"
        );
    }
}

#[test]
fn severity_and_type_can_be_none() {
    let mut session = Session::with(1);
    session.press("o tab j j j j j tab j j j j j j");
    assert_eq!(
        (menu(&session).severity, menu(&session).hallucination_type),
        (None, Some(HallucinationType::CitationError))
    );
}

#[test]
fn escape_leaves_the_menu_without_a_change() {
    let mut session = Session::with(1);
    session.press("o 3 esc");
    assert!(matches!(session.app.mode, Mode::Normal));
    assert_eq!(session.requests(), []);
}

#[test]
fn the_menu_stays_open_until_the_store_has_the_ruling() {
    let mut session = Session::with(2);
    session.press("o 3 enter");
    let request = session.requests().remove(0).1;
    session.store_refuses(1, request.clone(), "the hold ran out");
    assert_eq!(menu(&session).verdict, HumanVerdict::Unsupported, "nothing chosen is lost");
    assert_eq!(session.toast(), "override of rx-0#2 not saved: the hold ran out");
    session.store_says_yes(1, request);
    assert!(matches!(session.app.mode, Mode::Normal));
    assert_eq!(session.here(), Some(2));
}

#[test]
fn review_keys_mean_nothing_in_the_menu() {
    let mut session = Session::with(3);
    session.press("o c s f u q a r d");
    assert_eq!(session.take(), []);
    assert_eq!(session.here(), Some(1));
    assert!(!session.app.quitting);
}

#[test]
fn help_opens_scrolls_and_closes() {
    for close in ["esc", "q", "?"] {
        let mut session = Session::with(3);
        session.send(Message::Resize(ratatui::layout::Size::new(80, 24)));
        session.press("?");
        assert!(matches!(session.app.mode, Mode::Help { top: 0 }));
        session.press("j j k");
        assert!(matches!(session.app.mode, Mode::Help { top: 1 }));
        session.press("pgup");
        assert!(matches!(session.app.mode, Mode::Help { top: 0 }));
        for _ in 0..100 {
            session.press("space");
        }
        let Mode::Help { top } = session.app.mode else { panic!("help is open") };
        assert!(top > 10 && top < crate::tui::screen::help::line_count(&session.app));
        session.press(close);
        assert!(matches!(session.app.mode, Mode::Normal), "{close}");
        assert!(!session.app.quitting, "{close}");
    }
}

#[test]
fn a_verdict_key_and_the_menu_ask_for_the_same_ruling() {
    for (key, steps) in [("1", "k k k k k"), ("2", "k k"), ("3", "k"), ("5", "j")] {
        let ask = |keys: &str| {
            let mut session = Session::with(1);
            session.press(keys);
            session.requests()
        };
        let direct = ask(key);
        assert_eq!(direct.len(), 1);
        assert_eq!(direct, ask(&format!("o {key} enter")), "{key}");
        assert_eq!(direct, ask(&format!("o {steps} enter")), "{steps}");
        assert_eq!(direct, ask(&format!("o {key} tab tab tab {key} enter")), "{key}");
    }
    let mut session = Session::with(1);
    session.press("3");
    let ruling = Request::Override(Ruling {
        severity: Some(Severity::Medium),
        hallucination_type: Some(HallucinationType::Fabrication),
        ..Ruling::only(HumanVerdict::Unsupported)
    });
    assert_eq!(session.requests(), [(1, ruling)], "nothing of the judge's contradiction stays");
}

#[test]
fn a_supported_claim_has_no_severity_to_choose() {
    let mut session = Session::with(1);
    session.press("o 1 tab j j tab j enter");
    let ruling = Request::Override(Ruling::only(HumanVerdict::FullySupported));
    assert_eq!(session.requests(), [(1, ruling)]);
}
