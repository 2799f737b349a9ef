//! Hostile, foreign and huge texts: what the cells show of them.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use juror::config::ThemeName;
use juror::domain::decision::{DecisionKind, HumanVerdict};
use juror::domain::ids::{Annotator, AuditId, ClaimId};
use juror::domain::queue::{ClaimDetail, Hold};
use juror::domain::span::Span;
use juror::domain::verdict::{Citation, MatchLevel, Role, Verdict};
use juror::tui::app::{App, Auditor, EmptyReason, Focus, QueueState, Toast, ToastKind};
use juror::tui::screen;
use juror::tui::widget::passage::Scroll;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::fixture;
use crate::fixture::*;
use crate::look::*;
use crate::states::{empty, modes, note_mode};

/// A record whose texts are `answer` and `passage`, with a claim on `claim` and evidence `quote`.
fn foreign(answer: &str, claim: &str, passage: &str, quote: &str) -> ClaimDetail {
    let mut detail = detail();
    let mut record = (*detail.record).clone();
    answer.clone_into(&mut record.answer);
    record.question = None;
    record.passages = vec![fixture::passage("p1", passage, serde_json::json!({"source": claim}))];
    let citation = cite(&record, "p1", quote, Role::Contradicts, MatchLevel::Exact);
    outcome(&mut detail, |judged| {
        judged.citations = vec![citation];
        judged.rationale = format!("claim says {claim}, evidence says {quote}");
    });
    detail.answer_span = find(answer, claim);
    claim.clone_into(&mut detail.claim_text);
    detail.siblings.truncate(1);
    detail.siblings[0] = sibling(1, claim, Verdict::Contradicted, answer, true, false);
    detail.siblings.push(sibling(2, answer, Verdict::FullySupported, answer, true, false));
    detail.record = Arc::new(record);
    detail
}

fn in_queue_too(mut app: App, detail: ClaimDetail) -> App {
    app.queue.rows[0].claim_text.clone_from(&detail.claim_text);
    app.queue.rows[1].claim_text.clone_from(&detail.record.answer);
    app.queue.rows[2].id = ClaimId::new(AuditId::new(detail.claim_text.clone()), 1);
    hand(app, detail)
}

#[test]
fn scripts_of_the_world_keep_the_borders_straight() {
    four("cjk", |theme, w, h| {
        let detail = foreign(
            "パラセタモールは痛みと発熱に用いる。成人は一日に８グラムまで服用してよい。妊娠中でも安全である。",
            "成人は一日に８グラムまで服用してよい。",
            "成人の一日最大量は、すべての製剤を合わせて４グラムである。過量服用は重い肝障害を起こすことがある。",
            "成人の一日最大量は、すべての製剤を合わせて４グラムである",
        );
        in_queue_too(review(theme, w, h), detail)
    });
    four("persian", |theme, w, h| {
        let detail = foreign(
            "استامینوفن برای درد خفیف است. بزرگسالان می‌توانند روزانه ۸ گرم مصرف کنند. مصرف آن بی‌خطر است.",
            "بزرگسالان می‌توانند روزانه ۸ گرم مصرف کنند.",
            "بیشینهٔ مصرف برای بزرگسالان ۴ گرم در هر ۲۴ ساعت است (max. 4 g/24 h).",
            "۴ گرم در هر ۲۴ ساعت",
        );
        in_queue_too(review(theme, w, h), detail)
    });
    four("combining", |theme, w, h| {
        let tall = format!("Z{}algo", "\u{0300}\u{0316}".repeat(40));
        let answer = format!("Cafe\u{301} and nai\u{308}ve {tall} 한국어. Vie\u{302}\u{323}t Nam.");
        let detail = foreign(&answer, "nai\u{308}ve", &format!("{tall} {answer}"), "Vie\u{302}\u{323}t");
        in_queue_too(review(theme, w, h), detail)
    });
    four("emoji", |theme, w, h| {
        let detail = foreign(
            "👩‍🚒 saved 👨‍👩‍👧‍👦 at 3 🇩🇪 sites ❤️. 💩 happens 👍🏽 twice.",
            "💩 happens",
            "The 👩‍🚒 saved four 👨‍👩‍👧‍👦 people 1️⃣ 🏳️‍🌈.",
            "saved four 👨‍👩‍👧‍👦 people",
        );
        in_queue_too(review(theme, w, h), detail)
    });
}

const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;owned\u{7}b\u{202e}evil\u{202c} c\u{2066}d\u{2069}\u{200b}\u{feff}\u{0} e\rf\tg\u{9b}31m \
                       h\u{85}i\u{2028}j\u{ad}k \u{301}lone";

#[test]
fn hostile_text_reaches_no_cell() {
    four("hostile", |theme, w, h| {
        let answer = format!("Before. {HOSTILE} After.");
        let mut detail = foreign(&answer, HOSTILE, &format!("{HOSTILE}\n{HOSTILE}"), HOSTILE);
        detail.notes = vec![note(HOSTILE, HOSTILE)];
        detail.judge.judge = HOSTILE.into();
        detail.judge.model = HOSTILE.into();
        detail.held_by = Some(Hold { holder: Annotator::new(HOSTILE), until: at(9) });
        detail.decisions =
            vec![(Annotator::new(HOSTILE), decided(DecisionKind::Confirmed, HumanVerdict::CannotJudge))];
        detail.counts = Some(Annotator::new(HOSTILE));
        detail.draft = Some(HOSTILE.into());
        with(in_queue_too(review(theme, w, h), detail), |app| {
            app.queue.rows[1].held_by = Some(Hold { holder: Annotator::new(HOSTILE), until: at(9) });
            app.answers_waiting = 1;
        })
    });
    for kind in [ToastKind::Info, ToastKind::Warning, ToastKind::Error] {
        let app = with(dark(80, 24), |app| {
            app.toast = Some(Toast { text: HOSTILE.repeat(3), kind, until: None });
            app.mode = note_mode(HOSTILE, Some(HOSTILE));
        });
        assert_safe(&draw(&app));
    }
    let app =
        with(first_frame(ThemeName::Mono, 80, 24), |app| app.queue.state = QueueState::Error(HOSTILE.into()));
    assert_safe(&draw(&app));
}

/// The characters whose cells look like `role`, in order, without signs and blanks.
fn marked(app: &App, role: juror::tui::theme::Role) -> String {
    let words = words_like(&draw(app), app, role);
    words.chars().filter(|c| !c.is_whitespace() && !"▐▌↑↓".contains(*c)).collect()
}

#[test]
fn r01_r02_what_is_highlighted_is_what_the_span_says() {
    let passage = "💩 before. 👩‍🚒 says é and 日本: max 4 g 👨‍👩‍👧‍👦 a day. 💩 after.";
    for quote in ["é and 日本: max 4 g 👨‍👩‍👧‍👦 a", "👩‍🚒", "max 4 g", "💩 after."]
    {
        for (w, h) in [(60, 15), (80, 24), (140, 42)] {
            let app = hand(dark(w, h), foreign(passage, "max 4 g", passage, quote));
            let wanted: String = quote.chars().filter(|c| !c.is_whitespace()).collect();
            assert_eq!(marked(&app, juror::tui::theme::Role::CurrentContradicts), wanted);
        }
    }
}

#[test]
fn r05_a_span_that_cuts_a_cluster_highlights_it_whole_and_once() {
    let passage = "x 👩‍🚒 y";
    let app = hand(dark(80, 24), {
        let mut detail = foreign(passage, "x", passage, "x");
        outcome(&mut detail, |judged| {
            // From the joiner on: on a character border, inside the cluster.
            judged.citations[0].span = Span::new(passage, 6..15);
        });
        detail
    });
    assert_eq!(marked(&app, juror::tui::theme::Role::CurrentContradicts), "👩‍🚒y");
    let screen = text(&draw(&app));
    assert_eq!(screen.matches("👩‍🚒").count(), 3, "in answer, passage and list of claims: {screen}");
}

#[test]
fn r10_a_span_crosses_lines_and_line_ends() {
    let passage = "First line ends\nand the second\r\nand the third goes on.";
    let quote = "line ends\nand the second\r\nand";
    let app = hand(dark(80, 24), foreign(passage, "First", passage, quote));
    assert_eq!(marked(&app, juror::tui::theme::Role::CurrentContradicts), "lineendsandthesecondand");
    let screen = text(&draw(&app));
    assert_eq!(screen.matches('▐').count(), 2, "one bracket for the claim, one for the span: {screen}");
    assert!(screen.contains("▐line ends ") && screen.contains("and▌ the third"), "{screen}");
}

#[test]
fn r12_overlapping_spans_show_every_word_once() {
    let passage = "alpha beta gamma delta epsilon";
    let mut detail = foreign(passage, "beta", passage, "beta gamma");
    let record = detail.record.clone();
    outcome(&mut detail, |judged| {
        for (quote, role) in [
            ("gamma delta", Role::Supports),
            ("alpha beta gamma", Role::Supports),
            ("gamma", Role::Contradicts),
        ] {
            judged.citations.push(cite(&record, "p1", quote, role, MatchLevel::Exact));
        }
    });
    for theme in ThemeName::ALL {
        let app = hand(review(*theme, 80, 24), detail.clone());
        let shown = text(&draw(&app));
        let at = shown.find("≠ contradicts").unwrap();
        let words: String =
            shown[at..].lines().nth(1).unwrap().chars().filter(char::is_ascii_alphabetic).collect();
        assert_eq!(words, "alphabetagammadeltaepsilon");
    }
}

/// A passage of a megabyte with 2,000 cited spans.
fn huge(app: App, with_line_ends: bool) -> App {
    of_size(app, with_line_ends, 1 << 20, 2000)
}

fn of_size(app: App, with_line_ends: bool, bytes: usize, spans: usize) -> App {
    let sentence = "The maximum dose for adults is 4 g in any 24 hours, from all products together";
    let end = if with_line_ends { ".\n" } else { ". " };
    let mut passage = String::new();
    let mut starts = Vec::new();
    while passage.len() < bytes {
        starts.push(passage.len());
        passage.push_str(sentence);
        passage.push_str(end);
    }
    let mut detail = foreign(ANSWER, CLAIM, &passage, sentence);
    outcome(&mut detail, |judged| {
        let step = starts.len() / spans;
        judged.citations = starts
            .iter()
            .step_by(step)
            .take(spans)
            .map(|start| Citation {
                span: Span::new(&passage, *start..start + 40),
                ..judged.citations[0].clone()
            })
            .collect();
        assert_eq!(judged.citations.len(), spans);
    });
    hand(app, detail)
}

#[expect(clippy::disallowed_methods, reason = "the time of a frame is what is measured")]
fn frame_time(app: &App) -> Duration {
    let mut terminal = Terminal::new(TestBackend::new(app.size.width, app.size.height)).unwrap();
    (0..7)
        .map(|_| {
            let begin = std::time::Instant::now();
            terminal.draw(|frame| screen::view(app, frame)).unwrap();
            begin.elapsed()
        })
        .min()
        .unwrap()
}

#[test]
fn r42_a_megabyte_with_2000_spans_is_drawn_within_a_frame() {
    for theme in [ThemeName::Dark, ThemeName::Mono] {
        for with_line_ends in [false, true] {
            let mut app = huge(review(theme, 200, 50), with_line_ends);
            let stops = app.claim.as_ref().map_or(0, |claim| claim.stops.len());
            for stop in [0, stops / 2, stops - 1] {
                if let Some(claim) = &mut app.claim {
                    claim.stop = stop;
                }
                let took = frame_time(&app);
                // Not optimised, the same work takes several times as long.
                let budget = Duration::from_millis(if cfg!(debug_assertions) { 250 } else { 16 });
                assert!(took < budget, "{took:?} at stop {stop}");
            }
            let began = app.claim.as_ref().map(|claim| claim.evidence);
            let moved = screen::scrolled(&app, Focus::Evidence, -30);
            assert_ne!(Some(moved), began);
        }
    }
}

/// A frame shows as many rows whatever the length of the text: what is not in view costs next to nothing.
#[test]
fn r42_a_frame_over_a_longer_text_takes_no_longer() {
    for with_line_ends in [false, true] {
        let [short, long] = [(1 << 18, 500), (1 << 20, 2000)]
            .map(|(bytes, spans)| of_size(review(ThemeName::Dark, 200, 50), with_line_ends, bytes, spans));
        // A busy machine only makes a frame longer: the shortest of many counts.
        let (mut short_took, mut long_took) = (frame_time(&short), frame_time(&long));
        for _ in 0..10 {
            if long_took < short_took * 3 {
                break;
            }
            short_took = short_took.min(frame_time(&short));
            long_took = long_took.min(frame_time(&long));
        }
        assert!(
            long_took < short_took * 3,
            "{long_took:?} over a megabyte, {short_took:?} over a quarter of that"
        );
    }
}

#[test]
fn scrolling_ends_at_both_ends_and_comes_back() {
    let mut app = hand(dark(80, 24), {
        let mut passage = String::new();
        for n in 0..200 {
            writeln!(passage, "line {n}").unwrap();
        }
        foreign(ANSWER, CLAIM, &passage, "line 100\n")
    });
    let screen = |app: &App| text(&draw(app));
    let set = |app: &mut App, to: Scroll| {
        if let Some(claim) = &mut app.claim {
            claim.evidence = to;
        }
    };
    assert!(screen(&app).contains("line 100"));
    let up = screen::scrolled(&app, Focus::Evidence, -1000);
    set(&mut app, up);
    assert!(screen(&app).contains("line 0"));
    assert_eq!(screen::scrolled(&app, Focus::Evidence, -1), up);
    let down = screen::scrolled(&app, Focus::Evidence, 1000);
    set(&mut app, down);
    assert!(screen(&app).contains("line 199"));
    assert_eq!(screen::scrolled(&app, Focus::Evidence, 1), down, "the last page stays full");
    let page = i64::from(app.geometry.evidence.height);
    let back = screen::scrolled(&app, Focus::Evidence, -page);
    set(&mut app, back);
    let again = screen::scrolled(&app, Focus::Evidence, page);
    assert_eq!(again, down);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        "[a-z ]{0,200}",
        Just(HOSTILE.to_owned()),
        "[日本語。、 a👩\u{200d}🚒\u{301}\u{202e}\n\r\t]{0,80}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_size_and_no_text_breaks_the_screen(
        w in 1_u16..=200,
        h in 1_u16..=60,
        mode in 0_usize..6,
        theme in 0_usize..3,
        answer in any_text(),
        content in any_text(),
        cut in (0_usize..80, 0_usize..80),
        stop in 0_usize..4,
        top in 0_usize..200,
    ) {
        let mut detail = foreign(&answer, "x", &content, "x");
        let (start, end) = (cut.0.min(cut.1), cut.0.max(cut.1));
        detail.answer_span = Span::new(&answer, start..end);
        outcome(&mut detail, |judged| judged.citations[0].span = Span::new(&content, start..end));
        let app = with(in_queue_too(review(ThemeName::ALL[theme], w, h), detail), |app| {
            if let Some((_, chosen)) = modes().into_iter().nth(mode) {
                app.mode = chosen;
            }
            if let Some(claim) = &mut app.claim {
                claim.stop = stop;
                claim.evidence = if top < 100 { Scroll::From(top) } else { Scroll::Auto };
                claim.answer = claim.evidence;
            }
        });
        let buffer = draw(&app);
        assert_safe(&buffer);
        if w >= 60 && h >= 15 {
            assert_straight(&buffer);
            for lines in [-5, 0, 5] {
                screen::scrolled(&app, Focus::Evidence, lines);
                screen::scrolled(&app, Focus::Answer, lines);
            }
        }
        for reason in [EmptyReason::StoreEmpty, EmptyReason::AllDone { mine: 1 }] {
            assert_safe(&draw(&empty(ThemeName::Dark, w, h, reason, Auditor::Paused)));
        }
    }
}

#[test]
fn what_the_judge_did_not_take_for_a_claim_is_dimmed_in_the_answer() {
    let sentence = "It is safe in pregnancy when taken as directed.";
    let app = with(dark(140, 42), |app| {
        let mut detail = detail();
        detail.siblings.pop();
        detail.given_id = Some("c-17".to_owned());
        detail.no_claims = vec![juror::domain::finding::NoClaim {
            answer_span: find(ANSWER, sentence).unwrap(),
            reason: juror::domain::finding::NoClaimReason::Opinion,
        }];
        app.claim = Some(select(detail));
    });
    let buffer = draw(&app);
    let muted = app.settings.theme.style(juror::tui::theme::Role::Muted).fg.unwrap();
    let screen = text(&buffer);
    assert!(screen.contains("claim 3 of 3 · c-17"), "the caller's own id: {screen}");
    let dim: String =
        buffer.content.iter().filter(|cell| cell.fg == muted).map(ratatui::buffer::Cell::symbol).collect();
    assert!(dim.contains("It is safe in pregnancy"), "{dim}");
    assert!(!dim.contains("Adults may take 8 g"), "{dim}");
}

#[test]
fn the_judge_is_named_once_with_its_version() {
    let screen = text(&draw(&dark(80, 24)));
    let line = screen.lines().find(|line| line.contains(" Judge ")).unwrap();
    assert!(line.contains("local · local-1.3f2a91c0 · support 1/5 · distortion · bot m-7"), "{line}");
    assert_eq!(screen.matches("3f2a91c0").count(), 1);
    let app = with(dark(140, 42), |app| {
        let mut detail = detail();
        detail.judge.judge = "openai".to_owned();
        detail.judge.model = "m-7".to_owned();
        detail.judge.prompt_version = "3".to_owned();
        app.claim = Some(select(detail));
    });
    let screen = text(&draw(&app));
    assert!(screen.contains("openai · m-7 · prompt 3 3f2a91c0 · support 1/5"), "{screen}");
}
