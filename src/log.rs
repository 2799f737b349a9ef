//! What the program does, written to a file in the state folder and never to the terminal.
//!
//! `JUROR_LOG` chooses what is written (`warn` by default and every call of the hook, `debug`, `juror::store=trace`, …).
//! The file is made when the first line is written, so a quiet run leaves nothing behind.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// A log file larger than this, in bytes, is moved aside to `juror.log.1` when the program starts to write.
const ROTATE_AT: u64 = 10 * 1024 * 1024;

/// The variable that chooses what is logged.
pub const VARIABLE: &str = "JUROR_LOG";

/// `JUROR_LOG` holds something that is not a filter.
#[derive(Debug, thiserror::Error)]
#[error("{VARIABLE}: `{found}` is not a log filter ({reason}): use error, warn, info, debug or trace")]
pub struct BadFilter {
    found: String,
    reason: String,
}

/// The log file in `state_dir`.
pub fn file(state_dir: &Path) -> PathBuf {
    state_dir.join("juror.log")
}

/// Whether somebody was called, when and with what is asked later.
const DEFAULT: &str = "warn,juror::duty=info";

/// Sends this process's log to the file in `state_dir`, filtered by `filter` (the usual one when absent).
///
/// A log that cannot be written never stops the program.
pub fn start(state_dir: &Path, filter: Option<&str>) -> Result<(), BadFilter> {
    let filter = filter.unwrap_or(DEFAULT);
    let filter = EnvFilter::try_new(filter)
        .map_err(|error| BadFilter { found: filter.to_owned(), reason: error.to_string() })?;
    let log = LazyFile { path: file(state_dir), open: Arc::default() };
    // A second start in one process (tests) keeps the first log.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(log)
        // Else the subscriber tells its own failures to standard error, across the screen.
        .log_internal_errors(false)
        .try_init();
    Ok(())
}

/// A file that is opened at the first write.
#[derive(Clone)]
struct LazyFile {
    path: PathBuf,
    open: Arc<Mutex<Option<File>>>,
}

impl Write for LazyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_none() {
            *open = Some(open_rotated(&self.path)?);
        }
        open.as_mut().map_or(Ok(bytes.len()), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LazyFile {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

fn open_rotated(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match std::fs::metadata(path) {
        // A link to the terminal would draw over the screen, and opening a FIFO would wait for its reader.
        Ok(meta) if !meta.is_file() => return Err(io::Error::other("the log is not a regular file")),
        Ok(meta) if meta.len() > ROTATE_AT => std::fs::rename(path, path.with_extension("log.1"))?,
        _ => {}
    }
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_nobody_writes_to_is_not_made_and_a_written_one_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = file(&folder.path().join("state"));
        let mut log = LazyFile { path: path.clone(), open: Arc::default() };
        assert!(!path.exists());
        log.write_all(b"one\n").unwrap();
        log.make_writer().write_all(b"two\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn only_a_regular_file_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path());
        std::os::unix::fs::symlink("/dev/null", &path).unwrap();
        let mut log = LazyFile { path, open: Arc::default() };
        assert!(log.write_all(b"one\n").is_err());
    }

    #[test]
    fn a_bad_filter_names_the_variable() {
        let error = start(Path::new("/nowhere"), Some("juror=loud")).unwrap_err();
        assert!(error.to_string().starts_with("JUROR_LOG: `juror=loud`"), "{error}");
    }
}
