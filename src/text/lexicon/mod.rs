//! The word lists of `assets/lexicon`, read once.
//!
//! The lists are plain text that a nurse, a lawyer or a linguist can read and extend: `#` begins a
//! comment, the rest is described at the top of each file. This module must not know what a claim is.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::stem::fold;

mod fields;
mod thesaurus;

pub use fields::{Field, Fields, Telling};
pub use thesaurus::{Thesaurus, WordId};

macro_rules! list {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../assets/lexicon/", $name, ".txt")))
    };
}

/// Every list with its text, in a fixed order: what the version of the local judge is computed from.
pub const SOURCES: &[(&str, &str)] = &[
    list!("absences"),
    list!("antonyms"),
    list!("everyday"),
    list!("exceptions"),
    list!("finance"),
    list!("finite_verbs"),
    list!("frequency"),
    list!("greeting"),
    list!("health"),
    list!("idle"),
    list!("instruction_verbs"),
    list!("intensifiers"),
    list!("irregular"),
    list!("kinds"),
    list!("legal"),
    list!("modality"),
    list!("months"),
    list!("negated_endings"),
    list!("negations"),
    list!("number_labels"),
    list!("number_words"),
    list!("opinion"),
    list!("opposites"),
    list!("quantifiers"),
    list!("rhythms"),
    list!("rules"),
    list!("stopwords"),
    list!("synonyms"),
    list!("units"),
];

/// The lines of a list that are not comments.
fn lines(name: &str) -> impl Iterator<Item = &'static str> {
    let text = SOURCES.iter().find(|(source, _)| *source == name).map_or("", |(_, text)| text);
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// How much of a whole a statement covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    All,
    Most,
    Some,
    Only,
}

/// How firmly a statement is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modality {
    Hedge,
    Duty,
    Advice,
    Permission,
}

/// What a word says of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    Permit,
    Forbid,
    /// That something ends or is left out.
    End,
    /// That something be done.
    Act,
    /// What something does, which permits nothing.
    Effect,
    /// How much or how long.
    Bound,
}

/// A unit of measure.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitEntry {
    /// What is measured: `mass`, `time`, `percent`.
    pub dimension: &'static str,
    /// How many base units one of this is.
    pub factor: f64,
}

/// A number written as a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NumberWord {
    Value(f64),
    Ordinal(f64),
    Scale(f64),
}

/// All lists, ready for look-up by stem or by folded word.
pub struct Lexicon {
    pub stop: FxHashSet<String>,
    pub negations: FxHashSet<String>,
    /// Negating phrases of several words, each as its folded words.
    pub negation_phrases: Vec<Vec<String>>,
    /// Phrases that limit a rule, each as its folded words.
    pub exceptions: Vec<Vec<String>>,
    /// Words between "no" and its noun that do not narrow the denial.
    pub intensifiers: FxHashSet<String>,
    /// Words behind a noun that say it is not there.
    pub absences: FxHashSet<String>,
    pub negated_endings: Vec<String>,
    pub negated_starts: Vec<String>,
    /// What is known of single words.
    pub thesaurus: Thesaurus,
    pub units: FxHashMap<String, UnitEntry>,
    pub number_words: FxHashMap<String, NumberWord>,
    /// Month names with the month's number.
    pub months: FxHashMap<String, u8>,
    pub number_labels: FxHashSet<String>,
    pub quantifiers: FxHashMap<String, Quantifier>,
    pub modality: FxHashMap<String, Modality>,
    /// Words of rules: what may be done, and what must not.
    pub rules: FxHashMap<String, Rule>,
    /// Words for a number of times: twice.
    pub times: FxHashMap<String, f64>,
    /// Words for how often, in seconds from one time to the next: daily.
    pub rhythms: FxHashMap<String, f64>,
    /// Words by which a speaker only says how he knows.
    pub idle: FxHashSet<String>,
    pub opinions: Vec<String>,
    pub greetings: Vec<String>,
    pub instruction_verbs: FxHashSet<String>,
    pub finite_verbs: FxHashSet<String>,
    /// Which words say that health, law or money is at stake.
    pub fields: Fields,
}

/// The lists that ship with the program.
pub static LEXICON: LazyLock<Lexicon> = LazyLock::new(read);

fn words(name: &str) -> impl Iterator<Item = String> {
    lines(name).flat_map(str::split_whitespace).map(fold)
}

fn phrases(name: &str) -> Vec<String> {
    lines(name).map(|line| line.split_whitespace().map(fold).collect::<Vec<_>>().join(" ")).collect()
}

fn read() -> Lexicon {
    let mut negations = FxHashSet::default();
    let mut negation_phrases = Vec::new();
    for line in lines("negations") {
        let folded: Vec<String> = line.split_whitespace().map(fold).collect();
        match folded.as_slice() {
            [word] => {
                negations.insert(word.clone());
            }
            _ => negation_phrases.push(folded),
        }
    }
    let mut negated_endings = Vec::new();
    let mut negated_starts = Vec::new();
    for line in lines("negated_endings") {
        let mut parts = line.split_whitespace();
        let list = match parts.next() {
            Some("end") => &mut negated_endings,
            _ => &mut negated_starts,
        };
        list.extend(parts.skip(1).map(str::to_owned));
    }
    Lexicon {
        stop: words("stopwords").collect(),
        negations,
        negation_phrases,
        exceptions: lines("exceptions").map(|line| line.split_whitespace().map(fold).collect()).collect(),
        intensifiers: words("intensifiers").collect(),
        absences: words("absences").collect(),
        negated_endings,
        negated_starts,
        thesaurus: Thesaurus::read(),
        units: read_units(),
        number_words: read_number_words(),
        months: classed("months", |number| number.parse().ok()),
        number_labels: words("number_labels").collect(),
        quantifiers: classed("quantifiers", |class| match class {
            "all" => Some(Quantifier::All),
            "most" => Some(Quantifier::Most),
            "some" => Some(Quantifier::Some),
            "only" => Some(Quantifier::Only),
            _ => None,
        }),
        modality: classed("modality", |class| match class {
            "hedge" => Some(Modality::Hedge),
            "duty" => Some(Modality::Duty),
            "advice" => Some(Modality::Advice),
            "permission" => Some(Modality::Permission),
            _ => None,
        }),
        rules: classed("rules", |class| match class {
            "permit" => Some(Rule::Permit),
            "forbid" => Some(Rule::Forbid),
            "end" => Some(Rule::End),
            "act" => Some(Rule::Act),
            "effect" => Some(Rule::Effect),
            "bound" => Some(Rule::Bound),
            _ => None,
        }),
        times: read_rhythms("times"),
        rhythms: read_rhythms("every"),
        idle: words("idle").collect(),
        opinions: phrases("opinion"),
        greetings: phrases("greeting"),
        instruction_verbs: words("instruction_verbs").collect(),
        finite_verbs: words("finite_verbs").collect(),
        fields: Fields::read(),
    }
}

fn read_units() -> FxHashMap<String, UnitEntry> {
    let mut map = FxHashMap::default();
    for line in lines("units") {
        let mut parts = line.split_whitespace();
        let (Some(dimension), Some(factor)) = (parts.next(), parts.next()) else { continue };
        let Ok(factor) = factor.parse::<f64>() else { continue };
        for word in parts {
            map.insert(fold(word), UnitEntry { dimension, factor });
        }
    }
    map
}

/// The lines of one kind in the list of rhythms.
fn read_rhythms(kind: &str) -> FxHashMap<String, f64> {
    let mut map = FxHashMap::default();
    for line in lines("rhythms") {
        let mut parts = line.split_whitespace();
        if parts.next() != Some(kind) {
            continue;
        }
        let Some(value) = parts.next().and_then(|value| value.parse::<f64>().ok()) else { continue };
        map.extend(parts.map(|word| (fold(word), value)));
    }
    map
}

fn read_number_words() -> FxHashMap<String, NumberWord> {
    let mut map = FxHashMap::default();
    for line in lines("number_words") {
        let mut parts = line.split_whitespace().peekable();
        let kind = match parts.peek() {
            Some(&"ordinal") => NumberWord::Ordinal,
            Some(&"scale") => NumberWord::Scale,
            _ => NumberWord::Value,
        };
        if matches!(parts.peek(), Some(&"ordinal" | &"scale")) {
            parts.next();
        }
        let Some(value) = parts.next().and_then(|value| value.parse::<f64>().ok()) else { continue };
        map.extend(parts.map(|word| (fold(word), kind(value))));
    }
    map
}

fn classed<T: Copy>(name: &str, class: impl Fn(&str) -> Option<T>) -> FxHashMap<String, T> {
    let mut map = FxHashMap::default();
    for line in lines(name) {
        let mut parts = line.split_whitespace();
        let Some(value) = parts.next().and_then(&class) else { continue };
        map.extend(parts.map(|word| (fold(word), value)));
    }
    map
}

/// The base form of an irregular word.
pub(super) static IRREGULAR: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut map = FxHashMap::default();
    for line in lines("irregular") {
        let mut forms = line.split_whitespace();
        let Some(base) = forms.next() else { continue };
        map.extend(forms.map(|form| (form, base)));
    }
    map
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_list_is_read() {
        for line in lines("units") {
            let mut parts = line.split_whitespace().skip(1);
            assert!(parts.next().is_some_and(|factor| factor.parse::<f64>().is_ok()), "{line}");
            assert!(parts.next().is_some(), "{line}");
        }
        for line in lines("antonyms").chain(lines("opposites")) {
            assert_eq!(line.split('|').filter(|side| !side.trim().is_empty()).count(), 2, "{line}");
        }
        for line in lines("number_words") {
            let rest = line.trim_start_matches("ordinal ").trim_start_matches("scale ");
            assert!(rest.split(' ').next().is_some_and(|v| v.parse::<f64>().is_ok()), "{line}");
        }
        for line in lines("rhythms") {
            let parts: Vec<&str> = line.split_whitespace().collect();
            assert!(matches!(parts[0], "times" | "every") && parts.len() > 2, "{line}");
            assert!(parts[1].parse::<f64>().is_ok_and(|value| value > 0.0), "{line}");
        }
        for line in lines("negated_endings") {
            assert!(line.starts_with("end ") || line.starts_with("start "), "{line}");
        }
        for (name, classes) in [
            ("quantifiers", &["all", "most", "some", "only"][..]),
            ("modality", &["hedge", "duty", "advice", "permission"]),
            ("rules", &["permit", "forbid", "end", "act", "effect", "bound"]),
        ] {
            for line in lines(name) {
                assert!(classes.contains(&line.split(' ').next().unwrap_or("")), "{name}: {line}");
            }
        }
        for (name, text) in SOURCES {
            assert!(text.starts_with('#'), "{name} says at its top what it holds");
            assert!(lines(name).next().is_some(), "{name} is not empty");
        }
    }
}
