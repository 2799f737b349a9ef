//! The frame around the claim: its name and verdict above, what was saved and what went wrong below.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::facts;
use crate::domain::blind::Sight;
use crate::domain::decision::DecisionKind;
use crate::domain::finding::AuditState;
use crate::domain::queue::{ClaimDetail, QueueRow};
use crate::domain::verdict::NoVerdict;
use crate::tui::app::{App, Detail, Focus, Mode, ToastKind, View};
use crate::tui::command::{Command, Place};
use crate::tui::hints::Lesson;
use crate::tui::screen::queue::list::{one_line, short};
use crate::tui::theme::Role;
use crate::tui::update::deadline::TOAST;
use crate::tui::widget::badge;
use crate::tui::widget::panel::Panel;
use crate::tui::widget::phrase::Phrase;

/// Draws the frame; returns the room inside.
pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) -> Rect {
    let mut panel = Panel {
        bottom_left: happened(app, area.width),
        focused: app.focus != Focus::Queue,
        ..Panel::default()
    };
    panel.bottom_right = saved_beside(app, &panel.bottom_left, area.width);
    if let Some(selected) = &app.claim {
        let row = app.queue.rows.iter().find(|row| row.key == selected.key);
        match (&selected.detail, row) {
            (Detail::Ready(detail), _) => {
                panel.top_left = name(app, detail).join(way_back(app));
                panel.top_right = verdict(detail, area.width);
            }
            (_, Some(row)) => {
                panel.top_left = Phrase::new().say(Role::Title, one_line(&row.id.to_string()));
                panel.top_right = vec![of_row(row)];
            }
            _ => {}
        }
    }
    panel.draw(area, buf, &app.settings.theme)
}

/// The key that brings the queue back, while the claim has the whole window.
fn way_back(app: &App) -> Phrase {
    let command = match app.view_now() {
        View::Beside => return Phrase::new(),
        View::Wide => Command::Maximise,
        View::Differences => Command::Differences,
    };
    let key = app.settings.keymap.label(command, Place::Review);
    if key.is_empty() {
        return Phrase::new();
    }
    Phrase::new().say(Role::Text, "  ").say(Role::Key, key).say(Role::Muted, " queue")
}

/// How what the last line says is called, where it has to be read to its end; `None` where it only goes by.
pub(in crate::tui::screen) fn to_be_read(app: &App) -> Option<Phrase> {
    let toast = app.toast.as_ref()?;
    let (role, name) = match toast.kind {
        ToastKind::Error => (Role::Error, "✗ not done"),
        ToastKind::Warning if app.question.is_some() => (Role::Warning, "! nothing is recorded yet"),
        ToastKind::Warning if app.overruled.shown.is_some() => (Role::Warning, "! others said otherwise"),
        ToastKind::Warning if toast.until.is_none() => (Role::Warning, "! before you go on"),
        ToastKind::Warning | ToastKind::Info => return None,
    };
    Some(Phrase::new().say(role, name))
}

/// Whether `words` can be read to their end in the edge of a frame that is `width` wide.
pub(in crate::tui::screen) fn fits_edge(words: &str, width: u16) -> bool {
    Phrase::new().say(Role::Error, words).width().saturating_add(8) <= width
}

/// Which claim it is, and of how many.
fn place_of(detail: &ClaimDetail) -> Phrase {
    let id = Phrase::new().say(Role::Title, one_line(&detail.id.to_string()));
    match detail.siblings.iter().position(|sibling| sibling.key == detail.key) {
        Some(at) => id.dot(Role::Text, format!("claim {} of {}", at + 1, detail.siblings.len())),
        None => id,
    }
}

/// Those forms of the verdict beside which the place of the claim can be read; the shortest where none is.
fn beside_name(mut forms: Vec<Phrase>, detail: &ClaimDetail, width: u16) -> Vec<Phrase> {
    // Corners, a dash at both ends and a blank at each side of both.
    let least = place_of(detail).width().saturating_add(8);
    let shortest = forms.pop();
    forms.retain(|form| form.width().saturating_add(least) <= width);
    forms.extend(shortest);
    forms
}

fn name(app: &App, detail: &ClaimDetail) -> Phrase {
    let stays = app.staying.is_some_and(|staying| staying.record == detail.record_key);
    let history = app.trail.position().map_or(String::new(), |(at, of)| format!("history {at}/{of}"));
    place_of(detail).dot(Role::Title, if stays { "staying" } else { "" }).dot(Role::Title, history).dot(
        Role::Muted,
        detail.given_id.as_deref().map(|given| short(&one_line(given), 20)).unwrap_or_default(),
    )
}

fn verdict(detail: &ClaimDetail, width: u16) -> Vec<Phrase> {
    if detail.sight == Sight::Hidden {
        let blind = Phrase::new().say(Role::Warning, "BLIND");
        return vec![blind.clone().dot(Role::Muted, "the judge is hidden"), blind];
    }
    let judged = detail.outcome.judged();
    let is_scored = detail.is_pair && detail.outcome.state() == AuditState::Judged;
    let short = match judged.and_then(|judged| judged.support).filter(|_| is_scored) {
        Some(score) => badge::score(score),
        None => badge::verdict(detail.outcome.state(), judged.map(|judged| judged.verdict)),
    };
    let ranked = facts::severity(detail);
    let rulings = detail.rulings();
    let (in_force, is_set) = badge::in_force(ranked, &rulings, detail.ruled_severity());
    let confidence = |line: Phrase| match judged {
        Some(judged) => line.dot(Role::Text, format!("{:.2}", judged.confidence.get())),
        None => line,
    };
    if let [ruled] = rulings[..] {
        let graded = facts::with_severity(badge::human(ruled), in_force);
        let by = || graded.clone().say(Role::Text, " by a person");
        let agrees = judged.is_some_and(|judged| ruled.as_verdict() == Some(judged.verdict)) && !is_scored;
        let beside = match ranked {
            // Nobody but people has looked at it.
            _ if detail.outcome.state() == AuditState::NoVerdict(NoVerdict::Added) => by(),
            Some(ranked) if agrees && is_set => by().say(Role::Muted, format!(", judge {ranked}")),
            _ if agrees => by().say(Role::Muted, " and the judge"),
            _ if is_set => by().say(Role::Muted, ", judge ").join(facts::with_severity(short, ranked)),
            _ => by().say(Role::Muted, ", judge ").join(short),
        };
        let (mark, mark_role) = badge::set_by_person(true);
        let forms = vec![beside, by(), graded.say(mark_role, mark), badge::human(ruled).say(mark_role, mark)];
        return beside_name(forms, detail, width);
    }
    if rulings.len() > 1 {
        let (sign, role) = badge::sign_in_force((detail.outcome.state(), None), &rulings);
        let people =
            || facts::with_severity(Phrase::new().say(role, format!("{sign} people disagree")), in_force);
        let judge = facts::with_severity(short, ranked);
        let all = people().say(Role::Muted, ", judge ").join(judge);
        let forms = vec![all, people(), Phrase::new().say(role, format!("{sign} disagree"))];
        return beside_name(forms, detail, width);
    }
    let severity = facts::with_severity(short.clone(), ranked);
    vec![confidence(severity.clone()), severity, short]
}

fn of_row(row: &QueueRow) -> Phrase {
    if row.damage.is_some() {
        badge::damaged()
    } else if row.sight == Sight::Hidden {
        Phrase::new().say(Role::Warning, "BLIND")
    } else {
        badge::verdict(row.state, row.verdict)
    }
}

/// The latest thing that happened, or the reason that can be given to the last decision.
fn happened(app: &App, width: u16) -> Phrase {
    if let Some(toast) = &app.toast {
        let (role, sign) = match toast.kind {
            ToastKind::Info => (Role::Ok, ""),
            ToastKind::Warning => (Role::Warning, "! "),
            ToastKind::Error => (Role::Error, "✗ "),
        };
        // Why a key was dropped gives way to what was saved: both are news of the same moment.
        let least = if is_of_the_mark(app) || app.dropped > 0 {
            saved(app).last().map_or(0, |mark| mark.width() + 3)
        } else {
            0
        };
        let fits = |said: &Phrase| said.width() + least + 5 <= width;
        let brief = toast.text.rsplit_once(" (").filter(|_| app.dropped > 0).map(|(brief, _)| brief);
        let say = |text: &str| Phrase::new().say(role, format!("{sign}{}", one_line(text)));
        let forms = std::iter::once(toast.text.as_str()).chain(brief).map(say);
        let said = forms.into_iter().find(fits).unwrap_or_else(|| {
            let text = format!("{sign}{}", one_line(&toast.text));
            Phrase::new().say(role, whole_words(&text, width.saturating_sub(least)))
        });
        // What is longer has a box of its own.
        let boxed = to_be_read(app).filter(|_| !fits_edge(&toast.text, width));
        return boxed.unwrap_or(said);
    }
    let marks = saved(app);
    let fits = |hint: &Phrase, mark: Option<&Phrase>| {
        hint.width() + mark.map_or(0, |mark| mark.width() + 3) + 5 <= width
    };
    // The time of the mark gives way to a longer hint, its verdict does not. No hint is cut.
    let hints = hints(app);
    // A line for a newcomer gives way to the name of what was saved too.
    let is_lesson = !marks.is_empty() && app.hints.lesson().is_some();
    let (mark, least) = if is_lesson {
        (marks.get(1), marks.get(1))
    } else {
        (marks.iter().rev().nth(2).or(marks.last()), marks.last())
    };
    let hint = hints.iter().find(|hint| fits(hint, mark));
    let shortest = || hints.last().filter(|hint| fits(hint, least));
    hint.or_else(shortest).cloned().unwrap_or_default()
}

/// As many whole words of `text` as an edge that is `width` wide has room for.
fn whole_words(text: &str, width: u16) -> String {
    let mut kept = String::new();
    for word in text.split_inclusive(' ') {
        let longer = format!("{kept}{word}");
        if Phrase::new().say(Role::Text, format!("{}…", longer.trim_end())).width() + 5 > width {
            break;
        }
        kept = longer;
    }
    format!("{}…", kept.trim_end())
}

/// What can be done about the last decision, the longest form first.
fn hints(app: &App) -> Vec<Phrase> {
    // These keys do nothing there.
    if matches!(app.mode, Mode::Many(_)) {
        return Vec::new();
    }
    // The first keys are those of an open review.
    if let Some(lesson) = app.hints.lesson().filter(|_| app.settings.blind.is_none()) {
        return lesson_forms(app, lesson);
    }
    // What was done since is what is spoken of.
    let is_last = |id: &str| app.saved.as_ref().is_none_or(|saved| saved.subject == id);
    let last = app.last_decision.as_ref().filter(|last| is_last(&last.id.to_string()));
    let Some(last) = last else { return Vec::new() };
    let is_reasoned = last.reason.is_some();
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let reason = |words: String| Phrase::new().say(Role::Key, key(Command::Reason)).say(Role::Muted, words);
    let more = |hint: Phrase, names: bool| match &app.left {
        Some(left) => {
            let answer = short(&one_line(left.record.audit_id.as_str()), 20);
            let of = if names { format!(" of {answer}") } else { String::new() };
            hint.dot(Role::Key, key(Command::StayWithAnswer))
                .say(Role::Muted, format!(" {} more{of}", left.open_besides()))
        }
        None => hint,
    };
    if is_reasoned {
        let left = |names| app.left.as_ref().map(|_| more(Phrase::new(), names));
        return [left(true), left(false)].into_iter().flatten().collect();
    }
    let named = || reason(format!(" + letter: reason for {}", short(&one_line(&last.id.to_string()), 24)));
    let plain = || reason(" + letter: reason".to_owned());
    let brief = || reason(" reason".to_owned());
    if app.claim.as_ref().is_none_or(|claim| claim.key != last.claim) {
        // Another claim is in hand: without its name the key seems to be about that one.
        let id = one_line(&last.id.to_string());
        let brief = |most| reason(format!(" reason for {}", short(&id, most)));
        return vec![more(named(), true), more(named(), false), more(brief(24), false), brief(24), brief(14)];
    }
    vec![
        more(named(), true),
        more(named(), false),
        more(plain(), true),
        more(plain(), false),
        more(brief(), false),
        brief(),
    ]
}

/// The line for a newcomer, the longest form first; a command that has no key is left out.
fn lesson_forms(app: &App, lesson: &Lesson) -> Vec<Phrase> {
    let key = |command| app.settings.keymap.label(command, Place::Review);
    // Where the judge has no verdict, there is nothing to agree with.
    let has_verdict = app.detail().is_none_or(|detail| detail.outcome.judged().is_some());
    let told = lesson
        .words
        .iter()
        .filter(|(command, _)| !key(*command).is_empty() && (has_verdict || *command != Command::Confirm));
    let told: Vec<Phrase> = told
        .map(|(command, words)| {
            Phrase::new().say(Role::Key, key(*command)).say(Role::Muted, format!(" {words}"))
        })
        .collect();
    let joined = |most: usize| {
        let parts = told.iter().take(most).cloned();
        parts.reduce(|line, part| line.say(Role::Muted, " · ").join(part)).unwrap_or_default()
    };
    (1..=told.len()).rev().map(joined).collect()
}

/// The mark of the last save for an edge that is `width` wide, with `happened` at its left: hints and warnings are
/// read to their end, news give way to the shortest mark.
pub(in crate::tui::screen) fn saved_beside(app: &App, happened: &Phrase, width: u16) -> Vec<Phrase> {
    let room = width.saturating_sub(happened.width() + 8);
    let is_free = |form: &Phrase| happened.is_empty() || form.width() <= room;
    let is_news = app.dropped > 0 || is_of_the_mark(app);
    let mut marks = saved(app);
    if app.saving.is_none() && app.dropped == 0 && app.toast.is_some() && !is_news {
        // Beside other news an older mark is read with its time, or not at all.
        let is_failure = app.toast.as_ref().is_some_and(|toast| toast.kind == ToastKind::Error);
        marks.truncate(usize::from(!is_failure));
        return marks.into_iter().filter(is_free).collect();
    }
    let least = marks.pop().filter(|least| is_news || is_free(least));
    marks.into_iter().filter(is_free).chain(least).collect()
}

/// Whether what is said was said about what was saved last, and not since.
fn is_of_the_mark(app: &App) -> bool {
    let Some(toast) = app.toast.as_ref().filter(|toast| toast.kind == ToastKind::Info) else { return false };
    let until = toast.until.zip(app.saved.as_ref());
    until.is_some_and(|(until, saved)| until.since(saved.at) <= TOAST + Duration::from_millis(100))
}

/// What the store has on disk.
fn saved(app: &App) -> Vec<Phrase> {
    if let Some(subject) = &app.saving {
        return vec![Phrase::new().say(Role::Warning, format!("saving {}…", short(&one_line(subject), 24)))];
    }
    // A stroke that may be that of a held key is told at once, though it counts a moment later.
    if let Some(unsure) = app.strokes.unsure {
        let key = app.settings.keymap.label(unsure.command, Place::Review);
        return vec![Phrase::new().say(Role::Warning, format!("{key} …"))];
    }
    let Some(saved) = &app.saved else { return Vec::new() };
    let mark = || Phrase::new().say(Role::Ok, "✓ saved ");
    let named = || mark().say(Role::Text, format!("{} ", short(&one_line(&saved.subject), 24)));
    let time = || facts::time(saved.at);
    let Some((kind, ruling)) = &saved.ruling else {
        let what = || Phrase::new().say(Role::Text, one_line(&saved.what));
        return vec![
            named().join(what()).dot(Role::Muted, time()),
            named().join(what()),
            mark().join(what()),
            Phrase::new().say(Role::Ok, "✓ saved"),
        ];
    };
    // A digit pressed by mistake is seen by the verdict, and what it stands for by the severity: the time gives way
    // first, then the name, these two never.
    let verb = match kind {
        DecisionKind::Confirmed => "confirmed ",
        DecisionKind::Overridden => "overridden: ",
    };
    let graded = || facts::with_severity(badge::ruling(ruling), ruling.severity);
    let (grade, role) = badge::severity(ruling.severity);
    let word = match ruling.score {
        Some(score) => format!("{}/5", score.get()),
        None => badge::human_word(ruling.verdict).to_owned(),
    };
    let brief = |word: Phrase| match ruling.severity {
        Some(_) => word.say(Role::Text, " ").say(role, grade.trim_end()),
        None => word,
    };
    vec![
        named().say(Role::Text, verb).join(graded()).dot(Role::Muted, time()),
        named().join(graded()),
        mark().join(graded()),
        mark().join(brief(badge::ruling(ruling))),
        brief(Phrase::new().say(Role::Ok, "saved ").say(Role::Text, word)),
    ]
}
