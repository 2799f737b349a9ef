//! Making claims: a new one out of words of the answer, two out of one, one out of several.

use std::sync::Arc;

use crossterm::event::KeyEvent;
use tui_textarea::WrapMode;

use crate::domain::ids::ClaimKey;
use crate::domain::shaping::{LONGEST_CLAIM, SetAside, Shape};
use crate::domain::time::Timestamp;
use crate::store::Shaped;
use crate::text::steps;
use crate::tui::app::{App, Mode, Saved};
use crate::tui::command::{Command, Place};
use crate::tui::cursor::{Unit, WordCursor};
use crate::tui::effect::Effect;
use crate::tui::screen;
use crate::tui::shape::{ShapeEditor, Work};
use crate::tui::widget::passage::Scroll;

use super::find::{clean_line, line_area};
use super::{begun, decide, possible, queue};

/// Why claims cannot be made now, as far as the screen can tell.
pub(super) fn hindrance(app: &App, command: Command, now: Timestamp) -> Option<String> {
    let detail = app.detail()?;
    if command == Command::AddClaim {
        let is_blank = !detail.record.answer.contains(char::is_alphanumeric);
        return possible::disposed(app)
            .or_else(|| is_blank.then(|| "the answer has no words to choose from".to_owned()));
    }
    // What takes the place of a claim changes the answer that was blocked.
    if let Some(why) = possible::disposed(app)
        .or_else(|| possible::decided_elsewhere(app, Command::Override, now))
        .or_else(|| detail.gone.clone())
    {
        return Some(why);
    }
    if command == Command::SplitClaim {
        let is_one_word = crate::tui::shape::cuts(&detail.claim_text).is_empty();
        return is_one_word.then(|| "the claim is one word: there is nothing to cut".to_owned());
    }
    let audit_id = &detail.record.audit_id;
    if let Some(other) = app.marks.rows.iter().find(|row| row.id.audit_id() != audit_id) {
        return Some(format!(
            "{} is marked and of another answer than {}: only claims of one answer merge",
            other.id, detail.id
        ));
    }
    (detail.siblings.len() < 2).then(|| "the answer has no other claim to merge with".to_owned())
}

/// Begins to make claims out of the one under the cursor, or of its answer.
pub(super) fn open(app: &mut App, command: Command, now: Timestamp) {
    let may = if command == Command::AddClaim {
        decide::is_seen(app, command, now)
    } else {
        decide::may_decide(app, command, now)
    };
    let Some(detail) = app.detail().map(Arc::clone).filter(|_| may) else { return };
    if let Some(why) = hindrance(app, command, now) {
        return super::warn(app, why, now);
    }
    let marked: Vec<ClaimKey> = app.marks.rows.iter().map(|row| row.key).collect();
    let editor = match command {
        Command::AddClaim => Some(ShapeEditor::add(detail)),
        Command::SplitClaim => ShapeEditor::split(detail),
        _ => ShapeEditor::merge(detail, &marked),
    };
    let Some(mut editor) = editor else { return };
    let (claim, kind) = (editor.detail.key, editor.kind());
    let before = begun::found(&editor.detail, kind).map(str::to_owned);
    let words = before.as_ref().and_then(|text| editor.restore(text));
    if let (Some(text), Some(_)) = (before, &words) {
        app.ours.add(claim, kind, &text);
    }
    editor.words = words.map(|words| words.iter().map(|words| area(words)).collect());
    let is_back = editor.words.is_some();
    app.mode = Mode::Shape(Box::new(editor));
    app.toast = None;
    app.dirty = true;
    if is_back {
        let key = app.settings.keymap.label(Command::TakeBack, app.place());
        super::tell(app, format!("what you had typed is back · {key} takes it off"), now);
    }
    follow(app);
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Mode::Shape(editor) = &mut app.mode else { return Vec::new() };
    if editor.sent {
        return Vec::new();
    }
    app.dirty = true;
    editor.error = None;
    if !matches!(command, Command::Accept | Command::ApplyLine) {
        editor.warned = false;
        editor.over.clear();
    }
    let refused = match command {
        Command::Accept | Command::ApplyLine => return accept(app, now),
        Command::Cancel => {
            return cancel(app, now);
        }
        Command::LeaveLine => {
            editor.typing = None;
            None
        }
        Command::NextField => {
            editor.typing = editor.typing.map(|at| (at + 1) % editor.count());
            None
        }
        Command::TypeWords => begin_to_type(editor).err(),
        Command::TakeBack => {
            let had = editor.words.take().is_some();
            (!had).then(|| "nothing was typed in place of the claim's own words".to_owned())
        }
        _ => moved(app, command),
    };
    super::clear(app);
    if let Some(why) = refused {
        super::warn(app, why, now);
    }
    follow(app);
    Vec::new()
}

/// From the own words of the text to words that the person types.
fn begin_to_type(editor: &mut ShapeEditor) -> Result<(), String> {
    if editor.words.is_none() {
        let own = editor.own().map_err(|error| error.to_string())?;
        // The word under the cursor is a place, not a choice of words.
        let is_one_word = matches!(editor.work, Work::Add { .. })
            && own.iter().all(|claim| {
                let first = steps::next_word(&claim.claim_text, 0);
                first.is_none_or(|first| steps::next_word(&claim.claim_text, first.end).is_none())
            });
        let words = own.iter().map(|claim| if is_one_word { "" } else { claim.claim_text.as_str() });
        editor.words = Some(words.map(area).collect());
    }
    editor.typing = Some(0);
    Ok(())
}

fn area(text: &str) -> tui_textarea::TextArea<'static> {
    let (clean, _) = clean_line(text);
    let mut area = line_area(&clean);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area
}

/// Chooses another place, or other claims; says why not.
fn moved(app: &mut App, command: Command) -> Option<String> {
    let Mode::Shape(editor) = &mut app.mode else { return None };
    // Words that were typed for one cut say nothing about another.
    if editor.words.is_some()
        && !matches!(editor.work, Work::Add { .. })
        && !matches!(command, Command::Up | Command::Down)
    {
        let key = app.settings.keymap.label(Command::TakeBack, Place::Split);
        return Some(format!("the words were typed anew: {key} brings the text's own back first"));
    }
    let answer = Arc::clone(&editor.detail.record);
    let answer = answer.answer.as_str();
    let last = editor.detail.siblings.len().saturating_sub(1);
    editor.is_placed |= matches!(editor.work, Work::Add { .. });
    match (&mut editor.work, command) {
        (Work::Add { .. }, Command::PageDown | Command::PageUp) => page(app, command == Command::PageDown),
        (Work::Add { cursor, .. }, _) => step(cursor, answer, command),
        (Work::Split { cuts, at }, Command::NextWord) => *at = (*at + 1).min(cuts.len().saturating_sub(1)),
        (Work::Split { at, .. }, Command::PreviousWord) | (Work::Merge { at, .. }, Command::Up) => {
            *at = at.saturating_sub(1);
        }
        (Work::Split { cuts, at }, Command::NextCut | Command::PreviousCut) => {
            let is_good = |at: &usize| cuts[*at].rank > 0;
            let found = if command == Command::NextCut {
                (*at + 1..cuts.len()).chain(0..*at).find(is_good)
            } else {
                (0..*at).rev().chain((*at + 1..cuts.len()).rev()).find(is_good)
            };
            match found {
                Some(place) => *at = place,
                None => return Some("no other place looks like the border of two statements".to_owned()),
            }
        }
        (Work::Merge { at, .. }, Command::Down) => *at = (*at + 1).min(last),
        (Work::Merge { taken, at }, Command::TakeClaim) => {
            if let Some(taken) = taken.get_mut(*at) {
                *taken = !*taken;
            }
        }
        _ => {}
    }
    None
}

/// Moves `cursor` as `command` says.
pub(super) fn step(cursor: &mut WordCursor, text: &str, command: Command) {
    match command {
        Command::NextWord => cursor.step(text, Unit::Word, true, false),
        Command::PreviousWord => cursor.step(text, Unit::Word, false, false),
        Command::NextSentence => cursor.step(text, Unit::Sentence, true, false),
        Command::PreviousSentence => cursor.step(text, Unit::Sentence, false, false),
        Command::TakeNextWord => cursor.step(text, Unit::Word, true, true),
        Command::TakePreviousWord => cursor.step(text, Unit::Word, false, true),
        Command::TakeNextSentence => cursor.step(text, Unit::Sentence, true, true),
        Command::TakePreviousSentence => cursor.step(text, Unit::Sentence, false, true),
        Command::Stretch => cursor.toggle_stretch(),
        Command::TakeSentence => cursor.take_sentence(text),
        Command::FirstLine => cursor.go_to(text, 0),
        Command::LastLine => cursor.go_to(text, usize::MAX),
        _ => {}
    }
}

/// Moves the cursor by a page less one line; at either end to the first or the last word.
fn page(app: &mut App, down: bool) {
    let top = screen::shape::turned(app, down);
    let Mode::Shape(editor) = &mut app.mode else { return };
    let record = Arc::clone(&editor.detail.record);
    let Work::Add { cursor, scroll } = &mut editor.work else { return };
    if let Some(top) = top {
        *scroll = Scroll::From(top);
    }
    cursor.go_to(&record.answer, top.unwrap_or(if down { usize::MAX } else { 0 }));
}

/// Keeps the cursor in view.
fn follow(app: &mut App) {
    let found = screen::shape::following(app);
    if let (Mode::Shape(editor), Some(found)) = (&mut app.mode, found)
        && let Work::Add { scroll, .. } = &mut editor.work
    {
        *scroll = found;
    }
}

/// Lets go of a stretch; else closes.
fn cancel(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Mode::Shape(editor) = &mut app.mode else { return Vec::new() };
    if let Work::Add { cursor, .. } = &mut editor.work
        && cursor.anchor.take().is_some()
    {
        return Vec::new();
    }
    let command = match &editor.work {
        Work::Add { .. } => Command::AddClaim,
        Work::Split { .. } => Command::SplitClaim,
        Work::Merge { .. } => Command::MergeClaims,
    };
    super::clear(app);
    let key = app.settings.keymap.label(command, Place::Review);
    let effects = begun::left(app, &key, now);
    super::close(app);
    effects
}

/// Asks the store to make them. It stays open until the store has answered.
fn accept(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Mode::Shape(editor) = &mut app.mode else { return Vec::new() };
    if editor.typed_place() == Some(None) && !editor.warned && editor.made().is_ok() {
        editor.warned = true;
        let key = key_again(app);
        super::warn(app, format!("not in the answer: {key} again adds it to the answer as a whole"), now);
        return Vec::new();
    }
    match editor.shape() {
        Ok(shape) => {
            editor.sent = true;
            let seen = Some(editor.detail.seen.clone());
            let audit_id = editor.detail.record.audit_id.clone();
            let over = editor.over.clone();
            let finished = app.ours.draft(editor.detail.key, editor.kind());
            vec![Effect::Shape { shape, audit_id, seen, over, finished }]
        }
        Err(why) => {
            super::warn(app, why, now);
            Vec::new()
        }
    }
}

/// The store says whose rulings on what is replaced would not count any more, the person's own too.
pub(super) fn sets_aside(app: &mut App, shape: &Shape, rulings: &[SetAside], now: Timestamp) -> Vec<Effect> {
    let key = key_again(app);
    let Mode::Shape(editor) = &mut app.mode else { return Vec::new() };
    let (those, makes) = match (rulings, shape) {
        ([_], Shape::Split { .. }) => ("that", "splits"),
        ([_], _) => ("that", "merges"),
        (_, Shape::Split { .. }) => ("those", "splits"),
        _ => ("those", "merges"),
    };
    let text = format!("{} · {key} again sets {those} aside and {makes}", SetAside::said(rulings));
    editor.sent = false;
    editor.over = rulings.iter().map(|one| one.seq).collect();
    // It stands there until something else is done.
    editor.error = Some(text.clone());
    super::warn(app, text, now);
    Vec::new()
}

/// The key that makes it.
fn key_again(app: &App) -> String {
    let place = app.place();
    let command = if place == Place::Words { Command::ApplyLine } else { Command::Accept };
    app.settings.keymap.label(command, place)
}

/// A key of the text itself.
pub(super) fn input(app: &mut App, event: KeyEvent, now: Timestamp) {
    let Mode::Shape(editor) = &mut app.mode else { return };
    let Some(words) = editor.typing.and_then(|at| editor.words.as_mut()?.get_mut(at)) else { return };
    if editor.sent {
        return;
    }
    super::find::edit(words, event);
    changed(app, now);
}

/// Text from the clipboard goes where the caret is, as one line.
pub(super) fn paste(app: &mut App, text: &str, now: Timestamp) {
    let Mode::Shape(editor) = &mut app.mode else { return };
    let Some(words) = editor.typing.and_then(|at| editor.words.as_mut()?.get_mut(at)) else {
        let key = app.settings.keymap.label(Command::TypeWords, app.place());
        return super::warn(app, format!("pasted text is ignored here: press {key} to type the claim"), now);
    };
    let (clean, dropped) = clean_line(text);
    words.insert_str(clean);
    changed(app, now);
    if dropped > 0 {
        super::warn(app, format!("{dropped} unseen characters of the text were left out"), now);
    }
}

fn changed(app: &mut App, now: Timestamp) {
    let Mode::Shape(editor) = &mut app.mode else { return };
    app.dirty = true;
    editor.error = None;
    editor.warned = false;
    editor.over.clear();
    let Some(words) = editor.typing.and_then(|at| editor.words.as_mut()?.get_mut(at)) else { return };
    let mut text = words.lines().join(" ");
    let is_long = text.len() > LONGEST_CLAIM;
    if is_long {
        text.truncate(text.floor_char_boundary(LONGEST_CLAIM));
    }
    if is_long || words.lines().len() > 1 {
        *words = area(&text);
    }
    if is_long {
        super::warn(app, format!("a claim has at most {LONGEST_CLAIM} bytes: the rest was left out"), now);
    }
}

/// What was to be made, as a noun.
const fn shape_of(shape: &Shape) -> &'static str {
    match shape {
        Shape::Add { .. } => "new claim",
        Shape::Split { .. } => "split",
        Shape::Merge { .. } => "merge",
    }
}

/// The store's answer: the cursor goes to what was made.
pub(super) fn shaped(
    app: &mut App,
    shape: &Shape,
    result: Result<Box<Shaped>, String>,
    now: Timestamp,
) -> Vec<Effect> {
    let shaped = match result {
        Ok(shaped) => shaped,
        Err(why) => {
            if let Mode::Shape(editor) = &mut app.mode {
                editor.sent = false;
                editor.error = Some(why.clone());
            }
            super::fail(app, format!("{} not saved: {why}", shape_of(shape)));
            return Vec::new();
        }
    };
    if let Mode::Shape(editor) = &app.mode {
        let (claim, kind) = (editor.detail.key, editor.kind());
        super::close(app);
        begun::finished(app, claim, kind);
    }
    app.acted = true;
    app.last_decision = app.last_decision.take().filter(|last| !replaced(shape).contains(&last.claim));
    app.pace.pause(now);
    if matches!(shape, Shape::Merge { .. }) {
        app.marks.clear();
    }
    let made: Vec<String> = shaped.made.iter().map(|(_, id)| id.to_string()).collect();
    let what = match shape {
        Shape::Add { .. } => "new claim",
        Shape::Split { .. } => "split",
        Shape::Merge { .. } => "merged",
    };
    let event = shaped.events.last().map(|event| event.seq);
    app.saved = Some(Saved { subject: made.join(", "), event, what: what.to_owned(), ruling: None, at: now });
    let mut effects = Vec::new();
    if let Some((first, _)) = shaped.made.first() {
        effects.extend(queue::select(app, *first, now));
    }
    effects.extend(queue::load(app));
    effects.push(Effect::CountAnswers);
    let undo = app.settings.keymap.label(Command::Undo, Place::Review);
    let wait = if made.len() == 1 { "waits" } else { "wait" };
    super::tell(app, format!("{} {wait} for a verdict · {undo} takes it back", made.join(", ")), now);
    effects
}

/// The claims in whose place others stand.
fn replaced(shape: &Shape) -> &[ClaimKey] {
    match shape {
        Shape::Add { .. } => &[],
        Shape::Split { claim, .. } => std::slice::from_ref(claim),
        Shape::Merge { claims, .. } => claims,
    }
}
