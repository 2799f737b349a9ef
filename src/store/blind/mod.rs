//! Blind review: what a person may do before they are shown the judge.
//!
//! What is hidden is left out of what is read here, so that nobody above can show it by mistake.

mod list;
mod opinions;
mod veil;

use rusqlite::{Connection, Transaction, params};
use serde_json::{Value, json};

use super::rows::ClaimRow;
use super::{Fallible, decisions, queue, refused, rows, scores};
use crate::domain::decision::{Actor, Request, Ruling, Standing};
use crate::domain::event::{KNOWN_FROM, Seen};
use crate::domain::finding::{AuditState, Outcome};
use crate::domain::ids::{Annotator, ClaimId, ClaimKey};
use crate::domain::queue::Hold;
use crate::domain::time::Timestamp;

pub(super) use opinions::{of as opinion_of, of_claim};

/// What the event of `request` names as seen: not the judge's verdict where that was hidden.
pub(super) fn seen(stored: Seen, request: &Request, shown: Option<&Seen>, id: &ClaimId) -> Fallible<Seen> {
    let is_hidden = shown.is_some_and(|shown| shown.verdict_sha256.is_none());
    match request {
        Request::Confirm | Request::Override(_) | Request::GiveReason(_) if is_hidden => {
            refused(format!("the judge's verdict on {id} is hidden from you: commit your own first"))
        }
        Request::Blind { .. } => Ok(Seen { verdict_sha256: None, ..stored }),
        _ if is_hidden => Ok(Seen { verdict_sha256: None, ..stored }),
        _ => Ok(stored),
    }
}

/// Refuses a blind verdict that would not be one, or is not wanted.
pub(super) fn refuse(
    tx: &Transaction<'_>,
    claim: &ClaimRow,
    ruling: &Ruling,
    overlap: u8,
    before: &Standing,
    actor: &Actor,
) -> Fallible<()> {
    if before.decided.is_some() {
        return refused(format!(
            "you have decided {} and know the judge's verdict: it cannot be judged blind",
            claim.id
        ));
    }
    if let Some(blind) = &before.blind {
        return refused(format!(
            "you committed {} for {} and were shown the judge's: keep it or change it",
            blind.ruling.verdict, claim.id
        ));
    }
    if !ruling.verdict.can_be_graded() && (ruling.severity.is_some() || ruling.hallucination_type.is_some()) {
        return refused(decisions::not_graded(ruling.verdict));
    }
    if let Some(why) = scores::misfit(claim.is_pair, ruling) {
        return refused(format!("{}: {why}", claim.id));
    }
    if let Some(chosen) = &ruling.evidence {
        decisions::stands_in_record(tx, claim, chosen)?;
    }
    let others = others(tx, claim.key, &actor.annotator)?;
    if others >= i64::from(overlap) {
        return refused(format!(
            "{} has {others} blind verdict{}, as many as review.overlap asks for; --open decides it openly, which \
             settles what people disagree on",
            claim.id,
            if others == 1 { "" } else { "s" }
        ));
    }
    Ok(())
}

/// What a blind verdict is recorded as: with the claim from which the person knows the judge's word on this one, if there
/// is one, so that the event alone says that it is not independent.
pub(super) fn committed(
    tx: &Transaction<'_>,
    claim: &ClaimRow,
    ruling: &Ruling,
    actor: &Actor,
) -> Fallible<Value> {
    let mut new = decisions::value(ruling);
    if let (Some(known), Some(fields)) = (known_from(tx, claim, &actor.annotator)?, new.as_object_mut()) {
        fields.insert(KNOWN_FROM.to_owned(), Value::from(known.to_string()));
    }
    Ok(new)
}

/// So many claims with the same words are looked at.
const CANDIDATES: i64 = 20_000;

/// The same claim with the same question and the same words of evidence in another answer, of which the person has been shown the judge's
/// verdict.
fn known_from(tx: &Transaction<'_>, claim: &ClaimRow, annotator: &Annotator) -> Fallible<Option<ClaimId>> {
    let text: String = tx
        .prepare_cached("SELECT claim_text FROM claim WHERE id = ?1")?
        .query_row([claim.key.0], |row| rows::text(row, 0))?;
    if !text.contains(char::is_alphanumeric) {
        return Ok(None);
    }
    // Nothing in it can be taken for search syntax.
    let phrase = format!("\"{}\"", text.replace(['"', '\0'], " "));
    let mut statement = tx.prepare_cached(
        "SELECT r.audit_id, c.n, c.claim_text, mr.id, r.id FROM claim m JOIN record mr ON mr.id = m.record_id
         CROSS JOIN (SELECT rowid AS id FROM claim_search WHERE claim_search MATCH ?2 LIMIT ?3) s
         CROSS JOIN claim c ON c.id = s.id
         CROSS JOIN record r ON r.id = c.record_id AND r.question IS mr.question
         WHERE m.id = ?1 AND r.id <> mr.id
           AND EXISTS (SELECT 1 FROM event e WHERE e.claim_id = c.id AND e.annotator = ?4
                       AND (e.act = 'BLIND' OR e.verdict_sha256 IS NOT NULL))",
    )?;
    let mut found = statement.query(params![claim.key.0, phrase, CANDIDATES, annotator.as_str()])?;
    while let Some(row) = found.next()? {
        if rows::text(row, 2)?.split_whitespace().eq(text.split_whitespace())
            && evidence(tx, row.get(3)?)? == evidence(tx, row.get(4)?)?
        {
            return Ok(Some(rows::claim_id(row, 0)?));
        }
    }
    Ok(None)
}

/// The texts of a record's passages, whatever they are called there and however they are ordered.
fn evidence(tx: &Transaction<'_>, record: i64) -> Fallible<Vec<String>> {
    let mut statement =
        tx.prepare_cached("SELECT content FROM passage WHERE record_id = ?1 ORDER BY content")?;
    let texts = statement.query_map([record], |row| rows::text(row, 0))?;
    Ok(texts.collect::<rusqlite::Result<_>>()?)
}

/// How many other people's blind verdicts on the claim stand, of those that `review.overlap` asks for.
fn others(connection: &Connection, claim: ClaimKey, annotator: &Annotator) -> Fallible<i64> {
    Ok(connection
        .prepare_cached("SELECT count(*) FROM opinion WHERE claim_id = ?1 AND fills = 1 AND annotator <> ?2")?
        .query_row(params![claim.0, annotator.as_str()], |row| row.get(0))?)
}

/// What stood before a decision: the former one, or what the person said blindly with what they were then shown.
pub(super) fn stood(connection: &Connection, claim: ClaimKey, before: &Standing) -> Fallible<Value> {
    if let Some(decided) = &before.decided {
        return Ok(decisions::value(&decided.ruling));
    }
    let Some(blind) = &before.blind else { return Ok(Value::Null) };
    let shown = connection
        .prepare_cached("SELECT state, verdict, severity FROM verdict WHERE claim_id = ?1")?
        .query_row([claim.0], |row| {
            let text = |column| row.get::<_, Option<String>>(column);
            Ok(json!({ "state": text(0)?, "verdict": text(1)?, "severity": text(2)? }))
        })?;
    Ok(json!({ "first": blind.ruling, "shown": shown }))
}

/// Whether the decision is one of several that people make of the claim each for themselves: then nobody waits for
/// anybody else.
pub(super) fn is_shared(
    connection: &Connection,
    claim: ClaimKey,
    request: &Request,
    annotator: &Annotator,
) -> Fallible<bool> {
    Ok(matches!(request, Request::Blind { .. })
        || connection
            .prepare_cached("SELECT 1 FROM opinion WHERE annotator = ?1 AND claim_id = ?2")?
            .exists(params![annotator.as_str(), claim.0])?)
}

/// Who has the claim in hand, where as many people have judged it or are about to as may do so blindly.
pub(super) fn hold(
    connection: &Connection,
    claim: ClaimKey,
    annotator: &Annotator,
    overlap: u8,
    now: Timestamp,
) -> Fallible<Option<Hold>> {
    let in_hand: i64 = connection
        .prepare_cached(
            "SELECT count(DISTINCT l.holder) FROM lease l WHERE l.claim_id = ?1 AND l.holder <> ?2 AND l.until_ms > ?3
               AND NOT EXISTS (SELECT 1 FROM opinion o WHERE o.claim_id = ?1 AND o.annotator = l.holder)",
        )?
        .query_row(params![claim.0, annotator.as_str(), now.millis()], |row| row.get(0))?;
    if in_hand + others(connection, claim, annotator)? < i64::from(overlap) {
        return Ok(None);
    }
    queue::hold(connection, claim, annotator, now)
}

/// What stands in place of an outcome that is hidden.
const fn hidden() -> Outcome {
    Outcome::NotJudged { state: crate::domain::verdict::NoVerdict::NotChecked, reason: String::new() }
}

/// What stands in place of a state that is hidden.
const HIDDEN: AuditState = AuditState::NoVerdict(crate::domain::verdict::NoVerdict::NotChecked);
