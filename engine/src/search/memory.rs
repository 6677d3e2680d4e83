//! What a search keeps from node to node, allocated once and reused by all searches of an engine.

use super::ordering::Picker;
use super::repetition::Seen;
use super::report::Line;
use super::table::Table;
use crate::{Move, Params, PLY_LIMIT};

/// Plies that a line can have: no game is longer. One more, for the line behind the last node.
pub(super) const PLIES: usize = PLY_LIMIT as usize + 2;

/// Table, stack of positions, and per ply the moves and the line found.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) table: Table,
    pub(super) seen: Seen,
    pickers: Vec<Picker>,
    lines: Vec<Line>,
}

impl Memory {
    pub(super) fn new(table_bytes: usize) -> Self {
        Self {
            table: Table::new(table_bytes),
            seen: Seen::new(),
            pickers: vec![Picker::new(); PLIES],
            lines: vec![Line::EMPTY; PLIES],
        }
    }

    /// Gets ready for a search of the position with key `root` in a game with these earlier positions.
    pub(super) fn new_search(&mut self, params: &Params, history: &[u64], root: u64) {
        self.table.new_search();
        self.seen.reset(history);
        self.seen.push(root);
        self.pickers.iter_mut().for_each(|picker| picker.new_search(params));
    }

    pub(super) fn picker(&mut self, ply: usize) -> &mut Picker {
        &mut self.pickers[ply]
    }

    pub(super) fn line(&mut self, ply: usize) -> &mut Line {
        &mut self.lines[ply]
    }

    /// The line of `ply` becomes `mv` and the line found behind it.
    pub(super) fn extend_line(&mut self, ply: usize, mv: Move) {
        let (here, behind) = self.lines.split_at_mut(ply + 1);
        here[ply].lead(mv, &behind[0]);
    }
}
