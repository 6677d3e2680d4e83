//! A small network that evaluates in place of the tables: the format of its file, which weight belongs to what, and its
//! output. `accumulators` follows the moves; training is done elsewhere.
//!
//! # Shape
//!
//! The position is seen twice, by the side to move and by the other, through the same weights:
//! 768 inputs a side (in one of two sets of weights) -> `hidden` units with clipped rectifiers; both halves -> one
//! number, by one of five sets of output weights.
//!
//! # Inputs
//!
//! Squares count a1 = 0, b1 = 1, ... h1 = 7, a2 = 8, ... h8 = 63. Roles count pawn 0, knight 1, bishop 2, rook 3,
//! queen 4, king 5. For the side `us`, white or black, whose king is on `king`:
//!
//! ```text
//! flip    = us is white ? 0 : 56
//! mirror  = the file of `king` is e, f, g or h ? 7 : 0
//! set     = (king ^ flip) < 16 ? 0 : 1                    on its first two ranks, or further
//! input(piece, square) = (piece is of `us` ? 0 : 384) + 64 * role + (square ^ flip ^ mirror)
//! ```
//!
//! `^` is exclusive or. So the own king is on files a to d always; both kings are inputs like all other pieces.
//!
//! # Output
//!
//! ```text
//! half(us)[h] = input_bias[h] + the sum of input_weight[set][input][h] over all pieces           in i16, wrapping
//! a(us)[h]    = min(max(half(us)[h], 0), one)
//! phase       = knights + bishops + 2 * rooks + 4 * queens of both sides, 24 at most
//! bucket      = phase / 5                                  0, ... 4: 0 with few pieces or none, 4 from 20 on
//! sum         = output_bias[bucket] + the sum over h of output_weight[bucket][0][h] * a(mover)[h]
//!                                                     + output_weight[bucket][1][h] * a(other)[h]
//! centipawns  = sum * scale / (one * output_one)           for the side to move; in i64, rounded towards zero
//! ```
//!
//! A trainer that works in real numbers, with rectifiers clipped to 0 and 1, writes `round(one * w)` for input weights
//! and biases, `round(output_one * w)` for output weights, and `round(one * output_one * w)` for output biases. `scale`
//! is how many centipawns an output of 1.0 is. It is up to the trainer that no half leaves the range of i16.
//!
//! # File
//!
//! All numbers are little-endian, without padding; the file ends with the last one.
//!
//! | offset | type | what |
//! |---|---|---|
//! | 0 | 8 bytes | `PST-NET` and a line feed, 0x0A |
//! | 8 | u32 | version: 1 |
//! | 12 | u32 | `hidden`, units a side: a multiple of 16, from 16 to 2048 |
//! | 16 | u32 | sets of input weights: 2 |
//! | 20 | u32 | buckets: 5 |
//! | 24 | i32 | `one`: an activation of 1.0, from 1 to 32767 |
//! | 28 | i32 | `output_one`: an output weight of 1.0, from 1 to 32767 |
//! | 32 | i32 | `scale`, from 1 to 32767 |
//! | 36 | i16 | `input_bias[hidden]` |
//! | then | i16 | `input_weight[2][768][hidden]`, the last index running fastest |
//! | then | i16 | `output_weight[5][2][hidden]`, the mover's half first |
//! | then | i32 | `output_bias[5]` |
//!
//! A file whose sums could leave the range of i32 is refused: for each bucket, the sum of all |`output_weight`| times
//! `one`, plus |`output_bias`|, is below 2^31.

use crate::tables::{phase, role_index};
use shakmaty::{Board, Color, Piece, Square};
use std::path::Path;

const MAGIC: &[u8; 8] = b"PST-NET\n";
const VERSION: i32 = 1;
const INPUTS: usize = 768;
const SETS: usize = 2;
const BUCKETS: usize = 5;
/// Phases that share a bucket.
const PHASES: usize = 5;

/// How a side sees the board: all that decides which inputs pieces are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct View {
    us: Color,
    /// The bits of a square that are other to it.
    turned: usize,
    set: usize,
}

impl View {
    /// That of the side whose king this is.
    pub(crate) fn new(us: Color, king: Square) -> Self {
        let flip = us.fold_wb(0, 56);
        let king = usize::from(king) ^ flip;
        let mirror = if king % 8 < 4 { 0 } else { 7 };
        Self { us, turned: flip ^ mirror, set: usize::from(king >= 16) }
    }

    /// That of a side.
    pub(crate) fn of(us: Color, board: &Board) -> Self {
        // Positions with a king of each side are all that the rules let through.
        Self::new(us, board.king_of(us).unwrap_or(Square::A1))
    }

    /// Which input a piece is, over both sets.
    fn input(self, piece: Piece, square: Square) -> usize {
        let side = if piece.color == self.us { 0 } else { INPUTS / 2 };
        INPUTS * self.set + side + 64 * role_index(piece.role) + (usize::from(square) ^ self.turned)
    }
}

/// The weights.
pub(crate) struct Network {
    /// Units a side.
    pub(crate) hidden: usize,
    one: i16,
    output_one: i32,
    scale: i32,
    input_biases: Vec<i16>,
    input_weights: Vec<i16>,
    output_weights: Vec<i16>,
    output_biases: Vec<i32>,
}

impl Network {
    /// Reads a file.
    ///
    /// # Errors
    /// One message with the file and what was expected.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let within = |message: String| format!("{}: {message}", path.display());
        let bytes = std::fs::read(path).map_err(|error| within(error.to_string()))?;
        Self::parse(&bytes).map_err(within)
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or("not a network: expected `PST-NET` at its beginning")?;
        let mut field = |name: &str, least: i32, most: i32| {
            let value = number(&mut rest).ok_or_else(|| format!("it ends before `{name}`"))?;
            let is_sound = (least..=most).contains(&value);
            is_sound.then_some(value).ok_or_else(|| format!("{name} is {value}: expected {least} to {most}"))
        };
        let _version = field("version", VERSION, VERSION)?;
        let hidden = field("hidden", 16, 2_048)? as usize;
        let _sets = field("sets", SETS as i32, SETS as i32)?;
        let _buckets = field("buckets", BUCKETS as i32, BUCKETS as i32)?;
        let one = field("one", 1, 32_767)? as i16;
        let [output_one, scale] = [field("output_one", 1, 32_767)?, field("scale", 1, 32_767)?];
        if !hidden.is_multiple_of(16) {
            return Err(format!("hidden is {hidden}: expected a multiple of 16"));
        }
        let expected = 2 * hidden * (1 + SETS * INPUTS + 2 * BUCKETS) + 4 * BUCKETS;
        if rest.len() != expected {
            return Err(format!("{} bytes after the header: expected {expected}", rest.len()));
        }
        let network = Self {
            hidden,
            one,
            output_one,
            scale,
            input_biases: weights(&mut rest, hidden),
            input_weights: weights(&mut rest, SETS * INPUTS * hidden),
            output_weights: weights(&mut rest, BUCKETS * 2 * hidden),
            output_biases: std::iter::from_fn(|| number(&mut rest)).collect(),
        };
        network.is_bounded().then_some(network).ok_or_else(|| "output weights: their sums could overflow".to_owned())
    }

    /// Whether no output can leave the range of i32.
    fn is_bounded(&self) -> bool {
        let one = i64::from(self.one);
        self.output_weights.chunks(2 * self.hidden).zip(&self.output_biases).all(|(weights, bias)| {
            let largest: i64 = weights.iter().map(|weight| one * i64::from(*weight).abs()).sum();
            largest + i64::from(*bias).abs() < 1 << 31
        })
    }

    /// Half of the hidden units with no piece on the board.
    pub(crate) fn biases(&self) -> &[i16] {
        &self.input_biases
    }

    /// What a piece adds to a side's half.
    pub(crate) fn row(&self, view: View, piece: Piece, square: Square) -> &[i16] {
        let input = view.input(piece, square);
        &self.input_weights[input * self.hidden..][..self.hidden]
    }

    /// A side's half from scratch.
    pub(crate) fn half(&self, view: View, board: &Board, half: &mut [i16]) {
        half.copy_from_slice(self.biases());
        for (square, piece) in board {
            add(half, self.row(view, piece, square));
        }
    }

    /// Centipawns for the side to move.
    pub(crate) fn output(&self, board: &Board, mover: &[i16], other: &[i16]) -> i32 {
        let bucket = phase(board) as usize / PHASES;
        let weights = &self.output_weights[bucket * 2 * self.hidden..][..2 * self.hidden];
        let (movers, others) = weights.split_at(self.hidden);
        let sum = self.output_biases[bucket] + self.weighted(movers, mover) + self.weighted(others, other);
        let centipawns = i64::from(sum) * i64::from(self.scale) / (i64::from(self.one) * i64::from(self.output_one));
        centipawns.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    }

    fn weighted(&self, weights: &[i16], half: &[i16]) -> i32 {
        let product = |(weight, unit): (&i16, &i16)| i32::from(*weight) * i32::from((*unit).clamp(0, self.one));
        weights.iter().zip(half).map(product).sum()
    }
}

/// Adds a row. Sums wrap, so that no order of adding and taking away makes a difference.
pub(crate) fn add(half: &mut [i16], row: &[i16]) {
    for (unit, weight) in half.iter_mut().zip(row) {
        *unit = unit.wrapping_add(*weight);
    }
}

/// Takes a row away.
pub(crate) fn subtract(half: &mut [i16], row: &[i16]) {
    for (unit, weight) in half.iter_mut().zip(row) {
        *unit = unit.wrapping_sub(*weight);
    }
}

/// The next number of the file.
fn number(bytes: &mut &[u8]) -> Option<i32> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(i32::from_le_bytes(*number))
}

/// The next weights; the caller has checked that there are enough.
fn weights(bytes: &mut &[u8], count: usize) -> Vec<i16> {
    let (weights, rest) = bytes.split_at(2 * count);
    *bytes = rest;
    weights.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
}
