//! Positions as the engine has them: rules from `shakmaty`, the hash of each, and which came before.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, PositionError};

/// A position with its hash.
#[derive(Clone)]
pub(crate) struct Node {
    /// The position.
    pub(crate) position: Chess,
    /// Its hash. Equal for positions that count as repeated.
    pub(crate) key: u64,
    /// Whether it follows a null move.
    pub(crate) after_pass: bool,
}

impl Node {
    /// A position as it stands.
    pub(crate) fn new(position: Chess) -> Self {
        let Zobrist64(key) = position.zobrist_hash(EnPassantMode::Legal);
        Self { position, key, after_pass: false }
    }

    /// The position after a legal move.
    pub(crate) fn after(&self, mv: Move) -> Self {
        let mut position = self.position.clone();
        position.play_unchecked(mv);
        Self::new(position)
    }

    /// The position with the other side to move; `None` if that is none.
    pub(crate) fn passed(&self) -> Option<Self> {
        let position = self.position.clone().swap_turn().ok()?;
        Some(Self { after_pass: true, ..Self::new(position) })
    }
}

/// A game up to now.
pub(crate) struct Game {
    /// Where it stands.
    pub(crate) node: Node,
    /// The hashes of all positions before.
    pub(crate) keys: Vec<u64>,
}

impl Default for Game {
    fn default() -> Self {
        Self { node: Node::new(Chess::default()), keys: Vec::new() }
    }
}

impl Game {
    /// Reads `[startpos|fen FEN] [moves ...]`.
    ///
    /// # Errors
    /// What cannot be read, in words.
    pub(crate) fn read(words: &str) -> Result<Self, String> {
        let words: Vec<&str> = words.split_ascii_whitespace().collect();
        let end = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
        let mut game = match words[..end].split_first() {
            Some((&"startpos", [])) => Self::default(),
            Some((&"fen", fen)) => Self { node: Node::new(read_fen(&fen.join(" "))?), keys: Vec::new() },
            _ => return Err("expected `startpos` or `fen FEN`".to_owned()),
        };
        for word in words.iter().skip(end + 1) {
            let mv = read_move(word, &game.node.position).ok_or_else(|| format!("{word} is not a legal move"))?;
            game.keys.push(game.node.key);
            game.node = game.node.after(mv);
        }
        Ok(game)
    }
}

/// A legal move in UCI's notation.
pub(crate) fn read_move(word: &str, position: &Chess) -> Option<Move> {
    word.parse::<UciMove>().ok()?.to_move(position).ok()
}

/// A move in UCI's notation.
pub(crate) fn write_move(mv: Move) -> String {
    UciMove::from_move(mv, CastlingMode::Standard).to_string()
}

/// Castling rights and squares for captures en passant that cannot be are passed over, as most engines do.
fn read_fen(fen: &str) -> Result<Chess, String> {
    let parsed = Fen::from_ascii(fen.as_bytes()).map_err(|error| format!("{fen}: {error}"))?;
    parsed
        .into_position::<Chess>(CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|error| format!("{fen}: {error}"))
}
