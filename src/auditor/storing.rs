//! What becomes of judgements: stored as a run, or the record waits on.

use std::sync::Arc;

use tokio::task::{Id, JoinError};

use super::AuditNews;
use super::desk::{Desk, DeskError};
use super::entry::{WHOLE, beginning, run_without_verdict, worst};
use super::work::{Hands, InHand, Judgement, Shift, panic_reason};
use crate::domain::finding::RunResult;
use crate::domain::routing::Policy;
use crate::domain::time::Timestamp;
use crate::domain::verdict::NoVerdict;
use crate::judge::{JudgeFailure, Reach};
use crate::store::{FinishedRun, LeaseLost, LeasedRecord, Store, StoreError};

/// A run that is to be stored.
struct Finished {
    lease: Arc<LeasedRecord>,
    started: Timestamp,
    result: RunResult,
    /// Why there is no verdict of the record.
    failure: Option<String>,
}

impl Finished {
    fn run(&self) -> FinishedRun<'_> {
        FinishedRun { lease: &self.lease, result: &self.result, started: self.started }
    }
}

impl Shift {
    /// Stores what came back, whatever it is; a lost lease writes nothing.
    pub(super) async fn store_judged(
        &self,
        desk: &Desk,
        hands: &mut Hands,
        judged: Vec<Result<(Id, Judgement), JoinError>>,
    ) -> Result<(), DeskError> {
        let mut finished = Vec::with_capacity(judged.len());
        for one in judged {
            finished.extend(self.finished(desk, hands, one).await?);
        }
        if finished.is_empty() {
            return Ok(());
        }
        let (holder, policy, now) = (self.holder.clone(), self.settings.policy.clone(), self.now());
        let stored = desk.ask(move |store| store_all(store, finished, &holder, &policy, now)).await?;
        for (run, outcome) in stored {
            self.tell(&run, outcome);
        }
        Ok(())
    }

    /// What is to be stored of a judgement; `None` where the record waits on, or is not in hand any more.
    async fn finished(
        &self,
        desk: &Desk,
        hands: &mut Hands,
        judged: Result<(Id, Judgement), JoinError>,
    ) -> Result<Option<Finished>, DeskError> {
        let (id, judgement) = match judged {
            Ok((id, judgement)) => (id, judgement),
            Err(broken) => {
                let (id, judge) = (broken.id(), self.settings.judge.identity().judge);
                let reason = format!("it broke on this record: {}", panic_reason(broken));
                (id, Some(Err(JudgeFailure::of_record(judge, reason))))
            }
        };
        let (Some(in_hand), Some(judgement)) = (hands.records.remove(&id), judgement) else {
            return Ok(None);
        };
        let failure = judgement.as_ref().err().map(ToString::to_string);
        let result = match judgement {
            Ok(result) => {
                self.served(hands);
                result
            }
            Err(failure) => match failure.reach {
                Reach::Everything | Reach::ForNow => {
                    self.halt(hands, &failure);
                    self.waits_on(desk, &in_hand).await?;
                    return Ok(None);
                }
                Reach::Record(state) => {
                    if self.is_left_alone(desk, hands, &failure).await? {
                        self.waits_on(desk, &in_hand).await?;
                        return Ok(None);
                    }
                    let entry = beginning(&in_hand.lease.record.answer);
                    let (identity, reason) = (self.settings.judge.identity(), failure.to_string());
                    run_without_verdict(entry, identity, state, reason, failure.exchanges)
                }
            },
        };
        let InHand { lease, started, .. } = in_hand;
        Ok(Some(Finished { lease, started, result, failure }))
    }

    fn tell(&self, run: &Finished, outcome: Result<(), LeaseLost>) {
        let record = &run.lease.record;
        if outcome.is_err() {
            tracing::warn!(audit_id = %record.audit_id, "the lease was lost: the result is dropped");
            return;
        }
        self.progress.send_modify(|progress| progress.tally.add_record(&run.result.findings));
        let audit_id = record.audit_id.clone();
        self.announce(match &run.failure {
            Some(reason) => AuditNews::Failed { audit_id, reason: reason.clone() },
            None => AuditNews::Finished {
                audit_id,
                worst: worst(record, &run.result.findings),
                claims: run.result.findings.len(),
            },
        });
    }
}

/// Each run, and whether it was stored.
type Stored = Vec<(Finished, Result<(), LeaseLost>)>;

/// Stores runs that finished at about the same time in one transaction.
fn store_all(
    store: &mut Store,
    finished: Vec<Finished>,
    holder: &str,
    policy: &Policy,
    now: Timestamp,
) -> Result<Stored, StoreError> {
    let runs: Vec<FinishedRun<'_>> = finished.iter().map(Finished::run).collect();
    match store.finish_runs(&runs, holder, policy, now) {
        Ok(outcomes) => Ok(finished.into_iter().zip(outcomes).collect()),
        // One of them is the matter: each by itself, so that only that one stays out.
        Err(error) if error.is_about_content() => {
            finished.into_iter().map(|run| store_one(store, run, holder, policy, now)).collect()
        }
        Err(error) => Err(error),
    }
}

/// Stores a run, or why it cannot be stored: judging it again would bring the same, for ever, so that a person has to
/// look.
fn store_one(
    store: &mut Store,
    run: Finished,
    holder: &str,
    policy: &Policy,
    now: Timestamp,
) -> Result<(Finished, Result<(), LeaseLost>), StoreError> {
    match store.finish_run(&run.lease, holder, &run.result, policy, run.started, now) {
        Err(error) if error.is_about_content() => {
            let reason = format!("its result cannot be stored: {error}");
            let Finished { lease, started, result, .. } = run;
            let mut kept = result.exchanges;
            kept.retain(|key| matches!(store.exchange(*key), Ok(Ok(_))));
            let (entry, state) = (WHOLE.to_owned(), NoVerdict::Failed);
            let result = run_without_verdict(entry, result.identity, state, reason.clone(), kept);
            let outcome = store.finish_run(&lease, holder, &result, policy, started, now)?;
            Ok((Finished { lease, started, result, failure: Some(reason) }, outcome))
        }
        outcome => Ok((run, outcome?)),
    }
}
