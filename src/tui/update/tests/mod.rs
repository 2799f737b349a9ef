//! Sessions at the screen without a terminal and without a store: keys and answers in, effects out.

mod afterwards;
mod close;
mod copy;
mod decide;
mod dialogs;
mod disposition;
mod edge;
mod exchanges;
mod filled;
mod find;
mod hints;
mod history;
mod marks;
mod mouse;
mod news;
mod notes;
mod palette;
mod redo;
mod repeat;
mod same;
mod session;
mod spans;
mod story;
mod timers;
mod views;
mod walk;
