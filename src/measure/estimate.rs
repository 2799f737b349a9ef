//! A figure with what it rests on: how many units it was computed from, and the interval around it.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::Figure;

/// The share of intervals that hold the true value, in the long run: all of this program's are of this level.
pub const LEVEL: f64 = 0.95;

/// How an interval was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Method {
    /// Wilson's score interval of a proportion.
    Wilson,
    /// Estimate ± 1.96 standard errors: right for many units.
    LargeSample,
    /// Percentiles of what resampled units give.
    Bootstrap,
}

/// From `low` to `high` at [`LEVEL`]; both are finite and in order.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    pub method: Method,
}

impl Interval {
    /// `None` when the bounds are no numbers.
    pub fn new(low: f64, high: f64, method: Method) -> Option<Self> {
        (low.is_finite() && high.is_finite()).then(|| Self {
            low: low.min(high),
            high: low.max(high),
            method,
        })
    }

    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// A value with the number of units behind it, or why there is none. Never a not-a-number, never infinite.
#[derive(Debug, Clone, PartialEq)]
pub enum Estimate {
    Known {
        value: f64,
        /// Units it was computed from: what a unit is, the function says that computes it.
        n: u64,
        interval: Option<Interval>,
    },
    Undefined {
        n: u64,
        because: Cow<'static, str>,
    },
}

impl Estimate {
    /// A value without an interval.
    pub fn known(value: f64, n: u64) -> Self {
        if value.is_finite() {
            Self::Known { value, n, interval: None }
        } else {
            Self::undefined(n, "the numbers are too large to compute with")
        }
    }

    pub fn undefined(n: u64, because: impl Into<Cow<'static, str>>) -> Self {
        Self::Undefined { n, because: because.into() }
    }

    /// A figure over `n` units.
    pub fn of(figure: Figure, n: u64) -> Self {
        match (figure.value, figure.undefined_because) {
            (Some(value), _) => Self::known(value, n),
            (None, because) => Self::undefined(n, because.unwrap_or("it was not computed")),
        }
    }

    /// The same value with the interval; what is undefined stays so.
    #[must_use]
    pub fn within(self, interval: Option<Interval>) -> Self {
        match self {
            Self::Known { value, n, .. } => Self::Known { value, n, interval },
            undefined @ Self::Undefined { .. } => undefined,
        }
    }

    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Known { value, .. } => Some(*value),
            Self::Undefined { .. } => None,
        }
    }

    pub fn n(&self) -> u64 {
        match self {
            Self::Known { n, .. } | Self::Undefined { n, .. } => *n,
        }
    }

    pub fn interval(&self) -> Option<Interval> {
        match self {
            Self::Known { interval, .. } => *interval,
            Self::Undefined { .. } => None,
        }
    }

    pub fn undefined_because(&self) -> Option<&str> {
        match self {
            Self::Known { .. } => None,
            Self::Undefined { because, .. } => Some(because),
        }
    }
}

/// One shape for both: `value`, `n`, `interval` and `undefined_because`, each `null` where there is none.
impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shape<'a> {
            value: Option<f64>,
            n: u64,
            interval: Option<Interval>,
            undefined_because: Option<&'a str>,
        }
        Shape {
            value: self.value(),
            n: self.n(),
            interval: self.interval(),
            undefined_because: self.undefined_because(),
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_undefined() {
        assert_eq!(Estimate::known(f64::NAN, 3).value(), None);
        assert!(Estimate::known(f64::INFINITY, 3).undefined_because().is_some());
        assert_eq!(Interval::new(f64::NEG_INFINITY, 0.0, Method::Wilson), None);
        let undefined = Estimate::of(Figure::undefined("no row"), 0);
        assert_eq!(undefined.clone().within(Interval::new(0.0, 1.0, Method::Wilson)), undefined);
    }

    #[test]
    fn both_have_one_shape_in_json() {
        let known = Estimate::known(0.5, 4).within(Interval::new(0.25, 0.75, Method::Bootstrap));
        assert_eq!(
            serde_json::to_value(known).unwrap(),
            serde_json::json!({"value": 0.5, "n": 4, "undefined_because": null,
                "interval": {"low": 0.25, "high": 0.75, "method": "BOOTSTRAP"}})
        );
        assert_eq!(
            serde_json::to_value(Estimate::undefined(0, "no row")).unwrap(),
            serde_json::json!({"value": null, "n": 0, "interval": null, "undefined_because": "no row"})
        );
    }
}
