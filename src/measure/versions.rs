//! Two versions of the same answers over all items: pooled counts, rates and their change, what is new.

use std::cmp::Ordering;

use super::bootstrap::{PairedItem, PairedRates, Resampling, paired_rates};
use super::estimate::Estimate;
use super::likeness::Words;
use super::mcnemar::{McNemar, mcnemar};
use super::proportion::wilson;
use crate::domain::comparison::{Analysis, ComparedClaim, Comparison, Status};
use crate::domain::finding::AuditState;
use crate::domain::verdict::{HallucinationType, Severity};

/// One side's claims of all items.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Claims, with a verdict or without.
    pub claims: u64,
    pub supported: u64,
    pub unsupported: u64,
    pub contradicted: u64,
    pub out_of_scope: u64,
    /// Wrong claims of each severity, in the order of [`Severity::ALL`].
    pub wrong_by_severity: [u64; Severity::ALL.len()],
    /// Wrong claims of each type, in the order of [`HallucinationType::ALL`].
    pub wrong_by_type: [u64; HallucinationType::ALL.len()],
    /// Claims whose label rests on no words that stand in a document, and those that cite what does not bear them out.
    pub attribution_gaps: u64,
    /// Items with a wrong claim.
    pub items_wrong: u64,
}

impl Counts {
    fn add(&mut self, analysis: &Analysis) {
        self.claims += analysis.claims.len() as u64;
        self.supported += analysis.supported as u64;
        self.unsupported += analysis.unsupported as u64;
        self.contradicted += analysis.contradicted as u64;
        self.out_of_scope += analysis.out_of_scope as u64;
        self.items_wrong += u64::from(is_wrong(analysis));
        for claim in &analysis.claims {
            let is_citation_error = claim.hallucination_type == Some(HallucinationType::CitationError);
            self.attribution_gaps += u64::from(claim.state == AuditState::Ungrounded || is_citation_error);
            if claim.counted().is_some_and(Status::is_wrong) {
                if let Some(severity) = claim.severity {
                    self.wrong_by_severity[severity as usize] += 1;
                }
                if let Some(kind) = claim.hallucination_type {
                    self.wrong_by_type[kind as usize] += 1;
                }
            }
        }
    }

    /// Claims with a verdict.
    pub fn judged(&self) -> u64 {
        self.supported + self.unsupported + self.contradicted + self.out_of_scope
    }

    pub fn wrong(&self) -> u64 {
        self.unsupported + self.contradicted
    }

    /// Wrong claims of exactly this severity.
    pub fn of_severity(&self, severity: Severity) -> u64 {
        self.wrong_by_severity[severity as usize]
    }

    /// Share of the claims that have a verdict, 0 to 1; `None` without claims.
    pub fn coverage(&self) -> Option<f64> {
        (self.claims > 0).then(|| self.judged() as f64 / self.claims as f64)
    }
}

/// What the versions come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Versions {
    /// Items that are compared.
    pub items: u64,
    pub baseline: Counts,
    pub candidate: Counts,
    /// Wrong claims among those with a verdict, over all items, and the change; intervals by item.
    pub rates: PairedRates,
    /// Items with a wrong claim on one side only: the first is the baseline.
    pub items_apart: McNemar,
    /// Share of the items with a wrong claim, of each side.
    pub baseline_items_wrong: Estimate,
    pub candidate_items_wrong: Estimate,
    /// Types of wrong claims that only the candidate shows.
    pub new_types: Vec<HallucinationType>,
}

impl Versions {
    /// Adds up `comparisons`, one an item; their order does not matter.
    pub fn of<'c>(comparisons: impl IntoIterator<Item = &'c Comparison>) -> Self {
        let (mut baseline, mut candidate) = (Counts::default(), Counts::default());
        let (mut only_baseline, mut only_candidate) = (0, 0);
        let mut items = Vec::new();
        for comparison in comparisons {
            baseline.add(&comparison.baseline);
            candidate.add(&comparison.candidate);
            let wrong = (is_wrong(&comparison.baseline), is_wrong(&comparison.candidate));
            only_baseline += u64::from(wrong == (true, false));
            only_candidate += u64::from(wrong == (false, true));
            items.push(PairedItem {
                baseline_wrong: wrong_of(&comparison.baseline),
                baseline_claims: small(comparison.baseline.judged()),
                candidate_wrong: wrong_of(&comparison.candidate),
                candidate_claims: small(comparison.candidate.judged()),
            });
        }
        let shows = |counts: &Counts, kind: HallucinationType| counts.wrong_by_type[kind as usize] > 0;
        let new = |kind: &HallucinationType| shows(&candidate, *kind) && !shows(&baseline, *kind);
        let n = items.len() as u64;
        Self {
            items: n,
            rates: paired_rates(&items, Resampling::default()),
            items_apart: mcnemar(only_baseline, only_candidate),
            baseline_items_wrong: wilson(baseline.items_wrong, n),
            candidate_items_wrong: wilson(candidate.items_wrong, n),
            new_types: HallucinationType::ALL.iter().copied().filter(new).collect(),
            baseline,
            candidate,
        }
    }

    /// Whether chance alone is an unlikely reason for the change: both the test by items and the interval say so, and
    /// both say the same of it.
    pub fn is_certain(&self) -> bool {
        let interval = self.rates.change.interval();
        self.items_apart.p < CHANCE
            && match self.direction_by_items() {
                Ordering::Greater => interval.is_some_and(|it| it.low > 0.0),
                Ordering::Less => interval.is_some_and(|it| it.high < 0.0),
                Ordering::Equal => false,
            }
    }

    /// What items say against the rate, where chance alone hardly does that: more of them have a wrong claim
    /// ([`Ordering::Greater`]) though the rate does not rise, or fewer though it does not fall. The rate pools claims, and
    /// a version that makes more claims has another one.
    pub fn contrary(&self) -> Option<Ordering> {
        let by_items = self.direction_by_items();
        let by_rate = self.rates.change.value()?.partial_cmp(&0.0)?;
        (self.items_apart.p < CHANCE && by_items != by_rate).then_some(by_items)
    }

    /// Greater means worse: of the items that tell the versions apart, more are wrong with the candidate.
    fn direction_by_items(&self) -> Ordering {
        self.items_apart.only_second.cmp(&self.items_apart.only_first)
    }
}

/// What is less probable than this is no chance.
const CHANCE: f64 = 0.05;

fn is_wrong(analysis: &Analysis) -> bool {
    analysis.unsupported + analysis.contradicted > 0
}

fn wrong_of(analysis: &Analysis) -> u32 {
    small(analysis.unsupported + analysis.contradicted)
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A wrong claim of the candidate that the baseline did not make, or not wrongly, or not as gravely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewlyWrong<'c> {
    pub claim: &'c ComparedClaim,
    /// What the baseline says that is most like it; `None` when nothing is.
    pub before: Option<&'c ComparedClaim>,
}

/// From here on two claims say the same, if their numbers are the same.
const SAME: f64 = 0.8;
/// From here on they are about the same.
const ALIKE: f64 = 0.4;

/// The wrong claims of the candidate that are new, in their order.
pub fn newly_wrong(comparison: &Comparison) -> Vec<NewlyWrong<'_>> {
    let before: Vec<(&ComparedClaim, Words)> =
        comparison.baseline.claims.iter().map(|claim| (claim, Words::of(&claim.claim_text))).collect();
    let is_wrong = |claim: &&ComparedClaim| claim.counted().is_some_and(Status::is_wrong);
    let wrong = comparison.candidate.claims.iter().filter(is_wrong);
    wrong
        .filter_map(|claim| {
            let words = Words::of(&claim.claim_text);
            let said = |other: &Words, text: &str| {
                text == claim.claim_text
                    || words.likeness(other).is_some_and(|it| it >= SAME) && words.has_same_numbers(other)
            };
            let as_bad = |other: &ComparedClaim| badness(other) >= badness(claim);
            if before
                .iter()
                .any(|(other, their)| is_wrong(other) && as_bad(other) && said(their, &other.claim_text))
            {
                return None;
            }
            let likeness = |their: &Words| words.likeness(their).unwrap_or(0.0);
            let nearest =
                before.iter().max_by(|(_, one), (_, other)| likeness(one).total_cmp(&likeness(other)));
            let before = nearest.filter(|(_, their)| likeness(their) >= ALIKE).map(|(claim, _)| *claim);
            Some(NewlyWrong { claim, before })
        })
        .collect()
}

/// How bad a wrong claim is: contradicted is worse than not borne out, then severity counts.
fn badness(claim: &ComparedClaim) -> (bool, Option<Severity>) {
    (claim.counted() == Some(Status::Contradicted), claim.severity)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn claim(text: &str, status: Status, severity: Option<Severity>) -> ComparedClaim {
        ComparedClaim {
            claim_id: "c1".into(),
            claim_text: text.into(),
            answer_span: None,
            status: Some(status),
            state: AuditState::Judged,
            hallucination_type: status.is_wrong().then_some(HallucinationType::Fabrication),
            severity,
            confidence: None,
            citation: None,
            remark: String::new(),
        }
    }

    fn item(baseline: Vec<ComparedClaim>, candidate: Vec<ComparedClaim>) -> Comparison {
        Comparison::of(baseline, candidate, None, Vec::new())
    }

    /// So many claims, the first of them wrong.
    fn side(claims: usize, wrong: usize) -> Vec<ComparedClaim> {
        let status = |n| if n < wrong { Status::Unsupported } else { Status::Supported };
        let severity = |n| (n < wrong).then_some(Severity::High);
        (0..claims).map(|n| claim(&format!("it is {n}"), status(n), severity(n))).collect()
    }

    fn one(wrong_before: bool, wrong_after: bool) -> Comparison {
        let side = |wrong: bool| {
            let status = if wrong { Status::Unsupported } else { Status::Supported };
            vec![claim("it is so", status, wrong.then_some(Severity::High))]
        };
        item(side(wrong_before), side(wrong_after))
    }

    #[test]
    fn twenty_against_ten_of_two_hundred_is_not_certain() {
        let mut items = vec![one(false, true); 20];
        items.extend(vec![one(true, false); 10]);
        items.extend(vec![one(false, false); 170]);
        let versions = Versions::of(&items);
        assert!((versions.items_apart.p - 0.0987).abs() < 5e-5, "{}", versions.items_apart.p);
        assert!((versions.rates.change.value().unwrap() - 0.05).abs() < 1e-12);
        let interval = versions.rates.change.interval().unwrap();
        assert!((interval.low + 0.005).abs() < 1e-9 && (interval.high - 0.105).abs() < 1e-9);
        assert!(!versions.is_certain());
        items.reverse();
        assert_eq!(Versions::of(&items), versions, "the order does not matter");
    }

    fn swapped(compared: &[Comparison]) -> Vec<Comparison> {
        let swapped = compared.iter().map(|one| Comparison {
            baseline: one.candidate.clone(),
            candidate: one.baseline.clone(),
            ..one.clone()
        });
        swapped.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn neither_the_order_of_the_items_nor_which_side_is_which_changes_what_is_known(
            (items, other) in prop::collection::vec((0..4_usize, 1..5_usize, 0..4_usize, 1..5_usize), 1..40)
                .prop_flat_map(|items| (Just(items.clone()), Just(items).prop_shuffle())),
        ) {
            let compared = |items: &[(usize, usize, usize, usize)]| -> Vec<Comparison> {
                let one = |&(wrong, claims, wrong_after, after): &_| {
                    item(side(claims, wrong), side(after, wrong_after))
                };
                items.iter().map(one).collect()
            };
            let compared = [compared(&items), compared(&other)];
            let [versions, shuffled] = compared.each_ref().map(Versions::of);
            prop_assert_eq!(&versions, &shuffled);
            let turned = Versions::of(&swapped(&compared[0]));
            prop_assert_eq!(turned.is_certain(), versions.is_certain());
            prop_assert_eq!(turned.contrary(), versions.contrary().map(Ordering::reverse));
            prop_assert!(!versions.is_certain() || versions.contrary().is_none());
        }
    }

    #[test]
    fn a_rate_that_falls_while_items_get_worse_is_not_certain() {
        let items = |(before, after): (usize, usize)| -> Vec<Comparison> {
            let item = |n: usize| item(side(before, usize::from(n < 30)), side(after, usize::from(n < 60)));
            (0..100).map(item).collect()
        };
        // From 30 of 100 claims to 60 of 1,000, and 30 items more have a wrong one.
        let compared = items((1, 10));
        let versions = Versions::of(&compared);
        assert!(versions.rates.change.value().unwrap() < -0.2 && versions.items_apart.p < 1e-8);
        assert!(!versions.rates.change.interval().unwrap().contains(0.0));
        assert!(!versions.is_certain());
        assert_eq!(versions.contrary(), Some(Ordering::Greater));
        let swapped = Versions::of(&swapped(&compared));
        assert_eq!((swapped.is_certain(), swapped.contrary()), (false, Some(Ordering::Less)));
        // As many claims on both sides: both say the same.
        let versions = Versions::of(&items((2, 2)));
        assert_eq!((versions.is_certain(), versions.contrary()), (true, None));
    }

    #[test]
    fn rates_are_pooled_and_severity_is_told() {
        let versions = Versions::of(&[
            item(
                vec![claim("a", Status::Supported, None), claim("b", Status::OutOfScope, None)],
                vec![
                    claim("c", Status::Contradicted, Some(Severity::Critical)),
                    claim("d", Status::Supported, None),
                ],
            ),
            one(true, true),
        ]);
        assert_eq!((versions.baseline.judged(), versions.baseline.wrong()), (3, 1));
        assert_eq!(versions.candidate.of_severity(Severity::Critical), 1);
        assert_eq!((versions.items_apart.only_first, versions.items_apart.only_second), (0, 1));
        assert_eq!(versions.new_types, []);
        assert_eq!(Versions::of(&[one(false, true)]).new_types, [HallucinationType::Fabrication]);
    }

    #[test]
    fn nothing_is_compared_and_nothing_breaks() {
        let versions = Versions::of(&[]);
        assert_eq!((versions.rates.change.value(), versions.is_certain()), (None, false));
        assert!(versions.candidate_items_wrong.undefined_because().is_some());
    }

    #[test]
    fn what_was_wrong_before_is_not_new_and_another_number_is() {
        let supported = |text| claim(text, Status::Supported, None);
        let wrong = |text| claim(text, Status::Contradicted, Some(Severity::High));
        let compared = item(
            vec![wrong("The daily dose is 8 g for adults."), supported("It lowers a fever in adults.")],
            vec![
                wrong("The daily dose is 8 g for all adults."),
                wrong("The daily dose is 9 g for adults."),
                wrong("It raises a fever in adults."),
                wrong("Norway sold ibuprofen first."),
            ],
        );
        let new: Vec<_> = newly_wrong(&compared)
            .iter()
            .map(|new| (new.claim.claim_text.as_str(), new.before.map(|before| before.claim_text.as_str())))
            .collect();
        assert_eq!(
            new,
            [
                ("The daily dose is 9 g for adults.", Some("The daily dose is 8 g for adults.")),
                ("It raises a fever in adults.", Some("It lowers a fever in adults.")),
                ("Norway sold ibuprofen first.", None),
            ]
        );
    }

    #[test]
    fn what_becomes_worse_is_newly_wrong() {
        let before = claim("Adults may take 8 g.", Status::Unsupported, Some(Severity::Medium));
        let same = item(vec![before.clone()], vec![before.clone()]);
        assert_eq!(newly_wrong(&same).len(), 0);
        for worse in [
            claim("Adults may take 8 g.", Status::Contradicted, Some(Severity::Medium)),
            claim("Adults may take 8 g.", Status::Unsupported, Some(Severity::Critical)),
        ] {
            let found = item(vec![before.clone()], vec![worse]);
            assert_eq!(newly_wrong(&found).len(), 1);
            assert_eq!(newly_wrong(&found)[0].before, Some(&found.baseline.claims[0]));
        }
    }
}
