//! What waits for people and how that changed; how the audits get on.

use super::{flowing, heading};
use crate::domain::time::Timestamp;
use crate::domain::verdict::Severity;
use crate::store::{Backlog, Dashboard, Health};
use crate::tui::app::{App, Auditor};
use crate::tui::screen::queue::one_line;
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::bar::spark;
use crate::tui::widget::figure::count;
use crate::tui::widget::phrase::Phrase;

pub(super) fn lines(app: &App, read: &Dashboard, width: u16) -> Vec<Phrase> {
    let mut lines = backlog(&read.backlog);
    lines.push(Phrase::new());
    lines.extend(audits(app, &read.health, width));
    lines
}

fn backlog(backlog: &Backlog) -> Vec<Phrase> {
    let open = backlog.all_open();
    let routed = format!("  {} open of {} in the queue", count(open), count(backlog.routed));
    let mut severities = Phrase::new();
    for severity in Severity::ALL.iter().rev() {
        let n = backlog.open[*severity as usize + 1];
        let (badge, role) = badge::severity(Some(*severity));
        let role = if n == 0 { Role::Muted } else { role };
        severities = severities
            .say(role, format!("{} ", badge.trim_end()))
            .say(Role::Text, format!("{}   ", count(n)));
    }
    if backlog.open[0] > 0 {
        severities = severities.say(Role::Muted, format!("none {}", count(backlog.open[0])));
    }
    let arrived: Vec<u64> = backlog.days.iter().map(|day| day.arrived.iter().sum()).collect();
    let decided: Vec<u64> = backlog.days.iter().map(|day| day.decided).collect();
    vec![
        heading("Backlog").say(Role::Text, routed),
        severities,
        over_time("arrived", &arrived, Role::Text),
        over_time("decided", &decided, Role::ProgressDone),
    ]
}

fn over_time(what: &str, days: &[u64], role: Role) -> Phrase {
    let (sum, today) = (days.iter().sum(), days.last().copied().unwrap_or(0));
    Phrase::new()
        .say(Role::Label, format!("{what} "))
        .say(role, spark(days))
        .say(Role::Text, format!("  {} in {} days", count(sum), days.len()))
        .dot(Role::Text, format!("{} today", count(today)))
}

fn audits(app: &App, health: &Health, width: u16) -> Vec<Phrase> {
    let mut numbers = Phrase::new()
        .say(Role::Text, format!("{} waiting", count(health.waiting)))
        .dot(Role::Text, format!("{} in hand", count(health.in_hand)));
    numbers = numbers.dot(Role::Text, format!("{} done", count(health.done)));
    numbers = match health.failed {
        0 => numbers.dot(Role::Muted, "none failed"),
        failed => numbers.dot(Role::Error, format!("✗ {} failed", count(failed))),
    };
    let mut lines = vec![heading("Audits").join(state(app)), numbers];
    if let Some(last) = health.last_stored {
        let pace = health.a_minute.map_or_else(Phrase::new, |pace| {
            let pace = if pace < 10.0 { format!("{pace:.1}") } else { count(pace.round() as u64) };
            Phrase::new().say(Role::Text, format!("{pace} records a minute"))
        });
        let auditors = match health.auditors {
            0 | 1 => String::new(),
            some => format!("{} auditors", count(some)),
        };
        let fields = [(Role::Text, auditors), (Role::Muted, format!("the last stored {}", minute(last)))];
        lines.extend(flowing(pace, fields, width));
    }
    if let Some(failed) = &health.last_failure {
        lines.push(
            Phrase::new()
                .say(Role::Error, "✗ ")
                .say(Role::Muted, format!("{} ", minute(failed.at)))
                .say(Role::Text, format!("{}: {}", failed.id, one_line(&failed.reason))),
        );
    }
    lines
}

/// Where this program's own auditor stands still, why.
fn state(app: &App) -> Phrase {
    match &app.auditor {
        Auditor::Running => Phrase::new(),
        Auditor::Absent => Phrase::new().say(Role::Muted, "  no auditor in this program"),
        Auditor::Paused => Phrase::new().say(Role::Warning, "  ‖ paused here"),
        Auditor::Halted(why) => Phrase::new().say(Role::Error, format!("  ✗ halted here: {}", one_line(why))),
        Auditor::Failed(why) => {
            Phrase::new().say(Role::Error, format!("  ✗ stopped here: {}", one_line(why)))
        }
    }
}

/// `11-30 12:03`, UTC.
fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    text.get(5..16).map_or_else(|| text.clone(), |part| part.replace('T', " "))
}
