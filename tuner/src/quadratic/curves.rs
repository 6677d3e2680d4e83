//! The gain of each parameter since the start, by a curve of any shape.
//!
//! The fit locates the best values: it is a cubic, most precise at the latest pairs. It says little about a distant
//! start, because engines fall off at cliffs and turn flat, and because old pairs have faded. So every graded parameter
//! has a second estimate, which is only reported: Elo f(x) linear between nodes half a step apart (wider far from the
//! start), whose slope does a random walk, of tau Elo a step over one step: the Bayesian form of a smoothing spline
//! (Wahba, *Improper Priors, Spline Smoothing and the Problem of Guarding Against Model Errors in Regression*, 1978).
//! All pairs have equal weight, however old. A pair's result measures f(a) - f(b) of its sides; the effects of its
//! other parameters count as noise, as signs are random. The roughness of curves and their steepness at the start are
//! averaged, weighted by their evidence. `verdict` combines the result with the fit.

use super::model::SLOPE;
use super::{Quadratic, reach};
use crate::linear::Symmetric;
use crate::method::Estimate;
use std::collections::BTreeMap;

/// The spacing of nodes in steps, and the number of nodes to either side of the start with it; farther out the spacing
/// grows by a constant factor.
const SPACING: f64 = 0.5;
const EVEN: i64 = 16;
const WIDENING: f64 = 1.0625;
/// The values of tau: Elo per step by which a slope may change over one step, one sigma.
const ROUGHNESSES: [f64; 5] = [0.3, 1.0, 3.0, 10.0, 30.0];
/// The slope of the curve at the start, one sigma, relative to the fit's expectation for a parameter of this
/// sensitivity.
const STEEPNESSES: [f64; 3] = [1.0, 4.0, 16.0];

/// The sums of one parameter's pairs over its nodes.
#[derive(Clone, Debug, Default)]
struct Curve {
    /// Sums of the products of two nodes' weights in a pair's difference; the later node comes first.
    products: BTreeMap<(i64, i64), f64>,
    /// Sums of a node's weight times wins minus losses, and times the slope that another limit adds per unit of e.
    results: BTreeMap<i64, (f64, f64)>,
}

/// The coordinate of a node, in steps from the start.
fn place(node: i64) -> f64 {
    let even = if node.abs() > EVEN { EVEN } else { node.abs() };
    let far = SPACING * even as f64 * libm::pow(WIDENING, (node.abs() - even) as f64);
    if node < 0 { -far } else { far }
}

/// The node at or below `x`, and the position of `x` between it and the next node, from 0 to 1.
fn cell(x: f64) -> (i64, f64) {
    let last = SPACING * EVEN as f64;
    let far = x.abs();
    let count = if far <= last { far / SPACING } else { EVEN as f64 + libm::log(far / last) / libm::log(WIDENING) };
    let node = if x < 0.0 { -count } else { count }.floor() as i64;
    let (low, high) = (place(node), place(node + 1));
    (node, ((x - low) / (high - low)).clamp(0.0, 1.0))
}

/// The weights of the nodes in f(a) - f(b).
fn difference(a: f64, b: f64) -> [(i64, f64); 4] {
    let ((j, s), (k, t)) = (cell(a), cell(b));
    [(j, 1.0 - s), (j + 1, s), (k, t - 1.0), (k + 1, -t)]
}

impl Curve {
    fn absorb(&mut self, (a, b): (f64, f64), lambda: f64, net: f64) {
        let features = difference(a, b);
        for (node, share) in features {
            let (sum, moved) = self.results.entry(node).or_default();
            *sum += share * net;
            *moved += share * lambda * (a - b);
            for (other, part) in features.into_iter().filter(|(other, _)| *other <= node) {
                *self.products.entry((node, other)).or_default() += share * part;
            }
        }
    }

    /// f(x) - f(0) of a curve that is expected to rise by about `slope` Elo a step at the start, if pairs have this
    /// variance and each unit of lambda adds `e` Elo a step; `None` before the first pair, or if the numbers have
    /// degenerated.
    fn gain(&self, x: f64, slope: f64, e: Estimate, variance: f64) -> Option<Estimate> {
        let there = cell(x).0;
        let ends = [*self.results.first_key_value()?.0, *self.results.last_key_value()?.0, there, there + 1, 0, 1];
        let first = ends.into_iter().fold(0, i64::min);
        let order = usize::try_from(ends.into_iter().fold(0, i64::max) - first).ok()? + 1;
        let (seen, response, by_e) = self.seen((first, order), e.mean, variance);
        let mut contrast = vec![0.0; order];
        for (node, share) in difference(x, 0.0) {
            contrast[at(node, first)] += share;
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let given = |(tau, slope): (f64, f64)| {
            let mut precision = seen.clone();
            believe(&mut precision, first, (tau, slope));
            let factor = precision.cholesky()?;
            let (mut mean, mut spread) = (response.clone(), contrast.clone());
            factor.solve(&mut mean);
            factor.solve(&mut spread);
            let spreads = (order - 2) as f64 * libm::log(tau) + libm::log(slope);
            let evidence = 0.5 * (dot(&mean, &response) - factor.log_determinant()) - spreads;
            let by_e = e.sd * dot(&spread, &by_e);
            Some(AtRoughness { evidence, mean: dot(&contrast, &mean), variance: dot(&contrast, &spread) + by_e * by_e })
        };
        let curves = ROUGHNESSES.into_iter().flat_map(|tau| STEEPNESSES.map(|steepness| (tau, steepness * slope)));
        averaged(&curves.filter_map(given).collect::<Vec<_>>())
    }

    /// The evidence of all pairs about `order` nodes from `first`: the precision, the precision times the mean, and how
    /// much each unit of e reduces the latter.
    fn seen(&self, (first, order): (i64, usize), e: f64, variance: f64) -> (Symmetric, Vec<f64>, Vec<f64>) {
        let (mut seen, mut response, mut by_e) = (Symmetric::zero(order), vec![0.0; order], vec![0.0; order]);
        for (&(node, other), sum) in &self.products {
            seen.add(at(node, first), at(other, first), SLOPE * SLOPE / variance * sum);
        }
        for (&node, (net, moved)) in &self.results {
            by_e[at(node, first)] = SLOPE * SLOPE / variance * moved;
            response[at(node, first)] = SLOPE / variance * net - e * by_e[at(node, first)];
        }
        (seen, response, by_e)
    }
}

/// The index of a node among those from `first`.
fn at(node: i64, first: i64) -> usize {
    usize::try_from(node - first).unwrap_or_default()
}

/// The estimate of a gain if all curves have one roughness.
struct AtRoughness {
    /// The logarithm of the evidence for this roughness, up to a constant.
    evidence: f64,
    mean: f64,
    variance: f64,
}

/// The average of all estimates, weighted by their evidence; `None` if the numbers have degenerated.
fn averaged(given: &[AtRoughness]) -> Option<Estimate> {
    let top = given.iter().fold(f64::NEG_INFINITY, |top, one| if one.evidence > top { one.evidence } else { top });
    let mean_of = |of: &dyn Fn(&AtRoughness) -> f64| {
        let weight = |one: &AtRoughness| libm::exp(one.evidence - top);
        given.iter().map(|one| weight(one) * of(one)).sum::<f64>() / given.iter().map(weight).sum::<f64>()
    };
    let mean = mean_of(&|one| one.mean);
    let sd = libm::sqrt(mean_of(&|one| one.variance + (one.mean - mean) * (one.mean - mean)));
    (mean.is_finite() && sd.is_finite()).then_some(Estimate { mean, sd })
}

/// Adds the prior of a curve over the nodes from `first`. Heights have a flat prior; one height is fixed, which no
/// difference depends on.
fn believe(precision: &mut Symmetric, first: i64, (tau, slope): (f64, f64)) {
    let order = precision.order();
    let mut believe = |features: &[(usize, f64)], sharp: f64| {
        for &(i, share) in features {
            for &(j, part) in features.iter().filter(|(j, _)| *j <= i) {
                precision.add(i, j, sharp * share * part);
            }
        }
    };
    let places: Vec<f64> = (first..).take(order).map(place).collect();
    for (i, ends) in places.windows(3).enumerate() {
        let (before, after) = (ends[1] - ends[0], ends[2] - ends[1]);
        let bend = [(i, 1.0 / before), (i + 1, -1.0 / before - 1.0 / after), (i + 2, 1.0 / after)];
        believe(&bend, 2.0 / (tau * tau * (before + after)));
    }
    let start = at(0, first);
    believe(&[(start, -1.0 / SPACING), (start + 1, 1.0 / SPACING)], 1.0 / (slope * slope));
    believe(&[(start, 1.0)], 1.0);
}

/// The curves of all columns that have one.
#[derive(Clone, Debug)]
pub(super) struct Curves(Vec<Option<Curve>>);

impl Curves {
    /// Makes curves without pairs; `curved` says which columns have a curve.
    pub(super) fn new(curved: &[bool]) -> Self {
        Self(curved.iter().map(|curved| curved.then(Curve::default)).collect())
    }

    /// Absorbs a pair of the sides `a` and `b`, `lambda` below the target; `nets` has the wins minus losses that each
    /// column alone is assumed to have caused.
    pub(super) fn absorb(&mut self, (a, b): (&[f64], &[f64]), lambda: f64, nets: &[f64]) {
        for (((curve, &a), &b), &net) in self.0.iter_mut().zip(a).zip(b).zip(nets) {
            if let Some(curve) = curve {
                curve.absorb((a, b), lambda, net);
            }
        }
    }
}

impl Quadratic {
    /// Elo that the column `i` has gained from the start to the answer, by its curve; `None` without a curve.
    pub(super) fn gain_by_curve(&self, i: usize) -> Option<Estimate> {
        let curve = self.curves.0.get(i)?.as_ref()?;
        let e = self.posterior.terms.e(i).map_or((0.0, 0.0), |e| {
            let mut weights = vec![0.0; self.posterior.mean.len()];
            weights[e] = 1.0;
            self.posterior.combination(weights)
        });
        let slope = 2.0 * libm::exp(self.sensitivities[i].ln) * reach(&self.config, self.typical());
        curve.gain(self.best[i], slope, Estimate { mean: e.0, sd: e.1 }, self.statistics.variance())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const NO_E: Estimate = Estimate { mean: 0.0, sd: 0.0 };

    #[test]
    fn every_place_is_in_its_cell() {
        for x in [0.0, 0.2, -0.2, 7.99, 8.0, -8.0, -8.4, 20.0, -300.0, 1e6] {
            let (node, share) = cell(x);
            let back = place(node) + share * (place(node + 1) - place(node));
            assert!(place(node) <= x + 1e-9 && x <= place(node + 1) + 1e-9 && (back - x).abs() < 1e-6, "{x}: {back}");
        }
        assert!(cell(1e6).0 < 250, "few nodes, however far");
    }

    /// A curve of `pairs` pairs around every half step up to `end`, with sides a step to either side, on a surface that
    /// gains `elo`.
    fn curve_of(pairs: usize, end: f64, elo: impl Fn(f64, f64) -> f64) -> Curve {
        let (mut curve, mut stream) = (Curve::default(), Stream::from_seed(5));
        for pair in 0..pairs {
            let middle = end * pair as f64 / pairs as f64;
            let step = stream.sign();
            let lambda = -(pair as f64 % 3.0);
            let net = SLOPE * (elo(middle + step, lambda) - elo(middle - step, lambda)) + 0.86 * stream.normal();
            curve.absorb((middle + step, middle - step), lambda, net);
        }
        curve
    }

    #[test]
    fn cliffs_and_flat_ends_are_seen() {
        let elo = |x: f64, _| 100.0 / (1.0 + libm::exp(3.0 * (3.0 - x)));
        let gain = curve_of(4000, 12.0, elo).gain(12.0, 2.0, NO_E, 0.74).unwrap();
        assert!((gain.mean - 100.0).abs() < 2.0 * gain.sd && gain.sd < 20.0, "{gain:?}");
        let back = curve_of(4000, -12.0, |x, lambda| elo(-x, lambda)).gain(-12.0, 2.0, NO_E, 0.74).unwrap();
        assert!((back.mean - 100.0).abs() < 2.0 * back.sd, "{back:?}");
    }

    #[test]
    fn what_only_other_limits_gain_is_left_out() {
        let curve = curve_of(4000, 6.0, |x, lambda| (5.0 + 4.0 * lambda) * x);
        let [with, without] = [4.0, 0.0].map(|mean| curve.gain(6.0, 5.0, Estimate { mean, sd: 0.0 }, 0.74).unwrap());
        assert!((with.mean - 30.0).abs() < 2.0 * with.sd && without.mean < with.mean - 15.0, "{with:?}, {without:?}");
        let unsure = curve.gain(6.0, 5.0, Estimate { mean: 4.0, sd: 3.0 }, 0.74).unwrap();
        let by_e = libm::sqrt(unsure.sd * unsure.sd - with.sd * with.sd) / 3.0;
        let less = 0.25 * (without.mean - with.mean);
        assert!((unsure.mean - with.mean).abs() < 2.0 && (by_e - less.abs()).abs() < 1.0, "{unsure:?}, {by_e}, {less}");
    }

    #[test]
    fn nothing_is_said_before_the_first_pair() {
        assert!(Curve::default().gain(1.0, 5.0, NO_E, 0.74).is_none());
        let one = curve_of(1, 1.0, |x, _| x).gain(40.0, 5.0, NO_E, 0.74).unwrap();
        assert!(one.sd > 300.0, "and nearly nothing after it: {one:?}");
    }
}
