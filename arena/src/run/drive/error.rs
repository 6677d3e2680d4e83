//! Why a run could not continue.

use crate::run::journal::JournalError;
use crate::run::name::pair_number;
use record::PairIndex;

/// A failure of the harness itself. Faults of players are data, not errors.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// During replay of the journal, the experiment proposed something other than what was played.
    #[error(
        "pair {} of the journal was not played as this run would propose it: it was made by another configuration or \
            build", pair_number(*pair)
    )]
    OtherProposal {
        /// The pair.
        pair: PairIndex,
    },
    /// A pair was played twice with different results although nothing depends on time.
    #[error("pair {} was played twice with different results: an engine is not deterministic, or memory is \
        faulty", pair_number(*pair))]
    NotReproducible {
        /// The pair.
        pair: PairIndex,
    },
    /// One of only two entrants does not get ready, so nothing can be played.
    #[error("entrant \"{entrant}\" could not be started for a game: {why}")]
    NotReady {
        /// The entrant.
        entrant: String,
        /// The reason.
        why: String,
    },
    /// An entrant's process crashes or hangs in every game.
    #[error("entrant \"{entrant}\" had to be restarted in {games} consecutive games; the last time: {last}")]
    Broken {
        /// The entrant.
        entrant: String,
        /// The number of games.
        games: u64,
        /// The entrant's last fault.
        last: String,
    },
    /// A pair could not be played.
    #[error("pair {} could not be played: {why}", pair_number(*pair))]
    Lost {
        /// The pair.
        pair: PairIndex,
        /// The reason.
        why: String,
    },
    /// An experiment proposed a value that its entrant cannot accept.
    #[error("`{name}` cannot be {value}: {why}")]
    Value {
        /// The parameter.
        name: String,
        /// The proposed value.
        value: f64,
        /// The reason.
        why: String,
    },
}
