//! The claims of an answer that is to be released, returned or blocked, with what judge and people say of them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::about;
use crate::domain::queue::{ClaimDetail, Sibling};
use crate::domain::routing::ranked_severity;
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::badge;
use crate::tui::widget::phrase::Phrase;

/// How a claim stands out in its answer: by what people said against it.
pub(super) fn claim_role(sibling: &Sibling) -> Option<Role> {
    sibling.is_refuted().then_some(Role::Contradicts)
}

/// Draws every claim with what was said of it; all its words where there is room. Returns the rows used.
pub(super) fn claim_lines(
    detail: &ClaimDetail,
    claims: &[&Sibling],
    list: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) -> u16 {
    // Each has one row; what is left goes to the words of the first, which must be read before the others.
    let mut spare = usize::from(list.height).saturating_sub(claims.len());
    let mut y = list.y;
    for (at, sibling) in claims.iter().enumerate() {
        let left = claims.len() - at;
        if y + 1 >= list.bottom() && left > 1 {
            let row = Rect { y, height: list.bottom().saturating_sub(y), ..list };
            Phrase::new().say(Role::Muted, format!("… and {left} more claims")).draw(row, buf, theme);
            return list.height;
        }
        let head = claim_line(detail, sibling);
        let margin = head.width().min(list.width);
        let width = list.width.saturating_sub(margin).max(8);
        let most = u16::try_from(spare + 1).unwrap_or(u16::MAX);
        let words = about::rows(&sibling.claim_text, width, most);
        head.draw(Rect { y, height: list.bottom().saturating_sub(y).min(1), ..list }, buf, theme);
        spare = spare.saturating_sub(words.len().saturating_sub(1));
        for line in words {
            let row = Rect { x: list.x + margin, y, width, height: list.bottom().saturating_sub(y).min(1) };
            Phrase::new().say(Role::Text, line).draw(row.intersection(list), buf, theme);
            y += 1;
        }
    }
    y.saturating_sub(list.y)
}

/// What the judge says and what people ruled, before the words of the claim.
fn claim_line(detail: &ClaimDetail, sibling: &Sibling) -> Phrase {
    let (sign, role) = badge::sign(sibling.state, sibling.verdict);
    let ranked = ranked_severity(sibling.state, sibling.severity, detail.record.risk_level, &[]);
    let mut ruled = Phrase::new();
    for ruling in &sibling.rulings {
        ruled = if ruled.is_empty() { ruled } else { ruled.say(Role::Text, " ") }.join(badge::human(*ruling));
    }
    if ruled.is_empty() {
        ruled = ruled.say(Role::Muted, if sibling.routed { "open" } else { "not routed" });
    }
    let blanks = 15_usize.saturating_sub(ruled.width().into());
    Phrase::new()
        .join(badge::graded(ranked, &sibling.rulings, sibling.ruled_severity))
        .say(Role::Muted, "judge ")
        .say(role, sign)
        .say(Role::Muted, "  people ")
        .join(ruled)
        .say(Role::Text, " ".repeat(blanks + 1))
}
