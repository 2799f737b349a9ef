//! What a filter asks of each row, as SQL with bound values.
//!
//! Of open claims severity, verdict and confidence are read from the number by which the queue is ordered, age from the
//! time beside it: both stand in its index, so that a million rows are counted without touching another page. Of
//! decided ones, severity and verdict are those of the decision that counts.

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

/// The conditions of a filter for open claims of the queue, for those of it that are decided, and for those that never
/// were in it.
pub(super) struct Conditions {
    open: Sql,
    decided: Sql,
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

/// A condition with its values.
type Asked = (String, Vec<Value>);

/// A condition on open claims, on decided ones, and on those that never were in the queue.
struct Each {
    open: Asked,
    decided: Asked,
    unrouted: Asked,
}

impl Each {
    /// One that asks the same of claims in the queue, decided or not.
    fn of(queued: Asked, unrouted: Asked) -> Self {
        Self { open: queued.clone(), decided: queued, unrouted }
    }
}

impl Conditions {
    pub(super) fn of_filter(connection: &Connection, filter: &Filter, now: Timestamp) -> Fallible<Self> {
        let mut all = Self { open: Sql::default(), decided: Sql::default(), unrouted: Sql::default() };
        for term in filter.terms() {
            if let Some(Each { open, decided, unrouted }) = condition(connection, &term.test, now)? {
                all.open.add(term.negated, &open.0, open.1);
                all.decided.add(term.negated, &decided.0, decided.1);
                all.unrouted.add(term.negated, &unrouted.0, unrouted.1);
            }
        }
        Ok(all)
    }

    pub(super) fn of(&self, part: Part) -> (String, Vec<Value>) {
        let sql = match part {
            Part::NotSkipped | Part::Skipped | Part::Deferred | Part::SetAside => &self.open,
            Part::Decided => &self.decided,
            Part::Unrouted => &self.unrouted,
        };
        (sql.text.clone(), sql.values.clone())
    }
}

/// `6 - verdict_rank`.
const VERDICT: &str = "(q.place % 100000) / 10000";

const WITHOUT_VERDICT: i64 = 3;

/// A severity as its rank, of the column `severity` of `row`.
fn rank_of(row: &str) -> String {
    format!(
        "CASE {row}.severity WHEN 'CRITICAL' THEN 4 WHEN 'HIGH' THEN 3 WHEN 'MEDIUM' THEN 2 WHEN 'LOW' THEN 1 ELSE 0 END"
    )
}

/// `what` of the decision that counts on the claim `key`.
fn decided(what: &str, key: &str) -> String {
    format!("(SELECT {what} FROM decision d WHERE d.claim_id = {key} AND d.counts = 1)")
}

fn condition(connection: &Connection, test: &Test, now: Timestamp) -> Fallible<Option<Each>> {
    let each = match test {
        Test::Severity(how, severity) => {
            let (low, high) = range(*how, severity_rank(*severity), 0, 4);
            let places = vec![((4 - high) * 100_000).into(), ((5 - low) * 100_000).into()];
            let people = |key| decided(&rank_of("d"), key);
            let judge = format!("(SELECT {} FROM verdict v WHERE v.claim_id = c.id)", rank_of("v"));
            let ranks = || vec![low.into(), high.into()];
            Each {
                open: ("q.place >= ? AND q.place < ?".to_owned(), places),
                decided: (format!("coalesce({} BETWEEN ? AND ?, 0)", people("q.claim_id")), ranks()),
                unrouted: (format!("coalesce({}, {judge}, 0) BETWEEN ? AND ?", people("c.id")), ranks()),
            }
        }
        Test::Verdict(verdict) => {
            let label = || vec![Value::from(verdict.label().to_owned())];
            let people = |key| decided("d.verdict", key);
            let judge = "(SELECT v.verdict FROM verdict v WHERE v.claim_id = c.id AND v.state = 'JUDGED')";
            Each {
                open: match verdict.as_verdict() {
                    Some(judged) => {
                        let values = vec![rank(judged).into(), verdict.label().to_owned().into()];
                        (format!("{VERDICT} = ? OR {SAID_IN_DISPUTE}"), values)
                    }
                    None => (SAID_IN_DISPUTE.to_owned(), label()),
                },
                decided: (format!("coalesce({} = ?, 0)", people("q.claim_id")), label()),
                unrouted: (format!("coalesce(coalesce({}, {judge}) = ?, 0)", people("c.id")), label()),
            }
        }
        Test::Judged(verdict) => Each::of(
            (format!("{VERDICT} = ?"), vec![rank(*verdict).into()]),
            (
                "EXISTS (SELECT 1 FROM verdict v WHERE v.claim_id = c.id AND v.state = 'JUDGED' AND v.verdict = ?)"
                    .to_owned(),
                vec![verdict.label().to_owned().into()],
            ),
        ),
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
            Each::of(queued, (has("c.id"), vec![label]))
        }
        Test::Confidence(how, thousandths) => {
            let sign = sign(*how);
            let value = || vec![i64::from(*thousandths).into()];
            let given = "(SELECT round(v.confidence * 1000) FROM verdict v WHERE v.claim_id = c.id)";
            Each::of(
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
            let came_in = "(SELECT imported_at FROM record WHERE id = c.record_id)";
            Each::of(
                (format!("q.arrived_ms {sign} ?"), vec![then.millis().into()]),
                (format!("{came_in} {sign} ?"), vec![then.to_string().into()]),
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
        | Test::Overruled(_)
        | Test::Note(_)
        | Test::Reason(_)
        | Test::Answer(_)
        | Test::Bot(_)
        | Test::Risk(..)
        | Test::Is(_)
        | Test::Disputed
        | Test::Words(_) => return Ok(None),
    };
    Ok(Some(each))
}

/// Whether somebody of those who disagree says this verdict of an open claim. Disputes are few: read from an index of
/// their own.
const SAID_IN_DISPUTE: &str = "q.claim_id IN (SELECT d.claim_id FROM decision d INDEXED BY decision_beside
  WHERE d.counts = 0 AND d.verdict = ? AND NOT EXISTS (SELECT 1 FROM decision x WHERE x.claim_id = d.claim_id AND x.counts = 1))";

/// Judges are few: the names are compared here, so that only what tells claims apart is asked of the rows.
fn judged_by(connection: &Connection, column: usize, name: &Pattern) -> Fallible<Each> {
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
        return Ok(Each::of(always.clone(), always));
    }
    let marks = vec!["?"; fitting.len()].join(", ");
    let queued = format!(
        "(SELECT run.judge_id FROM claim c JOIN run ON run.id = c.run_id WHERE c.id = q.claim_id) IN ({marks})"
    );
    let unrouted = format!("(SELECT run.judge_id FROM run WHERE run.id = c.run_id) IN ({marks})");
    Ok(Each::of((queued, fitting.clone()), (unrouted, fitting)))
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
