//! Why a training fails.

use crate::chess::formats::ReadError;
use crate::data::{DataError, NoPositions};
use engine::eval::WeightsError;
use play::pgn::SourceError;
use std::io;
use std::path::PathBuf;

/// A training that cannot continue. Files already written stay.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A file of positions cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A record is not a position in play.
    #[error("record {index} of block {block} is not a position of a game: `spar data check` says more")]
    NotInPlay {
        /// The number of the block, from 0, over all files.
        block: usize,
        /// The number of the record in the block, from 0.
        index: usize,
    },
    /// A record has no legal move to learn.
    #[error(
        "record {index} of block {block} has no legal move, and a policy learns the moves that were played: \
        `spar data check` says more"
    )]
    IllegalMove {
        /// The number of the block, from 0, over all files.
        block: usize,
        /// The number of the record in the block, from 0.
        index: usize,
    },
    /// A file has positions without visit shares, which the policy should learn.
    #[error(
        "{}: a block of positions has no visit shares: leave out `target`, or make positions by games of \
        `search = \"mcts\"` with `lines = \"all\"`", .0.display()
    )]
    NoVisits(PathBuf),
    /// A run gives no positions to train on.
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
        /// The line or the position, and the error there.
        why: ReadError,
    },
    /// The format of a file of chess positions is unknown.
    #[error("{}: no format of positions of chess has this extension; expected `.txt`, `.bullet` or `.plain`, or one of \
        them with `.gz` or `.zst` behind it", .0.display())]
    UnknownFormat(PathBuf),
    /// A file of positions of crazyhouse is in another format.
    #[error("{}: positions of crazyhouse are read from files of the format `plain`: expected `.plain`, or `.plain.gz` \
        or `.plain.zst`", .0.display())]
    NotPlain(PathBuf),
    /// Positions of one game cannot train a model of another.
    #[error("the positions are of another game than the model")]
    OtherGame,
    /// Positions should be weighted by ply, but a file has no plies.
    #[error("{}: its format does not say how far games are, by which its positions are to count: leave the weights by \
        ply out, or train on `.plain` or `.txt`", .0.display())]
    NoPlies(PathBuf),
    /// All positions of a set have the weight 0.
    #[error("all positions {what} have the weight 0")]
    Weightless {
        /// The name of the set.
        what: &'static str,
    },
    /// There are no positions to train on, or none held out.
    #[error(
        "{training} positions to train on and {held_out} held out: there must be some of both; more data, or another \
            `held_out` or `max_score`"
    )]
    TooFew {
        /// The number of positions to train on.
        training: usize,
        /// The number of positions held out.
        held_out: usize,
    },
    /// The loss or a weight is no longer a finite number.
    #[error(
        "the {what} is not a finite number after {step} steps: the training has diverged. The last checkpoint and the \
            best weights are \
         kept; a lower learning rate may help"
    )]
    NotFinite {
        /// The loss, or a weight.
        what: &'static str,
        /// The number of steps made.
        step: u64,
    },
    /// A checkpoint cannot be used.
    #[error("{}: {fault}", .path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: CheckpointFault,
    },
    /// The training cannot begin with the given weights.
    #[error("the training cannot begin with these weights: {0}")]
    Start(#[from] Misfit),
    /// The engine refuses the weights.
    #[error("the weights cannot be written: {0}")]
    Weights(#[from] WeightsError),
    /// The crazyhouse engine refuses the weights.
    #[error("the weights cannot be written: {0}")]
    CrazyhouseWeights(#[from] crazyhouse::NetworkError),
    /// An I/O error. The message names the file.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A fault of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointFault {
    /// The file does not start like a checkpoint.
    #[error("this is not a checkpoint of a training")]
    Foreign,
    /// The checksum is wrong, or the file is truncated.
    #[error("the checkpoint is cut short or damaged: remove it to begin again")]
    Damaged,
    /// The checkpoint belongs to another training.
    #[error("the checkpoint is of a training with other {what}: remove it to begin again, or give another `out`")]
    Other {
        /// The part that differs.
        what: &'static str,
    },
}

/// Why a training cannot begin with an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The linear model reaches the same end from any start.
    #[error("the linear model begins with zeros, since it ends the same wherever it begins")]
    Linear,
    /// The evaluation is of another kind.
    #[error("it is not a network of the kind that is trained")]
    NoNetwork,
    /// The network has other sizes.
    #[error(
        "its `hidden`, `{second}` and `{third}` are {}, {} and {}, and {}, {} and {} are to be trained",
        .has[0], .has[1], .has[2], .wanted[0], .wanted[1], .wanted[2]
    )]
    Shape {
        /// The name of the second size.
        second: &'static str,
        /// The name of the third size.
        third: &'static str,
        /// The network's sizes.
        has: [usize; 3],
        /// The sizes to train.
        wanted: [usize; 3],
    },
    /// The network has several buckets by plies, but not as many.
    #[error("its `ply_buckets` are {has}, and {wanted} are to be trained")]
    PlyBuckets {
        /// The network's number of buckets by plies.
        has: usize,
        /// The number of buckets to train.
        wanted: usize,
    },
    /// The network has another number of neurons.
    #[error("it has {has} neurons, and {wanted} are to be trained")]
    Width {
        /// The network's number of neurons.
        has: usize,
        /// The number of neurons to train.
        wanted: usize,
    },
    /// The network has weights that no training here produces.
    #[error("its weights are larger, or in other units, than those of trainings")]
    Limits,
}
