//! One position with its labels in 38 bytes, little endian.
//!
//! All 32 pieces of both sides are always on the board or in a hand, so each kind needs one nibble and each square one
//! bit. This module owns the layout and its inverse. [`block`](super::block) defines blocks of records.
//!
//! ```text
//!  0  u64  occupied squares, bit = index of the square
//!  8  16B  32 nibbles, the low one of a byte first: side x 5 + kind of the pieces on the occupied squares in order of
//!          squares,
//!          then of the pieces in hand: red's before blue's, and of a side alfils, dabbabas, ferzes, knights
//! 24  u8   plies made; the side to move is red if they are even
//! 25  u8   bits 0 and 1: the game's result for the side to move (0 loss, 1 draw, 2 win); the others are 0
//! 26  i16  score for the side to move, 1/1,000 logit
//! 28  u16  code of the move that was played
//! 30  u32  nodes that the search took
//! 34  u32  number of the game in its run
//! ```

use engine::{Bitboard, Move, ParsePositionError, Piece, Position, Side, Square};
use stats::Score;

/// A position and its labels, as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record([u8; Self::BYTES]);

/// The labels of a position from a search and from the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The game's result for the side to move.
    pub result: Score,
    /// The search's score for the side to move, in 1/1,000 logit, within [`Record::SCORE_LIMIT`].
    pub score: i16,
    /// The move played: a jump or a drop.
    pub best: Move,
    /// The number of nodes that the search took, saturating.
    pub nodes: u32,
    /// The number of the game in its run, from 0.
    pub game: u32,
}

/// Why bytes are not a valid record, or a position cannot be stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The game is over, or setups are still to be placed.
    #[error(
        "the position after {plies} plies is not one of a game in which both setups are placed and neither side has won"
    )]
    NotInPlay {
        /// The number of plies made.
        plies: u16,
    },
    /// The move is a setup.
    #[error("its move is neither a jump nor a drop")]
    Move,
    /// There are not 32 pieces, or a nibble is not a piece.
    #[error("its pieces are not those of a game")]
    Pieces,
    /// Reserved bits are not zero.
    #[error("its flags are {found:#04x}: the result is 0, 1 or 2, and the other bits are 0")]
    Flags {
        /// The byte.
        found: u8,
    },
    /// The score exceeds the limit.
    #[error("its score is {found}, beyond the limit of 32,000")]
    Score {
        /// The score.
        found: i16,
    },
    /// The position cannot occur in a game.
    #[error("{0}")]
    Position(ParsePositionError),
    /// The move is not legal in the position.
    #[error("its move is not legal")]
    IllegalMove,
    /// The visit shares cannot come from a search.
    #[error("its visit shares are not of legal moves, each once, in falling order, and 1 at most together")]
    Visits,
}

/// The number of pieces of both sides.
const PIECES: usize = 32;

impl Record {
    /// The size of a record in bytes.
    pub const BYTES: usize = 38;
    /// The largest absolute score: 32 logits.
    pub const SCORE_LIMIT: i16 = 32_000;

    /// Makes the record of a position in play, its score clamped to [`Record::SCORE_LIMIT`].
    ///
    /// # Errors
    /// [`RecordError::NotInPlay`] and [`RecordError::Move`].
    pub fn new(position: &Position, labels: &Labels) -> Result<Self, RecordError> {
        let best = u16::try_from(labels.best.code()).map_err(|_| RecordError::Move)?;
        if labels.best.to().is_none() {
            return Err(RecordError::Move);
        }
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&position.occupied().0.to_le_bytes());
        put_pieces(position, &mut bytes)?;
        bytes[24] = position.plies() as u8;
        bytes[25] = labels.result as u8;
        let score = labels.score.clamp(-Self::SCORE_LIMIT, Self::SCORE_LIMIT);
        bytes[26..28].copy_from_slice(&score.to_le_bytes());
        bytes[28..30].copy_from_slice(&best.to_le_bytes());
        bytes[30..34].copy_from_slice(&labels.nodes.to_le_bytes());
        bytes[34..38].copy_from_slice(&labels.game.to_le_bytes());
        Ok(Self(bytes))
    }

    /// Makes a record from bytes without checking them: see [`Record::check`].
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes as stored.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// All occupied squares.
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(u64::from_le_bytes(self.field(0)))
    }

    /// The pieces on the board, in order of squares. Invalid pieces of a damaged record are skipped.
    #[inline]
    pub fn board(&self) -> impl Iterator<Item = (Square, Side, Piece)> + '_ {
        let on_board = self.occupied().iter().zip(self.nibbles());
        on_board.filter_map(|(square, nibble)| piece_of(nibble).map(|(side, piece)| (square, side, piece)))
    }

    /// The number of pieces in hand, by side and by kind except the wazir.
    #[inline]
    pub fn hands(&self) -> [[u8; 4]; 2] {
        let mut hands = [[0; 4]; 2];
        for nibble in self.nibbles().skip(self.occupied().count() as usize) {
            if let Some((side, piece)) = piece_of(nibble)
                && let Some(count) = hands[side.index()].get_mut(piece.index())
            {
                *count += 1;
            }
        }
        hands
    }

    /// The number of plies made.
    #[inline]
    pub const fn ply(&self) -> u8 {
        self.0[24]
    }

    /// The side to move.
    #[inline]
    pub const fn side_to_move(&self) -> Side {
        Side::to_move_after(self.ply() as u16)
    }

    /// The game's result for the side to move.
    #[inline]
    pub const fn result(&self) -> Score {
        match self.0[25] & 3 {
            0 => Score::Loss,
            2 => Score::Win,
            _ => Score::Draw,
        }
    }

    /// The score for the side to move, in 1/1,000 logit.
    #[inline]
    pub const fn score(&self) -> i16 {
        i16::from_le_bytes(self.field(26))
    }

    /// The move played; `None` in a damaged record.
    pub const fn best(&self) -> Option<Move> {
        Move::from_code(u16::from_le_bytes(self.field(28)) as u32)
    }

    /// The number of nodes that the search took.
    pub const fn nodes(&self) -> u32 {
        u32::from_le_bytes(self.field(30))
    }

    /// The number of the game in its run.
    #[inline]
    pub const fn game(&self) -> u32 {
        u32::from_le_bytes(self.field(34))
    }

    /// The position.
    ///
    /// # Errors
    /// For bytes that do not encode a position in play.
    pub fn position(&self) -> Result<Position, RecordError> {
        let kinds_known = self.nibbles().all(|nibble| piece_of(nibble).is_some());
        if !kinds_known || self.occupied().count() as usize > PIECES || !self.hands_in_order() {
            return Err(RecordError::Pieces);
        }
        let plies = u16::from(self.ply());
        let mut board = [None; 64];
        self.board().for_each(|(square, side, piece)| board[square.index()] = Some((side, piece)));
        let position = Position::from_pieces(&board, self.hands(), plies).map_err(RecordError::Position)?;
        if in_play(&position) { Ok(position) } else { Err(RecordError::NotInPlay { plies }) }
    }

    /// Checks every field of the record.
    ///
    /// # Errors
    /// The first error found.
    pub fn check(&self) -> Result<(), RecordError> {
        let position = self.position()?;
        if self.0[25] > 2 {
            return Err(RecordError::Flags { found: self.0[25] });
        }
        if self.score().unsigned_abs() > Self::SCORE_LIMIT.unsigned_abs() {
            return Err(RecordError::Score { found: self.score() });
        }
        let best = self.best().ok_or(RecordError::Move)?;
        if position.is_legal(best) { Ok(()) } else { Err(RecordError::IllegalMove) }
    }

    #[inline]
    fn nibbles(&self) -> impl Iterator<Item = u8> + '_ {
        self.0[8..24].iter().flat_map(|byte| [byte & 15, byte >> 4])
    }

    /// Whether the pieces in hand are in the canonical order that makes a position's record unique, without a wazir.
    fn hands_in_order(&self) -> bool {
        let held: Vec<u8> = self.nibbles().skip(self.occupied().count() as usize).collect();
        held.is_sorted() && !held.iter().any(|&nibble| nibble % 5 == Piece::Wazir.index() as u8)
    }

    #[inline]
    const fn field<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut field = [0; N];
        let mut i = 0;
        while i < N {
            field[i] = self.0[at + i];
            i += 1;
        }
        field
    }
}

#[inline]
const fn piece_of(nibble: u8) -> Option<(Side, Piece)> {
    let side = if nibble < 5 { Side::Red } else { Side::Blue };
    match Piece::from_index((nibble as usize) % 5) {
        Some(piece) if nibble < 10 => Some((side, piece)),
        _ => None,
    }
}

fn in_play(position: &Position) -> bool {
    (2..engine::PLY_LIMIT).contains(&position.plies())
        && Side::ALL.into_iter().all(|side| position.wazir(side).is_some())
}

fn put_pieces(position: &Position, bytes: &mut [u8; Record::BYTES]) -> Result<(), RecordError> {
    let not_in_play = RecordError::NotInPlay { plies: position.plies() };
    if !in_play(position) {
        return Err(not_in_play);
    }
    let on_board = position.occupied().iter().filter_map(|square| position.piece_at(square));
    let held = Side::ALL.into_iter().flat_map(|side| {
        let kinds = Piece::DROPPABLE.into_iter();
        kinds.flat_map(move |piece| (0..position.hand(side, piece)).map(move |_| (side, piece)))
    });
    let mut at = 0;
    for (side, piece) in on_board.chain(held) {
        let Some(byte) = bytes[8..24].get_mut(at / 2) else { return Err(not_in_play) };
        *byte |= ((side.index() * 5 + piece.index()) as u8) << (4 * (at % 2));
        at += 1;
    }
    if at == PIECES { Ok(()) } else { Err(not_in_play) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::walk;
    use super::*;
    use proptest::prelude::*;

    fn labels(best: Move) -> Labels {
        Labels { result: Score::Win, score: -1_234, best, nodes: 2_000, game: 70_000 }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn what_is_recorded_is_read_back(
            setups: [u32; 2], choices in proptest::collection::vec(any::<u32>(), 1..100),
            result in 0_usize..3, score: i16, nodes: u32, game: u32,
        ) {
            for (position, best) in walk(setups, &choices) {
                let labels = Labels { result: Score::ALL[result], score, best, nodes, game };
                let record = Record::new(&position, &labels).unwrap();
                prop_assert_eq!(record.position(), Ok(position));
                prop_assert_eq!(record.check(), Ok(()));
                prop_assert_eq!(record.side_to_move(), position.side_to_move());
                let read = Labels {
                    result: record.result(), score: record.score(), best: record.best().unwrap(),
                    nodes: record.nodes(), game: record.game(),
                };
                let limit = Record::SCORE_LIMIT;
                prop_assert_eq!(read, Labels { score: score.clamp(-limit, limit), ..labels });
                prop_assert_eq!(Record::from_bytes(*record.as_bytes()), record);
            }
        }

        #[test]
        fn any_bytes_are_a_record_or_refused(bytes: [u8; 38]) {
            let record = Record::from_bytes(bytes);
            if let Ok(position) = record.position() {
                prop_assert!(position.outcome().is_none_or(|outcome| !matches!(outcome, engine::Outcome::Win(_))));
            }
            prop_assert!(record.board().count() <= 32);
        }

        #[test]
        fn a_record_changed_in_its_pieces_never_reads_as_the_same_position(
            setups: [u32; 2], choices in proptest::collection::vec(any::<u32>(), 1..60), bit in 0_usize..200,
        ) {
            let walked = walk(setups, &choices);
            let (position, best) = *walked.last().unwrap();
            let mut bytes = *Record::new(&position, &labels(best)).unwrap().as_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert_ne!(Record::from_bytes(bytes).position(), Ok(position));
        }
    }

    #[test]
    fn only_positions_in_play_have_records() {
        let start = Position::new();
        let best = Move::jump(Square::A1, Square::H8);
        assert_eq!(Record::new(&start, &labels(best)), Err(RecordError::NotInPlay { plies: 0 }));
        let (position, _) = walk([0, 0], &[0])[0];
        let setup = Move::setup_of_rank(9).unwrap();
        assert_eq!(Record::new(&position, &labels(setup)), Err(RecordError::Move));
        let late = Move::setup_of_rank(100_000).unwrap();
        assert_eq!(Record::new(&position, &labels(late)), Err(RecordError::Move));
    }

    #[test]
    fn labels_that_cannot_be_are_named() {
        let (position, best) = walk([5, 7], &[0])[0];
        let bytes = *Record::new(&position, &labels(best)).unwrap().as_bytes();
        let with = |at: usize, value: u8| {
            let mut bytes = bytes;
            bytes[at] = value;
            Record::from_bytes(bytes).check()
        };
        assert_eq!(with(25, 3), Err(RecordError::Flags { found: 3 }));
        assert_eq!(with(25, 4), Err(RecordError::Flags { found: 4 }));
        assert_eq!(with(27, 0x80), Err(RecordError::Score { found: i16::from_le_bytes([bytes[26], 0x80]) }));
        assert_eq!(with(29, 0x1f), Err(RecordError::Move));
        assert_eq!(with(28, bytes[28] ^ 0x3f), Err(RecordError::IllegalMove));
        assert!(matches!(with(24, 1), Err(RecordError::Position(ParsePositionError::Placement { plies: 1, .. }))));
        assert_eq!(with(8, 0xff), Err(RecordError::Pieces));
    }
}
