//! How alike two texts are by their words alone. It knows nothing of meaning: "not" makes them hardly less alike.

use std::collections::HashMap;

use crate::text::tokens::tokens;

/// The words of a text, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    counts: HashMap<Box<str>, u32>,
    all: u32,
}

impl Words {
    /// The words of `text` in lower case and without accents; function words count too, because they say "not".
    pub fn of(text: &str) -> Self {
        let mut words = Self::default();
        for token in tokens(text) {
            *words.counts.entry(token.folded).or_default() += 1;
            words.all += 1;
        }
        words
    }

    /// Harmonic mean of the share of either's words that the other has too, 0 to 1; `None` when neither has a word
    /// that can be told from others.
    pub fn likeness(&self, other: &Self) -> Option<f64> {
        let shared: u32 = self
            .counts
            .iter()
            .map(|(word, count)| other.counts.get(word).map_or(0, |others| others.min(count).to_owned()))
            .sum();
        let all = self.all + other.all;
        (all > 0).then(|| 2.0 * f64::from(shared) / f64::from(all))
    }

    /// Whether both hold the same words with digits, as often.
    pub fn has_same_numbers(&self, other: &Self) -> bool {
        let numbers = |words: &Self| {
            let mut numbers: Vec<(Box<str>, u32)> = words
                .counts
                .iter()
                .filter(|(word, _)| word.chars().any(char::is_numeric))
                .map(|(word, count)| (word.clone(), *count))
                .collect();
            numbers.sort_unstable();
            numbers
        };
        numbers(self) == numbers(other)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn likeness(one: &str, other: &str) -> Option<f64> {
        Words::of(one).likeness(&Words::of(other))
    }

    #[test]
    fn words_in_common() {
        assert_eq!(likeness("Take 4 g a day.", "take 4 g a day"), Some(1.0));
        assert_eq!(likeness("one two", "three"), Some(0.0));
        assert_eq!(likeness("a b c d", "a b"), Some(4.0 / 6.0));
        assert_eq!(likeness("…", "!"), None);
        assert!(!Words::of("4 g").has_same_numbers(&Words::of("8 g")));
        assert!(Words::of("4 g of it").has_same_numbers(&Words::of("it is 4 g")));
    }

    proptest! {
        #[test]
        fn it_is_a_share_and_has_no_direction(one in "[a-d0-9 .]{0,30}", other in "[a-d0-9 .]{0,30}") {
            let there = likeness(&one, &other);
            prop_assert_eq!(there, likeness(&other, &one));
            prop_assert!(there.is_none_or(|share| (0.0..=1.0).contains(&share)));
        }
    }
}
