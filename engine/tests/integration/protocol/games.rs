//! Random games for round-trip tests.

use engine::{Move, Position};
use proptest::prelude::*;

/// Every position of a random game with the move made in it.
pub(crate) type Game = Vec<(Position, Move)>;

/// `SplitMix64`.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The game of this seed, from the start to its end.
pub(crate) fn game(seed: u64) -> Game {
    let (mut state, mut position, mut game) = (seed, Position::new(), Game::new());
    while position.outcome().is_none() {
        let count = u64::from(position.legal_count());
        let mv = position.nth_legal((next(&mut state) % count) as u32).unwrap();
        game.push((position, mv));
        position.play(mv);
    }
    game
}

/// A strategy for such games.
pub(crate) fn any_game() -> impl Strategy<Value = Game> {
    any::<u64>().prop_map(game)
}
