//! The footer: which keys count now, and how far the work is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::blind::Sight;
use crate::tui::app::{App, Auditor, Detail, Mode};
use crate::tui::ask::Question;
use crate::tui::command::{Command, Place};
use crate::tui::found::LineKind;
use crate::tui::screen::screens;
use crate::tui::screens::ScreenName;
use crate::tui::theme::Role;
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::progress;

/// A key and what it does.
struct Hint {
    key: String,
    word: &'static str,
    command: Command,
}

impl Hint {
    fn width(&self, is_bare: bool) -> u16 {
        let word = if is_bare { Phrase::new() } else { Phrase::new().say(Role::Label, self.word) };
        let gap = u16::from(!word.is_empty());
        Phrase::new().say(Role::Key, self.key.as_str()).width() + gap + word.width()
    }
}

/// The keys that stand in the footer at every width, the most important first.
const ALWAYS: [Command; 9] = [
    Command::Dispose,
    Command::Keep,
    Command::Confirm,
    Command::Override,
    Command::Annotate,
    Command::VerdictFully,
    Command::Undo,
    Command::Help,
    Command::Quit,
];

/// From this width on the footer shows all of the progress.
const ROOMY: u16 = 160;

/// From this width on it shows the guess of the time left, once there is one.
const TIMED: u16 = 110;

/// Whose word is left out where room is short, one after the other: the key alone still stands there.
const BARE: [Command; 4] = [Command::Help, Command::Annotate, Command::Override, Command::Confirm];

/// Keys that do something here and now, the most important first.
fn hints(app: &App, place: Place) -> Vec<Hint> {
    use Command as C;

    let keymap = &app.settings.keymap;
    let in_hand = app.claim.is_some();
    let here = app.claim.as_ref().map(|claim| claim.key);
    let is_same = here.is_some_and(|key| app.same.as_ref().is_some_and(|same| same.count(key).is_some()));
    let many = app.claim.as_ref().is_some_and(|claim| claim.stops.len() > 1);
    let sight = app.detail().map(|detail| detail.sight);
    let has_verdict = app.detail().is_none_or(|detail| detail.outcome.judged().is_some());
    let is_open = app.settings.blind.is_none();
    // Nothing can be done to what cannot be read, and nothing ruled on what others stand in place of.
    let is_read = app.claim.as_ref().is_some_and(|claim| !matches!(claim.detail, Detail::Error(_)));
    let may_rule = is_read && app.detail().is_none_or(|detail| detail.gone.is_none());
    let always = |commands: &[Command]| commands.iter().map(|command| (*command, true)).collect();
    let commands: Vec<(Command, bool)> = match place {
        Place::Anywhere | Place::Score => Vec::new(),
        Place::OverrideMenu => {
            always(&[C::Accept, C::Down, C::Up, C::NextField, C::Cancel, C::ChooseEvidence])
        }
        Place::Spans => always(&[
            C::Accept,
            C::MarkSupports,
            C::MarkContradicts,
            C::Cancel,
            C::NextWord,
            C::NextSentence,
            C::Stretch,
            C::NextPassage,
            C::Unmark,
            C::VerdictFully,
            C::NextEvidence,
            C::TakeBack,
        ]),
        Place::NewClaim => always(&[
            C::Accept,
            C::NextWord,
            C::NextSentence,
            C::Stretch,
            C::TypeWords,
            C::Cancel,
            C::TakeNextWord,
            C::TakeSentence,
            C::PreviousWord,
        ]),
        Place::Split => always(&[
            C::Accept,
            C::NextCut,
            C::NextWord,
            C::PreviousWord,
            C::TypeWords,
            C::Cancel,
            C::TakeBack,
        ]),
        Place::Merge => {
            always(&[C::Accept, C::TakeClaim, C::Down, C::Up, C::TypeWords, C::Cancel, C::TakeBack])
        }
        Place::Words => match &app.mode {
            Mode::Shape(editor) if editor.count() > 1 => always(&[C::ApplyLine, C::NextField, C::LeaveLine]),
            _ => always(&[C::ApplyLine, C::LeaveLine]),
        },
        Place::Note => always(&[C::SaveNote, C::LeaveNote, C::OpenEditor]),
        Place::Line => match &app.mode {
            Mode::Line(line) if line.kind == LineKind::View => always(&[C::ApplyLine, C::LeaveLine]),
            _ => always(&[C::ApplyLine, C::LeaveLine, C::Earlier, C::Later]),
        },
        Place::Ask => match &app.mode {
            Mode::Ask(line)
                if matches!(line.question, Question::Escalate { .. })
                    && !app.history.escalations().is_empty() =>
            {
                always(&[C::ApplyLine, C::LeaveLine, C::Earlier])
            }
            _ => always(&[C::ApplyLine, C::LeaveLine]),
        },
        Place::Many => match &app.mode {
            Mode::Many(dialog) if dialog.chosen.is_some() => always(&[C::Accept, C::Cancel]),
            _ => {
                always(&[C::Confirm, C::Block, C::Return, C::Skip, C::Defer, C::Flag, C::Escalate, C::Cancel])
            }
        },
        Place::Palette => always(&[C::RunChosen, C::Down, C::Up, C::Cancel]),
        Place::Why | Place::Reason => always(&[C::Cancel]),
        Place::Disposition => match &app.mode {
            Mode::Disposition(dialog) if dialog.confirming => {
                always(&[C::Return, C::Block, C::ReleaseAnyway, C::Cancel])
            }
            _ => always(&[C::Return, C::Block, C::Release, C::Cancel]),
        },
        Place::Exchanges => match &app.mode {
            Mode::Exchanges(log) if log.entry().is_some() => always(&[
                C::Cancel,
                C::SwitchView,
                C::NextExchange,
                C::Down,
                C::PageDown,
                C::LastLine,
                C::FirstLine,
            ]),
            _ => always(&[C::Cancel]),
        },
        Place::Story => always(&[C::Down, C::Up, C::PageDown, C::LastLine, C::FirstLine, C::Cancel]),
        Place::Screen => always(screens::keys(app)),
        Place::Help => always(&[C::Down, C::Up, C::PageDown, C::Cancel]),
        Place::Review => vec![
            (C::Dispose, app.to_dispose.is_some() || app.answers_waiting > 0),
            (C::ActOnMarked, !app.marks.rows.is_empty()),
            (C::SameClaim, is_same),
            (C::Keep, sight == Some(Sight::Revealed)),
            (C::Confirm, may_rule && has_verdict && sight != Some(Sight::Hidden)),
            (C::Override, may_rule),
            (C::Annotate, is_read),
            (C::VerdictFully, may_rule),
            (C::VerdictNotAClaim, may_rule && !is_open && !app.is_scoring()),
            (C::ChooseEvidence, may_rule && !is_open),
            (C::ClearFilter, app.found.is_some() || app.screens.from.is_some()),
            (C::Skip, may_rule),
            (C::Flag, is_read),
            (C::Undo, true),
            (C::Help, true),
            (C::Quit, true),
            (C::Palette, true),
            (C::NextEvidence, many),
            (C::NextClaim, in_hand),
            (C::Filter, (in_hand || app.found.is_some()) && is_open),
            (C::Search, (in_hand || app.found.is_some()) && is_open),
            (C::PauseAuditor, app.auditor == Auditor::Running),
            (C::Escalate, is_read),
            (C::Defer, may_rule),
            (C::Mark, in_hand && is_open),
            (C::WhyHere, in_hand && is_open),
        ],
    };
    commands
        .into_iter()
        .filter(|(_, counts)| *counts)
        .map(|(command, _)| match command {
            C::VerdictFully if app.is_scoring() => Hint { key: score_keys(app), word: "score", command },
            C::VerdictFully => Hint { key: verdict_keys(app), word: "verdict", command },
            _ => Hint { key: keymap.label(command, place), word: word(app, place, command), command },
        })
        .filter(|hint| !hint.key.is_empty())
        .collect()
}

/// What `command` does in `place`, where that is something else than its usual word says.
fn word(app: &App, place: Place, command: Command) -> &'static str {
    let is_asked = matches!(&app.mode, Mode::Many(dialog) if dialog.chosen.is_some());
    let is_name = matches!(&app.mode, Mode::Line(line) if line.kind == LineKind::View);
    match (place, command) {
        (Place::Words, Command::LeaveLine) => "back to choosing",
        (Place::Words, Command::ApplyLine) => "save",
        (Place::Line, Command::ApplyLine) if is_name => "save",
        (Place::Many, Command::Accept) => "do it",
        (Place::Many, Command::Cancel) if is_asked => "back",
        (Place::Review, Command::ClearFilter) => {
            app.screens.from.map_or(command.row().hint, ScreenName::back)
        }
        (Place::Screen, _) => screens::word(app, command).unwrap_or(command.row().hint),
        _ => command.row().hint,
    }
}

/// What may be typed after what was typed.
fn following(app: &App, place: Place) -> Vec<Hint> {
    let following = app.settings.keymap.following(place, &app.typed);
    following.into_iter().map(|(key, command)| Hint { key, word: command.row().hint, command }).collect()
}

/// The keys that set a verdict: `1-5`, or all of them where they are no digits in order.
fn verdict_keys(app: &App) -> String {
    let commands = [
        Command::VerdictFully,
        Command::VerdictPartially,
        Command::VerdictUnsupported,
        Command::VerdictContradicted,
        Command::VerdictCannotJudge,
    ];
    keys_of(app, commands, Place::Review)
}

/// The same for the score of a claim with its source.
fn score_keys(app: &App) -> String {
    let commands = [Command::Score1, Command::Score2, Command::Score3, Command::Score4, Command::Score5];
    keys_of(app, commands, Place::Score)
}

fn keys_of(app: &App, commands: [Command; 5], place: Place) -> String {
    let keys: Vec<String> = commands
        .into_iter()
        .map(|command| app.settings.keymap.label(command, place))
        .filter(|key| !key.is_empty())
        .collect();
    if keys == ["1", "2", "3", "4", "5"] { "1-5".to_owned() } else { keys.join(" ") }
}

/// Which of `hints` stand in `inside` columns, and how many of [`BARE`] do so without their word. The
/// share of what is done, `least` wide, gives way before a key does.
fn fitting(hints: &[Hint], inside: u16, least: u16) -> (Vec<bool>, usize) {
    let mut shown: Vec<bool> = hints.iter().map(|hint| ALWAYS.contains(&hint.command)).collect();
    let width = |shown: &[bool], bare: usize| -> u16 {
        let widths = hints.iter().zip(shown).filter(|(_, shown)| **shown);
        let sum: u16 = widths.map(|(hint, _)| hint.width(BARE[..bare].contains(&hint.command)) + 2).sum();
        sum.saturating_sub(2)
    };
    let with = inside.saturating_sub(least);
    let tries = [(with, 0), (with, 1), (inside, 0), (inside, 1), (inside, 2), (inside, 3), (inside, 4)];
    let (room, bare) =
        tries.into_iter().find(|(room, bare)| width(&shown, *bare) <= *room).unwrap_or((inside, BARE.len()));
    for at in 0..shown.len() {
        if !shown[at] {
            shown[at] = true;
            shown[at] = width(&shown, bare) <= room;
        }
    }
    (shown, bare)
}

/// Draws the footer: keys of what has the keyboard, and progress as far as there is room.
pub(super) fn footer(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let place = app.place();
    let mut forms = Vec::new();
    let mut timed = None;
    if place == Place::Review {
        let (done, total) = app.progress();
        forms = progress::forms(done, total, app.time_left(), app.counts.decided_today);
        timed = progress::with_time(done, total, app.time_left()).filter(|_| area.width >= TIMED);
    }
    // Where there is room for everything, the guess of the time left is worth more than one more key.
    let least = if area.width >= ROOMY { forms.first() } else { timed.as_ref().or(forms.last()) };
    let least = least.map_or(0, |form| form.width() + 2);
    let inside = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };

    let mut words = Phrase::new();
    if !app.typed.is_empty() {
        let typed: Vec<String> = app.typed.iter().map(ToString::to_string).collect();
        words = words.say(Role::Key, format!("{}…", typed.join(" ")));
    }
    // Within a sequence of keys only what may follow counts.
    let hints = if app.typed.is_empty() { hints(app, place) } else { following(app, place) };
    let taken = if words.is_empty() { 0 } else { words.width() + 2 };
    let (shown, bare) = fitting(&hints, inside.width.saturating_sub(taken), least);
    for (hint, _) in hints.iter().zip(shown).filter(|(_, shown)| *shown) {
        if !words.is_empty() {
            words = words.say(Role::Text, "  ");
        }
        words = words.say(Role::Key, hint.key.as_str());
        if !BARE[..bare].contains(&hint.command) {
            words = words.say(Role::Text, " ").say(Role::Label, hint.word);
        }
    }
    let taken = words.draw(inside, buf, theme);
    let rest = Rect { x: inside.x + taken, width: inside.width.saturating_sub(taken), ..inside };
    // The guess goes before a bar.
    let fullest = forms.iter().take(forms.len().saturating_sub(3)).chain(&timed).chain(&forms);
    let mut fitting = fullest.filter(|form| form.width() + 2 <= rest.width);
    if let Some(form) = fitting.next() {
        form.draw_right(rest, buf, theme);
    }
}
