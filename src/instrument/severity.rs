//! Which words of a claim say that health, law or money is at stake: what the table of
//! [`mod@crate::domain::severity`] needs to know and only words can tell.

use crate::text::lexicon::{Field, LEXICON};
use crate::text::tokens::tokens;

/// The field of harm that a text speaks of: one strong word decides, of the others two are needed.
pub fn field(text: &str) -> Option<Field> {
    let mut found: Vec<(Field, u32)> = Vec::new();
    let mut seen = Vec::new();
    for token in tokens(text) {
        if seen.contains(&token.stem) {
            continue;
        }
        seen.push(token.stem);
        for (field, strong) in LEXICON.fields.get(&token.stem).into_iter().flatten() {
            let weight = if *strong { 2 } else { 1 };
            match found.iter_mut().find(|(other, _)| other == field) {
                Some((_, sum)) => *sum += weight,
                None => found.push((*field, weight)),
            }
        }
    }
    found.into_iter().filter(|(_, sum)| *sum >= 2).max_by_key(|(_, sum)| *sum).map(|(field, _)| field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_strong_word_or_two_others_show_the_field() {
        assert_eq!(field("Adults may take 8 g of paracetamol per day."), Some(Field::Health));
        assert_eq!(field("The drug works in patients."), Some(Field::Health));
        assert_eq!(field("The Supplier shall indemnify the Customer."), Some(Field::Legal));
        assert_eq!(field("The loan carries no interest."), Some(Field::Finance));
        assert_eq!(field("The film was directed by James Cameron."), None);
        assert_eq!(field("A heart of gold."), None);
    }
}
