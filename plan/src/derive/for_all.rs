//! Options for all entrants on the command line; they override the file.

use super::super::keys::{EnginePlan, within};
use super::super::section::Section;
use super::super::{Origin, RunPlan};

impl RunPlan {
    /// Gives all entrants these common settings, which override their own.
    pub fn give_all(&mut self, common: &EnginePlan) {
        let each = within(&mut self.keys.each);
        each.forget_evaluation(common);
        each.replace(common);
        // A program replaces the players of all entrants.
        let player = common.cmd.is_some().then(|| each.player.take()).is_some();
        for entrant in &mut self.keys.entrant {
            entrant.value.forget_evaluation(common);
            entrant.value.forget(common);
            if player {
                entrant.value.player = None;
            }
        }
        if *each == EnginePlan::default() {
            self.keys.each = None;
        }
    }
}

impl EnginePlan {
    /// Removes the evaluation if the given settings set it, by name or by a file.
    fn forget_evaluation(&mut self, given: &Self) {
        if given.evaluation.is_some() || given.network.is_some() {
            (self.evaluation, self.network) = (None, None);
        }
    }

    /// Returns the origins of its values.
    pub fn origins(&self) -> Vec<Origin> {
        let mut origins = Vec::new();
        Section::origins(&mut self.clone(), &mut |origin| origins.push(origin.clone()));
        origins
    }
}
