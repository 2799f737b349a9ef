//! The gate on time that only passes when everybody waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::sleep;

use super::*;
use crate::judge::settings::AccountKey;

fn gate(accounts: &[&str], most: usize) -> Gate {
    let keys: Vec<AccountKey> = accounts
        .iter()
        .map(|account| AccountKey {
            account: (*account).to_owned(),
            secret: Secret::new(format!("sk-planted-{account}")),
        })
        .collect();
    Gate::new(Keys::new(&keys, &[]), most)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

async fn enter<'g>(gate: &'g Gate, deadline: &Deadline) -> Result<Permit<'g>, Shut> {
    gate.enter(&Avoid::default(), deadline).await
}

#[tokio::test(start_paused = true)]
async fn j62_who_waits_holds_nothing_that_another_needs() {
    let gate = Arc::new(gate(&["a"], 2));
    let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let began = Instant::now();
    let asking: Vec<_> = (0..20)
        .map(|number| {
            let (gate, inside, most) = (gate.clone(), inside.clone(), most.clone());
            tokio::spawn(async move {
                // Each asks three times for the same record, as a repair and a further part do.
                let deadline = Deadline::after(secs(60));
                for _ in 0..3 {
                    let permit = enter(&gate, &deadline).await.expect("let in");
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    sleep(Duration::from_millis(100)).await;
                    inside.fetch_sub(1, Ordering::SeqCst);
                    // Some say what came of it, some are gone.
                    if number % 2 == 0 {
                        permit.end(Outcome::Accepted);
                    }
                }
            })
        })
        .collect();
    for asked in asking {
        asked.await.expect("no panic");
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
    assert_eq!(began.elapsed(), secs(3), "two at once, all the time");
}

#[tokio::test(start_paused = true)]
async fn j62_who_is_dropped_in_the_line_leaves_no_gap() {
    let gate = gate(&["a"], 1);
    let deadline = Deadline::after(secs(60));
    let first = enter(&gate, &deadline).await.expect("let in");
    for _ in 0..3 {
        let dropped = tokio::time::timeout(secs(1), enter(&gate, &deadline)).await;
        assert!(dropped.is_err(), "nobody is let in");
    }
    let (second, ()) = tokio::join!(enter(&gate, &deadline), async {
        sleep(secs(1)).await;
        drop(first);
    });
    assert!(second.is_ok());
}

#[tokio::test(start_paused = true)]
async fn j60_an_account_that_cools_down_is_left_to_the_other() {
    let gate = gate(&["a", "b"], 8);
    let deadline = Deadline::after(secs(60));
    let first = enter(&gate, &deadline).await.expect("let in");
    let cooling = first.account();
    first.end(Outcome::Refused { after: Some(secs(20)) });
    // What was refused once may be chance; the server asks for long.
    let began = Instant::now();
    for _ in 0..5 {
        let permit = enter(&gate, &deadline).await.expect("let in");
        assert_ne!(permit.account(), cooling);
        permit.end(Outcome::Accepted);
    }
    assert!(began.elapsed() < secs(1), "nobody waits for it: {:?}", began.elapsed());
    sleep(secs(20)).await;
    let held: Vec<Permit<'_>> = [enter(&gate, &deadline).await, enter(&gate, &deadline).await]
        .into_iter()
        .map(|permit| permit.expect("let in"))
        .collect();
    assert!(held.iter().any(|permit| permit.account() == cooling), "it is asked again");
}

#[tokio::test(start_paused = true)]
async fn j61_a_line_that_does_not_move_ends_for_everybody_in_it() {
    let gate = gate(&["a"], 1);
    let _forever = enter(&gate, &Deadline::after(secs(1))).await.expect("let in");
    let deadline = Deadline::after(secs(3));
    let began = Instant::now();
    assert_eq!(enter(&gate, &deadline).await.err(), Some(Shut::Queue));
    assert_eq!(began.elapsed(), secs(33), "the time allowed, and ten times as long in the line");
    assert_eq!(deadline.at(), deadline.at_the_latest());
    // Of the time that is left, none is given a second time.
    sleep(secs(1)).await;
    assert_eq!(deadline.remaining(), Duration::ZERO);
    assert_eq!(enter(&gate, &deadline).await.err(), Some(Shut::Queue));
    assert_eq!(began.elapsed(), secs(34));
}

#[tokio::test(start_paused = true)]
async fn accounts_that_all_rest_for_longer_than_a_record_may_take_end_the_run() {
    let gate = gate(&["a", "b"], 8);
    let deadline = Deadline::after(secs(10));
    let mut avoid = Avoid::default();
    for rest in [300, 200] {
        let permit = gate.enter(&avoid, &deadline).await.expect("let in");
        avoid.until(permit.account(), Instant::now() + secs(rest));
        permit.end(Outcome::Refused { after: Some(secs(rest)) });
    }
    assert_eq!(gate.enter(&avoid, &deadline).await.err(), Some(Shut::Rests(secs(200))));
    assert_eq!(enter(&gate, &deadline).await.err(), Some(Shut::Rests(secs(200))), "for the next one too");
}
