//! A further run of a ladder: what earlier runs have found is known to it, and its openings are others.

use super::super::keys::{KnownPlan, within};
use super::super::{Given, Origin, RunPlan};
use stats::PairCounts;

/// Openings that each run of a ladder has for itself.
const OPENINGS_OF_A_RUN: u64 = 1 << 20;

/// What earlier runs say of two entrants.
#[derive(Clone, Debug)]
pub struct Known {
    /// An entrant's name.
    pub entrant: String,
    /// Another's.
    pub opponent: String,
    /// Pairs by outcome, from the entrant's view.
    pub counts: PairCounts,
}

impl RunPlan {
    /// The plan of this ladder's run after this many others, which have found what is known; `gone` are those of its
    /// names that are not entrants any more.
    #[must_use]
    pub fn continued(&self, known: &[Known], gone: &[String], runs: usize) -> Self {
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
        ladder.first_opening = Some(Given::new(runs as u64 * OPENINGS_OF_A_RUN, origin.clone()));
        plan
    }
}
