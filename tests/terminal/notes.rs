//! What a person writes, in the note or in an editor of their own, is never lost.

use rustix::process::Signal;

use super::pause;
use super::pty::{Bench, Pty};

#[test]
fn the_editor_has_the_terminal_and_the_text_comes_back() {
    let bench = Bench::with(1);
    let editor = bench.path("editor.sh");
    std::fs::write(&editor, "#!/bin/sh\nprintf 'from the editor' > \"$1\"\necho EDITING\nread answer\n")
        .unwrap();
    let script = format!("sh {}", editor.display());
    let mut screen = bench.review(&[("EDITOR", &script)]);
    screen.until("0/1");
    screen.until("Evidence");
    screen.send("a");
    screen.until("Note on");
    screen.send("x\x0f");
    screen.until("EDITING");
    assert!(!screen.is_alternate());
    screen.send("cc1q\n");
    screen.until("from the editor");
    assert!(screen.is_alternate());
    pause(400);
    screen.send("\x13");
    screen.gone("Note on");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    let decisions = bench.decisions();
    assert_eq!(decisions.len(), 1, "what was typed into the editor decided nothing: {decisions:?}");
    assert_eq!(decisions[0]["note"], "from the editor");
}

#[test]
fn a_signal_while_the_editor_runs_ends_both_and_keeps_the_note() {
    for signal in [Signal::TERM, Signal::HUP] {
        let bench = Bench::with(1);
        let editor = bench.path("editor.sh");
        std::fs::write(&editor, "#!/bin/sh\necho EDITING\nexec sleep 60\n").unwrap();
        let script = format!("sh {}", editor.display());
        let mut screen = bench.review(&[("EDITOR", &script)]);
        screen.until("0/1");
        screen.until("Evidence");
        screen.send("a");
        screen.until("Note on");
        screen.send("typed before\x0f");
        screen.until("EDITING");
        screen.signal(signal);
        assert_eq!(screen.end(), 130, "{signal:?}");
        screen.assert_restored();
        let mut screen = bench.review(&[]);
        screen.until("0/1");
        screen.until("Evidence");
        screen.send("a");
        screen.until("typed before");
        screen.send("\x03");
        assert_eq!(screen.end(), 0);
    }
}

/// A note is begun and goes on in an editor that runs `script`; returns when that says `EDITING`.
fn in_editor(bench: &Bench, script: &str) -> Pty {
    let editor = bench.path("editor.sh");
    std::fs::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
    let editor = format!("sh {}", editor.display());
    let mut screen = bench.review(&[("EDITOR", &editor)]);
    screen.until("0/1");
    screen.until("Evidence");
    screen.send("a");
    screen.until("Note on");
    screen.send("typed before\x0f");
    screen.until("EDITING");
    screen
}

/// Where the note is left behind that an editor had.
fn note_files(bench: &Bench) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(bench.path("")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("juror-note-")).collect()
}

#[test]
fn what_was_written_in_the_editor_survives_a_signal() {
    let deaf = "trap '' TERM\nprintf 'written there' > \"$1\"\necho EDITING\nsleep 5";
    let plain = "printf 'written there' > \"$1\"\necho EDITING\nexec sleep 60";
    let emptied = ": > \"$1\"\necho EDITING\nexec sleep 60";
    for (signal, script, kept) in [
        (Signal::TERM, plain, "written there"),
        (Signal::HUP, plain, "written there"),
        (Signal::TERM, deaf, "written there"),
        (Signal::TERM, emptied, "typed before"),
    ] {
        let bench = Bench::with(1);
        let mut screen = in_editor(&bench, script);
        screen.signal(signal);
        assert_eq!(screen.end(), 130, "{signal:?}");
        screen.assert_restored();
        assert_eq!(note_files(&bench), Vec::<std::path::PathBuf>::new(), "it is in the store now");
        let mut screen = bench.review(&[]);
        screen.until("0/1");
        screen.until("Evidence");
        screen.send("a");
        screen.until(kept);
        screen.send("\x03");
        assert_eq!(screen.end(), 0);
    }
}

#[test]
fn what_was_written_in_the_editor_survives_when_it_cannot_be_stored() {
    let bench = Bench::with(1);
    let mut screen = in_editor(&bench, "printf 'written there' > \"$1\"\necho EDITING\nexec sleep 60");
    let other = writer_in_the_way(&bench);
    screen.signal(Signal::TERM);
    assert_ne!(screen.end(), 0);
    drop(other);
    let left: Vec<String> =
        note_files(&bench).iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    assert_eq!(left, ["written there"], "{}", screen.screen());
}

#[test]
fn an_editor_that_fails_loses_nothing_that_was_written() {
    let bench = Bench::with(1);
    let mut screen =
        in_editor(&bench, "printf 'caf\\351, written there' > \"$1\"\necho EDITING\nread answer\nexit 3");
    screen.send("\n");
    screen.until("written there");
    screen.until("exit status: 3");
    pause(400);
    screen.send("\x13");
    screen.gone("Note on");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    let note = bench.decisions()[0]["note"].as_str().unwrap().to_owned();
    assert_eq!(note, "caf\u{fffd}, written there");
    assert_eq!(note_files(&bench), Vec::<std::path::PathBuf>::new());
}

/// Keeps everybody else from writing until it is dropped.
fn writer_in_the_way(bench: &Bench) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(bench.path("juror.db")).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

#[test]
fn a_writer_in_the_way_stops_neither_keys_nor_signals() {
    let bench = Bench::with(3);
    let mut screen = bench.review(&[]);
    screen.until("0/3");
    pause(400);
    let other = writer_in_the_way(&bench);
    screen.decide("c", "saving rx-");
    screen.send("?");
    screen.until("Esc closes");
    screen.send("q");
    screen.gone("Esc closes");
    assert!(screen.screen().contains("0/3"));
    drop(other);
    screen.until("1/3");
    screen.until("✓ saved");
    let other = writer_in_the_way(&bench);
    screen.send("\x1b");
    screen.signal(Signal::TERM);
    assert_eq!(screen.end(), 130);
    screen.assert_restored();
    drop(other);
    assert_eq!(bench.decisions().len(), 1);
}

#[test]
fn a_note_that_cannot_be_stored_is_kept_in_a_file_and_the_program_says_where() {
    let bench = Bench::with(1);
    let mut screen = bench.review(&[]);
    screen.until("0/1");
    pause(400);
    let other = writer_in_the_way(&bench);
    screen.send("a");
    screen.until("Note on");
    screen.send("nowhere else");
    screen.until("nowhere else");
    screen.send("\x03");
    screen.until("not left");
    assert!(screen.is_alternate() && screen.screen().contains("nowhere else"));
    screen.send("\x03");
    screen.wait("the end", || !screen.is_alternate());
    assert_ne!(screen.end(), 0);
    screen.until("it is kept in");
    drop(other);
    let notes = note_files(&bench);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(std::fs::read_to_string(&notes[0]).unwrap(), "nowhere else");
}
