//! Whose turn it is to store in bulk: the stores of one process that write the same file stand in line.
//!
//! SQLite has no line. Who finds its lock taken looks again after a while, and who stores in bulk looks seldom, so that
//! a person's decision passes ([`super::open`]). Between two who store in bulk in one process, an auditor and the log of
//! its exchanges, that while would be lost, over and over. Must not hold up decisions: they stand in no line.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A place in the line for one file.
#[derive(Clone)]
pub(super) struct Turn(Arc<Mutex<()>>);

/// A file as the system knows it.
type File = (u64, u64);

/// The lines that somebody stands in.
static LINES: Mutex<Vec<(File, Weak<Mutex<()>>)>> = Mutex::new(Vec::new());

impl Turn {
    pub(super) fn of(file: File) -> Self {
        let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|(_, line)| line.strong_count() > 0);
        let known = lines.iter().find(|(known, _)| *known == file).and_then(|(_, line)| line.upgrade());
        Self(known.unwrap_or_else(|| {
            let line = Arc::default();
            lines.push((file, Arc::downgrade(&line)));
            line
        }))
    }

    /// Waits for its turn, which lasts as long as what is returned.
    pub(super) fn wait(&self) -> MutexGuard<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_of_one_file_stand_in_one_line_and_others_in_others() {
        let (one, same, other) = (Turn::of((1, 7)), Turn::of((1, 7)), Turn::of((1, 8)));
        let turn = one.wait();
        assert!(same.0.try_lock().is_err());
        assert!(other.0.try_lock().is_ok());
        drop(turn);
        assert!(same.0.try_lock().is_ok());
    }
}
