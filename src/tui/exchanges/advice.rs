//! What an exchange's ending means, and what a person can do about it.

use super::{Entry, ExchangeLog};
use crate::domain::exchange::Ending;

/// What the ending means, in a sentence.
pub const fn meaning(ending: Ending) -> &'static str {
    match ending {
        Ending::Valid => "the reply fits its schema",
        Ending::Unreadable => "the reply is no JSON",
        Ending::Misshapen => "the reply is JSON of another shape, or contradicts itself",
        Ending::Cut => "the reply ended before it was complete",
        Ending::Refused => "the model declined, or a filter stopped it",
        Ending::Empty => "the reply holds nothing",
        Ending::Limited => "too many requests for now",
        Ending::Exhausted => "no more requests on this account",
        Ending::Denied => "the key is not accepted",
        Ending::Unsupported => "the server cannot do it in this form",
        Ending::TooLong => "the request is longer than the model can read",
        Ending::Faulty => "the server failed",
        Ending::Rejected => "the server calls the request wrong",
        Ending::TimedOut => "no reply within the time allowed",
        Ending::Broken => "no connection, or one that broke",
    }
}

/// What can be done about the chosen exchange; `None` where nothing is amiss.
pub fn to_do(log: &ExchangeLog) -> Option<String> {
    let exchange = &log.entry()?.kept()?.exchange;
    if exchange.ending == Ending::Valid {
        return None;
    }
    let answered = log.entries().iter().enumerate().skip(log.chosen + 1).find_map(|(at, entry)| {
        let later = &entry.kept()?.exchange;
        let is_answer = later.ending == Ending::Valid && later.part == exchange.part;
        is_answer.then_some(at + 1)
    });
    if let Some(answered) = answered {
        return Some(format!("nothing: it was asked again, and exchange {answered} is the answer"));
    }
    let judge = &exchange.judge;
    let again = exchange.audit_id.as_ref().map(|id| format!(", then `juror audit --again {id}`"));
    let again = again.unwrap_or_default();
    let doctor = format!("`juror doctor --judge {judge}` tries it");
    Some(match exchange.ending {
        Ending::Valid => return None,
        Ending::Unreadable | Ending::Misshapen => {
            "judge it yourself, or have another model audit it: this one did not keep to the shape".to_owned()
        }
        Ending::Cut => format!("raise max_output in [judge.{judge}]{again}"),
        Ending::Refused => "judge it yourself, or have another judge audit it: this one declined".to_owned(),
        Ending::Empty => {
            format!(
                "raise max_output in [judge.{judge}], which reasoning may have used up, or choose another model"
            )
        }
        Ending::Limited => {
            format!("lower concurrency in [judge.{judge}], or add a key of another account{again}")
        }
        Ending::Exhausted => {
            format!("top up the account, or add a key of another one to [judge.{judge}]{again}")
        }
        Ending::Denied => format!("mend the key of [judge.{judge}]; {doctor}{again}"),
        Ending::Unsupported => format!("no plainer form was left; {doctor}"),
        Ending::TooLong => {
            format!(
                "set context in [judge.{judge}] to what the model can read, or choose one that reads more{again}"
            )
        }
        Ending::Faulty => format!("try later; {doctor}{again}"),
        Ending::Rejected => format!("read why below, mend [judge.{judge}]; {doctor}{again}"),
        Ending::TimedOut => format!("raise timeout_s in [judge.{judge}], or lower its concurrency{again}"),
        Ending::Broken => format!("see that base_url in [judge.{judge}] can be reached; {doctor}{again}"),
    })
}

/// What all of them took together, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Total {
    pub exchanges: usize,
    pub input: u64,
    pub output: u64,
    /// Millionths of a US dollar.
    pub micros: u64,
    /// Exchanges whose tokens are not all known, and whose cost is not.
    pub unknown_tokens: usize,
    pub unknown_cost: usize,
}

impl Total {
    pub fn of(entries: &[Entry]) -> Self {
        let mut total = Self { exchanges: entries.len(), ..Self::default() };
        for entry in entries {
            let (tokens, cost) = match entry.kept() {
                Some(logged) => (logged.exchange.tokens, logged.exchange.cost_micros),
                None => Default::default(),
            };
            total.input = total.input.saturating_add(tokens.input.unwrap_or_default());
            total.output = total.output.saturating_add(tokens.output.unwrap_or_default());
            total.micros = total.micros.saturating_add(cost.unwrap_or_default());
            total.unknown_tokens += usize::from(tokens.input.is_none() || tokens.output.is_none());
            total.unknown_cost += usize::from(cost.is_none());
        }
        total
    }
}
