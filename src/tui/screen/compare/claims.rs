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
    Telling::of(claim, room).draw(room, compare.claim_top, buf, app);
}

/// Rows of what is told of the claim in hand, in that room.
pub(super) fn rows(app: &App, room: Rect) -> usize {
    let compare = &app.screens.compare;
    let theme = &app.settings.theme;
    compare.claims().get(compare.claim).map_or(1, |claim| Telling::of(claim, room).rows(room, theme))
}

/// What is told of a claim: both versions' words, beside each other where there is room, then evidence and reason.
struct Telling<'a> {
    versions: [Block<'a>; 2],
    rest: Vec<Block<'a>>,
}

impl<'a> Telling<'a> {
    fn of(claim: &'a NewClaim, room: Rect) -> Self {
        let severity = badge::severity_word(claim.severity);
        let head = Phrase::new().say(Role::Label, "Candidate  ").join(labelled(&claim.label));
        let head = match severity {
            none if none.is_empty() => head,
            word if head.width() + word.width() + 3 <= left(room).width => {
                head.say(Role::Muted, " · ").join(word)
            }
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
        let mut rest = vec![Block { head: evidence, text: quote, marks: in_evidence }];
        if let Some(why) = claim.why.as_deref() {
            let head = Phrase::new().say(Role::Label, "Why");
            rest.push(Block { head, text: why, marks: Vec::new() });
        }
        let candidate = Block { head, text: &claim.text, marks: mine };
        Self { versions: [candidate, Block { head: baseline, text: before, marks: theirs }], rest }
    }

    /// Rows of the versions, of each other block, and of the gap between blocks.
    fn heights(&self, room: Rect, theme: &Theme) -> (usize, Vec<usize>, usize) {
        let [candidate, baseline] = &self.versions;
        let versions = if room.width >= BESIDE {
            candidate.height(left(room).width, theme).max(baseline.height(right(room).width, theme))
        } else {
            candidate.height(room.width, theme) + baseline.height(room.width, theme)
        };
        let rest: Vec<usize> = self.rest.iter().map(|block| block.height(room.width, theme)).collect();
        // A blank line between them, where there is room for all.
        let wanted = versions + rest.iter().map(|height| height + 1).sum::<usize>();
        (versions, rest, usize::from(wanted <= usize::from(room.height)))
    }

    fn rows(&self, room: Rect, theme: &Theme) -> usize {
        let (versions, rest, gap) = self.heights(room, theme);
        versions + rest.iter().map(|height| height + gap).sum::<usize>()
    }

    /// From the row `top` on.
    fn draw(&self, room: Rect, top: usize, buf: &mut Buffer, app: &App) {
        let theme = &app.settings.theme;
        let (versions, rest, gap) = self.heights(room, theme);
        let all = versions + rest.iter().map(|height| height + gap).sum::<usize>();
        let top = top.min(all.saturating_sub(usize::from(room.height)));
        // Where something that begins at the row `at` stands in the room, and how many rows of it are above that.
        let seen = |at: usize| {
            let y = u16::try_from(at.saturating_sub(top)).unwrap_or(u16::MAX);
            (from(room, room.y.saturating_add(y)), top.saturating_sub(at))
        };
        let [candidate, baseline] = &self.versions;
        let (below, above) = seen(0);
        if room.width >= BESIDE {
            let (left, right) = (left(below), right(below));
            candidate.draw(left, above, buf, theme);
            baseline.draw(right, above, buf, theme);
            let rows = u16::try_from(versions.saturating_sub(above)).unwrap_or(u16::MAX);
            for y in below.y..below.bottom().min(below.y.saturating_add(rows)) {
                glyph::put(buf, right.x - 2, y, "│", 1, theme.style(Role::Border));
            }
        } else {
            candidate.draw(below, above, buf, theme);
            let (below, above) = seen(candidate.height(room.width, theme));
            baseline.draw(below, above, buf, theme);
        }
        let mut at = versions;
        for (block, height) in self.rest.iter().zip(rest) {
            let (below, above) = seen(at + gap);
            block.draw(below, above, buf, theme);
            at += gap + height;
        }
        more(top > 0, top + usize::from(room.height) < all, room, buf, app);
    }
}

/// The room of the candidate's words, and that of the baseline's, where they stand side by side.
fn left(room: Rect) -> Rect {
    if room.width >= BESIDE { Rect { width: room.width / 2 - 2, ..room } } else { room }
}

fn right(room: Rect) -> Rect {
    Rect { x: room.x + room.width / 2 + 1, width: room.width - room.width / 2 - 1, ..room }
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
    marks: Vec<Mark>,
}

impl Block<'_> {
    fn height(&self, width: u16, theme: &Theme) -> usize {
        if self.text.is_empty() {
            return 1;
        }
        1 + usize::from(Passage::new(self.text, &self.marks, theme, width).height(u16::MAX / 8))
    }

    /// Draws what of it is below its first `above` rows.
    fn draw(&self, room: Rect, above: usize, buf: &mut Buffer, theme: &Theme) {
        if room.height == 0 {
            return;
        }
        let (text, above) = match above.checked_sub(1) {
            None => {
                self.head.draw(Rect { height: 1, ..room }, buf, theme);
                (from(room, room.y + 1), 0)
            }
            Some(above) => (room, above),
        };
        let passage = Passage::new(self.text, &self.marks, theme, text.width);
        let rows = usize::from(passage.height(u16::MAX / 8)).saturating_sub(above);
        if self.text.is_empty() || rows == 0 || text.height == 0 {
            return;
        }
        let rows = Rect { height: text.height.min(u16::try_from(rows).unwrap_or(u16::MAX)), ..text };
        let lines = i64::try_from(above).unwrap_or(i64::MAX);
        let scroll = passage.scrolled(None, Scroll::From(0), rows.height, lines);
        passage.draw(None, scroll, rows, buf);
    }
}
