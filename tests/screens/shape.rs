//! The screens on which claims are added, split and merged.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use juror::config::ThemeName;
use juror::domain::queue::ClaimDetail;
use juror::domain::span::Span;
use juror::tui::app::App;
use juror::tui::message::Message;
use juror::tui::update::update;

use crate::fixture::*;
use crate::look::*;

/// Letters, and `>` for Tab, `_` for Space, a line end for Enter.
pub(crate) fn press(mut app: App, keys: &str) -> App {
    for key in keys.chars() {
        let code = match key {
            '>' => KeyCode::Tab,
            '_' => KeyCode::Char(' '),
            '\n' => KeyCode::Enter,
            letter => KeyCode::Char(letter),
        };
        update(&mut app, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)), at(0));
    }
    app
}

pub(crate) fn opened(theme: ThemeName, (w, h): (u16, u16), detail: ClaimDetail, keys: &str) -> App {
    let mut app = hand(review(theme, w, h), detail);
    app.settings.min_visible = Duration::ZERO;
    press(app, keys)
}

fn in_all_looks(name: &str, keys: &str) {
    let make = |theme, w, h| opened(theme, (w, h), detail(), keys);
    four(name, make);
    assert_straight(&draw(&make(ThemeName::Dark, 60, 15)));
}

#[test]
fn a_claim_is_added_split_and_merged() {
    in_all_looks("shape-add", "+lvlL");
    in_all_looks("shape-add-typed", "+t,_daily");
    in_all_looks("shape-split", "|");
    in_all_looks("shape-split-typed", "|t>_only");
    in_all_looks("shape-merge", "&");
    in_all_looks("shape-merge-refused", "&_");
}

#[test]
fn r05_borders_stay_straight_whatever_the_words_are_made_of() {
    for answer in STRANGE {
        let mut strange = detail();
        let mut record = (*strange.record).clone();
        record.answer = (*answer).to_owned();
        strange.record = Arc::new(record);
        strange.claim_text = (*answer).to_owned();
        strange.answer_span = Span::new(answer, 0..answer.len());
        for sibling in &mut strange.siblings {
            sibling.claim_text = (*answer).to_owned();
            sibling.answer_span = None;
        }
        for keys in ["+", "+L", "+t", "|", "|l", "|t>", "&", "&t"] {
            for size in [(60, 15), (80, 24), (140, 42)] {
                let buffer = draw(&opened(ThemeName::Dark, size, strange.clone(), keys));
                assert_safe(&buffer);
                assert_straight(&buffer);
            }
        }
    }
}
