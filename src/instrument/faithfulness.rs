//! Faithfulness: an answer and its passages in, claims with verdicts out.

use super::check::{Check, Said};
use super::grounds::{Grounds, has_content};
use super::severity::{MOST_CITED, Surroundings};
use crate::domain::finding::{Finding, JudgeIdentity, NoClaim, Outcome, RunResult};
use crate::domain::queue::ClaimDetail;
use crate::domain::record::{GivenClaim, Record};
use crate::domain::severity::Stakes;
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, NoVerdict, Role, Verdict};
use crate::judge::{FaithfulnessReply, FaithfulnessSettings, Judge, JudgeFailure, Remark};
use crate::text::compare::{DifferenceKind, Reading, differences};
use crate::text::locate::locate;
use crate::text::sentences::sentences;
use crate::text::tokens::TokenKind;

/// Audits every claim of `record`.
///
/// Whatever the judge says:
/// - a label other than UNSUPPORTED without a citation that stands in the passage it names, in the role of the
///   label (supports, contradicts) and with words that can decide something, is ungrounded, and so is one whose rationale names a number, date, name or quotation found neither in the claim nor
///   in any passage (its rationale then says so);
/// - a claim that the judge found has no label that counts when a number, date, name or negation of it is not that of
///   its sentence;
/// - a missing severity or type is filled from the table of [`mod@crate::domain::severity`];
/// - given claims come back each exactly once, in their order: what the judge left out is INCOMPLETE, what
///   it invented or said twice is dropped and logged;
/// - a sentence of the answer of which the judge said nothing is INCOMPLETE;
/// - an answer without usable evidence gives one entry `INSUFFICIENT_EVIDENCE` (one for each claim where
///   claims are given), and an answer without claims one entry `NO_CLAIMS`.
///
/// # Errors
/// Only when the judge itself fails.
pub async fn audit(
    judge: &dyn Judge,
    record: &Record,
    settings: &FaithfulnessSettings,
) -> Result<RunResult, JudgeFailure> {
    let (findings, no_claims, exchanges) = if let Some(findings) = nothing_to_judge(record) {
        (findings, Vec::new(), Vec::new())
    } else {
        let mut reply = judge.faithfulness(record, settings).await?;
        let exchanges = std::mem::take(&mut reply.exchanges);
        let checked = check(record, reply);
        if checked.dropped > 0 {
            tracing::warn!(
                audit_id = %record.audit_id,
                dropped = checked.dropped,
                "the judge returned claims that were not asked for or came twice"
            );
        }
        (checked.findings, checked.no_claims, exchanges)
    };
    Ok(RunResult {
        identity: identity(judge, settings),
        instrument: "faithfulness",
        findings,
        no_claims,
        exchanges,
    })
}

/// Who judged, under which settings: the judge's own and the instrument's.
pub fn identity(judge: &dyn Judge, settings: &FaithfulnessSettings) -> JudgeIdentity {
    let mut identity = judge.identity();
    if let Some(own) = identity.settings.as_object_mut() {
        own.insert("granularity".to_owned(), settings.granularity.label().into());
        own.insert("threshold".to_owned(), settings.threshold.label().into());
        own.insert("constraints".to_owned(), settings.constraints.as_str().into());
    }
    identity
}

/// A reply after everything in it was looked at.
struct Checked {
    findings: Vec<Finding>,
    no_claims: Vec<NoClaim>,
    /// Claims that were invented or came twice.
    dropped: usize,
}

fn without_verdict(claim_text: &str, state: NoVerdict, reason: String) -> Finding {
    Finding {
        claim_text: claim_text.to_owned(),
        given_id: None,
        answer_span: None,
        outcome: Outcome::NotJudged { state, reason },
    }
}

/// The entries for a record that no judge can say anything of.
fn nothing_to_judge(record: &Record) -> Option<Vec<Finding>> {
    if !has_content(&record.answer) && record.given_claims.is_empty() {
        let reason = "the answer is empty".to_owned();
        return Some(vec![without_verdict(&record.answer, NoVerdict::NoClaims, reason)]);
    }
    if record.passages.iter().any(|passage| has_content(&passage.content)) {
        return None;
    }
    let reason = match record.passages.len() {
        0 => "there is no evidence passage".to_owned(),
        1 => "the only evidence passage is empty".to_owned(),
        more => format!("all {more} evidence passages are empty"),
    };
    let state = NoVerdict::InsufficientEvidence;
    if record.given_claims.is_empty() {
        return Some(vec![without_verdict(&record.answer, state, reason)]);
    }
    let entry = |given: &GivenClaim| Finding {
        given_id: given.claim_id.clone(),
        answer_span: locate(&record.answer, &given.claim_text).span,
        ..without_verdict(&given.claim_text, state, reason.clone())
    };
    Some(record.given_claims.iter().map(entry).collect())
}

fn check(record: &Record, reply: FaithfulnessReply) -> Checked {
    let asked = reply.findings.len();
    let findings = grounded_all(reply.findings, &reply.remarks, record);
    let no_claims: Vec<NoClaim> =
        reply.no_claims.into_iter().filter(|entry| fits(entry.answer_span, &record.answer)).collect();
    let kept = if record.given_claims.is_empty() {
        distinct(&record.answer, findings)
    } else {
        in_given_order(record, findings)
    };
    let dropped = asked - kept.iter().flatten().count();
    let mut findings: Vec<Finding> = kept
        .into_iter()
        .enumerate()
        .map(|(at, finding)| finding.unwrap_or_else(|| left_out(record, at)))
        .collect();
    if record.given_claims.is_empty() {
        findings.extend(silent_sentences(&record.answer, &findings, &no_claims));
        findings.sort_by_key(|finding| finding.answer_span.map_or(usize::MAX, Span::start));
        if findings.is_empty() {
            let reason = "no sentence of the answer states something that evidence could decide";
            findings.push(without_verdict(&record.answer, NoVerdict::NoClaims, reason.into()));
        }
    }
    Checked { findings, no_claims, dropped }
}

fn fits(span: Span, answer: &str) -> bool {
    span.of(answer).is_some()
}

/// Of the same claim judged twice, which must not be lost: a wrong one, then one that is not decided.
const fn badness(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Judged(judged) => match judged.verdict {
            Verdict::Contradicted => 4,
            Verdict::Unsupported => 3,
            Verdict::PartiallySupported => 2,
            Verdict::FullySupported => 0,
        },
        Outcome::Ungrounded(_) | Outcome::NotJudged { .. } => 1,
    }
}

/// The claims that the judge found, each once: of the same one the finding that is worst.
fn distinct(answer: &str, findings: Vec<Finding>) -> Vec<Option<Finding>> {
    let mut kept: Vec<Option<Finding>> = Vec::new();
    let mut seen = std::collections::HashMap::new();
    for mut finding in findings {
        finding.given_id = None;
        finding.answer_span = finding
            .answer_span
            .filter(|span| fits(*span, answer))
            .or_else(|| locate(answer, &finding.claim_text).span);
        let at = *seen.entry((finding.claim_text.clone(), finding.answer_span)).or_insert(kept.len());
        match kept.get_mut(at) {
            Some(Some(earlier)) if badness(&finding.outcome) > badness(&earlier.outcome) => {
                *earlier = finding;
            }
            Some(_) => {}
            None => kept.push(Some(finding)),
        }
    }
    kept
}

/// One place for each given claim, with what the judge said of it.
fn in_given_order(record: &Record, findings: Vec<Finding>) -> Vec<Option<Finding>> {
    let mut places: Vec<Option<Finding>> = record.given_claims.iter().map(|_| None).collect();
    for finding in findings {
        let is_of = |given: &GivenClaim| {
            given.claim_text == finding.claim_text
                && (finding.given_id.is_none() || finding.given_id == given.claim_id)
        };
        let is_worse = |place: &Option<Finding>| {
            place.as_ref().is_none_or(|earlier| badness(&finding.outcome) > badness(&earlier.outcome))
        };
        let mut places_of = (0..places.len()).filter(|at| is_of(&record.given_claims[*at]));
        let free = places_of.clone().find(|at| places[*at].is_none());
        if let Some(at) = free.or_else(|| places_of.find(|at| is_worse(&places[*at]))) {
            let given_id = record.given_claims[at].claim_id.clone();
            let answer_span = finding
                .answer_span
                .filter(|span| fits(*span, &record.answer))
                .or_else(|| locate(&record.answer, &finding.claim_text).span);
            places[at] = Some(Finding { given_id, answer_span, ..finding });
        }
    }
    places
}

fn left_out(record: &Record, at: usize) -> Finding {
    let reason = "the judge said nothing of this claim".to_owned();
    let given = &record.given_claims[at];
    Finding {
        given_id: given.claim_id.clone(),
        answer_span: locate(&record.answer, &given.claim_text).span,
        ..without_verdict(&given.claim_text, NoVerdict::Incomplete, reason)
    }
}

/// Sentences that are neither in a finding nor declared to hold no claim. An entry about the answer as a
/// whole speaks for all of them.
fn silent_sentences(answer: &str, findings: &[Finding], no_claims: &[NoClaim]) -> Vec<Finding> {
    if findings.iter().any(|finding| finding.answer_span.is_none()) {
        return Vec::new();
    }
    let mut spoken: Vec<Span> = findings.iter().filter_map(|finding| finding.answer_span).collect();
    spoken.extend(no_claims.iter().map(|entry| entry.answer_span));
    spoken.sort_unstable();
    let mut furthest = 0;
    let ends: Vec<usize> = spoken
        .iter()
        .map(|span| {
            furthest = furthest.max(span.end());
            furthest
        })
        .collect();
    sentences(answer)
        .into_iter()
        .filter(|sentence| {
            let before = spoken.partition_point(|span| span.start() < sentence.end());
            let reached = before.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(0);
            reached <= sentence.start() && sentence.of(answer).is_some_and(has_content)
        })
        .map(|sentence| Finding {
            answer_span: Some(sentence),
            ..without_verdict(
                sentence.of(answer).unwrap_or_default(),
                NoVerdict::Incomplete,
                "the judge said nothing of this sentence".into(),
            )
        })
        .collect()
}

/// Every finding checked, and then with what the program remarks of it: the remarks are not the model's words, so
/// they are not held to the evidence.
fn grounded_all(findings: Vec<Finding>, remarks: &[Remark], record: &Record) -> Vec<Finding> {
    let check = Check::new(record);
    let mut findings: Vec<Finding> = findings.into_iter().map(|finding| grounded(finding, &check)).collect();
    for remark in remarks {
        let text = match findings.get_mut(remark.finding).map(|finding| &mut finding.outcome) {
            Some(Outcome::Judged(judged) | Outcome::Ungrounded(judged)) => &mut judged.rationale,
            Some(Outcome::NotJudged { reason, .. }) => reason,
            None => continue,
        };
        text.push(' ');
        text.push_str(&remark.text);
    }
    findings
}

/// The finding with its citations located, its gaps filled, and its label only as good as its grounds.
fn grounded(finding: Finding, check: &Check<'_>) -> Finding {
    let mut judged = match finding.outcome {
        Outcome::NotJudged { .. } => return finding,
        Outcome::Judged(judged) | Outcome::Ungrounded(judged) => judged,
    };
    let claim = finding.claim_text.as_str();
    let checked = check.checked(Said {
        claim,
        span: finding.answer_span,
        citations: &judged.citations,
        verdict: Some(judged.verdict),
        rationale: judged.rationale,
    });
    (judged.citations, judged.rationale) = (checked.citations, checked.rationale);
    let said = (judged.hallucination_type, judged.severity);
    (judged.hallucination_type, judged.severity) =
        check.weighed(judged.verdict, said, claim, &judged.citations);
    let outcome = if checked.is_grounded { Outcome::Judged(judged) } else { Outcome::Ungrounded(judged) };
    Finding { outcome, ..finding }
}

/// A claim as a person rules on it.
#[derive(Debug, Clone, Copy)]
pub struct Ruled<'a> {
    pub record: &'a Record,
    pub claim: &'a str,
    /// Where it stands in the answer.
    pub place: Option<Span>,
    /// What is cited for or against it.
    pub citations: &'a [Citation],
}

impl<'a> From<&'a ClaimDetail> for Ruled<'a> {
    fn from(detail: &'a ClaimDetail) -> Self {
        let inherited = || detail.inherited.as_ref().map_or(&[][..], |inherited| &inherited.citations);
        let judged = detail.outcome.judged();
        Self {
            record: &detail.record,
            claim: &detail.claim_text,
            place: detail.answer_span,
            citations: judged.map_or_else(inherited, |judged| &judged.citations),
        }
    }
}

/// What is at stake with a claim on which a person rules, read from its words, the words cited and the record: what
/// the table of [`mod@crate::domain::severity`] needs. Half a sentence is about what the whole sentence of the answer
/// is about: which word fell to which half decides nothing. Reads all passages when the claim names a number or a name.
pub fn stakes<'a>(ruled: impl Into<Ruled<'a>>) -> Stakes {
    let Ruled { record, claim, place, citations } = ruled.into();
    let surroundings = Surroundings::new(record);
    let stakes = weigh(citations, claim, &surroundings, &Grounds::new(&record.passages));
    let around = || {
        let mut around = place.into_iter().flat_map(|place| {
            sentences(&record.answer).into_iter().filter(move |sentence| sentence.overlaps(place))
        });
        around.any(|sentence| {
            sentence.of(&record.answer).is_some_and(|words| surroundings.can_harm(words, citations))
        })
    };
    Stakes { can_harm: stakes.can_harm || around(), ..stakes }
}

pub(super) fn weigh(
    citations: &[Citation],
    claim: &str,
    surroundings: &Surroundings<'_>,
    grounds: &Grounds<'_>,
) -> Stakes {
    let record = surroundings.record;
    let cited: Vec<&str> = citations
        .iter()
        .take(MOST_CITED)
        .filter(|citation| citation.role != Role::Closest)
        .filter_map(|citation| citation.span?.of(&record.passage(&citation.passage_id)?.content))
        .collect();
    let reading = Reading::new(claim);
    let unknown_number =
        reading.tokens().iter().any(|token| token.kind == TokenKind::Number && !grounds.has_word(token.stem));
    let unknown_name =
        reading.names().iter().any(|(_, stems)| !stems.iter().any(|stem| grounds.has_word(*stem)));
    let differing = cited.iter().flat_map(|words| differences(claim, words)).any(|difference| {
        difference.is_conflict()
            && matches!(difference.kind, DifferenceKind::Number | DifferenceKind::Date | DifferenceKind::Name)
    });
    Stakes {
        can_harm: surroundings.can_harm(claim, citations),
        invented_detail: unknown_number || unknown_name || differing,
        risk: record.risk_level,
    }
}

#[cfg(test)]
#[path = "faithfulness_tests.rs"]
mod tests;
