//! What is wrong with a value, in sentences that a model can mend it by: where, what is wanted, what was found.

use std::fmt::Write as _;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::fit::Fitted;
use super::{MOST_TOLD, Schema, shortened};

/// Never none, for a value that does not fit.
pub(super) fn of(fitted: &Fitted, schema: &Schema) -> Vec<String> {
    let value = &fitted.value;
    if fitted.is_a_schema {
        return vec!["The reply is the JSON Schema itself. Wanted is an answer that fits it.".into()];
    }
    // One more than is told, so that the rest is counted without looking at all of it.
    let mut told: Vec<String> =
        schema.validator().iter_errors(value).take(10 * MOST_TOLD).map(|error| sentence(&error)).collect();
    told.dedup();
    if told.is_empty() {
        told.push("The reply does not fit the schema.".into());
    }
    told
}

fn sentence(error: &ValidationError<'_>) -> String {
    if let Kind::AnyOf { context } | Kind::OneOfNotValid { context } = error.kind()
        && let Some(inner) = likeliest(error, context)
    {
        return sentence(inner);
    }
    let place = place(error.instance_path().as_str());
    let found = found(error.instance());
    match error.kind() {
        Kind::Required { property } => {
            format!("{place}: the field `{}` is missing.", property.as_str().unwrap_or_default())
        }
        Kind::Type { kind } => format!("{place}: {} is wanted, {found} was found.", kinds(kind)),
        Kind::Enum { options } => {
            let labels: Vec<String> =
                options.as_array().into_iter().flatten().map(ToString::to_string).collect();
            format!("{place}: one of {} is wanted, {found} was found.", labels.join(", "))
        }
        Kind::Constant { expected_value } => {
            format!("{place}: {expected_value} is wanted, {found} was found.")
        }
        Kind::Minimum { limit } => format!("{place}: at least {limit} is wanted, {found} was found."),
        Kind::Maximum { limit } => format!("{place}: at most {limit} is wanted, {found} was found."),
        Kind::MinItems { limit } => {
            format!("{place}: at least {limit} item(s) are wanted, {found} was found.")
        }
        Kind::MaxItems { limit } => {
            format!("{place}: at most {limit} item(s) are wanted, {found} was found.")
        }
        Kind::MinLength { limit } => {
            format!("{place}: at least {limit} character(s) are wanted, {found} was found.")
        }
        Kind::MaxLength { limit } => {
            format!("{place}: at most {limit} character(s) are wanted, {found} was found.")
        }
        Kind::AdditionalProperties { unexpected } => {
            format!("{place}: the field(s) `{}` are not known.", shortened(&unexpected.join("`, `"), 100))
        }
        _ => format!("{place}: {}.", shortened(&error.masked_with("the value").to_string(), 200)),
    }
}

/// Of a union, the error in the branch that was meant: the one that fails within the value, not at its kind.
fn likeliest<'e>(
    error: &ValidationError<'_>,
    context: &'e [Vec<ValidationError<'static>>],
) -> Option<&'e ValidationError<'static>> {
    let top = error.instance_path();
    context
        .iter()
        .filter_map(|branch| branch.first())
        .find(|inner| inner.instance_path() != top || !matches!(inner.kind(), Kind::Type { .. }))
        .or_else(|| context.iter().find_map(|branch| branch.first()))
}

fn kinds(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => article(&one.to_string()),
        TypeKind::Multiple(several) => {
            several.iter().map(|one| article(&one.to_string())).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn article(kind: &str) -> String {
    match kind {
        "array" => "a list".into(),
        "integer" | "object" => format!("an {kind}"),
        "null" => "null".into(),
        other => format!("a {other}"),
    }
}

/// `/claims/2/verdict` as `claims[2].verdict`.
fn place(pointer: &str) -> String {
    let mut place = String::new();
    for step in pointer.split('/').skip(1) {
        if step.bytes().all(|byte| byte.is_ascii_digit()) && !step.is_empty() {
            let _ = write!(place, "[{step}]");
        } else {
            if !place.is_empty() {
                place.push('.');
            }
            place.push_str(&step.replace("~1", "/").replace("~0", "~"));
        }
    }
    if place.is_empty() { "At the top".into() } else { format!("At `{}`", shortened(&place, 120)) }
}

/// A value that was found, its beginning where it is long.
fn found(value: &Value) -> String {
    match value {
        Value::Object(members) if members.is_empty() => "an empty object".into(),
        Value::Object(_) => "an object".into(),
        Value::Array(items) => format!("a list of {}", items.len()),
        other => shortened(&other.to_string(), 60),
    }
}
