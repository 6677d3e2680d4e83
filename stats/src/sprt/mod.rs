//! The sequential probability ratio test: given one observation at a time, it decides when to stop and for which
//! hypothesis.
//!
//! Wald's bounds on the generalised log-likelihood ratio, moved inwards by the expected overshoot. This module owns the
//! decision; [`crate::likelihood`] computes the ratio.

mod after;
mod config;
mod exit;
mod few;
mod left;
mod overshoot;
mod preset;

pub use after::AfterTest;
pub use config::{LEAST_ERROR_RATE, SprtConfig, SprtError, is_error_rate};
pub use left::left;
pub use overshoot::Overshoot;
pub use preset::{NON_REGRESSION, PRESETS, Preset, UnknownPreset};

use crate::counted::Counts;
use crate::counts::{PairCounts, Tally, Wdl};
use crate::law::{Law, Unit};
use crate::likelihood::{self, Hypothesis, Model, Ratio, WarmStart};

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SprtState {
    /// Neither bound is reached.
    #[default]
    Continue,
    /// The lower bound is reached: H0 is accepted.
    H0,
    /// The upper bound is reached: H1 is accepted.
    H1,
}

/// Within a share of 1/STEADY more observations the weight of each changes by a few percent at most, which CAUTION
/// covers.
const STEADY: f64 = 100.0;
const CAUTION: f64 = 1.25;

/// How far, in nats times observations, the ratio of estimated laws strays in the direction of a verdict. Without any
/// correction a test of n = 100 pairs has the requested error rates, although its overshoot of 0.2 nats should make
/// errors a fifth rarer: the noise is estimated from the same few pairs, and a test ends most easily if it is
/// underestimated. The effect is of the order 1/n, so it matters in short tests only; its size was found by simulation
/// (see "Error rates" in `docs/measurements/statistics.md`).
const FINITE_SAMPLE: f64 = 12.0;

/// The bounds of a log-likelihood ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Below it H0 is accepted.
    pub lower: f64,
    /// Above it H1 is accepted.
    pub upper: f64,
}

/// A running test over pairs (or, as `Sprt<Wdl>`, over single games).
#[derive(Debug, Clone)]
pub struct Sprt<T: Tally = PairCounts> {
    config: SprtConfig,
    tally: T,
    /// `None` if the hypotheses depend on the sample (the Bayesian model takes its draw rate from it).
    fixed: Option<[Hypothesis; 2]>,
    warm: [WarmStart; 2],
    ratio: Ratio,
    overshoot: Option<Overshoot>,
    bounds: Bounds,
    state: SprtState,
}

impl Sprt<PairCounts> {
    /// Makes a test over pairs.
    ///
    /// # Errors
    /// [`SprtError`] if the configuration is not a valid test.
    pub fn new(config: SprtConfig) -> Result<Self, SprtError> {
        Self::start(config, Unit::Pair)
    }
}

impl Sprt<Wdl> {
    /// Makes a test over single games.
    ///
    /// # Errors
    /// [`SprtError`] if the configuration is not a valid test.
    pub fn over_games(config: SprtConfig) -> Result<Self, SprtError> {
        Self::start(config, Unit::Game)
    }
}

impl Sprt<Counts> {
    /// Makes a test over pairs or games, by the unit of `counts`, whose observations count as absorbed.
    ///
    /// # Errors
    /// [`SprtError`] if the configuration is not a valid test.
    pub fn counting(config: SprtConfig, counts: Counts) -> Result<Self, SprtError> {
        Ok(Self { tally: counts, ..Self::start(config, counts.unit())? })
    }
}

impl<T: Tally> Sprt<T> {
    fn start(config: SprtConfig, unit: Unit) -> Result<Self, SprtError> {
        config.check()?;
        let fixed = match config.model {
            Model::Bayesian => None,
            Model::Logistic | Model::Normalized => Some(config.hypotheses(unit, None)),
        };
        Ok(Self {
            config,
            tally: T::default(),
            fixed,
            warm: [WarmStart::default(); 2],
            ratio: Ratio::default(),
            overshoot: config.overshoot.then(Overshoot::default),
            bounds: config.wald_bounds(),
            state: SprtState::Continue,
        })
    }

    /// Absorbs one observation and returns the state of the test. A stopped test keeps counting, but its state stays.
    pub fn update(&mut self, outcome: T::Outcome) -> SprtState {
        self.update_batch(&[outcome])
    }

    /// Absorbs several observations between two looks at the bounds.
    pub fn update_batch(&mut self, outcomes: &[T::Outcome]) -> SprtState {
        for &outcome in outcomes {
            self.tally.add(outcome);
        }
        let law = self.tally.law();
        let hypotheses = self.fixed.unwrap_or_else(|| self.config.hypotheses(law.unit, self.tally.games().as_ref()));
        self.ratio = likelihood::ratio_from(&law, hypotheses, &mut self.warm);
        if self.state == SprtState::Continue {
            if let Some(overshoot) = &mut self.overshoot {
                overshoot.record(self.ratio.llr);
            }
            self.bounds = self.moved_bounds(FINITE_SAMPLE / law.size);
            self.state = self.bounds.judge(self.ratio.llr);
        }
        self.state
    }

    /// The state of the test.
    pub fn state(&self) -> SprtState {
        self.state
    }

    /// Log-likelihood ratio of H1 against H0, in nats; 0 before the first observation.
    pub fn llr(&self) -> f64 {
        self.ratio.llr
    }

    /// The current bounds: Wald's, moved inwards by the overshoot expected so far, less the possible error of the ratio
    /// in a test of this length; after a verdict, those of the verdict.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Wald's bounds, moved inwards by the expected overshoot less `margin`, but not outwards.
    fn moved_bounds(&self, margin: f64) -> Bounds {
        let wald = self.config.wald_bounds();
        let inwards = |expected: f64| (expected - margin).max(0.0);
        let (low, high) = self.overshoot.map_or((0.0, 0.0), |o| (inwards(o.low()), inwards(o.high())));
        Bounds { lower: wald.lower + low, upper: wald.upper - high }
    }

    /// The observed overshoot; `None` if its correction is off.
    pub fn overshoot(&self) -> Option<Overshoot> {
        self.overshoot
    }

    /// The number of further observations that can neither end the test nor bring its ratio to a new extreme, whatever
    /// their outcomes. Callers that do not watch the ratio may absorb this many and one more in one batch: the verdict
    /// is the same.
    pub fn quiet_observations(&self) -> u64 {
        let size = self.tally.law().size;
        if size < STEADY {
            return 0;
        }
        let llr = self.ratio.llr;
        // Without a new extreme the bounds move no further inwards than this, for any number of observations.
        let mut quiet = self.moved_bounds(0.0);
        if let Some(overshoot) = &self.overshoot {
            let seen = overshoot.extremes();
            quiet = Bounds { lower: quiet.lower.max(seen.lower), upper: quiet.upper.min(seen.upper) };
        }
        let Bounds { lower, upper } = quiet;
        let room = (llr - lower).min(upper - llr).max(0.0);
        (room / (CAUTION * self.ratio.steepest)).min(size / STEADY) as u64
    }

    /// The estimate of the difference, corrected for the stopping rule; `None` before the first observation.
    pub fn estimate(&self) -> Option<AfterTest> {
        AfterTest::new(&self.config, &self.tally)
    }

    /// The counts so far.
    pub fn tally(&self) -> &T {
        &self.tally
    }

    /// The configuration of the test.
    pub fn config(&self) -> &SprtConfig {
        &self.config
    }
}

impl Bounds {
    /// The state for a log-likelihood ratio: accepts only beyond a bound, not on it.
    pub fn judge(&self, llr: f64) -> SprtState {
        if llr < self.lower {
            SprtState::H0
        } else if llr > self.upper {
            SprtState::H1
        } else {
            SprtState::Continue
        }
    }
}

/// Log-likelihood ratio of finished counts, for the hypotheses of `config`. Without counts it is 0 up to the 1e-6 that
/// the regularisation leaves.
///
/// # Errors
/// [`SprtError`] if the configuration is not a valid test, or is Bayesian while the counts do not determine draws.
pub fn llr_of_counts(config: &SprtConfig, counts: &impl Tally) -> Result<f64, SprtError> {
    config.check()?;
    let games = counts.games();
    if config.model == Model::Bayesian && games.is_none() {
        return Err(SprtError::DrawsUnknown);
    }
    let law: Law = counts.law();
    let [h0, h1] = config.hypotheses(law.unit, games.as_ref());
    Ok(likelihood::llr(&law, h0, h1))
}
