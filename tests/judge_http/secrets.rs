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
