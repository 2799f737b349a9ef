//! A value as its schema wants it, where the schema leaves no doubt what is meant. Text is never touched where the
//! schema takes text.

use serde_json::{Map, Value};

use super::{Schema, json, labels, shortened};

/// Deeper than any schema of ours.
const DEPTH: usize = 64;

/// A value after what could be mended was.
#[derive(Debug)]
pub(super) struct Fitted {
    pub(super) value: Value,
    pub(super) notes: Vec<String>,
    pub(super) fits: bool,
    /// Whether it is a schema and no answer.
    pub(super) is_a_schema: bool,
}

/// Members by which a JSON Schema is known.
const OF_A_SCHEMA: &[&str] = &["$schema", "$defs", "$id", "properties", "definitions"];

/// `value` as the schema wants it. A list of exactly one object is that object where the schema wants an object and
/// this one fits; of several, none is chosen.
pub(super) fn fitted(value: Value, schema: &Schema) -> Fitted {
    if let Some(only) = only_object(&value)
        && schema.value()["type"] == "object"
    {
        let mut fitted = mended(only.clone(), schema);
        if fitted.fits {
            fitted.notes.insert(0, "A list of one object was read as the object.".to_owned());
            return fitted;
        }
    }
    mended(value, schema)
}

/// The object of a list that holds nothing else.
fn only_object(value: &Value) -> Option<&Value> {
    match value.as_array().map(Vec::as_slice) {
        Some([only]) if only.is_object() => Some(only),
        _ => None,
    }
}

fn mended(mut value: Value, schema: &Schema) -> Fitted {
    let own = schema.value()["properties"].as_object();
    let is_a_schema = value.as_object().is_some_and(|members| {
        OF_A_SCHEMA
            .iter()
            .any(|name| members.contains_key(*name) && own.is_none_or(|own| !own.contains_key(*name)))
    });
    let mut mender = Mender { root: schema.value(), notes: Vec::new() };
    mender.mend(&mut value, schema.value(), &mut Place::default(), DEPTH);
    let fits = schema.validator().is_valid(&value);
    Fitted { value, notes: mender.notes, fits, is_a_schema: is_a_schema && !fits }
}

/// Whether `value` has anything of an answer: where the schema is of an object with fields, one of them. So has a list
/// of one such object.
pub(super) fn is_like_an_answer(value: &Value, schema: &Schema) -> bool {
    let Some(properties) = schema.value()["properties"].as_object() else { return true };
    let value = only_object(value).unwrap_or(value);
    value.as_object().is_some_and(|members| members.keys().any(|name| properties.contains_key(name)))
}

/// Where in a value: `claims[2].verdict`.
#[derive(Debug, Clone, Default)]
pub(super) struct Place(String);

impl Place {
    fn within<T>(&mut self, step: &str, what: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.0.len();
        if !self.0.is_empty() && !step.starts_with('[') {
            self.0.push('.');
        }
        self.0.push_str(step);
        let done = what(self);
        self.0.truncate(length);
        done
    }

    fn told(&self) -> &str {
        if self.0.is_empty() { "the reply" } else { &self.0 }
    }
}

struct Mender<'a> {
    root: &'a Value,
    notes: Vec<String>,
}

impl<'a> Mender<'a> {
    fn mend(&mut self, value: &mut Value, schema: &'a Value, place: &mut Place, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let mut branches = Vec::new();
        self.branches(schema, &mut branches, DEPTH);
        if branches.is_empty() {
            return;
        }
        if !branches.iter().any(|branch| takes(branch, value)) && !self.convert(value, &branches, place) {
            return;
        }
        // Of several branches for this kind, the one that shares most fields.
        let shared = |branch: &Map<String, Value>| match (branch.get("properties"), &*value) {
            (Some(Value::Object(properties)), Value::Object(members)) => {
                members.keys().filter(|name| properties.contains_key(*name)).count()
            }
            _ => 0,
        };
        let fit = branches.iter().filter(|branch| takes(branch, value)).max_by_key(|branch| shared(branch));
        if let Some(branch) = fit {
            self.descend(value, branch, place, depth);
        }
    }

    /// The schemas of which one is to take the value: `$ref`s followed, unions opened.
    fn branches(&self, schema: &'a Value, into: &mut Vec<&'a Map<String, Value>>, depth: usize) {
        let (Some(depth), Some(members)) = (depth.checked_sub(1), schema.as_object()) else { return };
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            if let Some(target) = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                self.branches(target, into, depth);
            }
        } else if let Some([only]) = members.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            self.branches(only, into, depth);
        } else if let Some(union) = ["anyOf", "oneOf"].iter().find_map(|name| members.get(*name)?.as_array())
        {
            for branch in union {
                self.branches(branch, into, depth);
            }
        } else {
            into.push(members);
        }
    }

    /// Makes what stands in quotes against the schema, or without them, what the schema wants. Whether anything was
    /// done.
    fn convert(&mut self, value: &mut Value, branches: &[&Map<String, Value>], place: &Place) -> bool {
        let wants = |kind: &str| branches.iter().any(|branch| kinds(branch).contains(&kind));
        // An id that is a number.
        if (value.is_u64() || value.is_i64()) && wants("string") {
            self.notes.push(format!("`{}`: the number {value} was read as text.", place.told()));
            *value = Value::String(value.to_string());
            return true;
        }
        let Value::String(text) = &*value else { return false };
        if wants("string") {
            return false;
        }
        let (converted, what) = if let Ok(parsed) = json::whole(text.trim())
            && ((wants("array") && parsed.value.is_array()) || (wants("object") && parsed.value.is_object()))
        {
            let what =
                if parsed.value.is_array() { "a list given as text" } else { "an object given as text" };
            (parsed.value, what)
        } else if (wants("integer") || wants("number"))
            && let Some(number) = number(text.trim(), wants("number"))
        {
            (number, "a number given as text")
        } else if wants("null") && labels::is_nothing(text) {
            (Value::Null, "a word for nothing")
        } else {
            return false;
        };
        self.notes.push(format!("`{}`: {what} was read as what it says.", place.told()));
        *value = converted;
        true
    }

    fn descend(
        &mut self,
        value: &mut Value,
        branch: &'a Map<String, Value>,
        place: &mut Place,
        depth: usize,
    ) {
        match value {
            Value::Object(members) => self.object(members, branch, place, depth),
            Value::Array(items) => {
                if let Some(schema) = branch.get("items") {
                    for (index, item) in items.iter_mut().enumerate() {
                        place.within(&format!("[{index}]"), |place| self.mend(item, schema, place, depth));
                    }
                }
            }
            Value::String(text) => {
                if let Some(label) = self.label(text, branch, place) {
                    *value = label;
                }
            }
            // JSON Schema calls 4.0 an integer, those who count with it do not.
            Value::Number(number)
                if number.is_f64()
                    && kinds(branch).contains(&"integer")
                    && !kinds(branch).contains(&"number") =>
            {
                if let Some(whole) =
                    number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e15)
                {
                    *value = Value::from(whole as i64);
                }
            }
            _ => {}
        }
    }

    fn object(
        &mut self,
        members: &mut Map<String, Value>,
        branch: &'a Map<String, Value>,
        place: &mut Place,
        depth: usize,
    ) {
        let Some(properties) = branch.get("properties").and_then(Value::as_object) else { return };
        let required = branch.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|found| found == name));
        for (name, schema) in properties {
            let Some(value) = members.get_mut(name) else { continue };
            if value.is_null() && !is_required(name) {
                let mut branches = Vec::new();
                self.branches(schema, &mut branches, DEPTH);
                if !branches.iter().any(|branch| takes(branch, &Value::Null)) {
                    // The strict form of the schema has null where this one has nothing.
                    members.shift_remove(name);
                    continue;
                }
            }
            place.within(name, |place| self.mend(value, schema, place, depth));
        }
        if branch.get("additionalProperties") == Some(&Value::Bool(false)) {
            let unknown: Vec<String> =
                members.keys().filter(|name| !properties.contains_key(*name)).cloned().collect();
            if !unknown.is_empty() {
                members.retain(|name, _| properties.contains_key(name));
                let names = shortened(&unknown.join("`, `"), 100);
                self.notes.push(format!("`{}`: the unknown field(s) `{names}` were left out.", place.told()));
            }
        }
    }

    /// The label that `text` is another writing of; `None` where it is one already or is none.
    fn label(&mut self, text: &str, branch: &Map<String, Value>, place: &Place) -> Option<Value> {
        let allowed = branch.get("enum").and_then(Value::as_array)?;
        if allowed.iter().any(|label| label == text) {
            return None;
        }
        let names: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        let label = match labels::read(text, &names) {
            Some(label) => Value::from(label),
            None if allowed.contains(&Value::Null) && labels::is_nothing(text) => Value::Null,
            None => return None,
        };
        let written = label.as_str().unwrap_or("null");
        self.notes.push(format!("`{}`: `{}` was read as {written}.", place.told(), shortened(text, 60)));
        Some(label)
    }
}

/// The exact number that a text is, and nothing else.
fn number(text: &str, with_fraction: bool) -> Option<Value> {
    let parsed = json::whole(text).ok()?.value;
    let is_wanted = parsed.is_i64() || parsed.is_u64() || (with_fraction && parsed.is_f64());
    is_wanted.then_some(parsed)
}

/// Whether a value of this kind is among those that `branch` takes.
fn takes(branch: &Map<String, Value>, value: &Value) -> bool {
    let kinds = kinds(branch);
    match value {
        Value::Null => kinds.contains(&"null"),
        Value::Bool(_) => kinds.contains(&"boolean"),
        Value::Number(_) => kinds.contains(&"integer") || kinds.contains(&"number"),
        Value::String(_) => kinds.contains(&"string"),
        Value::Array(_) => kinds.contains(&"array"),
        Value::Object(_) => kinds.contains(&"object"),
    }
}

/// The kinds that a schema without unions takes.
fn kinds(branch: &Map<String, Value>) -> Vec<&str> {
    const ALL: &[&str] = &["null", "boolean", "integer", "number", "string", "array", "object"];
    let kind = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    match (branch.get("type"), branch.get("enum"), branch.get("const")) {
        (Some(Value::String(one)), ..) => vec![one.as_str()],
        (Some(Value::Array(several)), ..) => several.iter().filter_map(Value::as_str).collect(),
        (None, Some(Value::Array(labels)), _) => labels.iter().map(kind).collect(),
        (None, None, Some(only)) => vec![kind(only)],
        _ => ALL.to_vec(),
    }
}
