//! Replies of Chat Completions and its many relations.

use super::*;

const OPEN: Protocol = Protocol::OpenAi;

fn completion(message: Value, reason: impl Into<Value>) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_790_000_000, "model": "gpt-x-2026-09-01",
        "system_fingerprint": "fp_1", "service_tier": "default",
        "choices": [{"index": 0, "finish_reason": reason.into(), "logprobs": null, "message": message}],
        "usage": {
            "prompt_tokens": 13, "completion_tokens": 40, "total_tokens": 53,
            "prompt_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 30},
        },
    })
}

fn plain(content: impl Into<Value>, reason: &str) -> Value {
    completion(
        json!({"role": "assistant", "content": content.into(), "refusal": null, "annotations": []}),
        reason,
    )
}

#[test]
fn a_reply_is_read_with_what_it_says_of_itself() {
    let headers = [("x-request-id", "req_9"), ("openai-processing-ms", "40")];
    let said = with_headers(OPEN, 200, &headers, plain("{\"a\":1}", "stop")).unwrap();
    assert_eq!(said.text, "{\"a\":1}");
    assert_eq!(
        said.about,
        About {
            model: Some("gpt-x-2026-09-01".into()),
            request_id: Some("req_9".into()),
            tokens: Tokens { input: Some(13), cached: Some(5), output: Some(40), reasoning: Some(30) },
            cost_micros: None,
        }
    );
    let mut body = plain("{}", "stop");
    body["usage"] = json!({"prompt_tokens": 10, "cost": 0.000_123_4, "prompt_cache_hit_tokens": 4});
    let about = said_about(&body);
    assert_eq!((about.cost_micros, about.tokens.cached), (Some(123), Some(4)));
    assert_eq!(about.request_id.as_deref(), Some("chatcmpl-1"), "without a header the body's id");
    body["usage"] = Value::Null;
    assert_eq!(said_about(&body).tokens, Tokens::default(), "not said is not nothing");
    for cost in [json!(-1.0), json!("free"), json!(1e300)] {
        body["usage"] = json!({ "cost": cost });
        assert_eq!(said_about(&body).cost_micros, None);
    }
}

fn said_about(body: &Value) -> About {
    said(OPEN, body).about
}

#[test]
fn content_may_come_in_parts_and_reasoning_is_set_aside() {
    let parts = json!([
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm {\"a\":0}"}]},
        {"type": "text", "text": "{\"a\""},
        {"type": "text", "text": ":1}"},
    ]);
    assert_eq!(said(OPEN, plain(parts, "stop")).text, "{\"a\":1}");
    for field in ["reasoning", "reasoning_content", "thinking"] {
        let body =
            completion(json!({"role": "assistant", "content": "{\"a\":1}", field: "{\"a\":0}"}), "stop");
        assert_eq!(said(OPEN, body).text, "{\"a\":1}");
    }
    let by_tool = json!({
        "role": "assistant", "content": null,
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "report", "arguments": "{\"a\":1}"}}],
    });
    assert_eq!(said(OPEN, completion(by_tool, "tool_calls")).text, "{\"a\":1}");
}

#[test]
fn j07_content_of_null_is_empty_and_no_crash() {
    let trouble = trouble(OPEN, 200, plain(Value::Null, "stop"));
    assert_eq!(trouble.kind, TroubleKind::Empty);
    assert_eq!(trouble.about.tokens.output, Some(40), "it was paid for all the same");
}

#[test]
fn j25_stop_with_nothing_said_is_empty() {
    for content in [json!(""), json!(" \n\n"), json!([]), json!([{"type": "text", "text": ""}])] {
        assert_eq!(trouble(OPEN, 200, plain(content, "stop")).kind, TroubleKind::Empty);
    }
}

#[test]
fn j26_tokens_that_went_into_thinking_alone_are_named() {
    let body = completion(json!({"role": "assistant", "content": "", "reasoning": "{\"a\":1}"}), "stop");
    let trouble = trouble(OPEN, 200, body);
    assert_eq!(trouble.kind, TroubleKind::Silent, "a draft is no answer");
    assert_eq!(trouble.message, "The model reasoned and then said nothing.");
}

#[test]
fn j24_thinking_that_used_the_budget_is_cut_and_not_refused() {
    let body =
        completion(json!({"role": "assistant", "content": null, "reasoning_content": "hm …"}), "length");
    let trouble = trouble(OPEN, 200, body);
    assert_eq!(trouble.kind, TroubleKind::Cut);
    assert!(trouble.message.contains("reasoning used the whole token limit"), "{}", trouble.message);
}

#[test]
fn j28_a_reply_that_did_not_end_by_itself_is_cut_even_where_its_json_is_whole() {
    for reason in ["length", "max_tokens", "abort", "something_new"] {
        assert_eq!(trouble(OPEN, 200, plain("{\"a\":1}", reason)).kind, TroubleKind::Cut, "{reason}");
    }
    let unsaid = completion(json!({"role": "assistant", "content": "{\"a\":1}"}), Value::Null);
    assert_eq!(trouble(OPEN, 200, unsaid).kind, TroubleKind::Cut);
}

#[test]
fn j23_blanks_to_the_limit_are_cut_and_named() {
    let body = plain(format!("{{\"claims\": [{}", " \n".repeat(2000)), "length");
    let trouble = trouble(OPEN, 200, body);
    assert_eq!(trouble.kind, TroubleKind::Blanks, "more room would hold more of them");
    assert!(trouble.message.contains("run of blanks"), "{}", trouble.message);
}

#[test]
fn j30_a_filter_is_a_refusal_and_no_rate_limit() {
    let azure = json!({"error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        "type": null, "param": "prompt", "code": "content_filter", "status": 400,
        "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {
            "hate": {"filtered": false, "severity": "safe"}, "violence": {"filtered": true, "severity": "high"},
        }},
    }});
    assert_eq!(trouble(OPEN, 400, azure).kind, TroubleKind::Refused);
    assert_eq!(trouble(OPEN, 200, plain("{\"a\"", "content_filter")).kind, TroubleKind::Refused);
    let stopped = json!({"choices": [], "prompt_filter_results": [
        {"prompt_index": 0, "content_filter_results": {"violence": {"filtered": true, "severity": "medium"}}},
    ]});
    assert_eq!(trouble(OPEN, 200, stopped).kind, TroubleKind::Refused);
    let moderated = json!({"error": {"code": 403, "message": "Your input was flagged", "metadata": {
        "reasons": ["violence"], "flagged_input": "…", "provider_name": "x",
    }}});
    assert_eq!(trouble(OPEN, 403, moderated).kind, TroubleKind::Refused, "the key is good");
}

#[test]
fn j31_a_model_that_declines_says_so_in_its_own_words() {
    let declined = json!({"role": "assistant", "content": null, "refusal": "I cannot help with that."});
    for reason in ["stop", "content_filter", "length"] {
        let trouble = trouble(OPEN, 200, completion(declined.clone(), reason));
        assert_eq!(trouble.kind, TroubleKind::Refused, "{reason}");
        assert!(trouble.message.contains("I cannot help with that."), "{}", trouble.message);
    }
    let in_part = plain(json!([{"type": "refusal", "refusal": "No."}]), "stop");
    assert_eq!(trouble(OPEN, 200, in_part).kind, TroubleKind::Refused);
}

#[test]
fn j29_an_error_under_a_good_status_is_classified_by_its_code() {
    for (code, kind) in [
        (json!(429), TroubleKind::Limited { after: None }),
        (json!(502), TroubleKind::Faulty { after: None }),
        (json!("408"), TroubleKind::Faulty { after: None }),
        (json!(402), TroubleKind::Exhausted),
        (json!(401), TroubleKind::Denied),
        (json!(null), TroubleKind::Faulty { after: None }),
        (json!("rate_limit_exceeded"), TroubleKind::Limited { after: None }),
    ] {
        let body = json!({"id": "gen-1", "error": {"message": "Provider returned error", "code": code}});
        assert_eq!(trouble(OPEN, 200, body).kind, kind, "{code}");
    }
    let in_choice = json!({"id": "gen-1", "choices": [{
        "finish_reason": "error", "native_finish_reason": null,
        "error": {"code": 503, "message": "upstream is gone"},
        "message": {"role": "assistant", "content": "{\"a\":"},
    }]});
    assert_eq!(trouble(OPEN, 200, in_choice).kind, TroubleKind::Faulty { after: None });
}

#[test]
fn nothing_of_the_protocol_is_a_fault_of_the_server() {
    for body in [
        "",
        "   ",
        "<html><head><title>Sign in</title></head></html>",
        "{}",
        "[]",
        "null",
        "\"ok\"",
        "{\"choices\":[]}",
        "{\"choices\":[{\"finish_reason\":\"stop\"}]}",
        "{\"a\":",
        "data: {\"choices\":[]}\n\n",
    ] {
        let trouble = trouble(OPEN, 200, body);
        assert!(matches!(trouble.kind, TroubleKind::Faulty { .. }), "{body}: {trouble:?}");
        assert!(!trouble.message.is_empty());
    }
}
