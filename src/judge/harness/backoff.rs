//! How long to wait before the next try: exponential, with full jitter, so that many who failed together do not
//! come back together.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(8);
/// Never at once: a server in trouble is not helped by it.
const SHORTEST: Duration = Duration::from_millis(50);

/// Draws waits from a seed: the same seed, the same waits.
#[derive(Debug)]
pub(in crate::judge) struct Jitter(AtomicU64);

impl Jitter {
    pub(in crate::judge) fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// Before try number `tries` + 1; at least what the server asks for.
    pub(in crate::judge) fn wait(&self, tries: u32, server: Option<Duration>) -> Duration {
        let longest = FIRST.saturating_mul(1 << tries.saturating_sub(1).min(10)).min(LONGEST);
        let own = longest.mul_f64(self.draw()).max(SHORTEST);
        // Those who were told the same wait do not come back in the same moment either.
        server.map_or(own, |server| {
            own.max(server + server.min(Duration::from_secs(2)).mul_f64(0.1 * self.draw()))
        })
    }

    /// From 0 to just below 1: `SplitMix64`.
    fn draw(&self) -> f64 {
        let mut z =
            self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_are_spread_and_end() {
        let jitter = Jitter::new(7);
        for tries in 1..=40 {
            let waits: Vec<Duration> = (0..200).map(|_| jitter.wait(tries, None)).collect();
            let longest = FIRST.saturating_mul(1 << (tries - 1).min(10)).min(LONGEST);
            assert!(waits.iter().all(|wait| (SHORTEST..=longest).contains(wait)), "{tries}");
            let mean = waits.iter().sum::<Duration>() / 200;
            assert!((longest.mul_f64(0.4)..longest.mul_f64(0.6)).contains(&mean), "{tries}: {mean:?}");
        }
    }

    #[test]
    fn the_server_is_never_asked_sooner_than_it_says() {
        let jitter = Jitter::new(7);
        let server = Duration::from_secs(57);
        assert!(
            (0..200)
                .all(|_| (server..server + Duration::from_secs(1)).contains(&jitter.wait(1, Some(server))))
        );
    }
}
