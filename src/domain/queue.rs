//! What a reviewer sees of the store: a row of the queue, a claim with all that surrounds it, counts.

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use serde::Serialize;

use super::blind::Sight;
use super::calibration::CalibrationState;
use super::decision::{Decided, Disposition, HumanVerdict, ReasonCode, Standing};
use super::draft::DraftKind;
use super::event::Seen;
use super::finding::{JudgeIdentity, NoClaim, Outcome};
use super::ids::{Annotator, ClaimId, ClaimKey, RecordKey};
use super::record::Record;
use super::routing::Why;
use super::span::Span;
use super::time::Timestamp;
use super::verdict::{Citation, Probability, Severity, Verdict};

/// Whether a claim of the queue waits for somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueState {
    /// A decision counts, or it is of an earlier audit, or another claim stands in its place.
    Closed,
    /// Nobody decided it, or people disagree.
    Open,
    /// The same, but its whole answer is blocked: that waits for nobody.
    SetAside,
}

impl QueueState {
    /// By the number under which it is kept.
    pub const fn of(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Closed),
            1 => Some(Self::Open),
            2 => Some(Self::SetAside),
            _ => None,
        }
    }
}

/// One line of the queue.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not a state machine")]
pub struct QueueRow {
    pub key: ClaimKey,
    pub id: ClaimId,
    pub claim_text: String,
    pub state: super::finding::AuditState,
    pub verdict: Option<Verdict>,
    /// The judge's severity; where none is grounded, that of the record's risk stands in. What people say stands beside it.
    pub severity: Option<Severity>,
    pub confidence: Option<Probability>,
    pub arrived: Timestamp,
    /// Skipped by the annotator who asks: such rows come last.
    pub skipped: bool,
    /// Flagged for adjudication by anyone.
    pub flagged: bool,
    /// Flagged with a note: escalated.
    pub escalated: bool,
    /// Deferred by the annotator who asks, until a time that is still to come.
    pub deferred: Option<Timestamp>,
    /// Where the annotator who asks stands; `None` while it is open.
    pub decided: Option<Decided>,
    /// Another annotator who has it in hand now.
    pub held_by: Option<Hold>,
    /// The annotator who asks began something on it and has not finished it.
    pub begun: bool,
    /// Its whole answer is blocked.
    pub blocked: bool,
    /// How much of it the annotator who asks may see in a blind review.
    pub sight: Sight,
    /// People disagree on it; it is open until they agree or somebody settles it.
    pub disputed: bool,
    /// What people ruled that counts: one verdict, or those of all who disagree; each once.
    pub rulings: Vec<HumanVerdict>,
    /// The severity of the ruling that counts; of those who disagree the most severe.
    pub ruled_severity: Option<Severity>,
    /// What is wrong with its rows in the store, and what to do, when they cannot be read: what else
    /// stands here is then only as much as could be told.
    pub damage: Option<String>,
}

/// An answer with open claims, as the queue lists it once.
#[derive(Debug, Clone, PartialEq)]
pub struct Thread {
    /// Its first open claim in the order of the queue: the answer stands where that stands.
    pub head: QueueRow,
    /// The worst severity of all its claims that were sent to a person: of decided ones what people ruled.
    pub worst: Option<Severity>,
    /// Claims of the present audit that were sent to a person and are open, and those that are decided.
    pub open: u64,
    pub decided: u64,
    /// What was decided about the whole answer, if anything.
    pub disposition: Option<Given>,
}

impl Disposition {
    /// What was done to the answer.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Release => "released",
            Self::Return => "returned",
            Self::Block => "blocked",
        }
    }
}

/// What was decided about a whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub annotator: Annotator,
    pub disposition: Disposition,
    pub at: Timestamp,
    /// Why, in the person's own words; `None` where they wrote none, or it was erased.
    pub note: Option<String>,
    /// Why, as a code.
    pub reason: Option<ReasonCode>,
}

impl Given {
    /// Whether `annotator` would set another person's word aside by `disposition`, who is to be told why.
    pub fn is_overruled_by(&self, disposition: Disposition, annotator: &Annotator) -> bool {
        self.annotator != *annotator && self.disposition != disposition
    }
}

/// A live lease of someone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    pub holder: Annotator,
    pub until: Timestamp,
}

impl Hold {
    /// How long a claim stays in hand after the last key of who has it.
    pub const LASTS: Duration = Duration::from_mins(5);

    /// `ben has it in hand, last key at 23:05: free at 23:10`, unless another key comes.
    pub fn said(&self, zone: &TimeZone) -> String {
        let clock = |at: i64| {
            let instant = jiff::Timestamp::from_millisecond(at);
            instant
                .map_or(String::new(), |at| at.to_zoned_datetime(zone.clone()).strftime("%H:%M").to_string())
        };
        let until = self.until.millis();
        let last = until.saturating_sub(i64::try_from(Self::LASTS.as_millis()).unwrap_or(0));
        format!("{} has it in hand, last key at {}: free at {}", self.holder, clock(last), clock(until))
    }
}

/// What a claim that a person split or merged has from those in whose place it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inherited {
    /// The judge's claims in whose place it stands.
    pub from: Vec<ClaimId>,
    /// What the judge cited for them, as far as it speaks of this one too.
    pub citations: Vec<Citation>,
}

/// A claim with everything needed to judge it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimDetail {
    pub key: ClaimKey,
    pub id: ClaimId,
    pub record_key: RecordKey,
    /// Shared, because a record may be megabytes.
    pub record: Arc<Record>,
    pub claim_text: String,
    pub given_id: Option<String>,
    /// Whether it is a claim–source pair, which is judged and ruled by a score from 1 to 5.
    pub is_pair: bool,
    pub answer_span: Option<Span>,
    pub outcome: Outcome,
    /// Evidence of the claims in whose place a person put it; `None` where it stands in no other's place.
    pub inherited: Option<Inherited>,
    /// How much the annotator who asks may see of what others say: what they may not is not in here.
    pub sight: Sight,
    pub why: Vec<Why>,
    pub judge: JudgeIdentity,
    pub audited_at: Timestamp,
    /// How many exchanges with a model its audit rests on; none for a judge that asks no model.
    pub exchanges: u64,
    pub arrived: Timestamp,
    /// All claims of the same run in order of the answer, this one included.
    pub siblings: Vec<Sibling>,
    /// Sentences of the answer without a claim.
    pub no_claims: Vec<NoClaim>,
    /// Where the annotator who asks stands.
    pub standing: Standing,
    /// Standing decisions of everybody on this claim.
    pub decisions: Vec<(Annotator, Decided)>,
    /// Whose decision counts; `None` while nobody has decided it, or people disagree.
    pub counts: Option<Annotator>,
    /// Whether others disagreed, and the decision that counts settled it.
    pub is_settled: bool,
    /// Who flagged it for adjudication, and what they say about it.
    pub flags: Vec<Flagged>,
    /// Decisions on the same claim of earlier runs: shown, never carried over.
    pub earlier: Vec<EarlierDecision>,
    /// Why nothing can be decided on it any more: a person put others in its place, or took it back.
    pub gone: Option<String>,
    /// All notes on the claim, oldest first.
    pub notes: Vec<Note>,
    /// What was decided about the whole answer, if anything.
    pub disposition: Option<Given>,
    pub held_by: Option<Hold>,
    /// A note that was being typed when the program last stopped.
    pub draft: Option<String>,
    /// What else of theirs was begun and not finished then.
    pub begun: Vec<(DraftKind, String)>,
    /// The hashes of answer, passages and verdict as they stand in this value: a decision names them.
    pub seen: Seen,
}

impl ClaimDetail {
    /// Whether people disagree, and nobody has settled it.
    pub fn is_disputed(&self) -> bool {
        self.counts.is_none() && !self.decisions.is_empty()
    }

    /// What people ruled that counts: the one decision, or those of all who disagree.
    fn in_force(&self) -> impl Iterator<Item = &Decided> {
        let counts = |who: &Annotator| self.counts.as_ref().is_none_or(|counting| counting == who);
        self.decisions.iter().filter(move |(who, _)| counts(who)).map(|(_, decided)| decided)
    }

    /// The verdicts of what counts, each once.
    pub fn rulings(&self) -> Vec<HumanVerdict> {
        let mut rulings: Vec<HumanVerdict> = Vec::new();
        for decided in self.in_force() {
            if !rulings.contains(&decided.ruling.verdict) {
                rulings.push(decided.ruling.verdict);
            }
        }
        rulings
    }

    /// The severity of what counts; of those who disagree the most severe.
    pub fn ruled_severity(&self) -> Option<Severity> {
        self.in_force().filter_map(|decided| decided.ruling.severity).max()
    }

    /// Whether anybody ruled on a claim of the answer.
    pub fn is_looked_at(&self) -> bool {
        self.siblings.iter().any(|sibling| !sibling.rulings.is_empty())
    }

    /// Whether the whole answer is blocked.
    pub fn is_blocked(&self) -> bool {
        self.disposition.as_ref().is_some_and(|given| given.disposition == Disposition::Block)
    }

    /// How many routed claims of the answer are not decided.
    pub fn open_claims(&self) -> usize {
        self.siblings.iter().filter(|sibling| sibling.routed && !sibling.decided).count()
    }

    /// How many claims of the answer wait for a person, this one left out.
    pub fn open_besides(&self) -> usize {
        let others = self.siblings.iter().filter(|sibling| sibling.key != self.key);
        others.filter(|sibling| sibling.routed && !sibling.decided).count()
    }
}

/// Another claim of the same answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Sibling {
    pub key: ClaimKey,
    pub id: ClaimId,
    pub claim_text: String,
    pub answer_span: Option<Span>,
    pub state: super::finding::AuditState,
    pub verdict: Option<Verdict>,
    pub severity: Option<Severity>,
    /// Whether what is said of it is hidden in a blind review; then the rest says nothing.
    pub hidden: bool,
    /// Whether it is routed to a person.
    pub routed: bool,
    /// Whether a decision counts: somebody made one, and nobody's differs, or it was settled.
    pub decided: bool,
    /// What people ruled that counts: one verdict, or those of all who disagree; each once.
    pub rulings: Vec<HumanVerdict>,
    /// The severity of the ruling that counts; of those who disagree the most severe.
    pub ruled_severity: Option<Severity>,
}

impl Sibling {
    /// Whether somebody ruled that the evidence does not carry the claim.
    pub fn is_refuted(&self) -> bool {
        self.rulings
            .iter()
            .any(|ruling| matches!(ruling, HumanVerdict::Contradicted | HumanVerdict::Unsupported))
    }

    /// Whether somebody ruled that the evidence carries the claim not at all or in part, or could not tell.
    pub fn lacks_support(&self) -> bool {
        self.rulings.iter().any(|ruling| ruling.lacks_support())
    }
}

/// What people said against the use of an answer: each claim counts once, by the worst that was said of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Objections {
    pub against: usize,
    pub unjudged: usize,
    pub partly: usize,
}

impl Objections {
    pub fn of(siblings: &[Sibling]) -> Self {
        let mut all = Self::default();
        for sibling in siblings.iter().filter(|sibling| sibling.lacks_support()) {
            if sibling.is_refuted() {
                all.against += 1;
            } else if sibling.rulings.contains(&HumanVerdict::CannotJudge) {
                all.unjudged += 1;
            } else {
                all.partly += 1;
            }
        }
        all
    }

    /// After the word "people": `ruled against 1 claim, could not judge 2 claims`; empty where nothing was said.
    pub fn sentence(self) -> String {
        let claims = |count: usize| if count == 1 { "1 claim".to_owned() } else { format!("{count} claims") };
        let said = [
            (self.against, format!("ruled against {}", claims(self.against))),
            (self.unjudged, format!("could not judge {}", claims(self.unjudged))),
            (self.partly, format!("found {} only partly supported", claims(self.partly))),
        ];
        let said: Vec<String> =
            said.into_iter().filter(|(count, _)| *count > 0).map(|(_, said)| said).collect();
        said.join(", ")
    }

    /// The same in few words: `1 against, 2 not judged`.
    pub fn brief(self) -> String {
        let said =
            [(self.against, "against"), (self.unjudged, "not judged"), (self.partly, "partly supported")];
        let said = said.into_iter().filter(|(count, _)| *count > 0);
        said.map(|(count, said)| format!("{count} {said}")).collect::<Vec<_>>().join(", ")
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct EarlierDecision {
    pub id: ClaimId,
    pub annotator: Annotator,
    pub decided: Decided,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub seq: i64,
    pub annotator: Annotator,
    pub at: Timestamp,
    /// `None` when the text was erased; its hash remains in the chain.
    pub text: Option<String>,
}

/// A flag that stands, as people read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flagged {
    pub annotator: Annotator,
    pub at: Timestamp,
    /// The person or the role that it is for.
    pub to: Option<String>,
    /// Whether it came with a note: an escalation.
    pub escalated: bool,
    /// The note; `None` where there is none, or where it was erased.
    pub note: Option<String>,
}

/// A side of a claim in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Above,
    Below,
}

/// What came into the queue between two looks, wherever in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrivals {
    /// The key that was given out last: what comes later has a higher one.
    pub last: ClaimKey,
    /// Of each kind without those that only repeat a claim that was in the queue before, on the same evidence.
    pub critical: u64,
    pub high: u64,
    /// The ids of the first of them, CRITICAL ones before HIGH ones, and no repeat.
    pub first: Vec<(ClaimId, Severity)>,
}

/// What waits for a person by name when they come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Claims on which they began something and have not finished it, the latest first.
    pub drafts: Vec<ClaimId>,
    /// How many open claims were escalated to them.
    pub escalated: u64,
}

/// Answers to which somebody gave a disposition that stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Answers {
    pub released: u64,
    pub returned: u64,
    pub blocked: u64,
}

impl Answers {
    /// `13 answers blocked, 1 released`; `None` where there are none.
    pub fn sentence(self) -> Option<String> {
        let parts = [(self.blocked, "blocked"), (self.returned, "returned"), (self.released, "released")];
        let mut told = String::new();
        for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
            let answers = match (told.is_empty(), count) {
                (true, 1) => " answer",
                (true, _) => " answers",
                (false, _) => "",
            };
            let comma = if told.is_empty() { "" } else { ", " };
            told.extend([comma, &count.to_string(), answers, " ", what]);
        }
        (!told.is_empty()).then_some(told)
    }
}

/// How much there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueCounts {
    /// Routed claims of current runs.
    pub routed: u64,
    /// Of these, not decided (no decision stands, or people disagree), and of an answer that is not blocked.
    pub open: u64,
    pub open_critical: u64,
    pub open_high: u64,
    /// Routed claims that nobody decided and whose whole answer is blocked: they are not open.
    pub set_aside: u64,
    /// Records that wait for their audit, are being audited now, are done, or failed.
    pub waiting: u64,
    pub auditing: u64,
    pub audited: u64,
    pub failed: u64,
    /// Decisions of the annotator who asks that stand.
    pub decided_by_me: u64,
    /// Of these, decided since midnight UTC.
    pub decided_today: u64,
    /// Open claims that the annotator who asks has deferred, until a time that is still to come.
    pub deferred: u64,
    /// When the first of these comes back.
    pub back_at: Option<Timestamp>,
    /// In a blind review: claims on which the annotator who asks committed a verdict that they neither kept nor changed.
    pub unkept: u32,
    /// Somebody else decides in this store too.
    pub is_shared: bool,
    /// How the judge of the latest audit stands; `None` while no judge was ever measured in this store.
    pub calibration: Option<CalibrationState>,
}
