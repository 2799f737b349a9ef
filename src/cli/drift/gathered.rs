//! What came out in two windows, counted by what it is grouped by.

use std::collections::BTreeMap;

use super::Span;
use crate::domain::finding::AuditState;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Score, Severity, Verdict};
use crate::measure::shift::Windows;
use crate::store::{Dated, Store, StoreError};

/// By what claims are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum By {
    All,
    Judge,
    Model,
    Prompt,
    Retrieval,
    Source,
}

impl By {
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Judge => "judge",
            Self::Model => "model",
            Self::Prompt => "prompt",
            Self::Retrieval => "retrieval",
            Self::Source => "source",
        }
    }
}

/// Groups of one kind; what belongs to no other counts together, so that a store with a source for every answer stays small.
const MOST_GROUPS: usize = 2_000;
/// Stretches that the whole time is cut into for the table of times.
pub(super) const STRETCHES: usize = 8;
/// The worst pairs that are named.
const WORST: usize = 20;

/// The measures of one group.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// In the order of the verdicts; the last class has none.
    pub(super) verdicts: Windows,
    /// Of wrong claims: in the order of severities.
    pub(super) severities: Windows,
    /// From 1 to 5.
    pub(super) scores: Windows,
    /// Claims with a verdict before and after.
    pub(super) judged: [u64; 2],
}

impl Group {
    fn new() -> Self {
        Self {
            verdicts: Windows::new(Verdict::ALL.len() + 1),
            severities: Windows::new(Severity::ALL.len()),
            scores: Windows::new(5),
            judged: [0; 2],
        }
    }

    fn add(&mut self, is_later: bool, claim: &Dated, verdict: Option<Verdict>) {
        self.verdicts.add(is_later, verdict.map_or(Verdict::ALL.len(), |verdict| verdict as usize));
        let Some(verdict) = verdict else { return };
        self.judged[usize::from(is_later)] += 1;
        if let Some(severity) = claim.severity.filter(|_| verdict != Verdict::FullySupported) {
            self.severities.add(is_later, severity as usize);
        }
        if let Some(score) = claim.support {
            self.scores.add(is_later, usize::from(score.get()) - 1);
        }
    }
}

/// A claim beside its source.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) claim: Dated,
    pub(super) verdict: Verdict,
}

pub(super) struct Gathered {
    pub(super) span: Span,
    pub(super) groups: BTreeMap<(By, String), Group>,
    /// The judge's confidence before and after.
    pub(super) confidences: [Vec<f64>; 2],
    /// Counts of verdicts of each stretch, in order.
    pub(super) stretches: Vec<(Timestamp, Vec<u64>)>,
    /// Of the later window, the worst first.
    pub(super) worst: Vec<Pair>,
}

impl Gathered {
    pub(super) fn read(store: &Store, span: Span) -> Result<Self, StoreError> {
        let mut gathered = Self {
            span,
            groups: BTreeMap::from([((By::All, String::new()), Group::new())]),
            confidences: [Vec::new(), Vec::new()],
            stretches: stretches(span),
            worst: Vec::new(),
        };
        store.for_each_dated(span.start, span.end, |claim| {
            gathered.add(claim);
            Ok::<_, StoreError>(())
        })?;
        gathered.rank();
        Ok(gathered)
    }

    fn add(&mut self, claim: Dated) {
        let is_later = claim.at >= self.span.middle;
        let verdict = claim.verdict.filter(|_| claim.state == AuditState::Judged);
        let names = [
            (By::All, Some("")),
            (By::Judge, Some(claim.judge.as_str())),
            (By::Model, claim.model.as_deref()),
            (By::Prompt, claim.prompt.as_deref()),
            (By::Retrieval, claim.retrieval.as_deref()),
            (By::Source, claim.source.as_deref()),
        ];
        let is_full = self.groups.len() >= MOST_GROUPS;
        for (by, name) in names {
            let Some(name) = name else { continue };
            let key = (by, name.to_owned());
            let key =
                if is_full && !self.groups.contains_key(&key) { (by, "all others".to_owned()) } else { key };
            self.groups.entry(key).or_insert_with(Group::new).add(is_later, &claim, verdict);
        }
        if let Some(at) = self.stretches.iter().rposition(|(from, _)| *from <= claim.at)
            && let Some((_, counts)) = self.stretches.get_mut(at)
            && let Some(count) =
                counts.get_mut(verdict.map_or(Verdict::ALL.len(), |verdict| verdict as usize))
        {
            *count += 1;
        }
        let Some(verdict) = verdict else { return };
        if let Some(confidence) = claim.confidence {
            self.confidences[usize::from(is_later)].push(confidence);
        }
        let is_wrong = matches!(verdict, Verdict::Unsupported | Verdict::Contradicted);
        if is_later && (is_wrong || claim.support.is_some_and(|score| score.get() <= 2)) {
            self.worst.push(Pair { claim, verdict });
            if self.worst.len() >= WORST * 50 {
                self.rank();
            }
        }
    }

    /// Keeps the worst pairs: the gravest, then those with the least support.
    fn rank(&mut self) {
        self.worst.sort_by_key(|pair| {
            let severity = pair.claim.severity.map_or(0, |severity| severity as usize + 1);
            let support = pair.claim.support.map_or(0, Score::get);
            (
                std::cmp::Reverse(severity),
                support,
                pair.verdict != Verdict::Contradicted,
                pair.claim.id.to_string(),
            )
        });
        self.worst.truncate(WORST);
    }
}

fn stretches(span: Span) -> Vec<(Timestamp, Vec<u64>)> {
    let (start, end) = (span.start.millis(), span.end.millis());
    let length = ((end - start) / STRETCHES as i64).max(1);
    (0..STRETCHES as i64)
        .map(|at| (Timestamp::from_millis(start + at * length), vec![0; Verdict::ALL.len() + 1]))
        .collect()
}
