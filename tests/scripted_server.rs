//! The scripted server does what it is told: the tests that rest on it rest on this.

#[path = "server/mod.rs"]
#[expect(dead_code, reason = "only the faults themselves are looked at here")]
mod server;

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use server::shapes::{Shape, prompt};
use server::{Reply, Server};

const LIMIT: Duration = Duration::from_secs(10);

/// A connection that sends requests by hand.
fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.url().trim_start_matches("http://")).expect("loopback works");
    stream.set_read_timeout(Some(Duration::from_millis(200))).expect("loopback works");
    stream
}

fn ask(stream: &mut TcpStream, path: &str, body: &str) {
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nX-Key: k\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("loopback works");
}

/// What comes until the connection ends, and how it ends.
fn rest(stream: &mut TcpStream) -> (String, Option<ErrorKind>) {
    let mut bytes = Vec::new();
    let ended = stream.read_to_end(&mut bytes).err().map(|error| error.kind());
    (String::from_utf8(bytes).expect("loopback works"), ended)
}

#[test]
fn replies_come_in_the_order_of_the_script_and_requests_are_kept() {
    let server =
        Server::scripted([Reply::new(200, "one"), Reply::new(429, "two").header("retry-after", "1")]);
    let mut stream = connect(&server);
    for n in 0..3 {
        ask(&mut stream, "/v1/chat/completions?a=b", &format!("{{\"n\":{n}}}"));
        assert!(server.wait_for(n + 1, LIMIT));
    }
    let (text, ended) = rest(&mut stream);
    assert_eq!(ended, Some(ErrorKind::WouldBlock), "the connection stays open");
    assert!(text.contains("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\none"), "{text}");
    assert!(text.contains("429 Too Many Requests\r\nretry-after: 1\r\n"), "{text}");
    assert!(text.contains("599"), "{text}");
    let seen = server.seen();
    let numbers: Vec<_> = seen.iter().map(|seen| seen.json()["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1, 2]);
    assert_eq!((seen[0].path.as_str(), seen[0].header("x-key")), ("/v1/chat/completions?a=b", Some("k")));
    assert_eq!((seen[0].method.as_str(), seen[2].connection, server.count()), ("POST", 0, 3));
    assert!(seen[0].at <= seen[2].at);
}

#[test]
fn a_reply_may_be_cut_reset_dripped_stalled_or_none() {
    let body = "x".repeat(100);
    let whole = || Reply::new(200, body.clone());
    let one = |reply: Reply| {
        let server = Server::scripted([reply]);
        let mut stream = connect(&server);
        ask(&mut stream, "/", "{}");
        rest(&mut stream)
    };
    let (text, ended) = one(whole().cut(40));
    assert!(
        text.contains("content-length: 100") && text.ends_with(&body[..40]) && !text.ends_with(&body[..41])
    );
    assert_eq!(ended, None, "it ends as if all were well");
    let (text, ended) = one(whole().reset(40));
    assert!(text.ends_with(&body[..40]), "{text}");
    assert_eq!(ended, Some(ErrorKind::ConnectionReset));
    let (text, ended) = one(whole().drip(30, Duration::from_millis(5)));
    assert!(text.ends_with(&body), "{text}");
    assert_eq!(ended, Some(ErrorKind::WouldBlock));
    let (text, ended) = one(whole().stall(40));
    assert!(text.ends_with(&body[..40]), "{text}");
    assert_eq!(ended, Some(ErrorKind::WouldBlock));
    assert_eq!(one(Reply::hang()), (String::new(), Some(ErrorKind::WouldBlock)));
    assert_eq!(one(Reply::close()), (String::new(), None));
    assert_eq!(one(Reply::raw("SSH-2.0-x\r\n")), ("SSH-2.0-x\r\n".to_owned(), None));
    let (text, ended) = one(whole().after(Duration::from_secs(20)));
    assert_eq!((text.as_str(), ended), ("", Some(ErrorKind::WouldBlock)), "not before its time");
}

#[test]
fn many_are_served_at_once_and_counted() {
    const CONNECTIONS: usize = 100;
    let server = Server::forgetful(|_| Reply::new(200, "{}").after(Duration::from_millis(300)));
    let mut streams: Vec<_> = (0..CONNECTIONS).map(|_| connect(&server)).collect();
    for stream in &mut streams {
        ask(stream, "/", "{}");
    }
    assert!(server.wait_for(CONNECTIONS, LIMIT));
    assert!(server.most_at_once() > CONNECTIONS / 2, "{}", server.most_at_once());
    assert!(server.seen().is_empty(), "a forgetful server keeps nothing");
}

#[test]
fn the_protocol_is_told_by_the_path_and_the_prompt_found_in_it() {
    let server = Server::start(|seen| Shape::of(seen).said(&prompt(seen)));
    let said = |path: &str, body: &str, place: &str| {
        let mut stream = connect(&server);
        ask(&mut stream, path, body);
        let (text, _) = rest(&mut stream);
        let body: serde_json::Value = serde_json::from_str(text.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        body.pointer(place).unwrap_or_else(|| panic!("{body}")).as_str().unwrap().to_owned()
    };
    let openai = r#"{"messages":[{"role":"system","content":"a"},{"role":"user","content":[{"type":"text","text":"b"}]}]}"#;
    assert_eq!(said("/v1/chat/completions", openai, "/choices/0/message/content"), "a\n\nb");
    let anthropic = r#"{"system":"a","messages":[{"role":"user","content":"b"}]}"#;
    assert_eq!(said("/v1/messages", anthropic, "/content/0/text"), "a\n\nb");
    let gemini = r#"{"systemInstruction":{"parts":[{"text":"a"}]},"contents":[{"role":"user","parts":[{"text":"b"}]}]}"#;
    assert_eq!(
        said("/v1beta/models/m:generateContent", gemini, "/candidates/0/content/parts/0/text"),
        "a\n\nb"
    );
}

#[test]
fn the_judge_by_rule_answers_what_is_asked() {
    let ask = |claims: &str, scope: &str| {
        server::judge::reply_to(&format!(
            "[9] An example.\nTo judge: nothing.\n\nTo judge: {scope}\nf7 ANSWER\n[1] One. \n[2] Two.\nf7 CLAIMS\n{claims}\nf7 EVIDENCE\n[p] x\nf7 END\n"
        ))
    };
    let said = |reply: &serde_json::Value, field: &str| -> Vec<String> {
        let claims = reply["claims"].as_array().expect("claims");
        claims.iter().map(|claim| claim[field].to_string()).collect()
    };
    assert_eq!(said(&ask("(none)", "every sentence"), "sentence"), ["1", "2"]);
    assert_eq!(said(&ask("(none)", "sentences 2"), "answer_quote"), ["\"Two.\""]);
    assert_eq!(said(&ask("[k7] Seven.", "every claim"), "claim_id"), ["\"k7\""]);
    assert_eq!(server::judge::reply_to("f7 CLAIM\nx\nf7 PASSAGE\ny\nf7 END\n")["score"], 1);
}
