//! From the settings to the judge that is asked: every subcommand that judges comes here for it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::meter::Meter;
use super::{Context, Failure};
use crate::auditor::StoreLedger;
use crate::config::{Config, NamedJudge, Setting};
use crate::domain::exchange::Exchange;
use crate::domain::finding::Threshold;
use crate::domain::ids::ExchangeKey;
use crate::judge::harness::{Budget, Harness, HarnessOptions, SetupError};
use crate::judge::ledger::{Answered, Ledger, LedgerError};
use crate::judge::local::LocalJudge;
use crate::judge::model::{ModelJudge, ModelOptions, repair};
use crate::judge::settings::ModelSettings;
use crate::judge::{FaithfulnessSettings, Judge};
use crate::prompt::{FenceSecret, Prompts};
use crate::store::Durability;

/// Where exchanges with a model are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kept {
    #[default]
    InStore,
    /// In the store, under no record of it: for what is judged from files.
    WithoutRecord,
    /// Nowhere: for what is judged without a store.
    Nowhere,
}

/// On what terms a model is asked.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    pub(super) kept: Kept,
    /// What the run may cost, in millionths of a US dollar; `None` for any amount.
    pub(super) budget: Option<u64>,
    /// Ask anew, whatever was answered before.
    pub(super) fresh: bool,
    /// What each score means, in place of the prompt's own rubric.
    pub(super) rubric: Option<String>,
    /// Questions at once, in place of the judge's own `concurrency`.
    pub(super) at_once: Option<NonZeroUsize>,
    /// In place of the judge's own.
    pub(super) temperature: Option<f64>,
}

/// A judge that can be asked.
pub(super) struct Opened {
    pub(super) judge: Arc<dyn Judge>,
    /// Counts what is asked; `None` where no model is.
    pub(super) meter: Option<Arc<Meter>>,
    /// What the run may cost, whoever spends it.
    pub(super) budget: Option<Arc<Budget>>,
}

/// The judge that the settings name.
///
/// # Errors
/// When its keys cannot be had, a prompt cannot be used, or the store cannot keep what is asked.
pub(super) fn open(context: &Context, terms: Terms) -> anyhow::Result<Opened> {
    let Terms { kept, budget, fresh, rubric, at_once, temperature } = terms;
    let budget = budget.map(|cap| Arc::new(Budget::new(cap)));
    let Some(mut model) = context.config.open_model(&super::variable)? else {
        if rubric.is_some() {
            let why = "the local judge scores by rules of its own and cannot follow a rubric: leave --rubric away, or \
                       choose a model with --judge NAME";
            return Err(Failure::bad_input(why.to_owned()).into());
        }
        return Ok(Opened { judge: Arc::new(LocalJudge), meter: None, budget });
    };
    if let Some(at_once) = at_once {
        model.concurrency = at_once.get();
    }
    if let Some(temperature) = temperature {
        model.temperature = temperature;
    }
    let options = ModelOptions { rubric, ..options(context, kept)? };
    let meter = Meter::new(ledger(context, kept)?);
    let kept = Arc::clone(&meter) as Arc<dyn Ledger>;
    let harness = harness(context, model.clone(), kept, budget.clone(), fresh, &options)?;
    let judge = ModelJudge::new(harness, model, options)?;
    Ok(Opened { judge: Arc::new(judge), meter: Some(meter), budget })
}

/// With which words a model is asked.
///
/// # Errors
/// When a prompt cannot be used, or the store not be read.
pub(super) fn options(context: &Context, kept: Kept) -> anyhow::Result<ModelOptions> {
    Ok(ModelOptions {
        prompts: prompts(&context.config)?,
        secret: match kept {
            Kept::InStore | Kept::WithoutRecord => {
                FenceSecret::new(context.open_store(Durability::Normal)?.fence_secret()?.as_bytes())
            }
            Kept::Nowhere => FenceSecret::random(),
        },
        rubric: None,
    })
}

/// Keeps exchanges under no record: the store refuses one whose record it has not.
struct Nameless(StoreLedger);

impl Ledger for Nameless {
    fn answered(&self, question_sha256: &str) -> Result<Option<Answered>, LedgerError> {
        self.0.answered(question_sha256)
    }

    fn keep(&self, exchange: &Exchange) -> Result<ExchangeKey, LedgerError> {
        self.0.keep(&Exchange { audit_id: None, ..exchange.clone() })
    }
}

pub(super) fn ledger(context: &Context, kept: Kept) -> anyhow::Result<Option<Box<dyn Ledger>>> {
    Ok(match kept {
        Kept::InStore => Some(Box::new(StoreLedger::open(&context.config.db.value)?)),
        Kept::WithoutRecord => Some(Box::new(Nameless(StoreLedger::open(&context.config.db.value)?))),
        Kept::Nowhere => None,
    })
}

/// What asks the model.
///
/// # Errors
/// When it cannot be asked as it is set up.
pub(super) fn harness(
    context: &Context,
    model: ModelSettings,
    ledger: Arc<dyn Ledger>,
    budget: Option<Arc<Budget>>,
    fresh: bool,
    options: &ModelOptions,
) -> anyhow::Result<Harness> {
    let harness_options = HarnessOptions {
        budget,
        fresh,
        repair: repair(&options.prompts, &options.secret),
        seed: uuid::Uuid::new_v4().as_u64_pair().0,
    };
    Harness::new(model, ledger, Arc::clone(&context.clock), harness_options).map_err(|error: SetupError| {
        let place =
            context.config.model_judge().map_or_else(String::new, |judge| format!("{}: ", judge.origin()));
        Failure::bad_input(format!("{place}{error}")).into()
    })
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
