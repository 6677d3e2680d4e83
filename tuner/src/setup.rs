//! What a tuning session begins with, and what a method has to be in the list of [`methods`](crate::MethodId).

use crate::limits::Limits;
use crate::method::Method;
use crate::parameter::SpaceError;
use crate::quadratic::Earlier;
use crate::space::Space;

/// What there is to know of a method before a session begins.
pub(crate) struct MethodInfo {
    /// Its name in configurations and on the command line.
    pub(crate) name: &'static str,
    /// Whether it plays at several limits.
    pub(crate) at_limits: bool,
    /// Whether it begins with what an earlier session knew.
    pub(crate) with_earlier: bool,
    /// Begins a session.
    pub(crate) begin: fn(Setup) -> Result<Box<dyn Method>, SpaceError>,
}

/// What a session begins with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What is tuned.
    pub space: Space,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// Planned pairs.
    pub pairs: u64,
    /// Of each parameter the `r_end` that its line in fishtest's format gives; empty without lines. For methods with
    /// such gains.
    pub gains: Vec<f64>,
    /// Which pairs are played at which limit, if at several. For methods that play
    /// [`at_limits`](crate::MethodId::at_limits).
    pub limits: Option<Limits>,
    /// What is known of the space, if anything. For methods that begin [`with_earlier`](crate::MethodId::with_earlier)
    /// knowledge.
    pub earlier: Option<Earlier>,
}

impl Setup {
    /// A session that starts without earlier knowledge.
    pub fn new(space: Space, seed: u64, pairs: u64) -> Self {
        Self { space, seed, pairs, gains: Vec::new(), limits: None, earlier: None }
    }
}
