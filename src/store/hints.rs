//! How far a person is with the lines for newcomers. A convenience, no work: it stands beside what is sealed.

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};
use crate::domain::ids::Annotator;

impl Store {
    /// How many lines for newcomers `annotator` is through with.
    pub fn hints_done(&self, annotator: &Annotator) -> Result<usize, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
            let found: Option<String> =
                statement.query_row([name(annotator)], |row| row.get(0)).optional()?;
            // What is no number was never written here.
            Ok(found.and_then(|value| value.parse().ok()).unwrap_or(0))
        })
    }

    /// Keeps that number.
    pub fn set_hints_done(&mut self, annotator: &Annotator, done: usize) -> Result<(), StoreError> {
        self.write_normal(|tx| {
            tx.prepare_cached(
                "INSERT INTO meta (name, value) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )?
            .execute(params![name(annotator), done.to_string()])?;
            Ok(())
        })
    }
}

fn name(annotator: &Annotator) -> String {
    format!("hints of {}", annotator.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Durability;

    #[test]
    fn how_far_each_person_is_outlives_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("juror.db");
        let (ann, bob) = (Annotator::new("ann"), Annotator::new("bob"));
        let mut store = Store::open(&path, Durability::Full).unwrap();
        assert_eq!(store.hints_done(&ann).unwrap(), 0);
        store.set_hints_done(&ann, 1).unwrap();
        store.set_hints_done(&ann, 3).unwrap();
        drop(store);
        let store = Store::open_read_only(&path).unwrap();
        assert_eq!((store.hints_done(&ann).unwrap(), store.hints_done(&bob).unwrap()), (3, 0));
    }
}
