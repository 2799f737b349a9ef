//! The top line: where one is, what goes on behind, and which dangerous claims are open.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::blind::Sight;
use crate::domain::calibration::CalibrationState;
use crate::tui::app::{App, Auditor};
use crate::tui::command::{Command, Place};
use crate::tui::screen::queue::one_line;
use crate::tui::screen::{screens, tabs};
use crate::tui::screens::ScreenName;
use crate::tui::theme::Role;
use crate::tui::widget::phrase::Phrase;

/// Cells in which the view that is shown has room, or the beginning of a filter.
const ONE_VIEW: u16 = 26;

/// Draws the top line.
pub(super) fn header(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let forms = forms(app);
    let (names, are_all) = names(app, forms[RICH].width(), area.width);
    let mut used = names.draw(area, buf, theme);
    // What must be seen leaves room for the view or the filter in force, not for the views that are not shown now;
    // what is only worth knowing does so too.
    let needed = |at: usize| match at {
        0 | 1 if is_queue(app) => tabs::wanted(app).max(ONE_VIEW),
        at if at < RICH => ONE_VIEW,
        _ => in_force(app),
    };
    let fits = |(at, form): &(usize, &Phrase)| used + form.width() + 2 + needed(*at) <= area.width;
    let told = forms.iter().enumerate().find(fits).map_or(&forms[forms.len() - 1], |(_, form)| form);
    let line = if are_all { SEPARATOR } else { "" };
    used += filter(app, line, Rect { x: area.x + used, width: area.width - used, ..area }, told.width(), buf);
    let room = Rect { x: area.x + used, width: area.width.saturating_sub(used + 1), ..area };
    let apart = forms.iter().find(|form| form.width() + 2 <= room.width);
    if let Some(form) = apart.or(forms.last().filter(|form| form.width() <= room.width)) {
        form.draw_right(room, buf, theme);
    }
}

/// From so many cells on the line says who decides here.
const NAMED: u16 = 150;

/// Between the names of screens and those of views.
const SEPARATOR: &str = " │";

/// Where one is: the names of all screens, where what must be seen has room beside them, and one view; and whether they
/// are all.
fn names(app: &App, told: u16, width: u16) -> (Phrase, bool) {
    let begin = |names| {
        let words = Phrase::new().say(Role::Muted, " juror  ");
        // Whose decisions these are.
        let words = if width >= NAMED {
            words.say(Role::Text, one_line(app.settings.annotator.as_str())).say(Role::Text, "  ")
        } else {
            words
        };
        let words = words.join(names);
        if app.settings.blind.is_some() {
            words.say(Role::Text, "  ").say(Role::Warning, "BLIND")
        } else {
            words
        }
    };
    let least = told + 2 + if is_queue(app) { ONE_VIEW + 2 } else { 0 };
    let all = begin(screens::names(app, true));
    let is_room = all.width() + least <= width;
    (if is_room { all } else { begin(screens::names(app, false)) }, is_room && app.settings.blind.is_none())
}

fn is_queue(app: &App) -> bool {
    app.screens.shown == ScreenName::Queue
}

/// So many of [`forms`] tell more than what must be seen.
const RICH: usize = 3;

/// What stands at the right end, the fullest form first. The last one is never left out: that dangerous claims are
/// open, that nobody is called of them, and that nothing is audited any more.
fn forms(app: &App) -> [Phrase; 7] {
    let (critical, danger) = (critical(app), danger(app));
    let (long, brief) = (answers(app, false), answers(app, true));
    let (trouble, named) = (trouble(app, true), trouble(app, false));
    [
        joined([&unmeasured(app, halted(app)), &long, &danger]),
        joined([&halted(app), &long, &danger]),
        joined([&work(app), &brief, &danger]),
        joined([&trouble, &brief, &danger]),
        joined([&named, &brief, &danger]),
        joined([&named, &brief, &critical]),
        joined([&named, &Phrase::new(), &critical]),
    ]
}

/// `parts` that are not empty, with dots between them.
fn joined(parts: [&Phrase; 3]) -> Phrase {
    parts.into_iter().filter(|part| !part.is_empty()).fold(Phrase::new(), |all, part| {
        let all = if all.is_empty() { all } else { all.say(Role::Muted, " · ") };
        all.join(part.clone())
    })
}

/// Cells that the filter in force needs to be known by its beginning.
fn in_force(app: &App) -> u16 {
    app.found.as_ref().map_or(0, |_| filter_words(app).width().min(ONE_VIEW) + 2)
}

/// The views, else the filter in force, behind `line`, as far as it leaves `told` cells for what stands beside it.
/// Returns the cells used.
fn filter(app: &App, line: &str, area: Rect, told: u16, buf: &mut Buffer) -> u16 {
    // Views are those of the queue.
    if app.screens.shown != ScreenName::Queue {
        return 0;
    }
    let line = Phrase::new().say(Role::Border, line);
    let room = area.width.saturating_sub(line.width() + told + 4);
    let tabs = tabs::fitting(app, room);
    let (false, Some(found)) = (!tabs.is_empty(), &app.found) else {
        if tabs.is_empty() {
            return 0;
        }
        return line.join(tabs).draw(area, buf, &app.settings.theme);
    };
    let filter = || filter_words(app);
    let gap = || Phrase::new().say(Role::Text, "  ");
    let whole = gap().say(Role::Text, found.shown(app.counts.open)).say(Role::Muted, " · ").join(filter());
    // The list says as well how many are shown.
    let words = if whole.width() <= room { whole } else { gap().join(filter()) };
    let room = Rect { width: line.width() + room, ..area };
    line.join(words).draw(room, buf, &app.settings.theme)
}

/// `/ severity:critical`; empty without a filter.
fn filter_words(app: &App) -> Phrase {
    let Some(found) = &app.found else { return Phrase::new() };
    let key = app.settings.keymap.label(Command::Filter, Place::Review);
    Phrase::new().say(Role::Key, format!("{key} ")).say(Role::Focus, found.filter.to_string())
}

/// Why nothing is audited, the beginning of it; all of it stands on the help page.
fn halted(app: &App) -> Phrase {
    let Auditor::Halted(reason) = &app.auditor else { return work(app) };
    let key = app.settings.keymap.label(Command::PauseAuditor, Place::Review);
    let beginning: String = one_line(reason).chars().take(48).collect();
    let more = if beginning.len() < reason.len() { "…" } else { "" };
    Phrase::new()
        .say(Role::Error, format!("✗ auditor halted: {}{more}", beginning.trim_end()))
        .dot(Role::Key, key)
        .say(Role::Muted, " tries again")
}

/// That the auditor stands still, with the key that lets it go on where there is one; empty while it works.
fn trouble(app: &App, with_key: bool) -> Phrase {
    let (role, words, next) = match &app.auditor {
        Auditor::Failed(_) => return Phrase::new().say(Role::Error, "✗ auditor stopped"),
        Auditor::Paused => (Role::Warning, "‖ auditor paused", " goes on"),
        Auditor::Halted(_) => (Role::Error, "✗ auditor halted", " tries again"),
        Auditor::Running | Auditor::Absent => return Phrase::new(),
    };
    let words = Phrase::new().say(role, words);
    if !with_key {
        return words;
    }
    let key = app.settings.keymap.label(Command::PauseAuditor, Place::Review);
    words.dot(Role::Key, key).say(Role::Muted, next)
}

/// What the auditor does.
fn work(app: &App) -> Phrase {
    let counts = &app.counts;
    let mut words = trouble(app, true);
    let waiting = counts.waiting > 0;
    match &app.auditor {
        Auditor::Running | Auditor::Absent if counts.auditing > 0 => {
            words = words.say(Role::Text, format!("auditing {}", counts.auditing));
        }
        Auditor::Running if !waiting => words = words.say(Role::Muted, format!("{} audited", counts.audited)),
        Auditor::Absent if waiting => words = words.say(Role::Warning, "no auditor here"),
        _ => {}
    }
    if waiting {
        let before = if words.is_empty() { "" } else { ", " };
        words = words.say(Role::Text, format!("{before}{} waiting", counts.waiting));
    }
    if counts.failed > 0 {
        words = words.dot(Role::Error, format!("{} failed", counts.failed));
    }
    // A blind reviewer knows no judge.
    match counts.calibration.filter(|_| app.settings.blind.is_none()) {
        None => words,
        Some(state @ CalibrationState::Calibrated) => words.dot(Role::Muted, format!("judge {state}")),
        Some(state) => words.dot(Role::Warning, format!("judge {state}")),
    }
}

/// `words`, and that no judge of this store was ever measured against people. A blind reviewer knows no judge.
fn unmeasured(app: &App, words: Phrase) -> Phrase {
    let counts = &app.counts;
    if counts.calibration.is_some() || counts.audited == 0 || app.settings.blind.is_some() {
        return words;
    }
    words.dot(Role::Muted, format!("judge {}", CalibrationState::NotMeasured))
}

/// Answers that wait for their disposition.
fn answers(app: &App, is_brief: bool) -> Phrase {
    let text = match (app.answers_waiting, is_brief) {
        (0, _) => return Phrase::new(),
        (1, true) => "1 answer".to_owned(),
        (1, false) => "1 answer waits for a disposition".to_owned(),
        (some, true) => format!("{some} answers"),
        (some, false) => format!("{some} answers wait for a disposition"),
    };
    let key = app.settings.keymap.label(Command::Dispose, Place::Review);
    Phrase::new().say(Role::Warning, text).dot(Role::Key, key)
}

/// That nobody is called, and the dangerous claims that are open.
fn critical(app: &App) -> Phrase {
    let words =
        if app.news.hook_fails { Phrase::new().say(Role::Error, "✗ hook fails") } else { Phrase::new() };
    match app.counts.open_critical {
        0 => words,
        some => words.dot(Role::SeverityCritical, format!("▲ {some} CRITICAL")),
    }
}

/// In a blind review: verdicts that were committed and neither kept nor changed, but for the one in hand.
fn unkept(app: &App) -> Phrase {
    let is_here = app.detail().is_some_and(|detail| detail.sight == Sight::Revealed);
    match app.counts.unkept.saturating_sub(u32::from(is_here)) {
        0 => Phrase::new(),
        some => Phrase::new().say(Role::Warning, format!("{some} not kept")),
    }
}

/// The dangerous claims that are open.
fn danger(app: &App) -> Phrase {
    let mut words = critical(app).join(unkept(app));
    if app.counts.open_high > 0 {
        words = words.dot(Role::SeverityHigh, format!("■ {} HIGH", app.counts.open_high));
        // Those below the cursor are told above the list.
        if app.news.kept_high > app.news.high_below {
            words = words.say(Role::News, format!(", {} new", app.news.kept_high));
        }
    }
    words
}
