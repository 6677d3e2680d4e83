//! How sure the answer is: standard errors of the optima, the gain over the start and the expected regret.
//!
//! `optimum` has the law of every graded parameter's optimum. A standard error is half the width of the interval around
//! the answer that holds the optimum with 68.27% probability; the regret is the expected loss q (x - optimum)^2. A
//! switch of effect N(m, s^2) is better on with the probability cdf(m / s), and its better setting is expected to lose
//! s (pdf(z) - z tail(z)), z = |m| / s. What a category's values are worth is Gaussian together; which is best, and
//! what the chosen one is expected to lose to it, is counted over draws, always the same ones.
//!
//! The law of an optimum covers the chance of games, not what the fit cannot see: that curves are not cubics. On the
//! benchmark optima were off by a share of the distance between the sides, a small one on most engines and a large one
//! on engines whose curves are skewed all over, so this is added to the law; so is how far the answer may lag behind
//! best values that move (`motion`).

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

/// Probability that a wide range is to hold the best value.
const WIDE: f64 = 0.95;
/// Its width over what the law of the optimum says, which is thinner in the tails than the truth on the benchmark.
const TAILS: f64 = 1.1;
/// How much wider it is where curves are not cubics, as a share.
const TAILS_DEPARTING: f64 = 0.3;
/// The exponent by which sides come closer where curves are skewed (`steps`), and the usual skew per step from which
/// they are, with the exponent of its odds.
const SLOWLY: f64 = 0.36;
const SKEWED: (f64, f64) = (0.09, 12.0);
/// Its minimum, over the distance of the sides from their middle: what happens between them is never measured.
const RANGE_OF_STEP: f64 = 1.2;

/// Usual skew per step from which curves are more likely not cubics than cubics, and how sharply: the exponent of its
/// odds.
const DEPARTING: (f64, f64) = (0.107, 12.0);
/// Steps by which an optimum may be off because curves are not cubics, one sigma, over the distance of the sides from
/// their middle: everywhere, and in addition where they surely are not.
const OFF: (f64, f64) = (0.07, 0.9);
/// The same of those that cost anything: a skewed curve is flat on the side to which one errs.
const OFF_AT_A_COST: (f64, f64) = (0.07, 0.25);
/// Share of the gain that is left out where curves are surely no cubics, of the fit's and of the curves': the fit rises
/// too steeply from the start, and such parameters count for more while others are far off, so that the curves tell too
/// much of each.
const GAIN_DEPARTING: (f64, f64) = (0.6, 0.3);

/// What may be found between the sides, where no pair is played, over what a side loses: with it the truth is held in
/// nine of ten sessions on every surface of the benchmark.
const UNSEEN: f64 = 1.75;

/// How much flatter than alone a parameter must be to be reported as interacting with others.
const TOGETHER: f64 = 2.0;
/// Errors by which the gain by all curves must be away from the fit's to contradict it.
const CONTRADICTED: f64 = 2.0;

/// Errors by which a curve's gain must be away from the fit's to count at all.
const SURE: f64 = 0.5;

/// Elo lost at which an engine turns from quadratic to linear, if it does: the benchmark's.
const FLATTENING: f64 = 150.0;

/// Draws over which it is counted which value of a category is best.
const DRAWS: u32 = 1000;

/// What is believed of the best setting of one parameter.
pub(super) struct Belief {
    /// How sure the answer is, in value units.
    uncertainty: Uncertainty,
    /// Half the width of the interval that holds it with 95% probability, in value units; 0 of a switch.
    range: f64,
    /// Elo that the answer is expected to lose to it.
    regret: f64,
    /// Of a category, the probability of each value that it is the best.
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

    /// The present value of every parameter with the ends of its band, inside the range; of a switch, the probability
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

    /// What the pairs say against the fit: of what contradicts it the surest, which are control games where they do.
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

    /// How far each parameter's gain by its curve departs from the fit's.
    fn departures(&self, couplings: &[Coupling]) -> Vec<Departure> {
        let departure = |i: usize| {
            let (fit, curve) = (self.gain_by_fit(|column| column == i), self.gain_by_curve(i)?);
            let departure = departure(self.discounted(fit, GAIN_DEPARTING.0), self.discounted(curve, GAIN_DEPARTING.1));
            // What a curve says of a parameter that acts together with others depends on where those were.
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
        // Nor can the fit tell as well what those gained: it sees the start only through where the others are.
        let together: f64 = couplings.iter().map(|one| 1.0 - 1.0 / (one.flatter * one.flatter)).sum();
        let wider = 1.0 + together / couplings.len() as f64;
        let (variance, error) = (wider * fit.sd * fit.sd, sum(|one| one.error));
        let larger = if variance > error { variance } else { error };
        let still =
            Estimate { mean: fit.mean + sum(|one| one.mean), sd: libm::sqrt(larger + sum(|one| one.uncertainty)) };
        let gain = moved.map_or(still, |moved| moved.gain(still));
        flattened(gain, self.lost_by_sides())
    }

    /// What the columns that are to `count` gained by the fit.
    fn gain_by_fit(&self, count: impl Fn(usize) -> bool) -> Estimate {
        let mut weights = vec![0.0; self.posterior.mean.len()];
        for i in (0..self.best.len()).filter(|i| count(*i)) {
            self.posterior.terms.put_move(&mut weights, i, self.is_graded(i), (0.0, self.best[i]));
        }
        // On the straight way there two crossed columns have each half of what they gain together.
        let first = self.posterior.terms.first_cross();
        for (weight, &(i, j)) in weights[first..].iter_mut().zip(&self.posterior.terms.crosses) {
            *weight = 0.5 * f64::from(u8::from(count(i)) + u8::from(count(j))) * self.best[i] * self.best[j];
        }
        let (mean, sd) = self.posterior.combination(weights);
        Estimate { mean, sd }
    }

    /// A gain as it is reported: without this share of it if curves are not cubics.
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

    /// What the data alone say of (g, h) of the column `i`, as if they were `worth` times as many pairs: of the
    /// parabola that touches its curve at the answer.
    pub(super) fn data(&self, i: usize, worth: f64) -> Natural {
        let site = self.sites[i];
        let crosses = self.crosses.as_ref().map_or(&[][..], Sizes::precisions);
        let cubic = self.posterior.cubic(i, &self.best).map(|cubic| (cubic, self.skews.precisions()[i]));
        // What is believed of the slope where the others are.
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

    /// Probability that this engine's curves are not cubics: where curvatures change by a third over a step, what comes
    /// after t matters as much. No parameter shows that alone, so it is read from the skews of all.
    pub(super) fn departing(&self) -> f64 {
        self.skewed_beyond(DEPARTING)
    }

    /// Probability that curves are skewed by more than this, with the exponent of its odds.
    fn skewed_beyond(&self, (skew, exponent): (f64, f64)) -> f64 {
        let odds = libm::pow(self.skews.typical() / skew, exponent);
        odds / (1.0 + odds)
    }

    /// How far apart sides are. Where curves are skewed they come closer slowly, for a skew is learnt from sides that
    /// are far apart.
    pub(super) fn step_rule(&self) -> StepRule {
        let faster = self.config.steps.decay - SLOWLY;
        StepRule { decay: SLOWLY + (1.0 - self.skewed_beyond(SKEWED)) * faster, ..self.config.steps }
    }

    /// How far the sides of the column `i` were from their middle in the pairs that the fit still weighs, which are
    /// farther apart than those of now.
    fn sides(&self, i: usize) -> f64 {
        let faster = self.step_rule().decay - SLOWLY;
        self.steps[i] * libm::pow(1.0 + (self.absorbed as f64 + self.before) / 5000.0, 0.5 * faster)
    }

    /// Half the width of the range around the answer that is to hold this optimum of the column `i` in 95 %.
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
        // What a constraint costs is not regret: no answer could avoid it.
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

    /// What is believed of the values of a category.
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
        // In the order of the values, among which the start may be anywhere.
        let first = wins.remove(0);
        wins.insert(start as usize, first);
        let chances: Vec<f64> = wins.into_iter().map(|wins| f64::from(wins) / f64::from(DRAWS)).collect();
        let value = self.columns.values(index).zip(chosen).find(|(_, x)| **x > 0.5).map_or(0.0, |(value, _)| value);
        let best = chances.get((start + value) as usize).copied().unwrap_or_default();
        Belief { uncertainty: Uncertainty::Best(best), range: 0.0, regret: lost / f64::from(DRAWS), chances }
    }

    /// What is believed of the switch `i`.
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

/// How far what a parameter gained departs from the fit's word.
struct Departure {
    /// Elo more than the fit says.
    mean: f64,
    /// Variance of the curve's gain.
    error: f64,
    /// Variance of whether it is believed.
    uncertainty: f64,
}

/// The departure of a gain by its curve from that by the fit, as far as it is certain.
///
/// Curves are trusted by as much more than their error as they are away from the fit (James and Stein, *Estimation with
/// Quadratic Loss*, 1961), for they count as gained what luck there is in where the answer is.
fn departure(fit: Estimate, curve: Estimate) -> Departure {
    let (away, error) = (curve.mean - fit.mean, curve.sd * curve.sd);
    let luck = SURE * SURE * error;
    let surely = if away * away > luck { 1.0 - luck / (away * away) } else { 0.0 };
    Departure { mean: surely * away, error, uncertainty: surely * (1.0 - surely) * away * away }
}

/// What is gained if engines turn linear, or do not, which is as likely: the gain of a fit to pairs whose sides lose
/// `sides` Elo by the same fit.
///
/// With F = [`FLATTENING`] an engine Q below its best on a quadratic surface loses F (sqrt(1 + 2 Q / F) - 1). Where
/// sides lose much, all parameters count for 1 / u of what they do near the best, in the fit as in the games, u = sides
/// / F + sqrt(1 + (sides / F)^2).
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
        // What a fit sees of a surface that is linear: all of it by the slope where the sides are.
        let root = |lost: f64| 0.5 * ((1.0 + lost / FLATTENING) * (1.0 + lost / FLATTENING) - 1.0) * FLATTENING;
        let slope = 1.0 + sides / FLATTENING;
        let gain = shrunk(root(linear) / slope, root(sides) / slope);
        assert!((gain.mean - 0.5 * (linear + root(linear) / slope)).abs() < 1e-9, "half way to the truth: {gain:?}");
        assert!(gain.sd > 5.0 && (gain.mean - linear).abs() < gain.sd, "and its error reaches it: {gain:?}");
    }
}
