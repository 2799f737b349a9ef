//! Changes of a claim and its evidence: those that mean nothing, and those that make a claim false.

use super::facts::Fact;

/// A claim and its passages.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) claim: String,
    pub(crate) passages: Vec<String>,
}

impl Case {
    pub(crate) fn of(fact: &Fact) -> Self {
        Self { claim: fact.claim.clone(), passages: fact.passages.clone() }
    }

    fn on_claim(&self, change: impl Fn(&str) -> String) -> Self {
        Self { claim: change(&self.claim), passages: self.passages.clone() }
    }

    fn on_evidence(&self, change: impl Fn(&str) -> String) -> Self {
        Self { claim: self.claim.clone(), passages: self.passages.iter().map(|text| change(text)).collect() }
    }
}

/// Of nothing that any fact is about.
const IRRELEVANT: &str = "The lighthouse keeper painted seven wooden boats before breakfast. Gulls circled above \
                          the quiet harbour wall, and a violin played somewhere behind the dunes.";

/// Every change that means nothing, with its name.
pub(crate) fn harmless(case: &Case) -> Vec<(&'static str, Case)> {
    let mut reversed = case.clone();
    reversed.passages.reverse();
    let mut before = case.clone();
    before.passages.insert(0, IRRELEVANT.to_owned());
    let mut behind = case.clone();
    behind.passages.push(IRRELEVANT.to_owned());
    let mut changed = vec![
        ("claim in capitals", case.on_claim(str::to_uppercase)),
        ("claim in small letters", case.on_claim(str::to_lowercase)),
        ("claim as a title", case.on_claim(title)),
        ("evidence in capitals", case.on_evidence(str::to_uppercase)),
        ("evidence in small letters", case.on_evidence(str::to_lowercase)),
        ("evidence as a title", case.on_evidence(title)),
        ("spaces doubled in the claim", case.on_claim(|text| text.replace(' ', "  "))),
        ("spaces doubled in the evidence", case.on_evidence(|text| text.replace(' ', "  "))),
        ("claim broken into lines", case.on_claim(|text| broken(text, text.len() / 2))),
        ("evidence broken into lines", case.on_evidence(|text| broken(text, 60))),
        ("space around the claim", case.on_claim(|text| format!(" \t{text} \n"))),
        ("space around the evidence", case.on_evidence(|text| format!("\n {text}\n\n"))),
        ("irrelevant passage before", before),
        ("irrelevant passage behind", behind),
    ];
    if case.passages.len() > 1 {
        changed.push(("passages in reverse", reversed));
    }
    changed
}

/// Every word with a capital letter.
fn title(text: &str) -> String {
    text.split(' ')
        .map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map(|first| first.to_uppercase().chain(chars).collect::<String>())
                .unwrap_or_default()
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// The text in lines of about so many bytes.
fn broken(text: &str, every: usize) -> String {
    let mut length = 0;
    text.split(' ').fold(String::new(), |mut lines, word| {
        if !lines.is_empty() {
            let is_full = length >= every;
            lines.push(if is_full { '\n' } else { ' ' });
            length = if is_full { 0 } else { length + 1 };
        }
        length += word.len();
        lines + word
    })
}

/// Verbs that "not" stands behind.
const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "can", "may", "must", "will", "shall", "should",
    "could", "would",
];
const DENIALS: &[&str] = &["not", "never", "no", "none", "nor", "neither", "without", "cannot"];

/// A claim that somebody wrote, with the changes that can be made by rule. What no rule fits is `None`.
pub(crate) fn changed_by_rule(claim: &str, passages: Vec<String>) -> Fact {
    let words: Vec<&str> = claim.split(' ').collect();
    Fact {
        negated: negated(&words),
        renumbered: renumbered(claim, &passages),
        swapped: swapped(&words, &passages),
        claim: claim.to_owned(),
        passages,
    }
}

fn negated(words: &[&str]) -> Option<String> {
    let is_denied = words.iter().any(|word| {
        let word = word.to_lowercase();
        DENIALS.contains(&word.trim_matches(|c: char| !c.is_alphanumeric())) || word.ends_with("n't")
    });
    // With two of them it is not plain which one carries the claim.
    let mut places = words.iter().enumerate().filter(|(_, word)| AUXILIARIES.contains(word));
    let (at, _) = places.next().filter(|(at, _)| *at > 0)?;
    if is_denied || places.next().is_some() {
        return None;
    }
    let mut denied = words.to_vec();
    denied.insert(at + 1, "not");
    Some(denied.join(" "))
}

/// The claim with its only number changed to one that no passage has.
fn renumbered(claim: &str, passages: &[String]) -> Option<String> {
    let digits = |c: char| c.is_ascii_digit();
    let start = claim.find(digits)?;
    let length = claim[start..].find(|c| !digits(c)).unwrap_or(claim.len() - start);
    let (before, number, after) = (&claim[..start], &claim[start..start + length], &claim[start + length..]);
    let is_part = before.ends_with(|c: char| c.is_alphanumeric() || "-.,/$#".contains(c))
        || after.starts_with(|c: char| c.is_alphabetic() || "-–/".contains(c))
        || (after.starts_with(['.', ',', ':']) && after[1..].starts_with(digits));
    if is_part || after.contains(digits) || length > 4 || !passages.iter().any(|text| text.contains(number)) {
        return None;
    }
    let value: u32 = number.parse().ok()?;
    let other = (value + 7).to_string();
    (!passages.iter().any(|text| text.contains(&other))).then(|| format!("{before}{other}{after}"))
}

/// The claim with its only two names exchanged, both of which stand in the evidence.
fn swapped(words: &[&str], passages: &[String]) -> Option<String> {
    let bare = |word: &str| word.trim_end_matches([',', '.', ';', ':']).len();
    let is_name = |word: &str| {
        word.len() > 2
            && word.starts_with(|c: char| c.is_uppercase())
            && word[..bare(word)].chars().all(char::is_alphabetic)
            && passages.iter().any(|text| text.contains(&format!(" {}", &word[..bare(word)])))
    };
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| is_name(word)) {
        match runs.last_mut() {
            Some((_, end)) if *end == at && bare(words[at - 1]) == words[at - 1].len() => *end = at + 1,
            _ => runs.push((at, at + 1)),
        }
        let _ = word;
    }
    let [(first, first_end), (second, second_end)] = runs.as_slice() else { return None };
    // Between equals a swap means nothing.
    let between = &words[*first_end..*second];
    if between.is_empty() || between.iter().any(|word| matches!(*word, "and" | "or" | "with")) {
        return None;
    }
    let (a, b) = (words[*first..*first_end].join(" "), words[*second..*second_end].join(" "));
    let (a_bare, b_bare) = (&a[..bare(&a)], &b[..bare(&b)]);
    let start = words[..*first].join(" ");
    let text = format!(
        "{start} {b_bare}{} {} {a_bare}{} {}",
        &a[a_bare.len()..],
        between.join(" "),
        &b[b_bare.len()..],
        words[*second_end..].join(" ")
    );
    Some(text.trim().to_owned())
}
