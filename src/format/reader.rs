//! Reads and parses on a thread of its own, so that the store is never kept waiting for a disk or a
//! pipe, nor a person who wants to stop.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::follow::follow;
use super::import::Problem;
use super::native::{Parsed, parse, too_long};
use super::source::{Answer, Heard, Input, ReadError};
use crate::text::sanitize::shortened;

/// Parcels on their way at once; each holds what one read brought.
const ON_THE_WAY: usize = 4;

/// Where a line stands.
#[derive(Debug, Clone)]
pub(super) struct Place {
    file: Arc<str>,
    line: u64,
}

impl Place {
    pub(super) fn problem(&self, reason: &str) -> Problem {
        Problem { file: self.file.to_string(), line: Some(self.line), reason: shortened(reason).into_owned() }
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
    /// The reader broke; nothing more will come.
    Broken(Problem),
    /// Everything is read.
    End,
}

/// The thread that reads. Dropped, it stops at its next line; a thread that waits for a pipe is left
/// behind and ends with the process.
pub(super) struct Reader {
    items: Receiver<Vec<Item>>,
    /// `None` once it ended.
    thread: Option<JoinHandle<()>>,
    /// The file that is being read.
    at: Arc<Mutex<Arc<str>>>,
}

impl Reader {
    /// Begins to read `inputs` one after the other, or to follow the first as it grows.
    pub(super) fn start(inputs: Vec<Input>, follow: bool, read: Arc<AtomicU64>) -> Self {
        Self::over(inputs, move |input, sender| read_one(input, follow, &read, sender))
    }

    fn over(
        inputs: Vec<Input>,
        mut read_one: impl FnMut(&Input, &SyncSender<Vec<Item>>) -> ControlFlow<()> + Send + 'static,
    ) -> Self {
        let (sender, items) = sync_channel(ON_THE_WAY);
        let at =
            Arc::new(Mutex::new(inputs.first().map_or_else(|| Arc::from(""), |one| Arc::clone(one.name()))));
        let reading = Arc::clone(&at);
        let thread = std::thread::spawn(move || {
            for input in &inputs {
                *reading.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(input.name());
                if read_one(input, &sender).is_break() {
                    return;
                }
            }
        });
        Self { items, thread: Some(thread), at }
    }

    /// The next items, waiting at most `patience`.
    pub(super) fn next(&mut self, patience: Duration) -> Next {
        match self.items.recv_timeout(patience) {
            Ok(items) => Next::Items(items),
            Err(RecvTimeoutError::Timeout) => Next::Nothing,
            // A thread that ended well has nothing more; one that broke must not look like it.
            Err(RecvTimeoutError::Disconnected) => match self.thread.take().map(JoinHandle::join) {
                Some(Err(_)) => {
                    let file = self.at.lock().unwrap_or_else(PoisonError::into_inner).to_string();
                    let reason = "reading broke off inside juror: what came before is kept, the rest and any \
                                  later file was not read; this is a fault of juror, please report it";
                    Next::Broken(Problem { file, line: None, reason: reason.to_owned() })
                }
                _ => Next::End,
            },
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
            return Some(Item::Rejected(place.problem(&too_long(length))));
        }
    };
    if text.trim_ascii().is_empty() {
        return None;
    }
    Some(match parse(text, format!("{file}:{line}")) {
        Ok(parsed) => Item::Record { parsed: Box::new(parsed), place },
        Err(reason) => Item::Rejected(place.problem(&reason)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_breaks_is_not_the_end_of_the_input() {
        let inputs = vec![Input::file("a.jsonl".into()), Input::file("b.jsonl".into())];
        let mut reader = Reader::over(inputs, |input, sender| {
            assert!(&**input.name() == "a.jsonl", "told to break on the second");
            sender.send(Vec::new()).unwrap();
            ControlFlow::Continue(())
        });
        let patience = Duration::from_secs(10);
        assert!(matches!(reader.next(patience), Next::Items(_)), "what came before is handed on");
        let Next::Broken(problem) = reader.next(patience) else { panic!("it broke") };
        assert_eq!((problem.file.as_str(), problem.line), ("b.jsonl", None));
        assert!(matches!(reader.next(patience), Next::End));
    }
}
