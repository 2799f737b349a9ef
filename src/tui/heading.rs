//! The headings under which help lists commands, and where their keys have the meaning that is told there.

use super::command::{Command, Place};

/// Under which heading help lists a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Decide,
    Move,
    Read,
    Session,
    Screens,
    Dialog,
    Spans,
    Shape,
    Note,
    Line,
    Palette,
    Exchanges,
    Story,
    Help,
}

impl Group {
    pub const ALL: [Self; 14] = [
        Self::Decide,
        Self::Move,
        Self::Read,
        Self::Session,
        Self::Screens,
        Self::Dialog,
        Self::Spans,
        Self::Shape,
        Self::Note,
        Self::Line,
        Self::Palette,
        Self::Exchanges,
        Self::Story,
        Self::Help,
    ];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Decide => "Decide",
            Self::Move => "Move",
            Self::Read => "Read",
            Self::Session => "Session",
            Self::Screens => "On the screens beside the queue",
            Self::Dialog => "In menus and questions",
            Self::Spans => "While evidence is chosen",
            Self::Shape => "While a claim is added, split or merged",
            Self::Note => "In a note",
            Self::Line => "In a filter, a search or another line",
            Self::Palette => "In the command palette",
            Self::Exchanges => "In the log of exchanges",
            Self::Story => "In the story of a claim",
            Self::Help => "On the help page",
        }
    }

    /// Where the keys of this heading have the meaning that it tells.
    pub const fn places(self) -> &'static [Place] {
        match self {
            Self::Decide => &[Place::Review, Place::Score],
            Self::Move | Self::Read | Self::Session => &[Place::Review],
            Self::Dialog => {
                &[Place::OverrideMenu, Place::Many, Place::Why, Place::Reason, Place::Disposition]
            }
            Self::Screens => &[Place::Screen],
            Self::Spans => &[Place::Spans],
            Self::Shape => &[Place::NewClaim, Place::Split, Place::Merge],
            Self::Note => &[Place::Note],
            Self::Line => &[Place::Line, Place::Ask, Place::Words],
            Self::Palette => &[Place::Palette],
            Self::Exchanges => &[Place::Exchanges],
            Self::Story => &[Place::Story],
            Self::Help => &[Place::Help],
        }
    }

    /// Whether help lists `command` under this heading: its own one, and those of the other screens, the help page, the palette, the
    /// log of exchanges and the choice of evidence for everything that is done there.
    pub fn lists(self, command: Command) -> bool {
        let row = command.row();
        let is_whole = matches!(
            self,
            Self::Screens
                | Self::Help
                | Self::Palette
                | Self::Exchanges
                | Self::Story
                | Self::Spans
                | Self::Shape
        );
        row.group == self || (is_whole && self.places().iter().any(|place| row.places.contains(place)))
    }
}
