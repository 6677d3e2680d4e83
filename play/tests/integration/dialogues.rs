//! Engines of all three protocols that follow a script: every line sent to them is checked, and output at the wrong
//! time must not be mistaken for a move.
//!
//! A script has one step a line: `> text` is what the engine must receive (a pattern of the shell: `?` is any
//! character, `*` any text), `< text` what it prints, `wait SECONDS` a pause. An `isready` or `ping N` that is not a
//! step is answered, unless the script begins with `strict`. An engine that receives anything else prints that and
//! exits with status 9.

use super::scripted::{Line, ScriptedPlayer};
use play::child::Spawner;
use play::entrant::{EngineTimeouts, Handling, MovesSent, Options, ProcessSpec, Protocol, Restart, UnknownOptions};
use play::games::GameKind;
use play::games::{Chess, ZeroPointOne};
use play::players::process::{Programs, StandbyPlayers, Starter};
use play::protocol::OptionError;
use play::protocol::codecup::CodecupPlayer;
use play::protocol::uci::UciPlayer;
use play::protocol::xboard::XboardPlayer;
use play::{
    AdjudicatedBy, Adjudication, BySide, DrawRule, Ending, Evaluation, Fault, Game, Limit, Opening, OpeningLine,
    PlayedGame, Player, RandomOpenings, Seat, Side, TableRules, TimeSource, WinRule, play_game,
};
use std::fmt::Write as _;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// Follows the script in `$1`; notes in the folder `$2` that it was started, and that it reached the script's end.
const ACTOR: &str = r#"
exec 3<<END
$1
END
echo started >> "$2/starts"
strict=
fail() { echo "step $n: $1" >&2; exit 9; }
hear() {
    while IFS= read -r line; do
        [ -n "$strict" ] && return
        [ "$line" = "$want" ] && return
        case $line in
            isready) echo readyok;;
            "ping "*) echo "pong ${line#ping }";;
            *) return;;
        esac
    done
    line="the end of its input"
}
n=0
out=
# Lines that follow each other are written at once, so that nothing comes between them.
say() { [ -z "$out" ] || printf '%s' "$out"; out=; }
while IFS= read -r step <&3; do
    n=$((n+1))
    case $step in '< '*) ;; *) say;; esac
    case $step in
        strict) strict=yes;;
        '> '*) want=${step#> }; hear; case $line in $want) ;; *) fail "expected [$want], got [$line]";; esac;;
        '< '*) out="$out${step#< }
";;
        'wait '*) sleep "${step#wait }";;
    esac
done
say
echo done >> "$2/ends"
"#;

static SPAWNER: LazyLock<Spawner> = LazyLock::new(|| Spawner::start(None).expect("a thread"));

struct Shell;

impl Programs for Shell {
    fn find(&self, _process: &ProcessSpec) -> Result<PathBuf, String> {
        Ok(PathBuf::from("/bin/sh"))
    }
}

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

const fn clock(base: Duration, increment: Duration) -> Limit {
    Limit::Clock { base, increment, moves: None }
}

const NODES: Limit = Limit::Nodes(NonZeroU64::new(7).expect("not 0"));
const DEPTH: Limit = Limit::Depth(2);
/// For scripts that follow the engine's clock: on a busy host, seconds may pass within a move.
const LONG: Limit = clock(ms(90_000), ms(100));

fn and(limit: Limit, other: Limit) -> Limit {
    limit.with(other).expect("of another kind")
}

/// A scripted engine, its games, and its settings.
struct Stage {
    folder: TempDir,
    process: ProcessSpec,
    /// The opponent's limit; the opponent takes no time.
    other: Limit,
    side: Side,
    start: Option<&'static str>,
    moves: &'static str,
    /// The opponent's actions in place of its moves.
    lines: Vec<Line>,
}

impl Stage {
    /// A black engine at 3 s + 0.1 s; white has 5 s + 0.2 s.
    fn new(protocol: Protocol, script: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let script: Vec<&str> = script.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let arguments = ["-c", ACTOR, "actor", &script.join("\n"), &folder.path().display().to_string()];
        let process = ProcessSpec {
            command: "sh".to_owned(),
            arguments: arguments.map(str::to_owned).to_vec(),
            directory: None,
            environment: std::collections::BTreeMap::new(),
            protocol,
            options: Options::default(),
            init: Vec::new(),
            limit: clock(ms(3_000), ms(100)),
            margin: Duration::from_mins(1),
            restart: Restart::WhenNeeded,
            timeouts: EngineTimeouts {
                start: Duration::from_mins(1),
                answer: Duration::from_mins(1),
                ..EngineTimeouts::default()
            },
            nice: None,
            handling: Handling::default(),
        };
        let other = clock(ms(5_000), ms(200));
        Self { folder, process, other, side: Side::Second, start: None, moves: "f2f3 g2g4", lines: Vec::new() }
    }

    fn starter(programs: Arc<dyn Programs>) -> Starter {
        Starter {
            spawner: SPAWNER.clone(),
            cpus: Vec::new(),
            trace: None,
            programs,
            standby: StandbyPlayers::default(),
            pause: Duration::ZERO,
        }
    }

    /// Plays games against the opponent's moves, up to `plies` plies, and tells the engine to quit.
    fn play(&self, kind: GameKind, games: usize, plies: u32) -> Vec<PlayedGame<Chess>> {
        self.play_by(Arc::new(Shell), kind, games, plies)
    }

    /// Like [`play`](Self::play), with the given lookup of programs.
    fn play_by(&self, programs: Arc<dyn Programs>, kind: GameKind, games: usize, plies: u32) -> Vec<PlayedGame<Chess>> {
        let game = Chess::of(kind).expect("a kind of chess");
        let (process, starter) = (self.process.clone(), Self::starter(programs));
        let mut player: Box<dyn Player<Chess>> = match process.protocol {
            Protocol::Xboard => Box::new(XboardPlayer::new(process, starter, game.xboard_variant())),
            _ => Box::new(UciPlayer::new(process, starter, game.uci_options())),
        };
        let line = OpeningLine { start: self.start.map(str::to_owned), moves: Vec::new() };
        let opening = line.play(&game).expect("an opening");
        (0..games).map(|_| self.play_one(&game, &opening, player.as_mut(), plies)).collect()
    }

    fn play_one<G: Game>(
        &self,
        game: &G,
        opening: &Opening<G>,
        player: &mut dyn Player<G>,
        plies: u32,
    ) -> PlayedGame<G> {
        let moves = self.moves.split(' ').map(|mv| Line::Play(mv.to_owned()));
        let lines = if self.lines.is_empty() { moves.collect() } else { self.lines.clone() };
        let mut other = ScriptedPlayer::new(lines);
        let (margin, seed) = (self.process.margin, 1);
        let own = Seat { player, limit: self.process.limit, source: TimeSource::Wall, margin, seed };
        let source = TimeSource::Nodes { per_second: NonZeroU64::MIN };
        let other = Seat { player: &mut other, limit: self.other, source, margin, seed };
        let seats = match self.side {
            Side::First => BySide { first: own, second: other },
            Side::Second => BySide { first: other, second: own },
        };
        let adjudication = Adjudication { max_plies: NonZeroU32::new(plies), ..Adjudication::default() };
        let rules = TableRules { track: true, adjudication, ..TableRules::default() };
        play_game(game, opening, seats, &rules, &AtomicBool::new(false)).expect("no stop was requested")
    }

    /// How often the engine was started, and how often it reached the end of its script.
    fn notes(&self) -> [usize; 2] {
        let lines = |name| std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default().lines().count();
        [lines("starts"), lines("ends")]
    }
}

/// The moves of a game as text.
fn moves(kind: GameKind, start: Option<&str>, played: &PlayedGame<Chess>) -> String {
    let game = Chess::of(kind).expect("a kind of chess");
    let mut position = start.map_or_else(|| game.start(), |text| game.setup(text).expect("a position"));
    let mut write = |&mv: &<Chess as Game>::Move| {
        let text = Chess::format_move(&position, mv);
        Chess::play(&mut position, mv);
        text
    };
    played.moves.iter().map(&mut write).collect::<Vec<_>>().join(" ")
}

fn mated(winner: Side) -> Ending {
    Ending::Win { winner, by: WinRule::Checkmate }
}

const FOOLS_MATE: &str = "f2f3 e7e5 g2g4 d8h4";

/// Plays games of the fool's mate in which the engine behaves correctly and reaches the end of its script.
fn fools_mates(stage: &Stage, games: usize) {
    for played in stage.play(GameKind::Chess, games, 20) {
        assert_eq!(played.ending, mated(Side::Second), "{:?}", played.circumstances.evidence);
        assert_eq!(moves(GameKind::Chess, None, &played), FOOLS_MATE);
    }
    assert_eq!(stage.notes(), [1, 1]);
}

#[test]
fn a_line_that_is_not_in_the_script_is_noticed() {
    let script = "strict\n> uci\n< uciok\n> isready\n< readyok\n> ucinewgame\n> isready\n< readyok\n\
                  > position startpos moves f2f3\n> go wtime 5200 btime 3000 winc 200 binc 200";
    let stage = Stage::new(Protocol::Uci, script);
    let played = stage.play(GameKind::Chess, 1, 20).remove(0);
    let fault = played.ending.fault().expect("it ends").1.to_string();
    assert!(fault.contains("expected [go wtime 5200 btime 3000 winc 200 binc 200], got [go wtime"), "{fault}");
    assert_eq!(stage.notes(), [1, 0]);
}

#[test]
fn every_line_to_a_uci_engine() {
    let game = "
        > ucinewgame
        > isready
        < readyok
        > position startpos moves f2f3
        > go wtime 5200 btime 90000 winc 200 binc 100
        < info depth 3 score cp -20 nodes 50
        < bestmove e7e5 ponder e2e4
        > position startpos moves f2f3 e7e5 g2g4
        > go wtime 5400 btime [789]???? winc 200 binc 100
        < info depth 3 score mate 1 nodes 60
        < bestmove d8h4";
    let script = format!(
        "strict
        > uci
        < id name scripted
        < option name Alpha type string default x
        < option name Zeta type spin default 1 min 0 max 9
        < option name Clear Hash type button
        < option name Book type string default x
        < uciok
        > setoption name Zeta value 3
        > setoption name Clear Hash
        > setoption name Alpha value a b
        > setoption name Book value*
        > debug off
        > isready
        < readyok
        {game}
        {game}
        > quit"
    );
    let mut stage = Stage::new(Protocol::Uci, &script);
    stage.process.limit = LONG;
    let options = [("Zeta", "3"), ("Clear Hash", ""), ("Alpha", "a b"), ("Book", "")];
    stage.process.options = options.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    stage.process.init = vec!["debug off".to_owned()];
    fools_mates(&stage, 2);
}

/// No position that is left out can recur, and the FEN counts the fifty moves: repetition and the counter stay right.
#[test]
fn a_uci_engine_can_get_the_moves_since_the_last_irreversible_one() {
    let after_e4 = "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3";
    let after_ke2 = "position fen r1bqkb1r/pppppppp/2n2n2/8/4P3/5N2/PPPPKPPP/RNBQ1B1R b kq - 4 5";
    let turns = [
        ("position startpos moves g1f3", "g8f6"),
        ("position startpos moves g1f3 g8f6 f3g1", "f6g8"),
        (after_e4, "b8c6"),
        (&format!("{after_e4} moves b8c6 g1f3"), "g8f6"),
        (after_ke2, "c6b8"),
        (&format!("{after_ke2} moves c6b8 e2e1"), "b8c6"),
    ];
    let turns = turns.map(|(sent, mv)| format!("> {sent}\n> go nodes 7\n< info nodes 1\n< bestmove {mv}\n"));
    let script = "strict\n> uci\n< uciok\n> isready\n< readyok\n> ucinewgame\n> isready\n< readyok\n";
    let mut stage = Stage::new(Protocol::Uci, &format!("{script}{}> quit", turns.concat()));
    (stage.process.limit, stage.other) = (NODES, NODES);
    stage.process.handling.moves = MovesSent::SinceIrreversible;
    stage.moves = "g1f3 f3g1 e2e4 g1f3 e1e2 e2e1";
    let played = stage.play(GameKind::Chess, 1, 12).remove(0);
    assert_eq!(played.ending.fault(), None, "{:?}", played.circumstances.evidence);
    assert_eq!(stage.notes(), [1, 1]);
}

/// The clock sent to the engine is its time after its move, and stands still while it ponders.
#[test]
fn a_uci_engine_ponders_on_the_move_it_expects() {
    let script =
        "strict\n> uci\n< option name Ponder type check default false\n< uciok\n> setoption name Ponder value true
        > isready\n< readyok\n> ucinewgame\n> isready\n< readyok\n> position startpos moves f2f3
        > go wtime 5200 btime 90000 winc 200 binc 100 nodes 7\n< info nodes 1\n< bestmove e7e5 ponder e2e4
        > position startpos moves f2f3 e7e5 e2e4\n> go ponder wtime 5200 btime [789]???? winc 200 binc 100 nodes 7
        < info nodes 2\n> stop\n< bestmove b8c6 ponder a2a3
        > position startpos moves f2f3 e7e5 g2g3\n> go wtime 5400 btime [789]???? winc 200 binc 100 nodes 7
        < info nodes 3\n< bestmove d8f6 ponder g3g4
        > position startpos moves f2f3 e7e5 g2g3 d8f6 g3g4\n> go ponder wtime 5400 *\n< info nodes 4\n> ponderhit
        < info depth 9 score cp 55 nodes 5\n< bestmove f6h4 ponder e1e2\n> quit";
    let mut stage = Stage::new(Protocol::Uci, script);
    stage.process.limit = and(LONG, NODES);
    stage.process.handling.ponder = true;
    stage.moves = "f2f3 g2g3 g3g4";
    let played = stage.play(GameKind::Chess, 1, 20).remove(0);
    assert_eq!(played.ending, mated(Side::Second), "{:?}", played.circumstances.evidence);
    assert_eq!(moves(GameKind::Chess, None, &played), "f2f3 e7e5 g2g3 d8f6 g3g4 f6h4");
    assert_eq!(played.track[5].info.score, Some(Evaluation::Centipawns(55)));
    assert_eq!(stage.notes(), [1, 1]);
}

/// In each case the engine, with White, makes these moves against those and expects a move that ends the game, or none.
/// Its opponent makes another, and the engine moves once more.
#[test]
fn a_move_that_ends_the_game_starts_no_pondering() {
    use GameKind::{Chess as Usual, KingOfTheHill};
    let cases = [
        ("mate", Usual, "", "f2f3 g2g4", "d8h4", "e7e5 a7a6", "a2a3"),
        ("stalemate", Usual, "k7/8/8/8/8/8/4q3/6K1 w - - 0 1", "g1h1", "e2f2", "a8a7", "h1g1"),
        ("repetition", Usual, "", "g1f3 f3g1 g1f3 f3g1", "f6g8", "g8f6 f6g8 g8f6 f6d5", "b1c3"),
        ("fifty moves", Usual, "k7/7p/8/8/8/8/8/1R4K1 w - - 98 90", "b1c1", "a8a7", "h7h6", "c1b1"),
        ("material", Usual, "8/8/8/8/8/8/2P5/3k2K1 w - - 0 1", "g1h1", "d1c2", "d1e2", "h1g1"),
        ("the hill", KingOfTheHill, "8/8/4k3/8/8/8/8/6K1 w - - 0 1", "g1h1", "e6e5", "e6e7", "h1g1"),
        ("illegal", Usual, "", "e2e4", "e7e4", "a7a6", "a2a3"),
        ("nothing", Usual, "", "e2e4", "0000", "a7a6", "a2a3"),
    ];
    for (what, kind, start, own, expected, other, last) in cases {
        let own: Vec<&str> = own.split(' ').collect();
        let mut turns = String::new();
        for (number, mv) in own.iter().enumerate() {
            let ponder = if number + 1 == own.len() { format!(" ponder {expected}") } else { String::new() };
            let _ = writeln!(turns, "> position *\n> go wtime *\n< info nodes 1\n< bestmove {mv}{ponder}");
        }
        let script = format!(
            "strict\n> uci\n< option name Ponder type check default false
            < option name UCI_Variant type combo default chess var chess var kingofthehill\n< uciok
            > setoption name Ponder value true\n{}> isready\n< readyok\n> ucinewgame\n> isready\n< readyok\n{turns}
            > position *{}\n> go wtime *\n< info nodes 1\n< bestmove {last}\n> quit",
            if kind == Usual { "" } else { "> setoption name UCI_Variant value kingofthehill\n" },
            other.split(' ').next_back().unwrap_or_default(),
        );
        let mut stage = Stage::new(Protocol::Uci, &script);
        stage.process.handling.ponder = true;
        (stage.side, stage.moves) = (Side::First, other);
        stage.start = Some(start).filter(|start| !start.is_empty());
        let played = stage.play(kind, 1, 2 * own.len() as u32 + 1).remove(0);
        assert_eq!(played.ending.fault(), None, "{what}: {:?}", played.circumstances.evidence);
        assert_eq!(stage.notes(), [1, 1], "{what}: {:?}", played.circumstances.evidence);
    }
}

#[test]
fn an_engine_that_ponders_when_the_game_ends_plays_the_next_one() {
    let start = "> position startpos moves f2f3\n> go *\n< info nodes 1\n< bestmove e7e5 ponder e2e4\n> position *\n> \
        go ponder *
        < info nodes 2\n> stop\n< bestmove e5e4";
    let script = format!(
        "strict\n> uci\n< option name Ponder type check default false\n< uciok\n> setoption name Ponder value true
        > isready\n< readyok\n> ucinewgame\n> isready\n< readyok\n{start}\n> ucinewgame\n> isready\n< \
        readyok\n{start}\n> quit"
    );
    let mut stage = Stage::new(Protocol::Uci, &script);
    stage.process.handling.ponder = true;
    for played in stage.play(GameKind::Chess, 2, 2) {
        assert_eq!(played.ending.fault(), None, "{:?}", played.circumstances.evidence);
    }
    assert_eq!(stage.notes(), [1, 1]);
    let mut unable = Stage::new(Protocol::Uci, "> uci\n< uciok");
    unable.process.handling.ponder = true;
    let refused = unable.play(GameKind::Chess, 1, 2).remove(0);
    let why = Fault::Startup("it does not ponder: it has no option `Ponder`".to_owned());
    assert_eq!(refused.ending, Ending::Forfeit { loser: Side::Second, fault: why });
}

#[test]
fn an_xboard_engine_that_may_ponder_gets_the_command() {
    let greeting = greeting(&["ping=1", "setboard=1"]);
    let script = format!(
        "strict\n{greeting}\n> new\n> force\n> post\n> hard\n> level *\n> ping 1\n< pong 1\n> f2f3\n> time *\n> otim *
        > go\n< move e7e5\n> *\n> force\n> force\n> quit"
    );
    let mut stage = Stage::new(Protocol::Xboard, &script);
    stage.process.handling.ponder = true;
    let played = stage.play(GameKind::Chess, 1, 2).remove(0);
    assert_eq!((played.ending.fault(), stage.notes()), (None, [1, 1]), "{:?}", played.circumstances.evidence);
}

/// Notes the ignored options.
#[derive(Default)]
struct Noting(Mutex<Vec<String>>);

impl Programs for Noting {
    fn find(&self, process: &ProcessSpec) -> Result<PathBuf, String> {
        Shell.find(process)
    }

    fn passed_over(&self, _process: &ProcessSpec, why: &OptionError) {
        self.0.lock().expect("no thread panicked").push(why.to_string());
    }
}

#[test]
fn options_that_an_engine_does_not_take_end_the_game_or_are_passed_over() {
    let uci =
        "strict\n> uci\n< option name Hash type spin default 1 min 1 max 9\n< uciok\n> setoption name Hash value 3
        > isready\n< readyok\n> ucinewgame\n> isready\n< readyok\n> *\n> go *\n< info nodes 1\n< bestmove e7e5
        > *\n> go *\n< info nodes 2\n< bestmove d8h4\n> ucinewgame\n> isready\n< readyok\n> *\n> go *\n< info nodes 1
        < bestmove e7e5\n> *\n> go *\n< info nodes 2\n< bestmove d8h4\n> quit";
    let xboard = format!(
        "strict\n{}\n> memory 3\n> new\n> force\n> post\n> easy\n> level *\n> ping 1\n< pong 1\n> f2f3\n> time *\n> \
        otim *
        > go\n< move e7e5\n> time *\n> otim *\n> g2g4\n< move d8h4\n> result *\n> force\n> force\n> quit",
        greeting(&["ping=1", "setboard=1", "memory=1"])
    );
    for (protocol, script, games, hash) in [(Protocol::Uci, uci, 2, "Hash"), (Protocol::Xboard, &xboard, 1, "memory")] {
        let mut stage = Stage::new(protocol, script);
        let options = [(hash, "3"), ("Threads", "2"), ("hash", "x")];
        stage.process.options = options.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let refused = stage.play(GameKind::Chess, 1, 20).remove(0);
        assert!(matches!(refused.ending.fault(), Some((_, Fault::Startup(_)))), "{:?}", refused.ending);
        stage.process.handling.unknown_options = UnknownOptions::Warn;
        let stage = Stage { folder: TempDir::new().expect("a temporary folder"), ..stage };
        let noting = Arc::new(Noting::default());
        let programs = Arc::clone(&noting);
        let mut process = stage.process.clone();
        process.arguments[4] = stage.folder.path().display().to_string();
        let stage = Stage { process, ..stage };
        for played in stage.play_by(programs, GameKind::Chess, games, 20) {
            assert_eq!(played.ending, mated(Side::Second), "{:?}", played.circumstances.evidence);
        }
        assert_eq!(stage.notes(), [1, 1]);
        let noted = noting.0.lock().expect("no thread panicked");
        assert_eq!(noted.len(), 2, "once each, though there are several games: {noted:?}");
        assert!(noted[0].starts_with("unknown option `Threads`"), "{noted:?}");
    }
}

#[test]
fn a_uci_engine_gets_the_clocks_there_are() {
    let second = Duration::from_secs(1);
    let forty = Limit::Clock { base: ms(3_000), increment: Duration::ZERO, moves: NonZeroU32::new(40) };
    for (own, other, go) in [
        (clock(ms(3_000), ms(100)), NODES, "btime 3000 binc 100"),
        (clock(ms(3_000), ms(100)), Limit::Movetime(second), "btime 3000 binc 100"),
        (clock(ms(3_000), ms(100)), clock(ms(5_000), Duration::ZERO), "wtime 5000 btime 3000 winc 0 binc 100"),
        (clock(ms(3_000), Duration::ZERO), clock(ms(5_000), Duration::ZERO), "wtime 5000 btime 3000"),
        (forty, clock(ms(5_000), ms(200)), "wtime 5200 btime 3000 winc 200 binc 0 movestogo 40"),
        (Limit::Movetime(second), clock(ms(5_000), ms(200)), "movetime 1000"),
        (NODES, clock(ms(5_000), ms(200)), "nodes 7"),
        (DEPTH, NODES, "depth 2"),
        (and(clock(ms(3_000), ms(100)), NODES), NODES, "btime 3000 binc 100 nodes 7"),
        (and(and(DEPTH, NODES), Limit::Movetime(second)), NODES, "movetime 1000 nodes 7 depth 2"),
        (Limit::Hourglass(ms(3_000)), clock(ms(5_000), Duration::ZERO), "wtime 5000 btime 3000"),
    ] {
        let script = format!(
            "strict\n> uci\n< uciok\n> isready\n< readyok\n> ucinewgame\n> isready\n< readyok
            > position startpos moves f2f3\n> go {go}\n< info depth 1 nodes 1\n< bestmove e7e5\n> quit"
        );
        let mut stage = Stage::new(Protocol::Uci, &script);
        (stage.process.limit, stage.other) = (own, other);
        let played = stage.play(GameKind::Chess, 1, 2).remove(0);
        assert_eq!(played.ending.fault(), None, "{go}: {:?}", played.circumstances.evidence);
        assert_eq!(stage.notes(), [1, 1], "{go}");
    }
}

/// A black UCI engine, with its output after its first `go`, around its second and after that.
fn erring(first: &str, second: &str, last: &str) -> Stage {
    let script = format!(
        "> uci\n< uciok\n> ucinewgame\n> position startpos moves f2f3\n> go *\n{first}
        > position startpos moves f2f3 e7e5 g2g4\n> go *\n{second}\n> quit\n{last}"
    );
    Stage::new(Protocol::Uci, &script)
}

#[test]
fn what_a_uci_engine_says_late_is_no_answer_to_the_next_search() {
    let moves = [
        // The move again: at once, soon, and long after the next search was requested; with and without a search.
        "< info depth 1 nodes 1\n< bestmove e7e5\n< bestmove e7e5",
        "< info depth 1 nodes 1\n< bestmove e7e5\nwait 0.02\n< bestmove e7e5",
        "< info depth 1 nodes 1\n< bestmove e7e5\nwait 0.3\n< info depth 1 nodes 1\n< bestmove e7e5",
        "< bestmove e7e5\nwait 0.3\n< bestmove e7e5",
        // A different move, legal in its place: only the missing search reveals it.
        "< info depth 1 nodes 1\n< bestmove e7e5\nwait 0.3\n< bestmove a7a6",
        "< bestmove e7e5\nwait 0.3\n< bestmove a7a6",
        "< info depth 1 nodes 1\n< bestmove e7e5\n< bestmove a7a6\n< info string bye\nwait 0.1\n< bestmove b7b6",
        // No moves.
        "< info depth 1 nodes 1\n< bestmove e7e5\nwait 0.1\n< bestmove 0000\n< bestmove (none)\n<  ",
    ];
    // A dialogue mostly waits.
    std::thread::scope(|scope| {
        for first in moves {
            for second in ["< info depth 2 nodes 9\n< bestmove d8h4", "< bestmove d8h4"] {
                let _joined_at_the_end = scope.spawn(move || fools_mates(&erring(first, second, ""), 1));
            }
        }
    });
}

#[test]
fn of_two_moves_behind_a_suspicious_one_that_of_a_search_counts() {
    let first = "< info depth 1 nodes 1\n< bestmove e7e5\nwait 0.3\n< bestmove a7a6";
    fools_mates(&erring(first, "< bestmove b7b6\n< info depth 2 nodes 9\n< bestmove d8h4", ""), 1);
}

#[test]
fn an_engine_that_errs_all_the_time_is_understood() {
    for info in ["< info depth 1 nodes 1", ""] {
        let game = format!(
            "> ucinewgame
            > position startpos moves f2f3
            > go *\n{info}\n< bestmove e7e5\nwait 0.05\n< bestmove h7h5
            > position startpos moves f2f3 e7e5 g2g4
            > go *\n{info}\n< bestmove d8h4\nwait 0.05\n< bestmove a7a5"
        );
        let script = format!("> uci\n< uciok\n{game}\n{game}\n{game}\n> quit");
        fools_mates(&Stage::new(Protocol::Uci, &script), 3);
    }
}

#[test]
fn a_wrong_move_is_still_wrong() {
    for (reply, fault) in [
        ("< info depth 1 nodes 1\n< bestmove a1b8", "a1b8"),
        ("< bestmove 0000", "0000"),
        ("< info depth 1 nodes 1\n< bestmove e7e5", "e7e5"),
    ] {
        let stage = erring("< info depth 1 nodes 1\n< bestmove e7e5", reply, "");
        let played = stage.play(GameKind::Chess, 1, 20).remove(0);
        let fault = Fault::IllegalMove(fault.to_owned());
        assert_eq!(played.ending, Ending::Forfeit { loser: Side::Second, fault });
        assert_eq!(stage.notes(), [1, 1]);
    }
}

/// In each case the same text is a castling and then a king's move, as the square next to the king is the rook's.
#[test]
fn castling_and_a_king_move_may_have_one_text() {
    for (start, text) in [("k7/pp6/8/8/8/8/8/6KR w H - 0 1", "g1h1"), ("k7/pp6/8/8/8/8/8/1RK5 w B - 0 1", "c1b1")] {
        one_text_twice(start, text, Side::First, "a7a6 b7b6");
    }
    for (start, text) in [("6kr/8/8/8/8/8/PP6/K7 w h - 0 1", "g8h8"), ("1rk5/8/8/8/8/8/PP6/K7 w b - 0 1", "c8b8")] {
        one_text_twice(start, text, Side::Second, "a2a3 b2b3");
    }
}

fn one_text_twice(start: &'static str, text: &str, side: Side, other: &'static str) {
    for info in ["< info depth 1 nodes 1", ""] {
        let script = format!(
            "> uci\n< option name UCI_Chess960 type check default false\n< uciok
            > setoption name UCI_Chess960 value true\n> ucinewgame
            > position fen {start}*\n> go *\n{info}\n< bestmove {text}
            > position fen {start} moves *\n> go *\n{info}\n< bestmove {text}\n> quit"
        );
        let mut stage = Stage::new(Protocol::Uci, &script);
        (stage.start, stage.side, stage.moves) = (Some(start), side, other);
        let played = stage.play(GameKind::Chess960, 1, 4).remove(0);
        assert_eq!(played.ending.fault(), None, "{start}: {:?}", played.circumstances.evidence);
        assert_eq!(moves(GameKind::Chess960, Some(start), &played).matches(text).count(), 2, "{start}");
        assert_eq!(stage.notes(), [1, 1], "{start}");
    }
}

/// The start of an XBoard engine's script: greeting and features.
fn greeting(features: &[&str]) -> String {
    let accepted: Vec<String> = features
        .iter()
        .map(|feature| format!("> accepted {}", feature.split('=').next().unwrap_or_default()))
        .collect();
    format!("> xboard\n> protover 2\n< feature {} done=1\n{}\n> accepted done", features.join(" "), accepted.join("\n"))
}

#[test]
fn every_line_to_an_xboard_engine() {
    let greeting = greeting(&["ping=1", "setboard=1", "usermove=1", "memory=1"]);
    let game = |ping: u32, minutes: &str| {
        format!(
            "> new\n> force\n> post\n> easy\n> level 0 {minutes} 0.1
            > ping {ping}\n< pong {ping}
            > usermove f2f3
            > time 9000\n> otim 520\n> go
            < 3 -20 1 50 e5\n< move e7e5
            > time [789]???\n> otim 540\n> usermove g2g4
            < 3 9999 1 60 Qh4#\n< move d8h4
            > result 0-1 {{}}\n> force"
        )
    };
    let (first, second) = (game(1, "1:30"), game(2, "1:30"));
    let options = "< feature option=\"Zeta -spin 1 0 9\" option=\"Alpha -check 0\"";
    let script = format!(
        "strict\n{}\n> option Zeta=3\n> memory 16\n> option Alpha=1\n> random\n{first}\n{second}\n> force\n> quit",
        greeting.replace("< feature ", &format!("{options}\n> accepted option\n> accepted option\n< feature "))
    );
    let mut stage = Stage::new(Protocol::Xboard, &script);
    stage.process.limit = LONG;
    let options = [("Zeta", "3"), ("memory", "16"), ("Alpha", "true")];
    stage.process.options = options.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    stage.process.init = vec!["random".to_owned()];
    fools_mates(&stage, 2);
}

#[test]
fn an_xboard_engine_gets_the_clocks_there_are() {
    for (own, other, limit, clocks) in [
        (clock(ms(3_000), Duration::ZERO), NODES, "level 0 0:03 0", "> time 300"),
        (Limit::Movetime(ms(1_500)), clock(ms(5_000), ms(200)), "st 1.5", "> otim 520"),
        (DEPTH, NODES, "sd 2", ""),
        (and(Limit::Hourglass(ms(3_000)), DEPTH), NODES, "level 0 0:03 0\n> sd 2", "> time 300"),
    ] {
        let script = format!(
            "strict\n{}\n> new\n> force\n> post\n> easy\n> {limit}\n> ping 1\n< pong 1\n> f2f3\n{clocks}\n> go
            < move e7e5\n> result 1/2-1/2 {{}}\n> force\n> force\n> quit",
            greeting(&["ping=1", "setboard=1"])
        );
        let mut stage = Stage::new(Protocol::Xboard, &script);
        (stage.process.limit, stage.other) = (own, other);
        let played = stage.play(GameKind::Chess, 1, 2).remove(0);
        assert_eq!(played.ending.fault(), None, "{limit}: {:?}", played.circumstances.evidence);
        assert_eq!(stage.notes(), [1, 1], "{limit}");
    }
}

/// A game of an XBoard engine without `ping` that prints each move twice, and the result before its last move.
const TWICE: &str = "
    > new\n> force\n> post\n> easy\n> level *\n> usermove f2f3\n> time *\n> otim *\n> go
    < 1. ... e7e5\n< My move is : e7e5
    > time *\n> otim *\n> usermove g2g4
    < 0-1 {Black mates}\n< 2. ... d8h4
    > result 0-1 {}\n> force
    wait 0.05\n< My move is : d8h4";

#[test]
fn without_ping_a_word_that_is_no_command_keeps_games_apart() {
    let greeting = greeting(&["ping=0", "setboard=1", "usermove=1"]);
    let barrier = |number| format!("> barrier{number}\n< Error (unknown command): barrier{number}");
    let (one, two) = (barrier(1), barrier(2));
    let script = format!("{greeting}\n{TWICE}\n{one}\n{TWICE}\n{two}\n{TWICE}\n> force\n> quit");
    fools_mates(&Stage::new(Protocol::Xboard, &script), 3);
}

#[test]
fn without_ping_and_complaints_a_fresh_process_keeps_games_apart() {
    let greeting = greeting(&["ping=0", "setboard=1", "usermove=1"]);
    let stage = Stage::new(Protocol::Xboard, &format!("{greeting}\n{TWICE}\n> *\n> *"));
    for played in stage.play(GameKind::Chess, 3, 20) {
        assert_eq!(
            moves(GameKind::Chess, None, &played),
            FOOLS_MATE,
            "{:?} {:?}",
            played.ending,
            played.circumstances.evidence
        );
    }
    assert_eq!(stage.notes()[0], 3);
}

/// An XBoard engine with `ping`, and its output when it has to make its first move.
fn saying(side: Side, first: &str) -> Stage {
    let ask = if side == Side::First { "> time *\n> otim *\n> go" } else { "> f2f3\n> time *\n> otim *\n> go" };
    let greeting = greeting(&["ping=1", "setboard=1"]);
    let script = format!("{greeting}\n> new\n> force\n> post\n> easy\n> level *\n{ask}\n{first}\n> *\n> *\n> *\n> *");
    Stage { side, ..Stage::new(Protocol::Xboard, &script) }
}

#[test]
fn an_engine_that_looks_at_protover_only_when_more_comes_is_poked() {
    let greeting = greeting(&["ping=1", "setboard=1"]).replace("> protover 2", "> protover 2\n> easy");
    let script = format!(
        "strict\n{greeting}\n> new\n> force\n> post\n> easy\n> level *\n> ping 1\n< pong 1\n> f2f3\n> time *\n> otim *
        > go\n< move e7e5\n> *\n> force\n> force\n> quit"
    );
    let stage = Stage::new(Protocol::Xboard, &script);
    let played = stage.play(GameKind::Chess, 1, 2).remove(0);
    assert_eq!(played.ending.fault(), None, "{:?}", played.circumstances.evidence);
    assert_eq!(stage.notes(), [1, 1]);
}

#[test]
fn an_xboard_engine_resigns_in_every_form() {
    for (side, line) in [
        (Side::First, "< resign"),
        (Side::First, "< 0-1 {White resigns}"),
        (Side::First, "< 0-1"),
        (Side::Second, "< 1-0 {Black resigns}"),
        (Side::Second, "< move e7e5\n< 1-0 {Black resigns}"),
        (Side::Second, "< move e7e5\n> time *\n> otim *\n> g2g4\n< resign"),
    ] {
        let played = saying(side, line).play(GameKind::Chess, 1, 20).remove(0);
        let resigned = Ending::Win { winner: !side, by: WinRule::Resignation };
        assert_eq!(played.ending, resigned, "{line}: {:?}", played.circumstances.evidence);
    }
}

/// The engine may still be searching, and a move that it prints in the next game would count for that game.
#[test]
fn without_ping_an_engine_that_resigned_on_its_move_is_restarted() {
    let greeting = greeting(&["ping=0", "setboard=1"]);
    let game = "> new\n> force\n> post\n> easy\n> level *\n> time *\n> otim *\n> go\n< resign";
    let script = format!("strict\n{greeting}\n{game}\n> result 0-1 {{}}\n> force\n> force\n> quit");
    let stage = Stage { side: Side::First, ..Stage::new(Protocol::Xboard, &script) };
    for played in stage.play(GameKind::Chess, 3, 20) {
        let resigned = Ending::Win { winner: Side::Second, by: WinRule::Resignation };
        assert_eq!(played.ending, resigned, "{:?}", played.circumstances.evidence);
    }
    assert_eq!(stage.notes(), [3, 3]);
}

#[test]
fn xboard_engines_offer_draws_and_take_them() {
    let agreed = Ending::Draw { by: DrawRule::Agreement };
    let game = |features: &[&str], lines: Vec<Line>, script: &str| {
        let start = "> new\n> force\n> post\n> easy\n> sd 2\n> ping 1\n< pong 1";
        let script = format!("strict\n{}\n{start}\n{script}", greeting(features));
        let mut stage = Stage { side: Side::First, lines, ..Stage::new(Protocol::Xboard, &script) };
        stage.process.limit = DEPTH;
        stage.other = NODES;
        let played = stage.play(GameKind::Chess, 1, 4).remove(0);
        (played.ending, played.circumstances.evidence, stage.notes())
    };
    let usual = ["ping=1", "setboard=1"];
    let end = "> result 1/2-1/2 {}\n> force\n> force\n> quit";
    let offered = "> go\n< offer draw\n< move e2e4";
    // The engine's offer is sent with its move.
    let (ending, evidence, notes) = game(&usual, vec![Line::Agree], &format!("{offered}\n{end}"));
    assert_eq!((ending, notes), (agreed.clone(), [1, 1]), "{evidence:?}");
    // An offer that the engine makes later is sent with its next move.
    let later = format!("> go\n< move e2e4\n< offer draw\n> *\n< move a2a3\n{end}");
    let (ending, evidence, notes) = game(&usual, vec![Line::Any { nodes: 0 }, Line::Agree], &later);
    assert_eq!((ending, notes), (agreed.clone(), [1, 1]), "{evidence:?}");
    // The engine receives the opponent's offer before the move, and accepts by offering a draw in its turn.
    let taken = format!("> go\n< move e2e4\n> draw\n> *\n< offer draw\n{end}");
    let (ending, evidence, notes) = game(&usual, vec![Line::Offer], &taken);
    assert_eq!((ending, notes), (agreed.clone(), [1, 1]), "{evidence:?}");
    // Claiming a draw as the result accepts the offer, too; a resignation does not.
    let taken = format!("> go\n< move e2e4\n> draw\n> *\n< 1/2-1/2 {{Draw agreed}}\n{end}");
    let (ending, evidence, notes) = game(&usual, vec![Line::Offer], &taken);
    assert_eq!((ending, notes), (agreed, [1, 1]), "{evidence:?}");
    // Moving declines. Engines that turn offers off (`feature draw=0`) get none.
    let longest = Ending::Adjudicated { winner: None, by: AdjudicatedBy::MaxPlies };
    for (features, draw) in [(&usual[..], "> draw\n"), (&["ping=1", "setboard=1", "draw=0"], "")] {
        let declined = format!("> go\n< move e2e4\n{draw}> *\n< move a2a3\n{end}");
        let (ending, evidence, notes) = game(features, vec![Line::Offer], &declined);
        assert_eq!((ending, notes), (longest.clone(), [1, 1]), "{draw:?} {evidence:?}");
    }
}

/// A game with castlings, captures and a promotion, in the spellings of engines: the engine has Black.
#[test]
fn an_xboard_engine_may_use_any_notation_and_gets_its_choice() {
    let white = ["e2e4", "g1f3", "f1c4", "e1g1", "f1e1", "a2a3", "c4d3"];
    let white_san = ["e4", "Nf3", "Bc4", "O-O", "Re1", "a3", "Bd3"];
    let spellings = [
        ["e7e5", "g8f6", "f8c5", "e8g8", "b7b5", "b5c4"],
        ["e5", "Nf6", "Bc5", "O-O", "b5", "bxc4"],
        ["e7-e5", "Ng8-f6", "Bf8-c5", "0-0", "b7-b5", "b5xc4"],
        ["E7E5", "Ng8f6", "Bf8c5", "o-o", "b7b5", "bc4"],
    ];
    let black = ["e7e5", "g8f6", "f8c5", "e8g8", "b7b5", "b5c4"];
    for (in_san, replies) in spellings.iter().enumerate().map(|(number, replies)| (number % 2 == 1, replies)) {
        let (sent, feature) = if in_san { (white_san, "san=1") } else { (white, "san=0") };
        let mut turns = format!("> usermove {}\n> time *\n> otim *\n> go\n< move {}\n", sent[0], replies[0]);
        for (sent, replies) in sent.iter().zip(replies).skip(1) {
            let _ = writeln!(turns, "> time *\n> otim *\n> usermove {sent}\n< move {replies}");
        }
        let greeting = greeting(&["ping=1", "setboard=1", "usermove=1", feature]);
        let script = format!(
            "strict\n{greeting}\n> new\n> force\n> post\n> easy\n> level *\n> ping 1\n< pong 1\n{turns}> result *
            > force\n> force\n> quit"
        );
        let mut stage = Stage::new(Protocol::Xboard, &script);
        let white = white.join(" ");
        stage.moves = Box::leak(white.into_boxed_str());
        let played = stage.play(GameKind::Chess, 1, 12).remove(0);
        assert_eq!(played.ending.fault(), None, "{replies:?}: {:?}", played.circumstances.evidence);
        let expected: Vec<&str> = stage.moves.split(' ').zip(black).flat_map(<[&str; 2]>::from).collect();
        assert_eq!(moves(GameKind::Chess, None, &played), expected.join(" "));
        assert_eq!(stage.notes(), [1, 1], "{replies:?}");
    }
}

#[test]
fn promotions_and_drops_have_the_forms_of_the_notation_asked_for() {
    let turns = |features: &[&str], variant: &str, own: &str, sent: &str| {
        format!(
            "strict\n{}\n> new\n{variant}> force\n> post\n> easy\n> setboard *\n> level *\n> ping 1\n< pong 1
            > time *\n> otim *\n> go\n< move {own}\n> time *\n> otim *\n> {sent}\n< resign\n> result *\n> force\n> force
            > quit",
            greeting(features)
        )
    };
    let promotion = "8/P6k/8/8/8/8/K6p/8 w - - 0 1";
    let drop = "4k3/8/8/8/8/8/8/4K3[Pp] w - - 0 1";
    let cases = [
        (GameKind::Chess, promotion, "a8=Q", "h1=N", "h2h1n"),
        (GameKind::Chess, promotion, "a8Q", "h1=Q", "h2h1q"),
        (GameKind::Chess, promotion, "a7a8q", "h1=R", "h2h1r"),
        (GameKind::Chess, promotion, "A7A8Q", "h1=B", "h2h1b"),
        (GameKind::Crazyhouse, drop, "P@e4", "P@e5", "P@e5"),
        (GameKind::Crazyhouse, drop, "@e4", "P@e5", "P@e5"),
    ];
    for (kind, start, own, san, other) in cases {
        for (feature, sent) in [("san=1", san), ("san=0", other)] {
            let is_usual = kind == GameKind::Chess;
            let variants = if is_usual { "variants=\"normal\"" } else { "variants=\"normal,crazyhouse\"" };
            let variant = if is_usual { "" } else { "> variant crazyhouse\n" };
            let features = ["ping=1", "setboard=1", feature, variants];
            let script = turns(&features, variant, own, sent);
            let mut stage = Stage { side: Side::First, moves: other, ..Stage::new(Protocol::Xboard, &script) };
            stage.start = Some(start);
            let played = stage.play(kind, 1, 9).remove(0);
            let resigned = Ending::Win { winner: Side::Second, by: WinRule::Resignation };
            assert_eq!(played.ending, resigned, "{own} {feature}: {:?}", played.circumstances.evidence);
            assert_eq!(stage.notes(), [1, 1], "{own} {feature}: {:?}", played.circumstances.evidence);
        }
    }
}

#[test]
fn a_uci_engine_may_write_its_moves_in_any_notation() {
    for (first, second) in [("e5", "Qh4#"), ("E7E5", "d8-h4"), ("e7-e5", "Qd8h4"), ("e7e5", "Qh4")] {
        fools_mates(&erring(&format!("< info nodes 1\n< bestmove {first}"), &format!("< bestmove {second}"), ""), 1);
    }
}

/// Without `ping`, the second form of a move comes late, in another notation.
#[test]
fn a_move_said_again_in_another_notation_is_no_new_one() {
    let greeting = greeting(&["ping=0", "setboard=1", "usermove=1"]);
    let script = format!(
        "{greeting}\n> new\n> force\n> post\n> easy\n> level *\n> usermove f2f3\n> time *\n> otim *\n> go
        < move e7e5\n> time *\n> otim *\n> usermove g2g4\n< 1. ... e5\n< 2. ... Qh4\n> result *\n> force\n> \
        force\n> quit"
    );
    fools_mates(&Stage::new(Protocol::Xboard, &script), 1);
}

#[test]
fn complaints_about_our_commands_are_no_moves() {
    let complaints = "
        < Illegal move: level 0 0:03 0.1\n< Invalid move: sd 3\n< Error (unknown command): easy\n< Illegal move: st
        < tellusererror no book\n< Error (too many parameters): time 300\n< telluser hello\n< # move a7a6";
    let stage = saying(
        Side::Second,
        &format!("{complaints}\n< move e7e5\n> time *\n> otim *\n> g2g4\n{complaints}\n< move d8h4"),
    );
    fools_mates(&stage, 1);
    // Refusing a legal move loses.
    let played = saying(Side::Second, "< Illegal move: f2f3").play(GameKind::Chess, 1, 20).remove(0);
    let fault = Fault::FalseClaim("Illegal move: f2f3".to_owned());
    assert_eq!(played.ending, Ending::Forfeit { loser: Side::Second, fault });
}

#[test]
fn a_claim_counts_if_it_is_so() {
    let end = "> time *\n> otim *\n> g2g4";
    for right in ["< 0-1 {Black mates}\n< move d8h4", "< move d8h4\n< 0-1 {Black mates}"] {
        fools_mates(&saying(Side::Second, &format!("< move e7e5\n{end}\n{right}")), 1);
    }
    for wrong in [
        "< 0-1 {Black mates}",
        "< 0-1 {Black mates}\n< move e7e5",
        "< 1/2-1/2 {Draw by repetition}\n< move e7e5",
        "< move e7e5\n< 0-1 {Black mates}\n> time *\n> otim *\n> g2g4\n< move a7a6",
    ] {
        let played = saying(Side::Second, wrong).play(GameKind::Chess, 1, 20).remove(0);
        assert_eq!(played.ending.score(Side::First), stats::Score::Win, "{wrong}");
        let (_, fault) = played.ending.fault().expect("a fault");
        assert!(
            matches!(fault, Fault::FalseClaim(line) if line.contains("1/2 {") || line.contains("0-1 {")),
            "{fault}"
        );
    }
}

#[test]
fn every_line_to_a_codecup_engine() {
    let opening = RandomOpenings { plies: 2.into(), balance: None };
    let opening = opening.draw(&ZeroPointOne, 1, 0, &mut |_| 0).expect("an opening");
    let (mut position, mut long) = (ZeroPointOne.start(), Vec::new());
    for &mv in &opening.moves {
        long.push(engine::format_long(&position, mv));
        ZeroPointOne::play(&mut position, mv);
    }
    let mut stream = play::random::Stream::from_seed(4);
    let game: Vec<String> = (0..3)
        .map(|_| {
            let mv = ZeroPointOne::random_move(&position, &mut stream).expect("a move");
            let text = ZeroPointOne::format_move(&position, mv);
            ZeroPointOne::play(&mut position, mv);
            text
        })
        .collect();
    let [one, two, three] = game.as_slice() else { panic!("three moves") };
    let script = format!(
        "strict\n> # init\n> Time 3000\n> Opening {}\n> Start\n< {one}\n> {two}\n< {three}\n> Quit",
        long.join(" ")
    );
    let mut stage = Stage::new(Protocol::Codecup, &script);
    stage.side = Side::First;
    stage.process.limit = clock(ms(3_000), Duration::ZERO);
    stage.process.init = vec!["# init".to_owned()];
    stage.moves = Box::leak(two.clone().into_boxed_str());
    let mut player = CodecupPlayer::new(stage.process.clone(), Stage::starter(Arc::new(Shell)));
    for game in 1..=2 {
        let played = stage.play_one(&ZeroPointOne, &opening, &mut player, opening.moves.len() as u32 + 3);
        assert_eq!(played.ending.fault(), None, "{:?}", played.circumstances.evidence);
        assert_eq!(played.moves.len(), 3);
        assert_eq!(stage.notes(), [game, game], "a process plays one game");
    }
}

#[test]
fn a_codecup_engine_is_not_asked_to_play_from_a_position() {
    let drawn = RandomOpenings { plies: 2.into(), balance: None }.draw(&ZeroPointOne, 1, 0, &mut |_| 0);
    let line = OpeningLine { start: Some(drawn.expect("an opening").position.to_string()), moves: Vec::new() };
    let opening = line.play(&ZeroPointOne).expect("an opening");
    let mut stage = Stage::new(Protocol::Codecup, "strict");
    stage.process.limit = clock(ms(3_000), Duration::ZERO);
    let mut player = CodecupPlayer::new(stage.process.clone(), Stage::starter(Arc::new(Shell)));
    let played = stage.play_one(&ZeroPointOne, &opening, &mut player, 3);
    let (_, fault) = played.ending.fault().expect("a fault");
    assert!(matches!(fault, Fault::Startup(why) if why.starts_with("it cannot set up positions")), "{fault}");
    assert_eq!(stage.notes(), [0, 0], "it was not started");
}
