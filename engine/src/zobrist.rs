//! Zobrist keys: 64-bit constants for pieces on squares, pieces in hand and the side to move, combined by exclusive or.
//!
//! The number of plies made is not part of the key; the search accounts for the ply limit itself.

use crate::{Piece, Side, Square};

/// The maximum number of pieces of one kind in a hand: the eight alfils of both sides.
const HAND_MAX: usize = 16;

struct Keys {
    board: [[[u64; 64]; 5]; 2],
    hand: [[[u64; HAND_MAX]; 5]; 2],
    side: u64,
}

static KEYS: Keys = keys();

/// The key of a piece on a square.
pub(crate) const fn board(side: Side, piece: Piece, square: Square) -> u64 {
    KEYS.board[side.index()][piece.index()][square.index()]
}

/// The difference between the keys of a hand with `count` and with `count + 1` pieces of a kind (0 <= count < 16). 0
/// for the wazir, which is never in hand.
pub(crate) const fn hand_step(side: Side, piece: Piece, count: u8) -> u64 {
    KEYS.hand[side.index()][piece.index()][count as usize % HAND_MAX]
}

/// The key of blue to move.
pub(crate) const fn side() -> u64 {
    KEYS.side
}

const fn keys() -> Keys {
    let mut keys = Keys { board: [[[0; 64]; 5]; 2], hand: [[[0; HAND_MAX]; 5]; 2], side: 0 };
    let mut state = 0;
    let mut i = 0;
    while i < 2 * 5 * 64 {
        (state, keys.board[i / 320][i / 64 % 5][i % 64]) = split_mix(state);
        i += 1;
    }
    i = 0;
    while i < 2 * 4 * HAND_MAX {
        (state, keys.hand[i / (4 * HAND_MAX)][i / HAND_MAX % 4][i % HAND_MAX]) = split_mix(state);
        i += 1;
    }
    (_, keys.side) = split_mix(state);
    keys
}

/// The next state and output of `SplitMix64` (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014).
const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_constants_are_equal() {
        let all = KEYS
            .board
            .iter()
            .flatten()
            .flatten()
            .chain(KEYS.hand.iter().flat_map(|hand| &hand[..4]).flatten())
            .chain([&KEYS.side]);
        assert_eq!(all.collect::<BTreeSet<_>>().len(), 2 * 5 * 64 + 2 * 4 * HAND_MAX + 1);
    }

    #[test]
    fn the_generator_is_split_mix() {
        // First outputs of SplitMix64 for state 0, published with the algorithm.
        assert_eq!(split_mix(0).1, 0xe220_a839_7b1d_cdaf);
        assert_eq!(split_mix(split_mix(0).0).1, 0x6e78_9e6a_a1b9_65f4);
    }
}
