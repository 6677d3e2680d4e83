//! A record of chess as training sees it: the active inputs of `pst_engine`'s network for both sides.
//!
//! Squares are in the view of the king's side: ranks are flipped for Black, and files are mirrored so that the king is
//! on files a to d. There are two sets of 768 inputs, chosen by the king's rank. Rows are inputs in an order that keeps
//! both sets' copies of an input together, `row = 2 x input + set`, so that their shared weights are computed in one
//! place. `pst_net` has the weights in the engine's integers.

use super::input::{Input, Labelled, Target};
use super::model::Features;
use crate::chess::Record;
use engine::eval::network::Buckets;
use shakmaty::{Color, Piece, Role, Square};
use stats::Score;

/// The number of outputs to choose from, by phase.
pub(super) const BUCKETS: usize = 5;
/// The same, as the sizes of a network have it.
pub(super) const OUTPUTS: Buckets = Buckets { pieces: BUCKETS, plies: 1 };
/// The number of inputs of a set.
pub(super) const INPUTS: usize = 768;
/// The number of sets of inputs.
pub(super) const SETS: usize = 2;
/// The maximum number of pieces on the board.
const PIECES: usize = 32;
/// The phase of a full board; `PHASES` gives the contribution of each role, pawn to king.
const FULL_PHASE: u8 = 24;
const PHASES: [u8; 6] = [0, 1, 1, 2, 4, 0];
/// The number of phases that share an output.
const OF_A_BUCKET: u8 = 5;
/// The value of each role in centipawns.
const MATERIAL: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// The row of an input in a set.
pub(super) const fn row_of(set: usize, input: usize) -> usize {
    SETS * input + set
}

/// The inputs and the target of a position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample {
    /// The active rows of the side to move, and of its opponent.
    rows: [[u16; PIECES]; 2],
    /// The number of active rows, the same for both.
    count: u8,
    /// The output of the position's phase.
    bucket: u8,
    target: f32,
}

/// A side's view of the board.
struct View {
    us: Color,
    /// The bits of a square that differ in this view.
    turned: usize,
    set: usize,
}

impl View {
    fn new(us: Color, king: Square) -> Self {
        let flip = us.fold_wb(0, 56);
        let king = usize::from(king) ^ flip;
        let mirror = if king % 8 < 4 { 0 } else { 7 };
        Self { us, turned: flip ^ mirror, set: usize::from(king >= 16) }
    }

    fn row(&self, square: Square, piece: Piece) -> u16 {
        let side = if piece.color == self.us { 0 } else { INPUTS / 2 };
        row_of(self.set, side + 64 * role_index(piece.role) + (usize::from(square) ^ self.turned)) as u16
    }
}

fn role_index(role: Role) -> usize {
    usize::from(role) - 1
}

impl Labelled for Record {
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    /// Missing labels count as a level score and a draw.
    fn label(&self) -> (i16, Score) {
        let labels = self.labels();
        let (score, result) = (labels.score.unwrap_or(0), labels.result.unwrap_or(Score::Draw));
        // Scores are within their limit, so negation cannot overflow.
        self.turn().fold_wb((score, result), (-score, result.mirror()))
    }

    fn ply(&self) -> u32 {
        2 * u32::from(self.fullmove().saturating_sub(1)) + u32::from(self.turn().is_black())
    }

    /// The material balance.
    fn simple(&self, target: Target) -> f32 {
        let mover = self.turn();
        let value = |(_, piece): (Square, Piece)| {
            let value = MATERIAL[role_index(piece.role)];
            if piece.color == mover { value } else { -value }
        };
        self.pieces().map(value).sum::<i32>() as f32 / target.logit
    }
}

impl Input for Sample {
    type Record = Record;

    const EMPTY: Self = Self { rows: [[0; PIECES]; 2], count: 0, bucket: 0, target: 0.0 };

    #[inline]
    fn read(&mut self, record: &Record, target: Target) -> Option<()> {
        let (mut kings, mut phase) = ([None; 2], 0);
        for (square, piece) in record.pieces() {
            phase += PHASES[role_index(piece.role)];
            if piece.role == Role::King {
                kings[piece.color as usize] = Some(square);
            }
        }
        let mover = record.turn();
        let [ours, theirs] = [View::new(mover, kings[mover as usize]?), View::new(!mover, kings[!mover as usize]?)];
        let [our_rows, their_rows] = &mut self.rows;
        self.count = 0;
        for ((square, piece), (our, their)) in record.pieces().zip(our_rows.iter_mut().zip(their_rows)) {
            (*our, *their) = (ours.row(square, piece), theirs.row(square, piece));
            self.count += 1;
        }
        self.bucket = phase.min(FULL_PHASE) / OF_A_BUCKET;
        self.target = target.of(record);
        Some(())
    }

    #[inline]
    fn target(&self) -> f32 {
        self.target
    }
}

impl Features for Sample {
    const ROWS: usize = SETS * INPUTS;
    const SHARING: usize = SETS;
    const SQUARED: bool = false;
    /// 32 rows, own and shared, and a bias are at most 32,500 units of 1/255.
    const LIMIT: f32 = 1.96;
    /// The engine's sums stay far below 2^31 even for the widest network.
    const OUTPUT_UNITS: f32 = 1_000.0;

    #[inline]
    fn rows(&self) -> [&[u16]; 2] {
        let count = usize::from(self.count).min(PIECES);
        self.rows.each_ref().map(|rows| &rows[..count])
    }

    #[inline]
    fn bucket(&self, _: Buckets) -> usize {
        usize::from(self.bucket)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::chess::Labels;
    use shakmaty::{Chess, Position};

    /// Positions of random games, scored by material, with the mover's view of it as the result.
    pub(in crate::train) fn records(count: usize) -> Vec<Record> {
        let (mut records, mut position, mut number, mut game) = (Vec::new(), Chess::default(), 1_u64, 0);
        while records.len() < count {
            let moves = position.legal_moves();
            if moves.is_empty() || position.halfmoves() > 40 {
                (position, game) = (Chess::default(), game + 1);
                continue;
            }
            number = stats::random::mix(number);
            position.play_unchecked(moves[(number % moves.len() as u64) as usize]);
            let of = |color: Color| {
                let pieces = position.board().by_color(color).into_iter();
                let roles = pieces.filter_map(|square| position.board().role_at(square));
                roles.map(|role| MATERIAL[role_index(role)]).sum::<i32>()
            };
            let score = of(Color::White) - of(Color::Black);
            let result = [Score::Loss, Score::Draw, Score::Win][(1 + score.signum()) as usize];
            let labels = Labels { score: Some(score as i16), result: Some(result), game };
            records.push(Record::new(&position, &labels).unwrap());
        }
        records
    }

    fn sample(fen: &str) -> Sample {
        let position = crate::chess::record::parse_fen(fen).unwrap();
        let labels = Labels { score: Some(150), result: Some(Score::Win), game: 0 };
        let mut sample = Sample::EMPTY;
        let target = Target { lambda: 0.25, clip: 3_200, logit: 400.0 };
        sample.read(&Record::new(&position, &labels).unwrap(), target).unwrap();
        sample
    }

    #[test]
    fn inputs_are_those_that_the_engine_specifies() {
        // White's king on g1 mirrors files: g1 is b1, h2 is a2. Black's king on d6 is on its third rank: d6 flipped is
        // d3, and nothing is mirrored.
        let sample = sample("8/8/3k4/8/8/8/7P/6K1 b - - 0 1");
        let [black, white] = sample.rows();
        let input = |side: usize, role: usize, square: usize| 384 * side + 64 * role + square;
        let rows = |set, inputs: [usize; 3]| inputs.map(|input| row_of(set, input) as u16);
        // In the order of squares: g1, h2, d6.
        assert_eq!(white, rows(0, [input(0, 5, 1), input(0, 0, 8), input(1, 5, 44)]));
        assert_eq!(black, rows(1, [input(1, 5, 62), input(1, 0, 55), input(0, 5, 19)]));
        assert_eq!(sample.bucket(OUTPUTS), 0);
    }

    #[test]
    fn targets_are_the_movers() {
        let near = |fen: &str, expected: f32| assert!((sample(fen).target() - expected).abs() < 1e-6, "{fen}");
        let share = (1.0 / (1.0 + libm::exp(-150.0 / 400.0))) as f32;
        near("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 0.75 * share + 0.25);
        near("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", 0.75 * (1.0 - share));
    }

    #[test]
    fn a_position_and_its_mirror_are_the_same_to_a_network() {
        let one = sample("rnbqk2r/pppp1ppp/5n2/4p3/1b2P3/2N2N2/PPPP1PPP/R1BQKB1R w - - 0 4");
        let other = sample("r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b - - 0 4");
        let sorted = |sample: &Sample| {
            sample.rows().map(|rows| {
                let mut rows = rows.to_vec();
                rows.sort_unstable();
                rows
            })
        };
        assert_eq!(sorted(&one), sorted(&other));
        assert_eq!((one.bucket, sample("8/8/2k5/8/8/8/2K5/Q2q4 w - - 0 1").bucket), (4, 1));
    }

    #[test]
    fn records_without_kings_are_refused() {
        let none = Record::from_bytes([0; Record::BYTES]);
        let mut sample = Sample::EMPTY;
        assert_eq!(sample.read(&none, Target::NONE), None);
    }
}
