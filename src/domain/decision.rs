//! What people decide about claims and answers, and how a person's acts add up to where they stand.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::blind::{Blind, Sight};
use super::event::{Act, Event, Seen};
use super::evidence::ChosenSpan;
use super::finding::Outcome;
use super::ids::Annotator;
use super::severity::{Stakes, hallucination_type, severity};
use super::time::Timestamp;
use super::verdict::{HallucinationType, Score, Severity, Verdict, labels};

labels! {
    /// A person's verdict: the judge's four, that the evidence does not let anyone say, or that there is nothing
    /// to check.
    HumanVerdict: "verdict" {
        FullySupported = "FULLY_SUPPORTED" | "SUPPORTED" | "FULLY",
        PartiallySupported = "PARTIALLY_SUPPORTED" | "PARTIAL" | "PARTIALLY" | "PARTLY_SUPPORTED",
        Unsupported = "UNSUPPORTED" | "NOT_SUPPORTED",
        Contradicted = "CONTRADICTED" | "REFUTED",
        CannotJudge = "CANNOT_JUDGE",
        /// There is nothing to check in it: a question, an opinion, a fragment.
        NotAClaim = "NOT_A_CLAIM" | "NO_CLAIM",
    }
}

impl HumanVerdict {
    /// The judge's verdict of the same name; `None` for `CANNOT_JUDGE` and `NOT_A_CLAIM`.
    pub fn as_verdict(self) -> Option<Verdict> {
        match self {
            Self::FullySupported => Some(Verdict::FullySupported),
            Self::PartiallySupported => Some(Verdict::PartiallySupported),
            Self::Unsupported => Some(Verdict::Unsupported),
            Self::Contradicted => Some(Verdict::Contradicted),
            Self::CannotJudge | Self::NotAClaim => None,
        }
    }

    /// Whether a severity and a type can stand beside it: whether it says that something is wrong.
    pub fn can_be_graded(self) -> bool {
        !matches!(self, Self::FullySupported | Self::CannotJudge | Self::NotAClaim)
    }

    /// Whether the evidence carries the claim not at all or in part by it, or nobody can tell.
    pub fn lacks_support(self) -> bool {
        !matches!(self, Self::FullySupported | Self::NotAClaim)
    }
}

impl From<Verdict> for HumanVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::FullySupported => Self::FullySupported,
            Verdict::PartiallySupported => Self::PartiallySupported,
            Verdict::Unsupported => Self::Unsupported,
            Verdict::Contradicted => Self::Contradicted,
        }
    }
}

labels! {
    /// Why a person decided so: one letter after `r`.
    ReasonCode: "reason code" {
        NumberWrong = "NUMBER_WRONG",
        DateWrong = "DATE_WRONG",
        NameWrong = "NAME_WRONG",
        NegationMissed = "NEGATION_MISSED",
        ConditionOmitted = "CONDITION_OMITTED",
        OverGeneral = "OVER_GENERAL",
        ParaphraseFine = "PARAPHRASE_FINE",
        EvidenceElsewhere = "EVIDENCE_ELSEWHERE",
        NoEvidence = "NO_EVIDENCE",
        SpanWrong = "SPAN_WRONG",
        Ambiguous = "AMBIGUOUS",
        Other = "OTHER",
    }
}

impl ReasonCode {
    /// The key that chooses this code, unique among all codes.
    pub const fn key(self) -> char {
        match self {
            Self::NumberWrong => 'n',
            Self::DateWrong => 'd',
            Self::NameWrong => 'w',
            Self::NegationMissed => 'g',
            Self::ConditionOmitted => 'o',
            Self::OverGeneral => 'v',
            Self::ParaphraseFine => 'p',
            Self::EvidenceElsewhere => 'e',
            Self::NoEvidence => 'm',
            Self::SpanWrong => 's',
            Self::Ambiguous => 'a',
            Self::Other => 'x',
        }
    }

    /// The code in plain words.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NumberWrong => "a number differs",
            Self::DateWrong => "a date differs",
            Self::NameWrong => "a name or role differs",
            Self::NegationMissed => "a negation was missed",
            Self::ConditionOmitted => "a condition was left out",
            Self::OverGeneral => "goes beyond the evidence",
            Self::ParaphraseFine => "same meaning, other words",
            Self::EvidenceElsewhere => "evidence stands elsewhere",
            Self::NoEvidence => "no evidence for it",
            Self::SpanWrong => "the marked span is wrong",
            Self::Ambiguous => "can be read in two ways",
            Self::Other => "other",
        }
    }
}

labels! {
    /// What is to happen to an answer once its routed claims are decided.
    Disposition: "disposition" {
        Release = "RELEASE",
        Return = "RETURN",
        Block = "BLOCK",
    }
}

/// Who acts, from where. Recorded with every event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    pub annotator: Annotator,
    pub os_user: String,
    pub host: String,
    /// Program name and version.
    pub program: String,
}

/// The value a decision gives to a claim: recorded whole, so that the event alone says what was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    pub verdict: HumanVerdict,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hallucination_type: Option<HallucinationType>,
    /// Of a claim–source pair: the score, of which `verdict` follows by [`Score::verdict`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The evidence that the person chose in place of the judge's; empty where they say that there is none,
    /// `None` where they chose none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<ChosenSpan>>,
}

impl Ruling {
    /// `verdict` and nothing else.
    pub const fn only(verdict: HumanVerdict) -> Self {
        Self { verdict, severity: None, hallucination_type: None, score: None, evidence: None }
    }

    /// The ruling that `verdict` stands for when a person names no severity and no type: the judge's own
    /// where it is the judge's verdict, else what the table of [`mod@super::severity`] says. Whoever rules
    /// otherwise than the judge takes nothing of how bad the judge found it.
    ///
    /// Nothing is wrong with a supported claim, and nothing can be said of one that cannot be judged.
    pub fn proposed(verdict: HumanVerdict, outcome: &Outcome, stakes: Stakes) -> Self {
        let Some(ruled) = verdict.as_verdict().filter(|_| verdict.can_be_graded()) else {
            return Self::only(verdict);
        };
        let same = outcome.judged().filter(|judged| judged.verdict == ruled);
        Self {
            verdict,
            severity: same.and_then(|judged| judged.severity).or_else(|| severity(ruled, stakes)),
            hallucination_type: same
                .map_or_else(|| hallucination_type(ruled), |judged| judged.hallucination_type),
            score: None,
            evidence: None,
        }
    }

    /// What was ruled, in words: the verdict, or the score with its level.
    pub fn said(&self) -> String {
        match self.score {
            Some(score) => format!("{}/5 {}", score.get(), score.level()),
            None => self.verdict.label().to_owned(),
        }
    }

    /// The same for a claim–source pair that a person gives `score`.
    pub fn scored(score: Score, outcome: &Outcome, stakes: Stakes) -> Self {
        Self { score: Some(score), ..Self::proposed(score.verdict().into(), outcome, stakes) }
    }
}

/// The longest note, in bytes. Longer text belongs in a document.
pub const MAX_NOTE: usize = 64 * 1024;

/// The longest name of a person or a role, in bytes.
pub const MAX_ADDRESSEE: usize = 120;

/// What an annotator asks for. The store turns it into an event, or refuses with a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The judge is right.
    Confirm,
    /// The person rules otherwise, or on other evidence. Equal to the judge's own ruling, and without evidence of
    /// the person's own, it is recorded as a confirmation.
    Override(Ruling),
    /// A verdict without having been shown the judge's. It is no decision yet: that is the confirmation or the
    /// override that comes after the judge was shown.
    Blind {
        ruling: Ruling,
        /// How many people may give the claim a blind verdict.
        overlap: u8,
    },
    /// A note on the claim; free text, never empty, at most [`MAX_NOTE`] bytes.
    Annotate { note: String },
    /// Attaches a reason to the person's standing decision on the claim.
    GiveReason(ReasonCode),
    /// To the end of this person's queue, or back from there.
    Skip(bool),
    /// For adjudication, or no longer: whatever flag of this person stands is taken off.
    Flag(bool),
    /// A flag that says what the matter is, and to whom. Stands until it is taken off like any flag.
    Escalate {
        /// Never empty, at most [`MAX_NOTE`] bytes.
        note: String,
        /// A person or a role, at most [`MAX_ADDRESSEE`] bytes; `None` is nobody in particular.
        to: Option<String>,
    },
    /// Out of this person's queue until then; a later one replaces it.
    Defer { until: Timestamp },
    /// Back into this person's queue at once.
    Resume,
}

impl Request {
    /// What a person asks for who rules `verdict`: the judge's own, with nothing else named, is a
    /// confirmation. What is not named is as in [`Ruling::proposed`].
    pub fn rule(
        verdict: HumanVerdict,
        severity: Option<Severity>,
        hallucination_type: Option<HallucinationType>,
        outcome: &Outcome,
        stakes: Stakes,
    ) -> Self {
        let names_more = severity.is_some() || hallucination_type.is_some();
        match outcome {
            Outcome::Judged(judged) if !names_more && verdict.as_verdict() == Some(judged.verdict) => {
                Self::Confirm
            }
            _ => {
                let proposed = Ruling::proposed(verdict, outcome, stakes);
                Self::Override(Ruling {
                    severity: severity.or(proposed.severity),
                    hallucination_type: hallucination_type.or(proposed.hallucination_type),
                    ..proposed
                })
            }
        }
    }

    /// The same for the score of a claim–source pair: the judge's own is a confirmation.
    pub fn score(score: Score, outcome: &Outcome, stakes: Stakes) -> Self {
        match outcome {
            Outcome::Judged(judged) if judged.support == Some(score) => Self::Confirm,
            _ => Self::Override(Ruling::scored(score, outcome, stakes)),
        }
    }
}

impl Request {
    /// What a person asks for who keeps a verdict that they committed blindly. What they left open is as in
    /// [`Request::rule`]; evidence of their own makes it an override.
    pub fn keep(first: &Ruling, outcome: &Outcome, stakes: Stakes) -> Self {
        if let Some(score) = first.score {
            let says_more =
                first.severity.is_some() || first.hallucination_type.is_some() || first.evidence.is_some();
            let proposed = Ruling::scored(score, outcome, stakes);
            return match Self::score(score, outcome, stakes) {
                Self::Confirm if !says_more => Self::Confirm,
                _ => Self::Override(Ruling {
                    severity: first.severity.or(proposed.severity),
                    hallucination_type: first.hallucination_type.or(proposed.hallucination_type),
                    evidence: first.evidence.clone(),
                    ..proposed
                }),
            };
        }
        match Self::rule(first.verdict, first.severity, first.hallucination_type, outcome, stakes) {
            Self::Override(ruling) => Self::Override(Ruling { evidence: first.evidence.clone(), ..ruling }),
            _ if first.evidence.is_some() => Self::Override(Ruling {
                evidence: first.evidence.clone(),
                ..Ruling::proposed(first.verdict, outcome, stakes)
            }),
            other => other,
        }
    }
}

/// What a request rests on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Basis<'a> {
    /// Why, as part of the same event. Beside a confirmation or an override it is the decision's reason.
    pub reason: Option<ReasonCode>,
    /// What was on the screen, without the verdict of a hidden judge. `None`: nothing, so the event names what is stored.
    pub seen: Option<&'a Seen>,
    /// Other people's rulings against which the person rules, or in whose claims' place they put others, knowing them.
    pub against: super::word::Known<'a>,
    /// Which ruling of their own was before them.
    pub own: super::word::Own,
}

/// Whether a standing decision agrees with the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionKind {
    Confirmed,
    Overridden,
}

impl DecisionKind {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Confirmed => "CONFIRMED",
            Self::Overridden => "OVERRIDDEN",
        }
    }
}

/// One annotator's standing decision on one claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    pub kind: DecisionKind,
    pub ruling: Ruling,
    pub reason: Option<ReasonCode>,
    /// Sequence number of the event that decided.
    pub seq: i64,
    pub at: Timestamp,
}

/// A flag that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The event that set it; its payload is the note, where there is one.
    pub seq: i64,
    /// The person or the role that it is for.
    pub to: Option<String>,
}

/// Where one annotator stands on one claim: a projection of the annotator's events on it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Standing {
    pub decided: Option<Decided>,
    /// What the person said before they were shown the judge; stays when they have decided.
    pub blind: Option<Blind>,
    /// Whether an act of theirs names the judge's verdict on the claim, also one that was taken back: what they say
    /// from then on is not independent.
    pub saw_the_judge: bool,
    pub skipped: bool,
    pub flag: Option<Flag>,
    /// Out of the person's queue until then; may be over already.
    pub deferred: Option<Timestamp>,
    /// The event by which the person made the claim.
    pub made: Option<i64>,
    /// The event by which the person put others in its place.
    pub replaced: Option<i64>,
    /// Events that carry the person's notes, oldest first.
    pub notes: Vec<i64>,
}

impl Standing {
    /// Whether the person has committed a blind verdict and not said yet whether they keep it.
    pub fn awaits_word(&self) -> bool {
        self.blind.is_some() && self.decided.is_none()
    }

    /// How much the person may see in a blind review.
    pub fn sight(&self) -> Sight {
        match (&self.blind, &self.decided) {
            (_, Some(_)) => Sight::Open,
            (Some(_), None) => Sight::Revealed,
            (None, None) => Sight::Hidden,
        }
    }

    /// Replays `events` (of one annotator on one claim, in order of sequence) without those that a
    /// later undo took back.
    pub fn project<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let events: Vec<&Event> = events.into_iter().collect();
        let undone: HashSet<i64> = events.iter().filter_map(|event| event.undoes).collect();
        let mut standing = Self::default();
        // Of a claim that the person made there is no judge: its event names only what was made.
        let is_judged = events.iter().all(|event| event.act != Act::AddClaim);
        let mut committed = HashMap::new();
        for event in &events {
            let (seq, at) = (event.seq, event.at);
            let mut fills = !standing.saw_the_judge;
            let mut independent = fills && event.known_from().is_none();
            if event.act == Act::Blind {
                // What is done again is as independent as it was.
                let again = event.undoes.and_then(|undo| events.iter().find(|e| e.seq == undo));
                let first = again.and_then(|undo| undo.undoes).and_then(|seq| committed.get(&seq).copied());
                (fills, independent) = first.unwrap_or((fills, independent));
                committed.insert(event.seq, (fills, independent));
            }
            standing.saw_the_judge |=
                event.act == Act::Blind || (is_judged && event.seen.verdict_sha256.is_some());
            if undone.contains(&event.seq) {
                continue;
            }
            match event.act {
                Act::Confirm | Act::Override => {
                    if let Some(ruling) = event.ruling() {
                        let kind = if event.act == Act::Confirm {
                            DecisionKind::Confirmed
                        } else {
                            DecisionKind::Overridden
                        };
                        standing.decided = Some(Decided { kind, ruling, reason: event.reason, seq, at });
                        standing.skipped = false;
                        standing.deferred = None;
                    }
                }
                Act::Blind => {
                    let said = |ruling| Blind { ruling, seq, at, independent, fills };
                    standing.blind = event.ruling().map(said);
                    standing.skipped = false;
                    standing.deferred = None;
                }
                Act::GiveReason => {
                    if let Some(decided) = &mut standing.decided {
                        decided.reason = event.reason;
                    }
                }
                Act::Annotate => standing.notes.push(event.seq),
                Act::Skip => standing.skipped = true,
                Act::Unskip => standing.skipped = false,
                Act::Flag => {
                    let to = event.new.get("to").and_then(|to| to.as_str()).map(str::to_owned);
                    standing.flag = Some(Flag { seq: event.seq, to });
                }
                Act::Unflag => standing.flag = None,
                Act::Defer => standing.deferred = event.until(),
                Act::Resume => standing.deferred = None,
                Act::AddClaim => standing.made = Some(event.seq),
                Act::Split | Act::Merge => standing.replaced = Some(event.seq),
                Act::Dispose | Act::Erase | Act::Undo => {}
            }
        }
        standing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Judged;
    use crate::domain::verdict::Probability;

    fn judged(verdict: Verdict, severity: Severity) -> Outcome {
        Outcome::Judged(Judged {
            verdict,
            confidence: Probability::clamped(0.9),
            severity: Some(severity),
            hallucination_type: Some(HallucinationType::CitationError),
            citations: Vec::new(),
            rationale: String::new(),
            support: None,
        })
    }

    #[test]
    fn another_verdict_takes_its_severity_from_the_table_and_not_from_the_judge() {
        use HumanVerdict::{CannotJudge, Contradicted, FullySupported, PartiallySupported, Unsupported};
        let health = Stakes { can_harm: true, ..Stakes::default() };
        let partly = judged(Verdict::PartiallySupported, Severity::Medium);
        let wrong = judged(Verdict::Contradicted, Severity::Critical);
        for (verdict, outcome, stakes, expected) in [
            (Contradicted, &partly, health, Some(Severity::Critical)),
            (Contradicted, &partly, Stakes::default(), Some(Severity::Medium)),
            (PartiallySupported, &partly, health, Some(Severity::Medium)),
            (PartiallySupported, &wrong, health, Some(Severity::Low)),
            (Unsupported, &wrong, health, Some(Severity::Medium)),
            (FullySupported, &wrong, health, None),
            (CannotJudge, &wrong, health, None),
        ] {
            let proposed = Ruling::proposed(verdict, outcome, stakes);
            assert_eq!(proposed.severity, expected, "{verdict}");
        }
        let kind = |verdict| Ruling::proposed(verdict, &wrong, health).hallucination_type;
        assert_eq!(kind(Contradicted), Some(HallucinationType::CitationError), "the judge's own");
        assert_eq!(kind(Unsupported), Some(HallucinationType::Fabrication));
    }
}
