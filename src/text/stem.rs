//! Folding and stemming: when two spellings are the same word.
//!
//! Folding takes away case, accents and width; stemming also takes away the ending. Both are blunt on
//! purpose: they compare a claim with its evidence and are never shown.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::lexicon::IRREGULAR;

/// A word without its ending, as a number: equal stems mean the same word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stem(u64);

impl Stem {
    /// The stem that stands for exactly these letters (64-bit FNV-1a).
    fn of(letters: &str) -> Self {
        let hash = letters.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(hash)
    }
}

/// Whether the kana voicing marks are part of `c`, so that decomposing it would change the word.
fn is_kana(c: char) -> bool {
    ('\u{3040}'..='\u{30ff}').contains(&c)
}

/// Lower case, without accents, compatibility forms and joiners; digits of every script as 0–9.
pub fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(word.len());
    for c in word.nfkc() {
        match c {
            '\u{2018}' | '\u{2019}' | '\u{02bc}' => out.push('\''),
            '\u{200c}' | '\u{200d}' | '\u{0640}' | '\u{00ad}' => {}
            'ي' | 'ى' => out.push('ی'),
            'ك' => out.push('ک'),
            'أ' | 'إ' | 'آ' => out.push('ا'),
            'ة' | 'ۀ' => out.push('ه'),
            c if is_kana(c) => out.push(c),
            c => {
                for base in c.nfd().filter(|part| !is_combining_mark(*part)) {
                    match digit(base) {
                        Some(value) => out.extend(char::from_digit(value, 10)),
                        None => out.extend(base.to_lowercase()),
                    }
                }
            }
        }
    }
    out
}

/// The value of a decimal digit of the scripts that the program reads numbers in.
pub fn digit(c: char) -> Option<u32> {
    let zero = match c {
        '0'..='9' => '0',
        '\u{0660}'..='\u{0669}' => '\u{0660}',
        '\u{06f0}'..='\u{06f9}' => '\u{06f0}',
        '\u{0966}'..='\u{096f}' => '\u{0966}',
        '\u{09e6}'..='\u{09ef}' => '\u{09e6}',
        '\u{0e50}'..='\u{0e59}' => '\u{0e50}',
        '\u{ff10}'..='\u{ff19}' => '\u{ff10}',
        _ => return None,
    };
    Some(c as u32 - zero as u32)
}

/// The stem of a folded word.
pub fn stem(folded: &str) -> Stem {
    let word = folded.strip_suffix("'s").unwrap_or(folded).trim_end_matches('\'');
    if word.is_ascii() {
        let base = IRREGULAR.get(word).copied().unwrap_or(word);
        return Stem::of(english(base));
    }
    let persian = ["هایی", "های", "ها"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|rest| rest.chars().count() >= 2));
    Stem::of(persian.unwrap_or(word))
}

/// The word up to number, tense and case: disclose is disclosed, but not discloser. Finer than [`stem`].
pub fn form(folded: &str) -> Stem {
    let word = folded.strip_suffix("'s").unwrap_or(folded).trim_end_matches('\'');
    let base = IRREGULAR.get(word).copied().unwrap_or(word);
    if !base.is_ascii() || base.len() <= 3 {
        return Stem::of(base);
    }
    let bare = inflection(base);
    if bare.len() <= 3 {
        return Stem::of(bare);
    }
    let silent = bare.strip_suffix('e').unwrap_or(bare);
    Stem::of(undouble(silent.strip_suffix(['y', 'i']).unwrap_or(silent)))
}

/// Takes English endings off, inflection first, then derivation.
fn english(word: &str) -> &str {
    if word.len() <= 3 || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word;
    }
    let inflected = inflection(word);
    // As the word itself: `pays` is `pay`, of which nothing is taken off.
    if inflected.len() <= 3 {
        return inflected;
    }
    let derived = derivation(inflected);
    let silent = derived.strip_suffix('e').unwrap_or(derived);
    undouble(silent.strip_suffix(['y', 'i']).unwrap_or(silent))
}

fn cut<'w>(word: &'w str, ending: &str, least: usize) -> Option<&'w str> {
    word.strip_suffix(ending)
        .filter(|rest| rest.len() >= least && rest.bytes().any(|byte| b"aeiouy".contains(&byte)))
}

fn inflection(word: &str) -> &str {
    let singular = if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        word
    } else {
        cut(word, "s", 3).unwrap_or(word)
    };
    cut(singular, "ing", 3).or_else(|| cut(singular, "ed", 3)).unwrap_or(singular)
}

fn derivation(word: &str) -> &str {
    const ENDINGS: &[&str] = &[
        "ization", "fulness", "iveness", "ation", "ingly", "edly", "ically", "ment", "ness", "ably", "ibly",
        "able", "ible", "ance", "ence", "ally", "ion", "ity", "ive", "ize", "ise", "ate", "ory", "ant",
        "ent", "ous", "ful", "ism", "ist", "ic", "al", "ly", "or", "er",
    ];
    ENDINGS.iter().find_map(|ending| cut(word, ending, 4)).unwrap_or(word)
}

/// `stopp` is `stop`.
fn undouble(word: &str) -> &str {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && !b"ls".contains(a) && word.len() > 3 => &word[..word.len() - 1],
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        stem(&fold(a)) == stem(&fold(b))
    }

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for (a, b) in [
            ("dose", "doses"),
            ("Patients", "patient"),
            ("inhibits", "inhibition"),
            ("inhibited", "inhibitor"),
            ("reduces", "reduced"),
            ("stopped", "stopping"),
            ("studies", "study"),
            ("pays", "pay"),
            ("days", "day"),
            ("fees", "fee"),
            ("says", "said"),
            ("buys", "bought"),
            ("uses", "use"),
            ("used", "using"),
            ("tries", "try"),
            ("dried", "dry"),
            ("owes", "owe"),
            ("owned", "own"),
            ("wrote", "written"),
            ("women", "woman"),
            ("café", "CAFE"),
            ("patient's", "patient"),
            ("patient’s", "patients"),
            ("کتاب‌های", "كتاب"),
            ("ＡＢＣ", "abc"),
            ("۱۲", "12"),
        ] {
            assert!(same(a, b), "{a} and {b}");
        }
    }

    #[test]
    fn different_words_keep_different_stems() {
        for (a, b) in [
            ("increase", "decrease"),
            ("tenant", "landlord"),
            ("IL-2", "IL-6"),
            ("p53", "p63"),
            ("general", "genes"),
            ("pay", "pan"),
            ("use", "us"),
            ("day", "date"),
            ("か", "が"),
        ] {
            assert!(!same(a, b), "{a} and {b}");
        }
    }
}
