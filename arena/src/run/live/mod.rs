//! Games in progress: the tables of a process's workers, which other processes can watch.
//!
//! A viewer [looks](look) at a run's folder and so leaves a mark there. The playing process sees the mark, and writes
//! its tables into a file beside it as long as the viewer keeps looking ([`Broadcast`]). This is not part of the run:
//! no result depends on it, and in a read-only folder there is simply nothing to see.

mod broadcast;
mod game;
mod table;

pub use broadcast::{Broadcast, LiveNow, look};
pub use game::LiveGame;
pub use table::{LiveTable, LiveTables};
pub(super) use table::{Place, unix_ms};
