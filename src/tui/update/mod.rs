//! What every message does to the state, and what is to be done outside because of it.
//!
//! Pure: no clock, no file, no terminal. One file a mode, and one for each part that answers come to.

mod answer;
mod ask;
mod auditor;
mod begun;
mod blind;
mod copy;
pub mod deadline;
mod decide;
mod disposition;
mod early;
mod empty;
mod exchanges;
mod find;
mod finding;
mod held;
mod help;
mod history;
mod in_view;
mod looked;
mod made;
mod marks;
mod mouse;
mod news;
mod note;
mod opposite;
mod override_menu;
mod overruled;
mod overturn;
mod palette;
mod possible;
mod question;
mod queue;
mod reason;
mod refused;
mod remark;
mod review;
mod rushed;
mod same;
mod say;
mod score;
mod screens;
mod shape;
mod spans;
mod story;
mod threads;
mod undo;
mod unheard;
mod views;
mod went_on;
mod why;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::domain::draft::DraftKind;
use crate::domain::time::Timestamp;

use super::app::{App, Mode};
use super::command::{Command, Place};
use super::effect::{Effect, TerminalEffect};
use super::keyboard;
use super::keymap::{Key, Meaning};
use super::message::Message;
use super::screen;

use say::{clear, dropped, fail, set_toast, tell, warn};

/// Before the reason why a key was dropped that may be pressed again.
const PRESS_AGAIN: &str = "press again: ";

/// Why a key that came while a decision was under way did nothing.
const STILL_SAVING: &str = "what you did before was still being saved";

/// Changes `app` by what happened at `now`, and says what is to be done.
pub fn update(app: &mut App, message: Message, now: Timestamp) -> Vec<Effect> {
    if matches!(message, Message::Drawn) {
        in_view::drawn(app, now);
        return Vec::new();
    }
    if matches!(
        message,
        Message::Decided { .. }
            | Message::Opposed { .. }
            | Message::DecidedMany { .. }
            | Message::Shaped { .. }
            | Message::SetAside { .. }
            | Message::ToUndo(..)
            | Message::Undone(_)
            | Message::ToRedo(_)
            | Message::Redone(_)
            | Message::Disposed { .. }
    ) {
        app.saving = None;
        app.dirty = true;
    }
    let is_own_act = views::is_own_act(&message);
    let is_input = matches!(message, Message::Key(_) | Message::Paste(_) | Message::Typed(_));
    let mut effects = match message {
        Message::Started { open } => {
            looked::who(app);
            queue::started(app, open, now)
        }
        Message::Key(event) => {
            rushed::goes_on(app, event, now);
            let mut effects = overruled::key_came(app, now);
            effects.extend(key(app, event, now));
            effects
        }
        Message::Rushed => {
            rushed::begin(app, now);
            Vec::new()
        }
        Message::Typed(keys) => typed(app, keys, now),
        Message::Paste(text) => paste(app, &text, now),
        Message::Mouse { at, act } => mouse::hand(app, at, act, now),
        Message::Resize(size) => {
            app.size = size;
            app.dirty = true;
            Vec::new()
        }
        Message::Drawn => Vec::new(),
        Message::Stalled(busy) => {
            in_view::was_not_listening(app, busy, now);
            Vec::new()
        }
        Message::Ending => quit(app),
        Message::StayForNote => {
            app.quitting = false;
            app.was_kept = true;
            fail(app, "not left: the note is not stored; quit again to leave it in a file");
            Vec::new()
        }
        Message::Tick => deadline::tick(app, now),
        Message::Stopping => run(app, Command::Suspend, now),
        Message::Resumed => {
            in_view::look_anew(app);
            app.timers.look = Some(now);
            Vec::new()
        }
        Message::Queue { run, result } => queue::window_came(app, run, result, now),
        Message::FoundCounted { run, result } => {
            find::counted(app, run, result);
            Vec::new()
        }
        Message::Same { run, result } => same::came(app, run, result, now),
        Message::BesideCounted { run, result } => {
            find::beside_counted(app, run, result);
            Vec::new()
        }
        Message::Views(result) => views::came(app, result, now),
        Message::ViewCounted { run, at, result } => {
            views::counted(app, run, at, result);
            Vec::new()
        }
        Message::ViewsChanged { change, result } => views::changed(app, &change, result, now),
        Message::Detail { run, result } => queue::detail_came(app, run, result),
        Message::Exchanges { run, result } => exchanges::entries_came(app, run, result),
        Message::Line { run: _, result } => copy::line_came(app, result, now),
        Message::Story { run, result } => {
            story::came(app, run, result);
            Vec::new()
        }
        Message::ScreenRead { run, result } => screens::came(app, run, result, now),
        Message::Reply { run, result } => {
            exchanges::reply_came(app, run, result);
            Vec::new()
        }
        Message::GoTo(result) => queue::go_to(app, result, now),
        Message::Decided { claim, id, request, result } => {
            decide::decided(app, claim, &id, &request, result, now)
        }
        Message::Opposed { claim, request, opposed } => overturn::opposed(app, claim, request, &opposed, now),
        Message::DecidedMany { together, result } => marks::decided(app, &together, result, now),
        Message::Shaped { shape, result } => shape::shaped(app, &shape, result, now),
        Message::SetAside { shape, rulings } => shape::sets_aside(app, &shape, &rulings, now),
        Message::Hints(result) => {
            // A store that cannot say it has other things to say.
            app.hints.done = result.ok();
            app.dirty = true;
            Vec::new()
        }
        Message::Pace(result) => {
            match result {
                Ok(earlier) => app.pace.remember(earlier),
                Err(why) => fail(app, why),
            }
            app.dirty = true;
            Vec::new()
        }
        Message::AnswersWaiting(result) => disposition::counted(app, result),
        Message::Answer(result) => disposition::found(app, result, now),
        Message::AnswerRead(result) => disposition::read(app, result, now),
        Message::NextAnswer(result) => disposition::named(app, result, now),
        Message::ToUndo(result, others) => undo::found(app, Command::Undo, result, others, now),
        Message::Undone(result) => undo::undone(app, result, now),
        Message::ToRedo(result) => undo::found(app, Command::Redo, result, 0, now),
        Message::Redone(result) => undo::redone(app, result, now),
        Message::Disposed { record, audit_id, disposition, result } => {
            disposition::disposed(app, record, &audit_id, disposition, result, now)
        }
        Message::Held { claim, result } => queue::held(app, claim, result, now),
        Message::DraftSaved { claim, kind: DraftKind::Note, text, result } => {
            note::draft_saved(app, claim, text, result, now);
            Vec::new()
        }
        Message::DraftSaved { claim, kind, text, result } => {
            begun::saved(app, (claim, kind), text, result, now);
            Vec::new()
        }
        Message::Looked(result) => looked::came(app, result, now),
        Message::TakenBack(event) => looked::taken_back(app, event),
        Message::Edited(edited) => note::edited(app, edited, now),
        Message::Auditor(news) => auditor::came(app, news, now),
        Message::AuditorHeld(reason) => auditor::held(app, &reason),
        Message::HookFailed(why) => news::hook_failed(app, &why),
        Message::HookWorks => news::hook_works(app, now),
        Message::Waiting(result) => begun::waiting(app, result),
        Message::Overruled(result) => overruled::came(app, result, now),
    };
    decide::is_saving(app, &effects);
    if is_own_act {
        effects.extend(views::acted(app, now));
    }
    if is_input {
        begun::touched(app, now);
    }
    overruled::show(app, now);
    palette::refresh(app, now);
    if app.dirty {
        app.geometry = screen::geometry(app);
        queue::keep_list_filled(app);
    }
    effects
}

/// Whether keys that came all at once go as one text into a note: it is laid out anew for each key, which takes seconds for
/// a long text. Elsewhere, and where one of them means something, each is a key.
pub fn is_text(app: &App, keys: &[KeyEvent]) -> bool {
    let means = |key: &KeyEvent| app.settings.keymap.meaning(app.place(), &[Key::pressed(*key)]);
    matches!(app.mode, Mode::Note(_)) && keys.iter().all(|key| means(key) == Meaning::Nothing)
}

/// Keys that came all at once and are a text.
fn typed(app: &mut App, keys: Vec<KeyEvent>, now: Timestamp) -> Vec<Effect> {
    let Some(last) = keys.last().copied() else { return Vec::new() };
    app.queue.touched = true;
    rushed::goes_on(app, last, now);
    held::came(app, last, now);
    let text: String = keys.into_iter().filter_map(keyboard::letter_of).collect();
    note::paste(app, &text, now)
}

/// A key: a command of the place that has the keyboard, or text.
fn key(app: &mut App, event: KeyEvent, now: Timestamp) -> Vec<Effect> {
    app.queue.touched = true;
    let place = app.place();
    early::ends(app, now);
    held::came(app, event, now);
    if let Some(event) = escape_run_together(app, event) {
        let effects = key(app, event, now);
        warn(app, "Esc and the next key came as one: that key was dropped", now);
        return effects;
    }
    if refused::swallows(app, event, now) || held::is_typed(app, event, now) {
        return Vec::new();
    }
    app.typed.push(Key::pressed(event));
    let keys = std::mem::take(&mut app.typed);
    match score::meaning(app, place, &keys) {
        Meaning::Command(command) => {
            let mut effects = run(app, command, now);
            refused::remember(app, command, place, &effects, now);
            effects.extend(app.hints.ran(command).map(Effect::KeepHints));
            effects
        }
        Meaning::Unfinished => {
            app.typed = keys;
            app.dirty = true;
            Vec::new()
        }
        Meaning::Nothing if keys.len() > 1 => {
            app.dirty = true;
            Vec::new()
        }
        Meaning::Nothing => text_key(app, event, now),
    }
}

/// Terminals report Esc with a letter right behind it as Alt and the letter. Where Esc means something and
/// that letter with Alt means nothing, it was Esc; the letter may have been meant for another place.
fn escape_run_together(app: &App, event: KeyEvent) -> Option<KeyEvent> {
    let keymap = &app.settings.keymap;
    let place = app.place();
    let is_alt_letter = matches!(event.code, KeyCode::Char(_)) && event.modifiers.contains(KeyModifiers::ALT);
    let escape = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
    let means = |event| keymap.meaning(place, &[Key::pressed(event)]);
    let was_escape = is_alt_letter && means(event) == Meaning::Nothing && means(escape) != Meaning::Nothing;
    was_escape.then_some(escape)
}

/// A key that is no command: text for the note, or the letter of a reason.
fn text_key(app: &mut App, event: KeyEvent, now: Timestamp) -> Vec<Effect> {
    match &app.mode {
        Mode::Note(_) => note::input(app, event, now),
        Mode::Line(_) => {
            find::input(app, event, now);
            Vec::new()
        }
        Mode::Palette(_) => {
            palette::input(app, event, now);
            Vec::new()
        }
        Mode::Ask(_) => {
            ask::input(app, event, now);
            Vec::new()
        }
        Mode::Shape(_) => {
            shape::input(app, event, now);
            Vec::new()
        }
        Mode::Reason(_) => match event.code {
            KeyCode::Char(letter) if !event.modifiers.contains(KeyModifiers::CONTROL) => {
                if app.saving.is_some() {
                    dropped(app, STILL_SAVING, now);
                    return Vec::new();
                }
                if app.timers.rushed.is_some() {
                    rushed::tell(app, now);
                    return Vec::new();
                }
                reason::letter(app, letter)
            }
            _ => Vec::new(),
        },
        Mode::Normal if app.place() == Place::Screen => {
            exchanges::other_key(app, Key::pressed(event), now);
            Vec::new()
        }
        Mode::Normal => {
            // Nothing that still has to be read gives way to this.
            if app.toast.is_none() {
                let key = app.settings.keymap.label(Command::Help, super::command::Place::Review);
                tell(app, format!("{key} shows the keys"), now);
            }
            Vec::new()
        }
        // It was read: any key closes it, and does nothing else.
        Mode::Why(_) => {
            close(app);
            Vec::new()
        }
        Mode::Exchanges(_) | Mode::Story(_) => {
            exchanges::other_key(app, Key::pressed(event), now);
            Vec::new()
        }
        Mode::Disposition(dialog) if dialog.remark.is_some() => {
            remark::input(app, event, now);
            Vec::new()
        }
        Mode::Override(_) | Mode::Spans(_) | Mode::Many(_) | Mode::Disposition(_) | Mode::Help { .. } => {
            held::means_nothing(app, event, now);
            Vec::new()
        }
    }
}

/// Pasted text goes into a text field or nowhere; it never is a command.
fn paste(app: &mut App, text: &str, now: Timestamp) -> Vec<Effect> {
    app.typed.clear();
    if matches!(app.mode, Mode::Note(_)) {
        return note::paste(app, text, now);
    }
    if matches!(app.mode, Mode::Palette(_)) {
        palette::paste(app, text, now);
        return Vec::new();
    }
    if matches!(app.mode, Mode::Ask(_)) {
        ask::paste(app, text, now);
        return Vec::new();
    }
    if matches!(&app.mode, Mode::Disposition(dialog) if dialog.remark.is_some()) {
        remark::paste(app, text, now);
        return Vec::new();
    }
    if matches!(app.mode, Mode::Shape(_)) {
        shape::paste(app, text, now);
        return Vec::new();
    }
    if matches!(app.mode, Mode::Line(_)) {
        find::paste(app, text, now);
        return Vec::new();
    }
    let key = app.settings.keymap.label(Command::Annotate, super::command::Place::Review);
    warn(app, format!("pasted text is ignored here: press {key} to write a note"), now);
    Vec::new()
}

/// Carries out what a person asked for.
fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let mut effects = held::before(app, command, now);
    decide::is_saving(app, &effects);
    effects.extend(carry_out(app, command, now));
    effects
}

fn carry_out(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    if rushed::drops(app, command, now) {
        return Vec::new();
    }
    match command {
        Command::Quit => return quit(app),
        Command::Suspend => {
            let mut effects = note::keep_draft(app);
            effects.extend(begun::keep(app));
            effects.push(Effect::Terminal(TerminalEffect::Suspend));
            return effects;
        }
        _ => {}
    }
    let records = command.records_in(app.place()) || command.records_in(Place::Review);
    if app.saving.is_some() && (records || command.builds_on_saved()) {
        if early::waits_for_the_judge(app, command, now) {
            return Vec::new();
        }
        dropped(app, STILL_SAVING, now);
        unheard::dropped(app, command, now);
        unheard::missed(app, command, now);
        return Vec::new();
    }
    if finding::drops(app, command, now)
        || in_view::drops(app, command, now)
        || question::drops(app, command, now)
        || unheard::misses(app, command, now)
    {
        return Vec::new();
    }
    if !unheard::rules(command) {
        unheard::answered(app);
    }
    match &app.mode {
        Mode::Normal if app.place() == Place::Screen => screens::run(app, command, now),
        Mode::Normal if matches!(command, Command::Undo | Command::Redo) => undo::ask(app, command, now),
        Mode::Normal => review::run(app, command, now),
        Mode::Override(_) => override_menu::run(app, command, now),
        Mode::Spans(_) => spans::run(app, command, now),
        Mode::Shape(_) => shape::run(app, command, now),
        Mode::Note(_) => note::run(app, command, now),
        Mode::Line(_) => find::run(app, command, now),
        Mode::Palette(_) => palette::run(app, command, now),
        Mode::Ask(_) => ask::run(app, command, now),
        Mode::Many(_) => marks::run(app, command, now),
        Mode::Reason(_) | Mode::Why(_) => {
            close(app);
            Vec::new()
        }
        Mode::Disposition(_) => disposition::run(app, command, now),
        Mode::Exchanges(_) => exchanges::run(app, command),
        Mode::Story(_) => story::run(app, command),
        Mode::Help { .. } => {
            help::run(app, command);
            Vec::new()
        }
    }
}

/// Leaves nothing behind: the draft is stored and the claim given back.
pub(super) fn quit(app: &mut App) -> Vec<Effect> {
    let mut effects = note::keep_draft(app);
    effects.extend(note::send_again(app));
    effects.extend(begun::keep(app));
    if app.held.take().is_some() {
        effects.push(Effect::Release { except: None });
    }
    effects.push(Effect::Terminal(TerminalEffect::Quit));
    app.quitting = true;
    effects
}

fn close(app: &mut App) {
    app.mode = Mode::Normal;
    app.dirty = true;
}

#[cfg(test)]
mod tests;
