//! What is sent.

use super::*;
use crate::judge::settings::Reasoning;

fn manner(shape: Shape) -> Manner {
    Manner { shape, ..Manner::first(&endpoint(Protocol::OpenAi, "http://h/v1")) }
}

fn strict_schema() -> Value {
    json!({
        "type": "object",
        "required": ["score", "why", "quotes", "kind"],
        "properties": {
            "score": {"type": "integer", "minimum": 1, "maximum": 5},
            "why": {"anyOf": [{"type": "string", "description": "in a sentence"}, {"type": "null"}]},
            "quotes": {
                "type": "array",
                "maxItems": 9,
                "items": {
                    "type": "object",
                    "required": ["text"],
                    "properties": {"text": {"type": "string"}},
                    "additionalProperties": false,
                },
            },
            "kind": {"anyOf": [{"type": "string", "enum": ["A", "B"]}, {"type": "null"}]},
        },
        "additionalProperties": false,
    })
}

#[test]
fn how_much_to_reason_is_said_in_the_words_of_each_protocol_and_not_at_all_unless_it_is_set() {
    let open = |reasoning, manner: fn(Manner) -> Manner| {
        let endpoint = Endpoint { reasoning, ..endpoint(Protocol::OpenAi, "http://h/v1") };
        asked(&endpoint, manner(Manner::first(&endpoint))).body
    };
    let plain = open(None, |manner| manner);
    assert!(plain["reasoning_effort"].is_null() && plain["chat_template_kwargs"].is_null(), "{plain}");
    assert_eq!(open(Some(Reasoning::High), |manner| manner)["reasoning_effort"], "high");
    let off = open(Some(Reasoning::High), |manner| Manner { unthinking: true, ..manner });
    assert_eq!(off["reasoning_effort"], "none");
    assert_eq!(off["chat_template_kwargs"], json!({"enable_thinking": false}));
    let refused = open(Some(Reasoning::Low), |manner| manner.plainer(Form::Reasoning).unwrap());
    assert!(refused["reasoning_effort"].is_null(), "{refused}");
    let original = Endpoint {
        reasoning: Some(Reasoning::None),
        ..endpoint(Protocol::OpenAi, "https://api.openai.com/v1")
    };
    assert!(asked(&original, Manner::first(&original)).body["chat_template_kwargs"].is_null());
    let gemini =
        Endpoint { reasoning: Some(Reasoning::Low), ..endpoint(Protocol::Gemini, "https://g/v1beta") };
    let body = asked(&gemini, Manner::first(&gemini)).body;
    assert_eq!(body["generationConfig"]["thinkingConfig"], json!({"thinkingBudget": 1024}));
}

#[test]
fn an_address_keeps_its_query_at_the_end() {
    for (base, url) in [
        ("http://h/v1", "http://h/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        (
            "https://r.openai.azure.com/openai/deployments/d?api-version=2026-01-01",
            "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2026-01-01",
        ),
        ("http://h/v1/?a=b#c", "http://h/v1/chat/completions?a=b"),
        ("http://h/v1?", "http://h/v1/chat/completions"),
    ] {
        let endpoint = endpoint(Protocol::OpenAi, base);
        assert_eq!(asked(&endpoint, Manner::first(&endpoint)).url, url);
    }
}

#[test]
fn chat_completions_asks_for_the_strict_schema_first() {
    let endpoint = endpoint(Protocol::OpenAi, "http://127.0.0.1:8080/v1");
    let request = asked(&endpoint, Manner::first(&endpoint));
    let user = "Dosis: 4 µg 药 \u{1f468}\u{200d}\u{1f52c}";
    assert_eq!(
        request.body,
        json!({
            "model": "m-1",
            "messages": [{"role": "system", "content": "You judge."}, {"role": "user", "content": user}],
            "max_tokens": 900,
            "temperature": 0.0,
            "seed": 7_000_000_000_u64,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "support_reply", "strict": true, "schema": strict_schema()},
            },
        })
    );
    assert_eq!(request.headers[0], ("content-type".to_owned(), "application/json".to_owned()));
    assert!(request.headers.contains(&("anthropic-version".to_owned(), "2026-10-21".to_owned())));
    assert!(
        !request.headers.iter().any(|(name, _)| name == "authorization"),
        "the key is no business of the wire"
    );
}

#[test]
fn j27_each_protocol_steps_down_to_words() {
    for protocol in Protocol::ALL.iter().copied() {
        let endpoint = endpoint(protocol, "http://h/v1");
        let first = Manner::first(&endpoint);
        let object = first.plainer(Form::Shape).unwrap();
        let words = object.plainer(Form::Shape).unwrap();
        assert_eq!((object.shape, words.shape), (Shape::Object, Shape::Words));
        assert_eq!(words.plainer(Form::Shape), None);
        let bodies: Vec<Value> =
            [first, object, words].iter().map(|manner| asked(&endpoint, *manner).body).collect();
        let has = |body: &Value, member: &str| body.to_string().contains(&format!("\"{member}\""));
        let (schema_by, object_by) = match protocol {
            Protocol::OpenAi => ("json_schema", "json_object"),
            Protocol::Anthropic => ("output_config", "tool_choice"),
            Protocol::Gemini => ("responseJsonSchema", "responseSchema"),
        };
        assert!(has(&bodies[0], schema_by) && !has(&bodies[0], object_by), "{protocol:?}");
        assert!(!has(&bodies[1], schema_by) && has(&bodies[1], object_by), "{protocol:?}");
        assert!(!has(&bodies[2], schema_by) && !has(&bodies[2], object_by), "{protocol:?}");
        let words = bodies[2].to_string();
        assert!(
            words.contains("JSON Schema") && words.contains("in a sentence"),
            "the prompt says it: {words}"
        );
    }
}

#[test]
fn llama_cpp_gets_the_schema_beside_json_object_and_openai_does_not() {
    let theirs = endpoint(Protocol::OpenAi, "http://h/v1");
    let format = &asked(&theirs, manner(Shape::Object)).body["response_format"];
    assert_eq!(*format, json!({"type": "json_object", "schema": strict_schema()}));
    let own = endpoint(Protocol::OpenAi, "https://api.openai.com/v1");
    let request = asked(&own, manner(Shape::Object));
    assert_eq!(request.body["response_format"], json!({"type": "json_object"}));
    let system = request.body["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("You judge.\n\nReply with one JSON object"), "{system}");
}

#[test]
fn j33_what_was_really_sent_is_on_record_and_the_limit_changes_its_name_once() {
    let own = endpoint(Protocol::OpenAi, "https://api.openai.com/v1");
    let first = Manner::first(&own);
    assert!(first.new_limit);
    assert!(Manner::first(&endpoint(Protocol::OpenAi, "https://x.openai.azure.com/openai/v1")).new_limit);
    for other in
        ["http://localhost:11434/v1", "https://api.openai.com.evil.org/v1", "https://myopenai.azure.co/v1"]
    {
        assert!(!Manner::first(&endpoint(Protocol::OpenAi, other)).new_limit, "{other}");
    }
    assert_eq!(
        asked(&own, first).parameters,
        json!({
            "model": "m-1",
            "max_completion_tokens": 900,
            "temperature": 0.0,
            "seed": 7_000_000_000_u64,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "support_reply", "strict": true, "schema": "the schema"},
            },
        })
    );
    let older = first.plainer(Form::Limit).unwrap();
    let still = older.plainer(Form::Sampling).unwrap();
    assert_eq!((still.plainer(Form::Limit), still.plainer(Form::Sampling)), (None, None));
    let sent = asked(&own, still).parameters;
    assert_eq!(sent["max_tokens"], 900);
    for gone in ["temperature", "seed", "max_completion_tokens"] {
        assert!(sent.get(gone).is_none(), "{gone}");
    }
}

#[test]
fn messages_are_asked_by_format_then_by_a_forced_tool() {
    let endpoint = endpoint(Protocol::Anthropic, "https://api.anthropic.com/v1");
    let request = asked(&endpoint, Manner::first(&endpoint));
    assert_eq!(request.url, "https://api.anthropic.com/v1/messages");
    assert_eq!(request.body["max_tokens"], 900);
    assert_eq!(request.body["system"], "You judge.");
    assert_eq!(request.body["messages"][0]["role"], "user");
    assert!(request.body.get("seed").is_none(), "the protocol has none");
    let schema = &request.body["output_config"]["format"]["schema"];
    assert_eq!(schema["properties"]["score"], json!({"type": "integer"}), "it refuses bounds");
    assert_eq!(schema["additionalProperties"], false);
    let forced = asked(&endpoint, manner(Shape::Object));
    assert_eq!(
        forced.body["tool_choice"],
        json!({"type": "tool", "name": "support_reply", "disable_parallel_tool_use": true})
    );
    assert_eq!(forced.body["tools"][0]["input_schema"]["required"], strict_schema()["required"]);
    assert_eq!(forced.parameters["tools"][0]["input_schema"], "the schema");
}

#[test]
fn generate_content_gets_json_schema_then_its_own_subset() {
    let endpoint = endpoint(Protocol::Gemini, "https://generativelanguage.googleapis.com/v1beta/");
    let request = asked(&endpoint, Manner::first(&endpoint));
    let url = "https://generativelanguage.googleapis.com/v1beta/models/m-1:generateContent";
    assert_eq!(request.url, url);
    let config = &request.body["generationConfig"];
    assert_eq!(config["responseMimeType"], "application/json");
    assert_eq!(config["responseJsonSchema"], strict_schema());
    assert_eq!(config["seed"], 7_000_000_000_u64 % (1 << 31), "a signed number of 32 bits there");
    let older = asked(&endpoint, manner(Shape::Object));
    assert_eq!(
        older.body["generationConfig"]["responseSchema"],
        json!({
            "type": "OBJECT",
            "properties": {
                "score": {"type": "INTEGER", "minimum": 1, "maximum": 5},
                "why": {"type": "STRING", "description": "in a sentence"},
                "quotes": {
                    "type": "ARRAY",
                    "maxItems": 9,
                    "items": {
                        "type": "OBJECT",
                        "properties": {"text": {"type": "STRING"}},
                        "required": ["text"],
                        "propertyOrdering": ["text"],
                    },
                },
                "kind": {"type": "STRING", "enum": ["A", "B"], "nullable": true},
            },
            "required": ["score", "quotes", "kind"],
            "propertyOrdering": ["score", "why", "quotes", "kind"],
        })
    );
    let named = Endpoint { model: "models/gemma 3".into(), ..endpoint };
    assert!(asked(&named, manner(Shape::Words)).url.ends_with("/models/gemma%203:generateContent"));
}

#[test]
fn j56_a_prompt_keeps_its_letters() {
    for protocol in Protocol::ALL.iter().copied() {
        let endpoint = endpoint(protocol, "http://h");
        let body = asked(&endpoint, Manner::first(&endpoint)).body.to_string();
        assert!(body.contains("4 µg 药 \u{1f468}\u{200d}\u{1f52c}") && !body.contains("\\u"), "{body}");
    }
}

#[test]
fn the_schemas_of_the_instruments_lose_nothing_but_notes_in_the_strict_form() {
    for text in [
        include_str!("../../../../assets/schemas/faithfulness.json"),
        include_str!("../../../../assets/schemas/comparison.json"),
        include_str!("../../../../assets/schemas/support.json"),
    ] {
        let schema: Value = serde_json::from_str(text).unwrap();
        for dialect in [shaped::Dialect::OpenAi, shaped::Dialect::Anthropic, shaped::Dialect::GeminiJson] {
            let strict = shaped::strict(&schema, dialect);
            assert_eq!(shaped::strict(&strict, dialect), strict, "done twice it stays");
            assert_eq!(
                strict["properties"].as_object().unwrap().len(),
                schema["required"].as_array().unwrap().len()
            );
            assert!(jsonschema::meta::is_valid(&strict));
        }
    }
}

#[test]
fn a_schema_that_refers_to_itself_comes_to_an_end() {
    let schema = json!({
        "type": "object",
        "properties": {"next": {"$ref": "#"}},
    });
    for dialect in [shaped::Dialect::OpenAi, shaped::Dialect::Anthropic] {
        assert!(shaped::strict(&schema, dialect).to_string().len() < 10_000);
    }
    assert!(shaped::subset(&schema).to_string().len() < 10_000);
}
