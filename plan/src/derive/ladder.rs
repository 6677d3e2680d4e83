//! A further run of a ladder: it knows the results of earlier runs and uses other openings.

use super::super::keys::{KnownPlan, within};
use super::super::{Given, Origin, RunPlan};
use stats::PairCounts;

/// The number of openings reserved for each run of a ladder.
pub const OPENINGS_OF_A_RUN: u64 = 1 << 20;

/// The result of earlier runs between two entrants.
#[derive(Clone, Debug)]
pub struct Known {
    /// An entrant's name.
    pub entrant: String,
    /// Its opponent's name.
    pub opponent: String,
    /// Pairs by outcome, from the entrant's view.
    pub counts: PairCounts,
}

impl RunPlan {
    /// Returns the plan of a further run of the ladder after earlier ones with the `known` results. `first_opening` is
    /// the opening of its first pair; `gone` are the names in these results that are no longer entrants.
    #[must_use]
    pub fn continued(&self, known: &[Known], gone: &[String], first_opening: u64) -> Self {
        let origin = Origin::derived("earlier runs of the ladder");
        let result = |Known { entrant, opponent, counts }: &Known| {
            let name = |name: &str| Some(Given::new(name, origin.clone()));
            let counts = Some(Given::new(counts.0, origin.clone()));
            Given::new(KnownPlan { entrant: name(entrant), opponent: name(opponent), counts }, origin.clone())
        };
        let mut plan = self.clone();
        let ladder = within(&mut plan.keys.ladder);
        ladder.gone = (!gone.is_empty()).then(|| Given::new(gone, origin.clone()));
        ladder.known = known.iter().map(result).collect();
        ladder.first_opening = Some(Given::new(first_opening, origin.clone()));
        plan
    }
}
