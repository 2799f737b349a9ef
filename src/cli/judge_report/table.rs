//! The report as people read it: tables that are also Markdown.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::told::{FileTold, Report};
use crate::measure::Figure;
use crate::measure::sheet::Figures;
use crate::text::sanitize::visible;
use crate::text::width::{pad, width};

/// A column of the table: its head, and what stands in it.
type Column = (&'static str, fn(&Figures) -> Figure, Style);

#[derive(Clone, Copy)]
enum Style {
    Share,
    Whole,
}

const COLUMNS: &[Column] = &[
    ("verdicts", |f| f.coverage, Style::Share),
    ("bal. acc.", |f| f.balanced_accuracy, Style::Share),
    ("AUROC", |f| f.auroc, Style::Share),
    ("contradicted precision", |f| f.contradicted_precision, Style::Share),
    ("recall", |f| f.contradicted_recall, Style::Share),
    ("ECE", |f| f.calibration_error, Style::Share),
    ("span F1", |f| f.span_f1, Style::Share),
    ("chars", |f| f.cited_characters, Style::Whole),
    ("words: bal. acc.", |f| f.overlap_balanced_accuracy, Style::Share),
    ("words: AUROC", |f| f.overlap_auroc, Style::Share),
    ("sentence: F1", |f| f.sentence_f1, Style::Share),
];

pub(super) fn text(report: &Report) -> String {
    let judge = &report.judge;
    let mut told = format!("judge {}, rules {}\n", judge.judge, judge.prompt_version);
    let with_claims: Vec<&FileTold> = report.files.iter().filter(|file| file.claims > 0).collect();
    if !with_claims.is_empty() {
        let _ = write!(told, "\n{}", claims(report, &with_claims));
    }
    for note in notes(report, &with_claims) {
        let _ = writeln!(told, "{note}");
    }
    let _ = write!(told, "{}", answers(report));
    for file in &report.files {
        let _ = write!(told, "{}", worst(file));
    }
    if report.files.iter().all(|file| file.claims == 0 && file.answers.is_none()) {
        told.push_str("\nno labelled row was read\n");
    }
    told.trim_end().to_owned()
}

fn claims(report: &Report, files: &[&FileTold]) -> String {
    let mut rows = vec![vec!["file".to_owned(), "claims".to_owned()]];
    rows[0].extend(COLUMNS.iter().map(|(head, ..)| (*head).to_owned()));
    rows[0].push("claims/s".to_owned());
    let mut row = |name: &str, claims: u64, figures: &Figures, speed: Figure| {
        let mut cells = vec![name.to_owned(), claims.to_string()];
        cells.extend(COLUMNS.iter().map(|(_, figure, style)| cell(figure(figures), *style)));
        cells.push(cell(speed, Style::Whole));
        rows.push(cells);
    };
    for file in files {
        row(&short(&file.file), file.claims, &file.figures, file.claims_per_second);
    }
    if let Some(english) = &report.english {
        row("mean of English files", english.claims, &english.figures, english.claims_per_second);
    }
    markdown(&rows)
}

/// What the table leaves open, and why.
fn notes(report: &Report, files: &[&FileTold]) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(english) = &report.english {
        let together = &english.contradicted_together;
        if together.labelled > 0 {
            notes.push(format!(
                "CONTRADICTED over the English files together: said {} times, precision {}; {} labelled, recall {}",
                together.said,
                cell(together.precision, Style::Share),
                together.labelled,
                cell(together.recall, Style::Share)
            ));
        }
        if !english.one_class.is_empty() {
            let names: Vec<String> = english.one_class.iter().map(|name| short(name)).collect();
            notes.push(format!(
                "the mean balanced accuracy leaves out, since all their claims are of one class: {}",
                names.join(", ")
            ));
        }
    }
    for file in report.files.iter().filter(|file| file.failed > 0) {
        let rows =
            file.failed + file.claims + file.answers.as_ref().map_or(0, |answers| answers.found.answers);
        notes.push(format!(
            "{}: the judge failed at {} of {rows} rows, which count in no figure, nor in the floors'",
            short(&file.file),
            file.failed
        ));
    }
    // Columns that are open in the same files for the same reason are told of together.
    let mut open: Vec<((&str, String), Vec<&str>)> = Vec::new();
    for (head, figure, _) in COLUMNS {
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for file in files {
            if let Some(reason) = figure(&file.figures).undefined_because {
                reasons.entry(reason).or_default().push(short(&file.file));
            }
        }
        for (reason, names) in reasons {
            let key = (reason, names.join(", "));
            match open.iter_mut().find(|(known, _)| *known == key) {
                Some((_, heads)) => heads.push(head),
                None => open.push((key, vec![head])),
            }
        }
    }
    let told = |((reason, names), heads): ((&str, String), Vec<&str>)| {
        format!("– in {}: {reason} ({names})", heads.join(" and "))
    };
    notes.extend(open.into_iter().map(told));
    if !notes.is_empty() {
        notes.insert(0, String::new());
    }
    notes
}

fn answers(report: &Report) -> String {
    let head =
        ["answers in", "answers", "claims marked", "found", "as marked", "recall", "claims made", "no claim"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for file in &report.files {
        let Some(answers) = &file.answers else { continue };
        let found = &answers.found;
        let mut cells = vec![short(&file.file)];
        cells.extend([found.answers, found.marked, found.found, found.alone].map(|count| count.to_string()));
        cells.push(cell(answers.recall, Style::Share));
        cells.extend([found.produced, found.no_claims].map(|count| count.to_string()));
        rows.push(cells);
    }
    if rows.len() == 1 { String::new() } else { format!("\n{}", markdown(&rows)) }
}

fn worst(file: &FileTold) -> String {
    let mut told = String::new();
    for (at, wrong) in file.worst.iter().enumerate() {
        if at == 0 {
            let _ = writeln!(told, "\n{}: the surest wrong verdicts", short(&file.file));
        }
        let _ = writeln!(
            told,
            "{:.2} {} where the label is {}: {} ({})\n     {}",
            wrong.confidence,
            wrong.verdict,
            wrong.label,
            visible(&wrong.claim),
            visible(&wrong.id),
            visible(&wrong.rationale)
        );
    }
    told
}

fn cell(figure: Figure, style: Style) -> String {
    match (figure.value, style) {
        (Some(value), Style::Share) => format!("{value:.3}"),
        (Some(value), Style::Whole) => format!("{value:.0}"),
        (None, _) => "–".to_owned(),
    }
}

/// The file's name without its folder and ending.
fn short(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let bare = name.strip_suffix(".gz").unwrap_or(name);
    let bare =
        [".jsonl", ".ndjson", ".json"].iter().find_map(|ending| bare.strip_suffix(ending)).unwrap_or(bare);
    visible(bare).replace('|', "\\|")
}

/// Rows of cells, the first being the head; all columns but the first to the right.
fn markdown(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| width(cell)).max().unwrap_or(0).max(3))
        .collect();
    let mut told = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (at, (cell, cells)) in row.iter().zip(&widths).enumerate() {
            let padded = if at == 0 {
                pad(cell, *cells)
            } else {
                format!("{}{cell}", " ".repeat(cells - width(cell)))
            };
            let _ = write!(told, "| {padded} ");
        }
        told.push_str("|\n");
        if number == 0 {
            for (at, cells) in widths.iter().enumerate() {
                let rule = "-".repeat(cells + 1);
                let _ = write!(told, "|{rule}{}", if at == 0 { "-" } else { ":" });
            }
            told.push_str("|\n");
        }
    }
    told
}
