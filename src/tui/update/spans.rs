//! Choosing evidence: the cursor moves by words and sentences, spans are marked, and the ruling is recorded with them.

use std::sync::Arc;

use crate::domain::blind::Sight;
use crate::domain::decision::{HumanVerdict, Request};
use crate::domain::draft::DraftKind;
use crate::domain::queue::ClaimDetail;
use crate::domain::span::Span;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Citation, Role};
use crate::tui::app::{App, Mode};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::screen;
use crate::tui::spans::{Marks, SpanEditor};
use crate::tui::widget::passage::Scroll;

use super::{begun, decide, opposite, override_menu, overturn, shape};

/// Begins to choose evidence for the claim under the cursor, with the ruling of the open menu or of what stands.
pub(super) fn open(app: &mut App, now: Timestamp) {
    let Some(claim) = &app.claim else { return };
    let Some(detail) = claim.detail().map(Arc::clone) else { return };
    let (stakes, stop) = (claim.stakes, claim.current_stop());
    // Whoever was shown the judge goes on from what they chose before that.
    let own = own_before_the_judge(&detail);
    let is_own = !own.is_empty();
    let citations = if is_own { own } else { claim.citations.clone() };
    let claim_scroll = claim.evidence;
    if detail.record.passages.is_empty() {
        super::warn(app, NO_EVIDENCE, now);
        return;
    }
    let from_menu = match &app.mode {
        Mode::Override(menu) if menu.claim != detail.key => return,
        Mode::Override(_) => true,
        _ => {
            override_menu::open(app, &detail, stakes);
            false
        }
    };
    let Mode::Override(menu) = std::mem::replace(&mut app.mode, Mode::Normal) else { return };
    let first = citations.first().filter(|_| is_own);
    let passage_of = |citation: &Citation| {
        detail.record.passages.iter().position(|passage| passage.passage_id == citation.passage_id)
    };
    let passage = first.map_or_else(|| stop.and_then(|stop| stop.passage), passage_of).unwrap_or(0);
    // Whoever has scrolled goes on from there.
    let span = match (first, claim_scroll) {
        (Some(first), _) => first.span.map(Span::range),
        (None, Scroll::From(top)) => Some(top..top),
        (None, Scroll::Auto) => stop.and_then(|stop| citations.get(stop.citation?)?.span).map(Span::range),
    };
    let before = begun::found(&detail, DraftKind::Evidence).map(str::to_owned);
    let mut editor = SpanEditor::new(detail, menu, from_menu, &citations, (passage, span));
    let claim = editor.menu.claim;
    let is_back = before.is_some_and(|text| {
        app.ours.add(claim, DraftKind::Evidence, &text);
        editor.restore(&text)
    });
    app.mode = Mode::Spans(Box::new(editor));
    // The words under the cursor stand where messages do.
    super::clear(app);
    app.dirty = true;
    if is_back {
        let key = app.settings.keymap.label(Command::TakeBack, Place::Spans);
        super::tell(app, format!("what you had begun is back · {key} takes it off"), now);
    }
    follow(app);
}

/// The evidence that the person chose before they were shown the judge, while they have not said whether they keep it.
fn own_before_the_judge(detail: &ClaimDetail) -> Vec<Citation> {
    let blind = detail.standing.blind.as_ref().filter(|_| detail.sight == Sight::Revealed);
    let chosen = blind.and_then(|blind| blind.ruling.evidence.as_ref()).into_iter().flatten();
    chosen.filter_map(|one| one.citation(&detail.record)).collect()
}

pub(super) const NO_EVIDENCE: &str = "the record has no evidence to choose from";

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Mode::Spans(editor) = &mut app.mode else { return Vec::new() };
    let (mut refused, mut told) = (None, None);
    match command {
        Command::NextWord
        | Command::PreviousWord
        | Command::NextSentence
        | Command::PreviousSentence
        | Command::TakeNextWord
        | Command::TakePreviousWord
        | Command::TakeNextSentence
        | Command::TakePreviousSentence
        | Command::Stretch
        | Command::TakeSentence
        | Command::FirstLine
        | Command::LastLine => {
            let before = editor.cursor.clone();
            editor.move_cursor(|cursor, text| shape::step(cursor, text, command));
            let is_far = matches!(command, Command::NextSentence | Command::PreviousSentence);
            if is_far && editor.cursor == before {
                let forward = command == Command::NextSentence;
                let (end, turn) = if forward {
                    ("last", Command::NextPassage)
                } else {
                    ("first", Command::PreviousPassage)
                };
                let more = if editor.detail.record.passages.len() > 1 {
                    format!(": {} turns to another passage", app.settings.keymap.label(turn, Place::Spans))
                } else {
                    String::new()
                };
                refused = Some(format!("this is the {end} sentence{more}"));
            }
        }
        Command::NextPassage => editor.turn_to_passage(1),
        Command::PreviousPassage => editor.turn_to_passage(-1),
        Command::NextEvidence | Command::PreviousEvidence => {
            if !editor.turn_to_span(command == Command::NextEvidence) {
                refused = Some("no span is marked yet".to_owned());
            }
        }
        Command::PageDown | Command::PageUp => page(app, command == Command::PageDown),
        Command::MarkSupports | Command::MarkContradicts => {
            let role = if command == Command::MarkSupports { Role::Supports } else { Role::Contradicts };
            match editor.mark(role) {
                Ok(Marks::Selection) => {}
                Ok(Marks::All) => {
                    let keys = [Command::NextSentence, Command::Stretch]
                        .map(|command| app.settings.keymap.label(command, Place::Spans));
                    told = Some(format!(
                        "all of it {} now: {} or {} first takes a part",
                        role.label().to_lowercase(),
                        keys[0],
                        keys[1]
                    ));
                }
                Err(why) => refused = Some(why),
            }
        }
        Command::Unmark => {
            if !editor.unmark() {
                refused = Some("no marked span is under the cursor".to_owned());
            }
        }
        Command::TakeBack => {
            if !editor.take_back() {
                refused = Some("nothing was marked or removed".to_owned());
            }
        }
        Command::Accept => return accept(app, now),
        Command::Cancel => return cancel(app, now),
        other => override_menu::set(&mut editor.menu, other),
    }
    super::clear(app);
    if let Some(why) = refused {
        super::warn(app, why, now);
    }
    if let Some(words) = told {
        super::tell(app, words, now);
    }
    app.dirty = true;
    follow(app);
    Vec::new()
}

/// Records the ruling with what is marked. The mode stays until the store has answered: after a refusal nothing is lost.
fn accept(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Mode::Spans(editor) = &app.mode else { return Vec::new() };
    if !editor.menu.is_chosen {
        super::warn(app, override_menu::choose_first(app), now);
        return Vec::new();
    }
    let mut ruling = editor.menu.ruling();
    if editor.is_changed() {
        ruling.evidence = Some(editor.chosen());
    } else if !editor.from_menu && is_what_stands(editor) {
        let why = if let Some(decided) = &editor.detail.standing.decided {
            format!("nothing is changed: your {} stands", decided.ruling.verdict)
        } else {
            let key = app.settings.keymap.label(Command::Confirm, Place::Review);
            format!("nothing is changed: Esc, then {key} confirms the judge's verdict")
        };
        super::warn(app, why, now);
        return Vec::new();
    }
    // What stands marked was looked at, whoever marked it; of a claim that a person made nothing else is recorded.
    let marked = Some(editor.chosen()).filter(|marked| !marked.is_empty());
    if editor.detail.inherited.is_some() {
        ruling.evidence = ruling.evidence.or(marked.clone());
    }
    let (claim, id) = (editor.menu.claim, editor.menu.id.clone());
    let recorded = ruling.evidence.clone();
    // That what the judge cites contradicts it is no word of the person against UNSUPPORTED.
    ruling.evidence = recorded.clone().or(marked.filter(|_| ruling.verdict != HumanVerdict::Unsupported));
    if decide::ruled_elsewhere(app, claim, Command::Accept, now)
        || opposite::tells(app, claim, &ruling, Command::Accept, now)
    {
        return Vec::new();
    }
    ruling.evidence = recorded;
    let request = Request::Override(ruling);
    if overturn::gives_up(app, &request, Command::Accept, now) {
        return Vec::new();
    }
    let effect = decide::effect(app, claim, id, request);
    vec![decide::finishing(app, effect, DraftKind::Evidence)]
}

/// Whether the verdict is the one that stood when the choosing began.
fn is_what_stands(editor: &SpanEditor) -> bool {
    let decided = editor.detail.standing.decided.as_ref();
    let decided = decided.map(|decided| (decided.ruling.verdict, decided.ruling.score));
    let judged = editor.detail.outcome.judged();
    let is_pair = editor.detail.is_pair;
    let judged = judged.map(|judged| (judged.verdict.into(), judged.support.filter(|_| is_pair)));
    decided.or(judged) == Some((editor.menu.verdict, editor.menu.score))
}

/// Lets go of a stretch; else closes, back to where it was opened. What is marked is kept.
fn cancel(app: &mut App, now: Timestamp) -> Vec<Effect> {
    let Mode::Spans(editor) = &mut app.mode else { return Vec::new() };
    app.dirty = true;
    if editor.cursor.anchor.take().is_some() {
        return Vec::new();
    }
    let back = editor.from_menu.then(|| editor.menu.clone());
    super::clear(app);
    let key = app.settings.keymap.label(Command::ChooseEvidence, Place::Review);
    let effects = begun::left(app, &key, now);
    super::close(app);
    if let Some(menu) = back {
        app.mode = Mode::Override(menu);
    }
    effects
}

/// Moves the cursor by a page less one line; at either end to the first or the last word.
fn page(app: &mut App, down: bool) {
    let top = screen::spans::turned(app, down);
    let Mode::Spans(editor) = &mut app.mode else { return };
    match top {
        Some(top) => {
            editor.scroll = Scroll::From(top);
            editor.move_cursor(|cursor, text| cursor.go_to(text, top));
        }
        None => editor.move_cursor(|cursor, text| cursor.go_to(text, if down { usize::MAX } else { 0 })),
    }
}

/// Keeps the cursor in view.
pub(super) fn follow(app: &mut App) {
    let scroll = screen::spans::following(app);
    if let (Mode::Spans(editor), Some(scroll)) = (&mut app.mode, scroll) {
        editor.scroll = scroll;
    }
}
