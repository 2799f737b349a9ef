//! Support scores added up: how they are spread over all pairs, and over the pairs of each claim, source, answer,
//! retrieval strategy and model.
//!
//! Only names and counts are kept, never texts. A pair without a score that stands counts in no mean; it is counted by
//! its reason instead.

use std::collections::{BTreeMap, HashMap};

use crate::domain::verdict::Score;

/// A score from this one up says that the source bears the claim out.
pub const STRONG: u8 = 4;
/// A score up to this one says that it does not.
pub const WEAK: u8 = 2;

/// How scores are spread.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spread {
    /// How often 1, 2, 3, 4 and 5 were given.
    pub counts: [u64; 5],
    /// Pairs without a score that stands, by the reason's name.
    pub without: BTreeMap<&'static str, u64>,
}

impl Spread {
    pub fn add(&mut self, score: Result<Score, &'static str>) {
        match score {
            Ok(score) => self.counts[usize::from(score.get() - 1)] += 1,
            Err(reason) => *self.without.entry(reason).or_default() += 1,
        }
    }

    /// Pairs with a score that stands.
    pub fn n(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Pairs without one.
    pub fn unscored(&self) -> u64 {
        self.without.values().sum()
    }

    /// `None` without a score.
    pub fn mean(&self) -> Option<f64> {
        let sum: u64 = (1..).zip(self.counts).map(|(score, count)| score * count).sum();
        (self.n() > 0).then(|| sum as f64 / self.n() as f64)
    }

    /// The one in the middle, of an even number the mean of the two; `None` without a score.
    pub fn median(&self) -> Option<f64> {
        let n = self.n();
        let at = |place: u64| {
            let mut passed = 0;
            (1_u8..).zip(self.counts).find_map(|(score, count)| {
                passed += count;
                (place < passed).then_some(f64::from(score))
            })
        };
        let (low, high) = (at(n.checked_sub(1)? / 2)?, at(n / 2)?);
        Some(f64::midpoint(low, high))
    }

    /// How many have a score of [`STRONG`] or more.
    pub fn strong(&self) -> u64 {
        self.counts[usize::from(STRONG) - 1..].iter().sum()
    }

    /// How many have a score of [`WEAK`] or less.
    pub fn weak(&self) -> u64 {
        self.counts[..usize::from(WEAK)].iter().sum()
    }
}

/// By what pairs are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    Claim,
    Source,
    Answer,
    Retrieval,
    Model,
}

impl Group {
    pub const ALL: [Self; 5] = [Self::Claim, Self::Source, Self::Answer, Self::Retrieval, Self::Model];

    /// The pair's field by which it is grouped.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Claim => "claim_id",
            Self::Source => "source_id",
            Self::Answer => "answer_id",
            Self::Retrieval => "retrieval",
            Self::Model => "model_version",
        }
    }
}

/// The names by which a pair is grouped; a pair that has none of a kind is in no group of that kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names<'a> {
    pub claim: &'a str,
    pub source: &'a str,
    pub answer: Option<&'a str>,
    pub retrieval: Option<&'a str>,
    pub model: Option<&'a str>,
}

impl<'a> Names<'a> {
    fn of(&self, group: Group) -> Option<&'a str> {
        match group {
            Group::Claim => Some(self.claim),
            Group::Source => Some(self.source),
            Group::Answer => self.answer,
            Group::Retrieval => self.retrieval,
            Group::Model => self.model,
        }
    }
}

/// A claim that stands on weak sources in an answer that is strong otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct WeakClaim {
    pub answer: String,
    pub claim: String,
    /// Its best score of all its sources.
    pub best: Score,
    /// The answer's other claims, and the mean of their best scores.
    pub others: u64,
    pub others_mean: f64,
}

/// Everything added up.
#[derive(Debug, Clone, Default)]
pub struct Scores {
    pub all: Spread,
    groups: HashMap<Group, HashMap<String, Spread>>,
    /// The best score of each claim of each answer.
    answers: HashMap<String, HashMap<String, Score>>,
}

impl Scores {
    /// Adds a pair: its score, or the name of the reason why it has none that stands.
    pub fn add(&mut self, names: &Names<'_>, score: Result<Score, &'static str>) {
        self.all.add(score);
        for group in Group::ALL {
            if let Some(name) = names.of(group) {
                let of_kind = self.groups.entry(group).or_default();
                if !of_kind.contains_key(name) {
                    of_kind.insert(name.to_owned(), Spread::default());
                }
                if let Some(spread) = of_kind.get_mut(name) {
                    spread.add(score);
                }
            }
        }
        if let (Some(answer), Ok(score)) = (names.answer, score) {
            let claims = self.answers.entry(answer.to_owned()).or_default();
            let best = claims.entry(names.claim.to_owned()).or_insert(score);
            *best = score.max(*best);
        }
    }

    /// The groups of a kind, the lowest mean first; those without a score come last. Among equals in order of name.
    pub fn of(&self, group: Group) -> Vec<(&str, &Spread)> {
        let mut groups: Vec<(&str, &Spread)> = self
            .groups
            .get(&group)
            .into_iter()
            .flatten()
            .map(|(name, spread)| (name.as_str(), spread))
            .collect();
        let mean = |spread: &Spread| spread.mean().unwrap_or(f64::MAX);
        groups.sort_by(|(name, spread), (other, others)| {
            mean(spread).total_cmp(&mean(others)).then_with(|| name.cmp(other))
        });
        groups
    }

    /// The weak claims of answers that are strong otherwise, the weakest first: a claim of which no source scores more
    /// than [`WEAK`], where such claims are at most a third of the answer's and the mean of the others' best scores is
    /// [`STRONG`] or more.
    pub fn weak_claims(&self) -> Vec<WeakClaim> {
        let mut found = Vec::new();
        for (answer, claims) in &self.answers {
            let is_weak = |score: &Score| score.get() <= WEAK;
            let weak = claims.values().filter(|score| is_weak(score)).count();
            let others = claims.len() - weak;
            if weak == 0 || weak * 3 > claims.len() {
                continue;
            }
            let sum: u64 =
                claims.values().filter(|score| !is_weak(score)).map(|score| u64::from(score.get())).sum();
            let others_mean = sum as f64 / others as f64;
            if others_mean < f64::from(STRONG) {
                continue;
            }
            found.extend(claims.iter().filter(|(_, best)| is_weak(best)).map(|(claim, best)| WeakClaim {
                answer: answer.clone(),
                claim: claim.clone(),
                best: *best,
                others: others as u64,
                others_mean,
            }));
        }
        found.sort_by(|a, b| (a.best, &a.answer, &a.claim).cmp(&(b.best, &b.answer, &b.claim)));
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score(value: u8) -> Score {
        Score::new(value).unwrap()
    }

    fn names<'a>(claim: &'a str, answer: Option<&'a str>) -> Names<'a> {
        Names { claim, source: "s", answer, retrieval: None, model: None }
    }

    fn spread(scores: &[u8]) -> Spread {
        let mut spread = Spread::default();
        for value in scores {
            spread.add(Ok(score(*value)));
        }
        spread
    }

    #[test]
    fn mean_median_and_share_of_what_has_a_score() {
        let mut five = spread(&[5, 5, 4, 1]);
        five.add(Err("FAILED"));
        assert_eq!((five.n(), five.unscored(), five.strong(), five.weak()), (4, 1, 3, 1));
        assert_eq!((five.mean(), five.median()), (Some(3.75), Some(4.5)));
        assert_eq!(spread(&[2, 1, 5]).median(), Some(2.0));
        assert_eq!((spread(&[]).mean(), spread(&[]).median()), (None, None));
    }

    #[test]
    fn one_weak_claim_in_a_strong_answer_is_named_and_one_of_many_weak_ones_is_not() {
        let mut scores = Scores::default();
        for (claim, value) in [("a", 5), ("b", 4), ("c", 1), ("c", 2), ("d", 3), ("d", 5)] {
            scores.add(&names(claim, Some("x")), Ok(score(value)));
        }
        for (claim, value) in [("a", 5), ("b", 1), ("c", 2)] {
            scores.add(&names(claim, Some("weak")), Ok(score(value)));
            scores.add(&names(claim, None), Ok(score(value)));
        }
        for (claim, value) in [("a", 5), ("b", 3), ("c", 3), ("d", 1)] {
            scores.add(&names(claim, Some("middling")), Ok(score(value)));
        }
        let weak = scores.weak_claims();
        assert_eq!(weak.len(), 1, "{weak:?}");
        assert_eq!((weak[0].answer.as_str(), weak[0].claim.as_str(), weak[0].best.get()), ("x", "c", 2));
        assert!((weak[0].others, weak[0].others_mean) == (3, 14.0 / 3.0), "{weak:?}");
    }

    #[test]
    fn the_weakest_group_comes_first_and_one_without_a_score_last() {
        let mut scores = Scores::default();
        for (source, value) in [("good", Ok(score(5))), ("bad", Ok(score(1))), ("none", Err("FAILED"))] {
            scores.add(&Names { source, ..names("c", None) }, value);
        }
        let sources: Vec<&str> = scores.of(Group::Source).into_iter().map(|(name, _)| name).collect();
        assert_eq!(sources, ["bad", "good", "none"]);
        assert!(scores.of(Group::Answer).is_empty());
    }

    proptest! {
        #[test]
        fn no_order_of_pairs_changes_anything(values in prop::collection::vec((0_u8..3, 0_u8..4, 1_u8..=5), 1..40)) {
            let sum = |values: &[(u8, u8, u8)]| {
                let mut scores = Scores::default();
                for (answer, claim, value) in values {
                    let (answer, claim) = (answer.to_string(), claim.to_string());
                    scores.add(&names(&claim, Some(&answer)), Ok(score(*value)));
                }
                let groups: Vec<(String, Spread)> = scores
                    .of(Group::Answer).into_iter().map(|(name, spread)| (name.to_owned(), spread.clone())).collect();
                (scores.all.clone(), groups, scores.weak_claims())
            };
            let backwards: Vec<_> = values.iter().rev().copied().collect();
            prop_assert_eq!(sum(&values), sum(&backwards));
            let all = sum(&values).0;
            prop_assert!(all.mean().is_some_and(|mean| (1.0..=5.0).contains(&mean)));
            prop_assert!(all.median().is_some_and(|median| (1.0..=5.0).contains(&median)));
        }
    }
}
