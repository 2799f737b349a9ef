//! One line that says how far long work is.

use std::fmt::Write;
use std::time::Duration;

use crate::domain::time::Timestamp;

/// The line changes at most so often.
const EVERY: Duration = Duration::from_millis(100);
/// Where it cannot change, another one is written so often.
const SIGN_EVERY: Duration = Duration::from_secs(10);

/// How far something is that goes through a number of bytes, or of records.
pub(super) struct Progress {
    done_word: &'static str,
    /// Of bytes, or of what is counted.
    total: Option<u64>,
    names_total: bool,
    started: Timestamp,
    every: Duration,
    shown: Option<Timestamp>,
}

impl Progress {
    /// Begins now; `total_bytes` is `None` when nobody knows.
    pub(super) fn new(done_word: &'static str, total_bytes: Option<u64>, now: Timestamp) -> Self {
        let total = total_bytes.filter(|total| *total > 0);
        Self { done_word, total, names_total: false, started: now, every: EVERY, shown: None }
    }

    /// The same for records, which the line counts.
    pub(super) fn of_records(done_word: &'static str, total: Option<u64>, now: Timestamp) -> Self {
        Self { names_total: true, ..Self::new(done_word, total, now) }
    }

    /// Signs of life where no line can take the place of another: a line every ten seconds, none before.
    pub(super) fn in_signs(self) -> Self {
        Self { every: SIGN_EVERY, shown: Some(self.started), ..self }
    }

    /// The line to show, `None` when the last one is too young.
    pub(super) fn line(&mut self, done: u64, bytes: u64, now: Timestamp) -> Option<String> {
        if self.shown.is_some_and(|shown| now.since(shown) < self.every) {
            return None;
        }
        self.shown = Some(now);
        let seconds = now.since(self.started).as_secs_f64();
        let mut line = match self.total.filter(|_| self.names_total) {
            Some(total) => format!("{done} of {total} {}", self.done_word),
            None => format!("{done} {}", self.done_word),
        };
        if seconds > 0.0 {
            let rate = done as f64 / seconds;
            let _ = if done > 0 && rate < 1.0 {
                write!(line, ", {:.0} a minute", (rate * 60.0).max(1.0))
            } else {
                write!(line, ", {rate:.0} a second")
            };
        }
        if let Some(total) = self.total {
            let share = (bytes as f64 / total as f64).min(1.0);
            let _ = write!(line, ", {:.0} %", share * 100.0);
            if share > 0.0 && seconds > 1.0 {
                let _ = write!(line, ", about {} left", in_words(seconds * (1.0 - share) / share));
            }
        }
        Some(line)
    }
}

fn in_words(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5_999 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_rate_share_and_time_left() {
        let start = Timestamp::from_millis(0);
        let after = |millis| start.plus(Duration::from_millis(millis));
        let mut progress = Progress::new("imported", Some(1000), start);
        assert_eq!(progress.line(0, 0, start).as_deref(), Some("0 imported, 0 %"));
        assert_eq!(progress.line(5, 10, after(50)), None, "not every 50 ms");
        assert_eq!(
            progress.line(50, 250, after(2000)).as_deref(),
            Some("50 imported, 25 a second, 25 %, about 6 s left")
        );
        let mut signs = Progress::of_records("audited", Some(400), start).in_signs();
        assert_eq!(signs.line(90, 90, after(9_999)), None, "not before ten seconds");
        let sign = "100 of 400 audited, 10 a second, 25 %, about 30 s left";
        assert_eq!(signs.line(100, 100, after(10_000)).as_deref(), Some(sign));
        assert_eq!(signs.line(101, 101, after(19_000)), None);
        let mut slow = Progress::of_records("audited", None, start);
        assert_eq!(slow.line(24, 24, after(96_000)).as_deref(), Some("24 audited, 15 a minute"));
        let mut unknown = Progress::new("imported", None, start);
        assert_eq!(unknown.line(9, 900, after(3000)).as_deref(), Some("9 imported, 3 a second"));
    }
}
