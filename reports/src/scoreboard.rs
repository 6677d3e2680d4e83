//! The standings of many entrants while they play: a row for each, the best first; in a gauntlet a row for each
//! opponent. For displays of a running run; `tournament` and `ladder` contain the tables at its end.

use crate::ladder::{Place, RatedLadder};
use crate::tournament::rated;
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::{PairingStanding, Standing};
use play::entrant::Entrant;
use stats::rating::Standing as Bounds;
use stats::{Estimate, Wdl};

/// The maximum number of rated entrants: with more, the rating would take longer than a watcher should cost a run.
const MOST_RATED: usize = 64;

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreboardRow {
    /// The entrant's name.
    pub name: String,
    /// The rating, relative to the mean of all, or to the anchor of a ladder; in a gauntlet's row how much stronger the
    /// tested entrant is than this opponent. None before the first game, and if there are too many entrants to rate.
    pub elo: Option<Estimate>,
    /// Whether the rating is given.
    pub is_anchor: bool,
    /// The entrant's games; in a gauntlet's row those against this opponent, from the view of the tested entrant.
    pub games: Wdl,
}

impl ScoreboardRow {
    /// The share of the points; one half without games.
    pub fn share(&self) -> f64 {
        let Wdl { wins, draws, losses } = self.games;
        let games = wins + draws + losses;
        if games == 0 { 0.5 } else { self.points() / games as f64 }
    }

    /// The points.
    pub fn points(&self) -> f64 {
        self.games.wins as f64 + self.games.draws as f64 / 2.0
    }
}

/// The standings of many entrants.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoreboard {
    /// The entrant whose opponents have these rows; `None` if there is a row for each entrant.
    pub against: Option<String>,
    /// The rows: the best first, opponents in their order.
    pub rows: Vec<ScoreboardRow>,
}

impl Scoreboard {
    /// The scoreboard of a run with more than two entrants; `None` for any other.
    pub fn of_run(config: &RunConfig, standing: &Standing) -> Option<Self> {
        if config.entrants.len() < 3 {
            return None;
        }
        if let ExperimentConfig::Match { schedule, .. } = &config.experiment
            && let Some(common) = schedule.common_entrant()
        {
            return Some(Self::of_gauntlet(config, standing, common));
        }
        let games = games(config, standing);
        let mut rows = match RatedLadder::of_run(config, standing) {
            Some(ladder) => of_ladder(&ladder, games),
            None => of_match(config, standing, games),
        };
        let strength = |row: &ScoreboardRow| row.elo.map_or(f64::NEG_INFINITY, |elo| elo.value);
        rows.sort_by(|a, b| strength(b).total_cmp(&strength(a)).then(b.share().total_cmp(&a.share())));
        Some(Self { against: None, rows })
    }

    fn of_gauntlet(config: &RunConfig, standing: &Standing, common: u32) -> Self {
        let name = |entrant: u32| config.entrants.get(entrant as usize).map_or_else(String::new, |e| e.name.clone());
        let row = |pairing: &PairingStanding| ScoreboardRow {
            name: name(pairing.opponent),
            elo: pairing.counts.summary().elo,
            is_anchor: false,
            games: pairing.counts.wdl(),
        };
        Self { against: Some(name(common)), rows: standing.pairings().iter().map(row).collect() }
    }
}

fn of_ladder(ladder: &RatedLadder, games: Vec<Wdl>) -> Vec<ScoreboardRow> {
    let row = |(place, games): (&Place, Wdl)| ScoreboardRow {
        name: place.name.clone(),
        elo: (place.played() || place.anchor).then_some(place.elo),
        is_anchor: place.anchor,
        games,
    };
    ladder.places.iter().zip(games).map(row).collect()
}

fn of_match(config: &RunConfig, standing: &Standing, games: Vec<Wdl>) -> Vec<ScoreboardRow> {
    let ratings = (config.entrants.len() <= MOST_RATED).then(|| rated(config, standing)).flatten();
    let elo = |number: usize| {
        let rating = ratings.as_ref()?.entrants.get(number)?;
        (rating.standing != Bounds::NoGames).then_some(rating.elo)
    };
    let row = |(number, (entrant, games)): (usize, (&Entrant, Wdl))| ScoreboardRow {
        name: entrant.name.clone(),
        elo: elo(number),
        is_anchor: false,
        games,
    };
    config.entrants.iter().zip(games).enumerate().map(row).collect()
}

/// The games of each entrant, from its own view.
fn games(config: &RunConfig, standing: &Standing) -> Vec<Wdl> {
    let mut games = vec![Wdl::default(); config.entrants.len()];
    for pairing in standing.pairings() {
        let Wdl { wins, draws, losses } = pairing.counts.wdl();
        for (entrant, [won, lost]) in [(pairing.entrant, [wins, losses]), (pairing.opponent, [losses, wins])] {
            if let Some(sum) = games.get_mut(entrant as usize) {
                sum.wins += won;
                sum.draws += draws;
                sum.losses += lost;
            }
        }
    }
    games
}
