//! From the settings to the judge that is asked: every subcommand that judges comes here for it.

use std::sync::Arc;

use super::{Context, Failure};
use crate::config::{Config, NamedJudge, Setting};
use crate::domain::finding::Threshold;
use crate::judge::local::LocalJudge;
use crate::judge::{FaithfulnessSettings, Judge};
use crate::prompt::Prompts;

/// The judge that the settings name.
///
/// # Errors
/// When its keys cannot be had.
pub(super) fn judge(context: &Context) -> anyhow::Result<Arc<dyn Judge>> {
    match context.config.open_model(&super::variable)? {
        None => Ok(Arc::new(LocalJudge)),
        Some(model) => {
            Err(Failure::bad_input(format!("the judge `{}` is a model: none is asked yet", model.name))
                .into())
        }
    }
}

/// How the judge is to go about it.
///
/// # Errors
/// When the local judge is asked for what only a model can do: it must not seem to have done it.
pub(super) fn faithfulness(config: &Config) -> Result<FaithfulnessSettings, Failure> {
    let settings = FaithfulnessSettings {
        granularity: config.granularity.value,
        threshold: config.threshold.value,
        constraints: config.constraints.value.clone(),
    };
    if config.model_judge().is_some() {
        return Ok(settings);
    }
    if !settings.constraints.is_empty() {
        return Err(only_models(&config.constraints, "auditor.constraints", "cannot follow instructions"));
    }
    if settings.threshold != Threshold::default() {
        return Err(only_models(&config.threshold, "auditor.threshold", "knows one threshold, \"semantic\""));
    }
    Ok(settings)
}

fn only_models<T>(setting: &Setting<T>, name: &str, why: &str) -> Failure {
    Failure::bad_input(format!(
        "{}: `{name}` is set, but the local judge {why}: take it away, or choose a model with --judge NAME",
        setting.origin
    ))
}

/// Questions that the judge is asked at once, unless somebody says otherwise: a model is worked as hard as its own
/// table says.
pub(super) fn at_once(config: &Config) -> usize {
    config.model_judge().map_or(config.concurrency.value, |judge| judge.settings().concurrency)
}

/// The prompts that the judge is asked with: those of its folder, and for the rest those that are built in.
///
/// # Errors
/// When a prompt of the folder cannot be used.
pub(super) fn prompts(config: &Config) -> Result<Prompts, Failure> {
    match config.model_judge().and_then(NamedJudge::prompts) {
        None => Prompts::embedded().map_err(|error| Failure::bad_input(error.to_string())),
        Some(folder) => Prompts::from_folder(folder).map_err(|error| {
            let first = error.0.first().map_or_else(String::new, ToString::to_string);
            Failure::bad_input(format!(
                "the prompts of {0} cannot be used: {first}; `juror prompt check {0}` shows everything",
                folder.display()
            ))
        }),
    }
}
