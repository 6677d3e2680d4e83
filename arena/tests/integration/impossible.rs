//! Results from other machines: genuine results pass, impossible ones do not.

use arena::run::{BuildId, PairResult, PairSpec, Sides, Worker, impossible, wire};
use fuzz::ReadOutcome;
use play::entrant::{Entrant, PlayerSpec};
use play::games::GameKind;
use play::{
    AdjudicatedBy, Adjudication, BySide, Conventions, DrawRule, Ending, Fault, OpeningLine, PairOpening,
    RandomOpenings, Side, TableRules, WinRule,
};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn spec(game: GameKind, pair: u64) -> PairSpec {
    let random = |name: &str| Arc::new(Entrant { name: name.to_owned(), player: PlayerSpec::Random });
    let source = RandomOpenings { plies: 3.into(), balance: None };
    PairSpec {
        pair,
        run_seed: 5,
        game,
        seats: [random("a"), random("b")],
        builds: [Arc::new(BuildId::Random), Arc::new(BuildId::Random)],
        sides: Sides::Swapped,
        opening: PairOpening::Random { source, number: pair },
        rules: TableRules { track: pair.is_multiple_of(2), ..TableRules::default() },
    }
}

fn played(spec: &PairSpec) -> PairResult {
    Worker::default().play(spec, &AtomicBool::new(false)).expect("a pair")
}

#[test]
fn whatever_was_played_may_have_been() {
    for game in GameKind::ALL {
        for pair in 0..12 {
            let mut spec = spec(game, pair);
            spec.rules.adjudication.max_plies = NonZeroU32::new(20 + 10 * pair as u32).filter(|_| pair > 6);
            spec.rules.conventions = if pair % 3 == 0 { Conventions::Fastchess } else { Conventions::Cutechess };
            assert_eq!(impossible(&spec, &played(&spec)), None, "pair {pair} of {game}");
        }
    }
    let line = OpeningLine { start: None, moves: ["e2e4", "e7e5"].map(str::to_owned).to_vec() };
    for sides in [Sides::Reversed, Sides::Same(Side::Second), Sides::Single(Side::First)] {
        let spec = PairSpec { sides, opening: PairOpening::Line(line.clone()), ..spec(GameKind::Chess, 1) };
        assert_eq!(impossible(&spec, &played(&spec)), None, "{sides:?}");
    }
}

/// The flaw to be found in a forged result, and the forgery.
type Forgery = (&'static str, fn(&mut PairResult));

const FORGERIES: [Forgery; 18] = [
    ("other games", |result| result.pair += 1),
    ("other games", |result| drop(result.games.pop())),
    ("other games", |result| result.sides = Sides::Reversed),
    ("do not start", |result| result.opening.truncate(1)),
    ("do not start", |result| result.start = Some("8/8/8/8/8/8/8/8 w - - 0 1".to_owned())),
    ("against the rules", |result| result.games[1].moves[4] ^= 7),
    ("against the rules", |result| result.games[0].moves[0] = u32::MAX),
    ("continues after its end", |result| result.games[0].moves.push(0)),
    ("contradicts its moves", |result| {
        result.games[0].moves.truncate(9);
        result.games[0].circumstances.move_times = BySide::default();
    }),
    ("contradicts its moves", |result| {
        result.games[1].ending = Ending::Win { winner: Side::First, by: WinRule::Resignation }
    }),
    ("contradicts its moves", |result| result.games[0].ending = Ending::Draw { by: DrawRule::Agreement }),
    ("contradicts its moves", |result| {
        result.games[0].ending = Ending::Adjudicated { winner: Some(Side::First), by: AdjudicatedBy::Resign };
    }),
    ("texts out of all bounds", |result| {
        let fault = Fault::Crash("x".repeat(1 << 20));
        result.games[0].ending = Ending::Forfeit { loser: Side::First, fault };
    }),
    ("texts out of all bounds", |result| result.games[1].circumstances.evidence = Some("x".repeat(1 << 20))),
    ("times are out of all bounds", |result| {
        result.took = Duration::MAX;
    }),
    ("lines of other plies", |result| result.games[0].circumstances.lines = vec![vec!["info".to_owned()]]),
    ("tells of other plies", |result| result.games[0].track = Vec::new()),
    ("moves that were not played", |result| {
        (0..1000).for_each(|_| result.games[0].circumstances.move_times.first.add(Duration::ZERO, None));
    }),
];

#[test]
fn what_cannot_have_been_played_is_found_out() {
    for name in ["0.1", "chess"] {
        let spec = spec(name.parse().expect(name), 2);
        let genuine = played(&spec);
        for (number, (why, forge)) in FORGERIES.iter().enumerate() {
            let mut forged = genuine.clone();
            forge(&mut forged);
            // Where the moves are changed, the data beside them must be changed, too.
            let genuine_plies = forged.games.iter_mut().filter(|game| !game.track.is_empty());
            genuine_plies.for_each(|game| game.track.resize(game.moves.len(), game.track[0]));
            let found = impossible(&spec, &forged).unwrap_or("nothing");
            assert!(found.contains(why), "{number} in {name}: {found}");
        }
    }
}

#[test]
fn a_game_that_the_rules_do_not_end_ends_by_what_the_run_allows() {
    let mut spec = spec(GameKind::Chess, 1);
    spec.rules.adjudication = Adjudication { max_plies: NonZeroU32::new(30), ..Adjudication::default() };
    let genuine = played(&spec);
    let with = |ending: Ending| {
        let mut other = genuine.clone();
        other.games[0].ending = ending;
        impossible(&spec, &other)
    };
    let adjudicated = |winner, by| Ending::Adjudicated { winner, by };
    assert_eq!(genuine.games[0].ending, adjudicated(None, AdjudicatedBy::MaxPlies));
    // After 30 plies it is the first side's move again.
    let lost = |loser| Ending::Forfeit { loser, fault: Fault::Crash("killed".to_owned()) };
    assert_eq!(with(lost(Side::First)), None);
    let others = [
        lost(Side::Second),
        adjudicated(Some(Side::First), AdjudicatedBy::MaxPlies),
        adjudicated(None, AdjudicatedBy::Draw),
        adjudicated(None, AdjudicatedBy::Tables),
        Ending::Draw { by: DrawRule::Stalemate },
    ];
    assert!(others.into_iter().all(|ending| with(ending).is_some()));
    spec.rules.adjudication.max_plies = NonZeroU32::new(29);
    assert!(impossible(&spec, &genuine).is_some(), "it continues after its last ply");
    spec.rules.adjudication.max_plies = NonZeroU32::new(31);
    assert!(impossible(&spec, &genuine).is_some(), "it ends before its last ply");
}

/// Returns the pairs whose results are forged; the first byte of an input selects one.
fn specs() -> [PairSpec; 3] {
    let mut short = spec(GameKind::Chess, 2);
    short.rules.adjudication.max_plies = NonZeroU32::new(8);
    let single = PairSpec { sides: Sides::Single(Side::First), ..spec(GameKind::ZeroPointOne, 1) };
    [short, single, spec(GameKind::ThreeCheck, 3)]
}

#[test]
fn fuzz_results_whatever_bytes_come_are_refused_or_can_be_kept() {
    let specs = specs();
    fuzz::Target::new("pair", env!("CARGO_MANIFEST_DIR")).run(|input| {
        let Some((choice, bytes)) = input.split_first() else { return ReadOutcome::Read(String::new()) };
        let _spec = wire::from_bytes::<PairSpec>(bytes);
        let result = match wire::from_bytes::<PairResult>(bytes) {
            Ok(result) => result,
            Err(error) => return ReadOutcome::Refused(error.to_string()),
        };
        let again = wire::to_bytes(&result).expect("it was bytes");
        assert_eq!(wire::from_bytes(&again).as_ref(), Ok(&result), "another result from its own bytes");
        let spec = &specs[usize::from(*choice) % specs.len()];
        match impossible(spec, &result) {
            Some(why) => ReadOutcome::Refused(why.to_owned()),
            None => ReadOutcome::Read(format!("{} {:?}", spec.game, result.scores())),
        }
    });
}
