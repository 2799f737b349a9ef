//! The whole of a comparison for programs, in the names of its schema (`assets/schemas/compare.json`).

use serde_json::{Value, json};

use super::super::alike;
use super::{Compared, Item, of_item};
use crate::domain::comparison::{ComparedClaim, Comparison, with};
use crate::domain::verdict::Severity;
use crate::measure::versions::Counts;

impl Compared<'_> {
    pub(super) fn data(&self) -> Value {
        self.data_with(Comparison::to_json)
    }

    /// The same as it is kept: of an item what both sides' claims come to, and those that the documents do not bear out.
    /// What is left out is made of what is there, or can be asked of the judge again, who answers from the log.
    pub fn kept_data(&self) -> Value {
        self.data_with(|comparison| {
            let both = with(json!({}), "baseline_analysis", comparison.baseline.to_brief_json());
            with(both, "candidate_analysis", comparison.candidate.to_brief_json())
        })
    }

    fn data_with(&self, of_item_json: impl Fn(&Comparison) -> Value) -> Value {
        let item = |item: &Item<'_>| {
            let mut all = of_item_json(item.comparison);
            if let Some(fields) = all.as_object_mut() {
                fields.shift_insert(0, "id".to_owned(), json!(item.id));
                alike::add(item, fields);
            }
            all
        };
        let wrong = self.wrong_by_item();
        let versions = self.versions;
        let shift: serde_json::Map<String, Value> = Severity::ALL
            .iter()
            .rev()
            .map(|severity| {
                let of = |side: &Counts| side.of_severity(*severity) as i64;
                (severity.label().to_owned(), json!(of(&versions.candidate) - of(&versions.baseline)))
            })
            .collect();
        let left_out = |left| {
            let wrong = of_item(&wrong, left).map(ComparedClaim::to_json).collect();
            let left = json!({ "id": left.id, "failed": left.failed, "reason": left.reason });
            with(left, "candidate_wrong", wrong)
        };
        let all = json!({
            "baseline_analysis": counts(&versions.baseline),
            "candidate_analysis": counts(&versions.candidate),
            "comparison_summary": {
                "baseline_hallucination_rate": versions.rates.baseline.value(),
                "candidate_hallucination_rate": versions.rates.candidate.value(),
                "rate_change": versions.rates.change.value(),
                "new_hallucination_types": versions.new_types,
                "severity_shift": shift,
                "items_only_baseline_wrong": versions.items_apart.only_first,
                "items_only_candidate_wrong": versions.items_apart.only_second,
                "p": (versions.items > 0).then_some(versions.items_apart.p),
                "certain": versions.is_certain(),
            },
        });
        let all = with(all, "items", self.items.iter().map(item).collect());
        with(all, "left_out", self.left_out.iter().map(left_out).collect())
    }
}

/// One side's claims of all items, in the names of the comparison's schema.
fn counts(side: &Counts) -> Value {
    let judged = side.judged();
    json!({
        "total_claims": side.claims,
        "supported_claims": side.supported,
        "unsupported_claims": side.unsupported,
        "contradicted_claims": side.contradicted,
        "out_of_scope_claims": side.out_of_scope,
        "without_verdict": side.claims - judged,
        "attribution_gaps": side.attribution_gaps,
        "coverage": side.coverage(),
        "hallucination_rate": (judged > 0).then(|| side.wrong() as f64 / judged as f64),
    })
}
