//! The evidence of a pair about two ratings, for any bias of its opening.
//!
//! An opening may favour one seat, by b logits, equally in both games of its pair; the first mover's general advantage
//! is a part of b. So the first entrant's expected scores are s(d + b) if it moves first and s(d - b) if it moves
//! second, for a difference of d logits and s the logistic function: their mean is nearer to one half than s(d), and
//! ratings from points shrink. But
//!
//! `s(d + b) s(d - b) / ((1 - s(d + b)) (1 - s(d - b))) = exp(2d)`
//!
//! for every b. Given b the two games are independent, so with x and y for their scores (0, 1/2, 1) the mean of x y is
//! exp(2d) times that of (1 - x)(1 - y), for any biases, any distribution of them, and any number of draws. A pair thus
//! counts as x y won and (1 - x)(1 - y) lost trials with the expected score s(2d). Without draws that is the
//! conditional likelihood of Rasch (1960): two wins against two losses, while a win and a loss are evidence about the
//! opening alone. With draws it is the odds ratio of Mantel and Haenszel (1959) with each pair a stratum.
//!
//! The price: without bias it takes 1 pair for 1 between equals, but 1.17 at 100 and 1.7 at 200 Elo: (p^2 + q^2) / 2pq
//! for expected scores p and q without draws.

use crate::counts::Score;

/// The factor from the difference of two ratings to the logits of a trial.
pub(super) const SCALE: f64 = 2.0;

/// The won and lost trials that a pair counts as.
pub(super) fn shares(one: Score, two: Score) -> [f64; 2] {
    let [x, y] = [one, two].map(|score| f64::from(score.half_points()) / 2.0);
    [x * y, (1.0 - x) * (1.0 - y)]
}

/// The expected number of trials of a pair, won and lost together, at a difference of `d` logits and a bias of `b`:
/// `cosh d / (cosh d + cosh b)`.
pub(super) fn expected_trials(d: f64, b: f64) -> f64 {
    // Relative to the larger of the two exponents, to avoid overflow.
    let (d, b) = (d.abs(), b.abs());
    let shift = d.max(b);
    let cosh = |x: f64| libm::exp(x - shift) + libm::exp(-x - shift);
    cosh(d) / (cosh(d) + cosh(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::logistic;

    #[test]
    fn no_bias_changes_the_ratio_of_won_to_lost() {
        for d in [-2.0, 0.0, 0.7] {
            for b in [-3.0, 0.0, 0.4, 2.0] {
                let [x, y] = [logistic(d + b), logistic(d - b)];
                let (won, lost) = (x * y, (1.0 - x) * (1.0 - y));
                assert!((won / lost / libm::exp(2.0 * d) - 1.0).abs() < 1e-12, "{d} {b}");
                assert!((won + lost - expected_trials(d, b)).abs() < 1e-12, "{d} {b}");
            }
        }
        assert!((expected_trials(900.0, 900.0) - 0.5).abs() < 1e-12 && expected_trials(0.0, 5000.0) < 1e-300);
    }

    #[test]
    fn a_pair_seen_from_the_other_side_is_its_mirror() {
        let quarters = |one: Score, two: Score| shares(one, two).map(|share| (4.0 * share) as u32);
        for one in [Score::Loss, Score::Draw, Score::Win] {
            for two in [Score::Loss, Score::Draw, Score::Win] {
                let [won, lost] = quarters(one, two);
                assert_eq!(quarters(one.mirror(), two.mirror()), [lost, won]);
                assert_eq!(quarters(two, one), [won, lost]);
            }
        }
        assert_eq!(quarters(Score::Win, Score::Loss), [0, 0]);
        assert_eq!(quarters(Score::Win, Score::Draw), [2, 0]);
    }
}
