//! What the loop works with: who does effects, the terminal, and what waits to be handled.

use std::collections::VecDeque;
use std::time::Duration;

use crate::clock::Clock;

use super::app::App;
use super::editor;
use super::effect::{Effect, Runner, TerminalEffect};
use super::keyboard::Keyboard;
use super::message::Message;
use super::options::{Ended, ReviewError};
use super::signals::Signals;
use super::terminal::Screen;
use super::update::update;

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
}

impl Desk {
    /// Handles what happened, and what happens because of it, until nothing is left.
    pub(super) fn handle(&mut self, app: &mut App, clock: &dyn Clock) {
        while !self.inbox.is_empty() {
            while let Some(message) = self.inbox.pop_front() {
                let mut effects: VecDeque<Effect> = update(app, message, clock.now()).into();
                while let Some(effect) = effects.pop_front() {
                    if let Some(answer) = self.runner.run(effect) {
                        effects.extend(update(app, answer, clock.now()));
                    }
                }
            }
            self.inbox.extend(self.runner.read());
        }
    }

    /// Gives back the terminal, then lets the auditor store what it has in hand.
    pub(super) async fn close(self) {
        // What is typed from now on is for the shell.
        drop(self.keyboard);
        drop(self.screen);
        if let Some(auditor) = self.runner.into_auditor() {
            auditor.shutdown(GRACE).await;
        }
    }

    /// Does what concerns the terminal itself.
    pub(super) async fn obey(&mut self) -> Result<Option<Ended>, ReviewError> {
        while let Some(effect) = self.runner.next_for_terminal() {
            match effect {
                TerminalEffect::Bell => self.screen.bell()?,
                TerminalEffect::Notify(text) => self.screen.notify(&text)?,
                TerminalEffect::Quit => return Ok(Some(Ended::Quit)),
                TerminalEffect::Suspend => {
                    self.keyboard = None;
                    self.screen.suspend().await?;
                    self.signals = Signals::listen()?;
                    self.inbox.push_back(Message::Resumed);
                }
                TerminalEffect::OpenEditor(text) => {
                    self.keyboard = None;
                    self.screen.leave();
                    let mut editing = tokio::task::spawn_blocking(move || editor::edit(&text));
                    let edited = loop {
                        tokio::select! {
                            edited = &mut editing => break edited,
                            () = tokio::time::sleep(RENEW) => self.runner.renew_hold(),
                        }
                    };
                    self.screen.take_again()?;
                    // What the editor's terminal raised was meant for the editor.
                    self.signals = Signals::listen()?;
                    let text = edited.unwrap_or_else(|error| Err(error.to_string()));
                    self.inbox.push_back(Message::Edited(text));
                }
            }
        }
        Ok(None)
    }
}
