//! The filter in force, and the line in which a filter or a search is typed.

use tui_textarea::TextArea;

use crate::domain::filter::{Filter, FilterError, Review};

/// A filter in force, with what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub filter: Filter,
    /// The rows that are shown are not its rows yet.
    pub is_new: bool,
    /// How many claims fit, once that is counted.
    pub count: Option<u64>,
    /// Number of the count that is under way.
    pub counting: Option<u64>,
    /// The state of the file for which was counted.
    pub version: Option<i64>,
    /// Why it could not be counted.
    pub error: Option<String>,
    /// What a search that finds nothing would have found otherwise.
    pub beside: Option<Beside>,
}

/// What a search that finds nothing would find otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// Number of the question.
    pub run: u64,
    /// The words as the id of an answer.
    pub by_id: Filter,
    /// How many claims have such an id, and how many fit the filter and are not open; `None` until it is counted.
    pub counts: Option<(u64, u64)>,
}

impl Found {
    pub fn new(filter: Filter) -> Self {
        Self { filter, is_new: true, count: None, counting: None, version: None, error: None, beside: None }
    }

    /// `12 of 412 shown`, or what goes on instead. `open` is how many claims are open.
    pub fn shown(&self, open: u64) -> String {
        match self.count {
            _ if self.is_new => "finding…".to_owned(),
            _ if self.error.is_some() => "not counted".to_owned(),
            None => "counting…".to_owned(),
            Some(count) if self.filter.reviews() == [Review::Open] => format!("{count} of {open} shown"),
            Some(count) => format!("{count} shown"),
        }
    }
}

/// What a line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// A whole filter.
    Filter,
    /// The words of a filter.
    Search,
    /// The name under which the filter in force is saved.
    View,
}

/// A filter or a search that is being typed.
#[derive(Debug, Clone)]
pub struct FilterLine {
    pub kind: LineKind,
    /// One line only.
    pub text: TextArea<'static>,
    /// What is wrong with what stands there now.
    pub error: Option<FilterError>,
    /// How far back in the history the text comes from; 0 is what is being typed.
    pub back: usize,
    /// What was being typed before the history was looked at.
    pub typed: String,
}

impl FilterLine {
    pub fn content(&self) -> String {
        self.text.lines().join(" ")
    }
}

/// What was typed into such lines in this session, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    filters: Vec<String>,
    searches: Vec<String>,
    /// Notes of escalations, of one claim and of many.
    escalations: Vec<String>,
}

impl History {
    const MOST: usize = 50;

    pub fn of(&self, kind: LineKind) -> &[String] {
        match kind {
            LineKind::Filter => &self.filters,
            LineKind::Search => &self.searches,
            LineKind::View => &[],
        }
    }

    pub fn escalations(&self) -> &[String] {
        &self.escalations
    }

    /// Remembers `text` as the latest, and only once.
    pub fn remember(&mut self, kind: LineKind, text: &str) {
        match kind {
            LineKind::Filter => Self::push(&mut self.filters, text),
            LineKind::Search => Self::push(&mut self.searches, text),
            LineKind::View => {}
        }
    }

    /// The same of the note of an escalation.
    pub fn remember_escalation(&mut self, text: &str) {
        Self::push(&mut self.escalations, text);
    }

    fn push(lines: &mut Vec<String>, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        lines.retain(|known| known != text);
        lines.push(text.to_owned());
        let over = lines.len().saturating_sub(Self::MOST);
        lines.drain(..over);
    }
}
