//! The curve through evaluations and results: a logistic regression, score = 1 / (1 + e^-(intercept + slope x)).
//!
//! The intercept covers what the evaluations do not include: the opponents, which may be weaker or stronger. An
//! evaluation in logits claims a slope of 1 and, between players of equal strength, an intercept of 0; one in pawns
//! claims only the latter.
//!
//! Bins have the weight of the games that they are worth. The outermost bins hold all evaluations beyond, so they have
//! no single place on the curve: they are left out. The positions of a game lie in several bins and share its result,
//! so the errors are those of games: the sandwich H^-1 (sum over games of u u^T) H^-1, u being a game's part of the
//! score function (Liang and Zeger, Biometrika 73, 1986), times games / (games - 2).

use super::bins::{BINS, EvalBin};
use stats::Estimate;
use stats::elo::logistic;

/// The maximum number of Newton steps of the fit, which settles in far fewer.
const MOST_STEPS: u32 = 50;
/// The maximum step in either parameter.
const LONGEST_STEP: f64 = 1.0;
/// The minimum number of positions, and of games, for a fit: errors from fewer groups are too small.
const LEAST_POSITIONS: u64 = 100;
const LEAST_GAMES: u64 = 20;

/// A fitted curve, each parameter with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct EvalFit {
    /// Logits of the score per unit of the evaluation.
    pub slope: Estimate,
    /// Logits of the score at an evaluation of 0.
    pub intercept: Estimate,
}

impl EvalFit {
    /// The expected score at the evaluation `x`, 0 to 1.
    pub fn score(&self, x: f64) -> f64 {
        logistic(self.intercept.value + self.slope.value * x)
    }

    /// The score at an evaluation of 0, from 0 to 1.
    pub fn score_at_0(&self) -> Estimate {
        self.intercept.map(logistic)
    }
}

/// The data about games that bins lack: which bins' positions come from one game.
#[derive(Clone, Debug, Default)]
pub(super) struct Games {
    count: u64,
    /// For each result in half points, bin by bin: the sum over games of the product of their positions in the two
    /// bins.
    together: [Vec<f64>; 3],
}

impl Games {
    /// Adds a game with this many positions in each bin.
    pub(super) fn add(&mut self, positions: &[u32; BINS], half_points: usize) {
        if positions.iter().all(|n| *n == 0) {
            return;
        }
        self.count += 1;
        let together = &mut self.together[half_points];
        together.resize(BINS * BINS, 0.0);
        let used = || positions.iter().enumerate().filter(|(_, n)| **n > 0);
        for (one, n) in used() {
            for (other, m) in used() {
                together[one * BINS + other] += f64::from(*n) * f64::from(*m);
            }
        }
    }

    /// The number of games.
    pub(super) fn count(&self) -> u64 {
        self.count
    }
}

/// The data of a bin for the fit.
struct Place {
    bin: usize,
    x: f64,
    /// The mean score of the bin's positions.
    score: f64,
    /// The number of games that the bin is worth.
    games: f64,
    positions: f64,
}

/// The best-fitting curve; `None` with too few games or positions, or if none fits.
pub(super) fn fit(bins: &[EvalBin], games: &Games) -> Option<EvalFit> {
    let inner = bins.iter().enumerate().filter(|(bin, at)| at.positions > 0 && *bin > 0 && *bin < BINS - 1);
    let place = |(bin, at): (usize, &EvalBin)| {
        let positions = at.positions as f64;
        Place { bin, x: at.evaluation(), score: at.scores / positions, games: at.games(), positions }
    };
    let places: Vec<Place> = inner.map(place).collect();
    let positions = places.iter().map(|place| place.positions).sum::<f64>();
    if positions < LEAST_POSITIONS as f64 || games.count < LEAST_GAMES {
        return None;
    }
    let mut at = [0.0, 1.0];
    for _ in 0..MOST_STEPS {
        let (gradient, information) = derivatives(&places, at);
        let inverse = inverse(information)?;
        let step = times(inverse, gradient).map(|part| part.clamp(-LONGEST_STEP, LONGEST_STEP));
        at = [at[0] + step[0], at[1] + step[1]];
        if step.iter().all(|part| part.abs() < 1e-9) {
            let [intercept, slope] = errors(&places, games, at, inverse);
            let estimate = |value, error| Estimate::normal(value, error);
            return Some(EvalFit { slope: estimate(at[1], slope), intercept: estimate(at[0], intercept) });
        }
    }
    None
}

/// Gradient and information of the log-likelihood in (intercept, slope).
fn derivatives(places: &[Place], [intercept, slope]: [f64; 2]) -> ([f64; 2], [f64; 3]) {
    let (mut gradient, mut information) = ([0.0; 2], [0.0; 3]);
    for Place { x, score, games, .. } in places {
        let p = logistic(intercept + slope * x);
        let (residual, weight) = (games * (score - p), games * p * (1.0 - p));
        gradient[0] += residual;
        gradient[1] += residual * x;
        information[0] += weight;
        information[1] += weight * x;
        information[2] += weight * x * x;
    }
    (gradient, information)
}

/// The inverse of a symmetric 2 x 2 matrix, given and returned as its entries 00, 01 and 11; `None` if it is singular.
fn inverse([a, b, c]: [f64; 3]) -> Option<[f64; 3]> {
    let determinant = a * c - b * b;
    (determinant > 1e-9 * a * c).then(|| [c / determinant, -b / determinant, a / determinant])
}

fn times([a, b, c]: [f64; 3], [x, y]: [f64; 2]) -> [f64; 2] {
    [a * x + b * y, b * x + c * y]
}

/// Standard errors of intercept and slope.
fn errors(places: &[Place], games: &Games, [intercept, slope]: [f64; 2], inverse: [f64; 3]) -> [f64; 2] {
    let mut spread = [[0.0; 2]; 2];
    for (half_points, together) in games.together.iter().enumerate().filter(|(_, together)| !together.is_empty()) {
        let score = half_points as f64 / 2.0;
        // The contribution of one position of a bin to its game's score function, as it moves the two parameters.
        let parts = places.iter().map(|place| {
            let residual = (score - logistic(intercept + slope * place.x)) * place.games / place.positions;
            (place.bin, times(inverse, [residual, residual * place.x]))
        });
        let parts: Vec<(usize, [f64; 2])> = parts.collect();
        for (one, u) in &parts {
            for (other, v) in &parts {
                let count = together[one * BINS + other];
                spread[0][0] += count * u[0] * v[0];
                spread[1][1] += count * u[1] * v[1];
            }
        }
    }
    let count = games.count as f64;
    [spread[0][0], spread[1][1]].map(|square| (square.max(0.0) * count / (count - 2.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::normal::Z95;
    use stats::random::Stream;

    /// Games whose winning chances wander without drift, with evaluations that are off by `shift` and `scale`.
    fn wandering(games: u32, seed: u64, [shift, scale]: [f64; 2]) -> (Vec<EvalBin>, Games) {
        let (mut chance, mut bins, mut together) =
            (Stream::from_seed(seed), vec![EvalBin::default(); BINS], Games::default());
        for _ in 0..games {
            let (mut p, mut scores) = (0.5, Vec::new());
            for _ in 0..30 {
                scores.push((libm::log(p / (1.0 - p)) - shift) / scale);
                let step = 0.5 * p * (1.0 - p);
                p += if chance.uniform() < 0.5 { step } else { -step };
            }
            let half_points = if chance.uniform() < p { 2 } else { 0 };
            let mut positions = [0; BINS];
            for x in scores {
                let bin = (x / 0.25).round().clamp(-16.0, 16.0) as i64 + 16;
                let at = &mut bins[bin as usize];
                at.positions += 1;
                at.evaluations += x;
                at.scores += f64::from(half_points) / 2.0;
                positions[bin as usize] += 1;
            }
            bins.iter_mut().zip(positions).for_each(|(bin, n)| bin.squares += f64::from(n * n));
            together.add(&positions, half_points as usize);
        }
        (bins, together)
    }

    #[test]
    fn shift_and_scale_are_found() {
        let (bins, games) = wandering(3000, 1, [0.8, 1.5]);
        let EvalFit { slope, intercept } = fit(&bins, &games).unwrap();
        assert!((slope.value - 1.5).abs() < 0.1 && (intercept.value - 0.8).abs() < 0.1, "{slope:?} {intercept:?}");
        let at_0 = fit(&bins, &games).unwrap().score_at_0();
        assert!((at_0.value - logistic(0.8)).abs() < 0.02 && at_0.low < at_0.value && at_0.value < at_0.high);
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let (mut slopes, mut intercepts) = (0, 0);
        for seed in 0..400 {
            let (bins, games) = wandering(100, 1000 + seed, [0.3, 1.2]);
            let EvalFit { slope, intercept } = fit(&bins, &games).unwrap();
            slopes += u32::from(slope.low <= 1.2 && 1.2 <= slope.high);
            intercepts += u32::from(intercept.low <= 0.3 && 0.3 <= intercept.high);
        }
        // 95% of 400 are 380; 3.1 standard errors of that are 13.5.
        assert!((366..=394).contains(&slopes) && (366..=394).contains(&intercepts), "{slopes} {intercepts}");
    }

    #[test]
    fn independent_games_have_the_errors_of_the_likelihood() {
        // One position a game, at -1 and at 1: the information is 2 n p (1 - p) in both parameters.
        let (mut bins, mut games) = (vec![EvalBin::default(); BINS], Games::default());
        let wins = (1000.0 * logistic(1.0)).round() as usize;
        for index in 0..1000 {
            for (bin, x, won) in [(12, -1.0, index >= wins), (20, 1.0, index < wins)] {
                let (at, half_points) = (&mut bins[bin], if won { 2 } else { 0 });
                *at = EvalBin {
                    positions: at.positions + 1,
                    evaluations: at.evaluations + x,
                    scores: at.scores + half_points as f64 / 2.0,
                    squares: at.squares + 1.0,
                };
                let mut positions = [0; BINS];
                positions[bin] = 1;
                games.add(&positions, half_points);
            }
        }
        let EvalFit { slope, intercept } = fit(&bins, &games).unwrap();
        assert!((slope.value - 1.0).abs() < 0.01 && intercept.value.abs() < 1e-9, "{slope:?} {intercept:?}");
        for parameter in [slope, intercept] {
            let half = (parameter.high - parameter.low) / 2.0;
            assert!((half - Z95 / 393.2_f64.sqrt()).abs() < 0.001, "{parameter:?}");
        }
    }

    #[test]
    fn nothing_is_fitted_to_what_has_no_curve() {
        let (bins, games) = wandering(19, 1, [0.0, 1.0]);
        assert_eq!(fit(&bins, &games), None, "too few games");
        let alike = |half_points: usize| {
            let (mut bins, mut games) = (vec![EvalBin::default(); BINS], Games::default());
            for bin in [10, 20] {
                let scores = 100.0 * half_points as f64 / 2.0;
                let evaluations = 25.0 * (bin as f64 - 16.0);
                bins[bin] = EvalBin { positions: 100, evaluations, scores, squares: 100.0 };
                let mut positions = [0; BINS];
                positions[bin] = 1;
                (0..100).for_each(|_| games.add(&positions, half_points));
            }
            fit(&bins, &games)
        };
        assert_eq!((alike(2), alike(0)), (None, None), "all won or all lost");
        let drawn = alike(1).unwrap();
        assert!(drawn.slope.value.abs() < 1e-9 && drawn.intercept.value.abs() < 1e-9, "all drawn: always 50%");
    }
}
