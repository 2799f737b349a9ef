//! A file that grows: its lines as they come, over rotation and truncation, until told to stop.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

use super::native::MAX_LINE;
use super::source::{Answer, Heard, ReadError, in_words, without_mark};
use super::split::{Line, Splitter};

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// After a rotation the old file is watched for so many looks, since its writer may still use it.
const LAST_LOOKS: u32 = 10;
const CHUNK: usize = 64 * 1024;

/// Hands on the lines of `path` from its first on, and then each new one, until `each` says stop.
///
/// A last line without a line feed waits for it. When the file is replaced, the old one is read to
/// its end first; when it is cut short, reading starts again at its beginning, also when it has
/// grown past the old length by then: the last bytes that were read are no longer in their place. A
/// file that does not exist yet is waited for.
pub(super) fn follow(path: &Path, each: &mut dyn FnMut(Heard<'_>) -> Answer) -> Result<(), ReadError> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let Some(mut file) = open(path)? else {
            if each(Heard::Pause).is_break() {
                return Ok(());
            }
            std::thread::sleep(LOOK_EVERY);
            continue;
        };
        let mut splitter = Splitter::new(MAX_LINE);
        let failed = |splitter: &Splitter, error: io::Error| ReadError {
            after_line: splitter.finished(),
            reason: error.to_string(),
        };
        let identity = file.metadata().map(|meta| (meta.dev(), meta.ino()));
        let identity = identity.map_err(|error| failed(&splitter, error))?;
        let (mut position, mut last_looks) = (0, LAST_LOOKS);
        let mut tail = Tail::default();
        let mut rested = false;
        loop {
            if std::mem::take(&mut rested) && !tail.stands(&file, position) {
                if splitter.finish(&mut |number, line| hear(each, number, line)).is_break() {
                    return Ok(());
                }
                break;
            }
            let length = file.read(&mut chunk).map_err(|error| failed(&splitter, error))?;
            let mut on_line = |number: u64, line: Result<&[u8], usize>| hear(each, number, line);
            if length > 0 {
                let bytes = chunk.get(..length).unwrap_or_default();
                position += length as u64;
                tail.add(bytes);
                if splitter.push(bytes, &mut on_line).is_break() || each(Heard::Pause).is_break() {
                    return Ok(());
                }
                continue;
            }
            let meta = path.metadata().ok();
            let is_cut = file.metadata().is_ok_and(|meta| meta.len() < position);
            let is_replaced = meta.is_some_and(|meta| (meta.dev(), meta.ino()) != identity);
            last_looks = if is_replaced { last_looks - 1 } else { LAST_LOOKS };
            if is_cut || last_looks == 0 {
                if splitter.finish(&mut on_line).is_break() {
                    return Ok(());
                }
                break;
            }
            if each(Heard::Pause).is_break() {
                return Ok(());
            }
            std::thread::sleep(LOOK_EVERY);
            rested = true;
        }
    }
}

/// Hands a line on; the first of a file without the byte order mark.
fn hear(each: &mut dyn FnMut(Heard<'_>) -> Answer, number: u64, line: Line<'_>) -> Answer {
    let line = if number == 1 { line.map(without_mark) } else { line };
    each(Heard::Line(number, line))
}

/// The last bytes that were read, by which a file is known again.
#[derive(Default)]
struct Tail(Vec<u8>);

impl Tail {
    const LONGEST: usize = 1024;

    fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        self.0.drain(..self.0.len().saturating_sub(Self::LONGEST));
    }

    /// Whether these bytes still stand in `file` before `position`.
    fn stands(&self, file: &File, position: u64) -> bool {
        let mut found = vec![0; self.0.len()];
        let Some(start) = position.checked_sub(self.0.len() as u64) else { return false };
        match file.read_exact_at(&mut found, start) {
            Ok(()) => found == self.0,
            // Cut below the position: its length says so, too. Any other trouble shows in reading.
            Err(error) => error.kind() != io::ErrorKind::UnexpectedEof,
        }
    }
}

/// The file, `None` while there is none.
fn open(path: &Path) -> Result<Option<File>, ReadError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ReadError { after_line: 0, reason: in_words(&error) }),
    }
}
