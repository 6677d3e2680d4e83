//! Tests whether parts of a match, such as those of different machines, are alike: Pearson's test of homogeneity of
//! their pair scores, and Fisher's exact test of their faults.
//!
//! These numbers show that a machine needs attention. No verdict depends on them.

use statrs::distribution::{ChiSquared, ContinuousCDF, DiscreteCDF, Hypergeometric};

/// Pearson's test needs this expected count of each kind in each part.
const LEAST_EXPECTED: f64 = 5.0;

/// The results of one part of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The number of its pairs that scored 0, 1, 2 ... half points.
    pub scores: Vec<u64>,
    /// The number of its pairs in which a game was lost by a fault.
    pub faulty: u64,
}

/// The deviation of a part from the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// How much higher its pairs score on average than the rest's, in standard errors of the difference.
    pub score: f64,
    /// The probability of a difference in scores this large or larger if there is no true difference, 0 to 1; `None` if
    /// there are too few pairs.
    pub scores: Option<f64>,
    /// The probability of this many faults or more if there is no true difference, 0 to 1; `None` without faults.
    pub faults: Option<f64>,
}

impl Part {
    /// Adds a pair.
    pub fn add(&mut self, half_points: u64, is_faulty: bool) {
        let index = usize::try_from(half_points).unwrap_or(usize::MAX).min(MOST_HALF_POINTS);
        if self.scores.len() <= index {
            self.scores.resize(index + 1, 0);
        }
        self.scores[index] += 1;
        self.faulty += u64::from(is_faulty);
    }

    /// Adds another part.
    pub fn merge(&mut self, other: &Self) {
        if self.scores.len() < other.scores.len() {
            self.scores.resize(other.scores.len(), 0);
        }
        self.scores.iter_mut().zip(&other.scores).for_each(|(sum, more)| *sum += more);
        self.faulty += other.faulty;
    }

    /// The rest of this part without a part of it.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        let less =
            |(kind, &count): (usize, &u64)| count - part.scores.get(kind).copied().unwrap_or_default().min(count);
        Self {
            scores: self.scores.iter().enumerate().map(less).collect(),
            faulty: self.faulty.saturating_sub(part.faulty),
        }
    }

    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.scores.iter().sum()
    }

    /// The mean of its pairs in half points, and the variance of that mean; `None` for fewer than two pairs.
    fn mean(&self) -> Option<(f64, f64)> {
        let pairs = self.pairs() as f64;
        let scores = || (0_u32..).map(f64::from).zip(self.scores.iter().map(|&count| count as f64));
        let mean = scores().map(|(score, count)| score * count).sum::<f64>() / pairs;
        let square = scores().map(|(score, count)| score * score * count).sum::<f64>() / pairs;
        (pairs >= 2.0).then(|| (mean, (square - mean * mean).max(0.0) / (pairs - 1.0)))
    }
}

/// The most half points of a pair of games.
const MOST_HALF_POINTS: usize = 4;

impl Residual {
    /// Compares a part with the rest, which does not include it.
    pub fn of(part: &Part, rest: &Part) -> Self {
        let score = part.mean().zip(rest.mean()).map_or(0.0, |((mean, error), (other, other_error))| {
            let spread = (error + other_error).sqrt();
            if spread > 0.0 { (mean - other) / spread } else { 0.0 }
        });
        Self { score, scores: homogeneity(&[part, rest]), faults: fisher(part, rest) }
    }

    /// The smaller of the two probabilities, 1 if there are none.
    pub fn least_p(&self) -> f64 {
        [self.scores, self.faults].into_iter().flatten().fold(1.0, f64::min)
    }

    /// Whether the part deviates enough, among this many parts that are all alike, to be inspected: with a probability
    /// below one in a thousand over all parts, both tests and any number of looks, by Bonferroni's bound. Look number
    /// `look` of a part, from 1, may use 1 / (look (look + 1)) of the part's budget: all looks together use at most the
    /// budget.
    pub fn stands_out(&self, parts: usize, look: u32) -> bool {
        let look = f64::from(look.max(1));
        let bound = 0.001 / (2.0 * parts.max(1) as f64 * look * (look + 1.0));
        self.least_p() < bound
    }
}

/// The probability of differences between the scores of parts this large or larger if all are alike, 0 to 1: Pearson's
/// chi-square over parts and scores, with scores that are too rare merged with the next. `None` if there are too few
/// pairs.
pub fn homogeneity(parts: &[&Part]) -> Option<f64> {
    let total: u64 = parts.iter().map(|part| part.pairs()).sum();
    let least = parts.iter().map(|part| part.pairs()).min()? as f64 / total.max(1) as f64;
    let kinds = parts.iter().map(|part| part.scores.len()).max()?;
    let count = |part: &Part, kind: usize| part.scores.get(kind).copied().unwrap_or_default();
    let mut columns: Vec<Vec<u64>> = Vec::new();
    let mut open = vec![0; parts.len()];
    for kind in 0..kinds {
        open.iter_mut().zip(parts).for_each(|(sum, part)| *sum += count(part, kind));
        if open.iter().sum::<u64>() as f64 * least >= LEAST_EXPECTED {
            columns.push(std::mem::replace(&mut open, vec![0; parts.len()]));
        }
    }
    // The remainder is merged with the last column.
    let last = columns.last_mut()?;
    last.iter_mut().zip(open).for_each(|(sum, more)| *sum += more);
    let freedom = (parts.len() - 1) * (columns.len() - 1);
    let expected = |part: &Part, column: &[u64]| part.pairs() as f64 * column.iter().sum::<u64>() as f64 / total as f64;
    let chi_square: f64 = columns
        .iter()
        .flat_map(|column| column.iter().zip(parts).map(|(&found, part)| (found as f64, expected(part, column))))
        .map(|(found, expected)| (found - expected) * (found - expected) / expected)
        .sum();
    ChiSquared::new(freedom as f64).ok().map(|law| law.sf(chi_square))
}

/// One-sided: the probability that a part has this many of all faulty pairs or more.
fn fisher(part: &Part, rest: &Part) -> Option<f64> {
    let (all, faulty) = (part.pairs() + rest.pairs(), part.faulty + rest.faulty);
    if faulty == 0 {
        return None;
    }
    let law = Hypergeometric::new(all, faulty, part.pairs()).ok()?;
    Some(part.faulty.checked_sub(1).map_or(1.0, |fewer| law.sf(fewer)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn part(scores: [u64; 5], faulty: u64) -> Part {
        Part { scores: scores.to_vec(), faulty }
    }

    #[test]
    fn the_figures_are_those_of_textbooks() {
        // Chi-square 4.0 with one degree of freedom.
        let (one, other) = (part([30, 0, 0, 0, 20], 0), part([20, 0, 0, 0, 30], 0));
        let p = homogeneity(&[&one, &other]).unwrap();
        assert!((p - 0.045_500_26).abs() < 1e-6, "{p}");
        // Fisher's tea: 3 of 4 right, p = 0.242857.
        let (tea, milk) = (part([4, 0, 0, 0, 0], 3), part([4, 0, 0, 0, 0], 1));
        let p = Residual::of(&tea, &milk).faults.unwrap();
        assert!((p - 17.0 / 70.0).abs() < 1e-12, "{p}");
    }

    #[test]
    fn one_that_is_like_the_others_seldom_stands_out_and_one_that_is_not_does() {
        let mut stream = Stream::from_seed(7);
        let mut drawn = |pairs: u64, weights: [u32; 5]| {
            let mut part = Part::default();
            for _ in 0..pairs {
                let mut left = stream.below(weights.iter().sum());
                let score = weights.iter().position(|&weight| {
                    left.checked_sub(weight).is_none_or(|less| {
                        left = less;
                        false
                    })
                });
                part.add(score.unwrap_or(0) as u64, false);
            }
            part
        };
        let usual = [10, 20, 40, 20, 10];
        let (mut flagged, mut low) = (0, 0);
        for _ in 0..2000 {
            let (one, rest) = (drawn(200, usual), drawn(600, usual));
            let residual = Residual::of(&one, &rest);
            flagged += u32::from(residual.stands_out(4, 1));
            low += u32::from(residual.scores.is_some_and(|p| p < 0.05));
        }
        assert!(flagged <= 1, "{flagged}");
        assert!((60..140).contains(&low), "one in twenty is below 0.05: {low} of 2000");
        let (slow, rest) = (drawn(200, [30, 25, 30, 10, 5]), drawn(600, usual));
        let residual = Residual::of(&slow, &rest);
        assert!(residual.stands_out(4, 2) && residual.score < -4.0, "{residual:?}");
        let (timing_out, rest) = (Part { faulty: 12, ..drawn(200, usual) }, Part { faulty: 2, ..drawn(600, usual) });
        assert!(Residual::of(&timing_out, &rest).stands_out(4, 2));
    }

    #[test]
    fn too_little_tells_nothing() {
        let nothing = Residual::of(&Part::default(), &Part::default());
        assert_eq!(nothing, Residual { score: 0.0, scores: None, faults: None });
        let one = Residual::of(&part([1, 0, 0, 0, 0], 0), &part([0, 0, 0, 0, 9], 0));
        assert_eq!(one.scores, None);
        assert!(!one.stands_out(2, 1));
        let same = Residual::of(&part([0, 0, 90, 0, 0], 0), &part([0, 0, 50, 0, 0], 0));
        assert!(!same.stands_out(2, 1) && same.score == 0.0, "{same:?}");
    }
}
