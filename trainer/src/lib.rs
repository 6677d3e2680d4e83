//! Positions with labels from games, and the training of evaluations on them.
//!
//! [`data`] owns the files of positions: their records, blocks and checks. [`train`] fits evaluations to them. A fit is not a run: what is
//! here computes, and what plays games goes through sessions and journals.

pub mod chess;
pub mod data;
pub mod fit;
pub mod setups;
pub mod train;
