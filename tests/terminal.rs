//! The real program in a real terminal: what a person types, sees, and is left with.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "terminal/blind.rs"]
mod blind;
#[path = "terminal/compare.rs"]
mod compare;
#[path = "terminal/exchanges.rs"]
mod exchanges;
#[path = "terminal/notes.rs"]
mod notes;
#[path = "terminal/pasted.rs"]
mod pasted;
#[path = "terminal/pictures.rs"]
mod pictures;
#[path = "terminal/pty.rs"]
mod pty;
#[path = "terminal/run.rs"]
mod run;
#[path = "terminal/script.rs"]
mod script;
#[path = "terminal/skipped.rs"]
mod skipped;
#[path = "terminal/slow.rs"]
mod slow;
#[path = "terminal/stops.rs"]
mod stops;
#[path = "terminal/svg.rs"]
mod svg;

use std::time::Duration;

use juror::tui::terminal::Screen;
use pty::{Bench, GIVE_BACK, Pty, TAKE};
use rustix::process::Signal;

fn pause(millis: u64) {
    std::thread::sleep(Duration::from_millis(millis));
}

#[test]
fn a_claim_is_reviewed_and_the_decision_is_there_afterwards() {
    let bench = Bench::with(3);
    let mut screen = bench.review(&[]);
    screen.until("rx-");
    screen.until("CONTRADICTED");
    pause(400);
    screen.decide("c", "1/3");
    screen.until("saved");
    pause(400);
    screen.decide("3", "2/3");
    screen.send("rn");
    screen.until("NUMBER_WRONG");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
    let decisions = bench.decisions();
    let acts: Vec<&str> = decisions.iter().filter_map(|line| line["act"].as_str()).collect();
    assert_eq!(acts, ["CONFIRM", "OVERRIDE", "GIVE_REASON"], "{decisions:?}");
    bench.run(&["verify"]);
}

/// A program that reads the store beside a review takes itself for the last one when it leaves, unless the
/// review's locks stand: then it folds the log into the file and deletes it, and what the review saves
/// afterwards is gone with the process.
#[test]
fn a_decision_outlives_its_process_though_others_read_the_store_meanwhile() {
    let bench = Bench::with(2);
    let mut screen = bench.review(&[]);
    screen.until("0/2");
    let db = bench.path("juror.db");
    for _ in 0..3 {
        // Another process, as every run of the program is, and whatever `sqlite3` there is here.
        bench.run(&["queue"]);
        let _ = std::process::Command::new("sqlite3").arg(&db).arg("SELECT count(*) FROM record").output();
        pause(100);
    }
    assert!(bench.path("juror.db-wal").exists(), "the log was deleted under the review");
    screen.decide("c", "1/2");
    screen.signal(Signal::KILL);
    screen.end();
    assert_eq!(bench.decisions().len(), 1);
    bench.run(&["verify"]);
}

#[test]
fn undo_works_after_a_restart() {
    let bench = Bench::with(2);
    let mut screen = bench.review(&[]);
    screen.until("0/2");
    pause(400);
    screen.decide("c", "1/2");
    screen.send("q");
    screen.end();
    let mut screen = bench.review(&[]);
    screen.until("1/2");
    pause(400);
    // The first undo of a session only shows what it would take back.
    screen.decide("u", "confirm CONTRADICTED");
    screen.until("1/2");
    pause(400);
    screen.decide("u", "undone");
    screen.until("0/2");
    screen.send("q");
    screen.end();
    bench.run(&["verify"]);
}

#[test]
fn a_pasted_note_is_saved_as_pasted_and_a_paste_elsewhere_does_nothing() {
    let bench = Bench::with(2);
    let mut screen = bench.review(&[]);
    screen.until("0/2");
    pause(400);
    screen.paste("c\rc\r1\rq\r");
    screen.until("pasted text is ignored");
    screen.send("a");
    screen.until("Note on");
    let long = "0123456789 ".repeat(400);
    screen.paste(&format!("first line\rsecond \x1b[31mline {long}end"));
    screen.until("end");
    pause(400);
    screen.send("\x13");
    screen.until("note");
    screen.gone("Note on");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    let decisions = bench.decisions();
    assert_eq!(decisions.len(), 1, "{decisions:?}");
    let note = decisions[0]["note"].as_str().unwrap();
    assert_eq!(note, format!("first line\nsecond [31mline {long}end"));
}

/// Milliseconds between the decisions of a review in which `c` is typed, after `delay` milliseconds once more, and from
/// then on every `gap` milliseconds, while records arrive.
fn gaps_between_decisions(delay: u64, gap: u64, millis: u64) -> Vec<i64> {
    let bench = Bench::with(30);
    let mut screen = bench.review(&[]);
    screen.until("0/30");
    pause(400);
    screen.send("c");
    pause(delay);
    for round in 0..millis / gap {
        screen.send("c");
        if round % 25 == 10 {
            bench.import(100 + usize::try_from(round).unwrap(), 3);
        }
        pause(gap);
    }
    // The last of the keys may have counted; another one right after it is always too fast.
    screen.send("c");
    screen.send("c");
    screen.until("too fast");
    screen.send("q");
    screen.end();
    screen.assert_restored();
    bench.run(&["verify"]);
    let times: Vec<i64> = bench
        .decisions()
        .iter()
        .map(|line| {
            let at: juror::domain::time::Timestamp = line["at"].as_str().unwrap().parse().unwrap();
            at.millis()
        })
        .collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn a_held_key_over_arriving_claims_decides_once() {
    // A keyboard waits before it repeats a key.
    for delay in [30, 500] {
        let gaps = gaps_between_decisions(delay, 30, 3000);
        // An import in between may hold the key back for a moment, which then counts as a new stroke.
        assert!(gaps.len() <= 3, "after {delay} ms: {gaps:?}");
        assert!(gaps.iter().all(|gap| *gap >= 250), "{gaps:?}");
        let first = gaps.first().copied().unwrap_or(i64::MAX);
        assert!(first > 700, "the first repetition decided nothing: {gaps:?}");
    }
}

#[test]
fn a_key_that_is_struck_fast_decides_only_what_was_visible_long_enough() {
    // Far enough apart that a busy machine does not take them for one key that is held down.
    let gaps = gaps_between_decisions(250, 250, 5000);
    assert!(gaps.len() >= 3, "some of it counts: {gaps:?}");
    assert!(gaps.iter().all(|gap| *gap >= 250), "{gaps:?}");
}

#[test]
fn any_size_is_survived_and_the_screen_comes_back() {
    let bench = Bench::with(2);
    let mut screen = bench.review(&[]);
    screen.until("0/2");
    for (columns, rows) in [(59, 14), (20, 5), (3, 2), (1, 1), (2, 60), (300, 1), (300, 100), (60, 15)] {
        screen.resize(columns, rows);
        pause(60);
    }
    screen.until("confirm");
    screen.resize(20, 5);
    screen.until("too small");
    screen.send("c");
    screen.resize(120, 40);
    screen.until("0/2");
    screen.until("Evidence");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
}

#[test]
fn signals_end_the_review_and_the_terminal_is_restored() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let bench = Bench::with(1);
        let mut screen = bench.review(&[("JUROR_REVIEW_MOUSE", "true")]);
        screen.until("0/1");
        screen.until("Evidence");
        assert!(screen.is_alternate() && screen.takes_pastes() && screen.takes_the_mouse());
        assert_ne!(screen.settings(), screen.settings_before(), "raw while it is open");
        screen.send("a");
        screen.until("Note on");
        screen.send("half a note");
        screen.until("half a note");
        screen.signal(signal);
        assert_eq!(screen.end(), 130, "{signal:?}");
        screen.assert_restored();
        let mut screen = bench.review(&[]);
        screen.until("0/1");
        screen.until("Evidence");
        screen.send("a");
        screen.until("Note on");
        screen.send("\x1b");
        screen.gone("Note on");
        screen.until("half a note");
        screen.send("q");
        assert_eq!(screen.end(), 0);
    }
}

#[test]
fn control_c_quits_from_everywhere() {
    for open in ["", "o", "a", "?", "d"] {
        let bench = Bench::with(1);
        let mut screen = bench.review(&[]);
        screen.until("0/1");
        pause(400);
        screen.send(open);
        pause(100);
        screen.send("\x03");
        assert_eq!(screen.end(), 0, "{open}");
        screen.assert_restored();
    }
}

#[test]
fn what_was_shown_as_saved_and_what_was_typed_survive_a_kill() {
    let bench = Bench::with(3);
    let mut screen = bench.review(&[]);
    screen.until("0/3");
    pause(400);
    screen.decide("c", "1/3");
    screen.until("Evidence");
    screen.send("a");
    screen.until("Note on");
    screen.send("not yet saved");
    screen.until("not yet saved");
    pause(1500);
    screen.signal(Signal::KILL);
    screen.end();
    bench.run(&["verify"]);
    assert_eq!(bench.decisions().len(), 1);
    let mut screen = bench.review(&[]);
    screen.until("1/3");
    screen.until("Evidence");
    screen.send("a");
    screen.until("Note on");
    screen.until("not yet saved");
    screen.send("\x1b");
    screen.gone("Note on");
    screen.send("q");
    assert_eq!(screen.end(), 0);
}

#[test]
fn the_decision_of_another_process_is_seen_within_a_second_and_a_half() {
    let bench = Bench::with(3);
    let mut screen = bench.review(&[]);
    screen.until("0/3");
    let others = bench.run(&["queue", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&others).unwrap();
    let last = rows[2]["id"].as_str().unwrap();
    bench.run(&["decide", last, "--override", "UNSUPPORTED", "--by", "ben"]);
    let mut waited = 0;
    while !screen.screen().contains("1/3") {
        pause(50);
        waited += 50;
        assert!(waited < 1500, "not seen after {waited} ms:\n{}", screen.screen());
    }
    screen.send("q");
    screen.end();
}

#[test]
fn records_of_another_process_are_audited_and_rise() {
    let bench = Bench::empty();
    let mut screen = bench.review(&[]);
    screen.until("juror import");
    bench.import(0, 2);
    screen.until("0/2");
    screen.until("CONTRADICTED");
    screen.send("q");
    assert_eq!(screen.end(), 0);
}

#[test]
fn idle_writes_nothing_to_the_terminal_and_nothing_is_ever_asked_of_it() {
    let bench = Bench::with(2);
    let mut screen = bench.review(&[]);
    screen.until("0/2");
    pause(2000);
    let before = screen.written().len();
    pause(5000);
    assert_eq!(screen.written().len(), before);
    screen.send("q");
    screen.end();
    let written = screen.written();
    for question in ["\x1b[6n", "\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[?u", "\x1b[5n", "\x1b]11;?"] {
        assert!(!written.contains(question), "{question:?}");
    }
    assert!(!written.contains("\x1b[?1002h") && !written.contains("\x1b[?1003h"), "the mouse is left alone");
}

#[test]
fn without_colour_there_is_none() {
    let bench = Bench::with(1);
    let mut screen = bench.review(&[("NO_COLOR", "1")]);
    screen.until("0/1");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    let written = screen.written();
    let inside = written.split(TAKE).nth(1).and_then(|rest| rest.split(GIVE_BACK).next()).unwrap();
    for part in inside.split("\x1b[").skip(1) {
        let Some((codes, _)) = part
            .split_once('m')
            .filter(|(codes, _)| codes.chars().all(|letter| letter.is_ascii_digit() || letter == ';'))
        else {
            continue;
        };
        for code in codes.split(';').filter_map(|code| code.parse::<u32>().ok()) {
            assert!(!matches!(code, 30..=38 | 40..=48 | 90..=97 | 100..=107), "colour {codes:?}");
        }
    }
}

#[test]
fn without_a_terminal_there_is_a_sentence() {
    let bench = Bench::with(1);
    let output = bench.try_run(&["review"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("needs a terminal") && said.contains("juror queue"), "{said}");
    let mut screen = bench.review(&[("TERM", "dumb")]);
    assert_eq!(screen.end(), 2);
    screen.until("needs a terminal");
    assert!(!screen.written().contains(TAKE));
}

#[test]
fn a_store_that_cannot_be_opened_leaves_the_terminal_and_a_sentence() {
    let bench = Bench::empty();
    std::fs::write(bench.path("juror.db"), "this is no database, only text that stands in its place")
        .unwrap();
    let mut screen = bench.review(&[]);
    assert_ne!(screen.end(), 0);
    screen.assert_restored();
    assert!(screen.screen().contains("juror.db"), "{}", screen.screen());
}

/// Runs one of the tests below, which are no tests but programs for a terminal.
fn run_on_a_screen(name: &str) -> Pty {
    let own = std::env::current_exe().unwrap();
    let arguments = [name, "--exact", "--ignored", "--nocapture", "--test-threads=1"];
    Pty::start(own, &arguments, &[])
}

#[test]
fn a_panic_of_the_screen_restores_the_terminal_before_it_is_reported() {
    let mut screen = run_on_a_screen("program_that_panics_while_it_draws");
    assert_ne!(screen.end(), 0);
    screen.assert_restored();
    let written = screen.written();
    let back = written.find(GIVE_BACK).expect("it gave the terminal back");
    let report = written.find("this was to be expected").expect("the panic is reported");
    assert!(written.find(TAKE).unwrap() < back && back < report);
    assert!(screen.screen().contains("this was to be expected"), "it can be read afterwards");
}

#[test]
fn a_panic_elsewhere_does_not_disturb_the_screen() {
    let mut screen = run_on_a_screen("program_of_which_another_thread_panics");
    screen.until("still here");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
    let written = screen.written();
    assert!(!written.contains("nobody should see this"), "{written:?}");
}

#[test]
#[ignore = "a program for the tests above, not a test"]
fn program_that_panics_while_it_draws() {
    let mut screen = Screen::enter(true).unwrap();
    screen.draw(|frame| frame.render_widget("drawn", frame.area())).unwrap();
    screen.draw(|_| panic!("this was to be expected")).unwrap();
}

#[test]
#[ignore = "a program for the tests above, not a test"]
fn program_of_which_another_thread_panics() {
    let mut screen = Screen::enter(false).unwrap();
    let other = std::thread::spawn(|| panic!("nobody should see this"));
    assert!(other.join().is_err());
    screen.draw(|frame| frame.render_widget("still here", frame.area())).unwrap();
    pause(500);
}

#[test]
fn p_pauses_the_auditor_and_lets_it_go_on() {
    let bench = Bench::with(1);
    let mut screen = bench.review(&[]);
    screen.until("0/1");
    screen.send("p");
    screen.until("auditor paused");
    bench.import(1, 2);
    screen.until("2 waiting");
    pause(1500);
    assert!(screen.screen().contains("0/1"), "{}", screen.screen());
    screen.send("p");
    screen.until("0/3");
    screen.gone("paused");
    screen.send("q");
    assert_eq!(screen.end(), 0);
}

#[test]
fn the_mouse_is_taken_only_on_request_and_takes_a_row_in_hand() {
    let bench = Bench::with(3);
    let mut screen = bench.review(&[]);
    screen.until("0/3");
    assert!(!screen.takes_the_mouse());
    screen.send("q");
    screen.end();
    let mut screen = bench.review(&[("JUROR_REVIEW_MOUSE", "true")]);
    screen.until("0/3");
    screen.until("Evidence");
    let before = screen.screen();
    // The second row of the list, counted from 1.
    screen.send("\x1b[<0;6;4M\x1b[<0;6;4m");
    screen.wait("another claim", || screen.screen() != before);
    screen.send("q");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
}
