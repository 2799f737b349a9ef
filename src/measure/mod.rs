//! Figures about how well a judge does, how far people agree, and what changed: numbers in, numbers out.
//!
//! Pure functions. This layer must not know which judge spoke, nor files, the store or the screen. A figure that
//! cannot be computed says why; it is never a not-a-number.

pub mod against_people;
pub mod alpha;
pub mod annotators;
pub mod bootstrap;
pub mod calibration;
pub mod chance;
pub mod citation;
pub mod classes;
pub mod clusters;
pub mod decomposition;
pub mod distribution;
pub mod drift;
pub mod estimate;
pub mod evidence;
pub mod floors;
mod groups;
pub mod kappa;
pub mod likeness;
pub mod mcnemar;
pub mod proportion;
pub mod ranking;
pub mod ratings;
pub mod scores;
pub mod sheet;
pub mod shift;
pub mod together;
pub mod versions;

use serde::Serialize;

/// A figure, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    /// `None` exactly when `undefined_because` says why.
    pub value: Option<f64>,
    pub undefined_because: Option<&'static str>,
}

impl Figure {
    pub const fn of(value: f64) -> Self {
        Self { value: Some(value), undefined_because: None }
    }

    pub const fn undefined(because: &'static str) -> Self {
        Self { value: None, undefined_because: Some(because) }
    }

    /// `part` of `whole`; undefined for the reason when there is no whole.
    pub fn share(part: u64, whole: u64, because: &'static str) -> Self {
        if whole == 0 { Self::undefined(because) } else { Self::of(part as f64 / whole as f64) }
    }

    /// The mean of `values`; undefined for the reason when there are none.
    pub fn mean(values: impl IntoIterator<Item = f64>, because: &'static str) -> Self {
        let (mut sum, mut count) = (0.0, 0_u64);
        for value in values {
            sum += value;
            count += 1;
        }
        if count == 0 { Self::undefined(because) } else { Self::of(sum / count as f64) }
    }

    /// The median of `values`, of an even number of them the mean of the middle two.
    pub fn median(mut values: Vec<f64>, because: &'static str) -> Self {
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        match (values.get(middle), middle.checked_sub(1).and_then(|below| values.get(below))) {
            (Some(upper), Some(lower)) if values.len().is_multiple_of(2) => {
                Self::of(f64::midpoint(*upper, *lower))
            }
            (Some(upper), _) => Self::of(*upper),
            _ => Self::undefined(because),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_computed_says_why() {
        assert_eq!(Figure::share(0, 0, "no row"), Figure::undefined("no row"));
        assert_eq!(Figure::mean([], "no row").undefined_because, Some("no row"));
        assert_eq!(Figure::median(vec![], "no row").value, None);
    }

    #[test]
    fn means_and_medians() {
        assert_eq!(Figure::share(1, 4, ""), Figure::of(0.25));
        assert_eq!(Figure::mean([1.0, 2.0, 6.0], ""), Figure::of(3.0));
        assert_eq!(Figure::median(vec![9.0, 1.0, 2.0], ""), Figure::of(2.0));
        assert_eq!(Figure::median(vec![9.0, 1.0, 2.0, 4.0], ""), Figure::of(3.0));
    }

    /// LLM-AggreFact: the balanced accuracy of published judges on eleven sets, behind the mean that is printed.
    #[test]
    fn published_means_over_sets() {
        for (mean, sets) in [
            (77.4, [65.5, 77.8, 76.0, 78.3, 83.0, 88.0, 75.3, 77.7, 59.2, 86.7, 84.0]),
            (77.2, [67.6, 75.1, 73.4, 84.6, 77.7, 89.1, 71.4, 77.8, 60.9, 85.6, 86.1]),
            (76.5, [67.0, 74.9, 74.0, 78.6, 76.6, 89.6, 75.9, 76.1, 59.6, 86.9, 82.2]),
            (75.9, [68.1, 76.8, 71.4, 79.8, 78.5, 86.5, 69.0, 77.5, 59.6, 83.6, 84.3]),
            (75.6, [70.1, 73.9, 72.3, 74.3, 74.2, 88.4, 78.5, 72.1, 59.1, 86.7, 82.3]),
            (75.0, [69.9, 74.3, 73.6, 77.3, 72.2, 86.2, 74.6, 74.7, 59.0, 85.2, 78.0]),
            (74.0, [61.8, 73.6, 71.3, 79.7, 76.3, 85.8, 69.8, 76.0, 58.3, 80.3, 81.6]),
            (71.8, [62.8, 67.8, 67.2, 71.0, 75.9, 86.6, 73.9, 71.8, 58.4, 84.1, 69.9]),
            (70.5, [52.4, 71.4, 69.2, 72.6, 66.0, 85.3, 69.6, 74.3, 58.3, 84.5, 71.7]),
            (67.7, [51.1, 61.5, 69.5, 71.0, 62.8, 85.3, 69.7, 75.2, 55.2, 77.6, 65.6]),
        ] {
            ratings::published::near(Figure::mean(sets, "").value, mean, 1);
        }
    }
}
