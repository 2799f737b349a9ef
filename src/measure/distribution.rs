//! The tails of the two distributions that tests and intervals are read from.

/// Standard errors from the middle of a normal distribution to either end of its middle 95 %.
pub const Z: f64 = 1.959_963_984_540_054;

/// The probability that a chi-square variable with `freedom` degrees of freedom is at least `value`.
pub fn chi_square_tail(value: f64, freedom: u64) -> f64 {
    if value.is_nan() || value <= 0.0 || freedom == 0 {
        return 1.0;
    }
    upper_gamma(freedom as f64 / 2.0, value / 2.0).clamp(0.0, 1.0)
}

/// The probability that a standard normal variable is at least as far from 0 as `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    chi_square_tail(z * z, 1)
}

/// Terms after which a series is taken for what it is; none of ours needs as many.
const TERMS: usize = 100_000;
/// Stands for 0 where something is divided by it.
const TINY: f64 = 1e-300;

/// The regularised upper incomplete gamma function: by its series near 0, by its continued fraction beyond.
fn upper_gamma(a: f64, x: f64) -> f64 {
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 { 1.0 - scale * lower_series(a, x) } else { scale * upper_fraction(a, x) }
}

fn lower_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut below) = (1.0 / a, 1.0 / a, a);
    for _ in 0..TERMS {
        below += 1.0;
        term *= x / below;
        sum += term;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    sum
}

/// By Lentz's method, which evaluates a continued fraction from its front.
fn upper_fraction(a: f64, x: f64) -> f64 {
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut partial = x + 1.0 - a;
    let mut ratio = 1.0 / TINY;
    let mut inverse = 1.0 / partial;
    let mut fraction = inverse;
    for step in 1..=TERMS {
        let step = step as f64;
        let numerator = -step * (step - a);
        partial += 2.0;
        inverse = 1.0 / away_from_zero(numerator * inverse + partial);
        ratio = away_from_zero(partial + numerator / ratio);
        fraction *= inverse * ratio;
        if (inverse * ratio - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    fraction
}

/// The logarithm of the gamma function of a positive number: Stirling's series, reached by the recurrence.
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 15.0 {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse
        * (1.0 / 12.0
            - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square / 1188.0))));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12 * expected.abs().max(1e-3), "{value} for {expected}");
    }

    #[test]
    fn the_gamma_function_of_whole_and_half_numbers() {
        near(ln_gamma(1.0), 0.0);
        near(ln_gamma(5.0), 24.0_f64.ln());
        near(ln_gamma(0.5), 0.5 * std::f64::consts::PI.ln());
        near(ln_gamma(21.0), 2_432_902_008_176_640_000.0_f64.ln());
    }

    #[test]
    fn two_degrees_of_freedom_are_an_exponential() {
        for value in [0.01, 0.5, 2.0, 5.991_464_547_107_98, 40.0] {
            near(chi_square_tail(value, 2), (-value / 2.0_f64).exp());
        }
        // Four: e^(-x/2) (1 + x/2).
        near(chi_square_tail(9.0, 4), (-4.5_f64).exp() * 5.5);
    }

    #[test]
    fn the_tail_of_the_normal_distribution() {
        assert!((normal_two_sided(Z) - 0.05).abs() < 1e-12);
        assert!((normal_two_sided(-3.0) - 0.002_699_796_063_260_19).abs() < 1e-12);
    }

    #[test]
    fn the_ends() {
        for freedom in [1, 2, 7, 1000] {
            near(chi_square_tail(0.0, freedom), 1.0);
            assert!(chi_square_tail(1e6, freedom) < 1e-12);
        }
        assert!((chi_square_tail(f64::INFINITY, 0) - 1.0).abs() < f64::EPSILON);
    }
}
