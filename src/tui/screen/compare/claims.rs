//! The claims of the candidate that are newly wrong: the list, and the one in hand beside what the baseline says and the
//! documents, with what differs marked.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{more, report};
use crate::tui::app::App;
use crate::tui::screen::queue::{marks_between, one_line};
use crate::tui::screens::compare::NewClaim;
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::figure::count;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::{badge, glyph};

/// From this many columns on candidate and baseline stand side by side.
const BESIDE: u16 = 72;

pub(super) fn draw_list(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let compare = &app.screens.compare;
    let (claims, chosen) = (compare.claims(), compare.claim);
    let total = compare.told.ready().map_or(0, |told| told.total);
    let title = Phrase::new().say(Role::Title, "Newly wrong").say(Role::Text, format!("  {}", count(total)));
    let unread = total.saturating_sub(claims.len() as u64);
    let mut panel = super::list_panel(app, title);
    let legend = Phrase::new().say(Role::News, "→").say(Role::Muted, " waits in the queue  ");
    panel.bottom_right = vec![legend.say(Role::Ok, "·").say(Role::Muted, " decided")];
    if unread > 0 {
        let words = format!("{} more: `juror report comparison --format json`", count(unread));
        panel.bottom_right = vec![Phrase::new().say(Role::Muted, words)];
    }
    let room = panel.draw(area, buf, theme);
    let height = usize::from(room.height.max(1));
    let top = (chosen + 1).saturating_sub(height).min(claims.len().saturating_sub(height));
    for (y, (at, claim)) in (room.y..room.bottom()).zip(claims.iter().enumerate().skip(top)) {
        let over = if at == chosen { theme.style(Role::Selected) } else { Style::new() };
        if at == chosen {
            glyph::put(buf, room.x - 1, y, "▌", 1, theme.style(Role::Cursor));
        }
        let (severity, role) = badge::severity(claim.severity);
        let (sign, sign_role) = label(&claim.label);
        let line = Phrase::new()
            .say(role, format!("{severity} "))
            .say(sign_role, format!("{sign} "))
            .join(queued(claim))
            .say(Role::Text, one_line(&claim.text));
        line.draw_over(Rect { y, height: 1, ..room }, buf, theme, over);
    }
    more(top > 0, top + height < claims.len(), room, buf, app);
}

/// The sign of what the documents say of a claim.
fn label(label: &str) -> (&'static str, Role) {
    match label {
        "SUPPORTED" => ("✓", Role::VerdictFully),
        "UNSUPPORTED" => ("?", Role::VerdictUnsupported),
        "CONTRADICTED" => ("✗", Role::VerdictContradicted),
        _ => ("○", Role::VerdictNone),
    }
}

fn labelled(words: &str) -> Phrase {
    let (sign, role) = label(words);
    Phrase::new().say(role, format!("{sign} {}", words.replace('_', " ")))
}

/// Before a claim that waits for a person, two cells.
fn queued(claim: &NewClaim) -> Phrase {
    match &claim.sent {
        Some(sent) if sent.is_open => Phrase::new().say(Role::News, "→ "),
        Some(_) => Phrase::new().say(Role::Ok, "· "),
        None => Phrase::new().say(Role::Text, "  "),
    }
}

pub(super) fn draw_one(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let compare = &app.screens.compare;
    let (Some(told), Some(claim)) = (compare.told.ready(), compare.claims().get(compare.claim)) else {
        return;
    };
    let title = Phrase::new().say(Role::Title, one_line(&claim.item));
    let panel = Panel {
        top_left: title.say(Role::Muted, format!("  {} of {}", compare.claim + 1, count(told.total))),
        top_right: report::marks(told),
        bottom_left: state(claim),
        ..Panel::default()
    };
    let room = panel.draw(area, buf, theme);
    let severity = badge::severity_word(claim.severity);
    let head = Phrase::new().say(Role::Label, "Candidate  ").join(labelled(&claim.label));
    let left = if room.width >= BESIDE { room.width / 2 - 2 } else { room.width };
    let head = match severity {
        none if none.is_empty() => head,
        word if head.width() + word.width() + 3 <= left => head.say(Role::Muted, " · ").join(word),
        _ => {
            let (brief, role) = badge::severity(claim.severity);
            head.say(Role::Muted, " · ").say(role, brief)
        }
    };
    let (before, ground) = claim.baseline.as_ref().map_or(("", ""), |(text, label)| (text, label));
    let baseline = Phrase::new().say(Role::Label, "Baseline  ");
    let baseline = match &claim.baseline {
        Some(_) => baseline.join(labelled(ground)),
        None => baseline.say(Role::Muted, "says nothing like it"),
    };
    let (quote, place) = claim.evidence.as_ref().map_or(("", ""), |(quote, place)| (quote, place));
    let evidence = Phrase::new().say(Role::Label, "Evidence  ");
    let evidence = match &claim.evidence {
        Some(_) => evidence.say(Role::Muted, one_line(place)),
        None => evidence.say(Role::Muted, "no passage says anything of it"),
    };
    // What decides is the evidence; where there is none, what the baseline said instead.
    let (mut mine, theirs) = marks_between(&claim.text, before);
    let (by_evidence, in_evidence) = marks_between(&claim.text, quote);
    if claim.evidence.is_some() {
        mine = by_evidence;
    }
    let why = Phrase::new().say(Role::Label, "Why");
    let candidate = Block { head, text: &claim.text, marks: &mine };
    let baseline = Block { head: baseline, text: before, marks: &theirs };
    let rest = [
        Block { head: evidence, text: quote, marks: &in_evidence },
        Block { head: why, text: claim.why.as_deref().unwrap_or_default(), marks: &[] },
    ];
    let mut y = if room.width >= BESIDE {
        let left = Rect { width: left, ..room };
        let right = Rect { x: room.x + room.width / 2 + 1, width: room.width - room.width / 2 - 1, ..room };
        let end = candidate.draw(left, buf, theme).max(baseline.draw(right, buf, theme));
        for y in room.y..end {
            glyph::put(buf, right.x - 2, y, "│", 1, theme.style(Role::Border));
        }
        end
    } else {
        let y = candidate.draw(room, buf, theme);
        baseline.draw(from(room, y), buf, theme)
    };
    // A blank line between them, where there is room for all.
    let wanted: u16 = rest.iter().map(|block| block.height(room.width, theme) + 1).sum();
    let gap = u16::from(y + wanted <= room.bottom());
    for block in &rest {
        if block.text.is_empty() && block.head.width() <= 4 {
            continue;
        }
        y = block.draw(from(room, y + gap), buf, theme);
    }
}

/// What becomes of it in the queue.
fn state(claim: &NewClaim) -> Phrase {
    match &claim.sent {
        Some(sent) if sent.is_open => Phrase::new()
            .say(Role::News, format!("→ in the queue as {}, open", one_line(&sent.id.to_string()))),
        Some(sent) => Phrase::new().say(Role::Ok, format!("✓ decided, {}", one_line(&sent.id.to_string()))),
        None => Phrase::new().say(Role::Muted, "not sent to the queue"),
    }
}

/// `room` from the row `y` on.
fn from(room: Rect, y: u16) -> Rect {
    let y = y.min(room.bottom());
    Rect { y, height: room.bottom() - y, ..room }
}

/// A head and a text.
struct Block<'a> {
    head: Phrase,
    text: &'a str,
    marks: &'a [Mark],
}

impl Block<'_> {
    fn height(&self, width: u16, theme: &Theme) -> u16 {
        let text = if self.text.is_empty() {
            0
        } else {
            Passage::new(self.text, self.marks, theme, width).height(u16::MAX / 8)
        };
        1 + text
    }

    /// Draws it and returns the row below.
    fn draw(&self, room: Rect, buf: &mut Buffer, theme: &Theme) -> u16 {
        if room.height == 0 {
            return room.y;
        }
        self.head.draw(Rect { height: 1, ..room }, buf, theme);
        let below = from(room, room.y + 1);
        if self.text.is_empty() || below.height == 0 {
            return below.y;
        }
        let passage = Passage::new(self.text, self.marks, theme, below.width);
        let height = passage.height(below.height);
        let rows = Rect { height, ..below };
        let shown = passage.draw(None, Scroll::From(0), rows, buf);
        if shown.below {
            glyph::put(buf, rows.right(), rows.bottom() - 1, "…", 1, theme.style(Role::Muted));
        }
        rows.bottom()
    }
}
