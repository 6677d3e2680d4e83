//! The engine for the board game 0.1 (Zero Point One).

pub mod params;
#[allow(dead_code)]
pub mod score;
#[allow(dead_code)]
mod search;
pub mod time;

pub use params::{ParamError, ParamInfo, ParamKind, Params, PARAMS};
pub use score::Score;
