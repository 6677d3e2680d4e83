//! Works with labelled positions: trains evaluations on them and makes books of setups.
//!
//! [`data`] owns the files of positions of 0.1: their records, blocks and checks. [`chess`] owns labelled positions of
//! chess. [`train`] trains evaluations on files of positions and on runs, [`fit`] fits linear evaluations to labelled
//! positions, and [`setups`] makes books of setups. None of them is a run: this crate computes, and sessions play
//! games.

pub mod chess;
pub mod data;
pub mod fit;
#[cfg(test)]
mod fuzz;
pub mod setups;
pub mod train;

pub use ::crazyhouse;
