//! The regression of pair results on the values that were played, as sufficient statistics and their posterior.
//!
//! `Elo(x) = sum g_i x_i + h_i x_i^2 / 2 + t_i x_i^3 / 6`. A pair of sides a and b gives y = wins - losses with mean
//! kappa phi . (g, h, t), where phi = (a - b, (a^2 - b^2) / 2, (a^3 - b^3) / 6), and variance s^2, estimated as the
//! mean of y^2. With P = sum phi phi^T and r = sum phi y the posterior precision is P kappa^2 / s^2 plus the sites'
//! precisions. Old data fade, so that pair j weighs about (j / k)^fading after k pairs: this discards what was learnt
//! far from the optimum, where the surface differs.
//!
//! The site of a curvature describes the curvature at the best values, h + t r, not at the start. The coefficients t
//! exist only if requested (`skew`). If slopes change with the limit (`drift`) or with time (`motion`), phi has one
//! more part, lambda (a - b), with a coefficient e for each parameter.

use super::prior::{Marginal, Site};
use super::sizes::Sizes;
use super::warm::Carried;
use crate::blocks::{Matrix, Root};
use crate::linear::Symmetric;

/// kappa: wins minus losses that a pair gains per Elo on the logistic curve, 4 ln 10 / 1600. Draws and unequal openings
/// lower it by some 10 %, which only scales all reported Elo.
pub(super) const SLOPE: f64 = 4.0 * std::f64::consts::LN_10 / 1600.0;

/// The number of pairs with y^2 = 1 in the initial variance.
const VARIANCE_PRIOR: f64 = 8.0;

/// The coefficients of the regression, and their indices: all g, then all h, all t, all e and those of crossed columns.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) columns: usize,
    pub(super) skewed: bool,
    pub(super) drifts: bool,
    /// The crossed columns, the lower one first.
    pub(super) crosses: Vec<(usize, usize)>,
}

impl Terms {
    fn order(&self) -> usize {
        self.first_cross() + self.crosses.len()
    }

    /// The index of the first coefficient of crossed columns.
    pub(super) fn first_cross(&self) -> usize {
        self.columns * (2 + usize::from(self.skewed) + usize::from(self.drifts))
    }

    /// The crossed columns with their coefficients.
    pub(super) fn crossed<'a>(&'a self, all: &'a [f64]) -> impl Iterator<Item = ((usize, usize), f64)> + 'a {
        self.crosses.iter().copied().zip(all[self.first_cross()..].iter().copied())
    }

    /// Elo per step that each column gains from the positions of the others.
    pub(super) fn pulls(&self, all: &[f64], x: &[f64]) -> Vec<f64> {
        let mut pulls = vec![0.0; self.columns];
        for ((i, j), c) in self.crossed(all) {
            pulls[i] += c * x[j];
            pulls[j] += c * x[i];
        }
        pulls
    }

    /// The index of the column `i`'s h.
    pub(super) fn h(&self, i: usize) -> usize {
        self.columns + i
    }

    /// The index of the column `i`'s t.
    pub(super) fn t(&self, i: usize) -> Option<usize> {
        self.skewed.then_some(2 * self.columns + i)
    }

    /// The index of the column `i`'s e.
    pub(super) fn e(&self, i: usize) -> Option<usize> {
        self.drifts.then_some((2 + usize::from(self.skewed)) * self.columns + i)
    }

    /// Extracts the coefficients of the column `i`.
    pub(super) fn of(&self, all: &[f64], i: usize) -> Coefficients {
        let at = |place: Option<usize>| place.map_or(0.0, |place| all[place]);
        Coefficients { g: all[i], h: all[self.h(i)], t: at(self.t(i)), e: at(self.e(i)) }
    }

    /// Writes the features of a column for a move from `x` to `c`: the factors of its coefficients.
    pub(super) fn put_move(&self, weights: &mut [f64], i: usize, graded: bool, (x, c): (f64, f64)) {
        weights[i] = c - x;
        if graded {
            weights[self.h(i)] = 0.5 * (c * c - x * x);
            if let Some(t) = self.t(i) {
                weights[t] = (c * c * c - x * x * x) / 6.0;
            }
        }
    }

    /// Writes the factors of the crossed coefficients in the slope of the column `i`, with the other columns at `x`.
    pub(super) fn put_pull(&self, weights: &mut [f64], i: usize, x: &[f64]) {
        let first = self.first_cross();
        for (weight, &(j, k)) in weights[first..].iter_mut().zip(&self.crosses) {
            if j == i {
                *weight = x[k];
            } else if k == i {
                *weight = x[j];
            }
        }
    }

    /// Writes the features of crossed columns for a move from `x` to `c`.
    pub(super) fn put_crosses(&self, weights: &mut [f64], x: &[f64], c: &[f64]) {
        let first = self.first_cross();
        for (weight, &(i, j)) in weights[first..].iter_mut().zip(&self.crosses) {
            *weight = c[i] * c[j] - x[i] * x[j];
        }
    }
}

/// The strength along one column: g x + h x^2 / 2 + t x^3 / 6; each unit of lambda adds e to g.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coefficients {
    g: f64,
    h: f64,
    t: f64,
    e: f64,
}

impl Coefficients {
    /// Elo per step at `x`, at this lambda: `lambda` below the target, or after this many pairs.
    pub(super) fn slope(self, x: f64, lambda: f64) -> f64 {
        self.g + lambda * self.e + self.h * x + 0.5 * self.t * x * x
    }

    /// The same coefficients if the other columns add this many Elo per step.
    pub(super) fn pulled(self, pull: f64) -> Self {
        Self { g: self.g + pull, ..self }
    }

    /// The curvature at `x`.
    pub(super) fn bend(self, x: f64) -> f64 {
        self.h + self.t * x
    }

    pub(super) fn skew(self) -> f64 {
        self.t
    }
}

/// The terms of the normal equations besides the data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beliefs<'a> {
    pub(super) sites: &'a [Site],
    /// The coordinates of the curvatures that the sites describe.
    pub(super) at: &'a [f64],
    /// The precisions of all t, of all e, and of all crossed columns; empty for missing coefficients.
    pub(super) skews: &'a [f64],
    pub(super) drifts: &'a [f64],
    pub(super) crosses: &'a [f64],
}

impl<'a> Beliefs<'a> {
    /// Sites that describe the curvatures at `at`, and the beliefs about t, e and crossed columns if these exist.
    pub(super) fn new(sites: &'a [Site], at: &'a [f64], [skews, drifts, crosses]: [Option<&'a Sizes>; 3]) -> Self {
        let precisions = |sizes: Option<&'a Sizes>| sizes.map_or(&[][..], Sizes::precisions);
        Self { sites, at, skews: precisions(skews), drifts: precisions(drifts), crosses: precisions(crosses) }
    }
}

/// The sums over all absorbed pairs.
#[derive(Clone, Debug)]
pub(super) struct Statistics {
    graded: Vec<bool>,
    terms: Terms,
    fading: f64,
    information: Matrix,
    response: Vec<f64>,
    squares: f64,
    pairs: f64,
    fresh: f64,
    weight: f64,
    weight_squares: f64,
    /// The number of pairs of an earlier session that count as absorbed before the first.
    before: f64,
    carried: Option<Carried>,
}

/// The means, variances and covariance of one column's g and h.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) g: f64,
    pub(super) h: f64,
    pub(super) gg: f64,
    pub(super) gh: f64,
    pub(super) hh: f64,
}

/// The means and covariances of one column's g, h and t, and the coordinate of the curvature that its site describes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cubic {
    pub(super) mean: [f64; 3],
    pub(super) covariance: [[f64; 3]; 3],
    pub(super) at: f64,
}

/// The posterior of all coefficients.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    pub(super) mean: Vec<f64>,
    pub(super) terms: Terms,
    /// The coordinates of the curvatures that the sites describe.
    at: Vec<f64>,
    factor: Root,
}

/// The marginals of all columns' g, of the curvatures that their sites describe, of t and of e.
pub(super) struct Marginals {
    pub(super) of: Vec<(Marginal, Marginal)>,
    pub(super) skews: Vec<Marginal>,
    pub(super) drifts: Vec<Marginal>,
    pub(super) crosses: Vec<Marginal>,
}

impl Statistics {
    /// Makes empty statistics. `graded` marks the columns with a curvature, the others being switches. `skewed` says
    /// whether curvatures change along columns, `drifts` whether slopes change with lambda, and `fading` how fast pairs
    /// fade.
    pub(super) fn new(graded: Vec<bool>, (skewed, drifts): (bool, bool), fading: f64) -> Self {
        Self::crossed(graded, (skewed, drifts), &[], fading)
    }

    /// Makes empty statistics with crossed columns.
    pub(super) fn crossed(
        graded: Vec<bool>,
        (skewed, drifts): (bool, bool),
        crosses: &[(usize, usize)],
        fading: f64,
    ) -> Self {
        let terms = Terms { columns: graded.len(), skewed, drifts, crosses: crosses.to_vec() };
        let (order, information) = (terms.order(), Matrix::zero(terms.order(), terms.columns));
        Self {
            graded,
            terms,
            fading,
            information,
            response: vec![0.0; order],
            squares: 0.0,
            pairs: 0.0,
            fresh: 0.0,
            weight: 0.0,
            weight_squares: 0.0,
            before: 0.0,
            carried: None,
        }
    }

    /// Adds the knowledge of an earlier session, as if from this many pairs, with a constant weight.
    pub(super) fn carry(&mut self, carried: Carried, pairs: f64) {
        (self.carried, self.before) = (Some(carried), pairs);
        (self.weight, self.weight_squares) = (pairs / (1.0 + self.fading), pairs / (1.0 + 2.0 * self.fading));
    }

    /// The knowledge from an earlier session, to change how much it is trusted.
    pub(super) fn carried_mut(&mut self) -> Option<&mut Carried> {
        self.carried.as_mut()
    }

    /// Whether pairs were absorbed since the last fading.
    pub(super) fn is_fresh(&self) -> bool {
        self.fresh > 0.0
    }

    /// The features of a pair at the coordinates `a` and `b`, played at this lambda.
    pub(super) fn contrast(&self, (a, b): (&[f64], &[f64]), lambda: f64) -> Vec<f64> {
        let mut contrast = vec![0.0; self.terms.order()];
        for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
            self.terms.put_move(&mut contrast, i, self.graded[i], (b, a));
            if let Some(e) = self.terms.e(i) {
                contrast[e] = lambda * contrast[i];
            }
        }
        self.terms.put_crosses(&mut contrast, b, a);
        contrast
    }

    /// Absorbs a pair at the coordinates `a` and `b`, played at this lambda. Ignores sides that are not finite.
    pub(super) fn absorb(&mut self, sides: (&[f64], &[f64]), lambda: f64, net: f64) {
        let contrast = self.contrast(sides, lambda);
        self.squares += net * net;
        self.pairs += 1.0;
        self.fresh += 1.0;
        self.weight += 1.0;
        self.weight_squares += 1.0;
        if contrast.iter().all(|x| x.is_finite()) {
            self.information.add_outer(&contrast);
            for (r, x) in self.response.iter_mut().zip(&contrast) {
                *r += x * net;
            }
        }
    }

    /// The share of all pairs that were absorbed since the last fading.
    pub(super) fn fresh_share(&self) -> f64 {
        let all = self.before + self.pairs;
        if self.fresh < all { self.fresh / all } else { 0.0 }
    }

    /// Fades the data by the share of pairs absorbed since the last call.
    pub(super) fn fade(&mut self) {
        let all = self.before + self.pairs;
        if self.fresh < all {
            let left = 1.0 - self.fresh / all;
            let keep = if self.fading < 1.0 { libm::pow(left, self.fading) } else { left };
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

    /// The information in the faded regression relative to its precision, at least 1. The mean of pairs with weights w
    /// has the variance of one pair times (sum w^2) / (sum w)^2, while their precisions add up to sum w; with w = (j /
    /// k)^f the ratio is (1 + 2 f) / (1 + f).
    pub(super) fn worth(&self) -> f64 {
        if self.weight_squares > 0.0 { self.weight / self.weight_squares } else { 1.0 }
    }

    /// The variance of a pair's result.
    pub(super) fn variance(&self) -> f64 {
        (self.squares + VARIANCE_PRIOR) / (self.pairs + VARIANCE_PRIOR)
    }

    /// The posterior with these beliefs; `None` if the numbers have degenerated.
    pub(super) fn posterior(&self, beliefs: Beliefs<'_>) -> Option<Posterior> {
        let Beliefs { sites, at, skews, drifts, crosses } = beliefs;
        let variance = self.variance();
        let mut precision = self.information.clone();
        precision.scale(SLOPE * SLOPE / variance);
        let (linear, curvatures) = (sites.iter().map(|s| s.linear), sites.iter().map(|s| s.curvature));
        let small = || skews.iter().chain(drifts).chain(crosses).copied();
        let diagonal: Vec<f64> = linear.chain(curvatures).chain(small()).collect();
        precision.add_diagonal(&diagonal);
        let none = small().map(|_| 0.0);
        let shifts = sites.iter().map(|_| 0.0).chain(sites.iter().map(|s| s.shift)).chain(none);
        let mut mean: Vec<f64> =
            self.response.iter().zip(shifts).map(|(r, shift)| r * SLOPE / variance + shift).collect();
        for (i, (site, r)) in sites.iter().zip(at).enumerate() {
            let Some(t) = self.terms.t(i) else { continue };
            precision.add(t, self.terms.h(i), site.curvature * r);
            precision.add(t, t, site.curvature * r * r);
            mean[t] += site.shift * r;
        }
        if let Some(carried) = &self.carried {
            carried.add_to(&mut precision, &mut mean);
        }
        let factor = precision.cholesky()?;
        factor.solve(&mut mean);
        let finite = mean.iter().all(|m| m.is_finite());
        finite.then_some(Posterior { mean, terms: self.terms.clone(), at: at.to_vec(), factor })
    }
}

impl Posterior {
    /// The marginals of all coefficients.
    pub(super) fn marginals(&self) -> Marginals {
        let variances = self.factor.inverse_diagonal();
        let all: Vec<_> =
            self.mean.iter().zip(variances).map(|(&mean, variance)| Marginal { mean, variance }).collect();
        let at = |place: fn(&Terms, usize) -> Option<usize>| {
            (0..self.terms.columns).filter_map(|i| place(&self.terms, i)).map(|place| all[place]).collect()
        };
        let bend = |i: usize| if self.terms.skewed { self.bend(i) } else { all[self.terms.h(i)] };
        let of = (0..self.terms.columns).map(|i| (all[i], bend(i))).collect();
        let crosses = all[self.terms.first_cross()..].to_vec();
        Marginals { of, skews: at(Terms::t), drifts: at(Terms::e), crosses }
    }

    /// The curvature of the column `i` that its site describes.
    fn bend(&self, i: usize) -> Marginal {
        let mut weights = vec![0.0; self.mean.len()];
        weights[self.terms.h(i)] = 1.0;
        if let Some(t) = self.terms.t(i) {
            weights[t] = self.at[i];
        }
        let (mean, sd) = self.combination(weights);
        Marginal { mean, variance: sd * sd }
    }

    /// The joint distribution of the column `i`'s g and h.
    pub(super) fn joint(&self, i: usize) -> Joint {
        let [[gg, gh], [_, hh]] = self.covariances([i, self.terms.h(i)].map(|place| self.unit(place)));
        Joint { g: self.mean[i], h: self.mean[self.terms.h(i)], gg, gh, hh }
    }

    /// The joint distribution of the column `i`'s g, h and t, with the other columns at `x`; `None` without t.
    pub(super) fn cubic(&self, i: usize, x: &[f64]) -> Option<Cubic> {
        let mut slope = self.unit(i);
        self.terms.put_pull(&mut slope, i, x);
        let weights = [slope, self.unit(self.terms.h(i)), self.unit(self.terms.t(i)?)];
        let mean = weights.each_ref().map(|weights| weights.iter().zip(&self.mean).map(|(w, m)| w * m).sum());
        Some(Cubic { mean, covariance: self.covariances(weights), at: self.at[i] })
    }

    /// The covariance of the slopes of these columns, with all columns at `x`.
    pub(super) fn slopes(&self, columns: &[usize], x: &[f64]) -> Symmetric {
        let solved = |&i: &usize| {
            let mut weights = self.unit(i);
            weights[self.terms.h(i)] = x[i];
            if let Some(t) = self.terms.t(i) {
                weights[t] = 0.5 * x[i] * x[i];
            }
            self.terms.put_pull(&mut weights, i, x);
            self.factor.solve_lower(&mut weights);
            weights
        };
        let all: Vec<Vec<f64>> = columns.iter().map(solved).collect();
        let mut covariance = Symmetric::zero(all.len());
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate().take(i + 1) {
                covariance.add(i, j, a.iter().zip(b).map(|(a, b)| a * b).sum());
            }
        }
        covariance
    }

    fn unit(&self, place: usize) -> Vec<f64> {
        let mut unit = vec![0.0; self.mean.len()];
        unit[place] = 1.0;
        unit
    }

    /// The covariances of the linear combinations of all coefficients with these weights.
    fn covariances<const N: usize>(&self, weights: [Vec<f64>; N]) -> [[f64; N]; N] {
        let solved = weights.map(|mut weights| {
            self.factor.solve_lower(&mut weights);
            weights
        });
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum();
        std::array::from_fn(|i| std::array::from_fn(|j| dot(&solved[i], &solved[j])))
    }

    /// Draws from the posterior with a damped spread: `z` holds standard normals times the damping, and becomes the
    /// draw.
    pub(super) fn draw(&self, z: &mut [f64]) {
        self.factor.solve_upper(z);
        for (z, mean) in z.iter_mut().zip(&self.mean) {
            *z += mean;
        }
    }

    /// The expected wins minus losses of a pair at the coordinates `a` and `b`, played `lambda` below the target.
    pub(super) fn predict(&self, sides: (&[f64], &[f64]), lambda: f64) -> f64 {
        self.parts(sides, lambda).into_iter().sum()
    }

    /// The expected wins minus losses by column.
    pub(super) fn parts(&self, (a, b): (&[f64], &[f64]), lambda: f64) -> Vec<f64> {
        let middles: Vec<f64> = a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect();
        let pulls = self.terms.pulls(&self.mean, &middles);
        let one = |(i, (&a, &b)): (usize, (&f64, &f64))| {
            let Coefficients { g, h, t, e } = self.terms.of(&self.mean, i);
            SLOPE * (a - b) * (g + lambda * e + 0.5 * h * (a + b) + t * (a * a + a * b + b * b) / 6.0 + pulls[i])
        };
        a.iter().zip(b).enumerate().map(one).collect()
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

    /// The mean and standard deviation of the linear combination of all coefficients with these weights.
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
        let mut statistics = Statistics::new(vec![true, true], (false, false), 1.0);
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
        let posterior = statistics
            .posterior(Beliefs { sites: &[weak, weak], at: &[], skews: &[], drifts: &[], crosses: &[] })
            .unwrap();
        for (i, (linear, square)) in posterior.marginals().of.into_iter().enumerate() {
            assert!((linear.mean - g[i]).abs() < 4.0 * libm::sqrt(linear.variance), "{linear:?}");
            assert!((square.mean - h[i]).abs() < 4.0 * libm::sqrt(square.variance), "{square:?}");
            assert!(linear.variance < 2.0 && square.variance < 4.0);
        }
    }

    #[test]
    fn what_crossed_columns_do_together_is_predicted() {
        let mut statistics = Statistics::crossed(vec![true, true], (false, false), &[(0, 1)], 1.0);
        let elo = |x: &[f64]| 20.0 * x[0] - 10.0 * x[1] - 4.0 * x[0] * x[0] - 2.0 * x[1] * x[1] + 15.0 * x[0] * x[1];
        let mut stream = Stream::from_seed(6);
        let mut place = || [stream.normal(), stream.normal()];
        let places: Vec<[[f64; 2]; 2]> = (0..4_000).map(|_| [place(), place()]).collect();
        for [a, b] in &places {
            statistics.absorb((a, b), 0.0, SLOPE * (elo(a) - elo(b)));
        }
        let weak = Site { linear: 1e-9, curvature: 1e-9, shift: 0.0 };
        let beliefs = Beliefs { sites: &[weak, weak], at: &[], skews: &[], drifts: &[], crosses: &[1e-9] };
        let posterior = statistics.posterior(beliefs).unwrap();
        for [a, b] in &places[..50] {
            let (predicted, true_one) = (posterior.predict((a, b), 0.0) / SLOPE, elo(a) - elo(b));
            assert!((predicted - true_one).abs() < 0.01, "{predicted} {true_one}");
        }
    }

    #[test]
    fn sides_that_are_not_numbers_leave_no_trace() {
        let mut statistics = Statistics::new(vec![true], (false, false), 1.0);
        statistics.absorb((&[f64::NAN], &[0.0]), 0.0, 1.0);
        statistics.absorb((&[1.0], &[f64::INFINITY]), 0.0, 1.0);
        let site = Site { linear: 1.0, curvature: 1.0, shift: -1.0 };
        assert_eq!(
            statistics
                .posterior(Beliefs { sites: &[site], at: &[], skews: &[], drifts: &[], crosses: &[] })
                .unwrap()
                .mean,
            [0.0, -1.0]
        );
    }
}
