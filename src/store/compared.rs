//! The claims that comparisons send to the queue, and which of them nobody decided.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::audits::FinishedRun;
use super::records::{COURTESY, LONGEST_HOLD, Prepared, insert, present};
use super::runs::Keeper;
use super::word::ruled;
use super::{Fallible, Imported, LeasedRecord, NewRecord, Store, StoreError, comparisons, refused, rows};
use crate::clock::Stopwatch;
use crate::domain::decision::HumanVerdict;
use crate::domain::finding::RunResult;
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, RecordKey};
use crate::domain::routing::Policy;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Severity;

/// Claims of an item of a comparison, with what its judge said of them.
#[derive(Debug, Clone)]
pub struct ComparedRecord {
    /// The candidate's answer with these claims given, named after comparison and item.
    pub new: NewRecord,
    pub result: RunResult,
}

/// A claim that a comparison sends to the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentClaim {
    /// The item that it is of.
    pub item: String,
    pub id: ClaimId,
    /// Its key and its words; `None` while it is not stored.
    pub stored: Option<(ClaimKey, String)>,
    /// Whether people have decided it together.
    pub is_decided: bool,
    /// What people ruled that counts: one verdict, or those of all who disagree; each once.
    pub rulings: Vec<HumanVerdict>,
    /// The severity of the ruling that counts; of those who disagree the most severe.
    pub ruled_severity: Option<Severity>,
}

impl SentClaim {
    /// Whether somebody ruled that the evidence carries the claim not at all or in part, or could not tell.
    pub fn lacks_support(&self) -> bool {
        self.rulings.iter().any(|ruling| ruling.lacks_support())
    }
}

impl Store {
    /// Stores the claims as audited records and sends them to the queue by `policy`: each record and its run in one
    /// transaction, so that no auditor comes between. A record that has an audit keeps it.
    ///
    /// # Errors
    /// When the name of a record is taken by another one, or the store cannot be written. What was stored before stays,
    /// and what was not counts as undecided.
    pub fn keep_compared(
        &mut self,
        records: &[ComparedRecord],
        policy: &Policy,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut done = 0;
        while done < records.len() {
            done = self.write_normal(|tx| {
                let since = Stopwatch::start();
                let mut keeper = Keeper::new(tx, policy, now)?;
                let mut at = done;
                while at < records.len() && (at == done || since.elapsed() < LONGEST_HOLD) {
                    keep(tx, &mut keeper, &records[at], now)?;
                    at += 1;
                }
                Ok(at)
            })?;
            if done < records.len() {
                std::thread::sleep(COURTESY);
            }
        }
        Ok(())
    }

    /// The claims that the comparison of that name sends to the queue, each with where it stands. What was not stored,
    /// or judged anew and found right, waits for people's word all the same.
    pub fn claims_of_comparison(&self, name: &str) -> Result<Vec<SentClaim>, StoreError> {
        self.read(|connection| {
            let id = comparisons::id_of(connection, name)?;
            let sent: Vec<(String, u32)> = connection
                .prepare_cached("SELECT sent FROM comparison WHERE id = ?1")?
                .query_row([id], |row| rows::json(row, 0))?;
            let mut found = of_comparison(connection, name)?;
            let mut all = Vec::new();
            for (item, claims) in sent {
                let record = AuditId::new(format!("{name}/{item}"));
                let Some(stored) = found.remove(&record) else {
                    all.extend((1..=claims).map(|n| SentClaim {
                        item: item.clone(),
                        id: ClaimId::new(record.clone(), n),
                        stored: None,
                        is_decided: false,
                        rulings: Vec::new(),
                        ruled_severity: None,
                    }));
                    continue;
                };
                for Stored { n, key, text, is_decided, rulings, ruled_severity } in stored {
                    all.push(SentClaim {
                        item: item.clone(),
                        id: ClaimId::new(record.clone(), n),
                        stored: Some((key, text)),
                        is_decided,
                        rulings,
                        ruled_severity,
                    });
                }
            }
            Ok(all)
        })
    }

    /// Where the comparison of that name stands: while that is the same, so are its report and its claims.
    pub fn standing_of_comparison(&self, name: &str) -> Result<ComparisonStanding, StoreError> {
        self.read(|connection| {
            let id = comparisons::id_of(connection, name)?;
            let gates = connection
                .prepare_cached("SELECT max(n) FROM comparison_gate WHERE comparison_id = ?1")?
                .query_row([id], |row| row.get::<_, Option<i64>>(0))?;
            let people = connection
                .prepare_cached("SELECT max(seq) FROM event")?
                .query_row([], |row| row.get::<_, Option<i64>>(0))?;
            let audits = connection
                .prepare_cached(
                    "SELECT count(*), max(w.run_id) FROM record r JOIN work w ON w.record_id = r.id
                     WHERE r.audit_id >= ?1 AND r.audit_id < ?2",
                )?
                .query_row(between(name), |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(ComparisonStanding { gates, people, audits })
        })
    }
}

/// By what it is known that nothing of a comparison changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonStanding {
    /// What its gates said: how many times something else.
    pub gates: Option<i64>,
    /// The last thing that anybody did anywhere.
    pub people: Option<i64>,
    /// How many records it has in the queue, and their last audit.
    pub audits: (i64, Option<i64>),
}

/// Names of records lie from the first to before the second: `cmp-1/` and whatever follows.
fn between(name: &str) -> [String; 2] {
    // The character behind the slash.
    [format!("{name}/"), format!("{name}0")]
}

/// A claim of a record.
struct Stored {
    n: u32,
    key: ClaimKey,
    text: String,
    is_decided: bool,
    rulings: Vec<HumanVerdict>,
    ruled_severity: Option<Severity>,
}

/// The claims of the present audits of a comparison's records that stand; what people added only where it is asked of
/// people, or ruled on.
fn of_comparison(connection: &Connection, name: &str) -> Fallible<HashMap<AuditId, Vec<Stored>>> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT r.audit_id, c.n, c.id, c.claim_text,
           EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = c.id AND d.counts = 1), ",
        ruled!(),
        " FROM record r JOIN work w ON w.record_id = r.id
         JOIN claim c ON c.record_id = r.id AND c.run_id = w.run_id LEFT JOIN queue q ON q.claim_id = c.id
         JOIN verdict v ON v.claim_id = c.id
         WHERE r.audit_id >= ?1 AND r.audit_id < ?2 AND NOT EXISTS (SELECT 1 FROM replaced p WHERE p.claim_id = c.id)
           AND (v.state <> 'ADDED' OR q.open <> 0 OR EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = c.id))
         ORDER BY r.id, q.place, c.id",
    ))?;
    let found = statement.query_map(between(name), |row| {
        let stored = Stored {
            n: row.get(1)?,
            key: ClaimKey(row.get(2)?),
            text: rows::text(row, 3)?,
            is_decided: row.get(4)?,
            rulings: rows::verdicts(row, 5)?,
            ruled_severity: rows::parsed_opt(row, 6)?,
        };
        Ok((AuditId::new(rows::text(row, 0)?), stored))
    })?;
    let mut of_records: HashMap<AuditId, Vec<Stored>> = HashMap::new();
    for one in found {
        let (record, stored) = one?;
        of_records.entry(record).or_default().push(stored);
    }
    Ok(of_records)
}

/// Whoever holds the lease meanwhile: only this transaction.
const HOLDER: &str = "compare";

fn keep(tx: &Transaction<'_>, keeper: &mut Keeper<'_>, of: &ComparedRecord, now: Timestamp) -> Fallible<()> {
    let id = &of.new.record.audit_id;
    let prepared = Prepared::of(&of.new);
    let key = match present(tx, &prepared)? {
        Some(Imported::Conflict { first_source }) => {
            return refused(format!(
                "`{}` is another record, which came from {first_source}: the claims of the comparison cannot go to \
                 the queue under that name",
                id.as_str()
            ));
        }
        Some(_) => rows::record_key(tx, id)?,
        None => {
            let next = |table: &str| {
                tx.prepare_cached(&format!("SELECT coalesce(max(id), 0) + 1 FROM {table}"))?
                    .query_row([], |row| row.get::<_, i64>(0))
            };
            let (row, mut passage) = (next("record")?, next("passage")?);
            let at = now.to_string();
            insert(tx, &prepared, &prepared.seal(&at), row, &mut passage, &at)?;
            RecordKey(row)
        }
    };
    let until = now.plus(std::time::Duration::from_mins(1));
    let taken = tx
        .prepare_cached(
            "UPDATE work SET state = 'waiting', leased_by = ?2, leased_until_ms = ?3
             WHERE record_id = ?1 AND run_id IS NULL RETURNING 1",
        )?
        .query_row(params![key.0, HOLDER, until.millis()], |_| Ok(()))
        .optional()?;
    if taken.is_none() {
        return Ok(());
    }
    let lease = LeasedRecord { key, record: of.new.record.clone(), until, lost: 0 };
    // The lease was taken in this very transaction.
    let _ = keeper.finish(&FinishedRun { lease: &lease, result: &of.result, started: now }, HOLDER)?;
    Ok(())
}
