//! The raw log in a real terminal, over a store in which a model failed.

use std::time::Duration;

use juror::domain::exchange::{Ending, Exchange, Purpose, Tokens};
use juror::domain::finding::{Finding, JudgeIdentity, Outcome, RunResult};
use juror::domain::ids::AuditId;
use juror::domain::routing::Policy;
use juror::domain::time::Timestamp;
use juror::domain::verdict::NoVerdict;
use juror::store::{Durability, Store};

use crate::pty::Bench;

const START: Timestamp = Timestamp::from_millis(1_780_000_000_000);

fn exchange(ending: Ending, raw_reply: String) -> Exchange {
    Exchange {
        at: START,
        audit_id: Some(AuditId::new("rx-0")),
        mends: None,
        instrument: "faithfulness".into(),
        purpose: Purpose::Ask,
        part: 1,
        attempt: 1,
        judge: "cloud".into(),
        endpoint: "https://api.example.com/v1/chat/completions".into(),
        prompt_version: "faithfulness-1".into(),
        prompt_sha256: "3f".repeat(32),
        question_sha256: "8c".repeat(32),
        request_sha256: "77".repeat(32),
        model_asked: "m-1".into(),
        model_answered: None,
        parameters: serde_json::json!({"temperature": 0}),
        status: Some(503),
        request_id: None,
        raw_reply,
        latency: Duration::from_millis(840),
        tokens: Tokens::default(),
        cost_micros: None,
        ending,
        detail: String::new(),
    }
}

/// One record whose audit failed after two exchanges.
fn failed() -> Bench {
    let bench = Bench::empty();
    bench.import(0, 1);
    let mut store = Store::open(&bench.path("juror.db"), Durability::Normal).unwrap();
    let lines: Vec<String> = (0..2_000).map(|n| format!("line {n:04} \u{1b}[2J of the server")).collect();
    let replies = [(Ending::TimedOut, String::new()), (Ending::Faulty, lines.join("\n"))];
    let kept = replies.map(|(ending, raw)| store.keep_exchange(&exchange(ending, raw)).unwrap());
    let lease = store.lease_next_record("auditor", START, Duration::from_mins(1)).unwrap().unwrap();
    let result = RunResult {
        identity: JudgeIdentity {
            judge: "cloud".into(),
            model: "m-1".into(),
            prompt_version: "faithfulness-1".into(),
            prompt_sha256: "3f".repeat(32),
            settings: serde_json::json!({}),
        },
        instrument: "faithfulness",
        findings: vec![Finding {
            claim_text: "The whole answer".into(),
            given_id: None,
            answer_span: None,
            outcome: Outcome::NotJudged { state: NoVerdict::Failed, reason: "the server failed".into() },
        }],
        no_claims: Vec::new(),
        exchanges: kept.to_vec(),
    };
    store.finish_run(&lease, "auditor", &result, &Policy::default(), START, START).unwrap().unwrap();
    bench
}

#[test]
fn the_raw_log_is_opened_scrolled_and_closed_and_nothing_is_decided_in_it() {
    let bench = failed();
    let mut screen = bench.review(&[]);
    screen.until("2 exchanges");
    screen.send("x");
    screen.until("2 of 2");
    screen.until("juror doctor --judge cloud");
    screen.until("line 0000 \u{241b}[2J of the server");
    screen.send("j");
    screen.gone("line 0000");
    screen.send("G");
    screen.until("line 1999");
    screen.send("gg");
    screen.until("line 0000");
    screen.send("v");
    screen.until("Request hash");
    screen.send("N");
    screen.until("1 of 2");
    std::thread::sleep(Duration::from_millis(400));
    screen.send("3");
    screen.until("nothing is decided here");
    screen.send("x");
    screen.gone("Exchanges");
    screen.until("2 exchanges");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
    assert_eq!(bench.decisions().len(), 0);
    bench.run(&["verify"]);
}
