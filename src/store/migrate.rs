//! Brings a file to the present schema, one numbered step after the other, all or nothing.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::{Fallible, Fault, StoreError};

/// The letters `juro`: says whose file it is.
pub(super) const APPLICATION_ID: i64 = 0x6A75_726F;

/// Step n brings a file from version n − 1 to version n. A step that was released never changes.
pub(super) const STEPS: &[&str] = &[include_str!("migrations/001.sql")];

/// The version of a file by this program.
pub(super) const KNOWN: i64 = STEPS.len() as i64;

/// Says whether the open file is a store that this program can use, and its version.
pub(super) fn version(connection: &Connection, path: &Path, known: i64) -> Fallible<i64> {
    let alien = |reason: &str| {
        Fault::Store(StoreError::NotAStore { path: path.to_owned(), reason: reason.to_owned() })
    };
    // All three from one view of the file: another process may be creating it.
    let view = if connection.is_autocommit() { Some(connection.unchecked_transaction()?) } else { None };
    let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let id = pragma("application_id").map_err(|error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => alien("it is not an SQLite file"),
        _ => error.into(),
    })?;
    let found = pragma("user_version")?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if id != APPLICATION_ID && (id != 0 || found != 0 || tables != 0) {
        return Err(alien("it belongs to another program"));
    }
    drop(view);
    if found < 0 || (found == 0 && tables != 0) {
        return Err(alien(&format!("it is marked as juror's, but its schema number is {found}")));
    }
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known }.into());
    }
    Ok(found)
}

/// Applies the steps that the file lacks, in one transaction. A file that has data is first copied to
/// a file beside it; the copy's path is returned.
pub(super) fn run(connection: &mut Connection, path: &Path, steps: &[&str]) -> Fallible<Option<PathBuf>> {
    let known = steps.len() as i64;
    if version(connection, path, known)? == known {
        return Ok(None);
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let found = version(&tx, path, known)?;
    if found == known {
        return Ok(None);
    }
    let backup = if found > 0 { Some(back_up(path, found)?) } else { None };
    for step in &steps[found as usize..] {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "user_version", known)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.commit()?;
    Ok(backup)
}

/// Copies the committed state of the file to `PATH.vN.bak` (or `PATH.vN.2.bak` …).
fn back_up(path: &Path, version: i64) -> Fallible<PathBuf> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| Fault::Store(StoreError::Io { path, source })
    };
    let mut attempt = 1;
    let target = loop {
        let mut name = path.as_os_str().to_owned();
        name.push(if attempt == 1 {
            format!(".v{version}.bak")
        } else {
            format!(".v{version}.{attempt}.bak")
        });
        let target = PathBuf::from(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        super::open::private(&mut options);
        match options.open(&target) {
            Ok(_) => break target,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => attempt += 1,
            Err(error) => return Err(io(&target)(error)),
        }
    };
    let source = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let name = target.to_str().ok_or_else(|| {
        StoreError::Refused(format!("the backup's path {} is not valid text", target.display()))
    })?;
    source.execute("VACUUM INTO ?1", [name])?;
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(type, name, sql)` of everything in a schema, without comments and white space.
    fn shape(connection: &Connection) -> Vec<(String, String, String)> {
        let mut statement = connection
            .prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_master ORDER BY type, name")
            .unwrap();
        let rows = statement
            .query_map([], |row| {
                let sql: String = row.get(2)?;
                let bare: String = sql
                    .lines()
                    .map(|line| line.split(" --").next().unwrap_or(line))
                    .flat_map(str::split_whitespace)
                    .collect();
                Ok((row.get(0)?, row.get(1)?, bare))
            })
            .unwrap();
        rows.map(Result::unwrap).collect()
    }

    #[test]
    fn migrations_reach_exactly_the_documented_schema() {
        let mut migrated = Connection::open_in_memory().unwrap();
        run(&mut migrated, Path::new("memory"), STEPS).unwrap();
        let documented = Connection::open_in_memory().unwrap();
        documented.execute_batch(include_str!("../../schema.sql")).unwrap();
        assert_eq!(shape(&migrated), shape(&documented));
        assert!(shape(&migrated).len() > 50);
    }

    #[test]
    fn r16_an_older_file_is_copied_and_migrated_and_keeps_its_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let mut connection = Connection::open(&path).unwrap();
        let steps =
            ["CREATE TABLE a (x); INSERT INTO a VALUES (7);", "ALTER TABLE a ADD COLUMN y DEFAULT 8;"];
        assert_eq!(run(&mut connection, &path, &steps[..1]).unwrap(), None, "nothing to copy in a new file");
        let backup = run(&mut connection, &path, &steps).unwrap().expect("a copy");
        let row = |c: &Connection, sql: &str| c.query_row(sql, [], |row| row.get::<_, i64>(0));
        assert_eq!(row(&connection, "SELECT x + y FROM a").unwrap(), 15);
        assert_eq!(row(&connection, "PRAGMA user_version").unwrap(), 2);
        let copy = Connection::open(&backup).unwrap();
        assert_eq!(row(&copy, "PRAGMA user_version").unwrap(), 1);
        assert_eq!(row(&copy, "SELECT x FROM a").unwrap(), 7);
        assert_eq!(run(&mut connection, &path, &steps).unwrap(), None, "a second run does nothing");
    }

    #[test]
    fn a_failing_step_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let mut connection = Connection::open(&path).unwrap();
        run(&mut connection, &path, &["CREATE TABLE a (x)"]).unwrap();
        run(&mut connection, &path, &["CREATE TABLE a (x)", "CREATE TABLE b (x); nonsense"]).unwrap_err();
        assert_eq!(version(&connection, &path, 2).unwrap(), 1);
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).unwrap();
        assert_eq!(tables, 1);
    }

    #[test]
    fn a_schema_number_that_was_never_given_is_refused() {
        for number in [-1, i64::from(i32::MIN), 0] {
            let mut connection = Connection::open_in_memory().unwrap();
            run(&mut connection, Path::new("s.db"), STEPS).unwrap();
            connection.pragma_update(None, "user_version", number).unwrap();
            let Err(Fault::Store(error)) = run(&mut connection, Path::new("s.db"), STEPS) else {
                panic!("refused");
            };
            assert!(error.to_string().contains(&format!("its schema number is {number}")), "{error}");
        }
    }

    #[test]
    fn a_newer_file_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        run(&mut connection, Path::new("s.db"), STEPS).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        let Err(Fault::Store(error)) = run(&mut connection, Path::new("s.db"), STEPS) else {
            panic!("refused");
        };
        assert!(error.to_string().contains("newer juror"), "{error}");
    }
}
