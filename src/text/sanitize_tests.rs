//! What may be seen of dangerous text.

use proptest::prelude::*;

use super::*;

/// Pieces that are dangerous next to each other, and ordinary text.
pub(in crate::text) fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => any::<char>().prop_map(String::from),
        2 => "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]",
        2 => "[\\p{Mn}\\p{Me}\\p{Mc}]{1,7}",
        2 => "[a-zA-Z0-9 ]{1,3}",
        1 => "[\u{1100}-\u{11FF}]{1,20}",
        1 => "[\u{1F1E6}-\u{1F1FF}\u{1F3FB}-\u{1F3FF}\u{FF9E}\u{FF9F}\u{E33}]{1,3}",
        1 => "[\u{600}-\u{605}\u{D4E}\u{110BD}]{1,3}",
        1 => "[\u{E0020}-\u{E007F}\u{FE00}-\u{FE0F}\u{E0100}-\u{E0110}]{1,3}",
        2 => prop::sample::select(vec![
            "👩🏽\u{200D}❤️\u{200D}💋\u{200D}👨🏽", "👨\u{200D}", "\u{200D}", "می\u{200C}روم", "\u{200C}", "क्\u{200D}ष", "1️⃣",
            "\r\n", "\r", "\t", "日本", "\u{1B}[31m", "\u{202E}", "é", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn controls_become_pictures() {
    assert_eq!(visible("a\u{1B}[31mred\0\u{7F}\r"), "a␛[31mred␀␡␍");
    assert_eq!(visible("one\ntwo\r\nthree\tfour"), "one␊two␍␊three␉four");
    assert_eq!(visible("\u{9B}31m\u{85}"), "⟨U+009B⟩31m⟨U+0085⟩");
}

#[test]
fn r03_bidi_controls_are_shown_and_the_words_stay() {
    assert_eq!(visible("user\u{202E}nimda\u{202C}"), "user⟨RLO⟩nimda⟨PDF⟩");
    assert_eq!(visible("\u{2067}سلام\u{2069} Latin \u{200F}"), "⟨RLI⟩سلام⟨PDI⟩ Latin ⟨RLM⟩");
}

#[test]
fn hidden_characters_get_their_names() {
    assert_eq!(visible("a\u{200B}b\u{FEFF}c\u{AD}d\u{2060}e"), "a⟨ZWSP⟩b⟨BOM⟩c⟨SHY⟩d⟨WJ⟩e");
    assert_eq!(visible("a\u{2028}b\u{3164}c"), "a⟨LS⟩b⟨U+3164⟩c");
    assert_eq!(visible("go\u{200D}od a\u{FE0F}"), "go⟨ZWJ⟩od a⟨VS16⟩");
    assert_eq!(visible("hi\u{E0041}\u{E0042}"), "hi⟨U+E0041⟩⟨U+E0042⟩");
    assert_eq!(visible("😀\u{E0100}\u{E0101}"), "😀⟨U+E0100⟩⟨U+E0101⟩");
}

#[test]
fn r01_writing_that_needs_joiners_stays_as_it_is() {
    for text in [
        "👩🏽\u{200D}❤️\u{200D}💋\u{200D}👨🏽",
        "👨\u{200D}👩\u{200D}👧\u{200D}👦",
        "👩\u{200D}🚒",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "🇮🇷🇯🇵",
        "1️⃣",
        "☃️",
        "می\u{200C}خواهم",
        "क्\u{200D}ष",
        "ක්\u{200D}\u{DBB}ී",
        "葛\u{E0100}",
        "Z\u{351}\u{36B}",
        "각",
    ] {
        assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text}: {}", visible(text));
    }
}

#[test]
fn combining_stacks_are_cut_and_counted() {
    let stack = format!("a{}b", "\u{301}".repeat(41));
    assert_eq!(visible(&stack), format!("a{}⟨+37⟩b", "\u{301}".repeat(4)));
    assert_eq!(visible("\u{301}a"), "◌\u{301}a");
    let family = "👨\u{200D}".repeat(1000) + "👨";
    assert!(visible(&family).ends_with("⟨+1985⟩"), "{}", visible(&family));
}

#[test]
fn what_has_no_width_alone_is_named() {
    assert_eq!(cell("\u{1161}"), (Cow::Borrowed("⟨U+1161⟩"), 8));
    assert_eq!(cell("\u{605}"), (Cow::Borrowed("⟨U+0605⟩"), 8));
    assert_eq!(cell(""), (Cow::Borrowed(""), 0));
}

#[test]
fn on_the_screen_line_ends_and_tabs_are_spaces() {
    assert_eq!(cell("\n"), (Cow::Borrowed(" "), 1));
    assert_eq!(cell("\r\n"), (Cow::Borrowed(" "), 1));
    assert_eq!(cell("\r"), (Cow::Borrowed("␍"), 1));
    assert_eq!(cell("\t").1, 4);
    assert_eq!(cell("\u{202E}"), (Cow::Borrowed("⟨RLO⟩"), 5));
}

#[test]
fn what_a_person_brings_in_keeps_only_what_can_be_seen_or_is_needed() {
    for (text, clean, dropped) in [
        ("one\n\ttwo", "one\n\ttwo", 0),
        ("a\u{1B}[31mb\u{202E}c\u{200F}\0", "a[31mbc", 4),
        ("می\u{200C}خواهم go\u{200D}od", "می\u{200C}خواهم good", 1),
        ("👩\u{200D}🚒 ☃️ é\u{200B}", "👩\u{200D}🚒 ☃️ é", 1),
    ] {
        assert_eq!(without_unseen(text), (clean.to_owned(), dropped), "{text:?}");
    }
}

#[test]
fn the_list_of_prepended_signs_is_what_the_segmenter_has() {
    for c in ('\u{80}'..='\u{1FFFF}').chain('\u{E0000}'..='\u{E0FFF}') {
        let joined = format!("{c}x");
        assert_eq!(joined.graphemes(true).count() == 1, is_prepend(c), "{:04X}", c as u32);
    }
}

proptest! {
    #[test]
    fn nothing_hidden_gets_through(text in hostile()) {
        let shown = visible(&text);
        prop_assert!(!shown.chars().any(|c| c.is_control() || is_bidi_control(c)), "{shown:?}");
        for grapheme in text.graphemes(true) {
            let (drawn, width) = cell(grapheme);
            prop_assert!(!drawn.chars().any(|c| c.is_control() || is_bidi_control(c)), "{drawn:?}");
            prop_assert!(width > 0);
        }
    }

    #[test]
    fn a_visible_text_is_its_own_visible_text(text in hostile()) {
        let once = visible(&text).into_owned();
        prop_assert_eq!(visible(&once), once.as_str());
    }

    #[test]
    fn format_characters_are_seen(c in "\\p{Cf}") {
        let shown = visible(&c);
        prop_assert!(shown.starts_with('⟨') && shown.ends_with('⟩'), "{shown:?}");
    }

    #[test]
    fn printable_latin_text_is_borrowed(text in "[ -~\u{C0}-\u{17F}]{0,20}") {
        prop_assert!(matches!(visible(&text), Cow::Borrowed(_)));
    }
}
