use super::*;
use crate::data::tests::records;
use crate::data::{Labels, PositionsWriter, Record, VisitRecord};
use crate::train::dataset::Split;
use crate::train::{
    CHECKPOINT, Choice, Control, Dataset, Kind, Moves, PolicyJudgement, Settings, Source, Start, TrainError, Trained,
    train,
};
use engine::{EvaluationKind, Evaluator, MoveList, PolicyRows};
use std::path::Path;

const POLICY: Kind = Kind::Policy { output_scale: 64 };

fn shipped() -> Arc<Network> {
    let Evaluator::Network(network) = EvaluationKind::Network.into() else { panic!("a network") };
    network
}

/// A record with another move.
fn with_move(record: &Record, best: engine::Move) -> Record {
    let labels =
        Labels { result: record.result(), score: record.score(), best, nodes: record.nodes(), game: record.game() };
    Record::new(&record.position().unwrap(), &labels).unwrap()
}

/// Positions in which the move played is the safe move with the highest number in the mover's view.
fn planted(count: usize) -> Vec<Record> {
    let planted = |record: &Record| {
        let position = record.position().unwrap();
        let mut moves = MoveList::new();
        position.safe_moves(&mut moves);
        let rows = PolicyRows::new(&position)?;
        let best = moves.iter().copied().max_by_key(|&mv| rows.row(mv).mv)?;
        Some(with_move(record, best))
    };
    records(count).iter().filter_map(planted).collect()
}

fn dataset(count: usize) -> Dataset {
    let all = planted(count);
    let (training, held_out) = all.split_at(all.len() * 9 / 10);
    Dataset::new(Split { training: training.to_vec(), held_out: held_out.to_vec() }).unwrap()
}

fn settings(threads: usize) -> Settings {
    Settings { epochs: 3.0, batch: 200, learning_rate: 0.02, threads, evaluations: 3, ..Settings::new(POLICY) }
}

fn trained(settings: &Settings, data: &Dataset, folder: &Path) -> Trained {
    train(settings, data, None, folder, &mut |_| Control::Continue).unwrap()
}

fn bytes(trained: &Trained) -> Vec<u8> {
    fs_err::read(trained.weights.as_ref().unwrap()).unwrap()
}

/// The loss of a sample.
fn loss(seen: &Seen, room: &mut Room) -> f64 {
    seen.logits(room);
    f64::from(softmax(&mut room.logits, &room.sample.shares))
}

/// A record with visits of its first safe moves, most of them on the move played.
fn with_visits(record: &Record) -> VisitRecord {
    let mut moves = MoveList::new();
    record.position().unwrap().safe_moves(&mut moves);
    let best = record.best().unwrap();
    let others = moves.iter().copied().filter(|&mv| mv != best).take(3);
    VisitRecord::new(record, &others.zip(1..).chain([(best, 15)]).collect::<Vec<_>>())
}

#[test]
fn gradients_are_those_of_finite_differences() {
    assert_gradients(&planted(400));
    assert_gradients(&planted(400).iter().map(with_visits).collect::<Vec<_>>());
}

fn assert_gradients<R: MoveRecord>(records: &[R]) {
    let mut head = Head::<R>::new(shipped(), 64);
    let number = |n: usize| (n * 7_919 % 1_009) as f32 / 1_009.0 - 0.5;
    head.seen.rows.iter_mut().zip(0..).for_each(|(weight, n)| *weight = number(n));
    head.seen.biases.iter_mut().zip(5..).for_each(|(bias, n)| *bias = number(n));
    let mut largest = 0.0_f64;
    for record in records.iter().step_by(80) {
        let mut sums = Task::sums(&head, 1).remove(0);
        sums.room.sample.read(record, &head.network).unwrap();
        head.seen.logits(&mut sums.room);
        sums.add(1.0);
        sums.flush();
        let Sums { rows, biases, mut room, .. } = sums;
        let played = room.sample.rows[room.sample.played];
        let other = room.sample.rows[0];
        let strongest =
            (0..head.width).max_by(|&a, &b| room.sample.activations[a].total_cmp(&room.sample.activations[b]));
        let mut near = |found: f32, place: &mut dyn FnMut(&mut Seen) -> &mut f32| {
            let mut seen = head.seen.clone();
            let at = *place(&mut seen);
            let mut with = |value: f32| {
                *place(&mut seen) = value;
                loss(&seen, &mut room)
            };
            let expected = (with(at + 0.02) - with(at - 0.02)) / 0.04;
            assert!((f64::from(found) - expected).abs() < 2e-3, "{found} {expected}");
            expected.abs()
        };
        for number in [played.weights(), other.weights()].concat() {
            let at = number * head.width + strongest.unwrap();
            largest = largest.max(near(rows[at], &mut |seen| &mut seen.rows[at]));
        }
        for number in [played.biases(), other.biases()].concat() {
            largest = largest.max(near(biases[number], &mut |seen| &mut seen.biases[number]));
        }
    }
    assert!(largest > 0.05, "{largest}");
}

#[test]
#[ignore = "slow"]
fn a_rule_for_moves_is_learnt_and_the_engine_agrees_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let trained = trained(&settings(2), &dataset(3_000), folder.path());
    let Judgement::Policy(PolicyJudgement { policy, uniform, quantisation, moves }) = &trained.judgement else {
        panic!("a policy: {trained:?}")
    };
    assert!(policy.top_1 > 0.5 && uniform.top_1 < 0.1 && *moves > 20.0, "{:?}", trained.judgement);
    assert!(policy.top_1 <= policy.top_3 && policy.top_3 <= policy.top_5, "{policy:?}");
    assert!((policy.cross_entropy - trained.points.last().unwrap().held_out).abs() < 1e-9);
    let error = quantisation.unwrap();
    assert!(error.largest < 0.1, "the engine rounds activations to units of 1/127: {error:?}");
    let policy = Policy::from_bytes(&bytes(&trained)).unwrap();
    assert_eq!(policy.check_fits(&EvaluationKind::Network.into()), Ok(()));
}

#[test]
fn weights_depend_on_the_seed_and_not_on_threads_or_interruptions() {
    let (one, three, other) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (data, short) = (dataset(500), |threads| Settings { epochs: 1.0, ..settings(threads) });
    let expected = trained(&short(1), &data, one.path());
    let found = trained(&short(3), &data, three.path());
    assert_eq!((bytes(&found), &found.points), (bytes(&expected), &expected.points));
    fs_err::remove_file(three.path().join(CHECKPOINT)).unwrap();
    let stopped = train(&short(3), &data, None, three.path(), &mut |_| Control::Stop).unwrap();
    assert!(stopped.stopped && stopped.judgement.quantisation().is_none());
    let resumed = trained(&short(3), &data, three.path());
    assert_eq!((bytes(&resumed), &resumed.points), (bytes(&expected), &expected.points));
    assert_eq!(resumed.judgement, expected.judgement);
    assert_ne!(bytes(&trained(&Settings { seed: 2, ..short(3) }, &data, other.path())), bytes(&expected));
}

#[test]
fn what_a_policy_cannot_learn_from_is_refused_or_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let choice = Choice { held_out: 0.3, max_score: 32_000, moves: Moves::Played };
    let open = |name: &str, records: &[Record]| {
        let mut writer = PositionsWriter::new(Vec::new(), None).unwrap();
        for record in records {
            writer.push(record).unwrap();
        }
        let path = folder.path().join(name);
        fs_err::write(&path, writer.finish().unwrap()).unwrap();
        Dataset::open(&[Source::File(path)], choice)
    };
    let all = records(400);
    let is_safe = |record: &&Record| record.position().unwrap().is_safe(record.best().unwrap());
    let identity = open("good", &all).unwrap().identity();
    assert_eq!(identity.training + identity.held_out, all.iter().filter(is_safe).count() as u64);
    assert!(all.iter().filter(is_safe).count() < 400, "some moves lose the wazir");
    let mut without = all.clone();
    let mut changed = *without[70].as_bytes();
    changed[28..30].fill(0);
    without[70] = Record::from_bytes(changed);
    let refused = open("without", &without).unwrap_err();
    assert!(matches!(refused, TrainError::IllegalMove { block: 0, index: 70 }), "{refused}");
    assert!(refused.to_string().contains("record 70 of block 0 has no legal move"), "{refused}");
    let data = dataset(300);
    let start = Evaluator::from(EvaluationKind::WazirPieceSquare);
    let refused = train(&settings(1), &data, Some(Start::from(&start)), folder.path(), &mut |_| Control::Stop);
    assert!(matches!(refused, Err(TrainError::Start(_))), "{refused:?}");
}

#[test]
fn a_policy_is_of_the_network_that_it_was_trained_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut parts = shipped().parts();
    parts.feature_biases[3] += 1;
    let other = Evaluator::Network(Arc::new(Network::new(&parts).unwrap()));
    let short = Settings { epochs: 0.5, evaluations: 1, ..settings(2) };
    let start = Some(Start::from(&other));
    let trained = train(&short, &dataset(300), start, folder.path(), &mut |_| Control::Continue).unwrap();
    let policy = Policy::from_bytes(&bytes(&trained)).unwrap();
    assert_eq!(policy.check_fits(&other), Ok(()));
    assert!(policy.check_fits(&EvaluationKind::Network.into()).is_err());
}

#[test]
fn shares_are_those_of_the_visits_that_are_kept() {
    let record = planted(60).remove(7);
    let (mut sample, visits) = (Sample::new(&shipped()), with_visits(&record));
    sample.read(&visits, &shipped()).unwrap();
    let total: f32 = VisitRecord::shares(&visits).map(|(_, share)| f32::from(share)).sum();
    let mut moves = MoveList::new();
    record.position().unwrap().safe_moves(&mut moves);
    for (at, &mv) in moves.iter().enumerate() {
        let share =
            VisitRecord::shares(&visits).find(|(visited, _)| *visited == mv).map_or(0.0, |(_, share)| share.into());
        assert!((sample.shares[at] - share / total).abs() < 1e-6, "{mv:?}");
    }
    assert_eq!(Some(moves[sample.played]), record.best());
    sample.read(&record, &shipped()).unwrap();
    let of_played: Vec<f32> = (0..moves.len()).map(|at| f32::from(u8::from(at == sample.played))).collect();
    assert_eq!(sample.shares, of_played);
}

#[test]
fn visits_are_learnt_from_files_that_have_them() {
    let folder = tempfile::tempdir().unwrap();
    let all = planted(500);
    let path = folder.path().join("visits.positions");
    let mut writer = PositionsWriter::new(Vec::new(), None).unwrap();
    for record in &all {
        writer.push_visits(&with_visits(record)).unwrap();
    }
    fs_err::write(&path, writer.finish().unwrap()).unwrap();
    let open = |path: &Path, moves| {
        Dataset::open(&[Source::File(path.to_owned())], Choice { held_out: 0.3, max_score: 32_000, moves })
    };
    let (visits, played) = (open(&path, Moves::Visits).unwrap(), open(&path, Moves::Played).unwrap());
    assert_eq!(visits.identity().training, played.identity().training);
    let short = Settings { epochs: 4.0, ..settings(2) };
    let [of_visits, of_moves] = [("visits", &visits), ("moves", &played)].map(|(name, data)| {
        let out = folder.path().join(name);
        fs_err::create_dir(&out).unwrap();
        trained(&short, data, &out)
    });
    assert_ne!(bytes(&of_visits), bytes(&of_moves));
    let Judgement::Policy(PolicyJudgement { policy, uniform, .. }) = &of_visits.judgement else { panic!("a policy") };
    assert!(policy.top_1 > uniform.top_1 + 0.2, "{policy:?} {uniform:?}");
    let without = folder.path().join("without.positions");
    let mut writer = PositionsWriter::new(Vec::new(), None).unwrap();
    for record in &all {
        writer.push(record).unwrap();
    }
    fs_err::write(&without, writer.finish().unwrap()).unwrap();
    let refused = open(&without, Moves::Visits).unwrap_err().to_string();
    assert!(refused.contains("without.positions: a block of positions has no visit shares"), "{refused}");
}
