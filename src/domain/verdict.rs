//! What a judge may say of a claim, and how much it matters.

use serde::{Deserialize, Serialize};

use super::ids::PassageId;
use super::span::Span;

/// An enum with one written label a variant. Labels are read leniently (case, hyphens and spaces
/// do not matter, and the listed aliases are accepted) and written strictly.
macro_rules! labels {
    (
        $(#[$meta:meta])*
        $name:ident: $what:literal { $($(#[$vmeta:meta])* $variant:ident = $label:literal $(| $alias:literal)*),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// Every variant, in the order of the definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The written label.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.label())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::domain::verdict::UnknownLabel;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let folded: String = text
                    .trim()
                    .chars()
                    .map(|c| if c == '-' || c == ' ' { '_' } else { c.to_ascii_uppercase() })
                    .collect();
                $(if folded.eq_ignore_ascii_case($label) $(|| folded == $alias)* { return Ok(Self::$variant); })+
                Err($crate::domain::verdict::UnknownLabel { what: $what, found: $crate::domain::verdict::quoted(text), allowed: &[$($label),+] })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.label())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use labels;

/// The beginning of a text that should have been a label: enough to find it by.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A label that stands in no table. Never guessed at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not a {what}: use one of {}", allowed.join(", "))]
pub struct UnknownLabel {
    pub what: &'static str,
    /// At most 200 characters of it.
    pub found: String,
    pub allowed: &'static [&'static str],
}

labels! {
    /// What the evidence says of the claim, best first.
    Verdict: "verdict" {
        FullySupported = "FULLY_SUPPORTED" | "SUPPORTED" | "FULLY",
        PartiallySupported = "PARTIALLY_SUPPORTED" | "PARTIAL" | "PARTIALLY" | "PARTLY_SUPPORTED",
        Unsupported = "UNSUPPORTED" | "NOT_SUPPORTED",
        Contradicted = "CONTRADICTED" | "REFUTED",
    }
}

labels! {
    /// How bad it is when the claim is wrong.
    Severity: "severity" {
        /// Imprecise, or out of scope.
        Low = "LOW",
        /// A distortion that changes the meaning.
        Medium = "MEDIUM" | "MED",
        /// Fabricated numbers, names, dates or statistics.
        High = "HIGH",
        /// A contradicted safety, legal or medical fact.
        Critical = "CRITICAL" | "CRIT",
    }
}

labels! {
    /// In which way the claim departs from its evidence.
    HallucinationType: "hallucination type" {
        Fabrication = "FABRICATION",
        Distortion = "DISTORTION",
        OmissionAsFact = "OMISSION_AS_FACT" | "OMISSION",
        CitationError = "CITATION_ERROR" | "CITATION",
    }
}

labels! {
    /// Why there is no verdict. None of these is ever counted in a rate.
    NoVerdict: "state" {
        /// The evidence is empty or useless for this answer.
        InsufficientEvidence = "INSUFFICIENT_EVIDENCE",
        /// The judge could not look at this text: a script it cannot segment, or too long.
        NotChecked = "NOT_CHECKED",
        /// The answer holds nothing that could be checked.
        NoClaims = "NO_CLAIMS",
        /// The judge left this claim out of its reply.
        Incomplete = "INCOMPLETE",
        /// The judge declined to answer.
        Refused = "REFUSED",
        /// The judge answered with nothing.
        Empty = "EMPTY",
        /// The judge could not be reached or its reply could not be read.
        Failed = "FAILED",
        /// A person made the claim: no judge has looked at it.
        Added = "ADDED",
    }
}

labels! {
    /// What a cited span does to the claim.
    Role: "role" {
        Supports = "supports",
        Contradicts = "contradicts",
        /// What comes nearest to an unsupported claim without bearing it out. It grounds nothing.
        Closest = "closest",
    }
}

labels! {
    /// How a quote was found in its passage. Only the first two ground a verdict.
    MatchLevel: "match level" {
        Exact = "EXACT",
        Normalized = "NORMALIZED",
        Fuzzy = "FUZZY",
        NotFound = "NOT_FOUND",
    }
}

/// A piece of evidence that a judge names for its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    pub passage_id: PassageId,
    /// Where the quote stands in the passage's content; `None` exactly when `level` is `NotFound`.
    pub span: Option<Span>,
    /// The quote as the judge gave it.
    pub quote: String,
    pub role: Role,
    pub level: MatchLevel,
}

impl Citation {
    /// Whether the quote really stands in the passage, letter for letter or after normalisation, and speaks
    /// for the verdict: what is only closest grounds nothing.
    pub fn is_grounded(&self) -> bool {
        self.role != Role::Closest
            && self.span.is_some()
            && matches!(self.level, MatchLevel::Exact | MatchLevel::Normalized)
    }
}

/// A probability between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Probability(f64);

impl Probability {
    /// `None` when `value` is not a number from 0 to 1.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// The nearest probability; not-a-number becomes 0.
    pub fn clamped(value: f64) -> Self {
        Self(if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) })
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

/// A support score from 1 (no support, or contradicts) to 5 (directly supports).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Score(u8);

impl From<Score> for u8 {
    fn from(score: Score) -> Self {
        score.0
    }
}

impl TryFrom<u8> for Score {
    type Error = String;

    fn try_from(value: u8) -> Result<Self, Self::Error> {
        Self::new(value).ok_or_else(|| format!("a score is a whole number from 1 to 5, not {value}"))
    }
}

impl Score {
    pub fn new(value: u8) -> Option<Self> {
        (1..=5).contains(&value).then_some(Self(value))
    }

    pub fn get(self) -> u8 {
        self.0
    }

    /// Every score, best first.
    pub const ALL: [Self; 5] = [Self(5), Self(4), Self(3), Self(2), Self(1)];

    /// What a score says of the claim, for whatever counts, orders and filters by verdict:
    ///
    /// | score | verdict |
    /// |---|---|
    /// | 5, 4 | `FULLY_SUPPORTED` |
    /// | 3 | `PARTIALLY_SUPPORTED` |
    /// | 2, 1 | `UNSUPPORTED` |
    ///
    /// Never `CONTRADICTED`: a 1 does not tell silence from contradiction.
    pub const fn verdict(self) -> Verdict {
        match self.0 {
            4.. => Verdict::FullySupported,
            3 => Verdict::PartiallySupported,
            _ => Verdict::Unsupported,
        }
    }

    /// The level's name, as it stands in `support_level`.
    pub fn level(self) -> &'static str {
        match self.0 {
            5 => "Directly Supports",
            4 => "Strongly Implies",
            3 => "Partially Supports",
            2 => "Weakly Related",
            _ => "No Support / Contradicts",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_leniently_and_written_strictly() {
        for text in ["fully_supported", "Fully-Supported", "SUPPORTED", " fully supported "] {
            assert_eq!(text.parse::<Verdict>().unwrap(), Verdict::FullySupported, "{text}");
        }
        assert_eq!(serde_json::to_string(&Verdict::FullySupported).unwrap(), "\"FULLY_SUPPORTED\"");
    }

    #[test]
    fn j20_a_label_inside_a_sentence_is_an_error_and_never_a_guess() {
        let error = "not a contradiction".parse::<Verdict>().unwrap_err();
        assert!(error.to_string().contains("use one of FULLY_SUPPORTED"), "{error}");
        assert!("maybe".parse::<Severity>().is_err());
    }

    #[test]
    fn j22_a_probability_is_a_number_between_0_and_1() {
        assert!(Probability::new(f64::NAN).is_none());
        assert!(Probability::new(1.1).is_none());
        assert!((Probability::clamped(f64::INFINITY).get() - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn what_is_only_closest_grounds_nothing() {
        let content = "The dose is 4 g.";
        let cited = |role| Citation {
            passage_id: PassageId::new("p"),
            span: Span::new(content, 0..content.len()),
            quote: content.into(),
            role,
            level: MatchLevel::Exact,
        };
        assert!(cited(Role::Supports).is_grounded() && cited(Role::Contradicts).is_grounded());
        assert!(!cited(Role::Closest).is_grounded());
    }

    #[test]
    fn j16_a_score_is_1_to_5() {
        assert!(Score::new(0).is_none() && Score::new(6).is_none());
        assert_eq!(Score::new(4).map(Score::level), Some("Strongly Implies"));
        assert!(serde_json::from_str::<Score>("6").is_err() && serde_json::from_str::<Score>("4.5").is_err());
        assert_eq!(serde_json::to_string(&Score::ALL).unwrap(), "[5,4,3,2,1]");
    }

    #[test]
    fn a_score_stands_for_a_verdict_and_never_for_a_contradiction() {
        use Verdict::{FullySupported, PartiallySupported, Unsupported};
        let verdicts = [FullySupported, FullySupported, PartiallySupported, Unsupported, Unsupported];
        assert_eq!(Score::ALL.map(Score::verdict), verdicts);
    }

    #[test]
    fn roles_are_written_in_lower_case_and_read_in_any() {
        for (written, role) in
            [("supports", Role::Supports), ("contradicts", Role::Contradicts), ("closest", Role::Closest)]
        {
            assert_eq!(serde_json::to_value(role).unwrap(), written);
            for read in [written.to_owned(), written.to_uppercase(), format!(" {written} ")] {
                assert_eq!(read.parse(), Ok(role), "{read}");
            }
        }
    }
}
