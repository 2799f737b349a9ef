//! What a person had said and what does not stand any more, or not alone, since somebody else said otherwise.

use super::decision::{Disposition, HumanVerdict};
use super::ids::Annotator;
use super::time::Timestamp;
use super::verdict::Severity;

/// More of them are counted and not named.
const NAMED: usize = 3;

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overruled {
    /// The event of the other person.
    pub seq: i64,
    pub at: Timestamp,
    pub by: Annotator,
    /// The claim, or the answer.
    pub subject: String,
    pub how: How,
}

/// A ruling, as far as it may be overruled.
pub type Word = (HumanVerdict, Option<Severity>);

/// What the other person did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Gave the answer another disposition.
    Disposed { was: Disposition, is: Disposition },
    /// Ruled otherwise: theirs counts now, or none does.
    Ruled { was: Word, is: Word, counts: bool },
    /// Put other claims in its place.
    Replaced { was: Word },
}

impl Overruled {
    /// In a few words: `ben released n-2, which you had blocked`.
    pub fn said(&self) -> String {
        let Self { by, subject, .. } = self;
        match self.how {
            How::Disposed { was, is } => {
                format!("{by} {} {subject}, which you had {}", is.done(), was.done())
            }
            How::Ruled { was, is, counts } => {
                let rest = if counts { "" } else { ": in dispute" };
                format!("{by} ruled {} on {subject}, where you had ruled {}{rest}", word(is), word(was))
            }
            How::Replaced { was } => {
                format!("{by} put others in place of {subject}, which you had ruled {}", word(was))
            }
        }
    }
}

/// Several, the first of them by name.
pub fn told(all: &[Overruled]) -> String {
    let mut said: Vec<String> = all.iter().take(NAMED).map(Overruled::said).collect();
    if all.len() > NAMED {
        said.push(format!("{} more", all.len() - NAMED));
    }
    said.join(" · ")
}

fn word((verdict, severity): Word) -> String {
    severity.map_or_else(|| verdict.to_string(), |severity| format!("{verdict} {severity}"))
}
