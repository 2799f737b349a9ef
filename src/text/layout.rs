//! How a plain text is laid out: lines, list items, headings, paragraphs. Knows the marks that
//! people and models write at the start of a line, not what stands behind them.

use std::ops::Range;

use super::script::{Script, has_word_breaks};

/// A line without a stop at its end is taken for a wrapped one, which goes on below, from this many
/// characters; a shorter one for a heading or an item.
const WRAPPED_LINE: usize = 45;

/// The same for scripts whose characters are twice as wide.
const WRAPPED_WIDE_LINE: usize = 22;

/// Words that no line ends with unless it goes on below.
const HANGING: &[&str] = &[
    "a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "from", "with", "and", "or", "than", "is",
    "are", "was", "were", "be", "that", "which", "as", "about", "per",
];

/// The stretches of `text` that no sentence crosses: paragraphs, list items, headings, rows of a
/// table. Without the marks before them (`- `, `2. `, `## `, `> `).
pub(super) fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<Open<'_>> = None;
    let mut at = 0;
    for raw in text.split_inclusive('\n') {
        let start = at + (raw.len() - raw.trim_start().len());
        let line = raw.trim();
        at += raw.len();
        let (marks, heading) = marks(line);
        let content = line.get(marks..).unwrap_or_default();
        if content.chars().all(is_rule) {
            found.extend(open.take().map(Open::range));
            continue;
        }
        let end = start + line.len();
        match &mut open {
            Some(block) if marks == 0 && !block.heading && goes_on(block.last, content) => {
                block.end = end;
                block.last = content;
            }
            _ => {
                let block = Open { start: start + marks, end, last: content, heading };
                found.extend(open.replace(block).map(Open::range));
            }
        }
    }
    found.extend(open.map(Open::range));
    found
}

struct Open<'a> {
    start: usize,
    end: usize,
    /// The block's last line.
    last: &'a str,
    heading: bool,
}

impl Open<'_> {
    fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// What draws a line or separates, and says nothing.
pub(super) fn is_rule(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || c.is_ascii_punctuation()
        || matches!(c, '•' | '·' | '◦' | '▪' | '●' | '‣' | '–' | '—' | '…' | '─' | '━' | '═')
}

/// Whether the line `next` continues the line `last` above it.
fn goes_on(last: &str, next: &str) -> bool {
    if last.starts_with('|') || next.starts_with('|') || last.ends_with([':', '：']) {
        return false;
    }
    let first = next.chars().find(|c| c.is_alphanumeric());
    let hanging = last.rsplit(char::is_whitespace).next().is_some_and(|word| HANGING.contains(&word));
    if hanging || first.is_some_and(char::is_lowercase) {
        return true;
    }
    let enough = match first.and_then(Script::of) {
        Some(script) if !has_word_breaks(script) => WRAPPED_WIDE_LINE,
        _ => WRAPPED_LINE,
    };
    last.ends_with(['.', ',', ';', '(', '-', '–', '—', '،', '؛', '、', '，'])
        || last.chars().nth(enough).is_some()
}

/// The length in bytes of the marks that open `line`, with the white space behind them, and whether
/// they make it a heading.
fn marks(line: &str) -> (usize, bool) {
    let mut rest = line;
    let mut heading = false;
    // Quotation, item and check box may follow one another; deeper nesting is no list any more.
    for _ in 0..4 {
        let Some((after, is_heading)) = after_mark(rest) else { break };
        heading |= is_heading;
        rest = after;
    }
    (line.len() - rest.len(), heading)
}

/// The rest of `line` after one mark and whether the mark was that of a heading.
fn after_mark(line: &str) -> Option<(&str, bool)> {
    let spaced = |rest: &str| rest.starts_with(char::is_whitespace);
    let mut chars = line.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    let after = match first {
        '#' => {
            let rest = line.trim_start_matches('#');
            if spaced(rest) && line.len() - rest.len() <= 6 {
                return Some((rest.trim_start(), true));
            }
            return None;
        }
        '>' | '•' | '◦' | '▪' | '●' | '‣' => Some(rest),
        '-' | '*' | '+' | '·' | '–' | '—' => Some(rest).filter(|rest| spaced(rest)),
        '[' => rest
            .strip_prefix([' ', 'x', 'X'])
            .and_then(|rest| rest.strip_prefix(']'))
            .filter(|rest| spaced(rest)),
        '(' => after_number(rest)
            .or_else(|| after_letter(rest))
            .and_then(|rest| rest.strip_prefix(')'))
            .filter(|rest| spaced(rest)),
        _ => after_number(line)
            .and_then(|rest| rest.strip_prefix(['.', ')', '．', '、', '）']))
            .or_else(|| after_letter(line).and_then(|rest| rest.strip_prefix(')')))
            .filter(|rest| spaced(rest)),
    };
    after.map(|rest| (rest.trim_start(), false))
}

/// What follows a number of one to three digits, or several with dots between them.
fn after_number(line: &str) -> Option<&str> {
    let mut rest = line;
    loop {
        let digits = rest.chars().take(4).take_while(|c| c.is_numeric()).count();
        if !(1..=3).contains(&digits) {
            return None;
        }
        rest = rest.get(rest.char_indices().nth(digits).map_or(rest.len(), |(at, _)| at)..)?;
        match rest.strip_prefix('.').filter(|more| more.starts_with(char::is_numeric)) {
            Some(more) => rest = more,
            None => return Some(rest),
        }
    }
}

/// What follows a single letter or a small Roman number.
fn after_letter(line: &str) -> Option<&str> {
    let letters = line.bytes().take(5).take_while(u8::is_ascii_alphabetic).count();
    let word = line.get(..letters)?;
    let roman = word.bytes().all(|byte| b"ivxIVX".contains(&byte));
    (letters == 1 || (roman && (2..=4).contains(&letters))).then(|| &line[letters..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<&str> {
        blocks(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn items_and_headings_lose_their_marks() {
        let text =
            "## Findings\n- one\n* two\n1. three\n(b) four\n• five\n> quoted\n- [x] done\n۲. پنج\n2.1. six";
        assert_eq!(
            shown(text),
            ["Findings", "one", "two", "three", "four", "five", "quoted", "done", "پنج", "six"]
        );
    }

    #[test]
    fn a_wrapped_line_goes_on_and_a_short_one_does_not() {
        let wrapped = "The committee met on Tuesday and it decided that\nGoogle may go on with the plan";
        assert_eq!(shown(wrapped), [wrapped]);
        assert_eq!(shown("Symptoms\nFever and cough"), ["Symptoms", "Fever and cough"]);
        assert_eq!(shown("a rise in\nthe dose"), ["a rise in\nthe dose"]);
        assert_eq!(shown("Side effects:\nnausea"), ["Side effects:", "nausea"]);
        assert_eq!(shown("one\r\n\r\ntwo"), ["one", "two"]);
    }

    #[test]
    fn what_only_looks_like_a_mark_stays() {
        for line in ["-5 degrees", "*bold* word", "3.5 mg", "2024. A year", "#tag", "A. Smith", "and) so"] {
            assert_eq!(shown(line), [line]);
        }
        assert_eq!(shown("one\n---\ntwo\n***\n"), ["one", "two"]);
    }
}
