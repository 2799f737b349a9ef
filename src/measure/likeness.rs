//! How alike two texts are: by their words alone, where "not" makes them hardly less alike, and by vectors of whoever
//! says that theirs stand for meaning.

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

/// The cosine between two vectors, −1 to 1; or why there is none.
pub fn cosine(one: &[f64], other: &[f64]) -> Result<f64, String> {
    if one.len() != other.len() {
        return Err(format!("the server's vectors have {} and {} numbers", one.len(), other.len()));
    }
    let unit = |vector: &[f64]| {
        // Squares of what is scaled neither overflow nor vanish.
        let largest = vector.iter().fold(0.0_f64, |largest, number| largest.max(number.abs()));
        let is_sound = largest > 0.0 && vector.iter().all(|number| number.is_finite());
        is_sound.then(|| {
            let scaled: Vec<f64> = vector.iter().map(|number| number / largest).collect();
            let length = scaled.iter().map(|number| number * number).sum::<f64>().sqrt();
            scaled.into_iter().map(|number| number / length).collect::<Vec<f64>>()
        })
    };
    let (Some(one), Some(other)) = (unit(one), unit(other)) else {
        return Err("a vector of the server is zero, or no number".to_owned());
    };
    Ok(one.iter().zip(&other).map(|(one, other)| one * other).sum::<f64>().clamp(-1.0, 1.0))
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

    #[test]
    fn the_angle_between_vectors() {
        assert_eq!(cosine(&[3.0, 0.0], &[0.0, 2.0]), Ok(0.0));
        assert_eq!(cosine(&[1e300, 1e300], &[1e-300, 1e-300]).map(|it| (it * 1e9).round()), Ok(1e9));
        assert_eq!(cosine(&[1.0, 2.0], &[-2.0, -4.0]).map(|it| (it * 1e9).round()), Ok(-1e9));
        assert!(cosine(&[0.0, 0.0], &[1.0, 0.0]).unwrap_err().contains("zero"));
        assert!(cosine(&[f64::NAN, 0.0], &[1.0, 0.0]).unwrap_err().contains("no number"));
        assert!(cosine(&[1.0], &[1.0, 0.0]).unwrap_err().contains("1 and 2 numbers"));
        assert!(cosine(&[], &[]).is_err());
    }

    proptest! {
        #[test]
        fn a_cosine_is_one_or_there_is_a_reason(pair in proptest::collection::vec((proptest::num::f64::ANY, proptest::num::f64::ANY), 0..5)) {
            let (one, other): (Vec<f64>, Vec<f64>) = pair.into_iter().unzip();
            let there = cosine(&one, &other);
            prop_assert!(there.as_ref().map_or(true, |it| (-1.0..=1.0).contains(it)), "{there:?}");
            prop_assert_eq!(there, cosine(&other, &one));
        }

        #[test]
        fn it_is_a_share_and_has_no_direction(one in "[a-d0-9 .]{0,30}", other in "[a-d0-9 .]{0,30}") {
            let there = likeness(&one, &other);
            prop_assert_eq!(there, likeness(&other, &one));
            prop_assert!(there.is_none_or(|share| (0.0..=1.0).contains(&share)));
        }
    }
}
