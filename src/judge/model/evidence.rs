//! The evidence in pieces, and which of them are shown when there is no room for all: those that share most words
//! with what is judged, in the order in which they stand.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use super::show::{known, names, tokens};
use crate::domain::ids::PassageId;
use crate::domain::record::Passage;
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, MatchLevel};
use crate::text::locate::locate;
use crate::text::sentences::sentences;
use crate::text::stem::Stem;
use crate::text::tokens as words;

/// Bounds of a piece, in tokens.
const SMALLEST: usize = 60;
const LARGEST: usize = 500;
/// The share of the room that a piece may take.
const SHARE: usize = 10;
/// Tokens of the line that opens a passage or goes on with it, the metadata aside.
const LINE: usize = 40;

struct Piece {
    passage: usize,
    span: Span,
    tokens: usize,
    chars: usize,
}

/// The passages of a record, cut so that any choice of pieces can be shown.
pub(super) struct Evidence<'r> {
    passages: &'r [Passage],
    /// The name and what is known of each passage, as they are shown.
    shown: Vec<(String, String)>,
    pieces: Vec<Piece>,
    stems: OnceLock<Vec<HashSet<Stem>>>,
}

/// Which pieces were shown so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen(BTreeSet<usize>);

impl Seen {
    pub(super) fn with(&self, window: &Window) -> Self {
        Self(self.0.iter().chain(&window.0).copied().collect())
    }
}

/// The pieces that one question shows, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window(Vec<usize>);

/// A stretch of a passage as it is shown: the line before it without the fence, and its words.
pub(super) struct Stretch<'r> {
    pub(super) line: String,
    pub(super) text: &'r str,
}

impl<'r> Evidence<'r> {
    /// `room`: tokens that a question has for evidence.
    pub(super) fn new(passages: &'r [Passage], room: usize) -> Self {
        let size = (room / SHARE).clamp(SMALLEST, LARGEST);
        let known = passages.iter().map(|passage| known(&passage.metadata));
        let shown = names(passages).into_iter().zip(known).collect();
        let mut pieces = Vec::new();
        for (passage, each) in passages.iter().enumerate() {
            for span in cut(&each.content, size) {
                let text = span.of(&each.content).unwrap_or_default();
                pieces.push(Piece { passage, span, tokens: tokens(text), chars: text.chars().count() });
            }
        }
        Self { passages, shown, pieces, stems: OnceLock::new() }
    }

    /// Characters of all passages.
    pub(super) fn chars(&self) -> usize {
        self.pieces.iter().map(|piece| piece.chars).sum()
    }

    /// Characters of what was shown.
    pub(super) fn chars_of(&self, seen: &Seen) -> usize {
        seen.0.iter().filter_map(|index| self.pieces.get(*index)).map(|piece| piece.chars).sum()
    }

    /// Whether nothing is left to be shown.
    pub(super) fn is_all(&self, seen: &Seen) -> bool {
        seen.0.len() == self.pieces.len()
    }

    /// The passage that a model names.
    pub(super) fn passage_id(&self, name: &str) -> PassageId {
        let bare = name.trim().trim_start_matches('[').trim_end_matches(']');
        let found = self.shown.iter().position(|(shown, _)| shown == name.trim() || shown == bare);
        let passage = found.and_then(|index| self.passages.get(index));
        passage.map_or_else(|| PassageId::new(name), |passage| passage.passage_id.clone())
    }

    /// Whether the words of `citation` stand in the passage that it names.
    pub(super) fn holds(&self, citation: &Citation) -> bool {
        let passage = self.passages.iter().find(|passage| passage.passage_id == citation.passage_id);
        passage.is_some_and(|passage| {
            let level = locate(&passage.content, &citation.quote).level;
            matches!(level, MatchLevel::Exact | MatchLevel::Normalized)
        })
    }

    /// The best of what was not shown yet for `queries`, as much as `room` tokens hold; all of it where it fits, and
    /// at least one piece while there is one.
    pub(super) fn window(&self, queries: &[&str], seen: &Seen, room: usize) -> Window {
        let mut choice =
            Choice { evidence: self, chosen: BTreeSet::new(), opened: HashSet::new(), left: room };
        let unseen: Vec<usize> = (0..self.pieces.len()).filter(|index| !seen.0.contains(index)).collect();
        if unseen.iter().all(|index| choice.take(*index)) {
            return Window(unseen);
        }
        choice = Choice { evidence: self, chosen: BTreeSet::new(), opened: HashSet::new(), left: room };
        let ranked: Vec<Vec<usize>> = queries.iter().map(|query| self.ranked(query, &unseen)).collect();
        let depth = ranked.iter().map(Vec::len).max().unwrap_or(0);
        // Each in turn, so that no claim takes the room of another.
        let by_rank =
            (0..depth).flat_map(|rank| ranked.iter().filter_map(move |list| list.get(rank).copied()));
        let first = by_rank.clone().next().or(unseen.first().copied());
        for index in by_rank.chain(unseen.iter().copied()) {
            choice.take(index);
        }
        if choice.chosen.is_empty() {
            choice.chosen.extend(first);
        }
        Window(choice.chosen.into_iter().collect())
    }

    /// Those of `unseen` that share words with `query`, best first. Rare words count for more.
    fn ranked(&self, query: &str, unseen: &[usize]) -> Vec<usize> {
        let stems = self.stems.get_or_init(|| {
            let text =
                |piece: &Piece| piece.span.of(&self.passages[piece.passage].content).unwrap_or_default();
            self.pieces.iter().map(|piece| stems(text(piece))).collect()
        });
        let mut weights: HashMap<Stem, f64> = HashMap::new();
        for stem in self::stems(query) {
            let holding = stems.iter().filter(|piece| piece.contains(&stem)).count();
            if holding > 0 {
                weights.insert(stem, (1.0 + stems.len() as f64 / holding as f64).ln());
            }
        }
        let score = |index: usize| -> f64 {
            let held = weights.iter().filter(|(stem, _)| stems[index].contains(*stem));
            // In a fixed order, so that the same question is the same again.
            let mut values: Vec<f64> = held.map(|(_, weight)| *weight).collect();
            values.sort_by(f64::total_cmp);
            values.iter().sum()
        };
        let mut scored: Vec<(f64, usize)> =
            unseen.iter().map(|index| (score(*index), *index)).filter(|(score, _)| *score > 0.0).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().map(|(_, index)| index).collect()
    }

    /// What a window shows: neighbouring pieces are one stretch.
    pub(super) fn stretches(&self, window: &Window) -> Vec<Stretch<'r>> {
        let mut merged: Vec<(usize, usize, usize)> = Vec::new();
        for piece in window.0.iter().filter_map(|index| self.pieces.get(*index)) {
            match merged.last_mut() {
                Some((passage, _, end)) if *passage == piece.passage && *end == piece.span.start() => {
                    *end = piece.span.end();
                }
                _ => merged.push((piece.passage, piece.span.start(), piece.span.end())),
            }
        }
        merged
            .into_iter()
            .filter_map(|(passage, start, end)| {
                let content = &self.passages.get(passage)?.content;
                let (name, known) = self.shown.get(passage)?;
                let part = match (start, end) {
                    (0, end) if end == content.len() => "",
                    (0, _) => " (its beginning)",
                    (_, end) if end == content.len() => " (its end)",
                    _ => " (a part)",
                };
                Some(Stretch {
                    line: format!("PASSAGE [{name}]{part}{known}"),
                    text: content.get(start..end)?,
                })
            })
            .collect()
    }
}

struct Choice<'e, 'r> {
    evidence: &'e Evidence<'r>,
    chosen: BTreeSet<usize>,
    opened: HashSet<usize>,
    left: usize,
}

impl Choice<'_, '_> {
    /// Whether the piece is in, now or before.
    fn take(&mut self, index: usize) -> bool {
        if self.chosen.contains(&index) {
            return true;
        }
        let Some(piece) = self.evidence.pieces.get(index) else { return false };
        let metadata =
            self.evidence.shown.get(piece.passage).map_or(0, |(name, known)| tokens(name) + tokens(known));
        // A piece whose neighbour is there needs no line of its own, which is not known before the end.
        let is_next = index.checked_sub(1).is_some_and(|before| self.chosen.contains(&before));
        let line = if is_next && self.opened.contains(&piece.passage) { 0 } else { LINE + metadata };
        let price = piece.tokens + line;
        if price > self.left {
            return false;
        }
        self.left -= price;
        self.opened.insert(piece.passage);
        self.chosen.insert(index)
    }
}

fn stems(text: &str) -> HashSet<Stem> {
    words::tokens(text).into_iter().filter(|token| !token.stop).map(|token| token.stem).collect()
}

/// `content` cut between sentences into pieces of about `size` tokens, without a gap; within a sentence only when it
/// is longer than that.
fn cut(content: &str, size: usize) -> Vec<Span> {
    if content.trim().is_empty() {
        return Vec::new();
    }
    if tokens(content) <= 2 * size {
        return Span::new(content, 0..content.len()).into_iter().collect();
    }
    let mut borders: Vec<usize> = sentences(content).iter().skip(1).map(|span| span.start()).collect();
    borders.push(content.len());
    let mut found = Vec::new();
    let mut start = 0;
    let mut last = 0;
    let mut push = |start: usize, end: usize| found.extend(Span::new(content, start..end));
    for border in borders {
        if last > start && tokens(&content[start..border]) > size {
            push(start, last);
            start = last;
        }
        while tokens(&content[start..border]) > 2 * size {
            let end = inside(&content[start..border], size);
            push(start, start + end);
            start += end;
        }
        last = border;
    }
    if last > start {
        push(start, last);
    }
    found
}

/// Where a sentence that is too long is cut: after about `size` tokens, at white space if there is any nearby.
fn inside(text: &str, size: usize) -> usize {
    let mut units = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        units += if c.is_ascii() { 8 } else { 35 };
        if units > size * 28 && at > 0 {
            end = at;
            break;
        }
    }
    let space = text[..end].rfind(char::is_whitespace).filter(|space| *space > end / 2);
    space.map_or(end, |space| space + text[space..].chars().next().map_or(1, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn passages(contents: &[String]) -> Vec<Passage> {
        let passage = |(at, content): (usize, &String)| Passage {
            passage_id: PassageId::new(format!("p{at}")),
            content: content.clone(),
            metadata: serde_json::Map::new(),
        };
        contents.iter().enumerate().map(passage).collect()
    }

    fn long() -> Vec<Passage> {
        let filler = |n: usize| format!("Chapter {n} speaks of the garden and its many flowers. ");
        let mut text = (0..200).map(filler).collect::<Vec<_>>().concat();
        text.push_str("The maximum dose of paracetamol is 4 g. ");
        text.extend((200..400).map(filler));
        passages(&[text, "Short and whole.".into()])
    }

    #[test]
    fn what_fits_is_shown_whole_and_in_order() {
        let passages = passages(&["One is 1. Two is 2.".into(), "Three.".into()]);
        let evidence = Evidence::new(&passages, 1000);
        let window = evidence.window(&["three"], &Seen::default(), 1000);
        let shown: Vec<(String, &str)> =
            evidence.stretches(&window).into_iter().map(|stretch| (stretch.line, stretch.text)).collect();
        assert_eq!(
            shown,
            [("PASSAGE [p0]".into(), "One is 1. Two is 2."), ("PASSAGE [p1]".into(), "Three.")]
        );
        assert!(evidence.is_all(&Seen::default().with(&window)));
    }

    #[test]
    fn j54_the_window_that_speaks_of_the_claim_comes_first_and_the_rest_follows_until_all_is_seen() {
        let passages = long();
        let evidence = Evidence::new(&passages, 900);
        let mut seen = Seen::default();
        let mut rounds = 0;
        while !evidence.is_all(&seen) {
            let window = evidence.window(&["The maximum dose of paracetamol is 8 g."], &seen, 900);
            let stretches = evidence.stretches(&window);
            let has_dose = stretches.iter().any(|stretch| stretch.text.contains("paracetamol is 4 g"));
            assert_eq!(has_dose, rounds == 0, "round {rounds}");
            let total: usize =
                stretches.iter().map(|stretch| tokens(stretch.text) + tokens(&stretch.line)).sum();
            assert!(total <= 900, "{total}");
            let further = seen.with(&window);
            assert!(evidence.chars_of(&further) > evidence.chars_of(&seen));
            seen = further;
            rounds += 1;
        }
        assert!(rounds > 3, "{rounds}");
        assert_eq!(evidence.chars_of(&seen), evidence.chars());
    }

    #[test]
    fn no_claim_takes_the_room_of_another() {
        let mut text =
            (0..300).map(|n| format!("Paracetamol was given in ward {n}. ")).collect::<Vec<_>>().concat();
        text.push_str("Warfarin is not to be combined with ibuprofen.");
        let passages = passages(&[text]);
        let evidence = Evidence::new(&passages, 800);
        let queries = ["Paracetamol was given in the ward.", "Warfarin can be combined with ibuprofen."];
        let window = evidence.window(&queries, &Seen::default(), 400);
        assert!(evidence.stretches(&window).iter().any(|stretch| stretch.text.contains("Warfarin")));
    }

    #[test]
    fn a_room_too_small_still_shows_something() {
        let passages = long();
        let evidence = Evidence::new(&passages, 100);
        let window = evidence.window(&["paracetamol"], &Seen::default(), 1);
        assert_eq!(evidence.stretches(&window).len(), 1);
    }

    proptest! {
        #[test]
        fn pieces_leave_no_gap(content in "(\\PC|[ .\n。]){0,400}", size in 1usize..40) {
            let spans = cut(&content, size);
            if content.trim().is_empty() {
                prop_assert!(spans.is_empty());
            } else {
                let whole: String = spans.iter().filter_map(|span| span.of(&content)).collect();
                prop_assert_eq!(whole, content);
            }
        }
    }
}
