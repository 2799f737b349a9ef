//! Everything that is known of one record, in the order in which it came about: what came in, each audit of it,
//! what people did, and whether the seals of all that hold.

use rusqlite::{Connection, Row, params};

use super::export::{self, Chained, ClaimExport};
use super::{Damaged, Fallible, Fault, Store, StoreError, events, projection, rows, verify};
use crate::domain::finding::JudgeIdentity;
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, RecordKey};
use crate::domain::queue::Given;
use crate::domain::record::Record;
use crate::domain::time::Timestamp;

/// A record with all that happened to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    pub record: Record,
    /// File and line that it came from.
    pub source: String,
    pub imported_at: Timestamp,
    pub answer_sha256: String,
    /// Of each passage's content, in their order.
    pub passage_sha256: Vec<String>,
    /// How far its audit is: `waiting`, `done` or `failed`.
    pub state: String,
    /// The claim that was asked for; `None` for the whole record.
    pub claim: Option<ClaimId>,
    /// Oldest first.
    pub audits: Vec<AuditStory>,
    /// What people did about it, in order; what is damaged says so in its place.
    pub events: Vec<Result<Chained, Damaged>>,
    /// What does not agree with its seal, in sentences; empty when all of this record does. Whether the chain of
    /// all events is whole, only [`Store::verify`] tells.
    pub broken: Vec<String>,
}

/// One audit of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditStory {
    /// 1, 2, 3 … within the record.
    pub n: u32,
    /// Whether its claims are the ones that count.
    pub is_current: bool,
    pub instrument: String,
    pub judge: JudgeIdentity,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    /// How many exchanges with a model it rests on.
    pub exchanges: u64,
    pub claims: Vec<Result<ClaimExport, Damaged>>,
    /// What was decided about the whole answer on this audit of it.
    pub disposition: Option<Given>,
}

impl Store {
    /// The story of a record.
    pub fn story(&self, id: &AuditId) -> Result<Story, StoreError> {
        self.read(|connection| whole(connection, rows::record_key(connection, id)?))
    }

    /// The story of a claim: of its record, with the same claim of other audits and what people did about these
    /// and about the whole answer.
    pub fn story_of_claim(&self, key: ClaimKey) -> Result<Story, StoreError> {
        self.read(|connection| {
            let claim = rows::claim(connection, key)?;
            Ok(about(whole(connection, claim.record)?, &claim.id))
        })
    }
}

/// What of `story` is about the claim `id`.
fn about(mut story: Story, id: &ClaimId) -> Story {
    let all = story.audits.iter().flat_map(|audit| &audit.claims).filter_map(|claim| claim.as_ref().ok());
    let this =
        all.clone().find(|claim| claim.id == *id).map(|claim| (claim.claim_text.clone(), claim.answer));
    let same: Vec<ClaimId> = all
        .filter(|claim| {
            claim.id == *id
                || this
                    .as_ref()
                    .is_some_and(|(text, place)| claim.claim_text == *text && claim.answer == *place)
        })
        .map(|claim| claim.id.clone())
        .collect();
    let is_meant = |claim: &Result<ClaimExport, Damaged>| match claim {
        Ok(claim) => same.contains(&claim.id),
        Err(damaged) => damaged.claim.as_ref() == Some(id),
    };
    for audit in &mut story.audits {
        audit.claims.retain(is_meant);
    }
    story.audits.retain(|audit| !audit.claims.is_empty());
    let audit_id = story.record.audit_id.as_str();
    let subjects: Vec<String> = same.iter().map(ToString::to_string).collect();
    story.events.retain(|event| match event {
        Ok(chained) => chained.event.subject == audit_id || subjects.contains(&chained.event.subject),
        Err(_) => true,
    });
    story.claim = Some(id.clone());
    story
}

fn whole(connection: &Connection, key: RecordKey) -> Fallible<Story> {
    let Some(record) = rows::record(connection, key)? else {
        return super::refused(format!("record row {} is missing: run `juror verify`", key.0));
    };
    let (source, imported_at, answer_sha256, state) = connection
        .prepare_cached(
            "SELECT r.source, r.imported_at, r.answer_sha256, coalesce(w.state, 'waiting')
             FROM record r LEFT JOIN work w ON w.record_id = r.id WHERE r.id = ?1",
        )?
        .query_row([key.0], |row| {
            Ok((rows::text(row, 0)?, rows::parsed(row, 1)?, row.get(2)?, row.get(3)?))
        })?;
    let mut statement =
        connection.prepare_cached("SELECT content_sha256 FROM passage WHERE record_id = ?1 ORDER BY n")?;
    let hashes = statement.query_map([key.0], |row| row.get(0))?;
    Ok(Story {
        source,
        imported_at,
        answer_sha256,
        passage_sha256: hashes.collect::<rusqlite::Result<_>>()?,
        state,
        claim: None,
        audits: audits(connection, key)?,
        events: acts(connection, key, &record.audit_id)?,
        broken: verify::of_record(connection, key, &record.audit_id)?,
        record,
    })
}

fn audits(connection: &Connection, key: RecordKey) -> Fallible<Vec<AuditStory>> {
    let mut statement = connection.prepare_cached(
        "SELECT run.id, run.n, run.instrument, run.started_at, run.finished_at,
           (SELECT count(*) FROM run_exchange e WHERE e.run_id = run.id), coalesce(w.run_id = run.id, 0)
         FROM run LEFT JOIN work w ON w.record_id = run.record_id WHERE run.record_id = ?1 ORDER BY run.n",
    )?;
    let mut found = statement.query([key.0])?;
    let mut audits = Vec::new();
    while let Some(row) = found.next()? {
        let run: i64 = row.get(0)?;
        audits.push(AuditStory {
            n: row.get(1)?,
            instrument: rows::text(row, 2)?,
            started_at: rows::parsed(row, 3)?,
            finished_at: rows::parsed(row, 4)?,
            exchanges: row.get::<_, u32>(5)?.into(),
            is_current: row.get(6)?,
            judge: rows::identity(connection, run)?,
            claims: export::claims_of_run(connection, key, run)?,
            disposition: projection::disposition(connection, run)?.map(Into::into),
        });
    }
    Ok(audits)
}

/// What people did about the record and its claims.
fn acts(connection: &Connection, key: RecordKey, id: &AuditId) -> Fallible<Vec<Result<Chained, Damaged>>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {}, (SELECT text FROM event_payload p WHERE p.seq = event.seq) FROM event WHERE {} ORDER BY seq",
        events::COLUMNS,
        events::OF_RECORD
    ))?;
    let mut found = statement.query(params![key.0, id.as_str()])?;
    let mut acts = Vec::new();
    while let Some(row) = found.next()? {
        acts.push(act(row)?);
    }
    Ok(acts)
}

fn act(row: &Row<'_>) -> Fallible<Result<Chained, Damaged>> {
    match export::chained(row) {
        Ok(event) => Ok(Ok(event)),
        Err(error) => {
            let reason = Fault::from(error).of_a_row()?;
            Ok(Err(Damaged { what: format!("event {}", rows::shown(row, 0)?), claim: None, reason }))
        }
    }
}
