//! A share that somebody typed, and words that say how many there are.

use std::fmt;
use std::str::FromStr;

/// A share from 0 to 1, as it was typed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share(f64);

/// Shares that are the same but for the last digit of their arithmetic are the same.
const ROUNDING: f64 = 1e-9;

impl Share {
    pub(super) const fn get(self) -> f64 {
        self.0
    }

    /// Whether `share` is no less.
    pub(super) fn is_reached_by(self, share: f64) -> bool {
        share + ROUNDING >= self.0
    }

    /// Whether `part` of `whole` is no less; of nothing, nothing is missing.
    pub(super) fn is_reached(self, part: u64, whole: u64) -> bool {
        whole == 0 || self.is_reached_by(part as f64 / whole as f64)
    }

    /// Whether `share` is more.
    pub(super) fn is_passed_by(self, share: f64) -> bool {
        share > self.0 + ROUNDING
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
        share.map(Self).ok_or_else(|| "use a share from 0 to 1, 0.05 for 5 %".to_owned())
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The word with a capital letter before it.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(text: &str) -> Share {
        text.parse().unwrap()
    }

    #[test]
    fn a_share_is_from_0_to_1() {
        assert_eq!("0.05".parse::<Share>().map(|share| share.to_string()), Ok("0.05".to_owned()));
        for text in ["5", "1.1", "-0.1", "NaN", "5%"] {
            assert!(text.parse::<Share>().unwrap_err().contains("0.05 for 5 %"), "{text}");
        }
    }

    #[test]
    fn a_share_that_is_just_reached_is_reached() {
        assert!(share("0.55").is_reached(55, 100) && !share("0.55").is_reached(54, 100));
        assert!(share("1").is_reached(1000, 1000) && !share("1").is_reached(999, 1000));
        assert!(share("0.9").is_reached(9, 10) && !share("0.9").is_reached(8, 10));
        assert!(share("1").is_reached(0, 0));
        assert!(!share("0.05").is_passed_by(0.3 - 0.25) && share("0.05").is_passed_by(0.0501));
    }
}
