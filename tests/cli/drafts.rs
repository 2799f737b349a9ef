//! What was begun and not finished is found again; what calls people is looked at before it is needed.

use juror::clock::{Clock, SystemClock};
use juror::domain::draft::{Draft, DraftKind};
use juror::domain::ids::Annotator;
use juror::store::{Durability, Store};

use crate::world::{World, fits, line};

#[test]
fn drafts_are_counted_found_and_told_at_the_end() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 9 g.")]);
    let mut store = Store::open(&world.db(), Durability::Normal).unwrap();
    for (id, who) in [("rx-1#3", "ana"), ("rx-2#1", "ana"), ("rx-2#3", "bo")] {
        let key = store.claim_key(&id.parse().unwrap()).unwrap();
        let who = Annotator::new(who);
        let draft = Draft { claim: key, kind: DraftKind::Note, texts: Vec::new() };
        store.save_draft(&draft, &who, Some("half a"), SystemClock.now()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    drop(store);
    let counts = world.run(&["queue", "--counts"]).ended(0);
    assert!(
        counts.out().contains("2 drafts: rx-2#1, rx-1#3: `juror review --id` opens one"),
        "{}",
        counts.out()
    );
    let json = world.run(&["queue", "--counts", "--json"]).ended(0).json();
    fits("queue_counts", &json);
    assert_eq!(json["drafts"], serde_json::json!(["rx-2#1", "rx-1#3"]));
    let ids = |filter: &str| {
        let rows = world.run(&["queue", "--filter", filter, "--json"]).ended(0).json();
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids("draft:ana"), ["rx-2#1", "rx-1#3"]);
    assert_eq!(ids("draft:*").len(), 3);
    assert_eq!(ids("-draft:*").len(), 1);
    let quit = world.run_with_input(&["review", "--plain"], b"q\n").ended(0);
    assert!(
        quit.stderr
            .contains("go on with `juror`. 2 drafts: rx-2#1, rx-1#3: `juror review --id 'rx-2#1'` opens one"),
        "{}",
        quit.stderr
    );
    let quit = world.run_with_input(&["review", "--plain", "--by", "bo"], b"q\n").ended(0);
    assert!(quit.stderr.contains("go on with `juror review --by bo`"), "{}", quit.stderr);
    let db = world.db();
    let quit = world.run_with_input(&["--db", db.to_str().unwrap(), "review", "--plain"], b"q\n").ended(0);
    assert!(quit.stderr.contains(&format!("go on with `juror --db {}`", db.display())), "{}", quit.stderr);
}

#[test]
fn doctor_tells_of_a_hook_that_cannot_run() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let doctor = |program: &str| {
        world.file("juror.toml", format!("[review]\nhook = [\"{program}\", \"--now\"]\n"));
        world.run(&["--config", "juror.toml", "doctor"])
    };
    let said = doctor("/no/such/pager").ended(0);
    let problem = "problem: the hook of review.hook (";
    assert!(
        said.out().contains(problem) && said.out().contains("`/no/such/pager`: No such file"),
        "{}",
        said.out()
    );
    assert!(!doctor("/bin/true").ended(0).out().contains(problem));
}
