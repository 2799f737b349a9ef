//! Claims that a person would be harmed by if they passed, and true ones that were called false.

use super::*;

/// Claim, evidence, whether it is contradicted; none is borne out.
const FALSE: &[(&str, &str, bool)] = &[
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
