//! What the harness costs beside the search: whole random games with their journal, and a searched game with the
//! referee against the same searches bare.

use arena::config::{Job, Schedule};
use arena::run::{Control, Driven, Executables, Finish, Journal, Local, Match, drive, run_header};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use engine::{Budget, Engine, EngineConfig, NeverStop, NoClock};
use plan::{Disk, Loaded, load};
use play::games::ZeroPointOne;
use play::players::NativePlayer;
use play::{BySide, Limit, Opening, RandomOpenings, Seat, TableRules, TimeSource, play_game};
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::TempDir;

fn main() {
    divan::main();
}

const RANDOM: &str = "
    [match]
    pairs = 2000
    [[entrant]]
    name = 'a'
    player = 'random'
    [[entrant]]
    name = 'b'
    player = 'random'
";

const PAIRS: NonZeroU64 = NonZeroU64::new(2000).expect("not 0");
const NODES: u64 = 1000;

fn config() -> Loaded {
    load(RANDOM, "bench", "bench", &[], Job::Match, Disk).expect("valid")
}

/// Games between random players, from proposal to absorbed journal row, one worker.
#[divan::bench(sample_count = 10)]
fn random_games_with_journal(bencher: Bencher) {
    let Loaded { run: config, openings, .. } = config();
    bencher.counter(ItemsCount::new(4000_u32)).bench(|| {
        let folder = TempDir::new().expect("a folder");
        let header = run_header(&config, &Executables::default());
        let mut journal = Journal::create(&folder.path().join("journal"), &header).expect("a journal");
        let mut experiment = Match::new(PAIRS, Schedule::Gauntlet, 2);
        let mut executor = Local::start(NonZeroUsize::MIN, None).expect("a thread");
        let control = Control::new();
        let finish = drive(&config, &openings, &mut experiment, &mut journal, &mut executor, &control, &mut |_| ());
        assert!(matches!(finish, Ok(Driven::Finished(Finish::Verdict(_)))));
    });
}

fn opening() -> Opening<ZeroPointOne> {
    RandomOpenings { plies: 4.into(), balance: None }.draw(&ZeroPointOne, 1, 0, &mut |_| 0).expect("an opening")
}

fn engine_config() -> EngineConfig {
    EngineConfig { table_bytes: 1 << 18, ..EngineConfig::default() }
}

/// One game at 1,000 nodes a move, as the arena plays it.
#[divan::bench(sample_count = 50)]
fn searched_game_in_the_arena(bencher: Bencher) {
    let opening = opening();
    let mut players = [NativePlayer::new(&engine_config()), NativePlayer::new(&engine_config())];
    let limit = Limit::Nodes(NonZeroU64::new(NODES).expect("not 0"));
    bencher.bench_local(|| {
        let [a, b] = &mut players;
        let first = Seat { player: a, limit, source: TimeSource::Wall, margin: Duration::ZERO, seed: 0 };
        let second = Seat { player: b, limit, source: TimeSource::Wall, margin: Duration::ZERO, seed: 0 };
        let rules = TableRules::default();
        play_game(&ZeroPointOne, black_box(&opening), BySide { first, second }, &rules, &AtomicBool::new(false))
    });
}

/// The same searches with nothing around them.
#[divan::bench(sample_count = 50)]
fn searched_game_bare(bencher: Bencher) {
    let opening = opening();
    let mut engines = [Engine::new(&engine_config()), Engine::new(&engine_config())];
    let history: Vec<u64> = {
        let mut position = engine::Position::new();
        let keys = opening.moves.iter().map(|&mv| {
            let key = position.key();
            position.play(mv);
            key
        });
        keys.collect()
    };
    bencher.bench_local(|| {
        engines.iter_mut().for_each(Engine::new_game);
        let mut position = black_box(&opening).position;
        let mut history = history.clone();
        while position.outcome().is_none() {
            let engine = &mut engines[usize::from(position.plies() % 2 == 1)];
            let report = engine.search(&position, &history, &Budget::Nodes(NODES), &NeverStop, &NoClock);
            history.push(position.key());
            position.play(report.expect("the game is not over").best);
        }
        position
    });
}
