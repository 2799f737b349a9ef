//! One table `[judge.NAME]`, or `[embeddings]`: every setting checked, and none of them a key.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::{Entry, Raw};
use super::judge::{EMBEDDINGS, NEAR, NamedJudge, OF_EMBEDDINGS, defaults, is_loopback};
use super::keys::{KeySource, looks_like_a_key};
use super::{ConfigError, Origin};
use crate::judge::settings::{Endpoint, ModelSettings, Prices, Protocol, Reasoning};

/// What may stand in the table of a judge, and what it may be, to end the sentence "use …".
const SETTINGS: &[(&str, &str)] = &[
    ("provider", "\"openai\" (every compatible server too), \"anthropic\" or \"gemini\""),
    ("model", "the model's name as its server knows it"),
    ("base_url", "an address up to the version, \"http://localhost:11434/v1\""),
    ("key_env", "the name of the environment variable that holds the key"),
    ("keys", "a list of accounts, [{ account = \"NAME\", key_env = \"VARIABLE\" }]"),
    ("key_file", "the path of a file of mode 600 that holds the key, or lines of an account and its key"),
    ("auth_header", "the name of the header that the key goes in"),
    ("auth_prefix", "what stands before the key in its header, \"Bearer \""),
    ("version", "the `anthropic-version` to ask for, \"2023-06-01\""),
    (
        "headers",
        "a table of further headers, { name = \"value\" }, a secret one as { name = { env = \"VARIABLE\" } }",
    ),
    ("concurrency", "a whole number from 1 to 256"),
    ("timeout_s", "a whole number of seconds from 1 to 3600"),
    ("record_timeout_s", "a whole number of seconds from 1 to 86400"),
    ("attempts", "a whole number from 3 to 10"),
    ("max_output", "a whole number of tokens from 64 to 1000000"),
    ("context", "a whole number of tokens from 1024 to 10000000"),
    ("items_per_request", "a whole number from 1 to 10"),
    ("temperature", "a number from 0 to 2"),
    ("seed", "a whole number from 0 on"),
    ("reasoning", "\"none\", \"minimal\", \"low\", \"medium\" or \"high\""),
    ("prices", "US dollars for a million tokens, { input = 0.5, cached = 0.05, output = 2.0 }"),
    ("prompts", "the path of a folder of prompts"),
    ("allow_http", "true or false"),
];

/// Settings whose value is never repeated: somebody may have written a key there.
const NEVER_SHOWN: &[&str] =
    &["key_env", "keys", "key_file", "auth_header", "auth_prefix", "version", "headers", "base_url"];

/// How people call a key that they write into the file.
const KEY_WORDS: &[&str] = &["key", "api_key", "apikey", "api-key", "token", "secret", "password", "bearer"];

/// Names of headers, each with its value or with the variable that holds it.
type Named = Vec<(String, String)>;

/// The table of one judge, or of the embeddings.
pub(super) struct Table<'a> {
    pub(super) path: &'a Path,
    /// `None` for the embeddings.
    pub(super) judge: Option<&'a str>,
    pub(super) line: usize,
    pub(super) settings: &'a [Entry],
    pub(super) home: Option<&'a Path>,
}

impl Table<'_> {
    /// The judge that it defines.
    pub(super) fn judge(&self) -> Result<NamedJudge, ConfigError> {
        self.check_names()?;
        let protocol = match self.judge {
            Some(_) => self.needed("provider", |raw| {
                Protocol::ALL.iter().copied().find(|protocol| raw.text() == Some(protocol.label()))
            })?,
            None => Protocol::OpenAi,
        };
        let model = self.needed("model", |raw| {
            raw.text().filter(|text| !text.trim().is_empty() && !looks_like_a_key(text)).map(str::to_owned)
        })?;
        let own = defaults(protocol);
        let address = self.address(protocol)?.unwrap_or_else(|| own.base_url.to_owned());
        let url = reqwest::Url::parse(&address).map_err(|error| self.at("base_url", &error.to_string()))?;
        let is_its_own =
            url.host_str() == reqwest::Url::parse(own.base_url).ok().as_ref().and_then(|own| own.host_str());
        let is_near = is_loopback(&url);
        let keys = self.keys(is_its_own.then_some(own.key_env))?;
        let seconds = |most| {
            move |raw: &Raw| raw.whole(1..=most).map(|seconds| Duration::from_secs(seconds.unsigned_abs()))
        };
        let tokens = |least, most| {
            move |raw: &Raw| raw.whole(least..=most).and_then(|tokens| u32::try_from(tokens).ok())
        };
        let (headers, header_variables) = self.headers(protocol)?;
        let is_secret = keys != KeySource::None || !header_variables.is_empty();
        let allow_http = self.get("allow_http", Raw::truth)?.unwrap_or(false);
        if url.scheme() == "http" && !is_near && !allow_http && is_secret {
            return Err(self.at(
                "base_url",
                &format!(
                    "`base_url` of {} is http://, so its key would cross the network in clear text: use \
                     https://, or set `allow_http = true` if nobody can listen there",
                    self.who()
                ),
            ));
        }
        let limits = if is_near { NEAR } else { own.limits };
        let settings = ModelSettings {
            name: self.judge.unwrap_or(EMBEDDINGS).to_owned(),
            endpoint: Endpoint {
                protocol,
                base_url: address,
                model,
                key_header: self
                    .get("auth_header", |raw| raw.text().and_then(header_name))?
                    .unwrap_or_else(|| own.header.to_owned()),
                key_prefix: self
                    .get("auth_prefix", |raw| {
                        raw.text()
                            .filter(|text| is_header_value(text) && !looks_like_a_key(text))
                            .map(str::to_owned)
                    })?
                    .unwrap_or_else(|| {
                        if self.has("auth_header") { String::new() } else { own.prefix.to_owned() }
                    }),
                headers,
                secret_headers: Vec::new(),
                reasoning: self.reasoning(protocol)?,
            },
            keys: Vec::new(),
            concurrency: self
                .get("concurrency", |raw| raw.whole(1..=256).and_then(|number| usize::try_from(number).ok()))?
                .unwrap_or(limits.concurrency),
            timeout: self.get("timeout_s", seconds(3600))?.unwrap_or(limits.timeout),
            record_timeout: self.get("record_timeout_s", seconds(86_400))?.unwrap_or(limits.record_timeout),
            attempts: self
                .get("attempts", |raw| raw.whole(3..=10).and_then(|number| u32::try_from(number).ok()))?
                .unwrap_or(5),
            max_output: self.get("max_output", tokens(64, 1_000_000))?.unwrap_or(limits.max_output),
            context: self.get("context", tokens(1024, 10_000_000))?.unwrap_or(limits.context),
            items_per_request: self
                .get("items_per_request", |raw| {
                    raw.whole(1..=10).and_then(|items| usize::try_from(items).ok())
                })?
                .unwrap_or(1),
            temperature: self.get("temperature", |raw| raw.number(0.0..=2.0))?.unwrap_or(0.0),
            seed: self.get("seed", |raw| raw.whole(0..=i64::MAX).map(i64::unsigned_abs))?,
            prices: self.prices()?,
        };
        if settings.max_output >= settings.context {
            let (output, context) = (settings.max_output, settings.context);
            return Err(self.at(
                "max_output",
                &format!(
                    "`max_output` ({output}) of {} leaves nothing of its `context` ({context}) for the \
                     question: set `max_output` to a quarter of `context`, or `context` to what the server gives",
                    self.who()
                ),
            ));
        }
        if self.judge.is_some() && settings.record_timeout < settings.timeout {
            return Err(self.at(
                "record_timeout_s",
                &format!(
                    "`record_timeout_s` ({}) of {} is shorter than `timeout_s` ({}), the time of one of \
                     its requests: raise it",
                    settings.record_timeout.as_secs(),
                    self.who(),
                    settings.timeout.as_secs()
                ),
            ));
        }
        let prompts =
            self.get("prompts", |raw| raw.text().filter(|text| !text.is_empty()).map(str::to_owned))?;
        Ok(NamedJudge {
            settings,
            keys,
            header_variables,
            prompts: prompts.map(|prompts| self.place(&prompts)),
            origin: Origin::File { path: self.path.to_path_buf(), line: self.line },
        })
    }

    /// What it is, in a sentence.
    fn who(&self) -> String {
        self.judge.map_or_else(|| "the table [embeddings]".to_owned(), |judge| format!("the judge `{judge}`"))
    }

    /// As its settings are named.
    fn section(&self) -> String {
        self.judge.map_or_else(|| EMBEDDINGS.to_owned(), |judge| format!("judge.{judge}"))
    }

    /// The settings that it may hold.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        let is_judge = self.judge.is_some();
        SETTINGS.iter().map(|(name, _)| *name).filter(move |name| is_judge || OF_EMBEDDINGS.contains(name))
    }

    /// Refuses what there is not, above all a key.
    fn check_names(&self) -> Result<(), ConfigError> {
        for Entry { name, line, .. } in self.settings {
            if self.names().any(|known| known == name) {
                continue;
            }
            let is_key = KEY_WORDS.contains(&name.to_ascii_lowercase().as_str());
            let problem = if is_key || looks_like_a_key(name) {
                format!(
                    "a key does not belong into this file: put it into an environment variable and name that with \
                     `key_env`, or into a file of mode 600 and name that with `key_file` ({})",
                    self.who()
                )
            } else {
                let names: Vec<&str> = self.names().collect();
                format!("unknown setting `{}.{name}`: use one of {}", self.section(), names.join(", "))
            };
            return Err(self.problem(*line, problem));
        }
        Ok(())
    }

    fn address(&self, protocol: Protocol) -> Result<Option<String>, ConfigError> {
        let Some(text) = self.get("base_url", |raw| raw.text().map(str::to_owned))? else { return Ok(None) };
        let refuse = |why: &str| self.at("base_url", &format!("`base_url` of {} {why}", self.who()));
        let Ok(url) = reqwest::Url::parse(&text) else {
            return Err(refuse("is no address: write it as in \"http://localhost:11434/v1\""));
        };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(refuse("is no http:// or https:// address of a host"));
        }
        if !url.username().is_empty()
            || url.password().is_some()
            || url.query_pairs().any(|(name, value)| {
                KEY_WORDS.contains(&name.to_ascii_lowercase().as_str()) || looks_like_a_key(&value)
            })
            || has_key_in_path(&url)
        {
            return Err(refuse(
                "holds a key or a password: take it out of the address and name a variable with `key_env`",
            ));
        }
        if url.fragment().is_some() {
            return Err(refuse("ends in a `#` part, which no server sees: take it away"));
        }
        let asked = match protocol {
            Protocol::OpenAi => "/chat/completions",
            Protocol::Anthropic => "/messages",
            Protocol::Gemini => ":generateContent",
        };
        // Azure's addresses do not end before it, but at the deployment.
        if url.path().trim_end_matches('/').ends_with(asked) {
            return Err(refuse(&format!("goes too far: leave out `{asked}`, juror adds it")));
        }
        Ok(Some(match text.split_once('?') {
            Some((path, query)) => format!("{}?{query}", path.trim_end_matches('/')),
            None => text.trim_end_matches('/').to_owned(),
        }))
    }

    fn keys(&self, own_variable: Option<&'static str>) -> Result<KeySource, ConfigError> {
        let given: Vec<&str> =
            ["key_env", "keys", "key_file"].into_iter().filter(|name| self.has(name)).collect();
        match given.as_slice() {
            [] => Ok(own_variable.map_or(KeySource::None, KeySource::one)),
            ["key_env"] => {
                Ok(KeySource::one(self.needed("key_env", |raw| raw.text().and_then(variable_name))?))
            }
            ["keys"] => self.accounts(),
            [_] => {
                let path = self.needed("key_file", |raw| {
                    raw.text().filter(|text| !text.is_empty() && !looks_like_a_key(text)).map(str::to_owned)
                })?;
                Ok(KeySource::File(self.place(&path)))
            }
            [first, second, ..] => {
                Err(self.at(second, &format!("{} has `{first}` and `{second}`: use one of them", self.who())))
            }
        }
    }

    fn accounts(&self) -> Result<KeySource, ConfigError> {
        let account = |entries: &Vec<Entry>| {
            let text = |name: &str| {
                entries.iter().find(|entry| entry.name == name).and_then(|entry| entry.raw.text())
            };
            if entries.len() != 2 {
                return None;
            }
            let name = text("account").filter(|name| !name.trim().is_empty() && !looks_like_a_key(name))?;
            Some((name.to_owned(), variable_name(text("key_env")?)?))
        };
        let read = |raw: &Raw| match raw {
            Raw::Tables(tables) if !tables.is_empty() => {
                tables.iter().map(account).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        self.needed("keys", read).map(KeySource::Variables)
    }

    fn reasoning(&self, protocol: Protocol) -> Result<Option<Reasoning>, ConfigError> {
        let reasoning = self.get("reasoning", |raw| {
            Reasoning::ALL.iter().copied().find(|reasoning| raw.text() == Some(reasoning.label()))
        })?;
        if protocol == Protocol::Anthropic && reasoning.is_some() {
            return Err(self.at(
                "reasoning",
                &format!(
                    "`reasoning` is for the providers \"openai\" and \"gemini\": the model of {} does not \
                     reason unless it is asked to, and juror does not ask",
                    self.who()
                ),
            ));
        }
        Ok(reasoning)
    }

    /// The headers that anyone may read, and the secret ones with the variables that hold them.
    fn headers(&self, protocol: Protocol) -> Result<(Named, Named), ConfigError> {
        let mut headers = Vec::new();
        let version = self.get("version", |raw| {
            raw.text()
                .filter(|text| !text.is_empty() && is_header_value(text) && !looks_like_a_key(text))
                .map(str::to_owned)
        })?;
        match (protocol, version) {
            (Protocol::Anthropic, version) => {
                headers.push((
                    "anthropic-version".to_owned(),
                    version.unwrap_or_else(|| "2023-06-01".to_owned()),
                ));
            }
            (_, None) => {}
            (_, Some(_)) => {
                return Err(self.at(
                    "version",
                    &format!(
                        "`version` is a header of provider \"anthropic\"; where {} needs one it belongs into \
                         `base_url`, as in \"…?api-version=2024-10-21\"",
                        self.who()
                    ),
                ));
            }
        }
        let given = self.get("headers", |raw| {
            let Raw::Table(entries) = raw else { return None };
            let header = |entry: &Entry| {
                let name = header_name(&entry.name).filter(|name| !is_ours(name))?;
                if let Raw::Table(entries) = &entry.raw {
                    let [variable] = entries.as_slice() else { return None };
                    let variable = Some(variable).filter(|variable| variable.name == "env")?.raw.text()?;
                    return Some((name, Header::In(variable_name(variable)?)));
                }
                let value =
                    entry.raw.text().filter(|text| is_header_value(text) && !looks_like_a_key(text))?;
                (!is_secret(&name)).then(|| (name, Header::Is(value.to_owned())))
            };
            entries.iter().map(header).collect::<Option<Vec<_>>>()
        });
        let given = given.map_err(|_| {
            self.at(
                "headers",
                &format!(
                    "`headers` of {} is a table of names and values, {{ \"openai-project\" = \"proj\" }}; \
                     what is secret stands in a variable, {{ \"cf-access-client-secret\" = {{ env = \"NAME\" }} }}, its \
                     key is named by `key_env` and `auth_header`, and what juror sets itself stays out",
                    self.who()
                ),
            )
        })?;
        let mut secrets = Vec::new();
        for (name, value) in given.unwrap_or_default() {
            headers.retain(|(known, _)| *known != name);
            match value {
                Header::Is(value) => headers.push((name, value)),
                Header::In(variable) => secrets.push((name, variable)),
            }
        }
        Ok((headers, secrets))
    }

    fn prices(&self) -> Result<Option<Prices>, ConfigError> {
        self.get("prices", |raw| {
            let Raw::Table(entries) = raw else { return None };
            if entries.iter().any(|entry| !["input", "cached", "output"].contains(&entry.name.as_str())) {
                return None;
            }
            let price = |name: &str| {
                let entry = entries.iter().find(|entry| entry.name == name);
                entry.map(|entry| entry.raw.number(0.0..=1e6))
            };
            let cached = match price("cached") {
                Some(None) => return None,
                Some(cached) => cached,
                None => None,
            };
            Some(Prices { input: price("input")??, cached, output: price("output")?? })
        })
    }

    fn has(&self, name: &str) -> bool {
        self.settings.iter().any(|entry| entry.name == name)
    }

    fn needed<T>(&self, name: &'static str, parse: impl Fn(&Raw) -> Option<T>) -> Result<T, ConfigError> {
        self.get(name, parse)?.ok_or_else(|| {
            self.problem(self.line, format!("{} has no `{name}`: use {}", self.who(), allowed(name)))
        })
    }

    fn get<T>(
        &self,
        name: &'static str,
        parse: impl Fn(&Raw) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(entry) = self.settings.iter().find(|entry| entry.name == name) else { return Ok(None) };
        if let Some(value) = parse(&entry.raw) {
            return Ok(Some(value));
        }
        let is_key = NEVER_SHOWN.contains(&name) || entry.raw.text().is_some_and(looks_like_a_key);
        let found = if is_key { "what stands there".to_owned() } else { entry.raw.to_string() };
        Err(self.problem(
            entry.line,
            format!("`{}.{name}` cannot be {found}: use {}", self.section(), allowed(name)),
        ))
    }

    /// A problem at the line of that setting.
    fn at(&self, name: &str, problem: &str) -> ConfigError {
        let line =
            self.settings.iter().find(|entry| entry.name == name).map_or(self.line, |entry| entry.line);
        self.problem(line, problem.to_owned())
    }

    fn problem(&self, line: usize, problem: String) -> ConfigError {
        ConfigError::Judge { path: self.path.to_path_buf(), line, problem }
    }

    /// A path as the file means it: beside itself, or in the home folder.
    fn place(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.path.parent().unwrap_or(Path::new("")).join(path),
        }
    }
}

/// Whether a part of the path looks like a key, with percent signs or without. A number in hex does not: gateways
/// have the account's there, and the judge's own key is looked for when it is asked.
fn has_key_in_path(url: &reqwest::Url) -> bool {
    let is_key =
        |part: &str| looks_like_a_key(part) && !part.chars().all(|letter| letter.is_ascii_hexdigit());
    // A query knows the same escapes.
    let mut parts = url.clone();
    parts.set_query(Some(&url.path().replace('/', "&")));
    parts.query_pairs().any(|(name, value)| is_key(&name) || is_key(&value))
}

fn allowed(name: &str) -> &'static str {
    SETTINGS.iter().find(|(known, _)| *known == name).map_or("", |(_, allowed)| allowed)
}

/// A name that the environment can hold, unless it looks like a key itself.
fn variable_name(text: &str) -> Option<String> {
    let mut characters = text.chars();
    let begins = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let fits = begins && characters.all(|c| c.is_ascii_alphanumeric() || c == '_') && !looks_like_a_key(text);
    fits.then(|| text.to_owned())
}

/// The name of a header, in lower case.
fn header_name(text: &str) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_name = (1..=100).contains(&text.len()) && text.chars().all(fits) && !looks_like_a_key(text);
    is_name.then(|| text.to_ascii_lowercase())
}

fn is_header_value(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}

/// What a header is set to.
enum Header {
    Is(String),
    /// In this variable.
    In(String),
}

/// Headers that a request gets anyway.
fn is_ours(name: &str) -> bool {
    ["authorization", "content-type", "content-length", "host", "accept-encoding"].contains(&name)
}

/// Headers that carry secrets by their name.
fn is_secret(name: &str) -> bool {
    const SECRETS: &[&str] =
        &["key", "apikey", "secret", "token", "password", "passwd", "cookie", "credential"];
    name.contains("authorization")
        || name.split(['-', '_']).any(|part| SECRETS.contains(&part.trim_end_matches('s')))
}
