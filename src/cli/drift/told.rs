//! What is told of two windows.

use serde_json::{Value, json};

use super::super::PROGRAM;
use super::super::share::capital;
use super::gathered::By;
use super::looked::{Counted, Drift, Floor, Looked, Measure};
use super::minute;
use crate::domain::time::Timestamp;
use crate::measure::drift::{KolmogorovSmirnov, kolmogorov_smirnov};
use crate::report::{Detail, Fact, Figure, Findings, Found, Gate, Kind, Part, Report, Shows, Table, Unit};

/// Groups in the table; the rest are in the data.
const MOST_ROWS: usize = 25;
/// What shifted or fell that stands in a sentence of its own.
const MOST_TOLD: usize = 5;
/// The same of what is better.
const MOST_BETTER: usize = 3;

impl Drift<'_> {
    pub(super) fn report(&self, gate: Gate, by: By, now: Timestamp) -> Report {
        let span = self.gathered.span;
        let [before, after] = &self.gathered.confidences;
        let confidences = kolmogorov_smirnov(before, after);
        let lacks = self.lacks();
        let mut sentences = Vec::new();
        let better = self.improvements().count();
        match self.alarms().count() {
            0 if !lacks.is_empty() => {}
            0 => {
                let found = self.beside().map_or_else(
                    || "Nothing shifted and nothing fell: the later window is like the one before".to_owned(),
                    |beside| format!("Nothing rings: {beside}"),
                );
                sentences.push(format!(
                    "{found}. Whether it is good, this does not say: `juror queue --counts` does."
                ));
            }
            1 => sentences.push("One measure shifted or fell.".to_owned()),
            some if some > MOST_TOLD => sentences
                .push(format!("{some} measures shifted or fell; the first {MOST_TOLD}, all in the table:")),
            some => sentences.push(format!("{some} measures shifted or fell.")),
        }
        sentences.extend(self.alarms().take(MOST_TOLD).map(|one| format!("{}.", capital(&one.sentence()))));
        if better > MOST_BETTER {
            sentences
                .push(format!("{better} measures are better; the first {MOST_BETTER}, all in the table:"));
        }
        let improvements = self.improvements().take(MOST_BETTER);
        sentences.extend(improvements.map(|one| format!("{}.", capital(&one.sentence()))));
        sentences.extend(lacks);
        sentences.extend(self.damage().map(|damage| format!("{damage}.")));
        sentences.extend(self.left_aside());
        let mut parts =
            vec![Part::new("All claims", Shows::Figures(self.figures(&confidences))), self.groups()];
        parts.extend(self.gathered.over_time(by));
        if self.alarms().next().is_some() {
            parts.push(self.worst());
        }
        Report {
            kind: Kind::Drift,
            name: None,
            title: "Drift of what comes in".to_owned(),
            made_at: now,
            program: PROGRAM.to_owned(),
            provisional: None,
            sentences,
            gate: Some(gate),
            facts: vec![
                Fact::new("before", format!("{} to {}", minute(span.start), minute(span.middle))),
                Fact::new("after", format!("{} to {}", minute(span.middle), minute(span.end))),
            ],
            parts,
            cases: Vec::new(),
            data: self.data(&confidences),
        }
    }

    fn figures(&self, confidences: &KolmogorovSmirnov) -> Vec<Figure> {
        let all: Vec<&Looked<'_>> = self.looked.iter().filter(|one| one.by == By::All).collect();
        let mut figures = Vec::new();
        for measure in Measure::ALL {
            let Some(one) = all.iter().find(|one| one.measure == measure) else { continue };
            let (id, name) = match measure {
                Measure::Verdicts => ("wrong", "wrong claims"),
                Measure::Absences => ("without_verdict", "claims without a verdict"),
                Measure::Severities => ("grave", "HIGH and CRITICAL of these"),
                Measure::Grave => ("grave_of_all", "wrong, HIGH and CRITICAL"),
                Measure::Scores => ("unsupported", "scores of 1 and 2"),
                Measure::Pairs => ("unsupported_pairs", "pairs that score 1 and 2"),
            };
            let of = &one.shift;
            figures.extend([
                Figure::of(
                    format!("{id}_before"),
                    format!("{name}, before"),
                    Unit::Share,
                    &of.bad_before,
                    "claims",
                ),
                Figure::of(
                    format!("{id}_after"),
                    format!("{name}, after"),
                    Unit::Share,
                    &of.bad_after,
                    "claims",
                ),
                Figure::of(
                    format!("{}_psi", measure.label()),
                    format!("PSI of {}", measure.label()),
                    Unit::Number,
                    &of.stability.psi,
                    "claims",
                ),
            ]);
        }
        figures.push(Figure::of(
            "confidence_distance",
            "distance of confidences (KS)",
            Unit::Number,
            &confidences.distance,
            "claims",
        ));
        if let Some(p) = confidences.p {
            figures.push(Figure::new(
                "confidence_p",
                "chance of such a distance, claim by claim",
                Unit::P,
                Ok::<_, String>(p),
            ));
        }
        figures
    }

    fn groups(&self) -> Part {
        let mut table = Table::of_numbers(&["group", "measure", "before", "after", "PSI", "p", "bad", ""]);
        for column in [1, 7] {
            if let Some(column) = table.columns.get_mut(column) {
                column.is_number = false;
            }
        }
        // What the sentences tell stands here, however much it is.
        let rows = MOST_ROWS.max(self.alarms().count() + self.improvements().count());
        for one in self.looked.iter().take(rows) {
            let [before, after] =
                [&one.windows.before, &one.windows.after].map(|counts| counts.iter().sum::<u64>());
            let shown = |value: Option<f64>, digits: usize| {
                value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
            };
            let bad = match (one.shift.bad_before.value(), one.shift.bad_after.value()) {
                (Some(before), Some(after)) => format!("{:.0} → {:.0} %", before * 100.0, after * 100.0),
                _ => "–".to_owned(),
            };
            let p = one.shift.chi_square.p;
            table.push([
                one.group(),
                one.measure.label().to_owned(),
                before.to_string(),
                after.to_string(),
                shown(one.shift.stability.psi.value(), 3),
                p.map_or_else(|| "–".to_owned(), |p| Unit::P.shown(p)),
                bad,
                one.alarm.label().to_owned(),
            ]);
        }
        let part = Part::new("Where", Shows::Table(table));
        let unlisted = self.looked.len().saturating_sub(rows);
        let part = if unlisted > 0 {
            part.saying(format!("{unlisted} further rows are in the JSON form."))
        } else {
            part
        };
        let Floor { items, answers } = self.floor;
        if self.looked.is_empty() {
            part.saying(format!("No group has {items} claims of {answers} answers in both windows."))
        } else {
            part.saying(format!(
                "Groups with {items} claims of {answers} answers or more in both windows; a model, prompt, way of retrieval \
                 or judge that had fewer before is new, and held to all claims of that time. p counts below {:.2e} for all \
                 claims, and below {:.2e} for groups: --level divided among the tests of each. It allows for claims of one \
                 answer that hang together (design effect).",
                self.bounds.level, self.group_bounds.level
            ))
        }
    }

    fn worst(&self) -> Part {
        let list: Vec<Found> = self
            .gathered
            .worst
            .iter()
            .map(|pair| {
                let claim = &pair.claim;
                let mut details =
                    vec![Detail::new("source", claim.source.as_deref().unwrap_or("nothing is cited"))];
                if pair.times > 1 {
                    details
                        .push(Detail::new("says so", format!("{} claims, this one among them", pair.times)));
                }
                if let Some(score) = claim.support {
                    details.push(Detail::new("support", format!("{}/5", score.get())));
                }
                details.push(Detail::new("judge", claim.judge.clone()));
                Found {
                    id: claim.id.to_string(),
                    severity: claim.severity,
                    label: pair.verdict.label().to_owned(),
                    text: claim.claim_text.clone(),
                    details,
                }
            })
            .collect();
        let findings = Findings { none: "There is none.".to_owned(), total: list.len() as u64, list };
        Part::new("The worst pairs of claim and source, after", Shows::Findings(findings))
    }

    fn data(&self, confidences: &KolmogorovSmirnov) -> Value {
        let span = self.gathered.span;
        let groups: Vec<Value> = self
            .looked
            .iter()
            .map(|one| {
                json!({
                    "by": one.by,
                    "name": one.name,
                    "is_new": one.is_new,
                    "has_other_judge": one.has_other_judge,
                    "measure": one.measure,
                    "classes": one.measure.classes(),
                    "counts": one.windows,
                    "answers": Counted::of(&one.windows).answers,
                    "alarm": one.alarm,
                    "measured": one.shift,
                })
            })
            .collect();
        let (over_time, left_out) = self.gathered.over_time_as_data();
        json!({
            "start": span.start,
            "middle": span.middle,
            "end": span.end,
            "level": self.bounds.level,
            "group_level": self.group_bounds.level,
            "max_rise": self.bounds.max_rise,
            "groups": groups,
            "too_few": self.too_few,
            "damaged": self.gathered.damaged,
            "confidence": confidences,
            "over_time": over_time,
            "over_time_left_out": left_out,
            "worst": self.gathered.worst.iter().map(|pair| pair.claim.id.to_string()).collect::<Vec<_>>(),
        })
    }

    /// Names and ids only: a hook may send out what it gets.
    pub(super) fn for_hook(&self) -> Value {
        json!({
            "event": "drift",
            "moved": self.alarms().map(Looked::sentence).collect::<Vec<_>>(),
            "claims": self.gathered.worst.iter().map(|pair| pair.claim.id.to_string()).collect::<Vec<_>>(),
        })
    }
}
