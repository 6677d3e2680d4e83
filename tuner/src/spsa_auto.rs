//! Method `spsa-auto`: SPSA whose gain and perturbation follow from the number of pairs, with iterate averaging.
//!
//! The perturbation is c = 2 (N / 20,000)^(-1/6) steps: the noise of the optimum falls as 1/c^2 and the bias of a
//! skewed optimum grows as c^4, which balance there. An iterate theta moves by R c (wins - losses) f per pair, which
//! shrinks its distance to the optimum at the rate 4 kappa q R c^2 a pair (q: Elo lost one step off; kappa = 4 ln 10 /
//! 1600: wins minus losses a pair gains per Elo). The gain is chosen so that a parameter of typical q shrinks e^-8-fold
//! over the session, and decays as (A + k)^-0.602. Such a gain is noisy, so the answer is the mean of the iterates,
//! with weight k for iterate k (averaging: Polyak and Juditsky 1992).

use crate::method::{Answer, Method, Trial};
use crate::parameter::{Parameter, SpaceError};
use crate::perturbation;
use crate::random::{Purpose, Stream};
use crate::setup::{MethodInfo, Setup};
use crate::space::Space;
use crate::trace::{Recorder, Trace};
use stats::PairOutcome;

/// Wins minus losses that a pair gains per Elo if games follow the logistic curve alone: 4 ln 10 / 1600.
const SLOPE: f64 = 4.0 * std::f64::consts::LN_10 / 1600.0;

/// The method in the registry.
pub(crate) const METHOD: MethodInfo =
    MethodInfo { name: "spsa-auto", at_limits: false, with_earlier: false, with_regret: false, begin };

fn begin(setup: Setup) -> Result<Box<dyn Method>, SpaceError> {
    let Setup { space, seed, pairs, .. } = setup;
    Ok(Box::new(SpsaAuto::new(space, Config::default(), seed, pairs)?))
}

/// The constants of the schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The perturbation of a session of 20,000 pairs, in steps.
    pub perturbation: f64,
    /// Elo that a typical parameter loses one step off its optimum.
    pub sensitivity: f64,
    /// The number of time constants for which such a parameter converges.
    pub convergence: f64,
    /// The decay exponent of the gain.
    pub alpha: f64,
    /// The stability constant A as a share of the planned pairs.
    pub stability: f64,
    /// The number of pairs that share one sign vector, at least 1.
    pub batch: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { perturbation: 2.0, sensitivity: 0.5, convergence: 8.0, alpha: 0.602, stability: 0.1, batch: 8 }
    }
}

/// The state of a session: the iterate, its weighted mean, and the wins of the current batch.
#[derive(Clone, Debug)]
pub struct SpsaAuto {
    space: Space,
    config: Config,
    seed: u64,
    planned: f64,
    iterate: Vec<f64>,
    mean: Vec<f64>,
    weight: f64,
    balance: f64,
    absorbed: u64,
    course: Recorder,
}

impl SpsaAuto {
    /// Makes a session of `pairs` planned pairs.
    ///
    /// # Errors
    /// [`SpaceError::TooFewPairs`], or [`SpaceError::Unsupported`] for booleans.
    pub fn new(space: Space, config: Config, seed: u64, pairs: u64) -> Result<Self, SpaceError> {
        space.check_pairs(pairs)?;
        space.check_graded("spsa-auto")?;
        let zero = vec![0.0; space.dimension()];
        let config = Config { batch: config.batch.max(1), ..config };
        let course = Recorder::new(config.batch);
        let planned = pairs as f64;
        let (iterate, mean) = (zero.clone(), zero);
        Ok(Self { space, config, seed, planned, iterate, mean, weight: 0.0, balance: 0.0, absorbed: 0, course })
    }

    /// Half the difference of the sides, in steps.
    fn perturbation(&self) -> f64 {
        self.config.perturbation * libm::pow(self.planned / 20_000.0, -1.0 / 6.0)
    }

    /// R c of the batch that starts after `k` pairs. The sum of R c^2 over the session is `convergence` time constants.
    fn gain(&self, k: f64) -> f64 {
        let Config { sensitivity, convergence, alpha, stability, .. } = self.config;
        let a = stability * self.planned;
        let (whole, rest) = (libm::pow(a + self.planned, 1.0 - alpha), libm::pow(a, 1.0 - alpha));
        let scale = convergence * (1.0 - alpha) / (4.0 * SLOPE * sensitivity * (whole - rest));
        scale * libm::pow(a + k, -alpha) / self.perturbation()
    }

    fn signs(&self, batch: u64) -> Stream {
        Stream::new(self.seed, Purpose::Signs, batch)
    }

    /// Moves the iterate by the finished batch and the mean by the iterate.
    fn update(&mut self, batch: u64) {
        let first = (batch * self.config.batch) as f64;
        let push = self.gain(first) * self.balance;
        let mut signs = self.signs(batch);
        self.weight += first + 1.0;
        let share = (first + 1.0) / self.weight;
        for (x, parameter) in self.iterate.iter_mut().zip(self.space.parameters()) {
            let (low, high) = parameter.bounds();
            *x = (*x + push * signs.sign()).clamp(low, high);
        }
        self.space.arrange_evenly(&mut self.iterate);
        for (x, mean) in self.iterate.iter().zip(&mut self.mean) {
            *mean += share * (*x - *mean);
        }
        self.balance = 0.0;
    }
}

impl Method for SpsaAuto {
    fn name(&self) -> &'static str {
        METHOD.name
    }

    fn ask(&mut self, pair: u64) -> Trial {
        let batch = pair / self.config.batch;
        let c = self.perturbation();
        perturbation::sides(&self.space, &self.iterate, c, self.seed, batch)
    }

    fn tell(&mut self, pair: u64, _proposal: &Trial, outcome: PairOutcome) {
        self.balance += outcome.net();
        self.absorbed = pair + 1;
        if self.absorbed.is_multiple_of(self.config.batch) || self.absorbed == self.planned as u64 {
            self.update(pair / self.config.batch);
        }
        perturbation::record(&mut self.course, &self.space, &self.mean, self.absorbed);
    }

    fn answer(&self) -> Answer {
        let c = self.perturbation();
        perturbation::answer(&self.space, &self.mean, c, self.absorbed)
    }

    fn traces(&self) -> Vec<Trace> {
        self.course.traces(self.space.parameters().iter().map(Parameter::name))
    }

    fn design_pairs(&self) -> u64 {
        self.config.batch
    }

    fn copied(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}
