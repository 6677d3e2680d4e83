//! The likeliest law with a given mean and a given variance.
//!
//! Two linear constraints c_k, so q_k = p_k / v_k with v_k = 1 + m.c_k: a concave problem in two multipliers m, solved
//! by Newton steps that are shortened if they leave the domain or overshoot. Any m with positive v bounds the
//! likelihood of every law with these moments (which `global` uses); the best m is that of the likeliest law.

use crate::law::SCORES;

/// The most Newton steps. Usually ten suffice; if a bin holds 1e-12 of the sample or less, rounding keeps the decrement
/// from falling.
const MAX_STEPS: usize = 500;
/// A Newton decrement below the root of this is the last: the next one is its square.
const LAST_DECREMENT: f64 = 1e-16;

/// The likeliest law with one mean and one variance.
pub(super) struct TwoMoments {
    /// Multiplier of u = x - mean.
    pub(super) linear: f64,
    /// Multiplier of u^2 - variance.
    pub(super) square: f64,
    /// v_k, positive where p_k is.
    pub(super) v: [f64; 5],
    /// Whether q_k = p_k / v_k is a law with these moments to about half the digits, so that its likelihood has full
    /// precision.
    pub(super) converged: bool,
}

/// Solves for the mean 1/2 + t sigma and the variance sigma^2; `None` if no law on the support of `p` has them. `start`
/// has the two multipliers of a positive v.
pub(super) fn solve(p: &[f64; 5], t: f64, sigma: f64, start: [f64; 2]) -> Option<TwoMoments> {
    let mean = 0.5 + t * sigma;
    let variance = sigma * sigma;
    if !possible(p, mean, variance) {
        return None;
    }
    let constraints = SCORES.map(|x| {
        let u = x - mean;
        [u / sigma, (u * u - variance) / variance]
    });
    let (m, decrement) = maximum(p, &constraints, [start[0] * sigma, start[1] * variance]);
    let v = [0, 1, 2, 3, 4].map(|k| value(p[k], &constraints[k], m));
    Some(TwoMoments { linear: m[0] / sigma, square: m[1] / variance, v, converged: decrement < LAST_DECREMENT.sqrt() })
}

/// Whether a law that is positive on the whole support of `p` has these moments: more variance than on the two
/// neighbours of the mean, less than on the two ends.
fn possible(p: &[f64; 5], mean: f64, variance: f64) -> bool {
    let support = || p.iter().zip(SCORES).filter(|(p, _)| **p > 0.0).map(|(_, x)| x);
    let below = support().filter(|&x| x <= mean).fold(f64::NEG_INFINITY, f64::max);
    let above = support().filter(|&x| x > mean).fold(f64::INFINITY, f64::min);
    if !(below.is_finite() && above.is_finite()) {
        return false;
    }
    let least = support().fold(f64::INFINITY, f64::min);
    let most = support().fold(f64::NEG_INFINITY, f64::max);
    variance > (mean - below) * (above - mean) && variance < (mean - least) * (most - mean)
}

/// The multipliers m that maximise sum p ln(1 + m.c), and the square of the last Newton decrement, which bounds the
/// remaining error.
fn maximum(p: &[f64; 5], c: &[[f64; 2]; 5], mut m: [f64; 2]) -> ([f64; 2], f64) {
    let mut decrement = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let (step, slope) = newton_step(p, c, m);
        if !slope.is_finite() {
            break;
        }
        let mut length = (0.99 * longest_step(p, c, m, step)).min(1.0);
        let mut next = along(m, step, length);
        // On a concave function a step is short enough unless the slope at its end is about as steep in the opposite
        // direction.
        while slope_along(p, c, next, step) < -0.9 * slope && length > 1e-12 {
            length *= 0.5;
            next = along(m, step, length);
        }
        m = next;
        decrement = slope;
        // The decrement is the square root of the slope; Newton's method squares it once more.
        if slope < LAST_DECREMENT {
            break;
        }
    }
    (m, decrement)
}

fn along(m: [f64; 2], step: [f64; 2], length: f64) -> [f64; 2] {
    [m[0] + length * step[0], m[1] + length * step[1]]
}

/// v of one score. No q = p / v exceeds 1, so a v below p is rounding.
fn value(p: f64, c: &[f64; 2], m: [f64; 2]) -> f64 {
    (1.0 + m[0] * c[0] + m[1] * c[1]).max(p)
}

fn slope_along(p: &[f64; 5], c: &[[f64; 2]; 5], m: [f64; 2], step: [f64; 2]) -> f64 {
    let support = p.iter().zip(c).filter(|(p, _)| **p > 0.0);
    support.map(|(p, c)| p * (step[0] * c[0] + step[1] * c[1]) / value(*p, c, m)).sum()
}

/// The Newton step of sum p ln(1 + m.c), and the slope along it.
///
/// With rows a_k = sqrt(p_k) c_k / v_k it is the least-squares solution of a_k.step = sqrt(p_k). Orthogonal columns
/// keep the digits that the determinant of the normal equations would lose where one v is almost 0.
fn newton_step(p: &[f64; 5], c: &[[f64; 2]; 5], m: [f64; 2]) -> ([f64; 2], f64) {
    let (mut a, mut b, mut root) = ([0.0; 5], [0.0; 5], [0.0; 5]);
    for k in (0..5).filter(|k| p[*k] > 0.0) {
        root[k] = p[k].sqrt();
        let weight = root[k] / value(p[k], &c[k], m);
        (a[k], b[k]) = (weight * c[k][0], weight * c[k][1]);
    }
    let norm = dot(&a, &a).sqrt();
    let a = a.map(|x| x / norm);
    let shared = dot(&a, &b);
    for k in 0..5 {
        b[k] -= shared * a[k];
    }
    let rest = dot(&b, &b).sqrt();
    let b = b.map(|x| x / rest);
    let (along_a, along_b) = (dot(&a, &root), dot(&b, &root));
    let second = along_b / rest;
    ([(along_a - shared * second) / norm, second], along_a * along_a + along_b * along_b)
}

fn dot(x: &[f64; 5], y: &[f64; 5]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// How far along `step` the first logarithm ceases to exist, in steps; infinite if none does.
fn longest_step(p: &[f64; 5], c: &[[f64; 2]; 5], m: [f64; 2], step: [f64; 2]) -> f64 {
    let mut longest = f64::INFINITY;
    for (&p, c) in p.iter().zip(c).filter(|(p, _)| **p > 0.0) {
        let v = value(p, c, m);
        let change = step[0] * c[0] + step[1] * c[1];
        if change < 0.0 {
            longest = longest.min(-v / change);
        }
    }
    longest
}
