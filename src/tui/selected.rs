//! The claim under the cursor, as far as it was read, and what of it is looked at.
//!
//! Part of the screen's state: plain data, changed only by `update`.

use std::sync::Arc;

use crate::domain::decision::Decided;
use crate::domain::ids::{Annotator, ClaimKey};
use crate::domain::queue::ClaimDetail;
use crate::domain::severity::Stakes;
use crate::domain::verdict::Citation;

use super::cursor::WordCursor;
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
    /// Index into [`Selected::stops`].
    pub stop: usize,
    /// The evidence in force: what this person chose, else what somebody chose last, else the judge's; of a claim
    /// that a person split or merged, the judge's for those in whose place it stands.
    pub citations: Vec<Citation>,
    /// Whose choice that is; `None` for the judge's.
    pub chosen_by: Option<Annotator>,
    /// What `n` and `N` go through.
    pub stops: Vec<EvidenceStop>,
    pub answer: Scroll,
    pub evidence: Scroll,
    /// The ruling that this person made on it elsewhere, in another window, while it was in hand here: it is not
    /// overturned by the next key.
    pub elsewhere: Option<Decided>,
    /// What the mouse goes over while its button is down.
    pub dragged: Option<Dragged>,
}

/// Words of a passage over which the mouse goes while its button is down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dragged {
    /// Index into the record's passages.
    pub passage: usize,
    /// The word at which the button went down, and all that is taken from there.
    pub words: WordCursor,
}

impl Selected {
    pub fn new(key: ClaimKey) -> Self {
        Self {
            key,
            detail: Detail::Loading,
            stakes: Stakes::default(),
            asked: 0,
            stop: 0,
            citations: Vec::new(),
            chosen_by: None,
            stops: Vec::new(),
            answer: Scroll::Auto,
            evidence: Scroll::Auto,
            elsewhere: None,
            dragged: None,
        }
    }

    pub fn detail(&self) -> Option<&Arc<ClaimDetail>> {
        match &self.detail {
            Detail::Ready(detail) => Some(detail),
            Detail::Loading | Detail::Error(_) => None,
        }
    }

    /// Notes a ruling of this person that stands in `detail` and came neither with what was `known` nor by the act
    /// that this window `saved`.
    pub fn came_elsewhere(&mut self, known: Option<&ClaimDetail>, detail: &ClaimDetail, saved: Option<i64>) {
        let seq = |detail: &ClaimDetail| detail.standing.decided.as_ref().map(|decided| decided.seq);
        if let (Some(known), now @ Some(_)) = (known, seq(detail))
            && now != seq(known)
            && now != saved
        {
            self.elsewhere.clone_from(&detail.standing.decided);
        }
    }

    /// Takes in the evidence that is in force for `detail`, and all there is to look at. Where that is another than
    /// before, the first piece of it comes into view.
    pub fn take_evidence(&mut self, detail: &ClaimDetail, annotator: &Annotator) {
        let chosen = |(who, decided): &(Annotator, Decided)| {
            decided.ruling.evidence.clone().map(|evidence| (who.clone(), evidence))
        };
        let before = std::mem::take(&mut self.citations);
        let own = detail.decisions.iter().filter(|(who, _)| who == annotator).find_map(chosen);
        let in_force = own.or_else(|| detail.decisions.iter().rev().find_map(chosen));
        (self.chosen_by, self.citations) = if let Some((who, evidence)) = in_force {
            let record = &detail.record;
            (Some(who), evidence.iter().filter_map(|one| one.citation(record)).collect())
        } else {
            let inherited = detail.inherited.as_ref().map(|inherited| &inherited.citations);
            let citations = detail.outcome.judged().map(|judged| &judged.citations).or(inherited);
            (None, citations.cloned().unwrap_or_default())
        };
        let stops = EvidenceStop::all(detail, &self.citations);
        if before != self.citations || self.stops != stops {
            self.stops = stops;
            self.stop = 0;
            self.evidence = Scroll::Auto;
        }
    }

    /// The piece of evidence that the evidence pane shows.
    pub fn current_stop(&self) -> Option<EvidenceStop> {
        self.stops.get(self.stop).copied()
    }
}

impl EvidenceStop {
    /// Everything there is to look at for `detail` with the evidence `citations`.
    pub fn all(detail: &ClaimDetail, citations: &[Citation]) -> Vec<Self> {
        let passages = &detail.record.passages;
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
