//! Crazyhouse for the tree search: a line of positions, each with its value and the priors of its moves.

use crate::Position;
use crate::checks::Checks;
use crate::features::MoveRows;
use crate::moves::{code, decode, key};
use crate::network::{Network, Room};
use engine::mcts::math::sigmoid;
use engine::mcts::{Candidate, Evaluation, Game, MctsParams, Proof};
use shakmaty::{Move, Position as _};

/// The number of plies without a capture or a pawn move after which a game is drawn.
const LONGEST_PEACE: u32 = 100;

/// The positions of the current line, and buffers for computing.
#[derive(Debug, Default)]
pub struct Line {
    /// The nodes by ply: those up to `known` belong to the current line.
    nodes: Vec<Node>,
    known: usize,
    /// The keys of the positions of the game before the root.
    history: Vec<u64>,
    room: Room,
}

#[derive(Clone, Debug)]
struct Node {
    position: Position,
    key: u64,
    /// The move played in this position.
    mv: u16,
    /// Whether the position occurred earlier in the game or the line.
    is_repeated: bool,
}

/// A board on which the search plays.
pub struct Board<'a> {
    /// Evaluates positions.
    pub network: &'a Network,
    /// The positions of the current line.
    pub line: &'a mut Line,
    /// The parameters of the search.
    pub params: &'a MctsParams,
    /// Whether to look for a mate in one in each position.
    pub mate_in_one: bool,
}

impl Line {
    /// Sets the root, with the keys of the game's positions before it.
    pub fn start(&mut self, position: &Position, history: &[u64]) {
        self.history.clear();
        self.history.extend_from_slice(history);
        self.nodes.clear();
        self.nodes.push(Node { position: position.clone(), key: key(position), mv: 0, is_repeated: false });
        self.known = 0;
    }

    fn position(&self, ply: usize) -> &Position {
        &self.nodes[ply].position
    }

    /// Whether the position after a move at `ply` has occurred before, in the line or in the game. In crazyhouse,
    /// positions also recur after captures and drops.
    fn occurred(&self, key: u64, ply: usize) -> bool {
        let line = self.nodes[..=ply].iter().rev().map(|node| node.key);
        // The side to move alternates, so only every second position can be the same.
        line.chain(self.history.iter().rev().copied()).skip(1).step_by(2).any(|earlier| earlier == key)
    }
}

/// Whether a move mates.
fn mates(position: &Position, mv: Move) -> bool {
    let mut after = position.clone();
    after.play_unchecked(mv);
    after.is_checkmate()
}

impl Game for Board<'_> {
    fn play(&mut self, ply: usize, mv: u16) {
        let line = &mut *self.line;
        if ply < line.known && line.nodes[ply].mv == mv {
            return;
        }
        let mut position = line.position(ply).clone();
        let Some(played) = decode(&position, mv) else { return };
        position.play_unchecked(played);
        let key = key(&position);
        let is_repeated = line.occurred(key, ply);
        line.nodes[ply].mv = mv;
        line.nodes.truncate(ply + 1);
        line.nodes.push(Node { position, key, mv: 0, is_repeated });
        line.known = ply + 1;
    }

    fn evaluate(&mut self, ply: usize) -> Evaluation {
        let Node { position, is_repeated, .. } = &self.line.nodes[ply];
        let moves = position.legal_moves();
        if moves.is_empty() {
            return Evaluation::Proven(self.without_moves(ply));
        }
        if position.halfmoves() >= LONGEST_PEACE {
            return Evaluation::Proven(Proof::Draw);
        }
        if ply > 0 && self.params.mcts_repetition && *is_repeated {
            return Evaluation::Repeated;
        }
        if ply > 0 && self.mate_in_one {
            let checks = Checks::new(position);
            if moves.iter().any(|&mv| checks.gives_check(position, mv) && mates(position, mv)) {
                return Evaluation::Proven(Proof::Win(1));
            }
        }
        Evaluation::Estimate(sigmoid(self.network.value(position, &mut self.line.room)))
    }

    fn moves(&mut self, ply: usize, moves: &mut Vec<Candidate>) {
        let position = &self.line.nodes[ply].position;
        let rows = MoveRows::new(position);
        let room = &mut self.line.room;
        self.network.value(position, room);
        for mv in position.legal_moves() {
            let row = rows.row(mv);
            // Only at the root, whose value is not requested; other positions with a mate are proven before.
            if ply == 0 && self.mate_in_one && row.gives_check && mates(position, mv) {
                moves.clear();
                return moves.push(Candidate { mv: code(mv), logit: 0.0, gives_check: true });
            }
            let logit = if self.params.mcts_policy { self.network.logit(&row, room) } else { 0.0 };
            moves.push(Candidate { mv: code(mv), logit, gives_check: row.gives_check });
        }
    }

    fn without_moves(&self, ply: usize) -> Proof {
        if self.line.position(ply).is_check() { Proof::Loss(0) } else { Proof::Draw }
    }
}
