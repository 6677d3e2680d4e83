//! Many pairs: experiments propose them, executors play them, the journal keeps them.

mod builds;
mod drive;
mod executor;
mod executors;
mod experiment;
mod experiments;
mod export;
mod folder;
mod journal;
mod pair;
mod starvation;

pub use builds::{Executables, run_header};
pub use drive::{Finish, RunError, Snapshot, drive, replay};
pub use executor::{Event, Executor};
pub use executors::{Local, Processes, play_pair};
pub use experiment::{
    DecidedElo, Experiment, FREE_RUN, PairingStanding, Point, Series, SprtStanding, Standing, TuneStanding, TunedForm,
    TunedStanding, Verdict,
};
pub use experiments::{Fixed, Ladder, Sprt, Trace, ladder_ratings};
pub use export::{EpdOf, ExportError, Format, Heading, Timings, TrackField, export, pair_text};
pub use folder::{FolderError, RunFolder};
pub use journal::{
    BuildId, FaultCount, Header, Journal, JournalError, Played, Session, StoredPair, StoredResult, differences,
};
pub use pair::{
    GameKind, GameRecord, PAIR_VERSION, PairIndex, PairResult, PairSpec, PairTimes, Proposal, ProposedSeat,
    SIDES_OF_FIRST_SEAT,
};
pub use starvation::{MOST_REPLAYS, OnStarvation, Starvation};
