//! What the screen looks like in every state and size, cell by cell.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "screens/acts.rs"]
mod acts;
#[path = "screens/blind.rs"]
mod blind;
#[path = "screens/close.rs"]
mod close;
#[path = "screens/compare.rs"]
mod compare;
#[path = "screens/dashboard.rs"]
mod dashboard;
#[path = "screens/desk.rs"]
mod desk;
#[path = "screens/exchanges.rs"]
mod exchanges;
#[path = "screens/find.rs"]
mod find;
#[path = "screens/fixture.rs"]
mod fixture;
#[path = "screens/glance.rs"]
mod glance;
#[path = "screens/kinds.rs"]
mod kinds;
#[path = "screens/look.rs"]
mod look;
#[path = "screens/palette.rs"]
mod palette;
#[path = "screens/shape.rs"]
mod shape;
#[path = "screens/spans.rs"]
mod spans;
#[path = "screens/states.rs"]
mod states;
#[path = "screens/story.rs"]
mod story;
#[path = "screens/support.rs"]
mod support;
#[path = "screens/texts.rs"]
mod texts;
#[path = "screens/threads.rs"]
mod threads;
#[path = "screens/told.rs"]
mod told;
