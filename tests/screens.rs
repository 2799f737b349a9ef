//! What the screen looks like in every state and size, cell by cell.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "screens/fixture.rs"]
mod fixture;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use fixture::*;
use juror::config::ThemeName;
use juror::domain::decision::{DecisionKind, HumanVerdict, Standing};
use juror::domain::finding::Outcome;
use juror::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey, RecordKey};
use juror::domain::queue::{ClaimDetail, EarlierDecision, Hold};
use juror::domain::routing::Why;
use juror::domain::span::Span;
use juror::domain::verdict::{Citation, MatchLevel, NoVerdict, Role, Severity, Verdict};
use juror::tui::app::{
    App, Auditor, Detail, EmptyReason, Focus, LastDecision, Mode, NoteEditor, OverrideField, OverrideMenu,
    QueueState, Selected, Toast, ToastKind,
};
use juror::tui::screen;
use juror::tui::widget::passage::Scroll;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::style::{Color, Modifier};

/// The screen of `app`, drawn at its size.
fn draw(app: &App) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(app.size.width, app.size.height)).unwrap();
    terminal.draw(|frame| screen::view(app, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// The characters of a screen, without the blanks at the ends of lines.
fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += symbol.cell_width().max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The screen as a terminal would get it, to look at.
fn ansi(buffer: &Buffer) -> String {
    let color = |color: Color, base: u8| match color {
        Color::Indexed(index) => format!(";{};5;{index}", base + 8),
        Color::Reset => String::new(),
        named => {
            let names = [
                Color::Black,
                Color::Red,
                Color::Green,
                Color::Yellow,
                Color::Blue,
                Color::Magenta,
                Color::Cyan,
                Color::Gray,
                Color::DarkGray,
                Color::LightRed,
                Color::LightGreen,
                Color::LightYellow,
                Color::LightBlue,
                Color::LightMagenta,
                Color::LightCyan,
                Color::White,
            ];
            let index = names.iter().position(|name| *name == named).unwrap();
            format!(";{};5;{index}", base + 8)
        }
    };
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let cell = &buffer[(x, y)];
            let mut codes = String::from("0");
            for (modifier, code) in [
                (Modifier::BOLD, 1),
                (Modifier::ITALIC, 3),
                (Modifier::UNDERLINED, 4),
                (Modifier::REVERSED, 7),
            ] {
                if cell.modifier.contains(modifier) {
                    write!(codes, ";{code}").unwrap();
                }
            }
            codes.push_str(&color(cell.fg, 30));
            codes.push_str(&color(cell.bg, 40));
            write!(out, "\x1b[{codes}m{}", cell.symbol()).unwrap();
            x += cell.symbol().cell_width().max(1);
        }
        out.push_str("\x1b[0m\n");
    }
    out
}

/// Compares with the snapshot `name`; with `SCREENS_DIR` set, also leaves the screen in colour there.
fn check(name: &str, app: &App) -> Buffer {
    let buffer = draw(app);
    if let Some(folder) = std::env::var_os("SCREENS_DIR") {
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.ans")), ansi(&buffer)).unwrap();
    }
    insta::assert_snapshot!(name, text(&buffer));
    buffer
}

/// Which cells look alike: a letter for each look, and what the letters mean.
fn looks(buffer: &Buffer) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut map = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let plain = cell.fg == Color::Reset && cell.bg == Color::Reset && cell.modifier.is_empty();
            if plain {
                line.push('.');
                continue;
            }
            let look = format!("{:?} on {:?} {:?}", cell.fg, cell.bg, cell.modifier);
            let at = known.iter().position(|one| *one == look).unwrap_or_else(|| {
                known.push(look);
                known.len() - 1
            });
            line.push(char::from(b'a' + u8::try_from(at).unwrap()));
        }
        map.push_str(line.trim_end_matches('.'));
        map.push('\n');
    }
    for (at, look) in known.iter().enumerate() {
        writeln!(map, "{}: {look}", char::from(b'a' + u8::try_from(at).unwrap())).unwrap();
    }
    map
}

/// No cell holds what a terminal would obey or what hides or turns text.
fn assert_safe(buffer: &Buffer) {
    for (at, cell) in buffer.content.iter().enumerate() {
        let hostile = |c: char| {
            c.is_control()
                || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        };
        assert!(
            !cell.symbol().chars().any(hostile),
            "cell {:?} holds {:?}",
            buffer.pos_of(at),
            cell.symbol()
        );
    }
}

/// Every frame is whole: its sides stand in one column from corner to corner.
fn assert_straight(buffer: &Buffer) {
    let mut corners = 0;
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            if symbol == "┌" || symbol == "┐" {
                corners += 1;
                let foot = if symbol == "┌" { "└" } else { "┘" };
                let mut down = (y + 1..buffer.area.height).map(|below| buffer[(x, below)].symbol());
                let side = down.find(|symbol| *symbol != "│");
                // A dialog may lie over the lower part.
                let whole = side == Some(foot) || side == Some(symbol) || side == Some("─");
                assert!(whole, "the side below ({x}, {y}) is broken:\n{}", text(buffer));
            }
            x += symbol.cell_width().max(1);
        }
    }
    assert!(corners >= 2, "no frame at all");
}

/// The same state with `change` made to it, its panes laid out anew.
fn with(mut app: App, change: impl FnOnce(&mut App)) -> App {
    change(&mut app);
    app.geometry = screen::geometry(&app);
    app
}

fn hand(app: App, detail: ClaimDetail) -> App {
    with(app, |app| app.claim = Some(select(detail)))
}

const SIZES: [(&str, u16, u16); 2] = [("80x24", 80, 24), ("140x42", 140, 42)];

/// A snapshot of `make`'s state in both usual sizes.
fn both(name: &str, make: impl Fn(u16, u16) -> App) {
    for (size, width, height) in SIZES {
        let buffer = check(&format!("{name}-{size}"), &make(width, height));
        assert_safe(&buffer);
        assert_straight(&buffer);
    }
}

fn dark(width: u16, height: u16) -> App {
    review(ThemeName::Dark, width, height)
}

#[test]
fn review_in_every_size() {
    for (size, w, h) in
        [("60x15", 60, 15), ("80x24", 80, 24), ("100x30", 100, 30), ("140x42", 140, 42), ("200x50", 200, 50)]
    {
        let buffer = check(&format!("review-{size}"), &dark(w, h));
        assert_straight(&buffer);
        let light = draw(&review(ThemeName::Light, w, h));
        assert_eq!(text(&light), text(&buffer), "light and dark differ in colour only");
    }
}

#[test]
fn review_without_colour() {
    for (size, w, h) in [("60x15", 60, 15), ("80x24", 80, 24), ("140x42", 140, 42)] {
        let buffer = check(&format!("review-mono-{size}"), &review(ThemeName::Mono, w, h));
        for cell in &buffer.content {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
        }
    }
}

#[test]
fn looks_of_the_themes() {
    for theme in ThemeName::ALL {
        let name = format!("looks-{}-80x24", theme.label());
        insta::assert_snapshot!(name, looks(&draw(&review(*theme, 80, 24))));
    }
}

#[test]
fn first_frame_and_loading() {
    both("first-frame", |w, h| first_frame(ThemeName::Dark, w, h));
    both("claim-loading", |w, h| with(dark(w, h), |app| app.claim = Some(Selected::new(ClaimKey(2)))));
    both("claim-error", |w, h| {
        with(dark(w, h), |app| {
            let mut selected = Selected::new(ClaimKey(2));
            selected.detail = Detail::Error("audits.db: database disk image is malformed".into());
            app.claim = Some(selected);
        })
    });
}

fn empty(w: u16, h: u16, reason: EmptyReason, auditor: Auditor) -> App {
    with(first_frame(ThemeName::Dark, w, h), |app| {
        app.queue.state = QueueState::Empty(reason);
        app.auditor = auditor;
    })
}

#[test]
fn empty_states_say_why_and_what_to_do() {
    both("empty-store", |w, h| empty(w, h, EmptyReason::StoreEmpty, Auditor::Running));
    both("empty-all-done", |w, h| {
        with(empty(w, h, EmptyReason::AllDone { decided: 37 }, Auditor::Running), |app| {
            app.counts.routed = 37;
        })
    });
    let under_way = EmptyReason::NotYetAudited { waiting: 118, auditing: 3 };
    both("empty-auditing", |w, h| empty(w, h, under_way, Auditor::Running));
    both("empty-paused", |w, h| empty(w, h, under_way, Auditor::Paused));
    both("empty-no-auditor", |w, h| empty(w, h, under_way, Auditor::Absent));
    both("empty-auditor-failed", |w, h| {
        empty(
            w,
            h,
            under_way,
            Auditor::Failed("the judge `local` failed: its lexicon could not be read".into()),
        )
    });
    both("empty-nothing-routed", |w, h| {
        empty(w, h, EmptyReason::NothingRouted { audited: 52 }, Auditor::Running)
    });
    both("queue-error", |w, h| {
        with(first_frame(ThemeName::Dark, w, h), |app| {
            app.queue.state = QueueState::Error(
                "/home/ana/juror.db was written by a newer juror (schema 9, this program knows 1): update juror".into(),
            );
        })
    });
}

#[test]
fn news_pause_and_too_fast() {
    both("news", |w, h| {
        with(dark(w, h), |app| {
            app.news.critical = 2;
            app.auditor = Auditor::Paused;
            app.toast = Some(Toast {
                text: "too fast: rx-1041#1 was not on the screen long enough, the key was dropped".into(),
                kind: ToastKind::Warning,
                until: None,
            });
        })
    });
    both("error-toast", |w, h| {
        with(dark(w, h), |app| {
            app.toast = Some(Toast {
                text:
                    "rx-1041#1 was not decided: rx-1041#1 is in hand of ben until 2026-05-28T20:35:40.000Z. \
                       Nothing was written; the claim is still open and what you typed is kept."
                        .into(),
                kind: ToastKind::Error,
                until: None,
            });
        })
    });
    for (w, h) in [(80, 24), (100, 30), (140, 42)] {
        let screen = text(&draw(&with(dark(w, h), |app| (app.news.critical, app.news.high) = (2, 3))));
        assert!(screen.contains("▲ 2 new") && screen.contains("g c ─"), "{screen}");
    }
    both("demo", |w, h| with(dark(w, h), |app| app.settings.demo = true));
    both("disposition-due", |w, h| {
        with(dark(w, h), |app| {
            app.to_dispose = Some((RecordKey(3), AuditId::new("rx-1039")));
            app.last_decision = Some(last());
            app.saved = None;
        })
    });
}

fn last() -> LastDecision {
    LastDecision {
        claim: ClaimKey(7),
        id: ClaimId::new(AuditId::new("rx-1039"), 2),
        kind: DecisionKind::Overridden,
        verdict: HumanVerdict::PartiallySupported,
    }
}

fn override_menu(field: OverrideField) -> Mode {
    Mode::Override(OverrideMenu {
        claim: ClaimKey(1),
        id: ClaimId::new(AuditId::new("rx-1041"), 1),
        field,
        verdict: HumanVerdict::Unsupported,
        severity: Some(Severity::High),
        hallucination_type: None,
    })
}

fn note_mode(words: &str, error: Option<&str>) -> Mode {
    let mut text = tui_textarea::TextArea::from(words.lines());
    text.move_cursor(tui_textarea::CursorMove::End);
    Mode::Note(Box::new(NoteEditor {
        claim: ClaimKey(1),
        id: ClaimId::new(AuditId::new("rx-1041"), 1),
        text,
        stored: String::new(),
        due: None,
        saving: false,
        error: error.map(str::to_owned),
    }))
}

/// One of each dialog.
fn modes() -> Vec<(&'static str, Mode)> {
    vec![
        ("override", override_menu(OverrideField::Severity)),
        ("note", note_mode("The leaflet says 4 g as well.\nAsk the pharmacist.", None)),
        ("reason", Mode::Reason(last())),
        ("disposition", Mode::Disposition { record: RecordKey(1), audit_id: AuditId::new("rx-1041") }),
        ("help", Mode::Help { top: 0 }),
    ]
}

#[test]
fn dialogs_leave_the_claim_in_view() {
    for (name, mode) in modes() {
        both(name, |w, h| with(dark(w, h), |app| app.mode = mode.clone()));
        let buffer = check(&format!("{name}-60x15"), &with(dark(60, 15), |app| app.mode = mode.clone()));
        assert_straight(&buffer);
    }
    both("note-error", |w, h| {
        with(dark(w, h), |app| app.mode = note_mode("typed and kept", Some("the disk is full")))
    });
    both("help-end", |w, h| with(dark(w, h), |app| app.mode = Mode::Help { top: 9999 }));
    check(
        "override-mono-80x24",
        &with(review(ThemeName::Mono, 80, 24), |app| app.mode = override_menu(OverrideField::Verdict)),
    );
}

fn outcome(detail: &mut ClaimDetail, change: impl FnOnce(&mut juror::domain::finding::Judged)) {
    if let Outcome::Judged(judged) = &mut detail.outcome {
        change(judged);
    }
}

#[test]
fn claims_of_every_kind() {
    both("claim-decided", |w, h| {
        let mut detail = detail();
        let mine = decided(DecisionKind::Overridden, HumanVerdict::PartiallySupported);
        detail.standing =
            Standing { decided: Some(mine.clone()), skipped: false, flagged: true, notes: vec![3] };
        detail.decisions = vec![
            (Annotator::new("ana"), mine),
            (Annotator::new("ben"), decided(DecisionKind::Confirmed, HumanVerdict::Contradicted)),
        ];
        detail.notes =
            vec![note("ben", "Same sentence in the leaflet."), note("ana", "Checked against BNF 84.")];
        detail.earlier = vec![EarlierDecision {
            id: ClaimId::new(AuditId::new("rx-1041"), 9),
            annotator: Annotator::new("cleo"),
            decided: decided(DecisionKind::Confirmed, HumanVerdict::CannotJudge),
        }];
        detail.disposition =
            Some((Annotator::new("ben"), juror::domain::decision::Disposition::Block, at(4)));
        hand(dark(w, h), detail)
    });
    both("claim-held", |w, h| {
        let mut detail = detail();
        detail.held_by = Some(Hold { holder: Annotator::new("ben"), until: at(9) });
        detail.draft = Some("half a thou".into());
        hand(dark(w, h), detail)
    });
    both("claim-fuzzy", |w, h| {
        let mut detail = detail();
        outcome(&mut detail, |judged| {
            judged.citations[0].level = MatchLevel::Fuzzy;
            judged.citations[0].quote = "The maximum adult dose is 4 g in 24 h".into();
        });
        hand(dark(w, h), detail)
    });
    both("claim-quote-not-found", |w, h| {
        let mut detail = detail();
        outcome(&mut detail, |judged| {
            judged.citations.truncate(1);
            judged.citations[0].level = MatchLevel::NotFound;
            judged.citations[0].span = None;
            judged.citations[0].quote = "Adults may take up to 8 g under supervision".into();
        });
        if let Outcome::Judged(judged) = detail.outcome.clone() {
            detail.outcome = Outcome::Ungrounded(judged);
        }
        detail.why = vec![Why::Ungrounded];
        hand(dark(w, h), detail)
    });
    both("claim-not-checked", |w, h| {
        let mut detail = detail();
        detail.outcome = Outcome::NotJudged {
            state: NoVerdict::NotChecked,
            reason: "the local judge cannot segment Thai script; a person has to read it".into(),
        };
        detail.why = vec![Why::NoVerdict { state: NoVerdict::NotChecked }];
        hand(dark(w, h), detail)
    });
    both("claim-unsupported", |w, h| {
        let mut detail = detail();
        detail.claim_text = "Paracetamol may be taken by adults up to 8 g daily.".into();
        outcome(&mut detail, |judged| {
            judged.verdict = Verdict::Unsupported;
            judged.citations.clear();
        });
        hand(dark(w, h), detail)
    });
    both("claim-without-evidence", |w, h| {
        let mut detail = detail();
        let mut record = (*detail.record).clone();
        record.passages.clear();
        detail.record = Arc::new(record);
        detail.outcome = Outcome::NotJudged {
            state: NoVerdict::InsufficientEvidence,
            reason: "the record has no passage".into(),
        };
        hand(dark(w, h), detail)
    });
}

#[test]
fn r14_every_save_is_named_and_timed() {
    for (w, h) in [(60, 15), (80, 24), (140, 42)] {
        let screen = text(&draw(&dark(w, h)));
        assert!(screen.contains("✓ saved rx-1039#2 CONFIRMED UNSUPPORTED · 20:29 UTC"), "{screen}");
    }
}

#[test]
fn one_glance_shows_verdict_severity_claim_span_reason_and_next_key() {
    for theme in ThemeName::ALL {
        for (w, h) in [(60, 15), (80, 24), (100, 30), (140, 42)] {
            let app = review(*theme, w, h);
            let screen = text(&draw(&app));
            for part in
                ["✗ CONTRADICTED", "▲ CRITICAL", "0.94", "≠ contradicts", "c confirm", "o override", "? help"]
            {
                assert!(screen.contains(part), "{part} is missing at {w}×{h}:\n{screen}");
            }
            let claim = words_like(&draw(&app), &app, juror::tui::theme::Role::Claim);
            assert!(claim.contains("8 g"), "{claim}");
            let span = words_like(&draw(&app), &app, juror::tui::theme::Role::CurrentContradicts);
            assert!(span.contains("4 g in any 24"), "{span}");
        }
    }
}

/// The words that look like `role` between its brackets, read from the cells of the claim's panel.
fn words_like(buffer: &Buffer, app: &App, role: juror::tui::theme::Role) -> String {
    let style = app.settings.theme.style(role);
    let mut words = String::new();
    let areas = [app.geometry.answer, app.geometry.evidence];
    for area in areas {
        for y in area.y..area.bottom() {
            let mut x = area.x;
            let mut any = false;
            while x < area.right() {
                let cell = &buffer[(x, y)];
                let fg = style.fg.unwrap_or(Color::Reset);
                if cell.fg == fg
                    && cell.modifier.contains(style.add_modifier)
                    && !style.add_modifier.is_empty()
                {
                    words.push_str(cell.symbol());
                    any = true;
                }
                x += cell.symbol().cell_width().max(1);
            }
            if any && !words.ends_with(' ') {
                words.push(' ');
            }
        }
    }
    words
}

#[test]
fn three_claims_and_two_passages_of_600_characters_need_no_scrolling() {
    let app = dark(140, 42);
    let screen: String = text(&draw(&app)).split_whitespace().collect();
    let Some(detail) = app.detail() else { panic!("no detail") };
    for passage in &detail.record.passages {
        assert!(passage.content.len() >= 600);
    }
    // Both ends of every text are in view, and nothing between is cut.
    for part in [
        "Paracetamolrelieves",
        "asdirected.",
        "immediately.",
        "youhaveafever.",
        "Donottakemorethan4g",
        "Paracetamolisindicated",
    ] {
        assert!(screen.contains(part), "{part}");
    }
    assert!(!screen.contains('↓'));
}

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
    both("cjk", |w, h| {
        let detail = foreign(
            "パラセタモールは痛みと発熱に用いる。成人は一日に８グラムまで服用してよい。妊娠中でも安全である。",
            "成人は一日に８グラムまで服用してよい。",
            "成人の一日最大量は、すべての製剤を合わせて４グラムである。過量服用は重い肝障害を起こすことがある。",
            "成人の一日最大量は、すべての製剤を合わせて４グラムである",
        );
        in_queue_too(dark(w, h), detail)
    });
    both("persian", |w, h| {
        let detail = foreign(
            "استامینوفن برای درد خفیف است. بزرگسالان می‌توانند روزانه ۸ گرم مصرف کنند. مصرف آن بی‌خطر است.",
            "بزرگسالان می‌توانند روزانه ۸ گرم مصرف کنند.",
            "بیشینهٔ مصرف برای بزرگسالان ۴ گرم در هر ۲۴ ساعت است (max. 4 g/24 h).",
            "۴ گرم در هر ۲۴ ساعت",
        );
        in_queue_too(dark(w, h), detail)
    });
    both("combining", |w, h| {
        let tall = format!("Z{}algo", "\u{0300}\u{0316}".repeat(40));
        let answer = format!("Cafe\u{301} and nai\u{308}ve {tall} 한국어. Vie\u{302}\u{323}t Nam.");
        let detail = foreign(&answer, "nai\u{308}ve", &format!("{tall} {answer}"), "Vie\u{302}\u{323}t");
        in_queue_too(dark(w, h), detail)
    });
    both("emoji", |w, h| {
        let detail = foreign(
            "👩‍🚒 saved 👨‍👩‍👧‍👦 at 3 🇩🇪 sites ❤️. 💩 happens 👍🏽 twice.",
            "💩 happens",
            "The 👩‍🚒 saved four 👨‍👩‍👧‍👦 people 1️⃣ 🏳️‍🌈.",
            "saved four 👨‍👩‍👧‍👦 people",
        );
        in_queue_too(dark(w, h), detail)
    });
}

const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;owned\u{7}b\u{202e}evil\u{202c} c\u{2066}d\u{2069}\u{200b}\u{feff}\u{0} e\rf\tg\u{9b}31m \
                       h\u{85}i\u{2028}j\u{ad}k \u{301}lone";

#[test]
fn hostile_text_reaches_no_cell() {
    both("hostile", |w, h| {
        let answer = format!("Before. {HOSTILE} After.");
        let mut detail = foreign(&answer, HOSTILE, &format!("{HOSTILE}\n{HOSTILE}"), HOSTILE);
        detail.notes = vec![note(HOSTILE, HOSTILE)];
        detail.judge.judge = HOSTILE.into();
        detail.judge.model = HOSTILE.into();
        detail.held_by = Some(Hold { holder: Annotator::new(HOSTILE), until: at(9) });
        detail.decisions =
            vec![(Annotator::new(HOSTILE), decided(DecisionKind::Confirmed, HumanVerdict::CannotJudge))];
        detail.draft = Some(HOSTILE.into());
        with(in_queue_too(dark(w, h), detail), |app| {
            app.queue.rows[1].held_by = Some(Hold { holder: Annotator::new(HOSTILE), until: at(9) });
            app.to_dispose = Some((RecordKey(1), AuditId::new(HOSTILE)));
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
    let sentence = "The maximum dose for adults is 4 g in any 24 hours, from all products together";
    let end = if with_line_ends { ".\n" } else { ". " };
    let mut passage = String::new();
    let mut starts = Vec::new();
    while passage.len() < 1 << 20 {
        starts.push(passage.len());
        passage.push_str(sentence);
        passage.push_str(end);
    }
    let mut detail = foreign(ANSWER, CLAIM, &passage, sentence);
    outcome(&mut detail, |judged| {
        let step = starts.len() / 2000;
        judged.citations = starts
            .iter()
            .step_by(step)
            .take(2000)
            .map(|start| Citation {
                span: Span::new(&passage, *start..start + 40),
                ..judged.citations[0].clone()
            })
            .collect();
        assert_eq!(judged.citations.len(), 2000);
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
        for reason in [EmptyReason::StoreEmpty, EmptyReason::AllDone { decided: 1 }] {
            assert_safe(&draw(&empty(w, h, reason, Auditor::Paused)));
        }
    }
}

#[test]
fn too_small_a_window_says_so_down_to_one_cell() {
    insta::assert_snapshot!("too-small-40x10", text(&draw(&dark(40, 10))));
    for w in 1..60 {
        for h in 1..15 {
            draw(&dark(w, h));
        }
    }
    assert!(text(&draw(&dark(59, 40))).contains("60×15 needed"));
    assert!(text(&draw(&dark(200, 14))).contains("60×15 needed"));
    assert!(dark(59, 40).geometry.too_small);
}
