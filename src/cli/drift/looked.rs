//! What of the groups is looked at, what is not, and whether that is enough to say anything.

use std::borrow::Cow;

use super::Arguments;
use super::gathered::{By, Gathered, Group};
use crate::domain::annotation::Scale;
use crate::domain::verdict::{Severity, Verdict};
use crate::measure::shift::{Alarm, Bounds, Shift, Windows};
use crate::report::{Condition, Gate, Says, Unit};

/// What of a group is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Measure {
    Verdicts,
    Absences,
    Severities,
    Grave,
    Scores,
    Pairs,
}

impl Measure {
    pub(super) const ALL: [Self; 6] =
        [Self::Verdicts, Self::Absences, Self::Severities, Self::Grave, Self::Scores, Self::Pairs];

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Verdicts => "verdicts",
            Self::Absences => "absences",
            Self::Severities => "severities",
            Self::Grave => "grave",
            Self::Scores => "scores",
            Self::Pairs => "pairs",
        }
    }

    const fn of(self, group: &Group) -> &Windows {
        match self {
            Self::Verdicts => &group.verdicts,
            Self::Absences => &group.absences,
            Self::Severities => &group.severities,
            Self::Grave => &group.grave,
            Self::Scores => &group.scores,
            Self::Pairs => &group.pairs,
        }
    }

    pub(super) fn classes(self) -> Vec<&'static str> {
        let severities = Severity::ALL.iter().map(|one| one.label());
        match self {
            Self::Verdicts => Verdict::ALL.iter().map(|one| one.label()).collect(),
            Self::Absences => vec!["a verdict", "no verdict"],
            Self::Severities => severities.collect(),
            Self::Grave => std::iter::once("not wrong").chain(severities).collect(),
            Self::Scores | Self::Pairs => Scale::Scores.labels(),
        }
    }

    /// The measure that tells whether there is enough of a group to hold it to itself: wrong claims are few of old, too.
    const fn of_all_such(self) -> Self {
        match self {
            Self::Severities | Self::Grave => Self::Verdicts,
            other => other,
        }
    }

    /// The numbers of the classes that are bad.
    fn bad(self) -> Vec<usize> {
        let dangerous = [Severity::High as usize, Severity::Critical as usize];
        match self {
            Self::Verdicts => vec![Verdict::Unsupported as usize, Verdict::Contradicted as usize],
            Self::Absences => vec![1],
            Self::Severities => dangerous.to_vec(),
            Self::Grave => dangerous.map(|severity| severity + 1).to_vec(),
            Self::Scores | Self::Pairs => vec![0, 1],
        }
    }
}

/// One measure of one group, looked at.
pub(super) struct Looked<'a> {
    pub(super) by: By,
    pub(super) name: &'a str,
    /// Whether there was too little of it before, so that it is held to all claims of that time.
    pub(super) is_new: bool,
    /// Whether other judges say it of the later window than of the earlier one.
    pub(super) has_other_judge: bool,
    pub(super) measure: Measure,
    pub(super) windows: Cow<'a, Windows>,
    pub(super) shift: Shift,
    pub(super) alarm: Alarm,
}

impl Looked<'_> {
    pub(super) fn group(&self) -> String {
        match (self.by, self.is_new) {
            (By::All, _) => "all".to_owned(),
            (by, false) => format!("{} {}", by.label(), self.name),
            (by, true) => format!("{} {}, new: against all", by.label(), self.name),
        }
    }

    /// What moved, in a few words.
    pub(super) fn sentence(&self) -> String {
        let share =
            |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |share| Unit::Share.shown(share));
        let what = match self.measure {
            Measure::Verdicts => "wrong claims",
            Measure::Absences => "claims without a verdict",
            Measure::Severities => "HIGH and CRITICAL among the wrong claims",
            Measure::Grave => "wrong claims of HIGH and CRITICAL among all",
            Measure::Scores => "scores of 1 and 2",
            Measure::Pairs => "pairs that score 1 and 2",
        };
        let (before, after) = (share(self.shift.bad_before.value()), share(self.shift.bad_after.value()));
        let index = self.shift.stability.psi.value().unwrap_or(0.0);
        let judge = if self.has_other_judge { "; the judge changed" } else { "" };
        format!(
            "{} ({}): {what} {before} before, {after} after, PSI {index:.3}{judge}",
            self.alarm.label(),
            self.group()
        )
    }
}

/// A model, prompt, way of retrieval or judge of which too little came in lately to be looked at by itself.
#[derive(Debug, serde::Serialize)]
pub(super) struct TooFew<'a> {
    pub(super) by: By,
    pub(super) name: &'a str,
    /// Verdicts or pairs: of what there is too little.
    pub(super) measure: Measure,
    /// How much of it there is.
    #[serde(flatten)]
    pub(super) counted: Counted,
}

impl TooFew<'_> {
    fn sentence(&self) -> String {
        let Counted { units: [before, after], answers: [_, answers] } = self.counted;
        let what = if self.measure == Measure::Pairs { "scored pairs" } else { "claims with a verdict" };
        let of = match answers {
            _ if answers == after => String::new(),
            1 => " of 1 answer".to_owned(),
            many => format!(" of {many} answers"),
        };
        format!("{} {} ({what}: {before} before, {after}{of} after)", self.by.label(), self.name)
    }
}

/// Units of each window, and the answers that they are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub(super) struct Counted {
    pub(super) units: [u64; 2],
    pub(super) answers: [u64; 2],
}

impl Counted {
    pub(super) fn of(windows: &Windows) -> Self {
        Self { units: windows.units(), answers: windows.clusters() }
    }
}

/// How much each window must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Floor {
    pub(super) items: u64,
    /// Claims of one answer hang together: of how many answers they are to be.
    pub(super) answers: u64,
}

impl Floor {
    /// Whether there is enough before, and after.
    fn is_reached(self, counted: Counted) -> [bool; 2] {
        [0, 1].map(|window| counted.units[window] >= self.items && counted.answers[window] >= self.answers)
    }
}

/// Whether there is enough of a kind of claims to say that it is as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enough {
    Yes,
    No,
    /// There is none of it lately, or hardly any at all: it is named, and keeps nothing else from being said.
    NotLookedAt,
    /// There never was any.
    None,
}

/// What there is to be enough of, and what a unit of it is.
const KINDS: [(&str, &str); 2] = [("verdicts", "claims with a verdict"), ("pairs", "scored pairs")];

pub(super) struct Drift<'a> {
    pub(super) gathered: &'a Gathered,
    pub(super) bounds: Bounds,
    pub(super) group_bounds: Bounds,
    pub(super) floor: Floor,
    /// The gravest first.
    pub(super) looked: Vec<Looked<'a>>,
    pub(super) too_few: Vec<TooFew<'a>>,
}

impl<'a> Drift<'a> {
    pub(super) fn of(gathered: &'a Gathered, arguments: &Arguments) -> Self {
        // A claim may be all that there is of its answer.
        let floor =
            Floor { items: arguments.min_items, answers: arguments.min_answers.min(arguments.min_items) };
        let (mut looked, mut too_few) = (Vec::new(), Vec::new());
        for ((by, name), group) in &gathered.groups {
            for measure in [Measure::Verdicts, Measure::Pairs] {
                let counted = Counted::of(measure.of(group));
                // Claims that came in and have no verdict are some that cannot be looked at.
                let came_in = if measure == Measure::Pairs { &group.pairs } else { &group.absences };
                if by.is_version() && came_in.units()[1] > 0 && !floor.is_reached(counted)[1] {
                    too_few.push(TooFew { by: *by, name, measure, counted });
                }
            }
            for measure in Measure::ALL {
                let own = measure.of(group);
                let [had_enough, _] = floor.is_reached(Counted::of(measure.of_all_such().of(group)));
                let new = gathered.all().filter(|_| by.is_version() && !had_enough);
                let (is_new, before) = (new.is_some(), new.unwrap_or(group));
                let windows = match new {
                    Some(all) => Cow::Owned(own.held_to(measure.of(all))),
                    None => Cow::Borrowed(own),
                };
                if floor.is_reached(Counted::of(&windows)) != [true; 2] {
                    continue;
                }
                let has_other_judge = group.is_judged_by_others_than(before, measure == Measure::Pairs);
                let shift = Shift::of(&windows, &measure.bad());
                looked.push(Looked {
                    by: *by,
                    name: name.as_str(),
                    is_new,
                    has_other_judge,
                    measure,
                    windows,
                    shift,
                    alarm: Alarm::Stable,
                });
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
            let bounds = if one.by == By::All { bounds } else { group_bounds };
            one.alarm = one.shift.alarm(bounds, !one.has_other_judge);
        }
        let index = |one: &Looked<'_>| one.shift.stability.psi.value().unwrap_or(0.0);
        looked.sort_by(|one, other| {
            let is_part = |one: &Looked<'_>| one.by != By::All;
            (other.alarm.cmp(&one.alarm))
                .then(is_part(one).cmp(&is_part(other)))
                .then(index(other).total_cmp(&index(one)))
                .then(one.name.cmp(other.name))
        });
        Self { gathered, bounds, group_bounds, floor, looked, too_few }
    }

    pub(super) fn improvements(&self) -> impl Iterator<Item = &Looked<'a>> {
        self.looked.iter().filter(|one| one.alarm == Alarm::Better)
    }

    pub(super) fn alarms(&self) -> impl Iterator<Item = &Looked<'a>> {
        self.looked.iter().filter(|one| one.alarm.rings())
    }

    /// What does not ring and is not as it was either; `None` where all of it is.
    pub(super) fn beside(&self) -> Option<String> {
        let are = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 measure is {what}")),
            many => Some(format!("{many} measures are {what}")),
        };
        let watched = self.looked.iter().filter(|one| one.alarm == Alarm::Watch).count();
        let told = [are(self.improvements().count(), "better"), are(watched, "to be watched")];
        let told: Vec<String> = told.into_iter().flatten().collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// Claims with a verdict, and scored pairs.
    fn counts(&self) -> [Counted; 2] {
        self.gathered.all().map_or_else(Default::default, |all| [&all.verdicts, &all.pairs].map(Counted::of))
    }

    fn enough(&self) -> [Enough; 2] {
        let [judged, pairs] = self.counts();
        let verdicts = match self.floor.is_reached(judged) {
            _ if judged.units == [0, 0] => Enough::None,
            [true, true] => Enough::Yes,
            _ => Enough::No,
        };
        let pairs = match self.floor.is_reached(pairs) {
            _ if pairs.units == [0, 0] => Enough::None,
            [true, true] => Enough::Yes,
            // Pairs come in when somebody asks for their scores. Where they are all that there is, they are to be enough.
            reached if verdicts == Enough::Yes && (pairs.units[1] == 0 || reached == [false, false]) => {
                Enough::NotLookedAt
            }
            _ => Enough::No,
        };
        match (verdicts, pairs) {
            (Enough::None, Enough::None) => [Enough::No, Enough::None],
            (verdicts, pairs) => [verdicts, pairs],
        }
    }

    /// What keeps anybody from saying that all is as it was.
    pub(super) fn lacks(&self) -> Vec<String> {
        let told = self.enough().into_iter().zip(self.counts()).zip(KINDS);
        told.filter(|((enough, _), _)| *enough == Enough::No)
            .map(|((_, counted), (_, what))| {
                let are_few_items = counted.units.iter().any(|units| *units < self.floor.items);
                let (what, [before, after], needed) = if are_few_items {
                    (what.to_owned(), counted.units, self.floor.items)
                } else {
                    (format!("answers with {what}"), counted.answers, self.floor.answers)
                };
                let [had_enough, has_enough] = self.floor.is_reached(counted);
                format!(
                    "Too few {what} to say: {before} before, {after} after, and {needed} are needed in each window. {}",
                    what_to_choose(!had_enough, !has_enough),
                )
            })
            .collect()
    }

    /// What is not looked at, although there is some of it.
    pub(super) fn left_aside(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let aside = [
            (Measure::Pairs, "Scored pairs are not looked at"),
            (Measure::Scores, "Scores of claims are not looked at"),
            (Measure::Severities, "Severities are not looked at among the wrong claims, only among all"),
        ];
        for (measure, what) in aside {
            let units = self.gathered.all().map_or([0; 2], |all| measure.of(all).units());
            let is_looked_at = self.looked.iter().any(|one| one.by == By::All && one.measure == measure);
            let is_told = measure == Measure::Pairs && self.enough()[1] == Enough::No;
            if units != [0; 2] && !is_looked_at && !is_told {
                let [before, after] = units;
                sentences.push(format!("{what}: there are {before} before and {after} after."));
            }
        }
        if let Some((first, rest)) = self.too_few.split_first() {
            let named = std::iter::once(first).chain(rest.iter().take(MOST_NAMED - 1));
            let named: Vec<String> = named.map(TooFew::sentence).collect();
            let more = match self.too_few.len() - named.len() {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            sentences.push(format!(
                "Too little of these came in lately to look at it by itself: {}{more}.",
                named.join(", ")
            ));
        }
        sentences
    }

    /// What cannot be read.
    pub(super) fn damage(&self) -> Option<String> {
        let first = self.gathered.first_damaged.as_ref()?;
        let are = if self.gathered.damaged == 1 { "claim is" } else { "claims are" };
        Some(format!(
            "{} {are} damaged and not counted; the first, {}: {} (see `juror verify`)",
            self.gathered.damaged, first.what, first.reason
        ))
    }

    pub(super) fn gate(&self) -> Gate {
        let told = self.enough().into_iter().zip(self.counts()).zip(KINDS);
        let mut conditions: Vec<Condition> = told
            .filter_map(|((enough, counted), (kind, what))| {
                let says = match enough {
                    Enough::Yes => Says::Yes,
                    Enough::No => Says::CannotSay,
                    Enough::NotLookedAt | Enough::None => return None,
                };
                let Floor { items, answers } = self.floor;
                let asked = format!("--min-items {items}, {kind}; --min-answers {answers}");
                let Counted { units: [before, after], answers: [had, has] } = counted;
                let of =
                    if kind == "pairs" { String::new() } else { format!(", of {had} and {has} answers") };
                Some(Condition::new(asked, says, format!("{before} {what} before, {after} after{of}")))
            })
            .collect();
        if let Some(damage) = self.damage() {
            conditions.push(Condition::new("all claims can be read", Says::CannotSay, damage));
        }
        if !self.looked.is_empty() {
            let alarms: Vec<String> = self.alarms().map(Looked::sentence).collect();
            let (says, sentence) = match alarms.as_slice() {
                [] => {
                    let beside = self.beside().map_or_else(String::new, |beside| format!("; {beside}"));
                    (Says::Yes, format!("of what is looked at, nothing rings{beside}"))
                }
                [first, second, third, more @ ..] if !more.is_empty() => {
                    (Says::No, format!("{first}; {second}; {third}; and {} more", more.len()))
                }
                some => (Says::No, some.join("; ")),
            };
            conditions.push(Condition::new("no shift, no fall", says, sentence));
        }
        Gate::of(conditions)
    }
}

/// Groups that are named in a sentence; all are in the data.
const MOST_NAMED: usize = 5;

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
