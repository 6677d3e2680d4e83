//! Reports: the results of runs, for people to look at.
//!
//! A run is [followed](Follow): each pair of its journal is read once, and [gathered](gather). Together with the data
//! that its experiment publishes, this becomes [`numbers`], [`plots`] and games to step through ([`replay`]), and these
//! make a [`Report`]: one page, a Markdown summary, JSON, CSV and pictures. Nothing here knows a method, plays a game
//! or decides anything.

mod block;
pub mod board;
mod chosen;
mod conditions;
mod cut;
mod diagrams;
pub mod explain;
mod fairness;
mod faults;
mod figures;
mod follow;
pub mod gather;
mod html;
mod job;
mod ladder;
mod left;
pub mod levels;
mod markdown;
pub mod numbers;
mod page;
mod pages;
pub mod plots;
mod pull_request;
pub mod replay;
mod report;
mod sampling;
mod scoreboard;
mod sections;
mod spreadsheet;
mod standing_reader;
pub mod summary;
pub mod text;
mod tournament;
pub mod tuned;

pub use conditions::{Condition, Conditions, EntrantConditions, ScaleRow, ScaledOn, SessionRow};
pub use cut::Cut;
pub use diagrams::Diagram;
pub use fairness::FairnessRow;
pub use faults::FaultRow;
pub use figures::Figure;
pub use follow::{Captions, Follow};
pub use job::{Digest, JobPage, JobPart};
pub use ladder::{Gain, Place, RatedLadder};
pub use left::Timekeeper;
pub use numbers::FollowUp;
pub use page::{PIECES, REPLAY, STYLE, stage};
pub use pages::FactSheet;
pub use pull_request::{Again, not_tested};
pub use report::{Extent, PAGE, PLOTS, Report, ReportError, Sections};
pub use scoreboard::{Scoreboard, ScoreboardRow};
pub use standing_reader::StandingReader;
pub use tournament::Tournament;
