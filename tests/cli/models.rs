//! Model judges through the real binary, with a scripted server behind them.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::server::shapes::Shape;
use crate::server::{Reply, Seen, Server, judge};
use crate::world::{Run, World, finish, fits, line};

const PLANTED: &str = "sk-planted-0123456789";

/// A folder whose settings name the server as the judge `m`.
fn world(server: &Server, more: &str) -> World {
    let world = World::new();
    world.file(
        "juror.toml",
        format!(
            "[judge.m]\nprovider = 'openai'\nmodel = 'tiny'\nbase_url = '{}/v1'\nattempts = 3\ncontext = 16000\n{more}",
            server.url()
        ),
    );
    world
}

fn with_key(world: &World, arguments: &[&str]) -> Run {
    finish(command(world, arguments).env("PLANTED_KEY", PLANTED).spawn().unwrap())
}

fn command(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command(arguments);
    command.env("JUROR_CONFIG", world.path("juror.toml")).env("JUROR_LOG", "trace");
    command
}

/// Judges whatever it is asked, and can add.
fn able(seen: &Seen) -> Reply {
    if seen.body.contains("2 + 3") { Shape::of(seen).said("{\"sum\":5}") } else { judge::unsupported(seen) }
}

fn records(world: &World, number: usize) {
    let lines: Vec<String> = (0..number).map(|n| line(&format!("r-{n}"), "Take 8 g a day.")).collect();
    world.file("a.jsonl", lines.join("\n"));
    world.run(&["import", "a.jsonl"]).ended(0);
}

#[test]
fn an_audit_by_a_model_tells_what_it_took_and_asks_nothing_twice() {
    let server = Server::start(able);
    let world = world(&server, "prices = { input = 1.0, output = 4.0 }\n");
    records(&world, 3);
    let json = with_key(&world, &["audit", "--judge", "m", "--json"]).ended(0).json();
    fits("audit", &json);
    assert_eq!((&json["audited"], &json["asked"]["calls"]), (&3.into(), &server.count().into()));
    assert!(json["asked"]["cost_usd"].as_f64().unwrap() > 0.0, "{json}");
    let asked = server.count();
    let again = with_key(&world, &["audit", "--judge", "m", "--again", "r-1"]).ended(0);
    assert!(again.out().contains("m was asked in 0 calls"), "{}", again.out());
    assert_eq!(server.count(), asked);
    let fresh = with_key(&world, &["audit", "--judge", "m", "--again", "r-1", "--fresh"]).ended(0);
    assert!(!fresh.out().contains("in 0 calls") && server.count() > asked, "{}", fresh.out());
    let local = with_key(&world, &["audit", "--again", "--json"]).ended(0).json();
    fits("audit", &local);
    assert!(local["asked"].is_null());
}

#[test]
fn j70_a_dry_run_sends_nothing_and_says_what_it_does_not_know() {
    let server = Server::start(able);
    let dry = |more: &str| {
        let world = world(&server, more);
        records(&world, 5);
        let json = with_key(&world, &["audit", "--judge", "m", "--dry-run", "--json"]).ended(0).json();
        fits("audit", &json);
        assert_eq!((&json["records"], &json["calls"]), (&5.into(), &5.into()));
        let told = with_key(&world, &["audit", "--judge", "m", "--dry-run"]).ended(0);
        let waiting = world.run(&["doctor", "--json"]).ended(0).json();
        assert_eq!(waiting["store"]["counts"]["waiting"], 5);
        (json["cost_usd_at_most"].clone(), told.out().to_owned())
    };
    let (cost, told) = dry("");
    assert!(cost.is_null() && told.contains("unknown: set `prices` in [judge.m]"), "{told}");
    let (cost, told) = dry("prices = { input = 1.0, output = 4.0 }\n");
    assert!(cost.as_f64().unwrap() > 0.0 && told.contains("at most about $0.0"), "{told}");
    assert_eq!(server.count(), 0);
    let world = world(&server, "");
    records(&world, 2);
    let told = with_key(&world, &["audit", "--dry-run"]).ended(0);
    assert!(told.out().contains("2 records would be audited by the local judge: no call"), "{}", told.out());
}

#[test]
fn j70_a_budget_stops_before_it_is_passed_and_needs_prices() {
    let server = Server::start(able);
    let world = world(&server, "");
    records(&world, 2);
    let run = with_key(&world, &["audit", "--judge", "m", "--budget", "5"]).ended(2);
    assert!(run.stderr.contains("juror.toml:1: [judge.m] has no `prices`"), "{}", run.stderr);
    assert!(with_key(&world, &["audit", "--budget=-1"]).ended(2).stderr.contains("an amount of US dollars"));
    let dear = world_with_prices(&server);
    records(&dear, 2);
    let run = with_key(&dear, &["audit", "--judge", "m", "--budget", "0.001"]).ended(4);
    assert!(run.stderr.contains("the budget of $0.0010 would be passed"), "{}", run.stderr);
    assert_eq!(server.count(), 0);
    let doctor = dear.run(&["doctor", "--json"]).ended(0).json();
    assert_eq!(doctor["store"]["counts"]["waiting"], 2, "the records wait on");
}

fn world_with_prices(server: &Server) -> World {
    world(server, "prices = { input = 100.0, output = 400.0 }\n")
}

#[test]
fn j42_a_key_that_is_refused_is_no_verdict_and_stops_the_run() {
    let server = Server::start(|seen| Shape::of(seen).denied());
    let world = world(&server, "key_env = 'PLANTED_KEY'\n");
    records(&world, 20);
    let run = with_key(&world, &["audit", "--judge", "m", "--fail-on", "CONTRADICTED", "--json"]).ended(4);
    let json = run.json();
    fits("audit", &json);
    assert_eq!((&json["audited"], &json["failed"]), (&0.into(), &0.into()));
    assert!(json["halted"].is_string() && server.count() <= 8, "{json}");
    world.file("pairs.jsonl", pairs(30));
    let run = with_key(&world, &["score", "--judge", "m", "pairs.jsonl", "--json"]).ended(4);
    let rows = run.json();
    fits("score", &rows);
    assert!(rows.as_array().unwrap().iter().all(|row| row["score"].is_null()), "{rows}");
    assert_eq!(rows[29]["state"], "NOT_CHECKED", "the rest is named, not asked");
}

fn pairs(number: usize) -> String {
    let pair = |n| json!({"claim_id": format!("c{n}"), "claim": "Take 8 g.", "source_id": "s", "source": "Take 4 g."});
    (0..number).map(|n| pair(n).to_string()).collect::<Vec<_>>().join("\n")
}

#[test]
fn pairs_are_scored_by_a_model_without_a_store() {
    let server = Server::start(able);
    let world = world(&server, "");
    world.file("pairs.jsonl", pairs(12));
    let mut score = command(&world, &["score", "--judge", "m", "pairs.jsonl", "--json"]);
    let run = finish(score.env_remove("JUROR_DB").spawn().unwrap()).ended(0);
    fits("score", &run.json());
    assert_eq!((run.json()[0]["judge"].as_str(), run.json()[0]["model"].as_str()), (Some("m"), Some("tiny")));
    assert!(
        run.stderr.contains("m was asked in 12 calls") && run.stderr.contains("cost unknown"),
        "{}",
        run.stderr
    );
    assert!(!world.db().exists());
}

/// Each way in which a model says nothing that counts, the exit code of it, and the state it shows as.
type Mute = (fn(&Seen) -> Reply, i32, &'static str);

const MUTE: [Mute; 4] = [
    (|seen| Shape::of(seen).said("no JSON at all"), 4, "FAILED"),
    (|seen| Shape::of(seen).refused(), 3, "REFUSED"),
    (|seen| Shape::of(seen).said(""), 3, "EMPTY"),
    (|seen| Shape::of(seen).cut("{\"key"), 3, "INCOMPLETE"),
];

#[test]
fn j44_what_cannot_be_judged_is_no_green_whatever_the_state() {
    for (reply, exit, state) in MUTE {
        let server = Server::start(reply);
        let world = world(&server, "");
        world.file("pairs.jsonl", pairs(3));
        let run = with_key(&world, &["score", "--judge", "m", "pairs.jsonl", "--json"]).ended(exit);
        fits("score", &run.json());
        assert_eq!((&run.json()[2]["state"], &run.json()[2]["score"]), (&state.into(), &Value::Null));
        records(&world, 2);
        let run = with_key(&world, &["audit", "--judge", "m"]).ended(exit);
        assert!(exit == 4 || run.stderr.contains("no claim got a verdict"), "{}", run.stderr);
        with_key(&world, &["audit", "--judge", "m", "--fail-on", "CRITICAL"]).ended(exit);
    }
}

#[test]
fn j44_one_pair_without_a_score_that_stands_among_many_is_no_green() {
    let refuses = Server::start(|seen| {
        if seen.body.contains("Take 9 g.") { Shape::of(seen).refused() } else { judge::unsupported(seen) }
    });
    let world = world(&refuses, "");
    world
        .file("pairs.jsonl", format!("{}\n{}", pairs(2), pairs(1).replace("8 g", "9 g").replace("c0", "c9")));
    let run = with_key(&world, &["score", "--judge", "m", "pairs.jsonl"]).ended(3);
    assert!(run.stderr.contains("2 pairs scored by m, 1 without a score"), "{}", run.stderr);
    let invents = Server::start(|seen| {
        let reply = json!({
            "key_evidence": ["words that stand nowhere"], "rationale": "It says so.",
            "missing_information": null, "score": 5, "support_level": "Directly Supports", "confidence": 0.9,
        });
        Shape::of(seen).said(&reply.to_string())
    });
    let world = self::world(&invents, "");
    world.file("pairs.jsonl", pairs(1));
    let run = with_key(&world, &["score", "--judge", "m", "pairs.jsonl", "--json"]).ended(3);
    fits("score", &run.json());
    let row = &run.json()[0];
    let quote =
        json!({"quote": "words that stand nowhere", "start": null, "end": null, "match": "NOT_FOUND"});
    assert_eq!((&row["grounded"], &row["key_evidence"]), (&false.into(), &json!([quote])));
    assert!(
        run.stderr.contains("1 score is UNGROUNDED: no quote that decides stands in the source")
            && run.stderr.contains("0 pairs scored"),
        "{}",
        run.stderr
    );
}

#[test]
fn j40_a_report_on_what_has_no_verdict_has_no_figures_and_says_why() {
    let refuses = Server::start(|seen| Shape::of(seen).refused());
    let world = world(&refuses, "");
    let row = |id: &str, label: &str| {
        json!({"dataset": "d", "id": id, "claim": "Take 8 g.", "label": label, "lang": "en", "binary": 0,
            "evidence": [{"passage_id": "p", "content": "Take 4 g."}]})
        .to_string()
    };
    world.file("rows.jsonl", [row("1", "CONTRADICTED"), row("2", "UNSUPPORTED")].join("\n"));
    let run = with_key(&world, &["judge-report", "rows.jsonl", "--judge", "m", "--json"]);
    let json = run.json();
    fits("judge_report", &json);
    let figures = &json["files"][0];
    for figure in ["balanced_accuracy", "auroc", "contradicted_precision"] {
        assert!(figures[figure]["value"].is_null(), "{figure}: {figures}");
        assert!(figures[figure]["undefined_because"].is_string(), "{figure}: {figures}");
    }
    let table = with_key(&world, &["judge-report", "rows.jsonl", "--judge", "m"]);
    assert!(!table.out().contains("NaN") && !table.stderr.contains("NaN"), "{}", table.out());
}

#[test]
fn j41_a_claim_without_a_verdict_has_none_in_store_and_export_also_after_a_retry() {
    let refuses = Server::start(|seen| Shape::of(seen).refused());
    let world = world(&refuses, "");
    records(&world, 1);
    for arguments in [["audit", "--judge", "m"].as_slice(), &["audit", "--judge", "m", "--again-failed"]] {
        with_key(&world, arguments).ended(3);
        let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
        let queued = world.run(&["queue", "--json"]).ended(0).json();
        for claim in [&claims[0], &queued[0]] {
            assert_eq!(claim["state"], "REFUSED", "{claim}");
            for score in ["verdict", "confidence", "support"] {
                assert!(claim[score].is_null(), "{score}: {claim}");
            }
        }
        let database = rusqlite::Connection::open(world.db()).unwrap();
        let zeros: i64 = database
            .query_row(
                "SELECT count(*) FROM verdict WHERE verdict IS NOT NULL OR confidence IS NOT NULL OR support IS NOT NULL",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(zeros, 0);
    }
    world.run(&["verify"]).ended(0);
}

#[test]
fn what_a_model_was_asked_about_pairs_is_kept_in_the_usual_store_where_there_is_one() {
    let server = Server::start(able);
    let world = world(&server, "");
    world.file("pairs.jsonl", pairs(2));
    world.file("a.jsonl", line("r-1", "Take 8 g a day."));
    let run = |arguments: &[&str]| finish(command(&world, arguments).env_remove("JUROR_DB").spawn().unwrap());
    run(&["import", "a.jsonl"]).ended(0);
    run(&["score", "--judge", "m", "pairs.jsonl"]).ended(0);
    let asked = server.count();
    assert_eq!(run(&["exchanges", "--json"]).ended(0).json().as_array().unwrap().len(), asked);
    run(&["score", "--judge", "m", "pairs.jsonl"]).ended(0);
    assert_eq!(server.count(), asked, "nothing is asked twice");
}

#[test]
fn doctor_tries_a_judge_only_when_it_is_named() {
    let server = Server::start(able);
    let world = world(&server, "key_env = 'PLANTED_KEY'\n");
    let json = with_key(&world, &["doctor", "--json"]).ended(0).json();
    fits("doctor", &json);
    assert!(json["probe"].is_null() && server.count() == 0);
    let json = with_key(&world, &["doctor", "--judge", "m", "--json"]).ended(0).json();
    fits("doctor", &json);
    let probe = &json["probe"];
    assert_eq!((&probe["works"], &probe["key_accepted"]), (&true.into(), &true.into()));
    assert_eq!((probe["structured_output"].as_str(), server.count()), (Some("schema"), 1));
    assert!(probe["leaves"].as_str().unwrap().contains("on this host"));
    let run = finish(command(&world, &["doctor", "--judge", "m"]).spawn().unwrap()).ended(4);
    assert!(run.out().contains("environment variable PLANTED_KEY is not set"), "{}", run.out());
    let local = with_key(&world, &["doctor", "--judge", "local"]).ended(0);
    assert!(local.out().contains("nothing leaves this host"), "{}", local.out());
    drop(server);
    let run = with_key(&world, &["doctor", "--judge", "m", "--json"]).ended(4);
    fits("doctor", &run.json());
    assert_eq!(run.json()["probe"]["reachable"], false);
}

#[test]
fn the_local_judge_does_not_seem_to_follow_what_only_a_model_can() {
    let world = World::new();
    records(&world, 1);
    for (variable, value, why) in [
        ("JUROR_AUDITOR_CONSTRAINTS", "ignore sources before 2023", "cannot follow instructions"),
        ("JUROR_AUDITOR_THRESHOLD", "exact", "knows one threshold"),
    ] {
        let run = finish(world.command(&["audit"]).env(variable, value).spawn().unwrap()).ended(2);
        assert!(run.stderr.contains(&format!("environment variable {variable}")), "{}", run.stderr);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

#[test]
fn no_egress_keeps_a_judge_from_being_asked() {
    let server = Server::start(able);
    let world = world(&server, "");
    records(&world, 1);
    for arguments in [["audit", "--judge", "m"], ["doctor", "--judge", "m"]] {
        let run = finish(command(&world, &arguments).env("JUROR_EGRESS", "none").spawn().unwrap()).ended(2);
        assert!(run.stderr.contains("`egress = \"none\"` forbids"), "{}", run.stderr);
    }
    assert_eq!(server.count(), 0);
}

/// Every byte of every file below `folder`.
fn nowhere_below(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            nowhere_below(&path);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            let is_there = bytes.windows(PLANTED.len()).any(|part| part == PLANTED.as_bytes());
            assert!(!is_there, "the key stands in {}", path.display());
        }
    }
}

#[test]
fn a_planted_key_is_found_nowhere() {
    // A server that says the key back wherever a server might.
    let server = Server::start(|seen| {
        let key = seen.header("authorization").unwrap_or_default().to_owned();
        let body = json!({"error": {"message": format!("bad key {key}"), "type": key, "code": key}});
        match seen.number % 4 {
            0 => Reply::json(500, &body).header("x-request-id", key),
            1 => Reply::json(400, &body),
            2 => Shape::of(seen).said(&format!("your key is {key}")),
            _ => judge::unsupported(seen),
        }
    });
    let world = world(&server, "key_env = 'PLANTED_KEY'\n");
    records(&world, 8);
    world.file("pairs.jsonl", pairs(4));
    for arguments in [
        ["doctor", "--judge", "m"].as_slice(),
        &["doctor", "--judge", "m", "--json"],
        &["audit", "--judge", "m"],
        &["audit", "--judge", "m", "--again", "--fresh"],
        &["score", "--judge", "m", "pairs.jsonl", "--json"],
        &["exchanges", "--json"],
        &["queue", "--json"],
        &["export", "--what", "claims"],
    ] {
        let run = with_key(&world, arguments);
        assert!(!run.out().contains(PLANTED), "{arguments:?}: {}", run.out());
        assert!(!run.stderr.contains(PLANTED), "{arguments:?}: {}", run.stderr);
    }
    assert!(
        server
            .seen()
            .iter()
            .any(|seen| seen.header("authorization").is_some_and(|key| key.contains(PLANTED)))
    );
    let denied = Server::start(|seen| Shape::of(seen).denied());
    world.file(
        "juror.toml",
        format!(
            "[judge.m]\nprovider = 'openai'\nmodel = 'tiny'\nbase_url = '{}/v1'\nkey_env = 'PLANTED_KEY'\n",
            denied.url()
        ),
    );
    let run = with_key(&world, &["audit", "--judge", "m", "--again"]);
    assert!(!run.out().contains(PLANTED) && !run.stderr.contains(PLANTED), "{run:?}");
    nowhere_below(world.db().parent().unwrap());
}

#[test]
fn scores_follow_a_rubric_of_ones_own_which_the_local_judge_refuses() {
    let server = Server::start(able);
    let world = world(&server, "");
    world.file(
        "p.jsonl",
        r#"{"claim_id":"c","claim":"It is 4 g.","source_id":"s","source":"At most 4 g in 24 hours."}"#,
    );
    world.file("ours.txt", "\u{feff}5: as the ward reads it\n");
    world.file("empty.txt", " \n");
    let score = |more: &[&str]| with_key(&world, &[&["score", "p.jsonl", "--json"], more].concat());
    let rows = score(&["--judge", "m", "--rubric", "ours.txt"]);
    assert!(rows.out().contains("support-1+rubric-"), "{} {}", rows.out(), rows.stderr);
    assert!(server.seen()[0].body.contains("as the ward reads it"));
    let asked = server.count();
    for (more, why) in [
        (["--judge", "m", "--rubric", "empty.txt"].as_slice(), "--rubric empty.txt: it is empty"),
        (&["--judge", "m", "--rubric", "none.txt"], "--rubric none.txt: "),
        (&["--rubric", "ours.txt"], "the local judge scores by rules of its own and cannot follow a rubric"),
    ] {
        let run = score(more).ended(2);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
    assert_eq!(server.count(), asked);
}

#[test]
fn an_outage_that_outlasts_patience_ends_the_audit_and_loses_no_record() {
    let server = Server::start(able);
    let world = world(&server, "timeout_s = 5\n");
    records(&world, 2);
    drop(server);
    let run = with_key(&world, &["audit", "--judge", "m", "--patience", "0"]).ended(4);
    assert!(run.stderr.contains("cannot be reached"), "{}", run.stderr);
    assert!(run.stderr.contains("tries again in 30 s") && run.stderr.contains("the records wait"), "{run:?}");
    assert!(run.out().contains("0 records audited"), "{}", run.out());
}

#[test]
fn what_failed_is_audited_again_alone_and_only_its_failures_are_asked() {
    let broken = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let seen_broken = broken.clone();
    let server = Server::start(move |seen| {
        let fails = seen.body.contains("bad-record") && seen_broken.load(std::sync::atomic::Ordering::SeqCst);
        if fails { Reply::json(400, &json!({"error": {"message": "no"}})) } else { able(seen) }
    });
    let world = world(&server, "");
    let lines = [line("r-1", "Take 8 g a day."), line("r-2", "Take 8 g a day, says bad-record.")];
    world.file("a.jsonl", lines.join("\n"));
    world.run(&["import", "a.jsonl"]).ended(0);
    let run = with_key(&world, &["audit", "--judge", "m"]).ended(4);
    assert!(run.stderr.contains("`juror audit --again-failed` tries again"), "{}", run.stderr);
    broken.store(false, std::sync::atomic::Ordering::SeqCst);
    let asked = server.count();
    let json = with_key(&world, &["audit", "--judge", "m", "--again-failed", "--json"]).ended(0).json();
    assert_eq!((&json["audited"], &json["failed"]), (&1.into(), &0.into()));
    assert!(server.count() > asked);
    let json = with_key(&world, &["audit", "--judge", "m", "--again-failed", "--json"]).ended(0).json();
    assert_eq!(json["audited"], 0);
}

#[test]
fn a_store_that_is_named_keeps_what_scores_were_asked_for() {
    let server = Server::start(able);
    let world = world(&server, "");
    world.file("pairs.jsonl", pairs(1));
    let score = ["score", "--judge", "m", "pairs.jsonl", "--json"];
    let first = with_key(&world, &score).ended(0).json();
    assert_eq!(server.count(), 1);
    assert_eq!(with_key(&world, &score).ended(0).json(), first, "what was paid for is not asked again");
    assert_eq!(server.count(), 1);
    with_key(&world, &[score.as_slice(), &["--fresh"]].concat()).ended(0);
    assert_eq!(server.count(), 2);
    let kept = world.run(&["exchanges", "--json"]).ended(0).json();
    assert_eq!(kept.as_array().map(Vec::len), Some(2), "{kept}");
    world.run(&["verify"]).ended(0);
    let run = with_key(&world, &[score.as_slice(), &["--budget", "1"]].concat()).ended(2);
    assert!(run.stderr.contains("no `prices`"), "{}", run.stderr);
}

/// Which rows a judge fails at is not the same from run to run, and what is left is no sample. Here they are those whose
/// reply says nothing: what a server refuses holds back the other rows as well.
#[test]
fn j43_rows_that_a_judge_failed_at_count_on_neither_side_and_are_told() {
    let row = |id: &str, claim: &str, label: &str| {
        let evidence = "The maximum dose for adults is 4 g a day.";
        let marked = json!([{"passage_id": "p", "start": 0, "end": 16}]);
        json!({
            "id": id, "claim": claim, "label": label, "lang": "en", "spans": marked,
            "evidence": [{"passage_id": "p", "content": evidence}],
        })
        .to_string()
    };
    let kept = [
        row("1", "The dose for adults is 4 g.", "FULLY_SUPPORTED"),
        row("2", "Ibuprofen was first sold in Norway.", "UNSUPPORTED"),
    ];
    let refused = [
        row("3", "GARBLED: the maximum dose for adults is 4 g a day.", "FULLY_SUPPORTED"),
        row("4", "GARBLED: take 8 g.", "UNSUPPORTED"),
    ];
    let server = Server::start(|seen: &Seen| {
        if seen.body.contains("GARBLED") { Reply::new(200, "{}") } else { judge::unsupported(seen) }
    });
    let world = world(&server, "");
    world.file("all.jsonl", [&refused[..], &kept[..]].concat().join("\n"));
    world.file("kept.jsonl", kept.join("\n"));
    let report = |file: &str, code: i32| {
        let run = with_key(&world, &["judge-report", file, "--judge", "m", "--json"]).ended(code);
        let json = run.json();
        fits("judge_report", &json);
        json["files"][0].clone()
    };
    let (all, kept) = (report("all.jsonl", 4), report("kept.jsonl", 0));
    assert_eq!((&all["failed"], &kept["failed"]), (&2.into(), &0.into()));
    for figure in [
        "claims",
        "labels",
        "coverage",
        "balanced_accuracy",
        "overlap_auroc",
        "overlap_balanced_accuracy",
        "sentence_f1",
    ] {
        assert_eq!(all[figure], kept[figure], "{figure}");
    }
    let table = with_key(&world, &["judge-report", "all.jsonl", "--judge", "m"]).ended(4);
    assert!(
        table.out().contains("all: the judge failed at 2 of 4 rows, which count in no figure"),
        "{}",
        table.out()
    );
    // The first rows are the first rows, whoever fails at them.
    let first =
        with_key(&world, &["judge-report", "all.jsonl", "--judge", "m", "--limit", "3", "--json"]).ended(4);
    let first = &first.json()["files"][0];
    assert_eq!((&first["failed"], &first["claims"]), (&2.into(), &1.into()));
}
