//! The estimating equations of the ratings: for each entrant, expected points equal obtained points; for all games together,
//! the first movers' expected points equal theirs.
//!
//! These are the likelihood equations of the Bradley-Terry model with a draw as half a win and half a loss, so they have one
//! solution and Newton's method finds it; yet they hold whatever the draw model, so their solution is consistent without
//! one. A prior of virtual draws against the centre of the pool keeps it finite.

use super::RatingError;
use super::matrix::Matrix;
use super::results::{Cluster, Results, Seats};
use std::collections::BTreeMap;

/// Newton steps allowed; each gains, so this is never reached.
const MAX_STEPS: usize = 200;
/// A step of this many logits changes nothing any more.
const LAST_STEP: f64 = 1e-11;
/// No step moves a parameter by more logits than this.
const LONGEST_STEP: f64 = 2.0;

/// How to fit.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    /// Virtual draws of each entrant against the centre of the pool.
    pub(super) prior: f64,
    /// Entrants whose rating is given, in logits.
    pub(super) anchors: BTreeMap<usize, f64>,
    /// Whether the first mover may have an advantage.
    pub(super) first_mover: bool,
}

/// A solution, in logits.
#[derive(Debug, Clone)]
pub(super) struct Fit {
    /// Ratings, then the centre of the pool, then the first mover's advantage.
    pub(super) theta: Vec<f64>,
    /// Inverse of the information about theta; zero for what is pinned.
    pub(super) inverse: Matrix,
    entrants: usize,
    pinned: Vec<usize>,
    prior: f64,
}

/// All games of one seating.
#[derive(Debug, Clone, Copy)]
struct Seating {
    first: usize,
    second: usize,
    games: f64,
    points: f64,
}

pub(super) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// ln(1 + e^x) without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

impl Problem {
    /// Solves the equations.
    pub(super) fn solve(&self, results: &Results) -> Result<Fit, RatingError> {
        let n = results.entrants();
        let seatings = seatings(results);
        let pinned = self.pinned(n, !seatings.is_empty());
        let mut theta = vec![0.0; n + 2];
        for (&entrant, &rating) in &self.anchors {
            theta[entrant] = rating;
        }
        for _ in 0..MAX_STEPS {
            let (gradient, information) = self.equations(&theta, &seatings, &pinned);
            let inverse = information.inverse().ok_or(RatingError::NotComparable)?;
            let step = inverse.times(&gradient);
            let longest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
            if longest < LAST_STEP {
                return Ok(Fit { theta, inverse, entrants: n, pinned, prior: self.prior });
            }
            theta = self.ascend(&theta, &step, (LONGEST_STEP / longest).min(1.0), &seatings);
        }
        Err(RatingError::NotComparable)
    }

    /// What is not fitted: anchors, an advantage not asked for or never seen, and the origin where nothing else fixes it.
    fn pinned(&self, n: usize, played: bool) -> Vec<usize> {
        let mut pinned: Vec<usize> = self.anchors.keys().copied().collect();
        let floating = self.anchors.is_empty();
        if floating && self.prior <= 0.0 {
            pinned.push(0);
        }
        if floating || self.prior <= 0.0 {
            pinned.push(n);
        }
        if !(self.first_mover && played) {
            pinned.push(n + 1);
        }
        pinned
    }

    /// Along the step, halved until the likelihood does not fall.
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
            let x = theta[s.first] - theta[s.second] + theta[n + 1];
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
            observe(&[(s.first, 1.0), (s.second, -1.0), (n + 1, 1.0)], s.games, s.points);
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

fn seatings(results: &Results) -> Vec<Seating> {
    let all = results.by_seats();
    all.iter()
        .map(|(&(first, second), [losses, draws, wins])| Seating {
            first,
            second,
            games: losses + draws + wins,
            points: wins + draws / 2.0,
        })
        .collect()
}

impl Fit {
    /// Expected score of the first mover.
    pub(super) fn expected(&self, first: usize, second: usize) -> f64 {
        logistic(self.theta[first] - self.theta[second] + self.theta[self.entrants + 1])
    }

    /// Covariance of theta from the scatter of the clusters about their expectation (a sandwich): right however the games of a
    /// pair depend on each other. The virtual draws scatter as games do, so that a few pairs that happen to be alike do not pass for
    /// certainty; without any pairs that is the prior's covariance.
    pub(super) fn clustered_covariance(&self, results: &Results) -> Matrix {
        let n = self.entrants;
        let mut scatter = Matrix::zero(n + 2);
        for (Seats { first, second }, cluster, count) in results.clusters() {
            let off = |score: crate::Score, expected: f64| f64::from(score.half_points()) / 2.0 - expected;
            let going_first = self.expected(first, second);
            let (both, seat) = match cluster {
                Cluster::Game(score) => {
                    let off = off(score, going_first);
                    (off, off)
                }
                Cluster::Pair(one, two) => {
                    let one = off(one, going_first);
                    let two = off(two, 1.0 - self.expected(second, first));
                    (one + two, one - two)
                }
            };
            scatter.add_square(count, &[(first, both), (second, -both), (n + 1, seat)]);
        }
        for entrant in 0..n {
            let expected = logistic(self.theta[entrant] - self.theta[n]);
            scatter.add_square(self.prior * expected * (1.0 - expected), &[(entrant, 1.0), (n, -1.0)]);
        }
        self.covariance(scatter)
    }

    /// Covariance of theta when games are independent and `variance` is that of a game, given its expected score.
    pub(super) fn independent_covariance(&self, results: &Results, variance: impl Fn(f64) -> f64) -> Matrix {
        let n = self.entrants;
        let mut scatter = Matrix::zero(n + 2);
        for s in seatings(results) {
            let weight = s.games * variance(self.expected(s.first, s.second));
            scatter.add_square(weight, &[(s.first, 1.0), (s.second, -1.0), (n + 1, 1.0)]);
        }
        self.covariance(scatter)
    }

    /// Covariance of theta as the prior and independent games without draws would have it: the inverse information.
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
