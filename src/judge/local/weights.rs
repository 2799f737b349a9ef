//! The fitted constants: what each counted feature is worth, where the thresholds lie, and how sure a verdict is.
//!
//! They stand in `assets/judge/weights.json`, made by `juror judge-fit` (see [`mod@super::fit`]), and are data: nothing
//! here knows what a feature means.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::features::Features;
use crate::domain::verdict::Verdict;

/// The file's name and text: part of the judge's identity.
pub(super) const SOURCE: (&str, &str) = ("weights.json", include_str!("../../../assets/judge/weights.json"));

/// A weighted sum of features.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Linear {
    pub intercept: f64,
    /// By the feature's name; a feature that is not named is worth nothing.
    pub weights: BTreeMap<String, f64>,
}

/// A probability from a score: logistic(`base` + `slope` * score).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Curve {
    pub base: f64,
    pub slope: f64,
}

impl Curve {
    pub fn at(self, score: f64) -> f64 {
        logistic(self.base + self.slope * score)
    }
}

/// From which score on a verdict is given. Scores are log odds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Thresholds {
    /// Of support, for `FULLY_SUPPORTED`.
    pub full: f64,
    /// Of support, for `PARTIALLY_SUPPORTED`.
    pub part: f64,
    /// Of contradiction, with a located conflict, for CONTRADICTED.
    pub contradiction: f64,
}

/// How sure each verdict is, by its score.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Confidence {
    pub full: Curve,
    pub part: Curve,
    pub unsupported: Curve,
    /// By the score of contradiction; the others by that of support.
    pub contradicted: Curve,
}

impl Confidence {
    pub(super) fn curve(&mut self, verdict: Verdict) -> &mut Curve {
        match verdict {
            Verdict::FullySupported => &mut self.full,
            Verdict::PartiallySupported => &mut self.part,
            Verdict::Unsupported => &mut self.unsupported,
            Verdict::Contradicted => &mut self.contradicted,
        }
    }
}

/// The whole file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Weights {
    /// How the file was made.
    pub made: String,
    pub support: Linear,
    pub contradiction: Linear,
    pub thresholds: Thresholds,
    pub confidence: Confidence,
}

/// What the program was built with. A file that cannot be read gives a judge that supports nothing; a test
/// reads it.
pub(super) static WEIGHTS: LazyLock<Ready> =
    LazyLock::new(|| Ready::new(&serde_json::from_str(SOURCE.1).unwrap_or_default()));

/// The weights in the order of the features.
#[derive(Debug, Clone, Default)]
pub struct Ready {
    support: Row,
    contradiction: Row,
    pub(super) thresholds: Thresholds,
    pub(super) confidence: Confidence,
}

#[derive(Debug, Clone, Default)]
struct Row {
    intercept: f64,
    weights: Vec<f64>,
}

impl Row {
    fn new(linear: &Linear) -> Self {
        let weights =
            Features::NAMES.iter().map(|name| linear.weights.get(*name).copied().unwrap_or(0.0)).collect();
        Self { intercept: linear.intercept, weights }
    }

    fn score(&self, features: &Features) -> f64 {
        let sum: f64 = self.weights.iter().zip(features.values()).map(|(weight, value)| weight * value).sum();
        self.intercept + sum
    }
}

impl Ready {
    pub fn new(weights: &Weights) -> Self {
        Self {
            support: Row::new(&weights.support),
            contradiction: Row::new(&weights.contradiction),
            thresholds: weights.thresholds,
            confidence: weights.confidence,
        }
    }

    /// Log odds that the evidence bears the claim out.
    pub(super) fn support(&self, features: &Features) -> f64 {
        self.support.score(features)
    }

    /// Log odds that the evidence contradicts the claim.
    pub(super) fn contradiction(&self, features: &Features) -> f64 {
        self.contradiction.score(features)
    }
}

pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_names_known_features_only() {
        let weights: Weights = serde_json::from_str(SOURCE.1).expect("the shipped weights can be read");
        assert!(!weights.support.weights.is_empty());
        for name in weights.support.weights.keys().chain(weights.contradiction.weights.keys()) {
            assert!(Features::NAMES.contains(&name.as_str()), "{name}");
        }
        assert!(weights.made.contains("judge-fit"));
        assert!(weights.thresholds.part <= weights.thresholds.full);
    }
}
