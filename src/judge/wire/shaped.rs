//! A JSON Schema in the forms that servers take. Each is narrower than JSON Schema, so what a form cannot say is
//! left out here, and `reading` holds every reply to the whole schema.

use serde_json::{Map, Value, json};

/// Bounds that Chat Completions takes in its strict form.
const BOUNDS: &[&str] =
    &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"];

/// Deeper than any schema of ours; a `$ref` to itself ends here.
const DEPTH: usize = 24;

/// Which further keywords a server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Chat Completions, and what servers with grammars read.
    OpenAi,
    /// No bounds at all.
    Anthropic,
    /// Gemini's `responseJsonSchema`.
    GeminiJson,
}

/// The strict form: no object takes further properties, every property is required, and what may be left out is
/// a union with null instead. Idempotent.
pub(super) fn strict(schema: &Value, dialect: Dialect) -> Value {
    strict_below(schema, schema, dialect, DEPTH)
}

fn strict_below(schema: &Value, root: &Value, dialect: Dialect, depth: usize) -> Value {
    let Some((members, depth)) = resolved(schema, root, depth) else { return json!({}) };
    let mut shaped = Map::new();
    if let Some(description) = members.get("description") {
        shaped.insert("description".into(), description.clone());
    }
    if let Some(types) = members.get("type").and_then(Value::as_array)
        && types.len() > 1
    {
        let branches =
            types.iter().map(|one| strict_below(&of_type(members, one), root, dialect, depth)).collect();
        shaped.insert("anyOf".into(), Value::Array(branches));
        return Value::Object(shaped);
    }
    if let Some(branches) = ["anyOf", "oneOf"].into_iter().find_map(|name| members.get(name)?.as_array()) {
        let branches = branches.iter().map(|branch| strict_below(branch, root, dialect, depth)).collect();
        shaped.insert("anyOf".into(), Value::Array(branches));
        return Value::Object(shaped);
    }
    if let Some(kind) = members.get("type") {
        shaped.insert("type".into(), single(kind).clone());
    }
    if let Some(constant) = members.get("const") {
        shaped.insert("enum".into(), json!([constant]));
    }
    if let Some(labels) = members.get("enum") {
        shaped.insert("enum".into(), labels.clone());
    }
    for &bound in BOUNDS {
        if dialect != Dialect::Anthropic
            && !(dialect == Dialect::GeminiJson && bound.starts_with("exclusive"))
            && let Some(value) = members.get(bound)
        {
            shaped.insert(bound.into(), value.clone());
        }
    }
    if let Some(items) = members.get("items") {
        shaped.insert("items".into(), strict_below(items, root, dialect, depth));
    }
    if let Some(properties) = members.get("properties").and_then(Value::as_object) {
        let required = members.get("required").and_then(Value::as_array);
        let properties: Map<String, Value> = properties
            .iter()
            .map(|(name, property)| {
                let below = strict_below(property, root, dialect, depth);
                let needed = required.is_some_and(|names| names.iter().any(|found| found == name));
                (name.clone(), if needed { below } else { or_null(below) })
            })
            .collect();
        shaped.insert("required".into(), properties.keys().cloned().collect());
        shaped.insert("properties".into(), Value::Object(properties));
        shaped.insert("additionalProperties".into(), Value::Bool(false));
    }
    Value::Object(shaped)
}

/// The form of Gemini's `responseSchema`: types in capitals, `nullable`, no `additionalProperties`.
pub(super) fn subset(schema: &Value) -> Value {
    subset_below(schema, schema, DEPTH)
}

fn subset_below(schema: &Value, root: &Value, depth: usize) -> Value {
    let Some((members, depth)) = resolved(schema, root, depth) else { return json!({"type": "STRING"}) };
    let mut branches: Vec<Value> = match members.get("type") {
        Some(Value::Array(types)) => types.iter().map(|one| of_type(members, one)).collect(),
        _ => ["anyOf", "oneOf"]
            .into_iter()
            .find_map(|name| members.get(name)?.as_array())
            .cloned()
            .unwrap_or_default(),
    };
    let before = branches.len();
    branches.retain(|branch| branch["type"] != "null");
    let nullable = branches.len() < before;
    if branches.len() > 1 {
        let any: Vec<Value> = branches.iter().map(|branch| subset_below(branch, root, depth)).collect();
        return if nullable { json!({"anyOf": any, "nullable": true}) } else { json!({"anyOf": any}) };
    }
    let mut shaped = match branches.first() {
        Some(only) => match subset_below(only, root, depth) {
            Value::Object(shaped) => shaped,
            _ => Map::new(),
        },
        None => plain_subset(members, root, depth),
    };
    if nullable {
        shaped.insert("nullable".into(), Value::Bool(true));
    }
    if let Some(description) = members.get("description") {
        shaped.insert("description".into(), description.clone());
    }
    Value::Object(shaped)
}

fn plain_subset(members: &Map<String, Value>, root: &Value, depth: usize) -> Map<String, Value> {
    let mut shaped = Map::new();
    let labels = members.get("enum").cloned().or_else(|| members.get("const").map(|only| json!([only])));
    if let Some(kind) = members.get("type").map(single).and_then(Value::as_str) {
        shaped.insert("type".into(), Value::String(kind.to_uppercase()));
    } else if labels.is_some() {
        shaped.insert("type".into(), json!("STRING"));
    }
    // The subset has labels only among strings.
    if let Some(Value::Array(labels)) = labels
        && shaped.get("type").is_some_and(|kind| kind == "STRING")
    {
        let labels: Vec<Value> = labels.into_iter().filter(Value::is_string).collect();
        shaped.insert("enum".into(), Value::Array(labels));
    }
    for bound in ["minimum", "maximum", "minItems", "maxItems"] {
        if let Some(value) = members.get(bound) {
            shaped.insert(bound.into(), value.clone());
        }
    }
    if let Some(items) = members.get("items") {
        shaped.insert("items".into(), subset_below(items, root, depth));
    }
    if let Some(properties) = members.get("properties").and_then(Value::as_object) {
        let order: Vec<Value> = properties.keys().cloned().map(Value::String).collect();
        let properties: Map<String, Value> =
            properties.iter().map(|(name, below)| (name.clone(), subset_below(below, root, depth))).collect();
        shaped.insert("properties".into(), Value::Object(properties));
        if let Some(required) = members.get("required") {
            shaped.insert("required".into(), required.clone());
        }
        shaped.insert("propertyOrdering".into(), Value::Array(order));
    }
    shaped
}

/// The schema itself, `$ref`s within the document followed and an `allOf` of one opened; `None` where it is no
/// object or too deep.
fn resolved<'a>(schema: &'a Value, root: &'a Value, depth: usize) -> Option<(&'a Map<String, Value>, usize)> {
    let depth = depth.checked_sub(1)?;
    let members = schema.as_object()?;
    if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
        return resolved(root.pointer(reference.strip_prefix('#')?)?, root, depth);
    }
    if let Some([only]) = members.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        return resolved(only, root, depth);
    }
    Some((members, depth))
}

/// `members` narrowed to one of its types.
fn of_type(members: &Map<String, Value>, kind: &Value) -> Value {
    let is_null = kind == "null";
    let mut narrowed = members.clone();
    narrowed.remove("description");
    narrowed.insert("type".into(), kind.clone());
    if is_null {
        return json!({"type": "null"});
    }
    if let Some(Value::Array(labels)) = narrowed.get_mut("enum") {
        labels.retain(|label| !label.is_null());
    }
    Value::Object(narrowed)
}

fn single(kind: &Value) -> &Value {
    match kind {
        Value::Array(types) => types.first().unwrap_or(kind),
        _ => kind,
    }
}

fn or_null(schema: Value) -> Value {
    let null = json!({"type": "null"});
    if schema == null {
        return schema;
    }
    match schema {
        Value::Object(mut members) => {
            if let Some(Value::Array(branches)) = members.get_mut("anyOf") {
                if !branches.contains(&null) {
                    branches.push(null);
                }
                return Value::Object(members);
            }
            Value::Object(
                [("anyOf".to_owned(), Value::Array(vec![Value::Object(members), null]))]
                    .into_iter()
                    .collect(),
            )
        }
        other => other,
    }
}
