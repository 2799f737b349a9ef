//! The gate: what was asked, and whether it holds.

use serde::{Deserialize, Serialize};

/// What a condition comes to, and by the gravest of them what the gate does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    Yes,
    /// There is not enough to go by.
    CannotSay,
    No,
}

impl Says {
    /// As it is written.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::CannotSay => "cannot_say",
            Self::No => "no",
        }
    }

    /// As people read it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::CannotSay => "cannot say",
            Self::No => "no",
        }
    }
}

/// Something that was asked of the figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// As it was asked: `--max-increase 0.05`.
    pub asked: String,
    pub says: Says,
    /// Why, with the figures.
    pub sentence: String,
}

impl Condition {
    pub fn new(asked: impl Into<String>, says: Says, sentence: impl Into<String>) -> Self {
        Self { asked: asked.into(), says, sentence: sentence.into() }
    }
}

/// All conditions. It is open when all hold; one that does not hold closes it, whatever the others say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    pub says: Says,
    pub conditions: Vec<Condition>,
}

impl Gate {
    pub fn of(conditions: Vec<Condition>) -> Self {
        let says = conditions.iter().map(|condition| condition.says).max().unwrap_or(Says::Yes);
        Self { says, conditions }
    }

    /// What it does, in words.
    pub fn sentence(&self) -> String {
        let name = |says: Says| {
            let those = self.conditions.iter().filter(|condition| condition.says == says);
            those.map(|condition| condition.asked.as_str()).collect::<Vec<_>>().join(", ")
        };
        match self.says {
            Says::Yes => "gate: open, everything that was asked holds".to_owned(),
            Says::CannotSay => {
                format!("gate: cannot say, there is not enough to go by ({})", name(Says::CannotSay))
            }
            Says::No => format!("gate: closed ({})", name(Says::No)),
        }
    }
}
