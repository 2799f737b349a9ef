//! Claims that a person would be harmed by if they passed, and true ones that were called false.

use super::*;

/// Claim, evidence, whether it is contradicted; none is borne out.
const FALSE: &[(&str, &str, bool)] = &[
    ("The owner does not pay 300 euros a month.", "The owner pays 300 euros a month.", true),
    ("The bank does not buy old coins.", "The bank buys old coins.", true),
    ("Your policy covers theft up to EUR 100,000.", "Theft is covered up to EUR 50,000.", true),
    // Something else is denied of the same thing.
    (
        "Alcohol gel is enough after caring for a patient with Clostridioides difficile.",
        "Alcohol gel does not kill spores: wash hands with soap and water after caring for a patient with \
         Clostridioides difficile.",
        false,
    ),
    // The noun of the verb that is denied.
    (
        "The difference in kidney injury was statistically significant.",
        "The highest stage of acute kidney injury did not differ significantly between the groups.",
        false,
    ),
    ("There was no difference in survival.", "Survival differed significantly between the groups.", true),
    // The number of the other group.
    (
        "Acute kidney injury occurred in 7.0 % of patients given piperacillin-tazobactam.",
        "Kidney injury occurred in 85 patients (7.0 %) with cefepime and in 92 (7.5 %) with piperacillin-tazobactam.",
        true,
    ),
    (
        "Mortality was 12% with aspirin and 9% with placebo.",
        "Mortality was 9% with aspirin and 12% with placebo.",
        true,
    ),
    (
        "Revenue in Germany was $4.2 billion.",
        "Revenue was $4.2 billion in France and $3.1 billion in Germany.",
        true,
    ),
    // The other way round.
    (
        "The film Halden was directed by Norbank Berg for the studio Leeds.",
        "The film Norbank Berg was directed by Halden for the studio Leeds.",
        false,
    ),
    // The number of another sentence.
    (
        "The infusion is given over 45 minutes.",
        "Give the infusion over at least 30 minutes. Observe the patient for 45 minutes afterwards.",
        true,
    ),
    (
        "The target INR for a mechanical mitral valve is 2.5.",
        "Mechanical mitral valve: target INR 3.5. Check the INR weekly until stable.",
        true,
    ),
    // The same figure elsewhere is another amount.
    (
        "Revenue was $412.6 million, an increase of 12 % on the year before.",
        "Revenue was $412.6 million, an increase of 4 % on the year before. The dividend is paid on 12 December 2024.",
        true,
    ),
    (
        "Memory use did not grow during the test.",
        "Resident memory rose from 610 MB to 940 MB over the hour and did not level off.",
        false,
    ),
    (
        "Ferrous sulfate is taken with milk.",
        "Ferrous sulfate 200 mg once daily. Do not take it with milk or tea, which reduce absorption.",
        true,
    ),
    // The same condition on both sides.
    ("Double the dose if a dose is missed.", "Do not double the dose if a dose is missed.", true),
    ("Stop the drug if a rash appears.", "Do not stop the drug if a rash appears.", true),
    // Not known to be so.
    (
        "The patient is allergic to penicillin.",
        "The patient is not known to be allergic to penicillin.",
        true,
    ),
    // How often.
    ("The tablet is taken three times a day.", "The tablet is taken once a day.", true),
    ("The tablet is taken twice a day.", "The tablet is taken once a day.", true),
    ("Blood pressure is measured hourly.", "Blood pressure is measured daily.", true),
    ("Methotrexate is taken once daily.", "Methotrexate is taken once weekly.", true),
    ("Methotrexate is taken daily.", "Methotrexate is taken weekly.", true),
    ("Methotrexate is taken every day.", "Methotrexate is taken once a week.", true),
    ("Gentamicin is given every 8 hours.", "Gentamicin is given once every 24 hours.", true),
    ("Give methotrexate daily.", "Give methotrexate once weekly. Never give it daily.", true),
    // Of what is not said.
    ("Methotrexate is given daily.", "Never give it daily.", false),
    // "Over" is how long it takes.
    (
        "Vancomycin is infused over 30 minutes.",
        "The chart is written within 30 minutes. Vancomycin is infused over at least 120 minutes.",
        true,
    ),
    (
        "Vancomycin is infused over 30 minutes.",
        "The nurse writes the chart within 30 minutes of admission and puts it in rack 2. Staff on nights leave the \
         chart in rack 3. Vancomycin is infused over at least 120 minutes for a dose of 1.5 g, never as a bolus.",
        false,
    ),
    // The other row of a table.
    ("IV morphine is given at 5-10 mg every 4 h.", TABLE, true),
    // Who signed.
    (
        "The consent form was signed by the patient's daughter.",
        "Signed: Mr A. Brown (patient). Witness: Mrs C. Brown (daughter).",
        false,
    ),
    // The other arm.
    (
        "In the trial, 12 of 120 patients in the placebo arm and 30 of 118 in the rivoxaban arm had a stroke.",
        ARMS,
        true,
    ),
    ("12 of 120 patients in the placebo arm had a stroke.", ARMS, true),
    ("30 of 118 in the rivoxaban arm had a stroke.", ARMS, false),
    // Comparison, permission, time and threshold.
    ("It lasts longer than morphine.", "Its effect is shorter than that of morphine.", true),
    (
        "Ibuprofen is safe in the third trimester.",
        "Ibuprofen is not recommended in the third trimester.",
        true,
    ),
    (
        "Ondansetron 4 mg may be repeated after 4 hours.",
        "Ondansetron can prolong the QT interval. A dose of 4 mg may be repeated after 8 hours.",
        true,
    ),
    (
        "Metformin is stopped when the eGFR falls below 45.",
        "Stop metformin when the eGFR falls below 30.",
        true,
    ),
];

const TABLE: &str = "| Drug | Route | Adult dose | Max per day |\n|---|---|---|---|\n\
    | Morphine | oral | 5-10 mg every 4 h | 60 mg |\n| Morphine | IV | 2.5-5 mg every 4 h | 30 mg |\n\
    | Tramadol | oral | 50-100 mg every 6 h | 400 mg |";
const ARMS: &str = "Stroke occurred in 30 of 118 patients in the placebo arm and in 12 of 120 patients in the rivoxaban arm.";

/// Claim and evidence that say the same.
const SAME: &[(&str, &str)] = &[
    ("Do not double the dose if a dose is missed.", "Do not double the dose if a dose is missed."),
    ("The meeting is held once a week.", "The meeting is held weekly."),
    ("The tablet is taken once daily.", "The tablet is taken once a day."),
    ("Vancomycin is infused over 120 minutes.", "Vancomycin is infused over two hours."),
    ("Oral morphine is given at 5-10 mg every 4 h.", TABLE),
    ("Stroke occurred in 12 of 120 patients in the rivoxaban arm and in 30 of 118 in the placebo arm.", ARMS),
    (
        "The consent form was signed by the patient.",
        "Consent form signed: Mr A. Brown (patient). Witness: Mrs C. Brown (daughter).",
    ),
];

/// Claim and evidence that do not contradict each other.
const TRUE: &[(&str, &str)] = &[
    ("Patients at risk get a yellow wristband.", "Patients at risk wear a yellow wristband."),
    (
        "Draw up 50 units of soluble insulin in 50 mL of sodium chloride 0.9 %.",
        "Make up 50 units of soluble insulin to 50 mL with sodium chloride 0.9 %.",
    ),
    (
        "Either party may end it with three months' notice.",
        "Either party may terminate it on not less than three (3) months' written notice.",
    ),
    (
        "One tablet of 200 mg is taken daily.",
        "Ferrous sulfate 200 mg once daily. Do not take it with milk or tea, which reduce absorption.",
    ),
    (
        "Kidney injury occurred in 7.5 % of patients given piperacillin-tazobactam.",
        "Kidney injury occurred in 85 patients (7.0 %) with cefepime and in 92 (7.5 %) with piperacillin-tazobactam.",
    ),
    (
        "Clinics pay $480 a month for the platform.",
        "We offer the platform to clinics for $480 a month. Who signs up this week pays $432 a month.",
    ),
    (
        "The risk was 90% in people who were 55 years old.",
        "The risk of hypertension was 90% in both 55- and 65-year-old people.",
    ),
];

#[test]
fn what_would_harm_is_never_fully_supported() {
    for (claim, evidence, contradicted) in FALSE {
        let judged = judged(claim, evidence);
        assert_ne!(judged.verdict, Verdict::FullySupported, "{claim}: {judged:?}");
        if *contradicted {
            assert_eq!(judged.verdict, Verdict::Contradicted, "{claim}: {judged:?}");
        }
    }
}

#[test]
fn what_is_true_in_other_words_is_not_called_contradicted() {
    for (claim, evidence) in TRUE {
        let judged = judged(claim, evidence);
        assert_ne!(judged.verdict, Verdict::Contradicted, "{claim}: {judged:?}");
    }
}

#[test]
fn what_says_the_same_is_borne_out() {
    for (claim, evidence) in SAME {
        let judged = judged(claim, evidence);
        assert_eq!(judged.verdict, Verdict::FullySupported, "{claim}: {judged:?}");
    }
}

#[test]
fn the_reason_names_the_real_difference() {
    for (claim, evidence, reason) in [
        (
            "The tablet is taken twice a day.",
            "The tablet is taken once a day.",
            "twice a day, evidence says once a day",
        ),
        ("IV morphine is given at 5-10 mg every 4 h.", TABLE, "claim says 5-10 mg, evidence says 2.5-5 mg"),
        (
            "The consent form was signed by the patient's daughter.",
            "Signed: Mr A. Brown (patient). Witness: Mrs C. Brown (daughter).",
            "claim has patient's daughter where evidence has Signed: Mr A. Brown (patient)",
        ),
        (
            "Vancomycin is infused over 30 minutes.",
            "The chart is written within 30 minutes. Vancomycin is infused over at least 120 minutes.",
            "claim says 30 minutes, evidence says 120 minutes",
        ),
        (
            "Metformin is stopped when the eGFR falls below 45.",
            "Stop metformin when the eGFR falls below 30.",
            "claim says 45, evidence says 30",
        ),
    ] {
        let rationale = judged(claim, evidence).rationale.to_lowercase();
        assert!(rationale.contains(&reason.to_lowercase()), "{claim}: {rationale}");
    }
}
