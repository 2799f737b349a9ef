//! The auditor with a judge that takes exactly 200 ms, 64 records at once.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use juror::auditor::{Activity, Auditor, AuditorSettings};
use juror::clock::{Clock, SystemClock};
use juror::domain::finding::{Finding, JudgeIdentity, Judged, Outcome};
use juror::domain::record::{Passage, Record};
use juror::domain::routing::Policy;
use juror::domain::verdict::{Probability, Verdict};
use juror::format::inbox::take_inbox;
use juror::judge::{FaithfulnessReply, FaithfulnessSettings, Judge, JudgeFailure, Pending, SupportReply};
use juror::store::{Durability, Store};

use super::generate::{Numbers, record, remove};
use super::table::Table;
use super::{kept, now};

const LATENCY: Duration = Duration::from_millis(200);
const AT_ONCE: usize = 64;
const ROUNDS: usize = 20;

/// Answers after a fixed time.
struct Slow;

impl Judge for Slow {
    fn identity(&self) -> JudgeIdentity {
        JudgeIdentity {
            judge: "slow".into(),
            model: "slow-1".into(),
            prompt_version: "1".into(),
            prompt_sha256: String::new(),
            settings: serde_json::Value::Null,
        }
    }

    fn faithfulness<'a>(
        &'a self,
        record: &'a Record,
        _: &'a FaithfulnessSettings,
    ) -> Pending<'a, FaithfulnessReply> {
        Box::pin(async move {
            tokio::time::sleep(LATENCY).await;
            let judged = Judged {
                verdict: Verdict::Unsupported,
                confidence: Probability::clamped(0.9),
                severity: None,
                hallucination_type: None,
                citations: Vec::new(),
                rationale: "nothing of it stands in the evidence".into(),
                support: None,
            };
            let finding = Finding {
                claim_text: record.answer.clone(),
                given_id: None,
                answer_span: None,
                outcome: Outcome::Judged(judged),
            };
            Ok(FaithfulnessReply { findings: vec![finding], ..FaithfulnessReply::default() })
        })
    }

    fn support<'a>(&'a self, _: &'a str, _: &'a Passage) -> Pending<'a, SupportReply> {
        Box::pin(async { Err(JudgeFailure::of_record("slow", "not asked")) })
    }
}

pub(crate) fn measure(table: &mut Table) {
    let db = kept().join("audit.db");
    remove(&db);
    let mut store = Store::open(&db, Durability::Normal).expect("a new store");
    let mut numbers = Numbers::new(3);
    let batch: Vec<_> = (0..AT_ONCE * ROUNDS).map(|n| record(&mut numbers, n, 3)).collect();
    store.import(&batch, SystemClock.now()).expect("imported");
    let settings = AuditorSettings {
        db: db.clone(),
        judge: Arc::new(Slow),
        faithfulness: FaithfulnessSettings::default(),
        policy: Policy::default(),
        concurrency: NonZeroUsize::new(AT_ONCE).expect("not zero"),
        lease: Duration::from_mins(1),
        clock: Arc::new(SystemClock),
        take_inbox: |store, clock| take_inbox(store, clock).map(drop),
    };
    drop((batch, store));
    forget_the_peak();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let seconds = runtime.block_on(async {
        let (news, _heard) = tokio::sync::mpsc::channel(8);
        let began = now();
        let auditor = Auditor::spawn(settings, news);
        let mut progress = auditor.progress();
        progress.wait_for(|progress| progress.activity == Activity::Idle).await.expect("it works");
        let seconds = began.elapsed().as_secs_f64();
        let tally = auditor.shutdown(Duration::from_secs(2)).await;
        assert_eq!(tally.audited as usize, AT_ONCE * ROUNDS, "all are audited");
        seconds
    });
    let ideal = LATENCY.as_secs_f64() * ROUNDS as f64;
    table.at_most("audit, 200 ms a record, 64 at once, beside the ideal time", "×", seconds / ideal, 1.05);
    table.at_most("audit, resident memory, peak of the whole process", "MB", peak(), 64.0);
    remove(&db);
}

/// Lets the peak of memory begin anew.
fn forget_the_peak() {
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux lets the peak begin anew");
}

/// The most memory that was resident, in MB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells the memory");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak");
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes / 1000.0
}
