//! Reads and parses on a thread of its own, so that the store is never kept waiting for a disk or a
//! pipe, nor a person who wants to stop.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use super::follow::follow;
use super::import::Problem;
use super::native::{MAX_LINE, Parsed, parse};
use super::source::{Answer, Heard, Input, ReadError};

/// Parcels on their way at once; each holds what one read brought.
const ON_THE_WAY: usize = 4;

/// Where a line stands.
#[derive(Debug, Clone)]
pub(super) struct Place {
    file: Arc<str>,
    line: u64,
}

impl Place {
    pub(super) fn problem(&self, reason: String) -> Problem {
        Problem { file: self.file.to_string(), line: Some(self.line), reason }
    }
}

/// What became of a line, or of a file.
pub(super) enum Item {
    Record { parsed: Box<Parsed>, place: Place },
    Rejected(Problem),
    BrokenFile(Problem),
}

/// What the reader has for its caller.
pub(super) enum Next {
    Items(Vec<Item>),
    /// Nothing came in the time allowed.
    Nothing,
    /// Everything is read.
    End,
}

/// The thread that reads. Dropped, it stops at its next line; a thread that waits for a pipe is left
/// behind and ends with the process.
pub(super) struct Reader(Receiver<Vec<Item>>);

impl Reader {
    /// Begins to read `inputs` one after the other, or to follow the first as it grows.
    pub(super) fn start(inputs: Vec<Input>, follow: bool, read: Arc<AtomicU64>) -> Self {
        let (sender, receiver) = sync_channel(ON_THE_WAY);
        std::thread::spawn(move || {
            for input in &inputs {
                if read_one(input, follow, &read, &sender).is_break() {
                    return;
                }
            }
        });
        Self(receiver)
    }

    /// The next items, waiting at most `patience`.
    pub(super) fn next(&self, patience: Duration) -> Next {
        match self.0.recv_timeout(patience) {
            Ok(items) => Next::Items(items),
            Err(RecvTimeoutError::Timeout) => Next::Nothing,
            Err(RecvTimeoutError::Disconnected) => Next::End,
        }
    }
}

fn read_one(
    input: &Input,
    grows: bool,
    read: &Arc<AtomicU64>,
    sender: &SyncSender<Vec<Item>>,
) -> ControlFlow<()> {
    let file = input.name();
    let mut parcel = Vec::new();
    let mut is_heard = true;
    let mut send = |parcel: &mut Vec<Item>| -> Answer {
        // An empty parcel asks whether anyone still listens.
        is_heard = sender.send(std::mem::take(parcel)).is_ok();
        if is_heard { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let mut each = |heard: Heard<'_>| match heard {
        Heard::Line(line, text) => {
            parcel.extend(item(file, line, text));
            ControlFlow::Continue(())
        }
        Heard::Pause => send(&mut parcel),
    };
    let result = match input.path() {
        Some(path) if grows => follow(path, &mut each),
        _ => input.lines(read, &mut each),
    };
    if let Err(ReadError { after_line, reason }) = result {
        let line = (after_line > 0).then_some(after_line);
        let reason = if after_line > 0 { format!("after this line: {reason}") } else { reason };
        parcel.push(Item::BrokenFile(Problem { file: file.to_string(), line, reason }));
    }
    send(&mut parcel)
}

/// What a line is; `None` for a blank one.
fn item(file: &Arc<str>, line: u64, text: Result<&[u8], usize>) -> Option<Item> {
    let place = Place { file: Arc::clone(file), line };
    let text = match text {
        Ok(text) => text,
        Err(length) => {
            let reason = format!(
                "the line has {length} bytes, at most {MAX_LINE} ({} MiB) are read",
                MAX_LINE / 1024 / 1024
            );
            return Some(Item::Rejected(place.problem(reason)));
        }
    };
    if text.trim_ascii().is_empty() {
        return None;
    }
    Some(match parse(text, format!("{file}:{line}")) {
        Ok(parsed) => Item::Record { parsed: Box::new(parsed), place },
        Err(reason) => Item::Rejected(place.problem(reason)),
    })
}
