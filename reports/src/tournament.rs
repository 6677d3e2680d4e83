//! A match whose pairings depend on results, for people to read on the page or in a terminal. The schedule defines the
//! columns; this module formats the numbers.

use crate::text::{grouped, plus_minus};
use arena::config::RunConfig;
use arena::run::{Cell, Head, PairingStanding, Standing, TournamentTable};
use serde::Serialize;
use stats::Counts;
use stats::rating::{RatingError, RatingSettings, Ratings, Results, Standing as Bounds, rate};

/// The table or the bracket of such a match, with names instead of numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tournament(TournamentTable);

impl Tournament {
    /// The tournament of a run; `None` if the run is none.
    pub fn of_run(config: &RunConfig, standing: &Standing) -> Option<Self> {
        let tournament = standing.tournament()?;
        let ratings = rated(config, standing);
        let name = |number: u32| config.entrants.get(number as usize).map_or_else(String::new, |one| one.name.clone());
        let elo = |number: u32| {
            let rating = ratings.as_ref()?.entrants.get(number as usize)?;
            (rating.standing != Bounds::NoGames).then_some(rating.elo)
        };
        Some(Self(tournament.table(&name, &elo)))
    }

    /// The kind of tournament and its progress, in a few words.
    pub fn title(&self) -> &str {
        &self.0.title
    }

    /// The leader, in a few words.
    pub fn in_short(&self) -> String {
        self.0.in_short()
    }

    /// The heads of the columns of [`rows`](Self::rows).
    pub fn heads(&self) -> Vec<&'static str> {
        self.0.heads.iter().map(|head| head.text).collect()
    }

    /// The columns that hold text; all others hold numbers.
    pub(crate) fn columns(&self) -> &'static [Head] {
        self.0.heads
    }

    /// The table, or the bracket round by round.
    pub fn rows(&self) -> Vec<Vec<String>> {
        self.0.rows.iter().map(|row| row.iter().map(shown).collect()).collect()
    }
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Count(number) => grouped(*number),
        Cell::Elo(elo) => plus_minus(*elo, 1),
    }
}

/// The ratings of all entrants from all games, relative to the mean of all.
pub(crate) fn rated(config: &RunConfig, standing: &Standing) -> Option<Ratings> {
    ratings_of(config.entrants.len(), standing.pairings()).ok()
}

/// The ratings of this many entrants from the results of each pairing.
fn ratings_of(entrants: usize, pairings: &[PairingStanding]) -> Result<Ratings, RatingError> {
    let mut results = Results::new(entrants);
    for PairingStanding { entrant, opponent, counts } in pairings {
        let (one, two) = (*entrant as usize, *opponent as usize);
        match counts {
            Counts::Pairs(pairs) => results.add_counts(one, two, pairs)?,
            Counts::Games(games) => results.add_games(one, two, games)?,
        }
    }
    // Counts do not say who moved first in single games, so the first mover's advantage cannot be fitted.
    rate(&results, &RatingSettings { first_mover: false, ..RatingSettings::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Wdl;

    #[test]
    fn games_counted_one_by_one_rate_the_entrant_that_beats_all_others_first() {
        let games = |wins| Counts::Games(Wdl { wins, draws: 0, losses: 100 - wins });
        let pairing = |opponent, wins| PairingStanding { entrant: 0, opponent, counts: games(wins) };
        let ratings = ratings_of(3, &[pairing(1, 75), pairing(2, 60)]).expect("ratings");
        let elo: Vec<f64> = ratings.entrants.iter().map(|one| one.elo.value).collect();
        assert!(elo[0] > elo[2] && elo[2] > elo[1], "{elo:?}");
    }
}
