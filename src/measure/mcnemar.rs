//! Whether two versions differ on the same items.

use serde::Serialize;

use super::estimate::Estimate;

/// The test of `McNemar`. Only items on which the two sides part tell anything; what both got right or both got wrong does not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct McNemar {
    /// Items that only the first side got wrong.
    pub only_first: u64,
    /// Items that only the second side got wrong.
    pub only_second: u64,
    /// How probable a split at least as uneven is when both sides are equally good: exact and two-sided, 0 to 1. It is
    /// 1 when no item parts them.
    pub p: f64,
    /// The large-sample statistic; n are the items that part the sides.
    pub chi_square: Estimate,
    /// The same with the correction for continuity.
    pub chi_square_corrected: Estimate,
}

/// Tests whether the sides differ, by the number of items that only one of them got wrong.
pub fn mcnemar(only_first: u64, only_second: u64) -> McNemar {
    let n = only_first + only_second;
    let (difference, parted) = (only_first.abs_diff(only_second) as f64, n as f64);
    let over = |distance: f64| {
        if n == 0 {
            Estimate::undefined(0, "no item parts the two sides")
        } else {
            Estimate::known(distance * distance / parted, n)
        }
    };
    McNemar {
        only_first,
        only_second,
        p: exact(only_first.min(only_second), n),
        chi_square: over(difference),
        chi_square_corrected: over((difference - 1.0).max(0.0)),
    }
}

/// Twice the probability of at most `fewer` heads in `n` throws of a fair coin, at most 1.
fn exact(fewer: u64, n: u64) -> f64 {
    // The largest term stands at `fewer`; the others are taken relative to it, downwards.
    let largest: f64 = (1..=fewer).map(|i| ((n - fewer + i) as f64 / i as f64).ln()).sum();
    let (mut term, mut sum) = (1.0, 1.0);
    for i in (1..=fewer).rev() {
        term *= i as f64 / (n - i + 1) as f64;
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    (2.0 * sum * (largest - n as f64 * std::f64::consts::LN_2).exp()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::distribution::chi_square_tail;
    use proptest::prelude::*;

    use super::*;

    fn near(value: f64, expected: f64, most: f64) {
        assert!((value - expected).abs() <= most, "{value} for {expected}");
    }

    #[test]
    fn published_exact_probabilities() {
        near(mcnemar(121, 59).p, 0.000_004, 5e-7);
        near(mcnemar(70, 59).p, 0.378_688, 5e-7);
        near(mcnemar(80, 59).p, 0.089_452, 5e-7);
        near(mcnemar(30, 60).p, 0.002_06, 5e-6);
        near(mcnemar(10, 30).p, 0.002_221, 5e-7);
        near(mcnemar(10, 10).p, 1.0, 0.0);
        near(mcnemar(86, 150).p, 3.7e-5, 5e-7);
        near(mcnemar(20, 10).p, 0.098_74, 5e-6);
        near(mcnemar(40, 20).p, 0.013_49, 5e-6);
    }

    #[test]
    fn published_statistics() {
        let test = mcnemar(121, 59);
        near(test.chi_square.value().unwrap(), 21.355_56, 5e-6);
        near(test.chi_square_corrected.value().unwrap(), 20.672_22, 5e-6);
        near(chi_square_tail(test.chi_square_corrected.value().unwrap(), 1), 5.450_095e-6, 5e-13);
        near(mcnemar(86, 150).chi_square.value().unwrap(), 17.3559, 5e-5);
    }

    #[test]
    fn six_to_none_is_the_least_that_convinces() {
        near(mcnemar(0, 6).p, 0.031_25, 1e-15);
        near(mcnemar(0, 5).p, 0.0625, 1e-15);
    }

    #[test]
    fn nothing_that_parts_them_is_no_sign_of_a_difference() {
        let test = mcnemar(0, 0);
        near(test.p, 1.0, 0.0);
        assert_eq!(test.chi_square.undefined_because(), Some("no item parts the two sides"));
    }

    #[test]
    fn many_items_neither_overflow_nor_take_long() {
        near(mcnemar(1_000_000, 1_000_000).p, 1.0, 0.0);
        assert!(mcnemar(1_000_000, 990_000).p < 1e-11);
        assert!(mcnemar(0, 5_000_000).p >= 0.0);
    }

    proptest! {
        #[test]
        fn which_side_is_first_changes_nothing_but_the_names(b in 0_u64..3000, c in 0_u64..3000) {
            let (one, other) = (mcnemar(b, c), mcnemar(c, b));
            prop_assert!((0.0..=1.0).contains(&one.p));
            prop_assert_eq!(one.p.to_bits(), other.p.to_bits());
            prop_assert_eq!(one.chi_square, other.chi_square);
        }

        #[test]
        fn it_is_the_sum_of_the_binomial_terms(b in 0_u64..25, c in 0_u64..25) {
            let n = b + c;
            let (mut choose, mut sum) = (1.0_f64, 0.0);
            for i in 0..=b.min(c) {
                sum += choose;
                choose *= (n - i) as f64 / (i + 1) as f64;
            }
            let expected = (2.0 * sum / 2.0_f64.powi(n as i32)).min(1.0);
            prop_assert!((mcnemar(b, c).p - expected).abs() < 1e-12);
        }
    }
}
