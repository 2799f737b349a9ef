//! Currencies before and behind an amount: by their sign (`$4`) or, as letters and statements have it, by their code
//! (`EUR 5,000`). Behind an amount they are units of the lexicon.

/// Each sign that stands before an amount, with the dimension of such amounts.
const SIGNS: &[(&str, &str)] =
    &[("$", "usd"), ("€", "eur"), ("£", "gbp"), ("¥", "jpy"), ("￥", "jpy"), ("₹", "inr")];

/// The same for what is a word of its own. Not INR, which is a measure of blood, too.
const CODES: &[(&str, &str)] = &[
    ("USD", "usd"),
    ("EUR", "eur"),
    ("GBP", "gbp"),
    ("JPY", "jpy"),
    ("Rs.", "inr"),
    ("Rs", "inr"),
    ("IDR", "idr"),
    ("Rp", "idr"),
    ("IRR", "irr"),
    ("CHF", "chf"),
    ("CNY", "cny"),
    ("CAD", "cad"),
    ("AUD", "aud"),
    ("SEK", "sek"),
    ("NOK", "nok"),
    ("DKK", "dkk"),
    ("PLN", "pln"),
];

/// The currency with which the text before an amount ends: the bytes of its sign, and the dimension.
pub(super) fn at_the_end_of(head: &str) -> Option<(usize, &'static str)> {
    let ends = |(sign, dimension): &(&'static str, &'static str)| {
        head.strip_suffix(sign).map(|rest| (rest, (sign.len(), *dimension)))
    };
    let is_word = |rest: &str| !rest.chars().next_back().is_some_and(char::is_alphanumeric);
    let signed = SIGNS.iter().find_map(ends);
    let coded = || CODES.iter().filter_map(ends).find(|(rest, _)| is_word(rest));
    signed.or_else(coded).map(|(_, currency)| currency)
}

/// Whether amounts of this dimension are amounts of money.
pub(super) fn is_one(dimension: &str) -> bool {
    CODES.iter().any(|(_, known)| *known == dimension)
}
