//! The query language of the queue: which claims a person wants to see.
//!
//! `severity>=high verdict:contradicted age<2h note:* words "a phrase" -not`: every term must hold. A
//! [`Filter`] is what was meant, without a trace of how it is looked up; this module must not know SQL.
//! What [`Filter`] displays is read back as the same filter.

mod read;
mod term;
#[cfg(test)]
mod tests;

use std::fmt;

pub use read::{FilterError, MAX_QUERY, MAX_TERMS};
pub use term::{Comparison, Pattern, Review, Term, Test};

/// What to say where the judge was asked for and nothing was found: the bot may have been meant.
pub const JUDGE_NOT_BOT: &str =
    "model: is the judge's model and prompt: its prompt, bot: what made the answer";

/// Terms that must all hold; without any, every claim that is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    terms: Vec<Term>,
}

impl Filter {
    /// Every word of `text`, taken as it stands: nothing in it is syntax but quotation marks around a phrase.
    /// Words beyond [`MAX_TERMS`] are left out: every further one would only narrow what is found.
    pub fn of_words(text: &str) -> Self {
        let mut terms = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() && terms.len() < MAX_TERMS {
            let (pattern, length) = if let Some(phrase) = phrase(rest) {
                (Pattern { text: phrase.to_owned(), is_prefix: false }, phrase.len() + 2)
            } else {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                (Pattern::beginning(&rest[..end]), end)
            };
            terms.push(Term::is(Test::Words(pattern)));
            rest = rest[length..].trim_start();
        }
        Self { terms }
    }

    /// What is searched for, as it would be typed into a search.
    pub fn search(&self) -> String {
        let words = self.terms.iter().filter(|term| term.is_search());
        let typed = words.filter_map(|term| match &term.test {
            Test::Words(words) if words.is_prefix => Some(words.text.clone()),
            Test::Words(words) => Some(format!("\"{}\"", words.text)),
            _ => None,
        });
        typed.collect::<Vec<_>>().join(" ")
    }

    /// Every claim, also those that are decided or were never routed.
    pub fn everywhere() -> Self {
        Self { terms: vec![Term::is(Test::Is(Review::Any))] }
    }

    /// All of `terms` must hold.
    pub const fn of_terms(terms: Vec<Term>) -> Self {
        Self { terms }
    }

    /// Both must hold.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.terms.extend(other.terms);
        self
    }

    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The same with the words of `search` in the place of its own.
    #[must_use]
    pub fn searching(&self, search: Self) -> Self {
        let mut terms: Vec<Term> = self.terms.iter().filter(|term| !term.is_search()).cloned().collect();
        let room = MAX_TERMS.saturating_sub(terms.len());
        terms.extend(search.terms.into_iter().take(room));
        Self { terms }
    }

    /// Which claims the filter chooses from. Whoever asks for decisions means decided claims too; and so does whoever
    /// asks for flags: one stands until it is taken off, whatever was decided meanwhile.
    pub fn reviews(&self) -> Vec<Review> {
        let mut said = false;
        let mut left = Review::EVERY.to_vec();
        for term in &self.terms {
            if let Test::Is(wanted) = term.test {
                said = true;
                left.retain(|review| (wanted == Review::Any || *review == wanted) != term.negated);
            }
        }
        let about_decisions = self.terms.iter().any(|term| {
            matches!(term.test, Test::By(_) | Test::Reason(_) | Test::Answer(_) | Test::Overruled(_))
        });
        let about_flags =
            self.terms.iter().any(|term| matches!(term.test, Test::Flag(_) | Test::To(_)) && !term.negated);
        if !said && !about_decisions && !about_flags {
            left.retain(|review| *review == Review::Open);
        }
        left
    }
}

/// The phrase in quotation marks at the beginning of `text`, if there is one.
fn phrase(text: &str) -> Option<&str> {
    let (phrase, rest) = text.strip_prefix('"')?.split_once('"')?;
    let ends = rest.chars().next().is_none_or(char::is_whitespace);
    (ends && !phrase.trim().is_empty()).then_some(phrase)
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, term) in self.terms.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}
