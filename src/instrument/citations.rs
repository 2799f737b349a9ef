//! Whether the passages that an answer cites bear out what it says: sentence by sentence, and citation by citation.
//!
//! A statement is a sentence that says something which evidence could decide. What it cites stands in brackets in it or
//! right behind it: the number of a passage, or its id. How far passages bear a statement out is the instrument
//! `support`: a score of 4 or 5 fully, of 3 partly, where the words that decide are located in those passages.

use std::collections::{HashMap, HashSet};

use super::support;
use crate::domain::ids::PassageId;
use crate::domain::record::{Passage, Record};
use crate::domain::span::Span;
use crate::judge::local::Stated;
use crate::judge::{Judge, JudgeFailure};
use crate::text::markers::{Marker, markers};
use crate::text::sentences::sentences;

/// A sentence that says something, with the passages that it cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedStatement {
    pub span: Span,
    /// Without its marks.
    pub text: String,
    /// Each passage once: its place in the record, `None` for a name that none has.
    pub cites: Vec<(String, Option<usize>)>,
}

/// The statements of an answer in order.
pub fn statements(record: &Record) -> Vec<CitedStatement> {
    let answer = &record.answer;
    let names = Names::of(record);
    let marks = markers(answer, |name| names.by_id.contains_key(name));
    let blanked = blanked(answer, &marks);
    let spans = sentences(&blanked);
    // A mark behind a question belongs to the question, which is not worth verifying.
    let stated = Stated::new(&blanked);
    let mut found: Vec<CitedStatement> = Vec::new();
    for (at, span) in spans.iter().enumerate().filter(|(_, span)| stated.holds(**span)) {
        let text = tidy(span.of(&blanked).unwrap_or_default());
        if !text.chars().any(char::is_alphanumeric) {
            continue;
        }
        let next = spans.get(at + 1).map_or(answer.len(), |next| next.start());
        let first = marks.partition_point(|mark| mark.range.start < span.start());
        let own = marks[first..].iter().take_while(|mark| mark.range.start < next);
        let mut seen = HashSet::new();
        let cites = own
            .flat_map(|mark| &mark.names)
            .map(|name| (name.clone(), names.place(name)))
            .filter(|(name, place)| seen.insert(place.map_or_else(|| Err(name.clone()), Ok)))
            .collect();
        found.push(CitedStatement { span: *span, text, cites });
    }
    found
}

/// `answer` with blanks in the place of marks: a stop with a mark right behind it ends a sentence all the same.
fn blanked(answer: &str, marks: &[Marker]) -> String {
    let mut blanked = String::with_capacity(answer.len());
    let mut from = 0;
    for mark in marks {
        blanked.push_str(&answer[from..mark.range.start]);
        blanked.extend(std::iter::repeat_n(' ', mark.range.len()));
        from = mark.range.end;
    }
    blanked + &answer[from..]
}

/// The passages of a record by what an answer may call them.
struct Names<'r> {
    by_id: HashMap<&'r str, usize>,
    passages: usize,
}

impl<'r> Names<'r> {
    fn of(record: &'r Record) -> Self {
        // Of two with one id the first counts.
        let ids = record.passages.iter().enumerate().rev();
        let by_id = ids.map(|(at, passage)| (passage.passage_id.as_str(), at)).collect();
        Self { by_id, passages: record.passages.len() }
    }

    /// The passage that a mark names: by its id, else by its number.
    fn place(&self, name: &str) -> Option<usize> {
        let by_number = || name.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < self.passages);
        self.by_id.get(name).copied().or_else(by_number)
    }
}

/// Without blanks where a mark stood.
fn tidy(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = words.join(" ");
    for stop in [".", ",", ";", ":", "!", "?"] {
        text = text.replace(&format!(" {stop}"), stop);
    }
    text
}

/// How far passages bear a statement out, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bears {
    Not,
    Partly,
    Fully,
}

/// One citation of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeighedCitation {
    /// As the answer names it.
    pub name: String,
    /// `None` where no passage has that name.
    pub passage_id: Option<PassageId>,
    /// How far it bears the statement out alone.
    pub alone: Bears,
    /// Whether the others bear it out fully without it.
    pub rest_suffice: bool,
}

/// What came of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeighedStatement {
    /// How far all that it cites bears it out together; never without a citation.
    pub together: Bears,
    pub citations: Vec<WeighedCitation>,
}

/// Asks `judge` about what a statement cites: all passages together, and where there are several each alone, and the
/// others without one that does not suffice alone.
///
/// # Errors
/// When the judge fails on one of these questions: then nothing is known of the statement.
pub async fn weigh(
    judge: &dyn Judge,
    record: &Record,
    statement: &CitedStatement,
) -> Result<WeighedStatement, JudgeFailure> {
    let cited: Vec<usize> = statement.cites.iter().filter_map(|(_, place)| *place).collect();
    let of = |places: &[usize]| joined(record, places);
    let together = bears(judge, &statement.text, of(&cited)).await?;
    let mut citations = Vec::with_capacity(statement.cites.len());
    for (name, place) in &statement.cites {
        let Some(place) = *place else {
            let rest_suffice = together == Bears::Fully;
            let name = name.clone();
            citations.push(WeighedCitation { name, passage_id: None, alone: Bears::Not, rest_suffice });
            continue;
        };
        let rest: Vec<usize> = cited.iter().copied().filter(|other| *other != place).collect();
        let alone = match rest.as_slice() {
            [] => together,
            _ => bears(judge, &statement.text, of(&[place])).await?,
        };
        // Only of one that does not suffice is it asked whether it is needed.
        let rest_suffice = alone != Bears::Fully
            && together == Bears::Fully
            && bears(judge, &statement.text, of(&rest)).await? == Bears::Fully;
        let passage_id = Some(record.passages[place].passage_id.clone());
        citations.push(WeighedCitation { name: name.clone(), passage_id, alone, rest_suffice });
    }
    Ok(WeighedStatement { together, citations })
}

/// The passages as one; `None` without any.
fn joined(record: &Record, places: &[usize]) -> Option<Passage> {
    let passages: Vec<&Passage> = places.iter().filter_map(|place| record.passages.get(*place)).collect();
    match passages.as_slice() {
        [] => None,
        [one] => Some((*one).clone()),
        many => {
            let ids: Vec<&str> = many.iter().map(|passage| passage.passage_id.as_str()).collect();
            let texts: Vec<&str> = many.iter().map(|passage| passage.content.as_str()).collect();
            Some(Passage {
                passage_id: PassageId::new(ids.join("+")),
                content: texts.join("\n\n"),
                metadata: serde_json::Map::new(),
            })
        }
    }
}

/// A score of this and more bears out fully, one below it partly.
const FULLY: u8 = 4;

async fn bears(judge: &dyn Judge, statement: &str, passage: Option<Passage>) -> Result<Bears, JudgeFailure> {
    let Some(passage) = passage.filter(|passage| passage.content.chars().any(char::is_alphanumeric)) else {
        return Ok(Bears::Not);
    };
    let support = support::score(judge, statement, &passage).await?;
    Ok(match support.score.get() {
        // No words of the passage stand behind it.
        _ if !support.is_grounded => Bears::Not,
        FULLY.. => Bears::Fully,
        score if score + 1 == FULLY => Bears::Partly,
        _ => Bears::Not,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::AuditId;
    use crate::judge::local::LocalJudge;

    fn record(answer: &str, passages: &[(&str, &str)]) -> Record {
        let passage = |(id, content): &(&str, &str)| Passage {
            passage_id: PassageId::new(*id),
            content: (*content).to_owned(),
            metadata: serde_json::Map::new(),
        };
        Record {
            audit_id: AuditId::new("a"),
            answer: answer.to_owned(),
            passages: passages.iter().map(passage).collect(),
            question: None,
            risk_level: None,
            given_claims: Vec::new(),
            metadata: serde_json::Map::new(),
        }
    }

    #[test]
    fn marks_before_and_behind_the_stop_belong_to_the_sentence_and_questions_to_nothing() {
        let record = record(
            "Adults take at most 4 g a day [p1]. Children take less.[2][p1] Who knows? [1] The limit is strict [7], \
             so they say [7].",
            &[("p1", "4 g"), ("p2", "less")],
        );
        let found = statements(&record);
        let told: Vec<(&str, Vec<Option<usize>>)> = found
            .iter()
            .map(|one| (one.text.as_str(), one.cites.iter().map(|(_, place)| *place).collect()))
            .collect();
        assert_eq!(
            told,
            [
                ("Adults take at most 4 g a day.", vec![Some(0)]),
                ("Children take less.", vec![Some(1), Some(0)]),
                ("The limit is strict, so they say.", vec![None]),
            ]
        );
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "what is measured is time")]
    fn a_long_answer_is_cut_once_and_not_for_each_sentence() {
        let sentence = |n: usize| format!("Item {n} weighs {n} g [{}].", n % 3 + 1);
        let took = |sentences: usize| {
            let answer = (0..sentences).map(sentence).collect::<Vec<_>>().join(" ");
            let record = record(&answer, &[("a", "x"), ("b", "y"), ("c", "z")]);
            let start = std::time::Instant::now();
            let found = statements(&record);
            assert_eq!(found.len(), sentences);
            assert!(found.iter().enumerate().all(|(n, one)| one.cites[0].1 == Some(n % 3)));
            start.elapsed()
        };
        took(50);
        let fastest = |sentences| (0..3).map(|_| took(sentences)).min().expect("one");
        let (short, long) = (fastest(200), fastest(1600));
        assert!(long < short * 24, "8 times the sentences take {short:?} and {long:?}");
    }

    #[tokio::test]
    async fn the_worked_answer_as_the_local_judge_sees_it() {
        let record = record(
            "The maximum dose for adults is 4 g in any 24 hours [1][2]. Paracetamol was first sold in Norway [3]. \
             Paracetamol lowers a fever.",
            &[
                ("a", "The maximum dose for adults is 4 g in any 24 hours."),
                ("b", "The canteen is open on weekdays."),
                ("c", "Aspirin is sold in many countries."),
            ],
        );
        let mut weighed = Vec::new();
        for statement in statements(&record) {
            weighed.push(weigh(&LocalJudge, &record, &statement).await.unwrap());
        }
        assert_eq!(weighed.len(), 3);
        assert_eq!(weighed[0].together, Bears::Fully);
        let parts: Vec<(Bears, bool)> =
            weighed[0].citations.iter().map(|citation| (citation.alone, citation.rest_suffice)).collect();
        assert_eq!(parts, [(Bears::Fully, false), (Bears::Not, true)]);
        assert_eq!((weighed[1].together, weighed[1].citations.len()), (Bears::Not, 1));
        assert_eq!((weighed[2].together, weighed[2].citations.len()), (Bears::Not, 0));
    }
}
