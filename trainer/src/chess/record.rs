//! One position of chess with its labels, in 36 bytes.
//!
//! ```text
//!  0  u64  occupied squares, bit 0 = a1, bit 63 = h8
//!  8  16B  the pieces on them, in the order of bits, four bits each, the low half of a byte first: role (pawn 0 to
//!          king 5), +8 if black
//! 24  u8   bit 0 black moves, bits 1 to 4 castling (white short, white long, black short, black long), bit 5 a score,
//!          bit 6 a result
//! 25  u8   en passant square, or 64
//! 26  i16  score in centipawns, white's view
//! 28  u8   result, white's view: loss 0, draw 1, win 2
//! 29  u8   plies since the last capture or pawn move, at most 255
//! 30  u16  number of the move, from 1
//! 32  u32  number of the game that it is from
//! ```
//!
//! Numbers are little endian. Other modules define the files of such records and decide which positions are quiet.

use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Piece, Position,
    PositionError, Rank, Role, Setup, Square,
};
use stats::Score;
use std::num::NonZeroU32;

/// Bytes of a record.
const BYTES: usize = 36;
/// Bit 5 of the flags.
const HAS_SCORE: u8 = 1 << 5;
/// Bit 6 of the flags.
const HAS_RESULT: u8 = 1 << 6;
/// The code for no en passant square.
const NO_SQUARE: u8 = 64;
/// Castling rights in the order of their bits.
const CASTLING: [(Color, CastlingSide); 4] = [
    (Color::White, CastlingSide::KingSide),
    (Color::White, CastlingSide::QueenSide),
    (Color::Black, CastlingSide::KingSide),
    (Color::Black, CastlingSide::QueenSide),
];

/// The side whose view a score or a result takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Positive is good for white.
    White,
    /// Positive is good for the side to move.
    Mover,
}

/// The labels of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// A score in centipawns, white's view, within [`Record::SCORE_LIMIT`]. A mate in n moves is that limit less n.
    pub score: Option<i16>,
    /// The game's result, white's view.
    pub result: Option<Score>,
    /// The number of the game.
    pub game: u32,
}

/// Why a position cannot be stored or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The position is not legal in chess: it has wrong kings, or the side not to move is in check.
    #[error("this is not a position of chess: {0}")]
    Illegal(String),
    /// More than 32 pieces.
    #[error("there are {0} pieces on the board: expected at most 32")]
    Crowded(usize),
}

/// A position with its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record([u8; BYTES]);

impl Record {
    /// The size of a record in bytes.
    pub const BYTES: usize = BYTES;
    /// The largest score, in centipawns: a proven win.
    pub const SCORE_LIMIT: i16 = 32_000;

    /// Makes the record of a position with its labels.
    ///
    /// # Errors
    /// [`RecordError::Crowded`].
    pub fn new(position: &Chess, labels: &Labels) -> Result<Self, RecordError> {
        let setup = position.to_setup(EnPassantMode::Legal);
        let occupied = setup.board.occupied();
        if occupied.count() > 32 {
            return Err(RecordError::Crowded(occupied.count()));
        }
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&occupied.0.to_le_bytes());
        for (at, square) in occupied.into_iter().enumerate() {
            if let Some(piece) = setup.board.piece_at(square) {
                bytes[8 + at / 2] |= nibble(piece) << (4 * (at % 2));
            }
        }
        bytes[24] = flags(&setup, position, labels);
        bytes[25] = setup.ep_square.map_or(NO_SQUARE, |square| square as u8);
        let score = labels.score.unwrap_or(0).clamp(-Self::SCORE_LIMIT, Self::SCORE_LIMIT);
        bytes[26..28].copy_from_slice(&score.to_le_bytes());
        bytes[28] = labels.result.unwrap_or(Score::Draw) as u8;
        bytes[29] = setup.halfmoves.min(255) as u8;
        bytes[30..32].copy_from_slice(&(setup.fullmoves.get().min(65_535) as u16).to_le_bytes());
        bytes[32..].copy_from_slice(&labels.game.to_le_bytes());
        Ok(Self(bytes))
    }

    /// Makes a record from stored bytes.
    pub fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes as stored.
    pub fn as_bytes(&self) -> &[u8; BYTES] {
        &self.0
    }

    /// The labels.
    pub fn labels(&self) -> Labels {
        let score = i16::from_le_bytes([self.0[26], self.0[27]]);
        let result = match self.0[28] {
            0 => Score::Loss,
            2 => Score::Win,
            _ => Score::Draw,
        };
        Labels {
            score: (self.0[24] & HAS_SCORE != 0).then_some(score),
            result: (self.0[24] & HAS_RESULT != 0).then_some(result),
            game: u32::from_le_bytes([self.0[32], self.0[33], self.0[34], self.0[35]]),
        }
    }

    /// Returns the same position with other labels.
    #[must_use]
    pub fn with_labels(&self, labels: &Labels) -> Self {
        let mut bytes = self.0;
        bytes[24] = bytes[24] & !(HAS_SCORE | HAS_RESULT) | label_flags(labels);
        let score = labels.score.unwrap_or(0).clamp(-Self::SCORE_LIMIT, Self::SCORE_LIMIT);
        bytes[26..28].copy_from_slice(&score.to_le_bytes());
        bytes[28] = labels.result.unwrap_or(Score::Draw) as u8;
        bytes[32..].copy_from_slice(&labels.game.to_le_bytes());
        Self(bytes)
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        Color::from_white(self.0[24] & 1 == 0)
    }

    /// The number of the move, from 1.
    pub fn fullmove(&self) -> u16 {
        u16::from_le_bytes([self.0[30], self.0[31]])
    }

    /// All pieces with their squares, from a1 to h8.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        let squares = Bitboard(u64::from_le_bytes(std::array::from_fn(|at| self.0[at])));
        squares.into_iter().take(32).enumerate().filter_map(|(at, square)| {
            let code = self.0[8 + at / 2] >> (4 * (at % 2)) & 15;
            let role = *Role::ALL.get(usize::from(code & 7))?;
            Some((square, Piece { color: Color::from_white(code < 8), role }))
        })
    }

    /// The position.
    ///
    /// # Errors
    /// [`RecordError::Illegal`] for a damaged record.
    pub fn position(&self) -> Result<Chess, RecordError> {
        let board: Board = self.pieces().collect();
        let setup = Setup {
            castling_rights: self.castling(&board),
            board,
            turn: self.turn(),
            ep_square: Square::try_from(u32::from(self.0[25])).ok(),
            halfmoves: u32::from(self.0[29]),
            fullmoves: NonZeroU32::new(u32::from(self.fullmove())).unwrap_or(NonZeroU32::MIN),
            ..Setup::empty()
        };
        legal(setup)
    }

    /// The rooks that may castle: for each right, the outermost rook on that side of the king.
    fn castling(&self, board: &Board) -> Bitboard {
        let mut rooks = Bitboard::EMPTY;
        for (bit, (color, side)) in (1..).zip(CASTLING) {
            if self.0[24] >> bit & 1 == 0 {
                continue;
            }
            let home = Bitboard::from(color.fold_wb(Rank::First, Rank::Eighth)) & board.by_color(color);
            let Some(king) = (home & board.kings()).first() else { continue };
            let beside = (home & board.rooks())
                .into_iter()
                .filter(|rook| CastlingSide::from_king_side(rook.file() > king.file()) == side);
            let outermost = if side.is_king_side() { beside.max() } else { beside.min() };
            rooks |= outermost.map_or(Bitboard::EMPTY, Bitboard::from);
        }
        rooks
    }
}

/// Parses a position from a FEN, or from the four fields of an EPD.
///
/// # Errors
/// [`RecordError::Illegal`] if the text is not a FEN, or the position is not legal in chess.
pub fn parse_fen(text: &str) -> Result<Chess, RecordError> {
    let fen: Fen =
        text.parse().map_err(|error: shakmaty::fen::ParseFenError| RecordError::Illegal(error.to_string()))?;
    legal(fen.into_setup())
}

/// Makes a playable position; drops a wrong en passant square or castling right, as other readers do.
fn legal(setup: Setup) -> Result<Chess, RecordError> {
    Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .map_err(|error| RecordError::Illegal(error.to_string()))
}

fn nibble(piece: Piece) -> u8 {
    piece.role as u8 - 1 + 8 * u8::from(piece.color.is_black())
}

fn flags(setup: &Setup, position: &Chess, labels: &Labels) -> u8 {
    let castling = (1..).zip(CASTLING).filter(|(_, (color, side))| position.castles().has(*color, *side));
    let rights: u8 = castling.map(|(bit, _)| 1 << bit).sum();
    u8::from(setup.turn.is_black()) | rights | label_flags(labels)
}

fn label_flags(labels: &Labels) -> u8 {
    let score = if labels.score.is_some() { HAS_SCORE } else { 0 };
    let result = if labels.result.is_some() { HAS_RESULT } else { 0 };
    score | result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_back() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w Qk - 3 17",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "8/8/4k3/8/8/3K4/8/8 b - - 99 140",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b GBgb - 0 9",
        ] {
            let position = parse_fen(fen).unwrap();
            for labels in [
                Labels { score: Some(-1_234), result: Some(Score::Win), game: 70_000 },
                Labels { score: None, result: Some(Score::Loss), game: 0 },
                Labels { score: Some(32_000), result: None, game: u32::MAX },
                Labels::default(),
            ] {
                let record = Record::new(&position, &labels).unwrap();
                let read = Record::from_bytes(*record.as_bytes());
                assert_eq!((read.position().unwrap(), read.labels()), (position.clone(), labels), "{fen}");
                assert_eq!(Record::new(&position, &Labels::default()).unwrap().with_labels(&labels), record);
            }
        }
    }

    #[test]
    fn what_is_no_position_is_refused() {
        for fen in
            ["", "8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/KK5k w - - 0 1", "k1R5/8/8/8/8/8/8/K7 w - - 0 1", "x"]
        {
            assert!(parse_fen(fen).is_err(), "{fen}");
        }
        assert!(Record::from_bytes([0xff; BYTES]).position().is_err());
        assert!(Record::from_bytes([0; BYTES]).position().is_err());
    }
}
