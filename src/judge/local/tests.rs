//! What the judge says of whole records, through its own door.

mod hostile;
mod mistaken;
mod rules;

use super::*;
use crate::domain::finding::{Judged, NoClaimReason, Outcome};
use crate::domain::ids::{AuditId, PassageId};
use crate::domain::record::GivenClaim;
use crate::domain::verdict::{NoVerdict, Role, Verdict};

fn passage(id: &str, content: &str) -> Passage {
    Passage { passage_id: PassageId::new(id), content: content.into(), metadata: serde_json::Map::default() }
}

fn record(answer: &str, passages: &[&str]) -> Record {
    Record {
        audit_id: AuditId::new("r"),
        answer: answer.into(),
        passages: (1..).zip(passages).map(|(n, text)| passage(&format!("p{n}"), text)).collect(),
        question: None,
        risk_level: None,
        given_claims: Vec::new(),
        metadata: serde_json::Map::default(),
    }
}

fn reply(answer: &str, passages: &[&str]) -> FaithfulnessReply {
    LocalJudge::new().judge_record(&record(answer, passages), &FaithfulnessSettings::default())
}

fn judged_with(claim: &str, passages: &[&str]) -> Judged {
    let finding = reply(claim, passages).findings.into_iter().next().expect("one claim");
    match finding.outcome {
        Outcome::Judged(judged) => judged,
        other => panic!("{claim}: {other:?}"),
    }
}

fn judged(claim: &str, evidence: &str) -> Judged {
    judged_with(claim, &[evidence])
}

/// Claim, evidence, verdict, and what the rationale names.
const EXAMPLES: &[(&str, &str, Verdict, &str)] = &[
    // health
    (
        "Adults may take 8 g of paracetamol per day.",
        "The maximum dose of paracetamol for adults is 4 g per day.",
        Verdict::Contradicted,
        "claim says 8 g, evidence says 4 g",
    ),
    (
        "Adults may take up to 4 g of paracetamol per day.",
        "Adults may take up to 4 g of paracetamol per day in divided doses.",
        Verdict::FullySupported,
        "",
    ),
    (
        "The tablet contains 500 mg of metformin.",
        "Each tablet contains 0.5 g of metformin.",
        Verdict::FullySupported,
        "",
    ),
    (
        "The drug increased overall survival in the trial.",
        "The drug did not increase overall survival in the trial.",
        Verdict::Contradicted,
        "not increase",
    ),
    (
        "Adults may take up to 8 g of paracetamol per day.",
        "Paracetamol is the first choice for mild pain. The maximum dose for adults is 4 g in any 24 hours.",
        Verdict::Contradicted,
        "claim says 8 g, evidence says 4 g",
    ),
    (
        "Methotrexate can safely be combined with trimethoprim.",
        "Trimethoprim must not be given with methotrexate.",
        Verdict::Contradicted,
        "must not be given",
    ),
    ("Ibuprofen is safe in pregnancy.", "The stadium seats forty thousand people.", Verdict::Unsupported, ""),
    // law
    (
        "The notice period is 60 days.",
        "The notice period is sixty days from receipt.",
        Verdict::FullySupported,
        "",
    ),
    (
        "The notice period is 90 days.",
        "The notice period is sixty days from receipt.",
        Verdict::Contradicted,
        "90 days",
    ),
    (
        "The court granted the motion to dismiss.",
        "The court denied the motion to dismiss.",
        Verdict::Contradicted,
        "denied",
    ),
    (
        "The tenant shall pay the landlord.",
        "The landlord shall pay the tenant.",
        Verdict::Contradicted,
        "tenant where evidence has landlord",
    ),
    (
        "Either party may terminate with 30 days' written notice.",
        "Either party may terminate by giving 90 days' written notice. A breach is remedied within 30 days.",
        Verdict::Contradicted,
        "claim says 30 days, evidence says 90 days",
    ),
    (
        "The supplier's total liability is unlimited.",
        "Save for liability that cannot be limited by law, the supplier's total liability is limited to the charges paid.",
        Verdict::Contradicted,
        "unlimited",
    ),
    // finance
    ("Revenue rose by 12% in 2023.", "Revenue fell by 12% in 2023.", Verdict::Contradicted, "fell"),
    (
        "The bank reported a profit of $4.2 billion.",
        "The bank reported a profit of $4,200 million for the year.",
        Verdict::FullySupported,
        "",
    ),
    // Japanese and Persian
    ("空港に飛行機が一機停まっています。", "空港に飛行機が1機停まっています。", Verdict::FullySupported, ""),
    ("机の上に本が三冊あります。", "机の上に本が五冊あります。", Verdict::Contradicted, "三冊"),
    (
        "شرکت در سال ۱۳۹۵ در تهران تاسیس شد.",
        "شرکت در سال ۱۳۹۵ در شهر تهران تاسیس شد.",
        Verdict::FullySupported,
        "",
    ),
    (
        "شرکت در سال ۱۳۹۵ در تهران تاسیس شد.",
        "شرکت در سال ۱۳۸۵ در شهر تهران تاسیس شد.",
        Verdict::Contradicted,
        "۱۳۸۵",
    ),
];

#[test]
fn j55_verdicts_in_health_law_and_finance_japanese_and_persian() {
    for (claim, evidence, verdict, named) in EXAMPLES {
        let judged = judged(claim, evidence);
        assert_eq!(judged.verdict, *verdict, "{claim}: {judged:?}");
        let told = judged.rationale.to_lowercase();
        assert!(told.contains(&named.to_lowercase()), "{claim}: {}", judged.rationale);
    }
}

#[test]
fn what_does_not_matter_flips_no_verdict() {
    let elsewhere = "The museum opens at ten and closes at six. Tickets are sold at the north door.";
    for (claim, evidence, verdict, _) in EXAMPLES.iter().filter(|example| example.0.is_ascii()) {
        let spaced = evidence.replace(' ', "  ");
        let variants: [(String, Vec<&str>); 5] = [
            (claim.to_uppercase(), vec![evidence]),
            ((*claim).to_owned(), vec![&spaced]),
            ((*claim).to_owned(), vec![evidence, elsewhere]),
            ((*claim).to_owned(), vec![elsewhere, evidence]),
            (format!("  {claim}\n"), vec![evidence]),
        ];
        for (claim, passages) in variants {
            assert_eq!(judged_with(&claim, &passages).verdict, *verdict, "{claim} {passages:?}");
        }
    }
}

#[test]
fn what_matters_flips_a_supported_claim() {
    let evidence = "In 2019 the committee approved the loan of 300 million dollars to the city of Leeds.";
    let claim = "In 2019 the committee approved the loan of 300 million dollars to the city of Leeds.";
    assert_eq!(judged(claim, evidence).verdict, Verdict::FullySupported);
    for (from, to) in
        [("300", "500"), ("2019", "2016"), ("approved", "rejected"), ("approved", "did not approve")]
    {
        let changed = claim.replace(from, to);
        assert_eq!(judged(&changed, evidence).verdict, Verdict::Contradicted, "{changed}");
    }
}

#[test]
fn j46_every_sentence_gets_a_finding_or_a_reason() {
    let answer = "# Summary\nHello there!\nIs aspirin safe? Aspirin thins the blood. I think that is fine.\n\
                  - Adults take 300 mg daily.\n- Please ask your doctor.\nThe tenant pays rent; the landlord pays tax.\n\n42 %.";
    let reply = reply(answer, &["Aspirin thins the blood. Adults take 300 mg daily."]);
    let claims: Vec<&str> = reply.findings.iter().map(|finding| finding.claim_text.as_str()).collect();
    assert_eq!(
        claims,
        [
            "Aspirin thins the blood.",
            "Adults take 300 mg daily.",
            "The tenant pays rent",
            "the landlord pays tax."
        ]
    );
    let reasons: Vec<NoClaimReason> = reply.no_claims.iter().map(|entry| entry.reason).collect();
    assert_eq!(
        reasons,
        [
            NoClaimReason::Heading,
            NoClaimReason::Greeting,
            NoClaimReason::Question,
            NoClaimReason::Opinion,
            NoClaimReason::Instruction,
            NoClaimReason::Fragment,
        ]
    );
    for finding in &reply.findings {
        let span = finding.answer_span.expect("a claim of the answer has a place in it");
        assert_eq!(span.of(answer), Some(finding.claim_text.as_str()));
    }
}

#[test]
fn compound_sentences_are_split_only_where_each_half_stands_alone() {
    for (sentence, parts) in [
        ("The trial was stopped early and the sponsor was fined.", 2),
        ("The drug reduces pain and improves sleep.", 1),
        ("Pain and fever are common.", 1),
        ("The bank was founded in 1900, but it was sold in 1950.", 1),
        ("He said “the loan was repaid and the bank was closed”.", 1),
    ] {
        let claims = claims::split(sentence);
        assert_eq!(claims.len(), parts, "{sentence}: {claims:?}");
    }
}

#[test]
fn given_claims_are_judged_exactly_as_they_are() {
    let mut record = record("The dose is 4 g. Fever is common.", &["The dose is 4 g per day."]);
    record.given_claims = ["The dose is 4 g.", "Fever is common.", "Not in the answer at all."]
        .iter()
        .zip(["a", "b", "c"])
        .map(|(text, id)| GivenClaim { claim_id: Some(id.into()), claim_text: (*text).into() })
        .collect();
    let reply = LocalJudge::new().judge_record(&record, &FaithfulnessSettings::default());
    let ids: Vec<Option<&str>> = reply.findings.iter().map(|finding| finding.given_id.as_deref()).collect();
    assert_eq!(ids, [Some("a"), Some("b"), Some("c")]);
    assert_eq!(
        reply.findings[1].answer_span.and_then(|span| span.of(&record.answer)),
        Some("Fever is common.")
    );
    assert_eq!(reply.findings[2].answer_span, None);
}

#[test]
fn a_claim_of_several_sentences_is_only_as_good_as_all_of_them() {
    let evidence = "The loan was approved in May. The interest rate is 5 percent.";
    let mut record = record("-", &[evidence]);
    let claim = |text: &str| GivenClaim { claim_id: None, claim_text: text.into() };
    record.given_claims = vec![
        claim("The loan was approved in May. The interest rate is 5 percent."),
        claim("The loan was approved in May. The interest rate is 7 percent."),
        claim("The loan was approved in May. Elephants swim across rivers."),
    ];
    let verdicts: Vec<Option<Verdict>> = LocalJudge::new()
        .judge_record(&record, &FaithfulnessSettings::default())
        .findings
        .iter()
        .map(|finding| finding.outcome.judged().map(|judged| judged.verdict))
        .collect();
    assert_eq!(
        verdicts,
        [Some(Verdict::FullySupported), Some(Verdict::Contradicted), Some(Verdict::PartiallySupported)]
    );
}

/// Claims that sound like their evidence and are not borne out by it, and whether they are contradicted.
const NOT_BORNE_OUT: &[(&str, &str, bool)] = &[
    (
        "Methotrexate can safely be combined with trimethoprim.",
        "Trimethoprim and co-trimoxazole must not be given with methotrexate, because both lower folate.",
        true,
    ),
    (
        "Warfarin can be combined with ibuprofen.",
        "Warfarin must not be combined with ibuprofen unless a specialist has agreed to it.",
        true,
    ),
    (
        "Patients may take simvastatin with clarithromycin.",
        "Simvastatin is contraindicated in patients who take clarithromycin.",
        true,
    ),
    (
        "The supplier's total liability is unlimited.",
        "The supplier's total liability in any year is limited to 150 % of the charges.",
        true,
    ),
    (
        "The tenant pays for all repairs to the lifts.",
        "The landlord pays for repairs to the roof. The cost of repairs to the lifts is shared among the tenants.",
        false,
    ),
    (
        "The tenant pays for repairs to the lifts.",
        "The landlord pays for repairs to the lifts that the tenant uses.",
        false,
    ),
    (
        "All patients recovered within a week.",
        "After treatment 71 % of patients had recovered within a week.",
        false,
    ),
    ("Every member voted for the budget.", "Most members voted for the budget.", false),
];

#[test]
fn a_claim_that_only_sounds_like_its_evidence_is_never_fully_supported() {
    for (claim, evidence, contradicted) in NOT_BORNE_OUT {
        let judged = judged(claim, evidence);
        assert_ne!(judged.verdict, Verdict::FullySupported, "{claim}: {judged:?}");
        if *contradicted {
            assert_eq!(judged.verdict, Verdict::Contradicted, "{claim}: {judged:?}");
        }
    }
}

#[test]
fn what_cannot_be_judged_in_a_given_claim_is_not_left_out() {
    let given = |text: &str, evidence: &str| {
        let mut record = record("-", &[evidence]);
        record.given_claims = vec![GivenClaim { claim_id: None, claim_text: text.into() }];
        LocalJudge::new().judge_record(&record, &FaithfulnessSettings::default()).findings.remove(0).outcome
    };
    let evidence = "The maximum dose is 4 g per day.";
    for claim in [
        "The maximum dose is 4 g per day. ผู้ใหญ่รับประทานยาได้วันละแปดกรัม.",
        "The maximum dose is 4 g per day. الجرعة القصوى ثمانية غرامات.",
        "The maximum dose is 4 g per day. Take aspirin with it.",
        "The maximum dose is 4 g per day. Is aspirin safe?",
    ] {
        let outcome = given(claim, evidence);
        let verdict = outcome.judged().map(|judged| judged.verdict);
        assert_eq!(verdict, Some(Verdict::PartiallySupported), "{claim}: {outcome:?}");
    }
    for claim in [
        "The maximum dose is 4 g ผู้ใหญ่รับประทานยาได้วันละแปดกรัม per day.",
        "Elephants swim. ผู้ใหญ่รับประทานยาได้วันละแปดกรัม.",
    ] {
        let outcome = given(claim, evidence);
        assert!(
            matches!(outcome, Outcome::NotJudged { state: NoVerdict::NotChecked, .. }),
            "{claim}: {outcome:?}"
        );
    }
    let outcome = given("The maximum dose is 8 g per day. ผู้ใหญ่รับประทานยา.", evidence);
    assert_eq!(outcome.judged().map(|judged| judged.verdict), Some(Verdict::Contradicted));
}

#[test]
fn a_number_is_compared_with_the_number_of_the_same_thing_and_that_clause_is_cited() {
    let text = "In the north, where revenue rose by 9 %; costs were stable, and the operating margin was 16.4 % \
                (2023: 17.1 %). The board met twice.";
    let judged = judged("The operating margin rose to 18.3 %.", text);
    assert_eq!(judged.verdict, Verdict::Contradicted, "{judged:?}");
    assert!(judged.rationale.contains("evidence says 16.4 %"), "{judged:?}");
    assert_eq!(judged.citations[0].quote, "the operating margin was 16.4 % (2023: 17.1 %).");
}

#[test]
fn a_supported_claim_cites_no_sentence_it_does_not_need() {
    let text = "Paracetamol is the first choice for mild pain. The usual oral dose is 0.5 g to 1 g every 4 to 6 hours.";
    let judged = judged("The usual oral dose of paracetamol is 500 mg to 1 g every 4 to 6 hours.", text);
    assert_eq!(judged.verdict, Verdict::FullySupported, "{judged:?}");
    let quotes: Vec<&str> = judged.citations.iter().map(|citation| citation.quote.as_str()).collect();
    assert_eq!(quotes, ["The usual oral dose is 0.5 g to 1 g every 4 to 6 hours."]);
}

#[test]
fn other_languages_are_contradicted_by_amounts_and_negation_only() {
    for (claim, evidence) in [
        ("女性が公園で犬と走っています。", "女性が公園で猫と走っています。"),
        ("مرد در پارک سیب می‌خورد.", "مرد در پارک نان می‌خورد."),
        ("Presiden Joko tinggal di kota Medan.", "Presiden Joko tinggal di kota Padang."),
    ] {
        let judged = judged(claim, evidence);
        assert_ne!(judged.verdict, Verdict::Contradicted, "{claim}: {judged:?}");
    }
    let persian = judged(EXAMPLES[EXAMPLES.len() - 1].0, EXAMPLES[EXAMPLES.len() - 1].1);
    assert!(persian.confidence.get() <= 0.4, "{persian:?}");
}

#[test]
fn a_word_that_begins_a_sentence_is_no_other_name() {
    let judged = judged(
        "The customer is insured with BestInsuranceXYZ.",
        "Agent: May I ask who the customer is insured with? Customer: Great Plans are insured with.",
    );
    assert!(!judged.rationale.contains("evidence says Great"), "{judged:?}");
}

#[test]
fn the_cited_span_is_the_sentence_that_decides() {
    let text = "Paracetamol is sold over the counter. The maximum dose of paracetamol for adults is 4 g per day. \
                Store it in a dry place.";
    let judged = judged("Adults may take 8 g of paracetamol per day.", text);
    let [citation] = judged.citations.as_slice() else { panic!("{judged:?}") };
    assert_eq!(citation.quote, "The maximum dose of paracetamol for adults is 4 g per day.");
    assert_eq!(citation.span.and_then(|span| span.of(text)), Some(citation.quote.as_str()));
    assert_eq!(citation.role, Role::Contradicts);
}

#[test]
fn an_unsupported_claim_cites_what_comes_closest_and_nothing_when_nothing_is_shared() {
    let text = "The museum opens at ten. The committee approved the loan in May.";
    let near = judged("The committee met the mayor of Leeds twice in spring.", text);
    assert_eq!(near.verdict, Verdict::Unsupported, "{near:?}");
    let [citation] = near.citations.as_slice() else { panic!("{near:?}") };
    assert_eq!(
        (citation.role, citation.quote.as_str()),
        (Role::Closest, "The committee approved the loan in May.")
    );
    assert!(!citation.is_grounded());
    assert_eq!(judged("Elephants swim across rivers.", text).citations, []);
}

fn not_checked(reply: &FaithfulnessReply) -> &str {
    match &reply.findings[0].outcome {
        Outcome::NotJudged { state: NoVerdict::NotChecked, reason } => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_compared_is_not_checked_and_says_why() {
    assert!(not_checked(&reply("ผู้ใหญ่รับประทานยาได้วันละสี่กรัม", &["ผู้ใหญ่รับประทานยาได้"])).contains("Thai"));
    let other_script = reply("The dose is 4 g per day.", &["دوز دارو ۴ گرم در روز است"]);
    assert!(not_checked(&other_script).contains("translate"));
}

#[test]
fn j54_too_much_text_is_refused_with_the_limit_named() {
    let long_claim = format!("The dose is {}.", "very ".repeat(5_000));
    assert!(not_checked(&reply(&long_claim, &["The dose is high."])).contains(&LONGEST_CLAIM.to_string()));
    let evidence = "The dose is high. ".repeat(MOST_EVIDENCE / 18 + 2);
    assert!(not_checked(&reply("The dose is high.", &[&evidence])).contains(&MOST_EVIDENCE.to_string()));
    let answer = "The dose is high. ".repeat(LONGEST_ANSWER / 18 + 2);
    assert!(not_checked(&reply(&answer, &["The dose is high."])).contains(&LONGEST_ANSWER.to_string()));
}

#[test]
fn j54_evidence_at_the_end_of_a_long_passage_counts() {
    let mut text = "The weather was mild on that day in spring. ".repeat(5_000);
    text.push_str("The maximum dose of paracetamol is 4 g per day.");
    assert_eq!(
        judged("The maximum dose of paracetamol is 4 g per day.", &text).verdict,
        Verdict::FullySupported
    );
}

#[test]
fn support_scores_follow_the_rubric() {
    let score = |claim: &str, text: &str| {
        LocalJudge::new().score_claim(claim, &passage("p", text)).expect("scored").score.get()
    };
    let claim = "The notice period is 60 days.";
    assert_eq!(score(claim, "The notice period is 60 days."), 5);
    assert_eq!(score(claim, "The notice period is 30 days."), 1);
    assert_eq!(score(claim, "Elephants swim across rivers."), 1);
    assert!(LocalJudge::new().score_claim("…", &passage("p", "text")).is_err());
}

#[test]
fn the_identity_changes_with_the_word_lists_and_not_with_the_run() {
    let identity = LocalJudge::new().identity();
    assert_eq!(identity, LocalJudge::new().identity());
    assert_eq!((identity.judge.as_str(), identity.prompt_sha256.len()), ("local", 64));
    assert_eq!(identity.prompt_version, format!("local-1.{}", &identity.prompt_sha256[..8]));
}
