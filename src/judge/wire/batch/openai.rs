//! Batches as `OpenAI` has them: the questions in a file, what came of them in two.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Call, Came, Described, Line, Stage, name, post};
use crate::domain::time::Timestamp;
use crate::judge::settings::Endpoint;
use crate::judge::wire::body;

/// The name under which a batch keeps its tag.
const TAG: &str = "juror";
/// Where each question is put, whatever the server's own address is.
const PLACE: &str = "/v1/chat/completions";

pub(super) fn upload(endpoint: &Endpoint, tag: &str, lines: &[Line<'_>]) -> Call {
    let boundary = format!("juror-{tag}-{}", lines.len());
    let length: usize = lines.iter().map(|line| line.body.len() + 160).sum();
    let mut body = String::with_capacity(length + 512);
    // Writing to a string cannot fail.
    let _ = write!(
        body,
        "--{boundary}\r\ncontent-disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
         --{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{tag}.jsonl\"\r\n\
         content-type: application/jsonl\r\n\r\n"
    );
    for Line { custom_id, body: question } in lines {
        let _ = writeln!(
            body,
            "{{\"custom_id\":\"{custom_id}\",\"method\":\"POST\",\"url\":\"{PLACE}\",\"body\":{question}}}"
        );
    }
    let _ = write!(body, "\r\n--{boundary}--\r\n");
    let mut call = post(endpoint, "/files", body);
    call.headers.retain(|(name, _)| name != "content-type");
    call.headers.push(("content-type".to_owned(), format!("multipart/form-data; boundary={boundary}")));
    call
}

pub(super) fn create(endpoint: &Endpoint, tag: &str, file: &str) -> Call {
    let body = json!({
        "input_file_id": file,
        "endpoint": PLACE,
        "completion_window": "24h",
        "metadata": {TAG: tag},
    });
    post(endpoint, "/batches", body.to_string())
}

pub(super) fn described(batch: &Value) -> Option<Described> {
    let status = batch["status"].as_str()?.to_owned();
    let is_over = matches!(status.as_str(), "failed" | "completed" | "expired" | "cancelled");
    let counts = &batch["request_counts"];
    let complaints: Vec<String> = batch["errors"]["data"]
        .as_array()
        .into_iter()
        .flatten()
        .take(3)
        .map(|error| {
            let code = error["code"].as_str().unwrap_or("error");
            format!("{code}: {}", body::excerpt(error["message"].as_str().unwrap_or_default()))
        })
        .collect();
    let results = ["output_file_id", "error_file_id"]
        .iter()
        .filter_map(|file| name(&batch[*file]))
        .map(|file| format!("/files/{file}/content"))
        .collect();
    Some(Described {
        id: name(&batch["id"])?,
        stage: if is_over { Stage::Ended } else { Stage::Working },
        status,
        done: body::sum(&[body::count(&counts["completed"]), body::count(&counts["failed"])]),
        total: body::count(&counts["total"]),
        complaint: complaints.join("; "),
        results,
        created_at: batch["created_at"]
            .as_i64()
            .map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000))),
        tag: batch["metadata"][TAG].as_str().map(str::to_owned),
        input_file: name(&batch["input_file_id"]),
    })
}

pub(super) fn came(line: &Value) -> Result<Came, String> {
    let response = &line["response"];
    if let Some(status) = response["status_code"].as_u64().and_then(|status| u16::try_from(status).ok()) {
        return Ok(Came::Reply {
            status,
            request_id: name(&response["request_id"]),
            body: response["body"].to_string(),
        });
    }
    let error = &line["error"];
    if error.is_object() {
        let code = error["code"].as_str().unwrap_or("error");
        let message = body::excerpt(error["message"].as_str().unwrap_or_default());
        return Ok(Came::Nothing { why: format!("{code}: {message}") });
    }
    Err("it holds neither a reply nor an error".to_owned())
}
