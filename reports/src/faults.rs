//! The games of a run that were lost by a fault, with the loser's last lines.

use arena::run::{Header, LostGame, StoredResult, lost_games};
use play::Side;
use serde::Serialize;

/// The maximum number of games listed; of a run with more, the first are listed.
const MOST_GAMES: usize = 40;

/// A game lost by a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultRow {
    /// Pair and game, both counted from 1, as in `12.2`.
    pub game: String,
    /// The entrant that lost.
    pub entrant: String,
    /// Whether the entrant moved first.
    pub moved_first: bool,
    /// What the entrant did wrong, in words.
    pub fault: String,
    /// Whether the host is to blame, because it kept the entrant waiting for a processor.
    #[serde(rename = "excused")]
    pub host_caused: bool,
    /// The entrant's last lines; empty if they are not known.
    pub evidence: String,
}

/// The report on faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// The first games lost by a fault.
    pub(crate) games: Vec<FaultRow>,
    /// The number of further pairs with such games, which are not listed.
    pub(crate) more_pairs: u64,
}

impl Faults {
    /// Adds the next pair.
    pub(crate) fn add(&mut self, header: &Header, stored: &StoredResult) {
        let lost = lost_games(header, stored);
        if lost.is_empty() {
            return;
        }
        if self.games.len() < MOST_GAMES {
            self.games.extend(lost.iter().map(row));
        } else {
            self.more_pairs += 1;
        }
    }
}

fn row(lost: &LostGame<'_>) -> FaultRow {
    let LostGame { name, entrant, side, fault, host_caused, evidence, .. } = lost;
    FaultRow {
        game: name.to_string(),
        entrant: (*entrant).to_owned(),
        moved_first: *side == Side::First,
        fault: fault.to_string(),
        host_caused: *host_caused,
        evidence: (*evidence).to_owned(),
    }
}
