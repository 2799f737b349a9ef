//! Whether a claim says what its sentence says: a judge words claims itself, and may judge what nobody wrote.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::domain::span::Span;
use crate::text::compare::{Difference, DifferenceKind, Reading, between};
use crate::text::script::same_script;
use crate::text::sentences::sentences;
use crate::text::stem::Stem;
use crate::text::tokens::tokens;

/// Sentences before and behind in which stands what a pronoun may mean.
const NEAR: usize = 2;
/// Words around two names that agree before one counts as put in the place of the other.
const SAME_PLACE: u8 = 2;

/// An answer, to hold against the claims that a judge found in it.
pub(super) struct Wording<'r> {
    answer: &'r str,
    question: &'r str,
    sentences: OnceCell<Vec<Span>>,
    /// Every word of answer and question.
    words: OnceCell<HashSet<Stem>>,
}

impl<'r> Wording<'r> {
    pub(super) fn new(answer: &'r str, question: Option<&'r str>) -> Self {
        let question = question.unwrap_or_default();
        Self { answer, question, sentences: OnceCell::new(), words: OnceCell::new() }
    }

    /// What `claim` says and the answer at `span` does not, as a part of a sentence. A number, date or name may also
    /// come from the question or a sentence nearby, unless it then stands in the place of another one. `supporting`
    /// are the words of the evidence that are to bear it out: a claim that puts one of them in the place of the
    /// answer's own would be borne out by itself.
    pub(super) fn strayed(&self, claim: &str, span: Span, supporting: &[&str]) -> Option<String> {
        let stretch = span.of(self.answer)?;
        if same_script(claim, self.answer) == Some(false) {
            return None;
        }
        let own = self.around(span, 0);
        // Quoted whole: nothing can have strayed.
        if own.trim() == claim.trim() {
            return None;
        }
        let (said, own) = (Reading::new(claim), Reading::new(own));
        let clause = clause_around(self.answer, own.text(), span);
        let denied = between(&said, &Reading::new(clause)).into_iter().find(|difference| {
            matches!(difference.kind, DifferenceKind::Negation | DifferenceKind::Opposite)
                && difference.is_conflict()
                && (difference.kind == DifferenceKind::Opposite || denies(claim) == denies(clause))
        });
        if let Some(difference) = denied {
            let (mine, theirs) = (difference.claim?.of(claim)?, difference.evidence?.of(clause)?);
            return Some(format!("the claim says “{mine}”, the answer's sentence “{theirs}”"));
        }
        if stretch.trim() == claim.trim() {
            return None;
        }
        let near = format!("{}\n{}", self.question, self.around(span, NEAR));
        let odd = amount(&said, &[&Reading::new(stretch), &own, &Reading::new(&near)])
            .or_else(|| self.name(&said, &own))
            .or_else(|| self.borrowed(claim, stretch, supporting))?;
        Some(format!("the claim says “{}”, the answer's sentence does not", odd.of(claim)?))
    }

    fn words(&self) -> &HashSet<Stem> {
        self.words.get_or_init(|| {
            [self.answer, self.question].into_iter().flat_map(tokens).map(|token| token.stem).collect()
        })
    }

    /// A word of the claim that is the evidence's and nowhere the answer's, while one of the answer's is left out.
    fn borrowed(&self, claim: &str, stretch: &str, supporting: &[&str]) -> Option<Span> {
        let content = |text: &str| -> Vec<(Stem, Span)> {
            let tokens = tokens(text).into_iter().filter(|token| !token.stop);
            tokens.map(|token| (token.stem, token.span)).collect()
        };
        let said = content(claim);
        let evidence: HashSet<Stem> =
            supporting.iter().flat_map(|words| content(words)).map(|(stem, _)| stem).collect();
        let is_borrowed = |stem: &Stem| evidence.contains(stem) && !self.words().contains(stem);
        let (_, word) = said.iter().find(|(stem, _)| is_borrowed(stem))?;
        let is_left_out = |(stem, _): &(Stem, Span)| said.iter().all(|(own, _)| own != stem);
        content(stretch).iter().any(is_left_out).then_some(*word)
    }

    /// A name of the claim that stands nowhere in answer and question, or in the place of another one.
    fn name(&self, said: &Reading<'_>, own: &Reading<'_>) -> Option<Span> {
        let words = self.words();
        let names = said.names();
        let unknown = names.iter().find(|(_, stems)| !stems.iter().any(|stem| words.contains(stem)));
        unknown.map(|(span, _)| *span).or_else(|| {
            between(said, own).into_iter().find_map(|difference| {
                let replaces = difference.kind == DifferenceKind::Name
                    && difference.is_conflict()
                    && difference.context >= SAME_PLACE;
                difference.claim.filter(|_| replaces)
            })
        })
    }

    /// The sentences that `span` touches, and so many more before and behind.
    fn around(&self, span: Span, more: usize) -> &'r str {
        let all = self.sentences.get_or_init(|| sentences(self.answer));
        let first = all.partition_point(|sentence| sentence.end() <= span.start()).saturating_sub(more);
        let behind = all.partition_point(|sentence| sentence.start() < span.end()) + more;
        let last = behind.min(all.len()).checked_sub(1).and_then(|last| all.get(last));
        let start = all.get(first).map_or(span.start(), |sentence| sentence.start().min(span.start()));
        let end = last.map_or(span.end(), |sentence| sentence.end().max(span.end()));
        self.answer.get(start..end).unwrap_or_default()
    }
}

/// Words that deny without a "not": what one text says with them, the other may say with one.
const DENYING: [&str; 7] = ["neither", "nor", "avoid", "avoids", "avoided", "avoiding", "without"];

fn denies(text: &str) -> bool {
    tokens(text).iter().any(|token| DENYING.contains(&&*token.folded))
}

/// A number or date of the claim that none of `places` bears out, or that replaces another one there.
fn amount(said: &Reading<'_>, places: &[&Reading<'_>]) -> Option<Span> {
    let is_amount =
        |difference: &Difference| matches!(difference.kind, DifferenceKind::Number | DifferenceKind::Date);
    let differing: Vec<Vec<Difference>> =
        places.iter().map(|place| between(said, place).into_iter().filter(is_amount).collect()).collect();
    let amounts = said.numbers().iter().map(|number| number.span);
    amounts.chain(said.dates().iter().map(|date| date.span)).find(|span| {
        for found in &differing {
            let differs = |difference: &&Difference| difference.claim.is_some_and(|at| at.overlaps(*span));
            match found.iter().find(differs) {
                None => return false,
                Some(difference) if difference.is_conflict() => return true,
                Some(_) => {}
            }
        }
        true
    })
}

/// The part of `own` between the marks that end clauses around `span`: what is denied beside it is another matter.
fn clause_around<'t>(answer: &'t str, own: &'t str, span: Span) -> &'t str {
    const MARKS: [char; 9] = [',', ';', ':', '(', ')', '—', '、', '،', '؛'];
    let base = own.as_ptr() as usize - answer.as_ptr() as usize;
    let (from, to) = (span.start().saturating_sub(base), span.end().saturating_sub(base));
    let (Some(head), Some(tail)) = (own.get(..from), own.get(to..)) else { return own };
    let start =
        head.char_indices().rev().find(|(_, c)| MARKS.contains(c)).map_or(0, |(at, c)| at + c.len_utf8());
    let end = tail.find(MARKS).map_or(own.len(), |at| to + at);
    own.get(start..end).unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "Remdesivir was studied in 2020 at Charité. It had 30 patients; 12 recovered. \
        Adults may take 8 g a day, children 1 g. Warfarin must not be combined with aspirin, but heparin may be. \
        It was approved on 3 May 2021. Revenue rose by 5%.";

    /// What strays in `claim`, which the judge places at `quote`.
    fn strayed(claim: &str, quote: &str) -> Option<String> {
        let start = ANSWER.find(quote).expect("the quote stands in the answer");
        let span = Span::new(ANSWER, start..start + quote.len()).expect("a span");
        Wording::new(ANSWER, Some("Is remdesivir of use at the WHO?")).strayed(claim, span, &[])
    }

    #[test]
    fn a_claim_that_says_something_else_than_its_sentence_is_told() {
        for (claim, quote, wrong) in [
            ("Adults may take 4 g a day.", "Adults may take 8 g a day", "4 g"),
            ("Adults may take 4 g a day.", "Adults may take 8 g a day, children 1 g.", "4 g"),
            ("Children may take 8 g a day.", "children 1 g", "8 g"),
            ("Adults may take 8 mg a day.", "Adults may take 8 g a day", "8 mg"),
            ("Remdesivir was approved on 3 May 2020.", "It was approved on 3 May 2021.", "3 May 2020"),
            (
                "Remdesivir was studied in 2020 at Stanford.",
                "Remdesivir was studied in 2020 at Charité.",
                "Stanford",
            ),
            (
                "Warfarin can be combined with aspirin.",
                "Warfarin must not be combined with aspirin",
                "combined",
            ),
            ("Remdesivir was not approved on 3 May 2021.", "It was approved on 3 May 2021.", "not approved"),
            ("be combined with aspirin", "be combined with aspirin", "combined"),
            ("Revenue fell by 5%.", "Revenue rose by 5%.", "fell"),
        ] {
            let told = strayed(claim, quote);
            assert!(told.as_ref().is_some_and(|told| told.contains(wrong)), "{claim}: {told:?}");
        }
    }

    #[test]
    fn what_is_denied_without_a_not_may_be_denied_with_one() {
        let strayed = |claim: &str, answer: &str| {
            let span = Span::new(answer, 0..answer.len()).expect("a span");
            Wording::new(answer, None).strayed(claim, span, &[])
        };
        for (claim, answer) in [
            ("Aspirin should not be given.", "Neither aspirin nor ibuprofen should be given."),
            ("Alcohol should not be taken with metronidazole.", "Avoid alcohol while taking metronidazole."),
            ("Avoid alcohol while taking metronidazole.", "Alcohol should not be taken with metronidazole."),
            ("The tablet must not be taken without food.", "The tablet must be taken with food."),
        ] {
            assert_eq!(strayed(claim, answer), None, "{claim}");
        }
        for (claim, answer) in [
            ("Aspirin should be given.", "Aspirin should not be given."),
            ("The tablet must be taken without food.", "The tablet must not be taken without food."),
        ] {
            assert!(strayed(claim, answer).is_some(), "{claim}");
        }
    }

    #[test]
    fn a_claim_in_the_words_of_its_evidence_is_told() {
        let strayed = |claim: &str, supporting: &str| {
            let answer = "The gate opens at noon. It is closed on Sunday.";
            let span = Span::new(answer, 0..23).expect("a span");
            Wording::new(answer, Some("When may one enter?")).strayed(claim, span, &[supporting])
        };
        let told = strayed("The gate opens at dawn.", "opens at dawn");
        assert!(told.is_some_and(|told| told.contains("“dawn”")));
        for (claim, supporting) in [
            ("The gate opens at dawn.", "opens at six"),
            ("The main gate opens at noon.", "the main gate opens at noon"),
            ("One may enter at noon.", "enter at noon"),
            ("The gate is open at noon.", "open at noon"),
        ] {
            assert_eq!(strayed(claim, supporting), None, "{claim}");
        }
    }

    #[test]
    fn a_claim_in_other_words_and_with_what_its_pronouns_mean_is_left_alone() {
        for (claim, quote) in [
            ("Remdesivir was approved on May 3, 2021.", "It was approved on 3 May 2021."),
            ("The study of remdesivir in 2020 had 30 patients.", "It had 30 patients"),
            ("In the study of 30 patients, 12 recovered.", "12 recovered"),
            ("Children may take 1 g a day.", "children 1 g"),
            ("Children may take 1000 mg a day.", "Adults may take 8 g a day, children 1 g."),
            ("Heparin may be combined with aspirin.", "heparin may be"),
            ("Warfarin and aspirin must not be combined.", "Warfarin must not be combined with aspirin"),
            ("Revenue increased by 5 percent.", "Revenue rose by 5%."),
            ("Remdesivir is of use at the WHO.", "It had 30 patients"),
            (ANSWER, ANSWER),
        ] {
            assert_eq!(strayed(claim, quote), None, "{claim}");
        }
    }
}
