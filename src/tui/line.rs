//! How much a line to a terminal elsewhere carries: frames must not pile up in front of it.
//!
//! A program cannot see how far its frames have got, since every machine on the way takes in more than it has
//! passed on, and the terminal is never asked. So where a person works from elsewhere, a key that is held down
//! draws no more than a slow line carries; whoever types a key now and then never waits. And nobody has seen a frame
//! before such a line has carried it.
//!
//! Must not know what is drawn.

use std::time::Duration;

use crate::domain::time::Timestamp;

/// A line as slow as this is worked over.
const BYTES_A_SECOND: u64 = 20_000;
/// So much is sent at once after a pause: some large frames.
const AT_ONCE: u64 = 10_000;

/// What is on its way, as far as it can be reckoned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    is_remote: bool,
    /// Bytes that have not arrived when the line is slow.
    waiting: u64,
    at: Timestamp,
}

impl Line {
    pub(super) fn new(is_remote: bool, now: Timestamp) -> Self {
        Self { is_remote, waiting: 0, at: now }
    }

    /// Whether this session came over the network, as the shell's environment tells.
    pub(super) fn is_remote() -> bool {
        ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| std::env::var_os(name).is_some())
    }

    /// A frame of so many bytes went out.
    pub(super) fn sent(&mut self, bytes: usize, now: Timestamp) {
        self.waiting = self.left(now) + u64::try_from(bytes).unwrap_or(u64::MAX / 2);
        self.at = now;
    }

    /// How long the next frame has to wait.
    pub(super) fn wait(&self, now: Timestamp) -> Duration {
        if !self.is_remote {
            return Duration::ZERO;
        }
        let over = self.left(now).saturating_sub(AT_ONCE);
        Duration::from_millis((over * 1000).div_ceil(BYTES_A_SECOND))
    }

    /// From when on a frame that has just gone out can be seen.
    pub(super) fn seen_from(&self, now: Timestamp) -> Timestamp {
        let left = if self.is_remote { self.left(now) } else { 0 };
        now.plus(Duration::from_millis((left * 1000).div_ceil(BYTES_A_SECOND)))
    }

    fn left(&self, now: Timestamp) -> u64 {
        let passed = u64::try_from(now.since(self.at).as_millis()).unwrap_or(u64::MAX / BYTES_A_SECOND);
        self.waiting.saturating_sub(passed.saturating_mul(BYTES_A_SECOND) / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_780_000_000_000);

    fn later(millis: u64) -> Timestamp {
        NOW.plus(Duration::from_millis(millis))
    }

    #[test]
    fn a_key_now_and_then_never_waits() {
        let mut line = Line::new(true, NOW);
        for n in 0..100 {
            assert_eq!(line.wait(later(n * 200)), Duration::ZERO);
            line.sent(3900, later(n * 200));
        }
    }

    #[test]
    fn a_held_key_draws_what_a_slow_line_carries() {
        let mut line = Line::new(true, NOW);
        let (mut sent, mut frames) = (0, 0);
        for millis in 0..5000 {
            if line.wait(later(millis)).is_zero() {
                line.sent(3000, later(millis));
                sent += 3000;
                frames += 1;
            }
        }
        assert!((100_000..120_000).contains(&sent), "{sent} bytes in 5 s");
        assert!(frames > 33);
        assert_eq!(line.wait(later(5000)).as_millis() / 160, 0, "the last key's frame comes soon");
    }

    #[test]
    fn at_the_machine_itself_nothing_waits_and_a_frame_is_seen_at_once() {
        let mut line = Line::new(false, NOW);
        line.sent(10_000_000, NOW);
        assert_eq!((line.wait(NOW), line.seen_from(NOW)), (Duration::ZERO, NOW));
    }

    #[test]
    fn over_a_line_a_frame_is_seen_once_the_line_has_carried_it() {
        let mut line = Line::new(true, NOW);
        assert_eq!(line.seen_from(NOW), NOW);
        line.sent(4000, NOW);
        assert_eq!(line.seen_from(NOW), later(200));
        assert_eq!(line.seen_from(later(50)), later(200), "whenever one asks");
        line.sent(2000, later(50));
        assert_eq!(line.seen_from(later(50)), later(300), "what is in front of it goes first");
        assert_eq!(line.seen_from(later(1000)), later(1000));
    }
}
