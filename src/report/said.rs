//! What the judge and people say of one claim: side by side, each under its own name, and nobody's words cut.

use serde_json::{Value, json};

use super::Detail;
use crate::domain::blind::Blind;
use crate::domain::decision::{Decided, DecisionKind};
use crate::domain::evidence::ChosenSpan;
use crate::domain::ids::{Annotator, PassageId};
use crate::domain::queue::{EarlierDecision, Flagged, Note};
use crate::domain::span::CharSpan;
use crate::domain::verdict::{MatchLevel, Probability, Role, Severity, Verdict};
use crate::domain::word::Word;

/// The judge's own word.
#[derive(Debug, Clone, PartialEq)]
pub struct Judge {
    /// How far the audit came: `JUDGED`, `NOT_CHECKED` …
    pub state: &'static str,
    /// Its own grounded verdict, with what belongs to it.
    pub verdict: Option<Verdict>,
    pub severity: Option<Severity>,
    pub confidence: Option<Probability>,
    /// What decided, or why there is no verdict.
    pub why: String,
    pub evidence: Vec<Cited>,
}

/// Words that the judge cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    pub passage: PassageId,
    /// In characters; `None` where the words were not found.
    pub span: Option<CharSpan>,
    pub quote: String,
    pub role: Role,
    pub level: MatchLevel,
}

/// Everything that was said of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub judge: Judge,
    /// Decisions that stand, oldest first.
    pub decisions: Vec<(Annotator, Decided)>,
    pub blind: Vec<(Annotator, Blind)>,
    /// What people ruled last on the same claim of an earlier audit.
    pub earlier: Option<EarlierDecision>,
    pub notes: Vec<Note>,
    pub flags: Vec<Flagged>,
}

impl Said {
    /// What the people say together.
    pub fn word(&self) -> Word<'_> {
        Word::of(&self.decisions, &self.blind)
    }

    /// In lines, people's word first where they have one.
    pub(super) fn details(&self) -> Vec<Detail> {
        let word = self.word();
        let mut details = Vec::new();
        if matches!(word, Word::Disputed) {
            details.push(Detail::new("in dispute", "people disagree, and nobody has settled it"));
        }
        if let Some((who, decided)) = word.decision() {
            let settles = if word.adjudicator().is_some() { "settled" } else { "decided" };
            ruled(&mut details, settles, who, decided);
        }
        let counts = word.decision().map(|(_, decided)| decided.seq);
        for (who, decided) in self.decisions.iter().filter(|(_, decided)| Some(decided.seq) != counts) {
            ruled(&mut details, "ruled", who, decided);
        }
        if let (Word::Open, Some(EarlierDecision { id, annotator, decided })) = (word, &self.earlier) {
            ruled(&mut details, &format!("ruled on {id} of an earlier audit"), annotator, decided);
        }
        for note in &self.notes {
            let text = note.text.clone().unwrap_or_else(|| "(erased)".to_owned());
            details.push(Detail::new(format!("note of {}, {}", note.annotator, note.at), text));
        }
        for flag in &self.flags {
            let to = flag.to.as_ref().map_or(String::new(), |to| format!(" for {to}"));
            let what = if flag.escalated { "escalated" } else { "flagged" };
            let text = flag.note.clone().unwrap_or_else(|| "without a note".to_owned());
            details.push(Detail::new(format!("{what} by {}{to}, {}", flag.annotator, flag.at), text));
        }
        self.judge.told(&mut details, matches!(word, Word::Open));
        details
    }

    /// The same for programs, under the claim's `id`; `None` where no person ruled on it.
    pub(super) fn data(&self, id: &str) -> Option<Value> {
        let word = self.word();
        let counts = word.decision().map(|(_, decided)| decided.seq);
        let together = match word {
            Word::Open => return None,
            Word::Of(_) => "decided",
            Word::Adjudicated(_) => "settled",
            Word::Disputed => "disputed",
        };
        let ruling = |(who, decided): &(Annotator, Decided)| {
            let Decided { kind, ruling, reason, at, .. } = decided;
            json!({
                "annotator": who, "at": at, "counts": Some(decided.seq) == counts, "review": kind.label(),
                "verdict": ruling.verdict, "severity": ruling.severity, "hallucination_type": ruling.hallucination_type,
                "score": ruling.score, "reason": reason, "evidence": ruling.evidence,
            })
        };
        Some(json!({
            "id": id,
            "people": together,
            "rulings": self.decisions.iter().map(ruling).collect::<Vec<_>>(),
            "notes": self.notes.iter().map(|note| json!({
                "annotator": note.annotator, "at": note.at, "text": note.text,
            })).collect::<Vec<_>>(),
            "judge": self.judge.data(),
        }))
    }
}

/// What one person ruled, and the words that they rest it on.
fn ruled(details: &mut Vec<Detail>, what: &str, who: &Annotator, decided: &Decided) {
    let Decided { kind, ruling, reason, at, .. } = decided;
    let mut said = ruling.said();
    said.extend(ruling.severity.map(|severity| format!(" {severity}")));
    said.extend(ruling.hallucination_type.map(|of| format!(", {}", of.label())));
    said.extend(reason.map(|reason| format!(", because: {}", reason.sentence())));
    if *kind == DecisionKind::Confirmed {
        said.push_str(", as the judge has it");
    }
    details.push(Detail::new(format!("{what} by {who}, {at}"), said));
    let Some(chosen) = &ruling.evidence else { return };
    let name = format!("evidence of {who}");
    if chosen.is_empty() {
        details.push(Detail::new(name.clone(), "none: nothing in the passages bears on it"));
    }
    for ChosenSpan { passage_id, start, end, quote, role } in chosen {
        let place = format!("{}, {}:{start}-{end}: ", role.label(), passage_id.as_str());
        details.push(Detail::new(name.clone(), place + quote));
    }
}

impl Judge {
    fn told(&self, details: &mut Vec<Detail>, is_alone: bool) {
        let mut said = self.verdict.map_or(self.state, Verdict::label).to_owned();
        if self.verdict.is_some() {
            said.extend(self.severity.map(|severity| format!(" {severity}")));
            said.extend(self.confidence.map(|it| format!(", confidence {:.2}", it.get())));
        }
        if is_alone {
            said.push_str("; no person has decided");
        }
        details.push(Detail::new("judge", said));
        for Cited { passage, span, quote, role, level } in &self.evidence {
            let at = span.map_or(String::new(), |CharSpan { start, end }| format!(":{start}-{end}"));
            let place = format!("{}, {}{at}, {level}: ", role.label(), passage.as_str());
            details.push(Detail::new("evidence of the judge", place + quote));
        }
        if !self.why.is_empty() {
            details.push(Detail::new("why, to the judge", self.why.clone()));
        }
    }

    fn data(&self) -> Value {
        json!({
            "state": self.state,
            "verdict": self.verdict,
            "severity": self.severity,
            "confidence": self.confidence,
            "why": self.why,
            "evidence": self.evidence.iter().map(|Cited { passage, span, quote, role, level }| json!({
                "passage_id": passage, "start": span.map(|it| it.start), "end": span.map(|it| it.end), "quote": quote,
                "role": role, "match": level,
            })).collect::<Vec<_>>(),
        })
    }
}
