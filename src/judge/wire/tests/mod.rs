//! Requests and replies of each protocol as the servers send them.

mod anthropic;
mod errors;
mod gemini;
mod hostile;
mod openai;
mod requests;

use serde_json::{Value, json};

use super::*;

/// 2026-11-30T02:00:00Z
const NOW: Timestamp = Timestamp::from_millis(1_796_004_000_000);

fn endpoint(protocol: Protocol, base_url: &str) -> Endpoint {
    Endpoint {
        protocol,
        base_url: base_url.into(),
        model: "m-1".into(),
        key_header: "authorization".into(),
        key_prefix: "Bearer ".into(),
        headers: vec![("anthropic-version".into(), "2026-10-21".into())],
        secret_headers: Vec::new(),
        reasoning: None,
    }
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Support",
        "type": "object",
        "properties": {
            "score": {"type": "integer", "minimum": 1, "maximum": 5},
            "why": {"type": "string", "minLength": 1, "description": "in a sentence"},
            "quotes": {"type": "array", "items": {"$ref": "#/$defs/quote"}, "maxItems": 9},
            "kind": {"enum": ["A", "B", null], "type": ["string", "null"]},
        },
        "required": ["score", "quotes", "kind"],
        "$defs": {"quote": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
    })
}

fn asked(endpoint: &Endpoint, manner: Manner) -> Request {
    let schema = schema();
    let ask = Ask {
        system: "You judge.",
        user: "Dosis: 4 µg 药 \u{1f468}\u{200d}\u{1f52c}",
        schema_name: "support reply",
        schema: &schema,
        max_output: 900,
        temperature: 0.0,
        seed: Some(7_000_000_000),
    };
    request(endpoint, manner, &ask)
}

fn with_headers(
    protocol: Protocol,
    status: u16,
    headers: &[(&str, &str)],
    body: impl ToString,
) -> Result<Said, Trouble> {
    let headers: Vec<(String, String)> =
        headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    read(protocol, Received { status, headers: &headers, body: &body.to_string() }, NOW)
}

fn said(protocol: Protocol, body: impl ToString) -> Said {
    with_headers(protocol, 200, &[], body).unwrap()
}

fn trouble(protocol: Protocol, status: u16, body: impl ToString) -> Trouble {
    with_headers(protocol, status, &[], body).unwrap_err()
}
