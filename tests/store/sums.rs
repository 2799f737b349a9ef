//! What is kept so that nobody has to count: the same as a slow count, whatever was done.

use std::collections::BTreeMap;

use juror::domain::calibration::{Calibration, CalibrationState};
use juror::domain::decision::{Basis, HumanVerdict, Request, Ruling};
use juror::domain::finding::{Finding, JudgeIdentity, Judged, Outcome, RunResult};
use juror::domain::ids::{AuditId, ClaimKey, PassageId};
use juror::domain::record::{GivenClaim, Passage, Record};
use juror::domain::routing::Policy;
use juror::domain::span::Span;
use juror::domain::time::Timestamp;
use juror::domain::verdict::{Citation, MatchLevel, NoVerdict, Probability, Role, Score, Severity, Verdict};
use juror::measure::scores::Spread;
use juror::store::{KeptScore, Routed, ScoredPair};
use proptest::prelude::*;
use serde_json::json;

use crate::fixture::{
    Desk, START, actor, at, claim, contradicted, desk, identity, line_of, record, without_verdict,
};

const DAY: u64 = 86_400;

/// What a judge may say of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    Score(u8),
    Ungrounded,
    Failed,
}

/// The pair of that claim with that source.
pub(crate) fn pair(claim: usize, source: usize, said: Said, confidence: f64) -> ScoredPair {
    let text = format!("Claim {claim} of the pair.");
    let content = format!("Source {source} says so.");
    let metadata = serde_json::json!({ "retrieval": format!("way-{}", source % 2), "model_version": "m-1" });
    let record = Record {
        audit_id: AuditId::new(format!("c{claim}@s{source}")),
        answer: text.clone(),
        passages: vec![Passage {
            passage_id: PassageId::new(format!("s{source}")),
            content: content.clone(),
            metadata: serde_json::Map::new(),
        }],
        question: None,
        risk_level: None,
        given_claims: vec![GivenClaim { claim_id: Some(format!("c{claim}")), claim_text: text.clone() }],
        metadata: serde_json::from_value(metadata).unwrap(),
    };
    let judged = |score: Score| Judged {
        verdict: score.verdict(),
        confidence: Probability::new(confidence).unwrap(),
        severity: (score.get() < 3).then_some(Severity::High),
        hallucination_type: None,
        citations: vec![Citation {
            passage_id: PassageId::new(format!("s{source}")),
            span: Span::new(&content, 0..6),
            quote: content[..6].into(),
            role: Role::Supports,
            level: MatchLevel::Exact,
        }],
        rationale: "because".into(),
        support: Some(score),
    };
    let outcome = match said {
        Said::Score(score) => Outcome::Judged(judged(Score::new(score).unwrap())),
        Said::Ungrounded => {
            Outcome::Ungrounded(Judged { citations: Vec::new(), ..judged(Score::new(4).unwrap()) })
        }
        Said::Failed => Outcome::NotJudged { state: NoVerdict::Failed, reason: "it broke".into() },
    };
    let finding =
        Finding { claim_text: text.clone(), given_id: None, answer_span: Span::new(&text, 0..5), outcome };
    let result = RunResult {
        identity: identity(),
        instrument: "support",
        findings: vec![finding],
        no_claims: Vec::new(),
        exchanges: Vec::new(),
    };
    ScoredPair { new: line_of(&record), result, started: START, routed: Routed::ByPolicy }
}

/// The claim of the current run of that record.
fn key_of(desk: &Desk, audit_id: &str) -> ClaimKey {
    let sql =
        "SELECT c.id FROM record r JOIN work w ON w.record_id = r.id JOIN claim c ON c.run_id = w.run_id
               WHERE r.audit_id = ?1";
    ClaimKey(desk.sql().query_row(sql, [audit_id], |row| row.get(0)).unwrap())
}

fn ruled(score: u8) -> Request {
    let score = Score::new(score).unwrap();
    Request::Override(Ruling { score: Some(score), ..Ruling::only(HumanVerdict::from(score.verdict())) })
}

#[test]
fn pairs_add_up_by_score_source_and_way_of_retrieval() {
    let mut desk = desk();
    let pairs = [
        pair(1, 1, Said::Score(1), 0.9),
        pair(2, 1, Said::Score(2), 0.8),
        pair(3, 1, Said::Score(1), 0.6),
        pair(4, 2, Said::Score(5), 0.9),
        pair(5, 2, Said::Score(2), 0.9),
        pair(6, 3, Said::Ungrounded, 0.9),
        pair(7, 3, Said::Failed, 0.9),
    ];
    let kept = desk.store.keep_scores(&pairs, &Policy::default(), at(5)).unwrap();
    assert!(kept.iter().all(|kept| matches!(kept, KeptScore::Kept { .. })), "{kept:?}");
    let key = key_of(&desk, "c1@s1");
    desk.store.decide(key, &ruled(3), Basis::default(), &actor("ana"), at(9)).unwrap();
    let key = key_of(&desk, "c5@s2");
    desk.store.decide(key, &ruled(2), Basis::default(), &actor("ana"), at(9)).unwrap();

    let support = desk.store.support().unwrap();
    assert_eq!(support.all.counts, [2, 2, 0, 0, 1]);
    assert_eq!(support.all.without, BTreeMap::from([("UNGROUNDED", 1), ("FAILED", 1)]));
    assert_eq!(support.people.counts, [0, 1, 1, 0, 0]);
    assert_eq!(support.agreed, (1, 2), "of two that both have a score one is the same");
    let sources: Vec<(&str, u64, u64)> =
        support.sources.worst.iter().map(|(name, of)| (name.as_str(), of.weak(), of.n())).collect();
    assert_eq!(
        sources,
        [("s1", 3, 3), ("s2", 1, 2), ("s3", 0, 0)],
        "the worst first, one without a score last"
    );
    assert_eq!((support.sources.all, support.retrievals.all, support.models.all), (3, 2, 1));

    let worst = desk.store.worst_pairs(0, 3).unwrap();
    let told: Vec<(String, u8, Option<u8>, Option<bool>)> = worst
        .iter()
        .map(|pair| (pair.id.to_string(), pair.score.get(), pair.ruled.map(Score::get), pair.open))
        .collect();
    assert_eq!(
        told,
        [
            ("c1@s1#1".to_owned(), 1, Some(3), Some(false)),
            ("c3@s1#1".to_owned(), 1, None, Some(true)),
            ("c5@s2#1".to_owned(), 2, Some(2), Some(false)),
        ],
        "the lowest first, the surest first among equals"
    );
    assert_eq!(desk.store.worst_pairs(3, 9).unwrap().len(), 2);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_pair_scored_again_counts_once_with_its_new_score() {
    let mut desk = desk();
    desk.store.keep_scores(&[pair(1, 1, Said::Score(1), 0.9)], &Policy::default(), at(5)).unwrap();
    desk.store.keep_scores(&[pair(1, 1, Said::Score(4), 0.9)], &Policy::default(), at(6)).unwrap();
    let support = desk.store.support().unwrap();
    assert_eq!(support.all.counts, [0, 0, 0, 1, 0]);
    assert_eq!(support.sources.worst.len(), 1);
    assert_eq!(support.sources.worst[0].1.counts, [0, 0, 0, 1, 0]);
    assert_eq!(desk.store.worst_pairs(0, 9).unwrap().len(), 1);
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn verify_names_the_first_sum_that_does_not_add_up() {
    const PAIR: &str =
        "pair c1@s1#1: its score among all pairs does not follow from its audit and its record";
    for (sql, expected) in [
        (
            "UPDATE judged_day SET n = n + 1",
            "what judges said by day does not add up (2026-05-28, JUDGED): it does not follow from the audits",
        ),
        (
            "INSERT INTO judged_hour VALUES ('2026-05-28T20', 'bot-7', 'p32', 'CONTRADICTED', 1)",
            "what judges said by the hour does not add up (2026-05-28T20): it does not follow from the audits",
        ),
        (
            "DELETE FROM arrived_day",
            "what came into the queue by day does not add up (2026-05-28): it does not follow from the queue",
        ),
        ("UPDATE pair SET score = 5", PAIR),
        ("DELETE FROM pair", PAIR),
        (
            "UPDATE pair_sum SET n = n + 1 WHERE kind = 'source'",
            "the scores of pairs do not add up (source s1)",
        ),
        ("UPDATE counts SET open_medium = 7", "the totals do not add up"),
    ] {
        let mut desk = desk();
        desk.store.keep_scores(&[pair(1, 1, Said::Score(1), 0.9)], &Policy::default(), at(5)).unwrap();
        desk.sql().execute_batch(sql).unwrap();
        let problems = desk.store.verify().unwrap().problems;
        assert!(problems.iter().any(|problem| problem == expected), "{sql}: {problems:?}");
    }
}

#[test]
fn the_last_day_is_told_by_the_hour_and_by_what_made_the_answers() {
    let mut desk = desk();
    let come_in = |desk: &mut crate::fixture::Desk, id: &str, prompt: &str, minute: u64, wrong: bool| {
        let metadata = json!({"model_version": 7, "prompt_version": prompt}).as_object().unwrap().clone();
        let record = Record { metadata, ..record(id) };
        desk.store.import(&[line_of(&record)], at(minute * 60)).unwrap();
        let finding = if wrong { contradicted(id) } else { claim(id, Verdict::FullySupported, None, 0.9) };
        desk.audit(vec![finding], at(10_000_000));
    };
    come_in(&mut desk, "two days ago", "p31", 0, true);
    for (id, prompt, minute, wrong) in [
        ("a", "p31", 2_000, false),
        ("b", "p31", 2_001, true),
        ("c", "p32", 2_070, true),
        ("d", "p31", 2_071, false),
    ] {
        come_in(&mut desk, id, prompt, minute, wrong);
    }
    let read = desk.store.dashboard(at(20_000_000)).unwrap();
    let hours: Vec<_> =
        read.hours.iter().map(|hour| (hour.hour.as_str(), hour.tally.claims, hour.tally.wrong())).collect();
    assert_eq!(hours, [("2026-05-30T05", 2, 1), ("2026-05-30T06", 2, 1)]);
    let versions: Vec<_> = read
        .versions
        .iter()
        .map(|one| {
            (one.model.as_str(), one.prompt.as_str(), one.since.as_str(), one.tally.claims, one.tally.wrong())
        })
        .collect();
    assert_eq!(versions, [("7", "p31", "2026-05-30T05", 3, 1), ("7", "p32", "2026-05-30T06", 1, 1)]);
    // Another audit takes the place of the one before.
    let id = juror::domain::ids::AuditId::new("c");
    desk.store.requeue_records(juror::store::RequeueFilter::One(&id)).unwrap();
    desk.audit(vec![claim("c", Verdict::FullySupported, None, 0.9)], at(30_000_000));
    let read = desk.store.dashboard(at(40_000_000)).unwrap();
    assert_eq!((read.versions[1].tally.claims, read.versions[1].tally.wrong()), (1, 0));
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

fn later(days: u64) -> Timestamp {
    at(days * DAY)
}

#[test]
fn the_dashboard_tells_what_was_said_what_waits_and_who_decided() {
    let mut desk = desk();
    let empty = desk.store.dashboard(at(0)).unwrap();
    assert_eq!((empty.periods.len(), empty.judges.len(), empty.people.len()), (0, 0, 0));
    assert_eq!((empty.backlog.all_open(), empty.backlog.days.len()), (0, 14));

    assert!(matches!(desk.import(&record("rx-1")), juror::store::Imported::New));
    let first =
        desk.audit(vec![contradicted("one"), claim("two", Verdict::FullySupported, None, 0.99)], later(0));
    desk.store.import(&[line_of(&record("rx-2"))], later(2)).unwrap();
    desk.audit(vec![claim("three", Verdict::Unsupported, Some(Severity::Medium), 0.9)], later(2));
    desk.store.import(&[line_of(&record("rx-3"))], later(2)).unwrap();
    desk.audit(vec![without_verdict(NoVerdict::Failed)], later(2));
    desk.import(&record("rx-4"));
    desk.store.decide(first[0], &Request::Confirm, Basis::default(), &actor("ana"), later(3)).unwrap();
    let measured = Calibration {
        made_at: later(1),
        instrument: "faithfulness".into(),
        identity: identity(),
        data_name: "golden.jsonl".into(),
        data_sha256: "ab".repeat(32),
        retrieval: Vec::new(),
        state: CalibrationState::Calibrated,
        items: 120,
        asked: 120,
        trusts_labels: false,
        kappa: Some(0.81),
        report: r#"{"parts":[{"title":"t","sentences":[],"shows":{"figures":[
            {"id":"kappa","value":0.81,"interval":{"low":0.74,"high":0.88,"method":"BOOTSTRAP"}}]}}]}"#
            .into(),
    };
    desk.store.keep_calibration(&measured).unwrap();
    let other = JudgeIdentity { prompt_sha256: "cd".repeat(32), ..identity() };
    let below = Calibration { identity: other, state: CalibrationState::Below, kappa: Some(0.5), ..measured };
    desk.store.keep_calibration(&below).unwrap();

    let now = later(3);
    let seen = desk.store.dashboard(now).unwrap();
    let by_day: Vec<(String, [u64; 4], u64)> = seen
        .periods
        .iter()
        .map(|period| (period.first.to_string(), period.tally.by_verdict, period.tally.no_verdict))
        .collect();
    assert_eq!(
        by_day,
        [
            ("2026-05-28".to_owned(), [1, 0, 0, 1], 0),
            ("2026-05-29".to_owned(), [0; 4], 0),
            ("2026-05-30".to_owned(), [0, 0, 1, 0], 1),
        ]
    );
    assert_eq!(seen.periods[0].tally.by_severity, [0, 0, 0, 1]);
    assert_eq!(seen.judges.len(), 2, "the one in use first, then the one that was only measured");
    assert_eq!((seen.judges[0].claims, seen.judges[0].state()), (4, CalibrationState::Calibrated));
    let latest = seen.judges[0].measured.as_ref().unwrap();
    assert_eq!((latest.items, latest.interval), (120, Some((0.74, 0.88))));
    assert_eq!((seen.judges[1].claims, seen.judges[1].state()), (0, CalibrationState::Below));

    // One is decided, and one is only looked at for its low score; what failed ranks MEDIUM, as nothing is known of
    // its risk.
    assert_eq!(seen.backlog.open, [1, 0, 2, 0, 0]);
    let days: Vec<(u64, u64)> =
        seen.backlog.days[10..].iter().map(|day| (day.arrived.iter().sum(), day.decided)).collect();
    assert_eq!(days, [(2, 0), (0, 0), (2, 0), (0, 1)]);
    assert_eq!((seen.people[0].annotator.as_str(), seen.people[0].today, seen.people[0].ever), ("ana", 1, 1));
    assert_eq!((seen.health.waiting, seen.health.done, seen.health.failed), (1, 2, 1));
    assert_eq!(seen.health.last_failure.as_ref().unwrap().id.to_string(), "rx-3#1");
    assert_eq!((seen.health.a_minute, seen.health.last_stored), (None, Some(later(2))), "two at one moment");
    desk.audit(Vec::new(), at(2 * DAY + 30));
    assert_eq!(desk.store.dashboard(now).unwrap().health.a_minute, Some(4.0), "two more in half a minute");
}

#[derive(Debug, Clone)]
enum Step {
    /// Import a record and audit it, or audit all again, on that day.
    Audit {
        verdicts: Vec<u8>,
        day: u64,
    },
    Again {
        which: usize,
        verdicts: Vec<u8>,
        day: u64,
    },
    Score {
        claim: usize,
        source: usize,
        said: Said,
        day: u64,
    },
    Decide {
        which: usize,
        day: u64,
    },
    Undo,
}

fn step() -> impl Strategy<Value = Step> {
    let said = prop_oneof![
        8 => (1_u8..=5).prop_map(Said::Score),
        1 => Just(Said::Ungrounded),
        1 => Just(Said::Failed),
    ];
    let verdicts = || prop::collection::vec(0_u8..5, 0..4);
    prop_oneof![
        3 => (verdicts(), 0_u64..40).prop_map(|(verdicts, day)| Step::Audit { verdicts, day }),
        2 => (0_usize..4, verdicts(), 0_u64..40)
            .prop_map(|(which, verdicts, day)| Step::Again { which, verdicts, day }),
        5 => (0_usize..4, 0_usize..3, said, 0_u64..40)
            .prop_map(|(claim, source, said, day)| Step::Score { claim, source, said, day }),
        3 => (0_usize..20, 0_u64..40).prop_map(|(which, day)| Step::Decide { which, day }),
        1 => Just(Step::Undo),
    ]
}

fn findings(verdicts: &[u8]) -> Vec<Finding> {
    let found = verdicts.iter().enumerate().map(|(n, verdict)| {
        let text = format!("claim {n}");
        match verdict {
            0 => contradicted(&text),
            1 => claim(&text, Verdict::Unsupported, Some(Severity::High), 0.8),
            2 => claim(&text, Verdict::PartiallySupported, Some(Severity::Low), 0.7),
            3 => claim(&text, Verdict::FullySupported, None, 0.95),
            _ => without_verdict(NoVerdict::Refused),
        }
    });
    found.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn sums_are_what_a_slow_count_says_whatever_was_done(steps in prop::collection::vec(step(), 1..24)) {
        let mut desk = desk();
        let mut records = 0;
        // What must be there in the end: every verdict ever given, and the last score of each pair.
        let (mut given, mut pairs) = (0_u64, BTreeMap::new());
        for step in steps {
            match step {
                Step::Audit { verdicts, day } => {
                    records += 1;
                    desk.import(&record(&format!("rx-{records}")));
                    given += verdicts.len() as u64;
                    desk.audit(findings(&verdicts), later(day));
                }
                Step::Again { which, verdicts, day } if records > 0 => {
                    let id = AuditId::new(format!("rx-{}", which % records + 1));
                    desk.store.requeue_records(juror::store::RequeueFilter::One(&id)).unwrap();
                    given += verdicts.len() as u64;
                    desk.audit(findings(&verdicts), later(day));
                }
                Step::Score { claim, source, said, day } => {
                    let scored = pair(claim, source, said, 0.9);
                    desk.store.keep_scores(&[scored], &Policy::default(), later(day)).unwrap();
                    pairs.insert((claim, source), said);
                }
                Step::Decide { which, day } => {
                    let open = desk.open_rows("ana");
                    if let Some(row) = open.get(which) {
                        let key = row.key;
                        let request = if row.id.to_string().contains('@') {
                            ruled(3)
                        } else {
                            Request::Override(Ruling::only(HumanVerdict::Unsupported))
                        };
                        desk.store.decide(key, &request, Basis::default(), &actor("ana"), later(day)).unwrap();
                    }
                }
                Step::Undo => drop(desk.store.undo(&actor("ana"), later(40)).unwrap()),
                Step::Again { .. } => {}
            }
        }
        prop_assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());

        let support = desk.store.support().unwrap();
        let mut expected = Spread::default();
        let mut by_source: BTreeMap<String, Spread> = BTreeMap::new();
        for ((_, source), said) in &pairs {
            let score = match said {
                Said::Score(score) => Ok(Score::new(*score).unwrap()),
                Said::Ungrounded => Err("UNGROUNDED"),
                Said::Failed => Err("FAILED"),
            };
            expected.add(score);
            by_source.entry(format!("s{source}")).or_default().add(score);
        }
        prop_assert_eq!(&support.all, &expected);
        prop_assert_eq!(support.sources.worst.len(), by_source.len());
        for (name, spread) in &support.sources.worst {
            prop_assert_eq!(spread.counts, by_source[name].counts, "{}", name);
        }
        let worst = desk.store.worst_pairs(0, 100).unwrap();
        prop_assert_eq!(worst.len() as u64, expected.n());
        prop_assert!(worst.is_sorted_by_key(|pair| pair.score));

        let seen = desk.store.dashboard(later(40)).unwrap();
        let told: u64 = seen.periods.iter().map(|period| period.tally.claims).sum();
        prop_assert_eq!(told, given, "every verdict ever given, of forty days, is in some period");
        let open = desk.open_rows("nobody").len() as u64;
        prop_assert_eq!(seen.backlog.all_open(), open);
    }
}
