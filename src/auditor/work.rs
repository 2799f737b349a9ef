//! The loop itself: what is leased, judged, stored and given back, and when.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::desk::{Desk, DeskError};
use super::holder::{self, Fate};
use super::outage::{Rest, Weather};
use super::{Activity, AuditNews, AuditorSettings, Control, Progress, TakeInbox};
use crate::clock::Clock;
use crate::domain::finding::RunResult;
use crate::domain::ids::RecordKey;
use crate::domain::time::Timestamp;
use crate::instrument::faithfulness;
use crate::judge::JudgeFailure;
use crate::store::{LeasedRecord, Store, StoreError};

/// How often an idle auditor asks whether somebody else wrote to the store.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A lease of an auditor that died runs out without a commit, so an idle auditor looks for records
/// after this time even when nobody wrote: soon while others have some in hand.
const LOOK_ANYWAY_AFTER: Duration = Duration::from_secs(5);
const LOOK_AFTER_OTHERS: Duration = Duration::from_secs(1);

/// A record that so many auditors had in hand when they were killed is not tried again: it is what killed
/// them. The first two may have died of another record or of a person; from then on it is judged alone.
const MOST_LOST: u32 = 4;

/// Records in hand at once, whatever was asked for. Each has a thread that may block, of which the runtime
/// gives 512; the store needs some too.
const MOST_AT_ONCE: usize = 256;

/// Leased, or stored, in one transaction at most: it holds the write lock for a few milliseconds.
const MOST_TOGETHER: usize = 16;

/// Findings that are stored in one transaction: with so many no further record is added.
const MANY_FINDINGS: usize = 200;

/// Records in hand beyond those of which a question is under way.
fn ahead_of(at_once: usize) -> usize {
    at_once.div_ceil(4).min(16)
}

/// Everything the loop needs and keeps when it is started again.
#[derive(Clone)]
pub(super) struct Shift {
    pub(super) settings: AuditorSettings,
    /// Names this auditor in its leases; unique over processes.
    pub(super) holder: String,
    pub(super) control: watch::Receiver<Control>,
    pub(super) news: mpsc::Sender<AuditNews>,
    pub(super) progress: watch::Sender<Progress>,
    /// The records to audit, and no others; `None` for all that wait.
    pub(super) only: Option<Arc<Mutex<VecDeque<RecordKey>>>>,
}

/// A record in hand.
pub(super) struct InHand {
    pub(super) lease: Arc<LeasedRecord>,
    pub(super) started: Timestamp,
    /// Tells the judge to stop once nobody waits for it.
    _until_dropped: DropGuard,
}

/// What a judge's thread brings back; `None` when it was told to stop.
pub(super) type Judgement = Option<Result<RunResult, JudgeFailure>>;

pub(super) struct Hands {
    judging: JoinSet<Judgement>,
    pub(super) records: HashMap<Id, InHand>,
    /// Why nothing can be judged, once a judge said so.
    pub(super) halted: Option<Arc<str>>,
    /// While it is halted for a time only.
    pub(super) rest: Option<Rest>,
    pub(super) weather: Weather,
}

/// Why the loop takes nothing new at the moment.
enum Resting {
    Full,
    /// Told to, or because nothing can be judged; as of this version of the store.
    Paused {
        version: i64,
    },
    Stopping,
    /// Nothing waits in the store, as of this version of it; whether others have records in hand.
    NothingWaits {
        version: i64,
        others: bool,
    },
}

/// What is stored in one transaction: `first`, and what is there beside it, until it is much.
fn together<T>(first: T, size: impl Fn(&T) -> usize, mut next: impl FnMut() -> Option<T>) -> Vec<T> {
    let mut findings = size(&first);
    let mut all = vec![first];
    while all.len() < MOST_TOGETHER
        && findings < MANY_FINDINGS
        && let Some(further) = next()
    {
        findings += size(&further);
        all.push(further);
    }
    all
}

fn findings(judged: &Result<(Id, Judgement), JoinError>) -> usize {
    match judged {
        Ok((_, Some(Ok(result)))) => result.findings.len(),
        _ => 1,
    }
}

impl Shift {
    pub(super) fn announce(&self, news: AuditNews) {
        let _ = self.news.try_send(news);
    }

    /// Waits, unless it is told to stop; says whether it was.
    pub(super) async fn stopped_during(&mut self, wait: Duration) -> bool {
        tokio::select! {
            stopped = self.control.wait_for(|control| control.stop_within.is_some()) => {
                drop(stopped);
                true
            }
            () = sleep(wait) => false,
        }
    }

    /// How long there is to finish, once it is to stop. A dropped handle gives no time.
    fn stop_within(&self) -> Option<Duration> {
        if self.control.has_changed().is_err() {
            return Some(self.control.borrow().stop_within.unwrap_or(Duration::ZERO));
        }
        self.control.borrow().stop_within
    }

    /// Works until it is told to stop.
    pub(super) async fn run(mut self) -> Result<(), DeskError> {
        let desk = Desk::open(&self.settings.db).await?;
        self.give_back(&desk).await?;
        let mut hands = Hands {
            judging: JoinSet::new(),
            records: HashMap::new(),
            halted: None,
            rest: None,
            weather: Weather::default(),
        };
        let outcome = self.work(&desk, &mut hands).await;
        drop(hands);
        let given_back = self.give_back(&desk).await;
        outcome.and(given_back)
    }

    async fn give_back(&self, desk: &Desk) -> Result<(), DeskError> {
        let holder = self.holder.clone();
        desk.ask(move |store| store.release_records(&holder)).await.map(drop)
    }

    async fn work(&mut self, desk: &Desk, hands: &mut Hands) -> Result<(), DeskError> {
        let mut renew = interval((self.settings.lease / 3).max(Duration::from_millis(1)));
        renew.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut paused = false;
        let mut tries = self.control.borrow().tries;
        let mut last_try = None;
        let mut deadline = None;
        loop {
            let control = *self.control.borrow_and_update();
            if control.paused != paused {
                paused = control.paused;
                self.announce(if paused { AuditNews::Paused } else { AuditNews::Resumed });
            }
            if std::mem::replace(&mut tries, control.tries) != tries && hands.halted.is_some() {
                self.settings.judge.try_again();
                self.go_on(hands, !paused);
            }
            if let Some(grace) = self.stop_within() {
                deadline.get_or_insert(Instant::now() + grace);
            }
            let resting = if deadline.is_some() {
                Resting::Stopping
            } else {
                last_try = Some(Instant::now());
                if paused || hands.halted.is_some() {
                    self.take_inbox(desk).await?
                } else {
                    self.take_records(desk, hands).await?
                }
            };
            let stopping = matches!(resting, Resting::Stopping);
            if stopping && hands.records.is_empty() {
                return Ok(());
            }
            self.report(&resting, hands);
            let patience = match resting {
                Resting::NothingWaits { others: true, .. } => LOOK_AFTER_OTHERS,
                _ => LOOK_ANYWAY_AFTER,
            };
            let (rest, clock) = (hands.rest, Arc::clone(&self.settings.clock));
            let rested = async {
                match rest {
                    Some(rest) => rest.over(clock.as_ref()).await,
                    None => std::future::pending().await,
                }
            };
            let look_anyway = last_try.unwrap_or_else(Instant::now) + patience;
            tokio::select! {
                Some(first) = hands.judging.join_next_with_id() => {
                    let judged = together(first, findings, || hands.judging.try_join_next_with_id());
                    self.store_judged(desk, hands, judged).await?;
                }
                changed = self.control.changed(), if !stopping => {
                    if changed.is_err() {
                        deadline = Some(Instant::now());
                    }
                }
                () = rested, if !stopping => self.go_on(hands, !paused),
                _ = renew.tick(), if !hands.records.is_empty() => self.renew(desk, hands).await?,
                looked = look(desk, &resting, look_anyway) => looked?,
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if stopping => return Ok(()),
            }
        }
    }

    /// Takes in what other programs leave, and nothing else.
    async fn take_inbox(&self, desk: &Desk) -> Result<Resting, DeskError> {
        let (take_inbox, clock) = (self.settings.take_inbox, Arc::clone(&self.settings.clock));
        let version = desk.ask(move |store| taken_in(store, take_inbox, clock.as_ref())).await?;
        Ok(Resting::Paused { version })
    }

    /// Leases records until its hands are full or nothing waits.
    async fn take_records(&self, desk: &Desk, hands: &mut Hands) -> Result<Resting, DeskError> {
        let free = self.most_in_hand(hands).saturating_sub(hands.records.len());
        let has_suspect = hands.records.values().any(|in_hand| in_hand.lease.is_suspect());
        if free == 0 || has_suspect {
            return Ok(Resting::Full);
        }
        let is_alone = hands.records.is_empty();
        let (take_inbox, clock) = (self.settings.take_inbox, Arc::clone(&self.settings.clock));
        let (holder, ttl) = (self.holder.clone(), self.settings.lease);
        let only = self.only.clone();
        let (version, leased, others) = desk
            .ask(move |store| {
                if let Some(only) = only {
                    return take_these(store, &only, free, |store, key| {
                        store.lease_record(key, &holder, clock.now(), ttl)
                    });
                }
                let version = taken_in(store, take_inbox, clock.as_ref())?;
                let (mut leased, mut others) = (Vec::new(), false);
                loop {
                    if is_alone
                        && leased.is_empty()
                        && let Some(suspect) = store.lease_next_suspect(&holder, clock.now(), ttl)?
                    {
                        leased.push(suspect);
                        break;
                    }
                    while leased.len() < free {
                        let together = (free - leased.len()).min(MOST_TOGETHER);
                        let more = store.lease_next_records(&holder, clock.now(), ttl, together)?;
                        let is_all = more.len() < together;
                        leased.extend(more);
                        if is_all {
                            break;
                        }
                    }
                    if leased.len() == free {
                        break;
                    }
                    let (freed, alive) = free_the_dead(store, &holder, clock.now())?;
                    others = alive;
                    if freed == 0 {
                        break;
                    }
                }
                Ok((version, leased, others))
            })
            .await?;
        let nothing_waits = leased.len() < free && !leased.iter().any(LeasedRecord::is_suspect);
        for lease in leased {
            self.begin(hands, lease);
        }
        Ok(if nothing_waits { Resting::NothingWaits { version, others } } else { Resting::Full })
    }

    /// Records in hand at once, at most. A judge that sends only so many questions at once is given a few records
    /// more: they are ready when a reply makes room, and what came back is stored meanwhile.
    fn most_in_hand(&self, hands: &Hands) -> usize {
        if hands.weather.is_out() {
            return 1;
        }
        let asked = self.settings.concurrency.get().min(MOST_AT_ONCE);
        let judge = &self.settings.judge;
        let ahead =
            judge.at_once().filter(|at_once| *at_once <= asked).map(|at_once| at_once + ahead_of(at_once));
        ahead.map_or(asked, |ahead| asked.max(ahead))
    }

    pub(super) fn now(&self) -> Timestamp {
        self.settings.clock.now()
    }

    /// Hands a record to the judge on a thread that may block.
    fn begin(&self, hands: &mut Hands, lease: LeasedRecord) {
        self.announce(AuditNews::Started { audit_id: lease.record.audit_id.clone() });
        let cancel = CancellationToken::new();
        let lease = Arc::new(lease);
        let (told_to_stop, asked) = (cancel.clone(), Arc::clone(&lease));
        let (judge, settings) = (Arc::clone(&self.settings.judge), self.settings.faithfulness.clone());
        let runtime = tokio::runtime::Handle::current();
        let handle = hands.judging.spawn_blocking(move || {
            if asked.lost >= MOST_LOST {
                let reason = format!("the auditor was stopped in the middle of it {} times", asked.lost);
                return Some(Err(JudgeFailure::of_record(judge.identity().judge, reason)));
            }
            runtime.block_on(told_to_stop.run_until_cancelled(faithfulness::audit(
                judge.as_ref(),
                &asked.record,
                &settings,
            )))
        });
        hands
            .records
            .insert(handle.id(), InHand { lease, started: self.now(), _until_dropped: cancel.drop_guard() });
    }

    /// Keeps the leases of long audits; what was lost is dropped.
    async fn renew(&self, desk: &Desk, hands: &mut Hands) -> Result<(), DeskError> {
        let keys: Vec<_> = hands.records.iter().map(|(id, in_hand)| (*id, in_hand.lease.key)).collect();
        let (holder, ttl, now) = (self.holder.clone(), self.settings.lease, self.now());
        let lost = desk
            .ask(move |store| {
                let mut lost = Vec::new();
                for (id, key) in keys {
                    if !store.renew_record(key, &holder, now, ttl)? {
                        lost.push(id);
                    }
                }
                Ok(lost)
            })
            .await?;
        for id in lost {
            if let Some(in_hand) = hands.records.remove(&id) {
                tracing::warn!(audit_id = %in_hand.lease.record.audit_id, "the lease was lost");
            }
        }
        Ok(())
    }

    /// Says what it is doing, once per change.
    fn report(&self, resting: &Resting, hands: &Hands) {
        let in_flight = hands.records.len();
        let activity = match resting {
            Resting::NothingWaits { .. } if in_flight == 0 => Activity::Idle,
            Resting::Paused { .. } if in_flight == 0 && hands.halted.is_some() => Activity::Halted,
            Resting::Paused { .. } if in_flight == 0 => Activity::Paused,
            _ => Activity::Working,
        };
        let before = self.progress.borrow().clone();
        let is_same = (before.activity, before.in_flight) == (activity, in_flight)
            && (&before.halted, before.rest) == (&hands.halted, hands.rest);
        if is_same {
            return;
        }
        self.progress.send_modify(|progress| {
            progress.activity = activity;
            progress.in_flight = in_flight;
            progress.halted.clone_from(&hands.halted);
            progress.rest = hands.rest;
        });
        self.announce(AuditNews::Progress { finished: before.tally.audited, in_flight });
        if activity == Activity::Idle {
            self.announce(AuditNews::Idle);
        }
    }
}

/// Leases of those that are listed at most `free`; one that cannot be leased is passed over. As of which version of
/// the store, and whether others have records in hand that are waited for: nobody's are.
fn take_these(
    store: &mut Store,
    only: &Mutex<VecDeque<RecordKey>>,
    free: usize,
    lease: impl Fn(&mut Store, RecordKey) -> Result<Option<LeasedRecord>, StoreError>,
) -> Result<(i64, Vec<LeasedRecord>, bool), StoreError> {
    let (version, mut leased) = (store.data_version()?, Vec::new());
    while leased.len() < free {
        let next = only.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(key) = next else { break };
        leased.extend(lease(store, key)?);
    }
    Ok((version, leased, false))
}

/// Takes in the inbox; says as of which version of the store.
fn taken_in(store: &mut Store, take_inbox: TakeInbox, clock: &dyn Clock) -> Result<i64, StoreError> {
    // Read before the look: what arrives in between is then seen as a change.
    let version = store.data_version()?;
    // Whatever other programs left there, it must not keep the rest waiting.
    if let Err(error) = take_inbox(store, clock) {
        tracing::error!(%error, "the inbox could not be taken in");
    }
    Ok(version)
}

/// Frees what auditors have in hand whose process is gone for certain: says how many records, and
/// whether others have some in hand still.
pub(super) fn free_the_dead(
    store: &mut Store,
    own: &str,
    now: Timestamp,
) -> Result<(usize, bool), StoreError> {
    let (mut freed, mut others) = (0, false);
    for lease in store.record_leases(now)? {
        if lease.holder == own {
            continue;
        }
        if holder::fate(&lease.holder) == Fate::Dead {
            tracing::warn!(holder = lease.holder, "this auditor is gone: its records are free again");
            freed += store.free_records_of(&lease.holder)?;
        } else {
            others = true;
        }
    }
    Ok((freed, others))
}

/// Returns once it is worth looking for records or the inbox again; never, while its hands are full.
async fn look(desk: &Desk, resting: &Resting, anyway: Instant) -> Result<(), DeskError> {
    match resting {
        Resting::Full | Resting::Stopping => std::future::pending().await,
        Resting::Paused { version } | Resting::NothingWaits { version, .. } => loop {
            sleep(LOOK_EVERY).await;
            let changed = desk.ask(|store| store.data_version()).await? != *version;
            if changed || Instant::now() >= anyway {
                return Ok(());
            }
        },
    }
}

/// What a task that ended badly said.
pub(super) fn panic_reason(broken: JoinError) -> String {
    match broken.try_into_panic() {
        Ok(payload) => payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "it panicked without a message".to_owned()),
        Err(cancelled) => cancelled.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_together_is_bounded_by_records_and_by_findings() {
        let stored = |sizes: &[usize]| {
            let mut rest = sizes[1..].iter().copied();
            together(sizes[0], |size| *size, || rest.next()).len()
        };
        assert_eq!(stored(&[3; 40]), MOST_TOGETHER);
        assert_eq!(stored(&[60; 40]), 4, "240 findings");
        assert_eq!(stored(&[1000; 2]), 1);
        assert_eq!(stored(&[1, 1]), 2);
    }
}
