//! The empirical likelihood of a bound on an expectation, if outcomes that were never seen may have mass.
//!
//! For a set of laws, LR = 2 (ln of the likelihood of the sample's own frequencies - that of the likeliest law of the
//! set). For the laws with E g >= 0 the dual, LR = 2 max over l of sum n ln(1 - l g), with 1 - l g >= 0 on every
//! possible outcome, is concave in one variable (Owen, "Empirical Likelihood" (2001), with the unobserved outcomes in
//! the support).
//!
//! Bartlett's factor stretches the quantile that LR is compared with: for a mean, 1 + (kurtosis/2 - skewness^2/3)/N
//! (DiCiccio, Hall and Romano, Annals of Statistics 19 (1991)).

/// The start of Newton's method, within (0, 1/2].
const START: f64 = 0.25;
/// The most Newton steps; bisection guards each, so far fewer are used.
const MAX_STEPS: usize = 200;
/// A step this small, relative to the root, is the last: Newton's method squares it, and the maximum is flat.
const LAST_STEP: f64 = 1e-8;

/// The count of an outcome that was never seen in Bartlett's factor (Jeffreys' half an observation).
pub(crate) const UNSEEN: f64 = 0.5;

/// Bartlett's factor, from 1 on, for the mean of `size` observations with these moments.
pub(crate) fn bartlett(kurtosis: f64, skewness: f64, size: f64) -> f64 {
    1.0 + (kurtosis / 2.0 - skewness * skewness / 3.0) / size
}

/// How often each outcome was seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Empirical<'a> {
    counts: &'a [f64],
    /// The sum of the counts, more than 0.
    size: f64,
}

impl<'a> Empirical<'a> {
    /// `size` is the sum of the counts, more than 0.
    pub(crate) fn new(counts: &'a [f64], size: f64) -> Self {
        Self { counts, size }
    }

    /// The counts of the outcomes that were seen, each with its value in `g`.
    fn seen<'g>(self, g: &'g [f64]) -> impl Iterator<Item = (f64, f64)> + Clone + 'g
    where
        'a: 'g,
    {
        self.counts.iter().copied().zip(g.iter().copied()).filter(|(n, _)| *n > 0.0)
    }

    /// The number of different outcomes that were seen.
    pub(crate) fn different(self) -> usize {
        self.counts.iter().filter(|n| **n > 0.0).count()
    }

    /// The mean of a value per outcome.
    pub(crate) fn mean(self, g: &[f64]) -> f64 {
        self.seen(g).map(|(n, g)| n * g).sum::<f64>() / self.size
    }

    /// LR of the laws with E g >= 0: 0 if the sample's frequencies are among them, infinite if there are none.
    /// `greatest` is the greatest value of a possible outcome, seen or not.
    pub(crate) fn ratio(self, g: &[f64], greatest: f64) -> f64 {
        if self.mean(g) >= 0.0 {
            return 0.0;
        }
        if greatest <= 0.0 {
            return f64::INFINITY;
        }
        let scaled: Vec<f64> = g.iter().map(|g| g / greatest).collect();
        // Rounding could make the ratio of a hardly refuted bound negative.
        (2.0 * self.dual(&scaled)).max(0.0)
    }

    /// The maximum of sum n ln(1 - l r) over l within (0, 1], for an r whose greatest value is 1. In the upper half the
    /// unknown is the distance of l from 1, which keeps its precision there.
    fn dual(self, r: &[f64]) -> f64 {
        let slope_at_half: f64 = self.seen(r).map(|(n, r)| -n * r / (1.0 - 0.5 * r)).sum();
        if slope_at_half <= 0.0 {
            let l = self.peak(r, |r| (1.0, -r));
            return self.seen(r).map(|(n, r)| n * libm::log1p(-l * r)).sum();
        }
        // The maximum is at the end if no outcome with r = 1 was seen: the likeliest law gives that outcome mass.
        let at_end: f64 = self.seen(r).map(|(n, r)| n * r / (1.0 - r)).sum();
        let rest = if at_end <= 0.0 { 0.0 } else { self.peak(r, |r| (1.0 - r, r)) };
        let term = |(n, r): (f64, f64)| {
            let factor = (1.0 - r) + rest * r;
            n * if factor < 0.5 { libm::log(factor) } else { libm::log1p(-(1.0 - rest) * r) }
        };
        self.seen(r).map(term).sum()
    }

    /// The z within (0, 1/2] at which sum n ln(a + c z) is greatest, where (a, c) = `line`(r): Newton's method inside a
    /// shrinking bracket.
    fn peak(self, r: &[f64], line: impl Fn(f64) -> (f64, f64)) -> f64 {
        // First derivative, and minus the second one.
        let slopes = |z: f64| {
            self.seen(r).fold((0.0, 0.0), |(first, second), (n, r)| {
                let (a, c) = line(r);
                let share = c / (a + c * z);
                (first + n * share, second + n * share * share)
            })
        };
        let (mut low, mut high) = (0.0, 0.5);
        let mut z = START;
        for _ in 0..MAX_STEPS {
            let (first, second) = slopes(z);
            if first > 0.0 {
                low = z;
            } else {
                high = z;
            }
            let newton = z + first / second;
            if (newton - z).abs() <= LAST_STEP * z {
                return newton;
            }
            z = if newton > low && newton < high { newton } else { between(low, high) };
        }
        z
    }
}

/// A point inside a bracket that may span many orders of magnitude.
fn between(low: f64, high: f64) -> f64 {
    if low > 0.0 { (low * high).sqrt() } else { high * 1e-3 }
}
