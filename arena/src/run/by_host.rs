//! What the host did to the players of a pair. It is judged once, when the result is absorbed.

use play::entrant::Entrant;
use record::{PairResult, Proposal, Starvation};
use std::borrow::Borrow;

/// The part of a pair's result that the host caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByHost {
    /// Games in which the host starved a player.
    pub starved_games: u64,
    /// Games lost on time because the host starved the loser, by seat.
    pub faults: [u64; 2],
}

impl ByHost {
    /// Judges a result by the run's starvation settings. `entrants` are the run's entrants.
    pub fn of(
        starvation: &Starvation,
        entrants: &[impl Borrow<Entrant>],
        proposal: &Proposal,
        result: &PairResult,
    ) -> Self {
        let mut faults = [0; 2];
        for (game, side_of_first) in result.seated_games() {
            let Some((side, fault)) = game.ending.fault() else { continue };
            let seat = usize::from(side != side_of_first);
            let Some(entrant) = entrants.get(proposal.seats[seat].entrant as usize) else { continue };
            let (player, decisive) = (&entrant.borrow().player, game.circumstances.times.decisive[side]);
            let is_by_host = starvation.is_host_caused(fault, decisive, player.margin(), player.overrun());
            faults[seat] += u64::from(is_by_host);
        }
        Self { starved_games: starvation.games(result), faults }
    }
}
