//! Taking back one's own acts, the latest first, as new events.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde_json::{Value, json};

use super::events::{self, Draft};
use super::projection::{self, Disposed};
use super::{Fallible, Fault, Store, StoreError, decisions, refused, rows, seen, shaping};
use crate::domain::decision::{Actor, Decided, Disposition, ReasonCode, Standing};
use crate::domain::event::{Act, Event};
use crate::domain::ids::{Annotator, AuditId, ClaimKey};
use crate::domain::time::Timestamp;

/// Of so many of a person's latest acts it is looked up whether they can be taken back.
const LOOK_BACK: usize = 100;

/// What an undo took back.
#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    /// The event that no longer stands (not the event that records the undo).
    pub event: Event,
    /// The claim concerned, unless it was a whole answer's disposition.
    pub claim: Option<ClaimKey>,
    /// What the annotator's decision on the claim is now.
    pub standing: Option<Decided>,
    /// What stands of the answer now, where a disposition was taken back: anybody's.
    pub disposition: Option<(Annotator, Disposition, Timestamp)>,
    /// Further acts that were asked for at once with it and were taken back with it.
    pub others: u64,
    /// The claims of all of them.
    pub claims: Vec<ClaimKey>,
    /// Why some of these could not be taken back: they still stand.
    pub kept: Vec<String>,
}

impl Store {
    /// Takes back the actor's own latest act that still stands, over restarts; `None` when there is
    /// none. Again and again, it walks back through the person's acts. What was asked for at once is taken
    /// back at once; what of it cannot be taken back any more still stands, and is named.
    ///
    /// Refused when someone else has built on that act since: decided the same claim, or given the
    /// answer a disposition. A RETURN asks for changes and stands in nobody's way.
    pub fn undo(&mut self, actor: &Actor, now: Timestamp) -> Result<Option<Undone>, StoreError> {
        self.take_back(None, None, actor, now)
    }

    /// The latest act that can be taken back, for [`Store::undo_of`]: what someone else has built on since is passed
    /// over. Nothing is changed.
    ///
    /// Refused, with the reason of the latest, when acts stand and none of the last ones can be taken back.
    pub fn to_undo(&self, annotator: &Annotator) -> Result<Option<Event>, StoreError> {
        self.read(|conn| next(conn, annotator))
    }

    /// How many further acts that were asked for at once with it would be taken back with `event`. Nothing is changed.
    pub fn taken_back_with(&self, event: &Event) -> Result<u64, StoreError> {
        let Some(batch) = event.batch else { return Ok(0) };
        self.read(|conn| {
            let mut others = 0;
            for (part, claim) in of_batch(conn, batch, &Annotator::new(event.annotator.as_str()))? {
                match refuse_if_built_on(conn, &part, claim) {
                    Ok(()) => others += u64::from(part.seq != event.seq),
                    // It still stands afterwards.
                    Err(Fault::Store(StoreError::Refused(_))) => {}
                    Err(fault) => return Err(fault),
                }
            }
            Ok(others)
        })
    }

    /// Takes back the act of `event`, which the person was shown, with all that was asked for at once with it.
    ///
    /// Refused as in [`Store::undo`], and when the person has done something since that can be taken back: then
    /// that would have to be shown first.
    pub fn undo_of(&mut self, event: i64, actor: &Actor, now: Timestamp) -> Result<Undone, StoreError> {
        self.write_full(|tx| {
            let Some((wanted, claim)) = standing(tx, event, &actor.annotator)? else {
                return refused("what was shown does not stand any more");
            };
            let is_it =
                |next: &Event| next.seq == wanted.seq || (next.batch.is_some() && next.batch == wanted.batch);
            match next(tx, &actor.annotator) {
                Ok(Some(next)) if next.seq > wanted.seq && !is_it(&next) => refused(format!(
                    "{} did {} on {} since (event {})",
                    actor.annotator, next.act, next.subject, next.seq
                )),
                // Why nothing can be taken back is told of the one that was meant.
                Ok(_) | Err(Fault::Store(StoreError::Refused(_))) => {
                    take_back_all(tx, wanted, claim, None, actor, now)
                }
                Err(fault) => Err(fault),
            }
        })
    }

    /// Takes back the latest act as [`Store::undo`] does, and records why; with a `subject`, a claim's id
    /// or an answer's, the latest act on that, whatever was done elsewhere since.
    ///
    /// Refused also when the actor has no standing act on the subject, or a later one that rests on it: on a claim
    /// that was decided or made at once with it, or the disposition of the answer.
    pub fn take_back(
        &mut self,
        subject: Option<&str>,
        reason: Option<ReasonCode>,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Option<Undone>, StoreError> {
        self.write_full(|tx| {
            let Some(subject) = subject else {
                let Some((event, claim)) = latest(tx, None, &actor.annotator)? else { return Ok(None) };
                let seq = event.seq;
                return take_back_all(tx, event, claim, reason, actor, now)
                    .map(Some)
                    .map_err(|fault| with_way_out(tx, seq, actor, fault));
            };
            let Some((event, claim)) = latest(tx, Some(subject), &actor.annotator)? else {
                return refused(format!(
                    "nothing to undo: no act of `{}` on {subject} stands",
                    actor.annotator
                ));
            };
            refuse_resting(tx, &event, actor)?;
            take_back_all(tx, event, claim, reason, actor, now).map(Some)
        })
    }
}

/// The act, and what was asked for at once with it.
fn take_back_all(
    tx: &Transaction<'_>,
    event: Event,
    claim: Option<ClaimKey>,
    reason: Option<ReasonCode>,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Undone> {
    match event.batch {
        Some(batch) => take_back_batch(tx, batch, reason, actor, now),
        None => take_back(tx, event, claim, reason, None, actor, now),
    }
}

/// Where the latest act cannot be taken back, what can be before it is named.
fn with_way_out(tx: &Transaction<'_>, seq: i64, actor: &Actor, fault: Fault) -> Fault {
    let Fault::Store(StoreError::Refused(why)) = fault else { return fault };
    Fault::Store(StoreError::Refused(match next(tx, &actor.annotator) {
        Ok(Some(next)) if next.seq < seq => {
            format!("{why}; before it you did {} on {}: name that to take it back", next.act, next.subject)
        }
        _ => why,
    }))
}

/// The annotator's latest act that nobody took back and that can be taken back.
fn next(connection: &Connection, annotator: &Annotator) -> Fallible<Option<Event>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {} FROM event WHERE annotator = ?1 AND act NOT IN ('UNDO', 'ERASE')
           AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = event.seq)
         ORDER BY seq DESC LIMIT {LOOK_BACK}",
        events::COLUMNS
    ))?;
    let mut found = statement.query([annotator.as_str()])?;
    let mut first = None;
    while let Some(row) = found.next()? {
        let (event, claim) = with_claim(row)?;
        match refuse_unit(connection, &event, claim) {
            Ok(()) => return Ok(Some(event)),
            Err(Fault::Store(StoreError::Refused(why))) => first = first.or(Some(why)),
            Err(fault) => return Err(fault),
        }
    }
    match first {
        Some(why) => refused(why),
        None => Ok(None),
    }
}

/// Refuses what someone else has built on: of a split or a merge, on any part of it.
fn refuse_unit(connection: &Connection, event: &Event, claim: Option<ClaimKey>) -> Fallible<()> {
    refuse_if_built_on(connection, event, claim)?;
    let Some(batch) = event.batch.filter(|_| is_shape(event.act)) else { return Ok(()) };
    for (part, claim) in of_batch(connection, batch, &Annotator::new(event.annotator.as_str()))? {
        refuse_if_built_on(connection, &part, claim)?;
    }
    Ok(())
}

/// What of the batch stands, the latest first.
fn of_batch(
    connection: &Connection,
    batch: i64,
    annotator: &Annotator,
) -> Fallible<Vec<(Event, Option<ClaimKey>)>> {
    Ok(connection
        .prepare_cached(&format!(
            "SELECT {} FROM event WHERE batch = ?1 AND annotator = ?2 AND act NOT IN ('UNDO', 'ERASE')
               AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = event.seq)
             ORDER BY seq DESC",
            events::COLUMNS
        ))?
        .query_map(params![batch, annotator.as_str()], with_claim)?
        .collect::<rusqlite::Result<_>>()?)
}

/// Refuses when something of the actor's own rests on the act, which would have to be taken back first.
fn refuse_resting(tx: &Transaction<'_>, event: &Event, actor: &Actor) -> Fallible<()> {
    let unit = match event.batch {
        Some(batch) => of_batch(tx, batch, &actor.annotator)?.into_iter().map(|(event, _)| event).collect(),
        None => vec![event.clone()],
    };
    let mut later = tx.prepare_cached(
        "SELECT seq, act, subject FROM event WHERE annotator = ?1 AND act NOT IN ('UNDO', 'ERASE') AND seq > ?2
           AND (subject = ?3 OR (claim_id IS NULL AND subject = ?4)) AND (batch IS NULL OR batch IS NOT ?5)
           AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = event.seq)
         ORDER BY seq DESC LIMIT 1",
    )?;
    for part in &unit {
        let answer = part.subject.rsplit_once('#').map(|(answer, _)| answer).filter(|_| decides(part.act));
        let which = params![actor.annotator.as_str(), part.seq, part.subject, answer, event.batch];
        let resting: Option<(i64, String, String)> =
            later.query_row(which, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
        if let Some((seq, act, subject)) = resting {
            return refused(format!(
                "{} did {act} on {subject} later (event {seq}), which rests on it: undo that first",
                actor.annotator
            ));
        }
    }
    Ok(())
}

fn take_back(
    tx: &Transaction<'_>,
    event: Event,
    claim: Option<ClaimKey>,
    reason: Option<ReasonCode>,
    batch: Option<i64>,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Undone> {
    refuse_if_built_on(tx, &event, claim)?;
    match claim {
        Some(claim) => take_back_on_claim(tx, event, claim, reason, batch, actor, now),
        None => take_back_disposition(tx, event, reason, batch, actor, now),
    }
}

/// Takes back all acts of a batch that stand, the latest first.
fn take_back_batch(
    tx: &Transaction<'_>,
    batch: i64,
    reason: Option<ReasonCode>,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Undone> {
    let standing = of_batch(tx, batch, &actor.annotator)?;
    let own = Some(events::head(tx)?.0 + 1);
    let (mut first, mut taken, mut kept, mut claims) = (None, 0, Vec::new(), Vec::new());
    for (event, claim) in standing {
        match take_back(tx, event, claim, reason, own, actor, now) {
            Ok(undone) => {
                taken += 1;
                claims.extend(claim);
                first = Some(undone);
            }
            Err(Fault::Store(StoreError::Refused(why))) => kept.push(why),
            Err(fault) => return Err(fault),
        }
    }
    // Half of a split is nothing that anybody asked for.
    if let Some(why) = kept.first().filter(|_| first.as_ref().is_none_or(|undone| is_shape(undone.event.act)))
    {
        return refused(why.clone());
    }
    match first {
        Some(undone) => Ok(Undone { others: taken - 1, kept, claims, ..undone }),
        None => refused(kept.into_iter().next().unwrap_or_default()),
    }
}

const fn is_shape(act: Act) -> bool {
    matches!(act, Act::AddClaim | Act::Split | Act::Merge)
}

/// Whether a disposition of the answer rests on it.
const fn decides(act: Act) -> bool {
    is_shape(act) || matches!(act, Act::Confirm | Act::Override | Act::GiveReason)
}

fn with_claim(row: &Row<'_>) -> rusqlite::Result<(Event, Option<ClaimKey>)> {
    Ok((events::event(row)?, row.get::<_, Option<i64>>(16)?.map(ClaimKey)))
}

/// The annotator's latest act that nobody took back; with a `subject`, on that.
fn latest(
    conn: &Connection,
    subject: Option<&str>,
    annotator: &Annotator,
) -> Fallible<Option<(Event, Option<ClaimKey>)>> {
    Ok(conn
        .prepare_cached(&format!(
            "SELECT {} FROM event WHERE annotator = ?1 AND (?2 IS NULL OR subject = ?2) AND act NOT IN ('UNDO', 'ERASE')
               AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = event.seq)
             ORDER BY seq DESC LIMIT 1",
            events::COLUMNS
        ))?
        .query_row(params![annotator.as_str(), subject], with_claim)
        .optional()?)
}

/// The act of event `seq`, where it is the annotator's and nobody took it back.
fn standing(
    conn: &Connection,
    seq: i64,
    annotator: &Annotator,
) -> Fallible<Option<(Event, Option<ClaimKey>)>> {
    Ok(conn
        .prepare_cached(&format!(
            "SELECT {} FROM event WHERE annotator = ?1 AND seq = ?2 AND act NOT IN ('UNDO', 'ERASE')
               AND NOT EXISTS (SELECT 1 FROM event u WHERE u.undoes = event.seq)",
            events::COLUMNS
        ))?
        .query_row(params![annotator.as_str(), seq], with_claim)
        .optional()?)
}

fn refuse_if_built_on(tx: &Connection, event: &Event, claim: Option<ClaimKey>) -> Fallible<()> {
    let shapes = is_shape(event.act);
    if let Some(claim) = claim.filter(|_| decides(event.act)) {
        let row = rows::claim(tx, claim)?;
        if let Some(disposed) = projection::disposition(tx, row.run)?
            && disposed.seq > event.seq
            && disposed.disposition != Disposition::Return
            && disposed.annotator.as_str() != event.annotator
        {
            return refused(format!(
                "{} gave {} {} on {}, resting on your decision on {}: it can no longer be taken back",
                disposed.annotator,
                row.id.audit_id(),
                disposed.disposition,
                disposed.at,
                row.id,
            ));
        }
        if shapes
            && let Some((who, ..)) =
                shaping::replaced_by(tx, claim)?.filter(|(who, ..)| *who != event.annotator)
        {
            return refused(format!(
                "{who} put other claims in place of {}: it can no longer be taken back",
                row.id
            ));
        }
        let later: Option<(String, String)> = tx
            .prepare_cached(
                "SELECT annotator, decided_at FROM decision
                 WHERE claim_id = ?1 AND annotator <> ?2 AND seq > ?3
                   AND NOT EXISTS (SELECT 1 FROM opinion o WHERE o.annotator = decision.annotator AND o.claim_id = ?1)
                 ORDER BY seq LIMIT 1",
            )?
            .query_row(params![claim.0, event.annotator, event.seq], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        if let Some((who, when)) = later {
            return refused(format!(
                "{who} decided {} after you, on {when}: your decision can no longer be taken back, only made anew",
                row.id
            ));
        }
    }
    if claim.is_none() {
        let audit_id = AuditId::new(event.subject.as_str());
        for (later, disposed) in projection::standing_dispositions(tx, &audit_id)? {
            if later.seq > event.seq
                && disposed.disposition != Disposition::Return
                && later.annotator != event.annotator
            {
                return refused(format!(
                    "{} gave {audit_id} {} after you, on {}: your disposition can no longer be taken back",
                    later.annotator, disposed.disposition, later.at
                ));
            }
        }
    }
    Ok(())
}

fn take_back_on_claim(
    tx: &Transaction<'_>,
    event: Event,
    claim: ClaimKey,
    reason: Option<ReasonCode>,
    batch: Option<i64>,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Undone> {
    let row = rows::claim(tx, claim)?;
    let mut events = events::on_claim(tx, claim, actor.annotator.as_str())?;
    let before = Standing::project(&events);
    events.retain(|other| other.seq != event.seq);
    let after = Standing::project(&events);
    let draft = Draft {
        act: Act::Undo,
        subject: row.id.to_string(),
        claim: Some(claim),
        old: stood(&event, &before),
        new: stood(&event, &after),
        reason,
        undoes: Some(event.seq),
        seen: seen::again(seen::of(tx, row.record, Some(claim))?, &event),
        batch,
        payload: None,
    };
    events::append(tx, draft, actor, now)?;
    let standing = projection::write_standing(tx, claim, actor.annotator.as_str())?.decided;
    let claims = vec![claim];
    Ok(Undone { event, claim: Some(claim), standing, disposition: None, others: 0, claims, kept: Vec::new() })
}

/// What stood, in the terms of the act that is taken back.
fn stood(event: &Event, standing: &Standing) -> Value {
    match event.act {
        Act::Confirm | Act::Override => {
            standing.decided.as_ref().map_or(Value::Null, |decided| decisions::value(&decided.ruling))
        }
        Act::Blind => standing.blind.as_ref().map_or(Value::Null, |blind| decisions::value(&blind.ruling)),
        Act::GiveReason => json!({ "reason": standing.decided.as_ref().and_then(|decided| decided.reason) }),
        Act::Skip | Act::Unskip => json!({ "skipped": standing.skipped }),
        Act::Flag | Act::Unflag => decisions::flag_value(standing.flag.as_ref()),
        Act::Defer | Act::Resume => decisions::deferral_value(standing.deferred),
        Act::AddClaim => json!({ "made": standing.made }),
        Act::Split | Act::Merge => json!({ "replaced": standing.replaced }),
        Act::Annotate | Act::Dispose | Act::Erase | Act::Undo => Value::Null,
    }
}

fn take_back_disposition(
    tx: &Transaction<'_>,
    event: Event,
    reason: Option<ReasonCode>,
    batch: Option<i64>,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Undone> {
    let audit_id = AuditId::new(event.subject.as_str());
    let record = rows::record_key(tx, &audit_id)?;
    // Not only the actor's own: somebody's RETURN may stand before and after.
    let mut standing = projection::standing_dispositions(tx, &audit_id)?;
    standing.retain(|(_, disposed)| event.new.get("run") == Some(&Value::from(disposed.run)));
    let before = standing.last().map_or(Value::Null, given);
    standing.retain(|(other, _)| other.seq != event.seq);
    let after = standing.last();
    let draft = Draft {
        act: Act::Undo,
        subject: event.subject.clone(),
        claim: None,
        old: before,
        new: after.map_or(Value::Null, given),
        reason,
        undoes: Some(event.seq),
        seen: seen::of(tx, record, None)?,
        batch,
        payload: None,
    };
    events::append(tx, draft, actor, now)?;
    projection::write_dispositions(tx, &audit_id)?;
    let disposition =
        after.map(|(event, given)| (Annotator::new(event.annotator.as_str()), given.disposition, event.at));
    let (claims, kept) = (Vec::new(), Vec::new());
    Ok(Undone { event, claim: None, standing: None, disposition, others: 0, claims, kept })
}

/// A disposition that stands, as events say what stood.
fn given((event, disposed): &(Event, Disposed)) -> Value {
    json!({ "disposition": disposed.disposition, "run": disposed.run, "annotator": event.annotator })
}
