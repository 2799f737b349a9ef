//! Doing again what one's own last undo took back.
//!
//! The same act is recorded once more, through the same door and with the same checks as the first time; its
//! event names the undo that it answers. What was taken back stays taken back, so that an undo afterwards finds
//! an act like any other.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::decisions::Links;
use super::dispositions::{self, Disposing};
use super::projection::{self, Disposed};
use super::{Fallible, Fault, Store, StoreError, decisions, detail, events, refused, rows, shaping};
use crate::domain::decision::{Actor, Basis, Decided, Disposition, Request};
use crate::domain::event::{Act, Event};
use crate::domain::ids::{Annotator, AuditId, ClaimKey};
use crate::domain::time::Timestamp;
use crate::domain::word::{Known, Own};

/// What a redo did again.
#[derive(Debug, Clone, PartialEq)]
pub struct Redone {
    /// The event that records it.
    pub event: Event,
    /// The claim concerned; after a split or a merge the first one made. None of a whole answer's disposition.
    pub claim: Option<ClaimKey>,
    /// What the annotator's decision on the claim is now.
    pub standing: Option<Decided>,
    /// Further acts that had been taken back at once with it and were done again with it.
    pub others: u64,
    /// The claims of all of them.
    pub claims: Vec<ClaimKey>,
    /// The act that a redo would do again next.
    pub next: Option<i64>,
}

/// An undo that can be answered, and what it took back.
struct TakenBack {
    undo: i64,
    event: Event,
    claim: Option<ClaimKey>,
    /// What the undo was part of.
    batch: Option<i64>,
}

impl Store {
    /// Does again what the actor's last undo took back, over restarts; `None` when nothing was taken back that
    /// was not done again since. Again and again, it walks forward to the act that was taken back first.
    ///
    /// Refused as the act itself would be, after anything new of the actor's own, and when someone else has
    /// decided the same claim, or given the answer a disposition, since the undo.
    pub fn redo(&mut self, actor: &Actor, now: Timestamp) -> Result<Option<Redone>, StoreError> {
        self.do_again(None, actor, now)
    }

    /// The same, only where that does the act of `event` again, which the person was shown.
    pub fn redo_of(&mut self, event: i64, actor: &Actor, now: Timestamp) -> Result<Redone, StoreError> {
        self.write_full(|tx| {
            let batch: Option<i64> = tx
                .prepare_cached("SELECT batch FROM event WHERE seq = ?1")?
                .query_row([event], |row| row.get(0))
                .optional()?
                .flatten();
            match taken_back(tx, &actor.annotator)? {
                Some(taken)
                    if taken.event.seq == event || (batch.is_some() && taken.event.batch == batch) =>
                {
                    do_all_again(tx, &taken, actor, now)
                }
                Some(taken) => refused(format!(
                    "{} took back {} on {} since",
                    actor.annotator, taken.event.act, taken.event.subject
                )),
                None => refused("nothing to redo: it was done again already"),
            }
        })
    }

    /// The act that [`Store::redo`] would do again; nothing is changed.
    pub fn to_redo(&self, annotator: &Annotator) -> Result<Option<Event>, StoreError> {
        self.read(|conn| Ok(taken_back(conn, annotator)?.map(|taken| taken.event)))
    }

    /// The same as [`Store::redo`]; with a `subject`, a claim's id or an answer's, only when it concerns that.
    pub fn do_again(
        &mut self,
        subject: Option<&str>,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Option<Redone>, StoreError> {
        self.write_full(|tx| {
            let Some(taken) = taken_back(tx, &actor.annotator)? else { return Ok(None) };
            if let Some(subject) = subject
                && taken.event.subject != subject
            {
                return refused(format!(
                    "{} took back {} on {} last: do that again first",
                    actor.annotator, taken.event.act, taken.event.subject
                ));
            }
            do_all_again(tx, &taken, actor, now).map(Some)
        })
    }
}

/// The act, and what was taken back at once with it.
fn do_all_again(tx: &Transaction<'_>, taken: &TakenBack, actor: &Actor, now: Timestamp) -> Fallible<Redone> {
    let own = taken.batch.map(|_| events::head(tx).map(|(last, _)| last + 1)).transpose()?;
    let mut redone = do_again(tx, taken, own, actor, now)?;
    let mut made = false;
    if let Some(batch) = taken.batch {
        // What came before the batch is asked about only while something of the batch is left.
        while is_left(tx, batch)?
            && let Some(next) = taken_back(tx, &actor.annotator)?
            && next.batch == Some(batch)
        {
            let next = do_again(tx, &next, own, actor, now)?;
            redone.others += 1;
            redone.claims.extend(next.claim);
            // What was made stands in the place of what was split or merged.
            if next.event.act == Act::AddClaim && !made {
                (redone.claim, made) = (next.claim, true);
            }
        }
    }
    redone.next = match taken_back(tx, &actor.annotator) {
        Ok(next) => next.map(|next| next.event.seq),
        Err(Fault::Store(StoreError::Refused(_))) => None,
        Err(fault) => return Err(fault),
    };
    Ok(redone)
}

/// Whether an undo of the batch was not answered yet.
fn is_left(conn: &Connection, batch: i64) -> Fallible<bool> {
    Ok(conn
        .prepare_cached(
            "SELECT 1 FROM event e WHERE batch = ?1 AND act = 'UNDO'
               AND NOT EXISTS (SELECT 1 FROM event r WHERE r.undoes = e.seq)",
        )?
        .exists([batch])?)
}

/// The annotator's latest undo that was not answered, where nothing new came after it.
fn taken_back(conn: &Connection, annotator: &Annotator) -> Fallible<Option<TakenBack>> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, act = 'UNDO', undoes, act, subject FROM event
         WHERE annotator = ?1 AND act <> 'ERASE' ORDER BY seq DESC",
    )?;
    let mut later = statement.query([annotator.as_str()])?;
    // Undos that were answered already.
    let mut answered = 0_u64;
    while let Some(row) = later.next()? {
        let undoes: Option<i64> = row.get(2)?;
        match (row.get(1)?, undoes) {
            (true, Some(undone)) if answered == 0 => return read(conn, row.get(0)?, undone).map(Some),
            (true, _) => answered = answered.saturating_sub(1),
            (false, Some(_)) => answered += 1,
            (false, None) => {
                let (act, subject): (String, String) = (row.get(3)?, row.get(4)?);
                return nothing(conn, annotator, &act, &subject, row.get(0)?);
            }
        }
    }
    Ok(None)
}

/// After something new nothing can be done again; that is said where an undo stands before it.
fn nothing(
    conn: &Connection,
    annotator: &Annotator,
    act: &str,
    subject: &str,
    seq: i64,
) -> Fallible<Option<TakenBack>> {
    let has_undo = conn
        .prepare_cached(
            "SELECT 1 FROM event e WHERE annotator = ?1 AND act = 'UNDO'
               AND NOT EXISTS (SELECT 1 FROM event r WHERE r.undoes = e.seq)",
        )?
        .exists([annotator.as_str()])?;
    if has_undo {
        return refused(format!(
            "nothing to redo: {annotator} did {act} on {subject} since the last undo (event {seq})"
        ));
    }
    Ok(None)
}

fn read(conn: &Connection, undo: i64, undone: i64) -> Fallible<TakenBack> {
    let batch =
        conn.prepare_cached("SELECT batch FROM event WHERE seq = ?1")?.query_row([undo], |row| row.get(0))?;
    let (event, claim) = conn
        .prepare_cached(&format!("SELECT {} FROM event WHERE seq = ?1", events::COLUMNS))?
        .query_row([undone], |row| Ok((events::event(row)?, row.get::<_, Option<i64>>(16)?.map(ClaimKey))))?;
    Ok(TakenBack { undo, event, claim, batch })
}

fn do_again(
    tx: &Transaction<'_>,
    taken: &TakenBack,
    batch: Option<i64>,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Redone> {
    let known = known_then(tx, taken)?;
    let basis = Basis {
        // An act that is a reason itself brings it along.
        reason: taken.event.reason.filter(|_| taken.event.act != Act::GiveReason),
        // What was done without a look at the judge is done so again.
        seen: Some(&taken.event.seen).filter(|seen| seen.verdict_sha256.is_none() && taken.claim.is_some()),
        // Whoever ruled since is found below.
        against: Known::Events(&known),
        own: Own::Unsaid,
    };
    let links = Links { answers: Some(taken.undo), batch };
    let Some(claim) = taken.claim else {
        let audit_id = AuditId::new(taken.event.subject.as_str());
        refuse_after_disposition(tx, &audit_id, taken.undo, actor)?;
        let disposed: Disposed = serde_json::from_value(taken.event.new.clone()).map_err(|error| {
            StoreError::Refused(format!("event {} names no disposition: {error}", taken.event.seq))
        })?;
        let record = rows::record_key(tx, &audit_id)?;
        // Over what it was released then, and over nothing that was ruled since.
        let over = disposed.over.iter().filter_map(|id| id.parse().ok()).collect();
        let note = taken.event.payload_sha256.is_some().then(|| note(tx, &taken.event)).transpose()?;
        // What stands now in nobody's way was looked at above.
        let run = dispositions::audited(tx, record)?.1;
        let replaces = projection::disposition(tx, run)?.map(Into::into);
        let unlooked = disposed.unlooked;
        let asked = Disposing { disposition: disposed.disposition, over, note, replaces, unlooked };
        let event = dispositions::disposed(tx, record, &asked, basis, links, actor, now)?;
        if event.new.get("run") != taken.event.new.get("run") {
            return refused(format!("{audit_id} was audited again since: give that audit its disposition"));
        }
        return Ok(Redone { event, claim: None, standing: None, others: 0, claims: Vec::new(), next: None });
    };
    if matches!(taken.event.act, Act::AddClaim | Act::Split | Act::Merge) {
        let event = shaping::again(tx, &taken.event, claim, links, actor, now)?;
        return Ok(Redone {
            event,
            claim: Some(claim),
            standing: None,
            others: 0,
            claims: vec![claim],
            next: None,
        });
    }
    refuse_after_decision(tx, claim, taken, actor)?;
    let request = request(tx, &taken.event)?;
    let event = decisions::decided(tx, claim, &request, basis, links, actor, now)?;
    if event.act != taken.event.act {
        return refused(format!(
            "{} of {} is not what stands now: do it anew",
            taken.event.act, event.subject
        ));
    }
    let standing = projection::standing(tx, claim, actor.annotator.as_str())?.decided;
    Ok(Redone { event, claim: Some(claim), standing, others: 0, claims: vec![claim], next: None })
}

/// Of the rulings against which the act was knowingly done, those that stand yet.
fn known_then(tx: &Transaction<'_>, taken: &TakenBack) -> Fallible<Vec<i64>> {
    let Some(claim) = taken.claim else { return Ok(Vec::new()) };
    let against = taken.event.against();
    let decisions = detail::decisions(tx, claim)?;
    let was_there = |seq| seq < taken.event.seq;
    let known = decisions.iter().filter(|(who, one)| was_there(one.seq) && against.contains(&who.as_str()));
    Ok(known.map(|(_, decided)| decided.seq).collect())
}

/// What was asked for when `event` was recorded.
fn request(tx: &Transaction<'_>, event: &Event) -> Fallible<Request> {
    let lost = |what: &str| refused(format!("{what} of event {} is not there any more", event.seq));
    Ok(match event.act {
        Act::Confirm => Request::Confirm,
        Act::Override => match event.ruling() {
            Some(ruling) => Request::Override(ruling),
            None => return lost("the ruling"),
        },
        Act::Blind => match event.ruling() {
            // As many as were wanted then.
            Some(ruling) => Request::Blind { ruling, overlap: event.overlap().unwrap_or(1) },
            None => return lost("the ruling"),
        },
        Act::Annotate => Request::Annotate { note: note(tx, event)? },
        Act::GiveReason => match event.reason {
            Some(reason) => Request::GiveReason(reason),
            None => return lost("the reason"),
        },
        Act::Skip => Request::Skip(true),
        Act::Unskip => Request::Skip(false),
        Act::Flag if event.payload_sha256.is_some() => {
            let to = event.new.get("to").and_then(|to| to.as_str()).map(str::to_owned);
            Request::Escalate { note: note(tx, event)?, to }
        }
        Act::Flag => Request::Flag(true),
        Act::Unflag => Request::Flag(false),
        Act::Defer => match event.until() {
            Some(until) => Request::Defer { until },
            None => return lost("the time"),
        },
        Act::Resume => Request::Resume,
        Act::AddClaim | Act::Split | Act::Merge | Act::Dispose | Act::Erase | Act::Undo => {
            return lost("the claim");
        }
    })
}

/// The note that came with `event`; refused when it was erased since.
fn note(tx: &Transaction<'_>, event: &Event) -> Fallible<String> {
    let note = tx
        .prepare_cached("SELECT text FROM event_payload WHERE seq = ?1")?
        .query_row([event.seq], |row| rows::text(row, 0))
        .optional()?;
    match note {
        Some(note) => Ok(note),
        None => refused(format!("the note of event {} is not there any more", event.seq)),
    }
}

/// Refuses when someone else has decided the claim since the undo.
fn refuse_after_decision(
    tx: &Transaction<'_>,
    claim: ClaimKey,
    taken: &TakenBack,
    actor: &Actor,
) -> Fallible<()> {
    if !matches!(taken.event.act, Act::Confirm | Act::Override | Act::GiveReason) {
        return Ok(());
    }
    let later: Option<(String, String)> = tx
        .prepare_cached(
            "SELECT annotator, decided_at FROM decision
             WHERE claim_id = ?1 AND annotator <> ?2 AND seq > ?3
               AND NOT EXISTS (SELECT 1 FROM opinion o WHERE o.annotator = decision.annotator AND o.claim_id = ?1)
             ORDER BY seq LIMIT 1",
        )?
        .query_row(params![claim.0, actor.annotator.as_str(), taken.undo], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    match later {
        Some((who, when)) => refused(format!(
            "{who} decided {} on {when}, after you took your decision back: look at it and decide anew",
            taken.event.subject
        )),
        None => Ok(()),
    }
}

/// Refuses when someone else has given the answer a disposition since the undo. A RETURN stands in nobody's way.
fn refuse_after_disposition(
    tx: &Transaction<'_>,
    audit_id: &AuditId,
    undo: i64,
    actor: &Actor,
) -> Fallible<()> {
    for (event, disposed) in projection::standing_dispositions(tx, audit_id)? {
        if event.seq > undo
            && event.annotator != actor.annotator.as_str()
            && disposed.disposition != Disposition::Return
        {
            return refused(format!(
                "{} gave {audit_id} {} on {}, after you took yours back: look at it and give it anew",
                event.annotator, disposed.disposition, event.at
            ));
        }
    }
    Ok(())
}
