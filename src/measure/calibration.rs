//! Whether a probability means what it says.

use super::Figure;

/// Bins of equal width that the expected calibration error is taken over.
pub const BINS: usize = 10;

/// The expected calibration error: over [`BINS`] bins of the stated probability, how far its mean is from the share
/// that was right, weighted by the rows in the bin. 0 is perfect. `rows` are probabilities with whether it came true.
pub fn expected_error(rows: &[(f64, bool)]) -> Figure {
    let mut bins = [(0.0_f64, 0.0_f64); BINS];
    for (probability, right) in rows {
        let at = ((probability * BINS as f64) as usize).min(BINS - 1);
        bins[at].0 += probability;
        bins[at].1 += f64::from(u8::from(*right));
    }
    let distance: f64 = bins.iter().map(|(stated, right)| (stated - right).abs()).sum();
    if rows.is_empty() {
        return Figure::undefined("no row has a confidence");
    }
    Figure::of(distance / rows.len() as f64)
}

/// The Brier score: the mean squared distance of the stated probability from what came true, 0 to 1.
pub fn brier(rows: &[(f64, bool)]) -> Figure {
    let distances =
        rows.iter().map(|(probability, right)| (probability - f64::from(u8::from(*right))).powi(2));
    Figure::mean(distances, "no row has a confidence")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(figure: Figure, expected: f64) {
        assert!(figure.value.is_some_and(|value| (value - expected).abs() < 1e-12), "{figure:?}");
    }

    #[test]
    fn a_worked_example() {
        // Bin 0.9 to 1: stated 0.95, right 1 of 2, off by 0.45. Bin 0.5 to 0.6: stated 0.5, right 1 of 2, off by 0.
        let rows = [(0.95, true), (0.95, false), (0.5, true), (0.5, false)];
        near(expected_error(&rows), 0.225);
        near(brier(&rows), (0.0025 + 0.9025 + 0.25 + 0.25) / 4.0);
    }

    #[test]
    fn the_ends_of_the_scale() {
        near(expected_error(&[(1.0, true), (0.0, false)]), 0.0);
        near(expected_error(&[(1.0, false), (0.0, true)]), 1.0);
        assert!(expected_error(&[]).undefined_because.is_some());
        assert!(brier(&[]).undefined_because.is_some());
    }

    proptest! {
        #[test]
        fn no_order_of_the_rows_matters_and_each_value_is_a_number_from_0_to_1(
            rows in proptest::collection::vec((0.0_f64..=1.0, any::<bool>()), 0..60), turn in 0_usize..60,
        ) {
            let mut turned = rows.clone();
            turned.rotate_left(turn % rows.len().max(1));
            for figure in [expected_error, brier] {
                let (found, other) = (figure(&rows), figure(&turned));
                prop_assert_eq!(found.value.is_none(), rows.is_empty());
                prop_assert_eq!(found.undefined_because, other.undefined_because);
                if let (Some(value), Some(other)) = (found.value, other.value) {
                    prop_assert!((0.0..=1.0 + 1e-12).contains(&value) && (value - other).abs() < 1e-12);
                }
            }
            // A judge that is as sure as it is right is off by nothing.
            let sure: Vec<(f64, bool)> = rows.iter().map(|(_, right)| (f64::from(u8::from(*right)), *right)).collect();
            prop_assert!([expected_error(&sure), brier(&sure)].iter().all(|it| it.value.unwrap_or(0.0) == 0.0));
        }
    }
}
