//! What the loop works with: who does effects, the terminal, and what waits to be handled.

use std::collections::VecDeque;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::auditor::{AuditNews, Auditor, AuditorSettings};
use crate::clock::Clock;
use crate::config::Hook;
use crate::domain::ids::ClaimId;
use crate::duty::{Duty, Heard, Task, alone, others};
use crate::store::Store;
use crate::store::told::Work;

use super::LAST_WAIT;
use super::app::{self, App, Mode};
use super::editor::{self, NoteFile};
use super::effect::{Runner, TerminalEffect};
use super::keyboard::Keyboard;
use super::message::{Edited, Message};
use super::options::{Ended, ReviewError};
use super::signals::{self, Caught, Signals};
use super::terminal::Screen;
use super::update::{is_text, update};
use super::worker::Answer;

/// While the editor is open, the claim is kept in hand by renewing that so often.
const RENEW: Duration = Duration::from_secs(20);
/// How long the auditor may take to store what it has in hand when the review ends.
const GRACE: Duration = Duration::from_secs(2);

/// What the loop works with.
pub(super) struct Desk {
    pub(super) runner: Runner,
    pub(super) screen: Screen,
    pub(super) signals: Signals,
    pub(super) keyboard: Option<Keyboard>,
    pub(super) inbox: VecDeque<Message>,
    /// What begins once the store is open.
    pub(super) opening: Option<Opening>,
    /// The file that an editor had in hand, until the note in it is stored.
    pub(super) note_file: Option<NoteFile>,
    pub(super) db: PathBuf,
    /// Says in the store that this screen is there, and calls whoever is to be called.
    pub(super) duty: Option<Duty>,
    pub(super) has_hook: bool,
}

/// What begins once the store is open.
pub(super) struct Opening {
    pub(super) auditor: Option<AuditorSettings>,
    /// Why it begins paused.
    pub(super) hold: Option<String>,
    pub(super) said: mpsc::Sender<AuditNews>,
    pub(super) open: Option<ClaimId>,
    /// Whom to call.
    pub(super) hook: Option<Hook>,
    /// Why the hook cannot be run.
    pub(super) hook_trouble: Option<String>,
}

/// What is to be handled next. Keys that came all at once are each a key with a time of its own, but where they go into a
/// text as one.
pub(super) fn next(inbox: &mut VecDeque<Message>, app: &App) -> Option<Message> {
    match inbox.pop_front()? {
        Message::Typed(keys) if !is_text(app, &keys) => {
            keys.into_iter().rev().for_each(|key| inbox.push_front(Message::Key(key)));
            inbox.pop_front()
        }
        message => Some(message),
    }
}

impl Desk {
    /// Handles what happened, and what happens because of it as far as it needs no store.
    fn handle(&mut self, app: &mut App, clock: &dyn Clock) {
        while let Some(message) = next(&mut self.inbox, app) {
            for effect in update(app, message, clock.now()) {
                self.inbox.extend(self.runner.run(effect));
            }
        }
    }

    /// Handles what happened, and what the store answers to it within `most`.
    pub(super) async fn settle(
        &mut self,
        app: &mut App,
        clock: &Arc<dyn Clock>,
        most: Duration,
    ) -> Result<(), ReviewError> {
        let mut enough = std::pin::pin!(tokio::time::sleep(most));
        loop {
            self.handle(app, &**clock);
            if !self.runner.is_waiting() {
                if app.unsaved_notes().is_empty() {
                    self.note_file = None;
                }
                return Ok(());
            }
            tokio::select! {
                biased;
                answer = self.runner.answer() => self.take(app, clock, answer)?,
                () = &mut enough => return Ok(()),
            }
        }
    }

    /// An answer of the store's thread.
    pub(super) fn take(
        &mut self,
        app: &mut App,
        clock: &Arc<dyn Clock>,
        answer: Option<Answer>,
    ) -> Result<(), ReviewError> {
        match answer.ok_or(ReviewError::StoreGone)? {
            Answer::Opened(result) => {
                result?;
                if let Some(Opening { auditor, hold, said, open, hook, hook_trouble }) = self.opening.take() {
                    let audits = auditor.is_some() && hold.is_none();
                    let (db, clock) = (self.db.clone(), Arc::clone(clock));
                    let tell = self.runner.teller();
                    self.duty = Some(Duty::begin(
                        Task { db, work: Work::Screen, audits, hook, clock },
                        move |heard| {
                            tell(match heard {
                                Heard::Fails { failing, .. } => Message::HookFailed(failing.why),
                                Heard::Works(_) => Message::HookWorks,
                            });
                        },
                    ));
                    if let Some(settings) = auditor {
                        app.auditor = app::Auditor::Running;
                        let auditor = if let Some(reason) = hold {
                            self.inbox.push_back(Message::AuditorHeld(reason));
                            Auditor::spawn_paused(settings, said)
                        } else {
                            Auditor::spawn(settings, said)
                        };
                        self.runner.set_auditor(auditor);
                    }
                    self.inbox.push_back(Message::Started { open });
                    self.inbox.extend(hook_trouble.map(Message::HookFailed));
                }
            }
            Answer::Done(_, messages) => self.inbox.extend(messages),
            Answer::Found(message) => self.inbox.push_back(*message),
        }
        Ok(())
    }

    /// Gives back the terminal, then lets the auditor store what it has in hand.
    pub(super) async fn close(self) {
        // What is typed from now on is for the shell.
        drop(self.keyboard);
        drop(self.screen);
        if let Some(auditor) = self.runner.into_auditor() {
            auditor.shutdown(GRACE).await;
        }
        // After that, because what was stored last is to be told too.
        if let Some(duty) = self.duty {
            let _ = tokio::task::spawn_blocking(|| duty.end()).await;
        }
    }

    /// Does what concerns the terminal itself.
    pub(super) async fn obey(
        &mut self,
        app: &mut App,
        clock: &Arc<dyn Clock>,
    ) -> Result<Option<Ended>, ReviewError> {
        while let Some(effect) = self.runner.next_for_terminal() {
            match effect {
                TerminalEffect::Bell => self.screen.bell()?,
                TerminalEffect::Copy(text) => self.screen.copy(&text)?,
                TerminalEffect::Notify(text) => self.screen.notify(&text)?,
                TerminalEffect::Quit => {
                    self.settle(app, clock, LAST_WAIT).await?;
                    // Whoever quits again goes all the same: then the note is written to a file.
                    if app.unsaved_notes().is_empty() || app.was_kept {
                        return Ok(Some(Ended::Quit));
                    }
                    self.inbox.push_back(Message::StayForNote);
                }
                TerminalEffect::Suspend => self.suspend(app, clock).await?,
                TerminalEffect::OpenEditor => {
                    self.settle(app, clock, LAST_WAIT).await?;
                    // Keys that came along may have closed the note again, or gone on writing in it.
                    let Mode::Note(note) = &app.mode else { continue };
                    if self.edit(note.content()).await? == Caught::End {
                        return Ok(Some(Ended::Signal));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Gives the terminal back, stops until somebody lets the program go on, and takes it again. Where
    /// nobody could, the request has no effect.
    async fn suspend(&mut self, app: &mut App, clock: &Arc<dyn Clock>) -> Result<(), ReviewError> {
        if !signals::is_job() {
            return Ok(());
        }
        self.settle(app, clock, LAST_WAIT).await?;
        self.keyboard = None;
        self.screen.leave();
        self.say_what_stops();
        signals::stop_job().await?;
        self.signals = Signals::listen()?;
        self.screen.take_again()?;
        self.inbox.push_back(Message::Resumed);
        Ok(())
    }

    /// Says on the terminal, which is the shell's already, what nobody does from now on.
    fn say_what_stops(&self) {
        let own = self.duty.as_ref().map(Duty::holder);
        // Nothing is said where nothing is known: the stop matters more.
        let said = Store::open_read_only(&self.db).ok().and_then(|store| {
            let waiting = store.waiting().ok()?;
            alone(&others(&store, own).ok()?, self.has_hook, waiting)
        });
        if let Some(said) = said {
            let _ = writeln!(
                std::io::stderr(),
                "juror: stopped: {said} until `fg`; `juror audit --watch` does it meanwhile"
            );
        }
    }

    /// Lets the person's editor have the terminal. A signal that ends the program ends that too; what was
    /// written until then is taken over.
    async fn edit(&mut self, text: String) -> Result<Caught, ReviewError> {
        self.keyboard = None;
        self.screen.leave();
        // Ctrl-C in the editor's terminal is for the editor.
        let mut signals = Signals::listen()?;
        let (edited, caught) = match editor::start(text) {
            Err(why) => (Edited { text: None, trouble: Some(why) }, Caught::Continue),
            Ok(mut editing) => {
                let (trouble, caught) = loop {
                    tokio::select! {
                        biased;
                        caught = signals.outside() => {
                            if caught == Caught::End {
                                break (editing.end().await, caught);
                            }
                            // The editor's own stop concerns the whole job: the shell waits for this process too.
                            signals::stop_here()?;
                        }
                        trouble = editing.ended() => break (trouble, Caught::Continue),
                        () = tokio::time::sleep(RENEW) => self.runner.renew_hold(),
                    }
                };
                let (edited, file) = editing.outcome(trouble);
                self.note_file = Some(file);
                (edited, caught)
            }
        };
        // First of all: without a terminal the end comes next, and with it the note is stored.
        self.inbox.push_back(Message::Edited(edited));
        if caught != Caught::End {
            self.screen.take_again()?;
            // What the editor's terminal raised was meant for the editor.
            self.signals = Signals::listen()?;
        }
        Ok(caught)
    }
}
