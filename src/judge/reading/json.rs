//! A JSON reader that says where and why a text is none, and that forgives three slips which leave no doubt about
//! what is meant: a comma before a closing bracket, a raw control character in a string, half a surrogate pair.
//! Each is remembered.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// Deeper than any schema of ours.
const DEPTH: usize = 64;

/// A value and the slips in it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parsed {
    pub(super) value: Value,
    /// Where the value ends in the text.
    pub(super) end: usize,
    slips: Slips,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Slips {
    commas: u32,
    controls: u32,
    surrogates: u32,
    repeated: u32,
}

impl Parsed {
    /// The slips in sentences.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> + use<> {
        let Slips { commas, controls, surrogates, repeated } = self.slips;
        [
            (commas, "comma(s) before a closing bracket passed over"),
            (controls, "raw control character(s) in strings kept"),
            (surrogates, "lone half(s) of a surrogate pair replaced"),
            (repeated, "field(s) that stand twice with the same value read once"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}."))
    }
}

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: Problem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// The text ends first.
    End,
    Wanted(&'static str),
    /// A field that stands twice with two values.
    Twice(String),
    /// A number that JSON cannot write: not finite, or too large.
    NotFinite,
    TooDeep,
}

impl Fault {
    /// In a sentence, with its place in `text`.
    pub(super) fn told(&self, text: &str) -> String {
        let at = text.floor_char_boundary(self.at);
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let mut found: String = text[at..].chars().take(30).collect();
        found = super::shortened(&found, 30);
        let mut told = format!("The reply is not valid JSON: line {line}, column {column}: ");
        let _ = match &self.problem {
            Problem::End => {
                let blanks = text.len() - text.trim_end().len();
                match blanks {
                    200.. => {
                        write!(told, "the text runs out in {blanks} blanks before the value is complete.")
                    }
                    _ => write!(told, "the text ends before the value is complete."),
                }
            }
            Problem::Wanted(what) => write!(told, "{what} is wanted, `{found}` was found."),
            Problem::Twice(name) => {
                write!(told, "the field `{}` stands twice with two values.", super::shortened(name, 60))
            }
            Problem::NotFinite => write!(told, "`{found}` is not a number that JSON has."),
            Problem::TooDeep => write!(told, "nested deeper than {DEPTH} levels."),
        };
        told
    }
}

/// All of `text` as one value.
pub(super) fn whole(text: &str) -> Result<Parsed, Fault> {
    let parsed = first(text, 0)?;
    let rest = text[parsed.end..].trim_start_matches([' ', '\t', '\n', '\r']);
    if rest.is_empty() {
        return Ok(parsed);
    }
    Err(Fault { at: text.len() - rest.len(), problem: Problem::Wanted("the end of the reply") })
}

/// The value that begins at `start`, whatever follows it.
pub(super) fn first(text: &str, start: usize) -> Result<Parsed, Fault> {
    let mut reader = Reader { text, at: start, slips: Slips::default() };
    reader.blanks();
    let value = reader.value(DEPTH)?;
    Ok(Parsed { value, end: reader.at, slips: reader.slips })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    slips: Slips,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fault<T>(&self, problem: Problem) -> Result<T, Fault> {
        Err(Fault { at: self.at, problem })
    }

    fn wanted<T>(&self, what: &'static str) -> Result<T, Fault> {
        self.fault(if self.peek().is_none() { Problem::End } else { Problem::Wanted(what) })
    }

    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        match self.peek() {
            Some(b'{' | b'[') if depth == 0 => self.fault(Problem::TooDeep),
            Some(b'{') => self.object(depth - 1),
            Some(b'[') => self.array(depth - 1),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Value, Fault> {
        let rest = &self.text[self.at..];
        for (word, value) in
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
        {
            if let Some(after) = rest.strip_prefix(word)
                && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            {
                self.at += word.len();
                return Ok(value);
            }
        }
        if ["NaN", "nan", "Infinity", "inf", "Inf"].iter().any(|word| rest.starts_with(word)) {
            return self.fault(Problem::NotFinite);
        }
        self.wanted("a JSON value")
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut at = start;
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if bytes[at] == b'-' {
            at += 1;
        }
        let whole = digits(at);
        if whole == 0 && (self.text[at..].starts_with("Inf") || self.text[at..].starts_with("inf")) {
            return self.fault(Problem::NotFinite);
        }
        if whole == 0 || (whole > 1 && bytes[at] == b'0') {
            return self.fault(Problem::Wanted("a number as JSON writes it"));
        }
        at += whole;
        if bytes.get(at) == Some(&b'.') {
            let fraction = digits(at + 1);
            if fraction == 0 {
                return self.fault(Problem::Wanted("a number as JSON writes it"));
            }
            at += 1 + fraction;
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(at + 1 + sign);
            if exponent == 0 {
                return self.fault(Problem::Wanted("a number as JSON writes it"));
            }
            at += 1 + sign + exponent;
        }
        match serde_json::from_str::<Number>(&self.text[start..at]) {
            Ok(number) => {
                self.at = at;
                Ok(Value::Number(number))
            }
            Err(_) => self.fault(Problem::NotFinite),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return self.wanted("a comma or `]`"),
            }
            self.blanks();
            if self.peek() == Some(b']') {
                self.slips.commas += 1;
                break;
            }
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    fn object(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut members = Map::new();
        self.blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(members));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return self.wanted("a field's name in double quotes");
            }
            let name = self.string()?;
            self.blanks();
            if self.peek() != Some(b':') {
                return self.wanted("a colon after a field's name");
            }
            self.at += 1;
            self.blanks();
            let value = self.value(depth)?;
            match members.get(&name) {
                Some(earlier) if *earlier == value => self.slips.repeated += 1,
                Some(_) => return Err(Fault { at: start, problem: Problem::Twice(name) }),
                None => {
                    members.insert(name, value);
                }
            }
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return self.wanted("a comma or `}`"),
            }
            self.blanks();
            if self.peek() == Some(b'}') {
                self.slips.commas += 1;
                break;
            }
        }
        self.at += 1;
        Ok(Value::Object(members))
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let plain =
                rest.iter().take_while(|&&byte| byte != b'"' && byte != b'\\' && byte >= b' ').count();
            string.push_str(&self.text[self.at..self.at + plain]);
            self.at += plain;
            match self.peek() {
                None => return self.fault(Problem::End),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escape()?),
                Some(control) => {
                    self.slips.controls += 1;
                    string.push(char::from(control));
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let Some(&letter) = self.text.as_bytes().get(self.at + 1) else { return self.fault(Problem::End) };
        let escaped = match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return self.fault(Problem::Wanted("one of JSON's escapes")),
        };
        self.at += 2;
        Ok(escaped)
    }

    fn unicode(&mut self) -> Result<char, Fault> {
        let Some(unit) = self.unit(self.at) else {
            return self.fault(Problem::Wanted("four hexadecimal digits after `\\u`"));
        };
        if let 0xD800..=0xDBFF = unit
            && let Some(low @ 0xDC00..=0xDFFF) = self.unit(self.at + 6)
        {
            self.at += 12;
            let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        self.at += 6;
        Ok(char::from_u32(unit).unwrap_or_else(|| {
            self.slips.surrogates += 1;
            char::REPLACEMENT_CHARACTER
        }))
    }

    /// The UTF-16 unit that is escaped at `at`.
    fn unit(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        u32::from_str_radix(digits, 16).ok()
    }
}
