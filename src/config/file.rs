//! The settings file: TOML whose every key is known, with the line each value stands on.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::judge::EMBEDDINGS;
use super::keys::looks_like_a_key;
use super::{ConfigError, Flags, Key, Origin, Surroundings, UnknownSetting};

/// A value before anyone knows what it must be. The environment and flags only have text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    Text(String),
    Whole(i64),
    Number(f64),
    Truth(bool),
    List(Vec<String>),
    Table(Vec<Entry>),
    /// A list of tables.
    Tables(Vec<Vec<Entry>>),
    /// Something that no setting can be: a date, a list of lists.
    Other(String),
}

/// A value with its name and the line it stands on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) raw: Raw,
    pub(super) line: usize,
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
        self.number(0.0..=1.0)
    }

    pub(super) fn number(&self, range: RangeInclusive<f64>) -> Option<f64> {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::Whole(number) => Some(*number as f64),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        };
        number.filter(|number| range.contains(number))
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
            Self::Table(_) => f.write_str("a table"),
            Self::Tables(_) => f.write_str("a list of tables"),
            Self::Other(kind) => write!(f, "a {kind}"),
        }
    }
}

/// The file's settings by their dotted names, and the judges that it defines.
pub(super) struct FileLayer {
    pub(super) path: PathBuf,
    values: Vec<Entry>,
    /// The tables `[judge.NAME]`.
    pub(super) judges: Vec<Entry>,
    /// The tables `[keys.PLACE]`.
    pub(super) keys: Vec<Entry>,
    /// The table `[embeddings]`.
    pub(super) embeddings: Option<Entry>,
}

/// The section that holds the judges, and the one setting in it that is no judge.
const JUDGES: &str = "judge";
const DEFAULT_JUDGE: &str = "default";

/// The section that holds a person's own keys.
const OWN_KEYS: &str = "keys";

impl FileLayer {
    pub(super) fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_path_buf(), source })?;
        let table = DeTable::parse(&text).map_err(|error| ConfigError::NotToml {
            path: path.to_path_buf(),
            line: error.span().map_or(1, |span| line_of(&text, span.start)),
            reason: toml_reason(error.message(), &text),
        })?;
        let (mut values, mut judges, mut keys, mut embeddings) = (Vec::new(), Vec::new(), Vec::new(), None);
        for entry in entries(table.get_ref(), &text) {
            match entry.raw {
                Raw::Table(inner) if entry.name == JUDGES => judges = inner,
                Raw::Table(inner) if entry.name == OWN_KEYS => keys = inner,
                raw if entry.name == EMBEDDINGS => embeddings = Some(Entry { raw, ..entry }),
                raw => flatten(Entry { raw, ..entry }, &mut values),
            }
        }
        // Among the judges stands which of them is meant when nobody says.
        if let Some(at) = judges.iter().position(|entry| entry.name == DEFAULT_JUDGE) {
            values.push(Entry { name: JUDGES.to_owned(), ..judges.remove(at) });
        }
        Ok(Self { path: path.to_path_buf(), values, judges, keys, embeddings })
    }

    /// What the file sets that is none of `keys`.
    pub(super) fn unknown(&self, keys: &[&Key]) -> Vec<UnknownSetting> {
        let unknown = self.values.iter().filter(|entry| !keys.iter().any(|key| key.name == entry.name));
        let named = unknown.map(|Entry { name, line, .. }| UnknownSetting {
            name: if name.split('.').any(looks_like_a_key) { "…".to_owned() } else { name.clone() },
            line: *line,
        });
        let mut unknown: Vec<UnknownSetting> = named.collect();
        unknown.sort_by_key(|setting| setting.line);
        unknown
    }

    pub(super) fn get(&self, name: &str) -> Option<(Raw, Origin)> {
        let Entry { raw, line, .. } = self.values.iter().find(|entry| entry.name == name)?;
        Some((raw.clone(), Origin::File { path: self.path.clone(), line: *line }))
    }
}

/// The file to read: one that is named must exist, the default one need not.
pub(super) fn find_file(
    flags: &Flags,
    surroundings: &Surroundings<'_>,
) -> Result<Option<FileLayer>, ConfigError> {
    let named = flags.config.clone().or_else(|| {
        (surroundings.variable)("JUROR_CONFIG").filter(|text| !text.is_empty()).map(PathBuf::from)
    });
    match (named, surroundings.default_file) {
        (Some(path), _) => FileLayer::read(&path).map(Some),
        (None, Some(path)) if path.exists() => FileLayer::read(path).map(Some),
        (None, _) => Ok(None),
    }
}

/// What is wrong with the file. A judge cannot be a text and a table at once, which the parser says less clearly.
fn toml_reason(message: &str, text: &str) -> String {
    let is_text = |line: &str| line.split_once('=').is_some_and(|(name, _)| name.trim() == JUDGES);
    if text.lines().any(is_text) && text.lines().any(|line| line.trim_start().starts_with("[judge.")) {
        return "beside a table [judge.NAME] the judge is chosen by `judge.default = \"NAME\"`, at the top of the \
                file, not by `judge = \"NAME\"`"
            .to_owned();
    }
    message.to_owned()
}

/// `entry`, and of a section each of its settings, under dotted names.
fn flatten(entry: Entry, values: &mut Vec<Entry>) {
    match entry.raw {
        // An empty section is nothing to complain about only if it could hold something.
        Raw::Table(inner) => {
            for one in inner {
                flatten(Entry { name: format!("{}.{}", entry.name, one.name), ..one }, values);
            }
        }
        _ => values.push(entry),
    }
}

fn entries(table: &DeTable<'_>, text: &str) -> Vec<Entry> {
    let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| Entry {
        name: std::borrow::Cow::to_string(key.get_ref()),
        raw: raw(value.get_ref(), text),
        line: line_of(text, key.span().start),
    };
    table.iter().map(entry).collect()
}

fn raw(value: &DeValue<'_>, text: &str) -> Raw {
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
            let tables = || {
                let table = |item: &toml::Spanned<DeValue<'_>>| {
                    item.get_ref().as_table().map(|table| entries(table, text))
                };
                items.iter().map(table).collect::<Option<Vec<_>>>()
            };
            texts.map(Raw::List).or_else(|| tables().map(Raw::Tables)).unwrap_or_else(other)
        }
        DeValue::Table(table) => Raw::Table(entries(table, text)),
        DeValue::Datetime(_) => other(),
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}
