//! Detects the view of scores: whether they fit better as read, or with inverted sign for positions with Black to move.
//!
//! If positions have results, scores are compared with them. Otherwise scores are compared with a prediction from the
//! pieces on their squares: a ridge regression is fitted to half of the positions and predicts the other half. A score
//! in the right view depends on the board and hardly on the side to move; in the wrong view its sign is that of the
//! side to move, which the board does not show.

use super::judge::correlation;
use super::models::feature;
use crate::chess::read::Found;
use shakmaty::{Color, Position};
use stats::Score;
use stats::matrix::Matrix;

/// The number of positions from which on results decide the view.
const BY_RESULTS: u64 = 200;
/// The margin by which the other view must agree better to be reported.
const MARGIN: f64 = 0.05;
/// The number of positions from which on boards decide the view.
const BY_BOARDS: usize = 40;
/// The maximum number of boards used.
const MOST_BOARDS: usize = 2_000;
/// Scores are clamped to this many centipawns, so that large ones do not dominate.
const LARGEST: i16 = 1_000;
/// One weight for each kind of piece on each square.
const FEATURES: usize = 6 * 64;
/// The ridge: as if each weight had been observed to be 0 in this many positions.
const RIDGE: f64 = 0.5;
/// Opcodes whose view the EPD standard fixes.
const FIXED: [&str; 2] = ["ce", "dm"];

/// How well scores in White's view and in the mover's view agree with results and with boards.
#[derive(Default)]
pub(super) struct Views {
    count: u64,
    sums: [f64; 8],
    boards: Vec<Board>,
    scores: u64,
    /// The number of scores whose view the standard fixes.
    fixed: u64,
}

/// The pieces on their squares, and the score.
struct Board {
    features: Vec<(usize, f64)>,
    as_read: f64,
    otherwise: f64,
}

/// How well both views agree with one criterion.
struct Agreement {
    as_read: f64,
    otherwise: f64,
    margin: f64,
    with: &'static str,
}

impl Views {
    pub(super) fn add(&mut self, found: &Found) {
        let Some(score) = found.score else { return };
        self.scores += 1;
        self.fixed += u64::from(found.by.score.is_some_and(|by| FIXED.contains(&by)));
        let as_read = f64::from(score.clamp(-LARGEST, LARGEST));
        let otherwise = if found.position.turn() == Color::Black { -as_read } else { as_read };
        if self.boards.len() < MOST_BOARDS {
            let pieces = found.position.board().iter();
            let features = pieces.map(|(square, piece)| feature(square, piece));
            let features = features.map(|(column, value)| (usize::from(column), f64::from(value))).collect();
            self.boards.push(Board { features, as_read, otherwise });
        }
        let Some(result) = found.result else { return };
        let (x, o, y) = (as_read, otherwise, f64::from(result as u8) - f64::from(Score::Draw as u8));
        self.count += 1;
        let terms = [x, o, y, x * x, o * o, y * y, x * y, o * y];
        self.sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }

    fn by_results(&self) -> Agreement {
        let n = self.count as f64;
        let [x, o, y, xx, oo, yy, xy, oy] = self.sums.map(|sum| sum / n);
        let of = |a: f64, aa: f64, ay: f64| (ay - a * y) / libm::sqrt((aa - a * a) * (yy - y * y));
        let (as_read, otherwise) = (of(x, xx, xy), of(o, oo, oy));
        Agreement { as_read, otherwise, margin: MARGIN, with: "results" }
    }

    /// Returns `None` if a view has no information, for example if all scores are the same.
    fn by_boards(&self) -> Option<Agreement> {
        let (fitted, foretold): (Vec<_>, Vec<_>) = self.boards.iter().enumerate().partition(|(at, _)| at % 2 == 0);
        let mut gram = Matrix::zero(FEATURES);
        (0..FEATURES).for_each(|at| gram.add(at, at, RIDGE));
        for (_, board) in &fitted {
            gram.add_square(1.0, &board.features);
        }
        let inverse = gram.inverse()?;
        let agreement = |score: fn(&Board) -> f64| {
            let mut products = vec![0.0; FEATURES];
            for (_, board) in &fitted {
                board.features.iter().for_each(|(at, value)| products[*at] += value * score(board));
            }
            let weights = inverse.times(&products);
            let says = |board: &Board| board.features.iter().map(|(at, value)| value * weights[*at]).sum::<f64>();
            let (x, y): (Vec<f64>, Vec<f64>) = foretold.iter().map(|(_, board)| (says(board), score(board))).unzip();
            correlation(&x, &y)
        };
        let (as_read, otherwise) = (agreement(|board| board.as_read), agreement(|board| board.otherwise)?);
        let margin = MARGIN + 2.0 / libm::sqrt(foretold.len() as f64);
        Some(Agreement { as_read: as_read.unwrap_or(0.0), otherwise, margin, with: "the pieces on the board" })
    }

    /// Warns if the other view fits better.
    pub(super) fn warning(&self) -> Option<String> {
        let agreement = if self.count >= BY_RESULTS {
            self.by_results()
        } else if self.boards.len() >= BY_BOARDS {
            self.by_boards()?
        } else {
            return None;
        };
        let Agreement { as_read, otherwise, margin, with } = agreement;
        let remedy = if 2 * self.fixed > self.scores {
            "`ce` is the mover's by the standard of EPD: if these are White's, call them `eval`"
        } else {
            "Set `view` to the other of `\"white\"` and `\"mover\"`"
        };
        (otherwise > as_read + margin).then(|| {
            format!(
                "scores seem to take the other side: as read, they agree with {with} by r = {as_read:.2}, with \
                    the other view by \
                 {otherwise:.2}. {remedy}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::read::By;
    use crate::chess::record::parse_fen;

    /// Rooks that are worth more on higher files, scored in White's view or the mover's; material is always equal.
    fn views(mover: bool, by: Option<&'static str>) -> Views {
        let mut views = Views::default();
        for (i, j, turn) in (1..7).flat_map(|i| (1..7).flat_map(move |j| ["w", "b"].map(|turn| (i, j, turn)))) {
            let fen = format!("7k/8/{i}R{}/8/{j}r{}/8/8/K7 {turn} - - 0 1", 7 - i, 7 - j);
            let position = parse_fen(&fen).unwrap();
            let sign = if mover && turn == "b" { -1 } else { 1 };
            let (score, by) = (Some(sign * 40 * (i - j)), By { score: by, result: None });
            views.add(&Found { position, score, result: None, by, game: 0 });
        }
        views
    }

    #[test]
    fn scores_alone_tell_the_wrong_view() {
        assert_eq!(views(false, None).warning(), None);
        let warning = views(true, None).warning().unwrap();
        assert!(
            warning.starts_with("scores seem to take the other side: ") && warning.contains("the pieces"),
            "{warning}"
        );
        assert!(warning.ends_with("Set `view` to the other of `\"white\"` and `\"mover\"`"), "{warning}");
        assert!(views(true, Some("ce")).warning().unwrap().ends_with("call them `eval`"));
    }

    #[test]
    fn few_and_equal_scores_tell_nothing() {
        let mut few = views(true, None);
        few.boards.truncate(BY_BOARDS - 1);
        assert_eq!(few.warning(), None);
        let mut equal = views(true, None);
        equal.boards.iter_mut().for_each(|board| (board.as_read, board.otherwise) = (0.0, 0.0));
        assert_eq!(equal.warning(), None);
    }
}
