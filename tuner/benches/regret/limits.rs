//! The benchmark of sessions at several limits: surfaces whose optimum moves with the logarithm of the limit.
//!
//! At the target an engine is an [`Instance`]. At a limit whose logarithm is lambda below, the optimum of a coordinate
//! lies lambda d steps away. A third of the coordinates do not move; for the others d is normal, clipped at 2.5, times
//! an amount that is drawn for each engine, log-uniform in 0.05..0.5 steps per factor of e in the limit. The cost of a
//! pair is its limit's share of the target. The score is the loss of the answer at the target.

use super::instance::{Instance, Surface};
use super::runner::Session;
use tuner::limits::Limits;
use tuner::method::Method;
use tuner::random::Stream;

/// An engine whose optima move with the limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Drifting {
    /// The engine at the target.
    pub target: Instance,
    /// How far each optimum moves per factor of e in the limit, in steps.
    pub drift: Vec<f64>,
}

impl Drifting {
    /// The engine of `dimension` coordinates with this seed. `scale` multiplies the drift: 1 by default, 0 for none.
    pub fn new(dimension: usize, seed: u64, surface: Surface, scale: f64) -> Self {
        let target = Instance::new(dimension, seed, surface);
        let mut stream = Stream::from_seed(0xD21F_0000 + 1000 * dimension as u64 + 7919 * seed);
        let amount = scale * libm::exp(libm::log(0.05) + stream.uniform() * libm::log(10.0));
        let mut drift = || {
            let (moves, z) = (stream.uniform() < 2.0 / 3.0, stream.normal().clamp(-2.5, 2.5));
            if moves { amount * z } else { 0.0 }
        };
        let drift = (0..dimension).map(|_| drift()).collect();
        Self { target, drift }
    }

    /// The engine at a limit whose logarithm is `lambda` below the target's (at most 0).
    pub fn at(&self, lambda: f64) -> Instance {
        let mut instance = self.target.clone();
        for (optimum, drift) in instance.optimum.iter_mut().zip(&self.drift) {
            *optimum += lambda * drift;
        }
        instance
    }

    /// Plays a session at several limits and returns the Elo that its answer loses at the target.
    pub fn play(&self, session: &Session, method: &mut dyn Method, limits: &Limits) -> f64 {
        let surfaces: Vec<Instance> = limits.lambdas().iter().map(|&lambda| self.at(lambda)).collect();
        session.play_each(method, &|pair| &surfaces[limits.of(pair)]);
        self.lost(method)
    }

    /// Plays a session at a single limit, where a pair costs `cost` pairs at the target (0 to 1), and returns the Elo
    /// that its answer loses at the target.
    pub fn play_at(&self, session: &Session, method: &mut dyn Method, cost: f64) -> f64 {
        session.play(method, &self.at(libm::log(cost)));
        self.lost(method)
    }

    fn lost(&self, method: &dyn Method) -> f64 {
        self.target.loss(&self.target.coordinates(&method.answer().values))
    }
}
