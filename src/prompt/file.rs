//! How a prompt's file is written down, and what may be wrong with it.
//!
//! Between two lines `---` stands the head: `id`, `version`, `schema`. Then come sections, each under a heading of
//! the first level: `System`, `User`, `Examples`, `Rubric`. Placeholders work in the first two; the others are what
//! is filled in for `{{examples}}` and `{{rubric}}`. Replies in examples stand between ```` ```json ```` and
//! ```` ``` ````.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Field, Problem, Prompt, PromptId};

/// A prompt larger than this is none; in bytes.
const LARGEST: u64 = 1 << 20;

/// A stretch of a template.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Place(Field),
}

/// A section's text and the line that its first line is.
#[derive(Debug, Clone, Copy)]
struct Section<'a> {
    name: &'a str,
    heading: usize,
    text: &'a str,
}

/// All prompts of a folder, and everything that is wrong with them.
pub(super) fn folder(folder: &Path) -> (Vec<Prompt>, Vec<Problem>) {
    let mut prompts: Vec<Prompt> = Vec::new();
    let mut problems = Vec::new();
    let whole =
        |file: &Path, message: String| Problem { file: file.display().to_string(), line: None, message };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            return (prompts, vec![whole(folder, format!("the folder of prompts cannot be read: {error}"))]);
        }
    };
    let mut files: Vec<_> = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => files.push(entry.path()),
            Err(error) => {
                problems.push(whole(folder, format!("the folder cannot be read to its end: {error}")));
            }
        }
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "md"));
    files.sort();
    if files.is_empty() {
        problems.push(whole(folder, "there is no prompt here: a prompt is a file that ends in .md".into()));
    }
    for file in files {
        let bytes = match std::fs::metadata(&file) {
            Ok(meta) if !meta.is_file() => Err("is no file that could be read to its end".to_owned()),
            Ok(meta) if meta.len() > LARGEST => {
                Err(format!("{} bytes are too many for a prompt, of {LARGEST}", meta.len()))
            }
            Ok(_) => std::fs::read(&file).map_err(|error| format!("cannot be read: {error}")),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        let read = bytes
            .map_err(|message| vec![whole(&file, message)])
            .and_then(|bytes| read(&file.display().to_string(), &bytes));
        match read {
            Ok(prompt) => {
                if let Some(other) = prompts.iter().find(|other| other.id == prompt.id) {
                    let message = format!("the id `{}` is also that of {}", prompt.id, other.origin);
                    problems.push(whole(&file, message));
                }
                prompts.push(prompt);
            }
            Err(more) => problems.extend(more),
        }
    }
    (prompts, problems)
}

/// Reads one prompt out of its file's bytes.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Prompt, Vec<Problem>> {
    let mut problems = Problems { file, found: Vec::new() };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(problems.only(None, "is no UTF-8 text"));
    };
    let Some((head, body)) = head(text) else {
        let message =
            "has no head: the first line must be `---`, then `id: …`, `version: …`, `schema: …`, `---`";
        return Err(problems.only(Some(1), message));
    };
    let (id, number) = problems.in_head(&head);
    let sections = sections(body, head.len() + 2, &mut problems);
    let Some(id) = id else { return Err(problems.found) };
    let section = |name: &str| sections.iter().find(|section| section.name == name).copied();
    let mut used = Vec::new();
    let mut template = |name: &str, problems: &mut Problems<'_>| {
        let Some(section) = section(name) else {
            problems.push(None, format!("the section `# {name}` is missing"));
            return Vec::new();
        };
        template(section, id, &mut used, problems)
    };
    let system = template("System", &mut problems);
    let user = template("User", &mut problems);
    for field in id.fields().iter().filter(|field| !used.contains(*field)) {
        let name = field.name();
        problems
            .push(None, format!("the placeholder `{{{{{name}}}}}` is not used; {id} cannot do without it"));
    }
    let mut filling = |name: &str, field: Field| match (section(name), id.fields().contains(&field)) {
        (Some(section), true) => {
            no_places(section, &mut problems);
            section.text.trim().to_owned()
        }
        (Some(section), false) => {
            problems.push(Some(section.heading), format!("a prompt `{id}` has no section `# {name}`"));
            String::new()
        }
        (None, true) => {
            problems.push(None, format!("the section `# {name}` is missing; it may say that there are none"));
            String::new()
        }
        (None, false) => String::new(),
    };
    let examples = filling("Examples", Field::Examples);
    let rubric = filling("Rubric", Field::Rubric);
    if let (Some(schema), Some(section)) = (id.schema(), section("Examples")) {
        check_examples(section, id, schema, &mut problems);
    }
    if problems.found.is_empty() {
        let sha256 = hex(&Sha256::digest(bytes));
        let (origin, text) = (file.to_owned(), text.to_owned());
        Ok(Prompt { id, number, sha256, origin, text, system, user, examples, rubric })
    } else {
        Err(problems.found)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

struct Problems<'a> {
    file: &'a str,
    found: Vec<Problem>,
}

impl Problems<'_> {
    fn push(&mut self, line: Option<usize>, message: impl Into<String>) {
        self.found.push(Problem { file: self.file.to_owned(), line, message: message.into() });
    }

    fn only(mut self, line: Option<usize>, message: &str) -> Vec<Problem> {
        self.push(line, message);
        self.found
    }

    /// The id and version of a head, whose first line is the file's second.
    fn in_head(&mut self, head: &[&str]) -> (Option<PromptId>, String) {
        let mut values: [Option<(usize, &str)>; 3] = [None; 3];
        let names = ["id", "version", "schema"];
        for (at, line) in head.iter().enumerate() {
            let number = at + 2;
            let Some((name, value)) = line.split_once(':').map(|(name, value)| (name.trim(), value.trim()))
            else {
                self.push(Some(number), format!("`{line}` is not of the form `name: value`"));
                continue;
            };
            match names.iter().position(|known| *known == name) {
                None => {
                    self.push(
                        Some(number),
                        format!("`{name}` is unknown: a head has id, version and schema"),
                    );
                }
                Some(place) if values[place].is_some() => {
                    self.push(Some(number), format!("`{name}` stands here twice"));
                }
                Some(_) if value.is_empty() => self.push(Some(number), format!("`{name}` is empty")),
                Some(place) => values[place] = Some((number, value)),
            }
        }
        for (name, _) in names.iter().zip(values).filter(|(_, value)| value.is_none()) {
            self.push(Some(1), format!("the head says no `{name}`"));
        }
        let [id, version, schema] = values;
        let id = id.and_then(|(line, label)| {
            let id = PromptId::from_label(label);
            if id.is_none() {
                let known: Vec<&str> = PromptId::ALL.iter().map(|id| id.label()).collect();
                self.push(Some(line), format!("`{label}` is no prompt: use one of {}", known.join(", ")));
            }
            id
        });
        if let (Some(id), Some((line, name))) = (id, schema)
            && name != id.schema_name()
        {
            let wanted = id.schema_name();
            self.push(Some(line), format!("the schema of `{id}` is `{wanted}`, not `{name}`"));
        }
        if let Some((line, version)) = version {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_+".contains(c);
            if version.len() > 40 || !version.chars().all(is_plain) {
                let message = "a version is at most 40 letters, digits, `.`, `-`, `_` or `+`";
                self.push(Some(line), message);
            }
        }
        (id, version.map(|(_, version)| version.to_owned()).unwrap_or_default())
    }
}

/// The lines of the head, and what follows it.
fn head(text: &str) -> Option<(Vec<&str>, &str)> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Vec::new();
    let mut is_open = false;
    loop {
        let (line, after) = rest.split_once('\n')?;
        let line = line.trim_end();
        rest = after;
        match (is_open, line == "---") {
            (false, true) => is_open = true,
            (false, false) => return None,
            (true, true) => return Some((lines, rest)),
            (true, false) => lines.push(line),
        }
    }
}

/// The sections of `body`, before which the file has `before` lines.
fn sections<'a>(body: &'a str, before: usize, problems: &mut Problems<'_>) -> Vec<Section<'a>> {
    const KNOWN: [&str; 4] = ["System", "User", "Examples", "Rubric"];
    let mut found: Vec<Section<'a>> = Vec::new();
    let mut starts = Vec::new();
    let mut at = 0;
    for (index, line) in body.split_inclusive('\n').enumerate() {
        let number = before + index + 1;
        if let Some(name) = line.strip_prefix("# ").map(str::trim) {
            if !KNOWN.contains(&name) {
                let message = format!("`# {name}` is no section: use # {}", KNOWN.join(", # "));
                problems.push(Some(number), message);
            } else if found.iter().any(|section| section.name == name) {
                problems.push(Some(number), format!("the section `# {name}` stands here twice"));
            }
            starts.push((at, at + line.len()));
            found.push(Section { name, heading: number, text: "" });
        } else if found.is_empty() && !line.trim().is_empty() {
            problems
                .push(Some(number), "text before the first section is never sent: put it under `# System`");
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain(std::iter::once(body.len()));
    for ((section, (_, start)), end) in found.iter_mut().zip(&starts).zip(ends) {
        section.text = body.get(*start..end).unwrap_or_default();
    }
    found
}

/// Where in `text` a placeholder opens, with what stands in it; `None` when it is not closed in its line.
fn places(text: &str) -> Vec<(usize, Option<&str>)> {
    text.match_indices("{{")
        .map(|(at, open)| {
            let rest = &text[at + open.len()..];
            let name = rest.split_once("}}").map(|(name, _)| name).filter(|name| !name.contains('\n'));
            (at, name)
        })
        .collect()
}

/// The line of the file in which the byte `at` of a section's text stands.
fn line_of(section: Section<'_>, at: usize) -> usize {
    section.heading + 1 + section.text[..at].matches('\n').count()
}

fn template(
    section: Section<'_>,
    id: PromptId,
    used: &mut Vec<Field>,
    problems: &mut Problems<'_>,
) -> Vec<Piece> {
    let text = section.text.trim_end();
    let mut pieces = Vec::new();
    let mut from = text.len() - text.trim_start().len();
    for (at, name) in places(text) {
        if at < from {
            continue;
        }
        let line = Some(line_of(section, at));
        let Some(name) = name else {
            problems.push(line, "`{{` opens a placeholder that is not closed by `}}` in the same line");
            continue;
        };
        let Some(field) = Field::ALL.iter().copied().find(|field| field.name() == name) else {
            problems.push(line, format!("the placeholder `{{{{{name}}}}}` is unknown: {}", allowed(id)));
            continue;
        };
        if !id.fields().contains(&field) {
            problems.push(line, format!("the placeholder `{{{{{name}}}}}` is none of {id}: {}", allowed(id)));
            continue;
        }
        used.push(field);
        pieces.push(Piece::Text(text[from..at].to_owned()));
        pieces.push(Piece::Place(field));
        from = at + name.len() + 4;
    }
    pieces.push(Piece::Text(text[from..].to_owned()));
    pieces
}

fn allowed(id: PromptId) -> String {
    let names: Vec<String> = id.fields().iter().map(|field| format!("{{{{{}}}}}", field.name())).collect();
    format!("use {}", names.join(", "))
}

/// A text that is filled in is never looked at for placeholders, so one there would reach the model as it is.
fn no_places(section: Section<'_>, problems: &mut Problems<'_>) {
    for (at, _) in places(section.text) {
        let message =
            format!("`{{{{` opens no placeholder under `# {}`: it is sent as it stands", section.name);
        problems.push(Some(line_of(section, at)), message);
    }
}

/// Every reply in the examples must fit the schema.
fn check_examples(section: Section<'_>, id: PromptId, schema: &str, problems: &mut Problems<'_>) {
    let validator = serde_json::from_str::<Value>(schema)
        .map_err(|error| error.to_string())
        .and_then(|schema| jsonschema::validator_for(&schema).map_err(|error| error.to_string()));
    let validator = match validator {
        Ok(validator) => validator,
        Err(error) => return problems.push(None, format!("the schema of {id} cannot be used: {error}")),
    };
    for (line, reply) in replies(section, problems) {
        match serde_json::from_str::<Value>(&reply) {
            Err(error) => {
                let line = line + error.line().saturating_sub(1);
                problems.push(Some(line), format!("the example's reply is no JSON: {error}"));
            }
            Ok(value) => {
                for error in validator.iter_errors(&value) {
                    let place = error.instance_path().to_string();
                    let place =
                        if place.is_empty() { "at the top".to_owned() } else { format!("at {place}") };
                    problems.push(
                        Some(line),
                        format!("the example's reply does not fit the schema {place}: {error}"),
                    );
                }
            }
        }
    }
}

/// The replies in a section, each with its first line.
fn replies(section: Section<'_>, problems: &mut Problems<'_>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in section.text.lines().enumerate() {
        let number = section.heading + 1 + index;
        match &mut open {
            None if line.trim_end() == "```json" => open = Some((number + 1, String::new())),
            None => {}
            Some((_, reply)) if line.trim_end() != "```" => {
                reply.push_str(line);
                reply.push('\n');
            }
            Some(_) => found.extend(open.take()),
        }
    }
    if let Some((line, _)) = open {
        problems.push(Some(line - 1), "this reply is not closed by a line ```");
    }
    found
}
