//! What can be had without judging: how many of the claim's words stand in the evidence, and the one sentence that
//! holds most of them. A judge that is no better than this is not worth its trouble.

use std::collections::HashSet;

use crate::domain::span::Span;
use crate::text::sentences::sentences;
use crate::text::tokens::{Token, tokens, tokens_in};

/// What counting words finds for one claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Share of the claim's content words that stand anywhere in the evidence, 0 to 1; 0 for a claim without any.
    pub overlap: f64,
    /// The passage's number and the sentence with most of the claim's content words, of several the shortest.
    pub sentence: Option<(usize, Span)>,
}

/// Counts the words of `claim`, lower-cased and without function words, in `passages`.
pub fn floor(claim: &str, passages: &[&str]) -> Floor {
    let claim = tokens(claim);
    let wanted: HashSet<&str> = content(&claim).collect();
    let mut had: HashSet<String> = HashSet::new();
    let mut best: Option<(usize, usize, usize, Span)> = None;
    for (passage, text) in passages.iter().enumerate() {
        for span in sentences(text) {
            let words = tokens_in(text, span.start(), span.end());
            let shared: HashSet<&str> = content(&words).filter(|word| wanted.contains(word)).collect();
            let is_better = best.is_none_or(|(most, length, ..)| {
                shared.len() > most || (shared.len() == most && span.len() < length)
            });
            if !shared.is_empty() && is_better {
                best = Some((shared.len(), span.len(), passage, span));
            }
            for word in shared {
                if !had.contains(word) {
                    had.insert(word.to_owned());
                }
            }
        }
    }
    let overlap = if wanted.is_empty() { 0.0 } else { had.len() as f64 / wanted.len() as f64 };
    Floor { overlap, sentence: best.map(|(_, _, passage, span)| (passage, span)) }
}

fn content(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.iter().filter(|token| !token.stop).map(|token| &*token.folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_with_most_of_the_words_is_found() {
        let passages =
            ["Aspirin is old. It is a drug.", "Aspirin lowers a fever quickly. Aspirin lowers a fever."];
        let found = floor("Aspirin lowers the fever of children.", &passages);
        assert!((found.overlap - 0.75).abs() < 1e-12, "{found:?}");
        let (passage, span) = found.sentence.unwrap();
        assert_eq!((passage, span.of(passages[1])), (1, Some("Aspirin lowers a fever.")));
    }

    #[test]
    fn nothing_shared_is_no_sentence() {
        assert_eq!(floor("Aspirin.", &["Nothing here.", ""]), Floor { overlap: 0.0, sentence: None });
        assert_eq!(floor("", &["Aspirin."]), Floor { overlap: 0.0, sentence: None });
    }
}
