//! The auditor with a judge that asks a model: its exchanges, its failures, and what a kill leaves.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use juror::auditor::StoreLedger;
use juror::clock::Stopwatch;
use juror::domain::event::sha256_hex;
use juror::domain::exchange::{Ending, Exchange, Purpose, Tokens};
use juror::domain::ids::AuditId;
use juror::domain::verdict::NoVerdict;
use juror::judge::ledger::Ledger;
use juror::store::{ExchangesOf, KeptExchange};

use super::*;

/// Questions a record is asked in.
const PARTS: u32 = 2;
const AT_ONCE: usize = 8;

/// Asks a model that is not there: what is sent is written down, and answered after a while.
struct Asking {
    ledger: StoreLedger,
    latency: Duration,
    /// One line for each request.
    sent: Mutex<std::fs::File>,
    /// What comes of the last question about a record instead of an answer.
    failures: Mutex<HashMap<String, (Ending, Reach)>>,
    /// What comes of everything.
    refused: Mutex<Option<(Ending, Reach)>>,
    /// How often it was told to forget what it took for settled.
    tried_again: Mutex<u32>,
    /// How long each exchange took to keep.
    kept_in: Mutex<Vec<Duration>>,
}

impl Asking {
    fn new(bench: &Bench, sent: &Path) -> Arc<Self> {
        Self::over(&bench.db, sent, Duration::from_millis(20))
    }

    fn over(db: &Path, sent: &Path, latency: Duration) -> Arc<Self> {
        let sent = std::fs::OpenOptions::new().create(true).append(true).open(sent).unwrap();
        Arc::new(Self {
            ledger: StoreLedger::open(db).unwrap(),
            latency,
            sent: Mutex::new(sent),
            failures: Mutex::default(),
            refused: Mutex::default(),
            tried_again: Mutex::default(),
            kept_in: Mutex::default(),
        })
    }

    async fn ask(&self, record: &Record, part: u32) -> Result<ExchangeKey, (Ending, Reach, ExchangeKey)> {
        let question = sha256_hex([record.audit_id.as_str(), &part.to_string()]);
        if let Some(found) = self.ledger.answered(&question).unwrap() {
            return Ok(found.key);
        }
        writeln!(self.sent.lock().unwrap(), "{} {part}", record.audit_id).unwrap();
        tokio::time::sleep(self.latency).await;
        let failure = match *self.refused.lock().unwrap() {
            Some(refused) => Some(refused),
            None if part == PARTS => self.failures.lock().unwrap().get(record.audit_id.as_str()).copied(),
            None => None,
        };
        let ending = failure.map_or(Ending::Valid, |(ending, _)| ending);
        let began = Stopwatch::start();
        let key = self.ledger.keep(&exchange(record, part, &question, ending)).unwrap();
        self.kept_in.lock().unwrap().push(began.elapsed());
        failure.map_or(Ok(key), |(ending, reach)| Err((ending, reach, key)))
    }
}

fn exchange(record: &Record, part: u32, question: &str, ending: Ending) -> Exchange {
    Exchange {
        at: Timestamp::from_millis(1_790_000_000_000),
        audit_id: Some(record.audit_id.clone()),
        mends: None,
        instrument: "faithfulness".into(),
        purpose: Purpose::Ask,
        part,
        attempt: 1,
        judge: "asking".into(),
        endpoint: "http://127.0.0.1/v1/chat/completions".into(),
        prompt_version: "1".into(),
        prompt_sha256: "ab".repeat(32),
        question_sha256: question.into(),
        request_sha256: "cd".repeat(32),
        model_asked: "m-1".into(),
        model_answered: None,
        parameters: serde_json::json!({"temperature": 0}),
        status: Some(200),
        request_id: None,
        raw_reply: format!("{{\"text\":\"{}\"}}", "reply ".repeat(300)),
        latency: Duration::from_millis(20),
        tokens: Tokens::default(),
        cost_micros: Some(10),
        ending,
        detail: String::new(),
    }
}

impl Judge for Asking {
    fn identity(&self) -> JudgeIdentity {
        JudgeIdentity { judge: "asking".into(), ..Scripted::default().identity() }
    }

    fn faithfulness<'a>(
        &'a self,
        record: &'a Record,
        _: &'a FaithfulnessSettings,
    ) -> Pending<'a, FaithfulnessReply> {
        Box::pin(async move {
            let mut exchanges = Vec::new();
            for part in 1..=PARTS {
                match self.ask(record, part).await {
                    Ok(key) => exchanges.push(key),
                    Err((ending, reach, key)) => {
                        exchanges.push(key);
                        let reason = format!("the model's reply was {ending}");
                        return Err(JudgeFailure { judge: "asking".into(), reach, reason, exchanges });
                    }
                }
            }
            Ok(FaithfulnessReply {
                findings: vec![unsupported(record)],
                exchanges,
                ..FaithfulnessReply::default()
            })
        })
    }

    fn support<'a>(&'a self, _: &'a str, _: &'a Passage) -> Pending<'a, SupportReply> {
        Box::pin(async { Err(JudgeFailure::of_record("asking", "not asked")) })
    }

    fn try_again(&self) {
        *self.tried_again.lock().unwrap() += 1;
    }
}

fn start(bench: &Bench, judge: &Arc<Asking>, concurrency: usize) -> (Auditor, mpsc::Receiver<AuditNews>) {
    let (sender, receiver) = mpsc::channel(1000);
    let judge = Arc::clone(judge) as Arc<dyn Judge>;
    let settings = AuditorSettings { judge, ..bench.settings(&Scripted::with([]), concurrency) };
    (Auditor::spawn(settings, sender), receiver)
}

fn import(bench: &Bench, count: usize) {
    let ids: Vec<_> = (0..count).map(|n| format!("r{n}")).collect();
    bench.import(&ids.iter().map(|id| (id.as_str(), "LOW")).collect::<Vec<_>>());
}

fn number(bench: &Bench, sql: &str) -> i64 {
    rusqlite::Connection::open(&bench.db).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

fn of_record(bench: &Bench, id: &str) -> Vec<KeptExchange> {
    kept(bench, ExchangesOf::Record(&AuditId::new(id)))
}

fn kept(bench: &Bench, which: ExchangesOf<'_>) -> Vec<KeptExchange> {
    let store = bench.store();
    let keys = store.exchange_keys(which, None, None).unwrap();
    keys.into_iter().map(|key| store.exchange(key).unwrap().unwrap()).collect()
}

#[tokio::test]
async fn a_judge_that_can_judge_nothing_halts_the_auditor_until_it_is_told_to_go_on() {
    let bench = Bench::new();
    import(&bench, 30);
    let sent = bench.db.with_extension("sent");
    let judge = Asking::new(&bench, &sent);
    *judge.refused.lock().unwrap() = Some((Ending::Denied, Reach::Everything));
    let (auditor, mut news) = start(&bench, &judge, 4);
    let halted = until(&auditor, |progress| progress.activity == Activity::Halted).await;
    let reason = "the judge `asking` failed: the model's reply was DENIED";
    assert_eq!((halted.in_flight, halted.halted.as_deref()), (0, Some(reason)));
    let said: Vec<_> =
        heard(&mut news).into_iter().filter(|news| matches!(news, AuditNews::Halted { .. })).collect();
    assert_eq!(
        said,
        [AuditNews::Halted { reason: reason.into(), again_in: None }],
        "said once, not for each record"
    );

    // Nothing is lost, nothing is stored, nothing new is begun, and no record is the worse for it.
    let asked = std::fs::read_to_string(&sent).unwrap().lines().count();
    assert!(asked <= 4, "{asked} requests");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(std::fs::read_to_string(&sent).unwrap().lines().count(), asked);
    assert_eq!((bench.counts().waiting, bench.counts().auditing, bench.counts().audited), (30, 0, 0));
    assert_eq!(number(&bench, "SELECT count(*) FROM run"), 0);
    assert_eq!(number(&bench, "SELECT max(attempts) FROM work"), 0);
    assert_eq!(number(&bench, "SELECT count(*) FROM exchange WHERE ending = 'DENIED'"), asked as i64);

    bench.clock.advance(Duration::from_hours(1));
    *judge.refused.lock().unwrap() = None;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(bench.counts().audited, 0, "a refused key is tried again by nobody but a person");
    auditor.pause(false);
    let done = idle(&auditor).await;
    assert_eq!(*judge.tried_again.lock().unwrap(), 1);
    assert_eq!((done.tally.audited, done.tally.failed, done.halted), (30, 0, None));
    assert!(heard(&mut news).contains(&AuditNews::Resumed));
    assert_eq!(bench.store().verify().unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn an_outage_is_rested_out_and_one_record_shows_that_it_is_over() {
    let bench = Bench::new();
    import(&bench, 30);
    let sent = bench.db.with_extension("sent");
    let judge = Asking::new(&bench, &sent);
    *judge.refused.lock().unwrap() = Some((Ending::Broken, Reach::ForNow));
    let (auditor, mut news) = start(&bench, &judge, 4);
    let rests = |seconds| {
        move |progress: &Progress| {
            let wait = progress.rest.map(|rest| rest.wait.as_secs());
            progress.activity == Activity::Halted && wait == Some(seconds)
        }
    };
    let began = until(&auditor, rests(30)).await.rest.unwrap().since;
    let requests = || std::fs::read_to_string(&sent).unwrap().lines().count();
    let asked = requests();
    let reason = "the judge `asking` failed: the model's reply was BROKEN".to_owned();
    let said = AuditNews::Halted { reason, again_in: Some(Duration::from_secs(30)) };
    assert_eq!(heard(&mut news).iter().filter(|news| **news == said).count(), 1);

    bench.clock.advance(Duration::from_secs(29));
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert_eq!(requests(), asked, "it rests");
    bench.clock.advance(Duration::from_secs(1));
    let longer = until(&auditor, rests(60)).await;
    assert_eq!((longer.rest.unwrap().since, requests()), (began, asked + 1), "one record, once");

    *judge.refused.lock().unwrap() = None;
    bench.clock.advance(Duration::from_mins(1));
    let done = idle(&auditor).await;
    assert_eq!((done.tally.audited, done.tally.failed, done.rest, done.halted), (30, 0, None, None));
    assert_eq!(number(&bench, "SELECT count(*) FROM run"), 30);
    assert_eq!(*judge.tried_again.lock().unwrap(), 0);
}

#[tokio::test]
async fn a_server_that_leaves_record_after_record_unanswered_does_not_use_them_all_up() {
    let bench = Bench::new();
    import(&bench, 30);
    let judge = Asking::new(&bench, &bench.db.with_extension("sent"));
    *judge.refused.lock().unwrap() = Some((Ending::Faulty, Reach::Record(NoVerdict::Failed)));
    let (auditor, _news) = start(&bench, &judge, 4);
    let halted = until(&auditor, |progress| progress.activity == Activity::Halted).await;
    assert_eq!(halted.rest.map(|rest| rest.wait), Some(Duration::from_secs(30)));
    assert_eq!((bench.counts().failed, bench.counts().waiting), (8, 22), "what was in hand waits on");

    // One that is tried alone and fails is stored: it may be its own fault, and the others have to go on.
    bench.clock.advance(Duration::from_secs(30));
    until(&auditor, |progress| {
        progress.activity == Activity::Halted && progress.rest.is_some_and(|rest| rest.wait.as_secs() == 60)
    })
    .await;
    assert_eq!((bench.counts().failed, bench.counts().waiting), (9, 21));
    *judge.refused.lock().unwrap() = None;
    bench.clock.advance(Duration::from_mins(1));
    idle(&auditor).await;
    assert_eq!((bench.counts().failed, bench.counts().audited), (9, 21));
}

#[tokio::test]
async fn records_that_fail_by_themselves_are_no_outage() {
    let bench = Bench::new();
    import(&bench, 20);
    let judge = Asking::new(&bench, &bench.db.with_extension("sent"));
    *judge.refused.lock().unwrap() = Some((Ending::Unreadable, Reach::Record(NoVerdict::Failed)));
    let (auditor, _news) = start(&bench, &judge, 4);
    assert_eq!(idle(&auditor).await.tally.failed, 20);
}

#[tokio::test]
async fn what_is_in_hand_when_the_auditor_halts_is_finished() {
    let bench = Bench::new();
    bench.import(&[("slow", "HIGH"), ("denied", "LOW")]);
    let go = Arc::new(Notify::new());
    let judge = Scripted::with([("slow", Part::WaitFor(Arc::clone(&go))), ("denied", Part::Halt)]);
    let (auditor, _news) = bench.start(&judge, 2);
    until(&auditor, |progress| progress.halted.is_some()).await;
    bench.import(&[("later", "CRITICAL")]);
    go.notify_one();
    let halted = until(&auditor, |progress| progress.activity == Activity::Halted).await;
    assert_eq!(halted.tally.audited, 1);
    assert_eq!((bench.counts().audited, bench.counts().waiting), (1, 2));
    assert!(!judge.seen().contains(&"later".to_owned()));
    assert_eq!(auditor.shutdown(LONG).await.audited, 1);
}

#[tokio::test]
async fn every_state_of_a_failed_record_is_stored_as_such_with_its_exchanges() {
    let bench = Bench::new();
    let states = [
        ("refused", Ending::Refused, NoVerdict::Refused),
        ("empty", Ending::Empty, NoVerdict::Empty),
        ("cut", Ending::Cut, NoVerdict::Incomplete),
        ("failed", Ending::Faulty, NoVerdict::Failed),
    ];
    bench.import(&states.map(|(id, ..)| (id, "LOW")));
    bench.import(&[("works", "LOW")]);
    let judge = Asking::new(&bench, &bench.db.with_extension("sent"));
    *judge.failures.lock().unwrap() =
        states.map(|(id, ending, state)| (id.to_owned(), (ending, Reach::Record(state)))).into();
    let (auditor, _news) = start(&bench, &judge, 8);
    let tally = idle(&auditor).await.tally;
    assert_eq!((tally.audited, tally.failed, tally.no_verdict), (5, 1, 4));
    assert_eq!(
        (bench.counts().failed, bench.counts().audited),
        (1, 4),
        "only a failed record is to be audited again"
    );
    let queue = bench.queue();
    for (id, ending, state) in states {
        let row = queue.iter().find(|row| row.id.audit_id().as_str() == id).unwrap();
        assert_eq!(row.state.label(), state.label());
        let of_claim = kept(&bench, ExchangesOf::Claim(row.key));
        let endings: Vec<_> = of_claim.into_iter().map(|kept| kept.exchange.ending).collect();
        assert_eq!(endings, [Ending::Valid, ending], "{id}");
    }
    assert_eq!(bench.store().verify().unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn an_audit_that_names_an_exchange_of_nowhere_goes_to_a_person_and_breaks_nothing() {
    let bench = Bench::new();
    bench.import(&[("a", "LOW"), ("b", "HIGH")]);
    let judge = Scripted::with([("b", Part::Misname)]);
    let (auditor, mut news) = bench.start(&judge, 1);
    let tally = idle(&auditor).await.tally;
    assert_eq!((tally.audited, tally.failed), (2, 1));
    assert!(!heard(&mut news).iter().any(|news| matches!(news, AuditNews::Crashed { .. })));
}

#[tokio::test]
async fn as_many_as_are_allowed_are_leased_renewed_and_given_back() {
    let bench = Bench::new();
    import(&bench, 300);
    let ids: Vec<&'static str> = (0..300).map(|n| &*Box::leak(format!("r{n}").into_boxed_str())).collect();
    let judge = Scripted::with(ids.iter().map(|id| (*id, Part::WaitFor(Arc::new(Notify::new())))));
    let (auditor, _news) = bench.start(&judge, 1000);
    until(&auditor, |progress| progress.in_flight == 256).await;
    assert_eq!((bench.counts().auditing, bench.counts().waiting), (256, 44));
    let tally = auditor.shutdown(Duration::from_millis(100)).await;
    assert_eq!(tally.audited, 0);
    assert_eq!((bench.counts().auditing, bench.counts().waiting), (0, 300), "all of them are given back");
    assert_eq!(number(&bench, "SELECT max(attempts) FROM work"), 0);
}

#[tokio::test]
async fn a_judge_that_bounds_its_requests_has_a_quarter_more_records_in_hand() {
    for (at_once, asked, in_hand) in [(8, 8, 10), (8, 4, 4), (2, 8, 8), (80, 80, 96)] {
        let bench = Bench::new();
        import(&bench, 100);
        let ids: Vec<&'static str> =
            (0..100).map(|n| &*Box::leak(format!("r{n}").into_boxed_str())).collect();
        let mut judge = Scripted::with(ids.iter().map(|id| (*id, Part::WaitFor(Arc::new(Notify::new())))));
        Arc::get_mut(&mut judge).unwrap().at_once = Some(at_once);
        let (auditor, _news) = bench.start(&judge, asked);
        until(&auditor, |progress| progress.in_flight == in_hand).await;
        assert_eq!(bench.counts().auditing, in_hand as u64, "{at_once} at once, {asked} asked for");
        auditor.shutdown(Duration::ZERO).await;
        assert_eq!(bench.counts().auditing, 0);
    }
}

/// What the test of kills starts and kills: an auditor over a store that is there.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it is started by the test of kills"]
async fn the_one_that_is_killed() {
    let db = PathBuf::from(std::env::var_os("JUROR_TEST_DB").unwrap());
    let judge = Asking::over(&db, &db.with_extension("sent"), Duration::from_millis(20));
    let settings = AuditorSettings {
        db,
        judge,
        clock: Arc::new(juror::clock::SystemClock),
        ..Bench::new().settings(&Scripted::with([]), AT_ONCE)
    };
    let (news, _unread) = mpsc::channel(1);
    idle(&Auditor::spawn(settings, news)).await;
}

fn start_to_kill(db: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "asking::the_one_that_is_killed", "--ignored"])
        .env("JUROR_TEST_DB", db)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn j65_killed_in_the_middle_it_asks_again_only_what_was_in_flight() {
    const RECORDS: usize = 60;
    const KILLS: [usize; 3] = [25, 60, 95];
    let bench = Bench::new();
    import(&bench, RECORDS);
    let sent = bench.db.with_extension("sent");
    let requests = || std::fs::read_to_string(&sent).unwrap_or_default().lines().count();
    for at in KILLS {
        let mut child = start_to_kill(&bench.db);
        while requests() < at {
            assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(bench.store().verify().unwrap().problems, Vec::<String>::new());
    }
    assert!(start_to_kill(&bench.db).wait().unwrap().success());

    let wanted = RECORDS * PARTS as usize;
    assert!(requests() > wanted, "the kills hit nothing in flight");
    assert!(requests() <= wanted + KILLS.len() * AT_ONCE, "{} requests for {wanted} answers", requests());
    let store = bench.store();
    assert_eq!(store.verify().unwrap().problems, Vec::<String>::new());
    assert_eq!((bench.counts().audited, bench.counts().failed, bench.counts().waiting), (60, 0, 0));
    assert_eq!(number(&bench, "SELECT count(*) FROM run"), 60, "none twice");
    // What came back was kept, and each answer once.
    assert_eq!(store.exchange_keys(ExchangesOf::Everything, None, None).unwrap().len(), wanted);
    for n in 0..RECORDS {
        let kept = of_record(&bench, &format!("r{n}"));
        assert!(kept.iter().all(|kept| kept.runs == [(AuditId::new(format!("r{n}")), 1)]), "r{n}");
        assert_eq!(kept.len(), 2);
    }
}

/// The middle, the 99th of a hundred, and the longest.
fn spread(mut times: Vec<Duration>) -> [Duration; 3] {
    times.sort_unstable();
    [times.len() / 2, times.len() * 99 / 100, times.len() - 1].map(|at| times[at])
}

/// So many records at once, each asked twice with 200 ms a time, beside a person who decides.
#[expect(clippy::print_stdout, reason = "it prints what was measured")]
fn measured(records: usize, at_once: usize) {
    let bench = Bench::new();
    import(&bench, records);
    let judge = Asking::over(&bench.db, &bench.db.with_extension("sent"), Duration::from_millis(200));
    let done = std::sync::atomic::AtomicBool::new(false);
    let (wall, most, decided) = std::thread::scope(|scope| {
        let person = scope.spawn(|| {
            let mut store = Store::open(&bench.db, Durability::Full).unwrap();
            let (ana, mut times) = (Annotator::new("ana"), Vec::new());
            let actor = juror::domain::decision::Actor {
                annotator: ana.clone(),
                os_user: "user".into(),
                host: "host".into(),
                program: "juror".into(),
            };
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(15));
                let now = bench.clock.now();
                let page = store.queue_page(&ana, PageAt::Top, 1, now).unwrap();
                let Some(row) = page.first() else { continue };
                let request = juror::domain::decision::Request::Confirm;
                let began = Stopwatch::start();
                store
                    .decide(row.key, &request, juror::domain::decision::Basis::default(), &actor, now)
                    .unwrap();
                times.push(began.elapsed());
            }
            times
        });
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let began = Stopwatch::start();
        let most = runtime.block_on(async {
            let (auditor, _news) = start(&bench, &judge, at_once);
            until(&auditor, |progress| progress.in_flight == at_once).await;
            tokio::time::sleep(Duration::from_millis(500)).await;
            let most = status();
            idle(&auditor).await;
            most
        });
        let wall = began.elapsed();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        (wall, most, person.join().unwrap())
    });
    let ideal = Duration::from_millis(200) * PARTS * u32::try_from(records).unwrap()
        / u32::try_from(at_once).unwrap();
    println!("{records} records, {at_once} at once: {wall:?}, ideal {ideal:?}, {most}");
    println!("  keep p50, p99, max {:?}", spread(judge.kept_in.lock().unwrap().clone()));
    println!("  {} decisions meanwhile p50, p99, max {:?}", decided.len(), spread(decided));
    assert_eq!(bench.counts().audited, records as u64);
}

/// Threads and memory of this process, as Linux tells them.
fn status() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status
        .lines()
        .filter(|line| ["VmRSS", "RssAnon", "Threads"].iter().any(|name| line.starts_with(name)));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}

#[test]
#[ignore = "a measurement, to be run alone"]
fn keeping_exchanges_costs_little_and_holds_no_decision_up() {
    measured(640, 64);
    measured(1024, 256);
}
