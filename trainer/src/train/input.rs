//! The training input of any game: labelled positions in memory, a model's input for one, and the target of its output.

use rayon::prelude::*;
use stats::Score;

/// A labelled position as held in memory.
pub(crate) trait Labelled: Copy + Send + Sync {
    /// The bytes as stored.
    fn bytes(&self) -> &[u8];

    /// Score and result in the view of the side to move.
    fn label(&self) -> (i16, Score);

    /// The number of plies before the position.
    fn ply(&self) -> u32;

    /// The output of a simple evaluation, in logits: the baseline for every model.
    fn simple(&self, target: Target) -> f32;
}

/// A model's view of a position.
pub(crate) trait Input: Clone + Send + Sync {
    /// The record that the input is read from.
    type Record: Labelled;

    /// An empty input, to be filled by [`Input::read`].
    const EMPTY: Self;

    /// Replaces the content by a record. Returns `None`, with unusable content, if the record is not a position in
    /// play.
    fn read(&mut self, record: &Self::Record, target: Target) -> Option<()>;

    /// The target probability of a win, 0 to 1.
    fn target(&self) -> f32;
}

/// How to compute the target of the output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    /// The weight of the game's result against the score's, 0 to 1.
    pub(crate) lambda: f32,
    /// The limit that scores are clamped to.
    pub(crate) clip: i16,
    /// The score that equals 1 logit.
    pub(crate) logit: f32,
}

impl Target {
    /// A placeholder for code that needs inputs only.
    pub(crate) const NONE: Self = Self { lambda: 0.0, clip: 0, logit: 1.0 };

    /// `(1 - lambda) sigmoid(score) + lambda result`.
    pub(super) fn of(self, record: &impl Labelled) -> f32 {
        let (score, result) = record.label();
        let score = f32::from(score.clamp(-self.clip, self.clip)) / self.logit;
        let result = f32::from(result as u8) / 2.0;
        (1.0 - self.lambda) * sigmoid(score) + self.lambda * result
    }
}

/// The logistic function.
fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-logit))
}

/// Converts millilogits to the unit of records' scores, where `logit` units equal 1 logit.
pub(super) fn of_millilogits(score: i16, logit: u16) -> i16 {
    (i32::from(score) * i32::from(logit) / 1_000).clamp(-i32::from(i16::MAX), i32::from(i16::MAX)) as i16
}

/// Splits the held-out set into parts.
pub(super) fn parts<R: Sync>(records: &[R]) -> impl IndexedParallelIterator<Item = &[R]> {
    /// A fixed size, so that sums do not depend on the number of threads.
    const PART: usize = 4_096;
    records.par_chunks(PART)
}
