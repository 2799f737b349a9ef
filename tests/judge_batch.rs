//! `juror batch` through the real binary, against a provider that plays both protocols.

#![expect(clippy::unwrap_used, reason = "helpers of tests, where a panic is the answer")]

#[path = "judge_batch/provider.rs"]
mod provider;
#[path = "server/mod.rs"]
#[expect(dead_code, reason = "no test needs every fault")]
mod server;
#[path = "cli/world.rs"]
#[expect(dead_code, reason = "shared with the tests of the command line")]
mod world;

use std::process::Command;

use serde_json::{Value, json};

use provider::{Provider, completion};
use server::Reply;
use server::shapes::Shape;
use world::{Run, World, finish, fits, line};

const PLANTED: &str = "sk-planted-0123456789";

fn world(provider: &Provider, kind: &str) -> World {
    let world = World::new();
    world.file(
        "juror.toml",
        format!(
            "[judge.m]\nprovider = '{kind}'\nmodel = 'tiny'\nbase_url = '{}/v1'\nattempts = 3\ncontext = 16000\n\
             key_env = 'PLANTED_KEY'\n",
            provider.server.url()
        ),
    );
    world
}

fn command(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command(&[&["batch", "--judge", "m"], arguments].concat());
    command.env("JUROR_CONFIG", world.path("juror.toml")).env("PLANTED_KEY", PLANTED);
    command
}

fn batch(world: &World, more: &[&str]) -> Run {
    let run = finish(command(world, &[&["--every", "0.02"], more].concat()).spawn().unwrap());
    assert!(!run.out().contains(PLANTED) && !run.stderr.contains(PLANTED));
    run
}

fn json_of(world: &World, more: &[&str]) -> Value {
    let json = batch(world, &[&["--json"], more].concat()).ended(0).json();
    fits("batch", &json);
    json
}

fn records(world: &World, number: usize) {
    let lines: Vec<String> =
        (0..number).map(|n| line(&format!("r-{n}"), &format!("Take {n} g a day."))).collect();
    world.file("a.jsonl", lines.join("\n"));
    world.run(&["import", "a.jsonl"]).ended(0);
}

fn counts(world: &World) -> Value {
    world.run(&["doctor", "--json"]).ended(0).json()["store"]["counts"].clone()
}

fn exchanges(world: &World) -> Vec<Value> {
    world.run(&["exchanges", "--json"]).ended(0).json().as_array().unwrap().clone()
}

#[test]
fn one_command_hands_over_waits_brings_back_and_audits() {
    for kind in ["openai", "anthropic"] {
        let provider = Provider::start();
        provider.set(|state| state.looks_needed = 3);
        let world = world(&provider, kind);
        records(&world, 5);
        let json = json_of(&world, &[]);
        let handed =
            json!({"batches": 1, "records": 5, "questions": 5, "bytes": json["handed_over"]["bytes"]});
        assert_eq!(json["handed_over"], handed, "{kind}");
        assert_eq!((&json["came_back"]["answered"], &json["audit"]["audited"]), (&5.into(), &5.into()));
        assert_eq!((&json["asked"]["calls"], provider.state().live), (&0.into(), 0));
        assert!(json["cost_usd"].is_null() && json["open_batches"] == json!([]));
        let kept = exchanges(&world);
        assert_eq!(kept.len(), 5);
        for one in &kept {
            assert_eq!(
                (&one["ending"], &one["purpose"], &one["status"]),
                (&"VALID".into(), &"ASK".into(), &200.into())
            );
            assert!(one["detail"].as_str().unwrap().contains("came back in the batch juror-"), "{one}");
            assert!(one["cost_usd"].is_null() && one["audits"][0]["audit_id"].is_string(), "{one}");
        }
        world.run(&["verify"]).ended(0);
        let again = json_of(&world, &[]);
        assert_eq!((&again["handed_over"]["batches"], &again["audit"]["audited"]), (&0.into(), &0.into()));
        assert_eq!(provider.state().begun.len(), 1);
    }
}

#[test]
fn a_batch_asks_what_a_live_audit_asks() {
    for kind in ["openai", "anthropic"] {
        let provider = Provider::start();
        let world = world(&provider, kind);
        records(&world, 1);
        batch(&world, &[]).ended(0);
        let kept = exchanges(&world);
        let mut fresh = world.command(&["audit", "--judge", "m", "--again", "--fresh"]);
        fresh.env("JUROR_CONFIG", world.path("juror.toml")).env("PLANTED_KEY", PLANTED);
        finish(fresh.spawn().unwrap()).ended(0);
        let both = exchanges(&world);
        assert_eq!((kept.len(), both.len()), (1, 2), "{kind}");
        for what in ["question_sha256", "request_sha256", "parameters", "prompt_sha256"] {
            assert_eq!(both[0][what], both[1][what], "{what}");
        }
        let live = provider
            .server
            .seen()
            .into_iter()
            .find(|seen| seen.body.contains("\"tiny\"") && !seen.body.contains("custom_id"));
        assert_eq!(live.unwrap().json(), provider.state().begun[0].questions[0].1);
    }
}

#[test]
fn j65_killed_at_any_step_nothing_is_handed_over_twice_and_nothing_is_lost() {
    for kind in ["openai", "anthropic"] {
        let batches = if kind == "openai" { "/v1/batches" } else { "/v1/messages/batches" };
        for (hang, method, path) in [
            ("before upload", "POST", "/v1/files"),
            ("after upload", "POST", "/v1/files"),
            ("before create", "POST", batches),
            ("after create", "POST", batches),
            ("before look", "GET", batches),
            ("after look", "GET", batches),
            ("before fetch", "GET", if kind == "openai" { "/content" } else { "/results" }),
            ("after fetch", "GET", if kind == "openai" { "/content" } else { "/results" }),
        ] {
            if kind == "anthropic" && hang.ends_with("upload") {
                continue;
            }
            let provider = Provider::start();
            provider.set(|state| state.hang = Some(hang));
            let world = world(&provider, kind);
            records(&world, 3);
            let mut child = command(&world, &["--every", "0.02"]).spawn().unwrap();
            provider.wait_for(method, path);
            child.kill().unwrap();
            child.wait().unwrap();
            provider.set(|state| state.hang = None);
            let json = json_of(&world, &[]);
            assert_eq!(provider.times_asked(), [1, 1, 1], "{kind}, killed {hang}: {json}");
            assert_eq!(
                (&counts(&world)["audited"], provider.state().live),
                (&3.into(), 0),
                "{kind}, killed {hang}: {json}"
            );
            assert_eq!(exchanges(&world).len(), 3, "{kind}, killed {hang}");
        }
    }
}

#[test]
fn every_reply_of_a_batch_is_read_and_settled_by_the_run_that_finds_it_done() {
    let provider = Provider::start();
    let world = world(&provider, "openai");
    records(&world, 40);
    batch(&world, &["--once"]).ended(0);
    let database = rusqlite::Connection::open(world.db()).unwrap();
    batch(&world, &["--once", "--no-live"]).ended(0);
    let states: i64 = database
        .query_row("SELECT count(*) FROM batch_item WHERE state = 'ANSWERED'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(states, 40);
    assert_eq!((provider.state().begun.len(), exchanges(&world).len()), (1, 40));
    assert_eq!(counts(&world)["audited"], 40);
}

#[test]
fn j69_replies_are_matched_by_name_in_whatever_order_and_file_they_come() {
    let provider = Provider::start();
    provider.set(|state| {
        state.mangle = |mut lines| {
            lines.reverse();
            let rest = lines.split_off(lines.len() / 2);
            (lines, rest)
        };
    });
    let world = world(&provider, "openai");
    records(&world, 6);
    let json = json_of(&world, &["--no-live"]);
    assert_eq!((&json["came_back"]["answered"], &json["audit"]["audited"]), (&6.into(), &6.into()));
    let claims = world.run(&["export", "--what", "claims"]).ended(0).lines();
    for claim in &claims {
        let number = claim["audit_id"].as_str().unwrap().trim_start_matches("r-").to_owned();
        assert!(claim["claim_text"].as_str().unwrap().contains(&format!("Take {number} g")), "{claim}");
    }
    assert_eq!(claims.len(), 6);
}

#[test]
fn j69_completed_without_an_output_file_is_no_verdict_and_is_asked_again() {
    let provider = Provider::start();
    provider.set(|state| {
        state.mangle = |lines| {
            let failed = lines.into_iter().map(|mut line| {
                let error = json!({"error": {"message": "The server had an error", "type": "server_error"}});
                line["response"] = json!({"status_code": 500, "request_id": "r", "body": error});
                line
            });
            (Vec::new(), failed.collect())
        };
    });
    let world = world(&provider, "openai");
    records(&world, 9);
    let json = json_of(&world, &["--no-live"]);
    assert_eq!((&json["came_back"]["unusable"], &json["audit"]["audited"]), (&9.into(), &0.into()));
    assert_eq!(counts(&world)["waiting"], 9, "no error is a verdict");
    assert!(exchanges(&world).iter().all(|one| one["ending"] == "FAULTY"));
    provider.set(|state| state.mangle = |lines| (lines, Vec::new()));
    let json = json_of(&world, &["--no-live"]);
    assert_eq!((&json["came_back"]["answered"], &counts(&world)["audited"]), (&9.into(), &9.into()));
}

#[test]
fn j69_results_that_are_gone_are_lost_alone_and_the_next_batches_are_brought_back() {
    for kind in ["openai", "anthropic"] {
        let provider = Provider::start();
        provider.set(|state| state.looks_needed = 3);
        let world = world(&provider, kind);
        records(&world, 5);
        batch(&world, &["--once", "--limit", "2"]).ended(0);
        batch(&world, &["--once", "--limit", "3"]).ended(0);
        provider.set(|state| state.gone = Some(state.begun[0].id.clone()));
        let run = batch(&world, &["--json", "--limit", "0"]).ended(0);
        assert!(run.stderr.contains("is not at the server any more"), "{}", run.stderr);
        let json = run.json();
        assert_eq!(
            (&json["came_back"]["lost"], &json["came_back"]["answered"]),
            (&2.into(), &3.into()),
            "{json}"
        );
        assert_eq!((&json["audit"]["audited"], &json["open_batches"]), (&3.into(), &json!([])));
        // Nothing blocks: the questions of the lost ones go out again.
        let json = json_of(&world, &[]);
        assert_eq!(
            (&json["handed_over"]["questions"], &counts(&world)["audited"]),
            (&2.into(), &5.into()),
            "{json}"
        );
    }
}

#[test]
fn j54_a_batched_answer_to_a_question_that_was_cut_without_a_word_is_none() {
    let provider = Provider::start();
    provider.set(|state| {
        state.mangle = |mut lines| {
            for line in &mut lines {
                line["response"]["body"]["usage"]["prompt_tokens"] = json!(600);
            }
            (lines, Vec::new())
        };
    });
    let world = world(&provider, "openai");
    records(&world, 1);
    let json = json_of(&world, &["--no-live"]);
    assert_eq!((&json["came_back"]["unusable"], &json["audit"]["audited"]), (&1.into(), &0.into()), "{json}");
    let kept = &exchanges(&world)[0];
    assert_eq!(kept["ending"], "TOO_LONG");
    assert!(kept["detail"].as_str().unwrap().contains("the server read only 600 tokens"), "{kept}");
    // Nor is it an answer to a live audit.
    batch(&world, &[]).ended(0);
    assert_eq!((provider.state().live, &counts(&world)["audited"]), (1, &1.into()));
}

#[test]
fn j69_an_expired_batch_keeps_its_finished_rows_and_only_the_rest_goes_again() {
    let provider = Provider::start();
    provider.set(|state| {
        state.status = "expired";
        state.mangle = |mut lines| {
            let mut rest = lines.split_off(2);
            for line in &mut rest {
                line["response"] = Value::Null;
                line["error"] = json!({"code": "batch_expired", "message": "The window has passed."});
            }
            rest.pop();
            (lines, rest)
        };
    });
    let world = world(&provider, "openai");
    records(&world, 6);
    let run = batch(&world, &["--json"]).ended(0);
    let json = run.json();
    assert_eq!(
        (&json["came_back"]["answered"], &json["came_back"]["lost"]),
        (&2.into(), &4.into()),
        "{json}"
    );
    assert_eq!((&json["audit"]["audited"], &json["waiting"]["for_next_run"]), (&2.into(), &4.into()));
    assert!(run.stderr.contains("holds no reply to 1 of its 6 questions"), "{}", run.stderr);
    provider.set(|state| {
        state.status = "completed";
        state.mangle = |lines| (lines, Vec::new());
    });
    let json = json_of(&world, &[]);
    assert_eq!((&json["handed_over"]["questions"], &json["audit"]["audited"]), (&4.into(), &4.into()));
    let state = provider.state();
    assert_eq!((state.begun[1].questions.len(), state.live), (4, 0));
}

#[test]
fn j69_names_that_are_unknown_or_come_twice_are_told_and_never_guessed() {
    let provider = Provider::start();
    provider.set(|state| {
        state.mangle = |mut lines| {
            // One name with another hash, one that comes twice with different replies, one line that is none.
            let name = lines[0]["custom_id"].as_str().unwrap().to_owned();
            lines[0]["custom_id"] = json!(format!("{}0000", &name[..name.len() - 4]));
            let mut other = lines[1].clone();
            other["response"]["body"] = completion("{\"claims\":[],\"no_claim\":[]}");
            lines.push(other);
            let same = lines[2].clone();
            lines.push(same);
            lines.push(json!({"response": {"status_code": 200, "body": {}}}));
            (lines, Vec::new())
        };
    });
    let world = world(&provider, "openai");
    records(&world, 4);
    let run = batch(&world, &["--json", "--no-live"]).ended(0);
    fits("batch", &run.json());
    let back = &run.json()["came_back"];
    assert_eq!((&back["answered"], &back["lost"]), (&2.into(), &2.into()), "{}", run.stderr);
    for told in
        ["different replies came under one name", "under names that nobody asked under", "lines say nothing"]
    {
        assert!(run.stderr.contains(told), "{}", run.stderr);
    }
    assert_eq!(counts(&world)["audited"], 2);
}

#[test]
fn j67_a_reply_to_a_question_of_other_content_is_not_read() {
    let provider = Provider::start();
    provider.set(|state| state.looks_needed = 2);
    let world = world(&provider, "openai");
    records(&world, 2);
    batch(&world, &["--once"]).ended(0);
    let database = rusqlite::Connection::open(world.db()).unwrap();
    database.execute("UPDATE batch_item SET request_sha256 = 'another' WHERE n = 1", []).unwrap();
    let json = json_of(&world, &["--no-live"]);
    assert_eq!(
        (&json["came_back"]["answered"], &json["came_back"]["lost"]),
        (&1.into(), &1.into()),
        "{json}"
    );
    assert_eq!((&json["audit"]["audited"], &json["waiting"]["for_next_run"]), (&1.into(), &1.into()));
}

#[test]
fn j67_a_reply_to_a_question_that_is_not_asked_any_more_is_kept_and_not_used() {
    let provider = Provider::start();
    let world = world(&provider, "openai");
    records(&world, 2);
    provider.set(|state| state.looks_needed = 3);
    batch(&world, &["--once"]).ended(0);
    let changed = std::fs::read_to_string(world.path("juror.toml"))
        .unwrap()
        .replace("16000", "16000\nmax_output = 900");
    world.file("juror.toml", changed);
    let json = json_of(&world, &["--limit", "0"]);
    assert_eq!((&json["came_back"]["unread"], &json["audit"]["audited"]), (&2.into(), &0.into()), "{json}");
}

#[test]
fn what_a_batch_leaves_open_is_asked_by_single_calls_unless_forbidden() {
    let provider = Provider::start();
    provider.set(|state| {
        state.mangle = |mut lines| {
            lines[0]["response"]["body"]["choices"][0]["message"]["content"] =
                json!("I would rather not say");
            lines[1]["response"]["body"]["choices"][0]["finish_reason"] = json!("length");
            lines[2]["response"]["body"]["choices"][0]["message"] =
                json!({"role": "assistant", "content": null, "refusal": "no"});
            (lines, Vec::new())
        };
    });
    let world = world(&provider, "openai");
    records(&world, 5);
    let json = json_of(&world, &["--no-live", "--limit", "5"]);
    assert_eq!(
        (&json["came_back"]["unusable"], &json["waiting"]["for_next_run"]),
        (&3.into(), &3.into()),
        "{json}"
    );
    assert!(json["asked"].is_null());
    assert_eq!(provider.state().live, 0);
    let json = json_of(&world, &[]);
    assert_eq!((&json["asked"]["calls"], &json["audit"]["audited"]), (&3.into(), &3.into()), "{json}");
    let live = provider.state().live;
    assert_eq!((live, provider.state().begun.len()), (3, 1));
    let mut endings: Vec<String> =
        exchanges(&world).iter().map(|one| one["ending"].as_str().unwrap().to_owned()).collect();
    endings.sort();
    endings.dedup();
    assert_eq!(endings, ["CUT", "REFUSED", "UNREADABLE", "VALID"]);
}

#[test]
fn a_server_without_batches_and_judges_without_any_say_so() {
    let provider = Provider::start();
    let not_found = json!({"error": {"message": "Not Found", "type": "invalid_request_error"}});
    provider.set(|state| state.instead = Some(Reply::json(404, &not_found)));
    for kind in ["openai", "anthropic"] {
        let world = world(&provider, kind);
        records(&world, 2);
        let run = batch(&world, &[]).ended(2);
        assert!(run.stderr.contains("the server of [judge.m] has no batches"), "{}", run.stderr);
        assert_eq!(counts(&world)["waiting"], 2);
        let database = rusqlite::Connection::open(world.db()).unwrap();
        let left: i64 = database.query_row("SELECT count(*) FROM batch", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "what was never begun is forgotten");
    }
    let world = world(&provider, "gemini");
    records(&world, 1);
    assert!(batch(&world, &[]).ended(2).stderr.contains("juror knows no batches"));
    let local = world.run(&["batch"]).ended(2);
    assert!(local.stderr.contains("the local judge needs no batches"), "{}", local.stderr);
    let mut egress = command(&world, &[]);
    let run = finish(egress.env("JUROR_EGRESS", "none").spawn().unwrap()).ended(2);
    assert!(run.stderr.contains("`egress = \"none\"` forbids"), "{}", run.stderr);
}

#[test]
fn a_refused_key_stops_it_and_stands_nowhere() {
    let provider = Provider::start();
    provider.set(|state| {
        let error = json!({"error": {"message": format!("bad key {PLANTED}"), "type": "x", "code": "invalid_api_key"}});
        state.instead = Some(Reply::json(401, &error));
    });
    let world = world(&provider, "openai");
    records(&world, 2);
    let run = batch(&world, &["--json"]).ended(4);
    assert!(run.stderr.contains("is not accepted") && run.stderr.contains("[judge.m]"), "{}", run.stderr);
    let denied = Shape::OpenAi.denied();
    provider.set(|state| state.instead = None);
    provider.set(|state| state.looks_needed = 99);
    batch(&world, &["--once"]).ended(0);
    provider.set(|state| state.instead = Some(denied));
    batch(&world, &["--once"]).ended(4);
    for name in ["juror.db", "juror.db-wal"] {
        let bytes = std::fs::read(world.path(name)).unwrap_or_default();
        assert!(!bytes.windows(PLANTED.len()).any(|part| part == PLANTED.as_bytes()), "{name}");
    }
}

#[test]
fn a_dry_run_sends_and_changes_nothing() {
    let provider = Provider::start();
    let world = world(&provider, "openai");
    records(&world, 3);
    let json = json_of(&world, &["--dry-run"]);
    assert_eq!((&json["handed_over"]["questions"], &json["dry_run"]), (&3.into(), &true.into()));
    assert!(
        batch(&world, &["--dry-run"])
            .ended(0)
            .out()
            .contains("3 questions about 3 records in 1 batch would be")
    );
    assert_eq!((provider.server.count(), &counts(&world)["waiting"]), (0, &3.into()));
}

#[test]
fn a_limit_and_one_look_leave_the_rest_for_the_next_run() {
    let provider = Provider::start();
    let world = world(&provider, "anthropic");
    records(&world, 5);
    provider.set(|state| state.looks_needed = 2);
    let json = json_of(&world, &["--once", "--limit", "2"]);
    assert_eq!((&json["handed_over"]["records"], &json["waiting"]["for_next_run"]), (&2.into(), &3.into()));
    assert_eq!(json["open_batches"][0]["id"], "msgbatch_1");
    let json = json_of(&world, &["--once", "--limit", "1"]);
    assert_eq!(
        (&json["audit"]["audited"], &json["handed_over"]["records"]),
        (&2.into(), &1.into()),
        "{json}"
    );
    let json = json_of(&world, &[]);
    assert_eq!((&json["audit"]["audited"], &counts(&world)["audited"]), (&3.into(), &5.into()), "{json}");
}

#[test]
fn interrupted_it_says_how_to_go_on() {
    let provider = Provider::start();
    provider.set(|state| state.looks_needed = usize::MAX);
    let world = world(&provider, "openai");
    records(&world, 2);
    let child = command(&world, &["--every", "30"]).spawn().unwrap();
    provider.wait_for("GET", "/v1/batches/batch_1");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let run = finish(child).ended(130);
    assert!(run.stderr.contains("`juror batch --judge m` goes on here"), "{}", run.stderr);
    provider.set(|state| state.looks_needed = 0);
    batch(&world, &[]).ended(0);
    assert_eq!((provider.state().begun.len(), &counts(&world)["audited"]), (1, &2.into()));
}

#[test]
fn an_audit_that_breaks_ends_it_and_says_why() {
    let provider = Provider::start();
    let world = world(&provider, "openai");
    records(&world, 2);
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    sql.execute_batch(
        "CREATE TRIGGER broken BEFORE UPDATE ON work BEGIN SELECT RAISE(ABORT, 'no space left'); END",
    )
    .unwrap();
    let run = batch(&world, &[]).ended(4);
    assert!(
        run.stderr.contains("the audit broke") && run.stderr.contains("the records wait"),
        "{}",
        run.stderr
    );
    sql.execute_batch("DROP TRIGGER broken").unwrap();
    let json = json_of(&world, &[]);
    assert_eq!((&json["audit"]["audited"], provider.state().begun.len()), (&2.into(), 1), "{json}");
}

#[test]
fn two_at_once_do_not_get_in_each_others_way() {
    let provider = Provider::start();
    provider.set(|state| state.looks_needed = usize::MAX);
    let world = world(&provider, "openai");
    records(&world, 2);
    let mut child = command(&world, &["--every", "0.02"]).spawn().unwrap();
    provider.wait_for("GET", "/v1/batches/batch_1");
    let run = batch(&world, &["--once"]).ended(4);
    assert!(run.stderr.contains("another `juror batch` (process"), "{}", run.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(provider.state().begun.len(), 1);
}
