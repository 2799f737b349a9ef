//! For tests: how the time of a piece of work grows with the length of what it is done to.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Work that grows with the square takes sixteen times as long on four times as much, work that grows with the length
/// four times: this lies between, as far from both as a busy machine needs.
pub(crate) const QUADRATIC: f64 = 9.0;

/// How long this thread has had a core: waiting for one does not count.
fn on_core() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// So many goes at most: on a busy machine it takes a while until one of each is undisturbed.
const GOES: usize = 60;

/// How many times as long `work` takes on four times as much. The shortest of all goes counts: what else the machine
/// does only ever makes one longer. Ends when the answer is clear.
pub(crate) fn of_four_times_as_much<T, R>(make: impl Fn(usize) -> T, work: impl Fn(&T) -> R) -> f64 {
    let both = [make(1), make(4)];
    let mut least = [Duration::MAX; 2];
    let ratio = |least: &[Duration; 2]| least[1].as_secs_f64() / least[0].as_secs_f64().max(f64::EPSILON);
    for go in 0..GOES {
        for (text, least) in both.iter().zip(&mut least) {
            let begin = on_core();
            let done = work(text);
            *least = on_core().saturating_sub(begin).min(*least);
            drop(done);
        }
        if go >= 2 && ratio(&least) < QUADRATIC {
            break;
        }
    }
    ratio(&least)
}

#[test]
fn work_that_grows_with_the_square_is_told_from_work_that_does_not() {
    let text = |times: usize| vec![1_u8; times * 400];
    let square = |text: &Vec<u8>| -> u64 {
        text.iter().map(|one| text.iter().map(|two| u64::from(*one ^ *two)).sum::<u64>()).sum()
    };
    assert!(of_four_times_as_much(text, square) > QUADRATIC);
    let line = |text: &Vec<u8>| -> u64 {
        (0..200).map(|turn| text.iter().map(|one| u64::from(*one) ^ turn).sum::<u64>()).sum()
    };
    assert!(of_four_times_as_much(text, line) < QUADRATIC);
}
