//! The search index against the texts that it stands for: whether each is found by its own words and by no others.
//!
//! SQLite compares an index with what it indexes only where it may write. So the index is copied into a temporary
//! database, beside a view of the very texts, and compared there: nobody who writes to the store waits for it.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OptionalExtension};

use crate::store::open::reader;
use crate::store::{Fallible, Fault};

/// An index, what it indexes, and how people call a row of that.
struct Index {
    name: &'static str,
    table: &'static str,
    id: &'static str,
    column: &'static str,
    called: &'static str,
}

const INDEXES: [Index; 3] = [
    Index {
        name: "answer_search",
        table: "record",
        id: "id",
        column: "answer",
        called: "SELECT 'record ' || audit_id FROM record WHERE id = ?1",
    },
    Index {
        name: "claim_search",
        table: "claim",
        id: "id",
        column: "claim_text",
        called: "SELECT 'claim ' || audit_id || '#' || n FROM claim JOIN record ON record.id = record_id
                 WHERE claim.id = ?1",
    },
    Index {
        name: "note_search",
        table: "event_payload",
        id: "seq",
        column: "text",
        called: "SELECT 'event ' || seq || ', note' FROM event_payload WHERE seq = ?1",
    },
];

/// What is wrong with the indexes of the store at `path`, in sentences, but for those that `is_named` already.
pub(super) fn check(path: &Path, is_frozen: bool, is_named: impl Fn(&str) -> bool) -> Fallible<Vec<String>> {
    // One of its own: its temporary database goes to a file, whatever the size of the index.
    let (connection, _) = reader(path, is_frozen)?;
    connection.pragma_update(None, "query_only", false)?;
    connection.pragma_update(None, "temp_store", "FILE")?;
    let mut sentences = Vec::new();
    for index in INDEXES.iter().filter(|index| !is_named(index.name)) {
        connection.execute_batch("BEGIN")?;
        let compared = index.is_right(&connection);
        let sentence = match compared {
            Ok(true) => None,
            Ok(false) => Some(index.told(&connection, path)),
            Err(Fault::Sqlite(error)) if error.sqlite_error_code() == Some(ErrorCode::DiskFull) => {
                Some(format!(
                    "{}: could not be compared with its texts: the disk for temporary files is full (SQLITE_TMPDIR names \
                 another folder)",
                    index.name
                ))
            }
            Err(Fault::Sqlite(error)) if error.sqlite_error_code() == Some(ErrorCode::Unknown) => {
                Some(format!("{}: cannot be read ({error})", index.name))
            }
            Err(fault) => return Err(fault),
        };
        connection.execute_batch("ROLLBACK")?;
        sentences.extend(sentence);
    }
    Ok(sentences)
}

impl Index {
    /// Whether the index holds each text's words and nothing else.
    fn is_right(&self, connection: &Connection) -> Fallible<bool> {
        let Self { name, table, id, column, .. } = self;
        connection.execute_batch(&format!(
            "CREATE TEMP VIEW compared_text AS SELECT {id} AS id, {column} FROM main.{table};
             CREATE VIRTUAL TABLE temp.compared USING fts5 ({column}, content = 'compared_text', content_rowid = 'id',
               tokenize = 'unicode61 remove_diacritics 2');"
        ))?;
        for part in ["data", "idx", "docsize", "config"] {
            connection.execute_batch(&format!(
                "DELETE FROM temp.compared_{part}; INSERT INTO temp.compared_{part} SELECT * FROM main.{name}_{part};"
            ))?;
        }
        match connection
            .execute_batch("INSERT INTO temp.compared (compared, rank) VALUES ('integrity-check', 1)")
        {
            Ok(()) => Ok(true),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The first row whose words are not those of the index, and how the index is made anew.
    fn told(&self, connection: &Connection, path: &Path) -> String {
        let row = match self.first_wrong(connection) {
            Ok(Some(row)) => row,
            // What cannot be read to its end is wrong all the same.
            Ok(None) | Err(_) => self.name.to_owned(),
        };
        format!(
            "{row}: the search index does not hold the words that stand there; make it anew: sqlite3 '{}' \"INSERT INTO \
             {name} ({name}) VALUES ('rebuild')\"",
            path.display(),
            name = self.name,
        )
    }

    fn first_wrong(&self, connection: &Connection) -> Fallible<Option<String>> {
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE temp.anew USING fts5 ({}, content = 'compared_text', content_rowid = 'id',
               tokenize = 'unicode61 remove_diacritics 2');
             INSERT INTO temp.anew (anew) VALUES ('rebuild');
             CREATE VIRTUAL TABLE temp.found_words USING fts5vocab ('temp', 'compared', 'instance');
             CREATE VIRTUAL TABLE temp.true_words USING fts5vocab ('temp', 'anew', 'instance');",
            self.column
        ))?;
        let first: Option<i64> = connection.query_row(
            "SELECT min(doc) FROM (
               SELECT doc FROM (SELECT doc, term, \"offset\" FROM found_words EXCEPT
                                SELECT doc, term, \"offset\" FROM true_words)
               UNION ALL
               SELECT doc FROM (SELECT doc, term, \"offset\" FROM true_words EXCEPT
                                SELECT doc, term, \"offset\" FROM found_words))",
            [],
            |row| row.get(0),
        )?;
        let Some(first) = first else { return Ok(None) };
        Ok(connection.query_row(self.called, [first], |row| row.get(0)).optional()?)
    }
}
