//! The file itself: SQLite's own checks, and whether the guards of the evidence are still there.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;

use super::Problems;
use crate::store::{Fallible, migrate};

pub(super) fn check(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    let integrity: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if integrity != "ok" {
        problems.note("integrity", || format!("the file is damaged: {}", integrity.trim()));
    }
    let mut orphans = connection.prepare("PRAGMA foreign_key_check")?;
    let mut found = orphans.query([])?;
    if let Some(row) = found.next()? {
        let (table, id, parent): (String, Option<i64>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        problems.note("orphan", || {
            let id = id.map_or_else(String::new, |id| format!(" {id}"));
            format!("{table}{id} names a {parent} that is missing")
        });
    }
    let facts: i64 = connection.query_row(
        "SELECT count(*) FROM meta WHERE name IN ('secret', 'created_at') AND value <> ''",
        [],
        |row| row.get(0),
    )?;
    problems.same("meta", &facts, &2, || "meta: the store's secret or its date is missing".to_owned());
    compare(connection, |_| true, |kind, sentence| problems.note(kind, || sentence))
}

/// Whether everything that can be searched is in its index.
pub(super) fn index(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    for (name, table, id) in [
        ("answer_search", "record", "id"),
        ("claim_search", "claim", "id"),
        ("note_search", "event_payload", "seq"),
    ] {
        let sql = format!(
            "SELECT (SELECT count(*) FROM {table} t LEFT JOIN {name}_docsize d ON d.id = t.{id} WHERE d.id IS NULL)
                  + (SELECT count(*) FROM {name}_docsize d LEFT JOIN {table} t ON t.{id} = d.id WHERE t.{id} IS NULL)"
        );
        let wrong: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
        problems.same("search index", &wrong, &0, || {
            format!("{name}: the search index does not hold what it should (rows that differ: {wrong})")
        });
    }
    Ok(())
}

/// What is wrong with the triggers that guard the evidence, in sentences. Quick, whatever the size of
/// the file.
pub(in crate::store) fn missing_guards(connection: &Connection) -> Fallible<Vec<String>> {
    let mut sentences = Vec::new();
    compare(connection, |kind| kind == "trigger", |_, sentence| sentences.push(sentence))?;
    Ok(sentences)
}

/// Compares the schema with that of a fresh file, in the parts of which `which` says yes. Tells the
/// kind of each problem and a sentence.
fn compare(
    connection: &Connection,
    which: impl Fn(&str) -> bool,
    mut tell: impl FnMut(&'static str, String),
) -> Fallible<()> {
    let mut fresh = Connection::open_in_memory()?;
    migrate::run(&mut fresh, Path::new(":memory:"), migrate::STEPS)?;
    let (wanted, present) = (parts(&fresh)?, parts(connection)?);
    for (name, (kind, sql)) in wanted.iter().filter(|(_, (kind, _))| which(kind)) {
        match present.get(name) {
            None => tell("missing part", format!("{kind} {name} is missing from the schema")),
            Some((_, found)) if found != sql => {
                tell("changed part", format!("{kind} {name} is not as this program makes it"));
            }
            Some(_) => {}
        }
    }
    for (name, (kind, _)) in present {
        if kind == "trigger" && !wanted.contains_key(&name) {
            tell("foreign trigger", format!("trigger {name} does not belong to a juror store"));
        }
    }
    Ok(())
}

/// Kind and text of everything in the schema by name.
fn parts(connection: &Connection) -> Fallible<BTreeMap<String, (String, String)>> {
    let mut statement = connection.prepare(
        "SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
    )?;
    let parts = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    Ok(parts.collect::<rusqlite::Result<_>>()?)
}
