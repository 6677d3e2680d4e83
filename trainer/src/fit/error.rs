//! Why there is no fit.

use crate::chess::read::ReadError;
use crate::data::{DataError, NoPositions};
use std::io;
use std::path::PathBuf;

/// A fit that cannot be made or continued.
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
    /// A run gives nothing to fit to.
    #[error(transparent)]
    Run(#[from] NoPositions),
    /// Features of one's own are to be read from a run.
    #[error("{}: features of one's own are read from files, and a run has none", journal.display())]
    NoFeatures {
        /// Its journal.
        journal: PathBuf,
    },
    /// Weights to begin with that are none of this model's.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// Nothing says how a file is written.
    #[error("{}: its name does not say how it is written: add `format = \"pgn\"`, `\"lines\"`, `\"csv\"`, `\"json\"`, \
        `\"bullet\"` or `\"plain\"`", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A record is not a position in play.
    #[error("a record is not a position of a game: `spar data check` says more")]
    NotInPlay,
    /// Nothing is left.
    #[error("there is no position to fit to, of {read} that were read{}", listed(flaws))]
    Empty {
        /// Positions with a label that were read.
        read: u64,
        /// What was wrong with the others, up to the number that is listed.
        flaws: Vec<String>,
    },
    /// Nothing to fit to, or nothing to judge by.
    #[error(
        "{training} positions to fit to and {held_out} held out: there must be some of both; more games, or another \
            `held_out`"
    )]
    TooFew {
        /// Positions to fit to.
        training: usize,
        /// Positions held out.
        held_out: usize,
    },
    /// All labels are equal.
    #[error("all positions have the same label: there is nothing to learn from them")]
    ConstantLabels,
    /// The genetic algorithm is to compare with scores, and there are none.
    #[error(
        "no position has a score, and `fitness = \"absolute\"` compares with scores: expected `logistic` or `rank`"
    )]
    NoScores,
    /// Features that the data cannot tell apart.
    #[error(
        "the positions cannot tell `{feature}` apart from features before it: it is their sum, or always the same. Add \
            a ridge (`spread`), or \
         leave it out"
    )]
    Singular {
        /// The first such feature.
        feature: String,
    },
    /// The solver gave up.
    #[error("the fit failed: {0}")]
    Solver(String),
    /// The checkpoint cannot be read.
    #[error("{} is not a checkpoint of a fit: {why}. Remove it to start over", path.display())]
    Damaged {
        /// Its file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

fn listed(flaws: &[String]) -> String {
    let lines = flaws.iter().flat_map(|flaw| ["\n  ", flaw]);
    lines.collect()
}

/// Weights that are not those of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TablesError {
    /// No TOML.
    #[error("{0}")]
    Syntax(String),
    /// A section or a name that is not there.
    #[error(
        "there is no `{0}`: expected `[tables]`, or `[middlegame]` and `[endgame]`, with `pawn` to `king`; `[weights]` \
            of other models"
    )]
    Missing(String),
    /// A section or a name that means nothing.
    #[error("unknown name `{0}`")]
    Unknown(String),
    /// A table of another size.
    #[error("`{name}` has {found} numbers: expected 64, from a8 to h1")]
    Length {
        /// Which table.
        name: String,
        /// How many numbers it has.
        found: usize,
    },
    /// Something that is not a number.
    #[error("`{0}` is not made of numbers")]
    NoNumber(String),
}
