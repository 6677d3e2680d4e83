//! The largest falls of the first entrant's expected score within a move of each: where to look first.

use super::views::View;
use crate::gather::GameSeen;
use arena::run::GameName;

/// Falls that are listed.
const MOST: usize = 5;
/// Smaller falls are not worth a look.
const LEAST: f64 = 0.2;

/// A fall of the expected score.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Fall {
    /// The game, e.g. `12.2`.
    pub game: String,
    /// The move, as people count moves from the start of the game.
    pub number: usize,
    /// The share of the points that both expected for the first entrant on average, before and after.
    pub expected: [f64; 2],
}

/// The largest so far, the largest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Falls(Vec<Fall>);

impl Falls {
    /// Adds the largest fall of a game.
    pub(super) fn add(&mut self, views: &[View], game: &GameSeen<'_>) {
        let means: Vec<(usize, f64)> =
            views.iter().enumerate().filter_map(|(index, view)| Some((index, view.mean()?))).collect();
        // Each entrant sees a fall at its own ply, so that both have seen it after two.
        let falls = means.windows(3).map(|plies| (plies[0].0, [plies[0].1, plies[2].1]));
        let deepest = falls.max_by(|(_, one), (_, two)| depth(*one).total_cmp(&depth(*two)));
        let Some((ply, expected)) = deepest.filter(|(_, expected)| depth(*expected) >= LEAST) else { return };
        let name = GameName { pair: game.pair, game: game.game };
        // A move is a ply of each side.
        let number = 1 + (game.opening_plies + ply).div_euclid(2);
        let fall = Fall { game: name.to_string(), number, expected };
        let at = self.0.partition_point(|other| depth(other.expected) >= depth(expected));
        self.0.insert(at, fall);
        self.0.truncate(MOST);
    }

    pub(super) fn rows(self) -> Vec<Fall> {
        self.0
    }
}

fn depth([before, after]: [f64; 2]) -> f64 {
    before - after
}
