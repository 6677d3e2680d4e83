//! The likeliest law with a given mean: q_k = p_k / v_k, with v linear in x.
//!
//! Lagrange gives v(x) = 1 + theta (x - s) where sum p_k (x_k - s) / v_k = 0. With x scaled to reach exactly 0 and 1 on
//! the support, v is written by its values at the two ends, v(x) = a (1-x) + b x, tied by a (1-s) + b s = 1. The
//! smaller end is the unknown: it comes close to zero when the counts are lopsided, and this way it keeps its digits,
//! while theta would lose them against its pole.

/// The most Newton steps; bisection guards each, so far fewer are used.
const MAX_STEPS: usize = 400;
/// A step this small, relative to the root, is the last: Newton's method squares it.
pub(super) const LAST_STEP: f64 = 1e-7;

/// v_k for the mean `s`, within (0, 1), on the scores `x`, which must reach 0 and 1 where p is positive. `smaller_end`
/// is the value of v at its smaller end: any start on entry, the solution on return.
pub(super) fn odds(p: &[f64; 5], x: &[f64; 5], s: f64, smaller_end: &mut Option<f64>) -> [f64; 5] {
    let excess: f64 = p.iter().zip(x).map(|(p, x)| p * (x - s)).sum();
    if excess == 0.0 {
        *smaller_end = Some(1.0);
        return [1.0; 5];
    }
    // A mean below its target is the mirror image of one above it.
    let mirrored = excess < 0.0;
    let mut x = *x;
    let s = if mirrored {
        x = x.map(|x| 1.0 - x);
        1.0 - s
    } else {
        s
    };
    let a = root(p, &x, s, smaller_end.unwrap_or(1.0));
    *smaller_end = Some(a);
    let b = other_end(a, s);
    x.map(|x| a * (1.0 - x) + b * x)
}

fn other_end(a: f64, s: f64) -> f64 {
    (1.0 - a * (1.0 - s)) / s
}

/// The end a in (0, 1) with sum p (x-s)/v = 0, for a mean above s.
///
/// Newton's method on a times that sum, which near a = 0 is almost a straight line, inside a shrinking bracket.
fn root(p: &[f64; 5], x: &[f64; 5], s: f64, start: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let mut a = if start > 0.0 && start < 1.0 { start } else { 1.0 };
    for _ in 0..MAX_STEPS {
        let (value, slope) = scaled_sum(p, x, s, a);
        if value < 0.0 {
            low = a;
        } else {
            high = a;
        }
        let newton = a - value / slope;
        if (newton - a).abs() <= LAST_STEP * a {
            return newton;
        }
        a = if newton > low && newton < high { newton } else { between(low, high) };
    }
    a
}

/// a times sum p (x-s)/v, and its derivative in a.
fn scaled_sum(p: &[f64; 5], x: &[f64; 5], s: f64, a: f64) -> (f64, f64) {
    let b = other_end(a, s);
    let (mut value, mut slope) = (0.0, 0.0);
    for (&p, &x) in p.iter().zip(x) {
        if p > 0.0 {
            let inverse = 1.0 / (a * (1.0 - x) + b * x);
            let share = p * (x - s) * inverse;
            value += share;
            slope += share * x * inverse;
        }
    }
    (value * a, slope / s)
}

/// A point inside a bracket that may span many orders of magnitude.
fn between(low: f64, high: f64) -> f64 {
    if low > 0.0 { (low * high).sqrt() } else { high * 1e-3 }
}
