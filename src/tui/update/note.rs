//! The note that is being written, and its draft.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Style;
use tui_textarea::{CursorMove, TextArea, WrapMode};

use crate::domain::decision::{MAX_NOTE, Request};
use crate::domain::draft::DraftKind;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::time::Timestamp;
use crate::text::sanitize::without_unseen;
use crate::tui::app::{App, Detail, Mode, NoteEditor, Unkept};
use crate::tui::command::{Command, Place};
use crate::tui::effect::{Effect, TerminalEffect};
use crate::tui::message::Edited;

use super::deadline::DRAFT;
use super::{begun, decide, went_on};

/// Time between two attempts to store a draft that the store would not take.
const AGAIN: Duration = Duration::from_secs(3);

/// Opens the note on the claim under the cursor, with the draft if there is one.
pub(super) fn open(app: &mut App, now: Timestamp) {
    let Some(detail) = app.detail() else {
        let text = not_here(app);
        super::warn(app, text, now);
        return;
    };
    let (claim, draft) = (detail.key, detail.draft.clone().unwrap_or_default());
    let mut editor = NoteEditor {
        claim,
        id: detail.id.clone(),
        claim_text: detail.claim_text.clone(),
        text: area(&draft),
        stored: draft,
        due: None,
        sent: None,
        error: None,
        seen: Some(detail.seen.clone()),
    };
    if let Some(at) = app.unkept.iter().position(|left| left.claim == claim) {
        let left = app.unkept.remove(at);
        editor.text = area(&left.text);
        editor.stored.clear();
        editor.due = Some(now.plus(DRAFT));
    }
    if !editor.stored.is_empty() {
        app.ours.add(claim, DraftKind::Note, &editor.stored);
    }
    app.mode = Mode::Note(Box::new(editor));
    app.toast = None;
    app.dirty = true;
}

/// Why no note can be begun, with what was just saved where the next claim is not there yet.
fn not_here(app: &App) -> String {
    let Some(claim) = app.claim.as_ref().filter(|claim| matches!(claim.detail, Detail::Loading)) else {
        return "there is no claim here to write about".to_owned();
    };
    let done = app.went_on.as_ref().filter(|went_on| went_on.to == claim.key);
    let done = done.map_or(String::new(), |went_on| format!("{} is saved · ", went_on.from.id));
    format!("{done}not yet: the next claim is being read")
}

fn area(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
    area.set_cursor_line_style(Style::default());
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.move_cursor(CursorMove::Bottom);
    area.move_cursor(CursorMove::End);
    area
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Mode::Note(editor) = &mut app.mode else { return Vec::new() };
    app.dirty = true;
    match command {
        _ if editor.sent.is_some() => {
            super::warn(app, "dropped: the note is still being saved", now);
            Vec::new()
        }
        Command::SaveNote => save(app, now),
        Command::OtherClaim => went_on::swap(app, now),
        Command::OpenEditor => {
            let mut effects = keep_draft(app);
            effects.push(Effect::Terminal(TerminalEffect::OpenEditor));
            effects
        }
        _ => {
            let has_text = !editor.content().trim().is_empty();
            let effects = keep_draft(app);
            for effect in &effects {
                if let Effect::SaveDraft { draft, text } = effect {
                    // Opened again at once, it is what is on its way.
                    show_draft(app, draft.claim, text.clone());
                }
            }
            super::close(app);
            // What the store has still to take is called kept when it has taken it.
            if has_text && effects.is_empty() {
                super::tell(app, "the draft is kept", now);
            }
            effects
        }
    }
}

/// Asks the store to keep the note. The editor stays open until the store has it.
fn save(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Mode::Note(editor) = &mut app.mode else { return Vec::new() };
    // Only a whole text tells which of the hidden characters that were typed do work in it. What is saved was
    // seen before as it is.
    let Clean { text: note, loss } = Clean::of(&editor.content(), MAX_NOTE);
    if let Some(loss) = loss {
        editor.text = area(&note);
        changed(app, now);
        let key = app.settings.keymap.label(Command::SaveNote, Place::Note);
        super::warn(app, format!("{loss}: {key} again saves the rest"), now);
        return Vec::new();
    }
    if note.trim().is_empty() {
        editor.error = Some("a note needs some text".to_owned());
        return Vec::new();
    }
    editor.error = None;
    // The note takes the place of the draft: one that came after it would bring it back.
    editor.due = None;
    editor.sent = Some(note.clone());
    let (claim, id, seen) = (editor.claim, editor.id.clone(), editor.seen.clone());
    let effect = decide::effect_seen(app, claim, id, Request::Annotate { note }, seen);
    vec![decide::finishing(app, effect, DraftKind::Note)]
}

/// A key of the text itself.
pub(super) fn input(app: &mut App, event: KeyEvent, now: Timestamp) -> Vec<Effect> {
    let Mode::Note(editor) = &mut app.mode else { return Vec::new() };
    // A terminal that does not mark pastes sends their line feeds as Ctrl-J.
    if event.code == KeyCode::Char('j') && event.modifiers == KeyModifiers::CONTROL {
        editor.text.insert_newline();
    } else {
        editor.text.input(event);
    }
    if editor.content().len() > MAX_NOTE {
        editor.text.undo();
        super::warn(app, too_long(), now);
    }
    changed(app, now);
    Vec::new()
}

/// Text from the clipboard goes where the caret is.
pub(super) fn paste(app: &mut App, text: &str, now: Timestamp) -> Vec<Effect> {
    let Mode::Note(editor) = &mut app.mode else { return Vec::new() };
    let clean = Clean::of(text, MAX_NOTE.saturating_sub(editor.content().len()));
    editor.text.insert_str(&clean.text);
    if let Some(loss) = clean.loss {
        super::warn(app, loss, now);
    }
    changed(app, now);
    Vec::new()
}

/// Text from outside as it may stand in a note.
struct Clean {
    text: String,
    /// What was left out, in a sentence.
    loss: Option<String>,
}

impl Clean {
    /// Line ends become line feeds, what nobody could see stays outside, and so does what is over `room` bytes.
    fn of(text: &str, room: usize) -> Self {
        let unified = text.replace("\r\n", "\n").replace('\r', "\n");
        let (mut text, dropped) = without_unseen(&unified);
        let mut loss =
            (dropped > 0).then(|| format!("{dropped} unseen characters of the text were left out"));
        if text.len() > room {
            text.truncate(text.floor_char_boundary(room));
            loss = Some(too_long());
        }
        Self { text, loss }
    }
}

fn too_long() -> String {
    format!("a note holds {} KiB: the rest was left out", MAX_NOTE / 1024)
}

fn changed(app: &mut App, now: Timestamp) {
    let Mode::Note(editor) = &mut app.mode else { return };
    app.dirty = true;
    if editor.sent.is_some() || editor.content() == editor.stored {
        editor.due = None;
    } else {
        editor.error = None;
        editor.due.get_or_insert(now.plus(DRAFT));
    }
}

/// Stores the draft when it is due, and tries again what the store would not take.
pub(super) fn draft_due(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let mut effects = match &app.mode {
        Mode::Note(editor) if editor.due.is_some_and(|due| due <= now) => keep_draft(app),
        _ => Vec::new(),
    };
    if app.unkept.iter().any(|left| left.due <= now) {
        for left in &mut app.unkept {
            left.due = now.plus(AGAIN);
        }
        effects.extend(send_again(app));
    }
    effects
}

/// Asks the store once more to keep what it would not take.
pub(super) fn send_again(app: &mut App) -> Vec<Effect> {
    let left: Vec<_> = app.unkept.iter().map(|left| (left.claim, left.text.clone())).collect();
    left.into_iter().map(|(claim, text)| begun::sending(app, claim, DraftKind::Note, Some(text))).collect()
}

/// Stores the draft now, if it differs from what the store has. While the note itself is on its way, what
/// becomes of the text is decided by the store's answer.
pub(super) fn keep_draft(app: &mut App) -> Vec<Effect> {
    let Mode::Note(editor) = &mut app.mode else { return Vec::new() };
    editor.due = None;
    let text = editor.content();
    if editor.sent.is_some() || text == editor.stored {
        return Vec::new();
    }
    let claim = editor.claim;
    let text = (!text.trim().is_empty()).then_some(text);
    vec![begun::sending(app, claim, DraftKind::Note, text)]
}

/// The store's answer to a draft. What it would not take stays in the editor and is tried again.
pub(super) fn draft_saved(
    app: &mut App,
    claim: ClaimKey,
    text: Option<String>,
    result: Result<(), String>,
    now: Timestamp,
) {
    let has_text = text.is_some();
    let why = match result {
        Ok(()) => {
            if let Some(text) = &text {
                app.ours.stands(claim, DraftKind::Note, text);
                app.unkept.retain(|left| left.claim != claim || left.text != *text);
            }
            if let Mode::Note(editor) = &mut app.mode
                && editor.claim == claim
            {
                editor.stored = text.clone().unwrap_or_default();
            }
            show_draft(app, claim, text);
            if has_text && matches!(app.mode, Mode::Normal) && app.toast.is_none() {
                super::tell(app, "the draft is kept", now);
            }
            return;
        }
        Err(why) => format!("the draft is not stored: {why}"),
    };
    if let Mode::Note(editor) = &mut app.mode
        && editor.claim == claim
    {
        editor.error = Some(why);
        editor.due = Some(now.plus(AGAIN));
        app.dirty = true;
        return;
    }
    // The editor was left, but what was in it is nowhere else. It does not take the keyboard by itself.
    let (Some(text), Some(id)) = (text, id_of(app, claim)) else { return super::fail(app, why) };
    let (before, due) = (app.unkept.len(), now.plus(AGAIN));
    app.unkept.retain(|left| left.claim != claim);
    if app.unkept.len() == before {
        let key = app.settings.keymap.label(Command::Annotate, Place::Review);
        super::fail(app, format!("{why} · tried again; {key} on {id} goes on with it"));
    }
    app.unkept.push(Unkept { claim, id, text, due });
}

/// The id of a claim that was just in hand.
fn id_of(app: &App, claim: ClaimKey) -> Option<ClaimId> {
    let row = app.queue.rows.iter().find(|row| row.key == claim).map(|row| &row.id);
    let went_on =
        app.went_on.as_ref().filter(|went_on| went_on.from.key == claim).map(|went_on| &went_on.from.id);
    let last = app.last_decision.as_ref().filter(|last| last.claim == claim).map(|last| &last.id);
    row.or(went_on).or(last).cloned()
}

/// What the claim in hand shows as its draft.
pub(super) fn show_draft(app: &mut App, claim: ClaimKey, text: Option<String>) {
    if let Some(went_on) = app.went_on.as_mut().filter(|went_on| went_on.from.key == claim) {
        Arc::make_mut(&mut went_on.from).draft.clone_from(&text);
    }
    if let Some(selected) = app.claim.as_mut().filter(|selected| selected.key == claim)
        && let Detail::Ready(detail) = &mut selected.detail
    {
        Arc::make_mut(detail).draft = text;
        app.dirty = true;
    }
}

/// The store has the note, and has forgotten the draft with it. What was typed since stays open as the draft
/// of another note.
pub(super) fn saved(app: &mut App, claim: ClaimKey, now: Timestamp) -> Vec<Effect> {
    if let Some(selected) = app.claim.as_mut().filter(|selected| selected.key == claim)
        && let Detail::Ready(detail) = &mut selected.detail
        && detail.draft.is_some()
    {
        Arc::make_mut(detail).draft = None;
    }
    let Mode::Note(editor) = &mut app.mode else { return Vec::new() };
    if editor.claim != claim {
        return Vec::new();
    }
    let content = editor.content();
    let sent = editor.sent.take().unwrap_or_default();
    editor.stored = String::new();
    let since = content.strip_prefix(&sent).map(str::trim_start);
    if since.unwrap_or(&content).trim().is_empty() {
        super::close(app);
        return Vec::new();
    }
    if let Some(since) = since {
        editor.text = area(since);
    }
    super::tell(app, "the note is saved; what was typed since is a draft of another one", now);
    keep_draft(app)
}

/// The store refused the note: the text stays, and becomes a draft again.
pub(super) fn not_saved(app: &mut App, claim: ClaimKey, why: &str, now: Timestamp) -> Vec<Effect> {
    let Mode::Note(editor) = &mut app.mode else { return Vec::new() };
    if editor.claim != claim {
        return Vec::new();
    }
    editor.sent = None;
    editor.error = Some(format!("not saved: {why}"));
    app.dirty = true;
    if app.quitting {
        return keep_draft(app);
    }
    if editor.content() != editor.stored {
        editor.due = Some(now.plus(DRAFT));
    }
    Vec::new()
}

/// The editor came back. What it wrote is taken over also when it failed.
pub(super) fn edited(app: &mut App, edited: Edited, now: Timestamp) -> Vec<Effect> {
    super::in_view::look_anew(app);
    let Mode::Note(editor) = &mut app.mode else { return Vec::new() };
    app.dirty = true;
    let Some(text) = edited.text else {
        // No error of the note itself: its draft is kept.
        if let Some(why) = edited.trouble {
            super::fail(app, format!("{why}: the note is as it was"));
        }
        return Vec::new();
    };
    let clean = Clean::of(text.trim_end_matches(['\r', '\n']), MAX_NOTE);
    editor.text = area(&clean.text);
    let trouble = edited.trouble.map(|why| format!("{why}: what it wrote is here"));
    if let Some(why) =
        clean.loss.into_iter().chain(trouble).reduce(|loss, trouble| format!("{loss}; {trouble}"))
    {
        super::fail(app, why);
    }
    changed(app, now);
    keep_draft(app)
}
