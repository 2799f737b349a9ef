//! Where a judge's keys come from. They are read when the judge is used, and no error repeats one.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::judge::settings::{AccountKey, Secret};

/// The account of a key that names none. Keys of one account rest together, which is the safe thing to assume.
const ACCOUNT: &str = "default";

/// A file of keys is not larger than this, in bytes.
const LARGEST_FILE: u64 = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeySource {
    /// The server wants none.
    None,
    /// Accounts and the variables that hold their keys.
    Variables(Vec<(String, String)>),
    File(PathBuf),
}

impl KeySource {
    pub(super) fn one(variable: impl Into<String>) -> Self {
        Self::Variables(vec![(ACCOUNT.to_owned(), variable.into())])
    }

    pub(super) fn in_words(&self) -> String {
        match self {
            Self::None => "no key".to_owned(),
            Self::Variables(variables) => {
                let names: Vec<&str> = variables.iter().map(|(_, variable)| variable.as_str()).collect();
                format!("key from {}", names.join(", "))
            }
            Self::File(path) => format!("key from the file {}", path.display()),
        }
    }

    /// The keys. The error is a sentence that says what to do.
    pub(super) fn read(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Vec<AccountKey>, String> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Variables(variables) => {
                let key = |(account, name): &(String, String)| {
                    let text = variable(name).unwrap_or_default();
                    let text = text.trim();
                    if text.is_empty() {
                        return Err(format!(
                            "the environment variable {name} is not set: put the key of the account `{account}` into it, \
                             `export {name}=…`"
                        ));
                    }
                    secret(account, text).ok_or_else(|| {
                        format!("what the environment variable {name} holds is no key: it must be printable, without blanks")
                    })
                };
                variables.iter().map(key).collect()
            }
            Self::File(path) => from_file(path),
        }
    }
}

/// The secret headers that these variables hold. The error is a sentence that says what to do.
pub(super) fn headers_from(
    variables: &[(String, String)],
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<(String, Secret)>, String> {
    let header = |(header, name): &(String, String)| {
        let text = variable(name).unwrap_or_default();
        let text = text.trim();
        if text.is_empty() {
            return Err(format!(
                "the environment variable {name} is not set: put the value of the header `{header}` into it, \
                 `export {name}=…`"
            ));
        }
        let is_sendable = text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
        is_sendable.then(|| (header.clone(), Secret::new(text))).ok_or_else(|| {
            format!(
                "what the environment variable {name} holds is no value of a header: it must be printable"
            )
        })
    };
    variables.iter().map(header).collect()
}

fn secret(account: &str, text: &str) -> Option<AccountKey> {
    let is_sendable = text.chars().all(|c| c.is_ascii_graphic());
    is_sendable.then(|| AccountKey { account: account.to_owned(), secret: Secret::new(text) })
}

fn from_file(path: &Path) -> Result<Vec<AccountKey>, String> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| format!("the key file {shown} cannot be read: {error}");
    let meta = path.metadata().map_err(unreadable)?;
    if !meta.is_file() || meta.len() > LARGEST_FILE {
        return Err(format!(
            "{shown} is no key file: it must be a small file of lines of an account and its key"
        ));
    }
    let mode = meta.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!(
            "others can read the key file {shown} (mode {mode:o}): `chmod 600 {shown}`, and think of the key as known"
        ));
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let mut keys = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let key = match words.as_slice() {
            [] => continue,
            [first, ..] if first.starts_with('#') => continue,
            [key] => secret(ACCOUNT, key),
            [account, key] if !looks_like_a_key(account) => secret(account, key),
            _ => None,
        };
        keys.push(key.ok_or_else(|| {
            format!("{shown}:{number}: this is no key: write a line as `ACCOUNT KEY`, or the key alone")
        })?);
    }
    if keys.is_empty() {
        return Err(format!(
            "the key file {shown} holds no key: write a line as `ACCOUNT KEY`, or the key alone"
        ));
    }
    Ok(keys)
}

/// Whether a text is more likely a key than the name of something.
pub(super) fn looks_like_a_key(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "sk-", "sk_", "pk-", "rk-", "xai-", "gsk_", "hf_", "nvapi-", "aiza", "ya29.", "bearer ", "ghp_",
        "eyj",
    ];
    let lower = text.to_ascii_lowercase();
    if BEGINNINGS.iter().any(|beginning| lower.len() > beginning.len() + 4 && lower.starts_with(beginning)) {
        return true;
    }
    // Long, of letters and digits mixed, without the words that names are made of.
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let has_lower = text.chars().any(|c| c.is_ascii_lowercase());
    text.len() >= 32
        && digits >= 4
        && has_lower
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        && text.split(['-', '_', '.']).any(|part| part.len() >= 20)
}
