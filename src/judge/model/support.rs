//! One claim and one passage. A passage that is too long for one question is shown in windows; the best score counts,
//! but what is only related does not outweigh what contradicts.

use serde::Deserialize;
use serde_json::Value;

use super::asker::{Asked, Asker, failed};
use super::evidence::{Evidence, Seen};
use super::reply::probability;
use super::show::{fenced, tokens};
use super::{LEAST_ROOM, MOST_WINDOWS, ModelJudge, SMALLEST_SHARE};
use crate::domain::exchange::Purpose;
use crate::domain::record::Passage;
use crate::domain::verdict::{NoVerdict, Probability, Score};
use crate::judge::harness::{Unanswered, Why};
use crate::judge::{JudgeFailure, Reach, SupportReply};
use crate::prompt::{Field, PromptId};

/// A score up to this one finds nothing in what was shown.
const NOTHING: u8 = 2;

#[derive(Debug, Deserialize)]
struct Reply {
    key_evidence: Vec<String>,
    rationale: String,
    missing_information: Option<String>,
    score: i64,
    support_level: String,
    #[serde(deserialize_with = "probability")]
    confidence: Probability,
}

pub(super) async fn score<A: Asker>(
    judge: &ModelJudge<A>,
    claim: &str,
    passage: &Passage,
) -> Result<SupportReply, JudgeFailure> {
    let name = judge.settings.name.as_str();
    let prompt = judge.prompts.get(PromptId::Support);
    let mut values =
        vec![(Field::Fence, "FENCE-0000000000000000"), (Field::Claim, claim), (Field::Passage, "")];
    values.extend(judge.rubric.as_ref().map(|rubric| (Field::Rubric, rubric.text.as_str())));
    let frame = prompt.fill(&values).map_err(|error| failed(name, error.to_string()))?;
    let without_claim = prompt.fill(&[&[(Field::Claim, "")], &values[..]].concat());
    let without_claim = without_claim.map_err(|error| failed(name, error.to_string()))?;
    let mut room = judge.room(&without_claim, PromptId::Support)?;
    room = room.saturating_sub(tokens(&frame.user) - tokens(&without_claim.user));
    if room < LEAST_ROOM {
        let reason = "the claim leaves no room for the passage in the model's context";
        return Err(JudgeFailure { reach: Reach::Record(NoVerdict::NotChecked), ..failed(name, reason) });
    }
    let passages = std::slice::from_ref(passage);
    let evidence = Evidence::new(passages, room);
    let deadline = judge.asker.deadline();
    let least = (room as f64 * SMALLEST_SHARE) as usize;
    let (mut seen, mut exchanges, mut best, mut part) =
        (Seen::default(), Vec::new(), None::<SupportReply>, 0);
    while part < MOST_WINDOWS as u32 && !evidence.is_all(&seen) {
        let window = evidence.window(&[claim], &seen, room);
        let stretches = evidence.stretches(&window);
        let mut data = vec![claim];
        data.extend(stretches.iter().flat_map(|stretch| [stretch.line.as_str(), stretch.text]));
        let fence = judge.secret.fence(&data);
        let shown = fenced(&fence, &stretches);
        let mut values =
            vec![(Field::Fence, fence.as_str()), (Field::Claim, claim), (Field::Passage, &shown)];
        values.extend(judge.rubric.as_ref().map(|rubric| (Field::Rubric, rubric.text.as_str())));
        let filled = prompt.fill(&values).map_err(|error| failed(name, error.to_string()))?;
        part += 1;
        let asked = Asked {
            audit_id: None,
            purpose: Purpose::Ask,
            part,
            prompt,
            filled: &filled,
            schema: &judge.schemas.support,
            max_output: judge.settings.max_output,
        };
        let said = match judge.asker.ask(asked, &deadline, &|value| read(value).map(|_| ())).await {
            Ok(said) => said,
            Err(Unanswered { why: Why::TooLong, failure }) if room * 3 / 5 > least => {
                exchanges.extend(failure.exchanges);
                room = room * 3 / 5;
                continue;
            }
            Err(Unanswered { failure, .. }) => {
                exchanges.extend(&failure.exchanges);
                return Err(JudgeFailure { exchanges, ..failure });
            }
        };
        exchanges.extend(&said.exchanges);
        seen = seen.with(&window);
        if let Some(change) = said.changes.first() {
            let reach = Reach::Record(NoVerdict::Incomplete);
            return Err(JudgeFailure { reach, exchanges, ..failed(name, change.reason()) });
        }
        let reply = read(&said.value).map_err(|errors| failed(name, errors.join("; ")))?;
        if best.as_ref().is_none_or(|best| weight(&reply) > weight(best)) {
            best = Some(reply);
        }
        if best.as_ref().is_some_and(|best| best.score.get() == 5) {
            break;
        }
    }
    let (shown, all) = (evidence.chars_of(&seen), evidence.chars());
    match best {
        Some(reply) if evidence.is_all(&seen) => Ok(SupportReply { exchanges, ..reply }),
        Some(reply) if reply.score.get() > NOTHING || contradicts(&reply) => {
            let remark = Some(format!("Scored with {shown} of {all} characters of the passage in view."));
            Ok(SupportReply { remark, exchanges, ..reply })
        }
        _ => {
            let reason = format!(
                "nothing that supports the claim was found, and only {shown} of {all} characters were shown"
            );
            let reach = Reach::Record(NoVerdict::NotChecked);
            Err(JudgeFailure { reach, exchanges, ..failed(name, reason) })
        }
    }
}

/// Whether the passage speaks against the claim, and is not only silent about it.
fn contradicts(reply: &SupportReply) -> bool {
    reply.score.get() == 1 && reply.key_evidence.iter().any(|words| !words.trim().is_empty())
}

/// What of two windows counts, the larger: the score, but a contradiction before what is only related.
fn weight(reply: &SupportReply) -> (u8, bool) {
    if contradicts(reply) { (NOTHING, true) } else { (reply.score.get(), false) }
}

/// The reply that `value` holds.
fn read(value: &Value) -> Result<SupportReply, Vec<String>> {
    let reply = Reply::deserialize(value).map_err(|error| vec![error.to_string()])?;
    let mut errors = Vec::new();
    let score = u8::try_from(reply.score).ok().and_then(Score::new);
    match score {
        None => errors.push(format!("`score` is {}, but it is a whole number from 1 to 5", reply.score)),
        Some(score) => {
            let (said, level) = (&reply.support_level, score.level());
            if said != level {
                errors.push(format!(
                    "`support_level` is `{said}`, but a score of {} is `{level}`",
                    score.get()
                ));
            }
            if reply.missing_information.is_none() && score.get() < 5 {
                errors.push("`missing_information` is null, which it is for a score of 5 only".to_owned());
            }
        }
    }
    match score {
        Some(score) if errors.is_empty() => Ok(SupportReply {
            score,
            rationale: reply.rationale,
            key_evidence: reply.key_evidence,
            missing_information: reply.missing_information.filter(|_| score.get() < 5),
            confidence: Some(reply.confidence),
            remark: None,
            exchanges: Vec::new(),
        }),
        _ => Err(errors),
    }
}
