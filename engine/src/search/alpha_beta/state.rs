//! The memory of a search in one thread, without the transposition table. Allocated once and reused by all searches of
//! an engine.

use super::super::repetition::RepetitionHistory;
use super::super::result::Pv;
use super::history::History;
use super::move_picker::{MovePicker, PickedMove};
use super::AlphaBetaParams;
use crate::{Move, Position, Score, PLY_LIMIT};

/// The maximum number of plies below the root: no game is longer. One more, for the PV behind the last node.
pub(super) const PLIES: usize = PLY_LIMIT as usize + 2;

/// Histories, keys for the repetition check, and for each ply a move picker and a principal variation (PV).
#[derive(Clone, Debug)]
pub(super) struct SearchState {
    pub(super) history: History,
    pub(super) repetition: RepetitionHistory,
    /// The static evaluation by ply; in check, that of this side's previous move.
    pub(super) static_evals: Vec<Score>,
    pickers: Vec<MovePicker>,
    pvs: Vec<Pv>,
}

impl SearchState {
    pub(super) fn new() -> Self {
        Self {
            history: History::new(),
            repetition: RepetitionHistory::new(),
            static_evals: vec![Score::DRAW; PLIES],
            pickers: vec![MovePicker::new(); PLIES],
            pvs: vec![Pv::EMPTY; PLIES],
        }
    }

    /// Forgets what was learned in earlier games.
    pub(super) fn new_game(&mut self) {
        self.history.new_game();
    }

    /// Prepares for a search of the position with key `root`; `history` holds the keys of the game's earlier positions.
    pub(super) fn new_search(&mut self, params: &AlphaBetaParams, history: &[u64], root: u64) {
        self.repetition.reset(history);
        self.repetition.push(root);
        self.pickers.iter_mut().for_each(|picker| picker.new_search(params));
    }

    pub(super) fn picker(&mut self, ply: usize) -> &mut MovePicker {
        &mut self.pickers[ply]
    }

    /// The next move to search at a ply.
    #[inline]
    pub(super) fn next_move(&mut self, ply: usize, position: &Position) -> Option<PickedMove> {
        self.pickers[ply].next(position, &self.history)
    }

    pub(super) fn pv(&mut self, ply: usize) -> &mut Pv {
        &mut self.pvs[ply]
    }

    /// Sets the PV of `ply` to `mv` followed by the PV of the next ply.
    pub(super) fn update_pv(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.pvs.split_at_mut(ply + 1);
        upper[ply].set(mv, &lower[0]);
    }
}
