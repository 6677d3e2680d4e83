//! The synthetic benchmark "tuner regret": how many Elo a method still loses after N pairs on surfaces with a known
//! optimum.
//!
//! [`instance`] draws the surfaces, [`hazard`] makes some of them hard, [`joint`] has those of parameters that are best
//! moved together, [`categories`] those of parameters without an order, [`limits`] those whose optima move with the
//! limit, [`warm`] those that have changed since they were tuned. [`oracle`] turns an Elo difference into the result of
//! a pair, [`runner`] lets a method ask and tell. The crate is pure and seeded; printing and threads are left to the
//! example `tuner_regret`.

pub mod categories;
pub mod hazard;
pub mod instance;
pub mod joint;
pub mod limits;
pub mod oracle;
pub mod runner;
pub mod warm;
