//! Piece-square tables: what they are, and the sum over a position, kept up to date move by move.
//!
//! A set has 64 values for each role in centipawns, material included, in the order in which one reads a diagram drawn
//! from white's side: a8 b8 ... h8, a7 ... h1. For black's pieces it is mirrored vertically. A position's score is the
//! sum over white's pieces minus that over black's, by two sets:
//! `(middlegame * phase + endgame * (24 - phase)) / 24`, rounded towards zero, where the phase counts 1 for a knight or
//! a bishop, 2 for a rook and 4 for a queen of either side, and is 24 at most.

use shakmaty::{Board, Color, Piece, Role, Square};

/// Values by role, pawn first and king last, then by square as in the file.
pub(crate) type Set = [[i32; 64]; 6];

/// The phase at which the middlegame's set counts alone.
const FULL_PHASE: i32 = 24;

/// Material alone: where a fit begins.
const START: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// What each role adds to the phase.
const PHASES: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// The sum over some pieces.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Sum {
    middlegame: i32,
    endgame: i32,
    phase: i32,
}

impl Sum {
    /// The score in centipawns, from white's side.
    pub(crate) fn score(self) -> i32 {
        let phase = self.phase.min(FULL_PHASE);
        (self.middlegame * phase + self.endgame * (FULL_PHASE - phase)) / FULL_PHASE
    }

    /// With this much more.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            middlegame: self.middlegame + other.middlegame,
            endgame: self.endgame + other.endgame,
            phase: self.phase + other.phase,
        }
    }

    /// With this much less.
    pub(crate) fn minus(self, other: Self) -> Self {
        Self {
            middlegame: self.middlegame - other.middlegame,
            endgame: self.endgame - other.endgame,
            phase: self.phase - other.phase,
        }
    }
}

/// Two sets of tables, indexed by colour, role and square, black's values negative.
pub(crate) struct Tables {
    sums: Box<[[[Sum; 64]; 6]; 2]>,
}

impl Default for Tables {
    fn default() -> Self {
        Self::new(&start(), &start())
    }
}

impl Tables {
    /// Tables of these two sets.
    pub(crate) fn new(middlegame: &Set, endgame: &Set) -> Self {
        let mut sums = Box::new([[[Sum::default(); 64]; 6]; 2]);
        for (role, phase) in PHASES.into_iter().enumerate() {
            for square in Square::ALL {
                // Squares are counted from a1, the file's values from a8.
                let (index, flipped) = (usize::from(square), usize::from(square.flip_vertical()));
                let value = |place: usize, sign: i32| Sum {
                    middlegame: sign * middlegame[role][place],
                    endgame: sign * endgame[role][place],
                    phase,
                };
                sums[0][role][index] = value(flipped, 1);
                sums[1][role][index] = value(index, -1);
            }
        }
        Self { sums }
    }

    /// What a piece adds.
    pub(crate) fn of(&self, piece: Piece, square: Square) -> Sum {
        self.sums[usize::from(piece.color == Color::Black)][role_index(piece.role)][usize::from(square)]
    }

    /// The sum over all pieces.
    pub(crate) fn sum(&self, board: &Board) -> Sum {
        board.iter().fold(Sum::default(), |sum, (square, piece)| sum.plus(self.of(piece, square)))
    }
}

/// The set of material alone.
pub(crate) fn start() -> Set {
    START.map(|value| [value; 64])
}

/// How far the game is from its end: 24 with all pieces, 0 with kings and pawns alone.
pub(crate) fn phase(board: &Board) -> i32 {
    let count = |role: Role| PHASES[role_index(role)] * board.by_role(role).count() as i32;
    Role::ALL.into_iter().map(count).sum::<i32>().min(FULL_PHASE)
}

/// 0 for a pawn to 5 for a king.
pub(crate) fn role_index(role: Role) -> usize {
    usize::from(role) - 1
}
