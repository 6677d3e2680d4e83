//! A position as a policy in training sees it: the activations of the network's hidden layer, the safe moves with the
//! numbers of their weights, and which of them was played.

use crate::data::Record;
use engine::eval::{Evaluation, Network};
use engine::{MoveList, PolicyRow, PolicyRows};

/// The line of positions that a network keeps.
type Line = <Network as Evaluation>::Line;

/// A position, and room to read one after the other.
pub(super) struct Sample {
    line: Line,
    moves: MoveList,
    /// The activations, 0 to 1, the mover's half first.
    pub(super) activations: Vec<f32>,
    /// The weights of each safe move.
    pub(super) rows: Vec<PolicyRow>,
    /// The place of the move played.
    pub(super) played: usize,
}

impl Sample {
    /// Nothing yet: to be filled by [`Sample::read`].
    pub(super) fn new(network: &Network) -> Self {
        let (activations, rows) = (Vec::new(), Vec::new());
        Self { line: network.new_line(1), moves: MoveList::new(), activations, rows, played: 0 }
    }

    /// Replaces the content by a record; `None`, with unusable content, for a record that has no position in play, or
    /// whose move is not a safe one.
    pub(super) fn read(&mut self, record: &Record, network: &Network) -> Option<()> {
        let position = record.position().ok()?;
        position.safe_moves(&mut self.moves);
        let best = record.best()?;
        self.played = self.moves.iter().position(|&mv| mv == best)?;
        let rows = PolicyRows::new(&position)?;
        self.rows.clear();
        self.rows.extend(self.moves.iter().map(|&mv| rows.row(mv)));
        network.start(&mut self.line, &position);
        let hidden = network.hidden(&mut self.line, 0, &position)?;
        self.activations.clear();
        self.activations.extend(hidden.activations().map(|units| f32::from(units) / (255.0 * 255.0)));
        Some(())
    }
}

/// Whether a policy can learn from a record: not if every move loses the wazir.
///
/// # Errors
/// If the record's move is not legal.
pub(in crate::train) fn is_usable(record: &Record) -> Result<bool, ()> {
    record.check().map_err(|_| ())?;
    let (Ok(position), Some(best)) = (record.position(), record.best()) else { return Err(()) };
    Ok(position.is_safe(best))
}
