//! `juror prompt`: the texts that model judges are asked with, and whether a folder of own ones can be used.

use std::path::PathBuf;

use serde::Serialize;

use super::judges::prompts;
use super::{Context, Exit, Failure};
use crate::prompt::{Problem, Prompt, PromptId, check};
use crate::text::width::{pad, width};

/// Show the prompts of model judges, and check own ones
#[derive(clap::Args)]
#[command(after_help = "\
Shown are the prompts in force: those of the judge's folder (`prompts = \"DIR\"`
in its table), and for the rest those built in. With every verdict stand version
and SHA-256 of the prompt it was asked with.

To change one, write it into a folder, edit it there, give it a version of its
own, and check it. A prompt lacks nothing that its question needs: placeholders
are all used, none is unknown, and the examples fit the schema.

Exit code 2 when a prompt cannot be used.

Examples:
  juror prompt list
  juror prompt show faithfulness
  juror prompt show support > my-prompts/support.md
  juror prompt check my-prompts")]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// List the prompts in force: name, version, SHA-256, where they come from
    List,
    /// Print a prompt as it stands in its file
    Show {
        /// Its id: `juror prompt list` names them all
        name: String,
    },
    /// Check the prompts of a folder
    Check {
        /// The folder of prompts, files that end in .md
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'static str,
    version: String,
    sha256: &'a str,
    /// The file, or `built in`.
    origin: &'a str,
}

#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    row: Row<'a>,
    text: &'a str,
}

#[derive(Serialize)]
struct Checked<'a> {
    folder: &'a PathBuf,
    problems: Vec<Fault<'a>>,
}

#[derive(Serialize)]
struct Fault<'a> {
    file: &'a str,
    line: Option<usize>,
    message: &'a str,
}

impl<'a> Row<'a> {
    fn of(prompt: &'a Prompt) -> Self {
        Self {
            id: prompt.id().label(),
            version: prompt.version(),
            sha256: prompt.sha256(),
            origin: prompt.origin(),
        }
    }
}

impl<'a> Fault<'a> {
    fn of(problem: &'a Problem) -> Self {
        Self { file: &problem.file, line: problem.line, message: &problem.message }
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    match &arguments.what {
        What::List => list(context),
        What::Show { name } => show(name, context),
        What::Check { folder } => check_folder(folder, context),
    }
}

fn list(context: &mut Context) -> anyhow::Result<Exit> {
    let prompts = prompts(&context.config)?;
    let rows: Vec<Row<'_>> = prompts.iter().map(Row::of).collect();
    if context.out.wants_json() {
        context.out.json(&rows)?;
        return Ok(Exit::Fine);
    }
    let widest = rows.iter().map(|row| width(&row.version)).max().unwrap_or_default();
    let line = |row: &Row<'_>| format!("{}  {}  {}", pad(&row.version, widest), row.sha256, row.origin);
    context.out.text(&rows.iter().map(line).collect::<Vec<_>>().join("\n"))?;
    Ok(Exit::Fine)
}

fn show(name: &str, context: &mut Context) -> anyhow::Result<Exit> {
    let Some(id) = PromptId::from_label(name) else {
        let names: Vec<&str> = PromptId::ALL.iter().map(|id| id.label()).collect();
        let sentence = format!("there is no prompt `{name}`: use one of {}", names.join(", "));
        return Err(Failure::bad_input(sentence).into());
    };
    let prompts = prompts(&context.config)?;
    let prompt = prompts.get(id);
    if context.out.wants_json() {
        context.out.json(&Shown { row: Row::of(prompt), text: prompt.text() })?;
    } else {
        // Byte for byte, so that it can be written into a file and edited there.
        context.out.data(prompt.text().as_bytes())?;
    }
    Ok(Exit::Fine)
}

fn check_folder(folder: &PathBuf, context: &mut Context) -> anyhow::Result<Exit> {
    let problems = check(folder);
    let out = &mut context.out;
    if out.wants_json() {
        out.json(&Checked { folder, problems: problems.iter().map(Fault::of).collect() })?;
    } else if problems.is_empty() {
        out.text(&format!("the prompts of {} can be used", folder.display()))?;
    }
    for problem in &problems {
        let line = problem.line.map_or_else(String::new, |line| format!(":{line}"));
        if !out.wants_json() {
            out.error(&format!("{}{line}: {}", problem.file, problem.message));
        }
    }
    Ok(if problems.is_empty() { Exit::Fine } else { Exit::BadInput })
}
