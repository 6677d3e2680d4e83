//! The records of bullet for chess, `ChessBoard` of the crate `bulletformat`, as documented there: 32 bytes, little
//! endian.
//!
//! ```text
//!  0  u64  occupied squares, bit 0 = a1, bit 63 = h8
//!  8  16B  the pieces on them, in the order of bits, four bits each, the low half of a byte first: pawn 0 to king 5,
//!          +8 if the opponent's
//! 24  i16  score in centipawns
//! 26  u8   result: loss 0, draw 1, win 2
//! 27  u8   square of the own king
//! 28  u8   square of the opponent's king, as the opponent sees it: 63 = h1 for them, so its number XOR 56
//! 29  3B   0
//! ```
//!
//! Everything is in the view of the side to move: if Black is to move, ranks are flipped, colours are swapped, and
//! score and result are Black's. The record lacks the side to move, castling rights, en passant, the counters and the
//! move played. A position read back has White to move.

use super::super::labelled::Labelled;
use super::{FormatInfo, Input, ReadError};
use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, FromSetup, Piece, Position, Role, Setup, Square};
use stats::Score;
use std::io::{self, Write};

/// The size of a record in bytes.
pub const BYTES: usize = 32;
/// Flips ranks.
const FLIP: u8 = 56;
/// Added to the pieces of the opponent.
const OPPONENT: u8 = 8;

pub(super) const FORMAT: FormatInfo = FormatInfo { is_text: false, has_plies: false, write, next };

fn next(input: &mut Input<'_>) -> Result<Option<Labelled>, ReadError> {
    if input.bytes.fill_buf()?.is_empty() {
        return Ok(None);
    }
    *input.read += 1;
    let mut record = [0; BYTES];
    input.bytes.read_exact(&mut record).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => input.wrong(format!("the file ends within its {BYTES} bytes")),
        _ => error.into(),
    })?;
    read(&record).map(Some).map_err(|why| input.wrong(why))
}

fn write(of: &Labelled, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&record(of))
}

/// The record of a position.
pub fn record(of: &Labelled) -> [u8; BYTES] {
    let mut board = of.position.board().clone();
    let mover = of.position.turn();
    if mover.is_black() {
        board.flip_vertical();
    }
    let occupied = board.occupied();
    let mut bytes = [0; BYTES];
    bytes[..8].copy_from_slice(&occupied.0.to_le_bytes());
    for (at, square) in occupied.into_iter().enumerate() {
        if let Some(Piece { color, role }) = board.piece_at(square) {
            let code = role as u8 - 1 + if color == mover { 0 } else { OPPONENT };
            bytes[8 + at / 2] |= code << (4 * (at % 2));
        }
    }
    let (score, result) = of.for_mover();
    bytes[24..26].copy_from_slice(&score.to_le_bytes());
    bytes[26] = result as u8;
    let king = |color| board.king_of(color).map_or(0, |square| square as u8);
    bytes[27] = king(mover);
    bytes[28] = king(!mover) ^ FLIP;
    bytes
}

/// Reads a record as a position with White to move.
///
/// # Errors
/// A description of the error.
pub(super) fn read(bytes: &[u8; BYTES]) -> Result<Labelled, String> {
    let occupied = Bitboard(u64::from_le_bytes(std::array::from_fn(|at| bytes[at])));
    if occupied.count() > 32 {
        return Err(format!("{} squares are occupied: expected at most 32", occupied.count()));
    }
    let mut board = Board::empty();
    for (at, square) in occupied.into_iter().enumerate() {
        let code = bytes[8 + at / 2] >> (4 * (at % 2)) & 15;
        let role = Role::ALL.get(usize::from(code & 7)).ok_or_else(|| format!("{code} is not a piece"))?;
        board.set_piece_at(square, Piece { color: Color::from_white(code < OPPONENT), role: *role });
    }
    let kings = [bytes[27], bytes[28] ^ FLIP].map(|square| Square::try_from(u32::from(square)).ok());
    if kings != [board.king_of(Color::White), board.king_of(Color::Black)] {
        return Err("its kings are not where its board has them".to_owned());
    }
    let result = Score::ALL.get(usize::from(bytes[26]));
    let result = *result.ok_or_else(|| format!("{} is not a result: expected 0, 1 or 2", bytes[26]))?;
    let setup = Setup { board, ..Setup::empty() };
    let position = Chess::from_setup(setup, CastlingMode::Standard).map_err(|error| error.to_string())?;
    Ok(Labelled { position, score: i16::from_le_bytes([bytes[24], bytes[25]]), result, played: None })
}
