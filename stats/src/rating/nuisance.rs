//! The numbers that are fitted given the ratings, one at a time, without changing them: the draw rate between equals,
//! the value of moving first, the bias of the openings. Each has an interval by the evidence of the results
//! (`evidence`).

use super::ELO_PER_LOGIT;
use super::biased;
use super::draws;
use super::evidence::Sample;
use super::fit::{Fit, Model};
use super::results::{Cluster, Results, Seats};
use crate::counts::Score;
use crate::elo::logistic;
use crate::estimate::Estimate;
use crate::normal::Z95;
use std::collections::BTreeMap;

/// The maximum of advantage or bias considered, in logits.
const MOST_LOGITS: f64 = 40.0;
/// The bisections that reduce an interval of that size to the last digit.
const HALVINGS: u32 = 80;

/// The zero of a falling function.
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

/// Draws per game between equals, fitted to the number of draws; `None` without games, or if openings are biased,
/// because their effect on draws is unknown.
pub(super) fn draw_rate(results: &Results, fit: &Fit) -> Option<Estimate> {
    if fit.model == Model::Biased {
        return None;
    }
    let sample = tallied(results, 3, |cluster| match cluster {
        Cluster::Pair(one, two) => usize::from(one == Score::Draw) + usize::from(two == Score::Draw),
        Cluster::Game(score) => usize::from(score == Score::Draw),
    });
    let score = |kind: &Kind| expected_score(fit, kind.seats, kind.pair);
    let seen = || sample.iter().flatten();
    let games: Vec<(f64, f64)> = seen().map(|(kind, count)| (score(kind), kind.games() * count)).collect();
    if games.is_empty() {
        return None;
    }
    let value = draws::draw_rate(&games, seen().map(|(kind, count)| kind.index as f64 * count).sum());
    let sample = Sample::new(sample);
    let off = |kind: &Kind, d0: f64| kind.index as f64 - kind.games() * draws::draw_probability(score(kind), d0);
    Some(sample.ask(value, [0.0, 1.0], off).interval())
}

/// Expected score of the first of the two. In a pair each had the advantage of moving first once.
fn expected_score(fit: &Fit, Seats { first, second }: Seats, pair: bool) -> f64 {
    match (pair, fit.model) {
        (true, Model::Fair { .. } | Model::Biased) => logistic(fit.theta[first] - fit.theta[second]),
        _ => fit.expected(first, second),
    }
}

/// A possible result between two entrants in their seats: a pair or a game, with one of a few outcomes.
#[derive(Debug, Clone, Copy)]
struct Kind {
    seats: Seats,
    pair: bool,
    index: usize,
}

impl Kind {
    fn games(&self) -> f64 {
        if self.pair { 2.0 } else { 1.0 }
    }
}

/// How often each kind occurred among entrants that met, one group for each two and their seats. `index` numbers the
/// outcomes of a cluster: `of_pair` for a pair, half as many, rounded up, for a game.
fn tallied(results: &Results, of_pair: usize, index: impl Fn(Cluster) -> usize) -> Vec<Vec<(Kind, f64)>> {
    let of_game = of_pair.div_ceil(2);
    let mut all: BTreeMap<(usize, usize, bool), Vec<f64>> = BTreeMap::new();
    for (Seats { first, second }, cluster, count) in results.clusters() {
        let pair = matches!(cluster, Cluster::Pair(..));
        let counts =
            all.entry((first, second, pair)).or_insert_with(|| vec![0.0; if pair { of_pair } else { of_game }]);
        counts[index(cluster)] += count;
    }
    let group = |((first, second, pair), counts): ((usize, usize, bool), Vec<f64>)| {
        let kind = |(index, count)| (Kind { seats: Seats { first, second }, pair, index }, count);
        counts.into_iter().enumerate().map(kind).collect()
    };
    all.into_iter().map(group).collect()
}

/// The first mover's advantage in Elo, fitted to the points of all first movers. `None` if first movers scored all or
/// nothing.
pub(super) fn first_mover(results: &Results, fit: &Fit) -> Option<Estimate> {
    // In half points.
    let seen = tallied(results, 5, |cluster| match cluster {
        Cluster::Pair(one, two) => (one.half_points() + two.mirror().half_points()) as usize,
        Cluster::Game(score) => score.half_points() as usize,
    });
    let all = || seen.iter().flatten();
    let games: f64 = all().map(|(kind, count)| kind.games() * count).sum();
    let points: f64 = all().map(|(kind, count)| kind.index as f64 / 2.0 * count).sum();
    if !(points > 0.0 && points < games) {
        return None;
    }
    let off = |kind: &Kind, advantage: f64| {
        let difference = fit.theta[kind.seats.first] - fit.theta[kind.seats.second];
        let twin = if kind.pair { logistic(advantage - difference) } else { 0.0 };
        kind.index as f64 / 2.0 - logistic(difference + advantage) - twin
    };
    let left = |advantage: f64| all().map(|(kind, count)| count * off(kind, advantage)).sum();
    let advantage = root(left, -MOST_LOGITS, MOST_LOGITS);
    let sample = Sample::new(seen.clone());
    let question = sample.ask(advantage, [-MOST_LOGITS, MOST_LOGITS], off);
    let estimate = if question.ordinary {
        Estimate::normal(advantage, seat_error(&seen, fit, advantage, off))
    } else {
        open_ended(question.interval())
    };
    Some(estimate.map(|x| x * ELO_PER_LOGIT))
}

/// Standard error of the first mover's advantage, in logits: from the scatter of whole pairs, and the slope of their
/// expectation.
fn seat_error(seen: &[Vec<(Kind, f64)>], fit: &Fit, advantage: f64, off: impl Fn(&Kind, f64) -> f64) -> f64 {
    let (mut slope, mut scatter) = (0.0, 0.0);
    for (kind, count) in seen.iter().flatten() {
        let difference = fit.theta[kind.seats.first] - fit.theta[kind.seats.second];
        let steep = |d: f64| {
            let expected = logistic(d + advantage);
            expected * (1.0 - expected)
        };
        let off = off(kind, advantage);
        scatter += count * off * off;
        slope += count * (steep(difference) + if kind.pair { steep(-difference) } else { 0.0 });
    }
    scatter.sqrt() / slope
}

/// Replaces ends at the limit of the search by infinity, because no value was refuted up to there.
fn open_ended(estimate: Estimate) -> Estimate {
    let end = |x: f64| if x.abs() > MOST_LOGITS - 1e-6 { f64::INFINITY.copysign(x) } else { x };
    estimate.map(end)
}

/// The bias in Elo that, if every opening had it in favour of either seat, would produce as many pairs without two wins
/// or two losses as there are; 0 if there are fewer, infinite if there is no other pair. `None` without pairs.
pub(super) fn opening_bias(results: &Results, fit: &Fit) -> Option<Estimate> {
    // In half trials.
    let seen = tallied(results, 3, |cluster| match cluster {
        Cluster::Pair(one, two) => (2.0 * biased::shares(one, two).iter().sum::<f64>()) as usize,
        Cluster::Game(_) => 0,
    });
    let groups = seen.into_iter().filter(|group| group.iter().all(|(kind, _)| kind.pair));
    let groups: Vec<Vec<(Kind, f64)>> = groups.collect();
    let pairs = || groups.iter().flatten();
    let difference = |kind: &Kind| fit.theta[kind.seats.first] - fit.theta[kind.seats.second];
    let off = |kind: &Kind, bias: f64| biased::expected_trials(difference(kind), bias) - kind.index as f64 / 2.0;
    let excess = |bias: f64| pairs().map(|(kind, count)| count * off(kind, bias)).sum::<f64>();
    let with = |more: f64| if excess(0.0) <= more { 0.0 } else { root(|bias| excess(bias) - more, 0.0, MOST_LOGITS) };
    let value = with(0.0);
    let sample = Sample::new(groups.clone());
    if sample.is_empty() {
        return None;
    }
    let question = sample.ask(value, [0.0, MOST_LOGITS], off);
    let estimate = if question.ordinary {
        let squares = pairs().map(|(kind, count)| count * off(kind, value) * off(kind, value));
        let error = Z95 * squares.sum::<f64>().sqrt();
        Estimate { value, low: with(error), high: with(-error) }
    } else {
        question.interval()
    };
    Some(open_ended(estimate).map(|bias| bias * ELO_PER_LOGIT))
}
