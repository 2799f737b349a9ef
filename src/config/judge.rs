//! The judges that the settings file defines, one table `[judge.NAME]` each, and the server of embeddings.
//!
//! A table is checked as soon as the file is read ([`super::table`]); keys are read only when the judge is used
//! ([`super::keys`]).

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::{Entry, Raw};
use super::keys::{KeySource, headers_from, looks_like_a_key};
use super::table::Table;
use super::{ConfigError, Origin};
use crate::judge::settings::{Endpoint, ModelSettings, Protocol};

/// A judge that the settings file defines, without its keys.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedJudge {
    /// With no keys.
    pub(super) settings: ModelSettings,
    pub(super) keys: KeySource,
    /// Secret headers and the variables that hold them.
    pub(super) header_variables: Vec<(String, String)>,
    pub(super) prompts: Option<PathBuf>,
    pub(super) origin: Origin,
}

impl NamedJudge {
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// All but the keys.
    pub fn settings(&self) -> &ModelSettings {
        &self.settings
    }

    /// The folder of prompts that replace those of the program.
    pub fn prompts(&self) -> Option<&Path> {
        self.prompts.as_deref()
    }

    /// Where its keys and secret headers come from, in words.
    pub fn keys_in_words(&self) -> String {
        let headers = self.header_variables.iter();
        let headers = headers.map(|(name, variable)| format!(", header {name} from {variable}"));
        self.keys.in_words() + &headers.collect::<String>()
    }

    /// Where it is defined.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether what it is asked stays on this host.
    pub fn is_on_this_host(&self) -> bool {
        reqwest::Url::parse(&self.settings.endpoint.base_url).is_ok_and(|url| is_loopback(&url))
    }

    /// Whether everything on the way can read along.
    pub fn is_in_the_clear(&self) -> bool {
        self.settings.endpoint.base_url.starts_with("http://") && !self.is_on_this_host()
    }

    /// All of it, with the keys, which are read now.
    ///
    /// # Errors
    /// When a variable or file does not hold a key that can be used.
    pub(super) fn with_keys(
        &self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<ModelSettings, ConfigError> {
        let wrong = |problem| ConfigError::Key { origin: self.origin.clone(), problem };
        let mut settings = self.settings.clone();
        settings.keys = self.keys.read(variable).map_err(wrong)?;
        settings.endpoint.secret_headers = headers_from(&self.header_variables, variable).map_err(wrong)?;
        Ok(settings)
    }

    /// In a line, for people.
    pub fn in_words(&self) -> String {
        let Endpoint { protocol, model, base_url, .. } = &self.settings.endpoint;
        format!("{}, {model} at {base_url}, {}", protocol.label(), self.keys_in_words())
    }
}

/// What a judge may be called: 1 to 40 letters, digits, `_` and `-`.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=40).contains(&name.len()) && name.chars().all(fits) && !looks_like_a_key(name)
}

/// The judges of the tables of a file.
pub(super) fn judges(
    path: &Path,
    tables: &[Entry],
    home: Option<&Path>,
) -> Result<Vec<NamedJudge>, ConfigError> {
    let read = |entry: &Entry| {
        let problem =
            |problem: String| ConfigError::Judge { path: path.to_path_buf(), line: entry.line, problem };
        let Raw::Table(settings) = &entry.raw else {
            return Err(problem(format!(
                "`judge.{}` is no table: a judge is defined by `[judge.NAME]` and the lines below it",
                entry.name
            )));
        };
        if entry.name == super::LOCAL {
            return Err(problem(
                "the name `local` is taken: it is the judge inside juror; call yours something else"
                    .to_owned(),
            ));
        }
        if !is_name(&entry.name) {
            return Err(problem("a judge is named by 1 to 40 letters, digits, `-` and `_`".to_owned()));
        }
        Table { path, judge: Some(&entry.name), line: entry.line, settings, home }.judge()
    };
    tables.iter().map(read).collect()
}

/// The section of what tells how alike two answers are in meaning.
pub(super) const EMBEDDINGS: &str = "embeddings";

/// What of a judge's table may stand in it.
pub(super) const OF_EMBEDDINGS: &[&str] = &[
    "model",
    "base_url",
    "key_env",
    "keys",
    "key_file",
    "auth_header",
    "auth_prefix",
    "headers",
    "concurrency",
    "timeout_s",
    "attempts",
    "prices",
    "allow_http",
];

/// The table `[embeddings]`: a server is reached like a judge, and judges nothing.
pub(super) fn embeddings(path: &Path, table: &Entry, home: Option<&Path>) -> Result<NamedJudge, ConfigError> {
    let Raw::Table(settings) = &table.raw else {
        let problem =
            "`embeddings` is a table: `[embeddings]` with `model` and `base_url` below it".to_owned();
        return Err(ConfigError::Judge { path: path.to_path_buf(), line: table.line, problem });
    };
    Table { path, judge: None, line: table.line, settings, home }.judge()
}

/// What holds for a provider unless somebody says otherwise.
pub(super) struct Defaults {
    pub(super) base_url: &'static str,
    pub(super) key_env: &'static str,
    pub(super) header: &'static str,
    pub(super) prefix: &'static str,
    pub(super) limits: Limits,
}

#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) concurrency: usize,
    pub(super) timeout: Duration,
    pub(super) record_timeout: Duration,
    pub(super) max_output: u32,
    pub(super) context: u32,
}

/// A provider's own server.
const FAR: Limits = Limits {
    concurrency: 16,
    timeout: Duration::from_mins(2),
    record_timeout: Duration::from_mins(10),
    max_output: 4096,
    context: 128_000,
};

/// A server on this host: slower, and seldom given a large context.
pub(super) const NEAR: Limits = Limits {
    concurrency: 2,
    timeout: Duration::from_mins(5),
    record_timeout: Duration::from_mins(30),
    max_output: 2048,
    context: 8192,
};

pub(super) const fn defaults(protocol: Protocol) -> Defaults {
    match protocol {
        Protocol::OpenAi => Defaults {
            base_url: "https://api.openai.com/v1",
            key_env: "OPENAI_API_KEY",
            header: "authorization",
            prefix: "Bearer ",
            limits: FAR,
        },
        Protocol::Anthropic => Defaults {
            base_url: "https://api.anthropic.com/v1",
            key_env: "ANTHROPIC_API_KEY",
            header: "x-api-key",
            prefix: "",
            limits: Limits { context: 200_000, ..FAR },
        },
        Protocol::Gemini => Defaults {
            base_url: "https://generativelanguage.googleapis.com/v1beta",
            key_env: "GEMINI_API_KEY",
            header: "x-goog-api-key",
            prefix: "",
            limits: Limits { concurrency: 8, ..FAR },
        },
    }
}

pub(super) fn is_loopback(url: &reqwest::Url) -> bool {
    url.host_str().is_some_and(|host| {
        let address = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}
