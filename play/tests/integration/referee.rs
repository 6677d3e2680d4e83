//! The referee against scripted players: all their behaviour becomes data.

use super::scripted::{Line, ScriptedPlayer};
use play::games::{Chess, GameKind, ZeroPointOne};
use play::players::RandomPlayer;
use play::{
    Adjudication, BySide, Conventions, DrawRule, Ending, Failure, Fault, Game, GameStart, Limit, LinesKept,
    MoveFailure, MoveInfo, Opening, PlayedGame, Player, RandomOpenings, Reply, Seat, Side, Stopped, TableRules,
    TimeSource, Turn, WinRule, play_game,
};
use stats::Score;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const TRACKED: TableRules = TableRules {
    track: true,
    adjudication: Adjudication { draw: None, resign: None, max_plies: None, tables: None },
    conventions: Conventions::Cutechess,
    lines: LinesKept::None,
};

type Played = PlayedGame<ZeroPointOne>;

fn opening() -> Opening<ZeroPointOne> {
    RandomOpenings { plies: 0.into(), balance: None }.draw(&ZeroPointOne, 1, 0, &mut |_| 0).expect("two setups")
}

fn seat(player: &mut dyn Player<ZeroPointOne>, limit: Limit, source: TimeSource) -> Seat<'_, ZeroPointOne> {
    Seat { player, limit, source, margin: Duration::ZERO, seed: 5 }
}

const NODES: Limit = Limit::Nodes(NonZeroU64::MIN);
const NODE_CLOCK: TimeSource = TimeSource::Nodes { per_second: NonZeroU64::new(1_000_000).expect("not 0") };

/// Plays the script as first mover against a random player, on a node clock.
fn play(script: Vec<Line>, limit: Limit) -> Result<Played, Stopped> {
    let mut scripted = ScriptedPlayer::new(script);
    let mut random = RandomPlayer::default();
    let first = seat(&mut scripted, limit, NODE_CLOCK);
    let second = seat(&mut random, NODES, TimeSource::Wall);
    play_game(&ZeroPointOne, &opening(), BySide { first, second }, &TRACKED, &AtomicBool::new(false))
}

fn forfeit_of_first(played: &Played) -> &Fault {
    match &played.ending {
        Ending::Forfeit { loser: Side::First, fault } => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_game_between_random_players_ends_by_the_rules() {
    let (mut a, mut b) = (RandomPlayer::default(), RandomPlayer::default());
    let first = seat(&mut a, NODES, TimeSource::Wall);
    let second = seat(&mut b, NODES, TimeSource::Wall);
    let played =
        play_game(&ZeroPointOne, &opening(), BySide { first, second }, &TRACKED, &AtomicBool::new(false)).unwrap();
    assert_eq!(played.track.len(), played.moves.len());
    let mut position = opening().position;
    for &mv in &played.moves {
        assert_eq!(ZeroPointOne::ending(&position), None);
        assert!(ZeroPointOne::is_legal(&position, mv));
        ZeroPointOne::play(&mut position, mv);
    }
    assert_eq!(ZeroPointOne::ending(&position).map(Ending::from), Some(played.ending));
}

#[test]
fn a_panic_loses_the_game_with_its_text() {
    let played = play(vec![Line::Any { nodes: 0 }, Line::Panic("out of luck".into())], NODES).unwrap();
    assert_eq!(forfeit_of_first(&played), &Fault::Crash("out of luck".into()));
    assert_eq!(played.moves.len(), 2, "the moves until then are kept");
    assert_eq!(played.ending.score(Side::First), Score::Loss);
    assert_eq!(played.ending.score(Side::Second), Score::Win);
}

#[test]
fn an_illegal_move_loses_the_game_and_is_kept_as_text() {
    let played = play(vec![Line::Play("h8h7".into())], NODES).unwrap();
    assert_eq!(forfeit_of_first(&played), &Fault::IllegalMove("h8h7".into()));
    assert!(played.moves.is_empty());
}

#[test]
fn a_draw_is_agreed_on_while_the_offer_stands() {
    let any = || Line::Any { nodes: 0 };
    let game = |first: Vec<Line>, second: Vec<Line>| {
        let (mut first, mut second) = (ScriptedPlayer::new(first), ScriptedPlayer::new(second));
        let seats = BySide {
            first: seat(&mut first, NODES, TimeSource::Wall),
            second: seat(&mut second, NODES, TimeSource::Wall),
        };
        let played = play_game(&ZeroPointOne, &opening(), seats, &TRACKED, &AtomicBool::new(false)).unwrap();
        (played.ending, played.moves.len())
    };
    let agreed = Ending::Draw { by: DrawRule::Agreement };
    assert_eq!(game(vec![Line::Offer], vec![Line::Agree]), (agreed.clone(), 1));
    assert_eq!(game(vec![any(), Line::Agree], vec![Line::Offer]), (agreed, 2));
    // The opponent's move declines the offer, and no player accepts its own offer.
    for (first, second) in [
        (vec![Line::Offer, any()], vec![any(), Line::Agree]),
        (vec![Line::Offer, Line::Agree], vec![any()]),
        (vec![Line::Agree], vec![]),
    ] {
        let (ending, _) = game(first, second);
        assert!(matches!(ending.fault(), Some((_, Fault::FalseClaim(_)))), "{ending:?}");
    }
}

#[test]
fn a_players_own_fault_is_passed_on() {
    let silence = Fault::Silence { after: Duration::from_mins(1) };
    let played = play(vec![Line::Fault(silence.clone())], NODES).unwrap();
    assert_eq!(forfeit_of_first(&played), &silence);
}

#[test]
fn the_node_clock_charges_work() {
    let limit = Limit::Clock { base: Duration::from_millis(10), increment: Duration::from_millis(1), moves: None };
    // 10 ms, spend 6, get 1; spend 5 of 5, get 1; then 3 is 2 too many.
    let script = [6000, 5000, 3000].map(|nodes| Line::Any { nodes });
    let played = play(script.into(), limit).unwrap();
    assert_eq!(forfeit_of_first(&played), &Fault::Time { over: Duration::from_millis(2) });
    assert_eq!(played.nodes.first, 14_000);
    assert_eq!(played.moves.len(), 4);
}

#[test]
fn in_an_hourglass_time_runs_over_to_the_opponent() {
    let hourglass = Limit::Hourglass(Duration::from_millis(10));
    // 10 ms each: the first spends 6 and gains 7; then 12 is one too many of the 11 that are left.
    let mut scripted = [vec![6000, 12_000], vec![7000]]
        .map(|nodes| ScriptedPlayer::new(nodes.into_iter().map(|nodes| Line::Any { nodes })));
    let [first, second] = scripted.each_mut().map(|player| seat(player, hourglass, NODE_CLOCK));
    let seats = BySide { first, second };
    let played = play_game(&ZeroPointOne, &opening(), seats, &TRACKED, &AtomicBool::new(false)).expect("a game");
    assert_eq!(forfeit_of_first(&played), &Fault::Time { over: Duration::from_millis(1) });
    let left: Vec<Duration> = played.track.iter().map(|ply| ply.left).collect();
    assert_eq!(left, [4, 9].map(Duration::from_millis));
}

#[test]
fn movetime_is_per_move() {
    let limit = Limit::Movetime(Duration::from_millis(3));
    let script = [3000, 3000, 3001].map(|nodes| Line::Any { nodes });
    let played = play(script.into(), limit).unwrap();
    assert_eq!(forfeit_of_first(&played), &Fault::Time { over: Duration::from_micros(1) });
}

/// Plays any legal moves, each after this wall time, with this part of it spent waiting for a processor; then crashes.
struct Delayed(std::vec::IntoIter<[Duration; 2]>);

impl Player<ZeroPointOne> for Delayed {
    fn begin(&mut self, _start: &GameStart<'_, ZeroPointOne>) -> Result<(), Failure> {
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_, ZeroPointOne>) -> Result<Reply<<ZeroPointOne as Game>::Move>, Failure> {
        let Some([spent, delayed]) = self.0.next() else { return Err(Fault::Crash(String::new()).into()) };
        let mv = ZeroPointOne::random_move(turn.position, &mut play::random::Stream::from_seed(1));
        let reply = Reply::new(mv.ok_or(Fault::Crash("no move".into()))?, MoveInfo::default());
        Ok(Reply { spent: Some(spent), delayed, ..reply })
    }
}

/// The longest wait, the longest decisive one and whether the game was lost on time, in milliseconds, of a first mover
/// that takes and waits this long for its moves, with a margin of 10 ms.
fn waits(limit: Limit, moves: &[[u64; 2]]) -> (u128, u128, bool) {
    let moves: Vec<_> = moves.iter().map(|pair| pair.map(Duration::from_millis)).collect();
    let (mut delayed, mut random) = (Delayed(moves.into_iter()), RandomPlayer::default());
    let first = Seat { margin: Duration::from_millis(10), ..seat(&mut delayed, limit, TimeSource::Wall) };
    let second = seat(&mut random, NODES, TimeSource::Wall);
    let rules = TableRules::default();
    let played = play_game(&ZeroPointOne, &opening(), BySide { first, second }, &rules, &AtomicBool::new(false));
    let played = played.expect("no stop was requested");
    assert_eq!(played.circumstances.times.decisive.second, Duration::ZERO, "nothing is measured of the other one");
    let late = matches!(forfeit_of_first(&played), Fault::Time { .. });
    (played.circumstances.times.delayed.first.as_millis(), played.circumstances.times.decisive.first.as_millis(), late)
}

#[test]
fn a_wait_is_decisive_if_the_answer_came_within_its_length_of_the_deadline() {
    let movetime = Limit::Movetime(Duration::from_millis(100));
    for (spent, late) in [(103, false), (110, false), (111, true), (117, true)] {
        assert_eq!(waits(movetime, &[[spent, 7]]), (7, 7, late), "{spent} ms");
    }
    for (spent, late) in [(102, false), (118, true)] {
        assert_eq!(waits(movetime, &[[spent, 7]]), (7, 0, late), "{spent} ms");
    }
    assert_eq!(waits(movetime, &[[50, 30], [108, 4], [105, 6]]), (30, 6, false), "each at its own move");
    // 250 of 300 ms are left, then 280 of 310 with the margin.
    let clock = Limit::Clock { base: Duration::from_millis(300), increment: Duration::from_millis(30), moves: None };
    assert_eq!(waits(clock, &[[80, 40], [245, 16]]), (40, 16, false));
    assert_eq!(waits(clock, &[[80, 40], [245, 14]]), (40, 0, false));
    assert_eq!(waits(Limit::Depth(3), &[[80, 40]]), (40, 0, false), "no time runs");
}

#[test]
fn a_wait_for_an_answer_that_never_came_is_decisive_by_what_it_explains() {
    struct Silent(Duration);
    impl Player<ZeroPointOne> for Silent {
        fn begin(&mut self, _start: &GameStart<'_, ZeroPointOne>) -> Result<(), Failure> {
            Ok(())
        }

        fn choose(&mut self, _: &Turn<'_, ZeroPointOne>) -> Result<Reply<<ZeroPointOne as Game>::Move>, Failure> {
            let why = MoveFailure::Fault(Fault::Silence { after: Duration::ZERO });
            Err(Failure { why, delayed: self.0, evidence: None })
        }
    }
    // The move took next to nothing of its minute: a wait of an hour reaches the deadline, one of a second does not.
    for (waited, decisive) in [(3_600, 3_600), (1, 0)] {
        let (mut silent, mut random) = (Silent(Duration::from_secs(waited)), RandomPlayer::default());
        let first = seat(&mut silent, Limit::Movetime(Duration::from_mins(1)), TimeSource::Wall);
        let second = seat(&mut random, NODES, TimeSource::Wall);
        let rules = TableRules::default();
        let played = play_game(&ZeroPointOne, &opening(), BySide { first, second }, &rules, &AtomicBool::new(false));
        assert_eq!(played.expect("a game").circumstances.times.decisive.first, Duration::from_secs(decisive));
    }
}

#[test]
fn a_raised_stop_flag_ends_the_game_without_a_result() {
    let (mut a, mut b) = (RandomPlayer::default(), RandomPlayer::default());
    let first = seat(&mut a, NODES, TimeSource::Wall);
    let second = seat(&mut b, NODES, TimeSource::Wall);
    let stopped =
        play_game(&ZeroPointOne, &opening(), BySide { first, second }, &TableRules::default(), &AtomicBool::new(true));
    assert_eq!(stopped.unwrap_err(), Stopped);
}

#[test]
fn wazir_captures_and_the_ply_limit_end_games() {
    let (mut wins, mut draws) = (0, 0);
    for seed in 0..300 {
        let source = RandomOpenings { plies: 0.into(), balance: None };
        let opening = source.draw(&ZeroPointOne, 3, seed, &mut |_| 0).unwrap();
        let (mut a, mut b) = (RandomPlayer::default(), RandomPlayer::default());
        let first = Seat { player: &mut a, limit: NODES, source: TimeSource::Wall, margin: Duration::ZERO, seed };
        let second =
            Seat { player: &mut b, limit: NODES, source: TimeSource::Wall, margin: Duration::ZERO, seed: !seed };
        let played = play_game(
            &ZeroPointOne,
            &opening,
            BySide { first, second },
            &TableRules::default(),
            &AtomicBool::new(false),
        )
        .unwrap();
        match played.ending {
            Ending::Win { by: WinRule::WazirCaptured, .. } => wins += 1,
            Ending::Draw { by: DrawRule::PlyLimit } => {
                assert_eq!(played.moves.len(), 100, "102 plies with the setups");
                draws += 1;
            }
            other => panic!("{other:?}"),
        }
        assert!(played.track.is_empty());
    }
    assert!(wins > 0 && draws > 0, "{wins} {draws}");
}

/// The ending when White's clock runs out in this position.
fn flag_fall(conventions: Conventions, kind: GameKind, fen: &str) -> Ending {
    let rules = TableRules { conventions, ..TRACKED };
    let chess = Chess::of(kind).expect("chess");
    let position = chess.setup(fen).expect("a position");
    let opening = Opening { start: Some(fen.to_owned()), moves: Vec::new(), position };
    let (mut slow, mut random) = (ScriptedPlayer::new(vec![Line::Any { nodes: 1_000_000 }]), RandomPlayer::default());
    let limit = Limit::Movetime(Duration::from_millis(1));
    let seat = |player, limit| Seat { player, limit, source: NODE_CLOCK, margin: Duration::ZERO, seed: 5 };
    let seats = BySide { first: seat(&mut slow as &mut dyn Player<Chess>, limit), second: seat(&mut random, NODES) };
    play_game(&chess, &opening, seats, &rules, &AtomicBool::new(false)).expect("played").ending
}

#[test]
fn a_flag_that_falls_is_a_draw_where_the_opponent_cannot_win_by_fides_conventions_alone() {
    let cases = [
        ("7k/8/8/8/8/8/5Q2/K7 w - - 0 1", true),
        ("6bk/8/8/8/8/8/5Q2/K7 w - - 0 1", true),
        ("6nk/8/8/8/8/8/5Q2/K7 w - - 0 1", true),
        // With a rook of one's own in the way a knight can mate, and a pawn may promote to anything.
        ("6nk/8/8/8/8/8/5R2/K7 w - - 0 1", false),
        ("7k/8/8/8/8/8/5Qp1/K7 w - - 0 1", false),
        ("7k/8/8/8/8/8/5Q1r/K7 w - - 0 1", false),
    ];
    for (fen, is_draw) in cases {
        let ending = flag_fall(Conventions::Fide, GameKind::Chess, fen);
        let drawn = Ending::Draw { by: DrawRule::Timeout };
        assert_eq!(ending == drawn, is_draw, "{fen}: {ending:?}");
        for others in [Conventions::Cutechess, Conventions::Fastchess] {
            let ending = flag_fall(others, GameKind::Chess, fen);
            assert!(matches!(ending.fault(), Some((Side::First, Fault::Time { .. }))), "{fen}: {ending:?}");
        }
    }
    // In a variant that a bare king can win, a bare king counts as able to win.
    let hill = flag_fall(Conventions::Fide, GameKind::KingOfTheHill, cases[0].0);
    assert!(hill.fault().is_some(), "{hill:?}");
}
