//! Reports: one model of what there is to say, and a writer for each form in which it is read.
//!
//! Whoever measured something says it once, as a [`Report`]: sentences first, then figures, each with its interval and
//! the number behind it or the reason why there is none, tables, charts, and what was found. [`text`], [`markdown`],
//! [`html`] and [`junit`] write it down; as JSON it is what serde makes of it (`assets/schemas/report.json`), and reads back the
//! same, which is how reports are kept. Pure: this layer must not know files, the store, a judge or the screen.

mod alike;
mod answers;
mod case;
mod chart;
mod figure;
mod finding;
mod gate;
mod listed;
mod table;

pub mod audit;
pub mod brief;
pub mod comparison;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod said;
pub mod text;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::time::Timestamp;

pub use case::{Case, Ended};
pub use chart::{Bar, Chart};
pub use figure::{Figure, Interval, Unit};
pub use finding::{Detail, Findings, Found};
pub use gate::{Condition, Gate, Says};
pub use table::{Column, Table};

/// What is reported on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Audit,
    Comparison,
    Calibration,
    Agreement,
    Drift,
    Dashboard,
}

impl Kind {
    /// As it is written.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Audit => "audit",
            Self::Comparison => "comparison",
            Self::Calibration => "calibration",
            Self::Agreement => "agreement",
            Self::Drift => "drift",
            Self::Dashboard => "dashboard",
        }
    }
}

/// Everything that a report says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub kind: Kind,
    /// Its name in the store; `None` for one that is kept nowhere.
    pub name: Option<String>,
    pub title: String,
    pub made_at: Timestamp,
    /// Program and version: `juror 0.1.0`.
    pub program: String,
    /// Why it is not to be relied on yet, in a sentence; `None` for one that is.
    pub provisional: Option<String>,
    /// What came of it, in sentences, the most important first.
    pub sentences: Vec<String>,
    /// What was asked of it and whether it holds; `None` when nothing was.
    pub gate: Option<Gate>,
    /// Who measured what: judge, model, prompt, data set.
    pub facts: Vec<Fact>,
    pub parts: Vec<Part>,
    /// One for each item or claim, for programs that count tests.
    pub cases: Vec<Case>,
    /// The same in full and in the form of its kind, for programs; null when there is no more to say.
    pub data: Value,
}

/// Something that the figures rest on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub name: String,
    pub value: String,
}

impl Fact {
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

/// A part of a report, with its heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub title: String,
    /// What to know before reading it.
    pub sentences: Vec<String>,
    pub shows: Shows,
}

impl Part {
    pub fn new(title: impl Into<String>, shows: Shows) -> Self {
        Self { title: title.into(), sentences: Vec::new(), shows }
    }

    /// With a sentence before it.
    #[must_use]
    pub fn saying(mut self, sentence: impl Into<String>) -> Self {
        self.sentences.push(sentence.into());
        self
    }
}

/// What a part shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shows {
    Figures(Vec<Figure>),
    Table(Table),
    Chart(Chart),
    Findings(Findings),
}

impl Report {
    /// The figure of that id, wherever it stands.
    pub fn figure(&self, id: &str) -> Option<&Figure> {
        self.parts
            .iter()
            .filter_map(|part| match &part.shows {
                Shows::Figures(figures) => Some(figures),
                _ => None,
            })
            .flatten()
            .find(|figure| figure.id == id)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
