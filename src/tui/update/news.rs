//! Telling of dangerous arrivals outside the screen: bell and notification. The hook is told beside the screen.
//!
//! Every arrival is told once, whichever reading brought it and wherever the cursor is. Ids and counts
//! only: a notification may be shown on a locked screen, and a program can read the store.

use crate::domain::queue::Arrivals;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Severity;
use crate::text::sanitize::visible;
use crate::tui::app::App;
use crate::tui::effect::{Effect, TerminalEffect};

/// Ids that a notification names.
const NAMED: usize = 3;
/// Characters of an id in a notification.
const LONGEST_ID: usize = 40;

/// Tells of what arrived.
pub(super) fn announce(app: &App, arrived: &Arrivals) -> Vec<Effect> {
    let mut effects = Vec::new();
    if arrived.critical > 0 && app.settings.bell {
        effects.push(Effect::Terminal(TerminalEffect::Bell));
    }
    if arrived.critical > 0 && app.settings.notify {
        effects.push(Effect::Terminal(TerminalEffect::Notify(sentence(arrived))));
    }
    effects
}

/// Said once: whoever relies on the hook must know, and whoever knows must not be told with every arrival. The top line
/// says it for as long as it is so.
pub(super) fn hook_failed(app: &mut App, why: &str) -> Vec<Effect> {
    if !std::mem::replace(&mut app.news.hook_fails, true) {
        super::fail(app, format!("the hook calls nobody: {why}; `juror doctor` says since when"));
    }
    Vec::new()
}

pub(super) fn hook_works(app: &mut App, now: Timestamp) -> Vec<Effect> {
    if std::mem::replace(&mut app.news.hook_fails, false) {
        super::say::tell(app, "the hook works again", now);
    }
    Vec::new()
}

/// `juror: 7 new CRITICAL: rx-1#2, rx-4#1, rx-9#3 and 4 more`
fn sentence(arrived: &Arrivals) -> String {
    let critical = arrived.first.iter().filter(|(_, severity)| *severity == Severity::Critical);
    let named: Vec<String> = critical.take(NAMED).map(|(id, _)| brief(&id.to_string())).collect();
    let more = match arrived.critical.saturating_sub(named.len() as u64) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("juror: {} new CRITICAL: {}{more}", arrived.critical, named.join(", "))
}

/// An id without anything that a terminal would obey. What ends it tells claims apart.
fn brief(id: &str) -> String {
    let id = visible(id);
    let length = id.chars().count();
    if length <= LONGEST_ID {
        return id.into_owned();
    }
    let tail: String = id.chars().skip(length - LONGEST_ID + 1).collect();
    format!("…{tail}")
}
