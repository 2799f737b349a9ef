//! What is wrong when a server says that something is: error bodies of every shape, and what follows from them.

use std::time::Duration;

use serde_json::Value;

use super::body::{self, excerpt, header};
use super::{About, Form, Received, Trouble, TroubleKind, openai, wait};
use crate::domain::time::Timestamp;
use crate::judge::settings::Protocol;

/// A limit for the day that is renewed sooner than this is waited for like any other.
const SOON: Duration = Duration::from_mins(10);

/// Bytes between the name of a form and the words that refuse it.
const NEAR: usize = 80;

/// An error as far as servers agree on what is in one.
#[derive(Debug, Default)]
struct Fault {
    /// The error itself, whatever is in it.
    whole: Value,
    /// Words in lower case that name the error: code, type, status.
    names: Vec<String>,
    /// The code, where it is an HTTP status.
    number: Option<u16>,
    /// Whether it came as JSON, as an API answers; a page is some gateway's.
    is_of_api: bool,
    /// The parameter that is wrong, where the server names one.
    param: Option<String>,
    message: String,
}

impl Fault {
    fn of(body: &Value) -> Self {
        // Google wraps its errors in an array of one now and then.
        let body = match body {
            Value::Array(items) => items.first().unwrap_or(&Value::Null),
            other => other,
        };
        let in_choice = &body["choices"][0]["error"];
        let error = match &body["error"] {
            found if openai::is_error(found) => found,
            _ if openai::is_error(in_choice) => in_choice,
            _ => body,
        };
        let inner = &error["innererror"];
        let named =
            [&error["code"], &error["type"], &error["status"], &inner["code"], &body["code"], &body["type"]];
        let mut names: Vec<String> =
            named.iter().filter_map(|value| value.as_str()).map(str::to_lowercase).collect();
        for detail in error["details"].as_array().into_iter().flatten() {
            names.extend(detail["reason"].as_str().map(str::to_lowercase));
        }
        let number = [&error["code"], &error["status"], &body["code"], &body["status"]].into_iter().find_map(
            |value| {
                let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
                u16::try_from(number).ok().filter(|status| (400..600).contains(status))
            },
        );
        Self {
            names,
            number,
            param: error["param"].as_str().filter(|param| !param.is_empty()).map(str::to_lowercase),
            message: message(error, body),
            whole: error.clone(),
            is_of_api: true,
        }
    }

    fn is_named(&self, names: &[&str]) -> bool {
        self.names.iter().any(|name| names.contains(&name.as_str()))
    }
}

/// The words of an error, wherever a server puts them.
fn message(error: &Value, body: &Value) -> String {
    let plain = [error, &error["message"], &error["msg"], &body["message"], &body["detail"], &body["title"]]
        .into_iter()
        .find_map(|value| value.as_str().filter(|text| !text.trim().is_empty()));
    let mut words = match plain {
        Some(text) => text.to_owned(),
        None => match body["detail"].as_array().or_else(|| error["message"].as_array()) {
            Some(details) => details.iter().map(detail).collect::<Vec<_>>().join("; "),
            None if error.is_object() && error != body => error.to_string(),
            None => String::new(),
        },
    };
    // What the provider behind a router said is more than the router's "Provider returned error".
    if let Some(raw) = error["metadata"]["raw"].as_str() {
        words = format!("{words}: {raw}");
    }
    words
}

/// One of the places that a validating server finds wrong: `body.response_format.type: Input should be …`.
fn detail(detail: &Value) -> String {
    let place: Vec<String> = detail["loc"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned))
        .collect();
    let words = detail["msg"].as_str().map_or_else(|| detail.to_string(), str::to_owned);
    if place.is_empty() { words } else { format!("{}: {words}", place.join(".")) }
}

/// A status that is no success, with a JSON body.
pub(super) fn of_status(protocol: Protocol, received: Received<'_>, body: &Value, now: Timestamp) -> Trouble {
    let about = body::about(body, received.headers, "model", "id");
    told(protocol, received, &Fault::of(body), received.status, about, now)
}

/// A body that is no JSON.
pub(super) fn of_no_json(
    protocol: Protocol,
    received: Received<'_>,
    excerpt: &str,
    now: Timestamp,
) -> Trouble {
    let about = body::about(&Value::Null, received.headers, "model", "id");
    if (200..300).contains(&received.status) {
        let message = if excerpt.is_empty() {
            "The server answered with an empty body.".to_owned()
        } else {
            format!("The server's reply is not the JSON of its protocol: {excerpt}")
        };
        let after = wait::asked(received.headers, &Value::Null, "", false, now);
        return Trouble { kind: TroubleKind::Faulty { after }, message, about: about.into() };
    }
    let fault = Fault { message: excerpt.to_owned(), ..Fault::default() };
    told(protocol, received, &fault, received.status, about, now)
}

/// A status of success and no answer: an error all the same, or nothing of the protocol.
pub(super) fn under_success(
    protocol: Protocol,
    received: Received<'_>,
    body: &Value,
    about: About,
    now: Timestamp,
) -> Trouble {
    let fault = Fault::of(body);
    let is_error = body["type"] == "error"
        || openai::is_error(&body["error"])
        || openai::is_error(&body["choices"][0]["error"])
        || body.is_array();
    if is_error {
        let status = fault.number.unwrap_or_else(|| status_of(&fault));
        return told(protocol, received, &fault, status, about, now);
    }
    if has_filter_result(body) {
        let message = "The server's content filter stopped the request.".to_owned();
        return Trouble { kind: TroubleKind::Refused, message, about: about.into() };
    }
    let words = excerpt(&fault.message);
    let message = if words.is_empty() {
        "The server's reply holds no answer of its protocol. Does the address belong to the protocol in the \
         settings?"
            .to_owned()
    } else {
        format!("The server's reply holds no answer: {words}")
    };
    Trouble { kind: TroubleKind::Faulty { after: None }, message, about: about.into() }
}

/// Whether Azure's filter results name something that was filtered.
fn has_filter_result(body: &Value) -> bool {
    let results = body["prompt_filter_results"].as_array().into_iter().flatten();
    results
        .filter_map(|result| result["content_filter_results"].as_object())
        .any(|categories| categories.values().any(|category| category["filtered"].as_bool() == Some(true)))
}

/// The status that an error would have had by its name.
fn status_of(fault: &Fault) -> u16 {
    const BY_NAME: &[(&str, u16)] = &[
        ("invalid_request_error", 400),
        ("invalid_argument", 400),
        ("failed_precondition", 400),
        ("authentication_error", 401),
        ("unauthenticated", 401),
        ("billing_error", 402),
        ("permission_error", 403),
        ("permission_denied", 403),
        ("not_found_error", 404),
        ("not_found", 404),
        ("request_too_large", 413),
        ("rate_limit_error", 429),
        ("rate_limit_exceeded", 429),
        ("resource_exhausted", 429),
        ("timeout_error", 504),
        ("overloaded_error", 529),
    ];
    BY_NAME.iter().find(|(name, _)| fault.is_named(&[name])).map_or(502, |&(_, status)| status)
}

fn told(
    protocol: Protocol,
    received: Received<'_>,
    fault: &Fault,
    status: u16,
    about: About,
    now: Timestamp,
) -> Trouble {
    let after = wait::asked(received.headers, &fault.whole, &fault.message, status == 429, now);
    let kind = should_retry(kind(protocol, fault, status, after), received.headers, after);
    let words = excerpt(&fault.message);
    let lead = lead(kind, status);
    let message = if words.is_empty() { format!("{lead}.") } else { format!("{lead}: {words}") };
    Trouble { kind, message, about: about.into() }
}

/// What happened, in our own words.
fn lead(kind: TroubleKind, status: u16) -> String {
    match kind {
        TroubleKind::Refused => format!("A content filter refused the request ({status})"),
        TroubleKind::Limited { .. } => format!("Too many requests for now ({status})"),
        TroubleKind::Exhausted => {
            format!("The account is used up: quota, credit or the limit for the day ({status})")
        }
        TroubleKind::Denied => format!("The key is not accepted, or may not do this ({status})"),
        TroubleKind::Absent => {
            format!("No such address or model ({status})")
        }
        TroubleKind::Unsupported(Form::Shape) => {
            format!("The server cannot hold the reply to a shape in this form ({status})")
        }
        TroubleKind::Unsupported(Form::Limit) => {
            format!("The server knows the token limit by another name ({status})")
        }
        TroubleKind::Unsupported(Form::Sampling) => {
            format!("The server takes no temperature or seed ({status})")
        }
        TroubleKind::Unsupported(Form::Reasoning) => {
            format!("The server cannot be told how much to reason ({status})")
        }
        TroubleKind::TooLong => format!("The request is longer than the model can read ({status})"),
        TroubleKind::Faulty { .. } => format!("The server failed ({status})"),
        TroubleKind::Rejected if status >= 500 => {
            format!("The server failed, and asks not to be asked again ({status})")
        }
        TroubleKind::Rejected => format!("The server calls the request wrong ({status})"),
        TroubleKind::Cut | TroubleKind::Blanks | TroubleKind::Empty | TroubleKind::Silent => {
            format!("The server sent no whole reply ({status})")
        }
    }
}

/// A server that says whether to ask again knows best, except about keys and forms.
fn should_retry(kind: TroubleKind, headers: &[(String, String)], after: Option<Duration>) -> TroubleKind {
    match (header(headers, "x-should-retry"), kind) {
        (Some("false"), TroubleKind::Faulty { .. }) => TroubleKind::Rejected,
        (Some("false"), TroubleKind::Limited { .. }) => TroubleKind::Exhausted,
        (Some("true"), TroubleKind::Rejected) => TroubleKind::Faulty { after },
        _ => kind,
    }
}

fn kind(protocol: Protocol, fault: &Fault, status: u16, after: Option<Duration>) -> TroubleKind {
    let words = fault.message.to_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    let is_clients = (400..500).contains(&status);
    if is_clients && is_filter(fault, &words) {
        return TroubleKind::Refused;
    }
    if is_spent(fault, status, &words, after) {
        return TroubleKind::Exhausted;
    }
    let is_key =
        fault.is_named(&["api_key_invalid", "no_db_connection", "invalid_api_key", "failed_precondition"]);
    if matches!(status, 401 | 403 | 407) || (is_clients && is_key) {
        // A firewall's page takes offence at what this request holds; the key may be good for every other.
        let is_page = status == 403 && !fault.is_of_api;
        return if is_page { TroubleKind::Rejected } else { TroubleKind::Denied };
    }
    if is_too_long(fault, status, &words) {
        return TroubleKind::TooLong;
    }
    match status {
        429 => return TroubleKind::Limited { after },
        // Asked for too fast, or its queue is full: less at once helps, as with 429.
        503 if fault.is_named(&["slow_down", "server_is_overloaded"])
            || says(&["maximum pending requests"]) =>
        {
            return TroubleKind::Limited { after };
        }
        400 | 404 | 405 | 415 | 422 | 500 | 501 => {
            let is_absent = fault.is_named(&["model_not_found", "deploymentnotfound"])
                || says(&["invalid model name", "is not a valid model id"]);
            if is_absent && is_clients {
                return TroubleKind::Absent;
            }
            if let Some(form) = form(protocol, fault, status, &words) {
                return TroubleKind::Unsupported(form);
            }
        }
        _ => {}
    }
    match status {
        300..400 | 404 | 405 | 410 => TroubleKind::Absent,
        408 | 409 | 425 | 499 | 500.. | ..200 => TroubleKind::Faulty { after },
        _ => TroubleKind::Rejected,
    }
}

fn is_filter(fault: &Fault, words: &str) -> bool {
    let moderated = &fault.whole["metadata"];
    fault.is_named(&["content_filter", "responsibleaipolicyviolation", "content_policy_violation"])
        || words.contains("content management policy")
        || moderated["flagged_input"].is_string()
        || moderated["reasons"].is_array()
}

/// Whether nothing more can be had on this account until a person acts or the day is over.
fn is_spent(fault: &Fault, status: u16, words: &str, after: Option<Duration>) -> bool {
    const SPENT: &[&str] = &[
        "billing_error",
        "billing_hard_limit_reached",
        "billing_not_active",
        "credit_balance_exhausted",
        "project_spend_limit_exceeded",
        "organization_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
    ];
    if status == 402 || fault.is_named(SPENT) {
        return true;
    }
    if (400..500).contains(&status) && words.contains("credit balance") && words.contains("too low") {
        return true;
    }
    // A code that says to wait outweighs a type that says it is over.
    if fault.is_named(&["insufficient_quota"]) && !fault.is_named(&["rate_limit_exceeded", "slow_down"]) {
        return true;
    }
    let violations = fault.whole["details"].as_array().into_iter().flatten();
    let mut violations = violations.filter_map(|detail| detail["violations"].as_array()).flatten();
    let is_daily = violations.any(|violation| {
        violation["quotaId"].as_str().is_some_and(|id| id.to_lowercase().contains("perday"))
            || violation["quotaValue"] == "0"
    });
    if status == 429 && is_daily {
        return true;
    }
    let says_day = ["per day", "per-day", "daily"].iter().any(|day| words.contains(day));
    status == 429 && says_day && after.is_none_or(|after| after > SOON)
}

fn is_too_long(fault: &Fault, status: u16, words: &str) -> bool {
    const LONG: &[&str] = &[
        "context length",
        "context_length",
        "context window",
        "context size",
        "maximum context",
        "prompt is too long",
        "input is too long",
        "input token count",
        "maximum number of tokens",
        "too many input tokens",
        "maximum input length",
        "request too large",
    ];
    // Larger than a whole minute's allowance: no wait makes it fit.
    if status == 429 {
        return words.contains("request too large");
    }
    status == 413
        || fault.is_named(&["context_length_exceeded", "exceed_context_size_error", "request_too_large"])
        || (matches!(status, 400 | 422 | 500) && LONG.iter().any(|part| words.contains(part)))
}

/// The form that the server cannot take, as far as it names one.
fn form(protocol: Protocol, fault: &Fault, status: u16, words: &str) -> Option<Form> {
    /// Names of a shape that nothing but a request holds.
    const PARAMETERS: &[&str] = &[
        "response_format",
        "responseformat",
        "json_schema",
        "json_object",
        "output_config",
        "output_format",
        "response_schema",
        "responseschema",
        "response_json_schema",
        "responsejsonschema",
        "response_mime_type",
        "responsemimetype",
        "additionalproperties",
        "additional_properties",
        "tool_choice",
        "input_schema",
    ];
    /// Words for a shape that texts hold too.
    const SHAPE: &[&str] =
        &["json schema", "json mode", "structured output", "grammar", "requested parameters"];
    const REASONING: &[&str] = &[
        "reasoning_effort",
        "reasoning.effort",
        "chat_template_kwargs",
        "enable_thinking",
        "thinkingconfig",
        "thinking_config",
        "thinkingbudget",
        "thinking_budget",
        "thinking budget",
        "thinking level",
        "thinking mode",
    ];
    const SAMPLING: &[&str] = &["temperature", "seed"];
    const LIMIT: &[&str] = &["max_tokens", "max_completion_tokens"];
    /// Refusals of a name that may have another.
    const REFUSAL: &[&str] = &[
        "not support",
        "unsupported",
        "instead",
        "unknown",
        "unrecognized",
        "not permitted",
        "unexpected",
        "not allowed",
        "deprecated",
    ];
    /// Other refusals of a form.
    const OF_FORM: &[&str] = &[
        "invalid",
        "must be",
        "should be",
        "may only",
        "may not",
        "only be",
        "cannot",
        "can't",
        "can not",
        "not enabled",
        "not available",
        "unavailable",
        "enabled only",
        "only for",
        "not implemented",
        "not valid",
        "unable",
        "disabled",
        "failed to",
        "no endpoints",
        "too complex",
        "too many",
        "too deep",
        "requires",
        "required",
    ];
    let names = |text: &str, parts: &[&str]| parts.iter().any(|part| text.contains(part));
    // A server that names the parameter names the right one; its message may quote anything.
    let text = fault.param.as_deref().unwrap_or(words);
    // An error may quote what was audited: a form is meant where its name stands close to a refusal.
    let is_refused = |at: usize, part: &str| {
        let begins = (at.saturating_sub(NEAR)..=at).find(|at| text.is_char_boundary(*at)).unwrap_or(at);
        let end = at + part.len();
        let ends = (end..=(end + NEAR).min(text.len())).rfind(|at| text.is_char_boundary(*at)).unwrap_or(end);
        let close = &text[begins..ends];
        fault.param.is_some() || names(close, REFUSAL) || names(close, OF_FORM)
    };
    let refuses = |parts: &[&str]| {
        parts.iter().any(|part| text.match_indices(part).any(|(at, _)| is_refused(at, part)))
    };
    let is_clients = matches!(status, 400 | 422);
    // A server that calls the request wrong and names the shape means it, in whatever words.
    let is_named = is_clients && names(text, PARAMETERS);
    if is_named || refuses(PARAMETERS) || refuses(SHAPE) || (is_clients && refuses(&["schema", "tools"])) {
        return Some(Form::Shape);
    }
    // A limit that is too high stays so under another name.
    if protocol == Protocol::OpenAi && names(text, LIMIT) && names(words, REFUSAL) {
        return Some(Form::Limit);
    }
    if refuses(REASONING) {
        return Some(Form::Reasoning);
    }
    let is_word = |at: usize, part: &str| {
        !text[..at].ends_with(|c: char| c.is_alphanumeric())
            && !text[at + part.len()..].starts_with(|c: char| c.is_alphanumeric())
    };
    let is_meant =
        |part: &&str| text.match_indices(*part).any(|(at, _)| is_word(at, part) && is_refused(at, part));
    SAMPLING.iter().any(is_meant).then_some(Form::Sampling)
}
