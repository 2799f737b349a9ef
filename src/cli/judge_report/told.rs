//! What is told of the files: gathered as they are judged, and shaped as `--json` prints it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::ask::{JudgedClaim, Judgement};
use crate::domain::finding::JudgeIdentity;
use crate::domain::verdict::Verdict;
use crate::measure::Figure;
use crate::measure::classes::Confusion;
use crate::measure::decomposition::Found;
use crate::measure::sheet::{Figures, Labelling, Sheet};
use crate::text::sanitize::shortened;

/// What one file brought so far.
pub(super) struct FileReport {
    pub(super) name: String,
    pub(super) rejected: u64,
    /// What the judge said when it failed, each once.
    pub(super) failures: Vec<String>,
    /// Rows that it failed at. They count in no figure, neither in its own nor in the floors'.
    failed: u64,
    sheet: Sheet,
    languages: BTreeMap<String, u64>,
    core: Duration,
    found: Found,
    wrong: Wrong,
}

impl FileReport {
    pub(super) fn new(name: &str, worst: usize) -> Self {
        Self {
            name: name.to_owned(),
            rejected: 0,
            failures: Vec::new(),
            failed: 0,
            sheet: Sheet::default(),
            languages: BTreeMap::new(),
            core: Duration::ZERO,
            found: Found::default(),
            wrong: Wrong { most: worst, by_kind: BTreeMap::new() },
        }
    }

    /// Rows taken so far, those that the judge failed at included: whoever is measured by the first rows of a file is
    /// measured by the same ones.
    pub(super) fn rows(&self) -> u64 {
        self.sheet.rows.len() as u64 + self.found.answers + self.failed
    }

    pub(super) fn add(&mut self, judgement: Judgement) {
        match judgement {
            Judgement::Claim(claim) => {
                self.core += claim.core;
                let lang = claim.labelled.lang.clone().unwrap_or_else(|| "unknown".to_owned());
                *self.languages.entry(lang).or_default() += 1;
                self.sheet.rows.push(claim.row);
                self.wrong.add(*claim);
            }
            Judgement::Answer(answer) => self.found.add(
                &answer.labelled.record.answer,
                &answer.labelled.marked,
                &answer.produced,
                answer.no_claims,
            ),
            Judgement::Failed(failure) => {
                self.failed += 1;
                let told = failure.to_string();
                if !self.failures.contains(&told) {
                    self.failures.push(told);
                }
            }
        }
    }

    fn is_english(&self) -> bool {
        self.languages.len() == 1 && self.languages.contains_key("en")
    }

    fn speed(&self) -> Figure {
        let claims = self.sheet.rows.len() as f64;
        if claims == 0.0 || self.core.is_zero() {
            return Figure::undefined("no claim was judged");
        }
        Figure::of(claims / self.core.as_secs_f64())
    }
}

/// The surest verdicts that may be wrong. What is wrong depends on the labels of the whole file, so they are kept for
/// each pair of label and verdict.
struct Wrong {
    most: usize,
    by_kind: BTreeMap<(Verdict, Verdict), Vec<WrongVerdict>>,
}

/// A verdict beside its label.
#[derive(Debug, Clone, Serialize)]
pub(super) struct WrongVerdict {
    pub(super) id: String,
    pub(super) claim: String,
    pub(super) label: Verdict,
    pub(super) verdict: Verdict,
    pub(super) confidence: f64,
    pub(super) rationale: String,
}

impl Wrong {
    fn add(&mut self, claim: JudgedClaim) {
        let label = claim.row.label;
        let Some((verdict, confidence)) = claim.row.said.filter(|(verdict, _)| *verdict != label) else {
            return;
        };
        let kept = self.by_kind.entry((label, verdict)).or_default();
        if kept.len() == self.most && kept.last().is_none_or(|last| last.confidence >= confidence) {
            return;
        }
        let given = claim.labelled.record.given_claims.first();
        let claim_text = given.map_or("", |given| given.claim_text.as_str());
        let at = kept.partition_point(|other| other.confidence >= confidence);
        kept.insert(
            at,
            WrongVerdict {
                id: claim.labelled.record.audit_id.to_string(),
                claim: shortened(claim_text).into_owned(),
                label,
                verdict,
                confidence,
                rationale: claim.reason,
            },
        );
        kept.truncate(self.most);
    }

    fn worst(&self, sheet: &Sheet) -> Vec<WrongVerdict> {
        let ruler = sheet.ruler();
        let wrong = self.by_kind.iter().filter(|((label, verdict), _)| !ruler.is_right(*verdict, *label));
        let mut all: Vec<WrongVerdict> = wrong.flat_map(|(_, kept)| kept.iter().cloned()).collect();
        all.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        all.truncate(self.most);
        all
    }
}

/// What `juror judge-report --json` prints.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) judge: Asked,
    pub(super) files: Vec<FileTold>,
    /// Means over the files whose claims are all English.
    pub(super) english: Option<EnglishTold>,
    /// Lines that are no labelled rows.
    pub(super) rejected: u64,
}

#[derive(Serialize)]
pub(super) struct Asked {
    pub(super) judge: String,
    pub(super) model: String,
    pub(super) prompt_version: String,
    pub(super) prompt_sha256: String,
    pub(super) settings: serde_json::Value,
}

#[derive(Serialize)]
pub(super) struct FileTold {
    pub(super) file: String,
    pub(super) claims: u64,
    pub(super) languages: BTreeMap<String, u64>,
    pub(super) labels: BTreeMap<&'static str, u64>,
    pub(super) right_by: Labelling,
    #[serde(flatten)]
    pub(super) figures: Figures,
    pub(super) claims_per_second: Figure,
    pub(super) worst: Vec<WrongVerdict>,
    /// `None` for a file without answers.
    pub(super) answers: Option<AnswersTold>,
    pub(super) failed: u64,
    pub(super) rejected: u64,
}

#[derive(Serialize)]
pub(super) struct AnswersTold {
    #[serde(flatten)]
    pub(super) found: Found,
    pub(super) recall: Figure,
}

#[derive(Serialize)]
pub(super) struct EnglishTold {
    pub(super) files: usize,
    pub(super) claims: u64,
    /// Files without a balanced accuracy, because all their claims are of one class.
    pub(super) one_class: Vec<String>,
    #[serde(flatten)]
    pub(super) figures: Figures,
    pub(super) claims_per_second: Figure,
    /// CONTRADICTED over all rows of the files that have the label, together.
    pub(super) contradicted_together: Together,
}

#[derive(Serialize)]
pub(super) struct Together {
    pub(super) labelled: u64,
    pub(super) said: u64,
    pub(super) precision: Figure,
    pub(super) recall: Figure,
}

impl Report {
    pub(super) fn new(identity: &JudgeIdentity, files: &[FileReport], rejected: usize) -> Self {
        Self {
            judge: Asked {
                judge: identity.judge.clone(),
                model: identity.model.clone(),
                prompt_version: identity.prompt_version.clone(),
                prompt_sha256: identity.prompt_sha256.clone(),
                settings: identity.settings.clone(),
            },
            files: files.iter().map(FileTold::new).collect(),
            english: EnglishTold::new(files),
            rejected: rejected as u64,
        }
    }
}

impl FileTold {
    fn new(file: &FileReport) -> Self {
        let labels = Verdict::ALL.iter().zip(file.sheet.labels()).filter(|(_, count)| *count > 0);
        Self {
            file: file.name.clone(),
            claims: file.sheet.rows.len() as u64,
            languages: file.languages.clone(),
            labels: labels.map(|(label, count)| (label.label(), count)).collect(),
            right_by: file.sheet.ruler().labelling,
            figures: file.sheet.figures(),
            claims_per_second: file.speed(),
            worst: file.wrong.worst(&file.sheet),
            answers: (file.found.answers > 0)
                .then(|| AnswersTold { found: file.found, recall: file.found.recall() }),
            failed: file.failed,
            rejected: file.rejected,
        }
    }
}

impl EnglishTold {
    fn new(files: &[FileReport]) -> Option<Self> {
        let english: Vec<&FileReport> = files.iter().filter(|file| file.is_english()).collect();
        let figures: Vec<Figures> = english.iter().map(|file| file.sheet.figures()).collect();
        let one_class = english.iter().zip(&figures).filter(|(_, f)| f.balanced_accuracy.value.is_none());
        let together: Confusion = english
            .iter()
            .filter_map(|file| file.sheet.contradicted())
            .fold(Confusion::default(), Confusion::plus);
        (!english.is_empty()).then(|| Self {
            files: english.len(),
            claims: english.iter().map(|file| file.sheet.rows.len() as u64).sum(),
            one_class: one_class.map(|(file, _)| file.name.clone()).collect(),
            figures: Figures::mean(&figures),
            claims_per_second: Figure::mean(
                english.iter().filter_map(|file| file.speed().value),
                "no claim was judged",
            ),
            contradicted_together: Together {
                labelled: together.hits + together.misses,
                said: together.hits + together.false_alarms,
                precision: together.precision(),
                recall: together.recall(),
            },
        })
    }
}
