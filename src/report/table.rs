//! Rows and columns.

use serde::{Deserialize, Serialize};

/// A table; every row has as many cells as there are columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<String>>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    /// Whether numbers stand in it, which end at the right.
    pub is_number: bool,
}

impl Table {
    /// A table without rows. The first column holds words, the others numbers.
    pub fn of_numbers(columns: &[&str]) -> Self {
        let column = |(at, name): (usize, &&str)| Column { name: (*name).to_owned(), is_number: at > 0 };
        Self { columns: columns.iter().enumerate().map(column).collect(), rows: Vec::new() }
    }

    /// A table of words without rows.
    pub fn of_words(columns: &[&str]) -> Self {
        let column = |name: &&str| Column { name: (*name).to_owned(), is_number: false };
        Self { columns: columns.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row; what is missing is empty, what is too much is left away.
    pub fn push(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).take(self.columns.len()).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }
}
