//! A reply laid out to be read: JSON one member a line, also JSON that stands inside a string, which is how most
//! servers hand a model's words on.
//!
//! Nothing but blanks is added or left out, and nothing changes its place: numbers, names that stand twice and
//! escapes stay as they are spelled. Two things are taken off so that people can read: the escapes of characters
//! that can be shown, and one level of escapes where JSON stands in a string.

use serde::de::IgnoredAny;

use crate::text::sanitize::is_hidden;

/// Longer layouts are not made: such a reply is shown as it came.
const LONGEST: usize = 8 * 1024 * 1024;

/// Deeper levels are not indented further.
const DEEPEST: usize = 16;

/// JSON in a string in a string in a string: deeper is shown as it is spelled.
const NESTED: usize = 3;

/// `raw` laid out; `None` when it is neither a JSON object nor an array, or too long.
pub(super) fn laid_out(raw: &str) -> Option<String> {
    if raw.len() > LONGEST || !raw.trim_start().starts_with(['{', '[']) || !is_json(raw) {
        return None;
    }
    let mut writer = Writer { out: String::with_capacity(raw.len() + raw.len() / 4), depth: 0, nested: 0 };
    writer.json(raw);
    (writer.out.len() <= LONGEST).then_some(writer.out)
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

struct Writer {
    out: String,
    depth: usize,
    nested: usize,
}

impl Writer {
    fn new_line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.depth.min(DEEPEST) {
            self.out.push_str("  ");
        }
    }

    /// Writes JSON that is known to be sound.
    fn json(&mut self, json: &str) {
        let bytes = json.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if self.out.len() > LONGEST {
                return;
            }
            let mut next = at + 1;
            match byte {
                b'{' | b'[' => {
                    if let Some(end) = end_of_plain(json, at) {
                        self.plain(&json[at..end]);
                        next = end;
                    } else {
                        self.out.push(char::from(*byte));
                        self.depth += 1;
                        self.new_line();
                    }
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.new_line();
                    self.out.push(char::from(*byte));
                }
                b',' => {
                    self.out.push(',');
                    self.new_line();
                }
                b':' => self.out.push_str(": "),
                b'"' => {
                    next = end_of_string(bytes, at);
                    self.string(&json[at..next]);
                }
                byte if byte.is_ascii_whitespace() => {}
                // Numbers and words.
                byte => self.out.push(char::from(*byte)),
            }
            at = next;
        }
    }

    /// An empty object, or an array of numbers and words only, on one line.
    fn plain(&mut self, json: &str) {
        for byte in json.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
            self.out.push(char::from(byte));
            if byte == b',' {
                self.out.push(' ');
            }
        }
    }

    /// Writes a string, which is given with its quotes.
    fn string(&mut self, quoted: &str) {
        let body = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        if self.nested < NESTED
            && body.contains('{')
            && let Ok(words) = serde_json::from_str::<String>(quoted)
            && let Some((before, json, after)) = embedded(&words)
        {
            self.out.push('"');
            self.depth += 1;
            self.nested += 1;
            self.words(before);
            self.new_line();
            self.json(json);
            if !after.trim().is_empty() {
                self.new_line();
                self.words(after);
            }
            self.nested -= 1;
            self.depth -= 1;
            self.new_line();
            self.out.push('"');
            return;
        }
        self.out.push('"');
        self.depth += 1;
        let mut rest = body;
        while let Some(slash) = rest.find('\\') {
            self.out.push_str(&rest[..slash]);
            rest = self.escape(&rest[slash..]);
        }
        self.out.push_str(rest);
        self.depth -= 1;
        self.out.push('"');
    }

    /// Writes the escape that `rest` begins with; returns what stands behind it.
    fn escape<'a>(&mut self, rest: &'a str) -> &'a str {
        if let Some((shown, length)) = character(rest) {
            self.out.push(shown);
            return &rest[length..];
        }
        let length = rest.chars().take(2).map(char::len_utf8).sum();
        let (spelled, behind) = rest.split_at(length);
        self.out.push_str(spelled);
        if spelled == "\\n" && !behind.is_empty() {
            self.new_line();
        }
        behind
    }

    /// Writes what stands around JSON in a string, line by line.
    fn words(&mut self, words: &str) {
        for (n, line) in words.trim().lines().enumerate() {
            if n > 0 {
                self.new_line();
            }
            self.out.push_str(line);
        }
    }
}

/// Where the object or array at `at` ends, if it is empty or an array of numbers and words only.
fn end_of_plain(json: &str, at: usize) -> Option<usize> {
    let inside = &json[at + 1..];
    let is_array = json[at..].starts_with('[');
    let end = inside.find(if is_array { ['"', '[', '{', ']'] } else { ['"', '[', '{', '}'] })?;
    let closes = inside[end..].starts_with(if is_array { ']' } else { '}' });
    closes.then_some(at + 1 + end + 1)
}

/// Where the string that opens at `at` ends, its quote included.
fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\\' => end += 2,
            b'"' => return end + 1,
            _ => end += 1,
        }
    }
    bytes.len()
}

/// The JSON object, or array of such, in a model's words, with what stands before and after it.
fn embedded(words: &str) -> Option<(&str, &str, &str)> {
    let start = words.find(['{', '['])?;
    let end = words.rfind(['}', ']'])? + 1;
    let json = words.get(start..end).filter(|json| json.contains('"') && is_json(json))?;
    Some((&words[..start], json, &words[end..]))
}

/// The character that the escape at the beginning of `rest` stands for, and the escape's length, if people can
/// see that character.
fn character(rest: &str) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = rest.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    let (shown, length) = match char::from_u32(first.into()) {
        Some(shown) => (shown, 6),
        None => (char::decode_utf16([first, unit(6)?]).next()?.ok()?, 12),
    };
    (!is_hidden(shown) && !matches!(shown, '"' | '\\')).then_some((shown, length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn members_stand_below_each_other_and_numbers_in_a_row() {
        let raw = r#"{"a":1.50,"b":[1,2 , 3],"c":{},"d":[],"e":[{"f":null},"g"]}"#;
        let expected = "{\n  \"a\": 1.50,\n  \"b\": [1, 2, 3],\n  \"c\": {},\n  \"d\": [],\n  \"e\": [\n    {\n      \
                        \"f\": null\n    },\n    \"g\"\n  ]\n}";
        assert_eq!(laid_out(raw).unwrap(), expected);
    }

    #[test]
    fn json_in_a_string_is_laid_out_too_with_the_words_around_it() {
        let raw = r#"{"content":"Here it is:\n```json\n{\"claims\":[{\"verdict\":\"supported\"}]}\n```"}"#;
        let expected = "{\n  \"content\": \"Here it is:\n    ```json\n    {\n      \"claims\": [\n        {\n          \
                        \"verdict\": \"supported\"\n        }\n      ]\n    }\n    ```\n  \"\n}";
        assert_eq!(laid_out(raw).unwrap(), expected);
    }

    #[test]
    fn lines_of_a_string_begin_below_each_other() {
        assert_eq!(laid_out(r#"["one\ntwo\n"]"#).unwrap(), "[\n  \"one\\n\n    two\\n\"\n]");
    }

    #[test]
    fn only_what_can_be_seen_and_ends_no_string_loses_its_escape() {
        let raw = r#"["\u2013 \ud83d\ude92 \u001b \u202e \u0022 \\u2013 \" \ud83d"]"#;
        let shown = r#""– 🚒 \u001b \u202e \u0022 \\u2013 \" \ud83d""#;
        assert_eq!(laid_out(raw).unwrap(), format!("[\n  {shown}\n]"));
    }

    #[test]
    fn what_is_no_json_is_not_laid_out() {
        for raw in ["", "upstream timed out", "\"words\"", "17", "{\"a\":", "{} {}", "<html>{}</html>"] {
            assert_eq!(laid_out(raw), None, "{raw}");
        }
    }

    #[test]
    fn a_layout_that_would_be_too_long_is_not_made() {
        let raw = format!("[{}\"\"]", "\"\",".repeat(LONGEST / 4));
        assert_eq!(laid_out(&raw), None);
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(laid_out(&deep).is_none_or(|shown| shown.lines().count() > 100_000));
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-zé\"\\\\\n{\\[ \u{1b}\u{202e}–]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec(("[a-c\n\"]{0,3}", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Taken line by line, without the indentation, it is still the same JSON, unless JSON stood in a string.
        #[test]
        fn the_layout_says_what_the_reply_says(value in json()) {
            let raw = value.to_string();
            if let Some(shown) = laid_out(&raw) {
                let joined: String = shown.lines().map(str::trim_start).collect();
                let spaced = |text: &str| text.replace(' ', "");
                if let Ok(read) = serde_json::from_str::<Value>(&joined) {
                    prop_assert_eq!(spaced(&read.to_string()), spaced(&raw));
                } else {
                    prop_assert!(shown.contains("\"\n"), "{}", shown);
                }
            } else {
                let is_scalar = !raw.starts_with(['{', '[']);
                prop_assert!(is_scalar, "{}", raw);
            }
        }
    }
}
