//! Looks at everything before anything goes in.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use serde_json::Value;

use super::import::{News, Totals, conflict};
use super::reader::{Item, Next, Reader};
use super::source::Input;
use crate::domain::event::sha256_hex;
use crate::store::{Imported, NewRecord, Store, StoreError};

/// Reads all `inputs` without storing anything and tells of every line that would be rejected: for
/// itself, or because its id is taken in these inputs or in `store`.
pub fn check(
    inputs: Vec<Input>,
    store: Option<&Store>,
    tell: &mut dyn FnMut(News),
    stop: &dyn Fn() -> bool,
) -> Result<Totals, StoreError> {
    let mut totals = Totals::default();
    // Of each id: what its line says, and where it stands.
    let mut seen: HashMap<String, (String, String)> = HashMap::new();
    let mut reader = Reader::start(inputs, false, Arc::new(AtomicU64::new(0)));
    while !stop() {
        let items = match reader.next(Duration::from_millis(100)) {
            Next::Items(items) => items,
            Next::Nothing => continue,
            Next::Broken(problem) => {
                totals.reader_broke = true;
                tell(News::Error(problem));
                break;
            }
            Next::End => break,
        };
        for item in items {
            match item {
                Item::Record { parsed, place } => {
                    let new = parsed.record;
                    if let Some(first) = taken(&new, &mut seen, store)? {
                        totals.rejected += 1;
                        let reason = conflict(new.record.audit_id.as_str(), &first);
                        tell(News::Error(place.problem(&reason)));
                    }
                }
                Item::Rejected(problem) => {
                    totals.rejected += 1;
                    tell(News::Error(problem));
                }
                Item::BrokenFile(problem) => {
                    totals.broken_files += 1;
                    tell(News::Error(problem));
                }
            }
        }
    }
    Ok(totals)
}

/// Where other content with the same id came from, if there is any.
fn taken(
    new: &NewRecord,
    seen: &mut HashMap<String, (String, String)>,
    store: Option<&Store>,
) -> Result<Option<String>, StoreError> {
    let says = sha256_hex([sorted(&new.raw).as_str()]);
    let id = new.record.audit_id.as_str();
    if let Some((known, first)) = seen.get(id) {
        return Ok((*known != says).then(|| first.clone()));
    }
    seen.insert(id.to_owned(), (says, new.source.clone()));
    Ok(match store.map(|store| store.would_import(new)).transpose()? {
        Some(Imported::Conflict { first_source }) => Some(first_source),
        _ => None,
    })
}

/// The same JSON whatever its spaces, escapes and order of fields: what the store compares, too.
fn sorted(raw: &str) -> String {
    serde_json::from_str::<Value>(raw).map_or_else(
        |_| raw.to_owned(),
        |mut value| {
            value.sort_all_objects();
            value.to_string()
        },
    )
}
