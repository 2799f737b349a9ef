//! The story of a claim over the queue.

use juror::config::ThemeName;
use juror::tui::app::{App, Mode};
use juror::tui::exchanges::Reading;
use juror::tui::story::{Line, StoryPage, Top, laid_out};

use crate::fixture::*;
use crate::look::*;

const TOLD: &str = "\
Claim rx-1041#3
  came in 2026-03-01 09:00:12Z from records.jsonl:1041
  risk HIGH
  question
    | How much paracetamol may an adult take?
  answer, SHA-256 5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef
    | Paracetamol eases pain. The usual dose for adults is 500 mg to 1 g every 4–6 hours. Adults may take 8 g of paracetamol per day. It is safe in pregnancy.
    | 成人の一日最大量は、すべての製剤を合わせて４グラムである。過量服用は重い肝障害を起こすことがある。 بیشترین مقدار ۴ گرم \u{1b}[2J \u{202e}desrever

Audit 1 (the present one), finished 2026-03-01 09:00:14Z
  faithfulness by local, model local-1
  rx-1041#3: CONTRADICTED, CRITICAL, confidence 0.94
    contradicts: p2 at 4–55, EXACT
      | The maximum dose for adults is 4 g in any 24 hours

What people did
  17  2026-03-01 09:12:40Z  j.doe: OVERRIDE rx-1041#3: PARTIALLY_SUPPORTED, evidence supports p1 at 0–11 “Paracetamol”
    as jdoe on ward-7, juror 0.1.0
  18  2026-03-01 09:12:59Z  j.doe: ANNOTATE rx-1041#3
    | Half of it stands.

Seals
  BROKEN: the answer does not agree with its seal
  whether events are missing, only `juror verify` tells";

fn told(theme: ThemeName, (w, h): (u16, u16), lines: Reading<std::sync::Arc<[Line]>>, top: Top) -> App {
    let app = hand(review(theme, w, h), detail());
    let id = app.detail().map(|detail| detail.id.clone());
    with(app, |app| app.mode = Mode::Story(Box::new(StoryPage { id, asked: 1, lines, top })))
}

fn lines() -> Reading<std::sync::Arc<[Line]>> {
    Reading::Ready(TOLD.lines().flat_map(laid_out).collect())
}

#[test]
fn the_story_is_told_from_the_top_and_to_its_end() {
    for (size, w, h) in [("60x15", 60, 15), ("80x24", 80, 24), ("140x42", 140, 42)] {
        for (name, theme) in [("story", ThemeName::Dark), ("story-mono", ThemeName::Mono)] {
            let app = told(theme, (w, h), lines(), Top::default());
            let buffer = check(&format!("{name}-{size}"), &app);
            assert_straight(&buffer);
            assert_safe(&buffer);
        }
        let end = told(ThemeName::Dark, (w, h), lines(), Top { line: 99, row: 0 });
        let shown = text(&draw(&end));
        assert!(shown.contains("juror verify") && shown.contains("BROKEN"), "{shown}");
    }
}

#[test]
fn while_it_is_read_and_where_it_cannot_be() {
    four("story-loading", |theme, w, h| told(theme, (w, h), Reading::Loading, Top::default()));
    four("story-error", |theme, w, h| {
        let why = "claim row 17 is damaged: `verdict` holds no verdict. Run `juror verify`".to_owned();
        told(theme, (w, h), Reading::Error(why), Top::default())
    });
}

/// A page that stands in the midst of a long text shows every row of it behind the bar.
#[test]
fn no_row_of_a_text_looks_like_a_line_of_the_story() {
    let text_of_others = format!("    | {}", "Audit 9 (the present one) ".repeat(40));
    let lines = Reading::Ready(laid_out(&text_of_others).into());
    let shown = text(&draw(&told(ThemeName::Dark, (80, 24), lines, Top::default())));
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains("Audit 9")).collect();
    assert!(rows.len() > 5, "{shown}");
    assert!(rows.iter().all(|row| row.contains("    | ")), "{shown}");
}
