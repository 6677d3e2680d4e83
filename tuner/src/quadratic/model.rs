//! The regression of pair results on the values really played, as sufficient statistics and their posterior.
//!
//! `Elo(x) = sum g_i x_i + h_i x_i^2 / 2`. A pair of sides a and b gives y = wins - losses with mean kappa phi . (g, h), where
//! phi = (a - b, (a^2 - b^2) / 2), and variance s^2, estimated as the mean of y^2. With P = sum phi phi^T and r = sum phi y the
//! posterior precision is P kappa^2 / s^2 plus the sites' precisions. Old data fade, so that pair j weighs about j / k after k
//! pairs: what was learnt far from the optimum, where the surface is another one, gives way.
//!
//! In a session at several limits phi has a third part, lambda (a - b), with a coefficient e for each parameter (`drift`).

use super::prior::{Marginal, Site};
use super::warm::Carried;
use crate::linear::{Factor, Symmetric};

/// kappa: wins minus losses that a pair gains per Elo on the logistic curve, 4 ln 10 / 1600. Draws and unequal openings lower
/// it by some 10 %, which only scales all Elo reported.
pub(super) const SLOPE: f64 = 4.0 * std::f64::consts::LN_10 / 1600.0;

/// Pairs with y^2 = 1 that the variance starts from.
const VARIANCE_PRIOR: f64 = 8.0;

/// The sums over all pairs told.
#[derive(Clone, Debug)]
pub(super) struct Statistics {
    graded: Vec<bool>,
    information: Symmetric,
    response: Vec<f64>,
    squares: f64,
    pairs: f64,
    fresh: f64,
    weight: f64,
    weight_squares: f64,
    contrast: Vec<f64>,
    /// Pairs of an earlier session that count as told before the first.
    before: f64,
    carried: Option<Carried>,
}

/// Means, variances and covariance of one parameter's g and h.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) g: f64,
    pub(super) h: f64,
    pub(super) gg: f64,
    pub(super) gh: f64,
    pub(super) hh: f64,
}

/// The posterior of all g, then all h, then all e if there are several limits.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    pub(super) mean: Vec<f64>,
    parameters: usize,
    factor: Factor,
}

impl Statistics {
    /// Nothing told yet; `graded` says which parameters have a curvature, the others being switches, and `drifts` whether there are
    /// several limits.
    pub(super) fn new(graded: Vec<bool>, drifts: bool) -> Self {
        let order = if drifts { 3 } else { 2 } * graded.len();
        Self {
            graded,
            information: Symmetric::zero(order),
            response: vec![0.0; order],
            squares: 0.0,
            pairs: 0.0,
            fresh: 0.0,
            weight: 0.0,
            weight_squares: 0.0,
            contrast: vec![0.0; order],
            before: 0.0,
            carried: None,
        }
    }

    /// What an earlier session knew, as if from so many pairs, of which pair j weighs j / k as ever.
    pub(super) fn carry(&mut self, carried: Carried, pairs: f64) {
        (self.carried, self.before) = (Some(carried), pairs);
        (self.weight, self.weight_squares) = (pairs / 2.0, pairs / 3.0);
    }

    /// What an earlier session knew, to be believed more or less.
    pub(super) fn carried_mut(&mut self) -> Option<&mut Carried> {
        self.carried.as_mut()
    }

    /// Whether pairs were absorbed since the last fading.
    pub(super) fn is_fresh(&self) -> bool {
        self.fresh > 0.0
    }

    /// Absorbs a pair at the coordinates `a` and `b`, played `lambda` below the target. Sides that are not numbers leave no trace.
    pub(super) fn absorb(&mut self, (a, b): (&[f64], &[f64]), lambda: f64, net: f64) {
        let (linear, rest) = self.contrast.split_at_mut(self.graded.len());
        let (square, drift) = rest.split_at_mut(self.graded.len());
        for ((((l, s), graded), a), b) in linear.iter_mut().zip(square).zip(&self.graded).zip(a).zip(b) {
            *l = a - b;
            *s = if *graded { 0.5 * (a * a - b * b) } else { 0.0 };
        }
        for (d, l) in drift.iter_mut().zip(linear) {
            *d = lambda * *l;
        }
        self.squares += net * net;
        self.pairs += 1.0;
        self.fresh += 1.0;
        self.weight += 1.0;
        self.weight_squares += 1.0;
        if self.contrast.iter().all(|x| x.is_finite()) {
            self.information.add_outer(&self.contrast, 1.0);
            for (r, x) in self.response.iter_mut().zip(&self.contrast) {
                *r += x * net;
            }
        }
    }

    /// Lets the data fade by the share of pairs absorbed since the last call.
    pub(super) fn fade(&mut self) {
        let all = self.before + self.pairs;
        if self.fresh < all {
            let keep = 1.0 - self.fresh / all;
            self.information.scale(keep);
            self.response.iter_mut().for_each(|r| *r *= keep);
            self.weight *= keep;
            self.weight_squares *= keep * keep;
            if let Some(carried) = &mut self.carried {
                carried.fade(keep);
            }
        }
        self.fresh = 0.0;
    }

    /// How many times as much as its precision the faded regression knows, at least 1. The mean of pairs with weights w has the
    /// variance of one pair times (sum w^2) / (sum w)^2, while their precisions add up to sum w; with w = j / k that is 1.5.
    pub(super) fn worth(&self) -> f64 {
        if self.weight_squares > 0.0 { self.weight / self.weight_squares } else { 1.0 }
    }

    /// The variance of a pair's result.
    pub(super) fn variance(&self) -> f64 {
        (self.squares + VARIANCE_PRIOR) / (self.pairs + VARIANCE_PRIOR)
    }

    /// The posterior with these sites and these precisions of drifts, of which there are none at a single limit; nothing if the
    /// numbers have degenerated.
    pub(super) fn posterior(&self, sites: &[Site], drifts: &[f64]) -> Option<Posterior> {
        let variance = self.variance();
        let mut precision = self.information.clone();
        precision.scale(SLOPE * SLOPE / variance);
        let (linear, curvatures) = (sites.iter().map(|s| s.linear), sites.iter().map(|s| s.curvature));
        let diagonal: Vec<f64> = linear.chain(curvatures).chain(drifts.iter().copied()).collect();
        precision.add_diagonal(&diagonal);
        let shifts = sites.iter().map(|_| 0.0).chain(sites.iter().map(|s| s.shift)).chain(drifts.iter().map(|_| 0.0));
        let mut mean: Vec<f64> =
            self.response.iter().zip(shifts).map(|(r, shift)| r * SLOPE / variance + shift).collect();
        for (i, known) in self.carried.iter().flat_map(Carried::blocks) {
            let j = i + sites.len();
            for (row, column, more) in [(i, i, known.gg), (j, i, known.gh), (j, j, known.hh)] {
                precision.add(row, column, more);
            }
            mean[i] += known.g;
            mean[j] += known.h;
        }
        let factor = precision.cholesky()?;
        factor.solve(&mut mean);
        mean.iter().all(|m| m.is_finite()).then_some(Posterior { mean, parameters: sites.len(), factor })
    }
}

impl Posterior {
    /// The marginals of (g, h) of every parameter, and of e where there are several limits.
    pub(super) fn marginals(&self) -> (Vec<(Marginal, Marginal)>, Vec<Marginal>) {
        let variances = self.factor.inverse_diagonal();
        let all: Vec<_> =
            self.mean.iter().zip(variances).map(|(&mean, variance)| Marginal { mean, variance }).collect();
        let (g, rest) = all.split_at(self.parameters);
        let (h, e) = rest.split_at(self.parameters);
        (g.iter().copied().zip(h.iter().copied()).collect(), e.to_vec())
    }

    /// g and h of the parameter `i` together.
    pub(super) fn joint(&self, i: usize) -> Joint {
        let j = i + self.parameters;
        let column = |i: usize| {
            let mut unit = vec![0.0; self.mean.len()];
            unit[i] = 1.0;
            self.factor.solve_lower(&mut unit);
            unit
        };
        let (g, h) = (column(i), column(j));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum();
        Joint { g: self.mean[i], h: self.mean[j], gg: dot(&g, &g), gh: dot(&g, &h), hh: dot(&h, &h) }
    }

    /// A draw from the posterior with its spread damped: `z` holds standard normals times the damping, and becomes the draw.
    pub(super) fn draw(&self, z: &mut [f64]) {
        self.factor.solve_upper(z);
        for (z, mean) in z.iter_mut().zip(&self.mean) {
            *z += mean;
        }
    }

    /// Wins minus losses that are expected of a pair at the coordinates `a` and `b`, played `lambda` below the target.
    pub(super) fn predict(&self, (a, b): (&[f64], &[f64]), lambda: f64) -> f64 {
        let (g, rest) = self.mean.split_at(self.parameters);
        let (h, e) = rest.split_at(self.parameters);
        let slope = |i: usize| g[i] + lambda * e.get(i).copied().unwrap_or(0.0);
        let one = |(i, (a, b)): (usize, (&f64, &f64))| (a - b) * (slope(i) + 0.5 * h[i] * (a + b));
        SLOPE * a.iter().zip(b).enumerate().map(one).sum::<f64>()
    }

    /// The covariance of the coefficients of these columns' g.
    pub(super) fn covariance(&self, columns: std::ops::Range<usize>) -> Symmetric {
        let solved = |i: usize| {
            let mut unit = vec![0.0; self.mean.len()];
            unit[i] = 1.0;
            self.factor.solve_lower(&mut unit);
            unit
        };
        let all: Vec<Vec<f64>> = columns.map(solved).collect();
        let mut covariance = Symmetric::zero(all.len());
        for part in 0..self.mean.len() {
            let across: Vec<f64> = all.iter().map(|one| one[part]).collect();
            covariance.add_outer(&across, 1.0);
        }
        covariance
    }

    /// Mean and standard deviation of the combination of all coefficients with these weights.
    pub(super) fn combination(&self, weights: Vec<f64>) -> (f64, f64) {
        let mean = weights.iter().zip(&self.mean).map(|(w, m)| w * m).sum();
        let mut solved = weights;
        self.factor.solve_lower(&mut solved);
        (mean, libm::sqrt(solved.iter().map(|x| x * x).sum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn the_posterior_finds_the_coefficients_of_noisy_pairs() {
        let mut statistics = Statistics::new(vec![true, true], false);
        let (g, h) = ([20.0, -10.0], [-8.0, -4.0]);
        let mut stream = Stream::from_seed(5);
        for _ in 0..20_000 {
            let a: Vec<f64> = (0..2).map(|_| stream.normal()).collect();
            let b: Vec<f64> = (0..2).map(|_| stream.normal()).collect();
            let elo = |x: &[f64]| (0..2).map(|i| g[i] * x[i] + 0.5 * h[i] * x[i] * x[i]).sum::<f64>();
            let net = SLOPE * (elo(&a) - elo(&b)) + stream.normal();
            statistics.absorb((&a, &b), 0.0, net);
        }
        let weak = Site { linear: 1e-3, curvature: 1e-3, shift: 0.0 };
        let posterior = statistics.posterior(&[weak, weak], &[]).unwrap();
        for (i, (linear, square)) in posterior.marginals().0.into_iter().enumerate() {
            assert!((linear.mean - g[i]).abs() < 4.0 * libm::sqrt(linear.variance), "{linear:?}");
            assert!((square.mean - h[i]).abs() < 4.0 * libm::sqrt(square.variance), "{square:?}");
            assert!(linear.variance < 2.0 && square.variance < 4.0);
        }
    }

    #[test]
    fn sides_that_are_not_numbers_leave_no_trace() {
        let mut statistics = Statistics::new(vec![true], false);
        statistics.absorb((&[f64::NAN], &[0.0]), 0.0, 1.0);
        statistics.absorb((&[1.0], &[f64::INFINITY]), 0.0, 1.0);
        let site = Site { linear: 1.0, curvature: 1.0, shift: -1.0 };
        assert_eq!(statistics.posterior(&[site], &[]).unwrap().mean, [0.0, -1.0]);
    }
}
