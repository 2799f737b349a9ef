//! One request and what came of it.

use tokio::time::timeout_at;

use super::super::budget::{self, Reservation};
use super::super::gate::Permit;
use super::super::log::{self, Sent};
use super::{Course, Harness, Text, Unanswered};
use crate::clock::Stopwatch;
use crate::domain::exchange::Exchange;
use crate::judge::pace::Outcome;
use crate::judge::transport::{self, Credential, Delivered, Loss, Lost, seconds};
use crate::judge::wire::{self, Ask, Manner, Received, Said, Trouble, TroubleKind};
use tokio::time::Instant;

/// What came of one request. The exchange is not kept yet.
pub(super) enum Came {
    Said(Said, Box<Exchange>),
    Trouble(Trouble, Box<Exchange>),
    Lost(Loss, Box<Exchange>),
}

/// What was learned about the account that was used.
pub(super) struct Used {
    pub(super) account: usize,
}

impl<'a> Course<'a> {
    /// Sends `text` once, when budget, keys and pace allow.
    pub(super) async fn exchange(
        &mut self,
        text: &Text<'_>,
        manner: Manner,
    ) -> Result<(Came, Used), Unanswered> {
        let harness = self.harness;
        let settings = &harness.settings;
        let ask = Ask {
            system: text.system,
            user: text.user,
            schema_name: self.question.schema.name(),
            schema: self.question.schema.value(),
            max_output: self.max_output,
            temperature: settings.temperature,
            seed: settings.seed,
        };
        let request = wire::request(&settings.endpoint, manner, &ask);
        let body = transport::written(&request.body);
        // Before the gate: whoever is let in sends at once.
        let request_sha256 = log::sha256(&body);
        let mut reservation = self.reserve(&body).await?;
        let permit = match harness.gate.enter(&self.avoid, self.deadline).await {
            Ok(permit) => permit,
            Err(shut) => return Err(self.shut(shut)),
        };
        let within = settings.timeout.min(self.deadline.remaining());
        if within.is_zero() {
            return Err(self.out_of_time("no time was left to send the next request"));
        }
        self.attempts += 1;
        let sent = Sent {
            at: harness.clock.now(),
            attempt: self.attempts,
            question_sha256: self.question_sha256.clone(),
            request_sha256,
        };
        let exchange = Box::new(sent.exchange(harness, self.question, text, &request));
        let secret = permit.secret();
        let credential = secret.as_ref().map(|secret| Credential {
            header: &settings.endpoint.key_header,
            prefix: &settings.endpoint.key_prefix,
            secret,
        });
        if let Some(reservation) = &mut reservation {
            reservation.sent();
        }
        let in_flight = InFlight { harness, exchange: Some(exchange), watch: Stopwatch::start() };
        let delivered = harness.transport.send(&request, body, credential, within).await;
        let Some(exchange) = in_flight.ended() else {
            return Err(self.out_of_time("nothing came of the request"));
        };
        let used = Used { account: permit.account() };
        let came = match delivered {
            Ok(delivered) => self.delivered(text, log::blotted(harness, delivered), exchange, permit),
            Err(lost) => self.undelivered(&lost, exchange, permit),
        };
        if let Some(reservation) = reservation {
            settle(reservation, &came);
        }
        Ok((came, used))
    }

    async fn reserve(&self, body: &str) -> Result<Option<Reservation<'a>>, Unanswered> {
        let harness: &'a Harness = self.harness;
        let (Some(budget), Some(prices)) = (&harness.options.budget, &harness.settings.prices) else {
            return Ok(None);
        };
        let estimate = budget::of_body(body, self.max_output, Some(prices));
        let queued = Instant::now();
        let reserved = budget.reserve(estimate.cost_micros.unwrap_or_default());
        let reserved = timeout_at(self.deadline.at_the_latest(), reserved).await;
        // Others spend it, so it is not held against this record.
        self.deadline.was_queued(queued.elapsed());
        match reserved {
            Ok(Ok(reservation)) => Ok(Some(reservation)),
            Ok(Err(over)) => Err(self.everything(over.to_string())),
            Err(_) => Err(self.for_now(format!(
                "what is left of the budget was set aside for requests of other records for {} s, and none of them \
                 came to an end",
                seconds(queued.elapsed())
            ))),
        }
    }

    fn delivered(
        &self,
        text: &Text<'_>,
        delivered: Delivered,
        mut exchange: Box<Exchange>,
        permit: Permit<'_>,
    ) -> Came {
        let harness = self.harness;
        harness.hear();
        exchange.status = Some(delivered.status);
        let received =
            Received { status: delivered.status, headers: &delivered.headers, body: &delivered.body };
        match log::read(harness, received, &[text.system, text.user]) {
            Ok(said) => {
                permit.end(Outcome::Accepted);
                log::about(harness, &mut exchange, &said.about);
                exchange.raw_reply = delivered.body;
                Came::Said(said, exchange)
            }
            Err(mut trouble) => {
                if let Some(target) = redirect(&delivered) {
                    trouble.kind = TroubleKind::Absent;
                    trouble.message = format!("the server sends on to {target}, which is not followed");
                }
                log::about(harness, &mut exchange, &trouble.about);
                exchange.raw_reply = delivered.body;
                hand_back(permit, &trouble, delivered.status);
                Came::Trouble(trouble, exchange)
            }
        }
    }

    fn undelivered(&self, lost: &Lost, mut exchange: Box<Exchange>, permit: Permit<'_>) -> Came {
        if lost.status.is_some() {
            self.harness.hear();
        }
        log::lost(self.harness, &mut exchange, lost);
        permit.end(if lost.loss == Loss::TimedOut { Outcome::Slow } else { Outcome::Neither });
        Came::Lost(lost.loss, exchange)
    }
}

/// A request on its way. Whoever stops waiting for the reply leaves it on record all the same: the server may have
/// worked on it, and charge for it.
struct InFlight<'h> {
    harness: &'h Harness,
    exchange: Option<Box<Exchange>>,
    watch: Stopwatch,
}

impl InFlight<'_> {
    /// The exchange, now that something came of it. There is one until then.
    fn ended(mut self) -> Option<Box<Exchange>> {
        let mut exchange = self.exchange.take()?;
        exchange.latency = self.watch.elapsed();
        Some(exchange)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let Some(mut exchange) = self.exchange.take() else { return };
        exchange.latency = self.watch.elapsed();
        "the audit was stopped before a reply came".clone_into(&mut exchange.detail);
        if let Err(error) = self.harness.ledger.keep(&exchange) {
            tracing::warn!(%error, "a request that was given up is not on record");
        }
    }
}

fn redirect(delivered: &Delivered) -> Option<String> {
    (300..400).contains(&delivered.status).then(|| transport::redirect_target(&delivered.headers)).flatten()
}

/// What the reply says about key, account and pace.
fn hand_back(permit: Permit<'_>, trouble: &Trouble, status: u16) {
    match trouble.kind {
        TroubleKind::Denied => permit.denied(&trouble.message),
        TroubleKind::Exhausted => permit.exhausted(&trouble.message),
        TroubleKind::Limited { after } => permit.end(Outcome::Refused { after }),
        // Overloaded, in the words of different servers.
        TroubleKind::Faulty { after } if matches!(status, 503 | 529) => {
            permit.end(Outcome::Refused { after });
        }
        TroubleKind::Faulty { .. } => permit.end(Outcome::Neither),
        _ => permit.end(Outcome::Accepted),
    }
}

/// A request that was turned away costs nothing; one that was worked on and came to nothing may cost all of it.
fn settle(reservation: Reservation<'_>, came: &Came) {
    match came {
        Came::Trouble(_, exchange) if exchange.status.is_some_and(|status| status >= 300) => {
            reservation.settle(Some(exchange.cost_micros.unwrap_or(0)));
        }
        Came::Said(_, exchange) | Came::Trouble(_, exchange) => reservation.settle(exchange.cost_micros),
        Came::Lost(Loss::Unreachable, _) => reservation.settle(Some(0)),
        Came::Lost(..) => reservation.settle(None),
    }
}

impl Harness {
    fn hear(&self) {
        *self.heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether the server has answered anything since then.
    pub(super) fn heard_since(&self, then: Instant) -> bool {
        self.heard
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .is_some_and(|heard| heard >= then)
    }
}
