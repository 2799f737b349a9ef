//! What must be seen without a key, and that no text of any script bends a border.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use juror::config::ThemeName;
use juror::domain::decision::HumanVerdict;
use juror::domain::queue::ClaimDetail;
use juror::domain::span::Span;
use juror::domain::verdict::{MatchLevel, Role};
use juror::tui::app::{App, Mode};
use juror::tui::marks::{ManyDialog, Together};
use juror::tui::message::Message;
use juror::tui::update::update;

use crate::fixture::*;
use crate::look::*;

fn press(app: &mut App, keys: &str) {
    for key in keys.chars() {
        let code = if key == '\t' { KeyCode::Tab } else { KeyCode::Char(key) };
        update(app, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)), at(0));
    }
}

/// Every word of `words` in this order on the screen, whatever lies between.
fn assert_reads(shown: &str, words: &str) {
    let mut rest = shown;
    for word in words.split_whitespace() {
        let bare = word.trim_end_matches('.');
        let Some(at) = rest.find(bare) else { panic!("{word:?} of {words:?} cannot be read on:\n{shown}") };
        rest = &rest[at + bare.len()..];
    }
}

/// Three claims in the answer, two passages of 600 characters each.
fn three_claims() -> ClaimDetail {
    let mut detail = detail();
    let mut record = (*detail.record).clone();
    let filled = |name: &str, first: &str| {
        let mut text = first.to_owned();
        let mut n = 0;
        while text.chars().count() < 600 {
            n += 1;
            write!(text, " {name}{n} is a word of the leaflet.").unwrap();
        }
        text.chars().take(600).collect::<String>()
    };
    record.passages = vec![
        passage("p1", &filled("alpha", "Do not take more than 4 g."), serde_json::json!({})),
        passage("p2", &filled("beta", "The maximum dose is 4 g."), serde_json::json!({})),
    ];
    detail.siblings.remove(0);
    let first = cite(&record, "p2", "The maximum dose is 4 g", Role::Contradicts, MatchLevel::Exact);
    let second = cite(&record, "p1", "Do not take more than 4 g", Role::Contradicts, MatchLevel::Exact);
    outcome(&mut detail, |judged| judged.citations = vec![first, second]);
    detail.record = Arc::new(record);
    detail
}

#[test]
fn an_answer_of_three_claims_and_two_passages_needs_no_scrolling_at_140x42() {
    let detail = three_claims();
    let shown = text(&draw(&hand(dark(140, 42), detail.clone())));
    let panel: String = shown.lines().map(|line| line.chars().skip(52).collect::<String>() + "\n").collect();
    assert_reads(&panel, &detail.record.answer);
    for passage in &detail.record.passages {
        assert_reads(&panel, &passage.content);
    }
    assert!(!panel.contains('↓') && !panel.contains('↑'), "nothing goes on out of sight:\n{panel}");
}

#[test]
fn r35_verdict_severity_span_and_the_next_key_are_seen_at_once_at_80x24() {
    for theme in [ThemeName::Dark, ThemeName::Mono] {
        let buffer = draw(&review(theme, 80, 24));
        let shown = text(&buffer);
        for words in
            ["✗ CONTRADICTED", "▲ CRITICAL", "maximum dose for adults is 4 g", "c confirm", "o override"]
        {
            assert_reads(&shown, words);
        }
    }
}

/// A claim all of whose texts are `strange`.
fn strange(words: &str) -> ClaimDetail {
    let mut detail = detail();
    let mut record = (*detail.record).clone();
    record.answer = format!("{words} {words}");
    record.question = Some(words.to_owned());
    record.passages = vec![
        passage("p1", &words.repeat(30), serde_json::json!({"source": words, "author": words})),
        passage("p2", words, serde_json::json!({})),
    ];
    let cited = cite(&record, "p1", words, Role::Contradicts, MatchLevel::Exact);
    outcome(&mut detail, |judged| {
        judged.citations = vec![cited];
        words.clone_into(&mut judged.rationale);
    });
    words.clone_into(&mut detail.claim_text);
    detail.answer_span = Span::new(&record.answer, 0..words.len());
    for sibling in &mut detail.siblings {
        (sibling.claim_text, sibling.answer_span) = (words.to_owned(), None);
    }
    detail.notes = vec![note(words, words)];
    detail.draft = Some(words.to_owned());
    detail.record = Arc::new(record);
    detail
}

#[test]
fn r05_every_border_of_every_pane_is_straight_whatever_the_words_are_made_of() {
    for words in STRANGE {
        for (w, h) in [(60, 15), (80, 24), (140, 42)] {
            for keys in [
                "", "O", "O\t", "=", "i", "W", "a", "E", "D", "o", "e", "elL", "eLs", "r", "+", "|", "&",
                "/", ":", "x", "h",
            ] {
                let mut app = hand(dark(w, h), strange(words));
                app.settings.min_visible = Duration::ZERO;
                for row in &mut app.queue.rows {
                    row.claim_text = (*words).to_owned();
                }
                press(&mut app, keys);
                update(&mut app, Message::Paste((*words).to_owned()), at(0));
                let buffer = draw(&app);
                assert_safe(&buffer);
                assert_straight(&buffer);
            }
            let mut app = hand(dark(w, h), strange(words));
            for row in &mut app.queue.rows {
                row.claim_text = (*words).to_owned();
            }
            app.marks.rows = app.queue.rows.clone();
            let chosen = Some(Together::Rule(HumanVerdict::Unsupported));
            app.mode = Mode::Many(ManyDialog { chosen, at: at(0), sent: false });
            assert_straight(&draw(&app));
        }
    }
}

#[test]
fn the_session_s_own_count_and_what_has_no_room_are_told() {
    let app = with(dark(140, 42), |app| app.pace.session = 12);
    assert!(text(&draw(&app)).contains("12 this session · 18 s each"));
    let app = with(dark(80, 24), |app| {
        app.marks.rows = app.queue.rows.iter().cycle().take(60).cloned().collect();
        for row in &mut app.marks.rows {
            (row.decided, row.held_by) = (None, None);
        }
        let chosen = Some(Together::Rule(HumanVerdict::Unsupported));
        app.mode = Mode::Many(ManyDialog { chosen, at: at(0), sent: false });
    });
    let shown = text(&draw(&app));
    assert!(shown.contains(" more"), "{shown}");
}

#[test]
fn the_severity_that_a_key_stands_for_is_seen_before_it_is_struck_and_after() {
    use juror::domain::decision::{DecisionKind, Ruling};
    use juror::domain::verdict::Severity;
    use juror::tui::app::Saved;
    let words = "2 ◐ · LOW   3 ? ◆ MEDIUM   4 ✗ ▲ CRITICAL";
    for (width, height) in [(140, 42), (80, 24)] {
        for theme in [ThemeName::Dark, ThemeName::Mono] {
            let shown = text(&draw(&review(theme, width, height)));
            assert!(shown.contains(words), "{words} on\n{shown}");
        }
    }
    // The name of the claim gives way to the severity, however narrow the frame.
    for width in [60, 80, 140] {
        let mut app = review(ThemeName::Mono, width, if width == 60 { 15 } else { 24 });
        let ruling =
            Ruling { severity: Some(Severity::Critical), ..Ruling::only(HumanVerdict::Contradicted) };
        app.saved = Some(Saved {
            subject: "a-long-name-of-an-answer#12".into(),
            ruling: Some((DecisionKind::Overridden, ruling)),
            event: None,
            what: String::new(),
            at: at(3),
        });
        app.last_decision = None;
        let shown = text(&draw(&app));
        let last = shown.lines().rev().find(|line| line.contains("saved")).expect("what was saved");
        assert!(last.contains("CONTRADICTED") && last.contains("▲ CRIT"), "{width}: {last}");
    }
}

#[test]
fn what_was_decided_is_read_to_its_date_with_reason_and_name() {
    use juror::domain::decision::DecisionKind::Overridden;
    let mut detail = detail();
    let mine = decided(Overridden, HumanVerdict::Contradicted);
    detail.decisions = vec![(juror::domain::ids::Annotator::new("a-pharmacist"), mine)];
    let shown = text(&draw(&hand(dark(140, 42), detail)));
    for words in ["overridden by a-pharmacist", "a number differs", "2026-05-28 20:28Z"] {
        assert!(shown.contains(words), "{words}:\n{shown}");
    }
}
