//! Replies of Messages.

use super::*;

const ANTHROPIC: Protocol = Protocol::Anthropic;

fn message(content: Value, reason: impl Into<Value>) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "c-1", "content": content,
        "stop_reason": reason.into(), "stop_sequence": null, "stop_details": null,
        "usage": {
            "input_tokens": 600, "cache_creation_input_tokens": 50, "cache_read_input_tokens": 29,
            "output_tokens": 503, "output_tokens_details": {"thinking_tokens": 178}, "service_tier": "standard",
        },
    })
}

#[test]
fn text_is_picked_by_its_type() {
    let content =
        json!([{"type": "thinking", "thinking": "hm {\"a\":0}"}, {"type": "text", "text": "{\"a\":1}"}]);
    let said =
        with_headers(ANTHROPIC, 200, &[("request-id", "req_1")], message(content, "end_turn")).unwrap();
    assert_eq!(said.text, "{\"a\":1}");
    assert_eq!(
        said.about,
        About {
            model: Some("c-1".into()),
            request_id: Some("req_1".into()),
            tokens: Tokens { input: Some(679), cached: Some(29), output: Some(503), reasoning: Some(178) },
            cost_micros: None,
        }
    );
}

#[test]
fn what_a_forced_tool_was_given_is_the_answer() {
    let content = json!([
        {"type": "text", "text": "I call the tool."},
        {"type": "tool_use", "id": "t", "name": "support_reply", "input": {"score": 4, "why": "é"}},
    ]);
    assert_eq!(said(ANTHROPIC, message(content, "tool_use")).text, "{\"score\":4,\"why\":\"é\"}");
}

#[test]
fn j28_a_message_that_did_not_end_by_itself_is_cut() {
    let whole = json!([{"type": "text", "text": "{\"a\":1}"}]);
    for reason in
        [json!("max_tokens"), json!("model_context_window_exceeded"), json!("pause_turn"), json!(null)]
    {
        assert_eq!(trouble(ANTHROPIC, 200, message(whole.clone(), reason)).kind, TroubleKind::Cut);
    }
    let half = json!([{"type": "tool_use", "id": "t", "name": "r", "input": {}}]);
    assert_eq!(trouble(ANTHROPIC, 200, message(half, "max_tokens")).kind, TroubleKind::Cut);
}

#[test]
fn j24_thinking_that_used_the_budget_is_cut() {
    let body = message(json!([{"type": "thinking", "thinking": "hm"}]), "max_tokens");
    let trouble = trouble(ANTHROPIC, 200, body);
    assert_eq!(trouble.kind, TroubleKind::Cut);
    assert!(trouble.message.contains("reasoning"), "{}", trouble.message);
}

#[test]
fn j31_a_refusal_names_its_reason() {
    let mut body = message(json!([]), "refusal");
    assert_eq!(trouble(ANTHROPIC, 200, &body).message, "The model declined.");
    body["stop_details"] = json!({"type": "refusal", "category": "bio", "explanation": "It may do harm."});
    let trouble = trouble(ANTHROPIC, 200, &body);
    assert_eq!(trouble.kind, TroubleKind::Refused);
    assert_eq!(trouble.message, "The model declined (bio): It may do harm.");
}

#[test]
fn nothing_said_is_empty_and_no_content_is_a_fault() {
    assert_eq!(trouble(ANTHROPIC, 200, message(json!([]), "end_turn")).kind, TroubleKind::Empty);
    let thought = message(json!([{"type": "thinking", "thinking": "hm"}]), "end_turn");
    assert_eq!(trouble(ANTHROPIC, 200, thought).message, "The model reasoned and then said nothing.");
    let fault = trouble(ANTHROPIC, 200, json!({"choices": []}));
    assert_eq!(fault.kind, TroubleKind::Faulty { after: None });
    assert!(fault.message.contains("Does the address belong to the protocol"), "{}", fault.message);
}

#[test]
fn its_errors_are_told_apart_by_status_and_words() {
    let error = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_7"});
    for (status, kind, message, trouble_kind) in [
        (
            429,
            "rate_limit_error",
            "This request would exceed your rate limit",
            TroubleKind::Limited { after: None },
        ),
        (529, "overloaded_error", "Overloaded", TroubleKind::Faulty { after: None }),
        (200, "overloaded_error", "Overloaded", TroubleKind::Faulty { after: None }),
        (500, "api_error", "Internal server error", TroubleKind::Faulty { after: None }),
        (504, "timeout_error", "Timed out", TroubleKind::Faulty { after: None }),
        (401, "authentication_error", "invalid x-api-key", TroubleKind::Denied),
        (403, "permission_error", "not allowed", TroubleKind::Denied),
        (402, "billing_error", "pay", TroubleKind::Exhausted),
        (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the API.",
            TroubleKind::Exhausted,
        ),
        (404, "not_found_error", "model: c-9", TroubleKind::Absent),
        (413, "request_too_large", "Request exceeds the maximum size", TroubleKind::TooLong),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 250000 tokens > 200000 maximum",
            TroubleKind::TooLong,
        ),
        (
            400,
            "invalid_request_error",
            "output_config: Extra inputs are not permitted",
            TroubleKind::Unsupported(Form::Shape),
        ),
        (
            400,
            "invalid_request_error",
            "Thinking may not be enabled when tool_choice forces tool use.",
            TroubleKind::Unsupported(Form::Shape),
        ),
        (
            400,
            "invalid_request_error",
            "`temperature` may only be set to 1 when thinking is enabled.",
            TroubleKind::Unsupported(Form::Sampling),
        ),
        (
            400,
            "invalid_request_error",
            "max_tokens: 900000 > 64000, which is the maximum allowed number of output tokens",
            TroubleKind::Rejected,
        ),
        (400, "invalid_request_error", "messages: at least one message is required", TroubleKind::Rejected),
    ] {
        let trouble = trouble(ANTHROPIC, status, error(kind, message));
        assert_eq!(trouble.kind, trouble_kind, "{status} {message}");
        assert!(trouble.message.contains(message), "{}", trouble.message);
        assert_eq!(trouble.about.request_id.as_deref(), Some("req_7"));
    }
}

#[test]
fn a_moment_of_renewal_is_a_wait() {
    let headers = [
        ("anthropic-ratelimit-requests-remaining", "0"),
        ("anthropic-ratelimit-requests-reset", "2026-11-30T02:00:31Z"),
    ];
    let body = json!({"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}});
    let limited = with_headers(ANTHROPIC, 429, &headers, &body).unwrap_err();
    assert_eq!(limited.kind, TroubleKind::Limited { after: Some(Duration::from_secs(31)) });
    let overloaded = with_headers(ANTHROPIC, 529, &[("retry-after", "3")], body).unwrap_err();
    assert_eq!(overloaded.kind, TroubleKind::Faulty { after: Some(Duration::from_secs(3)) });
}
