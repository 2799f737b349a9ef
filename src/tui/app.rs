//! The whole state of the screen as plain data.
//!
//! Changed only by `update`, read only by `screen::view`. Nothing here may know the terminal, the
//! store's connection or the clock.

use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::{Rect, Size};

use crate::config::Advance;
use crate::domain::decision::{DecisionKind, ReasonCode, Ruling};
use crate::domain::ids::{Annotator, ClaimId, ClaimKey, RecordKey};
use crate::domain::pace::Pace;
use crate::domain::queue::{ClaimDetail, Hold, QueueCounts, QueueRow};
use crate::domain::time::Timestamp;

use super::ask::AskLine;
use super::begun::{Begun, Ours};
use super::command::Place;
use super::exchanges::ExchangeLog;
use super::found::{FilterLine, Found, History};
use super::hints::Hints;
use super::in_view::{InView, Stake};
use super::keymap::{Key, Keymap};
use super::marks::{ManyDialog, Marks};
use super::news::News;
use super::palette::Palette;
use super::question::Question;
use super::same::Same;
use super::screens::{ScreenName, Screens};
use super::shape::ShapeEditor;
use super::spans::SpanEditor;
use super::story::StoryPage;
use super::strokes::Strokes;
use super::theme::Theme;
use super::threads::{Line, Threads};
use super::trail::Trail;
use super::views::Views;
use super::why::WhyHere;

pub use super::note::{NoteEditor, Remark, Unkept, WentOn};
pub use super::override_menu::{OverrideField, OverrideMenu};
pub use super::selected::{Detail, EvidenceStop, Selected};
pub use super::view::View;

/// What the person set and does not change while the screen is up.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings, not a state machine")]
pub struct Settings {
    pub annotator: Annotator,
    /// Nobody set that name: it is the computer's for whoever is logged in.
    pub by_login: bool,
    pub theme: Theme,
    /// How long what is acted on must have been visible before a key acts; zero turns the rule off.
    pub min_visible: Duration,
    /// A throw-away store with sample data: the screen says how to leave and how to begin with own data.
    pub demo: bool,
    /// Ring the bell when a CRITICAL claim arrives.
    pub bell: bool,
    /// Send a terminal notification, with ids only, when a CRITICAL claim arrives.
    pub notify: bool,
    pub keymap: Keymap,
    /// The zone of the times of the day that the person types.
    pub zone: jiff::tz::TimeZone,
    /// After which decisions the cursor goes on by itself.
    pub advance: Advance,
    /// In a blind review, how many people may judge a claim.
    pub blind: Option<u8>,
}

/// Everything that the screen shows.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not a state machine")]
pub struct App {
    pub settings: Settings,
    pub size: Size,
    /// Where the panes lie at this size; kept by `update` from `screen::geometry`.
    pub geometry: Geometry,
    pub counts: QueueCounts,
    pub queue: Queue,
    /// The filter in force, if any.
    pub found: Option<Found>,
    pub history: History,
    pub views: Views,
    pub same: Option<Same>,
    /// Whether and how the list is one of answers.
    pub threads: Threads,
    /// The claims looked at in this session.
    pub trail: Trail,
    /// The claims that are marked, to be acted on at once.
    pub marks: Marks,
    /// The claim under the cursor, unless there is none.
    pub claim: Option<Selected>,
    /// The claim that this person holds in the store.
    pub held: Option<ClaimKey>,
    /// Which screen is shown, and what those beside the queue hold.
    pub screens: Screens,
    pub mode: Mode,
    pub focus: Focus,
    pub view: View,
    /// Whether all that is known of the passage in hand is shown.
    pub metadata: bool,
    pub auditor: Auditor,
    pub news: News,
    pub toast: Option<Toast>,
    pub hints: Hints,
    /// Decision keys that came too fast and were dropped, since the last pause or other key.
    pub dropped: u32,
    /// The last thing the store said it has saved.
    pub saved: Option<Saved>,
    /// This person's last decision of this session, to which `r` attaches a reason.
    pub last_decision: Option<LastDecision>,
    /// The claim on which the last decision is being repeated.
    pub repeating: Option<ClaimKey>,
    /// Whether this session has recorded or taken back anything.
    pub acted: bool,
    /// What was said first, and the same key again does.
    pub question: Option<Question>,
    /// The act of this session that a redo would do again.
    pub to_redo: Option<i64>,
    /// An answer whose routed claims are all decided and that has no disposition yet.
    pub to_dispose: Option<Arc<ClaimDetail>>,
    /// The answer whose claims are decided one after the other, wherever they stand in the queue.
    pub staying: Option<Staying>,
    /// A claim just decided, while the cursor went on to another answer and its own has open claims.
    pub left: Option<Arc<ClaimDetail>>,
    /// The claim just done with, while the cursor went on by itself.
    pub went_on: Option<WentOn>,
    /// Answers whose claims are decided and that have no disposition.
    pub answers_waiting: u64,
    pub pace: Pace,
    /// Keys of a sequence that is not complete yet: `g` of `g c`.
    pub typed: Vec<Key>,
    /// How keys follow each other.
    pub strokes: Strokes,
    pub timers: Timers,
    /// What of all that a key may act on stands on the screen.
    pub in_view: InView<Stake>,
    /// Numbers the questions to the store, so that an answer that came too late is known.
    pub run: u64,
    /// Whether the screen differs from what was last drawn.
    pub dirty: bool,
    pub quitting: bool,
    /// The person wanted to quit and was told that the note is not stored.
    pub was_kept: bool,
    /// What is being typed or chosen besides a note, and what the store has of it.
    pub begun: Option<Begun>,
    /// Notes that were left and that the store would not take as drafts.
    pub unkept: Vec<Unkept>,
    /// The drafts of this window, as the store may have them.
    pub ours: Ours,
    /// What the store was asked to record and has not answered yet.
    pub saving: Option<String>,
    pub overruled: super::overruled::Untold,
}

/// The part of the queue that is loaded: a window of rows around the cursor.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not a state machine")]
pub struct Queue {
    pub state: QueueState,
    pub rows: Vec<QueueRow>,
    /// The first visible line of the list; of claims, an index into `rows`.
    pub top: usize,
    /// Whether `rows` begins with the first row of the queue.
    pub at_start: bool,
    /// Whether `rows` ends with the last row of the queue.
    pub at_end: bool,
    /// The last row was asked for, and the rows up to it are being read.
    pub to_end: bool,
    /// A claim was asked for that the store is looking for.
    pub going: bool,
    /// Where in `rows` the claim belongs around which they were read.
    pub anchor: usize,
    /// Number of the question that is not answered yet, if any.
    pub asked: Option<u64>,
    /// Whether the person began: pressed a key, looked at one claim for a while, or asked for a claim by its id.
    pub touched: bool,
}

/// What the queue pane has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueState {
    /// No answer from the store yet.
    Loading,
    /// There are rows.
    Ready,
    Empty(EmptyReason),
    /// The store could not be read; the sentence says why.
    Error(String),
}

/// Why there is nothing to review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyReason {
    /// No record was ever imported.
    StoreEmpty,
    /// Every routed claim is decided.
    AllDone {
        /// Decisions of the person at the screen that stand.
        mine: u64,
    },
    /// Records wait for their audit.
    NotYetAudited { waiting: u64, auditing: u64 },
    /// The person has deferred all that is open, until then at the earliest.
    Deferred { count: u64, back_at: Timestamp },
    /// As many others have judged each claim blind as may.
    JudgedByOthers,
    /// No claim fits the filter.
    NothingFits,
    /// Records were audited, and no claim needs a person.
    NothingRouted { audited: u64 },
}

/// Where the panes lie. Text areas are the inside, without border and title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Geometry {
    /// Rows of the queue list.
    pub queue: Rect,
    pub answer: Rect,
    pub evidence: Rect,
    /// Inside of the help page.
    pub help: Rect,
    /// The text of an exchange, in the log of exchanges.
    pub exchange: Rect,
    /// The window is too small to show a claim.
    pub too_small: bool,
}

/// What has the keyboard.
#[derive(Debug, Clone)]
pub enum Mode {
    Normal,
    Override(OverrideMenu),
    /// Evidence is being chosen.
    Spans(Box<SpanEditor>),
    /// Claims are being made.
    Shape(Box<ShapeEditor>),
    Note(Box<NoteEditor>),
    Line(Box<FilterLine>),
    Palette(Box<Palette>),
    /// Asks until when, or what the matter is.
    Ask(Box<AskLine>),
    /// Asks what is to be done to the marked claims.
    Many(ManyDialog),
    /// Says why the claim stands where it stands.
    Why(Box<WhyHere>),
    /// Asks for the letter of a reason.
    Reason(LastDecision),
    /// Asks what is to happen to the answer.
    Disposition(Box<AnswerDialog>),
    /// What was asked of a model for the claim.
    Exchanges(Box<ExchangeLog>),
    /// All that happened to the claim.
    Story(Box<StoryPage>),
    Help {
        /// First visible line.
        top: usize,
    },
}

/// The question what is to happen to an answer, with the answer it is about.
#[derive(Debug, Clone)]
pub struct AnswerDialog {
    /// One claim of the answer with all its siblings.
    pub detail: Arc<ClaimDetail>,
    /// A release was asked for although people ruled against claims, or nobody looked at any: it takes a second word.
    pub confirming: bool,
    /// It is not the one under the cursor, and the store has not said yet whether it still waits.
    pub unsure: bool,
    /// What is being written beside a RETURN or a BLOCK, which only waits for that.
    pub remark: Option<Remark>,
}

/// Which pane moves with the page keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Queue,
    Answer,
    Evidence,
}

/// The background auditor as the top line shows it. How much it has to do stands in the counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auditor {
    /// None runs in this process; another one may.
    Absent,
    Running,
    Paused,
    /// Nothing can be judged until a person mends something, as the judge said.
    Halted(String),
    /// It failed, and what it said.
    Failed(String),
}

/// Where a person stays until it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staying {
    pub record: RecordKey,
    /// The claim of another answer that the cursor was on: there it goes on afterwards.
    pub back: Option<ClaimKey>,
}

/// A line that says what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    pub text: String,
    pub kind: ToastKind,
    /// When it goes away; `None` stays until the next act.
    pub until: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToastKind {
    Info,
    Warning,
    Error,
}

/// What the store has on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// Claim id or audit id.
    pub subject: String,
    /// The event that an undo would take back: of what is recorded at once, the last.
    pub event: Option<i64>,
    /// What was saved: `confirmed CONTRADICTED`.
    pub what: String,
    /// The ruling, where it was one.
    pub ruling: Option<(DecisionKind, Ruling)>,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastDecision {
    pub claim: ClaimKey,
    pub id: ClaimId,
    pub claim_text: String,
    pub kind: DecisionKind,
    pub ruling: Ruling,
    pub reason: Option<ReasonCode>,
}

/// When something is due. `None` is never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timers {
    /// Next look at whether another process changed the store.
    pub look: Option<Timestamp>,
    /// Next renewal of the hold on the claim under the cursor.
    pub renew: Option<Timestamp>,
    /// The counts are to be read again, at this time at the earliest.
    pub reload: Option<Timestamp>,
    /// A question that was just not asked, whose answer may be typed already.
    pub refused: Option<super::refused::Refused>,
    /// Until when keys belong to those that came all at once.
    pub rushed: Option<Timestamp>,
}

impl App {
    /// The state before anything is known: what the first frame shows.
    pub fn new(settings: Settings, size: Size, now: Timestamp) -> Self {
        Self {
            settings,
            size,
            geometry: Geometry::default(),
            counts: QueueCounts::default(),
            queue: Queue {
                state: QueueState::Loading,
                rows: Vec::new(),
                top: 0,
                at_start: true,
                at_end: true,
                to_end: false,
                going: false,
                anchor: 0,
                asked: None,
                touched: false,
            },
            found: None,
            history: History::default(),
            views: Views::default(),
            same: None,
            threads: Threads::default(),
            trail: Trail::default(),
            marks: Marks::default(),
            claim: None,
            held: None,
            screens: Screens::default(),
            mode: Mode::Normal,
            focus: Focus::Evidence,
            view: View::Beside,
            metadata: false,
            auditor: Auditor::Absent,
            news: News::NONE,
            toast: None,
            hints: Hints::default(),
            dropped: 0,
            saved: None,
            last_decision: None,
            repeating: None,
            acted: false,
            question: None,
            to_redo: None,
            to_dispose: None,
            staying: None,
            left: None,
            went_on: None,
            answers_waiting: 0,
            pace: Pace::begun(now),
            typed: Vec::new(),
            strokes: Strokes::default(),
            timers: Timers::default(),
            in_view: InView::default(),
            run: 0,
            dirty: true,
            quitting: false,
            was_kept: false,
            begun: None,
            unkept: Vec::new(),
            ours: Ours::default(),
            saving: None,
            overruled: super::overruled::Untold::default(),
        }
    }

    /// What has the keyboard.
    pub fn place(&self) -> Place {
        match &self.mode {
            Mode::Normal if self.screens.shown != ScreenName::Queue => Place::Screen,
            Mode::Normal => Place::Review,
            Mode::Override(_) => Place::OverrideMenu,
            Mode::Spans(_) => Place::Spans,
            Mode::Shape(editor) => editor.place(),
            Mode::Note(_) => Place::Note,
            Mode::Line(_) => Place::Line,
            Mode::Palette(_) => Place::Palette,
            Mode::Ask(_) => Place::Ask,
            Mode::Many(_) => Place::Many,
            Mode::Why(_) => Place::Why,
            Mode::Reason(_) => Place::Reason,
            Mode::Disposition(dialog) if dialog.remark.is_some() => Place::Ask,
            Mode::Disposition(_) => Place::Disposition,
            Mode::Exchanges(_) => Place::Exchanges,
            Mode::Story(_) => Place::Story,
            Mode::Help { .. } => Place::Help,
        }
    }

    /// Whether the keys of a score come first: a claim with its source is in hand.
    pub fn is_scoring(&self) -> bool {
        let is_there = matches!(self.mode, Mode::Normal | Mode::Override(_) | Mode::Spans(_));
        is_there && self.detail().is_some_and(|detail| detail.is_pair)
    }

    /// Someone else who has the claim under the cursor in hand at `now`.
    pub fn held_by_other(&self, now: Timestamp) -> Option<&Hold> {
        let hold = self.detail()?.held_by.as_ref()?;
        (hold.holder != self.settings.annotator && hold.until > now).then_some(hold)
    }

    /// Index into the loaded rows of the row under the cursor.
    pub fn selected_row(&self) -> Option<usize> {
        let key = self.claim.as_ref()?.key;
        self.queue.rows.iter().position(|row| row.key == key)
    }

    /// Which of the loaded lines stands first in a list of `height` lines: so far from `top` that the cursor is in
    /// sight, and that no line stays blank below the last row while there are rows above.
    pub fn first_shown(&self, height: usize) -> usize {
        let top = match self.selected_line().filter(|_| height > 0) {
            Some(line) => {
                // With the first claim of an answer, the answer.
                let above = line.saturating_sub(1);
                let is_first =
                    self.threads.is_on() && matches!(self.lines().get(above), Some(Line::Answer(_)));
                let most = if is_first && height > 1 { above } else { line };
                self.queue.top.clamp((line + 1).saturating_sub(height), most)
            }
            None => self.queue.top,
        };
        top.min(self.line_count().saturating_sub(height.max(1)))
    }

    /// The claim under the cursor, once its detail is there.
    pub fn detail(&self) -> Option<&Arc<ClaimDetail>> {
        self.claim.as_ref().and_then(Selected::detail)
    }

    /// Routed claims that are decided, and all routed claims.
    pub fn progress(&self) -> (u64, u64) {
        (self.counts.routed.saturating_sub(self.counts.open), self.counts.routed)
    }

    /// Time to the end of the queue at the person's own median pace; `None` before three decisions
    /// or when nothing is open.
    pub fn time_left(&self) -> Option<Duration> {
        self.pace.left(&self.counts)
    }
}
