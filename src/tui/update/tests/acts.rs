//! Decisions and events as the store answers with them.

use serde_json::json;

use super::session::{START, id};
use crate::domain::decision::{Decided, DecisionKind, HumanVerdict, Request, Ruling};
use crate::domain::event::{Act, Event, Seen};

pub(super) fn decided() -> Decided {
    Decided {
        kind: DecisionKind::Confirmed,
        ruling: Ruling::only(HumanVerdict::Contradicted),
        reason: None,
        seq: 1,
        at: START,
    }
}

pub(super) fn event(key: i64, request: &Request) -> Event {
    let (act, new) = match request {
        Request::Confirm => (Act::Confirm, json!({"verdict": "CONTRADICTED"})),
        Request::Override(ruling) => {
            (Act::Override, json!({"verdict": ruling.verdict, "evidence": ruling.evidence}))
        }
        Request::Blind { ruling, .. } => {
            (Act::Blind, json!({"verdict": ruling.verdict, "evidence": ruling.evidence}))
        }
        Request::Annotate { .. } => (Act::Annotate, json!(null)),
        Request::GiveReason(_) => (Act::GiveReason, json!(null)),
        Request::Skip(false) => (Act::Unskip, json!(null)),
        Request::Skip(true) => (Act::Skip, json!(null)),
        Request::Flag(false) => (Act::Unflag, json!(null)),
        Request::Flag(true) | Request::Escalate { .. } => (Act::Flag, json!(null)),
        Request::Defer { until } => (Act::Defer, json!({ "until": until })),
        Request::Resume => (Act::Resume, json!(null)),
    };
    Event {
        seq: 1,
        at: START,
        annotator: "ana".to_owned(),
        os_user: "u".to_owned(),
        host: "h".to_owned(),
        program: "juror 0".to_owned(),
        act,
        subject: id(key).to_string(),
        old: json!(null),
        new,
        reason: if let Request::GiveReason(code) = request { Some(*code) } else { None },
        undoes: None,
        seen: Seen { answer_sha256: String::new(), passages_sha256: String::new(), verdict_sha256: None },
        payload_sha256: None,
        batch: None,
    }
}
