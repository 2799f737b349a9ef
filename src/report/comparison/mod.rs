//! What there is to say of two versions that were compared.

mod data;

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::sync::Arc;

use super::{
    Bar, Case, Chart, Column, Detail, Ended, Fact, Figure, Findings, Found, Gate, Kind, Part, Report, Shows,
    Table, Unit, alike,
};
use crate::domain::comparison::{ComparedClaim, Comparison, NO_EVIDENCE, Status};
use crate::domain::finding::JudgeIdentity;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{HallucinationType, Severity};
use crate::measure::estimate::Estimate;
use crate::measure::proportion::wilson;
use crate::measure::versions::{Counts, NewlyWrong, Versions, newly_wrong};
use crate::text::sanitize::visible;

/// The part that tells severities and kinds of wrong claims of both sides; a kind that only the candidate shows is `new`.
pub const SHIFT: &str = "Shift of severity and kind";
/// The part that lists the claims.
pub const NEWLY_WRONG: &str = "Newly wrong claims of the candidate";

/// Why a comparison is not to be relied on yet, when so many of the claims that it sent to the queue are undecided.
pub fn provisional(sent: u64, undecided: u64) -> Option<String> {
    (undecided > 0)
        .then(|| format!("{undecided} of {sent} claims that it sent to the review queue are undecided"))
}

/// An item that was compared.
#[derive(Debug, Clone)]
pub struct Item<'a> {
    pub id: &'a str,
    pub comparison: &'a Comparison,
    /// How alike the two answers are by their words, 0 to 1; `None` where that cannot be told.
    pub likeness: Option<f64>,
    /// How alike they are in meaning, −1 to 1, by the cosine of their embeddings, or why that is not known; `None`
    /// where nobody was asked.
    pub meaning: Option<Result<f64, Arc<str>>>,
}

/// An item that was not, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub id: String,
    /// Whether something went wrong with it, rather than that there is nothing to say.
    pub failed: bool,
    /// In a sentence without its full stop.
    pub reason: String,
}

/// Everything that a comparison rests on.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    pub made_at: Timestamp,
    pub program: &'a str,
    pub judge: &'a JudgeIdentity,
    /// The model that tells how alike answers are in meaning, where one was asked.
    pub embeddings: Option<&'a str>,
    /// What the two versions are: files, fields or commands.
    pub baseline: &'a str,
    pub candidate: &'a str,
    /// SHA-256 over all items with their documents and answers, whatever their order.
    pub data_sha256: &'a str,
    pub items: &'a [Item<'a>],
    pub left_out: &'a [LeftOut],
    /// Those that are left out although the judge said something of their claims.
    pub besides: &'a [Item<'a>],
    pub versions: &'a Versions,
}

impl Compared<'_> {
    /// Share of the items that are compared, 0 to 1; `None` when there are none.
    pub fn coverage(&self) -> Option<f64> {
        let all = self.items.len() + self.left_out.len();
        (all > 0).then(|| self.items.len() as f64 / all as f64)
    }

    /// The candidate's wrong claims in items that are left out, each with the item's id.
    pub fn wrong_besides(&self) -> impl Iterator<Item = (&str, &ComparedClaim)> {
        self.besides.iter().flat_map(|item| item.comparison.candidate.wrong().map(|claim| (item.id, claim)))
    }

    /// The same by the item's id.
    fn wrong_by_item(&self) -> HashMap<&str, Vec<&ComparedClaim>> {
        let mut by_item: HashMap<&str, Vec<&ComparedClaim>> = HashMap::new();
        for (id, claim) in self.wrong_besides() {
            by_item.entry(id).or_default().push(claim);
        }
        by_item
    }

    /// The report, with what the gate says.
    pub fn report(&self, gate: Option<Gate>) -> Report {
        let mut new: Vec<(&str, NewlyWrong<'_>)> = Vec::new();
        for item in self.items {
            new.extend(newly_wrong(item.comparison).into_iter().map(|new| (item.id, new)));
        }
        let cases = self.cases(&new);
        // The worst first; of the same severity what is contradicted.
        new.sort_by_key(|(_, new)| {
            Reverse((new.claim.severity, new.claim.status == Some(Status::Contradicted)))
        });
        Report {
            kind: Kind::Comparison,
            name: None,
            title: format!("{} against {}", self.candidate, self.baseline),
            made_at: self.made_at,
            program: self.program.to_owned(),
            provisional: None,
            sentences: self.sentences(new.len()),
            gate,
            facts: self.facts(),
            parts: vec![
                Part::new("Rates", Shows::Figures(self.figures()))
                    .saying("A claim is wrong when the documents contradict it or do not bear it out."),
                Part::new("Claims", Shows::Table(self.claims())),
                Part::new("Severity of wrong claims", Shows::Chart(self.severities())),
                Part::new(SHIFT, Shows::Table(self.shift())),
                Part::new(NEWLY_WRONG, Shows::Findings(findings(&new))),
                Part::new("Left out", Shows::Findings(self.left_out())),
            ],
            cases,
            data: self.data(),
        }
    }

    fn facts(&self) -> Vec<Fact> {
        let judge = self.judge;
        let mut facts = vec![
            Fact::new("baseline", self.baseline),
            Fact::new("candidate", self.candidate),
            Fact::new("judge", format!("{} ({})", judge.judge, judge.model)),
            Fact::new("prompt", format!("{} sha256 {}", judge.prompt_version, judge.prompt_sha256)),
            Fact::new(
                "data",
                format!("{} items, sha256 {}", self.items.len() + self.left_out.len(), self.data_sha256),
            ),
        ];
        facts.extend(self.embeddings.map(|model| alike::fact(self.items, model)));
        facts
    }

    fn sentences(&self, newly_wrong: usize) -> Vec<String> {
        let versions = self.versions;
        let mut sentences = vec![self.change()];
        let severities: Vec<String> = Severity::ALL
            .iter()
            .rev()
            .map(|severity| {
                let (before, after) =
                    (versions.baseline.of_severity(*severity), versions.candidate.of_severity(*severity));
                format!("{after} {severity} ({})", signed(after as i64 - before as i64))
            })
            .collect();
        sentences.push(format!(
            "Wrong claims of the candidate by severity, and the change: {}.",
            severities.join(", ")
        ));
        if !versions.new_types.is_empty() {
            let types: Vec<&str> = versions.new_types.iter().map(|kind| kind.label()).collect();
            sentences.push(format!("Only the candidate shows {}.", types.join(", ")));
        }
        sentences.push(match newly_wrong {
            0 => "No claim of the candidate is newly wrong.".to_owned(),
            1 => "1 claim of the candidate is newly wrong.".to_owned(),
            many => format!("{many} claims of the candidate are newly wrong."),
        });
        if !self.left_out.is_empty() {
            let all = self.items.len() + self.left_out.len();
            sentences.push(format!(
                "{} of {all} items are compared; what is left out is named below.",
                self.items.len()
            ));
        }
        match self.wrong_besides().count() {
            0 => {}
            1 => sentences.push("1 claim of the candidate is wrong in an item that is left out.".to_owned()),
            many => sentences
                .push(format!("{many} claims of the candidate are wrong in items that are left out.")),
        }
        sentences.extend(alike::sentence(self.items));
        sentences
    }

    /// The sentence that matters most.
    fn change(&self) -> String {
        let rates = &self.versions.rates;
        let (Some(before), Some(after), Some(change)) =
            (rates.baseline.value(), rates.candidate.value(), rates.change.value())
        else {
            return "Nothing could be compared: there is no rate on both sides.".to_owned();
        };
        let apart = &self.versions.items_apart;
        let what = match change {
            more if more > 0.0 => "more than the baseline",
            less if less < 0.0 => "less than the baseline",
            _ => "as much as the baseline",
        };
        let interval = spread(&rates.change).map_or_else(String::new, |(low, high)| {
            format!(" (95 %: {})", Unit::Change.shown_range(low, high))
        });
        let certain = if let Some(direction) = self.versions.contrary() {
            match direction {
                Ordering::Greater => {
                    "rate and items point in opposite directions, and chance alone hardly makes so many items worse"
                }
                _ => {
                    "rate and items point in opposite directions, and chance alone hardly makes so many items better"
                }
            }
        } else if self.versions.is_certain() {
            "chance alone hardly does that"
        } else if apart.only_first + apart.only_second == 0 && change == 0.0 {
            "no item tells them apart"
        } else {
            "that is not certain, chance alone may do it"
        };
        format!(
            "The candidate hallucinates {what}: {} of its claims are wrong, against {}, a change of {}{interval}. Of {} \
             {}, {} went wrong only with the candidate and {} only with the baseline (exact McNemar {}): {certain}.",
            Unit::Share.shown(after),
            Unit::Share.shown(before),
            Unit::Change.shown(change),
            self.versions.items,
            if self.versions.items == 1 { "item" } else { "items" },
            apart.only_second,
            apart.only_first,
            Unit::P.equation(apart.p),
        )
    }

    fn figures(&self) -> Vec<Figure> {
        let versions = self.versions;
        let (n, all) = (versions.items, (self.items.len() + self.left_out.len()) as u64);
        let no_claims = "there are no claims";
        let of_items =
            |id: &str, name: &str, unit, measured: &Estimate| Figure::of(id, name, unit, measured, "items");
        let mut figures = vec![
            of_items("baseline_rate", "wrong claims, baseline", Unit::Share, &versions.rates.baseline)
                .within(spread_of_rate(&versions.rates.baseline)),
            of_items("candidate_rate", "wrong claims, candidate", Unit::Share, &versions.rates.candidate)
                .within(spread_of_rate(&versions.rates.candidate)),
            of_items("rate_change", "change", Unit::Change, &versions.rates.change)
                .within(spread(&versions.rates.change)),
            Figure::new(
                "p",
                "p of the change, exact McNemar",
                Unit::P,
                match n {
                    0 => Err("no item is compared"),
                    _ => Ok(versions.items_apart.p),
                },
            )
            .from(versions.items_apart.only_first + versions.items_apart.only_second, "items apart"),
            of_items(
                "baseline_items_wrong",
                "items with one, baseline",
                Unit::Share,
                &versions.baseline_items_wrong,
            ),
            of_items(
                "candidate_items_wrong",
                "items with one, candidate",
                Unit::Share,
                &versions.candidate_items_wrong,
            ),
            Figure::new(
                "coverage",
                "items compared",
                Unit::Share,
                self.coverage().ok_or("there are no items"),
            )
            .from(all, "items"),
            Figure::new(
                "baseline_coverage",
                "claims with a verdict, baseline",
                Unit::Share,
                versions.baseline.coverage().ok_or(no_claims),
            )
            .from(versions.baseline.claims, "claims"),
            Figure::new(
                "candidate_coverage",
                "claims with a verdict, candidate",
                Unit::Share,
                versions.candidate.coverage().ok_or(no_claims),
            )
            .from(versions.candidate.claims, "claims"),
        ];
        figures.extend(alike::figures(self.items, self.embeddings));
        figures
    }

    fn claims(&self) -> Table {
        let mut table = Table::of_numbers(&["claims", "baseline", "candidate", "change"]);
        let of = |side: &Counts| {
            [
                (Status::Supported.label(), side.supported),
                (Status::Unsupported.label(), side.unsupported),
                (Status::Contradicted.label(), side.contradicted),
                (Status::OutOfScope.label(), side.out_of_scope),
                ("without a verdict", side.claims - side.judged()),
                ("attribution gaps", side.attribution_gaps),
                ("all", side.claims),
            ]
        };
        for ((name, before), (_, after)) in
            of(&self.versions.baseline).into_iter().zip(of(&self.versions.candidate))
        {
            push(&mut table, name, before, after);
        }
        table
    }

    fn severities(&self) -> Chart {
        let bar = |severity: &Severity| Bar {
            name: severity.label().to_owned(),
            values: [&self.versions.baseline, &self.versions.candidate]
                .map(|side| Some(side.of_severity(*severity) as f64))
                .into(),
        };
        Chart {
            unit: Unit::Count,
            series: vec!["baseline".to_owned(), "candidate".to_owned()],
            bars: Severity::ALL.iter().rev().map(bar).collect(),
        }
    }

    fn shift(&self) -> Table {
        let (baseline, candidate) = (&self.versions.baseline, &self.versions.candidate);
        let mut table = Table::of_numbers(&["wrong claims", "baseline", "candidate", "change"]);
        for severity in Severity::ALL.iter().rev() {
            push(
                &mut table,
                severity.label(),
                baseline.of_severity(*severity),
                candidate.of_severity(*severity),
            );
        }
        for kind in HallucinationType::ALL {
            let of = |side: &Counts| side.wrong_by_type[*kind as usize];
            push(&mut table, kind.label(), of(baseline), of(candidate));
        }
        table.columns.push(Column { name: String::new(), is_number: false });
        for row in &mut table.rows {
            let is_new = self
                .versions
                .new_types
                .iter()
                .any(|kind| row.first().is_some_and(|name| name == kind.label()));
            row.push(if is_new { "new".to_owned() } else { String::new() });
        }
        table
    }

    fn left_out(&self) -> Findings {
        let wrong = self.wrong_by_item();
        let found = |left: &LeftOut| Found {
            id: left.id.clone(),
            severity: None,
            label: if left.failed { "FAILED".to_owned() } else { "not compared".to_owned() },
            text: left.reason.clone(),
            details: of_item(&wrong, left).map(|claim| Detail::new("wrong", line(claim))).collect(),
        };
        Findings {
            none: "No item is left out.".to_owned(),
            total: self.left_out.len() as u64,
            list: self.left_out.iter().map(found).collect(),
        }
    }

    fn cases(&self, new: &[(&str, NewlyWrong<'_>)]) -> Vec<Case> {
        let group = "items".to_owned();
        let mut new = new.iter().peekable();
        let mut cases: Vec<Case> = Vec::with_capacity(self.items.len() + self.left_out.len());
        for item in self.items {
            // They come in the order of the items.
            let mut lines = Vec::new();
            while let Some((_, new)) = new.next_if(|(id, _)| *id == item.id) {
                lines.push(line(new.claim));
            }
            // Whether that is too much is for the gate to say: a build is as red as the gate is closed.
            let text = match lines.len() {
                0 => String::new(),
                1 => format!("1 claim is newly wrong\n{}", lines.join("\n")),
                many => format!("{many} claims are newly wrong\n{}", lines.join("\n")),
            };
            cases.push(Case { group: group.clone(), name: item.id.to_owned(), ended: Ended::Passed, text });
        }
        let wrong = self.wrong_by_item();
        cases.extend(self.left_out.iter().map(|left| {
            Case {
                group: group.clone(),
                name: left.id.clone(),
                ended: if left.failed { Ended::Error } else { Ended::Skipped },
                text: std::iter::once(left.reason.clone())
                    .chain(of_item(&wrong, left).map(line))
                    .collect::<Vec<_>>()
                    .join("\n"),
            }
        }));
        cases
    }
}

fn of_item<'c>(
    wrong: &HashMap<&str, Vec<&'c ComparedClaim>>,
    left: &LeftOut,
) -> impl Iterator<Item = &'c ComparedClaim> {
    wrong.get(left.id.as_str()).into_iter().flatten().copied()
}

/// The interval of a change. Where drawing the items again never changes it, that says nothing about other items.
fn spread(measured: &Estimate) -> Option<(f64, f64)> {
    measured.interval().filter(|it| it.low < it.high).map(|it| (it.low, it.high))
}

/// The interval of a rate. Of one that is 0 or 1 in every item the resamples know nothing: there each item counts as
/// one trial.
fn spread_of_rate(measured: &Estimate) -> Option<(f64, f64)> {
    let n = measured.n();
    let all = match measured.value() {
        Some(rate) if rate <= 0.0 => wilson(0, n),
        Some(rate) if rate >= 1.0 => wilson(n, n),
        _ => return spread(measured),
    };
    spread(&all)
}

fn findings(new: &[(&str, NewlyWrong<'_>)]) -> Findings {
    let found = |(id, new): &(&str, NewlyWrong<'_>)| {
        let NewlyWrong { claim, before } = *new;
        let mut details = vec![match before {
            Some(before) => Detail::new("baseline", format!("{} ({})", before.claim_text, label(before))),
            None => Detail::new("baseline", "says nothing like it"),
        }];
        details.push(Detail::new("evidence", evidence(claim)));
        if !claim.remark.is_empty() {
            details.push(Detail::new("why", claim.remark.clone()));
        }
        Found {
            id: (*id).to_owned(),
            severity: claim.severity,
            label: label(claim),
            text: claim.claim_text.clone(),
            details,
        }
    };
    Findings {
        none: "No claim of the candidate is newly wrong.".to_owned(),
        total: new.len() as u64,
        list: new.iter().map(found).collect(),
    }
}

fn label(claim: &ComparedClaim) -> String {
    claim.counted().map_or_else(|| claim.state.label().to_owned(), |status| status.label().to_owned())
}

fn evidence(claim: &ComparedClaim) -> String {
    claim.citation.as_ref().map_or_else(
        || NO_EVIDENCE.to_owned(),
        |citation| format!("{} ({}, {})", citation.quote, citation.passage_id.as_str(), citation.level),
    )
}

/// A claim on one line.
fn line(claim: &ComparedClaim) -> String {
    let severity = claim.severity.map_or(String::new(), |severity| format!("{severity} "));
    let why = if claim.remark.is_empty() { String::new() } else { format!(" ({})", claim.remark) };
    let line = format!("{severity}{}: {}{why}", label(claim), claim.claim_text);
    // What was audited may hold line feeds, and must not make lines of its own.
    visible(&line).into_owned()
}

fn push(table: &mut Table, name: &str, before: u64, after: u64) {
    table.push([
        name.to_owned(),
        before.to_string(),
        after.to_string(),
        signed(after as i64 - before as i64),
    ]);
}

fn signed(change: i64) -> String {
    if change > 0 { format!("+{change}") } else { change.to_string() }
}
