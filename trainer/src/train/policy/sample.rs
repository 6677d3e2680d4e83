//! A position as a policy in training sees it: the activations of the network's hidden layer, the safe moves with the
//! numbers of their weights, the move played, and the target share of each move.

use super::super::input::{Labelled, Target};
use crate::data::{Record, VisitRecord};
use engine::eval::{Evaluation, Network};
use engine::{MoveList, PolicyRow, PolicyRows};
use stats::Score;

/// The line of positions that a network keeps.
type Line = <Network as Evaluation>::Line;

/// A record that a policy can learn from.
pub(in crate::train) trait MoveRecord: Labelled {
    /// The position with the move played.
    fn played(&self) -> Record;

    /// Writes the target share of each move, in the order of `moves`; the sum is 1. Returns `None`, with unusable
    /// content, if none of the moves has a share.
    fn shares(&self, moves: &MoveList, shares: &mut Vec<f32>) -> Option<()>;
}

/// The move played has the whole share.
impl MoveRecord for Record {
    fn played(&self) -> Record {
        *self
    }

    fn shares(&self, moves: &MoveList, shares: &mut Vec<f32>) -> Option<()> {
        let best = self.best()?;
        shares.clear();
        shares.extend(moves.iter().map(|&mv| if mv == best { 1.0 } else { 0.0 }));
        shares.contains(&1.0).then_some(())
    }
}

/// Each move has its share of the visits of the kept moves.
impl MoveRecord for VisitRecord {
    fn played(&self) -> Record {
        self.record()
    }

    fn shares(&self, moves: &MoveList, shares: &mut Vec<f32>) -> Option<()> {
        shares.clear();
        shares.resize(moves.len(), 0.0);
        let mut total = 0.0;
        for (mv, share) in VisitRecord::shares(self) {
            if let Some(place) = moves.iter().position(|&known| known == mv) {
                shares[place] = f32::from(share);
                total += shares[place];
            }
        }
        for share in shares.iter_mut() {
            *share /= total;
        }
        (total > 0.0).then_some(())
    }
}

impl Labelled for VisitRecord {
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    fn label(&self) -> (i16, Score) {
        self.record().label()
    }

    fn ply(&self) -> u32 {
        Labelled::ply(&self.record())
    }

    fn simple(&self, target: Target) -> f32 {
        self.record().simple(target)
    }
}

/// A position, with buffers that are reused for the next one.
pub(super) struct Sample {
    line: Line,
    moves: MoveList,
    /// The activations, 0 to 1, the mover's half first.
    pub(super) activations: Vec<f32>,
    /// The weights of each safe move.
    pub(super) rows: Vec<PolicyRow>,
    /// The index of the move played.
    pub(super) played: usize,
    /// The target share of each safe move.
    pub(super) shares: Vec<f32>,
}

impl Sample {
    /// An empty sample, to be filled by [`Sample::read`].
    pub(super) fn new(network: &Network) -> Self {
        let (activations, rows, shares) = (Vec::new(), Vec::new(), Vec::new());
        Self { line: network.new_line(1), moves: MoveList::new(), activations, rows, played: 0, shares }
    }

    /// Replaces the content by a record. Returns `None`, with unusable content, if the record has no position in play,
    /// or its move is not a safe one.
    pub(super) fn read(&mut self, record: &impl MoveRecord, network: &Network) -> Option<()> {
        let played = record.played();
        let position = played.position().ok()?;
        position.safe_moves(&mut self.moves);
        let best = played.best()?;
        record.shares(&self.moves, &mut self.shares)?;
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
