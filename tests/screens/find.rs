//! Filter and search: the line, its errors, the list under a filter, and when nothing fits.

use juror::domain::filter::Filter;
use juror::domain::ids::Annotator;
use juror::domain::view::View;
use juror::tui::app::{App, Auditor, EmptyReason, Mode, QueueState};
use juror::tui::found::{FilterLine, Found, LineKind};
use juror::tui::views::Tab;

use crate::fixture::*;
use crate::look::*;

fn filter(text: &str) -> Filter {
    text.parse().unwrap()
}

fn line(kind: LineKind, typed: &str) -> Mode {
    let mut text = tui_textarea::TextArea::from([typed]);
    text.move_cursor(tui_textarea::CursorMove::End);
    let error = match kind {
        LineKind::Filter => typed.parse::<Filter>().err(),
        LineKind::Search | LineKind::View => None,
    };
    Mode::Line(Box::new(FilterLine { kind, text, error, back: 0, typed: String::new() }))
}

/// Of the rows only those of high severity are there.
fn filtered(app: App, count: Option<u64>) -> App {
    with(app, |app| {
        app.queue.rows.truncate(4);
        let mut found = Found::new(filter("severity>=high -note:* \"per day\""));
        (found.is_new, found.count) = (false, count);
        app.found = Some(found);
    })
}

#[test]
fn the_line_is_open_and_says_what_may_stand_in_it() {
    four("filter-line", |theme, w, h| with(review(theme, w, h), |app| app.mode = line(LineKind::Filter, "")));
    four("filter-line-typed", |theme, w, h| {
        with(filtered(review(theme, w, h), Some(4)), |app| {
            app.mode = line(LineKind::Filter, "severity>=high -note:* \"per day\" model:m-7");
        })
    });
    four("search-line", |theme, w, h| {
        with(review(theme, w, h), |app| app.mode = line(LineKind::Search, "paracetamol 最大 dose"))
    });
}

#[test]
fn an_error_names_the_place_and_what_is_allowed() {
    four("filter-error", |theme, w, h| {
        with(review(theme, w, h), |app| app.mode = line(LineKind::Filter, "verdict:contradicted colour:red"))
    });
}

#[test]
fn the_list_under_a_filter_says_so() {
    four("filtered", |theme, w, h| filtered(review(theme, w, h), Some(4)));
    four("filtered-counting", |theme, w, h| filtered(review(theme, w, h), None));
    four("filtered-news-outside", |theme, w, h| {
        with(filtered(review(theme, w, h), Some(4)), |app| {
            (app.news.critical, app.news.outside) = (2, 2);
        })
    });
}

#[test]
fn when_nothing_fits_it_says_why_and_how_to_go_on() {
    four("filter-empty", |theme, w, h| {
        with(first_frame(theme, w, h), |app| {
            app.counts.open = 375;
            app.queue.state = QueueState::Empty(EmptyReason::NothingFits);
            let mut found = Found::new(filter("severity:critical model:gpt*"));
            (found.is_new, found.count) = (false, Some(0));
            app.found = Some(found);
        })
    });
}

/// The tabs of everybody and one of the person's own.
fn with_views(app: App) -> App {
    with(app, |app| {
        let mut views = View::shipped(&Annotator::new("ana"));
        let own = filter("severity>=high -note:* \"per day\"");
        views.push(View { name: "Doses 用量".into(), filter: own, is_own: true });
        app.views.take(views);
        let counts = [Some(375), Some(2), Some(41), Some(0), None, Some(12_400), Some(0), Some(4)];
        for (tab, count) in app.views.list.iter_mut().zip(counts) {
            let tab: &mut Tab = tab;
            (tab.count, tab.is_pending) = (count, count.is_none());
        }
    })
}

#[test]
fn views_are_tabs_with_counts_and_a_filter_gets_a_name() {
    four("views", |theme, w, h| with_views(review(theme, w, h)));
    four("views-own", |theme, w, h| with_views(filtered(review(theme, w, h), Some(4))));
    four("view-name", |theme, w, h| {
        with(with_views(filtered(review(theme, w, h), Some(4))), |app| {
            app.mode = line(LineKind::View, "Doses per day");
        })
    });
}

#[test]
fn line_one_keeps_what_must_be_seen_at_every_size() {
    let states = [
        (Auditor::Paused, "‖ auditor paused"),
        (Auditor::Failed("the disk is full".into()), "✗ auditor stopped"),
        (Auditor::Halted("the judge answers 401".into()), "✗ auditor halted"),
    ];
    for (w, h) in [(60, 15), (80, 24), (100, 30), (140, 42)] {
        for (state, words) in &states {
            for wanted in [None, Some("severity:critical"), Some("severity>=high -note:* \"per day\"")] {
                let app = with(with_views(dark(w, h)), |app| {
                    app.auditor = state.clone();
                    app.counts.waiting = 40;
                    app.answers_waiting = 1;
                    app.found = wanted.map(|text| Found::new(filter(text)));
                });
                let screen = text(&draw(&app));
                let line = screen.lines().next().unwrap();
                assert!(line.contains(words) && line.contains("▲ 2 CRITICAL"), "{w}x{h} {wanted:?}: {line}");
            }
        }
        let app = with(dark(w, h), |app| {
            app.answers_waiting = 1;
            app.found = Some(Found::new(filter("severity:critical")));
        });
        let screen = text(&draw(&app));
        let line = screen.lines().next().unwrap();
        for part in ["severity:critical", "▲ 2 CRITICAL"] {
            assert!(line.contains(part), "{w}x{h}: {line}");
        }
        assert!(w < 80 || line.contains("1 answer"), "{w}x{h}: {line}");
    }
}
