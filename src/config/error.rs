//! What can be wrong with the settings, as sentences that name the place to mend. None repeats a key.

use std::path::PathBuf;

use super::Origin;

/// Settings that cannot be used, and where to mend them.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("the configuration file {} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {reason}", path.display())]
    NotToml { path: PathBuf, line: usize, reason: String },
    #[error("{}:{line}: unknown setting `{key}`: use one of {allowed}", path.display())]
    UnknownKey { path: PathBuf, line: usize, key: String, allowed: String },
    #[error("{origin}: `{setting}` cannot be {found}: use {allowed}")]
    BadValue { origin: Origin, setting: &'static str, found: String, allowed: &'static str },
    #[error("no home directory to keep the store in: name a file with --db or JUROR_DB")]
    NoHome,
    #[error(
        "{origin}: `review.hook` runs a program outside juror, which `egress = \"none\"` forbids: remove one of the two"
    )]
    HookForbidden { origin: Origin },
    #[error(
        "{origin}: `{flag}` runs a program outside juror, which `egress = \"none\"` forbids: give the answers in a file"
    )]
    ProgramForbidden { origin: Origin, flag: &'static str },
    #[error(
        "{origin}: `[embeddings]` is asked over the network, which `egress = \"none\"` forbids: remove one of \
         the two, or compare with --no-embeddings"
    )]
    EmbeddingsForbidden { origin: Origin },
    /// A table `[keys.PLACE]` that says something wrong.
    #[error("{}:{line}: {problem}", path.display())]
    Keys { path: PathBuf, line: usize, problem: String },
    /// A table `[judge.NAME]` that says something wrong.
    #[error("{}:{line}: {problem}", path.display())]
    Judge { path: PathBuf, line: usize, problem: String },
    #[error(
        "{origin}: the judge `{judge}` is reached over the network, which `egress = \"none\"` forbids: choose \
         `judge = \"local\"` or allow it with `egress = \"any\"`"
    )]
    JudgeForbidden { origin: Origin, judge: String },
    /// Several lines: what is quoted in it must be safe to print.
    #[error("{origin}: there is no judge `{judge}`: use {}.\n{}", one_of(known), definition(judge, file.as_deref()))]
    UnknownJudge {
        origin: Origin,
        judge: String,
        /// The judges that there are.
        known: Vec<String>,
        /// Where another one would be defined.
        file: Option<String>,
    },
    /// The judge's key cannot be had.
    #[error("{origin}: {problem}")]
    Key { origin: Origin, problem: String },
}

impl ConfigError {
    /// Whether it is told in several lines, with nothing in it that must not be printed.
    pub fn is_in_lines(&self) -> bool {
        matches!(self, Self::UnknownJudge { .. })
    }
}

fn one_of(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
        [] => String::new(),
    }
}

/// The lines that would define the judge.
fn definition(judge: &str, file: Option<&str>) -> String {
    let name = if super::judge::is_name(judge) { judge } else { "my-model" };
    [
        format!("To define one, write into {}:", file.unwrap_or("the settings file")),
        String::new(),
        format!("[judge.{name}]"),
        "provider = \"openai\"  # Ollama, vLLM and the like too; or \"anthropic\", \"gemini\"".to_owned(),
        "model = \"MODEL\"".to_owned(),
        "base_url = \"http://localhost:11434/v1\"  # not for the provider's own server".to_owned(),
        "key_env = \"VARIABLE\"  # the variable that holds the key; not for a server without keys".to_owned(),
    ]
    .join("\n")
}
