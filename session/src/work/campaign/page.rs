//! The page of a campaign: the patches as a table and a plot, the accepted ones together, and its runs.

use super::model::elo;
use super::record::CampaignJob;
use super::wording::plural;
use crate::error::SessionError;
use arena::run::replace_file;
use reports::plots::{PatchMark, Plot, PlotError, patches};
use reports::text::{counted, grouped, plus_minus};
use reports::{FactSheet, PAGE};
use std::path::PathBuf;

/// The title of the plot.
const TITLE: &str = "Gains of the patches";

impl CampaignJob {
    /// Returns the path of its page.
    pub fn page(&self) -> PathBuf {
        self.folder().join(PAGE)
    }

    /// Writes its page, and returns the path.
    ///
    /// # Errors
    /// [`SessionError`] if it cannot be drawn or written.
    pub fn write_page(&self) -> Result<PathBuf, SessionError> {
        let path = self.page();
        let io = |cause| SessionError::io("cannot make the page", cause);
        let sheet = self.sheet().map_err(|error| io(std::io::Error::other(error)))?;
        replace_file(&path, sheet.html().as_bytes()).map_err(io)?;
        Ok(path)
    }

    /// Returns its plots by name: the gains of the patches.
    ///
    /// # Errors
    /// [`PlotError::Drawing`]
    pub fn plots(&self) -> Result<Vec<(&'static str, Plot)>, PlotError> {
        match self.gains_plot() {
            Err(PlotError::Empty(_)) => Ok(Vec::new()),
            plot => Ok(vec![("patches", plot?)]),
        }
    }

    fn sheet(&self) -> Result<FactSheet, PlotError> {
        let mut sheet = FactSheet::new(self.title(), self.says());
        let rules = &self.campaigning.rules;
        sheet.fact("base", self.base_in_words());
        sheet.fact("pairs", format!("{} of {}", grouped(self.pairs()), grouped(self.campaigning.max_pairs.get())));
        sheet.fact("false discoveries", format!("{}% at most, in expectation", 100.0 * rules.false_discoveries));
        let known = self.known();
        if let Some(leader) = self.leader(&known) {
            sheet.fact("best of the undecided", leader);
        }
        if let Some(together) = self.together(&known.accepted)
            && let Some(gain) = elo(&together.pairs)
        {
            sheet.fact("accepted patches together, Elo, 95%", plus_minus(gain, 1));
            if let Some(sum) = self.sum_of_gains(together) {
                sheet.fact("sum of their gains", plus_minus(sum, 1));
            }
        }
        let heads: Vec<&str> = self.columns().iter().map(|column| column.head).collect();
        let rows = self.rows(&known).into_iter().map(|row| row.cells).collect();
        sheet.table("Patches", &heads, rows);
        let reasons = self.reasons();
        if !reasons.is_empty() {
            let rows = reasons.into_iter().map(|(patch, why)| vec![patch, why]).collect();
            sheet.table("Why patches do not play", &["patch", "why"], rows);
        }
        sheet.links("Matches", self.links());
        if self.pairs() > 0 {
            sheet.plot("patches", TITLE, self.gains_plot())?;
        }
        Ok(sheet)
    }

    fn links(&self) -> Vec<(String, Vec<(String, String)>)> {
        let link = |text: String, run: &String| (text, vec![("page".to_owned(), format!("../{run}/{PAGE}"))]);
        let of_patch = |(number, patch): (u32, &super::record::Entry)| {
            let pairs = counted(self.pairs_of(number).total(), "pair");
            Some(link(format!("{} against the base, {pairs}", patch.name), patch.run.as_ref()?))
        };
        let of_patches = (0..).zip(&self.record.patches).filter_map(of_patch);
        let of_merge = |merge: &super::record::Together| {
            let pairs = counted(merge.pairs.total(), "pair");
            let text = format!("{} together, {pairs}", plural(merge.merged().count(), "accepted patch"));
            Some(link(text, merge.run.as_ref()?))
        };
        of_patches.chain(self.record.together.iter().filter_map(of_merge)).collect()
    }

    fn gains_plot(&self) -> Result<Plot, PlotError> {
        let known = self.known();
        let mark = |number: u32| {
            let patch = &known.campaign.patches()[number as usize];
            let elo = elo(&self.pairs_of(number))?;
            Some(PatchMark { name: self.record.patches[number as usize].name.clone(), elo, state: patch.state })
        };
        let marks: Vec<PatchMark> = self.by_rank(&known).into_iter().filter_map(mark).collect();
        let subtitle = format!("against {}, after {}; 95%", self.base_in_words(), counted(self.pairs(), "pair"));
        patches(TITLE, &subtitle, &marks)
    }
}
