//! One game: rules as the harness sees them, clocks, players, openings, the referee.

mod adjudication;
mod clock;
mod game;
pub mod games;
mod opening;
mod player;
pub mod players;
pub mod protocol;
mod reason;
mod referee;

pub use adjudication::{AdjudicatedBy, Adjudication, DrawRuling, ResignRuling};
pub use clock::{Allowance, Clock, ClockFace, Limit, MoveTimer, TimeSource};
pub use game::{BySide, DrawRule, Game, RuleEnding, Side, WinRule};
pub use opening::{NoOpening, Opening, OpeningLine, PairOpening, RandomOpenings};
pub use player::{Evaluation, Failure, Fault, GameStart, Player, Reply, Said, Turn, Unmoved};
pub use players::{judge_opening, opening_judge};
pub use reason::{reason, termination};
pub use referee::panic_text;
pub use referee::{Ending, PlayedGame, Seat, Stopped, TableRules, TrackPly, play_game};
