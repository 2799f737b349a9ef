//! The one place through which what a judge says of an answer's claim goes before it counts.

use super::faithfulness::weigh;
use super::grounds::Grounds;
use super::severity::Surroundings;
use super::wording::Wording;
use crate::domain::record::Record;
use crate::domain::severity;
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, HallucinationType, Role, Severity, Verdict};
use crate::text::script::same_script;

/// An answer and its evidence, to hold claims against.
pub(super) struct Check<'r> {
    record: &'r Record,
    surroundings: Surroundings<'r>,
    grounds: Grounds<'r>,
    /// `None` where the claims are given: those are in nobody's words but a person's.
    wording: Option<Wording<'r>>,
}

/// What a judge says of a claim.
pub(super) struct Said<'s> {
    pub(super) claim: &'s str,
    /// Where it stands in the answer; `None` for anywhere in it.
    pub(super) span: Option<Span>,
    pub(super) citations: &'s [Citation],
    /// `None` for a label about what the evidence does not set out to cover.
    pub(super) verdict: Option<Verdict>,
    pub(super) rationale: String,
}

/// The same, checked.
pub(super) struct Checked {
    /// Located again.
    pub(super) citations: Vec<Citation>,
    /// With what was found wrong before it.
    pub(super) rationale: String,
    /// Whether the label counts.
    pub(super) is_grounded: bool,
}

impl<'r> Check<'r> {
    pub(super) fn new(record: &'r Record) -> Self {
        let wording =
            record.given_claims.is_empty().then(|| Wording::new(&record.answer, record.question.as_deref()));
        Self {
            record,
            surroundings: Surroundings::new(record),
            grounds: Grounds::new(&record.passages),
            wording,
        }
    }

    /// A label counts when words of the evidence bear it, its rationale names nothing that stands nowhere, and the
    /// claim says what the answer says.
    pub(super) fn checked(&self, said: Said<'_>) -> Checked {
        let Said { claim, span, citations, verdict, mut rationale } = said;
        let (citations, mut is_grounded) = self.grounds.borne(citations, claim, verdict.and_then(bearing));
        if let Some(alien) = self.grounds.alien_in(&rationale, claim) {
            let why = format!(
                "Rationale rejected, because “{alien}” stands neither in the claim nor in the evidence."
            );
            rationale = rejected(&why, "It read", &rationale);
            is_grounded = false;
        }
        let answer = self.record.answer.as_str();
        let span =
            span.filter(|span| span.of(answer).is_some()).or_else(|| Span::new(answer, 0..answer.len()));
        let supporting: Vec<&str> = citations
            .iter()
            .filter(|citation| citation.role == Role::Supports)
            .map(|citation| citation.quote.as_str())
            .collect();
        let strayed = self.wording.as_ref().zip(span);
        let strayed = strayed.and_then(|(wording, span)| wording.strayed(claim, span, &supporting));
        if let Some(strayed) = strayed {
            rationale = rejected(&format!("Verdict rejected: {strayed}."), "Its rationale read", &rationale);
            is_grounded = false;
        }
        if self.wording.is_some() && same_script(claim, answer) == Some(false) {
            // Translated and not quoted: whether it says the same nobody checked.
            let remark = "The judge words this claim in another script than the answer.";
            rationale =
                if rationale.is_empty() { remark.to_owned() } else { format!("{rationale} {remark}") };
        }
        Checked { citations, rationale, is_grounded }
    }

    /// How a claim departs from the evidence and how bad that is: what the judge says, else what the table of
    /// [`mod@crate::domain::severity`] says; nothing where it does not depart.
    pub(super) fn weighed(
        &self,
        verdict: Verdict,
        said: (Option<HallucinationType>, Option<Severity>),
        claim: &str,
        citations: &[Citation],
    ) -> (Option<HallucinationType>, Option<Severity>) {
        if verdict == Verdict::FullySupported {
            return (None, None);
        }
        let table =
            || severity::severity(verdict, weigh(citations, claim, &self.surroundings, &self.grounds));
        (said.0.or_else(|| severity::hallucination_type(verdict)), said.1.or_else(table))
    }
}

fn rejected(why: &str, before: &str, rationale: &str) -> String {
    if rationale.is_empty() { why.to_owned() } else { format!("{why} {before}: {rationale}") }
}

/// The role that a citation must have to bear a verdict; `None` where it needs none.
const fn bearing(verdict: Verdict) -> Option<Role> {
    match verdict {
        Verdict::FullySupported | Verdict::PartiallySupported => Some(Role::Supports),
        Verdict::Contradicted => Some(Role::Contradicts),
        Verdict::Unsupported => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;
    use crate::domain::ids::{AuditId, PassageId};
    use crate::domain::record::Passage;
    use crate::domain::verdict::MatchLevel;
    use crate::prompt::{PromptId, Prompts};

    /// What a prompt shows as an answer's sentences and as passages, as a record.
    fn shown(input: &str) -> Record {
        let lines = |from: &str, to: &str| {
            let rest = input.split_once(from).map_or("", |(_, rest)| rest);
            if to.is_empty() { rest } else { rest.split_once(to).map_or(rest, |(lines, _)| lines) }
        };
        let sentence = |line: &str| line.split_once("] ").map(|(_, text)| text.to_owned());
        let passage = |line: &str| {
            let (id, content) = line.split_once(": ")?;
            let (passage_id, content) = (PassageId::new(id), content.to_owned());
            Some(Passage { passage_id, content, metadata: Map::new() })
        };
        Record {
            audit_id: AuditId::new("shown"),
            answer: lines("ANSWER\n", "EVIDENCE").lines().filter_map(sentence).collect::<Vec<_>>().join(" "),
            passages: lines("EVIDENCE\n", "").lines().filter_map(passage).collect(),
            question: None,
            risk_level: None,
            given_claims: Vec::new(),
            metadata: Map::new(),
        }
    }

    fn read<T: std::str::FromStr>(value: &Value) -> Option<T> {
        value.as_str().and_then(|label| label.parse().ok())
    }

    #[test]
    fn what_the_prompt_shows_passes_our_own_check_and_weighs_as_our_table_does() {
        let prompts = Prompts::embedded().expect("prompts");
        let mut input = "";
        let mut verdicts = Vec::new();
        for part in prompts.get(PromptId::Faithfulness).examples().split("```json") {
            let (reply, next) = part.split_once("```").unwrap_or(("", part));
            let reply: Value = serde_json::from_str(reply).unwrap_or_default();
            let record = shown(input);
            let check = Check::new(&record);
            for claim in reply["claims"].as_array().into_iter().flatten() {
                let text = claim["claim_text"].as_str().expect("words");
                let Some(verdict) = read::<Verdict>(&claim["verdict"]) else {
                    assert_eq!((text, &claim["claim_id"]), ("", &Value::from("none")), "the one of all");
                    continue;
                };
                let quotes = claim["evidence_citation"].as_array().expect("a list").iter();
                let citations: Vec<Citation> = quotes
                    .map(|quote| Citation {
                        passage_id: PassageId::new(quote["passage_id"].as_str().expect("an id")),
                        span: None,
                        quote: quote["quote"].as_str().expect("words").to_owned(),
                        role: read(&quote["role"]).expect("a role"),
                        level: MatchLevel::NotFound,
                    })
                    .collect();
                let rationale = claim["rationale"].as_str().expect("words").to_owned();
                let span = crate::text::locate::locate(
                    &record.answer,
                    claim["answer_quote"].as_str().expect("words"),
                )
                .span;
                assert!(span.is_some(), "{text}");
                let said =
                    Said { claim: text, span, citations: &citations, verdict: Some(verdict), rationale };
                let checked = check.checked(said);
                assert!(checked.is_grounded, "{text}: {}", checked.rationale);
                let table = check.weighed(verdict, (None, None), text, &checked.citations);
                let shown = (read(&claim["hallucination_type"]), read(&claim["severity"]));
                assert_eq!(table, shown, "{text}");
                verdicts.push(verdict);
            }
            input = next;
        }
        for verdict in Verdict::ALL {
            assert!(verdicts.contains(verdict), "{verdict} is not shown");
        }
    }
}
