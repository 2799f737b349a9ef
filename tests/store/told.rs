//! What the hook is told: by one of several programs, after a pause, with what is known already.

use std::time::Duration;

use juror::domain::finding::RunResult;
use juror::domain::ids::ClaimKey;
use juror::domain::queue::Side;
use juror::domain::routing::Policy;
use juror::store::told::{Asks, Calls, News, Present, RejectedLine, Telling, Untold, Work};
use juror::store::{ComparedRecord, NewRecord, Store};

use crate::fixture::{Desk, START, at, contradicted, desk, line_of, record, run};

const PROMPT: Telling<'static> = Telling {
    holder: "one",
    high_too: true,
    pause: Duration::ZERO,
    most: 20,
    longest: Duration::from_mins(1),
};

fn told(store: &mut Store, telling: Telling<'_>, second: u64) -> Option<News> {
    match store.take_untold(telling, Asks::Again, at(second)).unwrap() {
        Untold::Tell(news) => {
            store.keep_told(telling.holder, &news, at(second)).unwrap();
            Some(*news)
        }
        Untold::Nothing => None,
        other => panic!("{other:?}"),
    }
}

fn arrive(desk: &mut Desk, id: &str, second: u64) {
    desk.import(&record(id));
    desk.audit(vec![contradicted(id)], at(second));
}

#[test]
fn a_call_that_fails_told_nobody_and_is_tried_again_by_itself_and_by_whoever_begins() {
    let mut desk = desk();
    desk.store.begin_telling(at(0)).unwrap();
    let telling = Telling { pause: Duration::from_mins(1), ..PROMPT };
    let take = |desk: &mut Desk, asks, second| desk.store.take_untold(telling, asks, at(second)).unwrap();
    let fail = |desk: &mut Desk, asks, second| {
        let Untold::Tell(news) = take(desk, asks, second) else { panic!("it is to be tried at {second}") };
        desk.store.keep_not_told("one", &news, "503", at(second)).unwrap();
        news.critical
    };
    arrive(&mut desk, "a", 1);
    assert_eq!(fail(&mut desk, Asks::Again, 10), 1);
    // Nothing new arrives: after the pause, then after twice as long.
    assert_eq!(take(&mut desk, Asks::Again, 40), Untold::Later(Duration::from_secs(30)));
    assert_eq!(fail(&mut desk, Asks::Again, 70), 1);
    assert_eq!(take(&mut desk, Asks::Again, 130), Untold::Later(Duration::from_mins(1)));
    // Whoever begins waits no longer than the pause, and so does what is new.
    assert_eq!(fail(&mut desk, Asks::First, 130), 1);
    arrive(&mut desk, "b", 140);
    assert_eq!(take(&mut desk, Asks::Again, 180), Untold::Later(Duration::from_secs(10)));
    let failing = desk.store.calls().unwrap().failing.unwrap();
    assert_eq!((failing.times, failing.since(), failing.why.as_str()), (3, at(10), "503"));
    assert_eq!(desk.store.untold().unwrap(), (2, 0));
    let Untold::Tell(news) = take(&mut desk, Asks::Again, 190) else { panic!("it is time") };
    assert_eq!((news.critical, news.repeats), (2, 0), "nobody knows of either");
    desk.store.keep_told("one", &news, at(191)).unwrap();
    assert_eq!(desk.store.untold().unwrap(), (0, 0));
    let Calls { last, failing } = desk.store.calls().unwrap();
    assert_eq!((failing, last.unwrap().first), (None, vec!["a#1".to_owned(), "b#1".to_owned()]));
    assert_eq!(take(&mut desk, Asks::Last, 300), Untold::Nothing);
}

#[test]
fn what_one_tells_is_anothers_to_tell_when_that_one_does_not_come_back() {
    let mut desk = desk();
    desk.store.begin_telling(at(0)).unwrap();
    arrive(&mut desk, "a", 1);
    let mut other = desk.again();
    let second = Telling { holder: "two", ..PROMPT };
    assert!(matches!(desk.store.take_untold(PROMPT, Asks::Again, at(2)).unwrap(), Untold::Tell(_)));
    let hand = |left| Untold::InHand { holder: "one".to_owned(), left: Duration::from_secs(left) };
    assert_eq!(other.take_untold(second, Asks::Last, at(12)).unwrap(), hand(60));
    // Its process is gone, or it does not come back within the time that a call may take.
    let mut later = desk.again();
    assert_eq!(told(&mut later, Telling { holder: "three", ..PROMPT }, 72).unwrap().critical, 1);
    arrive(&mut desk, "b", 80);
    assert!(matches!(desk.store.take_untold(PROMPT, Asks::Again, at(81)).unwrap(), Untold::Tell(_)));
    other.tells_no_more("one").unwrap();
    assert_eq!(told(&mut other, second, 82).unwrap().critical, 1);
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
    arrive(&mut desk, "a", 1);
    assert_eq!(told(&mut desk.store, slow, 1).unwrap().critical, 1, "the first one at once");
    arrive(&mut desk, "b", 2);
    arrive(&mut desk, "c", 3);
    let soon = desk.store.take_untold(slow, Asks::Again, at(4)).unwrap();
    assert_eq!(soon, Untold::Later(Duration::from_secs(2)));
    assert_eq!(told(&mut desk.store, slow, 6).unwrap().critical, 2, "both in one");
    arrive(&mut desk, "d", 7);
    let Untold::Tell(news) = desk.store.take_untold(slow, Asks::Last, at(7)).unwrap() else {
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
fn the_first_is_whose_record_came_in_first_however_late_it_was_audited() {
    let mut desk = desk();
    desk.store.begin_telling(at(0)).unwrap();
    desk.store.import(&[line_of(&record("early"))], at(1)).unwrap();
    desk.store.import(&[line_of(&record("late"))], at(2)).unwrap();
    desk.store.import(&[line_of(&record("latest"))], at(3)).unwrap();
    // The newest first.
    desk.audit(vec![contradicted("take 8 g")], at(100));
    let news = told(&mut desk.store, PROMPT, 100).unwrap();
    assert_eq!((news.first[0].id.to_string(), news.repeats), ("latest#1".to_owned(), 0));
    assert_eq!(news.first[0].arrived, at(3));
    desk.audit(vec![contradicted("take 8 g"), contradicted("take 9 g")], at(200));
    desk.audit(vec![contradicted("take 8 g"), contradicted("take 9 g")], at(300));
    let news = told(&mut desk.store, PROMPT, 300).unwrap();
    let repeats: Vec<_> = news
        .first
        .iter()
        .map(|claim| (claim.id.to_string(), claim.repeat_of.as_ref().map(ToString::to_string)))
        .collect();
    let of = |id: &str, other: Option<&str>| (id.to_owned(), other.map(str::to_owned));
    let expected = [
        of("late#1", Some("early#1")),
        of("late#2", Some("early#2")),
        of("early#1", Some("late#1")),
        of("early#2", None),
    ];
    assert_eq!(repeats, expected);
    assert_eq!(news.repeats, 3, "of 9 g nobody was told");
}

#[test]
fn what_a_comparison_sent_to_people_did_not_arrive() {
    let mut desk = desk();
    desk.store.begin_telling(at(0)).unwrap();
    arrive(&mut desk, "a", 1);
    assert!(told(&mut desk.store, PROMPT, 2).is_some());
    let new = NewRecord { source: "comparison cmp-1".into(), ..line_of(&record("cmp-1/a")) };
    let result = RunResult { instrument: "comparison", ..run(vec![contradicted("a")]) };
    desk.store.keep_compared(&[ComparedRecord { new, result }], &Policy::default(), at(5)).unwrap();
    assert_eq!(told(&mut desk.store, PROMPT, 6), None);
    assert_eq!(desk.store.untold().unwrap(), (0, 0));
    let none = ClaimKey(0);
    assert_eq!(desk.store.arrived(Some(none), 9).unwrap().critical, 1);
    assert_eq!(desk.store.arrived_beside(Side::Below, none, (none, none)).unwrap(), (1, 0));
    assert_eq!(desk.store.last_import().unwrap(), Some(START), "a dead feed looks like one");
    let dashboard = desk.store.dashboard(at(9)).unwrap();
    assert_eq!(dashboard.backlog.days.iter().map(|day| day.arrived[4]).sum::<u64>(), 1);
    assert_eq!(dashboard.periods[0].tally.claims, 1);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
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
