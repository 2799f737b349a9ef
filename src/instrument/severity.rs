//! Whether health, law or money is at stake with a claim: what the table of [`mod@crate::domain::severity`] needs to
//! know and only words can tell, those of the claim and those around it.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::domain::record::Record;
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, Role};
use crate::text::compare::Reading;
use crate::text::lexicon::{Field, LEXICON, Telling};
use crate::text::stem::Stem;
use crate::text::tokens::{Token, tokens_in};

/// Points that a claim needs in a field by its own words.
const ENOUGH: u32 = 2;
/// Points that its surroundings must have for a claim that has one itself, a strong word among them: one word of a
/// field may stand in any encyclopaedia.
const AROUND: u32 = 4;
/// How far from the cited words their surroundings reach, and how much of the passage's beginning, which names what it
/// is about, belongs to them; in bytes.
const REACH: usize = 600;
const HEADING: usize = 200;
/// So many citations are read: a judge that cites more says nothing new with the rest.
pub(super) const MOST_CITED: usize = 64;
/// So many bytes of a text are read at once, and a word may be so long.
const PIECE: usize = 512;
const LONG_WORD: usize = 64;
/// So much of an answer belongs to the surroundings, in bytes.
const OF_THE_ANSWER: usize = 2_000;

/// Words that stand for what was spoken of before.
const PRONOUNS: &[&str] = &["it", "its", "this", "these", "they", "them", "their"];

/// What words tell of one field.
#[derive(Debug, Clone, Copy, Default)]
struct Points {
    strong: u32,
    topic: u32,
    setting: u32,
}

impl Points {
    fn sum(self) -> u32 {
        2 * self.strong + self.topic + self.setting.min(1)
    }
}

/// A word of a text and what it tells.
struct Word {
    span: Span,
    stem: Stem,
    tells: Vec<(Field, Telling)>,
    is_pronoun: bool,
    is_everyday: bool,
}

/// A part of a text with what its words tell.
struct Piece {
    words: Vec<Word>,
    money: Vec<Span>,
}

impl Piece {
    /// Of `text[from..to]`; spans count from the beginning of `text`.
    fn read(text: &str, from: usize, to: usize) -> Self {
        let tokens = tokens_in(text, from, to);
        let reading = Reading::of_tokens(text, &tokens);
        let word = |token: &Token| Word {
            span: token.span,
            stem: token.stem,
            tells: LEXICON.fields.told_by(token),
            is_pronoun: PRONOUNS.contains(&&*token.folded),
            is_everyday: LEXICON.fields.is_everyday(token.stem),
        };
        let money = reading.numbers().iter().filter(|number| number.is_money()).map(|number| number.span);
        Self { words: reading.tokens().iter().map(word).collect(), money: money.collect() }
    }
}

/// A text whose words are read where they are asked for, and only once: all claims of an answer share their
/// surroundings.
struct Pieces<'t> {
    text: &'t str,
    read: Vec<OnceCell<Piece>>,
}

impl<'t> Pieces<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, read: std::iter::repeat_with(OnceCell::new).take(text.len().div_ceil(PIECE)).collect() }
    }

    /// Where piece `at` begins: between words, where there is a space near.
    fn border(&self, at: usize) -> usize {
        let from = self.text.ceil_char_boundary(at * PIECE);
        let near = self.text.get(from..self.text.ceil_char_boundary(from + LONG_WORD)).unwrap_or_default();
        from + if from == 0 { 0 } else { near.find(char::is_whitespace).unwrap_or(0) }
    }

    /// The pieces that hold the bytes `from..to`.
    fn over(&self, from: usize, to: usize) -> impl Iterator<Item = &Piece> {
        // A piece may begin behind its place, so the one before it may reach into it.
        let first = (from / PIECE).saturating_sub(1);
        let cells = self.read.iter().enumerate().skip(first).take_while(move |(at, _)| at * PIECE < to);
        cells.map(|(at, cell)| {
            cell.get_or_init(|| Piece::read(self.text, self.border(at), self.border(at + 1)))
        })
    }
}

/// Words of some texts, each once.
#[derive(Default)]
struct Words {
    seen: HashSet<Stem>,
    points: [Points; Field::ALL.len()],
    has_pronoun: bool,
    is_everyday: bool,
    /// Has a word of what is done with the things of a field.
    handles: [bool; Field::ALL.len()],
}

fn place(field: Field) -> usize {
    Field::ALL.iter().position(|(other, _)| *other == field).unwrap_or(0)
}

impl Words {
    /// Adds the words of `piece` that stand whole in the bytes `from..to`.
    fn add(&mut self, piece: &Piece, from: usize, to: usize) {
        let is_in = |span: Span| from <= span.start() && span.end() <= to;
        for word in piece.words.iter().filter(|word| is_in(word.span)) {
            self.has_pronoun |= word.is_pronoun;
            if !self.seen.insert(word.stem) {
                continue;
            }
            self.is_everyday |= word.is_everyday;
            for (field, telling) in &word.tells {
                let points = &mut self.points[place(*field)];
                match telling {
                    Telling::Strong => points.strong += 1,
                    Telling::Topic => points.topic += 1,
                    Telling::Setting => points.setting += 1,
                    Telling::Handling => self.handles[place(*field)] = true,
                }
            }
        }
        if piece.money.iter().any(|span| is_in(*span)) {
            self.points[place(Field::Finance)].topic += 1;
        }
    }

    fn read(&mut self, text: &str) {
        self.add(&Piece::read(text, 0, text.len()), 0, text.len());
    }
}

/// The field of harm that `own` words speak of, `around` being the words that stand around them.
///
/// Two points decide, and a strong word or a pair has two. A claim that has one by a word of the field, or only a
/// pronoun for what it speaks of, has its field from its surroundings when those are clearly about it; one of daily
/// business has not.
fn field(own: &Words, around: &Words) -> Option<Field> {
    let pairs = if own.is_everyday { Vec::new() } else { LEXICON.fields.told_by_pairs(&own.seen) };
    let told = |field: Field| {
        let (mine, theirs) = (own.points[place(field)], around.points[place(field)]);
        let may_borrow = !own.is_everyday && (mine.topic > 0 || own.has_pronoun || own.handles[place(field)]);
        mine.sum() >= ENOUGH
            || pairs.contains(&field)
            || (may_borrow && theirs.strong > 0 && theirs.sum() >= AROUND)
    };
    Field::ALL.iter().map(|(field, _)| *field).find(|field| told(*field))
}

/// A record whose claims are weighed: the words around them are read once.
pub(super) struct Surroundings<'r> {
    pub(super) record: &'r Record,
    question: Pieces<'r>,
    answer: Pieces<'r>,
    passages: Vec<Pieces<'r>>,
}

impl<'r> Surroundings<'r> {
    pub(super) fn new(record: &'r Record) -> Self {
        Self {
            record,
            question: Pieces::new(record.question.as_deref().unwrap_or_default()),
            answer: Pieces::new(&record.answer),
            passages: record.passages.iter().map(|passage| Pieces::new(&passage.content)).collect(),
        }
    }

    /// Whether health, law or money is at stake with `claim`: told by its words and those cited for or against it, by
    /// the record's question, the answer and the rest of the passage around them, and by the record's metadata.
    pub(super) fn can_harm(&self, claim: &str, citations: &[Citation]) -> bool {
        let (mut own, mut around) = (Words::default(), Words::default());
        own.read(claim);
        let mut add = |pieces: &Pieces<'_>, from: usize, to: usize| {
            pieces.over(from, to).for_each(|piece| around.add(piece, from, to));
        };
        add(&self.question, 0, self.question.text.len());
        add(&self.answer, 0, OF_THE_ANSWER);
        for citation in citations.iter().take(MOST_CITED) {
            let sought = self.record.passages.iter().zip(&self.passages);
            let found = sought.into_iter().find(|(passage, _)| passage.passage_id == citation.passage_id);
            let Some((_, pieces)) = found else { continue };
            let (from, to) = citation.span.map_or((0, 0), |span| (span.start(), span.end()));
            add(pieces, 0, HEADING);
            add(pieces, from.saturating_sub(REACH), to.saturating_add(REACH));
            if citation.role != Role::Closest
                && let Some(cited) = citation.span.and_then(|span| span.of(pieces.text))
            {
                own.read(cited);
            }
        }
        field(&own, &around).is_some() || (!own.is_everyday && is_said_of(self.record))
    }
}

/// The keys under which a record's metadata say what it is about.
const DOMAIN_KEYS: &[&str] =
    &["domain", "field", "topic", "category", "specialty", "speciality", "department"];
/// What they may say for a record of health, law or money.
const DOMAINS: &[&str] = &[
    "health",
    "healthcare",
    "medical",
    "medicine",
    "medicines",
    "medication",
    "clinical",
    "pharmacy",
    "pharmaceutical",
    "patient",
    "nursing",
    "drug",
    "drugs",
    "law",
    "legal",
    "contract",
    "contracts",
    "finance",
    "financial",
    "banking",
    "insurance",
    "tax",
];

/// Whether the record's metadata say that it is about health, law or money.
fn is_said_of(record: &Record) -> bool {
    let tells = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.map(str::to_lowercase).any(|word| DOMAINS.contains(&word.as_str()))
    };
    DOMAIN_KEYS.iter().filter_map(|key| record.metadata.get(*key)).any(|said| match said {
        serde_json::Value::String(text) => tells(text),
        serde_json::Value::Array(all) => all.iter().filter_map(|one| one.as_str()).any(tells),
        _ => false,
    })
}

#[cfg(test)]
#[path = "severity_tests.rs"]
mod tests;
