//! What repetitions come to: agreement, and the items that do not always get the same.

use std::fmt;

use serde::Serialize;

use super::super::audit::counted;
use super::super::output::one_line;
use super::super::share::Share;
use super::super::{Context, Exit};
use crate::domain::finding::JudgeIdentity;
use crate::domain::verdict::Verdict;
use crate::measure::alpha::{Metric, alpha};
use crate::measure::bootstrap::Resampling;
use crate::measure::estimate::Estimate;
use crate::measure::ratings::Ratings;
use crate::text::sanitize::visible;
use crate::text::width::{pad, truncate};

/// Items printed; the rest are counted.
const PRINTED: usize = 20;
/// Changing items kept for `--json`.
const MOST_NAMED: usize = 10_000;
/// Cells of an item's name.
const NAME: usize = 44;
/// What the categories of pairs stand for.
const SCORES: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];

/// Why a run gave no rating.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Silence {
    /// Whether something went wrong, rather than that the judge could not say.
    pub(super) is_failure: bool,
    pub(super) reason: String,
}

impl Silence {
    pub(super) const fn failed(reason: String) -> Self {
        Self { is_failure: true, reason }
    }
}

/// What is asked of all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Least {
    pub(super) alpha: Option<f64>,
    /// Items that were rated twice.
    pub(super) items: u64,
    /// Share of the ratings that were given, 0 to 1.
    pub(super) coverage: Share,
}

/// What a claim or pair is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) words: String,
    /// Which of those with the same words it is, from 1 on.
    pub(super) nth: usize,
}

impl Name {
    pub(super) fn of(words: &str) -> Self {
        Self { words: words.to_owned(), nth: 1 }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nth {
            1 => f.write_str(&self.words),
            nth => write!(f, "{} ({nth})", self.words),
        }
    }
}

/// What all runs said of one claim or pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    name: Name,
    /// By run; `None` for one that gave nothing.
    ratings: Vec<Option<usize>>,
    reason: Option<String>,
    /// Runs that failed on it.
    failed: u64,
}

impl Item {
    /// The item of that name among `items`, a new one where there is none.
    pub(super) fn of<'i>(items: &'i mut Vec<Self>, name: &Name, runs: usize) -> &'i mut Self {
        let at = items.iter().position(|item| item.name == *name).unwrap_or_else(|| {
            items.push(Self { name: name.clone(), ratings: vec![None; runs], reason: None, failed: 0 });
            items.len() - 1
        });
        &mut items[at]
    }

    pub(super) fn rated(&mut self, run: usize, rating: usize) {
        if let Some(place) = self.ratings.get_mut(run) {
            *place = Some(rating);
        }
    }

    /// A run gave no rating, and why.
    pub(super) fn silent(&mut self, silence: Silence) {
        self.failed += u64::from(silence.is_failure);
        self.reason.get_or_insert(silence.reason);
    }

    /// How far its ratings lie apart, then how many pairs of them differ.
    fn unrest(&self) -> (usize, usize) {
        let given: Vec<usize> = self.ratings.iter().flatten().copied().collect();
        let (least, most) =
            (given.iter().min().copied().unwrap_or(0), given.iter().max().copied().unwrap_or(0));
        let differing = |at: usize| given[at + 1..].iter().filter(|other| **other != given[at]).count();
        (most - least, (0..given.len()).map(differing).sum())
    }
}

/// All items added up.
pub(super) struct Sum {
    is_pairs: bool,
    identity: JudgeIdentity,
    temperatures: Vec<Option<f64>>,
    all: Ratings,
    /// The same apart by temperature; none where there is one only.
    by_temperature: Vec<(f64, Ratings)>,
    items: u64,
    ratings: u64,
    missing: u64,
    failed: u64,
    changing: u64,
    worst: Vec<Item>,
    first_reason: Option<String>,
    pub(super) bad: u64,
}

/// As `--json` prints it.
#[derive(Serialize)]
struct Report<'a> {
    instrument: &'static str,
    judge: &'a str,
    model: &'a str,
    prompt_version: &'a str,
    prompt_sha256: &'a str,
    /// One entry a run; `null` for the judge's own temperature.
    temperatures: &'a [Option<f64>],
    items: u64,
    /// Items that two runs or more rated: all figures rest on these.
    rated_items: u64,
    /// Ratings that there are, and that a run did not give.
    ratings: u64,
    missing: u64,
    raw_agreement: Estimate,
    alpha: Estimate,
    metric: Metric,
    /// Where several were asked for: the runs at one of them, with each other.
    by_temperature: Vec<AtOne>,
    /// Items that do not always get the same.
    changing_items: u64,
    /// Those, the ones that differ most first.
    changing: Vec<Changing>,
}

#[derive(Serialize)]
struct AtOne {
    temperature: f64,
    rated_items: u64,
    raw_agreement: Estimate,
    alpha: Estimate,
}

#[derive(Serialize)]
struct Changing {
    item: String,
    /// By run: a score, a verdict, or `null`.
    ratings: Vec<serde_json::Value>,
}

impl Sum {
    pub(super) fn new(is_pairs: bool, identity: JudgeIdentity, temperatures: Vec<Option<f64>>) -> Self {
        let none = Ratings::new(if is_pairs { 5 } else { Verdict::ALL.len() });
        let mut by_temperature: Vec<(f64, Ratings)> = Vec::new();
        for temperature in temperatures.iter().flatten() {
            if by_temperature.iter().all(|(other, _)| other.total_cmp(temperature).is_ne()) {
                by_temperature.push((*temperature, none.clone()));
            }
        }
        if by_temperature.len() == 1 {
            by_temperature.clear();
        }
        Self {
            is_pairs,
            identity,
            temperatures,
            all: none,
            by_temperature,
            items: 0,
            ratings: 0,
            missing: 0,
            failed: 0,
            changing: 0,
            worst: Vec::new(),
            first_reason: None,
            bad: 0,
        }
    }

    pub(super) fn add(&mut self, item: Item) {
        self.items += 1;
        let given = item.ratings.iter().flatten().count() as u64;
        self.ratings += given;
        self.missing += item.ratings.len() as u64 - given;
        self.failed += item.failed;
        self.all.add(item.ratings.iter().flatten().copied());
        for (temperature, ratings) in &mut self.by_temperature {
            let runs = self.temperatures.iter().zip(&item.ratings);
            ratings.add(runs.filter(|(at, _)| **at == Some(*temperature)).filter_map(|(_, rating)| *rating));
        }
        if let (None, Some(reason)) = (&self.first_reason, &item.reason) {
            self.first_reason = Some(reason.clone());
        }
        if item.unrest().1 == 0 {
            return;
        }
        self.changing += 1;
        self.worst.push(item);
        // Now and then, so that memory stays bounded whatever comes.
        if self.worst.len() >= 2 * MOST_NAMED {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.worst
            .sort_by(|one, other| other.unrest().cmp(&one.unrest()).then_with(|| one.name.cmp(&other.name)));
        self.worst.truncate(MOST_NAMED);
    }

    fn shown(&self, rating: usize) -> serde_json::Value {
        if self.is_pairs {
            serde_json::Value::from(rating + 1)
        } else {
            Verdict::ALL.get(rating).map(|verdict| verdict.label()).into()
        }
    }

    pub(super) fn tell(
        mut self,
        least: Least,
        interrupted: bool,
        context: &mut Context,
    ) -> anyhow::Result<Exit> {
        self.sort();
        let metric = if self.is_pairs { Metric::Ordinal } else { Metric::Nominal };
        let alpha = |ratings: &Ratings| alpha(ratings, metric, &SCORES, Resampling::default());
        let report = Report {
            instrument: if self.is_pairs { "support" } else { "faithfulness" },
            judge: &self.identity.judge,
            model: &self.identity.model,
            prompt_version: &self.identity.prompt_version,
            prompt_sha256: &self.identity.prompt_sha256,
            temperatures: &self.temperatures,
            items: self.items,
            rated_items: self.all.shared_units(),
            ratings: self.ratings,
            missing: self.missing,
            raw_agreement: self.all.raw_agreement(Resampling::default()),
            alpha: alpha(&self.all),
            metric,
            by_temperature: self
                .by_temperature
                .iter()
                .map(|(temperature, ratings)| AtOne {
                    temperature: *temperature,
                    rated_items: ratings.shared_units(),
                    raw_agreement: ratings.raw_agreement(Resampling::default()),
                    alpha: alpha(ratings),
                })
                .collect(),
            changing_items: self.changing,
            changing: self.worst.iter().map(|item| self.changing(item)).collect(),
        };
        context.out.found(&report, lines)?;
        if let Some(reason) = &self.first_reason {
            let missing = counted(self.missing, "rating");
            context.out.error(&format!("{missing} missing; the first: {reason}"));
        }
        if let Some(exit) = Exit::before_all(interrupted, self.failed, self.bad) {
            return Ok(exit);
        }
        let Least { alpha: min_alpha, items: min_items, coverage } = least;
        if !coverage.is_reached(self.ratings, self.ratings + self.missing) {
            let all = self.ratings + self.missing;
            context.out.error(&format!(
                "{} of {all} given, less than the {coverage} of --min-coverage: not enough to say",
                counted(self.ratings, "rating")
            ));
            return Ok(Exit::NotEnough);
        }
        if report.rated_items < min_items {
            let rated = counted(report.rated_items, "item");
            context.out.error(&format!(
                "{rated} rated twice, fewer than the {min_items} of --min-items: not enough to say"
            ));
            return Ok(Exit::NotEnough);
        }
        Ok(match (min_alpha, report.alpha.value()) {
            (None, _) => Exit::Fine,
            (Some(least), Some(alpha)) if alpha >= least => Exit::Fine,
            (Some(least), Some(alpha)) => {
                context.out.error(&format!("alpha {alpha:.3} is below the {least} of --min-alpha"));
                Exit::GateSaysNo
            }
            (Some(_), None) => {
                let why = report.alpha.undefined_because().unwrap_or_default();
                context.out.error(&format!("--min-alpha: alpha is undefined, because {why}"));
                Exit::NotEnough
            }
        })
    }

    fn changing(&self, item: &Item) -> Changing {
        let shown =
            |rating: &Option<usize>| rating.map_or(serde_json::Value::Null, |rating| self.shown(rating));
        Changing { item: item.name.to_string(), ratings: item.ratings.iter().map(shown).collect() }
    }
}

fn lines(report: &Report<'_>) -> Vec<String> {
    let mut points: Vec<Option<f64>> = report.temperatures.to_vec();
    points.dedup();
    let at = match points.as_slice() {
        [None] => "its own temperature".to_owned(),
        some => {
            let shown: Vec<String> = some.iter().flatten().map(ToString::to_string).collect();
            format!("temperature {}", shown.join(", "))
        }
    };
    let missing = match report.missing {
        0 => String::new(),
        some => format!(", {some} missing"),
    };
    let metric = match report.metric {
        Metric::Nominal => "nominal",
        _ => "ordinal",
    };
    let mut lines = vec![
        format!(
            "{} asked {} times at {at}: {}, {}{missing}",
            report.judge,
            report.temperatures.len(),
            counted(report.items, "item"),
            counted(report.ratings, "rating"),
        ),
        format!("  raw agreement   {}", figure(&report.raw_agreement)),
        format!("  alpha, {metric:<8} {}", figure(&report.alpha)),
    ];
    for at in &report.by_temperature {
        lines.push(format!("at {} alone:", at.temperature));
        lines.push(format!("  raw agreement   {}", figure(&at.raw_agreement)));
        lines.push(format!("  alpha, {metric:<8} {}", figure(&at.alpha)));
    }
    if report.changing_items == 0 {
        if report.rated_items > 0 {
            lines.push("No variation: every item got the same from every run that rated it.".to_owned());
        }
        return lines;
    }
    lines.push(String::new());
    let items = counted(report.changing_items, "item");
    let verb = if report.changing_items == 1 { "does" } else { "do" };
    lines.push(format!("{items} of {} {verb} not always get the same, the worst first:", report.rated_items));
    for one in report.changing.iter().take(PRINTED) {
        let ratings: Vec<String> = one
            .ratings
            .iter()
            .map(|rating| match rating {
                serde_json::Value::Null => "–".to_owned(),
                serde_json::Value::String(label) => label.clone(),
                other => other.to_string(),
            })
            .collect();
        let name = pad(&truncate(&one_line(&visible(&one.item)), NAME - 1), NAME);
        lines.push(format!("  {name} {}", ratings.join(" ")));
    }
    if report.changing_items > PRINTED as u64 {
        lines.push(format!("  {} more: --json lists them", report.changing_items - PRINTED as u64));
    }
    lines
}

fn figure(estimate: &Estimate) -> String {
    let Some(value) = estimate.value() else {
        return format!("undefined, because {}", estimate.undefined_because().unwrap_or_default());
    };
    match estimate.interval() {
        Some(it) => format!("{value:.3} ({:.3}–{:.3}, n {})", it.low, it.high, estimate.n()),
        None => format!("{value:.3} (n {})", estimate.n()),
    }
}
