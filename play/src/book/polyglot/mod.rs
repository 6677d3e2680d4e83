//! Polyglot books: a table of weighted moves by position, and random walks through it.
//!
//! The format: entries of 16 bytes, big-endian, sorted by key: 8 bytes key, 2 bytes move, 2 bytes weight, 4 bytes that
//! learning engines use. The key is a Zobrist hash with published numbers, in which the en passant file counts only if
//! a pawn stands ready to capture. A move consists of fields of 3 bits, from the lowest: the file and the rank of the
//! target, the file and the rank of the origin, and the promotion (0 nothing, 1 knight, 2 bishop, 3 rook, 4 queen).
//! Castling is written as the king taking its own rook; where no other move has the same code, the king's target square
//! is read, too. Source: Fabien Letouzey's Polyglot (2004), documented by Michel van den Bergh and H. G. Muller.

mod make;

pub use make::{BookMaker, MakeSettings, Unused, bytes};

use super::error::BookError;
use super::format::BookFormatInfo;
use super::{BookFile, Content};
use crate::games::GameKind;
use crate::random::{Purpose, Stream};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Role, Square};

/// The size of an entry in bytes.
const ENTRY: usize = 16;

/// More moves than any position has: further moves in a damaged file are ignored.
const MOST_MOVES: usize = 256;

const DRAWN: &str = "is for lists of openings: those of a Polyglot book are drawn";

pub(super) static FORMAT: BookFormatInfo = BookFormatInfo {
    names: &["polyglot"],
    extensions: &["bin", "polyglot"],
    refused_keys: &[("order", DRAWN), ("start", DRAWN)],
    needs_plies: Some("a Polyglot book does not say how long an opening is"),
    read: |file, bytes, game| {
        let _played = castling(file, game)?;
        Polyglot::new(&file.path, bytes.to_vec()).map(Content::Polyglot)
    },
};

/// How castling is written in a game that has Polyglot books.
pub(crate) fn castling(file: &BookFile, game: GameKind) -> Result<CastlingMode, BookError> {
    match game {
        GameKind::Chess => Ok(CastlingMode::Standard),
        GameKind::Chess960 => Ok(CastlingMode::Chess960),
        GameKind::ZeroPointOne
        | GameKind::Crazyhouse
        | GameKind::Crazyhouse960
        | GameKind::ThreeCheck
        | GameKind::KingOfTheHill
        | GameKind::Atomic
        | GameKind::Antichess
        | GameKind::Horde
        | GameKind::RacingKings
        | GameKind::Custom(_) => Err(BookError::PolyglotGame { file: file.path.clone(), game: game.to_string() }),
    }
}

/// A position's key.
pub fn key(position: &impl Position) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
}

/// The code of a move; `None` for drops, which the format does not have.
pub fn code(mv: Move) -> Option<u16> {
    let promotion = match mv.promotion() {
        None => 0,
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        Some(Role::Pawn | Role::King) => return None,
    };
    Some(promotion << 12 | (mv.from()? as u16) << 6 | mv.to() as u16)
}

/// The code of castling with the king's target square, as some programs write it; `None` for other moves.
fn code_by_king(mv: Move) -> Option<u16> {
    let Move::Castle { king, .. } = mv else { return None };
    let to = Square::from_coords(mv.castling_side()?.king_to_file(), king.rank());
    Some((king as u16) << 6 | to as u16)
}

/// A move of a book and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Key of the position.
    pub key: u64,
    /// The move.
    pub mv: u16,
    /// The weight of the move in the draw among the position's moves.
    pub weight: u16,
}

impl Entry {
    fn read(bytes: &[u8]) -> Self {
        let number = |range: std::ops::Range<usize>| bytes[range].iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
        Self { key: number(0..8), mv: number(8..10) as u16, weight: number(10..12) as u16 }
    }

    fn bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..8].copy_from_slice(&self.key.to_be_bytes());
        bytes[8..10].copy_from_slice(&self.mv.to_be_bytes());
        bytes[10..12].copy_from_slice(&self.weight.to_be_bytes());
        bytes
    }
}

/// The number of plies without a capture or a pawn move after which a game is drawn.
const FIFTY_MOVES: usize = 100;

/// A Polyglot book in memory.
#[derive(Clone, Debug)]
pub struct Polyglot {
    bytes: Vec<u8>,
}

impl Polyglot {
    /// Takes the content of a file.
    ///
    /// # Errors
    /// [`BookError::NoPolyglot`] unless it is a sorted table that knows the start position.
    pub fn new(file: &str, bytes: Vec<u8>) -> Result<Self, BookError> {
        let refused = |why: String| Err(BookError::NoPolyglot { file: file.to_owned(), why });
        if bytes.is_empty() || !bytes.len().is_multiple_of(ENTRY) {
            return refused(format!("it has {} bytes: expected entries of {ENTRY} bytes", bytes.len()));
        }
        let book = Self { bytes };
        let keys = || (0..book.entries()).map(|index| book.entry(index).key);
        if let Some(at) = keys().zip(keys().skip(1)).position(|(one, next)| one > next) {
            return refused(format!("entry {} has a smaller key than entry {}: expected rising keys", at + 1, at));
        }
        if book.choices(&Chess::default()).is_empty() {
            return refused("it has no move for the start position".to_owned());
        }
        Ok(book)
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.bytes.len() / ENTRY
    }

    /// The number of positions in the book.
    pub fn positions(&self) -> usize {
        let keys = || (0..self.entries()).map(|index| self.entry(index).key);
        1 + keys().zip(keys().skip(1)).filter(|(one, next)| one != next).count()
    }

    /// Entry `index`, counted from 0.
    fn entry(&self, index: usize) -> Entry {
        Entry::read(&self.bytes[index * ENTRY..][..ENTRY])
    }

    /// The entries of a position.
    pub fn of_key(&self, key: u64) -> impl Iterator<Item = Entry> {
        let (mut low, mut high) = (0, self.entries());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.entry(middle).key < key { low = middle + 1 } else { high = middle }
        }
        (low..self.entries()).map(|index| self.entry(index)).take_while(move |entry| entry.key == key).take(MOST_MOVES)
    }

    /// The legal moves to which the book gives a weight in this position.
    pub fn choices(&self, position: &Chess) -> Vec<(Move, u16)> {
        let legal = position.legal_moves();
        let known = |entry: Entry| {
            let by_rook = || legal.iter().find(|&&mv| code(mv) == Some(entry.mv));
            let mv = by_rook().or_else(|| legal.iter().find(|&&mv| code_by_king(mv) == Some(entry.mv)))?;
            (entry.weight > 0).then_some((*mv, entry.weight))
        };
        self.of_key(key(position)).filter_map(known).collect()
    }

    /// A walk of up to `plies` plies from the start position, each move drawn by its weight, in UCI notation: a pure
    /// function of the run's seed and `number`. The walk ends early where the book ends, and before the game would be
    /// over, whether by the board, by repetition or by the fifty-move rule.
    pub fn walk(&self, run_seed: u64, number: u64, plies: u32, castling: CastlingMode) -> Vec<String> {
        let mut stream = Stream::new(run_seed, Purpose::Opening, number);
        let mut position = Chess::default();
        let (mut moves, mut keys) = (Vec::new(), vec![key(&position)]);
        for _ in 0..plies {
            let Some(mv) = draw(&self.choices(&position), &mut stream) else { break };
            position.play_unchecked(mv);
            let (now, since) = (key(&position), position.halfmoves() as usize);
            let seen = keys.iter().rev().take(since).filter(|key| **key == now).count();
            if position.is_game_over() || seen >= 2 || since >= FIFTY_MOVES {
                break;
            }
            moves.push(mv.to_uci(castling).to_string());
            keys.push(now);
        }
        moves
    }
}

fn draw(choices: &[(Move, u16)], stream: &mut Stream) -> Option<Move> {
    let total: u32 = choices.iter().map(|(_, weight)| u32::from(*weight)).sum();
    let mut drawn = stream.below(total);
    choices.iter().find_map(|&(mv, weight)| match drawn.checked_sub(u32::from(weight)) {
        Some(less) => {
            drawn = less;
            None
        }
        None => Some(mv),
    })
}
