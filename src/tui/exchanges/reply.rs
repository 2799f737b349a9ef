//! A reply ready to be shown: laid out, as it came, and with what was sent for it; each with the words of the claim
//! marked.
//!
//! Made off the screen's thread, because a reply may be megabytes.

use std::fmt::Write as _;

use super::Sought;
use super::readable::laid_out;
use crate::domain::exchange::Exchange;
use crate::tui::widget::passage::Mark;

/// Places of one quote that are marked; there may be thousands of them.
const MOST_PLACES: usize = 200;

/// Fewer letters and digits, in bytes, stand anywhere.
const LEAST: usize = 4;

/// A text and what of the claim stands in it, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marked {
    pub text: String,
    pub marks: Vec<Mark>,
}

impl Marked {
    pub fn new(text: String, sought: &[Sought]) -> Self {
        Self { marks: marks(&text, sought), text }
    }
}

/// What can be looked at of one exchange.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Laid out to be read; `None` when the reply is no JSON, or too long.
    pub readable: Option<Marked>,
    /// As it came.
    pub raw: Marked,
    /// What was sent, in full.
    pub sent: Marked,
}

impl Reply {
    /// The reply of `exchange`, with what is `sought` marked in it.
    pub fn of(exchange: Exchange, sought: &[Sought]) -> Self {
        let sent = Marked { text: sent(&exchange), marks: Vec::new() };
        let readable = laid_out(&exchange.raw_reply).map(|text| Marked::new(text, sought));
        Self { readable, raw: Marked::new(exchange.raw_reply, sought), sent }
    }
}

/// Whether anything that is `sought` stands in `text`.
pub(super) fn mentions(text: &str, sought: &[Sought]) -> bool {
    sought.iter().any(|sought| lines(sought).any(|line| spellings(line).iter().any(|one| text.contains(one))))
}

fn marks(text: &str, sought: &[Sought]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for sought in sought {
        for spelling in lines(sought).flat_map(spellings) {
            let places = text.match_indices(spelling.as_str()).take(MOST_PLACES);
            marks.extend(places.map(|(at, found)| Mark::new(at..at + found.len(), sought.role)));
        }
    }
    marks.sort_by_key(|mark| (mark.range.start, mark.range.end));
    marks.dedup();
    marks
}

/// The lines of a quote: in a reply laid out, each stands on its own.
fn lines(sought: &Sought) -> impl Iterator<Item = &str> {
    let enough = |line: &&str| {
        line.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum::<usize>() >= LEAST
    };
    sought.text.lines().map(str::trim).filter(enough)
}

/// How `words` may stand in a reply: plain, as a string of JSON, as one in a string, and both with every letter
/// beyond ASCII escaped.
fn spellings(words: &str) -> Vec<String> {
    let once = in_json(words);
    let (ascii, ascii_twice) = (in_ascii(&once), in_ascii(&in_json(&once)));
    let mut all = vec![words.to_owned(), in_json(&once), in_json(&ascii), once, ascii, ascii_twice];
    all.sort_unstable();
    all.dedup();
    all
}

fn in_json(words: &str) -> String {
    let quoted = serde_json::Value::from(words).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

fn in_ascii(words: &str) -> String {
    let mut spelled = String::with_capacity(words.len());
    for c in words.chars() {
        if c.is_ascii() {
            spelled.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(spelled, "\\u{unit:04x}");
        }
    }
    spelled
}

/// Everything that is known of what was sent, one fact a line.
fn sent(exchange: &Exchange) -> String {
    let parameters = exchange.parameters.to_string();
    let parameters = laid_out(&parameters).unwrap_or(parameters);
    let or_unknown = |text: Option<&str>| text.unwrap_or("unknown").to_owned();
    let facts = [
        ("Sent at", exchange.at.to_string()),
        ("Endpoint", exchange.endpoint.clone()),
        ("Judge", exchange.judge.clone()),
        ("Instrument", exchange.instrument.clone()),
        ("Model asked", exchange.model_asked.clone()),
        ("Model answered", or_unknown(exchange.model_answered.as_deref())),
        ("Request id", or_unknown(exchange.request_id.as_deref())),
        ("Prompt", exchange.prompt_version.clone()),
        ("Prompt hash", exchange.prompt_sha256.clone()),
        ("Question hash", exchange.question_sha256.clone()),
        ("Request hash", exchange.request_sha256.clone()),
        ("Parameters", parameters),
        ("Detail", exchange.detail.clone()),
    ];
    let mut text = String::new();
    for (label, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "{label:<15} {value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::Role;

    fn sought(text: &str) -> Vec<Sought> {
        vec![Sought { text: text.to_owned(), role: Role::Claim }]
    }

    fn found(reply: &str, words: &str) -> Vec<String> {
        let marked = Marked::new(reply.to_owned(), &sought(words));
        marked.marks.iter().map(|mark| reply[mark.range.clone()].to_owned()).collect()
    }

    #[test]
    fn words_are_found_however_json_spells_them() {
        let words = "every 4–6 \"hours\" 🚒";
        for level in 0..3 {
            for ascii in [false, true] {
                let mut reply = words.to_owned();
                for at in 0..level {
                    reply = serde_json::Value::from(reply).to_string();
                    if ascii && at == 0 {
                        reply = in_ascii(&reply);
                    }
                }
                assert_eq!(found(&reply, words).len(), 1, "{reply}");
                assert!(mentions(&reply, &sought(words)));
            }
        }
    }

    #[test]
    fn each_line_of_a_quote_is_found_by_itself() {
        assert_eq!(
            found("{\"quote\": \"first line\\n\n    second\"}", "first line\nsecond"),
            ["first line", "second"]
        );
    }

    #[test]
    fn what_stands_anywhere_is_not_marked() {
        assert_eq!(found("8 g, 8 g, 8 g", "8 g"), Vec::<String>::new());
        assert_eq!(found("用量は五", "用量"), ["用量"]);
        assert_eq!(found(&"the dose ".repeat(5_000), "the dose").len(), MOST_PLACES);
    }
}
