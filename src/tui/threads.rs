//! The list by answers: which lines it has, which of its answers are folded.
//!
//! The cursor is a claim here too: on a folded answer its line is the answer's, and the claim in hand one of its claims.
//! Must not know how rows are read or drawn.

use std::collections::HashSet;
use std::ops::Range;

use crate::domain::ids::{AuditId, ClaimKey};
use crate::domain::queue::{QueueRow, Thread};
use crate::domain::time::Timestamp;

use super::app::App;

#[derive(Debug, Clone, Default)]
pub struct Threads {
    /// Whether the person wants the list by answers.
    pub wanted: bool,
    /// The answers of the rows that are loaded; `None` while these are a list of claims.
    pub answers: Option<Vec<Thread>>,
    /// Whether answers are unfolded that nothing else is known of.
    unfolded: bool,
    /// Those of which the contrary is so.
    others: HashSet<AuditId>,
}

impl Threads {
    pub const fn is_on(&self) -> bool {
        self.answers.is_some()
    }

    pub fn is_folded(&self, answer: &AuditId) -> bool {
        self.unfolded == self.others.contains(answer)
    }

    pub fn fold(&mut self, answer: &AuditId, folded: bool) {
        if self.unfolded == folded {
            self.others.insert(answer.clone());
        } else {
            self.others.remove(answer);
        }
    }

    /// Unfolds all answers, or folds them when all are unfolded; whether they are folded now.
    pub fn fold_all(&mut self) -> bool {
        self.unfolded = !self.unfolded || !self.others.is_empty();
        self.others.clear();
        !self.unfolded
    }

    /// What is known of the answer, while it is among those that are loaded.
    pub fn of(&self, answer: &AuditId) -> Option<&Thread> {
        self.answers.as_ref()?.iter().find(|thread| thread.head.id.audit_id() == answer)
    }
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// An answer, with the loaded rows of its claims.
    Answer(Range<usize>),
    /// The claim of this row.
    Claim(usize),
}

impl App {
    /// The lines of the list, where it is one of answers.
    pub fn lines(&self) -> Vec<Line> {
        let rows = &self.queue.rows;
        let mut lines = Vec::new();
        let mut begin = 0;
        for group in rows.chunk_by(|one, other| one.id.audit_id() == other.id.audit_id()) {
            let range = begin..begin + group.len();
            begin = range.end;
            lines.push(Line::Answer(range.clone()));
            if !self.threads.is_folded(group[0].id.audit_id()) {
                lines.extend(range.map(Line::Claim));
            }
        }
        lines
    }

    /// How many lines the list has.
    pub fn line_count(&self) -> usize {
        if self.threads.is_on() { self.lines().len() } else { self.queue.rows.len() }
    }

    /// The line under the cursor.
    pub fn selected_line(&self) -> Option<usize> {
        let row = self.selected_row()?;
        if !self.threads.is_on() {
            return Some(row);
        }
        let lines = self.lines();
        let of_claim = lines.iter().position(|line| *line == Line::Claim(row));
        let is_answer = |line: &Line| matches!(line, Line::Answer(rows) if rows.contains(&row));
        of_claim.or_else(|| lines.iter().position(is_answer))
    }

    /// The answer under the cursor, when it is folded.
    pub fn folded_here(&self) -> Option<&AuditId> {
        let row = self.threads.is_on().then(|| self.selected_row()).flatten()?;
        Some(self.queue.rows[row].id.audit_id()).filter(|answer| self.threads.is_folded(answer))
    }

    /// The row that the cursor takes in hand on `line`.
    pub fn row_of_line(&self, line: &Line) -> usize {
        match line {
            Line::Claim(row) => *row,
            Line::Answer(rows) => {
                let here = self.selected_row().filter(|row| rows.contains(row));
                here.or_else(|| self.first_open(rows.clone(), None)).unwrap_or(rows.start)
            }
        }
    }

    /// The rows at which the cursor stops, from top to bottom.
    pub fn stops(&self) -> Vec<usize> {
        let lines = self.lines();
        lines
            .iter()
            .filter(|line| match line {
                Line::Claim(_) => true,
                Line::Answer(rows) => self.threads.is_folded(self.queue.rows[rows.start].id.audit_id()),
            })
            .map(|line| self.row_of_line(line))
            .collect()
    }

    /// The row of the first or the last line.
    pub fn stop_at(&self, first: bool) -> Option<usize> {
        let last = self.queue.rows.len().checked_sub(1)?;
        match (self.threads.is_on(), first) {
            (true, true) => self.stops().first().copied(),
            (true, false) => self.stops().last().copied(),
            (false, true) => Some(0),
            (false, false) => Some(last),
        }
    }

    /// The first of these rows that waits for this person and that they have not put off; with a time, that nobody
    /// else has in hand then.
    pub fn first_open(&self, rows: impl IntoIterator<Item = usize>, now: Option<Timestamp>) -> Option<usize> {
        let is_open = |row: &QueueRow| {
            row.decided.is_none()
                && !row.skipped
                && now.map_or(row.deferred.is_none(), |now| row.deferred.is_none_or(|until| until <= now))
                && row.held_by.as_ref().is_none_or(|hold| now.is_none_or(|now| hold.until <= now))
        };
        rows.into_iter().find(|row| is_open(&self.queue.rows[*row]))
    }

    /// The keys of the claims that stand in the list with their words, from `top` on in `height` lines.
    pub fn claims_in_view(&self, top: usize, height: usize) -> Vec<ClaimKey> {
        let rows = &self.queue.rows;
        if !self.threads.is_on() {
            return rows.iter().skip(top).take(height).map(|row| row.key).collect();
        }
        let lines = self.lines();
        let shown = lines.iter().skip(top).take(height);
        shown
            .filter_map(|line| match line {
                Line::Claim(row) => Some(rows[*row].key),
                Line::Answer(_) => None,
            })
            .collect()
    }
}
