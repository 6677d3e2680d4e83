//! The Elo scales: logistic Elo (an expected score), normalized Elo (an expected score in units of its own noise) and
//! the scale of `BayesElo` (an expected score given a draw rate). Only maps between numbers; no samples.
//!
//! Sources: Elo, "The Rating of Chessplayers" (1978), with the usual base 10 and scale 400; Van den Bergh, "Normalized
//! Elo" (2021); Coulom, `BayesElo`.

use crate::law::Unit;

/// Normalized Elo of one standard deviation per game: 800 / ln 10, so that nElo and Elo agree for balanced games
/// without draws.
pub const NELO_PER_SIGMA: f64 = 347.435_585_522_601_4;

/// The logistic function, 1 / (1 + e^-x): the expected score, 0 to 1, at a difference of `x` logits.
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// Expected score, 0 to 1, of the stronger side at a logistic difference of `elo`: 1 / (1 + 10^(-elo/400)).
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + libm::pow(10.0, -elo / 400.0))
}

/// Logistic Elo of an expected score: -400 log10(1/score - 1); infinite at 0 and 1 and beyond.
pub fn elo_of_score(score: f64) -> f64 {
    elo_of_advantage(score - 0.5)
}

/// Logistic Elo of an expected score less 1/2, with full precision even for small values: (800 / ln 10) artanh(2
/// advantage); infinite at ±1/2 and beyond.
pub fn elo_of_advantage(advantage: f64) -> f64 {
    if advantage <= -0.5 {
        f64::NEG_INFINITY
    } else if advantage >= 0.5 {
        f64::INFINITY
    } else {
        NELO_PER_SIGMA * libm::atanh(2.0 * advantage)
    }
}

/// t-value (mean over standard deviation) of one observation at a normalized difference of `nelo`.
pub fn t_of_nelo(nelo: f64, unit: Unit) -> f64 {
    nelo / NELO_PER_SIGMA * unit.games().sqrt()
}

/// Normalized Elo of the t-value of one observation.
pub fn nelo_of_t(t: f64, unit: Unit) -> f64 {
    t * NELO_PER_SIGMA / unit.games().sqrt()
}

/// Expected score under `BayesElo`'s draw model at a difference of `elo` and a draw width of `drawelo`:
/// P(win) = 1/(1+10^((drawelo-elo)/400)), P(loss) the same with -elo.
pub fn bayes_score(elo: f64, drawelo: f64) -> f64 {
    let [loss, draw, win] = bayes_probabilities(elo, drawelo);
    debug_assert!(loss <= 1.0);
    win + draw / 2.0
}

/// Loss, draw and win probability under `BayesElo`'s draw model.
pub fn bayes_probabilities(elo: f64, drawelo: f64) -> [f64; 3] {
    let win = expected_score(elo - drawelo);
    let loss = expected_score(-elo - drawelo);
    [loss, 1.0 - win - loss, win]
}

/// Draw width of `BayesElo` from the frequencies of losses and wins, both within (0, 1):
/// 200 log10((1-loss)/loss * (1-win)/win).
pub fn drawelo(loss: f64, win: f64) -> f64 {
    200.0 * libm::log10((1.0 - loss) / loss * ((1.0 - win) / win))
}
