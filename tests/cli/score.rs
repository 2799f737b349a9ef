//! `juror score`: pairs in, scores out, no store.

use serde_json::{Value, json};

use crate::world::{World, fits};

fn pair(id: &str, claim: &str, source: &str) -> String {
    json!({"claim_id": id, "claim": claim, "source_id": "s1", "source": source}).to_string()
}

fn pairs() -> String {
    let dose = "Paracetamol lowers a fever. The maximum dose for adults is 4 g in any 24 hours.";
    [
        pair("c1", "The maximum dose for adults is 8 g in any 24 hours.", dose),
        pair("c2", "Paracetamol lowers a fever.", dose),
        pair("c3", "Ibuprofen was first sold in Norway.", dose),
    ]
    .join("\n")
}

#[test]
fn pairs_are_scored_in_their_order_without_a_store() {
    let world = World::new();
    world.file("pairs.jsonl", pairs());
    let run = world.run(&["score", "pairs.jsonl", "--json"]).ended(0);
    let json = run.json();
    fits("score", &json);
    let rows: Vec<(&str, u64)> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["claim_id"].as_str().unwrap(), row["score"].as_u64().unwrap()))
        .collect();
    assert_eq!(rows[..2], [("c1", 1), ("c2", 5)]);
    assert!(rows[2].0 == "c3" && rows[2].1 <= 2, "{rows:?}");
    assert_eq!(json[1]["support_level"], "Directly Supports");
    assert_eq!((&json[1]["missing_information"], &json[1]["state"]), (&Value::Null, &Value::Null));
    assert!(json[0]["rationale"].as_str().unwrap().contains("8 g"));
    let source = "Paracetamol lowers a fever. The maximum dose for adults is 4 g in any 24 hours.";
    let quote = &json[1]["key_evidence"][0];
    let place = |end: &str| usize::try_from(quote[end].as_u64().unwrap()).unwrap();
    assert_eq!(Some(&source[place("start")..place("end")]), quote["quote"].as_str());
    assert_eq!((&quote["match"], json[1]["prompt_sha256"].as_str().unwrap().len()), (&"EXACT".into(), 64));
    assert_eq!(run.stderr, "3 pairs scored by local, 0 without a score\n");
    assert!(!world.db().exists(), "no store is made");
    let table = world.run(&["score", "pairs.jsonl", "--quiet"]).ended(0);
    assert!(table.out().contains("5 Directly Supports"), "{}", table.out());
    assert_eq!(table.stderr, "");
}

#[test]
fn many_pairs_stay_in_order_and_come_from_gzip_folders_and_standard_input() {
    let world = World::new();
    let lines: Vec<String> = (0..500).map(|n| pair(&format!("c{n}"), "It rains.", "It rains.")).collect();
    world.file("many.jsonl", lines.join("\n"));
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gz, lines.join("\n").as_bytes()).unwrap();
    world.file("folder/many.jsonl.gz", gz.finish().unwrap());
    let from_stdin = world.run_with_input(&["score", "-", "--json"], lines.join("\n").as_bytes());
    for run in
        [world.run(&["score", "many.jsonl", "--json"]), world.run(&["score", "folder", "--json"]), from_stdin]
    {
        let json = run.ended(0).json();
        let ids: Vec<&str> =
            json.as_array().unwrap().iter().map(|row| row["claim_id"].as_str().unwrap()).collect();
        assert_eq!(ids, (0..500).map(|n| format!("c{n}")).collect::<Vec<_>>());
    }
}

#[test]
fn a_line_that_is_no_pair_is_named_and_the_rest_is_scored() {
    let world = World::new();
    world.file("mixed.jsonl", format!("{}\n\n{{\"claim_id\":\"x\"}}\nno pair\n", pairs()));
    let run = world.run(&["score", "mixed.jsonl", "--json"]).ended(2);
    assert_eq!(run.json().as_array().unwrap().len(), 3);
    assert!(run.stderr.contains("mixed.jsonl:5: missing `claim` (a text)"), "{}", run.stderr);
    assert!(run.stderr.contains("mixed.jsonl:6: not JSON"), "{}", run.stderr);
    world.file("empty.jsonl", "");
    assert_eq!(world.run(&["score", "empty.jsonl", "--json"]).ended(0).json(), json!([]));
    let run = world.run(&["score", "nowhere.jsonl"]).ended(2);
    assert!(run.stderr.contains("there is no such file"), "{}", run.stderr);
    assert!(world.run(&["score"]).ended(2).stderr.contains("PAIRS"));
}

#[test]
fn texts_of_pairs_reach_no_terminal_raw() {
    let world = World::new();
    world.file("odd.jsonl", pair("c1", "It is 4 g\u{1b}[31m.", "It is 5 g\u{202e}\u{1b}]0;x\u{7}."));
    for arguments in [["score", "odd.jsonl"].as_slice(), &["score", "odd.jsonl", "--json"]] {
        let run = world.run(arguments).ended(0);
        assert!(!run.out().contains(['\u{1b}', '\u{202e}', '\u{7}']), "{:?}", run.out());
    }
}
