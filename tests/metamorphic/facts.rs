//! Facts of health, finance and law in two wordings: what the evidence says, and a claim that follows from it.

/// A claim, its evidence, and the changes that make it false.
pub(crate) struct Fact {
    pub(crate) claim: String,
    pub(crate) passages: Vec<String>,
    /// The claim denied.
    pub(crate) negated: Option<String>,
    /// The claim with another number.
    pub(crate) renumbered: Option<String>,
    /// The claim with two names or roles swapped.
    pub(crate) swapped: Option<String>,
}

struct Template {
    evidence: &'static str,
    claim: &'static str,
    negated: &'static str,
}

/// `{a}` and `{b}` are names, `{n}` is a number.
const HEALTH: &[Template] = &[
    Template {
        evidence: "The maximum dose of {a} for adults is {n} mg in any 24 hours. Children need less.",
        claim: "The maximum dose of {a} for adults is {n} mg in 24 hours.",
        negated: "The maximum dose of {a} for adults is not {n} mg in 24 hours.",
    },
    Template {
        evidence: "In the trial, {n} patients were treated with {a} and the others received {b}.",
        claim: "{n} patients were treated with {a} in the trial.",
        negated: "{n} patients were not treated with {a} in the trial.",
    },
    Template {
        evidence: "Pain scores after {a} were lower than after {b} at week {n}.",
        claim: "At week {n}, pain scores were lower after {a} than after {b}.",
        negated: "At week {n}, pain scores were not lower after {a} than after {b}.",
    },
    Template {
        evidence: "Nurses switched {n} patients from {a} to {b} because of side effects.",
        claim: "Because of side effects, {n} patients were switched from {a} to {b}.",
        negated: "{n} patients were not switched from {a} to {b}.",
    },
    Template {
        evidence: "{a} reduced the risk of stroke by {n} percent compared with {b}, the study found.",
        claim: "The study found that {a} reduced the risk of stroke by {n} percent compared with {b}.",
        negated: "The study found that {a} did not reduce the risk of stroke compared with {b}.",
    },
    Template {
        evidence: "Patients should stop {a} at least {n} days before surgery. {b} can be continued.",
        claim: "{a} should be stopped at least {n} days before surgery.",
        negated: "{a} should not be stopped before surgery.",
    },
    Template {
        evidence: "{a} is safe in pregnancy, while {b} is contraindicated after week {n}.",
        claim: "{b} is contraindicated after week {n} of pregnancy.",
        negated: "{b} is not contraindicated after week {n} of pregnancy.",
    },
    Template {
        evidence: "{a} was effective in {n} of the treated children. No child had a seizure.",
        claim: "{a} was effective in {n} of the children.",
        negated: "{a} was not effective in the children.",
    },
    Template {
        evidence: "Do not take {a} with {b}. Both are kept in a dry place.",
        claim: "Do not take {a} with {b}.",
        negated: "{a} may safely be combined with {b}.",
    },
    Template {
        evidence: "{a} must be stopped before surgery. Tell your doctor about every medicine.",
        claim: "{a} must be stopped before surgery.",
        negated: "You may continue {a} during surgery.",
    },
    Template {
        evidence: "Store {a} below {n} °C. Keep the bottle closed.",
        claim: "Store {a} below {n} °C.",
        negated: "Do not store {a} below {n} °C.",
    },
];

const FINANCE: &[Template] = &[
    Template {
        evidence: "{a} acquired {b} for {n} million dollars in cash.",
        claim: "{a} acquired {b} for {n} million dollars.",
        negated: "{a} did not acquire {b}.",
    },
    Template {
        evidence: "Revenue at {a} rose by {n} percent last year, while revenue at {b} fell.",
        claim: "Last year revenue at {a} rose by {n} percent.",
        negated: "Last year revenue at {a} did not rise.",
    },
    Template {
        evidence: "{a} granted {b} a loan of {n} million euros in the spring.",
        claim: "A loan of {n} million euros was granted to {b} by {a}.",
        negated: "No loan was granted to {b} by {a}.",
    },
    Template {
        evidence: "The board of {a} approved a dividend of {n} cents per share; {b} paid none.",
        claim: "{a}'s board approved a dividend of {n} cents per share.",
        negated: "{a}'s board did not approve a dividend of {n} cents per share.",
    },
    Template {
        evidence: "{a} sued {b} over {n} patents after the talks had failed.",
        claim: "{a} sued {b} over {n} patents.",
        negated: "{a} did not sue {b} over {n} patents.",
    },
    Template {
        evidence: "Customers of {a} can withdraw up to {n} dollars a day without a fee. {b} charges for it.",
        claim: "Customers of {a} can withdraw up to {n} dollars a day without a fee.",
        negated: "Customers of {a} cannot withdraw {n} dollars a day without a fee.",
    },
    Template {
        evidence: "{a} has more employees than {b}: it hired {n} people in June alone.",
        claim: "{a} has more employees than {b} and hired {n} people in June.",
        negated: "{a} does not have more employees than {b}.",
    },
    Template {
        evidence: "In 2021 {a} sold its stake of {n} percent to {b}.",
        claim: "{a} sold its {n} percent stake to {b} in 2021.",
        negated: "{a} did not sell its {n} percent stake to {b}.",
    },
];

const LEGAL: &[Template] = &[
    Template {
        evidence: "The {a} shall give the {b} {n} days' notice in writing before the agreement ends.",
        claim: "The {a} must give the {b} {n} days' notice in writing.",
        negated: "The {a} need not give the {b} {n} days' notice in writing.",
    },
    Template {
        evidence: "Within {n} days the {a} shall pay the deposit to the {b}.",
        claim: "The {a} shall pay the deposit to the {b} within {n} days.",
        negated: "The {a} shall not pay the deposit to the {b} within {n} days.",
    },
    Template {
        evidence: "The {a} may terminate the agreement if the {b} has not paid for {n} days.",
        claim: "The {a} may terminate the agreement if the {b} has not paid for {n} days.",
        negated: "The {a} may not terminate the agreement if the {b} has not paid for {n} days.",
    },
    Template {
        evidence: "The {a} is liable for damage up to {n} dollars. The {b} is not liable.",
        claim: "The {a} is liable for damage up to {n} dollars.",
        negated: "The {a} is not liable for damage.",
    },
    Template {
        evidence: "Confidential information that the {a} discloses to the {b} must be returned after {n} months.",
        claim: "Confidential information disclosed by the {a} to the {b} must be returned after {n} months.",
        negated: "Confidential information disclosed by the {a} to the {b} must not be returned.",
    },
    Template {
        evidence: "The {b} was ordered to pay {n} dollars to the {a} in damages.",
        claim: "The {b} was ordered to pay the {a} {n} dollars in damages.",
        negated: "The {b} was not ordered to pay the {a} damages.",
    },
    Template {
        evidence: "The court granted the appeal of the {a} and dismissed {n} claims of the {b}.",
        claim: "The court granted the appeal of the {a}.",
        negated: "The court did not grant the appeal of the {a}.",
    },
    Template {
        evidence: "Rent is due on the first day of the month; the {a} owes the {b} {n} percent interest on late rent.",
        claim: "The {a} owes the {b} {n} percent interest on late rent.",
        negated: "The {a} does not owe the {b} interest on late rent.",
    },
];

const DRUGS: &[(&str, &str)] = &[
    ("Warfarin", "Apixaban"),
    ("Ibuprofen", "Naproxen"),
    ("Metformin", "Gliclazide"),
    ("Amoxicillin", "Cefalexin"),
    ("Lisinopril", "Amlodipine"),
];
const COMPANIES: &[(&str, &str)] = &[
    ("Kestrel", "Harbour Bank"),
    ("Northwind", "Contoso"),
    ("Aldgate Holdings", "Merrow"),
    ("Fabrikam", "Tailspin"),
    ("Orion Energy", "Delta Foods"),
];
const PARTIES: &[(&str, &str)] = &[
    ("tenant", "landlord"),
    ("buyer", "seller"),
    ("lender", "borrower"),
    ("licensor", "licensee"),
    ("plaintiff", "defendant"),
];
/// A number, and one that it is not.
const NUMBERS: &[(&str, &str)] =
    &[("30", "90"), ("12", "21"), ("450", "540"), ("7", "17"), ("2,500", "3,500")];

/// Every template with every filling of its field.
pub(crate) fn written() -> Vec<Fact> {
    let mut facts = Vec::new();
    for (templates, names) in [(HEALTH, DRUGS), (FINANCE, COMPANIES), (LEGAL, PARTIES)] {
        for template in templates {
            for (at, (a, b)) in names.iter().enumerate() {
                let (number, other) = NUMBERS[at % NUMBERS.len()];
                facts.push(template.filled(a, b, number, other));
            }
        }
    }
    facts
}

impl Template {
    fn filled(&self, a: &str, b: &str, number: &str, other: &str) -> Fact {
        let fill = |text: &str, a: &str, b: &str, n: &str| {
            let text = text.replace("{a}", a).replace("{b}", b).replace("{n}", n);
            // A role may begin the sentence.
            let first = text.chars().next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            first + &text[text.chars().next().map_or(0, char::len_utf8)..]
        };
        Fact {
            claim: fill(self.claim, a, b, number),
            passages: vec![
                "This file was compiled from several sources and reviewed twice.".to_owned(),
                fill(self.evidence, a, b, number),
            ],
            negated: Some(fill(self.negated, a, b, number)),
            renumbered: self.claim.contains("{n}").then(|| fill(self.claim, a, b, other)),
            swapped: (self.claim.contains("{a}") && self.claim.contains("{b}"))
                .then(|| fill(self.claim, b, a, number)),
        }
    }
}
