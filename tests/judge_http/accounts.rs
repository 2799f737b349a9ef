//! Several accounts, and servers that say whether to ask again.

use super::*;

fn limits(account: &'static str, wait: &'static str) -> impl Fn(&server::Seen) -> Reply + Send + Sync {
    move |seen| {
        let key = seen.header("authorization").unwrap_or_default();
        if key.contains(account) {
            openai::error(429, "slow down", "requests", Some("rate_limit_exceeded"))
                .header("retry-after", wait)
        } else {
            good()
        }
    }
}

fn two_accounts(server: Server) -> Desk {
    let keys = vec![key("a", "sk-planted-a1"), key("b", "sk-planted-b1"), key("a", "sk-planted-a2")];
    let settings = ModelSettings { keys, ..settings(&server) };
    Desk::with(server, settings, options())
}

#[tokio::test]
async fn j60_while_one_account_cools_down_the_other_is_asked() {
    let desk = two_accounts(Server::start(limits("planted-a", "6")));
    let began = now();
    for number in 0..6 {
        desk.ask_for(&format!("question {number}"), Duration::from_secs(15)).await.unwrap();
    }
    assert!(began.elapsed() < Duration::from_secs(3), "nobody waits: {:?}", began.elapsed());
    let seen = desk.server.seen();
    let cooling = seen.iter().filter(|seen| seen.header("authorization").unwrap().contains("planted-a"));
    assert_eq!(cooling.count(), 1, "its other key is the same account");
}

#[tokio::test]
async fn j61_a_wait_of_all_accounts_beyond_the_record_is_said_at_once() {
    let desk = two_accounts(Server::start(limits("planted", "60")));
    let began = now();
    let failed = desk.ask_for("x", Duration::from_secs(5)).await.unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(failed.failure.reach, Reach::ForNow, "{failed}");
    assert!(failed.to_string().contains("`record_timeout_s` in [judge.bench]"), "{failed}");
    assert_eq!(desk.endings(), [Ending::Limited, Ending::Limited]);
}

#[tokio::test]
async fn j58_a_server_that_says_whether_to_ask_again_is_believed() {
    let faulty = || openai::error(500, "failed", "server_error", None);
    let desk = Desk::new(Server::start(move |_| faulty().header("x-should-retry", "false")));
    assert_eq!(state(&desk.ask().await.unwrap_err()), NoVerdict::Failed);
    assert_eq!(desk.endings(), [Ending::Rejected]);

    let odd = openai::error(418, "not now", "invalid_request_error", None).header("x-should-retry", "true");
    let desk = Desk::scripted([odd, good()]);
    desk.ask().await.unwrap();
    assert_eq!(desk.endings(), [Ending::Faulty, Ending::Valid]);
}
