//! A position as training sees it: the inputs that are 1, the legal moves with their rows, which was played, and the
//! target of the value.

use super::super::input::Target;
use super::Record;
use crazyhouse::features::{MoveRow, MoveRows, for_each_input};
use crazyhouse::moves::code;
use shakmaty::Position as _;

/// A position, and room to read one after the other.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) inputs: Vec<u16>,
    /// The rows of each legal move.
    pub(super) rows: Vec<MoveRow>,
    /// The place of the move played.
    pub(super) played: usize,
    /// The share that each move should have: the move played has all.
    pub(super) shares: Vec<f32>,
    /// What the probability of a win should be, 0 to 1.
    pub(super) target: f32,
}

impl Sample {
    /// Replaces the content by a record; `None`, with unusable content, for a record that is not a position, or whose
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
