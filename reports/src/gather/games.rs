//! How long games were, and how they ended.

use super::seen::GameSeen;
use play::{AdjudicatedBy, DrawRule, Ending, Fault, WinRule};
use stats::Score;
use std::collections::BTreeMap;

/// Lengths are counted in bins of so many plies.
pub const PLIES_A_BIN: usize = 4;
/// Longer games are counted in the last bin.
const MOST_BINS: usize = 256;

/// Lengths and endings of games.
#[derive(Clone, Debug, Default)]
pub struct Games {
    /// Games by length: bin `i` holds those of `i * PLIES_A_BIN` plies and up to the next; lost, drawn and won by the
    /// first mover. The opening's plies count.
    pub lengths: Vec<[u64; 3]>,
    /// Games by ending, in words.
    pub endings: BTreeMap<&'static str, u64>,
    /// Plies in all.
    pub plies: u64,
    /// Games.
    pub games: u64,
    /// Games lost by a fault, by number of the entrant and by kind of the fault.
    pub faults: BTreeMap<(usize, &'static str), u64>,
}

impl Games {
    pub(super) fn add(&mut self, game: &GameSeen<'_>) {
        let plies = game.plies();
        let bin = (plies / PLIES_A_BIN).min(MOST_BINS - 1);
        if self.lengths.len() <= bin {
            self.lengths.resize(bin + 1, [0; 3]);
        }
        let result = match game.score_of_first {
            Score::Loss => 0,
            Score::Draw => 1,
            Score::Win => 2,
        };
        self.lengths[bin][result] += 1;
        *self.endings.entry(ending_in_words(&game.record.ending)).or_default() += 1;
        self.plies += plies as u64;
        self.games += 1;
        if let Some((side, fault)) = game.record.ending.fault() {
            *self.faults.entry((game.entrants[side], fault_in_words(fault))).or_default() += 1;
        }
    }

    /// Plies of a game on average; `None` without games.
    pub fn mean_plies(&self) -> Option<f64> {
        (self.games > 0).then(|| self.plies as f64 / self.games as f64)
    }
}

/// The kind of an ending.
pub(crate) fn ending_in_words(ending: &Ending) -> &'static str {
    match ending {
        Ending::Win { by, .. } => match by {
            WinRule::WazirCaptured => "wazir captured",
            WinRule::Checkmate => "checkmate",
            WinRule::Resignation => "given up",
            WinRule::Variant => "variant's win",
        },
        Ending::Draw { by } => match by {
            DrawRule::PlyLimit => "ply limit",
            DrawRule::NoMove => "no move",
            DrawRule::Stalemate => "stalemate",
            DrawRule::Repetition => "repetition",
            DrawRule::FiftyMoves => "fifty moves",
            DrawRule::InsufficientMaterial => "bare material",
            DrawRule::Variant => "variant's draw",
            DrawRule::Agreement => "draw agreed",
            DrawRule::Timeout => "drawn on time",
        },
        Ending::Forfeit { fault, .. } => fault_in_words(fault),
        Ending::Adjudicated { winner, by } => match (by, winner) {
            (AdjudicatedBy::Draw, _) => "called a draw",
            (AdjudicatedBy::Resign, _) => "resigned",
            (AdjudicatedBy::MaxPlies, _) => "too long",
            (AdjudicatedBy::Tables, Some(_)) => "won by tables",
            (AdjudicatedBy::Tables, None) => "drawn by tables",
        },
    }
}

/// The kind of a fault.
pub fn fault_in_words(fault: &Fault) -> &'static str {
    match fault {
        Fault::Crash(_) => "crash",
        Fault::IllegalMove(_) => "illegal move",
        Fault::FalseClaim(_) => "false claim",
        Fault::Time { .. } => "time forfeit",
        Fault::Silence { .. } => "silence",
        Fault::Startup(_) => "no start",
    }
}
