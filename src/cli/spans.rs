//! Evidence named on the command line: by its characters, or by its words.

use std::str::FromStr;

use super::Failure;
use crate::domain::evidence::ChosenSpan;
use crate::domain::ids::PassageId;
use crate::domain::record::Record;
use crate::domain::span::{CharSpan, Span};
use crate::domain::verdict::Role;

/// What a person says of the evidence that their ruling rests on.
#[derive(clap::Args)]
pub(super) struct EvidenceArguments {
    #[arg(
        long = "span",
        value_name = "PLACE",
        help = "With --override: PASSAGE_ID:START-END:supports or :contradicts, in characters, end exclusive"
    )]
    spans: Vec<SpanArgument>,
    #[arg(
        long = "quote",
        value_name = "WORDS",
        help = "With --override: PASSAGE_ID:supports:WORDS or PASSAGE_ID:contradicts:WORDS"
    )]
    quotes: Vec<QuoteArgument>,
    /// With --override: nothing in the record bears on the claim
    #[arg(long, conflicts_with_all = ["spans", "quotes"])]
    no_evidence: bool,
}

impl EvidenceArguments {
    /// Whether anything is said of it.
    pub(super) fn is_named(&self) -> bool {
        self.no_evidence || !self.spans.is_empty() || !self.quotes.is_empty()
    }

    /// What is named, as it stands in `record`. What does not stand there is refused.
    pub(super) fn chosen(&self, record: &Record) -> Result<Vec<ChosenSpan>, Failure> {
        chosen(record, &self.spans, &self.quotes)
    }
}

/// `PASSAGE_ID:START-END:ROLE`, in characters, end exclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SpanArgument {
    passage_id: PassageId,
    chars: CharSpan,
    role: Role,
}

impl FromStr for SpanArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            "write PASSAGE_ID:START-END:supports or :contradicts, counting characters from 0, end exclusive: \
             p2:14-31:contradicts"
                .to_owned()
        };
        let (rest, role) = text.rsplit_once(':').ok_or_else(wrong)?;
        let (passage_id, range) = rest.rsplit_once(':').ok_or_else(wrong)?;
        let (start, end) = range.split_once('-').ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        Ok(Self {
            passage_id: PassageId::new(passage_id),
            chars: CharSpan { start: number(start)?, end: number(end)? },
            role: stance(role).ok_or_else(wrong)?,
        })
    }
}

/// `PASSAGE_ID:ROLE:WORDS`, which must stand in the passage letter for letter, and only once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QuoteArgument {
    passage_id: PassageId,
    role: Role,
    words: String,
}

impl FromStr for QuoteArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Ids and words may hold colons: the first role between two colons parts them.
        let parted = [Role::Supports, Role::Contradicts].into_iter().filter_map(|role| {
            let (passage_id, words) = text.split_once(&format!(":{role}:"))?;
            Some((passage_id, role, words))
        });
        let (passage_id, role, words) = parted
            .min_by_key(|(passage_id, ..)| passage_id.len())
            .filter(|(passage_id, _, words)| !passage_id.is_empty() && !words.trim().is_empty())
            .ok_or("write PASSAGE_ID:supports:WORDS or PASSAGE_ID:contradicts:WORDS: p2:contradicts:4 g in any 24 hours")?;
        Ok(Self { passage_id: PassageId::new(passage_id), role, words: words.to_owned() })
    }
}

fn stance(label: &str) -> Option<Role> {
    label.parse().ok().filter(|role| *role != Role::Closest)
}

fn chosen(
    record: &Record,
    spans: &[SpanArgument],
    quotes: &[QuoteArgument],
) -> Result<Vec<ChosenSpan>, Failure> {
    let mut chosen = Vec::with_capacity(spans.len() + quotes.len());
    for SpanArgument { passage_id, chars, role } in spans {
        let words = record
            .passage(passage_id)
            .and_then(|passage| Span::from_chars(&passage.content, *chars)?.of(&passage.content))
            .unwrap_or_default();
        chosen.push(ChosenSpan {
            passage_id: passage_id.clone(),
            start: chars.start,
            end: chars.end,
            quote: words.to_owned(),
            role: *role,
        });
    }
    for QuoteArgument { passage_id, role, words } in quotes {
        let Some(passage) = record.passage(passage_id) else {
            // The check below says which passages there are.
            chosen.push(ChosenSpan {
                passage_id: passage_id.clone(),
                start: 0,
                end: 0,
                quote: String::new(),
                role: *role,
            });
            continue;
        };
        let mut places = passage.content.match_indices(words.as_str());
        let Some((at, _)) = places.next() else {
            return Err(Failure::bad_input(format!(
                "the words “{words}” do not stand in {passage_id} letter for letter: copy them from `juror export \
                 --what records`, or name their characters with --span"
            )));
        };
        if let Some((other, _)) = places.next() {
            let at = |byte: usize| passage.content.get(..byte).map_or(0, |before| before.chars().count());
            return Err(Failure::bad_input(format!(
                "the words “{words}” stand in {passage_id} more than once, at characters {} and {}: quote more, or \
                 name one place with --span",
                at(passage.content.find(words.as_str()).unwrap_or_default()),
                at(other)
            )));
        }
        let span = Span::new(&passage.content, at..at + words.len());
        chosen.extend(span.and_then(|span| ChosenSpan::new(passage, span, *role)));
    }
    crate::domain::evidence::check(&chosen, record).map_err(|why| Failure::bad_input(why.to_string()))?;
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_words_may_hold_colons() {
        let span: SpanArgument = "urn:x:1:14-31:contradicts".parse().expect("reads");
        assert_eq!((span.passage_id.as_str(), span.chars.start, span.chars.end), ("urn:x:1", 14, 31));
        let quote: QuoteArgument = "urn:1:supports:dose: 4 g :contradicts: no".parse().expect("reads");
        assert_eq!(
            (quote.passage_id.as_str(), quote.role, quote.words.as_str()),
            ("urn:1", Role::Supports, "dose: 4 g :contradicts: no")
        );
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in ["p1", "p1:3:supports", "p1:3-x:supports", "p1:3-4:closest", "p1:-1-4:supports"] {
            assert!(text.parse::<SpanArgument>().is_err(), "{text}");
        }
        for text in ["p1:supports:", ":supports:x", "p1:closest:x", "p1 supports x"] {
            assert!(text.parse::<QuoteArgument>().is_err(), "{text}");
        }
    }
}
