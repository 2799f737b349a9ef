//! A reviewer decides two hundred claims of the demonstration at the real terminal, and is interrupted by `kill -9`.

use std::collections::BTreeMap;

use rustix::process::Signal;

use super::pause;
use super::pty::{Bench, Link, Pty};
use super::script::{Numbers, Step, claim_on, other_verdict, progress_on, steps};

const DECISIONS: usize = 200;
const SEED: u64 = 0x0DE5_C0DE;
const NOTE: &str = "see the label";
/// After so many decisions the process is killed with a key on its way.
const KILLED_AFTER: [usize; 3] = [37, 90, 151];

/// The reviewer, and what the screen told to be saved.
struct Reviewer<'a> {
    bench: &'a Bench,
    screen: Pty,
    /// The verdict of each claim that was said to be saved.
    saved: BTreeMap<String, &'static str>,
    /// Keys of each decision; the letters of a note are not among them.
    keys: Vec<usize>,
    /// Keys that were dropped because the claim had not come into view yet.
    dropped: usize,
}

impl Reviewer<'_> {
    fn screen_of(bench: &Bench) -> Pty {
        // The script waits for each claim itself.
        let screen = bench.review_over(Link::Local, (140, 42), &[("JUROR_REVIEW_MIN_VISIBLE_MS", "0")]);
        screen.wait("the queue", || progress_on(&screen.screen()).is_some());
        screen
    }

    fn done(&self) -> usize {
        progress_on(&self.screen.screen()).map_or(usize::MAX, |(done, _)| done)
    }

    /// The next claim when it is in full view: its id and title.
    fn next(&self) -> (String, String) {
        self.screen.wait("a claim", || {
            let screen = self.screen.screen();
            claim_on(&screen).is_some_and(|(id, _)| !self.saved.contains_key(&id))
                && screen.contains("In queue")
                && progress_on(&screen).is_some()
        });
        claim_on(&self.screen.screen()).expect("a claim")
    }

    /// Presses `key` until it counts and the screen tells that `done` are decided.
    fn decide(&mut self, key: &str, done: usize) {
        loop {
            self.screen.send(key);
            self.screen.wait(&format!("{done} decisions after `{key}`"), || {
                self.done() == done || self.screen.screen().contains("too fast")
            });
            if self.done() == done {
                return;
            }
            self.dropped += 1;
            self.screen.gone("too fast");
        }
    }

    fn step(&mut self, step: Step) {
        let (id, title) = self.next();
        let before = self.done();
        let other = other_verdict(&title);
        let keys = match step {
            Step::Confirm => {
                self.decide("c", before + 1);
                1
            }
            Step::Override(reason) => {
                self.decide(other, before + 1);
                self.screen.send("r");
                self.screen.until(&format!("Reason for  {id}"));
                self.screen.send(&reason.to_string());
                self.screen.gone("Reason for");
                self.screen.wait("the reason to be saved", || {
                    let screen = self.screen.screen();
                    screen.lines().rev().take(2).any(|line| line.contains("reason"))
                        || screen.contains("✓ saved")
                });
                3
            }
            Step::Note => {
                self.screen.send("a");
                self.screen.until("Note on");
                self.screen.send(NOTE);
                self.screen.until(NOTE);
                self.screen.send("\x13");
                self.screen.gone("Note on");
                self.decide("c", before + 1);
                3
            }
            Step::Undo => {
                self.decide("c", before + 1);
                self.screen.send("u");
                self.screen.wait("the claim again", || {
                    self.done() == before
                        && claim_on(&self.screen.screen()).is_some_and(|(here, _)| here == id)
                        && self.screen.screen().contains("In queue")
                });
                self.decide(other, before + 1);
                3
            }
        };
        self.keys.push(keys);
        let overrides = matches!(step, Step::Override(_) | Step::Undo);
        self.saved.insert(id, if overrides { "OVERRIDE" } else { "CONFIRM" });
    }

    /// The process dies with a decision on its way; then another one goes on.
    fn is_killed(&mut self, after: u64) {
        let (id, _) = self.next();
        self.screen.send("c");
        pause(after);
        self.screen.signal(Signal::KILL);
        self.screen.end();
        if progress_on(&self.screen.screen()).is_some_and(|(done, _)| done > self.saved.len()) {
            self.saved.insert(id, "CONFIRM");
        }
        self.assert_nothing_is_lost();
        let stored = self.stored();
        assert!(stored.len() <= self.saved.len() + 1, "at most one decision was on its way");
        for (id, act) in stored {
            self.saved.entry(id).or_insert(act);
        }
        self.screen = Self::screen_of(self.bench);
        self.screen.wait("the count", || self.done() == self.saved.len());
    }

    /// What stands in the store of each claim, by the events.
    fn stored(&self) -> BTreeMap<String, &'static str> {
        let mut standing = BTreeMap::new();
        for event in self.bench.decisions() {
            let subject = event["subject"].as_str().expect("a claim").to_owned();
            match event["act"].as_str().expect("an act") {
                "CONFIRM" => standing.insert(subject, "CONFIRM"),
                "OVERRIDE" => standing.insert(subject, "OVERRIDE"),
                "UNDO" => standing.remove(&subject),
                _ => None,
            };
        }
        standing
    }

    fn assert_nothing_is_lost(&self) {
        let stored = self.stored();
        for (id, act) in &self.saved {
            assert_eq!(stored.get(id), Some(act), "{id} was shown as saved");
        }
        self.bench.run(&["verify"]);
    }
}

#[test]
fn two_hundred_claims_are_decided_with_one_key_in_the_median_and_nothing_is_lost_by_kill_9() {
    let bench = Bench::with_the_demo(2);
    let screen = Reviewer::screen_of(&bench);
    let (saved, keys) = (BTreeMap::new(), Vec::new());
    let mut reviewer = Reviewer { bench: &bench, screen, saved, keys, dropped: 0 };
    let open = progress_on(&reviewer.screen.screen()).expect("a count").1;
    assert!(open > DECISIONS + KILLED_AFTER.len(), "the demonstration has {open} open claims");
    let mut numbers = Numbers(SEED);
    for (number, step) in steps(SEED, DECISIONS).into_iter().enumerate() {
        if KILLED_AFTER.contains(&number) {
            reviewer.is_killed(numbers.below(25) as u64);
        }
        reviewer.step(step);
    }
    reviewer.screen.send("q");
    assert_eq!(reviewer.screen.end(), 0);
    reviewer.assert_nothing_is_lost();
    let Reviewer { mut keys, dropped, .. } = reviewer;
    keys.sort_unstable();
    let sum: usize = keys.iter().sum();
    let mean = sum as f64 / keys.len() as f64;
    let letters = NOTE.len() * DECISIONS / 20;
    eprintln!(
        "{} decisions: {sum} keys, median {}, mean {mean:.2}; with the {letters} letters of the notes {:.2}; {dropped} came too fast",
        keys.len(),
        keys[keys.len() / 2],
        (sum + letters) as f64 / keys.len() as f64,
    );
    assert_eq!(keys.len(), DECISIONS);
    assert_eq!(keys[keys.len() / 2], 1);
    assert!(mean <= 2.0, "{mean} keys a decision");
}

/// Spans as a person chooses them by keys, and not as a test would write them down.
#[test]
fn r22_spans_chosen_on_the_screen_go_out_as_they_were_chosen_and_come_in_again() {
    let bench = Bench::empty();
    let content = "💊👩\u{200d}🚒 Take one a day. Never at night. دوز aspirin است.";
    let record = serde_json::json!({
        "audit_id": "rx-1", "generated_answer": "Adults may take 8 g of paracetamol per day.",
        "evidence_passages": [{"passage_id": "p1", "content": "Adults may take 4 g of paracetamol per day."},
                              {"passage_id": "p2", "content": content}],
        "risk_level": "CRITICAL",
    });
    let file = bench.path("in.jsonl");
    std::fs::write(&file, format!("{record}\n")).unwrap();
    bench.run(&["import", file.to_str().unwrap()]);
    bench.run(&["audit"]);
    let mut screen = bench.review_over(Link::Local, (140, 42), &[("JUROR_REVIEW_MIN_VISIBLE_MS", "0")]);
    screen.until(" 0/1");
    screen.until("In queue");
    screen.send("e");
    screen.until("Enter");
    // The judge's span goes, a sentence and a word of the second passage come, on both sides.
    for keys in ["d", "]", "gg", "j", " ", "c", "j", "ll", "s", "\r"] {
        screen.send(keys);
        screen.settle(std::time::Duration::from_millis(120));
    }
    screen.until(" 1/1");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    let claims = bench.run(&["export", "--what", "claims"]);
    let claim: serde_json::Value = serde_json::from_str(claims.lines().next().unwrap()).unwrap();
    let evidence = claim["decisions"][0]["evidence"].as_array().unwrap();
    assert_eq!(evidence.len(), 2, "{claim}");
    for span in evidence {
        let text = if span["passage_id"] == "p2" { content } else { "" };
        let place = |name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
        let words: String = text.chars().skip(place("start")).take(place("end") - place("start")).collect();
        assert!(!words.is_empty() && span["quote"] == words.as_str(), "{span}");
    }
    assert_eq!(evidence[0]["role"], "contradicts");
    // What went out of this store comes into another one as it is.
    let records = bench.run(&["export", "--what", "records"]);
    let other = Bench::empty();
    let file = other.path("out.jsonl");
    std::fs::write(&file, &records).unwrap();
    other.run(&["import", file.to_str().unwrap()]);
    assert_eq!(other.run(&["export", "--what", "records"]), records);
}
