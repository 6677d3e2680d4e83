//! Ratings in the order of a table: the strongest first.

use super::Ratings;
use super::ordo::{OrdoRatings, Reference};
use crate::estimate::Estimate;

/// One row of a table of ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The entrant's index.
    pub entrant: usize,
    /// Its rating; without an interval if it was given.
    pub elo: Estimate,
    /// Whether the rating was given.
    pub anchored: bool,
    /// Probability of being stronger than the entrant in the next row; `None` in the last row, and on Ordo's scale.
    pub los_next: Option<f64>,
}

/// Sorts by falling rating, and entrants of equal rating by index.
fn sort(rows: &mut [Ranked]) {
    rows.sort_by(|one, two| two.elo.value.total_cmp(&one.elo.value).then(one.entrant.cmp(&two.entrant)));
}

impl Ratings {
    /// The strongest first. `anchors` are the given ratings, by index of the entrant: they are copied unchanged,
    /// because fitting may change their last digit.
    pub fn ranking(&self, anchors: &[(usize, f64)]) -> Vec<Ranked> {
        let row = |(entrant, rating): (usize, &super::Rating)| {
            let anchor = anchors.iter().find(|(anchored, _)| *anchored == entrant).map(|(_, elo)| *elo);
            let elo = anchor.map_or(rating.elo, |elo| Estimate { value: elo, low: elo, high: elo });
            Ranked { entrant, elo, anchored: anchor.is_some(), los_next: None }
        };
        let mut rows: Vec<Ranked> = self.entrants.iter().enumerate().map(row).collect();
        sort(&mut rows);
        for at in 1..rows.len() {
            rows[at - 1].los_next = self.superiority(rows[at - 1].entrant, rows[at].entrant);
        }
        rows
    }
}

impl OrdoRatings {
    /// The strongest first, rated relative to `reference`.
    pub fn ranking(&self, reference: Reference) -> Vec<Ranked> {
        let row = |(entrant, (&value, &error)): (usize, (&f64, &f64))| Ranked {
            entrant,
            elo: Estimate { value, low: value - error, high: value + error },
            anchored: matches!(reference, Reference::Anchor { entrant: anchor, .. } if anchor == entrant),
            los_next: None,
        };
        let mut rows: Vec<Ranked> = self.ratings.iter().zip(&self.errors).enumerate().map(row).collect();
        sort(&mut rows);
        rows
    }

    /// The first mover's advantage with its 95% interval.
    pub fn first_mover(&self) -> Estimate {
        let (value, error) = (self.first_mover, self.first_mover_error);
        Estimate { value, low: value - error, high: value + error }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PairCounts;
    use crate::rating::ordo::{self, OrdoMode};
    use crate::rating::{RatingSettings, Results, rate};

    /// 2 beats 0, which beats 1; 3 scores exactly as 0 does.
    fn results() -> Results {
        let mut results = Results::new(4);
        let even = PairCounts([5, 0, 20, 0, 0, 5]);
        results.add_counts(2, 0, &PairCounts([2, 0, 20, 0, 0, 10])).unwrap();
        results.add_counts(2, 3, &PairCounts([2, 0, 20, 0, 0, 10])).unwrap();
        results.add_counts(0, 1, &PairCounts([2, 0, 20, 0, 0, 10])).unwrap();
        results.add_counts(3, 1, &PairCounts([2, 0, 20, 0, 0, 10])).unwrap();
        results.add_counts(0, 3, &even).unwrap();
        results
    }

    #[test]
    fn the_strongest_comes_first() {
        let anchors = vec![(1, 2000.0)];
        let ratings =
            rate(&results(), &RatingSettings { anchors: anchors.clone(), ..RatingSettings::default() }).unwrap();
        let rows = ratings.ranking(&anchors);
        let order: Vec<usize> = rows.iter().map(|row| row.entrant).collect();
        assert!(order[0] == 2 && order[3] == 1, "{order:?}");
        assert!(rows[3].anchored && rows[3].los_next.is_none() && !rows[0].anchored);
        assert_eq!(rows[3].elo, Estimate { value: 2000.0, low: 2000.0, high: 2000.0 });
        let los = ratings.los();
        for (row, next) in rows.iter().zip(&rows[1..]) {
            assert_eq!(row.los_next, Some(los[row.entrant][next.entrant]));
        }
        assert!(rows[0].los_next.unwrap() > 0.9, "{rows:?}");
    }

    #[test]
    fn ordos_ratings_have_no_next_row_to_beat() {
        let reference = Reference::Anchor { entrant: 0, rating: 2500.0 };
        let fit = ordo::rate(&results(), OrdoMode::SeatsAndDraws, reference).unwrap();
        let rows = fit.ranking(reference);
        assert!(rows[0].entrant == 2 && rows[3].entrant == 1, "{rows:?}");
        assert!(rows.iter().all(|row| row.anchored == (row.entrant == 0) && row.los_next.is_none()));
        let advantage = fit.first_mover();
        assert!(advantage.low <= advantage.value && advantage.value <= advantage.high);
    }
}
