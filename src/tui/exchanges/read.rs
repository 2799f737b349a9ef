//! Reads the log of a claim, and one reply. Off the screen's thread: together they may be many megabytes.

use super::reply::mentions;
use super::{Entry, Logged, Reply, Sought};
use crate::domain::ids::{ClaimKey, ExchangeKey};
use crate::store::{ExchangesOf, Store, StoreError};

/// The exchanges that the audit of `claim` rests on, in order. One after the other, so that no more than one reply
/// is in memory.
pub(in crate::tui) fn entries(
    store: &Store,
    claim: ClaimKey,
    sought: &[Sought],
) -> Result<Vec<Entry>, StoreError> {
    let keys = store.exchange_keys(ExchangesOf::Claim(claim), None, None)?;
    keys.into_iter()
        .map(|key| {
            Ok(match store.exchange(key)? {
                Ok(mut kept) => {
                    let reply = std::mem::take(&mut kept.exchange.raw_reply);
                    Entry::Kept(Box::new(Logged {
                        key,
                        exchange: kept.exchange,
                        reply_bytes: reply.len(),
                        runs: kept.runs,
                        mentions: mentions(&reply, sought),
                    }))
                }
                Err(damaged) => Entry::Damaged(damaged.to_string()),
            })
        })
        .collect()
}

/// The reply of one exchange, ready to be shown; the sentence why not where its row is damaged.
pub(in crate::tui) fn reply(
    store: &Store,
    key: ExchangeKey,
    sought: &[Sought],
) -> Result<Result<Reply, String>, StoreError> {
    let kept = store.exchange(key)?;
    Ok(kept.map(|kept| Reply::of(kept.exchange, sought)).map_err(|damaged| damaged.to_string()))
}
