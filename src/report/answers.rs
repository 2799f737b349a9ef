//! What became of whole answers: first those that may be used although people ruled against a claim, last those of which
//! nobody has said what is to become of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::audit::{Claim, counted};
use super::{Part, Shows, Table};
use crate::domain::decision::Disposition;
use crate::domain::queue::Given;
use crate::domain::time::Timestamp;
use crate::domain::word::Word;

/// More answers without a disposition are counted and not named: to people, and to programs.
const NAMED: usize = 50;
const LISTED: usize = 1000;

/// Gathers what was decided about answers, and what people say of their claims.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers {
    all: BTreeSet<String>,
    given: BTreeMap<String, Given>,
    /// By answer, the claims that people did not find fully supported, with what they ruled.
    opposed: BTreeMap<String, Vec<(String, String)>>,
    /// Those of which a person ruled on a claim.
    looked_at: BTreeSet<String>,
    /// Dispositions in whose place another person set one that differs, by answer.
    overruled: Vec<(String, Given)>,
}

impl Answers {
    /// Whether it was not known yet.
    pub(super) fn dispose(&mut self, record: &str, given: &Given) -> bool {
        let is_new = !self.given.contains_key(record);
        if is_new {
            self.given.insert(record.to_owned(), given.clone());
        }
        is_new
    }

    pub(super) fn overruled(&mut self, record: String, given: Given) {
        self.overruled.push((record, given));
    }

    /// Those with what stands now.
    fn overturned(&self) -> impl Iterator<Item = (&String, &Given, &Given)> {
        self.overruled.iter().filter_map(|(record, first)| Some((record, first, self.given.get(record)?)))
    }

    /// The claims of the answer that people did not find fully supported, with what they ruled.
    fn against(&self, record: &str) -> String {
        match self.opposed.get(record) {
            Some(claims) => {
                let claims: Vec<String> = claims.iter().map(|(id, ruled)| format!("{id} {ruled}")).collect();
                claims.join("; ")
            }
            None if self.looked_at.contains(record) => "against no claim".to_owned(),
            None => "no claim".to_owned(),
        }
    }

    pub(super) fn add(&mut self, claim: &Claim) {
        if !self.all.contains(&claim.record) {
            self.all.insert(claim.record.clone());
        }
        if claim.said.decisions.is_empty() {
            return;
        }
        self.looked_at.insert(claim.record.clone());
        let word = claim.said.word();
        let counts = word.decision().map(|(_, decided)| decided.seq);
        let is_disputed = matches!(word, Word::Disputed);
        let rulings = claim.said.decisions.iter().map(|(_, decided)| decided);
        let counting = rulings.filter(|decided| is_disputed || Some(decided.seq) == counts);
        let mut against: Vec<&str> = counting
            .filter(|decided| decided.ruling.verdict.lacks_support())
            .map(|decided| decided.ruling.verdict.label())
            .collect();
        against.dedup();
        if !against.is_empty() {
            let opposed = self.opposed.entry(claim.record.clone()).or_default();
            opposed.push((claim.id.clone(), against.join(", ")));
        }
    }

    /// All answers.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// What became of the answer, for whoever reads of one of its claims.
    pub(super) fn became(&self, record: &str) -> String {
        let Some(given) = self.given.get(record) else { return "no disposition yet".to_owned() };
        let done = match given.disposition {
            Disposition::Release => "RELEASED: it may be used",
            Disposition::Return => "returned",
            Disposition::Block => "blocked",
        };
        format!("{done}, by {}, {}", given.annotator, minute(given.at))
    }

    fn released(&self) -> impl Iterator<Item = (&String, &Given)> {
        self.given.iter().filter(|(_, given)| given.disposition == Disposition::Release)
    }

    /// Those released over people's rulings, with the claims.
    fn over(&self) -> impl Iterator<Item = (&String, &Given, &Vec<(String, String)>)> {
        self.released().filter_map(|(record, given)| Some((record, given, self.opposed.get(record)?)))
    }

    /// Those released although nobody ruled on any claim.
    fn unlooked(&self) -> impl Iterator<Item = (&String, &Given)> {
        self.released().filter(|(record, _)| !self.looked_at.contains(*record))
    }

    fn without(&self) -> impl Iterator<Item = &String> {
        self.all.iter().filter(|record| !self.given.contains_key(*record))
    }

    /// What has to be said before anything else.
    pub(super) fn sentences(&self) -> Vec<String> {
        let named = |ids: Vec<&String>| {
            let first: Vec<&str> = ids.iter().take(5).map(|id| id.as_str()).collect();
            let more = ids.len() - first.len();
            first.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
        };
        let mut sentences = Vec::new();
        let over: Vec<&String> = self.over().map(|(record, ..)| record).collect();
        if !over.is_empty() {
            sentences.push(format!(
                "{} released although people ruled against a claim: {}.",
                counted(over.len() as u64, "answer was", "answers were"),
                named(over)
            ));
        }
        let unlooked: Vec<&String> = self.unlooked().map(|(record, _)| record).collect();
        if !unlooked.is_empty() {
            sentences.push(format!(
                "{} released although no person ruled on any claim: {}.",
                counted(unlooked.len() as u64, "answer was", "answers were"),
                named(unlooked)
            ));
        }
        sentences
    }

    /// The answers that may be used although somebody should know of it.
    pub(super) fn first(&self) -> Vec<Part> {
        let mut over = Table::of_words(&["answer", "by", "at", "ruled against", "why"]);
        for (record, given, _) in self.over() {
            over.push([
                record.clone(),
                given.annotator.to_string(),
                minute(given.at),
                self.against(record),
                why(given),
            ]);
        }
        let mut unlooked = Table::of_words(&["answer", "by", "at", "why"]);
        for (record, given) in self.unlooked() {
            unlooked.push([record.clone(), given.annotator.to_string(), minute(given.at), why(given)]);
        }
        let mut parts = Vec::new();
        if !over.rows.is_empty() {
            let part = Part::new("Released although people ruled against a claim", Shows::Table(over));
            parts.push(part.saying("Why stands here as the person wrote it."));
        }
        if !unlooked.rows.is_empty() {
            parts.push(Part::new("Released although no person ruled on any claim", Shows::Table(unlooked)));
        }
        parts
    }

    /// How many there are of each, which were held back and why, and which wait.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut counts = Table::of_numbers(&["disposition", "answers"]);
        for disposition in Disposition::ALL {
            let count = self.given.values().filter(|given| given.disposition == *disposition).count();
            counts.push([disposition.label().to_owned(), count.to_string()]);
        }
        let without = self.without().count();
        counts.push(["none yet".to_owned(), without.to_string()]);
        let mut parts = vec![Part::new("Answers", Shows::Table(counts))];
        let mut held = Table::of_words(&["answer", "disposition", "people ruled", "why"]);
        for (record, given) in
            self.given.iter().filter(|(_, given)| given.disposition != Disposition::Release)
        {
            held.push([
                record.clone(),
                format!("{}, by {}, {}", given.disposition.label(), given.annotator, minute(given.at)),
                self.against(record),
                why(given),
            ]);
        }
        if !held.rows.is_empty() {
            let part = Part::new("Returned and blocked answers", Shows::Table(held));
            parts.push(part.saying("Why stands here as the person wrote it."));
        }
        let mut overturned = Table::of_words(&["answer", "was", "is now"]);
        for (record, first, now) in self.overturned() {
            overturned.push([record.clone(), said(first), said(now)]);
        }
        if !overturned.rows.is_empty() {
            let part = Part::new("Dispositions that another person overruled", Shows::Table(overturned));
            parts.push(part.saying("Why stands here as the person wrote it."));
        }
        if without > 0 {
            let mut waiting = Table::of_words(&["answer", "people ruled against"]);
            for record in self.without().take(NAMED) {
                let claims = self.opposed.get(record).map_or(0, Vec::len) as u64;
                let against = if claims == 0 { String::new() } else { counted(claims, "claim", "claims") };
                waiting.push([record.clone(), against]);
            }
            if without > NAMED {
                waiting.push([format!("and {} more", without - NAMED), String::new()]);
            }
            let part = Part::new("Answers without a disposition", Shows::Table(waiting));
            parts.push(part.saying("Nobody has said yet what is to become of these."));
        }
        parts
    }

    /// The same for programs.
    pub(super) fn data(&self) -> [(&'static str, Value); 5] {
        let given = |record: &String, given: &Given| {
            json!({
                "audit_id": record, "value": given.disposition, "annotator": given.annotator, "at": given.at,
                "note": given.note, "reason": given.reason,
            })
        };
        let over = self.over().map(|(record, of, claims)| {
            let mut over = given(record, of);
            over["over"] = claims.iter().map(|(id, _)| json!(id)).collect();
            over
        });
        [
            ("dispositions", self.given.iter().map(|(record, of)| given(record, of)).collect()),
            ("released_over", over.collect()),
            (
                "overruled_dispositions",
                self.overturned()
                    .map(
                        |(record, first, now)| json!({"was": given(record, first), "is": given(record, now)}),
                    )
                    .collect(),
            ),
            ("released_unlooked", self.unlooked().map(|(record, _)| json!(record)).collect()),
            (
                "without_disposition",
                json!({
                    "answers": self.without().count(),
                    "ids": self.without().take(LISTED).collect::<Vec<_>>(),
                }),
            ),
        ]
    }
}

/// A disposition with who gave it, when and why.
fn said(given: &Given) -> String {
    let said = format!("{}, by {}, {}", given.disposition.label(), given.annotator, minute(given.at));
    match why(given) {
        why if why.is_empty() => said,
        why => format!("{said}: {why}"),
    }
}

/// Why, in the person's own words, else by the reason's.
fn why(given: &Given) -> String {
    let note = given.note.clone().unwrap_or_default();
    match given.reason {
        Some(reason) if note.is_empty() => reason.sentence().to_owned(),
        Some(reason) => format!("{note} ({})", reason.sentence()),
        None => note,
    }
}

/// To the minute, as people tell a time.
pub(super) fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(..16).map_or(text.clone(), |minute| format!("{} UTC", minute.replace('T', " ")))
}
