//! Which units count for nothing, and why: they are listed, so that somebody can mend it.

use serde_json::{Map, Value, json};

use crate::domain::annotation::Scale;
use crate::domain::calibration::LEAST_ANNOTATORS;
use crate::format::annotated::Unit;
use crate::measure::against_people::sayable;
use crate::measure::annotators::{Said, consensus};
use crate::report::{Detail, Findings, Found, Part, Shows};

/// Why a unit counts for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Fewer than two annotators.
    Few,
    /// Fewer than two whose verdict is independent; with those that are not there are enough.
    NotIndependent,
    /// No category has more annotators than any other.
    Tied,
    /// Most annotators cannot judge it, or call it no claim.
    NoVerdict,
    /// The judge was not asked: it found no claim in the answer, or a person made the claim.
    NotAsked,
}

impl Why {
    const ALL: [Self; 5] = [Self::Few, Self::NotIndependent, Self::Tied, Self::NoVerdict, Self::NotAsked];

    const fn label(self) -> &'static str {
        match self {
            Self::Few => "few",
            Self::NotIndependent => "not_independent",
            Self::Tied => "tied",
            Self::NoVerdict => "no_verdict",
            Self::NotAsked => "not_asked",
        }
    }

    /// With a number before it.
    const fn sentence(self) -> &'static str {
        match self {
            Self::Few => "with fewer than two annotators",
            Self::NotIndependent => "with fewer than two annotators who had not seen the judge",
            Self::Tied => "on which no verdict has most annotators",
            Self::NoVerdict => "that most annotators cannot judge or call no claim",
            Self::NotAsked => {
                "that the judge was not asked about (it found no claim, or a person made the claim)"
            }
        }
    }

    /// What would let it count; `None` where nothing does.
    const fn remedy(self) -> Option<&'static str> {
        match self {
            Self::Few => Some("let somebody else judge it blind too"),
            Self::NotIndependent => {
                Some("let a third person judge it blind (a larger review.overlap asks one)")
            }
            Self::Tied => Some("let somebody who did not judge it blind decide it"),
            Self::NoVerdict | Self::NotAsked => None,
        }
    }
}

/// A unit that counts for nothing.
#[derive(Debug, Clone)]
struct Left {
    unit: Unit,
    why: Why,
}

/// All of them, in the order of the golden set.
#[derive(Debug, Clone, Default)]
pub(super) struct LeftOut(Vec<Left>);

/// Ids that a sentence names of each kind.
const NAMED: usize = 3;

impl LeftOut {
    pub(super) fn add(&mut self, unit: &Unit, why: Why) {
        self.0.push(Left { unit: unit.clone(), why });
    }

    /// What an adjudicator said of what two annotators or more judged, else most of these; where that counts for nothing,
    /// it is kept here.
    pub(super) fn consensus(&mut self, unit: &Unit, scale: Scale, trusts_labels: bool) -> Option<usize> {
        let said = said(unit);
        // Also of what was settled: whoever settles it has seen the judge.
        if said.len() < LEAST_ANNOTATORS {
            let label = unit.label.filter(|_| trusts_labels && said.is_empty());
            if label.is_none() {
                let with_them = said.len() + unit.dependent.len();
                let is_for_them = !unit.dependent.is_empty() && with_them >= LEAST_ANNOTATORS;
                self.add(unit, if is_for_them { Why::NotIndependent } else { Why::Few });
            }
            return label.map(|label| label as usize);
        }
        let settled = unit.settled.as_ref().map(|(_, rating)| rating.category());
        let Some(category) = settled.or_else(|| consensus(&said, scale.categories())) else {
            self.add(unit, Why::Tied);
            return None;
        };
        if category >= sayable(scale) {
            self.add(unit, Why::NoVerdict);
            return None;
        }
        Some(category)
    }

    fn of(&self, why: Why) -> impl Iterator<Item = &Left> {
        self.0.iter().filter(move |left| left.why == why)
    }

    pub(super) fn sentence(&self) -> Option<String> {
        let mut parts = Vec::new();
        for why in Why::ALL {
            let ids: Vec<&str> = self.of(why).map(|left| left.unit.id.as_str()).collect();
            if !ids.is_empty() {
                let more = if ids.len() > NAMED { ", …" } else { "" };
                let named = ids[..ids.len().min(NAMED)].join(", ");
                parts.push(format!("{} {} ({named}{more})", ids.len(), why.sentence()));
            }
        }
        (!parts.is_empty()).then(|| format!("Left out: {}.", parts.join(", ")))
    }

    /// The list for people; `None` where nothing is left out.
    pub(super) fn part(&self) -> Option<Part> {
        let found = |left: &Left| {
            let unit = &left.unit;
            let mut details: Vec<Detail> = unit
                .annotations
                .iter()
                .map(|(who, rating)| Detail::new(who.clone(), rating.label()))
                .chain(unit.dependent.iter().map(|who| Detail::new(who.clone(), "not independent")))
                .collect();
            details.extend(left.why.remedy().map(|remedy| Detail::new("to let it count", remedy)));
            Found {
                id: unit.id.clone(),
                severity: None,
                label: left.why.label().replace('_', " "),
                text: unit.text.clone(),
                details,
            }
        };
        let list: Vec<Found> = Why::ALL.into_iter().flat_map(|why| self.of(why)).map(found).collect();
        let findings = Findings { none: "There is none.".to_owned(), total: list.len() as u64, list };
        (!self.0.is_empty()).then(|| Part::new("Left out", Shows::Findings(findings)))
    }

    pub(super) fn data(&self) -> Value {
        let counts = Why::ALL.map(|why| (why.label().to_owned(), Value::from(self.of(why).count())));
        let mut data = Map::from_iter(counts);
        let units = self.0.iter().map(|left| {
            json!({ "unit": left.unit.id, "why": left.why.label(), "not_independent": left.unit.dependent })
        });
        data.insert("units".to_owned(), units.collect());
        Value::Object(data)
    }
}

/// What the annotators of a unit say; not who settled what they disagreed on, who knew what they had said.
pub(super) fn said(unit: &Unit) -> Said {
    let settled = unit.settled.as_ref().map(|(adjudicator, _)| adjudicator);
    let annotators = unit.annotations.iter().filter(|(name, _)| Some(name) != settled);
    annotators.enumerate().map(|(who, (_, rating))| (who, rating.category())).collect()
}
