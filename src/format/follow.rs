//! A file that grows: its lines as they come, over rotation and truncation, until told to stop.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use super::native::MAX_LINE;
use super::source::{Answer, Heard, ReadError, in_words};
use super::split::Splitter;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// After a rotation the old file is watched for so many looks, since its writer may still use it.
const LAST_LOOKS: u32 = 10;
const CHUNK: usize = 64 * 1024;

/// Hands on the lines of `path` from its first on, and then each new one, until `each` says stop.
///
/// A last line without a line feed waits for it. When the file is replaced, the old one is read to
/// its end first; when it is cut short, reading starts again at its beginning. A file that does not
/// exist yet is waited for. (A file that is cut and grows past the old length between two looks
/// cannot be told from one that only grew.)
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
        loop {
            let length = file.read(&mut chunk).map_err(|error| failed(&splitter, error))?;
            let mut on_line = |number: u64, line: Result<&[u8], usize>| each(Heard::Line(number, line));
            if length > 0 {
                position += length as u64;
                if splitter.push(chunk.get(..length).unwrap_or_default(), &mut on_line).is_break()
                    || each(Heard::Pause).is_break()
                {
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
