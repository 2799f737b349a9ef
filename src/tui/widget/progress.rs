//! How far the work is and how long it may take.

use std::time::Duration;

use super::phrase::Phrase;
use crate::tui::theme::Role;

/// `23 today · 12/37 ████░░░░ 32 %  about 9 min`, and shorter forms for less room, the fullest first. `today` is
/// what the person at the screen decided of it.
pub fn forms(done: u64, total: u64, left: Option<Duration>, today: u64) -> Vec<Phrase> {
    if total == 0 {
        return Vec::new();
    }
    let done = done.min(total);
    let percent = done * 100 / total;
    let count = || Phrase::new().say(Role::Text, format!("{done}/{total}"));
    let bar = |cells: u64| {
        let filled = done * cells / total;
        Phrase::new()
            .say(Role::ProgressDone, format!(" {}", "█".repeat(filled as usize)))
            .say(Role::ProgressLeft, "░".repeat((cells - filled) as usize))
    };
    let share = || Phrase::new().say(Role::Text, format!(" {percent} %"));
    let about =
        || Phrase::new().say(Role::Muted, left.map(|left| format!("  {}", about(left))).unwrap_or_default());
    let own = match today {
        0 => Phrase::new(),
        today => Phrase::new().say(Role::Muted, format!("you {today} today · ")),
    };
    let mut forms = if today > 0 {
        vec![own.join(count()).join(bar(12)).join(share()).join(about())]
    } else {
        Vec::new()
    };
    forms.extend([
        count().join(bar(12)).join(share()).join(about()),
        count().join(bar(8)).join(share()),
        count().join(share()),
        count(),
    ]);
    forms
}

/// `12/37 32 %  about 9 min`: what stands where there is room for the guess and little else; `None` without a guess.
pub fn with_time(done: u64, total: u64, left: Option<Duration>) -> Option<Phrase> {
    let left = left.filter(|_| total > 0)?;
    let done = done.min(total);
    let share = Phrase::new().say(Role::Text, format!("{done}/{total} {} %", done * 100 / total));
    Some(share.join(Phrase::new().say(Role::Muted, format!("  {}", about(left)))))
}

/// A duration as people say it; coarse, because it is a guess.
pub fn about(left: Duration) -> String {
    match left.as_secs() {
        0..60 => "under 1 min".to_owned(),
        seconds @ 60..5400 => format!("about {} min", (seconds + 30) / 60),
        seconds => format!("about {} h", (seconds + 1800) / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_is_said_coarsely() {
        for (seconds, said) in [
            (0, "under 1 min"),
            (59, "under 1 min"),
            (60, "about 1 min"),
            (545, "about 9 min"),
            (7300, "about 2 h"),
        ] {
            assert_eq!(about(Duration::from_secs(seconds)), said);
        }
    }

    #[test]
    fn nothing_to_do_shows_nothing_and_forms_get_shorter() {
        assert!(forms(0, 0, None, 0).is_empty());
        let widths: Vec<u16> =
            forms(12, 37, Some(Duration::from_mins(9)), 5).iter().map(Phrase::width).collect();
        assert!(widths.is_sorted_by(|a, b| a > b), "{widths:?}");
    }
}
