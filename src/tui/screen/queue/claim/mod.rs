//! The claim in hand with all that is needed to judge it, in one glance.
//!
//! The panel is a column of parts. Each says how many rows it would like; `plan` gives rows to what
//! decides first (answer, evidence, why) and to the rest as room allows. Nothing has to be scrolled
//! to see verdict, claim, span and reason.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::compare;
use super::difference::{self, Differences};
use super::evidence::{self, Shown};
use super::room::{self, Step};
use crate::domain::queue::ClaimDetail;
use crate::domain::verdict::{MatchLevel, Verdict};
use crate::tui::app::{App, Detail, Focus, Selected, View};
use crate::tui::command::{Command, Place};
use crate::tui::screen::inside;
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::passage::{self, Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;
use crate::tui::widget::{badge, glyph};

pub(in crate::tui::screen) mod facts;
mod frame;
mod keys;
mod margin;
pub(in crate::tui::screen) mod pointed;

pub(in crate::tui::screen) use frame::{fits_edge, saved_beside, to_be_read};
pub(in crate::tui::screen) use margin::text_goes_on;
use margin::where_in_text;

/// Columns of the words before the parts.
const GUTTER: u16 = 10;

/// Wider lines are hard to read.
const LONGEST_LINE: u16 = 110;

/// What a part holds.
#[derive(Debug)]
enum Body<'a> {
    /// Lines that are ready.
    Lines(Vec<Phrase>),
    /// The claims of the answer, of which the one at this index must be among those shown.
    Claims(usize),
    /// Words that wrap.
    Words(String, Role),
    Answer(Vec<Mark>, Option<Range<usize>>),
    /// The claim's own words, with what differs.
    Claim(Vec<Mark>),
    Passage(Shown<'a>),
    Blank,
}

#[derive(Debug)]
struct Part<'a> {
    label: &'static str,
    body: Body<'a>,
    /// Rows it takes when there is no end of room.
    wants: u16,
}

/// Parts with their place on the screen.
struct Plan<'a> {
    detail: &'a ClaimDetail,
    placed: Vec<(Part<'a>, Rect)>,
}

/// Draws the pane.
pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let theme = &app.settings.theme;
    let room = frame::draw(app, area, buf);
    let Some(selected) = &app.claim else { return };
    match &selected.detail {
        Detail::Loading => {
            say(&[Phrase::new().say(Role::Muted, "reading the claim…")], room, buf, theme);
        }
        Detail::Error(reason) => {
            let row = app.queue.rows.iter().find(|row| row.key == selected.key);
            let damage = row.and_then(|row| row.damage.as_deref());
            let words = format!(
                "{}\n\nThe queue is untouched, and other claims may still open. `juror verify` checks the store.",
                damage.unwrap_or(reason)
            );
            let head = if damage.is_some() {
                badge::damaged().say(Role::Error, ": this claim cannot be read, so it cannot be decided.")
            } else {
                Phrase::new().say(Role::Error, "This claim could not be read.")
            };
            say(&[head], room, buf, theme);
            words_in(&words, Role::Text, below_head(room), buf, theme);
        }
        Detail::Ready(detail) if app.view_now() == View::Differences => {
            compare::draw(selected, detail, room, buf, theme);
        }
        Detail::Ready(detail) => {
            let plan = plan(app, selected, detail, room);
            for (part, rows) in &plan.placed {
                draw_part(app, selected, plan.detail, part, *rows, buf);
            }
        }
    }
}

/// Where answer and evidence text lie, for the keys that move through them.
pub fn text_areas(app: &App, area: Rect) -> (Rect, Rect) {
    let nowhere = Rect { width: 0, height: 0, ..area };
    let Some((selected, detail)) = ready(app) else { return (nowhere, nowhere) };
    if app.view_now() == View::Differences {
        let evidence = compare::evidence_area(selected, detail, inside(area), &app.settings.theme);
        return (nowhere, evidence.unwrap_or(nowhere));
    }
    let plan = plan(app, selected, detail, inside(area));
    let find = |wanted: &dyn Fn(&Body<'_>) -> bool| {
        plan.placed.iter().find(|(part, _)| wanted(&part.body)).map(|(_, rows)| *rows)
    };
    let answer = find(&|body| matches!(body, Body::Answer(..)));
    let evidence = find(&|body| matches!(body, Body::Passage(shown) if shown.current)).map(below_head);
    (answer.unwrap_or(nowhere), evidence.unwrap_or(nowhere))
}

/// Moves the text of `focus` by `lines`.
pub fn scrolled(app: &App, area: Rect, focus: Focus, lines: i64) -> Scroll {
    let Some((selected, detail)) = ready(app) else { return Scroll::Auto };
    let theme = &app.settings.theme;
    if app.view_now() == View::Differences {
        // The claim is short: only the evidence moves.
        let moved = compare::scrolled(selected, detail, inside(area), theme, lines);
        return moved.filter(|_| focus == Focus::Evidence).unwrap_or(selected.answer);
    }
    let plan = plan(app, selected, detail, inside(area));
    for (part, rows) in &plan.placed {
        match &part.body {
            Body::Answer(marks, claim) if focus == Focus::Answer => {
                return Passage::new(&detail.record.answer, marks, theme, rows.width).scrolled(
                    claim.as_ref(),
                    selected.answer,
                    rows.height,
                    lines,
                );
            }
            Body::Passage(shown) if shown.current && focus == Focus::Evidence => {
                return Passage::new(shown.text, &shown.marks, theme, rows.width).scrolled(
                    shown.focus.as_ref(),
                    selected.evidence,
                    below_head(*rows).height,
                    lines,
                );
            }
            _ => {}
        }
    }
    Scroll::Auto
}

fn ready(app: &App) -> Option<(&Selected, &ClaimDetail)> {
    let selected = app.claim.as_ref()?;
    Some((selected, selected.detail()?))
}

fn below_head(rows: Rect) -> Rect {
    Rect { y: rows.y + 1, height: rows.height.saturating_sub(1), ..rows }
}

/// A blank row before a passage that stands below another, where there is room.
fn lead(part: &Part<'_>, shown: &Shown<'_>, rows: Rect) -> Rect {
    let lead = u16::from(shown.below && rows.height >= part.wants.min(4));
    Rect { y: rows.y + lead, height: rows.height - lead, ..rows }
}

fn say(lines: &[Phrase], room: Rect, buf: &mut Buffer, theme: &Theme) {
    for (y, line) in (room.y..room.bottom()).zip(lines) {
        line.draw(Rect { y, height: 1, ..room }, buf, theme);
    }
}

/// Chooses the parts and gives each its rows.
fn plan<'a>(app: &App, selected: &Selected, detail: &'a ClaimDetail, room: Rect) -> Plan<'a> {
    let theme = &app.settings.theme;
    let text =
        Rect { x: room.x + GUTTER, width: room.width.saturating_sub(GUTTER).min(LONGEST_LINE), ..room };
    let height = room.height;
    let differences = differences(selected, detail);
    let mut parts = Vec::new();
    let mut add = |label: &'static str, body: Body<'a>| {
        let wants = wants(&body, detail, theme, text.width, height);
        parts.push(Part { label, body, wants });
        parts.len() - 1
    };

    let blind = match facts::dispute(app, detail) {
        Some(line) => Some(add("Dispute", Body::Lines(vec![line]))),
        None => facts::blind(app, detail).map(|line| {
            let own = [facts::dependent(detail), facts::own_spans(detail)].into_iter().flatten();
            let keys = if height >= 24 { facts::blind_keys(app, detail) } else { Vec::new() };
            add("Blind", Body::Lines(std::iter::once(line).chain(own).chain(keys).collect()))
        }),
    };
    let held = match &detail.gone {
        Some(why) => Some(add("Replaced", Body::Words(why.clone(), Role::Warning))),
        None => facts::held(app, detail).map(|line| add("Held", Body::Lines(vec![line]))),
    };
    let question = detail.record.question.clone();
    let question = question.map(|words| add("Question", Body::Words(words, Role::Text)));
    let (marks, place, own_words) = answer_marks(detail, &differences);
    let answer = add("Answer", Body::Answer(marks, place));
    let wide = (app.view_now() == View::Wide).then_some(app.focus);
    // Where the answer gives way to the evidence, the claim still stands there in words.
    let own_words = own_words.or_else(|| {
        let places = differences.claim.iter().cloned();
        wide.filter(|focus| *focus != Focus::Answer)
            .map(|_| places.map(|place| Mark::new(place, Role::Difference)).collect())
    });
    let claim = own_words.map(|marks| add("Claim", Body::Claim(marks)));
    let space_1 = add("", Body::Blank);
    let mut passages: Vec<(usize, bool, bool)> = Vec::new();
    let mut about = None;
    let shown = evidence::passages(selected, detail, &differences);
    if shown.is_empty() {
        let none = Phrase::new().say(Role::Warning, "this record came without evidence");
        passages.push((add("Evidence", Body::Lines(vec![none])), true, false));
    }
    for shown in shown {
        let (current, cited) = (shown.current, shown.cited);
        passages.push((add("", Body::Passage(shown)), current, cited));
        if current && let Some(words) = evidence::metadata(app, selected, detail) {
            about = Some(add("Metadata", Body::Words(words, Role::Muted)));
        }
    }
    let quote = facts::quote(evidence::current_citation(selected))
        .map(|quote| add("Quote", Body::Words(quote, Role::Warning)));
    let space_2 = add("", Body::Blank);
    let why = add("Why", Body::Words(facts::why(detail), Role::Title));
    let severities = keys::severities(app, selected, detail);
    let severities = severities.map(|line| add("Severity", Body::Lines(vec![line])));
    let you = facts::decisions(detail, if height >= 34 { text.width } else { u16::MAX });
    let you = (!you.is_empty()).then(|| add("Decided", Body::Lines(you)));
    let in_queue = add("In queue", Body::Words(facts::in_queue(detail), Role::Text));
    let log = app.settings.keymap.label(Command::Exchanges, Place::Review);
    let judge = add("Judge", Body::Lines(vec![facts::judge(detail, &log, text.width, height < 34)]));
    let bot = facts::bot(detail).filter(|_| height >= 34).map(|line| add("Bot", Body::Lines(vec![line])));
    let opens = app.settings.keymap.label(Command::Annotate, Place::Review);
    let notes = facts::notes(detail, &opens, (text.width, usize::from(height)));
    let notes = (!notes.is_empty()).then(|| add("Notes", Body::Lines(notes)));
    let earlier = facts::earlier(detail, usize::from(height));
    let earlier = (!earlier.is_empty()).then(|| add("Before", Body::Lines(earlier)));
    let space_3 = add("", Body::Blank);
    let here = detail.siblings.iter().position(|sibling| sibling.key == detail.key).unwrap_or(0);
    let siblings = (detail.siblings.len() > 1).then(|| add("Claims", Body::Claims(here)));

    let current =
        passages.iter().find(|(_, current, _)| *current).or(passages.first()).map(|(part, ..)| *part);
    let others = |cited: bool| {
        passages
            .iter()
            .filter(move |(part, _, is)| Some(*part) != current && *is == cited)
            .map(|(part, ..)| *part)
    };
    let wish = |part: Option<usize>, most: u16| {
        part.and_then(|part| parts.get(part).map(|found| Step { part, rows: found.wants.min(most) }))
    };
    let share = height * 2 / 5;
    let (roomy, spacious) = (height >= 24, height >= 34);
    let wide = match wide {
        Some(Focus::Answer) => [wish(blind, 1), wish(held, 1), wish(Some(answer), height), None, None, None],
        Some(_) => [
            wish(blind, 1),
            wish(held, 1),
            wish(claim, 3),
            wish(Some(why), 1),
            wish(about, height / 2),
            wish(current, height),
        ],
        None => [None; 6],
    };
    let mut steps: Vec<Step> = [
        wish(blind, 1),
        wish(current, 2),
        wish(Some(answer), 1),
        wish(Some(why), 1),
        wish(held, 1),
        wish(you, 1),
        wish(blind, 2),
        wish(current, 4),
        wish(about, height / 2),
        wish(Some(answer), 3),
        wish(quote, 1),
        wish(Some(in_queue), 1),
        wish(claim, 1),
        wish(notes, 1),
        wish(you, 2),
        wish(Some(judge), 1),
        wish(severities, 1),
        wish(earlier, 1),
        wish(current, 6),
        wish(Some(why), 2),
        wish(claim, 2),
        wish(blind, 4),
        wish(Some(answer), share),
        // A note that has to be hunted for is not read.
        wish(current, 8),
        wish(notes, 3),
        // Where there is room to breathe, a long passage does not take all of it.
        wish(question.filter(|_| roomy), 1),
        wish(Some(space_1).filter(|_| roomy), 1),
        wish(Some(space_2).filter(|_| roomy), 1),
        wish(siblings.filter(|_| spacious), 4),
        wish(bot, 1),
        wish(Some(space_3).filter(|_| spacious), 1),
        wish(current, height),
        wish(about, height),
        wish(notes, 6),
        wish(Some(why), 6),
        wish(Some(answer), height),
        wish(question, 2),
        wish(you, 8),
        wish(quote, 3),
        wish(claim, 4),
        wish(Some(in_queue), 2),
        wish(Some(space_1), 1),
        wish(Some(space_2), 1),
    ]
    .into_iter()
    .flatten()
    .collect();
    steps.extend(others(true).filter_map(|part| wish(Some(part), height)));
    steps.extend([wish(notes, 6), wish(earlier, 3), wish(siblings, 3)].into_iter().flatten());
    steps.extend(others(false).filter_map(|part| wish(Some(part), height)));
    steps.extend(
        [wish(siblings, height), wish(Some(space_3), 1), wish(notes, height), wish(earlier, height)]
            .into_iter()
            .flatten(),
    );
    let steps: Vec<Step> = wide.into_iter().flatten().chain(steps).collect();
    let rows = room::share(parts.len(), height, &steps);

    let mut y = room.y;
    let mut first_passage = true;
    let mut placed = Vec::new();
    for (mut part, rows) in parts.into_iter().zip(rows) {
        // A passage of which only the head would show says nothing.
        let useless =
            rows == 1 && part.wants > 1 && matches!(&part.body, Body::Passage(shown) if !shown.current);
        if rows == 0 || useless {
            continue;
        }
        if matches!(part.body, Body::Passage(_)) && std::mem::take(&mut first_passage) {
            part.label = "Evidence";
        }
        placed.push((part, Rect { y, height: rows, ..text }));
        y += rows;
    }
    Plan { detail, placed }
}

fn wants(body: &Body<'_>, detail: &ClaimDetail, theme: &Theme, width: u16, most: u16) -> u16 {
    match body {
        Body::Lines(lines) => lines.len().min(usize::from(most)) as u16,
        Body::Claims(_) => detail.siblings.len().min(usize::from(most)) as u16,
        Body::Words(words, _) => Passage::new(words, &[], theme, width).height(most),
        Body::Answer(marks, _) => Passage::new(&detail.record.answer, marks, theme, width).height(most),
        Body::Claim(marks) => Passage::new(&detail.claim_text, marks, theme, width).height(most),
        // Head and text; a blank row before all but the first.
        Body::Passage(shown) => {
            1 + u16::from(shown.below) + Passage::new(shown.text, &shown.marks, theme, width).height(most)
        }
        Body::Blank => 1,
    }
}

/// What differs between claim and evidence in hand; nothing where the judge sees full support.
fn differences(selected: &Selected, detail: &ClaimDetail) -> Differences {
    let fully = detail.outcome.judged().is_some_and(|judged| judged.verdict == Verdict::FullySupported);
    let Some(citation) = evidence::current_citation(selected).filter(|_| !fully) else {
        return Differences::default();
    };
    let cited = detail
        .record
        .passage(&citation.passage_id)
        .zip(citation.span.filter(|_| citation.level != MatchLevel::NotFound));
    cited.map_or_else(Differences::default, |(passage, span)| {
        difference::between(&detail.claim_text, &passage.content, span)
    })
}

/// Marks in the answer, the claim's place in it, and the marks of the claim's own words where the
/// answer says it differently or not at all.
fn answer_marks(
    detail: &ClaimDetail,
    differences: &Differences,
) -> (Vec<Mark>, Option<Range<usize>>, Option<Vec<Mark>>) {
    let span = detail.answer_span;
    let mut marks: Vec<Mark> = detail
        .siblings
        .iter()
        .filter(|sibling| sibling.key != detail.key)
        .filter_map(|sibling| Some((sibling, sibling.answer_span?)))
        .filter(|(_, place)| span.is_none_or(|span| !span.overlaps(*place)))
        .map(|(sibling, place)| Mark {
            sign: Some(badge::sign_in_force((sibling.state, sibling.verdict), &sibling.rulings)),
            ..Mark::new(place.range(), Role::Sibling)
        })
        .collect();
    let in_claim = || differences.claim.iter().cloned();
    let idle = detail.no_claims.iter().map(|none| Mark::new(none.answer_span.range(), Role::Muted));
    marks.extend(idle);
    let Some(span) = span else {
        return (marks, None, Some(in_claim().map(|place| Mark::new(place, Role::Difference)).collect()));
    };
    marks.push(Mark::new(span.range(), Role::Claim));
    let quoted = span.of(&detail.record.answer).unwrap_or_default();
    // The claim is often the quoted sentence itself, with or without its full stop.
    let Some(offset) = quoted.find(detail.claim_text.trim_end_matches('.')) else {
        let own = in_claim().map(|place| Mark::new(place, Role::Difference)).collect();
        return (marks, Some(span.range()), Some(own));
    };
    let at = span.start() + offset;
    let inside = in_claim().filter(|place| at + place.end <= span.end());
    marks.extend(inside.map(|place| Mark::new(at + place.start..at + place.end, Role::Difference)));
    (marks, Some(span.range()), None)
}

fn draw_part(
    app: &App,
    selected: &Selected,
    detail: &ClaimDetail,
    part: &Part<'_>,
    rows: Rect,
    buf: &mut Buffer,
) {
    let theme = &app.settings.theme;
    let focused = match &part.body {
        Body::Answer(..) => app.focus == Focus::Answer,
        Body::Passage(shown) => shown.current && app.focus == Focus::Evidence,
        _ => false,
    };
    let label = Rect { x: rows.x - GUTTER, width: GUTTER - 1, height: 1, ..rows };
    Phrase::new().say(if focused { Role::Title } else { Role::Label }, part.label).draw(label, buf, theme);
    if focused {
        glyph::put(buf, label.x - 1, label.y, "▌", 1, theme.style(Role::Cursor));
    }
    match &part.body {
        Body::Lines(lines) => {
            say(lines, rows, buf, theme);
            if lines.len() > usize::from(rows.height) && rows.height > 0 {
                glyph::put(buf, rows.right(), rows.bottom() - 1, "↓", 1, theme.style(Role::Muted));
            }
        }
        Body::Claims(here) => {
            let room = usize::from(rows.height);
            let top = here.saturating_sub(room / 2).min(detail.siblings.len().saturating_sub(room));
            say(&facts::siblings(detail, top, room), rows, buf, theme);
            let below = top + room < detail.siblings.len();
            text_goes_on(
                &passage::Shown { above: top > 0, below, ..passage::Shown::default() },
                rows,
                buf,
                theme,
            );
        }
        Body::Words(words, role) => words_in(words, *role, rows, buf, theme),
        Body::Answer(marks, claim) => {
            let passage = Passage::new(&detail.record.answer, marks, theme, rows.width);
            let shown = passage.draw(claim.as_ref(), selected.answer, rows, buf);
            where_in_text(&detail.record.answer, marks, &shown, rows, buf, theme);
        }
        Body::Claim(marks) => {
            let passage = Passage::new(&detail.claim_text, marks, theme, rows.width);
            let shown = passage.draw(None, Scroll::Auto, rows, buf);
            if shown.below && rows.height > 0 {
                glyph::put(buf, rows.right(), rows.bottom() - 1, "…", 1, theme.style(Role::Muted));
            }
        }
        Body::Passage(shown) => {
            let rows = lead(part, shown, rows);
            shown.head.draw(Rect { height: rows.height.min(1), ..rows }, buf, theme);
            let scroll = if shown.current { selected.evidence } else { Scroll::Auto };
            let passage = Passage::new(shown.text, &shown.marks, theme, rows.width);
            let lines = passage.draw(shown.focus.as_ref(), scroll, below_head(rows), buf);
            where_in_text(shown.text, &shown.marks, &lines, below_head(rows), buf, theme);
        }
        Body::Blank => {}
    }
}

/// Wraps plain words; the last row ends with `…` when there are more.
pub(in crate::tui::screen) fn words_in(words: &str, role: Role, rows: Rect, buf: &mut Buffer, theme: &Theme) {
    let marks = [Mark::new(0..words.len(), role)];
    let passage = Passage::new(words, &marks, theme, rows.width);
    let shown = passage.draw(None, Scroll::Auto, rows, buf);
    if shown.below && rows.height > 0 {
        glyph::put(buf, rows.right(), rows.bottom() - 1, "…", 1, theme.style(Role::Muted));
    }
}
