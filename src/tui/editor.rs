//! A note in the person's own editor.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process};
use tokio::task::JoinHandle;

/// Starts the person's editor on `text`. The task ends with the text after the editing, or a sentence
/// why not.
pub(super) fn start(text: String) -> (JoinHandle<Result<String, String>>, Ending) {
    let ending = Ending::default();
    let ends = ending.clone();
    (tokio::task::spawn_blocking(move || edit(&text, &ends)), ending)
}

/// Ends the editor before the person does.
#[derive(Clone, Default)]
pub(super) struct Ending(Arc<Mutex<Option<Pid>>>);

impl Ending {
    /// Asks the editor to end, when it runs.
    pub(super) fn end(&self) {
        if let Some(editor) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // It may have ended by itself just now.
            let _ = kill_process(editor, Signal::TERM);
        }
    }

    fn runs(&self, editor: Option<u32>) {
        let pid = editor.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = pid;
    }
}

fn edit(text: &str, ending: &Ending) -> Result<String, String> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
        .unwrap_or_else(|| "vi".to_owned());
    let draft =
        Draft::new(text).map_err(|error| format!("the note could not be handed to {editor}: {error}"))?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let failed = |error| format!("{program} could not be started: {error}; set EDITOR to another editor");
    let mut child = Command::new(program).args(words).arg(draft.path()).spawn().map_err(failed)?;
    ending.runs(Some(child.id()));
    let status = child.wait().map_err(failed);
    ending.runs(None);
    let status = status?;
    if !status.success() {
        return Err(format!("{program} ended with {status}: the note is as it was"));
    }
    fs::read_to_string(draft.path()).map_err(|error| format!("the edited note could not be read: {error}"))
}

/// A file that only its owner can read and that is gone when the editor is.
struct Draft(PathBuf);

impl Draft {
    fn new(text: &str) -> std::io::Result<Self> {
        let name = format!("juror-note-{}.md", uuid::Uuid::new_v4().simple());
        let path = std::env::temp_dir().join(name);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let draft = Self(path);
        file.write_all(text.as_bytes())?;
        Ok(draft)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
