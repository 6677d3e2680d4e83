//! The likeliest law with a given t-value (mean - 1/2) / sigma: q_k = p_k / v_k, with v quadratic in x.
//!
//! With mean = 1/2 + t sigma and u = x - mean, Lagrange gives v = 1 + theta (u - t (u^2 - sigma^2) / (2 sigma)), where
//! q must have that mean and that variance: two equations in sigma and theta. Three ways to solve them:
//!
//! * Newton's method, from the solution for a nearby law;
//! * the fixed point of fishtest: mean and sigma from q, then q from them by the secular equation. It converges for
//!   bounds of ordinary width, from any start;
//! * a search over all sigma (`global`).
//!
//! The first two find a stationary point. The likelihood may have several, in drawish samples and for wide bounds. So a
//! point is accepted only with a proof that no law is likelier; without one the search decides.

use super::{global, secular};
use crate::law::SCORES;

const MAX_ROUNDS: usize = 60;
const MAX_STEPS: usize = 40;

/// A solution: the standard deviation of q, and the multiplier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Root {
    pub(super) sigma: f64,
    pub(super) theta: f64,
}

/// v_k for the t-value `t`, not 0. `warm` is a solution for a nearby law on entry, and the one for this law on return.
pub(super) fn odds(p: &[f64; 5], t: f64, warm: &mut Option<Root>) -> [f64; 5] {
    let near = warm.and_then(|start| Root::near(p, t, start)).or_else(|| fixed_point(p, t));
    if let Some(root) = near
        && global::proven_radius(p, t, root) >= global::largest_sigma(t)
    {
        *warm = near;
        return root.odds(t);
    }
    let likeliest = global::likeliest(p, t, near);
    *warm = likeliest.root;
    likeliest.v
}

/// Whether the p_k / v_k add up to one, which a solution lost to rounding does not.
fn is_law(p: &[f64; 5], v: &[f64; 5]) -> bool {
    let support = p.iter().zip(v).filter(|(p, _)| **p > 0.0);
    let sum: f64 = support.map(|(p, v)| p / v).sum();
    (sum - 1.0).abs() < 1e-6
}

/// How much likelier the counts are under their own law than under p_k / v_k, per observation.
pub(super) fn loss(p: &[f64; 5], v: &[f64; 5]) -> f64 {
    let support = p.iter().zip(v).filter(|(p, _)| **p > 0.0);
    support.map(|(p, v)| p * libm::log(*v)).sum()
}

impl Root {
    /// The stationary point that Newton's method finds from here, if it is a law.
    pub(super) fn near(p: &[f64; 5], t: f64, start: Self) -> Option<Self> {
        newton(p, t, start).filter(|root| is_law(p, &root.odds(t)))
    }

    /// sum p w^2/v^2 and max |w|/v, with w = (x - mean)^2 - sigma^2.
    pub(super) fn spread(self, p: &[f64; 5], t: f64) -> (f64, f64) {
        let (mut squares, mut largest) = (0.0, 0.0_f64);
        for ((&p, x), v) in p.iter().zip(SCORES).zip(self.odds(t)).filter(|((p, _), _)| **p > 0.0) {
            let u = x - 0.5 - t * self.sigma;
            let weight = (u * u - self.sigma * self.sigma) / v;
            squares += p * weight * weight;
            largest = largest.max(weight.abs());
        }
        (squares, largest)
    }

    /// v_k, kept above zero against rounding.
    pub(super) fn odds(self, t: f64) -> [f64; 5] {
        phi(t, self).map(|y| (1.0 + self.theta * y).max(f64::MIN_POSITIVE))
    }
}

/// phi_k with v_k = 1 + theta phi_k.
fn phi(t: f64, root: Root) -> [f64; 5] {
    let Root { sigma, .. } = root;
    SCORES.map(|x| {
        let u = x - 0.5 - t * sigma;
        u - t * (u * u - sigma * sigma) / (2.0 * sigma)
    })
}

/// Newton's method on the two moment equations; `None` if it leaves the region where all v are positive.
fn newton(p: &[f64; 5], t: f64, start: Root) -> Option<Root> {
    let Root { mut sigma, mut theta } = start;
    for _ in 0..MAX_STEPS {
        let (g, j, smallest) = equations(p, t, Root { sigma, theta })?;
        let det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
        let d_sigma = (g[1] * j[0][1] - g[0] * j[1][1]) / det;
        let d_theta = (g[0] * j[1][0] - g[1] * j[0][0]) / det;
        sigma += d_sigma;
        theta += d_theta;
        if !(sigma > 0.0 && sigma.is_finite() && theta.is_finite()) {
            return None;
        }
        // A step must be small relative to the smallest v, whose logarithm counts, as far as rounding permits.
        let last = secular::LAST_STEP * smallest.clamp(1e-6, 1.0);
        if d_sigma.abs() <= last * sigma && d_theta.abs() <= last * (theta.abs() + last) {
            return Some(Root { sigma, theta });
        }
    }
    None
}

/// sum p u/v and sum p (u^2 - sigma^2)/v, their derivatives by sigma and theta, and the smallest v; `None` unless all v
/// are positive.
fn equations(p: &[f64; 5], t: f64, root: Root) -> Option<([f64; 2], [[f64; 2]; 2], f64)> {
    let Root { sigma, theta } = root;
    let (mut g, mut j) = ([0.0; 2], [[0.0; 2]; 2]);
    let mut smallest = f64::INFINITY;
    let variance = sigma * sigma;
    let (tilt, turn) = (t / (2.0 * sigma), t / (2.0 * variance));
    for (&p, x) in p.iter().zip(SCORES).filter(|(p, _)| **p > 0.0) {
        let u = x - 0.5 - t * sigma;
        let w = u * u - variance;
        let y = u - tilt * w;
        let v = 1.0 + theta * y;
        if v <= 0.0 {
            return None;
        }
        smallest = smallest.min(v);
        let inverse = 1.0 / v;
        let dw = -2.0 * (t * u + sigma);
        let dy = -t - turn * (dw * sigma - w);
        let q = p * inverse;
        let dv = theta * dy * inverse;
        g[0] += q * u;
        g[1] += q * w;
        j[0][0] -= q * (t + u * dv);
        j[0][1] -= q * u * y * inverse;
        j[1][0] += q * (dw - w * dv);
        j[1][1] -= q * w * y * inverse;
    }
    Some((g, j, smallest))
}

/// Alternates mean and sigma from q with q from these, until Newton's method takes over; `None` if a round has no
/// solution.
fn fixed_point(p: &[f64; 5], t: f64) -> Option<Root> {
    // Standard deviation of the uniform law: any positive start would do.
    let mut root = Root { sigma: 0.125_f64.sqrt(), theta: 0.0 };
    let mut smaller_end = None;
    let mut mean = 0.5;
    for _ in 0..MAX_ROUNDS {
        let (v, theta) = round(p, t, mean, root.sigma, &mut smaller_end)?;
        let q = |k: usize| if p[k] > 0.0 { p[k] / v[k] } else { 0.0 };
        mean = (0..5).map(|k| q(k) * SCORES[k]).sum();
        let variance: f64 = (0..5).map(|k| q(k) * (SCORES[k] - mean) * (SCORES[k] - mean)).sum();
        let change = (variance.sqrt() - root.sigma).abs() / root.sigma;
        root = Root { sigma: variance.sqrt(), theta };
        if change < 1e-3
            && let Some(polished) = newton(p, t, root)
            && (polished.sigma - root.sigma).abs() < 0.1 * root.sigma
        {
            return Some(polished);
        }
    }
    None
}

/// One round of the fixed point: v and theta for this mean and sigma.
fn round(p: &[f64; 5], t: f64, mean: f64, sigma: f64, smaller_end: &mut Option<f64>) -> Option<([f64; 5], f64)> {
    let phi = SCORES.map(|x| {
        let z = (mean - x) / sigma;
        x - 0.5 - t * sigma * (1.0 + z * z) / 2.0
    });
    let support = || phi.iter().zip(p).filter(|(_, p)| **p > 0.0).map(|(y, _)| *y);
    let low = support().fold(f64::INFINITY, f64::min);
    let high = support().fold(f64::NEG_INFINITY, f64::max);
    if !(low < 0.0 && high > 0.0) {
        return None;
    }
    let width = high - low;
    let v = secular::odds(p, &phi.map(|y| (y - low) / width), -low / width, smaller_end);
    // v = 1 + theta phi: computes theta where |phi| is largest.
    let k = (0..5).fold(0, |best, k| if phi[k].abs() > phi[best].abs() { k } else { best });
    Some((v, (v[k] - 1.0) / phi[k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Law, Unit};
    use crate::random::Stream;

    /// Frequencies from counts of very different sizes, some of them empty; every other law is one of games.
    fn laws() -> impl Iterator<Item = [f64; 5]> {
        let mut generator = Stream::from_seed(1);
        (0..2000).map(move |k| {
            let mut count = || (1_u64 << (generator.bits() % 24)) / 8 * (generator.bits() % 4);
            let (five, three) = ([0; 5].map(|_| count()), [0; 3].map(|_| count()));
            let law =
                if k % 2 == 0 { Law::regularised(&five, Unit::Pair) } else { Law::regularised(&three, Unit::Game) };
            law.p
        })
    }

    fn t_value(p: &[f64; 5], v: &[f64; 5]) -> (f64, f64) {
        let q: Vec<f64> = p.iter().zip(v).map(|(p, v)| p / v).collect();
        let moment = |f: &dyn Fn(f64) -> f64| q.iter().zip(SCORES).map(|(q, x)| q * f(x)).sum::<f64>();
        let advantage = moment(&|x| x - 0.5);
        let variance = moment(&|x| (x - 0.5 - advantage) * (x - 0.5 - advantage));
        (moment(&|_| 1.0), advantage / variance.sqrt())
    }

    #[test]
    fn the_law_found_is_a_law_and_has_the_t_value() {
        for (p, t) in laws().zip([-0.29, -0.02, 0.004, 0.1, 0.3].into_iter().cycle()) {
            let v = odds(&p, t, &mut None);
            let (sum, found) = t_value(&p, &v);
            // If v is almost 0, its last bit affects q, though not the likelihood.
            let room = 1e-9 + 1e-13 / v.into_iter().fold(f64::INFINITY, f64::min);
            assert!((sum - 1.0).abs() < room && (found - t).abs() < room, "{p:?} {t}: {sum} {found}");
        }
    }

    #[test]
    fn wide_bounds_have_laws_too() {
        for (p, t) in laws().zip([-8.0, -3.0, -0.7, 0.5, 2.0, 6.0].into_iter().cycle()).take(150) {
            let (sum, found) = t_value(&p, &odds(&p, t, &mut None));
            assert!((sum - 1.0).abs() < 1e-4 && (found - t).abs() < 1e-3 * t.abs(), "{p:?} {t}: {sum} {found}");
        }
    }
}
