//! The *Dashboard* in every state.

use std::sync::Arc;

use jiff::civil::{Date, date};
use juror::config::ThemeName;
use juror::domain::calibration::CalibrationState;
use juror::domain::ids::{Annotator, AuditId, ClaimId};
use juror::domain::period::Period;
use juror::domain::tally::Tally;
use juror::store::{
    Backlog, BacklogDay, Dashboard, Failed, Health, Hour, JudgeStanding, Measured, PersonsWork, Version,
};
use juror::tui::app::{App, Auditor};
use juror::tui::exchanges::Reading;
use juror::tui::screens::ScreenName;

use crate::fixture::*;
use crate::look::*;

fn week(n: i64, by_verdict: [u64; 4], no_verdict: u64, by_severity: [u64; 4]) -> Period {
    let claims = by_verdict.iter().sum::<u64>() + no_verdict;
    let tally = Tally { claims, by_verdict, by_severity, no_verdict, ..Tally::default() };
    Period { first: first_week().saturating_add(jiff::Span::new().weeks(n)), is_week: true, tally }
}

fn first_week() -> Date {
    date(2026, 3, 30)
}

fn judge(prompt: &str, state: Option<(CalibrationState, Option<f64>)>) -> JudgeStanding {
    JudgeStanding {
        instrument: "faithfulness".into(),
        judge: "near".into(),
        model: "m-1".into(),
        prompt_version: prompt.into(),
        prompt_sha256: "3f2a".repeat(16),
        claims: 41_020,
        last: Some(date(2026, 5, 28)),
        measured: state.map(|(state, kappa)| Measured {
            id: 1,
            at: at(0),
            state,
            items: 120,
            kappa,
            interval: kappa.map(|kappa| (kappa - 0.07, kappa + 0.06)),
            data_name: "golden.jsonl".into(),
        }),
    }
}

fn person(name: &str, days: [u64; 14]) -> PersonsWork {
    PersonsWork { annotator: Annotator::new(name), today: days[13], days, ever: 4_200 }
}

fn tally(by_verdict: [u64; 4]) -> Tally {
    Tally { claims: by_verdict.iter().sum(), by_verdict, ..Tally::default() }
}

fn hour(hour: &str, by_verdict: [u64; 4]) -> Hour {
    Hour { hour: hour.into(), tally: tally(by_verdict) }
}

fn version(model: &str, prompt: &str, since: &str, by_verdict: [u64; 4]) -> Version {
    Version { model: model.into(), prompt: prompt.into(), since: since.into(), tally: tally(by_verdict) }
}

fn busy() -> Dashboard {
    let days = (0..14_i64).map(|n| BacklogDay {
        day: date(2026, 5, 15).saturating_add(jiff::Span::new().days(n)),
        arrived: [1, 2, n.unsigned_abs() * 3, 4, u64::from(n == 13) * 9],
        decided: if n % 6 < 2 { 0 } else { 20 },
    });
    Dashboard {
        periods: vec![
            week(0, [812, 140, 61, 22], 9, [51, 90, 30, 12]),
            week(1, [1_204, 201, 80, 30], 0, [70, 120, 41, 20]),
            week(2, [0, 0, 0, 0], 0, [0, 0, 0, 0]),
            week(3, [90_300, 9_001, 4_310, 1_280], 402, [4_000, 6_000, 2_500, 980]),
            week(8, [30, 4, 12, 9], 1, [2, 3, 8, 12]),
        ],
        judges: vec![
            judge("3", Some((CalibrationState::Calibrated, Some(0.81)))),
            judge("2", Some((CalibrationState::Below, Some(0.62)))),
            judge("審査-1", None),
            JudgeStanding {
                instrument: "support".into(),
                claims: 1,
                ..judge("1", Some((CalibrationState::NotMeasured, None)))
            },
        ],
        hours: vec![
            hour("2026-05-27T22", [997, 0, 2, 1]),
            hour("2026-05-27T23", [80, 4, 9, 12]),
            hour("2026-05-28T01", [0, 0, 0, 0]),
        ],
        versions: vec![
            version("carebot-7.3", "p31", "2026-05-27T22", [1_036, 4, 2, 1]),
            version(
                "carebot-7.4",
                "p32-with-a-name-that-is-much-too-long-for-a-line",
                "2026-05-27T23",
                [30, 0, 9, 12],
            ),
            version("", "", "2026-05-28T01", [0, 0, 0, 0]),
        ],
        backlog: Backlog { open: [60, 100, 200, 40, 12], routed: 1_203, days: days.collect() },
        people: vec![
            person("ana", [0, 20, 30, 41, 0, 0, 20, 22, 30, 8, 0, 0, 12, 20]),
            person("審査する人の長い名前です", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            person("bo\u{1b}[2J\u{202e}", [5; 14]),
        ],
        health: Health {
            waiting: 118,
            in_hand: 3,
            auditors: 2,
            done: 2_301,
            failed: 2,
            a_minute: Some(34.4),
            last_stored: Some(at(3)),
            last_failure: Some(Failed {
                id: ClaimId::new(AuditId::new("rx-1042"), 1),
                at: at(2),
                reason: "the judge answered 503 five times,\nthe last time after 31 s".into(),
            }),
        },
    }
}

fn screen(theme: ThemeName, (w, h): (u16, u16), read: Reading<Dashboard>) -> App {
    with(review(theme, w, h), |app| {
        app.screens.shown = ScreenName::Dashboard;
        app.screens.dashboard.read = match read {
            Reading::Ready(read) => Reading::Ready(Arc::new(read)),
            Reading::Loading => Reading::Loading,
            Reading::Error(why) => Reading::Error(why),
        };
    })
}

#[test]
fn all_that_is_at_work() {
    four("dashboard", |theme, w, h| screen(theme, (w, h), Reading::Ready(busy())));
    let smallest = check("dashboard-60x15", &screen(ThemeName::Mono, (60, 15), Reading::Ready(busy())));
    assert_straight(&smallest);
    assert_safe(&smallest);
}

#[test]
fn further_down_in_a_small_window() {
    let down = |top: usize| {
        with(screen(ThemeName::Mono, (80, 24), Reading::Ready(busy())), |app| app.screens.dashboard.top = top)
    };
    snapshot("dashboard-down", &[12, 1000].map(|top| text(&draw(&down(top)))).join("\n"));
}

#[test]
fn borders_stand_straight_at_every_size() {
    for width in 60..=150 {
        let drawn = draw(&screen(ThemeName::Mono, (width, 24), Reading::Ready(busy())));
        assert_straight(&drawn);
        assert_safe(&drawn);
    }
}

#[test]
fn nothing_was_done_yet_or_is_read() {
    let days = busy().backlog.days.into_iter().map(|day| BacklogDay { arrived: [0; 5], decided: 0, ..day });
    let empty =
        Dashboard { backlog: Backlog { days: days.collect(), ..Backlog::default() }, ..Dashboard::default() };
    four("dashboard-empty", |theme, w, h| {
        with(screen(theme, (w, h), Reading::Ready(empty.clone())), |app| {
            app.auditor = Auditor::Halted("the key of near is not accepted".into());
        })
    });
    four("dashboard-loading", |theme, w, h| screen(theme, (w, h), Reading::Loading));
    let why = || Reading::Error("the database is locked by another program".to_owned());
    four("dashboard-error", |theme, w, h| screen(theme, (w, h), why()));
    let loading = text(&draw(&screen(ThemeName::Dark, (60, 15), Reading::Loading)));
    assert!(loading.contains("adding up"), "{loading}");
    let error = text(&draw(&screen(ThemeName::Dark, (60, 15), why())));
    assert!(error.contains("locked by another program"), "{error}");
}
