//! Where an export goes: standard output, a new file that takes its place when all is written, or
//! whatever must stay what it is.

use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::Output;
use super::output::visible_lines;

/// Symbolic links followed from one path, as the kernel has it.
const MOST_LINKS: usize = 40;

/// What `-o PATH` names.
pub(super) enum Place {
    /// A regular file, or nothing yet: a new file takes its place when all is written.
    File(PathBuf),
    /// A device, a FIFO or the like, which must stay what it is: it is written into.
    Special(PathBuf, File),
    /// What this program has as its standard output, under whatever name.
    Stdout,
}

impl Place {
    /// Follows symbolic links to what they stand for. Waits for the reader of a FIFO.
    pub(super) fn find(path: &Path) -> anyhow::Result<Self> {
        let failed = || format!("{} cannot be written", path.display());
        // Going on where it stands: `>>log` must not be cut off, nor another file put in its place.
        if path.metadata().is_ok_and(|meta| is_standard_output(&meta)) {
            return Ok(Self::Stdout);
        }
        let path = followed(path).with_context(failed)?;
        match std::fs::metadata(&path) {
            Ok(meta) if !meta.is_file() || is_descriptor(&path) => {
                let file = File::options().append(true).open(&path).with_context(failed)?;
                Ok(Self::Special(path, file))
            }
            // Where nothing can be made, the attempt tells why.
            _ => Ok(Self::File(path)),
        }
    }
}

/// The path that `path` comes to when it is a symbolic link, also to something that is not there yet.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        // What a link of /proc names need not be a path: `/dev/stdout` may stand for a pipe. And what is
        // open already is not to be replaced under its name.
        if !path.is_symlink() || is_descriptor(&path) || path.metadata().is_ok_and(|meta| !meta.is_file()) {
            return Ok(path);
        }
        let target = path.read_link()?;
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether the path is one of this process's open files: `/dev/fd/3`, `/proc/self/fd/3`.
fn is_descriptor(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.is_some_and(|folder| folder.starts_with("/proc") && folder.ends_with("fd"))
}

#[cfg(unix)]
fn is_standard_output(meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let stdout = rustix::fs::fstat(io::stdout());
    stdout.is_ok_and(|stdout| (stdout.st_dev, stdout.st_ino) == (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn is_standard_output(_: &Metadata) -> bool {
    false
}

/// Where the rows go.
pub(super) enum Sink<'a> {
    Stdout(&'a mut Output),
    File { writer: io::BufWriter<File>, unfinished: Unfinished, path: &'a Path },
    Special { writer: io::BufWriter<&'a File>, path: &'a Path },
}

/// A file beside its final place, removed unless it is finished.
pub(super) struct Unfinished(Option<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl<'a> Sink<'a> {
    pub(super) fn open(place: Option<&'a Place>, out: &'a mut Output) -> anyhow::Result<Self> {
        let path = match place {
            None | Some(Place::Stdout) => return Ok(Self::Stdout(out)),
            Some(Place::Special(path, file)) => {
                return Ok(Self::Special { writer: io::BufWriter::new(file), path });
            }
            Some(Place::File(path)) => path,
        };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        let file = File::create(&part).with_context(|| format!("{} cannot be written", path.display()))?;
        let unfinished = Unfinished(Some(part));
        Ok(Self::File { writer: io::BufWriter::new(file), unfinished, path })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let (written, path) = match self {
            Self::Stdout(out) => return Ok(out.data(bytes)?),
            Self::File { writer, path, .. } => (writer.write_all(bytes), path),
            Self::Special { writer, path } if writer.get_ref().is_terminal() => {
                let shown = visible_lines(&String::from_utf8_lossy(bytes));
                (writer.write_all(shown.as_bytes()), path)
            }
            Self::Special { writer, path } => (writer.write_all(bytes), path),
        };
        written.with_context(|| format!("{} cannot be written", path.display()))
    }

    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(out) => out.flush()?,
            Self::Special { mut writer, path } => {
                writer.flush().with_context(|| format!("{} cannot be written", path.display()))?;
            }
            Self::File { writer, mut unfinished, path } => {
                let failed = || format!("{} cannot be written", path.display());
                writer
                    .into_inner()
                    .map_err(io::IntoInnerError::into_error)
                    .with_context(failed)?
                    .sync_all()?;
                if let Some(part) = unfinished.0.take() {
                    std::fs::rename(part, path).with_context(failed)?;
                }
            }
        }
        Ok(())
    }
}
