//! Where the two entrants' views of a game first part, and who was right.

use super::views::View;
use crate::gather::GameSeen;
use arena::run::{GameName, Reached};
use stats::Estimate;
use std::collections::BTreeSet;

/// The difference, as a share of the points, from which two views have parted.
pub const PARTED: f64 = 0.2;

/// Sums over games in which one entrant expected more for itself than the other did for it.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    games: u64,
    plies: u64,
    seen: [f64; 2],
    points: f64,
    nearer: [u64; 2],
}

/// The maximum number of first disagreements kept as positions, from the first games, each position once.
pub const MOST_POSITIONS: usize = 1000;

/// Where the views of a game parted.
#[derive(Clone, Debug, PartialEq)]
pub struct Parting {
    /// The game.
    pub game: GameName,
    /// The position that the mover had searched.
    pub position: Reached,
    /// The mover, 0 or 1: the first entrant or the second.
    pub mover: usize,
    /// The share of the points that each entrant expected for the first one.
    pub expected: [f64; 2],
}

/// First disagreements of games.
#[derive(Clone, Debug, Default)]
pub(super) struct Partings {
    /// The disagreements of the first games, each position once.
    pub(super) first: Vec<Parting>,
    /// The positions of these disagreements.
    known: BTreeSet<Reached>,
    /// The games where the first entrant expected more than the second did for it, and those where it expected less.
    by_hope: [Sum; 2],
}

/// Games in which the views parted in one direction.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct PartingRow {
    /// Whether the first entrant expected more for itself than the second did for it.
    pub more_hopeful: bool,
    /// The number of games.
    pub games: u64,
    /// The mean ply of the parting, from the start of the game.
    pub ply: f64,
    /// The share of the points that each entrant expected there for the first one.
    pub expected: [f64; 2],
    /// The share that the first entrant scored.
    pub scored: Estimate,
    /// For each entrant, the number of games whose result was nearer to its expectation.
    pub nearer: [u64; 2],
}

impl Partings {
    /// Adds a game with its result for the first entrant; `start` is the position from which its moves start.
    pub(super) fn add(&mut self, views: &[View], game: &GameSeen<'_>, start: Option<&str>, moves: &[u32], points: f64) {
        let opening = game.opening_plies;
        let parted = views.iter().enumerate().find_map(|(index, view)| match view.by {
            [Some(one), Some(two)] if (one - two).abs() >= PARTED => Some((index, [one, two])),
            _ => None,
        });
        let Some((index, seen)) = parted else { return };
        // A damaged journal may have more evaluations than moves.
        if self.first.len() < MOST_POSITIONS
            && let Some(moves) = moves.get(..opening + index)
        {
            let position = Reached { start: start.map(str::to_owned), moves: moves.to_vec() };
            if self.known.insert(position.clone()) {
                let game = GameName { pair: game.pair, game: game.game };
                self.first.push(Parting { game, position, mover: views[index].mover, expected: seen });
            }
        }
        let sum = &mut self.by_hope[usize::from(seen[0] < seen[1])];
        sum.games += 1;
        sum.plies += (opening + index + 1) as u64;
        sum.points += points;
        let off = seen.map(|seen| (seen - points).abs());
        for entrant in [0, 1] {
            sum.seen[entrant] += seen[entrant];
            sum.nearer[entrant] += u64::from(off[entrant] < off[1 - entrant]);
        }
    }

    pub(super) fn rows(&self) -> Vec<PartingRow> {
        let row = |(index, sum): (usize, &Sum)| {
            let games = sum.games as f64;
            Some(PartingRow {
                more_hopeful: index == 0,
                games: sum.games,
                ply: sum.plies as f64 / games,
                expected: sum.seen.map(|seen| seen / games),
                scored: Estimate::wilson(sum.points / games, games)?,
                nearer: sum.nearer,
            })
        };
        self.by_hope.iter().enumerate().filter_map(row).collect()
    }
}
