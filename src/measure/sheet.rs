//! What a judge said of the labelled claims of one file, and the figures that follow.

use serde::Serialize;

use super::Figure;
use super::calibration::{brier, expected_error};
use super::classes::Confusion;
use super::ranking::{auroc, best_balanced_accuracy};
use crate::domain::verdict::Verdict;

/// One labelled claim and what was said of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    pub label: Verdict,
    /// Whether the label came from the source, or was made from a binary one.
    pub label_is_own: bool,
    /// The verdict and the probability that it is right; `None` when there is no verdict.
    pub said: Option<(Verdict, f64)>,
    /// Share of the claim's words that stand in the evidence.
    pub overlap: f64,
    /// For claims with marked evidence: how well the cited words match it, and how well the best sentence does.
    pub span_f1: Option<(f64, f64)>,
    /// Characters cited, where any were.
    pub cited: Option<usize>,
    /// Characters marked, where any were.
    pub marked: Option<usize>,
}

impl Row {
    fn is_supported(&self) -> bool {
        self.label == Verdict::FullySupported
    }

    fn says_supported(&self) -> bool {
        self.said.is_some_and(|(verdict, _)| verdict == Verdict::FullySupported)
    }

    /// How probable support is by what was said: the confidence of `FULLY_SUPPORTED`, what any other verdict leaves
    /// over, and nothing without a verdict.
    pub fn support(&self) -> f64 {
        match self.said {
            Some((Verdict::FullySupported, confidence)) => confidence,
            Some((_, confidence)) => 1.0 - confidence,
            None => 0.0,
        }
    }
}

/// By what a verdict is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Labelling {
    /// `FULLY_SUPPORTED` or not: the file has two labels, or made its finer ones from two.
    Binary,
    /// The label itself; a verdict for which the file has no label counts as UNSUPPORTED.
    Fine,
}

/// Says whether a verdict is right, by the labels of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruler {
    pub labelling: Labelling,
    /// Whether each verdict is a label of the file.
    known: [bool; 4],
}

impl Ruler {
    pub fn is_right(self, verdict: Verdict, label: Verdict) -> bool {
        match self.labelling {
            Labelling::Binary => (verdict == Verdict::FullySupported) == (label == Verdict::FullySupported),
            Labelling::Fine => {
                label == if self.known[verdict as usize] { verdict } else { Verdict::Unsupported }
            }
        }
    }
}

/// The rows of one file.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    pub rows: Vec<Row>,
}

/// The figures of one file, or their means over several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figures {
    /// Share of the claims with a verdict.
    pub coverage: Figure,
    /// Of supported against not; a claim without a verdict counts as not supported.
    pub balanced_accuracy: Figure,
    /// Of the probability of support ([`Row::support`]).
    pub auroc: Figure,
    pub contradicted_precision: Figure,
    pub contradicted_recall: Figure,
    /// Of the confidence, over the rows with a verdict.
    pub calibration_error: Figure,
    pub brier: Figure,
    /// Mean over the rows with marked evidence; one without a citation counts 0.
    pub span_f1: Figure,
    /// Median number of characters cited for a claim, over the claims with a citation.
    pub cited_characters: Figure,
    /// Median number of characters marked for a claim, over the claims with marks.
    pub marked_characters: Figure,
    /// The floor: the best balanced accuracy that a threshold on the share of shared words has on these very rows.
    pub overlap_balanced_accuracy: Figure,
    pub overlap_auroc: Figure,
    /// The floor: the one sentence with most of the claim's words, cited always.
    pub sentence_f1: Figure,
}

impl Figures {
    /// The mean of each figure over those of `all` that have it.
    pub fn mean(all: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> Figure| {
            Figure::mean(all.iter().filter_map(|figures| of(figures).value), "no file has it")
        };
        Self {
            coverage: mean(|f| f.coverage),
            balanced_accuracy: mean(|f| f.balanced_accuracy),
            auroc: mean(|f| f.auroc),
            contradicted_precision: mean(|f| f.contradicted_precision),
            contradicted_recall: mean(|f| f.contradicted_recall),
            calibration_error: mean(|f| f.calibration_error),
            brier: mean(|f| f.brier),
            span_f1: mean(|f| f.span_f1),
            cited_characters: mean(|f| f.cited_characters),
            marked_characters: mean(|f| f.marked_characters),
            overlap_balanced_accuracy: mean(|f| f.overlap_balanced_accuracy),
            overlap_auroc: mean(|f| f.overlap_auroc),
            sentence_f1: mean(|f| f.sentence_f1),
        }
    }
}

const NO_MARKS: &str = "no row has marked evidence";

impl Sheet {
    /// How often each label stands in the file, in the order of [`Verdict::ALL`].
    pub fn labels(&self) -> [u64; 4] {
        let mut counts = [0; 4];
        for row in &self.rows {
            counts[row.label as usize] += 1;
        }
        counts
    }

    pub fn ruler(&self) -> Ruler {
        let known = self.labels().map(|count| count > 0);
        let is_fine =
            known.iter().filter(|known| **known).count() > 2 && self.rows.iter().all(|row| row.label_is_own);
        Ruler { labelling: if is_fine { Labelling::Fine } else { Labelling::Binary }, known }
    }

    /// How CONTRADICTED fared; `None` in a file without that label, where nothing could prove an alarm false.
    pub fn contradicted(&self) -> Option<Confusion> {
        let mut counts = Confusion::default();
        for row in &self.rows {
            let said = row.said.is_some_and(|(verdict, _)| verdict == Verdict::Contradicted);
            counts.add(row.label == Verdict::Contradicted, said);
        }
        (counts.hits + counts.misses > 0).then_some(counts)
    }

    pub fn figures(&self) -> Figures {
        let rows = &self.rows;
        let ruler = self.ruler();
        let mut supported = Confusion::default();
        for row in rows {
            supported.add(row.is_supported(), row.says_supported());
        }
        let scored = |score: fn(&Row) -> f64| -> Vec<(f64, bool)> {
            rows.iter().map(|row| (score(row), row.is_supported())).collect()
        };
        let overlaps = scored(|row| row.overlap);
        let said = rows.iter().filter_map(|row| Some((row.said?, row.label)));
        let confident: Vec<(f64, bool)> =
            said.map(|((verdict, confidence), label)| (confidence, ruler.is_right(verdict, label))).collect();
        let contradicted = self.contradicted();
        let of_contradicted = |figure: fn(Confusion) -> Figure| {
            contradicted.map_or(Figure::undefined("no row is labelled CONTRADICTED"), figure)
        };
        let median = |length: fn(&Row) -> Option<usize>, because| {
            Figure::median(rows.iter().filter_map(length).map(|length| length as f64).collect(), because)
        };
        let mean = |part: fn((f64, f64)) -> f64| {
            Figure::mean(rows.iter().filter_map(|row| row.span_f1.map(part)), NO_MARKS)
        };
        Figures {
            coverage: Figure::share(confident.len() as u64, rows.len() as u64, "there is no row"),
            balanced_accuracy: supported.balanced_accuracy(),
            auroc: auroc(&scored(Row::support)),
            contradicted_precision: of_contradicted(Confusion::precision),
            contradicted_recall: of_contradicted(Confusion::recall),
            calibration_error: expected_error(&confident),
            brier: brier(&confident),
            span_f1: mean(|(own, _)| own),
            cited_characters: median(|row| row.cited, "nothing was cited"),
            marked_characters: median(|row| row.marked, NO_MARKS),
            overlap_balanced_accuracy: best_balanced_accuracy(&overlaps),
            overlap_auroc: auroc(&overlaps),
            sentence_f1: mean(|(_, floor)| floor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Contradicted, FullySupported, PartiallySupported, Unsupported};

    fn row(label: Verdict, said: Option<(Verdict, f64)>) -> Row {
        Row { label, label_is_own: true, said, overlap: 0.5, span_f1: None, cited: None, marked: None }
    }

    fn near(figure: Figure, expected: f64) {
        assert!(figure.value.is_some_and(|value| (value - expected).abs() < 1e-12), "{figure:?}");
    }

    #[test]
    fn a_worked_example_of_three_labels() {
        let sheet = Sheet {
            rows: vec![
                row(FullySupported, Some((FullySupported, 0.9))),
                row(FullySupported, None),
                row(Unsupported, Some((PartiallySupported, 0.6))),
                row(Contradicted, Some((Unsupported, 0.5))),
                row(Contradicted, Some((Contradicted, 0.8))),
                row(Unsupported, Some((Contradicted, 0.8))),
            ],
        };
        let figures = sheet.figures();
        near(figures.coverage, 5.0 / 6.0);
        near(figures.balanced_accuracy, 0.75);
        // 0.9 is above all four others, 0 for the one without a verdict below all.
        near(figures.auroc, 0.5);
        near(figures.contradicted_precision, 0.5);
        near(figures.contradicted_recall, 0.5);
        // The file knows no partial support, so that counts as unsupported: right are 0.9, 0.6 and one 0.8.
        near(figures.brier, (0.01 + 0.16 + 0.25 + 0.04 + 0.64) / 5.0);
        assert_eq!(sheet.ruler().labelling, Labelling::Fine);
    }

    #[test]
    fn two_labels_are_a_binary_question() {
        let sheet =
            Sheet { rows: vec![row(FullySupported, None), row(Contradicted, Some((Unsupported, 1.0)))] };
        assert_eq!(sheet.ruler().labelling, Labelling::Binary);
        near(sheet.figures().calibration_error, 0.0);
        let mut made = sheet;
        made.rows.push(Row { label_is_own: false, ..row(Unsupported, Some((Contradicted, 1.0))) });
        assert_eq!(made.ruler().labelling, Labelling::Binary, "finer labels that the source did not give");
        near(made.figures().calibration_error, 0.0);
    }

    #[test]
    fn what_a_file_cannot_show_is_undefined() {
        let figures = Sheet { rows: vec![row(PartiallySupported, None)] }.figures();
        for figure in [
            figures.balanced_accuracy,
            figures.auroc,
            figures.contradicted_precision,
            figures.calibration_error,
            figures.span_f1,
            figures.cited_characters,
        ] {
            assert!(figure.value.is_none() && figure.undefined_because.is_some());
        }
        assert!(Sheet::default().figures().coverage.undefined_because.is_some());
        near(Figures::mean(&[figures, figures]).coverage, 0.0);
        assert!(Figures::mean(&[]).auroc.undefined_because.is_some());
    }
}
