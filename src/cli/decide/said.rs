//! What `juror decide` says for people: what was recorded, then what stands.

use super::blind::Committed;
use super::{Done, Given};
use crate::clock;
use crate::domain::event::Act;
use crate::domain::until;

/// The same for people: what was recorded, then what stands.
pub(super) fn sentence(done: &Done, annotator: &str) -> String {
    let mut parts = Vec::new();
    if let Some(event) = &done.undone {
        parts.push(format!("{} of event {}{} taken back", event.act, event.seq, and_more(done.others)));
    }
    for event in &done.events {
        let value = match event.new.get("disposition").or(event.new.get("verdict")) {
            Some(value) => format!(" {}", value.as_str().unwrap_or_default()),
            None => String::new(),
        };
        // The reason of a decision is said with what stands.
        let reason = match (event.act, event.reason) {
            (Act::Confirm | Act::Override | Act::GiveReason, _) | (_, None) => String::new(),
            (_, Some(reason)) => format!(" ({})", reason.sentence()),
        };
        let more = and_more(done.others);
        parts.push(format!("{}{value} recorded as event {}{more}{reason}", event.act, event.seq));
    }
    let stands = match &done.standing {
        Some(stands) => {
            let severity = stands.severity.map_or(String::new(), |severity| format!(" {severity}"));
            let reason = stands.reason.map_or(String::new(), |reason| format!(", {}", reason.sentence()));
            let evidence = match stands.evidence.as_deref() {
                None => String::new(),
                Some([]) => ", on no evidence".to_owned(),
                Some([one]) => format!(", on {} of {}", one.role, one.passage_id),
                Some(many) => format!(", on {} places of the evidence", many.len()),
            };
            let score = stands.score.map_or(String::new(), |score| format!("{}/5 ", score.get()));
            format!("; {annotator}: {} {score}{}{severity}{evidence}{reason}", stands.review, stands.verdict)
        }
        None => match &done.undone {
            Some(event) => what_is_left(event.act, done.disposition.as_ref(), annotator),
            None => String::new(),
        },
    };
    let marks = match (done.skipped, done.flagged) {
        (true, true) => "; skipped, flagged",
        (true, false) => "; skipped",
        (false, true) => "; flagged",
        (false, false) => "",
    };
    let until = done
        .deferred_until
        .map_or(String::new(), |until| format!("; deferred until {}", until::shown(until, &clock::zone())));
    let word = done.committed.as_ref().map_or(String::new(), Committed::sentence);
    let kept = done.kept.first().map_or(String::new(), |why| format!("; {} still: {why}", done.kept.len()));
    format!("{}: {}{stands}{marks}{until}{word}{kept}", done.subject, parts.join(", "))
}

fn and_more(others: u64) -> String {
    if others == 0 { String::new() } else { format!(" and {others} more") }
}

/// What stands after an act was taken back, where no decision does.
fn what_is_left(act: Act, disposition: Option<&Given>, annotator: &str) -> String {
    match (act, disposition) {
        (Act::Dispose, Some(given)) => format!("; {}: {} stands", given.annotator, given.disposition),
        (Act::Dispose, None) => "; no disposition stands".to_owned(),
        (Act::Confirm | Act::Override, _) => format!("; {annotator}: no decision stands"),
        (Act::Blind, _) => {
            "; you have seen the judge: what you say now is not independent, and a third person is asked"
                .to_owned()
        }
        _ => String::new(),
    }
}
