//! How alike two answers are in meaning: `[embeddings]` of the settings, with a scripted server behind it.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::server::{Reply, Seen, Server};
use crate::world::{Run, World, finish, fits};

const PLANTED: &str = "sk-planted-0123456789";

/// Three items: the same answers, answers in other words, and one that says something else.
fn world(address: &str, more: &str) -> World {
    let world = World::new();
    let item = |id: &str, candidate: &str| {
        json!({"id": id, "documents": ["Adults may take at most 4 g of paracetamol a day."],
            "baseline": "Adults may take at most 4 g a day.", "candidate": candidate})
        .to_string()
    };
    let items = [
        item("same", "Adults may take at most 4 g a day."),
        item("near", "At most 4 g a day may be taken by adults."),
        item("far", "Adults may take 4 g of paracetamol."),
    ];
    world.file("items.jsonl", items.join("\n"));
    world.file(
        "juror.toml",
        format!("[embeddings]\nmodel = 'embed-1'\nbase_url = '{address}/v1'\nattempts = 3\n{more}"),
    );
    world
}

fn compared(world: &World, arguments: &[&str]) -> Run {
    let mut all = vec!["compare", "items.jsonl", "--no-store"];
    all.extend(arguments);
    let mut command = world.command(&all);
    command
        .env("JUROR_CONFIG", world.path("juror.toml"))
        .env("PLANTED_KEY", PLANTED)
        .env("JUROR_LOG", "trace");
    finish(command.spawn().unwrap())
}

fn measured(world: &World) -> Value {
    let report = compared(world, &["--json"]).ended(0).json();
    fits("report", &report);
    fits("compare", &report["data"]);
    report
}

/// The vector that stands for a text here: by its first letter, and whether it names the substance.
fn vector(text: &str) -> Value {
    match (text.starts_with("At most"), text.contains("paracetamol")) {
        (true, _) => json!([0.8, 0.6, 0]),
        (false, true) => json!([0, 0, 2.0]),
        (false, false) => json!([1, 0, 0]),
    }
}

fn texts(seen: &Seen) -> Vec<String> {
    serde_json::from_value(seen.json()["input"].clone()).unwrap()
}

/// As `OpenAI` writes it, and in reverse, as a server may.
fn reply(vectors: Vec<Value>) -> Reply {
    let data: Vec<Value> = vectors
        .into_iter()
        .enumerate()
        .map(|(index, embedding)| json!({"object": "embedding", "index": index, "embedding": embedding}))
        .rev()
        .collect();
    let usage = json!({"prompt_tokens": 30, "total_tokens": 30});
    Reply::json(200, &json!({"object": "list", "data": data, "model": "embed-1", "usage": usage}))
}

fn able(seen: &Seen) -> Reply {
    reply(texts(seen).iter().map(|text| vector(text)).collect())
}

fn cosine(report: &Value, item: usize) -> Option<f64> {
    report["data"]["items"][item]["answer_similarity_cosine"].as_f64()
}

fn unknown(report: &Value, item: usize) -> String {
    let item = &report["data"]["items"][item];
    assert_eq!(item["answer_similarity_cosine"], Value::Null);
    item["answer_similarity_cosine_unknown_because"].as_str().unwrap().to_owned()
}

fn figure<'r>(report: &'r Value, id: &str) -> &'r Value {
    let figures =
        report["parts"][0]["figures"].as_array().or(report["parts"][0]["shows"]["figures"].as_array());
    figures.unwrap_or_else(|| panic!("{:#}", report["parts"][0])).iter().find(|it| it["id"] == id).unwrap()
}

#[test]
fn answers_are_compared_in_meaning_beside_their_words() {
    let server = Server::start(able);
    let world = world(&server.url(), "key_env = 'PLANTED_KEY'\n");
    let report = measured(&world);
    let near = |found: Option<f64>, wanted: f64| assert!((found.unwrap() - wanted).abs() < 1e-9, "{found:?}");
    near(cosine(&report, 0), 1.0);
    near(cosine(&report, 1), 0.8);
    near(cosine(&report, 2), 0.0);
    assert!(report["data"]["items"][1]["answer_similarity"].as_f64().unwrap() < 1.0, "by words, as ever");
    near(figure(&report, "answer_similarity_cosine")["value"].as_f64(), 0.6);
    assert_eq!(figure(&report, "answer_similarity_cosine")["name"], "answers alike, cosine by embed-1");
    let seen = server.seen();
    assert_eq!((seen.len(), seen[0].path.as_str()), (1, "/v1/embeddings"), "one call, each text once");
    assert_eq!(texts(&seen[0]).len(), 3);
    assert_eq!(seen[0].json()["model"], "embed-1");
    assert_eq!(seen[0].header("authorization"), Some(format!("Bearer {PLANTED}").as_str()));
    for form in ["text", "markdown", "html", "junit"] {
        let run = compared(&world, &["--format", form]).ended(0);
        assert!(run.out().contains("embed-1") && run.out().contains("0.600"), "{form}: {}", run.out());
        assert!(!run.out().contains("planted") && !run.stderr.contains("planted"), "{form}");
    }
}

#[test]
fn a_limit_is_waited_out() {
    let calls = AtomicUsize::new(0);
    let server = Server::start(move |seen| {
        match calls.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::json(429, &json!({"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}}))
            .header("retry-after", "1"),
        _ => able(seen),
    }
    });
    let world = world(&server.url(), "");
    assert!(cosine(&measured(&world), 1).is_some());
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    let waited = seen[1].at.saturating_sub(seen[0].at);
    assert!(waited.as_millis() >= 1000, "{waited:?}");
}

#[test]
fn a_server_that_fails_fails_no_gate() {
    let cases: Vec<(Reply, usize, &str)> = vec![
        (Reply::json(500, &json!({"error": {"message": "out of memory"}})), 3, "status 500: "),
        (
            Reply::json(
                401,
                &json!({"error": {"message": format!("Incorrect API key: {PLANTED}"), "code": "invalid_api_key"}}),
            ),
            1,
            "status 401: ",
        ),
        (Reply::json(404, &json!({"error": {"message": "model \"embed-1\" not found"}})), 1, "not found"),
        (Reply::json(200, &json!({"data": []})), 3, "0 vectors for 3 texts"),
        (Reply::new(200, "{\"data\":[{\"index\":0,\"embedding\":[NaN]}]}"), 3, "not the JSON"),
        (
            Reply::json(429, &json!({"error": {"message": "slow down"}})).header("retry-after", "3600"),
            1,
            "slow down",
        ),
        (Reply::close(), 3, "cannot be heard"),
    ];
    for (reply, calls, why) in cases {
        let server = Server::start(move |_| reply.clone());
        let world = world(&server.url(), "key_env = 'PLANTED_KEY'\n");
        let report = measured(&world);
        assert!(unknown(&report, 0).contains(why), "{why}: {}", unknown(&report, 0));
        assert_eq!(server.count(), calls, "{why}");
        let told = figure(&report, "answer_similarity_cosine");
        assert_eq!((&told["value"], &told["n"]), (&Value::Null, &json!(0)), "{why}");
        let all = report.to_string();
        assert!(all.contains("How alike the answers of 3 of 3 items are in meaning is not known"), "{why}");
        assert!(!all.contains("planted"), "{why}: {all}");
        assert_eq!(report["gate"]["says"], "yes", "{why}");
    }
    let nobody = world("http://127.0.0.1:9", "");
    assert!(unknown(&measured(&nobody), 1).contains("cannot be heard"));
}

#[test]
fn a_vector_that_says_nothing_leaves_its_item_unknown_and_no_other() {
    let with = |odd: Value| {
        let server = Server::start(move |seen| {
            let of = |text: &String| if text.starts_with("At most") { odd.clone() } else { vector(text) };
            reply(texts(seen).iter().map(of).collect())
        });
        let report = measured(&world(&server.url(), ""));
        assert!(cosine(&report, 0).is_some() && cosine(&report, 2).is_some(), "{report:#}");
        assert_eq!(figure(&report, "answer_similarity_cosine")["n"], 2);
        unknown(&report, 1)
    };
    assert!(with(json!([1.0, 0.0])).contains("3 and 2 numbers"));
    assert!(with(json!([0, 0, 0])).contains("zero"));
    assert!(with(json!([0, null, 0])).contains("no number"));
    assert!(with(json!("AACAPwAAAAA=")).contains("no list of numbers"));
}

#[test]
fn texts_that_are_too_long_cost_only_themselves() {
    let server = Server::start(|seen| {
        let texts = texts(seen);
        if texts.iter().any(|text| text.starts_with("At most")) {
            return Reply::json(
                400,
                &json!({"error": {"message": "This model's maximum context length is 8192 tokens.", "type": "invalid_request_error", "code": "context_length_exceeded"}}),
            );
        }
        reply(texts.iter().map(|text| vector(text)).collect())
    });
    let report = measured(&world(&server.url(), ""));
    assert!(cosine(&report, 0).is_some() && cosine(&report, 2).is_some(), "{report:#}");
    assert!(unknown(&report, 1).contains("maximum context length"), "{}", unknown(&report, 1));
}

#[test]
fn nothing_is_sent_where_nothing_may_leave_the_host_and_all_else_goes_on() {
    let server = Server::start(able);
    let world = world(&server.url(), "");
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("JUROR_CONFIG", world.path("juror.toml")).env("JUROR_EGRESS", "none");
        finish(command.spawn().unwrap())
    };
    let refused = run(&["compare", "items.jsonl", "--no-store"]).ended(2);
    assert!(
        refused.stderr.contains("`[embeddings]`")
            && refused.stderr.contains("`egress = \"none\"` forbids")
            && refused.stderr.contains("--no-embeddings"),
        "{}",
        refused.stderr
    );
    let without = run(&["compare", "items.jsonl", "--json", "--no-embeddings"]).ended(0).json();
    fits("compare", &without["data"]);
    assert!(without["data"]["items"][0].get("answer_similarity_cosine").is_none());
    // What never asks for embeddings is not held up by them.
    run(&["config"]).ended(0);
    run(&["report", "comparison"]).ended(0);
    run(&["verify"]).ended(0);
    assert_eq!(server.count(), 0);
}

#[test]
fn calls_are_kept_counted_and_paid_like_a_judges() {
    let server = Server::start(able);
    let world = world(&server.url(), "key_env = 'PLANTED_KEY'\nprices = { input = 1000.0, output = 0 }\n");
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("JUROR_CONFIG", world.path("juror.toml")).env("PLANTED_KEY", PLANTED);
        finish(command.spawn().unwrap())
    };
    let kept = run(&["compare", "items.jsonl"]).ended(0);
    assert!(
        kept.stderr.contains("embeddings (embed-1) was asked in 1 call: 30 tokens read, 0 written, $0.03"),
        "{}",
        kept.stderr
    );
    let sql = rusqlite::Connection::open(world.db()).unwrap();
    let row = |sql: &rusqlite::Connection| {
        sql.query_row(
            "SELECT instrument, judge, ending, cost_micros, raw_reply FROM exchange ORDER BY id DESC LIMIT 1",
            [],
            |row| {
                Ok((
                    row.get::<_, String>(0)?,
                    row.get::<_, String>(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, i64>(3)?,
                    row.get::<_, String>(4)?,
                ))
            },
        )
        .unwrap()
    };
    let (instrument, judge, ending, cost, reply) = row(&sql);
    assert_eq!((&*instrument, &*judge, &*ending, cost), ("embeddings", "embeddings", "VALID", 30_000));
    assert!(reply.contains("3 numbers") && !reply.contains("0.8"), "{reply}");
    run(&["verify"]).ended(0);
    // The next call may cost more than that: it is not sent, and no gate goes by it.
    let over = run(&["compare", "items.jsonl", "--budget", "0.01", "--json"]).ended(0).json();
    assert!(unknown(&over, 0).contains("the budget of $0.01"), "{}", unknown(&over, 0));
    assert_eq!(server.count(), 1);
    world.file("juror.toml", format!("[embeddings]\nmodel = 'embed-1'\nbase_url = '{}/v1'\n", server.url()));
    let unpriced = run(&["compare", "items.jsonl", "--budget", "1"]).ended(2);
    assert!(unpriced.stderr.contains("[embeddings] has no `prices`"), "{}", unpriced.stderr);
}

#[test]
fn the_settings_are_shown_without_their_key() {
    let world = world("http://localhost:11434", "key_env = 'PLANTED_KEY'\n");
    let run = |arguments: &[&str], code: i32| {
        let mut command = world.command(arguments);
        command.env("JUROR_CONFIG", world.path("juror.toml")).env("PLANTED_KEY", PLANTED);
        finish(command.spawn().unwrap()).ended(code)
    };
    let json = run(&["config", "--json"], 0).json();
    fits("config", &json);
    assert_eq!(
        (&json["embeddings"]["model"], &json["embeddings"]["origin"]["line"]),
        (&json!("embed-1"), &json!(1))
    );
    for command in [["config"], ["doctor"]] {
        let told = run(&command, 0);
        assert!(told.out().contains("openai, embed-1 at http"), "{}", told.out());
        assert!(!told.out().contains("sk-planted"));
    }
    for (wrong, why) in [
        ("key = 'sk-planted-0123456789'\n", "a key does not belong into this file"),
        ("temperature = 0\n", "unknown setting `embeddings.temperature`"),
        ("provider = 'anthropic'\n", "unknown setting `embeddings.provider`"),
        ("headers = { authorization = 'x' }\n", "`headers` of the table [embeddings]"),
    ] {
        world.file(
            "juror.toml",
            format!("[embeddings]\nmodel = 'embed-1'\nbase_url = 'http://localhost:1/v1'\n{wrong}"),
        );
        let told = run(&["compare", "items.jsonl"], 2);
        assert!(told.stderr.contains(why) && !told.stderr.contains("planted"), "{}", told.stderr);
    }
    world.file(
        "juror.toml",
        "[embeddings]\nmodel = 'm'\nbase_url = 'http://example.org/v1'\nkey_env = 'PLANTED_KEY'\n",
    );
    assert!(run(&["config"], 2).stderr.contains("its key would cross the network in clear text"));
    world.file("juror.toml", "[embeddings]\nbase_url = 'http://localhost:1/v1'\n");
    assert!(run(&["config"], 2).stderr.contains("the table [embeddings] has no `model`"));
    world.file("juror.toml", "embeddings = 'm'\n");
    assert!(run(&["config"], 2).stderr.contains("`embeddings` is a table"));
}
