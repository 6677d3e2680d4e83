//! Whether any worker's pairs are unlike the others': its machine may be too slow or too busy for the clocks of a run, or its word be false.
//! What stands out is told; what is done about it is for a person to say.

use crate::message::Residuals;
use crate::names::WorkerName;
use arena::run::{JournalError, JournalReader, PairResult};
use stats::Score;
use stats::residuals::{Part, Residual, homogeneity};
use std::collections::{BTreeMap, BTreeSet};

/// So many are taken out at most before the others are judged: where more stand out, it is not they who are odd.
const MOST_TOLD: usize = 20;

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

    /// Of each worker that is not the only one: how far it is from the others, and whether it stands out. Those that do are no measure
    /// for the others, and the one that does most is found first.
    fn of_each(&self) -> BTreeMap<&str, (&Part, Residual, bool)> {
        let mut measure = Part::default();
        self.parts.values().for_each(|part| measure.merge(part));
        let mut left: BTreeMap<&str, &Part> = self.parts.iter().map(|(worker, part)| (worker.as_str(), part)).collect();
        let mut found = BTreeMap::new();
        loop {
            let residuals: Vec<(&str, Residual)> =
                left.iter().map(|(worker, part)| (*worker, Residual::of(part, &measure.without(part)))).collect();
            let most = residuals.iter().filter(|(_, residual)| residual.stands_out(self.parts.len()));
            let most = most.min_by(|(_, one), (_, other)| one.least_p().total_cmp(&other.least_p())).copied();
            let Some((worker, residual)) = most.filter(|_| found.len() < MOST_TOLD) else {
                let alike = residuals.into_iter().filter(|_| left.len() > 1);
                found.extend(
                    alike.filter_map(|(worker, residual)| Some((worker, (*left.get(worker)?, residual, false)))),
                );
                return found;
            };
            if let Some(part) = left.remove(worker) {
                measure = measure.without(part);
                found.insert(worker, (part, residual, true));
            }
        }
    }

    /// How far each worker is from the others, and how likely all of them are alike.
    pub(crate) fn residuals(&self) -> (BTreeMap<String, Residuals>, Option<f64>) {
        let of = |(worker, (part, residual, stands_out)): (&str, (&Part, Residual, bool))| {
            let Residual { score, scores: scores_p, faults: faults_p } = residual;
            (worker.to_owned(), Residuals { score, scores_p, faulty: part.faulty, faults_p, stands_out })
        };
        let all: Vec<&Part> = self.parts.values().collect();
        (self.of_each().into_iter().map(of).collect(), homogeneity(&all))
    }

    /// Those that stand out and were not told of yet, and what is to be said of them in this run.
    pub(crate) fn stand_out(&mut self, all: &BTreeMap<String, Residuals>, run: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (worker, of) in all.iter().filter(|(worker, of)| of.stands_out && !self.told.contains(*worker)) {
            let pairs = self.parts.get(worker).map_or(0, Part::pairs);
            let p = |p: Option<f64>| p.map_or_else(|| "too few to tell".to_owned(), |p| format!("p = {p:.1e}"));
            found.push((
                worker.clone(),
                format!(
                    "stands out: its {pairs} pairs score {:+.1} standard errors from the others' ({}), and {} of them have a fault ({}). \
                     To have them withdrawn and played again: spar fleet set-aside {worker} {run}",
                    of.score,
                    p(of.scores_p),
                    of.faulty,
                    p(of.faults_p),
                ),
            ));
        }
        self.told.extend(found.iter().map(|(worker, _)| worker.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(scores: [u64; 5], faulty: u64) -> Part {
        Part { scores: scores.to_vec(), faulty }
    }

    #[test]
    fn one_that_is_far_off_makes_no_other_stand_out_and_is_told_of_once() {
        let usual = [10, 20, 40, 20, 10];
        let parts = [("a", part(usual, 0)), ("b", part(usual, 1)), ("far", part([70, 20, 10, 0, 0], 0))];
        let parts = parts.map(|(worker, part)| (worker.to_owned(), part)).into();
        let mut watch = Watch { parts, told: BTreeSet::new() };
        let (residuals, homogeneity) = watch.residuals();
        let standing_out =
            residuals.iter().filter(|(_, residuals)| residuals.stands_out).map(|(worker, _)| worker.as_str());
        assert_eq!(standing_out.collect::<Vec<_>>(), ["far"]);
        assert!(residuals["far"].score < -8.0 && residuals["a"].score.abs() < 1e-9 && residuals["b"].faulty == 1);
        assert!(homogeneity.is_some_and(|p| p < 1e-9));
        let told = watch.stand_out(&residuals, "run");
        assert!(told.len() == 1 && told[0].0 == "far", "{told:?}");
        assert!(told[0].1.contains("its 100 pairs score") && told[0].1.ends_with("spar fleet set-aside far run"));
        assert!(watch.stand_out(&residuals, "run").is_empty());
        watch.forget(&"far".parse().unwrap());
        assert!(watch.residuals().1.is_some_and(|p| p > 0.9));
    }

    #[test]
    fn one_worker_alone_has_nobody_to_be_unlike() {
        let parts = [("a".to_owned(), part([1, 2, 3, 4, 50], 9))].into();
        assert_eq!(Watch { parts, told: BTreeSet::new() }.residuals(), (BTreeMap::new(), None));
    }
}
