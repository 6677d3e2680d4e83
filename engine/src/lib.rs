//! The engine for the board game 0.1 (Zero Point One): rules, notation, move generation and perft, and on top of them
//! evaluation, search, time allocation and the protocols the engine speaks.
//!
//! The library is pure: integers in, integers out, no input or output, no threads, std only. The rules end at
//! [`Position`]: it knows what is legal and when a game is over, and nothing of scores. A [`Position`] is a small `Copy`
//! value; a search copies it and plays on the copy, and keeps its evaluation in step through the [`Played`] that
//! [`Position::play`] returns.

mod bench;
mod bitboard;
pub mod eval;
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

pub use bench::{bench, positions as bench_positions, BenchResult, BENCH_DEPTH};
pub use bitboard::{Bitboard, Squares};
pub use eval::{evaluate, Evaluation, EvaluationKind};
pub use movegen::{perft, perft_played, perft_safe, PerftCounts, Stage};
pub use moves::{Move, MoveKind, MoveList};
pub use notation::{format_long, format_move, parse_long, parse_move, ParseMoveError};
pub use params::{ParamError, ParamInfo, ParamKind, Params, PARAMS};
pub use piece::Piece;
pub use position::{DrawReason, Outcome, ParsePositionError, Played, Position, PLY_LIMIT};
pub use score::Score;
pub use search::{
    Budget, Engine, EngineConfig, Line, NodeClock, Report, Request, Search, Stop, Timeless, Timer, Unstopped,
};
pub use setup::{ParseSetupError, Setup};
pub use side::Side;
pub use square::{ParseSquareError, Square};
pub use time::TimeLeft;
