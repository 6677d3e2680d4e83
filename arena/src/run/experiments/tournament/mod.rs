//! Matches in rounds: who meets whom in a round depends on the results of the rounds before.
//!
//! A round is drawn when all pairs of the rounds before have been absorbed, from those and from the configuration
//! alone. Nothing here proposes pairs: that is for [`Match`](super::Match).

mod knockout;
mod pairing;
mod swiss;

use crate::config::Schedule;
use crate::run::experiment::{PairingStanding, TournamentStanding};
use knockout::Knockout;
use std::num::NonZeroU64;
use swiss::Swiss;

/// Who is to play next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    /// Two entrants each, who have met before only if their meeting goes on.
    pub(super) meetings: Vec<(u32, u32)>,
    /// Pairs of each meeting.
    pub(super) pairs: u64,
    /// The opening of the first pair of each, counted among all openings of the run.
    pub(super) first_opening: u64,
}

/// A match whose pairings depend on results.
#[derive(Debug)]
pub(super) enum Tournament {
    Swiss(Swiss),
    Knockout(Knockout),
}

impl Tournament {
    /// The tournament of a schedule, before its first round; `None` of schedules that heed no results.
    pub(super) fn of(schedule: Schedule, pairs: NonZeroU64, entrants: u32) -> Option<Self> {
        match schedule {
            Schedule::Swiss { rounds } => Some(Self::Swiss(Swiss::new(entrants, rounds.get(), pairs.get()))),
            Schedule::Knockout { tie_breaks } => {
                Some(Self::Knockout(Knockout::new(entrants, pairs.get(), tie_breaks.into())))
            }
            Schedule::Gauntlet | Schedule::Gauntlets { .. } | Schedule::RoundRobin | Schedule::Pyramid => None,
        }
    }

    /// The same with so many games in what it calls a pair: 1 or 2.
    pub(super) fn set_games_each(&mut self, games: u64) {
        match self {
            Self::Swiss(swiss) => swiss.games_each = games,
            Self::Knockout(knockout) => knockout.games_each = games,
        }
    }

    /// Who plays next, once all that was drawn has been played; `None` at the end.
    pub(super) fn draw(&mut self, played: &[PairingStanding]) -> Option<Drawn> {
        match self {
            Self::Swiss(swiss) => swiss.draw(played),
            Self::Knockout(knockout) => knockout.draw(played),
        }
    }

    /// Pairs still to come after those drawn, if that can be said: without any tie-breaks.
    pub(super) fn pairs_to_come(&self) -> u64 {
        match self {
            Self::Swiss(swiss) => swiss.pairs_to_come(),
            Self::Knockout(knockout) => knockout.pairs_to_come(),
        }
    }

    /// Where it stands.
    pub(super) fn standing(&self, played: &[PairingStanding]) -> TournamentStanding {
        match self {
            Self::Swiss(swiss) => TournamentStanding::Swiss(swiss.standing(played)),
            Self::Knockout(knockout) => TournamentStanding::Knockout(knockout.standing(played)),
        }
    }
}

/// Pairs of a pairing, or single games where each is one game.
fn pairs_played(pairing: &PairingStanding, games_each: u64) -> u64 {
    pairing.counts.wdl().total() / games_each.max(1)
}

/// Half points of games of the two entrants of a pairing.
fn half_points(pairing: &PairingStanding) -> [u64; 2] {
    let wdl = pairing.counts.wdl();
    [2 * wdl.wins + wdl.draws, 2 * wdl.losses + wdl.draws]
}

#[cfg(test)]
mod tests;
