//! What there is to say of the audits of a store: how its claims are ruled at present.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::answers::{Answers, minute};
use super::listed::Listed;
use super::said::Said;
use super::{Bar, Case, Chart, Detail, Ended, Fact, Figure, Found, Kind, Part, Report, Shows, Table, Unit};
use crate::domain::queue::Given;
use crate::domain::routing::is_worse;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Severity, Verdict};
use crate::domain::word::Word;
use crate::measure::clusters::{Clusters, share};
use crate::measure::estimate::Estimate;
use crate::measure::proportion::wilson;

/// A claim as it is ruled at present: by what people say together, else by the judge; while people disagree by the
/// worst that is said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub id: String,
    pub record: String,
    pub text: String,
    /// `None` where nobody has a verdict.
    pub verdict: Option<Verdict>,
    pub severity: Option<Severity>,
    /// Whether it is no claim but the entry of an answer that makes none.
    pub is_no_claims: bool,
    /// Whether no person was asked about it, and none said anything of it.
    pub is_unasked: bool,
    pub said: Said,
    /// Judge, model and prompt.
    pub audited_by: String,
}

impl Claim {
    fn is_disputed(&self) -> bool {
        matches!(self.said.word(), Word::Disputed)
    }

    /// The verdict, or what stands in its place.
    fn label(&self) -> &'static str {
        match (self.said.word(), self.verdict) {
            (Word::Disputed, _) => DISPUTED,
            (_, Some(verdict)) => verdict.label(),
            (word, None) => {
                word.decision().map_or(self.said.judge.state, |(_, decided)| decided.ruling.verdict.label())
            }
        }
    }

    /// Whether people ruled worse on it when it stood in an earlier audit, and nobody has decided since.
    fn is_ruled_worse_before(&self) -> bool {
        let now = (self.verdict, self.severity);
        let before = self.said.earlier.as_ref().filter(|_| matches!(self.said.word(), Word::Open));
        before.is_some_and(|earlier| is_worse(&earlier.decided.ruling, now))
    }

    /// Whether the judge finds it wrong, and people do not.
    fn is_cleared(&self) -> bool {
        self.said.word().decision().is_some() && is_wrong(self.said.judge.verdict) && !is_wrong(self.verdict)
    }

    /// Whether people decided on it after the judge called it supported, fully or partly.
    fn is_passed(&self) -> bool {
        self.said.word().decision().is_some()
            && matches!(self.said.judge.verdict, Some(Verdict::FullySupported | Verdict::PartiallySupported))
    }

    /// Whether the judge calls it supported, and people found less than that.
    fn is_missed(&self) -> bool {
        let is_less = is_wrong(self.verdict)
            || (self.said.judge.verdict == Some(Verdict::FullySupported)
                && self.verdict == Some(Verdict::PartiallySupported));
        self.is_passed() && is_less
    }
}

fn is_wrong(verdict: Option<Verdict>) -> bool {
    matches!(verdict, Some(Verdict::Unsupported | Verdict::Contradicted))
}

/// The classes of [`Audited::by_answer`] that are verdicts, and those of them that are wrong.
const ANY: [usize; Verdict::ALL.len()] = [0, 1, 2, 3];
const WRONG: [usize; 2] = [Verdict::Unsupported as usize, Verdict::Contradicted as usize];

/// What a claim is called on which people disagree.
const DISPUTED: &str = "DISPUTED";

/// Adds up the claims of a store.
#[derive(Debug, Clone, Default)]
pub struct Audited {
    claims: u64,
    no_claims: u64,
    unasked: u64,
    by_verdict: [u64; Verdict::ALL.len()],
    by_severity: [u64; Severity::ALL.len()],
    without: BTreeMap<&'static str, u64>,
    /// Claims that people decided, and those of them on which a judge that has a verdict is right.
    decided: u64,
    compared: u64,
    agreed: u64,
    passed: u64,
    judges: BTreeMap<String, u64>,
    wrong_in_all: u64,
    wrong_critical: u64,
    disputed: Listed,
    wrong: Listed,
    before: Listed,
    cleared: Listed,
    missed: Listed,
    missed_data: Vec<Value>,
    partly: Listed,
    /// What people said, for programs.
    ruled: Vec<Value>,
    /// Of each answer its record, and its claims by verdict, the last those without one: they hang together.
    by_answer: Vec<(String, [u64; Verdict::ALL.len() + 1])>,
    answers: Answers,
    /// Who ruled on claims or gave dispositions and how often, and from when to when.
    reviewers: BTreeMap<String, u64>,
    reviewed: Option<(Timestamp, Timestamp)>,
    cases: Vec<Case>,
}

impl Audited {
    /// Takes in a claim; with its case and its rulings where each is to be told.
    pub fn add(&mut self, claim: &Claim, with_cases: bool) {
        self.answers.add(claim);
        for (who, decided) in &claim.said.decisions {
            self.reviewed_by(who.as_str(), decided.at);
        }
        *self.judges.entry(claim.audited_by.clone()).or_default() += 1;
        let decision = claim.said.word().decision();
        let (is_decided, is_disputed) = (decision.is_some(), claim.is_disputed());
        if claim.is_no_claims && claim.said.decisions.is_empty() {
            self.no_claims += 1;
            return;
        }
        self.claims += 1;
        self.unasked += u64::from(claim.is_unasked);
        self.passed += u64::from(claim.is_passed());
        if self.by_answer.last().is_none_or(|(record, _)| *record != claim.record) {
            self.by_answer.push((claim.record.clone(), [0; Verdict::ALL.len() + 1]));
        }
        if let Some((_, counts)) = self.by_answer.last_mut() {
            counts[claim.verdict.map_or(Verdict::ALL.len(), |verdict| verdict as usize)] += 1;
        }
        match claim.verdict {
            Some(verdict) => self.by_verdict[verdict as usize] += 1,
            None => *self.without.entry(claim.label()).or_default() += 1,
        }
        if let (Some(severity), true) = (claim.severity, claim.verdict.is_some()) {
            self.by_severity[severity as usize] += 1;
        }
        self.decided += u64::from(is_decided);
        if let (true, Some(own), Some(verdict)) = (is_decided, claim.said.judge.verdict, claim.verdict) {
            self.compared += 1;
            self.agreed += u64::from(own == verdict);
        }
        if with_cases {
            self.cases.push(case(claim));
            self.ruled.extend(claim.said.data(&claim.id));
        }
        let is_wrong = is_wrong(claim.verdict);
        self.wrong_in_all += u64::from(is_wrong);
        self.wrong_critical += u64::from(is_wrong && claim.severity == Some(Severity::Critical));
        let rank = (claim.severity, claim.verdict);
        if claim.is_missed() {
            self.missed_data.push(json!({
                "id": claim.id, "judge": claim.said.judge.verdict, "people": claim.verdict, "severity": claim.severity,
            }));
            let mut found = found(claim, claim.severity);
            // All the rest stands where the claim is listed by what people ruled.
            let is_kept = |name: &str| ["decided by ", "settled by "].iter().any(|by| name.starts_with(by));
            found.details.retain(|detail| detail.name == "judge" || is_kept(&detail.name));
            self.missed.add(found, rank);
        }
        if is_disputed {
            let mut found = found(claim, claim.severity);
            found.details.insert(0, Detail::new("answer", self.answers.became(&claim.record)));
            self.disputed.add(found, rank);
        } else if is_wrong {
            let mut found = found(claim, claim.severity);
            found.details.insert(0, Detail::new("answer", self.answers.became(&claim.record)));
            self.wrong.add(found, rank);
        } else if claim.is_cleared() {
            let judge = &claim.said.judge;
            self.cleared.add(found(claim, None), (judge.severity, judge.verdict));
        } else if is_decided && claim.verdict == Some(Verdict::PartiallySupported) {
            let mut found = found(claim, claim.severity);
            found.details.insert(0, Detail::new("answer", self.answers.became(&claim.record)));
            self.partly.add(found, rank);
        } else if claim.is_ruled_worse_before() {
            let before = claim.said.earlier.as_ref().map(|earlier| &earlier.decided.ruling);
            let severity = before.and_then(|ruling| ruling.severity);
            let rank = (severity, before.and_then(|ruling| ruling.verdict.as_verdict()));
            self.before.add(found(claim, severity), rank);
        }
    }

    /// Takes in what was decided about a whole answer.
    pub fn dispose(&mut self, record: &str, given: &Given) {
        if self.answers.dispose(record, given) {
            self.reviewed_by(given.annotator.as_str(), given.at);
        }
    }

    /// Takes in a disposition in whose place another person set one that differs.
    pub fn overruled(&mut self, record: String, given: Given) {
        self.answers.overruled(record, given);
    }

    fn reviewed_by(&mut self, who: &str, at: Timestamp) {
        *self.reviewers.entry(who.to_owned()).or_default() += 1;
        let (first, last) = self.reviewed.unwrap_or((at, at));
        self.reviewed = Some((first.min(at), last.max(at)));
    }

    /// The report. `store` is what people call the store.
    pub fn report(mut self, store: &str, made_at: Timestamp, program: &str) -> Report {
        let cases = std::mem::take(&mut self.cases);
        let data = self.data();
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
            parts: self.answers.first().into_iter().chain([
                Part::new("Claims", Shows::Figures(self.figures()))
                    .saying("What people decided stands in place of what the judge found.")
                    .saying(
                        "Claims of one answer hang together, so intervals of what claims are found to be are by \
                         answer.",
                    ),
                Part::new("Verdicts", Shows::Chart(self.verdicts())),
                Part::new("Severities", Shows::Chart(self.severities())),
                Part::new("Without a verdict", Shows::Table(self.states())),
            ])
            .chain(self.answers.parts())
            .chain(self.lists())
            .collect(),
            cases,
            data,
        }
    }

    /// The share of the claims of the classes `of` among the first so many classes, with its interval by answer.
    fn by_answer(&self, of: &[usize], among: usize) -> Estimate {
        let (mut clusters, mut counts) = (Clusters::new(ANY.len() + 1), vec![0; ANY.len() + 1]);
        for (answer, (_, classes)) in (0_u64..).zip(&self.by_answer) {
            for (class, claims) in classes.iter().enumerate().take(among) {
                (0..*claims).for_each(|_| clusters.add(answer, class));
                counts[class] += claims;
            }
        }
        share(&clusters, &counts, of)
    }

    fn wrong_share(&self, judged: u64) -> Estimate {
        wilson(self.wrong_in_all, judged)
    }

    fn sentences(&self, judged: u64) -> Vec<String> {
        let claims = format!("{} claims of {} records", self.claims, self.answers.count());
        let mut sentences = self.answers.sentences();
        sentences.push(match self.wrong_share(judged).value() {
            Some(share) => format!(
                "{claims}: {} of those with a verdict are wrong ({} of {judged}), {} of them CRITICAL.",
                Unit::Share.shown(share),
                self.wrong_in_all,
                self.wrong_critical,
            ),
            None => format!("{claims}, none with a verdict."),
        });
        if self.claims > judged {
            let without = counted(self.claims - judged, "claim has", "claims have");
            sentences.push(format!("{without} no verdict; no rate counts them."));
        }
        sentences.push(format!("People decided {} of the claims.", self.decided));
        if self.unasked > 0 {
            sentences.push(format!(
                "{} on the judge's word alone: nobody was asked about {}. `juror queue --filter is:unrouted` lists {}.",
                counted(self.unasked, "claim stands", "claims stand"),
                if self.unasked == 1 { "it" } else { "them" },
                if self.unasked == 1 { "it" } else { "them" },
            ));
        }
        if let disputed @ 1.. = self.disputed.total() {
            sentences.push(format!(
                "{} in dispute: people disagree, and nobody has settled it. Such a claim is open, and the rates count \
                 the worst that is said of it.",
                counted(disputed, "claim is", "claims are")
            ));
        }
        if let before @ 1.. = self.before.total() {
            sentences.push(format!(
                "On {} people ruled worse in an earlier audit than the judge does now, and nobody has decided since.",
                counted(before, "claim", "claims")
            ));
        }
        sentences
    }

    fn facts(&self) -> Vec<Fact> {
        let judges = self.judges.iter();
        let mut facts: Vec<Fact> =
            judges.map(|(judge, claims)| Fact::new("judge", format!("{judge} ({claims} claims)"))).collect();
        let people: Vec<String> =
            self.reviewers.iter().map(|(who, acts)| format!("{who} ({acts})")).collect();
        if let Some((first, last)) = self.reviewed {
            facts.push(Fact::new(
                "reviewed by",
                format!("{} (rulings and dispositions that stand)", people.join(", ")),
            ));
            facts.push(Fact::new("reviewed", format!("{} to {}", minute(first), minute(last))));
        }
        facts
    }

    fn figures(&self) -> Vec<Figure> {
        let of_all = |id: &str, name: &str, part: u64, whole: u64, of: &str| {
            Figure::of(id, name, Unit::Share, &wilson(part, whole), of)
        };
        let found = |id: &str, name: &str, of: &[usize], among: usize, what: &str| {
            Figure::of(id, name, Unit::Share, &self.by_answer(of, among), what)
        };
        vec![
            Figure::new("records", "records", Unit::Count, Ok::<_, &str>(self.answers.count() as f64)),
            Figure::new("claims", "claims", Unit::Count, Ok::<_, &str>(self.claims as f64)),
            found("coverage", "claims with a verdict", &ANY, ANY.len() + 1, "claims"),
            found("wrong", "wrong (unsupported, contradicted)", &WRONG, ANY.len(), "with a verdict"),
            found(
                "contradicted",
                "contradicted",
                &[Verdict::Contradicted as usize],
                ANY.len(),
                "with a verdict",
            ),
            found(
                "supported",
                "fully supported",
                &[Verdict::FullySupported as usize],
                ANY.len(),
                "with a verdict",
            ),
            of_all("decided", "decided by people", self.decided, self.claims, "claims"),
            of_all("agreed", "of those, as the judge had it", self.agreed, self.compared, "decided"),
            of_all("unasked", "nobody was asked about", self.unasked, self.claims, "claims"),
            of_all("disputed", "in dispute among people", self.disputed.total(), self.claims, "claims"),
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

    /// The lists of claims; those of wrong ones last, where a reader of a terminal ends.
    fn lists(&mut self) -> Vec<Part> {
        let part = |title: &str, listed: &mut Listed, none: &str| {
            Part::new(title, Shows::Findings(std::mem::take(listed).findings(none)))
        };
        let mut parts = Vec::new();
        if self.cleared.total() > 0 {
            parts.push(
                part("Wrong to the judge, and not to people", &mut self.cleared, "")
                    .saying("Here people overruled the judge; what it found wrong counts as they ruled."),
            );
        }
        if let missed @ 1.. = self.missed.total() {
            parts.push(part("Passed by the judge, wrong to people", &mut self.missed, "").saying(format!(
                "Of {} that the judge called fully or partly supported and people decided, {missed} {}. All else that \
                 was said of it is told below.",
                counted(self.passed, "claim", "claims"),
                if missed == 1 { "was ruled worse by people" } else { "were ruled worse by people" },
            )));
        }
        if self.before.total() > 0 {
            parts.push(
                part("Ruled worse in an earlier audit", &mut self.before, "")
                    .saying("Nobody has decided on these since they were audited again: decide on them."),
            );
        }
        let disputed = self.disputed.total();
        if disputed > 0 {
            parts.push(
                part("In dispute, the worst first", &mut self.disputed, "")
                    .saying("They are open until the people agree, or somebody else settles it."),
            );
        }
        if self.partly.total() > 0 {
            parts.push(part("Only partly supported, as people ruled", &mut self.partly, ""));
        }
        let wrong = part("Wrong claims, the worst first", &mut self.wrong, "No claim is wrong.");
        parts.push(if disputed > 0 { wrong.saying("Besides those in dispute.") } else { wrong });
        parts
    }

    fn data(&self) -> Value {
        let verdicts =
            Verdict::ALL.iter().map(|it| (it.label().to_owned(), json!(self.by_verdict[*it as usize])));
        let severities = Severity::ALL.iter().rev();
        let severities = severities.map(|it| (it.label().to_owned(), json!(self.by_severity[*it as usize])));
        let mut data = json!({
            "records": self.answers.count(),
            "claims": self.claims,
            "by_verdict": verdicts.collect::<serde_json::Map<_, _>>(),
            "by_severity": severities.collect::<serde_json::Map<_, _>>(),
            "without_verdict": self.without,
            "answers_without_claims": self.no_claims,
            "decided_by_people": self.decided,
            "unasked": self.unasked,
            "passed_by_judge": self.missed_data,
            "in_dispute": self.disputed.total(),
            "ruled": self.ruled,
        });
        for (name, value) in self.answers.data() {
            data[name] = value;
        }
        data
    }
}

fn case(claim: &Claim) -> Case {
    let ended = match claim.verdict {
        Some(Verdict::Unsupported | Verdict::Contradicted) => Ended::Failed,
        // What people disagree on is open, and passes nothing.
        _ if claim.is_disputed() => Ended::Skipped,
        Some(Verdict::FullySupported | Verdict::PartiallySupported) => Ended::Passed,
        None if claim.label() == "FAILED" => Ended::Error,
        None => Ended::Skipped,
    };
    let severity = claim.severity.filter(|_| ended == Ended::Failed);
    let severity = severity.map_or(String::new(), |severity| format!("{severity} "));
    let mut text = String::new();
    if ended != Ended::Passed || !claim.said.decisions.is_empty() {
        // What was said on several lines goes on set in: none of them passes for a line of the report's own.
        let set_in = |text: &str| text.replace('\n', "\n  ");
        let head = format!("{severity}{}: {}", claim.label(), set_in(&claim.text));
        let details = claim.said.details();
        let lines = details.iter().map(|Detail { name, text }| format!("{name}: {}", set_in(text)));
        text = std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n");
    }
    Case { group: claim.record.clone(), name: claim.id.clone(), ended, text }
}

fn found(claim: &Claim, severity: Option<Severity>) -> Found {
    Found {
        id: claim.id.clone(),
        severity,
        label: claim.label().to_owned(),
        text: claim.text.clone(),
        details: claim.said.details(),
    }
}

/// "1 claim is", "2 claims are".
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
