//! What is told of a judge against what it was.

use serde_json::{Value, json};

use super::former::Named;
use crate::domain::annotation::Scale;
use crate::domain::calibration::LEAST_ITEMS;
use crate::measure::against_people::{Change, Item, LEAST_RECORDS, change};
use crate::measure::bootstrap::Resampling;
use crate::report::{Condition, Figure, Part, Says, Shows, Unit};

/// What `--against` comes to.
pub(super) struct Against {
    /// What was asked for, as people call it.
    name: String,
    says: Says,
    because: String,
    held: Option<Held>,
}

/// What the judge was held to, and how.
struct Held {
    change: Change,
    difference: Option<String>,
}

impl Against {
    /// Holds the `items` of now, of a golden set whose lines have that SHA-256, to those of then.
    pub(super) fn of(named: Named, items: &[Item], sha256: &str, scale: Scale) -> Self {
        let Named { name, former } = named;
        let former = match former {
            Ok(former) => former,
            Err(because) => return Self { name, says: Says::CannotSay, because, held: None },
        };
        let change = change(&former.items, items, scale, Resampling::default());
        let (says, outcome) = outcome(&change);
        let others = match change.others {
            0 => String::new(),
            others => format!(
                "; {others} of the items have other words or another consensus under their names than then, and are left \
                 out"
            ),
        };
        let is_same = former.sha256 == sha256;
        let lines = if is_same { "" } else { "; the lines of the golden set are not those of then" };
        let because = format!("{outcome}{others}{lines}");
        let held = Held { change, difference: former.difference };
        Self { name, says, because, held: Some(held) }
    }

    pub(super) fn condition(&self) -> Condition {
        Condition::new(format!("--against {}", self.name), self.says, self.because.clone())
    }

    pub(super) fn part(&self) -> Option<Part> {
        let held = self.held.as_ref()?;
        Some(Part::new(format!("Against {}", self.name), Shows::Figures(figures(&held.change))))
    }

    /// Which one it was held to.
    pub(super) fn sentence(&self) -> Option<String> {
        let difference = self.held.as_ref()?.difference.as_deref();
        let how = difference.map_or_else(
            || "made by the very judge of now, so that only the data are new".to_owned(),
            |difference| format!("made {difference}"),
        );
        Some(format!("Held to {}, {how}.", self.name))
    }

    pub(super) fn data(&self) -> Option<Value> {
        let is_worse = (self.says != Says::CannotSay).then_some(self.says == Says::No);
        let held = self.held.as_ref()?;
        Some(json!({ "against": self.name, "worse": is_worse, "measured": held.change }))
    }
}

fn outcome(change: &Change) -> (Says, String) {
    let (n, records) = (change.raw.n(), change.records);
    if n < LEAST_ITEMS {
        let because = format!("{n} items have a verdict of both, and {LEAST_ITEMS} are needed");
        (Says::CannotSay, because)
    } else if change.is_worse() {
        (Says::No, format!("it agrees less with people: {}", told(change)))
    } else if records < LEAST_RECORDS {
        let because = format!(
            "the {n} items that have a verdict of both are of {records} records, and {LEAST_RECORDS} are needed: on fewer \
             nothing can be told from chance"
        );
        (Says::CannotSay, because)
    } else {
        (Says::Yes, format!("not shown to be worse: {}", told(change)))
    }
}

/// What came of the comparison, in a few words.
fn told(change: &Change) -> String {
    let kappa = match (change.kappa.value(), change.kappa.interval()) {
        (Some(value), Some(of)) => format!("kappa {value:+.3} (95 %: {:+.3} to {:+.3})", of.low, of.high),
        (Some(value), None) => format!("kappa {value:+.3}"),
        (None, _) => {
            format!("kappa undefined, because {}", change.kappa.undefined_because().unwrap_or_default())
        }
    };
    let lost = match (change.coverage.only_first, change.coverage.only_second) {
        (0, 0) => String::new(),
        (lost, gained) => {
            format!("; of {lost} records fewer claims have a verdict than before, of {gained} more")
        }
    };
    format!(
        "{kappa} on {} items; of {} records it gets less right than before, of {} more, p = {:.4}{lost}",
        change.raw.n(),
        change.test.only_first,
        change.test.only_second,
        change.test.p
    )
}

fn figures(change: &Change) -> Vec<Figure> {
    vec![
        Figure::of("kappa_change", "kappa, change", Unit::Number, &change.kappa, "items"),
        Figure::of("raw_change", "raw agreement, change", Unit::Change, &change.raw, "items"),
        Figure::new(
            "mcnemar_p",
            "chance of such a change (McNemar)",
            Unit::P,
            Ok::<_, String>(change.test.p),
        )
        .from(change.test.only_first + change.test.only_second, "records that changed"),
    ]
}
