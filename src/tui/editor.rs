//! A note in the person's own editor.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::task::JoinHandle;

use super::message::Edited;

/// How long an editor that was asked to end may take before its file is read as it is.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// An editor that has a note in hand.
pub(super) struct Editing {
    program: String,
    handed: String,
    file: NoteFile,
    running: JoinHandle<std::io::Result<ExitStatus>>,
    pid: RunningPid,
}

/// The editor's process, while it runs.
type RunningPid = Arc<Mutex<Option<Pid>>>;

/// Starts the person's editor on `text`; `Err` says in a sentence why not.
pub(super) fn start(text: String) -> Result<Editing, String> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
        .unwrap_or_else(|| "vi".to_owned());
    let file =
        NoteFile::new(&text).map_err(|error| format!("the note could not be handed to {editor}: {error}"))?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi").to_owned();
    let mut command = Command::new(&program);
    command.args(words).arg(file.path());
    let pid = RunningPid::default();
    let told = Arc::clone(&pid);
    let running = tokio::task::spawn_blocking(move || {
        let mut child = command.spawn()?;
        set(&told, i32::try_from(child.id()).ok().and_then(Pid::from_raw));
        let status = child.wait();
        set(&told, None);
        status
    });
    Ok(Editing { program, handed: text, file, running, pid })
}

fn set(pid: &RunningPid, to: Option<Pid>) -> Option<Pid> {
    std::mem::replace(&mut *pid.lock().unwrap_or_else(PoisonError::into_inner), to)
}

impl Editing {
    /// Waits for the editor's end; `None` when it went well, else a sentence what did not.
    pub(super) async fn ended(&mut self) -> Option<String> {
        let program = &self.program;
        match (&mut self.running).await {
            Ok(Ok(status)) if status.success() => None,
            Ok(Ok(status)) => Some(format!("{program} ended with {status}")),
            Ok(Err(error)) => {
                Some(format!("{program} could not be started: {error}; set EDITOR to another editor"))
            }
            Err(error) => Some(error.to_string()),
        }
    }

    /// Ends the editor before the person does, and gives it a moment for that.
    pub(super) async fn end(&mut self) -> Option<String> {
        if let Some(editor) = set(&self.pid, None) {
            // It may have ended by itself just now.
            let _ = kill_process(editor, Signal::TERM);
        }
        match tokio::time::timeout(LAST_WORDS, self.ended()).await {
            Ok(trouble) => trouble,
            Err(_) => Some(format!("{} does not end", self.program)),
        }
    }

    /// What the editor made of the note, however it ended, and the file: whoever has it must not let go of it
    /// before the text is somewhere else.
    pub(super) fn outcome(self, trouble: Option<String>) -> (Edited, NoteFile) {
        let edited = match fs::read(self.file.path()) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                // An editor that was stopped while it wrote may have emptied the file first.
                let is_cut_off = trouble.is_some() && text.is_empty();
                Edited { text: (text != self.handed && !is_cut_off).then_some(text), trouble }
            }
            Err(error) => {
                let trouble = trouble.unwrap_or(format!("the edited note could not be read: {error}"));
                Edited { text: None, trouble: Some(trouble) }
            }
        };
        (edited, self.file)
    }
}

/// The note in a file that only its owner can read; letting go of it removes the file.
pub(super) struct NoteFile(PathBuf);

impl NoteFile {
    fn new(text: &str) -> std::io::Result<Self> {
        let name = format!("juror-note-{}.md", uuid::Uuid::new_v4().simple());
        let path = std::env::temp_dir().join(name);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let note = Self(path);
        file.write_all(text.as_bytes())?;
        Ok(note)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for NoteFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
