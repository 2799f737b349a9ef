//! The views that people saved: a preference of each, not a part of their work.

use rusqlite::{OptionalExtension, params};

use super::{Fallible, Store, StoreError, refused, rows};
use crate::domain::filter::Filter;
use crate::domain::ids::Annotator;
use crate::domain::view::{MOST_OWN, View, own_name};

impl Store {
    /// The views that everybody has, then those that `annotator` saved, by name. One whose filter this
    /// program cannot read is left out.
    pub fn views(&self, annotator: &Annotator) -> Result<Vec<View>, StoreError> {
        let saved: Vec<(String, String)> = self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT name, query FROM saved_view WHERE annotator = ?1 ORDER BY name")?;
            let found = statement
                .query_map([annotator.as_str()], |row| Ok((rows::text(row, 0)?, rows::text(row, 1)?)))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })?;
        let mut views = View::shipped(annotator);
        for (name, query) in saved {
            match query.parse() {
                Ok(filter) => views.push(View { name, filter, is_own: true }),
                Err(error) => tracing::warn!(name, %error, "the filter of a saved view cannot be read"),
            }
        }
        Ok(views)
    }

    /// Saves a view, and says what was saved under that name before. Refused when the name cannot be one,
    /// or when there are too many.
    pub fn save_view(
        &mut self,
        annotator: &Annotator,
        name: &str,
        filter: &Filter,
    ) -> Result<Option<String>, StoreError> {
        let name = own_name(name).map_err(|error| StoreError::Refused(error.to_string()))?;
        self.write_normal(|tx| {
            let before = earlier(tx, annotator, &name)?;
            let count: u32 = tx
                .prepare_cached("SELECT count(*) FROM saved_view WHERE annotator = ?1")?
                .query_row([annotator.as_str()], |row| row.get(0))?;
            if before.is_none() && count as usize >= MOST_OWN {
                return refused(format!("you have {MOST_OWN} views already: remove one first"));
            }
            tx.prepare_cached(
                "INSERT INTO saved_view (annotator, name, query) VALUES (?1, ?2, ?3)
                 ON CONFLICT (annotator, name) DO UPDATE SET name = excluded.name, query = excluded.query",
            )?
            .execute(params![annotator.as_str(), name, filter.to_string()])?;
            Ok(before)
        })
    }

    /// Removes a view, and says which filter it had; `None` when there is none of that name.
    pub fn remove_view(&mut self, annotator: &Annotator, name: &str) -> Result<Option<String>, StoreError> {
        self.write_normal(|tx| {
            let before = earlier(tx, annotator, name.trim())?;
            tx.prepare_cached("DELETE FROM saved_view WHERE annotator = ?1 AND name = ?2")?
                .execute(params![annotator.as_str(), name.trim()])?;
            Ok(before)
        })
    }
}

fn earlier(tx: &rusqlite::Connection, annotator: &Annotator, name: &str) -> Fallible<Option<String>> {
    Ok(tx
        .prepare_cached("SELECT query FROM saved_view WHERE annotator = ?1 AND name = ?2")?
        .query_row(params![annotator.as_str(), name], |row| rows::text(row, 0))
        .optional()?)
}
