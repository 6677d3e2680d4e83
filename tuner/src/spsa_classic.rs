//! Method `spsa-classic`: SPSA with large synchronous batches, as used to tune the reigning 0.1 engine.
//!
//! All pairs of a batch are played around the same centre, each with its own sign vector f. With k pairs before the
//! batch and t = 1 + k / skip: `delta = delta_0 / t^gamma` and the learning rate is `rate_0 / t^alpha`, both on a scale
//! on which one user step is `delta_0`. A pair's gradient estimate is (wins - losses) / (2 delta f); the batch's sum
//! moves the centre, which is clipped at the end of the batch. Asks of a batch wait for the batch before it
//! ([`Barrier::Batch`]).

use crate::method::{Answer, Barrier, Method, Trial};
use crate::parameter::{Parameter, SpaceError};
use crate::perturbation;
use crate::random::{Purpose, Stream};
use crate::setup::{MethodInfo, Setup};
use crate::space::Space;
use crate::trace::{Recorder, Trace};
use stats::PairOutcome;

/// The method in the registry.
pub(crate) const METHOD: MethodInfo =
    MethodInfo { name: "spsa-classic", at_limits: false, with_earlier: false, with_regret: false, begin };

fn begin(setup: Setup) -> Result<Box<dyn Method>, SpaceError> {
    let Setup { space, seed, pairs, .. } = setup;
    Ok(Box::new(SpsaClassic::new(space, Config::default(), seed, pairs)?))
}

/// The schedule; the defaults are those used for that engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The perturbation at the start, on the internal scale; one user step is this long.
    pub delta: f64,
    /// The decay exponent of the perturbation.
    pub gamma: f64,
    /// The learning rate at the start, on the internal scale.
    pub rate: f64,
    /// The decay exponent of the learning rate.
    pub alpha: f64,
    /// The number of pairs after which the schedule's time has doubled.
    pub skip: f64,
    /// The number of pairs played around one centre, at least 1.
    pub batch: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { delta: 0.2, gamma: 0.15, rate: 0.003, alpha: 0.7, skip: 1000.0, batch: 1000 }
    }
}

/// The state of a session: the centre and the sum of the gradients of the current batch.
#[derive(Clone, Debug)]
pub struct SpsaClassic {
    space: Space,
    config: Config,
    seed: u64,
    planned: u64,
    centre: Vec<f64>,
    gradient: Vec<f64>,
    absorbed: u64,
    course: Recorder,
}

impl SpsaClassic {
    /// Makes a session of `pairs` planned pairs.
    ///
    /// # Errors
    /// [`SpaceError::TooFewPairs`], or [`SpaceError::Unsupported`] for booleans.
    pub fn new(space: Space, config: Config, seed: u64, pairs: u64) -> Result<Self, SpaceError> {
        space.check_pairs(pairs)?;
        space.check_graded("spsa-classic")?;
        let zero = vec![0.0; space.dimension()];
        let config = Config { batch: config.batch.max(1), ..config };
        let course = Recorder::new(config.batch);
        Ok(Self { space, config, seed, planned: pairs, centre: zero.clone(), gradient: zero, absorbed: 0, course })
    }

    /// The schedule's time for the batch of `pair`.
    fn time(&self, pair: u64) -> f64 {
        1.0 + (pair - pair % self.config.batch) as f64 / self.config.skip
    }

    /// Half the difference of the sides, in user steps.
    fn perturbation(&self, pair: u64) -> f64 {
        libm::pow(self.time(pair), -self.config.gamma)
    }

    /// Moves the centre by the gradients of the batch that ends with `pair`.
    fn update(&mut self, pair: u64) {
        let Config { delta, rate, alpha, .. } = self.config;
        let rate = rate / (delta * delta) * libm::pow(self.time(pair), -alpha);
        for ((x, g), parameter) in self.centre.iter_mut().zip(&mut self.gradient).zip(self.space.parameters()) {
            let (low, high) = parameter.bounds();
            *x = (*x + rate * *g).clamp(low, high);
            *g = 0.0;
        }
        self.space.arrange_evenly(&mut self.centre);
    }
}

impl Method for SpsaClassic {
    fn name(&self) -> &'static str {
        METHOD.name
    }

    fn ask(&mut self, pair: u64) -> Trial {
        let c = self.perturbation(pair);
        perturbation::sides(&self.space, &self.centre, c, self.seed, pair)
    }

    fn tell(&mut self, pair: u64, _proposal: &Trial, outcome: PairOutcome) {
        let slope = outcome.net() / (2.0 * self.perturbation(pair));
        let mut signs = Stream::new(self.seed, Purpose::Signs, pair);
        self.gradient.iter_mut().for_each(|g| *g += slope * signs.sign());
        self.absorbed = pair + 1;
        if self.absorbed.is_multiple_of(self.config.batch) || self.absorbed == self.planned {
            self.update(pair);
        }
        perturbation::record(&mut self.course, &self.space, &self.centre, self.absorbed);
    }

    fn answer(&self) -> Answer {
        let c = self.perturbation(self.absorbed);
        perturbation::answer(&self.space, &self.centre, c, self.absorbed)
    }

    fn traces(&self) -> Vec<Trace> {
        self.course.traces(self.space.parameters().iter().map(Parameter::name))
    }

    fn design_pairs(&self) -> u64 {
        self.config.batch
    }

    fn barrier(&self) -> Barrier {
        Barrier::Batch(self.config.batch)
    }

    fn copied(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}
