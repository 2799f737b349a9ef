//! Labels that are written in another way than the schema writes them. Only what stands in a table counts: a label
//! within a sentence, or with a "not" before it, is none.

use std::str::FromStr;

use crate::domain::comparison::Status;
use crate::domain::verdict::{HallucinationType, NoVerdict, Role, Score, Severity, Verdict};

/// What models write where nothing applies.
const NOTHING: &[&str] = &["NULL", "NONE", "N/A", "NA", "NIL", ""];

/// The one of `allowed` that `text` is another writing of.
pub(super) fn read<'a>(text: &str, allowed: &[&'a str]) -> Option<&'a str> {
    let folded = folded(text);
    let mut same = allowed.iter().filter(|label| self::folded(label) == folded);
    if let Some(label) = same.next() {
        return same.next().is_none().then_some(label);
    }
    let tables = [
        label::<Verdict>(text, Verdict::label),
        label::<Status>(text, Status::label),
        label::<Severity>(text, Severity::label),
        label::<HallucinationType>(text, HallucinationType::label),
        label::<Role>(text, Role::label),
        label::<NoVerdict>(text, NoVerdict::label),
    ];
    let mut read: Vec<&'a str> = tables
        .iter()
        .flatten()
        .filter_map(|found| allowed.iter().find(|label| *label == found).copied())
        .collect();
    read.dedup();
    match read.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Whether `text` says that there is no label.
pub(super) fn is_nothing(text: &str) -> bool {
    NOTHING.contains(&folded(text).as_str())
}

/// What `text` decides as the value of `field`, in one writing; `None` where it is no label of that field.
pub(super) fn decided(field: &str, text: &str) -> Option<String> {
    let found = match field {
        "verdict" => {
            label::<Verdict>(text, Verdict::label).or_else(|| label::<NoVerdict>(text, NoVerdict::label))?
        }
        "status" => label::<Status>(text, Status::label)?,
        "support_level" => {
            (1..=5).filter_map(Score::new).map(Score::level).find(|level| folded(level) == folded(text))?
        }
        "score" => {
            let number = text.trim();
            let whole: u8 = number.strip_suffix(".0").unwrap_or(number).parse().ok()?;
            return Score::new(whole).map(|score| score.get().to_string());
        }
        _ => return None,
    };
    Some(found.to_owned())
}

/// What `text` says as the value of a `field` that decides nothing, labels and numbers in one writing; `None` where it
/// says nothing.
pub(super) fn said(field: &str, text: &str) -> Option<String> {
    let text = text.trim();
    match field {
        "severity" => return label::<Severity>(text, Severity::label).map(str::to_owned),
        "hallucination_type" => {
            return label::<HallucinationType>(text, HallucinationType::label).map(str::to_owned);
        }
        "role" => return label::<Role>(text, Role::label).map(str::to_owned),
        _ => {}
    }
    // None of those words is longer.
    if text.len() <= 4 && is_nothing(text) {
        return None;
    }
    let number = text.parse::<f64>().ok().filter(|_| matches!(field, "confidence" | "sentence"));
    Some(number.map_or_else(|| text.to_owned(), |number| number.to_string()))
}

fn label<T: FromStr + Copy>(text: &str, written: fn(T) -> &'static str) -> Option<&'static str> {
    text.parse::<T>().ok().map(written)
}

/// Case, hyphens, spaces and blanks round a stroke do not matter.
fn folded(text: &str) -> String {
    let upper: String = text
        .trim()
        .chars()
        .map(|c| if c == '-' || c.is_whitespace() { '_' } else { c.to_ascii_uppercase() })
        .collect();
    upper.replace("_/_", "/").replace("_/", "/").replace("/_", "/")
}
