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

/// The tokens of a text that should have been JSON. Strings may be unclosed and words unquoted.
pub(super) struct Tokens<'a>(pub(super) &'a str);

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = self.0.trim_start_matches(|c: char| c.is_whitespace());
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
            self.0 = &rest[1..];
            return Some(mark);
        }
        if let '"' | '\'' = first {
            let inside = &rest[1..];
            let mut escaped = false;
            let end = inside.char_indices().find_map(|(at, c)| {
                let ends = c == first && !escaped;
                escaped = c == '\\' && !escaped;
                ends.then_some(at)
            });
            let end = end.unwrap_or(inside.len());
            self.0 = inside.get(end + 1..).unwrap_or_default();
            return Some(Token::Scalar(unescaped(&inside[..end])));
        }
        let end =
            rest.find(['{', '}', '[', ']', ':', ',', '"', '\n']).unwrap_or(rest.len()).max(first.len_utf8());
        self.0 = &rest[end..];
        Some(Token::Scalar(rest[..end].trim().to_owned()))
    }
}

fn unescaped(text: &str) -> String {
    let quoted = format!("\"{text}\"");
    match super::json::whole(&quoted) {
        Ok(super::json::Parsed { value: Value::String(text), .. }) => text,
        _ => text.to_owned(),
    }
}
