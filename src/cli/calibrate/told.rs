//! What is told of a judge against people.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::share::capital;
use super::super::{Context, Exit, PROGRAM};
use super::ask::Answer;
use super::change::Against;
use super::former::Named;
use super::{Arguments, Golden, Instrument, Source};
use crate::domain::annotation::Scale;
use crate::domain::calibration::{CalibrationState, ENOUGH, LEAST_COVERAGE, LEAST_ITEMS};
use crate::domain::event::sha256_hex;
use crate::domain::finding::JudgeIdentity;
use crate::domain::time::Timestamp;
use crate::measure::against_people::{AgainstPeople, Item, sayable};
use crate::measure::annotators::{Said, Together};
use crate::measure::bootstrap::Resampling;
use crate::measure::decomposition::Found;
use crate::measure::estimate::Estimate;
use crate::measure::proportion::wilson;
use crate::report::{
    Condition, Detail, Fact, Figure, Findings, Found as Listed, Gate, Kind, Part, Report, Says, Shows, Table,
    Unit,
};

/// Everything that was measured.
pub(super) struct Measured<'a> {
    pub(super) golden: &'a Golden,
    pub(super) instrument: Instrument,
    pub(super) identity: JudgeIdentity,
    min_kappa: f64,
    against: Option<Against>,
    items: Vec<Item>,
    /// What each item says, in its own words.
    texts: Vec<String>,
    figures: AgainstPeople,
    /// `None` where nobody is named.
    people: Option<Together>,
    decomposition: Estimate,
    /// What the judge said when it failed, the first time, and how often.
    failed: Option<(String, u64)>,
}

impl<'a> Measured<'a> {
    pub(super) fn of(
        arguments: &Arguments,
        golden: &'a Golden,
        identity: JudgeIdentity,
        answers: &[Answer],
        former: Option<Named>,
    ) -> Self {
        let (instrument, scale) = (arguments.instrument, arguments.instrument.scale());
        let resampling = Resampling::default();
        let (mut items, mut texts): (Vec<Item>, Vec<String>) = Default::default();
        let (mut found, mut failed) = (Found::default(), None::<(String, u64)>);
        let mut records: HashMap<&str, usize> = HashMap::new();
        for (question, answer) in golden.questions.iter().zip(answers) {
            if let Some(reason) = &answer.failed {
                failed.get_or_insert_with(|| (reason.clone(), 0)).1 += 1;
            }
            if let Some(of) = answer.found {
                found = found.plus(of);
            }
            let known = records.len();
            let group = *records.entry(&question.record).or_insert(known);
            for ((unit, consensus), verdict) in question.units.iter().zip(&answer.said) {
                if let Some(people) = consensus {
                    items.push(Item {
                        group,
                        unit: unit.id.clone(),
                        text_sha256: sha256_hex([unit.text.as_str()]),
                        people: *people,
                        judge: verdict.map(|(category, _)| category),
                        confidence: verdict.and_then(|(_, confidence)| confidence),
                    });
                    texts.push(unit.text.clone());
                }
            }
        }
        // As the judge's figures: the claims of one record are drawn together.
        let said: Vec<(usize, Said)> = golden
            .said
            .iter()
            .map(|(record, said)| {
                let known = records.len();
                (*records.entry(record).or_insert(known), said.clone())
            })
            .collect();
        let people = Together::by_group(&said, scale, resampling);
        let against = former.map(|former| Against::of(former, &items, &golden.sha256, scale));
        Self {
            golden,
            instrument,
            identity,
            min_kappa: arguments.min_kappa,
            against,
            figures: AgainstPeople::of(&items, scale, resampling),
            people: (people.shared_units > 0).then_some(people),
            decomposition: match (arguments.decomposition, found.marked) {
                (false, _) => Estimate::undefined(0, "it was not asked for (--decomposition)"),
                (true, 0) => Estimate::undefined(0, "no given claim stands in a longer answer"),
                (true, marked) => wilson(found.found, marked),
            },
            failed,
            items,
            texts,
        }
    }

    fn scale(&self) -> Scale {
        self.instrument.scale()
    }

    /// The coefficient that the judge is held to.
    pub(super) fn kappa(&self) -> &Estimate {
        self.figures.held_to(self.scale())
    }

    /// Items with a consensus.
    pub(super) fn asked(&self) -> u64 {
        self.items.len() as u64
    }

    /// What failed, or could not be read, may be what the judge gets wrong: then it is not measured.
    fn is_broken(&self) -> bool {
        self.failed.is_some() || self.golden.bad > 0
    }

    pub(super) fn state(&self) -> CalibrationState {
        if self.is_broken() {
            return CalibrationState::NotMeasured;
        }
        CalibrationState::of(self.kappa().value(), self.kappa().n(), self.asked())
    }

    /// Why it is not measured although kappa has a value, in a sentence.
    fn unmeasured(&self) -> Option<String> {
        let (n, asked) = (self.kappa().n(), self.asked());
        if self.failed.is_some() {
            Some(
                "A judge that failed on an item is not measured: what it failed on may be what is hard."
                    .to_owned(),
            )
        } else if self.golden.bad > 0 {
            Some("A golden set with lines that cannot be used measures nothing.".to_owned())
        } else if n >= LEAST_ITEMS && self.state() == CalibrationState::NotMeasured {
            Some(format!(
                "The judge has a verdict on {n} of {asked} items; {:.0} % are needed, or what is hard is not measured.",
                LEAST_COVERAGE * 100.0
            ))
        } else {
            None
        }
    }

    pub(super) fn exit(&self, bad: u64, context: &mut Context) -> Exit {
        if let Some((reason, count)) = &self.failed {
            context.out.error(&format!("the judge failed on {count} of the items; the first: {reason}"));
            return Exit::RunFailed;
        }
        match (bad, self.gate().says) {
            (1.., _) => Exit::BadInput,
            (0, Says::CannotSay) => Exit::NotEnough,
            (0, Says::No) => Exit::GateSaysNo,
            (0, Says::Yes) => Exit::Fine,
        }
    }

    fn gate(&self) -> Gate {
        let kappa = self.kappa();
        let asked = format!("--min-kappa {}", self.min_kappa);
        let mut conditions = vec![match (kappa.value(), kappa.n()) {
            _ if self.is_broken() => {
                Condition::new(asked, Says::CannotSay, self.unmeasured().unwrap_or_default())
            }
            (_, n) if n < LEAST_ITEMS => Condition::new(
                asked,
                Says::CannotSay,
                format!("the judge has a verdict on {n} items, and {LEAST_ITEMS} are needed"),
            ),
            (Some(_), n) if (n as f64) < LEAST_COVERAGE * self.asked() as f64 => Condition::new(
                asked,
                Says::CannotSay,
                format!(
                    "the judge has a verdict on {n} of {} items, and {:.0} % are needed",
                    self.asked(),
                    LEAST_COVERAGE * 100.0
                ),
            ),
            (None, _) => Condition::new(
                asked,
                Says::CannotSay,
                format!("kappa is undefined: {}", kappa.undefined_because().unwrap_or_default()),
            ),
            (Some(value), _) => {
                let says = if value >= self.min_kappa { Says::Yes } else { Says::No };
                Condition::new(asked, says, format!("kappa is {value:.3}"))
            }
        }];
        conditions.extend(self.against.as_ref().map(Against::condition));
        Gate::of(conditions)
    }

    pub(super) fn report(&self, now: Timestamp) -> anyhow::Result<Report> {
        let identity = &self.identity;
        let mut parts = vec![self.against_people(), self.confusion(), self.classes()];
        if let Some(people) = &self.people {
            parts.push(among(people, self.scale()));
        }
        parts.extend(self.against.as_ref().and_then(Against::part));
        parts.push(self.differences());
        parts.extend(self.golden.left_out.part());
        Ok(Report {
            kind: Kind::Calibration,
            name: None,
            title: format!("{} of {} against people", capital(self.instrument.label()), identity.judge),
            made_at: now,
            program: PROGRAM.to_owned(),
            provisional: self.failed.as_ref().map(|(reason, count)| {
                format!(
                    "The judge failed on {count} of the items, which count in no figure; the first: {reason}"
                )
            }),
            sentences: self.sentences(),
            gate: Some(self.gate()),
            facts: vec![
                Fact::new("instrument", self.instrument.label()),
                Fact::new("judge", identity.judge.clone()),
                Fact::new("model", identity.model.clone()),
                Fact::new("prompt", format!("{}, {}", identity.prompt_version, identity.prompt_sha256)),
                Fact::new("settings", identity.settings.to_string()),
                Fact::new("golden set", self.golden.name.clone()),
                Fact::new("sha256", self.golden.sha256.clone()),
            ],
            parts,
            cases: Vec::new(),
            data: self.data()?,
        })
    }

    fn sentences(&self) -> Vec<String> {
        let (kappa, state) = (self.kappa(), self.state());
        let mut sentences = vec![match kappa.value() {
            Some(value) => format!("{state}: kappa is {value:.3} over {} items.", kappa.n()),
            None => format!(
                "{state}: kappa is undefined, because {}.",
                kappa.undefined_because().unwrap_or_default()
            ),
        }];
        sentences.extend(self.unmeasured());
        if let Some(interval) = kappa.interval()
            && state != CalibrationState::NotMeasured
            && interval.contains(ENOUGH)
        {
            sentences.push(format!(
                "With other items of the same kind it might come to the other side of {ENOUGH}: the interval is {:.2} \
                 to {:.2}. More items tell it better.",
                interval.low, interval.high
            ));
        }
        match self.golden.source {
            Source::Files { trusts_labels: false } => {}
            Source::Files { trusts_labels: true } => sentences.push(
                "Labels of the data set stand for people where nobody is named (--trust-labels): nothing here tells \
                 how many gave them, or how far they agreed."
                    .to_owned(),
            ),
            Source::Store(sentence) => sentences.push(sentence.to_owned()),
        }
        if let Some((category, share)) = self.people.as_ref().and_then(Together::prevailing) {
            let label = self.scale().labels().get(category).copied().unwrap_or_default();
            sentences.push(format!(
                "{:.0} % of what people said is {label}: kappa is low there beside the raw agreement; read AC1 too.",
                share * 100.0
            ));
        }
        sentences.extend(self.golden.left_out.sentence());
        sentences.extend(self.against.as_ref().and_then(Against::sentence));
        sentences
    }

    fn against_people(&self) -> Part {
        let part = Part::new("The judge against people", Shows::Figures(self.figures()));
        let (records, items) = (self.figures.groups, self.asked());
        if records == items {
            return part;
        }
        part.saying(format!(
            "The {items} items are of {records} records. Claims of one record hang together, so intervals are by record."
        ))
    }

    fn figures(&self) -> Vec<Figure> {
        let of = &self.figures;
        let number =
            |id: &str, name: &str, value: &Estimate| Figure::of(id, name, Unit::Number, value, "items");
        let mut figures = vec![
            Figure::of("coverage", "has a verdict", Unit::Share, &of.coverage, "items"),
            Figure::of("raw_agreement", "raw agreement", Unit::Share, &of.raw, "items"),
            number("kappa", "kappa", &of.kappa),
        ];
        if self.scale().ordered() > 0 {
            figures.extend([
                number("kappa_linear", "kappa, linear", &of.kappa_linear),
                number("kappa_quadratic", "kappa, quadratic", &of.kappa_quadratic),
            ]);
        }
        figures.push(number("alpha", "alpha, nominal", &of.alpha));
        if self.scale().ordered() > 0 {
            figures.extend([
                number("alpha_ordinal", "alpha, ordinal", &of.alpha_ordinal),
                number("alpha_interval", "alpha, interval", &of.alpha_interval),
            ]);
        }
        figures.extend([
            number("ac1", "AC1", &of.ac1),
            number("calibration_error", "error of confidence (ECE)", &of.calibration_error),
            number("brier", "Brier score", &of.brier),
        ]);
        if self.instrument == Instrument::Faithfulness {
            figures.push(Figure::of(
                "decomposition_recall",
                "claims found alone",
                Unit::Share,
                &self.decomposition,
                "claims",
            ));
        }
        figures
    }

    fn labels(&self) -> Vec<&'static str> {
        self.scale().labels().into_iter().take(sayable(self.scale())).collect()
    }

    /// Rows: people; columns: the judge, by the numbers of the rows.
    fn confusion(&self) -> Part {
        let labels = self.labels();
        let numbers: Vec<String> = (1..=labels.len()).map(|number| number.to_string()).collect();
        let mut columns = vec!["people say"];
        columns.extend(numbers.iter().map(String::as_str));
        columns.push("none");
        let mut table = Table::of_numbers(&columns);
        for (at, label) in labels.iter().enumerate() {
            let row = self.figures.table.counts.get(at).map(Vec::as_slice).unwrap_or_default();
            let none = self.items.iter().filter(|item| item.people == at && item.judge.is_none()).count();
            let name =
                if numbers[at] == *label { (*label).to_owned() } else { format!("{} {label}", at + 1) };
            let mut cells = vec![name];
            cells.extend(row.iter().map(ToString::to_string));
            cells.push(none.to_string());
            table.push(cells);
        }
        Part::new("What people say, and what the judge says", Shows::Table(table)).saying(
            "A column is what the judge says, by the number of its row; the last one is without a verdict.",
        )
    }

    fn classes(&self) -> Part {
        let mut table = Table::of_numbers(&["", "precision", "95 %", "recall", "95 %"]);
        let share = |value: &Estimate| {
            let shown =
                value.value().map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0));
            let interval = value
                .interval()
                .map_or_else(String::new, |of| format!("{:.0} to {:.0} %", of.low * 100.0, of.high * 100.0));
            [format!("{shown} of {}", value.n()), interval]
        };
        for (label, class) in self.labels().into_iter().zip(&self.figures.classes) {
            let mut cells = vec![label.to_owned()];
            cells.extend(share(&class.precision));
            cells.extend(share(&class.recall));
            table.push(cells);
        }
        Part::new("One by one", Shows::Table(table)).saying(
            "Precision: of what the judge says, the share that people say too. Recall: of what people say, the share \
             that the judge says too.",
        )
    }

    /// Where the judge and people differ, what it is surest of first.
    fn differences(&self) -> Part {
        let labels = self.labels();
        let label = |category: usize| labels.get(category).copied().unwrap_or_default();
        let differs = |item: &&(&Item, &String)| item.0.judge.is_some_and(|judge| judge != item.0.people);
        let together: Vec<(&Item, &String)> = self.items.iter().zip(&self.texts).collect();
        let mut wrong: Vec<&(&Item, &String)> = together.iter().filter(differs).collect();
        wrong.sort_by(|(one, _), (other, _)| {
            other
                .confidence
                .unwrap_or(0.0)
                .total_cmp(&one.confidence.unwrap_or(0.0))
                .then(one.unit.cmp(&other.unit))
        });
        let list: Vec<Listed> = wrong
            .iter()
            .map(|(item, text)| Listed {
                id: item.unit.clone(),
                severity: None,
                label: item.judge.map_or_else(String::new, |judge| label(judge).to_owned()),
                text: (*text).clone(),
                details: vec![
                    Detail::new("people", label(item.people)),
                    Detail::new(
                        "confidence",
                        item.confidence
                            .map_or_else(|| "none".to_owned(), |confidence| format!("{confidence:.2}")),
                    ),
                ],
            })
            .collect();
        let none = "There is none.".to_owned();
        let total = list.len() as u64;
        Part::new("Where the judge and people differ", Shows::Findings(Findings { none, total, list }))
    }

    fn data(&self) -> anyhow::Result<Value> {
        let identity = &self.identity;
        Ok(json!({
            "state": self.state(),
            "instrument": self.instrument.label(),
            "judge": {
                "judge": identity.judge,
                "model": identity.model,
                "prompt_version": identity.prompt_version,
                "prompt_sha256": identity.prompt_sha256,
                "settings": identity.settings,
            },
            "golden": {
                "name": self.golden.name,
                "sha256": self.golden.sha256,
                "items": self.items.len(),
                "left_out": self.golden.left_out.data(),
                "retrieval": self.golden.retrieval,
                "trusts_labels": self.golden.source == Source::Files { trusts_labels: true },
            },
            "scale": self.labels(),
            "failed": self.failed.as_ref().map_or(0, |(_, count)| *count),
            "kappa": self.kappa(),
            "figures": self.figures,
            "decomposition_recall": self.decomposition,
            "people": self.people,
            "change": self.against.as_ref().and_then(Against::data),
            "items": serde_json::to_value(&self.items)?,
        }))
    }
}

/// How far people agree with each other on all that two of them judged, also where no item came of it: what they
/// disagree on is what the figure is about.
fn among(people: &Together, scale: Scale) -> Part {
    let number = |id: &str, name: &str, value: &Estimate| Figure::of(id, name, Unit::Number, value, "items");
    let mut figures = vec![
        Figure::of("people_raw_agreement", "raw agreement", Unit::Share, &people.raw, "items"),
        number("people_alpha", "alpha, nominal", &people.alpha),
    ];
    if scale == Scale::Scores {
        figures.push(number("people_alpha_ordinal", "alpha, ordinal", &people.alpha_ordinal));
    }
    figures.push(number("people_ac1", "AC1", &people.ac1));
    Part::new("People among themselves", Shows::Figures(figures)).saying(
        "On every item that two of them judged, also those that are left out above: a judge cannot be asked to agree with \
         people more than they do.",
    )
}
