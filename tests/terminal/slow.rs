//! A line of 200 ms and 20 kB/s: what a key costs on it, and what becomes of keys that are typed ahead of it.

use std::time::Duration;

use super::pause;
use super::pty::{Bench, FRAME, FRAME_END, GIVE_BACK, Link, Pty, TAKE, now};

const SLOW: Link = Link::Slow { delay: Duration::from_millis(200), bytes_per_second: 20_000 };
const SIZES: [(u16, u16); 2] = [(140, 42), (80, 24)];
const QUIET: Duration = Duration::from_millis(150);
/// The most that a frame may send after moving one row.
const ONE_ROW: usize = 4096;

/// Opens the review of `bench` and waits until a claim of `count` is in full view.
fn opened(bench: &Bench, link: Link, size: (u16, u16), count: usize) -> Pty {
    let remote = ("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22");
    let here = ("JUROR_REVIEW_MIN_VISIBLE_MS", "0");
    let screen = match link {
        Link::Local => bench.review_over(link, size, &[here]),
        Link::Slow { .. } => bench.review_over(link, size, &[here, remote]),
    };
    screen.until(&format!("0/{count}"));
    screen.until("Evidence");
    screen.settle(Duration::from_millis(500));
    screen
}

/// How many claims of the demonstration wait for a person.
fn open_claims(bench: &Bench) -> usize {
    let rows: serde_json::Value = serde_json::from_str(&bench.run(&["queue", "--json"])).expect("JSON");
    rows.as_array().expect("a list").len()
}

#[test]
fn moving_one_row_sends_less_than_4_kb() {
    let bench = Bench::with_the_demo(1);
    let count = open_claims(&bench);
    for size in SIZES {
        let mut screen = opened(&bench, Link::Local, size, count);
        let (mut costs, mut frames) = (Vec::new(), Vec::new());
        for key in "j".repeat(count - 1).chars().chain("k".repeat(20).chars()) {
            let from = screen.count();
            screen.send(&key.to_string());
            screen.wait("a frame", || screen.written_since(from).contains(FRAME_END));
            screen.settle(Duration::from_millis(40));
            costs.push(screen.count() - from);
            frames.extend(screen.frames_since(from).iter().map(String::len));
        }
        costs.sort_unstable();
        frames.sort_unstable();
        let (median, most) = (costs[costs.len() / 2], frames[frames.len() - 1]);
        eprintln!("{size:?}: a row sends {median} bytes in the median, and {most} in its largest frame");
        assert!(most < ONE_ROW, "{size:?}: {frames:?}");
        screen.send("q");
        assert_eq!(screen.end(), 0);
    }
}

/// What of `written` asks the terminal something, so that a program could wait for an answer that never comes.
fn questions(written: &str) -> Vec<String> {
    let mut found = Vec::new();
    for sequence in written.split('\x1b').skip(1) {
        let mut letters = sequence.chars();
        let asks = match letters.next() {
            Some('[') => {
                let parameters: String =
                    letters.by_ref().take_while(|letter| !('@'..='~').contains(letter)).collect();
                let last = sequence.chars().nth(1 + parameters.chars().count());
                // Reports of state and cursor, attributes, modes, size, version, and the keyboard's.
                matches!(last, Some('n' | 'c'))
                    || parameters.ends_with('$') && last == Some('p')
                    || last == Some('t')
                    || parameters.starts_with('>') && last == Some('q')
                    || parameters == "?" && last == Some('u')
            }
            // Colours and clipboard are asked for with a question mark.
            Some(']') => sequence.split(['\x07', '\\']).next().is_some_and(|text| text.ends_with(";?")),
            Some('P') => matches!(letters.next(), Some('+' | '$')),
            Some('Z') => true,
            _ => false,
        };
        if asks {
            found.push(sequence.chars().take(12).collect());
        }
    }
    found
}

#[test]
fn questions_to_a_terminal_are_known() {
    let asked = "\x1b[6n \x1b[c \x1b[0c \x1b[>c \x1b[5n \x1b[?2026$p \x1b[18t \x1b[>q \x1b[?u \x1b]11;?\x07 \x1b]52;c;?\x1b\\ \x1bP+q544e\x1b\\ \x1bZ";
    assert_eq!(questions(asked).len(), 13, "{:?}", questions(asked));
    let told =
        "\x1b[?2026h\x1b[1;31mcan?\x1b[0m\x1b[4;5H\x1b[K\x1b]52;c;Pz8=\x07\x1b]9;rx-1\x07\x1b[>1u\x1b[?25l";
    assert_eq!(questions(told), Vec::<String>::new());
}

/// A session that opens and closes most of what there is.
#[test]
fn every_frame_is_whole_clears_nothing_and_asks_nothing() {
    for size in SIZES {
        let bench = Bench::with_the_demo(1);
        let count = open_claims(&bench);
        let mut screen = opened(&bench, Link::Local, size, count);
        for keys in [
            "j", "n", "O", "O", "?", "\x1b", ":", "\x1b", "=", "=", "h", "\x1b", "W", "\x1b", "i", "o",
            "\x1b",
        ] {
            screen.send(keys);
            screen.settle(Duration::from_millis(60));
        }
        for keys in
            ["/", "dose", "\r", "\x1b", "a", "half a note", "\x1b", "c", "rn", "u", "G", "g", "g", ">"]
        {
            screen.send(keys);
            screen.settle(Duration::from_millis(60));
        }
        // What follows on words that came at once is taken for the rest of a paste.
        pause(400);
        screen.send("q");
        assert_eq!(screen.end(), 0);
        let written = screen.written();
        let inside = written.split(TAKE).nth(1).and_then(|rest| rest.split(GIVE_BACK).next()).unwrap();
        let mut frames = inside.split(FRAME);
        // Before the first frame: the cursor is hidden and pastes are asked for.
        let before = frames.next().unwrap();
        assert!(before.len() < 40, "{before:?}");
        let frames: Vec<&str> = frames.collect();
        assert!(frames.len() > 25, "{} frames", frames.len());
        for (number, frame) in frames.iter().enumerate() {
            let (frame, after) = frame.split_once(FRAME_END).expect("a frame is ended");
            // Between two frames nothing is sent, but for what closes the last.
            let after = after.replace(FRAME_END, "");
            let is_last = number + 1 == frames.len();
            assert!(is_last || after.is_empty(), "{number} of {}: {after:?}", frames.len());
            for clearing in ["\x1b[2J", "\x1b[J", "\x1b[0J", "\x1b[1J", "\x1b[3J", "\x1bc"] {
                assert!(!frame.contains(clearing), "frame {number} clears the screen");
            }
        }
        assert_eq!(questions(&written), Vec::<String>::new());
    }
}

#[test]
fn keys_typed_ahead_of_a_slow_line_are_neither_lost_nor_drawn_one_by_one() {
    for size in SIZES {
        let bench = Bench::with_the_demo(1);
        let count = open_claims(&bench);
        let mut screen = opened(&bench, SLOW, size, count);
        let from = screen.count();
        let keys = 100;
        for _ in 0..keys {
            screen.send("j");
            pause(30);
        }
        let typed = now();
        let target = screen_after(&bench, keys);
        screen.until(&format!("─ {target} · "));
        let late = typed.elapsed();
        screen.settle(Duration::from_millis(600));
        let frames = screen.frames_since(from);
        eprintln!(
            "{size:?}: {} frames for {keys} keys, the last {} ms after the last key",
            frames.len(),
            late.as_millis()
        );
        assert!(frames.len() < keys, "{} frames for {keys} keys", frames.len());
        // What stood in the line when the last key was typed, and the frame of that key.
        assert!(late < Duration::from_millis(1500), "{late:?} after the last key");
        // A note typed faster than the line echoes it.
        screen.send("a");
        screen.until("Note on");
        for letter in "typed blind over a slow line".chars() {
            screen.send(&letter.to_string());
            pause(10);
        }
        screen.send("\x13");
        screen.gone("Note on");
        screen.send("q");
        assert_eq!(screen.end(), 0);
        let notes = bench.decisions();
        let note = notes.last().unwrap();
        assert_eq!(note["note"], "typed blind over a slow line");
        assert!(note["subject"] == target.as_str() || note["claim"] == target.as_str(), "{note}");
    }
}

/// The id of the claim `rows` below the first of the queue.
fn screen_after(bench: &Bench, rows: usize) -> String {
    let queue: serde_json::Value = serde_json::from_str(&bench.run(&["queue", "--json"])).expect("JSON");
    queue[rows]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_decision_over_a_slow_line_is_saved_before_its_frame_arrives() {
    let bench = Bench::with_the_demo(1);
    let count = open_claims(&bench);
    let mut screen = opened(&bench, SLOW, (140, 42), count);
    screen.send("c");
    pause(100);
    assert_eq!(bench.decisions().len(), 1, "the line delays what is seen and not what is stored");
    screen.until(&format!("1/{count}"));
    screen.settle(QUIET);
    screen.send("q");
    assert_eq!(screen.end(), 0);
}
