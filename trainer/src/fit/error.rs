//! Why a fit fails.

use crate::chess::read::ReadError;
use crate::data::{DataError, NoPositions};
use std::io;
use std::path::PathBuf;

/// A fit that cannot be made or resumed.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file of labelled positions cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file of positions of 0.1 cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A run gives no positions to fit to.
    #[error(transparent)]
    Run(#[from] NoPositions),
    /// A run has no user-defined features.
    #[error("{}: features of one's own are read from files, and a run has none", journal.display())]
    NoFeatures {
        /// The run's journal.
        journal: PathBuf,
    },
    /// The start weights do not belong to this model.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// The format of a file is unknown.
    #[error("{}: its name does not say how it is written: add `format = \"pgn\"`, `\"lines\"`, `\"csv\"`, `\"json\"`, \
        `\"bullet\"` or `\"plain\"`", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A record is not a position in play.
    #[error("a record is not a position of a game: `spar data check` says more")]
    NotInPlay,
    /// No position is left.
    #[error("there is no position to fit to, of {read} that were read{}", listed(flaws))]
    Empty {
        /// The number of positions with a label that were read.
        read: u64,
        /// The flaws of the others, up to the listed maximum.
        flaws: Vec<String>,
    },
    /// There are no positions to fit to, or none held out.
    #[error(
        "{training} positions to fit to and {held_out} held out: there must be some of both; more games, or another \
            `held_out`"
    )]
    TooFew {
        /// The number of positions to fit to.
        training: usize,
        /// The number of positions held out.
        held_out: usize,
    },
    /// All labels are equal.
    #[error("all positions have the same label: there is nothing to learn from them")]
    ConstantLabels,
    /// The fitness of the genetic algorithm needs scores, but there are none.
    #[error(
        "no position has a score, and `fitness = \"absolute\"` compares with scores: expected `logistic` or `rank`"
    )]
    NoScores,
    /// The data cannot distinguish some features.
    #[error(
        "the positions cannot tell `{feature}` apart from features before it: it is their sum, or always the same. Add \
            a ridge (`spread`), or \
         leave it out"
    )]
    Singular {
        /// The first such feature.
        feature: String,
    },
    /// The solver failed.
    #[error("the fit failed: {0}")]
    Solver(String),
    /// The checkpoint cannot be read.
    #[error("{} is not a checkpoint of a fit: {why}. Remove it to start over", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

fn listed(flaws: &[String]) -> String {
    let lines = flaws.iter().flat_map(|flaw| ["\n  ", flaw]);
    lines.collect()
}

/// Why weights do not belong to a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TablesError {
    /// The text is not TOML.
    #[error("{0}")]
    Syntax(String),
    /// A section or a name is missing.
    #[error(
        "there is no `{0}`: expected `[tables]`, or `[middlegame]` and `[endgame]`, with `pawn` to `king`; `[weights]` \
            of other models"
    )]
    Missing(String),
    /// A section or a name is unknown.
    #[error("unknown name `{0}`")]
    Unknown(String),
    /// A table has the wrong size.
    #[error("`{name}` has {found} numbers: expected 64, from a8 to h1")]
    Length {
        /// The table.
        name: String,
        /// The number of values found.
        found: usize,
    },
    /// A value is not a number.
    #[error("`{0}` is not made of numbers")]
    NoNumber(String),
}
