//! The rows around the cursor with all that is of the same moment, read from a store.
//!
//! Must not know on which thread that happens.

use crate::domain::filter::Filter;
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::{Arrivals, QueueRow, Side, Thread};
use crate::domain::time::Timestamp;
use crate::store::{PageAt, Store, StoreError};

use super::message::QueueWindow;

/// So many ids of what arrived are told.
pub(super) const MOST_IDS: usize = 20;

/// What is to be read: see [`LoadQueue`](super::effect::Effect::LoadQueue).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub around: Option<ClaimKey>,
    pub from_end: bool,
    pub rows: usize,
    /// After which arrivals CRITICAL and HIGH claims above `around` count.
    pub since: (ClaimKey, ClaimKey),
    /// The same of those below it.
    pub since_below: (ClaimKey, ClaimKey),
    /// After which arrival what came is to be told; `None` tells nothing.
    pub heard: Option<ClaimKey>,
    /// Only what fits.
    pub filter: Option<Filter>,
    /// The claim is left when the filter does not let it through.
    pub must_fit: bool,
    /// Claims stand under their answer.
    pub by_answers: bool,
}

/// A stretch of the list.
#[derive(Default)]
struct Page {
    rows: Vec<QueueRow>,
    /// The answers of the rows, where the list is one of answers.
    threads: Vec<Thread>,
    /// Whether there was less than asked for: the list ends here.
    is_last: bool,
}

/// Reads what is wanted; in a blind review, which `blind` people may do on each claim, no news: they would tell how
/// dangerous a claim is.
pub(super) fn read(
    store: &Store,
    annotator: &Annotator,
    blind: Option<u8>,
    wanted: &Wanted,
    now: Timestamp,
) -> Result<QueueWindow, StoreError> {
    let reading = Reading { store, annotator, blind, wanted, now };
    // Arrivals first: what comes in between may be counted before it is told, but is never lost.
    let arrived = store.arrived(wanted.heard.filter(|_| blind.is_none()), MOST_IDS)?;
    if wanted.from_end { reading.last(arrived) } else { reading.around(wanted.around, arrived) }
}

struct Reading<'a> {
    store: &'a Store,
    annotator: &'a Annotator,
    blind: Option<u8>,
    wanted: &'a Wanted,
    now: Timestamp,
}

impl Reading<'_> {
    /// A page of so many claims, or of half as many answers.
    fn page(&self, at: PageAt, limit: usize) -> Result<Page, StoreError> {
        if self.by_answers() {
            return self.page_of_answers(at, limit / 2);
        }
        let rows = self.page_of_claims(at, limit)?;
        Ok(Page { is_last: rows.len() < limit, rows, threads: Vec::new() })
    }

    fn by_answers(&self) -> bool {
        self.wanted.by_answers && self.blind.is_none()
    }

    fn page_of_answers(&self, at: PageAt, limit: usize) -> Result<Page, StoreError> {
        let (store, who, now) = (self.store, self.annotator, self.now);
        let found = if let Some(filter) = &self.wanted.filter {
            store.found_threads(filter, who, at, limit, now)?
        } else {
            let threads = store.threads_page(who, at, limit, now)?;
            let with_claims = |thread: Thread| {
                let claims = store.thread_claims(thread.head.key, who, now)?;
                Ok::<_, StoreError>((thread, claims))
            };
            threads.into_iter().map(with_claims).collect::<Result<Vec<_>, _>>()?
        };
        let mut page = Page { is_last: found.len() < limit, ..Page::default() };
        for (thread, claims) in found {
            page.threads.push(thread);
            page.rows.extend(claims);
        }
        Ok(page)
    }

    fn page_of_claims(&self, at: PageAt, limit: usize) -> Result<Vec<QueueRow>, StoreError> {
        if let Some(overlap) = self.blind {
            return self.store.blind_page(self.annotator, overlap, at, limit, self.now);
        }
        match &self.wanted.filter {
            Some(filter) => self.store.found_page(filter, self.annotator, at, limit, self.now),
            None => self.store.queue_page(self.annotator, at, limit, self.now),
        }
    }

    fn around(&self, around: Option<ClaimKey>, arrived: Arrivals) -> Result<QueueWindow, StoreError> {
        let rows = self.wanted.rows;
        let Some(key) = around else {
            let from = self.page(PageAt::Top, 2 * rows)?;
            // Nobody has chosen a claim: the first is in hand.
            let first = from.rows.first().map(|row| row.key);
            return self.window(Page { is_last: true, ..Page::default() }, from, first, arrived);
        };
        if self.wanted.must_fit
            && let Some(filter) = &self.wanted.filter
            && !self.store.found_is(filter, key, self.now)?
        {
            return self.around(None, arrived);
        }
        let begin = if self.by_answers() {
            let filter = self.wanted.filter.as_ref();
            self.store.thread_head(key, filter, self.annotator, self.now)?.unwrap_or(key)
        } else {
            key
        };
        let from = match self.page(PageAt::From(begin), rows) {
            // A claim that was opened by its id need not be in the queue.
            Err(StoreError::Refused(_)) => return self.around(None, arrived),
            from => from?,
        };
        let before = self.page(PageAt::Before(begin), rows)?;
        self.window(before, from, Some(key), arrived)
    }

    /// The end of the queue.
    fn last(&self, arrived: Arrivals) -> Result<QueueWindow, StoreError> {
        let before = self.page(PageAt::Bottom, 2 * self.wanted.rows)?;
        let last = before.rows.last().map(|row| row.key);
        self.window(before, Page { is_last: true, ..Page::default() }, last, arrived)
    }

    fn window(
        &self,
        mut before: Page,
        from: Page,
        key: Option<ClaimKey>,
        arrived: Arrivals,
    ) -> Result<QueueWindow, StoreError> {
        let key = key.filter(|_| self.blind.is_none());
        let (above, outside_above, same_above) = self.news(Side::Above, key, self.wanted.since)?;
        let (below, outside_below, same_below) = self.news(Side::Below, key, self.wanted.since_below)?;
        before.threads.extend(from.threads);
        Ok(QueueWindow {
            before: before.rows,
            from: from.rows,
            threads: self.by_answers().then_some(before.threads),
            at_start: before.is_last,
            at_end: from.is_last,
            counts: match self.blind {
                Some(overlap) => self.store.blind_counts(self.annotator, overlap, self.now)?,
                None => self.store.queue_counts(self.annotator, self.now)?,
            },
            above,
            below,
            outside: outside_above + outside_below,
            repeats: u32::try_from(same_above + same_below).unwrap_or(u32::MAX),
            arrived,
            version: self.store.data_version()?,
        })
    }

    /// The CRITICAL and HIGH claims that came on that side of `key`, how many of them the filter keeps out, and how
    /// many more came that repeat what was in the queue.
    fn news(
        &self,
        side: Side,
        key: Option<ClaimKey>,
        since: (ClaimKey, ClaimKey),
    ) -> Result<((u64, u64), u64, u64), StoreError> {
        // Nothing is news before the first reading: that alone says what was there.
        let Some(key) = key.filter(|_| self.wanted.heard.is_some()) else { return Ok(((0, 0), 0, 0)) };
        let all = self.store.arrived_beside(side, key, since)?;
        let outside = match &self.wanted.filter {
            Some(filter) if all != (0, 0) => {
                self.store.arrived_outside(filter, side, key, since, self.now)?
            }
            _ => 0,
        };
        let same = if all == (0, 0) { (0, 0) } else { self.store.repeated_beside(side, key, since)? };
        let news = (all.0.saturating_sub(same.0), all.1.saturating_sub(same.1));
        Ok((news, outside.min(news.0 + news.1), same.0 + same.1))
    }
}
