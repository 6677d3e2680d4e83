//! The likeliest law with a given t-value, by scanning its standard deviation.
//!
//! For each sigma the mean 1/2 + t sigma and the variance sigma^2 are two linear constraints: a concave problem in two
//! multipliers, solved by Newton steps that are shortened where they would leave the domain or overshoot. What remains is a function of sigma alone, which may have several minima: a grid, then a golden section.

use super::t_value::{Root, loss as loss_of};
use crate::law::SCORES;

/// Grid points between 0 and the largest possible sigma, and extra ones that halve the distance to each end.
const GRID: u32 = 64;
const HALVINGS: i32 = 30;
const GOLDEN_STEPS: usize = 60;
const MAX_STEPS: usize = 500;
/// 1 / golden ratio.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The likeliest law found, and its v_k; accurate to about half the digits in sigma, so to all of them in likelihood. `None` if no law
/// on the support of `p` has this t-value.
pub(super) fn likeliest(p: &[f64; 5], t: f64) -> Option<(Root, [f64; 5])> {
    // The two-point law on 0 and 1 has the largest sigma of all with this t-value.
    let largest = 0.5 / (1.0 + t * t).sqrt();
    let grid: Vec<f64> = grid().iter().map(|f| f * largest).collect();
    let losses: Vec<f64> = grid.iter().map(|&sigma| loss(p, t, sigma)).collect();
    let best = (0..grid.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).filter(|&k| losses[k].is_finite())?;
    let low = if best > 0 { grid[best - 1] } else { 0.0 };
    let high = grid.get(best + 1).copied().unwrap_or(largest);
    let sigma = golden_section(p, t, low, high);
    two_moments(p, t, sigma).map(|(theta, v)| (Root { sigma, theta }, v))
}

/// Fractions within (0, 1), rising: evenly spaced, and crowding at both ends.
fn grid() -> Vec<f64> {
    let even = (1..GRID).map(|k| f64::from(k) / f64::from(GRID));
    let crowd = (7..HALVINGS).map(|k| libm::exp2(f64::from(-k)));
    let mut all: Vec<f64> = even.chain(crowd.clone()).chain(crowd.map(|gap| 1.0 - gap)).collect();
    all.sort_by(f64::total_cmp);
    all
}

fn golden_section(p: &[f64; 5], t: f64, mut low: f64, mut high: f64) -> f64 {
    let mut left = high - GOLDEN * (high - low);
    let mut right = low + GOLDEN * (high - low);
    let (mut at_left, mut at_right) = (loss(p, t, left), loss(p, t, right));
    for _ in 0..GOLDEN_STEPS {
        if at_left <= at_right {
            high = right;
            (right, at_right) = (left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = loss(p, t, left);
        } else {
            low = left;
            (left, at_left) = (right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = loss(p, t, right);
        }
    }
    if at_left <= at_right { left } else { right }
}

/// How much likelier, per observation, the counts are under their own law; infinite where no law has these moments.
fn loss(p: &[f64; 5], t: f64, sigma: f64) -> f64 {
    two_moments(p, t, sigma).map_or(f64::INFINITY, |(_, v)| loss_of(p, &v))
}

/// The multiplier a and the v_k = 1 + a (x - mean) + b ((x - mean)^2 - sigma^2) of the likeliest law with this sigma and mean
/// 1/2 + t sigma.
fn two_moments(p: &[f64; 5], t: f64, sigma: f64) -> Option<(f64, [f64; 5])> {
    let mean = 0.5 + t * sigma;
    let variance = sigma * sigma;
    if !possible(p, mean, variance) {
        return None;
    }
    let constraints = SCORES.map(|x| {
        let u = x - mean;
        [u / sigma, (u * u - variance) / variance]
    });
    let m = maximum(p, &constraints);
    Some((m[0] / sigma, constraints.map(|c| 1.0 + m[0] * c[0] + m[1] * c[1])))
}

/// Whether a law that is positive on the whole support of `p` has these moments: more variance than on the two neighbours
/// of the mean, less than on the two ends.
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

/// The multipliers m where sum p ln(1 + m.c) is largest.
fn maximum(p: &[f64; 5], c: &[[f64; 2]; 5]) -> [f64; 2] {
    let mut m = [0.0; 2];
    for _ in 0..MAX_STEPS {
        let (g, h) = derivatives(p, c, m);
        let det = h[0] * h[2] - h[1] * h[1];
        let step = [(h[2] * g[0] - h[1] * g[1]) / det, (h[0] * g[1] - h[1] * g[0]) / det];
        let slope = g[0] * step[0] + g[1] * step[1];
        if !slope.is_finite() || slope <= 0.0 {
            break;
        }
        let mut length = (0.99 * longest_step(p, c, m, step)).min(1.0);
        let mut next = along(m, step, length);
        // On a concave function a step is short enough where the slope has not turned as steep the other way.
        while slope_along(p, c, next, step) < -0.9 * slope && length > 1e-12 {
            length *= 0.5;
            next = along(m, step, length);
        }
        m = next;
        // The decrement is the square root of the slope; Newton's method squares it once more.
        if slope < 1e-16 {
            break;
        }
    }
    m
}

fn along(m: [f64; 2], step: [f64; 2], length: f64) -> [f64; 2] {
    [m[0] + length * step[0], m[1] + length * step[1]]
}

fn slope_along(p: &[f64; 5], c: &[[f64; 2]; 5], m: [f64; 2], step: [f64; 2]) -> f64 {
    let (g, _) = derivatives(p, c, m);
    g[0] * step[0] + g[1] * step[1]
}

/// Gradient of sum p ln(1 + m.c), and its negative Hessian (three entries of the symmetric matrix).
fn derivatives(p: &[f64; 5], c: &[[f64; 2]; 5], m: [f64; 2]) -> ([f64; 2], [f64; 3]) {
    let (mut g, mut h) = ([0.0; 2], [0.0; 3]);
    for (&p, c) in p.iter().zip(c).filter(|(p, _)| **p > 0.0) {
        let v = 1.0 + m[0] * c[0] + m[1] * c[1];
        let (y0, y1) = (c[0] / v, c[1] / v);
        g[0] += p * y0;
        g[1] += p * y1;
        h[0] += p * y0 * y0;
        h[1] += p * y0 * y1;
        h[2] += p * y1 * y1;
    }
    (g, h)
}

/// How far along `step` the first logarithm ceases to exist, in steps; infinite if none does.
fn longest_step(p: &[f64; 5], c: &[[f64; 2]; 5], m: [f64; 2], step: [f64; 2]) -> f64 {
    let mut longest = f64::INFINITY;
    for (_, c) in p.iter().zip(c).filter(|(p, _)| **p > 0.0) {
        let v = 1.0 + m[0] * c[0] + m[1] * c[1];
        let change = step[0] * c[0] + step[1] * c[1];
        if change < 0.0 {
            longest = longest.min(-v / change);
        }
    }
    longest
}
