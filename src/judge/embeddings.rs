//! How alike two texts are in meaning, by the embeddings of a server.
//!
//! A server that fails says nothing about the texts: then it is not known how alike they are, and why. Nothing that
//! comes back is kept. Must not know what the texts are for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;

use super::harness::backoff::Jitter;
use super::keys::Keys;
use super::settings::ModelSettings;
use super::transport::{Credential, Loss, Transport, TransportError};
use super::wire::embeddings::{Vector, call, read};
use super::wire::{Received, TroubleKind};
use crate::clock::Clock;

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

/// Asks one server.
pub struct Embedder {
    measure: Measure,
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
        measure: Measure,
        clock: Arc<dyn Clock>,
        seed: u64,
    ) -> Result<Self, TransportError> {
        Ok(Self {
            measure,
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
            let (why, kind) = match self.once(&texts).await {
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

    async fn once(&self, texts: &[&str]) -> Result<Vec<Vector>, (String, TroubleKind)> {
        let endpoint = &self.settings.endpoint;
        let secret =
            (0..self.keys.accounts()).find_map(|account| self.keys.secret(self.keys.usable(account)?));
        let credential = secret.map(|secret| Credential {
            header: &endpoint.key_header,
            prefix: &endpoint.key_prefix,
            secret,
        });
        let sent =
            self.transport.call(call(endpoint, texts), credential, self.settings.timeout, LONGEST_REPLY);
        let delivered = sent.await.map_err(|lost| {
            let kind = match lost.loss {
                // Nobody listens: a server that is only busy would have opened the door.
                Loss::Unreachable => TroubleKind::Absent,
                Loss::Broken | Loss::TimedOut => TroubleKind::Faulty { after: None },
            };
            (format!("the server of embeddings cannot be heard: {}", lost.message), kind)
        })?;
        let received =
            Received { status: delivered.status, headers: &delivered.headers, body: &delivered.body };
        read(received, texts.len(), self.clock.now()).map_err(|trouble| {
            let message = trouble.message.trim_end_matches('.');
            (
                format!("the server of embeddings answered with status {}: {message}", delivered.status),
                trouble.kind,
            )
        })
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
