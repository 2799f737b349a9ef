//! The rows of the queue as a table for people.

use super::HIDDEN;
use crate::domain::blind::Sight;
use crate::domain::finding::AuditState;
use crate::domain::queue::QueueRow;
use crate::domain::verdict::Severity;
use crate::format::out::DAMAGED;
use crate::text::sanitize::visible;
use crate::text::width::{pad, truncate, width};

/// What counts: a person's verdict, with a star, goes before the judge's.
fn verdict_of(row: &QueueRow) -> String {
    match (row.rulings.as_slice(), row.verdict) {
        _ if row.damage.is_some() => DAMAGED.to_owned(),
        _ if row.sight == Sight::Hidden => HIDDEN.to_owned(),
        ([ruled], _) => format!("{ruled}*"),
        ([], Some(verdict)) if row.state == AuditState::Ungrounded => format!("{verdict}?"),
        ([], Some(verdict)) => verdict.label().to_owned(),
        ([], None) => row.state.label().to_owned(),
        _ => "DISPUTED".to_owned(),
    }
}

/// The severity of what counts, with a star where a person gave it; else that by which the claim is ranked.
fn severity_of(row: &QueueRow) -> String {
    if row.rulings.is_empty() {
        return row.severity.map_or("-", Severity::label).to_owned();
    }
    // While people disagree, the worst that is said.
    let worst = if row.disputed { row.ruled_severity.max(row.severity) } else { row.ruled_severity };
    worst.map_or_else(|| "-".to_owned(), |severity| format!("{severity}*"))
}

/// The rows as lines of at most `columns` cells, or whole when there is no limit.
pub(in crate::cli) fn table(rows: &[QueueRow], columns: Option<usize>) -> Vec<String> {
    let cells: Vec<[String; 4]> = rows
        .iter()
        .map(|row| {
            [
                severity_of(row),
                verdict_of(row),
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
        let mark = match row {
            QueueRow { sight: Sight::Revealed, .. } => "[keep or change] ",
            QueueRow { disputed: true, .. } => "[people disagree] ",
            QueueRow { blocked: true, .. } => "[answer blocked] ",
            QueueRow { escalated: true, .. } => "[escalated] ",
            QueueRow { flagged: true, .. } => "[flagged] ",
            QueueRow { deferred: Some(_), .. } => "[deferred] ",
            QueueRow { skipped: true, .. } => "[skipped] ",
            _ => "",
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
