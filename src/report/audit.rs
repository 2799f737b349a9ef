//! What there is to say of the audits of a store: how its claims are ruled at present.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    Bar, Case, Chart, Detail, Ended, Fact, Figure, Findings, Found, Kind, Part, Report, Shows, Table, Unit,
};
use crate::domain::decision::Disposition;
use crate::domain::queue::Given;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Severity, Verdict};
use crate::measure::estimate::Estimate;
use crate::measure::proportion::wilson;

/// Wrong claims that are listed; the rest are counted.
const MOST_LISTED: usize = 1000;

/// A claim as it is ruled at present: by the latest decision of a person, else by the judge.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub id: String,
    pub record: String,
    pub text: String,
    /// `None` where nobody has a verdict.
    pub verdict: Option<Verdict>,
    pub severity: Option<Severity>,
    /// The judge's own grounded verdict.
    pub judge: Option<Verdict>,
    pub by_people: bool,
    /// Whether it is no claim but the entry of an answer that makes none.
    pub is_no_claims: bool,
    /// How far the audit came: `JUDGED`, `NOT_CHECKED` …
    pub state: &'static str,
    /// What decided, or why there is no verdict.
    pub why: String,
    /// The words that decide, with their passage.
    pub evidence: Option<String>,
    /// Judge, model and prompt.
    pub audited_by: String,
}

impl Claim {
    fn is_wrong(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Unsupported | Verdict::Contradicted))
    }

    fn label(&self) -> &'static str {
        self.verdict.map_or(self.state, Verdict::label)
    }
}

/// Adds up the claims of a store.
#[derive(Debug, Clone, Default)]
pub struct Audited {
    records: BTreeSet<String>,
    claims: u64,
    no_claims: u64,
    by_verdict: [u64; Verdict::ALL.len()],
    by_severity: [u64; Severity::ALL.len()],
    without: BTreeMap<&'static str, u64>,
    /// Claims that people decided, and those of them on which a judge that has a verdict is right.
    decided: u64,
    compared: u64,
    agreed: u64,
    judges: BTreeMap<String, u64>,
    wrong: Vec<Claim>,
    wrong_in_all: u64,
    answers: BTreeMap<String, Given>,
    cases: Vec<Case>,
}

impl Audited {
    /// Takes in a claim; with its case where each is to be told.
    pub fn add(&mut self, claim: Claim, with_cases: bool) {
        self.records.insert(claim.record.clone());
        *self.judges.entry(claim.audited_by.clone()).or_default() += 1;
        if claim.is_no_claims && !claim.by_people {
            self.no_claims += 1;
            return;
        }
        self.claims += 1;
        match claim.verdict {
            Some(verdict) => self.by_verdict[verdict as usize] += 1,
            None => *self.without.entry(claim.state).or_default() += 1,
        }
        if let (Some(severity), true) = (claim.severity, claim.verdict.is_some()) {
            self.by_severity[severity as usize] += 1;
        }
        self.decided += u64::from(claim.by_people);
        if let (true, Some(own), Some(verdict)) = (claim.by_people, claim.judge, claim.verdict) {
            self.compared += 1;
            self.agreed += u64::from(own == verdict);
        }
        if with_cases {
            self.cases.push(case(&claim));
        }
        if claim.is_wrong() {
            self.wrong_in_all += 1;
            self.wrong.push(claim);
            if self.wrong.len() >= 2 * MOST_LISTED {
                self.keep_the_worst();
            }
        }
    }

    /// Takes in what was decided about a whole answer.
    pub fn dispose(&mut self, record: &str, given: &Given) {
        if !self.answers.contains_key(record) {
            self.answers.insert(record.to_owned(), given.clone());
        }
    }

    fn keep_the_worst(&mut self) {
        self.wrong.sort_by_key(|claim| Reverse((claim.severity, claim.verdict)));
        self.wrong.truncate(MOST_LISTED);
    }

    /// The report. `store` is what people call the store.
    pub fn report(mut self, store: &str, made_at: Timestamp, program: &str) -> Report {
        self.keep_the_worst();
        let cases = std::mem::take(&mut self.cases);
        let judged: u64 = self.by_verdict.iter().sum();
        Report {
            kind: Kind::Audit,
            name: None,
            title: format!("Audits of {store}"),
            made_at,
            program: program.to_owned(),
            provisional: None,
            sentences: self.sentences(judged),
            gate: None,
            facts: self.facts(),
            parts: [
                Part::new("Claims", Shows::Figures(self.figures(judged)))
                    .saying("What people decided stands in place of what the judge found.")
                    .saying(
                        "Intervals take each claim by itself. Claims of one answer hang together: where answers make \
                         several, the true intervals are wider.",
                    ),
                Part::new("Verdicts", Shows::Chart(self.verdicts())),
                Part::new("Severities", Shows::Chart(self.severities())),
                Part::new("Without a verdict", Shows::Table(self.states())),
                Part::new("Answers", Shows::Table(self.dispositions())),
            ]
            .into_iter()
            .chain(self.held_back())
            .chain([Part::new("Wrong claims, the worst first", Shows::Findings(self.findings()))])
            .collect(),
            cases,
            data: self.data(),
        }
    }

    fn wrong_share(&self, judged: u64) -> Estimate {
        wilson(self.wrong_in_all, judged)
    }

    fn sentences(&self, judged: u64) -> Vec<String> {
        let claims = format!("{} claims of {} records", self.claims, self.records.len());
        let mut sentences = vec![match self.wrong_share(judged).value() {
            Some(share) => format!(
                "{claims}: {} of those with a verdict are wrong ({} of {judged}), {} of them CRITICAL.",
                Unit::Share.shown(share),
                self.wrong_in_all,
                self.by_severity[Severity::Critical as usize],
            ),
            None => format!("{claims}, none with a verdict."),
        }];
        if self.claims > judged {
            sentences.push(format!("{} claims have no verdict; no rate counts them.", self.claims - judged));
        }
        sentences.push(format!("People decided {} of the claims.", self.decided));
        sentences
    }

    fn facts(&self) -> Vec<Fact> {
        let judges = self.judges.iter();
        judges.map(|(judge, claims)| Fact::new("judge", format!("{judge} ({claims} claims)"))).collect()
    }

    fn figures(&self, judged: u64) -> Vec<Figure> {
        let share = |id: &str, name: &str, part: u64, whole: u64, of: &str| {
            Figure::of(id, name, Unit::Share, &wilson(part, whole), of)
        };
        let of_verdict = |verdict: Verdict| self.by_verdict[verdict as usize];
        vec![
            Figure::new("records", "records", Unit::Count, Ok::<_, &str>(self.records.len() as f64)),
            Figure::new("claims", "claims", Unit::Count, Ok::<_, &str>(self.claims as f64)),
            share("coverage", "claims with a verdict", judged, self.claims, "claims"),
            share("wrong", "wrong (unsupported, contradicted)", self.wrong_in_all, judged, "with a verdict"),
            share(
                "contradicted",
                "contradicted",
                of_verdict(Verdict::Contradicted),
                judged,
                "with a verdict",
            ),
            share(
                "supported",
                "fully supported",
                of_verdict(Verdict::FullySupported),
                judged,
                "with a verdict",
            ),
            share("decided", "decided by people", self.decided, self.claims, "claims"),
            share("agreed", "of those, as the judge had it", self.agreed, self.compared, "decided"),
        ]
    }

    fn verdicts(&self) -> Chart {
        let bar = |verdict: &Verdict| Bar {
            name: verdict.label().to_owned(),
            values: vec![Some(self.by_verdict[*verdict as usize] as f64)],
        };
        Chart {
            unit: Unit::Count,
            series: vec!["claims".to_owned()],
            bars: Verdict::ALL.iter().map(bar).collect(),
        }
    }

    fn severities(&self) -> Chart {
        let bar = |severity: &Severity| Bar {
            name: severity.label().to_owned(),
            values: vec![Some(self.by_severity[*severity as usize] as f64)],
        };
        let bars = Severity::ALL.iter().rev().map(bar).collect();
        Chart { unit: Unit::Count, series: vec!["claims".to_owned()], bars }
    }

    fn states(&self) -> Table {
        let mut table = Table::of_numbers(&["state", "claims"]);
        for (state, count) in &self.without {
            table.push([(*state).to_owned(), count.to_string()]);
        }
        table.push(["answers without a claim".to_owned(), self.no_claims.to_string()]);
        table
    }

    fn dispositions(&self) -> Table {
        let mut table = Table::of_numbers(&["disposition", "answers"]);
        for disposition in Disposition::ALL {
            let count = self.answers.values().filter(|given| given.disposition == *disposition).count();
            table.push([disposition.label().to_owned(), count.to_string()]);
        }
        table.push(["none yet".to_owned(), (self.records.len() - self.answers.len()).to_string()]);
        table
    }

    /// The answers that were returned or blocked, and what is to become of them in people's own words.
    fn held_back(&self) -> Option<Part> {
        let mut table = Table::of_words(&["answer", "disposition", "by", "at", "why"]);
        let held = self.answers.iter().filter(|(_, given)| given.disposition != Disposition::Release);
        for (record, given) in held.take(MOST_LISTED) {
            table.push([
                record.clone(),
                given.disposition.label().to_owned(),
                given.annotator.to_string(),
                given.at.to_string(),
                given.note.clone().unwrap_or_default(),
            ]);
        }
        (!table.rows.is_empty())
            .then(|| Part::new("Returned and blocked answers", Shows::Table(table)))
            .map(|part| part.saying("Why stands here as the person wrote it."))
    }

    fn findings(&self) -> Findings {
        let found = |claim: &Claim| {
            let mut details = Vec::new();
            details.extend(claim.evidence.as_ref().map(|evidence| Detail::new("evidence", evidence.clone())));
            if !claim.why.is_empty() {
                details.push(Detail::new("why", claim.why.clone()));
            }
            if claim.by_people {
                details.push(Detail::new("decided", "by a person"));
            }
            Found {
                id: claim.id.clone(),
                severity: claim.severity,
                label: claim.label().to_owned(),
                text: claim.text.clone(),
                details,
            }
        };
        Findings {
            none: "No claim is wrong.".to_owned(),
            total: self.wrong_in_all,
            list: self.wrong.iter().map(found).collect(),
        }
    }

    fn data(&self) -> Value {
        let verdicts =
            Verdict::ALL.iter().map(|it| (it.label().to_owned(), json!(self.by_verdict[*it as usize])));
        let severities = Severity::ALL.iter().rev();
        let severities = severities.map(|it| (it.label().to_owned(), json!(self.by_severity[*it as usize])));
        json!({
            "records": self.records.len(),
            "claims": self.claims,
            "by_verdict": verdicts.collect::<serde_json::Map<_, _>>(),
            "by_severity": severities.collect::<serde_json::Map<_, _>>(),
            "without_verdict": self.without,
            "answers_without_claims": self.no_claims,
            "decided_by_people": self.decided,
            "dispositions": self.answers.iter().map(|(record, given)| json!({
                "audit_id": record, "value": given.disposition, "annotator": given.annotator, "at": given.at,
                "note": given.note,
            })).collect::<Vec<_>>(),
        })
    }
}

fn case(claim: &Claim) -> Case {
    let ended = match claim.verdict {
        Some(Verdict::FullySupported | Verdict::PartiallySupported) => Ended::Passed,
        Some(Verdict::Unsupported | Verdict::Contradicted) => Ended::Failed,
        None if claim.state == "FAILED" => Ended::Error,
        None => Ended::Skipped,
    };
    let severity = claim.severity.map_or(String::new(), |severity| format!("{severity} "));
    let evidence =
        claim.evidence.as_ref().map_or(String::new(), |evidence| format!("\nevidence: {evidence}"));
    let text = match ended {
        Ended::Passed => String::new(),
        _ => format!("{severity}{}: {}\n{}{evidence}", claim.label(), claim.text, claim.why),
    };
    Case { group: claim.record.clone(), name: claim.id.clone(), ended, text }
}
