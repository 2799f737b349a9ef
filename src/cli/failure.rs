//! Exit codes, and how an error becomes one sentence and one of them.

use std::io;
use std::process::ExitCode;

use super::Output;
use crate::config::ConfigError;
use crate::format::source::SourceError;
use crate::log::BadFilter;
use crate::store::StoreError;
use crate::tui::ReviewError;
use crate::tui::keymap::KeymapError;

/// How a run ended, as scripts see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Fine,
    /// The gate says no: `--fail-on` hit, verification broken.
    GateSaysNo,
    /// Usage or bad input.
    BadInput,
    /// Not enough evidence to say: decisions are missing.
    NotEnough,
    /// The run failed.
    RunFailed,
    Interrupted,
}

impl Exit {
    /// How a run ends whatever came of it, the gravest first: it was interrupted, so much `failed`, so many lines are
    /// `bad`.
    pub(super) const fn before_all(interrupted: bool, failed: u64, bad: u64) -> Option<Self> {
        match (interrupted, failed, bad) {
            (true, ..) => Some(Self::Interrupted),
            (false, 1.., _) => Some(Self::RunFailed),
            (false, 0, 1..) => Some(Self::BadInput),
            (false, 0, 0) => None,
        }
    }

    pub const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::GateSaysNo => 1,
            Self::BadInput => 2,
            Self::NotEnough => 3,
            Self::RunFailed => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// An error whose exit code is not the usual one of its kind.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct Failure {
    pub exit: Exit,
    /// What happened and what to do.
    pub sentence: String,
}

impl Failure {
    /// Something the caller got wrong.
    pub fn bad_input(sentence: impl Into<String>) -> Self {
        Self { exit: Exit::BadInput, sentence: sentence.into() }
    }
}

/// Says what went wrong and which exit code it has.
pub(super) fn report(error: &anyhow::Error, out: &mut Output) -> Exit {
    let exit = exit_of(error);
    if exit == Exit::RunFailed {
        tracing::error!("{error:#}");
    }
    match error.downcast_ref::<ConfigError>() {
        Some(error) if error.is_in_lines() => out.error_lines(&error.to_string()),
        _ => out.error(&sentence(error)),
    }
    exit
}

/// The error and its causes in one line. Many an error tells its cause itself: it is not said twice.
fn sentence(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !told.contains(&cause) {
            let joint = if told.is_empty() { "" } else { ": " };
            told.push_str(joint);
            told.push_str(&cause);
        }
    }
    told
}

/// Whether the error is that nobody reads any more what was written.
pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kinds.any(|kind| kind == io::ErrorKind::BrokenPipe)
}

fn exit_of(error: &anyhow::Error) -> Exit {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.exit;
    }
    let is_input = error.is::<ConfigError>()
        || error.is::<BadFilter>()
        || error.is::<SourceError>()
        || error.is::<KeymapError>();
    if is_input {
        return Exit::BadInput;
    }
    let store = match error.downcast_ref::<ReviewError>() {
        Some(ReviewError::NoTerminal) => return Exit::BadInput,
        Some(ReviewError::Store(store)) => Some(store),
        _ => error.downcast_ref::<StoreError>(),
    };
    match store {
        Some(
            StoreError::Sqlite { .. }
            | StoreError::Io { .. }
            | StoreError::Busy(_)
            | StoreError::DiskFull(_)
            | StoreError::Gone(_)
            | StoreError::ReadOnly(_)
            | StoreError::CannotOpen(_)
            | StoreError::Corrupt { .. }
            | StoreError::Damaged { .. },
        )
        | None => Exit::RunFailed,
        Some(_) => Exit::BadInput,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let cause = || std::io::Error::other("the disk is on fire");
        let error = anyhow::Error::from(StoreError::Io { path: "s.db".into(), source: cause() });
        assert_eq!(sentence(&error), "s.db: the disk is on fire");
        assert_eq!(sentence(&anyhow::Error::from(cause()).context("no")), "no: the disk is on fire");
    }
}
