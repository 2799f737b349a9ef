//! What is told of two windows.

use serde_json::{Value, json};

use super::super::share::capital;
use super::super::{Exit, PROGRAM};
use super::Arguments;
use super::gathered::{By, Gathered, Group};
use crate::domain::annotation::Scale;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Severity, Verdict};
use crate::measure::drift::{KolmogorovSmirnov, kolmogorov_smirnov};
use crate::measure::shift::{Alarm, Bounds, Shift, Windows};
use crate::report::{
    Condition, Detail, Fact, Figure, Findings, Found, Gate, Kind, Part, Report, Says, Shows, Table, Unit,
};

/// Groups in the table; the rest are in the data.
const MOST_ROWS: usize = 25;

/// What of a group is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
enum Measure {
    Verdicts,
    Absences,
    Severities,
    Scores,
}

impl Measure {
    const ALL: [Self; 4] = [Self::Verdicts, Self::Absences, Self::Severities, Self::Scores];

    const fn label(self) -> &'static str {
        match self {
            Self::Verdicts => "verdicts",
            Self::Absences => "absences",
            Self::Severities => "severities",
            Self::Scores => "scores",
        }
    }

    const fn of(self, group: &Group) -> &Windows {
        match self {
            Self::Verdicts => &group.verdicts,
            Self::Absences => &group.absences,
            Self::Severities => &group.severities,
            Self::Scores => &group.scores,
        }
    }

    fn classes(self) -> Vec<&'static str> {
        match self {
            Self::Verdicts => Verdict::ALL.iter().map(|one| one.label()).collect(),
            Self::Absences => vec!["a verdict", "no verdict"],
            Self::Severities => Severity::ALL.iter().map(|one| one.label()).collect(),
            Self::Scores => Scale::Scores.labels(),
        }
    }

    /// The numbers of the classes that are bad.
    fn bad(self) -> Vec<usize> {
        match self {
            Self::Verdicts => vec![Verdict::Unsupported as usize, Verdict::Contradicted as usize],
            Self::Absences => vec![1],
            Self::Severities => vec![Severity::High as usize, Severity::Critical as usize],
            Self::Scores => vec![0, 1],
        }
    }
}

/// One measure of one group, looked at.
struct Looked<'a> {
    by: By,
    name: &'a str,
    measure: Measure,
    windows: &'a Windows,
    shift: Shift,
    alarm: Alarm,
}

pub(super) struct Drift<'a> {
    gathered: &'a Gathered,
    bounds: Bounds,
    group_bounds: Bounds,
    min_items: u64,
    /// The gravest first.
    looked: Vec<Looked<'a>>,
    confidences: KolmogorovSmirnov,
}

impl<'a> Drift<'a> {
    pub(super) fn of(gathered: &'a Gathered, arguments: &Arguments) -> Self {
        let mut looked: Vec<Looked<'a>> = Vec::new();
        for ((by, name), group) in &gathered.groups {
            for measure in Measure::ALL {
                let windows = measure.of(group);
                if windows.least() >= arguments.min_items {
                    let shift = Shift::of(windows, &measure.bad());
                    looked.push(Looked { by: *by, name, measure, windows, shift, alarm: Alarm::Stable });
                }
            }
        }
        // Two tests each: of the distribution, and of what is bad. However many groups there are, the measures of all
        // claims share a level by themselves.
        let of_all = looked.iter().filter(|one| one.by == By::All).count();
        let level = |measures: usize| Bounds {
            max_rise: arguments.max_rise.get(),
            level: arguments.level.get() / (2 * measures).max(1) as f64,
        };
        let (bounds, group_bounds) = (level(of_all), level(looked.len() - of_all));
        for one in &mut looked {
            one.alarm = one.shift.alarm(if one.by == By::All { bounds } else { group_bounds });
        }
        let index = |one: &Looked<'_>| one.shift.stability.psi.value().unwrap_or(0.0);
        looked.sort_by(|one, other| {
            let is_part = |one: &Looked<'_>| one.by != By::All;
            (other.alarm.cmp(&one.alarm))
                .then(is_part(one).cmp(&is_part(other)))
                .then(index(other).total_cmp(&index(one)))
                .then(one.name.cmp(other.name))
        });
        let [before, after] = &gathered.confidences;
        Self {
            gathered,
            bounds,
            group_bounds,
            min_items: arguments.min_items,
            looked,
            confidences: kolmogorov_smirnov(before, after),
        }
    }

    fn judged(&self) -> [u64; 2] {
        self.gathered.groups.get(&(By::All, String::new())).map_or([0; 2], |group| group.judged)
    }

    fn is_enough(&self) -> bool {
        let scored =
            self.gathered.groups.get(&(By::All, String::new())).map_or(0, |group| group.scores.least());
        self.judged().iter().all(|judged| *judged >= self.min_items) || scored >= self.min_items
    }

    fn alarms(&self) -> impl Iterator<Item = &Looked<'a>> {
        self.looked.iter().filter(|one| one.alarm.rings())
    }

    pub(super) fn exit(&self) -> Exit {
        match (self.is_enough(), self.alarms().next()) {
            (false, _) => Exit::NotEnough,
            (true, Some(_)) => Exit::GateSaysNo,
            (true, None) => Exit::Fine,
        }
    }

    fn gate(&self) -> Gate {
        let [before, after] = self.judged();
        let enough = if self.is_enough() { Says::Yes } else { Says::CannotSay };
        let mut conditions = vec![Condition::new(
            format!("--min-items {}", self.min_items),
            enough,
            format!("{before} claims with a verdict before, {after} after"),
        )];
        let alarms: Vec<String> = self.alarms().take(3).map(Looked::sentence).collect();
        if self.is_enough() {
            let says = if alarms.is_empty() { Says::Yes } else { Says::No };
            let sentence = if alarms.is_empty() {
                "nothing shifted and nothing fell".to_owned()
            } else {
                alarms.join("; ")
            };
            conditions.push(Condition::new("no shift, no fall", says, sentence));
        }
        Gate::of(conditions)
    }

    pub(super) fn report(&self, now: Timestamp) -> Report {
        let span = self.gathered.span;
        let gate = self.gate();
        let sentence = match (self.is_enough(), self.alarms().count()) {
            (false, _) => {
                let [before, after] = self.judged();
                format!(
                    "Too few claims to say: {before} with a verdict before, {after} after, and {} are needed in each \
                     window. {}",
                    self.min_items,
                    what_to_choose(before < self.min_items, after < self.min_items),
                )
            }
            (true, 0) => {
                "Nothing shifted and nothing fell: the later window is like the one before. Whether both are \
                          good, this does not say: `juror queue --counts` does."
                    .to_owned()
            }
            (true, 1) => "One measure shifted or fell.".to_owned(),
            (true, some) => format!("{some} measures shifted or fell."),
        };
        let mut sentences = vec![sentence];
        sentences.extend(self.alarms().take(5).map(|one| format!("{}.", capital(&one.sentence()))));
        let mut parts =
            vec![Part::new("All claims", Shows::Figures(self.figures())), self.groups(), self.times()];
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
            data: self.data(),
        }
    }

    fn figures(&self) -> Vec<Figure> {
        let all: Vec<&Looked<'_>> = self.looked.iter().filter(|one| one.by == By::All).collect();
        let mut figures = Vec::new();
        for measure in Measure::ALL {
            let Some(one) = all.iter().find(|one| one.measure == measure) else { continue };
            let (id, name) = match measure {
                Measure::Verdicts => ("wrong", "wrong claims"),
                Measure::Absences => ("without_verdict", "claims without a verdict"),
                Measure::Severities => ("grave", "HIGH and CRITICAL of these"),
                Measure::Scores => ("unsupported", "scores of 1 and 2"),
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
            &self.confidences.distance,
            "claims",
        ));
        if let Some(p) = self.confidences.p {
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
        for one in self.looked.iter().take(MOST_ROWS) {
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
        let unlisted = self.looked.len().saturating_sub(MOST_ROWS);
        let part = if unlisted > 0 {
            part.saying(format!("{unlisted} further rows are in the JSON form."))
        } else {
            part
        };
        if self.looked.is_empty() {
            part.saying(format!("No group has {} claims in both windows.", self.min_items))
        } else {
            part.saying(format!(
                "Groups with {} claims or more in both windows. p counts below {:.2e} for all claims, and below {:.2e} \
                 for groups: --level divided among the tests of each. It allows for claims of one answer that hang together \
                 (design effect).",
                self.min_items, self.bounds.level, self.group_bounds.level
            ))
        }
    }

    fn times(&self) -> Part {
        let mut table = Table::of_numbers(&[
            "from",
            "claims",
            "FULLY",
            "PARTIALLY",
            "UNSUPPORTED",
            "CONTRADICTED",
            "none",
        ]);
        for (from, counts) in &self.gathered.stretches {
            let all: u64 = counts.iter().sum();
            let mut cells = vec![minute(*from), all.to_string()];
            cells.extend(counts.iter().map(|count| match all {
                0 => "–".to_owned(),
                all => format!("{:.1} %", *count as f64 / all as f64 * 100.0),
            }));
            table.push(cells);
        }
        Part::new("Verdicts over time", Shows::Table(table))
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

    fn data(&self) -> Value {
        let span = self.gathered.span;
        let groups: Vec<Value> = self
            .looked
            .iter()
            .map(|one| {
                json!({
                    "by": one.by,
                    "name": one.name,
                    "measure": one.measure,
                    "classes": one.measure.classes(),
                    "counts": one.windows,
                    "alarm": one.alarm,
                    "measured": one.shift,
                })
            })
            .collect();
        let stretches: Vec<Value> = self
            .gathered
            .stretches
            .iter()
            .map(|(from, counts)| json!({ "from": from, "verdicts": counts }))
            .collect();
        json!({
            "start": span.start,
            "middle": span.middle,
            "end": span.end,
            "level": self.bounds.level,
            "group_level": self.group_bounds.level,
            "max_rise": self.bounds.max_rise,
            "groups": groups,
            "confidence": self.confidences,
            "stretches": stretches,
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

impl Looked<'_> {
    fn group(&self) -> String {
        if self.by == By::All { "all".to_owned() } else { format!("{} {}", self.by.label(), self.name) }
    }

    /// What moved, in a few words.
    fn sentence(&self) -> String {
        let share = |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
        };
        let what = match self.measure {
            Measure::Verdicts => "wrong claims",
            Measure::Absences => "claims without a verdict",
            Measure::Severities => "HIGH and CRITICAL among the wrong claims",
            Measure::Scores => "scores of 1 and 2",
        };
        let (before, after) = (share(self.shift.bad_before.value()), share(self.shift.bad_after.value()));
        let index = self.shift.stability.psi.value().unwrap_or(0.0);
        format!(
            "{} ({}): {what} {before} before, {after} after, PSI {index:.3}",
            self.alarm.label(),
            self.group()
        )
    }
}

fn minute(at: Timestamp) -> String {
    at.to_string().chars().take(16).collect::<String>().replace('T', " ")
}

/// How the windows are to be chosen when there are too few claims before, or after.
const fn what_to_choose(few_before: bool, few_after: bool) -> &'static str {
    match (few_before, few_after) {
        (true, false) => {
            "Too little came in before: choose a shorter --window or a later --since, or a longer --baseline."
        }
        (false, true) => "Too little came in of late: choose a longer --window, or an earlier --since.",
        _ => {
            "Choose longer ones with --window and --baseline; of a store that is as young as they are, shorter ones."
        }
    }
}
