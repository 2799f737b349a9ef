//! Copies to the clipboard of the person's terminal. What is copied is the text as it is stored.

use crate::domain::time::Timestamp;
use crate::text::sanitize::visible;
use crate::tui::app::App;
use crate::tui::clipboard::LARGEST;
use crate::tui::command::Command;
use crate::tui::effect::{Effect, TerminalEffect};
use crate::tui::widget::figure;

pub(super) const NO_SPAN: &str = "no words of the evidence are marked here: there is nothing to copy";

pub(super) fn run(app: &mut App, command: Command, now: Timestamp) -> Vec<Effect> {
    let Some((key, detail)) = app.claim.as_ref().map(|claim| (claim.key, claim.detail())) else {
        super::warn(app, "there is no claim here", now);
        return Vec::new();
    };
    let Some(detail) = detail else {
        super::warn(app, "nothing is copied: the claim is still being read, or cannot be", now);
        return Vec::new();
    };
    let (what, text) = match command {
        Command::CopyClaim => ("the claim", Some(detail.claim_text.clone())),
        Command::CopyId => ("the id", Some(detail.id.to_string())),
        Command::CopySpan => ("the evidence", span(app)),
        _ => {
            app.run += 1;
            return vec![Effect::LoadLine { run: app.run, claim: key }];
        }
    };
    let Some(text) = text else {
        super::warn(app, NO_SPAN, now);
        return Vec::new();
    };
    copy(app, what, text, now)
}

/// The words of the evidence that are in hand, as they stand in the passage.
pub(super) fn span(app: &App) -> Option<String> {
    let claim = app.claim.as_ref()?;
    let stop = claim.current_stop()?;
    let citation = claim.citations.get(stop.citation?)?;
    let passage = claim.detail()?.record.passages.get(stop.passage?)?;
    Some(citation.span?.of(&passage.content)?.to_owned())
}

/// The record's line is there.
pub(super) fn line_came(app: &mut App, result: Result<String, String>, now: Timestamp) -> Vec<Effect> {
    match result {
        Ok(line) => copy(app, "the record", line, now),
        Err(why) => {
            super::fail(app, format!("nothing is copied: {why}"));
            Vec::new()
        }
    }
}

fn copy(app: &mut App, what: &str, text: String, now: Timestamp) -> Vec<Effect> {
    if text.len() > LARGEST {
        let (bytes, most) = (figure::count(text.len() as u64), figure::count(LARGEST as u64));
        let why =
            format!("not copied: {what} has {bytes} bytes, and many terminals take {most}: `juror export`");
        super::warn(app, why, now);
        return Vec::new();
    }
    let characters = match text.chars().count() {
        1 => "1 character".to_owned(),
        count => format!("{} characters", figure::count(count as u64)),
    };
    let hidden = if visible(&text) == text { "" } else { ", some of them hidden or line ends" };
    super::tell(app, format!("copied {characters}: {what}{hidden}"), now);
    vec![Effect::Terminal(TerminalEffect::Copy(text))]
}
