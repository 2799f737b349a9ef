//! A line that an act asks for before it is done: until when a claim is deferred, or what is escalated to whom.
//!
//! Must not know how what was typed is carried out.

use jiff::tz::TimeZone;
use tui_textarea::TextArea;

use crate::domain::decision::{Disposition, Request};
use crate::domain::event::Seen;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::time::Timestamp;
use crate::domain::until;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Until when?
    Defer {
        /// Whether it is deferred already: then an empty line brings it back.
        again: bool,
    },
    /// Why are the answers of all marked claims to be blocked, or returned?
    Why(Disposition),
    /// What is the matter, and who is to look at it?
    Escalate {
        /// Whether the person has escalated it already: then an empty line takes that back.
        again: bool,
    },
}

/// A question that is being answered.
#[derive(Debug, Clone)]
pub struct AskLine {
    pub question: Question,
    /// The claim that it is about, its id, and what the screen showed of it; `None` is all that are marked.
    pub claim: Option<(ClaimKey, ClaimId, Seen)>,
    /// How that is named where people read it.
    pub about: String,
    /// The words of the claim; empty for all that are marked.
    pub claim_text: String,
    /// One line only.
    pub text: TextArea<'static>,
    /// How what stands there is understood, or why it is not.
    pub reading: Result<String, String>,
    /// The store was asked, and has not answered yet.
    pub sent: bool,
    /// How far back in what was typed before the text comes from; 0 is what is being typed.
    pub back: usize,
    /// What was being typed before that was looked at.
    pub typed: String,
}

impl AskLine {
    /// The claim that it is about, if it is one.
    pub fn key(&self) -> Option<ClaimKey> {
        self.claim.as_ref().map(|(key, ..)| *key)
    }

    pub fn content(&self) -> String {
        self.text.lines().join(" ")
    }
}

/// What `text` asks for as an answer to `question`, and how that is said; `Err` says why it cannot be done.
pub fn read(
    question: Question,
    text: &str,
    now: Timestamp,
    zone: &TimeZone,
) -> Result<(Request, String), String> {
    let text = text.trim();
    match question {
        Question::Defer { again: true } if text.is_empty() => {
            Ok((Request::Resume, "back into the queue now".to_owned()))
        }
        Question::Defer { .. } if text.is_empty() => Err("until when? 30m, 2h, tomorrow 9:00 …".to_owned()),
        Question::Defer { .. } => {
            let until = until::read(text, now, zone).map_err(|error| error.to_string())?;
            let said = format!("until {}, {}", until::shown(until, zone), until::left(until, now));
            Ok((Request::Defer { until }, said))
        }
        // It is no request on a claim.
        Question::Why(_) => Err("it is about answers".to_owned()),
        Question::Escalate { again: true } if text.is_empty() => {
            Ok((Request::Flag(false), "no longer escalated".to_owned()))
        }
        Question::Escalate { .. } => {
            let (to, note) = addressed(text);
            if note.is_empty() {
                return Err("say what the matter is".to_owned());
            }
            let said = to.map_or_else(|| "to nobody in particular".to_owned(), |to| format!("to {to}"));
            Ok((Request::Escalate { note: note.to_owned(), to: to.map(str::to_owned) }, said))
        }
    }
}

/// `@dr-lee the dose` is for `dr-lee`; without `@` it is for nobody in particular.
fn addressed(text: &str) -> (Option<&str>, &str) {
    let Some(rest) = text.strip_prefix('@') else { return (None, text) };
    let (to, note) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    ((!to.is_empty()).then_some(to), note.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escalation_names_whom_it_is_for_or_nobody() {
        let read =
            |text| read(Question::Escalate { again: false }, text, Timestamp::from_millis(0), &TimeZone::UTC);
        let request = |note: &str, to: Option<&str>| Request::Escalate {
            note: note.to_owned(),
            to: to.map(str::to_owned),
        };
        assert_eq!(read(" @dr-lee  8 g? ").unwrap().0, request("8 g?", Some("dr-lee")));
        assert_eq!(read("8 g @home").unwrap().0, request("8 g @home", None));
        for text in ["", "  ", "@dr-lee", "@"] {
            assert_eq!(read(text).unwrap_err(), "say what the matter is", "{text}");
        }
    }
}
