//! Forecasts what a session will resolve before it is played: numbers for a dry run.
//!
//! The beliefs are the initial ones of a session of the method `quadratic`: how sensitive parameters are, and how far
//! from the start their optima lie; after an earlier session, its knowledge, as far as it is trusted and optima have
//! not moved since. Before any pair, a parameter of sensitivity q whose optimum is typically r steps away loses q r^2
//! Elo. With a pair's variance s^2 and slope kappa (wins minus losses per Elo), a drop of T Elo on each side and N
//! pairs, its optimum is known to s^2 / (16 kappa^2 T N) Elo of expected loss; learning the way there costs `OVERHEAD`
//! times as much. The two combine as precisions do. So the forecast is the regret that the session itself will report
//! on average, except for moves of optima: there it is the mean over all moves considered.
//!
//! The worth of a category's values or of a switch is Gaussian before and after the pairs; then the value with the best
//! mean is chosen. The forecast assumes that pairs use all values equally often.

use serde::Serialize;

use crate::linear::{Factor, Symmetric};
use crate::parameter::{Kind, Parameter};
use crate::quadratic::{self, Config, Earlier, Known, Learnt, SWITCH_SPREAD};
use crate::random::{Purpose, Stream};
use crate::space::Space;
use stats::normal::cdf;

/// The measured loss of the method `quadratic` relative to the formula: 1.8 to 3.6 for 4 to 20 parameters and 5,000 to
/// 200,000 pairs.
const OVERHEAD: f64 = 2.2;
/// Elo that a parameter of typical sensitivity loses one step off its optimum.
const TYPICAL: f64 = 0.5;
/// The number of draws that estimate a category's expected loss.
const DRAWS: u64 = 500;

/// The information in one pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairNoise {
    /// The variance of wins minus losses of a pair of equal sides.
    pub variance: f64,
    /// Wins minus losses that a pair gains per Elo.
    pub slope: f64,
}

impl PairNoise {
    /// Games with 60 % draws, on openings that favour one side by 30 or 170 Elo.
    pub const DRAWISH: Self = Self { variance: 0.738, slope: 0.00514 };
    /// Games with 6 % draws, on openings that favour one side by 20 or 80 Elo.
    pub const DECISIVE: Self = Self { variance: 1.827, slope: 0.00560 };
}

/// The expected state after this many pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// The number of pairs.
    pub pairs: u64,
    /// Elo that the answer is expected to lose to the best values.
    pub regret: f64,
    /// The standard deviation of a typical parameter's optimum, in its steps.
    pub sd_steps: f64,
}

/// Forecasts a session of the method `quadratic` for `pairs` pairs, and for its halves down to one pair per parameter,
/// shortest first. Uses the trusted knowledge of an earlier session, if there was one.
pub fn forecast(
    space: &Space,
    config: &Config,
    earlier: Option<&Earlier>,
    noise: PairNoise,
    pairs: u64,
) -> Vec<Forecast> {
    let halves = std::iter::successors(Some(pairs), |n| Some(n / 2));
    let mut lengths: Vec<u64> = halves.take_while(|&n| n > 0 && n >= space.dimension() as u64).collect();
    lengths.reverse();
    let known = |pairs: u64| match earlier {
        Some(earlier) => earlier.faded(pairs as f64).known,
        None => vec![None; space.dimension()],
    };
    lengths.into_iter().map(|pairs| expect(space, config, &known(pairs), noise, pairs)).collect()
}

/// The expected resolution of a session of this many pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Resolution {
    /// The share, 0 to 1, that the session finds of the Elo that a typical parameter is expected to lose at the start.
    pub found: f64,
    /// The number of pairs that would find half of it.
    pub pairs_for_half: u64,
}

/// Returns how much of the possible gain in a typical parameter a session of `pairs` pairs is expected to find. How
/// many Elo that is depends on the distance of the start; the share hardly does.
pub fn resolution(
    space: &Space,
    config: &Config,
    earlier: Option<&Earlier>,
    noise: PairNoise,
    pairs: u64,
) -> Resolution {
    let left = |pairs: u64| {
        let known = match earlier {
            Some(earlier) => earlier.faded(pairs as f64).known,
            None => vec![None; space.dimension()],
        };
        let sd = expect(space, config, &known, noise, pairs).sd_steps;
        sd * sd
    };
    let start = left(1);
    let doubled = std::iter::successors(Some(1_u64), |n| n.checked_mul(2));
    let pairs_for_half = doubled.into_iter().find(|&n| left(n) <= 0.5 * start).unwrap_or(u64::MAX);
    Resolution { found: (1.0 - left(pairs) / start).clamp(0.0, 1.0), pairs_for_half }
}

fn expect(space: &Space, config: &Config, known: &[Option<Learnt>], noise: PairNoise, pairs: u64) -> Forecast {
    let (learnt, chance) = (
        learnt(config, noise, space.dimension(), pairs as f64),
        noise.variance / (noise.slope * noise.slope * pairs as f64),
    );
    let (mut graded, mut regret) = (Vec::new(), 0.0);
    for ((index, parameter), known) in space.parameters().iter().enumerate().zip(known) {
        let slope = known.as_ref().and_then(slope_of).filter(|known| known.gg > 0.0);
        match parameter.kind() {
            Kind::Boolean => regret += switch(slope, chance),
            Kind::Category => regret += category(parameter, index as u64, known.as_ref(), chance),
            Kind::Real | Kind::Integer | Kind::Log => graded.push(slope),
        }
    }
    let typical = if graded.is_empty() { vec![None] } else { graded.clone() };
    let losses = |sensitivity: Option<f64>, known: &[Option<Known>]| {
        let beliefs = quadratic::beliefs(config, known);
        let loss = |(parts, known): (&Vec<_>, &Option<Known>)| graded_loss(parts, sensitivity, known.is_some(), learnt);
        beliefs.iter().zip(known).map(loss).sum::<f64>()
    };
    regret += losses(None, &graded);
    let typical = losses(Some(TYPICAL), &typical) / typical.len() as f64;
    Forecast { pairs, regret, sd_steps: libm::sqrt(typical / TYPICAL) }
}

fn slope_of(learnt: &Learnt) -> Option<Known> {
    match learnt {
        Learnt::Slope(known) => Some(*known),
        Learnt::CategoryPosterior(_) => None,
    }
}

/// The steps by which the optimum of a parameter may have moved since an earlier session, with weights; a parameter
/// that the earlier session did not know has not moved.
fn moves(known: bool) -> Vec<(f64, f64)> {
    if known { quadratic::moves() } else { vec![(1.0, 0.0)] }
}

/// The expected loss in Elo of a graded parameter with this belief, if the pairs alone would leave the loss `learnt`;
/// for the given sensitivity, if any.
fn graded_loss(parts: &[(f64, f64, f64)], sensitivity: Option<f64>, known: bool, learnt: f64) -> f64 {
    let moves = moves(known);
    let one = |&(weight, q, square): &(f64, f64, f64)| {
        let q = sensitivity.unwrap_or(q);
        let loss = |(share, steps): &(f64, f64)| share * both(learnt, q * (square + steps * steps));
        weight * moves.iter().map(loss).sum::<f64>()
    };
    parts.iter().map(one).sum()
}

/// Elo that one parameter is expected to lose after `pairs` pairs that are the only information about its optimum.
fn learnt(config: &Config, noise: PairNoise, parameters: usize, pairs: f64) -> f64 {
    let drop = config.steps.target(parameters, pairs);
    let limit = config.steps.mean_drop(parameters);
    let drop = if drop < limit { drop } else { limit };
    OVERHEAD * noise.variance / (16.0 * noise.slope * noise.slope * drop * pairs)
}

/// The expected loss in Elo with two sources combined, each of which alone would leave this loss.
fn both(one: f64, other: f64) -> f64 {
    1.0 / (1.0 / one + 1.0 / other)
}

/// Elo that a switch is expected to lose if the pairs alone determine its effect with the variance `chance`.
fn switch(known: Option<Known>, chance: f64) -> f64 {
    let loss = |(share, steps): (f64, f64)| {
        let (mean, precision) = known.map_or((0.0, 0.0), |known| {
            let moved = steps * SWITCH_SPREAD;
            (known.g / known.gg, 1.0 / (1.0 / known.gg + moved * moved))
        });
        let before = 1.0 / (1.0 / (SWITCH_SPREAD * SWITCH_SPREAD) + precision);
        let (mean, after) = (before * precision * mean, 1.0 / (1.0 / before + 1.0 / chance));
        share * (above(mean, before) - above(mean, before - after))
    };
    moves(known.is_some()).into_iter().map(loss).sum()
}

/// The mean of the positive part of a Gaussian.
fn above(mean: f64, variance: f64) -> f64 {
    let sd = libm::sqrt(variance);
    let z = mean / sd;
    sd * libm::exp(-0.5 * z * z) / libm::sqrt(2.0 * std::f64::consts::PI) + mean * cdf(z)
}

/// Elo that the chosen value of a category is expected to lose to the best one, if the pairs alone determine the
/// difference of two values with the variance `chance`, in a category of only these two.
fn category(category: &Parameter, index: u64, known: Option<&Learnt>, chance: f64) -> f64 {
    let (values, start) = ((category.max() + 1.0) as usize, category.start() as usize);
    let known = match known {
        Some(Learnt::CategoryPosterior(worths)) if worths.count() == values => Some(worths),
        _ => None,
    };
    let nothing = || (Symmetric::zero(values - 1), vec![0.0; values - 1]);
    chosen(known.map_or_else(nothing, |known| known.columns(start)), chance, index).unwrap_or_default()
}

/// The expected loss if the worths relative to the start's are known with this precision, including the prior; `None`
/// if the numbers have degenerated.
fn chosen((mut precision, mut mean): (Symmetric, Vec<f64>), chance: f64, index: u64) -> Option<f64> {
    let others = mean.len();
    precision.add_diagonal(&vec![1.0 / (SWITCH_SPREAD * SWITCH_SPREAD); others]);
    let before = precision.cholesky()?;
    before.solve(&mut mean);
    // The weight of a pair of values chosen evenly: a value is in one of (others + 1) / 2 pairs.
    let together = 2.0 / (chance * (others + 1) as f64 * others as f64);
    precision.add_outer(&vec![1.0; others], -together);
    precision.add_diagonal(&vec![together * (others + 1) as f64; others]);
    let (before, after) = (before.inverse(), precision.cholesky()?.inverse());
    let learnt = before.packed().iter().zip(after.packed()).map(|(before, after)| before - after).collect();
    let (all, learnt) = (before.cholesky()?, Symmetric::from_packed(others, learnt)?.cholesky()?);
    let best = |factor: &Factor, z: &[f64]| {
        let worths = factor.times(z).into_iter().zip(&mean).map(|(off, mean)| mean + off);
        worths.fold(0.0, |best, worth| if worth > best { worth } else { best })
    };
    let draw = |draw: u64| {
        let mut stream = Stream::new(draw, Purpose::Chances, index);
        let z: Vec<f64> = (0..others).map(|_| stream.normal()).collect();
        best(&all, &z) - best(&learnt, &z)
    };
    let loss = (0..DRAWS).map(draw).sum::<f64>() / DRAWS as f64;
    Some(if loss > 0.0 { loss } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Method;
    use crate::parameter::{Kind, Parameter};
    use crate::quadratic::{CategoryPosterior, Quadratic};
    use crate::regret::instance::{Instance, Surface};
    use crate::regret::oracle::Noise;
    use crate::regret::runner::Session;
    use crate::regret::warm::Changed;

    #[test]
    #[ignore = "slow"]
    fn the_forecast_is_what_the_benchmark_measures() {
        for (dimension, pairs) in [(4, 10_000), (9, 5000)] {
            let config = Config::default();
            let one = |seed| {
                let instance = Instance::new(dimension, seed, Surface::Real);
                let mut method = Quadratic::new(instance.space(1.0).unwrap(), config, seed, pairs).unwrap();
                Session { pairs, lag: 1, noise: Noise::Chess, seed }.play(&mut method, &instance)
            };
            let measured = (3000..3008).map(one).sum::<f64>() / 8.0;
            let space = Instance::new(dimension, 0, Surface::Real).space(1.0).unwrap();
            let expected = forecast(&space, &config, None, PairNoise::DRAWISH, pairs).pop().unwrap().regret;
            assert!(measured < 1.6 * expected && expected < 1.6 * measured, "{expected} expected, {measured} measured");
        }
    }

    #[test]
    #[ignore = "slow"]
    fn the_forecast_is_what_sessions_say_of_themselves() {
        for (dimension, pairs, seeds) in
            [(4, 30, 16), (4, 300, 16), (9, 300, 16), (20, 300, 8), (9, 3000, 4), (20, 3000, 2)]
        {
            let config = Config::default();
            let one = |seed| {
                let instance = Instance::new(dimension, seed, Surface::Real);
                let mut method = Quadratic::new(instance.space(1.0).unwrap(), config, seed, pairs).unwrap();
                Session { pairs, lag: 1, noise: Noise::Chess, seed }.play(&mut method, &instance);
                method.answer().regret.unwrap()
            };
            let reported = (3000..3000 + seeds).map(one).sum::<f64>() / seeds as f64;
            let space = Instance::new(dimension, 0, Surface::Real).space(1.0).unwrap();
            let expected = forecast(&space, &config, None, PairNoise::DRAWISH, pairs).pop().unwrap().regret;
            assert!(
                reported < 1.6 * expected && expected < 1.4 * reported,
                "{dimension}, {pairs}: {expected}, {reported} reported"
            );
        }
    }

    #[test]
    fn a_switch_adds_what_a_session_says_of_one() {
        let switch = Parameter::new("panic".to_owned(), Kind::Boolean, 0.0, (0.0, 1.0), 1.0).unwrap();
        let space = Space::new(vec![switch]).unwrap();
        let fresh = Quadratic::new(space.clone(), Config::default(), 1, 10).unwrap().answer().regret.unwrap();
        let first = forecast(&space, &Config::default(), None, PairNoise::DRAWISH, 1).pop().unwrap().regret;
        assert!((first - fresh).abs() < 0.1 * fresh, "{first} expected of one pair, {fresh} before any");
        let last = forecast(&space, &Config::default(), None, PairNoise::DRAWISH, 100_000).pop().unwrap().regret;
        assert!(last < 0.1 * first, "{last} of {first}");
    }

    #[test]
    fn a_category_adds_what_a_session_says_of_one() {
        let category = Parameter::new("mode".to_owned(), Kind::Category, 2.0, (0.0, 4.0), 1.0).unwrap();
        let space = Space::new(vec![category]).unwrap();
        let fresh = Quadratic::new(space.clone(), Config::default(), 1, 10).unwrap().answer().regret.unwrap();
        let all = forecast(&space, &Config::default(), None, PairNoise::DRAWISH, 160_000);
        let (first, last) = (all[0].regret, all.last().unwrap().regret);
        assert!((first - fresh).abs() < 0.15 * fresh, "{first} expected of few pairs, {fresh} before any");
        assert!(all.windows(2).all(|w| w[1].regret < w[0].regret) && last < 0.1 * first, "{all:?}");
        let worths = CategoryPosterior::new(vec![0.2; 15], vec![0.0; 5]).unwrap().converted_to(&[None; 5]);
        let nothing = Earlier { known: vec![Some(Learnt::CategoryPosterior(worths))], pairs: 1.0 };
        let again = forecast(&space, &Config::default(), Some(&nothing), PairNoise::DRAWISH, 160_000);
        assert!((again[0].regret - first).abs() < 0.01 * first, "{again:?}");
    }

    #[test]
    fn what_is_known_of_a_switch_leaves_less_to_be_lost() {
        let known = |gg: f64, g: f64| Some(Known { gg, g, ..Known::default() });
        assert!(switch(known(0.2, 0.0), 1e4) < switch(None, 1e4));
        // A value far from 0 is hardly uncertain.
        assert!(switch(known(0.2, 2.0), 1e4) < 0.5 * switch(known(0.2, 0.0), 1e4));
        assert!(switch(known(0.2, 0.0), 1.0) < 0.5 * switch(known(0.2, 0.0), 1e4));
    }

    #[test]
    #[ignore = "slow"]
    fn the_forecast_after_an_earlier_session_is_what_the_benchmark_measures() {
        let (config, pairs) = (Config::default(), 1500);
        let one = |seed| {
            let session = |seed, pairs| Session { pairs, lag: 1, noise: Noise::Chess, seed };
            let engine = Changed::new(4, Surface::Real, &session(seed, 5000), 0.4).unwrap();
            let space = engine.space().unwrap();
            let earlier = engine.earlier(&space, 0.5);
            let forecast = forecast(&space, &config, Some(&earlier), PairNoise::DRAWISH, pairs).pop().unwrap().regret;
            let mut method = engine.method(seed, pairs, 0.5).unwrap();
            (forecast, session(seed + 100_000, pairs).play(&mut method, &engine.now))
        };
        let all: Vec<(f64, f64)> = (3000..3008).map(one).collect();
        let (expected, measured): (f64, f64) = all.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        assert!(measured < 1.6 * expected && expected < 1.6 * measured, "{expected} expected, {measured} measured");
    }

    #[test]
    #[ignore = "slow"]
    fn few_pairs_find_little_of_what_many_parameters_hide() {
        let resolves = |dimension, pairs| {
            let space = Instance::new(dimension, 0, Surface::Real).space(1.0).unwrap();
            resolution(&space, &Config::default(), None, PairNoise::DRAWISH, pairs)
        };
        let (few, many) = (resolves(4, 20_000), resolves(300, 1000));
        assert!(few.found > 0.85 && few.pairs_for_half < 4000, "{few:?}");
        assert!(many.found < 0.2 && many.pairs_for_half > 10_000, "{many:?}");
        assert!(resolves(300, many.pairs_for_half).found >= 0.5);
    }

    #[test]
    fn more_pairs_resolve_more() {
        let space = Instance::new(6, 0, Surface::Quad).space(1.0).unwrap();
        let all = forecast(&space, &Config::default(), None, PairNoise::DECISIVE, 4000);
        assert_eq!(all.len(), 10);
        assert!(all.windows(2).all(|w| w[0].pairs < w[1].pairs && w[0].regret > w[1].regret));
    }

    #[test]
    fn the_noises_are_those_of_the_benchmark() {
        for (noise, pair) in [(Noise::Chess, PairNoise::DRAWISH), (Noise::Decisive, PairNoise::DECISIVE)] {
            let moments = |delta: f64| {
                let p = noise.pentanomial(delta);
                let nets = [-2.0, -1.0, 0.0, 1.0, 2.0];
                let mean: f64 = p.iter().zip(nets).map(|(p, n)| p * n).sum();
                (mean, p.iter().zip(nets).map(|(p, n)| p * n * n).sum::<f64>())
            };
            assert!((moments(0.0).1 - pair.variance).abs() < 1e-3);
            assert!((moments(1.0).0 - pair.slope).abs() < 1e-5);
        }
    }
}
