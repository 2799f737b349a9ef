//! Claims about what may be done, what must not, and within which limits; and as many that keep their verdict.

use super::*;

/// Claim and evidence that forbids it, calls it safe where the claim forbids it, or sets another limit.
const AGAINST: &[(&str, &str)] = &[
    ("Children under 16 can be given aspirin.", "Aspirin must not be given to children under 16."),
    ("Tetracycline is safe for young children.", "Tetracycline is contraindicated in young children."),
    ("You can drink alcohol while taking metronidazole.", "Do not drink alcohol while taking metronidazole."),
    (
        "Visitors may enter the isolation room without a mask.",
        "Visitors must not enter the isolation room without a mask.",
    ),
    (
        "Employees may share their passwords with colleagues.",
        "Employees must never share passwords with colleagues.",
    ),
    ("The patch can be cut in half.", "Never cut the patch."),
    ("Insulin may be frozen.", "Do not freeze insulin."),
    ("The vial should be shaken before use.", "Do not shake the vial before use."),
    (
        "The receiving party may disclose the terms to its suppliers.",
        "The receiving party shall not disclose the terms to its suppliers.",
    ),
    (
        "Patients with asthma can take propranolol.",
        "Propranolol should not be taken by patients with asthma.",
    ),
    ("You may drive after the eye drops.", "You must not drive after the eye drops."),
    ("Tenants are allowed to keep dogs.", "Tenants are not permitted to keep dogs."),
    ("Stop the steroid suddenly.", "Do not stop the steroid suddenly."),
    ("The capsules may be chewed.", "The capsules must not be chewed."),
    ("Warfarin is compatible with miconazole gel.", "Do not use miconazole gel with warfarin."),
    ("The filler contains latex.", "The filler does not contain latex."),
    (
        "Pregnant women may handle crushed finasteride tablets.",
        "Pregnant women should avoid handling crushed finasteride tablets.",
    ),
    (
        "It is safe to take ibuprofen with a stomach ulcer.",
        "Do not take ibuprofen if you have a stomach ulcer.",
    ),
    ("Wait at least 4 hours between doses.", "Wait at least 6 hours between doses."),
    ("Allow at least 12 hours before the next dose.", "Allow at least 24 hours before the next dose."),
    ("Do not drive for at least 12 hours.", "Do not drive for at least 48 hours."),
    ("Adults may take up to 6 g a day.", "Adults may take up to 4 g a day."),
    ("Keep it for no more than 8 weeks after opening.", "Keep it for no more than 4 weeks after opening."),
    ("Applicants must be at least 16 years old.", "Applicants must be at least 18 years old."),
    ("The notice must be at least 30 days.", "The notice must be at least 90 days."),
    ("The maximum dose is 8 g.", "The maximum dose is 4 g."),
    ("Ciprofloxacin can be given with dairy products.", "Do not give ciprofloxacin with dairy products."),
    ("Guests may smoke on the balcony.", "Guests must not smoke on the balcony."),
    (
        "The wound may be washed with soap on the first day.",
        "Do not wash the wound with soap on the first day.",
    ),
    ("Use the inhaler more than four times a day.", "Never use the inhaler more than four times a day."),
    ("Staff may lift patients by hand.", "Staff should not lift patients by hand."),
    ("Lithium can be combined with ibuprofen.", "Avoid combining lithium with ibuprofen."),
    ("Breastfeeding mothers can take codeine.", "Codeine is not recommended for breastfeeding mothers."),
    ("Methotrexate is suitable for pregnant women.", "Methotrexate must not be used in pregnant women."),
    ("The tenant may sublet the flat.", "The tenant may not sublet the flat."),
    ("Restart clozapine at the old dose.", "Do not restart clozapine at the old dose."),
    ("Nitrates may be taken with sildenafil.", "Sildenafil is contraindicated with nitrates."),
    ("Leave the cannula in for up to 7 days.", "Leave the cannula in for up to 3 days."),
    ("You must wait at least 3 days.", "You must wait at least 10 days."),
    ("Do not lift anything for at least 2 weeks.", "Do not lift anything for at least 6 weeks."),
    ("Keep the vaccine at no more than 25 °C.", "Keep the vaccine at no more than 8 °C."),
    (
        "Metformin must be continued before contrast is given.",
        "Metformin must be stopped before contrast is given.",
    ),
    (
        "Warfarin can be combined with ibuprofen.",
        "Warfarin must not be combined with ibuprofen or another non-steroidal anti-inflammatory drug.",
    ),
];

/// Claim and evidence with a rule of something else, or with the same rule: none is contradicted.
const BESIDE: &[(&str, &str)] = &[
    ("Codeine should be avoided in breastfeeding.", "Do not take codeine if you are breastfeeding."),
    (
        "Amoxicillin is unsuitable for people with a penicillin allergy.",
        "Do not take amoxicillin if you are allergic to penicillin.",
    ),
    (
        "Amoxicillin is suitable for people with a peanut allergy.",
        "Do not take amoxicillin if you are allergic to penicillin.",
    ),
    (
        "Ibuprofen may cause kidney failure in heart failure.",
        "Do not take ibuprofen if you have heart failure.",
    ),
    ("Adults may take ibuprofen.", "Do not take ibuprofen if you have heart failure."),
    (
        "Employees may share documents with colleagues.",
        "Employees must never share passwords with colleagues.",
    ),
    ("Take one tablet in the morning.", "Take one tablet in the morning and do not take one at night."),
    ("The patch may be worn in the shower.", "Do not wear the patch in the sauna."),
    ("You may drive after the operation.", "You must not drive for 24 hours after the operation."),
    ("Dogs may enter the garden.", "Dogs may not enter the house."),
    ("You must stop smoking before the operation.", "Do not smoke before the operation."),
    ("It is forbidden to cut the patch.", "Never cut the patch."),
    ("Do not exceed 4 tablets in 24 hours.", "Take up to 4 tablets in 24 hours."),
    ("Take at most 4 tablets a day.", "Do not take more than 4 tablets a day."),
    ("Four tablets a day may be taken.", "Do not take more than 4 tablets a day."),
    ("You may take it for 3 days.", "Do not take it for longer than 3 days."),
    ("You must not freeze insulin.", "Do not freeze insulin."),
    ("The dose may be repeated after 6 hours.", "Do not repeat the dose within 6 hours."),
    ("Propranolol treats high blood pressure.", "Propranolol should not be taken by patients with asthma."),
    ("It is taken once a week.", "Take it once a week, never daily."),
    ("It must never be taken twice a day.", "Take it once a day, never twice a day."),
    ("The company may end the contract.", "The company may not end the contract without notice."),
    ("Take 4 tablets in 24 hours.", "Take not more than 4 tablets in any 24 hours."),
    ("Wait 6 hours between doses.", "Wait at least 6 hours between doses."),
    ("The siege lasted more than 2 months.", "The siege lasted at least 3 months."),
    ("More than 20 people were hurt.", "At least 25 people were hurt."),
    ("The bridge is over 100 m long.", "The bridge is over 120 m long."),
    ("Wait at least 6 hours between doses.", "Wait at least six hours between doses."),
    ("Wait at least 1 hour.", "Wait at least 60 minutes."),
    ("He must have been at least 60 years old.", "He must have been at least 65 years old."),
    ("The car can reach more than 200 km/h.", "The car can reach more than 220 km/h."),
    ("Guests may smoke in the garden.", "Guests must not smoke on the balcony."),
    ("The tenant may sublet the garage.", "The tenant may not sublet the flat."),
    ("Take the capsule with food.", "Do not take the capsule with antacids."),
    ("Use the cream on the arms.", "Do not use the cream on the face."),
    ("The cream may be used on the arms.", "Do not use the cream on broken skin."),
    ("Staff may lift patients with a hoist.", "Staff should not lift patients by hand."),
    ("Use the inhaler up to four times a day.", "Never use the inhaler more than four times a day."),
    ("Stop taking warfarin before surgery.", "Do not take warfarin before surgery."),
    ("Avoid dairy products with ciprofloxacin.", "Do not give ciprofloxacin with dairy products."),
    ("Quit smoking before surgery.", "You must not smoke before surgery."),
    ("Smoking is prohibited on the balcony.", "Guests must not smoke on the balcony."),
    ("Methotrexate is unsafe for pregnant women.", "Methotrexate must not be used in pregnant women."),
    ("The ladder is more than 3 m long.", "The ladder is at least 4 m long."),
    ("At least 40 km of road were built.", "At least 45 km of road were built."),
    ("You can take it for two weeks.", "Do not take it for more than two weeks."),
    ("Swim again after two weeks.", "Do not swim for two weeks."),
    ("Clozapine treats schizophrenia.", "Do not restart clozapine at the old dose."),
    ("Restart clozapine at a low dose.", "Do not restart clozapine at the old dose."),
];

/// Claim and evidence that says it, also where the evidence forbids something else beside it.
const BORNE_OUT: &[(&str, &str)] = &[
    ("Aspirin must not be given to children under 16.", "Aspirin must not be given to children under 16."),
    ("Do not drink alcohol while taking metronidazole.", "Do not drink alcohol while taking metronidazole."),
    (
        "Employees must never share passwords with colleagues.",
        "Employees must never share passwords with colleagues.",
    ),
    ("Insulin must not be frozen.", "Insulin must not be frozen. Keep it in the fridge."),
    (
        "The capsules may be opened and sprinkled on food.",
        "The capsules may be opened and sprinkled on food. Do not chew the granules.",
    ),
    (
        "Paracetamol may be taken during pregnancy.",
        "Paracetamol may be taken during pregnancy. Do not take ibuprofen.",
    ),
    ("Tenants may keep cats.", "Tenants may keep cats. Tenants may not keep dogs."),
    (
        "The visitors' car park may be used at weekends.",
        "The visitors' car park may be used at weekends. Do not park on the grass.",
    ),
    ("Swallow the capsule whole.", "Swallow the capsule whole. Do not chew it."),
    ("Stop the medicine if you get a rash.", "Stop the medicine if you get a rash. Do not restart it."),
    ("The vial is stored in the fridge.", "The vial is stored in the fridge. Never freeze it."),
    (
        "You can drive after the eye drops once your vision is clear.",
        "You can drive after the eye drops once your vision is clear.",
    ),
    ("Store below 25 °C.", "Store below 25 °C. Do not freeze."),
    ("Warfarin must be stopped 5 days before surgery.", "Warfarin must be stopped 5 days before surgery."),
    ("Take the capsule with food.", "Take the capsule with food. Do not take it with antacids."),
    ("The tenant may not sublet the flat.", "The tenant may not sublet the flat. The tenant may keep a cat."),
    ("Use the cream on the arms.", "Use the cream on the arms and do not use it on the face."),
    (
        "Do not use the cream on broken skin.",
        "Use the cream on the arms. Do not use the cream on broken skin.",
    ),
    ("Guests may smoke in the garden.", "Guests may smoke in the garden but must not smoke on the balcony."),
    (
        "Never use the inhaler more than four times a day.",
        "Never use the inhaler more than four times a day.",
    ),
    ("Sildenafil is contraindicated with nitrates.", "Sildenafil is contraindicated with nitrates."),
    (
        "Leave the cannula in for up to 3 days.",
        "Leave the cannula in for up to 3 days. Do not leave it in longer.",
    ),
    ("You must wait at least 10 days.", "You must wait at least 10 days before you drive."),
    ("The vaccine is kept in the fridge.", "The vaccine is kept in the fridge and must not be frozen."),
    ("The trial lasted more than 2 years.", "The trial lasted more than 2 years."),
];

#[test]
fn what_is_against_a_rule_is_contradicted() {
    for (claim, evidence) in AGAINST {
        let said = judged(claim, evidence);
        assert_eq!(said.verdict, Verdict::Contradicted, "{claim}: {said:?}");
    }
}

#[test]
fn a_rule_of_something_else_contradicts_nothing() {
    for (claim, evidence) in BESIDE {
        let said = judged(claim, evidence);
        assert_ne!(said.verdict, Verdict::Contradicted, "{claim}: {said:?}");
    }
}

#[test]
fn a_rule_in_the_words_of_the_evidence_is_borne_out() {
    for (claim, evidence) in BORNE_OUT {
        let said = judged(claim, evidence);
        assert_eq!(said.verdict, Verdict::FullySupported, "{claim}: {said:?}");
    }
}

/// Claims that permit, ask for or state what the evidence forbids, or set another limit: none of them may pass.
#[test]
fn what_the_evidence_forbids_or_limits_otherwise_is_not_supported_and_goes_to_a_person() {
    for (claim, evidence, least) in [
        (
            "Amoxicillin is suitable for people with a penicillin allergy.",
            "Do not take amoxicillin if you are allergic to penicillin.",
            Some(Verdict::Contradicted),
        ),
        (
            "Aspirin may be taken freely with warfarin.",
            "Do not take aspirin with warfarin unless your doctor tells you to.",
            Some(Verdict::Contradicted),
        ),
        (
            "It is safe throughout pregnancy.",
            "Do not take ibuprofen in the last 3 months of pregnancy.",
            None,
        ),
        (
            "If the first tablet does not help, take a second one.",
            "If the first tablet does not help, do not take a second one for the same attack.",
            None,
        ),
        (
            "Gentamicin drops may be used with a perforated eardrum.",
            "Do not use gentamicin drops if you have a perforated eardrum.",
            Some(Verdict::Contradicted),
        ),
        (
            "Give salt tablets in heart failure.",
            "Do not take salt tablets if you have heart failure.",
            Some(Verdict::Contradicted),
        ),
        (
            "You may wear the pump during an MRI scan.",
            "The pump must be taken off before an MRI scan.",
            Some(Verdict::Contradicted),
        ),
        (
            "The tablets may be crushed and mixed with food.",
            "Swallow the tablets whole. Do not crush or chew the tablets.",
            Some(Verdict::Contradicted),
        ),
        (
            "Leave at least 2 hours between doses.",
            "Leave at least 4 hours between doses.",
            Some(Verdict::Contradicted),
        ),
        (
            "Wait at least 1 week before driving.",
            "Wait at least 6 weeks before driving.",
            Some(Verdict::Contradicted),
        ),
        (
            "الجرعة القصوى من باراسيتامول للبالغين 8 غ في اليوم.",
            "الجرعة القصوى من باراسيتامول للبالغين 4 غ في اليوم.",
            Some(Verdict::Contradicted),
        ),
    ] {
        let said = judged(claim, evidence);
        assert_ne!(said.verdict, Verdict::FullySupported, "{claim}: {said:?}");
        assert!(said.support.is_some_and(|score| score.get() <= 3), "{claim}: {said:?}");
        assert!(least.is_none_or(|verdict| said.verdict == verdict), "{claim}: {said:?}");
    }
}

#[test]
fn the_same_rule_in_other_words_contradicts_nothing() {
    for (claim, evidence) in [
        ("Never take it daily.", "Take it ONCE A WEEK, never daily."),
        ("Take 8 tablets in 24 hours.", "Take not more than 8 tablets in any 24 hours."),
        ("Take at most 8 tablets in 24 hours.", "Do not take more than 8 tablets in 24 hours."),
        (
            "Swallow the tablets whole with water.",
            "Swallow the tablets whole with water and do not crush them.",
        ),
    ] {
        let said = judged(claim, evidence);
        assert_ne!(said.verdict, Verdict::Contradicted, "{claim}: {said:?}");
    }
}

#[test]
fn a_prohibition_without_an_answer_in_the_claim_is_named() {
    let said = judged(
        "It is safe throughout pregnancy.",
        "Do not take ibuprofen in the last 3 months of pregnancy.",
    );
    assert!(said.rationale.contains("vidence says “Do not take”, the claim does not"), "{said:?}");
}
