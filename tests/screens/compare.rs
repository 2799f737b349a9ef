//! The *Compare* screen, and how line 1 names screens beside views.

use std::sync::{Arc, LazyLock};

use juror::config::ThemeName;
use juror::domain::comparison::{ComparedClaim, Comparison, Status};
use juror::domain::finding::{AuditState, JudgeIdentity};
use juror::domain::ids::{AuditId, ClaimId, ClaimKey, PassageId};
use juror::domain::verdict::{Citation, HallucinationType, MatchLevel, Probability, Role, Severity};
use juror::domain::view::View;
use juror::measure::versions::Versions;
use juror::report::comparison::{Compared, Item, LeftOut};
use juror::report::{Condition, Fact, Gate, Says};
use juror::store::{KeptComparison, SentClaim};
use juror::tui::app::App;
use juror::tui::exchanges::Reading;
use juror::tui::screens::ScreenName;
use juror::tui::screens::compare::{Compare, Pane, Told};

use crate::fixture::*;
use crate::look::*;

fn kept(number: i64, says: &str, rates: Option<(f64, f64)>, names: (&str, &str)) -> KeptComparison {
    KeptComparison {
        name: format!("cmp-{number}"),
        made_at: at(number * 90),
        judge: "local".into(),
        model: "rules-1".into(),
        prompt_version: "1".into(),
        baseline: names.0.into(),
        candidate: names.1.into(),
        items: 200,
        compared: 198,
        baseline_rate: rates.map(|(baseline, _)| baseline),
        candidate_rate: rates.map(|(_, candidate)| candidate),
        rate_change: rates.map(|(baseline, candidate)| candidate - baseline),
        says: says.into(),
    }
}

fn four_kept() -> Vec<KeptComparison> {
    vec![
        kept(4, "no", Some((0.082, 0.181)), ("answers-2026-02.jsonl", "answers-2026-03.jsonl")),
        kept(3, "cannot_say", None, ("基準の回答.jsonl", "پاسخ‌های نامزد.jsonl")),
        kept(2, "yes", Some((0.1, 0.1)), ("baseline of pairs.jsonl", "candidate of pairs.jsonl")),
        kept(1, "yes", Some((0.25, 0.125)), ("./answer --model a", "./answer --model \u{1b}[2Jb")),
    ]
}

/// The Compare screen with these comparisons, the report of the last but one, and what else is changed.
fn screen(
    theme: ThemeName,
    (w, h): (u16, u16),
    kept: Reading<Vec<KeptComparison>>,
    change: impl FnOnce(&mut Compare),
) -> App {
    with(review(theme, w, h), |app| {
        app.screens.shown = ScreenName::Compare;
        let compare = &mut app.screens.compare;
        compare.chosen = kept.ready().and_then(|kept| Some(kept.first()?.name.clone()));
        compare.kept = kept;
        compare.told = Reading::Ready(Arc::clone(&TOLD));
        change(compare);
    })
}

fn ready() -> Reading<Vec<KeptComparison>> {
    Reading::Ready(four_kept())
}

fn claim(text: &str, status: Status, severity: Option<Severity>, quote: Option<&str>) -> ComparedClaim {
    ComparedClaim {
        claim_id: "c1".into(),
        claim_text: text.into(),
        answer_span: None,
        status: Some(status),
        state: AuditState::Judged,
        hallucination_type: status.is_wrong().then_some(if quote.is_some() {
            HallucinationType::Distortion
        } else {
            HallucinationType::Fabrication
        }),
        severity,
        confidence: Probability::new(0.9),
        citation: quote.map(|quote| Citation {
            passage_id: PassageId::new("d1"),
            quote: quote.into(),
            role: Role::Contradicts,
            level: MatchLevel::Exact,
            span: None,
        }),
        remark: if status.is_wrong() {
            "What the claim says stands otherwise there.".into()
        } else {
            String::new()
        },
    }
}

/// A baseline claim, the candidate's with its severity, and the words of the document.
type Pair = (&'static str, Status, &'static str, Option<Severity>, Option<&'static str>);

const PAIRS: [Pair; 5] = [
    (
        "Adults may take at most 4 g of paracetamol per day.",
        Status::Supported,
        "Adults may take at most 8 g of paracetamol per day.",
        Some(Severity::Critical),
        Some("The maximum dose for adults is 4 g in any 24 hours, from all products together."),
    ),
    (
        "The shop opens at nine.",
        Status::Supported,
        "Norway sold 312 vessels in 1998.",
        Some(Severity::High),
        None,
    ),
    (
        "成人の一日最大量は４グラムである。",
        Status::Supported,
        "成人の一日最大量は８グラムである。",
        Some(Severity::High),
        Some("一日最大量は、すべての製剤を合わせて４グラムである。"),
    ),
    (
        "بیشترین مقدار ۴ گرم است.",
        Status::Supported,
        "بیشترین مقدار ۸ گرم است.",
        Some(Severity::Medium),
        Some("بیشترین مقدار روزانه ۴ گرم است."),
    ),
    (
        "It is safe \u{1b}[2J in use.",
        Status::Unsupported,
        "It is \u{202e}safe\u{7} in any use at all.",
        Some(Severity::Low),
        None,
    ),
];

/// What a real comparison of 60 items tells: the pairs above, and items on which both agree.
static TOLD: LazyLock<Arc<Told>> = LazyLock::new(|| {
    let comparisons: Vec<(String, Comparison)> = (0..60)
        .map(|at| {
            let id = format!("q-{}", at + 1);
            let Some((before, status, after, severity, quote)) = PAIRS.get(at) else {
                let same = vec![claim("The lake is deep.", Status::Supported, None, None); 3];
                let wrong = claim("The lake is dry.", Status::Unsupported, Some(Severity::Medium), None);
                let baseline = if at == 30 { vec![wrong] } else { same.clone() };
                return (id, Comparison::of(baseline, same, None, Vec::new()));
            };
            let label = if quote.is_some() { Status::Contradicted } else { Status::Unsupported };
            let low = status.is_wrong().then_some(Severity::Low);
            let baseline = vec![claim(before, *status, low, None)];
            (id, Comparison::of(baseline, vec![claim(after, label, *severity, *quote)], None, Vec::new()))
        })
        .collect();
    let item = |(id, comparison)| Item { id, comparison, likeness: Some(0.9), meaning: None };
    let items: Vec<Item<'_>> =
        comparisons.iter().map(|(id, comparison)| item((id.as_str(), comparison))).collect();
    let versions = Versions::of(comparisons.iter().map(|(_, comparison)| comparison));
    let judge = JudgeIdentity {
        judge: "local".into(),
        model: "rules-1".into(),
        prompt_version: "1".into(),
        prompt_sha256: "ab".repeat(32),
        settings: serde_json::Value::Null,
    };
    let left = LeftOut { id: "q-61".into(), failed: false, reason: "the candidate makes no claim".into() };
    let compared = Compared {
        made_at: at(360),
        program: "juror",
        judge: &judge,
        embeddings: None,
        baseline: "answers-2026-02.jsonl",
        candidate: "answers-2026-03.jsonl",
        data_sha256: &"cd".repeat(32),
        items: &items,
        left_out: &[left],
        besides: &[],
        versions: &versions,
    };
    let gate = Gate::of(vec![
        Condition::new(
            "--max-increase 0.05",
            Says::No,
            "the rate rose by +2.3 points, which is more than it may",
        ),
        Condition::new("--min-items 50", Says::Yes, "60 items are compared"),
    ]);
    let mut report = compared.report(Some(gate));
    report.facts.push(Fact::new(
        "calibration",
        "NOT_MEASURED, nobody measured it against people: `juror calibrate` does",
    ));
    let sent = |key, item: &str, text: &str, is_open: bool| SentClaim {
        item: item.to_owned(),
        id: ClaimId::new(AuditId::new(format!("cmp-4/{item}")), 1),
        stored: Some((ClaimKey(key), text.to_owned())),
        is_decided: !is_open,
        rulings: Vec::new(),
        ruled_severity: None,
    };
    Arc::new(Told::of(
        "cmp-4",
        report,
        vec![sent(3, "q-1", PAIRS[0].2, true), sent(4, "q-2", PAIRS[1].2, false)],
    ))
});

#[test]
fn the_comparisons_that_are_kept_and_what_came_of_one() {
    four("compare", |theme, w, h| screen(theme, (w, h), ready(), |_| {}));
    let smallest = check("compare-60x15", &screen(ThemeName::Dark, (60, 15), ready(), |_| {}));
    assert_straight(&smallest);
    assert_safe(&smallest);
    let end =
        check("compare-end-80x24", &screen(ThemeName::Dark, (80, 24), ready(), |compare| compare.top = 99));
    assert!(text(&end).contains("left out"));
}

#[test]
fn newly_wrong_claims_stand_beside_what_the_baseline_says_with_what_differs() {
    for at in 0..PAIRS.len() {
        let of = |theme, size| {
            screen(theme, size, ready(), |compare| (compare.pane, compare.claim) = (Pane::Claims, at))
        };
        four(&format!("compare-claim-{at}"), |theme, w, h| of(theme, (w, h)));
        let smallest = check(&format!("compare-claim-{at}-60x15"), &of(ThemeName::Mono, (60, 15)));
        assert_straight(&smallest);
        assert_safe(&smallest);
    }
}

#[test]
fn r05_every_border_of_the_compare_screen_is_straight_at_every_size() {
    for (w, h) in [(60, 15), (72, 18), (80, 24), (99, 30), (100, 30), (123, 41), (200, 50)] {
        for at in 0..PAIRS.len() {
            for pane in [Pane::Claims, Pane::Comparisons] {
                let app = screen(ThemeName::Dark, (w, h), ready(), |compare| {
                    (compare.pane, compare.claim, compare.top) = (pane, at, at * 5);
                    compare.chosen = Some(format!("cmp-{}", at % 4 + 1));
                });
                let buffer = draw(&app);
                assert_straight(&buffer);
                assert_safe(&buffer);
            }
        }
    }
}

#[test]
fn nothing_is_kept_or_read_yet() {
    four("compare-empty", |theme, w, h| screen(theme, (w, h), Reading::Ready(Vec::new()), |_| {}));
    let locked = || "the database is locked by another program".to_owned();
    let unread = || Reading::Error("the report of cmp-4 cannot be read: run `juror verify`".to_owned());
    let of = |theme, size, kept, told| screen(theme, size, kept, |compare| compare.told = told);
    four("compare-loading", |theme, w, h| of(theme, (w, h), Reading::Loading, Reading::Loading));
    four("compare-error", |theme, w, h| of(theme, (w, h), Reading::Error(locked()), Reading::Loading));
    four("compare-report-loading", |theme, w, h| of(theme, (w, h), ready(), Reading::Loading));
    four("compare-report-error", |theme, w, h| of(theme, (w, h), ready(), unread()));
    let shown = |kept, told| {
        let app = of(ThemeName::Dark, (60, 15), kept, told);
        text(&draw(&app))
    };
    let loading = shown(Reading::Loading, Reading::Loading);
    assert!(loading.contains("reading the comparisons"), "{loading}");
    let error = shown(Reading::Error(locked()), Reading::Loading);
    assert!(error.contains("locked by another program"), "{error}");
    let loading = shown(ready(), Reading::Loading);
    assert!(loading.contains("reading cmp-4"), "{loading}");
    let error = shown(ready(), unread());
    assert!(error.contains("juror verify"), "{error}");
}

/// The first line of the queue at this width, with views.
fn line_1(width: u16) -> String {
    let mut app = review(ThemeName::Mono, width, 24);
    app.views.take(View::shipped(&app.settings.annotator));
    for (tab, count) in app.views.list.iter_mut().zip([375, 2, 41, 12, 0, 3, 1]) {
        tab.count = Some(count);
    }
    text(&draw(&app)).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn line_1_tells_screens_from_views_and_never_drops_what_is_critical() {
    snapshot("compare-line-1", &[140, 100, 80, 70, 60].map(line_1).join("\n"));
    for width in 60..=140 {
        let line = line_1(width);
        assert!(line.contains("Queue") && line.contains("CRITICAL"), "{width}: {line}");
        assert!(line.contains("()"), "{width}: {line}");
    }
}
