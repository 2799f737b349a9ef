//! 100,000 scored pairs beside the claims: storing them, and what *Support* and *Dashboard* read.

use juror::clock::{Clock, SystemClock};
use juror::domain::finding::{Finding, JudgeIdentity, Judged, Outcome, RunResult};
use juror::domain::ids::PassageId;
use juror::domain::routing::Policy;
use juror::domain::span::Span;
use juror::domain::verdict::{Citation, MatchLevel, Probability, Role, Score, Severity};
use juror::format::pair;
use juror::store::{Durability, Routed, ScoredPair, Store};

use super::generate::{self, Numbers};
use super::table::Table;
use super::{kept, quantile, timed};

const PAIRS: usize = 100_000;
const SOURCES: usize = 2_000;
/// So many are handed over at once, as `juror score --queue` does it.
const AT_ONCE: usize = 64;
const ROUNDS: usize = 20;

pub(crate) fn measure(table: &mut Table) {
    let path = kept().join("pairs.db");
    generate::remove(&path);
    std::fs::copy(generate::million(), &path).expect("room for a second store");
    let clock = SystemClock;
    let mut store = Store::open(&path, Durability::Normal).expect("it opens");
    let mut numbers = Numbers::new(0xBEEF);
    let (mut millis, mut longest) = (0.0, 0.0_f64);
    for first in (0..PAIRS).step_by(AT_ONCE) {
        let pairs: Vec<ScoredPair> =
            (first..PAIRS.min(first + AT_ONCE)).map(|n| scored(n, &mut numbers)).collect();
        let (took, _) =
            timed(|| store.keep_scores(&pairs, &Policy::default(), clock.now()).expect("they are stored"));
        millis += took;
        longest = longest.max(took);
    }
    table.note("storing 100,000 scored pairs", "s", millis / 1000.0);
    table.note("storing 64 of them, the longest", "ms", longest);
    let (cold, support) = timed(|| store.support().expect("a reading"));
    assert_eq!(support.all.n(), PAIRS as u64, "every pair is counted");
    table.at_most("Support, 100,000 pairs, first read", "ms", cold, 200.0);
    let mut again: Vec<f64> = (0..ROUNDS).map(|_| timed(|| store.support().expect("a reading")).0).collect();
    table.at_most("Support, p99", "ms", quantile(&mut again, 0.99), 200.0);
    let (cold, _) = timed(|| store.dashboard(clock.now()).expect("a reading"));
    table.at_most("Dashboard, 100,000 pairs and all claims, first read", "ms", cold, 200.0);
    let mut again: Vec<f64> =
        (0..ROUNDS).map(|_| timed(|| store.dashboard(clock.now()).expect("a reading")).0).collect();
    table.at_most("Dashboard, p99", "ms", quantile(&mut again, 0.99), 200.0);
    let mut pages: Vec<f64> =
        (0..ROUNDS as u64).map(|n| timed(|| store.worst_pairs(n * 4000, 100).expect("a page")).0).collect();
    table.at_most("100 of the worst pairs, p99", "ms", quantile(&mut pages, 0.99), 50.0);
    drop(store);
    generate::remove(&path);
}

fn scored(n: usize, numbers: &mut Numbers) -> ScoredPair {
    let source = numbers.below(SOURCES);
    let (claim, content) = (numbers.sentence(9), numbers.sentence(40));
    let line = serde_json::json!({
        "claim_id": format!("a-{}#{}", n / 6, n % 6 + 1), "claim": claim, "source_id": format!("s-{source}"),
        "source": content, "retrieval": if n.is_multiple_of(3) { "dense-1" } else { "bm25-v2" }, "model_version": "m-7",
    });
    let pair = pair::parse(line.to_string().as_bytes()).expect("a pair");
    let new = pair.record(format!("pairs.jsonl:{n}"));
    // Some sources are much worse than others.
    let worst = if source.is_multiple_of(50) { 3 } else { 0 };
    let score = Score::new((5 - numbers.below(5).max(worst) as u8).max(1)).expect("1 to 5");
    let finding = Finding {
        claim_text: claim.clone(),
        given_id: None,
        answer_span: Span::new(&claim, 0..claim.len()),
        outcome: Outcome::Judged(Judged {
            verdict: score.verdict(),
            confidence: Probability::clamped(0.5 + numbers.below(500) as f64 / 1000.0),
            severity: (score.get() < 3).then_some(Severity::Medium),
            hallucination_type: None,
            citations: vec![Citation {
                passage_id: PassageId::new(format!("s-{source}")),
                span: Span::new(&content, 0..20),
                quote: content[..20].to_owned(),
                role: Role::Supports,
                level: MatchLevel::Exact,
            }],
            rationale: "a part of it stands there".into(),
            support: Some(score),
        }),
    };
    let identity = JudgeIdentity {
        judge: "local".into(),
        model: "bench".into(),
        prompt_version: "1".into(),
        prompt_sha256: "cd".repeat(32),
        settings: serde_json::Value::Null,
    };
    let result = RunResult {
        identity,
        instrument: "support",
        findings: vec![finding],
        no_claims: Vec::new(),
        exchanges: Vec::new(),
    };
    ScoredPair { new, result, started: SystemClock.now(), routed: Routed::ByPolicy }
}
