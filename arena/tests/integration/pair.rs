//! Pairs on the wire: unchanged by a round trip, refused if another version sent them, and playable by any worker.

use arena::run::wire::{WireError, from_bytes, to_bytes};
use arena::run::{BuildId, Executables, PAIR_VERSION, PairResult, PairSpec, Sides, Worker, content_name};
use engine::{EngineConfig, EvaluationKind, Params, SearchKind, signature};
use play::child::{Spawner, allowed_cpus};
use play::entrant::{
    EngineTimeouts, Entrant, Handling, NativeSpec, Options, PlayerSpec, ProcessSpec, Protocol, Restart,
};
use play::games::GameKind;
use play::players::process::{StandbyPlayers, Starter};
use play::{
    AdjudicatedBy, Adjudication, Ending, Limit, NotPlayed, OpeningLine, PairOpening, RandomOpenings, Side,
    TableResults, TableRules, TableRuling, TimeSource,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn native() -> PlayerSpec {
    let nodes = NonZeroU64::new(50).expect("not 0");
    let mut params = Params::default();
    params.set("null_move_margin", 0.3).expect("a value");
    let (limit, source) = (Limit::Nodes(nodes), TimeSource::Nodes { per_second: nodes });
    PlayerSpec::Native(Box::new(NativeSpec {
        search: SearchKind::default(),
        evaluation: EvaluationKind::default(),
        network: None,
        policy: None,
        table_bytes: 1 << 16,
        limit,
        source,
        params,
    }))
}

fn process() -> PlayerSpec {
    let options = [("Hash", "16"), ("Clear Hash", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let limit = Limit::Clock { base: Duration::from_secs(9), increment: Duration::from_millis(7), moves: None };
    PlayerSpec::Process(Box::new(ProcessSpec {
        command: content_name(&"0f".repeat(32), "/usr/games/stockfish"),
        arguments: vec!["-x".to_owned()],
        directory: Some(PathBuf::from("/tmp")),
        environment: [("A".to_owned(), "b".to_owned())].into(),
        protocol: Protocol::Xboard,
        options: Options::from_iter(options),
        init: vec!["ponder".to_owned()],
        limit: limit.with(Limit::Depth(9)).expect("of another kind"),
        margin: Duration::from_millis(3),
        restart: Restart::EachGame,
        timeouts: EngineTimeouts::default(),
        nice: Some(5),
        handling: Handling { ponder: true, ..Handling::default() },
    }))
}

fn native_build() -> Arc<BuildId> {
    let nodes = signature(&EngineConfig::default()).nodes;
    Arc::new(BuildId::Native {
        bench: nodes,
        params: format!("{:016x}", Params::table_hash(SearchKind::default())),
        network: None,
        policy: None,
    })
}

/// Returns the same pair with weights from a file.
fn spec_with_network() -> PairSpec {
    let sha256 = "0f".repeat(32);
    let PlayerSpec::Native(mut native) = native() else { unreachable!("it is the engine in process") };
    native.network = Some(content_name(&sha256, "nets/third"));
    let mut spec = spec();
    spec.seats[0] = Arc::new(Entrant { name: "engine".to_owned(), player: PlayerSpec::Native(native) });
    spec.builds[0] =
        Arc::new(BuildId::Native { bench: 1, params: "0".repeat(16), network: Some(sha256), policy: None });
    spec
}

/// Returns a pair of 0.1 between the engine and random moves.
fn spec() -> PairSpec {
    let seat = |name: &str, player| Arc::new(Entrant { name: name.to_owned(), player });
    PairSpec {
        pair: 300,
        run_seed: u64::MAX,
        game: GameKind::ZeroPointOne,
        seats: [seat("engine", native()), seat("random", PlayerSpec::Random)],
        builds: [native_build(), Arc::new(BuildId::Random)],
        sides: Sides::Swapped,
        opening: PairOpening::Random { source: RandomOpenings { plies: 2.into(), balance: None }, number: 7 },
        rules: TableRules { track: true, ..TableRules::default() },
    }
}

fn played(spec: &PairSpec) -> PairResult {
    Worker::default().play(spec, &AtomicBool::new(false)).expect("a pair")
}

/// Returns the value after a round trip through JSON.
fn through_json<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).expect("JSON")).expect("a pair")
}

#[test]
fn specs_are_the_same_after_a_journey() {
    let mut of_processes = spec();
    of_processes.game = GameKind::Chess;
    of_processes.seats[0] = Arc::new(Entrant { name: "sf".to_owned(), player: process() });
    of_processes.builds[0] = Arc::new(BuildId::Process { sha256: "0f".repeat(32) });
    let line = OpeningLine { start: Some("8/8/8/8/8/8/8/8 w - - 0 1".to_owned()), moves: vec!["e2e4".to_owned()] };
    of_processes.opening = PairOpening::Line(line);
    for spec in [spec(), spec_with_network(), of_processes] {
        let as_json = |spec: &PairSpec| serde_json::to_value(spec).expect("JSON");
        let bytes = to_bytes(&spec).expect("bytes");
        assert_eq!(as_json(&from_bytes::<PairSpec>(&bytes).expect("a spec")), as_json(&spec));
        assert_eq!(as_json(&through_json(&spec)), as_json(&spec));
    }
}

#[test]
fn results_are_the_same_after_a_journey_and_so_is_what_a_spec_that_travelled_gives() {
    let there = from_bytes::<PairSpec>(&to_bytes(&spec()).expect("bytes")).expect("a spec");
    let result = played(&there);
    assert!(result.games.iter().all(|game| !game.moves.is_empty() && !game.track.is_empty()));
    assert_eq!(from_bytes::<PairResult>(&to_bytes(&result).expect("bytes")), Ok(result.clone()));
    assert_eq!(through_json(&result), result);
    assert!(result.agrees_with(&played(&spec())));
}

#[test]
fn a_worker_plays_the_games_that_the_sides_ask_for() {
    let all = [Sides::Reversed, Sides::Same(Side::First), Sides::Same(Side::Second)];
    let single = [Side::First, Side::Second].map(Sides::Single);
    let swapped = played(&spec());
    for sides in all.into_iter().chain(single) {
        let asked = PairSpec { sides, ..spec() };
        let result = played(&from_bytes::<PairSpec>(&to_bytes(&asked).expect("bytes")).expect("a spec"));
        assert_eq!((result.sides, result.games.len()), (sides, sides.games()));
        assert_eq!(from_bytes::<PairResult>(&to_bytes(&result).expect("bytes")), Ok(result.clone()));
        assert_eq!((result.scores().len(), &result.opening), (sides.games(), &swapped.opening));
        for (game, side) in result.seated_games() {
            // Only the engine reports its nodes, and it is in the first seat.
            assert!(game.nodes[side] > game.nodes[!side], "{sides:?}: {:?}", game.nodes);
        }
        let is_timed = |game: usize| {
            result.games.get(game).is_some_and(|game| game.circumstances.times.thinking.first > Duration::ZERO)
        };
        assert_eq!([is_timed(0), is_timed(1)], [true, sides.games() == 2]);
        // A seat's seed is that of its side, so a first game with the same sides is the same game.
        let is_alike = sides.of_first_seat()[0] == Side::First;
        assert_eq!(result.games[0].moves == swapped.games[0].moves, is_alike, "{sides:?}");
    }
}

/// Returns the same pair with a limit measured by the wall clock.
fn timed(mut spec: PairSpec) -> PairSpec {
    let PlayerSpec::Native(mut native) = native() else { unreachable!("it is the engine in process") };
    (native.limit, native.source) = (Limit::Movetime(Duration::from_millis(1)), TimeSource::Wall);
    spec.seats[0] = Arc::new(Entrant { name: "engine".to_owned(), player: PlayerSpec::Native(native) });
    spec
}

#[test]
fn a_worker_is_where_its_engines_are_for_pairs_that_nothing_times_and_only_for_those() {
    let own = allowed_cpus().expect("the system tells");
    let last = own[own.len() - 1..].to_vec();
    let starter = Starter {
        spawner: Spawner::start(None).expect("a thread"),
        cpus: last.clone(),
        trace: None,
        programs: Arc::new(Executables::default()),
        standby: StandbyPlayers::default(),
        pause: Duration::ZERO,
    };
    let mut worker = Worker::new(Some(starter));
    for (pair, cpus) in
        [(timed(spec()), &own), (spec(), &last), (spec(), &last), (timed(spec()), &own), (spec(), &last)]
    {
        worker.play(&pair, &AtomicBool::new(false)).expect("a pair");
        assert_eq!(&allowed_cpus().expect("the system tells"), cpus);
    }
}

#[test]
fn games_end_by_the_tables_that_a_spec_names_and_without_them_are_not_played() {
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/../play/tests/data/syzygy").to_owned();
    let random = |name: &str| Arc::new(Entrant { name: name.to_owned(), player: PlayerSpec::Random });
    let start = Some("7k/8/8/8/8/8/8/K1R5 w - - 0 1".to_owned());
    let ruling = TableRuling { path: tables, pieces: 3, ignore_50: false, results: TableResults::All };
    let adjudication = Adjudication { tables: Some(ruling.clone()), ..Adjudication::default() };
    let mut spec = PairSpec {
        game: GameKind::Chess,
        seats: [random("a"), random("b")],
        opening: PairOpening::Line(OpeningLine { start, moves: Vec::new() }),
        rules: TableRules { adjudication, ..TableRules::default() },
        ..spec()
    };
    let result = played(&from_bytes(&to_bytes(&spec).expect("bytes")).expect("a spec"));
    let won = Ending::Adjudicated { winner: Some(Side::First), by: AdjudicatedBy::Tables };
    assert!(result.games.iter().all(|game| game.ending == won && game.moves.is_empty()), "{:?}", result.games);
    spec.rules.adjudication.tables = Some(TableRuling { path: "/nowhere".to_owned(), ..ruling });
    let error = Worker::default().play(&spec, &AtomicBool::new(false)).unwrap_err().to_string();
    assert!(error.starts_with("cannot read the folder /nowhere of endgame tables"), "{error}");
}

#[test]
fn another_version_is_refused() {
    let found = PAIR_VERSION + 1;
    let spec = spec();
    let of_another_version = |mut bytes: Vec<u8>| {
        bytes[0] = found as u8;
        bytes
    };
    let spec_bytes = of_another_version(to_bytes(&spec).expect("bytes"));
    let result_bytes = of_another_version(to_bytes(&played(&spec)).expect("bytes"));
    assert_eq!(from_bytes::<PairSpec>(&spec_bytes).map(drop), Err(WireError::Version { found }));
    assert_eq!(from_bytes::<PairResult>(&result_bytes).map(drop), Err(WireError::Version { found }));
}

#[test]
fn what_is_no_pair_is_refused() {
    let bytes = to_bytes(&spec()).expect("bytes");
    for length in 0..bytes.len() {
        assert!(matches!(from_bytes::<PairSpec>(&bytes[..length]), Err(WireError::Malformed { .. })), "{length}");
    }
}

#[test]
fn a_worker_continues_after_a_pair_that_it_cannot_play() {
    let mut worker = Worker::default();
    let stop = AtomicBool::new(false);
    let mut unplayable = spec();
    unplayable.game = GameKind::Chess;
    let error = worker.play(&unplayable, &stop).unwrap_err().to_string();
    assert_eq!(error, "entrant \"engine\" does not play this game");
    unplayable.seats[0] = Arc::new(Entrant { name: "sf".to_owned(), player: process() });
    let error = worker.play(&unplayable, &stop).unwrap_err().to_string();
    assert_eq!(error, "this worker starts no processes");
    assert!(worker.play(&spec(), &stop).expect("a pair").agrees_with(&played(&spec())));
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(worker.play(&spec(), &stop), Err(NotPlayed::Stopped));
}

#[test]
fn another_build_of_the_engine_is_refused() {
    let mut other = spec();
    other.builds[0] = Arc::new(BuildId::Native { bench: 7, params: "0".repeat(16), network: None, policy: None });
    let error = Worker::default().play(&other, &AtomicBool::new(false)).unwrap_err().to_string();
    assert!(
        error.starts_with("entrant \"engine\" is another build of the 0.1 engine than this program has: "),
        "{error}"
    );
}

#[test]
fn weights_that_a_worker_does_not_have_are_refused() {
    let error = Worker::default().play(&spec_with_network(), &AtomicBool::new(false)).unwrap_err().to_string();
    let content = "0f".repeat(32);
    assert_eq!(error, format!("entrant \"engine\": `sha256:{content}/third` is not a network of this run"));
}
