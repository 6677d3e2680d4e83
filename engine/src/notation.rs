//! Moves as text, relative to a position: the `CodeCup` form (`b5d3`, `Df8`, `ac3`, sixteen letters for a setup), which
//! programs exchange, and the long form (`Fb3-c4`, `Fb3xwc4`, `A@a1`) of logs.
//!
//! Parsing does not check whether the move is legal ([`Position::is_legal`] does), so that a referee can tell malformed
//! text from an illegal move.

use std::fmt;

use crate::{Move, MoveKind, ParseSetupError, ParseSquareError, Piece, Position, Setup, Side, Square};

/// Why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseMoveError {
    /// The text does not have the form of any move.
    Form {
        /// The text as given.
        found: String,
    },
    /// A setup was expected.
    Setup(ParseSetupError),
    /// A square was expected.
    Square(ParseSquareError),
    /// The letter is not a piece that can be dropped.
    DropLetter {
        /// The letter.
        found: char,
    },
    /// The piece is written in the case of the side that is not to move.
    WrongCase {
        /// The letter.
        found: char,
        /// The side to move.
        side: Side,
    },
    /// The long form names another piece than the one on a square.
    WrongPiece {
        /// The square.
        square: Square,
        /// The letter in the text; `None` if the text says that the square is empty.
        found: Option<char>,
        /// The letter of the piece there; `None` if the square is empty.
        expected: Option<char>,
    },
}

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form { found } => write!(f, "\"{}\" is not a move", found.escape_debug()),
            Self::Setup(error) => error.fmt(f),
            Self::Square(error) => error.fmt(f),
            Self::DropLetter { found } => {
                write!(f, "'{}' is not a piece that can be dropped: expected A, D, F or N", found.escape_debug())
            }
            Self::WrongCase { found, side } => {
                let case = if *side == Side::Red { "upper" } else { "lower" };
                write!(f, "'{found}' is a piece of the opponent: {side}'s pieces are in {case} case")
            }
            Self::WrongPiece { square, found, expected } => {
                let name = |letter: &Option<char>| letter.map_or("no piece".to_owned(), |letter| format!("'{letter}'"));
                write!(f, "the text has {} on {square}, the position has {}", name(found), name(expected))
            }
        }
    }
}

impl std::error::Error for ParseMoveError {}

impl From<ParseSetupError> for ParseMoveError {
    fn from(error: ParseSetupError) -> Self {
        Self::Setup(error)
    }
}

impl From<ParseSquareError> for ParseMoveError {
    fn from(error: ParseSquareError) -> Self {
        Self::Square(error)
    }
}

/// The `CodeCup` form of a move: from and to for a jump or capture, piece letter in the mover's case and square for a
/// drop, sixteen letters for a setup.
pub fn format_move(position: &Position, mv: Move) -> String {
    let side = position.side_to_move();
    match mv.kind() {
        MoveKind::Setup(setup) => setup.text(side),
        MoveKind::Jump { from, to } => format!("{from}{to}"),
        MoveKind::Drop { piece, to } => format!("{}{to}", piece.letter(side)),
    }
}

/// Parses the `CodeCup` form of a move.
///
/// # Errors
/// [`ParseMoveError`] when the text is not a move or a drop is written in the wrong case. The move need not be legal.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
    let side = position.side_to_move();
    if position.plies() < 2 {
        return Ok(Move::setup(&Setup::parse(text, side)?));
    }
    // Splitting by bytes is safe in ASCII only.
    match text.len() {
        4 if text.is_ascii() => Ok(Move::jump(text[..2].parse()?, text[2..].parse()?)),
        3 if text.is_ascii() => parse_drop(side, text, &text[1..]),
        _ => Err(ParseMoveError::Form { found: text.to_owned() }),
    }
}

/// The long form of a move: `Fb3-c4`, with the victim in its own case `Fb3xwc4`, `A@a1`, sixteen letters for a setup.
pub fn format_long(position: &Position, mv: Move) -> String {
    let letter = |square| position.piece_at(square).map(|(owner, piece)| piece.letter(owner));
    match mv.kind() {
        MoveKind::Setup(setup) => setup.text(position.side_to_move()),
        MoveKind::Drop { piece, to } => format!("{}@{to}", piece.letter(position.side_to_move())),
        MoveKind::Jump { from, to } => {
            let mover = letter(from).unwrap_or('.');
            letter(to).map_or_else(|| format!("{mover}{from}-{to}"), |victim| format!("{mover}{from}x{victim}{to}"))
        }
    }
}

/// Parses the long form of a move.
///
/// # Errors
/// [`ParseMoveError`] when the text is not a move, or when the pieces it names are not those of the position. The move
/// need not be legal.
pub fn parse_long(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
    let side = position.side_to_move();
    if position.plies() < 2 {
        return Ok(Move::setup(&Setup::parse(text, side)?));
    }
    let form = || ParseMoveError::Form { found: text.to_owned() };
    if !text.is_ascii() {
        return Err(form());
    }
    match (text.len(), text.as_bytes()) {
        (4, [_, b'@', ..]) => parse_drop(side, text, &text[2..]),
        (6, [mover, _, _, b'-', ..]) => parse_long_jump(position, *mover, &text[1..3], None, &text[4..]),
        (7, [mover, _, _, b'x', victim, ..]) => {
            parse_long_jump(position, *mover, &text[1..3], Some(*victim), &text[5..])
        }
        _ => Err(form()),
    }
}

fn parse_drop(side: Side, text: &str, square: &str) -> Result<Move, ParseMoveError> {
    let found = text.chars().next().unwrap_or(' ');
    let (owner, piece) = Piece::from_letter(found).ok_or(ParseMoveError::DropLetter { found })?;
    let mv = Move::drop(piece, square.parse()?).ok_or(ParseMoveError::DropLetter { found })?;
    if owner == side {
        Ok(mv)
    } else {
        Err(ParseMoveError::WrongCase { found, side })
    }
}

fn parse_long_jump(
    position: &Position,
    mover: u8,
    from: &str,
    victim: Option<u8>,
    to: &str,
) -> Result<Move, ParseMoveError> {
    let (from, to) = (from.parse()?, to.parse()?);
    let side = position.side_to_move();
    expect_on(position, from, Some(mover as char))?;
    match Piece::from_letter(mover as char) {
        Some((owner, _)) if owner != side => return Err(ParseMoveError::WrongCase { found: mover as char, side }),
        _ => expect_on(position, to, victim.map(char::from))?,
    }
    Ok(Move::jump(from, to))
}

fn expect_on(position: &Position, square: Square, found: Option<char>) -> Result<(), ParseMoveError> {
    let expected = position.piece_at(square).map(|(owner, piece)| piece.letter(owner));
    if found == expected {
        Ok(())
    } else {
        Err(ParseMoveError::WrongPiece { square, found, expected })
    }
}
