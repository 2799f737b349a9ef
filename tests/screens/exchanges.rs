//! The log of exchanges with a model, in every state.

use std::sync::Arc;
use std::time::Duration;

use juror::config::ThemeName;
use juror::domain::exchange::{Ending, Exchange, Purpose, Tokens};
use juror::domain::finding::Outcome;
use juror::domain::ids::{AuditId, ExchangeKey};
use juror::domain::queue::ClaimDetail;
use juror::domain::verdict::NoVerdict;
use juror::tui::app::{App, Mode, Toast, ToastKind};
use juror::tui::exchanges::{Entry, ExchangeLog, Logged, Reading, Reply, View};
use juror::tui::theme::Role;
use juror::tui::widget::passage::Scroll;
use ratatui::style::Color;
use serde_json::json;

use crate::fixture::*;
use crate::look::*;

const MESSY: &str =
    "upstream connect error or disconnect/reset before headers. reset reason: connection timeout";

fn claims() -> String {
    json!({"claims": [
        {"sentence": 2, "answer_quote": "The usual dose for adults is 500 mg to 1 g every 4–6 hours.",
         "claim_text": "The usual dose is 500 mg to 1 g.", "verdict": "FULLY_SUPPORTED", "confidence": 0.91},
        {"sentence": 3, "answer_quote": CLAIM, "claim_text": CLAIM, "verdict": "CONTRADICTED",
         "evidence_citation": [{"passage_id": "p2", "role": "contradicts",
                                "quote": "The maximum dose for adults is 4 g in any 24 hours"}],
         "rationale": "claim says 8 g per day, evidence says 4 g in any 24 hours",
         "severity": "CRITICAL", "confidence": 0.94}], "no_claim": []})
    .to_string()
}

fn body(content: &str) -> String {
    json!({"id": "chatcmpl-9", "object": "chat.completion", "model": "gpt-4o-mini-2024-07-18",
           "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
           "usage": {"prompt_tokens": 1234, "completion_tokens": 210}})
    .to_string()
}

fn exchange(ending: Ending, attempt: u32, raw_reply: &str) -> Exchange {
    let answered = ending == Ending::Valid || ending == Ending::Misshapen;
    Exchange {
        at: at(0).plus(Duration::from_secs(u64::from(attempt) * 9)),
        audit_id: Some(AuditId::new("rx-1041")),
        mends: None,
        instrument: "faithfulness".into(),
        purpose: Purpose::Ask,
        part: 1,
        attempt,
        judge: "cloud".into(),
        endpoint: "https://api.example.com/v1/chat/completions".into(),
        prompt_version: "faithfulness-1".into(),
        prompt_sha256: "3f2a91c0".repeat(8),
        question_sha256: "8c41".repeat(16),
        request_sha256: "77aa".repeat(16),
        model_asked: "gpt-4o-mini".into(),
        model_answered: answered.then(|| "gpt-4o-mini-2024-07-18".into()),
        parameters: json!({"temperature": 0, "max_tokens": 4096, "seed": 7,
                           "response_format": {"type": "json_schema"}}),
        status: answered.then_some(200),
        request_id: answered.then(|| "req_01HZX7".into()),
        raw_reply: raw_reply.to_owned(),
        latency: Duration::from_millis(840 * u64::from(attempt).pow(3)),
        tokens: if answered {
            Tokens { input: Some(1234), cached: Some(1024), output: Some(210), reasoning: None }
        } else {
            Tokens::default()
        },
        cost_micros: answered.then_some(311),
        ending,
        detail: String::new(),
    }
}

/// A log that went wrong twice and then answered.
fn answered() -> Vec<Exchange> {
    let mut limited = exchange(Ending::Limited, 1, "{\"error\":{\"message\":\"Rate limit reached\"}}");
    (limited.status, limited.detail) = (Some(429), "the server asks to wait 3 s".into());
    let mut late = exchange(Ending::TimedOut, 2, "");
    late.detail = "nothing came within 60 s".into();
    vec![limited, late, exchange(Ending::Valid, 3, &body(&claims()))]
}

/// One that never came to an answer.
fn failed() -> Vec<Exchange> {
    let mut misshapen = exchange(Ending::Misshapen, 1, &body("{\"claims\": {\"verdict\": \"maybe\"}}"));
    misshapen.detail = "/claims is of type object, but must be an array; /no_claim is missing".into();
    let mut broken = exchange(Ending::Faulty, 2, MESSY);
    (broken.status, broken.purpose) = (Some(503), Purpose::Repair);
    broken.detail = "503 Service Unavailable".into();
    let valid = exchange(Ending::Valid, 1, &body(&claims()));
    vec![Exchange { part: 2, ..valid }, misshapen, broken]
}

fn of_a_model() -> ClaimDetail {
    let mut detail = detail();
    detail.judge.judge = "cloud".into();
    detail.judge.model = "gpt-4o-mini-2024-07-18".into();
    detail.judge.prompt_version = "faithfulness-1".into();
    detail.exchanges = 3;
    detail
}

/// The entry that stands for an answer that could not be judged.
fn without_verdict() -> ClaimDetail {
    let mut detail = of_a_model();
    detail.claim_text = "The whole answer".into();
    detail.answer_span = None;
    detail.outcome = Outcome::NotJudged {
        state: NoVerdict::Failed,
        reason: "the judge `cloud` failed: 503 Service Unavailable".into(),
    };
    detail
}

/// The log of `detail` lies over the queue; `exchanges` are read, and the reply of the first choice.
fn opened(theme: ThemeName, (w, h): (u16, u16), detail: ClaimDetail, exchanges: &[Exchange]) -> App {
    let app = hand(review(theme, w, h), detail);
    let detail = Arc::clone(app.detail().unwrap());
    let mut log = ExchangeLog::new(detail.key, Some(detail.id.clone()), Some(&detail), 1);
    let logged = exchanges.iter().enumerate().map(|(n, exchange)| {
        Entry::Kept(Box::new(Logged {
            key: ExchangeKey(n as i64 + 1),
            reply_bytes: exchange.raw_reply.len(),
            runs: vec![(detail.record.audit_id.clone(), 1)],
            mentions: exchange.raw_reply.contains("Adults may take 8 g"),
            exchange: Exchange { raw_reply: String::new(), ..exchange.clone() },
        }))
    });
    log.entries = Reading::Ready(logged.collect());
    log.chosen = log.first_choice();
    if let Some(exchange) = exchanges.get(log.chosen) {
        log.reply = Reading::Ready(Arc::new(Reply::of(exchange.clone(), &log.sought)));
    }
    with(app, |app| app.mode = Mode::Exchanges(Box::new(log)))
}

fn change(app: App, change: impl FnOnce(&mut ExchangeLog)) -> App {
    with(app, |app| {
        let Mode::Exchanges(log) = &mut app.mode else { panic!("the log is closed") };
        change(log);
    })
}

/// Another exchange is chosen, and its reply is read.
fn choose(app: App, chosen: usize, exchange: &Exchange) -> App {
    change(app, |log| {
        log.chosen = chosen;
        log.reply = Reading::Ready(Arc::new(Reply::of(exchange.clone(), &log.sought)));
    })
}

#[test]
fn an_answer_with_the_tries_before_it() {
    for (size, w, h) in [("60x15", 60, 15), ("80x24", 80, 24), ("140x42", 140, 42)] {
        for (name, theme) in [("exchanges", ThemeName::Dark), ("exchanges-mono", ThemeName::Mono)] {
            let app = opened(theme, (w, h), of_a_model(), &answered());
            let buffer = check(&format!("{name}-{size}"), &app);
            assert_straight(&buffer);
            assert_safe(&buffer);
            if theme == ThemeName::Mono {
                assert!(buffer.content.iter().all(|cell| (cell.fg, cell.bg) == (Color::Reset, Color::Reset)));
            }
        }
    }
}

#[test]
fn the_claim_and_the_judges_quote_are_marked_in_the_reply() {
    let app = opened(ThemeName::Dark, (140, 42), of_a_model(), &answered());
    let buffer = draw(&app);
    let words_of = |role: Role| {
        let style = app.settings.theme.style(role);
        let area = app.geometry.exchange;
        let cells = (area.y..area.bottom()).flat_map(|y| (area.x..area.right()).map(move |x| (x, y)));
        cells
            .map(|place| &buffer[place])
            .filter(|cell| cell.fg == style.fg.unwrap_or_default() && cell.modifier == style.add_modifier)
            .map(ratatui::buffer::Cell::symbol)
            .collect::<String>()
    };
    assert!(words_of(Role::Claim).contains("Adults may take 8 g"), "{}", words_of(Role::Claim));
    assert!(words_of(Role::Contradicts).contains("4 g in any 24 hours"), "{}", words_of(Role::Contradicts));
}

#[test]
fn what_failed_last_is_shown_first_with_what_to_do() {
    let made = |theme, w, h| opened(theme, (w, h), without_verdict(), &failed());
    four("exchanges-failed", made);
    let smallest = check("exchanges-failed-60x15", &made(ThemeName::Dark, 60, 15));
    assert_straight(&smallest);
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let shown = text(&draw(&made(ThemeName::Mono, w, h)));
        assert!(shown.contains("juror doctor --judge cloud"), "{shown}");
    }
}

#[test]
fn an_exchange_that_was_asked_again_says_who_answered() {
    four("exchanges-asked-again", |theme, w, h| {
        choose(opened(theme, (w, h), of_a_model(), &answered()), 1, &answered()[1])
    });
}

#[test]
fn the_other_views_are_as_it_came_and_what_was_sent() {
    four("exchanges-raw", |theme, w, h| {
        change(opened(theme, (w, h), of_a_model(), &answered()), |log| log.view = View::Raw)
    });
    four("exchanges-sent", |theme, w, h| {
        change(opened(theme, (w, h), of_a_model(), &answered()), |log| log.view = View::Sent)
    });
}

#[test]
fn the_local_judge_asked_no_model() {
    four("exchanges-local", |theme, w, h| opened(theme, (w, h), detail(), &[]));
    four("exchanges-none", |theme, w, h| opened(theme, (w, h), without_verdict(), &[]));
}

#[test]
fn loading_error_and_damage() {
    let reading = |theme, w, h| opened(theme, (w, h), of_a_model(), &answered());
    four("exchanges-loading", |theme, w, h| {
        change(reading(theme, w, h), |log| log.entries = Reading::Loading)
    });
    four("exchanges-error", |theme, w, h| {
        change(reading(theme, w, h), |log| log.entries = Reading::Error("audits.db: disk I/O error".into()))
    });
    four("exchanges-damaged", |theme, w, h| {
        change(reading(theme, w, h), |log| {
            let why =
                "exchange 2 is damaged (a text that is not UTF-8): see `juror verify`, and put back a backup";
            if let Reading::Ready(entries) = &mut log.entries {
                entries[1] = Entry::Damaged(why.into());
            }
            (log.chosen, log.reply) = (1, Reading::Error(why.into()));
        })
    });
    let screen = text(&draw(&change(reading(ThemeName::Dark, 80, 24), |log| log.reply = Reading::Loading)));
    assert!(screen.contains("reading the reply…"), "{screen}");
    let screen = text(&draw(&choose(reading(ThemeName::Dark, 80, 24), 1, &answered()[1])));
    assert!(screen.contains("not one byte came"), "{screen}");
}

#[test]
fn a_decision_key_is_told_where_decisions_are_taken() {
    four("exchanges-no-decision", |theme, w, h| {
        with(opened(theme, (w, h), of_a_model(), &answered()), |app| {
            app.toast = Some(Toast {
                text: "nothing is decided here: x goes back to the claim".into(),
                kind: ToastKind::Warning,
                until: None,
            });
        })
    });
}

/// Replies of every kind keep the frames straight and reach no cell as they are.
#[test]
fn r02_hostile_and_wide_replies_keep_the_borders_straight() {
    let replies = [
        body("成人は1日4 gを超えてはならない。👩‍🚒👨‍👩‍👧‍👦 用量は五。").repeat(3),
        format!("\u{1b}[2J\u{1b}]0;owned\u{7}{MESSY}\r\n\u{202e}desrever\u{202c}\u{0}"),
        "می\u{200c}روم و برمی\u{200c}گردم. ".repeat(40),
        "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}".repeat(200),
        "{\"a\":\"\\u001b[31m\\u202e\"}".to_owned(),
    ];
    for reply in replies {
        for (w, h) in [(60, 15), (80, 24), (140, 42)] {
            for view in [View::Readable, View::Raw, View::Sent] {
                let mut exchange = exchange(Ending::Misshapen, 1, &reply);
                exchange.detail = reply.clone();
                exchange.model_answered = Some(reply.clone());
                exchange.request_id = Some(reply.clone());
                let app = opened(ThemeName::Dark, (w, h), of_a_model(), &[exchange]);
                let buffer = draw(&change(app, |log| log.view = view));
                assert_safe(&buffer);
                assert_straight(&buffer);
            }
        }
    }
    four("exchanges-cjk", |theme, w, h| {
        let reply = body("成人は1日4 gを超えてはならない。👩‍🚒👨‍👩‍👧‍👦 用量は五。");
        opened(theme, (w, h), of_a_model(), &[exchange(Ending::Unreadable, 1, &reply)])
    });
}

#[test]
fn many_exchanges_keep_the_chosen_one_in_sight() {
    let many: Vec<Exchange> = (1..=40).map(|n| exchange(Ending::Faulty, n % 4 + 1, MESSY)).collect();
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        for chosen in [0, 1, 20, 38, 39] {
            let app = choose(opened(ThemeName::Dark, (w, h), of_a_model(), &many), chosen, &many[chosen]);
            let screen = text(&draw(&app));
            assert!(screen.contains(&format!("▌{:>2} ", chosen + 1)), "{chosen}: {screen}");
        }
    }
}

/// Scrolling a reply of megabytes costs no more than a page, laid out or not.
#[test]
fn a_reply_of_megabytes_is_drawn_in_parts() {
    let raw = format!("{{\"text\":\"{}\"}}", "Adults may take 8 g of paracetamol per day. ".repeat(100_000));
    let app = opened(ThemeName::Dark, (140, 42), of_a_model(), &[exchange(Ending::Valid, 1, &raw)]);
    for scroll in [Scroll::Auto, Scroll::From(raw.len()), Scroll::From(raw.len() / 2)] {
        let app = change(app.clone(), |log| (log.view, log.scroll) = (View::Raw, scroll));
        let buffer = draw(&app);
        assert!(text(&buffer).contains("paracetamol"), "{}", text(&buffer));
    }
}

#[test]
fn the_claim_says_how_many_exchanges_there_were() {
    let made = |theme, w, h| hand(review(theme, w, h), of_a_model());
    four("claim-of-a-model", made);
    let smallest = check("claim-of-a-model-60x15", &made(ThemeName::Dark, 60, 15));
    assert_straight(&smallest);
    for (_, w, h) in SIZES {
        let shown = text(&draw(&made(ThemeName::Mono, w, h)));
        assert!(shown.contains("cloud · 3 exchanges · x"), "{shown}");
    }
}
