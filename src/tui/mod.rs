//! The screen: messages in, effects out.
//!
//! `update(&mut App, Message, now) -> Vec<Effect>` and `screen::view(&App, &mut Frame)` are pure;
//! the loop here waits, the effect runner does what has to be done outside memory.

pub mod app;
pub mod command;
mod desk;
mod editor;
pub mod effect;
mod keyboard;
pub mod keymap;
pub mod message;
mod options;
pub mod screen;
mod signals;
pub mod terminal;
pub mod theme;
pub mod update;
pub mod widget;

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::auditor::Auditor;
use crate::store::{Durability, Store};

use self::app::App;
use self::desk::Desk;
use self::effect::Runner;
use self::keyboard::{Gone, Keyboard};
use self::message::Message;
use self::signals::{Caught, Signals};
use self::terminal::Screen;
use self::update::{deadline, update};

pub use self::options::{Ended, ReviewError, ReviewOptions};

/// Most things that are handled before the next frame.
const BURST: usize = 64;
/// The screen wakes up after this time at the latest, also when somebody sets the clock back.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);
/// Work that took longer than this may have left keys behind that were typed blindly.
const STALL: Duration = Duration::from_millis(50);
/// How long the auditor may take to store what it has in hand when the review ends.
const GRACE: Duration = Duration::from_secs(2);

/// Shows the queue until the person quits or a signal ends it.
///
/// Must be polled by one thread, as `Runtime::block_on` does.
pub async fn run(options: ReviewOptions) -> Result<Ended, ReviewError> {
    if !Screen::is_possible() {
        return Err(ReviewError::NoTerminal);
    }
    let settings = options.settings()?;
    let mut screen = Screen::enter()?;
    let mut app = App::new(settings, screen.size()?, options.clock.now());
    screen.draw(|frame| screen::view(&app, frame))?;

    let (said, mut news) = mpsc::channel(256);
    let store = Store::open(&options.db, Durability::Full)?;
    let auditor = options.auditor.map(|settings| Auditor::spawn(settings, said.clone()));
    if auditor.is_some() {
        app.auditor = app::Auditor::Running;
    }
    let mut desk = Desk {
        runner: Runner::new(store, options.actor, options.clock.clone(), auditor)?,
        screen,
        signals: Signals::listen()?,
        keyboard: Some(Keyboard::listen()),
        inbox: VecDeque::from([Message::Started { open: options.open }]),
    };
    let clock = options.clock;
    let ended = loop {
        let woke = clock.now();
        desk.handle(&mut app, &*clock);
        if let Some(ended) = desk.obey().await? {
            break ended;
        }
        if !desk.inbox.is_empty() {
            continue;
        }
        let busy = clock.now().since(woke);
        if busy >= STALL {
            update(&mut app, Message::Stalled(busy), clock.now());
        }
        if app.dirty {
            app.dirty = false;
            desk.screen.draw(|frame| screen::view(&app, frame))?;
            update(&mut app, Message::Drawn, clock.now());
        }
        let sleep = deadline::next(&app).map_or(LONGEST_SLEEP, |due| due.since(clock.now()));
        let keyboard = desk.keyboard.get_or_insert_with(Keyboard::listen);
        let ended = tokio::select! {
            biased;
            caught = desk.signals.next() => match caught {
                Caught::End(signal) => Some(Ended::Signal(signal)),
                Caught::Continue => {
                    desk.screen.leave();
                    desk.screen.take_again()?;
                    desk.inbox.push_back(Message::Resumed);
                    None
                }
            },
            message = keyboard.next() => match message {
                Ok(message) => {
                    desk.inbox.push_back(message);
                    desk.inbox.extend(keyboard.ready(BURST - 1).await);
                    None
                }
                Err(Gone) => Some(Ended::HungUp),
            },
            Some(what) = news.recv() => {
                desk.inbox.push_back(Message::Auditor(what));
                let more = std::iter::from_fn(|| news.try_recv().ok()).take(BURST - 1);
                desk.inbox.extend(more.map(Message::Auditor));
                None
            }
            () = tokio::time::sleep(sleep.min(LONGEST_SLEEP)) => {
                desk.inbox.push_back(Message::Tick);
                None
            }
        };
        if let Some(ended) = ended {
            desk.inbox.push_back(Message::Ending);
            desk.handle(&mut app, &*clock);
            break ended;
        }
    };
    // What is typed from now on is for the shell.
    drop(desk.keyboard);
    drop(desk.screen);
    if let Some(auditor) = desk.runner.into_auditor() {
        auditor.shutdown(GRACE).await;
    }
    Ok(ended)
}
