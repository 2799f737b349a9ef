//! `kill -9` in the middle of an audit by a model: the same command again does exactly what is missing, and asks again
//! at most for what was in flight.

#[path = "server/mod.rs"]
#[expect(dead_code, reason = "here the server does nothing wrong")]
mod server;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rusqlite::Connection;
use server::{Server, judge};

const RECORDS: usize = 200;
const AT_ONCE: usize = 8;
/// Records in hand: a quarter more than there are requests at once.
const IN_HAND: usize = 10;
/// How many requests have come when the program is killed.
const KILL_AT: usize = 90;

fn juror(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_juror"));
    command
        .env_clear()
        .env("HOME", home)
        .env("JUROR_DB", home.join("juror.db"))
        .env("JUROR_CONFIG", home.join("config.toml"))
        .env("SCRIPTED_KEY", "sk-of-this-test")
        .stdin(Stdio::null());
    command
}

fn run(home: &Path, arguments: &[&str]) {
    let output = juror(home).args(arguments).output().expect("juror runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
}

fn number(home: &Path, sql: &str) -> usize {
    let file = Connection::open(home.join("juror.db")).expect("the store");
    file.query_row(sql, [], |row| row.get::<_, u32>(0)).expect(sql) as usize
}

#[test]
fn j65_a_killed_audit_goes_on_with_what_is_missing() {
    let server = Server::start(|seen| judge::unsupported(seen).after(Duration::from_millis(40)));
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let settings = format!(
        "[judge.scripted]\nprovider = \"openai\"\nbase_url = \"{}/v1\"\nmodel = \"scripted-1\"\nkey_env = \"SCRIPTED_KEY\"\n\
         concurrency = {AT_ONCE}\n",
        server.url()
    );
    std::fs::write(home.join("config.toml"), settings).unwrap();
    let lines: Vec<String> = (0..RECORDS)
        .map(|n| {
            serde_json::json!({
                "audit_id": format!("r{n}"),
                "generated_answer": format!("Ward {n} has room for many patients."),
                "evidence_passages": [{"passage_id": "p1", "content": format!("This is the report of ward {n}.")}],
            })
            .to_string()
        })
        .collect();
    std::fs::write(home.join("records.jsonl"), lines.join("\n")).unwrap();
    run(home, &["import", home.join("records.jsonl").to_str().unwrap()]);

    let audit = ["audit", "--judge", "scripted"];
    let mut killed =
        juror(home).args(audit).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("juror starts");
    assert!(server.wait_for(KILL_AT, Duration::from_mins(1)), "only {} requests came", server.count());
    killed.kill().unwrap();
    killed.wait().unwrap();
    let asked = server.count();
    let finished = number(home, "SELECT count(*) FROM run");
    assert!((1..RECORDS).contains(&finished), "{finished} records were finished before the kill");
    assert!(asked <= finished + IN_HAND, "{asked} requests for {finished} finished records");

    run(home, &audit);
    assert_eq!(number(home, "SELECT count(*) FROM run"), RECORDS);
    assert_eq!(number(home, "SELECT count(DISTINCT record_id) FROM run"), RECORDS, "each is audited once");
    assert_eq!(number(home, "SELECT count(*) FROM verdict WHERE state = 'JUDGED'"), RECORDS);
    run(home, &["verify"]);
    // Which ward each request was about: what was finished is not asked again, nothing is asked more than twice.
    let mut asks: BTreeMap<String, usize> = BTreeMap::new();
    for seen in server.seen() {
        let about = server::shapes::prompt(&seen);
        let ward = about.split("report of ward ").nth(1).and_then(|rest| rest.split('.').next());
        *asks.entry(ward.expect("every request is about a ward").to_owned()).or_default() += 1;
    }
    assert_eq!(asks.len(), RECORDS);
    let repeated = asks.values().filter(|times| **times > 1).count();
    assert!(repeated <= IN_HAND && asks.values().all(|times| *times <= 2), "{asks:?}");
    assert_eq!(server.count(), RECORDS + repeated);
}
