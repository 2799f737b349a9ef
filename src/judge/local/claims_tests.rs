use super::*;

/// What each sentence of `answer` became, one line each.
fn shown(answer: &str, granularity: Granularity) -> Vec<String> {
    let show = |piece: Piece| match piece {
        Piece::Claim(span) => span.of(answer).expect("a place in the answer").to_owned(),
        Piece::NoClaim(entry) => {
            format!("{}: {}", entry.reason, entry.answer_span.of(answer).expect("a place"))
        }
    };
    cut(answer, granularity).into_iter().map(show).collect()
}

#[track_caller]
fn check(answer: &str, expected: &[&str]) {
    assert_eq!(shown(answer, Granularity::Atomic), expected);
}

#[test]
fn what_evidence_cannot_decide_is_no_claim_and_says_why() {
    check(
        "Hello! Is it safe? I think it is fine.",
        &["GREETING: Hello!", "QUESTION: Is it safe?", "OPINION: I think it is fine."],
    );
    check(
        "Please ask your doctor before you stop.",
        &["INSTRUCTION: Please ask your doctor before you stop."],
    );
    check("However, I think that it is too early.", &["OPINION: However, I think that it is too early."]);
    check("Thank you for your patience!", &["GREETING: Thank you for your patience!"]);
    check("## Side effects\n\nNausea is common.", &["HEADING: Side effects", "Nausea is common."]);
    check("Side effects: nausea is common.", &["Side effects: nausea is common."]);
}

#[test]
fn what_only_looks_like_a_courtesy_an_order_or_an_opinion_is_a_claim() {
    for claim in [
        "No deaths occurred.",
        "No serious side effects.",
        "Yes, the drug is safe.",
        "Contact lenses are safe.",
        "Visit numbers rose by half.",
        "The following drugs are contraindicated in pregnancy.",
        "It is important to avoid alcohol with metronidazole.",
        "Of course the bank was sold in May.",
    ] {
        check(claim, &[claim]);
    }
}

#[test]
fn words_that_announce_a_statement_are_not_part_of_it() {
    check("It should be noted that the dose is 4 g.", &["the dose is 4 g."]);
    check("However, it’s worth noting that the dose is 4 g.", &["the dose is 4 g."]);
    check(
        "Please note that the dose is 4 g and the drug is safe.",
        &["the dose is 4 g", "the drug is safe."],
    );
}

#[test]
fn an_announcement_and_its_short_items_are_one_claim() {
    check(
        "Side effects include:\n- nausea\n- fever\n\nThe dose is 4 g.",
        &["Side effects include:\n- nausea\n- fever", "The dose is 4 g."],
    );
    check(
        "Doses:\n- Adults take 4 g a day.\n- Children take 1 g a day.",
        &["HEADING: Doses:", "Adults take 4 g a day.", "Children take 1 g a day."],
    );
}

#[test]
fn a_sentence_can_be_kept_whole() {
    let answer = "The trial was stopped early and the sponsor was fined. Really?";
    assert_eq!(
        shown(answer, Granularity::Sentence),
        ["The trial was stopped early and the sponsor was fined.", "QUESTION: Really?"]
    );
    assert_eq!(shown(answer, Granularity::Atomic).len(), 3);
}

#[test]
fn tables_lists_and_quotations_keep_their_places() {
    check(
        "| Q1 2023 | $4.1 million |\n| Q2 2023 | $4.6 million |",
        &["Q1 2023 | $4.1 million", "Q2 2023 | $4.6 million"],
    );
    check(
        "1. The dose is 4.5 g.\n2) Dr. Smith agreed.\n* It fell by 3.2%.",
        &["The dose is 4.5 g.", "Dr. Smith agreed.", "It fell by 3.2%."],
    );
    check("“It is safe. It is cheap,” he said.", &["“It is safe.", "It is cheap,” he said."]);
    check("Roe v. Wade was decided in 1973.", &["Roe v. Wade was decided in 1973."]);
}

#[test]
fn every_script_is_cut_into_segments() {
    for (answer, count) in [
        ("用量是五毫克。没有副作用。", 2),
        ("用量は5ミリグラムです。副作用はありません。", 2),
        ("دوز دارو ۵ میلی‌گرم است. دارو بی‌خطر است.", 2),
        ("खुराक पाँच मिलीग्राम है। यह दवा सुरक्षित है।", 2),
        ("Доза равна 5 мг. Она безопасна для детей.", 2),
        ("መጠኑ አምስት ግራም ነው። መድኃኒቱ ደህና ነው።", 2),
        ("ขนาดยาคือห้ามิลลิกรัม ยานี้ปลอดภัย", 1),
        ("ကျွန်ုပ်တို့ ဆေးကို စစ်ဆေးသည်။ ဆေးသည် ဘေးကင်းသည်။", 2),
        ("용량은 5밀리그램이다. 이 약은 안전하다.", 2),
        ("སྨན་འདི་བཟང་པོ་ཡིན། སྨན་འདི་རིན་ཆེན་ཡིན།", 2),
    ] {
        let found = cut(answer, Granularity::Atomic);
        assert_eq!(found.len(), count, "{answer}: {found:?}");
        assert!(found.iter().all(|piece| matches!(piece, Piece::Claim(_))), "{answer}: {found:?}");
    }
}

#[test]
fn a_line_break_in_a_claim_that_came_in_is_a_space() {
    let texts = |claim: &str| -> Vec<String> {
        let piece = |piece: Piece| piece.span().of(claim).expect("a place in the claim").to_owned();
        split(claim).into_iter().map(piece).collect()
    };
    assert_eq!(texts("Part of Le\nJayenge was shot\nin 1990."), ["Part of Le\nJayenge was shot\nin 1990."]);
    assert_eq!(texts("It rains.\nIt is cold."), ["It rains.", "It is cold."]);
    assert_eq!(texts("- It rains today\n- It is cold"), ["It rains today", "It is cold"]);
}
