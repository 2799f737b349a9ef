//! What lies over the queue while it asks for something: override, note, reason, disposition.
//!
//! A dialog takes the place of the list, never of the claim: answer and evidence stay in view while a
//! person rules on them.

mod about;
mod answer;
mod ask;
mod line;
mod many;
mod palette;
mod remark;
mod why;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::Areas;
use super::queue::{self, fits_edge, one_line, short, text_goes_on};
use super::screens::told;
use crate::domain::decision::{HumanVerdict, ReasonCode, Ruling};
use crate::domain::queue::{ClaimDetail, Given, Objections, Sibling};
use crate::domain::verdict::{HallucinationType, Score};
use crate::tui::app::{AnswerDialog, App, LastDecision, Mode, NoteEditor, OverrideField, OverrideMenu};
use crate::tui::command::{Command, Place};
use crate::tui::screens::ScreenName;
use crate::tui::theme::Role;
use crate::tui::widget::menu::{self, Entry};
use crate::tui::widget::panel::{self, Panel};
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::{badge, text_box};

/// Columns of the override menu's three fields, standing side by side.
const FIELDS: [u16; 3] = [20, 14, 18];

/// Rows of the same fields one below the other beside what can be chosen in the first: three words, ten entries, two
/// blanks.
const STACKED_FIELDS: u16 = 15;

/// Rows that the open dialog needs in a window whose panes are stacked, frame included.
pub(super) fn rows_needed(mode: &Mode) -> u16 {
    match mode {
        Mode::Normal
        | Mode::Help { .. }
        | Mode::Exchanges(_)
        | Mode::Story(_)
        | Mode::Spans(_)
        | Mode::Shape(_)
        | Mode::Disposition(_) => 0,
        Mode::Override(menu) => menu.proposals.len() as u16 + 3,
        Mode::Reason(_) => 8,
        Mode::Note(_) | Mode::Line(_) | Mode::Ask(_) => 7,
        Mode::Palette(_) => 11,
        Mode::Many(_) => many::ROWS,
        Mode::Why(_) => why::ROWS,
    }
}

/// Draws the open dialog, if any, and an error that does not fit in a frame's edge.
pub(super) fn draw(app: &App, areas: &Areas, buf: &mut Buffer) {
    // Where something is typed or asked that no error may hide.
    let mut taken = Rect::default();
    match &app.mode {
        Mode::Normal
        | Mode::Exchanges(_)
        | Mode::Story(_)
        | Mode::Spans(_)
        | Mode::Shape(_)
        | Mode::Help { .. } => {}
        Mode::Override(menu) => taken = override_menu(app, menu, areas, buf),
        Mode::Note(note) => taken = note_editor(app, note, areas, buf),
        Mode::Line(line) => line::draw(app, line, areas, buf),
        Mode::Ask(line) => taken = ask::draw(app, line, areas, buf),
        Mode::Many(dialog) => {
            // Of the same claim the one in hand is shown with its evidence.
            if !app.same.as_ref().is_some_and(|same| same.is_marked) {
                many::list(app, dialog, areas.claim, buf);
            }
            taken = many::draw(app, dialog, areas, buf);
        }
        Mode::Why(why) => why::draw(app, why, areas, buf),
        Mode::Palette(open) => palette::draw(app, open, areas, buf),
        Mode::Reason(last) => taken = reason(app, last, areas, buf),
        Mode::Disposition(dialog) => taken = disposition(app, dialog, areas, buf),
    }
    to_be_read(app, areas, taken, buf);
}

/// Over the list where it fits there, else at the bottom.
fn place(areas: &Areas, width: u16, height: u16) -> Rect {
    if areas.list.width >= width && areas.list.height >= height {
        // No stump of the list is left below.
        let height = if areas.list.height - height < 3 { areas.list.height } else { height };
        return Rect { height, ..areas.list };
    }
    let body = areas.body();
    // A stump of the list above would be the one claim in view, and need not be the one that this is about.
    let height = if body.height < height + 4 { body.height } else { height };
    Rect { y: body.bottom() - height, height, ..body }
}

fn open(panel: &Panel, area: Rect, areas: &Areas, app: &App, buf: &mut Buffer) -> Rect {
    panel::clear(area, buf);
    let list = areas.list;
    // A page that says why there is no list goes on below.
    let is_list = !super::queue::is_empty(app);
    if is_list
        && (area.x, area.width) == (list.x, list.width)
        && area.y >= list.y
        && area.bottom() + 3 <= list.bottom()
    {
        // What is left of the list below is a list of its own.
        let rest = Rect { y: area.bottom(), height: list.bottom() - area.bottom(), ..list };
        panel::clear(rest, buf);
        super::queue::list::draw(app, rest, buf);
    }
    panel.draw(area, buf, &app.settings.theme)
}

fn title(verb: &'static str, id: &str) -> Phrase {
    Phrase::new().say(Role::Title, verb).say(Role::Text, format!("  {}", one_line(id)))
}

fn override_menu(app: &App, menu: &OverrideMenu, areas: &Areas, buf: &mut Buffer) -> Rect {
    let theme = &app.settings.theme;
    let rows = STACKED_FIELDS + menu.proposals.len() as u16 + 2;
    let stacked = areas.list.width < 60 && areas.list.height >= rows;
    let area = if stacked {
        place(areas, 30, rows)
    } else {
        place(areas, 60, areas.list.height.clamp(8, menu.proposals.len() as u16 + 3))
    };
    let panel =
        Panel { top_left: title("Override", &menu.id.to_string()), focused: true, ..Panel::default() };
    let room = open(&panel, area, areas, app, buf);

    let key = |ruling: &Ruling| {
        let command = match ruling.verdict {
            _ if ruling.score.is_some() => {
                let command = match ruling.score.map_or(0, Score::get) {
                    1 => Command::Score1,
                    2 => Command::Score2,
                    3 => Command::Score3,
                    4 => Command::Score4,
                    _ => Command::Score5,
                };
                return app.settings.keymap.label(command, Place::Score);
            }
            // The digit is that of a score.
            HumanVerdict::CannotJudge if app.is_scoring() => return String::new(),
            HumanVerdict::FullySupported => Command::VerdictFully,
            HumanVerdict::PartiallySupported => Command::VerdictPartially,
            HumanVerdict::Unsupported => Command::VerdictUnsupported,
            HumanVerdict::Contradicted => Command::VerdictContradicted,
            HumanVerdict::CannotJudge => Command::VerdictCannotJudge,
            HumanVerdict::NotAClaim => Command::VerdictNotAClaim,
        };
        app.settings.keymap.label(command, Place::OverrideMenu)
    };
    let verdicts: Vec<Entry> = menu
        .proposals
        .iter()
        .map(|ruling| Entry {
            key: key(ruling),
            words: ruling.score.map_or_else(|| badge::human(ruling.verdict), badge::score_in_brief),
            chosen: menu.has_chosen(ruling),
        })
        .collect();
    let severities: Vec<Entry> = OverrideMenu::SEVERITIES
        .into_iter()
        .map(|severity| Entry {
            key: String::new(),
            words: if severity.is_none() { none() } else { badge::severity_word(severity) },
            chosen: menu.severity == severity,
        })
        .collect();
    let types: Vec<Entry> = std::iter::once(None)
        .chain(HallucinationType::ALL.iter().copied().map(Some))
        .map(|kind| Entry {
            key: String::new(),
            words: kind.map_or_else(none, |kind| {
                Phrase::new().say(Role::Text, kind.label().to_lowercase().replace('_', " "))
            }),
            chosen: menu.hallucination_type == kind,
        })
        .collect();
    let fields = [
        (if app.is_scoring() { "Score" } else { "Verdict" }, OverrideField::Verdict, verdicts),
        ("Severity", OverrideField::Severity, severities),
        ("Type", OverrideField::Type, types),
    ];
    let (mut x, mut y) = (room.x, room.y);
    for ((name, field, entries), width) in fields.iter().zip(FIELDS) {
        let focused = menu.field == *field;
        let width = if stacked { room.width } else { width }.min(room.right().saturating_sub(x));
        let rows = room.bottom().saturating_sub(y);
        let head = Rect { x: x + 1, y, width: width.saturating_sub(1), height: rows.min(1) };
        Phrase::new().say(if focused { Role::Title } else { Role::Label }, *name).draw(head, buf, theme);
        let column = Rect { x, y: y + 1, width, height: rows.saturating_sub(1) };
        menu::column(entries, focused, column, buf, theme);
        if stacked {
            y = (y + entries.len() as u16 + 2).min(room.bottom());
        } else {
            x = (x + width + 2).min(room.right());
        }
    }
    area
}

fn none() -> Phrase {
    Phrase::new().say(Role::Muted, "– none")
}

fn note_editor(app: &App, note: &NoteEditor, areas: &Areas, buf: &mut Buffer) -> Rect {
    let height = if areas.list.width >= super::SIDE_BY_SIDE { 7 } else { areas.list.height.clamp(7, 16) };
    let area = place(areas, 30, height);
    let state = match (&note.error, note.sent.is_some()) {
        (Some(error), _) => Phrase::new().say(Role::Error, format!("✗ {}", one_line(error))),
        (None, true) => Phrase::new().say(Role::Muted, "saving…"),
        (None, false) if note.content().is_empty() => Phrase::new(),
        (None, false) if note.content() == note.stored => Phrase::new().say(Role::Ok, "draft kept"),
        (None, false) => Phrase::new().say(Role::Muted, "draft"),
    };
    let panel = Panel {
        top_left: title("Note on", &note.id.to_string()),
        bottom_left: state,
        focused: true,
        ..Panel::default()
    };
    let room = open(&panel, area, areas, app, buf);
    let room = about::draw(app, (note.claim, &note.claim_text), Place::Note, (room, 3), buf);
    text_box::draw(&note.text, room, buf, &app.settings.theme);
    area
}

fn reason(app: &App, last: &LastDecision, areas: &Areas, buf: &mut Buffer) -> Rect {
    let theme = &app.settings.theme;
    let count = ReasonCode::ALL.len() as u16;
    let one_column = areas.list.width < 60 && areas.list.height >= count + 2;
    let area = if one_column { place(areas, 36, count + 2) } else { place(areas, 60, count.div_ceil(2) + 2) };
    // The panel beside shows another claim already: the frame says which one this is about.
    let about =
        badge::ruling(&last.ruling).say(Role::Text, "  ").say(Role::Focus, one_line(&last.claim_text));
    let (id, about) = match app.marks.ruled.len() {
        many if app.marks.is_reasoned => (format!("all {many} that were decided at once"), Phrase::new()),
        _ => (last.id.to_string(), about),
    };
    let panel =
        Panel { top_left: title("Reason for", &id), bottom_left: about, focused: true, ..Panel::default() };
    let room = open(&panel, area, areas, app, buf);
    let entries: Vec<Entry> = ReasonCode::ALL
        .iter()
        .map(|code| Entry {
            key: code.key().to_string(),
            words: Phrase::new().say(Role::Text, code.sentence()),
            chosen: false,
        })
        .collect();
    if one_column {
        let column = Rect { x: room.x.saturating_sub(1), width: room.width + 1, ..room };
        menu::column(&entries, true, column, buf, theme);
    } else {
        let half = room.width / 2;
        for (x, column) in [room.x.saturating_sub(1), room.x + half]
            .into_iter()
            .zip(entries.chunks(entries.len().div_ceil(2)))
        {
            menu::column(column, true, Rect { x, width: half, ..room }, buf, theme);
        }
    }
    area
}

/// How far people are with the answer.
fn how_far(detail: &ClaimDetail) -> Phrase {
    let is_routed = detail.siblings.iter().any(|sibling| sibling.routed);
    match detail.open_claims() {
        0 if is_routed => Phrase::new().say(Role::Text, "every routed claim is decided"),
        0 => Phrase::new().say(Role::Warning, "nobody was asked about any claim"),
        open => Phrase::new().say(Role::Warning, still_open(open)),
    }
}

/// Over everything: the answer, what the judge and people say of each of its claims, and the question.
fn disposition(app: &App, dialog: &AnswerDialog, areas: &Areas, buf: &mut Buffer) -> Rect {
    let theme = &app.settings.theme;
    let detail = &dialog.detail;
    let panel = Panel {
        top_left: title("Answer", detail.record.audit_id.as_str()),
        top_right: vec![how_far(detail)],
        bottom_left: told(app),
        focused: true,
        ..Panel::default()
    };
    let room = open(&panel, areas.body(), areas, app, buf);
    // The sort keeps the order of the answer among equals.
    let mut lacking: Vec<&Sibling> =
        detail.siblings.iter().filter(|sibling| sibling.lacks_support()).collect();
    lacking.sort_by_key(|sibling| !sibling.is_refuted());
    let mut question = match &dialog.remark {
        Some(remark) => {
            let me = &app.settings.annotator;
            let overrules = |given: &Given| given.is_overruled_by(remark.disposition, me);
            let is_wanted = !remark.over.is_empty() || detail.disposition.as_ref().is_some_and(overrules);
            remark::question(app, remark, is_wanted, room.width)
        }
        None => question(app, dialog, &lacking, room.width),
    };
    let open_claims = detail.open_claims();
    if open_claims > 0 && dialog.remark.is_some() {
        let words = format!("{}, and can be decided later.", still_open(open_claims));
        question.insert(0, Phrase::new().say(Role::Warning, words));
    }
    if let Some(given) = &detail.disposition {
        question.insert(0, stands(app, given, room.width));
    }
    let writing = dialog.remark.as_ref().map_or(0, |_| remark::ROWS);
    let below = (question.len() as u16 + writing).min(room.height);
    let above = room.height - below;
    // The claims that lack support come first: they must be read before anything is released.
    let mut claims = lacking;
    claims.extend(detail.siblings.iter().filter(|sibling| !sibling.lacks_support()));
    let marks: Vec<Mark> = detail
        .siblings
        .iter()
        .filter_map(|sibling| Some(Mark::new(sibling.answer_span?.range(), answer::claim_role(sibling)?)))
        .collect();
    let answer = Passage::new(&detail.record.answer, &marks, theme, room.width.min(110));
    let wants = answer.height(above);
    let rows = wants.min(above.saturating_sub(claims.len() as u16 + 2).max(above / 3));
    // What people ruled against must be seen of it.
    let place = Rect { height: rows, width: room.width.min(110), ..room };
    let shown = answer.draw(marks.first().map(|mark| &mark.range), Scroll::Auto, place, buf);
    text_goes_on(&shown, place, buf, theme);
    let list = Rect { y: room.y + rows + 1, height: above.saturating_sub(rows + 2), ..room };
    let used = answer::claim_lines(detail, &claims, list, buf, theme);
    let foot = (list.y + used + 1).min(room.bottom() - below);
    let asked = question.len() as u16;
    for (y, line) in (foot..room.bottom()).zip(question) {
        line.draw(Rect { y, height: 1, ..room }, buf, theme);
    }
    if let Some(remark) = &dialog.remark {
        let y = (foot + asked).min(room.bottom());
        remark::draw(remark, Rect { y, height: remark::ROWS.min(room.bottom() - y), ..room }, buf, theme);
    }
    Rect { y: foot, height: room.bottom().saturating_sub(foot), ..areas.body() }
}

/// How many claims of the answer nobody has decided yet.
fn still_open(open: usize) -> String {
    if open == 1 { "1 claim is still open".to_owned() } else { format!("{open} claims are still open") }
}

/// What was decided about the answer before, by whom and when: another word takes its place.
fn stands(app: &App, given: &Given, width: u16) -> Phrase {
    let is_own = given.annotator == app.settings.annotator;
    let who = if is_own { "You".to_owned() } else { short(&one_line(given.annotator.as_str()), 24) };
    let head = format!("{who} gave it {} at {}", given.disposition, queue::facts::time(given.at));
    let note = given.note.as_ref().map_or(String::new(), |note| format!(": {}", one_line(note)));
    let long = format!("{head}{note}. Another word takes its place.");
    let said = Phrase::new().say(Role::Warning, long);
    if said.width() <= width { said } else { Phrase::new().say(Role::Warning, format!("{head}{note}")) }
}

/// The question with its keys: what is safe stands first.
fn question(app: &App, dialog: &AnswerDialog, lacking: &[&Sibling], width: u16) -> Vec<Phrase> {
    let key = |command| app.settings.keymap.label(command, Place::Disposition);
    let line = |command, words: &str| {
        Phrase::new().say(Role::Key, format!(" {}  ", key(command))).say(Role::Text, words)
    };
    let objections = Objections::of(&dialog.detail.siblings);
    let (sentence, brief) = (objections.sentence(), objections.brief());
    // What people said is read to its end.
    let fitting = |forms: [String; 3]| {
        let forms = forms.map(|form| Phrase::new().say(Role::Warning, form));
        let first = forms.iter().find(|form| form.width() <= width);
        first.or(forms.last()).cloned().unwrap_or_default()
    };
    if dialog.confirming {
        let asked = if lacking.is_empty() {
            fitting([
                "No person has looked at any claim of this answer. Release it all the same?".to_owned(),
                "No person has looked at any claim: release?".to_owned(),
                "Nobody looked at it: release?".to_owned(),
            ])
        } else {
            fitting([
                format!("Release although people {sentence}?"),
                format!("Release with {brief}?"),
                format!("Release? {brief}"),
            ])
        };
        let words = lacking.first().map_or(String::new(), |first| one_line(&first.claim_text));
        let is_room = asked.width() + 20 <= width;
        return vec![
            if is_room { asked.say(Role::Text, " ").say(Role::Text, words) } else { asked },
            line(Command::ReleaseAnyway, "release it all the same"),
            line(Command::Return, "return it to be corrected"),
            line(Command::Cancel, "decide later"),
        ];
    }
    let choices = [
        line(Command::Release, "release: it may be used"),
        line(Command::Return, "return: to be corrected"),
        line(Command::Block, "block: it must not be used"),
    ];
    let head = if lacking.is_empty() {
        let change = if dialog.detail.disposition.is_some() { "Change that: the" } else { "The" };
        Phrase::new().say(Role::Title, format!("{change} answer is to be …"))
    } else {
        fitting([
            format!("People {sentence}. The answer is to be …"),
            format!("People {sentence}:"),
            format!("By people: {brief}"),
        ])
    };
    let [release, back, block] = choices;
    let mut lines =
        if lacking.is_empty() { vec![head, release, back, block] } else { vec![head, back, block, release] };
    let others_wait = app.to_dispose.is_some() || app.answers_waiting > 0;
    if dialog.detail.disposition.is_some() && others_wait {
        lines.push(line(Command::Dispose, "goes on to the next answer that waits"));
    }
    lines
}

/// `area` moved above or below what is `taken`, so that what is typed stays in view.
fn beside(body: Rect, taken: Rect, area: Rect) -> Rect {
    if taken.is_empty() || area.intersection(taken).is_empty() {
        return area;
    }
    let above = taken.y.saturating_sub(body.y);
    let below = body.bottom().saturating_sub(taken.bottom());
    if below >= area.height || below >= above {
        Rect { y: taken.bottom(), height: area.height.min(below), ..area }
    } else {
        let height = area.height.min(above);
        Rect { y: taken.y - height, height, ..area }
    }
}

/// What has to be read to its end gets a box of its own where the edge is too short for it.
fn to_be_read(app: &App, areas: &Areas, taken: Rect, buf: &mut Buffer) {
    let (Some(toast), Some(told)) = (&app.toast, super::queue::to_be_read(app)) else { return };
    let is_empty = app.screen() == ScreenName::Queue && super::queue::is_empty(app);
    let theme = &app.settings.theme;
    let is_covered = matches!(app.mode, Mode::Disposition(_));
    let edge = if is_empty { areas.body().width } else { areas.claim.width };
    if fits_edge(&toast.text, edge) && !is_covered {
        return;
    }
    let wide = areas.list.width.clamp(36, 80);
    let marks = [Mark::new(0..toast.text.len(), Role::Text)];
    let height = Passage::new(&toast.text, &marks, theme, wide - 4).height(8) + 2;
    let area = beside(areas.body(), taken, place(areas, wide, height));
    let passage = Passage::new(&toast.text, &marks, theme, area.width.saturating_sub(4));
    let panel = Panel { top_left: told, focused: true, ..Panel::default() };
    let room = open(&panel, area, areas, app, buf);
    passage.draw(None, Scroll::Auto, room, buf);
}
