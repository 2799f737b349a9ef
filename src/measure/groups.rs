//! Intervals for items that hang together. The claims of one record stand or fall together more than claims of different
//! records do: taken one by one, they make a judge seem surer than it is. So records are drawn, not claims.
//!
//! Cameron, Gelbach and Miller (2008), Bootstrap-based improvements for inference with clustered errors; shares by
//! Wilson's interval with the design effect of [`super::clusters`].

use std::collections::HashMap;

use super::against_people::{AgainstPeople, Class, Item, sayable};
use super::alpha::{Metric, alpha_value};
use super::bootstrap::Resampling;
use super::calibration::{brier, expected_error};
use super::chance::ac1;
use super::clusters::{Clusters, share};
use super::estimate::{Estimate, Method};
use super::kappa::{PairTable, Weights};
use super::ratings::{Ratings, at_most_one};
use crate::domain::annotation::Scale;

/// What was said of one item.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Said {
    people: usize,
    judge: Option<usize>,
    confidence: Option<f64>,
}

/// Items by group, in an order of their own.
pub(super) struct Groups(Vec<Vec<Said>>);

/// Draws of items that are made for the intervals of one measurement, about.
const MOST_DRAWN: usize = 50_000_000;
const FEWEST: usize = 1000;

impl Groups {
    /// `None` where each item stands for itself.
    pub(super) fn of(items: &[Item]) -> Option<Self> {
        let mut groups: HashMap<usize, Vec<Said>> = HashMap::new();
        for Item { people, judge, confidence, group, .. } in items {
            let said = Said { people: *people, judge: *judge, confidence: *confidence };
            groups.entry(*group).or_default().push(said);
        }
        if groups.len() == items.len() {
            return None;
        }
        let key = |said: &Said| (said.people, said.judge, said.confidence.map(f64::to_bits));
        let mut groups: Vec<Vec<Said>> = groups.into_values().collect();
        for group in &mut groups {
            group.sort_unstable_by_key(key);
        }
        groups.sort_unstable_by(|one, other| one.iter().map(key).cmp(other.iter().map(key)));
        Some(Self(groups))
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len() as u64
    }

    fn items(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// The share of the items for which `counts` says true, of those for which it says anything.
    fn share(&self, because: &'static str, counts: impl Fn(&Said) -> Option<bool>) -> Estimate {
        let (mut clusters, mut of) = (Clusters::new(2), [0_u64; 2]);
        for (number, group) in (0_u64..).zip(&self.0) {
            for hit in group.iter().filter_map(&counts) {
                clusters.add(number, usize::from(hit));
                of[usize::from(hit)] += 1;
            }
        }
        match of[0] + of[1] {
            0 => Estimate::undefined(0, because),
            _ => share(&clusters, &of, &[1]),
        }
    }
}

fn agrees(said: &Said) -> Option<bool> {
    Some(said.judge? == said.people)
}

/// Raw coefficients of the items: kappa plain, linear and quadratic, alpha nominal, ordinal and of intervals, AC1, error
/// of confidence, Brier score.
fn coefficients<'s>(items: impl Iterator<Item = &'s Said>, scale: Scale) -> [Option<f64>; 9] {
    let categories = sayable(scale);
    let mut table = PairTable::new(categories);
    let mut stated: Vec<(f64, bool)> = Vec::new();
    for said in items {
        let Some(judge) = said.judge else { continue };
        table.add(said.people, judge);
        stated.extend(said.confidence.map(|confidence| (confidence, judge == said.people)));
    }
    let mut ratings = Ratings::new(categories);
    for (people, row) in table.counts.iter().enumerate() {
        for (judge, count) in row.iter().enumerate() {
            ratings.add_alike([people, judge], *count);
        }
    }
    // The sums of floats must not depend on the order in which they came.
    stated.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    let values = scale.values();
    let ordered = |value: Option<f64>| value.filter(|_| scale.ordered() > 0);
    [
        table.kappa_value(Weights::Plain),
        ordered(table.kappa_value(Weights::Linear)),
        ordered(table.kappa_value(Weights::Quadratic)),
        alpha_value(&ratings, Metric::Nominal, &[]),
        ordered(alpha_value(&ratings, Metric::Ordinal, &values)),
        ordered(alpha_value(&ratings, Metric::Interval, &values)),
        ac1(&ratings).value(),
        expected_error(&stated).value,
        brier(&stated).value,
    ]
}

/// The same figures with intervals by group.
pub(super) fn by_group(
    figures: AgainstPeople,
    groups: &Groups,
    scale: Scale,
    resampling: Resampling,
) -> AgainstPeople {
    let most = (MOST_DRAWN / groups.items().max(1)).max(FEWEST);
    let resampling = Resampling { resamples: resampling.resamples.min(most), ..resampling };
    let drawn = resampling.replicates_of(groups.0.len(), |draws| {
        coefficients(draws.filter_map(|at| groups.0.get(at)).flatten(), scale)
    });
    let [kappa, linear, quadratic, alpha, ordinal, interval, ac1, error, brier] =
        drawn.map(|drawn| drawn.interval().filter(|of| of.method == Method::Bootstrap));
    let class = |category: usize| Class {
        precision: groups.share("the judge never says it", |said| {
            (said.judge == Some(category)).then_some(said.people == category)
        }),
        recall: groups.share("people never say it", |said| {
            (said.people == category && said.judge.is_some()).then_some(said.judge == Some(category))
        }),
    };
    AgainstPeople {
        groups: groups.count(),
        coverage: groups.share("there is no item", |said| Some(said.judge.is_some())),
        raw: match figures.raw.value() {
            Some(_) => groups.share("", agrees),
            None => figures.raw,
        },
        kappa: figures.kappa.within(kappa.and_then(at_most_one)),
        kappa_linear: figures.kappa_linear.within(linear.and_then(at_most_one)),
        kappa_quadratic: figures.kappa_quadratic.within(quadratic.and_then(at_most_one)),
        alpha: figures.alpha.within(alpha.and_then(at_most_one)),
        alpha_ordinal: figures.alpha_ordinal.within(ordinal.and_then(at_most_one)),
        alpha_interval: figures.alpha_interval.within(interval.and_then(at_most_one)),
        ac1: figures.ac1.within(ac1.and_then(at_most_one)),
        classes: (0..sayable(scale)).map(class).collect(),
        calibration_error: figures.calibration_error.within(error),
        brier: figures.brier.within(brier),
        table: figures.table,
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimate::Interval;
    use super::*;

    const FEW: Resampling = Resampling { resamples: 400, seed: 1 };

    /// Records of so many claims. In one of four the judge is wrong in all of them.
    fn items(records: usize, claims: usize, grouped: bool) -> Vec<Item> {
        (0..records * claims)
            .map(|at| {
                let (record, people) = (at / claims, at / claims % 2);
                let judge = if record % 4 == 0 { 1 - people } else { people };
                let group = if grouped { record } else { at };
                let (unit, text_sha256) = (at.to_string(), String::new());
                Item { unit, text_sha256, people, judge: Some(judge), confidence: Some(0.8), group }
            })
            .collect()
    }

    fn width(of: &Estimate) -> f64 {
        of.interval().map_or(0.0, |Interval { low, high, .. }| high - low)
    }

    #[test]
    fn ten_claims_that_are_all_alike_count_as_one_in_every_interval() {
        let alone = AgainstPeople::of(&items(80, 10, false), Scale::Answers, FEW);
        let together = AgainstPeople::of(&items(80, 10, true), Scale::Answers, FEW);
        let records = AgainstPeople::of(&items(80, 1, false), Scale::Answers, FEW);
        assert_eq!((alone.groups, together.groups, records.groups), (800, 80, 80));
        let figures = |of: &AgainstPeople| {
            [
                of.raw.clone(),
                of.kappa.clone(),
                of.alpha.clone(),
                of.ac1.clone(),
                of.calibration_error.clone(),
                of.brier.clone(),
                of.classes[0].precision.clone(),
                of.classes[1].recall.clone(),
            ]
        };
        for ((alone, together), record) in
            figures(&alone).iter().zip(figures(&together)).zip(figures(&records))
        {
            assert_eq!(alone.value(), together.value(), "the figure is the same, and so are its items");
            assert_eq!(alone.n(), together.n());
            assert!(width(&together) > 2.3 * width(alone), "{together:?} for {alone:?}");
            // As wide as if each record had one claim, but for how that interval is computed.
            assert!((0.7..1.4).contains(&(width(&together) / width(&record))), "{together:?} for {record:?}");
        }
        // All have a verdict: 80 records say so, not 800 claims.
        assert!((width(&together.coverage) - width(&records.coverage)).abs() < 1e-12);
    }

    #[test]
    fn neither_the_order_nor_the_numbers_of_groups_change_anything() {
        let one = items(30, 4, true);
        let mut other = one.clone();
        other.reverse();
        for item in &mut other {
            item.group = 1000 - item.group;
        }
        assert_eq!(
            AgainstPeople::of(&one, Scale::Answers, FEW),
            AgainstPeople::of(&other, Scale::Answers, FEW)
        );
    }
}
