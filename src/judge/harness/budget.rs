//! What requests may cost together. The cap is kept before it is passed: each request first sets aside the most it
//! may cost, and gives back what it did not.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::domain::exchange::Tokens;
use crate::judge::settings::{ModelSettings, Prices};
use crate::judge::transport::written;
use crate::judge::wire::{self, Ask, Manner, Shape};

/// Shared by all who spend from it. Amounts are millionths of a US dollar.
#[derive(Debug)]
pub struct Budget {
    cap: u64,
    books: Mutex<Books>,
    /// Who waits stands in a line; the first in it holds this, so that nobody is passed by for ever.
    line: tokio::sync::Mutex<()>,
    /// Somebody has given back what they did not spend.
    given_back: Notify,
}

#[derive(Debug)]
struct Books {
    spent: u64,
    reserved: u64,
    /// How many times its estimate a request has cost at most, and no less than 1: where prices are too low, no later
    /// estimate is believed.
    dearer: f64,
}

impl Default for Books {
    fn default() -> Self {
        Self { spent: 0, reserved: 0, dearer: 1.0 }
    }
}

/// The cap would be passed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the budget of {} would be passed: {} are spent, and the next request may cost {}", dollars(*.cap), dollars(*.spent), dollars(*.next))]
pub struct OverBudget {
    cap: u64,
    spent: u64,
    next: u64,
}

/// What one request may cost, set aside until it is known.
#[derive(Debug)]
pub struct Reservation<'a> {
    budget: &'a Budget,
    estimated: u64,
    amount: u64,
    sent: bool,
}

impl Budget {
    /// `cap` in millionths of a US dollar, what was spent before not counted.
    pub fn new(cap: u64) -> Self {
        Self { cap, books: Mutex::default(), line: tokio::sync::Mutex::default(), given_back: Notify::new() }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn spent(&self) -> u64 {
        self.books().spent
    }

    /// Sets `amount` aside. Where only what others have set aside stands in the way, waits for them to give back, in
    /// the order in which it is asked for.
    pub async fn reserve(&self, amount: u64) -> Result<Reservation<'_>, OverBudget> {
        let _first = self.line.lock().await;
        loop {
            let given_back = self.given_back.notified();
            tokio::pin!(given_back);
            // From now on no giving back is missed.
            given_back.as_mut().enable();
            {
                let mut books = self.books();
                let estimated = amount;
                let amount = times(estimated, books.dearer);
                if books.spent.saturating_add(amount) > self.cap {
                    return Err(OverBudget { cap: self.cap, spent: books.spent, next: amount });
                }
                if books.spent.saturating_add(books.reserved).saturating_add(amount) <= self.cap {
                    books.reserved += amount;
                    return Ok(Reservation { budget: self, estimated, amount, sent: false });
                }
            }
            given_back.await;
        }
    }
}

/// `amount` as many times, rounded up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and nothing is negative"
)]
fn times(amount: u64, times: f64) -> u64 {
    (amount as f64 * times).ceil() as u64
}

impl Reservation<'_> {
    /// From now on it may cost something: unless [`Self::settle`] says how much, all of it counts as spent.
    pub fn sent(&mut self) {
        self.sent = true;
    }

    /// It has cost this much; where that is not known, what was set aside.
    pub fn settle(mut self, cost: Option<u64>) {
        if let Some(cost) = cost {
            let mut books = self.budget.books();
            books.reserved = books.reserved.saturating_sub(self.amount);
            books.spent = books.spent.saturating_add(cost);
            if self.estimated > 0 {
                books.dearer = books.dearer.max(cost as f64 / self.estimated as f64);
            }
            self.amount = 0;
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        {
            let mut books = self.budget.books();
            books.reserved = books.reserved.saturating_sub(self.amount);
            if self.sent {
                books.spent = books.spent.saturating_add(self.amount);
            }
        }
        self.budget.given_back.notify_waiters();
    }
}

/// What a request may take at most, before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Tokens of the request, estimated high.
    pub input: u64,
    /// Tokens that the reply may have.
    pub output: u64,
    /// In millionths of a US dollar; `None` where the price is unknown.
    pub cost_micros: Option<u64>,
}

/// The most that one request for `ask` may take, in whatever form the server takes it. Nothing that the harness
/// sets aside for a request is more, as long as the reply is given no more room than `ask` says.
pub fn highest_estimate(settings: &ModelSettings, ask: &Ask<'_>) -> Estimate {
    let first = Manner::first(&settings.endpoint);
    let plain = of_body("", ask.max_output, settings.prices.as_ref());
    let shapes = [Shape::Schema, Shape::Object, Shape::Words];
    // What is said of reasoning is longest where it is turned off.
    let first = Manner { unthinking: true, ..first };
    let manners = shapes
        .into_iter()
        .flat_map(|shape| [false, true].map(|new_limit| Manner { shape, new_limit, ..first }));
    manners.fold(plain, |highest, manner| {
        let request = wire::request(&settings.endpoint, manner, ask);
        let other = of_body(&written(&request.body), ask.max_output, settings.prices.as_ref());
        if other.input > highest.input { other } else { highest }
    })
}

/// The most that a request with this body may take.
pub(super) fn of_body(body: &str, max_output: u32, prices: Option<&Prices>) -> Estimate {
    estimate("", body, max_output, prices)
}

/// The most that a question may take. The schema, where it is sent along, belongs to `system` or `user`; what a
/// request is made of besides is not counted: [`highest_estimate`] counts it.
///
/// Tokens are estimated high: English has about four bytes to a token, figures and JSON two and a half, other
/// scripts about one and a half.
pub fn estimate(system: &str, user: &str, max_output: u32, prices: Option<&Prices>) -> Estimate {
    const FRAME: u64 = 64;
    let bytes = (system.len() + user.len()) as u64;
    let ascii = system.bytes().chain(user.bytes()).filter(u8::is_ascii).count() as u64;
    let input = FRAME + (ascii * 2).div_ceil(5) + ((bytes - ascii) * 2).div_ceil(3);
    let output = u64::from(max_output);
    let cost_micros =
        prices.map(|prices| micros(input as f64 * prices.input + output as f64 * prices.output));
    Estimate { input, output, cost_micros }
}

/// What an exchange has cost by the list, in millionths of a US dollar; `None` where the server did not say how
/// much was read and written, or says that it read nothing: no request is empty.
pub fn cost(tokens: &Tokens, prices: &Prices) -> Option<u64> {
    let (input, output) = (tokens.input.filter(|input| *input > 0)?, tokens.output?);
    let cached = tokens.cached.unwrap_or(0).min(input);
    let cached_price = prices.cached.unwrap_or(prices.input);
    let read = (input - cached) as f64 * prices.input + cached as f64 * cached_price;
    Some(micros(read + output as f64 * prices.output))
}

/// A dollar for a million tokens is a millionth of one for a token. Rounded up: a cap is not to be passed.
fn micros(amount: f64) -> u64 {
    (amount - 1e-6).ceil().max(0.0) as u64
}

/// Millionths of a US dollar as people write them: `$4.93`, and `$0.0042` where cents would say nothing.
pub fn dollars(micros: u64) -> String {
    let amount = micros as f64 / 1e6;
    if micros == 0 || amount >= 0.1 { format!("${amount:.2}") } else { format!("${amount:.4}") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::judge::settings::{Endpoint, Protocol};
    use crate::judge::wire::Form;

    #[tokio::test]
    async fn j70_prices_that_proved_too_low_are_not_believed_again() {
        let budget = Budget::new(1_000_000);
        budget.reserve(10_000).await.unwrap().settle(Some(600_000));
        let refused = budget.reserve(10_000).await.unwrap_err();
        assert_eq!(refused.next, 600_000, "{refused}");
        budget.reserve(5_000).await.unwrap().settle(Some(5_000));
        assert_eq!(budget.reserve(10_000).await.unwrap_err().next, 600_000);
        assert_eq!(budget.spent(), 605_000);
    }

    const PRICES: Prices = Prices { input: 2.5, cached: Some(0.25), output: 10.0 };

    #[test]
    fn j70_cached_tokens_have_their_own_price_and_unknown_stays_unknown() {
        let tokens = Tokens { input: Some(1000), cached: Some(800), output: Some(100), reasoning: Some(50) };
        assert_eq!(cost(&tokens, &PRICES), Some(500 + 200 + 1000));
        assert_eq!(cost(&Tokens { cached: None, ..tokens }, &PRICES), Some(2500 + 1000));
        assert_eq!(cost(&Tokens { output: None, ..tokens }, &PRICES), None);
        assert_eq!(cost(&Tokens::default(), &PRICES), None);
        let nothing_read = Tokens { input: Some(0), cached: None, ..tokens };
        assert_eq!(cost(&nothing_read, &PRICES), None);
        assert_eq!(cost(&Tokens { output: Some(0), ..nothing_read }, &PRICES), None);
        assert_eq!(estimate("a", "b", 100, None).cost_micros, None);
    }

    #[test]
    fn an_estimate_is_high_and_made_of_input_and_limit() {
        let estimate = estimate("You judge claims.", &"Take 4 g a day. ".repeat(100), 500, Some(&PRICES));
        assert!((500..1000).contains(&estimate.input), "{estimate:?}");
        assert_eq!(estimate.output, 500);
        assert_eq!(estimate.cost_micros, Some((estimate.input as f64 * 2.5).ceil() as u64 + 5000));
        let other = super::estimate("", &"毎日四グラム".repeat(100), 0, None);
        assert!(other.input >= 600, "a token for each character, at least: {other:?}");
    }

    #[test]
    fn the_highest_estimate_is_no_less_than_what_any_form_of_the_request_takes() {
        let schema = serde_json::json!({"type": "object", "properties": {"sum": {"type": "integer"}}});
        let ask = Ask {
            system: "You \"judge\".\n",
            user: "Take 4 g a day.\n",
            schema_name: "sum",
            schema: &schema,
            max_output: 500,
            temperature: 0.0,
            seed: Some(1),
        };
        for protocol in Protocol::ALL {
            let settings = settings(*protocol);
            let highest = highest_estimate(&settings, &ask);
            let mut manner = Manner::first(&settings.endpoint);
            let step = |manner: Manner, form: Form| manner.plainer(form).expect("a plainer one");
            let mut manners = vec![manner, step(manner, Form::Limit)];
            manner = step(step(manners[1], Form::Shape), Form::Shape);
            manners.extend([manner, manner.after_silence().expect("another"), step(manner, Form::Sampling)]);
            for manner in manners {
                let body = written(&wire::request(&settings.endpoint, manner, &ask).body);
                let reserved = of_body(&body, 500, settings.prices.as_ref());
                assert!(highest.input >= reserved.input && highest.output == 500, "{protocol:?} {manner:?}");
                assert!(highest.cost_micros >= reserved.cost_micros && reserved.cost_micros.is_some());
            }
        }
    }

    fn settings(protocol: Protocol) -> ModelSettings {
        ModelSettings {
            name: "bench".to_owned(),
            endpoint: Endpoint {
                protocol,
                base_url: "https://example.org/v1".to_owned(),
                model: "m".to_owned(),
                key_header: "authorization".to_owned(),
                key_prefix: "Bearer ".to_owned(),
                headers: Vec::new(),
                secret_headers: Vec::new(),
                reasoning: None,
            },
            keys: Vec::new(),
            concurrency: 1,
            timeout: Duration::from_secs(1),
            record_timeout: Duration::from_secs(1),
            attempts: 3,
            max_output: 500,
            context: 8192,
            items_per_request: 1,
            temperature: 0.0,
            seed: Some(1),
            prices: Some(PRICES),
        }
    }

    #[tokio::test]
    async fn the_cap_is_never_passed() {
        let budget = Budget::new(1000);
        let mut first = budget.reserve(600).await.unwrap();
        first.sent();
        first.settle(Some(400));
        assert_eq!(budget.spent(), 400);
        let second = budget.reserve(600).await.unwrap();
        drop(second);
        assert_eq!(budget.spent(), 400, "what was never sent costs nothing");
        let mut third = budget.reserve(500).await.unwrap();
        third.sent();
        third.settle(None);
        assert_eq!(budget.spent(), 900, "what is not known counts as what was set aside");
        let over = budget.reserve(101).await.unwrap_err();
        assert_eq!(
            over.to_string(),
            "the budget of $0.0010 would be passed: $0.0009 are spent, and the next request may cost $0.0001"
        );
    }

    #[tokio::test]
    async fn who_is_only_held_up_by_what_others_set_aside_waits_for_them() {
        let budget = Budget::new(1000);
        let mut first = budget.reserve(900).await.unwrap();
        first.sent();
        let (second, ()) = tokio::join!(budget.reserve(200), async {
            tokio::task::yield_now().await;
            first.settle(Some(100));
        });
        assert_eq!(second.unwrap().amount, 200);
        assert_eq!(budget.spent(), 100);
    }

    #[test]
    fn amounts_are_written_for_people() {
        let cases = [
            (0, "$0.00"),
            (4_930_000, "$4.93"),
            (5_000_000, "$5.00"),
            (4_200, "$0.0042"),
            (100_000, "$0.10"),
        ];
        for (micros, text) in cases {
            assert_eq!(dollars(micros), text);
        }
    }
}
