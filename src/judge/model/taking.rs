//! What is taken from a reply: findings, sentences without a claim, what is to be asked further, and what is missing.

use std::collections::HashSet;

use super::asker::{Asker, Said};
use super::evidence::{Evidence, Seen};
use super::faithfulness::{Course, Target, Targets};
use super::reply::{self, Claim, Label, Reply, place};
use crate::domain::finding::{Judged, NoClaim, NoClaimReason, Outcome};
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, MatchLevel, NoVerdict, Verdict};
use crate::judge::reading::Change;
use crate::judge::{Remark, local};
use crate::text::compare::Reading;
use crate::text::locate::locate;
use crate::text::script::{Script, dominant_script};

/// What a reply leaves to be done.
pub(super) struct Sorted {
    /// What no support was found for in the evidence shown, while there is more.
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
        let Ok(reply) = reply::read(&said.value, None) else {
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
        for change in said.dropped_from(CLAIMS) {
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
            let judged = judged(verdict, claim, &self.evidence);
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
        let Some(fact) = self.fact(span) else {
            let reason = no_claim_reason(self.sentence(index));
            self.reply.no_claims.push(NoClaim { answer_span: span, reason });
            return false;
        };
        if self.doubted.insert(index) {
            return true;
        }
        let reason = format!("the judge says that this states nothing, yet it holds “{fact}”");
        self.without_verdict(&Targets::Sentences(vec![index]), NoVerdict::Incomplete, &reason);
        false
    }

    /// The first number, date or name in a sentence that states something.
    fn fact(&self, sentence: Span) -> Option<String> {
        let text = sentence.of(&self.record.answer)?;
        let reading = Reading::new(text);
        let number = reading.numbers().first().map(|number| number.span);
        let date = reading.dates().first().map(|date| date.span);
        let fact = number.or(date).or_else(|| reading.names().first().map(|(span, _)| *span))?;
        local::states(&self.record.answer, sentence).then(|| fact.of(text).unwrap_or_default().to_owned())
    }

    /// The evidence has nothing to do with that claim.
    fn lacks(&mut self, target: &Target, reason: String) {
        let state = NoVerdict::InsufficientEvidence;
        self.reply.findings.push(target.finding(Outcome::NotJudged { state, reason }));
    }

    pub(super) fn take_claims(&mut self, asked: &[Target], said: &Said, seen: &Seen, is_all: bool) -> Sorted {
        let Ok(reply) = reply::read(&said.value, Some(&[])) else {
            return Sorted { further: Vec::new(), missing: Targets::Claims(asked.to_vec()) };
        };
        let mut useless: Option<String> = None;
        let mut each: Vec<Option<Claim>> = asked.iter().map(|_| None).collect();
        let mut changes: Vec<Option<&Change>> = asked.iter().map(|_| None).collect();
        let mut dropped = 0;
        for change in said.dropped_from(CLAIMS) {
            if let Some(slot) = change.id.as_deref().and_then(place).and_then(|at| changes.get_mut(at)) {
                *slot = Some(change);
            }
        }
        let is_sole = reply.claims.len() == 1;
        for (at, claim) in reply.claims.into_iter().enumerate() {
            let change = said.change_at(&format!("{CLAIMS}/{at}"));
            let place = place(&claim.id);
            if let (Some(change), Some(slot)) = (change, place.and_then(|at| changes.get_mut(at))) {
                *slot = Some(change);
            }
            match place.and_then(|at| each.get_mut(at)) {
                Some(free @ None) => *free = Some(claim),
                None if claim.verdict == Label::Insufficient && is_sole => {
                    useless.get_or_insert(claim.rationale);
                }
                _ => dropped += 1,
            }
        }
        self.tell_dropped(dropped);
        let mut further: Vec<Target> = Vec::new();
        let mut missing: Vec<Target> = Vec::new();
        for ((target, claim), change) in asked.iter().zip(each).zip(changes) {
            if let Some(change) = change {
                self.spoilt(target, change);
                continue;
            }
            let said = match claim {
                Some(claim) => match claim.verdict {
                    Label::Verdict(verdict) => {
                        let judged = judged(verdict, claim, &self.evidence);
                        Ok(self.joined(target.before.as_ref(), judged))
                    }
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

    /// What two windows say of one claim together. A verdict that stands on words of the evidence beats one that does
    /// not, and keeps the words that were found before.
    fn joined(&self, before: Option<&Judged>, mut now: Judged) -> Judged {
        let Some(before) = before else { return now };
        let had_a_part = before.verdict == Verdict::PartiallySupported;
        let stands = now.citations.iter().any(|citation| self.evidence.holds(citation));
        let is_kept = match now.verdict {
            Verdict::Unsupported => true,
            // Where the words of an alleged contradiction are not found, a person has to look.
            Verdict::Contradicted => false,
            Verdict::FullySupported | Verdict::PartiallySupported => had_a_part && !stands,
        };
        if is_kept {
            return before.clone();
        }
        if had_a_part && stands {
            let new = |citation: &&Citation| !now.citations.contains(citation);
            let earlier: Vec<Citation> = before.citations.iter().filter(new).cloned().collect();
            now.citations.extend(earlier);
        }
        now
    }

    /// What is still open after as many windows as are shown: a part that was found is a verdict, nothing is none.
    pub(super) fn not_shown_further(&mut self, targets: Targets, seen: &Seen) {
        let mut open = targets;
        if let Targets::Claims(each) = &mut open {
            let is_part = |target: &Target| {
                target.before.as_ref().is_some_and(|judged| judged.verdict == Verdict::PartiallySupported)
            };
            let (parts, rest) = std::mem::take(each).into_iter().partition(is_part);
            *each = rest;
            let parts: Vec<Target> = parts;
            for target in &parts {
                if let Some(judged) = target.before.clone() {
                    self.found(target, judged, seen, false);
                }
            }
        }
        let reason = format!(
            "nothing that decides was found, and only {} characters of the evidence were shown",
            self.shown(seen)
        );
        self.without_verdict(&open, NoVerdict::NotChecked, &reason);
    }

    fn found(&mut self, target: &Target, judged: Judged, seen: &Seen, is_all: bool) {
        let finding = self.reply.findings.len();
        if !is_all {
            let text = format!("Judged with {} characters of the evidence in view.", self.shown(seen));
            self.reply.remarks.push(Remark { finding, text });
        }
        if target.given_id.is_none() && speaks_otherwise(&target.text, &self.record.answer) {
            let text = "The judge words this claim in another script than the answer.".to_owned();
            self.reply.remarks.push(Remark { finding, text });
        }
        if !target.is_quoted {
            let text = "What the judge quotes of the answer does not stand in this sentence, so all of it is marked.";
            self.reply.remarks.push(Remark { finding, text: text.to_owned() });
        }
        self.reply.findings.push(target.finding(Outcome::Judged(judged)));
    }

    /// A claim whose label a repair changed has no verdict.
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

/// Whether evidence that was not shown yet may say more: what is missing, or that it is otherwise.
fn is_open(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Unsupported | Verdict::PartiallySupported)
}

/// Where a reply's claims stand in it.
const CLAIMS: &str = "/claims";

/// The index of the sentence with that number.
fn index(number: i64) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

fn judged(verdict: Verdict, claim: Claim, evidence: &Evidence<'_>) -> Judged {
    let is_full = verdict == Verdict::FullySupported;
    let citation = |quote: reply::Quote| Citation {
        passage_id: evidence.passage_id(&quote.passage),
        span: None,
        quote: quote.words,
        role: quote.role,
        level: MatchLevel::NotFound,
    };
    Judged {
        verdict,
        confidence: claim.confidence,
        severity: claim.severity.filter(|_| !is_full),
        hallucination_type: claim.hallucination_type.filter(|_| !is_full),
        citations: claim.citations.into_iter().map(citation).collect(),
        rationale: claim.rationale,
        support: None,
    }
}

fn no_claim_reason(sentence: &str) -> NoClaimReason {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !"?？؟".contains(c));
    if end.ends_with(['?', '？', '؟']) { NoClaimReason::Question } else { NoClaimReason::Unstated }
}

/// Whether a claim is in another script than its answer, which then was translated and not quoted.
fn speaks_otherwise(claim: &str, answer: &str) -> bool {
    let family = |text: &str| {
        dominant_script(text).map(|script| if script == Script::Kana { Script::Han } else { script })
    };
    match (family(claim), family(answer)) {
        (Some(claim), Some(answer)) => claim != answer,
        _ => false,
    }
}
