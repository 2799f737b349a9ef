//! Reads lines of any form on a thread of its own, so that a slow pipe keeps nobody waiting; and keeps out what stands twice.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::super::Context;
use crate::format::import::Problem;
use crate::format::native::too_long;
use crate::format::source::{Heard as Read, Input, ReadError};
use crate::text::sanitize::shortened;

/// What a line is.
pub(in crate::cli) enum Heard<T> {
    Item(Box<T>),
    Bad(Problem),
}

/// Makes an item of a line and of its place, as people name it; or says why not.
pub(in crate::cli) type Parse<T> = fn(&[u8], String) -> Result<T, String>;

/// The lines of all inputs, a few at a time.
pub(in crate::cli) struct Lines<T> {
    lines: Receiver<Heard<T>>,
    read: Arc<AtomicU64>,
}

impl<T: Send + 'static> Lines<T> {
    /// Begins to read `inputs`, at most `ahead` lines ahead of whoever takes them.
    pub(in crate::cli) fn of(inputs: Vec<Input>, ahead: usize, parse: Parse<T>) -> Self {
        let (sender, lines) = channel(ahead);
        let read = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&read);
        // A thread that waits for a pipe ends with the process.
        std::thread::spawn(move || {
            for input in &inputs {
                if read_one(input, &counted, &sender, parse).is_break() {
                    return;
                }
            }
        });
        Self { lines, read }
    }

    /// The next line, `None` when all is read.
    pub(in crate::cli) async fn next(&mut self) -> Option<Heard<T>> {
        self.lines.recv().await
    }

    pub(in crate::cli) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// Bad lines printed one by one; the rest are counted.
const ERRORS_PRINTED: u64 = 20;

/// What was taken so far, and how many lines were not.
#[derive(Default)]
pub(in crate::cli) struct Taken {
    /// By name, such as "the record `a1`", where it stands.
    places: HashMap<String, String>,
    bad: u64,
}

impl Taken {
    /// Whether nothing of that name was taken yet; else the line is a bad one.
    pub(in crate::cli) fn is_first(&mut self, name: String, place: &str, context: &mut Context) -> bool {
        let reason = match self.places.entry(name) {
            Entry::Vacant(free) => {
                free.insert(place.to_owned());
                return true;
            }
            Entry::Occupied(first) => format!("{} stands twice, first at {}", first.key(), first.get()),
        };
        self.bad(&Problem { file: place.to_owned(), line: None, reason }, context);
        false
    }

    /// A line that is not taken.
    pub(in crate::cli) fn bad(&mut self, problem: &Problem, context: &mut Context) {
        self.bad += 1;
        if self.bad <= ERRORS_PRINTED {
            let Problem { file, line, reason } = problem;
            let line = line.map_or_else(String::new, |line| format!(":{line}"));
            context.out.error(&format!("{file}{line}: {reason}"));
        }
    }

    /// How many bad lines there are; those that were not printed are told as one.
    pub(in crate::cli) fn finish(self, context: &mut Context) -> u64 {
        if self.bad > ERRORS_PRINTED {
            context.out.error(&format!("{} more lines were not taken", self.bad - ERRORS_PRINTED));
        }
        self.bad
    }
}

fn read_one<T>(
    input: &Input,
    read: &Arc<AtomicU64>,
    sender: &Sender<Heard<T>>,
    parse: Parse<T>,
) -> ControlFlow<()> {
    let bad = |line: Option<u64>, reason: &str| {
        Heard::Bad(Problem { file: input.name().to_string(), line, reason: shortened(reason).into_owned() })
    };
    let send = |line: Heard<T>| match sender.blocking_send(line) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let ended = input.lines(read, &mut |heard| match heard {
        Read::Line(_, Ok(text)) if text.trim_ascii().is_empty() => ControlFlow::Continue(()),
        Read::Line(number, Ok(text)) => send(match parse(text, format!("{}:{number}", input.name())) {
            Ok(item) => Heard::Item(Box::new(item)),
            Err(reason) => bad(Some(number), &reason),
        }),
        Read::Line(number, Err(length)) => send(bad(Some(number), &too_long(length))),
        Read::Pause => ControlFlow::Continue(()),
    });
    match ended {
        Ok(()) => ControlFlow::Continue(()),
        Err(ReadError { after_line: 0, reason }) => send(bad(None, &reason)),
        Err(ReadError { after_line, reason }) => {
            send(bad(Some(after_line), &format!("after this line: {reason}")))
        }
    }
}
