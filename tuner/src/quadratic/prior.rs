//! The prior of a parameter's sensitivity.
//!
//! A parameter's Elo is g x + h x^2 / 2 with h = -2 q, where q is the Elo lost one step off the optimum. q is unknown
//! within a factor of ten, and a Gaussian prior on h cannot express that. Here q is log-normal, as a mixture of
//! log-spaced components; in component k, `h ~ N(-2 q_k, (q_k / 2)^2)` and `g ~ N(0, (2 q_k reach)^2)`, where reach is
//! the typical distance of optima from the start. The mixture enters the linear regression as one Gaussian *site* per
//! parameter, which is refined by expectation propagation (Minka 2001): take the site out of the posterior, multiply by
//! the mixture, match the moments.

/// The number of components per parameter; neighbours differ by [`RATIO`].
const COMPONENTS: usize = 27;
/// The ratio of neighbouring sensitivities.
const RATIO: f64 = 1.5;
/// The least sensitivity, Elo per squared step.
const LEAST: f64 = 0.002;
/// The standard deviation of h within a component, relative to its mean.
const BAND: f64 = 0.25;
/// The share of the new site taken at each refinement; damping keeps parallel refinements from oscillating.
const DAMPING: f64 = 0.7;
/// The variance of an uninformative belief.
const VAGUE: f64 = 1e9;
/// The least precision of a site, so that the regression stays positive definite.
const FAINT: f64 = 1e-6;

/// A Gaussian belief about one coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Marginal {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

impl Marginal {
    /// This belief without a site of the given precision and shift (precision times mean).
    pub(super) fn without(self, precision: f64, shift: f64) -> Self {
        let left = 1.0 / self.variance - precision;
        if left > 1.0 / VAGUE {
            Self { mean: (self.mean / self.variance - shift) / left, variance: 1.0 / left }
        } else {
            Self { mean: 0.0, variance: VAGUE }
        }
    }

    /// The product with N(mean, variance), and the logarithm of its integral up to a constant.
    fn times(self, mean: f64, variance: f64) -> (Self, f64) {
        let total = self.variance + variance;
        let apart = self.mean - mean;
        let product = Self {
            mean: (self.mean * variance + mean * self.variance) / total,
            variance: self.variance * variance / total,
        };
        (product, -0.5 * (apart * apart / total + libm::log(total)))
    }
}

/// The prior's contribution to the regression for one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Site {
    /// The precision of g, whose site has mean 0.
    pub(super) linear: f64,
    /// The precision of h.
    pub(super) curvature: f64,
    /// The precision of h times its mean.
    pub(super) shift: f64,
}

/// The variance of h among parameters of the sensitivity `q`.
pub(super) fn component_spread(q: f64) -> f64 {
    4.0 * BAND * BAND * q * q
}

/// The belief about one parameter's sensitivity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sensitivity {
    /// The expected q, in Elo per squared step.
    pub(super) mean: f64,
    /// The expected logarithm of q.
    pub(super) ln: f64,
}

/// The log-normal prior of q as a mixture.
#[derive(Clone, Debug)]
pub(super) struct Mixture {
    /// q, ln q and the logarithm of the weight of each component.
    components: Vec<(f64, f64, f64)>,
}

/// The weighted sums of a mixture's moments.
#[derive(Default)]
struct Moments {
    weight: f64,
    h: f64,
    h_squared: f64,
    g: f64,
    g_squared: f64,
    ln: f64,
}

impl Mixture {
    /// Makes a log-normal prior of q with this median (Elo per squared step) and standard deviation of ln q.
    pub(super) fn new(median: f64, spread: f64) -> Self {
        let mut q = LEAST;
        let components = (0..COMPONENTS).map(|_| {
            let ln = libm::log(q);
            let off = (ln - libm::log(median)) / spread;
            let component = (q, ln, -0.5 * off * off);
            q *= RATIO;
            component
        });
        Self { components: components.collect() }
    }

    /// The sensitivities and the logarithms of their weights if a parameter is idle with the probability `idle`: that
    /// share is spread evenly over the components below `limit`.
    pub(super) fn with_idle(&self, idle: f64, limit: f64) -> impl Iterator<Item = (f64, f64)> + '_ {
        let total: f64 = self.components.iter().map(|c| libm::exp(c.2)).sum();
        let small = self.components.iter().filter(move |c| c.0 < limit).count() as f64;
        self.components.iter().map(move |&(q, _, weight)| {
            let evenly = if q < limit { idle / small } else { 0.0 };
            (q, libm::log((1.0 - idle) * libm::exp(weight) / total + evenly))
        })
    }

    /// The site before any data.
    pub(super) fn open(&self, reach: f64) -> (Site, Sensitivity) {
        let vague = Marginal { mean: 0.0, variance: VAGUE };
        self.project(vague, vague, reach)
    }

    /// The site refined by the posterior of g and h that the site contributed to.
    pub(super) fn refine(&self, site: Site, g: Marginal, h: Marginal, reach: f64) -> (Site, Sensitivity) {
        let cavity_g = g.without(site.linear, 0.0);
        let cavity_h = h.without(site.curvature, site.shift);
        let (wanted, sensitivity) = self.project(cavity_g, cavity_h, reach);
        let blend = |old: f64, new: f64| old + DAMPING * (new - old);
        let refined = Site {
            linear: blend(site.linear, wanted.linear),
            curvature: blend(site.curvature, wanted.curvature),
            shift: blend(site.shift, wanted.shift),
        };
        (refined, sensitivity)
    }

    /// The logarithm of the evidence for optima `reach` steps away, up to a constant, from the posterior of one
    /// parameter's g and h, to which this site contributed.
    pub(super) fn evidence(&self, site: Site, (g, h): (Marginal, Marginal), reach: f64) -> f64 {
        let (g, h) = (g.without(site.linear, 0.0), h.without(site.curvature, site.shift));
        let one = |&(q, _, weight): &(f64, f64, f64)| {
            weight + h.times(-2.0 * q, component_spread(q)).1 + g.times(0.0, 4.0 * q * q * reach * reach).1
        };
        let all: Vec<f64> = self.components.iter().map(one).collect();
        let top = all.iter().fold(f64::NEG_INFINITY, |top, x| if *x > top { *x } else { top });
        top + libm::log(all.iter().map(|x| libm::exp(x - top)).sum())
    }

    /// The site that turns the cavities into Gaussians with the moments of cavity times mixture.
    fn project(&self, g: Marginal, h: Marginal, reach: f64) -> (Site, Sensitivity) {
        let products = self.components.iter().map(|&(q, ln, weight)| {
            let (h, evidence_h) = h.times(-2.0 * q, component_spread(q));
            let (g, evidence_g) = g.times(0.0, 4.0 * q * q * reach * reach);
            (g, h, ln, weight + evidence_h + evidence_g)
        });
        let products: Vec<_> = products.collect();
        let top = products.iter().fold(f64::NEG_INFINITY, |top, p| if p.3 > top { p.3 } else { top });
        let mut sum = Moments::default();
        for (g, h, ln, weight) in products {
            sum.add(g, h, ln, libm::exp(weight - top));
        }
        sum.site(g, h)
    }
}

impl Moments {
    fn add(&mut self, g: Marginal, h: Marginal, ln: f64, weight: f64) {
        self.weight += weight;
        self.h += weight * h.mean;
        self.h_squared += weight * (h.mean * h.mean + h.variance);
        self.g += weight * g.mean;
        self.g_squared += weight * (g.mean * g.mean + g.variance);
        self.ln += weight * ln;
    }

    fn site(&self, g: Marginal, h: Marginal) -> (Site, Sensitivity) {
        let mean = |sum: f64| sum / self.weight;
        let variance = |sum: f64, squares: f64| {
            let v = mean(squares) - mean(sum) * mean(sum);
            if v > 1e-12 { v } else { 1e-12 }
        };
        let above = |precision: f64| if precision > FAINT { precision } else { FAINT };
        let h_variance = variance(self.h, self.h_squared);
        let site = Site {
            linear: above(1.0 / variance(self.g, self.g_squared) - 1.0 / g.variance),
            curvature: above(1.0 / h_variance - 1.0 / h.variance),
            shift: mean(self.h) / h_variance - h.mean / h.variance,
        };
        (site, Sensitivity { mean: -0.5 * mean(self.h), ln: mean(self.ln) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_site_has_the_moments_of_the_mixture() {
        let mixture = Mixture::new(1.0, 1.0);
        let (site, sensitivity) = mixture.open(2.0);
        let total: f64 = mixture.components.iter().map(|c| libm::exp(c.2)).sum();
        let q: f64 = mixture.components.iter().map(|c| c.0 * libm::exp(c.2)).sum::<f64>() / total;
        assert!((sensitivity.mean - q).abs() < 1e-5 * q);
        assert!((site.shift / site.curvature + 2.0 * q).abs() < 1e-4 * q);
        assert!(sensitivity.ln.abs() < 0.1, "the median is 1");
    }

    #[test]
    fn sharp_data_outweigh_the_prior() {
        let mixture = Mixture::new(1.0, 1.6);
        let (mut site, _) = mixture.open(2.0);
        let (data, noise) = (-9.0, 0.01);
        for _ in 0..20 {
            let precision = 1.0 / noise + site.curvature;
            let h = Marginal { mean: (data / noise + site.shift) / precision, variance: 1.0 / precision };
            let (next, sensitivity) = mixture.refine(site, Marginal { mean: 0.0, variance: 1.0 }, h, 2.0);
            site = next;
            assert!((sensitivity.mean - 4.5).abs() < 0.1, "{sensitivity:?}");
        }
    }
}
