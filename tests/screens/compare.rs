//! The *Compare* screen, and how line 1 names screens beside views.

use juror::config::ThemeName;
use juror::domain::view::View;
use juror::store::KeptComparison;
use juror::tui::app::App;
use juror::tui::exchanges::Reading;
use juror::tui::screens::ScreenName;

use crate::fixture::*;
use crate::look::*;

fn kept(number: i64, says: &str, rates: Option<(f64, f64)>, names: (&str, &str)) -> KeptComparison {
    KeptComparison {
        name: format!("cmp-{number}"),
        made_at: at(number * 90),
        judge: "local".into(),
        model: "rules-1".into(),
        prompt_version: "1".into(),
        baseline: names.0.into(),
        candidate: names.1.into(),
        items: 200,
        compared: 198,
        baseline_rate: rates.map(|(baseline, _)| baseline),
        candidate_rate: rates.map(|(_, candidate)| candidate),
        rate_change: rates.map(|(baseline, candidate)| candidate - baseline),
        says: says.into(),
    }
}

fn four_kept() -> Vec<KeptComparison> {
    vec![
        kept(4, "no", Some((0.082, 0.181)), ("answers-2026-02.jsonl", "answers-2026-03.jsonl")),
        kept(3, "cannot_say", None, ("基準の回答.jsonl", "پاسخ‌های نامزد.jsonl")),
        kept(2, "yes", Some((0.1, 0.1)), ("baseline of pairs.jsonl", "candidate of pairs.jsonl")),
        kept(1, "yes", Some((0.25, 0.125)), ("./answer --model a", "./answer --model \u{1b}[2Jb")),
    ]
}

fn screen(theme: ThemeName, (w, h): (u16, u16), kept: Reading<Vec<KeptComparison>>) -> App {
    with(review(theme, w, h), |app| {
        app.screens.shown = ScreenName::Compare;
        app.screens.compare.chosen = kept.ready().and_then(|kept| Some(kept.get(1)?.name.clone()));
        app.screens.compare.kept = kept;
    })
}

#[test]
fn the_comparisons_that_are_kept() {
    four("compare-list", |theme, w, h| screen(theme, (w, h), Reading::Ready(four_kept())));
    let smallest =
        check("compare-list-60x15", &screen(ThemeName::Dark, (60, 15), Reading::Ready(four_kept())));
    assert_straight(&smallest);
    assert_safe(&smallest);
}

#[test]
fn nothing_is_kept_or_read_yet() {
    four("compare-empty", |theme, w, h| screen(theme, (w, h), Reading::Ready(Vec::new())));
    let loading = text(&draw(&screen(ThemeName::Dark, (60, 15), Reading::Loading)));
    assert!(loading.contains("reading the comparisons"), "{loading}");
    let why = Reading::Error("the database is locked by another program".to_owned());
    let error = text(&draw(&screen(ThemeName::Dark, (60, 15), why)));
    assert!(error.contains("locked by another program"), "{error}");
}

/// The first line of the queue at this width, with views.
fn line_1(width: u16) -> String {
    let mut app = review(ThemeName::Mono, width, 24);
    app.views.take(View::shipped(&app.settings.annotator));
    for (tab, count) in app.views.list.iter_mut().zip([375, 2, 41, 12, 0, 3, 1]) {
        tab.count = Some(count);
    }
    text(&draw(&app)).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn line_1_tells_screens_from_views_and_never_drops_what_is_critical() {
    snapshot("compare-line-1", &[140, 100, 80, 70, 60].map(line_1).join("\n"));
    for width in 60..=140 {
        let line = line_1(width);
        assert!(line.contains("Queue") && line.contains("CRITICAL"), "{width}: {line}");
        assert!(line.contains("()"), "{width}: {line}");
    }
}
