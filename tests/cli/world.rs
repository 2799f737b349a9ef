//! A folder of its own for each test, and the binary run in it.

use std::fs;
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use juror::clock::{Clock, SystemClock};
use juror::domain::finding::{Finding, JudgeIdentity, Judged, Outcome, RunResult};
use juror::domain::routing::Policy;
use juror::domain::span::Span;
use juror::domain::verdict::{Citation, MatchLevel, NoVerdict, Probability, Role, Score, Severity, Verdict};
use juror::store::{Durability, RequeueFilter, Store};
use serde_json::Value;

use crate::server::Server;

pub(crate) struct World {
    folder: tempfile::TempDir,
}

/// What a run printed and how it ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn out(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", String::from_utf8_lossy(&self.stdout), self.stderr);
        self
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// One whose settings name the server as the judge `m`.
    pub(crate) fn asking(server: &Server) -> Self {
        let world = Self::new();
        world.file(
            ".config/juror/config.toml",
            format!(
                "[judge.m]\nprovider = 'openai'\nmodel = 'tiny'\nbase_url = '{}/v1'\nattempts = 3\ncontext = 16000\n",
                server.url()
            ),
        );
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn db(&self) -> PathBuf {
        self.path("juror.db")
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The binary in this folder, with nothing of the surroundings. Nothing is drawn for a spot check: which claims wait
    /// for a person would be chance.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_juror"));
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("JUROR_DB", self.db())
            .env("JUROR_ANNOTATOR", "ana")
            .env("JUROR_ROUTING_SPOT_CHECK", "0")
            .env("JUROR_ROUTING_SPOT_CHECK_NEW", "0")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The same, ended by Ctrl-C also when these tests are run where SIGINT is ignored, as in a background job.
    pub(crate) fn interruptible(&self, arguments: &[&str]) -> Command {
        const ENV: &str = "/usr/bin/env";
        const AS_USUAL: &str = "--default-signal=INT";
        let plain = self.command(arguments);
        if !Command::new(ENV).args([AS_USUAL, "true"]).output().is_ok_and(|done| done.status.success()) {
            return plain;
        }
        let mut command = Command::new(ENV);
        command.arg(AS_USUAL).arg(plain.get_program()).args(plain.get_args()).env_clear();
        command
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, value) in plain.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        finish(self.command(arguments).spawn().unwrap())
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // A program that stops reading early is one of the things under test.
            let _ = stdin.write_all(&input);
        });
        let run = finish(child);
        writer.join().unwrap();
        run
    }

    /// Imports one record a line and stores a fixed audit for each: claim 1 contradicted, claim 2 fully
    /// supported, claim 3 without a verdict.
    pub(crate) fn audited(&self, lines: &[String]) {
        self.file("audited.jsonl", lines.join("\n"));
        self.run(&["import", "audited.jsonl"]).ended(0);
        self.audit_waiting();
    }

    /// Stores the same audit for every record once more.
    pub(crate) fn audited_again(&self) {
        let mut store = Store::open(&self.db(), Durability::Normal).unwrap();
        store.requeue_records(RequeueFilter::All).unwrap();
        self.audit_waiting();
    }

    fn audit_waiting(&self) {
        let mut store = Store::open(&self.db(), Durability::Normal).unwrap();
        let now = SystemClock.now();
        // Spot checks are drawn at random: none here, so that the queue is the same every time.
        let policy = Policy { spot_check: 0.0, spot_check_new: 0.0, ..Policy::default() };
        while let Some(lease) = store.lease_next_record("test", now, Duration::from_mins(1)).unwrap() {
            let result = audit_of(&lease.record.answer, &lease.record.passages[0].content);
            store.finish_run(&lease, "test", &result, &policy, now, now).unwrap().unwrap();
        }
    }

    /// Bytes of the raw lines in the store.
    pub(crate) fn exported_records(&self) -> Vec<u8> {
        self.run(&["export", "--what", "records"]).ended(0).stdout
    }
}

/// Longer than any run of these tests takes.
const LIMIT: Duration = Duration::from_mins(15);

/// Kills the child when it has not ended in time, so that a test fails instead of waiting for ever. Keep it until
/// the child has been waited for.
pub(crate) struct Limit(std::sync::mpsc::Sender<()>, Option<std::thread::JoinHandle<()>>);

impl Limit {
    pub(crate) fn of(child: &Child) -> Self {
        let pid = rustix::process::Pid::from_child(child);
        let (ended, waits) = std::sync::mpsc::channel();
        let watcher = std::thread::spawn(move || {
            if waits.recv_timeout(LIMIT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        });
        Self(ended, Some(watcher))
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        let _ = self.0.send(());
        if let Some(watcher) = self.1.take() {
            let _ = watcher.join();
        }
    }
}

pub(crate) fn finish(child: Child) -> Run {
    let _limit = Limit::of(&child);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A record as one line.
pub(crate) fn line(id: &str, answer: &str) -> String {
    serde_json::json!({
        "audit_id": id, "generated_answer": answer,
        "evidence_passages": [{"passage_id": "p1", "content": "💊 At most 4 g in 24 hours."}],
    })
    .to_string()
}

/// The same with a risk level.
pub(crate) fn risky(id: &str, risk: &str) -> String {
    let mut value: Value = serde_json::from_str(&line(id, "Take 8 g. It helps. Who knows?")).unwrap();
    value["risk_level"] = risk.into();
    value.to_string()
}

/// Who audits in these tests.
pub(crate) fn test_judge() -> JudgeIdentity {
    JudgeIdentity {
        judge: "local".into(),
        model: "test-1".into(),
        prompt_version: "rules-1".into(),
        prompt_sha256: "ab".repeat(32),
        settings: Value::Null,
    }
}

/// What the passage `p1` says there.
pub(crate) fn cited(passage: &str, quote: &str, role: Role) -> Citation {
    let start = passage.find(quote).unwrap();
    Citation {
        passage_id: juror::domain::ids::PassageId::new("p1"),
        span: Span::new(passage, start..start + quote.len()),
        quote: quote.into(),
        role,
        level: MatchLevel::Exact,
    }
}

fn audit_of(answer: &str, passage: &str) -> RunResult {
    let judged = |verdict, severity, role, support| Judged {
        verdict,
        confidence: Probability::clamped(0.9),
        severity,
        hallucination_type: None,
        citations: vec![cited(passage, "4 g in 24 hours", role)],
        rationale: "claim says 8 g, evidence says 4 g".into(),
        support: Score::new(support),
    };
    let finding = |text: String, outcome| Finding {
        answer_span: Span::new(answer, 0..answer.len()),
        claim_text: text,
        given_id: None,
        outcome,
    };
    RunResult {
        identity: test_judge(),
        instrument: "faithfulness",
        findings: vec![
            finding(
                answer.to_owned(),
                Outcome::Judged(judged(
                    Verdict::Contradicted,
                    Some(Severity::Critical),
                    Role::Contradicts,
                    1,
                )),
            ),
            finding(
                "It helps.".into(),
                Outcome::Judged(judged(Verdict::FullySupported, None, Role::Supports, 5)),
            ),
            finding(
                "Who knows?".into(),
                Outcome::NotJudged { state: NoVerdict::NotChecked, reason: "too long".into() },
            ),
        ],
        no_claims: Vec::new(),
        exchanges: Vec::new(),
    }
}

/// Checks `value` against a shipped schema.
#[track_caller]
pub(crate) fn fits(schema: &str, value: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/schemas/{schema}.json"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
}

/// A set of labelled claims, where they lie beside the repository; where they do not, it says that a test leaves them out.
pub(crate) fn labelled(name: &str) -> Option<Vec<Value>> {
    labelled_to(name, usize::MAX)
}

/// Its first rows, so many at most.
#[expect(clippy::print_stdout, reason = "a test that is left out must say so")]
pub(crate) fn labelled_to(name: &str, most: usize) -> Option<Vec<Value>> {
    let Some(file) = shared_data().and_then(|data| fs::File::open(data.join(name)).ok()) else {
        println!("skipped: there is no shared/data/{name} beside the repository");
        return None;
    };
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    Some(text.lines().take(most).map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// The names of all such sets; none where there are none, which it says.
#[expect(clippy::print_stdout, reason = "a test that is left out must say so")]
pub(crate) fn labelled_files() -> Vec<String> {
    let Some(data) = shared_data() else {
        println!("skipped: there is no shared/data beside the repository");
        return Vec::new();
    };
    let list = |folder: &Path| -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let folders = list(&data).into_iter().filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| list(&folder));
    let names = files.map(|path| path.strip_prefix(&data).unwrap().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".jsonl.gz")).collect();
    names.sort();
    names
}

fn shared_data() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["../shared/data", "../../shared/data"].iter().map(|data| root.join(data)).find(|data| data.is_dir())
}
