//! The tree: nodes in one pool, edges in another, both of fixed size.
//!
//! An edge is a move with its prior in four bytes. The edges of a node lie side by side, the largest prior first. Only
//! moves that have been visited have a node. Moves that have not been visited are all worth the same, so the one with
//! the largest prior is visited next: the children of a node are always its first edges, in order, and are linked as
//! siblings.
//!
//! Where a pool is full, the search continues without new nodes.

use super::Proof;

/// No node.
pub(super) const NONE: u32 = u32::MAX;
/// Bytes of a node, of its place in the list by which a tree is compacted, and of the edges it has on average. About a
/// third of all nodes have edges, some 70 of them.
const BYTES_PER_NODE: usize = NODE + 4 + 4 * EDGES_PER_NODE;
const NODE: usize = std::mem::size_of::<Node>();
const EDGES_PER_NODE: usize = 26;
/// Most moves of a position; others are not searched.
pub(super) const MOST_MOVES: usize = 512;
/// Words before the edges of a node: the node's number.
const HEADER: usize = 1;

/// A position that has been visited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The sum of the values of all visits, from 0 to 1 each, for the side to move.
    pub(super) sum: f64,
    /// The sum of their squares.
    pub(super) squares: f32,
    pub(super) visits: u32,
    /// The place of the first edge.
    edges: u32,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
    pub(super) proof: Proof,
    /// How many edges there are; 0 until the node gets its moves.
    pub(super) moves: u16,
    /// How many of them have a node.
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

    /// The mean of the values of all visits; 1/2 without any.
    pub(super) fn mean(&self) -> f64 {
        if self.visits == 0 {
            0.5
        } else {
            self.sum / f64::from(self.visits)
        }
    }

    /// What it is worth to its side to move: its result if that is proven, or else the mean.
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

/// A search tree. It is empty until a search begins.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    most_nodes: usize,
    /// The edges of nodes: each node's number, then its edges.
    edges: Vec<u32>,
    most_edges: usize,
    /// Where nodes go when the tree is compacted.
    moved: Vec<u32>,
    /// Whether the priors of the root have the temperature of a root.
    pub(super) is_root_heated: bool,
    /// New nodes whose positions threads are evaluating now.
    pub(super) pending: Vec<u32>,
}

/// What a tree knows of a move of its root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStatistics {
    /// The move.
    pub mv: u16,
    /// Its prior, from 0 to 1.
    pub prior: f64,
    /// How often it was visited.
    pub visits: u32,
    /// What it is worth to the side that plays it, from 0 to 1; `None` without visits.
    pub value: Option<f64>,
    /// Its result for the opponent, if it is known.
    pub proof: Proof,
}

/// How many nodes a tree of this size has: the root with its moves fits in any case.
fn nodes_in(bytes: usize) -> usize {
    (bytes / BYTES_PER_NODE).clamp(64, NONE as usize / 64)
}

impl Tree {
    /// A tree that never takes more than about this many bytes, and has room for a few nodes in any case.
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
        }
    }

    /// Whether [`Tree::new`] would make a tree of this size.
    pub fn has_size(&self, bytes: usize) -> bool {
        self.most_nodes == nodes_in(bytes)
    }

    /// Empties it.
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

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes that it takes now.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * NODE + (self.edges.capacity() + self.moved.capacity()) * 4
    }

    /// The visits of the root.
    pub fn visits(&self) -> u32 {
        self.nodes.first().map_or(0, |root| root.visits)
    }

    /// What the root is worth to its side to move, from 0 to 1.
    pub fn value(&self) -> f64 {
        self.nodes.first().map_or(0.5, Node::value)
    }

    /// The result of the root for its side to move, if it is known.
    pub fn proof(&self) -> Proof {
        self.nodes.first().map_or(Proof::Open, |root| root.proof)
    }

    /// What is known of the moves of the root, the largest prior first.
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

    /// Whether there is room for another node and for the moves of one.
    pub fn has_room(&self) -> bool {
        self.nodes.len() < self.most_nodes && self.edges.len() + HEADER + MOST_MOVES <= self.most_edges
    }

    /// Adds the root to an empty tree.
    pub(super) fn plant(&mut self) {
        self.nodes.push(Node::new());
    }

    /// Adds a node for the first edge of `parent` that has none, and returns its number; `None` if the pool is full.
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

    /// Makes the position after these moves the root, and forgets everything that cannot follow from it. The tree is
    /// empty if it does not know the position.
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
        if let Some(root) = self.nodes.first_mut().filter(|root| root.proof == Proof::Repeated) {
            // Its moves are those of any other position.
            root.proof = Proof::Open;
        }
    }

    /// Keeps the nodes below `root`, which becomes the first. Nodes are in the order in which they were made, parents
    /// before their children, and stay in it: all of them move towards the front.
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
                // To be numbered when the loop gets there.
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

    /// Moves the edges of the nodes that are kept to the front.
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
