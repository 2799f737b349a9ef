//! The last day by the hour, and what made its answers: since when, and which version.

use super::{brief, heading, right, share};
use crate::domain::tally::Tally;
use crate::domain::verdict::Verdict;
use crate::store::Dashboard;
use crate::text::width::{pad, truncate};
use crate::tui::screen::queue::one_line;
use crate::tui::theme::Role;
use crate::tui::widget::bar::stacked;
use crate::tui::widget::phrase::Phrase;

/// Cells of an hour, of a number, of the share of wrong claims.
const HOUR: usize = 13;
const NUMBER: usize = 8;
const SHARE: usize = 9;

/// None while no answer was audited.
pub(super) fn lines(read: &Dashboard, width: u16) -> Vec<Phrase> {
    if read.hours.is_empty() {
        return Vec::new();
    }
    let title = heading("The last day").say(Role::Muted, "  by the hour in which records came in, UTC");
    let mut lines = vec![title, head(HOUR, "")];
    let most = read.hours.iter().map(|hour| hour.tally.claims).max().unwrap_or(0);
    let cells = width.saturating_sub((HOUR + 2 * NUMBER + SHARE + 1) as u16).min(48);
    for hour in &read.hours {
        // `11-30 22:00`
        let label = hour.hour.get(5..).unwrap_or_default().replace('T', " ") + ":00";
        let wrong = hour.tally.wrong();
        let parts = [
            (wrong, "█", Role::of_verdict(Some(Verdict::Contradicted))),
            (hour.tally.claims - wrong, "░", Role::Muted),
        ];
        let begin = Phrase::new().say(Role::Label, format!("{label:<HOUR$}"));
        lines.push(counted(begin, &hour.tally).say(Role::Text, " ").join(stacked(&parts, most, cells)));
    }
    lines.push(Phrase::new());
    lines.push(
        heading("What made these answers").say(Role::Muted, "  model and prompt of the record's metadata"),
    );
    let names = usize::from(width).saturating_sub(2 * NUMBER + SHARE + HOUR).clamp(HOUR, 40);
    lines.push(head(names, "  since"));
    for one in &read.versions {
        let named = |name: &str| if name.is_empty() { "–".to_owned() } else { one_line(name) };
        let name = format!("{} · {}", named(&one.model), named(&one.prompt));
        let name = pad(&truncate(&name, names), names);
        let since = one.since.get(5..).unwrap_or_default().replace('T', " ") + ":00";
        let begin = Phrase::new().say(Role::Text, name);
        lines.push(counted(begin, &one.tally).say(Role::Muted, format!("  {since}")));
    }
    lines
}

/// What the numbers are, behind so many cells.
fn head(cells: usize, since: &str) -> Phrase {
    let (claims, wrong) = (right("claims", NUMBER), right("wrong", NUMBER));
    Phrase::new()
        .say(Role::Label, format!("{}{claims}{wrong}{}{since}", " ".repeat(cells), " ".repeat(SHARE)))
}

/// Behind `begin` the claims, the wrong ones, and their share of those with a verdict.
fn counted(begin: Phrase, tally: &Tally) -> Phrase {
    let wrong = tally.wrong();
    let role = if wrong == 0 { Role::Muted } else { Role::of_verdict(Some(Verdict::Contradicted)) };
    begin
        .say(Role::Text, right(&brief(tally.claims), NUMBER))
        .say(role, right(&brief(wrong), NUMBER))
        .say(Role::Text, right(&share(tally), SHARE))
}
