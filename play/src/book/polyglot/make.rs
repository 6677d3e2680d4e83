//! Makes a Polyglot book from games: each move is weighted by the results of its players.

use super::{Entry, code, key};
use crate::games::{GameKind, read_fen, read_move};
use crate::pgn::Record;
use shakmaty::{CastlingMode, Chess, Color, FromSetup, Position};
use stats::Score;
use std::collections::BTreeMap;

/// Which moves become part of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MakeSettings {
    /// How many plies of each game are used.
    pub plies: u32,
    /// The minimum number of games with a move.
    pub min_games: u32,
    /// The minimum rating of both players, if any.
    pub min_elo: Option<u32>,
}

/// Why a game is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unused {
    /// A player's rating is too low or unknown.
    #[error("a player's rating is too low or unknown")]
    Elo,
    /// The game has no result.
    #[error("it has no result")]
    Unfinished,
    /// The record is not a game of chess.
    #[error("{0}")]
    Flawed(String),
}

/// The results of the players of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    wins: u32,
    draws: u32,
    losses: u32,
}

impl Tally {
    fn add(&mut self, score: Score) {
        let count = match score {
            Score::Win => &mut self.wins,
            Score::Draw => &mut self.draws,
            Score::Loss => &mut self.losses,
        };
        *count = count.saturating_add(1);
    }

    fn games(self) -> u64 {
        [self.wins, self.draws, self.losses].map(u64::from).iter().sum()
    }

    /// `4 wins + draws - 2 losses`, but at least 0.
    fn weight(self) -> u64 {
        let [wins, draws, losses] = [self.wins, self.draws, self.losses].map(u64::from);
        (4 * wins + draws).saturating_sub(2 * losses)
    }
}

/// The place of a move in a book: the position's key, and the move's code.
type Place = (u64, u16);

/// Collects games and makes a book of them.
#[derive(Clone, Debug)]
pub struct BookMaker {
    settings: MakeSettings,
    moves: BTreeMap<Place, Tally>,
}

impl BookMaker {
    /// A maker without games.
    pub fn new(settings: MakeSettings) -> Self {
        Self { settings, moves: BTreeMap::new() }
    }

    /// Adds a game of chess or Chess960, either completely or not at all.
    ///
    /// # Errors
    /// [`Unused`]: why the game is not used.
    pub fn add(&mut self, game: &Record) -> Result<(), Unused> {
        if let Some(least) = self.settings.min_elo
            && !game.elo.iter().all(|elo| elo.is_some_and(|elo| elo >= least))
        {
            return Err(Unused::Elo);
        }
        let score = game.score.clone().map_err(|_| Unused::Unfinished)?;
        for (place, mover) in self.places(game).map_err(Unused::Flawed)? {
            let score = if mover == Color::White { score } else { score.mirror() };
            self.moves.entry(place).or_default().add(score);
        }
        Ok(())
    }

    /// The places of the game's moves in the book, each with the side that made the move.
    fn places(&self, game: &Record) -> Result<Vec<(Place, Color)>, String> {
        if let Some(variant) = game.variant.as_ref().filter(|variant| !is_chess(variant)) {
            return Err(format!("`{variant}` is not chess"));
        }
        let mut position = start(game.fen.as_deref())?;
        let mut places = Vec::new();
        for word in game.moves.split_whitespace().take(self.settings.plies as usize) {
            let mv = read_move(&position, word).ok_or_else(|| format!("`{word}` is not a legal move of chess"))?;
            if let Some(code) = code(mv) {
                places.push(((key(&position), code), position.turn()));
            }
            position.play_unchecked(mv);
        }
        Ok(places)
    }

    /// The book: for each position the best moves first, without moves that have no positive weight. If the weights of
    /// a position are too large, all of them are scaled down, to at least 1.
    pub fn finish(self) -> Vec<Entry> {
        let least = u64::from(self.settings.min_games);
        let kept = self.moves.into_iter().filter(|(_, tally)| tally.games() >= least && tally.weight() > 0);
        let weighed: Vec<(u64, u16, u64)> = kept.map(|((key, mv), tally)| (key, mv, tally.weight())).collect();
        weighed.chunk_by(|one, other| one.0 == other.0).flat_map(position).collect()
    }
}

/// The entries of one position.
fn position(moves: &[(u64, u16, u64)]) -> Vec<Entry> {
    let most = u64::from(u16::MAX);
    let largest = moves.iter().map(|(.., weight)| *weight).max().unwrap_or(0).max(most);
    let scaled = |weight: u64| (u128::from(weight) * u128::from(most) / u128::from(largest)).max(1) as u16;
    let mut entries: Vec<Entry> =
        moves.iter().map(|&(key, mv, weight)| Entry { key, mv, weight: scaled(weight) }).collect();
    entries.sort_by_key(|entry| (std::cmp::Reverse(entry.weight), entry.mv));
    entries
}

/// The bytes of a book's file.
pub fn bytes(entries: &[Entry]) -> Vec<u8> {
    entries.iter().flat_map(|entry| entry.bytes()).collect()
}

/// Whether PGN's `Variant` tag names chess or Chess960.
fn is_chess(variant: &str) -> bool {
    matches!(GameKind::of_pgn_variant(variant), Some(GameKind::Chess | GameKind::Chess960))
}

fn start(fen: Option<&str>) -> Result<Chess, String> {
    let Some(fen) = fen else { return Ok(Chess::default()) };
    let parsed = read_fen(fen).map_err(|error| format!("`{fen}` is not a position: {error}"))?;
    let setup = parsed.into_setup();
    let castling = CastlingMode::detect(&setup);
    Chess::from_setup(setup, castling).map_err(|error| format!("`{fen}` is not a position of chess: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::polyglot::Polyglot;
    use crate::pgn::Scanner;
    use crate::random::Stream;
    use proptest::prelude::*;

    fn make(pgn: &str, settings: MakeSettings) -> (Vec<Entry>, Vec<Unused>) {
        let mut maker = BookMaker::new(settings);
        let mut scanner = Scanner::keeping(pgn.as_bytes(), settings.plies);
        let mut unused = Vec::new();
        while let Some(record) = scanner.next_record().unwrap() {
            unused.extend(maker.add(&record.unwrap()).err());
        }
        (maker.finish(), unused)
    }

    const ALL: MakeSettings = MakeSettings { plies: 100, min_games: 1, min_elo: None };

    const GAMES: &str = r#"[White "a"]
[Black "b"]
[WhiteElo "2500"]
[BlackElo "2400"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O 1-0

[White "b"]
[Black "a"]

1. e4 c5 0-1

[White "a"]
[Black "b"]

1. d4 d5 1/2-1/2

[White "a"]
[Black "b"]

1. e4 *

[White "a"]
[Black "b"]

1. e5 1-0
"#;

    #[test]
    fn moves_are_weighted_by_results() {
        let (entries, unused) = make(GAMES, ALL);
        assert_eq!(unused, [Unused::Unfinished, Unused::Flawed("`e5` is not a legal move of chess".to_owned())]);
        let book = Polyglot::new("made", bytes(&entries)).unwrap();
        let start: Vec<(String, u16)> =
            book.choices(&Chess::default()).iter().map(|(mv, weight)| (mv.to_string(), *weight)).collect();
        // e4: a win and a loss, 4 - 2; d4: a draw, 1.
        assert_eq!(start, [("e2-e4".to_owned(), 2), ("d2-d4".to_owned(), 1)]);
        let after = start_after("e4");
        let replies: Vec<(String, u16)> =
            book.choices(&after).iter().map(|(mv, weight)| (mv.to_string(), *weight)).collect();
        assert_eq!(replies, [("c7-c5".to_owned(), 4)], "e5 lost");
        assert_eq!(entries.len(), 7, "what only lost is left out");
    }

    fn start_after(moves: &str) -> Chess {
        moves.split(' ').fold(Chess::default(), |mut position, word| {
            position.play_unchecked(read_move(&position, word).expect("a move"));
            position
        })
    }

    #[test]
    fn castling_is_the_king_taking_its_rook() {
        let (entries, _) = make(GAMES, ALL);
        let position = start_after("e4 e5 Nf3 Nc6 Bc4 Nf6");
        let castled: Vec<u16> =
            entries.iter().filter(|entry| entry.key == key(&position)).map(|entry| entry.mv).collect();
        assert_eq!(castled, [0o0407], "e1 to h1");
    }

    #[test]
    fn moves_and_games_can_be_asked_more_of() {
        let few = make(GAMES, MakeSettings { min_games: 2, ..ALL }).0;
        assert_eq!(few.len(), 1, "e4 alone was played twice");
        let (rated, unused) = make(GAMES, MakeSettings { min_elo: Some(2400), ..ALL });
        assert_eq!((rated.len(), unused.len()), (4, 4), "White's moves of the first game");
        assert_eq!(make(GAMES, MakeSettings { plies: 1, ..ALL }).0.len(), 2);
    }

    #[test]
    fn weights_that_are_too_large_are_scaled() {
        let entries = position(&[(1, 5, 200_000), (1, 6, 100_000), (1, 7, 1)]);
        let weights: Vec<(u16, u16)> = entries.iter().map(|entry| (entry.mv, entry.weight)).collect();
        assert_eq!(weights, [(5, 65535), (6, 32767), (7, 1)]);
        let small = position(&[(1, 5, 3), (1, 6, 60_000)]);
        assert_eq!(small.iter().map(|entry| entry.weight).collect::<Vec<_>>(), [60_000, 3]);
    }

    #[test]
    fn games_of_other_variants_are_left_out() {
        let game = |variant: &str| make(&format!("[Variant \"{variant}\"]\n\n1. e4 1-0\n"), ALL);
        for variant in ["Standard", "From Position", "Chess960"] {
            let (entries, unused) = game(variant);
            assert_eq!((entries.len(), unused), (1, Vec::new()), "{variant}");
        }
        for variant in ["King of the Hill", "Shatranj"] {
            let (entries, unused) = game(variant);
            assert_eq!(unused, [Unused::Flawed(format!("`{variant}` is not chess"))]);
            assert!(entries.is_empty(), "{variant}");
        }
    }

    #[test]
    fn positions_of_tags_are_honoured() {
        let (entries, _) = make("[FEN \"8/P7/8/8/8/8/8/K1k5 w - - 0 1\"]\n\n1. a8=Q 1-0\n", ALL);
        let [entry] = entries.as_slice() else { panic!("{entries:?}") };
        assert_eq!(entry.mv, 0o4_6070, "a7 to a8 and a queen");
        let (none, unused) = make("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. a8=Q 1-0\n", ALL);
        assert!(none.is_empty() && matches!(unused[..], [Unused::Flawed(_)]), "{unused:?}");
    }

    proptest! {
        #[test]
        fn every_legal_move_has_a_code_of_its_own(seed: u64) {
            let mut stream = Stream::from_seed(seed);
            let mut position = Chess::default();
            for _ in 0..120 {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let codes: std::collections::BTreeSet<_> = legal.iter().filter_map(|&mv| code(mv)).collect();
                prop_assert_eq!(codes.len(), legal.len());
                position.play_unchecked(legal[stream.below(legal.len() as u32) as usize]);
            }
        }
    }
}
