//! A verdict whose chosen spans say the opposite: told before it is recorded, and the same key again records it.

use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::evidence::{agrees, can_be_shown};
use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Role;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::question::Asks;

use super::question;

/// Whether `ruling` was not told yet to rest on spans that say the opposite; it is told then.
pub(super) fn tells(app: &mut App, claim: ClaimKey, ruling: &Ruling, by: Command, now: Timestamp) -> bool {
    let asks = Asks::OverSpans { claim, verdict: ruling.verdict };
    let is_told = match question::asked(app) {
        // It was told before that.
        Some(
            Asks::OverOthers { claim: of, request: Request::Override(told), .. }
            | Asks::OverOwn { claim: of, request: Request::Override(told) },
        ) => (*of, told.verdict) == (claim, ruling.verdict),
        asked => asked == Some(&asks),
    };
    if is_told || !is_opposite(ruling) {
        return false;
    }
    let (key, edit) = (
        app.settings.keymap.label(by, app.place()),
        app.settings.keymap.label(Command::ChooseEvidence, Place::Review),
    );
    let spans = ruling.evidence.iter().flatten();
    let opposite = spans.clone().filter(|span| !agrees(span.role, ruling.verdict)).count();
    let spans = match (opposite, spans.count()) {
        (1, 1) => "your span says",
        (opposite, all) if opposite == all => "all your spans say",
        (1, _) => "one of your spans says",
        _ => "some of your spans say",
    };
    if ruling.verdict == HumanVerdict::Unsupported {
        let text = "what you marked contradicts the claim";
        let contradicted = app.settings.keymap.label(Command::VerdictContradicted, app.place());
        question::ask(
            app,
            asks,
            format!("{text}: {key} again records UNSUPPORTED, {contradicted} CONTRADICTED"),
            now,
        );
        return true;
    }
    let mend = if app.place() == Place::Review { format!(", {edit} changes that") } else { String::new() };
    question::ask(app, asks, format!("{spans} the opposite: {key} again records it{mend}"), now);
    true
}

/// Whether every chosen span says the opposite of the verdict; of what is to be fully supported, whether any contradicts;
/// of what is to be unsupported, whether all that was marked contradicts it.
fn is_opposite(ruling: &Ruling) -> bool {
    let mut chosen = ruling.evidence.iter().flatten().peekable();
    if ruling.verdict == HumanVerdict::FullySupported {
        return chosen.any(|span| span.role == Role::Contradicts);
    }
    if ruling.verdict == HumanVerdict::Unsupported {
        return chosen.peek().is_some() && chosen.all(|span| span.role == Role::Contradicts);
    }
    can_be_shown(ruling.verdict)
        && chosen.peek().is_some()
        && chosen.all(|span| !agrees(span.role, ruling.verdict))
}
