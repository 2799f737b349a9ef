//! Why a claim stands where it stands, as the screen tells it.
//!
//! Must not know how the order comes about.

use crate::domain::priority::Factor;

/// Why a claim stands where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyHere {
    pub id: String,
    pub factors: Vec<Factor>,
    /// How many stand before it in the person's own queue, where that is known.
    pub before: Option<usize>,
}
