//! The check that every stored configuration must pass, in a journal of any version.

use super::{ExperimentConfig, LadderConfig, RunConfig};

impl RunConfig {
    /// Checks that the experiment fits these entrants. A configuration resolved from a plan always passes; a journal
    /// may have been edited, or written by another program.
    ///
    /// # Errors
    /// The mismatch, in words.
    pub fn check(&self) -> Result<(), String> {
        let count = self.entrants.len();
        let (least, exact) = match &self.experiment {
            ExperimentConfig::Sprt { .. } => (2, None),
            ExperimentConfig::Tune(_) => (1, None),
            ExperimentConfig::Match { entrants, .. } => (2, Some(*entrants)),
            ExperimentConfig::Ladder(ladder) => (2, Some(ladder.entrants)),
            ExperimentConfig::Selfplay { entrants, .. } => (1, Some(*entrants)),
        };
        if count < least || exact.is_some_and(|exact| exact as usize != count) {
            let exact = exact.map_or_else(|| format!("at least {least}"), |exact| exact.to_string());
            return Err(format!("there are {count} entrants: expected {exact}"));
        }
        if let ExperimentConfig::Ladder(ladder) = &self.experiment {
            check_ladder(ladder)?;
        }
        let share = self.max_fault_share;
        let is_share = (0.0..=1.0).contains(&share);
        if is_share { Ok(()) } else { Err(format!("`max_fault_share` is {share}: expected 0 to 1")) }
    }
}

/// Checks the entrant numbers in a ladder's settings.
fn check_ladder(ladder: &LadderConfig) -> Result<(), String> {
    let all = u64::from(ladder.entrants) + ladder.gone.len() as u64;
    let of_known = ladder.known.iter().flat_map(|known| [known.entrant, known.opponent]);
    match of_known.chain([ladder.anchor]).find(|entrant| u64::from(*entrant) >= all) {
        Some(unknown) => Err(format!("entrant {unknown} of the ladder is none of its {all}")),
        None => Ok(()),
    }
}
