//! Plays one game: rules as the harness sees them, players, engine processes and their protocols, clocks, openings, the
//! referee, and games in PGN.
//!
//! The crate knows nothing of runs: no configuration, no journal, no pairs. Its input is [`entrant`]s, openings and
//! seeds; the caller evaluates the games. It draws and prints nothing.
//!
//! [`play_game`] is the referee; [`Seats`] makes the players of two entrants and keeps them from game to game.
//! [`child`] runs engine processes and knows no games. [`pgn`] and [`epd`] stand apart: they read games and positions
//! from other programs.

mod adjudication;
pub mod analysis;
pub mod book;
pub mod check;
pub mod child;
mod clock;
mod conventions;
pub mod entrant;
pub mod epd;
#[cfg(test)]
mod fuzz;
mod game;
pub mod games;
mod network;
mod observer;
mod opening;
pub mod openings;
pub mod pgn;
pub mod platform;
mod player;
pub mod players;
pub mod protocol;
pub mod random;
mod reason;
mod referee;
mod seated_game;
mod seated_games;
mod seats;
pub mod spelling;
pub mod variation;

pub use adjudication::{Adjudication, DrawRuling, Endgames, ResignRuling, TableResults, TableRuling, TableVerdict};
pub use clock::{Allowance, Clock, ClockFace, Limit, Limits, MoveTimer, TimeAllowed, TimeSource, Timing};
pub use conventions::Conventions;
pub use game::{Game, OpeningName, RuleEnding};
pub use network::{NetworkError, NetworkFile, PolicyFile, Weights, read_weights};
pub use observer::{GameNow, Observer};
pub use opening::{NoOpening, Opening, OpeningLine, PairOpening, PlyRange, RandomOpenings, SetupOpenings};
pub use player::{Failure, GameStart, LinesKept, MoveFailure, Player, Reply, Turn};
pub use players::{judge_opening, opening_judge};
pub use reason::{as_fastchess, fastchess_reason, reason, termination};
pub use record::{
    AdjudicatedBy, BySide, DrawRule, Ending, Evaluation, Fault, MoveInfo, MoveTimes, Side, TrackPly, WinRule,
};
pub use referee::{PlayedGame, Seat, Stopped, TableRules, panic_text, play_game, play_game_with};
pub use seated_game::{ReusablePlayer, SeatedGame, weights};
pub use seats::{GameSetup, NotPlayed, Seats, check_programs};
