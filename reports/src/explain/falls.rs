//! The largest falls of the first entrant's expected score within one move of each side: where to look first.

use super::views::View;
use crate::gather::GameSeen;
use arena::run::GameName;

/// The maximum number of falls listed.
const MOST: usize = 5;
/// The minimum size of a fall to list.
const LEAST: f64 = 0.2;

/// A fall of the expected score.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Fall {
    /// The game, such as `12.2`.
    pub game: String,
    /// The number of the move, counted from the start of the game.
    pub number: usize,
    /// The share of the points that both entrants expected on average for the first one, before and after.
    pub expected: [f64; 2],
}

/// The largest falls so far, the largest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Falls(Vec<Fall>);

impl Falls {
    /// Adds the largest fall of a game.
    pub(super) fn add(&mut self, views: &[View], game: &GameSeen<'_>) {
        let means: Vec<(usize, f64)> =
            views.iter().enumerate().filter_map(|(index, view)| Some((index, view.mean()?))).collect();
        // Each entrant sees a fall at its own ply, so both have seen it after two plies.
        let falls = means.windows(3).map(|plies| (plies[0].0, [plies[0].1, plies[2].1]));
        let deepest = falls.max_by(|(_, one), (_, two)| depth(*one).total_cmp(&depth(*two)));
        let Some((ply, expected)) = deepest.filter(|(_, expected)| depth(*expected) >= LEAST) else { return };
        let name = GameName { pair: game.pair, game: game.game };
        // A move consists of a ply of each side.
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
