//! `juror queue`: what waits for a person, most dangerous first.

use serde::Serialize;

use super::output::one_line;
use super::{Context, Exit, Output};
use crate::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey};
use crate::domain::queue::{QueueCounts, QueueRow};
use crate::domain::routing::Why;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Probability, Severity, Verdict};
use crate::format::out::{DAMAGED, EvidenceRow};
use crate::store::{ClaimExport, Damaged, PageAt, Store, StoreError};
use crate::text::sanitize::visible;
use crate::text::width::{pad, truncate, width};

/// Rows read from the store at once.
const PAGE: usize = 100;
/// Rows of the table unless --limit says otherwise.
const TABLE_ROWS: usize = 50;

/// List the claims that wait for a person, most dangerous first
#[derive(clap::Args)]
#[command(after_help = "\
Order: severity, then verdict, then low confidence, then oldest; what you
skipped comes last.

--json prints one array of {id, audit_id, claim_text, verdict, severity,
confidence, state, review, why, evidence, …}. Offsets count characters, end
exclusive. `state` is JUDGED, UNGROUNDED (the judge's quote does not stand in
the evidence), the reason why there is no verdict, or DAMAGED: then `claim_text`
says what cannot be read in the store, and the rest is as much as could be.

Examples:
  juror queue
  juror queue --json --limit 10
  juror queue --search 'maximum dose'")]
pub(super) struct Arguments {
    /// At most so many claims (default: 50 in the table, all with --json; 0: all)
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only claims with all these words in the claim, its answer or its notes; decided ones too, after
    /// the open ones
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    #[arg(
        long,
        value_name = "NAME",
        help = "Whose queue: what NAME skipped comes last (also JUROR_ANNOTATOR)"
    )]
    pub(super) by: Option<String>,
}

/// An open claim for programs.
#[derive(Serialize)]
struct Row {
    id: ClaimId,
    audit_id: AuditId,
    claim_text: String,
    verdict: Option<Verdict>,
    severity: Option<Severity>,
    confidence: Option<Probability>,
    state: &'static str,
    review: &'static str,
    skipped: bool,
    flagged: bool,
    /// Another annotator who has it in hand.
    held_by: Option<Annotator>,
    held_until: Option<Timestamp>,
    arrived: Timestamp,
    why: Vec<Why>,
    evidence: Vec<EvidenceRow>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let store = context.read_store()?;
    // The rows, what belongs to each, and the counts are of one moment.
    store.snapshot(|| {
        let rows = Rows {
            store: &store,
            annotator: context.config.annotator.value.clone(),
            limit: match (arguments.limit, context.out.wants_json()) {
                (Some(0), _) | (None, true) => usize::MAX,
                (Some(limit), _) => limit,
                (None, false) => TABLE_ROWS,
            },
            search: arguments.search.as_deref(),
            now: context.clock.now(),
        };
        if context.out.wants_json() { json(&rows, &mut context.out) } else { people(&rows, &mut context.out) }
    })
}

fn people(rows: &Rows<'_>, out: &mut Output) -> anyhow::Result<Exit> {
    let counts = rows.store.queue_counts(&rows.annotator, rows.now)?;
    let mut shown = Vec::new();
    rows.each(|row| {
        shown.push(row);
        Ok(())
    })?;
    if shown.is_empty() {
        let why = rows.search.map_or_else(|| why_empty(&counts), |words| format!("no claim with `{words}`"));
        out.text(&one_line(&why))?;
        return Ok(Exit::Fine);
    }
    let width = out.columns();
    for line in table(&shown, width) {
        out.text(&line)?;
    }
    for sentence in shown.iter().filter_map(|row| row.damage.as_deref()) {
        out.error(sentence);
    }
    let length = shown.len();
    if rows.search.is_some() {
        if length == rows.limit {
            out.note(&format!("the first {length} claims found: --limit 0 shows all"));
        }
    } else if (length as u64) < counts.open {
        out.note(&format!(
            "{length} of {} open claims: --limit 0 shows all, `juror review` opens them",
            counts.open
        ));
    }
    Ok(Exit::Fine)
}

fn json(rows: &Rows<'_>, out: &mut Output) -> anyhow::Result<Exit> {
    let mut before = "[";
    rows.each(|row| {
        out.bytes(std::mem::replace(&mut before, ",\n ").as_bytes())?;
        let export = export(rows.store, &row)?;
        let (row, claim) = match export {
            Ok(claim) => (row, Some(claim)),
            Err(sentence) => {
                out.error(&sentence);
                (QueueRow { claim_text: sentence.clone(), damage: Some(sentence), ..row }, None)
            }
        };
        let row = Row {
            audit_id: row.id.audit_id().clone(),
            id: row.id,
            claim_text: row.claim_text,
            verdict: row.verdict,
            severity: row.severity,
            confidence: row.confidence,
            state: if row.damage.is_some() { DAMAGED } else { row.state.label() },
            review: claim
                .as_ref()
                .and_then(ClaimExport::human)
                .map_or("OPEN", |(_, decided)| decided.kind.label()),
            skipped: row.skipped,
            flagged: row.flagged,
            held_until: row.held_by.as_ref().map(|hold| hold.until),
            held_by: row.held_by.map(|hold| hold.holder),
            arrived: row.arrived,
            why: claim.as_ref().map(|claim| claim.why.clone()).unwrap_or_default(),
            evidence: claim.into_iter().flat_map(|claim| claim.evidence).map(Into::into).collect(),
        };
        out.json_part(&row)
    })?;
    out.bytes(if before == "[" { b"[]\n" } else { b"]\n" })?;
    Ok(Exit::Fine)
}

/// The claim with its evidence, or a sentence when it cannot be read.
fn export(store: &Store, row: &QueueRow) -> Result<Result<ClaimExport, String>, StoreError> {
    if let Some(sentence) = &row.damage {
        return Ok(Err(sentence.clone()));
    }
    match store.claim_export(row.key) {
        Err(StoreError::Damaged { reason, .. }) => {
            Ok(Err(Damaged { what: format!("claim {}", row.id), claim: None, reason }.to_string()))
        }
        read => read.map(Ok),
    }
}

/// Which claims are asked for.
struct Rows<'a> {
    store: &'a Store,
    annotator: Annotator,
    /// At most so many.
    limit: usize,
    search: Option<&'a str>,
    now: Timestamp,
}

impl Rows<'_> {
    /// The claims in order: what the search finds, or what is open.
    fn each(&self, mut each: impl FnMut(QueueRow) -> anyhow::Result<()>) -> anyhow::Result<()> {
        if let Some(words) = self.search {
            // The store counts in signed numbers.
            let limit = self.limit.min(usize::MAX / 2);
            let found = self.store.search(words, &self.annotator, limit, self.now)?;
            return found.into_iter().try_for_each(each);
        }
        let mut at = PageAt::Top;
        let mut left = self.limit;
        while left > 0 {
            let page = self.store.queue_page(&self.annotator, at, left.min(PAGE), self.now)?;
            let Some(last) = page.last().map(|row: &QueueRow| -> ClaimKey { row.key }) else { break };
            left -= page.len();
            page.into_iter().try_for_each(&mut each)?;
            at = PageAt::After(last);
        }
        Ok(())
    }
}

/// An empty queue says why it is empty.
fn why_empty(counts: &QueueCounts) -> String {
    let audits = counts.waiting + counts.auditing;
    match (audits, counts.routed, counts.audited + counts.failed) {
        (0, 0, 0) => {
            "the queue is empty: nothing was imported yet. Start with `juror import FILE`".to_owned()
        }
        (1.., 0, _) => {
            format!(
                "the queue is empty: {audits} records wait for their audit. Run `juror audit`, or `juror review`"
            )
        }
        (0, 0, done) => format!("the queue is empty: none of {done} audited records needs a person"),
        (0, routed, _) => format!("the queue is empty: all {routed} routed claims are decided"),
        (1.., routed, _) => {
            format!(
                "the queue is empty: all {routed} routed claims are decided; {audits} records wait for their audit"
            )
        }
    }
}

fn verdict_of(row: &QueueRow) -> &'static str {
    match row.verdict {
        _ if row.damage.is_some() => DAMAGED,
        Some(verdict) => verdict.label(),
        None => row.state.label(),
    }
}

/// The rows as lines of at most `columns` cells, or whole when there is no limit.
pub(super) fn table(rows: &[QueueRow], columns: Option<usize>) -> Vec<String> {
    let cells: Vec<[String; 4]> = rows
        .iter()
        .map(|row| {
            [
                row.severity.map_or("-", Severity::label).to_owned(),
                verdict_of(row).to_owned()
                    + if row.state == crate::domain::finding::AuditState::Ungrounded { "?" } else { "" },
                row.confidence.map_or_else(|| "-".to_owned(), |p| format!("{:.2}", p.get())),
                visible(&row.id.to_string()).into_owned(),
            ]
        })
        .collect();
    let names = ["SEVERITY", "VERDICT", "CONF", "ID"].map(str::to_owned);
    let mut widths = [0; 4];
    for line in cells.iter().chain([&names]) {
        for (widest, cell) in widths.iter_mut().zip(line) {
            *widest = (*widest).max(width(cell));
        }
    }
    if let Some(columns) = columns {
        // An id is there to be typed: it is cut only where the claim would have no room left.
        widths[3] = widths[3].min((columns * 2 / 5).max(8));
    }
    let claims = rows.iter().map(|row| {
        let mark = match (row.flagged, row.skipped) {
            (true, _) => "[flagged] ",
            (false, true) => "[skipped] ",
            (false, false) => "",
        };
        let held = row.held_by.as_ref().map_or(String::new(), |hold| format!("[with {}] ", hold.holder));
        visible(&format!("{mark}{held}{}", row.claim_text)).into_owned()
    });
    std::iter::once((&names, "CLAIM".to_owned()))
        .chain(cells.iter().zip(claims))
        .map(|(line, claim)| {
            let mut text = String::new();
            for (cell, width) in line.iter().zip(widths) {
                text.push_str(&pad(cell, width));
                text.push_str("  ");
            }
            let room = columns.map(|columns| columns.saturating_sub(width(&text)));
            text.push_str(&room.map_or_else(|| claim.clone().into(), |room| truncate(&claim, room)));
            text
        })
        .collect()
}
