//! Which number belongs to what, where a sentence has several of a kind: "7.0 % with cefepime and 7.5 % with
//! piperacillin".

use super::reading::{Reading, clause_ends};
use crate::domain::span::Span;
use crate::text::numbers::Number;
use crate::text::stem::Stem;
use crate::text::tokens::TokenKind;

/// Words that stand between two amounts and their things.
const BETWEEN: &[&str] =
    &["and", "or", "versus", "vs", "than", "compared", "against", "but", "while", "whereas"];
/// So many content words on each side of a number can tell what it is of.
const LEAD: usize = 3;
/// How far what a number is of is looked for, in tokens.
const REACH: usize = 14;

/// The content words beside a number that may tell what it is of.
struct Slots {
    before: Vec<Stem>,
    behind: Vec<Stem>,
}

fn token_range(text: &Reading<'_>, span: Span) -> (usize, usize) {
    (text.token_at(span.start()), text.token_at(span.end().saturating_sub(1)) + 1)
}

/// The number that begins or ends beside token `at`.
fn number_with<'r>(text: &'r Reading<'_>, at: usize) -> Option<&'r Number> {
    let span = text.tokens().get(at)?.span;
    text.numbers().iter().find(|number| number.span.contains(span))
}

/// "12 of 120" is one amount: its tokens, for either number of it.
fn fraction(text: &Reading<'_>, number: Span) -> Option<(usize, usize)> {
    let (from, to) = token_range(text, number);
    let is_of = |at: usize| text.tokens().get(at).is_some_and(|token| &*token.folded == "of");
    if is_of(to) && number_with(text, to + 1).is_some() {
        return number_with(text, to + 1).map(|whole| (from, token_range(text, whole.span).1));
    }
    let of = from.checked_sub(1).filter(|at| is_of(*at))?;
    let part = number_with(text, of.checked_sub(1)?)?;
    Some((token_range(text, part.span).0, to))
}

/// Whether the number is the part in "12 of 120".
fn is_part(text: &Reading<'_>, number: &Number) -> bool {
    fraction(text, number.span).is_some_and(|(from, _)| from == token_range(text, number.span).0)
}

/// Whether both are numbers of the same kind of thing: amounts of one unit, the same things counted, or parts of a
/// whole.
fn are_alike(claim: &Reading<'_>, mine: &Number, text: &Reading<'_>, other: &Number) -> bool {
    mine.is_comparable(other) || (is_part(claim, mine) && is_part(text, other))
}

/// Whether the sentence of these tokens is a row of a table.
fn is_row(text: &Reading<'_>, (from, to): (usize, usize)) -> bool {
    text.span_of(from, to).and_then(|span| span.of(text.text())).is_some_and(|row| row.contains('|'))
}

/// In which column of its row a number stands.
fn column(text: &Reading<'_>, number: Span) -> usize {
    let (from, _) = text.sentence_around(text.token_at(number.start()));
    let start = text.tokens().get(from).map_or(0, |token| token.span.start());
    text.text().get(start..number.start()).map_or(0, |before| before.matches('|').count())
}

fn parts(text: &Reading<'_>, left: usize, right: usize) -> bool {
    let (Some(from), Some(to)) = (text.tokens().get(left), text.tokens().get(right)) else { return true };
    let gap = text.text().get(from.span.end()..to.span.start()).unwrap_or("");
    // A number in brackets belongs to the words around them.
    let is_bracket = gap.contains(['(', ')']) && !gap.contains([',', ';', ':', '.', '!', '?']);
    !is_bracket && clause_ends(text.text(), from, to)
}

fn slots(text: &Reading<'_>, number: Span) -> Slots {
    let tokens = text.tokens();
    let (from, to) = fraction(text, number).unwrap_or_else(|| token_range(text, number));
    let counts = |at: &usize| !tokens[*at].stop && tokens[*at].kind == TokenKind::Word;
    let is_border = |at: usize| {
        BETWEEN.contains(&&*tokens[at].folded)
            || text.numbers().iter().any(|other| other.span != number && other.span.contains(tokens[at].span))
    };
    let start = (from.saturating_sub(REACH)..from)
        .rev()
        .take_while(|at| !is_border(*at) && !parts(text, *at, at + 1))
        .last()
        .unwrap_or(from);
    let end = (to..tokens.len().min(to + REACH))
        .take_while(|at| !is_border(*at) && !parts(text, at - 1, *at))
        .last()
        .map_or(to, |at| at + 1);
    Slots {
        before: (start..from).rev().filter(counts).take(LEAD).map(|at| tokens[at].stem).collect(),
        behind: (to..end).filter(counts).take(LEAD).map(|at| tokens[at].stem).collect(),
    }
}

/// The content words of the part of the claim that the number stands in; all of them where it is the only one of its
/// kind.
fn subject(claim: &Reading<'_>, mine: &Number) -> Vec<Stem> {
    let tokens = claim.tokens();
    let is_only = claim.numbers().iter().filter(|other| are_alike(claim, mine, claim, other)).count() < 2;
    if is_only {
        return tokens.iter().filter(|t| !t.stop && t.kind == TokenKind::Word).map(|t| t.stem).collect();
    }
    let slots = slots(claim, mine.span);
    slots.before.into_iter().chain(slots.behind).collect()
}

/// Whether in one slot the number `theirs` is of something that the claim does not speak of, and `rival` of what it
/// does.
fn is_of_another(subject: &[Stem], theirs: &[Stem], rival: &[Stem]) -> bool {
    let own = |stem: &&Stem| subject.contains(stem);
    let only_rival = rival.iter().filter(own).any(|stem| !theirs.contains(stem));
    let only_theirs = theirs.iter().filter(own).any(|stem| !rival.contains(stem));
    let is_foreign = theirs.iter().any(|stem| !subject.contains(stem) && !rival.contains(stem));
    only_rival && !only_theirs && is_foreign
}

/// The number that the evidence gives for what the claim says `mine` of, when the same number stands in it for
/// something else. `agreeing` are the evidence's numbers that `mine` agrees with.
pub(super) fn rival(
    claim: &Reading<'_>,
    mine: &Number,
    evidence: &Reading<'_>,
    agreeing: &[&Number],
) -> Option<Span> {
    let rivals: Vec<&Number> = evidence
        .numbers()
        .iter()
        .filter(|other| are_alike(claim, mine, evidence, other) && !mine.agrees(other))
        .collect();
    if rivals.is_empty() || agreeing.is_empty() {
        return None;
    }
    let subject = subject(claim, mine);
    let mut found = None;
    for theirs in agreeing {
        let own = slots(evidence, theirs.span);
        let rival = rivals.iter().find(|rival| {
            let other = slots(evidence, rival.span);
            is_of_another(&subject, &own.behind, &other.behind)
                || is_of_another(&subject, &own.before, &other.before)
        });
        // One of them that is of the right thing is enough.
        found = Some(rival?.span);
    }
    found
}

/// How many more of the claim's words must stand in the sentence of another number than in that of the same one.
const CLEARLY_MORE: usize = 2;

/// The number that stands where the evidence speaks of the claim, when the same number as the claim's stands only in
/// sentences that speak much less of it.
pub(super) fn nearer(
    claim: &Reading<'_>,
    mine: &Number,
    evidence: &Reading<'_>,
    agreeing: &[&Number],
    may_differ: impl Fn(&Number) -> bool,
) -> Option<Span> {
    let content: Vec<Stem> =
        claim.tokens().iter().filter(|t| !t.stop && t.kind == TokenKind::Word).map(|t| t.stem).collect();
    let sentence = |number: &Number| evidence.sentence_around(evidence.token_at(number.span.start()));
    let words = |(from, to): (usize, usize)| {
        let mut seen: Vec<Stem> = Vec::new();
        for token in &evidence.tokens()[from..to] {
            if content.contains(&token.stem) && !seen.contains(&token.stem) {
                seen.push(token.stem);
            }
        }
        seen
    };
    let share = |place: (usize, usize)| words(place).len();
    let places: Vec<(usize, usize)> = agreeing.iter().map(|number| sentence(number)).collect();
    let most = agreeing.iter().map(|number| share(sentence(number))).max()?;
    let columns: Vec<usize> = agreeing.iter().map(|number| column(evidence, number.span)).collect();
    let is_of_column = |span: Span| columns.contains(&column(evidence, span));
    let best = evidence
        .numbers()
        .iter()
        .filter(|other| !mine.agrees(other) && may_differ(other) && !places.contains(&sentence(other)))
        .map(|other| (share(sentence(other)), is_of_column(other.span), other.span))
        .max_by_key(|(share, of_column, span)| (*share, *of_column, std::cmp::Reverse(span.start())))?;
    let place = evidence.sentence_around(evidence.token_at(best.2.start()));
    // The other cells of a row say what an amount is of: one word more is enough where the row has all the others too.
    let is_better_row = is_row(evidence, place)
        && places
            .iter()
            .all(|own| is_row(evidence, *own) && words(*own).iter().all(|stem| words(place).contains(stem)));
    let more = if is_better_row { 1 } else { CLEARLY_MORE };
    (best.0 >= most + more && best.0 * 2 >= content.len()).then_some(best.2)
}
