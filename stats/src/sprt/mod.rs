//! The sequential probability ratio test: fed observation by observation, it says when to stop and for which
//! hypothesis.
//!
//! Wald's bounds on the generalised log-likelihood ratio, moved inwards by the expected overshoot. Owns the decision;
//! the ratio itself is [`crate::likelihood`]'s.

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

/// Where a test stands.
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

/// How far, in nats times observations, the ratio of laws that are themselves estimated strays in the direction of a
/// verdict. Without any correction a test of n = 100 pairs has the errors asked for, although its overshoot of 0.2 nats
/// should make them a fifth rarer: the noise is estimated from the same few pairs, and a test ends most easily where it
/// is underestimated. That effect is of the order 1/n, so it matters in short tests only; its size was found by
/// simulation (see "Error rates" in `docs/measurements/statistics.md`).
const FINITE_SAMPLE: f64 = 12.0;

/// The bounds a log-likelihood ratio is held against.
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
    /// None where they depend on the sample (the Bayesian model reads its draw rate off it).
    fixed: Option<[Hypothesis; 2]>,
    warm: [WarmStart; 2],
    ratio: Ratio,
    overshoot: Option<Overshoot>,
    bounds: Bounds,
    state: SprtState,
}

impl Sprt<PairCounts> {
    /// A test over pairs.
    ///
    /// # Errors
    /// [`SprtError`] if the configuration is not a valid test.
    pub fn new(config: SprtConfig) -> Result<Self, SprtError> {
        Self::start(config, Unit::Pair)
    }
}

impl Sprt<Wdl> {
    /// A test over single games.
    ///
    /// # Errors
    /// [`SprtError`] if the configuration is not a valid test.
    pub fn over_games(config: SprtConfig) -> Result<Self, SprtError> {
        Self::start(config, Unit::Game)
    }
}

impl Sprt<Counts> {
    /// A test over pairs or over games, whichever `counts` has; what it has counted already is taken over as absorbed.
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

    /// Absorbs one observation and returns the state of the test. A test that has stopped keeps counting, but its state
    /// stays.
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

    /// Where the test stands.
    pub fn state(&self) -> SprtState {
        self.state
    }

    /// Log-likelihood ratio of H1 against H0, in nats; 0 before the first observation.
    pub fn llr(&self) -> f64 {
        self.ratio.llr
    }

    /// The bounds now in force: Wald's, moved inwards by the overshoot expected so far, less what the ratio of so short
    /// a test may err by; those of the verdict once there is one.
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

    /// Overshoot seen so far; `None` if its correction is off.
    pub fn overshoot(&self) -> Option<Overshoot> {
        self.overshoot
    }

    /// How many more observations can neither end the test nor bring its ratio to a new extreme, whatever they are.
    /// Callers that do not watch the ratio may absorb this many and one more in one batch: the verdict is the same.
    pub fn quiet_observations(&self) -> u64 {
        let size = self.tally.law().size;
        if size < STEADY {
            return 0;
        }
        let llr = self.ratio.llr;
        // Without a new extreme the bounds move no further inwards than this, however many observations come.
        let mut quiet = self.moved_bounds(0.0);
        if let Some(overshoot) = &self.overshoot {
            let seen = overshoot.extremes();
            quiet = Bounds { lower: quiet.lower.max(seen.lower), upper: quiet.upper.min(seen.upper) };
        }
        let Bounds { lower, upper } = quiet;
        let room = (llr - lower).min(upper - llr).max(0.0);
        (room / (CAUTION * self.ratio.steepest)).min(size / STEADY) as u64
    }

    /// What the test says about the difference, allowing for its stopping rule; `None` before the first observation.
    pub fn estimate(&self) -> Option<AfterTest> {
        AfterTest::new(&self.config, &self.tally)
    }

    /// What was counted so far.
    pub fn tally(&self) -> &T {
        &self.tally
    }

    /// What is tested.
    pub fn config(&self) -> &SprtConfig {
        &self.config
    }
}

impl Bounds {
    /// Where a log-likelihood ratio stands: accepted only beyond a bound, not on it.
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
/// [`SprtError`] if the configuration is not a valid test, or is Bayesian while the counts do not tell draws.
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
