//! Readings that may take a while, each kind on a thread and a connection of its own: a word that stands in every
//! answer, a model's reply of megabytes. Neither a decision nor a move waits for them.
//!
//! Of each kind only the last question counts: it stops the one before.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self as jobs, Receiver, Sender};

use tokio::sync::mpsc::UnboundedSender;

use crate::clock::Clock;
use crate::domain::ids::Annotator;
use crate::store::{Store, StoreError};

use super::effect::Effect;
use super::exchanges;
use super::message::Message;
use super::screens;
use super::story;
use super::window;
use super::worker::Answer;

/// No question has this number.
const NONE: u64 = 0;

/// What the threads begin with.
#[derive(Clone)]
pub(super) struct Start {
    pub(super) db: PathBuf,
    pub(super) annotator: Annotator,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) tell: UnboundedSender<Answer>,
}

/// The near end of one thread. It begins with the first question.
pub(super) struct Finder {
    start: Start,
    jobs: Option<Sender<Effect>>,
    wanted: Arc<AtomicU64>,
}

impl Finder {
    pub(super) fn new(start: Start) -> Self {
        Self { start, jobs: None, wanted: Arc::new(AtomicU64::new(NONE)) }
    }

    /// Stops what is asked now, and asks this.
    pub(super) fn ask(&mut self, effect: Effect) {
        let Some(run) = number(&effect) else { return };
        self.wanted.store(run, Ordering::Relaxed);
        let jobs = self.jobs.get_or_insert_with(|| {
            let (ask, asked) = jobs::channel();
            let (start, wanted) = (self.start.clone(), Arc::clone(&self.wanted));
            std::thread::spawn(move || work(&start, &asked, &wanted));
            ask
        });
        // A thread that is gone has said why.
        let _ = jobs.send(effect);
    }

    /// Nothing is wanted any more.
    pub(super) fn stop(&self) {
        self.wanted.store(NONE, Ordering::Relaxed);
    }
}

const fn number(effect: &Effect) -> Option<u64> {
    match effect {
        Effect::LoadQueue { run, .. }
        | Effect::CountFound { run, .. }
        | Effect::CountView { run, .. }
        | Effect::CountBeside { run, .. }
        | Effect::FindSame { run, .. }
        | Effect::LoadExchanges { run, .. }
        | Effect::LoadReply { run, .. }
        | Effect::LoadStory { run, .. }
        | Effect::ReadScreen { run, .. }
        | Effect::LoadLine { run, .. } => Some(*run),
        _ => None,
    }
}

fn work(start: &Start, asked: &Receiver<Effect>, wanted: &Arc<AtomicU64>) {
    // The question that the thread works at.
    let present = Arc::new(AtomicU64::new(NONE));
    let mut opened = open(start, wanted, &present);
    while let Ok(effect) = asked.recv() {
        let Some(run) = number(&effect) else { continue };
        present.store(run, Ordering::Relaxed);
        if wanted.load(Ordering::Relaxed) != run {
            continue;
        }
        if opened.is_err() {
            opened = open(start, wanted, &present);
        }
        let message = match &opened {
            Ok(store) => read(store, start, effect),
            Err(error) => failed(&effect, error.to_string()),
        };
        if let Some(message) = message
            && start.tell.send(Answer::Found(Box::new(message))).is_err()
        {
            return;
        }
    }
}

fn open(start: &Start, wanted: &Arc<AtomicU64>, present: &Arc<AtomicU64>) -> Result<Store, StoreError> {
    let mut store = Store::open_read_only(&start.db)?;
    let (wanted, present) = (Arc::clone(wanted), Arc::clone(present));
    store.stop_when(move || wanted.load(Ordering::Relaxed) != present.load(Ordering::Relaxed))?;
    Ok(store)
}

/// `None` when it was stopped, or is nothing to read.
fn read(store: &Store, start: &Start, effect: Effect) -> Option<Message> {
    let now = start.clock.now();
    match effect {
        Effect::LoadQueue { run, wanted } => {
            answer(window::read(store, &start.annotator, None, &wanted, now))
                .map(|result| Message::Queue { run, result })
        }
        Effect::CountFound { run, filter } => {
            answer(store.found_count(&filter, now)).map(|result| Message::FoundCounted { run, result })
        }
        Effect::CountBeside { run, by_id, anywhere } => {
            let count = |filter| store.found_count(filter, now);
            let counts = count(&by_id).and_then(|ids| Ok((ids, count(&anywhere)?)));
            answer(counts).map(|result| Message::BesideCounted { run, result })
        }
        Effect::FindSame { run, claim } => answer(store.same_claims(claim, &start.annotator, now))
            .map(|result| Message::Same { run, result }),
        Effect::CountView { run, at, filter } => {
            answer(store.found_count(&filter, now)).map(|result| Message::ViewCounted { run, at, result })
        }
        Effect::LoadExchanges { run, claim, sought } => {
            answer(exchanges::entries(store, claim, &sought)).map(|result| Message::Exchanges { run, result })
        }
        Effect::LoadLine { run, claim } => {
            answer(store.line_of_claim(claim)).map(|result| Message::Line { run, result })
        }
        Effect::LoadStory { run, claim } => {
            answer(story::read(store, claim)).map(|result| Message::Story { run, result })
        }
        Effect::ReadScreen { run, question } => {
            answer(screens::read(store, question)).map(|result| Message::ScreenRead { run, result })
        }
        Effect::LoadReply { run, exchange, sought } => answer(exchanges::reply(store, exchange, &sought))
            .map(|result| Message::Reply { run, result: result.flatten().map(Arc::new) }),
        _ => None,
    }
}

/// What there is to say when the store cannot be opened.
fn failed(effect: &Effect, why: String) -> Option<Message> {
    Some(match *effect {
        Effect::LoadQueue { run, .. } => Message::Queue { run, result: Err(why) },
        Effect::CountFound { run, .. } => Message::FoundCounted { run, result: Err(why) },
        Effect::CountBeside { run, .. } => Message::BesideCounted { run, result: Err(why) },
        Effect::FindSame { run, .. } => Message::Same { run, result: Err(why) },
        Effect::CountView { run, at, .. } => Message::ViewCounted { run, at, result: Err(why) },
        Effect::LoadExchanges { run, .. } => Message::Exchanges { run, result: Err(why) },
        Effect::LoadLine { run, .. } => Message::Line { run, result: Err(why) },
        Effect::LoadStory { run, .. } => Message::Story { run, result: Err(why) },
        Effect::ReadScreen { run, .. } => Message::ScreenRead { run, result: Err(why) },
        Effect::LoadReply { run, .. } => Message::Reply { run, result: Err(why) },
        _ => return None,
    })
}

/// `None` when it was stopped: something else is wanted.
fn answer<T>(result: Result<T, StoreError>) -> Option<Result<T, String>> {
    match result {
        Err(StoreError::Stopped) => None,
        result => Some(result.map_err(|error| error.to_string())),
    }
}
