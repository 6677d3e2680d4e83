//! The variation of samples of a size: exact laws, from `statrs`. Only pictures depend on them; code that decides
//! anything is in `stats`.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};
use stats::Estimate;
use stats::normal::Z95;

/// The number of degrees of freedom from which on Student's law equals the normal one to three digits.
const NORMAL_FROM: u64 = 1000;

/// The expected number of events of probability `p` among `n`, and the range that holds at least 95% of such samples.
pub(crate) fn expected_count(p: f64, n: u64) -> Estimate {
    let value = p * n as f64;
    let Ok(law) = Binomial::new(p, n) else { return Estimate { value, low: value, high: value } };
    let [low, high] = [0.025, 0.975].map(|share| law.inverse_cdf(share) as f64);
    // A law so narrow that one number holds 95% need not have its mean there.
    Estimate { value, low: low.min(value), high: high.max(value) }
}

/// A mean with its 95% interval by Student's law, from the sum of `n` numbers and the sum of their squares; `None` for
/// fewer than two.
pub(crate) fn mean(n: u64, sum: f64, squares: f64) -> Option<Estimate> {
    let freedom = n.checked_sub(1).filter(|freedom| *freedom > 0)?;
    let value = sum / n as f64;
    let error = ((squares / n as f64 - value * value).max(0.0) / freedom as f64).sqrt();
    let half = quantile(freedom) * error;
    Some(Estimate { value, low: value - half, high: value + half })
}

/// The number of standard errors to either side that hold 95%.
fn quantile(freedom: u64) -> f64 {
    if freedom >= NORMAL_FROM {
        return Z95;
    }
    StudentsT::new(0.0, 1.0, freedom as f64).map_or(Z95, |law| law.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_have_students_quantiles() {
        // Abramowitz and Stegun, table 26.10.
        for (freedom, expected) in
            [(1, 12.706), (4, 2.776), (10, 2.228), (30, 2.042), (120, 1.980), (999, 1.962), (1000, 1.960)]
        {
            assert!((quantile(freedom) - expected).abs() < 6e-4, "{freedom}: {}", quantile(freedom));
        }
        // 1 to 5: mean 3, standard error sqrt(2.5 / 5).
        let five = mean(5, 15.0, 55.0).unwrap();
        assert!((five.value - 3.0).abs() < 1e-12 && (five.high - five.value - 2.776_445 * 0.5_f64.sqrt()).abs() < 1e-5);
        assert_eq!((mean(0, 0.0, 0.0), mean(1, 3.0, 9.0)), (None, None));
    }

    #[test]
    fn samples_are_held_by_their_range() {
        // In 10 tosses of a coin, 2 to 8 heads come up in 97.9% of samples, 3 to 7 only in 89.1%.
        let Estimate { value, low, high } = expected_count(0.5, 10);
        assert_eq!((value, low, high), (5.0, 2.0, 8.0));
        // For rare events: none or one, not a negative number.
        let Estimate { low, high, .. } = expected_count(0.001, 100);
        assert_eq!((low, high), (0.0, 1.0));
        for n in [0, 1, 2, 1_000, 1_000_000, 10_000_000_000] {
            for p in [0.0, 1e-12, 0.3, 1.0 - 1e-12, 1.0] {
                let Estimate { value, low, high } = expected_count(p, n);
                let sd = (n as f64 * p * (1.0 - p)).sqrt();
                assert!(0.0 <= low && low <= value && value <= high && high <= n as f64, "{p} of {n}: {low} to {high}");
                assert!(high - value <= 2.0 * sd + 2.0 && value - low <= 2.0 * sd + 2.0, "{p} of {n}: {low} to {high}");
            }
        }
    }
}
