//! Requests and replies of each protocol as the servers send them.

use serde_json::{Value, json};

use super::*;
use crate::judge::settings::{Endpoint, Protocol};

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
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}, "why": {"type": "string"}},
        "required": ["score"],
    })
}

fn asked(endpoint: &Endpoint, manner: Manner) -> Request {
    let schema = schema();
    let ask = Ask {
        system: "You judge.",
        user: "Dosis: 4 µg 药",
        schema_name: "support reply",
        schema: &schema,
        max_output: 900,
        temperature: 0.0,
        seed: Some(7),
    };
    request(endpoint, manner, &ask)
}

#[test]
fn an_address_keeps_its_query_at_the_end() {
    for (base, url) in [
        ("http://h/v1", "http://h/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        (
            "https://r.openai.azure.com/openai/deployments/d?api-version=2026-01-01",
            "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2026-01-01",
        ),
        ("http://h/v1/?a=b#c", "http://h/v1/chat/completions?a=b"),
    ] {
        let endpoint = endpoint(Protocol::OpenAi, base);
        assert_eq!(asked(&endpoint, Manner::first(&endpoint)).url, url);
    }
}

#[test]
fn j29_an_error_under_a_good_status_is_classified_by_its_code() {
    let body = r#"{"id":"gen-1","error":{"message":"Provider returned error","code":429}}"#;
    let received = Received { status: 200, headers: &[], body };
    let trouble = read(Protocol::OpenAi, received, NOW).unwrap_err();
    assert_eq!(trouble.kind, TroubleKind::Limited { after: None });
}
