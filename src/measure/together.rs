//! Intervals of what people agree on, for units that hang together: the claims of one record are drawn together.
//!
//! The same is done for a judge held to people, in `groups`.

use std::collections::{BTreeMap, HashMap};

use super::alpha::{Metric, alpha_value};
use super::annotators::{Pair, Said, Together};
use super::bootstrap::{Replicates, Resampling};
use super::chance::{ac1, fleiss_value, free_marginal_value};
use super::clusters::{Clusters, share};
use super::kappa::{PairTable, Weights};
use super::ratings::{Ratings, at_most_one, total};
use crate::domain::annotation::Scale;

/// Draws of units that are made for the intervals of one measurement, about.
const MOST_DRAWN: usize = 20_000_000;
const FEWEST: usize = 500;

/// Units by group, in an order of their own, as numbers of what is kept of each; `None` where each stands for itself.
struct Grouped<K> {
    kinds: Vec<K>,
    groups: Vec<Vec<usize>>,
}

impl<K: Ord + Clone> Grouped<K> {
    fn of(units: impl Iterator<Item = (usize, K)>) -> Option<Self> {
        let units: Vec<(usize, K)> = units.collect();
        let mut kinds: Vec<K> = units.iter().map(|(_, kind)| kind.clone()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
        for (group, kind) in &units {
            groups.entry(*group).or_default().push(kinds.binary_search(kind).unwrap_or_default());
        }
        if groups.len() == units.len() {
            return None;
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort_unstable();
        Some(Self { kinds, groups })
    }

    /// What `statistics` give for draws of groups, as so many units of each kind.
    fn draws<const N: usize>(
        &self,
        resampling: Resampling,
        statistics: impl Fn(&mut dyn Iterator<Item = (&K, u64)>) -> [Option<f64>; N] + Sync,
    ) -> [Replicates; N]
    where
        K: Sync,
    {
        let units: usize = self.groups.iter().map(Vec::len).sum();
        let most = (MOST_DRAWN / units.max(1)).max(FEWEST);
        let resampling = Resampling { resamples: resampling.resamples.min(most), ..resampling };
        resampling.replicates_of(self.groups.len(), |draws| {
            let mut drawn = vec![0_u64; self.kinds.len()];
            for kind in draws.filter_map(|at| self.groups.get(at)).flatten() {
                drawn[*kind] += 1;
            }
            statistics(&mut self.kinds.iter().zip(drawn).filter(|(_, units)| *units > 0))
        })
    }
}

/// How many groups the units that two or more rated are of.
fn shared_groups(units: &[(usize, Said)]) -> u64 {
    let mut groups: Vec<usize> =
        units.iter().filter(|(_, said)| said.len() > 1).map(|(group, _)| *group).collect();
    groups.sort_unstable();
    groups.dedup();
    groups.len() as u64
}

impl Together {
    /// The figures of `units`, each with the number of its group, with intervals by group where units share one.
    pub fn by_group(units: &[(usize, Said)], scale: Scale, resampling: Resampling) -> Self {
        let alone: Vec<Said> = units.iter().map(|(_, said)| said.clone()).collect();
        let figures = Self { groups: shared_groups(units), ..Self::of(&alone, scale, resampling) };
        let counted = units.iter().map(|(group, said)| (*group, counts(said, scale)));
        let Some(grouped) = Grouped::of(counted) else { return figures };
        let values = scale.values();
        let drawn = grouped.draws(resampling, |kinds| {
            let (mut all, mut ordered) = (Ratings::new(scale.categories()), Ratings::new(scale.ordered()));
            for (counts, units) in kinds {
                let each = || {
                    let each = counts.iter().enumerate();
                    each.flat_map(|(category, count)| std::iter::repeat_n(category, *count as usize))
                };
                all.add_alike(each(), units);
                ordered.add_alike(each(), units);
            }
            let by_order = |metric| alpha_value(&ordered, metric, &values).filter(|_| scale.ordered() > 0);
            [
                all.agreement(),
                alpha_value(&all, Metric::Nominal, &[]),
                by_order(Metric::Ordinal),
                by_order(Metric::Interval),
                ac1(&all).value(),
                fleiss_value(&all),
                free_marginal_value(&all),
            ]
        });
        let [raw, alpha, ordinal, interval, ac1, fleiss, free] =
            drawn.map(|of| of.interval().and_then(at_most_one));
        Self {
            raw: match of_twos(&grouped) {
                Some(raw) => raw,
                None => figures.raw.within(raw),
            },
            alpha: figures.alpha.within(alpha),
            alpha_ordinal: figures.alpha_ordinal.within(ordinal),
            alpha_interval: figures.alpha_interval.within(interval),
            ac1: figures.ac1.within(ac1),
            fleiss: figures.fleiss.within(fleiss),
            free_marginal: figures.free_marginal.within(free),
            ..figures
        }
    }
}

/// How often each category was said of a unit.
fn counts(said: &Said, scale: Scale) -> Vec<u32> {
    let mut counts = vec![0_u32; scale.categories()];
    for (_, category) in said {
        if let Some(count) = counts.get_mut(*category) {
            *count += 1;
        }
    }
    counts
}

/// Raw agreement as a share, where every unit with more than one rating has two.
fn of_twos(grouped: &Grouped<Vec<u32>>) -> Option<super::estimate::Estimate> {
    let (mut clusters, mut of) = (Clusters::new(2), [0_u64; 2]);
    for (number, group) in (0_u64..).zip(&grouped.groups) {
        for counts in group.iter().filter_map(|kind| grouped.kinds.get(*kind)) {
            match total(counts) {
                0 | 1 => continue,
                2 => {}
                _ => return None,
            }
            let agree = usize::from(counts.contains(&2));
            clusters.add(number, agree);
            of[agree] += 1;
        }
    }
    (of[0] + of[1] > 0).then(|| share(&clusters, &of, &[1]))
}

/// What two annotators said of one unit, behind the number of its group.
type Met = (usize, (usize, usize));

/// Every two of the annotators, with intervals by group where units share one.
pub fn pairs_by_group(
    units: &[(usize, Said)],
    annotators: usize,
    scale: Scale,
    resampling: Resampling,
) -> Vec<Pair> {
    let alone: Vec<Said> = units.iter().map(|(_, said)| said.clone()).collect();
    let mut met: BTreeMap<(usize, usize), Vec<Met>> = BTreeMap::new();
    for (group, said) in units {
        for (first, one) in said {
            for (second, other) in said.iter().filter(|(second, _)| second > first) {
                met.entry((*first, *second)).or_default().push((*group, (*one, *other)));
            }
        }
    }
    let pairs = super::annotators::pairs(&alone, annotators, scale, resampling).into_iter();
    pairs
        .map(|pair| {
            let met = met.remove(&(pair.first, pair.second)).unwrap_or_default();
            match Grouped::of(met.into_iter()) {
                Some(grouped) => of_group(pair, &grouped, scale, resampling),
                None => pair,
            }
        })
        .collect()
}

fn of_group(pair: Pair, grouped: &Grouped<(usize, usize)>, scale: Scale, resampling: Resampling) -> Pair {
    let drawn = grouped.draws(resampling, |kinds| {
        let mut table = PairTable::new(scale.categories());
        let mut ratings = Ratings::new(scale.categories());
        for ((one, other), units) in kinds {
            table.add_alike(*one, *other, units);
            ratings.add_alike([*one, *other], units);
        }
        let ordered = table.of_first(scale.ordered());
        let weighted = |weights| ordered.kappa_value(weights).filter(|_| scale.ordered() > 0);
        [
            table.kappa_value(Weights::Plain),
            weighted(Weights::Linear),
            weighted(Weights::Quadratic),
            alpha_value(&ratings, Metric::Nominal, &[]),
            ac1(&ratings).value(),
        ]
    });
    let [kappa, linear, quadratic, alpha, ac1] = drawn.map(|of| of.interval().and_then(at_most_one));
    let (mut clusters, mut of) = (Clusters::new(2), [0_u64; 2]);
    for (number, group) in (0_u64..).zip(&grouped.groups) {
        for (one, other) in group.iter().filter_map(|kind| grouped.kinds.get(*kind)) {
            clusters.add(number, usize::from(one == other));
            of[usize::from(one == other)] += 1;
        }
    }
    Pair {
        raw: share(&clusters, &of, &[1]),
        kappa: pair.kappa.within(kappa),
        kappa_linear: pair.kappa_linear.within(linear),
        kappa_quadratic: pair.kappa_quadratic.within(quadratic),
        alpha: pair.alpha.within(alpha),
        ac1: pair.ac1.within(ac1),
        ..pair
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimate::{Estimate, Interval};
    use super::*;

    const FEW: Resampling = Resampling { resamples: 400, seed: 1 };

    /// Records of so many claims; in one of four the two annotators differ on all of them.
    fn units(records: usize, claims: usize, grouped: bool) -> Vec<(usize, Said)> {
        (0..records * claims)
            .map(|at| {
                let record = at / claims;
                let one = record % 3;
                let other = if record.is_multiple_of(4) { (one + 1) % 3 } else { one };
                (if grouped { record } else { at }, vec![(0, one), (1, other)])
            })
            .collect()
    }

    fn figures(units: &[(usize, Said)]) -> Vec<Estimate> {
        let all = Together::by_group(units, Scale::Verdicts, FEW);
        let pair = pairs_by_group(units, 2, Scale::Verdicts, FEW).remove(0);
        vec![
            all.raw,
            all.alpha,
            all.alpha_ordinal,
            all.alpha_interval,
            all.ac1,
            all.fleiss,
            all.free_marginal,
            pair.raw,
            pair.kappa,
            pair.kappa_linear,
            pair.kappa_quadratic,
            pair.alpha,
            pair.ac1,
        ]
    }

    fn width(of: &Estimate) -> f64 {
        of.interval().map_or(0.0, |Interval { low, high, .. }| high - low)
    }

    #[test]
    fn ten_claims_that_are_all_alike_count_as_one_in_every_interval() {
        let (alone, together) = (figures(&units(60, 10, false)), figures(&units(60, 10, true)));
        for ((alone, together), record) in alone.iter().zip(&together).zip(figures(&units(60, 1, true))) {
            assert_eq!(
                (alone.value(), alone.n()),
                (together.value(), together.n()),
                "the figure is the same"
            );
            assert!(width(together) > 2.3 * width(alone), "{together:?} for {alone:?}");
            assert!((0.65..1.5).contains(&(width(together) / width(&record))), "{together:?} for {record:?}");
        }
        assert_eq!(Together::by_group(&units(60, 10, true), Scale::Verdicts, FEW).groups, 60);
    }

    #[test]
    fn neither_the_order_nor_the_numbers_of_groups_change_anything() {
        let one = units(30, 4, true);
        let mut other: Vec<(usize, Said)> =
            one.iter().map(|(group, said)| (1000 - group, said.clone())).collect();
        other.reverse();
        assert_eq!(figures(&one), figures(&other));
    }

    #[test]
    fn units_that_stand_for_themselves_have_the_intervals_that_they_had() {
        let apart = units(40, 1, true);
        let alone: Vec<Said> = apart.iter().map(|(_, said)| said.clone()).collect();
        let all = Together::by_group(&apart, Scale::Verdicts, FEW);
        assert_eq!(all, Together { groups: 40, ..Together::of(&alone, Scale::Verdicts, FEW) });
    }
}
