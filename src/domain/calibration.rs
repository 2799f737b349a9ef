//! Whether a judge has been measured against people, and how that came out.
//!
//! A measurement is of one judge as it was: its model, prompt and settings. Of any other it says nothing.

use super::finding::JudgeIdentity;
use super::time::Timestamp;
use super::verdict::labels;

/// The least agreement beyond chance at which a judge counts as calibrated.
pub const ENOUGH: f64 = 0.7;
/// The fewest items that a measurement needs.
pub const LEAST_ITEMS: u64 = 50;
/// The least share of the items on which the judge must have a verdict: one that says nothing of what is hard is not
/// measured on it.
pub const LEAST_COVERAGE: f64 = 0.8;
/// The fewest annotators whose consensus an item needs.
pub const LEAST_ANNOTATORS: usize = 2;

labels! {
    /// How a judge stands.
    CalibrationState: "calibration state" {
        /// Never, or not as it is now, or on too few items, or with a verdict on too few of them.
        NotMeasured = "NOT_MEASURED",
        /// It was, and agrees too little with people.
        Below = "BELOW 0.7" | "BELOW_0.7" | "BELOW",
        Calibrated = "CALIBRATED",
    }
}

impl CalibrationState {
    /// By kappa over so many items of those that were asked about.
    pub fn of(kappa: Option<f64>, items: u64, asked: u64) -> Self {
        match kappa {
            _ if items < LEAST_ITEMS => Self::NotMeasured,
            _ if (items as f64) < LEAST_COVERAGE * asked as f64 => Self::NotMeasured,
            None => Self::NotMeasured,
            Some(kappa) if kappa >= ENOUGH => Self::Calibrated,
            Some(_) => Self::Below,
        }
    }
}

/// One measurement, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    pub made_at: Timestamp,
    /// `faithfulness`, `support` or `comparison`.
    pub instrument: String,
    pub identity: JudgeIdentity,
    /// What people call the golden set, and the SHA-256 of its lines.
    pub data_name: String,
    pub data_sha256: String,
    /// The retrieval versions that its items name, in order; empty when they name none.
    pub retrieval: Vec<String>,
    pub state: CalibrationState,
    /// Items with a consensus and a verdict of the judge.
    pub items: u64,
    /// Items with a consensus, with a verdict of the judge or without.
    pub asked: u64,
    /// Whether published labels stand for people whom nobody named.
    pub trusts_labels: bool,
    pub kappa: Option<f64>,
    /// The whole report as JSON, with every item.
    pub report: String,
}

/// Whether items that name the retrieval versions `measured` say something of evidence that is found as in `now`: where
/// they name none, nobody can tell, and they do.
pub fn covers(measured: &[String], now: &str) -> bool {
    measured.is_empty() || measured.iter().any(|one| one == now)
}

impl Calibration {
    /// Whether it says something of evidence that is found as in `now`.
    pub fn covers(&self, now: &str) -> bool {
        covers(&self.retrieval, now)
    }
}

/// How a judge, with the retrieval versions of what it was measured on, `was` another one than `now`, in words after "made";
/// `None` where it was the same. Settings and retrieval that one side does not tell count as the same.
pub fn difference(was: (&JudgeIdentity, &[String]), now: (&JudgeIdentity, &[String])) -> Option<String> {
    let ((was, found), (now, finds)) = (was, now);
    let tells_settings = !was.settings.is_null() && !now.settings.is_null();
    let tells_retrieval = !found.is_empty() && !finds.is_empty();
    if was.judge != now.judge {
        Some(format!("by the judge {}", was.judge))
    } else if was.model != now.model {
        Some(format!("with model {}, now {}", was.model, now.model))
    } else if was.prompt_sha256 != now.prompt_sha256 {
        Some(format!("with prompt {}, now {}", short(&was.prompt_sha256), short(&now.prompt_sha256)))
    } else if was.prompt_version != now.prompt_version {
        Some(format!("with prompt version {}, now {}", was.prompt_version, now.prompt_version))
    } else if tells_settings && was.settings != now.settings {
        Some("with other settings".to_owned())
    } else {
        (tells_retrieval && found != finds)
            .then(|| format!("with retrieval {}, now {}", found.join(", "), finds.join(", ")))
    }
}

/// How a judge stands now, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationNow {
    pub state: CalibrationState,
    /// For people, without a full stop: `kappa 0.81 over 120 items of golden.jsonl, 2026-11-30`.
    pub sentence: String,
    /// Its number in the store, where it was measured as it is now.
    pub id: Option<i64>,
    pub kappa: Option<f64>,
}

impl CalibrationNow {
    /// What the latest measurement `of` the very judge says; `id` is its number.
    pub fn measured(id: i64, of: &Calibration) -> Self {
        let kappa =
            of.kappa.map_or_else(|| "kappa undefined".to_owned(), |kappa| format!("kappa {kappa:.2}"));
        Self {
            state: of.state,
            sentence: {
                let of_all = if of.asked > of.items { format!(" of {}", of.asked) } else { String::new() };
                let labels = if of.trusts_labels { " (labels, not people who are named)" } else { "" };
                let (items, name, day) = (of.items, &of.data_name, day(of.made_at));
                format!("{kappa} over {items}{of_all} items of {name}{labels}, {day}")
            },
            id: Some(id),
            kappa: of.kappa,
        }
    }

    /// What it comes to when `former`, the latest measurement of a judge of that name, is of another one than `now`.
    pub fn changed(former: &Calibration, now: &JudgeIdentity) -> Self {
        let was = &former.identity;
        let what = difference((was, &[]), (now, &[])).unwrap_or_else(|| "with other settings".to_owned());
        Self::unmeasured(format!(
            "calibrated {what} ({}): measure it again with `juror calibrate`",
            day(former.made_at)
        ))
    }

    /// The same for evidence that is retrieved otherwise.
    pub fn retrieved_otherwise(former: &Calibration, now: &str) -> Self {
        Self::unmeasured(format!(
            "calibrated with retrieval {}, now {now} ({}): measure it again with `juror calibrate`",
            former.retrieval.join(", "),
            day(former.made_at)
        ))
    }

    /// No judge of that name was ever measured.
    pub fn never() -> Self {
        Self::unmeasured("never measured against people: see `juror calibrate --help`".to_owned())
    }

    fn unmeasured(sentence: String) -> Self {
        Self { state: CalibrationState::NotMeasured, sentence, id: None, kappa: None }
    }
}

fn day(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

fn short(hash: &str) -> &str {
    hash.get(..4).unwrap_or(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration() -> Calibration {
        Calibration {
            made_at: Timestamp::from_millis(0),
            instrument: "faithfulness".into(),
            identity: JudgeIdentity {
                judge: "near".into(),
                model: "m-1".into(),
                prompt_version: "2".into(),
                prompt_sha256: "3f2a".repeat(16),
                settings: serde_json::Value::Null,
            },
            data_name: "golden.jsonl".into(),
            data_sha256: "ab".repeat(32),
            retrieval: vec!["bm25-v2".into()],
            state: CalibrationState::Calibrated,
            items: 120,
            asked: 120,
            trusts_labels: false,
            kappa: Some(0.81),
            report: "{}".into(),
        }
    }

    #[test]
    fn the_state_needs_enough_items_and_a_kappa() {
        assert_eq!(CalibrationState::of(Some(0.9), 49, 49), CalibrationState::NotMeasured);
        assert_eq!(CalibrationState::of(None, 500, 500), CalibrationState::NotMeasured);
        assert_eq!(CalibrationState::of(Some(0.69), 50, 50), CalibrationState::Below);
        assert_eq!(CalibrationState::of(Some(0.7), 50, 50), CalibrationState::Calibrated);
        assert_eq!(CalibrationState::of(Some(0.9), 79, 100), CalibrationState::NotMeasured);
        assert_eq!(CalibrationState::of(Some(0.9), 80, 100), CalibrationState::Calibrated);
        assert_eq!("BELOW 0.7".parse(), Ok(CalibrationState::Below));
        assert_eq!(CalibrationState::Below.to_string(), "BELOW 0.7");
    }

    #[test]
    fn what_changed_since_is_named() {
        let former = calibration();
        assert_eq!(
            CalibrationNow::measured(7, &former).sentence,
            "kappa 0.81 over 120 items of golden.jsonl, 1970-01-01"
        );
        let thin = Calibration { asked: 140, trusts_labels: true, ..former.clone() };
        assert_eq!(
            CalibrationNow::measured(8, &thin).sentence,
            "kappa 0.81 over 120 of 140 items of golden.jsonl (labels, not people who are named), 1970-01-01"
        );
        let mut now = former.identity.clone();
        now.settings = serde_json::json!({"granularity": "sentence"});
        assert!(CalibrationNow::changed(&former, &now).sentence.contains("with other settings (1970-01-01)"));
        now.prompt_sha256 = "77b1".repeat(16);
        assert!(CalibrationNow::changed(&former, &now).sentence.contains("with prompt 3f2a, now 77b1"));
        now.model = "m-2".into();
        assert!(CalibrationNow::changed(&former, &now).sentence.contains("with model m-1, now m-2"));
        assert!(
            CalibrationNow::retrieved_otherwise(&former, "dense-1").sentence.contains("bm25-v2, now dense-1")
        );
        assert_eq!(CalibrationNow::never().state, CalibrationState::NotMeasured);
    }
}
