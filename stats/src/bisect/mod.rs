//! Finds the commit that lost the Elo: a posterior over the steps of a path of versions, from matches between any two
//! of them, and the most informative next match.
//!
//! Versions are numbered 0 (good) to n (bad). Commit k takes version k - 1 to version k and changes the strength by a
//! step. Most steps are ordinary: normal about 0 with a small standard deviation. Few are large (spike and slab). A
//! match measures the sum of the steps between its two versions, with a normal error. Given which commits are large,
//! the model is linear and normal, so that its evidence and its posterior are exact. The commits between two versions
//! that played are indistinguishable: they are one *interval*, and a hypothesis assigns the large steps to intervals.
//! All hypotheses of up to three large steps are weighed.
//!
//! The model is Bayesian linear regression with spike-and-slab coefficients (Mitchell and Beauchamp 1988). The choice
//! of the next match is that of probabilistic bisection (Horstein 1963; Waeber, Frazier and Henderson 2013) with
//! information in place of the median, because a match between two versions measures all steps between them.

mod design;
mod evidence;
mod hypothesis;
mod pairs;
#[cfg(test)]
mod tests;

pub use design::Costs;
pub use pairs::PairSpread;

use crate::Estimate;
use evidence::Evidence;
use hypothesis::{Hypothesis, hypotheses};
use std::collections::{BTreeMap, BTreeSet};

/// The most large steps of a hypothesis.
const MOST_STEPS: usize = 3;

/// The standard deviation of large steps when sizes are reported, in Elo.
const WIDE: f64 = 200.0;

/// The assumptions about commits before any match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// The standard deviation of an ordinary commit's step, in Elo.
    pub ordinary: f64,
    /// The standard deviation of a large step, in Elo. It is raised to any measured difference less twice its error.
    pub large: f64,
    /// The expected number of large commits.
    pub expected: f64,
    /// The least loss that matters, in Elo: the search ignores commits that lose less.
    pub least_loss: f64,
}

impl Default for Prior {
    fn default() -> Self {
        Self { ordinary: 1.0, large: 40.0, expected: 1.0, least_loss: 2.0 }
    }
}

/// The measurement of a match between two versions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The Elo of the later version less that of the earlier one.
    pub elo: f64,
    /// The variance of this estimate, in squared Elo, more than 0.
    pub variance: f64,
}

/// A range of versions, and all measurements between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisection {
    versions: u32,
    prior: Prior,
    measured: BTreeMap<(u32, u32), Measured>,
    /// The commits that were found already.
    found: BTreeSet<u32>,
}

/// The posterior about the commits of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// The probability of each commit, in order, that its step is the largest loss.
    pub guilt: Vec<f64>,
    /// The probability that no commit lost enough to matter.
    pub none: f64,
    /// The versions that played, and their Elo relative to version 0, with 95% intervals.
    pub path: Vec<(u32, Estimate)>,
    /// The step of all commits between each of these versions and the next, with 95% intervals.
    pub steps: Vec<Estimate>,
}

impl Bisection {
    /// Makes a bisection of the range from version 0 to the last one, which is at least 1.
    pub fn new(last: u32, prior: Prior) -> Self {
        Self { versions: last.max(1), prior, measured: BTreeMap::new(), found: BTreeSet::new() }
    }

    /// The last version.
    pub fn last(&self) -> u32 {
        self.versions
    }

    /// Replaces the measurement between two versions; ignores versions outside the range.
    pub fn measure(&mut self, earlier: u32, later: u32, measured: Measured) {
        if earlier < later && later <= self.versions {
            let _before = self.measured.insert((earlier, later), measured);
        }
    }

    /// Excludes a commit that was found, so that the search continues among the others. Up to two commits can be found
    /// before another.
    pub fn set_aside(&mut self, commit: u32) {
        let _before = self.found.insert(commit);
    }

    /// Whether all commits of each interval between these versions were found already.
    fn found_between(&self, points: &[u32]) -> Vec<bool> {
        points.windows(2).map(|pair| (pair[0] + 1..=pair[1]).all(|commit| self.found.contains(&commit))).collect()
    }

    /// The versions that played, with both ends of the range.
    fn played(&self) -> BTreeSet<u32> {
        let ends = [0, self.versions];
        self.measured.keys().flat_map(|&(earlier, later)| [earlier, later]).chain(ends).collect()
    }

    /// The prior, adjusted to the largest measured difference: one commit may have lost all of it.
    fn prior(&self) -> Prior {
        let surely = |measured: &Measured| measured.elo.abs() - 2.0 * measured.variance.sqrt();
        let large = self.measured.values().map(surely).fold(self.prior.large, f64::max);
        Prior { large, ..self.prior }
    }

    /// The posterior after the matches so far.
    pub fn posterior(&self) -> Posterior {
        let (points, prior): (Vec<u32>, Prior) = (self.played().into_iter().collect(), self.prior());
        let evidence = Evidence::new(&points, &prior, &self.measured);
        let all = hypotheses(&evidence, &prior, MOST_STEPS);
        let shares = guilt(&all, &evidence, prior.least_loss, &self.found_between(&points));
        let spread = |(share, pair): (&f64, &[u32])| {
            let commits = pair[1] - pair[0];
            vec![share / f64::from(commits); commits as usize]
        };
        // Reported sizes are not shrunk towards the typical ones.
        let wide = Prior { large: prior.large.max(WIDE), ..prior };
        let (steps, path) = evidence.moments(&hypotheses(&evidence, &wide, MOST_STEPS));
        Posterior {
            guilt: shares.iter().zip(points.windows(2)).flat_map(spread).collect(),
            none: (1.0 - shares.iter().sum::<f64>()).max(0.0),
            path: points.iter().copied().zip(path).collect(),
            steps,
        }
    }
}

/// The probability of each interval that it holds the largest loss; 0 for intervals that were found already.
fn guilt(all: &[Hypothesis], evidence: &Evidence, least_loss: f64, found: &[bool]) -> Vec<f64> {
    let mut shares = vec![0.0; evidence.intervals()];
    for hypothesis in all {
        for (interval, part) in hypothesis.by_largest_loss(least_loss, found) {
            if let Some(interval) = interval {
                shares[interval] += part.weight;
            }
        }
    }
    shares
}

impl Posterior {
    /// The probability that one of these commits, numbered from 1, is the largest loss.
    pub fn held_by(&self, commits: &[u32]) -> f64 {
        commits.iter().filter_map(|commit| self.guilt.get((*commit as usize).checked_sub(1)?)).sum()
    }

    /// The fewest commits, numbered from 1 and the most probable first, that hold the largest loss with this
    /// probability; all commits if they cannot, and none if no large loss is as probable.
    pub fn suspects(&self, confidence: f64) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.guilt.len()).collect();
        order.sort_by(|&a, &b| self.guilt[b].total_cmp(&self.guilt[a]).then(a.cmp(&b)));
        let mut held = 0.0;
        let mut suspects = Vec::new();
        for index in order {
            if held >= confidence {
                break;
            }
            held += self.guilt[index];
            suspects.push(u32::try_from(index + 1).unwrap_or(u32::MAX));
        }
        if held < confidence && self.none >= confidence { Vec::new() } else { suspects }
    }
}
