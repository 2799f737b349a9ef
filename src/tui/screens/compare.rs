//! What the *Compare* screen holds: the comparisons that are kept, and the report of the one in hand.

use std::collections::HashMap;
use std::io::{BufReader, Read};
use std::sync::Arc;

use crate::domain::comparison::NO_EVIDENCE;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::verdict::Severity;
use crate::report::comparison::{NEWLY_WRONG, provisional};
use crate::report::{Found, Report, Shows, brief};
use crate::store::{ComparisonStanding, KeptComparison, SentClaim, Store, StoreError};
use crate::tui::exchanges::Reading;

/// The state of the screen.
#[derive(Debug, Clone)]
pub struct Compare {
    /// The newest first.
    pub kept: Reading<Vec<KeptComparison>>,
    /// The name of the one in hand; rows may come above it.
    pub chosen: Option<String>,
    /// Its report.
    pub told: Reading<Arc<Told>>,
    pub pane: Pane,
    /// The first line of the report that is shown.
    pub top: usize,
    /// The newly wrong claim in hand.
    pub claim: usize,
    /// The first row of what is told of it that is shown.
    pub claim_top: usize,
}

/// What the keys move through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pane {
    #[default]
    Comparisons,
    Claims,
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            kept: Reading::Loading,
            chosen: None,
            told: Reading::Loading,
            pane: Pane::Comparisons,
            top: 0,
            claim: 0,
            claim_top: 0,
        }
    }
}

impl Compare {
    pub fn kept(&self) -> &[KeptComparison] {
        self.kept.ready().map_or(&[], Vec::as_slice)
    }

    /// The line of the one in hand.
    pub fn line(&self) -> usize {
        self.kept().iter().position(|kept| Some(&kept.name) == self.chosen.as_ref()).unwrap_or(0)
    }

    pub fn claims(&self) -> &[NewClaim] {
        self.told.ready().map_or(&[], |told| &told.claims)
    }
}

/// The report of a comparison, without what is not shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// `cmp-1`.
    pub name: String,
    /// Without the claims that are newly wrong.
    pub report: Report,
    /// These, the worst first.
    pub claims: Vec<NewClaim>,
    /// How many there are, those that are not read included.
    pub total: u64,
    /// How the judge stood against people when it compared: state, and the sentence that tells it.
    pub calibration: Option<(String, String)>,
    /// Where it stood when it was read; `None` where that is not known.
    pub standing: Option<ComparisonStanding>,
}

/// A claim of the candidate that is newly wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct NewClaim {
    /// The item.
    pub item: String,
    pub severity: Option<Severity>,
    /// `CONTRADICTED`.
    pub label: String,
    pub text: String,
    /// What the baseline says that is most like it, and what the documents say of that.
    pub baseline: Option<(String, String)>,
    /// The words that decide, and where they stand.
    pub evidence: Option<(String, String)>,
    pub why: Option<String>,
    /// The claim of the queue, where it was sent there.
    pub sent: Option<Sent>,
}

/// A claim of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    pub key: ClaimKey,
    pub id: ClaimId,
    /// Whether nobody has decided it.
    pub is_open: bool,
}

/// Which one is to be read; without a name, or where it is not there any more, the newest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub chosen: Option<String>,
    /// What is shown: as far as nothing of it changed, it is not read again.
    pub known: Option<Known>,
}

/// What was read. The same reading, not a like one, is the same.
#[derive(Debug, Clone)]
pub struct Known(pub Arc<Told>);

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Known {}

#[derive(Debug, Clone)]
pub struct Reply {
    pub kept: Vec<KeptComparison>,
    /// The report of the one that was asked for, or why it cannot be read; `None` where none is kept.
    pub told: Option<Result<Arc<Told>, String>>,
}

pub(super) fn read(store: &Store, question: &Question) -> Result<Reply, StoreError> {
    let kept = store.comparisons()?;
    let chosen = kept.iter().find(|kept| Some(&kept.name) == question.chosen.as_ref()).or(kept.first());
    let told = match chosen {
        None => None,
        Some(chosen) => {
            let known = question.known.as_ref().filter(|known| known.0.name == chosen.name);
            Some(told(store, &chosen.name, known)?)
        }
    };
    Ok(Reply { kept, told })
}

/// Bytes of a report that are read at a time.
const CHUNK: usize = 64 * 1024;

fn told(store: &Store, name: &str, known: Option<&Known>) -> Result<Result<Arc<Told>, String>, StoreError> {
    let standing = store.standing_of_comparison(name)?;
    if let Some((Known(told), before)) = known.and_then(|known| Some((known, known.0.standing?))) {
        if before == standing {
            return Ok(Ok(Arc::clone(told)));
        }
        if before.gates == standing.gates {
            let told = (**told).clone().with(store.claims_of_comparison(name)?);
            return Ok(Ok(Arc::new(Told { standing: Some(standing), ..told })));
        }
    }
    let read =
        |report: &mut dyn Read, later: &str| brief::read(BufReader::with_capacity(CHUNK, report), later);
    let report = store.read_comparison_report(name, read)?;
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            return Ok(Err(format!("the report of {name} cannot be read ({error}): run `juror verify`")));
        }
    };
    let sent = store.claims_of_comparison(name)?;
    Ok(Ok(Arc::new(Told { standing: Some(standing), ..Told::of(name, report, sent) })))
}

impl Told {
    /// The report with what became of the claims that it sent to the queue.
    pub fn of(name: &str, mut report: Report, sent: Vec<SentClaim>) -> Self {
        report.name = Some(name.to_owned());
        let (mut claims, mut total) = (Vec::new(), 0);
        report.parts.retain_mut(|part| match &mut part.shows {
            Shows::Findings(findings) if part.title == NEWLY_WRONG => {
                total = findings.total;
                claims = std::mem::take(&mut findings.list);
                false
            }
            _ => true,
        });
        let claims = claims.into_iter().map(NewClaim::of).collect();
        let calibration = report.facts.iter().find(|fact| fact.name == "calibration").map(|fact| {
            let (state, sentence) = fact.value.split_once(", ").unwrap_or((&fact.value, ""));
            (state.to_owned(), sentence.to_owned())
        });
        Self { name: name.to_owned(), report, claims, total, calibration, standing: None }.with(sent)
    }

    /// The same with where the claims stand now that it sent to the queue.
    #[must_use]
    fn with(mut self, sent: Vec<SentClaim>) -> Self {
        let undecided = sent.iter().filter(|claim| !claim.is_decided).count() as u64;
        self.report.provisional = provisional(sent.len() as u64, undecided);
        let mut queue: HashMap<(String, String), Sent> = sent
            .into_iter()
            .filter_map(|SentClaim { item, id, stored, is_decided, .. }| {
                let (key, text) = stored?;
                Some(((item, text), Sent { key, id, is_open: !is_decided }))
            })
            .collect();
        for claim in &mut self.claims {
            claim.sent = queue.remove(&(claim.item.clone(), claim.text.clone()));
        }
        self
    }
}

impl NewClaim {
    fn of(found: Found) -> Self {
        let Found { id: item, severity, label, text, details } = found;
        let (mut baseline, mut evidence, mut why) = (None, None, None);
        for detail in details {
            match &*detail.name {
                "baseline" => baseline = with_ground(&detail.text),
                "evidence" if detail.text != NO_EVIDENCE => evidence = with_ground(&detail.text),
                "why" => why = Some(detail.text),
                _ => {}
            }
        }
        Self { item, severity, label, text, baseline, evidence, why, sent: None }
    }
}

/// Words and what stands behind them in brackets; `None` where nothing does: then they tell that there is nothing.
fn with_ground(text: &str) -> Option<(String, String)> {
    let (words, ground) = text.strip_suffix(')')?.rsplit_once(" (")?;
    Some((words.to_owned(), ground.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Detail;

    #[test]
    fn a_finding_is_taken_apart() {
        let found = Found {
            id: "q/1".into(),
            severity: Some(Severity::High),
            label: "CONTRADICTED".into(),
            text: "8 g (eight).".into(),
            details: vec![
                Detail::new("baseline", "4 g (four). (SUPPORTED)"),
                Detail::new("evidence", "The maximum (for adults) is 4 g. (d1, EXACT)"),
                Detail::new("why", "8 against 4"),
            ],
        };
        let claim = NewClaim::of(found.clone());
        assert_eq!(claim.baseline, Some(("4 g (four).".to_owned(), "SUPPORTED".to_owned())));
        let evidence = ("The maximum (for adults) is 4 g.".to_owned(), "d1, EXACT".to_owned());
        assert_eq!(claim.evidence, Some(evidence));
        let alone =
            vec![Detail::new("baseline", "says nothing like it"), Detail::new("evidence", NO_EVIDENCE)];
        let claim = NewClaim::of(Found { details: alone, ..found });
        assert_eq!((claim.baseline, claim.evidence, claim.why, claim.sent), (None, None, None, None));
    }
}
