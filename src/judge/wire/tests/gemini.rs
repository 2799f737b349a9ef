//! Replies of generateContent.

use super::*;

const GEMINI: Protocol = Protocol::Gemini;

fn content(parts: Value, reason: impl Into<Value>) -> Value {
    json!({
        "candidates": [{
            "content": {"role": "model", "parts": parts}, "finishReason": reason.into(), "index": 0, "safetyRatings": [],
        }],
        "usageMetadata": {
            "promptTokenCount": 100, "cachedContentTokenCount": 20, "candidatesTokenCount": 30,
            "thoughtsTokenCount": 12, "totalTokenCount": 142,
        },
        "modelVersion": "g-1-001", "responseId": "r1",
    })
}

#[test]
fn thoughts_are_set_aside_and_counted_as_written() {
    let parts = json!([{"text": "hm {\"a\":0}", "thought": true}, {"text": "{\"a\""}, {"text": ":1}"}]);
    let said = said(GEMINI, content(parts, "STOP"));
    assert_eq!(said.text, "{\"a\":1}");
    assert_eq!(
        said.about,
        About {
            model: Some("g-1-001".into()),
            request_id: Some("r1".into()),
            tokens: Tokens { input: Some(100), cached: Some(20), output: Some(42), reasoning: Some(12) },
            cost_micros: None,
        }
    );
}

#[test]
fn j24_a_candidate_without_parts_at_max_tokens_is_cut_and_not_blocked() {
    let body = r#"{"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS"}],"usageMetadata":
        {"promptTokenCount":1706,"thoughtsTokenCount":2999,"totalTokenCount":4705}}"#;
    let trouble = trouble(GEMINI, 200, body);
    assert_eq!(trouble.kind, TroubleKind::Cut);
    assert!(trouble.message.contains("reasoning used the whole token limit"), "{}", trouble.message);
    assert_eq!((trouble.about.tokens.output, trouble.about.tokens.reasoning), (Some(2999), Some(2999)));
}

#[test]
fn j25_stop_without_content_is_empty() {
    let body = json!({"candidates": [{"finishReason": "STOP", "index": 0}], "usageMetadata": {"promptTokenCount": 9}});
    assert_eq!(trouble(GEMINI, 200, body).kind, TroubleKind::Empty);
    let thought = trouble(GEMINI, 200, content(json!([{"text": ""}]), "STOP"));
    assert_eq!(thought.kind, TroubleKind::Silent, "it counts thoughts");
    assert_eq!(trouble(GEMINI, 200, content(json!([]), "OTHER")).kind, TroubleKind::Empty);
    assert_eq!(
        trouble(GEMINI, 200, json!({"usageMetadata": {"promptTokenCount": 9}})).kind,
        TroubleKind::Empty
    );
}

#[test]
fn j28_whatever_is_not_stop_is_no_answer() {
    let whole = json!([{"text": "{\"a\":1}"}]);
    for (reason, kind) in [
        (json!("MAX_TOKENS"), TroubleKind::Cut),
        (json!("MALFORMED_FUNCTION_CALL"), TroubleKind::Cut),
        (json!("OTHER"), TroubleKind::Cut),
        (json!(null), TroubleKind::Cut),
        (json!("SAFETY"), TroubleKind::Refused),
        (json!("RECITATION"), TroubleKind::Refused),
        (json!("PROHIBITED_CONTENT"), TroubleKind::Refused),
        (json!("BLOCKLIST"), TroubleKind::Refused),
        (json!("SPII"), TroubleKind::Refused),
    ] {
        assert_eq!(trouble(GEMINI, 200, content(whole.clone(), reason.clone())).kind, kind, "{reason}");
    }
}

#[test]
fn j30_a_blocked_prompt_is_a_refusal() {
    let trouble =
        trouble(GEMINI, 200, json!({"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": []}}));
    assert_eq!(trouble.kind, TroubleKind::Refused);
    assert_eq!(trouble.message, "The server blocked the request (SAFETY).");
}

fn quota(id: &str, delay: &str) -> Value {
    json!({"error": {
        "code": 429, "status": "RESOURCE_EXHAUSTED",
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "details": [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": id}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
        ],
    }})
}

#[test]
fn j59_a_quota_for_the_day_is_no_wait() {
    let by_minute = quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "57.5s");
    let wait = TroubleKind::Limited { after: Some(Duration::from_millis(57_500)) };
    assert_eq!(trouble(GEMINI, 429, &by_minute).kind, wait);
    assert_eq!(trouble(GEMINI, 429, json!([by_minute])).kind, wait, "in an array of one");
    assert_eq!(trouble(GEMINI, 200, json!([by_minute])).kind, wait, "even under a good status");
    let by_day = quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "57.5s");
    assert_eq!(trouble(GEMINI, 429, by_day).kind, TroubleKind::Exhausted);
}

#[test]
fn its_errors_are_told_apart() {
    let error = |code: u16, status: &str, message: &str| json!({"error": {"code": code, "status": status, "message": message}});
    for (code, status, message, kind) in [
        (
            400,
            "INVALID_ARGUMENT",
            "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            TroubleKind::TooLong,
        ),
        (
            400,
            "INVALID_ARGUMENT",
            "Invalid JSON payload received. Unknown name \"responseJsonSchema\"",
            TroubleKind::Unsupported(Form::Shape),
        ),
        (
            400,
            "INVALID_ARGUMENT",
            "Unknown name \"additionalProperties\" at 'generation_config.response_schema'",
            TroubleKind::Unsupported(Form::Shape),
        ),
        (
            400,
            "INVALID_ARGUMENT",
            "JSON mode is not enabled for this model",
            TroubleKind::Unsupported(Form::Shape),
        ),
        (400, "INVALID_ARGUMENT", "Request contains an invalid argument.", TroubleKind::Rejected),
        (400, "FAILED_PRECONDITION", "User location is not supported for the API use.", TroubleKind::Denied),
        (403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers", TroubleKind::Denied),
        (404, "NOT_FOUND", "models/g-9 is not found for API version v1beta", TroubleKind::Absent),
        (503, "UNAVAILABLE", "The model is overloaded.", TroubleKind::Faulty { after: None }),
        (500, "INTERNAL", "An internal error has occurred.", TroubleKind::Faulty { after: None }),
        (504, "DEADLINE_EXCEEDED", "Deadline expired", TroubleKind::Faulty { after: None }),
    ] {
        assert_eq!(trouble(GEMINI, code, error(code, status, message)).kind, kind, "{message}");
    }
    let key = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid.", "details": [
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"},
    ]}});
    assert_eq!(trouble(GEMINI, 400, key).kind, TroubleKind::Denied);
}
