//! Ratings of many engines from their games against each other.
//!
//! [`rate`] fits expected to obtained points (Bradley-Terry, draws as half a win; see `fit`), with a weak prior, and
//! takes the covariance from the scatter of whole pairs, so that two games from one opening do not count as two
//! independent ones. If results are few, alike or lopsided, their scatter says little, and intervals come from the
//! values that they refute (`evidence`, `contrast`). Two entrants that played pairs are a match: their difference, its
//! interval and its probability are those of [`crate::Summary`]. Points of biased openings are too near to one half;
//! [`Openings::Biased`] removes each opening's bias from its pair (see `biased`). The draw rate, the first mover's
//! advantage and the openings' bias are fitted given the ratings (`nuisance`). [`ordo`] reproduces the ratings of Ordo.
//! [`Design`] chooses what to play next, and [`Parabola`] fits ratings as a function of a number.
//!
//! Cost: one small term per seating for each Newton step, and a few cubes of the number of entrants; never per game.

mod biased;
mod contrast;
mod design;
mod draws;
mod evidence;
mod fit;
mod groups;
mod maximum;
mod nuisance;
pub mod ordo;
mod parabola;
mod ranking;
mod results;

pub use design::{Design, Pairing};
pub use parabola::{LEAST_POINTS, Parabola};
pub use ranking::Ranked;
pub use results::{PairTable, Results};

use crate::counts::CountsError;
use crate::estimate::{Estimate, Summary};
use crate::matrix::Matrix;
use crate::normal;
use contrast::{Answer, Contrast, Met};
use evidence::Sample;
use fit::{Fit, Model, Problem};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::f64::consts::LN_10;
use thiserror::Error;

/// Logistic Elo of one logit.
const ELO_PER_LOGIT: f64 = 400.0 / LN_10;
/// The largest rating an anchor may have.
const MAX_ANCHOR: f64 = 1e5;

/// The reason why there are no ratings.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum RatingError {
    /// An index that belongs to no entrant.
    #[error("entrant {entrant} does not exist: expected a number below {entrants}")]
    UnknownEntrant {
        /// The given index.
        entrant: usize,
        /// The number of entrants.
        entrants: usize,
    },
    /// A game of an entrant against itself.
    #[error("entrant {0} plays itself: expected two different entrants")]
    PlaysItself(usize),
    /// The counts are too large.
    #[error(transparent)]
    Counts(#[from] CountsError),
    /// The virtual draws are too few to keep all numbers finite, or too many to matter.
    #[error("the prior is {0} virtual draws: expected more than 0 and at most 100")]
    Prior(f64),
    /// An anchor that is not a valid rating.
    #[error("the anchor of entrant {entrant} is {rating}: expected a number from -{MAX_ANCHOR} to {MAX_ANCHOR}")]
    Anchor {
        /// The anchored entrant.
        entrant: usize,
        /// Its rating.
        rating: f64,
    },
    /// Games without pairs, if only pairs count.
    #[error(
        "entrant {0} played no pair: the bias of openings shows only in pairs, two games from one opening with the \
            seats swapped"
    )]
    Unpaired(usize),
    /// Without a prior: an entrant scored all or nothing, or there are groups that no two-sided results connect.
    #[error(
        "some entrants cannot be compared: expected draws, or wins in both directions, between any two groups of \
        entrants"
    )]
    NotComparable,
}

/// The assumed value of openings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Openings {
    /// Zero: ratings explain the points. If openings favour one seat, the ratings are closer together than the entrants
    /// would be from fair openings.
    #[default]
    Fair,
    /// Any value for each opening, equal in both games of its pair: ratings explain the points of pairs from fair
    /// openings. Single games are ignored.
    Biased,
}

/// The assumptions besides the results.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingSettings {
    /// Virtual draws of each entrant against the centre of the pool, more than 0.
    pub prior_draws: f64,
    /// Known ratings, in Elo. Without any, the mean of all ratings is 0.
    pub anchors: Vec<(usize, f64)>,
    /// Whether the advantage of the first mover is fitted instead of assumed 0. Ratings depend on it only in single
    /// games: in a pair each entrant has it once.
    pub first_mover: bool,
    /// Whether openings may be biased.
    pub openings: Openings,
}

impl Default for RatingSettings {
    /// One virtual draw, no anchor, with first-mover advantage, fair openings: spar's defaults everywhere.
    fn default() -> Self {
        Self { prior_draws: 1.0, anchors: Vec::new(), first_mover: true, openings: Openings::Fair }
    }
}

/// Whether an entrant's results bound its rating on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It scored, and was scored against.
    Bounded,
    /// It scored every point: its rating is a lower bound that the prior keeps finite.
    AllWon,
    /// It scored none: its rating is an upper bound that the prior keeps finite.
    AllLost,
    /// It did not play: its rating is the prior's.
    NoGames,
}

/// One entrant's rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// Logistic Elo, relative to the anchors, or to the mean of the pool. The value is finite; an end of the interval
    /// is infinite if results bound the rating on one side alone.
    pub elo: Estimate,
    /// Points scored.
    pub points: f64,
    /// Games played.
    pub games: f64,
    /// Whether its results bound the rating on both sides.
    pub standing: Standing,
    /// The group: entrants of the same group can be compared by their results, those of different groups only through
    /// the prior.
    pub group: usize,
}

/// The method for the errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorModel {
    /// From whole pairs: their scatter, or the values that they refute if they are few or alike.
    Clustered,
    /// From the prior and the model, because some ratings are determined by the prior alone and scatter says nothing
    /// about them.
    Prior,
}

/// Ratings of a pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// The ratings, by index of the entrant.
    pub entrants: Vec<Rating>,
    /// Advantage of the first mover in Elo; `None` if not fitted, or if the games do not determine it, as when first
    /// movers won all.
    pub first_mover: Option<Estimate>,
    /// Draws per game between equals, 0 to 1; `None` without games, or if openings may be biased.
    pub draw_rate: Option<Estimate>,
    /// Typical bias of an opening in Elo, 0 or more, in favour of either seat and including the first mover's
    /// advantage; infinite if no pair refutes any, and `None` without pairs.
    pub opening_bias: Option<Estimate>,
    /// The number of groups that cannot be compared by their results. If there are several, the differences between
    /// them are the prior's.
    pub groups: usize,
    /// The method for the intervals.
    pub errors: ErrorModel,
    /// The input of ladder planning: the ratings with their prior, in Elo, and their covariance by scatter or by the
    /// prior. Stored ladders were planned like this, and their proposals must not change.
    planned: Vec<f64>,
    covariance: Matrix,
    evidence: Evidence,
}

/// The source of the intervals of differences.
#[derive(Debug, Clone, PartialEq)]
enum Evidence {
    /// The covariance alone.
    Prior,
    /// The match of two entrants: the difference of the first to the second in Elo, and the probability that the first
    /// is stronger.
    Match(Estimate, f64),
    /// The values that results refute, if they are not an ordinary sample.
    Pool(Box<Fit>, Sample<Met>),
    /// The covariance between groups; within a group its own games.
    Groups(Vec<Ratings>, Vec<Member>),
}

/// The position of an entrant in its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Member {
    group: usize,
    number: usize,
}

/// Fits the ratings.
///
/// # Errors
/// [`RatingError`] for settings out of range, and [`RatingError::Unpaired`] if openings may be biased.
pub fn rate(results: &Results, settings: &RatingSettings) -> Result<Ratings, RatingError> {
    let fit = settings.fit(results)?;
    let group = groups::groups(results, fit.model);
    let groups = group.iter().max().map_or(0, |g| g + 1);
    let two = results.entrants() == 2 && !results.is_empty();
    let (errors, covariance) = if groups > 1 {
        (if two { ErrorModel::Clustered } else { ErrorModel::Prior }, fit.prior_covariance())
    } else {
        (ErrorModel::Clustered, fit.clustered_covariance(results))
    };
    let n = results.entrants();
    let centre = settings.anchors.is_empty() && n > 0;
    let covariance = relative(&covariance, n, centre);
    let planned = centred(&fit.theta[..n], centre);
    // Two entrants are compared by their own games; there is no pool to shrink them to.
    let fit = if two { settings.without_prior(results, fit.model).unwrap_or(fit) } else { fit };
    let evidence = match errors {
        ErrorModel::Prior => of_groups(results, settings, &group),
        ErrorModel::Clustered => evidence(results, &fit),
    };
    let mut ratings = Ratings {
        entrants: Vec::new(),
        first_mover: None,
        draw_rate: nuisance::draw_rate(results, &fit),
        opening_bias: nuisance::opening_bias(results, &fit),
        groups,
        errors,
        planned,
        covariance,
        evidence,
    };
    ratings.first_mover = ratings.first_mover_of(results, &fit);
    ratings.entrants = ratings.rated(results, &fit, settings, &group);
    Ok(ratings)
}

/// Rates each group by itself, if possible.
fn of_groups(results: &Results, settings: &RatingSettings, group: &[usize]) -> Evidence {
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut places = Vec::with_capacity(group.len());
    for (entrant, at) in group.iter().enumerate() {
        members.resize_with(members.len().max(at + 1), Vec::new);
        places.push(Member { group: *at, number: members[*at].len() });
        members[*at].push(entrant);
    }
    let settings = RatingSettings { anchors: Vec::new(), ..settings.clone() };
    let ratings = members.iter().map(|all| rate(&results.among(all), &settings));
    ratings.collect::<Result<_, _>>().map_or(Evidence::Prior, |ratings| Evidence::Groups(ratings, places))
}

fn evidence(results: &Results, fit: &Fit) -> Evidence {
    match (results.as_match(), fit.model) {
        (Some(counts), Model::Fair { .. }) => {
            let summary = Summary::of_pairs(&counts);
            summary.elo.map_or(Evidence::Prior, |elo| Evidence::Match(elo, summary.los))
        }
        _ if results.is_empty() => Evidence::Prior,
        _ => Evidence::Pool(Box::new(fit.clone()), contrast::kinds(results, fit.model)),
    }
}

/// Converts to Elo, relative to the mean if no entrant is anchored.
fn centred(theta: &[f64], centre: bool) -> Vec<f64> {
    let mean = if centre { theta.iter().sum::<f64>() / theta.len() as f64 } else { 0.0 };
    theta.iter().map(|t| (t - mean) * ELO_PER_LOGIT).collect()
}

impl Ratings {
    /// The advantage fitted together with the ratings if all games are single, else given the ratings.
    fn first_mover_of(&self, results: &Results, fit: &Fit) -> Option<Estimate> {
        let Model::Fair { seat: true } = fit.model else { return None };
        let seat = results.entrants() + 1;
        if results.has_pairs() || results.is_empty() {
            return nuisance::first_mover(results, fit);
        }
        let mut weights = vec![0.0; seat + 1];
        weights[seat] = 1.0;
        let normal = Estimate::normal(fit.theta[seat] * ELO_PER_LOGIT, deviation(self.covariance.at(seat, seat)));
        Some(self.answer(&weights).map_or(normal, |answer| answer.estimate.map(|x| x * ELO_PER_LOGIT)))
    }

    fn rated(&self, results: &Results, fit: &Fit, settings: &RatingSettings, group: &[usize]) -> Vec<Rating> {
        let n = results.entrants();
        let centre = settings.anchors.is_empty();
        let (values, tallies) = (centred(&fit.theta[..n], centre), tallies(results));
        let rating = |k: usize| {
            let (points, games) = tallies[k];
            let normal = Estimate::normal(values[k], deviation(self.covariance.at(k, k)));
            let anchored = settings.anchors.iter().any(|(anchor, _)| *anchor == k);
            let elo = if anchored { normal } else { self.rating(k, normal, settings) };
            Rating { elo, points, games, standing: standing(points, games), group: group[k] }
        };
        (0..n).map(rating).collect()
    }

    /// The rating of an entrant that is not anchored, in Elo, with `normal` as its normal interval.
    fn rating(&self, k: usize, normal: Estimate, settings: &RatingSettings) -> Estimate {
        let n = self.planned.len();
        match &self.evidence {
            Evidence::Prior | Evidence::Groups(..) => normal,
            Evidence::Match(difference, _) => {
                let ahead = if k == 0 { *difference } else { difference.negate() };
                let anchor = settings.anchors.first().map(|(_, elo)| *elo);
                let estimate = ahead.map(|d| anchor.map_or(d / 2.0, |elo| elo + d));
                // An entrant that won every game has no finite rating but the prior's.
                let value = if estimate.value.is_finite() {
                    estimate.value
                } else {
                    normal.value.clamp(estimate.low, estimate.high)
                };
                Estimate { value, ..estimate }
            }
            Evidence::Pool(..) => {
                let mean = if settings.anchors.is_empty() { 1.0 / n as f64 } else { 0.0 };
                let mut weights = vec![0.0; n + 2];
                weights[..n].iter_mut().for_each(|w| *w = -mean);
                weights[k] += 1.0;
                self.answer(&weights).map_or(normal, |answer| around(normal.value, answer.estimate))
            }
        }
    }

    /// The evidence of results about a contrast of the parameters; `None` if the covariance suffices.
    fn answer(&self, weights: &[f64]) -> Option<Answer> {
        let Evidence::Pool(fit, sample) = &self.evidence else { return None };
        Contrast::new(fit, weights).answer(sample)
    }
}

/// A value in Elo with the ends of an interval in logits.
fn around(value: f64, interval: Estimate) -> Estimate {
    let [low, high] = [interval.low, interval.high].map(|x| x * ELO_PER_LOGIT);
    Estimate { value, low: low.min(value), high: high.max(value) }
}

impl RatingSettings {
    /// Fits with the first mover's advantage, unless no finite one fits, as when one seat won every game.
    fn fit(&self, results: &Results) -> Result<Fit, RatingError> {
        let problem = self.problem(results)?;
        match (problem.solve(results), problem.model) {
            (Err(RatingError::NotComparable), Model::Fair { seat: true }) => {
                Problem { model: Model::Fair { seat: false }, ..problem }.solve(results)
            }
            (fitted, _) => fitted,
        }
    }

    /// Fits by the results alone; `None` if they leave something undetermined.
    fn without_prior(&self, results: &Results, model: Model) -> Option<Fit> {
        let problem = self.problem(results).ok()?;
        Problem { prior: 0.0, model, ..problem }.solve(results).ok()
    }

    fn model(&self, results: &Results) -> Result<Model, RatingError> {
        match self.openings {
            Openings::Fair => Ok(Model::Fair { seat: self.first_mover }),
            Openings::Biased => {
                results.unpaired().map_or(Ok(Model::Biased), |entrant| Err(RatingError::Unpaired(entrant)))
            }
        }
    }

    fn problem(&self, results: &Results) -> Result<Problem, RatingError> {
        if !(self.prior_draws > 0.0 && self.prior_draws <= 100.0) {
            return Err(RatingError::Prior(self.prior_draws));
        }
        let mut anchors = BTreeMap::new();
        for &(entrant, rating) in &self.anchors {
            let entrants = results.entrants();
            if entrant >= entrants {
                return Err(RatingError::UnknownEntrant { entrant, entrants });
            }
            if !(-MAX_ANCHOR..=MAX_ANCHOR).contains(&rating) {
                return Err(RatingError::Anchor { entrant, rating });
            }
            anchors.insert(entrant, rating / ELO_PER_LOGIT);
        }
        Ok(Problem { prior: self.prior_draws, anchors, model: self.model(results)? })
    }
}

impl Ratings {
    /// Difference of two ratings in Elo, `one` less `two`; `None` if either does not exist. An end is infinite if
    /// results bound the difference on one side alone.
    pub fn difference(&self, one: usize, two: usize) -> Option<Estimate> {
        let value = self.entrants.get(one)?.elo.value - self.entrants.get(two)?.elo.value;
        Some(match &self.evidence {
            Evidence::Match(difference, _) if one != two && self.scatter(one, two) > 0.0 => {
                let estimate = if one == 0 { *difference } else { difference.negate() };
                Estimate { value, low: estimate.low.min(value), high: estimate.high.max(value) }
            }
            Evidence::Groups(groups, members) if one != two && members[one].group == members[two].group => {
                let estimate = groups[members[one].group].difference(members[one].number, members[two].number)?;
                Estimate { value, low: estimate.low.min(value), high: estimate.high.max(value) }
            }
            _ => match self.answer(&self.weights(one, two)) {
                Some(answer) => around(value, answer.estimate),
                None => Estimate::normal(value, self.scatter(one, two)),
            },
        })
    }

    /// The difference by the scatter of pairs alone, which is unreliable for few pairs. Ladders are planned by it.
    pub fn by_scatter(&self, one: usize, two: usize) -> Option<Estimate> {
        let value = self.planned.get(one)? - self.planned.get(two)?;
        Some(Estimate::normal(value, self.scatter(one, two)))
    }

    /// Standard error of a difference, in Elo.
    fn scatter(&self, one: usize, two: usize) -> f64 {
        let c = &self.covariance;
        deviation(c.at(one, one) + c.at(two, two) - 2.0 * c.at(one, two))
    }

    /// Probability that `one` is stronger than `two`, 0 to 1; 1/2 for an entrant and itself. `None` if either does not
    /// exist.
    pub fn superiority(&self, one: usize, two: usize) -> Option<f64> {
        let value = self.entrants.get(one)?.elo.value - self.entrants.get(two)?.elo.value;
        if one > two {
            return self.superiority(two, one).map(|los| 1.0 - los);
        }
        let error = self.scatter(one, two);
        Some(match &self.evidence {
            _ if one == two || error <= 0.0 => known_los(value),
            Evidence::Match(_, los) => *los,
            Evidence::Groups(groups, members) if members[one].group == members[two].group => {
                groups[members[one].group].superiority(members[one].number, members[two].number)?
            }
            _ => self
                .answer(&self.weights(one, two))
                .map_or_else(|| normal::cdf(value / error), |answer| answer.above_zero),
        })
    }

    fn weights(&self, one: usize, two: usize) -> Vec<f64> {
        let mut weights = vec![0.0; self.planned.len() + 2];
        weights[one] += 1.0;
        weights[two] -= 1.0;
        weights
    }

    /// The probability that the first of two entrants (the row) is stronger; 1/2 on the diagonal.
    pub fn los(&self) -> Vec<Vec<f64>> {
        let n = self.entrants.len();
        (0..n).map(|one| (0..n).map(|two| self.superiority(one, two).unwrap_or(0.5)).collect()).collect()
    }
}

/// Probability that a difference known without error (to itself, or between anchors) is positive.
fn known_los(difference: f64) -> f64 {
    match difference.total_cmp(&0.0) {
        Ordering::Less => 0.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 1.0,
    }
}

/// Standard deviation in Elo from a variance in Elo.
fn deviation(variance: f64) -> f64 {
    variance.max(0.0).sqrt()
}

/// Covariance in Elo; if no entrant is anchored, that of the ratings relative to their mean.
fn relative(covariance: &Matrix, n: usize, centre: bool) -> Matrix {
    let size = n + 2;
    let row_mean = |i: usize| (0..n).map(|j| covariance.at(i, j)).sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..size).map(|i| if centre { row_mean(i) } else { 0.0 }).collect();
    let all = if centre { means[..n].iter().sum::<f64>() / n as f64 } else { 0.0 };
    let mut out = Matrix::zero(size);
    for i in 0..size {
        for j in 0..size {
            let (mi, mj) = (f64::from(u8::from(i < n)), f64::from(u8::from(j < n)));
            let x = covariance.at(i, j) - mj * means[i] - mi * means[j] + mi * mj * all;
            out.add(i, j, x * ELO_PER_LOGIT * ELO_PER_LOGIT);
        }
    }
    out
}

fn standing(points: f64, games: f64) -> Standing {
    if games <= 0.0 {
        Standing::NoGames
    } else if points >= games {
        Standing::AllWon
    } else if points <= 0.0 {
        Standing::AllLost
    } else {
        Standing::Bounded
    }
}

/// Points and games of each entrant.
fn tallies(results: &Results) -> Vec<(f64, f64)> {
    let mut all = vec![(0.0, 0.0); results.entrants()];
    for (&(first, second), [losses, draws, wins]) in &results.by_seats() {
        for (entrant, points) in [(first, wins + draws / 2.0), (second, losses + draws / 2.0)] {
            all[entrant].0 += points;
            all[entrant].1 += losses + draws + wins;
        }
    }
    all
}
