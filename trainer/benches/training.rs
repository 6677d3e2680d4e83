//! The cost of training: a network's steps on positions of random games, from records to weights.

use divan::Bencher;
use divan::counter::ItemsCount;
use engine::{Move, MoveList, Position, Setup};
use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use stats::Score;
use std::path::Path;
use tempfile::TempDir;
use trainer::data::{Labels, PositionsWriter, Record};
use trainer::train::{Choice, Control, Dataset, Kind, Settings, Source, train};

fn main() {
    divan::main();
}

/// The number of games to take positions from.
const GAMES: u32 = 4_000;
/// The number of positions per iteration: 32 steps.
const TRAINED: u32 = 32 * 16_384;

fn random_game(game: u32, random: &mut impl Rng, writer: &mut PositionsWriter<fs_err::File>) {
    let mut position = Position::new();
    for _ in 0..2 {
        let setup = Move::setup_of_rank(random.random_range(0..Setup::COUNT)).expect("a setup");
        position.play(setup);
    }
    let mut moves = MoveList::new();
    while position.outcome().is_none() {
        moves.clear();
        position.legal_moves(&mut moves);
        let best = moves[random.random_range(0..moves.len() as u32) as usize];
        let score = random.random_range(-3_000_i32..3_000) as i16;
        let labels = Labels { result: Score::ALL[game as usize % 3], score, best, nodes: 1_000, game };
        let record = Record::new(&position, &labels).expect("a position in play");
        writer.push(&record).expect("space");
        position.play(best);
    }
}

fn dataset(folder: &Path) -> Dataset {
    let path = folder.join("random.positions");
    let mut writer = PositionsWriter::new(fs_err::File::create(&path).expect("a file"), None).expect("space");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for game in 0..GAMES {
        random_game(game, &mut random, &mut writer);
    }
    writer.finish().expect("space");
    Dataset::open(
        &[Source::File(path)],
        Choice { held_out: 0.002, max_score: 8_000, moves: trainer::train::Moves::None },
    )
    .expect("positions")
}

/// 32 steps of the usual batch on one thread, 6,360 x 128 x 8 buckets.
#[divan::bench(sample_count = 10)]
fn network(bencher: Bencher) {
    let folder = TempDir::new().expect("a folder");
    let data = dataset(folder.path());
    let settings = Settings {
        epochs: f64::from(TRAINED) / data.identity().training as f64,
        threads: 1,
        evaluations: 1,
        ..Settings::new(Kind::Network { hidden: 128, buckets: 8, ply_buckets: 1, output_scale: 127 })
    };
    bencher.counter(ItemsCount::new(TRAINED)).bench(|| {
        let folder = TempDir::new().expect("a folder");
        train(&settings, &data, None, folder.path(), &mut |_| Control::Continue).expect("weights")
    });
}
