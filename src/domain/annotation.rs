//! What is said of a unit when several are asked the same, and the scale that it stands on.

use super::decision::HumanVerdict;
use super::verdict::{Score, Verdict};

/// What can be said. Fixed: a category that nobody used is a category all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scale {
    /// People's verdicts on a claim. The first four stand in an order, from supported to contradicted.
    Verdicts,
    /// How directly a source bears out a claim, 1 to 5.
    Scores,
    /// Whether an answer holds a claim that its documents do not bear out.
    Answers,
}

impl Scale {
    /// The categories in their order, as they are written.
    pub fn labels(self) -> Vec<&'static str> {
        match self {
            Self::Verdicts => HumanVerdict::ALL.iter().map(|verdict| verdict.label()).collect(),
            Self::Scores => vec!["1", "2", "3", "4", "5"],
            Self::Answers => vec!["RIGHT", "WRONG"],
        }
    }

    /// How many categories there are.
    pub fn categories(self) -> usize {
        self.labels().len()
    }

    /// How many of them, from the first, stand in an order.
    pub const fn ordered(self) -> usize {
        match self {
            Self::Verdicts => Verdict::ALL.len(),
            Self::Scores => 5,
            Self::Answers => 0,
        }
    }

    /// The values of the ordered categories.
    pub fn values(self) -> Vec<f64> {
        (1..=self.ordered()).map(|value| value as f64).collect()
    }
}

/// What one annotator says of one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rating {
    Verdict(HumanVerdict),
    Score(Score),
    /// Whether the answer holds a claim that its documents do not bear out.
    Answer {
        is_wrong: bool,
    },
}

impl Rating {
    pub const fn scale(self) -> Scale {
        match self {
            Self::Verdict(_) => Scale::Verdicts,
            Self::Score(_) => Scale::Scores,
            Self::Answer { .. } => Scale::Answers,
        }
    }

    /// The number of the category on its scale, from 0.
    pub fn category(self) -> usize {
        match self {
            Self::Verdict(verdict) => verdict as usize,
            Self::Score(score) => usize::from(score.get()) - 1,
            Self::Answer { is_wrong } => usize::from(is_wrong),
        }
    }

    /// As it is written.
    pub fn label(self) -> &'static str {
        self.scale().labels().get(self.category()).copied().unwrap_or("?")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rating_is_the_category_of_its_label() {
        for verdict in HumanVerdict::ALL {
            assert_eq!(Rating::Verdict(*verdict).label(), verdict.label());
        }
        for value in 1..=5 {
            let score = Score::new(value).unwrap();
            assert_eq!(Rating::Score(score).label(), value.to_string());
        }
        assert_eq!(Rating::Answer { is_wrong: true }.label(), "WRONG");
        assert!(
            Verdict::ALL
                .iter()
                .map(|verdict| verdict.label())
                .eq(Scale::Verdicts.labels().into_iter().take(4))
        );
        assert_eq!(Scale::Scores.values(), [1.0, 2.0, 3.0, 4.0, 5.0]);
    }
}
