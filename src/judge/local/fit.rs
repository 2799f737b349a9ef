//! Makes the constants of the judge from labelled claims: what each feature is worth from one set of files, where the
//! thresholds lie and how sure a verdict is from another.
//!
//! Logistic regression with a penalty on large weights, by coordinates; a feature that can only speak for
//! support (or only against it) gets no weight of the other sign, which is what carries over to texts of another kind.
//! Every file counts the same, and within a file both answers. Same rows, same constants. It must not know files.

use std::collections::BTreeMap;

use super::features::Features;
use super::weigh::weigh;
use super::weights::{Confidence, Curve, Linear, Ready, Thresholds, Weights, logistic};
use crate::domain::verdict::Verdict;

/// The penalty on the square of a weight, per feature of unit spread.
const PENALTY: f64 = 0.01;
/// Rounds over all coordinates.
const ROUNDS: usize = 60;
/// Features that tell files apart rather than claims, and one that is weighed by hand.
const LEFT_OUT: &[&str] = &["firm", "forbidden", "length", "evidence_length", "window_length", "is_foreign"];
/// What a file with two labels counts for contradictions beside one with three.
const TWO_LABELS: f64 = 0.3;
/// What may speak for a contradiction (1) or against it (-1) once a conflict is located; nothing else counts.
const CONTRADICTS: &[(&str, i8)] = &[
    ("coverage", 1),
    ("completed", 1),
    ("sentence", 1),
    ("pairs", 1),
    ("trigrams", 1),
    ("repeated", 1),
    ("density", 1),
    ("nearness", 1),
    ("numbers", 1),
    ("dates", 1),
    ("negations", 1),
    ("opposites", 1),
    ("missing_opposites", 1),
    ("roles", 1),
    ("names", 1),
    ("replaced_in_copy", 1),
    ("only_claim_negates", 1),
    ("context", 1),
    ("missing", -1),
    ("absent_numbers", -1),
    ("far_numbers", -1),
    ("absent_names", -1),
    ("inversions", -1),
    ("unsaid", -1),
];
/// Features that speak for support only in the files that are fitted to, where most false claims are negated ones.
const LEFT_OUT_OF_SUPPORT: &[&str] = &["only_claim_negates", "only_window_negates", "absent_directions"];
/// The least share of contradictions that must be right.
const PRECISION: f64 = 0.75;
/// The score of a claim without a word that could be compared.
const NOTHING_COUNTED: f64 = -3.0;
/// Log odds of a contradiction that is as likely as not.
const EVEN: f64 = 0.0;
/// A threshold that leaves fewer contradictions than this says nothing of them.
const LEAST_ALARMS: usize = 50;

/// What was counted for a labelled claim: one entry for each of its sentences.
#[derive(Debug, Clone)]
pub struct Row {
    /// Which file it is from.
    pub file: usize,
    pub label: Verdict,
    /// Whether the file's labels tell more than supported and not.
    pub is_fine: bool,
    counted: Vec<Features>,
}

impl Row {
    pub fn new(file: usize, label: Verdict, is_fine: bool, counted: super::Counted) -> Self {
        Self { file, label, is_fine, counted: counted.0 }
    }
}

/// Fits weights to `fitting` and chooses thresholds and confidence on `choosing`.
pub fn fit(fitting: &[Row], choosing: &[Row], made: String) -> Weights {
    let support = regression(
        fitting,
        &|row| row.label == Verdict::FullySupported,
        &|_, _| true,
        &speaks_for_support,
        &|_| 1.0,
    );
    let contradicted = |row: &Row| row.label == Verdict::Contradicted;
    let has_contradictions: Vec<usize> = files(fitting)
        .into_iter()
        .filter(|file| fitting.iter().any(|row| row.file == *file && contradicted(row)))
        .collect();
    let contradiction = regression(
        fitting,
        &contradicted,
        &|row, features| has_contradictions.contains(&row.file) && features.has_conflict(),
        &|name| CONTRADICTS.iter().find(|(known, _)| *known == name).map(|(_, way)| *way),
        // Where no claim is neither borne out nor contradicted, little can be learnt of contradictions.
        &|row| if row.is_fine { 1.0 } else { TWO_LABELS },
    );
    let mut weights = Weights { made, support, contradiction, ..Weights::default() };
    weights.thresholds = thresholds(&weights, choosing);
    weights.confidence = confidence(&weights, choosing);
    weights
}

/// Whether a feature may speak for support, against it or either; `None` when it is left out.
fn speaks_for_support(name: &str) -> Option<i8> {
    let at = Features::NAMES.iter().position(|known| *known == name)?;
    let is_left_out = LEFT_OUT.contains(&name) || LEFT_OUT_OF_SUPPORT.contains(&name);
    (!is_left_out).then_some(Features::WAYS[at])
}

/// The weights rounded to what they are worth: four digits.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn regression(
    rows: &[Row],
    is: &dyn Fn(&Row) -> bool,
    counts: &dyn Fn(&Row, &Features) -> bool,
    way: &dyn Fn(&str) -> Option<i8>,
    worth: &dyn Fn(&Row) -> f64,
) -> Linear {
    let mut values: Vec<Vec<f64>> = Vec::new();
    let mut answers: Vec<(usize, bool)> = Vec::new();
    let mut file_worth: Vec<f64> = Vec::new();
    for row in rows {
        for features in row.counted.iter().filter(|features| counts(row, features)) {
            values.push(features.values().to_vec());
            answers.push((row.file, is(row)));
            file_worth.push(worth(row));
        }
    }
    let width = Features::NAMES.len();
    if values.is_empty() {
        return Linear::default();
    }
    let n = values.len() as f64;
    let mean: Vec<f64> = (0..width).map(|at| values.iter().map(|row| row[at]).sum::<f64>() / n).collect();
    let spread: Vec<f64> = (0..width)
        .map(|at| (values.iter().map(|row| (row[at] - mean[at]).powi(2)).sum::<f64>() / n).sqrt())
        .collect();
    let shares = shares(&answers, &file_worth);
    let used: Vec<(usize, i8)> = (0..width)
        .filter(|at| spread[*at] > 1e-9)
        .filter_map(|at| Some((at, way(Features::NAMES[at])?)))
        .collect();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (at, _) in &used {
        columns.push(values.iter().map(|row| (row[*at] - mean[*at]) / spread[*at]).collect());
    }
    let mut worth = vec![0.0; used.len()];
    let mut base = 0.0;
    let mut score = vec![0.0; values.len()];
    for _ in 0..ROUNDS {
        let (slope, bend) = derivatives(&score, &answers, &shares, None);
        let step = slope / bend.max(1e-9);
        base -= step;
        for score in &mut score {
            *score -= step;
        }
        for (at, column) in columns.iter().enumerate() {
            let (slope, bend) = derivatives(&score, &answers, &shares, Some(column));
            let mut next = worth[at] - (slope + PENALTY * worth[at]) / (bend + PENALTY);
            match used[at].1 {
                1 => next = next.max(0.0),
                -1 => next = next.min(0.0),
                _ => {}
            }
            let step = next - worth[at];
            if step.abs() > 1e-12 {
                worth[at] = next;
                for (score, value) in score.iter_mut().zip(column) {
                    *score += step * value;
                }
            }
        }
    }
    let mut weights = BTreeMap::new();
    let mut intercept = base;
    for (place, (at, _)) in used.iter().enumerate() {
        let weight = worth[place] / spread[*at];
        intercept -= weight * mean[*at];
        if rounded(weight) != 0.0 {
            weights.insert(Features::NAMES[*at].to_owned(), rounded(weight));
        }
    }
    Linear { intercept: rounded(intercept), weights }
}

/// What each row counts, so that every file counts what it is worth and within it both answers the same; together 1.
fn shares(answers: &[(usize, bool)], worth: &[f64]) -> Vec<f64> {
    let mut counts: BTreeMap<(usize, bool), f64> = BTreeMap::new();
    for answer in answers {
        *counts.entry(*answer).or_default() += 1.0;
    }
    let raw: Vec<f64> = answers.iter().zip(worth).map(|(answer, worth)| worth / counts[answer]).collect();
    let total: f64 = raw.iter().sum();
    raw.iter().map(|share| share / total).collect()
}

/// Slope and bend of the loss along a column, or along the constant.
fn derivatives(
    score: &[f64],
    answers: &[(usize, bool)],
    shares: &[f64],
    column: Option<&Vec<f64>>,
) -> (f64, f64) {
    let (mut slope, mut bend) = (0.0, 0.0);
    for (at, (_, is)) in answers.iter().enumerate() {
        let value = column.map_or(1.0, |column| column[at]);
        let p = logistic(score[at]);
        slope += shares[at] * (p - f64::from(u8::from(*is))) * value;
        bend += shares[at] * p * (1.0 - p) * value * value;
    }
    (slope, bend)
}

/// What the judge says of a whole row, with the score that decides: it is only as good as all its sentences.
fn said(row: &Row, by: &Ready) -> (Verdict, f64, f64) {
    if row.counted.is_empty() {
        return (Verdict::Unsupported, NOTHING_COUNTED, NOTHING_COUNTED);
    }
    let parts: Vec<_> = row.counted.iter().map(|features| weigh(features, by)).collect();
    let support = parts.iter().map(|part| part.support).fold(f64::INFINITY, f64::min);
    let contradicted = || parts.iter().filter(|part| part.verdict == Verdict::Contradicted);
    let contradiction = contradicted().map(|part| part.contradiction).fold(f64::NEG_INFINITY, f64::max);
    let is = |verdict: Verdict| parts.iter().any(|part| part.verdict == verdict);
    let verdict = if contradiction > f64::NEG_INFINITY {
        Verdict::Contradicted
    } else if parts.iter().all(|part| part.verdict == Verdict::FullySupported) {
        Verdict::FullySupported
    } else if is(Verdict::FullySupported) || is(Verdict::PartiallySupported) {
        Verdict::PartiallySupported
    } else {
        Verdict::Unsupported
    };
    (verdict, support, contradiction)
}

/// The files that `rows` are from.
fn files(rows: &[Row]) -> Vec<usize> {
    let mut files: Vec<usize> = rows.iter().map(|row| row.file).collect();
    files.sort_unstable();
    files.dedup();
    files
}

fn share(hits: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { hits as f64 / all as f64 }
}

/// Mean over the files of the balanced accuracy of supported against not.
pub fn balanced_accuracy(rows: &[Row], weights: &Weights) -> f64 {
    let by = Ready::new(weights);
    let told: Vec<(usize, bool, bool)> = rows
        .iter()
        .map(|row| {
            let (verdict, ..) = said(row, &by);
            (row.file, row.label == Verdict::FullySupported, verdict == Verdict::FullySupported)
        })
        .collect();
    mean_over_files(rows, |file| {
        let of = |meant: bool| {
            let all = told.iter().filter(|told| told.0 == file && told.1 == meant);
            let (hits, all) =
                all.fold((0, 0), |(hits, all), told| (hits + usize::from(told.2 == meant), all + 1));
            (all > 0).then(|| share(hits, all))
        };
        Some(f64::midpoint(of(true)?, of(false)?))
    })
}

fn mean_over_files(rows: &[Row], figure: impl Fn(usize) -> Option<f64>) -> f64 {
    let figures: Vec<f64> = files(rows).into_iter().filter_map(figure).collect();
    figures.iter().sum::<f64>() / (figures.len() as f64).max(1.0)
}

/// Candidates for a threshold: log odds from -3 to 3.
fn steps() -> impl Iterator<Item = f64> {
    (-60..=60).map(|step| f64::from(step) / 20.0)
}

fn thresholds(weights: &Weights, rows: &[Row]) -> Thresholds {
    let with = |thresholds: Thresholds| Weights { thresholds, ..weights.clone() };
    let none = f64::MAX;
    let better =
        |best: (f64, f64), step: f64, figure: f64| if figure > best.0 { (figure, step) } else { best };
    let full = steps().fold((0.0, 0.0), |best, step| {
        better(
            best,
            step,
            balanced_accuracy(rows, &with(Thresholds { full: step, part: none, contradiction: none })),
        )
    });
    let fine: Vec<Row> = rows.iter().filter(|row| row.is_fine).cloned().collect();
    let has_part: Vec<usize> = files(&fine)
        .into_iter()
        .filter(|file| fine.iter().any(|row| row.file == *file && row.label == Verdict::PartiallySupported))
        .collect();
    let right = |weights: &Weights| {
        let by = Ready::new(weights);
        let right = |file: usize| {
            let own = || fine.iter().filter(move |row| row.file == file);
            has_part
                .contains(&file)
                .then(|| share(own().filter(|row| said(row, &by).0 == row.label).count(), own().count()))
        };
        mean_over_files(&fine, right)
    };
    let part = steps().filter(|step| *step <= full.1).fold((0.0, full.1), |best, step| {
        better(best, step, right(&with(Thresholds { full: full.1, part: step, contradiction: none })))
    });
    // The lowest threshold from which on enough contradictions are right; failing that the one with most right ones
    // for each wrong one among those that find something.
    let informative: Vec<usize> = files(rows)
        .into_iter()
        .filter(|file| rows.iter().any(|row| row.file == *file && row.label == Verdict::Contradicted))
        .collect();
    let precision = |step: f64| {
        let by = Ready::new(&with(Thresholds { full: none, part: none, contradiction: step }));
        let alarms: Vec<&Row> = rows
            .iter()
            .filter(|row| informative.contains(&row.file) && said(row, &by).0 == Verdict::Contradicted)
            .collect();
        let hits = alarms.iter().filter(|row| row.label == Verdict::Contradicted).count();
        if alarms.len() < LEAST_ALARMS { 0.0 } else { share(hits, alarms.len()) }
    };
    let figures: Vec<(f64, f64)> = steps().map(|step| (step, precision(step))).collect();
    let best = figures.iter().fold((3.0, 0.0), |best, found| if found.1 > best.1 { *found } else { best });
    let precise =
        figures.iter().find(|(_, precision)| *precision >= PRECISION).map_or(best.0, |found| found.0);
    // What is likelier than not is said in any case.
    Thresholds { full: full.1, part: part.1, contradiction: precise.min(EVEN) }
}

/// Whether a verdict is right by what the file's labels tell.
fn is_right(row: &Row, verdict: Verdict, known: &[Verdict]) -> bool {
    if row.is_fine {
        row.label == if known.contains(&verdict) { verdict } else { Verdict::Unsupported }
    } else {
        (verdict == Verdict::FullySupported) == (row.label == Verdict::FullySupported)
    }
}

/// How sure each verdict is: a curve over its score, every file counting the same.
fn confidence(weights: &Weights, rows: &[Row]) -> Confidence {
    let by = Ready::new(weights);
    let known: BTreeMap<usize, Vec<Verdict>> = files(rows)
        .into_iter()
        .map(|file| (file, rows.iter().filter(|row| row.file == file).map(|row| row.label).collect()))
        .collect();
    let mut told: BTreeMap<Verdict, Vec<(f64, f64, bool)>> = BTreeMap::new();
    for row in rows {
        let (verdict, support, contradiction) = said(row, &by);
        let score = if verdict == Verdict::Contradicted { contradiction } else { support };
        let right = is_right(row, verdict, &known[&row.file]);
        let share = 1.0 / known[&row.file].len() as f64;
        told.entry(verdict).or_default().push((share, score, right));
    }
    let mut confidence = Confidence::default();
    for (verdict, told) in told {
        *confidence.curve(verdict) = curve(&told);
    }
    confidence
}

/// A curve through the told scores, every file counting the same, held towards no slope so that few rows give none.
fn curve(told: &[(f64, f64, bool)]) -> Curve {
    const HOLD: f64 = 0.03;
    let total: f64 = told.iter().map(|(share, ..)| share).sum();
    let mut curve = Curve::default();
    for _ in 0..2_000 {
        let (mut base, mut slope) = (0.0, HOLD * curve.slope);
        for (share, score, right) in told {
            let off = share * (curve.at(*score) - f64::from(u8::from(*right))) / total;
            base += off;
            slope += off * score;
        }
        // The bend of the loss is at most a quarter of the score's square.
        curve.base -= 0.5 * base;
        curve.slope -= 0.5 * slope;
    }
    Curve { base: rounded(curve.base), slope: rounded(curve.slope) }
}
