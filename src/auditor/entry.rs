//! The entry that stands for an answer without a verdict, and how grave a result is.

use crate::domain::finding::{Finding, JudgeIdentity, Outcome, RunResult};
use crate::domain::ids::ExchangeKey;
use crate::domain::record::Record;
use crate::domain::routing::ranked_severity;
use crate::domain::verdict::{NoVerdict, Severity};

/// The run of a record that could not be audited: one entry, which goes to a person.
pub(super) fn run_without_verdict(
    claim_text: String,
    identity: JudgeIdentity,
    state: NoVerdict,
    reason: String,
    exchanges: Vec<ExchangeKey>,
) -> RunResult {
    let outcome = Outcome::NotJudged { state, reason };
    let entry = Finding { claim_text, given_id: None, answer_span: None, outcome };
    RunResult {
        identity,
        instrument: "faithfulness",
        findings: vec![entry],
        no_claims: Vec::new(),
        exchanges,
    }
}

/// What the entry is called that stands for a whole answer.
pub(super) const WHOLE: &str = "(the whole answer)";

/// The same with the answer's first words.
pub(super) fn beginning(answer: &str) -> String {
    const LONGEST: usize = 80;
    let mut text = WHOLE.to_owned();
    let mut length = 0;
    for word in answer.split_whitespace() {
        length += 1 + word.chars().count();
        if length > LONGEST {
            text.push_str(" …");
            break;
        }
        text.push(' ');
        text.push_str(word);
    }
    text
}

/// The gravest severity among `findings`; the record's risk stands in where there is no verdict.
pub(super) fn worst(record: &Record, findings: &[Finding]) -> Option<Severity> {
    findings
        .iter()
        .filter_map(|Finding { outcome, .. }| {
            let given = outcome.judged().and_then(|judged| judged.severity);
            ranked_severity(outcome.state(), given, record.risk_level, &[])
        })
        .max()
}
