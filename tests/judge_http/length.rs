//! Questions that are longer than the model can read, and replies that no text can hold.

use super::*;

#[tokio::test]
async fn a_question_that_is_too_long_is_told_apart_and_not_asked_again() {
    for reply in [
        openai::error(
            400,
            "This model's maximum context length is 4096 tokens.",
            "invalid_request_error",
            Some("context_length_exceeded"),
        ),
        openai::error(413, "Request too large", "invalid_request_error", None),
    ] {
        let desk = Desk::new(Server::start(move |_| reply.clone()));
        let failed = desk.ask().await.unwrap_err();
        assert_eq!((failed.why, state(&failed)), (Why::TooLong, NoVerdict::Failed));
        assert_eq!(desk.endings(), [Ending::TooLong]);
    }
}

#[tokio::test]
async fn j54_an_answer_to_a_question_that_was_cut_without_a_word_is_none() {
    let evidence = "The maximum dose of paracetamol for an adult is 4 g in 24 hours. ".repeat(1200);
    let desk = Desk::new(Server::start(|_| good()));
    // The server of the tests says that it read 8000 tokens: enough for a short question, not for this one.
    desk.ask_for("short", Duration::from_secs(5)).await.unwrap();
    let failed = desk.ask_for(&evidence, Duration::from_secs(5)).await.unwrap_err();
    assert_eq!((failed.why, state(&failed)), (Why::TooLong, NoVerdict::Failed));
    assert_eq!(desk.endings(), [Ending::Valid, Ending::TooLong]);
    let told = failed.to_string();
    for part in
        ["read only 8000 tokens of at least 13441", "OLLAMA_CONTEXT_LENGTH", "`context` in [judge.bench]"]
    {
        assert!(told.contains(part), "{told}");
    }
    assert!(desk.last().raw_reply.contains("SUPPORTED"), "what it said is kept");
    // Nor is it an answer the next time.
    desk.ask_for(&evidence, Duration::from_secs(5)).await.unwrap_err();
    assert_eq!(desk.server.count(), 3);
}

#[tokio::test]
async fn j57_half_of_a_letter_in_a_reply_is_replaced_and_kept_as_it_came() {
    let inside = r#"{"claims":[{"claim_text":"4 g \ud800 a day","verdict":"SUPPORTED"}]}"#;
    let desk = Desk::scripted([Shape::OpenAi.said(inside)]);
    let answer = desk.ask().await.unwrap();
    assert_eq!(answer.value["claims"][0]["claim_text"], "4 g \u{fffd} a day");
    assert!(desk.last().raw_reply.contains(r"\ud800"), "{}", desk.last().raw_reply);
}

#[tokio::test]
async fn j57_half_of_a_letter_around_an_answer_is_a_fault_of_the_server() {
    let body = r#"{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"\ud800"}}]}"#;
    let desk = Desk::new(Server::start(move |_| Reply::new(200, body)));
    assert_eq!(state(&desk.ask().await.unwrap_err()), NoVerdict::Failed);
    assert_eq!(desk.endings(), [Ending::Faulty; 3]);
    assert_eq!(desk.last().raw_reply, body);
}
