//! Says in a sentence what decided: names the words and numbers on both sides, and nothing else.

use crate::domain::verdict::{HallucinationType, Verdict};
use crate::text::compare::{Difference, DifferenceKind, Reading};

use super::weigh::Weighed;

/// How many missing words are named.
const MOST_NAMED: usize = 5;
/// Longer words are cut in the sentence.
const LONGEST_QUOTE: usize = 60;

/// For a part of a claim that could not be judged.
pub(super) const NOT_COMPARED: &str = "this part could not be compared with the evidence.";

/// For a claim of which the evidence has no word.
pub(super) fn nothing_shared() -> String {
    "No passage speaks of this.".into()
}

/// What decided `weighed`.
pub(super) fn of(
    weighed: &Weighed,
    claim: &Reading<'_>,
    cover: &[f64],
    evidence_text: &str,
    differences: &[Difference],
) -> String {
    let claim_text = claim.text();
    let conflicts = conflicts(claim_text, evidence_text, differences);
    let missing = missing(claim, cover);
    match weighed.verdict {
        Verdict::Contradicted => sentence(&conflicts),
        Verdict::FullySupported if missing.is_empty() => {
            "The evidence says the same in nearly the same words.".into()
        }
        Verdict::FullySupported => {
            format!("The cited words match the claim; not found in them: {}.", missing.join(", "))
        }
        Verdict::PartiallySupported | Verdict::Unsupported => {
            let mut parts = conflicts;
            parts.extend(forbidden(evidence_text, differences));
            parts.extend(stronger(claim_text, evidence_text, differences));
            if !missing.is_empty() {
                parts.push(format!("the closest evidence does not mention {}", missing.join(", ")));
            }
            if parts.is_empty() {
                parts.push("the closest evidence uses these words, but not together".into());
            }
            sentence(&parts)
        }
    }
}

/// How many words of a part are quoted to name it.
const NAMING_WORDS: usize = 5;

/// One rationale for several parts of a claim, each named by its first words.
pub(super) fn of_parts<'p>(parts: impl Iterator<Item = (&'p str, &'p str)>) -> String {
    let told: Vec<String> = parts
        .take(3)
        .map(|(text, rationale)| {
            let mut end = text.len();
            for (count, (at, _)) in text.match_indices(char::is_whitespace).enumerate() {
                if count + 1 == NAMING_WORDS {
                    end = at;
                }
            }
            let start: String = text[..end].chars().take(LONGEST_QUOTE).collect();
            format!("“{start}” …: {rationale}")
        })
        .collect();
    told.join(" ")
}

fn sentence(parts: &[String]) -> String {
    let joined = parts.join("; ");
    let mut chars = joined.chars();
    match chars.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), chars.as_str()),
        None => String::new(),
    }
}

pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(LONGEST_QUOTE).collect();
    let words: Vec<&str> = short.split_whitespace().collect();
    words.join(" ")
}

fn both<'t>(difference: &Difference, claim: &'t str, evidence: &'t str) -> Option<(&'t str, &'t str)> {
    Some((difference.claim?.of(claim)?, difference.evidence?.of(evidence)?))
}

fn conflicts(claim: &str, evidence: &str, differences: &[Difference]) -> Vec<String> {
    let mut found = Vec::new();
    for difference in differences.iter().filter(|difference| difference.is_conflict()) {
        let Some((mine, theirs)) = both(difference, claim, evidence) else { continue };
        let (mine, theirs) = (quoted(mine), quoted(theirs));
        found.push(match difference.kind {
            DifferenceKind::Number | DifferenceKind::Date | DifferenceKind::Name => {
                format!("claim says {mine}, evidence says {theirs}")
            }
            DifferenceKind::Role => format!("claim has {mine} where evidence has {theirs}"),
            _ => format!("claim says “{mine}”, evidence says “{theirs}”"),
        });
    }
    found.dedup();
    found.truncate(3);
    found
}

/// A prohibition of the evidence that nothing in the claim answers to.
fn forbidden(evidence: &str, differences: &[Difference]) -> Option<String> {
    let alone = differences.iter().find(|d| d.kind == DifferenceKind::Negation && d.claim.is_none())?;
    Some(format!("evidence says “{}”, the claim does not", quoted(alone.evidence?.of(evidence)?)))
}

fn stronger(claim: &str, evidence: &str, differences: &[Difference]) -> Vec<String> {
    differences
        .iter()
        .filter(|difference| !difference.kind.contradicts())
        .filter_map(|difference| {
            if let Some((mine, theirs)) = both(difference, claim, evidence) {
                return Some(format!("claim says “{}”, evidence only “{}”", quoted(mine), quoted(theirs)));
            }
            let mine = difference.claim?.of(claim)?;
            Some(format!("evidence does not say “{}”", quoted(mine)))
        })
        .take(2)
        .collect()
}

/// The claim's content words that the evidence lacks, as the claim writes them.
fn missing(claim: &Reading<'_>, cover: &[f64]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (token, covered) in claim.tokens().iter().zip(cover) {
        if *covered >= 0.5 {
            continue;
        }
        let word = quoted(token.span.of(claim.text()).unwrap_or_default());
        if !found.contains(&word) {
            found.push(word);
        }
    }
    let more = found.len().saturating_sub(MOST_NAMED);
    found.truncate(MOST_NAMED);
    if more > 0 {
        found.push("and more".into());
    }
    found
}

/// In which way the claim departs from its evidence.
pub(super) fn hallucination_type(verdict: Verdict, differences: &[Difference]) -> Option<HallucinationType> {
    let hedged = differences.iter().any(|difference| difference.kind == DifferenceKind::Modality);
    match verdict {
        Verdict::FullySupported => None,
        Verdict::PartiallySupported if hedged => Some(HallucinationType::OmissionAsFact),
        Verdict::PartiallySupported | Verdict::Contradicted => Some(HallucinationType::Distortion),
        Verdict::Unsupported => Some(HallucinationType::Fabrication),
    }
}
