//! A report in Markdown, as merge requests and wikis show it. What other people wrote is escaped: it can neither make
//! a heading nor a link, nor break out of a table.

use std::fmt::Write;

use super::{Chart, Condition, Figure, Findings, Part, Report, Shows, Table};
use crate::domain::verdict::Severity;
use crate::text::sanitize::visible;

/// Findings that are written out beside the dangerous ones, which all are; the rest are counted.
pub const MOST_FINDINGS: usize = 50;

/// The report as Markdown.
pub fn write(report: &Report) -> String {
    let mut page = String::new();
    line(&mut page, &format!("# {}\n", escaped(&report.title)));
    if let Some(why) = &report.provisional {
        line(&mut page, &format!("> **PROVISIONAL:** {}\n", escaped(why)));
    }
    for sentence in &report.sentences {
        line(&mut page, &format!("{}\n", escaped(sentence)));
    }
    if let Some(gate) = &report.gate {
        line(&mut page, &format!("**{}**\n", escaped(&gate.sentence())));
        let mut table = Table::of_words(&["condition", "holds", "why"]);
        for Condition { asked, says, sentence } in &gate.conditions {
            table.push([asked.as_str(), says.word(), sentence.as_str()]);
        }
        of_table(&mut page, &table);
    }
    let mut facts = Table::of_words(&["what", "which"]);
    if let Some(name) = &report.name {
        facts.push(["name", name.as_str()]);
    }
    for fact in &report.facts {
        facts.push([fact.name.as_str(), fact.value.as_str()]);
    }
    facts.push(["made".to_owned(), format!("{} by {}", report.made_at, report.program)]);
    of_table(&mut page, &facts);
    for part in &report.parts {
        of_part(&mut page, part);
    }
    page
}

fn of_part(page: &mut String, part: &Part) {
    line(page, &format!("## {}\n", escaped(&part.title)));
    for sentence in &part.sentences {
        line(page, &format!("{}\n", escaped(sentence)));
    }
    match &part.shows {
        Shows::Figures(figures) => of_figures(page, figures),
        Shows::Table(table) => of_table(page, table),
        Shows::Chart(chart) => of_chart(page, chart),
        Shows::Findings(findings) => of_findings(page, findings),
    }
}

fn of_figures(page: &mut String, figures: &[Figure]) {
    let mut table = Table::of_numbers(&["figure", "value", "by"]);
    if let Some(by) = table.columns.last_mut() {
        by.is_number = false;
    }
    for figure in figures {
        table.push([figure.name.clone(), figure.shown(), figure.shown_grounds()]);
    }
    of_table(page, &table);
}

fn of_chart(page: &mut String, chart: &Chart) {
    let names: Vec<&str> = std::iter::once("").chain(chart.series.iter().map(String::as_str)).collect();
    let mut table = Table::of_numbers(&names);
    for bar in &chart.bars {
        let shown =
            |value: &Option<f64>| value.map_or_else(|| "undefined".to_owned(), |it| chart.unit.shown(it));
        table.push(std::iter::once(bar.name.clone()).chain(bar.values.iter().map(shown)));
    }
    of_table(page, &table);
}

fn of_table(page: &mut String, table: &Table) {
    let cells = |cells: &mut dyn Iterator<Item = &str>| {
        let escaped: Vec<String> = cells.map(escaped).collect();
        format!("| {} |", escaped.join(" | "))
    };
    line(page, &cells(&mut table.columns.iter().map(|column| column.name.as_str())));
    let rules = table.columns.iter().map(|column| if column.is_number { "---:" } else { "---" });
    line(page, &format!("| {} |", rules.collect::<Vec<_>>().join(" | ")));
    for row in &table.rows {
        line(page, &cells(&mut row.iter().map(String::as_str)));
    }
    page.push('\n');
}

fn of_findings(page: &mut String, findings: &Findings) {
    if findings.total == 0 {
        return line(page, &format!("{}\n", escaped(&findings.none)));
    }
    let mut written = 0;
    for found in findings.told(MOST_FINDINGS) {
        written += 1;
        let severity = found.severity.map_or("", Severity::label);
        let head = [severity, found.label.as_str()].into_iter().filter(|word| !word.is_empty());
        let head = head.map(escaped).collect::<Vec<_>>().join(" ");
        line(page, &format!("- **{head}** {}: {}", escaped(&found.id), in_lines(&found.text, "  ")));
        for detail in &found.details {
            line(page, &format!("  - {}: {}", escaped(&detail.name), in_lines(&detail.text, "    ")));
        }
    }
    if let more @ 1.. = findings.total.saturating_sub(written) {
        line(page, &format!("- {}", findings.others(more)));
    }
    page.push('\n');
}

fn line(page: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(page, "{text}");
}

/// `text` on as many lines as it has, those behind the first one behind `indent`: for what people wrote in a list. Empty
/// ones are left away, which would end the entry.
fn in_lines(text: &str, indent: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut out = lines.next().map(escaped).unwrap_or_default();
    for next in lines {
        let next = escaped(next);
        out.push_str("\\\n");
        out.push_str(indent);
        // At the beginning of a line these make a list, a rule or a heading.
        let digits = next.chars().take_while(char::is_ascii_digit).count();
        let (number, rest) = next.split_at(digits);
        out.push_str(number);
        let makes_a_block = if digits == 0 { ['-', '+', '='].as_slice() } else { &['.', ')'] };
        if rest.starts_with(makes_a_block) {
            out.push('\\');
        }
        out.push_str(rest);
    }
    out
}

/// `text` on one line, with what Markdown or HTML would obey escaped.
fn escaped(text: &str) -> String {
    let shown = visible(text);
    let mut out = String::with_capacity(shown.len());
    let mut before = ' ';
    for c in shown.chars() {
        match c {
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' | '!' | '@' | '$' | '^' => {
                out.push('\\');
                out.push(c);
            }
            // Inside a word an underscore means nothing.
            '_' if !before.is_alphanumeric() => out.push_str("\\_"),
            // At the beginning of a line it would make a heading.
            '#' if out.trim_start().is_empty() => out.push_str("\\#"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // What would become a link by itself.
            ':' if ends_with(&out, "http") || ends_with(&out, "https") => out.push_str("&#58;"),
            '.' if ends_with(&out, "www") => out.push_str("&#46;"),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// Whatever the case of its letters.
fn ends_with(text: &str, word: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= word.len() && bytes[bytes.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_keeps_its_lines_and_makes_no_block() {
        let note = "  First.\n\n- a list\n1. a number\n2024) a year\n===\n# a heading\n> a quote\n12 g\r\n";
        let shown = "First.\\\n  \\- a list\\\n  1\\. a number\\\n  2024\\) a year\\\n  \\===\\\n  \\# a heading\\\n  &gt; a \
                     quote\\\n  12 g";
        assert_eq!(in_lines(note, "  "), shown);
        assert_eq!((in_lines("", "  "), in_lines("\n", "  ")), (String::new(), String::new()));
    }

    #[test]
    fn no_address_becomes_a_link_by_itself() {
        for (address, shown) in [
            ("see www.evil.example", "see www&#46;evil.example"),
            ("WWW.evil.example", "WWW&#46;evil.example"),
            ("HTTP://evil.example", "HTTP&#58;//evil.example"),
            ("https://evil.example", "https&#58;//evil.example"),
        ] {
            assert_eq!(escaped(address), shown);
        }
    }
}
