//! Krippendorff's alpha: agreement of any number of raters, some of whose ratings may be missing.
//!
//! Krippendorff, K. (2011), Computing Krippendorff's alpha-reliability.

use serde::Serialize;

use super::bootstrap::Resampling;
use super::estimate::Estimate;
use super::ratings::{NO_SHARED, NO_VARIATION, Ratings, Sums};

/// How far two categories are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Metric {
    /// The same or not.
    Nominal,
    /// By how many ratings lie between them.
    Ordinal,
    /// By the difference of their values.
    Interval,
    /// By the difference relative to the sum of their values.
    Ratio,
}

/// Alpha by `metric`, where the category number `i` has the value `values[i]` (used by the metrics `Interval` and
/// `Ratio` only; categories without one stand at their number). The interval is by unit; `n` are the units that two or
/// more rated. Undefined when all ratings are the same: there is nothing that agreement could be told by.
pub fn alpha(ratings: &Ratings, metric: Metric, values: &[f64], resampling: Resampling) -> Estimate {
    ratings.estimate(resampling, |sums| of_sums(sums, metric, values))
}

/// The same without its interval.
pub(super) fn alpha_value(ratings: &Ratings, metric: Metric, values: &[f64]) -> Option<f64> {
    ratings.value(|sums| of_sums(sums, metric, values)).value()
}

fn of_sums(sums: &Sums, metric: Metric, values: &[f64]) -> Result<f64, &'static str> {
    if !sums.is_shared() {
        return Err(NO_SHARED);
    }
    let places: Vec<f64> = match metric {
        Metric::Ordinal => middle_ranks(&sums.used),
        _ => (0..sums.categories).map(|at| values.get(at).copied().unwrap_or(at as f64)).collect(),
    };
    let distance = |first: usize, second: usize| -> f64 {
        let (one, other) = (places[first], places[second]);
        match metric {
            _ if first == second => 0.0,
            Metric::Nominal => 1.0,
            Metric::Ordinal | Metric::Interval => (one - other).powi(2),
            Metric::Ratio if one + other == 0.0 => 0.0,
            Metric::Ratio => ((one - other) / (one + other)).powi(2),
        }
    };
    let (mut observed, mut expected) = (0.0, 0.0);
    for first in 0..sums.categories {
        for second in 0..sums.categories {
            let distance = distance(first, second);
            observed += sums.coincidences[first * sums.categories + second] * distance;
            expected += sums.used[first] * sums.used[second] * distance;
        }
    }
    if expected <= 0.0 {
        return Err(NO_VARIATION);
    }
    let all: f64 = sums.used.iter().sum();
    Ok(1.0 - (all - 1.0) * observed / expected)
}

/// Where each category stands in the middle of its ratings, all ratings put in order.
fn middle_ranks(used: &[f64]) -> Vec<f64> {
    let mut below = 0.0;
    used.iter()
        .map(|count| {
            let middle = below + count / 2.0;
            below += count;
            middle
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ratings::published::{abstractors, near, observers, rows, six_raters};
    use super::*;

    const VALUES: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

    fn of(ratings: &Ratings, metric: Metric) -> Option<f64> {
        alpha(ratings, metric, &VALUES, Resampling { resamples: 50, seed: 1 }).value()
    }

    #[test]
    fn four_observers() {
        let ratings = observers();
        near(of(&ratings, Metric::Nominal), 0.743_421, 6);
        near(of(&ratings, Metric::Ordinal), 0.815_388, 6);
        near(of(&ratings, Metric::Interval), 0.849_107, 6);
        near(of(&ratings, Metric::Ratio), 0.797_403, 6);
        near(of(&ratings, Metric::Nominal), 0.743_42, 5);
        assert_eq!((ratings.shared_units(), ratings.unshared_units()), (11, 1));
    }

    #[test]
    fn three_coders() {
        let ratings = rows(
            4,
            &[
                "* * * * * 3 4 1 2 1 1 3 3 * 3",
                "1 * 2 1 3 3 4 3 * * * * * * *",
                "* * 2 1 3 4 4 * 2 1 1 3 3 * 4",
            ],
        );
        near(of(&ratings, Metric::Nominal), 0.691_358, 6);
        near(of(&ratings, Metric::Interval), 0.810_845, 6);
        near(of(&ratings, Metric::Ordinal), 0.806_721, 6);
        near(of(&ratings, Metric::Ratio), 0.808_944, 6);
    }

    #[test]
    fn two_observers() {
        let binary = rows(2, &["1 2 1 1 1 1 1 1 2 1", "2 2 2 1 1 2 1 1 1 1"]);
        near(of(&binary, Metric::Nominal), 0.095_238, 6);
        let nominal = rows(5, &["1 1 2 2 4 3 3 3 5 4 4 1", "1 2 2 2 2 3 3 3 5 4 4 4"]);
        near(of(&nominal, Metric::Nominal), 0.691_964, 6);
    }

    #[test]
    fn tables_of_counts() {
        near(of(&abstractors(), Metric::Nominal), 0.797_258_5, 7);
        near(of(&six_raters(), Metric::Nominal), 0.420_438_4, 7);
    }

    #[test]
    fn r48_full_agreement_without_variation_is_undefined_not_one_and_not_zero() {
        let same = rows(3, &["2 2 2", "2 2 2"]);
        for metric in [Metric::Nominal, Metric::Ordinal, Metric::Interval, Metric::Ratio] {
            let found = alpha(&same, metric, &VALUES, Resampling::default());
            assert_eq!(found.undefined_because(), Some(NO_VARIATION));
            near(of(&rows(3, &["1 2 3", "1 2 3"]), metric), 1.0, 12);
        }
        near(same.raw_agreement(Resampling::default()).value(), 1.0, 12);
    }

    #[test]
    fn the_interval_is_by_unit_and_holds_the_value() {
        let found = alpha(&observers(), Metric::Ordinal, &VALUES, Resampling::default());
        let interval = found.interval().unwrap();
        assert!(interval.contains(found.value().unwrap()) && interval.high <= 1.0, "{interval:?}");
        assert!(interval.high - interval.low > 0.1, "eleven units do not say much: {interval:?}");
    }

    proptest! {
           #![proptest_config(ProptestConfig::with_cases(48))]
           #[test]
           fn order_changes_nothing_and_it_is_never_above_one(
               units in proptest::collection::vec(proptest::collection::vec(0_usize..5, 0..5), 0..20),
               turn in 0_usize..20,
           ) {
               let build = |units: &[Vec<usize>]| {
                   let mut ratings = Ratings::new(5);
                   for unit in units {
    ratings.add(unit.iter().copied());
    }
                   ratings
               };
               let few = Resampling { resamples: 60, seed: 3 };
               let places = units.len().max(1);
               let mut other = units.clone();
               other.rotate_left(turn % places);
               for unit in &mut other {
    unit.reverse();
    }
               for metric in [Metric::Nominal, Metric::Ordinal, Metric::Interval, Metric::Ratio] {
                   let found = alpha(&build(&units), metric, &VALUES, few);
                   prop_assert_eq!(&found, &alpha(&build(&other), metric, &VALUES, few));
                   if let Some(value) = found.value() {
                       prop_assert!(value.is_finite() && value <= 1.0 + 1e-12);
                   }
               }
           }
       }
}
