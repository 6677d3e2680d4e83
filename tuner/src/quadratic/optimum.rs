//! The distribution of a parameter's optimum after all absorbed pairs: a mixture over the parameter's possible
//! sensitivities.
//!
//! The regression is Gaussian, but the optimum -g / h is not: if h may be near 0, the optimum may be far away. Given a
//! sensitivity q, h is known within a quarter and the optimum is nearly Gaussian. So the data of one parameter (the
//! posterior of its g and h without their site) are combined with each component of the prior; the component's evidence
//! is its weight, and its optimum has the mean m = -g / h and the standard deviation of g + h m, over |h|. Half-widths
//! hold 68.27% of the mixture, as one standard deviation of a Gaussian does.
//!
//! The prior is the regression's, with three exceptions that only a report needs: some parameters are idle, optima are
//! farther away than is good to act on, and their distance is learnt from all parameters together.
//!
//! The data are tempered. Faded pairs hold more information than their remaining precision
//! ([`super::model::Statistics::worth`]); but a short session learns mostly far from the optimum, on another surface,
//! which [`EARLY`] allows for.

use super::bent;
use super::model::{Cubic, Joint};
use super::prior::{Mixture, Site, component_spread};
use crate::blocks::MANY;
use stats::normal::cdf;

/// The share of parameters that matter as little as possible; every real engine has some.
const IDLE: f64 = 0.12;
/// The sensitivity, in Elo per squared step, below which such parameters lie.
const IDLE_LIMIT: f64 = 0.05;
/// The distance of optima relative to the regression's prior, which is chosen for the values that the method tries.
const FAR: f64 = 1.5;
/// The standard deviation of the logarithm of that distance between engines.
const FAR_SPREAD: f64 = 0.25;
/// The number of pairs in which the early part of a session misleads as much as the games' chance: the variance of the
/// data is multiplied by 1 + sqrt(EARLY / pairs).
const EARLY: f64 = 500.0;
/// The share of a Gaussian within one standard deviation.
pub(super) const ONE_SIGMA: f64 = 0.682_689_492_137_085_9;
/// The number of bisections in the search for a half-width.
const HALVINGS: usize = 24;
/// Parts of the mixture with less weight than this are dropped.
const FAINTEST: f64 = 1e-5;
/// The same for many parameters, with a coarser grid for each.
const FAINTEST_OF_MANY: f64 = 1e-3;
/// The range of distances of optima, up and down from the typical one in factors of the square root of two.
const DISTANCES: i32 = 4;

/// A Gaussian of g and h: a symmetric 2 by 2 matrix of precisions and a vector of precisions times means.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Natural {
    pub(super) gg: f64,
    pub(super) gh: f64,
    pub(super) hh: f64,
    pub(super) g: f64,
    pub(super) h: f64,
}

impl Natural {
    /// The evidence of the data alone: the posterior without the parameter's site, as if from `worth` times as many
    /// pairs.
    pub(super) fn data(joint: &Joint, site: Site, worth: f64) -> Self {
        let det = joint.gg * joint.hh - joint.gh * joint.gh;
        let (gg, gh, hh) = (joint.hh / det, -joint.gh / det, joint.gg / det);
        let (g, h) = (gg * joint.g + gh * joint.h, gh * joint.g + hh * joint.h);
        Self {
            gg: worth * (gg - site.linear),
            gh: worth * gh,
            hh: worth * (hh - site.curvature),
            g: worth * g,
            h: worth * (h - site.shift),
        }
    }

    /// The evidence about the parabola that touches a cubic at `r`, whose g and h are g - t r^2 / 2 and h + t r. The
    /// site of t, of the precision `skew`, stays, and is not data. `None` if the numbers have degenerated.
    pub(super) fn touching(cubic: &Cubic, (site, skew): (Site, f64), r: f64, worth: f64) -> Option<Self> {
        let mut precision = inverse(&cubic.covariance)?;
        let mut shift = precision.map(|row| row.iter().zip(cubic.mean).map(|(p, mean)| p * mean).sum::<f64>());
        let bend = [0.0, 1.0, cubic.at];
        for i in 0..3 {
            shift[i] -= site.shift * bend[i];
            for j in 0..3 {
                precision[i][j] -= site.curvature * bend[i] * bend[j];
            }
        }
        precision[0][0] -= site.linear;
        precision[2][2] -= skew;
        // Maps the parabola's g and h, and t to (g, h, t).
        let out_of = [[1.0, 0.0, 0.5 * r * r], [0.0, 1.0, -r], [0.0, 0.0, 1.0]];
        let column = |j: usize| out_of.map(|row: [f64; 3]| row[j]);
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let of_data = |i: usize, j: usize| worth * dot(column(i), precision.map(|row| dot(row, column(j))));
        let shift = |i: usize| worth * dot(column(i), shift);
        let tt = of_data(2, 2) + skew;
        let without_t = |i: usize, j: usize| of_data(i, j) - of_data(i, 2) * of_data(2, j) / tt;
        let shift_without_t = |i: usize| shift(i) - of_data(i, 2) * shift(2) / tt;
        let (g, h) = (shift_without_t(0), shift_without_t(1));
        let data = Self { gg: without_t(0, 0), gh: without_t(0, 1), hh: without_t(1, 1), g, h };
        (tt > 0.0 && [data.gg, data.gh, data.hh, g, h].iter().all(|x| x.is_finite())).then_some(data)
    }

    /// The mean and standard deviation of the optimum if the sensitivity is `q`, and the logarithm of the evidence for
    /// it up to a constant; `None` if the numbers have degenerated.
    fn given(&self, q: f64, reach: f64) -> Option<(f64, f64, f64)> {
        let (mean, vg, vh) = (-2.0 * q, 4.0 * q * q * reach * reach, component_spread(q));
        let (gg, hh, h) = (self.gg + 1.0 / vg, self.hh + 1.0 / vh, self.h + mean / vh);
        let det = gg * hh - self.gh * self.gh;
        if det.is_nan() || det <= 0.0 {
            return None;
        }
        let (g_mean, h_mean) = ((hh * self.g - self.gh * h) / det, (gg * h - self.gh * self.g) / det);
        let evidence = 0.5 * (g_mean * self.g + h_mean * h - mean * mean / vh - libm::log(det * vg * vh));
        let bend = bent(h_mean);
        let peak = -g_mean / bend;
        let slope = (hh - 2.0 * self.gh * peak + gg * peak * peak) / det;
        Some((peak, libm::sqrt(slope) / -bend, evidence))
    }
}

/// The inverse of a symmetric matrix, by its cofactors; `None` if the matrix is singular.
fn inverse(m: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let cofactor = |i: usize, j: usize| {
        let ([a, b], [c, d]) = ([(i + 1) % 3, (i + 2) % 3], [(j + 1) % 3, (j + 2) % 3]);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let det: f64 = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
    (det > 0.0).then(|| std::array::from_fn(|i| std::array::from_fn(|j| cofactor(j, i) / det)))
}

/// One Gaussian of the mixture.
#[derive(Clone, Copy, Debug)]
struct Part {
    weight: f64,
    q: f64,
    mean: f64,
    sd: f64,
}

/// The prior of every parameter.
#[derive(Clone, Debug)]
pub(crate) struct Prior {
    /// The sensitivities and the logarithms of their weights.
    sensitivities: Vec<(f64, f64)>,
    /// The typical distances of optima from the start, in steps, and the logarithms of their weights up to a constant.
    reaches: Vec<(f64, f64)>,
}

impl Prior {
    /// The report's prior: that of the regression, with idle parameters, and with optima about `reach` steps away.
    pub(super) fn new(mixture: &Mixture, reach: f64) -> Self {
        let distance = |step: i32| {
            let off = 0.5 * f64::from(step) * std::f64::consts::LN_2 / FAR_SPREAD;
            (FAR * reach * libm::pow(2.0, 0.5 * f64::from(step)), -0.5 * off * off)
        };
        Self {
            sensitivities: mixture.with_idle(IDLE, IDLE_LIMIT).collect(),
            reaches: (-DISTANCES..=DISTANCES).map(distance).collect(),
        }
    }

    /// The distributions of the optima of all parameters with these data. The distance of optima on this engine is
    /// learnt from all of them together.
    pub(super) fn optima(&self, data: &[Natural]) -> Vec<Optimum> {
        let at = |&(reach, weight): &(f64, f64)| {
            let laws: Vec<(Optimum, f64)> = data.iter().map(|data| self.given(data, reach)).collect();
            (laws.iter().fold(weight, |sum, (_, evidence)| sum + evidence), laws)
        };
        let each: Vec<_> = self.reaches.iter().map(at).filter(|(weight, _)| weight.is_finite()).collect();
        let shares = shares(each.iter().map(|(weight, _)| *weight));
        let mut all = vec![Optimum(Vec::new()); data.len()];
        for (share, (_, laws)) in shares.into_iter().zip(each) {
            for (all, (law, _)) in all.iter_mut().zip(laws) {
                let parts = law.0.into_iter().map(|part| Part { weight: share * part.weight, ..part });
                let faintest = if data.len() > MANY { FAINTEST_OF_MANY } else { FAINTEST };
                all.0.extend(parts.filter(|part| part.weight > faintest));
            }
        }
        all
    }

    /// The optimum of one parameter if optima are `reach` steps away, and the logarithm of the evidence for that.
    fn given(&self, data: &Natural, reach: f64) -> (Optimum, f64) {
        let part = |&(q, weight): &(f64, f64)| {
            let (mean, sd, evidence) = data.given(q, reach)?;
            let part = Part { weight: weight + evidence, q, mean, sd };
            [part.weight, mean, sd].iter().all(|x| x.is_finite()).then_some(part)
        };
        let parts: Vec<Part> = self.sensitivities.iter().filter_map(part).collect();
        let evidence = parts.iter().fold(f64::NEG_INFINITY, |top, p| if p.weight > top { p.weight } else { top });
        let rest: f64 = parts.iter().map(|p| libm::exp(p.weight - evidence)).sum();
        let shares = shares(parts.iter().map(|p| p.weight));
        let parts = parts.into_iter().zip(shares).map(|(p, weight)| Part { weight, ..p });
        (Optimum(parts.collect()), evidence + libm::log(rest))
    }
}

/// Weights that add up to 1, from their logarithms up to a constant.
fn shares(logarithms: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let top = logarithms.clone().fold(f64::NEG_INFINITY, |top, x| if x > top { x } else { top });
    let weights: Vec<f64> = logarithms.map(|x| libm::exp(x - top)).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The distribution of one parameter's optimum, in steps from the start.
#[derive(Clone, Debug)]
pub(super) struct Optimum(Vec<Part>);

impl Optimum {
    /// Half the width of the interval around `at` that holds the optimum with the probability `share`. Optima beyond
    /// the bounds count as on them.
    pub(super) fn half_width(&self, at: f64, (low, high): (f64, f64), share: f64) -> f64 {
        let farthest = if at - low > high - at { at - low } else { high - at };
        let (mut inside, mut outside) = (0.0, farthest);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + outside);
            let above = if at + middle >= high { f64::INFINITY } else { at + middle };
            let below = if at - middle <= low { f64::NEG_INFINITY } else { at - middle };
            if self.between(below, above) < share { inside = middle } else { outside = middle }
        }
        outside
    }

    /// The distribution if the optimum may also be off by this much, one sigma, for a reason that no part covers.
    pub(super) fn blurred(mut self, off: f64) -> Self {
        self.0.iter_mut().for_each(|part| part.sd = libm::sqrt(part.sd * part.sd + off * off));
        self
    }

    /// The parts: their weights, sensitivities and mean squares of the steps from `at` to the optimum.
    pub(super) fn parts(&self, at: f64) -> impl Iterator<Item = (f64, f64, f64)> {
        self.0.iter().map(move |p| (p.weight, p.q, p.sd * p.sd + (p.mean - at) * (p.mean - at)))
    }

    /// The probability that the optimum is between `low` and `high`.
    fn between(&self, low: f64, high: f64) -> f64 {
        let share = |p: &Part| p.weight * (cdf((high - p.mean) / p.sd) - cdf((low - p.mean) / p.sd));
        self.0.iter().map(share).sum()
    }

    /// Elo that `at` is expected to lose to the best point within the bounds.
    pub(super) fn loss(&self, at: f64, (low, high): (f64, f64)) -> f64 {
        let farthest = if at - low > high - at { at - low } else { high - at };
        let lost = |optimum: f64| {
            let beyond = optimum - optimum.clamp(low, high);
            let square = (optimum - at) * (optimum - at) - beyond * beyond;
            if square < farthest * farthest { square } else { farthest * farthest }
        };
        // Three points with a Gaussian's first five moments.
        let squared = |p: &Part| {
            let far = libm::sqrt(3.0) * p.sd;
            (4.0 * lost(p.mean) + lost(p.mean - far) + lost(p.mean + far)) / 6.0
        };
        self.0.iter().map(|p| p.weight * p.q * squared(p)).sum()
    }
}

/// The information in pairs relative to their precision, after `pairs` pairs whose fading alone gives `faded`.
pub(super) fn worth(faded: f64, pairs: f64) -> f64 {
    if pairs > 0.0 { faded / (1.0 + libm::sqrt(EARLY / pairs)) } else { 1.0 }
}
