//! What comes from the terminal, as messages.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use crossterm::event::{
    Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use futures_util::StreamExt;
use ratatui::layout::{Position, Size};

use super::message::{Message, MouseAct};
use super::terminal;

/// The stream of what is typed. While something else owns the terminal there must be none, because
/// it would take the other program's keys.
pub(super) struct Keyboard(EventStream);

/// The terminal cannot be read any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gone;

impl Keyboard {
    pub(super) fn listen() -> Self {
        Self(EventStream::new())
    }

    /// Waits for the next thing that concerns the screen.
    pub(super) async fn next(&mut self) -> Result<Message, Gone> {
        loop {
            let Some(Ok(event)) = poll_fn(|context| self.poll(context)).await else { return Err(Gone) };
            if let Some(message) = message_of(event) {
                return Ok(message);
            }
        }
    }

    /// What is there already, at most `most` of it, without waiting for more.
    pub(super) async fn ready(&mut self, most: usize) -> Vec<Message> {
        let mut messages = Vec::new();
        while messages.len() < most {
            // Asked with this task's own waker: the stream keeps the first one it is given, and a
            // question on behalf of nobody would make the next key wake nobody.
            let next = poll_fn(|context| Poll::Ready(self.poll(context))).await;
            let Poll::Ready(Some(Ok(event))) = next else { break };
            messages.extend(message_of(event));
        }
        messages
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Event>>> {
        let next = self.0.poll_next_unpin(context);
        if next.is_pending() {
            terminal::announce_the_rest();
        }
        next
    }
}

/// So many keys at once are more than anybody types; a key that is held down repeats one.
const RUSH: usize = 8;

/// What came at once, with the mark of a rush in front where it is one.
pub(super) fn marked(came: Vec<Message>) -> Vec<Message> {
    let mut keys = came.iter().filter_map(|message| match message {
        Message::Key(key) => Some(key.code),
        _ => None,
    });
    let first = keys.next();
    let (others, differ) =
        keys.fold((0, false), |(count, differ), code| (count + 1, differ || Some(code) != first));
    let is_rush = differ && others + 1 >= RUSH;
    if !is_rush {
        return came;
    }
    let mut all = vec![Message::Rushed];
    for message in came {
        match (message, all.last_mut()) {
            (Message::Key(key), Some(Message::Typed(keys))) if letter_of(key).is_some() => keys.push(key),
            (Message::Key(key), _) if letter_of(key).is_some() => all.push(Message::Typed(vec![key])),
            (message, _) => all.push(message),
        }
    }
    all
}

/// What the key puts into a text. A terminal that does not mark pastes sends their line feeds as Ctrl-J.
pub(super) fn letter_of(key: KeyEvent) -> Option<char> {
    match (key.code, key.modifiers) {
        (KeyCode::Char(letter), KeyModifiers::NONE | KeyModifiers::SHIFT) => Some(letter),
        (KeyCode::Enter, KeyModifiers::NONE) | (KeyCode::Char('j'), KeyModifiers::CONTROL) => Some('\n'),
        _ => None,
    }
}

/// A key counts when it goes down and while it repeats, never when it comes up.
fn message_of(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        Event::Key(key) => Some(Message::Key(key)),
        Event::Paste(text) => Some(Message::Paste(text)),
        Event::Resize(width, height) => Some(Message::Resize(Size { width, height })),
        Event::Mouse(mouse) => {
            let at = Position { x: mouse.column, y: mouse.row };
            let act = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseAct::Press,
                MouseEventKind::Drag(MouseButton::Left) => MouseAct::Drag,
                MouseEventKind::Up(MouseButton::Left) => MouseAct::Release,
                MouseEventKind::ScrollDown => MouseAct::WheelDown,
                MouseEventKind::ScrollUp => MouseAct::WheelUp,
                _ => return None,
            };
            Some(Message::Mouse { at, act })
        }
        Event::FocusGained | Event::FocusLost => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_without_marks_is_a_rush_and_a_held_key_is_none() {
        let keys = |text: &str| -> Vec<Message> {
            text.chars().map(|c| Message::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE))).collect()
        };
        let is_rush = |text| matches!(marked(keys(text)).first(), Some(Message::Rushed));
        assert!(is_rush("check it"));
        assert!(!is_rush("jjjjjjjjjjjjjjjj") && !is_rush("rn") && !is_rush("jjc"));
    }

    #[test]
    fn a_key_that_comes_up_is_no_key() {
        let key = |kind| Event::Key(KeyEvent::new_with_kind(KeyCode::Char('c'), KeyModifiers::NONE, kind));
        assert!(message_of(key(KeyEventKind::Press)).is_some());
        assert!(message_of(key(KeyEventKind::Repeat)).is_some());
        assert!(message_of(key(KeyEventKind::Release)).is_none());
        assert!(message_of(Event::FocusLost).is_none());
    }
}
