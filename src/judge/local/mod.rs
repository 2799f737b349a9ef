//! The local judge: offline, deterministic, quick. It compares words, numbers, dates, names and negation of
//! a claim with the sentences of the evidence that speak most of it.
//!
//! It knows no meaning beyond its word lists, and says so: what it cannot compare is `NOT_CHECKED`, a
//! contradiction needs a conflict that can be pointed at, and its confidence is modest.

mod atoms;
mod claims;
mod cover;
mod desk;
mod evidence;
mod exchange;
mod features;
pub mod fit;
mod language;
mod predicate;
mod rationale;
mod sharing;
#[cfg(test)]
mod tests;
mod weigh;
pub mod weights;

use std::fmt::Write;
use std::sync::{LazyLock, OnceLock};

use sha2::{Digest, Sha256};

use super::{FaithfulnessReply, FaithfulnessSettings, Judge, JudgeFailure, Pending, SupportReply};
use crate::domain::finding::{Granularity, JudgeIdentity};
use crate::domain::record::{Passage, Record};
use crate::domain::span::Span;
use crate::domain::verdict::Role;
use crate::text::lexicon;
use crate::text::locate::locate;
use claims::Piece;
use desk::{Claim, Desk, lowest, not_checked, too_long};

/// Version of the rules; a change of what the judge says changes it.
const VERSION: &str = "local-1";
/// A longer claim is not one claim; in bytes.
const LONGEST_CLAIM: usize = 20_000;
/// A longer answer is not looked at; in bytes.
const LONGEST_ANSWER: usize = 1 << 20;
/// More evidence than this is not looked at; in bytes.
const MOST_EVIDENCE: usize = 4 << 20;

macro_rules! rule_files {
    ($($path:literal),+ $(,)?) => { &[$(($path, include_str!($path))),+] };
}

/// Every source file whose change may change what the judge says.
const RULE_FILES: &[(&str, &str)] = rule_files![
    "atoms.rs",
    "claims.rs",
    "cover.rs",
    "desk.rs",
    "evidence.rs",
    "exchange.rs",
    "features.rs",
    "language.rs",
    "mod.rs",
    "predicate.rs",
    "rationale.rs",
    "sharing.rs",
    "weigh.rs",
    "weights.rs",
    "../../text/abbreviations.rs",
    "../../text/compare/aligned.rs",
    "../../text/compare/amounts.rs",
    "../../text/compare/bound.rs",
    "../../text/compare/forms.rs",
    "../../text/compare/mod.rs",
    "../../text/compare/names.rs",
    "../../text/compare/polarity.rs",
    "../../text/compare/prohibition.rs",
    "../../text/compare/reading.rs",
    "../../text/compare/rhythm.rs",
    "../../text/compare/roles.rs",
    "../../text/compare/rules.rs",
    "../../text/dates.rs",
    "../../text/layout.rs",
    "../../text/lexicon/fields.rs",
    "../../text/lexicon/mod.rs",
    "../../text/lexicon/thesaurus.rs",
    "../../text/numbers/mod.rs",
    "../../text/numbers/read.rs",
    "../../text/script.rs",
    "../../text/sentences.rs",
    "../../text/stem.rs",
    "../../text/tokens.rs",
];

/// SHA-256 over the version, the source of every rule and every word list. A changed comment gives another
/// identity too: better one too many than a verdict under the wrong one.
static RULES: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    hash.update(VERSION);
    for (name, text) in RULE_FILES.iter().chain(lexicon::SOURCES).chain(std::iter::once(&weights::SOURCE)) {
        hash.update(name);
        hash.update([0]);
        // A checkout may have changed the line ends.
        for line in text.lines() {
            hash.update(line);
            hash.update([b'\n']);
        }
        hash.update([0]);
    }
    hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
});

/// What was counted for a claim, one entry for each of its sentences.
#[derive(Debug, Clone)]
pub struct Counted(Vec<features::Features>);

impl Counted {
    /// The names of the numbers in [`Self::values`].
    pub const NAMES: &[&str] = features::Features::NAMES;

    pub fn values(&self) -> Vec<Vec<f64>> {
        self.0.iter().map(|features| features.values().to_vec()).collect()
    }
}

/// Where an answer states something that evidence could decide, by the rules of this judge: cut on first use, once for
/// all its sentences.
#[derive(Debug)]
pub struct Stated<'a> {
    answer: &'a str,
    /// In order; `None` for an answer that is too long to be cut.
    claims: OnceLock<Option<Vec<Span>>>,
}

impl<'a> Stated<'a> {
    pub const fn new(answer: &'a str) -> Self {
        Self { answer, claims: OnceLock::new() }
    }

    /// Whether a sentence of the answer states something. In an answer that is too long to tell, each does.
    pub fn holds(&self, sentence: Span) -> bool {
        let cut = || {
            let pieces = claims::cut(self.answer, Granularity::Sentence).into_iter();
            pieces
                .filter_map(|piece| if let Piece::Claim(span) = piece { Some(span) } else { None })
                .collect()
        };
        let claims = self.claims.get_or_init(|| (self.answer.len() <= LONGEST_ANSWER).then(cut));
        claims.as_ref().is_none_or(|claims| {
            let at = claims.partition_point(|claim| claim.end() <= sentence.start());
            claims.get(at).is_some_and(|claim| claim.overlaps(sentence))
        })
    }
}

/// The judge that needs no network and no key.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalJudge;

impl LocalJudge {
    pub const fn new() -> Self {
        Self
    }

    /// Judges every claim of `record`. Never fails: what cannot be judged is said per claim.
    pub fn judge_record(self, record: &Record, settings: &FaithfulnessSettings) -> FaithfulnessReply {
        let mut reply = FaithfulnessReply::default();
        let mut wanted: Vec<Claim<'_>> = Vec::new();
        if record.given_claims.is_empty() {
            if record.answer.len() > LONGEST_ANSWER {
                reply.findings.push(not_checked(
                    record.answer.chars().take(200).collect(),
                    None,
                    None,
                    too_long("answer", record.answer.len(), LONGEST_ANSWER),
                ));
                return reply;
            }
            for piece in claims::cut(&record.answer, settings.granularity) {
                match piece {
                    Piece::Claim(span) => wanted.push(Claim {
                        text: span.of(&record.answer).unwrap_or_default(),
                        given_id: None,
                        span: Some(span),
                        is_atom: settings.granularity == Granularity::Atomic,
                    }),
                    Piece::NoClaim(no_claim) => reply.no_claims.push(no_claim),
                }
            }
        } else {
            wanted.extend(record.given_claims.iter().map(|given| Claim {
                text: &given.claim_text,
                given_id: given.claim_id.clone(),
                span: locate(&record.answer, &given.claim_text).span,
                is_atom: false,
            }));
        }
        let size: usize = record.passages.iter().map(|passage| passage.content.len()).sum();
        if size > MOST_EVIDENCE {
            reply.findings.extend(wanted.into_iter().map(|claim| {
                not_checked(
                    claim.text.to_owned(),
                    claim.given_id,
                    claim.span,
                    too_long("evidence", size, MOST_EVIDENCE),
                )
            }));
            return reply;
        }
        let desk = Desk::new(&record.passages);
        reply.findings.extend(wanted.into_iter().map(|claim| desk.finding(claim)));
        reply
    }

    /// What is counted for a labelled claim; for [`mod@fit`].
    pub fn counted(self, claim: &str, passages: &[Passage]) -> Counted {
        Counted(Desk::new(passages).counted(claim))
    }

    /// Scores how directly `passage` supports `claim`.
    pub fn score_claim(self, claim: &str, passage: &Passage) -> Result<SupportReply, JudgeFailure> {
        let desk = Desk::new(std::slice::from_ref(passage));
        let judged = desk.judge(claim).map_err(|reason| JudgeFailure::of_record("local", reason))?;
        let quotes = judged.citations.iter().filter(|citation| citation.role != Role::Closest);
        let score = judged.support.unwrap_or(lowest());
        let is_full = score.get() == 5;
        Ok(SupportReply {
            score,
            key_evidence: quotes.map(|citation| citation.quote.clone()).collect(),
            missing_information: (!is_full).then(|| judged.rationale.clone()),
            confidence: Some(judged.confidence),
            rationale: judged.rationale,
            remark: None,
            exchanges: Vec::new(),
        })
    }
}

impl Judge for LocalJudge {
    fn identity(&self) -> JudgeIdentity {
        JudgeIdentity {
            judge: "local".into(),
            model: VERSION.into(),
            prompt_version: format!("{VERSION}.{}", RULES.get(..8).unwrap_or_default()),
            prompt_sha256: RULES.clone(),
            settings: serde_json::json!({
                "longest_claim_bytes": LONGEST_CLAIM,
                "longest_answer_bytes": LONGEST_ANSWER,
                "most_evidence_bytes": MOST_EVIDENCE,
            }),
        }
    }

    fn faithfulness<'a>(
        &'a self,
        record: &'a Record,
        settings: &'a FaithfulnessSettings,
    ) -> Pending<'a, FaithfulnessReply> {
        Box::pin(async move { Ok(self.judge_record(record, settings)) })
    }

    fn support<'a>(&'a self, claim: &'a str, passage: &'a Passage) -> Pending<'a, SupportReply> {
        Box::pin(async move { self.score_claim(claim, passage) })
    }
}
