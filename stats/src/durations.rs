//! Durations, counted in bins of equal ratio: a histogram of fixed size, which is merged by adding counts.
//!
//! Bin 0 has durations of at most 1 us; bin `i` those longer than 10^((i-1)/20) us and at most 10^(i/20) us. So powers
//! of ten are ends of bins, and a quantile is precise to a twentieth of a decade, 12%. The last bin has all above 1000
//! s.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The number of bins per power of ten.
const A_DECADE: usize = 20;
/// The index of the last bin.
const LAST_BIN: usize = 9 * A_DECADE;

/// How often durations occurred.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durations {
    /// The counts up to the last bin that is not empty.
    bins: Vec<u64>,
    longest: Duration,
}

impl Durations {
    /// Counts a duration.
    pub fn add(&mut self, duration: Duration) {
        let bin = bin_of(duration);
        self.bins.resize(self.bins.len().max(bin + 1), 0);
        self.bins[bin] += 1;
        self.longest = self.longest.max(duration);
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.bins.resize(self.bins.len().max(other.bins.len()), 0);
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin = bin.saturating_add(*more);
        }
        self.longest = self.longest.max(other.longest);
    }

    /// The number of counted durations.
    pub fn count(&self) -> u64 {
        self.up_to(LAST_BIN)
    }

    /// Whether at most this many durations were counted, in valid bins. A stored value may be invalid.
    pub fn is_of_at_most(&self, most: u64) -> bool {
        let count = self.bins.iter().try_fold(0_u64, |sum, bin| sum.checked_add(*bin));
        self.bins.len() <= LAST_BIN + 1 && count.is_some_and(|count| count <= most)
    }

    /// The exact longest duration; zero without any.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// The duration that a share of the durations, 0 to 1, did not exceed: the end of its bin, or the longest duration
    /// if that is less. `None` without durations.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let wanted = share.clamp(0.0, 1.0) * self.count() as f64;
        let mut sum = 0;
        self.bins.iter().enumerate().find_map(|(bin, count)| {
            sum += count;
            (sum > 0 && sum as f64 >= wanted).then(|| match bin {
                LAST_BIN.. => self.longest,
                _ => Duration::from_nanos((end_of(bin) * 1e3) as u64).min(self.longest),
            })
        })
    }

    /// The bins that are not empty, with their counts, by rising index.
    pub fn bins(&self) -> impl Iterator<Item = (usize, u64)> {
        self.bins.iter().copied().enumerate().filter(|(_, count)| *count > 0)
    }

    /// The number of durations in the bins up to and including this one.
    pub fn up_to(&self, bin: usize) -> u64 {
        self.bins.iter().take(bin.saturating_add(1)).sum()
    }
}

/// The bin of a duration.
pub fn bin_of(duration: Duration) -> usize {
    let micros = duration.as_nanos() as f64 / 1e3;
    // Powers of ten belong to the bin that they end, in spite of rounding.
    let bin = libm::ceil(A_DECADE as f64 * libm::log10(micros.max(1.0)) - 1e-9) as usize;
    bin.min(LAST_BIN)
}

/// The longest duration in a bin other than the last, in microseconds.
pub fn end_of(bin: usize) -> f64 {
    libm::pow(10.0, bin as f64 / A_DECADE as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(micros: impl IntoIterator<Item = u64>) -> Durations {
        let mut durations = Durations::default();
        micros.into_iter().for_each(|micros| durations.add(Duration::from_micros(micros)));
        durations
    }

    #[test]
    fn powers_of_ten_end_their_bins() {
        for decade in 0..9_u32 {
            let end = Duration::from_micros(10_u64.pow(decade));
            let bin = decade as usize * A_DECADE;
            assert_eq!(bin_of(end), bin, "{end:?}");
            assert_eq!(bin_of(end + Duration::from_nanos(end.as_nanos() as u64 / 1000 + 1)), bin + 1, "beyond {end:?}");
        }
        assert_eq!(bin_of(Duration::ZERO), 0);
        assert_eq!(bin_of(Duration::MAX), LAST_BIN);
    }

    #[test]
    fn quantiles_are_within_a_bin_of_the_truth() {
        let durations = of(1..=10_000);
        for (share, truth) in [(0.01, 100.0), (0.5, 5_000.0), (0.9, 9_000.0), (0.99, 9_900.0), (1.0, 10_000.0)] {
            let found = durations.quantile(share).map_or(0.0, |found| found.as_secs_f64() * 1e6);
            assert!((1.0 - 1e-6..1.13).contains(&(found / truth)), "{share}: {found} for {truth}");
        }
        assert_eq!(of([]).quantile(0.5), None);
        assert_eq!(of([7]).quantile(0.5), Some(Duration::from_micros(7)), "never more than the longest");
        let endless = of([5_000_000_000]);
        assert_eq!(endless.quantile(0.5), Some(Duration::from_secs(5000)));
    }

    #[test]
    fn sums_are_as_if_all_had_been_counted_together() {
        let (one, two) = (of([1, 30, 500]), of([2, 70_000]));
        let mut sum = one.clone();
        sum.merge(&two);
        assert_eq!(sum, of([1, 30, 500, 2, 70_000]));
        let mut other = two;
        other.merge(&one);
        assert_eq!(sum, other);
        assert_eq!((sum.count(), sum.longest()), (5, Duration::from_millis(70)));
    }
}
