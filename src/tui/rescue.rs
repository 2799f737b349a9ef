//! A note that the store would not take, in a file beside it: what was typed is never lost.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::domain::ids::ClaimId;

use super::options::ReviewError;

/// Writes `text` next to the store `db`; what comes back says where it is, or why it is nowhere.
pub(super) fn note(db: &Path, id: &ClaimId, text: &str) -> ReviewError {
    let name: String = id
        .to_string()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .take(60)
        .collect();
    let file = format!("juror-note-{name}-{}.md", uuid::Uuid::new_v4().simple());
    let path = db.parent().unwrap_or(Path::new(".")).join(file);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    match written {
        Ok(()) => ReviewError::NoteRescued { id: id.clone(), path },
        Err(source) => ReviewError::NoteLost { id: id.clone(), path, source, text: text.to_owned() },
    }
}
