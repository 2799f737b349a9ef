//! The command line: the clap tree, what every subcommand is handed, and the exit codes.
//!
//! Each subcommand has its own file with `Arguments` and `run`. This layer talks to people and
//! programs; it must hold no rule about verdicts or queues.

mod agreement;
mod annotated;
mod audit;
mod batch;
mod blind;
#[cfg(test)]
mod by_key;
mod calibrate;
mod claim;
mod compare;
mod completions;
mod config;
mod decide;
mod demo;
mod doctor;
mod drift;
mod erase;
mod exchanges;
mod export;
mod failure;
mod gate;
mod import;
mod interrupt;
mod judge_fit;
mod judge_report;
mod judges;
mod man;
mod meant;
mod meter;
mod output;
mod person;
mod plain;
mod progress;
mod prompt;
mod queue;
mod report;
mod review;
mod score;
mod share;
mod show;
mod sink;
mod spans;
mod stability;
mod verify;
mod view;

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::clock::{Clock, SystemClock};
use crate::config::{Config, Flags, Surroundings};
use crate::domain::decision::Actor;
use crate::paths::Paths;
use crate::store::{Durability, Store, StoreError};

pub use failure::{Exit, Failure};
pub use interrupt::Interrupt;
pub use output::Output;

/// Program name and version, as recorded with every decision.
pub const PROGRAM: &str = concat!("juror ", env!("CARGO_PKG_VERSION"));

#[derive(Parser)]
#[command(
    name = "juror",
    version,
    about = "Review what a language model claimed, next to the evidence",
    after_help = "Exit codes: 0 fine; 1 the gate says no; 2 usage or bad input; 3 not enough\nevidence to say; 4 the run failed; 130 interrupted.",
    max_term_width = 100
)]
struct CommandLine {
    #[command(flatten)]
    global: Global,
    /// Take the mouse, for the queue alone (also review.mouse)
    #[arg(long)]
    mouse: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What holds for every subcommand.
#[derive(Args)]
#[command(next_help_heading = "Everywhere")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
struct Global {
    #[arg(long, global = true, value_name = "FILE", help = "The store (also JUROR_DB)")]
    db: Option<PathBuf>,
    #[arg(long, global = true, value_name = "FILE", help = "The settings file (also JUROR_CONFIG)")]
    config: Option<PathBuf>,
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        help = "The judge: local, or [judge.NAME] (also JUROR_JUDGE)"
    )]
    judge: Option<String>,
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        value_parser = ["dark", "light", "mono"],
        hide_possible_values = true,
        help = "The colours: dark, light or mono (also JUROR_THEME)"
    )]
    theme: Option<String>,
    #[arg(long, global = true, conflicts_with = "theme", help = "No colours (also NO_COLOR)")]
    no_color: bool,
    /// Show what judges and people say, also where review.blind is set
    #[arg(long, global = true)]
    open: bool,
    /// Print results and errors only
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Print one JSON value for programs
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    Review(review::Arguments),
    Import(import::Arguments),
    Audit(audit::Arguments),
    Batch(batch::Arguments),
    Score(score::Arguments),
    Compare(compare::Arguments),
    Stability(stability::Arguments),
    Report(report::Arguments),
    Queue(queue::Arguments),
    View(view::Arguments),
    Decide(decide::Arguments),
    Claim(claim::Arguments),
    Erase(erase::Arguments),
    Show(show::Arguments),
    Exchanges(exchanges::Arguments),
    Export(export::Arguments),
    Verify(verify::Arguments),
    Demo(demo::Arguments),
    Calibrate(calibrate::Arguments),
    Agreement(agreement::Arguments),
    Drift(drift::Arguments),
    JudgeReport(judge_report::Arguments),
    #[command(hide = true)]
    JudgeFit(judge_fit::Arguments),
    Prompt(prompt::Arguments),
    Config(config::Arguments),
    Doctor(doctor::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Command {
    /// The name to decide under that the command was given, if it takes one.
    fn annotator(&self) -> Option<&str> {
        match self {
            Self::Decide(arguments) => arguments.by.as_deref(),
            Self::Claim(arguments) => arguments.by.as_deref(),
            Self::Erase(arguments) => arguments.by.as_deref(),
            Self::Queue(arguments) => arguments.by.as_deref(),
            Self::View(arguments) => arguments.by.as_deref(),
            Self::Review(arguments) => arguments.by.as_deref(),
            _ => None,
        }
    }

    /// Whether the command was told to hide the judge until the person has committed a verdict.
    fn is_blind(&self) -> bool {
        match self {
            Self::Review(arguments) => arguments.blind,
            Self::Queue(arguments) => arguments.blind,
            Self::Decide(arguments) => arguments.blind,
            _ => false,
        }
    }

    /// Whether the screen is to take the mouse.
    fn takes_mouse(&self) -> bool {
        match self {
            Self::Review(arguments) => arguments.mouse,
            Self::Demo(arguments) => arguments.mouse,
            _ => false,
        }
    }

    /// How finely answers are to be cut, if the command was told.
    fn granularity(&self) -> Option<&str> {
        match self {
            Self::Audit(arguments) => arguments.granularity.as_deref(),
            Self::Compare(arguments) => arguments.granularity.as_deref(),
            Self::JudgeReport(arguments) => arguments.granularity.as_deref(),
            _ => None,
        }
    }

    fn run(self, context: &mut Context) -> anyhow::Result<Exit> {
        match self {
            Self::Review(arguments) => review::run(arguments, context),
            Self::Import(arguments) => import::run(&arguments, context),
            Self::Audit(arguments) => audit::run(&arguments, context),
            Self::Batch(arguments) => batch::run(&arguments, context),
            Self::Score(arguments) => score::run(&arguments, context),
            Self::Compare(arguments) => compare::run(&arguments, context),
            Self::Stability(arguments) => stability::run(&arguments, context),
            Self::Report(arguments) => report::run(&arguments, context),
            Self::Queue(arguments) => queue::run(&arguments, context),
            Self::View(arguments) => view::run(&arguments, context),
            Self::Decide(arguments) => decide::run(&arguments, context),
            Self::Claim(arguments) => claim::run(&arguments, context),
            Self::Erase(arguments) => erase::run(&arguments, context),
            Self::Show(arguments) => show::run(&arguments, context),
            Self::Exchanges(arguments) => exchanges::run(&arguments, context),
            Self::Export(arguments) => export::run(&arguments, context),
            Self::Verify(arguments) => verify::run(&arguments, context),
            Self::Demo(arguments) => demo::run(&arguments, context),
            Self::Calibrate(arguments) => calibrate::run(&arguments, context),
            Self::Agreement(arguments) => agreement::run(&arguments, context),
            Self::Drift(arguments) => drift::run(&arguments, context),
            Self::JudgeReport(arguments) => judge_report::run(&arguments, context),
            Self::JudgeFit(arguments) => judge_fit::run(&arguments, context),
            Self::Prompt(arguments) => prompt::run(&arguments, context),
            Self::Config(arguments) => config::run(&arguments, context),
            Self::Doctor(arguments) => doctor::run(&arguments, context),
            Self::Completions(arguments) => completions::run(&arguments, context),
            Self::Man(arguments) => man::run(&arguments, context),
        }
    }
}

/// What a subcommand works with.
pub struct Context {
    pub config: Config,
    pub out: Output,
    pub clock: Arc<dyn Clock>,
    /// The operating system's name for the person.
    pub os_user: String,
    /// Where the log goes, if there is a place for it.
    pub log_file: Option<PathBuf>,
}

impl Context {
    /// The person at the keyboard, as recorded with every decision.
    pub fn actor(&self) -> Actor {
        Actor {
            annotator: self.config.annotator.value.clone(),
            os_user: self.os_user.clone(),
            host: person::host(),
            program: PROGRAM.to_owned(),
        }
    }

    /// Opens the store, creating it when there is none.
    pub fn open_store(&self, durability: Durability) -> Result<Store, StoreError> {
        Store::open(&self.config.db.value, durability)
    }

    /// The same for a command that people begin with: says so when it creates one, so that a mistyped
    /// path does not go unnoticed.
    pub fn open_or_create(&mut self, durability: Durability) -> Result<Store, StoreError> {
        let is_there = self.config.db.value.exists();
        let store = self.open_store(durability)?;
        if !is_there {
            self.out.note(&format!("juror: created the store {}", store.path().display()));
        }
        Ok(store)
    }

    /// Refuses a path that is the store itself, or SQLite's files beside it: what opens them besides SQLite
    /// takes its locks away, and what replaces them loses everything.
    pub fn refuse_store_file(&self, path: &Path) -> Result<(), Failure> {
        let place = |path: &Path| path.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
        let Some(found) = place(path) else { return Ok(()) };
        let is_the_stores = ["", "-wal", "-shm"].iter().any(|ending| {
            let mut name = self.config.db.value.as_os_str().to_owned();
            name.push(ending);
            place(Path::new(&name)) == Some(found)
        });
        if is_the_stores {
            return Err(Failure::bad_input(format!(
                "{} is the store itself: name another file",
                path.display()
            )));
        }
        Ok(())
    }

    /// Opens a store that must be there, only to read it.
    pub fn read_store(&mut self) -> Result<Store, StoreError> {
        let store = Store::open_read_only(&self.config.db.value)?;
        if store.is_frozen() {
            self.out.note(&format!(
                "juror: nothing can be written beside {}: it is read as it stands, and nothing may change it meanwhile",
                store.path().display()
            ));
        }
        Ok(store)
    }
}

/// The whole program.
pub fn main() -> ExitCode {
    let mut out = Output::new();
    let exit = match parse(std::env::args_os()) {
        Ok(line) => start(line, out),
        Err(error) => usage(&error, std::env::args_os(), &mut out),
    };
    exit.into()
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<CommandLine, clap::Error> {
    CommandLine::from_arg_matches(&CommandLine::command().try_get_matches_from(arguments)?)
}

/// Help and version are answers; anything else that clap says is an error.
fn usage(error: &clap::Error, arguments: impl Iterator<Item = OsString>, out: &mut Output) -> Exit {
    let mut text = error.to_string();
    if error.use_stderr() {
        // Clap quotes arguments as they are, whole or what stands behind the `=`.
        for argument in arguments.map(|argument| argument.to_string_lossy().into_owned()) {
            let value = argument.split_once('=').map_or(argument.as_str(), |(_, value)| value);
            for quoted in [argument.as_str(), value] {
                let shown = output::one_line(quoted);
                if shown != quoted {
                    text = text.replace(quoted, &shown);
                }
            }
        }
        let told = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
        match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(sought)) => match meant::instead_of(sought) {
                Some(command) => out.error_lines(&format!("{told}\n\nlooking for this? {command}")),
                None => out.error_lines(told),
            },
            _ => out.error_lines(told),
        }
        Exit::BadInput
    } else {
        match out.text(text.trim_end()) {
            Ok(()) => Exit::Fine,
            Err(_) if out.pipe_closed() => Exit::Fine,
            Err(_) => Exit::RunFailed,
        }
    }
}

fn start(mut line: CommandLine, mut out: Output) -> Exit {
    // Whose exchanges are shown, not who is to judge: the name may not be in the settings any more.
    if let Some(Command::Exchanges(arguments)) = &mut line.command {
        arguments.judge = line.global.judge.take();
    }
    out.set_modes(line.global.json, line.global.quiet);
    // Where it cannot be caught, a limit ends the process as it ends others.
    let _ = interrupt::outlive_limits();
    let mut context = match prepare(&line, out) {
        Ok(context) => context,
        Err((mut out, error)) => return failure::report(&error, &mut out),
    };
    let command = line.command.unwrap_or_else(|| Command::Review(review::Arguments::default()));
    let result = command.run(&mut context).map_err(|error| review::with_what_works(error, &context));
    let flushed = context.out.flush();
    match (result, flushed) {
        // A person who stopped it, or whose terminal is gone, may not be there for the answer.
        (Ok(Exit::Interrupted), _) => Exit::Interrupted,
        (Ok(exit), Ok(())) => exit,
        _ if context.out.hung_up() => Exit::Interrupted,
        // Whoever read the answer has read enough of it, as in `juror queue | head`; what the command came
        // to stands all the same.
        (Ok(exit), Err(_)) if context.out.pipe_closed() => exit,
        (Err(error), _) if context.out.pipe_closed() && failure::is_closed_pipe(&error) => Exit::Fine,
        (Err(error), _) => failure::report(&error, &mut context.out),
        (Ok(_), Err(error)) => failure::report(&error.into(), &mut context.out),
    }
}

/// A variable of the environment. A value that is no text must not count as unset: it is taken as well as it can be.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

fn prepare(line: &CommandLine, out: Output) -> Result<Context, (Output, anyhow::Error)> {
    let paths = Paths::find();
    let os_user = person::os_user();
    let flags = Flags {
        db: line.global.db.clone(),
        config: line.global.config.clone(),
        judge: line.global.judge.clone(),
        annotator: line.command.as_ref().and_then(Command::annotator).map(str::to_owned),
        granularity: line.command.as_ref().and_then(Command::granularity).map(str::to_owned),
        theme: line.global.theme.clone(),
        advance: match &line.command {
            Some(Command::Review(arguments)) => arguments.auto_advance.clone(),
            _ => None,
        },
        mouse: line.mouse || line.command.as_ref().is_some_and(Command::takes_mouse),
        blind: if line.command.as_ref().is_some_and(Command::is_blind) {
            Some(true)
        } else {
            line.global.open.then_some(false)
        },
        no_color: line.global.no_color,
    };
    let surroundings = Surroundings {
        variable: &variable,
        default_file: paths.as_ref().map(|paths| paths.config_file.as_path()),
        default_db: paths.as_ref().map(|paths| paths.db.as_path()),
        os_user: &os_user,
    };
    let resolved = match line.command {
        // Who looks what is wrong with the settings must be told, not turned away.
        Some(Command::Config(_)) => Config::inspect(&flags, &surroundings),
        _ => Config::resolve(&flags, &surroundings),
    };
    let config = match resolved {
        Ok(config) => config,
        Err(error) => return Err((out, error.into())),
    };
    let log_file = paths.as_ref().map(|paths| crate::log::file(&paths.state_dir));
    if let Some(paths) = &paths {
        let filter = std::env::var(crate::log::VARIABLE).ok().filter(|filter| !filter.is_empty());
        if let Err(error) = crate::log::start(&paths.state_dir, filter.as_deref()) {
            return Err((out, error.into()));
        }
    }
    Ok(Context { config, out, clock: Arc::new(SystemClock), os_user, log_file })
}
