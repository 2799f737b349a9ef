//! How far several annotators agree: all together, and two by two.

use std::collections::BTreeMap;

use serde::Serialize;

use super::alpha::{Metric, alpha};
use super::bootstrap::Resampling;
use super::chance::{ac1, fleiss, free_marginal};
use super::estimate::Estimate;
use super::kappa::{PairTable, Weights};
use super::ratings::Ratings;
use crate::domain::annotation::Scale;

/// What was said of one unit: the annotators by their numbers, and the numbers of their categories.
pub type Said = Vec<(usize, usize)>;

/// All annotators together. Alpha is the figure to go by: it needs no two annotators with the same units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Together {
    /// Units that two or more rated: all figures rest on these.
    pub shared_units: u64,
    /// Units that one annotator rated alone: no figure counts them.
    pub unshared_units: u64,
    /// Records that the shared units are of; where these are fewer, intervals are by record.
    #[serde(skip)]
    pub groups: u64,
    /// How often each category was said of the shared units, in the order of the scale.
    pub used: Vec<u64>,
    pub raw: Estimate,
    pub alpha: Estimate,
    /// Over the categories that stand in an order; what else was said counts as missing.
    pub alpha_ordinal: Estimate,
    pub alpha_interval: Estimate,
    pub ac1: Estimate,
    pub fleiss: Estimate,
    /// Fleiss' kappa where chance is a blind draw from the scale.
    pub free_marginal: Estimate,
}

/// Two annotators, on the units that both rated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    #[serde(skip)]
    pub first: usize,
    #[serde(skip)]
    pub second: usize,
    /// Rows: what the first said; columns: what the second said.
    #[serde(flatten)]
    pub table: PairTable,
    pub raw: Estimate,
    pub kappa: Estimate,
    /// Over the categories that stand in an order.
    pub kappa_linear: Estimate,
    pub kappa_quadratic: Estimate,
    pub alpha: Estimate,
    pub ac1: Estimate,
}

/// The share of one category from which it is told that it prevails.
pub const PREVAILS: f64 = 0.8;

impl Together {
    pub fn of(units: &[Said], scale: Scale, resampling: Resampling) -> Self {
        let mut ratings = Ratings::new(scale.categories());
        let mut ordered = Ratings::new(scale.ordered());
        for unit in units {
            ratings.add(unit.iter().map(|(_, category)| *category));
            ordered.add(unit.iter().map(|(_, category)| *category));
        }
        let by_order = |metric| {
            if scale.ordered() == 0 {
                return Estimate::undefined(ratings.shared_units(), NO_ORDER);
            }
            alpha(&ordered, metric, &scale.values(), resampling)
        };
        Self {
            shared_units: ratings.shared_units(),
            unshared_units: ratings.unshared_units(),
            groups: ratings.shared_units(),
            used: ratings.used(),
            raw: ratings.raw_agreement(resampling),
            alpha: alpha(&ratings, Metric::Nominal, &[], resampling),
            alpha_ordinal: by_order(Metric::Ordinal),
            alpha_interval: by_order(Metric::Interval),
            ac1: ac1(&ratings),
            fleiss: fleiss(&ratings, resampling),
            free_marginal: free_marginal(&ratings, resampling),
        }
    }

    /// The alpha that people are held to, with its name: of scores the ordinal one, for which a near miss is less than a
    /// far one.
    pub const fn held_to(&self, scale: Scale) -> (&'static str, &Estimate) {
        match scale {
            Scale::Scores => ("ordinal", &self.alpha_ordinal),
            Scale::Verdicts | Scale::Answers => ("nominal", &self.alpha),
        }
    }

    /// The category that prevails and its share: with it, agreement by chance is nearly certain, and the figures that
    /// take chance away are low beside the raw agreement.
    pub fn prevailing(&self) -> Option<(usize, f64)> {
        let all: u64 = self.used.iter().sum();
        let (category, most) = self.used.iter().enumerate().max_by_key(|(_, count)| **count)?;
        let share = *most as f64 / all.max(1) as f64;
        (share >= PREVAILS).then_some((category, share))
    }
}

const NO_ORDER: &str = "the categories stand in no order";

/// Every two of the annotators, in the order of their numbers; those without a common unit too.
pub fn pairs(units: &[Said], annotators: usize, scale: Scale, resampling: Resampling) -> Vec<Pair> {
    let mut tables: BTreeMap<(usize, usize), PairTable> = BTreeMap::new();
    for first in 0..annotators {
        for second in first + 1..annotators {
            tables.insert((first, second), PairTable::new(scale.categories()));
        }
    }
    for unit in units {
        for (first, one) in unit {
            for (second, other) in unit.iter().filter(|(second, _)| second > first) {
                if let Some(table) = tables.get_mut(&(*first, *second)) {
                    table.add(*one, *other);
                }
            }
        }
    }
    tables.into_iter().map(|((first, second), table)| pair(first, second, table, scale, resampling)).collect()
}

fn pair(first: usize, second: usize, table: PairTable, scale: Scale, resampling: Resampling) -> Pair {
    let mut ratings = Ratings::new(scale.categories());
    for (one, row) in table.counts.iter().enumerate() {
        for (other, count) in row.iter().enumerate() {
            ratings.add_alike([one, other], *count);
        }
    }
    let ordered = table.of_first(scale.ordered());
    let weighted = |weights| {
        if scale.ordered() == 0 {
            return Estimate::undefined(table.units(), NO_ORDER);
        }
        ordered.kappa(weights)
    };
    Pair {
        first,
        second,
        raw: table.raw_agreement(),
        kappa: table.kappa(Weights::Plain),
        kappa_linear: weighted(Weights::Linear),
        kappa_quadratic: weighted(Weights::Quadratic),
        alpha: alpha(&ratings, Metric::Nominal, &[], resampling),
        ac1: ac1(&ratings),
        table,
    }
}

/// What most annotators say of a unit; `None` where no category has more than any other.
pub fn consensus(unit: &[(usize, usize)], categories: usize) -> Option<usize> {
    let mut counts = vec![0_usize; categories];
    for (_, category) in unit {
        if let Some(count) = counts.get_mut(*category) {
            *count += 1;
        }
    }
    let most = counts.iter().max().copied().filter(|most| *most > 0)?;
    let mut with_most = (0..categories).filter(|category| counts[*category] == most);
    with_most.next().filter(|_| with_most.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::super::ratings::published::near;
    use super::*;

    const FEW: Resampling = Resampling { resamples: 100, seed: 1 };

    #[test]
    fn all_together_and_two_by_two() {
        // Three annotators; the third rated two units, the last unit has one rating.
        let units: Vec<Said> = vec![
            vec![(0, 0), (1, 0), (2, 0)],
            vec![(0, 3), (1, 3), (2, 2)],
            vec![(0, 0), (1, 0)],
            vec![(0, 3), (1, 2)],
            vec![(0, 5)],
        ];
        let all = Together::of(&units, Scale::Verdicts, FEW);
        assert_eq!((all.shared_units, all.unshared_units), (4, 1));
        assert_eq!(all.used, [5, 0, 2, 3, 0, 0]);
        near(all.raw.value(), (1.0 + 1.0 / 3.0 + 1.0) / 4.0, 9);
        assert!(all.alpha_ordinal.value() > all.alpha.value(), "the two that differ are neighbours");
        let pairs = pairs(&units, 3, Scale::Verdicts, FEW);
        assert_eq!(
            pairs.iter().map(|pair| (pair.first, pair.second)).collect::<Vec<_>>(),
            [(0, 1), (0, 2), (1, 2)]
        );
        near(pairs[0].raw.value(), 0.75, 9);
        assert_eq!((pairs[0].kappa.n(), pairs[1].kappa.n()), (4, 2));
    }

    #[test]
    fn r46_a_pair_without_a_common_unit_is_listed_and_has_no_figure() {
        let units: Vec<Said> = vec![vec![(0, 1)], vec![(1, 1)]];
        let pairs = pairs(&units, 2, Scale::Scores, FEW);
        assert_eq!(pairs[0].kappa.undefined_because(), Some("there is no unit that both rated"));
        assert_eq!(pairs[0].alpha.undefined_because(), Some("no unit was rated by two"));
    }

    #[test]
    fn r49_what_prevails_is_told() {
        let mut units: Vec<Said> = vec![vec![(0, 0), (1, 0)]; 118];
        units.extend(vec![vec![(0, 0), (1, 3)]; 5]);
        units.extend(vec![vec![(0, 3), (1, 0)]; 2]);
        let all = Together::of(&units, Scale::Verdicts, FEW);
        let (category, share) = all.prevailing().unwrap();
        assert_eq!(category, 0);
        near(Some(share), 243.0 / 250.0, 9);
        assert!(all.ac1.value() > Some(0.9) && all.alpha.value() < Some(0.1) && all.raw.value() > Some(0.94));
    }

    #[test]
    fn a_scale_without_order_has_no_weights() {
        let units: Vec<Said> = vec![vec![(0, 0), (1, 1)]];
        assert_eq!(
            Together::of(&units, Scale::Answers, FEW).alpha_ordinal.undefined_because(),
            Some(NO_ORDER)
        );
        let pair = &pairs(&units, 2, Scale::Answers, FEW)[0];
        assert_eq!(pair.kappa_linear.undefined_because(), Some(NO_ORDER));
    }

    #[test]
    fn the_consensus_is_what_most_say() {
        assert_eq!(consensus(&[(0, 1), (1, 1), (2, 3)], 4), Some(1));
        assert_eq!(consensus(&[(0, 1), (1, 3)], 4), None);
        assert_eq!(consensus(&[], 4), None);
    }
}
