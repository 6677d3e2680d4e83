//! What a session is expected to resolve before it is played: numbers for a dry run.
//!
//! The beliefs are those that a session of the method `quadratic` starts with (`quadratic::prior`): how sensitive parameters
//! are and how far from the start their optima lie. Before any pair a parameter of sensitivity q whose optimum is usually r steps
//! away loses q r^2 Elo. With a pair's variance s^2 and slope kappa (wins minus losses per Elo), a drop of T Elo on each side and N
//! pairs, its optimum is known to s^2 / (16 kappa^2 T N) Elo of expected loss; learning the way there costs `OVERHEAD` times as
//! much. The two combine as precisions do. So the forecast is what the session itself says of its regret, on average.

use serde::Serialize;

use crate::quadratic::{self, Config, SWITCH_SPREAD};
use crate::space::Space;

/// Measured loss of the method `quadratic` over the formula's: 1.7 to 2.7 over 4 to 20 parameters and 5,000 to 200,000 pairs.
const OVERHEAD: f64 = 2.2;
/// Elo that a parameter of typical sensitivity loses one step off its optimum.
const TYPICAL: f64 = 0.5;

/// How much one pair says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairNoise {
    /// Variance of wins minus losses of a pair of equal sides.
    pub variance: f64,
    /// Wins minus losses that a pair gains per Elo.
    pub slope: f64,
}

impl PairNoise {
    /// Games of which 60 % are drawn, on openings that favour one side by 30 or 170 Elo.
    pub const DRAWISH: Self = Self { variance: 0.738, slope: 0.00514 };
    /// Games of which 6 % are drawn, on openings that favour one side by 20 or 80 Elo.
    pub const DECISIVE: Self = Self { variance: 1.827, slope: 0.00560 };
}

/// What is expected after so many pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// Pairs played.
    pub pairs: u64,
    /// Elo that the answer is expected to lose to the best values.
    pub regret: f64,
    /// Standard deviation of a typical parameter's optimum, in its steps.
    pub sd_steps: f64,
}

/// The forecast of a session of the method `quadratic` for `pairs` pairs, and for its halves down to one pair a parameter,
/// shortest first.
pub fn forecast(space: &Space, config: &Config, noise: PairNoise, pairs: u64) -> Vec<Forecast> {
    let switches = space.parameters().iter().filter(|p| !p.is_graded()).count();
    let graded = space.dimension() - switches;
    let halves = std::iter::successors(Some(pairs), |n| Some(n / 2));
    let mut lengths: Vec<u64> = halves.take_while(|&n| n > 0 && n >= space.dimension() as u64).collect();
    lengths.reverse();
    let prior = quadratic::prior(config).all();
    let expect = |pairs: u64| {
        let learnt = learnt(config, noise, space.dimension(), pairs as f64);
        let one: f64 = prior.iter().map(|(weight, q, reach)| weight * both(learnt, q * reach * reach)).sum();
        let typical: f64 = prior.iter().map(|(weight, _, reach)| weight * both(learnt, TYPICAL * reach * reach)).sum();
        let regret = one * graded as f64 + switch(noise, pairs as f64) * switches as f64;
        Forecast { pairs, regret, sd_steps: libm::sqrt(typical / TYPICAL) }
    };
    lengths.into_iter().map(expect).collect()
}

/// Elo that one parameter is expected to lose after `pairs` pairs that alone say where its optimum is.
fn learnt(config: &Config, noise: PairNoise, parameters: usize, pairs: f64) -> f64 {
    let drop = config.steps.target(pairs);
    let limit = config.steps.mean_drop(parameters);
    let drop = if drop < limit { drop } else { limit };
    OVERHEAD * noise.variance / (16.0 * noise.slope * noise.slope * drop * pairs)
}

/// Elo expected to be lost by what two sources say, each of which alone would leave so much.
fn both(one: f64, other: f64) -> f64 {
    1.0 / (1.0 / one + 1.0 / other)
}

/// Elo that a switch is expected to lose after `pairs` pairs: E|effect| / 2 before any, less what its estimate of variance v is
/// worth; the mean of |N(0, v)| is sqrt(2 v / pi).
fn switch(noise: PairNoise, pairs: f64) -> f64 {
    let prior = SWITCH_SPREAD * SWITCH_SPREAD;
    let chance = noise.variance / (noise.slope * noise.slope * pairs);
    let known = libm::sqrt(prior * prior / (prior + chance));
    (SWITCH_SPREAD - known) / libm::sqrt(2.0 * std::f64::consts::PI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Method;
    use crate::quadratic::Quadratic;
    use crate::regret::instance::{Instance, Surface};
    use crate::regret::oracle::Noise;
    use crate::regret::runner::Session;
    use crate::space::{Kind, Parameter};

    #[test]
    fn the_forecast_is_what_the_benchmark_measures() {
        for (dimension, pairs) in [(4, 20_000), (9, 10_000)] {
            let config = Config::default();
            let one = |seed| {
                let instance = Instance::new(dimension, seed, Surface::Real);
                let mut method = Quadratic::new(instance.space(1.0).unwrap(), config, seed, pairs).unwrap();
                Session { pairs, lag: 1, noise: Noise::Chess, seed }.play(&mut method, &instance)
            };
            let measured = (3000..3016).map(one).sum::<f64>() / 16.0;
            let space = Instance::new(dimension, 0, Surface::Real).space(1.0).unwrap();
            let expected = forecast(&space, &config, PairNoise::DRAWISH, pairs).pop().unwrap().regret;
            assert!(measured < 1.6 * expected && expected < 1.6 * measured, "{expected} expected, {measured} measured");
        }
    }

    #[test]
    fn the_forecast_is_what_sessions_say_of_themselves() {
        for (dimension, pairs) in [(4, 30), (4, 300), (9, 300), (20, 300), (9, 3000), (20, 3000)] {
            let config = Config::default();
            let one = |seed| {
                let instance = Instance::new(dimension, seed, Surface::Real);
                let mut method = Quadratic::new(instance.space(1.0).unwrap(), config, seed, pairs).unwrap();
                Session { pairs, lag: 1, noise: Noise::Chess, seed }.play(&mut method, &instance);
                method.answer().regret.unwrap()
            };
            let said = (3000..3016).map(one).sum::<f64>() / 16.0;
            let space = Instance::new(dimension, 0, Surface::Real).space(1.0).unwrap();
            let expected = forecast(&space, &config, PairNoise::DRAWISH, pairs).pop().unwrap().regret;
            assert!(said < 1.4 * expected && expected < 1.4 * said, "{dimension}, {pairs}: {expected}, {said} said");
        }
    }

    #[test]
    fn a_switch_adds_what_a_session_says_of_one() {
        let switch = Parameter::new("panic".to_owned(), Kind::Boolean, 0.0, (0.0, 1.0), 1.0).unwrap();
        let space = Space::new(vec![switch]).unwrap();
        let fresh = Quadratic::new(space.clone(), Config::default(), 1, 10).unwrap().answer().regret.unwrap();
        let first = forecast(&space, &Config::default(), PairNoise::DRAWISH, 1).pop().unwrap().regret;
        assert!((first - fresh).abs() < 0.1 * fresh, "{first} expected of one pair, {fresh} said before any");
        let last = forecast(&space, &Config::default(), PairNoise::DRAWISH, 100_000).pop().unwrap().regret;
        assert!(last < 0.1 * first, "{last} of {first}");
    }

    #[test]
    fn more_pairs_resolve_more() {
        let space = Instance::new(6, 0, Surface::Quad).space(1.0).unwrap();
        let all = forecast(&space, &Config::default(), PairNoise::DECISIVE, 4000);
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
