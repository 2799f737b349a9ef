//! Takes keys out of text, however they are spelled in it: as they are, in base64, in JSON's escapes, in percent signs,
//! or in several of these over one another.
//!
//! Must not know whose keys they are, or where the text comes from.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

const BLOT: &str = "[key]";
/// Escapes over escapes are read so deep: a JSON text in a JSON text in a JSON text, and one to spare.
const DEPTH: usize = 4;
/// The beginning of a key at the end of a text that broke off is a part of it from so many letters on.
const SHORTEST_PART: usize = 6;
/// Base64 that is shorter may stand in a text by chance.
const SHORTEST_BASE64: usize = 8;

/// How a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Whole,
    /// Anywhere, perhaps within a key.
    BrokenOff,
}

/// The text without any of the keys. Takes time in proportion to its length.
pub(super) fn blotted(text: String, keys: &[&str], ends: Ends) -> String {
    let encoded: Vec<String> = keys.iter().flat_map(|key| in_base64(key)).collect();
    let keys: Vec<&str> = keys.iter().copied().chain(encoded.iter().map(String::as_str)).collect();
    let keys = keys.as_slice();
    let mut found = spellings(&text, keys, |layer, key| {
        layer.match_indices(key).map(|(at, part)| at..at + part.len()).collect()
    });
    if ends == Ends::BrokenOff {
        let part = |layer: &str, key: &str| {
            let part = key.char_indices().map(|(at, letter)| at + letter.len_utf8()).rev();
            let part = part
                .take_while(|length| *length >= SHORTEST_PART)
                .find(|length| layer.ends_with(&key[..*length]));
            part.map(|length| layer.len() - length..layer.len()).into_iter().collect()
        };
        // Both with and without the escape that did not come to its end.
        for end in [text.len(), without_open_escape(&text)] {
            let parts = spellings(&text[..end], keys, part);
            found.extend(parts.into_iter().map(|part| part.start..text.len()));
        }
    }
    if found.is_empty() { text } else { without(&text, found) }
}

/// What base64 makes of a key wherever it begins in what is encoded (`Bearer KEY`): the letters that hold bits of the
/// key alone.
fn in_base64(key: &str) -> Vec<String> {
    let mut encoded = Vec::new();
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend(key.as_bytes());
        bytes.truncate(bytes.len() / 3 * 3);
        // Six bits a letter: those that hold bits of what stands before the key go.
        let mixed = (before * 8).div_ceil(6);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let letters = engine.encode(&bytes).split_off(mixed);
            if letters.len() >= SHORTEST_BASE64 && !encoded.contains(&letters) {
                encoded.push(letters);
            }
        }
    }
    encoded
}

/// Where `find` finds something in the text itself, and in what its escapes stand for; as places of the text.
fn spellings(text: &str, keys: &[&str], find: impl Fn(&str, &str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = keys.iter().flat_map(|key| find(text, key)).collect();
    let mut layers: Vec<Layer> = Vec::new();
    for _ in 0..DEPTH {
        let before = layers.len();
        for escape in [Escape::Json, Escape::Percent] {
            let Some(layer) = Layer::under(layers.last().map_or(text, |last| &last.text), escape) else {
                continue;
            };
            layers.push(layer);
            let top = layers.last().map_or(text, |last| &last.text);
            let source = |place: usize| layers.iter().rev().fold(place, |place, layer| layer.source(place));
            let hits = keys.iter().flat_map(|key| find(top, key));
            found.extend(hits.map(|hit| source(hit.start)..source(hit.end)));
        }
        if layers.len() == before {
            break;
        }
    }
    found
}

/// The text with a blot for each of the ranges; those that touch get one.
fn without(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut clean = String::with_capacity(text.len());
    let mut copied = 0;
    for range in ranges {
        if range.start > copied || copied == 0 {
            clean.push_str(&text[copied..range.start]);
            clean.push_str(BLOT);
        }
        copied = copied.max(range.end);
    }
    clean.push_str(&text[copied..]);
    clean
}

#[derive(Debug, Clone, Copy)]
enum Escape {
    Json,
    Percent,
}

impl Escape {
    const fn mark(self) -> char {
        match self {
            Self::Json => '\\',
            Self::Percent => '%',
        }
    }

    /// The ASCII letter that an escape at the beginning of `bytes` stands for, and the length of the escape. Keys
    /// are ASCII: a header holds nothing else.
    fn letter(self, bytes: &[u8]) -> Option<(char, usize)> {
        let (digits, length) = match (self, bytes.get(1)?) {
            (Self::Json, b'u') => (bytes.get(2..6)?, 6),
            (Self::Json, letter @ (b'/' | b'"' | b'\\')) => return Some((char::from(*letter), 2)),
            (Self::Json, _) => return None,
            (Self::Percent, _) => (bytes.get(1..3)?, 3),
        };
        let mut code = 0;
        for digit in digits {
            code = code * 16 + char::from(*digit).to_digit(16)?;
        }
        char::from_u32(code).filter(char::is_ascii).map(|letter| (letter, length))
    }
}

/// A text in which one sort of escapes is read.
struct Layer {
    text: String,
    /// After each escape: the place here, and the place in what it was read from.
    steps: Vec<(usize, usize)>,
}

impl Layer {
    /// `None` where there is no such escape.
    fn under(source: &str, escape: Escape) -> Option<Self> {
        let mut text = String::new();
        let mut steps = Vec::new();
        let (mut copied, mut from) = (0, 0);
        while let Some(distance) = source[from..].find(escape.mark()) {
            let at = from + distance;
            from = at + 1;
            if let Some((letter, length)) = escape.letter(&source.as_bytes()[at..]) {
                text.push_str(&source[copied..at]);
                text.push(letter);
                copied = at + length;
                from = copied;
                steps.push((text.len(), copied));
            }
        }
        if steps.is_empty() {
            return None;
        }
        text.push_str(&source[copied..]);
        Some(Self { text, steps })
    }

    /// The place in the source of a place here.
    fn source(&self, place: usize) -> usize {
        let after = self.steps.partition_point(|(here, _)| *here <= place);
        match after.checked_sub(1).and_then(|last| self.steps.get(last)) {
            Some((here, there)) => there + (place - here),
            None => place,
        }
    }
}

/// Where an escape begins that the end of the text cuts; else the end.
fn without_open_escape(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = bytes.iter().rev().take(3).take_while(|byte| byte.is_ascii_hexdigit()).count();
    for tail in 0..=digits {
        let end = bytes.len() - tail;
        let head = &bytes[..end];
        if tail < 2 && head.ends_with(b"%") {
            return end - 1;
        }
        let marks = match head.strip_suffix(b"u") {
            Some(marks) => marks,
            None if tail == 0 => head,
            None => continue,
        };
        let start = marks.len() - marks.iter().rev().take_while(|byte| **byte == b'\\').count();
        if start < marks.len() {
            return start;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "sk-planted/9f3b7c";

    fn whole(text: &str) -> String {
        blotted(text.to_owned(), &[KEY], Ends::Whole)
    }

    fn broken(text: &str) -> String {
        blotted(text.to_owned(), &[KEY], Ends::BrokenOff)
    }

    #[test]
    fn a_key_is_found_in_base64_wherever_it_begins() {
        for before in ["", "B", "Be", "Bearer ", "user:", "{\"authorization\":\"Bearer "] {
            for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
                let encoded = engine.encode(format!("{before}{KEY}\"}}"));
                let clean = whole(&format!("You sent {encoded}."));
                assert!(clean.contains(BLOT), "{clean}");
                let inside: String = clean.split_whitespace().last().unwrap().replace(BLOT, "");
                assert!(inside.len() <= encoded.len() - KEY.len(), "{before}: {clean}");
            }
        }
        assert_eq!(whole("QUJDREVGR0g is no key"), "QUJDREVGR0g is no key");
    }

    #[test]
    fn a_key_is_found_in_every_spelling() {
        for spelled in [
            r"sk-planted/9f3b7c",
            r"sk-planted\/9f3b7c",
            r"\u0073\u006b-planted/9f3b7c",
            r"\u0073\u006B-planted\u002f9f3b7\u0063",
            r"\\u0073k-planted\\/9f3b7c",
            r"\\\\u0073k-planted/9f3b7c",
            "%73k-planted%2F9f3b7c",
            r"\u002573k-planted%252f9f3b7c",
            r"%5cu0073k-planted/9f3b7c",
        ] {
            assert_eq!(whole(&format!("Key {spelled}, é.")), "Key [key], é.", "{spelled}");
        }
        assert_eq!(blotted(r"a \/key-12345 b".to_owned(), &["/key-12345"], Ends::Whole), "a [key] b");
    }

    #[test]
    fn what_holds_no_key_stays_byte_for_byte() {
        for text in [r#"{"a":"\u00e9 \" \\ 100 % sk-plan\u0074"}"#, "%zz%", "\\", "\\u00", "sk-planted/9f3b7"]
        {
            assert_eq!(whole(text), text);
        }
    }

    #[test]
    fn the_beginning_of_a_key_at_a_break_is_blotted() {
        for part in [
            "sk-pla",
            "sk-planted/9f3b7",
            r"sk-planted\",
            r"sk-planted\u00",
            r"\u0073k-planted\\\u002",
            "%73k-planted%2",
            "sk-planted%",
        ] {
            assert_eq!(broken(&format!("a {part}")), "a [key]", "{part}");
        }
        for text in ["a sk-pl", "sk-planted b", "", "u12"] {
            assert_eq!(broken(text), text);
        }
    }

    proptest! {
        #[test]
        fn no_mixture_of_escapes_hides_a_key(ways in proptest::collection::vec(0..5_usize, KEY.len()),
            before in "[a-z \"é]{0,9}", after in "[a-z \"é]{0,9}") {
            let spelled: String = KEY.chars().zip(ways).map(|(letter, way)| match way {
                0 => format!("\\u{:04x}", u32::from(letter)),
                1 => format!("%{:02X}", u32::from(letter)),
                2 => format!("\\\\u{:04X}", u32::from(letter)),
                _ if letter == '/' => "\\/".to_owned(),
                _ => letter.to_string(),
            }).collect();
            prop_assert_eq!(whole(&format!("{before}{spelled}{after}")), format!("{before}{BLOT}{after}"));
        }
    }
}
