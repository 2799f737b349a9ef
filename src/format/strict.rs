//! Looks at everything before anything goes in.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::import::{News, Totals, conflict};
use super::reader::{Item, Next, Reader};
use super::source::Input;
use crate::domain::event::sha256_hex;

/// Reads all `inputs` without storing anything and tells of every line that would be rejected for
/// itself or because another line of these inputs has its id.
pub fn check(inputs: Vec<Input>, tell: &mut dyn FnMut(News), stop: &dyn Fn() -> bool) -> Totals {
    let mut totals = Totals::default();
    // Of each id, what its line was and where it came from.
    let mut seen: HashMap<String, (String, String)> = HashMap::new();
    let reader = Reader::start(inputs, false, Arc::new(AtomicU64::new(0)));
    while !stop() {
        let items = match reader.next(Duration::from_millis(100)) {
            Next::Items(items) => items,
            Next::Nothing => continue,
            Next::End => break,
        };
        for item in items {
            match item {
                Item::Record { parsed, place } => {
                    let new = parsed.record;
                    let hash = sha256_hex([new.raw.as_str()]);
                    match seen.get(new.record.audit_id.as_str()) {
                        None => {
                            seen.insert(new.record.audit_id.as_str().to_owned(), (hash, new.source));
                        }
                        Some((known, _)) if *known == hash => {}
                        Some((_, first)) => {
                            totals.rejected += 1;
                            let reason = conflict(new.record.audit_id.as_str(), first);
                            tell(News::Error(place.problem(reason)));
                        }
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
    totals
}
