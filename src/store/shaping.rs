//! Claims that people make, as events: added, or in place of others, beside the judge's run, which stays as it is.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde_json::{Value, json};

use super::decisions::{self, Links};
use super::events::{self, Draft};
use super::offsets::Texts;
use super::records::to_json;
use super::rows::{self, ClaimRow};
use super::seals::VerdictSeal;
use super::{Fallible, Store, StoreError, blind, detail, dispositions, projection, refused, scores, seen};
use crate::domain::decision::{Actor, Basis, Disposition, Request};
use crate::domain::event::{AGAINST, Act, Event};
use crate::domain::finding::{Finding, Outcome};
use crate::domain::ids::{Annotator, ClaimId, ClaimKey, RecordKey};
use crate::domain::record::{Record, RiskLevel};
use crate::domain::routing::{Policy, Rank, Why, route, severity_of_rank};
use crate::domain::shaping::{NewClaim, SetAside, Shape};
use crate::domain::time::Timestamp;
use crate::domain::verdict::{NoVerdict, Severity};

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shaped {
    /// What was recorded: of each claim that is replaced, then of each that is made. One undo takes all of it back.
    pub events: Vec<Event>,
    pub made: Vec<(ClaimKey, ClaimId)>,
}

impl Store {
    /// Makes claims as `shape` says. They get the next free numbers of the record and stand in the queue without a
    /// verdict; what they replace is not open any more. The judge's run is not altered.
    ///
    /// Refused, with a sentence for the person who asked: on an answer that was not audited, or was released or
    /// blocked; on claims of an earlier audit, already replaced or taken back, or in another person's hands; on
    /// claims of different answers; a claim that is there already; where the answer or its evidence is not what
    /// `basis` says was seen; and where anybody's rulings on what is replaced would not count any more, unless it is
    /// just those that the person knows (`basis.against`, else [`StoreError::SetAside`]). The event of a claim that is
    /// replaced names whose rulings it set aside.
    pub fn shape(
        &mut self,
        shape: &Shape,
        basis: Basis<'_>,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Shaped, StoreError> {
        self.write_full(|tx| shaped(tx, shape, basis, actor, now))
    }
}

pub(super) fn shaped(
    tx: &Transaction<'_>,
    shape: &Shape,
    basis: Basis<'_>,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Shaped> {
    Shaper { tx, basis, actor, now }.shape(shape)
}

struct Shaper<'a> {
    tx: &'a Transaction<'a>,
    basis: Basis<'a>,
    actor: &'a Actor,
    now: Timestamp,
}

impl Shaper<'_> {
    fn shape(&self, shape: &Shape) -> Fallible<Shaped> {
        let batch = events::head(self.tx)?.0 + 1;
        match shape {
            Shape::Add { record, claim } => self.make(*record, &[], &[claim], Act::AddClaim, batch),
            Shape::Split { claim, parts } => {
                let row = self.replaceable(*claim)?;
                self.make(row.record, &[row], &[&parts[0], &parts[1]], Act::Split, batch)
            }
            Shape::Merge { claims, into } => {
                let mut rows = Vec::new();
                for claim in claims {
                    if rows.iter().any(|row: &ClaimRow| row.key == *claim) {
                        continue;
                    }
                    rows.push(self.replaceable(*claim)?);
                }
                let Some((first, [_, ..])) = rows.split_first() else {
                    return refused("one claim alone cannot be merged: name another one of the same answer");
                };
                if let Some(other) = rows.iter().find(|row| row.record != first.record) {
                    return refused(format!(
                        "{} and {} are of different answers: only claims of one answer merge",
                        first.id, other.id
                    ));
                }
                let record = first.record;
                self.make(record, &rows, &[into], Act::Merge, batch)
            }
        }
    }

    /// A claim in whose place others may be put.
    fn replaceable(&self, claim: ClaimKey) -> Fallible<ClaimRow> {
        let row = rows::claim(self.tx, claim)?;
        // What may be decided may be replaced, with the same refusals.
        decisions::allow(self.tx, &row, &Request::Confirm, self.actor, self.now)?;
        Ok(row)
    }

    fn make(
        &self,
        key: RecordKey,
        replaced: &[ClaimRow],
        claims: &[&NewClaim],
        act: Act,
        batch: i64,
    ) -> Fallible<Shaped> {
        let (audit_id, run) = dispositions::audited(self.tx, key)?;
        seen::still_so(&seen::of(self.tx, key, None)?, self.basis.seen, &audit_id)?;
        if let Some(disposed) = projection::disposition(self.tx, run)?
            && disposed.disposition != Disposition::Return
        {
            return refused(format!(
                "{audit_id} has the {} of {}: give it RETURN first to change its claims",
                disposed.disposition, disposed.annotator
            ));
        }
        if scores::is_pair(self.tx, run)? {
            return refused(format!(
                "{audit_id} is a claim with its source: it stays one claim, to be scored"
            ));
        }
        let Some(record) = rows::record(self.tx, key)? else {
            return refused(format!("the record of {audit_id} is not there any more"));
        };
        let mut set_aside = Vec::new();
        for row in replaced {
            set_aside.extend(self.said_of(row)?);
        }
        let events: Vec<i64> = set_aside.iter().map(|one| one.seq).collect();
        if !events.is_empty() && !self.basis.against.are(&events) {
            return Err(StoreError::SetAside(set_aside).into());
        }
        let from: Vec<String> = replaced.iter().map(|row| row.id.to_string()).collect();
        let first: u32 = self
            .tx
            .prepare_cached("SELECT coalesce(max(n), 0) + 1 FROM claim WHERE record_id = ?1")?
            .query_row([key.0], |row| row.get(0))?;
        let ids: Vec<ClaimId> =
            (first..).zip(claims).map(|(n, _)| ClaimId::new(audit_id.clone(), n)).collect();
        let into: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let batch = (replaced.len() + claims.len() > 1).then_some(batch);
        let mut events = Vec::new();
        for row in replaced {
            let new = against(json!({ "into": into }), set_aside.iter().filter(|one| one.claim == row.id));
            events.push(self.record(act, row, new, Links { answers: None, batch })?);
        }
        // Nobody has decided on what is made: it waits where the worst of them did.
        let severity = self.severity_of(replaced, &set_aside)?;
        let mut made = Vec::new();
        for (id, claim) in ids.iter().zip(claims) {
            let rationale = said(act, &from, self.actor.annotator.as_str(), &set_aside);
            let row = self.insert(&record, (key, run), id, claim, rationale, severity)?;
            let new = json!({
                "claim_text": claim.claim_text,
                "answer": claim.answer_span.and_then(|span| span.to_chars(&record.answer)),
                "from": from,
            });
            events.push(self.record(Act::AddClaim, &row, new, Links { answers: None, batch })?);
            made.push((row.key, row.id));
        }
        Ok(Shaped { events, made })
    }

    /// The worst severity of the claims in whose place others are put: as they stood in the queue, and as people ruled.
    fn severity_of(&self, replaced: &[ClaimRow], set_aside: &[SetAside]) -> Fallible<Option<Severity>> {
        let mut worst = set_aside
            .iter()
            .filter_map(|one| one.ruling.as_ref())
            .map(|ruling| ruling.severity)
            .max()
            .flatten();
        for row in replaced {
            let rank: Option<u8> = self
                .tx
                .prepare_cached("SELECT severity_rank FROM queue WHERE claim_id = ?1")?
                .query_row([row.key.0], |row| row.get(0))
                .optional()?;
            worst = worst.max(rank.and_then(severity_of_rank));
        }
        Ok(worst)
    }

    /// What people said of the claim and what does not count any more when others are put in its place.
    fn said_of(&self, row: &ClaimRow) -> Fallible<Vec<SetAside>> {
        let decisions = detail::decisions(self.tx, row.key)?;
        let of = |annotator: &Annotator, seq, ruling| SetAside {
            claim: row.id.clone(),
            annotator: annotator.clone(),
            own: *annotator == self.actor.annotator,
            seq,
            ruling,
        };
        let mut said: Vec<SetAside> =
            decisions.iter().map(|(who, one)| of(who, one.seq, Some(one.ruling.clone()))).collect();
        for (who, blind) in blind::of_claim(self.tx, row.key)? {
            // Whoever has said their last word has said it above.
            if !decisions.iter().any(|(other, _)| *other == who) {
                said.push(of(&who, blind.seq, None));
            }
        }
        Ok(said)
    }

    /// Records one act on one claim and what follows from it.
    fn record(&self, act: Act, row: &ClaimRow, new: Value, links: Links) -> Fallible<Event> {
        let mut seen = seen::of(self.tx, row.record, Some(row.key))?;
        // A claim that is made is named by its hash; of one that the judge made, what was not shown is not named.
        if act != Act::AddClaim && self.basis.seen.is_some_and(|shown| shown.verdict_sha256.is_none()) {
            seen.verdict_sha256 = None;
        }
        let draft = Draft {
            act,
            subject: row.id.to_string(),
            claim: Some(row.key),
            old: Value::Null,
            new,
            reason: self.basis.reason,
            undoes: links.answers,
            seen,
            batch: links.batch,
            payload: None,
        };
        let event = events::append(self.tx, draft, self.actor, self.now)?;
        projection::write_standing(self.tx, row.key, self.actor.annotator.as_str())?;
        Ok(event)
    }

    /// The rows of a new claim: the claim, a verdict that says that there is none, its place in the queue.
    fn insert(
        &self,
        record: &Record,
        (key, run): (RecordKey, i64),
        id: &ClaimId,
        claim: &NewClaim,
        rationale: String,
        replaces: Option<Severity>,
    ) -> Fallible<ClaimRow> {
        let finding = Finding {
            claim_text: claim.claim_text.clone(),
            given_id: None,
            answer_span: claim.answer_span,
            outcome: Outcome::NotJudged { state: NoVerdict::Added, reason: rationale },
        };
        let identity = rows::identity(self.tx, run)?;
        let (name, settings) = (id.to_string(), to_json(&identity.settings));
        let seal = VerdictSeal::of(&name, &finding, &identity, &settings, &mut Texts::new(record))?;
        let place = seal.answer;
        let start_byte = place.map(|place| place.start_byte);
        if let Some(same) = self.same(key, &finding.claim_text, start_byte)? {
            return refused(format!("{}#{same} says the same at the same place already", id.audit_id()));
        }
        self.tx
            .prepare_cached(
                "INSERT INTO claim (record_id, run_id, n, answer_start, answer_end, answer_start_byte,
                   answer_end_byte, claim_text) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                key.0,
                run,
                id.n(),
                place.map(|place| place.start),
                place.map(|place| place.end),
                start_byte,
                place.map(|place| place.end_byte),
                finding.claim_text,
            ])?;
        let claim = ClaimKey(self.tx.last_insert_rowid());
        self.tx
            .prepare_cached(
                "INSERT INTO verdict (claim_id, state, rationale, sha256) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![claim.0, NoVerdict::Added.label(), seal.rationale, seal.sha256()])?;
        self.tx
            .prepare_cached("INSERT INTO claim_search (rowid, claim_text) VALUES (?1, ?2)")?
            .execute(params![claim.0, finding.claim_text])?;
        let mut why = why(record.risk_level);
        why.extend(replaces.map(|severity| Why::Replaces { severity }));
        let rank = Rank::of(&finding.outcome, record.risk_level, &why);
        self.tx
            .prepare_cached(
                "INSERT INTO queue (claim_id, severity_rank, judged_rank, verdict_rank, doubt, place, arrived_ms, current,
                   open, why)
                 VALUES (?1, ?2, ?2, ?3, ?4, (4 - ?2) * 100000 + (6 - ?3) * 10000 + 1000 - ?4, ?5, 0, 0, ?6)",
            )?
            .execute(params![
                claim.0,
                rank.severity,
                rank.verdict,
                rank.doubt,
                self.now.millis(),
                to_json(&why)
            ])?;
        rows::claim(self.tx, claim)
    }

    /// The number of a claim of the answer with these words at this place, if one stands.
    fn same(&self, record: RecordKey, words: &str, start: Option<i64>) -> Fallible<Option<u32>> {
        Ok(self
            .tx
            .prepare_cached(
                "SELECT c.n FROM claim c JOIN work w ON w.record_id = c.record_id AND w.run_id = c.run_id
                 JOIN verdict v ON v.claim_id = c.id
                 WHERE c.record_id = ?1 AND c.claim_text = ?2 AND c.answer_start_byte IS ?3
                   AND NOT EXISTS (SELECT 1 FROM replaced p WHERE p.claim_id = c.id)
                   AND (v.state <> 'ADDED' OR EXISTS (SELECT 1 FROM made m WHERE m.claim_id = c.id))",
            )?
            .query_row(params![record.0, words, start], |row| row.get(0))
            .optional()?)
    }
}

/// Why a claim that a person made is in the queue.
pub(super) fn why(risk: Option<RiskLevel>) -> Vec<Why> {
    let outcome = Outcome::NotJudged { state: NoVerdict::Added, reason: String::new() };
    route(&outcome, risk, &Policy::default(), false, 1.0, None)
}

/// How a claim came about, in the place of a judge's reason.
fn said(act: Act, from: &[String], annotator: &str, set_aside: &[SetAside]) -> String {
    let from = from.join(", ");
    // Whoever judges it now is to know what was ruled before.
    let named = |one: &SetAside| SetAside { own: false, ..one.clone() };
    let named: Vec<SetAside> = set_aside.iter().map(named).collect();
    let before = if named.is_empty() { String::new() } else { format!(", after {}", SetAside::said(&named)) };
    match act {
        Act::Split => format!("split from {from} by {annotator}{before}: no judge has looked at it"),
        Act::Merge => format!("merged from {from} by {annotator}{before}: no judge has looked at it"),
        _ => format!("added by {annotator}: no judge has looked at it"),
    }
}

/// Records once more what an undo took back: the claim is there again, or again replaced.
pub(super) fn again(
    tx: &Transaction<'_>,
    taken: &Event,
    claim: ClaimKey,
    links: Links,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Event> {
    let shaper = Shaper { tx, basis: Basis { reason: taken.reason, ..Basis::default() }, actor, now };
    let row = match taken.act {
        Act::AddClaim => {
            let row = rows::claim(tx, claim)?;
            if !row.current {
                return refused(format!(
                    "{} was audited again since: make the claim anew",
                    row.id.audit_id()
                ));
            }
            row
        }
        _ => shaper.replaceable(claim)?,
    };
    let mut new = taken.new.clone();
    if taken.act != Act::AddClaim {
        let said = shaper.said_of(&row)?;
        let then = taken.against();
        let is_known =
            |one: &SetAside| one.seq < taken.seq && (one.own || then.contains(&one.annotator.as_str()));
        if !said.iter().all(is_known) {
            return refused(format!(
                "{}, which you did not know of: look at it and do it anew",
                SetAside::said(&said)
            ));
        }
        new = against(new, said.iter());
    }
    shaper.record(taken.act, &row, new, links)
}

/// The value of an event with the names of those whose words it sets aside, but for the person's own.
fn against<'a>(mut new: Value, set_aside: impl Iterator<Item = &'a SetAside>) -> Value {
    let others: Vec<&str> = set_aside.filter(|one| !one.own).map(|one| one.annotator.as_str()).collect();
    if let Some(fields) = new.as_object_mut() {
        fields.remove(AGAINST);
        if !others.is_empty() {
            fields.insert(AGAINST.to_owned(), Value::from(others));
        }
    }
    new
}

/// Why nothing can be decided on the claim: others stand in its place, or it was taken back.
pub(super) fn gone(connection: &Connection, row: &ClaimRow) -> Fallible<Option<String>> {
    if let Some((annotator, act, into)) = replaced_by(connection, row.key)? {
        let verb = if act == Act::Split { "split" } else { "merged" };
        return Ok(Some(format!("{} was {verb} by {annotator}: decide on {}", row.id, into.join(", "))));
    }
    let is_taken_back = row.state == crate::domain::finding::AuditState::NoVerdict(NoVerdict::Added)
        && !connection.prepare_cached("SELECT 1 FROM made WHERE claim_id = ?1")?.exists([row.key.0])?;
    Ok(is_taken_back.then(|| format!("{} was taken back by who made it", row.id)))
}

/// Who put other claims in the place of this one, how, and which.
pub(super) fn replaced_by(
    connection: &Connection,
    claim: ClaimKey,
) -> Fallible<Option<(String, Act, Vec<String>)>> {
    Ok(connection
        .prepare_cached(
            "SELECT p.annotator, e.act, e.new ->> 'into' FROM replaced p JOIN event e ON e.seq = p.seq
             WHERE p.claim_id = ?1",
        )?
        .query_row([claim.0], |row| {
            Ok((row.get(0)?, rows::parsed(row, 1)?, rows::json::<Vec<String>>(row, 2)?))
        })
        .optional()?)
}
