//! The estimating equations of the ratings: for each entrant, expected points equal obtained points; for games in which
//! the first mover may have an advantage, the first movers' expected points equal theirs, too. If openings are biased,
//! the trials of `biased` replace the points of a pair.
//!
//! These are the likelihood equations of the Bradley-Terry model with a draw as half a win and half a loss, so they
//! have one solution and Newton's method finds it. The equations hold for any draw model, so their solution is
//! consistent without one. A prior of virtual draws against the centre of the pool keeps it finite.

use super::RatingError;
use super::biased;
use super::results::{Cluster, Results, Seats};
use crate::counts::Score;
use crate::elo::logistic;
use crate::matrix::Matrix;
use std::collections::BTreeMap;

/// The most Newton steps; each improves the likelihood, so this is never reached.
const MAX_STEPS: usize = 200;
/// A step below this many logits is the last.
const LAST_STEP: f64 = 1e-11;
/// A step below this that is not shorter than the one before is the last, too: the rest is rounding, as when one score
/// is rare among thousands.
const ROUNDING: f64 = 1e-7;
/// The largest change of a parameter in one step, in logits.
const LONGEST_STEP: f64 = 2.0;

/// The evidence of games about the ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Model {
    /// Each game by itself.
    Games {
        /// Whether the first mover may have an advantage.
        seat: bool,
    },
    /// Pairs by their points: each entrant moves first once. Single games by themselves.
    Fair {
        /// Whether the first mover may have an advantage in single games.
        seat: bool,
    },
    /// Pairs by their trials, which no bias of their opening can change; single games are ignored.
    Biased,
}

/// The settings of a fit.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    /// Virtual draws of each entrant against the centre of the pool.
    pub(super) prior: f64,
    /// Entrants whose rating is given, in logits.
    pub(super) anchors: BTreeMap<usize, f64>,
    pub(super) model: Model,
}

/// A solution, in logits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    /// Ratings, then the centre of the pool, then the first mover's advantage.
    pub(super) theta: Vec<f64>,
    /// Inverse of the information about theta; the identity for pinned parameters.
    pub(super) inverse: Matrix,
    pub(super) model: Model,
    entrants: usize,
    pinned: Vec<usize>,
    prior: f64,
}

/// Trials whose expected score is the logistic function of `scale` times the difference of the two ratings, plus `seat`
/// times the first mover's advantage in some.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seating {
    pub(super) first: usize,
    pub(super) second: usize,
    scale: f64,
    seat: f64,
    games: f64,
    points: f64,
}

/// ln(1 + e^x) without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

impl Problem {
    /// Solves the equations.
    pub(super) fn solve(&self, results: &Results) -> Result<Fit, RatingError> {
        let n = results.entrants();
        let seatings = self.model.seatings(results);
        let pinned = self.pinned(n, seatings.iter().any(|s| s.seat > 0.0));
        let mut theta = vec![0.0; n + 2];
        for (&entrant, &rating) in &self.anchors {
            theta[entrant] = rating;
        }
        let mut before = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let (gradient, information) = self.equations(&theta, &seatings, &pinned);
            let inverse = information.inverse().ok_or(RatingError::NotComparable)?;
            let step = inverse.times(&gradient);
            let longest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
            if longest < LAST_STEP || longest < ROUNDING && longest >= before {
                let (model, prior) = (self.model, self.prior);
                return Ok(Fit { theta, inverse, model, entrants: n, pinned, prior });
            }
            before = longest;
            theta = self.ascend(&theta, &step, (LONGEST_STEP / longest).min(1.0), &seatings);
        }
        Err(RatingError::NotComparable)
    }

    /// The parameters that are not fitted: anchors, an advantage that no game has, and the origin if nothing else fixes
    /// it.
    fn pinned(&self, n: usize, seated: bool) -> Vec<usize> {
        let mut pinned: Vec<usize> = self.anchors.keys().copied().collect();
        let floating = self.anchors.is_empty();
        if floating && self.prior <= 0.0 {
            pinned.push(0);
        }
        if floating || self.prior <= 0.0 {
            pinned.push(n);
        }
        if !seated {
            pinned.push(n + 1);
        }
        pinned
    }

    /// Moves along the step, halved until the likelihood does not fall.
    fn ascend(&self, theta: &[f64], step: &[f64], length: f64, seatings: &[Seating]) -> Vec<f64> {
        let here = self.log_likelihood(theta, seatings);
        let mut length = length;
        loop {
            let next: Vec<f64> = theta.iter().zip(step).map(|(t, s)| t + length * s).collect();
            let room = 1e-13 * here.abs();
            if length < 1e-6 || self.log_likelihood(&next, seatings) >= here - room {
                return next;
            }
            length /= 2.0;
        }
    }

    fn log_likelihood(&self, theta: &[f64], seatings: &[Seating]) -> f64 {
        let n = theta.len() - 2;
        let played = seatings.iter().map(|s| {
            let x = s.scale * (theta[s.first] - theta[s.second]) + s.seat * theta[n + 1];
            s.points * x - s.games * softplus(x)
        });
        let virtual_draws = theta[..n].iter().map(|r| {
            let x = r - theta[n];
            self.prior * (0.5 * x - softplus(x))
        });
        played.sum::<f64>() + virtual_draws.sum::<f64>()
    }

    /// Gradient of the log-likelihood, and the information.
    fn equations(&self, theta: &[f64], seatings: &[Seating], pinned: &[usize]) -> (Vec<f64>, Matrix) {
        let n = theta.len() - 2;
        let mut gradient = vec![0.0; n + 2];
        let mut information = Matrix::zero(n + 2);
        let mut observe = |x: &[(usize, f64)], games: f64, points: f64| {
            let e = logistic(x.iter().map(|&(k, a)| a * theta[k]).sum());
            for &(k, a) in x {
                gradient[k] += a * (points - games * e);
            }
            information.add_square(games * e * (1.0 - e), x);
        };
        for s in seatings {
            observe(&[(s.first, s.scale), (s.second, -s.scale), (n + 1, s.seat)], s.games, s.points);
        }
        if self.prior > 0.0 {
            for entrant in 0..n {
                observe(&[(entrant, 1.0), (n, -1.0)], self.prior, self.prior / 2.0);
            }
        }
        for &k in pinned {
            gradient[k] = 0.0;
            information.pin(k);
        }
        (gradient, information)
    }
}

impl Model {
    /// The sums over all results.
    pub(super) fn seatings(self, results: &Results) -> Vec<Seating> {
        let of = |all: BTreeMap<(usize, usize), [f64; 3]>, seat: bool| {
            let seating = move |(seats, counts)| Seating::of_games(seats, counts, seat);
            all.into_iter().map(seating).collect::<Vec<_>>()
        };
        match self {
            Self::Games { seat } => of(results.by_seats(), seat),
            Self::Fair { seat } => [of(results.pairs_by_seats(), false), of(results.singles_by_seats(), seat)].concat(),
            Self::Biased => results.clusters().filter_map(Seating::of_biased_pair).collect(),
        }
    }
}

impl Seating {
    fn of_games((first, second): (usize, usize), [losses, draws, wins]: [f64; 3], seat: bool) -> Self {
        let seat = f64::from(u8::from(seat));
        Self { first, second, scale: 1.0, seat, games: losses + draws + wins, points: wins + draws / 2.0 }
    }

    fn of_biased_pair((Seats { first, second }, cluster, count): (Seats, Cluster, f64)) -> Option<Self> {
        let Cluster::Pair(one, two) = cluster else { return None };
        let [won, lost] = biased::shares(one, two);
        Some(Self { first, second, scale: biased::SCALE, seat: 0.0, games: count * (won + lost), points: count * won })
    }

    /// Whether each of the two has scored against the other.
    pub(super) fn scored(&self) -> [bool; 2] {
        [self.points > 0.0, self.points < self.games]
    }
}

impl Fit {
    /// Expected score of the first mover in a game by itself.
    pub(super) fn expected(&self, first: usize, second: usize) -> f64 {
        logistic(self.theta[first] - self.theta[second] + self.theta[self.entrants + 1])
    }

    /// The inverse information times a vector; 0 for pinned parameters.
    pub(super) fn direction(&self, weights: &[f64]) -> Vec<f64> {
        let mut along = self.inverse.times(weights);
        for &k in &self.pinned {
            along[k] = 0.0;
        }
        along
    }

    /// The part of the virtual draws in the information along a direction.
    pub(super) fn prior_part(&self, along: &[f64]) -> f64 {
        let n = self.entrants;
        let terms = (0..n).map(|k| {
            let (off, expected) = (along[k] - along[n], logistic(self.theta[k] - self.theta[n]));
            self.prior * expected * (1.0 - expected) * off * off
        });
        terms.sum()
    }

    /// Covariance of theta from the scatter of the clusters about their expectation (a sandwich): correct for any
    /// dependence between the games of a pair. The virtual draws scatter as games do, so that a few pairs that happen
    /// to be alike do not count as certainty; without any pairs the result is the prior's covariance.
    pub(super) fn clustered_covariance(&self, results: &Results) -> Matrix {
        let n = self.entrants;
        let mut scatter = Matrix::zero(n + 2);
        for (seats, cluster, count) in results.clusters() {
            let (both, seat) = self.off(seats, cluster);
            scatter.add_square(count, &[(seats.first, both), (seats.second, -both), (n + 1, seat)]);
        }
        for entrant in 0..n {
            let expected = logistic(self.theta[entrant] - self.theta[n]);
            scatter.add_square(self.prior * expected * (1.0 - expected), &[(entrant, 1.0), (n, -1.0)]);
        }
        self.covariance(scatter)
    }

    /// The deviation of a cluster from its expectation: in the equations of the two ratings, and in that of the first
    /// mover's advantage.
    fn off(&self, Seats { first, second }: Seats, cluster: Cluster) -> (f64, f64) {
        let off = |score: Score, expected: f64| f64::from(score.half_points()) / 2.0 - expected;
        let difference = self.theta[first] - self.theta[second];
        match (cluster, self.model) {
            (Cluster::Game(_), Model::Biased) => (0.0, 0.0),
            (Cluster::Game(score), _) => {
                let off = off(score, self.expected(first, second));
                (off, off)
            }
            (Cluster::Pair(one, two), Model::Biased) => {
                let [won, lost] = biased::shares(one, two);
                (biased::SCALE * (won - (won + lost) * logistic(biased::SCALE * difference)), 0.0)
            }
            (Cluster::Pair(one, two), _) => {
                (off(one, logistic(difference)) + off(two, 1.0 - logistic(-difference)), 0.0)
            }
        }
    }

    /// Covariance of theta if games are independent and `variance` is that of a game, given its expected score.
    pub(super) fn independent_covariance(&self, results: &Results, variance: impl Fn(f64) -> f64) -> Matrix {
        let n = self.entrants;
        let mut scatter = Matrix::zero(n + 2);
        for s in self.model.seatings(results) {
            let weight = s.games * variance(self.expected(s.first, s.second));
            scatter.add_square(weight, &[(s.first, 1.0), (s.second, -1.0), (n + 1, s.seat)]);
        }
        self.covariance(scatter)
    }

    /// Covariance of theta by the prior and independent games without draws: the inverse information.
    pub(super) fn prior_covariance(&self) -> Matrix {
        let mut zero = Matrix::zero(self.entrants + 2);
        let mut pinned = self.inverse.clone();
        for &k in &self.pinned {
            pinned.pin(k);
            zero.add(k, k, -1.0);
        }
        for k in 0..self.entrants + 2 {
            pinned.add(k, k, zero.at(k, k));
        }
        pinned
    }

    fn covariance(&self, mut scatter: Matrix) -> Matrix {
        for &k in &self.pinned {
            scatter.pin(k);
            scatter.add(k, k, -1.0);
        }
        self.inverse.sandwich(&scatter)
    }
}
