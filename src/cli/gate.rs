//! The gate of `juror audit --fail-on`: which claims it concerns, as they are ruled at present.

use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::audit::{counted, table};
use super::export::provisional;
use super::share::Share;
use super::{Exit, Output};
use crate::domain::calibration::CalibrationState;
use crate::domain::finding::JudgeIdentity;
use crate::domain::ids::ClaimId;
use crate::domain::queue::EarlierDecision;
use crate::domain::tally::Tally;
use crate::domain::verdict::{Severity, Verdict};
use crate::store::{Damaged, InForce, InUse, Store, StoreError};

/// The instrument of audits.
const FAITHFULNESS: &str = "faithfulness";

/// Claims that are named; the rest are counted.
const NAMED: usize = 10;

/// What makes the gate say no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailOn {
    Verdict(Verdict),
    /// This severity or a worse one.
    Severity(Severity),
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let severity = || text.parse().map(Self::Severity);
        text.parse().map(Self::Verdict).or_else(|_| severity()).map_err(|_| {
            let verdicts = Verdict::ALL.iter().map(|verdict| verdict.label());
            let severities = Severity::ALL.iter().rev().map(|severity| severity.label());
            let allowed: Vec<_> = verdicts.chain(severities).collect();
            format!("`{text}` is neither a verdict nor a severity: use one of {}", allowed.join(", "))
        })
    }
}

impl FailOn {
    fn hits(self, claim: &InForce) -> bool {
        self.is(claim.verdict, claim.severity)
    }

    /// Whether the gate would say no by what people ruled on the same claim in an earlier audit.
    fn hits_by_earlier(self, claim: &InForce) -> bool {
        claim.ruled_worse.as_ref().is_some_and(|earlier| {
            let ruling = &earlier.decided.ruling;
            self.is(ruling.verdict.as_verdict(), ruling.severity)
        })
    }

    fn is(self, verdict: Option<Verdict>, severity: Option<Severity>) -> bool {
        match self {
            Self::Verdict(wrong) => verdict == Some(wrong),
            Self::Severity(least) => severity >= Some(least),
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Verdict(verdict) => verdict.label(),
            Self::Severity(severity) => severity.label(),
        }
    }

    /// What it concerns, in words.
    fn name(self) -> String {
        let or_worse = match self {
            Self::Verdict(_) | Self::Severity(Severity::Critical) => "",
            Self::Severity(_) => " or worse",
        };
        format!("{}{or_worse}", self.label())
    }

    fn sentence(self, found: &Found) -> String {
        let claims =
            if found.hits == 1 { "1 claim is".to_owned() } else { format!("{} claims are", found.hits) };
        let (label, name) = (self.label(), self.name());
        let parts = [
            (found.by_judge, "by the judge's word"),
            (found.by_people, "as people decided"),
            (found.in_dispute, "in dispute, by the worst that is said"),
            (found.by_earlier, "as people decided in an earlier audit"),
        ];
        let who = match parts.iter().filter(|(count, _)| *count > 0).collect::<Vec<_>>().as_slice() {
            [_] if found.by_judge > 0 => "by the judge's word, undecided".to_owned(),
            [(_, who)] => (*who).to_owned(),
            several => {
                several.iter().map(|(count, who)| format!("{count} {who}")).collect::<Vec<_>>().join(", ")
            }
        };
        let first = found.first.first().map_or(String::new(), |id| format!("; {id} first"));
        format!("--fail-on {label}: {claims} {name} ({who}){first}")
    }
}

impl Serialize for FailOn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

/// Claims that something concerns.
#[derive(Debug, Clone, Default, Serialize)]
struct Found {
    hits: u64,
    /// Those that nobody said anything of.
    by_judge: u64,
    /// Those that a person's decision made so, or left so.
    by_people: u64,
    /// Those on which people disagree, and nobody settled it: the worst that is said counts.
    in_dispute: u64,
    /// Those of which the judge says something better now, while people ruled so on the same claim in an
    /// earlier audit and nobody has decided since.
    by_earlier: u64,
    /// The first ones in order of import.
    first: Vec<String>,
}

impl Found {
    fn add(&mut self, claim: &InForce, by_earlier: bool) {
        self.hits += 1;
        let whose = match (by_earlier, claim.is_disputed, claim.by_people) {
            (true, ..) => &mut self.by_earlier,
            (false, true, _) => &mut self.in_dispute,
            (false, false, true) => &mut self.by_people,
            (false, false, false) => &mut self.by_judge,
        };
        *whose += 1;
        if self.first.len() < NAMED {
            self.first.push(claim.id.to_string());
        }
    }
}

/// What `--fail-on` found in the current audits of the whole store.
#[derive(Debug, Serialize)]
pub(super) struct InForceGate {
    fail_on: Vec<FailOn>,
    /// Claims that any of the conditions concerns.
    #[serde(flatten)]
    any: Found,
    /// The same for each condition.
    #[serde(skip)]
    each: Vec<Found>,
    /// Of these, claims of answers that people blocked or returned.
    kept_back: u64,
    /// Claims without a verdict on which nobody decided: whether they are what the gate is there for is not known.
    without_verdict: u64,
    /// The first of them.
    #[serde(skip)]
    open: Vec<String>,
    /// How many there may be.
    #[serde(skip)]
    min_coverage: Share,
    /// Entries of answers that make no claim.
    #[serde(skip)]
    no_claims: u64,
    /// Claims that cannot be read, so that nobody knows how they are ruled.
    damaged: u64,
    /// Sentences about the first of them.
    #[serde(skip)]
    said: Vec<String>,
    /// What people ruled in an earlier audit and nobody has decided on since, in words; the first ones.
    #[serde(skip)]
    ruled_worse: Vec<String>,
    /// All claims of the current audits as they are ruled now.
    #[serde(skip)]
    in_force: Tally,
    /// Claims on which a person's decision stands.
    #[serde(skip)]
    decided: u64,
    /// Claims on which people disagree, and nobody settled it.
    #[serde(skip)]
    disputed: u64,
    #[serde(skip)]
    undecided: u64,
    /// How the judges of the current audits stand against people.
    judges: Vec<Standing>,
}

/// How a judge stands against people, as it was when it audited.
#[derive(Debug, Serialize)]
struct Standing {
    judge: String,
    model: String,
    prompt_version: String,
    /// Records whose current audit it made.
    audits: u64,
    state: CalibrationState,
    sentence: String,
}

impl Standing {
    fn of(one: InUse) -> Self {
        let InUse { identity, audits, now, .. } = one;
        let JudgeIdentity { judge, model, prompt_version, .. } = identity;
        Self { judge, model, prompt_version, audits, state: now.state, sentence: now.sentence }
    }

    fn in_words(&self) -> String {
        let Self { judge, model, prompt_version, audits, state, sentence } = self;
        let of = counted(*audits, "record");
        format!("judge of {of}: {judge} ({model}), {prompt_version}: {state}, {sentence}")
    }
}

impl InForceGate {
    /// Looks at every claim; `None` without a condition.
    pub(super) fn look(
        store: &Store,
        fail_on: &[FailOn],
        min_coverage: Share,
        undisposed: bool,
    ) -> Result<Option<Self>, StoreError> {
        if fail_on.is_empty() {
            return Ok(None);
        }
        let mut gate = Self {
            fail_on: fail_on.to_vec(),
            any: Found::default(),
            each: vec![Found::default(); fail_on.len()],
            kept_back: 0,
            without_verdict: 0,
            open: Vec::new(),
            min_coverage,
            no_claims: 0,
            damaged: 0,
            said: Vec::new(),
            ruled_worse: Vec::new(),
            in_force: Tally::default(),
            decided: 0,
            disputed: 0,
            undecided: store.undecided_at_risk()?,
            judges: store
                .judges_in_force()?
                .into_iter()
                .filter(|one| one.instrument == FAITHFULNESS)
                .map(Standing::of)
                .collect(),
        };
        let kept_back = store.kept_back()?;
        let mut record = None;
        store.for_each_in_force(|read| {
            let claim = match read {
                Ok(claim) => claim,
                Err(damaged) => {
                    gate.damaged(&damaged);
                    return Ok::<_, StoreError>(());
                }
            };
            gate.in_force.add_claims(claim.verdict, claim.severity, 1);
            gate.decided += u64::from(claim.by_people && !claim.is_disputed);
            gate.disputed += u64::from(claim.is_disputed);
            let is_kept_back = kept_back.contains(claim.id.audit_id());
            let counts = !(undisposed && is_kept_back);
            if counts {
                gate.settled(&claim);
            }
            if record.as_ref() != Some(claim.id.audit_id()) {
                gate.in_force.audited += 1;
                record = Some(claim.id.audit_id().clone());
            }
            if !counts {
                return Ok(());
            }
            let (mut is_hit, mut is_hit_by_earlier) = (false, false);
            for (condition, found) in gate.fail_on.iter().zip(&mut gate.each) {
                let hits = condition.hits(&claim);
                if hits || condition.hits_by_earlier(&claim) {
                    found.add(&claim, !hits);
                    is_hit |= hits;
                    is_hit_by_earlier |= !hits;
                }
            }
            if is_hit || is_hit_by_earlier {
                gate.any.add(&claim, !is_hit);
                gate.kept_back += u64::from(is_kept_back);
            }
            if let Some(earlier) = claim.ruled_worse.filter(|_| is_hit_by_earlier)
                && gate.ruled_worse.len() < NAMED
            {
                gate.ruled_worse.push(in_words(&claim.id, &earlier));
            }
            Ok(())
        })?;
        Ok(Some(gate))
    }

    /// Routed claims of HIGH and CRITICAL records that nobody decided.
    pub(super) fn undecided(&self) -> u64 {
        self.undecided
    }

    /// Counts a claim that has no verdict, neither of the judge nor of a person.
    fn settled(&mut self, claim: &InForce) {
        if claim.verdict.is_some() || claim.by_people && !claim.is_disputed {
            return;
        }
        if claim.is_no_claims {
            self.no_claims += 1;
            return;
        }
        self.without_verdict += 1;
        if self.open.len() < NAMED {
            self.open.push(claim.id.to_string());
        }
    }

    /// Whether enough claims are settled to say yes.
    fn is_covered(&self) -> bool {
        self.has_verdicts() && {
            // Each has a verdict, or a person decided on it.
            let claims = self.in_force.claims - self.no_claims;
            self.min_coverage.is_reached(claims.saturating_sub(self.without_verdict), claims)
        }
    }

    fn damaged(&mut self, row: &Damaged) {
        self.damaged += 1;
        if self.said.len() < NAMED {
            self.said.push(row.to_string());
        }
    }

    fn has_verdicts(&self) -> bool {
        self.in_force.no_verdict < self.in_force.claims
    }

    /// Why it cannot say yes, and what to do.
    fn uncovered(&self) -> String {
        let first = self.open.first().map_or(String::new(), |id| format!(", {id} first"));
        format!(
            "--fail-on: {} no verdict and nobody decided{first}: not enough evidence to say; decide on them, audit \
             them again (--again-failed), or allow for some by --min-coverage",
            having(self.without_verdict)
        )
    }

    /// What it went by, and what it comes to, for people.
    pub(super) fn in_force(&self) -> String {
        let (records, claims) =
            (counted(self.in_force.audited, "record"), counted(self.in_force.claims, "claim"));
        let disputed = match self.disputed {
            0 => String::new(),
            count => format!(", {count} in dispute"),
        };
        let mut lines =
            vec![format!("in force: {records}, {claims}, {} by people's decision{disputed}", self.decided)];
        lines.extend(table(&self.in_force));
        lines.extend(self.judges.iter().map(Standing::in_words));
        let labels: Vec<String> = self.fail_on.iter().map(|condition| condition.name()).collect();
        lines.push(if self.damaged > 0 {
            format!("gate: cannot say yes ({} cannot be read)", counted(self.damaged, "claim"))
        } else if self.any.hits > 0 {
            let earlier = match self.any.by_earlier {
                0 => String::new(),
                count => format!(", {count} by what people ruled in an earlier audit"),
            };
            format!("gate: closed ({}{earlier})", counted(self.any.hits, "claim"))
        } else if self.is_covered() {
            let provisional = if self.undecided > 0 { ", provisional" } else { "" };
            format!("gate: open (no claim is {}{provisional})", labels.join(" or "))
        } else if self.has_verdicts() {
            format!("gate: cannot say yes ({} no verdict)", having(self.without_verdict))
        } else {
            "gate: cannot say (nothing has a verdict)".to_owned()
        });
        lines.join("\n")
    }

    /// Says what it found and what that comes to. A claim that cannot be read might be what the gate is
    /// there for: with one it never says yes, and a no is not all that it would say.
    pub(super) fn say(&self, out: &mut Output) -> Exit {
        if self.undecided > 0 {
            out.error(&provisional(self.undecided));
        }
        for sentence in &self.said {
            out.error(sentence);
        }
        if self.damaged > 0 {
            let claims = counted(self.damaged, "claim");
            out.error(&format!("--fail-on: {claims} could not be read: the gate cannot say yes"));
        } else if self.any.hits == 0 && !self.has_verdicts() {
            out.error("--fail-on: nothing in the store has a verdict: not enough evidence to say");
            return Exit::NotEnough;
        }
        for (condition, found) in self.fail_on.iter().zip(&self.each) {
            if found.hits > 0 {
                out.error(&condition.sentence(found));
            }
        }
        if self.kept_back > 0 {
            out.error(&format!(
                "--fail-on: of {}, {} in answers that people blocked or returned: --undisposed leaves them out",
                counted(self.any.hits, "claim"),
                if self.kept_back == 1 { "1 stands".to_owned() } else { format!("{} stand", self.kept_back) },
            ));
        }
        for sentence in &self.ruled_worse {
            out.error(sentence);
        }
        if self.damaged > 0 {
            Exit::RunFailed
        } else if self.any.hits > 0 {
            Exit::GateSaysNo
        } else if !self.is_covered() {
            out.error(&self.uncovered());
            Exit::NotEnough
        } else {
            Exit::Fine
        }
    }
}

/// "3 claims have".
fn having(claims: u64) -> String {
    format!("{} {}", counted(claims, "claim"), if claims == 1 { "has" } else { "have" })
}

/// Who keeps the gate closed, with what, since when, and what to do.
fn in_words(claim: &ClaimId, earlier: &EarlierDecision) -> String {
    let decided = &earlier.decided;
    let severity = decided.ruling.severity.map_or(String::new(), |severity| format!(" {severity}"));
    let at = decided.at.to_string();
    format!(
        "{claim}: {} ruled {}{severity} on it on {} when it was {}, and nobody has decided since it was audited \
         again: decide on {claim}",
        earlier.annotator,
        decided.ruling.verdict,
        at.get(..10).unwrap_or(&at),
        earlier.id,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_a_verdict_or_a_severity() {
        assert_eq!("contradicted".parse(), Ok(FailOn::Verdict(Verdict::Contradicted)));
        assert_eq!("CRITICAL".parse(), Ok(FailOn::Severity(Severity::Critical)));
        let error = "bad".parse::<FailOn>().unwrap_err();
        assert!(error.contains("CONTRADICTED") && error.contains("LOW"), "{error}");
    }
}
