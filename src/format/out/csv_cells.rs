//! Rows as CSV: one column a field; lists and objects as JSON in their cell.

use serde::Serialize;
use serde_json::Value;

/// Writes rows as lines of CSV (RFC 4180), the names of the columns first. Every line has all columns, and each field
/// stands under its name: one that a row does not have is an empty cell.
///
/// A cell that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a
/// carriage return) gets a `'` in front; JSON Lines is the exact form.
#[derive(Debug)]
pub struct CsvRows {
    columns: &'static [&'static str],
    has_header: bool,
}

impl CsvRows {
    /// `columns`: the names of all fields that a row may have.
    pub const fn of(columns: &'static [&'static str]) -> Self {
        Self { columns, has_header: false }
    }

    /// The lines for one more row.
    ///
    /// Refuses a field that has no column: it would be lost, or stand under another one's name.
    pub fn row(&mut self, row: &impl Serialize) -> Result<Vec<u8>, csv::Error> {
        let value = serde_json::to_value(row).map_err(std::io::Error::from)?;
        let Value::Object(fields) = value else {
            return Ok(Vec::new());
        };
        if let Some(stray) = fields.keys().find(|name| !self.columns.contains(&name.as_str())) {
            return Err(std::io::Error::other(format!("the CSV has no column for `{stray}`")).into());
        }
        let mut writer = csv::Writer::from_writer(Vec::new());
        if !self.has_header {
            writer.write_record(self.columns)?;
            self.has_header = true;
        }
        writer
            .write_record(self.columns.iter().map(|name| fields.get(*name).map_or_else(String::new, cell)))?;
        writer.into_inner().map_err(|error| error.into_error().into())
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => format!("'{text}"),
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_disarmed_and_commas_quotes_and_line_feeds_survive() {
        let mut rows = CsvRows::of(&["id", "text", "n", "none", "list"]);
        let row = serde_json::json!({"id": "=1+1", "text": "a, \"b\"\nc", "n": -1.5, "none": null, "list": [{"x": 1}]});
        let first = String::from_utf8(rows.row(&row).unwrap()).unwrap();
        assert_eq!(first, "id,text,n,none,list\n'=1+1,\"a, \"\"b\"\"\nc\",-1.5,,\"[{\"\"x\"\":1}]\"\n");
        let second = String::from_utf8(rows.row(&row).unwrap()).unwrap();
        assert!(!second.contains("id,text"), "the names of the columns stand once");
    }

    #[test]
    fn a_field_that_a_row_lacks_is_an_empty_cell_and_one_without_a_column_is_refused() {
        let mut rows = CsvRows::of(&["a", "b", "c"]);
        rows.row(&serde_json::json!({"c": 3, "a": 1})).unwrap();
        assert_eq!(rows.row(&serde_json::json!({"b": 2})).unwrap(), b",2,\n");
        assert!(rows.row(&serde_json::json!({"d": 4})).unwrap_err().to_string().contains("`d`"));
    }
}
