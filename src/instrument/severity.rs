//! Whether health, law or money is at stake with a claim: what the table of [`mod@crate::domain::severity`] needs to
//! know and only words can tell, those of the claim and those around it.

use std::collections::HashSet;

use crate::domain::record::Record;
use crate::domain::verdict::{Citation, Role};
use crate::text::compare::Reading;
use crate::text::lexicon::{Field, LEXICON, Telling};
use crate::text::stem::Stem;

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

/// Words of some texts, each once.
#[derive(Default)]
struct Words {
    seen: HashSet<Stem>,
    points: [Points; Field::ALL.len()],
    has_pronoun: bool,
    is_everyday: bool,
}

fn place(field: Field) -> usize {
    Field::ALL.iter().position(|(other, _)| *other == field).unwrap_or(0)
}

impl Words {
    fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut words = Self::default();
        for text in texts {
            words.read(text);
        }
        words
    }

    fn read(&mut self, text: &str) {
        let reading = Reading::new(text);
        for token in reading.tokens() {
            self.has_pronoun |= PRONOUNS.contains(&&*token.folded);
            if !self.seen.insert(token.stem) {
                continue;
            }
            self.is_everyday |= LEXICON.fields.is_everyday(token.stem);
            for (field, telling) in LEXICON.fields.told_by(token) {
                let points = &mut self.points[place(field)];
                match telling {
                    Telling::Strong => points.strong += 1,
                    Telling::Topic => points.topic += 1,
                    Telling::Setting => points.setting += 1,
                }
            }
        }
        let finance = &mut self.points[place(Field::Finance)];
        if reading.numbers().iter().any(crate::text::numbers::Number::is_money) {
            finance.topic += 1;
        }
    }
}

/// The field of harm that `own` words speak of, `around` being the words that stand around them.
///
/// Two points decide, and a strong word or a pair has two. A claim that has one by a word of the field, or only a
/// pronoun for what it speaks of, has its field from its surroundings when those are clearly about it; one of daily
/// business has not.
fn field(own: &Words, around: &Words) -> Option<Field> {
    let pairs: Vec<Field> =
        if own.is_everyday { Vec::new() } else { LEXICON.fields.told_by_pairs(&own.seen).collect() };
    let told = |field: Field| {
        let (mine, theirs) = (own.points[place(field)], around.points[place(field)]);
        let may_borrow = !own.is_everyday && (mine.topic > 0 || own.has_pronoun);
        mine.sum() >= ENOUGH
            || pairs.contains(&field)
            || (may_borrow && theirs.strong > 0 && theirs.sum() >= AROUND)
    };
    Field::ALL.iter().map(|(field, _)| *field).find(|field| told(*field))
}

/// Whether health, law or money is at stake with `claim`: told by its words and those cited for or against it, and by
/// the record's question, the answer and the rest of the passage around them.
pub(super) fn can_harm(claim: &str, citations: &[Citation], record: &Record) -> bool {
    let mut own = vec![claim];
    let mut around: Vec<&str> = record.question.as_deref().into_iter().collect();
    around.push(cut(&record.answer, 0, OF_THE_ANSWER));
    for citation in citations.iter().take(MOST_CITED) {
        let Some(passage) = record.passage(&citation.passage_id) else { continue };
        let text = passage.content.as_str();
        let (from, to) = citation.span.map_or((0, 0), |span| (span.start(), span.end()));
        around.push(cut(text, 0, HEADING));
        around.push(cut(text, from.saturating_sub(REACH), to.saturating_add(REACH)));
        if citation.role != Role::Closest {
            own.extend(citation.span.and_then(|span| span.of(text)));
        }
    }
    field(&Words::of(own), &Words::of(around)).is_some()
}

/// The part of `text` from byte `from` to `to`, as far as it has them, drawn in to whole characters.
fn cut(text: &str, from: usize, to: usize) -> &str {
    let border = |at: usize| (at.min(text.len())..=text.len()).find(|at| text.is_char_boundary(*at));
    let (Some(from), Some(to)) = (border(from), border(to)) else { return "" };
    text.get(from..to).unwrap_or("")
}

#[cfg(test)]
#[path = "severity_tests.rs"]
mod tests;
