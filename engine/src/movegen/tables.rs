//! The leaps of the pieces, and the attack tables derived from them at compile time.

use crate::{Bitboard, Piece, Square};

/// One leap, which shifts whole sets of squares: rotates, then masks the targets that wrapped around an edge.
#[derive(Clone, Copy)]
pub(super) struct Leap {
    rotation: u32,
    targets: u64,
}

impl Leap {
    const fn new(rows: i32, columns: i32) -> Self {
        let mut targets = 0;
        let mut index = 0;
        while index < 64 {
            let (row, column) = (index / 8 - rows, index % 8 - columns);
            if row >= 0 && row < 8 && column >= 0 && column < 8 {
                targets |= 1 << index;
            }
            index += 1;
        }
        Self { rotation: (8 * rows + columns).rem_euclid(64) as u32, targets }
    }

    /// The squares reached from those of `set`.
    #[inline]
    pub(super) const fn shift(self, set: Bitboard) -> Bitboard {
        Bitboard(set.0.rotate_left(self.rotation) & self.targets)
    }

    /// The square from which this leap reaches `to`.
    #[inline]
    pub(super) const fn origin(self, to: Square) -> Square {
        Square::wrapping((to.index() as u32).wrapping_sub(self.rotation))
    }
}

pub(super) const ALFIL: [Leap; 4] = [Leap::new(-2, -2), Leap::new(-2, 2), Leap::new(2, -2), Leap::new(2, 2)];
pub(super) const DABBABA: [Leap; 4] = [Leap::new(-2, 0), Leap::new(0, -2), Leap::new(0, 2), Leap::new(2, 0)];
pub(super) const FERZ: [Leap; 4] = [Leap::new(-1, -1), Leap::new(-1, 1), Leap::new(1, -1), Leap::new(1, 1)];
pub(super) const KNIGHT: [Leap; 8] = [
    Leap::new(-2, -1),
    Leap::new(-2, 1),
    Leap::new(-1, -2),
    Leap::new(-1, 2),
    Leap::new(1, -2),
    Leap::new(1, 2),
    Leap::new(2, -1),
    Leap::new(2, 1),
];
pub(super) const WAZIR: [Leap; 4] = [Leap::new(-1, 0), Leap::new(0, -1), Leap::new(0, 1), Leap::new(1, 0)];

/// For each kind and square, the squares that it attacks. All leaps are symmetric: it is attacked from the same
/// squares.
static ATTACKS: [[Bitboard; 64]; 5] =
    [attacks(&ALFIL), attacks(&DABBABA), attacks(&FERZ), attacks(&KNIGHT), attacks(&WAZIR)];

const fn attacks(leaps: &[Leap]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        table[index] = spread(leaps, Bitboard(1 << index));
        index += 1;
    }
    table
}

const fn spread(leaps: &[Leap], set: Bitboard) -> Bitboard {
    let mut reached = 0;
    let mut i = 0;
    while i < leaps.len() {
        reached |= leaps[i].shift(set).0;
        i += 1;
    }
    Bitboard(reached)
}

impl Piece {
    /// The squares that this kind attacks from `square`, which are also those that it attacks `square` from.
    #[inline]
    pub fn attacks(self, square: Square) -> Bitboard {
        ATTACKS[self.index()][square.index()]
    }

    /// The squares that pieces of this kind on all squares of `set` attack together.
    #[inline]
    pub fn attacks_from_set(self, set: Bitboard) -> Bitboard {
        match self {
            Self::Alfil => spread(&ALFIL, set),
            Self::Dabbaba => spread(&DABBABA, set),
            Self::Ferz => spread(&FERZ, set),
            Self::Knight => spread(&KNIGHT, set),
            Self::Wazir => spread(&WAZIR, set),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squared length of the leap distinguishes the five kinds: 8, 4, 2, 5, 1.
    #[test]
    fn attacks_are_the_squares_at_the_right_distance() {
        for (piece, length) in Piece::ALL.into_iter().zip([8, 4, 2, 5, 1]) {
            for from in Square::all() {
                let expected = Square::all().filter(|to| {
                    let rows = i32::from(from.row()) - i32::from(to.row());
                    let columns = i32::from(from.column()) - i32::from(to.column());
                    rows * rows + columns * columns == length
                });
                assert_eq!(piece.attacks(from), expected.collect());
            }
        }
    }

    #[test]
    fn sets_attack_what_their_squares_attack() {
        let set: Bitboard = Square::all().step_by(7).collect();
        for piece in Piece::ALL {
            let union = set.iter().fold(Bitboard::EMPTY, |union, square| union | piece.attacks(square));
            assert_eq!(piece.attacks_from_set(set), union);
        }
    }

    #[test]
    fn leaps_lead_back_to_their_origin() {
        for leap in ALFIL.into_iter().chain(DABBABA).chain(FERZ).chain(KNIGHT).chain(WAZIR) {
            for from in Square::all() {
                for to in leap.shift(from.bitboard()) {
                    assert_eq!(leap.origin(to), from);
                }
            }
        }
    }
}
