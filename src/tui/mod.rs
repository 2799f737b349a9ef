//! The screen: messages in, effects out.
//!
//! `update(&mut App, Message, now) -> Vec<Effect>` and `screen::view(&App, &mut Frame)` are pure;
//! the loop here waits, the effect runner does what has to be done outside memory.

pub mod app;
pub mod ask;
pub mod begun;
pub mod clipboard;
pub mod command;
pub mod cursor;
mod desk;
mod editor;
pub mod effect;
pub mod exchanges;
mod finder;
pub mod found;
mod heading;
pub mod hints;
pub mod in_view;
mod keyboard;
pub mod keymap;
mod line;
pub mod marks;
pub mod message;
pub mod news;
mod note;
mod options;
mod override_menu;
pub mod overruled;
mod painter;
pub mod palette;
mod question;
pub mod refused;
mod rescue;
pub mod same;
pub mod screen;
pub mod screens;
mod selected;
pub mod shape;
mod signals;
pub mod spans;
pub mod story;
pub mod strokes;
pub mod terminal;
pub mod theme;
pub mod threads;
pub mod trail;
pub mod update;
pub mod view;
pub mod views;
pub mod why;
pub mod widget;
pub mod window;
mod worker;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::auditor::AuditNews;
use crate::clock::Clock;

use self::app::App;
use self::desk::{Desk, Opening};
use self::effect::Runner;
use self::keyboard::Keyboard;
use self::line::Line;
use self::message::Message;
use self::signals::{Caught, Signals};
use self::terminal::Screen;
use self::update::{deadline, update};
use self::worker::Worker;

pub use self::options::{Ended, ReviewError, ReviewOptions};

/// Most things that are handled before the next frame.
const BURST: usize = 64;
/// Most keys that are, as many as the terminal is read for at a time: a long paste costs ten frames, not a hundred.
const TYPED: usize = 1024;
/// The screen wakes up after this time at the latest, also when somebody sets the clock back.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);
/// How long the next frame waits for the store, so that it mostly shows what is on disk already.
const GLANCE: Duration = Duration::from_millis(8);
/// How long the end waits for the store; it waits five seconds itself for another writer.
const LAST_WAIT: Duration = Duration::from_secs(6);
/// Work that took longer than this may have left keys behind that were typed blindly.
const STALL: Duration = Duration::from_millis(50);

/// Shows the queue until the person quits or a signal ends it.
///
/// Must be polled by one thread, as `Runtime::block_on` does.
pub async fn run(options: ReviewOptions) -> Result<Ended, ReviewError> {
    if !Screen::is_possible() {
        return Err(ReviewError::NoTerminal);
    }
    let clock = options.clock.clone();
    let settings = options.settings();
    // From here on no signal ends the program while the terminal is taken.
    let signals = Signals::listen()?;
    let mut screen = Screen::enter(options.mouse)?;
    let mut app = App::new(settings, screen.size()?, clock.now());
    screen.draw(|frame| screen::view(&app, frame))?;

    let (said, mut news) = mpsc::channel(256);
    let has_hook = options.hook.is_some();
    let worker = Worker::start(options.db.clone(), options.actor, options.blind, options.clock);
    let mut desk = Desk {
        runner: Runner::new(worker),
        screen,
        signals,
        keyboard: Some(Keyboard::listen()),
        inbox: VecDeque::new(),
        opening: Some(Opening {
            auditor: options.auditor,
            hold: options.hold,
            said,
            open: options.open,
            hook: options.hook,
            hook_trouble: options.hook_trouble,
        }),
        note_file: None,
        db: options.db.clone(),
        duty: None,
        has_hook,
    };
    let mut ended = attend(&mut desk, &mut app, &mut news, &clock).await;
    if !app.quitting {
        desk.inbox.push_back(Message::Ending);
        if let Err(error) = desk.settle(&mut app, &clock, LAST_WAIT).await {
            ended = ended.and(Err(error));
        }
    }
    let is_gone = !desk.screen.is_there();
    // Goes when this function is left: then the note is in the store or in another file.
    let _note_file = desk.note_file.take();
    desk.close().await;
    // All of them are written; the first is named.
    let rescued = app.unsaved_notes().into_iter().map(|(id, text)| rescue::note(&options.db, &id, &text));
    if let Some(error) = rescued.reduce(|first, _| first) {
        return Err(error);
    }
    match ended {
        Err(ReviewError::Terminal(_)) if is_gone => Ok(Ended::HungUp),
        ended => ended,
    }
}

/// Waits, handles, draws, until there is an end.
async fn attend(
    desk: &mut Desk,
    app: &mut App,
    news: &mut mpsc::Receiver<AuditNews>,
    clock: &Arc<dyn Clock>,
) -> Result<Ended, ReviewError> {
    let mut line = Line::new(Line::is_remote(), clock.now());
    loop {
        let woke = clock.now();
        desk.settle(app, clock, GLANCE).await?;
        if let Some(ended) = desk.obey(app, clock).await? {
            return Ok(ended);
        }
        if !desk.inbox.is_empty() {
            continue;
        }
        let busy = clock.now().since(woke);
        if app.dirty && line.wait(clock.now()).is_zero() {
            app.dirty = false;
            let bytes = desk.screen.draw(|frame| screen::view(app, frame))?;
            line.sent(bytes, clock.now());
            update(app, Message::Drawn, line.seen_from(clock.now()));
        }
        let mut sleep = deadline::next(app).map_or(LONGEST_SLEEP, |due| due.since(clock.now()));
        if app.dirty {
            sleep = sleep.min(line.wait(clock.now()));
        }
        if sleep.is_zero() {
            // However much news there is, what is due comes first.
            desk.inbox.push_back(Message::Tick);
        }
        let keyboard = desk.keyboard.get_or_insert_with(Keyboard::listen);
        if busy >= STALL {
            let blind = keyboard.ready(TYPED).await;
            if !blind.is_empty() {
                // They were typed while nobody listened: for them that was no time to look.
                desk.inbox.push_back(Message::Stalled(busy));
                desk.inbox.extend(keyboard::marked(blind));
                continue;
            }
        }
        tokio::select! {
            biased;
            caught = desk.signals.next() => match caught {
                Caught::End => return Ok(Ended::Signal),
                Caught::Stop => desk.inbox.push_back(Message::Stopping),
                Caught::Continue => {
                    desk.screen.leave();
                    desk.screen.take_again()?;
                    desk.inbox.push_back(Message::Resumed);
                }
            },
            message = keyboard.next() => {
                let Ok(message) = message else { return Ok(Ended::HungUp) };
                let mut came = vec![message];
                came.extend(keyboard.ready(TYPED - 1).await);
                desk.inbox.extend(keyboard::marked(came));
            }
            answer = desk.runner.answer() => desk.take(app, clock, answer)?,
            Some(what) = news.recv() => {
                desk.inbox.push_back(Message::Auditor(what));
                let more = std::iter::from_fn(|| news.try_recv().ok()).take(BURST - 1);
                desk.inbox.extend(more.map(Message::Auditor));
            }
            () = tokio::time::sleep(sleep.min(LONGEST_SLEEP)) => {
                if !desk.screen.is_there() {
                    return Ok(Ended::HungUp);
                }
                desk.inbox.push_back(Message::Tick);
            }
        }
    }
}
