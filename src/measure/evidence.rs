//! How well the words that a judge cites are the words that a careful person marked.

use std::collections::HashMap;

use crate::domain::span::Span;

/// Places in passages, the passages by their number.
pub type Places = Vec<(usize, Span)>;

/// The places in order, those of one passage that overlap or touch made one: no word counts twice.
pub fn merged(mut places: Places, texts: &[&str]) -> Places {
    places.sort_unstable();
    let mut found: Places = Vec::new();
    for (passage, span) in places {
        if let Some((last_passage, last)) = found.last_mut()
            && *last_passage == passage
            && span.start() <= last.end()
            && let Some(joined) =
                texts.get(passage).and_then(|text| Span::new(text, last.start()..last.end().max(span.end())))
        {
            *last = joined;
            continue;
        }
        found.push((passage, span));
    }
    found
}

/// The number of characters that the places hold together.
pub fn characters(places: &Places, texts: &[&str]) -> usize {
    pieces(places, texts).map(|piece| piece.chars().count()).sum()
}

/// F1 of the lower-cased words, each counted as often as it stands there, of the cited against the marked places:
/// 1 when they hold the same words, 0 when they share none. Both must be [`merged`].
pub fn word_f1(cited: &Places, marked: &Places, texts: &[&str]) -> f64 {
    let (cited, marked) = (bag(cited, texts), bag(marked, texts));
    let size = |bag: &HashMap<String, usize>| bag.values().sum::<usize>();
    let shared: usize = cited.iter().map(|(word, count)| *count.min(marked.get(word).unwrap_or(&0))).sum();
    match size(&cited) + size(&marked) {
        0 => 0.0,
        all => 2.0 * shared as f64 / all as f64,
    }
}

fn pieces<'t>(places: &'t Places, texts: &'t [&str]) -> impl Iterator<Item = &'t str> {
    places.iter().filter_map(|(passage, span)| span.of(texts.get(*passage)?))
}

fn bag(places: &Places, texts: &[&str]) -> HashMap<String, usize> {
    let mut bag = HashMap::new();
    for piece in pieces(places, texts) {
        for word in piece.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            *bag.entry(word.to_lowercase()).or_default() += 1;
        }
    }
    bag
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The dose is 4 g. The dose is given once, the nurse says.";

    fn at(range: std::ops::Range<usize>) -> (usize, Span) {
        (0, Span::new(TEXT, range).unwrap())
    }

    #[test]
    fn a_worked_example() {
        // Cited: the dose is 4 g (5 words); marked: the dose is 4 g the dose (7): 5 shared, 10 of 12.
        let f1 = word_f1(&vec![at(0..16)], &vec![at(0..25)], &[TEXT]);
        assert!((f1 - 10.0 / 12.0).abs() < 1e-12, "{f1}");
        assert!(word_f1(&vec![at(0..16)], &vec![], &[TEXT]).abs() < f64::EPSILON);
        assert!(word_f1(&vec![], &vec![], &[TEXT]).abs() < f64::EPSILON);
    }

    #[test]
    fn a_word_counts_as_often_as_it_stands_there_and_no_more() {
        let whole = at(0..TEXT.len());
        // "the" three times in the whole, once in the part.
        let f1 = word_f1(&vec![at(41..44)], &vec![whole], &[TEXT]);
        assert!((f1 - 2.0 / 14.0).abs() < 1e-12, "{f1}");
    }

    #[test]
    fn overlapping_places_become_one() {
        assert_eq!(merged(vec![at(4..8), at(0..5), at(20..22)], &[TEXT]), [at(0..8), at(20..22)]);
        assert_eq!(merged(vec![at(0..8), at(2..4)], &[TEXT]), [at(0..8)]);
        let other = (1, Span::new(TEXT, 2..4).unwrap());
        assert_eq!(merged(vec![other, at(0..8)], &[TEXT, TEXT]).len(), 2);
        assert_eq!(characters(&vec![at(0..8), other], &[TEXT, TEXT]), 10);
    }
}
