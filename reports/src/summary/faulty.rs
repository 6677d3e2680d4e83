//! Notes in the headline of a result about games lost by faults: if there are many, the result means little.

use super::RunSummary;
use crate::text::{counted, grouped, spoken};
use arena::run::{MARKED_FAULT_SHARE, TooFaulty};

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

impl RunSummary<'_> {
    /// The share of all games lost by faults of the engines, from 0 to 1. Faults that the host caused do not count.
    pub fn fault_share(&self) -> f64 {
        self.own_faults() as f64 / self.games().max(1) as f64
    }

    /// The number of games lost by faults, if it is more than one in a hundred; otherwise empty.
    pub fn faults_in_short(&self) -> String {
        if self.fault_share() <= MARKED_FAULT_SHARE {
            return String::new();
        }
        let (faults, games) = (self.own_faults(), counted(self.games(), "game"));
        let were = if faults == 1 { "was" } else { "were" };
        format!("{} of {games} ({}) {were} lost by faults", grouped(faults), percent(self.fault_share()))
    }

    /// The end of a run that was stopped by the faults of an entrant, in a sentence; `None` for all other runs.
    pub(super) fn stopped_by_faults(&self) -> Option<String> {
        let too_faulty = self.too_faulty?;
        let TooFaulty { entrant, faults, games } = too_faulty;
        let name = self.config.entrants.get(entrant as usize).map_or("?", |entrant| &entrant.name);
        let pairs = counted(self.standing.pairs, self.unit());
        let time = self.elapsed.map_or(String::new(), |time| format!(" ({})", spoken(time)));
        let (faults, games, share) = (grouped(faults), counted(games, "game"), percent(too_faulty.share()));
        Some(format!("Stopped after {pairs}{time}: {name} lost {faults} of its {games} by faults ({share})."))
    }

    fn games(&self) -> u64 {
        self.standing.pairs.saturating_mul(self.config.experiment.rounds().games_each())
    }

    fn own_faults(&self) -> u64 {
        self.faults.iter().map(|faults| faults.games.saturating_sub(faults.host_caused)).sum()
    }
}
