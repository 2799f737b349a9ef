//! Verdict and severity: always symbol, word and colour together.

use super::phrase::Phrase;
use crate::domain::decision::{HumanVerdict, Ruling};
use crate::domain::exchange::Ending;
use crate::domain::finding::AuditState;
use crate::domain::verdict::{Score, Severity, Verdict};
use crate::tui::theme::Role;

/// The sign of a verdict; a hollow circle where there is none.
pub const fn symbol(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::FullySupported) => "✓",
        Some(Verdict::PartiallySupported) => "◐",
        Some(Verdict::Unsupported) => "?",
        Some(Verdict::Contradicted) => "✗",
        None => "○",
    }
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FullySupported => "FULLY",
        Verdict::PartiallySupported => "PARTLY",
        Verdict::Unsupported => "UNSUPPORTED",
        Verdict::Contradicted => "CONTRADICTED",
    }
}

/// What the judge says: `✗ CONTRADICTED`. A label without grounds does not count as a verdict and says so.
pub fn verdict(state: AuditState, verdict: Option<Verdict>) -> Phrase {
    match (state, verdict) {
        (AuditState::Judged, Some(verdict)) => Phrase::new()
            .say(Role::of_verdict(Some(verdict)), format!("{} {}", symbol(Some(verdict)), word(verdict))),
        (AuditState::Ungrounded, Some(verdict)) => {
            Phrase::new().say(Role::VerdictNone, format!("○ UNGROUNDED, judge says {}", word(verdict)))
        }
        (state, _) => Phrase::new().say(Role::VerdictNone, format!("○ {}", state.label().replace('_', " "))),
    }
}

/// How an exchange ended: `✗ TIMED OUT`. What is only asked again is no failure, what holds no answer no error.
pub fn ending(ending: Ending) -> Phrase {
    let (sign, role) = match ending {
        Ending::Valid => ("✓", Role::Ok),
        Ending::Limited | Ending::Unsupported => ("!", Role::Warning),
        Ending::Refused | Ending::Empty => ("○", Role::VerdictNone),
        Ending::Unreadable
        | Ending::Misshapen
        | Ending::Cut
        | Ending::Exhausted
        | Ending::Denied
        | Ending::TooLong
        | Ending::Faulty
        | Ending::Rejected
        | Ending::TimedOut
        | Ending::Broken => ("✗", Role::Error),
    };
    Phrase::new().say(role, format!("{sign} {}", ending.label().replace('_', " ")))
}

/// In the place of what the judge says, where the store's rows cannot be read.
pub fn damaged() -> Phrase {
    Phrase::new().say(Role::Error, "! DAMAGED")
}

/// The sign alone, for a row of the queue.
pub fn sign(state: AuditState, verdict: Option<Verdict>) -> (&'static str, Role) {
    let verdict = verdict.filter(|_| state == AuditState::Judged);
    (symbol(verdict), Role::of_verdict(verdict))
}

/// The sign in force: a person's goes before the judge's. Where several people disagree it is `≠`.
pub fn sign_in_force(
    (state, verdict): (AuditState, Option<Verdict>),
    rulings: &[HumanVerdict],
) -> (&'static str, Role) {
    match rulings {
        [] => sign(state, verdict),
        [ruled] => match ruled.as_verdict() {
            Some(verdict) => (symbol(Some(verdict)), Role::of_verdict(Some(verdict))),
            None => (blank_symbol(*ruled), Role::VerdictNone),
        },
        _ => ("≠", Role::Warning),
    }
}

/// The word alone for what a person says.
pub fn human_word(verdict: HumanVerdict) -> &'static str {
    match verdict {
        HumanVerdict::NotAClaim => "NOT A CLAIM",
        other => other.as_verdict().map_or("CANNOT JUDGE", word),
    }
}

/// The sign of what is no verdict on the claim.
fn blank_symbol(verdict: HumanVerdict) -> &'static str {
    if verdict == HumanVerdict::NotAClaim { "–" } else { "○" }
}

/// What a person says.
pub fn human(verdict: HumanVerdict) -> Phrase {
    match verdict.as_verdict() {
        Some(verdict) => Phrase::new()
            .say(Role::of_verdict(Some(verdict)), format!("{} {}", symbol(Some(verdict)), word(verdict))),
        None => {
            Phrase::new().say(Role::VerdictNone, format!("{} {}", blank_symbol(verdict), human_word(verdict)))
        }
    }
}

/// The sign alone of what a person says.
pub fn sign_of_human(verdict: HumanVerdict) -> (&'static str, Role) {
    sign_in_force((AuditState::Judged, None), &[verdict])
}

/// What a person rules: the score of a claim with its source, `◐ 3/5 Partially Supports`, else the verdict.
pub fn ruling(ruling: &Ruling) -> Phrase {
    ruling.score.map_or_else(|| human(ruling.verdict), score)
}

/// `◐ 3/5 Partially Supports`.
pub fn score(score: Score) -> Phrase {
    let verdict = Some(score.verdict());
    let words = format!("{} {}/5 {}", symbol(verdict), score.get(), score.level());
    Phrase::new().say(Role::of_verdict(verdict), words)
}

/// `◐ 3/5 Partially`.
pub fn score_in_brief(score: Score) -> Phrase {
    let verdict = Some(score.verdict());
    let level = score.level();
    let brief = if score.get() == 1 { "No support" } else { level.split(' ').next().unwrap_or(level) };
    Phrase::new().say(Role::of_verdict(verdict), format!("{} {}/5 {brief}", symbol(verdict), score.get()))
}

/// `▲ CRIT`, always six cells wide.
pub const fn severity(severity: Option<Severity>) -> (&'static str, Role) {
    let text = match severity {
        Some(Severity::Critical) => "▲ CRIT",
        Some(Severity::High) => "■ HIGH",
        Some(Severity::Medium) => "◆ MED ",
        Some(Severity::Low) => "· LOW ",
        None => "      ",
    };
    (text, Role::of_severity(severity))
}

/// The severity in force, and whether it is other than the judge's: what people ruled goes before it, also where they
/// gave none.
pub fn in_force(
    judged: Option<Severity>,
    rulings: &[HumanVerdict],
    ruled: Option<Severity>,
) -> (Option<Severity>, bool) {
    match rulings {
        [] => (judged, false),
        [_] => (ruled, ruled != judged),
        // While people disagree, the worst that is said.
        _ => (ruled.max(judged), ruled > judged),
    }
}

/// The badge of the severity in force, and whether a person set it.
pub fn graded(judged: Option<Severity>, rulings: &[HumanVerdict], ruled: Option<Severity>) -> Phrase {
    let (in_force, is_set) = in_force(judged, rulings, ruled);
    let (severity, role) = severity(in_force);
    let (mark, mark_role) = set_by_person(is_set && in_force.is_some());
    Phrase::new().say(role, severity).say(mark_role, mark)
}

/// Behind the badge of a severity in a row: whether a person set it.
pub const fn set_by_person(is_set: bool) -> (&'static str, Role) {
    if is_set { ("*", Role::Title) } else { (" ", Role::Text) }
}

/// The sign of a severity.
pub const fn severity_sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "▲",
        Severity::High => "■",
        Severity::Medium => "◆",
        Severity::Low => "·",
    }
}

/// `▲ CRITICAL`, the whole word.
pub fn severity_word(severity: Option<Severity>) -> Phrase {
    let Some(known) = severity else { return Phrase::new() };
    let symbol = severity_sign(known);
    Phrase::new().say(Role::of_severity(severity), format!("{symbol} {known}"))
}
