//! Filter and search: the line, its errors, the list under a filter, and when nothing fits.

use juror::config::ThemeName;
use juror::domain::filter::Filter;
use juror::tui::app::{App, EmptyReason, Mode, QueueState};
use juror::tui::found::{FilterLine, Found, LineKind};

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
    both("filter-line", |w, h| with(dark(w, h), |app| app.mode = line(LineKind::Filter, "")));
    both("filter-line-typed", |w, h| {
        with(filtered(dark(w, h), Some(4)), |app| {
            app.mode = line(LineKind::Filter, "severity>=high -note:* \"per day\" model:m-7");
        })
    });
    both("search-line", |w, h| {
        with(dark(w, h), |app| app.mode = line(LineKind::Search, "paracetamol 最大 dose"))
    });
}

#[test]
fn an_error_names_the_place_and_what_is_allowed() {
    both("filter-error", |w, h| {
        with(dark(w, h), |app| app.mode = line(LineKind::Filter, "verdict:contradicted colour:red"))
    });
}

#[test]
fn the_list_under_a_filter_says_so() {
    both("filtered", |w, h| filtered(dark(w, h), Some(4)));
    both("filtered-counting", |w, h| filtered(dark(w, h), None));
    both("filtered-news-outside", |w, h| {
        with(filtered(dark(w, h), Some(4)), |app| {
            (app.news.critical, app.news.outside) = (2, 2);
        })
    });
    let mono = check("filtered-mono-80x24", &filtered(review(ThemeName::Mono, 80, 24), Some(4)));
    assert_straight(&mono);
}

#[test]
fn when_nothing_fits_it_says_why_and_how_to_go_on() {
    both("filter-empty", |w, h| {
        with(first_frame(ThemeName::Dark, w, h), |app| {
            app.counts.open = 375;
            app.queue.state = QueueState::Empty(EmptyReason::NothingFits);
            let mut found = Found::new(filter("severity:critical model:gpt*"));
            (found.is_new, found.count) = (false, Some(0));
            app.found = Some(found);
        })
    });
}
