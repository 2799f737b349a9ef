//! Support: how directly one passage bears out one claim, from 1 to 5. It measures support, not truth.

use super::faithfulness::weigh;
use super::grounds::{Grounds, has_content};
use super::severity::Surroundings;
use crate::domain::finding::{Finding, JudgeIdentity, Judged, Outcome, RunResult};
use crate::domain::ids::ExchangeKey;
use crate::domain::record::{Passage, Record};
use crate::domain::severity::{hallucination_type, severity};
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, MatchLevel, NoVerdict, Probability, Role, Score};
use crate::judge::{Judge, JudgeFailure};
use crate::prompt::PromptId;

/// How directly a passage supports a claim, with the words that say so.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    pub identity: JudgeIdentity,
    pub score: Score,
    pub rationale: String,
    /// The passage's words that decide, located in it.
    pub key_evidence: Vec<Citation>,
    /// Whether the score stands on words of the passage: a score above 2 needs some that were found in it and can
    /// decide about the claim, and a score of 1 that quotes words to speak against it needs some that were found. One
    /// that does not is for a person and counts in no mean.
    pub is_grounded: bool,
    /// What a full support would need; `None` only for a score of 5.
    pub missing_information: Option<String>,
    pub confidence: Option<Probability>,
    /// The exchanges that it rests on, in order.
    pub exchanges: Vec<ExchangeKey>,
}

/// Scores from this one up say that the passage speaks for the claim, so it must have words that do.
const NEEDS_WORDS: u8 = 3;

/// The score of a passage that speaks against the claim, with words that do; or is silent about it, without any.
const AGAINST: u8 = 1;

/// Asks `judge` how directly `passage` supports `claim`.
///
/// # Errors
/// When claim or passage is empty, when the judge fails, or when its rationale names a number, date, name
/// or quotation that stands in neither.
pub async fn score(judge: &dyn Judge, claim: &str, passage: &Passage) -> Result<Support, JudgeFailure> {
    let identity = judge.identity_of(PromptId::Support);
    let failure = |reason: String| JudgeFailure::of_record(identity.judge.as_str(), reason);
    for (what, text) in [("claim", claim), ("passage", passage.content.as_str())] {
        if !has_content(text) {
            return Err(failure(format!("the {what} is empty, so there is nothing to score")));
        }
    }
    let reply = judge.support(claim, passage).await?;
    let grounds = Grounds::new(std::slice::from_ref(passage));
    if let Some(alien) = grounds.alien_in(&reply.rationale, claim) {
        let reason =
            format!("its rationale names “{alien}”, which stands neither in the claim nor in the passage");
        return Err(JudgeFailure { exchanges: reply.exchanges, ..failure(reason) });
    }
    // The remark is not the model's words, so it is not held to the passage.
    let rationale = match reply.remark {
        Some(remark) => format!("{} {remark}", reply.rationale),
        None => reply.rationale,
    };
    let quoted = |quote: String| Citation {
        passage_id: passage.passage_id.clone(),
        span: None,
        quote,
        role: Role::Supports,
        level: MatchLevel::NotFound,
    };
    let quotes: Vec<Citation> = reply.key_evidence.into_iter().map(quoted).collect();
    let needs = (reply.score.get() >= NEEDS_WORDS).then_some(Role::Supports);
    let (key_evidence, is_grounded) = grounds.borne(&quotes, claim, needs);
    let are_invented = reply.score.get() == AGAINST
        && key_evidence.iter().any(|citation| has_content(&citation.quote))
        && !key_evidence.iter().any(Citation::is_grounded);
    let is_grounded = is_grounded && !are_invented;
    let missing_information = reply.missing_information.filter(|_| reply.score.get() < 5);
    Ok(Support {
        identity,
        score: reply.score,
        rationale,
        key_evidence,
        is_grounded,
        missing_information,
        confidence: reply.confidence,
        exchanges: reply.exchanges,
    })
}

/// The name of this instrument in a run.
pub const SUPPORT: &str = "support";

/// A scored pair as the run of its record, whose one passage is the source: what a person then looks at, and what
/// counts, orders and filters by verdict, which follows from the score by [`Score::verdict`]. Severity and type
/// follow from the verdict by the table of [`mod@crate::domain::severity`].
pub fn run(
    record: &Record,
    scored: Result<&Support, (NoVerdict, &str)>,
    identity: &JudgeIdentity,
) -> RunResult {
    let claim_text = record.answer.clone();
    let outcome = match scored {
        Ok(support) => judged(record, support),
        Err((state, reason)) => Outcome::NotJudged { state, reason: reason.to_owned() },
    };
    let finding = Finding {
        given_id: record.given_claims.first().and_then(|claim| claim.claim_id.clone()),
        answer_span: Span::new(&record.answer, 0..record.answer.len()),
        claim_text,
        outcome,
    };
    RunResult {
        identity: identity.clone(),
        instrument: SUPPORT,
        findings: vec![finding],
        no_claims: Vec::new(),
        exchanges: scored.map_or_else(|_| Vec::new(), |support| support.exchanges.clone()),
    }
}

fn judged(record: &Record, support: &Support) -> Outcome {
    let verdict = support.score.verdict();
    // What decides for a low score does not speak for the claim: of a 1 it speaks against it.
    let role = match support.score.get() {
        NEEDS_WORDS.. => Role::Supports,
        AGAINST => Role::Contradicts,
        _ => Role::Closest,
    };
    let quotes = support.key_evidence.iter().filter(|citation| has_content(&citation.quote));
    let citations: Vec<Citation> = quotes.map(|citation| Citation { role, ..citation.clone() }).collect();
    let grounds = Grounds::new(&record.passages);
    let stakes = weigh(&citations, &record.answer, &Surroundings::new(record), &grounds);
    let rationale = match &support.missing_information {
        Some(missing) if !support.rationale.contains(missing.as_str()) => {
            format!("{} Missing: {missing}", support.rationale)
        }
        _ => support.rationale.clone(),
    };
    let judged = Judged {
        verdict,
        // None given is no reason to trust the score.
        confidence: support.confidence.unwrap_or(Probability::clamped(0.5)),
        severity: severity(verdict, stakes),
        hallucination_type: hallucination_type(verdict),
        citations,
        rationale,
        support: Some(support.score),
    };
    if support.is_grounded { Outcome::Judged(judged) } else { Outcome::Ungrounded(judged) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::PassageId;
    use crate::domain::record::Record;
    use crate::judge::local::LocalJudge;
    use crate::judge::{FaithfulnessReply, FaithfulnessSettings, Pending, SupportReply};

    struct Says(SupportReply);

    impl Judge for Says {
        fn identity(&self) -> JudgeIdentity {
            LocalJudge::new().identity()
        }

        fn faithfulness<'a>(
            &'a self,
            _: &'a Record,
            _: &'a FaithfulnessSettings,
        ) -> Pending<'a, FaithfulnessReply> {
            Box::pin(async { Err(JudgeFailure::of_record("says", "not asked")) })
        }

        fn support<'a>(&'a self, _: &'a str, _: &'a Passage) -> Pending<'a, SupportReply> {
            Box::pin(async { Ok(self.0.clone()) })
        }
    }

    fn passage(content: &str) -> Passage {
        Passage { passage_id: PassageId::new("s"), content: content.into(), metadata: serde_json::Map::new() }
    }

    fn says(score: u8, quote: &str, rationale: &str) -> Says {
        Says(SupportReply {
            score: Score::new(score).unwrap(),
            rationale: rationale.into(),
            key_evidence: vec![quote.into()],
            missing_information: Some("The year.".into()),
            confidence: Probability::new(0.9),
            remark: None,
            exchanges: vec![ExchangeKey(3)],
        })
    }

    #[tokio::test]
    async fn j47_j49_a_score_stands_on_words_that_are_in_the_passage() {
        let text = "Adults: no more than 4 g a day.";
        for (value, quote, is_grounded, level) in [
            (5, "no more than 4 g", true, MatchLevel::Exact),
            (5, "NO  more than 4 g", true, MatchLevel::Normalized),
            (4, "no more than four grams a day at most", false, MatchLevel::NotFound),
            (2, "nothing like it", true, MatchLevel::NotFound),
            (1, "nothing like it", false, MatchLevel::NotFound),
            (1, "no more than 4 g", true, MatchLevel::Exact),
            (1, "", true, MatchLevel::NotFound),
            (5, "no", false, MatchLevel::Exact),
            (3, "more", false, MatchLevel::Exact),
            (3, "4 g", true, MatchLevel::Exact),
        ] {
            let judge = says(value, quote, "It says so.");
            let support = score(&judge, "Adults may take 4 g a day.", &passage(text)).await.unwrap();
            assert_eq!((support.is_grounded, support.key_evidence[0].level), (is_grounded, level), "{quote}");
            assert_eq!(support.missing_information.is_none(), value == 5);
            assert_eq!(support.exchanges, [ExchangeKey(3)]);
        }
    }

    #[tokio::test]
    async fn an_alien_rationale_or_nothing_to_score_is_a_failure() {
        let judge = says(5, "4 g", "The WHO says 9 g.");
        let failure = score(&judge, "The dose is 4 g.", &passage("It is 4 g.")).await.unwrap_err();
        assert!(failure.reason.contains("which stands neither"), "{failure}");
        assert_eq!(failure.exchanges, [ExchangeKey(3)]);
        let judge = says(5, "4 g", "So it is.");
        let failure = score(&judge, " … ", &passage("It is 4 g.")).await.unwrap_err();
        assert!(failure.reason.contains("the claim is empty"), "{failure}");
    }
}
