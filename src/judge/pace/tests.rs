//! The pace against servers of many kinds, simulated event by event: nothing here takes real time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::*;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The same seed, the same numbers from 0 to 1.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1_u64 << 31) as f64
    }
}

/// What a server lets through.
enum Limit {
    None,
    /// A bucket that holds `burst` and fills by `rate` a second.
    Bucket {
        rate: f64,
        burst: f64,
        level: f64,
        at: f64,
    },
    /// So many in each window of time, counted anew in each.
    Window {
        most: u32,
        length: f64,
        window: u64,
        count: u32,
    },
    /// So many within any stretch of time.
    Sliding {
        most: usize,
        length: f64,
        passed: VecDeque<f64>,
    },
    /// So many at once.
    AtOnce {
        most: usize,
        now: usize,
    },
    /// A share of all, whatever the pace.
    Share(f64),
}

impl Limit {
    fn bucket(rate: f64, burst: f64) -> Self {
        Self::Bucket { rate, burst, level: burst, at: 0.0 }
    }

    fn window(most: u32, length: f64) -> Self {
        Self::Window { most, length, window: 0, count: 0 }
    }

    fn passes(&mut self, now: f64, dice: &mut Dice) -> bool {
        match self {
            Self::None => true,
            Self::Bucket { rate, burst, level, at } => {
                *level = (*level + (now - *at) * *rate).min(*burst);
                *at = now;
                let passes = *level >= 1.0;
                *level -= f64::from(u8::from(passes));
                passes
            }
            Self::Window { most, length, window, count } => {
                let current = (now / *length) as u64;
                if current != *window {
                    (*window, *count) = (current, 0);
                }
                let passes = *count < *most;
                *count += u32::from(passes);
                passes
            }
            Self::Sliding { most, length, passed } => {
                while passed.front().is_some_and(|first| now - first >= *length) {
                    passed.pop_front();
                }
                let passes = passed.len() < *most;
                if passes {
                    passed.push_back(now);
                }
                passes
            }
            Self::AtOnce { most, now } => {
                let passes = *now < *most;
                *now += usize::from(passes);
                passes
            }
            Self::Share(share) => dice.roll() >= *share,
        }
    }

    fn done(&mut self) {
        if let Self::AtOnce { now, .. } = self {
            *now -= 1;
        }
    }
}

struct World {
    limit: Limit,
    /// Time to an answer, and to a refusal.
    answers_in: Duration,
    refuses_in: Duration,
    /// What a refusal asks to wait.
    after: Option<Duration>,
    /// The share of requests that are never answered, and when they are given up.
    hangs: f64,
    gives_up: Duration,
    concurrency: usize,
    records: usize,
}

impl Default for World {
    fn default() -> Self {
        Self {
            limit: Limit::None,
            answers_in: ms(200),
            refuses_in: ms(5),
            after: None,
            hangs: 0.0,
            gives_up: ms(1000),
            concurrency: 64,
            records: 2000,
        }
    }
}

#[derive(Debug)]
struct Told {
    took: f64,
    calls: usize,
    refused: usize,
}

impl Told {
    fn rate(&self, records: usize) -> f64 {
        records as f64 / self.took
    }

    fn refused_share(&self) -> f64 {
        self.refused as f64 / self.calls as f64
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A worker has a record to ask about.
    Wants,
    Ends {
        call: usize,
    },
    Wakes,
}

/// As the harness does it: each worker has one record in hand, which waits by itself after a refusal.
fn run(mut world: World, seed: u64) -> Told {
    let mut pace = Pace::new(world.concurrency);
    let mut dice = Dice(seed);
    let mut events = BinaryHeap::new();
    let mut order = 0_u64;
    let mut push = |events: &mut BinaryHeap<_>, at: Duration, event: Event| {
        order += 1;
        events.push(Reverse((at, order, event)));
    };
    let mut left = world.records;
    let mut waiting = 0_usize;
    for _ in 0..world.concurrency.min(left) {
        left -= 1;
        push(&mut events, Duration::ZERO, Event::Wants);
    }
    let mut calls: Vec<Option<(Ticket, Outcome)>> = Vec::new();
    let (mut refused, mut done, mut last) = (0, 0, Duration::ZERO);
    let mut woken_at = None;
    while let Some(Reverse((now, _, event))) = events.pop() {
        match event {
            Event::Wants => waiting += 1,
            Event::Wakes => woken_at = None,
            Event::Ends { call } => {
                let (ticket, outcome) = calls[call].take().expect("ends once");
                pace.end(ticket, outcome, now);
                match outcome {
                    Outcome::Accepted => {
                        world.limit.done();
                        done += 1;
                        last = now;
                        if left > 0 {
                            left -= 1;
                            waiting += 1;
                        }
                    }
                    Outcome::Refused { after } => {
                        refused += 1;
                        let own = Duration::from_secs_f64((0.5 * dice.roll()).max(0.05));
                        push(&mut events, now + after.map_or(own, |after| after.max(own)), Event::Wants);
                    }
                    Outcome::Slow | Outcome::Neither => {
                        push(&mut events, now + Duration::from_secs_f64(0.5 * dice.roll()), Event::Wants);
                    }
                }
            }
        }
        while waiting > 0 {
            match pace.start(now) {
                Start::Now(ticket) => {
                    waiting -= 1;
                    let jitter = Duration::from_secs_f64(0.001 * dice.roll());
                    let (outcome, takes) = if dice.roll() < world.hangs {
                        (Outcome::Slow, world.gives_up)
                    } else if world.limit.passes((now + jitter).as_secs_f64(), &mut dice) {
                        (Outcome::Accepted, world.answers_in)
                    } else {
                        (Outcome::Refused { after: world.after }, world.refuses_in)
                    };
                    calls.push(Some((ticket, outcome)));
                    push(&mut events, now + jitter + takes, Event::Ends { call: calls.len() - 1 });
                }
                Start::At(at) => {
                    assert!(at > now, "waits for something to come");
                    // Timers count milliseconds.
                    let at = ms(u64::try_from(at.as_nanos().div_ceil(1_000_000)).expect("small"));
                    if woken_at.is_none_or(|woken| at < woken) {
                        woken_at = Some(at);
                        push(&mut events, at, Event::Wakes);
                    }
                    break;
                }
                Start::AfterAnother => break,
            }
        }
    }
    assert_eq!(done, world.records, "nobody is left waiting");
    assert_eq!(pace.in_flight(), 0);
    Told { took: last.as_secs_f64(), calls: calls.len(), refused }
}

#[test]
fn a_server_without_limits_is_never_held_up() {
    for (concurrency, records, answers_in, within) in
        [(64, 2000, 200, 1.03), (16, 200, 200, 1.03), (1, 50, 50, 1.03), (64, 10_000, 20, 1.12)]
    {
        let told = run(World { concurrency, records, answers_in: ms(answers_in), ..World::default() }, 1);
        let ideal = (records as f64 / concurrency as f64).ceil() * answers_in as f64 / 1000.0;
        assert!(
            told.took <= within * ideal,
            "{concurrency} at once, {answers_in} ms: {told:?}, ideal {ideal}"
        );
    }
}

/// Ways to let 100 requests a second through.
type MakeLimit = fn() -> Limit;
const HUNDRED_A_SECOND: [(&str, MakeLimit); 6] = [
    ("a bucket of 10", || Limit::bucket(100.0, 10.0)),
    ("a bucket of 20", || Limit::bucket(100.0, 20.0)),
    ("a bucket of 100", || Limit::bucket(100.0, 100.0)),
    ("a bucket of 200", || Limit::bucket(100.0, 200.0)),
    ("windows of a second", || Limit::window(100, 1.0)),
    ("any second", || Limit::Sliding { most: 100, length: 1.0, passed: VecDeque::new() }),
];

/// A server that has room after 10 ms and asks to wait for a second: to do as it says costs a second each time, of
/// the 20 that 2000 records take. It cannot be done with fewer than two: one tells that there is a limit, one how
/// high it is.
fn asks_for_more_than_it_needs(name: &str, after: Option<Duration>) -> bool {
    after == Some(ms(1000)) && (name == "a bucket of 10" || name == "a bucket of 20")
}

#[test]
fn a_limit_of_a_hundred_a_second_is_found_and_kept() {
    for (name, limit) in HUNDRED_A_SECOND {
        for answers_in in [1, 20, 200] {
            for after in [None, Some(ms(10)), Some(ms(1000))] {
                for (records, seed) in [(2000, 1), (2000, 2), (2000, 3), (10_000, 4)] {
                    let (answers_in, refuses_in) = (ms(answers_in), ms(answers_in.min(5)));
                    let world =
                        World { limit: limit(), answers_in, refuses_in, after, records, ..World::default() };
                    let told = run(world, seed);
                    let (rate, share) = (told.rate(records), told.refused_share());
                    let cannot = records == 2000 && asks_for_more_than_it_needs(name, after);
                    let least = if cannot { 85.0 } else { 90.0 };
                    assert!(
                        rate >= least && share <= 0.05,
                        "{rate:.1} a second, {share:.3} refused; {name}, {records} records, answers in \
                         {answers_in:?}, asks for {after:?}, seed {seed}: {told:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_limit_is_found_at_other_heights_and_by_fewer() {
    for (allowed, concurrency) in [(20.0, 8), (300.0, 64), (300.0, 256), (1000.0, 256)] {
        for burst in [0.1, 1.0, 2.0] {
            let records = (allowed * 60.0) as usize;
            let limit = Limit::bucket(allowed, allowed * burst);
            let told = run(World { limit, concurrency, records, answers_in: ms(50), ..World::default() }, 1);
            let (reached, share) = (told.rate(records) / allowed, told.refused_share());
            assert!(
                reached >= 0.9 && share <= 0.05,
                "{reached:.3} of {allowed} a second, {share:.3} refused; {burst} of a second in store, \
                 {concurrency} at once: {told:?}"
            );
        }
    }
}

#[test]
fn refusals_that_come_as_late_as_answers_cost_more_and_no_speed() {
    for (name, limit) in HUNDRED_A_SECOND {
        let world = World { limit: limit(), refuses_in: ms(200), records: 10_000, ..World::default() };
        let told = run(world, 1);
        let (rate, share) = (told.rate(10_000), told.refused_share());
        assert!(rate >= 90.0 && share <= 0.08, "{rate:.1} a second, {share:.3} refused; {name}: {told:?}");
    }
}

#[test]
fn a_limit_of_requests_at_once_is_found() {
    let told = run(World { limit: Limit::AtOnce { most: 20, now: 0 }, ..World::default() }, 1);
    assert!(told.took <= 1.5 * 20.0 && told.refused_share() <= 0.08, "{told:?}");
}

#[test]
fn refusals_that_the_pace_has_no_part_in_do_not_slow_it_down() {
    for after in [None, Some(ms(1000))] {
        for concurrency in [8, 64] {
            let world =
                World { limit: Limit::Share(0.05), records: 10_000, after, concurrency, ..World::default() };
            let told = run(world, 1);
            let ideal = 10_000.0 * 0.2 / concurrency as f64;
            assert!(told.took <= 1.6 * ideal, "{concurrency} at once, {after:?}: {told:?}, ideal {ideal}");
        }
    }
}

#[test]
fn j59_a_limit_by_the_minute_is_waited_for_and_not_hammered() {
    let limit = Limit::window(60, 60.0);
    let world =
        World { limit, after: Some(ms(57_000)), records: 300, answers_in: ms(500), ..World::default() };
    let told = run(world, 1);
    assert!(told.refused_share() <= 0.25, "{told:?}");
    assert!(told.took <= 600.0, "{told:?}");
}

#[test]
fn a_server_that_answers_nothing_in_time_gets_less_at_once() {
    let mut pace = Pace::new(8);
    let mut now = Duration::ZERO;
    for _ in 0..60 {
        let mut tickets = Vec::new();
        while let Start::Now(ticket) = pace.start(now) {
            tickets.push(ticket);
        }
        now += ms(1000);
        for ticket in tickets {
            pace.end(ticket, Outcome::Slow, now);
        }
    }
    assert!(matches!(pace.start(now), Start::Now(_)));
    assert_eq!(pace.start(now), Start::AfterAnother, "one at a time");
}

#[test]
fn j60_one_burst_of_refusals_counts_once() {
    let mut pace = Pace::new(64);
    let mut tickets = Vec::new();
    while let Start::Now(ticket) = pace.start(Duration::ZERO) {
        tickets.push(ticket);
    }
    assert_eq!(tickets.len(), 64);
    for ticket in tickets {
        pace.end(ticket, Outcome::Refused { after: Some(ms(2000)) }, ms(10));
    }
    assert_eq!(pace.start(ms(1999)), Start::At(ms(2010)));
    assert!(matches!(pace.start(ms(2010)), Start::Now(_)), "one goes first");
    assert_eq!(pace.start(ms(2010)), Start::AfterAnother);
}

#[test]
fn a_server_that_asks_for_a_month_is_tried_again_within_the_hour() {
    let mut pace = Pace::new(4);
    let Start::Now(first) = pace.start(Duration::ZERO) else { panic!("nothing is in the way") };
    let Start::Now(second) = pace.start(Duration::ZERO) else { panic!("four at once") };
    let month = Outcome::Refused { after: Some(Duration::from_hours(24 * 31)) };
    pace.end(first, month, ms(100));
    pace.end(second, month, ms(200));
    assert!(pace.rests_until() >= Duration::from_mins(59), "{:?}", pace.rests_until());
    assert!(pace.rests_until() <= Duration::from_hours(1) + ms(200), "{:?}", pace.rests_until());
}
