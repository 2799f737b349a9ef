//! Google's generateContent.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::shaped::{self, Dialect};
use super::{About, Ask, Manner, Request, Shape, Unsaid, body, openai};
use crate::domain::exchange::Tokens;
use crate::judge::settings::{Endpoint, Reasoning};

pub(super) fn request(endpoint: &Endpoint, manner: Manner, ask: &Ask<'_>) -> Request {
    let system = match manner.shape {
        // Google advises against a schema in the prompt beside the one in the configuration.
        Shape::Schema | Shape::Object => ask.system.to_owned(),
        Shape::Words => body::with_schema(ask.system, ask.schema),
    };
    let mut config = Map::new();
    config.insert("maxOutputTokens".into(), json!(ask.max_output));
    if manner.sampling {
        config.insert("temperature".into(), json!(ask.temperature));
        if let Some(seed) = ask.seed {
            // A signed number of 32 bits there.
            config.insert("seed".into(), json!(seed & 0x7fff_ffff));
        }
    }
    let effort = if manner.unthinking { Some(Reasoning::None) } else { endpoint.reasoning };
    if let Some(effort) = effort.filter(|_| manner.reasoning) {
        config.insert("thinkingConfig".into(), json!({"thinkingBudget": effort.tokens()}));
    }
    match manner.shape {
        Shape::Schema => {
            config.insert("responseMimeType".into(), json!("application/json"));
            config.insert("responseJsonSchema".into(), shaped::strict(ask.schema, Dialect::GeminiJson));
        }
        Shape::Object => {
            config.insert("responseMimeType".into(), json!("application/json"));
            config.insert("responseSchema".into(), shaped::subset(ask.schema));
        }
        Shape::Words => {}
    }
    let mut members = Map::new();
    members.insert("systemInstruction".into(), json!({"parts": [{"text": system}]}));
    members.insert("contents".into(), json!([{"role": "user", "parts": [{"text": ask.user}]}]));
    members.insert("generationConfig".into(), Value::Object(config));
    let model = endpoint.model.strip_prefix("models/").unwrap_or(&endpoint.model);
    let path = format!("/models/{}:generateContent", escaped(model));
    body::request(endpoint, &path, members, &["systemInstruction", "contents"])
}

/// A model's name as a part of an address.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~@/".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

pub(super) fn about(reply: &Value, headers: &[(String, String)]) -> About {
    let usage = &reply["usageMetadata"];
    let thoughts = body::count(&usage["thoughtsTokenCount"]);
    About {
        tokens: Tokens {
            input: body::count(&usage["promptTokenCount"]),
            cached: body::count(&usage["cachedContentTokenCount"]),
            output: body::sum(&[body::count(&usage["candidatesTokenCount"]), thoughts]),
            reasoning: thoughts,
        },
        ..body::about(reply, headers, "modelVersion", "responseId")
    }
}

pub(super) fn said(reply: &Value) -> Result<String, Unsaid> {
    let Some(candidate) = reply["candidates"].as_array().and_then(|candidates| candidates.first()) else {
        return Err(match reply["promptFeedback"]["blockReason"].as_str() {
            Some(reason) => {
                Unsaid::refused(format!("The server blocked the request ({}).", body::excerpt(reason)))
            }
            None if openai::is_error(&reply["error"]) || reply.is_array() => Unsaid::Error,
            None if reply["usageMetadata"].is_object() || reply["candidates"].is_array() => {
                Unsaid::empty("The reply is empty.")
            }
            None => Unsaid::Error,
        });
    };
    let parts = &candidate["content"]["parts"];
    let text = body::words(parts);
    let thoughts = reply["usageMetadata"]["thoughtsTokenCount"].as_u64().is_some_and(|count| count > 0);
    let reasoned = thoughts
        || parts
            .as_array()
            .is_some_and(|parts| parts.iter().any(|part| part["thought"].as_bool() == Some(true)));
    match candidate["finishReason"].as_str() {
        Some("STOP") => {}
        Some("MAX_TOKENS") => return Err(Unsaid::at_limit(&text, reasoned)),
        Some(
            reason @ ("SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
            | "IMAGE_SAFETY" | "MODEL_ARMOR"),
        ) => {
            return Err(Unsaid::refused(format!("The server's filter stopped the reply ({reason}).")));
        }
        other if text.trim().is_empty() => {
            let reason = other.map(|other| format!(" ({})", body::excerpt(other))).unwrap_or_default();
            return Err(Unsaid::empty(format!("The reply is empty{reason}.")));
        }
        Some(other) => {
            let other = body::excerpt(other);
            return Err(Unsaid::cut(format!(
                "The reply ended for a reason other than being complete: `{other}`."
            )));
        }
        None => {
            return Err(Unsaid::cut("The server does not say that the reply is complete (no finishReason)."));
        }
    }
    if !text.trim().is_empty() {
        return Ok(text);
    }
    Err(Unsaid::nothing(reasoned))
}
