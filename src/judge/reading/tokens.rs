//! The pieces of a text that should have been JSON and need not be. Must not know what they mean.

use serde_json::Value;

/// A piece of a text that should have been JSON.
pub(super) enum Token {
    Open,
    Close,
    List,
    EndOfList,
    Colon,
    Comma,
    Scalar(String),
}

/// The tokens of a text that should have been JSON. Strings may be unclosed, hold quotation marks as they are, and
/// words be unquoted.
pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// Objects and lists that are open.
    depth: usize,
}

impl<'a> Tokens<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { rest: text, depth: 0 }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let mut rest = self.rest.trim_start();
        // Around the JSON stands prose, in which such strokes are no comment.
        while let Some(length) = comment(rest).filter(|_| self.depth > 0) {
            rest = rest[length..].trim_start();
        }
        self.rest = rest;
        let first = rest.chars().next()?;
        let mark = match first {
            '{' => Some(Token::Open),
            '}' => Some(Token::Close),
            '[' => Some(Token::List),
            ']' => Some(Token::EndOfList),
            ':' => Some(Token::Colon),
            ',' => Some(Token::Comma),
            _ => None,
        };
        if let Some(mark) = mark {
            match mark {
                Token::Open | Token::List => self.depth += 1,
                Token::Close | Token::EndOfList => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.rest = &rest[1..];
            return Some(mark);
        }
        if let '"' | '\'' = first {
            let inside = &rest[1..];
            // Around the JSON stands prose, in which a mark is a mark.
            let is_prose = self.depth == 0;
            let mut escaped = false;
            let end = inside.char_indices().find_map(|(at, c)| {
                let ends =
                    c == first && !escaped && (is_prose || ends_string(&inside[..at], &inside[at + 1..]));
                escaped = c == '\\' && !escaped;
                ends.then_some(at)
            });
            let end = end.unwrap_or(inside.len());
            self.rest = inside.get(end + 1..).unwrap_or_default();
            return Some(Token::Scalar(unescaped(&inside[..end])));
        }
        let end =
            rest.find(['{', '}', '[', ']', ':', ',', '"', '\n']).unwrap_or(rest.len()).max(first.len_utf8());
        let end = rest[..end].find("//").filter(|at| *at > 0 && self.depth > 0).unwrap_or(end);
        self.rest = &rest[end..];
        Some(Token::Scalar(rest[..end].trim().to_owned()))
    }
}

/// Bytes of the comment with which `text` begins; JSON has none, and models write some.
fn comment(text: &str) -> Option<usize> {
    let length = |end: Option<usize>| end.unwrap_or(text.len());
    if text.starts_with("//") {
        return Some(length(text.find('\n')));
    }
    text.starts_with("/*").then(|| length(text.find("*/").map(|at| at + 2)))
}

/// Whether a quotation mark after `said` and before `rest` ends a string, and is not one that the string quotes: what
/// can follow a string follows it.
fn ends_string(said: &str, rest: &str) -> bool {
    let rest = rest.trim_start();
    let Some(next) = rest.chars().next() else { return true };
    match next {
        ':' | '}' | ']' => true,
        ',' => {
            let then = rest[1..].trim_start();
            let is_next = then.is_empty() || then.starts_with(['"', '\'', '}', ']', '{', '[']);
            is_next || is_comment(then) || is_key(then)
        }
        // A colon was forgotten after a key, or a comma before the next.
        '"' | '\'' => word(said) == said.len() || is_key(&rest[1..]),
        _ => is_comment(rest),
    }
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

/// Whether a name and a colon stand there, the name with or without its closing mark.
fn is_key(text: &str) -> bool {
    let length = word(text);
    let then = text[length..].trim_start_matches(['"', '\'']).trim_start();
    length > 0 && then.starts_with(':')
}

/// Bytes of the name at the beginning of `text`, as fields are called; 0 for none.
fn word(text: &str) -> usize {
    text.bytes().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

fn unescaped(text: &str) -> String {
    let read = |quoted: String| match super::json::whole(&quoted) {
        Ok(super::json::Parsed { value: Value::String(text), .. }) => Some(text),
        _ => None,
    };
    let marked = || escaped_marks(text);
    read(format!("\"{text}\""))
        .or_else(|| read(format!("\"{}\"", marked())))
        .or_else(|| read(format!("\"{}\"", mended_escapes(&marked()))))
        .unwrap_or_else(|| text.to_owned())
}

/// `text` without the strokes that escape what JSON does not: `\'` is a mark, `\alpha` has a stroke of its own.
fn mended_escapes(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 8);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            written.push(c);
            continue;
        }
        match chars.next() {
            Some(escaped) if "\"\\/bfnrtu".contains(escaped) => written.extend(['\\', escaped]),
            Some(escaped) if escaped.is_alphanumeric() => written.extend(['\\', '\\', escaped]),
            Some(escaped) => written.push(escaped),
            None => written.push_str("\\\\"),
        }
    }
    written
}

/// `text` with every quotation mark escaped.
fn escaped_marks(text: &str) -> String {
    let mut escaped = false;
    let mut written = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c == '"' && !escaped {
            written.push('\\');
        }
        escaped = c == '\\' && !escaped;
        written.push(c);
    }
    written
}
