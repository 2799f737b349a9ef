//! One claim before the indexed evidence of its record: the best windows, what differs, the verdict.
//!
//! Must not know where claims come from, nor which judge asks.

use crate::domain::finding::{Finding, Judged, NoClaimReason, Outcome};
use crate::domain::record::Passage;
use crate::domain::span::Span;
use crate::domain::verdict::{
    Citation, HallucinationType, MatchLevel, NoVerdict, Probability, Role, Score, Verdict,
};
use crate::text::compare::{Difference, Reading, between};
use crate::text::script::{Script, dominant_script, needs_dictionary};

use super::LONGEST_CLAIM;
use super::atoms::atoms;
use super::claims::{self, Piece};
use super::evidence::{Evidence, Term, Window, terms};
use super::features::{Features, Pair, covered};
use super::predicate::Said;
use super::weigh::Weighed;
use super::weights::WEIGHTS;
use super::{cover, features, language, predicate, rationale, weigh};

/// How many windows may complete the best one, and how many words each must add.
const MOST_COMPLEMENTS: usize = 2;
const LEAST_GAIN: usize = 3;
/// With so much of the claim the best window is the one that decides; else one that holds less by so much and is in
/// conflict with the claim is.
const NEARLY_ALL: f64 = 0.85;
const NEARLY_AS_GOOD: f64 = 0.2;
/// A clause is cited without its sentence when it has so many words of the claim.
const LEAST_SHARED: usize = 2;
/// One sentence is cited for a supported claim when it holds hardly less of it than all that was looked at.
const HARDLY_LESS: f64 = 0.2;
/// So much above its threshold, in log odds, a claim is supported directly.
const CLEARLY: f64 = 0.5;
/// How sure the judge may be of a claim of which it could compare a part only.
const NOT_ALL_COMPARED: f64 = 0.4;
/// The most confident that word comparison may be.
const MOST_CONFIDENT: f64 = 0.97;

pub(super) fn too_long(what: &str, size: usize, limit: usize) -> String {
    format!("the {what} is {size} bytes long, more than the {limit} that the local judge looks at")
}

pub(super) fn not_checked(
    claim_text: String,
    given_id: Option<String>,
    answer_span: Option<Span>,
    reason: String,
) -> Finding {
    Finding {
        claim_text,
        given_id,
        answer_span,
        outcome: Outcome::NotJudged { state: NoVerdict::NotChecked, reason },
    }
}

pub(super) fn lowest() -> Score {
    score(1)
}

fn score(value: u8) -> Score {
    // The levels are constants from 1 to 5.
    Score::new(value.clamp(1, 5)).unwrap_or_else(lowest)
}

/// A claim that is to be judged.
pub(super) struct Claim<'a> {
    pub(super) text: &'a str,
    pub(super) given_id: Option<String>,
    pub(super) span: Option<Span>,
    /// Cut from the answer here, so that nothing is left to cut.
    pub(super) is_atom: bool,
}

/// A claim beside its best window.
struct Look {
    window: Window,
    /// Windows that hold what the first lacks.
    complements: Vec<Window>,
    differences: Vec<Difference>,
    /// How well the window has each token of the claim.
    cover: Vec<f64>,
    counted: Features,
}

/// The indexed evidence of one record.
pub(super) struct Desk<'r> {
    evidence: Evidence<'r>,
    scripts: Vec<Script>,
}

impl<'r> Desk<'r> {
    pub(super) fn new(passages: &'r [Passage]) -> Self {
        let mut scripts: Vec<Script> =
            passages.iter().filter_map(|passage| dominant_script(&passage.content)).collect();
        scripts.sort_unstable();
        scripts.dedup();
        Self { evidence: Evidence::new(passages), scripts }
    }

    pub(super) fn finding(&self, claim: Claim<'_>) -> Finding {
        let outcome = match if claim.is_atom { self.judge_one(claim.text) } else { self.judge(claim.text) } {
            Ok(judged) => Outcome::Judged(judged),
            Err(reason) => Outcome::NotJudged { state: NoVerdict::NotChecked, reason },
        };
        Finding {
            claim_text: claim.text.to_owned(),
            given_id: claim.given_id,
            answer_span: claim.span,
            outcome,
        }
    }

    /// Why the claim cannot be compared with this evidence; `None` when it can.
    fn obstacle(&self, claim: &str) -> Option<String> {
        if claim.len() > LONGEST_CLAIM {
            return Some(too_long("claim", claim.len(), LONGEST_CLAIM));
        }
        let script = dominant_script(claim)?;
        let unsegmented =
            if needs_dictionary(script) { Some(script) } else { self.unknown_unsegmented(claim) };
        if let Some(script) = unsegmented {
            return Some(format!(
                "the local judge cannot tell words apart in {script:?} script: it needs a dictionary"
            ));
        }
        let comparable =
            self.scripts.iter().any(|other| language::family(*other) == language::family(script));
        if !comparable && !self.scripts.is_empty() {
            let names: Vec<String> = self.scripts.iter().map(|script| format!("{script:?}")).collect();
            return Some(format!(
                "the claim is in {script:?} script and the evidence in {}: the local judge does not translate",
                names.join(" and ")
            ));
        }
        None
    }

    /// The script of words that cannot be told apart and that do not stand in the evidence letter for letter.
    fn unknown_unsegmented(&self, claim: &str) -> Option<Script> {
        let of = |c: char| Script::of(c).filter(|script| needs_dictionary(*script));
        let first = claim.chars().find_map(of)?;
        let is_known =
            |run: &str| self.evidence.passages.iter().any(|indexed| indexed.passage.content.contains(run));
        claim
            .split_whitespace()
            .filter(|run| run.chars().any(|c| of(c).is_some()))
            .map(|run| run.trim_matches(|c: char| !c.is_alphanumeric()))
            .any(|run| !is_known(run))
            .then_some(first)
    }

    /// Judges a claim as it is given. One of several sentences is judged sentence by sentence, and is only as
    /// good as all of them.
    pub(super) fn judge(&self, claim: &str) -> Result<Judged, String> {
        if claim.len() > LONGEST_CLAIM {
            return Err(too_long("claim", claim.len(), LONGEST_CLAIM));
        }
        let parts = parts(claim);
        if parts.len() < 2 {
            return self.judge_one(claim);
        }
        let mut judged: Vec<(&str, Judged)> = Vec::new();
        let mut unjudged: Vec<(&str, String)> = Vec::new();
        for part in parts {
            match self.judge_one(part) {
                Ok(said) => judged.push((part, said)),
                Err(reason) => unjudged.push((part, reason)),
            }
        }
        let supports =
            |part: &Judged| matches!(part.verdict, Verdict::FullySupported | Verdict::PartiallySupported);
        let decided = judged.iter().any(|(_, part)| part.verdict == Verdict::Contradicted || supports(part));
        match unjudged.first() {
            Some((part, reason)) if !decided => {
                Err(format!("a part of the claim, “{}”, cannot be judged: {reason}", rationale::quoted(part)))
            }
            _ => Ok(together(judged, unjudged.first().map(|(part, _)| *part))),
        }
    }

    /// Judges a claim of one sentence.
    fn judge_one(&self, claim: &str) -> Result<Judged, String> {
        if let Some(reason) = self.obstacle(claim) {
            return Err(reason);
        }
        let reading = Reading::new(claim);
        let terms = terms(reading.tokens());
        if terms.is_empty() {
            return Err("the claim holds no word that could be compared".into());
        }
        let Some(look) = self.look(&reading, &terms) else {
            return Ok(not_mentioned());
        };
        let mut weighed = weigh::weigh(&look.counted, &WEIGHTS);
        weighed.confidence = weighed.confidence.min(language::most_confident(&reading, weighed.verdict));
        let told = rationale::of(&weighed, &reading, &look.cover, self.text(&look.window), &look.differences);
        let windows = self.decisive(weighed.verdict, &reading, &look);
        Ok(self.judged(weighed, &look, &windows, told))
    }

    /// The shortest evidence that shows the verdict: the clause that holds the conflict, or the one sentence that
    /// bears the claim out alone.
    fn decisive(&self, verdict: Verdict, claim: &Reading<'_>, look: &Look) -> Vec<Window> {
        let whole = || std::iter::once(&look.window).chain(&look.complements).cloned().collect();
        match verdict {
            Verdict::Unsupported => vec![look.window.clone()],
            Verdict::PartiallySupported => whole(),
            Verdict::Contradicted => vec![self.clause_in_conflict(claim, look)],
            Verdict::FullySupported => {
                // The one sentence that has nearly all of it, or all that was looked at.
                let reach = covered(claim, &look.cover) - HARDLY_LESS;
                let holds = |sentence: &Window| {
                    let reading = self.read(sentence);
                    let differences = between(claim, &reading);
                    covered(claim, &cover::cover(claim, &reading, &differences)) >= reach
                };
                let alone = self.evidence.sentences_of(&look.window).into_iter().find(|one| holds(one));
                match alone {
                    Some(sentence) => {
                        std::iter::once(sentence).chain(look.complements.iter().cloned()).collect()
                    }
                    None => whole(),
                }
            }
        }
    }

    fn clause_in_conflict(&self, claim: &Reading<'_>, look: &Look) -> Window {
        let text = self.text(&look.window);
        let conflicts: Vec<Span> =
            look.differences.iter().filter(|d| d.is_conflict()).filter_map(|d| d.evidence).collect();
        let (Some(start), Some(end)) =
            (conflicts.iter().map(|span| span.start()).min(), conflicts.iter().map(|span| span.end()).max())
        else {
            return look.window.clone();
        };
        let holds = |span: Span| span.start() <= start && end <= span.end();
        let sentences = self.evidence.sentences_of(&look.window);
        let Some(sentence) = sentences.into_iter().find(|sentence| holds(sentence.span)) else {
            return look.window.clone();
        };
        let tokens =
            self.evidence.passages[sentence.passage].tokens.get(sentence.tokens.clone()).unwrap_or(&[]);
        let shares = |span: &Span| {
            let words = tokens.iter().filter(|token| !token.stop && span.contains(token.span));
            words.filter(|token| claim.contains(token.stem)).count() >= LEAST_SHARED
        };
        match atoms(text, sentence.span, tokens).into_iter().find(|span| holds(*span)) {
            Some(span) if shares(&span) => Window { span, ..sentence },
            _ => sentence,
        }
    }

    fn text(&self, window: &Window) -> &'r str {
        &self.evidence.passages[window.passage].passage.content
    }

    /// The window that decides, with what was counted in it; `None` when no word is shared. It is the one that
    /// holds most of the claim, unless that one lacks some of it and one nearly as good is in conflict with it.
    fn look(&self, claim: &Reading<'_>, terms: &[Term]) -> Option<Look> {
        let windows = self.evidence.windows(terms);
        let sentence = self.best_sentence(claim, &windows);
        let best = self.look_at(claim, &windows, 0, sentence)?;
        if best.counted.coverage >= NEARLY_ALL || best.counted.has_conflict() {
            return Some(best);
        }
        let near = |window: &Window| window.coverage >= best.window.coverage - NEARLY_AS_GOOD;
        let in_conflict = (1..windows.len()).filter(|index| near(&windows[*index])).find_map(|index| {
            self.look_at(claim, &windows, index, sentence).filter(|look| look.counted.has_conflict())
        });
        Some(in_conflict.unwrap_or(best))
    }

    /// The claim beside one of the windows; `sentence` is what [`Self::best_sentence`] says of all.
    fn look_at(&self, claim: &Reading<'_>, windows: &[Window], index: usize, sentence: f64) -> Option<Look> {
        let window = windows.get(index)?.clone();
        let rest =
            windows.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, window)| window.clone());
        let reading = self.read(&window);
        let differences = between(claim, &reading);
        let cover = cover::cover(claim, &reading, &differences);
        let (completed, complements) = self.complete(claim, &window, &cover, rest.collect());
        let is_english = language::is_english(claim);
        let predicate = if is_english { predicate::of(claim) } else { None };
        let seen = || std::iter::once(&window).chain(&complements).map(|window| self.read(window));
        let said = predicate.as_ref().map_or(Said::OfTheSubject, |predicate| {
            seen().map(|reading| predicate.said_in(claim, &reading)).min().unwrap_or(Said::Nowhere)
        });
        let is_denied = predicate
            .as_ref()
            .is_some_and(|predicate| seen().any(|reading| predicate.is_denied_in(claim, &reading)));
        let pair = Pair {
            claim,
            window: &reading,
            cover: &cover,
            completed: &completed,
            sentence,
            differences: &differences,
            said,
            is_denied,
            is_english,
        };
        let counted = features::features(&pair, &self.evidence);
        Some(Look { window, complements, differences, cover, counted })
    }

    /// The weighted share of the claim in the one sentence that has most of it.
    fn best_sentence(&self, claim: &Reading<'_>, windows: &[Window]) -> f64 {
        windows
            .iter()
            .flat_map(|window| self.evidence.sentences_of(window))
            .map(|sentence| {
                let reading = self.read(&sentence);
                covered(claim, &cover::cover(claim, &reading, &[]))
            })
            .fold(0.0, f64::max)
    }

    /// Further windows that hold words of the claim which the first lacks, and what all cover together.
    fn complete(
        &self,
        claim: &Reading<'_>,
        first: &Window,
        cover: &[f64],
        rest: Vec<Window>,
    ) -> (Vec<f64>, Vec<Window>) {
        let mut completed = cover.to_vec();
        let mut chosen: Vec<Window> = Vec::new();
        for window in rest {
            let apart = |other: &Window| other.passage != window.passage || !other.span.overlaps(window.span);
            let lacking = completed.iter().filter(|had| **had < 0.5).count();
            if chosen.len() == MOST_COMPLEMENTS || lacking < LEAST_GAIN {
                break;
            }
            if !apart(first) || !chosen.iter().all(apart) {
                continue;
            }
            let reading = self.read(&window);
            let own = cover::cover(claim, &reading, &between(claim, &reading));
            let gained = own.iter().zip(&completed).filter(|(own, had)| **own >= 0.5 && **had < 0.5).count();
            if gained >= LEAST_GAIN {
                for (had, own) in completed.iter_mut().zip(own) {
                    *had = had.max(own);
                }
                chosen.push(window);
            }
        }
        (completed, chosen)
    }

    /// What is counted for each part of a claim; for fitting.
    pub(super) fn counted(&self, claim: &str) -> Vec<Features> {
        parts(claim)
            .into_iter()
            .filter_map(|part| {
                let reading = Reading::new(part);
                let terms = terms(reading.tokens());
                if terms.is_empty() {
                    return None;
                }
                Some(self.look(&reading, &terms).map_or_else(Features::default, |look| look.counted))
            })
            .collect()
    }

    fn read(&self, window: &Window) -> Reading<'_> {
        let indexed = &self.evidence.passages[window.passage];
        let tokens = indexed.tokens.get(window.tokens.clone()).unwrap_or(&[]);
        Reading::of_tokens(&indexed.passage.content, tokens)
    }

    fn citation(&self, window: &Window, role: Role) -> Citation {
        Citation {
            passage_id: self.evidence.passages[window.passage].passage.passage_id.clone(),
            span: Some(window.span),
            quote: window.span.of(self.text(window)).unwrap_or_default().to_owned(),
            role,
            level: MatchLevel::Exact,
        }
    }

    fn judged(
        &self,
        weighed: Weighed,
        Look { differences, counted, .. }: &Look,
        windows: &[Window],
        rationale: String,
    ) -> Judged {
        let role = match weighed.verdict {
            Verdict::FullySupported | Verdict::PartiallySupported => Role::Supports,
            Verdict::Contradicted => Role::Contradicts,
            Verdict::Unsupported => Role::Closest,
        };
        let citations = windows.iter().map(|window| self.citation(window, role)).collect();
        Judged {
            verdict: weighed.verdict,
            confidence: Probability::clamped(weighed.confidence.min(MOST_CONFIDENT)),
            severity: None,
            hallucination_type: rationale::hallucination_type(weighed.verdict, differences),
            citations,
            rationale,
            support: Some(support_score(weighed, counted)),
        }
    }
}

/// The sentences of a claim. Whoever gave it wants all of it checked, also what would be no claim in an answer;
/// a greeting or an opinion beside something to check has nothing to check.
fn parts(claim: &str) -> Vec<&str> {
    let pieces = claims::split(claim);
    let has_claim = pieces.iter().any(|piece| matches!(piece, Piece::Claim(_)));
    let is_idle = |reason| matches!(reason, NoClaimReason::Greeting | NoClaimReason::Opinion);
    pieces
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Claim(span) => span.of(claim),
            Piece::NoClaim(no_claim) if has_claim && is_idle(no_claim.reason) => None,
            Piece::NoClaim(no_claim) => no_claim.answer_span.of(claim),
        })
        .filter(|part| part.chars().any(char::is_alphanumeric))
        .collect()
}

/// A claim of which the evidence has no word.
fn not_mentioned() -> Judged {
    Judged {
        verdict: Verdict::Unsupported,
        confidence: Probability::clamped(weigh::weigh(&Features::default(), &WEIGHTS).confidence),
        severity: None,
        hallucination_type: Some(HallucinationType::Fabrication),
        citations: Vec::new(),
        rationale: rationale::nothing_shared(),
        support: Some(lowest()),
    }
}

/// One verdict for the parts of a claim: contradicted when one part is, supported when all are.
/// With an `unjudged` part it is at best supported in part.
fn together(parts: Vec<(&str, Judged)>, unjudged: Option<&str>) -> Judged {
    let has = |verdict: Verdict| parts.iter().any(|(_, part)| part.verdict == verdict);
    let verdict = if has(Verdict::Contradicted) {
        Verdict::Contradicted
    } else if unjudged.is_none() && parts.iter().all(|(_, part)| part.verdict == Verdict::FullySupported) {
        Verdict::FullySupported
    } else if has(Verdict::FullySupported) || has(Verdict::PartiallySupported) {
        Verdict::PartiallySupported
    } else {
        Verdict::Unsupported
    };
    let deciding = |part: &Judged| match verdict {
        Verdict::PartiallySupported => part.verdict != Verdict::FullySupported,
        other => part.verdict == other,
    };
    let told = parts.iter().filter(|(_, part)| deciding(part));
    let open =
        unjudged.filter(|_| verdict != Verdict::Contradicted).map(|part| (part, rationale::NOT_COMPARED));
    let rationale = rationale::of_parts(
        open.into_iter().chain(told.map(|(text, part)| (*text, part.rationale.as_str()))),
    );
    let confidences = parts.iter().filter(|(_, part)| deciding(part)).map(|(_, part)| part.confidence.get());
    let confidence = if verdict == Verdict::Contradicted {
        confidences.fold(0.0, f64::max)
    } else {
        confidences.fold(if open.is_some() { NOT_ALL_COMPARED } else { 1.0 }, f64::min)
    };
    let least = parts.iter().filter_map(|(_, part)| part.support).min().unwrap_or_else(lowest);
    let types = parts.iter().find(|(_, part)| deciding(part)).and_then(|(_, part)| part.hallucination_type);
    let mut citations: Vec<Citation> = Vec::new();
    for (_, part) in parts {
        let fits = verdict != Verdict::Contradicted || part.verdict == Verdict::Contradicted;
        for citation in part.citations {
            if fits && !citations.contains(&citation) {
                citations.push(citation);
            }
        }
    }
    Judged {
        verdict,
        confidence: Probability::clamped(confidence.min(MOST_CONFIDENT)),
        severity: None,
        hallucination_type: types,
        citations,
        rationale,
        support: Some(if verdict == Verdict::PartiallySupported { score(3) } else { least }),
    }
}

fn support_score(weighed: Weighed, counted: &Features) -> Score {
    score(match weighed.verdict {
        Verdict::FullySupported if weighed.support >= WEIGHTS.thresholds.full + CLEARLY => 5,
        Verdict::FullySupported => 4,
        Verdict::PartiallySupported => 3,
        Verdict::Unsupported if counted.coverage >= 0.3 => 2,
        Verdict::Unsupported | Verdict::Contradicted => 1,
    })
}
