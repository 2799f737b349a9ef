//! `kill -9` at random moments: what was stored stays, nothing is doubled, and the chain holds.
//!
//! `JUROR_KILLS` sets how many processes are killed in all (100 for a full run), `JUROR_KILL_SEED` the
//! moments. A process is stopped before it is killed and the write lock is tried from outside: when it
//! is taken, the kill is inside a transaction.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Small steps of a linear congruential generator: the same moments for the same seed.
struct Moments(u64);

impl Moments {
    fn new(salt: u64) -> Self {
        let seed = number("JUROR_KILL_SEED").unwrap_or(1);
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

/// How many of the three tests are through, and how many of their kills were inside a transaction.
static INSIDE: Mutex<(u32, u64)> = Mutex::new((0, 0));

/// Counts a test's kills inside a transaction; the last of the three judges the sum of a full run.
#[expect(clippy::print_stdout, reason = "a run of the kill tests is asked how many kills counted")]
fn count_inside(inside: u64) {
    let (tests, sum) = {
        let mut counted = INSIDE.lock().expect("no test broke while counting");
        counted.0 += 1;
        counted.1 += inside;
        *counted
    };
    if tests == 3 {
        println!("in all: {sum} kills inside a transaction");
        let full = number("JUROR_KILLS").is_some_and(|kills| kills >= 100);
        assert!(!full || sum >= 30, "of a full run only {sum} kills were inside a transaction");
    }
}

/// Kills a process that runs; `inside` waits until it is inside a transaction, but not for ever. Returns
/// whether it was inside one. `None`: it had ended by itself.
fn kill(pid: Pid, db: &Path, inside: bool, mut runs: impl FnMut() -> bool) -> Option<bool> {
    for _ in 0..400 {
        if !runs() {
            return None;
        }
        kill_process(pid, Signal::STOP).expect("it can be stopped");
        let in_transaction = db.exists() && write_lock_is_taken(db);
        if in_transaction || !inside {
            kill_process(pid, Signal::KILL).expect("it can be killed");
            return Some(in_transaction);
        }
        kill_process(pid, Signal::CONT).expect("it can go on");
        std::thread::sleep(Duration::from_micros(200));
    }
    kill_process(pid, Signal::KILL).expect("it can be killed");
    Some(false)
}

fn kill_child(child: &mut Child, db: &Path, inside: bool) -> Option<bool> {
    let killed = kill(Pid::from_child(child), db, inside, || child.try_wait().is_ok_and(|end| end.is_none()));
    child.wait().expect("it ends");
    killed
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
    let lines: Vec<String> = (0..count)
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
            record.to_string()
        })
        .collect();
    std::fs::write(&path, lines.join("\n")).expect("the batch is written");
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
        std::thread::sleep(Duration::from_millis(moments.below(600)));
        let killed = kill_child(&mut child, &db, round % 2 == 0);
        inside += u64::from(killed == Some(true));
        early += u64::from(killed.is_some());
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
    count_inside(inside);
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
        std::thread::sleep(Duration::from_millis(20 + moments.below(150)));
        let killed = kill_child(&mut child, &db, round % 2 == 0);
        inside += u64::from(killed == Some(true));
        early += u64::from(killed.is_some());
        assert_verified(&db);
        // A record that auditors died with four times is given up: its run says so and asks for a person.
        let now = one(&db, "SELECT count(*) FROM work WHERE state IN ('done', 'failed')");
        assert!(now >= audited, "an audit that was stored is gone");
        audited = now;
        assert_eq!(
            one(&db, "SELECT count(*) FROM run"),
            audited,
            "a run for each finished audit, and no other"
        );
    }
    // Not by `json`: the exit code is 4 when a record was given up.
    let summary = run(&db, &["audit", "--json"]).stdout;
    let summary: Value = serde_json::from_slice(&summary).expect("an answer");
    assert_eq!(summary["audited"], records as i64 - audited, "what was left is audited, nothing twice");
    assert_eq!(one(&db, "SELECT count(*) FROM run"), records as i64);
    assert_eq!(one(&db, "SELECT count(DISTINCT record_id) FROM run"), records as i64);
    assert_verified(&db);
    println!("audit: {rounds} kills, {early} while it ran, {inside} inside a transaction");
    assert!(inside > 0, "no kill hit a transaction");
    count_inside(inside);
}

#[test]
fn decisions_that_were_shown_as_saved_survive_a_kill() {
    let mut moments = Moments::new(3);
    let home = tempfile::tempdir().expect("a folder");
    let db = home.path().join("store.db");
    let rounds = kills(0.2);
    let batch = batch(home.path(), 60 + 20 * rounds as usize);
    json(&db, &["import", batch.to_str().expect("a plain path"), "--json"]);
    json(&db, &["audit", "--json"]);
    let (mut inside, mut shown) = (0, 0);
    let mut before = BTreeSet::new();
    for round in 0..rounds {
        let mut review = Review::start(&db);
        review.until(|screen| screen.contains("c confirm") && screen.contains(" · claim "));
        for _ in 0..=moments.below(4) {
            // Long enough that the claim counts as seen.
            review.watch(Duration::from_millis(350));
            review.press("c");
        }
        let in_hand = match round % 3 {
            // Right behind the key, and at some moment after it: the last decision may be stored
            // without having been shown.
            0 => 1,
            1 => {
                review.watch(Duration::from_millis(moments.below(40)));
                1
            }
            // When all is said.
            _ => {
                review.rest();
                0
            }
        };
        inside += u64::from(review.kill(&db, round % 3 == 0));
        assert_verified(&db);
        let now = confirmed(&db);
        let lost: Vec<_> = review.saved.difference(&now).collect();
        assert!(lost.is_empty(), "shown as saved, but gone: {lost:?}");
        let new: BTreeSet<_> = now.difference(&before).cloned().collect();
        let unseen: Vec<_> = new.difference(&review.saved).collect();
        assert!(unseen.len() <= in_hand, "stored, but not shown as saved: {unseen:?}");
        assert!(before.is_subset(&now), "decided in an earlier round, but gone");
        shown += review.saved.len();
        before = now;
    }
    println!("review: {rounds} kills, {shown} decisions shown as saved, {inside} kills inside a transaction");
    assert!(shown > 0, "nothing was decided");
    count_inside(inside);
}

fn confirmed(db: &Path) -> BTreeSet<String> {
    let sql = Connection::open(db).expect("the store opens");
    let mut statement = sql.prepare("SELECT subject FROM event WHERE act = 'CONFIRM'").expect("events");
    let subjects = statement.query_map([], |row| row.get(0)).expect("subjects");
    subjects.collect::<Result<_, _>>().expect("text")
}

/// So wide that what was saved is always named by its id.
const COLUMNS: u16 = 220;
const ROWS: u16 = 50;

/// The real screen in a pseudo-terminal.
struct Review {
    child: Box<dyn portable_pty::Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn std::io::Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// Claims that the screen said are saved.
    saved: BTreeSet<String>,
}

impl Review {
    fn start(db: &Path) -> Self {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_juror"));
        command.env_clear();
        command.env("HOME", db.parent().expect("a folder"));
        command.env("JUROR_DB", db);
        command.env("TERM", "xterm-256color");
        command.arg("review");
        let mut reader = pair.master.try_clone_reader().expect("it can be read");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 16 * 1024];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keyboard = pair.master.take_writer().expect("it can be written");
        let child = pair.slave.spawn_command(command).expect("juror starts");
        let screen =
            vt100::Parser::new(ROWS.try_into().expect("rows"), COLUMNS.try_into().expect("columns"), 0);
        Self { child, _master: pair.master, keyboard, output, screen, saved: BTreeSet::new() }
    }

    /// Takes in what comes within `wait`; `false` when nothing came.
    fn read(&mut self, wait: Duration) -> bool {
        let Ok(bytes) = self.output.recv_timeout(wait) else { return false };
        self.screen.process(&bytes);
        let contents = self.screen.screen().contents();
        let words: Vec<_> = contents.split_whitespace().collect();
        for said in words.windows(3).filter(|said| said[..2] == ["✓", "saved"] && said[2].contains('#')) {
            self.saved.insert(said[2].to_owned());
        }
        true
    }

    fn until(&mut self, reached: impl Fn(&str) -> bool) {
        while !reached(&self.screen.screen().contents()) {
            let came = self.read(Duration::from_secs(20));
            assert!(came, "the screen stands still:\n{}", self.screen.screen().contents());
        }
    }

    /// Looks at the screen for so long.
    fn watch(&mut self, time: Duration) {
        let ends = std::thread::spawn(move || std::thread::sleep(time));
        while !ends.is_finished() {
            self.read(Duration::from_millis(5));
        }
    }

    /// Looks at the screen until nothing comes for a while.
    fn rest(&mut self) {
        for _ in 0..200 {
            if !self.read(Duration::from_millis(400)) {
                return;
            }
        }
        panic!("the screen does not come to rest");
    }

    fn press(&mut self, key: &str) {
        self.keyboard
            .write_all(key.as_bytes())
            .and_then(|()| self.keyboard.flush())
            .expect("a key is pressed");
    }

    /// Kills it and takes in the last it said; whether that was inside a transaction.
    fn kill(&mut self, db: &Path, inside: bool) -> bool {
        let pid =
            self.child.process_id().and_then(|pid| Pid::from_raw(pid.try_into().ok()?)).expect("it runs");
        let child = &mut self.child;
        let killed = kill(pid, db, inside, || child.try_wait().is_ok_and(|end| end.is_none()));
        self.child.wait().expect("it ends");
        while self.read(Duration::from_millis(50)) {}
        killed.expect("the review ran until it was killed")
    }
}
