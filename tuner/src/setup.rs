//! The input of a tuning session, and the description of a method in the list of [`methods`](crate::MethodId).

use crate::limits::Limits;
use crate::method::Method;
use crate::parameter::SpaceError;
use crate::quadratic::Earlier;
use crate::space::Space;

/// The description of a method.
pub(crate) struct MethodInfo {
    /// The method's name in configurations and on the command line.
    pub(crate) name: &'static str,
    /// Whether the method plays at several limits.
    pub(crate) at_limits: bool,
    /// Whether the method can begin with an earlier session's knowledge.
    pub(crate) with_earlier: bool,
    /// Whether the method estimates the regret of its answer.
    pub(crate) with_regret: bool,
    /// Begins a session.
    pub(crate) begin: fn(Setup) -> Result<Box<dyn Method>, SpaceError>,
}

/// The input of a session.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The search space.
    pub space: Space,
    /// The seed of all random numbers.
    pub seed: u64,
    /// Planned pairs.
    pub pairs: u64,
    /// The `r_end` of each parameter's line in fishtest's format; empty without lines. For methods with such gains.
    pub gains: Vec<f64>,
    /// The limit of each pair, if there are several limits. For methods that play
    /// [`at_limits`](crate::MethodId::at_limits).
    pub limits: Option<Limits>,
    /// Earlier knowledge about the space, if any. For methods that begin
    /// [`with_earlier`](crate::MethodId::with_earlier) knowledge.
    pub earlier: Option<Earlier>,
}

impl Setup {
    /// Makes a session that starts without earlier knowledge.
    pub fn new(space: Space, seed: u64, pairs: u64) -> Self {
        Self { space, seed, pairs, gains: Vec::new(), limits: None, earlier: None }
    }
}
