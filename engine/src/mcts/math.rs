//! The exponential function and the natural logarithm, made of `+ - * /`: the same bits on every machine.
//!
//! Both have a relative error of about 1e-15 for arguments of ordinary size, more accuracy than a search needs. The
//! exponential function has 1e-13 near its limits.

const LN_2: f64 = std::f64::consts::LN_2;
const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// The cutoff of the exponential function: beyond it, a probability is 0 or 1.
const LIMIT: f64 = 700.0;

/// 1/14 to 1/1.
const RECIPROCALS: [f64; 14] = {
    let mut all = [0.0; 14];
    let mut index = 0;
    while index < 14 {
        all[index] = 1.0 / (14 - index) as f64;
        index += 1;
    }
    all
};

/// e to the power of `x`, with `x` clamped to -700..700.
pub fn exp(x: f64) -> f64 {
    let x = x.clamp(-LIMIT, LIMIT);
    // x = power x ln 2 + rest, with a rest of at most half of ln 2.
    let scaled = x * LOG2_E;
    let power = if scaled < 0.0 { scaled - 0.5 } else { scaled + 0.5 } as i64;
    let rest = x - power as f64 * LN_2;
    let mut sum = 1.0;
    for reciprocal in RECIPROCALS {
        sum = 1.0 + sum * rest * reciprocal;
    }
    sum * f64::from_bits(((power + 1023) as u64) << 52)
}

/// e to the power of `x`, with `x` clamped to -80..0, in single precision with a relative error of 1e-5: for the many
/// moves of a position.
pub fn exp_of_negative(x: f32) -> f32 {
    let x = x.clamp(-80.0, 0.0);
    let power = (x * std::f32::consts::LOG2_E - 0.5) as i32;
    let rest = x - power as f32 * std::f32::consts::LN_2;
    let sum = 1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0));
    let sum = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * sum)));
    sum * f32::from_bits(((power + 127) as u32) << 23)
}

/// The natural logarithm of `x`, which must be a normal number above 0; smaller values count as the smallest normal
/// number.
pub fn ln(x: f64) -> f64 {
    let x = x.max(f64::MIN_POSITIVE);
    let bits = x.to_bits();
    let mut power = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        power += 1;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)), a series in odd powers.
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let mut sum = 0.0;
    for odd in (1..=21).rev().step_by(2) {
        sum = sum * square + 1.0 / f64::from(odd);
    }
    power as f64 * LN_2 + 2.0 * t * sum
}

/// The probability for a logit.
pub fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + exp(-logit))
}

/// The logit for a probability, clamped to at least 1 in a million from either end.
pub fn logit(probability: f64) -> f64 {
    let probability = probability.clamp(1e-6, 1.0 - 1e-6);
    ln(probability / (1.0 - probability))
}

#[cfg(test)]
mod tests {
    use super::{exp, exp_of_negative, ln, logit, sigmoid};

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 2e-15 * expected.abs().max(1e-3)
    }

    #[test]
    fn values_match_published_ones() {
        // From tables, to 16 digits.
        for (x, expected) in [
            (0.0, 1.0),
            (1.0, std::f64::consts::E),
            (-1.0, 0.367_879_441_171_442_3),
            (10.0, 22_026.465_794_806_718),
            (0.5, 1.648_721_270_700_128_2),
        ] {
            assert!(close(exp(x), expected), "exp {x} = {}", exp(x));
        }
        for (x, expected) in [
            (1.0, 0.0),
            (2.0, std::f64::consts::LN_2),
            (10.0, std::f64::consts::LN_10),
            (0.1, -std::f64::consts::LN_10),
            (1.5, 0.405_465_108_108_164_4),
        ] {
            assert!(close(ln(x), expected), "ln {x} = {}", ln(x));
        }
    }

    #[test]
    fn each_is_the_others_inverse_over_the_whole_range() {
        for step in -6_990..=6_990 {
            let x = f64::from(step) / 10.0;
            assert!((ln(exp(x)) - x).abs() < 1e-12, "{x}");
        }
        for step in 1..1_000 {
            let p = f64::from(step) / 1_000.0;
            assert!((sigmoid(logit(p)) - p).abs() < 1e-14, "{p}");
        }
    }

    #[test]
    fn single_precision_is_close_to_double() {
        for step in 0..=80_000 {
            let x = -f64::from(step) / 1_000.0;
            let (found, expected) = (f64::from(exp_of_negative(x as f32)), exp(f64::from(x as f32)));
            assert!((found / expected - 1.0).abs() < 1e-5, "{x}: {found} {expected}");
        }
        assert_eq!((exp_of_negative(0.0), exp_of_negative(7.0)), (1.0, 1.0));
    }

    #[test]
    fn no_input_gives_anything_but_a_number() {
        for x in [f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0, -1.0] {
            assert!(exp(x).is_finite() && exp(x) > 0.0 && ln(x).is_finite() && logit(x).is_finite(), "{x}");
            assert!((0.0..=1.0).contains(&sigmoid(x)));
        }
    }
}
