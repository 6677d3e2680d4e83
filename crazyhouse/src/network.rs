//! The network: its weights, its file, and its output for a position and its moves.
//!
//! ```text
//! h[i]        = min(max(input_bias[i] + the sum of input_weight[input][i] over the position's inputs, 0), 255)
//! a[i]        = h[i] x h[i] / 2, rounded down
//! value       = the sum of value_weight[i] x a[i] / (ONE x 64) + value_bias / 1024            in logits
//! logit(move) = the sum over the move's rows of (row_weight[row][i] x a[i]) / (ONE x 64) + row_bias[row] / 1024
//! ONE         = 255 x 255 / 2
//! ```
//!
//! The value is for the side to move. Sums over i are in integers, and everything else is a fixed order of operations
//! in `f64`: the output is the same to the bit on every machine. A trainer that works in real numbers writes
//! `round(255 w)` for input weights and biases, `round(64 w)` for the others, and `round(1024 b)` for their biases.
//! Which inputs and rows there are is described in [`features`](crate::features).
//!
//! # File
//!
//! All numbers are little-endian, without padding.
//!
//! | offset | type | what |
//! |---|---|---|
//! | 0 | 8 bytes | `SPAR-ZH` and a line feed, 0x0A |
//! | 8 | u32 | version: 1 |
//! | 12 | u32 | `hidden`: a multiple of 16, from 16 to 256 |
//! | 16 | u32 | inputs: 852 |
//! | 20 | u32 | rows: 1993 |
//! | 24 | i16 | `input_bias[hidden]` |
//! | then | i16 | `input_weight[852][hidden]`, the last index running fastest |
//! | then | i16 | `value_weight[hidden]`, -255 to 255, and `value_bias` |
//! | then | i16 | `row_weight[1993][hidden]`, -255 to 255 |
//! | then | i16 | `row_bias[1993]` |
//! | then | u32 | CRC-32 of everything before |

use crate::Position;
use crate::features::{INPUTS, MoveRow, ROWS, for_each_input};
use std::fmt;

const MAGIC: &[u8; 8] = b"SPAR-ZH\n";
const VERSION: u32 = 1;
/// The size of the header before the weights, in bytes.
const HEADER: usize = 24;
/// The maximum activation before it is squared.
const CLAMP: i16 = 255;
/// The squared activation that stands for 1.
const ONE: f64 = 255.0 * 255.0 / 2.0;
/// The value that stands for 1 in the weights after the hidden layer.
pub const OUTPUT_SCALE: f32 = 64.0;
/// The maximum of these weights: sums of 256 products stay below 2^31.
pub const OUTPUT_LIMIT: i16 = 255;
/// The value that stands for 1 in the weights and biases of the hidden layer.
pub const INPUT_SCALE: f32 = 255.0;
/// The value that stands for 1 in the other biases.
pub const BIAS_SCALE: f32 = 1024.0;
/// The maximum number of neurons.
pub const MOST_HIDDEN: usize = 256;
/// The number of neurons must be a multiple of this.
const BLOCK: usize = 16;

/// All numbers of a network, in its own units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The number of neurons.
    pub hidden: usize,
    /// By neuron.
    pub input_biases: Vec<i16>,
    /// By input, then by neuron.
    pub input_weights: Vec<i16>,
    /// By neuron.
    pub value_weights: Vec<i16>,
    /// The bias of the value.
    pub value_bias: i16,
    /// By row, then by neuron.
    pub row_weights: Vec<i16>,
    /// By row.
    pub row_biases: Vec<i16>,
}

/// A network that is ready to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    weights: Weights,
}

/// Why bytes are not a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The bytes do not begin with the magic number.
    Foreign,
    /// The network has another version.
    Version(u32),
    /// The network is for other features: this many inputs and rows.
    Features([u32; 2]),
    /// The network has an unsupported number of neurons.
    Hidden(u32),
    /// The network has too few or too many bytes: the actual and the expected number.
    Length([usize; 2]),
    /// The checksum is wrong.
    Damaged,
    /// A weight is too large.
    Weight(i16),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str(
                "this is not a network for crazyhouse: `spar train` with `game = \"crazyhouse\"` writes them",
            ),
            Self::Version(version) => {
                write!(f, "this is a network of version {version}, and this program reads version {VERSION}")
            }
            Self::Features([inputs, rows]) => write!(
                f,
                "this network has {inputs} inputs and {rows} rows of moves, and this program has {INPUTS} and {ROWS}: \
                    train one with this version"
            ),
            Self::Hidden(hidden) => write!(
                f,
                "a network cannot have {hidden} neurons: expected a multiple of {BLOCK} from {BLOCK} to {MOST_HIDDEN}"
            ),
            Self::Length([found, expected]) => {
                let what = if found < expected { "cut short" } else { "too long" };
                write!(f, "the network is {what}: it has {found} bytes, and {expected} are expected")
            }
            Self::Damaged => f.write_str("the network is damaged: its checksum is wrong"),
            Self::Weight(weight) => {
                write!(f, "the network has a weight of {weight}: expected -{OUTPUT_LIMIT} to {OUTPUT_LIMIT}")
            }
        }
    }
}

impl std::error::Error for NetworkError {}

/// The network built into the program, from a file beside this one.
///
/// # Errors
/// Never in a build whose tests pass.
pub fn shipped() -> Result<Network, NetworkError> {
    Network::from_bytes(include_bytes!("network.bin"))
}

/// The number of numbers after the header, for this many neurons.
fn numbers(hidden: usize) -> usize {
    hidden * (1 + INPUTS + 1 + ROWS) + 1 + ROWS
}

/// Whether a network can have this many neurons.
pub fn is_width(hidden: usize) -> bool {
    hidden.is_multiple_of(BLOCK) && (BLOCK..=MOST_HIDDEN).contains(&hidden)
}

impl Network {
    /// A network with these weights.
    ///
    /// # Errors
    /// [`NetworkError`] if the weights do not form a network.
    pub fn new(weights: Weights) -> Result<Self, NetworkError> {
        let Weights { hidden, input_biases, input_weights, value_weights, row_weights, row_biases, .. } = &weights;
        if !is_width(*hidden) {
            return Err(NetworkError::Hidden(u32::try_from(*hidden).unwrap_or(u32::MAX)));
        }
        let parts = [input_biases.len(), input_weights.len(), value_weights.len(), row_weights.len(), row_biases.len()];
        if parts != [*hidden, hidden * INPUTS, *hidden, hidden * ROWS, ROWS] {
            return Err(NetworkError::Length([parts.iter().sum::<usize>() * 2, (numbers(*hidden) - 1) * 2]));
        }
        let outputs = value_weights.iter().chain(row_weights);
        match outputs.into_iter().find(|weight| weight.unsigned_abs() > OUTPUT_LIMIT.unsigned_abs()) {
            Some(&weight) => Err(NetworkError::Weight(weight)),
            None => Ok(Self { weights }),
        }
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`NetworkError`]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(NetworkError::Foreign);
        }
        let field = |at: usize| bytes.get(at..at + 4).and_then(|field| field.try_into().ok()).map(u32::from_le_bytes);
        let cut = |expected| NetworkError::Length([bytes.len(), expected]);
        let [Some(version), Some(hidden), Some(inputs), Some(rows)] = [8, 12, 16, 20].map(field) else {
            return Err(cut(HEADER));
        };
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        if [inputs, rows] != [INPUTS as u32, ROWS as u32] {
            return Err(NetworkError::Features([inputs, rows]));
        }
        if !is_width(hidden as usize) {
            return Err(NetworkError::Hidden(hidden));
        }
        let hidden = hidden as usize;
        let length = HEADER + 2 * numbers(hidden) + 4;
        let Some((content, checksum)) = bytes.split_last_chunk::<4>().filter(|_| bytes.len() == length) else {
            return Err(cut(length));
        };
        if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
            return Err(NetworkError::Damaged);
        }
        let mut numbers = content[HEADER..].as_chunks::<2>().0.iter().map(|number| i16::from_le_bytes(*number));
        let mut take = |count: usize| numbers.by_ref().take(count).collect::<Vec<i16>>();
        Self::new(Weights {
            hidden,
            input_biases: take(hidden),
            input_weights: take(hidden * INPUTS),
            value_weights: take(hidden),
            value_bias: take(1)[0],
            row_weights: take(hidden * ROWS),
            row_biases: take(ROWS),
        })
    }

    /// The bytes of the network's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let weights = &self.weights;
        let mut bytes = MAGIC.to_vec();
        for field in [VERSION, weights.hidden as u32, INPUTS as u32, ROWS as u32] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        let value_bias = [weights.value_bias];
        let parts: [&[i16]; 6] = [
            &weights.input_biases,
            &weights.input_weights,
            &weights.value_weights,
            &value_bias,
            &weights.row_weights,
            &weights.row_biases,
        ];
        bytes.extend(parts.into_iter().flatten().flat_map(|number| number.to_le_bytes()));
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The network's weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The logit of the expected score of the side to move. Leaves the activations for [`Network::logit`] in `room`.
    pub fn value(&self, position: &Position, room: &mut Room) -> f64 {
        let Weights { hidden, input_biases, input_weights, value_weights, value_bias, .. } = &self.weights;
        let sums = &mut room.sums;
        sums.clear();
        sums.extend_from_slice(input_biases);
        // Positions of games stay within 16 bits; unreachable ones may wrap, in the same way everywhere.
        for_each_input(position, |input| add(sums, &input_weights[input * hidden..][..*hidden]));
        room.activations.clear();
        room.activations.extend(sums.iter().map(|&sum| {
            let clamped = i32::from(sum.clamp(0, CLAMP));
            (clamped * clamped / 2) as i16
        }));
        room.position += 1;
        scaled(i64::from(dot(&room.activations, value_weights))) + f64::from(*value_bias) / f64::from(BIAS_SCALE)
    }

    /// The logit of a move of the position whose activations are in `room`.
    pub fn logit(&self, row: &MoveRow, room: &mut Room) -> f32 {
        let hidden = self.weights.hidden;
        let Room { activations, known, position, .. } = room;
        let (mut sum, mut bias) = (0, 0);
        for row in row.rows {
            let row = usize::from(row);
            let known = &mut known[row];
            if known.0 != *position {
                *known = (*position, dot(activations, &self.weights.row_weights[row * hidden..][..hidden]));
            }
            sum += i64::from(known.1);
            bias += i32::from(self.weights.row_biases[row]);
        }
        (scaled(sum) + f64::from(bias) / f64::from(BIAS_SCALE)) as f32
    }
}

/// Converts a sum of products to logits.
fn scaled(sum: i64) -> f64 {
    sum as f64 / (ONE * f64::from(OUTPUT_SCALE))
}

#[inline]
fn add(sums: &mut [i16], row: &[i16]) {
    for (sums, row) in sums.as_chunks_mut::<BLOCK>().0.iter_mut().zip(row.as_chunks::<BLOCK>().0) {
        for lane in 0..BLOCK {
            sums[lane] = sums[lane].wrapping_add(row[lane]);
        }
    }
}

/// The sum of products; in this form compilers multiply and add pairs in one step.
#[inline]
fn dot(activations: &[i16], weights: &[i16]) -> i32 {
    let mut sum = 0;
    for (one, other) in activations.as_chunks::<BLOCK>().0.iter().zip(weights.as_chunks::<BLOCK>().0) {
        for lane in 0..BLOCK {
            sum += i32::from(one[lane]) * i32::from(other[lane]);
        }
    }
    sum
}

/// Buffers for computing one position after the other.
#[derive(Clone, Debug)]
pub struct Room {
    sums: Vec<i16>,
    activations: Vec<i16>,
    /// For each row, the position for which its product with the activations was last computed, and the product.
    known: Vec<(u64, i32)>,
    /// The number of the current position.
    position: u64,
}

impl Default for Room {
    fn default() -> Self {
        Self { sums: Vec::new(), activations: Vec::new(), known: vec![(0, 0); ROWS], position: 0 }
    }
}
