//! What is told of scored pairs: one row each, in their order.

use std::sync::Arc;

use serde::Serialize;

use super::super::audit::counted;
use super::super::meter::Usage;
use super::super::{Context, Exit};
use super::keep::{Keeper, Kept};
use super::summary::{self, Summary};
use crate::domain::finding::{AuditState, JudgeIdentity};
use crate::domain::ids::PassageId;
use crate::domain::span::CharSpan;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Citation, MatchLevel, NoVerdict, Probability, Score};
use crate::format::import::Problem;
use crate::format::pair::Pair;
use crate::instrument::support::{self, Support};
use crate::measure::scores::{Names, Scores};
use crate::store::{Routed, ScoredPair};
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
        /// Whether it says something of the pair; else nothing is asked any more.
        is_about_pair: bool,
    },
}

impl Said {
    /// The score that stands, or the name of the reason why there is none.
    fn score(&self) -> Result<Score, &'static str> {
        match self {
            Self::Score(reply, _) if reply.is_grounded => Ok(reply.score),
            Self::Score(..) => Err(AuditState::Ungrounded.label()),
            Self::Nothing { state, .. } => Err(state.label()),
        }
    }
}

pub(super) struct Row {
    pub(super) pair: Arc<Pair>,
    /// Where the pair stands, as people name it.
    pub(super) place: String,
    pub(super) started: Timestamp,
    pub(super) said: Said,
}

impl Row {
    /// As it goes into the store; `None` for what says nothing of the pair.
    fn scored(&self, identity: &JudgeIdentity) -> Option<ScoredPair> {
        let (identity, scored) = match &self.said {
            Said::Score(reply, _) => (&reply.identity, Ok(&**reply)),
            Said::Nothing { is_about_pair: false, .. } => return None,
            Said::Nothing { state, reason, .. } => (identity, Err((*state, reason.as_str()))),
        };
        let new = self.pair.record(self.place.clone());
        let result = support::run(&new.record, scored, identity);
        Some(ScoredPair { new, result, started: self.started, routed: Routed::default() })
    }
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
    scores: Scores,
    keeper: Option<Keeper>,
    /// Whether only what all pairs come to is told.
    only_summary: bool,
}

impl Report {
    pub(super) fn new(
        identity: &JudgeIdentity,
        keeper: Option<Keeper>,
        only_summary: bool,
        context: &mut Context,
    ) -> anyhow::Result<Self> {
        match (only_summary, context.out.wants_json()) {
            (true, _) => {}
            (false, true) => context.out.bytes(b"[")?,
            (false, false) => context.out.text(&line("SCORE", "CONF", "CLAIM", "SOURCE", "WHY", None))?,
        }
        let identity = identity.clone();
        Ok(Self {
            identity,
            scored: 0,
            ungrounded: 0,
            unscored: 0,
            failed: 0,
            first_reason: None,
            bad: 0,
            scores: Scores::default(),
            keeper,
            only_summary,
        })
    }

    pub(super) fn rows(&self) -> u64 {
        self.scored + self.ungrounded + self.unscored
    }

    /// Stores what waits to be stored.
    pub(super) fn store(&mut self, context: &mut Context) -> anyhow::Result<()> {
        self.keeper.as_mut().map_or(Ok(()), |keeper| keeper.store(context))
    }

    pub(super) fn row(&mut self, row: &Row, context: &mut Context) -> anyhow::Result<()> {
        self.tell(row, context)?;
        let pair = &row.pair;
        let names = Names {
            claim: &pair.claim_id,
            source: pair.source.passage_id.as_str(),
            answer: pair.answer_id.as_deref(),
            retrieval: pair.retrieval.as_deref(),
            model: pair.model_version.as_deref(),
        };
        self.scores.add(&names, row.said.score());
        match &mut self.keeper {
            Some(keeper) => row.scored(&self.identity).map_or(Ok(()), |pair| keeper.add(pair, context)),
            None => Ok(()),
        }
    }

    fn tell(&mut self, row: &Row, context: &mut Context) -> anyhow::Result<()> {
        let is_first = self.rows() == 0;
        match &row.said {
            Said::Score(reply, _) if reply.is_grounded => self.scored += 1,
            Said::Score(..) => self.ungrounded += 1,
            Said::Nothing { state, reason, .. } => {
                self.unscored += 1;
                self.failed += u64::from(*state == NoVerdict::Failed);
                self.first_reason.get_or_insert_with(|| reason.clone());
            }
        }
        if self.only_summary {
            return Ok(());
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
            Said::Nothing { state, reason, .. } => (state.to_string(), "-".to_owned(), reason.clone()),
        };
        let columns = out.columns();
        Ok(out.text(&line(
            &score,
            &confidence,
            &row.pair.claim_id,
            row.pair.source.passage_id.as_str(),
            &why,
            columns,
        ))?)
    }

    fn printed<'a>(&'a self, row: &'a Row) -> Printed<'a> {
        let (reply, places, nothing) = match &row.said {
            Said::Score(reply, places) => (Some(&**reply), places.as_slice(), None),
            Said::Nothing { state, reason, .. } => {
                (None, [].as_slice(), Some((state.label(), reason.as_str())))
            }
        };
        let quotes = reply.map(|reply| reply.key_evidence.as_slice()).unwrap_or_default();
        Printed {
            claim_id: &row.pair.claim_id,
            source_id: &row.pair.source.passage_id,
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
        mut self,
        usage: Option<Usage>,
        interrupted: bool,
        context: &mut Context,
    ) -> anyhow::Result<Exit> {
        let kept = match &mut self.keeper {
            Some(keeper) => {
                keeper.finish(context)?;
                Some(keeper.kept)
            }
            None => None,
        };
        let out = &mut context.out;
        match (self.only_summary, out.wants_json()) {
            (false, true) => out.bytes(if self.rows() == 0 { b"]\n" } else { b"\n]\n" })?,
            (true, true) => out.json(&Summary::new(&self.scores, &self.identity))?,
            (only_summary, false) => {
                let lines = summary::lines(&self.scores);
                if !only_summary && !lines.is_empty() {
                    out.text("")?;
                }
                for line in lines {
                    out.text(&line)?;
                }
            }
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
        if let Some(kept) = kept {
            out.note(&told_of(kept));
            if kept.conflicts > 0 {
                out.error(&format!("{} not kept, their ids are taken", counted(kept.conflicts, "pair")));
            }
        }
        if let (Some(usage), Some(judge)) = (usage, context.config.model_judge()) {
            out.note(&usage.sentence(judge.name(), judge.settings().prices.is_some()));
        }
        let is_empty = self.rows() == 0;
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
        let bad = self.bad + kept.map_or(0, |kept| kept.conflicts);
        let not_enough = self.unscored + self.ungrounded + u64::from(is_empty);
        if is_empty && bad == 0 && !interrupted {
            out.error("there are no pairs: the files are empty");
        }
        let scored = if not_enough > 0 { Exit::NotEnough } else { Exit::Fine };
        Ok(Exit::before_all(interrupted, self.failed, bad).unwrap_or(scored))
    }
}

/// What became of the pairs in the store.
fn told_of(kept: Kept) -> String {
    let unchanged = match kept.unchanged {
        0 => String::new(),
        some => format!(", {some} there already with the same score"),
    };
    let queued = match kept.queued {
        0 => "none for a person to look at".to_owned(),
        1 => "1 is in the queue".to_owned(),
        some => format!("{some} are in the queue"),
    };
    format!("{} kept in the store{unchanged}; {queued}", counted(kept.new, "pair"))
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
