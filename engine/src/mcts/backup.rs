//! Backup: propagates the value of a leaf to all nodes of its line, and proven results to their parents.
//!
//! A node is won if a move leads to a lost one. It is lost or drawn once all its moves are proven and none is better.
//!
//! Nodes above a proven one have counted its earlier visits with other values, which can be corrected. A move that
//! loses is not played, so a node with such moves then has the mean value of its other moves.

use super::{MctsParams, Proof, Tree};

/// The number of visits that a line counts as lost while a thread evaluates its end: 3 in the paper.
const VIRTUAL_LOSS: u32 = 3;

impl Tree {
    /// Counts a visit of every node of a line, with the value of the last one for its side to move.
    pub(super) fn back_up(&mut self, line: &[u32], value: f64, params: &MctsParams) {
        let (mut value, mut is_proven) = (value, params.mcts_solver);
        let mut added_below = 0.0;
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
            if params.mcts_solver && params.mcts_corrections {
                added_below = self.correct(at, added_below);
            }
        }
    }

    /// Corrects the sum of a node's values: by its own result, by its moves that do not lose, or by what was added to
    /// the sum of its child. Returns what was added. The squares of the values stay.
    ///
    /// Lines in progress of other threads count as lost here, too, until the next visit corrects the sum again.
    fn correct(&mut self, at: u32, added_below: f64) -> f64 {
        let mean = if self.node(at).proof == Proof::Open { self.mean_of_others(at) } else { None };
        let node = self.node_mut(at);
        let (before, visits) = (node.sum, f64::from(node.visits));
        let sum = node.proof.value().or(mean).map_or(before - added_below, |value| value * visits);
        node.sum = sum.clamp(0.0, visits);
        node.sum - before
    }

    /// The mean value of the moves that do not lose; `None` if no move is known to lose, or no other was visited.
    fn mean_of_others(&self, at: u32) -> Option<f64> {
        let (mut loses, mut visits, mut sum) = (false, 0, 0.0);
        for (_, child, _) in self.children(at) {
            if matches!(child.proof, Proof::Win(_)) {
                loses = true;
            } else {
                visits += child.visits;
                sum += f64::from(child.visits) - child.sum;
            }
        }
        (loses && visits > 0).then(|| sum / f64::from(visits))
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
