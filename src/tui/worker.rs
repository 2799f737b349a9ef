//! The store on a thread of its own, so that no wait for the disk or for another writer stops the screen.
//!
//! A decision is a FULL commit, and any writing may wait up to five seconds for another process. Meanwhile keys
//! and signals are heard, and what is not on disk yet is shown as being saved.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self as jobs, Receiver, Sender};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::clock::Clock;
use crate::domain::decision::{Actor, Basis, Request};
use crate::domain::ids::ClaimKey;
use crate::domain::pace::Pace;
use crate::domain::queue::ClaimDetail;
use crate::domain::view::View;
use crate::domain::word::Known;
use crate::instrument::faithfulness::{Ruled, stakes};
use crate::store::{Batched, Disposing, Durability, Store, StoreError};

use super::effect::Effect;
use super::finder::{Finder, Start};
use super::marks::Together;
use super::message::{HoldFailure, Message};
use super::update::deadline::HOLD;
use super::views::Change;
use super::window;

/// What comes back from the store's thread.
pub(super) enum Answer {
    Opened(Result<(), StoreError>),
    /// So many effects are done; what they brought.
    Done(usize, Vec<Message>),
    /// What a reading under a filter, or of exchanges, brought. Nobody waits for it.
    Found(Box<Message>),
}

/// The near end of the store's thread.
pub(super) struct Worker {
    jobs: Sender<Effect>,
    answers: UnboundedReceiver<Answer>,
    tell: UnboundedSender<Answer>,
    is_blind: bool,
    /// Effects that are not done, and the opening.
    waiting: usize,
    /// Reads rows under a filter or by answers, and counts them.
    rows: Finder,
    count: Finder,
    /// Looks for the same claim in other answers.
    same: Finder,
    /// Counts the claims of each view.
    views: Finder,
    /// Reads what screens beside the queue show.
    screens: Finder,
    /// Reads exchanges with models, stories and records: all may be long.
    exchanges: Finder,
}

impl Worker {
    /// Opens the store at `db`, creating it when there is none, and does what it is asked from then on.
    /// `blind` is how many people may judge a claim in a blind review, where this is one.
    pub(super) fn start(db: PathBuf, actor: Actor, blind: Option<u8>, clock: Arc<dyn Clock>) -> Self {
        let (ask, asked) = jobs::channel();
        let (tell, answers) = unbounded_channel();
        let start = Start {
            db: db.clone(),
            annotator: actor.annotator.clone(),
            clock: Arc::clone(&clock),
            tell: tell.clone(),
        };
        let teller = tell.clone();
        std::thread::spawn(move || {
            let opened =
                Store::open(&db, Durability::Full).and_then(|store| Ok((store.data_version()?, store)));
            match opened {
                Ok((data_version, store)) => {
                    let _ = tell.send(Answer::Opened(Ok(())));
                    let desk = Desk {
                        store,
                        actor,
                        blind,
                        clock,
                        data_version,
                        queue_reading: None,
                        detail_reading: None,
                        put_off: 0,
                    };
                    desk.work(&asked, &tell);
                }
                Err(error) => {
                    let _ = tell.send(Answer::Opened(Err(error)));
                }
            }
        });
        Self {
            jobs: ask,
            answers,
            tell: teller,
            is_blind: blind.is_some(),
            waiting: 1,
            rows: Finder::new(start.clone()),
            count: Finder::new(start.clone()),
            same: Finder::new(start.clone()),
            views: Finder::new(start.clone()),
            screens: Finder::new(start.clone()),
            exchanges: Finder::new(start),
        }
    }

    pub(super) fn ask(&mut self, effect: Effect) {
        match &effect {
            Effect::LoadQueue { wanted, .. } if wanted.filter.is_some() => return self.rows.ask(effect),
            // One answer may have thousands of claims, which are all read.
            Effect::LoadQueue { wanted, .. } if wanted.by_answers && !self.is_blind => {
                self.count.stop();
                return self.rows.ask(effect);
            }
            Effect::CountFound { .. } => return self.count.ask(effect),
            Effect::CountView { .. } => return self.views.ask(effect),
            Effect::ReadScreen { .. } => return self.screens.ask(effect),
            // Where nothing is in the list, nothing is looked for elsewhere.
            Effect::FindSame { .. } | Effect::CountBeside { .. } => return self.same.ask(effect),
            Effect::LoadExchanges { .. }
            | Effect::LoadReply { .. }
            | Effect::LoadStory { .. }
            | Effect::LoadLine { .. } => {
                return self.exchanges.ask(effect);
            }
            Effect::LoadQueue { .. } => {
                self.rows.stop();
                self.count.stop();
            }
            _ => {}
        }
        // When the thread is gone, the next answer tells.
        if self.jobs.send(effect).is_ok() {
            self.waiting += 1;
        }
    }

    /// Says something that nobody waits for.
    pub(super) fn teller(&self) -> impl Fn(Message) + Send + 'static {
        let tell = self.tell.clone();
        move |message| {
            let _ = tell.send(Answer::Found(Box::new(message)));
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    pub(super) async fn answer(&mut self) -> Option<Answer> {
        let answer = self.answers.recv().await?;
        self.waiting = self.waiting.saturating_sub(match &answer {
            Answer::Opened(_) => 1,
            Answer::Done(effects, _) => *effects,
            Answer::Found(_) => 0,
        });
        Some(answer)
    }
}

/// The far end.
struct Desk {
    store: Store,
    actor: Actor,
    blind: Option<u8>,
    clock: Arc<dyn Clock>,
    data_version: i64,
    /// Readings that are done once, after everything that waits was done: only the last counts.
    queue_reading: Option<Effect>,
    detail_reading: Option<Effect>,
    /// How many effects those readings answer.
    put_off: usize,
}

impl Desk {
    /// Until nobody asks any more.
    fn work(mut self, asked: &Receiver<Effect>, tell: &UnboundedSender<Answer>) {
        while let Ok(first) = asked.recv() {
            let mut next = Some(first);
            while let Some(effect) = next {
                let put_off = self.put_off;
                let message = self.run(effect);
                if put_off == self.put_off {
                    let _ = tell.send(Answer::Done(1, message.into_iter().collect()));
                }
                next = asked.try_recv().ok();
            }
            let messages = self.read();
            let _ = tell.send(Answer::Done(std::mem::take(&mut self.put_off), messages));
        }
    }

    /// Does `effect`; readings are put off until [`Desk::read`].
    fn run(&mut self, effect: Effect) -> Option<Message> {
        let now = self.clock.now();
        match effect {
            Effect::LoadQueue { .. } => {
                self.queue_reading = Some(effect);
                self.put_off += 1;
                None
            }
            Effect::LoadDetail { .. } => {
                self.detail_reading = Some(effect);
                self.put_off += 1;
                None
            }
            Effect::Find(id) => Some(Message::GoTo(sentence(self.store.claim_key(&id).map(Some)))),
            Effect::FindDeferred => {
                let found = self.store.first_deferred(&self.actor.annotator, now);
                Some(Message::GoTo(sentence(found)))
            }
            Effect::FindNewestCritical => Some(Message::GoTo(sentence(self.store.newest_critical()))),
            Effect::Decide { claim, id, request, reason, seen, finished, against, own } => {
                let seen = match (seen, self.blind) {
                    // What was shown then is not known any more; what is hidden from the person now was not.
                    (None, Some(overlap)) => {
                        let who = &self.actor.annotator;
                        let read = self.store.blind_detail(claim, who, overlap, now);
                        read.ok().map(|detail| detail.seen)
                    }
                    (seen, _) => seen,
                };
                let basis = Basis { reason, seen: seen.as_ref(), against: Known::Events(&against), own };
                let result = match &finished {
                    Some(draft) => self.store.decide_begun(claim, &request, basis, draft, &self.actor, now),
                    None => self.store.decide(claim, &request, basis, &self.actor, now),
                };
                Some(match result.map(Box::new) {
                    Err(StoreError::Opposed { opposed, .. }) => {
                        Message::Opposed { claim, request, opposed: Box::new(opposed) }
                    }
                    result => Message::Decided { claim, id, request, result: sentence(result) },
                })
            }
            Effect::DecideMany { claims, together } => {
                let result = self.decide_many(&claims, &together);
                Some(Message::DecidedMany { together, result: sentence(result) })
            }
            Effect::Shape { shape, audit_id: _, seen, over, finished } => {
                let basis = Basis { seen: seen.as_ref(), against: Known::Events(&over), ..Basis::default() };
                let result = self.store.shape_begun(&shape, basis, &finished, &self.actor, now).map(Box::new);
                Some(match result {
                    Err(StoreError::SetAside(rulings)) => Message::SetAside { shape, rulings },
                    result => Message::Shaped { shape, result: sentence(result) },
                })
            }
            Effect::LoadPace => {
                let recent = self.store.recent_decisions(&self.actor.annotator, Pace::WINDOW as u32);
                Some(Message::Pace(sentence(recent.map(Pace::of))))
            }
            Effect::LoadWaiting => {
                Some(Message::Waiting(sentence(self.store.waiting_for(&self.actor.annotator))))
            }
            Effect::LoadOverruled(after) => {
                Some(Message::Overruled(sentence(self.store.overruled(&self.actor.annotator, after))))
            }
            Effect::KeepTold(event) => {
                // Whoever is told once more loses nothing.
                if let Err(error) = self.store.set_told(&self.actor.annotator, event) {
                    tracing::warn!(%error, "what a person was told of could not be kept");
                }
                None
            }
            Effect::LoadViews => Some(Message::Views(sentence(self.store.views(&self.actor.annotator)))),
            Effect::ChangeViews(change) => {
                let result = self.change_views(&change);
                Some(Message::ViewsChanged { change, result: sentence(result) })
            }
            Effect::LoadHints => Some(Message::Hints(sentence(self.store.hints_done(&self.actor.annotator)))),
            Effect::KeepHints(done) => {
                // Whoever is shown a line once more loses nothing.
                if let Err(error) = self.store.set_hints_done(&self.actor.annotator, done) {
                    tracing::warn!(%error, "how far a newcomer is could not be kept");
                }
                None
            }
            Effect::FindUndo => {
                let found = self.store.to_undo(&self.actor.annotator).and_then(|event| {
                    let others = event.as_ref().map(|event| self.store.taken_back_with(event)).transpose()?;
                    Ok((event.map(Box::new), others.unwrap_or(0)))
                });
                let (event, others) = match sentence(found) {
                    Ok((event, others)) => (Ok(event), others),
                    Err(why) => (Err(why), 0),
                };
                Some(Message::ToUndo(event, others))
            }
            Effect::Undo(event) => {
                let result = self.store.undo_of(event, &self.actor, now).map(Box::new);
                Some(Message::Undone(sentence(result)))
            }
            Effect::FindRedo => {
                let found = self.store.to_redo(&self.actor.annotator);
                Some(Message::ToRedo(sentence(found.map(|event| event.map(Box::new)))))
            }
            Effect::Redo(event) => {
                let result = self.store.redo_of(event, &self.actor, now).map(Box::new);
                Some(Message::Redone(sentence(result)))
            }
            Effect::Dispose {
                record,
                audit_id,
                disposition,
                over,
                unlooked,
                note,
                replaces,
                seen,
                finished,
            } => {
                let basis = Basis { seen: seen.as_ref(), ..Basis::default() };
                let asked = Disposing { disposition, over, note, replaces, unlooked };
                let result = match &finished {
                    Some(draft) => self.store.dispose_begun(record, &asked, basis, draft, &self.actor, now),
                    None => self.store.dispose(record, asked, basis, &self.actor, now),
                };
                let result = result.map(|event| event.seq);
                Some(Message::Disposed { record, audit_id, disposition, result: sentence(result) })
            }
            // What becomes of answers is for those who see all that is said of them.
            Effect::CountAnswers if self.blind.is_some() => Some(Message::AnswersWaiting(Ok(0))),
            Effect::CountAnswers => Some(Message::AnswersWaiting(sentence(self.store.answers_to_dispose()))),
            Effect::ReadAnswer(claim) => {
                let read = self.store.claim_detail(claim, &self.actor.annotator, now);
                Some(Message::AnswerRead(sentence(read.map(Box::new))))
            }
            Effect::FindAnswer => {
                let found = self.store.answer_to_dispose(&self.actor.annotator, now);
                Some(Message::Answer(sentence(found.map(|detail| detail.map(Box::new)))))
            }
            Effect::NameAnswer => {
                let found = self.store.answer_to_dispose(&self.actor.annotator, now);
                let name = |detail: ClaimDetail| detail.record.audit_id.clone();
                Some(Message::NextAnswer(sentence(found.map(|detail| detail.map(name)))))
            }
            Effect::Hold { claim, since } => {
                let who = &self.actor.annotator;
                let lasts = HOLD.saturating_sub(since.map_or(Duration::ZERO, |since| now.since(since)));
                let result = match self.blind {
                    Some(overlap) => self.store.hold_claim_blind(claim, who, overlap, now, lasts),
                    None => self.store.hold_claim(claim, who, now, lasts),
                };
                let result = result.map_err(|error| match error {
                    StoreError::Held { hold, .. } => HoldFailure::Other(hold),
                    other => HoldFailure::Error(other.to_string()),
                });
                Some(Message::Held { claim, result })
            }
            Effect::Release { except } => {
                // A hold that cannot be given back runs out by itself.
                if let Err(error) = self.store.release_claims(except) {
                    tracing::warn!(%error, "a claim could not be given back");
                }
                None
            }
            Effect::SaveDraft { draft, text } => {
                let result = self.store.save_draft(&draft, &self.actor.annotator, text.as_deref(), now);
                let (claim, kind) = (draft.claim, draft.kind);
                Some(Message::DraftSaved { claim, kind, text, result: sentence(result) })
            }
            Effect::StillStands(event) => {
                // What could not be looked up stays as it was said.
                let is_gone = self.store.is_taken_back(event).unwrap_or(false);
                is_gone.then_some(Message::TakenBack(event))
            }
            Effect::Look => Some(Message::Looked(sentence(self.look()))),
            // These do not come here: `Runner` keeps them, or a `Finder` has them.
            Effect::PauseAuditor(_)
            | Effect::Terminal(_)
            | Effect::CountFound { .. }
            | Effect::CountView { .. }
            | Effect::FindSame { .. }
            | Effect::CountBeside { .. }
            | Effect::LoadExchanges { .. }
            | Effect::LoadReply { .. }
            | Effect::LoadStory { .. }
            | Effect::ReadScreen { .. }
            | Effect::LoadLine { .. } => None,
        }
    }

    /// Does the readings that were put off.
    fn read(&mut self) -> Vec<Message> {
        let now = self.clock.now();
        let mut messages = Vec::new();
        if let Some(Effect::LoadDetail { run, claim }) = self.detail_reading.take() {
            // Here, because it may read megabytes of evidence.
            let who = &self.actor.annotator;
            let read = match self.blind {
                Some(overlap) => self.store.blind_detail(claim, who, overlap, now),
                None => self.store.claim_detail(claim, who, now),
            };
            let result = read.map(|detail| {
                let stakes = stakes(&detail);
                (Box::new(detail), stakes)
            });
            messages.push(Message::Detail { run, result: sentence(result) });
        }
        if let Some(Effect::LoadQueue { run, wanted }) = self.queue_reading.take() {
            let result = window::read(&self.store, &self.actor.annotator, self.blind, &wanted, now);
            messages.push(Message::Queue { run, result: sentence(result) });
        }
        messages
    }

    /// The same to all of `claims`: what a verdict stands for depends on each.
    fn decide_many(&mut self, claims: &[ClaimKey], together: &Together) -> Result<Batched, StoreError> {
        let now = self.clock.now();
        let same = match together {
            Together::Confirm => Request::Confirm,
            Together::Skip => Request::Skip(true),
            Together::Flag => Request::Flag(true),
            Together::Dispose { disposition, note } => {
                let answers = self.store.answers_of(claims)?;
                let asked = Disposing { note: note.clone(), ..(*disposition).into() };
                return self.store.dispose_many(&answers, &asked, None, &self.actor, now);
            }
            Together::Asked(request) => request.clone(),
            Together::Rule(verdict) => {
                let (mut requests, mut damaged) = (Vec::with_capacity(claims.len()), Vec::new());
                self.store.for_each_weighed(claims, |key, read| {
                    match read {
                        Ok(claim) => {
                            let stakes = stakes(Ruled {
                                record: &claim.record,
                                claim: &claim.claim_text,
                                place: claim.answer_span,
                                citations: claim.citations(),
                            });
                            requests.push((key, Request::rule(*verdict, None, None, &claim.outcome, stakes)));
                        }
                        // One that cannot be read keeps nobody from ruling on the others.
                        Err(row) => {
                            damaged.extend(row.claim.as_ref().map(|id| (id.to_string(), row.to_string())));
                        }
                    }
                    Ok::<_, StoreError>(())
                })?;
                let mut done = self.store.decide_many(&requests, None, &self.actor, now)?;
                done.refused.extend(damaged);
                return Ok(done);
            }
        };
        let requests: Vec<_> = claims.iter().map(|claim| (*claim, same.clone())).collect();
        self.store.decide_many(&requests, None, &self.actor, now)
    }

    fn change_views(&mut self, change: &Change) -> Result<(Option<String>, Vec<View>), StoreError> {
        let me = &self.actor.annotator;
        let before = match change {
            Change::Save { name, filter } => self.store.save_view(me, name, filter)?,
            Change::Remove { name } => self.store.remove_view(me, name)?,
        };
        Ok((before, self.store.views(me)?))
    }

    fn look(&mut self) -> Result<bool, StoreError> {
        let version = self.store.data_version()?;
        Ok(std::mem::replace(&mut self.data_version, version) != version)
    }
}

fn sentence<T>(result: Result<T, StoreError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}
