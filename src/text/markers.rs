//! Marks in a text that cite passages: `[1]`, `[p2]`, `[1, 3]`, `[2-4]`. Knows their form, not what they name.

use std::ops::Range;

/// A number with more digits is a year or a count, not a place in a list.
const MOST_DIGITS: usize = 3;
/// More passages are not cited by one range.
const LONGEST_RANGE: usize = 50;

/// One pair of brackets that cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// Where it stands, in bytes, brackets included.
    pub range: Range<usize>,
    /// What it names, in order: numbers, or ids that `is_name` knows.
    pub names: Vec<String>,
}

/// The marks of `text` in order. Brackets in which anything else stands than numbers and names that `is_name` knows are
/// no marks.
pub fn markers(text: &str, is_name: impl Fn(&str) -> bool) -> Vec<Marker> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('[').map(|at| from + at) {
        let Some(close) = text[open..].find([']', '\n']).map(|at| open + at) else { break };
        let inside = &text[open + 1..close];
        // Of nested brackets the inner ones may cite.
        if let Some(inner) = inside.rfind('[') {
            from = open + 1 + inner;
            continue;
        }
        from = close + 1;
        if text.as_bytes()[close] == b']'
            && let Some(names) = names(inside, &is_name)
        {
            found.push(Marker { range: open..close + 1, names });
        }
    }
    found
}

fn names(inside: &str, is_name: &impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let whole = inside.trim();
    if is_name(whole) {
        return Some(vec![whole.to_owned()]);
    }
    let mut names = Vec::new();
    for part in inside.split([',', ';']) {
        let part = part.trim().trim_start_matches('^');
        if is_name(part) {
            names.push(part.to_owned());
        } else if let Some(number) = number(part) {
            names.push(number.to_string());
        } else {
            let (first, last) = part.split_once(['-', '–'])?;
            let (first, last) = (number(first.trim())?, number(last.trim())?);
            if last < first || last - first >= LONGEST_RANGE {
                return None;
            }
            names.extend((first..=last).map(|number| number.to_string()));
        }
    }
    Some(names)
}

fn number(text: &str) -> Option<usize> {
    let is_number = (1..=MOST_DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<String> {
        markers(text, |name| ["p2", "BNF 84, p. 3"].contains(&name))
            .into_iter()
            .flat_map(|mark| mark.names)
            .collect()
    }

    #[test]
    fn numbers_ids_lists_and_ranges_are_read_and_other_brackets_are_not() {
        for (text, names) in [
            ("4 g [1].", vec!["1"]),
            ("4 g [p2][1, 3]", vec!["p2", "1", "3"]),
            ("4 g [BNF 84, p. 3]", vec!["BNF 84, p. 3"]),
            ("4 g [2–4; ^9]", vec!["2", "3", "4", "9"]),
            ("[sic] in [2019] [p9] [] [1-] [4-2]", vec![]),
            ("[see [1]]", vec!["1"]),
            ("[1\n] [", vec![]),
        ] {
            assert_eq!(read(text), names, "{text}");
        }
        assert_eq!(markers("é [1]", |_| false)[0].range, 3..6);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in r"[\[\]0-9a-zé,;–\- \n^]{0,40}") {
            for mark in markers(&text, |name| name == "a") {
                prop_assert!(text[mark.range.clone()].starts_with('[') && text[mark.range].ends_with(']'));
                prop_assert!(!mark.names.is_empty());
            }
        }
    }
}
