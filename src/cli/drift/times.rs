//! What came out over time: of all claims, and of each group, in stretches of the same length.

use clap::ValueEnum;
use serde_json::{Value, json};

use super::gathered::{By, Gathered, Group};
use super::{Span, minute};
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Severity, Verdict};
use crate::report::{Part, Shows, Table, Unit};
use crate::store::Dated;

/// Stretches that the whole time is cut into.
pub(super) const STRETCHES: usize = 8;
/// Groups of one kind that have a table of their own, those with the most claims and pairs; and in the data.
const MOST_TABLES: usize = 10;
const MOST_IN_DATA: usize = 20;

/// What came out of one group in one stretch.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub(super) struct Stretch {
    /// Claims in the order of the verdicts, and then those without one.
    verdicts: [u64; Verdict::ALL.len() + 1],
    /// Wrong claims in the order of severities.
    severities: [u64; Severity::ALL.len()],
    /// Claims, and pairs, by their score from 1 to 5.
    scores: [u64; 5],
    pairs: [u64; 5],
}

impl Stretch {
    pub(super) fn add(&mut self, claim: &Dated, verdict: Option<Verdict>) {
        if let Some(score) = claim.support.filter(|_| verdict.is_some()) {
            let scores = if claim.is_pair { &mut self.pairs } else { &mut self.scores };
            scores[usize::from(score.get()) - 1] += 1;
        }
        if claim.is_pair {
            return;
        }
        self.verdicts[verdict.map_or(Verdict::ALL.len(), |verdict| verdict as usize)] += 1;
        if let Some(severity) = claim.severity.filter(|_| verdict.is_some_and(super::gathered::is_wrong)) {
            self.severities[severity as usize] += 1;
        }
    }

    /// Claims and pairs.
    fn units(&self) -> u64 {
        self.verdicts.iter().chain(&self.pairs).sum()
    }

    /// The share of the claims with a verdict that are wrong, and of those that are so with HIGH or CRITICAL.
    fn wrong(&self) -> [Option<f64>; 2] {
        let judged: u64 = self.verdicts.iter().take(Verdict::ALL.len()).sum();
        let wrong =
            [Verdict::Unsupported, Verdict::Contradicted].map(|verdict| self.verdicts[verdict as usize]);
        let grave = [Severity::High, Severity::Critical].map(|severity| self.severities[severity as usize]);
        [wrong, grave].map(|some| (judged > 0).then(|| some.iter().sum::<u64>() as f64 / judged as f64))
    }
}

fn mean(scores: &[u64; 5]) -> Option<f64> {
    let all: u64 = scores.iter().sum();
    let sum: u64 = (1..).zip(scores).map(|(score, count)| score * count).sum();
    (all > 0).then(|| sum as f64 / all as f64)
}

/// When each stretch begins.
pub(super) fn starts(span: Span) -> Vec<Timestamp> {
    let (start, end) = (span.start.millis(), span.end.millis());
    let length = ((end - start) / STRETCHES as i64).max(1);
    (0..STRETCHES as i64).map(|at| Timestamp::from_millis(start + at * length)).collect()
}

impl Gathered {
    /// Groups of a kind, those with the most claims and pairs first.
    fn largest(&self, by: By) -> Vec<(&str, &Group)> {
        let of_kind = self.groups.iter().filter(|((kind, _), _)| *kind == by);
        let mut groups: Vec<(&str, &Group)> =
            of_kind.map(|((_, name), group)| (name.as_str(), group)).collect();
        let units = |group: &Group| group.stretches.iter().map(Stretch::units).sum::<u64>();
        groups.sort_by_key(|(name, group)| (std::cmp::Reverse(units(group)), *name));
        groups
    }

    /// A table for each group of the kind.
    pub(super) fn over_time(&self, by: By) -> Vec<Part> {
        let groups = self.largest(by);
        let unlisted = groups.len().saturating_sub(MOST_TABLES);
        let mut parts: Vec<Part> = groups
            .into_iter()
            .take(MOST_TABLES)
            .map(|(name, group)| {
                let title = match by {
                    By::All => "Over time".to_owned(),
                    by => format!("Over time: {} {name}", by.label()),
                };
                Part::new(title, Shows::Table(self.table(group)))
            })
            .collect();
        if parts.is_empty() {
            let title = format!("Over time, by {}", by.label());
            parts.push(Part::new(title, Shows::Table(Table::of_numbers(&["from"]))));
        } else if let Some(first) = parts.first_mut() {
            first.sentences.push(
                "Claims by verdict; of those with a verdict, the share that is wrong, and that is so with HIGH or \
                 CRITICAL; the mean of the scores from 1 to 5."
                    .to_owned(),
            );
            if unlisted > 0 {
                first.sentences.push(format!(
                    "Those {MOST_TABLES} with the most claims and pairs; {unlisted} more have no table."
                ));
            }
        }
        parts
    }

    fn table(&self, group: &Group) -> Table {
        let has_pairs = group.stretches.iter().any(|stretch| stretch.pairs != [0; 5]);
        let columns = ["from", "FULLY", "PART", "UNSUP", "CONTR", "none", "wrong", "HIGH+", "score", "pairs"];
        let mut table = Table::of_numbers(if has_pairs { &columns } else { &columns[..columns.len() - 1] });
        for (from, stretch) in self.starts.iter().zip(&group.stretches) {
            let counts = stretch.verdicts.iter().map(u64::to_string);
            let shares =
                stretch.wrong().map(|share| share.map_or_else(none, |share| Unit::Share.shown(share)));
            let means = [&stretch.scores, &stretch.pairs]
                .map(|of| mean(of).map_or_else(none, |it| format!("{it:.2}")));
            table.push(std::iter::once(minute(*from)).chain(counts).chain(shares).chain(means));
        }
        table
    }

    /// The same for programs: of all claims, then of the largest groups of each kind; and how many groups that leaves.
    pub(super) fn over_time_as_data(&self) -> (Vec<Value>, usize) {
        let mut told = Vec::new();
        for by in By::value_variants() {
            for (name, group) in self.largest(*by).into_iter().take(MOST_IN_DATA) {
                let stretches: Vec<Value> = self
                    .starts
                    .iter()
                    .zip(&group.stretches)
                    .map(|(from, stretch)| {
                        let [wrong, grave] = stretch.wrong();
                        json!({
                            "from": from,
                            "counts": stretch,
                            "wrong": wrong,
                            "grave": grave,
                            "mean_score": mean(&stretch.scores),
                            "mean_pair_score": mean(&stretch.pairs),
                        })
                    })
                    .collect();
                told.push(json!({ "by": by, "name": name, "stretches": stretches }));
            }
        }
        let left_out = self.groups.len() - told.len();
        (told, left_out)
    }
}

fn none() -> String {
    "–".to_owned()
}
