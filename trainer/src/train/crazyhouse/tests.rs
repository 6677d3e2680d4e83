//! Tests of crazyhouse records, gradients, and a training that learns.

use super::super::adam::Schedule;
use super::super::dataset::{Choice, Dataset, Positions, Source};
use super::super::fit::{CHECKPOINT, Control, train};
use super::super::input::{Labelled as _, Target};
use super::super::judgement::Judgement;
use super::super::settings::{Kind, Settings};
use super::super::start::Start;
use super::super::weights::{PositionWeights, Weighing};
use super::*;
use crate::chess::Labelled;
use crate::chess::formats::plain;
use crazyhouse::moves::{code, read_fen, read_move};
use rand_xoshiro::rand_core::SeedableRng;
use shakmaty::variant::Crazyhouse;
use shakmaty::{ByRole, Move, Position as _, Role};
use stats::Score;
use stats::random::mix;
use std::path::{Path, PathBuf};

/// The move of the made-up player: a capture, else a check, else any move.
fn chosen(position: &Crazyhouse, number: u64) -> Option<Move> {
    let moves = position.legal_moves();
    let gives_check = |mv: Move| {
        let mut after = position.clone();
        after.play_unchecked(mv);
        after.is_check()
    };
    let best = moves.iter().copied().find(|mv| mv.is_capture());
    let best = best.or_else(|| moves.iter().copied().find(|&mv| gives_check(mv)));
    best.or_else(|| moves.get(mix(number) as usize % moves.len().max(1)).copied())
}

/// Games of a player that captures. White's score is its surplus in hand.
fn games(count: u64) -> Vec<Labelled<Crazyhouse>> {
    let mut all = Vec::new();
    for game in 0..count {
        let mut position = Crazyhouse::default();
        let result = Score::ALL[mix(game) as usize % 3];
        for ply in 0..60 {
            let number = 1_000 * game + ply;
            let Some(played) = (if ply < 4 { None } else { chosen(&position, number) }).or_else(|| {
                let moves = position.legal_moves();
                moves.get(mix(number) as usize % moves.len().max(1)).copied()
            }) else {
                break;
            };
            let count = |pocket: &ByRole<u8>| Role::ALL.iter().map(|&role| i16::from(*pocket.get(role))).sum::<i16>();
            let held = position.pockets().map_or(0, |pockets| count(&pockets.white) - count(&pockets.black));
            let score = 100 * held;
            all.push(Labelled { position: position.clone(), score, result, played: Some(played) });
            position.play_unchecked(played);
        }
    }
    all
}

fn file(folder: &Path, games: &[Labelled<Crazyhouse>]) -> PathBuf {
    let mut bytes = Vec::new();
    for of in games {
        plain::write(of, &mut bytes).expect("a vector takes all");
    }
    let path = folder.join("games.plain");
    fs_err::write(&path, bytes).unwrap();
    path
}

const CHOICE: Choice = Choice { held_out: 0.2, max_score: 32_000, moves: crate::train::Moves::Played };
const KIND: Kind = Kind::Crazyhouse { hidden: 32, scale: 250 };

fn settings() -> Settings {
    let settings = Settings::new(KIND);
    Settings { epochs: 3.0, batch: 256, evaluations: 3, learning_rate: 0.005, ..settings }
}

fn dataset(folder: &Path) -> Dataset {
    Dataset::open_crazyhouse(&[Source::File(file(folder, &games(40)))], CHOICE, 250).unwrap()
}

#[test]
fn what_is_stored_is_read_back() {
    let mut all = games(20);
    let fen = "r3k2r/8/8/8/3Pp3/8/8/R3K2Q~[PNbq] b KQkq d3 0 30";
    let position = read_fen(fen).unwrap();
    let played = read_move("e4d3", &position);
    all.push(Labelled { position, score: -1_234, result: Score::Loss, played });
    for of in &all {
        let record = Record::new(of).unwrap().of_game(77);
        let mut expected = of.position.to_setup(shakmaty::EnPassantMode::Legal);
        // The record does not store the halfmove counter.
        expected.halfmoves = 0;
        let read = record.position().unwrap().to_setup(shakmaty::EnPassantMode::Legal);
        assert_eq!(read, expected);
        assert_eq!((record.game(), record.played(), record.ply()), (77, code(of.played.unwrap()), of.ply()));
        assert_eq!(record.label(), of.for_mover());
    }
}

#[test]
fn what_cannot_be_learnt_from_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs_err::write(&path, text).unwrap();
        Dataset::open_crazyhouse(&[Source::File(path)], CHOICE, 250).unwrap_err().to_string()
    };
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";
    let block = |fen: &str, mv: &str| format!("fen {fen}\nmove {mv}\nscore 1\nply 0\nresult 0\ne\n");
    assert!(open("a.txt", "x").contains("read from files of the format `plain`"));
    assert!(open("a.plain", &block(fen, "e2e5")).contains("a.plain, line 6: `e2e5` is not a legal move"));
    assert!(open("a.plain", &block(fen, "P@e4")).contains("`P@e4` is not a legal move"));
    assert!(open("a.plain", &block("8/8 w - - 0 1", "e2e4")).contains("line 6: "));
    let castles = "4k3/8/8/8/8/8/8/1R2K1R1[P] w GB - 0 9";
    assert!(open("a.plain", &block(castles, "e1g1")).contains("position 1: its castling is that of Chess960"));
    assert!(open("a.plain", "fen 1\n").contains("ends before the block's `e`"));
    assert!(open("a.plain", "").contains("0 positions to train on"));
}

/// Compares gradients with differences of the loss, for some weights of each group.
#[test]
fn gradients_are_the_slopes_of_the_loss() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut net = Net::new(32, &mut random);
    // Makes the moves differ too.
    net.groups[ROW_WEIGHTS].values.iter_mut().for_each(|weight| *weight = random.random_range(-0.3..0.3));
    let all = games(3);
    let target = Target { lambda: 0.3, clip: 8_000, logit: 250.0 };
    let mut checked = 0;
    for of in all.iter().step_by(11) {
        let record = Record::new(of).unwrap();
        let seen = net.unrounded();
        let mut sums = net.sums(1).swap_remove(0);
        sums.room.sample.read(&record, target).unwrap();
        seen.outputs(&mut sums.room);
        sums.add(&seen, 1.0);
        let loss = |seen: &Seen| {
            let mut sums = net.sums(1).swap_remove(0);
            sums.room.sample.read(&record, target).unwrap();
            seen.outputs(&mut sums.room);
            sums.add(seen, 1.0)
        };
        for group in 0..GROUPS {
            let slopes = &sums.groups[group];
            let mut largest: Vec<usize> = (0..slopes.len()).collect();
            largest.sort_by(|&a, &b| slopes[b].abs().total_cmp(&slopes[a].abs()));
            for &at in &largest[..largest.len().min(2)] {
                let moved = |by: f32| {
                    let mut seen = seen.clone();
                    seen.groups[group][at] += by;
                    loss(&seen)
                };
                let slope = (moved(2e-3) - moved(-2e-3)) / 4e-3;
                let found = f64::from(slopes[at]);
                assert!((slope - found).abs() < 0.02 * found.abs().max(0.1), "group {group}: {slope} {found}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn a_network_learns_moves_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(folder.path());
    let settings = Settings { epochs: 12.0, ..settings() };
    let trained = train(&settings, &data, None, folder.path(), &mut |_| Control::Continue).unwrap();
    let Judgement::Both(both) = &trained.judgement else { panic!("a value and a policy") };
    let (policy, uniform) = (both.policy.policy, both.policy.uniform);
    assert!(policy.cross_entropy < 0.75 * uniform.cross_entropy, "{policy:?} {uniform:?}");
    assert!(policy.top_1 > 3.0 * uniform.top_1 && policy.top_5 > policy.top_1, "{policy:?} {uniform:?}");
    assert!(both.value.losses.score < both.value.baselines.constant.score, "{:?}", both.value);
    // The program's integers match the trained weights.
    let error = both.policy.quantisation.as_ref().unwrap();
    assert!(error.largest < 0.02, "{error:?}");
    let bytes = fs_err::read(folder.path().join("network.bin")).unwrap();
    assert_eq!(Network::from_bytes(&bytes).unwrap().weights().hidden, 32);
}

#[test]
fn a_training_is_the_same_stopped_and_resumed_and_on_other_threads() {
    let whole = tempfile::tempdir().unwrap();
    let data = dataset(whole.path());
    let run = |folder: &Path, threads, stops: bool| {
        let settings = Settings { threads, ..settings() };
        let mut steps = 0;
        let trained = train(&settings, &data, None, folder, &mut |_| {
            steps += 1;
            if stops && steps == 5 { Control::Stop } else { Control::Continue }
        });
        trained.unwrap()
    };
    let expected = run(whole.path(), 2, false);
    let bytes = fs_err::read(whole.path().join("network.bin")).unwrap();
    let stopped = tempfile::tempdir().unwrap();
    assert!(run(stopped.path(), 2, true).stopped);
    assert!(stopped.path().join(CHECKPOINT).exists());
    let resumed = run(stopped.path(), 2, false);
    assert_eq!((resumed.points, resumed.judgement), (expected.points.clone(), expected.judgement));
    assert_eq!(fs_err::read(stopped.path().join("network.bin")).unwrap(), bytes);
    let other = tempfile::tempdir().unwrap();
    assert_eq!(run(other.path(), 1, false).points, expected.points);
}

#[test]
fn a_training_begins_with_a_network_of_the_same_width() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(folder.path());
    let network = |width| Net::new(width, &mut Xoshiro256PlusPlus::seed_from_u64(9)).network().unwrap();
    let first = network(32);
    let net = Net::from_weights(first.weights());
    assert_eq!(net.network().unwrap(), first);
    let begin = |network: &Network| {
        train(&settings(), &data, Some(Start::from(network)), folder.path(), &mut |_| Control::Stop)
    };
    assert!(begin(&first).is_ok());
    let error = begin(&network(64)).unwrap_err().to_string();
    assert!(error.contains("it has 64 neurons, and 32 are to be trained"), "{error}");
}

#[test]
fn weights_stay_within_the_limits_of_the_file() {
    let mut net = Net::new(32, &mut Xoshiro256PlusPlus::seed_from_u64(1));
    let schedule = Schedule { steps: 200, warm_up: 0, highest: 0.5, last: 0.5, decay: 0.0 };
    let mut sums = net.sums(1);
    for step in 0..schedule.steps {
        sums[3].groups.iter_mut().flatten().zip([-1.0, 1.0].into_iter().cycle()).for_each(|(sum, slope)| *sum = slope);
        net.step(&mut sums, schedule.step(step));
    }
    let network = net.network().unwrap();
    assert!(network.weights().row_weights.iter().all(|weight| weight.unsigned_abs() == 255));
    assert!(network.weights().input_weights.iter().all(|weight| weight.unsigned_abs() == 765));
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(folder.path());
    let Positions::Crazyhouse(split) = data.positions() else { panic!("positions of crazyhouse") };
    assert!(Weighing::new(&PositionWeights::default(), split).is_ok());
}
