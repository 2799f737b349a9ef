//! How an audit came out, counted: the numbers of a summary.

use serde::Serialize;
use serde::ser::SerializeMap;

use super::finding::{Finding, Outcome};
use super::verdict::{NoVerdict, Severity, Verdict};

/// Counts over the claims of audited records. A label without grounded evidence is no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// Records whose audit is stored, failed ones included.
    pub audited: u64,
    /// Claims, judged or not; the entry that stands for a whole answer counts as one.
    pub claims: u64,
    #[serde(serialize_with = "by_verdict")]
    pub by_verdict: [u64; Verdict::ALL.len()],
    /// Severity of the claims that have a verdict.
    #[serde(serialize_with = "by_severity")]
    pub by_severity: [u64; Severity::ALL.len()],
    /// Claims without a verdict that counts, for whatever reason.
    pub no_verdict: u64,
    /// Records whose audit failed.
    pub failed: u64,
}

impl Tally {
    /// Counts one record with its findings.
    pub fn add_record(&mut self, findings: &[Finding]) {
        self.audited += 1;
        self.failed += u64::from(findings.iter().any(is_failure));
        for finding in findings {
            let judged = match &finding.outcome {
                Outcome::Judged(judged) => Some(judged),
                Outcome::Ungrounded(_) | Outcome::NotJudged { .. } => None,
            };
            self.add_claims(
                judged.map(|judged| judged.verdict),
                judged.and_then(|judged| judged.severity),
                1,
            );
        }
    }

    /// Counts `count` claims of the same outcome. `verdict` is `None` unless it is grounded.
    pub fn add_claims(&mut self, verdict: Option<Verdict>, severity: Option<Severity>, count: u64) {
        self.claims += count;
        let Some(verdict) = verdict else {
            self.no_verdict += count;
            return;
        };
        self.by_verdict[verdict as usize] += count;
        if let Some(severity) = severity {
            self.by_severity[severity as usize] += count;
        }
    }

    /// Claims that are UNSUPPORTED or CONTRADICTED.
    pub fn wrong(&self) -> u64 {
        self.of_verdict(Verdict::Unsupported) + self.of_verdict(Verdict::Contradicted)
    }

    /// Their share of the claims with a verdict, from 0 to 1; `None` where no claim has one.
    pub fn wrong_share(&self) -> Option<f64> {
        let judged: u64 = self.by_verdict.iter().sum();
        (judged > 0).then(|| self.wrong() as f64 / judged as f64)
    }

    /// Counts what `other` counted as well.
    pub fn add(&mut self, other: &Self) {
        self.audited += other.audited;
        self.claims += other.claims;
        self.no_verdict += other.no_verdict;
        self.failed += other.failed;
        for (sum, more) in self.by_verdict.iter_mut().zip(other.by_verdict) {
            *sum += more;
        }
        for (sum, more) in self.by_severity.iter_mut().zip(other.by_severity) {
            *sum += more;
        }
    }

    /// Claims with exactly this verdict.
    pub fn of_verdict(&self, verdict: Verdict) -> u64 {
        self.by_verdict[verdict as usize]
    }
}

fn is_failure(finding: &Finding) -> bool {
    matches!(finding.outcome, Outcome::NotJudged { state: NoVerdict::Failed, .. })
}

fn by_verdict<S: serde::Serializer>(
    counts: &[u64; Verdict::ALL.len()],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    labelled(Verdict::ALL.iter().zip(counts), serializer)
}

fn by_severity<S: serde::Serializer>(
    counts: &[u64; Severity::ALL.len()],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    labelled(Severity::ALL.iter().zip(counts).rev(), serializer)
}

fn labelled<'a, L: Serialize + 'a, S: serde::Serializer>(
    entries: impl Iterator<Item = (&'a L, &'a u64)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (label, count) in entries {
        map.serialize_entry(label, count)?;
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Judged;
    use crate::domain::verdict::Probability;

    fn finding(outcome: Outcome) -> Finding {
        Finding { claim_text: "a claim".into(), given_id: None, answer_span: None, outcome }
    }

    fn judged(verdict: Verdict, severity: Option<Severity>) -> Judged {
        Judged {
            verdict,
            confidence: Probability::clamped(0.9),
            severity,
            hallucination_type: None,
            citations: Vec::new(),
            rationale: String::new(),
            support: None,
        }
    }

    #[test]
    fn only_grounded_verdicts_are_counted_by_label() {
        let mut tally = Tally::default();
        tally.add_record(&[
            finding(Outcome::Judged(judged(Verdict::Contradicted, Some(Severity::Critical)))),
            finding(Outcome::Judged(judged(Verdict::FullySupported, None))),
            finding(Outcome::Ungrounded(judged(Verdict::Contradicted, Some(Severity::High)))),
        ]);
        tally.add_record(&[finding(Outcome::NotJudged { state: NoVerdict::Failed, reason: "down".into() })]);
        insta::assert_snapshot!(serde_json::to_string(&tally).unwrap(), @r#"{"audited":2,"claims":4,"by_verdict":{"FULLY_SUPPORTED":1,"PARTIALLY_SUPPORTED":0,"UNSUPPORTED":0,"CONTRADICTED":1},"by_severity":{"CRITICAL":1,"HIGH":0,"MEDIUM":0,"LOW":0},"no_verdict":2,"failed":1}"#);
        assert_eq!(tally.of_verdict(Verdict::Contradicted), 1);
    }
}
