//! Reads pairs on a thread of its own, so that a slow pipe keeps nobody waiting.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::format::import::Problem;
use crate::format::native::too_long;
use crate::format::pair::{Pair, parse};
use crate::format::source::{Heard, Input, ReadError};
use crate::text::sanitize::shortened;

/// What a line is.
pub(super) enum Line {
    Pair(Box<Pair>),
    Bad(Problem),
}

/// The lines of all inputs, a few at a time.
pub(super) struct Lines {
    lines: Receiver<Line>,
    read: Arc<AtomicU64>,
}

impl Lines {
    /// Begins to read `inputs`, at most `ahead` lines ahead of whoever takes them.
    pub(super) fn of(inputs: Vec<Input>, ahead: usize) -> Self {
        let (sender, lines) = channel(ahead);
        let read = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&read);
        // A thread that waits for a pipe ends with the process.
        std::thread::spawn(move || {
            for input in &inputs {
                if read_one(input, &counted, &sender).is_break() {
                    return;
                }
            }
        });
        Self { lines, read }
    }

    /// The next line, `None` when all is read.
    pub(super) async fn next(&mut self) -> Option<Line> {
        self.lines.recv().await
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

fn read_one(input: &Input, read: &Arc<AtomicU64>, sender: &Sender<Line>) -> ControlFlow<()> {
    let bad = |line: Option<u64>, reason: &str| {
        Line::Bad(Problem { file: input.name().to_string(), line, reason: shortened(reason).into_owned() })
    };
    let send = |line: Line| match sender.blocking_send(line) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let ended = input.lines(read, &mut |heard| match heard {
        Heard::Line(_, Ok(text)) if text.trim_ascii().is_empty() => ControlFlow::Continue(()),
        Heard::Line(number, Ok(text)) => send(match parse(text) {
            Ok(pair) => Line::Pair(Box::new(pair)),
            Err(reason) => bad(Some(number), &reason),
        }),
        Heard::Line(number, Err(length)) => send(bad(Some(number), &too_long(length))),
        Heard::Pause => ControlFlow::Continue(()),
    });
    match ended {
        Ok(()) => ControlFlow::Continue(()),
        Err(ReadError { after_line: 0, reason }) => send(bad(None, &reason)),
        Err(ReadError { after_line, reason }) => {
            send(bad(Some(after_line), &format!("after this line: {reason}")))
        }
    }
}
