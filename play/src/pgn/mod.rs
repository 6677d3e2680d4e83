//! Reads PGN: the players, the opening and the result of each game; for openings, its first plies.
//!
//! [`Source`] opens a file, compressed or not; [`Scanner`] turns its lines into [`Game`]s or [`Record`]s, one at a
//! time, and reports the error and the place of unusable ones; [`Crosstable`] joins games into pairs and adds them up.
//! Memory is bounded by the pairings of entrants and by one small record for each game that waits for its twin, never
//! by the size of the file.
//!
//! `write` contains the output side of the format, for the exports of runs.
//!
//! The scanner reads tokens, not moves: it knows no rules, so that files of any game and any move notation can be read.
//! Source of the format: Edwards, "Portable Game Notation Specification and Implementation Guide" (1994).

mod crosstable;
mod game;
mod moment;
mod movetext;
mod scanner;
mod source;
mod tag;
pub mod write;

pub use crosstable::{Crosstable, CrosstableError};
pub use game::{Flaw, Game, Record};
pub use moment::Moment;
pub(crate) use movetext::Fingerprint;
pub use movetext::{Note, Opening, parse_result};
pub use scanner::{Entry, Scanner};
pub use source::{Source, SourceError, unpacked_name};
pub(crate) use source::{TextReader, check_text};
