//! Detects workers whose pairs differ from the others': the machine may be too slow or too busy for the clocks of a
//! run, or the results may be false. Outliers are reported; a person decides what to do.

use crate::message::Residuals;
use crate::names::WorkerName;
use arena::run::{JournalError, JournalReader, PairResult};
use reports::gather::fault_in_words;
use stats::Score;
use stats::residuals::{Part, Residual, homogeneity};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of outliers that are excluded before the others are judged: if there are more, they are not the
/// odd ones.
const MOST_TOLD: usize = 20;

/// The number of pairs after which a worker is first tested; it is tested again at each doubling. Tests after every
/// pair would eventually find an outlier by chance.
const FIRST_LOOK: u64 = 32;

/// The totals of each worker's pairs.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    parts: BTreeMap<String, Part>,
    /// The games of this session that were lost by a fault, by the kind of fault.
    faults: BTreeMap<String, BTreeMap<&'static str, u64>>,
    /// How many times each worker was tested.
    looks: BTreeMap<String, u32>,
    /// The workers that were outliers when they were tested.
    odd: BTreeSet<String>,
}

/// Returns which look, from 1, is due for a worker with this many pairs; 0 if none is.
fn look_at(pairs: u64) -> u32 {
    (pairs / FIRST_LOOK).checked_ilog2().map_or(0, |doublings| doublings + 1)
}

impl Watch {
    /// Counts the pairs of a journal.
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

    /// Continues from the journal, whose pairs may have been withdrawn. Results on their way there are not counted.
    pub(crate) fn begin(&mut self, of_journal: Self) {
        self.parts = of_journal.parts;
        self.odd.retain(|worker| self.parts.contains_key(worker));
        self.faults.retain(|worker, _| self.parts.contains_key(worker));
    }

    /// Counts a pair.
    pub(crate) fn note(&mut self, worker: &WorkerName, result: &PairResult) {
        let half_points = result.scores().into_iter().map(Score::half_points).map(u64::from).sum();
        let is_faulty = result.faults_by_seat().iter().sum::<u64>() > 0;
        for (_, fault) in result.games.iter().filter_map(|game| game.ending.fault()) {
            *self.faults.entry(worker.to_string()).or_default().entry(fault_in_words(fault)).or_default() += 1;
        }
        self.parts.entry(worker.to_string()).or_default().add(half_points, is_faulty);
    }

    /// Whether pairs of a worker count.
    pub(crate) fn knows(&self, worker: &WorkerName) -> bool {
        self.parts.contains_key(worker.shared().as_ref())
    }

    /// Removes a worker's pairs, which no longer count.
    pub(crate) fn forget(&mut self, worker: &WorkerName) {
        self.parts.remove(worker.shared().as_ref());
        self.odd.remove(worker.shared().as_ref());
        self.faults.remove(worker.shared().as_ref());
    }

    /// Returns a worker's games of this session that were lost by a fault, by the kind of fault.
    pub(crate) fn faults(&self, worker: &str) -> BTreeMap<String, u64> {
        let of = self.faults.get(worker).into_iter().flatten();
        of.map(|(kind, games)| ((*kind).to_owned(), *games)).collect()
    }

    /// Returns the pairs that workers are compared with: those of workers that do not stand out.
    fn measure(&self) -> Part {
        let mut measure = Part::default();
        let usual = self.parts.iter().filter(|(worker, _)| !self.odd.contains(*worker));
        usual.for_each(|(_, part)| measure.merge(part));
        measure
    }

    /// Compares a worker's pairs with those of all others except the outliers.
    fn residual(&self, worker: &str, part: &Part, measure: &Part) -> Residual {
        if self.odd.contains(worker) { Residual::of(part, measure) } else { Residual::of(part, &measure.without(part)) }
    }

    /// Tests the workers that are due; returns the outliers with their messages for this run. An outlier does not count
    /// for the comparison of others, and the greatest is found first.
    pub(crate) fn look(&mut self, run: &str) -> Vec<(String, String)> {
        let looks = |worker: &str| self.looks.get(worker).copied().unwrap_or_default();
        let due = self.parts.iter().map(|(worker, part)| (worker.clone(), look_at(part.pairs())));
        let mut due: BTreeMap<String, u32> =
            due.filter(|(worker, look)| *look > looks(worker) && !self.odd.contains(worker)).collect();
        self.looks.extend(due.clone());
        let (mut measure, mut found) = (self.measure(), Vec::new());
        while !due.is_empty() && self.odd.len() < MOST_TOLD {
            let residuals = due.iter().filter_map(|(worker, &look)| {
                let residual = self.residual(worker, self.parts.get(worker)?, &measure);
                residual.stands_out(self.parts.len(), look).then_some((worker, residual))
            });
            let most = residuals.min_by(|(_, one), (_, other)| one.least_p().total_cmp(&other.least_p()));
            let Some((worker, residual)) = most.map(|(worker, residual)| (worker.clone(), residual)) else { break };
            due.remove(&worker);
            if let Some(part) = self.parts.get(&worker) {
                measure = measure.without(part);
                found.push((worker.clone(), in_words(&worker, part, residual, run)));
            }
            self.odd.insert(worker);
        }
        found
    }

    /// Returns how far each worker is from the others, and how likely they all are alike.
    pub(crate) fn residuals(&self) -> (BTreeMap<String, Residuals>, Option<f64>) {
        let measure = self.measure();
        let of = |(worker, part): (&String, &Part)| {
            let Residual { score, scores: scores_p, faults: faults_p } = self.residual(worker, part, &measure);
            let stands_out = self.odd.contains(worker);
            (worker.clone(), Residuals { score, scores_p, faulty: part.faulty, faults_p, stands_out })
        };
        let others = self.parts.iter().filter(|_| self.parts.len() > 1);
        let all: Vec<&Part> = self.parts.values().collect();
        (others.map(of).collect(), homogeneity(&all))
    }
}

fn in_words(worker: &str, part: &Part, residual: Residual, run: &str) -> String {
    let p = |p: Option<f64>| p.map_or_else(|| "too few to tell".to_owned(), |p| format!("p = {p:.1e}"));
    format!(
        "stands out: its {} pairs score {:+.1} standard errors from the others' ({}), and {} of them have a fault \
        ({}). \
         To have them withdrawn and played again: spar fleet set-aside {worker} {run}",
        part.pairs(),
        residual.score,
        p(residual.scores),
        part.faulty,
        p(residual.faults),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::checks::tests::of_pair;
    use stats::random::Stream;

    fn part(scores: [u64; 5], faulty: u64) -> Part {
        Part { scores: scores.to_vec(), faulty }
    }

    fn watch<const N: usize>(parts: [(&str, Part); N]) -> Watch {
        Watch { parts: parts.map(|(worker, part)| (worker.to_owned(), part)).into(), ..Watch::default() }
    }

    #[test]
    fn one_that_is_far_off_makes_no_other_stand_out_and_is_reported_once() {
        let usual = [10, 20, 40, 20, 10];
        let mut watch = watch([("a", part(usual, 0)), ("b", part(usual, 1)), ("far", part([70, 20, 10, 0, 0], 0))]);
        let found = watch.look("run");
        assert!(found.len() == 1 && found[0].0 == "far", "{found:?}");
        assert!(found[0].1.contains("its 100 pairs score") && found[0].1.ends_with("spar fleet set-aside far run"));
        assert!(watch.look("run").is_empty());
        let (residuals, homogeneity) = watch.residuals();
        let standing_out =
            residuals.iter().filter(|(_, residuals)| residuals.stands_out).map(|(worker, _)| worker.as_str());
        assert_eq!(standing_out.collect::<Vec<_>>(), ["far"]);
        assert!(residuals["far"].score < -8.0 && residuals["a"].score.abs() < 1e-9 && residuals["b"].faulty == 1);
        assert!(homogeneity.is_some_and(|p| p < 1e-9));
        let far: WorkerName = "far".parse().unwrap();
        assert!(watch.knows(&far), "it can be set aside, even if it is no longer here");
        watch.forget(&far);
        assert!(!watch.knows(&far) && watch.residuals().1.is_some_and(|p| p > 0.9));
    }

    #[test]
    fn faults_of_a_session_are_counted_by_kind_until_the_pairs_of_their_worker_are_withdrawn() {
        let [mut watch, other] = [Watch::default(), watch([("a", part([1, 0, 0, 0, 0], 1))])];
        let mut result = of_pair(3);
        let fault = play::Fault::Time { over: std::time::Duration::from_millis(9) };
        result.games[1].ending = play::Ending::Forfeit { loser: play::Side::First, fault };
        for worker in ["a", "a", "b"] {
            watch.note(&worker.parse().unwrap(), &result);
        }
        assert_eq!(watch.faults("a"), [("time forfeit".to_owned(), 2)].into());
        watch.begin(other);
        assert_eq!((watch.faults("a").len(), watch.faults("b").len()), (1, 0));
        watch.forget(&"a".parse().unwrap());
        assert!(watch.faults("a").is_empty() && watch.faults("never").is_empty());
    }

    #[test]
    fn a_single_worker_is_compared_with_none() {
        let mut alone = watch([("a", part([1, 2, 3, 4, 50], 9))]);
        assert!(alone.look("run").is_empty());
        assert_eq!(alone.residuals(), (BTreeMap::new(), None));
    }

    #[test]
    fn a_worker_is_looked_at_when_its_pairs_have_doubled() {
        assert_eq!([0, 31, 32, 63, 64, 127, 128, 1 << 20].map(look_at), [0, 0, 1, 1, 2, 2, 3, 16]);
        let mut watch = watch([("a", part([6, 6, 6, 6, 8], 0)), ("b", part([400, 400, 400, 400, 400], 0))]);
        assert!(watch.look("run").is_empty());
        // A difference is only found when a look is due.
        watch.parts.get_mut("a").unwrap().scores[0] = 37;
        assert!(watch.look("run").is_empty(), "63 pairs");
        watch.parts.get_mut("a").unwrap().scores[0] = 38;
        assert_eq!(watch.look("run").len(), 1, "64 pairs");
    }

    #[test]
    fn tests_after_each_pair_of_equal_workers_find_nothing() {
        let mut stream = Stream::from_seed(11);
        let mut count = 0;
        for _ in 0..60 {
            let mut watch = Watch::default();
            for pair in 0..3000 {
                let worker = ["a", "b", "c"][pair % 3];
                let score = u64::from(stream.below(3) + stream.below(3));
                watch.parts.entry(worker.to_owned()).or_default().add(score, stream.below(50) == 0);
                count += watch.look("run").len();
            }
        }
        assert_eq!(count, 0);
    }
}
