//! What the hook is told: by one of several programs, after a pause, with what is known already.

use std::time::Duration;

use juror::store::Store;
use juror::store::told::{News, Present, RejectedLine, Telling, Untold, Work};

use crate::fixture::{at, contradicted, desk, record};

const PROMPT: Telling = Telling { high_too: true, pause: Duration::ZERO, most: 20 };

fn told(store: &mut Store, telling: Telling, second: u64) -> Option<News> {
    match store.take_untold(telling, false, at(second)).unwrap() {
        Untold::Tell(news) => Some(*news),
        Untold::Nothing => None,
        Untold::Later(left) => panic!("{left:?} too early"),
    }
}

#[test]
fn of_two_programs_one_tells_the_hook_of_each_arrival() {
    let mut desk = desk();
    desk.audited(&record("a"), vec![contradicted("before")]);
    desk.store.begin_telling(at(9)).unwrap();
    let mut other = desk.again();
    assert_eq!(told(&mut desk.store, PROMPT, 9), None, "what was there did not arrive");
    desk.import(&record("b"));
    desk.audit(vec![contradicted("one"), contradicted("two")], at(10));
    other.begin_telling(at(11)).unwrap();
    let news = told(&mut desk.store, PROMPT, 11).expect("nobody told it yet");
    assert_eq!((news.critical, news.high, news.first.len()), (2, 0, 2));
    assert_eq!(told(&mut other, PROMPT, 11), None, "the other program did");
    desk.import(&record("c"));
    desk.audit(vec![contradicted("three")], at(12));
    let news = told(&mut other, PROMPT, 12).expect("the last one is untold");
    assert_eq!((news.critical, news.open_critical), (1, 4));
    assert_eq!(told(&mut desk.store, PROMPT, 12), None);
}

#[test]
fn what_arrives_within_the_pause_is_told_at_once_after_it_or_at_the_end() {
    let mut desk = desk();
    desk.store.begin_telling(at(0)).unwrap();
    let slow = Telling { pause: Duration::from_secs(5), ..PROMPT };
    let arrive = |desk: &mut crate::fixture::Desk, id: &str, second| {
        desk.import(&record(id));
        desk.audit(vec![contradicted(id)], at(second));
    };
    arrive(&mut desk, "a", 1);
    assert_eq!(told(&mut desk.store, slow, 1).unwrap().critical, 1, "the first one at once");
    arrive(&mut desk, "b", 2);
    arrive(&mut desk, "c", 3);
    let soon = desk.store.take_untold(slow, false, at(4)).unwrap();
    assert_eq!(soon, Untold::Later(Duration::from_secs(2)));
    assert_eq!(told(&mut desk.store, slow, 6).unwrap().critical, 2, "both in one");
    arrive(&mut desk, "d", 7);
    let Untold::Tell(news) = desk.store.take_untold(slow, true, at(7)).unwrap() else {
        panic!("whoever goes leaves nothing untold")
    };
    assert_eq!(news.critical, 1);
}

#[test]
fn a_repeat_of_a_known_claim_is_told_apart_from_news() {
    let mut desk = desk();
    desk.audited(&record("old"), vec![contradicted("take 8 g")]);
    desk.store.begin_telling(at(9)).unwrap();
    desk.import(&record("b"));
    desk.audit(
        vec![contradicted("take  8 g"), contradicted("take 8 g now"), contradicted("take 8 g now")],
        at(10),
    );
    let news = told(&mut desk.store, PROMPT, 10).unwrap();
    let repeats: Vec<_> =
        news.first.iter().map(|claim| claim.repeat_of.as_ref().map(ToString::to_string)).collect();
    assert_eq!(repeats, [Some("old#1".to_owned()), None, Some("b#2".to_owned())]);
    assert_eq!((news.critical, news.repeats), (3, 2));
}

#[test]
fn who_is_there_is_known_until_they_go() {
    let mut desk = desk();
    let one = |holder: &str, since_ms| Present {
        holder: holder.to_owned(),
        work: Work::Watch,
        audits: true,
        pages: true,
        since_ms,
    };
    desk.store.enter(&one("late", 9)).unwrap();
    desk.store.enter(&one("early", 3)).unwrap();
    desk.store.leave(&["nobody"]).unwrap();
    assert_eq!(desk.store.present().unwrap(), [one("early", 3), one("late", 9)]);
    desk.store.leave(&["early", "late"]).unwrap();
    assert_eq!(desk.store.present().unwrap(), []);
}

#[test]
fn a_line_that_stays_out_is_counted_once() {
    let mut desk = desk();
    let line = |line, at_ms| RejectedLine {
        file: "log.jsonl".to_owned(),
        line: Some(line),
        reason: "no JSON".to_owned(),
        at_ms,
    };
    assert!(desk.store.keep_rejected(&line(3, 1)).unwrap());
    assert!(!desk.store.keep_rejected(&line(3, 2)).unwrap(), "read again from the beginning");
    assert!(desk.store.keep_rejected(&line(9, 3)).unwrap());
    assert_eq!(desk.store.rejected_lines().unwrap(), (2, Some(line(9, 3))));
}
