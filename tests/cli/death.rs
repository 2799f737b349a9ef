//! Auditors that are killed in the middle of a record.

use std::process::{Child, Stdio};
use std::time::Duration;

use crate::world::{World, line};

/// A record that keeps the judge busy for many seconds.
fn long_record(id: &str) -> String {
    let answer: Vec<String> =
        (0..400).map(|n| format!("Patient {n} took {n} mg of drug number {n} in week {n}. ")).collect();
    let evidence: Vec<String> =
        (0..4000).map(|n| format!("In week {n} patient {n} had {n} mg of the drug called {n}. ")).collect();
    serde_json::json!({
        "audit_id": id, "generated_answer": answer.concat(), "risk_level": "HIGH",
        "evidence_passages": [{"passage_id": "p1", "content": evidence.concat()}],
    })
    .to_string()
}

/// Starts an audit and waits until it has a record in hand.
fn audit_in_hand(world: &World) -> Child {
    let child = world.command(&["audit"]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    sql.busy_timeout(Duration::from_secs(5)).unwrap();
    let pid = format!("%/{}/%", child.id());
    let holds = || {
        let held = sql.query_row("SELECT count(*) FROM work WHERE leased_by LIKE ?1", [&pid], |row| {
            row.get::<_, i64>(0)
        });
        held.unwrap() > 0
    };
    let held = (0..3000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        holds()
    });
    assert!(held, "it took nothing in hand");
    child
}

/// Each audit takes over what the killed one before it had in hand, long before the lease runs out; the
/// record that four of them died on is not tried a fifth time.
#[test]
fn what_a_killed_auditor_had_in_hand_is_taken_over_at_once_and_given_up_after_four() {
    let world = World::new();
    world.file("a.jsonl", long_record("long"));
    world.run(&["import", "a.jsonl"]).ended(0);
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    for deaths in 1..=4 {
        let mut child = audit_in_hand(&world);
        let until: i64 = sql.query_row("SELECT leased_until_ms FROM work", [], |row| row.get(0)).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let (attempts, still): (i64, i64) = sql
            .query_row("SELECT attempts, leased_until_ms FROM work", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!((attempts, still), (deaths, until), "killed with the lease in hand");
    }
    let run = world.run(&["audit", "--json"]).ended(4);
    assert!(!run.stderr.contains("waiting"), "{}", run.stderr);
    assert!(run.json()["seconds"].as_f64().unwrap() < 5.0, "{}", run.out());
    assert_eq!(run.json()["failed"], 1);
    let queue = world.run(&["queue", "--json"]).ended(0).json();
    assert_eq!((&queue[0]["id"], &queue[0]["state"]), (&"long#1".into(), &"FAILED".into()), "{queue}");
    let claims = world.run(&["export", "--what", "claims", "--quiet"]).ended(0).lines();
    let why = claims[0]["rationale"].as_str().unwrap();
    assert!(why.contains("stopped in the middle of it 4 times"), "{why}");
    world.run(&["verify"]).ended(0);
}

/// What a living auditor has in hand is waited for, and said.
#[test]
fn what_a_living_auditor_has_in_hand_is_never_taken() {
    let world = World::new();
    world.file("a.jsonl", long_record("long"));
    world.run(&["import", "a.jsonl"]).ended(0);
    let mut living = audit_in_hand(&world);
    let mut other = world.command(&["audit"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(2500));
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    let (holder, attempts): (Option<String>, i64) = sql
        .query_row("SELECT leased_by, attempts FROM work", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let pid = format!("/{}/", living.id());
    assert!(holder.is_some_and(|holder| holder.contains(&pid)) && attempts == 1, "still the first one's");
    // Ctrl-C, so that what it said comes out.
    rustix::process::kill_process(rustix::process::Pid::from_child(&other), rustix::process::Signal::INT)
        .unwrap();
    let said = {
        let mut said = String::new();
        std::io::Read::read_to_string(&mut other.stderr.take().unwrap(), &mut said).unwrap();
        said
    };
    other.wait().unwrap();
    let expected = format!("1 record in the hand of another auditor (process {}): waiting", living.id());
    assert!(said.contains(&expected), "{said}");
    living.kill().unwrap();
    living.wait().unwrap();
}

/// The latest commits stand beside the file while somebody has it open, and for good after a kill.
#[test]
fn verify_says_that_a_copy_of_the_file_alone_would_lack_the_latest() {
    let world = World::new();
    world.audited(&[line("rx", "Adults may take 8 g of paracetamol per day.")]);
    let run = world.run(&["verify"]).ended(0);
    assert!(!run.stderr.contains("-wal"), "nothing stands beside it: {}", run.stderr);
    let open = rusqlite::Connection::open(world.db()).unwrap();
    open.query_row("SELECT count(*) FROM event", [], |row| row.get::<_, i64>(0)).unwrap();
    world.run(&["decide", "rx#1", "--confirm"]).ended(0);
    let run = world.run(&["verify"]).ended(0);
    assert!(
        run.stderr.contains("juror.db-wal alone: whoever copies the store copies both"),
        "{}",
        run.stderr
    );
    let quiet = world.run(&["verify", "--quiet"]).ended(0);
    assert!(!quiet.stderr.contains("-wal"), "a script need not hear it: {}", quiet.stderr);
}

/// Pairs that are kept while the program is killed: each is there whole, or not at all, and the same command again
/// brings the rest and doubles none.
#[test]
fn scores_that_are_kept_when_the_program_is_killed_are_whole() {
    const PAIRS: i64 = 1500;
    let world = World::new();
    let line = |n: i64| {
        serde_json::json!({"claim_id": format!("c{n}"), "claim": format!("Patient {n} took 8 g."), "source_id": "s",
            "source": format!("Patient {n} took 4 g of it in week {n}.")})
        .to_string()
    };
    world.file("pairs.jsonl", (0..PAIRS).map(line).collect::<Vec<_>>().join("\n"));
    let score = ["score", "pairs.jsonl", "--queue", "--quiet", "--summary"];
    let sums = || {
        let sql = rusqlite::Connection::open(world.db()).unwrap();
        let of = |table: &str| {
            sql.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
                .unwrap_or(0)
        };
        [of("record"), of("run"), of("claim"), of("verdict"), of("queue")]
    };
    let mut killed_within = 0;
    for _ in 0..2 {
        let before = if world.db().exists() { sums()[0] } else { 0 };
        let mut child = world.command(&score).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        // Something new is there: it is in the middle of it.
        for _ in 0..2000 {
            std::thread::sleep(Duration::from_millis(5));
            if world.db().exists() && sums()[0] > before || child.try_wait().unwrap().is_some() {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        world.run(&["verify"]).ended(0);
        let [records, rest @ ..] = sums();
        assert_eq!(rest, [records; 4], "each record has its run, claim, verdict and place in the queue");
        killed_within += i64::from(records > before && records < PAIRS);
    }
    assert!(killed_within > 0, "no kill met it at work");
    world.run(&score).ended(0);
    assert_eq!(sums(), [PAIRS; 5]);
    world.run(&["verify"]).ended(0);
}
