//! Batches as Anthropic has them: the questions in one body, what came of them in one file of lines.

use serde_json::Value;

use super::{Call, Came, Described, Line, Stage, name, post};
use crate::judge::settings::Endpoint;
use crate::judge::wire::body;

pub(super) fn create(endpoint: &Endpoint, lines: &[Line<'_>]) -> Call {
    let requests: Vec<String> = lines
        .iter()
        .map(|Line { custom_id, body }| format!("{{\"custom_id\":\"{custom_id}\",\"params\":{body}}}"))
        .collect();
    post(endpoint, "/messages/batches", format!("{{\"requests\":[{}]}}", requests.join(",")))
}

pub(super) fn described(batch: &Value) -> Option<Described> {
    let status = batch["processing_status"].as_str()?.to_owned();
    let id = name(&batch["id"])?;
    let counts = &batch["request_counts"];
    let ended = ["succeeded", "errored", "canceled", "expired"].map(|kind| body::count(&counts[kind]));
    let stage = if status == "ended" { Stage::Ended } else { Stage::Working };
    // The address that the server gives is not asked: it might be another's, and would be sent the key.
    let has_results =
        stage == Stage::Ended && batch["results_url"].as_str().is_some_and(|url| !url.is_empty());
    Some(Described {
        stage,
        status,
        done: body::sum(&ended),
        total: body::sum(&[body::sum(&ended), body::count(&counts["processing"])]),
        complaint: String::new(),
        results: if has_results { vec![format!("/messages/batches/{id}/results")] } else { Vec::new() },
        created_at: batch["created_at"].as_str().and_then(|at| at.parse().ok()),
        tag: None,
        input_file: None,
        id,
    })
}

pub(super) fn came(line: &Value) -> Result<Came, String> {
    let result = &line["result"];
    match result["type"].as_str() {
        Some("succeeded") if result["message"].is_object() => {
            Ok(Came::Reply { status: 200, request_id: None, body: result["message"].to_string() })
        }
        Some("errored") => {
            let error = &result["error"];
            // The error stands in an envelope of its own, or without one.
            let kind = error["error"]["type"].as_str().or_else(|| error["type"].as_str());
            Ok(Came::Reply {
                status: status_of(kind.unwrap_or_default()),
                request_id: name(&error["request_id"]),
                body: error.to_string(),
            })
        }
        Some("canceled") => Ok(Came::Nothing { why: "the batch was cancelled before it".to_owned() }),
        Some("expired") => Ok(Came::Nothing { why: "the batch expired before it".to_owned() }),
        Some(other) => Err(format!("its result is `{}`, which is unknown", body::excerpt(other))),
        None => Err("it holds no result".to_owned()),
    }
}

/// The status that a reply with this error has.
fn status_of(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" | "invalid_request" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}
