//! Chat Completions, as `OpenAI` and every compatible server speaks it.

use serde_json::{Map, Value, json};

use super::shaped::{self, Dialect};
use super::{About, Ask, Manner, Request, Shape, Unsaid, body};
use crate::domain::exchange::Tokens;
use crate::judge::settings::{Endpoint, Reasoning};

/// Longest name of a schema.
const LONGEST_NAME: usize = 64;

/// Whether the address is `OpenAI`'s own or Azure's. Their newer models refuse `max_tokens`, which the compatible
/// servers know better than its successor; and they refuse members that they do not know.
pub(super) fn is_original(base_url: &str) -> bool {
    let after_scheme = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    let place = after_scheme.split(['/', '?', '#']).next().unwrap_or_default();
    let host = place.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let host = host.to_ascii_lowercase();
    ["api.openai.com", ".api.openai.com", ".azure.com"].iter().any(|end| host.ends_with(end))
}

pub(super) fn request(endpoint: &Endpoint, manner: Manner, ask: &Ask<'_>) -> Request {
    let system = match manner.shape {
        Shape::Schema => ask.system.to_owned(),
        Shape::Object | Shape::Words => body::with_schema(ask.system, ask.schema),
    };
    let mut members = Map::new();
    members.insert("model".into(), json!(endpoint.model));
    members.insert(
        "messages".into(),
        json!([{"role": "system", "content": system}, {"role": "user", "content": ask.user}]),
    );
    let limit = if manner.new_limit { "max_completion_tokens" } else { "max_tokens" };
    members.insert(limit.into(), json!(ask.max_output));
    if manner.sampling {
        members.insert("temperature".into(), json!(ask.temperature));
        if let Some(seed) = ask.seed {
            members.insert("seed".into(), json!(seed));
        }
    }
    let effort = if manner.unthinking { Some(Reasoning::None) } else { endpoint.reasoning };
    if let Some(effort) = effort.filter(|_| manner.reasoning) {
        members.insert("reasoning_effort".into(), json!(effort.label()));
        if effort == Reasoning::None && !is_original(&endpoint.base_url) {
            // How vLLM, llama.cpp and others turn it off.
            members.insert("chat_template_kwargs".into(), json!({"enable_thinking": false}));
        }
    }
    let strict = || shaped::strict(ask.schema, Dialect::OpenAi);
    match manner.shape {
        Shape::Schema => {
            let schema = json!({"name": name(ask.schema_name), "strict": true, "schema": strict()});
            members.insert("response_format".into(), json!({"type": "json_schema", "json_schema": schema}));
        }
        Shape::Object if is_original(&endpoint.base_url) => {
            members.insert("response_format".into(), json!({"type": "json_object"}));
        }
        // llama.cpp holds the reply to this schema; others pass over it.
        Shape::Object => {
            members.insert("response_format".into(), json!({"type": "json_object", "schema": strict()}));
        }
        Shape::Words => {}
    }
    body::request(endpoint, "/chat/completions", members, &["messages"])
}

/// A schema's name in the letters that are allowed.
pub(super) fn name(name: &str) -> String {
    let name: String = name
        .chars()
        .take(LONGEST_NAME)
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .collect();
    if name.is_empty() { "reply".into() } else { name }
}

pub(super) fn about(reply: &Value, headers: &[(String, String)]) -> About {
    let usage = &reply["usage"];
    let cached = body::count(&usage["prompt_tokens_details"]["cached_tokens"])
        .or_else(|| body::count(&usage["prompt_cache_hit_tokens"]));
    About {
        tokens: Tokens {
            input: body::count(&usage["prompt_tokens"]),
            cached,
            output: body::count(&usage["completion_tokens"]),
            reasoning: body::count(&usage["completion_tokens_details"]["reasoning_tokens"]),
        },
        cost_micros: usage["cost"].as_f64().and_then(micros),
        ..body::about(reply, headers, "model", "id")
    }
}

/// US dollars in millionths.
fn micros(dollars: f64) -> Option<u64> {
    (0.0..1e9).contains(&dollars).then(|| (dollars * 1e6).round() as u64)
}

pub(super) fn said(reply: &Value) -> Result<String, Unsaid> {
    let choices = reply["choices"].as_array().filter(|choices| !choices.is_empty());
    let Some(choice) = choices.and_then(|choices| choices.first()) else {
        return Err(Unsaid::Error);
    };
    let message = &choice["message"];
    let text = body::words(&message["content"]);
    let refusal = refusal(message);
    match choice["finish_reason"].as_str() {
        _ if refusal.is_some() => {}
        Some(
            "stop" | "end_turn" | "eos" | "eos_token" | "stop_sequence" | "tool_calls" | "function_call",
        ) => {}
        Some("length" | "max_tokens" | "model_length" | "MAX_TOKENS") => {
            return Err(Unsaid::at_limit(&text, has_reasoning(message)));
        }
        Some("content_filter") => {
            return Err(Unsaid::refused("The server's content filter stopped the reply."));
        }
        Some("error" | "insufficient_system_resource") => return Err(Unsaid::Error),
        _ if is_error(&choice["error"]) => return Err(Unsaid::Error),
        Some(other) => {
            let other = body::excerpt(other);
            return Err(Unsaid::cut(format!(
                "The reply ended for a reason other than being complete: `{other}`."
            )));
        }
        None => {
            return Err(Unsaid::cut(
                "The server does not say that the reply is complete (no finish_reason).",
            ));
        }
    }
    if let Some(refusal) = refusal {
        return Err(Unsaid::refused(format!("The model declined: {}", body::excerpt(refusal))));
    }
    if !text.trim().is_empty() {
        return Ok(text);
    }
    // Servers that hold a reply to a schema by calling a tool put it there.
    if let Some(arguments) = message["tool_calls"][0]["function"]["arguments"].as_str()
        && !arguments.trim().is_empty()
    {
        return Ok(arguments.to_owned());
    }
    if message.is_null() {
        return Err(Unsaid::Error);
    }
    Err(Unsaid::nothing(has_reasoning(message)))
}

pub(super) fn is_error(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}

fn refusal(message: &Value) -> Option<&str> {
    let said = |value: &'_ Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    if said(&message["refusal"]) {
        return message["refusal"].as_str();
    }
    let parts = message["content"].as_array()?;
    parts.iter().map(|part| &part["refusal"]).find(|refusal| said(refusal))?.as_str()
}

fn has_reasoning(message: &Value) -> bool {
    let named = ["reasoning", "reasoning_content", "thinking", "reasoning_details"];
    let is_there = |value: &Value| match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(parts) => !parts.is_empty(),
        _ => false,
    };
    named.iter().any(|name| is_there(&message[name]))
        || message["content"].as_array().into_iter().flatten().any(|part| {
            let kind = part["type"].as_str().unwrap_or("text");
            !matches!(kind, "text" | "output_text" | "refusal")
        })
}
