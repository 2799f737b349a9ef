//! `juror queue --threads`: the answers with open claims, the one with the worst claim first.

use serde::Serialize;

use super::super::output::one_line;
use super::super::{Context, Exit};
use super::TABLE_ROWS;
use crate::domain::ids::{AuditId, ClaimId};
use crate::domain::queue::{QueueRow, Thread};
use crate::domain::verdict::{Severity, Verdict};
use crate::format::out::DispositionRow;
use crate::store::{PageAt, Store, StoreError};
use crate::text::sanitize::visible;
use crate::text::width::{pad, truncate, width};

/// Answers read at once.
const PAGE: usize = 100;

#[derive(Serialize)]
struct ThreadRow {
    audit_id: AuditId,
    /// Of its worst open claim.
    severity: Option<Severity>,
    open: u64,
    decided: u64,
    disposition: Option<DispositionRow>,
    /// Open ones first, in the order of the queue.
    claims: Vec<ClaimInThread>,
}

#[derive(Serialize)]
struct ClaimInThread {
    id: ClaimId,
    claim_text: String,
    state: &'static str,
    verdict: Option<Verdict>,
    severity: Option<Severity>,
    decided: bool,
}

/// Prints at most `limit` answers.
pub(super) fn run(store: &Store, limit: Option<usize>, context: &mut Context) -> anyhow::Result<Exit> {
    let limit = match (limit, context.out.wants_json()) {
        (Some(0), _) | (None, true) => usize::MAX,
        (Some(limit), _) => limit,
        (None, false) => TABLE_ROWS,
    };
    let (who, now) = (context.config.annotator.value.clone(), context.clock.now());
    let mut threads: Vec<Thread> = Vec::new();
    let mut at = PageAt::Top;
    while threads.len() < limit {
        let page = store.threads_page(&who, at, PAGE.min(limit - threads.len()), now)?;
        let Some(last) = page.last() else { break };
        at = PageAt::After(last.head.key);
        threads.extend(page);
    }
    if context.out.wants_json() {
        let rows = threads
            .into_iter()
            .map(|thread| {
                let claims = store.thread_claims(thread.head.key, &who, now)?;
                Ok(row(thread, claims))
            })
            .collect::<Result<Vec<_>, StoreError>>()?;
        context.out.json(&rows)?;
        return Ok(Exit::Fine);
    }
    if threads.is_empty() {
        let counts = store.queue_counts(&who, now)?;
        context.out.text(&one_line(&super::why_empty(&counts, false)))?;
        return Ok(Exit::Fine);
    }
    let columns = context.out.columns();
    for line in table(&threads, columns) {
        context.out.text(&line)?;
    }
    Ok(Exit::Fine)
}

fn row(thread: Thread, claims: Vec<QueueRow>) -> ThreadRow {
    ThreadRow {
        audit_id: thread.head.id.audit_id().clone(),
        severity: thread.head.severity,
        open: thread.open,
        decided: thread.decided,
        disposition: thread.disposition.map(Into::into),
        claims: claims
            .into_iter()
            .map(|claim| ClaimInThread {
                state: super::state_of(&claim),
                decided: claim.decided.is_some(),
                id: claim.id,
                claim_text: claim.claim_text,
                verdict: claim.verdict,
                severity: claim.severity,
            })
            .collect(),
    }
}

fn table(threads: &[Thread], columns: Option<usize>) -> Vec<String> {
    let names = ["SEVERITY", "OPEN", "DECIDED", "ANSWER"].map(str::to_owned);
    let cells: Vec<[String; 4]> = threads
        .iter()
        .map(|thread| {
            [
                thread.head.severity.map_or("-", Severity::label).to_owned(),
                thread.open.to_string(),
                thread.decided.to_string(),
                visible(thread.head.id.audit_id().as_str()).into_owned(),
            ]
        })
        .collect();
    let mut widths = [0; 4];
    for line in cells.iter().chain([&names]) {
        for (widest, cell) in widths.iter_mut().zip(line) {
            *widest = (*widest).max(width(cell));
        }
    }
    let worst = threads.iter().map(|thread| {
        let given = match &thread.disposition {
            Some(given) => format!("[{} of {}] ", given.disposition, given.annotator),
            None => String::new(),
        };
        visible(&format!("{given}{}", thread.head.claim_text)).into_owned()
    });
    std::iter::once((&names, "WORST OPEN CLAIM".to_owned()))
        .chain(cells.iter().zip(worst))
        .map(|(line, worst)| {
            let mut text = String::new();
            for (cell, width) in line.iter().zip(widths) {
                text.push_str(&pad(cell, width));
                text.push_str("  ");
            }
            let room = columns.map(|columns| columns.saturating_sub(width(&text)));
            text.push_str(&room.map_or_else(|| worst.clone().into(), |room| truncate(&worst, room)));
            text
        })
        .collect()
}
