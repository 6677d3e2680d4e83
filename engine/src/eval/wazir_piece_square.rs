//! Wazir-piece-square (WPS): a weight for each piece on each square and in hand, by the square of the own wazir.
//!
//! `score = S(side to move) - S(opponent) + tempo`, where `S` sums the weights of the 31 active features of a side's
//! perspective (`features`). Owns the weights, their file and the two sums beside the line of moves; a sum is
//! recomputed only when that side's wazir moves.

use super::features::{Perspective, FEATURES};
use super::weights::{self, Reader, WeightsError, Writer};
use super::{shipped, Evaluation, ListedEvaluation};
use crate::{MoveDelta, Piece, Position, Score, Side};
use std::sync::Arc;

const MAGIC: &str = "spar-wps";

/// The weights of the linear model.
#[derive(Clone, Debug)]
pub struct WazirPieceSquare {
    /// Logit x 10,000.
    weights: Vec<i16>,
    /// Bonus for the side to move, logit x 10,000.
    tempo: i32,
    hash: u64,
}

impl WazirPieceSquare {
    /// Makes a model of these weights, by feature, and this bonus for the side to move, all in logit x 10,000.
    ///
    /// # Errors
    /// [`WeightsError::Architecture`] unless there are [`FEATURES`] weights.
    pub fn new(weights: Vec<i16>, tempo: i32) -> Result<Self, WeightsError> {
        if weights.len() != FEATURES {
            let what = "there must be 6,360 weights";
            return Err(WeightsError::Architecture { what, found: weights.len() as i64 });
        }
        let hash = weights::hash(&encode(&weights, tempo));
        Ok(Self { weights, tempo, hash })
    }

    /// Reads a model from the bytes of its file.
    ///
    /// # Errors
    /// [`WeightsError`] for bytes that are not such a model.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let (mut reader, [features]) = Reader::new(bytes, MAGIC)?;
        let tempo = reader.number()?;
        let weight = |_| i16::try_from(reader.number()?).map_err(|_| WeightsError::Damaged);
        let weights = (0..features).map(weight).collect::<Result<_, _>>()?;
        reader.finish()?;
        Self::new(weights, tempo)
    }

    /// The bytes of the model's file.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(&self.weights, self.tempo)
    }

    /// A hash of the model's file: the same for the same weights, on every machine.
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    fn weight(&self, feature: usize) -> i32 {
        i32::from(self.weights[feature])
    }

    fn sum(&self, position: &Position, side: Side) -> i32 {
        let mut sum = 0;
        super::features::for_each_feature(position, side, |feature| sum += self.weight(feature));
        sum
    }

    /// The change of a side's sum by a move that leaves its wazir in place.
    fn change(&self, perspective: &Perspective, delta: &MoveDelta, after: &Position) -> i32 {
        match *delta {
            MoveDelta::Setup { .. } => 0,
            MoveDelta::Jump { side, piece, from, to, captured } => {
                let board = |owner, piece, square| self.weight(perspective.board(owner, piece, square));
                let moved = board(side, piece, to) - board(side, piece, from);
                let Some(captured) = captured.filter(|&captured| captured != Piece::Wazir) else { return moved };
                let nth = after.hand(side, captured).saturating_sub(1);
                moved - board(!side, captured, to) + self.weight(perspective.hand(side, captured, nth))
            }
            MoveDelta::Drop { side, piece, to } => {
                self.weight(perspective.board(side, piece, to))
                    - self.weight(perspective.hand(side, piece, after.hand(side, piece)))
            }
        }
    }
}

fn encode(weights: &[i16], tempo: i32) -> Vec<u8> {
    let mut writer = Writer::new(MAGIC, &[weights.len() as u16]);
    writer.number(tempo);
    for &weight in weights {
        writer.number(i32::from(weight));
    }
    writer.finish()
}

/// A model that evaluates every position as balanced.
impl Default for WazirPieceSquare {
    fn default() -> Self {
        Self { weights: vec![0; FEATURES], tempo: 0, hash: 0 }
    }
}

/// Models are equal if their files are equal.
impl PartialEq for WazirPieceSquare {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl ListedEvaluation for WazirPieceSquare {
    const NAME: &'static str = "wps";
    const MAGIC: Option<&'static str> = Some(MAGIC);

    fn shipped() -> Arc<Self> {
        shipped::wazir_piece_square()
    }

    fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        Self::from_bytes(bytes)
    }

    fn weights_hash(&self) -> u64 {
        self.hash()
    }
}

impl Evaluation for WazirPieceSquare {
    /// The sums of both sides, by ply.
    type Line = Vec<[i32; 2]>;

    fn new_line(&self, plies: usize) -> Self::Line {
        vec![[0; 2]; plies]
    }

    fn start(&self, line: &mut Self::Line, position: &Position) {
        line[0] = Side::ALL.map(|side| self.sum(position, side));
    }

    #[inline]
    fn advance(&self, line: &mut Self::Line, ply: usize, delta: &MoveDelta, after: &Position) {
        let moved_wazir = match *delta {
            MoveDelta::Setup { .. } => return line[ply] = Side::ALL.map(|side| self.sum(after, side)),
            MoveDelta::Jump { side, piece: Piece::Wazir, .. } => Some(side),
            _ => None,
        };
        line[ply] = Side::ALL.map(|side| match after.wazir(side) {
            _ if moved_wazir == Some(side) => self.sum(after, side),
            Some(wazir) => line[ply - 1][side.index()] + self.change(&Perspective::new(side, wazir), delta, after),
            None => 0,
        });
    }

    fn pass(&self, line: &mut Self::Line, ply: usize) {
        line[ply] = line[ply - 1];
    }

    fn evaluate(&self, line: &mut Self::Line, ply: usize, position: &Position) -> Score {
        let mover = position.side_to_move();
        Score::estimate(line[ply][mover.index()] - line[ply][(!mover).index()] + self.tempo)
    }
}
