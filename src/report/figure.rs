//! One number with what makes it worth something: its interval, the count behind it, or why there is none.

use serde::{Deserialize, Serialize};

use crate::measure::estimate::{Estimate, LEVEL};

/// What a number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A share from 0 to 1, shown in per cent.
    Share,
    /// A change of a share, shown in percentage points with its sign.
    Change,
    /// A whole number.
    Count,
    /// The probability of such a difference by chance.
    P,
    /// A coefficient such as kappa, shown to three digits.
    Number,
}

impl Unit {
    /// `value` as people read it.
    pub fn shown(self, value: f64) -> String {
        match self {
            // A little is not none, and nearly all is not all.
            Self::Share if value > 0.0 && value < 0.0005 => "< 0.1 %".to_owned(),
            Self::Share if (0.9995..1.0).contains(&value) => "> 99.9 %".to_owned(),
            Self::Share => format!("{} %", digits(value * 100.0, 1)),
            Self::Change => {
                let points = digits(value * 100.0, 1);
                let sign = if value * 100.0 >= 0.05 { "+" } else { "" };
                format!("{sign}{points} points")
            }
            Self::Count => digits(value, 0),
            Self::P if value < 0.0001 => "< 0.0001".to_owned(),
            Self::P => digits(value, 4),
            Self::Number => digits(value, 3),
        }
    }

    /// A p as people read it: `p = 0.0987`, `p < 0.0001`.
    pub fn equation(self, value: f64) -> String {
        let shown = self.shown(value);
        if shown.starts_with('<') { format!("p {shown}") } else { format!("p = {shown}") }
    }

    /// The ends of an interval as people read them.
    pub fn shown_range(self, low: f64, high: f64) -> String {
        let end = |value: f64| match self {
            Self::Share => digits(value * 100.0, 1),
            Self::Change => {
                let points = digits(value * 100.0, 1);
                if value * 100.0 >= 0.05 { format!("+{points}") } else { points }
            }
            Self::Count => digits(value, 0),
            Self::P => digits(value, 4),
            Self::Number => digits(value, 3),
        };
        let unit = match self {
            Self::Share => " %",
            Self::Change => " points",
            Self::Count | Self::P | Self::Number => "",
        };
        format!("{} to {}{unit}", end(low), end(high))
    }
}

/// `value` with so many digits behind the point, and no minus before a zero.
fn digits(value: f64, behind: usize) -> String {
    let text = format!("{value:.behind$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        _ => text,
    }
}

/// Where the number would come to lie if the same were done again with other items.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// How sure it is, 0 to 1: 0.95.
    pub level: f64,
}

/// A number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name for programs: `rate_change`.
    pub id: String,
    /// Its name for people.
    pub name: String,
    pub unit: Unit,
    /// `None` exactly when `undefined_because` says why. Never a not-a-number.
    pub value: Option<f64>,
    pub undefined_because: Option<String>,
    pub interval: Option<Interval>,
    /// How many there are behind it; `None` where that means nothing.
    pub n: Option<u64>,
    /// Of what there are so many: `items`.
    pub of: String,
}

impl Figure {
    /// A number, or why there is none. What is not finite is undefined.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        unit: Unit,
        value: Result<f64, impl Into<String>>,
    ) -> Self {
        let (value, undefined_because) = match value {
            Ok(value) if value.is_finite() => (Some(value), None),
            Ok(_) => (None, Some("it has no finite value".to_owned())),
            Err(because) => (None, Some(because.into())),
        };
        Self {
            id: id.into(),
            name: name.into(),
            unit,
            value,
            undefined_because,
            interval: None,
            n: None,
            of: String::new(),
        }
    }

    /// What was measured, over so many `of`.
    pub fn of(
        id: impl Into<String>,
        name: impl Into<String>,
        unit: Unit,
        measured: &Estimate,
        of: impl Into<String>,
    ) -> Self {
        let value =
            measured.value().ok_or_else(|| measured.undefined_because().unwrap_or_default().to_owned());
        let ends = measured.interval().map(|interval| (interval.low, interval.high));
        Self::new(id, name, unit, value).within(ends).from(measured.n(), of)
    }

    /// With the interval in which it lies, 95 % sure; none where an end is no number.
    #[must_use]
    pub fn within(mut self, ends: Option<(f64, f64)>) -> Self {
        self.interval = ends
            .filter(|(low, high)| low.is_finite() && high.is_finite())
            .map(|(low, high)| Interval { low, high, level: LEVEL });
        self
    }

    /// With how many of what stand behind it.
    #[must_use]
    pub fn from(mut self, n: u64, of: impl Into<String>) -> Self {
        self.n = Some(n);
        self.of = of.into();
        self
    }

    /// The number as people read it, or `undefined`.
    pub fn shown(&self) -> String {
        self.value.map_or_else(|| "undefined".to_owned(), |value| self.unit.shown(value))
    }

    /// Interval, count, or why there is none, as people read it; empty when there is nothing to add.
    pub fn shown_grounds(&self) -> String {
        let interval = self.interval.map(|Interval { low, high, level }| {
            format!("{} %: {}", digits(level * 100.0, 0), self.unit.shown_range(low, high))
        });
        let n =
            self.n.map(|n| if self.of.is_empty() { format!("n = {n}") } else { format!("{n} {}", self.of) });
        let because = self.undefined_because.as_ref().map(|because| format!("because {because}"));
        [because, interval, n].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
