//! `kill -9` at random moments: what was stored stays, nothing is doubled, and the chain holds.
//!
//! `JUROR_KILLS` sets how many processes are killed in all (100 for a full run), `JUROR_KILL_SEED` the
//! moments. A process is stopped before it is killed and the write lock is tried from outside: when it
//! is taken, the kill is inside a transaction.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Small steps of a linear congruential generator: the same moments for the same seed.
struct Moments(u64);

impl Moments {
    fn new(salt: u64) -> Self {
        let seed = number("JUROR_KILL_SEED").unwrap_or(1);
        println!("JUROR_KILL_SEED={seed}");
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// This test's share of all kills.
fn kills(share: f64) -> u64 {
    ((number("JUROR_KILLS").unwrap_or(12) as f64) * share).ceil() as u64
}

fn juror(db: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_juror"));
    let home = db.parent().expect("a folder");
    command.env_clear().env("HOME", home).env("JUROR_DB", db).stdin(Stdio::null());
    command
}

fn run(db: &Path, arguments: &[&str]) -> Output {
    juror(db).args(arguments).output().expect("juror runs")
}

fn json(db: &Path, arguments: &[&str]) -> Value {
    let output = run(db, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).expect("one JSON value")
}

fn start(db: &Path, arguments: &[&str]) -> Child {
    juror(db).args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("juror starts")
}

/// Kills `child` after about `delay`; every other time it waits until the child is inside a transaction.
/// Returns whether it was, and whether it still ran.
fn kill(child: &mut Child, db: &Path, delay: Duration, inside: bool) -> (bool, bool) {
    std::thread::sleep(delay);
    let pid = Pid::from_child(child);
    let mut in_transaction = false;
    let mut running = true;
    for _ in 0..400 {
        running = child.try_wait().expect("a child can be asked").is_none();
        if !running {
            break;
        }
        kill_process(pid, Signal::STOP).expect("it can be stopped");
        in_transaction = db.exists() && write_lock_is_taken(db);
        if in_transaction || !inside {
            break;
        }
        kill_process(pid, Signal::CONT).expect("it can go on");
        std::thread::sleep(Duration::from_micros(300));
    }
    if running {
        kill_process(pid, Signal::KILL).expect("it can be killed");
    }
    child.wait().expect("it ends");
    (in_transaction && running, running)
}

fn write_lock_is_taken(db: &Path) -> bool {
    let Ok(sql) = Connection::open(db) else { return false };
    sql.busy_timeout(Duration::ZERO).expect("no wait");
    match sql.execute_batch("BEGIN IMMEDIATE; ROLLBACK;") {
        Ok(()) => false,
        Err(error) => error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy),
    }
}

fn assert_verified(db: &Path) {
    let output = run(db, &["verify"]);
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "verify after a kill: {said}");
}

fn one(db: &Path, sql: &str) -> i64 {
    Connection::open(db).and_then(|file| file.query_row(sql, [], |row| row.get(0))).expect(sql)
}

/// `count` records of three sentences each.
fn batch(folder: &Path, count: usize) -> PathBuf {
    let path = folder.join("batch.jsonl");
    let lines: String = (0..count)
        .map(|n| {
            let record = serde_json::json!({
                "audit_id": format!("r{n}"),
                "generated_answer": format!(
                    "The trial of site {n} enrolled {} patients. It ran for {} months. The drug was safe.",
                    n + 100, n % 36 + 1),
                "evidence_passages": [{
                    "passage_id": "p1",
                    "content": format!(
                        "At site {n} a total of {} patients were enrolled over {} months. {}",
                        n + 100, n % 30 + 1, "The report lists the visits of every patient. ".repeat(20)),
                }],
            });
            format!("{record}\n")
        })
        .collect();
    std::fs::write(&path, lines).expect("the batch is written");
    path
}

#[test]
fn killed_imports_lose_and_double_nothing() {
    const RECORDS: usize = 3000;
    let mut moments = Moments::new(1);
    let folder = tempfile::tempdir().expect("a folder");
    let batch = batch(folder.path(), RECORDS);
    let batch = batch.to_str().expect("a plain path");
    let rounds = kills(0.4);
    let (mut inside, mut early) = (0, 0);
    for round in 0..rounds {
        let home = tempfile::tempdir().expect("a folder");
        let db = home.path().join("store.db");
        let mut child = start(&db, &["import", batch, "--quiet"]);
        let delay = Duration::from_millis(moments.below(600));
        let (in_transaction, running) = kill(&mut child, &db, delay, round % 2 == 0);
        inside += u64::from(in_transaction);
        early += u64::from(running);
        let stored = if db.exists() && has_schema(&db) {
            assert_verified(&db);
            one(&db, "SELECT count(*) FROM record")
        } else {
            0
        };
        let summary = json(&db, &["import", batch, "--json"]);
        assert_eq!(summary["unchanged"], stored, "what was stored stays");
        assert_eq!(summary["imported"], RECORDS as i64 - stored, "the rest comes in");
        assert_eq!(one(&db, "SELECT count(DISTINCT audit_id) FROM record"), RECORDS as i64);
        assert_verified(&db);
    }
    println!("import: {rounds} kills, {early} while it ran, {inside} inside a transaction");
    assert!(inside > 0, "no kill hit a transaction");
}

/// A kill before the schema is committed leaves an empty file.
fn has_schema(db: &Path) -> bool {
    one(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'record'") == 1
}

#[test]
fn killed_audits_lose_and_double_nothing() {
    let mut moments = Moments::new(2);
    let home = tempfile::tempdir().expect("a folder");
    let db = home.path().join("store.db");
    let rounds = kills(0.4);
    let records = 400 + 150 * rounds as usize;
    let batch = batch(home.path(), records);
    json(&db, &["import", batch.to_str().expect("a plain path"), "--json"]);
    let (mut inside, mut early, mut audited) = (0, 0, 0);
    for round in 0..rounds {
        let mut child = start(&db, &["audit", "--quiet"]);
        let delay = Duration::from_millis(20 + moments.below(150));
        let (in_transaction, running) = kill(&mut child, &db, delay, round % 2 == 0);
        inside += u64::from(in_transaction);
        early += u64::from(running);
        assert_verified(&db);
        let now = one(&db, "SELECT count(*) FROM work WHERE state = 'done'");
        assert!(now >= audited, "an audit that was stored is gone");
        audited = now;
        assert_eq!(
            one(&db, "SELECT count(*) FROM run"),
            audited,
            "a run for each finished audit, and no other"
        );
    }
    let summary = json(&db, &["audit", "--json"]);
    assert_eq!(summary["audited"], records as i64 - audited, "what was left is audited, nothing twice");
    assert_eq!(one(&db, "SELECT count(*) FROM run"), records as i64);
    assert_eq!(one(&db, "SELECT count(DISTINCT record_id) FROM run"), records as i64);
    assert_verified(&db);
    println!("audit: {rounds} kills, {early} while it ran, {inside} inside a transaction");
    assert!(inside > 0, "no kill hit a transaction");
}
