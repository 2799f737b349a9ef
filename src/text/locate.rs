//! Where a quote stands in a passage, and how exactly. Knows nothing of verdicts: what a match is
//! worth is for the instrument.
//!
//! - EXACT: the quote's characters stand in the passage, one for one.
//! - NORMALIZED: they do after both sides went through [`normalise`](super::fold::normalise). The
//!   quotation marks that enclose a whole quote and the stop at its end may be missing in the
//!   passage; parts joined by an ellipsis stand in it one after another, and the span reaches from
//!   the first to the last.
//! - FUZZY: at least four words in five are the same and in the same order.
//!
//! A quote is looked for in one passage, never across two.

use std::sync::OnceLock;

use super::fold::Folded;
use super::fuzzy::Index;
use crate::domain::span::Span;
use crate::domain::verdict::MatchLevel;

/// Letters and digits that a part of a quote with an ellipsis needs; fewer stand anywhere.
const PART_LETTERS: usize = 3;

/// How many places are passed over because they cut what was folded as a whole, such as the second
/// letter of `ﬁ`. Honest texts need one or two.
const MOST_CUTS: usize = 64;

/// Where a quote was found and how closely it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    /// The place in the passage as it was given; `None` exactly when `level` is `NotFound`.
    pub span: Option<Span>,
    pub level: MatchLevel,
}

impl Located {
    const NOWHERE: Self = Self { span: None, level: MatchLevel::NotFound };

    fn at(content: &str, (start, end): (usize, usize), level: MatchLevel) -> Option<Self> {
        Span::new(content, start..end).map(|span| Self { span: Some(span), level })
    }
}

/// A passage in which many quotes are looked up; what that needs is prepared once.
#[derive(Debug)]
pub struct Haystack<'a> {
    content: &'a str,
    folded: OnceLock<Folded>,
    index: OnceLock<Index>,
}

impl<'a> Haystack<'a> {
    pub fn new(content: &'a str) -> Self {
        Self { content, folded: OnceLock::new(), index: OnceLock::new() }
    }

    /// Where `quote` stands in the passage: the first place at the closest level. A quote without a
    /// visible character stands nowhere.
    pub fn locate(&self, quote: &str) -> Located {
        let wanted = Folded::new(quote);
        if wanted.text().is_empty() {
            return Located::NOWHERE;
        }
        if let Some(at) = self.content.find(quote)
            && let Some(found) = Located::at(self.content, (at, at + quote.len()), MatchLevel::Exact)
        {
            return found;
        }
        let folded = self.folded.get_or_init(|| Folded::new(self.content));
        let normalized = find(folded, wanted.text(), 0)
            .or_else(|| find_bare(folded, wanted.text()))
            .or_else(|| find_parts(folded, wanted.text()));
        if let Some((start, end)) = normalized
            && let Some(place) = folded.source(start, end)
            && let Some(found) = Located::at(self.content, place, MatchLevel::Normalized)
        {
            return found;
        }
        let index = self.index.get_or_init(|| Index::new(folded.text()));
        index
            .find(wanted.text())
            .and_then(|(start, end)| folded.source_around(start, end))
            .and_then(|place| Located::at(self.content, place, MatchLevel::Fuzzy))
            .unwrap_or(Located::NOWHERE)
    }
}

/// Where `quote` stands in `content`. For several quotes in one passage use [`Haystack`].
pub fn locate(content: &str, quote: &str) -> Located {
    Haystack::new(content).locate(quote)
}

/// The first place of `wanted` at or after `from` that does not cut what was folded as a whole.
fn find(folded: &Folded, wanted: &str, from: usize) -> Option<(usize, usize)> {
    let text = folded.text();
    let mut from = from;
    for _ in 0..MOST_CUTS {
        let start = from + text.get(from..)?.find(wanted)?;
        let end = start + wanted.len();
        if folded.source(start, end).is_some() {
            return Some((start, end));
        }
        from = start + text.get(start..)?.chars().next()?.len_utf8();
    }
    None
}

/// The last place of `wanted` before `until`.
fn find_last(folded: &Folded, wanted: &str, until: usize) -> Option<(usize, usize)> {
    let mut until = until;
    for _ in 0..MOST_CUTS {
        let start = folded.text().get(..until)?.rfind(wanted)?;
        let end = start + wanted.len();
        if folded.source(start, end).is_some() {
            return Some((start, end));
        }
        until = end - wanted.chars().next_back()?.len_utf8();
    }
    None
}

/// Like [`find`], for a quote that came in quotation marks or with a stop of its own. Where the stop
/// was, a word or a number must not go on.
fn find_bare(folded: &Folded, wanted: &str) -> Option<(usize, usize)> {
    let inner = without_marks(wanted);
    if inner.len() < wanted.len()
        && inner.contains(char::is_alphanumeric)
        && let Some(place) = find(folded, inner, 0)
    {
        return Some(place);
    }
    let bare = inner.strip_suffix(['.', '。'])?.trim_end();
    if !bare.contains(char::is_alphanumeric) {
        return None;
    }
    let mut from = 0;
    loop {
        let (start, end) = find(folded, bare, from)?;
        let mut after = folded.text().get(end..)?.chars();
        let next = after.next();
        let number_goes_on = matches!(next, Some('.' | ',')) && after.next().is_some_and(char::is_numeric);
        if !next.is_some_and(char::is_alphanumeric) && !number_goes_on {
            return Some((start, end));
        }
        from = end;
    }
}

/// `quote` without the quotation marks around all of it.
fn without_marks(quote: &str) -> &str {
    for (open, close) in [('"', '"'), ('\'', '\''), ('「', '」'), ('『', '』')] {
        if let Some(inner) = quote.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            return inner.trim();
        }
    }
    quote
}

/// The place that the parts of a quote with an ellipsis in it cover, in their order.
fn find_parts(folded: &Folded, wanted: &str) -> Option<(usize, usize)> {
    let joined = wanted.replace("[...]", "...").replace("(...)", "...").replace(". . .", "...");
    let parts: Vec<&str> = without_marks(&joined)
        .split("...")
        .map(|part| part.trim_start_matches(['.', ' ']).trim_end())
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() < 2 && !joined.contains("...") {
        return None;
    }
    if parts
        .iter()
        .any(|part| part.chars().filter(|c| c.is_alphanumeric()).take(PART_LETTERS).count() < PART_LETTERS)
    {
        return None;
    }
    let (last, earlier) = parts.split_last()?;
    let mut from = 0;
    for part in earlier {
        from = find(folded, part, from)?.1;
    }
    let (mut start, end) = find(folded, last, from)?;
    // The same parts as close together as they stand before that end.
    for part in earlier.iter().rev() {
        start = find_last(folded, part, start)?.0;
    }
    Some((start, end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::fold::normalise;
    use crate::text::growth;
    use crate::text::sanitize::tests::hostile;

    fn check(content: &str, quote: &str, expected: Option<&str>, level: MatchLevel) {
        let located = locate(content, quote);
        assert_eq!(located.level, level, "{quote:?} in {content:?}: {located:?}");
        assert_eq!(located.span.and_then(|span| span.of(content)), expected, "{quote:?}");
    }

    const DOSE: &str = "Adults take 4 g a day. The maximum dose of paracetamol for adults is 4 g in 24 hours, \
        taken as 1 g every six hours. Children take less.";

    #[test]
    fn j47_an_invented_quote_is_not_found() {
        check(DOSE, "Paracetamol cures malaria in nearly all cases", None, MatchLevel::NotFound);
        check(DOSE, "aspirin", None, MatchLevel::NotFound);
        for empty in ["", "  \n", "\u{200B}", "\u{A0}"] {
            check(DOSE, empty, None, MatchLevel::NotFound);
        }
        check("", "x", None, MatchLevel::NotFound);
    }

    #[test]
    fn j48_an_honest_quote_is_found_whatever_its_typography() {
        let content = "She said: “It’s a non\u{2011}small\u{A0}cell tumour — ≥ 5 cm”, and\r\n\tleft.";
        check(
            content,
            "it's a non-small cell tumour - ≥ 5 cm",
            Some("It’s a non\u{2011}small\u{A0}cell tumour — ≥ 5 cm"),
            MatchLevel::Normalized,
        );
        check(content, "CM\", AND LEFT", Some("cm”, and\r\n\tleft"), MatchLevel::Normalized);
        check(content, "\"and left.\"", Some("and\r\n\tleft."), MatchLevel::Normalized);
        check("ﬁve oﬃces", "five offices", Some("ﬁve oﬃces"), MatchLevel::Normalized);
        check("re\u{AD}port\u{200B}ed", "reported", Some("re\u{AD}port\u{200B}ed"), MatchLevel::Normalized);
    }

    #[test]
    fn j48_parts_around_an_ellipsis_stand_in_order() {
        let expected = Some("maximum dose of paracetamol for adults is 4 g in 24 hours");
        for quote in [
            "maximum dose … 24 hours",
            "maximum dose ... 24 hours",
            "maximum dose [...] 24 hours",
            "\"Maximum dose … 24 hours\"",
        ] {
            check(DOSE, quote, expected, MatchLevel::Normalized);
        }
        check(
            DOSE,
            "... taken as 1 g every six hours",
            Some("taken as 1 g every six hours"),
            MatchLevel::Normalized,
        );
        check(DOSE, "Children take ... maximum dose of paracetamol", None, MatchLevel::NotFound);
        check("dose a. dose b. dose c end", "dose ... end", Some("dose c end"), MatchLevel::Normalized);
        check("one and two", "o ... o", None, MatchLevel::NotFound);
    }

    #[test]
    fn j49_an_edited_quote_is_fuzzy_at_best() {
        check(
            DOSE,
            "the maximum dose of paracetamol for adults is 8 g in 24 hours",
            Some("The maximum dose of paracetamol for adults is 4 g in 24 hours"),
            MatchLevel::Fuzzy,
        );
        check(
            "TNF-α was raised in all of the treated patients",
            "TNF-a was raised in all of the treated patients",
            Some("TNF-α was raised in all of the treated patients"),
            MatchLevel::Fuzzy,
        );
        check("a load of 10⁵ cells", "a load of 105 cells", Some("a load of 10⁵ cells"), MatchLevel::Fuzzy);
        check("the dose is 5,3 mg", "dose is 5.", None, MatchLevel::NotFound);
    }

    #[test]
    fn j50_both_sides_go_through_the_same_form() {
        for text in ["Ｆｕｌｌ ｗｉｄｔｈ", "Straße", "ΟΔΟΣ", "İstanbul", "10⁵ m²", "ｶﾞｷﾞ"]
        {
            let padded = format!("before {text} after");
            for quote in [text.to_uppercase(), text.to_lowercase(), normalise(text)] {
                if normalise(&quote) == normalise(text) {
                    assert!(
                        locate(&padded, &quote).span.is_some_and(|span| span.of(&padded) == Some(text)),
                        "{quote}"
                    );
                }
            }
        }
    }

    #[test]
    fn j51_an_apostrophe_does_not_open_a_quote() {
        check(
            "the patient's own dose and the nurse's",
            "patient's own dose and the nurse's",
            Some("patient's own dose and the nurse's"),
            MatchLevel::Exact,
        );
        check("the patient’s dose", "patient's dose", Some("patient’s dose"), MatchLevel::Normalized);
    }

    #[test]
    fn j52_places_are_right_after_emoji_cjk_and_marks() {
        let content = "👩\u{200D}🚒 e\u{301}té 東京\r\n用量は 5 mg です。💩 The Dose.";
        check(content, "the dose", Some("The Dose"), MatchLevel::Normalized);
        check(content, "été", Some("e\u{301}té"), MatchLevel::Normalized);
        check(content, "東京用量は", Some("東京\r\n用量は"), MatchLevel::Normalized);
        check(content, "用量は 5 mg です。", Some("用量は 5 mg です。"), MatchLevel::Exact);
        let span = locate(content, "the dose").span.unwrap();
        let chars = span.to_chars(content).unwrap();
        assert_eq!(Span::from_chars(content, chars), Some(span));
    }

    #[test]
    fn j53_the_words_of_the_contract_hold() {
        check("Dose: 5 mg, then 10 mg", "dose: 5 mg.", Some("Dose: 5 mg"), MatchLevel::Normalized);
        check("It is safe, and cheap", "“It is safe.”", Some("It is safe"), MatchLevel::Normalized);
        check(
            "one two three four five six",
            "one two three four 5 six",
            Some("one two three four five six"),
            MatchLevel::Fuzzy,
        );
        check("one two three four five six", "one two 3 4 five six", None, MatchLevel::NotFound);
    }

    #[test]
    fn r42_a_passage_of_a_megabyte_is_searched_in_bounded_work() {
        let content_of = |repeats: usize| {
            let filler =
                "the quick brown fox jumps over the lazy dog while patients take the dose of the day. "
                    .repeat(repeats);
            format!(
                "{filler}Rare event 4711 was seen in seventeen patients of the cohort after treatment. {filler}"
            )
        };
        let quotes = [
            "Rare event 4711 was observed in seventeen patients of the cohort after treatment.".to_owned(),
            "the dose of dog ".repeat(400),
            "zebra ".repeat(4_000),
        ];
        for quote in &quotes {
            let times = growth::of_four_times_as_much(
                |times| content_of(150 * times),
                |content| Haystack::new(content).locate(quote),
            );
            assert!(times < growth::QUADRATIC, "{quote:.40}: {times:.1} times as long");
        }
        let content = content_of(3_000);
        let hay = Haystack::new(&content);
        let found =
            hay.locate("Rare event 4711 was observed in seventeen patients of the cohort after treatment.");
        assert_eq!(found.level, MatchLevel::Fuzzy);
        assert!(
            found
                .span
                .and_then(|span| span.of(&content))
                .is_some_and(|text| text.starts_with("Rare event 4711 was seen"))
        );
        assert_eq!(hay.locate(&"the dose of dog ".repeat(400)).level, MatchLevel::NotFound);
        assert_eq!(hay.locate(&"zebra ".repeat(100_000)).level, MatchLevel::NotFound);
        assert_eq!(
            Haystack::new(&"a".repeat(1_000_000)).locate(&"b".repeat(100_000)).level,
            MatchLevel::NotFound
        );
    }

    proptest! {
        #[test]
        fn j52_every_part_of_a_text_is_found_as_it_is(text in hostile(), a in 0usize..60, b in 0usize..60) {
            let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (start, end) = (borders[a.min(b) % borders.len()], borders[a.max(b) % borders.len()]);
            let quote = text.get(start.min(end)..end.max(start)).unwrap();
            let located = locate(&text, quote);
            if normalise(quote).is_empty() {
                prop_assert_eq!(located.level, MatchLevel::NotFound);
            } else {
                prop_assert_eq!(located.level, MatchLevel::Exact);
                prop_assert_eq!(located.span.and_then(|span| span.of(&text)), Some(quote));
            }
        }

        #[test]
        fn j48_a_quote_typed_otherwise_is_found_and_is_the_same_text(
            before in "[a-z .é日👍]{0,20}",
            words in prop::collection::vec("[a-zA-Zéü]{1,6}|[0-9]{1,3}|“[a-z]{2,5}”|it’s|x\u{2011}y|a—b|東京", 2..8),
            after in "[a-z .é日👍]{0,20}",
        ) {
            let quote = words.join(" ");
            let content = format!("{before} {quote} {after}");
            let typed = quote.to_uppercase().replace(['“', '”'], "\"").replace('’', "'").replace(['\u{2011}', '—'], "-").replace(' ', " \u{A0} ");
            let located = locate(&content, &typed);
            prop_assert_eq!(located.level, MatchLevel::Normalized);
            let found = located.span.and_then(|span| span.of(&content)).unwrap();
            prop_assert_eq!(normalise(found), normalise(&quote));
        }

        #[test]
        fn j52_whatever_is_found_stands_on_whole_characters(content in hostile(), quote in hostile()) {
            let located = locate(&content, &quote);
            prop_assert_eq!(located.span.is_none(), located.level == MatchLevel::NotFound);
            prop_assert!(located.span.is_none_or(|span| span.of(&content).is_some_and(|text| !text.is_empty())));
        }
    }
}
