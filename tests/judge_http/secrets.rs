//! A key is nowhere but in its header, whatever a server does with it.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::*;

/// What is logged, as one text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_secret_header_is_sent_and_is_in_no_error_and_no_exchange() {
    const SECRET: &str = "hunter2hunter2";
    let server = Server::start(|seen| {
        let echo = seen.header("cf-access-client-secret").unwrap_or_default();
        openai::error(400, &format!("You sent {echo}."), "invalid_request_error", None)
            .header("x-request-id", echo)
    });
    let mut settings = settings(&server);
    settings.endpoint.secret_headers = vec![("cf-access-client-secret".to_owned(), Secret::new(SECRET))];
    let desk = Desk::with(server, settings, options());
    let failed = desk.ask().await.unwrap_err();
    assert_eq!(desk.server.seen()[0].header("cf-access-client-secret"), Some(SECRET));
    assert!(failed.to_string().contains("You sent [key]."), "{failed}");
    let kept = desk.ledger.exchanges();
    for text in [format!("{failed:?} {failed}"), format!("{kept:?}"), format!("{:?}", desk.harness)] {
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[tokio::test]
async fn a_planted_key_is_in_no_log_no_error_and_no_exchange() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    tracing::trace!("the log is on");
    let echo = format!("You sent {PLANTED} as Bearer {PLANTED}.");
    let with_key = |reply: Reply| reply.header("x-request-id", PLANTED).header("x-echo", PLANTED);
    let replies = [
        openai::error(401, &echo, "invalid_request_error", Some("invalid_api_key")),
        openai::error(400, &echo, "invalid_request_error", None),
        openai::error(403, &echo, "permission_error", None),
        openai::error(500, &echo, "server_error", None),
        Reply::new(502, format!("<html>{echo}</html>")),
        Shape::OpenAi.said(&echo),
        Shape::OpenAi.said(&format!(r#"{{"claims":[{{"claim_text":"{PLANTED}","verdict":"{PLANTED}"}}]}}"#)),
        openai::refused(&echo),
        Shape::OpenAi.cut(&echo),
        Shape::OpenAi.said(&echo).cut(120),
        Reply::new(307, "")
            .header("location", format!("http://{PLANTED}@example.org/{PLANTED}?key={PLANTED}")),
    ];
    for reply in replies {
        let desk = Desk::new(Server::start(move |_| with_key(reply.clone())));
        let failed = desk.ask().await.unwrap_err();
        let kept = desk.ledger.exchanges();
        assert!(!kept.is_empty());
        for text in [format!("{failed:?} {failed}"), format!("{kept:?}"), format!("{:?}", desk.harness)] {
            assert!(!text.contains(PLANTED), "{text}");
        }
    }
    // An answer that quotes the key stays an answer.
    let quoted = format!(r#"{{"claims":[{{"claim_text":"{PLANTED}","verdict":"SUPPORTED"}}]}}"#);
    let desk = Desk::new(Server::start(move |_| Shape::OpenAi.said(&quoted)));
    let answer = desk.ask().await.unwrap();
    assert_eq!(answer.value["claims"][0]["claim_text"], "[key]");
    let log = log.text();
    assert!(log.contains("the log is on"));
    assert!(!log.contains(PLANTED), "{log}");
}

/// The key with a part of its letters as JSON's escapes, or percent signs.
fn escaped() -> [String; 4] {
    let each = |spell: fn(char) -> String| PLANTED.chars().map(spell).collect();
    [
        each(|letter| format!("\\u{:04x}", u32::from(letter))),
        each(
            |letter| {
                if letter.is_ascii_digit() { letter.into() } else { format!("\\u{:04X}", u32::from(letter)) }
            },
        ),
        each(|letter| format!("%{:02x}", u32::from(letter))),
        // In the text of a JSON text.
        each(|letter| format!("\\\\u{:04x}", u32::from(letter))),
    ]
}

#[tokio::test]
async fn a_key_that_is_echoed_in_escapes_is_blotted_in_the_reply_and_in_what_is_read_from_it() {
    for spelled in escaped() {
        let echo = |reply: Reply| {
            let body = String::from_utf8(reply.body().to_vec()).unwrap().replace("ECHO", &spelled);
            reply.with_body(body).header("x-request-id", spelled.clone())
        };
        let claim = r#"{"claims":[{"claim_text":"ECHO","verdict":"SUPPORTED"}]}"#;
        let answer = serde_json::to_string(claim).unwrap();
        let said = format!(
            r#"{{"id":"ECHO","model":"ECHO","choices":[{{"index":0,"finish_reason":"stop","message":{{"role":"assistant","content":{answer}}}}}],"usage":{{"prompt_tokens":13,"completion_tokens":4}}}}"#
        );
        let desk = Desk::scripted([echo(Reply::new(200, said))]);
        let answer = desk.ask().await.unwrap();
        assert_eq!(answer.value["claims"][0]["claim_text"], "[key]", "{spelled}");
        assert_eq!(answer.model.as_deref(), Some("[key]"));
        let kept = desk.last();
        assert_eq!(kept.model_answered.as_deref(), Some("[key]"));
        assert_eq!(kept.request_id.as_deref(), Some("[key]"));
        let shown = format!("{kept:?}");
        assert!(!kept.raw_reply.contains(&spelled) && !shown.contains(PLANTED), "{shown}");
        for reply in [
            openai::error(400, "You sent ECHO.", "invalid_request_error", None),
            openai::error(500, "You sent ECHO.", "server_error", None),
        ] {
            let reply = echo(reply);
            let desk = Desk::new(Server::start(move |_| reply.clone()));
            let failed = desk.ask().await.unwrap_err();
            assert!(failed.to_string().contains("You sent [key]."), "{failed}");
            let kept = desk.last();
            assert!(kept.raw_reply.contains("You sent [key]."), "{}", kept.raw_reply);
        }
    }
}

#[tokio::test]
async fn a_key_that_is_whole_only_once_its_pieces_are_joined_is_blotted_then() {
    let (one, other) = PLANTED.split_at(7);
    let block = |text: &str| json!({"type": "text", "text": text});
    let blocks = json!([
        block(&format!(r#"{{"claims":[{{"claim_text":"{one}"#)),
        block(&format!(r#"{other}","verdict":"SUPPORTED"}}]}}"#)),
    ]);
    let server = Server::start(move |_| server::shapes::anthropic::content(&blocks, "end_turn"));
    let mut settings = settings(&server);
    settings.endpoint.protocol = Protocol::Anthropic;
    let desk = Desk::with(server, settings, options());
    let answer = desk.ask().await.unwrap();
    assert_eq!(answer.value["claims"][0]["claim_text"], "[key]");
}

#[tokio::test]
async fn the_beginning_of_a_key_at_a_break_is_blotted() {
    let long = "x".repeat((64 << 10) - 9);
    let far = Reply::new(200, format!("{long}{PLANTED}{long}")).cut(100_000);
    let near = Reply::new(200, format!("You sent {PLANTED}.")).cut(9 + 8);
    let escape = Reply::new(500, format!("You sent \\u0073{}.", &PLANTED[1..])).cut(9 + 14);
    for reply in [far, near, escape] {
        let desk = Desk::new(Server::start(move |_| reply.clone()));
        desk.ask().await.unwrap_err();
        let kept = desk.last().raw_reply;
        assert!(kept.len() <= 64 << 10 && kept.contains("[key]"), "{} {:?}", kept.len(), kept.get(..40));
        assert!(!kept.contains("k-plan"));
    }
}

#[tokio::test]
async fn an_address_that_holds_the_key_is_refused_and_not_repeated() {
    for spelled in [PLANTED.to_owned(), PLANTED.replacen('s', "%73", 1)] {
        let server = Server::start(|_| good());
        let mut settings = settings(&server);
        settings.endpoint.base_url = format!("{}/good/{spelled}/v1", server.url());
        let ledger = Arc::new(MemoryLedger::default());
        let error = Harness::new(settings, ledger, Arc::new(SystemClock), options()).unwrap_err().to_string();
        assert_eq!(error, "[judge.bench]: `base_url` holds the key of the judge: take it out of the address");
    }
}
