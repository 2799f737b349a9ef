//! How certain a share is that was counted.

use super::distribution::Z;
use super::estimate::{Estimate, Interval, Method};

/// `part` of `whole` with Wilson's score interval, which stays inside 0 to 1 and is right for shares near the ends
/// and for few units. A unit is one of the `whole`.
pub fn wilson(part: u64, whole: u64) -> Estimate {
    wilson_of_clusters(part, whole, 1.0)
}

/// The same for units that hang together: as if there were fewer of them, by their design effect (1 or more).
pub fn wilson_of_clusters(part: u64, whole: u64, design_effect: f64) -> Estimate {
    let (share, whole_share) = match counted(part, whole) {
        Ok(counted) => counted,
        Err(undefined) => return undefined,
    };
    let n = whole_share / design_effect.max(1.0);
    let centre = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    bounded(part, whole, (centre - half) / (1.0 + Z * Z / n), (centre + half) / (1.0 + Z * Z / n))
}

fn counted(part: u64, whole: u64) -> Result<(f64, f64), Estimate> {
    if whole == 0 {
        return Err(Estimate::undefined(0, "there is nothing to count"));
    }
    if part > whole {
        return Err(Estimate::undefined(whole, "the part is larger than the whole"));
    }
    Ok((part as f64 / whole as f64, whole as f64))
}

/// Rounding must not push a bound past the end that the share itself stands at.
fn bounded(part: u64, whole: u64, low: f64, high: f64) -> Estimate {
    let low = if part == 0 { 0.0 } else { low.clamp(0.0, 1.0) };
    let high = if part == whole { 1.0 } else { high.clamp(0.0, 1.0) };
    Estimate::known(part as f64 / whole as f64, whole).within(Interval::new(low, high, Method::Wilson))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(estimate: &Estimate, low: f64, high: f64, digits: i32) {
        let interval = estimate.interval().expect("an interval");
        let most = 0.5 * 10.0_f64.powi(-digits) * (1.0 + 1e-6);
        assert!((interval.low - low).abs() <= most, "{interval:?} for {low}");
        assert!((interval.high - high).abs() <= most, "{interval:?} for {high}");
    }

    #[test]
    fn published_intervals() {
        check(&wilson(81, 263), 0.2553, 0.3662, 4);
        check(&wilson(15, 148), 0.0624, 0.1605, 4);
        check(&wilson(0, 20), 0.0, 0.1611, 4);
        check(&wilson(1, 29), 0.0061, 0.1718, 4);
        check(&wilson(1, 30), 0.005_909, 0.166_704, 6);
        check(&wilson(0, 30), 0.0, 0.113_513, 6);
        check(&wilson(30, 30), 0.886_487, 1.0, 6);
        check(&wilson(19, 38), 0.348_499_283_643_951, 0.651_500_716_356_049, 14);
        check(&wilson(100, 200), 0.431_360_9, 0.568_639_1, 7);
    }

    #[test]
    fn ten_claims_of_each_answer_are_as_certain_as_the_answers() {
        let (claims, answers) = (wilson_of_clusters(810, 2630, 10.0), wilson(81, 263));
        assert_eq!(claims.n(), 2630);
        assert!(claims.interval().zip(answers.interval()).is_some_and(|(one, other)| {
            (one.low - other.low).abs() < 1e-12 && (one.high - other.high).abs() < 1e-12
        }));
    }

    #[test]
    fn the_ends_are_exact() {
        for whole in [1, 20, 38, 77, 1_000_000] {
            assert!(wilson(0, whole).interval().is_some_and(|interval| interval.low.to_bits() == 0));
            assert!(
                wilson(whole, whole)
                    .interval()
                    .is_some_and(|interval| interval.high.to_bits() == 1.0_f64.to_bits())
            );
        }
        assert_eq!(wilson(0, 0).undefined_because(), Some("there is nothing to count"));
        assert!(wilson(2, 1).undefined_because().is_some());
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_share_and_stays_inside(whole in 1_u64..5000, part in 0_u64..5000) {
            let part = part.min(whole);
            let plain = wilson(part, whole);
            let (share, inner) = (plain.value().unwrap(), plain.interval().unwrap());
            let outer = wilson_of_clusters(part, whole, 3.0).interval().unwrap();
            prop_assert!(inner.low >= 0.0 && inner.high <= 1.0 && inner.contains(share));
            prop_assert!(outer.low <= inner.low + 1e-12 && outer.high + 1e-12 >= inner.high);
        }
    }
}
