//! The network: wazir-piece-square features, one hidden layer for each perspective, one output.
//!
//! ```text
//! 6,360 features of each side -> H neurons (the same weights for both), clamped to 0..1 and squared
//! mover's H | opponent's H    -> 1 logit, with weights chosen by the pieces on the board and the plies made
//!                                (buckets)
//! ```
//!
//! Owns the weights, their quantisation and file, and the accumulators: the sums of the first layer beside the line of
//! moves, updated only when a node is evaluated. The numbering of features is in `features`, the inner loops are in
//! `simd`.
//!
//! Quantisation: the first layer is in units of 1/255, so that an activation is 0 to 255; the output's weights are in
//! units of 1/`output_scale`, at most 127 of them; its bias is in units of 1/(255 x `output_scale`).
//!
//! The sizes in the file are the neurons, the buckets, and `output_scale`. The low byte of the buckets is their number
//! by pieces, the high byte their number by plies, less 1.

use super::features::{Change, Perspective, Placement, FEATURES};
use super::simd::{Block, Level, LANES};
use super::weights::{self, Reader, WeightsError, Writer};
use super::{shipped, Evaluation, ListedEvaluation};
use crate::{MoveDelta, Piece, Position, Score, Side, Square, PLY_LIMIT};
use std::sync::Arc;

/// The integer for an activation of 1.
pub const ACTIVATION_ONE: i32 = 255;
/// The largest weight of the output, in its units.
pub const OUTPUT_LIMIT: i16 = 127;
/// The maximum size of the hidden layer.
pub const MAX_HIDDEN: usize = 512;
/// The maximum number of output buckets by pieces, and of those by plies.
pub const MAX_BUCKETS: usize = 16;
/// The number of pieces of both sides, on the board and in hand.
const PIECES: usize = 32;
const MAGIC: &str = "spar-net";

/// The numbers of output buckets. The output has weights for each pair of a bucket by pieces and a bucket by plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buckets {
    /// Buckets by the number of pieces on the board, 1 to [`MAX_BUCKETS`].
    pub pieces: usize,
    /// Buckets by the number of plies made, 1 to [`MAX_BUCKETS`]. With more than one, the network can learn how little
    /// an advantage is worth shortly before the draw by the ply limit.
    pub plies: usize,
}

impl Buckets {
    /// The number of all buckets.
    pub const fn count(self) -> usize {
        self.pieces * self.plies
    }

    /// The bucket of a position. Its part by pieces is `pieces on the board x buckets / 32`, its part by plies
    /// `plies x buckets / 102`, both rounded down and at most the last.
    #[inline]
    pub fn of(self, on_board: usize, plies: u16) -> usize {
        let by_pieces = (on_board * self.pieces / PIECES).min(self.pieces - 1);
        let by_plies = (usize::from(plies) * self.plies / usize::from(PLY_LIMIT)).min(self.plies - 1);
        by_plies * self.pieces + by_pieces
    }

    /// The number in the file. Before networks had buckets by plies, it was the number of buckets by pieces.
    const fn coded(self) -> u16 {
        ((self.plies - 1) << 8 | self.pieces) as u16
    }

    const fn decoded(number: u16) -> Self {
        Self { pieces: (number & 255) as usize, plies: (number >> 8) as usize + 1 }
    }
}

/// The weights of a network before they are quantised and checked: plain numbers in the units given in the module's
/// documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkParts {
    /// Neurons of the hidden layer for each perspective: a multiple of 32, at most [`MAX_HIDDEN`].
    pub hidden: usize,
    /// Buckets of the output.
    pub buckets: Buckets,
    /// First layer: `hidden` numbers for each of the [`FEATURES`], feature by feature.
    pub feature_weights: Vec<i16>,
    /// Biases of the first layer, `hidden` numbers.
    pub feature_biases: Vec<i16>,
    /// The number of units per 1.0 of an output weight: 1 to 16,384.
    pub output_scale: u16,
    /// Output: for each bucket, in the order of [`Buckets::of`], `hidden` numbers for the mover's half, then `hidden`
    /// numbers for the opponent's, each -127 to 127.
    pub output_weights: Vec<i16>,
    /// Biases of the output, one for each bucket.
    pub output_biases: Vec<i32>,
}

/// A network, ready to evaluate.
#[derive(Clone, Debug)]
pub struct Network {
    /// The size in blocks.
    hidden: usize,
    feature_weights: Vec<Block>,
    feature_biases: Vec<Block>,
    output_scale: i64,
    buckets: Buckets,
    output_weights: Vec<Block>,
    output_biases: Vec<i32>,
    hash: u64,
    level: Level,
}

/// The hidden layer of a position before clamping and squaring.
#[derive(Clone, Copy, Debug)]
pub struct Hidden<'a> {
    /// The mover's half.
    pub(super) own: &'a [Block],
    pub(super) other: &'a [Block],
    pub(super) level: Level,
}

impl Hidden<'_> {
    /// `sum of activation x weight`, the mover's half first, in the weights' unit over 255 squared.
    pub(super) fn dot(&self, weights: &[Block]) -> i64 {
        let (own, other) = weights.split_at(self.own.len());
        self.level.squared_dot(self.own, own) + self.level.squared_dot(self.other, other)
    }
}

/// A network that evaluates every position as balanced.
impl Default for Network {
    fn default() -> Self {
        Self {
            hidden: 1,
            feature_weights: vec![Block::ZERO; FEATURES],
            feature_biases: vec![Block::ZERO],
            output_scale: 1,
            buckets: Buckets { pieces: 1, plies: 1 },
            output_weights: vec![Block::ZERO; 2],
            output_biases: vec![0],
            hash: 0,
            level: Level::Scalar,
        }
    }
}

/// Networks are equal if their files are equal.
impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Network {
    /// Makes a network of these weights.
    ///
    /// # Errors
    /// [`WeightsError::Architecture`] for sizes or weights that are not allowed.
    pub fn new(parts: &NetworkParts) -> Result<Self, WeightsError> {
        check(parts)?;
        Ok(Self {
            hidden: parts.hidden / LANES,
            feature_weights: blocks(&parts.feature_weights),
            feature_biases: blocks(&parts.feature_biases),
            output_scale: i64::from(parts.output_scale),
            buckets: parts.buckets,
            output_weights: blocks(&parts.output_weights),
            output_biases: parts.output_biases.clone(),
            hash: weights::hash(&encode(parts)),
            level: Level::best(),
        })
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// [`WeightsError`] for bytes that are not a network of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        Self::new(&decode(bytes)?)
    }

    /// The bytes of the network's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(&self.parts())
    }

    /// The weights.
    pub fn parts(&self) -> NetworkParts {
        NetworkParts {
            hidden: self.hidden * LANES,
            buckets: self.buckets,
            feature_weights: numbers(&self.feature_weights),
            feature_biases: numbers(&self.feature_biases),
            output_scale: self.output_scale as u16,
            output_weights: numbers(&self.output_weights),
            output_biases: self.output_biases.clone(),
        }
    }

    /// A hash of the network's file: the same for the same network, on every machine.
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    fn row(&self, feature: usize) -> &[Block] {
        &self.feature_weights[feature * self.hidden..][..self.hidden]
    }
}

fn wrong<T>(what: &'static str, found: usize) -> Result<T, WeightsError> {
    Err(WeightsError::Architecture { what, found: found as i64 })
}

fn check_sizes(hidden: usize, buckets: Buckets, output_scale: u16) -> Result<(), WeightsError> {
    if hidden == 0 || hidden % LANES != 0 || hidden > MAX_HIDDEN {
        return wrong("the hidden layer must be a multiple of 32 neurons, at most 512", hidden);
    }
    if buckets.pieces == 0 || buckets.pieces > MAX_BUCKETS {
        return wrong("there must be 1 to 16 buckets by pieces", buckets.pieces);
    }
    if buckets.plies == 0 || buckets.plies > MAX_BUCKETS {
        return wrong("there must be 1 to 16 buckets by plies", buckets.plies);
    }
    if output_scale == 0 || output_scale > 16_384 {
        return wrong("the scale of the output must be 1 to 16,384", usize::from(output_scale));
    }
    Ok(())
}

fn check(parts: &NetworkParts) -> Result<(), WeightsError> {
    let NetworkParts { hidden, buckets, .. } = *parts;
    check_sizes(hidden, buckets, parts.output_scale)?;
    for (numbers, expected, what) in [
        (parts.feature_weights.len(), FEATURES * hidden, "there must be 6,360 first weights for each neuron"),
        (parts.feature_biases.len(), hidden, "there must be a bias for each neuron"),
        (
            parts.output_weights.len(),
            buckets.count() * 2 * hidden,
            "there must be two output weights for each neuron and bucket",
        ),
        (parts.output_biases.len(), buckets.count(), "there must be an output bias for each bucket"),
    ] {
        if numbers != expected {
            return wrong(what, numbers);
        }
    }
    match parts.output_weights.iter().find(|weight| weight.unsigned_abs() > OUTPUT_LIMIT.unsigned_abs()) {
        Some(&weight) => {
            Err(WeightsError::Architecture { what: "output weights must be -127 to 127", found: i64::from(weight) })
        }
        None => Ok(()),
    }
}

fn encode(parts: &NetworkParts) -> Vec<u8> {
    let sizes = [parts.hidden as u16, parts.buckets.coded(), parts.output_scale];
    let mut writer = Writer::new(MAGIC, &sizes);
    let first = parts.feature_weights.iter().chain(&parts.feature_biases);
    first.chain(&parts.output_weights).for_each(|&weight| writer.number(i32::from(weight)));
    parts.output_biases.iter().for_each(|&bias| writer.number(bias));
    writer.finish()
}

fn decode(bytes: &[u8]) -> Result<NetworkParts, WeightsError> {
    let (mut reader, [hidden, buckets, output_scale]) = Reader::new(bytes, MAGIC)?;
    let (hidden, buckets) = (usize::from(hidden), Buckets::decoded(buckets));
    check_sizes(hidden, buckets, output_scale)?;
    let mut weights = |count: usize| -> Result<Vec<i16>, WeightsError> {
        (0..count).map(|_| i16::try_from(reader.number()?).map_err(|_| WeightsError::Damaged)).collect()
    };
    let feature_weights = weights(FEATURES * hidden)?;
    let feature_biases = weights(hidden)?;
    let output_weights = weights(buckets.count() * 2 * hidden)?;
    let output_biases = (0..buckets.count()).map(|_| reader.number()).collect::<Result<_, _>>()?;
    reader.finish()?;
    Ok(NetworkParts { hidden, buckets, feature_weights, feature_biases, output_scale, output_weights, output_biases })
}

fn blocks(numbers: &[i16]) -> Vec<Block> {
    let block = |numbers: &[i16]| {
        let mut block = Block::ZERO;
        block.0[..numbers.len()].copy_from_slice(numbers);
        block
    };
    numbers.chunks(LANES).map(block).collect()
}

fn numbers(blocks: &[Block]) -> Vec<i16> {
    blocks.iter().flat_map(|block| block.0).collect()
}

/// The changes of a move in one perspective: at most two features are removed and two added.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The side whose wazir moved: its accumulator must be recomputed.
    wazir_of: Option<Side>,
    /// Pieces that left a square or a hand.
    removed: Few,
    /// Pieces that arrived on a square or in a hand.
    added: Few,
}

/// A piece at a place, independent of the perspective.
#[derive(Clone, Copy, Debug)]
enum Place {
    Board { owner: Side, piece: Piece, square: Square },
    Hand { owner: Side, piece: Piece, nth: u8 },
}

impl Place {
    fn feature(self, perspective: &Perspective) -> usize {
        match self {
            Self::Board { owner, piece, square } => perspective.board(owner, piece, square),
            Self::Hand { owner, piece, nth } => perspective.hand(owner, piece, nth),
        }
    }
}

/// One or two places; none for a null move.
#[derive(Clone, Copy, Debug)]
enum Few {
    None,
    One(Place),
    Two(Place, Place),
}

impl Step {
    const NULL: Self = Self { wazir_of: None, removed: Few::None, added: Few::None };

    /// `None` for a setup, which changes everything.
    fn of(delta: &MoveDelta, after: &Position) -> Option<Self> {
        match *delta {
            MoveDelta::Setup { .. } => None,
            MoveDelta::Jump { side, piece, from, to, captured } => {
                let wazir_of = (piece == Piece::Wazir).then_some(side);
                let left = Place::Board { owner: side, piece, square: from };
                let came = Place::Board { owner: side, piece, square: to };
                let Some(captured) = captured.filter(|&captured| captured != Piece::Wazir) else {
                    return Some(Self { wazir_of, removed: Few::One(left), added: Few::One(came) });
                };
                let victim = Place::Board { owner: !side, piece: captured, square: to };
                let nth = after.hand(side, captured).saturating_sub(1);
                let gained = Place::Hand { owner: side, piece: captured, nth };
                Some(Self { wazir_of, removed: Few::Two(left, victim), added: Few::Two(came, gained) })
            }
            MoveDelta::Drop { side, piece, to } => {
                let left = Place::Hand { owner: side, piece, nth: after.hand(side, piece) };
                let came = Place::Board { owner: side, piece, square: to };
                Some(Self { wazir_of: None, removed: Few::One(left), added: Few::One(came) })
            }
        }
    }
}

/// The accumulators of one line of moves, by ply from the root, and a cache of the last ones for each square of the
/// wazirs.
#[derive(Clone, Debug)]
pub struct NetworkLine {
    steps: Vec<Option<Step>>,
    /// By ply and side: whether the accumulator matches the position at this ply.
    computed: Vec<[bool; 2]>,
    /// Accumulators by ply and side.
    accumulators: Vec<Block>,
    /// Cached accumulators by side and square of its wazir.
    cache: Vec<Block>,
    cached: Vec<Placement>,
}

impl NetworkLine {
    /// The last ply above `ply` with a computed accumulator, if few steps separate them and none moves this side's
    /// wazir.
    fn known_ply(&self, ply: usize, side: Side) -> Option<usize> {
        let mut at = ply;
        while ply - at < MOST_STEPS && at > 0 {
            let step = self.steps[at]?;
            if step.wazir_of == Some(side) {
                return None;
            }
            at -= 1;
            if self.computed[at][side.index()] {
                return Some(at);
            }
        }
        None
    }
}

/// The maximum number of steps that are made one by one; further back the cache is nearer.
const MOST_STEPS: usize = 6;

impl Network {
    fn accumulator(&self, ply: usize, side: Side) -> std::ops::Range<usize> {
        let start = (2 * ply + side.index()) * self.hidden;
        start..start + self.hidden
    }

    /// Updates the accumulator of one side at one ply to `position`.
    fn bring_up_to_date(&self, line: &mut NetworkLine, ply: usize, side: Side, position: &Position) {
        if line.computed[ply][side.index()] {
            return;
        }
        let Some(wazir) = position.wazir(side) else {
            // The wazir is missing only while setups are placed.
            let out = self.accumulator(ply, side);
            return line.accumulators[out].copy_from_slice(&self.feature_biases);
        };
        let perspective = Perspective::new(side, wazir);
        match line.known_ply(ply, side) {
            Some(known) => {
                for at in known + 1..=ply {
                    self.make_step(line, at, side, &perspective);
                    line.computed[at][side.index()] = true;
                }
            }
            None => self.refresh(line, ply, side, wazir, position),
        }
        line.computed[ply][side.index()] = true;
    }

    fn make_step(&self, line: &mut NetworkLine, ply: usize, side: Side, perspective: &Perspective) {
        let Some(step) = line.steps[ply] else { return };
        let (before, after) = line.accumulators.split_at_mut(2 * ply * self.hidden);
        let base = &before[self.accumulator(ply - 1, side)];
        let out = &mut after[self.accumulator(0, side)];
        let row = |place: Place| self.row(place.feature(perspective));
        // The other side's wazir is a feature like all others. The own wazir is none: its steps never get here.
        match (step.removed, step.added) {
            (Few::One(left), Few::One(came)) => self.level.change(out, base, [row(came)], [row(left)]),
            (Few::Two(left, victim), Few::Two(came, gained)) => {
                self.level.change(out, base, [row(came), row(gained)], [row(left), row(victim)]);
            }
            _ => out.copy_from_slice(base),
        }
    }

    /// Computes an accumulator from the cached one for this square of the wazir.
    fn refresh(&self, line: &mut NetworkLine, ply: usize, side: Side, wazir: Square, position: &Position) {
        let slot = 64 * side.index() + wazir.index();
        let cached = &mut line.cache[slot * self.hidden..][..self.hidden];
        let placement = Placement::of(position);
        let perspective = Perspective::new(side, wazir);
        placement.changes_since(&line.cached[slot], &perspective, |change, feature| {
            let row = self.row(feature);
            for (block, row) in cached.iter_mut().zip(row) {
                for (sum, weight) in block.0.iter_mut().zip(row.0) {
                    *sum = match change {
                        Change::Added => sum.wrapping_add(weight),
                        Change::Removed => sum.wrapping_sub(weight),
                    };
                }
            }
        });
        line.cached[slot] = placement;
        let out = self.accumulator(ply, side);
        line.accumulators[out].copy_from_slice(cached);
    }

    /// The hidden layer of a ply with up-to-date accumulators.
    fn hidden_of<'a>(&self, line: &'a NetworkLine, ply: usize, mover: Side) -> Hidden<'a> {
        let half = |side| &line.accumulators[self.accumulator(ply, side)];
        Hidden { own: half(mover), other: half(!mover), level: self.level }
    }

    /// The output for a position with up-to-date accumulators.
    fn output(&self, line: &NetworkLine, ply: usize, position: &Position) -> Score {
        let mover = position.side_to_move();
        let bucket = self.buckets.of(position.occupied().count() as usize, position.plies());
        let weights = &self.output_weights[2 * self.hidden * bucket..][..2 * self.hidden];
        let sum = self.hidden_of(line, ply, mover).dot(weights);
        let one = i64::from(ACTIVATION_ONE);
        let units = (sum + i64::from(self.output_biases[bucket]) * one) * 10_000 / (one * one * self.output_scale);
        Score::estimate(units.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32)
    }
}

impl ListedEvaluation for Network {
    const NAME: &'static str = "network";
    const MAGIC: Option<&'static str> = Some(MAGIC);

    fn shipped() -> Arc<Self> {
        shipped::network()
    }

    fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        Self::from_bytes(bytes)
    }

    fn weights_hash(&self) -> u64 {
        self.hash()
    }
}

impl Evaluation for Network {
    type Line = NetworkLine;

    fn new_line(&self, plies: usize) -> NetworkLine {
        let biases = |count: usize| self.feature_biases.iter().copied().cycle().take(count * self.hidden).collect();
        NetworkLine {
            steps: vec![None; plies],
            computed: vec![[false; 2]; plies],
            accumulators: biases(2 * plies),
            cache: biases(128),
            cached: vec![Placement::EMPTY; 128],
        }
    }

    fn start(&self, line: &mut NetworkLine, _: &Position) {
        line.computed[0] = [false; 2];
    }

    #[inline]
    fn advance(&self, line: &mut NetworkLine, ply: usize, delta: &MoveDelta, after: &Position) {
        line.steps[ply] = Step::of(delta, after);
        line.computed[ply] = [false; 2];
    }

    fn pass(&self, line: &mut NetworkLine, ply: usize) {
        line.steps[ply] = Some(Step::NULL);
        line.computed[ply] = [false; 2];
    }

    fn hidden<'a>(&'a self, line: &'a mut NetworkLine, ply: usize, position: &Position) -> Option<Hidden<'a>> {
        for side in Side::ALL {
            self.bring_up_to_date(line, ply, side, position);
        }
        Some(self.hidden_of(line, ply, position.side_to_move()))
    }

    fn evaluate(&self, line: &mut NetworkLine, ply: usize, position: &Position) -> Score {
        for side in Side::ALL {
            self.bring_up_to_date(line, ply, side, position);
        }
        self.output(line, ply, position)
    }
}
