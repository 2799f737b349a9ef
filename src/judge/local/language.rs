//! Whether a claim is in the language that most of the word lists speak.
//!
//! It tells English from everything else, and no other languages from each other.

use crate::text::compare::Reading;
use crate::text::script::{Script, dominant_script};

const ENGLISH: &[&str] = &[
    "the", "of", "and", "is", "was", "to", "for", "that", "with", "by", "are", "were", "be", "has", "have",
    "from", "or", "it", "not", "can", "may", "must", "shall", "this", "which", "been", "their", "its", "had",
];
const OTHER_LATIN: &[&str] = &[
    "yang", "dan", "di", "ke", "dari", "untuk", "dengan", "pada", "adalah", "ini", "itu", "atau", "juga",
    "oleh", "dalam", "akan", "tidak", "bukan", "sebagai", "karena", "ada", "bisa", "dapat", "telah", "sudah",
    "seorang", "sebuah", "el", "los", "las", "una", "del", "que", "por", "con", "les", "une", "est", "dans",
    "pour", "der", "das", "und", "ist", "von", "den", "dem", "ein", "eine", "nicht",
];

/// Whether the claim is in English; a claim in Latin letters that shows no other language counts as English.
pub(super) fn is_english(claim: &Reading<'_>) -> bool {
    let in_list =
        |list: &[&str]| claim.tokens().iter().filter(|token| list.contains(&&*token.folded)).count();
    dominant_script(claim.text()).is_none_or(|script| script == Script::Latin)
        && in_list(ENGLISH) >= in_list(OTHER_LATIN)
}
