//! What the state looks like. `view` reads an [`App`] and draws; it changes nothing and asks nobody.

pub mod compare;
pub mod dashboard;
pub mod dialog;
pub mod exchanges;
pub mod footer;
pub mod header;
pub mod help;
pub mod queue;
mod screens;
pub mod shape;
pub mod spans;
pub mod story;
pub mod support;
mod tabs;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::app::{App, Focus, Geometry, Mode, View};
use super::screens::ScreenName;
use super::theme::Role;
use super::widget::passage::Scroll;
use super::widget::phrase::Phrase;

/// The smallest window in which a claim can be judged.
pub const SMALLEST: Size = Size { width: 60, height: 15 };

/// From this many columns on, queue and claim stand side by side.
pub const SIDE_BY_SIDE: u16 = 100;

/// Where the big parts lie, borders included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    pub header: Rect,
    pub list: Rect,
    pub claim: Rect,
    pub footer: Rect,
}

impl Areas {
    /// `None` under [`SMALLEST`].
    pub fn of(size: Size) -> Option<Self> {
        if size.width < SMALLEST.width || size.height < SMALLEST.height {
            return None;
        }
        let whole = Rect::new(0, 0, size.width, size.height);
        let body = Rect { y: 1, height: whole.height - 2, ..whole };
        let (list, claim) = if size.width >= SIDE_BY_SIDE {
            let width = (size.width * 36 / 100).clamp(36, 72);
            (Rect { width, ..body }, Rect { x: width, width: body.width - width, ..body })
        } else {
            let height = (body.height * 3 / 10).clamp(4, 12);
            (Rect { height, ..body }, Rect { y: body.y + height, height: body.height - height, ..body })
        };
        Some(Self {
            header: Rect { height: 1, ..whole },
            list,
            claim,
            footer: Rect { y: whole.height - 1, height: 1, ..whole },
        })
    }

    /// The same while a dialog is open: in a stacked window it gets the rows it needs from the claim,
    /// so that neither hides the other.
    pub fn of_app(app: &App, size: Size) -> Option<Self> {
        let mut areas = Self::of(size)?;
        if app.view_now() != View::Beside {
            areas.claim = areas.body();
            areas.list = Rect { width: 0, height: 0, ..areas.claim };
            return Some(areas);
        }
        if areas.list.width == size.width {
            let more = dialog::rows_needed(&app.mode).saturating_sub(areas.list.height).min(
                areas.claim.height.saturating_sub(if matches!(app.mode, Mode::Override(_)) { 4 } else { 5 }),
            );
            areas.list.height += more;
            areas.claim.y += more;
            areas.claim.height -= more;
        }
        Some(areas)
    }

    /// Everything between top line and footer.
    pub fn body(&self) -> Rect {
        self.list.union(self.claim)
    }
}

/// Draws the whole screen.
pub fn view(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    draw(app, area, frame.buffer_mut());
}

fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let Some(areas) = Areas::of_app(app, area.as_size()) else {
        return too_small(app, area, buf);
    };
    header::header(app, areas.header, buf);
    match &app.mode {
        Mode::Help { top } => help::draw(app, *top, areas.body(), buf),
        Mode::Exchanges(log) => exchanges::draw(app, log, areas.body(), buf),
        Mode::Story(page) => story::draw(app, page, areas.body(), buf),
        Mode::Spans(editor) => spans::draw(app, editor, areas.body(), buf),
        Mode::Shape(editor) => shape::draw(app, editor, areas.body(), buf),
        _ if app.screen() != ScreenName::Queue => {
            screens::draw(app, areas.body(), buf);
            dialog::draw(app, &areas, buf);
        }
        _ => {
            queue::draw(app, &areas, buf);
            dialog::draw(app, &areas, buf);
        }
    }
    footer::footer(app, areas.footer, buf);
}

fn too_small(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let lines = [
        Phrase::new().say(Role::Warning, "window too small"),
        Phrase::new().say(Role::Text, format!("{}×{} needed", SMALLEST.width, SMALLEST.height)),
        Phrase::new().say(Role::Muted, format!("this is {}×{}", area.width, area.height)),
    ];
    let top = area.y + area.height.saturating_sub(lines.len() as u16) / 2;
    for (y, line) in (top..area.bottom()).zip(lines) {
        let left = area.x + area.width.saturating_sub(line.width()) / 2;
        line.draw(Rect::new(left, y, area.right().saturating_sub(left), 1), buf, theme);
    }
}

/// Where the panes lie that the keys move through.
pub fn geometry(app: &App) -> Geometry {
    let Some(areas) = Areas::of_app(app, app.size) else {
        return Geometry { too_small: true, ..Geometry::default() };
    };
    let (answer, evidence) = queue::claim::text_areas(app, areas.claim);
    // Rows are kept ready for the list that is hidden.
    let list = if areas.list.is_empty() { Areas::of(app.size).map(|areas| areas.list) } else { None };
    let exchange = match &app.mode {
        Mode::Exchanges(log) => exchanges::text_area(app, log, areas.body()),
        _ => Rect::default(),
    };
    Geometry {
        queue: inside(list.unwrap_or(areas.list)),
        answer,
        evidence,
        help: inside(areas.body()),
        exchange,
        too_small: false,
    }
}

/// The text pane of `focus` moved by `lines`, never past its ends; the queue does not scroll this way.
pub fn scrolled(app: &App, focus: Focus, lines: i64) -> Scroll {
    Areas::of_app(app, app.size)
        .map_or(Scroll::Auto, |areas| queue::claim::scrolled(app, areas.claim, focus, lines))
}

/// The passage of the claim in hand whose text is drawn at `at`, and the byte of it: see `queue::claim::pointed`.
pub fn word_at(app: &App, at: Position, within: Option<usize>) -> Option<(usize, usize)> {
    let areas = Areas::of_app(app, app.size)?;
    queue::claim::pointed::word_at(app, areas.claim, at, within)
}

/// The room inside a frame.
pub(crate) fn inside(frame: Rect) -> Rect {
    Rect {
        x: frame.x + 2,
        y: frame.y + 1,
        width: frame.width.saturating_sub(4),
        height: frame.height.saturating_sub(2),
    }
}
