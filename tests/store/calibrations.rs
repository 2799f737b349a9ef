//! What was measured of judges: kept for ever, and of one judge as it was.

use std::collections::BTreeSet;

use juror::domain::calibration::{Calibration, CalibrationState};
use juror::domain::finding::JudgeIdentity;
use juror::domain::ids::Annotator;

use crate::fixture::{at, contradicted, desk, record};

fn near(prompt: &str) -> JudgeIdentity {
    JudgeIdentity {
        judge: "near".into(),
        model: "m-1".into(),
        prompt_version: "2".into(),
        prompt_sha256: prompt.repeat(16),
        settings: serde_json::json!({"temperature": 0}),
    }
}

fn calibration(identity: JudgeIdentity, kappa: f64) -> Calibration {
    Calibration {
        made_at: at(1),
        instrument: "faithfulness".into(),
        identity,
        data_name: "golden.jsonl".into(),
        data_sha256: "ab".repeat(32),
        retrieval: vec!["bm25-v2".into()],
        state: CalibrationState::of(Some(kappa), 60, 60),
        items: 60,
        asked: 60,
        trusts_labels: false,
        kappa: Some(kappa),
        report: "{\"data\":{}}".into(),
    }
}

#[test]
fn the_latest_of_the_very_judge_counts_and_what_changed_since_is_told() {
    let mut desk = desk();
    let now = |desk: &crate::fixture::Desk, prompt: &str, retrieval: Option<&str>| {
        desk.store
            .calibration_now(
                "faithfulness",
                &near(prompt),
                &retrieval.map(str::to_owned).into_iter().collect(),
            )
            .unwrap()
    };
    assert!(now(&desk, "3f2a", None).sentence.starts_with("never measured"));
    assert_eq!(desk.store.keep_calibration(&calibration(near("3f2a"), 0.6)).unwrap(), 1);
    assert_eq!(now(&desk, "3f2a", None).state, CalibrationState::Below);
    assert_eq!(desk.store.keep_calibration(&calibration(near("3f2a"), 0.81)).unwrap(), 2);
    let measured = now(&desk, "3f2a", Some("bm25-v2"));
    assert_eq!((measured.state, measured.id), (CalibrationState::Calibrated, Some(2)));
    assert!(
        measured.sentence.starts_with("kappa 0.81 over 60 items of golden.jsonl"),
        "{}",
        measured.sentence
    );
    let changed = now(&desk, "77b1", None);
    assert_eq!((changed.state, changed.id), (CalibrationState::NotMeasured, None));
    assert!(changed.sentence.contains("with prompt 3f2a, now 77b1"), "{}", changed.sentence);
    let otherwise = now(&desk, "3f2a", Some("dense-1"));
    assert_eq!(otherwise.state, CalibrationState::NotMeasured);
    assert!(otherwise.sentence.contains("retrieval bm25-v2, now dense-1"), "{}", otherwise.sentence);
    let support = desk.store.calibration_now("support", &near("3f2a"), &BTreeSet::new()).unwrap();
    assert_eq!(support.state, CalibrationState::NotMeasured, "another instrument");
    assert_eq!(desk.store.calibration(1).unwrap(), Some(calibration(near("3f2a"), 0.6)));
    assert_eq!(desk.store.latest_calibration("faithfulness", "near").unwrap().map(|(id, _)| id), Some(2));
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn the_queue_tells_how_the_judge_of_the_latest_audit_stands() {
    let mut desk = desk();
    let counted = |desk: &crate::fixture::Desk| {
        desk.store.queue_counts(&Annotator::new("ana"), at(9)).unwrap().calibration
    };
    desk.audited(&record("rx-1"), vec![contradicted("Take 8 g.")]);
    assert_eq!(counted(&desk), None, "nothing was ever measured here");
    desk.store.keep_calibration(&calibration(near("3f2a"), 0.81)).unwrap();
    assert_eq!(counted(&desk), Some(CalibrationState::NotMeasured), "another judge audits");
    let key = desk.store.latest_calibration("faithfulness", "near").unwrap();
    assert!(key.is_some());
    let mut own = None;
    desk.store
        .for_each_claim(|claim| {
            own = Some(claim.unwrap().judge);
            Ok::<_, juror::store::StoreError>(())
        })
        .unwrap();
    desk.store.keep_calibration(&calibration(own.unwrap(), 0.75)).unwrap();
    assert_eq!(counted(&desk), Some(CalibrationState::Calibrated));
}

#[test]
fn a_measurement_is_never_changed_and_a_change_shows() {
    let mut desk = desk();
    desk.store.keep_calibration(&calibration(near("3f2a"), 0.6)).unwrap();
    for (sql, why) in [
        ("UPDATE calibration SET kappa = 0.9", "never changed"),
        ("DELETE FROM calibration", "never deleted"),
        ("INSERT OR REPLACE INTO calibration SELECT * FROM calibration", "never replaced"),
    ] {
        let refused = desk.sql().execute_batch(sql).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    for change in ["kappa = 0.9", "state = 'CALIBRATED'", "items = 61", "data_name = 'x'", "report = '{}'"] {
        let trigger: String = desk
            .sql()
            .query_row("SELECT sql FROM sqlite_master WHERE name = 'calibration_no_update'", [], |row| {
                row.get(0)
            })
            .unwrap();
        let before = "UPDATE calibration SET kappa = 0.6, state = 'BELOW 0.7', items = 60, data_name = 'golden.jsonl', report = '{\"data\":{}}'";
        desk.sql()
            .execute_batch(&format!(
                "DROP TRIGGER calibration_no_update; {before}; UPDATE calibration SET {change}; {trigger};"
            ))
            .unwrap();
        let problems = desk.again().verify().unwrap().problems;
        assert_eq!(
            problems,
            ["calibration 1: what was measured, of which judge or on what was changed"],
            "{change}"
        );
    }
}
