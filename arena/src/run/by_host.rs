//! What the host did to the players of a pair, judged once: when its result is taken in.

use play::entrant::Entrant;
use record::{PairResult, Proposal, Starvation};
use std::borrow::Borrow;
use std::time::Duration;

/// What of a pair's result is the host's doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByHost {
    /// Games in which it starved a player.
    pub starved_games: u64,
    /// Games lost on time because it starved the loser, by seat.
    pub faults: [u64; 2],
}

impl ByHost {
    /// As the run's settings judge it. `entrants` are those of the run.
    pub fn of(
        starvation: &Starvation,
        entrants: &[impl Borrow<Entrant>],
        proposal: &Proposal,
        result: &PairResult,
    ) -> Self {
        let mut faults = [0; 2];
        for (game, side_of_first) in result.seated_games() {
            if let Some((side, fault)) = game.ending.fault() {
                let seat = usize::from(side != side_of_first);
                let entrant = entrants.get(proposal.seats[seat].entrant as usize);
                let margin = entrant.map_or(Duration::ZERO, |entrant| entrant.borrow().player.margin());
                faults[seat] +=
                    u64::from(starvation.is_host_caused(fault, game.circumstances.times.decisive[side], margin));
            }
        }
        Self { starved_games: starvation.games(result), faults }
    }
}
