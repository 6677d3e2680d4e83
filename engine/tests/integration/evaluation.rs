//! Tests of the evaluations against golden values and their definitions, of incremental updates against evaluations
//! from scratch, and of weights files.

#![allow(clippy::unwrap_used)] // A panic is how a test fails.

use engine::eval::features::{self, FEATURES};
use engine::eval::network::{Buckets, NetworkParts};
use engine::eval::{piece_square, Material, PieceSquare};
use engine::{
    evaluate, Evaluation, EvaluationKind, Evaluator, Network, Outcome, Position, Setup, Side, WazirPieceSquare,
    WeightsError,
};
use proptest::prelude::*;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

fn vectors() -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../data/evaluation.json")).unwrap();
    all["positions"].as_array().unwrap().clone()
}

fn features(position: &Position, side: Side) -> Vec<u64> {
    let mut features = Vec::new();
    piece_square::for_each_feature(position, side, |feature| features.push(feature as u64));
    features.sort_unstable();
    features
}

#[test]
fn piece_square_matches_every_golden_value() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 18);
    for vector in vectors {
        let position: Position = vector["fen"].as_str().unwrap().parse().unwrap();
        let score = evaluate(EvaluationKind::PieceSquare, &position);
        assert_eq!(i64::from(score.millilogits()), vector["ps_eval"].as_i64().unwrap(), "{}", vector["id"]);
        assert_eq!(score.units(), 10 * score.millilogits());
    }
}

#[test]
fn piece_square_features_are_the_golden_ones() {
    for vector in vectors() {
        let position: Position = vector["fen"].as_str().unwrap().parse().unwrap();
        let mover = position.side_to_move();
        for (side, name) in [(mover, "ps_features_mover"), (!mover, "ps_features_opponent")] {
            let mut golden: Vec<u64> = vector[name].as_array().unwrap().iter().map(|i| i.as_u64().unwrap()).collect();
            golden.sort_unstable();
            assert_eq!(features(&position, side), golden, "{} {name}", vector["id"]);
        }
    }
}

#[test]
fn material_counts_board_and_hand_alike() {
    let position: Position =
        "AAD.ADW./..A.A..F/A.D.NA../......D./.w....../....AA../.A..D..A/D......F AAAAADDFFN r 90".parse().unwrap();
    // Red has 31 pieces, blue its wazir.
    assert_eq!(evaluate(EvaluationKind::Material, &position).units(), 30_000);
}

/// Plays `choices` from the start, sometimes taking back some plies. If a bit of the choice asks for it, compares the
/// score of the ply with that of the position alone.
fn check_line<E: Evaluation>(evaluation: &E, choices: &[u32]) -> Result<(), TestCaseError> {
    let from_scratch = |position: &Position| {
        let mut line = evaluation.new_line(1);
        evaluation.start(&mut line, position);
        evaluation.evaluate(&mut line, 0, position)
    };
    let mut positions = vec![Position::new()];
    let mut line = evaluation.new_line(choices.len() + 1);
    evaluation.start(&mut line, &positions[0]);
    for &choice in choices {
        if choice & 0x700 == 0 {
            positions.truncate(positions.len().saturating_sub((choice >> 12 & 7) as usize).max(1));
        }
        let mut position = positions[positions.len() - 1];
        let count = position.legal_count();
        let ply = positions.len();
        if choice & 0xf000_0000 == 0 && position.outcome().is_none() && position.plies() >= 2 {
            position.play_null();
            evaluation.pass(&mut line, ply);
        } else {
            let Some(mv) = position.nth_legal(choice % count.max(1)) else { break };
            let delta = position.play(mv);
            evaluation.advance(&mut line, ply, &delta, &position);
        }
        positions.push(position);
        if matches!(position.outcome(), Some(Outcome::Win(_))) {
            break;
        }
        if choice & 0x80 == 0 {
            prop_assert_eq!(evaluation.evaluate(&mut line, ply, &position), from_scratch(&position), "{}", position);
        }
    }
    Ok(())
}

/// Pseudo-random weights of either sign from a seed, with absolute values below `limit`.
fn pseudo_random(seed: u64, count: usize, limit: i16) -> Vec<i16> {
    let next = |i: usize| {
        let z = (seed ^ i as u64).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z >> 40) as i16 % limit
    };
    (0..count).map(next).collect()
}

fn random_network(hidden: usize, pieces: usize) -> Network {
    random_network_by_plies(hidden, pieces, 1)
}

fn random_network_by_plies(hidden: usize, pieces: usize, plies: usize) -> Network {
    let buckets = pieces * plies;
    Network::new(&NetworkParts {
        hidden,
        buckets: Buckets { pieces, plies },
        feature_weights: pseudo_random(1, FEATURES * hidden, 50),
        feature_biases: pseudo_random(2, hidden, 100),
        output_scale: 64,
        output_weights: pseudo_random(3, buckets * 2 * hidden, 128),
        output_biases: pseudo_random(4, buckets, 5_000).into_iter().map(i32::from).collect(),
    })
    .unwrap()
}

#[test]
fn wazir_piece_square_features_are_the_golden_ones() {
    for vector in vectors() {
        let position: Position = vector["fen"].as_str().unwrap().parse().unwrap();
        let mover = position.side_to_move();
        for (side, name) in [(mover, "wps_features_mover"), (!mover, "wps_features_opponent")] {
            let mut golden: Vec<u64> = vector[name].as_array().unwrap().iter().map(|i| i.as_u64().unwrap()).collect();
            golden.sort_unstable();
            let mut found = Vec::new();
            features::for_each_feature(&position, side, |feature| found.push(feature as u64));
            found.sort_unstable();
            assert_eq!(found, golden, "{} {name}", vector["id"]);
        }
    }
}

/// The network's output by its definition, in real numbers.
fn by_definition(parts: &NetworkParts, position: &Position) -> f64 {
    let mover = position.side_to_move();
    let Buckets { pieces, plies } = parts.buckets;
    let share = |made: usize, of: usize, buckets: usize| (made * buckets / of).min(buckets - 1);
    let by_plies = share(usize::from(position.plies()), 102, plies);
    let bucket = pieces * by_plies + share(position.occupied().count() as usize, 32, pieces);
    let mut sum = f64::from(parts.output_biases[bucket]) / (255.0 * f64::from(parts.output_scale));
    for (half, side) in [mover, !mover].into_iter().enumerate() {
        for neuron in 0..parts.hidden {
            let mut value = f64::from(parts.feature_biases[neuron]);
            features::for_each_feature(position, side, |feature| {
                value += f64::from(parts.feature_weights[feature * parts.hidden + neuron]);
            });
            let activation = (value / 255.0).clamp(0.0, 1.0);
            let weight = parts.output_weights[(2 * bucket + half) * parts.hidden + neuron];
            sum += activation * activation * f64::from(weight) / f64::from(parts.output_scale);
        }
    }
    sum
}

#[test]
fn a_network_computes_what_it_is_defined_to() {
    for (hidden, pieces, plies) in [(32, 1, 1), (96, 3, 1), (128, 8, 1), (64, 8, 8), (32, 1, 16)] {
        let network = random_network_by_plies(hidden, pieces, plies);
        for position in engine::bench_positions() {
            let score = Evaluator::Network(Arc::new(network.clone())).evaluate(&position);
            let expected = by_definition(&network.parts(), &position);
            assert!((score.logit() - expected).abs() < 2e-4, "{score:?} {expected} in {position}");
        }
    }
}

#[test]
fn weights_are_read_back_from_their_files() {
    for network in [random_network_by_plies(64, 5, 16), random_network(64, 4)] {
        let read = Network::from_bytes(&network.to_bytes()).unwrap();
        assert_eq!((read.parts(), read.hash()), (network.parts(), network.hash()));
    }
    let network = random_network(64, 4);
    // Files from before networks had buckets by plies have the number of buckets here.
    assert_eq!(network.to_bytes()[12..14], [4, 0]);
    let model = WazirPieceSquare::new(pseudo_random(5, FEATURES, 9_000), -77).unwrap();
    let read = WazirPieceSquare::from_bytes(&model.to_bytes()).unwrap();
    assert_eq!((read.to_bytes(), read.hash()), (model.to_bytes(), model.hash()));
    assert_eq!(Evaluator::from_bytes(&model.to_bytes()).unwrap().kind(), EvaluationKind::WazirPieceSquare);
    assert_eq!(Evaluator::from_bytes(&network.to_bytes()).unwrap().kind(), EvaluationKind::Network);
    assert_ne!(random_network(64, 4).hash(), random_network(64, 8).hash());
    assert_eq!(Evaluator::from_bytes(&network.to_bytes()).unwrap().hash(), network.hash());
    let mut narrow = network.to_bytes();
    narrow.truncate(16);
    assert_eq!(Evaluator::from_bytes(&narrow), Err(WeightsError::Damaged));
    let refusal = Evaluator::from_bytes(b"PK, an archive").unwrap_err().to_string();
    assert_eq!(refusal, "not a file of weights: it begins with neither `spar-wps` nor `spar-net`");
}

#[test]
fn networks_of_other_architectures_are_refused() {
    let parts = random_network(64, 4).parts();
    let refused = |change: &dyn Fn(&mut NetworkParts)| {
        let mut parts = parts.clone();
        change(&mut parts);
        Network::new(&parts).unwrap_err().to_string()
    };
    let prefix = "weights of another architecture: ";
    for (message, expected) in [
        (refused(&|parts| parts.hidden = 48), "the hidden layer must be a multiple of 32 neurons, at most 512, not 48"),
        (refused(&|parts| parts.buckets.pieces = 17), "there must be 1 to 16 buckets by pieces, not 17"),
        (refused(&|parts| parts.buckets.plies = 0), "there must be 1 to 16 buckets by plies, not 0"),
        (refused(&|parts| parts.buckets.plies = 17), "there must be 1 to 16 buckets by plies, not 17"),
        (refused(&|parts| parts.output_weights[3] = -128), "output weights must be -127 to 127, not -128"),
        (refused(&|parts| parts.output_scale = 0), "the scale of the output must be 1 to 16,384, not 0"),
        (
            refused(&|parts| parts.feature_weights.truncate(7)),
            "there must be 6,360 first weights for each neuron, not 7",
        ),
    ] {
        assert_eq!(message, format!("{prefix}{expected}"));
    }
    let bytes = random_network(32, 1).to_bytes();
    assert_eq!(Evaluator::from_bytes(&bytes[..bytes.len() / 2]), Err(WeightsError::Damaged));
    assert_eq!(Evaluator::from_bytes(b"PNG"), Err(WeightsError::Unknown));
    // A complete file of a larger network than allowed: the sizes are checked before the weights.
    let mut large = b"spar-net".to_vec();
    for size in [1_u16, 1024, 1, 64] {
        large.extend(size.to_le_bytes());
    }
    let fnv = large
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    large.extend(fnv.to_le_bytes());
    assert!(matches!(Evaluator::from_bytes(&large), Err(WeightsError::Architecture { found: 1024, .. })));
}

fn models() -> &'static (WazirPieceSquare, Network) {
    static MODELS: OnceLock<(WazirPieceSquare, Network)> = OnceLock::new();
    let model = || WazirPieceSquare::new(pseudo_random(6, FEATURES, 9_000), 100).unwrap();
    MODELS.get_or_init(|| (model(), random_network(32, 4)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_score_depends_on_the_position_alone(choices in prop::collection::vec(any::<u32>(), 102)) {
        check_line(&PieceSquare, &choices)?;
        check_line(&Material, &choices)?;
        check_line(&models().0, &choices)?;
        check_line(&models().1, &choices)?;
    }

    /// Reflecting a game top to bottom and swapping the sides leaves the mover's score unchanged.
    #[test]
    fn evaluation_is_symmetric_between_the_sides(red in 0..Setup::COUNT, blue in 0..Setup::COUNT) {
        let (red, blue) = (Setup::from_rank(red).unwrap(), Setup::from_rank(blue).unwrap());
        let board = |top: &Setup, bottom: &Setup| {
            let (top, bottom) = (top.text(Side::Red), bottom.text(Side::Blue));
            let empty = ["........"; 4].join("/");
            format!("{}/{}/{empty}/{}/{} - ", &top[..8], &top[8..], &bottom[..8], &bottom[8..])
        };
        let flip = |setup: &Setup| {
            let mut pieces = *setup.pieces();
            pieces.rotate_left(8);
            Setup::new(pieces).unwrap()
        };
        let position: Position = format!("{}r 2", board(&red, &blue)).parse().unwrap();
        let mirrored: Position = format!("{}b 3", board(&flip(&blue), &flip(&red))).parse().unwrap();
        for kind in EvaluationKind::ALL {
            prop_assert_eq!(evaluate(kind, &position), evaluate(kind, &mirrored));
        }
    }
}
