use std::time::Duration;

use super::decide::shown;
use super::session::{START, Session, row};
use crate::auditor::AuditNews;
use crate::domain::ids::{Annotator, AuditId, ClaimKey};
use crate::domain::queue::{Arrivals, Hold, QueueRow};
use crate::domain::verdict::Severity;
use crate::tui::app::{Auditor, EmptyReason, QueueState};
use crate::tui::effect::Effect;
use crate::tui::message::{HoldFailure, Message};

pub(super) fn critical(key: i64) -> crate::domain::queue::QueueRow {
    let mut row = row(key);
    row.severity = Some(Severity::Critical);
    row
}

impl Session {
    /// What came since a reading that knew of `heard`.
    pub(super) fn arrived(&self, heard: Option<ClaimKey>) -> Arrivals {
        let last = self.rows.iter().map(|row| row.key).max();
        let last = last.max(heard).unwrap_or(ClaimKey(0));
        let of = |severity| {
            let is_new = move |row: &&QueueRow| {
                row.severity == Some(severity) && row.key > heard.unwrap_or(ClaimKey(i64::MAX))
            };
            self.rows.iter().filter(is_new).map(move |row| (row.id.clone(), severity))
        };
        let (critical, high) = (of(Severity::Critical), of(Severity::High));
        Arrivals {
            last,
            critical: critical.clone().count() as u64,
            high: high.clone().count() as u64,
            first: critical.chain(high).take(20).collect(),
        }
    }
}

pub(super) fn look_again(session: &mut Session) {
    session.send(Message::Looked(Ok(true)));
}

#[test]
fn the_row_under_the_cursor_never_moves_when_news_arrive() {
    for start in [0, 3, 20, 39] {
        let mut session = Session::with(40);
        session.press("k");
        for _ in 0..start {
            session.press("j");
        }
        session.look();
        let (here, line) = (session.here(), session.line());
        for news in 0..30 {
            session.rows.insert(0, critical(100 + news));
            session.above = (1 + news as u64, 0);
            look_again(&mut session);
            assert_eq!((session.here(), session.line()), (here, line), "start {start}, news {news}");
        }
        assert_eq!(session.app.news.critical, 30);
        session.press("c");
        assert_eq!(session.requests()[0].0, here.unwrap(), "the key acts on what was under the cursor");
    }
}

#[test]
fn rows_that_vanish_above_move_the_cursor_only_when_they_must() {
    let mut session = Session::with(40);
    for _ in 0..10 {
        session.press("j");
    }
    session.rows.drain(0..4);
    look_again(&mut session);
    assert_eq!((session.here(), session.line()), (Some(11), Some(6)));
}

#[test]
fn a_claim_that_somebody_else_decided_stays_under_the_cursor() {
    let mut session = Session::with(5);
    session.press("j j");
    session.look();
    session.rows.retain(|row| row.key != ClaimKey(3));
    look_again(&mut session);
    assert_eq!(session.here(), Some(3));
    assert_eq!(session.line(), Some(2));
    assert_eq!(session.app.queue.rows.len(), 5, "it is still listed");
    session.press("j");
    look_again(&mut session);
    assert_eq!((session.here(), session.app.queue.rows.len()), (Some(4), 4));
}

#[test]
fn nothing_is_drawn_when_another_process_changed_nothing_that_is_shown() {
    let mut session = Session::with(5);
    session.drawn();
    look_again(&mut session);
    assert!(!session.app.dirty);
    session.send(Message::Looked(Ok(false)));
    assert!(!session.app.dirty);
    assert_eq!(session.take(), []);
}

#[test]
fn news_of_the_auditor_are_gathered_before_the_queue_is_read_again() {
    let mut session = Session::with(5);
    let before = session.readings.0;
    for n in 0..100 {
        session.send(Message::Auditor(AuditNews::Finished {
            audit_id: AuditId::new(format!("x{n}")),
            worst: Some(Severity::Critical),
            claims: 3,
        }));
        session.after(1);
        session.send(Message::Tick);
    }
    assert_eq!(session.readings.0, before, "100 news in 100 ms");
    session.after(250);
    session.send(Message::Tick);
    assert_eq!(session.readings.0, before + 1);
}

#[test]
fn the_auditor_is_paused_and_goes_on_by_one_key() {
    let mut session = Session::with(1);
    session.press("p");
    assert_eq!(session.take(), []);
    assert!(session.toast().contains("no auditor"));
    session.app.auditor = Auditor::Running;
    session.press("p");
    assert_eq!(session.take(), [Effect::PauseAuditor(true)]);
    session.send(Message::Auditor(AuditNews::Paused));
    assert_eq!(session.app.auditor, Auditor::Paused);
    session.press("p");
    assert_eq!(session.take(), [Effect::PauseAuditor(false)]);
    session.send(Message::Auditor(AuditNews::Resumed));
    assert_eq!(session.app.auditor, Auditor::Running);
    session.send(Message::Auditor(AuditNews::Crashed { reason: "boom".to_owned() }));
    assert_eq!(session.app.auditor, Auditor::Failed("boom".to_owned()));
}

#[test]
fn an_auditor_that_is_held_says_why_and_waits_for_the_key() {
    let mut session = Session::with(1);
    session.send(Message::AuditorHeld("the judge `cloud` audits here".to_owned()));
    assert_eq!(session.app.auditor, Auditor::Paused);
    assert!(session.toast().starts_with("the judge `cloud` audits here · p lets"), "{}", session.toast());
    session.press("p");
    assert_eq!(session.take(), [Effect::PauseAuditor(false)]);
}

#[test]
fn g_c_leaves_the_news_of_high_claims() {
    let mut session = Session::with(3);
    session.counts.open_high = 3;
    session.press("j");
    session.rows.insert(0, critical(100));
    session.above = (1, 2);
    look_again(&mut session);
    session.above = (0, 0);
    session.send(Message::GoTo(Ok(Some(ClaimKey(100)))));
    assert_eq!((session.app.news.critical, session.app.news.high), (0, 0), "none stands above");
    assert!(shown(&session).contains("■ 3 HIGH, 2 new "), "{}", shown(&session));
    session.above = (0, 2);
    session.press("j j j");
    look_again(&mut session);
    assert_eq!(session.app.news.since, (ClaimKey(100), ClaimKey(3)), "HIGH ones are as new as before");
    assert_eq!(session.app.news.high, 2);
    session.above = (0, 0);
    session.press("g g");
    assert_eq!(session.app.news.since, (ClaimKey(100), ClaimKey(100)), "all is read at the top");
    assert_eq!(session.app.news.kept_high, 0);
}

#[test]
fn g_c_goes_to_the_newest_critical_and_ends_the_news() {
    let mut session = Session::with(3);
    session.rows.insert(0, critical(100));
    session.above = (1, 0);
    look_again(&mut session);
    session.press("g c");
    assert_eq!(session.take(), [Effect::FindNewestCritical]);
    session.above = (0, 0);
    session.send(Message::GoTo(Ok(Some(ClaimKey(100)))));
    assert_eq!(session.here(), Some(100));
    assert_eq!((session.app.news.critical, session.app.news.since.0), (0, ClaimKey(100)));
}

#[test]
fn g_c_without_a_critical_claim_says_so() {
    let mut session = Session::with(3);
    session.press("g c");
    session.send(Message::GoTo(Ok(None)));
    assert_eq!(session.toast(), "no CRITICAL claim is open");
}

#[test]
fn an_empty_queue_says_why_and_fills_by_itself() {
    for (counts, reason) in [
        ((0, 0, 0, 0), EmptyReason::StoreEmpty),
        ((0, 3, 2, 0), EmptyReason::NotYetAudited { waiting: 3, auditing: 2 }),
        ((4, 0, 0, 9), EmptyReason::AllDone { mine: 0 }),
        ((0, 0, 0, 9), EmptyReason::NothingRouted { audited: 9 }),
    ] {
        let mut session = Session::before_start(Vec::new());
        session.counts.routed = counts.0;
        session.counts.waiting = counts.1;
        session.counts.auditing = counts.2;
        session.counts.audited = counts.3;
        session.send(Message::Started { open: None });
        assert_eq!(session.app.queue.state, QueueState::Empty(reason));
        session.rows.push(row(1));
        look_again(&mut session);
        assert_eq!(session.app.queue.state, QueueState::Ready);
        assert_eq!(session.here(), Some(1));
    }
}

#[test]
fn a_store_that_cannot_be_read_says_so_and_is_tried_again() {
    let mut session = Session::before_start(vec![row(1)]);
    session.app.run = 1;
    session.app.queue.asked = Some(1);
    session.send(Message::Queue { run: 1, result: Err("database is locked".to_owned()) });
    assert_eq!(session.app.queue.state, QueueState::Error("database is locked".to_owned()));
    session.send(Message::Looked(Ok(false)));
    assert_eq!(session.app.queue.state, QueueState::Ready);
}

#[test]
fn an_error_while_there_are_rows_keeps_them() {
    let mut session = Session::with(3);
    session.app.queue.asked = Some(99);
    session.send(Message::Queue { run: 99, result: Err("database is locked".to_owned()) });
    assert_eq!((session.app.queue.rows.len(), session.toast()), (3, "database is locked"));
}

#[test]
fn a_claim_is_taken_in_hand_once_the_cursor_rests_on_it() {
    let mut session = Session::with(10);
    session.send(Message::Tick);
    session.take();
    session.press("j j j j");
    session.after(249);
    session.send(Message::Tick);
    assert_eq!(session.take(), [], "moving past a claim does not take it");
    session.after(1);
    session.send(Message::Tick);
    assert_eq!(session.take(), [Effect::Hold { claim: ClaimKey(5), since: None }]);
    session.send(Message::Held { claim: ClaimKey(5), result: Ok(()) });
    session.press("n");
    let since = Some(session.now);
    session.after(20_000);
    session.send(Message::Tick);
    assert!(session.take().contains(&Effect::Hold { claim: ClaimKey(5), since }), "renewed");
    session.press("j");
    session.after(250);
    session.send(Message::Tick);
    assert_eq!(
        session.take(),
        [Effect::Release { except: Some(ClaimKey(6)) }, Effect::Hold { claim: ClaimKey(6), since: None }],
        "left"
    );
}

#[test]
fn a_claim_in_other_hands_is_shown_so_and_a_lost_hold_is_said() {
    let hold = Hold { holder: Annotator::new("ben"), until: START.plus(std::time::Duration::from_mins(1)) };
    let mut session = Session::with(2);
    session.send(Message::Held { claim: ClaimKey(1), result: Err(HoldFailure::Other(hold.clone())) });
    assert_eq!(session.app.held_by_other(session.now), Some(&hold));
    assert_eq!(session.app.queue.rows[0].held_by, Some(hold.clone()));
    assert_eq!(session.toast(), "");

    let mut session = Session::with(2);
    session.send(Message::Held { claim: ClaimKey(1), result: Ok(()) });
    session.press("a");
    session.type_text("my thought");
    session.send(Message::Held { claim: ClaimKey(1), result: Err(HoldFailure::Other(hold)) });
    assert!(session.toast().contains("ben has the claim now"), "{}", session.toast());
    assert!(
        matches!(&session.app.mode, crate::tui::app::Mode::Note(editor) if editor.content() == "my thought"),
        "the text is still there"
    );
}

#[test]
fn an_auditor_that_works_again_after_a_crash_is_shown_as_working() {
    let news = [
        AuditNews::Started { audit_id: AuditId::new("x") },
        AuditNews::Finished { audit_id: AuditId::new("x"), worst: None, claims: 1 },
        AuditNews::Progress { finished: 1, in_flight: 0 },
        AuditNews::Idle,
    ];
    for again in news {
        let mut session = Session::with(1);
        session.app.auditor = Auditor::Running;
        session.send(Message::Auditor(AuditNews::Crashed { reason: "boom".to_owned() }));
        session.drawn();
        session.send(Message::Auditor(again.clone()));
        assert_eq!(session.app.auditor, Auditor::Running, "{again:?}");
        assert!(session.app.dirty);
        session.send(Message::Auditor(AuditNews::Paused));
        session.send(Message::Auditor(again));
        assert_eq!(session.app.auditor, Auditor::Paused, "what is in hand may end in a pause");
    }
}

#[test]
fn an_auditor_that_can_judge_nothing_says_why_until_it_is_told_to_try_again() {
    let mut session = Session::with(1);
    session.app.auditor = Auditor::Running;
    session.send(Message::Auditor(AuditNews::Halted {
        reason: "the key is refused".to_owned(),
        again_in: None,
    }));
    let halted = Auditor::Halted("the key is refused".to_owned());
    assert_eq!(session.app.auditor, halted);
    assert!(session.toast().contains("the key is refused"), "{}", session.toast());
    // What was in hand is finished meanwhile.
    session.send(Message::Auditor(AuditNews::Finished {
        audit_id: AuditId::new("x"),
        worst: None,
        claims: 1,
    }));
    session.send(Message::Auditor(AuditNews::Progress { finished: 1, in_flight: 0 }));
    assert_eq!(session.app.auditor, halted);
    session.press("p");
    assert!(session.take().contains(&Effect::PauseAuditor(false)));
    session.send(Message::Auditor(AuditNews::Resumed));
    assert_eq!(session.app.auditor, Auditor::Running);
}

#[test]
fn an_auditor_that_rests_says_when_it_tries_again() {
    let mut session = Session::with(1);
    session.app.auditor = Auditor::Running;
    let (reason, again_in) = ("the server cannot be reached".to_owned(), Some(Duration::from_mins(1)));
    session.send(Message::Auditor(AuditNews::Halted { reason, again_in }));
    let said = "the server cannot be reached · tries again in 60 s";
    assert_eq!(session.app.auditor, Auditor::Halted(said.to_owned()));
    assert!(session.toast().contains(said), "{}", session.toast());
    session.send(Message::Auditor(AuditNews::Resumed));
    assert_eq!(session.app.auditor, Auditor::Running);
}

#[test]
fn only_own_decisions_are_told_as_own() {
    let mut session = Session::with(0);
    session.counts.routed = 9;
    session.counts.decided_by_me = 2;
    look_again(&mut session);
    assert_eq!(session.app.queue.state, QueueState::Empty(EmptyReason::AllDone { mine: 2 }));
}

#[test]
fn until_a_key_is_pressed_the_most_dangerous_claim_is_in_hand() {
    let mut session = Session::with(5);
    session.rows.insert(0, critical(100));
    look_again(&mut session);
    assert_eq!((session.here(), session.line()), (Some(100), Some(0)));
    session.drawn();
    session.after(3000);
    session.send(Message::Tick);
    session.rows.insert(0, critical(101));
    look_again(&mut session);
    assert_eq!(session.here(), Some(100));
}

#[test]
fn going_down_makes_nothing_new_and_announces_nothing() {
    let mut session = Session::with(400);
    session.app.settings.bell = true;
    session.press("k");
    session.rows.push(row(401));
    look_again(&mut session);
    session.press("j");
    assert_eq!(session.app.news.since, (ClaimKey(401), ClaimKey(401)), "what was passed is not new");
    session.take();
    session.above = (15, 0);
    look_again(&mut session);
    assert_eq!(session.take(), [], "only the cursor moved");
}

#[test]
fn what_a_reading_counts_above_one_claim_is_not_news_above_another() {
    let mut session = Session::with(400);
    session.press("k");
    session.app.queue.at_end = false;
    session.above = (15, 15);
    session.press("G");
    assert_eq!(session.here(), Some(400));
    assert_eq!((session.app.news.critical, session.app.news.high), (0, 0), "it was there before");
}

#[test]
fn a_second_reviewer_begins_on_a_row_that_nobody_holds() {
    let mut rows: Vec<_> = (1..=3).map(row).collect();
    rows[0].held_by =
        Some(Hold { holder: Annotator::new("ben"), until: START.plus(std::time::Duration::from_mins(1)) });
    let session = Session::of(rows);
    assert_eq!(session.here(), Some(2));
}
