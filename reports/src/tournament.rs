//! A match whose pairings depend on results, with names in place of numbers: the table of a Swiss, the bracket of a
//! knockout. What a person reads of it, on the page or in a terminal, is worded from here.

use crate::text::{grouped, plus_minus};
use arena::config::RunConfig;
use arena::run::{KnockoutMatch, KnockoutStanding, Standing, SwissPlace, SwissStanding, TournamentStanding};
use serde::Serialize;
use stats::rating::{RatingSettings, Ratings, Results, Standing as Bounds, rate};
use stats::{Counts, Estimate};

/// Where such a match stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tournament {
    /// A Swiss.
    Swiss {
        /// The round that is being played, from 1, or the last one.
        round: u32,
        /// How many there are.
        rounds: u32,
        /// All entrants, the best first.
        places: Vec<SwissRow>,
    },
    /// A knockout.
    Knockout {
        /// Who has won it.
        winner: Option<String>,
        /// The matches of each round so far.
        rounds: Vec<KnockoutRound>,
    },
}

/// An entrant's place in a Swiss.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SwissRow {
    /// Its name.
    pub name: String,
    /// 1 for a meeting won, one half for a drawn one, 1 for a bye.
    pub points: f64,
    /// Its opponents' points added up; for a bye its own.
    pub buchholz: f64,
    /// Points of games.
    pub game_points: f64,
    /// Meetings won.
    pub won: u32,
    /// Meetings drawn.
    pub drawn: u32,
    /// Meetings lost.
    pub lost: u32,
    /// Rounds without an opponent.
    pub byes: u32,
    /// Its rating by all games about the mean of all; none before its first game.
    pub elo: Option<Estimate>,
}

/// A round of a knockout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnockoutRound {
    /// What it is called, such as `semi-final`.
    pub name: String,
    /// Its matches, in the order of the bracket.
    pub matches: Vec<KnockoutRow>,
}

/// A match of a knockout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnockoutRow {
    /// The one higher up in the configuration.
    pub entrant: String,
    /// The other; none if the first one goes on without a game.
    pub opponent: Option<String>,
    /// Points of games of the two.
    pub points: [f64; 2],
    /// Pairs played.
    pub pairs: u64,
    /// Of these, tie-breaks.
    pub tie_breaks: u64,
    /// Who goes on.
    pub winner: Option<String>,
}

impl Tournament {
    /// Of a run that is one; `None` of any other.
    pub fn of_run(config: &RunConfig, standing: &Standing) -> Option<Self> {
        Some(match standing.tournament()? {
            TournamentStanding::Swiss(swiss) => Self::swiss(config, swiss, rated(config, standing).as_ref()),
            TournamentStanding::Knockout(knockout) => Self::knockout(config, knockout),
        })
    }

    fn swiss(config: &RunConfig, swiss: &SwissStanding, ratings: Option<&Ratings>) -> Self {
        let SwissStanding { round, rounds, places } = swiss;
        let row = |place: &SwissPlace| {
            let rating = ratings.and_then(|ratings| ratings.entrants.get(place.entrant as usize));
            let [won, drawn, lost] = place.meetings;
            SwissRow {
                name: name(config, place.entrant),
                points: f64::from(place.half_points) / 2.0,
                buchholz: f64::from(place.buchholz) / 2.0,
                game_points: place.game_half_points as f64 / 2.0,
                won,
                drawn,
                lost,
                byes: place.byes,
                elo: rating.filter(|rating| rating.standing != Bounds::NoGames).map(|rating| rating.elo),
            }
        };
        Self::Swiss { round: *round, rounds: *rounds, places: places.iter().map(row).collect() }
    }

    fn knockout(config: &RunConfig, knockout: &KnockoutStanding) -> Self {
        let KnockoutStanding { rounds, of, winner } = knockout;
        let row = |game: &KnockoutMatch| KnockoutRow {
            entrant: name(config, game.entrant),
            opponent: game.opponent.map(|opponent| name(config, opponent)),
            points: game.half_points.map(|half_points| half_points as f64 / 2.0),
            pairs: game.pairs,
            tie_breaks: game.tie_breaks,
            winner: game.winner.map(|winner| name(config, winner)),
        };
        let round = |(number, matches): (usize, &Vec<KnockoutMatch>)| KnockoutRound {
            name: round_name(of.saturating_sub(number as u32)),
            matches: matches.iter().map(row).collect(),
        };
        let rounds = rounds.iter().enumerate().map(round).collect();
        Self::Knockout { winner: winner.map(|winner| name(config, winner)), rounds }
    }

    /// What it is and how far, in a few words.
    pub fn title(&self) -> String {
        match self {
            Self::Swiss { round, rounds, .. } => format!("Swiss, round {round} of {rounds}"),
            Self::Knockout { winner: Some(winner), .. } => format!("Knockout, won by {winner}"),
            Self::Knockout { rounds, .. } => {
                format!("Knockout, {}", rounds.last().map_or("before its first round", |round| &round.name))
            }
        }
    }

    /// Who leads, in a few words.
    pub fn in_short(&self) -> String {
        match self {
            Self::Swiss { places, .. } => {
                let first = places
                    .first()
                    .map_or_else(String::new, |first| format!(", {} leads with {}", first.name, half(first.points)));
                self.title() + &first
            }
            Self::Knockout { .. } => self.title(),
        }
    }

    /// The heads of [`rows`](Self::rows).
    pub fn heads(&self) -> &'static [&'static str] {
        match self {
            Self::Swiss { .. } => &["", "", "points", "Buchholz", "+ = -", "byes", "games", "Elo (95%)"],
            Self::Knockout { .. } => &["round", "match", "points", "pairs", "tie-breaks", "goes on"],
        }
    }

    /// The table, or the bracket round by round.
    pub fn rows(&self) -> Vec<Vec<String>> {
        match self {
            Self::Swiss { places, .. } => {
                places.iter().enumerate().map(|(number, row)| swiss_row(number, row)).collect()
            }
            Self::Knockout { rounds, .. } => rounds.iter().flat_map(knockout_rows).collect(),
        }
    }
}

fn swiss_row(number: usize, row: &SwissRow) -> Vec<String> {
    let elo = row.elo.map_or_else(String::new, |elo| plus_minus(elo, 1));
    vec![
        (number + 1).to_string(),
        row.name.clone(),
        half(row.points),
        half(row.buchholz),
        format!("{} {} {}", row.won, row.drawn, row.lost),
        row.byes.to_string(),
        half(row.game_points),
        elo,
    ]
}

fn knockout_rows(round: &KnockoutRound) -> Vec<Vec<String>> {
    let row = |(number, game): (usize, &KnockoutRow)| {
        let name = if number == 0 { round.name.clone() } else { String::new() };
        let goes_on = game.winner.clone().unwrap_or_default();
        let Some(opponent) = &game.opponent else {
            return vec![name, format!("{} (bye)", game.entrant), String::new(), String::new(), String::new(), goes_on];
        };
        let [own, other] = game.points.map(half);
        let tie_breaks = if game.tie_breaks > 0 { grouped(game.tie_breaks) } else { String::new() };
        let versus = format!("{} vs {opponent}", game.entrant);
        vec![name, versus, format!("{own} : {other}"), grouped(game.pairs), tie_breaks, goes_on]
    };
    round.matches.iter().enumerate().map(row).collect()
}

/// What a round is called by how many there are from it on.
fn round_name(left: u32) -> String {
    match left {
        0 | 1 => "final".to_owned(),
        2 => "semi-final".to_owned(),
        3 => "quarter-final".to_owned(),
        _ => format!("round of {}", 1_u64 << left.min(63)),
    }
}

/// Half points as people write them.
fn half(points: f64) -> String {
    if points.fract() == 0.0 { format!("{points:.0}") } else { format!("{points:.1}") }
}

fn name(config: &RunConfig, number: u32) -> String {
    config.entrants.get(number as usize).map_or_else(String::new, |entrant| entrant.name.clone())
}

/// All by all games, about the mean of all.
pub(crate) fn rated(config: &RunConfig, standing: &Standing) -> Option<Ratings> {
    let mut results = Results::new(config.entrants.len());
    for pairing in standing.pairings() {
        let (one, two) = (pairing.entrant as usize, pairing.opponent as usize);
        match &pairing.counts {
            Counts::Pairs(pairs) => results.add_counts(one, two, pairs).ok()?,
            // Who moved first matters for the first mover's advantage alone, which is not fitted.
            Counts::Games(games) => results.add_games(one, two, games).ok()?,
        }
    }
    rate(&results, &RatingSettings { first_mover: false, ..RatingSettings::default() }).ok()
}
