//! Errors of Chat Completions and its relations.

use super::*;

const OPEN: Protocol = Protocol::OpenAi;

fn error(message: &str, kind: impl Into<Value>, param: impl Into<Value>, code: impl Into<Value>) -> Value {
    json!({"error": {"message": message, "type": kind.into(), "param": param.into(), "code": code.into()}})
}

#[test]
fn j27_a_form_that_cannot_be_taken_is_named_by_every_server_in_its_own_way() {
    let shape = TroubleKind::Unsupported(Form::Shape);
    for (status, body) in [
        (400, json!({"error": "'response_format.type' must be 'json_schema' or 'text'"})),
        (
            400,
            error(
                "Invalid schema for response_format 'x': In context=(), 'default' is not permitted.",
                "invalid_request_error",
                "response_format",
                Value::Null,
            ),
        ),
        (
            500,
            error(
                "[{'loc': ('body','response_format','type'), 'msg': \"Input should be 'text' or 'json_object'\"}]",
                "internal_server_error",
                Value::Null,
                Value::Null,
            ),
        ),
        (
            422,
            json!({"detail": [{"loc": ["body", "response_format", "type"], "msg": "Input should be 'text'", "type": "x"}]}),
        ),
        (
            400,
            json!({"error": {"code": 400, "message": "Failed to parse grammar", "type": "invalid_request_error"}}),
        ),
        (
            404,
            json!({"error": {"message": "No endpoints found that can handle the requested parameters.", "code": 404}}),
        ),
        (200, json!({"error": {"message": "json_schema is not supported", "code": 400}})),
    ] {
        assert_eq!(trouble(OPEN, status, &body).kind, shape, "{body}");
    }
}

#[test]
fn j33_a_parameter_that_a_model_refuses_is_named() {
    let limit = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' \
                 instead.";
    let sampling = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value \
                    is supported.";
    let kind = "invalid_request_error";
    for (body, form) in [
        (error(limit, kind, "max_tokens", "unsupported_parameter"), Form::Limit),
        (error(sampling, kind, "temperature", "unsupported_value"), Form::Sampling),
        (error("Unsupported value: 'none'", kind, "reasoning_effort", "unsupported_value"), Form::Reasoning),
        (
            error(
                "Unrecognized request argument supplied: chat_template_kwargs",
                kind,
                Value::Null,
                Value::Null,
            ),
            Form::Reasoning,
        ),
        (
            json!({"error": {"message": "Budget 0 is invalid. This model only works in thinking mode."}}),
            Form::Reasoning,
        ),
        (
            json!({"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}),
            Form::Sampling,
        ),
        (
            json!({"error": {"message": "Unrecognized request argument supplied: max_completion_tokens"}}),
            Form::Limit,
        ),
    ] {
        assert_eq!(trouble(OPEN, 400, &body).kind, TroubleKind::Unsupported(form), "{body}");
    }
    for shape in [
        "This response_format type is unavailable now",
        "response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later",
        "response_format: no, thank you",
    ] {
        let body = error(shape, kind, Value::Null, Value::Null);
        assert_eq!(trouble(OPEN, 400, &body).kind, TroubleKind::Unsupported(Form::Shape), "{shape}");
    }
    let too_high = "max_tokens is too large: 900000. This model supports at most 16384 completion tokens.";
    let too_high = error(too_high, kind, "max_tokens", "invalid_value");
    assert_eq!(trouble(OPEN, 400, too_high).kind, TroubleKind::Rejected, "by any name");
    let elsewhere = error("'temperature' in messages[1]", kind, "messages", "invalid_value");
    assert_eq!(
        trouble(OPEN, 400, elsewhere).kind,
        TroubleKind::Rejected,
        "the parameter is named, and is another"
    );
    for quoted in [
        "could not process: the patient's temperature rose, and a seed was found",
        "prompt refused by policy: \"a grammar of English\"",
        "upstream error while reading \"the schema of the ward and its tools\"",
    ] {
        let body = error(quoted, kind, Value::Null, Value::Null);
        assert_eq!(trouble(OPEN, 400, body).kind, TroubleKind::Rejected, "{quoted}");
    }
    let within = error("the seedling is dead", kind, Value::Null, Value::Null);
    assert_eq!(trouble(OPEN, 400, within).kind, TroubleKind::Rejected);
}

#[test]
fn j42_billing_is_no_result_and_no_rate_limit() {
    for (status, body) in [
        (
            429,
            error(
                "You exceeded your current quota",
                "insufficient_quota",
                Value::Null,
                "credit_balance_exhausted",
            ),
        ),
        (429, error("Spend limit", "insufficient_quota", Value::Null, "project_spend_limit_exceeded")),
        (
            429,
            error("You exceeded your current quota", "insufficient_quota", Value::Null, "insufficient_quota"),
        ),
        (402, json!({"error": {"message": "Insufficient credits", "code": 402}})),
        (200, json!({"error": {"message": "Insufficient credits", "code": 402}})),
        (400, error("Your credit balance is too low", "invalid_request_error", Value::Null, Value::Null)),
    ] {
        assert_eq!(trouble(OPEN, status, &body).kind, TroubleKind::Exhausted, "{body}");
    }
    for code in ["rate_limit_exceeded", "slow_down"] {
        let body = error("Too fast", "insufficient_quota", Value::Null, code);
        assert_eq!(
            trouble(OPEN, 429, body).kind,
            TroubleKind::Limited { after: None },
            "the code counts: {code}"
        );
    }
    let body = error("Ramped too fast", "server_error", Value::Null, "slow_down");
    assert_eq!(trouble(OPEN, 503, body).kind, TroubleKind::Limited { after: None });
    let full = json!({"error": "server busy, please try again.  maximum pending requests exceeded"});
    assert_eq!(trouble(OPEN, 503, full).kind, TroubleKind::Limited { after: None });
}

#[test]
fn j59_a_limit_for_the_day_is_no_wait_unless_it_is_renewed_soon() {
    let day = error("Rate limit exceeded: free-models-per-day", Value::Null, Value::Null, 429);
    assert_eq!(trouble(OPEN, 429, &day).kind, TroubleKind::Exhausted);
    let far = with_headers(OPEN, 429, &[("retry-after", "40000")], &day).unwrap_err();
    assert_eq!(far.kind, TroubleKind::Exhausted);
    let soon = with_headers(OPEN, 429, &[("retry-after", "40")], &day).unwrap_err();
    assert_eq!(soon.kind, TroubleKind::Limited { after: Some(Duration::from_secs(40)) });
    let rolling =
        "Rate limit reached for requests per day (RPD): Limit 200, Used 200. Please try again in 7m12s.";
    let rolling = error(rolling, "requests", Value::Null, "rate_limit_exceeded");
    assert_eq!(
        trouble(OPEN, 429, rolling).kind,
        TroubleKind::Limited { after: Some(Duration::from_secs(432)) }
    );
}

#[test]
fn keys_models_and_lengths_are_told_apart() {
    let kind = "invalid_request_error";
    for (status, body, expected) in [
        (401, error("Incorrect API key provided", kind, Value::Null, "invalid_api_key"), TroubleKind::Denied),
        (
            401,
            json!({"error": {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}}),
            TroubleKind::Denied,
        ),
        // litellm without a database, to a key that is not its own.
        (
            400,
            json!({"error": {"message": "No connected db.", "type": "no_db_connection", "param": null, "code": "400"}}),
            TroubleKind::Denied,
        ),
        (
            404,
            error("The model `x` does not exist", kind, Value::Null, "model_not_found"),
            TroubleKind::Absent,
        ),
        (
            404,
            json!({"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}}),
            TroubleKind::Absent,
        ),
        (404, json!({"detail": "Not Found"}), TroubleKind::Absent),
        (404, error("model 'x' not found", "not_found_error", Value::Null, Value::Null), TroubleKind::Absent),
        (400, json!({"error": {"message": "x is not a valid model ID", "code": 400}}), TroubleKind::Absent),
        (
            400,
            json!({"error": {
                "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9031, "n_ctx": 4096,
                "message": "request (9031 tokens) exceeds the available context size (4096 tokens), try increasing it",
            }}),
            TroubleKind::TooLong,
        ),
        (400, error("too long", kind, "messages", "context_length_exceeded"), TroubleKind::TooLong),
        (
            400,
            json!({"object": "error", "message": "This model's maximum context length is 4096 tokens.", "code": 400}),
            TroubleKind::TooLong,
        ),
        (
            429,
            error(
                "Request too large for m on tokens per min (TPM): Limit 3, Requested 9",
                "tokens",
                Value::Null,
                "rate_limit_exceeded",
            ),
            TroubleKind::TooLong,
        ),
        (400, error("'messages' is required", kind, Value::Null, Value::Null), TroubleKind::Rejected),
        (422, json!({"detail": "Unprocessable"}), TroubleKind::Rejected),
    ] {
        assert_eq!(trouble(OPEN, status, &body).kind, expected, "{body}");
    }
}

#[test]
fn j58_an_error_of_any_shape_is_an_error_with_words() {
    for (body, words) in [
        (r#"{"error":"model is loading"}"#, "model is loading"),
        (r#"{"error":{"message":"boom","code":null}}"#, "boom"),
        (r#"{"error":{"message":"boom","code":"500"}}"#, "boom"),
        (r#"{"error":{"code":500}}"#, "500"),
        (r#"{"detail":"boom"}"#, "boom"),
        (r#"{"message":"boom"}"#, "boom"),
        (r#"[{"error":{"message":"boom"}}]"#, "boom"),
        (
            r#"{"error":{"message":"Provider returned error","metadata":{"raw":"upstream says boom"}}}"#,
            "boom",
        ),
        ("upstream connect error", "upstream connect error"),
        (
            "<html><head><style>a>b{}</style><title>502 Bad Gateway</title></head><body>nginx</body></html>",
            "502 Bad Gateway nginx",
        ),
        ("", "500"),
        ("null", "500"),
        ("[]", "500"),
    ] {
        let trouble = trouble(OPEN, 500, body);
        assert_eq!(trouble.kind, TroubleKind::Faulty { after: None }, "{body}");
        assert!(trouble.message.starts_with("The server failed (500)"), "{}", trouble.message);
        assert!(trouble.message.contains(words), "{body}: {}", trouble.message);
    }
}

#[test]
fn statuses_decide_where_words_do_not() {
    for (status, kind) in [
        (301, TroubleKind::Absent),
        (400, TroubleKind::Rejected),
        (405, TroubleKind::Absent),
        (408, TroubleKind::Faulty { after: None }),
        (409, TroubleKind::Faulty { after: None }),
        (418, TroubleKind::Rejected),
        (429, TroubleKind::Limited { after: None }),
        (502, TroubleKind::Faulty { after: None }),
        (529, TroubleKind::Faulty { after: None }),
        (599, TroubleKind::Faulty { after: None }),
    ] {
        assert_eq!(trouble(OPEN, status, "{\"error\":{\"message\":\"x\"}}").kind, kind, "{status}");
    }
}

#[test]
fn a_server_that_says_whether_to_ask_again_is_heard() {
    let body = error("x", Value::Null, Value::Null, Value::Null);
    for (status, word, kind) in [
        (500, "false", TroubleKind::Rejected),
        (429, "false", TroubleKind::Exhausted),
        (400, "true", TroubleKind::Faulty { after: None }),
        (401, "true", TroubleKind::Denied),
        (500, "perhaps", TroubleKind::Faulty { after: None }),
    ] {
        let trouble = with_headers(OPEN, status, &[("x-should-retry", word)], &body).unwrap_err();
        assert_eq!(trouble.kind, kind, "{status} {word}");
    }
}

#[test]
fn a_servers_words_are_shown_safely_and_not_at_length() {
    let long = format!("\u{1b}[2J\u{202e}line one\nline two {}", "x".repeat(5000));
    let trouble = trouble(OPEN, 500, error(&long, Value::Null, Value::Null, Value::Null));
    assert!(trouble.message.chars().count() < 400, "{}", trouble.message.len());
    assert!(!trouble.message.chars().any(|c| c.is_control() || c == '\u{202e}'), "{:?}", trouble.message);
}

#[test]
fn a_firewalls_page_says_nothing_of_the_key() {
    let page =
        |status: u16| trouble(OPEN, status, "<html><title>403 Forbidden</title>Request blocked</html>").kind;
    assert_eq!(page(403), TroubleKind::Rejected);
    assert_eq!(page(401), TroubleKind::Denied);
    let body = error("You may not use this model", "permission_error", Value::Null, Value::Null);
    assert_eq!(trouble(OPEN, 403, body).kind, TroubleKind::Denied);
}
