//! The queue and the claim under the cursor: reading, moving, news.
//!
//! The cursor is a claim's key. Rows may come and go around it; it stays on its claim and on its line.

use std::sync::Arc;

use crate::domain::blind::Sight;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::queue::{ClaimDetail, QueueRow};
use crate::domain::severity::Stakes;
use crate::domain::time::Timestamp;
use crate::tui::app::{App, Detail, QueueState, Selected};
use crate::tui::effect::Effect;
use crate::tui::message::{HoldFailure, QueueWindow};
use crate::tui::widget::passage::Scroll;
use crate::tui::window::Wanted;

use super::deadline::{self, RENEW, TAKE};
use super::{blind, empty, find, in_view, news, same, threads, views};

/// The least number of rows that are read on each side of the cursor.
const MARGIN: usize = 100;

/// The first frame is drawn: now ask the store.
pub(super) fn started(app: &mut App, open: Option<ClaimId>, now: Timestamp) -> Vec<Effect> {
    app.timers.look = Some(now.plus(deadline::LOOK));
    app.queue.touched = open.is_some();
    let mut effects = open.map_or_else(|| load(app), |id| vec![Effect::Find(id)]);
    effects.extend([Effect::CountAnswers, Effect::LoadPace, Effect::LoadHints]);
    // Views tell verdicts and severities, by their counts too.
    effects.extend(app.settings.blind.is_none().then_some(Effect::LoadViews));
    effects
}

/// Reads the queue around the cursor.
pub(super) fn load(app: &mut App) -> Vec<Effect> {
    app.run += 1;
    app.queue.to_end = false;
    app.queue.asked = Some(app.run);
    let wanted = Wanted {
        around: app.claim.as_ref().filter(|_| app.queue.touched).map(|claim| claim.key),
        from_end: false,
        rows: MARGIN.max(2 * usize::from(app.geometry.queue.height)),
        since: app.news.since,
        since_below: app.news.since_below,
        heard: app.news.heard,
        filter: app.found.as_ref().map(|found| found.filter.clone()),
        must_fit: app.found.as_ref().is_some_and(|found| found.is_new),
        by_answers: app.threads.wanted,
    };
    vec![Effect::LoadQueue { run: app.run, wanted }]
}

/// Reads the queue and the claim under the cursor again.
pub(super) fn refresh(app: &mut App) -> Vec<Effect> {
    let mut effects = load(app);
    effects.extend(load_detail(app));
    effects.push(Effect::CountAnswers);
    effects
}

fn load_detail(app: &mut App) -> Option<Effect> {
    let claim = app.claim.as_mut()?;
    app.run += 1;
    claim.asked = app.run;
    Some(Effect::LoadDetail { run: app.run, claim: claim.key })
}

/// Puts the cursor on `key`.
pub(super) fn select(app: &mut App, key: ClaimKey, now: Timestamp) -> Vec<Effect> {
    if app.claim.as_ref().is_some_and(|claim| claim.key == key) {
        return Vec::new();
    }
    leave(app, now);
    go(app, key, now)
}

/// Puts the cursor on `key`, which stays where it is in the history.
pub(super) fn go(app: &mut App, key: ClaimKey, now: Timestamp) -> Vec<Effect> {
    app.claim = Some(Selected::new(key));
    app.left = None;
    app.news.cursor_moves();
    super::clear(app);
    app.timers.renew = Some(now.plus(TAKE));
    app.dirty = true;
    let mut effects: Vec<Effect> = load_detail(app).into_iter().collect();
    let margin = usize::from(app.geometry.queue.height.max(1));
    let is_near_the_end = app.selected_line().is_none_or(|line| {
        (line < margin && !app.queue.at_start) || (line + margin >= app.line_count() && !app.queue.at_end)
    });
    if is_near_the_end {
        effects.extend(load(app));
    }
    effects
}

/// The claim under the cursor is left for another one than the history's: it is part of that when it was looked at.
fn leave(app: &mut App, now: Timestamp) {
    let Some(claim) = &app.claim else { return };
    let is_seen = in_view::claim_since(app).is_some_and(|since| now.since(since) >= TAKE);
    if is_seen { app.trail.left(claim.key) } else { app.trail.passed() }
}

/// Moves the cursor by `rows` within what is loaded.
pub(super) fn move_by(app: &mut App, rows: isize, now: Timestamp) -> Vec<Effect> {
    if app.threads.is_on() {
        return threads::moved(app, rows).map_or_else(Vec::new, |key| select(app, key, now));
    }
    let Some(last) = app.queue.rows.len().checked_sub(1) else { return Vec::new() };
    let row = app.selected_row().unwrap_or(0).saturating_add_signed(rows).min(last);
    select(app, app.queue.rows[row].key, now)
}

/// Moves the cursor to the next claim of another answer, down or up.
pub(super) fn move_to_other_answer(app: &mut App, down: bool, now: Timestamp) -> Vec<Effect> {
    let Some(here) = app.selected_row() else { return move_by(app, 0, now) };
    if app.threads.is_on() {
        return threads::other_answer(app, down).map_or_else(Vec::new, |key| select(app, key, now));
    }
    let rows = &app.queue.rows;
    let differs = |row: &&QueueRow| row.id.audit_id() != rows[here].id.audit_id();
    let found =
        if down { rows[here..].iter().find(differs) } else { rows[..here].iter().rev().find(differs) };
    match found.or(if down { rows.last() } else { rows.first() }).map(|row| row.key) {
        Some(key) => select(app, key, now),
        None => Vec::new(),
    }
}

/// Moves the cursor to the next claim that waits for this person; from the end to the beginning.
pub(super) fn move_to_next_open(app: &mut App, now: Timestamp) -> Vec<Effect> {
    if app.trail.position().is_some() {
        // Where the cursor stands now says nothing about where work went on.
        return go_to_top(app, now);
    }
    if let Some(key) = other_open(app, now) {
        return select(app, key, now);
    }
    super::tell(app, "no other claim is open", now);
    Vec::new()
}

/// The next claim that waits for this person, other than the one under the cursor.
pub(super) fn other_open(app: &App, now: Timestamp) -> Option<ClaimKey> {
    let from = app.selected_row().map_or(0, |row| row + 1);
    let here = app.claim.as_ref().map(|claim| claim.key);
    next_open(app, from, now).filter(|key| Some(*key) != here)
}

/// Whether the claim of `row` can be decided by this person now.
fn waits(row: &QueueRow, now: Timestamp) -> bool {
    row.decided.is_none()
        && row.deferred.is_none_or(|until| until <= now)
        && row.held_by.as_ref().is_none_or(|hold| hold.until <= now)
}

fn next_open(app: &App, from: usize, now: Timestamp) -> Option<ClaimKey> {
    let from = from.min(app.queue.rows.len());
    let (before, after) = app.queue.rows.split_at(from);
    let open = || after.iter().chain(before).filter(|row| waits(row, now));
    // What was escalated waits for somebody else first.
    open().find(|row| !row.escalated).or(open().next()).map(|row| row.key)
}

/// The first claim of the list that nobody else has in hand, of a search the first that says it itself; the first of all
/// where there is none.
fn first_free(app: &App, now: Timestamp) -> Option<ClaimKey> {
    if app.threads.is_on()
        && let Some(row) = app.first_open(0..app.queue.rows.len(), Some(now))
    {
        return Some(app.queue.rows[row].key);
    }
    let is_free = |row: &&QueueRow| row.held_by.as_ref().is_none_or(|hold| hold.until <= now);
    let mut free = app.queue.rows.iter().filter(is_free);
    let said = free.clone().find(|row| find::is_named(app, &row.claim_text));
    said.or_else(|| free.next()).or(app.queue.rows.first()).map(|row| row.key)
}

/// Whoever has looked at one claim for a while has begun, also without a key.
pub(super) fn looked_at_for_a_while(app: &mut App, now: Timestamp) {
    let since = in_view::claim_since(app);
    app.queue.touched |= since.is_some_and(|since| now.since(since) >= deadline::BEGUN);
}

/// The claim under the cursor is done with: it leaves the list and `next`, or else the next open one, takes
/// its line.
pub(super) fn advance(app: &mut App, next: Option<ClaimKey>, now: Timestamp) -> Vec<Effect> {
    let from = match app.selected_row() {
        Some(row) => {
            app.queue.rows.remove(row);
            row
        }
        None => 0,
    };
    let mut effects = Vec::new();
    let back = app.trail.goes_on_at().filter(|key| app.claim.as_ref().is_none_or(|claim| claim.key != *key));
    let in_answer = || threads::next_open(app, from, now).filter(|_| app.threads.is_on());
    let is_unkept = |row: &&QueueRow| row.sight == Sight::Revealed && waits(row, now);
    let unkept = || app.queue.rows.iter().find(is_unkept).map(|row| row.key);
    if let Some(key) = next.or(back).or_else(in_answer).or_else(unkept).or_else(|| next_open(app, from, now))
    {
        effects = select(app, key, now);
    } else {
        leave(app, now);
        app.claim = None;
        app.timers.renew = Some(now);
    }
    app.dirty = true;
    effects.extend(load(app));
    effects
}

/// To the first row of the queue; what arrived until now is no news any more.
pub(super) fn go_to_top(app: &mut App, now: Timestamp) -> Vec<Effect> {
    app.news.clear();
    leave(app, now);
    app.claim = None;
    app.dirty = true;
    load(app)
}

/// To the last row of the queue. When it is not loaded yet, the end is read first.
pub(super) fn go_to_end(app: &mut App, now: Timestamp) -> Vec<Effect> {
    if app.queue.at_end {
        app.queue.to_end = false;
        return move_by(app, isize::MAX, now);
    }
    let mut effects = load(app);
    for effect in &mut effects {
        if let Effect::LoadQueue { wanted, .. } = effect {
            wanted.from_end = true;
        }
    }
    app.queue.to_end = true;
    app.dirty = true;
    effects
}

/// To the claim that was looked for.
pub(super) fn go_to(app: &mut App, found: Result<Option<ClaimKey>, String>, now: Timestamp) -> Vec<Effect> {
    app.queue.going = false;
    match found {
        Ok(Some(key)) => {
            app.news.clear_critical();
            let mut effects = select(app, key, now);
            effects.extend(load(app));
            effects
        }
        Ok(None) => {
            super::tell(app, "no CRITICAL claim is open", now);
            Vec::new()
        }
        Err(why) => {
            super::fail(app, why);
            if app.queue.state == QueueState::Loading { load(app) } else { Vec::new() }
        }
    }
}

/// The store's answer: rows around the cursor, counts, news.
pub(super) fn window_came(
    app: &mut App,
    run: u64,
    result: Result<QueueWindow, String>,
    now: Timestamp,
) -> Vec<Effect> {
    if app.queue.asked != Some(run) {
        return Vec::new();
    }
    app.queue.asked = None;
    let window = match result {
        Ok(window) => window,
        Err(why) => {
            app.threads.wanted = app.threads.is_on();
            if app.queue.rows.is_empty() {
                app.queue.state = QueueState::Error(why);
                app.dirty = true;
            } else {
                super::fail(app, why);
            }
            return Vec::new();
        }
    };
    let version = window.version;
    let was_new = app.found.as_ref().is_some_and(|found| found.is_new);
    if find::window_came(app, &window) {
        leave(app, now);
        app.claim = None;
        app.timers.renew = Some(now);
    }
    let (here, told) = (app.claim.as_ref().map(|claim| claim.key), app.toast.clone());
    let line = app.selected_line().map(|line| line.saturating_sub(app.queue.top));
    let old = (std::mem::take(&mut app.queue.rows), app.counts, app.news, app.queue.state.clone());
    app.dirty |= was_new || app.threads.answers != window.threads;
    app.threads.answers = window.threads;
    app.queue.anchor = window.before.len();
    app.queue.rows = window.before;
    app.queue.rows.extend(window.from);
    app.queue.at_start = window.at_start;
    app.queue.at_end = window.at_end;
    app.counts = window.counts;
    let mut effects = Vec::new();
    if std::mem::take(&mut app.queue.to_end)
        && app.queue.at_end
        && let Some(last) = app.stop_at(false).map(|row| app.queue.rows[row].key)
    {
        app.queue.touched = true;
        effects.extend(select(app, last, now));
    } else if (app.claim.is_none() || !app.queue.touched)
        && let Some(first) = first_free(app, now)
    {
        // Until the person begins, the most dangerous claim is in hand, also when it comes later.
        app.queue.top = 0;
        effects.extend(select(app, first, now));
    }
    // Nobody has pressed a key: what was said before is still to be read.
    app.toast = app.toast.take().or(told);
    show_selected_row(app);
    // The line is that of the claim that was under the cursor, not of one that the cursor goes to only now.
    let stayed = app.claim.is_some() && app.claim.as_ref().map(|claim| claim.key) == here;
    if let (Some(line), Some(new), true) = (line, app.selected_line(), stayed) {
        app.queue.top = new.saturating_sub(line);
    }
    app.queue.state =
        if app.claim.is_some() { QueueState::Ready } else { QueueState::Empty(empty::reason(app)) };
    // What was counted above one claim is not above another.
    let beside = if stayed { [window.above, window.below] } else { [(0, 0); 2] };
    app.news.read(beside, window.arrived.last, app.counts.open_high);
    let carried = here.is_none() && app.news.carried(&old.2, &window.arrived);
    if !stayed && app.claim.is_some() && (carried || window.arrived.critical + window.arrived.high > 0) {
        effects.extend(load(app));
    }
    effects.extend(news::announce(app, &window.arrived));
    effects.extend(find::count_again(app, version, was_new));
    if old.3 == QueueState::Loading {
        effects.push(Effect::LoadWaiting);
        // What others say is for those who see it.
        effects.extend(app.settings.blind.is_none().then_some(Effect::LoadOverruled(None)));
    }
    effects.extend(views::count(app, version, now));
    app.dirty |=
        old.0 != app.queue.rows || old.1 != app.counts || old.2 != app.news || old.3 != app.queue.state;
    effects
}

/// The store's answer: the claim under the cursor with all that surrounds it.
pub(super) fn detail_came(
    app: &mut App,
    run: u64,
    result: Result<(Box<ClaimDetail>, Stakes), String>,
) -> Vec<Effect> {
    let Some(claim) = app.claim.as_mut().filter(|claim| claim.asked == run) else { return Vec::new() };
    match result {
        Ok((detail, stakes)) => {
            let known = claim.detail().cloned();
            if known.as_deref() == Some(&*detail) {
                return Vec::new();
            }
            if known.is_none() {
                claim.answer = Scroll::Auto;
            }
            claim.came_elsewhere(known.as_deref(), &detail, app.saved.as_ref().and_then(|saved| saved.event));
            claim.take_evidence(&detail, &app.settings.annotator);
            claim.detail = Detail::Ready(Arc::new(*detail));
            claim.stakes = stakes;
            show_selected_row(app);
        }
        // What is on the screen stays there: it was true a moment ago.
        Err(why) if claim.detail().is_some() => super::fail(app, why),
        Err(why) => claim.detail = Detail::Error(why),
    }
    app.dirty = true;
    same::look_up(app)
}

/// The row under the cursor stays in the list also when the store no longer counts it as open, and
/// says what the detail says.
fn show_selected_row(app: &mut App) {
    let Some(detail) = app.detail().cloned() else { return };
    let row = blind::row_of(&detail);
    if let Some(known) = app.queue.rows.iter_mut().find(|known| known.key == row.key) {
        let damage = known.damage.take();
        *known = QueueRow { damage, ..row };
    } else {
        let at = app.queue.anchor.min(app.queue.rows.len());
        app.queue.rows.insert(at, row);
    }
}

/// Takes the claim under the cursor in hand, and gives back the one before.
pub(super) fn take_in_hand(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let key = app.claim.as_ref().map(|claim| claim.key);
    app.timers.renew = key.map(|_| now.plus(RENEW));
    let mut effects = Vec::new();
    if app.held.is_some() && app.held != key {
        app.held = None;
        effects.push(Effect::Release { except: key });
    }
    // A hold counts from the last key: a window that is only open keeps nobody from the claim.
    let is_held = app.held.is_some() && app.held == key;
    let since = app.strokes.last.as_ref().map(|(_, at)| *at).filter(|_| is_held);
    let is_idle = is_held && since.is_none_or(|at| now.since(at) > RENEW);
    effects.extend(key.filter(|_| !is_idle).map(|claim| Effect::Hold { claim, since }));
    effects
}

/// Whether the claim is in this person's hands now.
pub(super) fn held(
    app: &mut App,
    key: ClaimKey,
    result: Result<(), HoldFailure>,
    now: Timestamp,
) -> Vec<Effect> {
    let was_held = app.held == Some(key);
    match result {
        Ok(()) => app.held = Some(key),
        Err(HoldFailure::Other(hold)) => {
            if was_held {
                app.held = None;
                super::warn(app, format!("the hold ran out, and {} has the claim now", hold.holder), now);
            }
            if let Some(Selected { detail: Detail::Ready(detail), .. }) =
                app.claim.as_mut().filter(|claim| claim.key == key)
                && detail.held_by.as_ref() != Some(&hold)
            {
                Arc::make_mut(detail).held_by = Some(hold);
                show_selected_row(app);
                app.dirty = true;
            }
        }
        Err(HoldFailure::Error(why)) => super::fail(app, why),
    }
    Vec::new()
}

/// Whether another process changed the store.
pub(super) fn looked(app: &mut App, result: Result<bool, String>, now: Timestamp) -> Vec<Effect> {
    match result {
        Ok(true) if find::is_finding(app) => {
            deadline::reload_soon(app, now);
            load_detail(app).into_iter().collect()
        }
        Ok(true) => {
            app.timers.reload = None;
            refresh(app)
        }
        // The store could not be read before: try again at every look.
        Ok(false) if matches!(app.queue.state, QueueState::Error(_)) => refresh(app),
        Ok(false) => Vec::new(),
        Err(why) if app.toast.as_ref().is_some_and(|toast| toast.text == why) => Vec::new(),
        Err(why) => {
            super::warn(app, why, now);
            Vec::new()
        }
    }
}

/// Scrolls the list so far that the cursor is in sight and the list is filled.
pub(super) fn keep_list_filled(app: &mut App) {
    app.queue.top = app.first_shown(app.geometry.queue.height.into());
}
