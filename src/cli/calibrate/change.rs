//! What is told of a judge against what it was.

use crate::measure::against_people::Change;
use crate::report::{Figure, Unit};

/// What came of the comparison, in a few words.
pub(super) fn told(change: &Change) -> String {
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

pub(super) fn changes(change: &Change) -> Vec<Figure> {
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
