//! Text that is out to harm: rejected with a reason or shown safely, never sent raw.

use std::time::Duration;

use crate::world::{Run, World, fits, line};

/// Nothing that a terminal obeys: no control character but line feed, no bidi control.
#[track_caller]
fn safe(run: &Run) {
    for text in [run.out(), &run.stderr] {
        let bad = text.chars().find(|c| {
            (c.is_control() && *c != '\n')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
        });
        assert_eq!(bad, None, "{text:?}");
    }
}

const ESCAPES: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}gpj.exe\u{2066}\r\u{8}x";

#[test]
fn hostile_texts_go_in_and_every_command_shows_them_safely() {
    let world = World::new();
    let stack = "e".to_owned() + &"\u{301}".repeat(2000);
    let word = "w".repeat(100_000);
    let lines: Vec<String> = [ESCAPES, &stack, &word, "a\rb\r", &"long ".repeat(200_000)]
        .iter()
        .enumerate()
        .map(|(n, text)| crate::world::line(&format!("h-{n}"), text))
        .collect();
    world.audited(&lines);
    for arguments in [
        ["queue"].as_slice(),
        &["queue", "--json"],
        &["export", "--what", "claims"],
        &["decide", "h-0#1", "--note", ESCAPES],
        &["decide", "h-0#1", "--confirm", "--json"],
        &["export", "--what", "decisions"],
        &["verify"],
        &["doctor"],
    ] {
        let run = world.run(arguments).ended(0);
        safe(&run);
    }
    let queue = world.run(&["queue", "--json"]).json();
    fits("queue", &queue);
    let texts: Vec<&str> =
        queue.as_array().unwrap().iter().map(|row| row["claim_text"].as_str().unwrap()).collect();
    assert!(texts.contains(&word.as_str()) && texts.contains(&stack.as_str()), "texts are not altered");
    let expected = lines.join("\n") + "\n";
    assert!(world.exported_records() == expected.as_bytes());
    let notes = world.run(&["export", "--what", "decisions"]).lines();
    assert_eq!(notes[0]["note"], ESCAPES);
}

#[test]
fn hostile_lines_are_rejected_with_a_reason_that_is_safe_to_print() {
    let world = World::new();
    let mut input = Vec::new();
    input.extend_from_slice(b"\x1b[2J not json \xe2\x80\xae\n");
    input.extend_from_slice(b"{\"audit_id\":\"a\xff\"}\n");
    input.extend_from_slice(b"\0\0\0\n");
    input.extend_from_slice(
        b"{\"audit_id\":\"a\\u001b[31m\",\"generated_answer\":\"x\",\"evidence_passages\":[]}\n",
    );
    input.extend_from_slice(
        b"{\"audit_id\":\"b\",\"generated_answer\":\"x\\u0000y\",\"evidence_passages\":[]}\n",
    );
    input.extend_from_slice(
        b"{\"audit_id\":\"c\\ud800\",\"generated_answer\":\"x\",\"evidence_passages\":[]}\n",
    );
    input.extend_from_slice(&vec![b'['; 200_000]);
    input.push(b'\n');
    let run = world.run_with_input(&["import", "-"], &input).ended(2);
    safe(&run);
    assert_eq!(run.out(), "0 imported, 0 unchanged, 7 rejected\n");
    assert!(run.stderr.contains("stdin:5: the answer contains U+0000 at character 1"), "{}", run.stderr);
    safe(&world.run_with_input(&["import", "-", "--json"], &input).ended(2));
}

#[test]
fn a_line_over_the_limit_is_named_and_the_rest_goes_in() {
    let world = World::new();
    let mut input = vec![b'x'; 8 * 1024 * 1024 + 1];
    input.push(b'\n');
    input.extend_from_slice(crate::world::line("after", "x").as_bytes());
    let json = world.run_with_input(&["import", "-", "--json"], &input).ended(2).json();
    assert_eq!(json["imported"], 1);
    assert!(json["errors"][0]["reason"].as_str().unwrap().contains("8 MiB"), "{json}");
}

#[test]
fn hostile_arguments_are_shown_safely() {
    let world = World::new();
    for arguments in [
        [ESCAPES].as_slice(),
        &["queue", "--limit", ESCAPES],
        &["decide", ESCAPES, "--confirm"],
        &["import", ESCAPES],
        &["--db", ESCAPES, "queue"],
        &["--config", ESCAPES, "queue"],
        &["--judge", ESCAPES, "queue"],
        &["decide", "a#1", "--confirm", "--by", ESCAPES],
    ] {
        let run = world.run(arguments).ended(2);
        safe(&run);
        assert!(run.stderr.starts_with("juror: "), "{}", run.stderr);
    }
}

#[test]
fn hostile_texts_are_audited_by_the_real_judge_in_a_bounded_time() {
    // Wide enough for a slow machine and an unoptimised build; what grows with the square of a text's
    // length does not come near it.
    const BOUND: Duration = Duration::from_mins(1);
    let world = World::new();
    let stack = "e".to_owned() + &"\u{301}".repeat(2000);
    let texts = [
        ESCAPES.to_owned(),
        stack,
        "w".repeat(100_000),
        "a\rb\r".to_owned(),
        "long ".repeat(200_000),
        "a. ".repeat(50_000),
        ".".repeat(100_000),
        "1,".repeat(50_000),
        "\"(".repeat(50_000),
        "子供".repeat(50_000),
        "👩\u{200d}".repeat(20_000),
        "\n".repeat(100_000),
    ];
    let lines: Vec<String> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| {
            serde_json::json!({
                "audit_id": format!("h-{n}"), "generated_answer": text,
                "evidence_passages": [{"passage_id": "p1", "content": text}],
            })
            .to_string()
        })
        .collect();
    world.file("hostile.jsonl", lines.join("\n"));
    world.run(&["import", "hostile.jsonl"]).ended(0);
    let mut child = world.command(&["audit", "--json"]).spawn().unwrap();
    let mut waited = Duration::ZERO;
    while child.try_wait().unwrap().is_none() {
        if waited > BOUND {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("not audited after {BOUND:?}: {}", world.run(&["doctor"]).out());
        }
        std::thread::sleep(Duration::from_millis(100));
        waited += Duration::from_millis(100);
    }
    let run = crate::world::finish(child).ended(0);
    safe(&run);
    fits("audit", &run.json());
    assert_eq!(run.json()["audited"], texts.len());
    for arguments in
        [["queue"].as_slice(), &["queue", "--json"], &["export", "--what", "claims"], &["verify"]]
    {
        safe(&world.run(arguments).ended(0));
    }
}

#[test]
fn a_name_with_a_line_feed_makes_no_line_of_its_own() {
    const FORGED: &str = "x\njuror: verified: everything is as it was written";
    let world = World::new();
    world.audited(&[line("a", "x")]);
    let file = format!("{FORGED}.jsonl");
    world.file(&file, "no record\n");
    for arguments in [
        ["import", file.as_str()].as_slice(),
        &["import", FORGED],
        &["--db", FORGED, "queue"],
        &["--config", FORGED, "queue"],
        &["--config", FORGED, "doctor"],
        &["--db", FORGED, "doctor"],
        &["decide", FORGED, "--confirm"],
        &["decide", &format!("{FORGED}#1"), "--confirm"],
        &["decide", "a#1", "--confirm", "--by", FORGED],
        &["export", "--what", "records", "-o", &format!("none/{FORGED}")],
        &["audit", "--fail-on", FORGED],
        &["queue", &format!("--limit={FORGED}")],
        &["queue", FORGED],
        &["verify", "--head", FORGED],
    ] {
        let run = world.run(arguments);
        let printed = format!("{}{}", run.out(), run.stderr);
        assert!(printed.contains("x␊juror: verified"), "{arguments:?}: {printed}");
        assert!(printed.lines().all(|line| !line.starts_with("juror: verified")), "{arguments:?}: {printed}");
    }
}

#[test]
fn an_error_quotes_the_beginning_of_what_is_long() {
    let world = World::new();
    let long = "語".repeat(300_000);
    let with = |id: &str, risk: &str| {
        format!(
            "{{\"audit_id\":\"{id}\",\"generated_answer\":\"x\",\"evidence_passages\":[],\"risk_level\":\"{risk}\"}}\n"
        )
    };
    world.file("a.jsonl", with("a", &long) + &with(&format!("{long} "), "LOW"));
    let printed = world.run(&["import", "a.jsonl"]).ended(2).stderr;
    assert!(printed.contains("語…` is not a risk level: use one of LOW"), "{printed}");
    assert!(printed.contains("begins or ends with a blank"), "{printed}");
    assert!(printed.chars().count() < 2000, "{}", printed.len());
    let json = world.run(&["import", "a.jsonl", "--json"]).ended(2);
    assert!(json.stdout.len() < 8000, "{}", json.stdout.len());
    for arguments in [["decide", &long[..90_000], "--skip"], ["audit", "--fail-on", &long[..90_000]]] {
        let printed = world.run(&arguments).ended(2).stderr;
        assert!(printed.chars().count() < 3000, "{}", printed.len());
    }
}

#[test]
fn a_note_has_a_limit_that_is_told() {
    let world = World::new();
    world.audited(&[line("a", "x")]);
    let most = "x".repeat(64 * 1024);
    world.run(&["decide", "a#1", "--note", &most]).ended(0);
    let run = world.run(&["decide", "a#1", "--note", &(most + "y")]).ended(2);
    assert!(run.stderr.contains("65537 bytes, at most 65536 (64 KiB)"), "{}", run.stderr);
}
