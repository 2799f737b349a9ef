//! `juror config`: each setting in force, and where it came from.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::{Context, Exit};
use crate::config::{Config, NamedJudge, Origin, OwnKeys, Row};
use crate::paths::Paths;
use crate::text::sanitize::visible;
use crate::text::width::{pad, width};
use crate::tui::keymap::Keymap;

/// Show each setting in force and where it came from
#[derive(clap::Args)]
#[command(after_help = "\
A flag wins over the environment, that over the settings file, that over the
default. A setting of the file that there is not is named with its line here,
and is an error in every other command, as is a value that cannot be used.
Variables that look like juror's and set nothing are named. Of a judge's keys
only the place is shown where they are read; a key is never printed.

Examples:
  juror config
  juror config --config team.toml --json
  JUROR_THEME=light juror config")]
pub(super) struct Arguments {}

/// Everything that is set, for programs.
#[derive(Serialize)]
struct Report {
    /// The settings file that was read, or where one would be looked for.
    file: Option<PathBuf>,
    /// Whether it was read.
    file_read: bool,
    settings: Vec<SettingRow>,
    judges: Vec<JudgeRow>,
    /// What tells how alike two answers are in meaning; its provider is always openai.
    embeddings: Option<JudgeRow>,
    /// A person's own keys.
    keys: Vec<KeysRow>,
    warnings: Vec<Warning>,
    /// Values that every other command refuses: the default is shown in their place.
    bad: Vec<String>,
    /// Variables of the environment that look like juror's and are not.
    mistyped: Vec<String>,
    /// Why the screen refuses the keys; the sentence names the line.
    keys_refused: Option<String>,
}

#[derive(Serialize)]
struct SettingRow {
    name: &'static str,
    value: Value,
    origin: OriginRow,
    variable: &'static str,
    allowed: &'static str,
}

#[derive(Serialize)]
struct JudgeRow {
    name: String,
    provider: &'static str,
    model: String,
    base_url: String,
    /// Where its keys come from, in words.
    keys: String,
    prompts: Option<PathBuf>,
    origin: OriginRow,
}

#[derive(Serialize)]
struct KeysRow {
    place: String,
    command: String,
    keys: Vec<String>,
    origin: OriginRow,
}

/// Where a value came from.
#[derive(Serialize)]
struct OriginRow {
    from: &'static str,
    /// The flag or the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

#[derive(Serialize)]
struct Warning {
    setting: String,
    line: usize,
    message: String,
}

pub(super) fn run(_: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let place = Paths::find().map(|paths| paths.config_file);
    let report = report(&context.config, place);
    if context.out.wants_json() {
        context.out.json(&report)?;
        return Ok(Exit::Fine);
    }
    for line in table(&context.config, &report) {
        context.out.text(&line)?;
    }
    let file = report.file.as_deref().map(shown_path).unwrap_or_default();
    for warning in &report.warnings {
        context.out.error(&format!("warning: {file}:{}: {}", warning.line, warning.message));
    }
    for warning in report.bad.iter().chain(&report.mistyped) {
        context.out.error(&format!("warning: {warning}"));
    }
    if let Some(refused) = &report.keys_refused {
        context.out.error(&format!("warning: {refused}"));
    }
    Ok(Exit::Fine)
}

fn report(config: &Config, place: Option<PathBuf>) -> Report {
    let known = Config::known_settings();
    let clash = Keymap::with_own(&config.keys).err().map(|error| error.to_string());
    let warnings = config.unknown.iter().map(|unknown| Warning {
        setting: unknown.name.clone(),
        line: unknown.line,
        message: format!(
            "unknown setting `{}`, which every other command refuses: use one of {known}",
            unknown.name
        ),
    });
    Report {
        file_read: config.file.is_some(),
        file: config.file.clone().or(place),
        settings: config.settings().into_iter().map(setting).collect(),
        judges: config.judges.iter().map(judge).collect(),
        embeddings: config.embeddings.as_ref().map(judge),
        keys: config.keys.iter().map(own_keys).collect(),
        warnings: warnings.collect(),
        bad: config.bad.iter().map(|bad| format!("{bad}; every other command refuses it")).collect(),
        mistyped: mistyped(config),
        keys_refused: clash,
    }
}

/// What is wrong with the names of variables, in sentences.
pub(super) fn mistyped(config: &Config) -> Vec<String> {
    let names: Vec<String> =
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    let told = |name: &str| format!("the variable {name} sets nothing: there is no such setting");
    let mut told: Vec<String> =
        config.mistyped(names.iter().map(String::as_str)).into_iter().map(told).collect();
    told.sort();
    told
}

fn setting(row: Row) -> SettingRow {
    let Row { name, value, origin, variable, allowed } = row;
    SettingRow { name, value, origin: origin_row(&origin), variable, allowed }
}

fn judge(judge: &NamedJudge) -> JudgeRow {
    let endpoint = &judge.settings().endpoint;
    JudgeRow {
        name: judge.name().to_owned(),
        provider: endpoint.protocol.label(),
        model: endpoint.model.clone(),
        base_url: endpoint.base_url.clone(),
        keys: judge.keys_in_words(),
        prompts: judge.prompts().map(Path::to_path_buf),
        origin: origin_row(judge.origin()),
    }
}

fn own_keys(own: &OwnKeys) -> KeysRow {
    KeysRow {
        place: own.place.clone(),
        command: own.command.clone(),
        keys: own.keys.clone(),
        origin: origin_row(&own.origin),
    }
}

fn origin_row(origin: &Origin) -> OriginRow {
    let none = OriginRow { from: "default", name: None, file: None, line: None };
    match origin {
        Origin::Default => none,
        Origin::File { path, line } => {
            OriginRow { from: "file", file: Some(path.clone()), line: Some(*line), ..none }
        }
        Origin::Environment(variable) => OriginRow { from: "environment", name: Some(variable), ..none },
        Origin::Flag(flag) => OriginRow { from: "flag", name: Some(flag), ..none },
    }
}

/// The lines for people: the file, then name, value and origin in columns.
fn table(config: &Config, report: &Report) -> Vec<String> {
    let file = match &report.file {
        Some(path) if report.file_read => format!("settings file: {}", shown_path(path)),
        Some(path) => format!("settings file: none; it would be {}", shown_path(path)),
        None => "settings file: none, and no home directory to look for one in".to_owned(),
    };
    let rows: Vec<[String; 3]> = config
        .rows()
        .into_iter()
        .map(|(name, value, origin)| {
            // The file stands above; its lines are enough here.
            let origin = match (&config.file, origin.rsplit_once(':')) {
                (Some(path), Some((before, line))) if *before == path.display().to_string() => {
                    format!("line {line} of the file")
                }
                _ => origin,
            };
            [name, if value.is_empty() { "-".to_owned() } else { value }, origin]
                .map(|cell| visible(&cell).into_owned())
        })
        .collect();
    let widest = |column: usize, most: usize| {
        rows.iter().map(|row| width(&row[column])).filter(|cells| *cells <= most).max().unwrap_or(0)
    };
    let (names, values) = (widest(0, usize::MAX), widest(1, 40));
    let lines = rows.iter().map(|[name, value, origin]| {
        // What is longer than the column stands whole: it is here to be read.
        let value = if width(value) > values { value.clone() } else { pad(value, values) };
        format!("{}  {value}  {origin}", pad(name, names))
    });
    std::iter::once(file).chain(lines).collect()
}

fn shown_path(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}
