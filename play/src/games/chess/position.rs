//! A position of chess or a variant: the state that `shakmaty` keeps, and the history that repetition needs.

use crate::game::RuleEnding;
use record::{DrawRule, Side, WinRule};
use shakmaty::fen::Fen;
use shakmaty::variant::VariantPosition;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{
    CastlingMode, CastlingSide, Color, EnPassantMode, KnownOutcome, Move, MoveList, Outcome, Position as _,
};
use std::fmt;

/// The number of plies without a capture or a pawn move for a draw by the fifty-move rule.
const FIFTY_MOVES: u32 = 100;

/// The number of occurrences of a position for a draw by repetition.
const REPETITIONS: usize = 3;

/// A position with its history.
#[derive(Clone, Debug)]
pub struct ChessPosition {
    pub(super) board: VariantPosition,
    /// Hashes of all positions since the last irreversible move, the current one's last.
    seen: Vec<u64>,
}

pub(super) fn side(color: Color) -> Side {
    color.fold_wb(Side::First, Side::Second)
}

impl ChessPosition {
    pub(super) fn new(board: VariantPosition) -> Self {
        let seen = vec![hash(&board)];
        Self { board, seen }
    }

    /// The position without its history, if the game is chess or Chess960.
    pub fn as_chess(&self) -> Option<&shakmaty::Chess> {
        match &self.board {
            VariantPosition::Chess(chess) => Some(chess),
            _ => None,
        }
    }

    /// The position without its history, if the game is crazyhouse.
    pub fn as_crazyhouse(&self) -> Option<&shakmaty::variant::Crazyhouse> {
        match &self.board {
            VariantPosition::Crazyhouse(position) => Some(position),
            _ => None,
        }
    }

    /// The number of pieces on the board, pawns and kings included.
    pub fn pieces(&self) -> usize {
        self.board.board().occupied().count()
    }

    /// All legal moves, in unspecified order.
    pub fn legal_moves(&self) -> MoveList {
        self.board.legal_moves()
    }

    /// How castling is written and which kinds there are.
    pub fn castling(&self) -> CastlingMode {
        self.board.castles().mode()
    }

    /// The FEN with the castling field of X-FEN (`KQkq` where it is clear which rook is meant), which most programs
    /// read. The [`Display`](fmt::Display) text has Shredder-FEN's field instead in Chess960.
    pub fn x_fen(&self) -> String {
        Fen::from_position(&self.board, EnPassantMode::Legal).to_string()
    }

    pub(super) fn play(&mut self, mv: Move) {
        if self.board.is_irreversible(mv) {
            self.seen.clear();
        }
        self.board.play_unchecked(mv);
        self.seen.push(hash(&self.board));
    }

    pub(super) fn ending(&self) -> Option<RuleEnding> {
        self.variant_ending().or_else(|| self.ending_without_moves()).or_else(|| self.draw().map(RuleEnding::Draw))
    }

    fn variant_ending(&self) -> Option<RuleEnding> {
        match self.board.variant_outcome() {
            Outcome::Known(KnownOutcome::Decisive { winner }) => {
                Some(RuleEnding::Win { winner: side(winner), by: WinRule::Variant })
            }
            Outcome::Known(KnownOutcome::Draw) => Some(RuleEnding::Draw(DrawRule::Variant)),
            Outcome::Unknown => None,
        }
    }

    fn ending_without_moves(&self) -> Option<RuleEnding> {
        let mated = || RuleEnding::Win { winner: side(!self.board.turn()), by: WinRule::Checkmate };
        let ending = || if self.board.is_check() { mated() } else { RuleEnding::Draw(DrawRule::Stalemate) };
        self.board.legal_moves().is_empty().then(ending)
    }

    fn draw(&self) -> Option<DrawRule> {
        if self.board.is_insufficient_material() {
            Some(DrawRule::InsufficientMaterial)
        } else if self.is_repeated() {
            Some(DrawRule::Repetition)
        } else if self.board.halfmoves() >= FIFTY_MOVES {
            Some(DrawRule::FiftyMoves)
        } else {
            None
        }
    }

    fn is_repeated(&self) -> bool {
        let Some(now) = self.seen.last() else { return false };
        // The side to move alternates, so only every second position can be the same.
        self.seen.iter().rev().step_by(2).filter(|hash| *hash == now).count() >= REPETITIONS
    }

    /// Whether some move ends the game in favour of the side that makes it.
    pub(super) fn wins_at_once(&self) -> bool {
        let win = Outcome::Known(KnownOutcome::Decisive { winner: self.board.turn() });
        self.board.legal_moves().into_iter().any(|mv| {
            let mut after = self.board.clone();
            after.play_unchecked(mv);
            after.outcome() == win
        })
    }

    /// The castling field of Shredder-FEN: the files of the rooks.
    fn castling_files(&self) -> String {
        let castles = self.board.castles();
        let mut field = String::new();
        for color in [Color::White, Color::Black] {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                if let Some(rook) = castles.rook(color, side) {
                    let file = rook.file().char();
                    field.push(color.fold_wb(file.to_ascii_uppercase(), file));
                }
            }
        }
        if field.is_empty() { "-".to_owned() } else { field }
    }
}

/// Equal for positions that count as the same for repetition: an en passant capture counts only if it is legal.
fn hash(board: &VariantPosition) -> u64 {
    board.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

impl fmt::Display for ChessPosition {
    /// Writes the FEN; in Chess960 a Shredder-FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = self.x_fen();
        if self.castling() == CastlingMode::Standard {
            return f.write_str(&fen);
        }
        let mut fields = fen.splitn(4, ' ');
        for field in fields.by_ref().take(2) {
            write!(f, "{field} ")?;
        }
        f.write_str(&self.castling_files())?;
        fields.skip(1).try_for_each(|rest| write!(f, " {rest}"))
    }
}
