//! Everything the screen wants done outside memory, and who does it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::auditor::{AuditNews, Auditor};
use crate::domain::decision::{Disposition, ReasonCode, Request};
use crate::domain::draft::Draft;
use crate::domain::event::Seen;
use crate::domain::filter::Filter;
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, ExchangeKey, RecordKey};
use crate::domain::queue::Given;
use crate::domain::shaping::Shape;
use crate::domain::time::Timestamp;
use crate::domain::word::Own;

use super::exchanges::Sought;
use super::marks::Together;
use super::message::Message;
use super::screens::Question;
use super::views::Change;
use super::window::Wanted;
use super::worker::{Answer, Worker};

/// Something to do. `update` returns it, the runner does it and answers with messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Read `rows` rows before `around` and as many from it on; without it the first rows, or the last.
    LoadQueue {
        run: u64,
        wanted: Wanted,
    },
    /// How many claims fit?
    CountFound {
        run: u64,
        filter: Filter,
    },
    /// How many claims fit each?
    CountBeside {
        run: u64,
        by_id: Filter,
        anywhere: Filter,
    },
    /// Which other answers have this claim too?
    FindSame {
        run: u64,
        claim: ClaimKey,
    },
    /// Which views are there?
    LoadViews,
    /// How many claims has the view that stands `at` this place of the list?
    CountView {
        run: u64,
        at: usize,
        filter: Filter,
    },
    ChangeViews(Change),
    LoadDetail {
        run: u64,
        claim: ClaimKey,
    },
    /// Read what the audit of this claim rests on, without the replies.
    LoadExchanges {
        run: u64,
        claim: ClaimKey,
        sought: Arc<[Sought]>,
    },
    /// Read the reply of one exchange, with what is sought marked in it.
    LoadReply {
        run: u64,
        exchange: ExchangeKey,
        sought: Arc<[Sought]>,
    },
    /// Read all that happened to this claim.
    LoadStory {
        run: u64,
        claim: ClaimKey,
    },
    /// Read what a screen beside the queue shows.
    ReadScreen {
        run: u64,
        question: Question,
    },
    /// Read the line that the record of this claim came as.
    LoadLine {
        run: u64,
        claim: ClaimKey,
    },
    /// Which claim has this id?
    Find(ClaimId),
    /// Which open CRITICAL claim arrived last?
    FindNewestCritical,
    /// Which claim that the person deferred comes back first?
    FindDeferred,
    Decide {
        claim: ClaimKey,
        id: ClaimId,
        request: Request,
        /// Why, as part of the same event.
        reason: Option<ReasonCode>,
        /// What the screen showed of it; `None` when it shows another claim.
        seen: Option<Seen>,
        /// What it was the draft of, which is forgotten with it.
        finished: Option<Draft>,
        /// The events of other people's rulings against it, as the person was told of them.
        against: Vec<i64>,
        /// Which ruling of the person's own the screen showed.
        own: Own,
    },
    /// The same to many claims at once.
    DecideMany {
        claims: Vec<ClaimKey>,
        together: Together,
    },
    /// Make claims.
    Shape {
        shape: Shape,
        audit_id: AuditId,
        /// What the screen showed of the answer.
        seen: Option<Seen>,
        /// The events of the rulings that do not count any more then, as the person was told of them.
        over: Vec<i64>,
        finished: Draft,
    },
    /// How far is the person with the lines for newcomers?
    LoadHints,
    KeepHints(usize),
    /// How fast did this person decide in earlier sessions?
    LoadPace,
    /// What would [`Effect::Undo`] take back?
    FindUndo,
    /// Take back the act of this event, which was shown.
    Undo(i64),
    /// What would [`Effect::Redo`] do again?
    FindRedo,
    /// Do the act of this event again, which was shown.
    Redo(i64),
    Dispose {
        record: RecordKey,
        audit_id: AuditId,
        disposition: Disposition,
        /// The claims over which it is released, as the person was told.
        over: Vec<ClaimId>,
        /// Nobody decided on any claim of it, as the person was told.
        unlooked: bool,
        /// Why, in the person's own words.
        note: Option<String>,
        /// The disposition that the screen showed, whose place this one takes.
        replaces: Option<Given>,
        /// What the screen showed of it; `None` when it shows another answer.
        seen: Option<Seen>,
        /// What `note` was the draft of.
        finished: Option<Draft>,
    },
    /// How many answers wait for a disposition?
    CountAnswers,
    /// Read the answer that waits longest for one.
    FindAnswer,
    /// How does the answer of this claim stand now?
    ReadAnswer(ClaimKey),
    /// Read its name alone, to say what comes next.
    NameAnswer,
    /// Take the claim in hand, or renew that.
    Hold {
        claim: ClaimKey,
        /// The last key of this window, from which on it lasts; `None` is now.
        since: Option<Timestamp>,
    },
    /// Give back what is in hand, but for this claim.
    Release {
        except: Option<ClaimKey>,
    },
    SaveDraft {
        /// With all that may stand there by what this window knows.
        draft: Draft,
        text: Option<String>,
    },
    /// Has another process changed the store?
    Look,
    /// Was what this event recorded taken back?
    StillStands(i64),
    PauseAuditor(bool),
    /// Read what the person began, and what others escalated to them.
    LoadWaiting,
    /// What of the person's word do others speak against, after that event?
    LoadOverruled(Option<i64>),
    /// The person was told of it up to this event.
    KeepTold(i64),
    Terminal(TerminalEffect),
}

/// Something to do with the terminal itself: the loop does it, which owns the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalEffect {
    Bell,
    /// A notification. Ids and counts only: it may be shown on a locked screen.
    Notify(String),
    /// Hand this text to the clipboard.
    Copy(String),
    /// Edit the open note in `$EDITOR`.
    OpenEditor,
    Suspend,
    Quit,
}

/// Hands effects on: to the store's thread, to the auditor, to a hook, to the loop that owns the terminal.
/// Nothing here waits.
pub(super) struct Runner {
    worker: Worker,
    /// There is none before the store is open.
    auditor: Option<Auditor>,
    /// The claim that was last taken in hand.
    held: Option<ClaimKey>,
    /// What is left to the loop.
    terminal: VecDeque<TerminalEffect>,
}

impl Runner {
    pub(super) fn new(worker: Worker) -> Self {
        Self { worker, auditor: None, held: None, terminal: VecDeque::new() }
    }

    /// How what happens beside the screen is told to it.
    pub(super) fn teller(&self) -> impl Fn(Message) + Send + 'static {
        self.worker.teller()
    }

    pub(super) fn set_auditor(&mut self, auditor: Auditor) {
        self.auditor = Some(auditor);
    }

    /// The auditor, to be stopped at the end.
    pub(super) fn into_auditor(self) -> Option<Auditor> {
        self.auditor
    }

    /// Keeps what is in hand while the screen is away. The next renewal tells when that failed.
    pub(super) fn renew_hold(&mut self) {
        if let Some(claim) = self.held {
            self.worker.ask(Effect::Hold { claim, since: None });
        }
    }

    /// Whether the store still owes an answer.
    pub(super) fn is_waiting(&self) -> bool {
        self.worker.is_waiting()
    }

    /// The store's next answer; `None` when its thread is gone.
    pub(super) async fn answer(&mut self) -> Option<Answer> {
        self.worker.answer().await
    }

    pub(super) fn next_for_terminal(&mut self) -> Option<TerminalEffect> {
        self.terminal.pop_front()
    }

    /// Starts `effect`; what the store has to say comes as an [`answer`](Self::answer).
    pub(super) fn run(&mut self, effect: Effect) -> Option<Message> {
        match effect {
            Effect::PauseAuditor(paused) => {
                self.auditor.as_ref()?.pause(paused);
                return Some(Message::Auditor(if paused { AuditNews::Paused } else { AuditNews::Resumed }));
            }
            Effect::Terminal(effect) => self.terminal.push_back(effect),
            Effect::Hold { claim, .. } => {
                self.held = Some(claim);
                self.worker.ask(effect);
            }
            Effect::Release { except } => {
                self.held = self.held.filter(|held| Some(*held) == except);
                self.worker.ask(effect);
            }
            other => self.worker.ask(other),
        }
        None
    }
}
