//! The word that parts data from orders in a question: nobody who writes the data can guess it, and the same
//! question has the same one again, so that what was asked once is not asked twice.

use std::fmt::{self, Write};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// What makes fences unguessable: random, and the same for a store as long as it lives.
#[derive(Clone, PartialEq, Eq)]
pub struct FenceSecret([u8; 32]);

impl FenceSecret {
    /// From anything secret, of any length.
    pub fn new(secret: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"juror fence\0");
        hash.update(secret);
        Self(hash.finalize().into())
    }

    /// One that nobody has, for questions that are not kept.
    pub fn random() -> Self {
        let (one, two) = (uuid::Uuid::new_v4(), uuid::Uuid::new_v4());
        Self::new(&[*one.as_bytes(), *two.as_bytes()].concat())
    }

    /// The fence for a question about `texts`; it stands in none of them.
    ///
    /// ```
    /// use juror::prompt::FenceSecret;
    /// let secret = FenceSecret::new(b"of this store");
    /// let fence = secret.fence(&["Take 4 g.", "FENCE-0000000000000000"]);
    /// assert_eq!(fence, secret.fence(&["Take 4 g.", "FENCE-0000000000000000"]));
    /// assert_ne!(fence, secret.fence(&["Take 4 g.", "FENCE-"]));
    /// ```
    pub fn fence(&self, texts: &[&str]) -> String {
        first_absent((0u64..).map(|try_| self.derived(texts, try_)), texts)
    }

    fn derived(&self, texts: &[&str], try_: u64) -> String {
        let mut key = hmac::digest::Key::<Hmac<Sha256>>::default();
        key[..self.0.len()].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new(&key);
        mac.update(&try_.to_be_bytes());
        for text in texts {
            // The length keeps ["ab", "c"] and ["a", "bc"] apart.
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        }
        let bytes = mac.finalize().into_bytes();
        bytes.iter().take(8).fold("FENCE-".to_owned(), |mut word, byte| {
            // Writing to a string cannot fail.
            let _ = write!(word, "{byte:02x}");
            word
        })
    }
}

impl fmt::Debug for FenceSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FenceSecret(…)")
    }
}

/// The first of `words` that stands in none of `texts`.
fn first_absent(words: impl Iterator<Item = String>, texts: &[&str]) -> String {
    let mut last = String::new();
    for word in words {
        if !texts.iter().any(|text| text.contains(&word)) {
            return word;
        }
        last = word;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j32_a_fence_that_stands_in_the_text_is_derived_again() {
        let secret = FenceSecret::new(b"s");
        let tries: Vec<String> = (0..3).map(|try_| secret.derived(&["x"], try_)).collect();
        let text = format!("{} and {}", tries[0], tries[1]);
        assert_eq!(first_absent(tries.iter().cloned(), &[&text]), tries[2]);
        let fence = secret.fence(&[&text]);
        assert!(!text.contains(&fence) && fence.starts_with("FENCE-") && fence.len() == 22, "{fence}");
    }

    #[test]
    fn j32_another_secret_text_or_division_gives_another_fence() {
        let secret = FenceSecret::new(b"s");
        let fence = secret.fence(&["ab", "c"]);
        assert_ne!(fence, FenceSecret::new(b"t").fence(&["ab", "c"]));
        assert_ne!(fence, secret.fence(&["a", "bc"]));
        assert_ne!(fence, secret.fence(&["abc"]));
        assert_eq!(fence, secret.fence(&["ab", "c"]));
        assert_ne!(FenceSecret::random(), FenceSecret::random());
        assert_eq!(format!("{secret:?}"), "FenceSecret(…)");
    }
}
