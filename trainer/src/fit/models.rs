//! The models of a fit: the features of a position, their names and start values.

use super::FitError;
use super::design::{Design, Label, Part};
use crate::chess;
use crate::data;
use crate::train::input::{Input, Target};
use crate::train::sample::Sample;
use engine::eval::features::FEATURES as WPS_FEATURES;
use engine::eval::piece_square;
use engine::{Piece as Leaper, Side};
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Piece, Role, Square};

/// A linear evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Piece-square tables of chess, material included; tapered by phase or plain.
    ChessTables {
        /// Whether the middlegame and the endgame have separate tables.
        tapered: bool,
    },
    /// Piece-square tables of 0.1: classes of squares, pieces in hand, and the tempo.
    PieceSquare,
    /// Piece-square tables of 0.1 for each square of the own wazir, and the tempo.
    Wps,
    /// User-defined features, read with their values.
    Features,
}

/// The kinds of pieces in the order of tables.
pub const ROLES: [(Role, &str); 6] = [
    (Role::Pawn, "pawn"),
    (Role::Knight, "knight"),
    (Role::Bishop, "bishop"),
    (Role::Rook, "rook"),
    (Role::Queen, "queen"),
    (Role::King, "king"),
];
/// The phase of each kind of piece, as in many engines: the total at the start is 24.
const PHASES: [u32; 6] = [0, 1, 1, 2, 4, 0];
const FULL_PHASE: u32 = 24;
/// Default start values of tables, in centipawns.
const MATERIAL: [f64; 6] = [100.0, 300.0, 300.0, 500.0, 900.0, 0.0];
/// Weights of 0.1 are in 1/100 logit, as scores are in the engine's UCI dialect.
pub(super) const LEAPER_SCALE: f64 = 100.0;

impl Model {
    /// The names of the features; empty for user-defined features, whose files name them.
    pub(crate) fn names(self) -> Vec<String> {
        match self {
            Self::ChessTables { .. } => {
                let of_role = |name: &'static str| (0..64).map(move |at| format!("{name} {}", square_of(at)));
                ROLES.into_iter().flat_map(|(_, name)| of_role(name)).collect()
            }
            Self::PieceSquare => named("feature", piece_square::FEATURES),
            Self::Wps => named("row", WPS_FEATURES),
            Self::Features => Vec::new(),
        }
    }

    /// Default start values of weights.
    pub(super) fn start(self, design: &Design) -> Vec<f64> {
        match self {
            Self::ChessTables { .. } => (0..design.weights()).map(|weight| MATERIAL[weight / 64 % 6]).collect(),
            _ => vec![0.0; design.weights()],
        }
    }

    /// Whether each feature has two weights.
    pub fn is_tapered(self) -> bool {
        self == Self::ChessTables { tapered: true }
    }

    /// Units of the weights per logit, if known.
    pub(super) fn scale(self) -> Option<f64> {
        matches!(self, Self::PieceSquare | Self::Wps).then_some(LEAPER_SCALE)
    }
}

fn named(what: &str, count: usize) -> Vec<String> {
    (0..count).map(|n| format!("{what} {n}")).chain(["tempo".to_owned()]).collect()
}

/// The square at an index of a table, which runs from a8 to h1.
pub fn square_of(at: usize) -> Square {
    Square::new((at % 64) as u32).flip_vertical()
}

/// The feature of a piece: black's tables mirror white's.
pub(super) fn feature(square: Square, piece: Piece) -> (u16, f32) {
    let (square, sign) = match piece.color {
        Color::White => (square.flip_vertical(), 1.0),
        Color::Black => (square, -1.0),
    };
    ((piece.role as u16 - 1) * 64 + square as u16, sign)
}

/// Adds a position of chess. Its evaluation is in white's view.
pub(super) fn push_chess(design: &mut Design, record: &chess::Record, part: Part) {
    let (mut features, mut phase) = (Vec::with_capacity(32), 0);
    for (square, piece) in record.pieces() {
        features.push(feature(square, piece));
        phase += PHASES[piece.role as usize - 1];
    }
    let labels = record.labels();
    let label = Label {
        score: labels.score.map(f32::from),
        result: labels.result.map(|result| result as u8).map(|points| f32::from(points) / 2.0),
    };
    design.push(&mut features, phase.min(FULL_PHASE) as f32 / FULL_PHASE as f32, label, part);
}

/// Adds a position of 0.1. Its evaluation is in the mover's view.
///
/// # Errors
/// [`FitError::NotInPlay`] for a record that is not a position.
pub(super) fn push_leapers(
    design: &mut Design,
    model: Model,
    record: &data::Record,
    part: Part,
) -> Result<(), FitError> {
    let mut features = if model == Model::Wps { rows(record) } else { classes(record) }.ok_or(FitError::NotInPlay)?;
    features.push((design.names.len() as u16 - 1, 1.0));
    let label = Label {
        // Scores are in 1/1,000 logit.
        score: Some(f32::from(record.score()) / 10.0),
        result: Some(f32::from(record.result() as u8) / 2.0),
    };
    design.push(&mut features, 1.0, label, part);
    Ok(())
}

fn rows(record: &data::Record) -> Option<Vec<(u16, f32)>> {
    let mut sample = Sample::EMPTY;
    sample.read(record, Target::NONE)?;
    let [mover, opponent] = sample.rows;
    Some(mover.into_iter().map(|row| (row, 1.0)).chain(opponent.into_iter().map(|row| (row, -1.0))).collect())
}

fn classes(record: &data::Record) -> Option<Vec<(u16, f32)>> {
    let position = record.position().ok()?;
    let mut features = Vec::with_capacity(2 * 16);
    for side in Side::ALL {
        position.pieces(side, Leaper::Wazir).into_iter().next()?;
        let sign = if side == record.side_to_move() { 1.0 } else { -1.0 };
        piece_square::for_each_feature(&position, side, |feature| features.push((feature as u16, sign)));
    }
    Some(features)
}

#[cfg(test)]
mod tests {
    use super::super::tables::Output;
    use super::*;
    use crate::chess::record::parse_fen;
    use crate::chess::{Labels, Record};
    use crate::data::tests::records;
    use engine::Evaluator;
    use stats::Score;

    fn chess_design(fens: &[&str]) -> Design {
        let model = Model::ChessTables { tapered: true };
        let mut design = Design::new(model.names(), true);
        for fen in fens {
            let labels = Labels { score: Some(10), result: Some(Score::Win), game: 0 };
            push_chess(&mut design, &Record::new(&parse_fen(fen).unwrap(), &labels).unwrap(), Part::Training);
        }
        design
    }

    #[test]
    fn tables_are_read_from_a8_on_and_mirrored_for_black() {
        let design = chess_design(&[
            "4k3/8/8/8/8/8/P7/4K3 w - - 0 1",
            "4k3/p7/8/8/8/8/8/4K3 w - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ]);
        assert_eq!(
            (design.names[0].as_str(), design.names[63].as_str(), design.names[64 + 8].as_str()),
            ("pawn a8", "pawn h1", "knight a7")
        );
        let row = design.row(0);
        assert_eq!((row.columns, row.values, row.phase), (&[48][..], &[1.0][..], 0.0));
        assert_eq!(design.names[48], "pawn a2");
        let row = design.row(1);
        assert_eq!((row.columns, row.values), (&[48][..], &[-1.0][..]));
        // At the start all features cancel, and the phase is full.
        let row = design.row(2);
        assert_eq!((row.columns.len(), row.phase), (0, 1.0));
        assert!((row.label.result.unwrap() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_models_of_the_home_game_evaluate_as_the_engine_does() {
        for model in [Model::PieceSquare, Model::Wps] {
            let mut design = Design::new(model.names(), false);
            for record in records(200) {
                push_leapers(&mut design, model, &record, Part::Training).unwrap();
            }
            let tempo: Vec<f64> =
                (0..design.weights()).map(|weight| f64::from(u8::from(weight + 1 == design.weights()))).collect();
            assert!((0..200).all(|row| (design.evaluation(row, &tempo) - 1.0).abs() < 1e-9), "{model:?}");
        }
        let mut design = Design::new(Model::Wps.names(), false);
        let all = records(50);
        for record in &all {
            push_leapers(&mut design, Model::Wps, record, Part::Training).unwrap();
        }
        let weights: Vec<f64> = (0..design.weights()).map(|weight| (weight * 31 % 101) as f64 - 50.0).collect();
        let file = Output::of(Model::Wps, &design.names, &weights).engine.unwrap();
        let engine = Evaluator::from_bytes(&file).unwrap();
        for (row, record) in all.iter().enumerate() {
            let by_engine = engine.evaluate(&record.position().unwrap()).units();
            assert_eq!(by_engine, (100.0 * design.evaluation(row, &weights)).round() as i32);
        }
        let zero = data::Record::from_bytes([0; data::Record::BYTES]);
        assert!(push_leapers(&mut design, Model::Wps, &zero, Part::Training).is_err());
    }
}
