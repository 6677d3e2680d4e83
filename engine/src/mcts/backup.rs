//! Backup: propagates the value of a leaf to all nodes of its line, and proven results to their parents.
//!
//! A node is won if a move leads to a lost one. It is lost or drawn once all its moves are proven and none is better.

use super::{MctsParams, Proof, Tree};

/// The number of visits that a line counts as lost while a thread evaluates its end: 3 in the paper.
const VIRTUAL_LOSS: u32 = 3;

impl Tree {
    /// Counts a visit of every node of a line, with the value of the last one for its side to move.
    pub(super) fn back_up(&mut self, line: &[u32], value: f64, params: &MctsParams) {
        let (mut value, mut is_proven) = (value, params.mcts_solver);
        for (back, &at) in line.iter().rev().enumerate() {
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
    }

    /// Adds visits to each node of a line below the root, lost for the side that moved to it.
    pub(super) fn add_virtual_loss(&mut self, line: &[u32]) {
        for &at in line.iter().skip(1) {
            let node = self.node_mut(at);
            node.visits += VIRTUAL_LOSS;
            node.sum += f64::from(VIRTUAL_LOSS);
        }
    }

    /// Undoes [`Tree::add_virtual_loss`].
    pub(super) fn remove_virtual_loss(&mut self, line: &[u32]) {
        for &at in line.iter().skip(1) {
            let node = self.node_mut(at);
            node.visits -= VIRTUAL_LOSS;
            // The additions may have rounded.
            node.sum = (node.sum - f64::from(VIRTUAL_LOSS)).max(0.0);
        }
    }

    /// Sets the result of a node, if its children prove one. Returns whether the result is known.
    fn prove(&mut self, at: u32) -> bool {
        if self.node(at).proof == Proof::Open {
            let proof = proven(self, at);
            self.node_mut(at).proof = proof;
        }
        self.node(at).proof != Proof::Open
    }
}

/// The result of a node from those of its children, if one move wins or all are proven.
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
