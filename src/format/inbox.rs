//! Records that other programs put into the store's inbox by SQL.

use super::import::{Totals, conflict};
use super::native::parse;
use crate::clock::Clock;
use crate::store::{Imported, NewRecord, Store, StoreError};

/// Lines taken at once.
const BATCH: usize = 200;

/// Takes in what waits in the inbox. A line that is not a record stays there, with the reason.
///
/// Killed at any moment, it can be started again: a line is removed after its record is stored.
pub fn take_inbox(store: &mut Store, clock: &dyn Clock) -> Result<Totals, StoreError> {
    let mut totals = Totals::default();
    loop {
        let lines = store.inbox_take(BATCH)?;
        if lines.is_empty() {
            return Ok(totals);
        }
        let (mut ids, mut batch, mut refused) = (Vec::new(), Vec::<NewRecord>::new(), Vec::new());
        for (id, line) in lines {
            match parse(line.as_bytes(), format!("inbox:{id}")) {
                Ok(parsed) => {
                    ids.push(id);
                    batch.push(parsed.record);
                }
                Err(reason) => refused.push((id, reason)),
            }
        }
        let became = store.import(&batch, clock.now())?;
        let mut done = Vec::with_capacity(ids.len());
        for ((became, id), new) in became.into_iter().zip(ids).zip(&batch) {
            match became {
                Imported::New => totals.imported += 1,
                Imported::Unchanged => totals.unchanged += 1,
                Imported::Conflict { first_source } => {
                    refused.push((id, conflict(new.record.audit_id.as_str(), &first_source)));
                    continue;
                }
            }
            done.push(id);
        }
        store.inbox_done(&done)?;
        for (id, reason) in refused {
            totals.rejected += 1;
            store.inbox_reject(id, &reason)?;
        }
    }
}
