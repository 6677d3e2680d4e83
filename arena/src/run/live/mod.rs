//! Games as they are played: the tables of a process's workers, at which people can look on from other processes.
//!
//! Who wants to see the games of a run [looks](look) at its folder, which leaves a mark there. The process that plays
//! sees the mark, and writes its tables into a file beside it for as long as somebody keeps looking ([`Broadcast`]).
//! Nothing of this is part of the run: no result depends on it, and a folder that cannot be written to only means that
//! nobody sees anything.

mod broadcast;
mod game;
mod table;

pub use broadcast::{Broadcast, LiveNow, look};
pub use game::LiveGame;
pub use table::{LiveTable, LiveTables};
pub(super) use table::{Place, unix_ms};
