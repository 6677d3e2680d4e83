//! The lengths and the endings of games.

use super::seen::GameSeen;
use play::games::{GameKind, Rules};
use play::{AdjudicatedBy, DrawRule, Ending, Fault, WinRule};
use stats::Score;
use std::collections::BTreeMap;

/// The number of plies in a bin of lengths.
pub const PLIES_A_BIN: usize = 4;
/// The maximum number of bins; longer games count in the last.
const MOST_BINS: usize = 256;

/// Lengths and endings of games.
#[derive(Clone, Debug, Default)]
pub struct Games {
    /// The number of games by length: bin `i` holds games of `i * PLIES_A_BIN` plies and up to the next bin; lost,
    /// drawn and won by the first mover. The opening's plies count.
    pub lengths: Vec<[u64; 3]>,
    /// The number of games by ending, in words.
    pub endings: BTreeMap<&'static str, u64>,
    /// The total number of plies.
    pub plies: u64,
    /// The number of games.
    pub games: u64,
    /// The number of games lost by a fault, by number of the entrant and by kind of the fault.
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

    /// The mean number of plies of a game; `None` without games.
    pub fn mean_plies(&self) -> Option<f64> {
        (self.games > 0).then(|| self.plies as f64 / self.games as f64)
    }
}

/// Kinds of endings by the rules of 0.1.
const OF_ZERO_POINT_ONE: &[&str] = &["wazir captured", "ply limit", "no move"];
/// Kinds of endings by the rules of chess and its variants.
const OF_CHESS: &[&str] = &[
    "checkmate",
    "variant's win",
    "stalemate",
    "repetition",
    "fifty moves",
    "bare material",
    "variant's draw",
    "draw agreed",
    "drawn on time",
];
/// Kinds of endings by a fault.
const BY_FAULT: &[&str] = &["crash", "illegal move", "false claim", "time forfeit", "silence", "no start"];
/// Kinds of endings that any game can have.
const OF_ANY: &[&str] = &["given up", "called a draw", "resigned", "too long", "won by tables", "drawn by tables"];

/// The kinds of endings that a game can have, those of its own rules first.
pub fn ending_kinds(game: GameKind) -> impl Iterator<Item = &'static str> {
    let own: [&[&str]; 2] = match game.rules() {
        Rules::ZeroPointOne(_) => [OF_ZERO_POINT_ONE, &[]],
        Rules::Chess(_) => [OF_CHESS, &[]],
        Rules::Custom => [OF_ZERO_POINT_ONE, OF_CHESS],
    };
    own.into_iter().chain([BY_FAULT, OF_ANY]).flatten().copied()
}

/// Whether a kind of ending is a fault.
pub fn is_by_fault(kind: &str) -> bool {
    BY_FAULT.contains(&kind)
}

/// The kind of an ending: one of [`ending_kinds`].
pub fn ending_in_words(ending: &Ending) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;
    use play::Side;
    use std::collections::BTreeSet;
    use std::time::Duration;

    fn endings() -> Vec<Ending> {
        use DrawRule::{
            Agreement, FiftyMoves, InsufficientMaterial, NoMove, PlyLimit, Repetition, Stalemate, Timeout, Variant,
        };
        let wins = [WinRule::WazirCaptured, WinRule::Checkmate, WinRule::Resignation, WinRule::Variant];
        let draws =
            [PlyLimit, NoMove, Stalemate, Repetition, FiftyMoves, InsufficientMaterial, Variant, Agreement, Timeout];
        let (text, time) = (String::new, Duration::ZERO);
        let faults = [
            Fault::Crash(text()),
            Fault::IllegalMove(text()),
            Fault::FalseClaim(text()),
            Fault::Time { over: time },
            Fault::Silence { after: time },
            Fault::Startup(text()),
        ];
        let early = [AdjudicatedBy::Draw, AdjudicatedBy::Resign, AdjudicatedBy::MaxPlies, AdjudicatedBy::Tables];
        let wins = wins.map(|by| Ending::Win { winner: Side::First, by });
        let draws = draws.map(|by| Ending::Draw { by });
        let faults = faults.map(|fault| Ending::Forfeit { loser: Side::First, fault });
        let won = early.map(|by| Ending::Adjudicated { winner: Some(Side::First), by });
        let drawn = early.map(|by| Ending::Adjudicated { winner: None, by });
        wins.into_iter().chain(draws).chain(faults).chain(won).chain(drawn).collect()
    }

    #[test]
    fn each_ending_is_of_one_of_the_kinds() {
        let of = |game| ending_kinds(game).collect::<Vec<_>>();
        let all: BTreeSet<_> = [GameKind::ZeroPointOne, GameKind::Chess].into_iter().flat_map(of).collect();
        assert_eq!(all, endings().iter().map(ending_in_words).collect());
        for game in [GameKind::ZeroPointOne, GameKind::Crazyhouse] {
            let kinds = of(game);
            assert_eq!(kinds.iter().collect::<BTreeSet<_>>().len(), kinds.len(), "{game}");
        }
        assert!(!of(GameKind::Chess).contains(&"wazir captured"));
        for ending in endings() {
            assert_eq!(is_by_fault(ending_in_words(&ending)), ending.fault().is_some(), "{ending:?}");
        }
    }
}
