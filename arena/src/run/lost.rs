//! Games lost by a fault, as stored in a journal: the player, the reason, the host's influence, and the player's last
//! lines.

use super::journal::{Header, StoredResult};
use super::name::GameName;
use record::{Circumstances, Fault, Side};
use std::time::Duration;

/// A game lost by a fault.
#[derive(Clone, Copy, Debug)]
pub struct LostGame<'a> {
    /// The game.
    pub name: GameName,
    /// The entrant that lost it.
    pub entrant: &'a str,
    /// The side that the entrant played.
    pub side: Side,
    /// The fault.
    pub fault: &'a Fault,
    /// The longest that the host kept the entrant waiting for a processor within one move.
    pub waited: Duration,
    /// Whether the host caused the loss.
    pub host_caused: bool,
    /// The entrant's last lines; empty if unknown.
    pub evidence: &'a str,
}

/// Returns the games of a pair that were lost by a fault.
pub fn lost_games<'a>(header: &'a Header, stored: &'a StoredResult) -> Vec<LostGame<'a>> {
    let StoredResult { proposal, result, .. } = stored;
    let of = |game: usize| {
        let name = GameName { pair: result.pair, game };
        let record = result.games.get(game)?;
        let (side, fault) = record.ending.fault()?;
        let seat = result.sides.seat(game, side);
        let entrant = header.config.entrants.get(proposal.seats[seat].entrant as usize)?;
        let Circumstances { times, evidence, .. } = &record.circumstances;
        let (waited, decisive) = (times.delayed[side], times.decisive[side]);
        let (margin, overrun) = (entrant.player.margin(), entrant.player.overrun());
        let host_caused = header.config.starvation.is_host_caused(fault, decisive, margin, overrun);
        let evidence = evidence.as_deref().unwrap_or_default();
        Some(LostGame { name, entrant: &entrant.name, side, fault, waited, host_caused, evidence })
    };
    (0..result.games.len()).filter_map(of).collect()
}
