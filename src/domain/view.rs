//! Views of the queue: a filter under a name, those that everybody has and those that a person saved.
//!
//! A view must not know how many claims are in it, nor where it is kept.

use super::decision::HumanVerdict;
use super::filter::{Comparison, Filter, Pattern, Term, Test};
use super::finding::AuditState;
use super::ids::Annotator;
use super::verdict::Severity;

/// Views that a person may have saved at a time.
pub const MOST_OWN: usize = 20;
/// Characters of a name.
pub const LONGEST_NAME: usize = 24;

/// A filter under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub name: String,
    pub filter: Filter,
    /// Whether the person saved it, and may remove it.
    pub is_own: bool,
}

impl View {
    /// The views that everybody has, as `annotator` sees them. The first one is the whole queue.
    pub fn shipped(annotator: &Annotator) -> Vec<Self> {
        let me = || Pattern { text: annotator.as_str().to_owned(), is_prefix: false };
        let one = |test| Filter::of_terms(vec![Term::is(test)]);
        let is_not = |state| Term { negated: true, test: Test::State(state) };
        let no_verdict = Filter::of_terms(vec![is_not(AuditState::Judged), is_not(AuditState::Ungrounded)]);
        [
            ("All open", Filter::default()),
            ("Critical", one(Test::Severity(Comparison::Is, Some(Severity::Critical)))),
            ("Contradicted", one(Test::Verdict(HumanVerdict::Contradicted))),
            ("No verdict", no_verdict),
            ("Deferred", one(Test::Deferred(me()))),
            ("Flagged", one(Test::Flag(Pattern::beginning("")))),
            ("To me", one(Test::To(me()))),
            ("Disputes", one(Test::Disputed)),
        ]
        .into_iter()
        .map(|(name, filter)| Self { name: name.to_owned(), filter, is_own: false })
        .collect()
    }

    /// The view of `name` among `views`; capitals do not count.
    pub fn named<'a>(views: &'a [Self], name: &str) -> Option<&'a Self> {
        views.iter().find(|view| is_same_name(&view.name, name))
    }
}

/// Whether two names mean the same view: capitals and blanks around do not count.
pub fn is_same_name(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

/// Why a view cannot have a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("a view needs a name")]
    Empty,
    #[error("a view's name has at most {LONGEST_NAME} characters, and this has {0}")]
    TooLong(usize),
    #[error("a view's name is one line of visible characters")]
    Unseen,
    #[error("`{0}` is a view that everybody has: take another name")]
    Shipped(String),
}

/// `name` as an own view may have it, without blanks around it.
pub fn own_name(name: &str) -> Result<String, NameError> {
    let name = name.trim();
    let length = name.chars().count();
    if length == 0 {
        return Err(NameError::Empty);
    }
    if length > LONGEST_NAME {
        return Err(NameError::TooLong(length));
    }
    if name.chars().any(char::is_control) {
        return Err(NameError::Unseen);
    }
    match View::named(&View::shipped(&Annotator::new("")), name) {
        Some(view) => Err(NameError::Shipped(view.name.clone())),
        None => Ok(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_view_can_be_typed_as_a_filter() {
        for view in View::shipped(&Annotator::new("ann o'hara")) {
            assert_eq!(view.filter.to_string().parse(), Ok(view.filter), "{}", view.name);
        }
    }

    #[test]
    fn an_own_view_has_a_name_that_nothing_else_has_and_that_fits_a_tab() {
        assert_eq!(own_name("  night shift "), Ok("night shift".to_owned()));
        assert_eq!(own_name(" "), Err(NameError::Empty));
        assert_eq!(own_name("critical"), Err(NameError::Shipped("Critical".to_owned())));
        assert_eq!(own_name("a\tb"), Err(NameError::Unseen));
        assert_eq!(own_name(&"x".repeat(25)), Err(NameError::TooLong(25)));
    }
}
