//! The background auditor over a real store, with a judge that does as it is told.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use juror::auditor::{Activity, AuditNews, Auditor, AuditorSettings, Progress};
use juror::clock::{Clock, FixedClock};
use juror::domain::finding::{Finding, JudgeIdentity, Judged, Outcome};
use juror::domain::ids::{Annotator, ExchangeKey};
use juror::domain::queue::{QueueCounts, QueueRow};
use juror::domain::record::{Passage, Record};
use juror::domain::routing::Policy;
use juror::domain::time::Timestamp;
use juror::domain::verdict::{Probability, Severity, Verdict};
use juror::format::inbox::take_inbox;
use juror::format::native;
use juror::judge::{
    FaithfulnessReply, FaithfulnessSettings, Judge, JudgeFailure, Pending, Reach, SupportReply,
};
use juror::store::{Durability, PageAt, Store};
use tokio::sync::{Notify, mpsc};

#[path = "auditor/asking.rs"]
mod asking;

const TTL: Duration = Duration::from_mins(1);
const LONG: Duration = Duration::from_secs(30);

/// What the judge does with a record.
#[derive(Clone)]
enum Part {
    Answer,
    Fail,
    Panic,
    /// Says that nothing can be judged.
    Halt,
    /// Names an exchange that is not there.
    Misname,
    /// Answers only when told.
    WaitFor(Arc<Notify>),
}

/// Finds every answer unsupported, unless a record has another part.
#[derive(Default)]
struct Scripted {
    parts: Mutex<HashMap<String, Part>>,
    seen: Mutex<Vec<String>>,
    looked: Notify,
    at_once: Option<usize>,
}

impl Scripted {
    fn with(parts: impl IntoIterator<Item = (&'static str, Part)>) -> Arc<Self> {
        let parts = parts.into_iter().map(|(id, part)| (id.to_owned(), part)).collect();
        Arc::new(Self { parts: Mutex::new(parts), ..Self::default() })
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl Judge for Scripted {
    fn identity(&self) -> JudgeIdentity {
        JudgeIdentity {
            judge: "scripted".into(),
            model: "scripted-1".into(),
            prompt_version: "1".into(),
            prompt_sha256: String::new(),
            settings: serde_json::Value::Null,
        }
    }

    fn at_once(&self) -> Option<usize> {
        self.at_once
    }

    fn faithfulness<'a>(
        &'a self,
        record: &'a Record,
        _: &'a FaithfulnessSettings,
    ) -> Pending<'a, FaithfulnessReply> {
        Box::pin(async move {
            let id = record.audit_id.as_str();
            self.seen.lock().unwrap().push(id.to_owned());
            self.looked.notify_one();
            let part = self.parts.lock().unwrap().get(id).cloned().unwrap_or(Part::Answer);
            match part {
                Part::Answer => {}
                Part::WaitFor(told) => told.notified().await,
                Part::Fail => {
                    return Err(JudgeFailure::of_record("scripted", "it was told to"));
                }
                Part::Halt => {
                    return Err(JudgeFailure {
                        reach: Reach::Everything,
                        ..JudgeFailure::of_record("scripted", "it was told to halt")
                    });
                }
                Part::Misname => {
                    return Ok(FaithfulnessReply {
                        findings: vec![unsupported(record)],
                        exchanges: vec![ExchangeKey(4711)],
                        ..FaithfulnessReply::default()
                    });
                }
                Part::Panic => panic!("told to break on {id}"),
            }
            Ok(FaithfulnessReply { findings: vec![unsupported(record)], ..FaithfulnessReply::default() })
        })
    }

    fn support<'a>(&'a self, _: &'a str, _: &'a Passage) -> Pending<'a, SupportReply> {
        Box::pin(async { Err(JudgeFailure::of_record("scripted", "not asked")) })
    }
}

fn unsupported(record: &Record) -> Finding {
    Finding {
        claim_text: record.answer.clone(),
        given_id: None,
        answer_span: None,
        outcome: Outcome::Judged(Judged {
            verdict: Verdict::Unsupported,
            confidence: Probability::clamped(0.9),
            severity: Some(Severity::High),
            hallucination_type: None,
            citations: Vec::new(),
            rationale: "nothing of this stands in the evidence".into(),
            support: None,
        }),
    }
}

/// A store in a folder of its own, and the time.
struct Bench {
    _folder: tempfile::TempDir,
    db: PathBuf,
    clock: Arc<FixedClock>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("store.db");
        Self { _folder: folder, db, clock: FixedClock::at(Timestamp::from_millis(1_790_000_000_000)) }
    }

    fn store(&self) -> Store {
        Store::open(&self.db, Durability::Normal).unwrap()
    }

    /// Imports records of these ids and risks, oldest first.
    fn import(&self, records: &[(&str, &str)]) {
        let lines: Vec<_> = records.iter().map(|(id, risk)| line(id, risk)).collect();
        let batch: Vec<_> = lines
            .iter()
            .enumerate()
            .map(|(n, line)| native::parse(line.as_bytes(), format!("test:{n}")).unwrap().record)
            .collect();
        self.store().import(&batch, self.clock.now()).unwrap();
    }

    fn settings(&self, judge: &Arc<Scripted>, concurrency: usize) -> AuditorSettings {
        AuditorSettings {
            db: self.db.clone(),
            judge: Arc::clone(judge) as Arc<dyn Judge>,
            faithfulness: FaithfulnessSettings::default(),
            policy: Policy::default(),
            concurrency: NonZeroUsize::new(concurrency).unwrap(),
            lease: TTL,
            clock: Arc::clone(&self.clock) as Arc<dyn Clock>,
            take_inbox: |store, clock| take_inbox(store, clock).map(drop),
        }
    }

    fn start(&self, judge: &Arc<Scripted>, concurrency: usize) -> (Auditor, mpsc::Receiver<AuditNews>) {
        let (sender, receiver) = mpsc::channel(1000);
        (Auditor::spawn(self.settings(judge, concurrency), sender), receiver)
    }

    fn counts(&self) -> QueueCounts {
        self.store().queue_counts(&Annotator::new("ana"), self.clock.now()).unwrap()
    }

    fn queue(&self) -> Vec<QueueRow> {
        self.store().queue_page(&Annotator::new("ana"), PageAt::Top, 100, self.clock.now()).unwrap()
    }
}

fn line(id: &str, risk: &str) -> String {
    serde_json::json!({
        "audit_id": id,
        "generated_answer": format!("The answer of {id} is 42."),
        "evidence_passages": [{"passage_id": "p1", "content": "Nobody knows the answer."}],
        "risk_level": risk,
    })
    .to_string()
}

async fn until(auditor: &Auditor, wanted: impl Fn(&Progress) -> bool) -> Progress {
    let mut progress = auditor.progress();
    let reached = tokio::time::timeout(LONG, progress.wait_for(|progress| wanted(progress))).await;
    reached.expect("reached in time").expect("the auditor runs").clone()
}

async fn idle(auditor: &Auditor) -> Progress {
    until(auditor, |progress| progress.activity == Activity::Idle).await
}

fn heard(news: &mut mpsc::Receiver<AuditNews>) -> Vec<AuditNews> {
    std::iter::from_fn(|| news.try_recv().ok()).collect()
}

#[tokio::test(start_paused = true)]
async fn the_riskiest_comes_first_and_of_these_the_newest() {
    let bench = Bench::new();
    bench.import(&[("a", "LOW"), ("b", "HIGH"), ("c", "MEDIUM"), ("d", "HIGH"), ("e", "CRITICAL")]);
    let judge = Scripted::with([]);
    let (auditor, _news) = bench.start(&judge, 1);
    assert_eq!(idle(&auditor).await.tally.audited, 5);
    assert_eq!(judge.seen(), ["e", "d", "b", "c", "a"]);
}

#[tokio::test]
async fn two_auditors_audit_everything_once() {
    let bench = Bench::new();
    let ids: Vec<_> = (0..60).map(|n| format!("r{n}")).collect();
    bench.import(&ids.iter().map(|id| (id.as_str(), "LOW")).collect::<Vec<_>>());
    let judge = Scripted::with([]);
    let (first, _first_news) = bench.start(&judge, 4);
    let (second, _second_news) = bench.start(&judge, 4);
    idle(&first).await;
    idle(&second).await;
    let stored = first.shutdown(LONG).await.audited + second.shutdown(LONG).await.audited;
    let mut seen = judge.seen();
    seen.sort();
    seen.dedup();
    assert_eq!((stored, seen.len(), judge.seen().len()), (60, 60, 60));
    assert_eq!((bench.counts().audited, bench.counts().open), (60, 60));
}

#[tokio::test(start_paused = true)]
async fn a_paused_auditor_takes_nothing_new() {
    let bench = Bench::new();
    let judge = Scripted::with([]);
    let (auditor, mut news) = bench.start(&judge, 1);
    auditor.pause(true);
    until(&auditor, |progress| progress.activity == Activity::Paused).await;
    bench.import(&[("a", "LOW")]);
    tokio::time::sleep(LONG).await;
    assert_eq!(judge.seen(), Vec::<String>::new());
    auditor.pause(false);
    until(&auditor, |progress| progress.tally.audited == 1).await;
    let news = heard(&mut news);
    assert!(news.contains(&AuditNews::Paused) && news.contains(&AuditNews::Resumed), "{news:?}");
}

#[tokio::test(start_paused = true)]
async fn a_paused_auditor_takes_in_the_inbox() {
    let bench = Bench::new();
    let judge = Scripted::with([]);
    let (auditor, _news) = bench.start(&judge, 1);
    auditor.pause(true);
    until(&auditor, |progress| progress.activity == Activity::Paused).await;
    let sql = rusqlite::Connection::open(&bench.db).unwrap();
    sql.execute("INSERT INTO inbox (line) VALUES (?1)", [line("a", "LOW")]).unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!((bench.counts().waiting, judge.seen()), (1, Vec::<String>::new()));
    auditor.pause(false);
    until(&auditor, |progress| progress.tally.audited == 1).await;
}

#[tokio::test(start_paused = true)]
async fn what_another_process_brings_is_seen_and_idle_writes_nothing() {
    let bench = Bench::new();
    let judge = Scripted::with([]);
    let (auditor, mut news) = bench.start(&judge, 1);
    idle(&auditor).await;
    let watcher = bench.store();
    let before = watcher.data_version().unwrap();
    tokio::time::sleep(TTL * 3).await;
    assert_eq!(watcher.data_version().unwrap(), before, "an idle auditor wrote");
    bench.import(&[("a", "CRITICAL")]);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    idle(&auditor).await;
    assert_eq!(judge.seen(), ["a"]);
    let finished = AuditNews::Finished {
        audit_id: juror::domain::ids::AuditId::new("a"),
        worst: Some(Severity::High),
        claims: 1,
    };
    assert!(heard(&mut news).contains(&finished));
}

#[tokio::test(start_paused = true)]
async fn a_line_in_the_inbox_is_taken_in_and_audited() {
    let bench = Bench::new();
    drop(bench.store());
    let sql = rusqlite::Connection::open(&bench.db).unwrap();
    sql.execute("INSERT INTO inbox (line) VALUES (?1), ('not a record')", [line("a", "LOW")]).unwrap();
    let judge = Scripted::with([]);
    let (auditor, _news) = bench.start(&judge, 1);
    idle(&auditor).await;
    assert_eq!(judge.seen(), ["a"]);
    let left: Vec<(String, String)> = sql
        .prepare("SELECT line, error FROM inbox")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].0, "not a record");
    assert!(!left[0].1.is_empty(), "the reason stands beside it");
}

#[tokio::test(start_paused = true)]
async fn no_row_of_the_inbox_keeps_the_others_waiting() {
    let bench = Bench::new();
    drop(bench.store());
    bench.import(&[("imported", "LOW")]);
    let sql = rusqlite::Connection::open(&bench.db).unwrap();
    sql.execute_batch(
        "INSERT INTO inbox (line) VALUES (CAST(x'7B22FF' AS TEXT)), (''), ('{\"a\":1}'), ('[1]'),
           (CAST(x'00' AS TEXT)), (CAST(zeroblob(8 * 1024 * 1024 + 1) AS TEXT))",
    )
    .unwrap();
    sql.execute("INSERT INTO inbox (line) VALUES (?1)", [line("good", "LOW")]).unwrap();
    let judge = Scripted::with([]);
    let (auditor, mut news) = bench.start(&judge, 1);
    idle(&auditor).await;
    let mut seen = judge.seen();
    seen.sort();
    assert_eq!(seen, ["good", "imported"]);
    let crashed = heard(&mut news).into_iter().find(|news| matches!(news, AuditNews::Crashed { .. }));
    assert_eq!(crashed, None);
    let mut statement = sql.prepare("SELECT coalesce(error, '-') FROM inbox ORDER BY id").unwrap();
    let reasons: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(reasons.len(), 6, "the good one is gone: {reasons:?}");
    assert!(reasons[0].contains("not UTF-8"), "{reasons:?}");
    assert!(reasons[5].contains("8 MiB"), "{reasons:?}");
    assert!(reasons.iter().all(|reason| reason != "-"), "{reasons:?}");
}

#[tokio::test(start_paused = true)]
async fn an_inbox_that_cannot_be_taken_in_does_not_stop_the_auditor() {
    let bench = Bench::new();
    bench.import(&[("a", "LOW")]);
    let judge = Scripted::with([]);
    let (said, mut news) = mpsc::channel(64);
    let settings = AuditorSettings {
        take_inbox: |_, _| Err(juror::store::StoreError::Refused("told to".into())),
        ..bench.settings(&judge, 1)
    };
    let auditor = Auditor::spawn(settings, said);
    idle(&auditor).await;
    assert_eq!(judge.seen(), ["a"]);
    assert!(!heard(&mut news).iter().any(|news| matches!(news, AuditNews::Crashed { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_judge_that_fails_or_breaks_gives_an_entry_for_a_person() {
    let bench = Bench::new();
    bench.import(&[("breaks", "HIGH"), ("fails", "MEDIUM"), ("works", "LOW")]);
    let judge = Scripted::with([("breaks", Part::Panic), ("fails", Part::Fail)]);
    let (auditor, mut news) = bench.start(&judge, 1);
    let tally = idle(&auditor).await.tally;
    assert_eq!((tally.audited, tally.failed, tally.no_verdict), (3, 2, 2));
    assert_eq!((bench.counts().failed, bench.counts().audited), (2, 1));
    let queue = bench.queue();
    let failed: Vec<_> = queue.iter().filter(|row| row.state.label() == "FAILED").collect();
    assert_eq!(failed.len(), 2);
    for row in failed {
        assert!(row.claim_text.starts_with("(the whole answer) "), "{}", row.claim_text);
    }
    let reasons: Vec<_> = heard(&mut news)
        .into_iter()
        .filter_map(|news| match news {
            AuditNews::Failed { reason, .. } => Some(reason),
            _ => None,
        })
        .collect();
    assert!(reasons[0].contains("told to break on breaks"), "{reasons:?}");
    assert!(reasons[1].contains("it was told to"), "{reasons:?}");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_cannot_be_stored_goes_to_a_person_and_holds_nothing_up() {
    let bench = Bench::new();
    bench.import(&[("unfit", "HIGH"), ("works", "LOW")]);
    let sql = rusqlite::Connection::open(&bench.db).unwrap();
    sql.execute_batch(
        "CREATE TRIGGER picky BEFORE INSERT ON claim WHEN NEW.claim_text LIKE '%unfit%'
         BEGIN SELECT RAISE(ABORT, 'such a claim is not stored'); END",
    )
    .unwrap();
    let judge = Scripted::with([]);
    let (auditor, _news) = bench.start(&judge, 1);
    let tally = idle(&auditor).await.tally;
    assert_eq!((tally.audited, tally.failed), (2, 1));
    assert_eq!(judge.seen(), ["unfit", "works"]);
}

#[tokio::test]
async fn shutdown_stores_what_is_finished_in_time_and_gives_the_rest_back() {
    let bench = Bench::new();
    bench.import(&[("stuck", "LOW"), ("soon", "HIGH")]);
    let go = Arc::new(Notify::new());
    let judge = Scripted::with([
        ("stuck", Part::WaitFor(Arc::new(Notify::new()))),
        ("soon", Part::WaitFor(Arc::clone(&go))),
    ]);
    let (auditor, _news) = bench.start(&judge, 2);
    until(&auditor, |progress| progress.in_flight == 2).await;
    go.notify_one();
    let tally = auditor.shutdown(Duration::from_millis(400)).await;
    assert_eq!(tally.audited, 1);
    assert_eq!(bench.counts().audited, 1);
    let free = bench.store().lease_next_record("other", bench.clock.now(), TTL).unwrap();
    assert_eq!(free.expect("given back").record.audit_id.as_str(), "stuck");
}

#[tokio::test]
async fn a_lost_lease_writes_nothing() {
    let bench = Bench::new();
    bench.import(&[("a", "LOW")]);
    let go = Arc::new(Notify::new());
    let judge = Scripted::with([("a", Part::WaitFor(Arc::clone(&go)))]);
    let (auditor, _news) = bench.start(&judge, 1);
    judge.looked.notified().await;
    bench.clock.advance(TTL * 2);
    let other = bench.store().lease_next_record("other", bench.clock.now(), TTL * 10).unwrap();
    assert!(other.is_some(), "the lease ran out");
    go.notify_one();
    until(&auditor, |progress| progress.in_flight == 0).await;
    assert_eq!(auditor.shutdown(LONG).await.audited, 0);
    assert_eq!((bench.counts().audited, bench.queue().len()), (0, 0));
}

/// Takes every waiting record into the hands of an auditor that is then never heard of again.
fn die_with_all_in_hand(bench: &Bench) {
    let mut store = bench.store();
    while store.lease_next_record("dead", bench.clock.now(), TTL).unwrap().is_some() {}
    while store.lease_next_suspect("dead", bench.clock.now(), TTL).unwrap().is_some() {}
    bench.clock.advance(TTL * 2);
}

#[tokio::test]
async fn what_two_auditors_died_with_is_judged_alone_and_not_given_up() {
    let bench = Bench::new();
    bench.import(&[("a", "LOW"), ("b", "LOW"), ("c", "LOW")]);
    for _ in 0..2 {
        die_with_all_in_hand(&bench);
    }
    bench.import(&[("d", "LOW")]);
    let go = Arc::new(Notify::new());
    let judge = Scripted::with([("a", Part::WaitFor(Arc::clone(&go)))]);
    let (auditor, _news) = bench.start(&judge, 4);
    judge.looked.notified().await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(judge.seen(), ["a"], "nothing beside a suspect");
    go.notify_one();
    until(&auditor, |progress| progress.tally.audited == 4).await;
    assert_eq!(judge.seen(), ["a", "b", "c", "d"]);
    assert_eq!(auditor.shutdown(LONG).await.failed, 0);
}

#[tokio::test]
async fn what_kills_every_auditor_is_left_to_a_person() {
    let bench = Bench::new();
    bench.import(&[("poison", "LOW")]);
    for _ in 0..4 {
        die_with_all_in_hand(&bench);
    }
    let judge = Scripted::with([]);
    let (auditor, _news) = bench.start(&judge, 4);
    until(&auditor, |progress| progress.tally.failed == 1).await;
    assert!(judge.seen().is_empty(), "it is not tried again");
    assert_eq!(auditor.shutdown(LONG).await.failed, 1);
}

#[tokio::test(start_paused = true)]
async fn a_long_audit_keeps_its_lease() {
    let bench = Bench::new();
    bench.import(&[("a", "LOW")]);
    let go = Arc::new(Notify::new());
    let judge = Scripted::with([("a", Part::WaitFor(Arc::clone(&go)))]);
    let (auditor, _news) = bench.start(&judge, 1);
    judge.looked.notified().await;
    for _ in 0..12 {
        bench.clock.advance(TTL / 3);
        tokio::time::advance(TTL / 3).await;
        // The renewal runs on a thread of its own; wait until it is stored.
        let store = bench.store();
        for _ in 0..200 {
            tokio::task::yield_now().await;
            std::thread::sleep(Duration::from_millis(1));
            if lease_until(&bench.db) > bench.clock.now().plus(TTL / 2).millis() {
                break;
            }
        }
        drop(store);
    }
    let stolen = bench.store().lease_next_record("other", bench.clock.now(), TTL).unwrap();
    assert!(stolen.is_none(), "the lease ran out in mid-audit");
    go.notify_one();
    until(&auditor, |progress| progress.tally.audited == 1).await;
}

fn lease_until(db: &Path) -> i64 {
    let sql = rusqlite::Connection::open(db).unwrap();
    sql.query_row("SELECT coalesce(max(leased_until_ms), 0) FROM work", [], |row| row.get(0)).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_breaks_is_started_again() {
    let bench = Bench::new();
    std::fs::create_dir(&bench.db).unwrap();
    let judge = Scripted::with([]);
    let (auditor, mut news) = bench.start(&judge, 1);
    until(&auditor, |progress| progress.activity == Activity::Broken).await;
    assert!(matches!(heard(&mut news).as_slice(), [AuditNews::Crashed { .. }, ..]));
    std::fs::remove_dir(&bench.db).unwrap();
    bench.import(&[("a", "LOW")]);
    until(&auditor, |progress| progress.tally.audited == 1).await;
}

#[tokio::test]
async fn news_that_nobody_reads_hold_nothing_up() {
    let bench = Bench::new();
    let ids: Vec<_> = (0..20).map(|n| format!("r{n}")).collect();
    bench.import(&ids.iter().map(|id| (id.as_str(), "LOW")).collect::<Vec<_>>());
    let judge = Scripted::with([]);
    let (sender, _unread) = mpsc::channel(1);
    let auditor = Auditor::spawn(bench.settings(&judge, 2), sender);
    assert_eq!(idle(&auditor).await.tally.audited, 20);
}

#[tokio::test]
async fn a_dropped_auditor_gives_back_what_it_holds() {
    let bench = Bench::new();
    bench.import(&[("a", "LOW")]);
    let judge = Scripted::with([("a", Part::WaitFor(Arc::new(Notify::new())))]);
    let (auditor, _news) = bench.start(&judge, 1);
    judge.looked.notified().await;
    let mut progress = auditor.progress();
    drop(auditor);
    let stopped = progress.wait_for(|progress| progress.activity == Activity::Stopped);
    drop(tokio::time::timeout(LONG, stopped).await.expect("it stops").expect("and says so"));
    assert!(bench.store().lease_next_record("other", bench.clock.now(), TTL).unwrap().is_some());
}
