//! The harness against a server that does everything wrong that servers do.

#[path = "server/mod.rs"]
#[expect(dead_code, reason = "no test needs every fault")]
mod server;

#[path = "judge_http/accounts.rs"]
mod accounts;
#[path = "judge_http/earlier.rs"]
mod earlier;
#[path = "judge_http/length.rs"]
mod length;
#[path = "judge_http/secrets.rs"]
mod secrets;
#[path = "judge_http/shapes.rs"]
mod shapes;

use std::sync::Arc;
use std::time::{Duration, Instant};

use juror::clock::SystemClock;
use juror::domain::exchange::{Ending, Exchange, Purpose};
use juror::domain::ids::{AuditId, PassageId};
use juror::domain::record::{Passage, Record};
use juror::domain::verdict::NoVerdict;
use juror::instrument::faithfulness::audit;
use juror::judge::harness::{
    Answer, Budget, Deadline, Harness, HarnessOptions, Question, Repair, RepairText, SetupError, Unanswered,
    Why,
};
use juror::judge::ledger::{Ledger as _, MemoryLedger};
use juror::judge::model::{ModelJudge, ModelOptions};
use juror::judge::reading::Schema;
use juror::judge::settings::{AccountKey, Endpoint, ModelSettings, Prices, Protocol, Reasoning, Secret};
use juror::judge::{FaithfulnessSettings, Reach};
use juror::prompt::{FenceSecret, Prompts};
use serde_json::{Value, json};
use server::shapes::{READ, Shape, openai, prompt};
use server::{Reply, Seen, Server};

const PLANTED: &str = "sk-planted-9f3b7c";
const SCHEMA: &str = r#"{"type":"object","properties":{"claims":{"type":"array","items":{"type":"object",
    "properties":{"claim_text":{"type":"string"},"verdict":{"enum":["SUPPORTED","CONTRADICTED"]}},
    "required":["claim_text","verdict"]}}},"required":["claims"]}"#;
const GOOD: &str = r#"{"claims":[{"claim_text":"4 g a day","verdict":"SUPPORTED"}]}"#;

fn good() -> Reply {
    Shape::OpenAi.said(GOOD)
}

fn settings(server: &Server) -> ModelSettings {
    ModelSettings {
        name: "bench".to_owned(),
        endpoint: Endpoint {
            protocol: Protocol::OpenAi,
            base_url: format!("{}/v1", server.url()),
            model: "scripted-1".to_owned(),
            key_header: "authorization".to_owned(),
            key_prefix: "Bearer ".to_owned(),
            headers: Vec::new(),
            secret_headers: Vec::new(),
            reasoning: None,
        },
        keys: vec![key("main", PLANTED)],
        concurrency: 4,
        timeout: Duration::from_secs(10),
        record_timeout: Duration::from_secs(20),
        attempts: 3,
        max_output: 500,
        context: 100_000,
        items_per_request: 1,
        temperature: 0.0,
        seed: Some(1),
        prices: Some(Prices { input: 1.0, cached: None, output: 2.0 }),
    }
}

fn key(account: &str, secret: &str) -> AccountKey {
    AccountKey { account: account.to_owned(), secret: Secret::new(secret) }
}

fn options() -> HarnessOptions {
    let repair = Repair {
        prompt_version: "repair-1".to_owned(),
        prompt_sha256: "r".to_owned(),
        write: Box::new(|misread| {
            Ok(RepairText {
                system: "Write it again.".to_owned(),
                user: format!("REPAIR {} ERRORS {}", misread.reply, misread.errors.join(" ")),
            })
        }),
    };
    HarnessOptions { budget: None, fresh: false, repair, seed: 1 }
}

struct Desk {
    server: Server,
    ledger: Arc<MemoryLedger>,
    harness: Harness,
    schema: Schema,
}

impl Desk {
    fn new(server: Server) -> Self {
        let settings = settings(&server);
        Self::with(server, settings, options())
    }

    fn scripted(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::new(Server::scripted(replies))
    }

    fn with(server: Server, settings: ModelSettings, options: HarnessOptions) -> Self {
        let ledger = Arc::new(MemoryLedger::default());
        let harness = Harness::new(settings, ledger.clone(), Arc::new(SystemClock), options).expect("set up");
        Self { server, ledger, harness, schema: Schema::new("claims", SCHEMA).expect("a schema") }
    }

    async fn ask_for(&self, user: &str, within: Duration) -> Result<Answer<Value>, Unanswered> {
        let question = Question {
            audit_id: None,
            instrument: "faithfulness",
            purpose: Purpose::Ask,
            part: 1,
            system: "You judge.",
            user,
            prompt_version: "faithfulness-1",
            prompt_sha256: "p",
            schema: &self.schema,
            max_output: 500,
        };
        self.harness.ask(&question, &Deadline::after(within), |value| Ok(value.clone())).await
    }

    async fn ask(&self) -> Result<Answer<Value>, Unanswered> {
        self.ask_for("4 g a day", Duration::from_secs(20)).await
    }

    fn endings(&self) -> Vec<Ending> {
        self.ledger.exchanges().iter().map(|exchange| exchange.ending).collect()
    }

    fn last(&self) -> Exchange {
        self.ledger.exchanges().pop().expect("an exchange")
    }

    /// The time between the first request and the second.
    fn pause(&self) -> Duration {
        let seen = self.server.seen();
        seen[1].at.saturating_sub(seen[0].at)
    }
}

fn state(unanswered: &Unanswered) -> NoVerdict {
    match unanswered.failure.reach {
        Reach::Record(state) => state,
        Reach::Everything | Reach::ForNow => panic!("reaches everything: {unanswered}"),
    }
}

#[expect(clippy::disallowed_methods, reason = "a test measures")]
fn now() -> Instant {
    Instant::now()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_nobody_waits_for_any_more_is_on_record() {
    let desk = Desk::scripted([Reply::hang()]);
    let stopped = tokio::time::timeout(Duration::from_millis(150), desk.ask()).await;
    assert!(stopped.is_err());
    let kept = desk.last();
    assert_eq!((kept.ending, kept.attempt), (Ending::Broken, 1));
    assert_eq!(kept.detail, "the audit was stopped before a reply came");
    assert!(kept.latency >= Duration::from_millis(100), "{:?}", kept.latency);
}

#[tokio::test]
async fn an_answer_is_kept_with_all_that_is_known_of_it() {
    let desk = Desk::scripted([good()]);
    let answer = desk.ask().await.unwrap();
    assert_eq!(answer.value, serde_json::from_str::<Value>(GOOD).unwrap());
    assert_eq!((answer.exchanges.len(), answer.notes.len()), (1, 0));
    let kept = desk.last();
    assert_eq!(kept.ending, Ending::Valid);
    assert_eq!(kept.status, Some(200));
    assert_eq!(kept.model_answered.as_deref(), Some("scripted-1-2026-01-01"));
    assert_eq!(kept.request_id.as_deref(), Some("req_1"));
    assert_eq!(kept.tokens.input, Some(READ as u64));
    assert_eq!(kept.cost_micros, Some(READ as u64 + 2 * kept.tokens.output.unwrap()));
    assert_eq!((kept.question_sha256.len(), kept.request_sha256.len()), (64, 64));
    assert!(kept.endpoint.ends_with("/v1/chat/completions"), "{}", kept.endpoint);
    assert!(kept.raw_reply.contains("scripted-1-2026-01-01"));
    let seen = &desk.server.seen()[0];
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {PLANTED}").as_str()));
}

#[tokio::test]
async fn j67_an_earlier_answer_is_used_again_without_a_request() {
    let desk = Desk::scripted([good(), good()]);
    let first = desk.ask().await.unwrap();
    let again = desk.ask().await.unwrap();
    assert_eq!((first.value, first.exchanges), (again.value, again.exchanges));
    assert_eq!(desk.server.count(), 1);
    desk.ask_for("another question", Duration::from_secs(5)).await.unwrap();
    assert_eq!(desk.server.count(), 2);
}

#[tokio::test]
async fn j67_refusals_and_broken_replies_are_no_earlier_answers() {
    let desk = Desk::scripted([Shape::OpenAi.refused(), good()]);
    assert_eq!(state(&desk.ask().await.unwrap_err()), NoVerdict::Refused);
    desk.ask().await.unwrap();
    assert_eq!(desk.endings(), [Ending::Refused, Ending::Valid]);
}

#[tokio::test]
async fn with_fresh_an_earlier_answer_is_passed_over() {
    let server = Server::scripted([good(), good()]);
    let settings = settings(&server);
    let desk = Desk::with(server, settings, HarnessOptions { fresh: true, ..options() });
    desk.ask().await.unwrap();
    desk.ask().await.unwrap();
    assert_eq!(desk.server.count(), 2);
}

#[tokio::test]
async fn j60_a_delay_is_kept_in_every_form_it_comes_in() {
    let limited = || openai::error(429, "slow down", "requests", Some("rate_limit_exceeded"));
    for refusal in [
        limited().header("retry-after", "1"),
        limited().header("retry-after", "0.7"),
        limited().header("retry-after-ms", "700"),
        Reply::json(
            429,
            &json!({"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED", "details": [
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.7s"}]}}),
        ),
    ] {
        let desk = Desk::scripted([refusal, good()]);
        desk.ask().await.unwrap();
        assert_eq!(desk.endings(), [Ending::Limited, Ending::Valid]);
        assert!(desk.pause() >= Duration::from_millis(690), "{:?}", desk.pause());
    }
}

#[tokio::test]
async fn j58_faults_of_servers_and_ways_are_named_and_tried_again() {
    let dripping = || good().drip(20, Duration::from_secs(1));
    for (reply, ending) in [
        (Shape::OpenAi.faulty(), Ending::Faulty),
        (
            Reply::json(
                529,
                &json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
            ),
            Ending::Faulty,
        ),
        (Reply::new(502, "<html><body>Bad Gateway</body></html>"), Ending::Faulty),
        (Reply::json(200, &json!({"error": {"message": "upstream failed", "code": 502}})), Ending::Faulty),
        (good().cut(60), Ending::Broken),
        (good().reset(60), Ending::Broken),
        (Reply::close(), Ending::Broken),
        (Reply::hang(), Ending::TimedOut),
        (good().stall(60), Ending::TimedOut),
        (dripping(), Ending::TimedOut),
        (Reply::new(200, vec![b' '; 20 << 20]), Ending::Broken),
    ] {
        let server = Server::scripted([reply, good()]);
        let mut settings = settings(&server);
        if ending == Ending::TimedOut {
            // Long enough for a reply on a host that has much to do, and no more.
            settings.timeout = Duration::from_secs(3);
        }
        let desk = Desk::with(server, settings, options());
        let outcome = desk.ask().await;
        assert_eq!(desk.endings(), [ending, Ending::Valid], "{outcome:?}");
        assert!(desk.ledger.exchanges()[0].raw_reply.len() <= 64 << 10);
    }
}

#[tokio::test]
async fn j58_what_a_failing_server_asks_to_wait_is_waited() {
    let desk = Desk::scripted([Shape::OpenAi.faulty().header("retry-after-ms", "1200"), good()]);
    desk.ask().await.unwrap();
    assert_eq!(desk.endings(), [Ending::Faulty, Ending::Valid]);
    // The longest wait without it is half a second.
    assert!(desk.pause() >= Duration::from_millis(1190), "{:?}", desk.pause());
    let desk = Desk::new(Server::start(|_| Shape::OpenAi.faulty().header("retry-after", "90")));
    let failed = desk.ask().await.unwrap_err();
    assert_eq!((failed.failure.reach, desk.server.count()), (Reach::ForNow, 1));
    assert!(failed.to_string().contains("asks to wait 90 s"), "{failed}");
}

#[tokio::test]
async fn j64_what_fails_for_good_is_tried_a_bounded_number_of_times() {
    let desk = Desk::new(Server::start(|_| Shape::OpenAi.faulty()));
    let failed = desk.ask().await.unwrap_err();
    assert_eq!(state(&failed), NoVerdict::Failed);
    assert_eq!(failed.failure.exchanges.len(), 3);
    let desk =
        Desk::new(Server::start(|_| openai::error(400, "messages: wrong", "invalid_request_error", None)));
    let failed = desk.ask().await.unwrap_err();
    assert_eq!(state(&failed), NoVerdict::Failed);
    assert_eq!(desk.endings(), [Ending::Rejected], "what cannot succeed is not tried again");
}

#[tokio::test]
async fn j61_nothing_takes_longer_than_a_record_may() {
    for (reply, what) in [
        (Reply::hang(), "would come too late; the last request ended TIMED_OUT"),
        (Shape::OpenAi.limited(0).header("retry-after-ms", "600"), "the server asks to wait 0.6 s, and"),
        (Shape::OpenAi.faulty().header("retry-after-ms", "600"), "the server asks to wait 0.6 s, and"),
    ] {
        let desk = Desk::new(Server::start(move |_| reply.clone()));
        let began = now();
        let failed = desk.ask_for("x", Duration::from_millis(700)).await.unwrap_err();
        assert!(failed.to_string().contains(what), "{failed}");
        assert_eq!(state(&failed), NoVerdict::Failed);
        assert!(began.elapsed() < Duration::from_millis(1500), "{:?}", began.elapsed());
    }
}

#[tokio::test]
async fn j61_a_delay_beyond_the_record_is_said_at_once() {
    let desk = Desk::new(Server::start(|_| Shape::OpenAi.limited(30)));
    let began = now();
    let failed = desk.ask_for("x", Duration::from_secs(5)).await.unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(failed.failure.reach, Reach::ForNow);
    assert!(failed.to_string().contains("asks to wait 3"), "{failed}");
}

#[tokio::test]
async fn j59_an_account_that_is_used_up_is_not_asked_again() {
    let server = Server::start(|seen| {
        if seen.header("authorization").is_some_and(|key| key.contains("sk-planted-a")) {
            openai::error(429, "You exceeded your quota", "insufficient_quota", Some("insufficient_quota"))
        } else {
            good()
        }
    });
    let keys = vec![key("a", "sk-planted-a1"), key("a", "sk-planted-a2"), key("b", "sk-planted-b1")];
    let settings = ModelSettings { keys, ..settings(&server) };
    let desk = Desk::with(server, settings, options());
    for number in 0..3 {
        desk.ask_for(&format!("question {number}"), Duration::from_secs(5)).await.unwrap();
    }
    let asked = desk
        .server
        .seen()
        .iter()
        .filter(|seen| seen.header("authorization").unwrap().contains("planted-a"))
        .count();
    assert!(asked <= 1, "{asked}");
}

#[tokio::test]
async fn j64_a_bad_key_stops_the_run_and_fails_no_record() {
    let desk = Desk::new(Server::start(|_| {
        openai::error(
            401,
            &format!("Incorrect API key provided: {PLANTED}"),
            "invalid_request_error",
            Some("invalid_api_key"),
        )
    }));
    let failed = desk.ask().await.unwrap_err();
    assert_eq!(failed.failure.reach, Reach::Everything);
    assert!(failed.to_string().contains("[judge.bench]"), "{failed}");
    assert_eq!(desk.server.count(), 1);
    let second = desk.ask().await.unwrap_err();
    assert_eq!((second.failure.reach, desk.server.count()), (Reach::Everything, 1));
    for text in [
        format!("{failed:?} {failed}"),
        format!("{:?}", desk.ledger.exchanges()),
        format!("{:?}", desk.harness),
    ] {
        assert!(!text.contains("planted"), "{text}");
    }
}

#[tokio::test]
async fn j27_a_plainer_form_is_found_and_remembered() {
    let desk = Desk::new(Server::start(|seen| match seen.json()["response_format"]["type"].as_str() {
        None => good(),
        Some(shape) => openai::error(
            400,
            &format!("response_format {shape} is not supported"),
            "invalid_request_error",
            None,
        ),
    }));
    desk.ask().await.unwrap();
    assert_eq!(desk.endings(), [Ending::Unsupported, Ending::Unsupported, Ending::Valid]);
    desk.ask_for("another", Duration::from_secs(5)).await.unwrap();
    assert_eq!(desk.server.count(), 4);
}

#[tokio::test]
async fn j33_what_was_really_sent_is_recorded() {
    let desk = Desk::new(Server::start(|seen| {
        if seen.json().get("temperature").is_some() {
            openai::error(
                400,
                "Unsupported value: 'temperature' does not support 0",
                "invalid_request_error",
                Some("unsupported_value"),
            )
        } else {
            good()
        }
    }));
    desk.ask().await.unwrap();
    let kept = desk.ledger.exchanges();
    assert!(kept[0].parameters.get("temperature").is_some(), "{}", kept[0].parameters);
    assert!(kept[1].parameters.get("temperature").is_none(), "{}", kept[1].parameters);
    assert_eq!(kept[0].question_sha256, kept[1].question_sha256);
}

#[tokio::test]
async fn j28_a_cut_reply_gets_more_room_once_and_is_never_read() {
    let desk = Desk::scripted([Shape::OpenAi.cut(GOOD), good()]);
    desk.ask().await.unwrap();
    assert_eq!(desk.endings(), [Ending::Cut, Ending::Valid]);
    let limits: Vec<u64> =
        desk.server.seen().iter().map(|seen| seen.json()["max_tokens"].as_u64().unwrap()).collect();
    assert_eq!(limits, [500, 2000]);
    let desk = Desk::new(Server::start(|_| Shape::OpenAi.cut(GOOD)));
    let failed = desk.ask().await.unwrap_err();
    assert_eq!((failed.why, state(&failed), desk.server.count()), (Why::Cut, NoVerdict::Incomplete, 2));
}

#[tokio::test]
async fn j28_room_that_the_model_does_not_give_is_not_asked_for_again_and_the_reply_counts_as_cut() {
    let too_large = || {
        let message = "max_tokens is too large: 2000. This model supports at most 500 completion tokens.";
        openai::error(400, message, "invalid_request_error", None)
    };
    let has_room = |seen: &Seen| seen.json()["max_tokens"].as_u64() > Some(500);
    let capped = move |seen: &Seen| if has_room(seen) { too_large() } else { Shape::OpenAi.cut(GOOD) };
    let desk = Desk::new(Server::start(capped));
    let failed = desk.ask().await.unwrap_err();
    assert_eq!((failed.why, state(&failed)), (Why::Cut, NoVerdict::Incomplete), "{failed}");
    assert!(failed.to_string().contains("2000 are not to be had"), "{failed}");
    assert_eq!(desk.endings(), [Ending::Cut, Ending::Rejected]);
    let failed = desk.ask().await.unwrap_err();
    assert_eq!((failed.why, desk.server.count()), (Why::Cut, 3), "{failed}");

    // One that has the room from the start, because another needed it, is asked without.
    let desk = Desk::new(Server::start(move |seen| match (prompt(seen).contains("first"), has_room(seen)) {
        (true, false) => Shape::OpenAi.cut(GOOD),
        (false, true) => too_large(),
        _ => good(),
    }));
    for text in ["the first", "another"] {
        desk.ask_for(text, Duration::from_secs(20)).await.unwrap();
    }
    assert_eq!(desk.endings(), [Ending::Cut, Ending::Valid, Ending::Rejected, Ending::Valid]);
}

#[tokio::test]
async fn j25_an_empty_reply_is_asked_for_once_more() {
    let desk = Desk::new(Server::start(|_| Shape::OpenAi.said("")));
    assert_eq!(state(&desk.ask().await.unwrap_err()), NoVerdict::Empty);
    assert_eq!(desk.endings(), [Ending::Empty, Ending::Empty]);
}

#[tokio::test]
async fn j11_a_reply_that_cannot_be_read_is_repaired_once() {
    let broken = r#"{"claims":[{"claim_text":"4 g a day","verdict":"SUPPORTED"}"#;
    let desk = Desk::scripted([Shape::OpenAi.said(broken), good()]);
    let answer = desk.ask().await.unwrap();
    assert!(!answer.notes.iter().any(|note| note.contains("FLAGGED")), "{:?}", answer.notes);
    let kept = desk.ledger.exchanges();
    assert_eq!((kept[0].ending, kept[1].ending), (Ending::Unreadable, Ending::Valid));
    assert_eq!((kept[1].purpose, kept[1].prompt_version.as_str()), (Purpose::Repair, "repair-1"));
    assert_eq!(kept[0].question_sha256, kept[1].question_sha256);

    let desk = Desk::new(Server::start(|_| Shape::OpenAi.said(&format!("no {}", "x".repeat(100_000)))));
    assert_eq!(state(&desk.ask().await.unwrap_err()), NoVerdict::Failed);
    assert_eq!(desk.server.count(), 2);
    assert!(prompt(&desk.server.seen()[1]).len() < 40_000, "a repair has a fixed size");
}

#[tokio::test]
async fn j11_what_could_not_be_read_at_all_is_no_answer_after_a_repair() {
    let desk = Desk::new(Server::scripted([Shape::OpenAi.said("It looks supported to me."), good()]));
    let failed = desk.ask().await.unwrap_err();
    assert_eq!(state(&failed), NoVerdict::Failed);
    assert!(failed.to_string().contains("another answer and no repair"), "{failed}");
    assert_eq!(desk.endings(), [Ending::Unreadable, Ending::Misshapen]);
}

#[tokio::test]
async fn a_repair_that_changes_a_verdict_is_flagged_and_stays_so() {
    let broken = r#"{"claims":[{"claim_text":"4 g a day","verdict":"CONTRADICTED"}"#;
    let desk = Desk::scripted([Shape::OpenAi.said(broken), good()]);
    for _ in 0..2 {
        let answer = desk.ask().await.unwrap();
        assert!(answer.notes.iter().any(|note| note.contains("FLAGGED")), "{:?}", answer.notes);
        let [change] = answer.changes.as_slice() else { panic!("{:?}", answer.changes) };
        assert_eq!(
            (change.place.as_deref(), change.before.as_deref()),
            (Some("/claims/0"), Some("CONTRADICTED"))
        );
        assert_eq!(answer.exchanges.len(), 2, "what was there before the repair belongs to it");
    }
    assert_eq!(desk.server.count(), 2);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Server::scripted([good()]);
    let to = format!("{}/v1?key=abc", target.url());
    let desk = Desk::new(Server::start(move |_| Reply::new(307, "").header("location", to.clone())));
    let failed = desk.ask().await.unwrap_err();
    assert_eq!((failed.failure.reach, target.count()), (Reach::Everything, 0));
    assert!(!failed.to_string().contains("abc"), "{failed}");
}

#[tokio::test]
async fn nobody_at_home_stops_the_run() {
    let gone = Server::scripted([]);
    let settings = settings(&gone);
    drop(gone);
    let desk = Desk::with(Server::scripted([]), settings, options());
    let failed = desk.ask().await.unwrap_err();
    assert_eq!(failed.failure.reach, Reach::ForNow);
    assert!(failed.to_string().contains("cannot be reached"), "{failed}");
}

#[tokio::test]
async fn j57_what_is_no_unicode_is_replaced() {
    let mut body = Shape::OpenAi.said(r#"{"claims":[]}"#);
    body = body.header("x-note", "1");
    let desk = Desk::scripted([Reply::new(500, vec![0xff, b'a', 0xfe]), body]);
    desk.ask().await.unwrap();
    assert_eq!(desk.ledger.exchanges()[0].raw_reply, "\u{fffd}a\u{fffd}");
}

#[tokio::test]
async fn j70_the_budget_stops_before_it_is_passed() {
    let server = Server::start(|_| good());
    let settings = settings(&server);
    let cap = 5 * READ as u64 + 1000;
    let budget = Arc::new(Budget::new(cap));
    let desk = Desk::with(server, settings, HarnessOptions { budget: Some(budget.clone()), ..options() });
    let mut answered = 0;
    let failed = loop {
        match desk.ask_for(&format!("question {answered}"), Duration::from_secs(5)).await {
            Ok(_) => answered += 1,
            Err(failed) => break failed,
        }
    };
    assert_eq!(failed.failure.reach, Reach::Everything);
    assert!(answered > 0 && budget.spent() <= cap, "{answered}, {}", budget.spent());
    assert!(failed.to_string().contains("would be passed"), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn j61_who_waits_for_the_budget_waits_on_and_fails_no_record() {
    let server = Server::start(|_| good().after(Duration::from_millis(250)));
    // Only one request at a time can be set aside, and what it costs is far less.
    let budget = Arc::new(Budget::new(1500));
    let timeout = Duration::from_secs(5);
    let settings = ModelSettings {
        prices: Some(Prices { input: 0.0, cached: None, output: 2.0 }),
        timeout,
        ..settings(&server)
    };
    let desk = Desk::with(server, settings, HarnessOptions { budget: Some(budget), ..options() });
    let users: Vec<String> = (0..8).map(|number| format!("question {number}")).collect();
    // The last of them waits for two seconds, twice as long as a record may take.
    let answers =
        join_all(users.iter().map(|user| desk.ask_for(user, Duration::from_secs(1))).collect()).await;
    let failed: Vec<String> =
        answers.iter().filter_map(|it| it.as_ref().err()).map(ToString::to_string).collect();
    assert_eq!(failed, [""; 0]);
    assert_eq!(desk.server.most_at_once(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_budget_that_nobody_gives_back_is_told_so_and_the_record_waits() {
    let server = Server::start(|_| Reply::hang());
    let budget = Arc::new(Budget::new(1500));
    let _held = budget.reserve(1000).await.unwrap();
    let settings = settings(&server);
    let desk = Desk::with(server, settings, HarnessOptions { budget: Some(budget.clone()), ..options() });
    let failed = desk.ask_for("x", Duration::from_millis(50)).await.unwrap_err();
    assert_eq!(failed.failure.reach, Reach::ForNow);
    assert!(
        failed.to_string().contains("left of the budget was set aside for requests of other records"),
        "{failed}"
    );
    assert_eq!(desk.server.count(), 0);
}

#[tokio::test]
async fn j70_a_budget_needs_prices() {
    let server = Server::scripted([]);
    let settings = ModelSettings { prices: None, ..settings(&server) };
    let options = HarnessOptions { budget: Some(Arc::new(Budget::new(1))), ..options() };
    let error = Harness::new(settings, Arc::new(MemoryLedger::default()), Arc::new(SystemClock), options)
        .unwrap_err();
    assert_eq!(error, SetupError::NoPrices("bench".to_owned()));
}

#[tokio::test]
async fn j62_all_are_asked_though_fewer_may_be_at_once() {
    let server = Server::start(|_| good().after(Duration::from_millis(20)));
    let settings = ModelSettings { concurrency: 2, ..settings(&server) };
    let desk = Desk::with(server, settings, options());
    let users: Vec<String> = (0..20).map(|number| format!("question {number}")).collect();
    let asked = users.iter().map(|user| desk.ask_for(user, Duration::from_secs(10)));
    // One of them is dropped in the middle: it leaves no permit behind.
    let dropped =
        tokio::time::timeout(Duration::from_millis(10), desk.ask_for("dropped", Duration::from_secs(5)))
            .await;
    assert!(dropped.is_err());
    let answers = join_all(asked.collect()).await;
    assert!(answers.iter().all(Result::is_ok));
    assert!(desk.server.most_at_once() <= 3, "{}", desk.server.most_at_once());
}

async fn join_all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    use std::pin::Pin;
    use std::task::Poll;
    let mut futures: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let Poll::Ready(output) = future.as_mut().poll(context)
            {
                *done = Some(output);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[tokio::test]
async fn a_probe_says_what_the_endpoint_can_do() {
    let desk = Desk::scripted([
        openai::error(400, "response_format json_schema is not supported", "invalid_request_error", None),
        Shape::OpenAi.said(r#"{"sum":5}"#),
    ]);
    let probed = desk.harness.probe(&Deadline::after(Duration::from_secs(5))).await.unwrap();
    assert_eq!(format!("{:?}", probed.manner.shape), "Object");
    assert_eq!((probed.requests, probed.exchange.purpose), (2, Purpose::Probe));
}

#[tokio::test]
async fn j34_what_a_reply_left_out_is_really_asked_for_again_and_never_answered_by_that_reply() {
    let nothing = || Shape::OpenAi.said(r#"{"claims":[],"no_claim":[]}"#);
    let server = Server::scripted([nothing(), nothing(), nothing()]);
    let mut settings = settings(&server);
    settings.max_output = 4_000;
    let ledger = Arc::new(MemoryLedger::default());
    let passage = Passage {
        passage_id: PassageId::new("p1"),
        content: "The maximum dose is 4 g.".to_owned(),
        metadata: serde_json::Map::new(),
    };
    let record = Record {
        audit_id: AuditId::new("r"),
        answer: "Adults may take 8 g a day.".to_owned(),
        passages: vec![passage],
        question: None,
        risk_level: None,
        given_claims: Vec::new(),
        metadata: serde_json::Map::new(),
    };
    // The second run finds the three replies of the first.
    for _ in 0..2 {
        let harness =
            Harness::new(settings.clone(), ledger.clone(), Arc::new(SystemClock), options()).expect("set up");
        let options = ModelOptions {
            prompts: Prompts::embedded().expect("prompts"),
            secret: FenceSecret::new(b"test"),
            rubric: None,
        };
        let judge = ModelJudge::new(harness, settings.clone(), options).expect("a judge");
        let result = audit(&judge, &record, &FaithfulnessSettings::default()).await.expect("a result");
        assert_eq!(result.findings[0].outcome.state().label(), "INCOMPLETE", "{result:?}");
        assert_eq!(result.exchanges.len(), 3);
        let purposes: Vec<Purpose> = ledger.exchanges().iter().map(|exchange| exchange.purpose).collect();
        assert_eq!(purposes, [Purpose::Ask, Purpose::AskAgain, Purpose::AskAgain]);
    }
    let bodies: Vec<String> = server.seen().into_iter().map(|seen| seen.body).collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies[1] != bodies[0] && bodies[2] != bodies[1], "{bodies:?}");
}

#[tokio::test]
async fn deployments_that_differ_in_the_query_share_no_answers() {
    let mut hashes = Vec::new();
    for query in ["deployment=a", "deployment=b"] {
        let server = Server::start(|_| good());
        let mut settings = settings(&server);
        settings.endpoint.base_url = format!("http://127.0.0.1:1/v1?{query}");
        let desk = Desk::with(server, settings, options());
        desk.ask_for("4 g a day", Duration::from_millis(50)).await.unwrap_err();
        let kept = desk.last();
        assert!(kept.endpoint.ends_with("?deployment=…"), "{}", kept.endpoint);
        hashes.push(kept.question_sha256);
    }
    assert_ne!(hashes[0], hashes[1]);
}

#[tokio::test]
async fn j70_a_server_that_says_that_it_read_nothing_is_paid_what_was_set_aside() {
    let free = json!({"model": "m", "choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": GOOD}}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0}});
    let server = Server::start(move |_| Reply::json(200, &free));
    let settings = settings(&server);
    let budget = Arc::new(Budget::new(5000));
    let desk = Desk::with(server, settings, HarnessOptions { budget: Some(budget.clone()), ..options() });
    desk.ask().await.unwrap();
    assert!(budget.spent() >= 1000, "{}", budget.spent());
    assert_eq!(desk.last().cost_micros, None);
}

#[tokio::test]
async fn j70_a_server_that_says_that_it_costs_less_than_the_prices_is_not_believed() {
    for (said, cost) in [(0.000_001, 1200), (0.5, 500_000)] {
        let reply = json!({"model": "m", "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": GOOD}}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "cost": said}});
        let server = Server::start(move |_| Reply::json(200, &reply));
        let settings = settings(&server);
        let budget = Arc::new(Budget::new(5000));
        let desk = Desk::with(server, settings, HarnessOptions { budget: Some(budget.clone()), ..options() });
        desk.ask().await.unwrap();
        assert_eq!((desk.last().cost_micros, budget.spent()), (Some(cost), cost));
    }
}
