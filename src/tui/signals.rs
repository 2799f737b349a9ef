//! The signals that concern the screen.

use std::io;

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caught {
    End,
    /// The program goes on after it was stopped.
    Continue,
}

pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    go_on: Signal,
}

impl Signals {
    /// Listens from now on: these signals no longer end the program by themselves.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            go_on: signal(SignalKind::from_raw(Number::CONT.as_raw()))?,
        })
    }

    pub(super) async fn next(&mut self) -> Caught {
        tokio::select! {
            biased;
            _ = self.terminate.recv() => Caught::End,
            _ = self.hang_up.recv() => Caught::End,
            _ = self.interrupt.recv() => Caught::End,
            _ = self.go_on.recv() => Caught::Continue,
        }
    }

    /// Waits for a signal that ends the program whatever else has the terminal.
    pub(super) async fn end(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
