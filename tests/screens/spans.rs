//! The screen on which evidence is chosen.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use juror::config::ThemeName;
use juror::domain::queue::ClaimDetail;
use juror::domain::verdict::Role;
use juror::tui::app::App;
use juror::tui::message::Message;
use juror::tui::update::update;

use crate::fixture::*;
use crate::look::*;

/// Letters, and `>` for Tab, `.` for Enter, `!` for the end of the text.
fn press(mut app: App, keys: &str) -> App {
    for key in keys.chars() {
        let code = match key {
            '>' => KeyCode::Tab,
            '.' => KeyCode::Enter,
            '!' => KeyCode::End,
            letter => KeyCode::Char(letter),
        };
        update(&mut app, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)), at(0));
    }
    app
}

fn opened(theme: ThemeName, (w, h): (u16, u16), detail: ClaimDetail) -> App {
    let mut app = hand(review(theme, w, h), detail);
    app.settings.min_visible = Duration::ZERO;
    press(app, "e")
}

/// A claim whose one passage is `content`.
fn reading(content: &str) -> ClaimDetail {
    let mut detail = detail();
    let mut record = (*detail.record).clone();
    record.passages = vec![passage("p1", content, serde_json::json!({"source": content}))];
    detail.record = Arc::new(record);
    outcome(&mut detail, |judged| judged.citations.clear());
    detail
}

#[test]
fn what_is_marked_and_what_the_cursor_takes_is_seen() {
    let small = press(opened(ThemeName::Dark, (60, 15), detail()), "jsjvl");
    assert_straight(&check("spans-60x15", &small));
    four("spans", |theme, w, h| press(opened(theme, (w, h), detail()), "jsjvl"));
    four("spans-two-roles", |theme, w, h| press(opened(theme, (w, h), detail()), "jsjc>l"));
}

#[test]
fn a_long_passage_shows_where_its_spans_are() {
    let words = "The dose for adults is 4 g in any 24 hours, from all products together. ".repeat(400);
    four("spans-overview", |theme, w, h| press(opened(theme, (w, h), reading(&words)), "s!c"));
}

#[test]
fn r02_texts_of_the_world_keep_the_borders_straight_wherever_the_cursor_is() {
    for content in [
        "成人の一日最大量は、すべての製剤を合わせて４グラムである。過量服用は重い肝障害を起こすことがある。",
        "بیشترین مقدار می\u{200c}تواند ۴ گرم در روز باشد. بیش از آن نمی\u{200c}شود.",
        "cafe\u{301} e\u{301}\u{301}\u{301}te\u{301} 👩‍🚒👨‍👩‍👧‍👦 🇩🇪🇫🇷 dose ⟨x⟩",
        "\u{1b}[2Jred \u{202e}desrever\u{202c} tab\there\r\nnext",
    ] {
        for (w, h) in [(60, 15), (80, 24), (140, 42)] {
            for theme in [ThemeName::Dark, ThemeName::Mono] {
                let mut app = opened(theme, (w, h), reading(content));
                for keys in ["", "s", "l", "Lc", "j", "vj", "!", "k"] {
                    app = press(app, keys);
                    let buffer = draw(&app);
                    assert_safe(&buffer);
                    assert_straight(&buffer);
                }
            }
        }
    }
}

/// A key in a megabyte with many spans costs no more than one in a page. The bound is wide: a test runs unoptimised
/// and beside others.
#[test]
#[expect(clippy::disallowed_methods, reason = "it measures")]
fn a_megabyte_is_stepped_through_like_a_page() {
    let content = "The dose for adults is 4 g in any 24 hours, from all products. ".repeat(16_000);
    let mut detail = reading(&content);
    let record = Arc::clone(&detail.record);
    outcome(&mut detail, |judged| {
        let cited = cite(&record, "p1", "4 g", Role::Contradicts, juror::domain::verdict::MatchLevel::Exact);
        judged.citations = vec![cited; 2000];
    });
    let mut app = opened(ThemeName::Dark, (140, 42), detail);
    let mut slowest = Duration::ZERO;
    for key in "lljjLLJJsvnNc!kkhhds".chars() {
        let from = Instant::now();
        app = press(app, &key.to_string());
        draw(&app);
        slowest = slowest.max(from.elapsed());
    }
    assert!(slowest < Duration::from_millis(400), "{slowest:?}");
}
