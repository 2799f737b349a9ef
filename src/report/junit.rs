//! A report as `JUnit` XML, which build servers read: one test case for each condition of the gate, each item and each
//! claim.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Case, Ended, Gate, Report, Says};
use crate::text::sanitize::visible;

/// The suite in which the conditions of the gate stand.
const GATE: &str = "gate";

/// The report as a document of its own.
pub fn write(report: &Report) -> String {
    let mut suites: Vec<(String, Vec<Case>)> = Vec::new();
    // Somewhere must stand what all of it rests on, also of a report without a case.
    if report.gate.is_none() && report.cases.is_empty() {
        suites.push((report.kind.label().to_owned(), Vec::new()));
    }
    if let Some(gate) = &report.gate {
        suites.push((GATE.to_owned(), of_gate(gate)));
    }
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &report.cases {
        let at = *places.entry(&case.group).or_insert_with(|| {
            suites.push((case.group.clone(), Vec::new()));
            suites.len() - 1
        });
        if let Some((_, cases)) = suites.get_mut(at) {
            cases.push(case.clone());
        }
    }
    let all: Vec<&Case> = suites.iter().flat_map(|(_, cases)| cases).collect();
    let mut page = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(page, "<testsuites name=\"{}\"{}>", attribute(&report.title), counts(&all));
    for (place, (name, cases)) in suites.iter().enumerate() {
        let own: Vec<&Case> = cases.iter().collect();
        let at = report.made_at.to_string();
        let _ = writeln!(
            page,
            "  <testsuite name=\"{}\"{} timestamp=\"{}\">",
            attribute(name),
            counts(&own),
            at.get(..19).unwrap_or(&at)
        );
        if place == 0 {
            properties(&mut page, report);
        }
        for case in cases {
            of_case(&mut page, report, case);
        }
        if let Some(why) = report.provisional.as_ref().filter(|_| place == 0) {
            let _ = writeln!(page, "    <system-out>PROVISIONAL: {}</system-out>", text(why));
        }
        page.push_str("  </testsuite>\n");
    }
    page.push_str("</testsuites>\n");
    page
}

fn of_gate(gate: &Gate) -> Vec<Case> {
    let case = |condition: &super::Condition| Case {
        group: GATE.to_owned(),
        name: condition.asked.clone(),
        ended: match condition.says {
            Says::Yes => Ended::Passed,
            Says::No => Ended::Failed,
            // A build that only looks at failures must not turn green.
            Says::CannotSay => Ended::Error,
        },
        text: condition.sentence.clone(),
    };
    gate.conditions.iter().map(case).collect()
}

fn counts(cases: &[&Case]) -> String {
    let of = |ended: Ended| cases.iter().filter(|case| case.ended == ended).count();
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.len(),
        of(Ended::Failed),
        of(Ended::Error),
        of(Ended::Skipped)
    )
}

fn properties(page: &mut String, report: &Report) {
    page.push_str("    <properties>\n");
    for fact in &report.facts {
        let (name, value) = (attribute(&fact.name), attribute(&fact.value));
        let _ = writeln!(page, "      <property name=\"{name}\" value=\"{value}\"/>");
    }
    page.push_str("    </properties>\n");
}

fn of_case(page: &mut String, report: &Report, case: &Case) {
    let kind = report.kind.label();
    let (class, name) = (attribute(&format!("juror.{kind}.{}", case.group)), attribute(&case.name));
    let _ = write!(page, "    <testcase classname=\"{class}\" name=\"{name}\"");
    let element = match case.ended {
        Ended::Passed if case.text.is_empty() => {
            page.push_str("/>\n");
            return;
        }
        Ended::Passed => {
            let said = in_lines(&case.text).join("\n");
            let _ = writeln!(page, ">\n      <system-out>{said}</system-out>\n    </testcase>");
            return;
        }
        Ended::Failed => "failure",
        Ended::Skipped => "skipped",
        Ended::Error => "error",
    };
    let first = case.text.lines().next().unwrap_or_default();
    let _ = write!(page, ">\n      <{element} message=\"{}\"", attribute(first));
    let rest = in_lines(&case.text);
    let _ = match rest.len() {
        0 | 1 => writeln!(page, "/>"),
        _ => writeln!(page, ">{}</{element}>", rest.join("\n")),
    };
    page.push_str("    </testcase>\n");
}

/// `words` between tags, on as many lines as they have.
fn in_lines(words: &str) -> Vec<String> {
    words.lines().map(text).collect()
}

/// `words` between tags, on one line. XML has no way to say most control characters, so they are marks.
fn text(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in visible(words).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn attribute(words: &str) -> String {
    text(words)
}
