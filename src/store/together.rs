//! One request for many claims at once: all that is possible, in one transaction, and why the rest is not.

use rusqlite::{OptionalExtension, Transaction};

use super::decisions::{Batched, Links, decided};
use super::{Fallible, Fault, Store, StoreError, events, projection, refused, rows};
use crate::domain::decision::{Actor, Basis, ReasonCode, Request, Standing};
use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;

impl Store {
    /// Records a request for each of many claims, in one transaction: all that is possible, and why the rest is
    /// not; `reason` is that of each. One undo takes all of it back, and one redo does it again.
    ///
    /// Many at once are ruled on only where nobody has: a ruling that came since the claims were chosen, anybody's,
    /// was seen by nobody who asks for this, and is refused to be overturned.
    pub fn decide_many(
        &mut self,
        requests: &[(ClaimKey, Request)],
        reason: Option<ReasonCode>,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Batched, StoreError> {
        self.write_full(|tx| {
            let batch = Some(events::head(tx)?.0 + 1);
            let mut done = Batched::default();
            for (claim, request) in requests {
                let links = Links { answers: None, batch };
                let is_there = |standing: &Standing| match request {
                    Request::Skip(wanted) => standing.skipped == *wanted,
                    Request::Flag(wanted) => standing.flag.is_some() == *wanted,
                    _ => false,
                };
                if is_there(&projection::standing(tx, *claim, actor.annotator.as_str())?) {
                    done.unchanged += 1;
                    continue;
                }
                let recorded = refuse_ruled(tx, *claim, request, actor).and_then(|()| {
                    decided(tx, *claim, request, Basis { reason, ..Basis::default() }, links, actor, now)
                });
                match recorded {
                    Ok(event) => done.events.push(event),
                    Err(Fault::Store(
                        why @ (StoreError::Refused(_) | StoreError::Held { .. } | StoreError::Opposed { .. }),
                    )) => {
                        done.refused.push((rows::claim(tx, *claim)?.id.to_string(), why.to_string()));
                    }
                    Err(fault) => return Err(fault),
                }
            }
            Ok(done)
        })
    }
}

/// Refuses to rule, among many, on a claim that somebody has ruled on: that is done by itself, looking at it.
fn refuse_ruled(tx: &Transaction<'_>, claim: ClaimKey, request: &Request, actor: &Actor) -> Fallible<()> {
    if !matches!(request, Request::Confirm | Request::Override(_)) {
        return Ok(());
    }
    let last: Option<(String, String)> = tx
        .prepare_cached(
            "SELECT annotator, verdict FROM decision WHERE claim_id = ?1 ORDER BY seq DESC LIMIT 1",
        )?
        .query_row([claim.0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((who, verdict)) = last else { return Ok(()) };
    let who = if who == actor.annotator.as_str() { "you" } else { who.as_str() };
    refused(format!("{who} ruled {verdict} already: look at it, and decide it by itself"))
}
