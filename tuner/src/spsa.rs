//! Method `spsa`: simultaneous perturbation stochastic approximation on fishtest's schedule.
//!
//! With N planned pairs, A = floor(0.1 N), alpha = 0.602, gamma = 0.101 (Spall 1998): `c_k = c_end (N/k)^gamma` and
//! `R_k = a_0 / (A+k)^alpha / c_k^2` with `a_0 = r_end c_end^2 (A+N)^alpha`, so that c and R end at the user's `c_end`
//! (one step) and `r_end`. Pairs of one batch share a sign vector f and are played at theta + c f and theta - c f. When
//! the batch is absorbed, theta moves by R c (wins - losses) f, with the k at which the batch was asked, and is clipped
//! to the range. Both sides are rounded by one common random number (as in `OpenBench`), which leaves the gradient
//! unbiased.

use crate::method::{Answer, Method, Trial};
use crate::parameter::{Parameter, SpaceError};
use crate::perturbation;
use crate::random::{Purpose, Stream};
use crate::setup::{MethodInfo, Setup};
use crate::space::Space;
use crate::trace::{Recorder, Trace};
use stats::PairOutcome;

/// The method in the registry.
pub(crate) const METHOD: MethodInfo =
    MethodInfo { name: "spsa", at_limits: false, with_earlier: false, with_regret: false, begin };

fn begin(setup: Setup) -> Result<Box<dyn Method>, SpaceError> {
    let Setup { space, seed, pairs, gains, .. } = setup;
    Ok(Box::new(Spsa::with_gains(space, Config::default(), gains, seed, pairs)?))
}

/// Spall's exponents and the default constants of fishtest's form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The stability constant A as a share of the planned pairs.
    pub stability: f64,
    /// The decay exponent alpha of the gain.
    pub alpha: f64,
    /// The decay exponent gamma of the perturbation.
    pub gamma: f64,
    /// The gain R at the last pair.
    pub r_end: f64,
    /// The number of pairs that share one sign vector, at least 1.
    pub batch: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self { stability: 0.1, alpha: 0.602, gamma: 0.101, r_end: 0.002, batch: 8 }
    }
}

/// The state of a session: the iterate and the wins of the current batch.
#[derive(Clone, Debug)]
pub struct Spsa {
    space: Space,
    config: Config,
    seed: u64,
    planned: f64,
    gain: Vec<f64>,
    theta: Vec<f64>,
    balance: f64,
    absorbed: u64,
    course: Recorder,
}

impl Spsa {
    /// Makes a session of `pairs` planned pairs. Perturbations end at one step of each parameter.
    ///
    /// # Errors
    /// [`SpaceError::TooFewPairs`], or [`SpaceError::Unsupported`] for booleans.
    pub fn new(space: Space, config: Config, seed: u64, pairs: u64) -> Result<Self, SpaceError> {
        let gain = vec![config.r_end; space.dimension()];
        Self::with_gains(space, config, gain, seed, pairs)
    }

    /// Like [`Spsa::new`] with a separate `r_end` for each parameter, in the order of the space; missing ones are those
    /// of the configuration.
    ///
    /// # Errors
    /// The errors of [`Spsa::new`].
    pub fn with_gains(
        space: Space,
        config: Config,
        mut gains: Vec<f64>,
        seed: u64,
        pairs: u64,
    ) -> Result<Self, SpaceError> {
        space.check_pairs(pairs)?;
        space.check_graded("spsa")?;
        gains.resize(space.dimension(), config.r_end);
        let theta = vec![0.0; space.dimension()];
        let config = Config { batch: config.batch.max(1), ..config };
        let course = Recorder::new(config.batch);
        Ok(Self { space, config, seed, planned: pairs as f64, gain: gains, theta, balance: 0.0, absorbed: 0, course })
    }

    /// `c_k` in steps at pair number `k`, counted from 1.
    fn perturbation(&self, k: f64) -> f64 {
        libm::pow(self.planned / k, self.config.gamma)
    }

    /// `R_k / r_end` at pair number `k`, counted from 1.
    fn decay(&self, k: f64) -> f64 {
        let stability = libm::floor(self.config.stability * self.planned);
        let c = self.perturbation(k);
        libm::pow((stability + self.planned) / (stability + k), self.config.alpha) / (c * c)
    }

    fn signs(&self, batch: u64) -> Stream {
        Stream::new(self.seed, Purpose::Signs, batch)
    }

    /// Moves the iterate by the finished batch.
    fn update(&mut self, batch: u64) {
        let k = (batch * self.config.batch + 1) as f64;
        let gain = self.decay(k) * self.perturbation(k) * self.balance;
        let mut signs = self.signs(batch);
        for ((theta, r_end), parameter) in self.theta.iter_mut().zip(&self.gain).zip(self.space.parameters()) {
            let (low, high) = parameter.bounds();
            *theta = (*theta + r_end * gain * signs.sign()).clamp(low, high);
        }
        self.space.arrange_evenly(&mut self.theta);
        self.balance = 0.0;
    }
}

impl Method for Spsa {
    fn name(&self) -> &'static str {
        METHOD.name
    }

    fn ask(&mut self, pair: u64) -> Trial {
        let batch = pair / self.config.batch;
        let c = self.perturbation((batch * self.config.batch + 1) as f64);
        perturbation::sides(&self.space, &self.theta, c, self.seed, batch)
    }

    fn tell(&mut self, pair: u64, _proposal: &Trial, outcome: PairOutcome) {
        self.balance += outcome.net();
        self.absorbed = pair + 1;
        if self.absorbed.is_multiple_of(self.config.batch) || self.absorbed == self.planned as u64 {
            self.update(pair / self.config.batch);
        }
        perturbation::record(&mut self.course, &self.space, &self.theta, self.absorbed);
    }

    fn answer(&self) -> Answer {
        let c = self.perturbation(self.planned.min(self.absorbed as f64 + 1.0));
        perturbation::answer(&self.space, &self.theta, c, self.absorbed)
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
