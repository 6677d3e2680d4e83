//! Chess, Chess960, crazyhouse and other variants, by the rules of the `shakmaty` library.
//!
//! One type covers all of them, so that code generic over games is compiled once. White is always the first side, also
//! where a start position has Black to move. In all variants, three kinds of draw apply without a claim: when a
//! position occurs for the third time, after fifty moves of each side without a capture or a pawn move (a checkmate
//! takes precedence), and when neither side can win any more.

mod codes;
mod move_text;
mod named;
mod position;
mod starts;
mod tables;
#[cfg(test)]
mod tests;

pub use move_text::read_move;
pub use position::ChessPosition;
pub use starts::{STARTS_960, Start960};
pub use tables::{FEWEST_MEN, TableError};

use super::GameKind;
use crate::game::{Game, OpeningName, RuleEnding};
use crate::random::Stream;
use position::side;
use record::Side;
use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{CastlingMode, Color, EnPassantMode, Move, Position as _, PositionErrorKinds, Role, Setup, Square};

/// Chess or one of its variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chess {
    variant: Variant,
    castling: CastlingMode,
}

impl Chess {
    /// The rules of a kind of game, if it is a kind of chess.
    pub fn of(kind: GameKind) -> Option<Self> {
        let variant = match kind {
            GameKind::ZeroPointOne | GameKind::Custom(_) => return None,
            GameKind::Chess | GameKind::Chess960 => Variant::Chess,
            GameKind::Crazyhouse | GameKind::Crazyhouse960 => Variant::Crazyhouse,
            GameKind::ThreeCheck => Variant::ThreeCheck,
            GameKind::KingOfTheHill => Variant::KingOfTheHill,
            GameKind::Atomic => Variant::Atomic,
            GameKind::Antichess => Variant::Antichess,
            GameKind::Horde => Variant::Horde,
            GameKind::RacingKings => Variant::RacingKings,
        };
        let castling = CastlingMode::from_chess960(matches!(kind, GameKind::Chess960 | GameKind::Crazyhouse960));
        Some(Self { variant, castling })
    }

    /// Whether castling may start from any squares and is written as king takes rook: engines need an option for it.
    pub fn is_chess960(self) -> bool {
        self.castling == CastlingMode::Chess960
    }

    /// The text of a start given by its number, for [`setup`](Game::setup).
    pub fn numbered_start(self, start: Start960) -> String {
        starts::text(start, self.variant == Variant::Crazyhouse)
    }

    /// The UCI options that an engine must have to play the game, with their values.
    pub fn uci_options(self) -> Vec<(&'static str, &'static str)> {
        let mut options = Vec::new();
        if self.variant != Variant::Chess {
            options.push(("UCI_Variant", self.variant.uci()));
        }
        if self.is_chess960() {
            options.push(("UCI_Chess960", "true"));
        }
        options
    }

    /// The variant's name in the XBoard protocol.
    pub fn xboard_variant(self) -> &'static str {
        match self.variant {
            Variant::Chess if self.is_chess960() => "fischerandom",
            Variant::Chess => "normal",
            other => other.uci(),
        }
    }

    fn position(self, setup: Setup) -> Result<ChessPosition, String> {
        VariantPosition::from_setup(self.variant, setup, self.castling).map(ChessPosition::new).map_err(|error| {
            let invalid_castling = error.kinds().contains(PositionErrorKinds::INVALID_CASTLING_RIGHTS);
            let advice = match self.variant {
                Variant::Chess if invalid_castling && !self.is_chess960() => " (should the game be chess960?)",
                _ => "",
            };
            format!("{error}{advice}")
        })
    }

    /// Refuses fields that belong to the FEN of another variant.
    fn check_fields(self, setup: &Setup) -> Result<(), String> {
        if setup.pockets.is_some() && self.variant != Variant::Crazyhouse {
            return Err("it has a pocket, which is for crazyhouse alone".to_owned());
        }
        if setup.remaining_checks.is_some() && self.variant != Variant::ThreeCheck {
            return Err("it counts checks, which is for three-check alone".to_owned());
        }
        Ok(())
    }
}

impl Game for Chess {
    type Position = ChessPosition;
    type Move = Move;

    fn start(&self) -> ChessPosition {
        let usual = VariantPosition::new(self.variant);
        // A usual start position is always valid.
        let setup = usual.to_setup(EnPassantMode::Legal);
        self.position(setup).unwrap_or_else(|_| ChessPosition::new(usual))
    }

    fn setup(&self, text: &str) -> Result<ChessPosition, String> {
        let refused = |why: &str| format!("`{text}` is not a position: {why}");
        let fen = read_fen(text).map_err(|error| refused(&error.to_string()))?;
        let setup = fen.into_setup();
        check_counters(text, &setup).map_err(|why| refused(&why))?;
        self.check_fields(&setup).and_then(|()| self.position(setup)).map_err(|why| refused(&why))
    }

    fn opening_name(position: &ChessPosition) -> Option<OpeningName> {
        named::of(position)
    }

    fn random_start(&self, stream: &mut Stream) -> Option<String> {
        self.is_chess960().then(|| self.numbered_start(Start960::same(stream.below(STARTS_960))))
    }

    fn side_to_move(position: &ChessPosition) -> Side {
        side(position.board.turn())
    }

    fn move_number(position: &ChessPosition) -> u32 {
        position.board.fullmoves().get()
    }

    fn ending(position: &ChessPosition) -> Option<RuleEnding> {
        position.ending()
    }

    fn is_legal(position: &ChessPosition, mv: Move) -> bool {
        position.board.is_legal(mv)
    }

    fn play(position: &mut ChessPosition, mv: Move) {
        position.play(mv);
    }

    fn is_progress(_position: &ChessPosition, mv: Move) -> bool {
        mv.is_zeroing()
    }

    fn is_irreversible(position: &ChessPosition, mv: Move) -> bool {
        position.board.is_irreversible(mv)
    }

    fn random_move(position: &ChessPosition, stream: &mut Stream) -> Option<Move> {
        let mut moves = position.legal_moves();
        let index = stream.below(moves.len() as u32) as usize;
        // By number, not as generated: a later version of the generator must not change the openings of old runs.
        (index < moves.len()).then(|| *moves.select_nth_unstable_by_key(index, |&mv| codes::code(mv)).1)
    }

    fn wins_at_once(position: &ChessPosition) -> bool {
        position.wins_at_once()
    }

    /// Judges by material alone, with [`shakmaty::Position::has_insufficient_material`] of each variant.
    fn can_win(position: &ChessPosition, side: Side) -> bool {
        let color = match side {
            Side::First => Color::White,
            Side::Second => Color::Black,
        };
        !position.board.has_insufficient_material(color)
    }

    fn code(mv: Move) -> u32 {
        codes::code(mv)
    }

    fn from_code(position: &ChessPosition, code: u32) -> Option<Move> {
        codes::decode(code)?.to_move(&position.board).ok().filter(|&mv| codes::code(mv) == code)
    }

    fn write_move(position: &ChessPosition, mv: Move, out: &mut String) {
        UciMove::from_move(mv, position.castling()).append_to_string(out);
    }

    fn record_move(position: &ChessPosition, mv: Move) -> String {
        SanPlus::from_move(position.board.clone(), mv).to_string()
    }

    /// Reads UCI notation. Castling may be written in either form, unless the king could also reach that square without
    /// castling.
    fn parse_move(position: &ChessPosition, text: &str) -> Option<Move> {
        let uci: UciMove = text.parse().ok()?;
        uci.to_move(&position.board).ok().or_else(|| castling(position, uci))
    }

    /// Reads any usual spelling of a move: SAN, long algebraic notation, coordinates.
    fn parse_record(position: &ChessPosition, text: &str) -> Option<Move> {
        read_move(&position.board, text)
    }

    fn read_move(position: &ChessPosition, text: &str) -> Option<Move> {
        let uci = Self::parse_move(position, text).filter(|&mv| Self::is_legal(position, mv));
        uci.or_else(|| Self::parse_record(position, text))
    }

    fn most_random_plies() -> u32 {
        // Longer than any opening that people play; random games of most variants last longer still.
        40
    }

    fn least_opening() -> u32 {
        0
    }
}

/// Reads a FEN, or the four fields of an EPD. Accepts what other programs write: a `;` behind fields, and `[-]` for an
/// empty pocket.
///
/// # Errors
/// [`ParseFenError`] if the text is neither.
pub fn read_fen(text: &str) -> Result<Fen, ParseFenError> {
    text.replace(';', " ").replace("[-]", "[]").trim().parse()
}

/// Refuses counters that no game leads to: the parser would silently correct them.
fn check_counters(text: &str, setup: &Setup) -> Result<(), String> {
    let (halfmoves, fullmoves) = (setup.halfmoves, setup.fullmoves.get());
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = text.split_ascii_whitespace().filter(is_number);
    let mut written = numbers.map(|word| word.parse().unwrap_or(u64::MAX));
    let is = |written: Option<u64>, read: u32| written.is_none_or(|written| written == u64::from(read));
    if !is(written.next(), halfmoves) || !is(written.next(), fullmoves) {
        return Err("moves are counted from 1, and no game has that many: write `0 1` if they are not known".to_owned());
    }
    let plies = u64::from(fullmoves - 1) * 2 + u64::from(setup.turn.is_black());
    if u64::from(halfmoves) > plies {
        let why =
            format!("{halfmoves} plies without a capture or a pawn move cannot have been played by move {fullmoves}");
        return Err(format!("{why}: write `0 1` if the counters are not known"));
    }
    Ok(())
}

/// The castling move that brings the king to the given square.
fn castling(position: &ChessPosition, uci: UciMove) -> Option<Move> {
    let UciMove::Normal { from, to, promotion: None } = uci else { return None };
    let board = &position.board;
    let is_king = board.our(Role::King).contains(from);
    let goes_there = |mv: &Move| {
        let side = mv.castling_side();
        side.is_some_and(|side| to == Square::from_coords(side.king_to_file(), from.rank()))
    };
    board.legal_moves().into_iter().find(|mv| is_king && goes_there(mv))
}
