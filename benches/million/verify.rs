//! The proof that nothing was changed, of which the search index is a part: read all of it, while others write.

use juror::store::Store;

use super::table::Table;
use super::{generate, timed};

pub(crate) fn measure(table: &mut Table) {
    let store = Store::open_read_only(&generate::million()).expect("it opens");
    let (millis, report) = timed(|| store.verify().expect("it is read"));
    for problem in &report.problems {
        eprintln!("verify: {problem}");
    }
    table.note(format!("verify, {} claims", report.claims), "s", millis / 1000.0);
    let (millis, wrong) = timed(|| store.compare_search().expect("it is read"));
    assert!(wrong.is_empty(), "{wrong:?}");
    table.note("of that, the search index against its texts", "s", millis / 1000.0);
}
