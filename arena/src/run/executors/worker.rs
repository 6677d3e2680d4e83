//! One worker: takes a pair, draws its opening, seats players, has the referee play two games, returns the result.
//!
//! It keeps its players from pair to pair, so that fast games do not pay for tables.

use crate::entrant::{Entrant, NativeSpec, PlayerSpec};
use crate::play::games::{Chess, ChessPosition, Rules, ZeroPointOne};
use crate::play::players::{NativePlayer, RandomPlayer};
use crate::play::{BySide, Fault, Game, Opening, PlayedGame, Player, Seat, Side, Stopped, panic_text, play_game};
use crate::random::{Purpose, Stream};
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

/// What a thread that plays pairs keeps between them.
#[derive(Default)]
pub(super) struct Worker {
    zero_point_one: Bench<ZeroPointOne>,
    chess: Bench<Chess>,
}

impl Worker {
    /// Plays a pair.
    pub(super) fn play(&mut self, spec: &PairSpec, stop: &AtomicBool) -> Result<PairResult, NotPlayed> {
        let play = AssertUnwindSafe(|| match spec.game.rules() {
            Rules::ZeroPointOne(game) => self.zero_point_one.play(&game, spec, stop),
            Rules::Chess(game) => self.chess.play(&game, spec, stop),
        });
        catch_unwind(play).unwrap_or_else(|panic| {
            *self = Self::default();
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
}

impl Seating for ZeroPointOne {
    type Judge = Option<Engine>;

    fn judge(judge: &mut Self::Judge, position: &engine::Position) -> i32 {
        crate::play::judge_opening(judge.get_or_insert_with(crate::play::opening_judge), position)
    }

    fn native(spec: &NativeSpec) -> Option<Box<dyn Sitter<Self>>> {
        Some(Box::new(NativePlayer::new(&spec.engine_config())))
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
}

/// A player at the bench, kept from game to game.
trait Sitter<G: Game>: Player<G> {
    /// Becomes another entrant's, keeping what it has allocated; `false` if it cannot.
    fn reseat(&mut self, spec: &PlayerSpec) -> bool;
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
    fn new(entrant: &Arc<Entrant>) -> Result<Self, NotPlayed> {
        let misfit = || NotPlayed::Failed(format!("entrant \"{}\" does not play this game", entrant.name));
        let player = match &entrant.player {
            PlayerSpec::Native(native) => G::native(native).ok_or_else(misfit)?,
            PlayerSpec::Random => Box::new(RandomPlayer::default()),
        };
        Ok(Self { entrant: Arc::clone(entrant), player })
    }
}

impl<G: Seating> Bench<G> {
    fn play(&mut self, game: &G, spec: &PairSpec, stop: &AtomicBool) -> Result<PairResult, NotPlayed> {
        let started = Instant::now();
        let mut judge = |position: &G::Position| G::judge(&mut self.judge, position);
        let opening = spec.opening.make(game, spec.run_seed, &mut judge);
        let opening = opening.map_err(|why| NotPlayed::Failed(why.to_string()))?;
        let games = [self.play_game(game, spec, &opening, 0, stop)?, self.play_game(game, spec, &opening, 1, stop)?];
        let times = PairTimes {
            thinking: [games[0].wall, games[1].wall],
            total: started.elapsed(),
            delayed: [games[0].delayed, games[1].delayed],
        };
        Ok(PairResult {
            version: PAIR_VERSION,
            pair: spec.pair,
            opening: codes::<G>(&opening.moves),
            start: opening.start,
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
        let [a, b] = &mut self.seats;
        let a = seat(a, spec, 0, game, side_of_first_seat)?;
        let b = seat(b, spec, 1, game, !side_of_first_seat)?;
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

/// Seats the spec's entrant `index` at the bench.
fn seat<'a, G: Seating>(
    seated: &'a mut Option<Seated<G>>,
    spec: &PairSpec,
    index: usize,
    game: usize,
    side: Side,
) -> Result<Seat<'a, G>, NotPlayed> {
    let entrant = &spec.seats[index];
    if seated.as_mut().is_some_and(|seated| !seated.becomes(entrant)) {
        *seated = None;
    }
    let seated = match seated {
        Some(seated) => seated,
        none => none.insert(Seated::new(entrant)?),
    };
    let (limit, source) = entrant.player.limit();
    let number = spec.pair * 4 + game as u64 * 2 + u64::from(side == Side::Second);
    let seed = Stream::new(spec.run_seed, Purpose::Player, number).bits();
    Ok(Seat { player: seated.player.as_mut(), limit, source, margin: entrant.player.margin(), seed })
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
}

fn record<G: Game>(game: PlayedGame<G>) -> GameRecord {
    GameRecord { moves: codes::<G>(&game.moves), ending: game.ending, nodes: game.nodes, track: game.track }
}

fn codes<G: Game>(moves: &[G::Move]) -> Vec<u32> {
    moves.iter().map(|&mv| G::code(mv)).collect()
}
