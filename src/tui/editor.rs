//! A note in the person's own editor.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The text after the person has edited it; an error is a sentence. Blocks until the editor ends.
pub(super) fn edit(text: &str) -> Result<String, String> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
        .unwrap_or_else(|| "vi".to_owned());
    let draft =
        Draft::new(text).map_err(|error| format!("the note could not be handed to {editor}: {error}"))?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status =
        Command::new(program).args(words).arg(draft.path()).status().map_err(|error| {
            format!("{program} could not be started: {error}; set EDITOR to another editor")
        })?;
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
