//! What a model wrote, as a value that fits its schema. Nothing is believed and nothing guessed: what is not plain
//! from the text is an error that the model can be shown, and every leniency is noted.
//!
//! Must not know the wire, instruments, or what a value means.

mod changed;
mod claims;
mod complaint;
mod echo;
mod fit;
mod json;
mod labels;
mod scan;
#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "the tests build what they hand over in place")]
mod tests;
mod tokens;

use std::sync::Arc;

use serde_json::Value;

pub use changed::{Change, changes, is_mended};
pub use echo::is_repeated;

use crate::domain::exchange::Ending;

/// Bytes of a reply that is looked at. The longest that a model writes have about a fifth of it.
pub const LONGEST_REPLY: usize = 1 << 20;

/// Errors and notes that are told of one reply.
const MOST_TOLD: usize = 20;

/// Characters of an error or a note.
const LONGEST_TOLD: usize = 300;

/// A JSON Schema that replies are held to. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Schema(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    name: String,
    value: Value,
    validator: jsonschema::Validator,
}

/// A schema that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schema `{name}` cannot be used: {reason}")]
pub struct SchemaError {
    pub name: String,
    pub reason: String,
}

impl Schema {
    /// Compiles `json_text`. References must stay within it: nothing is fetched.
    pub fn new(name: impl Into<String>, json_text: &str) -> Result<Self, SchemaError> {
        let name = name.into();
        let compiled =
            serde_json::from_str::<Value>(json_text).map_err(|error| error.to_string()).and_then(|value| {
                let validator = jsonschema::validator_for(&value).map_err(|error| error.to_string())?;
                Ok((value, validator))
            });
        match compiled {
            Ok((value, validator)) => Ok(Self(Arc::new(Compiled { name, value, validator }))),
            Err(reason) => Err(SchemaError { name, reason }),
        }
    }

    pub fn name(&self) -> &str {
        &self.0.name
    }

    pub fn value(&self) -> &Value {
        &self.0.value
    }

    fn validator(&self) -> &jsonschema::Validator {
        &self.0.validator
    }
}

/// A reply that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// It fits the schema.
    pub value: Value,
    /// Each leniency that was needed, in a sentence.
    pub notes: Vec<String>,
}

/// A reply that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// [`Ending::Unreadable`] where there is no whole JSON value, else [`Ending::Misshapen`].
    pub ending: Ending,
    /// What is wrong, in sentences for the model that is to mend it and for people; never none.
    pub errors: Vec<String>,
}

/// Reads a model's reply: the untouched text first; then what stands in it once reasoning, code fences and prose are
/// passed over. Of several whole answers that differ none counts, and none counts that a broken one follows.
pub fn read(text: &str, schema: &Schema) -> Result<Read, Unread> {
    if text.len() > LONGEST_REPLY {
        let length = text.len();
        let error = format!("The reply has {length} bytes; no more than {LONGEST_REPLY} are read.");
        return Err(Unread { ending: Ending::Unreadable, errors: vec![error] });
    }
    let trimmed = text.trim_start_matches('\u{feff}').trim();
    match json::whole(trimmed) {
        Ok(parsed) => {
            let mut notes: Vec<String> = parsed.notes().collect();
            let fitted = fit::fitted(parsed.value, schema);
            if fitted.fits {
                notes.extend(fitted.notes);
                return Ok(Read { value: fitted.value, notes: told(notes) });
            }
            Err(misshapen(&fitted, schema))
        }
        Err(_) => scan::last_answer(trimmed, schema).map_err(|errors| match errors {
            scan::NoAnswer::Broken(error) => Unread { ending: Ending::Unreadable, errors: vec![error] },
            scan::NoAnswer::Several(error) => Unread { ending: Ending::Misshapen, errors: vec![error] },
            scan::NoAnswer::Unfit(fitted) => misshapen(&fitted, schema),
        }),
    }
}

fn misshapen(fitted: &fit::Fitted, schema: &Schema) -> Unread {
    Unread { ending: Ending::Misshapen, errors: told(complaint::of(fitted, schema)) }
}

/// No more sentences than are read, none longer than is read.
fn told(mut sentences: Vec<String>) -> Vec<String> {
    let more = sentences.len().saturating_sub(MOST_TOLD);
    if more > 0 {
        sentences.truncate(MOST_TOLD - 1);
        sentences.push(format!("And {} more.", more + 1));
    }
    for sentence in &mut sentences {
        *sentence = shortened(sentence, LONGEST_TOLD);
    }
    sentences
}

/// The first `most` characters of `text`, hidden ones made visible.
fn shortened(text: &str, most: usize) -> String {
    let text = match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    crate::text::sanitize::visible(&text).into_owned()
}
