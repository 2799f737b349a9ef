//! All keys, from the command table: what help says is what the keys do, also after remapping.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::app::{App, Auditor};
use crate::tui::command::{Command, Place};
use crate::tui::keymap::HelpSection;
use crate::tui::screen::screens::told;
use crate::tui::screen::{Areas, inside};
use crate::tui::theme::Role;
use crate::tui::widget::glyph;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::passage::{Passage, Scroll};
use crate::tui::widget::phrase::Phrase;

/// Columns for the keys.
const KEYS: u16 = 16;

/// A line of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Title(&'static str),
    /// Keys (empty on a line that goes on) and words.
    Key(String, String),
    Gap,
}

/// Why the auditor does nothing, in full, and the key that lets it try again.
fn auditor(app: &App) -> Option<HelpSection> {
    let (Auditor::Halted(reason) | Auditor::Failed(reason)) = &app.auditor else { return None };
    let key = app.settings.keymap.label(Command::PauseAuditor, Place::Review);
    let tries = (key, "Let it try again, when that is mended".to_owned());
    let rows = vec![(String::new(), reason.clone()), tries];
    let is_halted = matches!(app.auditor, Auditor::Halted(_));
    // A loop that broke is started again by itself.
    let rows = rows.into_iter().take(if is_halted { 2 } else { 1 }).collect();
    Some(HelpSection { title: "The auditor has stopped", rows })
}

/// What is otherwise in a blind review: of the keys below, some are refused.
fn blind(app: &App) -> Option<HelpSection> {
    app.settings.blind?;
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let verdicts = format!(
        "{} to {}, {}",
        key(Command::VerdictFully),
        key(Command::VerdictCannotJudge),
        key(Command::VerdictNotAClaim)
    );
    let rows = [
        (verdicts, "Commit your verdict; then the judge is shown"),
        (key(Command::Keep), "Keep it; another verdict changes it"),
        (
            String::new(),
            "Refused until then: confirm, why it is here, its story, differences. Refused throughout: filter, search, \
             views, marks, repeat, new or other claims, dispositions.",
        ),
    ];
    let rows = rows.into_iter().map(|(key, sentence)| (key, sentence.to_owned())).collect();
    Some(HelpSection { title: "This review is blind", rows })
}

/// The letters at the right end of a row of the queue.
fn letters() -> HelpSection {
    let rows = [
        ("c  o", "Confirmed; overridden. A star behind a verdict or a severity: a person gave it"),
        ("E  f", "Escalated with a note; flagged. Both stand until they are taken off"),
        ("a", "You began a note or something else on it and have not finished it"),
        ("s  D", "Skipped, at the end of the queue; deferred"),
        ("≠  @ana", "People disagree; somebody else has the claim in hand"),
        ("×12", "So many answers have the same claim; looked up when the cursor comes to one of them"),
    ];
    let rows = rows.into_iter().map(|(sign, words)| (sign.to_owned(), words.to_owned())).collect();
    HelpSection { title: "At the end of a row", rows }
}

/// How many lines the page has at the present size.
pub fn line_count(app: &App) -> usize {
    Areas::of(app.size).map_or(0, |areas| lines(app, inside(areas.body()).width).len())
}

fn lines(app: &App, width: u16) -> Vec<Line> {
    let room = width.saturating_sub(KEYS).max(1);
    let theme = &app.settings.theme;
    let mut lines = Vec::new();
    let mut sections = app.settings.keymap.help();
    sections.splice(0..0, auditor(app).into_iter().chain(blind(app)));
    sections.push(letters());
    for section in sections {
        if !lines.is_empty() {
            lines.push(Line::Gap);
        }
        lines.push(Line::Title(section.title));
        for (keys, sentence) in section.rows {
            let wrapped = Passage::new(&sentence, &[], theme, room).window(None, Scroll::Auto, 8);
            let mut keys = Some(keys);
            for line in wrapped.lines {
                let words = sentence.get(line).unwrap_or_default().trim_end().to_owned();
                lines.push(Line::Key(keys.take().unwrap_or_default(), words));
            }
        }
    }
    lines
}

/// Draws the page over everything between top line and footer.
pub(super) fn draw(app: &App, top: usize, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let close = app.settings.keymap.label(Command::Cancel, Place::Help);
    let panel = Panel {
        top_left: Phrase::new().say(Role::Title, "Keys"),
        top_right: vec![Phrase::new().say(Role::Key, close).say(Role::Muted, " closes")],
        bottom_left: told(app),
        focused: true,
        ..Panel::default()
    };
    let room = panel.draw(area, buf, theme);
    let lines = lines(app, room.width);
    let top = top.min(lines.len().saturating_sub(usize::from(room.height)));
    for (y, line) in (room.y..room.bottom()).zip(lines.iter().skip(top)) {
        let row = Rect { y, height: 1, ..room };
        match line {
            Line::Title(title) => {
                Phrase::new().say(Role::Title, *title).draw(row, buf, theme);
            }
            Line::Key(keys, words) => {
                Phrase::new().say(Role::Key, keys.as_str()).draw(Rect { width: KEYS - 1, ..row }, buf, theme);
                let rest = Rect { x: row.x + KEYS, width: row.width.saturating_sub(KEYS), ..row };
                Phrase::new().say(Role::Text, words.as_str()).draw(rest, buf, theme);
            }
            Line::Gap => {}
        }
    }
    if top > 0 {
        glyph::put(buf, room.right(), room.y, "↑", 1, theme.style(Role::Muted));
    }
    if top + usize::from(room.height) < lines.len() {
        glyph::put(buf, room.right(), room.bottom().saturating_sub(1), "↓", 1, theme.style(Role::Muted));
    }
}
