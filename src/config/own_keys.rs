//! The keys that a person gives to commands in the settings file: `[keys.PLACE]`.
//!
//! Which commands and places there are, and whether two of them want the same key, the screen's key table knows.

use std::path::Path;

use super::file::{Entry, Raw};
use super::{ConfigError, Origin};

/// The keys of one command in one place, instead of those that come with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnKeys {
    /// Where the keyboard is: `review`.
    pub place: String,
    pub command: String,
    /// As in `assets/keymap.toml`; none takes the command's keys away.
    pub keys: Vec<String>,
    pub origin: Origin,
}

/// The keys of the tables `[keys.PLACE]`, in the order of their lines.
pub(super) fn own_keys(path: &Path, tables: &[Entry]) -> Result<Vec<OwnKeys>, ConfigError> {
    let mut own = Vec::new();
    for place in tables {
        let problem =
            |line: usize, problem: String| ConfigError::Keys { path: path.to_path_buf(), line, problem };
        let Raw::Table(commands) = &place.raw else {
            let name = &place.name;
            let sentence = format!("`keys.{name}` is no table: keys are given below a line `[keys.review]`");
            return Err(problem(place.line, sentence));
        };
        for command in commands {
            let keys = match &command.raw {
                Raw::Text(key) => vec![key.clone()],
                Raw::List(keys) => keys.clone(),
                other => {
                    let (place, command_name) = (&place.name, &command.name);
                    let sentence = format!(
                        "`keys.{place}.{command_name}` cannot be {other}: use a key, \"c\", or a list of them, [\"c\", \"ctrl-y\"]"
                    );
                    return Err(problem(command.line, sentence));
                }
            };
            own.push(OwnKeys {
                place: place.name.clone(),
                command: command.name.clone(),
                keys,
                origin: Origin::File { path: path.to_path_buf(), line: command.line },
            });
        }
    }
    own.sort_by_key(|keys| match keys.origin {
        Origin::File { line, .. } => line,
        _ => 0,
    });
    Ok(own)
}
