//! Where lines come from: files, folders, gzip, standard input.
//!
//! Reads bytes and hands on lines; must not know what a line means.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::native::MAX_LINE;
use super::split::Splitter;

/// What a file in a folder must be called to be read.
pub const EXTENSIONS: &[&str] = &[".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz"];

/// How gzip begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Bytes asked for at once.
const CHUNK: usize = 64 * 1024;

/// One thing to read, and what people call it.
#[derive(Debug, Clone)]
pub struct Input {
    name: Arc<str>,
    from: From,
}

#[derive(Debug, Clone)]
enum From {
    File(PathBuf),
    Stdin,
    /// A copy of something that can be read only once.
    Copy(Arc<File>),
}

/// Why something cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("{}: {}", path.display(), in_words(error))]
    Io { path: PathBuf, error: io::Error },
    #[error("the folder {} holds no file named {}", path.display(), patterns())]
    EmptyFolder { path: PathBuf },
}

/// Reading stopped in the middle: after which line, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The last line that was read whole; 0 when there was none.
    pub after_line: u64,
    pub reason: String,
}

/// What reading brings.
pub enum Heard<'a> {
    /// A line with its number, or the length of one that is over [`MAX_LINE`].
    Line(u64, Result<&'a [u8], usize>),
    /// Nothing more is at hand for the moment.
    Pause,
}

/// What the listener answers: go on, or stop reading.
pub type Answer = ControlFlow<()>;

impl Input {
    /// The file at `path`.
    pub fn file(path: PathBuf) -> Self {
        Self { name: path.to_string_lossy().into(), from: From::File(path) }
    }

    /// What people call it: the path as they gave it, or `stdin`.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Its size in bytes where that is known beforehand.
    pub fn size(&self) -> Option<u64> {
        let meta = match &self.from {
            From::File(path) => path.metadata(),
            From::Copy(file) => file.metadata(),
            From::Stdin => return None,
        };
        meta.ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len())
    }

    /// Whether it can be opened, before anything else is begun.
    pub fn probe(&self) -> Result<(), SourceError> {
        match &self.from {
            From::File(path) if path.metadata().is_ok_and(|meta| !meta.is_file()) => Ok(()),
            From::File(path) => {
                File::open(path).map(|_| ()).map_err(|error| SourceError::Io { path: path.clone(), error })
            }
            From::Stdin | From::Copy(_) => Ok(()),
        }
    }

    /// Whether it is a file that begins as gzip does.
    pub fn is_gzip(&self) -> bool {
        let mut head = [0; 2];
        self.size().is_some()
            && self.open().and_then(|mut file| file.read_exact(&mut head)).is_ok()
            && head == GZIP
    }

    /// The path, where it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.from {
            From::File(path) => Some(path),
            From::Stdin | From::Copy(_) => None,
        }
    }

    /// The same input in a form that can be read twice: a pipe is copied to a file without a name in
    /// `folder`, which is gone when the program ends, however it ends.
    pub fn rereadable(self, folder: &Path) -> Result<Self, SourceError> {
        if self.size().is_some() {
            return Ok(self);
        }
        let failed = |error| SourceError::Io { path: folder.to_path_buf(), error };
        let copy = unnamed_file(folder).map_err(failed)?;
        let mut reader = self.open().map_err(failed)?;
        let mut writer = io::BufWriter::new(&copy);
        io::copy(&mut reader, &mut writer).and_then(|_| writer.flush()).map_err(failed)?;
        drop(writer);
        Ok(Self { name: self.name, from: From::Copy(Arc::new(copy)) })
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match &self.from {
            From::File(path) => Box::new(File::open(path)?),
            From::Stdin => Box::new(io::stdin()),
            From::Copy(file) => {
                let mut file = file.try_clone()?;
                file.rewind()?;
                Box::new(file)
            }
        })
    }

    /// Hands every line to `each`; `read` counts the bytes taken from the input as they are taken.
    pub fn lines(
        &self,
        read: &Arc<AtomicU64>,
        each: &mut dyn FnMut(Heard<'_>) -> Answer,
    ) -> Result<(), ReadError> {
        let nothing_read = |error: io::Error| ReadError { after_line: 0, reason: in_words(&error) };
        let counted = Counted { inner: self.open().map_err(nothing_read)?, read: Arc::clone(read) };
        let (is_gzip, mut reader) = unpack(counted).map_err(nothing_read)?;
        let mut splitter = Splitter::new(MAX_LINE);
        let mut chunk = vec![0; CHUNK];
        let (mut unreadable, mut looked) = (None, false);
        let mut hear = |heard: Heard<'_>| match heard {
            Heard::Line(number, Ok(line)) if !looked => {
                let line = if number == 1 { without_mark(line) } else { line };
                looked = !line.trim_ascii().is_empty();
                unreadable = not_line_by_line(line);
                match unreadable {
                    Some(_) => ControlFlow::Break(()),
                    None => each(Heard::Line(number, Ok(line))),
                }
            }
            other => each(other),
        };
        let ended = loop {
            match reader.read(&mut chunk) {
                Ok(0) => break splitter.finish(&mut |number, line| hear(Heard::Line(number, line))),
                Ok(length) => {
                    let bytes = chunk.get(..length).unwrap_or_default();
                    let answer = splitter.push(bytes, &mut |number, line| hear(Heard::Line(number, line)));
                    if answer.is_break() || hear(Heard::Pause).is_break() {
                        break ControlFlow::Break(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let reason = read_reason(&error, is_gzip);
                    return Err(ReadError { after_line: splitter.finished(), reason });
                }
            }
        };
        match unreadable {
            Some(reason) if ended.is_break() => Err(ReadError { after_line: 0, reason: reason.to_owned() }),
            _ => Ok(()),
        }
    }
}

/// What `arguments` name: `-` is standard input, a folder is its files in order of name (its
/// subfolders are not looked into).
pub fn expand(arguments: &[PathBuf]) -> Result<Vec<Input>, SourceError> {
    let mut inputs = Vec::new();
    for path in arguments {
        if path.as_os_str() == "-" {
            inputs.push(Input { name: "stdin".into(), from: From::Stdin });
        } else if path.is_dir() {
            let files = files_in(path)?;
            if files.is_empty() {
                return Err(SourceError::EmptyFolder { path: path.clone() });
            }
            inputs.extend(files.into_iter().map(Input::file));
        } else {
            inputs.push(Input::file(path.clone()));
        }
    }
    Ok(inputs)
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let failed = |error| SourceError::Io { path: folder.to_path_buf(), error };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        if path.is_file() && EXTENSIONS.iter().any(|extension| name.ends_with(extension)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn patterns() -> String {
    EXTENSIONS.iter().map(|extension| format!("*{extension}")).collect::<Vec<_>>().join(", ")
}

/// A file that has no name any more and that nobody else may read.
fn unnamed_file(folder: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let path = folder.join(format!(".juror-import-{}", uuid::Uuid::new_v4()));
    let file = std::fs::OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// Counts what is read through it.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// The reader, unpacked when its first bytes say that it is gzip (of one or several members).
fn unpack<R: Read + 'static>(mut reader: R) -> io::Result<(bool, Box<dyn Read>)> {
    let mut head = Vec::with_capacity(2);
    while head.len() < 2 && reader.by_ref().take(2 - head.len() as u64).read_to_end(&mut head)? > 0 {}
    let is_gzip = head == GZIP;
    let whole = Cursor::new(head).chain(reader);
    Ok((is_gzip, if is_gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) }))
}

/// The operating system's complaint, without its number where words say it all.
pub(super) fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you may not read it (permission denied)".to_owned(),
        _ => error.to_string(),
    }
}

fn read_reason(error: &io::Error, is_gzip: bool) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof if is_gzip => {
            "the gzip data is cut off here: what stands before it was read, the rest is missing".to_owned()
        }
        _ if is_gzip => format!("the gzip data is damaged here ({error}): what stands before it was read"),
        _ => in_words(error),
    }
}

/// `line` without the byte order mark that some programs put at the start of a file.
pub(super) fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

/// Why the file whose first line with something in it is `line` cannot be read line by line at all,
/// if that is so: one answer instead of an error for each of its lines.
fn not_line_by_line(line: &[u8]) -> Option<&'static str> {
    if line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") {
        return Some("the file is UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`");
    }
    let start = line.trim_ascii();
    let is_whole = || serde_json::from_slice::<serde::de::IgnoredAny>(start).is_ok();
    match start.first() {
        // A line that was cut ends in the middle of a text, a printed object at a comma or a bracket.
        Some(b'{') if matches!(start.last(), Some(b'{' | b'[' | b',' | b':')) && !is_whole() => Some(
            "this is not JSON Lines: the file holds JSON over several lines; write one record a line, `jq -c . FILE`",
        ),
        Some(b'[') if !is_whole() => Some(
            "this is not JSON Lines: the file holds one JSON list; write one record a line, `jq -c '.[]' FILE`",
        ),
        Some(b'{' | b'[') | None => None,
        Some(_) => is_header(start).then_some(
            "this is not JSON Lines: the file looks like a table (CSV); write one JSON object a line, \
             `juror import --help` shows its fields",
        ),
    }
}

/// Whether a line is the head of a table: cells, one of them the name of a field that juror reads.
fn is_header(line: &[u8]) -> bool {
    const FIELDS: &[&[u8]] = &[
        b"audit_id",
        b"generated_answer",
        b"answer",
        b"claim",
        b"evidence",
        b"evidence_passages",
        b"id",
        b"question",
    ];
    let cells = || line.split(|byte| matches!(byte, b',' | b';' | b'\t'));
    let bare = |cell: &[u8]| {
        let cell = cell.trim_ascii();
        cell.strip_prefix(b"\"")
            .and_then(|cell| cell.strip_suffix(b"\""))
            .unwrap_or(cell)
            .to_ascii_lowercase()
    };
    cells().count() > 1 && cells().any(|cell| FIELDS.contains(&bare(cell).as_slice()))
}
