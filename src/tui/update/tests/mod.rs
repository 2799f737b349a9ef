//! Sessions at the screen without a terminal and without a store: keys and answers in, effects out.

mod afterwards;
mod decide;
mod dialogs;
mod disposition;
mod find;
mod filled;
mod news;
mod notes;
mod session;
mod timers;
mod walk;
