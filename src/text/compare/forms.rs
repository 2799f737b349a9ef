//! Forms: "Signed: Mr A. Brown (patient). Witness: Mrs C. Brown (daughter)" says who did what by its labels.

use super::reading::{Reading, is_kin};
use super::{Difference, DifferenceKind};
use crate::domain::span::Span;
use crate::text::tokens::TokenKind;

/// No more words of an entry are shown.
const SHOWN: usize = 6;
/// Words inside the name of who did it.
const WITHIN: &[&str] = &["the", "a", "an", "his", "her", "their", "of"];

fn gap<'t>(text: &Reading<'t>, at: usize) -> &'t str {
    let (Some(from), Some(to)) = (text.tokens().get(at), text.tokens().get(at + 1)) else { return "" };
    text.text().get(from.span.end()..to.span.start()).unwrap_or("")
}

/// The labels of a form: single words at the beginning of a sentence with a colon behind them.
fn labels(text: &Reading<'_>) -> Vec<usize> {
    let begins = |at: usize| at.checked_sub(1).is_none_or(|before| text.sentence_ends_behind(before));
    (0..text.tokens().len())
        .filter(|at| {
            text.tokens()[*at].kind == TokenKind::Word && gap(text, *at).starts_with(": ") && begins(*at)
        })
        .collect()
}

/// Who did it by the claim stands in the form under another label: "signed by the daughter", who is the witness.
pub(super) fn entries(claim: &Reading<'_>, evidence: &Reading<'_>, found: &mut Vec<Difference>) {
    let labels = labels(evidence);
    if labels.len() < 2 {
        return;
    }
    let tokens = claim.tokens();
    let Some(by) = (1..tokens.len()).find(|at| &*tokens[*at].folded == "by" && !tokens[*at - 1].stop) else {
        return;
    };
    let verb = &tokens[by - 1];
    let end = (by + 1..tokens.len())
        .find(|at| {
            let token = &tokens[*at];
            (token.stop && !WITHIN.contains(&&*token.folded)) || claim.sentence_ends_behind(*at - 1)
        })
        .unwrap_or(tokens.len());
    let Some(head) = (by + 1..end).rev().find(|at| !tokens[*at].stop) else { return };
    let from = (by + 1..head).find(|at| !tokens[*at].stop).unwrap_or(head);
    let entry =
        |index: usize| (labels[index] + 1, labels.get(index + 1).copied().unwrap_or(evidence.tokens().len()));
    let names = |index: usize| {
        let (start, end) = entry(index);
        evidence.tokens()[start..end].iter().any(|token| token.form == tokens[head].form)
    };
    let is_of = |index: usize| {
        let label = &evidence.tokens()[labels[index]];
        label.stem == verb.stem || is_kin(label, verb)
    };
    let Some(own) = (0..labels.len()).find(|index| is_of(*index)) else { return };
    if names(own) || !(0..labels.len()).any(names) {
        return;
    }
    let (start, end) = entry(own);
    let last = (start..end.min(start + SHOWN)).find(|at| gap(evidence, *at).contains([',', ')', ';', '\n']));
    let last = last.unwrap_or_else(|| end.min(start + SHOWN).saturating_sub(1));
    let shown = evidence.span_of(labels[own], last + 1).and_then(|span| {
        let closes = usize::from(evidence.text().get(span.end()..).is_some_and(|rest| rest.starts_with(')')));
        Span::new(evidence.text(), span.start()..span.end() + closes)
    });
    found.push(Difference {
        kind: DifferenceKind::Role,
        claim: claim.span_of(from, head + 1),
        evidence: shown,
        context: 2,
    });
}
