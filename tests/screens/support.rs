//! The *Support* screen in every state.

use std::sync::Arc;

use juror::config::ThemeName;
use juror::domain::ids::{AuditId, ClaimId, ClaimKey};
use juror::domain::verdict::Score;
use juror::measure::scores::Spread;
use juror::store::{Groups, Support, WorstPair};
use juror::tui::app::App;
use juror::tui::exchanges::Reading;
use juror::tui::screens::ScreenName;
use juror::tui::screens::support::Reply;

use crate::fixture::*;
use crate::look::*;

fn spread(counts: [u64; 5]) -> Spread {
    Spread { counts, ..Spread::default() }
}

fn groups(of: &[(&str, [u64; 5])], all: u64) -> Groups {
    Groups { worst: of.iter().map(|(name, counts)| ((*name).to_owned(), spread(*counts))).collect(), all }
}

fn pair(n: i64, score: u8, words: (&str, &str), ruled: Option<u8>, open: Option<bool>) -> WorstPair {
    WorstPair {
        key: ClaimKey(n),
        id: ClaimId::new(AuditId::new(format!("c{n}@s{n}")), 1),
        claim_text: words.0.into(),
        score: Score::new(score).unwrap(),
        source: words.1.into(),
        retrieval: Some("bm25-v2".into()),
        model: Some("m-7".into()),
        ruled: ruled.and_then(Score::new),
        open,
    }
}

fn hundred_thousand() -> Reply {
    let mut all = spread([9_213, 8_004, 21_540, 30_118, 31_110]);
    all.without.insert("FAILED", 3);
    all.without.insert("UNGROUNDED", 12);
    let support = Support {
        all,
        people: spread([12, 4, 3, 1, 0]),
        agreed: (14, 20),
        sources: groups(
            &[
                ("BNF 84, chapter 4", [41, 9, 5, 3, 2]),
                ("日本薬局方の解説", [20, 11, 9, 4, 6]),
                ("دليل الأدوية", [7, 5, 0, 1, 0]),
                ("s-0\u{1b}[2J\u{202e}x", [2, 0, 0, 0, 1]),
                (
                    "a source whose name is much longer than any column of any table could ever be",
                    [1, 3, 9, 20, 11],
                ),
                ("new", [0, 0, 0, 0, 0]),
            ],
            2_000,
        ),
        retrievals: groups(
            &[
                ("dense-1", [6_000, 4_000, 9_000, 9_000, 5_000]),
                ("bm25-v2", [3_213, 4_004, 12_540, 21_118, 26_110]),
            ],
            2,
        ),
        models: groups(&[("m-7", [9_213, 8_004, 21_540, 30_118, 31_110])], 1),
    };
    let mut pairs = vec![
        pair(
            1,
            1,
            ("Adults may take 8 g of paracetamol per day.", "BNF 84, chapter 4"),
            Some(1),
            Some(false),
        ),
        pair(
            2,
            1,
            ("Warfarin can be combined with aspirin\nwithout any risk", "BNF 84, chapter 4"),
            None,
            Some(true),
        ),
        pair(3, 1, ("成人は一日に八グラムまで服用できます。", "日本薬局方の解説"), Some(3), Some(false)),
        pair(4, 1, ("يمكن للبالغين تناول 8 غرامات يوميا", "دليل الأدوية"), None, None),
    ];
    pairs.extend((5..=60).map(|n| {
        pair(n, 1 + u8::from(n > 20), ("The trial enrolled 4,312 patients.", "s-50"), None, Some(true))
    }));
    Reply { support, from: 0, pairs }
}

fn screen(theme: ThemeName, (w, h): (u16, u16), read: Reading<Reply>) -> App {
    with(review(theme, w, h), |app| {
        app.screens.shown = ScreenName::Support;
        app.screens.support.at = 2;
        app.screens.support.read = match read {
            Reading::Ready(read) => Reading::Ready(Arc::new(read)),
            Reading::Loading => Reading::Loading,
            Reading::Error(why) => Reading::Error(why),
        };
    })
}

#[test]
fn scores_sources_and_the_lowest_pairs() {
    four("support", |theme, w, h| screen(theme, (w, h), Reading::Ready(hundred_thousand())));
    let smallest =
        check("support-60x15", &screen(ThemeName::Mono, (60, 15), Reading::Ready(hundred_thousand())));
    assert_straight(&smallest);
    assert_safe(&smallest);
}

#[test]
fn borders_stand_straight_at_every_size() {
    for width in 60..=150 {
        for height in [15, 19, 20, 24, 30, 42] {
            let drawn = draw(&screen(ThemeName::Mono, (width, height), Reading::Ready(hundred_thousand())));
            assert_straight(&drawn);
            assert_safe(&drawn);
        }
    }
}

#[test]
fn the_one_in_hand_is_in_view_wherever_it_is_and_what_is_not_read_yet_says_so() {
    for at in [0, 1, 30, 59, 60, 5_000, 99_984] {
        let app = with(screen(ThemeName::Mono, (80, 24), Reading::Ready(hundred_thousand())), |app| {
            app.screens.support.at = at;
        });
        let shown = text(&draw(&app));
        let row = shown.lines().find(|line| line.contains('▌')).map(str::to_owned);
        assert_eq!(row.is_some(), at < 60, "{at}: {shown}");
        assert_eq!(shown.lines().any(|line| line.starts_with("│ …")), at >= 60 - 2, "{at}: {shown}");
    }
}

#[test]
fn no_pair_is_scored_or_read_yet() {
    four("support-empty", |theme, w, h| {
        screen(
            theme,
            (w, h),
            Reading::Ready(Reply { support: Support::default(), from: 0, pairs: Vec::new() }),
        )
    });
    four("support-loading", |theme, w, h| screen(theme, (w, h), Reading::Loading));
    let why = || Reading::Error("the database is locked by another program".to_owned());
    four("support-error", |theme, w, h| screen(theme, (w, h), why()));
    let loading = text(&draw(&screen(ThemeName::Dark, (60, 15), Reading::Loading)));
    assert!(loading.contains("reading the scores"), "{loading}");
    let error = text(&draw(&screen(ThemeName::Dark, (60, 15), why())));
    assert!(error.contains("locked by another program"), "{error}");
}

#[test]
fn one_pair_without_a_score_is_told_and_nothing_is_in_hand() {
    let mut support = Support::default();
    support.all.without.insert("FAILED", 1);
    support.sources = Groups { worst: vec![("s".into(), support.all.clone())], all: 1 };
    let read = || Reading::Ready(Reply { support: support.clone(), from: 0, pairs: Vec::new() });
    four("support-failed", |theme, w, h| screen(theme, (w, h), read()));
    let shown = text(&draw(&screen(ThemeName::Dark, (80, 24), read())));
    assert!(shown.contains("no pair has a score that stands") && shown.contains("1 FAILED"), "{shown}");
}
