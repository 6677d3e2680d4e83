//! What runs keep of their games: pairs as proposed and as played, endings, the engines' search data, builds of
//! players, and starvation by the host.
//!
//! Journals keep these types as bytes ([`to_bytes`]), so that every change of one is a change of their format. Nothing
//! here plays, reads files or knows the rules of a game.

mod build;
mod ending;
mod move_info;
mod move_times;
mod pair;
mod row;
mod side;
mod starvation;

pub use build::BuildId;
pub use ending::{AdjudicatedBy, DrawRule, Ending, Fault, LATE_ANSWER, WinRule};
pub use move_info::{Evaluation, MoveInfo, TrackPly};
pub use move_times::MoveTimes;
pub use pair::{Circumstances, GameRecord, GameTimes, PairIndex, PairResult, Proposal, ProposedSeat, Sides};
pub use row::{RowError, VERSION, from_bytes, to_bytes};
pub use side::{BySide, Side};
pub use starvation::{MOST_REPLAYS, OnStarvation, Starvation, StarvedCount};
