//! What is told of the agreement of people.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::audit::counted;
use super::super::{Exit, PROGRAM};
use super::{Gathered, Outcome, Rated};
use crate::domain::annotation::{Rating, Scale};
use crate::domain::blind::Opinion;
use crate::domain::time::Timestamp;
use crate::measure::annotators::{Pair, Said, Together};
use crate::measure::bootstrap::Resampling;
use crate::measure::estimate::Estimate;
use crate::measure::proportion::wilson;
use crate::measure::together::pairs_by_group;
use crate::report::{
    Condition, Detail, Fact, Figure, Findings, Found, Gate, Kind, Part, Report, Says, Shows, Table, Unit,
};

/// Resamples for alpha of two annotators: there may be many twos.
const FOR_PAIRS: usize = 2_000;

/// What was asked of the report.
pub(super) struct Asked {
    pub(super) lists_units: bool,
    pub(super) min_alpha: Option<f64>,
}

pub(super) struct Measured {
    scale: Scale,
    annotators: Vec<String>,
    together: Together,
    pairs: Vec<Pair>,
}

/// How far a person goes along with the judge once they are shown it.
struct Anchoring {
    annotator: String,
    /// Blind verdicts after which the person had their last word.
    finished: u64,
    changed: u64,
    /// Of those where the person and the judge differed.
    differed: u64,
    went_over: u64,
}

impl Measured {
    pub(super) fn of(gathered: &Gathered, scale: Scale, resampling: Resampling) -> Self {
        let mut annotators: Vec<String> =
            gathered.units.values().flat_map(|unit| unit.by.keys().cloned()).collect();
        annotators.sort_unstable();
        annotators.dedup();
        let number = |name: &String| annotators.binary_search(name).unwrap_or(usize::MAX);
        let mut records: BTreeMap<&str, usize> = BTreeMap::new();
        let mut said: Vec<(usize, Said)> = Vec::with_capacity(gathered.units.len());
        for unit in gathered.units.values().filter(|unit| !unit.by.is_empty()) {
            let known = records.len();
            let group = *records.entry(&unit.record).or_insert(known);
            let ratings = unit.by.iter().map(|(name, rating)| (number(name), rating.category()));
            said.push((group, ratings.collect()));
        }
        let few = Resampling { resamples: resampling.resamples.min(FOR_PAIRS), ..resampling };
        Self {
            together: Together::by_group(&said, scale, resampling),
            pairs: pairs_by_group(&said, annotators.len(), scale, few),
            scale,
            annotators,
        }
    }

    pub(super) fn exit(&self, asked: &Asked) -> Exit {
        match (self.gate(asked).map(|gate| gate.says), self.together.shared_units) {
            (_, 0) | (Some(Says::CannotSay), _) => Exit::NotEnough,
            (Some(Says::No), _) => Exit::GateSaysNo,
            _ => Exit::Fine,
        }
    }

    fn gate(&self, asked: &Asked) -> Option<Gate> {
        let least = asked.min_alpha?;
        let (name, alpha) = self.together.held_to(self.scale);
        let (says, sentence) = match (alpha.value(), alpha.undefined_because()) {
            (Some(value), _) if value >= least => (Says::Yes, format!("{name} alpha is {value:.3}")),
            (Some(value), _) => (Says::No, format!("{name} alpha is {value:.3}")),
            (None, because) => {
                (Says::CannotSay, format!("{name} alpha is undefined: {}", because.unwrap_or_default()))
            }
        };
        Some(Gate::of(vec![Condition::new(format!("--min-alpha {least}"), says, sentence)]))
    }

    pub(super) fn report(&self, gathered: &Gathered, asked: &Asked, now: Timestamp) -> Report {
        let anchoring = anchoring(&gathered.opinions);
        let mut parts = vec![Part::new("All annotators", Shows::Figures(self.figures()))];
        if !self.pairs.is_empty() {
            parts.push(self.two_by_two());
        }
        parts.push(self.said_together());
        if !anchoring.is_empty() {
            parts.push(anchored(&anchoring));
        }
        parts.push(units(gathered, asked));
        parts.extend(uncounted(gathered));
        Report {
            kind: Kind::Agreement,
            name: None,
            title: format!("Agreement of {}", counted(self.annotators.len() as u64, "annotator")),
            made_at: now,
            program: PROGRAM.to_owned(),
            provisional: None,
            sentences: self.sentences(gathered),
            gate: self.gate(asked),
            facts: vec![
                Fact::new("annotators", self.annotators.join(", ")),
                Fact::new("scale", self.scale.labels().join(", ")),
            ],
            parts,
            cases: Vec::new(),
            data: self.data(gathered, asked, &anchoring),
        }
    }

    fn sentences(&self, gathered: &Gathered) -> Vec<String> {
        let all = &self.together;
        let mut sentences = vec![gathered.sentence.clone()];
        sentences.push(match (all.shared_units, all.unshared_units) {
            (0, 0) => "Nobody has rated anything yet.".to_owned(),
            (0, alone) => format!(
                "No unit was rated by two: {} by one annotator alone. Let two people judge the same claims.",
                counted(alone, "unit")
            ),
            (shared, 0) => format!("{} rated by two or more.", counted(shared, "unit")),
            (shared, alone) => format!(
                "{} rated by two or more; {alone} rated by one alone count in no figure (see below).",
                counted(shared, "unit")
            ),
        });
        if (1..all.shared_units).contains(&all.groups) {
            sentences.push(format!(
                "They are of {}. Claims of one record hang together, so intervals are by record.",
                counted(all.groups, "record")
            ));
        }
        if let Some((category, share)) = all.prevailing()
            && all.shared_units > 0
        {
            let label = self.scale.labels().get(category).copied().unwrap_or_default();
            sentences.push(format!(
                "{:.0} % of the ratings are {label}: agreement by chance is likely there, so alpha and kappa are low \
                 beside the raw agreement, while AC1 stays near it. Read all three.",
                share * 100.0
            ));
        }
        sentences
    }

    fn figures(&self) -> Vec<Figure> {
        let all = &self.together;
        let number =
            |id: &str, name: &str, value: &Estimate| Figure::of(id, name, Unit::Number, value, "units");
        let mut figures = vec![
            Figure::of("raw_agreement", "raw agreement", Unit::Share, &all.raw, "units"),
            number("alpha", "alpha, nominal", &all.alpha),
        ];
        if self.scale.ordered() > 0 {
            figures.push(number("alpha_ordinal", "alpha, ordinal", &all.alpha_ordinal));
            figures.push(number("alpha_interval", "alpha, interval", &all.alpha_interval));
        }
        figures.extend([
            number("ac1", "AC1", &all.ac1),
            number("fleiss", "Fleiss' kappa", &all.fleiss),
            number("free_marginal", "free-marginal kappa", &all.free_marginal),
        ]);
        figures
    }

    fn two_by_two(&self) -> Part {
        let mut table =
            Table::of_numbers(&["pair", "units", "raw", "kappa", "95 %", "linear", "AC1", "alpha"]);
        let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let shown =
            |value: &Estimate| value.value().map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
        for pair in &self.pairs {
            let name = format!("{} × {}", self.annotators[pair.first], self.annotators[pair.second]);
            if let Some(because) = pair.kappa.undefined_because() {
                reasons.entry(because.to_owned()).or_default().push(name.clone());
            }
            let interval = pair.kappa.interval();
            table.push([
                name,
                pair.kappa.n().to_string(),
                pair.raw.value().map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0)),
                shown(&pair.kappa),
                interval.map_or_else(String::new, |of| format!("{:.2} to {:.2}", of.low, of.high)),
                shown(&pair.kappa_linear),
                shown(&pair.ac1),
                shown(&pair.alpha),
            ]);
        }
        let mut part = Part::new("Two by two", Shows::Table(table));
        for (because, names) in reasons {
            part = part.saying(format!("No kappa, because {because}: {}.", names.join(", ")));
        }
        part
    }

    /// How often which two ratings met on a unit: what lies behind the figures.
    fn said_together(&self) -> Part {
        let mut met: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for pair in &self.pairs {
            for (one, row) in pair.table.counts.iter().enumerate() {
                for (other, count) in row.iter().enumerate().filter(|(_, count)| **count > 0) {
                    *met.entry((one.min(other), one.max(other))).or_default() += count;
                }
            }
        }
        let mut met: Vec<_> = met.into_iter().collect();
        met.sort_by_key(|((one, other), count)| (std::cmp::Reverse(*count), *one, *other));
        let labels = self.scale.labels();
        let mut table = Table::of_numbers(&["ratings that met on a unit", "times"]);
        for ((one, other), count) in met {
            let name = if one == other {
                format!("{} twice", labels[one])
            } else {
                format!("{} and {}", labels[one], labels[other])
            };
            table.push([name, count.to_string()]);
        }
        Part::new("What lies behind", Shows::Table(table))
    }

    fn data(&self, gathered: &Gathered, asked: &Asked, anchoring: &[Anchoring]) -> Value {
        let pairs: Vec<Value> = self
            .pairs
            .iter()
            .map(|pair| {
                json!({
                    "first": self.annotators[pair.first],
                    "second": self.annotators[pair.second],
                    "measured": pair,
                })
            })
            .collect();
        let units: Option<Vec<Value>> = asked.lists_units.then(|| {
            let each = gathered.units.iter().map(|(id, unit)| {
                let said: BTreeMap<&String, &str> =
                    unit.by.iter().map(|(name, rating)| (name, rating.label())).collect();
                json!({ "unit": id, "ratings": said })
            });
            each.collect()
        });
        let left_out: Vec<Value> = gathered
            .units
            .iter()
            .filter_map(|(id, unit)| {
                let why = why_uncounted(unit)?;
                Some(json!({ "unit": id, "why": why, "not_independent": unit.dependent }))
            })
            .collect();
        json!({
            "scale": self.scale.labels(),
            "annotators": self.annotators,
            "together": self.together,
            "records": self.together.groups,
            "pairs": pairs,
            "anchoring": anchoring.iter().map(Anchoring::data).collect::<Vec<_>>(),
            "units": units,
            "left_out": left_out,
        })
    }
}

impl Anchoring {
    /// Of the verdicts that differed from the judge's, those that the person gave up for it.
    fn rate(&self) -> Estimate {
        match self.differed {
            0 => Estimate::undefined(0, "no blind verdict differed from the judge's"),
            differed => wilson(self.went_over, differed),
        }
    }

    fn data(&self) -> Value {
        json!({
            "annotator": self.annotator,
            "finished": self.finished,
            "changed": self.changed,
            "differed": self.differed,
            "went_over": self.went_over,
            "anchoring": self.rate(),
        })
    }
}

/// Each person's, by name. Only independent verdicts tell: whoever knew the judge's had nothing to give up.
fn anchoring(opinions: &[Opinion]) -> Vec<Anchoring> {
    let mut each: BTreeMap<&str, Anchoring> = BTreeMap::new();
    for opinion in opinions.iter().filter(|opinion| opinion.first.independent) {
        let Some(is_changed) = opinion.is_changed() else { continue };
        let name = opinion.annotator.as_str();
        let of = each.entry(name).or_insert_with(|| Anchoring {
            annotator: name.to_owned(),
            finished: 0,
            changed: 0,
            differed: 0,
            went_over: 0,
        });
        of.finished += 1;
        of.changed += u64::from(is_changed);
        let differs = opinion
            .shown
            .grounded()
            .is_some_and(|verdict| opinion.first.ruling.verdict.as_verdict() != Some(verdict));
        of.differed += u64::from(differs);
        of.went_over += u64::from(opinion.went_over());
    }
    each.into_values().collect()
}

fn anchored(each: &[Anchoring]) -> Part {
    let mut table =
        Table::of_numbers(&["annotator", "finished", "changed", "differed", "went over", "share", "95 %"]);
    for of in each {
        let rate = of.rate();
        table.push([
            of.annotator.clone(),
            of.finished.to_string(),
            of.changed.to_string(),
            of.differed.to_string(),
            of.went_over.to_string(),
            rate.value().map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share * 100.0)),
            rate.interval()
                .map_or_else(String::new, |of| format!("{:.0} to {:.0} %", of.low * 100.0, of.high * 100.0)),
        ]);
    }
    Part::new("Pulled along by the judge", Shows::Table(table)).saying(
        "Of the blind verdicts that differed from the judge's, the share that the person gave up for it once it was \
         shown.",
    )
}

fn units(gathered: &Gathered, asked: &Asked) -> Part {
    let differ = |by: &BTreeMap<String, Rating>| {
        let mut said = by.values();
        said.next().is_some_and(|first| said.any(|other| other != first))
    };
    let listed = gathered.units.iter().filter(|(_, unit)| asked.lists_units || differ(&unit.by));
    let list: Vec<Found> = listed
        .map(|(id, unit)| Found {
            id: id.clone(),
            severity: None,
            label: match (unit.by.len(), differ(&unit.by), &unit.outcome) {
                (0, ..) => "no rating".to_owned(),
                (1, ..) => "one rating".to_owned(),
                (_, false, _) => "agree".to_owned(),
                (_, true, None) => "differ".to_owned(),
                (_, true, Some(Outcome::Agreed)) => "differ, the last words are the same".to_owned(),
                (_, true, Some(Outcome::Settled(who))) => format!("differ, settled by {who}"),
                (_, true, Some(Outcome::Disputed)) => "differ, in dispute".to_owned(),
            },
            text: unit.text.clone(),
            details: said_of(unit),
        })
        .collect();
    let title = if asked.lists_units { "Units" } else { "Units on which people differ" };
    let none = if asked.lists_units { "There is no unit." } else { "There is none." };
    Part::new(title, Shows::Findings(Findings { none: none.to_owned(), total: list.len() as u64, list }))
}

/// What each person said of a unit, and whose word counts for nothing.
fn said_of(unit: &Rated) -> Vec<Detail> {
    let said = unit.by.iter().map(|(name, rating)| Detail::new(name.clone(), rating.label()));
    said.chain(unit.dependent.iter().map(|name| Detail::new(name.clone(), NOT_INDEPENDENT))).collect()
}

const NOT_INDEPENDENT: &str = "not independent: they knew the judge's word";

/// Why no figure counts a unit; `None` where one does.
fn why_uncounted(unit: &Rated) -> Option<&'static str> {
    match (unit.by.len(), unit.dependent.len()) {
        (2.., _) => None,
        (_, 0) => Some("one_annotator"),
        (_, _) => Some("not_independent"),
    }
}

/// The units that count in no figure; `None` where all do.
fn uncounted(gathered: &Gathered) -> Option<Part> {
    let list: Vec<Found> = gathered
        .units
        .iter()
        .filter_map(|(id, unit)| why_uncounted(unit).map(|why| (id, unit, why)))
        .map(|(id, unit, why)| Found {
            id: id.clone(),
            severity: None,
            label: why.replace('_', " "),
            text: unit.text.clone(),
            details: said_of(unit),
        })
        .collect();
    let findings = Findings { none: String::new(), total: list.len() as u64, list };
    (findings.total > 0).then(|| Part::new("Units that count in no figure", Shows::Findings(findings)))
}
