//! Stores in temporary folders, records and runs to fill them with.

use std::path::PathBuf;
use std::time::Duration;

use juror::domain::decision::{Actor, Disposition};
use juror::domain::event::Event;
use juror::domain::exchange::{Ending, Exchange, Purpose, Tokens};
use juror::domain::finding::{Finding, JudgeIdentity, Judged, NoClaim, NoClaimReason, Outcome, RunResult};
use juror::domain::ids::{Annotator, AuditId, ClaimKey, ExchangeKey, PassageId, RecordKey};
use juror::domain::queue::{ClaimDetail, QueueRow};
use juror::domain::record::{Passage, Record, RiskLevel};
use juror::domain::routing::Policy;
use juror::domain::span::Span;
use juror::domain::time::Timestamp;
use juror::domain::verdict::{Citation, MatchLevel, NoVerdict, Probability, Role, Score, Severity, Verdict};
use juror::store::{Disposing, Durability, Imported, NewRecord, PageAt, Store};

/// An ordinary moment.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_780_000_000_000);

pub(crate) const TTL: Duration = Duration::from_mins(1);

pub(crate) fn at(seconds: u64) -> Timestamp {
    START.plus(Duration::from_secs(seconds))
}

/// A store with what it needs around it.
pub(crate) struct Desk {
    pub(crate) store: Store,
    pub(crate) path: PathBuf,
    pub(crate) _folder: tempfile::TempDir,
}

pub(crate) fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("juror.db");
    Desk { store: Store::open(&path, Durability::Normal).unwrap(), path, _folder: folder }
}

impl Desk {
    /// The same file through another store, as another process would have it.
    pub(crate) fn again(&self) -> Store {
        Store::open(&self.path, Durability::Normal).unwrap()
    }

    /// A bare connection, as another program would have it.
    pub(crate) fn sql(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.path).unwrap()
    }

    pub(crate) fn import(&mut self, record: &Record) -> Imported {
        self.store.import(&[line_of(record)], START).unwrap().pop().unwrap()
    }

    /// Imports the record and stores these findings for it.
    pub(crate) fn audited(&mut self, record: &Record, findings: Vec<Finding>) -> Vec<ClaimKey> {
        assert_eq!(self.import(record), Imported::New);
        self.audit(findings, START)
    }

    /// Audits the next waiting record; the keys of its claims in order.
    pub(crate) fn audit(&mut self, findings: Vec<Finding>, now: Timestamp) -> Vec<ClaimKey> {
        self.audit_by(findings, &[], now)
    }

    /// The same by a model, in these exchanges.
    pub(crate) fn audit_by(
        &mut self,
        findings: Vec<Finding>,
        exchanges: &[ExchangeKey],
        now: Timestamp,
    ) -> Vec<ClaimKey> {
        let next = self.store.lease_next_record("auditor", now, TTL).unwrap();
        let suspect = || self.store.lease_next_suspect("auditor", now, TTL).unwrap();
        let lease = next.or_else(suspect).expect("a waiting record");
        let mut result = RunResult { exchanges: exchanges.to_vec(), ..run(findings) };
        if lease.record.answer != ANSWER {
            result.no_claims.clear();
        }
        self.store.finish_run(&lease, "auditor", &result, &Policy::default(), now, now).unwrap().unwrap();
        let sql =
            "SELECT c.id FROM claim c JOIN work w ON w.run_id = c.run_id WHERE w.record_id = ?1 ORDER BY n";
        let connection = self.sql();
        let mut statement = connection.prepare(sql).unwrap();
        let keys = statement.query_map([lease.key.0], |row| row.get(0).map(ClaimKey)).unwrap();
        keys.map(Result::unwrap).collect()
    }

    pub(crate) fn open_rows(&self, who: &str) -> Vec<QueueRow> {
        self.store.queue_page(&Annotator::new(who), PageAt::Top, 1000, at(1)).unwrap()
    }

    pub(crate) fn open_ids(&self, who: &str) -> Vec<String> {
        self.open_rows(who).iter().map(|row| row.id.to_string()).collect()
    }

    pub(crate) fn detail(&self, key: ClaimKey, who: &str) -> ClaimDetail {
        self.store.claim_detail(key, &Annotator::new(who), at(1)).unwrap()
    }

    /// A release that knows what people ruled against, and which disposition stands.
    pub(crate) fn release(&self, key: RecordKey) -> Disposing {
        let over = self.store.opposed(key).unwrap();
        let note = Some("looked at anew".to_owned());
        Disposing { over, note, unlooked: true, ..self.instead(key, Disposition::Release) }
    }

    /// The disposition that knows which one stands, and says why it takes its place.
    pub(crate) fn instead(&self, key: RecordKey, disposition: Disposition) -> Disposing {
        let replaces = self.store.disposition(key).unwrap();
        let note = replaces.as_ref().map(|_| "looked at anew".to_owned());
        Disposing { replaces, note, ..disposition.into() }
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        self.store
            .for_each_event::<juror::store::StoreError>(|read| {
                events.push(read.unwrap().event);
                Ok(())
            })
            .unwrap();
        events
    }
}

pub(crate) fn actor(name: &str) -> Actor {
    Actor {
        annotator: Annotator::new(name),
        os_user: "user".into(),
        host: "host".into(),
        program: "juror 0.1.0".into(),
    }
}

pub(crate) const ANSWER: &str = "💊 Adults may take 8 g of paracetamol per day. It helps with pain.";

pub(crate) fn record(id: &str) -> Record {
    Record {
        audit_id: AuditId::new(id),
        answer: ANSWER.into(),
        passages: vec![
            Passage {
                passage_id: PassageId::new("p1"),
                content: "Paracetamol relieves pain — and fever.".into(),
                metadata: serde_json::Map::new(),
            },
            Passage {
                passage_id: PassageId::new("p2"),
                content: "The maximum is 4 g in 24 hours.".into(),
                metadata: serde_json::from_str(r#"{"source":"BNF 84"}"#).unwrap(),
            },
        ],
        question: Some("How much?".into()),
        risk_level: None,
        given_claims: Vec::new(),
        metadata: serde_json::from_str(r#"{"model_version":"m-1"}"#).unwrap(),
    }
}

pub(crate) fn risky(id: &str, risk: RiskLevel) -> Record {
    Record { risk_level: Some(risk), ..record(id) }
}

pub(crate) fn line_of(record: &Record) -> NewRecord {
    let raw = serde_json::json!({
        "audit_id": record.audit_id, "generated_answer": record.answer, "evidence_passages": record.passages,
        "question": record.question, "risk_level": record.risk_level, "metadata": record.metadata,
        "claims": record.given_claims,
    });
    NewRecord { record: record.clone(), raw: raw.to_string(), source: "batch.jsonl:1".into() }
}

pub(crate) fn identity() -> JudgeIdentity {
    JudgeIdentity {
        judge: "local".into(),
        model: "local-1".into(),
        prompt_version: "rules-1".into(),
        prompt_sha256: "ab".repeat(32),
        settings: serde_json::json!({"granularity": "atomic"}),
    }
}

pub(crate) fn run(findings: Vec<Finding>) -> RunResult {
    // For the answer of `record`.
    let no_claims = vec![NoClaim { answer_span: in_answer("It helps"), reason: NoClaimReason::Fragment }];
    RunResult { identity: identity(), instrument: "faithfulness", findings, no_claims, exchanges: Vec::new() }
}

/// The place of `words` in the answer of [`record`].
pub(crate) fn in_answer(words: &str) -> Span {
    let start = ANSWER.find(words).unwrap();
    Span::new(ANSWER, start..start + words.len()).unwrap()
}

pub(crate) fn claim(text: &str, verdict: Verdict, severity: Option<Severity>, confidence: f64) -> Finding {
    let content = &record("x").passages[1].content;
    let quote = "4 g in 24 hours";
    let start = content.find(quote).unwrap();
    Finding {
        claim_text: text.into(),
        given_id: None,
        answer_span: Some(in_answer("Adults may take 8 g of paracetamol per day.")),
        outcome: Outcome::Judged(Judged {
            verdict,
            confidence: Probability::new(confidence).unwrap(),
            severity,
            hallucination_type: None,
            citations: vec![Citation {
                passage_id: PassageId::new("p2"),
                span: Span::new(content, start..start + quote.len()),
                quote: quote.into(),
                role: Role::Contradicts,
                level: MatchLevel::Exact,
            }],
            rationale: "claim says 8 g, evidence says 4 g".into(),
            support: Score::new(1),
        }),
    }
}

pub(crate) fn contradicted(text: &str) -> Finding {
    claim(text, Verdict::Contradicted, Some(Severity::Critical), 0.9)
}

pub(crate) fn ungrounded(text: &str) -> Finding {
    let finding = claim(text, Verdict::PartiallySupported, Some(Severity::Low), 0.7);
    let Outcome::Judged(judged) = finding.outcome else { unreachable!() };
    Finding { outcome: Outcome::Ungrounded(Judged { citations: Vec::new(), ..judged }), ..finding }
}

pub(crate) fn without_verdict(state: NoVerdict) -> Finding {
    Finding {
        claim_text: "The answer as a whole".into(),
        given_id: None,
        answer_span: None,
        outcome: Outcome::NotJudged { state, reason: "nothing to go by".into() },
    }
}

/// An exchange about a record, or about none, in which nothing is left out.
pub(crate) fn exchange(id: Option<&str>, question: &str, ending: Ending) -> Exchange {
    Exchange {
        at: at(3),
        audit_id: id.map(AuditId::new),
        mends: None,
        instrument: "faithfulness".into(),
        purpose: Purpose::Ask,
        part: 2,
        attempt: 1,
        judge: "cloud".into(),
        endpoint: "https://api.example.com/v1/chat/completions".into(),
        prompt_version: "faithfulness-3".into(),
        prompt_sha256: "cd".repeat(32),
        question_sha256: question.into(),
        request_sha256: "ef".repeat(32),
        model_asked: "m-1".into(),
        model_answered: Some("m-1-2026-11".into()),
        parameters: serde_json::json!({"temperature": 0, "max_tokens": 4096}),
        status: Some(200),
        request_id: Some("req-7".into()),
        raw_reply: "{\"choices\":[{\"message\":{\"content\":\"💊 \\u0000\"}}]}".into(),
        latency: Duration::from_micros(1_234_567),
        tokens: Tokens { input: Some(900), cached: Some(500), output: Some(120), reasoning: Some(20) },
        cost_micros: Some(4200),
        ending,
        detail: "a fence was around the JSON".into(),
    }
}

/// The same with everything left out that may be unknown.
pub(crate) fn bare(exchange: Exchange) -> Exchange {
    Exchange {
        model_answered: None,
        status: None,
        request_id: None,
        tokens: Tokens::default(),
        cost_micros: None,
        raw_reply: String::new(),
        detail: String::new(),
        ..exchange
    }
}
