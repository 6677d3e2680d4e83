//! Interactions of two parameters: a term `c_ij x_i x_j` for each two of them.
//!
//! With h = -2 q the correlation of two parameters is c over `2 sqrt(q_i q_j)`: near 1 they lie on a ridge, where
//! neither may be moved without the other, and beyond it on a saddle. Most parameters do not interact, so c is Gaussian
//! about 0 with that times one of [`SIZES`] as standard deviation, whose shares are learnt from all of them together
//! (`sizes`). The best value of each parameter then depends on the others: each is optimised in turn, inside the region
//! tried so far, until none moves.

use super::prior::Sensitivity;
use super::sizes::Sizes;
use super::skew;
use super::{Quadratic, bent};
use crate::linear::Symmetric;

/// The correlations in the mixture; beyond 1 there is a saddle.
const SIZES: [f64; 5] = [0.01, 0.05, 0.2, 0.5, 2.5];
/// The pseudo-count of parameter pairs for each size, before any pair of games; for the first two sizes per pair of
/// parameters.
const SEEN: [f64; 5] = [0.1, 0.05, 1.0, 0.5, 0.5];
/// The most rounds in which each parameter is optimised.
const ROUNDS: usize = 200;
/// How much flatter than by itself a parameter may be at most, and the shares of crossed terms that are tried until
/// none is flatter: powers of the first.
const FLATTEST: f64 = 30.0;
const LESS: f64 = 0.97;
const SHARES: u32 = 40;
/// The largest correlation that the sides consider, the least eigenvalue, and the exponent by which sides are farther
/// apart for a small one.
const NARROWEST: f64 = 0.95;
const LEAST: f64 = 0.08;
const SHAPE: f64 = 0.4;
/// Moves below this many steps count as none.
const STILL: f64 = 1e-3;

/// All pairs of graded columns, if there are at most this many columns.
pub(super) fn pairs(graded: &[bool], most: usize) -> Vec<(usize, usize)> {
    let columns: Vec<usize> = (0..graded.len()).filter(|&i| graded[i]).collect();
    if columns.len() > most {
        return Vec::new();
    }
    let with = |(place, &j): (usize, &usize)| columns[..place].iter().map(move |&i| (i, j)).collect::<Vec<_>>();
    columns.iter().enumerate().flat_map(with).collect()
}

/// The factors of correlations: `2 sqrt(q_i q_j)`, reduced for uncertain sensitivities.
pub(super) fn scales(crosses: &[(usize, usize)], sensitivities: &[Sensitivity]) -> Vec<f64> {
    let scale =
        |&(i, j): &(usize, usize)| libm::sqrt(skew::scale(sensitivities[i]) * skew::scale(sensitivities[j])) / 3.0;
    crosses.iter().map(scale).collect()
}

/// The prior with these [`scales`]. Of any number of parameters, few are expected to interact.
pub(super) fn sizes(scales: &[f64]) -> Sizes {
    let [none, hardly, rest @ ..] = SEEN;
    let each = scales.len() as f64;
    let [some, much, most] = rest;
    Sizes::new(SIZES, [none * each, hardly * each, some, much, most], scales)
}

/// The effect on a parameter of moving the others with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Coupling {
    /// How much flatter the parameter is than by itself: the diagonal of the inverse of the curvatures over the inverse
    /// of its own.
    pub(super) flatter: f64,
    /// The standard deviation of its best value relative to that by itself.
    pub(super) wider: f64,
    /// The Elo that it is expected to lose relative to that by itself.
    pub(super) dearer: f64,
}

/// The coupling of a parameter that interacts with no other.
const ALONE: Coupling = Coupling { flatter: 1.0, wider: 1.0, dearer: 1.0 };

impl Quadratic {
    /// The couplings of all columns around the answer. A saddle counts as the narrowest ridge.
    pub(super) fn couplings(&self) -> Vec<Coupling> {
        let mut all = vec![ALONE; self.best.len()];
        let terms = &self.posterior.terms;
        let inside = |i: usize| self.is_graded(i) && self.bounds[i].0 < self.best[i] && self.best[i] < self.bounds[i].1;
        let free: Vec<usize> = (0..all.len()).filter(|&i| inside(i)).collect();
        if terms.crosses.is_empty() || free.len() < 2 {
            return all;
        }
        let mut place = vec![None; all.len()];
        free.iter().enumerate().for_each(|(at, &i)| place[i] = Some(at));
        let bend: Vec<f64> =
            free.iter().map(|&i| -bent(self.coefficients(&self.posterior.mean, i).bend(self.best[i]))).collect();
        let curvatures = |share: f64| {
            let mut matrix = Symmetric::zero(free.len());
            matrix.add_diagonal(&bend);
            for ((i, j), c) in terms.crossed(&self.posterior.mean) {
                if let (Some(i), Some(j)) = (place[i], place[j]) {
                    matrix.add(i, j, -share * c);
                }
            }
            matrix
        };
        let flattest = |inverse: &Symmetric| (0..free.len()).map(|i| inverse.get(i, i) * bend[i]).fold(0.0, f64::max);
        let shares = (0..SHARES).map(|less| libm::pow(LESS, f64::from(less)));
        let mut inverses = shares.filter_map(|share| Some(curvatures(share).cholesky()?.inverse()));
        let Some(inverse) = inverses.find(|inverse| flattest(inverse) <= FLATTEST) else { return all };
        let noise = self.posterior.slopes(&free, &self.best);
        for (at, &i) in free.iter().enumerate() {
            let row: Vec<f64> = (0..free.len()).map(|j| inverse.get(at, j)).collect();
            let through = |k: usize| row.iter().enumerate().map(|(j, x)| x * noise.get(j, k)).sum::<f64>();
            let (lost, own) = (through(at), noise.get(at, at) / bend[at]);
            let spread: f64 = row.iter().enumerate().map(|(k, x)| x * through(k)).sum();
            all[i] = Coupling {
                flatter: inverse.get(at, at) * bend[at],
                wider: libm::sqrt(spread / (own / bend[at])).clamp(1.0, FLATTEST),
                dearer: (lost / own).clamp(1.0, FLATTEST),
            };
        }
        all
    }

    /// The matrix that random signs are multiplied by, so that sides are farther apart along a ridge than across it.
    /// With C the matrix of correlations it is C to the power -[`SHAPE`]. The step of a parameter is its sensitivity to
    /// the power -1/3 (`steps`); -1/2 would lose as much along a ridge as across it.
    pub(super) fn shape(&self) -> Option<Symmetric> {
        let terms = &self.posterior.terms;
        if terms.crosses.is_empty() {
            return None;
        }
        let mut correlations = Symmetric::zero(terms.columns);
        correlations.add_diagonal(&vec![1.0; terms.columns]);
        let most = |x: f64| x.clamp(-NARROWEST, NARROWEST);
        for ((i, j), c) in terms.crossed(&self.posterior.mean) {
            let bend = 2.0 * libm::sqrt(self.sensitivities[i].mean * self.sensitivities[j].mean);
            correlations.add(i, j, most(-c / bend));
        }
        Some(correlations.map(|x| libm::pow(if x > LEAST { x } else { LEAST }, -SHAPE)))
    }

    /// The best coordinates in the region for these coefficients, at a limit `lambda` below the target.
    pub(super) fn climb(&self, coefficients: &[f64], lambda: f64) -> Vec<f64> {
        let terms = &self.posterior.terms;
        let mut matrix = vec![0.0; terms.columns * terms.columns];
        for ((i, j), c) in terms.crossed(coefficients) {
            (matrix[i * terms.columns + j], matrix[j * terms.columns + i]) = (c, c);
        }
        let mut best = self.peaks_pulled(coefficients, &terms.pulls(coefficients, &self.best), lambda);
        for i in (0..best.len()).filter(|&i| self.is_graded(i)) {
            best[i] = self.best[i].clamp(self.region[i].0, self.region[i].1);
        }
        for _ in 0..ROUNDS {
            let mut farthest: f64 = 0.0;
            for (i, row) in matrix.chunks_exact(terms.columns).enumerate().filter(|(i, _)| self.is_graded(*i)) {
                let pull: f64 = row.iter().zip(&best).map(|(c, x)| c * x).sum();
                let (low, high) = self.region[i];
                let peak =
                    skew::peak(self.coefficients(coefficients, i).pulled(pull), self.best[i], lambda).clamp(low, high);
                farthest = farthest.max((peak - best[i]).abs());
                best[i] = peak;
            }
            if farthest < STILL {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;
    use crate::blocks::MANY;
    use crate::method::{Answer, Caution, Method};
    use crate::regret::instance::{Instance, Surface};
    use crate::regret::oracle::Noise;
    use crate::regret::runner::{Honesty, Session};

    /// The answers of six sessions, with their reported and true losses.
    fn played(surface: Surface, config: Config) -> Vec<(Answer, Honesty, f64)> {
        let one = |seed| {
            let instance = Instance::new(4, seed, surface);
            let mut method = Quadratic::new(instance.space(1.0).unwrap(), config, seed, 20_000).unwrap();
            let lost = Session { pairs: 20_000, lag: 1, noise: Noise::Chess, seed }.play(&mut method, &instance);
            let answer = method.answer();
            let honesty = Honesty::of(&answer, &instance, Noise::Chess);
            (answer, honesty, lost)
        };
        (3000..3006).map(one).collect()
    }

    #[test]
    #[ignore = "slow"]
    fn where_parameters_act_together_less_is_lost_and_no_more_is_promised_than_is_true() {
        for surface in [Surface::Ridge, Surface::Scaled] {
            let lost = |of: &[(Answer, Honesty, f64)]| of.iter().map(|(_, _, lost)| lost).sum::<f64>();
            let apart = Config { crossed: 0, control: 0, ..Config::default() };
            let (together, alone) = (played(surface, Config::default()), played(surface, apart));
            assert!(2.0 * lost(&together) < lost(&alone), "{surface:?}: {} and {}", lost(&together), lost(&alone));
            let held = together.iter().filter(|(_, honesty, _)| honesty.gain_within(1.0) == Some(true)).count();
            assert!(held >= 4, "{surface:?}: {held} of 6");
            let warned = |(answer, ..): &&(Answer, Honesty, f64)| {
                answer.cautions.iter().any(|caution| matches!(caution, Caution::Together(at) if at.len() > 1))
            };
            let warned = together.iter().filter(warned).count();
            assert!(warned >= 3, "{surface:?}: {warned} of 6");
        }
        let real = played(Surface::Real, Config::default());
        let warned = real.iter().filter(|(answer, ..)| !answer.cautions.is_empty()).count();
        assert!(warned <= 2, "{warned} of 6 where nothing is wrong");
    }

    #[test]
    #[ignore = "slow"]
    fn hundreds_of_parameters_are_each_fitted_by_themselves_and_the_better_side_is_found() {
        let instance = Instance::new(MANY + 50, 1, Surface::Quad);
        let mut method = Quadratic::new(instance.space(1.0).unwrap(), Config::default(), 1, 6000).unwrap();
        let lost = Session { pairs: 6000, lag: 1, noise: Noise::Chess, seed: 1 }.play(&mut method, &instance);
        let start = instance.loss(&vec![0.0; MANY + 50]);
        assert!(lost < 0.8 * start, "{lost} of {start}");
        assert!(method.couplings().iter().all(|coupling| *coupling == ALONE));
        assert_eq!(method.answer().uncertainties.unwrap().len(), MANY + 50);
    }
}
