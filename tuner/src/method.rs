//! What every method shares: it is asked for the two sides of a pair, absorbs the pair's result, and answers.
//!
//! Contract. Tells come strictly in pair order; asks may run ahead of them. What is asked for pair `i` is a function of
//! (space, configuration, run seed, `i`, tells so far) and of nothing else, so asking twice gives the same and
//! replaying the stored tells gives the same state. Playing, scheduling and storing are left to the caller.

use serde::{Deserialize, Serialize};

use crate::trace::{Slice, Trace};
use stats::PairOutcome;

/// The two engines of one pair, as legal values in the order of the space's parameters.
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

/// How sure the value of one parameter is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Uncertainty {
    /// Half the width of the interval around the exact value that holds the best one with 68% probability, in value
    /// units.
    StandardError(f64),
    /// Of a switch: the probability that on is better.
    On(f64),
    /// Of a category: the probability that its value is the best.
    Best(f64),
}

impl Uncertainty {
    /// The standard error of a value that has one.
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

    /// The probability that the value of a category is the best.
    pub fn best(self) -> Option<f64> {
        match self {
            Self::StandardError(_) | Self::On(_) => None,
            Self::Best(best) => Some(best),
        }
    }
}

/// Why an answer deserves less belief than its numbers say.
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// These parameters, by their places, act together: no value of one is the best whatever the others are.
    Together(Vec<usize>),
    /// Late pairs differed from the fit's prediction before they were played: the share that was fulfilled, where 1 is
    /// right.
    Unpredicted(Estimate),
    /// By how much curves of any shape estimate the gain above the fit, in Elo.
    Curves(Estimate),
    /// By how much games against the start estimate the gain above the fit, which never saw them, in Elo.
    Start(Estimate),
}

/// What a method believes after the pairs it has absorbed.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Pairs absorbed so far.
    pub pairs: u64,
    /// The values to play, legal, in the order of the space's parameters.
    pub values: Vec<f64>,
    /// The same before the rounding of whole kinds.
    pub exact: Vec<f64>,
    /// How sure each exact value is; none where the method has no model.
    pub uncertainties: Option<Vec<Uncertainty>>,
    /// Half the width of the interval around each exact value that holds the best one with 95% probability, in value
    /// units; 0 of a switch or a category. None where the method has no model.
    pub ranges: Option<Vec<f64>>,
    /// Of each category, by its place among the parameters, the probability of each of its values that it is the best.
    pub chances: Vec<(usize, Vec<f64>)>,
    /// How far each exact value moves when the limit is doubled, in value units; none for a switch. Empty in a session
    /// at a single limit.
    pub drifts: Vec<Option<Estimate>>,
    /// Half the difference of the two sides now proposed, in value units.
    pub steps: Vec<f64>,
    /// Elo of the answer over the start.
    pub gain: Option<Estimate>,
    /// Elo that the answer is expected to lose to the best values in reach.
    pub regret: Option<f64>,
    /// The same where strength changes over less than the distance between the sides, which no pair sees: the most that
    /// it is likely to be.
    pub regret_at_most: Option<f64>,
    /// What speaks against these numbers.
    pub cautions: Vec<Caution>,
}

impl Answer {
    /// How certain the value of the parameter `index` is, if the method reports it.
    pub fn uncertainty(&self, index: usize) -> Option<Uncertainty> {
        self.uncertainties.as_ref()?.get(index).copied()
    }

    /// Half the width of the 95% range of the parameter `index`, in value units; none of a switch and without a model.
    pub fn range(&self, index: usize) -> Option<f64> {
        let range = *self.ranges.as_ref()?.get(index)?;
        self.uncertainty(index).and_then(Uncertainty::standard_error).map(|_| range)
    }

    /// Whether the answer is expected to lose at most `elo` to the best values in reach: a rule to stop by. Never true
    /// for a method without a model.
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

    /// The two sides of pair `pair` (counted from 0), proposed from the tells so far.
    fn ask(&mut self, pair: u64) -> Trial;

    /// Absorbs the result of pair `pair`, played as `proposal`; `outcome` is the plus side's. Calls come in pair order,
    /// each pair once.
    fn tell(&mut self, pair: u64, proposal: &Trial, outcome: PairOutcome);

    /// The best values, given the tells so far.
    fn answer(&self) -> Answer;

    /// The course of the answer, one series per parameter, of a bounded number of points.
    fn traces(&self) -> Vec<Trace>;

    /// The fitted surface, one slice per parameter through the answer; none where the method has no model.
    fn slices(&self) -> Vec<Slice> {
        Vec::new()
    }

    /// Pairs that share one perturbation; at least 1.
    fn design_pairs(&self) -> u64 {
        1
    }

    /// How far asks may run ahead.
    fn barrier(&self) -> Barrier {
        Barrier::None
    }

    /// A copy, which takes another course from here on.
    fn copied(&self) -> Box<dyn Method>;
}

impl Clone for Box<dyn Method> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}
