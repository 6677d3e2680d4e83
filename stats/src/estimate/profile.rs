//! Intervals of small or lopsided samples, by the likelihood ratio over every law of the score.
//!
//! A value of the expected score, or of the t-value, is refuted if LR of all laws that reach it (see `empirical`)
//! exceeds the squared normal quantile, stretched by Bartlett's factor. One rule gives the ends of both intervals and
//! the likelihood of superiority, for samples without any noise as well.
//!
//! * A bound on the t-value: with u = x - 1/2, t/sqrt(1 + t^2) = E u / sqrt(E u^2), and sqrt(E u^2) is the least of (E
//!   u^2/b + b)/2 over b > 0. So for each b the bound is one on an expectation. Away from 0 the laws that obey it are
//!   those of any b, towards 0 those of every b: the interval's end is the outermost or the innermost of the ends of
//!   all b.
//! * The moments of Bartlett's factor are those of the counts with [`UNSEEN`] in each empty bin, so that a sample
//!   without noise has them too.

use super::empirical::{Empirical, UNSEEN, bartlett};
use super::search::{place_of_greatest, reach};
use crate::law::{Law, Unit};
use crate::normal::{self, Z95};

/// The most iterations for the b of an interval's end, each at the end found by the last one: convergence is quadratic.
const ROUNDS: usize = 12;
/// Iteration stops at a gain this small, relative to the end.
const LAST_ROUND: f64 = 1e-9;
/// asinh of the greatest t-value considered: beyond that of 2^64 observations where only one differs.
const GREATEST: f64 = 40.0;

/// A number for each bin.
type Bins = [f64; 5];

/// Scores less 1/2.
const OFF: Bins = [-0.5, -0.25, 0.0, 0.25, 0.5];

/// A sample that is not empty, and the loss of likelihood at which the sample refutes a law.
#[derive(Debug, Clone, Copy)]
pub(super) struct Profile {
    counts: Bins,
    /// The bins that an observation can fall into.
    possible: &'static [usize],
    size: f64,
    /// Bartlett's factor, from 1 on.
    stretch: f64,
}

impl Profile {
    /// Makes the profile of the counts of the five bins, which are not all zero.
    pub(super) fn new(counts: Bins, unit: Unit) -> Self {
        let possible: &[usize] = match unit {
            Unit::Pair => &[0, 1, 2, 3, 4],
            Unit::Game => &[0, 2, 4],
        };
        let mut filled = [0.0; 5];
        for &k in possible {
            filled[k] = if counts[k] > 0.0 { counts[k] } else { UNSEEN };
        }
        let m = Law::from_weights(&filled, unit).moments();
        let size = counts.iter().sum();
        Self { counts, possible, size, stretch: bartlett(m.excess + 3.0, m.skewness, size) }
    }

    /// The sample from the other side's view.
    fn mirror(&self) -> Self {
        let [ll, ld, even, wd, ww] = self.counts;
        Self { counts: [ww, wd, even, ld, ll], ..*self }
    }

    /// The LR at which a law is refuted.
    fn level(&self) -> f64 {
        Z95 * Z95 * self.stretch
    }

    /// The probability that the expected score exceeds 1/2.
    pub(super) fn los(&self) -> f64 {
        let above = self.ratio(&OFF);
        let below = self.ratio(&OFF.map(|u| -u));
        // One of the two is 0: the sample itself obeys that bound.
        normal::cdf((below / self.stretch).sqrt() - (above / self.stretch).sqrt())
    }

    /// The 95% interval of the expected score less 1/2.
    pub(super) fn advantage(&self) -> (f64, f64) {
        (-self.mirror().highest(&OFF), self.highest(&OFF))
    }

    /// The 95% interval of the t-value of one observation; infinite only if all observations are equal, and not 1/2.
    pub(super) fn t_value(&self) -> (f64, f64) {
        (-self.mirror().highest_t(), self.highest_t())
    }

    fn empirical(&self) -> Empirical<'_> {
        Empirical::new(&self.counts, self.size)
    }

    /// The mean of a value per bin.
    fn mean(&self, g: &Bins) -> f64 {
        self.empirical().mean(g)
    }

    /// The greatest value of the possible bins.
    fn greatest(&self, g: &Bins) -> f64 {
        self.possible.iter().map(|&k| g[k]).fold(f64::NEG_INFINITY, f64::max)
    }

    /// LR of the laws with E g >= 0.
    fn ratio(&self, g: &Bins) -> f64 {
        self.empirical().ratio(g, self.greatest(g))
    }

    /// The highest expectation of `value` that the sample does not refute. Computed relative to the value of the
    /// fullest bin, to keep precision if nearly all observations are there.
    fn highest(&self, value: &Bins) -> f64 {
        let fullest =
            self.possible.iter().fold(2, |best, &k| if self.counts[k] > self.counts[best] { k } else { best });
        let origin = value[fullest];
        let mean = self.mean(&value.map(|v| v - origin));
        let off = value.map(|v| (v - origin) - mean);
        let room = self.greatest(&off);
        if room <= 0.0 {
            return origin + mean;
        }
        let noise = (self.level() * self.mean(&off.map(|v| v * v)) / self.size).sqrt();
        let guess = noise.max(room * 1e-3 / self.size).min(room);
        origin + (mean + reach(|d| self.ratio(&off.map(|v| v - d)), self.level(), guess, room))
    }

    /// The highest t-value that the sample does not refute.
    fn highest_t(&self) -> f64 {
        if self.mean(&OFF) > 0.0 && self.empirical().different() == 1 {
            return f64::INFINITY;
        }
        let square = OFF.map(|u| u * u);
        let most = self.highest(&square).sqrt();
        let least = (-self.highest(&square.map(|v| -v))).max(0.0).sqrt().max(1e-3 * most);
        // Away from 0 the b that refutes least determines the end, towards 0 the one that refutes most.
        let sign = if self.ratio(&OFF) <= self.level() { -1.0 } else { 1.0 };
        let mut end = self.highest_of_root(most);
        for _ in 0..ROUNDS {
            let refutes = |ln_b: f64| sign * self.ratio(&line(libm::exp(ln_b), end));
            let b = libm::exp(place_of_greatest(refutes, libm::log(least), libm::log(most)));
            let further = self.highest_of_root(b);
            let gain = sign * (end - further);
            if gain > 0.0 {
                end = further;
            }
            if gain <= LAST_ROUND * end.abs() {
                break;
            }
        }
        libm::sinh(end)
    }

    /// asinh of the highest t-value that is not refuted, with (E u^2/b + b)/2 in place of sqrt(E u^2).
    fn highest_of_root(&self, b: f64) -> f64 {
        // The point where the sample's own frequencies lie on the bound.
        let own = 2.0 * self.mean(&OFF) / (self.mean(&OFF.map(|u| u * u)) / b + b);
        let own = libm::atanh(own.clamp(-1.0, 1.0)).clamp(-GREATEST, GREATEST);
        let guess = (self.level() / self.size).sqrt().min(GREATEST - own);
        own + reach(|y| self.ratio(&line(b, own + y)), self.level(), guess, GREATEST - own)
    }
}

/// u - w (u^2/b + b)/2 for w = tanh(y), in a form that keeps its precision if w is almost 1 and b almost |u|.
fn line(b: f64, y: f64) -> Bins {
    let grown = libm::exp(2.0 * y);
    // 1 - w and 1 + w.
    let (less, more) = (2.0 / (1.0 + grown), 2.0 / (1.0 + 1.0 / grown));
    let w = libm::tanh(y) / (2.0 * b);
    OFF.map(|u| {
        let off = b - u.abs();
        u * if u > 0.0 { less } else { more } - w * off * off
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::simulate::generator;
    use crate::random::Stream;

    /// 2 ln(likelihood of the sample's own frequencies / likelihood of the law).
    fn lack(profile: &Profile, law: &Bins) -> f64 {
        let seen = profile.counts.iter().zip(law).filter(|(n, _)| **n > 0.0);
        seen.map(|(n, q)| 2.0 * n * libm::log(n / profile.size / q)).sum()
    }

    fn mean(law: &Bins) -> f64 {
        law.iter().zip(OFF).map(|(q, u)| q * u).sum()
    }

    fn t(law: &Bins) -> f64 {
        let square: f64 = law.iter().zip(OFF).map(|(q, u)| q * u * u).sum();
        mean(law) / (square - mean(law) * mean(law)).sqrt()
    }

    /// The law on the way from the sample's own frequencies to `aim` that the sample barely does not refute.
    fn rim(profile: &Profile, aim: &Bins) -> Bins {
        let at = |part: f64| std::array::from_fn(|k| (1.0 - part) * profile.counts[k] / profile.size + part * aim[k]);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if lack(profile, &at(middle)) <= profile.level() {
                low = middle;
            } else {
                high = middle;
            }
        }
        at(low)
    }

    /// The greatest value of `f` that a random walk uphill finds among the laws that the sample does not refute.
    fn climb(profile: &Profile, f: impl Fn(&Bins) -> f64, generator: &mut Stream) -> f64 {
        let mut aim = [0.2; 5];
        let mut best = f(&rim(profile, &aim));
        let mut stride = 4.0;
        for step in 0..3000 {
            let mut weights = aim.map(|q| q + 1e-9);
            weights[step % 5] *= libm::exp(stride * (generator.uniform() - 0.5));
            let next = weights.map(|w| w / weights.iter().sum::<f64>());
            let found = f(&rim(profile, &next));
            if found > best {
                (best, aim, stride) = (found, next, (1.5 * stride).min(16.0));
            } else {
                stride = (0.95 * stride).max(0.1);
            }
        }
        // If all observations are equal, the sample itself may be the greatest.
        best.max(f(&profile.counts.map(|n| n / profile.size)))
    }

    #[test]
    fn no_law_that_is_not_refuted_lies_beyond_an_end() {
        let mut random = generator(1, 1);
        for case in 0..40 {
            let most = [3.0, 30.0][case % 2];
            let mut counts = [0.0; 5].map(|_: f64| (most * random.uniform() * random.uniform()).floor());
            counts[case % 5] += [1.0, 60.0][case / 2 % 2];
            let profile = Profile::new(counts, Unit::Pair);
            let own = counts.map(|n| n / profile.size);
            let (_, high) = profile.advantage();
            let found = climb(&profile, mean, &mut random);
            assert!(found <= high + 1e-9, "{counts:?}: mean {found} beyond {high}");
            assert!(high - found <= 0.05 * (high - mean(&own)), "{counts:?}: mean {found} far from {high}");
            let (_, high) = profile.t_value();
            if high.is_finite() {
                let found = climb(&profile, t, &mut random);
                assert!(found <= high + 1e-7 * high.abs(), "{counts:?}: t {found} beyond {high}");
                // A sample without noise below 1/2 has a t-value of minus infinity.
                let gap = libm::asinh(high) - libm::asinh(found);
                assert!(
                    gap <= 0.05 * (libm::asinh(high) - libm::asinh(t(&own)).max(-8.0)),
                    "{counts:?}: t {found} far from {high}"
                );
            }
        }
    }
}
