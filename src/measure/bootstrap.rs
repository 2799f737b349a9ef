//! Intervals by drawing the units again: what the figure would have been with other units of the same kind.
//!
//! The same units, number of resamples and seed give the same interval on every machine, on one core or many.

use super::distribution::Z;
use super::estimate::{Estimate, Interval, LEVEL, Method};

/// How often to draw, and from which seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    pub resamples: usize,
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { resamples: 10_000, seed: 1979 }
    }
}

/// An interval needs at least this share of the resamples to give a figure.
const LEAST_DEFINED: f64 = 0.95;

/// The units of one resample: as many as there are, drawn with replacement.
#[derive(Debug, Clone)]
pub struct Draws {
    state: u64,
    units: u64,
    left: usize,
}

impl Draws {
    fn new(seed: u64, resample: usize, units: usize) -> Self {
        Self { state: mixed(seed ^ mixed(resample as u64 + 1)), units: units as u64, left: units }
    }
}

impl Iterator for Draws {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        Some(((u128::from(mixed(self.state)) * u128::from(self.units)) >> 64) as usize)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

/// The finaliser of `SplitMix64`: every bit of the input stirs every bit of the output.
#[inline]
const fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// What the resamples gave, in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicates {
    values: Vec<f64>,
    resamples: usize,
    units: usize,
}

impl Replicates {
    fn new(mut values: Vec<f64>, resamples: usize, units: usize) -> Self {
        values.retain(|value| value.is_finite());
        values.sort_unstable_by(f64::total_cmp);
        Self { values, resamples, units }
    }

    /// The middle 95 %; `None` for fewer than two units, and when the figure is undefined in many resamples.
    pub fn interval(&self) -> Option<Interval> {
        let defined = self.values.len() as f64;
        if self.units < 2 || self.values.is_empty() || defined < LEAST_DEFINED * self.resamples as f64 {
            return None;
        }
        let outside = (1.0 - LEVEL) / 2.0;
        let at = |share: f64| {
            let rank = (share * self.values.len() as f64).ceil() as usize;
            self.values.get(rank.clamp(1, self.values.len()) - 1).copied()
        };
        Interval::new(at(outside)?, at(1.0 - outside)?, Method::Bootstrap)
    }

    /// The standard deviation of what the resamples gave; `None` when fewer than two gave anything.
    pub fn standard_error(&self) -> Option<f64> {
        let count = self.values.len() as f64;
        if count < 2.0 {
            return None;
        }
        let mean = self.values.iter().sum::<f64>() / count;
        let spread: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        Some((spread / (count - 1.0)).sqrt())
    }

    /// The share of the resamples in which the figure is below `value`.
    pub fn share_below(&self, value: f64) -> Option<f64> {
        let below = self.values.partition_point(|replicate| *replicate < value);
        (!self.values.is_empty()).then(|| below as f64 / self.values.len() as f64)
    }
}

impl Resampling {
    /// What `statistic` gives for each resample of `units` units, which it gets by their numbers from 0. For a result
    /// that does not depend on the order of the units, they must stand in an order of their own, not that of a file.
    pub fn replicates(self, units: usize, statistic: impl Fn(Draws) -> Option<f64> + Sync) -> Replicates {
        let [values] = self.replicates_of(units, |draws| [statistic(draws)]);
        values
    }

    /// The same for several statistics of the same resamples.
    pub fn replicates_of<const N: usize>(
        self,
        units: usize,
        statistics: impl Fn(Draws) -> [Option<f64>; N] + Sync,
    ) -> [Replicates; N] {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let part = self.resamples.div_ceil(threads).max(1);
        let work = |from: usize| -> Vec<[Option<f64>; N]> {
            let to = (from + part).min(self.resamples);
            (from..to).map(|resample| statistics(Draws::new(self.seed, resample, units))).collect()
        };
        let starts = (0..self.resamples).step_by(part);
        let few = units.saturating_mul(self.resamples) < 1_000_000;
        let all: Vec<[Option<f64>; N]> = if few {
            starts.flat_map(work).collect()
        } else {
            std::thread::scope(|scope| {
                let work = &work;
                let threads: Vec<_> = starts.map(|from| scope.spawn(move || work(from))).collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
            })
        };
        std::array::from_fn(|at| {
            Replicates::new(all.iter().filter_map(|of| of[at]).collect(), self.resamples, units)
        })
    }
}

/// Draws of units that are made for one interval. Beyond, units are so many that the large-sample interval is as good.
const MOST_DRAWS: u64 = 100_000_000;

impl Resampling {
    /// The interval around `statistic` by unit, where many units are alike: `alike` are the numbers of units of each
    /// kind, and the statistic gets such numbers. By resampling, for very many units by leaving out one at a time.
    pub fn interval_of_kinds(
        self,
        alike: &[u64],
        statistic: impl Fn(&[u64]) -> Option<f64> + Sync,
    ) -> Option<Interval> {
        let units: u64 = alike.iter().sum();
        if units.saturating_mul(self.resamples as u64) > MOST_DRAWS {
            return left_out(alike, units, statistic);
        }
        let kinds: Vec<usize> =
            alike.iter().enumerate().flat_map(|(kind, count)| (0..*count).map(move |_| kind)).collect();
        let replicates = self.replicates(kinds.len(), |draws| {
            let mut drawn = vec![0_u64; alike.len()];
            for unit in draws {
                drawn[kinds[unit]] += 1;
            }
            statistic(&drawn)
        });
        replicates.interval()
    }
}

/// The jackknife: how much the figure depends on each single unit.
fn left_out(alike: &[u64], units: u64, statistic: impl Fn(&[u64]) -> Option<f64>) -> Option<Interval> {
    let value = statistic(alike)?;
    let mut without = alike.to_vec();
    let mut left: Vec<(f64, f64)> = Vec::new();
    for (kind, count) in alike.iter().enumerate().filter(|(_, count)| **count > 0) {
        without[kind] -= 1;
        left.push((*count as f64, statistic(&without)?));
        without[kind] += 1;
    }
    let n = units as f64;
    let mean = left.iter().map(|(count, value)| count * value).sum::<f64>() / n;
    let spread: f64 = left.iter().map(|(count, value)| count * (value - mean).powi(2)).sum();
    let error = ((n - 1.0) / n * spread).sqrt();
    Interval::new(value - Z * error, value + Z * error, Method::LargeSample)
}

/// Counts of one item for both sides: how many of its claims with a verdict are wrong. Where claims of several items
/// hang together (the same document), add their counts up and give the document as one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct PairedItem {
    pub baseline_wrong: u32,
    pub baseline_claims: u32,
    pub candidate_wrong: u32,
    pub candidate_claims: u32,
}

/// The rates of both sides over all their claims, and the change from one to the other. The intervals are by item:
/// the claims of one answer are not independent of each other. `n` are items.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PairedRates {
    pub baseline: Estimate,
    pub candidate: Estimate,
    /// Candidate less baseline: plus means more wrong.
    pub change: Estimate,
}

/// Compares the sides item by item. The order of the items does not matter.
pub fn paired_rates(items: &[PairedItem], resampling: Resampling) -> PairedRates {
    let mut items = items.to_vec();
    items.sort_unstable();
    let rates = |items: &mut dyn Iterator<Item = &PairedItem>| {
        let mut sums = [0_u64; 4];
        for item in items {
            sums[0] += u64::from(item.baseline_wrong);
            sums[1] += u64::from(item.baseline_claims);
            sums[2] += u64::from(item.candidate_wrong);
            sums[3] += u64::from(item.candidate_claims);
        }
        let rate = |wrong: u64, claims: u64| (claims > 0).then(|| wrong as f64 / claims as f64);
        let (baseline, candidate) = (rate(sums[0], sums[1]), rate(sums[2], sums[3]));
        [baseline, candidate, baseline.zip(candidate).map(|(baseline, candidate)| candidate - baseline)]
    };
    let n = items.len() as u64;
    let [baseline, candidate, change] = rates(&mut items.iter());
    let replicates =
        resampling.replicates_of(items.len(), |draws| rates(&mut draws.filter_map(|at| items.get(at))));
    let [of_baseline, of_candidate, of_change] = replicates.map(|replicates| replicates.interval());
    let estimate = |value: Option<f64>, interval, because: &'static str| match value {
        Some(value) => Estimate::known(value, n).within(interval),
        None => Estimate::undefined(n, because),
    };
    PairedRates {
        baseline: estimate(baseline, of_baseline, "no claim of the baseline has a verdict"),
        candidate: estimate(candidate, of_candidate, "no claim of the candidate has a verdict"),
        change: estimate(change, of_change, "one side has no claim with a verdict"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One claim an item: `worse` turned wrong, `better` turned right, the others are right on both sides.
    fn items(n: usize, worse: usize, better: usize) -> Vec<PairedItem> {
        let one = |baseline_wrong, candidate_wrong| PairedItem {
            baseline_wrong,
            baseline_claims: 1,
            candidate_wrong,
            candidate_claims: 1,
        };
        let mut items = vec![one(0, 1); worse];
        items.extend(vec![one(1, 0); better]);
        items.resize(n, one(0, 0));
        items
    }

    fn check(n: usize, worse: usize, better: usize, low: f64, high: f64) {
        let change = paired_rates(&items(n, worse, better), Resampling::default()).change;
        let interval = change.interval().unwrap();
        assert!((change.value().unwrap() - (worse as f64 - better as f64) / n as f64).abs() < 1e-12);
        assert!((interval.low - low).abs() < 1e-9 && (interval.high - high).abs() < 1e-9, "{interval:?}");
    }

    #[test]
    fn what_infinitely_many_resamples_would_give() {
        check(100, 8, 1, 0.02, 0.13);
        check(200, 20, 10, -0.005, 0.105);
        check(400, 40, 20, 0.0125, 0.0875);
    }

    fn error_of(n: usize, worse: usize, better: usize) -> f64 {
        let change: Vec<f64> = items(n, worse, better)
            .iter()
            .map(|item| f64::from(item.candidate_wrong) - f64::from(item.baseline_wrong))
            .collect();
        error_of_mean(&change)
    }

    fn error_of_mean(values: &[f64]) -> f64 {
        let mean = |draws: Draws| Some(draws.map(|at| values[at]).sum::<f64>() / values.len() as f64);
        let many = Resampling { resamples: 40_000, ..Resampling::default() };
        many.replicates(values.len(), mean).standard_error().unwrap()
    }

    #[test]
    fn standard_errors_of_the_closed_form() {
        for (n, worse, better, expected) in
            [(100, 8, 1, 0.029_17), (200, 20, 10, 0.027_16), (400, 40, 20, 0.019_20)]
        {
            // Of 40,000 resamples a standard error is right to about 0.35 %.
            let found = error_of(n, worse, better);
            assert!((found / expected - 1.0).abs() < 0.015, "{found} for {expected}");
        }
    }

    #[test]
    fn the_mice_of_the_book() {
        let treated = [94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0];
        let control = [52.0, 104.0, 146.0, 10.0, 50.0, 31.0, 40.0, 27.0, 46.0];
        for (values, mean, formula, ideal) in
            [(&treated[..], 86.86, 25.24, 23.36), (&control[..], 56.22, 14.14, 13.33)]
        {
            let n = values.len() as f64;
            let found = values.iter().sum::<f64>() / n;
            assert!((found - mean).abs() < 0.005, "{found}");
            let spread: f64 = values.iter().map(|value| (value - found).powi(2)).sum();
            assert!(((spread / (n * (n - 1.0))).sqrt() - formula).abs() < 0.01);
            assert!(((spread / (n * n)).sqrt() - ideal).abs() < 0.01);
            let drawn = error_of_mean(values);
            assert!((drawn / ideal - 1.0).abs() < 0.015, "{drawn} for {ideal}");
        }
    }

    #[test]
    fn pooled_over_claims_not_averaged_over_items() {
        let item = |baseline_wrong, baseline_claims, candidate_wrong, candidate_claims| PairedItem {
            baseline_wrong,
            baseline_claims,
            candidate_wrong,
            candidate_claims,
        };
        let rates = paired_rates(&[item(1, 1, 0, 1), item(0, 9, 5, 9)], Resampling::default());
        assert_eq!(rates.baseline.value(), Some(0.1));
        assert_eq!(rates.candidate.value(), Some(0.5));
        assert_eq!(rates.change.n(), 2);
    }

    #[test]
    fn what_cannot_be_said_is_not_said() {
        let none = paired_rates(&[], Resampling::default());
        assert_eq!(none.change.undefined_because(), Some("one side has no claim with a verdict"));
        let one = paired_rates(&items(1, 1, 0), Resampling::default());
        assert_eq!((one.change.value(), one.change.interval()), (Some(1.0), None));
        // Half of the resamples miss the only item that the baseline has a claim in.
        let silent = PairedItem { candidate_claims: 1, ..PairedItem::default() };
        let speaking = PairedItem { baseline_claims: 1, ..silent };
        let rates = paired_rates(&[silent, silent, speaking], Resampling::default());
        assert_eq!((rates.baseline.value(), rates.baseline.interval()), (Some(0.0), None));
        assert!(rates.candidate.interval().is_some());
    }

    #[test]
    fn very_many_units_have_the_interval_that_resampling_would_give() {
        let share = |counts: &[u64]| Some(counts[0] as f64 / (counts[0] + counts[1]) as f64);
        let few = Resampling::default().interval_of_kinds(&[3000, 7000], share).unwrap();
        assert_eq!(few.method, Method::Bootstrap);
        let left = left_out(&[3000, 7000], 10_000, share).unwrap();
        assert!(
            (few.low - left.low).abs() < 0.001 && (few.high - left.high).abs() < 0.001,
            "{few:?} {left:?}"
        );
        let many = Resampling::default().interval_of_kinds(&[300_000, 700_000], share).unwrap();
        assert_eq!(many.method, Method::LargeSample);
        let error = (0.3_f64 * 0.7 / 1e6).sqrt();
        assert!((many.low - (0.3 - Z * error)).abs() < 1e-7, "{many:?}");
    }

    #[test]
    fn every_unit_is_drawn_about_equally_often() {
        let mut counts = [0_u32; 7];
        for resample in 0..10_000 {
            Draws::new(3, resample, 7).for_each(|at| counts[at] += 1);
        }
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 400), "{counts:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn order_changes_nothing_and_every_bound_is_a_share(
            counts in proptest::collection::vec((0_u32..4, 0_u32..4, 0_u32..4, 0_u32..4), 0..30),
            turn in 0_usize..30,
        ) {
            let mut items: Vec<PairedItem> = counts.iter().map(|(a, b, c, d)| PairedItem {
                baseline_wrong: *a.min(b), baseline_claims: *b,
                candidate_wrong: *c.min(d), candidate_claims: *d,
            }).collect();
            let few = Resampling { resamples: 200, seed: 7 };
            let first = paired_rates(&items, few);
            let places = items.len().max(1);
            items.rotate_left(turn % places);
            items.reverse();
            prop_assert_eq!(&first, &paired_rates(&items, few));
            for (estimate, least) in [(&first.baseline, 0.0), (&first.candidate, 0.0), (&first.change, -1.0)] {
                if let Some(interval) = estimate.interval() {
                    prop_assert!(interval.low >= least && interval.high <= 1.0);
                }
            }
        }
    }
}
