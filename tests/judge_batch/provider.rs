//! A provider with batches, in the shapes of both protocols: it takes questions, keeps them, and answers them when it
//! has been looked at often enough.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

use crate::server::shapes::prompt;
use crate::server::{Reply, Seen, Server, judge};

#[derive(Debug, Clone)]
pub(crate) struct Begun {
    pub(crate) id: String,
    tag: Value,
    file: String,
    /// Names and bodies, as they came.
    pub(crate) questions: Vec<(String, Value)>,
    looks: usize,
}

/// What becomes of the lines before they are fetched: those of the output and of the errors.
pub(crate) type Mangle = fn(Vec<Value>) -> (Vec<Value>, Vec<Value>);

pub(crate) struct State {
    files: HashMap<String, String>,
    pub(crate) begun: Vec<Begun>,
    /// Single questions that were asked.
    pub(crate) live: usize,
    pub(crate) looks_needed: usize,
    pub(crate) status: &'static str,
    pub(crate) mangle: Mangle,
    /// The step whose reply never comes: `before create`, `after create` …
    pub(crate) hang: Option<&'static str>,
    /// The batch of which no results are there any more.
    pub(crate) gone: Option<String>,
    /// What is answered instead, to everything.
    pub(crate) instead: Option<Reply>,
    /// Single replies.
    pub(crate) answer_live: fn(&Seen) -> Reply,
}

pub(crate) struct Provider {
    pub(crate) server: Server,
    state: Arc<Mutex<State>>,
}

impl Provider {
    pub(crate) fn start() -> Self {
        let state = Arc::new(Mutex::new(State {
            files: HashMap::new(),
            begun: Vec::new(),
            live: 0,
            looks_needed: 1,
            status: "completed",
            mangle: |lines| (lines, Vec::new()),
            hang: None,
            gone: None,
            instead: None,
            answer_live: judge::unsupported,
        }));
        let served = Arc::clone(&state);
        let server = Server::start(move |seen| served.lock().unwrap().reply(seen));
        Self { server, state }
    }

    pub(crate) fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// How often each question was taken in a batch.
    pub(crate) fn times_asked(&self) -> Vec<usize> {
        let mut times: HashMap<String, usize> = HashMap::new();
        for begun in &self.state().begun {
            for (_, body) in &begun.questions {
                *times.entry(body.to_string()).or_default() += 1;
            }
        }
        times.into_values().collect()
    }

    /// Waits until a request for the step has come.
    pub(crate) fn wait_for(&self, method: &str, path: &str) {
        for _ in 0..5_000 {
            if self.server.seen().iter().any(|seen| seen.method == method && seen.path.contains(path)) {
                // What comes before the reply is to be done.
                std::thread::sleep(Duration::from_millis(30));
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("nobody asked for {method} {path}");
    }
}

impl State {
    fn reply(&mut self, seen: &Seen) -> Reply {
        if let Some(instead) = &self.instead {
            return instead.clone();
        }
        let path = seen.path.split('?').next().unwrap_or_default().to_owned();
        let step = match (seen.method.as_str(), path.as_str()) {
            ("POST", "/v1/files") => "upload",
            ("POST", "/v1/batches" | "/v1/messages/batches") => "create",
            ("GET", "/v1/batches" | "/v1/messages/batches") => "list",
            ("GET", path) if path.ends_with("/content") || path.ends_with("/results") => "fetch",
            ("GET", _) => "look",
            _ => "single",
        };
        if self.hang == Some(&format!("before {step}")) {
            return Reply::hang();
        }
        let reply = match step {
            "upload" => self.upload(seen),
            "create" if path.contains("messages") => self.create_messages(seen),
            "create" => self.create(seen),
            "list" => {
                for begun in &mut self.begun {
                    begun.looks += 1;
                }
                let all: Vec<Value> = self
                    .begun
                    .iter()
                    .rev()
                    .map(|begun| self.described(begun, path.contains("messages")))
                    .collect();
                Reply::json(200, &json!({"object": "list", "data": all, "has_more": false}))
            }
            "look" => self.look(&path),
            "fetch" => self.fetch(&path),
            _ => {
                self.live += 1;
                (self.answer_live)(seen)
            }
        };
        if self.hang == Some(&format!("after {step}")) { Reply::hang() } else { reply }
    }

    fn upload(&mut self, seen: &Seen) -> Reply {
        let kind = seen.header("content-type").unwrap_or_default();
        let boundary = kind.split_once("boundary=").expect("a boundary").1;
        let parts: Vec<&str> = seen.body.split(&format!("--{boundary}")).collect();
        assert!(parts[1].contains("name=\"purpose\"\r\n\r\nbatch"), "{}", parts[1]);
        assert!(parts[2].contains("filename=\"juror-"), "{}", parts[2]);
        let content = parts[2].split_once("\r\n\r\n").unwrap().1.trim_end().to_owned();
        let id = format!("file-{}", self.files.len() + 1);
        self.files.insert(id.clone(), content);
        Reply::json(200, &json!({"id": id, "object": "file", "purpose": "batch", "status": "processed"}))
    }

    fn create(&mut self, seen: &Seen) -> Reply {
        let asked = seen.json();
        assert_eq!(asked["endpoint"], "/v1/chat/completions");
        let file = asked["input_file_id"].as_str().unwrap().to_owned();
        let questions = self.files[&file]
            .lines()
            .map(|line| {
                let line: Value = serde_json::from_str(line).unwrap();
                assert_eq!(line["url"], "/v1/chat/completions");
                (line["custom_id"].as_str().unwrap().to_owned(), line["body"].clone())
            })
            .collect();
        let begun = Begun {
            id: format!("batch_{}", self.begun.len() + 1),
            tag: asked["metadata"].clone(),
            file,
            questions,
            looks: 0,
        };
        self.begun.push(begun.clone());
        Reply::json(200, &self.described(&begun, false))
    }

    fn create_messages(&mut self, seen: &Seen) -> Reply {
        let asked = seen.json();
        let questions = asked["requests"].as_array().unwrap().iter();
        let begun = Begun {
            id: format!("msgbatch_{}", self.begun.len() + 1),
            tag: Value::Null,
            file: String::new(),
            questions: questions
                .map(|one| (one["custom_id"].as_str().unwrap().to_owned(), one["params"].clone()))
                .collect(),
            looks: 0,
        };
        self.begun.push(begun.clone());
        Reply::json(200, &self.described(&begun, true))
    }

    fn described(&self, begun: &Begun, messages: bool) -> Value {
        let total = begun.questions.len();
        let is_done = begun.looks >= self.looks_needed;
        let now = std::process::Command::new("date").args(["-u", "+%s %Y-%m-%dT%H:%M:%SZ"]).output().unwrap();
        let now = String::from_utf8(now.stdout).unwrap();
        let (seconds, stamp) = now.trim().split_once(' ').unwrap();
        if messages {
            let (processing, succeeded) = if is_done { (0, total) } else { (total, 0) };
            return json!({
                "id": begun.id, "type": "message_batch", "created_at": stamp,
                "processing_status": if is_done { "ended" } else { "in_progress" },
                "request_counts": {"processing": processing, "succeeded": succeeded, "errored": 0, "canceled": 0, "expired": 0},
                "results_url": if is_done { json!("https://elsewhere.example/results") } else { Value::Null },
            });
        }
        let (output, errors) = if is_done { self.lines(begun, false) } else { (Vec::new(), Vec::new()) };
        let file = |name: &str, lines: &[Value]| {
            if lines.is_empty() { json!("") } else { json!(format!("{name}-{}", begun.id)) }
        };
        json!({
            "id": begun.id, "object": "batch", "endpoint": "/v1/chat/completions", "errors": null,
            "input_file_id": begun.file, "completion_window": "24h", "created_at": seconds.parse::<i64>().unwrap(),
            "status": if is_done { self.status } else { "in_progress" },
            "output_file_id": file("out", &output), "error_file_id": file("err", &errors),
            "request_counts": {"total": total, "completed": output.len(), "failed": errors.len()},
            "metadata": begun.tag,
        })
    }

    fn look(&mut self, path: &str) -> Reply {
        let id = path.rsplit('/').next().unwrap();
        let Some(place) = self.begun.iter().position(|begun| begun.id == id) else {
            return Reply::json(
                404,
                &json!({"error": {"message": "No batch found", "type": "invalid_request_error"}}),
            );
        };
        self.begun[place].looks += 1;
        Reply::json(200, &self.described(&self.begun[place], path.contains("messages")))
    }

    fn lines(&self, begun: &Begun, messages: bool) -> (Vec<Value>, Vec<Value>) {
        let lines = begun.questions.iter().map(|(custom_id, body)| {
            let said = judge::reply_to(&prompt(&asked(body))).to_string();
            if messages {
                json!({"custom_id": custom_id, "result": {"type": "succeeded", "message": message(&said)}})
            } else {
                let response = json!({"status_code": 200, "request_id": "req_1", "body": completion(&said)});
                json!({"id": "batch_req_1", "custom_id": custom_id, "response": response, "error": null})
            }
        });
        (self.mangle)(lines.collect())
    }

    fn fetch(&self, path: &str) -> Reply {
        let messages = path.contains("messages");
        if self.gone.as_ref().is_some_and(|id| path.contains(id)) {
            return Reply::json(
                404,
                &json!({"error": {"message": "No such file", "type": "invalid_request_error"}}),
            );
        }
        let begun = self.begun.iter().find(|begun| path.contains(&begun.id)).expect("a batch");
        let (output, errors) = self.lines(begun, messages);
        let lines = if path.contains("/err-") { errors } else { output };
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        Reply::new(200, lines.join("\n"))
    }
}

/// The question as if it had come by itself.
fn asked(body: &Value) -> Seen {
    Seen {
        number: 0,
        at: Duration::ZERO,
        connection: 0,
        method: "POST".into(),
        path: "/v1/chat/completions".into(),
        headers: Vec::new(),
        body: body.to_string(),
    }
}

pub(crate) fn completion(text: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_790_000_000, "model": "scripted-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text, "refusal": null}}],
        "usage": {"prompt_tokens": 8000, "completion_tokens": 50, "total_tokens": 8050},
    })
}

pub(crate) fn message(text: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted-1",
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 8000, "output_tokens": 50},
    })
}
