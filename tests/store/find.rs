//! Finding claims by filter: every field, words, pages, counts, and that it can be stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use juror::domain::decision::{Basis, ReasonCode, Request};
use juror::domain::filter::Filter;
use juror::domain::ids::{Annotator, ClaimKey};
use juror::domain::queue::{QueueRow, Side};
use juror::domain::record::RiskLevel;
use juror::domain::verdict::{NoVerdict, Severity, Verdict};
use juror::store::{PageAt, StoreError};

use crate::fixture::*;

fn filter(text: &str) -> Filter {
    text.parse().unwrap()
}

fn ids(rows: &[QueueRow]) -> Vec<String> {
    rows.iter().map(|row| row.id.to_string()).collect()
}

fn searched(desk: &Desk, text: &str, limit: usize) -> Vec<QueueRow> {
    let filter = Filter::everywhere().and(Filter::of_words(text));
    desk.store.found_page(&filter, &Annotator::new("ana"), PageAt::Top, limit, at(2)).unwrap()
}

/// Everything that fits, as `ana` sees it; counted too.
fn found(desk: &Desk, text: &str) -> Vec<String> {
    let filter = filter(text);
    let rows = desk.store.found_page(&filter, &Annotator::new("ana"), PageAt::Top, 1000, at(7200)).unwrap();
    assert_eq!(desk.store.found_count(&filter, at(7200)).unwrap(), rows.len() as u64, "{text}");
    ids(&rows)
}

/// A claim that nobody is asked about.
fn fine(text: &str) -> juror::domain::finding::Finding {
    let mut finding = claim(text, Verdict::FullySupported, None, 1.0);
    if let juror::domain::finding::Outcome::Judged(judged) = &mut finding.outcome {
        judged.support = juror::domain::verdict::Score::new(5);
    }
    finding
}

/// `a-1`: a CRITICAL contradiction and two lesser ones; `a-2` of CRITICAL risk, an hour later; `b`.
fn several() -> (Desk, Vec<ClaimKey>) {
    let mut desk = desk();
    let mut keys = desk.audited(
        &record("a-1"),
        vec![
            contradicted("worst dose"),
            claim("some words", Verdict::Unsupported, Some(Severity::High), 0.75),
            claim("partial words", Verdict::PartiallySupported, Some(Severity::Low), 0.4),
        ],
    );
    desk.store.import(&[line_of(&risky("a-2", RiskLevel::Critical))], at(3600)).unwrap();
    keys.extend(desk.audit(vec![ungrounded("loose words"), fine("fine words")], at(3600)));
    desk.store.import(&[line_of(&record("b"))], at(7100)).unwrap();
    keys.extend(desk.audit(vec![without_verdict(NoVerdict::NotChecked)], at(7100)));
    (desk, keys)
}

#[test]
fn every_field_finds_what_it_says() {
    let (desk, _) = several();
    for (query, expected) in [
        ("", &["a-1#1", "a-2#1", "a-1#2", "b#1", "a-1#3", "a-2#2"][..]),
        ("severity>=high", &["a-1#1", "a-2#1", "a-1#2"]),
        ("severity<medium", &["a-1#3", "a-2#2"]),
        ("severity:none", &["a-2#2"]),
        ("-severity:critical", &["a-1#2", "b#1", "a-1#3", "a-2#2"]),
        ("severity<none", &[]),
        ("verdict:contradicted", &["a-1#1"]),
        ("verdict:partial", &["a-1#3"]),
        ("-verdict:partial severity:low", &[]),
        ("state:ungrounded", &["a-2#1"]),
        ("state:not_checked", &["b#1"]),
        ("state:failed", &[]),
        ("-state:judged", &["a-2#1", "b#1"]),
        ("risk:critical", &["a-2#1", "a-2#2"]),
        ("risk<=medium verdict:unsupported", &["a-1#2"]),
        ("confidence<0.7", &["a-1#3"]),
        ("confidence:0.75", &["a-1#2"]),
        ("-confidence>=0", &["b#1"]),
        ("age<2h", &["a-2#1", "b#1", "a-2#2"]),
        ("age<=100s", &["b#1"]),
        ("age>=2h", &["a-1#1", "a-1#2", "a-1#3"]),
        ("model:LOCAL-1 judge:loc* prompt:rules-1 id:b", &["b#1"]),
        ("model:gpt*", &[]),
        ("-model:local*", &[]),
        ("id:a-* severity:low", &["a-1#3"]),
        ("id:a-1", &["a-1#1", "a-1#2", "a-1#3"]),
        ("id:a-1#2", &["a-1#2"]),
        ("-id:a-* -id:c", &["b#1"]),
        ("word", &["a-2#1", "a-1#2", "a-1#3", "a-2#2"]),
        ("\"words\" -\"fine words\" -loose", &["a-1#2", "a-1#3"]),
        ("\"words some\"", &[]),
        ("is:any severity:none", &["a-2#2"]),
        ("is:decided", &[]),
        ("is:open is:decided", &[]),
    ] {
        assert_eq!(found(&desk, query), expected, "{query}");
    }
}

#[test]
fn what_people_did_is_found() {
    let (mut desk, keys) = several();
    let reason = |code| Basis { reason: Some(code), ..Basis::default() };
    desk.store
        .decide(keys[0], &Request::Confirm, reason(ReasonCode::NumberWrong), &actor("Ana"), at(1))
        .unwrap();
    desk.store.decide(keys[1], &Request::Confirm, Basis::default(), &actor("ben"), at(1)).unwrap();
    desk.store.decide(keys[2], &Request::Flag(true), Basis::default(), &actor("ben"), at(1)).unwrap();
    let note = Request::Annotate { note: "ask the pharmacist".into() };
    desk.store.decide(keys[3], &note, Basis::default(), &actor("ben"), at(1)).unwrap();
    for (query, expected) in [
        ("", &["a-2#1", "b#1", "a-1#3", "a-2#2"][..]),
        ("by:ana", &["a-1#1"]),
        ("by:*", &["a-1#1", "a-1#2"]),
        ("by:* is:open", &[]),
        ("-by:ana is:decided", &["a-1#2"]),
        ("reason:*", &["a-1#1"]),
        ("reason:number_wrong", &["a-1#1"]),
        ("-reason:* is:decided", &["a-1#2"]),
        ("flag:*", &["a-1#3"]),
        ("flag:b*", &["a-1#3"]),
        ("flag:ana", &[]),
        ("note:*", &["a-2#1"]),
        ("note:pharm*", &["a-2#1"]),
        ("note:pharm", &[]),
        ("-note:* severity>low", &["b#1"]),
        ("pharmacist", &["a-2#1"]),
        ("is:any words", &["a-2#1", "a-1#3", "a-2#2", "a-1#2"]),
    ] {
        assert_eq!(found(&desk, query), expected, "{query}");
    }
    desk.store.undo(&actor("ben"), at(2)).unwrap();
    desk.store.undo(&actor("ben"), at(2)).unwrap();
    assert_eq!(found(&desk, "flag:*"), Vec::<String>::new(), "what changes is looked up again");
}

#[test]
fn pages_under_a_filter_are_those_of_the_whole_list() {
    let mut desk = desk();
    let verdicts = [Verdict::Contradicted, Verdict::Unsupported, Verdict::PartiallySupported];
    let mut findings = Vec::new();
    for n in 0..120_usize {
        let severity = Severity::ALL[n % 4];
        let word = if n % 3 == 0 { "odd" } else { "even" };
        findings.push(claim(&format!("{word} {n}"), verdicts[n % 3], Some(severity), (n % 7) as f64 / 7.0));
    }
    findings.extend((0..20).map(|n| fine(&format!("odd fine {n}"))));
    let keys = desk.audited(&record("rx"), findings);
    for key in keys.iter().step_by(9).filter(|key| key.0 <= 120) {
        desk.store.decide(*key, &Request::Confirm, Basis::default(), &actor("ben"), at(1)).unwrap();
    }
    for key in keys.iter().step_by(7).filter(|key| key.0 <= 120 && (key.0 - 1) % 9 != 0) {
        desk.store.decide(*key, &Request::Skip(true), Basis::default(), &actor("ana"), at(1)).unwrap();
    }
    let ana = Annotator::new("ana");
    for query in
        ["odd", "-odd", "severity>=high", "is:any odd", "is:any -odd confidence<0.8", "is:decided", "is:any"]
    {
        let filter = filter(query);
        let page = |at_, limit| {
            let rows = desk.store.found_page(&filter, &ana, at_, limit, at(2)).unwrap();
            rows.iter().map(|row| row.key).collect::<Vec<_>>()
        };
        let all = page(PageAt::Top, 1000);
        assert!(all.len() > 10, "{query}: {}", all.len());
        assert_eq!(desk.store.found_count(&filter, at(2)).unwrap(), all.len() as u64, "{query}");
        assert_eq!(page(PageAt::Bottom, 1000), all, "{query}");
        assert_eq!(page(PageAt::Bottom, 5), all[all.len() - 5..], "{query}");
        for (at_, key) in all.iter().enumerate() {
            assert_eq!(
                page(PageAt::After(*key), 4),
                all[at_ + 1..].iter().take(4).copied().collect::<Vec<_>>()
            );
            assert_eq!(page(PageAt::From(*key), 4), all[at_..].iter().take(4).copied().collect::<Vec<_>>());
            assert_eq!(page(PageAt::Before(*key), 4), all[at_.saturating_sub(4)..at_], "{query}");
        }
    }
    let whole: Vec<_> = desk.open_rows("ana").iter().map(|row| row.key).collect();
    let none = desk.store.found_page(&Filter::default(), &ana, PageAt::Top, 1000, at(2)).unwrap();
    assert_eq!(none.iter().map(|row| row.key).collect::<Vec<_>>(), whole, "no filter, no difference");
}

#[test]
fn values_are_bound_and_never_part_of_the_question() {
    let (desk, _) = several();
    for odd in
        ["id:\"x' OR '1'='1\"", "model:\"a') OR 1 --\"", "by:\"?1\"", "note:\"\\\" OR b\"", "\"' OR 1=1 --\""]
    {
        assert_eq!(found(&desk, odd), Vec::<String>::new(), "{odd}");
    }
}

#[test]
fn news_outside_the_filter_is_told_apart() {
    let (mut desk, keys) = several();
    let last = *keys.last().unwrap();
    desk.import(&record("new"));
    desk.audit(vec![contradicted("new dose"), contradicted("another")], at(7150));
    let since = (last, last);
    assert_eq!(desk.store.arrived_beside(Side::Above, last, since).unwrap(), (2, 0));
    let outside =
        |text: &str| desk.store.arrived_outside(&filter(text), Side::Above, last, since, at(7200)).unwrap();
    assert_eq!(outside("severity:critical"), 0);
    assert_eq!(outside("severity:low"), 2);
    assert_eq!(outside("\"new dose\""), 1);
    assert_eq!(outside("is:decided"), 2);
}

#[test]
fn a_reading_can_be_stopped_and_the_next_one_works() {
    let mut desk = desk();
    let words =
        (0..400).map(|n| claim(&format!("word {n}"), Verdict::Unsupported, Some(Severity::High), 0.5));
    desk.audited(&record("rx"), words.collect());
    let asked = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&asked);
    desk.store.stop_when(move || seen.fetch_add(1, Ordering::Relaxed) == 0).unwrap();
    let slow = filter("risk:medium -state:failed -confidence<0.1 -severity:low");
    let mut stopped = 0;
    for _ in 0..200 {
        match desk.store.found_count(&slow, at(2)) {
            Err(StoreError::Stopped) => stopped += 1,
            count => assert_eq!(count.unwrap(), 400),
        }
    }
    assert_eq!(stopped, 1);
}

#[test]
fn search_finds_claims_answers_and_notes() {
    let mut desk = desk();
    let mut other = record("rx-2");
    other.answer = "Quite another answer: ムンプスは流行性耳下腺炎です。".into();
    let keys = desk.audited(&record("rx-1"), vec![contradicted("Café doses differ"), contradicted("b")]);
    let mut finding = contradicted("ムンプスの潜伏期間");
    finding.answer_span = None;
    desk.audited(&other, vec![finding]);
    let note = Request::Annotate { note: "ask the pharmacist".into() };
    desk.store.decide(keys[1], &note, Basis::default(), &actor("ana"), at(1)).unwrap();
    let found = |text: &str| ids(&searched(&desk, text, 10));
    assert_eq!(found("cafe diff"), ["rx-1#1"], "accents and word ends do not matter");
    assert_eq!(found("PARACETAMOL"), ["rx-1#1", "rx-1#2"], "in the answer");
    assert_eq!(found("pharmacist"), ["rx-1#2"], "in a note");
    assert_eq!(found("another"), ["rx-2#1"]);
    assert_eq!(found("diff pharm"), Vec::<String>::new());
    assert_eq!(found("b ask"), ["rx-1#2"], "one word in the claim, one in a note");
    assert_eq!(found("潜伏"), ["rx-2#1"], "no spaces between words");
    assert_eq!(found("nowhere"), Vec::<String>::new());
    for syntax in ["\"", "a OR", "NEAR(", "b*", "-", "col:x", "(", "\0", "  "] {
        let _ = found(syntax);
    }
}

#[test]
fn found_claims_stand_open_ones_first_in_queue_order_then_decided_then_the_rest() {
    let mut desk = desk();
    let fine = |n: u32| {
        let mut finding = claim(&format!("needle fine {n}"), Verdict::FullySupported, None, 1.0);
        if let juror::domain::finding::Outcome::Judged(judged) = &mut finding.outcome {
            judged.support = juror::domain::verdict::Score::new(5);
        }
        finding
    };
    let mut findings: Vec<_> = (0..40).map(fine).collect();
    let low = |n| claim(&format!("needle {n}"), Verdict::Unsupported, Some(Severity::Low), 0.5);
    findings.extend((0..300).map(low));
    findings.push(contradicted("needle worst"));
    findings.push(contradicted("needle decided"));
    let keys = desk.audited(&record("rx-1"), findings);
    let decided = keys[keys.len() - 1];
    let routed = desk.open_rows("ana");
    desk.store.decide(decided, &Request::Confirm, Basis::default(), &actor("ana"), at(1)).unwrap();
    let found = searched(&desk, "needle", 1000);
    assert_eq!(found.len(), keys.len());
    assert_eq!(ids(&found)[..routed.len() - 1], desk.open_ids("ana")[..]);
    assert_eq!(found[routed.len() - 1].key, decided);
    assert_eq!(searched(&desk, "needle", 1)[0].claim_text, "needle worst");
}

#[test]
fn search_takes_any_text_for_what_it_is() {
    let mut desk = desk();
    desk.audited(&record("rx-1"), vec![contradicted("AND the \"dose\" of C++ (8 g)")]);
    let found = |text: &str| searched(&desk, text, 10).len();
    assert_eq!(found("AND \"dose\""), 1);
    assert_eq!(found("c++ (8"), 1);
    assert_eq!(found("and NOT"), 0, "two words, no syntax");
    let long = "dose ".repeat(100_000);
    assert_eq!(found(&long), 1);
    for odd in [
        "* - + ^ : ( ) { } \"",
        "a* OR b",
        "\u{0}\u{0}",
        "claim_text:dose",
        "NEAR(a b)",
        &"x".repeat(1 << 20),
        "\u{1b}[31m",
        "💊",
        "e\u{301}",
    ] {
        let _ = found(odd);
    }
}
