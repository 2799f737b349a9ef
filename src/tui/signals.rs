//! The signals that concern the screen.

use std::io;
use std::time::Duration;

use nix::unistd::{Pid, getpgid, getpgrp, getppid, getsid};
use rustix::process::{Signal as Number, getpid, kill_current_process_group, kill_process};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caught {
    End,
    /// The program is to stop until it is let go on.
    Stop,
    /// The program goes on after it was stopped.
    Continue,
}

pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
    stop: Signal,
    go_on: Signal,
    /// Nobody waits for it: that it is listened to keeps a write past the limit of a file's size from killing the
    /// program. The write fails instead, and that is told like a full disk.
    _too_large: Signal,
}

impl Signals {
    /// Listens from now on: these signals no longer end the program by themselves.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            stop: signal(SignalKind::from_raw(Number::TSTP.as_raw()))?,
            go_on: signal(SignalKind::from_raw(Number::CONT.as_raw()))?,
            _too_large: signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?,
        })
    }

    pub(super) async fn next(&mut self) -> Caught {
        tokio::select! {
            biased;
            _ = self.terminate.recv() => Caught::End,
            _ = self.hang_up.recv() => Caught::End,
            _ = self.interrupt.recv() => Caught::End,
            _ = self.stop.recv() => Caught::Stop,
            _ = self.go_on.recv() => Caught::Continue,
        }
    }

    /// Waits for a signal that concerns the program while something else has the terminal.
    pub(super) async fn outside(&mut self) -> Caught {
        tokio::select! {
            biased;
            _ = self.terminate.recv() => Caught::End,
            _ = self.hang_up.recv() => Caught::End,
            _ = self.stop.recv() => Caught::Stop,
        }
    }
}

/// Stops this process until it is let go on. Once a program listens to it, the signal that asks for a stop
/// no longer stops it, so it has to do that itself.
pub(super) fn stop_here() -> io::Result<()> {
    if is_job() {
        kill_process(getpid(), Number::STOP)?;
    }
    Ok(())
}

/// Stops everything that was started along with this process, as the terminal does.
pub(super) async fn stop_job() -> io::Result<()> {
    let mut asked = signal(SignalKind::from_raw(Number::TSTP.as_raw()))?;
    let mut continued = signal(SignalKind::from_raw(Number::CONT.as_raw()))?;
    kill_current_process_group(Number::TSTP)?;
    stop_here()?;
    // Both were meant for this stop: whoever listens from now on must not hear of them.
    let both = async { (asked.recv().await, continued.recv().await) };
    let _ = tokio::time::timeout(Duration::from_millis(300), both).await;
    Ok(())
}

/// Whether a shell is in charge that can let a stopped process go on: its parent, or whoever gave the
/// process a group other than that of the session's leader. Without one a stop would last for ever, and
/// the system does not obey the signal either.
///
/// In a container the parent, the group or the session may belong to a process outside, which the system
/// calls 0. `nix` passes that on; `rustix` takes it for impossible.
pub(super) fn is_job() -> bool {
    let (group, parent) = (getpgrp(), getppid());
    let Ok(session) = getsid(None) else { return false };
    if parent == OUTSIDE {
        return false;
    }
    match (getpgid(Some(parent)), getsid(Some(parent))) {
        (Ok(its_group), Ok(its_session)) if its_group != group => session == its_session,
        (Ok(_), Ok(_)) => session != group && is_seen(session),
        _ => false,
    }
}

/// What the system calls a process of another namespace.
const OUTSIDE: Pid = Pid::from_raw(0);

fn is_seen(process: Pid) -> bool {
    process != OUTSIDE && nix::sys::signal::kill(process, None).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_limit_of_a_files_size_does_not_kill_the_program() {
        let signals = Signals::listen().unwrap();
        kill_process(getpid(), Number::XFSZ).unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        // Also while something else has the terminal, after the first who listened is gone.
        drop(signals);
        kill_process(getpid(), Number::XFSZ).unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
