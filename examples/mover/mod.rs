//! A UCI engine that plays random legal moves of chess and its variants, without input and output.
//!
//! The engine answers at once, so a match of two of them measures the runner. It ignores all search parameters of UCI:
//! every `go` is answered by a move. With the option `Castle` it castles as soon as it can, and then plays the same
//! move again if that is legal, as it can be in Chess960: a runner that mistakes the second move for an echo of the
//! first stalls.

use play::random::Stream;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{CastlingMode, Move, Position};
use std::fmt::Write;

/// The variants that the engine offers.
const VARIANTS: [Variant; 8] = [
    Variant::Chess,
    Variant::Crazyhouse,
    Variant::ThreeCheck,
    Variant::KingOfTheHill,
    Variant::Atomic,
    Variant::Antichess,
    Variant::Horde,
    Variant::RacingKings,
];

/// The engine's state.
pub(crate) struct RandomMover {
    variant: Variant,
    castling: CastlingMode,
    /// The position in which the engine is to move.
    pub(crate) position: VariantPosition,
    /// The last position command, whose moves have been played. Of a longer command that begins with it, only the rest
    /// is played.
    played: String,
    random: Stream,
    castles: bool,
    /// The engine's castling move in this game, as it was written.
    castled: Option<UciMove>,
}

impl RandomMover {
    /// Makes an engine at the start of a game of chess. Equal seeds play equal moves.
    pub(crate) fn new(seed: u64) -> Self {
        let (variant, castling) = (Variant::Chess, CastlingMode::Standard);
        let position = VariantPosition::new(variant);
        let random = Stream::from_seed(seed);
        Self { variant, castling, position, played: String::new(), random, castles: false, castled: None }
    }

    /// Executes a command other than `go` and `quit`, and appends the output to `answer`.
    pub(crate) fn obey(&mut self, line: &str, answer: &mut String) {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "uci" => self.introduce(answer),
            "isready" => answer.push_str("readyok\n"),
            "setoption" => self.set_option(rest),
            "ucinewgame" => self.castled = None,
            "position" if self.set_position(line, rest).is_none() => {
                self.played.clear();
                answer.push_str("info string not a position\n");
            }
            _ => {}
        }
    }

    fn introduce(&self, answer: &mut String) {
        answer.push_str("id name random mover\nid author the spar authors\n");
        answer.push_str("option name Hash type spin default 16 min 1 max 1048576\n");
        answer.push_str("option name Threads type spin default 1 min 1 max 1024\n");
        answer.push_str("option name Seed type spin default 1 min 0 max 2147483647\n");
        answer.push_str("option name Castle type check default false\n");
        answer.push_str("option name UCI_Chess960 type check default false\n");
        let _ = write!(answer, "option name UCI_Variant type combo default {}", self.variant.uci());
        for variant in VARIANTS {
            let _ = write!(answer, " var {}", variant.uci());
        }
        answer.push_str("\nuciok\n");
    }

    /// Sets an option; ignores unknown options and unusable values.
    fn set_option(&mut self, words: &str) {
        let Some((name, value)) = words.strip_prefix("name ").and_then(|words| words.split_once(" value ")) else {
            return;
        };
        match name {
            "Seed" => self.random = value.parse().map_or_else(|_| self.random.clone(), Stream::from_seed),
            "Castle" => self.castles = value == "true",
            "UCI_Chess960" if value == "true" => self.castling = CastlingMode::Chess960,
            "UCI_Chess960" => self.castling = CastlingMode::Standard,
            "UCI_Variant" => {
                let named = Variant::from_uci(value).ok().filter(|variant| VARIANTS.contains(variant));
                self.variant = named.unwrap_or(self.variant);
            }
            _ => return,
        }
        self.played.clear();
    }

    fn set_position(&mut self, line: &str, words: &str) -> Option<()> {
        let new = line.strip_prefix(&self.played).filter(|new| new.is_empty() || new.starts_with(' '));
        if let Some(new) = new.filter(|_| !self.played.is_empty()) {
            for word in new.split_ascii_whitespace().filter(|word| *word != "moves") {
                play(&mut self.position, word)?;
            }
        } else {
            let (start, moves) = words.split_once(" moves ").unwrap_or((words, ""));
            self.position = self.start(start)?;
            for word in moves.split_ascii_whitespace() {
                play(&mut self.position, word)?;
            }
        }
        self.played.clear();
        self.played.push_str(line);
        Some(())
    }

    /// Reads `startpos` or `fen FEN`.
    fn start(&self, words: &str) -> Option<VariantPosition> {
        if words == "startpos" {
            return Some(VariantPosition::new(self.variant));
        }
        let fen = Fen::from_ascii(words.strip_prefix("fen ")?.trim().as_bytes()).ok()?;
        VariantPosition::from_setup(self.variant, fen.into_setup(), self.castling).ok()
    }

    /// Returns a random legal move, or the move that the option `Castle` prefers; `None` if no move is legal.
    pub(crate) fn choose(&mut self) -> Option<UciMove> {
        if let Some(preferred) = self.castling_or_its_echo() {
            return Some(preferred);
        }
        let legal = self.position.legal_moves();
        let index = self.random.below(legal.len() as u32) as usize;
        legal.get(index).map(|chosen: &Move| UciMove::from_move(*chosen, self.castling))
    }

    fn castling_or_its_echo(&mut self) -> Option<UciMove> {
        if !self.castles {
            return None;
        }
        if let Some(castled) = self.castled.take() {
            return castled.to_move(&self.position).is_ok().then_some(castled);
        }
        let castling = self.position.legal_moves().into_iter().find(|mv| mv.is_castle())?;
        self.castled = Some(UciMove::from_move(castling, self.castling));
        self.castled
    }
}

/// Plays a move; `None` if it is illegal.
fn play(position: &mut VariantPosition, word: &str) -> Option<()> {
    let uci: UciMove = word.parse().ok()?;
    let played = uci.to_move(position).ok()?;
    position.play_unchecked(played);
    Some(())
}
