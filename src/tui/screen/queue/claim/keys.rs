//! What the keys that set a verdict would record beside it: the severity, before a key is struck.

use crate::domain::blind::Sight;
use crate::domain::decision::{Disposition, HumanVerdict, Ruling};
use crate::domain::queue::ClaimDetail;
use crate::domain::verdict::{Score, Severity};
use crate::tui::app::{App, Selected};
use crate::tui::command::{Command, Place};
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::phrase::Phrase;

/// Each key with the severity that it stands for; `None` where nobody may rule, or has to no more.
pub(super) fn severities(app: &App, selected: &Selected, detail: &ClaimDetail) -> Option<Phrase> {
    let is_open = detail.standing.decided.is_none() && detail.gone.is_none() && detail.sight != Sight::Hidden;
    if !is_open || detail.disposition.as_ref().is_some_and(|given| given.disposition != Disposition::Return) {
        return None;
    }
    let keymap = &app.settings.keymap;
    let rulings: Vec<(String, Ruling)> = if detail.is_pair {
        let keys = [
            (Command::Score1, 1),
            (Command::Score2, 2),
            (Command::Score3, 3),
            (Command::Score4, 4),
            (Command::Score5, 5),
        ];
        let scored = |value| Some(Ruling::scored(Score::new(value)?, &detail.outcome, selected.stakes));
        let said = |(key, value)| Some((keymap.label(key, Place::Score), scored(value)?));
        keys.into_iter().filter_map(said).collect()
    } else {
        let keys = [
            (Command::VerdictPartially, HumanVerdict::PartiallySupported),
            (Command::VerdictUnsupported, HumanVerdict::Unsupported),
            (Command::VerdictContradicted, HumanVerdict::Contradicted),
        ];
        let proposed = |verdict| Ruling::proposed(verdict, &detail.outcome, selected.stakes);
        keys.iter().map(|(key, verdict)| (keymap.label(*key, Place::Review), proposed(*verdict))).collect()
    };
    let mut line = Phrase::new();
    for (key, ruling) in rulings.iter().filter(|(key, _)| !key.is_empty()) {
        let Some(severity) = ruling.severity else { continue };
        let gap = if line.is_empty() { "" } else { "   " };
        let sign = if ruling.score.is_some() { "" } else { badge::sign_of_human(ruling.verdict).0 };
        // Few changes of colour: the line comes anew with most claims, also over slow links.
        let role = if severity >= Severity::High { Role::of_severity(Some(severity)) } else { Role::Text };
        let said = format!("{sign} {} {severity}", badge::severity_sign(severity));
        line = line.say(Role::Text, format!("{gap}{key} ")).say(role, said.trim_start());
    }
    (!line.is_empty()).then_some(line)
}
