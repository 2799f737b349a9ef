//! What the word lists know of single words: how common they are, which mean the same, which are opposites,
//! and which are kinds of which.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::lines;
use crate::text::stem::{Stem, fold, form};

/// A word of the lists; 0 stands for every word that is in none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordId(u32);

/// What is known of a word.
#[derive(Debug, Clone, Default)]
struct Entry {
    /// About one sentence in e to this power has the word; `None` for words that are not common.
    class: Option<u8>,
    /// Listed with a capital: a name wherever it stands.
    is_name: bool,
    /// The groups of opposites it belongs to, and on which side of the bar.
    sides: Vec<(u16, bool)>,
    /// The same for pairs of opposites that hold in a looser sense.
    loose_sides: Vec<(u16, bool)>,
    synonyms: Vec<u16>,
    /// Kinds that it names, and kinds that it is one of.
    general_of: Vec<u16>,
    one_of: Vec<u16>,
}

/// Rarity of a word that is not among the common ones.
const UNCOMMON: f64 = 9.5;

/// The lists by word.
#[derive(Debug)]
pub struct Thesaurus {
    ids: FxHashMap<Stem, WordId>,
    entries: Vec<Entry>,
}

fn share<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    a.iter().any(|one| b.contains(one))
}

fn are_across(a: &[(u16, bool)], b: &[(u16, bool)]) -> bool {
    a.iter().any(|(group, side)| b.iter().any(|(other, far)| other == group && far != side))
}

impl Thesaurus {
    pub(super) fn read() -> Self {
        let mut made = Self {
            ids: FxHashMap::with_capacity_and_hasher(16_384, FxBuildHasher),
            entries: vec![Entry::default()],
        };
        for line in lines("frequency") {
            let mut parts = line.split_whitespace();
            let Some(class) = parts.next().and_then(|class| class.parse::<u8>().ok()) else { continue };
            for word in parts {
                // The commonest of a word's forms counts, and the classes stand in order.
                let is_name = word.starts_with(char::is_uppercase);
                let entry = made.entry(word);
                if entry.class.is_none() {
                    (entry.class, entry.is_name) = (Some(class), is_name);
                }
            }
        }
        for (group, line) in (0u16..).zip(lines("antonyms")) {
            made.sides(line, |entry, side| entry.sides.push((group, side)));
        }
        for (group, line) in (0u16..).zip(lines("opposites")) {
            made.sides(line, |entry, side| entry.loose_sides.push((group, side)));
        }
        for (group, line) in (0u16..).zip(lines("synonyms")) {
            for word in line.split_whitespace() {
                made.entry(word).synonyms.push(group);
            }
        }
        for (group, line) in (0u16..).zip(lines("kinds")) {
            made.sides(
                line,
                |entry, is_right| {
                    if is_right { entry.one_of.push(group) } else { entry.general_of.push(group) }
                },
            );
        }
        made
    }

    fn entry(&mut self, word: &str) -> &mut Entry {
        let next = WordId(u32::try_from(self.entries.len()).unwrap_or(0));
        let id = *self.ids.entry(form(&fold(word))).or_insert(next);
        if id == next {
            self.entries.push(Entry::default());
        }
        &mut self.entries[id.0 as usize]
    }

    fn sides(&mut self, line: &str, note: impl Fn(&mut Entry, bool)) {
        for (side, words) in [false, true].into_iter().zip(line.split('|')) {
            for word in words.split_whitespace() {
                note(self.entry(word), side);
            }
        }
    }

    /// The word with this form.
    pub fn id(&self, form: Stem) -> WordId {
        self.ids.get(&form).copied().unwrap_or_default()
    }

    fn of(&self, word: WordId) -> &Entry {
        &self.entries[word.0 as usize]
    }

    /// How rare a word is: from 1, in most sentences, to 9.5, not among the common words at all.
    pub fn rarity(&self, word: WordId) -> f64 {
        self.of(word).class.map_or(UNCOMMON, f64::from)
    }

    /// Whether the word names something in particular: it is listed as a name, or in no list at all.
    pub fn is_name(&self, word: WordId) -> bool {
        word == WordId::default() || self.of(word).is_name
    }

    /// Whether the word is in any list.
    pub fn knows(&self, word: WordId) -> bool {
        word != WordId::default()
    }

    /// Whether the word has an opposite in the list of directions and degrees.
    pub fn has_opposite(&self, word: WordId) -> bool {
        !self.of(word).sides.is_empty()
    }

    /// Whether `a` and `b` stand on opposite sides of a group.
    pub fn are_opposites(&self, a: WordId, b: WordId) -> bool {
        are_across(&self.of(a).sides, &self.of(b).sides)
    }

    /// The same with the pairs that hold in a looser sense.
    pub fn are_loosely_opposite(&self, a: WordId, b: WordId) -> bool {
        self.are_opposites(a, b) || are_across(&self.of(a).loose_sides, &self.of(b).loose_sides)
    }

    /// Whether `a` and `b` stand on the same side of a group, and never on opposite ones.
    pub fn are_alike(&self, a: WordId, b: WordId) -> bool {
        share(&self.of(a).sides, &self.of(b).sides) && !self.are_opposites(a, b)
    }

    /// Whether `a` and `b` can mean the same.
    pub fn are_synonyms(&self, a: WordId, b: WordId) -> bool {
        share(&self.of(a).synonyms, &self.of(b).synonyms)
    }

    /// Whether what is said of a `particular` is said of a `general`: a truck is a vehicle.
    pub fn is_kind_of(&self, particular: WordId, general: WordId) -> bool {
        share(&self.of(particular).one_of, &self.of(general).general_of)
    }

    /// Whether both are kinds of one thing and no synonyms, so that one is not the other: red and blue.
    pub fn are_sisters(&self, a: WordId, b: WordId) -> bool {
        a != b && share(&self.of(a).one_of, &self.of(b).one_of) && !self.are_synonyms(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::super::LEXICON;
    use super::*;

    fn id(word: &str) -> WordId {
        LEXICON.thesaurus.id(form(&fold(word)))
    }

    #[test]
    fn opposites_hold_in_every_form_of_the_word() {
        let lists = &LEXICON.thesaurus;
        assert!(lists.are_opposites(id("increased"), id("decreases")));
        assert!(lists.are_opposites(id("rose"), id("fell")));
        assert!(lists.are_opposites(id("granted"), id("denied")));
        assert!(!lists.are_opposites(id("increased"), id("rising")));
        assert!(lists.are_alike(id("increased"), id("rising")));
        assert!(!lists.are_opposites(id("cat"), id("dog")));
    }

    #[test]
    fn synonyms_kinds_and_rarity() {
        let lists = &LEXICON.thesaurus;
        assert!(lists.are_synonyms(id("purchased"), id("bought")));
        assert!(lists.is_kind_of(id("trucks"), id("vehicle")) || lists.is_kind_of(id("ship"), id("vessel")));
        assert!(lists.rarity(id("the")) < 2.0 && lists.rarity(id("zyzzyva")) > 9.0);
        assert!(!lists.are_synonyms(id("zyzzyva"), id("qwertz")), "unknown words are not one word");
    }
}
