//! Rules of one side against rules of the other, and what is none.

use super::super::{DifferenceKind, differences};

/// The words of each negation on both sides; nothing where the claim has no place for it.
fn negations(claim: &str, evidence: &str) -> Vec<(String, String)> {
    let words = |span: Option<crate::domain::span::Span>, text: &str| {
        span.and_then(|span| span.of(text)).unwrap_or("").to_owned()
    };
    let found = differences(claim, evidence);
    let of_kind = found.iter().filter(|difference| difference.kind == DifferenceKind::Negation);
    of_kind.map(|d| (words(d.claim, claim), words(d.evidence, evidence))).collect()
}

#[test]
fn what_is_permitted_and_forbidden_in_other_words_is_a_conflict() {
    for (claim, evidence, mine, theirs) in [
        (
            "Amoxicillin is suitable for people with a penicillin allergy.",
            "Do not take amoxicillin if you are allergic to penicillin.",
            "suitable",
            "Do not take",
        ),
        (
            "Aspirin may be taken freely with warfarin.",
            "Do not take aspirin with warfarin unless your doctor tells you to.",
            "may",
            "Do not take",
        ),
        (
            "Give salt tablets in heart failure.",
            "Do not take salt tablets if you have heart failure.",
            "Give",
            "Do not take",
        ),
        (
            "You may wear the pump during an MRI scan.",
            "The pump must be taken off before an MRI scan.",
            "may",
            "must be taken off",
        ),
        (
            "Metformin can be continued during a contrast scan.",
            "Metformin should be stopped before a contrast scan.",
            "can",
            "should be stopped",
        ),
        (
            "Ramipril is contraindicated in breastfeeding women.",
            "Ramipril is safe for breastfeeding women.",
            "contraindicated",
            "safe",
        ),
    ] {
        let found = negations(claim, evidence);
        assert!(found.contains(&(mine.to_owned(), theirs.to_owned())), "{claim}: {found:?}");
    }
}

#[test]
fn a_prohibition_of_most_of_the_claim_is_told_alone() {
    for (claim, evidence) in [
        ("It is safe throughout pregnancy.", "Do not take ibuprofen in the last 3 months of pregnancy."),
        (
            "Gentamicin drops are used in a perforated eardrum.",
            "Never put gentamicin drops in a perforated eardrum.",
        ),
    ] {
        let found = negations(claim, evidence);
        assert!(found.iter().any(|(_, theirs)| !theirs.is_empty()), "{claim}: {found:?}");
    }
}

#[test]
fn what_is_forbidden_of_something_else_or_of_too_much_is_none() {
    for (claim, evidence) in [
        ("Take up to 8 tablets in 24 hours.", "Do not take more than 8 tablets in 24 hours."),
        ("Take 8 tablets in 24 hours.", "Take not more than 8 tablets in any 24 hours."),
        (
            "The tablet may be swallowed whole with water.",
            "Swallow the tablet whole with water and do not crush it.",
        ),
        ("Ibuprofen may worsen asthma.", "Do not take ibuprofen if you have asthma."),
        ("Prednisolone may be continued.", "Do not stop prednisolone suddenly."),
        ("The pump may be worn after the scan.", "The pump must be taken off before the scan."),
        (
            "The pump may be worn in the shower.",
            "The pump may be worn in the shower. Do not wear the pump in a sauna.",
        ),
        ("Never take it daily.", "It is taken once a week, never daily."),
        ("Aspirin should be avoided with warfarin.", "Do not take aspirin with warfarin."),
    ] {
        assert_eq!(negations(claim, evidence), [], "{claim}");
    }
}
