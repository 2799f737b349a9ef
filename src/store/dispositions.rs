//! What becomes of a whole answer: refused with a reason or recorded as an event.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Transaction};
use serde_json::{Value, json};

use super::decisions::{self, Batched, Links};
use super::events::{self, Draft};
use super::projection::{self, Disposed, IS_CURRENT, StandingDisposition};
use super::word::DISPUTED;
use super::{Fallible, Fault, Store, StoreError, refused, rows, seen};
use crate::domain::decision::{Actor, Basis, Disposition, HumanVerdict, ReasonCode};
use crate::domain::event::{Act, Event};
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, RecordKey};
use crate::domain::queue::Given;
use crate::domain::time::Timestamp;

/// What is asked for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disposing {
    pub disposition: Disposition,
    /// The claims over which it is released: people ruled against them, and the person who asks knows.
    pub over: Vec<ClaimId>,
    /// Why, in the person's own words: for whoever is to correct it. Not empty, at most
    /// [`MAX_NOTE`](crate::domain::decision::MAX_NOTE) bytes.
    pub note: Option<String>,
    /// The disposition that the person saw stand, and whose place this one is to take.
    pub replaces: Option<Given>,
    /// It is released although nobody decided on any claim of it, and the person who asks knows.
    pub unlooked: bool,
}

impl From<Disposition> for Disposing {
    fn from(disposition: Disposition) -> Self {
        Self { disposition, over: Vec::new(), note: None, replaces: None, unlooked: false }
    }
}

impl Store {
    /// Answers that do not go out: people blocked or returned them as they were audited last.
    pub fn kept_back(&self) -> Result<HashSet<AuditId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT r.audit_id FROM disposition d JOIN work w ON w.run_id = d.run_id
                 JOIN record r ON r.id = w.record_id WHERE d.disposition <> 'RELEASE'",
            )?;
            let found = statement.query_map([], |row| row.get::<_, String>(0))?;
            Ok(found.map(|id| id.map(AuditId::new)).collect::<Result<_, _>>()?)
        })
    }

    /// Gives the whole answer a disposition; refused while routed claims of it are open, but for a BLOCK, and when
    /// the same person has given the same already, or saw another answer or evidence than the one
    /// stored (`basis.seen`). A BLOCK waits for nobody: what is dangerous is stopped first, and what was open then can
    /// still be decided. Another disposition replaces the former one, which `asked.replaces` has to name:
    /// nobody's word is overruled by somebody who has not seen it.
    ///
    /// Over another person's disposition a different one has to say why, in a note or by `basis.reason`.
    ///
    /// A RELEASE is refused while people's rulings stand against a claim that
    /// `asked.over` does not name: whoever releases knows what they release, also what was ruled a moment ago. Over such
    /// claims it has to say why, as over a person's disposition. Where nobody decided on any claim of the answer,
    /// `asked.unlooked` has to say that this is known.
    ///
    /// What the person had begun to write about the answer is finished with it.
    pub fn dispose(
        &mut self,
        record: RecordKey,
        asked: impl Into<Disposing>,
        basis: Basis<'_>,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Event, StoreError> {
        let asked = asked.into();
        self.write_full(|tx| disposed(tx, record, &asked, basis, Links::default(), actor, now))
    }

    /// Gives each of many answers the same disposition, in one transaction: all that is possible, and why the rest is
    /// not. One undo takes all of it back, and one redo does it again.
    ///
    /// An answer that has another disposition already, anybody's, keeps it: nobody has looked at it to say so. One that
    /// has the same is left as it is.
    pub fn dispose_many(
        &mut self,
        records: &[RecordKey],
        asked: &Disposing,
        reason: Option<ReasonCode>,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Batched, StoreError> {
        self.write_full(|tx| {
            let batch = Some(events::head(tx)?.0 + 1);
            let mut done = Batched::default();
            for record in records {
                let links = Links { answers: None, batch };
                let (audit_id, run) = match audited(tx, *record) {
                    Ok(found) => found,
                    Err(Fault::Store(why @ StoreError::Refused(_))) => {
                        let id = tx
                            .prepare_cached("SELECT audit_id FROM record WHERE id = ?1")?
                            .query_row([record.0], |row| row.get::<_, String>(0))
                            .optional()?;
                        done.refused.push((id.unwrap_or_default(), why.to_string()));
                        continue;
                    }
                    Err(fault) => return Err(fault),
                };
                if projection::disposition(tx, run)?
                    .is_some_and(|stands| stands.disposition == asked.disposition)
                {
                    done.unchanged += 1;
                    continue;
                }
                let basis = Basis { reason, ..Basis::default() };
                match disposed(tx, *record, asked, basis, links, actor, now) {
                    Ok(event) => done.events.push(event),
                    Err(Fault::Store(why @ StoreError::Refused(_))) => {
                        done.refused.push((audit_id.to_string(), why.to_string()));
                    }
                    Err(fault) => return Err(fault),
                }
            }
            Ok(done)
        })
    }

    /// The answers of these claims, each once, in order.
    pub fn answers_of(&self, claims: &[ClaimKey]) -> Result<Vec<RecordKey>, StoreError> {
        self.read(|conn| {
            let mut answers = Vec::new();
            for claim in claims {
                let record = conn
                    .prepare_cached("SELECT record_id FROM claim WHERE id = ?1")?
                    .query_row([claim.0], |row| row.get(0).map(RecordKey))
                    .optional()?;
                answers.extend(record.filter(|record| !answers.contains(record)));
            }
            Ok(answers)
        })
    }

    /// The disposition of the answer that stands, if any.
    pub fn disposition(&self, record: RecordKey) -> Result<Option<Given>, StoreError> {
        self.read(|conn| {
            let (_, run) = audited(conn, record)?;
            Ok(projection::disposition(conn, run)?.map(Into::into))
        })
    }

    /// Whether an undo took back what this event recorded.
    pub fn is_taken_back(&self, event: i64) -> Result<bool, StoreError> {
        self.read(|conn| {
            Ok(conn
                .prepare_cached("SELECT 1 FROM event WHERE undoes = ?1 AND act = 'UNDO'")?
                .exists([event])?)
        })
    }

    /// The claims of the answer against which people's rulings stand, in order: each a RELEASE is to name.
    pub fn opposed(&self, record: RecordKey) -> Result<Vec<ClaimId>, StoreError> {
        self.read(|conn| {
            let (audit_id, run) = audited(conn, record)?;
            Ok(opposed(conn, &audit_id, record, run)?.into_iter().map(|(id, _)| id).collect())
        })
    }
}

/// Records the disposition and what follows from it.
pub(super) fn disposed(
    tx: &Transaction<'_>,
    record: RecordKey,
    asked: &Disposing,
    basis: Basis<'_>,
    links: Links,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Event> {
    let disposition = asked.disposition;
    if let Some(note) = &asked.note {
        decisions::refuse_note(note)?;
    }
    let (audit_id, run) = audited(tx, record)?;
    let open: i64 = tx
        .prepare_cached(
            "SELECT count(*) FROM claim c JOIN queue q ON q.claim_id = c.id
                     WHERE c.record_id = ?1 AND q.open <> 0",
        )?
        .query_row([record.0], |row| row.get(0))?;
    if open > 0 && disposition != Disposition::Block {
        let claims = if open == 1 { "1 claim" } else { &format!("{open} claims") };
        return refused(format!(
            "{claims} of {audit_id} still open: decide them first; only a BLOCK waits for nothing"
        ));
    }
    let former = projection::disposition(tx, run)?;
    if let Some(former) = &former
        && former.disposition == disposition
        && former.annotator == actor.annotator
    {
        return refused(format!("{audit_id} has your {disposition} already"));
    }
    let stored = seen::of(tx, record, None)?;
    seen::still_so(&stored, basis.seen, &audit_id)?;
    if let Some(former) = &former
        && !asked.replaces.as_ref().is_some_and(|known| is_same(known, former))
    {
        return refused(unseen(&audit_id, former, disposition, actor));
    }
    if let Some(known) = asked.replaces.as_ref().filter(|_| former.is_some())
        && known.is_overruled_by(disposition, &actor.annotator)
        && asked.note.is_none()
        && basis.reason.is_none()
    {
        return refused(format!(
            "{} gave {audit_id} {}: say beside {disposition} why it takes its place (--note or --reason on the command \
             line)",
            known.annotator, known.disposition
        ));
    }
    let mut over = Vec::new();
    if disposition == Disposition::Release {
        let opposed = opposed(tx, &audit_id, record, run)?;
        if opposed.iter().any(|(id, _)| !asked.over.contains(id)) {
            return refused(against(&audit_id, &opposed));
        }
        if !opposed.is_empty() && asked.note.is_none() && basis.reason.is_none() {
            return refused(format!(
                "people ruled against {}: say beside RELEASE why {audit_id} may be used all the same (--note or --reason \
                 on the command line)",
                listed(&opposed)
            ));
        }
        over = opposed.into_iter().map(|(id, _)| id.to_string()).collect();
    }
    let unlooked = disposition == Disposition::Release && !is_looked_at(tx, record, run)?;
    if unlooked && !asked.unlooked {
        return refused(format!(
            "no person has looked at any claim of {audit_id}: RELEASE again releases it all the same (--anyway on the \
             command line)"
        ));
    }
    let n: i64 = tx.prepare_cached("SELECT n FROM run WHERE id = ?1")?.query_row([run], |row| row.get(0))?;
    let draft = Draft {
        act: Act::Dispose,
        subject: audit_id.to_string(),
        claim: None,
        old: match former {
            Some(former) => json!({
                "disposition": former.disposition, "run": n, "annotator": former.annotator,
            }),
            None => Value::Null,
        },
        new: decisions::value(&Disposed { disposition, run: n, over, undecided: open, unlooked }),
        reason: basis.reason,
        undoes: links.answers,
        batch: links.batch,
        seen: stored,
        payload: asked.note.as_deref(),
    };
    let event = events::append(tx, draft, actor, now)?;
    projection::write_dispositions(tx, &audit_id)?;
    Ok(event)
}

fn is_same(known: &Given, stands: &StandingDisposition) -> bool {
    (&known.annotator, known.disposition, known.at) == (&stands.annotator, stands.disposition, stands.at)
}

/// Why another disposition does not take the place of the one that stands.
fn unseen(audit_id: &AuditId, stands: &StandingDisposition, asked: Disposition, actor: &Actor) -> String {
    let at = stands.at.to_string();
    let at = at.get(..19).unwrap_or(&at).replace('T', " ");
    let who = if stands.annotator == actor.annotator { "you" } else { stands.annotator.as_str() };
    let note = stands.note.as_ref().map_or(String::new(), |note| format!(" (\u{201c}{note}\u{201d})"));
    format!(
        "{who} gave {audit_id} {} at {at} UTC{note}, which was not before you: look at it; {asked} once more takes its \
         place (--anyway on the command line)",
        stands.disposition
    )
}

/// Why the answer is not released.
fn against(audit_id: &AuditId, opposed: &[(ClaimId, Vec<HumanVerdict>)]) -> String {
    let first: Vec<&str> =
        opposed.iter().take(1).flat_map(|(_, said)| said).map(|said| said.label()).collect();
    let how = if opposed.iter().all(|(_, rulings)| is_refuted(rulings)) {
        "against the evidence"
    } else {
        "without full support of the evidence"
    };
    let stand = if opposed.len() == 1 { "stands" } else { "stand" };
    format!(
        "{} {stand} {how} by people's ruling (the first: {}): give {audit_id} RETURN or BLOCK, or RELEASE \
         with --anyway",
        listed(opposed),
        first.join(", ")
    )
}

fn listed(opposed: &[(ClaimId, Vec<HumanVerdict>)]) -> String {
    opposed.iter().map(|(id, _)| id.to_string()).collect::<Vec<_>>().join(", ")
}

/// Whether a person's decision stands on any claim of the run.
fn is_looked_at(connection: &Connection, record: RecordKey, run: i64) -> Fallible<bool> {
    Ok(connection
        .prepare_cached(
            "SELECT 1 FROM claim c JOIN decision d ON d.claim_id = c.id WHERE c.record_id = ?1 AND c.run_id = ?2",
        )?
        .exists([record.0, run])?)
}

fn is_refuted(rulings: &[HumanVerdict]) -> bool {
    rulings.iter().any(|ruling| matches!(ruling, HumanVerdict::Contradicted | HumanVerdict::Unsupported))
}

/// The claims that stand now and of which what counts, or one of those who disagree, says that the evidence does not carry them, wholly at
/// least, or that nobody can tell: with these rulings, the refuted first.
fn opposed(
    connection: &Connection,
    audit_id: &AuditId,
    record: RecordKey,
    run: i64,
) -> Fallible<Vec<(ClaimId, Vec<HumanVerdict>)>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT c.n, d.verdict FROM claim c JOIN work w ON w.record_id = c.record_id
         JOIN verdict v ON v.claim_id = c.id JOIN decision d ON d.claim_id = c.id AND (d.counts = 1 OR {DISPUTED})
         WHERE c.record_id = ?1 AND c.run_id = ?2 AND {IS_CURRENT} GROUP BY c.n, d.verdict ORDER BY c.n, min(d.seq)"
    ))?;
    let mut found = statement.query([record.0, run])?;
    let mut opposed: Vec<(ClaimId, Vec<HumanVerdict>)> = Vec::new();
    while let Some(row) = found.next()? {
        let (id, ruling) =
            (ClaimId::new(audit_id.clone(), row.get(0)?), rows::parsed::<HumanVerdict>(row, 1)?);
        match opposed.last_mut() {
            Some((last, rulings)) if *last == id => rulings.push(ruling),
            _ => opposed.push((id, vec![ruling])),
        }
    }
    opposed.retain(|(_, rulings)| rulings.iter().any(|ruling| ruling.lacks_support()));
    opposed.sort_by_key(|(_, rulings)| !is_refuted(rulings));
    Ok(opposed)
}

/// The answer's id and its current run; refused while it waits for an audit.
pub(super) fn audited(tx: &Connection, record: RecordKey) -> Fallible<(AuditId, i64)> {
    let (audit_id, state, run): (String, String, Option<i64>) = tx
        .prepare_cached(
            "SELECT r.audit_id, w.state, w.run_id FROM record r JOIN work w ON w.record_id = r.id WHERE r.id = ?1",
        )?
        .query_row([record.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?
        .ok_or_else(|| {
            Fault::Store(StoreError::Refused(format!("no record in row {} of this store", record.0)))
        })?;
    match run {
        Some(run) if state != "waiting" => Ok((AuditId::new(audit_id), run)),
        _ => refused(format!("{audit_id} waits for its audit: there is nothing to release or block yet")),
    }
}
