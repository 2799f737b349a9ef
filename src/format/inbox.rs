//! Records that other programs put into the store's inbox by SQL.

use super::import::{Totals, conflict};
use super::native::{MAX_LINE, parse, too_long};
use crate::clock::Clock;
use crate::store::{Imported, InboxLine, NewRecord, Store, StoreError};

/// Lines taken at once.
const BATCH: usize = 200;

/// Takes in what waits in the inbox. A line that is not a record, whatever else it is, stays there
/// with the reason.
///
/// Killed at any moment, it can be started again: a line is removed after its record is stored.
pub fn take_inbox(store: &mut Store, clock: &dyn Clock) -> Result<Totals, StoreError> {
    let mut totals = Totals::default();
    loop {
        let lines = store.inbox_take(BATCH, MAX_LINE)?;
        if lines.is_empty() {
            return Ok(totals);
        }
        let (mut ids, mut batch, mut refused) = (Vec::new(), Vec::<NewRecord>::new(), Vec::new());
        for InboxLine { id, bytes } in lines {
            let read = bytes.map_err(too_long).and_then(|row| parse(one_line(&row)?, format!("inbox:{id}")));
            match read.map(|parsed| parsed.record) {
                Ok(record) => {
                    ids.push(id);
                    batch.push(record);
                }
                Err(reason) => refused.push((id, reason)),
            }
        }
        let became = match store.import(&batch, clock.now()) {
            Ok(became) => became.into_iter().map(Ok).collect(),
            // One of them is the matter: each by itself, so that only that one stays out.
            Err(error) if error.is_about_content() => one_by_one(store, &batch, clock)?,
            Err(error) => return Err(error),
        };
        let mut done = Vec::with_capacity(ids.len());
        for ((became, id), new) in became.into_iter().zip(ids).zip(&batch) {
            match became {
                Ok(Imported::New) => totals.imported += 1,
                Ok(Imported::Unchanged) => totals.unchanged += 1,
                Ok(Imported::Conflict { first_source }) => {
                    refused.push((id, conflict(new.record.audit_id.as_str(), &first_source)));
                    continue;
                }
                Err(reason) => {
                    refused.push((id, reason));
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

/// The line that the row holds. One line feed at its end is no part of it, as in a file; one inside would
/// make two lines of it once it is exported.
fn one_line(row: &[u8]) -> Result<&[u8], String> {
    let line = row.strip_suffix(b"\n").unwrap_or(row);
    match line.split(|byte| *byte == b'\n').count() {
        1 => Ok(line),
        lines => Err(format!(
            "the row holds {lines} lines: a record is one line, so write the JSON compact, without line breaks \
             between its fields (in a text a line break is \\n)"
        )),
    }
}

/// What became of each, or why it cannot be stored.
fn one_by_one(
    store: &mut Store,
    batch: &[NewRecord],
    clock: &dyn Clock,
) -> Result<Vec<Result<Imported, String>>, StoreError> {
    let mut became = Vec::with_capacity(batch.len());
    for record in batch {
        match store.import(std::slice::from_ref(record), clock.now()) {
            Ok(one) => became.extend(one.into_iter().map(Ok)),
            Err(error) if error.is_about_content() => became.push(Err(error.to_string())),
            Err(error) => return Err(error),
        }
    }
    Ok(became)
}
