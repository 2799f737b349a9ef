//! `juror demo`: the whole job on shipped sample data, in a store that is thrown away afterwards.

use std::fs::DirBuilder;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context as _;
use serde::Serialize;

use super::audit::{GoingOn, Summary, audit_all, auditor_settings, failures};
use super::judges::Terms;
use super::{Context, Exit, Interrupt, queue, review};
use crate::clock::Clock;
use crate::config::{Origin, Setting};
use crate::domain::routing::Policy;
use crate::format::native;
use crate::store::{Durability, NewRecord, PageAt, Store};
use crate::tui::ReviewOptions;

/// What is there from the start, as file name and lines. Of records of the same risk the last ones
/// imported are audited first, so the ones that a new user should see first stand last.
const SAMPLE: &[(&str, &str)] = &[
    ("farstail.jsonl", include_str!("../../assets/demo/farstail.jsonl")),
    ("jnli.jsonl", include_str!("../../assets/demo/jnli.jsonl")),
    ("summedits.jsonl", include_str!("../../assets/demo/summedits.jsonl")),
    ("scifact.jsonl", include_str!("../../assets/demo/scifact.jsonl")),
    ("written.jsonl", include_str!("../../assets/demo/written.jsonl")),
];
/// What arrives while you look.
const ARRIVING: (&str, &str) = ("arriving.jsonl", include_str!("../../assets/demo/arriving.jsonl"));

/// From one late record to the next.
const ARRIVES_EVERY: Duration = Duration::from_secs(8);

/// Rows of the queue that `--headless` prints.
const TOP: usize = 12;

/// Try juror on sample data: nothing is kept
#[derive(clap::Args)]
#[command(after_help = "\
Opens the review screen on a sample of health, finance and legal answers,
audited while you look; a few more arrive after the start. Without a terminal,
or with --headless or --json, it audits the sample and prints the top of the
queue instead: the same every time, since no spot checks are drawn there.

Examples:
  juror demo
  juror demo --headless

Your own data:
  juror import answers.jsonl
  juror")]
pub(super) struct Arguments {
    /// Audit and print instead of opening the screen
    #[arg(long)]
    headless: bool,
    /// Take the mouse: a click takes a row or a pane in hand, the wheel moves what is under it, words of
    /// the evidence that it is drawn over are taken for a span
    #[arg(long)]
    pub(super) mouse: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let folder = ThrowAway::new()?;
    context.config.db = Setting { value: folder.0.join("demo.db"), origin: Origin::Default };
    let mut store = context.open_store(Durability::Normal)?;
    for (file, lines) in SAMPLE {
        store.import(&records(file, lines)?, context.clock.now())?;
    }
    let on_screen = context.out.stdout_is_terminal()
        && std::io::stdin().is_terminal()
        && !arguments.headless
        && !context.out.wants_json();
    if on_screen {
        drop(store);
        return show(context);
    }
    store.import(&arriving()?, context.clock.now())?;
    headless(&store, context)
}

fn arriving() -> anyhow::Result<Vec<NewRecord>> {
    records(ARRIVING.0, ARRIVING.1)
}

fn records(file: &str, lines: &str) -> anyhow::Result<Vec<NewRecord>> {
    let read = |(number, line): (usize, &str)| {
        let source = format!("{file}:{}", number + 1);
        native::parse(line.as_bytes(), source.clone())
            .map(|parsed| parsed.record)
            .map_err(|reason| anyhow::anyhow!("{source}: {reason}"))
    };
    lines.lines().enumerate().map(read).collect()
}

/// The screen, with records that arrive while it is up.
fn show(context: &Context) -> anyhow::Result<Exit> {
    let options = ReviewOptions { demo: true, ..review::options(context)? };
    let (ended, waits) = channel();
    let (db, clock, late) = (options.db.clone(), Arc::clone(&context.clock), arriving()?);
    let courier = std::thread::spawn(move || deliver(&db, late, clock.as_ref(), &waits));
    let exit = review::show(options);
    drop(ended);
    // It wakes up at once; the folder may go only when it has let go of the store.
    if courier.join().is_err() {
        tracing::error!("the demo's late records did not arrive");
    }
    exit
}

/// Imports one record after the other until the screen ends.
fn deliver(db: &Path, late: Vec<NewRecord>, clock: &dyn Clock, screen: &Receiver<()>) {
    for record in late {
        if screen.recv_timeout(ARRIVES_EVERY) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
        let stored = Store::open(db, Durability::Normal)
            .and_then(|mut store| store.import(std::slice::from_ref(&record), clock.now()));
        if let Err(error) = stored {
            tracing::error!("the demo's late record did not arrive: {error}");
        }
    }
}

#[derive(Serialize)]
struct Printed {
    #[serde(flatten)]
    summary: Summary,
    open: u64,
    open_critical: u64,
    open_high: u64,
}

fn headless(store: &Store, context: &mut Context) -> anyhow::Result<Exit> {
    // One after the other and without lots, so that every run prints the same.
    let (mut settings, _) = auditor_settings(context, Some(NonZeroUsize::MIN), Terms::default())?;
    settings.policy = Policy { spot_check: 0.0, spot_check_new: 0.0, ..settings.policy };
    let interrupt = Interrupt::watch()?;
    let summary = audit_all(
        settings,
        None,
        store,
        GoingOn::UntilDone { patience: Duration::ZERO },
        &interrupt,
        None,
        context,
    )?;
    let me = context.config.annotator.value.clone();
    let now = context.clock.now();
    let counts = store.queue_counts(&me, now)?;
    if context.out.wants_json() {
        let (open, open_critical, open_high) = (counts.open, counts.open_critical, counts.open_high);
        context.out.json(&Printed { summary, open, open_critical, open_high })?;
    } else {
        let top = store.queue_page(&me, PageAt::Top, TOP, now)?;
        let mut lines = vec![format!("The top of the queue, {} of {} open claims:", top.len(), counts.open)];
        lines.extend(queue::table(&top, context.out.columns()));
        lines.extend([
            String::new(),
            // Nobody reviews the sample blindly from here.
            summary.sentences(false),
            String::new(),
            "In a terminal `juror demo` opens the review screen on this sample.".to_owned(),
            "Your own data: juror import answers.jsonl, then juror".to_owned(),
        ]);
        context.out.text(&lines.join("\n"))?;
    }
    if interrupt.is_raised() {
        return Ok(Exit::Interrupted);
    }
    Ok(failures(counts.failed, &mut context.out).unwrap_or(Exit::Fine))
}

/// A folder that goes when the demo ends.
struct ThrowAway(PathBuf);

impl ThrowAway {
    fn new() -> anyhow::Result<Self> {
        let path = std::env::temp_dir().join(format!("juror-demo-{}", uuid::Uuid::new_v4().simple()));
        DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .with_context(|| format!("the demo's folder {} cannot be made: set TMPDIR", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for ThrowAway {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::record::RiskLevel;
    use crate::domain::verdict::Verdict;
    use crate::instrument::faithfulness;
    use crate::judge::FaithfulnessSettings;
    use crate::judge::local::LocalJudge;

    #[test]
    fn every_sample_record_can_be_read_and_no_id_is_used_twice() {
        let mut ids = std::collections::HashSet::new();
        for (file, lines) in SAMPLE.iter().chain([&ARRIVING]) {
            for record in records(file, lines).unwrap() {
                assert!(ids.insert(record.record.audit_id.clone()), "{}", record.record.audit_id);
            }
        }
        assert!(ids.len() > 50);
    }

    #[test]
    fn no_sample_record_looks_odd() {
        for (file, lines) in SAMPLE.iter().chain([&ARRIVING]) {
            for (number, line) in lines.lines().enumerate() {
                let warnings = native::parse(line.as_bytes(), String::new()).unwrap().warnings;
                assert!(warnings.is_empty(), "{file}:{}: {warnings:?}", number + 1);
            }
        }
    }

    #[test]
    fn something_critical_arrives_late() {
        let arriving = arriving().unwrap();
        assert!(arriving.iter().any(|new| new.record.risk_level == Some(RiskLevel::Critical)));
    }

    #[test]
    fn the_judge_finds_what_is_wrong_in_our_own_records() {
        let wrong = [
            ("rx-1042", "The maximum dose for adults is 8 g in any 24 hours."),
            ("rx-1043", "Warfarin can be combined with ibuprofen."),
            ("dc-0311", "She is not allergic to penicillin."),
            ("trial-27", "A total of 4,312 adults were enrolled at 61 hospitals."),
            (
                "msa-118",
                "Either party may terminate the agreement for convenience with 30 days' written notice.",
            ),
            (
                "gdpr-07",
                "A personal data breach must be reported to the supervisory authority within 7 days.",
            ),
            (
                "loan-552",
                "An early repayment charge of 2 % of the amount repaid applies during the fixed period.",
            ),
            ("rx-1055", "Methotrexate for rheumatoid arthritis is taken once daily."),
            ("lease-031", "The rent is reviewed on every fifth anniversary of the term."),
        ];
        let ours = [SAMPLE[SAMPLE.len() - 1], ARRIVING];
        let ours: Vec<_> = ours.iter().flat_map(|(file, lines)| records(file, lines).unwrap()).collect();
        let settings = FaithfulnessSettings::default();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for (id, claim) in wrong {
            let record = &ours.iter().find(|new| new.record.audit_id.as_str() == id).unwrap().record;
            let audit = faithfulness::audit(&LocalJudge, record, &settings);
            let findings = runtime.block_on(audit).unwrap().findings;
            let finding = findings.iter().find(|finding| finding.claim_text == claim);
            let verdict = finding.and_then(|finding| finding.outcome.judged()).map(|judged| judged.verdict);
            assert_eq!(verdict, Some(Verdict::Contradicted), "{id}: {claim}");
        }
    }

    #[test]
    fn the_share_alike_records_stand_in_a_file_of_their_own() {
        for (file, lines) in SAMPLE {
            let shared = lines.lines().filter(|line| line.contains("CC BY-SA")).count();
            assert_eq!(shared > 0, *file == "jnli.jsonl", "{file}");
        }
    }
}
