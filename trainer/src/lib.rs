//! Positions with labels, and what is computed from them: evaluations and books of setups.
//!
//! [`data`] owns the files of positions of 0.1: their records, blocks and checks; [`chess`] labelled positions of
//! chess. [`train`] trains evaluations on files of positions and on runs, [`fit`] fits linear ones to labelled
//! positions, and [`setups`] makes books of setups. None of them is a run: this crate computes, and games are played by
//! sessions.

pub mod chess;
pub mod data;
pub mod fit;
#[cfg(test)]
mod fuzz;
pub mod setups;
pub mod train;

pub use ::crazyhouse;
