//! Backup: propagates the value of a leaf to all nodes of its line, and proven results to their parents.
//!
//! A node is won if a move leads to a lost one. It is lost or drawn once all its moves are proven and none is better.
//!
//! Nodes above a proven one have counted its earlier visits with other values. They can be corrected as if the result
//! had been known from the start. A move that loses is not played, so its visits then count as the mean of the others.

use super::{MctsParams, Proof, Tree};

/// The number of visits that a line counts as lost while a thread evaluates its end: 3 in the paper.
const VIRTUAL_LOSS: u32 = 3;

/// What was corrected at a node, for its parent.
#[derive(Clone, Copy, Default)]
struct Correction {
    /// What was added to the sum of the node's values.
    added: f64,
    /// If the node has just been proven to be won, so that its parent does not play it: its visits, and the sum of
    /// their values before.
    left_out: Option<(u32, f64)>,
}

impl Tree {
    /// Counts a visit of every node of a line, with the value of the last one for its side to move.
    pub(super) fn back_up(&mut self, line: &[u32], value: f64, params: &MctsParams) {
        let (mut value, mut is_proven) = (value, params.mcts_solver);
        let mut below = Correction::default();
        for (back, &at) in line.iter().rev().enumerate() {
            // At the end of a line, a new node has just got its result.
            let was_open = if back > 0 { self.node(at).proof == Proof::Open } else { self.node(at).visits == 0 };
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
                below = self.correct(at, below, was_open);
            }
        }
    }

    /// Corrects the values that a node has counted: by its own result, or by what was corrected at its child.
    /// `was_open` says whether its result was unknown before. The squares of the values stay.
    fn correct(&mut self, at: u32, below: Correction, was_open: bool) -> Correction {
        let node = self.node_mut(at);
        let (before, visits) = (node.sum, f64::from(node.visits));
        let sum = match (node.proof.value(), below.left_out) {
            (Some(value), _) => value * visits,
            (None, Some((lost, sum))) if lost < node.visits => {
                let others = before - (f64::from(lost) - sum);
                others / f64::from(node.visits - lost) * visits
            }
            (None, _) => before - below.added,
        };
        // Lines in progress count visits that are lost.
        node.sum = sum.clamp(0.0, visits);
        let is_won = was_open && matches!(node.proof, Proof::Win(_));
        Correction { added: node.sum - before, left_out: is_won.then_some((node.visits, before)) }
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
