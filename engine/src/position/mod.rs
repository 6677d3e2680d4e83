//! A position: board, hands, side to move, plies made, key; making moves; the end of the game.
//!
//! Move generation is in `movegen`, texts are in `position::text` and `notation`. A position has no evaluation and no
//! history (the game has no repetition rule).

mod pieces;
mod text;

pub use text::ParsePositionError;

use crate::{zobrist, Bitboard, Move, MoveKind, Piece, Setup, Side, Square};

/// Number of plies, setups included, after which a game in which no wazir was captured is a draw.
pub const PLY_LIMIT: u16 = 102;

/// A position of the game.
///
/// A small `Copy` value of less than three cache lines: a search makes moves on copies and never undoes them
/// (copy-make). Measured with perft, every leaf made, copy-make was 1.15 to 1.25 times as fast as make and unmake on
/// the same structure. The array of pieces by square (mailbox) beside the bitboards made it up to 8% faster, never
/// slower.
///
/// ```
/// use engine::{parse_move, Outcome, Position, Side};
///
/// let mut position: Position =
///     "W......./......../......../......../......../......../.......A/.....w.. \
///      AAAAAAADDDDFFNaaaaaaaaddddffn r 40".parse()?;
/// assert!(!position.is_legal(parse_move(&position, "a1c3")?), "a wazir does not leap like that");
/// position.play(parse_move(&position, "Dh4")?);
/// assert!(position.in_check());
/// for text in ["dc3", "h4h6"] {
///     assert_eq!(position.outcome(), None);
///     position.play(parse_move(&position, text)?);
/// }
/// assert_eq!(position.outcome(), Some(Outcome::Win(Side::Red)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    sides: [Bitboard; 2],
    kinds: [Bitboard; 5],
    board: [Option<Piece>; 64],
    /// By side; one byte per kind, the alfil's lowest.
    hands: [u32; 2],
    key: u64,
    plies: u16,
}

/// How a game ended by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side captured the enemy wazir.
    Win(Side),
    /// Neither side won.
    Draw(DrawReason),
}

/// Why a game is a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawReason {
    /// [`PLY_LIMIT`] plies have been made.
    PlyLimit,
    /// The side to move has no legal move; possible only in theory.
    NoMove,
}

/// What [`Position::play`] changed, for incremental evaluation.
///
/// A captured piece leaves `to` and goes to the mover's hand, unless it is a wazir. The position has the hand counts
/// after the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveDelta {
    /// The mover's sixteen pieces appeared on its home rows.
    Setup {
        /// The mover.
        side: Side,
        /// Its pieces, in order of the squares of [`Side::home`].
        setup: Setup,
    },
    /// A piece went from one square to another.
    Jump {
        /// The mover.
        side: Side,
        /// The kind that moved.
        piece: Piece,
        /// Its origin.
        from: Square,
        /// Its target.
        to: Square,
        /// The captured kind, which has left the board and, unless it is a wazir, is in the mover's hand.
        captured: Option<Piece>,
    },
    /// A piece went from the mover's hand to the board.
    Drop {
        /// The mover.
        side: Side,
        /// The kind that was dropped.
        piece: Piece,
        /// Its target.
        to: Square,
    },
}

impl Position {
    /// The start of a game: an empty board, red to place its setup.
    pub const fn new() -> Self {
        Self {
            sides: [Bitboard::EMPTY; 2],
            kinds: [Bitboard::EMPTY; 5],
            board: [None; 64],
            hands: [0; 2],
            key: 0,
            plies: 0,
        }
    }

    /// The side to move: red if the number of plies made is even.
    #[inline]
    pub const fn side_to_move(&self) -> Side {
        Side::to_move_after(self.plies)
    }

    /// The number of plies made, setups included: 0 to [`PLY_LIMIT`].
    pub const fn plies(&self) -> u16 {
        self.plies
    }

    /// The Zobrist key of board, hands and side to move; the number of plies is not part of it.
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The piece on a square and its side.
    pub fn piece_at(&self, square: Square) -> Option<(Side, Piece)> {
        let side = Side::ALL.into_iter().find(|&side| self.side_pieces(side).contains(square))?;
        Some((side, self.kind_on(square)))
    }

    /// The number of pieces of a kind that `side` has in hand; 0 for the wazir.
    #[inline]
    pub fn hand(&self, side: Side, piece: Piece) -> u8 {
        (u64::from(self.hands[side.index()]) >> (8 * piece.index())) as u8
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    /// The squares of the pieces of one side.
    #[inline]
    pub const fn side_pieces(&self, side: Side) -> Bitboard {
        self.sides[side.index()]
    }

    /// The squares of the pieces of one kind, of both sides.
    #[inline]
    pub const fn kind_pieces(&self, piece: Piece) -> Bitboard {
        self.kinds[piece.index()]
    }

    /// The squares of the pieces of one kind of one side.
    #[inline]
    pub fn pieces(&self, side: Side, piece: Piece) -> Bitboard {
        self.side_pieces(side) & self.kind_pieces(piece)
    }

    /// The square of the wazir of `side`; `None` before it is placed and after it is captured.
    #[inline]
    pub fn wazir(&self, side: Side) -> Option<Square> {
        self.pieces(side, Piece::Wazir).first()
    }

    /// How the game ended, or `None` while it is in progress.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.plies < 2 {
            None
        } else if let Some(loser) = Side::ALL.into_iter().find(|&side| self.wazir(side).is_none()) {
            Some(Outcome::Win(!loser))
        } else if self.plies >= PLY_LIMIT {
            Some(Outcome::Draw(DrawReason::PlyLimit))
        } else if !self.has_legal_move() {
            Some(Outcome::Draw(DrawReason::NoMove))
        } else {
            None
        }
    }

    /// Whether both setups are placed, no wazir is captured and the ply limit is not reached.
    #[inline]
    pub(crate) fn is_in_play(&self) -> bool {
        self.plies >= 2 && self.plies < PLY_LIMIT && self.kind_pieces(Piece::Wazir).count() == 2
    }

    /// Whether `mv` is legal here. Accepts any move; takes constant time.
    pub fn is_legal(&self, mv: Move) -> bool {
        let side = self.side_to_move();
        match mv.kind() {
            MoveKind::Setup(_) => self.plies < 2,
            MoveKind::Drop { piece, to } => {
                self.is_in_play() && self.hand(side, piece) > 0 && !self.occupied().contains(to)
            }
            MoveKind::Jump { from, to } => {
                let own = self.side_pieces(side);
                self.is_in_play() && own.contains(from) && (self.kind_on(from).attacks(from) - own).contains(to)
            }
        }
    }

    /// Makes a move and returns what it changed.
    ///
    /// The move must be legal (see [`Position::is_legal`]); an illegal one leaves an unspecified position.
    #[inline]
    pub fn play(&mut self, mv: Move) -> MoveDelta {
        debug_assert!(self.is_legal(mv), "{mv:?} in {self}");
        let side = self.side_to_move();
        let delta = match mv.kind() {
            MoveKind::Jump { from, to } => self.jump(side, from, to),
            MoveKind::Drop { piece, to } => {
                self.take_from_hand(side, piece);
                self.put(side, piece, to);
                MoveDelta::Drop { side, piece, to }
            }
            MoveKind::Setup(setup) => {
                self.place(side, &setup);
                MoveDelta::Setup { side, setup }
            }
        };
        self.play_null();
        delta
    }

    /// Makes a null move: gives the turn to the opponent. Not legal in a game; counts as a ply.
    #[inline]
    pub fn play_null(&mut self) {
        self.plies += 1;
        self.key ^= zobrist::side();
    }

    #[inline]
    fn jump(&mut self, side: Side, from: Square, to: Square) -> MoveDelta {
        let piece = self.kind_on(from);
        let captured = if self.side_pieces(!side).contains(to) { Some(self.kind_on(to)) } else { None };
        if let Some(captured) = captured {
            self.sides[(!side).index()] ^= to.bitboard();
            self.kinds[captured.index()] ^= to.bitboard();
            self.key ^=
                zobrist::board(!side, captured, to) ^ zobrist::hand_step(side, captured, self.hand(side, captured));
            self.hands[side.index()] = add(self.hands[side.index()], captured, 1);
        }
        let both = from.bitboard() | to.bitboard();
        self.sides[side.index()] ^= both;
        self.kinds[piece.index()] ^= both;
        self.key ^= zobrist::board(side, piece, from) ^ zobrist::board(side, piece, to);
        self.board[from.index()] = None;
        self.board[to.index()] = Some(piece);
        MoveDelta::Jump { side, piece, from, to, captured }
    }

    #[inline(never)]
    fn place(&mut self, side: Side, setup: &Setup) {
        for (square, &piece) in side.home().iter().zip(setup.pieces()) {
            self.put(side, piece, square);
        }
    }

    /// The kind of the piece on an occupied square.
    #[inline]
    pub(crate) fn kind_on(&self, square: Square) -> Piece {
        self.board[square.index()].unwrap_or(Piece::Alfil)
    }

    #[inline]
    fn put(&mut self, side: Side, piece: Piece, square: Square) {
        self.sides[side.index()] ^= square.bitboard();
        self.kinds[piece.index()] ^= square.bitboard();
        self.key ^= zobrist::board(side, piece, square);
        self.board[square.index()] = Some(piece);
    }

    #[inline]
    fn take_from_hand(&mut self, side: Side, piece: Piece) {
        let hand = &mut self.hands[side.index()];
        *hand = hand.saturating_sub(1 << (8 * piece.index()));
        self.key ^= zobrist::hand_step(side, piece, self.hand(side, piece));
    }
}

/// The hand with `count` more of a kind. A captured wazir is dropped: its byte is truncated.
#[inline]
fn add(hand: u32, piece: Piece, count: u64) -> u32 {
    (u64::from(hand) + (count << (8 * piece.index()))) as u32
}

impl Default for Position {
    fn default() -> Self {
        Self::new()
    }
}
