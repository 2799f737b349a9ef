//! The claim with the whole window: a text as large as it goes, or claim and evidence side by side.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use juror::config::ThemeName;
use juror::tui::app::{App, View};
use juror::tui::message::Message;
use juror::tui::update::update;

use crate::fixture::*;
use crate::look::*;

fn press(mut app: App, keys: &str) -> App {
    for key in keys.chars() {
        let code = if key == '>' { KeyCode::Tab } else { KeyCode::Char(key) };
        update(&mut app, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)), at(0));
    }
    app
}

#[test]
fn what_differs_stands_side_by_side() {
    assert_straight(&check("differences-60x15", &press(review(ThemeName::Dark, 60, 15), "=")));
    four("differences", |theme, w, h| press(review(theme, w, h), "="));
    four("differences-next", |theme, w, h| press(review(theme, w, h), "=n"));
}

#[test]
fn a_maximised_text_has_the_window_and_says_what_brings_the_queue_back() {
    four("wide-evidence", |theme, w, h| press(review(theme, w, h), "O"));
    four("wide-answer", |theme, w, h| press(review(theme, w, h), "O>i"));
    assert_eq!(press(review(ThemeName::Dark, 80, 24), "O>iO").view, View::Beside);
    four("metadata", |theme, w, h| press(review(theme, w, h), "i"));
}

#[test]
fn r02_texts_of_the_world_keep_the_borders_straight_side_by_side() {
    for content in [
        "成人の一日最大量は、すべての製剤を合わせて４グラムである。過量服用は重い肝障害を起こすことがある。",
        "بیشترین مقدار می\u{200c}تواند ۴ گرم در روز باشد. بیش از آن نمی\u{200c}شود.",
        "cafe\u{301} 👩‍🚒👨‍👩‍👧‍👦 🇩🇪🇫🇷 dose \u{1b}[2J \u{202e}desrever\u{202c} tab\there\r\nnext",
    ] {
        for (w, h) in [(60, 15), (80, 24), (140, 42)] {
            for keys in ["=", "O", "i", "Oi"] {
                let mut detail = detail();
                let mut record = (*detail.record).clone();
                record.passages =
                    vec![passage("p1", content, serde_json::json!({"source": content, "x": [1]}))];
                detail.record = std::sync::Arc::new(record);
                outcome(&mut detail, |judged| judged.citations.clear());
                let buffer = draw(&press(hand(review(ThemeName::Mono, w, h), detail), keys));
                assert_safe(&buffer);
                assert_straight(&buffer);
            }
        }
    }
}
