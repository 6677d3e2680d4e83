//! One position of crazyhouse with its labels, in 56 bytes.
//!
//! ```text
//!  0  u64  occupied squares, bit 0 = a1, bit 63 = h8
//!  8  16B  the pieces on them, in the order of bits, four bits each, the low half of a byte first: role (pawn 0 to
//!          king 5), +8 if black
//! 24  u64  promoted pieces
//! 32  5B   the white pocket: pawns, knights, bishops, rooks, queens
//! 37  5B   the black pocket
//! 42  u8   bit 0 black moves, bits 1 to 4 castling (white short, white long, black short, black long)
//! 43  u8   en passant square, or 64
//! 44  i16  score in centipawns, white's view
//! 46  u8   result, white's view: loss 0, draw 1, win 2
//! 47  u8   0
//! 48  u16  the move that was played, as `crazyhouse::moves` codes it
//! 50  u16  number of the move, from 1
//! 52  u32  number of the game that it is from
//! ```
//!
//! Numbers are little endian.

use super::super::input::{Labelled, Target};
use crate::chess::Labelled as Position;
use crazyhouse::moves;
use shakmaty::variant::Crazyhouse;
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, CastlingSide, Color, EnPassantMode, FromSetup, Piece,
    Position as _, Role, Setup, Square,
};
use stats::Score;
use std::num::NonZeroU32;

/// The size of a record in bytes.
const BYTES: usize = 56;
/// The number of leading bytes that hold the position.
const POSITION_BYTES: usize = 44;
/// The code for no en passant square.
const NO_SQUARE: u8 = 64;
/// Castling rights in the order of their bits.
const CASTLING: [(Color, CastlingSide, Square); 4] = [
    (Color::White, CastlingSide::KingSide, Square::H1),
    (Color::White, CastlingSide::QueenSide, Square::A1),
    (Color::Black, CastlingSide::KingSide, Square::H8),
    (Color::Black, CastlingSide::QueenSide, Square::A8),
];
/// The roles that can be in a pocket.
const DROPPABLE: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
/// The value of each role in centipawns, pawn to king. Pieces change sides, so their values differ less than in chess.
const MATERIAL: [i32; 6] = [100, 250, 270, 350, 600, 0];

/// A position with its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::train) struct Record([u8; BYTES]);

impl Record {
    /// Makes the record of a labelled position.
    ///
    /// # Errors
    /// A description of what cannot be stored.
    pub(in crate::train) fn new(of: &Position<Crazyhouse>) -> Result<Self, String> {
        let setup = of.position.to_setup(EnPassantMode::Legal);
        let occupied = setup.board.occupied();
        if occupied.count() > 32 {
            return Err(format!("there are {} pieces on the board: expected at most 32", occupied.count()));
        }
        let played = of.played.ok_or("there is no move that was played")?;
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&occupied.0.to_le_bytes());
        for (at, square) in occupied.into_iter().enumerate() {
            if let Some(piece) = setup.board.piece_at(square) {
                let nibble = piece.role as u8 - 1 + 8 * u8::from(piece.color.is_black());
                bytes[8 + at / 2] |= nibble << (4 * (at % 2));
            }
        }
        bytes[24..32].copy_from_slice(&setup.promoted.0.to_le_bytes());
        let pockets = setup.pockets.unwrap_or_default();
        for (place, color) in [(32, Color::White), (37, Color::Black)] {
            for (at, role) in DROPPABLE.into_iter().enumerate() {
                bytes[place + at] = *pockets.get(color).get(role);
            }
        }
        let castles = of.position.castles();
        let castling = (1..).zip(CASTLING).filter(|(_, (color, side, _))| castles.has(*color, *side));
        bytes[42] = u8::from(setup.turn.is_black()) | castling.map(|(bit, _)| 1 << bit).sum::<u8>();
        bytes[43] = setup.ep_square.map_or(NO_SQUARE, |square| square as u8);
        bytes[44..46].copy_from_slice(&of.score.max(-i16::MAX).to_le_bytes());
        bytes[46] = of.result as u8;
        bytes[48..50].copy_from_slice(&moves::code(played).to_le_bytes());
        bytes[50..52].copy_from_slice(&(setup.fullmoves.get().min(65_535) as u16).to_le_bytes());
        let record = Self(bytes);
        let has_move =
            |position: Crazyhouse| position.legal_moves().iter().any(|&mv| moves::code(mv) == record.played());
        if record.position().is_some_and(has_move) {
            Ok(record)
        } else {
            Err("its castling is that of Chess960, which networks of crazyhouse do not know".to_owned())
        }
    }

    /// The same position in another game.
    pub(in crate::train) fn of_game(mut self, game: u32) -> Self {
        self.0[52..].copy_from_slice(&game.to_le_bytes());
        self
    }

    /// The number of the game.
    pub(in crate::train) fn game(&self) -> u32 {
        u32::from_le_bytes([self.0[52], self.0[53], self.0[54], self.0[55]])
    }

    /// The number of a game that begins with this position.
    pub(in crate::train) fn begun_game(&self) -> u32 {
        crc32fast::hash(&self.0[..POSITION_BYTES])
    }

    /// The game's result, white's view.
    pub(in crate::train) fn result(&self) -> Score {
        match self.0[46] {
            0 => Score::Loss,
            2 => Score::Win,
            _ => Score::Draw,
        }
    }

    /// The code of the move played.
    pub(super) fn played(&self) -> u16 {
        self.number(48)
    }

    /// The position; `None` for a damaged record.
    pub(super) fn position(&self) -> Option<Crazyhouse> {
        let mut pockets = ByColor::<ByRole<u8>>::default();
        for (place, color) in [(32, Color::White), (37, Color::Black)] {
            for (at, role) in DROPPABLE.into_iter().enumerate() {
                *pockets.get_mut(color).get_mut(role) = self.0[place + at];
            }
        }
        let board: Board = self.pieces().collect();
        let rooks = CASTLING.into_iter().zip(1..).filter(|(_, bit)| self.0[42] >> bit & 1 == 1);
        let setup = Setup {
            board,
            promoted: Bitboard(self.long(24)),
            pockets: Some(pockets),
            turn: self.turn(),
            castling_rights: rooks.map(|((_, _, rook), _)| rook).collect(),
            ep_square: Square::try_from(u32::from(self.0[43])).ok(),
            fullmoves: NonZeroU32::new(u32::from(self.number(50))).unwrap_or(NonZeroU32::MIN),
            ..Setup::empty()
        };
        Crazyhouse::from_setup(setup, CastlingMode::Standard).ok()
    }

    fn turn(&self) -> Color {
        Color::from_white(self.0[42] & 1 == 0)
    }

    fn number(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    fn long(&self, from: usize) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|at| self.0[from + at]))
    }

    fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        Bitboard(self.long(0)).into_iter().take(32).enumerate().filter_map(|(at, square)| {
            let code = self.0[8 + at / 2] >> (4 * (at % 2)) & 15;
            let role = *Role::ALL.get(usize::from(code & 7))?;
            Some((square, Piece { color: Color::from_white(code < 8), role }))
        })
    }
}

impl Labelled for Record {
    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn label(&self) -> (i16, Score) {
        let score = i16::from_le_bytes([self.0[44], self.0[45]]);
        self.turn().fold_wb((score, self.result()), (-score, self.result().mirror()))
    }

    fn ply(&self) -> u32 {
        2 * u32::from(self.number(50).saturating_sub(1)) + u32::from(self.turn().is_black())
    }

    /// The material balance, including pockets.
    fn simple(&self, target: Target) -> f32 {
        let value = |role: Role| MATERIAL[role as usize - 1];
        let on_board =
            self.pieces().map(|(_, piece)| if piece.color.is_white() { value(piece.role) } else { -value(piece.role) });
        let held = (0..5).map(|at| value(DROPPABLE[at]) * (i32::from(self.0[32 + at]) - i32::from(self.0[37 + at])));
        let white = on_board.chain(held).sum::<i32>();
        self.turn().fold_wb(white, -white) as f32 / target.logit
    }
}
