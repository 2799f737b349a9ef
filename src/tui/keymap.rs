//! Which key means which command where.

use crossterm::event::{KeyCode, KeyModifiers};

/// One key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub struct Key {
    pub code: KeyCode,
    pub modifiers: KeyModifiers,
}

/// The keys of every place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Keymap {}
