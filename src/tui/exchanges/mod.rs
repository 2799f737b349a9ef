//! The raw log of one claim: what was asked of a model for its audit, and what came of it.
//!
//! Plain data, changed only by `update`; `read` is what the store's thread does for it.

pub mod advice;
mod read;
mod readable;
mod reply;

use std::sync::Arc;

use crate::domain::exchange::{Ending, Exchange};
use crate::domain::finding::{AuditState, Outcome};
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, ExchangeKey};
use crate::domain::queue::ClaimDetail;
use crate::domain::verdict::NoVerdict;

use super::theme::Role;
use super::widget::passage::{Mark, Scroll};

pub(super) use read::{entries, reply};
pub use reply::{Marked, Reply};

/// The log of one claim while it is open.
#[derive(Debug, Clone)]
pub struct ExchangeLog {
    pub claim: ClaimKey,
    /// `None` where not even its row is known.
    pub id: Option<ClaimId>,
    /// What of the claim is marked in replies.
    pub sought: Arc<[Sought]>,
    /// The audit came to no verdict because something went wrong: that is shown first.
    pub has_failed: bool,
    /// Number of the question for the list that counts; other answers are stale.
    pub asked: u64,
    pub entries: Reading<Vec<Entry>>,
    /// Index into the entries.
    pub chosen: usize,
    /// Number of the question for the reply that counts.
    pub reply_asked: u64,
    pub reply: Reading<Arc<Reply>>,
    pub view: View,
    pub scroll: Scroll,
}

/// Words of the claim that are marked where they stand in a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sought {
    pub text: String,
    pub role: Role,
}

/// How far something that is read off the screen's thread is.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading<T> {
    Loading,
    Ready(T),
    /// The sentence that a person reads.
    Error(String),
}

impl<T> Reading<T> {
    pub const fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Loading | Self::Error(_) => None,
        }
    }
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    Kept(Box<Logged>),
    /// Its row in the store cannot be read; the sentence says why.
    Damaged(String),
}

/// An exchange without its reply, which is read when it is looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    pub key: ExchangeKey,
    /// Its `raw_reply` is empty here.
    pub exchange: Exchange,
    /// Length of the reply in bytes.
    pub reply_bytes: usize,
    /// The audits that rest on it, as record and number of its run.
    pub runs: Vec<(AuditId, u32)>,
    /// Whether words of the claim stand in the reply.
    pub mentions: bool,
}

impl Entry {
    pub const fn kept(&self) -> Option<&Logged> {
        match self {
            Self::Kept(logged) => Some(logged),
            Self::Damaged(_) => None,
        }
    }

    fn ending(&self) -> Option<Ending> {
        self.kept().map(|logged| logged.exchange.ending)
    }
}

/// What of an exchange is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The reply laid out; as it came where that cannot be.
    #[default]
    Readable,
    /// The reply as it came.
    Raw,
    /// What was sent.
    Sent,
}

impl ExchangeLog {
    /// The log of `claim`, of which nothing is read yet.
    pub fn new(claim: ClaimKey, id: Option<ClaimId>, detail: Option<&ClaimDetail>, asked: u64) -> Self {
        Self {
            claim,
            id,
            sought: detail.map(sought).unwrap_or_default().into(),
            has_failed: detail.is_some_and(|detail| has_failed(&detail.outcome)),
            asked,
            entries: Reading::Loading,
            chosen: 0,
            reply_asked: 0,
            reply: Reading::Loading,
            view: View::Readable,
            scroll: Scroll::Auto,
        }
    }

    pub fn entries(&self) -> &[Entry] {
        self.entries.ready().map_or(&[], Vec::as_slice)
    }

    /// The chosen exchange.
    pub fn entry(&self) -> Option<&Entry> {
        self.entries().get(self.chosen)
    }

    /// The text that is looked at; `None` while it is read.
    pub fn text(&self) -> Option<&Marked> {
        let reply = self.reply.ready()?;
        Some(match (self.view, &reply.readable) {
            (View::Readable, Some(readable)) => readable,
            (View::Readable | View::Raw, _) => &reply.raw,
            (View::Sent, _) => &reply.sent,
        })
    }

    /// What is to be in sight when a text is first shown: the claim's words in a reply that judged it.
    pub fn focus(&self) -> Option<&Mark> {
        self.text()?.marks.first()
    }

    /// The view that comes after this one.
    pub fn next_view(&self) -> View {
        let is_laid_out = self.reply.ready().is_none_or(|reply| reply.readable.is_some());
        match self.view {
            View::Readable if is_laid_out => View::Raw,
            View::Readable | View::Raw => View::Sent,
            View::Sent => View::Readable,
        }
    }

    /// Which exchange is shown first: what went wrong last where the audit failed, else the one that judged the
    /// claim.
    pub fn first_choice(&self) -> usize {
        let entries = self.entries();
        let last = entries.len().saturating_sub(1);
        let is_valid = |entry: &Entry| entry.ending() == Some(Ending::Valid);
        if self.has_failed {
            return entries.iter().rposition(|entry| !is_valid(entry)).unwrap_or(last);
        }
        let judged = |entry: &Entry| is_valid(entry) && entry.kept().is_some_and(|logged| logged.mentions);
        entries.iter().rposition(judged).or_else(|| entries.iter().rposition(is_valid)).unwrap_or(last)
    }
}

/// Whether there is no verdict because something went wrong with the model.
fn has_failed(outcome: &Outcome) -> bool {
    use NoVerdict::{Empty, Failed, Incomplete, Refused};
    matches!(outcome.state(), AuditState::NoVerdict(Failed | Refused | Incomplete | Empty))
}

/// The claim's words, the answer's words that it stands in, and the judge's quotes.
fn sought(detail: &ClaimDetail) -> Vec<Sought> {
    let in_answer = detail.answer_span.and_then(|span| span.of(&detail.record.answer));
    let own = [Some(detail.claim_text.as_str()), in_answer];
    let own = own.into_iter().flatten().map(|text| Sought { text: text.to_owned(), role: Role::Claim });
    let quotes = detail.outcome.judged().map_or(&[][..], |judged| &judged.citations[..]);
    let quotes = quotes
        .iter()
        .map(|quote| Sought { text: quote.quote.clone(), role: Role::of_evidence(quote.role, false) });
    let mut all: Vec<Sought> = Vec::new();
    for one in own.chain(quotes) {
        if all.iter().all(|known| known.text != one.text) {
            all.push(one);
        }
    }
    all
}
