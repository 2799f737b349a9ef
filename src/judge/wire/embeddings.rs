//! Embeddings over the wire, as `/v1/embeddings` of `OpenAI` and compatible servers has them: texts out, a list of
//! numbers for each back. Pure functions.

use serde_json::{Value, json};

use super::batch::{Call, Method};
use super::{About, Received, Trouble, TroubleKind, body, trouble};
use crate::domain::exchange::Tokens;
use crate::domain::time::Timestamp;
use crate::judge::settings::{Endpoint, Protocol};

/// Where a text lies among others by its meaning; or why the server's list says nothing.
pub type Vector = Result<Vec<f64>, String>;

/// The call that asks for one list of numbers a text, without its key.
pub fn call(endpoint: &Endpoint, texts: &[&str]) -> Call {
    let body = json!({ "model": endpoint.model, "input": texts, "encoding_format": "float" });
    let request =
        body::request(endpoint, "/embeddings", body.as_object().cloned().unwrap_or_default(), &["input"]);
    Call {
        method: Method::Post,
        url: request.url,
        headers: request.headers,
        body: crate::judge::transport::written(&request.body),
    }
}

/// One entry for each of the `texts` that were asked about, in their order, and what the reply says of itself; or what
/// is wrong with it.
pub fn read(received: Received<'_>, texts: usize, now: Timestamp) -> Result<(Vec<Vector>, About), Trouble> {
    let protocol = Protocol::OpenAi;
    let body = match body::parsed(received.body) {
        Ok(body) if (200..300).contains(&received.status) => body,
        Ok(body) => return Err(trouble::of_status(protocol, received, &body, now)),
        Err(excerpt) => return Err(trouble::of_no_json(protocol, received, &excerpt, now)),
    };
    let mut about = body::about(&body, received.headers, "model", "id");
    if let Some(read) = body::count(&body["usage"]["prompt_tokens"]) {
        // Nothing is written but numbers, which no server counts.
        about.tokens = Tokens { input: Some(read), output: Some(0), ..Tokens::default() };
    }
    let Some(data) = body["data"].as_array() else {
        return Err(trouble::under_success(protocol, received, &body, about, now));
    };
    let mut vectors: Vec<Option<Vector>> = vec![None; texts];
    for (at, one) in data.iter().enumerate() {
        // Not every server keeps the order of what it was asked, and not every one numbers what it says.
        let at = one["index"].as_u64().map_or(Some(at), |index| usize::try_from(index).ok());
        if let Some(place @ None) = at.and_then(|at| vectors.get_mut(at)) {
            *place = Some(numbers(&one["embedding"]));
        }
    }
    let whole: Option<Vec<Vector>> = vectors.into_iter().collect();
    match whole.filter(|whole| whole.len() == data.len()) {
        Some(whole) => Ok((whole, about)),
        None => Err(Trouble {
            kind: TroubleKind::Faulty { after: None },
            message: format!(
                "The reply has {} vectors for {texts} texts, or numbers them wrongly.",
                data.len()
            ),
            about: about.into(),
        }),
    }
}

/// The body of a reply without the numbers, which are many and can be had again.
pub fn without_vectors(body: &str) -> String {
    let Ok(mut body) = body::parsed(body) else { return String::new() };
    for one in body["data"].as_array_mut().into_iter().flatten() {
        if let Some(numbers) = one["embedding"].as_array().map(Vec::len) {
            one["embedding"] = format!("{numbers} numbers").into();
        }
    }
    body.to_string()
}

fn numbers(embedding: &Value) -> Vector {
    let Value::Array(items) = embedding else {
        return Err("the server's vector is no list of numbers".to_owned());
    };
    let numbers: Option<Vec<f64>> =
        items.iter().map(|item| item.as_f64().filter(|number| number.is_finite())).collect();
    numbers
        .filter(|numbers| !numbers.is_empty())
        .ok_or_else(|| "the server's vector holds something that is no number".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint() -> Endpoint {
        Endpoint {
            protocol: Protocol::OpenAi,
            base_url: "http://localhost:11434/v1".into(),
            model: "nomic-embed-text".into(),
            key_header: "authorization".into(),
            key_prefix: "Bearer ".into(),
            headers: Vec::new(),
            secret_headers: Vec::new(),
            reasoning: None,
        }
    }

    fn read_of(status: u16, body: &str, texts: usize) -> Result<Vec<Vector>, Trouble> {
        let read = read(Received { status, headers: &[], body }, texts, Timestamp::from_millis(0));
        read.map(|(vectors, _)| vectors)
    }

    #[test]
    fn texts_go_out_as_they_are() {
        let call = call(&endpoint(), &["4 g", "8 g — „viel“"]);
        assert_eq!(call.url, "http://localhost:11434/v1/embeddings");
        assert_eq!(
            serde_json::from_str::<Value>(&call.body).unwrap(),
            json!({"model": "nomic-embed-text", "input": ["4 g", "8 g — „viel“"], "encoding_format": "float"})
        );
    }

    #[test]
    fn vectors_come_back_in_the_order_of_the_texts() {
        let body = r#"{"object":"list","data":[{"object":"embedding","index":1,"embedding":[0,1.5]},{"object":"embedding","index":0,"embedding":[1,0]}],"model":"m","usage":{"prompt_tokens":8,"total_tokens":8}}"#;
        assert_eq!(read_of(200, body, 2).unwrap(), [Ok(vec![1.0, 0.0]), Ok(vec![0.0, 1.5])]);
        let unnumbered = r#"{"data":[{"embedding":[1]},{"embedding":[2]}]}"#;
        assert_eq!(read_of(200, unnumbered, 2).unwrap(), [Ok(vec![1.0]), Ok(vec![2.0])]);
    }

    #[test]
    fn what_a_reply_says_of_itself_is_read_and_kept_without_the_numbers() {
        let body = r#"{"data":[{"index":0,"embedding":[1,0,2]}],"model":"m-2","usage":{"prompt_tokens":8}}"#;
        let received = Received { status: 200, headers: &[], body };
        let (_, about) = read(received, 1, Timestamp::from_millis(0)).unwrap();
        assert_eq!((about.model.as_deref(), about.tokens.input), (Some("m-2"), Some(8)));
        assert_eq!(
            without_vectors(body),
            r#"{"data":[{"index":0,"embedding":"3 numbers"}],"model":"m-2","usage":{"prompt_tokens":8}}"#
        );
    }

    #[test]
    fn what_is_no_vector_says_nothing_and_costs_only_its_own_text() {
        let body = r#"{"data":[{"index":0,"embedding":[1,null]},{"index":1,"embedding":"AACAPw=="},{"index":2,"embedding":[]},{"index":3,"embedding":[1]}]}"#;
        let vectors = read_of(200, body, 4).unwrap();
        assert!(vectors[..3].iter().all(Result::is_err) && vectors[3] == Ok(vec![1.0]), "{vectors:?}");
    }

    #[test]
    fn a_reply_that_is_none_is_trouble() {
        let kind = |status, body: &str| read_of(status, body, 2).unwrap_err().kind;
        let faulty = TroubleKind::Faulty { after: None };
        assert_eq!(kind(200, r#"{"data":[{"index":0,"embedding":[1]}]}"#), faulty);
        assert_eq!(
            kind(200, r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#),
            faulty
        );
        assert_eq!(
            kind(200, r#"{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}"#),
            faulty
        );
        assert!(matches!(kind(429, r#"{"error":{"message":"slow down"}}"#), TroubleKind::Limited { .. }));
        let denied = r#"{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}"#;
        assert_eq!(kind(401, denied), TroubleKind::Denied);
    }
}
