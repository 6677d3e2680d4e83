//! Chess and its variants through the harness's interface: perft through the `Game` trait.
//!
//! The counts of `data/chess-perft.json` were computed with python-chess 1.11 and, where it knows the variant's current
//! rules (not atomic, not the race's last move), with Fairy-Stockfish; the usual positions among them have published
//! counts (chessprogramming.org, "Perft Results"), which are the same.

use play::Game;
use play::games::{Chess, ChessPosition, GameKind};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    game: GameKind,
    fen: String,
    /// Leaves at depth 1, 2, ...
    counts: Vec<u64>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../data/chess-perft.json")).expect("the file is valid")
}

/// Counts leaves; also converts each inner move to its number and text and back.
fn perft(position: &ChessPosition, depth: usize) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves
        .into_iter()
        .map(|mv| {
            assert_eq!(Chess::from_code(position, Chess::code(mv)), Some(mv), "{mv:?} in {position}");
            let text = Chess::format_move(position, mv);
            assert_eq!(Chess::parse_move(position, &text), Some(mv), "{text} in {position}");
            assert!(Chess::is_legal(position, mv), "{text} in {position}");
            let mut after = position.clone();
            Chess::play(&mut after, mv);
            perft(&after, depth - 1)
        })
        .sum()
}

#[test]
fn perft_of_all_variants() {
    let cases = cases();
    for kind in GameKind::ALL.into_iter().filter(|&kind| kind != GameKind::ZeroPointOne) {
        assert!(cases.iter().any(|case| case.game == kind), "no position of {kind}");
    }
    for Case { game, fen, counts } in cases {
        let position = Chess::of(game).expect("a kind of chess").setup(&fen).expect("a position");
        for (index, &count) in counts.iter().enumerate() {
            assert_eq!(perft(&position, index + 1), count, "{game}: {fen}, depth {}", index + 1);
        }
    }
}
