//! What came out in two windows, counted by what it is grouped by.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Span;
use super::times::{STRETCHES, Stretch, starts};
use crate::domain::finding::AuditState;
use crate::domain::ids::AuditId;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{NoVerdict, Score, Severity, Verdict};
use crate::measure::drift::{WATCH, stability};
use crate::measure::shift::Windows;
use crate::store::{Damaged, Dated, Store, StoreError};

/// By what claims are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, clap::ValueEnum)]
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

    /// Whether it tells what answers are made or judged with: where that is new, what came in before is what it took the
    /// place of.
    pub(super) const fn is_version(self) -> bool {
        matches!(self, Self::Judge | Self::Model | Self::Prompt | Self::Retrieval)
    }
}

/// Groups of one kind; what belongs to no other counts together, so that a store with a source for every answer stays small.
const MOST_GROUPS: usize = 2_000;
/// The worst pairs that are named.
const WORST: usize = 20;

/// The measures of one group.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// In the order of the verdicts, of the claims that have one.
    pub(super) verdicts: Windows,
    /// With a verdict, without one.
    pub(super) absences: Windows,
    /// Of wrong claims: in the order of severities.
    pub(super) severities: Windows,
    /// Of claims that have a verdict: not wrong, then wrong in the order of severities. Wrong claims are few, all are many.
    pub(super) grave: Windows,
    /// How directly the evidence bears the claims out, from 1 to 5.
    pub(super) scores: Windows,
    /// The same of claim–source pairs, which somebody chose to have scored: they are no share of what comes in.
    pub(super) pairs: Windows,
    /// Of claims and of pairs: how many each judge was asked before and after.
    judges: [BTreeMap<String, [u64; 2]>; 2],
    /// What came out over time.
    pub(super) stretches: Vec<Stretch>,
}

impl Group {
    fn new() -> Self {
        Self {
            verdicts: Windows::new(Verdict::ALL.len()),
            absences: Windows::new(2),
            severities: Windows::new(Severity::ALL.len()),
            grave: Windows::new(Severity::ALL.len() + 1),
            scores: Windows::new(5),
            pairs: Windows::new(5),
            judges: [BTreeMap::new(), BTreeMap::new()],
            stretches: vec![Stretch::default(); STRETCHES],
        }
    }

    fn add(&mut self, is_later: bool, answer: u64, claim: &Dated, verdict: Option<Verdict>) {
        let judges = &mut self.judges[usize::from(claim.is_pair)];
        match judges.get_mut(&claim.judge) {
            Some(asked) => asked[usize::from(is_later)] += 1,
            None => {
                judges.insert(claim.judge.clone(), [u64::from(!is_later), u64::from(is_later)]);
            }
        }
        if let Some(score) = claim.support.filter(|_| verdict.is_some()) {
            let scores = if claim.is_pair { &mut self.pairs } else { &mut self.scores };
            scores.add(is_later, answer, usize::from(score.get()) - 1);
        }
        if claim.is_pair {
            return;
        }
        self.absences.add(is_later, answer, usize::from(verdict.is_none()));
        let Some(verdict) = verdict else { return };
        self.verdicts.add(is_later, answer, verdict as usize);
        let severity = claim.severity.filter(|_| is_wrong(verdict));
        self.grave.add(is_later, answer, severity.map_or(0, |severity| severity as usize + 1));
        if let Some(severity) = severity {
            self.severities.add(is_later, answer, severity as usize);
        }
    }

    /// Whether other judges, or the same by another prompt, say what is said of this group's claims (or pairs) lately
    /// than said it of those of `before`.
    pub(super) fn is_judged_by_others_than(&self, before: &Self, are_pairs: bool) -> bool {
        let at = usize::from(are_pairs);
        let (earlier, later) = (&before.judges[at], &self.judges[at]);
        let names: BTreeSet<&String> = earlier.keys().chain(later.keys()).collect();
        let asked = |judges: &BTreeMap<String, [u64; 2]>, window: usize| -> Vec<u64> {
            names.iter().map(|name| judges.get(*name).map_or(0, |asked| asked[window])).collect()
        };
        stability(&asked(earlier, 0), &asked(later, 1)).psi.value().is_some_and(|index| index > WATCH)
    }
}

/// A claim beside its source.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) claim: Dated,
    pub(super) verdict: Verdict,
    /// How many claims have these words, this verdict and this severity.
    pub(super) times: u64,
}

pub(super) struct Gathered {
    pub(super) span: Span,
    pub(super) groups: BTreeMap<(By, String), Group>,
    /// The judge's confidence before and after.
    pub(super) confidences: [Vec<f64>; 2],
    /// When each stretch begins, in order.
    pub(super) starts: Vec<Timestamp>,
    /// Of the later window, the worst first.
    pub(super) worst: Vec<Pair>,
    /// How often each was said, by a hash of it.
    said: HashMap<u64, u64>,
    /// Claims that cannot be read, and the first of them.
    pub(super) damaged: u64,
    pub(super) first_damaged: Option<Damaged>,
    /// Answers so far, and the one that is being read: claims come answer by answer.
    answers: u64,
    answer: Option<AuditId>,
}

impl Gathered {
    pub(super) fn read(store: &Store, span: Span) -> Result<Self, StoreError> {
        let mut gathered = Self {
            span,
            groups: BTreeMap::from([((By::All, String::new()), Group::new())]),
            confidences: [Vec::new(), Vec::new()],
            starts: starts(span),
            worst: Vec::new(),
            said: HashMap::new(),
            damaged: 0,
            first_damaged: None,
            answers: 0,
            answer: None,
        };
        store.for_each_dated(span.start, span.end, |read| {
            match read {
                Ok(claim) => gathered.add(claim),
                Err(damaged) => {
                    gathered.damaged += 1;
                    gathered.first_damaged.get_or_insert(damaged);
                }
            }
            Ok::<_, StoreError>(())
        })?;
        gathered.rank();
        Ok(gathered)
    }

    /// All claims together.
    pub(super) fn all(&self) -> Option<&Group> {
        self.groups.get(&(By::All, String::new()))
    }

    fn add(&mut self, claim: Dated) {
        // An answer that makes no claim: there is nothing in it that could have a verdict.
        if claim.state == AuditState::NoVerdict(NoVerdict::NoClaims) {
            return;
        }
        let is_later = claim.at >= self.span.middle;
        if self.answer.as_ref() != Some(claim.id.audit_id()) {
            self.answers += 1;
            self.answer = Some(claim.id.audit_id().clone());
        }
        let answer = self.answers;
        let verdict = claim.verdict.filter(|_| claim.state == AuditState::Judged);
        let names = [
            (By::All, Some("")),
            (By::Judge, Some(claim.judge.as_str())),
            (By::Model, claim.model.as_deref()),
            (By::Prompt, claim.prompt.as_deref()),
            (By::Retrieval, claim.retrieval.as_deref()),
            (By::Source, claim.source.as_deref()),
        ];
        let stretch = self.starts.iter().rposition(|from| *from <= claim.at);
        let is_full = self.groups.len() >= MOST_GROUPS;
        for (by, name) in names {
            let Some(name) = name else { continue };
            let key = (by, name.to_owned());
            let key =
                if is_full && !self.groups.contains_key(&key) { (by, "all others".to_owned()) } else { key };
            let group = self.groups.entry(key).or_insert_with(Group::new);
            group.add(is_later, answer, &claim, verdict);
            if let Some(stretch) = stretch.and_then(|at| group.stretches.get_mut(at)) {
                stretch.add(&claim, verdict);
            }
        }
        let Some(verdict) = verdict else { return };
        if let Some(confidence) = claim.confidence {
            self.confidences[usize::from(is_later)].push(confidence);
        }
        if is_later && (is_wrong(verdict) || claim.support.is_some_and(|score| score.get() <= 2)) {
            *self.said.entry(saying(&claim, verdict)).or_default() += 1;
            self.worst.push(Pair { claim, verdict, times: 1 });
            if self.worst.len() >= WORST * 50 {
                self.rank();
            }
        }
    }

    /// Keeps the worst pairs: the gravest, then those with the least support; of those that say the same the first.
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
        let mut kept = HashSet::new();
        self.worst.retain(|pair| kept.len() < WORST && kept.insert(saying(&pair.claim, pair.verdict)));
        for pair in &mut self.worst {
            pair.times = self.said.get(&saying(&pair.claim, pair.verdict)).copied().unwrap_or(1);
        }
    }
}

/// A hash of what a claim says, and of what is said of it.
fn saying(claim: &Dated, verdict: Verdict) -> u64 {
    let mut hasher = DefaultHasher::new();
    claim.claim_text.split_whitespace().for_each(|word| word.hash(&mut hasher));
    (verdict as usize, claim.severity.map(|severity| severity as usize)).hash(&mut hasher);
    hasher.finish()
}

pub(super) const fn is_wrong(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Unsupported | Verdict::Contradicted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{AuditId, ClaimId};
    use crate::measure::shift::{Alarm, Bounds, Shift};

    fn claim(verdict: Option<Verdict>, severity: Option<Severity>) -> Dated {
        Dated {
            id: ClaimId::new(AuditId::new("rx-1"), 1),
            at: Timestamp::from_millis(0),
            claim_text: "Take 8 g.".into(),
            state: AuditState::Judged,
            verdict,
            severity,
            confidence: None,
            support: None,
            judge: "local".into(),
            model: None,
            prompt: None,
            retrieval: None,
            source: None,
            is_pair: false,
        }
    }

    fn fill(group: &mut Group, is_later: bool, without: usize, wrong: usize) {
        for at in 0..1000 {
            let verdict = match at {
                at if at < without => None,
                at if at < without + wrong => Some(Verdict::Contradicted),
                _ => Some(Verdict::FullySupported),
            };
            group.add(is_later, at as u64, &claim(verdict, None), verdict);
        }
    }

    #[test]
    fn the_share_of_wrong_claims_is_of_those_with_a_verdict() {
        let mut group = Group::new();
        fill(&mut group, false, 50, 95);
        fill(&mut group, true, 150, 136);
        let shift =
            Shift::of(&group.verdicts, &[Verdict::Unsupported as usize, Verdict::Contradicted as usize]);
        assert!((shift.bad_before.value().unwrap() - 0.1).abs() < 1e-9, "{shift:?}");
        assert!((shift.bad_after.value().unwrap() - 0.16).abs() < 1e-9, "{shift:?}");
        assert_eq!(shift.alarm(Bounds { max_rise: 0.05, level: 0.01 / 8.0 }, true), Alarm::Fall);
        assert_eq!(group.absences.after, [850, 150], "what has no verdict is looked at by itself");
    }

    #[test]
    fn severities_are_of_wrong_claims_and_pairs_are_only_scored() {
        let mut group = Group::new();
        let partly = Some(Verdict::PartiallySupported);
        group.add(true, 2, &claim(partly, Some(Severity::High)), partly);
        assert_eq!((&group.severities.after, &group.grave.after), (&vec![0; 4], &vec![1, 0, 0, 0, 0]));
        let wrong = Some(Verdict::Unsupported);
        let pair = Dated { is_pair: true, support: Score::new(1), ..claim(wrong, Some(Severity::High)) };
        group.add(true, 3, &pair, wrong);
        assert_eq!((group.severities.after.iter().sum::<u64>(), group.verdicts.after[2]), (0, 0));
        assert_eq!((group.pairs.after.as_slice(), group.scores.units()), (&[1, 0, 0, 0, 0][..], [0, 0]));
    }
    #[test]
    fn a_judge_has_changed_where_the_judges_of_the_windows_are_not_the_same() {
        let mut group = Group::new();
        let mut asked = |is_later, judge: &str, times: u64, is_pair| {
            let claim = Dated { judge: judge.to_owned(), is_pair, ..claim(None, None) };
            (0..times).for_each(|answer| group.add(is_later, answer, &claim, None));
        };
        asked(false, "one", 500, false);
        asked(true, "one", 500, false);
        asked(true, "two", 5, false);
        asked(false, "one", 50, true);
        asked(true, "two", 50, true);
        let changed = [false, true].map(|are_pairs| group.is_judged_by_others_than(&group, are_pairs));
        assert_eq!(changed, [false, true], "five of five hundred do not make another judge");
    }
}
