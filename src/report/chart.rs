//! Bars, single or in pairs.

use serde::{Deserialize, Serialize};

use super::Unit;

/// Bars that are to be compared with each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    pub unit: Unit,
    /// What the bars of a group stand for, in their order; one name for single bars: `["baseline", "candidate"]`.
    pub series: Vec<String>,
    pub bars: Vec<Bar>,
}

/// The bars at one place, one for each of the series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    pub name: String,
    /// `None` where there is no value; no value is negative.
    pub values: Vec<Option<f64>>,
}

impl Chart {
    /// The longest bar; 0 when there is none.
    pub fn longest(&self) -> f64 {
        let values = self.bars.iter().flat_map(|bar| &bar.values).flatten();
        values.copied().filter(|value| value.is_finite()).fold(0.0, f64::max)
    }

    /// How long a bar of `value` is when the longest is `room` long.
    pub fn length(&self, value: f64, room: f64) -> f64 {
        let longest = self.longest();
        if longest > 0.0 && value.is_finite() { (value / longest).clamp(0.0, 1.0) * room } else { 0.0 }
    }
}
