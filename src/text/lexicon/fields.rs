//! The words of health, law and money: which words say that a wrong statement can do harm.

use std::collections::HashSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{lines, words};
use crate::text::stem::{Stem, fold, stem};
use crate::text::tokens::Token;

/// A field in which a wrong statement can do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Health,
    Legal,
    Finance,
}

impl Field {
    /// All of them, with their lists.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Health, "health"), (Self::Legal, "legal"), (Self::Finance, "finance")];
}

/// How much a word says of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// It decides alone.
    Strong,
    /// A word of the field.
    Topic,
    /// People and places of the field, who do other things too.
    Setting,
    /// What is done with the things of the field, and with others: it is of the field where that is spoken of.
    Handling,
}

/// Before the ending of a medicine's name stand at least so many letters.
const LEAST_BEFORE_ENDING: usize = 2;

/// Of which pair a word is part, and on which side of it.
struct Half {
    pair: usize,
    is_right: bool,
}

/// The lists.
#[derive(Default)]
pub struct Fields {
    words: FxHashMap<Stem, Vec<(Field, Telling)>>,
    /// The field of each pair, and the words in them.
    pairs: Vec<Field>,
    halves: FxHashMap<Stem, Vec<Half>>,
    endings: Vec<(Field, String)>,
    no_ending: FxHashSet<String>,
    everyday: FxHashSet<Stem>,
}

fn stems(line: &str) -> impl Iterator<Item = Stem> {
    line.split_whitespace().map(|word| stem(&fold(word)))
}

impl Fields {
    pub(super) fn read() -> Self {
        let mut made =
            Self { everyday: words("everyday").map(|word| stem(&word)).collect(), ..Self::default() };
        for (field, name) in Field::ALL {
            for line in lines(name) {
                let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
                let telling = match kind {
                    "strong" => Telling::Strong,
                    "topic" => Telling::Topic,
                    "setting" => Telling::Setting,
                    "handling" => Telling::Handling,
                    "pair" => {
                        let (left, right) = rest.split_once('|').unwrap_or((rest, ""));
                        let pair = made.pairs.len();
                        made.pairs.push(field);
                        for (is_right, words) in [(false, left), (true, right)] {
                            for stem in stems(words) {
                                made.halves.entry(stem).or_default().push(Half { pair, is_right });
                            }
                        }
                        continue;
                    }
                    "ending" => {
                        made.endings.extend(rest.split_whitespace().map(|end| (field, fold(end))));
                        continue;
                    }
                    _ => {
                        made.no_ending.extend(rest.split_whitespace().map(fold));
                        continue;
                    }
                };
                for stem in stems(rest) {
                    made.words.entry(stem).or_default().push((field, telling));
                }
            }
        }
        made
    }

    /// What a word says of each field.
    pub fn told_by(&self, token: &Token) -> Vec<(Field, Telling)> {
        let listed = self.words.get(&token.stem).cloned().unwrap_or_default();
        if !listed.is_empty() {
            return listed;
        }
        let word = token.folded.strip_suffix('s').unwrap_or(&token.folded);
        if self.no_ending.contains(word) {
            return Vec::new();
        }
        let ends = |ending: &str| {
            word.strip_suffix(ending).is_some_and(|rest| rest.chars().count() >= LEAST_BEFORE_ENDING)
        };
        let ending = self.endings.iter().find(|(_, ending)| ends(ending));
        ending.map(|(field, _)| (*field, Telling::Strong)).into_iter().collect()
    }

    /// The fields of which two words in `text` tell together.
    pub fn told_by_pairs(&self, text: &HashSet<Stem>) -> Vec<Field> {
        let halves = || text.iter().filter_map(|stem| self.halves.get(stem)).flatten();
        let lefts: HashSet<usize> = halves().filter(|half| !half.is_right).map(|half| half.pair).collect();
        let whole = halves().filter(|half| half.is_right && lefts.contains(&half.pair));
        whole.filter_map(|half| self.pairs.get(half.pair)).copied().collect()
    }

    /// Whether the word is one of daily business.
    pub fn is_everyday(&self, stem: Stem) -> bool {
        self.everyday.contains(&stem)
    }
}

#[cfg(test)]
mod tests {
    use super::super::LEXICON;
    use super::*;
    use crate::text::tokens::tokens;

    #[test]
    fn every_line_is_of_a_kind_that_is_read() {
        for (_, name) in Field::ALL {
            for line in lines(name) {
                let (kind, rest) = line.split_once(' ').expect("a kind and words");
                assert!(
                    ["strong", "topic", "setting", "handling", "pair", "ending", "except"].contains(&kind),
                    "{line}"
                );
                assert_eq!(kind == "pair", rest.contains('|'), "{line}");
            }
        }
    }

    #[test]
    fn a_medicine_is_known_by_its_ending_and_an_everyday_word_is_none() {
        let strong =
            |word: &str| LEXICON.fields.told_by(&tokens(word)[0]).contains(&(Field::Health, Telling::Strong));
        for word in [
            "Flucloxacillin",
            "clarithromycin",
            "ramipril",
            "bisoprolol",
            "losartan",
            "simvastatin",
            "statins",
            "omeprazole",
            "trastuzumab",
            "imatinib",
            "enoxaparin",
            "rivoxaban",
            "sitagliptin",
            "ciprofloxacin",
            "doxycycline",
            "ondansetron",
            "sumatriptan",
            "lidocaine",
            "digoxin",
        ] {
            assert!(strong(word), "{word}");
        }
        for word in [
            "April",
            "protocol",
            "alcohol",
            "motorcycle",
            "sparing",
            "Punjab",
            "Ukraine",
            "caine",
            "platform",
        ] {
            assert!(!strong(word), "{word}");
        }
    }
}
