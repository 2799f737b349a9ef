//! Rows as CSV: one column a field; lists and objects as JSON in their cell.

use serde::Serialize;
use serde_json::Value;

/// Writes rows as lines of CSV (RFC 4180), the names of the columns first.
///
/// A cell that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a
/// carriage return) gets a `'` in front; JSON Lines is the exact form.
#[derive(Debug, Default)]
pub struct CsvRows {
    has_header: bool,
}

impl CsvRows {
    /// The lines for one more row.
    pub fn row(&mut self, row: &impl Serialize) -> Result<Vec<u8>, csv::Error> {
        let value = serde_json::to_value(row).map_err(std::io::Error::from)?;
        let Value::Object(fields) = value else {
            return Ok(Vec::new());
        };
        let mut writer = csv::Writer::from_writer(Vec::new());
        if !self.has_header {
            writer.write_record(fields.keys())?;
            self.has_header = true;
        }
        writer.write_record(fields.values().map(cell))?;
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
        let mut rows = CsvRows::default();
        let row = serde_json::json!({"id": "=1+1", "text": "a, \"b\"\nc", "n": -1.5, "none": null, "list": [{"x": 1}]});
        let first = String::from_utf8(rows.row(&row).unwrap()).unwrap();
        assert_eq!(first, "id,text,n,none,list\n'=1+1,\"a, \"\"b\"\"\nc\",-1.5,,\"[{\"\"x\"\":1}]\"\n");
        let second = String::from_utf8(rows.row(&row).unwrap()).unwrap();
        assert!(!second.contains("id,text"), "the names of the columns stand once");
    }
}
