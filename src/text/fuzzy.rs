//! Where a passage says nearly the same words as a quote. Knows words as equal or not; works on
//! normalised texts.

use std::collections::HashMap;

use unicode_normalization::char::is_combining_mark;

use super::script::{Script, has_word_breaks};

/// One minus the share of words that differ, at least.
const SIMILAR: f64 = 0.8;

/// Places of rare words that are looked at for one quote.
const MOST_PLACES: usize = 20_000;

/// Word comparisons spent on one quote; some hundredths of a second.
const MOST_WORK: usize = 4_000_000;

/// Thai stands first of the scripts without spaces between words.
const FIRST_WITHOUT_SPACES: char = '\u{E00}';

/// The words of a passage and where each of them stands.
#[derive(Debug)]
pub(super) struct Index {
    /// The byte range of each word.
    words: Vec<(usize, usize)>,
    /// The number of each word in the vocabulary.
    ids: Vec<u32>,
    vocabulary: HashMap<Box<str>, u32>,
    /// Positions in `words`, grouped by vocabulary number.
    places: Vec<u32>,
    /// Where each group begins in `places`; one more than there are groups.
    groups: Vec<u32>,
}

impl Index {
    pub(super) fn new(text: &str) -> Self {
        let words = words(text);
        let mut vocabulary: HashMap<Box<str>, u32> = HashMap::new();
        let mut ids = Vec::with_capacity(words.len());
        for &(start, end) in &words {
            let word = text.get(start..end).unwrap_or_default();
            let next = vocabulary.len() as u32;
            let id = match vocabulary.get(word) {
                Some(&id) => id,
                None => *vocabulary.entry(word.into()).or_insert(next),
            };
            ids.push(id);
        }
        let mut groups = vec![0u32; vocabulary.len() + 1];
        for &id in &ids {
            groups[id as usize + 1] += 1;
        }
        for id in 1..groups.len() {
            groups[id] += groups[id - 1];
        }
        let mut free = groups.clone();
        let mut places = vec![0u32; ids.len()];
        for (place, &id) in ids.iter().enumerate() {
            places[free[id as usize] as usize] = place as u32;
            free[id as usize] += 1;
        }
        Self { words, ids, vocabulary, places, groups }
    }

    /// The byte range of the words most like those of `quote`, when they are like enough.
    pub(super) fn find(&self, quote: &str) -> Option<(usize, usize)> {
        let quoted: Vec<Option<u32>> = words(quote)
            .iter()
            .map(|&(start, end)| self.vocabulary.get(quote.get(start..end)?).copied())
            .collect();
        let count = quoted.len();
        if count == 0 {
            return None;
        }
        // So many words may be wrong when a window that is longer than the quote counts as like enough.
        let wrong = (count as f64 * (1.0 - SIMILAR) / SIMILAR + 1e-9) as usize;
        let work = count * (count + 4 * wrong + 2);
        if work > MOST_WORK || quoted.iter().filter(|id| id.is_none()).count() > wrong {
            return None;
        }
        let mut best: Option<Window> = None;
        for first in self.candidates(&quoted, wrong).into_iter().take(MOST_WORK / work) {
            let from = first.saturating_sub(wrong);
            let to = (first + count + 2 * wrong + 1).min(self.ids.len());
            let window = closest(&quoted, self.ids.get(from..to)?, from);
            if best.is_none_or(|best| window.similarity > best.similarity) {
                best = Some(window);
            }
        }
        let best = best.filter(|best| best.similarity >= SIMILAR && best.start < best.end)?;
        Some((self.words.get(best.start)?.0, self.words.get(best.end - 1)?.1))
    }

    /// Where the quote may begin, most promising first. Of any `wrong + 1` of its words one stands in
    /// the right place; the rarest ones leave the fewest places to look at.
    fn candidates(&self, quoted: &[Option<u32>], wrong: usize) -> Vec<usize> {
        let mut anchors: Vec<(usize, &[u32])> = quoted
            .iter()
            .enumerate()
            .map(|(at, id)| (at, id.map_or(&[][..], |id| self.places_of(id))))
            .collect();
        anchors.sort_by_key(|(_, places)| places.len());
        anchors.truncate(wrong + 1);
        let step = wrong + 1;
        let mut votes: HashMap<usize, usize> = HashMap::new();
        let starts = anchors
            .iter()
            .flat_map(|(at, places)| places.iter().map(move |&place| (place as usize).saturating_sub(*at)));
        for start in starts.take(MOST_PLACES) {
            *votes.entry(start / step).or_default() += 1;
        }
        let mut buckets: Vec<(usize, usize)> = votes.into_iter().collect();
        buckets.sort_unstable_by_key(|&(bucket, votes)| (std::cmp::Reverse(votes), bucket));
        buckets.into_iter().map(|(bucket, _)| bucket * step).collect()
    }

    fn places_of(&self, id: u32) -> &[u32] {
        let group = id as usize;
        match (self.groups.get(group), self.groups.get(group + 1)) {
            (Some(&start), Some(&end)) => self.places.get(start as usize..end as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// A stretch of words and how like the quote it is.
#[derive(Debug, Clone, Copy)]
struct Window {
    start: usize,
    end: usize,
    similarity: f64,
}

/// The window of `ids`, which begin at word `offset`, with the smallest edit distance to `quoted`.
fn closest(quoted: &[Option<u32>], ids: &[u32], offset: usize) -> Window {
    // For each place in `ids`: the distance of the best window that ends there, and its start.
    let mut row: Vec<(usize, usize)> = (0..=ids.len()).map(|at| (0, at)).collect();
    for &word in quoted {
        let mut diagonal = row[0];
        row[0].0 += 1;
        for (at, &id) in ids.iter().enumerate() {
            let same = usize::from(word != Some(id));
            let replaced = (diagonal.0 + same, diagonal.1);
            let missing = (row[at + 1].0 + 1, row[at + 1].1);
            let added = (row[at].0 + 1, row[at].1);
            diagonal = row[at + 1];
            row[at + 1] = [replaced, missing, added]
                .into_iter()
                .min_by_key(|&(distance, _)| distance)
                .unwrap_or(replaced);
        }
    }
    let mut best = Window { start: offset, end: offset, similarity: 0.0 };
    for (end, &(distance, start)) in row.iter().enumerate() {
        let longer = quoted.len().max(end - start);
        let similarity = 1.0 - distance as f64 / longer.max(1) as f64;
        if similarity > best.similarity {
            best = Window { start: offset + start, end: offset + end, similarity };
        }
    }
    best
}

/// The words of `text`: letters and digits that stand together, numbers with their separators, and
/// single characters of scripts without spaces.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut open: Option<usize> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let next_is_digit = || text.as_bytes().get(end).is_some_and(u8::is_ascii_digit);
        if c >= FIRST_WITHOUT_SPACES && Script::of(c).is_some_and(|script| !has_word_breaks(script)) {
            found.extend(open.take().map(|start| (start, at)));
            found.push((at, end));
        } else if c.is_alphanumeric() || (!c.is_ascii() && is_combining_mark(c)) {
            open = open.or(Some(at));
        } else if !(matches!(c, '.' | ',' | '^') && before.is_ascii_digit() && next_is_digit()) {
            found.extend(open.take().map(|start| (start, at)));
        }
        before = c;
    }
    found.extend(open.map(|start| (start, text.len())));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_words_and_so_is_each_character_without_spaces() {
        let text = "a 3.5 mg, 1,000 x^2 日本語 e\u{301}t.";
        let shown: Vec<&str> = words(text).into_iter().map(|(start, end)| &text[start..end]).collect();
        assert_eq!(shown, ["a", "3.5", "mg", "1,000", "x", "2", "日", "本", "語", "e\u{301}t"]);
    }

    #[test]
    fn the_closest_window_is_found() {
        let text = "one two three four five and six. one two tree four five six seven";
        let index = Index::new(text);
        let find = |quote: &str| index.find(quote).map(|(start, end)| &text[start..end]);
        assert_eq!(find("one two three four five six"), Some("one two three four five and six"));
        assert_eq!(find("two tree four five seven"), Some("two tree four five six seven"));
        assert_eq!(find("zero one zero two zero"), None);
        assert_eq!(find("?!"), None);
    }
}
