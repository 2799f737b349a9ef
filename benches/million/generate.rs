//! A store of 1,000,000 claims, and the lines that such a store is made from.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use juror::domain::event::sha256_hex;
use juror::domain::finding::{Finding, JudgeIdentity, Judged, Outcome, RunResult};
use juror::domain::ids::PassageId;
use juror::domain::record::Record;
use juror::domain::routing::Policy;
use juror::domain::span::Span;
use juror::domain::time::Timestamp;
use juror::domain::verdict::{
    Citation, HallucinationType, MatchLevel, NoVerdict, Probability, Role, Score, Severity, Verdict,
};
use juror::format::native;
use juror::store::{Durability, NewRecord, Store};

const CLAIMS_EACH: usize = 20;
/// A passage of this many bytes, with this many cited spans.
const BIG_PASSAGE: usize = 1024 * 1024;
const BIG_SPANS: usize = 2000;
/// So many records hold one and the same answer and evidence.
pub(crate) const SAME: usize = 2000;
/// The claim of all of them, in the record of which `same-1` is the first.
pub(crate) const SAME_CLAIM: &str = "same-1#1";
/// Named so that it stands on top of the queue: CRITICAL, contradicted, and in doubt.
pub(crate) const BIG: &str = "big-record";

const WORDS: &[&str] = &[
    "adults",
    "dose",
    "daily",
    "trial",
    "patients",
    "followed",
    "months",
    "revenue",
    "quarter",
    "rose",
    "contract",
    "notice",
    "period",
    "ends",
    "warfarin",
    "bleeding",
    "risk",
    "higher",
    "lower",
    "placebo",
    "group",
    "response",
    "approved",
    "limit",
    "days",
    "weeks",
    "received",
    "treatment",
    "margin",
    "cost",
];

/// The same numbers for the same seed, so that two runs measure the same store.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    pub(crate) fn sentence(&mut self, words: usize) -> String {
        let mut text = String::from("The");
        for _ in 0..words {
            let _ = write!(text, " {}", WORDS[self.below(WORDS.len())]);
        }
        let _ = write!(text, " {} mg.", self.below(5000));
        text
    }
}

pub(crate) fn claims_wanted() -> usize {
    std::env::var("JUROR_BENCH_CLAIMS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000)
}

/// The path of the generated store; generated now unless it is there already.
pub(crate) fn million() -> PathBuf {
    let schema = sha256_hex([include_str!("../../schema.sql"), include_str!("generate.rs")]);
    let claims = claims_wanted();
    let path = super::kept().join(format!("store-{claims}-{}.db", &schema[..12]));
    if !path.exists() {
        let draft = path.with_extension("draft");
        remove(&draft);
        println!("generating {claims} claims in {}", path.display());
        let (millis, ()) = super::timed(|| generate(&draft, claims));
        println!("generated in {:.0} s", millis / 1000.0);
        std::fs::rename(&draft, &path).expect("the store is put in place");
    }
    path
}

/// Removes a store with what SQLite keeps beside it.
pub(crate) fn remove(path: &Path) {
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
}

fn generate(path: &Path, claims: usize) {
    let mut numbers = Numbers::new(0x5EED);
    let mut store = Store::open(path, Durability::Normal).expect("a new store");
    let mut now = Timestamp::from_millis(1_780_000_000_000);
    let mut left = claims.div_ceil(CLAIMS_EACH);
    while left > 0 {
        let many = left.min(500);
        let batch: Vec<_> = (0..many).map(|n| record(&mut numbers, left - n, CLAIMS_EACH)).collect();
        store.import(&batch, now).expect("the batch goes in");
        finish_waiting(&mut store, &mut numbers, now);
        left -= many;
        now = now.plus(Duration::from_secs(1));
    }
    for first in (1..=SAME).step_by(500) {
        let batch: Vec<_> = (first..first + 500).map(same_record).collect();
        store.import(&batch, now).expect("the batch goes in");
        finish_waiting(&mut store, &mut numbers, now);
    }
    store.import(&[big_record(&mut numbers)], now).expect("the big record goes in");
    finish_waiting(&mut store, &mut numbers, now);
    drop(store);
    let sql = rusqlite::Connection::open(path).expect("the store opens");
    sql.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);").expect("everything is in one file");
}

fn finish_waiting(store: &mut Store, numbers: &mut Numbers, now: Timestamp) {
    let policy = Policy::default();
    while let Some(lease) = store.lease_next_record("bench", now, Duration::from_hours(1)).expect("a lease") {
        let result = result(&lease.record, numbers);
        let stored = store.finish_run(&lease, "bench", &result, &policy, now, now).expect("stored");
        stored.expect("the lease is kept");
    }
}

/// A record whose answer has `sentences` sentences.
pub(crate) fn record(numbers: &mut Numbers, n: usize, sentences: usize) -> NewRecord {
    let line = line(numbers, n, sentences);
    parse(&line)
}

pub(crate) fn parse(line: &str) -> NewRecord {
    native::parse(line.as_bytes(), "bench:1".into()).expect("a valid record").record
}

/// One line of native batch input, without its line feed.
pub(crate) fn line(numbers: &mut Numbers, n: usize, sentences: usize) -> String {
    let text =
        |numbers: &mut Numbers, count| (0..count).map(|_| numbers.sentence(12)).collect::<Vec<_>>().join(" ");
    let risk = ["LOW", "MEDIUM", "MEDIUM", "HIGH"][numbers.below(4)];
    serde_json::json!({
        "audit_id": format!("rec-{n:07}"),
        "generated_answer": text(numbers, sentences),
        "evidence_passages": [
            {"passage_id": "p1", "content": text(numbers, 7), "metadata": {"source": "bench", "date": "2026-01-01"}},
            {"passage_id": "p2", "content": text(numbers, 7)},
        ],
        "risk_level": risk,
        "metadata": {"model_version": "bench-1"},
    })
    .to_string()
}

fn same_record(n: usize) -> NewRecord {
    let line = serde_json::json!({
        "audit_id": format!("same-{n}"),
        "generated_answer": "Children may take the adult dose of paracetamol.",
        "evidence_passages": [{"passage_id": "p1", "content": "The adult dose is not for children under twelve years, whose dose goes by weight."}],
        "risk_level": "HIGH",
    });
    parse(&line.to_string())
}

fn big_record(numbers: &mut Numbers) -> NewRecord {
    let mut passage = String::with_capacity(BIG_PASSAGE + 200);
    while passage.len() < BIG_PASSAGE {
        passage.push_str(&numbers.sentence(12));
        passage.push(' ');
    }
    let line = serde_json::json!({
        "audit_id": BIG,
        "generated_answer": "Adults may take 8 g of paracetamol per day.",
        "evidence_passages": [{"passage_id": "p1", "content": passage}],
        "risk_level": "CRITICAL",
    });
    parse(&line.to_string())
}

fn identity() -> JudgeIdentity {
    JudgeIdentity {
        judge: "bench".into(),
        model: "bench-1".into(),
        prompt_version: "1".into(),
        prompt_sha256: sha256_hex(["bench"]),
        settings: serde_json::json!({}),
    }
}

/// A result with a claim for each sentence of the answer.
fn result(record: &Record, numbers: &mut Numbers) -> RunResult {
    let answer = &record.answer;
    let mut findings = Vec::new();
    let mut start = 0;
    for sentence in answer.split_inclusive(". ") {
        let range = start..start + sentence.trim_end().len();
        start += sentence.len();
        findings.push(Finding {
            claim_text: sentence.trim_end().to_owned(),
            given_id: None,
            answer_span: Span::new(answer, range),
            outcome: if record.audit_id.as_str().starts_with("same-") {
                Outcome::Judged(judged(
                    Verdict::Contradicted,
                    Some(Severity::High),
                    0.9,
                    vec![citation(record, 0, Role::Contradicts)],
                ))
            } else if record.audit_id.as_str() == BIG {
                Outcome::Judged(judged(
                    Verdict::Contradicted,
                    Some(Severity::Critical),
                    0.0,
                    big_citations(record),
                ))
            } else {
                outcome(record, numbers)
            },
        });
    }
    RunResult {
        identity: identity(),
        instrument: "faithfulness",
        findings,
        no_claims: Vec::new(),
        exchanges: Vec::new(),
    }
}

fn judged(verdict: Verdict, severity: Option<Severity>, confidence: f64, citations: Vec<Citation>) -> Judged {
    Judged {
        verdict,
        confidence: Probability::clamped(confidence),
        severity,
        hallucination_type: severity.map(|_| HallucinationType::Distortion),
        citations,
        rationale: "claim says 8 g, evidence says 4 g".into(),
        support: Score::new(if verdict == Verdict::FullySupported { 5 } else { 2 }),
    }
}

/// Mostly supported, some of everything else.
fn outcome(record: &Record, numbers: &mut Numbers) -> Outcome {
    let confidence = 0.5 + numbers.below(500) as f64 / 1000.0;
    let cite = |numbers: &mut Numbers, role| vec![citation(record, numbers.below(200), role)];
    match numbers.below(20) {
        0 => Outcome::NotJudged { state: NoVerdict::NotChecked, reason: "script without a segmenter".into() },
        1 => Outcome::Judged(judged(
            Verdict::Contradicted,
            Some(if numbers.below(10) == 0 { Severity::Critical } else { Severity::High }),
            confidence,
            cite(numbers, Role::Contradicts),
        )),
        2 | 3 => {
            Outcome::Judged(judged(Verdict::Unsupported, Some(Severity::Medium), confidence, Vec::new()))
        }
        4..=6 => Outcome::Judged(judged(
            Verdict::PartiallySupported,
            Some(Severity::Low),
            confidence,
            cite(numbers, Role::Supports),
        )),
        _ => {
            Outcome::Judged(judged(Verdict::FullySupported, None, confidence, cite(numbers, Role::Supports)))
        }
    }
}

fn citation(record: &Record, start: usize, role: Role) -> Citation {
    let content = &record.passages[0].content;
    Citation {
        passage_id: PassageId::new("p1"),
        span: Span::new(content, start..start + 60),
        quote: content[start..start + 60].to_owned(),
        role,
        level: MatchLevel::Exact,
    }
}

fn big_citations(record: &Record) -> Vec<Citation> {
    let step = BIG_PASSAGE / BIG_SPANS;
    (0..BIG_SPANS)
        .map(|n| citation(record, n * step, if n % 2 == 0 { Role::Supports } else { Role::Contradicts }))
        .collect()
}
