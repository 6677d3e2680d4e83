//! One game: rules as the harness sees them, clocks, players, openings, the referee.

mod clock;
mod game;
pub mod games;
mod opening;
mod player;
pub mod players;
pub mod protocol;
mod referee;

pub use clock::{Allowance, Clock, Limit, MoveTimer, TimeSource};
pub use game::{BySide, DrawRule, Game, RuleEnding, Side, WinRule};
pub use opening::{NoOpening, Opening, OpeningSource};
pub use player::{Fault, GameStart, Player, Reply, Turn};
pub use players::{judge_opening, opening_judge};
pub(crate) use referee::panic_text;
pub use referee::{Ending, PlayedGame, Seat, Stopped, TrackPly, play_game};
