//! How alike two texts are in meaning, by the embeddings of a server.
//!
//! A server that fails says nothing about the texts: then it is not known how alike they are, and why. Every call is
//! kept in the ledger and paid from the budget like a judge's, without the numbers that come back. Must not know what
//! the texts are for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;

use super::harness::backoff::Jitter;
use super::harness::{Budget, cost, estimate};
use super::keys::Keys;
use super::ledger::Ledger;
use super::settings::ModelSettings;
use super::transport::{Credential, LONGEST_REMNANT, Loss, Transport, TransportError, bare_address};
use super::wire::batch::Call;
use super::wire::embeddings::{Vector, call, read, without_vectors};
use super::wire::{About, Received, TroubleKind};
use crate::clock::{Clock, Stopwatch};
use crate::domain::event::sha256_hex;
use crate::domain::exchange::{Ending, Exchange, Purpose, Tokens};

/// Pairs of texts in one call, and the bytes from which on a call takes no further pair.
const PAIRS: usize = 16;
const BYTES: usize = 100_000;
/// A reply with that many vectors of 4096 numbers, written out.
const LONGEST_REPLY: usize = 32 << 20;
/// No server is waited for longer than this before one try.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Calls at once, at most: what is asked is small.
const AT_ONCE: usize = 4;

/// How alike two texts are; or why it is not known.
pub type Alike = Result<f64, Arc<str>>;

/// What two vectors say of their texts, or why they say nothing.
pub type Measure = fn(&[f64], &[f64]) -> Result<f64, String>;

/// What an embedder works with besides the server's settings.
pub struct EmbedderOptions {
    pub measure: Measure,
    pub ledger: Arc<dyn Ledger>,
    /// What all calls may cost together, with everything else that is paid from it; `None` for any amount.
    pub budget: Option<Arc<Budget>>,
    /// Waits between tries are drawn from it.
    pub seed: u64,
}

/// Asks one server.
pub struct Embedder {
    measure: Measure,
    ledger: Arc<dyn Ledger>,
    budget: Option<Arc<Budget>>,
    settings: ModelSettings,
    transport: Transport,
    keys: Keys,
    clock: Arc<dyn Clock>,
    jitter: Jitter,
    /// Whether the server ever answered.
    answered: AtomicBool,
    /// Why nothing more is asked.
    over: OnceLock<Arc<str>>,
}

/// Why a call brought nothing.
struct Failed {
    why: Arc<str>,
    /// Whether fewer or shorter texts may fare better.
    is_of_texts: bool,
}

impl Embedder {
    /// # Errors
    /// When the server cannot be asked with these settings.
    pub fn new(
        settings: ModelSettings,
        clock: Arc<dyn Clock>,
        options: EmbedderOptions,
    ) -> Result<Self, TransportError> {
        let EmbedderOptions { measure, ledger, budget, seed } = options;
        Ok(Self {
            measure,
            ledger,
            budget,
            transport: Transport::new(&settings.endpoint, &settings.keys)?,
            keys: Keys::new(&settings.keys, &settings.endpoint.secret_headers),
            settings,
            clock,
            jitter: Jitter::new(seed),
            answered: AtomicBool::new(false),
            over: OnceLock::new(),
        })
    }

    /// The model, as its server knows it.
    pub fn model(&self) -> &str {
        &self.settings.endpoint.model
    }

    /// Whether it is known what a call costs.
    pub fn has_prices(&self) -> bool {
        self.settings.prices.is_some()
    }

    /// How alike the texts of each pair are, in the order of the pairs.
    pub async fn alike(&self, pairs: &[(&str, &str)]) -> Vec<Alike> {
        let parts: Vec<&[(&str, &str)]> = parts(pairs).collect();
        let calls = stream::iter(parts).map(|part| self.part(part));
        let found: Vec<Vec<Alike>> =
            calls.buffered(self.settings.concurrency.clamp(1, AT_ONCE)).collect().await;
        found.into_iter().flatten().collect()
    }

    /// One part; where its texts are too much for the server, in halves.
    async fn part(&self, pairs: &[(&str, &str)]) -> Vec<Alike> {
        let mut found = Vec::with_capacity(pairs.len());
        let mut left = vec![pairs];
        while let Some(part) = left.pop() {
            match self.ask(part).await {
                Ok(alike) => found.extend(alike),
                Err(failed) if failed.is_of_texts && part.len() > 1 => {
                    let (first, second) = part.split_at(part.len() / 2);
                    left.extend([second, first]);
                }
                Err(failed) => {
                    if failed.is_of_texts && !self.answered.load(Ordering::Relaxed) {
                        // A server that refuses whatever is asked refuses the request, not the texts.
                        let _ = self.over.set(Arc::clone(&failed.why));
                    }
                    found.extend(part.iter().map(|_| Err(Arc::clone(&failed.why))));
                }
            }
        }
        found
    }

    /// One call, tried again while that may help.
    async fn ask(&self, pairs: &[(&str, &str)]) -> Result<Vec<Alike>, Failed> {
        let mut texts: Vec<&str> = pairs.iter().flat_map(|(one, other)| [*one, *other]).collect();
        texts.sort_unstable();
        texts.dedup();
        let mut tries = 0;
        loop {
            if let Some(why) = self.over.get() {
                return Err(Failed { why: Arc::clone(why), is_of_texts: false });
            }
            tries += 1;
            let (why, kind) = match self.once(&texts, tries).await {
                Ok(vectors) => {
                    self.answered.store(true, Ordering::Relaxed);
                    return Ok(pairs.iter().map(|pair| self.between(*pair, &texts, &vectors)).collect());
                }
                Err(failed) => failed,
            };
            let why: Arc<str> = self.keys.blotted(why).into();
            let after = match kind {
                TroubleKind::Limited { after } | TroubleKind::Faulty { after } => after,
                TroubleKind::TooLong | TroubleKind::Rejected => {
                    return Err(Failed { why, is_of_texts: true });
                }
                TroubleKind::Denied | TroubleKind::Exhausted | TroubleKind::Absent => {
                    let why = Arc::clone(self.over.get_or_init(|| why));
                    return Err(Failed { why, is_of_texts: false });
                }
                _ => return Err(Failed { why, is_of_texts: false }),
            };
            let wait = self.jitter.wait(tries, after);
            if tries >= self.settings.attempts || wait > LONGEST_WAIT {
                return Err(Failed { why, is_of_texts: false });
            }
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(&self, texts: &[&str], attempt: u32) -> Result<Vec<Vector>, (String, TroubleKind)> {
        let endpoint = &self.settings.endpoint;
        let call = call(endpoint, texts);
        let prices = self.settings.prices.as_ref();
        let mut reservation = None;
        if let Some((budget, prices)) = self.budget.as_ref().zip(prices) {
            let most = estimate("", &call.body, 0, Some(prices)).cost_micros.unwrap_or_default();
            let reserved = budget.reserve(most).await;
            reservation = Some(reserved.map_err(|over| (over.to_string(), TroubleKind::Exhausted))?);
        }
        let secret =
            (0..self.keys.accounts()).find_map(|account| self.keys.secret(self.keys.usable(account)?));
        let credential = secret.map(|secret| Credential {
            header: &endpoint.key_header,
            prefix: &endpoint.key_prefix,
            secret,
        });
        let exchange = Some(Box::new(self.exchange(&call, attempt)));
        let mut on_its_way = OnItsWay { embedder: self, exchange, watch: Stopwatch::start() };
        if let Some(reservation) = &mut reservation {
            reservation.sent();
        }
        let delivered = self.transport.call(call, credential, self.settings.timeout, LONGEST_REPLY).await;
        let Some(mut exchange) = on_its_way.ended() else { return Ok(Vec::new()) };
        let came = match delivered {
            Ok(delivered) => {
                exchange.status = Some(delivered.status);
                let received =
                    Received { status: delivered.status, headers: &delivered.headers, body: &delivered.body };
                match read(received, texts.len(), self.clock.now()) {
                    Ok((vectors, about)) => {
                        self.say(&mut exchange, about, Ending::Valid, "the numbers are not kept".to_owned());
                        exchange.raw_reply = without_vectors(&delivered.body);
                        Ok(vectors)
                    }
                    Err(trouble) => {
                        let ending = super::harness::ending(trouble.kind);
                        self.say(&mut exchange, *trouble.about, ending, trouble.message.clone());
                        exchange.raw_reply = without_vectors(&delivered.body);
                        if exchange.raw_reply.is_empty() {
                            exchange.raw_reply = delivered.body;
                        }
                        let message = trouble.message.trim_end_matches('.');
                        let status = delivered.status;
                        let why =
                            format!("the server of embeddings answered with status {status}: {message}");
                        Err((why, trouble.kind))
                    }
                }
            }
            Err(lost) => {
                (exchange.status, exchange.raw_reply) = (lost.status, lost.remnant);
                exchange.detail.clone_from(&lost.message);
                let (ending, kind) = match lost.loss {
                    // Nobody listens: a server that is only busy would have opened the door.
                    Loss::Unreachable => (Ending::Broken, TroubleKind::Absent),
                    Loss::Broken => (Ending::Broken, TroubleKind::Faulty { after: None }),
                    Loss::TimedOut => (Ending::TimedOut, TroubleKind::Faulty { after: None }),
                };
                exchange.ending = ending;
                // What never arrived costs nothing.
                exchange.cost_micros = (lost.loss == Loss::Unreachable).then_some(0);
                Err((format!("the server of embeddings cannot be heard: {}", lost.message), kind))
            }
        };
        if let Some(reservation) = reservation {
            let is_refused = exchange.status.is_some_and(|status| status >= 300);
            reservation.settle(exchange.cost_micros.or(is_refused.then_some(0)));
        }
        self.keep(*exchange).map_err(|why| (why, TroubleKind::Exhausted))?;
        came
    }

    /// The call as far as it is known before it is sent.
    fn exchange(&self, call: &Call, attempt: u32) -> Exchange {
        let endpoint = &self.settings.endpoint;
        let request_sha256 = sha256_hex([call.body.as_str()]);
        Exchange {
            at: self.clock.now(),
            audit_id: None,
            instrument: "embeddings".to_owned(),
            purpose: Purpose::Ask,
            mends: None,
            part: 1,
            attempt,
            judge: self.settings.name.clone(),
            endpoint: bare_address(&call.url),
            prompt_version: String::new(),
            prompt_sha256: String::new(),
            question_sha256: sha256_hex(["juror embeddings 1", call.url.as_str(), call.body.as_str()]),
            request_sha256,
            model_asked: endpoint.model.clone(),
            model_answered: None,
            parameters: serde_json::json!({ "encoding_format": "float" }),
            status: None,
            request_id: None,
            raw_reply: String::new(),
            latency: Duration::ZERO,
            tokens: Tokens::default(),
            cost_micros: None,
            ending: Ending::Broken,
            detail: String::new(),
        }
    }

    fn say(&self, exchange: &mut Exchange, about: About, ending: Ending, detail: String) {
        let About { model, request_id, tokens, cost_micros } = about;
        (exchange.model_answered, exchange.request_id, exchange.tokens) = (model, request_id, tokens);
        let by_list = self.settings.prices.as_ref().and_then(|prices| cost(&tokens, prices));
        exchange.cost_micros = cost_micros.max(by_list);
        (exchange.ending, exchange.detail) = (ending, detail);
    }

    /// Without any key in it, and no longer than a reply that is worth keeping.
    fn keep(&self, mut exchange: Exchange) -> Result<(), String> {
        let clean = |text: String| self.keys.blotted(text);
        exchange.endpoint = clean(exchange.endpoint);
        exchange.detail = clean(exchange.detail);
        exchange.model_answered = exchange.model_answered.map(clean);
        exchange.request_id = exchange.request_id.map(clean);
        exchange.raw_reply = clean(exchange.raw_reply);
        exchange.raw_reply.truncate(exchange.raw_reply.floor_char_boundary(LONGEST_REMNANT));
        self.ledger.keep(&exchange).map(|_| ()).map_err(|error| error.to_string())
    }

    /// `texts` are in order, each with its vector.
    fn between(&self, (one, other): (&str, &str), texts: &[&str], vectors: &[Vector]) -> Alike {
        let of = |text: &str| match texts.binary_search(&text).ok().and_then(|at| vectors.get(at)) {
            Some(Ok(vector)) => Ok(vector.as_slice()),
            Some(Err(why)) => Err(Arc::from(why.as_str())),
            None => Err(Arc::from("the server gave no vector")),
        };
        (self.measure)(of(one)?, of(other)?).map_err(|why| Arc::from(why.as_str()))
    }
}

/// A call on its way. Whoever stops waiting leaves it on record: the server may have worked on it.
struct OnItsWay<'e> {
    embedder: &'e Embedder,
    exchange: Option<Box<Exchange>>,
    watch: Stopwatch,
}

impl OnItsWay<'_> {
    fn ended(&mut self) -> Option<Box<Exchange>> {
        let mut exchange = self.exchange.take()?;
        exchange.latency = self.watch.elapsed();
        Some(exchange)
    }
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        let Some(mut exchange) = self.ended() else { return };
        "the comparison was stopped before a reply came".clone_into(&mut exchange.detail);
        if let Err(error) = self.embedder.keep(*exchange) {
            tracing::warn!(%error, "a call that was given up is not on record");
        }
    }
}

/// Consecutive pairs that go into one call.
fn parts<'p, 't>(pairs: &'p [(&'t str, &'t str)]) -> impl Iterator<Item = &'p [(&'t str, &'t str)]> {
    let mut left = pairs;
    std::iter::from_fn(move || {
        let (mut taken, mut bytes) = (0, 0);
        for (one, other) in left.iter().take(PAIRS) {
            bytes += one.len() + other.len();
            if taken > 0 && bytes > BYTES {
                break;
            }
            taken += 1;
        }
        let (part, rest) = left.split_at(taken);
        left = rest;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_neither_too_many_nor_too_large() {
        let long = "x".repeat(60_000);
        let mut pairs = vec![("a", "b"); 40];
        pairs.push((&long, &long));
        pairs.push(("a", "b"));
        let sizes: Vec<usize> = parts(&pairs).map(<[_]>::len).collect();
        assert_eq!(sizes, [16, 16, 8, 1, 1], "a pair that is too large by itself goes alone");
        assert_eq!(parts(&[]).count(), 0);
    }
}
