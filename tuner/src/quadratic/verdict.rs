//! The uncertainty of the answer: standard errors of the optima, the gain over the start and the expected regret.
//!
//! `optimum` has the distribution of every graded parameter's optimum. A standard error is half the width of the
//! interval around the answer that holds the optimum with 68.27% probability; the regret is the expected loss q (x -
//! optimum)^2. A switch of effect N(m, s^2) is better on with the probability cdf(m / s), and its better setting is
//! expected to lose s (pdf(z) - z tail(z)), z = |m| / s. The worths of a category's values are jointly Gaussian; the
//! probability that a value is the best, and the expected loss of the chosen one, are counted over draws, always the
//! same ones.
//!
//! The distribution of an optimum covers the chance of games, but not the misfit of the model: curves are not cubics.
//! On the benchmark optima were off by a share of the distance between the sides, a small one on most engines and a
//! large one on engines whose curves are skewed all over, so this is added to the distribution. So is the possible lag
//! of the answer behind best values that move (`motion`).

use super::control::Controlled;
use super::cross::Coupling;
use super::motion::Moved;
use super::optimum::{Natural, ONE_SIGMA, Optimum, Prior, worth};
use super::prior::Site;
use super::sizes::Sizes;
use super::steps::StepRule;
use super::{GAIN_MISFIT, Quadratic, reach};
use crate::method::{Answer, Caution, Estimate, Uncertainty};
use crate::parameter::Parameter;
use crate::random::{Purpose, Stream};
use stats::normal::cdf;

/// The probability that a wide range holds the best value.
const WIDE: f64 = 0.95;
/// The width of that range relative to the optimum's distribution, which has thinner tails than the truth on the
/// benchmark.
const TAILS: f64 = 1.1;
/// How much wider the range is if curves are not cubics, as a share.
const TAILS_DEPARTING: f64 = 0.3;
/// The exponent by which sides approach each other if curves are skewed (`steps`), and the typical skew per step from
/// which they count as skewed, with the exponent of its odds.
const SLOWLY: f64 = 0.36;
const SKEWED: (f64, f64) = (0.09, 12.0);
/// The least half-width of the range, relative to the distance of the sides from their middle: the strength between
/// them is never measured.
const RANGE_OF_STEP: f64 = 1.2;

/// The typical skew per step from which curves are more likely not cubics than cubics, and the exponent of its odds.
const DEPARTING: (f64, f64) = (0.107, 12.0);
/// The error of an optimum because curves are not cubics, in steps, one sigma, relative to the distance of the sides
/// from their middle: always, and in addition if they surely are not.
const OFF: (f64, f64) = (0.07, 0.9);
/// The part of these errors that costs Elo: a skewed curve is flat on the side of the error.
const OFF_AT_A_COST: (f64, f64) = (0.07, 0.25);
/// The shares of the fit's and of the curves' gain that are omitted if curves surely are not cubics. The fit rises too
/// steeply from the start, and such parameters count for more while others are far off, so that the curves overestimate
/// each.
const GAIN_DEPARTING: (f64, f64) = (0.6, 0.3);

/// The gain that may be found between the sides, where no pair is played, relative to the loss of a side. With it the
/// bound holds in nine of ten sessions on every surface of the benchmark.
const UNSEEN: f64 = 1.75;

/// How much flatter than alone a parameter must be to be reported as interacting with others.
const TOGETHER: f64 = 2.0;
/// The gain by all curves contradicts the fit's from this many errors on.
const CONTRADICTED: f64 = 2.0;

/// A curve's gain counts only if it differs from the fit's by this many errors.
const SURE: f64 = 0.5;

/// Elo lost at which an engine may turn from quadratic to linear, as on the benchmark.
const FLATTENING: f64 = 150.0;

/// The number of draws that count which value of a category is best.
const DRAWS: u32 = 1000;

/// The belief about the best setting of one parameter.
pub(super) struct Belief {
    /// The certainty of the answer, in value units.
    uncertainty: Uncertainty,
    /// Half the width of the interval that holds the best setting with 95% probability, in value units; 0 for a switch.
    range: f64,
    /// Elo that the answer is expected to lose to the best setting.
    regret: f64,
    /// For a category, the probability of each value that it is the best.
    chances: Vec<f64>,
}

impl Quadratic {
    /// The answer of a state that has absorbed every pair.
    pub(super) fn report(&self) -> Answer {
        let moved = self.moved();
        let beliefs = self.beliefs(moved.as_ref());
        let model = self.predictions.temper(self.gain(moved.as_ref()), self.statistics.variance());
        let controlled = self.controlled(model, moved.as_ref().map_or(0.0, Moved::probability));
        let own = self.columns.parameters(&self.best);
        let width = |((p, &x), column): ((&Parameter, &f64), Option<usize>)| {
            column.map_or(0.0, |column| 0.5 * (p.value(x + self.steps[column]) - p.value(x - self.steps[column])).abs())
        };
        let steps = self.space.parameters().iter().zip(&own).zip(self.columns.firsts()).map(width);
        let chances = beliefs.iter().enumerate().filter(|(_, belief)| !belief.chances.is_empty());
        let regret = beliefs.iter().map(|belief| belief.regret).sum::<f64>() + controlled.map_or(0.0, Controlled::left);
        Answer {
            pairs: self.absorbed,
            values: self.space.settled(&own),
            exact: self.space.values(&own),
            chances: chances.map(|(index, belief)| (index, belief.chances.clone())).collect(),
            uncertainties: Some(beliefs.iter().map(|belief| belief.uncertainty).collect()),
            drifts: self.drifts(),
            steps: steps.collect(),
            ranges: Some(beliefs.iter().map(|belief| belief.range).collect()),
            gain: Some(controlled.map_or(model, Controlled::gain)),
            regret: Some(regret),
            regret_at_most: Some(regret + UNSEEN * self.lost_by_sides()),
            cautions: self.cautions(controlled.and_then(Controlled::contradiction)),
        }
    }

    /// The present value of every parameter with the ends of its band, inside the range; for a switch, the probability
    /// that it is better on. A category has no band.
    pub(super) fn bands(&self) -> Vec<(f64, f64, f64)> {
        let own = self.columns.parameters(&self.best);
        let band = |((p, &x), belief): ((&Parameter, &f64), Belief)| match belief.uncertainty {
            Uncertainty::On(on) => (on, on, on),
            Uncertainty::Best(_) => (p.value(x), p.value(x), p.value(x)),
            Uncertainty::StandardError(sd) => {
                let value = p.value(x);
                (value, (value - sd).clamp(p.min(), p.max()), (value + sd).clamp(p.min(), p.max()))
            }
        };
        self.space.parameters().iter().zip(&own).zip(self.beliefs(self.moved().as_ref())).map(band).collect()
    }

    /// The evidence of the pairs against the fit: the strongest contradiction, which is that of control games if they
    /// contradict the fit.
    fn cautions(&self, contradiction: Option<Estimate>) -> Vec<Caution> {
        let couplings = self.couplings();
        let coupled = |&(_, i): &(usize, Option<usize>)| i.is_some_and(|i| couplings[i].flatter >= TOGETHER);
        let together: Vec<usize> = self.columns.firsts().enumerate().filter(coupled).map(|(index, _)| index).collect();
        let together = (together.len() > 1).then_some(Caution::Together(together));
        let failing = self.predictions.failing(self.statistics.variance()).map(Caution::Unpredicted);
        let departures = self.departures(&couplings);
        let more: f64 = departures.iter().map(|one| one.mean).sum();
        let sd = libm::sqrt(departures.iter().map(|one| one.error).sum());
        let curves = (more.abs() > CONTRADICTED * sd).then_some(Caution::Curves(Estimate { mean: more, sd }));
        together.into_iter().chain(contradiction.map(Caution::Start).or(failing).or(curves)).collect()
    }

    /// The departure of each parameter's gain by its curve from the fit's.
    fn departures(&self, couplings: &[Coupling]) -> Vec<Departure> {
        let departure = |i: usize| {
            let (fit, curve) = (self.gain_by_fit(|column| column == i), self.gain_by_curve(i)?);
            let departure = departure(self.discounted(fit, GAIN_DEPARTING.0), self.discounted(curve, GAIN_DEPARTING.1));
            // If a parameter interacts with others, its curve depends on where those were.
            let alone = 1.0 / (couplings[i].flatter * couplings[i].flatter);
            Some(Departure {
                mean: alone * departure.mean,
                error: alone * departure.error,
                uncertainty: alone * departure.uncertainty,
            })
        };
        (0..self.best.len()).filter_map(departure).collect()
    }

    /// Elo of the answer over the start, and its posterior standard deviation.
    fn gain(&self, moved: Option<&Moved>) -> Estimate {
        let fit = self.discounted(self.gain_by_fit(|_| true), GAIN_DEPARTING.0);
        let couplings = self.couplings();
        let departures = self.departures(&couplings);
        let sum = |of: fn(&Departure) -> f64| departures.iter().map(of).sum::<f64>();
        // The fit is also less certain about the gain of those: it sees the start only through the positions of the
        // others.
        let together: f64 = couplings.iter().map(|one| 1.0 - 1.0 / (one.flatter * one.flatter)).sum();
        let wider = 1.0 + together / couplings.len() as f64;
        let (variance, error) = (wider * fit.sd * fit.sd, sum(|one| one.error));
        let larger = if variance > error { variance } else { error };
        let still =
            Estimate { mean: fit.mean + sum(|one| one.mean), sd: libm::sqrt(larger + sum(|one| one.uncertainty)) };
        let gain = moved.map_or(still, |moved| moved.gain(still));
        flattened(gain, self.lost_by_sides())
    }

    /// The gain by the fit of the columns for which `count` holds.
    fn gain_by_fit(&self, count: impl Fn(usize) -> bool) -> Estimate {
        let mut weights = vec![0.0; self.posterior.mean.len()];
        for i in (0..self.best.len()).filter(|i| count(*i)) {
            self.posterior.terms.put_move(&mut weights, i, self.is_graded(i), (0.0, self.best[i]));
        }
        // On the straight way to the answer, each of two crossed columns gets half of their common gain.
        let first = self.posterior.terms.first_cross();
        for (weight, &(i, j)) in weights[first..].iter_mut().zip(&self.posterior.terms.crosses) {
            *weight = 0.5 * f64::from(u8::from(count(i)) + u8::from(count(j))) * self.best[i] * self.best[j];
        }
        let (mean, sd) = self.posterior.combination(weights);
        Estimate { mean, sd }
    }

    /// The gain as it is reported: without this share if curves are not cubics.
    fn discounted(&self, gain: Estimate, share: f64) -> Estimate {
        let lost = share * self.departing() * gain.mean;
        Estimate { mean: gain.mean - lost, sd: libm::sqrt(GAIN_MISFIT * gain.sd * gain.sd + lost * lost) }
    }

    /// Elo that a side loses to the answer, by the fit.
    fn lost_by_sides(&self) -> f64 {
        let lost = |i: usize| {
            let bend = self.posterior.terms.of(&self.posterior.mean, i).bend(self.best[i]);
            0.5 * (-bend).max(0.0) * self.steps[i] * self.steps[i]
        };
        (0..self.best.len()).filter(|&i| self.is_graded(i)).map(lost).sum()
    }

    /// The evidence of the data alone about (g, h) of the column `i`, as if from `worth` times as many pairs; for the
    /// parabola that touches its curve at the answer.
    pub(super) fn data(&self, i: usize, worth: f64) -> Natural {
        let site = self.sites[i];
        let crosses = self.crosses.as_ref().map_or(&[][..], Sizes::precisions);
        let cubic = self.posterior.cubic(i, &self.best).map(|cubic| (cubic, self.skews.precisions()[i]));
        // The prior of the slope at the positions of the other columns.
        let pulls = self.posterior.terms.crosses.iter().zip(crosses).map(|(&(j, k), precision)| {
            let x = if j == i {
                self.best[k]
            } else if k == i {
                self.best[j]
            } else {
                0.0
            };
            x * x / precision
        });
        let pulled = Site { linear: 1.0 / (1.0 / site.linear + pulls.sum::<f64>()), ..site };
        match cubic.and_then(|(cubic, skew)| Natural::touching(&cubic, (pulled, skew), self.best[i], worth)) {
            Some(data) => data,
            None => Natural::data(&self.posterior.joint(i), site, worth),
        }
    }

    /// The probability that this engine's curves are not cubics: if curvatures change by a third over a step, the terms
    /// after t matter as much. No single parameter shows that, so it is estimated from the skews of all.
    pub(super) fn departing(&self) -> f64 {
        self.skewed_beyond(DEPARTING)
    }

    /// The probability that curves are skewed by more than this, with the exponent of its odds.
    fn skewed_beyond(&self, (skew, exponent): (f64, f64)) -> f64 {
        let odds = libm::pow(self.skews.typical() / skew, exponent);
        odds / (1.0 + odds)
    }

    /// The rule for the distance between the sides. If curves are skewed, sides approach each other slowly, because a
    /// skew is learnt from distant sides.
    pub(super) fn step_rule(&self) -> StepRule {
        let faster = self.config.steps.decay - SLOWLY;
        StepRule { decay: SLOWLY + (1.0 - self.skewed_beyond(SKEWED)) * faster, ..self.config.steps }
    }

    /// The distance of the sides of the column `i` from their middle in the pairs that still have weight in the fit,
    /// which are farther apart than the present ones.
    fn sides(&self, i: usize) -> f64 {
        let faster = self.step_rule().decay - SLOWLY;
        self.steps[i] * libm::pow(1.0 + (self.absorbed as f64 + self.before) / 5000.0, 0.5 * faster)
    }

    /// Half the width of the range around the answer that holds this optimum of the column `i` with 95 % probability.
    fn range(&self, i: usize, optimum: &Optimum, departing: f64) -> f64 {
        let half = optimum.half_width(self.best[i], self.bounds[i], WIDE);
        let (half, least) = ((TAILS + departing * TAILS_DEPARTING) * half, RANGE_OF_STEP * self.sides(i));
        if half > least { half } else { least }
    }

    fn beliefs(&self, moved: Option<&Moved>) -> Vec<Belief> {
        let departing = self.departing();
        let worth = worth(self.statistics.worth(), self.absorbed as f64 + self.before);
        let graded: Vec<usize> = (0..self.best.len()).filter(|&i| self.is_graded(i)).collect();
        let data = graded.iter().map(|&i| self.data(i, worth));
        let prior = Prior::new(&self.mixture, reach(&self.config, self.typical()));
        let mut optima = prior.optima(&data.collect::<Vec<_>>()).into_iter();
        let couplings = self.couplings();
        // The cost of a constraint is not regret, because no answer could avoid it.
        let peaks = self.peaks(&self.posterior.mean, 0.0);
        let belief = |(index, column): (usize, Option<usize>)| {
            let Some(i) = column else { return self.category(index, worth) };
            match if self.is_graded(i) { optima.next() } else { None } {
                None => self.switch(i, worth),
                Some(optimum) => {
                    let (at, bounds, parameter) = (self.best[i], self.bounds[i], &self.space.parameters()[index]);
                    let off = |(anywhere, besides): (f64, f64)| {
                        let curves = (anywhere + besides * departing) * self.sides(i);
                        libm::hypot(curves, moved.map_or(0.0, |moved| moved.lag(i)))
                    };
                    let Coupling { wider, dearer, .. } = couplings[i];
                    let regret = dearer * optimum.clone().blurred(off(OFF_AT_A_COST)).loss(peaks[i], bounds);
                    let optimum = optimum.blurred(off(OFF));
                    Belief {
                        uncertainty: Uncertainty::StandardError(
                            parameter.spread(at, wider * optimum.half_width(at, bounds, ONE_SIGMA)),
                        ),
                        range: parameter.spread(at, wider * self.range(i, &optimum, departing)),
                        regret,
                        chances: Vec::new(),
                    }
                }
            }
        };
        self.columns.firsts().enumerate().map(belief).collect()
    }

    /// The belief about the values of a category.
    fn category(&self, index: usize, worth: f64) -> Belief {
        let columns = self.columns.of(index);
        let start = self.space.parameters()[index].start();
        let (means, chosen) = (&self.posterior.mean[columns.clone()], &self.best[columns.clone()]);
        let place = chosen.iter().position(|x| *x > 0.5);
        let mut stream = Stream::new(self.seed, Purpose::Chances, index as u64);
        let factor = self.posterior.covariance(columns).cholesky();
        let (mut wins, mut lost) = (vec![0_u32; means.len() + 1], 0.0);
        for _ in 0..DRAWS {
            let z: Vec<f64> = means.iter().map(|_| stream.normal() / libm::sqrt(worth)).collect();
            let off = factor.as_ref().map_or_else(|| vec![0.0; z.len()], |factor| factor.times(&z));
            let worths: Vec<f64> = means.iter().zip(off).map(|(mean, off)| mean + off).collect();
            let top = worths
                .iter()
                .copied()
                .enumerate()
                .fold((0, 0.0), |top, (place, worth)| if worth > top.1 { (place + 1, worth) } else { top });
            wins[top.0] += 1;
            lost += top.1 - place.map_or(0.0, |place| worths[place]);
        }
        // In the order of the values, with the start at any index.
        let first = wins.remove(0);
        wins.insert(start as usize, first);
        let chances: Vec<f64> = wins.into_iter().map(|wins| f64::from(wins) / f64::from(DRAWS)).collect();
        let value = self.columns.values(index).zip(chosen).find(|(_, x)| **x > 0.5).map_or(0.0, |(value, _)| value);
        let best = chances.get((start + value) as usize).copied().unwrap_or_default();
        Belief { uncertainty: Uncertainty::Best(best), range: 0.0, regret: lost / f64::from(DRAWS), chances }
    }

    /// The belief about the switch `i`.
    fn switch(&self, i: usize, worth: f64) -> Belief {
        let mut weights = vec![0.0; self.posterior.mean.len()];
        weights[i] = 1.0;
        let (mean, sd) = self.posterior.combination(weights);
        let sd = sd / libm::sqrt(worth);
        let z = mean / sd;
        let density = libm::exp(-0.5 * z * z) / libm::sqrt(2.0 * std::f64::consts::PI);
        let regret = sd * (density - z.abs() * cdf(-z.abs()));
        Belief { uncertainty: Uncertainty::On(cdf(z)), range: 0.0, regret, chances: Vec::new() }
    }
}

/// The departure of a parameter's gain from the fit's estimate.
struct Departure {
    /// The excess over the fit in Elo.
    mean: f64,
    /// The variance of the curve's gain.
    error: f64,
    /// The variance from whether the departure is believed.
    uncertainty: f64,
}

/// The departure of a gain by its curve from that by the fit, as far as it is certain.
///
/// The further curves are from the fit in units of their error, the more they are trusted (James and Stein, *Estimation
/// with Quadratic Loss*, 1961), because they count the luck in the position of the answer as a gain.
fn departure(fit: Estimate, curve: Estimate) -> Departure {
    let (away, error) = (curve.mean - fit.mean, curve.sd * curve.sd);
    let luck = SURE * SURE * error;
    let surely = if away * away > luck { 1.0 - luck / (away * away) } else { 0.0 };
    Departure { mean: surely * away, error, uncertainty: surely * (1.0 - surely) * away * away }
}

/// The gain if engines turn linear or do not, with equal probabilities: `gain` is that of a fit to pairs whose sides
/// lose `sides` Elo by the same fit.
///
/// With F = [`FLATTENING`] an engine Q below its best on a quadratic surface loses F (sqrt(1 + 2 Q / F) - 1). If sides
/// lose much, the effect of all parameters is 1 / u of that near the best, in the fit as in the games, with u = sides /
/// F + sqrt(1 + (sides / F)^2).
fn flattened(gain: Estimate, sides: f64) -> Estimate {
    if gain.mean <= 0.0 {
        return gain;
    }
    let share = sides / FLATTENING;
    let quadratic = gain.mean * (share + libm::hypot(1.0, share));
    let linear = FLATTENING * (libm::sqrt(1.0 + 2.0 * quadratic / FLATTENING) - 1.0);
    let apart = 0.5 * (linear - gain.mean);
    Estimate { mean: gain.mean + apart, sd: libm::hypot(gain.sd, apart) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_count_as_far_as_they_surely_depart_from_the_fit() {
        let departed = |mean, sd| departure(Estimate { mean: 20.0, sd: 5.0 }, Estimate { mean, sd });
        for luck in [20.0, 24.0, 16.0] {
            let found = departed(luck, 10.0);
            assert!(found.mean.abs() < 1e-12 && found.uncertainty.abs() < 1e-12 && (found.error - 100.0).abs() < 1e-9);
        }
        let far = departed(120.0, 20.0);
        assert!((far.mean - 99.0).abs() < 1e-9 && (far.uncertainty - 99.0).abs() < 1e-6);
        assert!((departed(-80.0, 100.0).mean + 75.0).abs() < 1e-9, "and where it is less, too");
    }

    #[test]
    fn a_gain_holds_what_both_surfaces_make_of_it() {
        let shrunk = |mean, sides| flattened(Estimate { mean, sd: 5.0 }, sides);
        for mean in [0.0, -3.0] {
            assert_eq!(shrunk(mean, 60.0), Estimate { mean, sd: 5.0 });
        }
        assert!((shrunk(0.5, 1.0).mean - 0.5).abs() < 0.01, "near the best nothing is linear");
        assert!(shrunk(40.0, 5.0).mean < 40.0, "the start is farther away than the sides are");
        let (linear, sides) = (60.0, 80.0);
        // What a fit sees of a linear surface: only its slope at the sides.
        let root = |lost: f64| 0.5 * ((1.0 + lost / FLATTENING) * (1.0 + lost / FLATTENING) - 1.0) * FLATTENING;
        let slope = 1.0 + sides / FLATTENING;
        let gain = shrunk(root(linear) / slope, root(sides) / slope);
        assert!((gain.mean - 0.5 * (linear + root(linear) / slope)).abs() < 1e-9, "half way to the truth: {gain:?}");
        assert!(gain.sd > 5.0 && (gain.mean - linear).abs() < gain.sd, "and its error reaches it: {gain:?}");
    }
}
