//! Crazyhouse: its rules as a search and a network see them, the network, and the engine that plays by both.
//!
//! [`moves`] owns the codes and notations of moves, [`features`] what the network sees of a position and of a move,
//! [`network`] its weights, its file and its output, [`board`] the game as the engine's tree search sees it, and
//! [`player`] the engine: a tree that is kept from move to move. The program speaks UCI. `spar train` trains networks
//! by the same [`features`].
//!
//! The rules are those of the library `shakmaty`; the tree search is `engine::mcts`.

pub mod board;
mod checks;
pub mod features;
pub mod moves;
pub mod network;
pub mod player;

pub use network::{Network, NetworkError};
pub use shakmaty::variant::Crazyhouse as Position;
