//! Marking claims, and acting on all that are marked.

use crate::domain::decision::{Disposition, HumanVerdict, Request};
use crate::domain::event::Event;
use crate::domain::ids::ClaimKey;
use crate::domain::queue::QueueRow;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Severity;
use crate::store::Batched;
use crate::tui::app::{App, Mode, Saved, ToastKind};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::marks::{Against, MOST, ManyDialog, Together};
use crate::tui::screens::ScreenName;

use super::{ask, override_menu, queue, same};

/// A frame was drawn: the rows on it are in view.
pub(super) fn drawn(app: &mut App, now: Timestamp) {
    if matches!(app.mode, Mode::Normal) && app.screen() == ScreenName::Queue && !app.geometry.too_small {
        let height = usize::from(app.geometry.queue.height);
        let shown = app.claims_in_view(app.first_shown(height), height);
        app.marks.drawn(&shown, app.settings.min_visible, now);
    }
}

/// Marks the claim under the cursor, or takes the mark off, and goes on.
pub(super) fn toggle(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Some(row) = app.selected_row().map(|row| app.queue.rows[row].clone()) else {
        super::warn(app, "there is no claim here", now);
        return Vec::new();
    };
    if app.marks.has(row.key) {
        app.marks.rows.retain(|marked| marked.key != row.key);
    } else if let Err(why) = mark(app, row, now) {
        match why {
            Unmarked::Unseen => {
                let least = app.settings.min_visible.as_millis();
                super::dropped(app, &format!("a row must be in view for {least} ms to be marked"), now);
            }
            Unmarked::Full => super::warn(app, full(), now),
        }
        return Vec::new();
    }
    app.dirty = true;
    queue::move_by(app, 1, now)
}

enum Unmarked {
    Unseen,
    Full,
}

fn full() -> String {
    format!("at most {MOST} claims can be marked: act on these first")
}

fn mark(app: &mut App, row: QueueRow, now: Timestamp) -> Result<(), Unmarked> {
    if app.marks.has(row.key) {
        return Ok(());
    }
    if app.marks.rows.len() >= MOST {
        return Err(Unmarked::Full);
    }
    if !app.marks.was_seen(row.key, app.settings.min_visible, now) {
        return Err(Unmarked::Unseen);
    }
    app.marks.rows.push(row);
    Ok(())
}

/// Begins a range at the cursor, or ends it there: all between is marked that was in view.
pub(super) fn range(app: &mut App, now: Timestamp) {
    let Some(here) = app.selected_row() else { return super::warn(app, "there is no claim here", now) };
    let key = app.settings.keymap.label(Command::MarkRange, Place::Review);
    let Some(begin) = app.marks.range.take() else {
        app.marks.range = Some(app.queue.rows[here].key);
        app.dirty = true;
        return super::tell(app, format!("a range begins here: go to its end, then {key}"), now);
    };
    app.dirty = true;
    let Some(begin) = app.queue.rows.iter().position(|row| row.key == begin) else {
        return super::warn(
            app,
            format!("where the range began is not in the list any more: {key} begins anew"),
            now,
        );
    };
    let rows = app.queue.rows[begin.min(here)..=begin.max(here)].to_vec();
    let (all, mut unseen, mut over) = (rows.len(), 0, false);
    for row in rows {
        match mark(app, row, now) {
            Ok(()) => {}
            Err(Unmarked::Unseen) => unseen += 1,
            Err(Unmarked::Full) => over = true,
        }
    }
    match (over, unseen) {
        (true, _) => super::warn(app, full(), now),
        (false, 0) => super::tell(app, format!("{all} in the range are marked"), now),
        (false, _) => {
            super::warn(
                app,
                format!("{unseen} of {all} are not marked: they were not in view long enough"),
                now,
            );
        }
    }
}

pub(super) const NOTHING_MARKED: &str = "no claim is marked";

/// What was ruled against together, where nothing was saved since.
pub(super) fn against(app: &App) -> Option<&Against> {
    let saved = app.saved.as_ref()?.event?;
    app.marks.against.as_ref().filter(|against| against.event == saved)
}

/// The claims of `done` whose answers can still go out, where people ruled `together` against them.
fn ruled_against(app: &App, together: &Together, done: &Batched) -> Option<Against> {
    let Together::Rule(verdict @ (HumanVerdict::Contradicted | HumanVerdict::Unsupported)) = together else {
        return None;
    };
    let severity = |row: &QueueRow| {
        let id = row.id.to_string();
        let event = done.events.iter().find(|event| event.subject == id)?;
        Some(event.ruling().and_then(|ruling| ruling.severity))
    };
    let rows: Vec<QueueRow> = app
        .marks
        .rows
        .iter()
        .filter(|row| !row.blocked)
        .filter_map(|row| {
            let ruled_severity = severity(row)?;
            Some(QueueRow { rulings: vec![*verdict], ruled_severity, ..row.clone() })
        })
        .collect();
    let event = done.events.last()?.seq;
    (!rows.is_empty()).then_some(Against { event, rows })
}

/// `16 answers can still go out: A b blocks them`; empty where none can.
fn can_go_out(app: &App) -> String {
    let Some(against) = &app.marks.against else { return String::new() };
    let (act, block) = (
        app.settings.keymap.label(Command::ActOnMarked, Place::Review),
        app.settings.keymap.label(Command::Block, Place::Many),
    );
    match against.answers() {
        1 => format!(" · 1 answer can still go out: {act} {block} blocks it"),
        some => format!(" · {some} answers can still go out: {act} {block} blocks them"),
    }
}

/// Asks what is to be done to the marked claims.
pub(super) fn open(app: &mut App, now: Timestamp) {
    if app.marks.range.is_some() {
        range(app, now);
    }
    if app.marks.rows.is_empty() {
        let Some(rows) = against(app).map(|against| against.rows.clone()) else {
            return super::warn(app, NOTHING_MARKED, now);
        };
        app.marks.rows = rows;
        app.marks.are_against = true;
    }
    // As they stand now, where they are still in the list.
    for row in &app.queue.rows {
        if let Some(marked) = app.marks.rows.iter_mut().find(|marked| marked.key == row.key) {
            marked.clone_from(row);
        }
    }
    if app.marks.rows.iter().all(|row| app.is_out_of_view(row)) {
        let key = app.settings.keymap.label(Command::Filter, Place::Review);
        let many = counted(app.marks.rows.len());
        let text = format!("{many} marked, none of this list: {key} and an empty line show the whole queue");
        return super::warn(app, text, now);
    }
    app.mode = Mode::Many(ManyDialog { chosen: None, at: now, sent: false });
    app.toast = None;
    app.dirty = true;
}

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Mode::Many(dialog) = &mut app.mode else { return Vec::new() };
    if dialog.sent {
        return Vec::new();
    }
    app.dirty = true;
    if dialog.chosen.is_some() && !matches!(command, Command::Accept | Command::Cancel) {
        // What is asked is answered: another act in its place would be recorded by the Enter that was meant for this one.
        let [does, back] =
            [Command::Accept, Command::Cancel].map(|command| app.settings.keymap.label(command, Place::Many));
        super::warn(app, format!("nothing was changed: {does} does it, {back} goes back to the choice"), now);
        return Vec::new();
    }
    let chosen = match command {
        Command::Confirm => Together::Confirm,
        Command::Skip => Together::Skip,
        Command::Flag => Together::Flag,
        Command::Block | Command::Return => {
            let disposition =
                if command == Command::Block { Disposition::Block } else { Disposition::Return };
            let about = counted(app.marks.rows.len());
            ask::why_for_many(app, disposition, about, now);
            return Vec::new();
        }
        Command::Escalate | Command::Defer => {
            let about = counted(app.marks.rows.len());
            ask::open_for_many(app, command, about, now);
            return Vec::new();
        }
        Command::Accept => return accept(app, now),
        Command::Cancel if dialog.chosen.is_some() => {
            dialog.chosen = None;
            return Vec::new();
        }
        other => {
            let Some(verdict) = override_menu::verdict_of(other) else {
                same::left(app);
                super::close(app);
                return Vec::new();
            };
            Together::Rule(verdict)
        }
    };
    choose(app, chosen, now);
    Vec::new()
}

/// What is to be done is known: the last word is asked for.
pub(super) fn choose(app: &mut App, chosen: Together, now: Timestamp) {
    app.mode = Mode::Many(ManyDialog { chosen: Some(chosen), at: now, sent: false });
    app.dirty = true;
}

/// `1 claim`, `7 claims`.
pub(super) fn counted(count: usize) -> String {
    if count == 1 { "1 claim".to_owned() } else { format!("{count} claims") }
}

/// The last word.
fn accept(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Mode::Many(dialog) = &mut app.mode else { return Vec::new() };
    let Some(together) = dialog.chosen.clone() else { return Vec::new() };
    let possible = |row: &&QueueRow| app.hindrance(&together, row, now).is_none();
    let claims: Vec<ClaimKey> = app.marks.rows.iter().filter(possible).map(|row| row.key).collect();
    let Mode::Many(dialog) = &mut app.mode else { return Vec::new() };
    if claims.is_empty() {
        super::warn(app, "it is possible for none of them", now);
        return Vec::new();
    }
    dialog.sent = true;
    vec![Effect::DecideMany { claims, together }]
}

/// The claims to all of which a reason can be given now.
fn ruled(app: &App, together: &Together, done: &Batched) -> Vec<ClaimKey> {
    if !matches!(together, Together::Confirm | Together::Rule(_)) {
        return Vec::new();
    }
    let is_done = |row: &&QueueRow| done.events.iter().any(|event| row.id.to_string() == event.subject);
    app.marks.rows.iter().filter(is_done).map(|row| row.key).collect()
}

/// The severities that were recorded, the worst first: `: 2 CRITICAL, 1 HIGH`; empty where there are none.
fn graded(done: &Batched) -> String {
    let of = |severity| {
        let has = |event: &&Event| event.ruling().and_then(|ruling| ruling.severity) == Some(severity);
        let count = done.events.iter().filter(has).count();
        (count > 0).then(|| format!("{count} {severity}"))
    };
    let counts: Vec<String> = Severity::ALL.iter().rev().filter_map(|severity| of(*severity)).collect();
    if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) }
}

/// The store's answer.
pub(super) fn decided(
    app: &mut App,
    together: &Together,
    result: Result<Batched, String>,
    now: Timestamp,
) -> Vec<Effect> {
    if matches!(app.mode, Mode::Many(_)) {
        super::close(app);
    }
    let done = match result {
        Ok(done) => done,
        Err(why) => {
            let typed = (app.marks.note.take(), app.marks.why.take());
            same::left(app);
            (app.marks.note, app.marks.why) = typed;
            super::fail(app, format!("nothing saved on the marked claims: {why}"));
            return Vec::new();
        }
    };
    if !matches!(together, Together::Asked(Request::GiveReason(_))) {
        app.marks.ruled = ruled(app, together, &done);
        app.marks.against = ruled_against(app, together, &done);
        // What was not in view was not acted on.
        let left: Vec<QueueRow> =
            app.marks.rows.iter().filter(|row| app.is_out_of_view(row)).cloned().collect();
        same::left(app);
        app.marks.clear();
        app.marks.rows = left;
        app.went_on = None;
    }
    app.acted = !done.events.is_empty() || app.acted;
    let is_of = |id: &str| done.events.iter().any(|event| event.subject == id);
    app.to_dispose.take_if(|waiting| is_of(waiting.record.audit_id.as_str()));
    app.pace.pause(now);
    if matches!(together, Together::Confirm | Together::Rule(_)) {
        app.pace.session += done.events.len() as u64;
    }
    let many = match (together, done.events.len()) {
        (Together::Dispose { .. }, 1) => "1 answer".to_owned(),
        (Together::Dispose { .. }, answers) => format!("{answers} answers"),
        (_, claims) => counted(claims),
    };
    let what = match together {
        Together::Confirm => "confirmed".to_owned(),
        Together::Rule(HumanVerdict::CannotJudge) => "ruled CANNOT_JUDGE".to_owned(),
        Together::Rule(verdict) => format!("ruled {verdict}"),
        Together::Skip => "skipped".to_owned(),
        Together::Flag => "flagged".to_owned(),
        Together::Dispose { disposition, .. } => disposition.done().to_owned(),
        Together::Asked(_) => done.events.first().map_or(String::new(), super::decide::what_was_done),
    };
    let undo = app.settings.keymap.label(Command::Undo, Place::Review);
    let loses_words = done.unchanged > 0 && matches!(together, Together::Dispose { note: Some(_), .. });
    let lost = if loses_words { ": your words are not kept there" } else { "" };
    let unchanged = match done.unchanged {
        0 => String::new(),
        1 => format!(", 1 was so already{lost}"),
        some => format!(", {some} were so already{lost}"),
    };
    // Where nothing was done there is nothing to take back.
    let text = match done.events.last() {
        Some(last) => {
            let (subject, event) = (many.clone(), Some(last.seq));
            app.saved = Some(Saved { subject, event, what: what.clone(), ruling: None, at: now });
            // A reason given next is not meant for what was decided before these.
            if matches!(together, Together::Confirm | Together::Rule(_)) {
                app.last_decision = None;
            }
            let out = can_go_out(app);
            format!("{many} {what}{}{unchanged}{out} · {undo} takes all of it back", graded(&done))
        }
        None => format!("nothing was done{unchanged}"),
    };
    app.dirty = true;
    // What is blocked waits for nobody.
    let is_block = matches!(together, Together::Dispose { disposition: Disposition::Block, .. });
    let leaves = !together.is_flag() || is_block;
    let is_done = |row: &QueueRow| {
        let id = if is_block { row.id.audit_id().to_string() } else { row.id.to_string() };
        done.events.iter().any(|event| event.subject == id)
    };
    let here = app.selected_row().is_some_and(|row| is_done(&app.queue.rows[row]));
    let current = app.claim.as_ref().map(|claim| claim.key);
    if leaves {
        app.queue.rows.retain(|row| !is_done(row) || Some(row.key) == current);
    }
    let mut effects = if leaves && here { queue::advance(app, None, now) } else { queue::refresh(app) };
    effects.push(Effect::CountAnswers);
    // Last, as the cursor going on takes away what was said before.
    match done.refused.as_slice() {
        // It is read to its end, and stays until the next act.
        [] if loses_words || app.marks.against.is_some() => {
            super::set_toast(app, text, ToastKind::Warning, None);
        }
        [] => super::tell(app, text, now),
        [(id, why), ..] => {
            super::fail(app, format!("{text}; {} could not be, {id} first: {why}", done.refused.len()));
        }
    }
    effects
}
