//! What arrived and was not looked at yet.

use crate::domain::ids::ClaimKey;
use crate::domain::queue::Arrivals;

/// Before every key.
const FIRST: ClaimKey = ClaimKey(0);

/// What arrived above and below the cursor. Keys rise with every arrival, so a key says up to where news is known;
/// no clock does, because a claim may be on disk later than one with a later time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct News {
    /// Open CRITICAL claims above the cursor that came after [`News::since`] says.
    pub critical: u64,
    pub high: u64,
    /// The same below it: what the cursor has passed is read.
    pub critical_below: u64,
    pub high_below: u64,
    /// The last arrival that any reading told of; `None` before the first reading.
    pub heard: Option<ClaimKey>,
    /// After which arrival CRITICAL and HIGH claims are new.
    pub since: (ClaimKey, ClaimKey),
    /// The same of those below the cursor, which moving it makes no older.
    pub since_below: (ClaimKey, ClaimKey),
    /// How many of all these the filter does not let through.
    pub outside: u64,
    /// So many HIGH claims stay new although none of them stands above the cursor now: it went up past them.
    pub kept_high: u64,
    /// How many of what came are words that were in the queue before, on the same evidence: no news.
    pub repeats: u64,
    /// Whether the hook calls nobody.
    pub hook_fails: bool,
}

impl News {
    /// Before the first reading.
    pub const NONE: Self = Self {
        critical: 0,
        high: 0,
        critical_below: 0,
        high_below: 0,
        heard: None,
        since: (FIRST, FIRST),
        since_below: (FIRST, FIRST),
        outside: 0,
        repeats: 0,
        kept_high: 0,
        hook_fails: false,
    };

    /// Everything up to now is known.
    pub fn clear(&mut self) {
        self.clear_critical();
        self.clear_high();
    }

    /// The CRITICAL claims up to now are known. Where they are looked at, none of the HIGH ones stands
    /// above, but those are as new as before.
    pub fn clear_critical(&mut self) {
        (self.critical, self.critical_below) = (0, 0);
        self.since.0 = self.heard_or_first();
        self.since_below.0 = self.heard_or_first();
        self.kept_high = self.kept_high.max(self.high);
        self.high = 0;
    }

    fn clear_high(&mut self) {
        (self.high, self.high_below) = (0, 0);
        self.since.1 = self.heard_or_first();
        self.since_below.1 = self.heard_or_first();
        self.kept_high = 0;
    }

    /// The cursor moves: what will stand above it by that alone is not new.
    pub fn cursor_moves(&mut self) {
        if self.critical == 0 {
            self.since.0 = self.heard_or_first();
        }
        if self.high == 0 && self.kept_high == 0 {
            self.since.1 = self.heard_or_first();
        }
    }

    /// A reading: how many new ones stand above and below the cursor, which arrival it was the last to know, and how
    /// many HIGH claims are open at all.
    pub fn read(&mut self, [above, below]: [(u64, u64); 2], last: ClaimKey, open_high: u64) {
        if self.heard.replace(last).is_none() {
            self.since = (last, last);
            self.since_below = (last, last);
        }
        let (_, high) = above;
        (self.critical, self.high) = above;
        (self.critical_below, self.high_below) = below;
        self.kept_high = if high > 0 { 0 } else { self.kept_high.min(open_high) };
    }

    /// The cursor was taken elsewhere without going past anything, as by a filter: what nobody has read is new there
    /// too, on whichever side it stands, and also while nothing is shown. Whether there is any.
    pub fn carried(&mut self, before: &Self, arrived: &Arrivals) -> bool {
        let critical = before.critical + before.critical_below;
        let high = before.high + before.high_below;
        if critical > 0 {
            self.since.0 = before.since.0.min(before.since_below.0);
            self.since_below.0 = self.since.0;
            self.critical = critical + arrived.critical;
        }
        if high > 0 {
            self.since.1 = before.since.1.min(before.since_below.1);
            self.since_below.1 = self.since.1;
            self.high = high + arrived.high;
        }
        self.kept_high = self.kept_high.max(before.kept_high);
        critical + high > 0
    }

    fn heard_or_first(&self) -> ClaimKey {
        self.heard.unwrap_or(FIRST)
    }
}
