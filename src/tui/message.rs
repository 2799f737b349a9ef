//! Everything that can happen to the screen.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::KeyEvent;
use ratatui::layout::{Position, Size};

use crate::auditor::AuditNews;
use crate::domain::decision::{Disposition, Request};
use crate::domain::draft::DraftKind;
use crate::domain::event::Event;
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, RecordKey};
use crate::domain::overruled::Overruled;
use crate::domain::pace::Pace;
use crate::domain::queue::{Arrivals, ClaimDetail, Hold, QueueCounts, QueueRow, Thread, Waiting};
use crate::domain::severity::Stakes;
use crate::domain::shaping::{SetAside, Shape};
use crate::domain::view::View;
use crate::domain::word::Opposed;
use crate::store::{Batched, Redone, Shaped, Undone};

use super::exchanges::{self, Entry};
use super::marks::Together;
use super::screens::Reply;
use super::story::Line;
use super::views::Change;

/// Something that happened. Errors come as the sentence that a person reads.
#[derive(Debug, Clone)]
pub enum Message {
    /// The loop has begun, and the first frame is drawn.
    Started {
        open: Option<ClaimId>,
    },
    Key(KeyEvent),
    /// Text pasted by the terminal, as it came.
    Paste(String),
    /// The keys that follow came all at once.
    Rushed,
    /// Keys that came all at once, one after the other, and that a text may hold.
    Typed(Vec<KeyEvent>),
    /// The mouse did something there.
    Mouse {
        at: Position,
        act: MouseAct,
    },
    Resize(Size),
    /// A frame was drawn that shows the present state; it can be seen from the time on that comes with it.
    Drawn,
    /// The program did not listen to the keyboard for this long: keys typed blindly may wait.
    Stalled(Duration),
    /// The program has to end: nothing may be left behind.
    Ending,
    /// The program did not end because the note could not be stored.
    StayForNote,
    /// Something may be due: see `deadline::next`.
    Tick,
    /// The auditor begins paused, for this reason.
    AuditorHeld(String),
    /// The program is to stop until somebody lets it go on.
    Stopping,
    /// The program has the terminal again after a suspension.
    Resumed,

    /// An answer to [`LoadQueue`](super::effect::Effect::LoadQueue).
    Queue {
        run: u64,
        result: Result<QueueWindow, String>,
    },
    /// An answer to [`CountFound`](super::effect::Effect::CountFound).
    BesideCounted {
        run: u64,
        /// Claims of answers with such an id, and claims that fit and are not open.
        result: Result<(u64, u64), String>,
    },
    FoundCounted {
        run: u64,
        result: Result<u64, String>,
    },
    /// The claim that was asked about, and those that are the same in other answers.
    Same {
        run: u64,
        result: Result<Vec<QueueRow>, String>,
    },
    /// Which views there are.
    Views(Result<Vec<View>, String>),
    /// An answer to [`CountView`](super::effect::Effect::CountView).
    ViewCounted {
        run: u64,
        at: usize,
        result: Result<u64, String>,
    },
    /// A person's own views were changed: what stood under that name before, and which views there are now.
    ViewsChanged {
        change: Change,
        result: Result<(Option<String>, Vec<View>), String>,
    },
    /// An answer to [`LoadDetail`](super::effect::Effect::LoadDetail).
    Detail {
        run: u64,
        /// The claim and what is at stake with it.
        result: Result<(Box<ClaimDetail>, Stakes), String>,
    },
    /// An answer to [`LoadExchanges`](super::effect::Effect::LoadExchanges).
    Exchanges {
        run: u64,
        result: Result<Vec<Entry>, String>,
    },
    /// An answer to [`LoadReply`](super::effect::Effect::LoadReply).
    Reply {
        run: u64,
        result: Result<Arc<exchanges::Reply>, String>,
    },
    /// An answer to [`LoadStory`](super::effect::Effect::LoadStory).
    Story {
        run: u64,
        result: Result<Arc<[Line]>, String>,
    },
    /// An answer to [`ReadScreen`](super::effect::Effect::ReadScreen).
    ScreenRead {
        run: u64,
        result: Result<Reply, String>,
    },
    /// An answer to [`LoadLine`](super::effect::Effect::LoadLine).
    Line {
        run: u64,
        result: Result<String, String>,
    },
    /// The claim to go to: an id that was asked for, or the newest CRITICAL one.
    GoTo(Result<Option<ClaimKey>, String>),
    /// A decision is on disk, or why not.
    Decided {
        claim: ClaimKey,
        id: ClaimId,
        request: Request,
        result: Result<Box<Event>, String>,
    },
    /// Not recorded: other people ruled otherwise, which has to be told first.
    Opposed {
        claim: ClaimKey,
        request: Request,
        opposed: Box<Opposed>,
    },
    /// What became of an act on many claims.
    DecidedMany {
        together: Together,
        result: Result<Batched, String>,
    },
    /// Not made: these rulings would not count any more, which has to be told first.
    SetAside {
        shape: Shape,
        rulings: Vec<SetAside>,
    },
    /// Claims are made, or why not.
    Shaped {
        shape: Shape,
        result: Result<Box<Shaped>, String>,
    },
    /// How far the person is with the lines for newcomers.
    Hints(Result<usize, String>),
    /// How fast the person decided in earlier sessions.
    Pace(Result<Pace, String>),
    /// Answers whose claims are decided and that have no disposition.
    AnswersWaiting(Result<u64, String>),
    /// The answer that waits longest for a disposition, by one of its claims.
    Answer(Result<Option<Box<ClaimDetail>>, String>),
    /// What this event recorded was taken back.
    TakenBack(i64),
    /// The answer in question as it stands now.
    AnswerRead(Result<Box<ClaimDetail>, String>),
    /// The name of the answer that waits longest for a disposition.
    NextAnswer(Result<Option<AuditId>, String>),
    /// What an undo would take back.
    ToUndo(Result<Option<Box<Event>>, String>, u64),
    Undone(Result<Box<Undone>, String>),
    /// What a redo would do again.
    ToRedo(Result<Option<Box<Event>>, String>),
    Redone(Result<Box<Redone>, String>),
    Disposed {
        record: RecordKey,
        audit_id: AuditId,
        disposition: Disposition,
        /// The event that records it.
        result: Result<i64, String>,
    },
    /// Whether the claim is in this person's hands now.
    Held {
        claim: ClaimKey,
        result: Result<(), HoldFailure>,
    },
    DraftSaved {
        claim: ClaimKey,
        kind: DraftKind,
        text: Option<String>,
        result: Result<(), String>,
    },
    /// Whether another connection changed the store since the last look.
    Looked(Result<bool, String>),
    /// The person's editor ended, or could not begin.
    Edited(Edited),
    /// The hook did not hear of what arrived, or will not; why.
    HookFailed(String),
    /// It hears again.
    HookWorks,
    /// What waits for the person in hand: see [`Waiting`].
    Waiting(Result<Waiting, String>),
    /// What others said otherwise than this person, and up to which event that is known.
    Overruled(Result<(Vec<Overruled>, i64), String>),
    /// News from the background auditor.
    Auditor(AuditNews),
}

/// What the person's editor made of a note.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edited {
    /// The text, where it differs from what the editor was given: however the editor ended, this was written.
    pub text: Option<String>,
    /// What did not go well, in a sentence.
    pub trouble: Option<String>,
}

/// Why a claim could not be taken in hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldFailure {
    /// Someone else has it.
    Other(Hold),
    /// The store said so.
    Error(String),
}

/// A window of the queue with the counts of the same moment.
#[derive(Debug, Clone)]
pub struct QueueWindow {
    /// Rows before the claim that was asked for, in queue order.
    pub before: Vec<QueueRow>,
    /// Rows from that claim on.
    pub from: Vec<QueueRow>,
    /// The answers of the rows, where the list is one of answers.
    pub threads: Option<Vec<Thread>>,
    pub at_start: bool,
    pub at_end: bool,
    pub counts: QueueCounts,
    /// New CRITICAL and HIGH claims above it.
    pub above: (u64, u64),
    /// The same below it.
    pub below: (u64, u64),
    /// How many of these the filter does not let through.
    pub outside: u64,
    /// How many more came that only repeat a claim of the queue.
    pub repeats: u32,
    /// What came since the reading before, wherever it stands.
    pub arrived: Arrivals,
    /// The state of the file: changes with every commit of another connection.
    pub version: i64,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseAct {
    /// The left button went down.
    Press,
    /// The mouse moved while it was down.
    Drag,
    /// It came up.
    Release,
    WheelDown,
    WheelUp,
}
