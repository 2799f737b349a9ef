//! Which earlier answers are answers to a question, and which are not.

use super::*;

type Judge = fn(&mut ModelSettings);
type Asked = Box<dyn Fn(&mut Question<'_>)>;

/// The hash of a question and of the judge that is asked it, each after a change.
fn hash(judge: impl Fn(&mut ModelSettings), asked: impl Fn(&mut Question<'_>)) -> String {
    let mut settings = settings(&Server::scripted([]));
    settings.endpoint.base_url = String::from("http://127.0.0.1:1/v1");
    settings.endpoint.headers = vec![("x-team".to_owned(), "a".to_owned())];
    settings.endpoint.secret_headers = vec![("x-secret".to_owned(), Secret::new("hunter2hunter2"))];
    judge(&mut settings);
    let harness = Harness::new(settings, Arc::new(MemoryLedger::default()), Arc::new(SystemClock), options())
        .expect("set up");
    let schema = Schema::new("claims", SCHEMA).expect("a schema");
    let mut question = Question {
        audit_id: None,
        instrument: "faithfulness",
        purpose: Purpose::Ask,
        part: 1,
        system: "You judge.",
        user: "4 g a day",
        prompt_version: "faithfulness-1",
        prompt_sha256: "p",
        schema: &schema,
        max_output: 500,
    };
    // A question lives no longer than what it borrows.
    asked(&mut question);
    harness.prepare(&question).question_sha256
}

#[test]
fn j67_whatever_an_answer_depends_on_changes_the_hash_of_its_question_and_nothing_else_does() {
    let nothing = |_: &mut Question<'_>| {};
    let plain = hash(|_| {}, nothing);
    assert_eq!(plain, hash(|_| {}, nothing));
    let judges: [(&str, Judge); 9] = [
        ("model", |judge| judge.endpoint.model = "scripted-2".to_owned()),
        ("address", |judge| judge.endpoint.base_url.push_str("?deployment=b")),
        ("protocol", |judge| judge.endpoint.protocol = Protocol::Anthropic),
        ("header", |judge| judge.endpoint.headers[0].1 = "b".to_owned()),
        ("secret header", |judge| judge.endpoint.secret_headers[0].0 = "x-other".to_owned()),
        ("reasoning", |judge| judge.endpoint.reasoning = Some(Reasoning::None)),
        ("temperature", |judge| judge.temperature = 0.1),
        ("seed", |judge| judge.seed = Some(2)),
        ("no seed", |judge| judge.seed = None),
    ];
    let mut seen = vec![plain.clone()];
    for (what, judge) in judges {
        let other = hash(judge, nothing);
        assert!(!seen.contains(&other), "{what}");
        seen.push(other);
    }
    let (named, valued) = (SCHEMA, r#"{"type":"object","properties":{"claims":{"type":"array"}}}"#);
    let renamed: &'static Schema = Box::leak(Box::new(Schema::new("others", named).expect("a schema")));
    let changed: &'static Schema = Box::leak(Box::new(Schema::new("claims", valued).expect("a schema")));
    let questions: [(&str, Asked); 7] = [
        ("instrument", Box::new(|question| question.instrument = "support")),
        ("prompt", Box::new(|question| question.prompt_sha256 = "q")),
        ("room", Box::new(|question| question.max_output = 501)),
        ("system", Box::new(|question| question.system = "You judge!")),
        ("user", Box::new(|question| question.user = "8 g a day")),
        ("schema's name", Box::new(|question| question.schema = renamed)),
        ("schema", Box::new(|question| question.schema = changed)),
    ];
    for (what, asked) in questions {
        let other = hash(|_| {}, asked);
        assert!(!seen.contains(&other), "{what}");
        seen.push(other);
    }
    let same: [(&str, Judge); 6] = [
        ("name", |judge| judge.name = "other".to_owned()),
        ("key", |judge| judge.keys[0].secret = Secret::new("sk-planted-other")),
        ("secret", |judge| judge.endpoint.secret_headers[0].1 = Secret::new("hunter3hunter3")),
        ("concurrency", |judge| judge.concurrency = 64),
        ("timeout", |judge| judge.timeout = Duration::from_secs(1)),
        ("prices", |judge| judge.prices = None),
    ];
    for (what, judge) in same {
        assert_eq!(hash(judge, nothing), plain, "{what}");
    }
    let again = hash(|_| {}, |question| (question.purpose, question.part) = (Purpose::AskAgain, 2));
    assert_eq!(again, plain, "which part it is of what, and for what");
}

#[tokio::test]
async fn j67_an_earlier_repair_of_what_could_not_be_read_at_all_is_no_answer() {
    let asked = Desk::new(Server::start(|_| good()));
    asked.ask().await.unwrap();
    let (valid, url) = (asked.last(), asked.server.url());
    let broken = r#"{"claims":[{"claim_text":"4 g a day","verdict":"SUPPORTED"}"#;
    for (before, requests) in [("It looks supported to me.", 2), (broken, 2)] {
        let body = Shape::OpenAi.said(before).body().to_vec();
        let misread = Exchange {
            raw_reply: String::from_utf8(body).unwrap(),
            ending: Ending::Unreadable,
            ..valid.clone()
        };
        let ledger = Arc::new(MemoryLedger::default());
        let key = ledger.keep(&misread).unwrap();
        ledger.keep(&Exchange { purpose: Purpose::Repair, mends: Some(key), ..valid.clone() }).unwrap();
        let server = Server::start(|_| good());
        let mut settings = settings(&server);
        // The same question as of the first server, asked of another that is there.
        settings.endpoint.base_url = format!("{url}/v1");
        let harness =
            Harness::new(settings, ledger.clone(), Arc::new(SystemClock), options()).expect("set up");
        let desk = Desk { server, ledger, harness, schema: Schema::new("claims", SCHEMA).expect("a schema") };
        desk.ask().await.ok();
        assert_eq!(asked.server.count(), requests, "{before}");
    }
}
