//! A record as training sees it: the active features of both sides, and the target output.
//!
//! Owns the direct conversion of 38 bytes to 2 x 31 rows of the first layer, without a position in between. Rows are
//! features in an order that keeps the ten blocks' copies of a feature together: `row = 10 x within_block + block`, so
//! that their shared weights are computed in one place.

use super::input::{Input, Labelled, Target};
use super::model::Features;
use crate::data::Record;
use engine::eval::features::{ACTIVE, BLOCK, FEATURES, Perspective, within_block};
use engine::eval::network::Buckets;
use engine::{EvaluationKind, Piece, Side, Square};
use stats::Score;

/// Blocks of features: one for each square of the own wazir.
pub(super) const BLOCKS: usize = FEATURES / BLOCK;
/// The number of pieces of both sides, on the board and in hand.
const PIECES: usize = 32;

/// The row of a feature.
pub(crate) const fn row_of(feature: usize) -> usize {
    BLOCKS * within_block(feature) + feature / BLOCK
}

/// The row of each feature.
static ROWS: [u16; FEATURES] = {
    let mut rows = [0; FEATURES];
    let mut feature = 0;
    while feature < FEATURES {
        rows[feature] = row_of(feature) as u16;
        feature += 1;
    }
    rows
};

/// The feature of a row.
pub(super) const fn feature_of(row: usize) -> usize {
    row / BLOCKS + BLOCK * (row % BLOCKS)
}

/// The inputs and the target of a position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// The active rows of the side to move, and of its opponent.
    pub(crate) rows: [[u16; ACTIVE]; 2],
    /// The number of pieces on the board.
    on_board: u8,
    /// The number of plies made.
    plies: u8,
    /// The target probability of a win, 0 to 1.
    target: f32,
}

impl Labelled for Record {
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    fn label(&self) -> (i16, Score) {
        (self.score(), self.result())
    }

    fn ply(&self) -> u32 {
        u32::from(Record::ply(self))
    }

    /// The engine's piece-square tables.
    fn simple(&self, _: Target) -> f32 {
        let score = self.position().map(|position| engine::evaluate(EvaluationKind::PieceSquare, &position));
        score.map_or(0.0, |score| score.logit() as f32)
    }
}

impl Input for Sample {
    type Record = Record;

    const EMPTY: Self = Self { rows: [[0; ACTIVE]; 2], on_board: 0, plies: 0, target: 0.0 };

    #[inline]
    fn read(&mut self, record: &Record, target: Target) -> Option<()> {
        let (bytes, mut squares) = (record.as_bytes(), record.occupied().0);
        let nibbles: [u8; PIECES] = std::array::from_fn(|i| (bytes[8 + i / 2] >> (4 * (i % 2))) & 15);
        let count = squares.count_ones() as usize;
        if count > PIECES {
            return None;
        }
        let mut placed = [(Square::A1, 0_u8); PIECES];
        let mut wazirs = [None; 2];
        for (place, &nibble) in placed.iter_mut().zip(&nibbles).take(count) {
            *place = (Square::from_index(squares.trailing_zeros() as usize)?, nibble);
            squares &= squares - 1;
            match nibble {
                RED_WAZIR => wazirs[0] = Some(place.0),
                BLUE_WAZIR => wazirs[1] = Some(place.0),
                _ => {}
            }
        }
        let mover = record.side_to_move();
        for (rows, side) in self.rows.iter_mut().zip([mover, mover.other()]) {
            let perspective = Perspective::new(side, wazirs[side.index()]?);
            fill(rows, &perspective, side, &placed[..count], &nibbles[count..])?;
        }
        self.on_board = count as u8;
        self.plies = Record::ply(record);
        self.target = target.of(record);
        Some(())
    }

    #[inline]
    fn target(&self) -> f32 {
        self.target
    }
}

impl Features for Sample {
    const ROWS: usize = FEATURES;
    const SHARING: usize = BLOCKS;
    const SQUARED: bool = true;
    const LIMIT: f32 = 2.0;
    const OUTPUT_UNITS: f32 = 127.0;

    #[inline]
    fn rows(&self) -> [&[u16]; 2] {
        self.rows.each_ref().map(<[_; ACTIVE]>::as_slice)
    }

    #[inline]
    fn bucket(&self, buckets: Buckets) -> usize {
        buckets.of(usize::from(self.on_board), u16::from(self.plies))
    }
}

const RED_WAZIR: u8 = Piece::Wazir as u8;
const BLUE_WAZIR: u8 = 5 + Piece::Wazir as u8;

/// Fills in the active rows of one side; `None` if their number is wrong.
#[inline]
fn fill(
    rows: &mut [u16; ACTIVE],
    perspective: &Perspective,
    side: Side,
    placed: &[(Square, u8)],
    held: &[u8],
) -> Option<()> {
    let own_wazir = RED_WAZIR + 5 * side.index() as u8;
    let mut free = rows.iter_mut();
    for &(square, nibble) in placed {
        if nibble != own_wazir {
            let (owner, piece) = piece_of(nibble)?;
            *free.next()? = ROWS[perspective.board(owner, piece, square)];
        }
    }
    let (mut last, mut nth) = (u8::MAX, 0);
    for &nibble in held {
        nth = if nibble == last { nth + 1 } else { 0 };
        last = nibble;
        let (owner, piece) = piece_of(nibble).filter(|&(_, piece)| piece != Piece::Wazir)?;
        if nth >= 2 * piece.count_per_side() {
            return None;
        }
        *free.next()? = ROWS[perspective.hand(owner, piece, nth)];
    }
    free.next().is_none().then_some(())
}

#[inline]
fn piece_of(nibble: u8) -> Option<(Side, Piece)> {
    let (side, kind) = if nibble < 5 { (Side::Red, nibble) } else { (Side::Blue, nibble - 5) };
    Piece::from_index(usize::from(kind)).map(|piece| (side, piece))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::tests::records;
    use engine::eval::features::for_each_feature;

    const TARGET: Target = Target { lambda: 0.25, clip: 8_000, logit: 1_000.0 };

    #[test]
    fn rows_are_the_features_in_another_order() {
        let mut seen = vec![false; FEATURES];
        for feature in 0..FEATURES {
            assert_eq!(feature_of(row_of(feature)), feature);
            seen[row_of(feature)] = true;
        }
        assert!(seen.iter().all(|&seen| seen));
    }

    #[test]
    fn records_have_the_features_of_their_positions() {
        let mut sample = Sample::EMPTY;
        for record in records(3_000) {
            let position = record.position().unwrap();
            sample.read(&record, TARGET).unwrap();
            let mover = position.side_to_move();
            for (rows, side) in sample.rows.iter().zip([mover, mover.other()]) {
                let mut expected = Vec::new();
                for_each_feature(&position, side, |feature| expected.push(feature));
                let mut found: Vec<usize> = rows.iter().map(|&row| feature_of(usize::from(row))).collect();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{position}");
            }
            assert_eq!(u32::from(sample.on_board), position.occupied().count());
        }
    }

    #[test]
    fn the_target_mixes_score_and_result() {
        let record = records(1)[0];
        let (score, result) = (f64::from(record.score()) / 1000.0, record.result().points());
        let expected = 0.75 / (1.0 + libm::exp(-score)) + 0.25 * result;
        assert!((f64::from(TARGET.of(&record)) - expected).abs() < 1e-6);
        let clipped = Target { lambda: 0.0, ..Target::NONE };
        assert!((clipped.of(&record) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn bytes_that_are_no_position_are_refused() {
        let record = records(1)[0];
        let mut sample = Sample::EMPTY;
        for (at, value) in [(0, 0), (8, 0xff), (8, 0x44), (8, 0xaa)] {
            let mut bytes = *record.as_bytes();
            bytes[at] = value;
            assert_eq!(sample.read(&Record::from_bytes(bytes), TARGET), None, "byte {at} = {value}");
        }
        let nothing = Record::from_bytes([0; Record::BYTES]);
        assert_eq!(sample.read(&nothing, TARGET), None);
    }
}
