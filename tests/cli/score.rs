//! `juror score`: pairs in, scores out; and with `--queue` before people.

use serde_json::{Value, json};

use crate::world::{World, finish, fits};

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
    assert_eq!(world.run(&["score", "empty.jsonl", "--json"]).ended(3).json(), json!([]));
    let twice =
        format!("{}\n{}", pair("c1", "It is 4 g.", "It is 4 g."), pair("c1", "It is 4 g.", "It is 5 g."));
    world.file("twice.jsonl", twice);
    let run = world.run(&["score", "twice.jsonl", "--json"]).ended(2);
    assert_eq!(run.json().as_array().unwrap().len(), 1, "the second one counts for nothing");
    assert!(
        run.stderr.contains("twice.jsonl:2: the pair `c1`") && run.stderr.contains("first at twice.jsonl:1"),
        "{}",
        run.stderr
    );
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

fn strong_but_one() -> String {
    let dose = "Paracetamol lowers a fever. The maximum dose for adults is 4 g in any 24 hours.";
    let line = |id: &str, claim: &str, source: &str, retrieval: &str| {
        json!({"claim_id": id, "claim": claim, "source_id": source, "source": dose, "answer_id": "a1",
            "retrieval": retrieval, "source_metadata": {"model_version": "m-7"}, "ticket": 12})
        .to_string()
    };
    [
        line("c1", "Paracetamol lowers a fever.", "s1", "bm25"),
        line("c2", "The maximum dose for adults is 4 g in any 24 hours.", "s1", "bm25"),
        line("c3", "The maximum dose for adults is 9 g in any 24 hours.", "s2", "dense"),
    ]
    .join("\n")
}

#[test]
fn scores_are_added_up_and_one_weak_claim_of_a_strong_answer_is_named() {
    let world = World::new();
    world.file("pairs.jsonl", strong_but_one());
    let run = world.run(&["score", "pairs.jsonl", "--summary", "--json"]).ended(0);
    let json = run.json();
    fits("score_summary", &json);
    assert_eq!((&json["all"]["n"], &json["all"]["median"]), (&json!(3), &json!(5.0)));
    assert_eq!(json["all"]["counts"], json!([1, 0, 0, 0, 2]));
    let names = |group: &str| -> Vec<String> {
        json[group].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (names("by_source"), names("by_retrieval")),
        (vec!["s2".into(), "s1".into()], vec!["dense".into(), "bm25".into()])
    );
    assert_eq!((names("by_answer"), names("by_model_version")), (vec!["a1".into()], vec!["m-7".into()]));
    assert_eq!(json["weak_claims"][0]["claim_id"], "c3");
    let (low, high) = (&json["all"]["strong"]["interval"]["low"], &json["all"]["strong"]["interval"]["high"]);
    assert!(low.as_f64().unwrap() > 0.2 && high.as_f64().unwrap() < 0.95, "{low} {high}");
    let table = world.run(&["score", "pairs.jsonl", "--quiet"]).ended(0);
    assert!(table.out().contains("c3 of a1: best score 1 No Support"), "{}", table.out());
    assert!(!world.db().exists(), "no store is made");
}

#[test]
fn weak_pairs_go_to_the_queue_and_are_given_scores_confirmed_and_taken_back() {
    let world = World::new();
    world.file("pairs.jsonl", strong_but_one());
    let run = world.run(&["score", "pairs.jsonl", "--queue", "1"]).ended(0);
    assert!(run.stderr.contains("3 pairs kept in the store; 1 is in the queue"), "{}", run.stderr);
    let queue = world.run(&["queue", "--json"]).ended(0).json();
    assert_eq!(queue.as_array().unwrap().len(), 1, "{queue}");
    let id = queue[0]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("c3@s2~") && id.ends_with("#1"), "{id}");
    let shown = world.run(&["show", &id]).ended(0);
    assert!(shown.out().contains("4 g in any 24 hours"), "{}", shown.out());
    // Scored again, nothing changes, whatever people decided meanwhile.
    let again = world.run(&["score", "pairs.jsonl", "--queue"]).ended(0);
    assert!(again.stderr.contains("0 pairs kept in the store, 3 there already"), "{}", again.stderr);
    let refused = world.run(&["decide", &id, "--override", "UNSUPPORTED"]).ended(2);
    assert!(refused.stderr.contains("--score N"), "{}", refused.stderr);
    let done = world.run(&["decide", &id, "--score", "2", "--json"]).ended(0).json();
    fits("decide", &done);
    assert_eq!((&done["standing"]["score"], &done["standing"]["review"]), (&json!(2), &json!("OVERRIDDEN")));
    let rows = world.run(&["export", "--what", "claims"]).ended(0).lines();
    for row in &rows {
        fits("claim", row);
    }
    let row = rows.iter().find(|row| row["id"] == id.as_str()).unwrap();
    assert_eq!((&row["support"], &row["human_score"]), (&json!(1), &json!(2)));
    assert_eq!((&row["instrument"], &row["claim_id"]), (&json!("support"), &json!("c3")));
    world.run(&["decide", "--undo"]).ended(0);
    let done = world.run(&["decide", &id, "--score", "1", "--json"]).ended(0).json();
    assert_eq!(done["standing"]["review"], "CONFIRMED");
    world.run(&["verify"]).ended(0);
    // No audit takes them, no gate counts them.
    let claims = |world: &World| world.run(&["export", "--what", "claims"]).ended(0).lines().len();
    let before = claims(&world);
    world.run(&["audit", "--again"]).ended(0);
    assert_eq!(claims(&world), before);
    world.run(&["audit", "--fail-on", "UNSUPPORTED"]).ended(3);
    let record = world.run(&["export", "--what", "records"]).ended(0).lines();
    assert_eq!((record.len(), &record[0]["metadata"]["ticket"]), (3, &json!(12)));
}

#[test]
fn by_policy_the_weak_ones_and_those_without_a_score_go_to_people() {
    let world = World::new();
    world.file("pairs.jsonl", pairs());
    world.run(&["score", "pairs.jsonl", "--queue"]).ended(0);
    let queue = world.run(&["queue", "--json"]).ended(0).json();
    let ids: Vec<&str> = queue.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert!(
        ids.iter().any(|id| id.starts_with("c1@")) && ids.iter().any(|id| id.starts_with("c3@")),
        "{ids:?}"
    );
    let run = world.run(&["score", "--queue", "pairs.jsonl"]).ended(2);
    assert!(run.stderr.contains("the files of pairs stand before --queue"), "{}", run.stderr);
    // A digit in the plain review is a score too.
    let mut command = world.command(&["review", "--plain", "--id", ids[0]]);
    command.env("JUROR_REVIEW_MIN_VISIBLE_MS", "0").stdin(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"4\nq\n").unwrap();
    assert!(finish(child).out().contains("saved: OVERRIDE"));
    let rows = world.run(&["export", "--what", "claims"]).ended(0).lines();
    let row = rows.iter().find(|row| row["id"] == ids[0]).unwrap();
    assert_eq!((&row["human_score"], &row["human_verdict"]), (&json!(4), &json!("FULLY_SUPPORTED")));
}

#[test]
fn citations_are_weighed_by_both_definitions() {
    let world = World::new();
    let passage = |id: &str, content: &str| json!({"passage_id": id, "content": content});
    let record = json!({
        "audit_id": "a1",
        "generated_answer": "The maximum dose for adults is 4 g in any 24 hours [p1][2]. Paracetamol was first \
                             sold in Norway [9]. Paracetamol lowers a fever.",
        "evidence_passages": [
            passage("p1", "The maximum dose for adults is 4 g in any 24 hours."),
            passage("p2", "The canteen is open on weekdays."),
        ],
    });
    world.file("records.jsonl", record.to_string());
    let json = world.run(&["score", "records.jsonl", "--citations", "--json"]).ended(0).json();
    fits("score_citations", &json);
    assert_eq!(
        (&json["statements"], &json["citations"], &json["citations_of_nothing"]),
        (&json!(3), &json!(3), &json!(1))
    );
    for definition in ["liu_2023", "alce_2023"] {
        for figure in ["recall", "precision"] {
            let value = json[definition][figure]["value"].as_f64().unwrap();
            assert!((value - 1.0 / 3.0).abs() < 1e-9, "{definition} {figure} {value}");
        }
    }
    assert_eq!(json["not_borne_out"].as_array().unwrap().len(), 2);
    assert_eq!((&json["statements_not_borne_out"], &json["citations_idle"]), (&json!(2), &json!(2)));
    assert_eq!(json["idle_citations"][0]["cites"], "2");
    let told = world.run(&["score", "records.jsonl", "--citations"]).ended(0);
    assert!(told.out().contains("ALCE") && told.out().contains("cites nothing: NOT"), "{}", told.out());
    world.file("bad.jsonl", "{}");
    world.run(&["score", "bad.jsonl", "--citations"]).ended(2);
    let twice = format!("{record}\n{record}\n");
    world.file("twice.jsonl", twice + &"no record\n".repeat(30));
    let run = world.run(&["score", "twice.jsonl", "--citations", "--json"]).ended(2);
    assert_eq!((&run.json()["answers"], &run.json()["statements"]), (&json!(1), &json!(3)));
    let told = "twice.jsonl:2: the record `a1` stands twice, first at twice.jsonl:1";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    assert!(run.stderr.contains("11 more lines were not taken"), "{}", run.stderr);
    world.file("empty.jsonl", "");
    world.run(&["score", "empty.jsonl", "--citations"]).ended(3);
}

#[test]
fn a_statement_on_which_the_judge_failed_is_a_failure() {
    let server = crate::server::Server::start(|seen| {
        let prompt = crate::server::shapes::prompt(seen);
        if prompt.contains("canteen") {
            return crate::server::Reply::new(400, "no");
        }
        crate::server::shapes::Shape::of(seen).said(&crate::server::judge::reply_to(&prompt).to_string())
    });
    let world = World::new();
    world.file(
        "juror.toml",
        format!(
            "[judge.m]\nprovider = 'openai'\nmodel = 'tiny'\nbase_url = '{}/v1'\ncontext = 16000\n",
            server.url()
        ),
    );
    let record = json!({
        "audit_id": "a1",
        "generated_answer": "The maximum dose for adults is 4 g [1]. The canteen is open on weekdays [2].",
        "evidence_passages": [
            {"passage_id": "p1", "content": "The maximum dose for adults is 4 g."},
            {"passage_id": "p2", "content": "The canteen is open on weekdays."},
        ],
    });
    world.file("records.jsonl", record.to_string());
    let run = world
        .run(&["score", "records.jsonl", "--citations", "--json", "--judge", "m", "--config", "juror.toml"])
        .ended(4);
    // Nothing more is asked of a server that refuses, and no figure is of half the statements.
    assert_eq!(run.json()["not_judged"], 2, "{}", run.stderr);
}
