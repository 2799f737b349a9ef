//! The claim under the cursor, as far as it was read, and what of it is looked at.
//!
//! Part of the screen's state: plain data, changed only by `update`.

use std::sync::Arc;

use crate::domain::ids::ClaimKey;
use crate::domain::queue::ClaimDetail;
use crate::domain::severity::Stakes;
use crate::domain::time::Timestamp;

use super::widget::passage::Scroll;

/// The claim under the cursor. It is named by its key, never by its place in the list.
#[derive(Debug, Clone)]
pub struct Selected {
    pub key: ClaimKey,
    pub detail: Detail,
    /// What is at stake with it, once the detail is there.
    pub stakes: Stakes,
    /// Number of the question for the detail that counts; other answers are stale.
    pub asked: u64,
    /// When a frame that shows this claim was first drawn.
    pub visible_since: Option<Timestamp>,
    /// Index into [`Selected::stops`].
    pub stop: usize,
    /// What `n` and `N` go through.
    pub stops: Vec<EvidenceStop>,
    pub answer: Scroll,
    pub evidence: Scroll,
}

impl Selected {
    pub fn new(key: ClaimKey) -> Self {
        Self {
            key,
            detail: Detail::Loading,
            stakes: Stakes::default(),
            asked: 0,
            visible_since: None,
            stop: 0,
            stops: Vec::new(),
            answer: Scroll::Auto,
            evidence: Scroll::Auto,
        }
    }

    pub fn detail(&self) -> Option<&Arc<ClaimDetail>> {
        match &self.detail {
            Detail::Ready(detail) => Some(detail),
            Detail::Loading | Detail::Error(_) => None,
        }
    }

    /// The piece of evidence that the evidence pane shows.
    pub fn current_stop(&self) -> Option<EvidenceStop> {
        self.stops.get(self.stop).copied()
    }
}

impl EvidenceStop {
    /// Everything there is to look at for `detail`.
    pub fn all(detail: &ClaimDetail) -> Vec<Self> {
        let passages = &detail.record.passages;
        let citations = detail.outcome.judged().map_or(&[][..], |judged| &judged.citations[..]);
        let mut stops: Vec<Self> = citations
            .iter()
            .enumerate()
            .map(|(at, citation)| Self {
                passage: passages.iter().position(|passage| passage.passage_id == citation.passage_id),
                citation: Some(at),
            })
            .collect();
        for at in 0..passages.len() {
            if !stops.iter().any(|stop| stop.passage == Some(at)) {
                stops.push(Self { passage: Some(at), citation: None });
            }
        }
        stops
    }
}

/// How far the claim's detail is.
#[derive(Debug, Clone)]
pub enum Detail {
    Loading,
    Ready(Arc<ClaimDetail>),
    Error(String),
}

/// One piece of evidence to look at: first every citation in the judge's order, then the passages
/// that nothing cites, so that a person can read all the evidence there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvidenceStop {
    /// Index into the record's passages; `None` for a citation of a passage that does not exist.
    pub passage: Option<usize>,
    /// Index into the citations of the claim's outcome.
    pub citation: Option<usize>,
}
