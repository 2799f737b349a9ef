//! What comes in and what goes out, one file per format.
//!
//! This layer reads lines and writes rows. It must not know the command line or the screen.

pub mod annotated;
mod follow;
pub mod golden;
pub mod import;
pub mod inbox;
pub mod labelled;
pub mod native;
pub mod out;
pub mod pair;
mod reader;
pub mod source;
mod split;
pub mod story;
mod strict;
mod warning;

pub use strict::check;
