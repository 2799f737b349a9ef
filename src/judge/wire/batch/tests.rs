use serde_json::json;

use super::*;

fn endpoint(protocol: Protocol, base_url: &str) -> Endpoint {
    Endpoint {
        protocol,
        base_url: base_url.into(),
        model: "m".into(),
        key_header: "authorization".into(),
        key_prefix: "Bearer ".into(),
        headers: vec![("x-team".into(), "audit".into())],
        secret_headers: Vec::new(),
        reasoning: None,
    }
}

#[test]
fn a_file_of_questions_has_one_line_each() {
    let lines = [Line { custom_id: "a-1", body: r#"{"model":"m"}"# }, Line { custom_id: "a-2", body: "{}" }];
    let call = upload(&endpoint(Protocol::OpenAi, "http://h/v1"), "tag", &lines).unwrap();
    assert_eq!(call.url, "http://h/v1/files");
    let (_, kind) = call.headers.iter().find(|(name, _)| name == "content-type").unwrap();
    let boundary = kind.split_once("boundary=").unwrap().1;
    let parts: Vec<&str> = call.body.split(&format!("--{boundary}")).collect();
    assert_eq!(parts.len(), 4);
    assert!(parts[1].ends_with("name=\"purpose\"\r\n\r\nbatch\r\n"));
    let file: Vec<Value> = parts[2]
        .split_once("\r\n\r\n")
        .unwrap()
        .1
        .trim_end()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let url = "/v1/chat/completions";
    assert_eq!(file[0], json!({"custom_id": "a-1", "method": "POST", "url": url, "body": {"model": "m"}}));
    assert_eq!(file.len(), 2);
    assert_eq!(parts[3], "--\r\n");
}

#[test]
fn addresses_keep_their_query_and_lose_the_place_of_single_questions() {
    for base in ["http://h/v1", "http://h/v1/", "http://h/v1/chat/completions"] {
        assert_eq!(look(&endpoint(Protocol::OpenAi, base), "b").url, "http://h/v1/batches/b", "{base}");
    }
    let azure = endpoint(Protocol::OpenAi, "http://h/openai/v1?api-version=1");
    assert_eq!(list(&azure, Some("b")).url, "http://h/openai/v1/batches?api-version=1&limit=100&after=b");
    let messages = endpoint(Protocol::Anthropic, "http://h/v1/messages");
    assert_eq!(list(&messages, Some("b")).url, "http://h/v1/messages/batches?limit=100&after_id=b");
    assert_eq!(list(&messages, None).headers, [("x-team".to_owned(), "audit".to_owned())]);
}

#[test]
fn j69_a_completed_batch_may_have_no_output_file_and_empty_names() {
    let batch = json!({
        "id": "batch_1", "status": "completed", "output_file_id": "", "error_file_id": "file-e",
        "request_counts": {"total": 9, "completed": 0, "failed": 9}, "errors": null, "created_at": 1_790_000_000,
        "metadata": {"juror": "t"}, "input_file_id": "file-i",
    });
    let found = described(Protocol::OpenAi, &batch.to_string()).unwrap();
    assert_eq!(
        (found.stage, found.results.as_slice()),
        (Stage::Ended, &["/files/file-e/content".to_owned()][..])
    );
    assert_eq!((found.done, found.total, found.tag.as_deref()), (Some(9), Some(9), Some("t")));
    let failed = json!({
        "id": "batch_1", "status": "failed", "output_file_id": null,
        "errors": {"data": [{"code": "duplicate_custom_id", "line": 2, "message": "twice"}]},
    });
    let found = described(Protocol::OpenAi, &failed.to_string()).unwrap();
    assert_eq!((found.results.len(), found.complaint.as_str()), (0, "duplicate_custom_id: twice"));
    assert_eq!(described(Protocol::OpenAi, "<html>"), None);
}

#[test]
fn lines_are_unwrapped_to_replies() {
    let read = |line: Value| returned(Protocol::OpenAi, &line.to_string());
    let good = json!({"custom_id": "a", "response": {"status_code": 200, "request_id": "r", "body": {"x": 1}}, "error": null});
    let came = Came::Reply { status: 200, request_id: Some("r".into()), body: r#"{"x":1}"#.into() };
    assert_eq!(read(good).unwrap().came, came);
    let expired =
        json!({"custom_id": "a", "response": null, "error": {"code": "batch_expired", "message": "late"}});
    assert_eq!(read(expired).unwrap().came, Came::Nothing { why: "batch_expired: late".into() });
    assert!(read(json!({"custom_id": "a"})).unwrap_err().contains("neither"));
    assert!(read(json!({"custom_id": ""})).unwrap_err().contains("names no question"));
    assert!(returned(Protocol::OpenAi, "{\"custom").unwrap_err().contains("no JSON"));
}

#[test]
fn results_of_messages_are_unwrapped_to_replies() {
    let read = |result: Value| {
        let line = json!({"custom_id": "a", "result": result}).to_string();
        returned(Protocol::Anthropic, &line).map(|line| line.came)
    };
    let good = Came::Reply { status: 200, request_id: None, body: r#"{"type":"message"}"#.into() };
    assert_eq!(read(json!({"type": "succeeded", "message": {"type": "message"}})).unwrap(), good);
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "later"}});
    let Came::Reply { status, .. } = read(json!({"type": "errored", "error": error})).unwrap() else {
        panic!()
    };
    assert_eq!(status, 529);
    assert!(matches!(read(json!({"type": "expired"})).unwrap(), Came::Nothing { .. }));
    assert!(matches!(read(json!({"type": "canceled"})).unwrap(), Came::Nothing { .. }));
    assert!(read(json!({"type": "succeeded"})).is_err());
    let ended = json!({
        "id": "msgbatch_1", "processing_status": "ended", "created_at": "2026-11-30T00:00:00Z",
        "request_counts": {"processing": 0, "succeeded": 2, "errored": 1, "canceled": 0, "expired": 1},
        "results_url": "https://elsewhere.example/steal",
    });
    let found = described(Protocol::Anthropic, &ended.to_string()).unwrap();
    assert_eq!(found.results, ["/messages/batches/msgbatch_1/results"]);
    assert_eq!((found.done, found.total), (Some(4), Some(4)));
}
