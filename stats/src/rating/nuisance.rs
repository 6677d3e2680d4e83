//! What is fitted given the ratings, one number at a time, and changes them no more: how often equals draw, what moving first
//! is worth, how biased the openings are.

use super::ELO_PER_LOGIT;
use super::biased;
use super::draws;
use super::fit::{Fit, Model};
use super::results::{Cluster, Results, Seats};
use crate::counts::Score;
use crate::elo::logistic;
use crate::estimate::Estimate;
use crate::normal::Z95;
use std::collections::BTreeMap;

/// No advantage or bias beyond so many logits is looked for.
const MOST_LOGITS: f64 = 40.0;
/// Halvings of an interval of that size that reach the last digit.
const HALVINGS: u32 = 80;

/// Where a falling function crosses 0.
fn root(falling: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if falling(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Draws per game between equals, fitted to the number of draws; `None` without games, or where openings are biased: what they
/// take from the draws is not known.
pub(super) fn draw_rate(results: &Results, fit: &Fit) -> Option<f64> {
    let games: Vec<(f64, f64)> = match fit.model {
        Model::Biased => return None,
        Model::Games { .. } => expected(results.by_seats(), |one, two| fit.expected(one, two)),
        Model::Fair { .. } => {
            let pairs = expected(results.pairs_by_seats(), |one, two| logistic(fit.theta[one] - fit.theta[two]));
            [pairs, expected(results.singles_by_seats(), |one, two| fit.expected(one, two))].concat()
        }
    };
    let drawn = results.by_seats().values().map(|[_, draws, _]| draws).sum();
    (!games.is_empty()).then(|| draws::draw_rate(&games, drawn))
}

/// Expected scores, and the number of games.
fn expected(seats: BTreeMap<(usize, usize), [f64; 3]>, score: impl Fn(usize, usize) -> f64) -> Vec<(f64, f64)> {
    seats.into_iter().map(|((one, two), counts)| (score(one, two), counts.iter().sum())).collect()
}

/// The first mover's advantage in Elo, fitted to the points of all first movers; its error is from the scatter of whole pairs.
/// `None` where first movers scored all or nothing.
pub(super) fn first_mover(results: &Results, fit: &Fit) -> Option<Estimate> {
    let seats = results.by_seats();
    let games: f64 = seats.values().flatten().sum();
    let points: f64 = seats.values().map(|[_, draws, wins]| wins + draws / 2.0).sum();
    if !(points > 0.0 && points < games) {
        return None;
    }
    let difference = |one: usize, two: usize| fit.theta[one] - fit.theta[two];
    let left = |advantage: f64| {
        let terms = seats
            .iter()
            .map(|(&(one, two), counts)| counts.iter().sum::<f64>() * logistic(difference(one, two) + advantage));
        points - terms.sum::<f64>()
    };
    let advantage = root(left, -MOST_LOGITS, MOST_LOGITS);
    let error = seat_error(results, difference, advantage);
    Some(Estimate::normal(advantage * ELO_PER_LOGIT, error * ELO_PER_LOGIT))
}

/// Standard error of the first mover's advantage, in logits: by how much whole pairs scatter, and how steeply their expectation rises.
fn seat_error(results: &Results, difference: impl Fn(usize, usize) -> f64, advantage: f64) -> f64 {
    let share = |score: Score| f64::from(score.half_points()) / 2.0;
    let (mut slope, mut scatter) = (0.0, 0.0);
    for (Seats { first, second }, cluster, count) in results.clusters() {
        let [one, two] = [difference(first, second), difference(second, first)].map(|d| logistic(d + advantage));
        let (off, steep) = match cluster {
            Cluster::Game(score) => (share(score) - one, one * (1.0 - one)),
            Cluster::Pair(a, b) => (share(a) - one + share(b.mirror()) - two, one * (1.0 - one) + two * (1.0 - two)),
        };
        scatter += count * off * off;
        slope += count * steep;
    }
    scatter.sqrt() / slope
}

/// The bias in Elo that, were it every opening's, in favour of either seat, would leave as many pairs without two wins or two
/// losses as there are; 0 where there are fewer. Its interval is from the scatter of that number. `None` without pairs.
pub(super) fn opening_bias(results: &Results, fit: &Fit) -> Option<Estimate> {
    let pairs: Vec<(f64, f64, f64)> = results.clusters().filter_map(|seen| trials_of_pair(fit, seen)).collect();
    let trials: f64 = pairs.iter().map(|(_, n, trials)| n * trials).sum();
    let excess = |bias: f64| pairs.iter().map(|&(d, n, _)| n * biased::expected_trials(d, bias)).sum::<f64>() - trials;
    let with = |more: f64| if excess(0.0) <= more { 0.0 } else { root(|bias| excess(bias) - more, 0.0, MOST_LOGITS) };
    let value = with(0.0);
    let square = |&(d, n, trials): &(f64, f64, f64)| {
        let off = trials - biased::expected_trials(d, value);
        n * off * off
    };
    let error = Z95 * pairs.iter().map(square).sum::<f64>().sqrt();
    let estimate = Estimate { value, low: with(error), high: with(-error) };
    (!pairs.is_empty()).then(|| estimate.map(|bias| bias * ELO_PER_LOGIT))
}

/// The difference of the two in logits, how many such pairs there are, and the trials that each of them counts as.
fn trials_of_pair(fit: &Fit, (seats, cluster, count): (Seats, Cluster, f64)) -> Option<(f64, f64, f64)> {
    let Cluster::Pair(one, two) = cluster else { return None };
    let difference = fit.theta[seats.first] - fit.theta[seats.second];
    Some((difference, count, biased::shares(one, two).iter().sum()))
}
