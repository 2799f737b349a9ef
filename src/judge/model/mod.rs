//! The judge that asks a language model: it turns the instruments into prompts and replies into findings.
//!
//! Must not know how a model is reached; that is the harness's. Nothing that a model says is believed here either:
//! the instrument locates every quotation. What this module sees to is that everything is asked about, that nothing
//! in the data is taken for an order, and that what has no verdict says why.

mod asker;
mod batch;
mod comparison;
mod evidence;
mod faithfulness;
mod reply;
mod show;
mod stated;
mod support;
mod taking;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};

pub use asker::{Asked, Asker, Meaning, Reply, Said};

use super::harness::{Harness, Misread, Repair, RepairText};
use super::reading::{Schema, SchemaError};
use super::settings::ModelSettings;
use super::transport::bare_address;
use super::{
    Compared, EachPending, FaithfulnessReply, FaithfulnessSettings, Judge, JudgeFailure, Pending, Reach,
    SupportReply,
};
use crate::domain::comparison::Rivals;
use crate::domain::finding::JudgeIdentity;
use crate::domain::record::{Passage, Record};
use crate::prompt::{FenceSecret, Field, Filled, PromptId, Prompts};
use show::tokens;

/// Tokens of evidence with which a question is worth asking.
const LEAST_ROOM: usize = 150;
/// Windows of evidence that are shown for the same claims, at most.
pub const MOST_WINDOWS: usize = 8;
/// How often what a reply left out is asked about again.
const MOST_AGAIN: usize = 2;
/// When a server finds questions too long for it, less and less of the room is used, but not less than this share.
const SMALLEST_SHARE: f64 = 0.2;

/// What a judge needs besides somebody to ask.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    pub prompts: Prompts,
    /// The store's own, so that the same question is the same tomorrow.
    pub secret: FenceSecret,
    /// What each score means, in place of the prompt's own rubric.
    pub rubric: Option<String>,
}

struct Schemas {
    faithfulness: Schema,
    comparison: Schema,
    comparison_batch: Schema,
    /// Of what a reply to that prompt says of one item, but for its number.
    comparison_item: Schema,
    support: Schema,
}

/// A judge that asks a model.
pub struct ModelJudge<A = Harness> {
    asker: A,
    settings: ModelSettings,
    prompts: Prompts,
    secret: FenceSecret,
    rubric: Option<Rubric>,
    schemas: Schemas,
}

/// A rubric of one's own, and the beginning of its SHA-256 (hex), by which it is told from another.
struct Rubric {
    text: String,
    mark: String,
}

impl Rubric {
    fn new(text: String) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let mark = digest.iter().take(6).fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        Self { text, mark }
    }
}

impl<A: Asker> ModelJudge<A> {
    /// A judge named and bounded by `settings`, which asks by `asker`.
    ///
    /// # Errors
    /// Never with the schemas as they are shipped.
    pub fn new(asker: A, settings: ModelSettings, options: ModelOptions) -> Result<Self, SchemaError> {
        let schema = |id: PromptId| Schema::new(id.label(), id.schema().unwrap_or("{}"));
        let schemas = Schemas {
            faithfulness: schema(PromptId::Faithfulness)?,
            comparison: schema(PromptId::Comparison)?,
            comparison_batch: schema(PromptId::ComparisonBatch)?,
            comparison_item: batch::item(PromptId::ComparisonBatch.schema().unwrap_or("{}"))?,
            support: schema(PromptId::Support)?,
        };
        // Keys are the asker's.
        let settings = ModelSettings { keys: Vec::new(), ..settings };
        let ModelOptions { prompts, secret, rubric } = options;
        let rubric = rubric.map(Rubric::new);
        Ok(Self { asker, settings, prompts, secret, rubric, schemas })
    }
}

impl<A> ModelJudge<A> {
    /// Tokens that are left for data in a question whose prompt is `filled` with nothing.
    fn room(&self, filled: &Filled, id: PromptId) -> Result<usize, JudgeFailure> {
        let context = self.settings.context as usize;
        let output = self.settings.max_output as usize;
        let frame = tokens(&filled.system) + tokens(&filled.user) + id.schema().map_or(0, tokens) / 2;
        let room = context.saturating_sub(output + frame);
        if room >= 2 * LEAST_ROOM {
            return Ok(room);
        }
        let name = &self.settings.name;
        Err(JudgeFailure {
            judge: name.clone(),
            reach: Reach::Everything,
            reason: format!(
                "[judge.{name}]: a context of {context} tokens, of which a reply may take {output}, leaves no room \
                 beside the prompt `{id}`, which takes about {frame}: set `context` to what the model really has, or \
                 lower `max_output`"
            ),
            exchanges: Vec::new(),
        })
    }
}

impl<A: Asker> Judge for ModelJudge<A> {
    fn identity(&self) -> JudgeIdentity {
        self.identity_of(PromptId::Faithfulness)
    }

    fn identity_of(&self, question: PromptId) -> JudgeIdentity {
        let items = self.settings.items_per_request;
        let is_batch = question == PromptId::Comparison && items > 1;
        let question = if is_batch { PromptId::ComparisonBatch } else { question };
        let prompt = self.prompts.get(question);
        let endpoint = &self.settings.endpoint;
        let mut identity = JudgeIdentity {
            judge: self.settings.name.clone(),
            model: endpoint.model.clone(),
            prompt_version: prompt.version(),
            prompt_sha256: prompt.sha256().to_owned(),
            settings: json!({
                "provider": endpoint.protocol.label(),
                "endpoint": bare_address(&endpoint.base_url),
                "temperature": self.settings.temperature,
                "seed": self.settings.seed,
                "max_output": self.settings.max_output,
                "context": self.settings.context,
            }),
        };
        if is_batch {
            identity.settings["items_per_request"] = items.into();
        }
        if let Some(rubric) = self.rubric.as_ref().filter(|_| question == PromptId::Support) {
            // Scores by another rubric are other scores.
            identity.prompt_version = format!("{}+rubric-{}", identity.prompt_version, rubric.mark);
            identity.settings["rubric"] = rubric.text.as_str().into();
        }
        identity
    }

    fn faithfulness<'a>(
        &'a self,
        record: &'a Record,
        settings: &'a FaithfulnessSettings,
    ) -> Pending<'a, FaithfulnessReply> {
        Box::pin(async move { faithfulness::Course::new(self, record, settings)?.run().await })
    }

    fn support<'a>(&'a self, claim: &'a str, passage: &'a Passage) -> Pending<'a, SupportReply> {
        Box::pin(support::score(self, claim, passage))
    }

    fn comparison<'a>(
        &'a self,
        rivals: &'a Rivals,
        settings: &'a FaithfulnessSettings,
    ) -> Pending<'a, Compared> {
        if self.settings.items_per_request == 1 {
            return Box::pin(comparison::compare(self, rivals, settings));
        }
        Box::pin(async move {
            let mut answers = batch::compare(self, &[rivals], settings).await;
            answers.pop().unwrap_or_else(|| Ok(Compared::Apart(Vec::new())))
        })
    }

    fn comparisons<'a>(
        &'a self,
        items: &'a [&'a Rivals],
        settings: &'a FaithfulnessSettings,
    ) -> EachPending<'a, Compared> {
        if self.settings.items_per_request > 1 {
            return Box::pin(batch::compare(self, items, settings));
        }
        Box::pin(async move {
            let mut answers = Vec::with_capacity(items.len());
            for rivals in items {
                answers.push(comparison::compare(self, rivals, settings).await);
            }
            answers
        })
    }

    fn items_at_once(&self) -> usize {
        self.settings.items_per_request
    }

    fn at_once(&self) -> Option<usize> {
        self.asker.at_once()
    }

    fn rest(&self) -> Duration {
        self.asker.rest()
    }

    fn try_again(&self) {
        self.asker.try_again();
    }
}

/// How a reply that cannot be read is asked for again: by the prompt `repair`.
pub fn repair(prompts: &Prompts, secret: &FenceSecret) -> Repair {
    let prompt = prompts.get(PromptId::Repair).clone();
    let secret = secret.clone();
    Repair {
        prompt_version: prompt.version(),
        prompt_sha256: prompt.sha256().to_owned(),
        write: Box::new(move |misread: &Misread<'_>| {
            let schema = misread.schema.value().to_string();
            let errors = misread.errors.join("\n");
            let fence = secret.fence(&[&schema, &errors, misread.reply]);
            let filled = prompt.fill(&[
                (Field::Fence, &fence),
                (Field::Schema, &schema),
                (Field::Errors, &errors),
                (Field::Reply, misread.reply),
            ]);
            let Filled { system, user } = filled.map_err(|error| error.to_string())?;
            Ok(RepairText { system, user })
        }),
    }
}
