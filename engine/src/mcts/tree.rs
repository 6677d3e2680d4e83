//! The tree: nodes in one pool, edges in another, both of fixed size.
//!
//! An edge is a move with its prior in four bytes. The edges of a node are adjacent, the largest prior first. Only
//! visited moves have a node. Unvisited moves all have the same value, so the one with the largest prior is visited
//! next: the children of a node are always its first edges, in order, and are linked as siblings.
//!
//! When a pool is full, the search continues without new nodes.

use super::select::Growth;
use super::Proof;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// The size of a node, its slot in the list for compaction, and its edges on average. About a third of all nodes have
/// edges, some 70 each.
const BYTES_PER_NODE: usize = NODE + 4 + 4 * EDGES_PER_NODE;
const NODE: usize = std::mem::size_of::<Node>();
const EDGES_PER_NODE: usize = 26;
/// The visits of a root after which a search ends: half of those that can be counted, so that virtual losses and
/// lines in progress have room.
pub(super) const MOST_VISITS: u32 = u32::MAX / 2;
/// The maximum number of moves of a position; others are not searched.
pub(super) const MOST_MOVES: usize = 512;
/// The number of words before the edges of a node: the node's number.
const HEADER: usize = 1;

/// A visited position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The sum of the values of all visits, from 0 to 1 each, for the side to move.
    pub(super) sum: f64,
    /// The sum of the squares of the values.
    pub(super) squares: f32,
    pub(super) visits: u32,
    /// The index of the first edge.
    edges: u32,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
    pub(super) proof: Proof,
    /// The number of edges; 0 until the node gets its moves.
    pub(super) moves: u16,
    /// The number of edges that have a node.
    pub(super) children: u16,
}

impl Node {
    fn new() -> Self {
        Self {
            sum: 0.0,
            squares: 0.0,
            visits: 0,
            edges: 0,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
            proof: Proof::Open,
            moves: 0,
            children: 0,
        }
    }

    /// The mean of the values of all visits; 1/2 without visits.
    pub(super) fn mean(&self) -> f64 {
        if self.visits == 0 {
            0.5
        } else {
            self.sum / f64::from(self.visits)
        }
    }

    /// The value for the side to move: the proven result, or else the mean.
    pub(super) fn value(&self) -> f64 {
        self.proof.value().unwrap_or_else(|| self.mean())
    }

    /// Counts a visit.
    pub(super) fn count(&mut self, value: f64) {
        self.visits += 1;
        self.sum += value;
        self.squares += (value * value) as f32;
    }
}

/// A move with its prior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge(u32);

impl Edge {
    pub(super) const fn new(mv: u16, prior: u16) -> Self {
        Self((prior as u32) << 16 | mv as u32)
    }

    pub(super) const fn mv(self) -> u16 {
        self.0 as u16
    }

    /// From 0 to 1.
    pub(super) fn prior(self) -> f64 {
        f64::from(self.0 >> 16) / 65_535.0
    }
}

/// A search tree. It is empty until the first search.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    most_nodes: usize,
    /// For each node with edges: its number, then its edges.
    edges: Vec<u32>,
    most_edges: usize,
    /// The new indices of nodes when the tree is compacted.
    moved: Vec<u32>,
    /// Whether the priors of the root have the root's temperature.
    pub(super) is_root_heated: bool,
    /// New nodes whose positions threads are currently evaluating.
    pub(super) pending: Vec<u32>,
    /// What the selection knows of cpuct.
    pub(super) growth: Growth,
}

/// The statistics of a move of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics {
    /// The move.
    pub mv: u16,
    /// Its prior, from 0 to 1.
    pub prior: f64,
    /// The number of visits.
    pub visits: u32,
    /// The value for the side that plays the move, from 0 to 1; `None` without visits.
    pub value: Option<f64>,
    /// The move's result for the opponent, if known.
    pub proof: Proof,
}

/// The number of nodes in a tree of this size, at least enough for the root with its moves.
fn nodes_in(bytes: usize) -> usize {
    (bytes / BYTES_PER_NODE).clamp(64, NONE as usize / 64)
}

impl Tree {
    /// Makes a tree that takes at most about this many bytes, but has room for at least a few nodes.
    pub fn new(bytes: usize) -> Self {
        let most_nodes = nodes_in(bytes);
        let most_edges = most_nodes * EDGES_PER_NODE;
        Self {
            nodes: Vec::with_capacity(most_nodes),
            most_nodes,
            edges: Vec::with_capacity(most_edges),
            most_edges,
            moved: Vec::with_capacity(most_nodes),
            is_root_heated: false,
            pending: Vec::new(),
            growth: Growth::default(),
        }
    }

    /// Whether [`Tree::new`] would make a tree of this size.
    pub fn has_size(&self, bytes: usize) -> bool {
        self.most_nodes == nodes_in(bytes)
    }

    /// Empties the tree.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.pending.clear();
        self.is_root_heated = false;
    }

    /// Whether there is no root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of bytes in use.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * NODE + (self.edges.capacity() + self.moved.capacity()) * 4
    }

    /// The visits of the root.
    pub fn visits(&self) -> u32 {
        self.nodes.first().map_or(0, |root| root.visits)
    }

    /// The value of the root for its side to move, from 0 to 1.
    pub fn value(&self) -> f64 {
        self.nodes.first().map_or(0.5, Node::value)
    }

    /// The proven result of the root for its side to move, if known.
    pub fn proof(&self) -> Proof {
        self.nodes.first().map_or(Proof::Open, |root| root.proof)
    }

    /// Whether another simulation may begin: the result is open, and visits can be counted.
    pub(super) fn may_continue(&self) -> bool {
        self.proof() == Proof::Open && self.visits() < MOST_VISITS
    }

    /// The statistics of the root's moves, the largest prior first.
    pub fn moves(&self) -> impl Iterator<Item = MoveStatistics> + '_ {
        let edges = if self.is_empty() { &[][..] } else { self.edges_of(0) };
        let mut child = self.nodes.first().map_or(NONE, |root| root.first_child);
        edges.iter().map(move |&edge| {
            let edge = Edge(edge);
            let (mv, prior) = (edge.mv(), edge.prior());
            let Some(node) = self.nodes.get(child as usize) else {
                return MoveStatistics { mv, prior, visits: 0, value: None, proof: Proof::Open };
            };
            child = node.next_sibling;
            MoveStatistics { mv, prior, visits: node.visits, value: Some(1.0 - node.value()), proof: node.proof }
        })
    }

    pub(super) fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    pub(super) fn node_mut(&mut self, at: u32) -> &mut Node {
        &mut self.nodes[at as usize]
    }

    fn edges_of(&self, at: u32) -> &[u32] {
        let node = self.node(at);
        &self.edges[node.edges as usize..][..usize::from(node.moves)]
    }

    /// An edge of a node.
    pub(super) fn edge(&self, at: u32, index: usize) -> Option<Edge> {
        self.edges_of(at).get(index).copied().map(Edge)
    }

    /// The children of a node with their edges, in order.
    pub(super) fn children(&self, at: u32) -> impl Iterator<Item = (u32, &Node, Edge)> {
        let mut child = self.node(at).first_child;
        self.edges_of(at).iter().map_while(move |&edge| {
            let (number, node) = (child, self.nodes.get(child as usize)?);
            child = node.next_sibling;
            Some((number, node, Edge(edge)))
        })
    }

    /// Whether there is room for another node with its moves.
    pub fn has_room(&self) -> bool {
        self.nodes.len() < self.most_nodes && self.edges.len() + HEADER + MOST_MOVES <= self.most_edges
    }

    /// Adds the root to an empty tree.
    pub(super) fn plant(&mut self) {
        self.nodes.push(Node::new());
    }

    /// Adds a node for the first edge of `parent` without one, and returns its number; `None` if the pool is full.
    pub(super) fn add_child(&mut self, parent: u32) -> Option<u32> {
        if !self.has_room() {
            return None;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(Node::new());
        let last = std::mem::replace(&mut self.node_mut(parent).last_child, number);
        self.node_mut(parent).children += 1;
        match last {
            NONE => self.node_mut(parent).first_child = number,
            last => self.node_mut(last).next_sibling = number,
        }
        Some(number)
    }

    /// Gives a node its edges, at most [`MOST_MOVES`]. There must be room.
    pub(super) fn add_edges(&mut self, at: u32, edges: impl ExactSizeIterator<Item = Edge>) {
        self.edges.push(at);
        let (first, count) = (self.edges.len() as u32, edges.len());
        self.edges.extend(edges.map(|edge| edge.0));
        let node = self.node_mut(at);
        (node.edges, node.moves) = (first, count as u16);
    }

    /// Changes the priors of a node without changing their order.
    pub(super) fn set_priors(&mut self, at: u32, priors: &[u16]) {
        let first = self.node(at).edges as usize;
        for (edge, &prior) in self.edges[first..].iter_mut().zip(priors) {
            *edge = Edge::new(Edge(*edge).mv(), prior).0;
        }
    }

    /// Makes the position after these moves the root, and drops all nodes that are not below it. The tree becomes empty
    /// if it does not have the position, or has only counted it as a draw by repetition.
    pub fn advance(&mut self, moves: &[u16]) {
        let mut root = if self.is_empty() { NONE } else { 0 };
        for &mv in moves {
            if root != NONE {
                root = self.children(root).find(|(_, _, edge)| edge.mv() == mv).map_or(NONE, |(child, ..)| child);
            }
        }
        match root {
            NONE => self.clear(),
            0 => {}
            root => self.keep(root),
        }
        if self.proof() == Proof::Repeated {
            // The visits say nothing about the position, which has never been evaluated.
            self.clear();
        }
    }

    /// Keeps the nodes below `root`, which becomes the first node. Nodes keep their order of creation, parents before
    /// children: all of them move towards the front.
    fn keep(&mut self, root: u32) {
        self.moved.clear();
        self.moved.resize(self.nodes.len(), NONE);
        self.moved[root as usize] = 0;
        let mut kept = 0;
        for at in root..self.nodes.len() as u32 {
            if self.moved[at as usize] == NONE {
                continue;
            }
            self.moved[at as usize] = kept;
            kept += 1;
            let mut child = self.node(at).first_child;
            while child != NONE {
                // Marks the child; the loop numbers it later.
                self.moved[child as usize] = 0;
                child = self.node(child).next_sibling;
            }
        }
        self.node_mut(root).next_sibling = NONE;
        self.move_edges();
        for at in root as usize..self.nodes.len() {
            let to = self.moved[at];
            if to != NONE {
                let mut node = self.nodes[at];
                for link in [&mut node.first_child, &mut node.last_child, &mut node.next_sibling] {
                    *link = self.moved.get(*link as usize).copied().unwrap_or(NONE);
                }
                self.nodes[to as usize] = node;
            }
        }
        self.nodes.truncate(kept as usize);
        self.is_root_heated = false;
    }

    /// Moves the edges of the kept nodes to the front.
    fn move_edges(&mut self) {
        let (mut from, mut to) = (0, 0);
        while let Some(&owner) = self.edges.get(from) {
            let length = HEADER + usize::from(self.node(owner).moves);
            let moved = self.moved[owner as usize];
            if moved != NONE {
                self.edges.copy_within(from..from + length, to);
                self.edges[to] = moved;
                self.node_mut(owner).edges = (to + HEADER) as u32;
                to += length;
            }
            from += length;
        }
        self.edges.truncate(to);
    }
}
