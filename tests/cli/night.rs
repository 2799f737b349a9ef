//! What an engineer on call asks, and what must not look like a quiet night.

use serde_json::Value;

use crate::world::{World, finish, fits, line};

fn two_bots() -> World {
    let world = World::new();
    let of = |id: &str, key: &str, model: &str| {
        let mut value: Value = serde_json::from_str(&line(id, "Take 8 g. It helps.")).unwrap();
        value["metadata"] = serde_json::json!({key: model});
        value.to_string()
    };
    world.audited(&[
        of("rx-1", "model", "bot-v42"),
        of("rx-2", "model_version", "bot-v41"),
        line("rx-3", "Take 8 g."),
    ]);
    world
}

#[test]
fn the_model_that_answered_is_found_and_the_judge_s_is_told_apart() {
    let world = two_bots();
    let ids = |query: &str| {
        let rows = world.run(&["queue", "--json", "--filter", query]).ended(0).json();
        let mut ids: Vec<String> =
            rows.as_array().unwrap().iter().map(|row| row["audit_id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids.dedup();
        ids
    };
    assert_eq!(ids("bot:bot-v42"), ["rx-1"]);
    assert_eq!(ids("bot:bot-v4*").len(), 2);
    assert_eq!(ids("-bot:*"), ["rx-3"]);
    let none = world.run(&["queue", "--filter", "model:bot-v42"]).ended(0);
    assert!(none.out().contains("bot: what made the answer"), "{}", none.out());
}

#[test]
fn the_prompt_of_the_bot_is_asked_for_and_a_field_that_there_is_not_is_refused() {
    let world = World::new();
    let of = |id: &str, prompt: Value| {
        let mut value: Value = serde_json::from_str(&line(id, "Take 8 g.")).unwrap();
        value["metadata"] = serde_json::json!({"model_version": "carebot-7.3", "prompt_version": prompt});
        value.to_string()
    };
    world.audited(&[of("rx-1", "p31".into()), of("rx-2", "p32".into()), of("rx-3", 33.into())]);
    let ids = |query: &str| {
        let rows = world.run(&["queue", "--json", "--filter", query]).ended(0).json();
        let mut ids: Vec<String> =
            rows.as_array().unwrap().iter().map(|row| row["audit_id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids.dedup();
        ids
    };
    assert_eq!(ids("bot:p32"), ["rx-2"]);
    assert_eq!(ids("bot:33"), ["rx-3"]);
    assert_eq!(ids("bot:carebot-7.3 bot:p3*"), ["rx-1", "rx-2"]);
    let none = world.run(&["queue", "--filter", "prompt:p32"]).ended(0);
    assert!(none.out().contains("prompt: its prompt, bot: what made the answer"), "{}", none.out());
    for (query, name) in [("prompt_version:p32", "prompt_version"), ("bot2:x", "bot2"), ("a_b<3", "a_b")] {
        let wrong = world.run(&["queue", "--filter", query]).ended(2);
        assert!(wrong.stderr.contains(&format!("there is no field `{name}`")), "{}", wrong.stderr);
        assert!(wrong.stderr.contains("use one of severity, verdict"), "{}", wrong.stderr);
        let quoted = world.run(&["queue", "--filter", &format!("\"{query}\"")]).ended(0);
        assert!(quoted.out().contains("no open claim with"), "{}", quoted.out());
    }
}

#[test]
fn what_is_blocked_is_out_of_every_count_and_is_told_beside_it() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g.")]);
    let before = world.run(&["queue", "--counts", "--json"]).ended(0).json();
    world.run(&["decide", "rx-1", "--dispose", "BLOCK", "--note", "p32 incident", "--by", "mira"]).ended(0);
    let counts = world.run(&["queue", "--counts", "--json", "--by", "mira"]).ended(0).json();
    fits("queue_counts", &counts);
    let half = |field: &str| before[field].as_u64().unwrap() / 2;
    assert_eq!((&counts["open"], &counts["set_aside"]), (&half("open").into(), &half("open").into()));
    assert_eq!(counts["open_critical"].as_u64(), Some(half("open_critical")));
    assert_eq!(counts["answers"], serde_json::json!({"released": 0, "returned": 0, "blocked": 1}));
    let said = world.run(&["queue", "--counts", "--by", "mira"]).ended(0);
    assert!(said.out().contains(&format!("; {} in blocked answers", half("open"))), "{}", said.out());
    assert!(said.out().contains("today (UTC); 1 answer blocked"), "{}", said.out());
    let doctor = world.run(&["doctor", "--json"]).ended(0).json();
    assert_eq!(doctor["store"]["counts"]["set_aside"], counts["set_aside"]);
    let rows = world.run(&["queue", "--json", "--filter", "is:blocked"]).ended(0).json();
    fits("queue", &rows);
    assert_eq!(rows.as_array().map(Vec::len), Some(half("open") as usize));
    assert!(rows.as_array().unwrap().iter().all(|row| row["review"] == "BLOCKED"), "{rows}");
    let table = world.run(&["queue", "--filter", "is:blocked"]).ended(0);
    assert!(table.out().contains("[answer blocked] "), "{}", table.out());
    let why = world.run(&["queue", "--explain", "rx-1#1"]).ended(0);
    assert!(why.out().starts_with("rx-1#1: set aside with its answer, which is blocked"), "{}", why.out());
    world.run(&["decide", "rx-2", "--dispose", "BLOCK", "--by", "mira"]).ended(0);
    let none = world.run(&["queue"]).ended(0);
    assert!(none.out().contains("or in blocked answers ("), "{}", none.out());
    world.run(&["verify"]).ended(0);
}

#[test]
fn a_session_that_only_blocks_says_what_it_did() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g.")]);
    let mut command = world.command(&["review", "--plain", "--id", "rx-1#1"]);
    command.env("JUROR_REVIEW_MIN_VISIBLE_MS", "0").stdin(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"d block\n").unwrap();
    let run = finish(child);
    assert!(run.stderr.contains("0 decisions and 1 answer blocked this session"), "{}", run.stderr);
}

#[test]
fn words_beside_a_disposition_that_stands_already_are_said_not_to_be_kept() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g.")]);
    let block =
        |more: &[&str]| world.run(&[&["decide", "rx-1", "rx-2", "--dispose", "BLOCK"], more].concat());
    world.run(&["decide", "rx-1", "--dispose", "BLOCK"]).ended(0);
    let told = block(&["--note", "wrong dose"]).ended(0);
    assert!(
        told.out().contains("1 DISPOSE BLOCK, 1 so already (the note is not kept there)"),
        "{}",
        told.out()
    );
    let told = block(&[]).ended(0);
    assert!(told.out().contains("2 answers: 2 so already") && !told.out().contains("kept"), "{}", told.out());
}

#[test]
fn answers_are_found_by_what_was_decided_about_them_and_can_be_left_out_of_the_gate() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), line("rx-2", "Take 8 g.")]);
    let decide = |id: &str| {
        world.run(&["decide", &format!("{id}#1"), "--confirm"]).ended(0);
        world.run(&["decide", &format!("{id}#3"), "--override", "FULLY_SUPPORTED"]).ended(0);
    };
    decide("rx-1");
    world.run(&["decide", "rx-1", "--dispose", "BLOCK"]).ended(0);
    let found = |query: &str| world.run(&["queue", "--json", "--filter", query]).ended(0).json();
    assert_eq!(found("answer:blocked")[0]["audit_id"], "rx-1");
    assert!(found("answer:blocked").as_array().unwrap().iter().all(|row| row["audit_id"] == "rx-1"));
    assert_eq!(found("answer:BLOCK"), found("answer:blocked"));
    assert_eq!(found("answer:returned").as_array().unwrap().len(), 0);
    let wrong = world.run(&["queue", "--filter", "answer:gone"]).ended(2);
    assert!(wrong.stderr.contains("use one of *, released, returned, blocked"), "{}", wrong.stderr);
    // Both count, and are told apart; what is blocked cannot go out.
    let all = world.run(&["audit", "--fail-on", "CONTRADICTED", "-q"]).ended(1);
    assert!(all.stderr.contains("of 2 claims, 1 stands in answers that people blocked"), "{}", all.stderr);
    let left = world.run(&["audit", "--fail-on", "CONTRADICTED", "--undisposed", "--json"]).ended(1).json();
    assert_eq!((&left["gate"]["hits"], &left["gate"]["kept_back"]), (&1.into(), &0.into()));
    decide("rx-2");
    world.run(&["decide", "rx-2", "--dispose", "RETURN"]).ended(0);
    world.run(&["audit", "--fail-on", "CONTRADICTED", "--undisposed"]).ended(0);
}

#[test]
fn what_came_in_last_and_what_stayed_out_is_told_where_one_looks_later() {
    let world = World::new();
    world.file("log.jsonl", line("rx-1", "Take 8 g.") + "\nnonsense\n");
    let follow = || {
        let child = world.command(&["import", "--follow", "log.jsonl"]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        finish(child)
    };
    let first = follow().ended(130);
    assert!(first.stderr.contains("log.jsonl:2: "), "{}", first.stderr);
    let again = follow().ended(130);
    assert!(again.stderr.contains("lines stay out that stayed out before"), "{}", again.stderr);
    assert!(!again.stderr.contains("juror: log.jsonl:2: "), "not as if it were new: {}", again.stderr);
    for command in [&["queue", "--counts"][..], &["doctor"]] {
        let said = world.run(command).ended(0);
        assert!(said.out().contains("the last record came in less than a minute ago, 20"), "{}", said.out());
        assert!(said.out().contains("1 line of followed files stayed out, the last "), "{}", said.out());
    }
    let counts = world.run(&["queue", "--counts", "--json"]).ended(0).json();
    assert_eq!((&counts["rejected"], &counts["last_rejected"]["line"]), (&1.into(), &2.into()));
}

#[test]
fn config_shows_paths_whole_and_all_that_is_wrong_at_once() {
    let world = World::new();
    let long = format!("/tmp/{}/juror.db", "long-".repeat(20));
    world.file("juror.toml", "thme = \"dark\"\ntheme = \"pink\"\n[review]\nbell = 3\n");
    let mut command = world.command(&["--config", "juror.toml", "--db", &long, "config"]);
    let run = finish(command.env("JUROR_REVIEW_HOK", "1").spawn().unwrap()).ended(0);
    assert!(run.out().contains(&long), "{}", run.out());
    for wrong in [
        "unknown setting `thme`",
        "`theme` cannot be \"pink\": use \"dark\"",
        "`review.bell` cannot be 3: use true or false; every other command refuses it",
        "the variable JUROR_REVIEW_HOK sets nothing",
    ] {
        assert!(run.stderr.contains(wrong), "{wrong}: {}", run.stderr);
    }
    let other = world.run(&["--config", "juror.toml", "queue"]).ended(2);
    assert!(other.stderr.contains("`theme` cannot be \"pink\""), "{}", other.stderr);
}

#[test]
fn a_command_that_is_looked_for_under_another_name_is_told() {
    let world = World::new();
    let run = world.run(&["gate"]).ended(2);
    assert!(run.stderr.contains("looking for this? `juror audit --fail-on CRITICAL`"), "{}", run.stderr);
    assert!(!world.run(&["xyzzy"]).ended(2).stderr.contains("looking for this"));
}

#[test]
fn drift_takes_a_time_of_the_day_and_says_which_window_is_too_small() {
    let world = two_bots();
    let run = world.run(&["drift", "--since", "00:00"]).ended(3);
    let words = run.out().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("are needed in each window. "), "{words}");
    let wrong = world.run(&["drift", "--since", "25:99"]).ended(2);
    assert!(wrong.stderr.contains("15:05 on the computer's clock"), "{}", wrong.stderr);
}

#[test]
fn a_limit_of_the_size_of_files_is_told_like_a_full_disk() {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    let long = "Take 8 g. ".repeat(200_000);
    world.file("big.jsonl", line("rx-2", &long));
    let command = world.command(&["import", "big.jsonl"]);
    let program = command.get_program().to_owned();
    let mut limited = std::process::Command::new("sh");
    limited
        .current_dir(world.path(""))
        .env_clear()
        .envs(command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))));
    limited.args(["-c", "ulimit -f 1500; exec \"$0\" import big.jsonl"]).arg(program);
    limited.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let run = finish(limited.spawn().unwrap()).ended(4);
    assert!(!run.stderr.is_empty(), "{run:?}");
}
