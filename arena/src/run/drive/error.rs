//! Why a run could not continue.

use crate::run::journal::JournalError;
use crate::run::name::pair_number;
use record::PairIndex;

/// The harness's own failures. What players do wrong is data.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Replaying the journal, the experiment proposed something else than was played.
    #[error(
        "pair {} of the journal was not played as this run would propose it: it was made by another configuration or \
            build", pair_number(*pair)
    )]
    OtherProposal {
        /// Which pair.
        pair: PairIndex,
    },
    /// A pair was played twice with different results although nothing depends on time.
    #[error("pair {} was played twice with different results: an engine is not deterministic, or memory is \
        faulty", pair_number(*pair))]
    NotReproducible {
        /// Which pair.
        pair: PairIndex,
    },
    /// One of two entrants does not get ready, so that nothing can be played.
    #[error("entrant \"{entrant}\" could not be started for a game: {why}")]
    NotReady {
        /// Which.
        entrant: String,
        /// Why.
        why: String,
    },
    /// An entrant's process dies or hangs in every game.
    #[error("entrant \"{entrant}\" had to be restarted in {games} consecutive games; the last time: {last}")]
    Broken {
        /// Which.
        entrant: String,
        /// How many games.
        games: u64,
        /// The last of its faults.
        last: String,
    },
    /// A pair could not be played.
    #[error("pair {} could not be played: {why}", pair_number(*pair))]
    Lost {
        /// Which pair.
        pair: PairIndex,
        /// Why.
        why: String,
    },
    /// An experiment proposed a value that its entrant cannot take.
    #[error("`{name}` cannot be {value}: {why}")]
    Value {
        /// The parameter.
        name: String,
        /// The value proposed.
        value: f64,
        /// Why not.
        why: String,
    },
}
