//! How alike the two answers of the items are: by their words, and in meaning where a server of embeddings was asked.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::comparison::Item;
use super::{Fact, Figure, Unit};
use crate::measure::estimate::Estimate;

/// By words; then, with the name of its model, by embeddings.
pub(super) fn figures(items: &[Item<'_>], model: Option<&str>) -> Vec<Figure> {
    let by_words = mean(items.iter().filter_map(|item| item.likeness), "no item has two answers with words");
    let of =
        |id: &str, name: String, measured: &Estimate| Figure::of(id, name, Unit::Number, measured, "items");
    let mut figures = vec![of("answer_similarity", "answers alike, by words (F1)".to_owned(), &by_words)];
    if let Some(model) = model {
        let in_meaning = in_meaning(items);
        figures.push(of(
            "answer_similarity_cosine",
            format!("answers alike, cosine by {model}"),
            &in_meaning,
        ));
    }
    figures
}

/// The same as a fact, for forms without figures.
pub(super) fn fact(items: &[Item<'_>], model: &str) -> Fact {
    let measured = in_meaning(items);
    let told = match measured.value() {
        Some(mean) => format!("{model}: mean cosine {} of {} items", Unit::Number.shown(mean), measured.n()),
        None => format!("{model}: not known, because {}", measured.undefined_because().unwrap_or_default()),
    };
    Fact::new("embeddings", told)
}

/// What is not known, and why.
pub(super) fn sentence(items: &[Item<'_>]) -> Option<String> {
    let mut unknown = items.iter().filter_map(|item| item.meaning.as_ref()?.as_ref().err());
    let first = unknown.next()?;
    let count = unknown.count() + 1;
    Some(format!(
        "How alike the answers of {count} of {} items are in meaning is not known; the first because {first}.",
        items.len()
    ))
}

/// What stands of it in the item's JSON.
pub(super) fn add(item: &Item<'_>, fields: &mut Map<String, Value>) {
    fields.insert("answer_similarity".to_owned(), json!(item.likeness));
    if let Some(meaning) = &item.meaning {
        fields.insert("answer_similarity_cosine".to_owned(), json!(meaning.as_ref().ok()));
        if let Err(why) = meaning {
            fields.insert("answer_similarity_cosine_unknown_because".to_owned(), json!(**why));
        }
    }
}

fn in_meaning(items: &[Item<'_>]) -> Estimate {
    let first = items.iter().find_map(|item| item.meaning.as_ref()?.as_ref().err());
    let because = first.map_or("nothing was asked".to_owned(), ToString::to_string);
    mean(items.iter().filter_map(|item| item.meaning.as_ref()?.as_ref().ok().copied()), because)
}

/// The same to the last digit whatever the order of the items: the values are added up in their own.
fn mean(values: impl Iterator<Item = f64>, none: impl Into<Cow<'static, str>>) -> Estimate {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    match values.len() {
        0 => Estimate::undefined(0, none),
        n => Estimate::known(values.iter().sum::<f64>() / n as f64, n as u64),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::comparison::Comparison;

    proptest! {
        #[test]
        fn the_order_of_the_items_changes_no_digit(
            (values, other) in prop::collection::vec((0.0..=1.0_f64, -1.0..=1.0_f64), 0..60)
                .prop_flat_map(|values| (Just(values.clone()), Just(values).prop_shuffle())),
        ) {
            let nothing = Comparison::of(Vec::new(), Vec::new(), None, Vec::new());
            let told = |values: &[(f64, f64)]| {
                let items: Vec<Item<'_>> = values
                    .iter()
                    .map(|(by_words, in_meaning)| Item {
                        id: "q",
                        comparison: &nothing,
                        likeness: Some(*by_words),
                        meaning: Some(Ok::<f64, Arc<str>>(*in_meaning)),
                    })
                    .collect();
                (json!(figures(&items, Some("m"))).to_string(), fact(&items, "m"))
            };
            prop_assert_eq!(told(&values), told(&other));
        }
    }
}
