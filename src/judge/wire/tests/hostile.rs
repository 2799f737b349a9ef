//! Nothing that a server sends makes the program fall.

use proptest::prelude::*;

use super::*;

/// JSON of the members that the protocols read, in places where they do not belong too.
fn body() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "error",
        "choices",
        "message",
        "content",
        "finish_reason",
        "type",
        "text",
        "candidates",
        "parts",
        "code",
        "finishReason",
        "stop_reason",
        "usage",
        "usageMetadata",
        "details",
        "retryDelay",
        "cost",
        "prompt_tokens",
        "refusal",
        "tool_calls",
        "function",
        "arguments",
        "promptFeedback",
        "blockReason",
        "metadata",
        "headers",
        "violations",
        "quotaId",
        "detail",
        "loc",
        "innererror",
        "input",
        "stop_details",
        "model",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "stop", "length", "end_turn", "STOP", "error", "text", "tool_use", "9999h", "1.5s"
        ])
        .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..5).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

fn header() -> impl Strategy<Value = (String, String)> {
    let name = prop::sample::select(vec![
        "retry-after",
        "retry-after-ms",
        "x-ratelimit-reset-tokens",
        "x-ratelimit-remaining-tokens",
        "anthropic-ratelimit-requests-reset",
        "x-should-retry",
        "x-request-id",
    ]);
    let value = prop_oneof![
        ".{0,30}",
        any::<f64>().prop_map(|number| number.to_string()),
        "[0-9]{0,30}(s|ms|h|d|m)",
        "(Mon|Tue)?,? ?[0-9]{1,3}[ -](Nov|Feb|Xyz)[ -][0-9]{1,6} [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}( GMT)?",
    ];
    (name.prop_map(str::to_owned), value)
}

proptest! {
    #[test]
    fn any_reply_is_read_or_told_apart(
        protocol in prop::sample::select(Protocol::ALL.to_vec()),
        status in prop_oneof![Just(200_u16), 0..1000_u16],
        headers in prop::collection::vec(header(), 0..5),
        body in prop_oneof![body().prop_map(|body| body.to_string()), ".{0,200}"],
    ) {
        match read(protocol, Received { status, headers: &headers, body: &body }, NOW) {
            Ok(said) => prop_assert!((200..300).contains(&status) && !said.text.trim().is_empty()),
            Err(trouble) => {
                prop_assert!(!trouble.message.is_empty() && trouble.message.len() < 4000);
            }
        }
    }
}

#[test]
fn a_body_nested_beyond_measure_is_a_fault() {
    let body = "[".repeat(200_000);
    assert_eq!(trouble(Protocol::OpenAi, 200, body).kind, TroubleKind::Faulty { after: None });
}
