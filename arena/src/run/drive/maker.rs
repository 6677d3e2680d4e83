//! Turns the proposals of a run into pairs that any worker can play.

use super::error::RunError;
use crate::config::{ExperimentConfig, RunConfig};
use crate::run::builds::by_content;
use crate::run::pair::PairSpec;
use play::entrant::Entrant;
use play::games::GameKind;
use play::openings::Openings;
use play::{Limit, TableRules};
use record::{BuildId, PairIndex, Proposal, ProposedSeat, Starvation};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Turns proposals into pair specs.
pub(in crate::run) struct Maker {
    pub(in crate::run) run_seed: u64,
    pub(in crate::run) game: GameKind,
    pub(in crate::run) entrants: Vec<Arc<Entrant>>,
    builds: Vec<Arc<BuildId>>,
    limits: Vec<Limit>,
    /// The texts of each category's values.
    categories: BTreeMap<String, Vec<String>>,
    pub(in crate::run) openings: Openings,
    pub(in crate::run) rules: TableRules,
    pub(in crate::run) starvation: Starvation,
}

impl Maker {
    /// Creates a maker. `builds` are those of the run's header, one for each entrant.
    pub(in crate::run) fn new(config: &RunConfig, builds: &[BuildId], openings: &Openings) -> Self {
        let entrants = config.entrants.iter().zip(builds).map(|(entrant, build)| Arc::new(by_content(entrant, build)));
        Self {
            run_seed: config.seed,
            game: config.game,
            entrants: entrants.collect(),
            builds: builds.iter().cloned().map(Arc::new).collect(),
            limits: config.experiment.limits().to_vec(),
            categories: categories(&config.experiment),
            openings: openings.clone(),
            rules: config.rules.clone(),
            starvation: config.starvation,
        }
    }

    pub(in crate::run) fn spec(
        &self,
        pair: PairIndex,
        proposal: &Proposal,
        varied: &[String],
    ) -> Result<PairSpec, RunError> {
        let [first, second] = &proposal.seats;
        let limit = proposal.limit.and_then(|limit| self.limits.get(limit as usize)).copied();
        Ok(PairSpec {
            pair,
            run_seed: self.run_seed,
            game: self.game,
            seats: [self.seat(first, limit, varied)?, self.seat(second, limit, varied)?],
            builds: [first, second].map(|seat| Arc::clone(&self.builds[seat.entrant as usize])),
            sides: proposal.sides,
            opening: self.openings.opening(self.run_seed, proposal.opening),
            rules: self.rules.clone(),
        })
    }

    /// Returns the entrant of a seat, with the values and the limit that the experiment gives it.
    fn seat(&self, seat: &ProposedSeat, limit: Option<Limit>, varied: &[String]) -> Result<Arc<Entrant>, RunError> {
        let entrant = &self.entrants[seat.entrant as usize];
        if seat.values.is_empty() && limit.is_none() {
            return Ok(Arc::clone(entrant));
        }
        let mut entrant = Entrant::clone(entrant);
        if let Some(limit) = limit {
            entrant.player.set_limit(limit);
        }
        for (name, &value) in varied.iter().zip(&seat.values) {
            let text = self.categories.get(name).and_then(|texts| texts.get(value as usize));
            let set = match text {
                Some(text) => entrant.player.set_text(name, text),
                None => entrant.player.set(name, value),
            };
            set.map_err(|why| RunError::Value { name: name.clone(), value, why })?;
        }
        Ok(Arc::new(entrant))
    }
}

fn categories(experiment: &ExperimentConfig) -> BTreeMap<String, Vec<String>> {
    let ExperimentConfig::Tune(tune) = experiment else { return BTreeMap::new() };
    tune.categories().map(|(name, values)| (name.to_owned(), values.to_vec())).collect()
}
