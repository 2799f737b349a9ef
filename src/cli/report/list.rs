//! What is kept, one line each.

use super::super::output::one_line;
use super::super::{Context, Exit};
use crate::domain::calibration::Calibration;
use crate::store::KeptComparison;
use crate::text::width::pad;

pub(super) fn comparisons(kept: &[KeptComparison], context: &mut Context) -> anyhow::Result<Exit> {
    if context.out.wants_json() {
        let rows: Vec<_> = kept
            .iter()
            .map(|one| {
                serde_json::json!({
                    "name": one.name, "made_at": one.made_at, "judge": one.judge, "model": one.model,
                    "prompt_version": one.prompt_version, "baseline": one.baseline, "candidate": one.candidate,
                    "items": one.items, "compared": one.compared, "baseline_rate": one.baseline_rate,
                    "candidate_rate": one.candidate_rate, "rate_change": one.rate_change, "gate": one.says,
                })
            })
            .collect();
        context.out.json(&rows)?;
        return Ok(Exit::Fine);
    }
    for one in kept {
        let change = one
            .rate_change
            .map_or_else(|| "no change".to_owned(), |it| crate::report::Unit::Change.shown(it));
        let line = format!(
            "{}  {}  {}  {}  {} against {}",
            pad(&one.name, 8),
            one.made_at,
            pad(&change, 13),
            pad(&one.says, 10),
            one.candidate,
            one.baseline
        );
        context.out.text(&one_line(&line))?;
    }
    Ok(Exit::Fine)
}

pub(super) fn calibrations(kept: &[(i64, Calibration)], context: &mut Context) -> anyhow::Result<Exit> {
    if context.out.wants_json() {
        let rows: Vec<_> = kept
            .iter()
            .map(|(number, one)| {
                let of = &one.identity;
                serde_json::json!({
                    "number": number, "made_at": one.made_at, "instrument": one.instrument, "judge": of.judge,
                    "model": of.model, "prompt_version": of.prompt_version, "prompt_sha256": of.prompt_sha256,
                    "settings": of.settings, "golden": one.data_name, "golden_sha256": one.data_sha256,
                    "retrieval": one.retrieval, "items": one.items, "state": one.state, "kappa": one.kappa,
                })
            })
            .collect();
        context.out.json(&rows)?;
        return Ok(Exit::Fine);
    }
    for (number, one) in kept {
        let kappa = one.kappa.map_or_else(|| "no kappa".to_owned(), |kappa| format!("kappa {kappa:.2}"));
        let prompt: String = one.identity.prompt_sha256.chars().take(4).collect();
        let line = format!(
            "{}  {}  {}  {}  {} of {} ({}), prompt {prompt}, {} items of {}",
            pad(&number.to_string(), 3),
            one.made_at,
            pad(one.state.label(), 12),
            pad(&kappa, 10),
            one.instrument,
            one.identity.judge,
            one.identity.model,
            one.items,
            one.data_name
        );
        context.out.text(&one_line(&line))?;
    }
    Ok(Exit::Fine)
}
