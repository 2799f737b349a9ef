//! The settings file: TOML whose every key is known, with the line each value stands on.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::{ConfigError, Key, Origin};

/// A value before anyone knows what it must be. The environment and flags only have text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    Text(String),
    Whole(i64),
    Number(f64),
    Truth(bool),
    List(Vec<String>),
    /// Something that no setting can be: a date, a list of lists.
    Other(String),
}

impl Raw {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn whole(&self, range: RangeInclusive<i64>) -> Option<i64> {
        let number = match self {
            Self::Whole(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        };
        number.filter(|number| range.contains(number))
    }

    /// A number from 0 to 1.
    pub(super) fn share(&self) -> Option<f64> {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::Whole(number) => Some(*number as f64),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        };
        number.filter(|number| (0.0..=1.0).contains(number))
    }

    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Truth(truth) => Some(*truth),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// A list of texts; as text, the same list in JSON.
    pub(super) fn list(&self) -> Option<Vec<String>> {
        match self {
            Self::List(list) => Some(list.clone()),
            Self::Text(text) => serde_json::from_str(text).ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::List(list) => write!(f, "{list:?}"),
            Self::Other(kind) => write!(f, "a {kind}"),
        }
    }
}

/// The file's settings by their dotted names.
pub(super) struct FileLayer {
    pub(super) path: PathBuf,
    values: Vec<(String, Raw, usize)>,
}

impl FileLayer {
    /// Reads the file; every key must be one of `keys`.
    pub(super) fn read(path: &Path, keys: &[&Key]) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_path_buf(), source })?;
        let table = DeTable::parse(&text).map_err(|error| ConfigError::NotToml {
            path: path.to_path_buf(),
            line: error.span().map_or(1, |span| line_of(&text, span.start)),
            reason: error.message().to_owned(),
        })?;
        let mut values = Vec::new();
        collect(table.get_ref(), "", &text, &mut values);
        for (name, _, line) in &values {
            if !keys.iter().any(|key| key.name == name) {
                return Err(ConfigError::UnknownKey {
                    path: path.to_path_buf(),
                    line: *line,
                    key: name.clone(),
                    allowed: keys.iter().map(|key| key.name).collect::<Vec<_>>().join(", "),
                });
            }
        }
        Ok(Self { path: path.to_path_buf(), values })
    }

    pub(super) fn get(&self, name: &str) -> Option<(Raw, Origin)> {
        let (_, raw, line) = self.values.iter().find(|(known, ..)| known == name)?;
        Some((raw.clone(), Origin::File { path: self.path.clone(), line: *line }))
    }
}

fn collect(table: &DeTable<'_>, prefix: &str, text: &str, values: &mut Vec<(String, Raw, usize)>) {
    for (key, value) in table {
        let name =
            if prefix.is_empty() { key.get_ref().to_string() } else { format!("{prefix}.{}", key.get_ref()) };
        match value.get_ref() {
            // An empty section is nothing to complain about only if it could hold something.
            DeValue::Table(inner) => collect(inner, &name, text, values),
            other => values.push((name, raw(other), line_of(text, key.span().start))),
        }
    }
}

fn raw(value: &DeValue<'_>) -> Raw {
    let other = || Raw::Other(value.type_str().to_owned());
    match value {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or_else(|_| other(), Raw::Whole)
        }
        DeValue::Float(number) => number.as_str().parse().map_or_else(|_| other(), Raw::Number),
        DeValue::Boolean(truth) => Raw::Truth(*truth),
        DeValue::Array(items) => {
            let texts: Option<Vec<String>> =
                items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect();
            texts.map_or_else(other, Raw::List)
        }
        DeValue::Table(_) | DeValue::Datetime(_) => other(),
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}
