//! What is told of scored pairs: one row each, in their order.

use serde::Serialize;

use super::super::audit::counted;
use super::super::meter::Usage;
use super::super::{Context, Exit};
use crate::domain::finding::JudgeIdentity;
use crate::domain::ids::PassageId;
use crate::domain::span::CharSpan;
use crate::domain::verdict::{Citation, MatchLevel, NoVerdict, Probability, Score};
use crate::format::import::Problem;
use crate::instrument::support::Support;
use crate::text::sanitize::visible;
use crate::text::width::{pad, truncate, width};

/// Bad lines printed one by one; the rest are counted.
const ERRORS_PRINTED: u64 = 20;
/// Cells of a column of ids; longer ones push the row to the right.
const ID: usize = 14;

/// What came of a pair.
pub(super) enum Said {
    /// With the places of its quotes in the source.
    Score(Box<Support>, Vec<Option<CharSpan>>),
    Nothing {
        state: NoVerdict,
        reason: String,
    },
}

pub(super) struct Row {
    pub(super) claim_id: String,
    pub(super) source_id: PassageId,
    pub(super) said: Said,
}

/// A row as `--json` prints it.
#[derive(Serialize)]
struct Printed<'a> {
    claim_id: &'a str,
    source_id: &'a PassageId,
    /// `null` without a score, never a number.
    score: Option<Score>,
    support_level: Option<&'static str>,
    rationale: Option<&'a str>,
    key_evidence: Vec<Quoted<'a>>,
    /// Whether a score above 2 stands on words of the source.
    grounded: Option<bool>,
    missing_information: Option<&'a str>,
    confidence: Option<Probability>,
    /// Why there is no score.
    state: Option<&'static str>,
    reason: Option<&'a str>,
    judge: &'a str,
    model: &'a str,
    prompt_version: &'a str,
    prompt_sha256: &'a str,
}

/// Words that decide, and where they stand in the source.
#[derive(Serialize)]
struct Quoted<'a> {
    quote: &'a str,
    /// In characters, the end exclusive; `null` for words that are not there.
    start: Option<usize>,
    end: Option<usize>,
    r#match: MatchLevel,
}

impl<'a> Quoted<'a> {
    fn new(citation: &'a Citation, place: Option<CharSpan>) -> Self {
        Self {
            quote: &citation.quote,
            start: place.map(|place| place.start),
            end: place.map(|place| place.end),
            r#match: citation.level,
        }
    }
}

/// Tells as it comes, and counts.
pub(super) struct Report {
    identity: JudgeIdentity,
    /// Pairs whose score stands.
    scored: u64,
    /// Pairs whose score stands on no words of the source.
    ungrounded: u64,
    unscored: u64,
    failed: u64,
    /// Why the first pair without a score has none.
    first_reason: Option<String>,
    bad: u64,
}

impl Report {
    pub(super) fn new(identity: &JudgeIdentity, context: &mut Context) -> anyhow::Result<Self> {
        if context.out.wants_json() {
            context.out.bytes(b"[")?;
        } else {
            context.out.text(&line("SCORE", "CONF", "CLAIM", "SOURCE", "WHY", None))?;
        }
        let identity = identity.clone();
        Ok(Self { identity, scored: 0, ungrounded: 0, unscored: 0, failed: 0, first_reason: None, bad: 0 })
    }

    pub(super) fn rows(&self) -> u64 {
        self.scored + self.ungrounded + self.unscored
    }

    pub(super) fn row(&mut self, row: &Row, context: &mut Context) -> anyhow::Result<()> {
        let is_first = self.rows() == 0;
        match &row.said {
            Said::Score(reply, _) if reply.is_grounded => self.scored += 1,
            Said::Score(..) => self.ungrounded += 1,
            Said::Nothing { state, reason } => {
                self.unscored += 1;
                self.failed += u64::from(*state == NoVerdict::Failed);
                self.first_reason.get_or_insert_with(|| reason.clone());
            }
        }
        let out = &mut context.out;
        if out.wants_json() {
            out.bytes(if is_first { b"\n" } else { b",\n" })?;
            return out.json_part(&self.printed(row));
        }
        let (score, confidence, why) = match &row.said {
            Said::Score(reply, _) => (
                format!("{} {}", reply.score.get(), reply.score.level()),
                reply.confidence.map_or_else(|| "-".to_owned(), |it| format!("{:.2}", it.get())),
                if reply.is_grounded {
                    reply.rationale.clone()
                } else {
                    format!("UNGROUNDED, no quote that decides stands in the source. {}", reply.rationale)
                },
            ),
            Said::Nothing { state, reason } => (state.to_string(), "-".to_owned(), reason.clone()),
        };
        let columns = out.columns();
        Ok(out.text(&line(&score, &confidence, &row.claim_id, row.source_id.as_str(), &why, columns))?)
    }

    fn printed<'a>(&'a self, row: &'a Row) -> Printed<'a> {
        let (reply, places, nothing) = match &row.said {
            Said::Score(reply, places) => (Some(&**reply), places.as_slice(), None),
            Said::Nothing { state, reason } => (None, [].as_slice(), Some((state.label(), reason.as_str()))),
        };
        let quotes = reply.map(|reply| reply.key_evidence.as_slice()).unwrap_or_default();
        Printed {
            claim_id: &row.claim_id,
            source_id: &row.source_id,
            score: reply.map(|reply| reply.score),
            support_level: reply.map(|reply| reply.score.level()),
            rationale: reply.map(|reply| reply.rationale.as_str()),
            key_evidence: quotes
                .iter()
                .zip(places)
                .map(|(quote, place)| Quoted::new(quote, *place))
                .collect(),
            grounded: reply.map(|reply| reply.is_grounded),
            missing_information: reply.and_then(|reply| reply.missing_information.as_deref()),
            confidence: reply.and_then(|reply| reply.confidence),
            state: nothing.map(|(state, _)| state),
            reason: nothing.map(|(_, reason)| reason),
            judge: &self.identity.judge,
            model: &self.identity.model,
            prompt_version: &self.identity.prompt_version,
            prompt_sha256: &self.identity.prompt_sha256,
        }
    }

    pub(super) fn bad(&mut self, problem: &Problem, context: &mut Context) {
        self.bad += 1;
        if self.bad <= ERRORS_PRINTED {
            let Problem { file, line, reason } = problem;
            let line = line.map_or_else(String::new, |line| format!(":{line}"));
            context.out.error(&format!("{file}{line}: {reason}"));
        }
    }

    /// Closes the answer, and says what it came to.
    pub(super) fn finish(
        self,
        usage: Option<Usage>,
        interrupted: bool,
        context: &mut Context,
    ) -> anyhow::Result<Exit> {
        let out = &mut context.out;
        if out.wants_json() {
            out.bytes(if self.rows() == 0 { b"]\n" } else { b"\n]\n" })?;
        }
        if self.bad > ERRORS_PRINTED {
            out.error(&format!("{} more lines are no pairs", self.bad - ERRORS_PRINTED));
        }
        let scored = counted(self.scored, "pair");
        let ungrounded = match self.ungrounded {
            0 => String::new(),
            some => format!(", {some} UNGROUNDED"),
        };
        out.note(&format!(
            "{scored} scored by {}{ungrounded}, {} without a score",
            self.identity.judge, self.unscored
        ));
        if let (Some(usage), Some(judge)) = (usage, context.config.model_judge()) {
            out.note(&usage.sentence(judge.name(), judge.settings().prices.is_some()));
        }
        if let Some(reason) = self.first_reason {
            out.error(&format!(
                "{} could not be scored; the first: {reason}",
                counted(self.unscored, "pair")
            ));
        }
        if self.ungrounded > 0 {
            out.error(&format!(
                "{} UNGROUNDED: no quote that decides stands in the source, so a person must look",
                match self.ungrounded {
                    1 => "1 score is".to_owned(),
                    some => format!("{some} scores are"),
                }
            ));
        }
        // A pair without a score that stands is no green: who asked about all has no answer about this one.
        Ok(match (interrupted, self.failed, self.bad, self.unscored + self.ungrounded) {
            (true, ..) => Exit::Interrupted,
            (false, 1.., ..) => Exit::RunFailed,
            (false, 0, 1.., _) => Exit::BadInput,
            (false, 0, 0, 1..) => Exit::NotEnough,
            (false, 0, 0, 0) => Exit::Fine,
        })
    }
}

fn line(
    score: &str,
    confidence: &str,
    claim: &str,
    source: &str,
    why: &str,
    columns: Option<usize>,
) -> String {
    let ids = [claim, source].map(|id| pad(&visible(id), ID));
    let begin = format!("{}  {}  {}  {}  ", pad(score, 26), pad(confidence, 4), ids[0], ids[1]);
    let why = visible(why);
    let room = columns.map(|columns| columns.saturating_sub(width(&begin)));
    begin + &room.map_or_else(|| why.clone(), |room| truncate(&why, room))
}
