//! Hands a text to the clipboard of the terminal that the person sits at, also through ssh: OSC 52.
//!
//! The terminal says nothing back, and one that does not know the sequence passes over it.

/// Bytes of a text that is handed over, at most: many terminals take no more than 74,994 bytes of base64 and pass over
/// a longer sequence as a whole.
pub const LARGEST: usize = 74_994 / 4 * 3;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What the terminal is sent. Whatever `text` holds, between the sequence's two ends stands base64 alone.
pub(super) fn sequence(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", base64(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    let mut encoded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for at in 0..4 {
            // One byte takes two letters, two take three.
            let letter = ALPHABET.get(((bits >> (18 - 6 * at)) & 63) as usize).filter(|_| at <= chunk.len());
            encoded.push(letter.map_or('=', |letter| char::from(*letter)));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_standard() {
        for (text, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
            ("8 g ≠ 4 g", "OCBnIOKJoCA0IGc="),
        ] {
            assert_eq!(sequence(text), format!("\x1b]52;c;{encoded}\x07"));
        }
        assert_eq!(base64(&vec![0; LARGEST]).len(), 74_992);
    }

    proptest! {
        #[test]
        fn no_text_ends_the_sequence_early_or_gets_through_as_it_is(text in "\\PC*|[\\x00-\\x1f\\x7f-\\u{9f}]{0,40}") {
            let sent = sequence(&text);
            let inside = &sent["\x1b]52;c;".len()..sent.len() - 1];
            prop_assert!(inside.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
            prop_assert_eq!(inside.len(), text.len().div_ceil(3) * 4);
        }
    }
}
