//! Chooses the pairing to play next: the most informative one about the differences that matter.
//!
//! The rating of each entrant is modelled as normal, with the information of the games played or promised so far and
//! that of the prior. A pair of games between entrants whose ratings differ by d adds 2 p (1 - p) / s^2 to the
//! information about d, where p is the expected score and s Elo in a logit. The resulting reduction of the variance of
//! a difference c follows from the covariance C alone (Sherman and Morrison 1950): w (c'Cx)^2 / (1 + w x'Cx), for x the
//! pairing and w the information.
//!
//! The criterion is the relative reduction of each variance, so that a hopeless pairing, whose games carry next to no
//! information, cannot attract all games: to first order this minimises the product of the variances.
//!
//! This is the information of independent games, which depends on the number of games of each pairing and not on luck:
//! the scatter of a handful of equal results must not count as knowledge. The decision uses only arithmetic in a fixed
//! order.

use super::{ELO_PER_LOGIT, Ratings};
use crate::elo::logistic;
use crate::matrix::Matrix;

/// Two entrants, by index.
pub type Pairing = (usize, usize);

/// The information about the ratings, and the gain of a further pair of games.
#[derive(Debug, Clone)]
pub struct Design {
    elo: Vec<f64>,
    covariance: Matrix,
}

impl Design {
    /// The information after this many pairs of games in each of some pairings, with ratings as fitted to them.
    /// `prior_draws` ties each rating to the centre as in [`super::RatingSettings`]; more than 0. `None` for numbers
    /// without a covariance, such as a pairing of unknown entrants.
    pub fn new(ratings: &Ratings, played: &[(Pairing, u64)], prior_draws: f64) -> Option<Self> {
        let elo = ratings.planned.clone();
        let n = elo.len();
        let mut information = Matrix::zero(n);
        for entrant in 0..n {
            information.add(entrant, entrant, prior_draws / 4.0 / (ELO_PER_LOGIT * ELO_PER_LOGIT));
        }
        for &((one, two), pairs) in played {
            if one >= n || two >= n {
                return None;
            }
            let weight = pairs as f64 * pair_information(elo[one] - elo[two]);
            information.add_square(weight, &[(one, 1.0), (two, -1.0)]);
        }
        information.inverse().map(|covariance| Self { elo, covariance })
    }

    /// The pairing among the first `among` entrants whose next pair of games has the largest summed relative reduction
    /// of the variances of the `wanted` differences; the first by index if several are equal. `None` if there are fewer
    /// than two entrants or no wanted difference.
    pub fn best(&self, wanted: &[Pairing], among: usize) -> Option<Pairing> {
        let n = self.elo.len().min(among);
        let mut best: Option<(f64, Pairing)> = None;
        for pairing in (0..n).flat_map(|one| (one + 1..n).map(move |two| (one, two))) {
            let gain = self.gain(wanted, pairing);
            if gain > best.map_or(0.0, |(most, _)| most) {
                best = Some((gain, pairing));
            }
        }
        best.map(|(_, pairing)| pairing)
    }

    /// Records that one more pair of games of this pairing is, or will be, played.
    pub fn promise(&mut self, (one, two): Pairing) {
        let n = self.elo.len();
        if one >= n || two >= n || one == two {
            return;
        }
        let towards: Vec<f64> = (0..n).map(|k| self.covariance.at(k, one) - self.covariance.at(k, two)).collect();
        let weight = pair_information(self.elo[one] - self.elo[two]);
        let share = weight / (1.0 + weight * (towards[one] - towards[two]));
        let update: Vec<(usize, f64)> = towards.into_iter().enumerate().collect();
        self.covariance.add_square(-share, &update);
    }

    /// The summed relative reduction of the variances by a pair of games of `pairing`.
    fn gain(&self, wanted: &[Pairing], pairing: Pairing) -> f64 {
        let weight = pair_information(self.elo[pairing.0] - self.elo[pairing.1]);
        let share = weight / (1.0 + weight * self.joint(pairing, pairing));
        let known = wanted.iter().filter(|(one, two)| one != two && (*one).max(*two) < self.elo.len());
        let taken = known.map(|&difference| {
            let joint = self.joint(difference, pairing);
            share * joint * joint / self.joint(difference, difference)
        });
        taken.sum()
    }

    /// Covariance of two differences.
    fn joint(&self, (a, b): Pairing, (x, y): Pairing) -> f64 {
        let c = &self.covariance;
        (c.at(a, x) - c.at(a, y)) - (c.at(b, x) - c.at(b, y))
    }
}

/// Information of a pair of games about the difference of two ratings, per squared Elo.
fn pair_information(difference: f64) -> f64 {
    let p = logistic(difference / ELO_PER_LOGIT);
    2.0 * p * (1.0 - p) / (ELO_PER_LOGIT * ELO_PER_LOGIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PairCounts;
    use crate::rating::{RatingSettings, Results, rate};

    fn even(entrants: usize) -> Ratings {
        rate(&Results::new(entrants), &RatingSettings::default()).unwrap()
    }

    fn neighbours(entrants: usize) -> Vec<Pairing> {
        (1..entrants).map(|k| (k - 1, k)).collect()
    }

    #[test]
    fn what_is_promised_counts_as_what_is_played() {
        let ratings = even(4);
        let mut promised = Design::new(&ratings, &[((0, 1), 3)], 1.0).unwrap();
        promised.promise((1, 3));
        promised.promise((1, 3));
        let played = Design::new(&ratings, &[((0, 1), 3), ((1, 3), 2)], 1.0).unwrap();
        for k in 0..16 {
            let (one, two) = (k / 4, k % 4);
            let gap = promised.covariance.at(one, two) - played.covariance.at(one, two);
            assert!(gap.abs() < 1e-6 * played.covariance.at(0, 0), "{one} {two}: {gap}");
        }
    }

    fn variances(design: &Design, wanted: &[Pairing]) -> Vec<f64> {
        wanted.iter().map(|&difference| design.joint(difference, difference)).collect()
    }

    #[test]
    fn the_gain_is_the_share_that_variances_lose() {
        let ratings = even(5);
        let wanted = neighbours(5);
        let played = [((0, 1), 9), ((1, 2), 30), ((2, 3), 1), ((0, 4), 5)];
        let before = Design::new(&ratings, &played, 1.0).unwrap();
        for pairing in [(0, 1), (0, 2), (2, 3), (1, 4)] {
            let mut after = before.clone();
            after.promise(pairing);
            let [old, new] = [&before, &after].map(|design| variances(design, &wanted));
            let lost: f64 = old.iter().zip(new).map(|(old, new)| 1.0 - new / old).sum();
            assert!((before.gain(&wanted, pairing) / lost - 1.0).abs() < 1e-6, "{pairing:?}");
        }
    }

    #[test]
    fn choosing_beats_a_round_robin_and_taking_turns() {
        let (n, pairs) = (6, 600);
        let ratings = even(n);
        let wanted = neighbours(n);
        let mut chosen = Design::new(&ratings, &[((0, 1), 60)], 1.0).unwrap();
        let mut round_robin = chosen.clone();
        let mut turns = chosen.clone();
        let all: Vec<Pairing> = (0..n).flat_map(|one| (one + 1..n).map(move |two| (one, two))).collect();
        for k in 0..pairs {
            let best = chosen.best(&wanted, usize::MAX).unwrap();
            chosen.promise(best);
            round_robin.promise(all[k % all.len()]);
            turns.promise(wanted[k % wanted.len()]);
        }
        let [chosen, round_robin, turns] =
            [chosen, round_robin, turns].map(|d| variances(&d, &wanted).iter().sum::<f64>());
        assert!(chosen < 0.9 * round_robin, "{chosen} {round_robin}");
        assert!(chosen < turns, "{chosen} {turns}");
    }

    #[test]
    fn a_lopsided_pairing_is_worth_less() {
        let mut results = Results::new(3);
        // 0 loses heavily to 1, which is as good as 2.
        results.add_counts(0, 1, &PairCounts([95, 0, 5, 0, 0, 0])).unwrap();
        results.add_counts(1, 2, &PairCounts([5, 0, 90, 0, 0, 5])).unwrap();
        let settings = RatingSettings { first_mover: false, ..RatingSettings::default() };
        let ratings = rate(&results, &settings).unwrap();
        let played = [((0, 1), 100), ((1, 2), 100)];
        let design = Design::new(&ratings, &played, 1.0).unwrap();
        let [lopsided, even] = [(0, 1), (1, 2)].map(|pairing| design.joint(pairing, pairing));
        assert!(lopsided > 2.0 * even, "as many pairs carry less information: {lopsided} {even}");
        assert!(pair_information(-500.0) < 0.3 * pair_information(0.0));
    }

    #[test]
    fn a_hopeless_pairing_does_not_draw_all_games_to_itself() {
        let mut results = Results::new(3);
        results.add_counts(0, 1, &PairCounts([10, 0, 20, 0, 0, 10])).unwrap();
        results.add_counts(1, 2, &PairCounts([0, 0, 0, 0, 0, 40])).unwrap();
        let settings = RatingSettings { first_mover: false, ..RatingSettings::default() };
        let ratings = rate(&results, &settings).unwrap();
        let mut design = Design::new(&ratings, &[((0, 1), 40), ((1, 2), 40)], 1.0).unwrap();
        let mut with_hopeless = 0;
        for _ in 0..400 {
            let best = design.best(&neighbours(3), 3).unwrap();
            with_hopeless += usize::from(best.1 == 2);
            design.promise(best);
        }
        assert!((120..=280).contains(&with_hopeless), "{with_hopeless} of 400");
    }

    #[test]
    fn nothing_to_choose_from() {
        assert_eq!(Design::new(&even(1), &[], 1.0).unwrap().best(&[(0, 1)], 1), None);
        assert_eq!(Design::new(&even(3), &[], 1.0).unwrap().best(&[], 3), None);
        assert!(Design::new(&even(2), &[((0, 5), 1)], 1.0).is_none());
    }
}
