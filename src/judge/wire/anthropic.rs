//! Anthropic's Messages.

use serde_json::{Map, Value, json};

use super::shaped::{self, Dialect};
use super::{About, Ask, Manner, Request, Shape, Unsaid, body, openai};
use crate::domain::exchange::Tokens;
use crate::judge::settings::Endpoint;

pub(super) fn request(endpoint: &Endpoint, manner: Manner, ask: &Ask<'_>) -> Request {
    let strict = || shaped::strict(ask.schema, Dialect::Anthropic);
    let system = match manner.shape {
        // A forced tool brings its schema along.
        Shape::Schema | Shape::Object => ask.system.to_owned(),
        Shape::Words => body::with_schema(ask.system, ask.schema),
    };
    let mut members = Map::new();
    members.insert("model".into(), json!(endpoint.model));
    members.insert("max_tokens".into(), json!(ask.max_output));
    members.insert("system".into(), json!(system));
    members.insert("messages".into(), json!([{"role": "user", "content": ask.user}]));
    if manner.sampling {
        members.insert("temperature".into(), json!(ask.temperature.clamp(0.0, 1.0)));
    }
    match manner.shape {
        Shape::Schema => {
            let format = json!({"type": "json_schema", "schema": strict()});
            members.insert("output_config".into(), json!({"format": format}));
        }
        Shape::Object => {
            let name = openai::name(ask.schema_name);
            let tool = json!({
                "name": name,
                "description": "Takes the whole answer. Call it exactly once.",
                "input_schema": strict(),
            });
            members.insert("tools".into(), json!([tool]));
            let choice = json!({"type": "tool", "name": name, "disable_parallel_tool_use": true});
            members.insert("tool_choice".into(), choice);
        }
        Shape::Words => {}
    }
    body::request(endpoint, "/messages", members, &["system", "messages"])
}

pub(super) fn about(reply: &Value, headers: &[(String, String)]) -> About {
    let usage = &reply["usage"];
    let read = body::count(&usage["cache_read_input_tokens"]);
    About {
        tokens: Tokens {
            input: body::sum(&[
                body::count(&usage["input_tokens"]),
                body::count(&usage["cache_creation_input_tokens"]),
                read,
            ]),
            cached: read,
            output: body::count(&usage["output_tokens"]),
            reasoning: body::count(&usage["output_tokens_details"]["thinking_tokens"]),
        },
        ..body::about(reply, headers, "model", "id")
    }
}

pub(super) fn said(reply: &Value) -> Result<String, Unsaid> {
    if reply["type"] == "error" {
        return Err(Unsaid::Error);
    }
    let Some(parts) = reply["content"].as_array() else { return Err(Unsaid::Error) };
    let text = body::words(&reply["content"]);
    let reasoned =
        parts.iter().any(|part| matches!(part["type"].as_str(), Some("thinking" | "redacted_thinking")));
    match reply["stop_reason"].as_str() {
        Some("end_turn" | "stop_sequence" | "tool_use") => {}
        Some("max_tokens") => return Err(Unsaid::at_limit(&text, reasoned)),
        Some("model_context_window_exceeded") => {
            return Err(Unsaid::cut(
                "Request and reply together are longer than the model's context: the reply is cut.",
            ));
        }
        Some("refusal") => return Err(Unsaid::refused(refusal(&reply["stop_details"]))),
        Some(other) => {
            let other = body::excerpt(other);
            return Err(Unsaid::cut(format!(
                "The reply ended for a reason other than being complete: `{other}`."
            )));
        }
        None => {
            return Err(Unsaid::cut("The server does not say that the reply is complete (no stop_reason)."));
        }
    }
    if let Some(call) = parts.iter().find(|part| part["type"] == "tool_use") {
        return Ok(match &call["input"] {
            Value::String(text) => text.clone(),
            input => input.to_string(),
        });
    }
    if !text.trim().is_empty() {
        return Ok(text);
    }
    Err(Unsaid::nothing(reasoned))
}

fn refusal(details: &Value) -> String {
    let category = details["category"].as_str().map(body::excerpt);
    let explanation = details["explanation"].as_str().map(body::excerpt);
    match (category, explanation) {
        (Some(category), Some(explanation)) => format!("The model declined ({category}): {explanation}"),
        (Some(only), None) | (None, Some(only)) => format!("The model declined: {only}"),
        (None, None) => "The model declined.".into(),
    }
}
