//! The pieces that screens are made of. Each draws into a buffer from plain values and a theme.
//!
//! All text passes through [`glyph`], so no control character, no ESC and no direction override ever
//! reaches a cell. Widgets must not know the state of the program.

pub mod badge;
pub mod bar;
pub mod figure;
pub mod glyph;
pub mod menu;
pub mod overview;
pub mod panel;
pub mod passage;
pub mod phrase;
pub mod progress;
pub mod text_box;
