//! Helpers that the tests of several modules share.

use super::extract::Extraction;
use arena::config::PositionFilter;
use arena::run::{Circumstances, GameRecord, PairResult, Sides};
use play::games::{Chess as Rules, GameKind};
use play::{BySide, Ending, Evaluation, Game, MoveInfo, Side, TrackPly};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move, Position};
use std::time::Duration;

/// The position after the legal moves that `choices` pick.
pub(super) fn position(choices: &[usize]) -> Chess {
    let mut position = Chess::default();
    for choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position.play_unchecked(moves[choice % moves.len()]);
    }
    position
}

pub(super) fn uci(mv: Move) -> String {
    UciMove::from_move(mv, CastlingMode::Standard).to_string()
}

/// The extraction for a run of chess with the seed 1.
pub(super) fn extraction(filter: PositionFilter) -> Extraction {
    Extraction { rules: Rules::of(GameKind::Chess).expect("chess"), seed: 1, filter }
}

/// A single game of these moves, its scores cycling through `scores`.
pub(super) fn game(moves: &[&str], scores: &[Evaluation], ending: Ending) -> PairResult {
    let mut position = Rules::of(GameKind::Chess).expect("chess").start();
    let code = |word: &&str| {
        let mv = Rules::parse_move(&position, word).expect("a legal move");
        Rules::play(&mut position, mv);
        Rules::code(mv)
    };
    let moves: Vec<u32> = moves.iter().map(code).collect();
    let ply = |at: usize| {
        let info = MoveInfo { score: Some(scores[at % scores.len()]), ..MoveInfo::default() };
        TrackPly { info, wall: Duration::ZERO, left: Duration::ZERO }
    };
    let track = (0..moves.len()).map(ply).collect();
    PairResult {
        pair: 0,
        start: None,
        opening: Vec::new(),
        sides: Sides::Single(Side::First),
        games: vec![GameRecord {
            moves,
            ending,
            nodes: BySide::default(),
            track,
            circumstances: Circumstances::default(),
        }],
        took: Duration::default(),
    }
}
