//! Whether openings decide games: compares the two games of a pair with two independent games.
//!
//! Both games of a pair start from one opening, with the seats swapped. If openings do not matter, the first game's
//! result says nothing about the second's, however unequal the two engines are. Suppose that of n pairs the first
//! entrant scores `a` where it moves first in `r(a)` and `b` where it moves second in `c(b)`: then `r(a) c(b) / n`
//! pairs are expected to have both. Given these sums the pairs are a random permutation's, and the covariance of the
//! numbers of `(a, b)` and `(k, l)` is `r(a) ([a = k] - r(k) / n) c(b) ([b = l] - c(l) / n) / (n - 1)` (the
//! multivariate hypergeometric law; Agresti, "Categorical Data Analysis", 1990). Pairings of different strengths are
//! added up, never pooled.

use super::pairing::Pairing;
use stats::Estimate;
use stats::rating::PairTable;

/// Points of the first movers in both games of a pair together, as played and as expected if openings did not matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fairness {
    /// The number of pairs by the half points of the first movers, 0 to 4.
    pub observed: [u64; 5],
    /// The same numbers expected from two independent games of the same engines; the ends hold 95% of samples.
    pub expected: [Estimate; 5],
    /// The number of pairs with a win each: the first mover won both games, or the second mover did.
    pub one_side_won: u64,
    /// The same number expected from independent games.
    pub one_side_expected: Estimate,
}

/// The conclusion from the number of pairs with a win each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningsSay {
    /// Neither more nor fewer than expected by chance.
    Chance,
    /// More: openings decide games.
    Decide,
    /// Fewer: the two games are alike, as if openings suited one of the engines.
    Suit,
}

impl Fairness {
    /// The fairness over all pairings of a run.
    pub(super) fn of<'a>(pairings: impl Iterator<Item = &'a Pairing>) -> Self {
        let (mut observed, mut one_side_won) = ([0; 5], 0);
        let (mut means, mut variances) = ([0.0; 5], [0.0; 5]);
        let (mut one_side_mean, mut one_side_variance) = (0.0, 0.0);
        for Pairing { table, .. } in pairings {
            let margins = Margins::of(table);
            for (a, row) in table.iter().enumerate() {
                row.iter().enumerate().for_each(|(b, count)| observed[points(a, b)] += count);
            }
            one_side_won += table[0][2] + table[2][0];
            for bin in 0..5 {
                let (mean, variance) = margins.expect(|a, b| points(a, b) == bin);
                means[bin] += mean;
                variances[bin] += variance;
            }
            let (mean, variance) = margins.expect(|a, b| a.abs_diff(b) == 2);
            one_side_mean += mean;
            one_side_variance += variance;
        }
        let expected = [0, 1, 2, 3, 4].map(|bin| interval(means[bin], variances[bin]));
        Self { observed, expected, one_side_won, one_side_expected: interval(one_side_mean, one_side_variance) }
    }

    /// The conclusion.
    pub fn says(&self) -> OpeningsSay {
        let Estimate { low, high, .. } = self.one_side_expected;
        match self.one_side_won as f64 {
            won if won > high => OpeningsSay::Decide,
            won if won < low => OpeningsSay::Suit,
            _ => OpeningsSay::Chance,
        }
    }
}

/// The half points of the first movers if the first entrant scored `a` moving first and `b` moving second.
fn points(a: usize, b: usize) -> usize {
    a + 2 - b
}

fn interval(mean: f64, variance: f64) -> Estimate {
    let Estimate { value, low, high } = Estimate::normal(mean, variance.max(0.0).sqrt());
    Estimate { value, low: low.max(0.0), high }
}

/// The totals of one pairing in each of its two seats.
struct Margins {
    pairs: f64,
    first: [f64; 3],
    second: [f64; 3],
}

impl Margins {
    fn of(table: &PairTable) -> Self {
        let (mut first, mut second) = ([0.0; 3], [0.0; 3]);
        for (a, row) in table.iter().enumerate() {
            for (b, count) in row.iter().enumerate() {
                first[a] += *count as f64;
                second[b] += *count as f64;
            }
        }
        Self { pairs: first.iter().sum(), first, second }
    }

    /// The mean and variance of the number of pairs in the cells for which `is_in` returns true.
    fn expect(&self, is_in: impl Fn(usize, usize) -> bool) -> (f64, f64) {
        if self.pairs < 1.0 {
            return (0.0, 0.0);
        }
        let all = (0..9).map(|cell| (cell / 3, cell % 3)).filter(|&(a, b)| is_in(a, b));
        let cells: Vec<(usize, usize)> = all.collect();
        let mean = cells.iter().map(|&(a, b)| self.first[a] * self.second[b] / self.pairs).sum();
        if self.pairs < 2.0 {
            return (mean, 0.0);
        }
        let part =
            |sums: &[f64; 3], i: usize, j: usize| sums[i] * (if i == j { 1.0 } else { 0.0 } - sums[j] / self.pairs);
        let pairs_of_cells = cells.iter().flat_map(|one| cells.iter().map(move |other| (*one, *other)));
        let covariances = pairs_of_cells.map(|((a, b), (k, l))| part(&self.first, a, k) * part(&self.second, b, l));
        (mean, covariances.sum::<f64>() / (self.pairs - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fairness(table: PairTable) -> Fairness {
        Fairness::of([Pairing { table, ..Pairing::default() }].iter())
    }

    #[test]
    fn unequal_players_do_not_blame_the_openings() {
        // One entrant wins 90% of its games in either seat, each game independent of the other: 81, 9, 9 and 1 of 100
        // pairs.
        let fair = fairness([[10, 0, 90], [0, 0, 0], [90, 0, 810]]);
        assert_eq!(fair.observed, [90, 0, 820, 0, 90]);
        for (observed, expected) in fair.observed.iter().zip(fair.expected) {
            assert!((*observed as f64 - expected.value).abs() < 1e-9, "{fair:?}");
        }
        assert_eq!((fair.one_side_won, fair.says()), (180, OpeningsSay::Chance));
    }

    #[test]
    fn openings_that_decide_are_distinguished_from_openings_that_suit() {
        // Equal players whose openings win for one side: that side wins both games.
        let decided = fairness([[20, 0, 80], [0, 0, 0], [80, 0, 20]]);
        assert_eq!(decided.says(), OpeningsSay::Decide);
        assert_eq!((decided.one_side_won, decided.one_side_expected.value), (160, 100.0));
        let suited = fairness([[80, 0, 20], [0, 0, 0], [20, 0, 80]]);
        assert_eq!(suited.says(), OpeningsSay::Suit);
    }

    #[test]
    fn the_spread_is_that_of_permutations() {
        // All orders of 4 scores moving second against the given ones moving first.
        let (first, second) = ([0, 2, 2, 1], [2, 0, 2, 1]);
        let mut orders = vec![vec![]];
        for _ in 0..4 {
            let longer = |order: &Vec<usize>| {
                let free = (0..4).filter(|i| !order.contains(i)).map(|i| [order.clone(), vec![i]].concat());
                free.collect::<Vec<_>>()
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        assert_eq!(orders.len(), 24);
        let tables: Vec<PairTable> = orders
            .iter()
            .map(|order| {
                let mut table = PairTable::default();
                order.iter().zip(first).for_each(|(&i, a)| table[a][second[i]] += 1);
                table
            })
            .collect();
        let counts: Vec<[f64; 5]> = tables.iter().map(|t| fairness(*t).observed.map(|n| n as f64)).collect();
        for bin in 0..5 {
            let mean = counts.iter().map(|c| c[bin]).sum::<f64>() / 24.0;
            let variance = counts.iter().map(|c| (c[bin] - mean) * (c[bin] - mean)).sum::<f64>() / 24.0;
            let expected = fairness(tables[5]).expected[bin];
            assert!((expected.value - mean).abs() < 1e-12, "bin {bin}: {expected:?}, {mean}");
            let spread = (expected.high - expected.value) / stats::normal::Z95;
            assert!((spread * spread - variance).abs() < 1e-12, "bin {bin}: {spread}, {variance}");
        }
    }

    #[test]
    fn pairings_of_different_strengths_are_not_pooled() {
        // One pairing all won, one all lost: nothing is left to chance, and nothing to openings.
        let won = Pairing { table: [[0; 3], [0; 3], [0, 0, 50]], ..Pairing::default() };
        let lost = Pairing { table: [[50, 0, 0], [0; 3], [0; 3]], ..Pairing::default() };
        let fair = Fairness::of([won, lost].iter());
        assert_eq!((fair.says(), fair.expected[2].value), (OpeningsSay::Chance, 100.0));
        let none = Fairness::of([].iter());
        assert_eq!((none.says(), none.observed), (OpeningsSay::Chance, [0; 5]));
    }
}
