//! How alike the two answers of each item are in meaning, where the settings name a server of embeddings. It is told
//! beside the rest and decides nothing: a server that fails fails no gate.

use std::sync::Arc;
use std::time::Duration;

use super::super::{Context, Failure, Interrupt, variable};
use super::asking::Judged;
use crate::judge::embeddings::{Alike, Embedder};
use crate::measure::likeness::cosine;

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The server that the settings name, if they name one.
///
/// # Errors
/// When its key cannot be had, or it cannot be asked with these settings.
pub(super) fn server(context: &Context) -> anyhow::Result<Option<Embedder>> {
    let Some(settings) = context.config.open_embeddings(&variable)? else { return Ok(None) };
    let seed = uuid::Uuid::new_v4().as_u64_pair().0;
    Embedder::new(settings, cosine, Arc::clone(&context.clock), seed).map(Some).map_err(|error| {
        let origin = context.config.embeddings.as_ref().map(|server| format!("{}: ", server.origin()));
        Failure::bad_input(format!("{}{error}", origin.unwrap_or_default())).into()
    })
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
