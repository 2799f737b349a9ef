//! Whether what is counted or measured in one window is still what it was in another.

use serde::Serialize;

use super::distribution::chi_square_tail;
use super::estimate::Estimate;

/// What stands for the share of a class that a window does not have: the index needs one.
pub const FLOOR: f64 = 1e-4;
/// Population stability index from which a distribution is to be watched, and above which it has shifted.
pub const WATCH: f64 = 0.1;
pub const SHIFT: f64 = 0.25;

/// How far two distributions over the same classes are apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stability {
    /// The population stability index, 0 for the same shares; `n` are the units of both windows.
    pub psi: Estimate,
    /// Classes that one of the windows does not have, each counted as [`FLOOR`] there.
    pub floored: u64,
}

/// The population stability index between the shares of two windows: `earlier` and `later` count the same classes.
pub fn stability(earlier: &[u64], later: &[u64]) -> Stability {
    let (before, after) = (earlier.iter().sum::<u64>(), later.iter().sum::<u64>());
    let n = before + after;
    if before == 0 || after == 0 {
        return Stability { psi: Estimate::undefined(n, EMPTY), floored: 0 };
    }
    let mut floored = 0;
    let mut share = |count: u64, all: u64| {
        floored += u64::from(count == 0);
        (count as f64 / all as f64).max(FLOOR)
    };
    let index = earlier
        .iter()
        .zip(later)
        .filter(|(earlier, later)| **earlier + **later > 0)
        .map(|(earlier, later)| (share(*earlier, before), share(*later, after)))
        .map(|(expected, actual)| (actual - expected) * (actual / expected).ln())
        .sum();
    Stability { psi: Estimate::known(index, n), floored }
}

const EMPTY: &str = "one of the windows is empty";

/// Pearson's test whether windows draw from the same classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChiSquare {
    /// `n` are the units of all windows.
    pub statistic: Estimate,
    pub degrees_of_freedom: u64,
    /// How probable a difference at least as large is when nothing changed; `None` without a statistic.
    pub p: Option<f64>,
    /// Cells where fewer than five units are expected: with many of these the probability is rough.
    pub small_cells: u64,
}

impl ChiSquare {
    /// The same for units that hang together, by their design effect: 1 or more.
    #[must_use]
    pub fn over(self, design_effect: f64) -> Self {
        let Some(statistic) = self.statistic.value().map(|statistic| statistic / design_effect) else {
            return self;
        };
        Self {
            statistic: Estimate::known(statistic, self.statistic.n()),
            p: Some(chi_square_tail(statistic, self.degrees_of_freedom)),
            ..self
        }
    }
}

/// Tests whether the two windows count the same classes alike. Classes that neither has are left out.
pub fn chi_square(earlier: &[u64], later: &[u64]) -> ChiSquare {
    let (before, after) = (earlier.iter().sum::<u64>(), later.iter().sum::<u64>());
    let n = before + after;
    let classes: Vec<(u64, u64)> =
        earlier.iter().copied().zip(later.iter().copied()).filter(|(one, other)| one + other > 0).collect();
    let undefined = |because: &'static str| ChiSquare {
        statistic: Estimate::undefined(n, because),
        degrees_of_freedom: 0,
        p: None,
        small_cells: 0,
    };
    if before == 0 || after == 0 {
        return undefined(EMPTY);
    }
    if classes.len() < 2 {
        return undefined("no variation: all are of one class");
    }
    let (mut statistic, mut small_cells) = (0.0, 0);
    for (one, other) in &classes {
        for (count, of) in [(one, before), (other, after)] {
            let expected = (one + other) as f64 * of as f64 / n as f64;
            small_cells += u64::from(expected < 5.0);
            statistic += (*count as f64 - expected).powi(2) / expected;
        }
    }
    let degrees_of_freedom = classes.len() as u64 - 1;
    ChiSquare {
        statistic: Estimate::known(statistic, n),
        degrees_of_freedom,
        p: Some(chi_square_tail(statistic, degrees_of_freedom)),
        small_cells,
    }
}

/// Kolmogorov and Smirnov's test whether two samples of a continuous measure come from the same distribution.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KolmogorovSmirnov {
    /// The largest distance of the cumulated shares, 0 to 1; `n` are the values of both samples.
    pub distance: Estimate,
    /// How probable a distance at least as large is when nothing changed; too high where values are tied.
    pub p: Option<f64>,
}

/// Samples up to this product of sizes have an exact probability.
const EXACT: u64 = 4_000_000;

/// Compares two samples; values that are no numbers are left out.
pub fn kolmogorov_smirnov(earlier: &[f64], later: &[f64]) -> KolmogorovSmirnov {
    let sorted = |values: &[f64]| {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    };
    let (one, other) = (sorted(earlier), sorted(later));
    let (m, n) = (one.len() as u64, other.len() as u64);
    if m == 0 || n == 0 {
        return KolmogorovSmirnov { distance: Estimate::undefined(m + n, EMPTY), p: None };
    }
    // In steps of 1/(m n), which are whole numbers.
    let (mut at, mut beside, mut widest) = (0, 0, 0_u64);
    while at < one.len() && beside < other.len() {
        let value = one[at].min(other[beside]);
        while one.get(at).is_some_and(|next| *next <= value) {
            at += 1;
        }
        while other.get(beside).is_some_and(|next| *next <= value) {
            beside += 1;
        }
        widest = widest.max((at as u64 * n).abs_diff(beside as u64 * m));
    }
    let distance = widest as f64 / (m * n) as f64;
    let p = if m * n <= EXACT { at_least(m, n, widest) } else { at_least_of_many(m, n, distance) };
    KolmogorovSmirnov { distance: Estimate::known(distance, m + n), p: Some(p) }
}

/// The share of the ways through an `m` by `n` lattice that come as far as `widest` (in steps of 1/(m n)) from its
/// diagonal.
fn at_least(m: u64, n: u64, widest: u64) -> f64 {
    if widest == 0 {
        return 1.0;
    }
    // The probability that a way is still inside, cell by cell: what comes from the left and from below, each weighed
    // by how many of the ways on go there.
    let (columns, rows) = (n as usize, m as usize);
    let inside = |row: usize, column: usize| (row as u64 * n).abs_diff(column as u64 * m) < widest;
    let mut ways = vec![0.0_f64; columns + 1];
    for row in 0..=rows {
        for column in 0..=columns {
            let value = if !inside(row, column) {
                0.0
            } else if row + column == 0 {
                1.0
            } else {
                let steps = (row + column) as f64;
                let from_above = if row > 0 { ways[column] * row as f64 / steps } else { 0.0 };
                let from_left = if column > 0 { ways[column - 1] * column as f64 / steps } else { 0.0 };
                from_above + from_left
            };
            ways[column] = value;
        }
    }
    (1.0 - ways[columns]).clamp(0.0, 1.0)
}

/// Kolmogorov's limit for large samples.
fn at_least_of_many(m: u64, n: u64, distance: f64) -> f64 {
    let scaled = distance * ((m as f64 * n as f64) / (m + n) as f64).sqrt();
    if scaled < 0.2 {
        return 1.0;
    }
    let term = |k: i32| f64::from(k % 2 * 2 - 1) * (-2.0 * f64::from(k * k) * scaled * scaled).exp();
    (2.0 * (1..=100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::ratings::published::near;
    use super::*;

    #[test]
    fn published_indices() {
        let index = |earlier: &[u64], later: &[u64]| stability(earlier, later).psi.value();
        near(index(&[40, 30, 30], &[35, 25, 40]), 0.044_56, 5);
        near(index(&[3, 7], &[7, 3]), 0.677_84, 5);
        near(index(&[40, 40, 20], &[35, 40, 25]), 0.017_83, 5);
        near(index(&[5, 10, 15, 30, 40], &[8, 14, 20, 28, 30]), 0.072_09, 5);
    }

    #[test]
    fn a_class_that_is_missing_is_floored_and_that_is_told() {
        let found = stability(&[50, 50, 0], &[50, 0, 0]);
        assert_eq!(found.floored, 1, "the class that neither has is no class");
        near(found.psi.value(), 0.5 * 2.0_f64.ln() + (0.5 - FLOOR) * (0.5 / FLOOR).ln(), 9);
        assert_eq!(stability(&[0], &[4]).psi.undefined_because(), Some(EMPTY));
    }

    #[test]
    fn a_worked_test_of_counts() {
        // Expected in each window: 15, 15 and 20.
        let found = chi_square(&[10, 20, 20], &[20, 10, 20]);
        near(found.statistic.value(), 4.0 * 25.0 / 15.0, 12);
        assert_eq!((found.degrees_of_freedom, found.small_cells), (2, 0));
        near(found.p, (-2.0 * 25.0 / 15.0_f64).exp(), 12);
        let rare = chi_square(&[98, 2, 0], &[97, 3, 0]);
        assert_eq!((rare.degrees_of_freedom, rare.small_cells), (1, 2));
        assert!(chi_square(&[5, 0], &[9, 0]).statistic.undefined_because().is_some());
        assert!(chi_square(&[0, 0], &[9, 1]).p.is_none());
    }

    #[test]
    fn published_probabilities_of_distances() {
        // At most a tenth is what is not beyond it.
        near(Some(1.0 - at_least(100, 100, 1001)), 0.416_991, 6);
        near(Some(at_least(5, 8, 30)), 0.041_96, 5);
        near(Some(at_least(5, 8, 27)), 0.079_25, 5);
        // The critical distance at 0.01 of samples of 15 and 28, by the limit; the exact probability is lower there.
        near(Some(at_least_of_many(15, 28, 0.522)), 0.01, 3);
        near(Some(1.63 * (43.0_f64 / 420.0).sqrt()), 0.522, 3);
        assert!(at_least(15, 28, 220) <= 0.01);
    }

    #[test]
    fn the_limit_meets_the_exact_probability_where_samples_are_large() {
        for (coefficient, level) in [(1.22, 0.10), (1.36, 0.05), (1.63, 0.01)] {
            let distance = coefficient * (4000.0_f64 / (2000.0 * 2000.0)).sqrt();
            assert!((at_least_of_many(2000, 2000, distance) - level).abs() < 0.002);
            let exact = at_least(2000, 2000, (distance * 4e6).round() as u64);
            assert!((exact - level).abs() < 0.006, "{exact} for {level}");
        }
    }

    #[test]
    fn ties_make_the_test_of_distances_blind_where_the_index_sees() {
        let scores = |counts: [usize; 5]| -> Vec<f64> {
            (0_u8..).zip(counts).flat_map(|(score, count)| vec![f64::from(score); count]).collect()
        };
        let found = kolmogorov_smirnov(&scores([40, 30, 15, 10, 5]), &scores([30, 28, 20, 14, 8]));
        near(found.distance.value(), 0.12, 9);
        near(found.p, 0.47, 2);
        near(stability(&[40, 30, 15, 10, 5], &[30, 28, 20, 14, 8]).psi.value(), 0.072, 3);
    }

    #[test]
    fn samples_that_are_empty_or_the_same() {
        assert_eq!(kolmogorov_smirnov(&[], &[1.0]).distance.undefined_because(), Some(EMPTY));
        let same = kolmogorov_smirnov(&[1.0, 2.0, f64::NAN], &[2.0, 1.0]);
        near(same.distance.value(), 0.0, 12);
        near(same.p, 1.0, 12);
        let apart = kolmogorov_smirnov(&[1.0, 2.0], &[3.0, 4.0]);
        near(apart.distance.value(), 1.0, 12);
        near(apart.p, 2.0 / 6.0, 12);
    }

    proptest! {
        #[test]
        fn order_changes_nothing_and_every_value_is_a_number(
            earlier in proptest::collection::vec(0_u64..50, 1..6),
            later in proptest::collection::vec(0_u64..50, 6),
            values in proptest::collection::vec(0.0_f64..1.0, 2..60),
        ) {
            let later = &later[..earlier.len()];
            let turned = |counts: &[u64]| counts.iter().rev().copied().collect::<Vec<_>>();
            let (one, other) = (stability(&earlier, later), stability(&turned(&earlier), &turned(later)));
            match (one.psi.value(), other.psi.value()) {
                (Some(one), Some(other)) => prop_assert!(one >= 0.0 && (one - other).abs() < 1e-9),
                (one, other) => prop_assert_eq!(one, other),
            }
            let test = chi_square(&earlier, later);
            prop_assert!(test.p.is_none_or(|p| (0.0..=1.0).contains(&p)));
            let (first, second) = values.split_at(values.len() / 2);
            let mut shuffled = first.to_vec();
            shuffled.reverse();
            let found = kolmogorov_smirnov(first, second);
            prop_assert_eq!(&found, &kolmogorov_smirnov(&shuffled, second));
            prop_assert!(found.p.is_some_and(|p| (0.0..=1.0).contains(&p)));
        }
    }
}
