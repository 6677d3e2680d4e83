//! Optimisers that tune an engine's parameters from the results of game pairs.
//!
//! The crate is pure: a [`method::Method`] proposes the two sides of a pair, absorbs the pair's result, and returns its
//! best values. It never plays a game, and reads no clock and no file. All arithmetic is f64 in fixed order with
//! `libm`, so that a run is the same on every machine. The crate `regret` in `benches` measures the methods on
//! synthetic surfaces.

// The benchmark is part of the unit tests, and refers to this crate by its name.
#[cfg(test)]
extern crate self as tuner;

mod blocks;
pub mod fishtest;
pub mod forecast;
pub mod layout;
pub mod limits;
pub mod linear;
pub mod method;
mod methods;
mod order;
pub mod parameter;
mod perturbation;
pub mod quadratic;
pub mod random;
#[cfg(test)]
#[path = "../benches/regret/lib.rs"]
pub mod regret;
mod setup;
pub mod space;
pub mod spsa;
pub mod spsa_auto;
pub mod spsa_classic;
pub mod trace;

pub use layout::{Group, Layout};
pub use method::{Answer, Barrier, Caution, Method, Trial, Uncertainty};
pub use methods::MethodId;
pub use parameter::{Kind, Parameter, SpaceError, TunedParameter, whole_start};
pub use setup::Setup;
pub use space::{Below, Space};
