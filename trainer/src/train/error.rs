//! Why a training ends without a result.

use crate::chess::formats::ReadError;
use crate::data::{DataError, NoPositions};
use engine::eval::WeightsError;
use play::pgn::SourceError;
use std::io;
use std::path::PathBuf;

/// A training that cannot continue. What it has written stays.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A file of positions cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A record is not a position in play.
    #[error("record {index} of block {block} is not a position of a game: `spar data check` says more")]
    NotInPlay {
        /// Number of its block, from 0, over all files.
        block: usize,
        /// Its number in the block, from 0.
        index: usize,
    },
    /// A record has no move to learn.
    #[error(
        "record {index} of block {block} has no legal move, and a policy learns the moves that were played: \
        `spar data check` says more"
    )]
    IllegalMove {
        /// Number of its block, from 0, over all files.
        block: usize,
        /// Its number in the block, from 0.
        index: usize,
    },
    /// A file has positions without visit shares, and a policy is to learn these.
    #[error(
        "{}: a block of positions has no visit shares: leave out `target`, or make positions by games of \
        `search = \"mcts\"` with `lines = \"all\"`", .0.display()
    )]
    NoVisits(PathBuf),
    /// A run gives nothing to train on.
    #[error(transparent)]
    Run(#[from] NoPositions),
    /// A file of positions of chess cannot be opened.
    #[error(transparent)]
    Open(#[from] SourceError),
    /// A file of positions of chess cannot be read.
    #[error("{}, {why}", .path.display())]
    Positions {
        /// The file.
        path: PathBuf,
        /// The line or the position, and what is wrong there.
        why: ReadError,
    },
    /// The format of a file of positions of chess is unknown.
    #[error("{}: no format of positions of chess has this extension; expected `.txt`, `.bullet` or `.plain`, or one of \
        them with `.gz` or `.zst` behind it", .0.display())]
    UnknownFormat(PathBuf),
    /// A file of positions of crazyhouse is in another format.
    #[error("{}: positions of crazyhouse are read from files of the format `plain`: expected `.plain`, or `.plain.gz` \
        or `.plain.zst`", .0.display())]
    NotPlain(PathBuf),
    /// Positions of one game cannot be learnt from for another.
    #[error("the positions are of another game than the model")]
    OtherGame,
    /// Positions are to count by their ply, and a file does not have it.
    #[error("{}: its format does not say how far games are, by which its positions are to count: leave the weights by \
        ply out, or train on `.plain` or `.txt`", .0.display())]
    NoPlies(PathBuf),
    /// Nothing counts.
    #[error("all positions {what} have the weight 0")]
    Weightless {
        /// Which ones.
        what: &'static str,
    },
    /// There is nothing to train on, or nothing to judge by.
    #[error(
        "{training} positions to train on and {held_out} held out: there must be some of both; more data, or another \
            `held_out` or `max_score`"
    )]
    TooFew {
        /// Positions to train on.
        training: usize,
        /// Positions held out.
        held_out: usize,
    },
    /// The loss or a weight is not a finite number any more.
    #[error(
        "the {what} is not a finite number after {step} steps: the training has diverged. The last checkpoint and the \
            best weights are \
         kept; a lower learning rate may help"
    )]
    NotFinite {
        /// The loss, or a weight.
        what: &'static str,
        /// Steps that were made.
        step: u64,
    },
    /// A checkpoint cannot be used.
    #[error("{}: {fault}", .path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: CheckpointFault,
    },
    /// It cannot begin with the weights that it was given.
    #[error("the training cannot begin with these weights: {0}")]
    Start(#[from] Misfit),
    /// The engine refuses the weights.
    #[error("the weights cannot be written: {0}")]
    Weights(#[from] WeightsError),
    /// The program of crazyhouse refuses the weights.
    #[error("the weights cannot be written: {0}")]
    CrazyhouseWeights(#[from] crazyhouse::NetworkError),
    /// The system refused. The message names the file.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What is wrong with a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointFault {
    /// It does not begin as one does.
    #[error("this is not a checkpoint of a training")]
    Foreign,
    /// Its checksum is wrong, or it ends too early.
    #[error("the checkpoint is cut short or damaged: remove it to begin again")]
    Damaged,
    /// Something else was trained.
    #[error("the checkpoint is of a training with other {what}: remove it to begin again, or give another `out`")]
    Other {
        /// What differs.
        what: &'static str,
    },
}

/// Why an evaluation is nothing to begin the training of another with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The linear model ends the same wherever it begins.
    #[error("the linear model begins with zeros, since it ends the same wherever it begins")]
    Linear,
    /// It is another evaluation.
    #[error("it is not a network of the kind that is trained")]
    NoNetwork,
    /// It is a network of other sizes.
    #[error(
        "its `hidden`, `{second}` and `{third}` are {}, {} and {}, and {}, {} and {} are to be trained",
        .has[0], .has[1], .has[2], .wanted[0], .wanted[1], .wanted[2]
    )]
    Shape {
        /// What the second size is called.
        second: &'static str,
        /// What the third size is called.
        third: &'static str,
        /// Its sizes.
        has: [usize; 3],
        /// Those of what is trained.
        wanted: [usize; 3],
    },
    /// It has another number of neurons.
    #[error("it has {has} neurons, and {wanted} are to be trained")]
    Width {
        /// Its neurons.
        has: usize,
        /// Those of what is trained.
        wanted: usize,
    },
    /// It has weights that none has which was trained here.
    #[error("its weights are larger, or in other units, than those of trainings")]
    Limits,
}
