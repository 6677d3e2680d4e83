//! Backing up: the value of a leaf to all nodes of its line, and proven results to their parents.
//!
//! A node is won if a move leads to a lost one, and lost or drawn once all its moves are known and none is better.

use super::{MctsParams, Proof, Tree};

impl Tree {
    /// Counts a visit of every node of the present line, with the value of the last one for its side to move.
    pub(super) fn back_up(&mut self, value: f64, params: &MctsParams) {
        let path = std::mem::take(&mut self.scratch.path);
        let (mut value, mut is_proven) = (value, params.mcts_solver);
        for (back, &at) in path.iter().rev().enumerate() {
            if back > 0 {
                value = 1.0 - value;
                is_proven = is_proven && self.prove(at);
                if is_proven {
                    value = self.node(at).value();
                }
            } else {
                is_proven = is_proven && self.node(at).proof != Proof::Open;
            }
            self.node_mut(at).count(value);
        }
        self.scratch.path = path;
    }

    /// Sets the result of a node, if its children prove one. Whether its result is known.
    fn prove(&mut self, at: u32) -> bool {
        if self.node(at).proof == Proof::Open {
            let proof = proven(self, at);
            self.node_mut(at).proof = proof;
        }
        self.node(at).proof != Proof::Open
    }
}

/// The result of a node whose moves are all known, or one of which wins, by those of its children.
fn proven(tree: &Tree, at: u32) -> Proof {
    let (mut open, mut draw, mut win, mut loss) = (false, false, None, 0);
    for (_, child, _) in tree.children(at) {
        match child.proof {
            Proof::Open | Proof::Repeated => open = true,
            Proof::Draw => draw = true,
            Proof::Loss(plies) => win = Some(win.map_or(plies, |best: u16| best.min(plies))),
            Proof::Win(plies) => loss = loss.max(plies),
        }
    }
    let node = tree.node(at);
    match win {
        Some(plies) => Proof::Win(plies + 1),
        None if open || node.children < node.moves || node.moves == 0 => Proof::Open,
        None if draw => Proof::Draw,
        None => Proof::Loss(loss + 1),
    }
}
