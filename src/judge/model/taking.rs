//! What is taken from a reply: findings, sentences without a claim, what is to be asked further, and what is missing.

use std::collections::HashSet;

use super::asker::{Asker, Said};
use super::evidence::{Evidence, Seen};
use super::faithfulness::{Course, Target, Targets};
use super::reply::{Claim, Label, Quote, Reply, place};
use super::stated;
use crate::domain::finding::{Judged, NoClaim, NoClaimReason, Outcome};
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, MatchLevel, NoVerdict, Verdict};
use crate::judge::Remark;
use crate::judge::reading::Change;
use crate::text::locate::locate;

/// What a reply leaves to be done.
pub(super) struct Sorted {
    /// What nothing spoke against in the evidence shown, while there is more.
    pub(super) further: Vec<Targets>,
    /// Of which the reply says nothing.
    pub(super) missing: Targets,
}

impl<A: Asker> Course<'_, A> {
    pub(super) fn take_sentences(
        &mut self,
        asked: &[usize],
        said: &Said,
        seen: &Seen,
        is_all: bool,
    ) -> Sorted {
        // The harness gives back only what was read once already.
        let Ok(reply) = Reply::read(&said.value) else {
            return Sorted { further: Vec::new(), missing: Targets::Sentences(asked.to_vec()) };
        };
        let Reply { claims, no_claims } = reply;
        let mut spoken: HashSet<usize> = HashSet::new();
        let mut useless: Option<String> = None;
        let mut lacking: Vec<(usize, String)> = Vec::new();
        let mut further: Vec<Target> = Vec::new();
        // Among other claims an entry without a sentence speaks of nothing that could be told.
        let is_sole = claims.len() == 1;
        let mut dropped = 0;
        let mut spoilt: Option<String> = None;
        // Of a sentence with a claim that cannot count nothing is taken: it is asked about again.
        let unread: HashSet<usize> = claims
            .iter()
            .enumerate()
            .filter(|(at, claim)| {
                claim.probability().is_none() || said.lacks_details(&format!("{CLAIMS}/{at}"))
            })
            .filter_map(|(_, claim)| self.sentence_of(claim, asked))
            .collect();
        for change in said.dropped() {
            spoken.extend(self.dropped(change, asked));
        }
        for (at, claim) in claims.into_iter().enumerate() {
            let change = said.change_at(&format!("{CLAIMS}/{at}"));
            let Some(index) = self.sentence_of(&claim, asked) else {
                match change {
                    Some(change) if claim.verdict == Label::Insufficient => {
                        spoilt.get_or_insert_with(|| change.reason());
                    }
                    None if claim.verdict == Label::Insufficient && is_sole => {
                        useless.get_or_insert(claim.rationale);
                    }
                    _ => dropped += 1,
                }
                continue;
            };
            if unread.contains(&index) {
                continue;
            }
            spoken.insert(index);
            let (span, is_quoted) = self.place(index, &claim.answer_quote);
            let text = [claim.text.trim(), claim.answer_quote.trim(), self.sentence(index)]
                .into_iter()
                .find(|text| !text.is_empty())
                .unwrap_or_default()
                .to_owned();
            let is_whole = claim.text.trim().is_empty() && claim.answer_quote.trim().is_empty();
            let target = Target { text, given_id: None, span, is_quoted, before: None };
            if let Some(change) = change {
                self.spoilt(&target, change);
                continue;
            }
            let Label::Verdict(verdict) = claim.verdict else {
                match is_all {
                    true if is_whole => lacking.push((index, claim.rationale)),
                    true => self.lacks(&target, claim.rationale),
                    false => further.push(target),
                }
                continue;
            };
            let Some(judged) = judged(verdict, claim, &self.evidence) else { continue };
            if is_open(verdict) && !is_all {
                further.push(Target { before: Some(judged), ..target });
            } else {
                self.found(&target, judged, seen, is_all);
            }
        }
        let mut doubtful: Vec<usize> = Vec::new();
        for (at, number) in no_claims.into_iter().enumerate() {
            // What a repair declares to hold no claim is asked about again.
            if said.change_at(&format!("/no_claim/{at}")).is_some() {
                continue;
            }
            let index = index(number).filter(|index| asked.contains(index));
            match index {
                Some(index) if spoken.insert(index) => {
                    if !self.is_silenced(index) {
                        continue;
                    }
                    spoken.remove(&index);
                    doubtful.push(index);
                }
                Some(_) => {}
                None => dropped += 1,
            }
        }
        self.tell_dropped(dropped);
        let is_left = |index: &usize| !spoken.contains(index) && !doubtful.contains(index);
        let mut missing: Vec<usize> = asked.iter().copied().filter(is_left).collect();
        let mut further = vec![Targets::Claims(further)];
        if let Some(reason) = spoilt {
            let open = Targets::Sentences(std::mem::take(&mut missing));
            self.without_verdict(&open, NoVerdict::Incomplete, &reason);
        } else if let Some(reason) = useless {
            let useless = std::mem::take(&mut missing);
            if is_all {
                self.insufficient.extend(useless.into_iter().map(|index| (index, reason.clone())));
            } else {
                further.push(Targets::Sentences(useless));
            }
        }
        lacking.retain(|(index, _)| !self.insufficient.iter().any(|(other, _)| other == index));
        self.insufficient.extend(lacking);
        missing.extend(doubtful);
        missing.sort_unstable();
        missing.dedup();
        Sorted { further, missing: Targets::Sentences(missing) }
    }

    /// Takes a sentence for one without a claim, as the judge says. Whether it is to be asked about once more instead:
    /// a sentence that states something of which a number, date or name can be checked is not silenced that easily.
    /// When the judge insists, it is for a person.
    fn is_silenced(&mut self, index: usize) -> bool {
        let Some(span) = self.sentences.get(index).copied() else { return false };
        let Some(fact) = stated::fact(&self.record.answer, &self.stated, span) else {
            let reason = no_claim_reason(self.sentence(index));
            self.reply.no_claims.push(NoClaim { answer_span: span, reason });
            return false;
        };
        if self.doubted.insert(index) {
            return true;
        }
        self.without_verdict(&Targets::Sentences(vec![index]), NoVerdict::Incomplete, &stated::reason(fact));
        false
    }

    /// The evidence has nothing to do with that claim.
    fn lacks(&mut self, target: &Target, reason: String) {
        let state = NoVerdict::InsufficientEvidence;
        self.reply.findings.push(target.finding(Outcome::NotJudged { state, reason }));
    }

    pub(super) fn take_claims(&mut self, asked: &[Target], said: &Said, seen: &Seen, is_all: bool) -> Sorted {
        let Ok(reply) = Reply::read(&said.value) else {
            return Sorted { further: Vec::new(), missing: Targets::Claims(asked.to_vec()) };
        };
        let mut useless: Option<String> = None;
        let mut each: Vec<Option<Claim>> = asked.iter().map(|_| None).collect();
        let mut changes: Vec<Option<&Change>> = asked.iter().map(|_| None).collect();
        let mut dropped = 0;
        for change in said.dropped() {
            if let Some(slot) = change.id.as_deref().and_then(place).and_then(|at| changes.get_mut(at)) {
                *slot = Some(change);
            }
        }
        let is_sole = reply.claims.len() == 1;
        let mut unalike: HashSet<usize> = HashSet::new();
        let mut lacking: HashSet<usize> = HashSet::new();
        for (at, claim) in reply.claims.into_iter().enumerate() {
            let change = said.change_at(&format!("{CLAIMS}/{at}"));
            let place = place(&claim.id);
            if said.lacks_details(&format!("{CLAIMS}/{at}")) {
                lacking.extend(place);
                continue;
            }
            if let (Some(change), Some(slot)) = (change, place.and_then(|at| changes.get_mut(at))) {
                *slot = Some(change);
            }
            match place.and_then(|at| each.get_mut(at)) {
                // What is said of other words than the given ones is said of nothing that was asked.
                Some(_)
                    if !place.and_then(|at| asked.get(at)).is_some_and(|given| claim.is_of(&given.text)) =>
                {
                    dropped += 1;
                }
                Some(free @ None) => *free = Some(claim),
                Some(Some(earlier)) => {
                    dropped += 1;
                    unalike.extend(place.filter(|_| earlier.verdict != claim.verdict));
                }
                None if claim.verdict == Label::Insufficient && is_sole => {
                    useless.get_or_insert(claim.rationale);
                }
                _ => dropped += 1,
            }
        }
        self.tell_dropped(dropped);
        // Those are asked about again.
        for at in unalike.union(&lacking) {
            if let Some(claim) = each.get_mut(*at) {
                *claim = None;
            }
        }
        let mut further: Vec<Target> = Vec::new();
        let mut missing: Vec<Target> = Vec::new();
        for (at, ((target, claim), change)) in asked.iter().zip(each).zip(changes).enumerate() {
            if let Some(change) = change {
                self.spoilt(target, change);
                continue;
            }
            if lacking.contains(&at) {
                missing.push(target.clone());
                continue;
            }
            let said = match claim {
                Some(claim) => match claim.verdict {
                    Label::Verdict(verdict) => match judged(verdict, claim, &self.evidence) {
                        Some(judged) => Ok(self.joined(target.before.as_ref(), judged)),
                        None => Err(None),
                    },
                    Label::Insufficient => Err(Some(claim.rationale)),
                },
                None => Err(useless.clone()),
            };
            match said {
                Ok(judged) if is_open(judged.verdict) && !is_all => {
                    further.push(Target { before: Some(judged), ..target.clone() });
                }
                Ok(judged) => self.found(target, judged, seen, is_all),
                Err(None) => missing.push(target.clone()),
                Err(Some(_)) if !is_all => further.push(target.clone()),
                // This window had nothing to do with it; an earlier one had, and did not bear it out.
                Err(Some(reason)) => {
                    if let Some(judged) = &target.before {
                        self.found(target, judged.clone(), seen, is_all);
                    } else {
                        self.lacks(target, reason);
                    }
                }
            }
        }
        Sorted { further: vec![Targets::Claims(further)], missing: Targets::Claims(missing) }
    }

    /// What two windows say of one claim together. A contradiction beats everything; else what stands on words of the
    /// evidence beats what does not, and then the better verdict. The words found in the other window are kept.
    fn joined(&self, before: Option<&Judged>, now: Judged) -> Judged {
        let Some(before) = before.cloned() else { return now };
        let stands = |judged: &Judged| {
            judged.verdict != Verdict::Unsupported
                && judged.citations.iter().any(|citation| self.evidence.holds(citation))
        };
        let weight = |judged: &Judged| {
            let rank = match judged.verdict {
                Verdict::Unsupported => 0,
                Verdict::PartiallySupported => 1,
                Verdict::FullySupported => 2,
                // Also where its words are not found: then a person has to look.
                Verdict::Contradicted => 3,
            };
            (rank == 3, stands(judged), rank)
        };
        let (weights, both_stand) = ((weight(&before), weight(&now)), stands(&before) && stands(&now));
        let (mut kept, other) = if weights.1 > weights.0 { (now, before) } else { (before, now) };
        if both_stand {
            let new = other.citations.into_iter().filter(|citation| !kept.citations.contains(citation));
            let new: Vec<Citation> = new.collect();
            kept.citations.extend(new);
        }
        kept
    }

    /// What is still open after as many windows as are shown: nothing, as what was not shown may say otherwise. Support
    /// that was found is named, so that a person sees where to look.
    pub(super) fn not_shown_further(&mut self, targets: Targets, seen: &Seen) {
        let shown = self.shown(seen);
        let mut open = targets;
        if let Targets::Claims(each) = &mut open {
            each.retain(|target| {
                let Some(reason) = target.before.as_ref().and_then(|judged| found_in_part(judged, &shown))
                else {
                    return true;
                };
                let state = NoVerdict::NotChecked;
                self.reply.findings.push(target.finding(Outcome::NotJudged { state, reason }));
                false
            });
        }
        let reason =
            format!("nothing that decides was found, and only {shown} characters of the evidence were shown");
        self.without_verdict(&open, NoVerdict::NotChecked, &reason);
    }

    fn found(&mut self, target: &Target, judged: Judged, seen: &Seen, is_all: bool) {
        let finding = self.reply.findings.len();
        if !is_all {
            let text = format!("Judged with {} characters of the evidence in view.", self.shown(seen));
            self.reply.remarks.push(Remark { finding, text });
        }
        if !target.is_quoted {
            let text = "What the judge quotes of the answer does not stand in this sentence, so all of it is marked.";
            self.reply.remarks.push(Remark { finding, text: text.to_owned() });
        }
        self.reply.findings.push(target.finding(Outcome::Judged(judged)));
    }

    /// A claim of which a repair changed anything has no verdict.
    fn spoilt(&mut self, target: &Target, change: &Change) {
        let (state, reason) = (NoVerdict::Incomplete, change.reason());
        self.reply.findings.push(target.finding(Outcome::NotJudged { state, reason }));
    }

    /// A claim that a repair dropped, as far as its words tell where it belongs. Gives back its sentence.
    fn dropped(&mut self, change: &Change, asked: &[usize]) -> Option<usize> {
        let words = change.words.as_deref().unwrap_or_default();
        let found = asked.iter().copied().find(|index| {
            !words.is_empty() && locate(self.sentence(*index), words).level != MatchLevel::NotFound
        });
        let index = found.or(asked.first().copied())?;
        let text = if words.is_empty() { self.sentence(index) } else { words }.to_owned();
        let (span, is_quoted) = self.place(index, words);
        let target = Target { text, given_id: None, span, is_quoted, before: None };
        self.spoilt(&target, change);
        found
    }

    /// The asked sentence that a claim belongs to: the one it names, or else the one that holds its quote.
    fn sentence_of(&self, claim: &Claim, asked: &[usize]) -> Option<usize> {
        let named = claim.sentence.and_then(index);
        if let Some(named) = named.filter(|index| *index < self.sentences.len()) {
            return asked.contains(&named).then_some(named);
        }
        asked.iter().copied().find(|index| {
            let found = locate(self.sentence(*index), &claim.answer_quote);
            matches!(found.level, MatchLevel::Exact | MatchLevel::Normalized)
        })
    }

    /// Where the claim stands in the answer: its quote in its sentence, or all of the sentence. Whether it is the
    /// quote.
    fn place(&self, index: usize, quote: &str) -> (Option<Span>, bool) {
        let Some(sentence) = self.sentences.get(index).copied() else { return (None, false) };
        let inside = locate(self.sentence(index), quote).span.and_then(|inside| {
            let range = sentence.start() + inside.start()..sentence.start() + inside.end();
            Span::new(&self.record.answer, range)
        });
        (inside.or(Some(sentence)), inside.is_some())
    }

    fn tell_dropped(&self, dropped: usize) {
        if dropped > 0 {
            tracing::warn!(
                audit_id = %self.record.audit_id,
                dropped,
                "a model named sentences or claims that it was not asked about, or some twice"
            );
        }
    }
}

/// What a part of the evidence says of a claim, where it bears out anything.
fn found_in_part(judged: &Judged, shown: &str) -> Option<String> {
    let support = match judged.verdict {
        Verdict::FullySupported => "bears it out",
        Verdict::PartiallySupported => "bears out a part of it",
        Verdict::Unsupported | Verdict::Contradicted => return None,
    };
    let quotes: Vec<String> = judged
        .citations
        .iter()
        .filter(|citation| !citation.quote.trim().is_empty())
        .take(NAMED)
        .map(|citation| format!("{}: \u{201c}{}\u{201d}", citation.passage_id, brief(&citation.quote)))
        .collect();
    let by = if quotes.is_empty() { String::new() } else { format!(" ({})", quotes.join("; ")) };
    Some(format!(
        "only {shown} characters of the evidence were shown, and the rest may say otherwise; what was shown \
         {support}{by}, says the judge: {}",
        brief(&judged.rationale)
    ))
}

/// Quotes that a reason names.
const NAMED: usize = 3;
/// Characters of each.
const BRIEF: usize = 300;

fn brief(words: &str) -> String {
    let words = words.trim();
    match words.char_indices().nth(BRIEF) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}

/// Whether evidence that was not shown yet may say more: what is missing, or that it is otherwise.
fn is_open(verdict: Verdict) -> bool {
    verdict != Verdict::Contradicted
}

/// Where a reply's claims stand in it.
const CLAIMS: &str = "/claims";

/// The index of the sentence with that number.
pub(super) fn index(number: i64) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

/// `None` for a confidence that is no probability.
fn judged(verdict: Verdict, claim: Claim, evidence: &Evidence<'_>) -> Option<Judged> {
    let confidence = claim.probability()?;
    let is_full = verdict == Verdict::FullySupported;
    let citation = |quote: Quote| Citation {
        passage_id: evidence.passage_id(&quote.passage),
        span: None,
        quote: quote.words,
        role: quote.role,
        level: MatchLevel::NotFound,
    };
    Some(Judged {
        verdict,
        confidence,
        severity: claim.severity.filter(|_| !is_full),
        hallucination_type: claim.hallucination_type.filter(|_| !is_full),
        citations: claim.citations.into_iter().map(citation).collect(),
        rationale: claim.rationale,
        support: None,
    })
}

fn no_claim_reason(sentence: &str) -> NoClaimReason {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !"?？؟".contains(c));
    if end.ends_with(['?', '？', '؟']) { NoClaimReason::Question } else { NoClaimReason::Unstated }
}
