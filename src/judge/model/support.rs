//! One claim and one passage. A passage that is too long for one question is shown in windows; the best score counts,
//! unless a window contradicts: what one part bears out, another may deny. A score that does not agree with itself is
//! asked for again.

use serde::Deserialize;
use serde_json::Value;

use super::asker::{Asked, Asker, are_details, failed};
use super::evidence::{Evidence, Seen};
use super::show::{fenced, tokens};
use super::{LEAST_ROOM, MOST_AGAIN, MOST_WINDOWS, ModelJudge, SMALLEST_SHARE};
use crate::domain::exchange::Purpose;
use crate::domain::ids::ExchangeKey;
use crate::domain::record::Passage;
use crate::domain::verdict::{MatchLevel, NoVerdict, Probability, Score};
use crate::judge::harness::{Unanswered, Why};
use crate::judge::{JudgeFailure, Reach, SupportReply};
use crate::prompt::{Field, PromptId};
use crate::text::locate::locate;

/// A score up to this one finds nothing in what was shown.
const NOTHING: u8 = 2;

#[derive(Debug, Deserialize)]
struct Reply {
    key_evidence: Vec<String>,
    rationale: String,
    missing_information: Option<String>,
    score: i64,
    support_level: String,
    confidence: f64,
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
    let (mut seen, mut exchanges, mut best) = (Seen::default(), Vec::new(), None::<SupportReply>);
    let (mut part, mut windows, mut again) = (0, 0, 0);
    // What the other windows said.
    let mut other: Option<u8> = None;
    let mut is_against = false;
    while windows < MOST_WINDOWS && !evidence.is_all(&seen) {
        let window = evidence.window(&[claim], &seen, room);
        let stretches = evidence.stretches(&window);
        let mut data = vec![claim];
        data.extend(stretches.iter().flat_map(|stretch| [stretch.line.as_str(), stretch.text]));
        let fence = judge.secret.fence(&data);
        let shown = fenced(&fence, &stretches);
        let mut values =
            vec![(Field::Fence, fence.as_str()), (Field::Claim, claim), (Field::Passage, &shown)];
        values.extend(judge.rubric.as_ref().map(|rubric| (Field::Rubric, rubric.text.as_str())));
        let mut filled = prompt.fill(&values).map_err(|error| failed(name, error.to_string()))?;
        filled.user.push_str(asked_again(again));
        part += 1;
        let asked = Asked {
            audit_id: None,
            purpose: if again == 0 { Purpose::Ask } else { Purpose::AskAgain },
            part,
            prompt,
            filled: &filled,
            schema: &judge.schemas.support,
            max_output: judge.settings.max_output,
        };
        // What fits the schema is never repaired: a score that contradicts itself is asked for again.
        let meaning =
            |value: &Value| Reply::deserialize(value).map(|_| ()).map_err(|error| vec![error.to_string()]);
        let said = match judge.asker.ask(asked, &deadline, &meaning).await {
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
        let incomplete = |reason: String, exchanges: Vec<ExchangeKey>| {
            let reach = Reach::Record(NoVerdict::Incomplete);
            Err(JudgeFailure { reach, exchanges, ..failed(name, reason) })
        };
        if let Some(change) = said.changes.first() {
            if again < MOST_AGAIN && are_details(&said.changes.iter().collect::<Vec<_>>()) {
                again += 1;
                continue;
            }
            return incomplete(change.reason(), exchanges);
        }
        let reply = match read(&said.value) {
            Ok(reply) => reply,
            Err(_) if again < MOST_AGAIN => {
                again += 1;
                continue;
            }
            Err(errors) => {
                let times = again + 1;
                return incomplete(format!("asked {times} times, {}", errors.join("; ")), exchanges);
            }
        };
        (again, windows) = (0, windows + 1);
        seen = seen.with(&window);
        let is_last = contradicts(&reply, passage);
        let (kept, lesser) = match best.take() {
            Some(before) if !is_last && before.score >= reply.score => (before, Some(reply)),
            before => (reply, before),
        };
        other = lesser.map(|lesser| lesser.score.get()).max(other);
        best = Some(kept);
        if is_last {
            is_against = true;
            break;
        }
    }
    let (shown, all) = (evidence.chars_of(&seen), evidence.chars());
    let other = other.filter(|other| is_against && *other > NOTHING);
    let disagrees = other.map(|other| format!("Another part of the passage scored {other}."));
    match best {
        Some(reply) if evidence.is_all(&seen) => Ok(SupportReply { remark: disagrees, exchanges, ..reply }),
        Some(reply) if reply.score.get() > NOTHING || is_against => {
            let part = format!("Scored with {shown} of {all} characters of the passage in view.");
            let remark = match disagrees {
                Some(other) => format!("{other} {part}"),
                None => part,
            };
            Ok(SupportReply { remark: Some(remark), exchanges, ..reply })
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

/// Whether the passage speaks against the claim, in words that stand in it, and is not only silent about it.
fn contradicts(reply: &SupportReply, passage: &Passage) -> bool {
    let stands = |words: &String| {
        let level = locate(&passage.content, words).level;
        matches!(level, MatchLevel::Exact | MatchLevel::Normalized)
    };
    reply.score.get() == 1 && reply.key_evidence.iter().any(stands)
}

/// What stands below the question when it is asked again. The same words would be the same question, of which the
/// reply is already known.
fn asked_again(times: usize) -> &'static str {
    match times {
        0 => "",
        1 => {
            "\n\nAn earlier reply contradicted itself or left something out: `confidence` is a number from 0 to 1, and score, support level and \
             missing information must agree."
        }
        _ => {
            "\n\nTwo earlier replies contradicted themselves or left something out: `confidence` is a number from 0 to 1, and score, support level and \
             missing information must agree."
        }
    }
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
    let confidence = Probability::new(reply.confidence);
    if confidence.is_none() {
        let number = reply.confidence;
        errors.push(format!("`confidence` is {number}, but a probability lies between 0 and 1"));
    }
    match score {
        Some(score) if errors.is_empty() => Ok(SupportReply {
            score,
            rationale: reply.rationale,
            key_evidence: reply.key_evidence,
            missing_information: reply.missing_information.filter(|_| score.get() < 5),
            confidence,
            remark: None,
            exchanges: Vec::new(),
        }),
        _ => Err(errors),
    }
}
