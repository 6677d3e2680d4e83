//! Crazyhouse: its rules for a search and a network, the network, and the engine that plays with both.
//!
//! [`moves`] owns the codes and notations of moves, [`features`] the network's inputs for a position and a move,
//! [`network`] its weights, its file and its output, [`board`] the game for the engine's tree search, and [`player`]
//! the engine: a tree that is kept from move to move. The program speaks UCI. `spar train` trains networks with the
//! same [`features`].
//!
//! The rules come from the library `shakmaty`; the tree search is `engine::mcts`.

pub mod board;
mod checks;
pub mod features;
pub mod moves;
pub mod network;
pub mod player;

pub use network::{Network, NetworkError};
pub use shakmaty::variant::Crazyhouse as Position;
