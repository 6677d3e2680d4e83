//! How curvatures change along a parameter: the strength is steeper on one side of the best value than on the other.
//!
//! With skew kappa the strength falls by about q d^2 (1 + kappa d) d steps off the best value, so that t = -6 q kappa:
//! Gaussian about 0 with a standard deviation of 6 q times one of [`SIZES`], whose shares are learnt from all
//! parameters together (`sizes`). A parabola through sides c steps to the left and right of a skewed peak misses the
//! peak by kappa c^2 / 2; with t the sides may be farther apart.

use super::bent;
use super::model::Coefficients;
use super::prior::Sensitivity;
use super::sizes::Sizes;

/// The skews in the mixture, per step.
const SIZES: [f64; 5] = [0.015, 0.04, 0.1, 0.25, 0.6];
/// The pseudo-count of parameters for each skew, before any pair.
const SEEN: [f64; 5] = [0.2, 0.5, 1.0, 0.5, 0.2];
/// The search for a peak ends where the curvature has fallen to half: 1 - (1 / 2)^2.
const FARTHEST: f64 = 0.75;

/// The prior with these [`scale`]s.
pub(super) fn sizes(scales: &[f64]) -> Sizes {
    Sizes::new(SIZES, SEEN, scales)
}

/// The scale of a parameter's skew: 6 q, with the mode of the log-normal q. The mode is small until the sensitivity is
/// known, so a parameter that may be idle has no skew to fit noise with.
pub(super) fn scale(sensitivity: Sensitivity) -> f64 {
    let geometric = libm::exp(sensitivity.ln);
    let wide = geometric / sensitivity.mean;
    6.0 * geometric * wide * wide
}

/// The peak of a curve, seen from `r`: the root nearest to it of slope + bend d + t d^2 / 2.
pub(super) fn peak(curve: Coefficients, r: f64, lambda: f64) -> f64 {
    let (slope, bend, t) = (curve.slope(r, lambda), bent(curve.bend(r)), curve.skew());
    let share = 2.0 * t * slope / (bend * bend);
    let left = if share < FARTHEST { 1.0 - share } else { 1.0 - FARTHEST };
    r - slope / bend * 2.0 / (1.0 + libm::sqrt(left))
}
