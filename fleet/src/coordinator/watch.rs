//! Whether any worker's pairs are unlike the others': its machine may be too slow or too busy for the clocks of a run, or its word be false.
//! What stands out is told; what is done about it is for a person to say.

use crate::message::Residuals;
use crate::names::WorkerName;
use arena::run::{JournalError, JournalReader, PairResult};
use stats::Score;
use stats::residuals::{Part, Residual, homogeneity};
use std::collections::{BTreeMap, BTreeSet};

/// What each worker's pairs came to.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    parts: BTreeMap<String, Part>,
    told: BTreeSet<String>,
}

impl Watch {
    /// Of the pairs that a journal has.
    ///
    /// # Errors
    /// [`JournalError`] if they cannot be read.
    pub(crate) fn of(journal: &JournalReader) -> Result<Self, JournalError> {
        let mut watch = Self::default();
        journal.scores_by_worker(|worker, half_points, is_faulty| {
            watch.parts.entry(worker.to_owned()).or_default().add(half_points, is_faulty);
        })?;
        Ok(watch)
    }

    /// Takes in a pair.
    pub(crate) fn note(&mut self, worker: &WorkerName, result: &PairResult) {
        let half_points = result.scores().into_iter().map(Score::half_points).map(u64::from).sum();
        let is_faulty = result.faults_by_seat().iter().sum::<u64>() > 0;
        self.parts.entry(worker.to_string()).or_default().add(half_points, is_faulty);
    }

    /// A worker's pairs do not count any more.
    pub(crate) fn forget(&mut self, worker: &WorkerName) {
        self.parts.remove(worker.shared().as_ref());
    }

    fn residual(&self, worker: &str) -> Option<Residual> {
        let part = self.parts.get(worker)?;
        let mut rest = Part::default();
        self.parts.iter().filter(|(other, _)| *other != worker).for_each(|(_, part)| rest.merge(part));
        (rest.pairs() > 0).then(|| Residual::of(part, &rest))
    }

    /// How far each worker is from the others, and how likely all of them are alike.
    pub(crate) fn residuals(&self) -> (BTreeMap<String, Residuals>, Option<f64>) {
        let all: Vec<&Part> = self.parts.values().collect();
        let of = |worker: &String| {
            let residual = self.residual(worker)?;
            let faulty = self.parts.get(worker).map_or(0, |part| part.faulty);
            let stands_out = residual.stands_out(all.len());
            Some((worker.clone(), Residuals { score: residual.score, scores_p: residual.scores, faulty, stands_out }))
        };
        (self.parts.keys().filter_map(of).collect(), homogeneity(&all))
    }

    /// Those that stand out and were not told of yet, and what is to be said of them in this run.
    pub(crate) fn stand_out(&mut self, run: &str) -> Vec<(String, String)> {
        let all = self.parts.len();
        let mut found = Vec::new();
        for (worker, part) in &self.parts {
            let Some(residual) = self.residual(worker).filter(|residual| residual.stands_out(all)) else { continue };
            if self.told.contains(worker) {
                continue;
            }
            let p = |p: Option<f64>| p.map_or_else(|| "too few to tell".to_owned(), |p| format!("p = {p:.1e}"));
            found.push((
                worker.clone(),
                format!(
                    "stands out: its {} pairs score {:+.1} standard errors from the others' ({}), and {} of them have a fault ({}). \
                     To have them withdrawn and played again: spar fleet set-aside {worker} {run}",
                    part.pairs(),
                    residual.score,
                    p(residual.scores),
                    part.faulty,
                    p(residual.faults),
                ),
            ));
        }
        self.told.extend(found.iter().map(|(worker, _)| worker.clone()));
        found
    }
}
