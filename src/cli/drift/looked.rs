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
        format!(
            "{} ({}): {what} {before} before, {after} after, PSI {index:.3}",
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
    /// Claims before and after.
    pub(super) before: u64,
    pub(super) after: u64,
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
    pub(super) min_items: u64,
    /// The gravest first.
    pub(super) looked: Vec<Looked<'a>>,
    pub(super) too_few: Vec<TooFew<'a>>,
}

impl<'a> Drift<'a> {
    pub(super) fn of(gathered: &'a Gathered, arguments: &Arguments) -> Self {
        let min_items = arguments.min_items;
        let (mut looked, mut too_few) = (Vec::new(), Vec::new());
        for ((by, name), group) in &gathered.groups {
            let [before, after] = group.known();
            let is_new = by.is_version() && before < min_items;
            if by.is_version() && (1..min_items).contains(&after) {
                too_few.push(TooFew { by: *by, name, before, after });
            }
            for measure in Measure::ALL {
                let own = measure.of(group);
                let windows = match gathered.all() {
                    Some(all) if is_new => Cow::Owned(own.held_to(measure.of(all))),
                    _ => Cow::Borrowed(own),
                };
                if windows.least() < min_items {
                    continue;
                }
                let shift = Shift::of(&windows, &measure.bad());
                looked.push(Looked {
                    by: *by,
                    name: name.as_str(),
                    is_new,
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
        Self { gathered, bounds, group_bounds, min_items, looked, too_few }
    }

    pub(super) fn improvements(&self) -> impl Iterator<Item = &Looked<'a>> {
        self.looked.iter().filter(|one| one.alarm == Alarm::Better)
    }

    pub(super) fn alarms(&self) -> impl Iterator<Item = &Looked<'a>> {
        self.looked.iter().filter(|one| one.alarm.rings())
    }

    /// Claims with a verdict, and scored pairs, before and after.
    fn counts(&self) -> [[u64; 2]; 2] {
        self.gathered.all().map_or([[0; 2]; 2], |all| [all.judged, all.pairs.units()])
    }

    fn enough(&self) -> [Enough; 2] {
        let is_few = |count: u64| count < self.min_items;
        let [judged, pairs] = self.counts();
        let verdicts = match judged {
            [0, 0] => Enough::None,
            [before, after] if is_few(before) || is_few(after) => Enough::No,
            _ => Enough::Yes,
        };
        let pairs = match pairs {
            [0, 0] => Enough::None,
            [before, after] if !is_few(before) && !is_few(after) => Enough::Yes,
            // Pairs come in when somebody asks for their scores. Where they are all that there is, they are to be enough.
            [before, after] if verdicts == Enough::Yes && (after == 0 || is_few(before) && is_few(after)) => {
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
            .map(|((_, [before, after]), (_, what))| {
                format!(
                    "Too few {what} to say: {before} before, {after} after, and {} are needed in each window. {}",
                    self.min_items,
                    what_to_choose(before < self.min_items, after < self.min_items),
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
            let named: Vec<String> = named
                .map(|one| {
                    format!("{} {} ({} before, {} after)", one.by.label(), one.name, one.before, one.after)
                })
                .collect();
            let more = match self.too_few.len() - named.len() {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            sentences.push(format!(
                "Too few claims of these came in lately to look at them by themselves: {}{more}.",
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
            .filter_map(|((enough, [before, after]), (kind, what))| {
                let says = match enough {
                    Enough::Yes => Says::Yes,
                    Enough::No => Says::CannotSay,
                    Enough::NotLookedAt | Enough::None => return None,
                };
                let asked = format!("--min-items {}, {kind}", self.min_items);
                Some(Condition::new(asked, says, format!("{before} {what} before, {after} after")))
            })
            .collect();
        if let Some(damage) = self.damage() {
            conditions.push(Condition::new("all claims can be read", Says::CannotSay, damage));
        }
        if !self.looked.is_empty() {
            let alarms: Vec<String> = self.alarms().map(Looked::sentence).collect();
            let (says, sentence) = match alarms.as_slice() {
                [] if self.improvements().next().is_some() => {
                    (Says::Yes, "of what is looked at, nothing fell, and what shifted is better".to_owned())
                }
                [] => (Says::Yes, "of what is looked at, nothing shifted and nothing fell".to_owned()),
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
