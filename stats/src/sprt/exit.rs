//! A Brownian motion with drift between two absorbing barriers: the probability of an outcome worse than a given one.
//!
//! Outcomes are ordered by stages: leaving below, the earlier the worse; then not having left, by position; then
//! leaving above, the earlier the better. Two exact series: images (reflections at the barriers) while the motion has
//! seldom met a barrier, eigenfunctions afterwards. Cox and Miller, "The Theory of Stochastic Processes" (1965), 5.7;
//! both are the driftless series times exp(drift x / variance - drift^2 time / (2 variance)).

use crate::normal::ln_cdf;
use std::f64::consts::PI;

/// The number of images on each side. They are used while the motion spreads by at most one distance between the
/// barriers, so further images are beyond 15 standard deviations.
const IMAGES: i32 = 8;
/// The number of eigenfunctions: the last has a factor below exp(-9^2 pi^2 / 2).
const EIGENFUNCTIONS: u32 = 9;

/// A motion that starts at 0 between `low` < 0 and `high` > 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corridor {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Drift over the whole observed time.
    pub(super) drift: f64,
    /// Variance over the whole observed time, positive.
    pub(super) variance: f64,
}

impl Corridor {
    /// Probability of an outcome no better than a position of `level` at the end of the observed time; for a level at
    /// or beyond a barrier, no better than leaving there at that moment.
    pub(super) fn outcome_cdf(&self, level: f64) -> f64 {
        let level = level.clamp(self.low, self.high);
        let probability = if self.variance > self.width() * self.width() {
            self.left_below_late() + self.inside_late(level)
        } else {
            self.left_below_early() + self.inside_early(level)
        };
        probability.clamp(0.0, 1.0)
    }

    /// Probability of having left, at either barrier.
    pub(super) fn left(&self) -> f64 {
        let is_late = self.variance > self.width() * self.width();
        let inside = if is_late { self.inside_late(self.high) } else { self.inside_early(self.high) };
        (1.0 - inside).clamp(0.0, 1.0)
    }

    fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Drift per variance.
    fn tilt(&self) -> f64 {
        self.drift / self.variance
    }

    /// Probability of having left below, by images.
    fn left_below_early(&self) -> f64 {
        let (tilt, sd) = (self.tilt(), self.variance.sqrt());
        let term = |k: i32| {
            let distance = -self.low + 2.0 * f64::from(k) * self.width();
            let far = distance.abs();
            let with = tilt * (self.low - far) + ln_cdf((self.drift - far) / sd);
            let against = tilt * (self.low + far) + ln_cdf((-self.drift - far) / sd);
            (libm::exp(with) + libm::exp(against)).copysign(distance)
        };
        outwards().map(term).sum()
    }

    /// Probability of being inside and at most at `level`, by images.
    fn inside_early(&self, level: f64) -> f64 {
        let shift = 2.0 * self.width();
        let term = |k: i32| {
            let image = f64::from(k) * shift;
            self.mass(image, level) - self.mass(2.0 * self.low + image, level)
        };
        outwards().map(term).sum()
    }

    /// Mass between the lower barrier and `level` of the motion that starts at `source`, weighted as its image.
    fn mass(&self, source: f64, level: f64) -> f64 {
        let sd = self.variance.sqrt();
        let standardised = |x: f64| (x - source - self.drift) / sd;
        let (from, to) = (standardised(self.low), standardised(level));
        // The tail on the nearer side keeps its precision.
        let (less, more) = if from > 0.0 { (-to, -from) } else { (from, to) };
        let weighted = |x: f64| libm::exp(self.tilt() * source + ln_cdf(x));
        weighted(more) - weighted(less)
    }

    /// Probability of ever leaving below.
    fn leaves_below(&self) -> f64 {
        let tilt = 2.0 * self.tilt();
        if tilt.abs() * self.width() < 1e-12 {
            self.high / self.width()
        } else if tilt > 0.0 {
            libm::exp(tilt * self.low) * libm::expm1(-tilt * self.high) / libm::expm1(-tilt * self.width())
        } else {
            libm::expm1(tilt * self.high) / libm::expm1(tilt * self.width())
        }
    }

    /// Probability of having left below, by eigenfunctions: of ever leaving there, less of doing so later.
    fn left_below_late(&self) -> f64 {
        self.leaves_below() - self.eigen_sum(|wave| wave * libm::exp(self.tilt() * self.low))
    }

    /// Probability of being inside and at most at `level`, by eigenfunctions.
    fn inside_late(&self, level: f64) -> f64 {
        let tilt = self.tilt();
        self.eigen_sum(|wave| {
            let phase = wave * (level - self.low);
            let at_level = tilt * libm::sin(phase) - wave * libm::cos(phase);
            libm::exp(tilt * level) * at_level + wave * libm::exp(tilt * self.low)
        })
    }

    /// (2 / width) sum over waves of sin(wave |low|) exp(-decay) f(wave) / (tilt^2 + wave^2).
    fn eigen_sum(&self, f: impl Fn(f64) -> f64) -> f64 {
        let tilt = self.tilt();
        let terms = (1..=EIGENFUNCTIONS).map(|n| {
            let wave = f64::from(n) * PI / self.width();
            let rate = tilt * tilt + wave * wave;
            libm::sin(-wave * self.low) * libm::exp(-rate * self.variance / 2.0) * f(wave) / rate
        });
        2.0 / self.width() * terms.sum::<f64>()
    }
}

/// 0, 1, -1, 2, -2 ...
fn outwards() -> impl Iterator<Item = i32> {
    std::iter::once(0).chain((1..=IMAGES).flat_map(|k| [k, -k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corridor(drift: f64, variance: f64) -> Corridor {
        Corridor { low: -2.9, high: 2.4, drift, variance }
    }

    #[test]
    fn both_series_agree_where_both_converge() {
        for drift in [-20.0, -3.0, 0.0, 0.5, 7.0] {
            for level in [-2.5, -0.3, 1.0, 2.39] {
                let c = corridor(drift, 22.0);
                let early = c.left_below_early() + c.inside_early(level);
                let late = c.left_below_late() + c.inside_late(level);
                assert!((early - late).abs() < 1e-12, "{drift} {level}: {early} {late}");
            }
        }
    }

    #[test]
    fn a_motion_that_cannot_reach_a_barrier_is_normal() {
        for level in [-0.5, 0.0, 0.3] {
            let p = corridor(0.1, 0.01).outcome_cdf(level);
            assert!((p - crate::normal::cdf((level - 0.1) / 0.1)).abs() < 1e-15);
        }
    }

    #[test]
    fn probabilities_rise_with_the_level_and_fall_with_the_drift() {
        for variance in [0.001, 1.0, 20.0, 40.0, 4000.0] {
            let mut last = 1.0;
            for k in -100..=100 {
                let c = corridor(f64::from(k) * 10.0, variance);
                let p = c.outcome_cdf(1.0);
                assert!((0.0..=1.0).contains(&p) && p <= last + 1e-13, "{variance} {k}");
                assert!(c.outcome_cdf(0.5) <= p + 1e-13 && p <= c.outcome_cdf(1.5) + 1e-13);
                last = p;
            }
        }
    }
}
