use proptest::prelude::*;

use super::text::Paint;
use super::*;
use crate::domain::verdict::Severity;
use crate::text::width::width;

/// A report in which everything is said that can be said, some of it by people who mean no good.
fn sample() -> Report {
    let mut table = Table::of_numbers(&["severity", "baseline", "candidate", "change"]);
    table.push(["CRITICAL", "1", "4", "+3"]);
    table.push(["HIGH", "10", "12", "+2"]);
    let figures = vec![
        Figure::new("rate", "hallucination rate of the candidate", Unit::Share, Ok::<_, &str>(0.2))
            .within(Some((0.1502, 0.2607)))
            .from(200, "claims"),
        Figure::new("rate_change", "change", Unit::Change, Ok::<_, &str>(0.05))
            .within(Some((-0.005, 0.105)))
            .from(200, "items"),
        Figure::new("p", "p, exact McNemar", Unit::P, Ok::<_, &str>(0.09874)),
        Figure::new("similarity", "similarity", Unit::Number, Err("no item has two answers")),
    ];
    let found = Found {
        id: "q-17".into(),
        severity: Some(Severity::High),
        label: "CONTRADICTED".into(),
        text: "The trial enrolled 4,312 patients <script>alert(1)</script> | `x` and was then carried on for another \
               thirty-six months in four countries."
            .into(),
        details: vec![Detail::new("evidence", "enrolled 312\u{1b}[31m patients\u{202e}\nin two countries")],
    };
    Report {
        kind: Kind::Comparison,
        name: Some("cmp-1".into()),
        title: "baseline against candidate".into(),
        made_at: Timestamp::from_millis(1_780_000_000_000),
        program: "juror 0.1.0".into(),
        provisional: Some("3 routed claims of HIGH or CRITICAL records are undecided".into()),
        sentences: vec!["The candidate hallucinates more.".into()],
        gate: Some(Gate::of(vec![
            Condition::new("--max-increase 0.05", Says::Yes, "the rate rose by 5.0 points, 5.0 are allowed"),
            Condition::new("--max-critical 3", Says::No, "4 claims of the candidate are CRITICAL"),
            Condition::new("--min-items 300", Says::CannotSay, "200 items are compared"),
        ])),
        facts: vec![Fact::new("judge", "local"), Fact::new("data", "golden.jsonl")],
        parts: vec![
            Part::new("Rates", Shows::Figures(figures)).saying("By item."),
            Part::new("Severity", Shows::Table(table)),
            Part::new(
                "Severity of wrong claims",
                Shows::Chart(Chart {
                    unit: Unit::Count,
                    series: vec!["baseline".into(), "candidate".into()],
                    bars: vec![
                        Bar { name: "CRITICAL".into(), values: vec![Some(1.0), Some(4.0)] },
                        Bar { name: "HIGH".into(), values: vec![Some(10.0), None] },
                    ],
                }),
            ),
            Part::new(
                "Newly wrong",
                Shows::Findings(Findings { none: "No claim.".into(), total: 1, list: vec![found] }),
            ),
        ],
        cases: vec![
            Case { group: "items".into(), name: "q-1".into(), ended: Ended::Passed, text: String::new() },
            Case {
                group: "items".into(),
                name: "q-2".into(),
                ended: Ended::Passed,
                text: "2 claims are newly wrong\nHIGH CONTRADICTED: 8 g\nLOW UNSUPPORTED: <b>".into(),
            },
            Case {
                group: "items".into(),
                name: "q-17 \"<&\u{1}".into(),
                ended: Ended::Failed,
                text: "1 claim is newly wrong\nHIGH <b>".into(),
            },
            Case {
                group: "items".into(),
                name: "q-18".into(),
                ended: Ended::Skipped,
                text: "no rate".into(),
            },
        ],
        data: Value::Null,
    }
}

#[test]
fn a_report_as_text() {
    insta::assert_snapshot!(text::write(&sample(), Paint::Plain));
}

#[test]
fn a_report_as_markdown() {
    insta::assert_snapshot!(markdown::write(&sample()));
}

#[test]
fn a_report_as_junit() {
    insta::assert_snapshot!(junit::write(&sample()));
}

#[test]
fn a_report_as_html() {
    insta::assert_snapshot!(html::write(&sample()));
}

#[test]
fn a_page_of_many_findings_stays_short_and_says_what_it_leaves_away() {
    let mut report = sample();
    let Shows::Findings(findings) = &mut report.parts[3].shows else { panic!("findings") };
    let one = findings.list[0].clone();
    findings.list = (0..40_000).map(|n| Found { id: format!("q-{n}"), ..one.clone() }).collect();
    findings.total = 40_000;
    let long = Found { text: "<\u{1b}".repeat(100_000), ..one };
    findings.list.insert(0, long);
    let page = html::write(&report);
    assert!(page.len() < html::MOST_BYTES && page.len() > html::MOST_BYTES / 2, "{}", page.len());
    // Whatever is left away, the dangerous ones are named.
    assert!(page.contains("more are CRITICAL or HIGH, and told in full by the JSON: HIGH: q-"));
    assert!(page.contains(", q-39998, q-39999.</p>") && page.ends_with("</html>"));
    // Where there is no room for their names either, they are counted apart from the others.
    let Shows::Findings(findings) = &mut report.parts[3].shows else { panic!("findings") };
    findings.list.iter_mut().for_each(|found| found.id = format!("{:-<60}", found.id));
    let last = findings.list.len() - 100;
    findings.list[last..].iter_mut().for_each(|found| found.severity = Some(Severity::Low));
    let page = html::write(&report);
    assert!(page.len() < html::MOST_BYTES, "{}", page.len());
    assert!(page.contains("<p>100 more are left away to keep this page short"));
    let told =
        page.split(" more are CRITICAL or HIGH, and told in full by the JSON: HIGH: ").collect::<Vec<_>>();
    let nameless = told[1].split(" of these without their ids").next().unwrap().rsplit(' ').next().unwrap();
    let (all, nameless): (usize, usize) =
        (told[0].rsplit('>').next().unwrap().parse().unwrap(), nameless.parse().unwrap());
    let named = told[1].split(".</p>").next().unwrap().matches("---,").count();
    assert!(nameless > 1000 && named + nameless == all, "{named} and {nameless} of {all}");
    let Shows::Findings(findings) = &mut report.parts[3].shows else { panic!("findings") };
    findings.list.iter_mut().for_each(|found| found.severity = Some(Severity::Medium));
    let page = html::write(&report);
    assert!(page.contains(" more are left away to keep this page short") && page.len() < html::MOST_BYTES);
}

#[test]
fn no_form_leaves_a_dangerous_finding_away_for_want_of_room() {
    let mut report = sample();
    let Shows::Findings(findings) = &mut report.parts[3].shows else { panic!("findings") };
    let one = findings.list[0].clone();
    let grave = |n: usize| Some(if n.is_multiple_of(2) { Severity::High } else { Severity::Low });
    findings.list =
        (0..200).map(|n| Found { id: format!("q-{n}."), severity: grave(n), ..one.clone() }).collect();
    findings.total = 200;
    for (form, more) in [
        (text::write(&report, Paint::Plain), "and 90 more, none CRITICAL or HIGH"),
        (markdown::write(&report), "and 75 more, none CRITICAL or HIGH"),
    ] {
        assert!((0..200).step_by(2).all(|n| form.contains(&format!("q-{n}."))), "{form}");
        assert!(form.contains(more), "{form}");
    }
}

#[test]
fn what_is_kept_as_json_reads_back_the_same_and_fits_the_schema() {
    let report = sample();
    let json = serde_json::to_value(&report).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../../assets/schemas/report.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(serde_json::from_value::<Report>(json).unwrap(), report);
}

#[test]
fn colours_change_no_word() {
    let plain = text::write(&sample(), Paint::Plain);
    let coloured = text::write(&sample(), Paint::Colour);
    assert_ne!(plain, coloured);
    let mut without = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        without.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    without.push_str(rest);
    assert_eq!(without, plain);
    assert!(!plain.contains('\u{1b}'));
}

#[test]
fn a_number_is_finite_or_says_why_not() {
    for value in [f64::NAN, f64::INFINITY] {
        let figure = Figure::new("x", "x", Unit::Number, Ok::<_, &str>(value)).within(Some((value, 1.0)));
        assert_eq!((figure.value, figure.interval), (None, None));
        assert_eq!(figure.shown(), "undefined");
        assert!(figure.shown_grounds().starts_with("because "));
    }
    let measured = crate::measure::proportion::wilson(81, 263);
    let figure = Figure::of("x", "x", Unit::Share, &measured, "claims");
    assert_eq!(figure.shown_grounds(), "95 %: 25.5 to 36.6 %, 263 claims");
    let none = Figure::of("x", "x", Unit::Share, &crate::measure::proportion::wilson(0, 0), "claims");
    assert_eq!(none.shown_grounds(), "because there is nothing to count, 0 claims");
    assert_eq!(Unit::Change.shown(-0.000_01), "0.0 points");
    assert_eq!(Unit::Change.shown(0.1), "+10.0 points");
    assert_eq!(Unit::P.shown(0.000_004), "< 0.0001");
    let shares = [0.0, 0.0004, 0.0005, 0.9994, 0.9996, 1.0].map(|share| Unit::Share.shown(share));
    assert_eq!(shares, ["0.0 %", "< 0.1 %", "0.1 %", "99.9 %", "> 99.9 %", "100.0 %"]);
}

#[test]
fn the_gravest_condition_decides() {
    let gate = |says: &[Says]| {
        let conditions = says.iter().map(|says| Condition::new("--x", *says, "so")).collect();
        Gate::of(conditions).says
    };
    assert_eq!(gate(&[]), Says::Yes);
    assert_eq!(gate(&[Says::Yes, Says::CannotSay]), Says::CannotSay);
    assert_eq!(gate(&[Says::CannotSay, Says::No, Says::Yes]), Says::No);
}

proptest! {
    #[test]
    fn no_line_of_text_is_too_wide_and_no_form_lets_markup_through(
        words in "\\PC{0,300}|[<>&\"'|`\\\\*_#\\[\\]a ]{0,80}|(\u{1b}|\u{202e}|\n|好|a ){0,90}",
    ) {
        let mut report = sample();
        report.title.clone_from(&words);
        report.facts.push(Fact::new(words.clone(), words.clone()));
        report.provisional = Some(words.clone());
        if let Some(gate) = &mut report.gate {
            gate.conditions.push(Condition::new(words.clone(), Says::No, words.clone()));
        }
        for part in &mut report.parts {
            part.title.clone_from(&words);
            match &mut part.shows {
                Shows::Figures(figures) => figures[0].name.clone_from(&words),
                Shows::Table(table) => table.push([words.clone(), words.clone()]),
                Shows::Chart(chart) => chart.bars[0].name.clone_from(&words),
                Shows::Findings(findings) => findings.list[0].id.clone_from(&words),
            }
        }
        for line in text::write(&report, Paint::Plain).lines() {
            prop_assert!(width(line) <= text::COLUMNS, "{}: {line:?}", width(line));
        }
        let xml = junit::write(&report);
        prop_assert!(!xml.contains("<script") && !xml.contains('\x1b'));
        let page = html::write(&report);
        prop_assert!(!page.contains("<script") && !page.contains('\x1b') && !page.contains("<b>"));
        let tags = page.matches('<').count();
        prop_assert_eq!(tags, page.matches('>').count());
        let markdown = markdown::write(&report);
        let bidi = markdown.contains('\u{202e}');
        prop_assert!(!markdown.contains('<') && !bidi);
    }
}
