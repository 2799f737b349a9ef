//! A report for a terminal, a mail or a log: lines of at most [`COLUMNS`] cells, safe to print.

use super::{Chart, Condition, Figure, Findings, Found, Gate, Part, Report, Says, Shows, Table};
use crate::domain::verdict::Severity;
use crate::text::sanitize::visible;
use crate::text::width::{pad, truncate, width};
use crate::text::wrap::wrap;

/// Cells of a line.
pub const COLUMNS: usize = 80;
/// Findings that are written out beside the dangerous ones, which all are; the rest are counted.
pub const MOST_FINDINGS: usize = 20;
/// Cells of the longest bar.
const BAR: usize = 30;
/// Cells before a text that goes on below itself; behind more it begins on a line of its own.
const MOST_INDENT: usize = 54;
/// The narrowest column of words.
const LEAST: usize = 8;

/// Whether colours are set, as a terminal understands them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Colour,
}

#[derive(Clone, Copy)]
enum Tone {
    Strong,
    Good,
    Bad,
    Doubtful,
    Faint,
}

impl Paint {
    fn of(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Strong => "1",
            Tone::Good => "32",
            Tone::Bad => "1;31",
            Tone::Doubtful => "33",
            Tone::Faint => "2",
        };
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

/// The report in lines, the last with its line feed. Without colours no control character but line feeds is in it.
pub fn write(report: &Report, paint: Paint) -> String {
    let mut page = Page { lines: Vec::new(), paint };
    page.head(report);
    if let Some(gate) = &report.gate {
        page.gate(gate);
    }
    page.facts(report);
    for part in &report.parts {
        page.part(part);
    }
    page.lines.join("\n") + "\n"
}

struct Page {
    lines: Vec<String>,
    paint: Paint,
}

impl Page {
    fn head(&mut self, report: &Report) {
        for line in wrapped(&report.title, COLUMNS) {
            self.lines.push(self.paint.of(Tone::Strong, &line));
        }
        if let Some(why) = &report.provisional {
            for (at, line) in wrapped(&format!("PROVISIONAL: {why}"), COLUMNS).into_iter().enumerate() {
                let tone = if at == 0 { Tone::Bad } else { Tone::Doubtful };
                self.lines.push(self.paint.of(tone, &line));
            }
        }
        for sentence in &report.sentences {
            self.lines.extend(wrapped(sentence, COLUMNS));
        }
    }

    fn gate(&mut self, gate: &Gate) {
        let tone = tone_of(gate.says);
        self.lines.push(String::new());
        for line in wrapped(&gate.sentence(), COLUMNS) {
            self.lines.push(self.paint.of(tone, &line));
        }
        for Condition { asked, says, sentence } in &gate.conditions {
            let begin = format!("  {}", pad(says.word(), 12));
            let lines = hanging(&begin, &format!("{asked}: {sentence}"));
            let (first, rest) =
                lines.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
            let word = self.paint.of(tone_of(*says), says.word());
            self.lines.push(first.replacen(says.word(), &word, 1));
            self.lines.extend(rest.iter().cloned());
        }
    }

    fn facts(&mut self, report: &Report) {
        self.lines.push(String::new());
        let name = report.name.iter().map(|name| ("name", name.clone()));
        let made = std::iter::once(("made", format!("{} by {}", report.made_at, report.program)));
        let facts = report.facts.iter().map(|fact| (fact.name.as_str(), fact.value.clone()));
        let all: Vec<(&str, String)> = name.chain(facts).chain(made).collect();
        let widest = all.iter().map(|(name, _)| width(&visible(name))).max().unwrap_or(0).min(COLUMNS / 3);
        for (name, value) in all {
            self.lines.extend(hanging(&format!("{}  ", pad(&visible(name), widest)), &value));
        }
    }

    fn part(&mut self, part: &Part) {
        self.lines.push(String::new());
        let title = truncate(&visible(&part.title), COLUMNS).into_owned();
        self.lines.push(self.paint.of(Tone::Strong, &title));
        for sentence in &part.sentences {
            self.lines.extend(wrapped(sentence, COLUMNS));
        }
        match &part.shows {
            Shows::Figures(figures) => self.figures(figures),
            Shows::Table(table) => self.table(table),
            Shows::Chart(chart) => self.chart(chart),
            Shows::Findings(findings) => self.findings(findings),
        }
    }

    fn figures(&mut self, figures: &[Figure]) {
        let names = figures.iter().map(|figure| width(&visible(&figure.name))).max().unwrap_or(0).min(36);
        let values = figures.iter().map(|figure| width(&figure.shown())).max().unwrap_or(0);
        for figure in figures {
            let value = figure.shown();
            let blank = " ".repeat(values.saturating_sub(width(&value)));
            let begin = format!("  {}  {blank}{value}  ", pad(&visible(&figure.name), names));
            self.lines.extend(hanging(&begin, &figure.shown_grounds()));
        }
    }

    fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            return self.lines.push("  none".to_owned());
        }
        let mut widths: Vec<usize> = (0..table.columns.len())
            .map(|at| {
                let cells = table.rows.iter().filter_map(|row| row.get(at)).map(String::as_str);
                let heads = table.columns.get(at).map(|column| column.name.as_str());
                cells.chain(heads).map(|cell| width(&visible(cell))).max().unwrap_or(0)
            })
            .collect();
        let room = COLUMNS.saturating_sub(2 * table.columns.len());
        fit(&mut widths, room);
        let heads = table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>();
        for head in row(table, &widths, &heads) {
            self.lines.push(self.paint.of(Tone::Faint, &head));
        }
        for cells in &table.rows {
            self.lines.extend(row(table, &widths, &cells.iter().map(String::as_str).collect::<Vec<_>>()));
        }
    }

    fn chart(&mut self, chart: &Chart) {
        const FILLS: [char; 4] = ['▒', '█', '░', '▓'];
        if chart.series.len() > 1 {
            let legend = chart.series.iter().zip(FILLS.iter().cycle());
            let legend: Vec<String> =
                legend.map(|(name, fill)| format!("{fill} {}", visible(name))).collect();
            self.lines.extend(wrapped(&format!("  {}", legend.join("   ")), COLUMNS));
        }
        let names = chart.bars.iter().map(|bar| width(&visible(&bar.name))).max().unwrap_or(0).min(28);
        for bar in &chart.bars {
            for (at, (value, fill)) in bar.values.iter().zip(FILLS.iter().cycle()).enumerate() {
                let name = if at == 0 { pad(&visible(&bar.name), names) } else { " ".repeat(names) };
                let (length, shown) = value.map_or_else(
                    || (0, "undefined".to_owned()),
                    |value| (chart.length(value, BAR as f64).round() as usize, chart.unit.shown(value)),
                );
                let drawn: String = std::iter::repeat_n(*fill, length).collect();
                let joint = if length > 0 { " " } else { "" };
                self.lines.push(format!("  {name}  {drawn}{joint}{shown}"));
            }
        }
    }

    fn findings(&mut self, findings: &Findings) {
        if findings.total == 0 {
            return self.lines.extend(hanging("  ", &findings.none));
        }
        let mut written = 0;
        for found in findings.told(MOST_FINDINGS) {
            self.found(found);
            written += 1;
        }
        if let more @ 1.. = findings.total.saturating_sub(written) {
            self.lines.push(format!("  {}", findings.others(more)));
        }
    }

    /// What was said on several lines stays so; all but the first are set in, so that none passes for a line of the
    /// report's own.
    fn found(&mut self, found: &Found) {
        let severity = found.severity.map_or("", Severity::label);
        let label = visible(&found.label);
        let head =
            [severity, &label].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let lines = hanging(&format!("  {head}  "), &found.id);
        for (at, line) in lines.into_iter().enumerate() {
            let painted = self.paint.of(tone_of_severity(found.severity), &head);
            self.lines.push(if at == 0 { line.replacen(&head, &painted, 1) } else { line });
        }
        let mut said = found.text.lines();
        self.lines.extend(hanging("    ", said.next().unwrap_or_default()));
        said.for_each(|line| self.lines.extend(hanging("      ", line)));
        for detail in &found.details {
            // Names are as long as people's are: what is said goes on below, not far to the right.
            let said = format!("{}: {}", detail.name, detail.text);
            let lines = said.lines().flat_map(|line| wrapped(line, COLUMNS - 6));
            let begins = std::iter::once("    ").chain(std::iter::repeat("      "));
            self.lines.extend(
                begins.zip(lines).map(|(begin, line)| format!("{begin}{line}").trim_end().to_owned()),
            );
        }
    }
}

fn tone_of(says: Says) -> Tone {
    match says {
        Says::Yes => Tone::Good,
        Says::CannotSay => Tone::Doubtful,
        Says::No => Tone::Bad,
    }
}

fn tone_of_severity(severity: Option<Severity>) -> Tone {
    match severity {
        Some(Severity::Critical | Severity::High) => Tone::Bad,
        Some(Severity::Medium) => Tone::Doubtful,
        Some(Severity::Low) | None => Tone::Faint,
    }
}

/// Takes cells from the widest columns until all fit into `room`.
fn fit(widths: &mut [usize], room: usize) {
    while widths.iter().sum::<usize>() > room {
        let Some(widest) = widths.iter_mut().max().filter(|widest| **widest > LEAST) else { return };
        *widest -= 1;
    }
}

/// A row in as many lines as its longest cell needs: no cell is cut.
fn row(table: &Table, widths: &[usize], cells: &[&str]) -> Vec<String> {
    let cells: Vec<Vec<String>> =
        cells.iter().zip(widths).map(|(cell, cells_wide)| wrapped(cell, *cells_wide)).collect();
    let lines = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let mut line = String::new();
        for ((column, cells_wide), cell) in table.columns.iter().zip(widths).zip(&cells) {
            line.push_str("  ");
            let shown = cell.get(at).map_or("", String::as_str);
            if column.is_number {
                line.push_str(&" ".repeat(cells_wide.saturating_sub(width(shown))));
                line.push_str(shown);
            } else {
                line.push_str(&pad(shown, *cells_wide));
            }
        }
        line.trim_end().to_owned()
    };
    (0..lines).map(line).collect()
}

/// `text` in lines of at most `cells` cells, made visible.
fn wrapped(text: &str, cells: usize) -> Vec<String> {
    let shown = visible(text);
    let most = u16::try_from(cells).unwrap_or(u16::MAX);
    let lines = wrap(&shown, most);
    let lines = lines.iter().filter_map(|line| line.span.of(&shown)).map(str::trim_end);
    // A mark that is drawn with what follows it is told by its number, and wider, where a line ends behind it.
    lines
        .flat_map(|line| if width(line) > cells { wrapped(line, cells) } else { vec![line.to_owned()] })
        .collect()
}

/// `text` behind `begin`, further lines as far to the right as long as there is room.
fn hanging(begin: &str, text: &str) -> Vec<String> {
    let indent = width(begin).min(MOST_INDENT);
    let begins_alone = width(begin) > MOST_INDENT;
    let lines = wrapped(text, COLUMNS - indent);
    let mut all = Vec::with_capacity(lines.len() + 1);
    if begins_alone {
        all.push(truncate(begin.trim_end(), COLUMNS).into_owned());
    }
    for (at, line) in lines.into_iter().enumerate() {
        let blank = " ".repeat(indent);
        let before = if at == 0 && !begins_alone { begin } else { &blank };
        let line = format!("{before}{line}").trim_end().to_owned();
        if !(begins_alone && line.is_empty()) {
            all.push(line);
        }
    }
    all
}
