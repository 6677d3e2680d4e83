//! Games while they are played: the tables of a process's workers, which other processes can watch.
//!
//! A watcher of the games of a run [looks](look) at its folder, which leaves a mark there. The process that plays sees
//! the mark, and writes its tables into a file beside it as long as a watcher keeps looking ([`Broadcast`]). This is
//! not part of the run: no result depends on it, and a read-only folder only means that there is nothing to see.

mod broadcast;
mod game;
mod table;

pub use broadcast::{Broadcast, LiveNow, look};
pub use game::LiveGame;
pub use table::{LiveTable, LiveTables};
pub(super) use table::{Place, unix_ms};
