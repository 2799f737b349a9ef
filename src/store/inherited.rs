//! The evidence of claims that a person split or merged: what the judge cited for those in whose place the new one
//! stands, as far as it speaks of the same.
//!
//! It is shown with the new claim, and recorded with a ruling that says the same as it.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::Fallible;
use super::rows::{self, ClaimRow};
use crate::domain::decision::Ruling;
use crate::domain::evidence::{ChosenSpan, agrees};
use crate::domain::finding::AuditState;
use crate::domain::ids::{ClaimId, ClaimKey, RecordKey};
use crate::domain::queue::Inherited;
use crate::domain::record::Record;
use crate::domain::verdict::{Citation, NoVerdict, Role};

/// In bytes: shorter words stand in every sentence. In scripts of more than one byte a letter two or three are enough.
const LEAST_WORD: usize = 4;
/// In characters.
const BEGINNING: usize = 5;

/// What `claim`, whose words are `words`, has from those in whose place it stands; `None` where it stands in no
/// other's place.
pub(super) fn of(
    connection: &Connection,
    claim: &ClaimRow,
    words: &str,
    record: &Record,
) -> Fallible<Option<Inherited>> {
    if claim.state != AuditState::NoVerdict(NoVerdict::Added) {
        return Ok(None);
    }
    let mut inherited = Inherited::default();
    let (mut waiting, mut seen) = (parents(connection, claim.record, claim.key)?, HashSet::new());
    if waiting.is_empty() {
        return Ok(None);
    }
    while let Some((id, parent)) = waiting.pop() {
        if !seen.insert(parent) {
            continue;
        }
        let before = parents(connection, claim.record, parent)?;
        if !before.is_empty() {
            waiting.extend(before);
            continue;
        }
        let outcome = rows::outcome(connection, parent, record)?;
        let cited = outcome.judged().map_or(&[][..], |judged| &judged.citations);
        inherited.citations.extend(cited.iter().filter(|one| is_sound(one)).cloned());
        inherited.from.push(id);
    }
    inherited.from.sort_by_key(ClaimId::n);
    inherited.citations = speaking_of(words, inherited.citations);
    Ok(Some(inherited))
}

/// The ruling with the inherited evidence that says the same, where the person chose none.
pub(super) fn joined(connection: &Connection, claim: &ClaimRow, ruling: Ruling) -> Fallible<Ruling> {
    if ruling.evidence.is_some() || claim.state != AuditState::NoVerdict(NoVerdict::Added) {
        return Ok(ruling);
    }
    let Some(record) = rows::record(connection, claim.record)? else { return Ok(ruling) };
    let words: String = connection
        .prepare_cached("SELECT claim_text FROM claim WHERE id = ?1")?
        .query_row([claim.key.0], |row| rows::text(row, 0))?;
    let Some(inherited) = of(connection, claim, &words, &record)? else { return Ok(ruling) };
    let chosen = |citation: &Citation| {
        let passage = record.passage(&citation.passage_id)?;
        ChosenSpan::new(passage, citation.span?, citation.role)
    };
    let fitting = inherited.citations.iter().filter(|one| agrees(one.role, ruling.verdict));
    let evidence: Vec<ChosenSpan> = fitting.filter_map(chosen).collect();
    let evidence = (!evidence.is_empty()).then_some(evidence);
    Ok(Ruling { evidence, ..ruling })
}

/// The claims in whose place `claim` was put.
fn parents(
    connection: &Connection,
    record: RecordKey,
    claim: ClaimKey,
) -> Fallible<Vec<(ClaimId, ClaimKey)>> {
    let from: Option<Vec<String>> = connection
        .prepare_cached(
            "SELECT e.new ->> 'from' FROM made m JOIN event e ON e.seq = m.seq WHERE m.claim_id = ?1",
        )?
        .query_row([claim.0], |row| rows::json(row, 0))
        .optional()?;
    let mut parents = Vec::new();
    for id in from.into_iter().flatten().filter_map(|name| name.parse::<ClaimId>().ok()) {
        let key = connection
            .prepare_cached("SELECT id FROM claim WHERE record_id = ?1 AND n = ?2")?
            .query_row(params![record.0, id.n()], |row| row.get(0).map(ClaimKey))
            .optional()?;
        parents.extend(key.map(|key| (id, key)));
    }
    Ok(parents)
}

/// Whether it stands in the evidence and bears on the claim.
fn is_sound(citation: &Citation) -> bool {
    citation.span.is_some() && citation.role != Role::Closest
}

/// How the words of `text` begin that are long enough to speak of something; endings differ from sentence to sentence.
fn beginnings(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() >= LEAST_WORD);
    words.map(|word| word.chars().flat_map(char::to_lowercase).take(BEGINNING).collect()).collect()
}

/// Those of `citations` that share a word with `words`; a single one speaks of all its parts. None overlap.
fn speaking_of(words: &str, citations: Vec<Citation>) -> Vec<Citation> {
    let own = beginnings(words);
    let is_only = citations.len() == 1;
    let shares = |citation: &Citation| !own.is_disjoint(&beginnings(&citation.quote));
    let mut kept: Vec<Citation> = Vec::new();
    for citation in citations {
        let overlaps = |other: &Citation| {
            let spans = other.span.zip(citation.span);
            other.passage_id == citation.passage_id && spans.is_some_and(|(one, two)| one.overlaps(two))
        };
        if (is_only || shares(&citation)) && !kept.iter().any(overlaps) {
            kept.push(citation);
        }
    }
    kept
}
