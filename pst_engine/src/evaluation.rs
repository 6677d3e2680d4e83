//! The evaluation as the search has it: a stack that follows the moves which are made and taken back.

use crate::accumulators::Accumulators;
use crate::network::Network;
use crate::tables::{Sum, Tables};
use shakmaty::{Chess, Move, Piece, Position, Role, Square};

/// Scores stay below those of mates.
const LARGEST: i32 = 20_000;

/// A piece on a square.
pub(crate) type Placed = (Piece, Square);

/// What a move takes off the board and puts onto it.
#[derive(Default)]
pub(crate) struct Changes {
    /// What stood there before.
    pub(crate) removed: [Option<Placed>; 2],
    /// What stands there after.
    pub(crate) added: [Option<Placed>; 2],
}

impl Changes {
    /// Those of a legal move, the position being the one before it.
    pub(crate) fn of(mv: Move, before: &Chess) -> Self {
        let (us, them) = (before.turn(), !before.turn());
        let (ours, theirs) = (|role| Piece { color: us, role }, |role| Piece { color: them, role });
        match mv {
            Move::Normal { role, from, capture, to, promotion } => Self {
                removed: [Some((ours(role), from)), capture.map(|captured| (theirs(captured), to))],
                added: [Some((ours(promotion.unwrap_or(role)), to)), None],
            },
            Move::EnPassant { from, to } => {
                let captured = Square::from_coords(to.file(), from.rank());
                Self {
                    removed: [Some((ours(Role::Pawn), from)), Some((theirs(Role::Pawn), captured))],
                    added: [Some((ours(Role::Pawn), to)), None],
                }
            }
            Move::Castle { king, rook } => mv.castling_side().map_or_else(Self::default, |side| Self {
                removed: [Some((ours(Role::King), king)), Some((ours(Role::Rook), rook))],
                added: [Some((ours(Role::King), side.king_to(us))), Some((ours(Role::Rook), side.rook_to(us)))],
            }),
            Move::Put { .. } => Self::default(),
        }
    }
}

/// The evaluation of the current position and of those on the way to it: by tables, or by a network if there is one.
#[derive(Default)]
pub(crate) struct Evaluator {
    tables: Tables,
    /// The sum of each position from the root on.
    sums: Vec<Sum>,
    network: Option<Accumulators>,
}

impl Evaluator {
    /// Evaluates by these tables from the next root on, unless there is a network.
    pub(crate) fn set_tables(&mut self, tables: Tables) {
        self.tables = tables;
    }

    /// Evaluates by this network from the next root on, or by the tables again.
    pub(crate) fn set_network(&mut self, network: Option<Network>) {
        self.network = network.map(Accumulators::new);
    }

    /// Starts at a position.
    pub(crate) fn reset(&mut self, position: &Chess) {
        self.sums.clear();
        match &mut self.network {
            Some(network) => network.reset(position.board()),
            None => self.sums.push(self.tables.sum(position.board())),
        }
    }

    /// Follows a move from the current position to the next.
    pub(crate) fn push(&mut self, mv: Move, before: &Chess, after: &Chess) {
        let changes = Changes::of(mv, before);
        if let Some(network) = &mut self.network {
            return network.push(&changes, after.board());
        }
        let mut sum = self.sums.last().copied().unwrap_or_default();
        for (piece, square) in changes.removed.into_iter().flatten() {
            sum = sum.minus(self.tables.of(piece, square));
        }
        for (piece, square) in changes.added.into_iter().flatten() {
            sum = sum.plus(self.tables.of(piece, square));
        }
        self.sums.push(sum);
    }

    /// Takes the last move back.
    pub(crate) fn pop(&mut self) {
        match &mut self.network {
            Some(network) => network.pop(),
            None => drop(self.sums.pop()),
        }
    }

    /// Whether the incremental state equals that of a fresh start from this position.
    pub(crate) fn is_from_scratch(&self, position: &Chess) -> bool {
        match &self.network {
            Some(network) => network.is_from_scratch(position.board()),
            None => self.sums.last() == Some(&self.tables.sum(position.board())),
        }
    }

    /// Centipawns from the mover's side, of the current position.
    pub(crate) fn of_mover(&self, position: &Chess) -> i32 {
        let turn = position.turn();
        let score = match &self.network {
            Some(network) => network.output(turn, position.board()),
            None => turn.fold_wb(1, -1) * self.sums.last().copied().unwrap_or_default().score(),
        };
        score.clamp(-LARGEST, LARGEST)
    }

    /// Centipawns from white's side, of the current position.
    pub(crate) fn of_white(&self, position: &Chess) -> i32 {
        position.turn().fold_wb(1, -1) * self.of_mover(position)
    }
}
