//! One worker: takes a pair, draws its opening, seats players, has the referee play two games, returns the result.
//!
//! It keeps its players from pair to pair, so that fast games do not pay for tables.

use crate::entrant::{Entrant, NativeSpec, PlayerSpec, ProcessSpec, Protocol};
use crate::play::games::{Chess, ChessPosition, Rules, ZeroPointOne};
use crate::play::players::process::{CodecupPlayer, Starter, UciPlayer, XboardPlayer};
use crate::play::players::{NativePlayer, RandomPlayer};
use crate::play::{
    BySide, Ending, Failure, Fault, Game, GameStart, Opening, PlayedGame, Player, Seat, Side, Stopped, Unmoved,
    panic_text, play_game,
};
use crate::random::{Purpose, Stream};
use crate::run::Unready;
use crate::run::pair::{GameRecord, PAIR_VERSION, PairResult, PairSpec, PairTimes, SIDES_OF_FIRST_SEAT};
use engine::Engine;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Why a pair was not played.
#[derive(Debug)]
pub(super) enum NotPlayed {
    /// It is no longer wanted.
    Revoked,
    /// It cannot be played, and trying again would not help.
    Failed(String),
    /// The harness itself panicked.
    Panic(String),
}

impl fmt::Display for NotPlayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Revoked => f.write_str("revoked"),
            Self::Failed(why) => f.write_str(why),
            Self::Panic(text) => write!(f, "the harness panicked: {text}"),
        }
    }
}

/// Plays one pair here and now, with players of its own.
///
/// # Errors
/// Why it was not played, in words.
pub fn play_pair(spec: &PairSpec, starter: Starter, stop: &AtomicBool) -> Result<PairResult, String> {
    Worker::new(Some(starter)).play(spec, stop).map_err(|why| why.to_string())
}

/// Makes a pair's opening and has the player of its first seat get ready for a game, if it is a process. Plays nothing.
///
/// # Errors
/// [`Unready`]
pub(in crate::run) fn rehearse_pair(
    spec: &PairSpec,
    starter: Option<&Starter>,
    stop: &AtomicBool,
) -> Result<(), Unready> {
    match spec.game.rules() {
        Rules::ZeroPointOne(game) => rehearse(&game, spec, starter, stop),
        Rules::Chess(game) => rehearse(&game, spec, starter, stop),
    }
}

fn rehearse<G: Seating>(
    game: &G,
    spec: &PairSpec,
    starter: Option<&Starter>,
    stop: &AtomicBool,
) -> Result<(), Unready> {
    let mut judge = G::Judge::default();
    let opening = spec.opening.make(game, spec.run_seed, &mut |position: &G::Position| G::judge(&mut judge, position));
    let opening = opening.map_err(|why| Unready::Opening { why: why.to_string() })?;
    let entrant = &spec.seats[0];
    if entrant.player.process().is_none() {
        return Ok(());
    }
    let unready = |why: String, evidence| Unready::Entrant { entrant: entrant.name.clone(), why, evidence };
    let seated = Seated::new(game, entrant, starter);
    let mut seated = seated.map_err(|why| unready(why.to_string(), None))?;
    let start = GameStart {
        game,
        start: opening.start.as_deref(),
        side: Side::First,
        limit: entrant.player.limit().0,
        seed: spec.run_seed,
        stop,
    };
    seated.player.rehearse(&start).map_err(|Failure { why, evidence, .. }| match why {
        Unmoved::Fault(Fault::Startup(why)) => unready(why, evidence),
        Unmoved::Fault(fault) => unready(fault.to_string(), evidence),
        Unmoved::Resigned => unready("it gave up".to_owned(), evidence),
    })
}

/// What a thread that plays pairs keeps between them.
pub(super) struct Worker {
    starter: Option<Starter>,
    zero_point_one: Bench<ZeroPointOne>,
    chess: Bench<Chess>,
}

impl Worker {
    /// A worker without players yet. Without a starter it plays no engine processes.
    pub(super) fn new(starter: Option<Starter>) -> Self {
        Self { starter, zero_point_one: Bench::default(), chess: Bench::default() }
    }

    /// Plays a pair.
    pub(super) fn play(&mut self, spec: &PairSpec, stop: &AtomicBool) -> Result<PairResult, NotPlayed> {
        let starter = self.starter.as_ref();
        let play = AssertUnwindSafe(|| match spec.game.rules() {
            Rules::ZeroPointOne(game) => self.zero_point_one.play(&game, spec, starter, stop),
            Rules::Chess(game) => self.chess.play(&game, spec, starter, stop),
        });
        catch_unwind(play).unwrap_or_else(|panic| {
            *self = Self::new(self.starter.take());
            Err(NotPlayed::Panic(panic_text(panic.as_ref())))
        })
    }
}

/// A game that workers play: what sits at its boards beside the players of all games.
trait Seating: Game {
    /// What judges random openings.
    type Judge: Default;

    /// The score of an opening for the side to move, in logit x 10,000.
    fn judge(judge: &mut Self::Judge, position: &Self::Position) -> i32;

    /// A player of the 0.1 engine in process, if it plays this game.
    fn native(spec: &NativeSpec) -> Option<Box<dyn Sitter<Self>>>;

    /// The player of an engine process.
    ///
    /// # Errors
    /// Why its protocol cannot play this game.
    fn process(&self, spec: &ProcessSpec, starter: &Starter) -> Result<Box<dyn Sitter<Self>>, String>;
}

impl Seating for ZeroPointOne {
    type Judge = Option<Engine>;

    fn judge(judge: &mut Self::Judge, position: &engine::Position) -> i32 {
        crate::play::judge_opening(judge.get_or_insert_with(crate::play::opening_judge), position)
    }

    fn native(spec: &NativeSpec) -> Option<Box<dyn Sitter<Self>>> {
        Some(Box::new(NativePlayer::new(&spec.engine_config())))
    }

    fn process(&self, spec: &ProcessSpec, starter: &Starter) -> Result<Box<dyn Sitter<Self>>, String> {
        match spec.protocol {
            Protocol::Uci => Ok(Box::new(UciPlayer::new(spec.clone(), starter.clone(), Vec::new()))),
            Protocol::Xboard => Err("no engine plays 0.1 over XBoard".to_owned()),
            Protocol::Codecup => Ok(Box::new(CodecupPlayer::new(spec.clone(), starter.clone()))),
        }
    }
}

impl Seating for Chess {
    type Judge = ();

    /// Nobody at home judges chess: the configuration asks for no balance there.
    fn judge((): &mut (), _position: &ChessPosition) -> i32 {
        0
    }

    fn native(_spec: &NativeSpec) -> Option<Box<dyn Sitter<Self>>> {
        None
    }

    fn process(&self, spec: &ProcessSpec, starter: &Starter) -> Result<Box<dyn Sitter<Self>>, String> {
        let starter = starter.clone();
        match spec.protocol {
            Protocol::Uci => Ok(Box::new(UciPlayer::new(spec.clone(), starter, self.uci_options()))),
            Protocol::Xboard if self.is_chess960() => Err("Chess960 is not played over XBoard: use UCI".to_owned()),
            Protocol::Xboard => Ok(Box::new(XboardPlayer::new(spec.clone(), starter, self.xboard_variant()))),
            Protocol::Codecup => Err("CodeCup is a protocol of 0.1".to_owned()),
        }
    }
}

/// A player at the bench, kept from game to game.
trait Sitter<G: Game>: Player<G> {
    /// Becomes another entrant's, keeping what it has allocated; `false` if it cannot.
    fn reseat(&mut self, spec: &PlayerSpec) -> bool;

    /// Gets ready for a game that will not be played.
    ///
    /// # Errors
    /// Why it does not.
    fn rehearse(&mut self, start: &GameStart<'_, G>) -> Result<(), Failure> {
        self.begin(start)
    }
}

impl Sitter<ZeroPointOne> for NativePlayer {
    fn reseat(&mut self, spec: &PlayerSpec) -> bool {
        let PlayerSpec::Native(native) = spec else { return false };
        self.configure(&native.engine_config());
        true
    }
}

impl<G: Game> Sitter<G> for RandomPlayer {
    fn reseat(&mut self, spec: &PlayerSpec) -> bool {
        *spec == PlayerSpec::Random
    }
}

impl<G: Game> Sitter<G> for UciPlayer<G> {
    fn reseat(&mut self, spec: &PlayerSpec) -> bool {
        let Some(process) = spec.process().filter(|process| process.protocol == Protocol::Uci) else { return false };
        self.configure(process);
        true
    }
}

impl<G: Game> Sitter<G> for XboardPlayer<G> {
    fn reseat(&mut self, _spec: &PlayerSpec) -> bool {
        false
    }
}

impl Sitter<ZeroPointOne> for CodecupPlayer {
    fn reseat(&mut self, _spec: &PlayerSpec) -> bool {
        false
    }

    fn rehearse(&mut self, start: &GameStart<'_, ZeroPointOne>) -> Result<(), Failure> {
        self.begin_aloud(start)
    }
}

/// The players kept for one game.
struct Bench<G: Seating> {
    seats: [Option<Seated<G>>; 2],
    judge: G::Judge,
}

impl<G: Seating> Default for Bench<G> {
    fn default() -> Self {
        Self { seats: [None, None], judge: G::Judge::default() }
    }
}

struct Seated<G: Game> {
    entrant: Arc<Entrant>,
    player: Box<dyn Sitter<G>>,
}

impl<G: Seating> Seated<G> {
    fn new(game: &G, entrant: &Arc<Entrant>, starter: Option<&Starter>) -> Result<Self, NotPlayed> {
        let misfit = || NotPlayed::Failed(format!("entrant \"{}\" does not play this game", entrant.name));
        let player = match &entrant.player {
            PlayerSpec::Native(native) => G::native(native).ok_or_else(misfit)?,
            PlayerSpec::Random => Box::new(RandomPlayer::default()),
            PlayerSpec::Process(process) => {
                let starter = starter.ok_or_else(|| NotPlayed::Failed("this worker starts no processes".to_owned()))?;
                game.process(process, starter).map_err(NotPlayed::Failed)?
            }
        };
        Ok(Self { entrant: Arc::clone(entrant), player })
    }
}

impl<G: Seating> Bench<G> {
    fn play(
        &mut self,
        game: &G,
        spec: &PairSpec,
        starter: Option<&Starter>,
        stop: &AtomicBool,
    ) -> Result<PairResult, NotPlayed> {
        let started = Instant::now();
        let mut judge = |position: &G::Position| G::judge(&mut self.judge, position);
        let opening = spec.opening.make(game, spec.run_seed, &mut judge);
        let opening = opening.map_err(|why| NotPlayed::Failed(why.to_string()))?;
        let mut play = |number| {
            self.seat_all(game, spec, starter)?;
            self.play_game(game, spec, &opening, number, stop)
        };
        let first = play(0)?;
        let second = forfeited_too(&first).map_or_else(|| play(1), Ok)?;
        let mut games = [first, second];
        refuse_rebuilt(spec, starter)?;
        let times = PairTimes {
            thinking: [games[0].wall, games[1].wall],
            total: started.elapsed(),
            delayed: [games[0].delayed, games[1].delayed],
            decisive: [games[0].decisive, games[1].decisive],
        };
        Ok(PairResult {
            version: PAIR_VERSION,
            pair: spec.pair,
            opening: codes::<G>(&opening.moves),
            start: opening.start,
            evidence: games.each_mut().map(|game| game.evidence.take()),
            games: games.map(record),
            times,
        })
    }

    fn play_game(
        &mut self,
        rules: &G,
        spec: &PairSpec,
        opening: &Opening<G>,
        game: usize,
        stop: &AtomicBool,
    ) -> Result<PlayedGame<G>, NotPlayed> {
        let side_of_first_seat = SIDES_OF_FIRST_SEAT[game];
        let [Some(a), Some(b)] = &mut self.seats else {
            return Err(NotPlayed::Failed("nobody is seated".to_owned()));
        };
        let (a, b) = (a.seat(spec, game, side_of_first_seat), b.seat(spec, game, !side_of_first_seat));
        let seats = match side_of_first_seat {
            Side::First => BySide { first: a, second: b },
            Side::Second => BySide { first: b, second: a },
        };
        let played = play_game(rules, opening, seats, &spec.rules, stop).map_err(|Stopped| NotPlayed::Revoked)?;
        if let Some((side, Fault::Crash(_))) = played.ending.fault() {
            // Whatever it left behind is not to be trusted: seat a new player next time.
            self.seats[usize::from(side != side_of_first_seat)] = None;
        }
        Ok(played)
    }
}

impl<G: Seating> Bench<G> {
    /// Seats the spec's entrants, keeping the players that are theirs or can become theirs.
    fn seat_all(&mut self, game: &G, spec: &PairSpec, starter: Option<&Starter>) -> Result<(), NotPlayed> {
        refuse_rebuilt(spec, starter)?;
        for (seated, entrant) in self.seats.iter_mut().zip(&spec.seats) {
            if !seated.as_mut().is_some_and(|seated| seated.becomes(entrant)) {
                *seated = None;
                *seated = Some(Seated::new(game, entrant, starter)?);
            }
        }
        Ok(())
    }
}

/// An engine that was rebuilt in mid-run would mix two players under one name.
fn refuse_rebuilt(spec: &PairSpec, starter: Option<&Starter>) -> Result<(), NotPlayed> {
    let Some(starter) = starter else { return Ok(()) };
    let mut processes = spec.seats.iter().filter_map(|entrant| entrant.player.process());
    processes.try_for_each(|process| starter.programs.find(process).map(drop)).map_err(NotPlayed::Failed)
}

impl<G: Game> Seated<G> {
    /// Makes its player the entrant's, if it can be.
    fn becomes(&mut self, entrant: &Arc<Entrant>) -> bool {
        if Arc::ptr_eq(&self.entrant, entrant) {
            return true;
        }
        let fits = self.entrant.player == entrant.player || self.player.reseat(&entrant.player);
        self.entrant = Arc::clone(entrant);
        fits
    }

    /// Its seat in one game of a pair.
    fn seat(&mut self, spec: &PairSpec, game: usize, side: Side) -> Seat<'_, G> {
        let (limit, source) = self.entrant.player.limit();
        let number = spec.pair * 4 + game as u64 * 2 + u64::from(side == Side::Second);
        let seed = Stream::new(spec.run_seed, Purpose::Player, number).bits();
        Seat { player: self.player.as_mut(), limit, source, margin: self.entrant.player.margin(), seed }
    }
}

/// The second game of a pair whose first one ended because a player could not be started: it has been waited for long
/// enough, and forfeits both.
fn forfeited_too<G: Game>(first: &PlayedGame<G>) -> Option<PlayedGame<G>> {
    let (side, fault @ Fault::Startup(_)) = first.ending.fault()? else { return None };
    let ending = Ending::Forfeit { loser: !side, fault: fault.clone() };
    let (wall, delayed, decisive) = (BySide::default(), BySide::default(), BySide::default());
    let (nodes, evidence) = (BySide::default(), first.evidence.clone());
    Some(PlayedGame { moves: Vec::new(), ending, nodes, wall, delayed, decisive, track: Vec::new(), evidence })
}

fn record<G: Game>(game: PlayedGame<G>) -> GameRecord {
    GameRecord { moves: codes::<G>(&game.moves), ending: game.ending, nodes: game.nodes, track: game.track }
}

fn codes<G: Game>(moves: &[G::Move]) -> Vec<u32> {
    moves.iter().map(|&mv| G::code(mv)).collect()
}
