//! What a filter asks of each row, as SQL with bound values.
//!
//! Severity, verdict and confidence are read from the number by which the queue is ordered, age from the
//! time beside it: both stand in its index, so that a million rows are counted without touching another page.

use rusqlite::Connection;
use rusqlite::types::Value;

use super::super::Fallible;
use super::super::pages::Part;
use crate::domain::filter::{Comparison, Filter, Pattern, Test};
use crate::domain::finding::AuditState;
use crate::domain::routing::severity_rank;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Verdict;

/// The number of the first value: those before it belong to the page.
const FIRST_VALUE: usize = 7;

/// The conditions of a filter for claims in the queue, and for those that never were in it.
pub(super) struct Conditions {
    queued: Sql,
    unrouted: Sql,
}

#[derive(Default)]
struct Sql {
    text: String,
    values: Vec<Value>,
}

impl Sql {
    /// Adds a condition in which every `?` stands for the next of `values`.
    fn add(&mut self, negated: bool, condition: &str, values: Vec<Value>) {
        self.text.push_str(if negated { " AND NOT (" } else { " AND (" });
        let mut parts = condition.split('?');
        self.text.push_str(parts.next().unwrap_or_default());
        for (at, part) in parts.enumerate() {
            self.text.push('?');
            self.text.push_str(&(FIRST_VALUE + self.values.len() + at).to_string());
            self.text.push_str(part);
        }
        self.text.push(')');
        self.values.extend(values);
    }
}

/// A condition on claims in the queue and on others, with the values of each.
type Both = ((String, Vec<Value>), (String, Vec<Value>));

impl Conditions {
    pub(super) fn of_filter(connection: &Connection, filter: &Filter, now: Timestamp) -> Fallible<Self> {
        let (mut queued, mut unrouted) = (Sql::default(), Sql::default());
        for term in filter.terms() {
            if let Some((of_queued, of_unrouted)) = condition(connection, &term.test, now)? {
                queued.add(term.negated, &of_queued.0, of_queued.1);
                unrouted.add(term.negated, &of_unrouted.0, of_unrouted.1);
            }
        }
        Ok(Self { queued, unrouted })
    }

    pub(super) fn of(&self, part: Part) -> (String, Vec<Value>) {
        let sql = if part.is_queued() { &self.queued } else { &self.unrouted };
        (sql.text.clone(), sql.values.clone())
    }
}

/// `6 - verdict_rank`.
const VERDICT: &str = "(q.place % 100000) / 10000";

const WITHOUT_VERDICT: i64 = 3;

fn condition(connection: &Connection, test: &Test, now: Timestamp) -> Fallible<Option<Both>> {
    let both = match test {
        Test::Severity(how, severity) => {
            let (low, high) = range(*how, severity_rank(*severity), 0, 4);
            let places = vec![((4 - high) * 100_000).into(), ((5 - low) * 100_000).into()];
            let rank =
                "(SELECT CASE v.severity WHEN 'CRITICAL' THEN 4 WHEN 'HIGH' THEN 3 WHEN 'MEDIUM' THEN 2
                         WHEN 'LOW' THEN 1 ELSE 0 END FROM verdict v WHERE v.claim_id = c.id)";
            (
                ("q.place >= ? AND q.place < ?".to_owned(), places),
                (format!("coalesce({rank} BETWEEN ? AND ?, 0)"), vec![low.into(), high.into()]),
            )
        }
        Test::Verdict(verdict) => {
            let label = Value::from(verdict.label().to_owned());
            (
                (format!("{VERDICT} = ?"), vec![rank(*verdict).into()]),
                (
                    "EXISTS (SELECT 1 FROM verdict v WHERE v.claim_id = c.id AND v.state = 'JUDGED' AND v.verdict = ?)"
                        .to_owned(),
                    vec![label],
                ),
            )
        }
        Test::State(state) => {
            let label = Value::from(state.label().to_owned());
            let has =
                |key| format!("EXISTS (SELECT 1 FROM verdict v WHERE v.claim_id = {key} AND v.state = ?)");
            let queued = match state {
                AuditState::Judged => (format!("{VERDICT} IN (0, 1, 4, 5)"), Vec::new()),
                AuditState::Ungrounded => (format!("{VERDICT} = 2"), Vec::new()),
                AuditState::NoVerdict(_) => {
                    (format!("{VERDICT} = {WITHOUT_VERDICT} AND {}", has("q.claim_id")), vec![label.clone()])
                }
            };
            (queued, (has("c.id"), vec![label]))
        }
        Test::Confidence(how, thousandths) => {
            let sign = sign(*how);
            let value = || vec![i64::from(*thousandths).into()];
            let given = "(SELECT round(v.confidence * 1000) FROM verdict v WHERE v.claim_id = c.id)";
            (
                (format!("{VERDICT} <> {WITHOUT_VERDICT} AND q.place % 10000 {sign} ?"), value()),
                (format!("coalesce({given} {sign} ?, 0)"), value()),
            )
        }
        Test::Age(how, age) => {
            let millis = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            let then = Timestamp::from_millis(now.millis().saturating_sub(millis));
            // Younger is later.
            let sign = sign(match how {
                Comparison::Is => Comparison::Is,
                Comparison::Less => Comparison::More,
                Comparison::AtMost => Comparison::AtLeast,
                Comparison::More => Comparison::Less,
                Comparison::AtLeast => Comparison::AtMost,
            });
            let finished = "(SELECT run.finished_at FROM run WHERE run.id = c.run_id)";
            (
                (format!("q.arrived_ms {sign} ?"), vec![then.millis().into()]),
                (format!("{finished} {sign} ?"), vec![then.to_string().into()]),
            )
        }
        Test::Model(name) => judged_by(connection, 1, name)?,
        Test::Prompt(name) => judged_by(connection, 2, name)?,
        Test::Judge(name) => judged_by(connection, 3, name)?,
        Test::Audit(_)
        | Test::By(_)
        | Test::Flag(_)
        | Test::To(_)
        | Test::Deferred(_)
        | Test::Draft(_)
        | Test::Note(_)
        | Test::Reason(_)
        | Test::Risk(..)
        | Test::Is(_)
        | Test::Words(_) => return Ok(None),
    };
    Ok(Some(both))
}

/// Judges are few: the names are compared here, so that only what tells claims apart is asked of the rows.
fn judged_by(connection: &Connection, column: usize, name: &Pattern) -> Fallible<Both> {
    let mut statement = connection.prepare_cached("SELECT id, model, prompt_version, judge FROM judge")?;
    let mut found = statement.query([])?;
    let (mut fitting, mut others) = (Vec::<Value>::new(), false);
    while let Some(row) = found.next()? {
        if name.fits(&row.get::<_, String>(column)?) {
            fitting.push(row.get::<_, i64>(0)?.into());
        } else {
            others = true;
        }
    }
    if fitting.is_empty() || !others {
        let always = (if fitting.is_empty() { "0" } else { "1" }.to_owned(), Vec::new());
        return Ok((always.clone(), always));
    }
    let marks = vec!["?"; fitting.len()].join(", ");
    let queued = format!(
        "(SELECT run.judge_id FROM claim c JOIN run ON run.id = c.run_id WHERE c.id = q.claim_id) IN ({marks})"
    );
    let unrouted = format!("(SELECT run.judge_id FROM run WHERE run.id = c.run_id) IN ({marks})");
    Ok(((queued, fitting.clone()), (unrouted, fitting)))
}

/// The ranks from `least` to `most` that stand so to `rank`; an empty range where none does.
pub(super) fn range(how: Comparison, rank: u8, least: i64, most: i64) -> (i64, i64) {
    let rank = i64::from(rank);
    match how {
        Comparison::Is => (rank, rank),
        Comparison::Less => (least, rank - 1),
        Comparison::AtMost => (least, rank),
        Comparison::More => (rank + 1, most),
        Comparison::AtLeast => (rank, most),
    }
}

const fn sign(how: Comparison) -> &'static str {
    match how {
        Comparison::Is => "=",
        Comparison::Less => "<",
        Comparison::AtMost => "<=",
        Comparison::More => ">",
        Comparison::AtLeast => ">=",
    }
}

/// `6 - verdict_rank` of a grounded verdict.
const fn rank(verdict: Verdict) -> i64 {
    match verdict {
        Verdict::Contradicted => 0,
        Verdict::Unsupported => 1,
        Verdict::PartiallySupported => 4,
        Verdict::FullySupported => 5,
    }
}
