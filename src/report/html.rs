//! A report as one page of HTML that needs nothing else: no script, no font, no picture from anywhere; charts are drawn
//! inside it. It prints, and is read on a telephone. What other people wrote is escaped, and hidden characters are marks.
//!
//! A page is kept below [`MOST_BYTES`]: where a list would be longer it ends with a sentence that says so.

use std::fmt::Write;

use super::{
    Chart, Column, Condition, Figure, Findings, Found, Gate, Part, Report, Says, Shows, Table, Unit,
};
use crate::domain::verdict::Severity;
use crate::text::sanitize::visible;

/// The longest page, in bytes.
pub const MOST_BYTES: usize = 2_000_000;
/// From here on nothing is told in full: of findings the ids of the dangerous ones follow.
const LISTS_END: usize = 1_300_000;
/// From here on lists end: the rest of the page is short. Of dangerous ones too then only the number is told.
const IDS_END: usize = 1_800_000;
/// Characters of one text, more than the longest note has; of a longer one the beginning stands.
const MOST_CHARS: usize = 70_000;

/// Widths of a chart, in its own units.
const CHART: f64 = 480.0;
const NAMES: f64 = 150.0;
const VALUES: f64 = 80.0;
const ROW: f64 = 18.0;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#5b6570;--line:#d5dae0;--good:#1a6b35;--bad:#a3201d;--doubt:#8a5a00;--one:#8fa1b5;--two:#a3401d}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--paper:#14171a;--faint:#9aa5b0;--line:#363c43;--good:#6fce8c;--bad:#ff8a80;--doubt:#e9b949;--one:#6d7f93;--two:#f08a5d}}
@media print{:root{--ink:#000;--paper:#fff;--faint:#444;--line:#bbb;--good:#1a6b35;--bad:#a3201d;--doubt:#8a5a00;--one:#aaa;--two:#333}article,tr,figure{break-inside:avoid}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1rem}h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid var(--line)}
h1,h2,p,td,dd,article{overflow-wrap:anywhere}.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid var(--line)}th{color:var(--faint);font-weight:600}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}.yes{color:var(--good)}.no{color:var(--bad)}.cannot{color:var(--doubt)}
.mark{border:2px solid var(--bad);padding:.5rem .75rem;font-weight:600}.gate{font-weight:600}.faint{color:var(--faint)}
article{border-left:4px solid var(--line);padding:.1rem .75rem;margin:.75rem 0}article.bad{border-color:var(--bad)}article.doubt{border-color:var(--doubt)}
article p{margin:.2rem 0}dl{display:grid;grid-template-columns:fit-content(15rem) 1fr;gap:.1rem .75rem;margin:.2rem 0}dt{color:var(--faint)}dd{margin:0}
svg{max-width:100%;height:auto;display:block}svg text{fill:var(--ink);font:13px system-ui,sans-serif}.s0{fill:var(--one)}.s1{fill:var(--two)}figure{margin:0}
.whisker{stroke:var(--ink);stroke-width:2}.dot{fill:var(--two)}.axis{stroke:var(--line)}
@media screen and (max-width:40rem){dl{display:block}dd{margin:0 0 .2rem 1rem}.w{display:none}table{font-size:.85rem}th,td{padding-right:.4rem}td:first-child{overflow-wrap:break-word}}";

/// The report as a page.
pub fn write(report: &Report) -> String {
    let mut page = String::with_capacity(64 << 10);
    let title = escaped(&report.title);
    put(&mut page, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    put(&mut page, "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">");
    put(
        &mut page,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
    );
    put(&mut page, &format!("<title>{title}</title><style>\n{STYLE}\n</style></head><body><main>"));
    put(&mut page, &format!("<h1>{title}</h1>"));
    if let Some(why) = &report.provisional {
        put(&mut page, &format!("<p class=\"mark\">PROVISIONAL: {}</p>", escaped(why)));
    }
    for sentence in &report.sentences {
        put(&mut page, &format!("<p>{}</p>", escaped(sentence)));
    }
    if let Some(gate) = &report.gate {
        of_gate(&mut page, gate);
    }
    put(&mut page, "<h2>What it rests on</h2><dl>");
    if let Some(name) = &report.name {
        put(&mut page, &format!("<dt>name</dt><dd>{}</dd>", escaped(name)));
    }
    for fact in &report.facts {
        put(&mut page, &format!("<dt>{}</dt><dd>{}</dd>", escaped(&fact.name), escaped(&fact.value)));
    }
    let made = format!("{} by {}", report.made_at, report.program);
    put(&mut page, &format!("<dt>made</dt><dd>{}</dd></dl>", escaped(&made)));
    for part in &report.parts {
        of_part(&mut page, part);
    }
    put(&mut page, "</main></body></html>");
    page
}

fn of_gate(page: &mut String, gate: &Gate) {
    put(page, &format!("<p class=\"gate {}\">{}</p>", class(gate.says), escaped(&gate.sentence())));
    put(page, "<div class=\"scroll\"><table><tr><th>condition</th><th>holds</th><th>why</th></tr>");
    for Condition { asked, says, sentence } in &gate.conditions {
        put(
            page,
            &format!(
                "<tr><td>{}</td><td class=\"{}\">{}</td><td>{}</td></tr>",
                escaped(asked),
                class(*says),
                says.word(),
                escaped(sentence)
            ),
        );
    }
    put(page, "</table></div>");
}

fn class(says: Says) -> &'static str {
    match says {
        Says::Yes => "yes",
        Says::CannotSay => "cannot",
        Says::No => "no",
    }
}

fn of_part(page: &mut String, part: &Part) {
    put(page, &format!("<section><h2>{}</h2>", escaped(&part.title)));
    for sentence in &part.sentences {
        put(page, &format!("<p>{}</p>", escaped(sentence)));
    }
    match &part.shows {
        Shows::Figures(figures) => of_figures(page, figures),
        Shows::Table(table) => of_table(page, table),
        Shows::Chart(chart) => of_chart(page, chart, &part.title),
        Shows::Findings(findings) => of_findings(page, findings),
    }
    put(page, "</section>");
}

fn of_figures(page: &mut String, figures: &[Figure]) {
    put(page, "<div class=\"scroll\"><table>");
    for figure in figures {
        put(
            page,
            &format!(
                "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"w\">{}</td><td class=\"faint\">{}</td></tr>",
                escaped(&figure.name),
                escaped(&figure.shown()),
                whisker(figure),
                escaped(&figure.shown_grounds())
            ),
        );
    }
    put(page, "</table></div>");
}

/// The interval of a share on a line from 0 to 1; nothing for other figures.
fn whisker(figure: &Figure) -> String {
    let (Unit::Share, Some(value), Some(interval)) = (figure.unit, figure.value, figure.interval) else {
        return String::new();
    };
    let at = |share: f64| 4.0 + share.clamp(0.0, 1.0) * 112.0;
    format!(
        "<svg viewBox=\"0 0 120 14\" width=\"120\" height=\"14\" aria-hidden=\"true\"><line class=\"axis\" x1=\"4\" y1=\"7\" \
         x2=\"116\" y2=\"7\"/><line class=\"whisker\" x1=\"{:.1}\" y1=\"7\" x2=\"{:.1}\" y2=\"7\"/><circle class=\"dot\" \
         cx=\"{:.1}\" cy=\"7\" r=\"3.5\"/></svg>",
        at(interval.low),
        at(interval.high),
        at(value)
    )
}

fn of_table(page: &mut String, table: &Table) {
    let open =
        |column: Option<&Column>| if column.is_some_and(|it| it.is_number) { " class=\"n\"" } else { "" };
    put(page, "<div class=\"scroll\"><table><tr>");
    for column in &table.columns {
        put(page, &format!("<th{}>{}</th>", open(Some(column)), escaped(&column.name)));
    }
    put(page, "</tr>");
    let mut written = 0;
    for row in &table.rows {
        if page.len() > LISTS_END {
            break;
        }
        written += 1;
        put(page, "<tr>");
        for (at, cell) in row.iter().enumerate() {
            put(page, &format!("<td{}>{}</td>", open(table.columns.get(at)), escaped(cell)));
        }
        put(page, "</tr>");
    }
    put(page, "</table></div>");
    more(page, table.rows.len() as u64, written);
}

fn of_chart(page: &mut String, chart: &Chart, title: &str) {
    let rows: usize = chart.bars.iter().map(|bar| bar.values.len()).sum();
    let height = rows as f64 * ROW + chart.bars.len() as f64 * 8.0;
    put(
        page,
        &format!(
            "<figure><svg viewBox=\"0 0 {CHART} {height}\" width=\"{CHART}\" role=\"img\" aria-label=\"{}\">",
            escaped(title)
        ),
    );
    let mut y = 4.0;
    for bar in &chart.bars {
        put(page, &format!("<text x=\"0\" y=\"{:.0}\">{}</text>", y + 13.0, escaped(&bar.name)));
        for (series, value) in bar.values.iter().enumerate() {
            let (length, shown) = value.map_or_else(
                || (0.0, "undefined".to_owned()),
                |value| (chart.length(value, CHART - NAMES - VALUES), chart.unit.shown(value)),
            );
            put(
                page,
                &format!(
                    "<rect class=\"s{}\" x=\"{NAMES}\" y=\"{y:.0}\" width=\"{length:.1}\" height=\"14\"/><text x=\"{:.1}\" \
                     y=\"{:.0}\">{}</text>",
                    series.min(1),
                    NAMES + length + 6.0,
                    y + 12.0,
                    escaped(&shown)
                ),
            );
            y += ROW;
        }
        y += 8.0;
    }
    put(page, "</svg>");
    if chart.series.len() > 1 {
        put(page, "<figcaption class=\"faint\">");
        for (at, name) in chart.series.iter().enumerate() {
            let which = if at == 0 { "upper bar" } else { "lower bar" };
            let joint = if at == 0 { "" } else { ", " };
            put(page, &format!("{joint}{which}: {}", escaped(name)));
        }
        put(page, "</figcaption>");
    }
    put(page, "</figure>");
}

fn of_findings(page: &mut String, findings: &Findings) {
    if findings.total == 0 {
        return put(page, &format!("<p>{}</p>", escaped(&findings.none)));
    }
    let mut list = findings.list.iter();
    for found in list.by_ref() {
        let before = page.len();
        of_found(page, found);
        if page.len() > LISTS_END {
            page.truncate(before);
            let rest = std::iter::once(found).chain(list);
            return in_short(page, rest, findings.unlisted());
        }
    }
    more(page, findings.unlisted(), 0);
}

fn of_found(page: &mut String, found: &Found) {
    let class = match found.severity {
        Some(Severity::Critical | Severity::High) => " class=\"bad\"",
        Some(Severity::Medium) => " class=\"doubt\"",
        Some(Severity::Low) | None => "",
    };
    let severity = found.severity.map_or(String::new(), |severity| format!("{severity} "));
    put(
        page,
        &format!(
            "<article{class}><p><strong>{severity}{}</strong> <span class=\"faint\">{}</span></p><p>{}</p>",
            escaped(&found.label),
            escaped(&found.id),
            in_lines(&found.text)
        ),
    );
    if !found.details.is_empty() {
        put(page, "<dl>");
        for detail in &found.details {
            put(page, &format!("<dt>{}</dt><dd>{}</dd>", escaped(&detail.name), in_lines(&detail.text)));
        }
        put(page, "</dl>");
    }
    put(page, "</article>");
}

/// The ids of the dangerous ones, the gravest first, and how many others there are.
fn in_short<'f>(page: &mut String, rest: impl Iterator<Item = &'f Found>, unlisted: u64) {
    let (mut named, mut ids, mut dangerous, mut nameless, mut others) =
        (None, String::new(), 0_u64, 0_u64, unlisted);
    for found in rest {
        let Some(severity) = found.severity.filter(|_| found.is_dangerous()) else {
            others += 1;
            continue;
        };
        dangerous += 1;
        if page.len() + ids.len() < IDS_END {
            let joint = if named == Some(severity) { ", ".to_owned() } else { format!(" {severity}: ") };
            named = Some(severity);
            put(&mut ids, &(joint + &escaped(&found.id)));
        } else {
            nameless += 1;
        }
    }
    if dangerous > 0 {
        let sentence = format!("{dangerous} more are CRITICAL or HIGH, and told in full by the JSON:");
        let without = match nameless {
            0 => String::new(),
            some => format!(", and {some} of these without their ids, for which there is no room here"),
        };
        put(page, &format!("<p>{sentence}{ids}{without}.</p>"));
    }
    more(page, others, 0);
}

/// Says that a list was cut, where it was.
fn more(page: &mut String, all: u64, written: u64) {
    if let more @ 1.. = all.saturating_sub(written) {
        put(page, &format!("<p>{more} more are left away to keep this page short: the JSON lists them.</p>"));
    }
}

fn put(page: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = page.write_str(text);
}

/// `text` as content, on as many lines as it has: for what people wrote.
fn in_lines(text: &str) -> String {
    let (kept, cut) = beginning(text);
    let lines: Vec<String> = kept.lines().map(escaped).collect();
    lines.join("<br>") + if cut { "…" } else { "" }
}

/// As much of `text` as is told, and whether that is not all.
fn beginning(text: &str) -> (&str, bool) {
    match text.char_indices().nth(MOST_CHARS) {
        Some((at, _)) => (text.get(..at).unwrap_or_default(), true),
        None => (text, false),
    }
}

/// `text` as content or in quotation marks, on one line, at most so many characters of it.
fn escaped(text: &str) -> String {
    let (kept, cut) = beginning(text);
    let mut out = String::with_capacity(kept.len());
    for c in visible(kept).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    if cut {
        out.push('…');
    }
    out
}
