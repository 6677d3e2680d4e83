//! The engine for the board game 0.1 (Zero Point One): rules, notation, move generation and perft; evaluation, search
//! and time management; the UCI and `CodeCup` protocols.
//!
//! The library is pure: it has no input or output, no clock, no dependencies besides std, and no threads except those
//! of a search that is set to use several. [`Position`] is the boundary of the rules: it knows which moves are legal
//! and when a game is over, and nothing about scores. It is a small `Copy` value; a search copies it, makes a move on
//! the copy (copy-make) and updates its evaluation from the [`MoveDelta`] that [`Position::play`] returns.

mod bench;
mod bitboard;
pub mod book;
pub mod eval;
pub mod mcts;
mod movegen;
mod moves;
mod notation;
pub mod params;
mod piece;
mod position;
pub mod protocol;
pub mod score;
mod search;
mod setup;
mod side;
mod square;
pub mod time;
mod zobrist;

pub use bench::{bench, positions as bench_positions, signature, BenchResult};
pub use bitboard::{Bitboard, Squares};
pub use book::{BookEntry, BookError, SetupBook};
pub use eval::policy::{OtherNetwork, Policy, PolicyParts, PolicyRow};
pub use eval::{
    evaluate, Evaluation, EvaluationKind, Evaluator, Network, ParseEvaluationError, WazirPieceSquare, WeightsError,
};
pub use movegen::{perft, PerftCounts, Stage};
pub use moves::{Move, MoveKind, MoveList};
pub use notation::{format_long, format_move, parse_long, parse_move, ParseMoveError};
pub use params::{ParamError, ParamInfo, ParamKind, Params, PARAMS};
pub use piece::Piece;
pub use position::{DrawReason, MoveDelta, Outcome, ParsePositionError, Position, PLY_LIMIT};
pub use score::Score;
pub use search::mcts::PolicyRows;
pub use search::{
    Budget, Engine, EngineConfig, NeverStop, NoClock, NodeClock, ParseSearchError, Progress, Pv, RootMove, SearchKind,
    SearchRequest, SearchResult, Stop, Timer,
};
pub use setup::{ParseSetupError, Setup};
pub use side::Side;
pub use square::{ParseSquareError, Square};
pub use time::TimeLeft;
