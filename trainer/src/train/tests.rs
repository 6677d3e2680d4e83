//! Tests of whole trainings: what they learn, reproducibility, and interruption.

use super::adam::Schedule;
use super::chess;
use super::dataset::{Positions, Split};
use super::export::Export;
use super::fit::{CHECKPOINT, CHECKPOINT_EVERY};
use super::input::{Input, Labelled as _, Target};
use super::model::{Linear, Model, Network};
use super::sample::Sample;
use super::{
    Baselines, CheckpointFault, Choice, Control, Dataset, Judgement, Kind, PositionWeights, PstNet, Settings, Source,
    TrainError, Trained, Value, train,
};
use crate::chess::{Labelled, Labels, formats};
use crate::data::tests::records;
use crate::data::{self, Record};
use arena::config::PositionFormat;
use engine::Evaluator;
use engine::eval::features::for_each_feature;
use stats::Score;
use std::path::Path;
use std::time::Duration;

const NETWORK: Kind = Kind::Network { hidden: 32, buckets: 2, ply_buckets: 1, output_scale: 127 };

const CHESS: Kind = Kind::Chess { hidden: 16, output_scale: 256, scale: 400 };

/// Positions of chess with their material as score, as text in White's view.
fn material(count: usize, folder: &Path) -> Dataset {
    let path = folder.join("material.txt");
    let mut text = Vec::new();
    for record in chess::tests::records(count) {
        let Labels { score, result, .. } = record.labels();
        let (score, result) = (score.unwrap(), result.unwrap());
        let of = Labelled { position: record.position().unwrap(), score, result, played: None };
        formats::write(PositionFormat::Text, &of, &mut text).unwrap();
    }
    fs_err::write(&path, text).unwrap();
    Dataset::open_chess(
        &[Source::File(path)],
        Choice { held_out: 0.2, max_score: 8_000, moves: crate::train::Moves::None },
        400,
    )
    .unwrap()
}

/// Positions with scores from a linear model: a weight for each feature, and a bonus.
fn planted(count: usize) -> Dataset {
    planted_by_plies(count, |_| 1.0)
}

/// The same with scores times a factor that depends on the plies made.
fn planted_by_plies(count: usize, factor: impl Fn(u8) -> f64) -> Dataset {
    let weight = |feature: usize| ((feature * 7_919 % 1_009) as f64 / 1_009.0 - 0.5) / 2.0;
    let label = |record: &Record| {
        let position = record.position().unwrap();
        let sum = |side| {
            let mut sum = 0.0;
            for_each_feature(&position, side, |feature| sum += weight(feature % 636));
            sum
        };
        let mover = position.side_to_move();
        let score = (1_000.0 * factor(record.ply()) * (sum(mover) - sum(mover.other()) + 0.3)) as i16;
        let labels =
            data::Labels { result: Score::Draw, score, best: record.best().unwrap(), nodes: 1, game: record.game() };
        Record::new(&position, &labels).unwrap()
    };
    let all: Vec<Record> = records(count).iter().map(label).collect();
    let (training, held_out) = all.split_at(count * 9 / 10);
    Dataset::new(Split { training: training.to_vec(), held_out: held_out.to_vec() }).unwrap()
}

fn settings(kind: Kind) -> Settings {
    Settings {
        epochs: 3.0,
        batch: 256,
        lambda: 0.0,
        threads: 2,
        evaluations: 6,
        learning_rate: 0.01,
        ..Settings::new(kind)
    }
}

fn trained(settings: &Settings, data: &Dataset, folder: &Path) -> Trained {
    train(settings, data, None, folder, &mut |_| Control::Continue).unwrap()
}

fn value(trained: &Trained) -> &Value {
    let Judgement::Value(value) = &trained.judgement else { panic!("an evaluation: {trained:?}") };
    value
}

fn bytes(trained: &Trained) -> Vec<u8> {
    fs_err::read(trained.weights.as_ref().unwrap()).unwrap()
}

#[test]
#[ignore = "slow"]
fn a_linear_model_is_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let data = planted(6_000);
    let settings = Settings { epochs: 60.0, learning_rate: 0.02, weight_decay: 0.0, ..settings(Kind::Wps) };
    let trained = trained(&settings, &data, folder.path());
    let (found, least) = (trained.best.unwrap().held_out, value(&trained).baselines.targets.target);
    assert!(found - least < 0.01, "{found} {least}");
    assert!(value(&trained).baselines.constant.target - least > 0.05, "{:?}", value(&trained).baselines);
    let quantisation = trained.judgement.quantisation().unwrap();
    assert!(quantisation.percentile_99 < 0.002, "{quantisation:?}");
}

#[test]
#[ignore = "slow"]
fn a_network_learns_and_the_engine_agrees_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = planted(4_000);
    let trained = trained(&Settings { epochs: 12.0, ..settings(NETWORK) }, &data, folder.path());
    let (found, least, constant) = (
        trained.best.unwrap().held_out,
        value(&trained).baselines.targets.target,
        value(&trained).baselines.constant.target,
    );
    assert!(found - least < 0.5 * (constant - least), "{found} {least} {constant}");
    assert!(trained.judgement.quantisation().unwrap().largest < 0.001, "{:?}", trained.judgement.quantisation());
}

#[test]
#[ignore = "slow"]
fn a_network_of_chess_learns_and_its_integers_agree_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = material(6_000, folder.path());
    let trained = trained(&Settings { epochs: 30.0, ..settings(CHESS) }, &data, folder.path());
    let (found, Baselines { targets, constant, simple }) = (trained.best.unwrap().held_out, value(&trained).baselines);
    assert!(found - targets.target < 0.5 * (constant.target - targets.target), "{found} {targets:?} {constant:?}");
    assert!((simple.target - targets.target).abs() < 1e-6, "scores are material: {simple:?} {targets:?}");
    // Adjacent whole centipawns are 1/400 logit apart.
    assert!(trained.judgement.quantisation().unwrap().largest < 0.0026, "{:?}", trained.judgement.quantisation());
    let network = PstNet::from_bytes(&bytes(&trained)).unwrap();
    assert!(network.to_bytes() == bytes(&trained));
    let Positions::Chess(split) = data.positions() else { panic!("positions of chess") };
    let [mut wrong, mut all] = [0.0; 2];
    for record in &split.held_out {
        let score = f64::from(record.label().0);
        wrong += (network.centipawns(&record.position().unwrap()).unwrap() as f64 - score).abs();
        all += score.abs();
    }
    assert!(wrong < 0.7 * all, "off by {wrong} centipawns of {all}");
}

#[test]
fn a_game_is_trained_on_with_its_own_positions() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |kind, data: &Dataset| {
        let refused = train(&settings(kind), data, None, folder.path(), &mut |_| Control::Stop).unwrap_err();
        assert!(matches!(refused, TrainError::OtherGame), "{refused}");
    };
    refused(CHESS, &planted(400));
    refused(NETWORK, &material(400, folder.path()));
    let start = Evaluator::from(engine::EvaluationKind::Material);
    assert!(matches!(super::fits(&start, CHESS), Err(super::Misfit::NoNetwork)));
}

#[test]
#[ignore = "slow"]
fn the_same_training_gives_the_same_bytes_and_another_seed_others() {
    let (one, two, three) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (data, settings) = (planted(1_500), settings(NETWORK));
    let first = trained(&settings, &data, one.path());
    let second = trained(&settings, &data, two.path());
    assert_eq!((bytes(&first), &first.points), (bytes(&second), &second.points));
    let third = trained(&Settings { seed: 2, ..settings }, &data, three.path());
    assert_ne!(bytes(&first), bytes(&third));
}

#[test]
#[ignore = "slow"]
fn a_stopped_training_resumes_as_if_it_had_not_stopped() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (leapers, chess) = (planted(1_500), material(1_500, whole.path()));
    for (kind, data) in [(NETWORK, &leapers), (Kind::Wps, &leapers), (CHESS, &chess)] {
        let settings = settings(kind);
        let expected = trained(&settings, data, whole.path());
        let mut sittings = 0;
        let found = loop {
            let mut steps = 0;
            let sitting = train(&settings, data, None, parts.path(), &mut |_| {
                steps += 1;
                if steps == 4 { Control::Stop } else { Control::Continue }
            });
            sittings += 1;
            match sitting.unwrap() {
                Trained { stopped: true, .. } => {}
                trained => break trained,
            }
        };
        assert!(sittings > 2, "{sittings}");
        assert_eq!(bytes(&found), bytes(&expected));
        assert_eq!((&found.points, &found.judgement), (&expected.points, &expected.judgement));
        for folder in [&whole, &parts] {
            fs_err::remove_file(folder.path().join(CHECKPOINT)).unwrap();
        }
    }
}

#[test]
#[ignore = "slow"]
fn weights_decide_what_is_learnt_and_judged_by_how_they_differ() {
    let folder = tempfile::tempdir().unwrap();
    let data = material(3_000, folder.path());
    let with = |weights: PositionWeights| {
        let folder = tempfile::tempdir().unwrap();
        let trained = trained(&Settings { weights, ..settings(CHESS) }, &data, folder.path());
        (bytes(&trained), trained)
    };
    let usual = PositionWeights::default();
    let (expected, all) = with(usual.clone());
    let (same, halved) = with(PositionWeights { ply: vec![(7, 2.0)], win: 0.25, draw: 0.25, loss: 0.25 });
    assert!(same == expected && halved.points == all.points, "all of them a half");
    let (other, without_draws) = with(PositionWeights { draw: 0.0, ..usual.clone() });
    assert!(other != expected);
    // If draws have the weight 0, all positions are won or lost, and their targets by result are certain.
    let by_result = |trained: &Trained| value(trained).baselines.targets.score;
    assert!(
        by_result(&without_draws) < by_result(&all) - 0.01,
        "{:?} {:?}",
        value(&without_draws).baselines,
        value(&all).baselines
    );
    let (early, _) = with(PositionWeights { ply: vec![(0, 1.0), (60, 0.0)], ..usual });
    assert!(early != expected && early != other);
}

#[test]
fn weights_are_part_of_what_a_training_is() {
    let folder = tempfile::tempdir().unwrap();
    let data = material(1_000, folder.path());
    let weighed =
        |draw| Settings { weights: PositionWeights { draw, ..PositionWeights::default() }, ..settings(CHESS) };
    let stopped = train(&weighed(0.5), &data, None, folder.path(), &mut |_| Control::Stop).unwrap();
    assert!(stopped.stopped);
    for draw in [0.25, 1.0] {
        let refused = train(&weighed(draw), &data, None, folder.path(), &mut |_| Control::Stop).unwrap_err();
        assert!(refused.to_string().contains("with other settings"), "{refused}");
    }
    assert!(train(&weighed(0.5), &data, None, folder.path(), &mut |_| Control::Stop).is_ok());
    let text = serde_json::to_string(&weighed(1.0)).unwrap();
    assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), weighed(1.0));
}

#[test]
fn a_format_without_plies_has_no_weights_by_ply() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.bullet");
    let mut records = Vec::new();
    for record in chess::tests::records(600) {
        let Labels { score, result, .. } = record.labels();
        let (score, result) = (score.unwrap(), result.unwrap());
        let of = Labelled { position: record.position().unwrap(), score, result, played: None };
        formats::write(PositionFormat::Bullet, &of, &mut records).unwrap();
    }
    fs_err::write(&path, records).unwrap();
    let data = Dataset::open_chess(
        &[Source::File(path)],
        Choice { held_out: 0.2, max_score: 8_000, moves: crate::train::Moves::None },
        400,
    )
    .unwrap();
    let with = |weights| {
        let settings = Settings { weights, ..settings(CHESS) };
        train(&settings, &data, None, folder.path(), &mut |_| Control::Stop)
    };
    let refused = with(PositionWeights { ply: vec![(3, 1.0)], ..PositionWeights::default() }).unwrap_err();
    assert!(refused.to_string().contains("a.bullet: its format does not say how far games are"), "{refused}");
    assert!(with(PositionWeights { draw: 0.5, ..PositionWeights::default() }).is_ok());
}

#[test]
fn a_finished_training_is_not_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let (data, settings) = (planted(600), settings(Kind::Wps));
    let first = trained(&settings, &data, folder.path());
    let again = train(&settings, &data, None, folder.path(), &mut |_| panic!("there is no step left")).unwrap();
    assert_eq!((again.points, again.positions), (first.points, first.positions));
}

#[test]
fn checkpoints_of_something_else_and_damaged_ones_are_refused_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (data, settings) = (planted(600), settings(Kind::Wps));
    trained(&settings, &data, folder.path());
    let path = folder.path().join(CHECKPOINT);
    let good = fs_err::read(&path).unwrap();
    let fault = |settings: &Settings, data: &Dataset| match train(settings, data, None, folder.path(), &mut |_| {
        Control::Stop
    }) {
        Err(TrainError::Checkpoint { fault, path: named }) => {
            assert_eq!(named, path);
            fault
        }
        other => panic!("{other:?}"),
    };
    let other = Settings { lambda: 0.5, ..settings.clone() };
    assert_eq!(fault(&other, &data), CheckpointFault::Other { what: "settings" });
    assert_eq!(fault(&settings, &planted(500)), CheckpointFault::Other { what: "data" });
    assert_eq!(fs_err::read(&path).unwrap(), good);
    for (cut, expected) in
        [(0, CheckpointFault::Foreign), (13, CheckpointFault::Damaged), (good.len() - 1, CheckpointFault::Damaged)]
    {
        fs_err::write(&path, &good[..cut]).unwrap();
        assert_eq!(fault(&settings, &data), expected, "{cut} bytes");
    }
    let mut changed = good.clone();
    changed[good.len() / 2] ^= 1;
    fs_err::write(&path, &changed).unwrap();
    assert_eq!(fault(&settings, &data), CheckpointFault::Damaged);
    fs_err::write(&path, "a file of another kind").unwrap();
    assert_eq!(fault(&settings, &data), CheckpointFault::Foreign);
}

#[test]
fn what_is_no_number_ends_the_training_and_the_last_checkpoint_stays() {
    let folder = tempfile::tempdir().unwrap();
    let data = planted(600);
    let wild = Settings { learning_rate: f64::NAN, ..settings(NETWORK) };
    match train(&wild, &data, None, folder.path(), &mut |_| Control::Continue) {
        Err(TrainError::NotFinite { what: "loss", step: 1 }) => {}
        other => panic!("{other:?}"),
    }
    assert!(!folder.path().join(CHECKPOINT).exists());
    let mut model = Linear::new();
    let path = folder.path().join("other");
    super::checkpoint::write(&path, &1, 0, &model).unwrap();
    let good = fs_err::read(&path).unwrap();
    model.weights_mut()[0].state_mut()[0][77] = f32::NAN;
    let refused = super::checkpoint::write(&path, &1, 3, &model);
    assert!(matches!(refused, Err(TrainError::NotFinite { step: 3, .. })), "{refused:?}");
    assert_eq!(fs_err::read(&path).unwrap(), good);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    let error = train(&settings(Kind::Wps), &planted(400), None, &gone, &mut |_| Control::Continue).unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
}

#[test]
fn linear_gradients_are_those_of_finite_differences() {
    let mut model = Linear::new();
    let target = Target { lambda: 0.5, clip: 8_000, logit: 1_000.0 };
    let samples: Vec<Sample> = records(50)
        .iter()
        .map(|record| {
            let mut sample = Sample::EMPTY;
            sample.read(record, target).unwrap();
            sample
        })
        .collect();
    let schedule = Schedule { steps: 1, warm_up: 0, highest: 0.05, last: 0.05, decay: 0.0 };
    for step in 0..3 {
        let mut sums = [model.sums()];
        model.learn(&samples, &[1.0; 50], 0.02, &mut sums[0]);
        model.step(&mut sums, schedule.step(step));
    }
    let mut sums = model.sums();
    model.learn(&samples, &[1.0; 50], 1.0, &mut sums);
    let row = usize::from(samples[7].rows[0][5]);
    let mut at = |change: f32| {
        model.weights_mut()[0].state_mut()[0][row] += change;
        model.replaced();
        let loss = model.learn(&samples, &[1.0; 50], 0.0, &mut model.sums());
        model.weights_mut()[0].state_mut()[0][row] -= change;
        loss
    };
    let expected = (at(0.01) - at(-0.01)) / 0.02;
    let found = f64::from(sums.row(row));
    assert!((found - expected).abs() < 1e-2 * (1.0 + expected.abs()), "{found} {expected}");
    assert_eq!(Linear::FILE, "wps.bin");
}

#[test]
#[ignore = "slow"]
fn a_training_can_begin_with_a_network_of_the_engine() {
    let (data, folder) = (planted(3_000), tempfile::tempdir().unwrap());
    let first = trained(&settings(NETWORK), &data, folder.path());
    let start = Evaluator::from_bytes(&bytes(&first)).unwrap();
    let Evaluator::Network(network) = &start else { panic!("a network") };
    let copied = |ply_buckets: usize| Network::from_parts(&network.parts(), ply_buckets).bytes().unwrap();
    assert!(copied(1) == network.to_bytes(), "the same, number by number");
    let by_plies = Evaluator::from_bytes(&copied(5)).unwrap();
    for position in records(200).iter().map(|record| record.position().unwrap()) {
        assert_eq!(by_plies.evaluate(&position), start.evaluate(&position), "{position}");
    }

    let little = Settings { epochs: 0.1, learning_rate: 1e-5, final_learning_rate: 1e-6, ..settings(NETWORK) };
    let held_out = |start: Option<&Evaluator>| {
        let folder = tempfile::tempdir().unwrap();
        let start = start.map(Into::into);
        train(&little, &data, start, folder.path(), &mut |_| Control::Continue).unwrap().best.unwrap().held_out
    };
    let (fresh, further) = (held_out(None), held_out(Some(&start)));
    assert!((further - first.best.unwrap().held_out).abs() < 0.001 && fresh > further + 0.005, "{fresh} {further}");

    let refused = |settings: &Settings, start: Option<&Evaluator>| {
        train(settings, &data, start.map(Into::into), folder.path(), &mut |_| Control::Stop).unwrap_err().to_string()
    };
    let wider = settings(Kind::Network { hidden: 64, buckets: 2, ply_buckets: 1, output_scale: 127 });
    assert!(refused(&wider, Some(&start)).contains("are 32, 2 and 127, and 64, 2 and 127 are"));
    let other = settings(Kind::Network { hidden: 32, buckets: 2, ply_buckets: 4, output_scale: 127 });
    assert!(refused(&other, Some(&by_plies)).contains("its `ply_buckets` are 5, and 4 are to be trained"));
    assert!(refused(&settings(Kind::Wps), Some(&start)).contains("begins with zeros"));
    assert!(
        refused(&settings(NETWORK), Some(&engine::EvaluationKind::Material.into())).contains("it is not a network")
    );
    assert!(
        refused(&settings(NETWORK), Some(&start)).contains("other first weights"),
        "a checkpoint of one that started over"
    );
}

#[test]
#[ignore = "slow"]
fn outputs_by_plies_learn_what_one_output_cannot() {
    // After a quarter of the game, everything is worth the opposite.
    let data = planted_by_plies(3_000, |ply| if ply < 26 { 1.0 } else { -1.0 });
    let folder = tempfile::tempdir().unwrap();
    let start = Evaluator::from_bytes(&bytes(&trained(&settings(NETWORK), &planted(3_000), folder.path()))).unwrap();
    let [one, four] = [1, 4].map(|ply_buckets| {
        let kind = Kind::Network { hidden: 32, buckets: 2, ply_buckets, output_scale: 127 };
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { epochs: 30.0, ..settings(kind) };
        let trained = train(&settings, &data, Some((&start).into()), folder.path(), &mut |_| Control::Continue);
        trained.unwrap().best.unwrap().held_out
    });
    assert!(four < one - 0.02, "{four} {one}");
}

#[test]
#[ignore = "slow"]
fn a_training_of_chess_can_begin_with_a_network_of_chess() {
    let folder = tempfile::tempdir().unwrap();
    let data = material(3_000, folder.path());
    // Half of the second slab is padding.
    let kind = Kind::Chess { hidden: 48, output_scale: 256, scale: 400 };
    let first = trained(&settings(kind), &data, folder.path());
    let start = PstNet::from_bytes(&bytes(&first)).unwrap();
    assert!(start.in_training().bytes().unwrap() == bytes(&first), "the same, number by number");

    let little = Settings { epochs: 0.1, learning_rate: 1e-6, final_learning_rate: 1e-6, ..settings(kind) };
    let held_out = |start: Option<&PstNet>| {
        let folder = tempfile::tempdir().unwrap();
        let start = start.map(Into::into);
        train(&little, &data, start, folder.path(), &mut |_| Control::Continue).unwrap().best.unwrap().held_out
    };
    let (fresh, further) = (held_out(None), held_out(Some(&start)));
    let ended = first.best.unwrap().held_out;
    assert!((further - ended).abs() < 1e-4 && fresh > further + 0.01, "{fresh} {further} {ended}");

    let refused = |settings: &Settings, start: &PstNet| {
        train(settings, &data, Some(start.into()), folder.path(), &mut |_| Control::Stop).unwrap_err().to_string()
    };
    let other = settings(Kind::Chess { hidden: 48, output_scale: 256, scale: 300 });
    assert!(refused(&other, &start).contains("`output_scale` and `scale` are 48, 256 and 400, and 48, 256 and 300"));
    assert!(refused(&settings(NETWORK), &start).contains("it is not a network of the kind"));
    assert!(refused(&settings(kind), &start).contains("other first weights"), "a checkpoint of one that started over");
    assert!(refused(&settings(kind), &start.clone().with_weight(5, 2_000)).contains("its weights are larger"));
    // The largest weights that a training can have stay unchanged, and so do both sets' copies of them.
    let large = (0..2 * 768 * 48).step_by(48).fold(start, |net, at| net.with_weight(at, 1_000));
    assert!(super::fits(&large, kind).is_ok());
    let mut network = large.in_training();
    let still = Schedule { steps: 1, warm_up: 0, highest: 0.0, last: 0.0, decay: 0.0 };
    network.step(&mut [network.sums()], still.step(0));
    assert!(network.bytes().unwrap() == large.to_bytes(), "the first step cuts nothing off");
}

/// A training that is killed loses little.
#[test]
#[ignore = "slow"]
fn a_checkpoint_is_written_from_time_to_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut steps = 0;
    let stopped = train(&settings(Kind::Wps), &planted(2_000), None, folder.path(), &mut |_| {
        steps += 1;
        if steps == 1 {
            // The checkpoint is due after this step.
            std::thread::sleep(CHECKPOINT_EVERY + Duration::from_millis(1));
            return Control::Continue;
        }
        assert!(folder.path().join(CHECKPOINT).is_file(), "nothing is kept yet");
        Control::Stop
    });
    assert!(stopped.unwrap().stopped);
    assert_eq!(steps, 2);
}
