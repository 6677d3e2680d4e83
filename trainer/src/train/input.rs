//! What a training of any game learns from: labelled positions in memory, a model's input for one, and the target of
//! its output.

use rayon::prelude::*;
use stats::Score;

/// A labelled position as held in memory.
pub(crate) trait Labelled: Copy + Send + Sync {
    /// As stored.
    fn bytes(&self) -> &[u8];

    /// Score and result for the side to move.
    fn label(&self) -> (i16, Score);

    /// Plies of its game before it.
    fn ply(&self) -> u32;

    /// The output of a simple evaluation, in logits: the baseline of every model.
    fn simple(&self, target: Target) -> f32;
}

/// What a model sees of a position.
pub(crate) trait Input: Clone + Send + Sync {
    /// What it is read from.
    type Record: Labelled;

    /// Nothing yet: to be filled by [`Input::read`].
    const EMPTY: Self;

    /// Replaces the content by a record; `None`, with unusable content, for a record that is not a position in play.
    fn read(&mut self, record: &Self::Record, target: Target) -> Option<()>;

    /// What the probability of a win should be, 0 to 1.
    fn target(&self) -> f32;
}

/// What the output should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    /// The weight of the game's result beside the score's, 0 to 1.
    pub(crate) lambda: f32,
    /// Scores beyond are taken for this.
    pub(crate) clip: i16,
    /// The score that is 1 logit.
    pub(crate) logit: f32,
}

impl Target {
    /// For code that needs inputs only.
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

/// Converts millilogits to the unit of records' scores, where `logit` units are 1 logit.
pub(super) fn of_millilogits(score: i16, logit: u16) -> i16 {
    (i32::from(score) * i32::from(logit) / 1_000).clamp(-i32::from(i16::MAX), i32::from(i16::MAX)) as i16
}

/// Records of a part of the held-out set.
pub(super) fn parts<R: Sync>(records: &[R]) -> impl IndexedParallelIterator<Item = &[R]> {
    /// Fixed, so that sums do not depend on the number of threads.
    const PART: usize = 4_096;
    records.par_chunks(PART)
}
