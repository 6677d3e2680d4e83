//! The normal law: distribution function, its logarithm, and the quantile of the 95% intervals. Uses only `libm`, since
//! verdicts depend on it.

use std::f64::consts::{PI, SQRT_2};

/// Standard errors on each side of a 95% interval: the 97.5% quantile of the normal law (1.96, in full).
pub const Z95: f64 = 1.959_963_984_540_054;

/// Probability that a standard normal variable is at most `x`.
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// Natural logarithm of [`cdf`], without underflow far to the left.
pub fn ln_cdf(x: f64) -> f64 {
    if x > -30.0 {
        return libm::log(cdf(x));
    }
    // Mills' ratio: cdf(x) = phi(x)/|x| (1 - 1/x^2 + 3/x^4 - ...), good to 1e-8 here.
    let y = 1.0 / (x * x);
    -0.5 * x * x - 0.5 * libm::log(2.0 * PI) - libm::log(-x) + libm::log1p(-y * (1.0 - 3.0 * y * (1.0 - 5.0 * y)))
}

/// The x at which [`cdf`] is `p`, for p within (0, 1): by bisection, exact to rounding.
pub fn quantile(p: f64) -> f64 {
    // No f64 is left beyond 39 standard deviations.
    let (mut low, mut high) = (-39.0, 39.0);
    for _ in 0..70 {
        let middle = f64::midpoint(low, high);
        if cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}
