//! Who else is on duty, and what it means when nobody is.

use crate::auditor::{Fate, fate, is_stopped};
use crate::store::told::{Present, Work};
use crate::store::{Store, StoreError};

/// How it is with a program that said that it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Runs {
        pid: u32,
    },
    /// Ctrl-Z, or a signal.
    Stopped {
        pid: u32,
    },
    /// On another host, or in another container: it may be there or not.
    Unseen {
        host: String,
    },
}

/// Another program that works with the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    pub present: Present,
    pub state: State,
}

impl Other {
    pub fn runs(&self) -> bool {
        !matches!(self.state, State::Stopped { .. })
    }

    pub fn audits(&self) -> bool {
        self.runs() && self.present.audits
    }

    pub fn pages(&self) -> bool {
        self.runs() && self.present.pages
    }

    /// `juror audit --watch (process 12)`
    pub fn name(&self) -> String {
        let place = match &self.state {
            State::Runs { pid } => format!("process {pid}"),
            State::Stopped { pid } => format!("process {pid}, stopped"),
            State::Unseen { host } => format!("on host {host}, not seen from here"),
        };
        format!("{} ({place})", self.present.work.command())
    }
}

/// Everybody on duty but `own`, as far as it lives.
///
/// # Errors
/// When the store cannot be read.
pub fn others(store: &Store, own: Option<&str>) -> Result<Vec<Other>, StoreError> {
    let all = store.present()?.into_iter().filter(|present| own != Some(present.holder.as_str()));
    Ok(all
        .filter_map(|present| {
            let state = match fate(&present.holder) {
                Fate::Dead => return None,
                Fate::Alive { pid } if is_stopped(pid) => State::Stopped { pid },
                Fate::Alive { pid } => State::Runs { pid },
                Fate::Unknown { host } => State::Unseen { host },
            };
            Some(Other { present, state })
        })
        .collect())
}

/// What is missing when these are all that are on duty, and nobody else; `None` where nothing is, or nobody misses it.
/// `has_hook` is whether the settings say whom to call, `waiting` how many records wait to be audited.
pub fn alone(others: &[Other], has_hook: bool, waiting: u64) -> Option<&'static str> {
    let audits = others.iter().any(Other::audits);
    let pages = others.iter().any(Other::pages);
    let follows = others.iter().any(|other| other.runs() && other.present.work == Work::Follow);
    match (audits, pages) {
        (false, _) if has_hook => Some("nobody audits, and nobody is called"),
        (false, _) if follows || waiting > 0 => Some("nobody audits"),
        (true, false) if has_hook => Some("nobody is called"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(work: Work, audits: bool, pages: bool, stopped: bool) -> Other {
        let state = if stopped { State::Stopped { pid: 9 } } else { State::Runs { pid: 9 } };
        Other { present: Present { holder: "x".to_owned(), work, audits, pages, since_ms: 0 }, state }
    }

    #[test]
    fn it_is_said_what_is_missing_only_where_somebody_would_miss_it() {
        let watch = other(Work::Watch, true, true, false);
        let deaf = other(Work::Watch, true, false, false);
        let follow = other(Work::Follow, false, false, false);
        assert_eq!(alone(&[], false, 0), None, "nothing comes in");
        assert_eq!(alone(&[], false, 3), Some("nobody audits"));
        assert_eq!(alone(std::slice::from_ref(&follow), false, 0), Some("nobody audits"));
        assert_eq!(alone(&[], true, 0), Some("nobody audits, and nobody is called"));
        assert_eq!(alone(&[deaf], true, 0), Some("nobody is called"));
        assert_eq!(alone(&[watch], true, 5), None);
        let stopped = other(Work::Screen, true, true, true);
        assert_eq!(stopped.name(), "juror (process 9, stopped)");
        assert_eq!(alone(&[stopped, follow], true, 0), Some("nobody audits, and nobody is called"));
    }
}
