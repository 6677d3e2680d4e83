//! Runs of many pairs: experiments propose the pairs, executors play them, and the journal stores them.

mod audit;
mod builds;
mod by_host;
mod drive;
mod executor;
mod executors;
mod experiment;
mod experiments;
mod export;
mod fault_share;
mod folder;
mod follower;
mod impossible;
mod introductions;
mod journal;
mod live;
mod lock;
mod lost;
mod name;
mod pair;
mod rehearsal;
mod replace;
mod second_look;
mod threads;
mod unready;
pub mod wire;

pub use crate::schedules::{
    Cell, Head, KnockoutMatch, KnockoutStanding, PairingStanding, SwissPlace, SwissStanding, TournamentStanding,
    TournamentTable,
};
pub use audit::{audit, audit_once};
pub use builds::{Executables, FileError, by_content, content_name, content_of, run_header};
pub use by_host::ByHost;
pub use drive::{
    Check, Control, Driven, Finish, News, Pace, Replay, Replayed, RunError, Snapshot, Withdrawn, drive, replay,
    replay_as,
};
pub use executor::{Event, Executor, Notice};
pub use executors::{Local, Make, PlayPairs, Processes, Worker, WorkerOf};
pub use experiment::{
    CategoryValue, DecidedElo, Experiment, FREE_RUN, LimitStanding, Point, Series, SprtStanding, Standing, StandingOf,
    TuneCaution, TuneStanding, TunedStanding, Verdict,
};
pub use experiments::{Ladder, Match, Selfplay, Sprt, Trace, Tune, TuneBudget, ladder_ratings, tell_method};
pub use export::{
    Csv, EpdOf, ExportError, Format, FormatInfo, FormatOption, FormatRequest, Heading, Json, JsonLines, OptionValue,
    PgnComments, PgnForm, PgnManner, PgnNotation, Row, Timings, TrackField, Transcript, TranscriptPly, UnnamedEpd,
    download, downloads, export, game_pgn, pair_text, ply_comment, transcript,
};
pub use fault_share::{LEAST_GAMES_FOR_SHARE, MARKED_FAULT_SHARE, TooFaulty, USUAL_MAX_FAULT_SHARE};
pub use folder::{FolderError, FolderLock, JOURNAL, RunFolder, next_free};
pub use follower::Follower;
pub use impossible::impossible;
pub use introductions::{Introductions, UnsetOption};
pub use journal::{
    Difference, FaultCount, Header, Journal, JournalError, JournalMark, JournalReader, PairEndings, PairOrder,
    PairOutline, Played, Session, StoredPair, StoredResult, StoredSession, compare, differences,
};
pub use live::{Broadcast, LiveGame, LiveNow, LiveTable, LiveTables, look};
pub use lock::FileLock;
pub use lost::{LostGame, lost_games};
pub use name::{GameName, ParseGameNameError, pair_number};
pub use pair::PairSpec;
pub use record::{
    BuildId, Circumstances, GameRecord, GameTimes, MOST_REPLAYS, OnStarvation, PairIndex, PairResult, Proposal,
    ProposedSeat, Sides, Starvation, StarvedCount,
};
pub use rehearsal::rehearse;
pub use replace::{replace_file, replace_file_durably};
pub use second_look::{NotSearched, Reached, Said, Searched, SecondLook};
pub use threads::{start_pool, threads_granted};
pub use unready::Unready;
pub use wire::PAIR_VERSION;
