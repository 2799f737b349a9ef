//! How judges stand against people, by model and prompt.

use super::{flowing, heading};
use crate::domain::calibration::CalibrationState;
use crate::store::{Dashboard, JudgeStanding, Measured};
use crate::tui::screen::queue::one_line;
use crate::tui::theme::Role;
use crate::tui::widget::figure::count;
use crate::tui::widget::phrase::Phrase;

/// Judges that are told; the others are counted.
const TOLD: usize = 6;
/// Characters by which a prompt's hash is known.
const HASH: usize = 4;

pub(super) fn lines(read: &Dashboard, width: u16) -> Vec<Phrase> {
    let mut lines =
        vec![heading("Judges against people").say(Role::Muted, "  by prompt, the last used first")];
    if read.judges.is_empty() {
        lines.push(
            Phrase::new()
                .say(Role::Text, "  none was measured yet: ")
                .say(Role::Key, "juror calibrate --help"),
        );
    }
    for judge in read.judges.iter().take(TOLD) {
        lines.extend(standing(judge, width));
        lines.extend(name(judge, width));
    }
    if let Some(more @ 1..) = read.judges.len().checked_sub(TOLD) {
        lines.push(Phrase::new().say(Role::Muted, format!("  and {more} more")));
    }
    lines
}

fn standing(judge: &JudgeStanding, width: u16) -> Vec<Phrase> {
    let (sign, role) = match judge.state() {
        CalibrationState::Calibrated => ("✓", Role::Ok),
        CalibrationState::Below => ("✗", Role::Error),
        CalibrationState::NotMeasured => ("○", Role::Warning),
    };
    let words = Phrase::new().say(role, format!("{sign} {:<12}", judge.state().label()));
    match &judge.measured {
        Some(of) => {
            let figures = words.say(Role::Text, format!("  {}", kappa(of)));
            flowing(figures, [(Role::Text, one_line(&of.data_name))], width)
        }
        None => vec![words.say(Role::Muted, "  never as it is now: juror calibrate")],
    }
}

fn kappa(of: &Measured) -> String {
    let kappa = of.kappa.map_or_else(|| "kappa undefined".to_owned(), |kappa| format!("kappa {kappa:.2}"));
    let interval = of.interval.map_or_else(String::new, |(low, high)| format!(" ({low:.2} to {high:.2})"));
    let made = of.at.to_string();
    let day = made.get(..10).unwrap_or(&made);
    format!("{kappa}{interval}, n {}, {day}", count(of.items))
}

fn name(judge: &JudgeStanding, width: u16) -> Vec<Phrase> {
    let hash = judge.prompt_sha256.get(..HASH).unwrap_or(&judge.prompt_sha256);
    let noun = match (judge.instrument.as_str(), judge.claims) {
        ("support", 1) => "pair",
        ("support", _) => "pairs",
        (_, 1) => "claim",
        _ => "claims",
    };
    let name = format!("  {} {}", one_line(&judge.judge), one_line(&judge.model));
    let fields = [
        (Role::Text, format!("prompt {} {hash}", one_line(&judge.prompt_version))),
        (Role::Muted, one_line(&judge.instrument)),
        (Role::Muted, format!("{} {noun}", count(judge.claims))),
    ];
    flowing(Phrase::new().say(Role::Text, name), fields, width)
}
