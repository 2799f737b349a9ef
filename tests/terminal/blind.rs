//! Blind review at a real terminal: a commitment outlives its process, and the reveal is there again afterwards.

use rustix::process::Signal;

use crate::pause;
use crate::pty::Bench;

const BLIND: &[(&str, &str)] = &[("JUROR_REVIEW_BLIND", "true")];

#[test]
fn a_committed_verdict_outlives_a_kill_and_comes_back_to_be_kept() {
    let bench = Bench::with(3);
    let mut screen = bench.review(BLIND);
    screen.until("the judge is hidden");
    screen.until("0/3");
    let shown = screen.screen();
    assert!(!shown.contains("CONTRADICTED") && !shown.contains("CRIT"), "{shown}");
    screen.decide("c", "hidden until you have committed");
    pause(400);
    screen.decide("3", "you said");
    screen.until("CONTRADICTED");
    screen.signal(Signal::KILL);
    screen.end();
    let acts = |bench: &Bench| -> Vec<String> {
        bench.decisions().iter().filter_map(|line| line["act"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(acts(&bench), ["BLIND"]);
    let mut screen = bench.review(BLIND);
    screen.until("you said ? UNSUPPORTED");
    pause(400);
    screen.decide("v", "1/3");
    screen.until("the judge is hidden");
    screen.send("q");
    assert_eq!(screen.end(), 0);
    screen.assert_restored();
    assert_eq!(acts(&bench), ["BLIND", "OVERRIDE"]);
    bench.run(&["verify"]);
}
