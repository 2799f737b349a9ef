//! One term of a filter, and how it is written.

use std::fmt;
use std::time::Duration;

use crate::domain::decision::{Disposition, HumanVerdict, ReasonCode};
use crate::domain::finding::AuditState;
use crate::domain::record::RiskLevel;
use crate::domain::verdict::{Severity, Verdict, labels};

labels! {
    /// How far people are with a claim.
    Review: "state of review" {
        /// It waits for a person.
        Open = "OPEN",
        /// Nobody has decided it, but its whole answer is blocked: it waits for nobody.
        Blocked = "BLOCKED",
        /// Somebody's decision stands.
        Decided = "DECIDED",
        /// The audit sent it to nobody.
        Unrouted = "UNROUTED",
        Any = "ANY" | "ALL",
    }
}

impl Review {
    /// The kinds of claims, in the order in which they are listed.
    pub const EVERY: [Self; 4] = [Self::Open, Self::Blocked, Self::Decided, Self::Unrouted];
}

/// Something that must be so, or must not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub negated: bool,
    pub test: Test,
}

impl Term {
    pub fn is(test: Test) -> Self {
        Self { negated: false, test }
    }

    /// Whether it is what a search looks for.
    pub(super) fn is_search(&self) -> bool {
        matches!(self.test, Test::Words(_)) && !self.negated
    }
}

/// What can be asked of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// The severity that people gave where they decided it, else that by which it is ranked; `None` is written `none`.
    Severity(Comparison, Option<Severity>),
    /// The verdict of people where they decided it, else of the judge, where a quote that stands in the evidence grounds
    /// it.
    Verdict(HumanVerdict),
    /// The judge's verdict, grounded so, whatever people decided.
    Judged(Verdict),
    State(AuditState),
    /// The risk of its record; unknown counts as MEDIUM.
    Risk(Comparison, RiskLevel),
    /// The judge's confidence in thousandths, rounded.
    Confidence(Comparison, u16),
    /// Time since the audit, in whole seconds.
    Age(Comparison, Duration),
    Model(Pattern),
    /// The version of the prompt, or of the local judge's rules.
    Prompt(Pattern),
    Judge(Pattern),
    /// The audit id of its record; capitals count.
    Audit(Pattern),
    /// Who decided on it.
    By(Pattern),
    /// Who flagged it.
    Flag(Pattern),
    /// To whom it was escalated.
    To(Pattern),
    /// Who deferred it until a time that is still to come.
    Deferred(Pattern),
    /// Whose word on it, or on its answer, somebody else's stands against or in place of.
    Overruled(Pattern),
    /// Who began something on it and has not finished it.
    Draft(Pattern),
    /// A note with this in it.
    Note(Pattern),
    /// The reason of a decision; `None` is any.
    Reason(Option<ReasonCode>),
    /// What was decided about its whole answer; `None` is anything.
    Answer(Option<Disposition>),
    /// What made its answer, as the record's metadata name it: the model, or the version of model or prompt.
    Bot(Pattern),
    Is(Review),
    /// People disagree on it, and nobody has settled it.
    Disputed,
    /// Words in the claim, its answer, or a note on it.
    Words(Pattern),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Is,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Comparison {
    /// As it is written, longer signs before their beginnings.
    pub(super) const SIGNS: [(&str, Self); 6] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("<", Self::Less),
        (">", Self::More),
        (":", Self::Is),
        ("=", Self::Is),
    ];

    const fn sign(self) -> &'static str {
        match self {
            Self::Is => ":",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Whether `a` stands so to `b`.
    pub fn holds<T: Ord>(self, a: &T, b: &T) -> bool {
        match self {
            Self::Is => a == b,
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::More => a > b,
            Self::AtLeast => a >= b,
        }
    }
}

/// A text, or how one begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    pub text: String,
    /// Whether more may follow.
    pub is_prefix: bool,
}

impl Pattern {
    /// Whatever begins with `text`.
    pub fn beginning(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_prefix: true }
    }

    /// Whether every text fits: `*`.
    pub fn is_any(&self) -> bool {
        self.is_prefix && self.text.is_empty()
    }

    /// Whether `name` fits, capitals or not.
    pub fn fits(&self, name: &str) -> bool {
        let (name, text) = (name.to_lowercase(), self.text.to_lowercase());
        if self.is_prefix { name.starts_with(&text) } else { name == text }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, needs_quotes: bool) -> fmt::Result {
        if !needs_quotes {
            return f.write_str(&self.text);
        }
        f.write_str("\"")?;
        for c in self.text.chars() {
            if matches!(c, '"' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        f.write_str("\"")
    }
}

/// The value of a field: `gpt*`, `"two words"`.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_odd = |c: char| c.is_whitespace() || matches!(c, '"' | '*' | '\\');
        let needs_quotes = self.text.contains(is_odd) || (self.text.is_empty() && !self.is_prefix);
        self.write(f, needs_quotes)?;
        if self.is_prefix { f.write_str("*") } else { Ok(()) }
    }
}

/// Units of an age, the longest first, in seconds.
pub(super) const UNITS: [(char, u64); 5] = [('w', 604_800), ('d', 86_400), ('h', 3600), ('m', 60), ('s', 1)];

fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    let fits = UNITS.into_iter().find(|(_, unit)| seconds >= *unit && seconds.is_multiple_of(*unit));
    let (letter, unit) = fits.unwrap_or(('s', 1));
    format!("{}{letter}", seconds / unit)
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            f.write_str("-")?;
        }
        let label = |label: &str| label.to_lowercase();
        match &self.test {
            Test::Severity(how, None) => write!(f, "severity{}none", how.sign()),
            Test::Severity(how, Some(severity)) => {
                write!(f, "severity{}{}", how.sign(), label(severity.label()))
            }
            Test::Verdict(verdict) => write!(f, "verdict:{}", label(verdict.label())),
            Test::Judged(verdict) => write!(f, "judged:{}", label(verdict.label())),
            Test::State(state) => write!(f, "state:{}", label(state.label())),
            Test::Risk(how, risk) => write!(f, "risk{}{}", how.sign(), label(risk.label())),
            Test::Confidence(how, thousandths) => {
                let written = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
                let short = written.trim_end_matches('0').trim_end_matches('.');
                write!(f, "confidence{}{short}", how.sign())
            }
            Test::Age(how, time) => write!(f, "age{}{}", how.sign(), age(*time)),
            Test::Model(name) => write!(f, "model:{name}"),
            Test::Prompt(name) => write!(f, "prompt:{name}"),
            Test::Judge(name) => write!(f, "judge:{name}"),
            Test::Audit(name) => write!(f, "id:{name}"),
            Test::By(name) => write!(f, "by:{name}"),
            Test::Flag(name) => write!(f, "flag:{name}"),
            Test::To(name) => write!(f, "to:{name}"),
            Test::Deferred(name) => write!(f, "deferred:{name}"),
            Test::Overruled(name) => write!(f, "overruled:{name}"),
            Test::Draft(name) => write!(f, "draft:{name}"),
            Test::Note(words) => write!(f, "note:{words}"),
            Test::Reason(None) => f.write_str("reason:*"),
            Test::Reason(Some(code)) => write!(f, "reason:{}", label(code.label())),
            Test::Answer(None) => f.write_str("answer:*"),
            Test::Answer(Some(disposition)) => write!(f, "answer:{}", disposition.done()),
            Test::Bot(name) => write!(f, "bot:{name}"),
            Test::Is(review) => write!(f, "is:{}", label(review.label())),
            Test::Disputed => f.write_str("is:disputed"),
            Test::Words(words) => {
                let is_bare = words.is_prefix && super::read::is_bare_word(&words.text);
                words.write(f, !is_bare)?;
                if words.is_prefix && !is_bare { f.write_str("*") } else { Ok(()) }
            }
        }
    }
}
