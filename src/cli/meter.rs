//! Counts what a model is asked, on the way to where it is kept.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use super::audit::counted;
use crate::domain::exchange::{Ending, Exchange};
use crate::domain::ids::ExchangeKey;
use crate::judge::harness::dollars;
use crate::judge::ledger::{Answered, Ledger, LedgerError};

/// What one run asked, and what that took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Usage {
    /// Requests, repeated ones included.
    calls: u64,
    input_tokens: u64,
    output_tokens: u64,
    /// The known costs, in millionths of a US dollar.
    cost_micros: u64,
    /// Calls that were answered, or may have been, and whose cost nobody knows.
    of_unknown_cost: u64,
}

/// The same for programs.
#[derive(Debug, Serialize)]
pub(super) struct Asked {
    calls: u64,
    input_tokens: u64,
    output_tokens: u64,
    /// In US dollars; `null` where the cost of any call is unknown.
    cost_usd: Option<f64>,
    calls_of_unknown_cost: u64,
}

/// A ledger that counts. It keeps nothing itself.
pub(super) struct Meter {
    /// Where exchanges are kept; `None` for nowhere.
    ledger: Option<Box<dyn Ledger>>,
    usage: Mutex<Usage>,
}

impl Meter {
    pub(super) fn new(ledger: Option<Box<dyn Ledger>>) -> Arc<Self> {
        Arc::new(Self { ledger, usage: Mutex::default() })
    }

    pub(super) fn usage(&self) -> Usage {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ledger for Meter {
    fn answered(&self, question_sha256: &str) -> Result<Option<Answered>, LedgerError> {
        self.ledger.as_ref().map_or(Ok(None), |ledger| ledger.answered(question_sha256))
    }

    fn keep(&self, exchange: &Exchange) -> Result<ExchangeKey, LedgerError> {
        let calls = {
            let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
            usage.add(exchange);
            usage.calls
        };
        match &self.ledger {
            Some(ledger) => ledger.keep(exchange),
            None => Ok(ExchangeKey(calls.cast_signed())),
        }
    }
}

impl Usage {
    fn add(&mut self, exchange: &Exchange) {
        // A server may say what it likes of its tokens.
        let add = |sum: &mut u64, more: Option<u64>| *sum = sum.saturating_add(more.unwrap_or_default());
        self.calls += 1;
        add(&mut self.input_tokens, exchange.tokens.input);
        add(&mut self.output_tokens, exchange.tokens.output);
        match exchange.cost_micros {
            Some(_) => add(&mut self.cost_micros, exchange.cost_micros),
            None => self.of_unknown_cost += u64::from(may_cost(exchange.ending)),
        }
    }

    pub(super) fn asked(self) -> Asked {
        Asked {
            calls: self.calls,
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            cost_usd: (self.of_unknown_cost == 0).then_some(self.cost_micros as f64 / 1e6),
            calls_of_unknown_cost: self.of_unknown_cost,
        }
    }

    /// What it cost so far, as far as that is known; nothing where it is not.
    pub(super) fn cost_so_far(self) -> Option<String> {
        (self.cost_micros > 0).then(|| format!("{} so far", dollars(self.cost_micros)))
    }

    /// In a line, for people; `has_prices` is whether the settings say what a token costs.
    pub(super) fn sentence(self, judge: &str, has_prices: bool) -> String {
        let mut line = format!(
            "{judge} was asked in {}: {} tokens read, {} written, ",
            counted(self.calls, "call"),
            self.input_tokens,
            self.output_tokens
        );
        // Writing to a string cannot fail.
        let _ = match (self.of_unknown_cost, self.cost_micros) {
            (_, 0) if !has_prices => write!(line, "cost unknown: no prices set"),
            (0, cost) => write!(line, "{}", dollars(cost)),
            (unknown, cost) => {
                write!(line, "{} and the unknown cost of {}", dollars(cost), counted(unknown, "call"))
            }
        };
        line
    }
}

/// Whether a provider may charge for a request that ended so.
fn may_cost(ending: Ending) -> bool {
    match ending {
        Ending::Valid
        | Ending::Unreadable
        | Ending::Misshapen
        | Ending::Cut
        | Ending::Refused
        | Ending::Empty
        | Ending::TimedOut
        | Ending::Broken => true,
        Ending::Limited
        | Ending::Exhausted
        | Ending::Denied
        | Ending::Unsupported
        | Ending::TooLong
        | Ending::Faulty
        | Ending::Rejected => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::exchange::{Purpose, Tokens};
    use crate::domain::time::Timestamp;

    fn exchange(ending: Ending, tokens: Tokens, cost_micros: Option<u64>) -> Exchange {
        Exchange {
            at: Timestamp::from_millis(0),
            audit_id: None,
            mends: None,
            instrument: "support".into(),
            purpose: Purpose::Ask,
            part: 1,
            attempt: 1,
            judge: "m".into(),
            endpoint: "http://x".into(),
            prompt_version: "support-1".into(),
            prompt_sha256: String::new(),
            question_sha256: String::new(),
            request_sha256: String::new(),
            model_asked: "x".into(),
            model_answered: None,
            parameters: serde_json::Value::Null,
            status: Some(200),
            request_id: None,
            raw_reply: String::new(),
            latency: Duration::ZERO,
            tokens,
            cost_micros,
            ending,
            detail: String::new(),
        }
    }

    #[test]
    fn j70_an_unknown_cost_is_unknown_and_never_nothing() {
        let meter = Meter::new(None);
        let tokens = Tokens { input: Some(1000), output: Some(50), ..Tokens::default() };
        meter.keep(&exchange(Ending::Valid, tokens, None)).unwrap();
        meter.keep(&exchange(Ending::Limited, Tokens::default(), None)).unwrap();
        let said = meter.usage().sentence("m", false);
        assert_eq!(said, "m was asked in 2 calls: 1000 tokens read, 50 written, cost unknown: no prices set");
        assert_eq!(meter.usage().asked().cost_usd, None);
        meter.keep(&exchange(Ending::Valid, tokens, Some(4200))).unwrap();
        let said = meter.usage().sentence("m", true);
        assert!(said.ends_with("$0.0042 and the unknown cost of 1 call"), "{said}");
        assert_eq!((meter.usage().asked().cost_usd, meter.usage().asked().calls_of_unknown_cost), (None, 1));
    }

    #[test]
    fn a_server_that_counts_absurdly_breaks_no_sum() {
        let meter = Meter::new(None);
        let tokens = Tokens { input: Some(u64::MAX), output: Some(u64::MAX), ..Tokens::default() };
        for _ in 0..3 {
            meter.keep(&exchange(Ending::Valid, tokens, Some(u64::MAX))).unwrap();
        }
        assert_eq!(meter.usage().calls, 3);
        assert_eq!(meter.usage().cost_micros, u64::MAX);
    }

    #[test]
    fn what_a_refused_call_did_not_cost_leaves_the_cost_known() {
        let meter = Meter::new(None);
        meter.keep(&exchange(Ending::Limited, Tokens::default(), None)).unwrap();
        meter.keep(&exchange(Ending::Valid, Tokens::default(), Some(250_000))).unwrap();
        assert_eq!(meter.usage().asked().cost_usd, Some(0.25));
        assert!(meter.usage().sentence("m", true).ends_with("$0.25"));
    }
}
