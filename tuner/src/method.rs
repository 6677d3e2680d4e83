//! The interface of all methods: a method proposes the two sides of a pair, absorbs the pair's result, and answers.
//!
//! Contract: tells come strictly in pair order; asks may run ahead of them. The proposal for pair `i` is a function of
//! (space, configuration, run seed, `i`, tells so far) and of nothing else. So asking twice gives the same proposal,
//! and replaying the stored tells gives the same state. Playing, scheduling and storing are left to the caller.

use serde::{Deserialize, Serialize};

use crate::trace::{Slice, Trace};
use stats::PairOutcome;

/// The two engines of a pair, as legal values in the order of the space's parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The side whose wins count as positive.
    pub plus: Vec<f64>,
    /// The other side.
    pub minus: Vec<f64>,
}

/// A number with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub mean: f64,
    /// Its standard error, one sigma.
    pub sd: f64,
}

/// How certain the value of one parameter is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Uncertainty {
    /// Half the width of the interval around the exact value that holds the best one with 68% probability, in value
    /// units.
    StandardError(f64),
    /// For a switch: the probability that on is better.
    On(f64),
    /// For a category: the probability that its value is the best.
    Best(f64),
}

impl Uncertainty {
    /// The standard error, for a value that has one.
    pub fn standard_error(self) -> Option<f64> {
        match self {
            Self::StandardError(sd) => Some(sd),
            Self::On(_) | Self::Best(_) => None,
        }
    }

    /// The probability that a switch is better on.
    pub fn on(self) -> Option<f64> {
        match self {
            Self::StandardError(_) | Self::Best(_) => None,
            Self::On(on) => Some(on),
        }
    }

    /// The probability that the value of a category is the best one.
    pub fn best(self) -> Option<f64> {
        match self {
            Self::StandardError(_) | Self::On(_) => None,
            Self::Best(best) => Some(best),
        }
    }
}

/// A reason to trust an answer less than its numbers suggest.
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// These parameters, by index, interact: the best value of each depends on the others.
    Together(Vec<usize>),
    /// The results of late pairs differed from the fit's predictions, which were made before the pairs. The estimate is
    /// the share of the predictions that came true; 1 is right.
    Unpredicted(Estimate),
    /// Curves of any shape estimate the gain this many Elo above the fit.
    Curves(Estimate),
    /// Games against the start, which the fit never saw, estimate the gain this many Elo above the fit.
    Start(Estimate),
}

/// A method's estimates after the pairs it has absorbed.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Pairs absorbed so far.
    pub pairs: u64,
    /// The values to play, legal, in the order of the space's parameters.
    pub values: Vec<f64>,
    /// The values before whole kinds are rounded.
    pub exact: Vec<f64>,
    /// The certainty of each exact value; `None` for a method without a model.
    pub uncertainties: Option<Vec<Uncertainty>>,
    /// Half the width of the interval around each exact value that holds the best one with 95% probability, in value
    /// units; 0 for a switch or a category. `None` for a method without a model.
    pub ranges: Option<Vec<f64>>,
    /// For each category, by index of the parameter: the probability of each of its values that it is the best.
    pub chances: Vec<(usize, Vec<f64>)>,
    /// How far each exact value moves when the limit is doubled, in value units; `None` for a switch. Empty in a
    /// session at a single limit.
    pub drifts: Vec<Option<Estimate>>,
    /// Half the difference of the two sides that are proposed now, in value units.
    pub steps: Vec<f64>,
    /// Elo of the answer over the start.
    pub gain: Option<Estimate>,
    /// Elo that the answer is expected to lose to the best reachable values.
    pub regret: Option<f64>,
    /// The likely maximum of that loss if strength changes over less than the distance between the sides, which no pair
    /// can measure.
    pub regret_at_most: Option<f64>,
    /// The reasons to distrust these numbers.
    pub cautions: Vec<Caution>,
}

impl Answer {
    /// How certain the value of the parameter `index` is, if the method reports it.
    pub fn uncertainty(&self, index: usize) -> Option<Uncertainty> {
        self.uncertainties.as_ref()?.get(index).copied()
    }

    /// Half the width of the 95% range of the parameter `index`, in value units; `None` for a switch and without a
    /// model.
    pub fn range(&self, index: usize) -> Option<f64> {
        let range = *self.ranges.as_ref()?.get(index)?;
        self.uncertainty(index).and_then(Uncertainty::standard_error).map(|_| range)
    }

    /// Whether the answer is expected to lose at most `elo` to the best reachable values, as a stopping rule. Always
    /// false for a method without a model.
    pub fn is_resolved(&self, elo: f64) -> bool {
        self.regret.is_some_and(|regret| regret <= elo)
    }
}

/// How far asks may run ahead of tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// Up to the run's configured lookahead.
    None,
    /// Asks for a batch of this many pairs wait until every earlier batch is absorbed.
    Batch(u64),
}

/// A tuning method.
pub trait Method: Send + Sync {
    /// The method's name in configurations and on the command line.
    fn name(&self) -> &'static str;

    /// Returns the two sides of pair `pair` (counted from 0), proposed from the tells so far.
    fn ask(&mut self, pair: u64) -> Trial;

    /// Absorbs the result of pair `pair`, played as `proposal`; `outcome` is the plus side's. Calls come in pair order,
    /// each pair once.
    fn tell(&mut self, pair: u64, proposal: &Trial, outcome: PairOutcome);

    /// Returns the best values, given the tells so far.
    fn answer(&self) -> Answer;

    /// Returns the course of the answer, one series per parameter, with a bounded number of points.
    fn traces(&self) -> Vec<Trace>;

    /// Returns the fitted surface, one slice per parameter through the answer; none for a method without a model.
    fn slices(&self) -> Vec<Slice> {
        Vec::new()
    }

    /// The number of pairs that share one perturbation; at least 1.
    fn design_pairs(&self) -> u64 {
        1
    }

    /// How far asks may run ahead.
    fn barrier(&self) -> Barrier {
        Barrier::None
    }

    /// Returns a copy, which develops independently from here on.
    fn copied(&self) -> Box<dyn Method>;
}

impl Clone for Box<dyn Method> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}
