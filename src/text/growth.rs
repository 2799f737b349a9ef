//! For tests: how the time of a piece of work grows with the length of what it is done to.

use std::time::Duration;

/// Work that grows with the square takes sixteen times as long on four times as much, work that grows with the length
/// four times: this lies between, as far from both as a busy machine needs.
pub(crate) const QUADRATIC: f64 = 9.0;

/// How many times as long `work` takes on four times as much. The shortest of several goes counts: what else the
/// machine does only ever makes one longer.
#[expect(clippy::disallowed_methods, reason = "the time is what is looked at")]
pub(crate) fn of_four_times_as_much<T, R>(make: impl Fn(usize) -> T, work: impl Fn(&T) -> R) -> f64 {
    let both = [make(1), make(4)];
    let mut least = [Duration::MAX; 2];
    for _ in 0..5 {
        for (text, least) in both.iter().zip(&mut least) {
            let begin = std::time::Instant::now();
            let done = work(text);
            *least = begin.elapsed().min(*least);
            drop(done);
        }
    }
    least[1].as_secs_f64() / least[0].as_secs_f64().max(f64::EPSILON)
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
