//! Replies in the shapes of the three protocols.

use serde_json::Value;

use super::{Reply, Seen};

/// Tokens that every reply says were read: enough for any prompt of a test, or the prompt would have been cut.
pub(crate) const READ: usize = 8000;

/// Which protocol a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    OpenAi,
    Anthropic,
    Gemini,
}

impl Shape {
    /// Told by the path; everything unknown is taken for Chat Completions.
    pub(crate) fn of(seen: &Seen) -> Self {
        let path = seen.path.split('?').next().unwrap_or_default();
        if path.ends_with("/messages") {
            Self::Anthropic
        } else if path.ends_with(":generateContent") {
            Self::Gemini
        } else {
            Self::OpenAi
        }
    }

    /// A whole reply of this text.
    pub(crate) fn said(self, text: &str) -> Reply {
        match self {
            Self::OpenAi => openai::ended(Some(text), "stop"),
            Self::Anthropic => anthropic::ended(text, "end_turn"),
            Self::Gemini => gemini::ended(text, "STOP"),
        }
    }

    /// A reply that ran into its limit after this text.
    pub(crate) fn cut(self, text: &str) -> Reply {
        match self {
            Self::OpenAi => openai::ended(Some(text), "length"),
            Self::Anthropic => anthropic::ended(text, "max_tokens"),
            Self::Gemini => gemini::ended(text, "MAX_TOKENS"),
        }
    }

    /// The model declines.
    pub(crate) fn refused(self) -> Reply {
        match self {
            Self::OpenAi => openai::refused("I can't help with that."),
            Self::Anthropic => anthropic::ended("", "refusal"),
            Self::Gemini => gemini::ended("", "SAFETY"),
        }
    }

    /// Too many requests, to be sent again after so many seconds.
    pub(crate) fn limited(self, seconds: u64) -> Reply {
        match self {
            Self::Gemini => gemini::limited(&format!("{seconds}s")),
            Self::OpenAi => openai::error(429, "Rate limit reached", "requests", Some("rate_limit_exceeded"))
                .header("retry-after", seconds.to_string()),
            Self::Anthropic => anthropic::error(429, "rate_limit_error", "Number of requests exceeded")
                .header("retry-after", seconds.to_string()),
        }
    }

    /// The server failed.
    pub(crate) fn faulty(self) -> Reply {
        match self {
            Self::OpenAi => openai::error(500, "The server had an error", "server_error", None),
            Self::Anthropic => anthropic::error(500, "api_error", "Internal server error"),
            Self::Gemini => gemini::error(500, "INTERNAL", "An internal error has occurred.", &Value::Null),
        }
    }

    /// The key is not accepted.
    pub(crate) fn denied(self) -> Reply {
        match self {
            Self::OpenAi => openai::error(
                401,
                "Incorrect API key provided",
                "invalid_request_error",
                Some("invalid_api_key"),
            ),
            Self::Anthropic => anthropic::error(401, "authentication_error", "invalid x-api-key"),
            Self::Gemini => {
                gemini::error(403, "PERMISSION_DENIED", "API key not valid. Pass a valid key.", &Value::Null)
            }
        }
    }
}

/// All texts of a request, system first, joined by blank lines.
pub(crate) fn prompt(seen: &Seen) -> String {
    let body = seen.json();
    let mut texts = Vec::new();
    for place in ["/system", "/systemInstruction", "/messages", "/contents"] {
        collect(body.pointer(place).unwrap_or(&Value::Null), &mut texts);
    }
    texts.join("\n\n")
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => {
            for name in ["content", "parts", "text"] {
                collect(fields.get(name).unwrap_or(&Value::Null), texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Chat Completions.
pub(crate) mod openai {
    use serde_json::{Value, json};

    use super::{READ, Reply, tokens};

    /// `stop`, `length`, `content_filter`, …
    pub(crate) fn ended(text: Option<&str>, finish_reason: &str) -> Reply {
        message(
            &json!({"role": "assistant", "content": text, "refusal": null, "annotations": []}),
            finish_reason,
        )
    }

    pub(crate) fn refused(words: &str) -> Reply {
        message(&json!({"role": "assistant", "content": null, "refusal": words}), "stop")
    }

    /// A reply with this message, whatever it holds.
    pub(crate) fn message(message: &Value, finish_reason: &str) -> Reply {
        let written = tokens(&message.to_string());
        let body = json!({
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": "scripted-1-2026-01-01",
            "system_fingerprint": "fp_1",
            "service_tier": "default",
            "choices": [{"index": 0, "finish_reason": finish_reason, "logprobs": null, "message": message}],
            "usage": {
                "prompt_tokens": READ,
                "completion_tokens": written,
                "total_tokens": READ + written,
                "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 0},
            },
        });
        Reply::json(200, &body).header("x-request-id", "req_1")
    }

    pub(crate) fn error(status: u16, message: &str, kind: &str, code: Option<&str>) -> Reply {
        let body = json!({"error": {"message": message, "type": kind, "param": null, "code": code}});
        Reply::json(status, &body).header("x-request-id", "req_1")
    }
}

/// Messages.
pub(crate) mod anthropic {
    use serde_json::{Value, json};

    use super::{READ, Reply, tokens};

    /// `end_turn`, `max_tokens`, `refusal`, …
    pub(crate) fn ended(text: &str, stop_reason: &str) -> Reply {
        content(&json!([{"type": "text", "text": text}]), stop_reason)
    }

    /// A reply of these blocks.
    pub(crate) fn content(blocks: &Value, stop_reason: &str) -> Reply {
        let body = json!({
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "scripted-1-2026-01-01",
            "content": blocks,
            "stop_reason": stop_reason,
            "stop_sequence": null,
            "usage": {
                "input_tokens": READ,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": tokens(&blocks.to_string()),
                "service_tier": "standard",
            },
        });
        Reply::json(200, &body).header("request-id", "req_1")
    }

    pub(crate) fn error(status: u16, kind: &str, message: &str) -> Reply {
        let body =
            json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
        Reply::json(status, &body).header("request-id", "req_1")
    }
}

/// generateContent.
pub(crate) mod gemini {
    use serde_json::{Value, json};

    use super::{READ, Reply, tokens};

    /// `STOP`, `MAX_TOKENS`, `SAFETY`, …; without text there are no parts.
    pub(crate) fn ended(text: &str, finish_reason: &str) -> Reply {
        let mut content = json!({"role": "model"});
        if !text.is_empty() {
            content["parts"] = json!([{"text": text}]);
        }
        let candidates = json!([{"content": content, "finishReason": finish_reason, "index": 0}]);
        reply(&json!({"candidates": candidates}), tokens(text))
    }

    /// The prompt itself is blocked: no candidates.
    pub(crate) fn blocked(reason: &str) -> Reply {
        reply(&json!({"promptFeedback": {"blockReason": reason}}), 0)
    }

    fn reply(beginning: &Value, written: usize) -> Reply {
        let mut body = beginning.clone();
        body["usageMetadata"] = json!({
            "promptTokenCount": READ,
            "candidatesTokenCount": written,
            "totalTokenCount": READ + written,
        });
        body["modelVersion"] = json!("scripted-1-2026-01-01");
        body["responseId"] = json!("resp_1");
        Reply::json(200, &body)
    }

    /// The wait stands in the body, as in `57.2s`.
    pub(crate) fn limited(delay: &str) -> Reply {
        let details = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]);
        error(429, "RESOURCE_EXHAUSTED", "Quota exceeded for requests per minute.", &details)
    }

    pub(crate) fn error(status: u16, name: &str, message: &str, details: &Value) -> Reply {
        let body = json!({"error": {"code": status, "message": message, "status": name, "details": details}});
        Reply::json(status, &body)
    }
}

/// About so many tokens as a model would count.
fn tokens(text: &str) -> usize {
    text.len() / 4 + 1
}
