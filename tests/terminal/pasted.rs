//! Pasted text that the terminal does not mark, and that is longer than what is read of it at a time.

use super::pause;
use super::pty::{Bench, Pty};

/// So many characters and an end of its own.
fn long(characters: usize) -> String {
    let words = "Please see 14 claims, 4 of them are wrong and 25 ought to be read again by somebody else. ";
    let text: String = words.chars().cycle().take(characters).collect();
    format!("{text} THE-END")
}

#[test]
fn a_long_text_without_marks_arrives_in_a_note_without_another_key() {
    let bench = Bench::with(1);
    let mut screen = bench.review(&[]);
    screen.until("0/1");
    screen.until("Evidence");
    screen.send("a");
    screen.until("Note on");
    pause(400);
    screen.send(&long(9_400));
    screen.until("THE-END");
    pause(400);
    screen.send("\x13");
    screen.gone("Note on");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
    let decisions = bench.decisions();
    assert_eq!(decisions.len(), 1, "{decisions:?}");
    assert_eq!(decisions[0]["note"], long(9_400));
}

#[test]
fn of_a_long_text_without_marks_nothing_is_run_also_later() {
    let bench = Bench::with(3);
    let mut screen = bench.review(&[]);
    screen.until("0/3");
    screen.until("Evidence");
    pause(400);
    let before = screen.screen();
    let place = before.lines().find(|line| line.contains("· claim 1")).expect("a claim").to_owned();
    screen.send(&long(9_400));
    let count = |screen: &Pty| {
        let shown = screen.screen();
        let before = shown.split(" keys were taken for text").next().unwrap_or_default();
        before.rsplit(' ').next().and_then(|count| count.parse::<usize>().ok()).unwrap_or(0)
    };
    screen.wait("all of it to be read", || count(&screen) > 9_300);
    // The next key is heard as what it is, not as the end of what was pasted.
    pause(600);
    screen.send("j");
    screen.wait("another claim", || !screen.screen().contains(&place));
    let shown = screen.screen();
    for opened in ["Note on", "marked", "Override", "Reason", "Filter", "Search"] {
        assert!(before.contains(opened) || !shown.contains(opened), "{opened} was opened:\n{shown}");
    }
    pause(600);
    screen.send("q");
    assert_eq!(screen.end(), 0);
    assert_eq!(bench.decisions(), Vec::<serde_json::Value>::new());
    let left = screen.screen();
    assert!(!left.contains("draft") && !left.contains("note"), "{left}");
}
