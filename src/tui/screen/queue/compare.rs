//! Claim and evidence side by side, with all that one of them says otherwise or alone.
//!
//! In narrow windows one stands above the other. Below them the differences are listed: what the claim says, what
//! the evidence says in its place.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::difference::MOST;
use super::{evidence, one_line, short};
use crate::domain::queue::ClaimDetail;
use crate::domain::record::Passage as Evidence;
use crate::domain::verdict::{MatchLevel, Role as EvidenceRole};
use crate::text::compare::{self, DifferenceKind, Reading};
use crate::text::steps;
use crate::tui::app::Selected;
use crate::tui::theme::{Role, Theme};
use crate::tui::widget::glyph;
use crate::tui::widget::overview;
use crate::tui::widget::passage::{Mark, Passage, Scroll};
use crate::tui::widget::phrase::Phrase;

/// From this many columns on the two stand side by side.
const BESIDE: u16 = 72;

/// What was found between a claim and a stretch of a passage.
#[derive(Debug, Default)]
struct Comparison {
    /// The words of both sides where they differ in one thing; nothing on the side that has nothing for it.
    pairs: Vec<(&'static str, String, String)>,
    /// Marks in the claim.
    claim: Vec<Mark>,
    /// Marks in the passage.
    evidence: Vec<Mark>,
    /// The words that the claim alone has and the evidence alone, where they are told in no pair.
    alone: [Vec<String>; 2],
}

/// Compares `claim` with the words of `content` at `place`.
fn compared(claim: &str, content: &str, place: &Range<usize>) -> Comparison {
    let Some(words) = content.get(place.clone()) else { return Comparison::default() };
    let (mine, theirs) = (Reading::new(claim), Reading::new(words));
    let mut found = Comparison {
        claim: alone(&mine, &theirs),
        evidence: alone(&theirs, &mine)
            .into_iter()
            .map(|mark| Mark::new(mark.range.start + place.start..mark.range.end + place.start, mark.role))
            .collect(),
        ..Comparison::default()
    };
    for difference in compare::between(&mine, &theirs) {
        let piece = |span: Option<crate::domain::span::Span>, text: &str| {
            span.and_then(|span| span.of(text)).map_or(String::new(), one_line)
        };
        let pair = (piece(difference.claim, claim), piece(difference.evidence, words));
        let noun = match difference.kind {
            DifferenceKind::Name if !may_be_a_name(&pair.0) && !may_be_a_name(&pair.1) => {
                DifferenceKind::Word.noun()
            }
            kind => kind.noun(),
        };
        found.pairs.push((noun, pair.0, pair.1));
        found.claim.extend(difference.claim.map(|span| Mark::new(span.range(), Role::Difference)));
        found.evidence.extend(
            difference.evidence.map(|span| {
                Mark::new(place.start + span.start()..place.start + span.end(), Role::Difference)
            }),
        );
    }
    found.alone = [told_alone(&found.claim, claim), told_alone(&found.evidence, content)];
    found
}

/// The words of `text` that are marked as unmatched and as nothing else; those that touch are one.
fn told_alone(marks: &[Mark], text: &str) -> Vec<String> {
    let told = |range: &Range<usize>| {
        let mut told = marks.iter().filter(|mark| mark.role == Role::Difference);
        told.any(|mark| mark.range.start < range.end && range.start < mark.range.end)
    };
    let alone = marks.iter().filter(|mark| mark.role == Role::Unmatched && !told(&mark.range));
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for mark in alone {
        match ranges.last_mut() {
            Some(last) if mark.range.start <= last.end => last.end = last.end.max(mark.range.end),
            _ => ranges.push(mark.range.clone()),
        }
    }
    ranges.into_iter().filter_map(|range| text.get(range)).map(one_line).collect()
}

/// What differs between two texts that are not too long, as marks in each: where both say something, and otherwise; what
/// only one of them says is only unmatched.
pub(in crate::tui::screen) fn marks_between(one: &str, other: &str) -> (Vec<Mark>, Vec<Mark>) {
    if one.len() > MOST || other.len() > MOST || one.is_empty() || other.is_empty() {
        return Default::default();
    }
    let (mine, theirs) = (Reading::new(one), Reading::new(other));
    let mut marks = (alone(&mine, &theirs), alone(&theirs, &mine));
    for difference in compare::between(&mine, &theirs) {
        if let (Some(mine), Some(theirs)) = (difference.claim, difference.evidence) {
            marks.0.push(Mark::new(mine.range(), Role::Difference));
            marks.1.push(Mark::new(theirs.range(), Role::Difference));
        }
    }
    marks
}

/// Whether it is written as names are: with a capital or a digit, or in letters that have no capitals. What only
/// stands where a name may stand is called a word here.
fn may_be_a_name(words: &str) -> bool {
    words.chars().any(|c| c.is_uppercase() || c.is_numeric() || (c.is_alphabetic() && !c.is_lowercase()))
}

/// The words that say something in `reading` and stand in `other` in no form.
fn alone(reading: &Reading<'_>, other: &Reading<'_>) -> Vec<Mark> {
    let is_there = |token: &crate::text::tokens::Token| {
        other.contains(token.stem) || other.tokens().iter().any(|theirs| compare::is_kin(token, theirs))
    };
    let alone = reading.tokens().iter().filter(|token| !token.stop && !is_there(token));
    alone.map(|token| Mark::new(token.span.range(), Role::Unmatched)).collect()
}

/// The stretch that is compared: the sentences of the cited words, else a whole passage that is not too long.
fn stretch(selected: &Selected, passage: &Evidence) -> Result<Range<usize>, &'static str> {
    let text = &passage.content;
    let cited = evidence::current_citation(selected)
        .filter(|citation| {
            citation.passage_id == passage.passage_id && citation.level != MatchLevel::NotFound
        })
        .and_then(|citation| citation.span);
    let place = match cited {
        Some(span) => {
            let first = steps::sentence_at(text, span.start()).map_or(span.start(), |one| one.start);
            let last =
                steps::sentence_at(text, span.end().saturating_sub(1)).map_or(span.end(), |one| one.end);
            let whole = first.min(span.start())..last.max(span.end());
            if whole.len() > MOST { span.range() } else { whole }
        }
        None => 0..text.len(),
    };
    if place.len() > MOST { Err("this stretch is too long to compare word by word") } else { Ok(place) }
}

/// Both sides and the list, with their places.
struct Plan<'a> {
    passage: &'a Evidence,
    found: Comparison,
    lines: Vec<Phrase>,
    /// The stretch that is compared, in bytes of the passage.
    place: Option<Range<usize>>,
    left: Rect,
    right: Rect,
    /// Whether they stand side by side.
    beside: bool,
    list: Rect,
}

fn plan<'a>(selected: &Selected, detail: &'a ClaimDetail, room: Rect, theme: &Theme) -> Option<Plan<'a>> {
    let passage = selected.current_stop().and_then(|stop| detail.record.passages.get(stop.passage?))?;
    let place = stretch(selected, passage);
    let found = match &place {
        Ok(place) if detail.claim_text.len() <= MOST => compared(&detail.claim_text, &passage.content, place),
        _ => Comparison::default(),
    };
    let is_whole = place.as_ref().is_ok_and(|place| place.len() == passage.content.len());
    let other = if is_whole { " in the passage" } else { " at the place cited" };
    let lines = list(&found, place.as_ref().err().copied(), other);
    let least = room.height / 3;
    let below = (lines.len() as u16).min(least.max(2)).min(room.height);
    let most = room.height.saturating_sub(below + 1);
    // The list follows on the longer of two texts that stand side by side.
    let wants = |words: &str, width: u16| Passage::new(words, &[], theme, width).height(most) + 1;
    let beside = room.width >= BESIDE;
    let wanted = if beside {
        wants(&detail.claim_text, room.width * 2 / 5 - 2).max(wants(&passage.content, room.width * 3 / 5 - 3))
    } else {
        most
    };
    let sides = Rect { height: wanted.min(most), ..room };
    let (left, right) = if beside {
        // A third is enough for most claims; a bar stands between.
        let width = room.width * 2 / 5;
        let x = sides.x + width + 2;
        (
            Rect { width: width.saturating_sub(1), ..sides },
            Rect { x, width: sides.right().saturating_sub(x), ..sides },
        )
    } else {
        let wanted = Passage::new(&detail.claim_text, &found.claim, theme, sides.width).height(sides.height);
        let height = (wanted + 1).min(sides.height / 2);
        let y = sides.y + height;
        (Rect { height, ..sides }, Rect { y, height: sides.bottom().saturating_sub(y), ..sides })
    };
    let y = (sides.bottom() + 1).min(room.bottom());
    let list = Rect { y, height: room.bottom() - y, ..room };
    Some(Plan { passage, found, lines, place: place.ok(), left, right, beside, list })
}

/// Draws both sides and the list inside `room`.
pub(super) fn draw(selected: &Selected, detail: &ClaimDetail, room: Rect, buf: &mut Buffer, theme: &Theme) {
    let Some(plan) = plan(selected, detail, room, theme) else {
        Phrase::new().say(Role::Warning, "there is no evidence to compare with").draw(room, buf, theme);
        return;
    };
    let Plan { passage, found, lines, place, left, right, beside, list } = plan;
    let count = lines.len();
    for (at, (y, line)) in (list.y..list.bottom()).zip(lines).enumerate() {
        let is_cut = y + 1 == list.bottom() && at + 1 < count;
        let more = || Phrase::new().say(Role::Muted, format!("… and {} more", count - at));
        if is_cut { more() } else { line }.draw(Rect { y, height: 1, ..room }, buf, theme);
    }
    if beside {
        for y in right.y..right.bottom() {
            glyph::put(buf, right.x - 2, y, "│", 1, theme.style(Role::Border));
        }
    }
    let label = Phrase::new().say(Role::Label, "Claim");
    text(&label, &detail.claim_text, &found.claim, (None, Scroll::Auto), left, buf, theme);
    let cited = evidence::current_citation(selected)
        .filter(|citation| citation.passage_id == passage.passage_id)
        .and_then(|citation| Some(Mark::new(citation.span?.range(), Role::of_evidence(citation.role, true))));
    let marks: Vec<Mark> = cited.into_iter().chain(found.evidence).collect();
    let shown = (place.as_ref(), selected.evidence);
    text(&head(selected, passage), &passage.content, &marks, shown, right, buf, theme);
}

/// Where the text of the evidence lies inside `room`.
pub(super) fn evidence_area(
    selected: &Selected,
    detail: &ClaimDetail,
    room: Rect,
    theme: &Theme,
) -> Option<Rect> {
    plan(selected, detail, room, theme).map(|plan| below(plan.right))
}

/// The evidence moved by `lines`, never past its ends.
pub(super) fn scrolled(
    selected: &Selected,
    detail: &ClaimDetail,
    room: Rect,
    theme: &Theme,
    lines: i64,
) -> Option<Scroll> {
    let plan = plan(selected, detail, room, theme)?;
    let rows = below(plan.right);
    let passage = Passage::new(&plan.passage.content, &plan.found.evidence, theme, rows.width);
    Some(passage.scrolled(plan.place.as_ref(), selected.evidence, rows.height, lines))
}

/// The rows of a side below its head, without the column for the overview.
fn below(side: Rect) -> Rect {
    Rect { y: side.y + 1, height: side.height.saturating_sub(1), width: side.width.saturating_sub(1), ..side }
}

fn head(selected: &Selected, passage: &Evidence) -> Phrase {
    let head = Phrase::new().say(Role::Label, "Evidence");
    let head = match evidence::current_citation(selected).map(|citation| citation.role) {
        Some(EvidenceRole::Supports) => head.dot(Role::CurrentSupports, "= supports"),
        Some(EvidenceRole::Contradicts) => head.dot(Role::CurrentContradicts, "≠ contradicts"),
        Some(EvidenceRole::Closest) => head.dot(Role::CurrentClosest, "~ closest, not support"),
        None => head.dot(Role::Muted, "not cited"),
    };
    let head = head.dot(Role::Title, one_line(passage.passage_id.as_str()));
    evidence::source(passage).into_iter().fold(head, |head, word| head.dot(Role::Muted, word))
}

/// One side: its head, its text around what is in focus or from where it was scrolled to, and where in a longer text that is.
fn text(
    head: &Phrase,
    words: &str,
    marks: &[Mark],
    (focus, scroll): (Option<&Range<usize>>, Scroll),
    room: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    if room.height == 0 {
        return;
    }
    head.draw(Rect { height: 1, ..room }, buf, theme);
    let rows = below(room);
    let shown = Passage::new(words, marks, theme, rows.width).draw(focus, scroll, rows, buf);
    if shown.above || shown.below {
        let column = Rect { x: rows.right(), width: 1, ..rows };
        let spans = marks.iter().map(|mark| (mark.range.clone(), mark.role));
        overview::draw(words.len(), &shown, spans, column, buf, theme);
    }
}

/// What differs, one a line, with `other` saying where the other words stand; then what only one of them says.
fn list(found: &Comparison, hindrance: Option<&str>, other: &str) -> Vec<Phrase> {
    if let Some(why) = hindrance {
        return vec![Phrase::new().say(Role::Warning, why)];
    }
    let side = |phrase: Phrase, words: &str| phrase.say(Role::Text, format!("“{}”", short(words, 48)));
    let mut lines: Vec<Phrase> = found
        .pairs
        .iter()
        .map(|(kind, claim, evidence)| {
            let line = Phrase::new().say(Role::Label, format!("{kind:<10}"));
            match (claim.as_str(), evidence.as_str()) {
                (claim, "") => side(line, claim).say(Role::Muted, " in the claim only"),
                ("", evidence) => side(line, evidence).say(Role::Muted, format!("{other} only")),
                (claim, evidence) => {
                    let line = side(line, claim).say(Role::Muted, " in the claim, ");
                    side(line, evidence).say(Role::Muted, other)
                }
            }
        })
        .collect();
    let nothing_alone = found.alone.iter().all(Vec::is_empty);
    if lines.is_empty() {
        // Words of one side alone may be what differs: that is no all-clear.
        let role = if nothing_alone { Role::Ok } else { Role::Muted };
        // Numbers that each side has alone may be the same in other words or not: that they do not differ is not said.
        let is_number = |word: &String| !Reading::new(word).numbers().is_empty();
        let has_number = found.alone.iter().all(|words| words.iter().any(is_number));
        let looked_for = if has_number { "no date" } else { "no number, date" };
        lines.push(Phrase::new().say(role, format!("{looked_for}, name or negation was found to differ")));
    }
    for (words, place) in
        found.alone.iter().zip([" in the claim", other]).filter(|(words, _)| !words.is_empty())
    {
        let noun = if words.len() == 1 { "word" } else { "words" };
        let line = Phrase::new().say(Role::Label, format!("{noun:<10}"));
        let line = line.say(Role::Unmatched, short(&words.join(", "), 40));
        lines.push(line.say(Role::Muted, format!("{place} only")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_differ_are_pairs_and_words_of_one_side_are_marked_there() {
        let claim = "Adults may take 8 g of paracetamol per day.";
        let content =
            "Keep it cool. The maximum dose of paracetamol for adults is 4 g per day. Children less.";
        let place = 14..70;
        let found = compared(claim, content, &place);
        assert!(found.pairs.contains(&("number", "8 g".to_owned(), "4 g".to_owned())), "{:?}", found.pairs);
        let at = |marks: &[Mark], role, text: &'static str| -> Vec<&'static str> {
            marks.iter().filter(|mark| mark.role == role).map(|mark| &text[mark.range.clone()]).collect()
        };
        assert_eq!(at(&found.claim, Role::Difference, claim), ["8 g"]);
        assert_eq!(at(&found.evidence, Role::Difference, content), ["4 g"]);
        let alone = at(&found.evidence, Role::Unmatched, content);
        assert!(alone.contains(&"maximum") && !alone.contains(&"adults"), "{alone:?}");
        assert!(compared(claim, claim, &(0..claim.len())).pairs.is_empty());
    }

    #[test]
    fn words_of_one_side_are_named_and_are_no_all_clear() {
        let claim = "Codeine is suitable for children under 12 years.";
        let content = "Codeine is contraindicated in children under 12 years.";
        let found = compared(claim, content, &(0..content.len()));
        let all_clear = "no number, date, name or negation was found to differ";
        let line = Phrase::new().say(Role::Label, "negation  ").say(Role::Text, "“suitable”");
        let line = line.say(Role::Muted, " in the claim, ").say(Role::Text, "“contraindicated”");
        let line = line.say(Role::Muted, " at the place cited");
        assert_eq!(list(&found, None, " at the place cited"), [line]);
        let aside = "Ask a pharmacist about codeine for a child.";
        let lines = list(&compared(aside, content, &(0..content.len())), None, "");
        assert_eq!(lines[0], Phrase::new().say(Role::Muted, all_clear), "not said as good news");
        assert!(lines.len() > 1, "{lines:?}");
        let (claim, content) = ("It lasted more than 2 hours.", "It lasted more than 3 hours.");
        let lines = list(&compared(claim, content, &(0..content.len())), None, "");
        let spared = "no date, name or negation was found to differ";
        assert_eq!(
            lines[0],
            Phrase::new().say(Role::Muted, spared),
            "the numbers are listed below: {lines:?}"
        );
        let (claim, content) = ("It is safe throughout pregnancy.", "Do not take it during pregnancy.");
        let lines = list(&compared(claim, content, &(0..content.len())), None, " at the place cited");
        let line = Phrase::new().say(Role::Label, "negation  ").say(Role::Text, "“Do not take”");
        assert!(lines.contains(&line.say(Role::Muted, " at the place cited only")), "{lines:?}");
        let same = compared(claim, claim, &(0..claim.len()));
        assert_eq!(list(&same, None, ""), [Phrase::new().say(Role::Ok, all_clear)]);
    }
}
