//! Who decided how much of late.

use super::heading;
use crate::store::Dashboard;
use crate::text::width::{pad, truncate};
use crate::tui::screen::queue::one_line;
use crate::tui::theme::Role;
use crate::tui::widget::bar::spark;
use crate::tui::widget::figure::count;
use crate::tui::widget::phrase::Phrase;

/// People that are told; the others are counted.
const TOLD: usize = 8;

pub(super) fn lines(read: &Dashboard, width: u16) -> Vec<Phrase> {
    let mut lines =
        vec![heading("Who decided").say(Role::Muted, "  14 days up to today (UTC), decisions that stand")];
    if read.people.is_empty() {
        lines.push(Phrase::new().say(Role::Muted, "  nobody in these days"));
    }
    let name = usize::from((width / 4).clamp(8, 20));
    for person in read.people.iter().take(TOLD) {
        let shown = pad(&truncate(&one_line(person.annotator.as_str()), name), name);
        lines.push(
            Phrase::new()
                .say(Role::Text, format!("{shown} "))
                .say(Role::ProgressDone, spark(&person.days))
                .say(Role::Text, format!("  {}", count(person.days.iter().sum())))
                .dot(Role::Text, format!("{} today", count(person.today)))
                .dot(Role::Muted, format!("{} ever", count(person.ever))),
        );
    }
    if let Some(more @ 1..) = read.people.len().checked_sub(TOLD) {
        lines.push(Phrase::new().say(Role::Muted, format!("and {more} more")));
    }
    lines
}
