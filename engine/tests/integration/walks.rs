//! Perft in other ways than the engine's: every leaf made, and safe moves generated in stages as in a search. For
//! positions in which both sides have placed their setups.

use engine::{Move, MoveDelta, MoveKind, MoveList, PerftCounts, Piece, Position, Stage, PLY_LIMIT};
use std::hint::black_box;

/// Counts sequences of legal moves. Every last move is made, so that this measures the speed of generating and making
/// moves.
pub(crate) fn perft_played(position: &Position, depth: u32) -> PerftCounts {
    count(position, depth, Position::legal_moves, played_leaves)
}

/// Counts sequences of safe moves (see [`Position::is_safe`]), generated in stages as in a search.
pub(crate) fn perft_safe(position: &Position, depth: u32) -> PerftCounts {
    count(position, depth, Position::safe_moves, safe_leaves)
}

fn count(
    position: &Position,
    depth: u32,
    generate: fn(&Position, &mut MoveList),
    leaves: fn(&Position) -> PerftCounts,
) -> PerftCounts {
    if depth == 0 {
        return PerftCounts { nodes: 1, ..PerftCounts::default() };
    }
    if depth == 1 {
        let counts = leaves(position);
        let is_last = position.plies() + 1 == PLY_LIMIT;
        return PerftCounts { draws: if is_last { counts.nodes - counts.wins } else { 0 }, ..counts };
    }
    let mut moves = MoveList::new();
    generate(position, &mut moves);
    let after = |mv: &Move| {
        let mut next = *position;
        next.play(*mv);
        next
    };
    let mut counts = PerftCounts::default();
    for mv in &moves {
        counts += count(&after(mv), depth - 1, generate, leaves);
    }
    counts
}

fn played_leaves(position: &Position) -> PerftCounts {
    let mut counts = PerftCounts::default();
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    for &mv in &moves {
        let mut next = *position;
        let delta = next.play(mv);
        // Keeps the compiler from removing the parts of the position that are not counted.
        black_box(&next);
        counts.nodes += 1;
        match delta {
            MoveDelta::Jump { captured, .. } => {
                counts.captures += u64::from(captured.is_some());
                counts.wins += u64::from(captured == Some(Piece::Wazir));
            }
            MoveDelta::Drop { .. } => counts.drops += 1,
            MoveDelta::Setup { .. } => {}
        }
    }
    counts
}

fn safe_leaves(position: &Position) -> PerftCounts {
    let mut counts = PerftCounts::default();
    let mut moves = MoveList::new();
    let enemy = position.side_pieces(!position.side_to_move());
    for &stage in Stage::sequence(position.in_check()) {
        moves.clear();
        position.generate(stage, &mut moves);
        counts.nodes += moves.len() as u64;
        if stage == Stage::Wins {
            counts.wins += moves.len() as u64;
        }
        for mv in &moves {
            match mv.kind() {
                MoveKind::Jump { to, .. } => counts.captures += u64::from(enemy.contains(to)),
                MoveKind::Drop { .. } => counts.drops += 1,
                MoveKind::Setup(_) => {}
            }
        }
    }
    counts
}
