//! Tests of the rules, the network, the search and the program of crazyhouse.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod network;
mod program;
mod rules;
mod search;

use crazyhouse::Position;
use crazyhouse::features::{INPUTS, ROWS};
use crazyhouse::network::{Network, Weights};
use shakmaty::Position as _;
use stats::random::mix;

/// A generator of numbers without a pattern.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number from 0 to below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(1);
        mix(self.0) % end
    }

    /// A number from -range to range.
    fn around_zero(&mut self, range: u64) -> i16 {
        self.below(2 * range + 1) as i16 - range as i16
    }
}

/// A network with weights without a pattern.
pub(crate) fn network(hidden: usize, seed: u64) -> Network {
    let mut numbers = Numbers(seed << 32);
    let mut some = |count: usize, range| (0..count).map(|_| numbers.around_zero(range)).collect::<Vec<i16>>();
    let weights = Weights {
        hidden,
        input_biases: some(hidden, 100),
        input_weights: some(hidden * INPUTS, 60),
        value_weights: some(hidden, 80),
        value_bias: -77,
        row_weights: some(hidden * ROWS, 100),
        row_biases: some(ROWS, 300),
    };
    Network::new(weights).unwrap()
}

/// Positions of random games, with pieces in hand.
pub(crate) fn positions(games: u64, seed: u64) -> Vec<Position> {
    let mut numbers = Numbers(seed << 40);
    let mut all = Vec::new();
    for _ in 0..games {
        let mut position = Position::default();
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            all.push(position.clone());
            // Captures fill the pockets.
            let captures: Vec<_> = moves.iter().copied().filter(|mv| mv.is_capture()).collect();
            let from = if captures.is_empty() || numbers.below(3) == 0 { &moves[..] } else { &captures[..] };
            position.play_unchecked(from[numbers.below(from.len() as u64) as usize]);
        }
    }
    all
}
