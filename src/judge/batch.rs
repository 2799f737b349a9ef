//! Hands batches of questions to a server and brings back what came of them.
//!
//! A batch belongs to the account that began it, so every call names one. Must not know what is asked, nor where
//! batches are remembered. No reply and no error that leaves here holds a key.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::keys::Keys;
use super::settings::ModelSettings;
use super::transport::{Credential, Delivered, Transport, TransportError};
use super::wire::batch::{self, Call, Described, Line};
use super::wire::{self, Received, TroubleKind};
use crate::domain::time::Timestamp;

/// A call of this kind is short.
const LONGEST_REPLY: usize = 16 << 20;
/// What came of a whole batch.
const LONGEST_RESULTS: usize = 256 << 20;
/// Time to hand over or fetch a whole batch, at least.
const TRANSFER: Duration = Duration::from_mins(10);
/// Before a file that is not there is asked for again.
const AGAIN: Duration = Duration::from_millis(500);
/// Pages of a list that are looked through for one batch.
const MOST_PAGES: usize = 50;

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// The server knows no such thing as batches.
    #[error("the server has no batches: {0}")]
    NoBatches(String),
    /// The server knows batches, and not this one.
    #[error("the server does not have it: {0}")]
    Gone(String),
    /// No key may do this.
    #[error("{0}")]
    Denied(String),
    /// The server says no, and nothing has happened.
    #[error("the server refuses it: {0}")]
    Refused(String),
    /// The server does not answer, or not as it should: it may have done it or not.
    #[error("{0}")]
    Unsure(String),
}

/// Where batches are begun and listed, nothing means that there are none.
fn no_batches(error: BatchError) -> BatchError {
    match error {
        BatchError::Gone(why) => BatchError::NoBatches(why),
        other => other,
    }
}

/// What came of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Results {
    /// Lines, file by file.
    pub files: Vec<String>,
    /// For each file that the server does not have any more, what it says.
    pub gone: Vec<String>,
}

/// Calls about batches to one server.
#[derive(Debug)]
pub struct Batches {
    settings: ModelSettings,
    keys: Mutex<Keys>,
    transport: Transport,
}

impl Batches {
    pub fn new(settings: &ModelSettings) -> Result<Self, TransportError> {
        Ok(Self {
            transport: Transport::new(&settings.endpoint, &settings.keys)?,
            keys: Mutex::new(Keys::new(&settings.keys, &settings.endpoint.secret_headers)),
            settings: settings.clone(),
        })
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first account of which a key may still be used.
    pub fn account(&self) -> Result<String, BatchError> {
        let keys = self.keys();
        (0..keys.accounts())
            .find(|account| keys.usable(*account).is_some())
            .and_then(|account| keys.name(account).map(str::to_owned))
            .ok_or_else(|| BatchError::Denied(keys.trouble().join("; ")))
    }

    /// Hands the questions over as a file, where they go in one; the file's name.
    pub async fn upload(
        &self,
        account: &str,
        tag: &str,
        lines: &[Line<'_>],
        now: Timestamp,
    ) -> Result<Option<String>, BatchError> {
        let Some(call) = batch::upload(&self.settings.endpoint, tag, lines) else { return Ok(None) };
        let delivered = self.call(account, call, LONGEST_REPLY, now).await.map_err(no_batches)?;
        batch::uploaded(&delivered.body)
            .map(Some)
            .ok_or_else(|| BatchError::Unsure("the server took the questions and named no file".to_owned()))
    }

    /// Begins a batch.
    pub async fn create(
        &self,
        account: &str,
        tag: &str,
        file: Option<&str>,
        lines: &[Line<'_>],
        now: Timestamp,
    ) -> Result<Described, BatchError> {
        let call = batch::create(&self.settings.endpoint, tag, file, lines);
        self.described(account, call, now).await.map_err(no_batches)
    }

    /// How far a batch is.
    pub async fn look(&self, account: &str, id: &str, now: Timestamp) -> Result<Described, BatchError> {
        self.described(account, batch::look(&self.settings.endpoint, id), now).await
    }

    /// The batches of an account that were begun since `since`, those of unknown age included.
    pub async fn since(
        &self,
        account: &str,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<Described>, BatchError> {
        let protocol = self.settings.endpoint.protocol;
        let (mut found, mut after): (Vec<Described>, Option<String>) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let call = batch::list(&self.settings.endpoint, after.as_deref());
            let delivered = self.call(account, call, LONGEST_REPLY, now).await.map_err(no_batches)?;
            let page = batch::listed(protocol, &delivered.body).ok_or_else(|| {
                BatchError::Unsure("the server's list of its batches cannot be read".to_owned())
            })?;
            // The latest come first: a page that ends with an old one is followed by older ones.
            let is_recent = |one: &Described| one.created_at.is_none_or(|at| at >= since);
            let goes_on = page.batches.last().is_some_and(is_recent);
            found.extend(page.batches.into_iter().filter(is_recent));
            if !goes_on || page.next.is_none() || page.next == after {
                return Ok(found);
            }
            after = page.next;
        }
        Err(BatchError::Unsure("the server's list of its batches does not come to an end".to_owned()))
    }

    /// All lines of what came of a batch, and how many of its files the server does not have any more.
    pub async fn results(
        &self,
        account: &str,
        described: &Described,
        now: Timestamp,
    ) -> Result<Results, BatchError> {
        let mut results = Results::default();
        for address in &described.results {
            match self.fetched(account, address, now).await {
                Ok(file) => results.files.push(file),
                Err(BatchError::Gone(why)) => results.gone.push(why),
                Err(error) => return Err(error),
            }
        }
        Ok(results)
    }

    /// A file that is not there is asked for once more: what was paid for is not given up at the first word.
    async fn fetched(&self, account: &str, address: &str, now: Timestamp) -> Result<String, BatchError> {
        let fetch = || {
            let call = batch::fetch(&self.settings.endpoint, address);
            self.call(account, call, LONGEST_RESULTS, now)
        };
        let fetched = match fetch().await {
            Err(BatchError::Gone(_)) => {
                tokio::time::sleep(AGAIN).await;
                fetch().await
            }
            fetched => fetched,
        };
        Ok(fetched?.body)
    }

    async fn described(&self, account: &str, call: Call, now: Timestamp) -> Result<Described, BatchError> {
        let delivered = self.call(account, call, LONGEST_REPLY, now).await?;
        batch::described(self.settings.endpoint.protocol, &delivered.body)
            .ok_or_else(|| BatchError::Unsure("the server's reply says nothing of a batch".to_owned()))
    }

    /// Tries the keys of the account one after the other.
    async fn call(
        &self,
        account: &str,
        call: Call,
        longest: usize,
        now: Timestamp,
    ) -> Result<Delivered, BatchError> {
        let endpoint = &self.settings.endpoint;
        loop {
            let (place, secret) = {
                let keys = self.keys();
                let Some(number) = keys.named(account) else {
                    return Err(BatchError::Denied(format!(
                        "the batch belongs to the account `{account}`, of which [judge.{}] has no key any more",
                        self.settings.name
                    )));
                };
                let Some(place) = keys.usable(number) else {
                    let why = keys.why(number).unwrap_or_default();
                    return Err(BatchError::Denied(why));
                };
                (place, keys.secret(place).cloned())
            };
            let credential = secret.as_ref().map(|secret| Credential {
                header: &endpoint.key_header,
                prefix: &endpoint.key_prefix,
                secret,
            });
            let within = self.settings.timeout.max(TRANSFER);
            let delivered = self.transport.call(call.clone(), credential, within, longest).await;
            let delivered = match delivered {
                Ok(delivered) => {
                    let body = self.keys().blotted(delivered.body);
                    Delivered { body, ..delivered }
                }
                Err(lost) => return Err(BatchError::Unsure(self.keys().blotted(lost.message))),
            };
            if (200..300).contains(&delivered.status) {
                return Ok(delivered);
            }
            let received =
                Received { status: delivered.status, headers: &delivered.headers, body: &delivered.body };
            let Err(trouble) = wire::read(endpoint.protocol, received, now) else {
                return Err(BatchError::Unsure(format!("status {}", delivered.status)));
            };
            let message = self.keys().blotted(trouble.message);
            return Err(match (delivered.status, trouble.kind) {
                (_, TroubleKind::Denied) => {
                    self.keys().deny(place, &message);
                    continue;
                }
                (_, TroubleKind::Exhausted) => {
                    self.keys().exhaust(place.account, &message);
                    continue;
                }
                (404 | 410, _) => BatchError::Gone(message),
                (405 | 501, _) => BatchError::NoBatches(message),
                (500.. | ..400, _) => BatchError::Unsure(message),
                _ => BatchError::Refused(message),
            });
        }
    }
}
