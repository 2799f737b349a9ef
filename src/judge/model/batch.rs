//! Several comparisons in one question, for a model that takes longer to read its prompt than to judge by it.
//!
//! Each item of a reply is held to its own answers and documents, as if it had been asked about alone. What cannot be
//! told apart by item, or was left out, is asked about again with fewer of them.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use super::ModelJudge;
use super::asker::{Asked, Asker, Said, failed};
use super::comparison::{Laid, Side, most_output, risk};
use super::show::{fenced, or_none};
use super::taking::index;
use crate::domain::comparison::Rivals;
use crate::domain::exchange::Purpose;
use crate::domain::ids::ExchangeKey;
use crate::domain::verdict::NoVerdict;
use crate::judge::harness::{Unanswered, Why};
use crate::judge::reading::{Schema, SchemaError, is_repeated};
use crate::judge::{Compared, ComparisonReply, FaithfulnessSettings, JudgeFailure, Reach};
use crate::prompt::{Field, Filled, PromptId};

/// Tokens of the lines that part an item from the next.
const LINES: usize = 120;

#[derive(Debug, Deserialize)]
struct Reply {
    items: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Item {
    #[serde(rename = "item")]
    number: i64,
    baseline_analysis: Side,
    candidate_analysis: Side,
}

/// The schema of an item in a reply of that schema, but for its number.
pub(super) fn item(of_reply: &str) -> Result<Schema, SchemaError> {
    let mut schema: Value = serde_json::from_str(of_reply).unwrap_or_default();
    let mut item = schema["properties"]["items"]["items"].take();
    if let Some(fields) = item["properties"].as_object_mut() {
        fields.shift_remove("item");
    }
    if let Some(names) = item["required"].as_array_mut() {
        names.retain(|name| name != "item");
    }
    Schema::new("comparison_item", &item.to_string())
}

/// What is asked about together: places in the list of all items.
type Group = Vec<usize>;

struct Course<'c, A> {
    judge: &'c ModelJudge<A>,
    settings: &'c FaithfulnessSettings,
    /// What of the items fits into a question.
    laid: Vec<Option<Laid<'c>>>,
    answers: Vec<Option<Result<Compared, JudgeFailure>>>,
    /// Exchanges that brought an item no answer, in order.
    tried: Vec<Vec<ExchangeKey>>,
    waiting: VecDeque<Group>,
    part: u32,
}

/// An answer for each of `items`, in their order.
pub(super) async fn compare<A: Asker>(
    judge: &ModelJudge<A>,
    items: &[&Rivals],
    settings: &FaithfulnessSettings,
) -> Vec<Result<Compared, JudgeFailure>> {
    let frame = filled(judge, settings, "FENCE-0000000000000000", "");
    let room = match frame.and_then(|filled| judge.room(&filled, PromptId::ComparisonBatch)) {
        Ok(room) => room,
        Err(failure) => return items.iter().map(|_| Err(failure.clone())).collect(),
    };
    let alone = room.saturating_sub(LINES);
    let laid: Vec<Option<Laid<'_>>> = items.iter().map(|rivals| Laid::of(judge, rivals, alone)).collect();
    let mut course = Course {
        judge,
        settings,
        waiting: grouped(&laid, room, most_output(judge), judge.settings.items_per_request),
        laid,
        answers: items.iter().map(|_| None).collect(),
        tried: items.iter().map(|_| Vec::new()).collect(),
        part: 0,
    };
    while let Some(group) = course.waiting.pop_front() {
        course.work(group).await;
    }
    course.answers()
}

/// As many items in a question as fit, in their order.
fn grouped(laid: &[Option<Laid<'_>>], room: usize, most_output: usize, most: usize) -> VecDeque<Group> {
    let mut groups: VecDeque<Group> = VecDeque::new();
    let (mut input, mut output) = (0, 0);
    for (at, one) in laid.iter().enumerate() {
        let Some(one) = one else { continue };
        (input, output) = (input + LINES + one.input, output + one.output);
        match groups.back_mut() {
            Some(group) if group.len() < most && input <= room && output <= most_output => group.push(at),
            _ => {
                groups.push_back(vec![at]);
                (input, output) = (LINES + one.input, one.output);
            }
        }
    }
    groups
}

fn filled<A>(
    judge: &ModelJudge<A>,
    settings: &FaithfulnessSettings,
    fence: &str,
    items: &str,
) -> Result<Filled, JudgeFailure> {
    let values = [
        (Field::Granularity, settings.granularity.label()),
        (Field::Threshold, settings.threshold.label()),
        (Field::Constraints, or_none(&settings.constraints)),
        (Field::Fence, fence),
        (Field::Items, items),
    ];
    let prompt = judge.prompts.get(PromptId::ComparisonBatch);
    prompt.fill(&values).map_err(|error| failed(&judge.settings.name, error.to_string()))
}

impl<A: Asker> Course<'_, A> {
    async fn work(&mut self, group: Group) {
        match self.ask(&group).await {
            Ok(said) => self.take(group, &said),
            Err(Unanswered { failure, why }) => self.unanswered(group, failure, why),
        }
    }

    async fn ask(&mut self, group: &[usize]) -> Result<Said, Unanswered> {
        let judge = self.judge;
        let laid: Vec<&Laid<'_>> = group.iter().filter_map(|at| self.laid.get(*at)?.as_ref()).collect();
        let stretches: Vec<_> = laid.iter().map(|one| one.stretches()).collect();
        let mut data: Vec<&str> = Vec::new();
        for (one, stretches) in laid.iter().zip(&stretches) {
            data.extend(one.data(stretches));
        }
        let fence = judge.secret.fence(&data);
        let shown = laid.iter().zip(&stretches).enumerate().map(|(at, (one, stretches))| {
            let [baseline, candidate] = one.answers.each_ref().map(|lines| or_none(lines));
            let (number, risk, question) = (at + 1, risk(one.rivals), one.question);
            format!(
                "{fence} ITEM {number}\n{fence} RISK\n{risk}\n{fence} QUESTION\n{question}\n{fence} BASELINE\n\
                 {baseline}\n{fence} CANDIDATE\n{candidate}\n{}",
                fenced(&fence, stretches)
            )
        });
        let shown = shown.collect::<Vec<_>>().join("\n");
        let broken = |failure| Unanswered { why: Why::Other, failure };
        let filled = filled(judge, self.settings, &fence, &shown).map_err(broken)?;
        self.part += 1;
        let asked = Asked {
            audit_id: None,
            purpose: Purpose::Ask,
            part: self.part,
            prompt: judge.prompts.get(PromptId::ComparisonBatch),
            filled: &filled,
            schema: &judge.schemas.comparison_batch,
            max_output: judge.settings.max_output,
        };
        let meaning = |value: &Value| {
            let reply = Reply::deserialize(value).map_err(|error| vec![error.to_string()])?;
            for item in &reply.items {
                Item::deserialize(item).map_err(|error| vec![error.to_string()])?;
            }
            Ok(())
        };
        let said = judge.asker.ask(asked, &judge.asker.deadline(), &meaning).await?;
        Ok(self.without_echoes(said, &filled.user))
    }

    /// Data may hold the JSON of an item, and what a model only repeats is no judgement: it goes for left out.
    fn without_echoes(&self, mut said: Said, shown: &str) -> Said {
        if let Some(items) = said.value["items"].as_array_mut() {
            for item in items {
                let mut bare = item.clone();
                if let Some(fields) = bare.as_object_mut() {
                    fields.shift_remove("item");
                }
                if is_repeated(&bare, shown, &self.judge.schemas.comparison_item) {
                    *item = Value::Null;
                }
            }
        }
        said
    }

    fn take(&mut self, group: Group, said: &Said) {
        let is_alone = group.len() == 1;
        // Whose a claim was that a repair dropped is not known.
        if !is_alone && said.dropped().next().is_some() {
            return self.halve(group, &said.exchanges);
        }
        let items = said.value["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut items: Vec<Option<Item>> = items.iter().map(|item| Item::deserialize(item).ok()).collect();
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); group.len()];
        for (place, item) in items.iter().enumerate() {
            let number = item.as_ref().and_then(|item| index(item.number));
            if let Some(places) = number.and_then(|number| places.get_mut(number)) {
                places.push(place);
            }
        }
        let mut missing = Group::new();
        for (at, places) in group.into_iter().zip(places) {
            let only = match places.as_slice() {
                [place] => items.get_mut(*place).and_then(Option::take).map(|item| (*place, item)),
                // Two answers about one item are none.
                _ => None,
            };
            match only.zip(self.laid.get(at).and_then(Option::as_ref)) {
                Some(((place, item), laid)) => {
                    let sides = [item.baseline_analysis, item.candidate_analysis];
                    let [baseline, candidate] = laid.taken(said, &format!("/items/{place}"), sides);
                    let mut exchanges = std::mem::take(&mut self.tried[at]);
                    exchanges.extend(&said.exchanges);
                    self.answers[at] = Some(Ok(Compared::AtOnce(ComparisonReply {
                        baseline,
                        candidate,
                        arithmetic: None,
                        exchanges,
                    })));
                }
                None => missing.push(at),
            }
        }
        if !is_alone {
            return self.halve(missing, &said.exchanges);
        }
        for at in missing {
            self.tried[at].extend(&said.exchanges);
            let reach = Reach::Record(NoVerdict::Incomplete);
            let reason = "the judge said nothing of this item, asked about it alone";
            self.fail(at, JudgeFailure { reach, ..failed(&self.judge.settings.name, reason) });
        }
    }

    fn unanswered(&mut self, group: Group, failure: JudgeFailure, why: Why) {
        match (failure.reach, group.as_slice(), why) {
            (Reach::Record(_), [at], Why::TooLong | Why::Cut) => {
                let mut exchanges = std::mem::take(&mut self.tried[*at]);
                exchanges.extend(failure.exchanges);
                self.answers[*at] = Some(Ok(Compared::Apart(exchanges)));
            }
            (Reach::Record(_), [at], Why::Other) => self.fail(*at, failure),
            (Reach::Record(_), ..) => self.halve(group, &failure.exchanges),
            (Reach::ForNow | Reach::Everything, ..) => {
                // Nobody else would be answered either.
                let rest: Vec<usize> = self.waiting.drain(..).flatten().collect();
                for at in group.into_iter().chain(rest) {
                    self.fail(at, failure.clone());
                }
            }
        }
    }

    fn fail(&mut self, at: usize, failure: JudgeFailure) {
        let mut exchanges = std::mem::take(&mut self.tried[at]);
        exchanges.extend(&failure.exchanges);
        self.answers[at] = Some(Err(JudgeFailure { exchanges, ..failure }));
    }

    /// Asks about both halves of a group next.
    fn halve(&mut self, mut group: Group, exchanges: &[ExchangeKey]) {
        for at in &group {
            self.tried[*at].extend(exchanges);
        }
        let rest = group.split_off(group.len() / 2);
        for half in [rest, group].into_iter().filter(|half| !half.is_empty()) {
            self.waiting.push_front(half);
        }
    }

    /// What fits into no question is for each answer by itself.
    fn answers(self) -> Vec<Result<Compared, JudgeFailure>> {
        let apart = |answer: Option<_>| answer.unwrap_or_else(|| Ok(Compared::Apart(Vec::new())));
        self.answers.into_iter().map(apart).collect()
    }
}
