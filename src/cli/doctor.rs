//! `juror doctor`: everything that decides how juror behaves here, and what is wrong with it.

mod duty;
mod probe;

use std::io::{self, IsTerminal};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::config::mistyped;
use super::judges::prompts;
use super::output::one_line;
use super::{Context, Exit, PROGRAM};
use crate::config::hook_trouble;
use crate::domain::finding::JudgeIdentity;
use crate::judge::Judge;
use crate::judge::local::LocalJudge;
use crate::paths::Paths;
use crate::prompt::{Prompt, PromptId};
use crate::store::{Store, StoreError, file_system};
use duty::{Duties, HookTest};
use probe::Probe;

/// Less free disk space than this is worth a warning, in bytes.
const LITTLE_SPACE: u64 = 512 * 1024 * 1024;

/// Show the store, the settings and the terminal, and what is wrong with them
#[derive(clap::Args)]
#[command(after_help = "\
Changes nothing, and asks nothing over the network unless --judge names a model:
then one tiny question is put to it, to see what its server can do. It looks
whether the guards of the evidence are in place; `juror verify` recomputes
everything. Whether the files of review.hook are there is looked at; --hook-test
runs it, with {\"event\":\"test\", …} on standard input, and when it works lets
what nobody was told of be told at once. Exit code 2 when the store cannot be
used; 4 when the judge or the hook that was tried does not work, while the hook
fails, and when there is a hook and something to audit or to tell, and nobody on
duty does it.

Examples:
  juror doctor
  juror doctor --judge ollama
  juror doctor --hook-test
  juror --db records.db doctor --json")]
pub(super) struct Arguments {
    /// Run the program of review.hook once, to see whether it works
    #[arg(long)]
    hook_test: bool,
}

#[derive(Serialize)]
struct Report {
    program: &'static str,
    store: StoreFacts,
    person: Person,
    judge: JudgeFacts,
    /// What a call to it brought; `null` without `--judge`.
    probe: Option<Probe>,
    /// Who works with the store now.
    #[serde(flatten)]
    duties: Duties,
    /// What came of running the hook; `null` without `--hook-test`.
    hook_test: Option<HookTest>,
    egress: &'static str,
    /// The settings file that was read.
    settings_file: Option<PathBuf>,
    /// Where it is looked for when nobody names one.
    settings_place: Option<PathBuf>,
    settings: Vec<SettingRow>,
    terminal: Terminal,
    log: Option<PathBuf>,
    /// What is wrong, in sentences with what to do.
    problems: Vec<String>,
}

#[derive(Serialize)]
struct StoreFacts {
    path: PathBuf,
    exists: bool,
    usable: bool,
    schema: i64,
    /// With the write-ahead log.
    bytes: u64,
    /// The file's permissions, octal.
    mode: Option<String>,
    file_system: Option<String>,
    free_bytes: Option<u64>,
    counts: Option<Counts>,
    /// The first lines of the inbox that are no records.
    inbox_rejected: Vec<Rejected>,
    /// Whether all triggers that guard the evidence are as they were made.
    guards: Option<bool>,
}

#[derive(Serialize)]
struct Rejected {
    /// Its row in the table `inbox`.
    id: i64,
    reason: String,
}

#[derive(Serialize)]
struct Counts {
    waiting: u64,
    auditing: u64,
    audited: u64,
    failed: u64,
    routed: u64,
    open: u64,
    /// Undecided claims of answers that are blocked: they are not open.
    set_aside: u64,
    events: i64,
    head: String,
    inbox_rejected: u64,
}

#[derive(Serialize)]
struct Person {
    annotator: String,
    os_user: String,
    host: String,
}

#[derive(Serialize)]
struct JudgeFacts {
    judge: String,
    model: String,
    prompt_version: String,
    prompt_sha256: String,
}

#[derive(Serialize)]
struct SettingRow {
    name: String,
    value: String,
    origin: String,
}

#[derive(Serialize)]
struct Terminal {
    stdin: bool,
    stdout: bool,
    stderr: bool,
    columns: Option<u16>,
    rows: Option<u16>,
    term: Option<String>,
    colorterm: Option<String>,
    locale: Option<String>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let report = look(arguments, context);
    if context.out.wants_json() {
        context.out.json(&report)?;
    } else {
        context.out.text(&in_words(&report))?;
    }
    let is_usable = report.store.usable || !report.store.exists;
    Ok(match &report.probe {
        Some(probe) if !probe.works => Exit::RunFailed,
        _ if report.hook_test.as_ref().is_some_and(|test| !test.works) => Exit::RunFailed,
        _ if !is_usable => Exit::BadInput,
        _ if !report.duties.problems().is_empty() => Exit::RunFailed,
        _ => Exit::Fine,
    })
}

fn look(arguments: &Arguments, context: &Context) -> Report {
    let mut problems = Vec::new();
    let actor = context.actor();
    let config = &context.config;
    let probe = probe::probe(context);
    problems.extend(probe.as_ref().and_then(|probe| probe.problem.clone()));
    let judge = judge(context, &mut problems);
    let store = look_at_store(&config.db.value, context, &mut problems);
    if let Some(why) = hook_trouble(&config.hook.value) {
        problems.push(format!("the hook of review.hook ({}) may call nobody: {why}", config.hook.origin));
    }
    problems.extend(mistyped(config));
    let hook_test = arguments.hook_test.then(|| duty::hook_test(context));
    problems.extend(hook_test.as_ref().and_then(|test| test.problem.clone()));
    let duties = Store::open_read_only(&config.db.value).ok();
    let duties = duties.and_then(|store| Duties::look(&store, context).ok()).unwrap_or_default();
    problems.extend_from_slice(duties.problems());
    let terminal = look_at_terminal();
    if let (Some(columns), Some(rows)) = (terminal.columns, terminal.rows)
        && (columns < 60 || rows < 15)
    {
        problems.push(format!("the window has {columns}×{rows} cells: the review screen needs 60×15"));
    }
    let is_utf8 = |locale: &str| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    };
    // Without a locale only a terminal is in doubt: a script may well have none.
    if !terminal.locale.as_deref().map_or(!terminal.stdout, is_utf8) {
        problems.push(format!(
            "the locale is {}: the review screen is drawn in UTF-8; if your terminal shows it wrongly, set \
             LC_ALL=C.UTF-8",
            terminal.locale.as_deref().unwrap_or("not set")
        ));
    }
    if terminal.term.as_deref().is_some_and(|term| term.starts_with("vt")) {
        let term = terminal.term.as_deref().unwrap_or_default();
        problems.push(format!(
            "TERM is `{term}`: the review screen needs colours or bold, and a screen of its own, as `xterm-256color` \
             has them"
        ));
    }
    if terminal.term.as_deref() == Some("dumb") {
        problems.push("TERM is `dumb`: the review screen needs a terminal that can place text".to_owned());
    }
    Report {
        program: PROGRAM,
        store,
        person: Person { annotator: actor.annotator.to_string(), os_user: actor.os_user, host: actor.host },
        judge,
        probe,
        duties,
        hook_test,
        egress: config.egress.value.label(),
        settings_file: config.file.clone(),
        settings_place: Paths::find().map(|paths| paths.config_file),
        settings: config
            .rows()
            .into_iter()
            .map(|(name, value, origin)| SettingRow { name, value, origin })
            .collect(),
        terminal,
        log: context.log_file.clone(),
        problems,
    }
}

/// Who judges, and by which prompt or rules.
fn judge(context: &Context, problems: &mut Vec<String>) -> JudgeFacts {
    let Some(model) = context.config.model_judge() else {
        let JudgeIdentity { judge, model, prompt_version, prompt_sha256, .. } = LocalJudge::new().identity();
        return JudgeFacts { judge, model, prompt_version, prompt_sha256 };
    };
    let prompts = prompts(&context.config).map_err(|failure| problems.push(failure.to_string())).ok();
    let prompt = prompts.as_ref().map(|prompts| prompts.get(PromptId::Faithfulness));
    JudgeFacts {
        judge: model.name().to_owned(),
        model: model.settings().endpoint.model.clone(),
        prompt_version: prompt.map_or_else(String::new, Prompt::version),
        prompt_sha256: prompt.map_or_else(String::new, |prompt| prompt.sha256().to_owned()),
    }
}

fn look_at_store(path: &Path, context: &Context, problems: &mut Vec<String>) -> StoreFacts {
    let meta = path.metadata().ok();
    let folder = path.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    let place = if meta.is_some() { path } else { folder };
    let free_bytes = rustix::fs::statvfs(place).ok().map(|disk| disk.f_bavail * disk.f_frsize);
    if free_bytes.is_some_and(|free| free < LITTLE_SPACE) {
        problems.push(format!(
            "only {} free on the disk of the store: make room before it is full",
            bytes_in_words(free_bytes.unwrap_or_default())
        ));
    }
    let mode = meta.as_ref().map(|meta| meta.permissions().mode() & 0o777);
    if mode.is_some_and(|mode| mode & 0o077 != 0) {
        problems.push(format!(
            "others can open the store (mode {:o}): `chmod 600 {}`",
            mode.unwrap_or_default(),
            path.display()
        ));
    }
    let mut facts = StoreFacts {
        path: path.to_path_buf(),
        exists: meta.is_some(),
        usable: false,
        schema: Store::SCHEMA,
        bytes: meta.map_or(0, |meta| meta.len()) + wal(path).metadata().map_or(0, |meta| meta.len()),
        mode: mode.map(|mode| format!("{mode:o}")),
        file_system: file_system(place),
        free_bytes,
        counts: None,
        inbox_rejected: Vec::new(),
        guards: None,
    };
    if facts.exists {
        match examine(context, &mut facts, problems) {
            Ok(counts) => {
                facts.usable = true;
                if counts.failed > 0 {
                    problems
                        .push(format!("{} records could not be audited: see `juror queue`", counts.failed));
                }
                facts.counts = Some(counts);
            }
            Err(error) => problems.push(error.to_string()),
        }
    }
    facts
}

fn wal(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

/// Lines of the inbox that are listed with their reasons.
const REJECTS: usize = 20;

fn examine(
    context: &Context,
    facts: &mut StoreFacts,
    problems: &mut Vec<String>,
) -> Result<Counts, StoreError> {
    let store = Store::open_read_only(&context.config.db.value)?;
    let guards = store.missing_guards()?;
    facts.guards = Some(guards.is_empty());
    if let [first, more @ ..] = guards.as_slice() {
        let more = if more.is_empty() { String::new() } else { format!(" and {} more like it", more.len()) };
        problems.push(format!(
            "{first}{more}: somebody worked on the schema, and the file may not be what juror wrote: run `juror verify`"
        ));
    }
    let rejects = store.inbox_rejects(REJECTS)?;
    if rejects.count > 0 {
        problems.push(format!(
            "{} line(s) of the table `inbox` are no records and were not taken in: mend and insert them again, \
             then delete the rows",
            rejects.count
        ));
    }
    facts.inbox_rejected = rejects.first.into_iter().map(|(id, reason)| Rejected { id, reason }).collect();
    let counts = store.queue_counts(&context.config.annotator.value, context.clock.now())?;
    let (events, head) = store.head()?;
    Ok(Counts {
        waiting: counts.waiting,
        auditing: counts.auditing,
        audited: counts.audited,
        failed: counts.failed,
        routed: counts.routed,
        open: counts.open,
        set_aside: counts.set_aside,
        events,
        head,
        inbox_rejected: rejects.count,
    })
}

fn look_at_terminal() -> Terminal {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let size =
        rustix::termios::tcgetwinsize(io::stdout()).or_else(|_| rustix::termios::tcgetwinsize(io::stdin()));
    let size = size.ok().filter(|size| size.ws_col > 0);
    Terminal {
        stdin: io::stdin().is_terminal(),
        stdout: io::stdout().is_terminal(),
        stderr: io::stderr().is_terminal(),
        columns: size.map(|size| size.ws_col),
        rows: size.map(|size| size.ws_row),
        term: variable("TERM"),
        colorterm: variable("COLORTERM"),
        locale: ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable),
    }
}

fn in_words(report: &Report) -> String {
    let mut lines = vec![report.program.to_owned()];
    let mut say = |name: &str, value: String| lines.push(format!("{name:<12} {value}"));
    let store = &report.store;
    let state = match (store.exists, store.usable) {
        (false, _) => "not there yet: the first import makes it".to_owned(),
        (true, true) => format!("schema {}, {}", store.schema, bytes_in_words(store.bytes)),
        (true, false) => "cannot be used".to_owned(),
    };
    let mode = store.mode.as_ref().map_or(String::new(), |mode| format!(", mode {mode}"));
    say("store", format!("{} ({state}{mode})", store.path.display()));
    say(
        "disk",
        format!(
            "{}, {} free",
            store.file_system.as_deref().unwrap_or("unknown file system"),
            store.free_bytes.map_or_else(|| "unknown".to_owned(), bytes_in_words)
        ),
    );
    if let Some(counts) = &store.counts {
        say(
            "audits",
            format!(
                "{} waiting, {} in hand, {} done, {} failed",
                counts.waiting, counts.auditing, counts.audited, counts.failed
            ),
        );
        let aside = match counts.set_aside {
            0 => String::new(),
            some => format!(", {some} in blocked answers"),
        };
        say("queue", format!("{} open of {} routed claims{aside}", counts.open, counts.routed));
        say("decisions", format!("{} events, head {}", counts.events, counts.head));
        let guards = if store.guards == Some(true) { "all in place" } else { "not all in place" };
        say("guards", format!("{guards}; `juror verify` recomputes everything"));
    }
    let person = &report.person;
    say("you", format!("{} (user {} on {})", person.annotator, person.os_user, person.host));
    let judge = &report.judge;
    let rules = if judge.judge == "local" { "rules" } else { "prompt" };
    say("judge", format!("{}, model {}, {rules} {}", judge.judge, judge.model, judge.prompt_version));
    for (name, value) in report.probe.iter().flat_map(Probe::lines) {
        say(name, value);
    }
    if store.usable {
        say("on duty", report.duties.in_words());
        if let Some(line) = report.duties.called() {
            say("called", line.to_owned());
        }
        for line in report.duties.arriving() {
            say("came in", line.clone());
        }
    }
    if let Some(test) = &report.hook_test {
        say("hook", test.in_words());
    }
    let egress = match report.egress {
        "none" => "none: nothing leaves this host",
        _ => {
            "any: a hook, a model judge or [embeddings] may send something out; the local judge sends nothing"
        }
    };
    say("egress", egress.to_owned());
    let terminal = &report.terminal;
    let size = terminal.columns.zip(terminal.rows);
    say(
        "terminal",
        format!(
            "{}, TERM {}, locale {}",
            size.map_or_else(|| "none".to_owned(), |(columns, rows)| format!("{columns}×{rows}")),
            terminal.term.as_deref().unwrap_or("not set"),
            terminal.locale.as_deref().unwrap_or("not set"),
        ),
    );
    if let Some(log) = &report.log {
        let there = if log.exists() { "" } else { ", not there: nothing was written yet" };
        say("log", format!("{} ({} chooses what is written{there})", log.display(), crate::log::VARIABLE));
    }
    lines.push(match (&report.settings_file, &report.settings_place) {
        (Some(file), _) => format!("settings, from {}", file.display()),
        (None, Some(place)) => format!("settings (there is no file {})", place.display()),
        (None, None) => "settings".to_owned(),
    });
    for setting in &report.settings {
        lines.push(format!("  {:<24} {:<24} {}", setting.name, setting.value, setting.origin));
    }
    match report.problems.as_slice() {
        [] => lines.push("no problem found".to_owned()),
        problems => lines.extend(problems.iter().map(|problem| format!("problem: {problem}"))),
    }
    lines.extend(report.store.inbox_rejected.iter().map(|row| format!("  inbox {}: {}", row.id, row.reason)));
    lines.iter().map(|line| one_line(line)).collect::<Vec<_>>().join("\n")
}

fn bytes_in_words(bytes: u64) -> String {
    const UNITS: &[&str] = &["kB", "MB", "GB", "TB"];
    let mut size = bytes as f64;
    let mut unit = "B";
    for larger in UNITS {
        if size < 1000.0 {
            break;
        }
        size /= 1000.0;
        unit = larger;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{size:.1} {unit}") }
}
