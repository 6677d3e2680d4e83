//! Adapters between the rules, which live elsewhere, and [`Game`](super::Game).

mod zero_point_one;

pub use zero_point_one::ZeroPointOne;
