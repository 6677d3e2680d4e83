//! The interval of scores that still matter, and the line of reasoning by which it shrinks near the end of the game.

use crate::{Score, PLY_LIMIT};

/// Scores at or below `alpha` and at or above `beta` need not be exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) alpha: Score,
    pub(super) beta: Score,
}

/// The smallest difference of two scores.
const STEP: Score = Score::from_units(1);

impl Window {
    /// Asks only whether a score is above `score`.
    pub(super) fn above(score: Score) -> Self {
        Self { alpha: score, beta: score + STEP }
    }

    /// Asks only whether a score reaches `score`.
    pub(super) fn reaches(score: Score) -> Self {
        Self { alpha: score - STEP, beta: score }
    }

    /// The same window from the other side.
    pub(super) fn flipped(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Whether exact scores are asked for.
    pub(super) fn is_open(self) -> bool {
        self.beta - self.alpha > STEP
    }

    /// Intersects with what is possible; `Err` with the score if that decides it.
    pub(super) fn within(self, possible: Self) -> Result<Self, Score> {
        if possible.alpha >= self.beta {
            Err(possible.alpha)
        } else if possible.beta <= self.alpha || possible.alpha == possible.beta {
            Err(possible.beta)
        } else {
            Ok(Self { alpha: self.alpha.max(possible.alpha), beta: self.beta.min(possible.beta) })
        }
    }
}

/// The scores that are possible, from the side to move and `from_root` plies below the root, for a position after `plies`
/// plies in which the wazir cannot be captured at once. The opponent captures in two plies at the earliest, the side to
/// move in three; what would be after the last ply is a draw.
pub(super) fn possible(plies: u16, from_root: usize) -> Window {
    let from_root = from_root as i32;
    let alpha = if plies + 2 <= PLY_LIMIT { Score::loss_in(from_root + 2) } else { Score::DRAW };
    let beta = if is_too_late_to_win(plies) { Score::DRAW } else { Score::win_in(from_root + 3) };
    Window { alpha, beta }
}

/// Whether the side to move, which cannot capture the wazir at once after `plies` plies, has no later move to do so.
pub(super) fn is_too_late_to_win(plies: u16) -> bool {
    plies + 3 > PLY_LIMIT
}

#[cfg(test)]
mod tests {
    use super::{possible, Window};
    use crate::Score;

    #[test]
    fn the_last_plies_decide_by_themselves() {
        let window = Window { alpha: Score::estimate(-50), beta: Score::estimate(70) };
        assert_eq!(window.within(possible(50, 3)), Ok(window));
        assert_eq!(window.within(possible(99, 0)), Ok(window));
        // After 100 plies the side to move can only hold the draw, after 101 nobody can win.
        assert_eq!(window.within(possible(100, 0)), Ok(Window { beta: Score::DRAW, ..window }));
        assert_eq!(window.within(possible(101, 0)), Err(Score::DRAW));
        let high = Window { alpha: Score::estimate(10), beta: Score::estimate(20) };
        assert_eq!(high.within(possible(100, 0)), Err(Score::DRAW));
        assert_eq!(high.flipped().within(possible(101, 0)), Err(Score::DRAW));
    }

    #[test]
    fn a_shorter_win_elsewhere_is_enough() {
        let found = Window::above(Score::win_in(5));
        assert_eq!(found.within(possible(20, 4)), Err(Score::win_in(7)));
        assert_eq!(found.flipped().within(possible(20, 3)), Err(Score::loss_in(5)));
        assert_eq!(found.within(possible(20, 1)), Ok(Window { beta: Score::win_in(4), ..found }));
    }
}
