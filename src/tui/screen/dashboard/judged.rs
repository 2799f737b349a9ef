//! Verdicts and severities by days or weeks.

use super::{brief, heading, right, share};
use crate::domain::period::Period;
use crate::domain::verdict::{Severity, Verdict};
use crate::store::Dashboard;
use crate::tui::app::App;
use crate::tui::command::Command;
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::bar::stacked;
use crate::tui::widget::phrase::Phrase;

/// What is worst first, each with the sign of its part of a bar: told apart without any colour.
const VERDICTS: [(Option<Verdict>, &str); 5] = [
    (Some(Verdict::Contradicted), "█"),
    (Some(Verdict::Unsupported), "▓"),
    (Some(Verdict::PartiallySupported), "▒"),
    (Some(Verdict::FullySupported), "░"),
    (None, "·"),
];
const SEVERITIES: [(Severity, &str, &str); 4] = [
    (Severity::Critical, "▲", "█"),
    (Severity::High, "■", "▓"),
    (Severity::Medium, "◆", "▒"),
    (Severity::Low, "·", "░"),
];

/// Cells of a date, of a number, of the share of wrong claims.
const DATE: usize = 7;
const NUMBER: usize = 6;
const SHARE: usize = 9;

pub(super) fn lines(app: &App, read: &Dashboard, width: u16) -> Vec<Phrase> {
    let Some(first) = read.periods.first() else {
        let import =
            Phrase::new().say(Role::Text, "  no claim was audited yet: ").say(Role::Key, "juror import FILE");
        return vec![heading("What judges said"), import, pairs(app)];
    };
    let signs = VERDICTS.map(|(verdict, sign)| (badge::symbol(verdict), sign));
    let by: &[&str] = if first.is_week {
        &["by week from Monday, UTC, every audit", "by week from Monday, UTC", "by week, UTC"]
    } else {
        &["by day, UTC, every audit", "by day, UTC"]
    };
    let title = legend("What judges said", &signs);
    let left = usize::from(width.saturating_sub(title.width() + 2));
    let by = by.iter().find(|by| by.len() <= left).unwrap_or(&"");
    let title = title.say(Role::Muted, format!("  {by}"));
    let mut lines = vec![title, head(&signs, "wrong")];
    let most = read.periods.iter().map(|period| period.tally.claims).max().unwrap_or(0);
    for period in &read.periods {
        lines.push(verdicts(period, most, room(width, VERDICTS.len())));
    }
    let signs = SEVERITIES.map(|(_, symbol, sign)| (symbol, sign));
    lines.push(legend("How severe", &signs).say(Role::Muted, "  of claims with a verdict"));
    lines.push(head(&signs, ""));
    let graded = |period: &Period| period.tally.by_severity.iter().sum::<u64>();
    let most = read.periods.iter().map(graded).max().unwrap_or(0);
    for period in &read.periods {
        lines.push(severities(period, most, room(width, VERDICTS.len())));
    }
    lines
}

/// Cells for the bar.
fn room(width: u16, numbers: usize) -> u16 {
    width.saturating_sub((DATE + NUMBER * numbers + SHARE + 1) as u16).min(48)
}

/// A heading with the sign of each part of the bars below it.
fn legend(text: &str, signs: &[(&str, &str)]) -> Phrase {
    let words = heading(text).say(Role::Text, " ");
    signs.iter().fold(words, |words, (symbol, sign)| words.say(Role::Muted, format!(" {symbol}{sign}")))
}

/// The signs of the numbers below them.
fn head(signs: &[(&str, &str)], share: &str) -> Phrase {
    let words = Phrase::new().say(Role::Label, " ".repeat(DATE));
    let words = signs.iter().fold(words, |words, (symbol, _)| words.say(Role::Label, right(symbol, NUMBER)));
    let blank = " ".repeat(NUMBER * (VERDICTS.len() - signs.len()));
    words.say(Role::Label, format!("{blank}{}", right(share, SHARE)))
}

fn date(period: &Period) -> Phrase {
    Phrase::new().say(
        Role::Label,
        format!("{:<DATE$}", format!("{:02}-{:02}", period.first.month(), period.first.day())),
    )
}

fn number(words: Phrase, n: u64, role: Role) -> Phrase {
    words.say(if n == 0 { Role::Muted } else { role }, right(&brief(n), NUMBER))
}

fn verdicts(period: &Period, most: u64, cells: u16) -> Phrase {
    let tally = &period.tally;
    let of = |verdict: Option<Verdict>| {
        verdict.map_or(tally.no_verdict, |verdict| tally.by_verdict[verdict as usize])
    };
    let words = VERDICTS
        .iter()
        .fold(date(period), |words, (verdict, _)| number(words, of(*verdict), Role::of_verdict(*verdict)));
    let parts = VERDICTS.map(|(verdict, sign)| (of(verdict), sign, Role::of_verdict(verdict)));
    words.say(Role::Text, format!("{} ", right(&share(tally), SHARE))).join(stacked(&parts, most, cells))
}

fn severities(period: &Period, most: u64, cells: u16) -> Phrase {
    let of = |severity: Severity| period.tally.by_severity[severity as usize];
    let words = SEVERITIES.iter().fold(date(period), |words, (severity, ..)| {
        number(words, of(*severity), Role::of_severity(Some(*severity)))
    });
    let parts = SEVERITIES.map(|(severity, _, sign)| (of(severity), sign, Role::of_severity(Some(severity))));
    let blank = " ".repeat(NUMBER * (VERDICTS.len() - SEVERITIES.len()) + SHARE + 1);
    words.say(Role::Text, blank).join(stacked(&parts, most, cells))
}

/// Where scored pairs are told.
fn pairs(app: &App) -> Phrase {
    let key = app.settings.keymap.label(Command::ShowSupport, crate::tui::command::Place::Screen);
    Phrase::new().say(Role::Muted, "  scores of pairs stand on the Support screen: ").say(Role::Key, key)
}
