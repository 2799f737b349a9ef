//! Opening the file: where it may lie, who may read it, and how SQLite is set up.

use std::cell::RefCell;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::turn::Turn;
use super::{Durability, Fallible, Fault, Store, StoreError, migrate, place};

/// How long a writer waits for other writers.
const PATIENCE: Duration = Duration::from_secs(5);

/// One thread makes a file at a time, so that none closes a file which another one has in SQLite already.
static MAKING: Mutex<()> = Mutex::new(());

/// How often a waiting writer looks whether the lock is free. Short, because an importer leaves only
/// short gaps and SQLite's own waiting grows to 100 ms between two looks.
const LOOK: Duration = Duration::from_millis(1);

/// The same for who stores in bulk. The lock goes to the one that looks first, not to the one that has
/// waited longest: whoever looks seldom lets a decision pass, however many imports and audits wait.
const BULK_LOOK: Duration = Duration::from_millis(8);

/// Pages in the write-ahead log from which on a commit folds them into the file. Folding writes what
/// others left there too, and waits for the disk: a decision leaves that to who stores in bulk, whose
/// limit is SQLite's own, unless nobody does it.
const FOLD: u32 = 1000;
const FOLD_WHEN_DECIDING: u32 = 4000;

impl Store {
    /// Opens the store at `path`, creating it (mode 600) and migrating it as needed.
    pub fn open(path: &Path, durability: Durability) -> Result<Self, StoreError> {
        let cannot_write = |source: io::Error| match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StoreError::ReadOnly(path.to_owned())
            }
            _ => StoreError::Io { path: path.to_owned(), source },
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        create_folder(folder).map_err(cannot_write)?;
        refuse_network(path, folder)?;
        refuse_no_file(path)?;
        make_file(path).map_err(cannot_write)?;
        connect(path, durability).map_err(|fault| fault.told(path))
    }

    /// Opens an existing store for reading only; never creates or migrates. Where nothing can be written
    /// beside it, for lack of a permission or of room, and nothing is left there, it is read as it stands
    /// ([`Store::is_frozen`]).
    pub fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        refuse_network(path, path.parent().unwrap_or(path))?;
        refuse_no_file(path)?;
        let mut is_frozen = place::is_frozen(path);
        let mut opened = known_reader(path, is_frozen).map_err(|fault| fault.told(path));
        // On a full disk there is no room for what SQLite keeps beside the file while it is read.
        if matches!(opened, Err(StoreError::DiskFull(_))) && !is_frozen && place::is_folded(path) {
            is_frozen = true;
            opened = known_reader(path, is_frozen).map_err(|fault| fault.told(path));
        }
        Ok(Self {
            path: path.to_owned(),
            durability: Durability::Full,
            writer: None,
            turn: None,
            reader: opened?,
            is_frozen,
            hand: String::new(),
            file: place::identity(path),
            last_record: RefCell::new(None),
            sets: RefCell::default(),
        })
    }
}

/// Makes a file that is created readable and writable for its owner only.
pub(super) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

fn create_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes the file unless it is there. What is there is for SQLite alone to open: when a process closes a
/// file, whatever it opened it for, the system takes away all locks which the process has on it, those of
/// its other stores too. The next program to close the file would then throw away the log under them.
fn make_file(path: &Path) -> io::Result<()> {
    let path = linked(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    let _alone = MAKING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match options.open(&path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// What a symbolic link to nothing stands for: a new file is to be made there.
fn linked(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    while path.is_symlink()
        && matches!(path.metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
    {
        let target = path.read_link()?;
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Ok(path)
}

fn refuse_network(path: &Path, folder: &Path) -> Result<(), StoreError> {
    match place::network_of(if path.exists() { path } else { folder }) {
        Some(kind) => Err(StoreError::NetworkFileSystem { path: path.to_owned(), kind }),
        None => Ok(()),
    }
}

/// Refuses folders, devices and pipes, of which SQLite would only say that they cannot be read.
fn refuse_no_file(path: &Path) -> Result<(), StoreError> {
    match path.metadata() {
        Ok(there) if !there.is_file() => {
            let what = if there.is_dir() { "it is a directory" } else { "it is not a file" };
            Err(StoreError::NotAStore { path: path.to_owned(), reason: what.to_owned() })
        }
        _ => Ok(()),
    }
}

fn connect(path: &Path, durability: Durability) -> Fallible<Store> {
    // SQLite gives the -wal and -shm files the mode of the file itself.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut writer = Connection::open_with_flags(path, flags)?;
    if writer.is_readonly(rusqlite::MAIN_DB)? {
        return Err(StoreError::ReadOnly(path.to_owned()).into());
    }
    be_patient(&mut writer, LOOK)?;
    // Before anything is written: a file of another program stays as it is.
    migrate::version(&writer, path, migrate::KNOWN)?;
    enter_wal(&writer)?;
    set_up(&writer)?;
    writer.pragma_update(None, "foreign_keys", true)?;
    writer.pragma_update(None, "recursive_triggers", true)?;
    // What is deleted, a draft or a note, does not stay in the file as free space.
    writer.pragma_update(None, "secure_delete", true)?;
    // Migrating is a matter of record as well; the wished durability comes after it.
    writer.pragma_update(None, "synchronous", "FULL")?;
    migrate::run(&mut writer, path, migrate::STEPS)?;
    writer.pragma_update(None, "wal_autocheckpoint", FOLD_WHEN_DECIDING)?;
    if durability == Durability::Normal {
        writer.pragma_update(None, "synchronous", "NORMAL")?;
        writer.pragma_update(None, "wal_autocheckpoint", FOLD)?;
        be_patient(&mut writer, BULK_LOOK)?;
    }
    let (reader, _) = reader(path, false)?;
    let hand = writer.query_row("SELECT lower(hex(randomblob(8)))", [], |row| row.get(0))?;
    let file = place::identity(path);
    Ok(Store {
        path: path.to_owned(),
        durability,
        writer: Some(writer),
        reader,
        turn: file.filter(|_| durability == Durability::Normal).map(Turn::of),
        is_frozen: false,
        hand,
        file,
        last_record: RefCell::new(None),
        sets: RefCell::default(),
    })
}

/// A connection for reading to a file of the present schema.
fn known_reader(path: &Path, is_frozen: bool) -> Fallible<Connection> {
    let (reader, found) = reader(path, is_frozen)?;
    if found < migrate::KNOWN {
        let path = path.to_owned();
        // An empty file is as good as none.
        return Err(Fault::Store(if found == 0 {
            StoreError::Missing(path)
        } else {
            StoreError::Older { path, found, known: migrate::KNOWN }
        }));
    }
    Ok(reader)
}

/// A connection for reading, and the version of the file. A frozen one is taken for unchanging: SQLite
/// neither locks it nor looks for its log.
pub(super) fn reader(path: &Path, is_frozen: bool) -> Fallible<(Connection, i64)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut reader = if is_frozen {
        Connection::open_with_flags(unchanging(path), flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(path, flags)?
    };
    be_patient(&mut reader, LOOK)?;
    let found = migrate::version(&reader, path, migrate::KNOWN)?;
    reader.pragma_update(None, "query_only", true)?;
    set_up(&reader)?;
    Ok((reader, found))
}

/// The address by which SQLite opens a file that does not change.
fn unchanging(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => address.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => address.push(char::from(*byte)),
            byte => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    address + "?immutable=1"
}

fn set_up(connection: &Connection) -> Fallible<()> {
    connection.pragma_update(None, "cache_size", -8000)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    // Plans that do not depend on bound values: otherwise every binding throws the prepared plan away.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(96);
    Ok(())
}

fn be_patient(connection: &mut Connection, look: Duration) -> Fallible<()> {
    let looks = PATIENCE.as_millis() / look.as_millis();
    connection.busy_handler(Some(move |before: i32| {
        std::thread::sleep(look);
        u128::try_from(before).is_ok_and(|before| before < looks)
    }))?;
    Ok(())
}

/// Switches to write-ahead logging, which the file remembers. The switch needs the file alone for a
/// moment and SQLite does not wait for that, so this does.
fn enter_wal(connection: &Connection) -> Fallible<()> {
    let mut looks = 0;
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match mode {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                return super::refused(format!(
                    "the file system does not allow write-ahead logging (SQLite stays in mode {mode}): \
                     choose another place with --db"
                ));
            }
            Err(error)
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) && looks < 1000 =>
            {
                looks += 1;
                std::thread::sleep(LOOK);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frozen_file_of_any_name_is_read_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b?c#d%20é&.db");
        drop(Store::open(&path, Durability::Full).unwrap());
        let (reader, found) = reader(&path, true).unwrap();
        assert_eq!(found, migrate::KNOWN);
        let counts: i64 = reader.query_row("SELECT count(*) FROM counts", [], |row| row.get(0)).unwrap();
        assert_eq!(counts, 1);
        assert!(reader.execute_batch("DELETE FROM counts").is_err());
        let names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(names, [path], "nothing beside it while it is read");
    }
}
