//! Everything the screen wants done outside memory, and who does it.

use std::collections::VecDeque;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::auditor::{AuditNews, Auditor};
use crate::clock::Clock;
use crate::domain::decision::{Actor, Basis, Disposition, Request};
use crate::domain::event::Seen;
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, RecordKey};
use crate::domain::time::Timestamp;
use crate::store::{PageAt, Store, StoreError};

use super::message::{HoldFailure, Message, QueueWindow};
use super::update::deadline::HOLD;

/// Something to do. `update` returns it, the runner does it and answers with messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Read `rows` rows before `around` and as many from it on, or the first rows.
    LoadQueue {
        run: u64,
        around: Option<ClaimKey>,
        rows: usize,
        since: Timestamp,
    },
    LoadDetail {
        run: u64,
        claim: ClaimKey,
    },
    /// Which claim has this id?
    Find(ClaimId),
    /// Which open CRITICAL claim arrived last?
    FindNewestCritical,
    Decide {
        claim: ClaimKey,
        id: ClaimId,
        request: Request,
        /// What the screen showed of it; `None` when it shows another claim.
        seen: Option<Seen>,
    },
    Undo,
    Dispose {
        record: RecordKey,
        audit_id: AuditId,
        disposition: Disposition,
        /// What the screen showed of it; `None` when it shows another answer.
        seen: Option<Seen>,
    },
    /// How many answers wait for a disposition?
    CountAnswers,
    /// Read the answer that waits longest for one.
    FindAnswer,
    /// Take the claim in hand, or renew that.
    Hold(ClaimKey),
    /// Give back what is in hand, but for this claim.
    Release {
        except: Option<ClaimKey>,
    },
    SaveDraft {
        claim: ClaimKey,
        text: Option<String>,
    },
    /// Has another process changed the store?
    Look,
    PauseAuditor(bool),
    /// Start the configured program with this JSON on its standard input.
    Hook {
        argv: Vec<String>,
        json: String,
    },
    Terminal(TerminalEffect),
}

/// Something to do with the terminal itself: the loop does it, which owns the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalEffect {
    Bell,
    /// A notification. Counts only: it may be shown on a locked screen.
    Notify(String),
    /// Edit this text in `$EDITOR`.
    OpenEditor(String),
    Suspend,
    Quit,
}

/// Does effects. Store calls take less than a millisecond and run where they are asked for, so that
/// a decision is on disk before the next frame.
pub struct Runner {
    store: Store,
    actor: Actor,
    clock: Arc<dyn Clock>,
    auditor: Option<Auditor>,
    data_version: i64,
    /// Readings that are done once, after everything that waits was handled: only the last counts.
    queue_reading: Option<Effect>,
    detail_reading: Option<Effect>,
    /// The claim that was last taken in hand.
    held: Option<ClaimKey>,
    /// What is left to the loop.
    terminal: VecDeque<TerminalEffect>,
}

impl Runner {
    pub fn new(
        store: Store,
        actor: Actor,
        clock: Arc<dyn Clock>,
        auditor: Option<Auditor>,
    ) -> Result<Self, StoreError> {
        let data_version = store.data_version()?;
        Ok(Self {
            store,
            actor,
            clock,
            auditor,
            data_version,
            queue_reading: None,
            detail_reading: None,
            held: None,
            terminal: VecDeque::new(),
        })
    }

    /// The auditor, to be stopped at the end.
    pub fn into_auditor(self) -> Option<Auditor> {
        self.auditor
    }

    /// Keeps what is in hand while the screen is away. The next renewal tells when that failed.
    pub fn renew_hold(&mut self) {
        if let Some(claim) = self.held {
            self.run(Effect::Hold(claim));
        }
    }

    pub fn next_for_terminal(&mut self) -> Option<TerminalEffect> {
        self.terminal.pop_front()
    }

    /// Does `effect`; readings are put off until [`Runner::read`].
    pub fn run(&mut self, effect: Effect) -> Option<Message> {
        let now = self.clock.now();
        match effect {
            Effect::LoadQueue { .. } => {
                self.queue_reading = Some(effect);
                None
            }
            Effect::LoadDetail { .. } => {
                self.detail_reading = Some(effect);
                None
            }
            Effect::Find(id) => Some(Message::GoTo(sentence(self.store.claim_key(&id).map(Some)))),
            Effect::FindNewestCritical => Some(Message::GoTo(sentence(self.store.newest_critical()))),
            Effect::Decide { claim, id, request, seen } => {
                let basis = Basis { reason: None, seen: seen.as_ref() };
                let result = self.store.decide(claim, &request, basis, &self.actor, now).map(Box::new);
                Some(Message::Decided { claim, id, request, result: sentence(result) })
            }
            Effect::Undo => {
                let result = self.store.undo(&self.actor, now).map(|undone| undone.map(Box::new));
                Some(Message::Undone(sentence(result)))
            }
            Effect::Dispose { record, audit_id, disposition, seen } => {
                let result =
                    self.store.dispose(record, disposition, seen.as_ref(), &self.actor, now).map(|_| ());
                Some(Message::Disposed { record, audit_id, disposition, result: sentence(result) })
            }
            Effect::CountAnswers => Some(Message::AnswersWaiting(sentence(self.store.answers_to_dispose()))),
            Effect::FindAnswer => {
                let found = self.store.answer_to_dispose(&self.actor.annotator, now);
                Some(Message::Answer(sentence(found.map(|detail| detail.map(Box::new)))))
            }
            Effect::Hold(claim) => {
                let result = self.store.hold_claim(claim, &self.actor.annotator, now, HOLD);
                let result = result.map_err(|error| match error {
                    StoreError::Held { hold, .. } => HoldFailure::Other(hold),
                    other => HoldFailure::Error(other.to_string()),
                });
                self.held = result.is_ok().then_some(claim);
                Some(Message::Held { claim, result })
            }
            Effect::Release { except } => {
                self.held = self.held.filter(|held| Some(*held) == except);
                // A hold that cannot be given back runs out by itself.
                if let Err(error) = self.store.release_claims(&self.actor.annotator, except) {
                    tracing::warn!(%error, "a claim could not be given back");
                }
                None
            }
            Effect::SaveDraft { claim, text } => {
                let result = self.store.save_draft(claim, &self.actor.annotator, text.as_deref(), now);
                Some(Message::DraftSaved { claim, text, result: sentence(result) })
            }
            Effect::Look => Some(Message::Looked(sentence(self.look()))),
            Effect::PauseAuditor(paused) => {
                self.auditor.as_ref()?.pause(paused);
                Some(Message::Auditor(if paused { AuditNews::Paused } else { AuditNews::Resumed }))
            }
            Effect::Hook { argv, json } => {
                start_hook(argv, json);
                None
            }
            Effect::Terminal(effect) => {
                self.terminal.push_back(effect);
                None
            }
        }
    }

    /// Does the readings that were put off.
    pub fn read(&mut self) -> Vec<Message> {
        let now = self.clock.now();
        let mut messages = Vec::new();
        if let Some(Effect::LoadDetail { run, claim }) = self.detail_reading.take() {
            let result = self.store.claim_detail(claim, &self.actor.annotator, now).map(Box::new);
            messages.push(Message::Detail { run, result: sentence(result) });
        }
        if let Some(Effect::LoadQueue { run, around, rows, since }) = self.queue_reading.take() {
            let result = self.window(around, rows, since, now);
            messages.push(Message::Queue { run, result: sentence(result) });
        }
        messages
    }

    fn window(
        &self,
        around: Option<ClaimKey>,
        rows: usize,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<QueueWindow, StoreError> {
        let page = |at, limit| self.store.queue_page(&self.actor.annotator, at, limit, now);
        let (before, from, at_end, above) = if let Some(key) = around {
            let from = match page(PageAt::From(key), rows) {
                // A claim that was opened by its id need not be in the queue.
                Err(StoreError::Refused(_)) => return self.window(None, rows, since, now),
                from => from?,
            };
            let at_end = from.len() < rows;
            (page(PageAt::Before(key), rows)?, from, at_end, self.store.arrived_above(key, since)?)
        } else {
            let from = page(PageAt::Top, 2 * rows)?;
            let at_end = from.len() < 2 * rows;
            (Vec::new(), from, at_end, (0, 0))
        };
        Ok(QueueWindow {
            at_start: before.len() < rows,
            before,
            from,
            at_end,
            counts: self.store.queue_counts(&self.actor.annotator, now)?,
            above,
        })
    }

    fn look(&mut self) -> Result<bool, StoreError> {
        let version = self.store.data_version()?;
        Ok(std::mem::replace(&mut self.data_version, version) != version)
    }
}

fn sentence<T>(result: Result<T, StoreError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

/// Starts the hook and lets it run; what goes wrong with it must not disturb the person.
fn start_hook(argv: Vec<String>, json: String) {
    std::thread::spawn(move || {
        let Some((program, arguments)) = argv.split_first() else { return };
        let started = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let outcome = started.and_then(|mut child| {
            if let Some(mut stdin) = child.stdin.take() {
                stdin.write_all(json.as_bytes())?;
            }
            child.wait()
        });
        match outcome {
            Ok(status) if status.success() => {}
            Ok(status) => tracing::warn!(program, %status, "the hook failed"),
            Err(error) => tracing::warn!(program, %error, "the hook could not be run"),
        }
    });
}
