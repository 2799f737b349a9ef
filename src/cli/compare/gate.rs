//! What is asked of a candidate before it goes out.

use std::cmp::Ordering;
use std::fmt::Write;

use super::super::audit::counted;
use super::super::share::Share;
use crate::domain::verdict::Severity;
use crate::report::comparison::Compared;
use crate::report::{Condition, Gate, Says, Unit};

/// What is allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) max_increase: Share,
    pub(super) max_critical: Option<u64>,
    pub(super) max_high: Option<u64>,
    pub(super) min_items: u64,
    pub(super) min_coverage: Share,
}

impl Bounds {
    /// Holds the figures against what is allowed.
    pub(super) fn gate(&self, compared: &Compared<'_>) -> Gate {
        let mut conditions = vec![self.increase(compared)];
        conditions.extend(self.max_critical.map(|most| at_most(most, CRITICAL, compared)));
        conditions.extend(self.max_high.map(|most| at_most(most, HIGH, compared)));
        conditions.push(self.items(compared));
        conditions.push(self.coverage(compared));
        Gate::of(conditions)
    }

    fn increase(&self, compared: &Compared<'_>) -> Condition {
        let asked = format!("--max-increase {}", self.max_increase);
        let change = &compared.versions.rates.change;
        let Some(value) = change.value() else {
            let because = change.undefined_because().unwrap_or_default();
            return Condition::new(
                asked,
                Says::CannotSay,
                format!("there is no change of the rate, because {because}"),
            );
        };
        let contrary = compared.versions.contrary();
        let says = match contrary {
            _ if self.max_increase.is_passed_by(value) => Says::No,
            // More items went wrong, and more claims among them hide it.
            Some(Ordering::Greater) => Says::CannotSay,
            _ => Says::Yes,
        };
        let apart = &compared.versions.items_apart;
        let certain = match (compared.versions.is_certain(), contrary) {
            (true, _) => "hardly by chance".to_owned(),
            (false, Some(direction)) => format!(
                "but {} items have a wrong claim, {} against {}: hardly by chance",
                if direction == Ordering::Greater { "more" } else { "fewer" },
                compared.versions.candidate.items_wrong,
                compared.versions.baseline.items_wrong,
            ),
            (false, None) if apart.only_first + apart.only_second == 0 => {
                "no item tells them apart".to_owned()
            }
            (false, None) => "not certain".to_owned(),
        };
        let severe = |severity: Severity| {
            let of = |counts: &crate::measure::versions::Counts| counts.of_severity(severity);
            format!(
                "{severity} {} after {}",
                of(&compared.versions.candidate),
                of(&compared.versions.baseline)
            )
        };
        let sentence = format!(
            "the rate changed by {} ({certain}, {}), up to {} are allowed; wrong claims {}, {}",
            Unit::Change.shown(value),
            Unit::P.equation(apart.p),
            Unit::Change.shown(self.max_increase.get()),
            severe(Severity::Critical),
            severe(Severity::High),
        );
        Condition::new(asked, says, sentence)
    }

    fn items(&self, compared: &Compared<'_>) -> Condition {
        let items = compared.versions.items;
        let says = if items < self.min_items { Says::CannotSay } else { Says::Yes };
        let sentence = format!("{} compared", counted(items, "item"));
        Condition::new(format!("--min-items {}", self.min_items), says, sentence)
    }

    fn coverage(&self, compared: &Compared<'_>) -> Condition {
        let versions = compared.versions;
        let shares = [
            ("of the items are compared", compared.coverage()),
            ("of the baseline's claims have a verdict", versions.baseline.coverage()),
            ("of the candidate's", versions.candidate.coverage()),
        ];
        let is_enough =
            shares.iter().all(|(_, share)| share.is_some_and(|share| self.min_coverage.is_reached_by(share)));
        let told: Vec<String> = shares
            .iter()
            .map(|(of, share)| {
                format!("{} {of}", share.map_or("none".to_owned(), |share| Unit::Share.shown(share)))
            })
            .collect();
        let says = if is_enough { Says::Yes } else { Says::CannotSay };
        Condition::new(format!("--min-coverage {}", self.min_coverage), says, told.join(", "))
    }
}

/// The bounds on wrong claims so severe or more.
type Bound = (&'static str, Severity, &'static str);
const CRITICAL: Bound = ("--max-critical", Severity::Critical, "CRITICAL");
const HIGH: Bound = ("--max-high", Severity::High, "HIGH or CRITICAL");

/// What a condition of a gate that was kept bounds, and how many it allows.
pub(in crate::cli) fn severe(asked: &str) -> Option<(Severity, u64)> {
    let (flag, most) = asked.split_once(' ')?;
    let (_, least, _) = [CRITICAL, HIGH].into_iter().find(|(name, ..)| *name == flag)?;
    Some((least, most.parse().ok()?))
}

/// Counts also where an item counts in no rate: what is left out goes out all the same.
fn at_most(most: u64, (flag, least, name): Bound, compared: &Compared<'_>) -> Condition {
    let severities = Severity::ALL.iter().filter(|severity| **severity >= least);
    let found: u64 = severities.map(|severity| compared.versions.candidate.of_severity(*severity)).sum();
    let besides = compared.wrong_besides().filter(|(_, claim)| claim.severity >= Some(least));
    let besides = besides.count() as u64;
    let says = if found + besides > most { Says::No } else { Says::Yes };
    let all = counted(found + besides, "claim");
    let are = if found + besides == 1 { "is" } else { "are" };
    let mut sentence = format!("{all} of the candidate {are} wrong and {name}");
    if besides > 0 {
        let _ = write!(sentence, ", {besides} of them in items that count in no rate");
    }
    Condition::new(format!("{flag} {most}"), says, sentence)
}

/// What only one side answers may be what the other gets wrong.
pub(super) fn one_sided(count: usize, first: &str) -> Condition {
    let are = if count == 1 { "item stands" } else { "items stand" };
    let sentence = format!("{count} {are} on one side only, the first is {first}: see what is left out");
    Condition::new("both sides answer (or --allow-missing)", Says::CannotSay, sentence)
}

/// What did not get into the store nobody can look at there.
pub(super) fn not_kept(error: &anyhow::Error) -> Condition {
    Condition::new("kept in the store", Says::CannotSay, error.to_string())
}

/// Without a store there is no queue, and nobody who could decide.
pub(super) fn nobody_can_accept() -> Condition {
    let sentence = "nothing is kept, so nobody can decide on it: name a store with --db or JUROR_DB";
    Condition::new("--require-accepted", Says::CannotSay, sentence)
}
