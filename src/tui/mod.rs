//! The screen: messages in, effects out.
//!
//! `update(&mut App, Message, now) -> Vec<Effect>` and `screen::view(&App, &mut Frame)` are pure;
//! the loop here waits, the effect runner does what has to be done outside memory.

pub mod app;
pub mod command;
pub mod effect;
pub mod keymap;
pub mod message;
pub mod screen;
pub mod theme;
pub mod update;
pub mod widget;
