//! A claim in lines that are read out from the top: the claim first, then where it stands, then the evidence.

use crate::domain::blind::Sight;
use crate::domain::event::Event;
use crate::domain::finding::{AuditState, Outcome};
use crate::domain::queue::{ClaimDetail, QueueCounts};
use crate::domain::span::Span;
use crate::domain::verdict::{Citation, NoVerdict};

/// Characters of a text that are printed on each side of a span.
const AROUND: usize = 240;

/// Evidence of so many bytes is printed with the claim where no span can be.
const PRINTED: usize = 6000;

/// `1 passage`, `2 passages`.
fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Everything that a decision rests on, in short.
pub(super) fn claim(detail: &ClaimDetail) -> Vec<String> {
    let mut lines = vec![
        match detail.sight {
            Sight::Hidden => {
                format!("Claim {}: the judge is hidden until you commit your verdict, 1 to 5", detail.id)
            }
            Sight::Open | Sight::Revealed => format!("Claim {}: {}", detail.id, verdict(&detail.outcome)),
        },
        format!("Claim text: {}", one_paragraph(&detail.claim_text)),
        match detail.answer_span {
            Some(span) => format!("In the answer: {}", around(&detail.record.answer, span)),
            None => "In the answer: not found word for word; O prints the answer".to_owned(),
        },
    ];
    if let Some(question) = &detail.record.question {
        lines.push(format!("Question: {}", one_paragraph(question)));
    }
    if detail.sight == Sight::Hidden {
        // Nobody judges by what was not put before them.
        let passages = &detail.record.passages;
        if passages.iter().map(|passage| passage.content.len()).sum::<usize>() <= PRINTED {
            lines.extend(evidence(detail));
        } else {
            let many = plural(passages.len() as u64, "passage");
            lines.push(format!("Evidence: O prints {many}, long ones, and the answer"));
        }
        people(detail, &mut lines);
        return lines;
    }
    let citations = detail.outcome.judged().map_or(&[][..], |judged| &judged.citations);
    for (at, citation) in citations.iter().enumerate() {
        lines.push(format!("Evidence {} of {}, {}", at + 1, citations.len(), cited(detail, citation)));
    }
    if citations.is_empty() {
        lines.push(format!("Evidence: none cited; O prints the {} passages", detail.record.passages.len()));
    }
    lines.push(format!("Why: {}", one_paragraph(reason(&detail.outcome))));
    let why: Vec<String> = detail.why.iter().map(|why| why.sentence()).collect();
    if !why.is_empty() {
        lines.push(format!("Asks a person: {}", why.join("; ")));
    }
    lines.push(if detail.outcome.state() == AuditState::NoVerdict(NoVerdict::Added) {
        "Judge: none: a person made the claim".to_owned()
    } else {
        let judge = &detail.judge;
        format!("Judge: {}, model {}, prompt {}", judge.judge, judge.model, judge.prompt_version)
    });
    people(detail, &mut lines);
    lines
}

/// What people did about it.
fn people(detail: &ClaimDetail, lines: &mut Vec<String>) {
    if let Some(blind) = detail.standing.blind.as_ref().filter(|_| detail.sight == Sight::Revealed) {
        lines.push(format!("Committed by you before the judge was shown: {}", blind.ruling.said()));
    }
    for (annotator, decided) in &detail.decisions {
        lines.push(format!("Decided: {} {} by {annotator}", decided.kind.label(), decided.ruling.said()));
    }
    for earlier in &detail.earlier {
        let verdict = earlier.decided.ruling.said();
        lines.push(format!(
            "Decided in an earlier audit: {verdict} by {}, as {}",
            earlier.annotator, earlier.id
        ));
    }
    for note in &detail.notes {
        let text = note.text.as_deref().map_or("(erased)".to_owned(), one_paragraph);
        lines.push(format!("Note by {}: {text}", note.annotator));
    }
    for flag in &detail.flags {
        let to = flag.to.as_ref().map_or_else(String::new, |to| format!(" for {to}"));
        let note = flag.note.as_deref().map_or_else(String::new, |note| format!(": {}", one_paragraph(note)));
        lines.push(format!("Flagged by {}{to}{note}", flag.annotator));
    }
    if detail.standing.skipped {
        lines.push("Skipped by you".to_owned());
    }
    if let Some(given) = &detail.disposition {
        let note =
            given.note.as_deref().map_or_else(String::new, |note| format!(": {}", one_paragraph(note)));
        lines.push(format!("The answer: {} by {}{note}", given.disposition, given.annotator));
    }
    if detail.draft.is_some() {
        lines.push("A draft of a note is kept: the screen opens it".to_owned());
    }
}

fn verdict(outcome: &Outcome) -> String {
    let Some(judged) = outcome.judged() else { return outcome.state().label().to_owned() };
    let mut told = judged.verdict.label().to_owned();
    if matches!(outcome, Outcome::Ungrounded(_)) {
        told = format!("UNGROUNDED {told}, the judge's quote does not stand in the evidence");
    }
    if let Some(severity) = judged.severity {
        told = format!("{told}, {severity}");
    }
    if let Some(kind) = judged.hallucination_type {
        told = format!("{told}, {kind}");
    }
    told = format!("{told}, confidence {:.2}", judged.confidence.get());
    judged.support.map_or(told.clone(), |score| format!("{told}, support {} of 5", score.get()))
}

fn reason(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::NotJudged { reason, .. } => reason,
        Outcome::Judged(judged) | Outcome::Ungrounded(judged) => &judged.rationale,
    }
}

fn cited(detail: &ClaimDetail, citation: &Citation) -> String {
    let Citation { passage_id, role, level, quote, .. } = citation;
    let passage = detail.record.passage(passage_id);
    let source = passage.map_or_else(String::new, |passage| {
        let said = passage.metadata.iter().map(|(name, value)| match value.as_str() {
            Some(text) => format!(", {name} {text}"),
            None => format!(", {name} {value}"),
        });
        said.collect()
    });
    let words = match (citation.span, passage) {
        (Some(span), Some(passage)) => around(&passage.content, span),
        _ => format!("not found: {}", one_paragraph(quote)),
    };
    format!("{role}, {level}, passage {passage_id}{source}: {words}")
}

/// The passages as a whole.
pub(super) fn evidence(detail: &ClaimDetail) -> Vec<String> {
    let passages = detail.record.passages.iter();
    passages
        .flat_map(|passage| {
            std::iter::once(format!("Passage {}:", passage.passage_id)).chain(barred(&passage.content))
        })
        .collect()
}

/// The answer as a whole.
pub(super) fn answer(detail: &ClaimDetail) -> Vec<String> {
    std::iter::once("Answer:".to_owned()).chain(barred(&detail.record.answer)).collect()
}

/// Each line after a bar, so that none is taken for a line of this program.
fn barred(text: &str) -> impl Iterator<Item = String> {
    text.split('\n').map(|line| format!("| {line}"))
}

/// The span between `>>` and `<<`, with what stands about it, cut between words.
fn around(text: &str, span: Span) -> String {
    let (Some(before), Some(inside), Some(after)) =
        (text.get(..span.start()), span.of(text), text.get(span.end()..))
    else {
        return one_paragraph(text);
    };
    let left = before
        .char_indices()
        .rev()
        .nth(AROUND)
        .map(|(at, _)| before[at..].find(char::is_whitespace).map_or(at, |blank| at + blank));
    let right =
        after.char_indices().nth(AROUND).map(|(at, _)| after[..at].rfind(char::is_whitespace).unwrap_or(at));
    let before = left.map_or_else(|| before.to_owned(), |at| format!("…{}", &before[at..]));
    let after = right.map_or_else(|| after.to_owned(), |at| format!("{}…", &after[..at]));
    one_paragraph(&format!("{before}>>{inside}<<{after}"))
}

/// `text` without line feeds, so that it is one line whatever it holds.
fn one_paragraph(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

pub(super) fn progress(counts: &QueueCounts, is_blind: bool) -> String {
    let stand = match counts.decided_by_me {
        1 => "1 decision of yours stands".to_owned(),
        many => format!("{many} decisions of yours stand"),
    };
    if is_blind {
        return format!("{} open for you, blind; {stand}", counts.open);
    }
    format!("{} open, {} of them CRITICAL; {stand}", counts.open, counts.open_critical)
}

/// What an event did, in a line.
pub(super) fn act(event: &Event) -> String {
    let ruling = event.ruling().map_or_else(String::new, |ruling| format!(": {}", ruling.verdict));
    let value = event.new.get("disposition").and_then(|value| value.as_str());
    let disposition = value.map_or_else(String::new, |value| format!(": {value}"));
    let reason = event.reason.map_or_else(String::new, |reason| format!(", {reason}"));
    format!("{} {}{ruling}{disposition}{reason}", event.act, event.subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words_and_the_span_stays_whole() {
        let text = format!("{} the dose is 4 g daily {}", "before ".repeat(80), "after ".repeat(80));
        let at = text.find("4 g").unwrap();
        let told = around(&text, Span::new(&text, at..at + 3).unwrap());
        assert!(told.starts_with("… before") && told.ends_with("after…"), "{told}");
        assert!(told.contains("the dose is >>4 g<< daily"), "{told}");
        let told = around("4 g", Span::new("4 g", 0..3).unwrap());
        assert_eq!(told, ">>4 g<<");
    }
}
