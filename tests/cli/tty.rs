//! What differs when a person looks: a real terminal on the other side.

use std::io::Read;
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::world::{World, line};

fn start(world: &World, arguments: &[&str]) -> (Box<dyn MasterPty + Send>, Box<dyn Child + Send + Sync>) {
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_juror"));
    command.env_clear();
    command.env("HOME", world.path(""));
    command.env("JUROR_DB", world.db());
    command.env("JUROR_ANNOTATOR", "ana");
    command.env("TERM", "xterm-256color");
    command.cwd(world.path(""));
    command.args(arguments);
    (pair.master, pair.slave.spawn_command(command).unwrap())
}

/// Everything that the binary sends to a terminal of 80×24, and how it ended.
fn on_terminal(world: &World, arguments: &[&str]) -> (String, u32) {
    let (master, mut child) = start(world, arguments);
    let mut reader = master.try_clone_reader().unwrap();
    let seen = std::thread::spawn(move || {
        let mut seen = Vec::new();
        // A terminal whose program is gone answers with an error instead of an end.
        let _ = reader.read_to_end(&mut seen);
        String::from_utf8(seen).unwrap()
    });
    let code = child.wait().unwrap().exit_code();
    (seen.join().unwrap(), code)
}

#[test]
fn raw_records_are_shown_safely_on_a_terminal_and_a_remark_says_so() {
    let world = World::new();
    // A raw ESC cannot stand in JSON, but DEL, C1 and bidi controls can.
    let hostile = line("h", "x").replace("\"x\"", "\"a\u{9b}31m \u{7f} \u{202e}gpj\"");
    world.file("a.jsonl", &hostile);
    world.run(&["import", "a.jsonl"]).ended(0);
    let (seen, code) = on_terminal(&world, &["export", "--what", "records"]);
    assert_eq!(code, 0, "{seen}");
    assert!(!seen.contains(['\u{9b}', '\u{7f}', '\u{202e}', '\u{1b}']), "{seen:?}");
    assert!(seen.contains("⟨RLO⟩") && seen.contains("-o FILE writes the exact bytes"), "{seen}");
}

#[test]
fn an_import_shows_how_far_it_is_and_takes_the_line_away() {
    let world = World::new();
    let lines: Vec<String> = (0..3000).map(|n| line(&format!("r-{n}"), &"word ".repeat(50))).collect();
    world.file("a.jsonl", lines.join("\n"));
    let (seen, code) = on_terminal(&world, &["import", "a.jsonl"]);
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains(" imported, ") && seen.contains(" %"), "{seen:?}");
    let last = seen.trim_end().rsplit('\r').next().unwrap();
    assert_eq!(last.trim(), "3000 imported, 0 unchanged, 0 rejected");
    let (seen, _) = on_terminal(&world, &["import", "a.jsonl", "--quiet"]);
    assert_eq!(seen.trim_end(), "0 imported, 3000 unchanged, 0 rejected");
}

#[test]
fn the_queue_fits_the_terminal() {
    let world = World::new();
    world.audited(&[line("a-rather-long-audit-id-of-forty-characters", &"子供は水を飲む。".repeat(40))]);
    let (seen, _) = on_terminal(&world, &["queue"]);
    for row in seen.lines() {
        assert!(juror::text::width::width(row.trim_end()) <= 80, "{row}");
    }
    assert!(seen.contains("a-rather-long") && seen.contains('…'), "{seen}");
}

#[test]
fn a_terminal_that_goes_away_interrupts() {
    let world = World::new();
    world.audited(&[line("a", "x")]);
    for arguments in [["audit", "--watch"].as_slice(), &["review"], &["import", "--follow", "log.jsonl"]] {
        let (master, mut child) = start(&world, arguments);
        let mut reader = master.try_clone_reader().unwrap();
        if arguments == ["review"] {
            // The screen is up.
            assert!(reader.read(&mut [0; 4096]).unwrap() > 0);
        }
        std::thread::sleep(Duration::from_millis(500));
        drop((reader, master));
        assert_eq!(child.wait().unwrap().exit_code(), 130, "{arguments:?}");
    }
}

/// The same intent by key and by command gives the same event.
#[test]
fn the_screen_and_the_command_line_record_the_same_decision() {
    use std::io::Write;
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g."), crate::world::risky("rx-2", "HIGH")]);
    for (id, key, verdict) in
        [("rx-2#3", "4", "CONTRADICTED"), ("rx-1#1", "3", "UNSUPPORTED"), ("rx-2#1", "4", "CONTRADICTED")]
    {
        let (master, mut child) = start(&world, &["review", "--id", id]);
        let mut reader = master.try_clone_reader().unwrap();
        let drained = std::thread::spawn(move || {
            let _ = std::io::copy(&mut reader, &mut std::io::sink());
        });
        let mut keys = master.take_writer().unwrap();
        let decided = || {
            let run = world.run(&["export", "--what", "decisions"]).ended(0);
            run.lines().into_iter().rfind(|event| event["subject"] == id)
        };
        let mut by_key = None;
        for _ in 0..60 {
            std::thread::sleep(Duration::from_millis(500));
            by_key = decided();
            if by_key.is_some() {
                break;
            }
            keys.write_all(key.as_bytes()).unwrap();
        }
        keys.write_all(b"q").unwrap();
        child.wait().unwrap();
        drop((keys, master));
        drained.join().unwrap();
        let by_key = by_key.expect("decided on the screen");
        world.run(&["decide", id, "--override", verdict, "--by", "ben"]).ended(0);
        let by_command = decided().unwrap();
        assert_eq!((&by_key["annotator"], &by_command["annotator"]), (&"ana".into(), &"ben".into()));
        for field in ["act", "subject", "old", "new", "reason", "seen"] {
            assert_eq!(by_key[field], by_command[field], "{id}, {field}: {by_key}\n{by_command}");
        }
    }
}
