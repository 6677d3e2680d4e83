//! The page of a bisection: the findings, the probability of each commit, the Elo along the range, and its runs.

use super::record::BisectJob;
use crate::error::SessionError;
use arena::run::replace_file;
use reports::plots::{CommitMark, Plot, PlotError, commit_path, commits};
use reports::text::{counted, grouped, plus_minus};
use reports::{FactSheet, PAGE};
use std::path::PathBuf;

/// The headers of the table of versions.
const VERSIONS: [&str; 4] = ["commit", "Elo above the good end", "bench", "subject"];
/// The headers of the table of commits.
const COMMITS: [&str; 5] = ["commit", "probability", "written", "author", "subject"];

impl BisectJob {
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

    /// Returns its plots by name: the probability of each commit, and the Elo along the range.
    ///
    /// # Errors
    /// [`PlotError::Drawing`]
    pub fn plots(&self) -> Result<Vec<(&'static str, Plot)>, PlotError> {
        let plots = [("commits", self.commits_plot()), ("path", self.path_plot())];
        let drawn = plots.into_iter().filter(|(_, plot)| !matches!(plot, Err(PlotError::Empty(_))));
        drawn.map(|(name, plot)| Ok((name, plot?))).collect()
    }

    fn sheet(&self) -> Result<FactSheet, PlotError> {
        let mut sheet = FactSheet::new(self.title(), self.says());
        let knowledge = self.knowledge();
        for (number, found) in self.record.found.iter().enumerate() {
            let names: Vec<String> = found
                .commits
                .iter()
                .map(|&commit| {
                    let revision = &self.commit(commit).revision;
                    format!("{} {}", revision.short(), revision.subject())
                })
                .collect();
            sheet.fact(format!("found ({})", number + 1), names.join(" or "));
            if let Some(loss) = self.loss_of(&found.commits, &knowledge) {
                sheet.fact("its Elo, 95%", plus_minus(loss, 1));
            }
            sheet.fact("probability", format!("{:.1}%", 100.0 * found.probability.min(1.0)));
        }
        sheet.fact("commits", grouped(u64::from(self.last())));
        sheet.fact("pairs", format!("{} of {}", grouped(self.pairs()), grouped(self.bisecting.max_pairs.get())));
        sheet.fact("no commit lost as much as counts", format!("{:.1}%", 100.0 * knowledge.none));
        sheet.table("Commits that were looked at", &VERSIONS, self.version_rows(&knowledge));
        let suspects = knowledge.suspects(1.0);
        sheet.table("By probability", &COMMITS, suspects.iter().map(|&commit| self.row(commit, &knowledge)).collect());
        let link = |of: &super::record::Match| {
            let short = |version: u32| self.commit(version).revision.short();
            let text =
                format!("{} against {}, {}", short(of.later), short(of.earlier), counted(of.counts.total(), "pair"));
            Some((text, vec![("page".to_owned(), format!("../{}/{PAGE}", of.run.as_ref()?))]))
        };
        sheet.links("Matches", self.record.matches.iter().filter_map(link).collect());
        if self.pairs() > 0 {
            sheet.plot("commits", TITLES[0], self.commits_plot())?;
            sheet.plot("path", TITLES[1], self.path_plot())?;
        }
        Ok(sheet)
    }

    fn commits_plot(&self) -> Result<Plot, PlotError> {
        let knowledge = self.knowledge();
        let is_found = |commit: u32| self.record.found.iter().any(|found| found.commits.contains(&commit));
        let mark = |(commit, &probability): (u32, &f64)| CommitMark {
            name: self.commit(commit).revision.short().to_owned(),
            // An earlier finding has been set aside since.
            probability: if is_found(commit) && probability <= 0.0 { self.claimed(commit) } else { probability },
            is_found: is_found(commit),
        };
        let marks: Vec<CommitMark> = (1..).zip(&knowledge.guilt).map(mark).collect();
        let says = format!("probability of each commit after {}", counted(self.pairs(), "pair"));
        commits(TITLES[0], &says, &marks)
    }

    /// Returns a commit's share of the probability of its finding.
    fn claimed(&self, commit: u32) -> f64 {
        let found = self.record.found.iter().find(|found| found.commits.contains(&commit));
        found.map_or(0.0, |found| found.probability / found.commits.len() as f64)
    }

    fn path_plot(&self) -> Result<Plot, PlotError> {
        let names: Vec<String> =
            self.record.range.commits.iter().map(|commit| commit.revision.short().to_owned()).collect();
        commit_path(TITLES[1], "by all matches together; 95%", &names, &self.knowledge().path)
    }
}

/// The titles of the plots.
const TITLES: [&str; 2] = ["Which commit lost the Elo", "Elo along the commits"];
