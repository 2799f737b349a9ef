//! What is a matter of health, law or money, and what is not.

use serde_json::Map;

use super::*;
use crate::domain::ids::{AuditId, PassageId};
use crate::domain::record::Passage;
use crate::domain::span::Span;
use crate::domain::verdict::MatchLevel;

/// A claim of an answer, with the words of the passage that contradict it.
fn harms(claim: &str, answer: &str, passage: &str, cited: &str) -> bool {
    let start = passage.find(cited).expect("the cited words stand in the passage");
    let record = Record {
        audit_id: AuditId::new("r"),
        answer: answer.into(),
        passages: vec![Passage {
            passage_id: PassageId::new("p"),
            content: passage.into(),
            metadata: Map::new(),
        }],
        question: None,
        risk_level: None,
        given_claims: Vec::new(),
        metadata: Map::new(),
    };
    let citation = Citation {
        passage_id: PassageId::new("p"),
        span: Span::new(passage, start..start + cited.len()),
        quote: cited.into(),
        role: Role::Contradicts,
        level: MatchLevel::Exact,
    };
    Surroundings::new(&record).can_harm(claim, &[citation])
}

#[test]
fn a_claim_of_health_law_or_money_is_one_by_its_own_words() {
    for (claim, evidence) in [
        ("Adults may take 8 g of paracetamol per day.", "At most 4 g."),
        ("12 of 120 patients in the placebo arm had a stroke.", "30 of 118 had one."),
        ("30 of 118 in the rivoxaban arm had a stroke.", "12 of 120 had one."),
        ("The overdraft fee is 35 euros per month.", "It is 12 euros per month."),
        ("The transfer costs 35 euros.", "The transfer costs 12 euros."),
        ("The policy covers theft up to EUR 100,000.", "Theft is covered up to EUR 50,000."),
        ("You may cancel the contract within 30 days.", "You may cancel it within 14 days."),
        ("You may appeal within 30 days.", "You may appeal within 14 days."),
        ("Take at least 4 g.", "Take at most 4 g."),
        ("Take it before a meal.", "Take it after a meal."),
        ("Take this medicine with alcohol.", "Do not take this medicine with alcohol."),
        (
            "Digoxin 125 micrograms daily is suitable in renal impairment.",
            "It is reduced to 62.5 micrograms.",
        ),
        ("Digoxin is suitable.", "It is not."),
        ("Double the dose if a dose is missed.", "Do not double it."),
        ("Stop the drug if a rash appears.", "Do not stop the drug if a rash appears."),
        ("Metformin is stopped when the eGFR falls below 45.", "Below 30."),
        ("The patient is allergic to penicillin.", "No known allergies."),
        ("The Supplier shall indemnify the Customer.", "It need not."),
        ("The loan carries no interest.", "The loan carries 4 % interest."),
        ("The notice period is 90 days.", "The notice period is 60 days."),
    ] {
        assert!(harms(claim, claim, evidence, evidence), "{claim}");
    }
}

#[test]
fn the_words_around_a_claim_tell_what_it_speaks_of() {
    let passage = "Potassium chloride must never be given undiluted. The rate must not exceed 10 mmol per hour. \
        Give each dose with the pharmacist's prescription at hand.";
    assert!(harms("It may be given neat.", "It may be given neat.", passage, "must never be given"));
    let answer = "In the trial, 12 of 120 patients in the placebo arm and 30 of 118 in the rivoxaban arm had a stroke.";
    let passage =
        "Stroke occurred in 30 of 118 patients in the placebo arm and in 12 of 120 in the rivoxaban arm.";
    for half in [
        answer,
        "In the trial, 12 of 120 patients in the placebo arm had a stroke.",
        "30 of 118 in the rivoxaban arm had a stroke.",
    ] {
        assert!(harms(half, answer, passage, "12 of 120 in the rivoxaban arm"), "{half}");
    }
}

#[test]
fn a_word_of_the_field_in_the_passage_makes_no_matter_of_it() {
    for (claim, passage, cited) in [
        (
            "Visiting hours on Ward 7B end at 20:00.",
            "Ward 7B has 24 beds for patients. Visiting ends at 19:00. Children under 12 come with an adult.",
            "Visiting ends at 19:00.",
        ),
        (
            "Visitors of patients leave at 20:00.",
            "Every patient gets a prescription with the dose of each antibiotic. Visitors leave at 19:00.",
            "Visitors leave at 19:00.",
        ),
        (
            "Lunch is served at 13:30.",
            "Insulin is given before each meal, a dose of 10 units. Lunch is served at 12:30.",
            "Lunch is served at 12:30.",
        ),
        (
            "The hospital's nurses have 40 bicycles.",
            "The hospital's nurses have 30 bicycles. Every dose of insulin is counted on the ward.",
            "30 bicycles",
        ),
        (
            "The court is open from 9 to 17.",
            "The court is open from 9 to 16. The defendant in a lawsuit waits in hall B.",
            "The court is open from 9 to 16.",
        ),
        (
            "The bank opens at 8.",
            "The bank opens at 9. It gives loans and a mortgage.",
            "The bank opens at 9.",
        ),
        (
            "Ajax won the final by three goals.",
            "Ajax won the final by two goals. A player was treated in hospital for a fracture.",
            "two goals",
        ),
        (
            "The war ended in 1871.",
            "The war ended in 1870. The law of the new state gave its courts to the party of the king, and many died.",
            "1870",
        ),
        ("The army lost 400 men at the river.", "The army lost 300 men; the king's court fled.", "300 men"),
        ("The default timeout is 60 seconds.", "The default timeout is 30 seconds.", "30 seconds"),
        ("The film was directed by James Cameron.", "It was directed by John Ford.", "John Ford"),
        ("A heart of gold.", "A heart of stone.", "stone"),
        ("In April the protocol changed.", "In May the protocol changed.", "May"),
    ] {
        assert!(!harms(claim, claim, passage, cited), "{claim}");
    }
}

#[test]
fn a_text_in_pieces_has_every_word_once_and_none_in_halves() {
    let word = |n: usize| format!("wörd{n}");
    let text = (0..400).map(word).collect::<Vec<_>>().join(" ");
    let unbroken = "ä".repeat(3 * PIECE);
    for text in [text.as_str(), unbroken.as_str(), "", "a"] {
        let pieces = Pieces::new(text);
        let found: usize = pieces.over(0, text.len()).map(|piece| piece.words.len()).sum();
        let borders: Vec<usize> = (0..=pieces.read.len()).map(|at| pieces.border(at)).collect();
        assert!(borders.is_sorted() && borders.first() == Some(&0) && borders.last() == Some(&text.len()));
        if !text.starts_with('ä') {
            assert_eq!(found, crate::text::tokens::tokens(text).len());
        }
        for from in (0..text.len()).step_by(97) {
            let (wanted, to) = (from..from + 150, from + 150);
            let mut words = Words::default();
            pieces.over(from, to).for_each(|piece| words.add(piece, from, to));
            let whole = |token: &&Token| wanted.start <= token.span.start() && token.span.end() <= wanted.end;
            let all = crate::text::tokens::tokens(text);
            if !text.starts_with('ä') {
                assert_eq!(words.seen.len(), all.iter().filter(whole).count(), "{from}");
            }
        }
    }
}

#[test]
fn a_claim_of_a_leaflet_is_of_health_by_what_is_done_with_a_medicine() {
    let leaflet = "Digoxin 125 micrograms tablets. Take the dose that the doctor prescribed. Tell the doctor of a yellow \
        tinge of vision, nausea or a slow pulse. Keep the bottle below 25 °C, and not in the freezer. Do not bathe while \
        the wound is fresh.";
    for (claim, cited) in [
        ("A yellow tinge of vision is harmless.", "Tell the doctor of a yellow tinge of vision"),
        ("Keep the bottle in the freezer.", "not in the freezer"),
        ("Store it above 25 °C.", "below 25 °C"),
        ("You may have a bath with a fresh wound.", "Do not bathe while the wound is fresh"),
    ] {
        assert!(harms(claim, claim, leaflet, cited), "{claim}");
    }
    for (claim, passage) in [
        ("Keep the bottle of wine in the freezer.", "Keep the bottle of wine in the cellar."),
        ("The paint is kept above 25 °C.", "The paint is kept below 25 °C."),
    ] {
        assert!(!harms(claim, claim, passage, passage), "{claim}");
    }
}

#[test]
fn a_dose_is_one_in_every_script() {
    for (claim, passage) in [
        ("الجرعة القصوى من باراسيتامول 8 غ.", "الجرعة القصوى من باراسيتامول 4 غ."),
        ("Суточная доза 8000 мг.", "Суточная доза 4000 мг."),
        ("Sertraline is taken at night.", "Sertraline is taken in the morning."),
    ] {
        assert!(harms(claim, claim, passage, passage), "{claim}");
    }
}

#[test]
fn a_record_that_names_its_domain_is_believed_but_for_daily_business() {
    let claim = "The strap is worn on the left.";
    let with = |metadata: serde_json::Value| {
        let record = Record {
            audit_id: AuditId::new("r"),
            answer: claim.into(),
            passages: Vec::new(),
            question: None,
            risk_level: None,
            given_claims: Vec::new(),
            metadata: metadata.as_object().cloned().unwrap_or_default(),
        };
        let surroundings = Surroundings::new(&record);
        (surroundings.can_harm(claim, &[]), surroundings.can_harm("Lunch is served at 13:30.", &[]))
    };
    assert_eq!(with(serde_json::json!({"domain": "Clinical-Pharmacy"})), (true, false));
    assert_eq!(with(serde_json::json!({"topic": ["travel", "medicines"]})), (true, false));
    assert_eq!(with(serde_json::json!({"domain": "sports"})), (false, false));
}
