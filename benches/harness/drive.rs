//! One audit in a child process, and what came of it.

#![expect(clippy::print_stdout, reason = "the child prints what it measured")]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use juror::auditor::{Activity, Auditor, AuditorSettings, StoreLedger};
use juror::clock::{Clock, SystemClock};
use juror::domain::routing::Policy;
use juror::format::inbox::take_inbox;
use juror::format::native;
use juror::judge::harness::{Harness, HarnessOptions};
use juror::judge::model::{ModelJudge, ModelOptions};
use juror::judge::settings::{AccountKey, Endpoint, ModelSettings, Protocol, Secret};
use juror::judge::{FaithfulnessSettings, Judge};
use juror::prompt::{FenceSecret, Prompts};
use juror::store::{Durability, Store};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::now;
use super::server::Server;

/// The first argument of the child.
pub(crate) const CHILD: &str = "child";

/// So many records of one sentence each are to be audited.
pub(crate) struct Job {
    pub(crate) records: usize,
    pub(crate) at_once: usize,
    /// Of one request.
    pub(crate) timeout: Duration,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Done {
    /// From the start of the auditor until nothing was left to do.
    pub(crate) seconds: f64,
    pub(crate) processor_seconds: f64,
    pub(crate) peak_mb: f64,
    /// Records by the state of their claim.
    pub(crate) states: BTreeMap<String, usize>,
}

/// Audits in a child process that asks `server`.
///
/// # Panics
/// When the child fails, or a record has not exactly one audit with one claim.
pub(crate) fn run(server: &Server, job: &Job) -> Done {
    let db = Path::new(env!("CARGO_TARGET_TMPDIR")).join("harness.db");
    let itself = std::env::current_exe().expect("the bench knows its place");
    let output = Command::new(itself)
        .arg(CHILD)
        .arg(server.url())
        .arg(&db)
        .args([job.records.to_string(), job.at_once.to_string(), job.timeout.as_millis().to_string()])
        .stderr(Stdio::inherit())
        .output()
        .expect("the child starts");
    assert!(output.status.success(), "the child failed");
    let done = serde_json::from_slice(&output.stdout).expect("the child says what it measured");
    remove(&db);
    done
}

/// The child: audits and prints [`Done`].
pub(crate) fn in_the_child(arguments: &[String]) {
    let [url, db, records, at_once, timeout] = arguments else {
        panic!("not the child's arguments: {arguments:?}")
    };
    let number = |text: &String| text.parse::<usize>().expect("a number");
    let (records, at_once) = (number(records), number(at_once));
    let timeout = Duration::from_millis(number(timeout) as u64);
    let db = PathBuf::from(db);
    remove(&db);
    fill(&db, records);
    let settings = AuditorSettings {
        db: db.clone(),
        judge: judge_of(url, &db, at_once, timeout),
        faithfulness: FaithfulnessSettings::default(),
        policy: Policy::default(),
        concurrency: NonZeroUsize::new(at_once).expect("not zero"),
        lease: Duration::from_mins(1),
        clock: Arc::new(SystemClock),
        take_inbox: |store, clock| take_inbox(store, clock).map(drop),
    };
    // The import is not what is measured.
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux lets the peak begin anew");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let before = processor_seconds();
    let seconds = runtime.block_on(async {
        let (news, _heard) = tokio::sync::mpsc::channel(8);
        let began = now();
        let auditor = Auditor::spawn(settings, news);
        let mut progress = auditor.progress();
        progress.wait_for(|progress| progress.activity == Activity::Idle).await.expect("it works");
        let seconds = began.elapsed().as_secs_f64();
        auditor.shutdown(Duration::from_secs(2)).await;
        seconds
    });
    let done = Done {
        seconds,
        processor_seconds: processor_seconds() - before,
        peak_mb: peak_mb(),
        states: states(&db, records),
    };
    println!("{}", serde_json::to_string(&done).expect("JSON"));
}

/// Records that have nothing in common but their length: no answer can come from another's.
fn fill(db: &Path, records: usize) {
    let mut store = Store::open(db, Durability::Normal).expect("a new store");
    let lines = (0..records).map(|n| {
        let line = serde_json::json!({
            "audit_id": format!("record-{n:05}"),
            "generated_answer": format!("The ward of hospital {n} has room for {} patients.", n % 90 + 10),
            "evidence_passages": [{
                "passage_id": "p1",
                "content": format!("Hospital {n} reports every month. {}", "The report names beds, nurses and visits. ".repeat(20)),
            }],
        });
        native::parse(line.to_string().as_bytes(), "bench:1".into()).expect("a record").record
    });
    let lines: Vec<_> = lines.collect();
    store.import(&lines, SystemClock.now()).expect("imported");
}

/// The whole judge as an audit of the command line has it.
fn judge_of(url: &str, db: &Path, at_once: usize, timeout: Duration) -> Arc<dyn Judge> {
    let settings = model(url, at_once, timeout);
    let prompts = Prompts::embedded().expect("the prompts that ship");
    let secret = FenceSecret::new(b"of this bench");
    let repair = juror::judge::model::repair(&prompts, &secret);
    let ledger = Arc::new(StoreLedger::open(db).expect("the log of exchanges"));
    let options = HarnessOptions { budget: None, fresh: false, repair, seed: 7 };
    let harness = Harness::new(settings.clone(), ledger, Arc::new(SystemClock), options).expect("a harness");
    let options = ModelOptions { prompts, secret, rubric: None };
    Arc::new(ModelJudge::new(harness, settings, options).expect("the schemas that ship"))
}

fn model(url: &str, at_once: usize, timeout: Duration) -> ModelSettings {
    ModelSettings {
        name: "scripted".into(),
        endpoint: Endpoint {
            protocol: Protocol::OpenAi,
            base_url: format!("{url}/v1"),
            model: "scripted-1".into(),
            key_header: "authorization".into(),
            key_prefix: "Bearer ".into(),
            headers: Vec::new(),
            secret_headers: Vec::new(),
            reasoning: None,
        },
        keys: vec![AccountKey { account: "bench".into(), secret: Secret::new("sk-of-this-bench") }],
        concurrency: at_once,
        timeout,
        record_timeout: Duration::from_mins(10),
        attempts: 5,
        max_output: 2048,
        context: 16_384,
        items_per_request: 1,
        temperature: 0.0,
        seed: None,
        prices: None,
    }
}

/// Records by the state of their claim.
fn states(db: &Path, records: usize) -> BTreeMap<String, usize> {
    let sql = Connection::open(db).expect("the store");
    let number =
        |query: &str| sql.query_row(query, [], |row| row.get::<_, u32>(0)).expect("a number") as usize;
    let once = number("SELECT count(*) FROM (SELECT 1 FROM run GROUP BY record_id HAVING count(*) = 1)");
    assert_eq!((once, number("SELECT count(*) FROM run")), (records, records), "one audit for each record");
    assert_eq!(number("SELECT count(DISTINCT record_id) FROM claim"), records, "each ends in an entry");
    let mut query = sql.prepare("SELECT state, count(*) FROM verdict GROUP BY state").expect("a query");
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get::<_, u32>(1)? as usize))).expect("rows");
    rows.collect::<Result<_, _>>().expect("states")
}

fn remove(db: &Path) {
    for end in ["", "-wal", "-shm"] {
        let mut path = db.as_os_str().to_owned();
        path.push(end);
        if std::fs::exists(&path).expect("the build folder") {
            std::fs::remove_file(&path).expect("an earlier store goes");
        }
    }
}

/// The most memory that was resident.
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells the memory");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") / 1000.0
}

/// The unit in which Linux tells programs of processor time, to a second.
const TICKS: f64 = 100.0;

/// What all threads took of the processor.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux tells the time");
    // After the name in brackets, which may hold anything, user and system time are the 12th and 13th field.
    let fields = stat.rsplit(')').next().expect("fields").split_whitespace();
    let ticks: f64 = fields.skip(11).take(2).map(|ticks| ticks.parse::<f64>().expect("a number")).sum();
    ticks / TICKS
}
