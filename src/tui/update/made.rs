//! Rulings on claims that people made: on which evidence they rest, which no judge has found for them.

use crate::domain::decision::Ruling;
use crate::domain::event::Event;
use crate::domain::evidence::can_be_shown;
use crate::domain::finding::AuditState;
use crate::domain::queue::ClaimDetail;
use crate::domain::time::Timestamp;
use crate::domain::verdict::NoVerdict;
use crate::tui::app::App;
use crate::tui::command::{Command, Place};

/// Says on which evidence the ruling of `event` on a claim that a person made was recorded.
pub(super) fn tell(app: &mut App, detail: Option<&ClaimDetail>, event: &Event, now: Timestamp) {
    let Some((detail, ruling)) = detail.zip(event.ruling()) else { return };
    if detail.outcome.state() != AuditState::NoVerdict(NoVerdict::Added) || !can_be_shown(ruling.verdict) {
        return;
    }
    let spans = ruling.evidence.as_ref().map_or(0, Vec::len);
    if spans > 0 {
        if let Some(others) = of_others(detail, &ruling) {
            let span = if spans == 1 { "the span" } else { "the spans" };
            super::tell(app, format!("{}: with {span} cited for {others}", detail.id), now);
        }
        return;
    }
    let is_here = app.claim.as_ref().is_some_and(|claim| claim.key == detail.key);
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let edit = key(Command::ChooseEvidence);
    let keys = if is_here { edit } else { format!("{} {edit}", key(Command::HistoryBack)) };
    // As news of what was saved: its verdict and severity stand beside it.
    super::tell(app, format!("{}: saved without an evidence span, {keys} marks one", detail.id), now);
}

/// The claims for which the judge cited just these spans.
fn of_others(detail: &ClaimDetail, ruling: &Ruling) -> Option<String> {
    let inherited = detail.inherited.as_ref()?;
    let is_theirs = |quote: &str| inherited.citations.iter().any(|citation| citation.quote == quote);
    let all = ruling.evidence.iter().flatten().all(|span| is_theirs(&span.quote));
    let names: Vec<String> = inherited.from.iter().map(ToString::to_string).collect();
    (all && !names.is_empty()).then(|| names.join(", "))
}
