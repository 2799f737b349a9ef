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
}
