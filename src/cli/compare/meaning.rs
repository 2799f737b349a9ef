//! How alike the two answers of each item are in meaning, where the settings name a server of embeddings. It is told
//! beside the rest and decides nothing: a server that fails fails no gate.

use std::sync::Arc;
use std::time::Duration;

use super::super::judges::{Kept, ledger};
use super::super::meter::Meter;
use super::super::{Context, Failure, Interrupt, variable};
use super::asking::Judged;
use crate::judge::embeddings::{Alike, Embedder, EmbedderOptions};
use crate::judge::harness::Budget;
use crate::judge::ledger::Ledger;
use crate::judge::settings::ModelSettings;
use crate::measure::likeness::cosine;

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The server that the settings name, if they name one, with its keys.
///
/// # Errors
/// When nothing may leave the host, or its key cannot be had.
pub(super) fn settings(context: &Context) -> anyhow::Result<Option<ModelSettings>> {
    Ok(context.config.open_embeddings(&variable)?)
}

/// Somebody to ask, and who counts what is asked. Calls are kept where a judge's are, and paid from the same budget.
///
/// # Errors
/// When the server cannot be asked with these settings, or the store not be written.
pub(super) fn server(
    settings: ModelSettings,
    kept: Kept,
    budget: Option<Arc<Budget>>,
    context: &Context,
) -> anyhow::Result<(Embedder, Arc<Meter>)> {
    let origin = context.config.embeddings.as_ref().map(|server| server.origin().to_string());
    let wrong = |why: &str| Failure::bad_input(format!("{}: {why}", origin.unwrap_or_default()));
    if budget.is_some() && settings.prices.is_none() {
        let why = "[embeddings] has no `prices`, so that nothing can be kept within a budget: set them, give no budget, \
                   or compare with --no-embeddings";
        return Err(wrong(why).into());
    }
    let meter = Meter::new(ledger(context, kept)?);
    let options = EmbedderOptions {
        measure: cosine,
        ledger: Arc::clone(&meter) as Arc<dyn Ledger>,
        budget,
        seed: uuid::Uuid::new_v4().as_u64_pair().0,
    };
    let embedder = Embedder::new(settings, Arc::clone(&context.clock), options)
        .map_err(|error| wrong(&error.to_string()))?;
    Ok((embedder, meter))
}

/// One entry an item; what is not asked before an interruption is not known.
pub(super) async fn of(server: &Embedder, scored: &[Judged], interrupt: &Interrupt) -> Vec<Alike> {
    let pairs: Vec<(&str, &str)> =
        scored.iter().map(|one| (&*one.rivals.baseline, &*one.rivals.candidate)).collect();
    let asked = server.alike(&pairs);
    tokio::pin!(asked);
    loop {
        tokio::select! {
            alike = &mut asked => return alike,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        if interrupt.is_raised() {
            return Vec::new();
        }
    }
}
