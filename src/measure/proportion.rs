//! How certain a share is that was counted.

use super::distribution::Z;
use super::estimate::{Estimate, Interval, Method};

/// `part` of `whole` with Wilson's score interval, which stays inside 0 to 1 and is right for shares near the ends
/// and for few units. A unit is one of the `whole`.
pub fn wilson(part: u64, whole: u64) -> Estimate {
    let (share, n) = match counted(part, whole) {
        Ok(counted) => counted,
        Err(undefined) => return undefined,
    };
    let centre = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    bounded(part, whole, (centre - half) / (1.0 + Z * Z / n), (centre + half) / (1.0 + Z * Z / n))
}

/// The same with the correction for continuity, which is wider: for comparison with others' figures.
pub fn wilson_corrected(part: u64, whole: u64) -> Estimate {
    let (share, n) = match counted(part, whole) {
        Ok(counted) => counted,
        Err(undefined) => return undefined,
    };
    let middle = 2.0 * n * share + Z * Z;
    let reach = |sign: f64| {
        1.0 + Z * (Z * Z - sign * 2.0 - 1.0 / n + 4.0 * share * (n * (1.0 - share) + sign)).max(0.0).sqrt()
    };
    let below = 2.0 * (n + Z * Z);
    bounded(part, whole, (middle - reach(1.0)) / below, (middle + reach(-1.0)) / below)
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
        check(&wilson_corrected(81, 263), 0.2535, 0.3682, 4);
    }

    #[test]
    fn the_ends_are_exact() {
        for whole in [1, 20, 38, 77, 1_000_000] {
            for of in [wilson, wilson_corrected] {
                assert!(of(0, whole).interval().is_some_and(|interval| interval.low.to_bits() == 0));
                assert!(
                    of(whole, whole)
                        .interval()
                        .is_some_and(|interval| interval.high.to_bits() == 1.0_f64.to_bits())
                );
            }
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
            let outer = wilson_corrected(part, whole).interval().unwrap();
            prop_assert!(inner.low >= 0.0 && inner.high <= 1.0 && inner.contains(share));
            prop_assert!(outer.low <= inner.low + 1e-12 && outer.high + 1e-12 >= inner.high);
        }
    }
}
