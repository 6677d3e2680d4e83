//! The likeliest law with a given t-value, by scanning its standard deviation.
//!
//! For each sigma the mean 1/2 + t sigma and the variance sigma^2 are two linear constraints: a concave problem in two
//! multipliers, solved by Newton steps that are shortened where they would leave the domain or overshoot. What remains is a function of sigma alone, which may have several minima: a grid, then a golden section.

use super::t_value::{Root, loss as loss_of};
use crate::law::SCORES;

/// Grid points between 0 and the largest possible sigma, and extra ones that quarter the distance to each end.
const GRID: u32 = 40;
const QUARTERINGS: i32 = 15;
const GOLDEN_STEPS: usize = 40;
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
    let crowd = (3..QUARTERINGS).map(|k| libm::exp2(f64::from(-2 * k)));
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

/// How much likelier, per observation, the counts are under their own law; infinite where no law has these moments, or where
/// it is so near the edge of those which do that rounding lost it.
fn loss(p: &[f64; 5], t: f64, sigma: f64) -> f64 {
    let found = two_moments(p, t, sigma).map(|(_, v)| loss_of(p, &v));
    found.filter(|loss| *loss > -1e-12).unwrap_or(f64::INFINITY)
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
    Some((m[0] / sigma, constraints.map(|c| value(&c, m))))
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
        let (step, slope) = newton_step(p, c, m);
        if !slope.is_finite() {
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

fn value(c: &[f64; 2], m: [f64; 2]) -> f64 {
    1.0 + m[0] * c[0] + m[1] * c[1]
}

fn slope_along(p: &[f64; 5], c: &[[f64; 2]; 5], m: [f64; 2], step: [f64; 2]) -> f64 {
    let support = p.iter().zip(c).filter(|(p, _)| **p > 0.0);
    support.map(|(p, c)| p * (step[0] * c[0] + step[1] * c[1]) / value(c, m)).sum()
}

/// The Newton step of sum p ln(1 + m.c), and the slope along it.
///
/// With rows a_k = sqrt(p_k) c_k / v_k it is the least-squares solution of a_k.step = sqrt(p_k). Orthogonal columns keep the
/// digits that the determinant of the normal equations would lose where one v is almost 0.
fn newton_step(p: &[f64; 5], c: &[[f64; 2]; 5], m: [f64; 2]) -> ([f64; 2], f64) {
    let (mut a, mut b, mut root) = ([0.0; 5], [0.0; 5], [0.0; 5]);
    for k in (0..5).filter(|k| p[*k] > 0.0) {
        root[k] = p[k].sqrt();
        let weight = root[k] / value(&c[k], m);
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
    for (_, c) in p.iter().zip(c).filter(|(p, _)| **p > 0.0) {
        let v = value(c, m);
        let change = step[0] * c[0] + step[1] * c[1];
        if change < 0.0 {
            longest = longest.min(-v / change);
        }
    }
    longest
}
