//! What a sentence states that the judge says states nothing.

use crate::domain::span::Span;
use crate::judge::local::Stated;
use crate::text::compare::Reading;

/// The first number, date or name in a sentence of `answer` that states something by what is `stated` in it: such a
/// sentence is not silenced by a judge's word alone.
pub(super) fn fact<'a>(answer: &'a str, stated: &Stated<'_>, sentence: Span) -> Option<&'a str> {
    let text = sentence.of(answer)?;
    let reading = Reading::new(text);
    let number = reading.numbers().first().map(|number| number.span);
    let date = reading.dates().first().map(|date| date.span);
    let fact = number.or(date).or_else(|| reading.names().first().map(|(span, _)| *span))?;
    fact.of(text).filter(|_| stated.holds(sentence))
}

/// Why a sentence with that fact has no verdict when the judge insists.
pub(super) fn reason(fact: &str) -> String {
    format!("the judge says that this states nothing, yet it holds “{fact}”")
}
