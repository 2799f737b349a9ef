//! `juror exchanges`: what models were asked and what they answered, as it was kept.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use super::audit::counted;
use super::output::visible_lines;
use super::{Context, Exit, Failure, Output};
use crate::domain::exchange::{Ending, Exchange, Purpose};
use crate::domain::ids::{AuditId, ClaimId};
use crate::domain::time::Timestamp;
use crate::store::{ExchangesOf, KeptExchange, Store, StoreError};
use crate::text::sanitize::visible;
use crate::text::width::{pad, truncate, width};

/// Exchanges of the table unless --limit says otherwise.
const TABLE_ROWS: usize = 50;

/// List what models were asked and what came back
#[derive(clap::Args)]
#[command(after_help = "\
Every request to a model is kept before anything is made of its reply: these are
the last ones in order, two lines each. The first says when, about which record,
HTTP status, how it ended (only VALID is an answer), how long it took, tokens
read + written, and the cost; - is unknown, not nothing. The second says the
instrument, part.try, why it was asked, the judge, the model that answered, and
what was wrong or noteworthy.

--audit-id shows all of a record, also of audits that were never finished;
--claim those that the claim's own audit rests on; --judge one judge's, also of
one that is not in the settings any more. The local judge asks no model.

--json prints one array, raw replies and the audits that rest on each included.
Exit code 4 when an exchange is damaged, which is named and left out.

Examples:
  juror exchanges
  juror exchanges --audit-id rx-1042 --raw
  juror exchanges --claim 'rx-1042#3' --json
  juror exchanges --judge cloud --limit 0")]
pub(super) struct Arguments {
    /// Only those about this record
    #[arg(long, value_name = "ID", conflicts_with = "claim")]
    audit_id: Option<String>,
    /// Only those of the audit in which this claim was found
    #[arg(long, value_name = "ID#n")]
    claim: Option<ClaimId>,
    /// Only the last so many (default: 50 in the table, all with --json; 0: all)
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print the raw replies too, each line after a bar, what is hidden in them made visible
    #[arg(long)]
    raw: bool,
    /// Whose exchanges: any name, also of a judge that is not in the settings any more.
    #[arg(skip)]
    pub(super) judge: Option<String>,
}

/// An exchange for programs.
#[derive(Serialize)]
struct Row<'a> {
    id: i64,
    at: Timestamp,
    audit_id: Option<&'a AuditId>,
    /// The audits that rest on it.
    audits: Vec<AuditRow<'a>>,
    instrument: &'a str,
    purpose: Purpose,
    /// The exchange whose reply a repair writes again.
    mends: Option<i64>,
    part: u32,
    attempt: u32,
    judge: &'a str,
    endpoint: &'a str,
    prompt_version: &'a str,
    prompt_sha256: &'a str,
    question_sha256: &'a str,
    request_sha256: &'a str,
    model_asked: &'a str,
    model_answered: Option<&'a str>,
    parameters: &'a Value,
    status: Option<u16>,
    request_id: Option<&'a str>,
    seconds: f64,
    tokens: TokensRow,
    cost_micros: Option<u64>,
    ending: Ending,
    detail: &'a str,
    raw_reply: &'a str,
}

#[derive(Serialize)]
struct AuditRow<'a> {
    audit_id: &'a AuditId,
    audit: u32,
}

#[derive(Serialize)]
struct TokensRow {
    input: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    if context.config.blind.value {
        return Err(Failure::bad_input(
            "the log of exchanges tells what judges said, which is hidden in a blind review: --open shows it",
        )
        .into());
    }
    let store = context.read_store()?;
    let audit_id = arguments.audit_id.as_ref().map(AuditId::new);
    let out = &mut context.out;
    // What belongs to each, and how many there are, is of one moment.
    store.snapshot(|| {
        let of = match (&audit_id, &arguments.claim) {
            (Some(id), _) => ExchangesOf::Record(id),
            (None, Some(claim)) => ExchangesOf::Claim(store.claim_key(claim)?),
            (None, None) => ExchangesOf::Everything,
        };
        let limit = match (arguments.limit, out.wants_json()) {
            (Some(0), _) | (None, true) => None,
            (Some(limit), _) => Some(limit),
            (None, false) => Some(TABLE_ROWS),
        };
        let judge = arguments.judge.as_deref();
        let keys = store.exchange_keys(of, judge, limit)?;
        if keys.is_empty() && !out.wants_json() {
            out.text(&visible(&why_none(&store, of, arguments)?))?;
            return Ok(Exit::Fine);
        }
        let mut printer = Printer { out, raw: arguments.raw, sum: Sum::default(), before: "[" };
        let mut exit = Exit::Fine;
        for key in &keys {
            match store.exchange(*key)? {
                Ok(kept) => printer.print(&kept)?,
                Err(damaged) => {
                    printer.out.error(&damaged.to_string());
                    exit = Exit::RunFailed;
                }
            }
        }
        printer.end()?;
        let shown = keys.len() as u64;
        if limit.is_some() && !out.wants_json() {
            let all = store.exchange_count(of, judge)?;
            if shown < all {
                out.note(&format!("the last {shown} of {all} exchanges: --limit 0 shows all"));
            }
        }
        Ok(exit)
    })
}

/// An empty list says why it is empty.
fn why_none(store: &Store, of: ExchangesOf<'_>, arguments: &Arguments) -> Result<String, StoreError> {
    if let Some(judge) = &arguments.judge {
        return Ok(format!("no exchange of a judge `{judge}` here"));
    }
    let judges = store.judges_of(of)?;
    let subject = match of {
        ExchangesOf::Everything => "everything here".to_owned(),
        ExchangesOf::Record(id) => id.to_string(),
        ExchangesOf::Claim(_) => arguments.claim.as_ref().map(ToString::to_string).unwrap_or_default(),
    };
    Ok(if judges.is_empty() {
        "no exchange: nothing was audited yet, and no model was asked".to_owned()
    } else {
        format!(
            "no exchange: {subject} was audited by the judge {}, and no model was asked",
            judges.join(", ")
        )
    })
}

/// Prints one exchange after the other.
struct Printer<'a> {
    out: &'a mut Output,
    raw: bool,
    sum: Sum,
    /// What comes before the next one of the array.
    before: &'static str,
}

/// What the exchanges shown come to.
#[derive(Default)]
struct Sum {
    shown: u64,
    valid: u64,
    micros: u64,
    unknown: u64,
}

impl Printer<'_> {
    fn print(&mut self, kept: &KeptExchange) -> anyhow::Result<()> {
        let exchange = &kept.exchange;
        self.sum.shown += 1;
        self.sum.valid += u64::from(exchange.ending == Ending::Valid);
        self.sum.unknown += u64::from(exchange.cost_micros.is_none());
        self.sum.micros = self.sum.micros.saturating_add(exchange.cost_micros.unwrap_or(0));
        if self.out.wants_json() {
            self.out.bytes(std::mem::replace(&mut self.before, ",\n ").as_bytes())?;
            self.out.json_part(&row(kept))?;
            return Ok(self.out.still_read()?);
        }
        let columns = self.out.columns();
        for line in [first_line(exchange), second_line(exchange)] {
            let line = visible(&line);
            match columns {
                Some(columns) => self.out.text(&truncate(&line, columns))?,
                None => self.out.text(&line)?,
            }
        }
        if self.raw {
            // After a bar, so that no reply looks like a line of this table.
            let shown = visible_lines(&exchange.raw_reply).replace('\n', "\n  | ");
            self.out.text(&format!("  | {shown}"))?;
        }
        Ok(())
    }

    fn end(&mut self) -> anyhow::Result<()> {
        if self.out.wants_json() {
            self.out.bytes(if self.before == "[" { b"[]\n" } else { b"]\n" })?;
            return Ok(());
        }
        let Sum { shown, valid, micros, unknown } = self.sum;
        let mut line = format!("{}, {valid} VALID", counted(shown, "exchange"));
        if unknown < shown {
            let _ = write!(line, ", {} in all", dollars(micros));
        }
        if unknown > 0 {
            let _ = write!(line, ", cost unknown of {unknown}");
        }
        Ok(self.out.text(&line)?)
    }
}

fn row(kept: &KeptExchange) -> Row<'_> {
    let exchange = &kept.exchange;
    Row {
        id: kept.key.0,
        at: exchange.at,
        audit_id: exchange.audit_id.as_ref(),
        audits: kept.runs.iter().map(|(audit_id, audit)| AuditRow { audit_id, audit: *audit }).collect(),
        instrument: &exchange.instrument,
        purpose: exchange.purpose,
        mends: exchange.mends.map(|key| key.0),
        part: exchange.part,
        attempt: exchange.attempt,
        judge: &exchange.judge,
        endpoint: &exchange.endpoint,
        prompt_version: &exchange.prompt_version,
        prompt_sha256: &exchange.prompt_sha256,
        question_sha256: &exchange.question_sha256,
        request_sha256: &exchange.request_sha256,
        model_asked: &exchange.model_asked,
        model_answered: exchange.model_answered.as_deref(),
        parameters: &exchange.parameters,
        status: exchange.status,
        request_id: exchange.request_id.as_deref(),
        seconds: exchange.latency.as_secs_f64(),
        tokens: TokensRow {
            input: exchange.tokens.input,
            cached: exchange.tokens.cached,
            output: exchange.tokens.output,
            reasoning: exchange.tokens.reasoning,
        },
        cost_micros: exchange.cost_micros,
        ending: exchange.ending,
        detail: &exchange.detail,
        raw_reply: &exchange.raw_reply,
    }
}

fn first_line(exchange: &Exchange) -> String {
    let count = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let tokens = format!("{}+{}", count(exchange.tokens.input), count(exchange.tokens.output));
    let status = exchange.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
    let id = exchange.audit_id.as_ref().map_or("-", AuditId::as_str);
    // An id is there to be typed: it stands whole, and is a mark where it would disturb the rest.
    let id = visible(id);
    let id = if width(&id) < 10 { pad(&id, 10) } else { id.into_owned() };
    format!(
        "{}  {id} {status:>3}  {:<11} {:>5.1} s {tokens:>10}  {}",
        when(exchange.at),
        exchange.ending,
        exchange.latency.as_secs_f64(),
        exchange.cost_micros.map_or_else(|| "-".to_owned(), dollars),
    )
}

fn second_line(exchange: &Exchange) -> String {
    let Exchange { instrument, part, attempt, purpose, judge, detail, .. } = exchange;
    let model = exchange.model_answered.as_deref().unwrap_or(&exchange.model_asked);
    let mut line = format!("  {instrument} {part}.{attempt} {purpose}, {judge}: {model}");
    if !detail.is_empty() {
        let _ = write!(line, "; {detail}");
    }
    line
}

/// To the second, as people read it.
fn when(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(..19).map_or_else(|| text.clone(), |start| start.replace('T', " "))
}

/// Millionths of a dollar as dollars, with as many places as they have.
fn dollars(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let mut shown = text.trim_end_matches('0').to_owned();
    while shown.len() < shown.find('.').map_or(0, |point| point + 3) {
        shown.push('0');
    }
    format!("${shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_shows_cents_and_whatever_is_smaller() {
        let shown = [0, 4, 4200, 1_500_000, 12_340_000, 1_234_567].map(dollars);
        assert_eq!(shown, ["$0.00", "$0.000004", "$0.0042", "$1.50", "$12.34", "$1.234567"]);
    }
}
