//! A position as training sees it: the inputs that are 1, the legal moves with their rows, the move played, and the
//! target of the value.

use super::super::input::Target;
use super::Record;
use crazyhouse::features::{MoveRow, MoveRows, for_each_input};
use crazyhouse::moves::code;
use shakmaty::Position as _;

/// A position, with buffers that are reused for the next one.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) inputs: Vec<u16>,
    /// The rows of each legal move.
    pub(super) rows: Vec<MoveRow>,
    /// The index of the move played.
    pub(super) played: usize,
    /// The target share of each move: 1 for the move played.
    pub(super) shares: Vec<f32>,
    /// The target probability of a win, 0 to 1.
    pub(super) target: f32,
}

impl Sample {
    /// Replaces the content by a record. Returns `None`, with unusable content, if the record is not a position or its
    /// move is not legal.
    pub(super) fn read(&mut self, record: &Record, target: Target) -> Option<()> {
        let position = record.position()?;
        let moves = position.legal_moves();
        let played = record.played();
        self.played = moves.iter().position(|&mv| code(mv) == played)?;
        self.shares.clear();
        self.shares.resize(moves.len(), 0.0);
        self.shares[self.played] = 1.0;
        let rows = MoveRows::new(&position);
        self.rows.clear();
        self.rows.extend(moves.iter().map(|&mv| rows.row(mv)));
        self.inputs.clear();
        for_each_input(&position, |input| self.inputs.push(input as u16));
        self.target = target.of(record);
        Some(())
    }
}
