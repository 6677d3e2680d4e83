//! The alpha-beta window, and the bounds that the ply limit puts on it (mate distance pruning).

use crate::{Score, PLY_LIMIT};
use std::ops::Neg;

/// A window: scores at or below `alpha` and at or above `beta` need not be exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) alpha: Score,
    pub(super) beta: Score,
}

/// The smallest difference between two scores.
const STEP: Score = Score::from_units(1);

impl Window {
    /// The null window that decides whether a score is above `score`.
    pub(super) fn null_above(score: Score) -> Self {
        Self { alpha: score, beta: score + STEP }
    }

    /// The null window that decides whether a score is at least `score`.
    pub(super) fn null_below(score: Score) -> Self {
        Self { alpha: score - STEP, beta: score }
    }

    /// Whether this is wider than a null window, so that the node belongs to the principal variation.
    pub(super) fn is_pv(self) -> bool {
        self.beta - self.alpha > STEP
    }

    /// The intersection with the possible scores; `Err` with the score if that decides the node.
    pub(super) fn intersect(self, possible: Self) -> Result<Self, Score> {
        if possible.alpha >= self.beta {
            Err(possible.alpha)
        } else if possible.beta <= self.alpha || possible.alpha == possible.beta {
            Err(possible.beta)
        } else {
            Ok(Self { alpha: self.alpha.max(possible.alpha), beta: self.beta.min(possible.beta) })
        }
    }
}

/// The window of the opponent.
impl Neg for Window {
    type Output = Self;

    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

/// The worst and best score still possible for the side to move, after `plies` plies of the game and `from_root` plies
/// below the root, if the wazir cannot be captured at once. The opponent can capture in two plies at the earliest, the
/// side to move in three; beyond the ply limit the game is drawn.
pub(super) fn possible_scores(plies: u16, from_root: usize) -> Window {
    let from_root = from_root as i32;
    let alpha = if plies + 2 <= PLY_LIMIT { Score::loss_in(from_root + 2) } else { Score::DRAW };
    let beta = if is_too_late_to_win(plies) { Score::DRAW } else { Score::win_in(from_root + 3) };
    Window { alpha, beta }
}

/// Whether the side to move, after `plies` plies and unable to capture the wazir at once, has no later move to do so.
pub(super) fn is_too_late_to_win(plies: u16) -> bool {
    plies + 3 > PLY_LIMIT
}

#[cfg(test)]
mod tests {
    use super::{possible_scores, Window};
    use crate::Score;

    #[test]
    fn the_ply_limit_narrows_the_window() {
        let window = Window { alpha: Score::estimate(-50), beta: Score::estimate(70) };
        assert_eq!(window.intersect(possible_scores(50, 3)), Ok(window));
        assert_eq!(window.intersect(possible_scores(99, 0)), Ok(window));
        // After 100 plies the side to move can only hold the draw; after 101 neither side can win.
        assert_eq!(window.intersect(possible_scores(100, 0)), Ok(Window { beta: Score::DRAW, ..window }));
        assert_eq!(window.intersect(possible_scores(101, 0)), Err(Score::DRAW));
        let high = Window { alpha: Score::estimate(10), beta: Score::estimate(20) };
        assert_eq!(high.intersect(possible_scores(100, 0)), Err(Score::DRAW));
        assert_eq!((-high).intersect(possible_scores(101, 0)), Err(Score::DRAW));
    }

    #[test]
    fn a_longer_win_than_one_already_found_is_pruned() {
        let found = Window::null_above(Score::win_in(5));
        assert_eq!(found.intersect(possible_scores(20, 4)), Err(Score::win_in(7)));
        assert_eq!((-found).intersect(possible_scores(20, 3)), Err(Score::loss_in(5)));
        assert_eq!(found.intersect(possible_scores(20, 1)), Ok(Window { beta: Score::win_in(4), ..found }));
    }
}
