//! A key that is held down decides once, and a text that is typed where no text is expected runs nothing.
//!
//! A keyboard waits a quarter of a second to a second before it repeats a key that is held, and then repeats it many
//! times a second. A second stroke of the same key within that time may be the first repetition: it counts only once
//! no other has followed at the pace of one. A person is that fast nowhere, and loses no stroke by it.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::domain::time::Timestamp;
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Group, Place};
use crate::tui::effect::Effect;
use crate::tui::keymap::{Key, Meaning};
use crate::tui::strokes::Unsure;

use super::override_menu;

/// Strokes of one key closer together than this come from a key that is held down.
const REPEAT: Duration = Duration::from_millis(120);
/// No keyboard waits longer than this before it repeats a key that is held.
const DELAY: Duration = Duration::from_secs(1);
/// What the keyboard sent while the program was busy is heard within this time.
const LISTEN: Duration = Duration::from_millis(5);
/// Who types a text strikes the next key within this time; who corrects a slip (`c u 4`) looks in between.
const TYPING: Duration = Duration::from_millis(250);
/// So many different letters in a row are a text: who reviews looks between keys, or goes on by the same ones.
const LETTERS: usize = 3;
/// Nobody takes back what was done by the key before so soon: it is a letter of a text.
const CLOSE: Duration = Duration::from_millis(150);

/// What a stroke of a deciding key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stroke {
    New,
    /// It may be that of a key that is held down.
    Unsure,
    Held,
}

/// A key came.
pub(super) fn came(app: &mut App, event: KeyEvent, now: Timestamp) {
    let key = Key::pressed(event);
    let last = app.strokes.last.replace((key, now));
    app.strokes.gap = last.map(|(_, at)| now.since(at));
    let is_same = |last: &(Key, Timestamp)| last.0 == key;
    app.strokes.before = last.filter(is_same).map(|(_, at)| at);
    let is_letter = |last: &(Key, Timestamp)| matches!(last.0.code, KeyCode::Char(_));
    let ran_here = matches!(app.mode, Mode::Normal);
    app.strokes.other = last.filter(|last| ran_here && !is_same(last) && is_letter(last)).map(|(_, at)| at);
}

/// What the stroke is that asks for `command` now.
pub(super) fn stroke(app: &mut App, command: Command, now: Timestamp) -> Stroke {
    let waited = app.strokes.unsure.take().filter(|unsure| unsure.command == command);
    if waited.is_some_and(|unsure| unsure.is_sure) || app.settings.min_visible.is_zero() {
        return Stroke::New;
    }
    if waited.is_some() {
        // The one that waited was the first repetition.
        app.dropped = app.dropped.saturating_add(1);
        return Stroke::Held;
    }
    match app.strokes.before.map(|before| now.since(before)) {
        Some(since) if since < REPEAT => Stroke::Held,
        Some(since) if since < DELAY && command.records_in(Place::Review) => Stroke::Unsure,
        _ => Stroke::New,
    }
}

/// The stroke that asks for `command` waits until it is clear what it is.
pub(super) fn wait(app: &mut App, command: Command, now: Timestamp) {
    let claim = app.claim.as_ref().map(|claim| claim.key);
    let due = now.plus(REPEAT);
    app.strokes.unsure = Some(Unsure { command, claim, due, listened: false, is_sure: false });
    app.dirty = true;
}

/// What waited long enough counts, once the keyboard was listened to: while the program was busy, what followed may
/// have come and not been heard.
pub(super) fn due(app: &mut App, now: Timestamp) -> Vec<Effect> {
    match &mut app.strokes.unsure {
        Some(unsure) if unsure.due <= now && !unsure.listened => {
            unsure.listened = true;
            unsure.due = now.plus(LISTEN);
            Vec::new()
        }
        Some(unsure) if unsure.due <= now => count(app, now),
        _ => Vec::new(),
    }
}

/// Another command came: a key that is held repeats itself and no other, so what waits counts before it.
pub(super) fn before(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    match app.strokes.unsure {
        Some(unsure) if !unsure.is_sure && unsure.command != command => count(app, now),
        _ => Vec::new(),
    }
}

fn count(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Some(unsure) = app.strokes.unsure.take() else { return Vec::new() };
    let here = app.claim.as_ref().map(|claim| claim.key);
    if app.place() != Place::Review || here != unsure.claim {
        super::dropped(app, "press again: another claim came under the cursor", now);
        return Vec::new();
    }
    app.strokes.unsure = Some(Unsure { is_sure: true, ..unsure });
    let effects = super::run(app, unsure.command, now);
    app.strokes.unsure = None;
    effects
}

/// Whether the key is a letter of a text that is typed while nothing is open to take it: then it runs nothing.
pub(super) fn is_typed(app: &mut App, event: KeyEvent, now: Timestamp) -> bool {
    // What comes at once goes on with what came before, however long that took.
    let goes_on = app.strokes.gap.is_some_and(|gap| gap < TYPING) || app.timers.rushed.is_some();
    let is_here = app.place() == Place::Review && !app.settings.min_visible.is_zero();
    let is_letter = !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    if !goes_on || !is_here {
        ends(app);
    }
    let is_text = app.strokes.typed > 0;
    match event.code {
        KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace if is_text => {}
        KeyCode::Char(letter) if is_here && is_letter => {
            let known = app.strokes.letters.contains(&letter);
            if !known && !only_looks(app, event) && !gives_reason(app, event) && !judges_blind(app, event) {
                app.strokes.letters.push(letter);
            }
        }
        _ => ends(app),
    }
    if app.strokes.letters.len() < LETTERS {
        return false;
    }
    app.strokes.typed = app.strokes.typed.saturating_add(1);
    app.typed.clear();
    tell(app, now);
    true
}

/// What came until now is no text, or was one.
pub(super) fn ends(app: &mut App) {
    app.strokes.letters.clear();
    app.strokes.typed = 0;
}

/// Whether the key only moves or shows, or belongs to a sequence: such keys follow each other fast.
fn only_looks(app: &App, event: KeyEvent) -> bool {
    let meaning = app.settings.keymap.meaning(Place::Review, &[Key::pressed(event)]);
    !app.typed.is_empty()
        || match meaning {
            Meaning::Command(command) => matches!(command.row().group, Group::Move | Group::Read),
            Meaning::Unfinished => true,
            Meaning::Nothing => false,
        }
}

/// Whether it commits or keeps a verdict in a blind review: these follow each other all the time, and each counts only once
/// what it is about was in view for long enough.
fn judges_blind(app: &App, event: KeyEvent) -> bool {
    let meaning = app.settings.keymap.meaning(Place::Review, &[Key::pressed(event)]);
    let judges = |command| command == Command::Keep || override_menu::verdict_of(command).is_some();
    app.settings.blind.is_some() && matches!(meaning, Meaning::Command(command) if judges(command))
}

/// Whether it asks for the reason of the ruling that the key before it made: the two are one act.
fn gives_reason(app: &App, event: KeyEvent) -> bool {
    let meaning = |key| app.settings.keymap.meaning(Place::Review, &[key]);
    let ruled = app.strokes.other.and(app.strokes.letters.last()).is_some_and(|letter| {
        let key = Key::pressed(KeyEvent::new(KeyCode::Char(*letter), KeyModifiers::NONE));
        matches!(meaning(key), Meaning::Command(command) if command.records_in(Place::Review) && command.concerns_claim())
    });
    ruled && matches!(meaning(Key::pressed(event)), Meaning::Command(Command::Reason))
}

fn tell(app: &mut App, now: Timestamp) {
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let count = app.strokes.typed;
    let keys = if count == 1 { "1 key was".to_owned() } else { format!("{count} keys were") };
    let claim = match app.settings.blind {
        Some(_) => String::new(),
        None => format!(", {} adds a claim", key(Command::AddClaim)),
    };
    let note = key(Command::Annotate);
    let text = format!("{keys} taken for text and not run: pause a moment · {note} writes a note{claim}");
    super::warn(app, text, now);
}

/// Says that a key has no meaning where it was pressed.
pub(super) fn means_nothing(app: &mut App, event: KeyEvent, now: Timestamp) {
    let close = app.settings.keymap.label(Command::Cancel, app.place());
    super::warn(app, format!("{} does nothing here · {close} closes", Key::pressed(event)), now);
}

/// Whether another letter came right before the present key: what takes back is then not meant.
pub(super) fn is_close(app: &App) -> bool {
    let Some((_, now)) = app.strokes.last else { return false };
    app.strokes.other.is_some_and(|at| now.since(at) < CLOSE)
}
