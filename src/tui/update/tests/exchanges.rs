use std::sync::Arc;

use super::session::Session;
use crate::domain::exchange::{Ending, Exchange, Purpose, Tokens};
use crate::domain::ids::{AuditId, ClaimKey, ExchangeKey};
use crate::tui::app::Mode;
use crate::tui::effect::Effect;
use crate::tui::exchanges::{Entry, ExchangeLog, Logged, Reading, Reply, View};
use crate::tui::message::Message;
use crate::tui::widget::passage::Scroll;

fn log(session: &Session) -> &ExchangeLog {
    match &session.app.mode {
        Mode::Exchanges(log) => log,
        other => panic!("the log is not open but {other:?}"),
    }
}

fn exchange(ending: Ending, raw_reply: &str) -> Exchange {
    Exchange {
        at: super::session::START,
        audit_id: Some(AuditId::new("rx-1")),
        mends: None,
        instrument: "faithfulness".into(),
        purpose: Purpose::Ask,
        part: 1,
        attempt: 1,
        judge: "cloud".into(),
        endpoint: "https://api.example.com/v1".into(),
        prompt_version: "faithfulness-1".into(),
        prompt_sha256: "3f".repeat(32),
        question_sha256: "8c".repeat(32),
        request_sha256: "77".repeat(32),
        model_asked: "m-1".into(),
        model_answered: None,
        parameters: serde_json::json!({}),
        status: Some(200),
        request_id: None,
        raw_reply: raw_reply.to_owned(),
        latency: std::time::Duration::from_secs(1),
        tokens: Tokens::default(),
        cost_micros: None,
        ending,
        detail: String::new(),
    }
}

fn entries(endings: &[Ending]) -> Vec<Entry> {
    let logged = |(n, ending): (usize, &Ending)| {
        Entry::Kept(Box::new(Logged {
            key: ExchangeKey(n as i64 + 1),
            exchange: exchange(*ending, ""),
            reply_bytes: 9,
            runs: Vec::new(),
            mentions: n == 1,
        }))
    };
    endings.iter().enumerate().map(logged).collect()
}

/// Presses `x`; the store tells of exchanges that ended so.
fn opened(mut session: Session, endings: &[Ending]) -> Session {
    session.press("x");
    let Some(Effect::LoadExchanges { run, .. }) = session.take().pop() else { panic!("nothing was asked") };
    session.send(Message::Exchanges { run, result: Ok(entries(endings)) });
    session
}

/// The store's answer to the last question for a reply; which exchange that was.
fn answer(session: &mut Session, raw: &str) -> Option<ExchangeKey> {
    let Some(Effect::LoadReply { run, exchange: key, sought }) = session.take().pop() else { return None };
    let reply = Reply::of(exchange(Ending::Valid, raw), &sought);
    session.send(Message::Reply { run, result: Ok(Arc::new(reply)) });
    Some(key)
}

use Ending::{Faulty, Limited, Misshapen, Valid};

#[test]
fn one_key_opens_the_log_and_three_close_it_at_the_same_claim() {
    for close in ["x", "esc", "q"] {
        let mut session = Session::with(3);
        session.press("j");
        let mut session = opened(session, &[Valid]);
        assert_eq!(log(&session).claim, ClaimKey(2));
        session.press(close);
        assert!(matches!(session.app.mode, Mode::Normal) && !session.app.quitting, "{close}");
        assert_eq!(session.here(), Some(2));
    }
}

#[test]
fn without_a_claim_there_is_no_log() {
    let mut session = Session::with(0);
    session.press("x");
    assert!(matches!(session.app.mode, Mode::Normal));
    assert_eq!(session.toast(), "there is no claim here");
}

#[test]
fn the_exchange_that_judged_the_claim_is_chosen_first() {
    let mut session = opened(Session::with(1), &[Limited, Valid, Valid]);
    assert_eq!(log(&session).chosen, 1, "its reply holds the claim's words");
    assert_eq!(answer(&mut session, "{}"), Some(ExchangeKey(2)));
    let session = opened(Session::with(1), &[Valid, Limited, Valid, Faulty]);
    assert_eq!(log(&session).chosen, 2, "the last one that is an answer");
    let session = opened(Session::with(1), &[]);
    assert_eq!(log(&session).entry(), None);
}

#[test]
fn where_the_audit_failed_what_went_wrong_last_is_chosen_first() {
    let mut session = Session::with(1);
    session.failed = true;
    session.press("j");
    session.send(Message::Looked(Ok(true)));
    let session = opened(session, &[Valid, Misshapen, Faulty, Valid]);
    assert_eq!(log(&session).chosen, 2);
}

#[test]
fn other_exchanges_are_chosen_and_never_past_the_ends() {
    let mut session = opened(Session::with(1), &[Limited, Valid, Faulty]);
    answer(&mut session, "{}");
    session.press("N");
    assert_eq!(log(&session).reply, Reading::Loading, "no reply is shown under another exchange");
    assert_eq!(answer(&mut session, "{}"), Some(ExchangeKey(1)));
    session.press("left");
    assert_eq!(answer(&mut session, "{}"), None, "there is none before it");
    session.press("n n right n");
    assert_eq!((log(&session).chosen, answer(&mut session, "{}")), (2, Some(ExchangeKey(3))));
}

#[test]
fn an_answer_that_comes_too_late_is_not_shown() {
    let mut session = Session::with(1);
    session.press("x");
    let Some(Effect::LoadExchanges { run, .. }) = session.take().pop() else { panic!("nothing was asked") };
    session.press("x x");
    session.send(Message::Exchanges { run, result: Ok(entries(&[Valid])) });
    assert_eq!(log(&session).entries, Reading::Loading);
    let mut session = opened(Session::with(1), &[Valid, Valid]);
    let Some(Effect::LoadReply { run, .. }) = session.take().pop() else { panic!("nothing was asked") };
    session.press("N");
    session.send(Message::Reply { run, result: Err("late".into()) });
    assert_eq!(log(&session).reply, Reading::Loading);
}

#[test]
fn the_text_is_scrolled_by_line_and_page_to_its_ends_and_no_further() {
    let mut session = opened(Session::with(1), &[Valid]);
    let lines: Vec<String> = (0..300).map(|n| format!("line {n:03}")).collect();
    answer(&mut session, &lines.join("\n"));
    let top = |session: &Session| match log(session).scroll {
        Scroll::Auto => 0,
        Scroll::From(byte) => byte / 9,
    };
    let page = usize::from(session.app.geometry.exchange.height) - 1;
    assert!(page > 10, "{page}");
    for (keys, line) in [
        ("j j down", 3),
        ("k", 2),
        ("pgdn", 2 + page),
        ("space ctrl-d", 2 + 3 * page),
        ("pgup ctrl-u", 2 + page),
        ("g g", 0),
        ("k pgup", 0),
    ] {
        session.press(keys);
        assert_eq!(top(&session), line, "{keys}");
    }
    session.press("G");
    session.press("j pgdn");
    session.press("k");
    assert_eq!(top(&session), 300 - page - 2, "one line above the last page");
}

#[test]
fn the_views_follow_each_other_and_begin_at_the_top() {
    let mut session = opened(Session::with(1), &[Valid, Valid]);
    answer(&mut session, "{\"a\": 1}");
    session.press("j v");
    assert_eq!((log(&session).view, log(&session).scroll), (View::Raw, Scroll::Auto));
    session.press("v");
    assert_eq!(log(&session).view, View::Sent);
    session.press("v");
    assert_eq!(log(&session).view, View::Readable);
    session.press("N");
    answer(&mut session, "no JSON");
    session.press("v");
    assert_eq!(log(&session).view, View::Sent, "what is no JSON is shown as it came already");
}

#[test]
fn nothing_is_decided_while_the_log_is_open() {
    for key in ["c", "o", "a", "1", "2", "3", "4", "5", "s", "f", "u", "d", "r"] {
        let mut session = opened(Session::with(2), &[Valid]);
        answer(&mut session, "{}");
        session.press(key);
        assert_eq!(session.take(), [], "{key}");
        assert_eq!(session.toast(), "nothing is decided here: x goes back to the claim", "{key}");
        assert!(matches!(session.app.mode, Mode::Exchanges(_)), "{key}");
    }
    let mut session = opened(Session::with(2), &[Valid]);
    session.press("z");
    assert_eq!(session.app.toast, None);
}

#[test]
fn a_decision_waits_until_the_claim_was_seen_again() {
    let mut session = opened(Session::with(2), &[Valid]);
    answer(&mut session, "{}");
    session.drawn();
    session.after(1_000);
    session.press("x c");
    assert_eq!(session.requests(), [], "the claim is not on the screen yet");
    session.look();
    session.press("c");
    assert_eq!(session.requests().len(), 1);
}

#[test]
fn what_cannot_be_read_is_said_and_the_log_stays() {
    let mut session = Session::with(1);
    session.press("x");
    let Some(Effect::LoadExchanges { run, .. }) = session.take().pop() else { panic!("nothing was asked") };
    session.send(Message::Exchanges { run, result: Err("disk I/O error".into()) });
    assert_eq!(log(&session).entries, Reading::Error("disk I/O error".into()));
    session.press("n j v G");
    assert_eq!(session.take(), []);
    let mut session = Session::with(1);
    session.press("x");
    let Some(Effect::LoadExchanges { run, .. }) = session.take().pop() else { panic!("nothing was asked") };
    session
        .send(Message::Exchanges { run, result: Ok(vec![Entry::Damaged("exchange 1 is damaged".into())]) });
    assert_eq!(log(&session).reply, Reading::Error("exchange 1 is damaged".into()));
    assert_eq!(session.take(), [], "there is nothing to read");
}
