//! Questions that were handed over to a provider together: noted before they are, and until what came of them is
//! among the exchanges. Everything here is on disk when it returns: it has been paid for.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::exchanges::{insert, prepared};
use super::{Fallible, Store, StoreError, rows};
use crate::domain::batch::{
    Batch, BatchKey, BatchState, BatchedReply, Item, ItemCounts, ItemReturned, ItemState, NewItem,
};
use crate::domain::event::sha256_hex;
use crate::domain::exchange::{Ending, Exchange};
use crate::domain::ids::{ExchangeKey, RecordKey};
use crate::domain::record::Record;
use crate::domain::time::Timestamp;

const BATCH: &str =
    "SELECT id, tag, judge, endpoint, account, state, file_id, remote_id, holder, intended_at,
  (SELECT count(*) FROM batch_item WHERE batch_id = batch.id) FROM batch";

/// A batch that is about to be handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewBatch<'a> {
    pub tag: &'a str,
    pub judge: &'a str,
    pub endpoint: &'a str,
    pub account: &'a str,
    pub holder: &'a str,
    pub now: Timestamp,
}

impl Store {
    /// Something short that tells this store from others, and says nothing else.
    pub fn batch_mark(&self) -> Result<String, StoreError> {
        Ok(sha256_hex(["juror batch\n", self.fence_secret()?.as_str()])[..8].to_owned())
    }

    /// Notes that these questions are about to be handed over. `None`, and nothing is noted, when one of them is
    /// under way in another batch by now.
    pub fn intend_batch(
        &mut self,
        new: NewBatch<'_>,
        items: &[NewItem],
    ) -> Result<Option<BatchKey>, StoreError> {
        self.write_full(|tx| {
            let mut under_way = tx.prepare_cached(
                "SELECT 1 FROM batch_item WHERE question_sha256 = ?1 AND state IN ('OPEN', 'RETURNED')",
            )?;
            for item in items {
                if under_way.exists([&item.question_sha256])? {
                    return Ok(None);
                }
            }
            tx.execute(
                "INSERT INTO batch (tag, judge, endpoint, account, state, holder, intended_at)
                 VALUES (?1, ?2, ?3, ?4, 'INTENDED', ?5, ?6)",
                params![new.tag, new.judge, new.endpoint, new.account, new.holder, new.now.to_string()],
            )?;
            let key = tx.last_insert_rowid();
            let mut statement = tx.prepare_cached(
                "INSERT INTO batch_item (batch_id, n, record_id, custom_id, question_sha256, request_sha256, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'OPEN')",
            )?;
            for (n, item) in (1_i64..).zip(items) {
                statement.execute(params![
                    key,
                    n,
                    item.record.0,
                    item.custom_id,
                    item.question_sha256,
                    item.request_sha256
                ])?;
            }
            Ok(Some(BatchKey(key)))
        })
    }

    /// The batches of a judge of which not everything is here, oldest first.
    pub fn open_batches(&self, judge: &str) -> Result<Vec<Batch>, StoreError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached(&format!("{BATCH} WHERE judge = ?1 AND state <> 'COLLECTED' ORDER BY id"))?;
            let found = statement.query_map([judge], batch)?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Says which process works on a batch from now on; `false` when it is not in `from`'s hand any more.
    pub fn take_batch(&mut self, key: BatchKey, from: &str, to: &str) -> Result<bool, StoreError> {
        self.write_full(|tx| {
            let sql = "UPDATE batch SET holder = ?3 WHERE id = ?1 AND holder = ?2";
            Ok(tx.execute(sql, params![key.0, from, to])? == 1)
        })
    }

    /// Notes the file that holds its questions.
    pub fn batch_uploaded(&mut self, key: BatchKey, file_id: &str) -> Result<(), StoreError> {
        self.write_full(|tx| {
            tx.execute("UPDATE batch SET file_id = ?2 WHERE id = ?1", params![key.0, file_id])?;
            Ok(())
        })
    }

    /// Notes that the server has it, and under which name.
    pub fn batch_submitted(&mut self, key: BatchKey, remote_id: &str) -> Result<(), StoreError> {
        self.write_full(|tx| {
            tx.execute(
                "UPDATE batch SET state = 'SUBMITTED', remote_id = ?2 WHERE id = ?1 AND state = 'INTENDED'",
                params![key.0, remote_id],
            )?;
            Ok(())
        })
    }

    /// Forgets a batch that certainly was never begun.
    pub fn withdraw_batch(&mut self, key: BatchKey) -> Result<(), StoreError> {
        self.write_full(|tx| {
            let open = "SELECT 1 FROM batch WHERE id = ?1 AND state = 'INTENDED'";
            if tx.prepare(open)?.exists([key.0])? {
                tx.execute("DELETE FROM batch_item WHERE batch_id = ?1", [key.0])?;
                tx.execute("DELETE FROM batch WHERE id = ?1", [key.0])?;
            }
            Ok(())
        })
    }

    /// The questions of a batch, in order.
    pub fn batch_items(&self, key: BatchKey) -> Result<Vec<Item>, StoreError> {
        self.read(|connection| {
            let sql = format!("{ITEM} WHERE i.batch_id = ?1 ORDER BY i.n");
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement.query_map([key.0], item)?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Keeps what came back of some questions. What is there already stays as it is.
    pub fn batch_returned(&mut self, key: BatchKey, returned: &[ItemReturned]) -> Result<(), StoreError> {
        self.write_full(|tx| {
            let mut statement = tx.prepare_cached(
                "UPDATE batch_item SET state = ?3, status = ?4, request_id = ?5, reply = ?6, detail = ?7
                 WHERE batch_id = ?1 AND n = ?2 AND state = 'OPEN'",
            )?;
            for one in returned {
                let (state, reply, detail) = match &one.reply {
                    Ok(reply) => (ItemState::Returned, Some(reply), ""),
                    Err(why) => (ItemState::Lost, None, why.as_str()),
                };
                statement.execute(params![
                    key.0,
                    one.n,
                    state.label(),
                    reply.map(|reply| reply.status),
                    reply.and_then(|reply| reply.request_id.as_deref()),
                    reply.map(|reply| reply.body.as_str()),
                    detail,
                ])?;
            }
            Ok(())
        })
    }

    /// Nothing more will come of a batch: what is open is lost, because of `why`.
    pub fn batch_collected(&mut self, key: BatchKey, why: &str, now: Timestamp) -> Result<(), StoreError> {
        self.write_full(|tx| {
            tx.execute(
                "UPDATE batch_item SET state = 'LOST', detail = ?2 WHERE batch_id = ?1 AND state = 'OPEN'",
                params![key.0, why],
            )?;
            tx.execute(
                "UPDATE batch SET state = 'COLLECTED', collected_at = ?2 WHERE id = ?1",
                params![key.0, now.to_string()],
            )?;
            Ok(())
        })
    }

    /// The last time that a question travelled in a batch.
    pub fn batched(&self, question_sha256: &str) -> Result<Option<Item>, StoreError> {
        self.read(|connection| {
            let sql = format!("{ITEM} WHERE i.question_sha256 = ?1 ORDER BY i.batch_id DESC LIMIT 1");
            Ok(connection.prepare_cached(&sql)?.query_row([question_sha256], item).optional()?)
        })
    }

    /// Whether any question about a record has travelled in a batch.
    pub fn was_batched(&self, record: RecordKey) -> Result<bool, StoreError> {
        self.read(|connection| {
            Ok(connection
                .prepare_cached("SELECT 1 FROM batch_item WHERE record_id = ?1")?
                .exists([record.0])?)
        })
    }

    /// Keeps the exchange that a reply has become, and notes that the reply was read, in one transaction. `None`
    /// when somebody else has read it.
    pub fn settle_item(&mut self, of: &Item, exchange: &Exchange) -> Result<Option<ExchangeKey>, StoreError> {
        let (columns, seal) = prepared(exchange);
        self.write_full(|tx| {
            let sql = "SELECT 1 FROM batch_item WHERE batch_id = ?1 AND n = ?2 AND state = 'RETURNED'";
            if !tx.prepare_cached(sql)?.exists(params![of.batch.0, of.n])? {
                return Ok(None);
            }
            let key = match insert(tx, exchange, &columns, &seal)? {
                Ok(key) => key,
                Err(error) => return super::refused(error.to_string()),
            };
            let state =
                if exchange.ending == Ending::Valid { ItemState::Answered } else { ItemState::Unusable };
            tx.prepare_cached(
                "UPDATE batch_item SET state = ?3, exchange_id = ?4, detail = ?5, status = NULL, request_id = NULL,
                   reply = NULL WHERE batch_id = ?1 AND n = ?2",
            )?
            .execute(params![of.batch.0, of.n, state.label(), key.0, exchange.ending.label()])?;
            Ok(Some(key))
        })
    }

    /// A reply cannot be what was asked for: it is not read.
    pub fn lose_item(&mut self, of: &Item, why: &str) -> Result<(), StoreError> {
        self.write_full(|tx| {
            tx.execute(
                "UPDATE batch_item SET state = 'LOST', detail = ?3, status = NULL, request_id = NULL, reply = NULL
                 WHERE batch_id = ?1 AND n = ?2 AND state IN ('OPEN', 'RETURNED')",
                params![of.batch.0, of.n, why],
            )?;
            Ok(())
        })
    }

    /// How the questions of a judge's batches ended, those of batches after `after`.
    pub fn item_counts(&self, judge: &str, after: BatchKey) -> Result<ItemCounts, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare(
                "SELECT i.state, count(*) FROM batch_item i JOIN batch b ON b.id = i.batch_id
                 WHERE b.judge = ?1 AND b.id > ?2 GROUP BY i.state",
            )?;
            let found = statement.query_map(params![judge, after.0], |row| {
                Ok((rows::parsed::<ItemState>(row, 0)?, row.get::<_, u32>(1)?))
            })?;
            let mut counts = ItemCounts::default();
            for one in found {
                let (state, count) = one?;
                *match state {
                    ItemState::Open => &mut counts.open,
                    ItemState::Returned => &mut counts.returned,
                    ItemState::Answered => &mut counts.answered,
                    ItemState::Unusable => &mut counts.unusable,
                    ItemState::Lost => &mut counts.lost,
                } += u64::from(count);
            }
            Ok(counts)
        })
    }

    /// Records that wait and that nobody has in hand, those after `after`, at most `limit`; one that cannot be
    /// read is `None`.
    pub fn waiting_records(
        &self,
        after: RecordKey,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<(RecordKey, Option<Record>)>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT record_id FROM work WHERE state = 'waiting' AND record_id > ?1
                   AND (leased_by IS NULL OR leased_until_ms <= ?2) ORDER BY record_id LIMIT ?3",
            )?;
            let keys = statement
                .query_map(params![after.0, now.millis(), limit as i64], |row| row.get(0).map(RecordKey))?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            keys.into_iter().map(|key| Ok((key, readable(connection, key)?))).collect()
        })
    }
}

fn readable(connection: &Connection, key: RecordKey) -> Fallible<Option<Record>> {
    match rows::record(connection, key) {
        Ok(record) => Ok(record),
        Err(fault) => fault.of_a_row().map(|_| None),
    }
}

fn batch(row: &Row<'_>) -> rusqlite::Result<Batch> {
    Ok(Batch {
        key: BatchKey(row.get(0)?),
        tag: rows::text(row, 1)?,
        judge: rows::text(row, 2)?,
        endpoint: rows::text(row, 3)?,
        account: rows::text(row, 4)?,
        state: rows::parsed::<BatchState>(row, 5)?,
        file_id: rows::text_opt(row, 6)?,
        remote_id: rows::text_opt(row, 7)?,
        holder: rows::text(row, 8)?,
        intended_at: rows::parsed(row, 9)?,
        questions: row.get::<_, u32>(10)?.into(),
    })
}

const ITEM: &str =
    "SELECT i.batch_id, i.n, i.custom_id, i.request_sha256, i.state, i.status, i.request_id, i.reply,
  b.tag, b.intended_at,
  (SELECT count(*) FROM batch_item e WHERE e.question_sha256 = i.question_sha256 AND e.batch_id <= i.batch_id)
  FROM batch_item i JOIN batch b ON b.id = i.batch_id";

fn item(row: &Row<'_>) -> rusqlite::Result<Item> {
    let reply = match (row.get::<_, Option<u16>>(5)?, rows::text_opt(row, 7)?) {
        (Some(status), Some(body)) => {
            Some(BatchedReply { status, request_id: rows::text_opt(row, 6)?, body })
        }
        _ => None,
    };
    Ok(Item {
        batch: BatchKey(row.get(0)?),
        n: row.get(1)?,
        custom_id: rows::text(row, 2)?,
        request_sha256: rows::text(row, 3)?,
        state: rows::parsed(row, 4)?,
        reply,
        tag: rows::text(row, 8)?,
        intended_at: rows::parsed(row, 9)?,
        attempt: row.get(10)?,
    })
}
