//! What is kept of an exchange: everything but keys.

use std::fmt::Write as _;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::course::Text;
use super::{Harness, Question, budget, unread};
use crate::domain::exchange::{Ending, Exchange};
use crate::domain::time::Timestamp;
use crate::judge::transport::{Delivered, LONGEST_REMNANT, Lost, bare_address};
use crate::judge::wire::{self, About, Received, Request, Said, Trouble, TroubleKind};

/// SHA-256 in hex.
pub(super) fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// What is known of a request when it is sent.
pub(super) struct Sent {
    pub(super) at: Timestamp,
    pub(super) attempt: u32,
    pub(super) question_sha256: String,
    pub(super) request_sha256: String,
}

impl Sent {
    /// The exchange as far as it is known; what came of it is filled in.
    pub(super) fn exchange(
        self,
        harness: &Harness,
        question: &Question<'_>,
        text: &Text<'_>,
        request: &Request,
    ) -> Exchange {
        Exchange {
            at: self.at,
            audit_id: question.audit_id.cloned(),
            instrument: question.instrument.to_owned(),
            purpose: text.purpose,
            mends: text.mends,
            part: question.part,
            attempt: self.attempt,
            judge: harness.settings.name.clone(),
            endpoint: harness.gate.blotted(bare_address(&request.url)),
            prompt_version: text.prompt_version.to_owned(),
            prompt_sha256: text.prompt_sha256.to_owned(),
            question_sha256: self.question_sha256,
            request_sha256: self.request_sha256,
            model_asked: harness.settings.endpoint.model.clone(),
            model_answered: None,
            parameters: request.parameters.clone(),
            status: None,
            request_id: None,
            raw_reply: String::new(),
            latency: Duration::ZERO,
            tokens: crate::domain::exchange::Tokens::default(),
            cost_micros: None,
            ending: Ending::Broken,
            detail: String::new(),
        }
    }
}

/// A whole reply without any key in it.
pub(super) fn blotted(harness: &Harness, delivered: Delivered) -> Delivered {
    Delivered {
        status: delivered.status,
        headers: delivered
            .headers
            .into_iter()
            .map(|(name, value)| (name, harness.gate.blotted(value)))
            .collect(),
        body: harness.gate.blotted_to_the_end(delivered.body),
    }
}

/// What a reply says, read, without any key: what stands in pieces in the reply is whole only now. An answer to less
/// than `texts`, which were sent, is none.
pub(super) fn read(harness: &Harness, received: Received<'_>, texts: &[&str]) -> Result<Said, Trouble> {
    let clean = |text: String| harness.gate.blotted(text);
    let about = |about: About| About {
        model: about.model.map(clean),
        request_id: about.request_id.map(clean),
        ..about
    };
    match wire::read(harness.settings.endpoint.protocol, received, harness.clock.now()) {
        Ok(said) => {
            let said = Said { text: clean(said.text), about: about(said.about) };
            match unread::sent_at_least(said.about.tokens.input, texts) {
                Some(least) => Err(half_read(harness, said, least)),
                None => Ok(said),
            }
        }
        Err(trouble) => Err(Trouble {
            kind: trouble.kind,
            message: clean(trouble.message),
            about: Box::new(about(*trouble.about)),
        }),
    }
}

fn half_read(harness: &Harness, said: Said, least: u64) -> Trouble {
    let judge = &harness.settings.name;
    let message = format!(
        "the server read only {} tokens of at least {least}: it leaves out what is longer than its context, and \
         says nothing; give the server more (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: --ctx-size), or set \
         `context` in [judge.{judge}] to what it has",
        said.about.tokens.input.unwrap_or_default(),
    );
    Trouble { kind: TroubleKind::TooLong, message, about: Box::new(said.about) }
}

/// Fills in what there is of a reply that did not come whole.
pub(super) fn lost(harness: &Harness, exchange: &mut Exchange, lost: &Lost) {
    exchange.status = lost.status;
    // First blotted, then cut: half a key would not be found.
    let mut remnant = harness.gate.blotted_to_the_end(lost.remnant.clone());
    remnant.truncate(remnant.floor_char_boundary(LONGEST_REMNANT));
    exchange.raw_reply = remnant;
    exchange.detail = harness.gate.blotted(lost.message.clone());
}

/// Fills in what a reply says of itself.
pub(super) fn about(harness: &Harness, exchange: &mut Exchange, about: &About) {
    exchange.model_answered.clone_from(&about.model);
    exchange.request_id.clone_from(&about.request_id);
    exchange.tokens = about.tokens;
    // Where there are prices, a server is not believed that it costs less than they say: a budget goes by them.
    exchange.cost_micros = match &harness.settings.prices {
        Some(prices) => about.cost_micros.filter(|cost| *cost > 0).max(budget::cost(&about.tokens, prices)),
        None => about.cost_micros,
    };
}
