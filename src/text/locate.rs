//! Where a quote stands in a passage, and how exactly. Knows nothing of verdicts: what a match is
//! worth is for the instrument.

use crate::domain::span::Span;
use crate::domain::verdict::MatchLevel;

/// Where a quote was found and how closely it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    /// The place in the passage as it was given; `None` exactly when `level` is `NotFound`.
    pub span: Option<Span>,
    pub level: MatchLevel,
}

impl Located {
    const NOWHERE: Self = Self { span: None, level: MatchLevel::NotFound };
}

/// A passage prepared for looking up many quotes.
#[derive(Debug)]
pub struct Haystack<'a> {
    content: &'a str,
}

impl<'a> Haystack<'a> {
    pub fn new(content: &'a str) -> Self {
        Self { content }
    }

    /// Where `quote` stands in the passage.
    pub fn locate(&self, quote: &str) -> Located {
        if quote.trim().is_empty() {
            return Located::NOWHERE;
        }
        match self.content.find(quote).and_then(|at| Span::new(self.content, at..at + quote.len())) {
            Some(span) => Located { span: Some(span), level: MatchLevel::Exact },
            None => Located::NOWHERE,
        }
    }
}

/// Where `quote` stands in `content`.
pub fn locate(content: &str, quote: &str) -> Located {
    Haystack::new(content).locate(quote)
}
