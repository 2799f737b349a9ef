//! What an instrument returns for one record: its claims, each with a verdict or the reason why not.

use serde_json::Value;

use super::ids::ExchangeKey;
use super::span::Span;
use super::verdict::{Citation, HallucinationType, NoVerdict, Probability, Score, Severity, Verdict};

/// Who judged, with what. Stored with every run, so that a verdict can be traced and repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeIdentity {
    /// The name under which the judge was chosen: `local`.
    pub judge: String,
    /// The model that answered; for the local judge its own version.
    pub model: String,
    /// Version of the prompt, or of the local judge's rules.
    pub prompt_version: String,
    /// SHA-256 (hex) of the prompt, or of the local judge's lexicon and constants.
    pub prompt_sha256: String,
    /// Parameters that were in force.
    pub settings: Value,
}

/// How finely an answer is cut into claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Granularity {
    /// A sentence is one claim.
    Sentence,
    /// A sentence is cut where each half can be checked alone.
    #[default]
    Atomic,
}

impl Granularity {
    pub const ALL: &[Self] = &[Self::Sentence, Self::Atomic];

    /// As it is written in settings.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Sentence => "sentence",
            Self::Atomic => "atomic",
        }
    }

    /// The granularity of that label, if there is one.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.label() == label)
    }
}

/// How close the evidence must be to a claim to support it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Threshold {
    /// The evidence says it in the same terms.
    Exact,
    /// The evidence means it.
    #[default]
    Semantic,
}

impl Threshold {
    pub const ALL: &[Self] = &[Self::Exact, Self::Semantic];

    /// As it is written in settings.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Semantic => "semantic",
        }
    }

    /// The threshold of that label, if there is one.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.label() == label)
    }
}

/// One audited claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub claim_text: String,
    /// The caller's own id where the claim came with the record.
    pub given_id: Option<String>,
    /// Where the claim stands in the answer; `None` for a given claim that is not found in it,
    /// and for entries about the answer as a whole.
    pub answer_span: Option<Span>,
    pub outcome: Outcome,
}

/// A verdict, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Judged(Judged),
    /// The judge gave a label but no quote that stands in the evidence. The label is kept for the
    /// person who looks; no rate counts it.
    Ungrounded(Judged),
    NotJudged {
        state: NoVerdict,
        /// What is missing or what went wrong, in a sentence.
        reason: String,
    },
}

impl Outcome {
    /// The name of the state: `JUDGED`, `UNGROUNDED`, or why there is no verdict.
    pub fn state(&self) -> AuditState {
        match self {
            Self::Judged(_) => AuditState::Judged,
            Self::Ungrounded(_) => AuditState::Ungrounded,
            Self::NotJudged { state, .. } => AuditState::NoVerdict(*state),
        }
    }

    /// The label and what came with it, grounded or not.
    pub fn judged(&self) -> Option<&Judged> {
        match self {
            Self::Judged(judged) | Self::Ungrounded(judged) => Some(judged),
            Self::NotJudged { .. } => None,
        }
    }
}

/// A label with everything that a person needs to check it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub verdict: Verdict,
    /// Probability that `verdict` is right.
    pub confidence: Probability,
    /// `None` where nothing is wrong: a fully supported claim.
    pub severity: Option<Severity>,
    pub hallucination_type: Option<HallucinationType>,
    pub citations: Vec<Citation>,
    /// What decided, in a sentence: "claim says 8 g, evidence says 4 g".
    pub rationale: String,
    /// How directly the cited passage supports the claim.
    pub support: Option<Score>,
}

/// How far the audit of a claim came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuditState {
    Judged,
    Ungrounded,
    NoVerdict(NoVerdict),
}

impl AuditState {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Judged => "JUDGED",
            Self::Ungrounded => "UNGROUNDED",
            Self::NoVerdict(state) => state.label(),
        }
    }

    /// The state of that label, if there is one.
    pub fn from_label(label: &str) -> Option<Self> {
        match label {
            "JUDGED" => Some(Self::Judged),
            "UNGROUNDED" => Some(Self::Ungrounded),
            other => other.parse().ok().map(Self::NoVerdict),
        }
    }
}

/// A sentence of the answer that holds nothing to check, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoClaim {
    pub answer_span: Span,
    pub reason: NoClaimReason,
}

super::verdict::labels! {
    /// Why a sentence yields no claim.
    NoClaimReason: "no-claim reason" {
        Question = "QUESTION",
        Greeting = "GREETING",
        Opinion = "OPINION",
        Heading = "HEADING",
        Instruction = "INSTRUCTION",
        Fragment = "FRAGMENT",
        /// The judge does not say why.
        Unstated = "UNSTATED",
    }
}

/// Everything one run of an instrument over one record brought.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    pub identity: JudgeIdentity,
    /// `faithfulness`, `support` or `comparison`.
    pub instrument: &'static str,
    pub findings: Vec<Finding>,
    pub no_claims: Vec<NoClaim>,
    /// The exchanges with the model that it rests on, in order; none for a judge that asks no model.
    pub exchanges: Vec<ExchangeKey>,
}
